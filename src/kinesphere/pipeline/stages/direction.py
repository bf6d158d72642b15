"""Direction: everything expressive about a performance, as one value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from os import PathLike
from typing import Any, Self, TypedDict

from kinesphere.bodylanguage.play.live_expression import LiveExpression
from kinesphere.dynamics.tension import presets
from kinesphere.dynamics.tension.presets import Tension
from kinesphere.errors import InvalidValueError
from kinesphere.expression.combination import combine_qualities
from kinesphere.expression.manner import manner as read_manner
from kinesphere.expression.phrase import (
    EFFORT_FACTORS,
    PARTS,
    SHAPE_FACTORS,
    Phrase,
    Point,
    Qualities,
    parts_of,
    read_phrase,
)
from kinesphere.expression.qualities import Effort, Shape
from kinesphere.pipeline.stages.table_values import check_kind, check_type

_DEFAULTS = {"manner": "", "physics": "off", "amount": 1.0, "torso_effort": False}
PHYSICS = ("off", "wrists", "body")
MOST_AMOUNT = 10.0


class DirectionKeywords(TypedDict, total=False):
    """Keywords of `Direction`, as the functions of the commands accept them."""

    effort: str | Mapping[str, float] | Effort
    shape: str | Mapping[str, float] | Shape
    manner: str
    phrase: Phrase | str | PathLike[str] | Mapping[str, Any] | None
    tension: str | float | Tension | None
    physics: str
    amount: float


@dataclass(frozen=True, init=False)
class Direction:
    """How a performance is done: Effort, Shape, manner, phrase, tension, physics and amount.

    The same value directs `perform`, `listen`, `animate`, `recreate` and live characters. It is
    neutral by default. Values of manner words and numbers add up.

    Parameters
    ----------
    effort, shape : such as ``"weight=0.8,time=-0.5"``, a mapping, or the value itself.
    manner : words such as ``"slightly hesitant, very tired"``.
    phrase : Effort and Shape that change over time, instead of the three above: a `Phrase`, a TOML
        file, or a table with columns (`Phrase.of_table`).
    tension : a preset (loose, relaxed, neutral, tense, trembling), a number from -1 to 1,
        ``ERROR,ZETA`` such as ``"5mm,0.3"``, or None: none, or with physics the speaker's own.
    physics : ``off``, ``wrists`` (point masses on springs), ``body`` (a simulated body).
    amount : factor on the speaker's gesture rate (0 to 10); for a voice amplitude of the motion (0
        to 1.5).
    part : parts that Effort, Shape and manner apply to: left-arm, right-arm, torso, arms or body.
    torso_effort : whether Effort applies to the torso.
    manner_tables : files of manner words of the user's own.

    Raises
    ------
    InvalidValueError
        For an unknown factor, part, manner word or preset, or a value that is not allowed.

    Examples
    --------
    >>> Direction(effort="time=1", tension="loose").effort
    Effort(space=0.0, weight=0.0, time=1.0, flow=0.0)
    >>> Direction(manner="proudly").is_neutral
    False
    """

    effort: Effort
    shape: Shape
    manner: str
    phrase: Phrase | None
    tension: str | float | Tension | None
    physics: str
    amount: float
    part: tuple[str, ...]
    torso_effort: bool
    manner_tables: tuple[str | PathLike[str], ...]

    def __init__(
        self,
        effort: str | Mapping[str, float] | Effort = "",
        shape: str | Mapping[str, float] | Shape = "",
        manner: str = "",
        phrase: Phrase | str | PathLike[str] | Mapping[str, Any] | None = None,
        tension: str | float | Tension | None = None,
        physics: str = "off",
        amount: float = 1.0,
        part: str | Sequence[str] = "body",
        torso_effort: bool = False,
        manner_tables: str | PathLike[str] | Sequence[str | PathLike[str]] = (),
    ) -> None:
        form, outline = _qualities(Effort, effort), _qualities(Shape, shape)
        if phrase is not None and not (form.neutral and outline.neutral and not manner):
            raise InvalidValueError("give a phrase, or effort, shape and manner, not both")
        values = {
            "effort": form,
            "shape": outline,
            "manner": manner,
            "phrase": _phrase(phrase),
            "tension": tension,
            "physics": physics,
            "amount": amount,
            "part": _several("part", part),
            "torso_effort": torso_effort,
            "manner_tables": _several("manner_tables", manner_tables),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        self._check()

    def _check(self) -> None:
        for name, default in _DEFAULTS.items():
            check_kind(name, getattr(self, name), default)
        if self.physics not in PHYSICS:
            raise InvalidValueError(f"physics {self.physics!r}, allowed are {', '.join(PHYSICS)}")
        if not 0.0 <= self.amount <= MOST_AMOUNT:
            raise InvalidValueError(f"amount is {self.amount:g}, allowed is 0 to {MOST_AMOUNT:g}")
        if not self.part:
            raise InvalidValueError("no part of the body is named; omit it for the whole body")
        for part in self.part:
            parts_of(part)
        if self.tension is not None:
            tension_of(self.tension)
        if self.manner.strip():
            read_manner(self.manner, tables=self.manner_tables)

    def _numbers(self) -> dict[str, float]:
        return Qualities(self.effort, self.shape).values()

    @classmethod
    def of_table(cls, table: Mapping[str, Any]) -> Self:
        """Make from plain values, such as the ``[direction]`` table of a TOML file.

        ``effort`` and ``shape`` are tables, ``phrase`` is the name of a file or a table of columns.
        """
        known = tuple(cls.__dataclass_fields__)
        unknown = [name for name in table if name not in known]
        if unknown:
            raise InvalidValueError(f"{unknown[0]!r} is unknown; allowed are {', '.join(known)}")
        return cls(**table)

    def change(self, **keywords: Any) -> Self:
        """The same direction with other values for some keywords; those that are None are kept."""
        given = {name: value for name, value in keywords.items() if value is not None}
        return replace(self, **given) if given else self

    @property
    def is_neutral(self) -> bool:
        """Whether nothing but `amount` changes a performance."""
        return self.is_plain and self.tension is None and self.physics == "off"

    @property
    def is_plain(self) -> bool:
        """Whether there is no Effort, Shape, manner or phrase."""
        return not (self._numbers() or self.manner or self.phrase)

    def qualities(self) -> Phrase:
        """Effort and Shape of each part over time."""
        if self.phrase is not None:
            return self.phrase
        numbers = self._numbers()
        chosen = {name for part in self.part for name in parts_of(part)}
        asked = {part: dict(numbers) for part in PARTS if part in chosen}
        if "torso" in asked and not self.torso_effort:
            asked["torso"] = {n: v for n, v in numbers.items() if n not in EFFORT_FACTORS}
        values = combine_qualities(
            asked, self.manner, torso_effort=self.torso_effort, tables=self.manner_tables
        )
        return Phrase(tuple(Point(values[p], (p,), time_s=0.0) for p in sorted(values)))

    def live(self) -> LiveExpression:
        """Effort and Shape as far as they work without knowledge of coming motion.

        Raises
        ------
        InvalidValueError
            For what needs the whole motion: a phrase that changes, parts of the body, a simulated
            body.
        """
        if self.part != ("body",):
            raise InvalidValueError("parts of the body are chosen in a recorded take, not live")
        if self.physics == "body":
            raise InvalidValueError("a body is simulated in a recorded take, not live")
        phrase = self.phrase
        if phrase is None:
            numbers = self._numbers()
            both = {"right-arm": numbers, "torso": numbers}
            values = combine_qualities(both, self.manner, tables=self.manner_tables)
        elif any(point.place > 0.0 for point in phrase.points):
            raise InvalidValueError("a phrase that changes is applied to a recorded take, not live")
        else:
            values = {
                part: {n: v for p in phrase.points if part in p.parts for n, v in p.factors.items()}
                for part in ("right-arm", "torso")
            }
        arms = Qualities.of(values["right-arm"])
        torso = {n: v for n, v in values["torso"].items() if n in SHAPE_FACTORS}
        return LiveExpression(arms.effort, arms.shape, Shape.of(torso))


def tension_of(tension: str | float | Tension) -> Tension:
    """Tension from a preset's name, a number from -1 to 1, or parameters."""
    if isinstance(tension, bool) or not isinstance(tension, str | Real | Tension):
        raise InvalidValueError(f"tension is {tension!r}, expected a name, a number or a Tension")
    if isinstance(tension, Tension):
        return tension
    return presets.parse(tension) if isinstance(tension, str) else presets.tension(tension)


def _qualities(kind: Any, value: Any) -> Any:
    if isinstance(value, kind):
        return value
    name = kind.__name__.lower()
    check_type(name, value, (str, Mapping), f"text, factors with values, or {kind.__name__}")
    return kind.parse(value) if isinstance(value, str) else kind.of(value)


def _several(name: str, value: Any) -> tuple[Any, ...]:
    """One name or file, or several."""
    if isinstance(value, str | PathLike):
        return (value,)
    check_type(name, value, Sequence, "a name, or several")
    for each in value:
        check_type(name, each, (str, PathLike), "a name, or several")
    return tuple(value)


def _phrase(phrase: Any) -> Phrase | None:
    if phrase is None or isinstance(phrase, Phrase):
        return phrase
    if isinstance(phrase, str | PathLike):
        return read_phrase(phrase)
    try:
        return Phrase.of_table(phrase)
    except InvalidValueError:
        raise
    except (TypeError, ValueError) as error:
        raise InvalidValueError(f"the phrase is no table of columns: {error}") from None
