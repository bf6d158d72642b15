"""Cast: who performs, and by which rules, as one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from types import MappingProxyType, NoneType
from typing import Any, Self, TypedDict

from kinesphere.animation.performer import Performer
from kinesphere.animation.settings import ActingSettings
from kinesphere.bodylanguage.model import BodyLanguageModel
from kinesphere.corpus.profiles.profile import Profile
from kinesphere.errors import InvalidValueError
from kinesphere.figure.standing.stance import stance_level
from kinesphere.generation.settings import PAPER_TURNING, GenerationSettings
from kinesphere.gesture.lexicon import Lexeme, read_lexemes
from kinesphere.language.tokens import LANGUAGES
from kinesphere.pipeline.models import HOUSE
from kinesphere.pipeline.models import model as load_model
from kinesphere.pipeline.speakers import speaker
from kinesphere.pipeline.stages.table_values import check_kind, check_type

SILENT = "none"
"""Name of the voice that is not heard: words are timed at a constant rate."""
_NAME = (str, PathLike)
# Types that fields may have, and in words; those with a plain default have its kind.
_TYPES: Mapping[str, tuple[tuple[Any, ...], str]] = {
    "style": ((*_NAME, Profile), "a name, a file or a profile"),
    "character": ((*_NAME, NoneType), "a file"),
    "voice": ((*_NAME, NoneType), "a name or a file"),
    "language": ((str, NoneType), "en, de or None"),
    "lexicon": ((*_NAME, Mapping), "gestures by name, or a file of them"),
    "model": ((*_NAME, BodyLanguageModel), "a name, a file or a model"),
    "speakers": ((str, Mapping, NoneType), "a name, or names with weights"),
    "stance": ((str, int, float, NoneType), "a name, or a number from 0 to 1"),
    "acting": ((ActingSettings, NoneType), "ActingSettings"),
    "generation": ((GenerationSettings, NoneType), "GenerationSettings"),
}


class CastKeywords(TypedDict, total=False):
    """Keywords of `Cast` without style and model, which the commands name themselves."""

    character: str | PathLike[str] | None
    voice: str | None
    rate: float
    language: str | None
    lexicon: Mapping[str, Lexeme] | str | PathLike[str]
    speakers: str | Mapping[str, float] | None
    fps: float
    seed: int
    most_likely: bool
    paper: bool
    acting: ActingSettings | None
    generation: GenerationSettings | None
    stance: str | float | None


@dataclass(frozen=True)
class Cast:
    """Who performs and how: style, voice, character, lexicon, rate and seed.

    Parameters
    ----------
    style : speaker: a name (host, critic, neutral), a profile, or a file of one.
    character : a file, or None for the default character.
    voice : synthetic voice (see `speech.voices.voice.load_voice`); None for the best one that is
        installed, ``none`` for words at a constant rate without sound.
    rate : tempo of the voice.
    language : ``en`` or ``de``; None detects it.
    lexicon : gestures of the user's own by name, or a TOML file of them.
    model, speakers : body-language model that moves the body to a voice, and whose: a name, names
        with weights, or None for all alike.
    fps : frames per second.
    seed : the same seed gives the same performance.
    most_likely : the most likely gestures instead of random samples.
    paper : the rules of the papers, also where recorded speakers differ.
    acting, generation : every constant of the acting and of the script's generation.
    stance : how restless the stance is: still, calm, easy, lively, restless, a number from 0 to 1,
        or None: the speaker's own.

    Raises
    ------
    InvalidValueError
        For a value of the wrong kind.

    Examples
    --------
    >>> Cast(style="host", seed=3).profile.name
    'host'
    """

    style: str | PathLike[str] | Profile = "neutral"
    character: str | PathLike[str] | None = None
    voice: str | None = None
    rate: float = 1.0
    language: str | None = None
    lexicon: Mapping[str, Lexeme] | str | PathLike[str] = field(
        default_factory=lambda: MappingProxyType({})
    )
    model: str | PathLike[str] | BodyLanguageModel = HOUSE
    speakers: str | Mapping[str, float] | None = None
    fps: float = 60.0
    seed: int = 0
    most_likely: bool = False
    paper: bool = False
    acting: ActingSettings | None = None
    generation: GenerationSettings | None = None
    stance: str | float | None = None

    def __post_init__(self) -> None:
        for name, (types, expected) in _TYPES.items():
            check_type(name, getattr(self, name), types, expected)
        for name in ("rate", "fps", "seed", "most_likely", "paper"):
            check_kind(name, getattr(self, name), getattr(Cast, name))
        if self.language is not None and self.language not in LANGUAGES:
            allowed = ", ".join(LANGUAGES)
            raise InvalidValueError(f"language {self.language!r}, allowed are {allowed}")
        if self.stance is not None:
            stance_level(self.stance)
        if self.seed < 0:
            raise InvalidValueError(f"seed is {self.seed}, allowed is 0 or more")
        if isinstance(self.lexicon, Mapping):
            for name, entry in self.lexicon.items():
                check_type(f"gesture {name!r} of the lexicon", entry, Lexeme, "a Lexeme")
        if isinstance(self.speakers, Mapping):
            for name, weight in self.speakers.items():
                check_kind(f"the weight of {name!r}", weight, 1.0)

    @classmethod
    def of_table(cls, table: Mapping[str, Any]) -> Self:
        """Make from plain values, such as the ``[cast]`` table of a TOML file.

        Raises
        ------
        InvalidValueError
            For an unknown name, listing the known ones.
        """
        known = tuple(n for n in cls.__dataclass_fields__ if n not in ("acting", "generation"))
        unknown = [name for name in table if name not in known]
        if unknown:
            raise InvalidValueError(f"{unknown[0]!r} is unknown; allowed are {', '.join(known)}")
        return cls(**table)

    @property
    def profile(self) -> Profile:
        """The speaker's profile."""
        return speaker(self.style)

    @property
    def performer(self) -> Performer:
        """What the body needs of the speaker, with the stance of this cast."""
        who = Performer.of(self.profile)
        return who if self.stance is None else replace(who, stance=stance_level(self.stance))

    @property
    def body_language(self) -> BodyLanguageModel:
        """The body-language model."""
        return load_model(self.model)

    def own_lexemes(self) -> Mapping[str, Lexeme]:
        """Gestures of the user's own."""
        own = self.lexicon
        return own if isinstance(own, Mapping) else read_lexemes(own)

    def resolve(self) -> Self:
        """The same cast with style and lexicon read, so that neither file is read twice."""
        return replace(self, style=self.profile, lexicon=self.own_lexemes())

    def generation_settings(self, amount: float) -> GenerationSettings:
        """Constants of the script's generation; given ones include amount and sampling."""
        if self.generation is not None:
            return self.generation
        s = GenerationSettings(amount=amount, sampling=not self.most_likely)
        return replace(s, turning=PAPER_TURNING, pictures=None) if self.paper else s

    def acting_settings(self, *, follow_script: bool = False) -> ActingSettings:
        """Constants of the acting, with the rules of the paper where they are wanted."""
        s = self.acting or ActingSettings()
        return replace(
            s, paper=s.paper or self.paper, follow_script=s.follow_script or follow_script
        )
