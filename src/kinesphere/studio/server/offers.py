"""Choices of one session: the built-in ones, and the styles and models that it has learned."""

from __future__ import annotations

from collections.abc import Iterable

from kinesphere import __version__
from kinesphere.errors import InvalidValueError
from kinesphere.figure.standing.stance import stance_level
from kinesphere.maths.bounds import check_range
from kinesphere.speech.voices.voice import LONGEST_TEXT
from kinesphere.studio.document.document import Speaking
from kinesphere.studio.server import catalogue, messages
from kinesphere.studio.server.messages import MenuChoice
from kinesphere.studio.server.upload_kinds import LARGEST

_RANGES = {"rate": (0.3, 3.0), "amount": (0.0, 1.5)}
_LARGEST_SEED = (1 << 32) - 1


class Offers:
    """Styles and models of a session, its own included."""

    def __init__(self) -> None:
        self._learned: dict[str, list[MenuChoice]] = {"speaker": [], "model": []}

    @property
    def styles(self) -> tuple[MenuChoice, ...]:
        """Speakers."""
        return (*catalogue.styles(), *self._learned["speaker"])

    @property
    def models(self) -> tuple[MenuChoice, ...]:
        """Models of body language."""
        return (*catalogue.models(), *self._learned["model"])

    def add(self, what: str, key: str, label: str) -> None:
        """Add a speaker or a model of the session, once."""
        rows = self._learned[what]
        if all(choice.name != key for choice in rows):
            rows.append(MenuChoice(key, label, "yours"))

    def learned_message(self) -> messages.Learned:
        """Message with the styles and models."""
        return messages.Learned(self.styles, self.models)

    def welcome(self, session: str, known: bool) -> messages.Welcome:
        """Welcome message for a page."""
        return messages.Welcome(
            messages.VERSION,
            __version__,
            session,
            known,
            self.styles,
            catalogue.voices(),
            self.models,
            catalogue.formats(),
            catalogue.lexemes(),
            catalogue.MANNERS,
            catalogue.markup(),
            catalogue.places(),
            catalogue.parts(),
            catalogue.factors(),
            catalogue.tensions(),
            catalogue.stances(),
            dict(LARGEST),
            LONGEST_TEXT,
        )

    def check(self, s: Speaking) -> None:
        """Reject settings that are not available.

        Raises
        ------
        InvalidValueError
            For a text that is too long, a number out of range, or an unknown name.
        """
        if len(s.text) > LONGEST_TEXT:
            raise InvalidValueError(
                f"the text has {len(s.text)} characters, allowed are {LONGEST_TEXT}"
            )
        for name, (low, high) in _RANGES.items():
            check_range(name, getattr(s, name), low, high)
        if not 0 <= s.seed <= _LARGEST_SEED:
            raise InvalidValueError(f"seed is {s.seed}, allowed is 0 to {_LARGEST_SEED}")
        _one_of("style", s.style, _names(self.styles))
        _one_of("language", s.language, ("auto", "en", "de"))
        _one_of("voice", s.voice, ("", *_names(catalogue.voices())))
        _one_of("model", s.model, _names(self.models))
        if s.stance:
            stance_level(s.stance)


def _names(choices: Iterable[MenuChoice]) -> tuple[str, ...]:
    return tuple(choice.name for choice in choices)


def _one_of(what: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise InvalidValueError(f"{what} {value[:40]!r}, allowed are {', '.join(allowed)}")
