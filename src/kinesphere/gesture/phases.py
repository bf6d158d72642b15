"""Gesture phases of an arm, and units of phases between two rest poses.

The phases are those of Kendon and McNeill: preparation from rest, stroke (which carries the
meaning), weaker repetitions (after-strokes), holds before or after the stroke, and retraction to a
rest pose.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, cast, get_args

from kinesphere.errors import InvalidValueError
from kinesphere.motion.body.arms import SIDES, Side
from kinesphere.timeline import Interval, Tier

PhaseKind = Literal["rest", "preparation", "hold", "stroke", "after-stroke", "retraction"]
PHASE_KINDS: tuple[PhaseKind, ...] = get_args(PhaseKind)
Hands = Literal["left", "right", "both", "none"]
HANDS: tuple[Hands, ...] = get_args(Hands)
_TIER = "phases "
# Times read from a file are rounded: phases may overlap by this much.
_ROUNDING_S = 1e-6


@dataclass(frozen=True)
class Phase:
    """An interval of an arm's motion with one function.

    Parameters
    ----------
    kind : one of `PHASE_KINDS`.
    start_s, end_s : seconds.
    peak_speed : of the hand, m/s of a person of average size; 0 where not measured.
        It is ignored when phases are compared.

    >>> Phase("stroke", 0.5, 0.75).duration_s
    0.25
    """

    kind: PhaseKind
    start_s: float
    end_s: float
    peak_speed: float = field(default=0.0, compare=False)

    def __post_init__(self) -> None:
        if self.kind not in PHASE_KINDS:
            raise InvalidValueError(f"phase {self.kind!r}, allowed are {', '.join(PHASE_KINDS)}")
        if not (math.isfinite(self.start_s) and math.isfinite(self.end_s)):
            raise InvalidValueError(f"phase {self.kind!r} has a time that is not finite")
        if self.end_s < self.start_s:
            raise InvalidValueError(
                f"phase {self.kind!r} ends at {self.end_s:g} s, before its start at "
                f"{self.start_s:g} s"
            )

    @property
    def duration_s(self) -> float:
        """Length in seconds."""
        return self.end_s - self.start_s


def _check(phases: Iterable[Phase], what: str) -> tuple[Phase, ...]:
    phases = tuple(phases)
    for before, after in pairwise(phases):
        if after.start_s < before.end_s - _ROUNDING_S:
            raise InvalidValueError(
                f"{what}: {after.kind} starts at {after.start_s:g} s, before {before.kind} ends at "
                f"{before.end_s:g} s; phases must be in order and may not overlap"
            )
    return phases


def _check_hands(hands: Hands) -> None:
    if hands not in HANDS:
        raise InvalidValueError(f"hands are {hands!r}, allowed are {', '.join(HANDS)}")


def _strongest(phases: Iterable[Phase]) -> Phase | None:
    """First of the fastest strokes; without measured speeds the first stroke."""
    strokes = [phase for phase in phases if phase.kind == "stroke"]
    return max(strokes, key=lambda stroke: stroke.peak_speed, default=None)


@dataclass(frozen=True)
class GestureUnit:
    """Phases of one arm from leaving a rest pose to reaching the next; at least one."""

    phases: tuple[Phase, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "phases", _check(self.phases, "gesture unit"))
        if not self.phases:
            raise InvalidValueError("a gesture unit needs at least one phase")
        if any(phase.kind == "rest" for phase in self.phases):
            raise InvalidValueError(
                f"a gesture unit has no rest; allowed are {', '.join(PHASE_KINDS[1:])}"
            )

    @property
    def start_s(self) -> float:
        """Time at which the hand leaves rest."""
        return self.phases[0].start_s

    @property
    def end_s(self) -> float:
        """Time at which the hand is back at rest."""
        return self.phases[-1].end_s

    @property
    def strokes(self) -> tuple[Phase, ...]:
        """The strokes, one for each gesture of the unit."""
        return tuple(phase for phase in self.phases if phase.kind == "stroke")

    @property
    def main_stroke(self) -> Phase | None:
        """The fastest stroke; None in a unit that only changes the rest pose."""
        return _strongest(self.phases)

    @property
    def holds_after_strokes(self) -> tuple[Phase, ...]:
        """Holds after a stroke or an after-stroke, not those that follow a preparation."""
        kinds = [None, *(phase.kind for phase in self.phases)]
        return tuple(
            phase
            for before, phase in zip(kinds, self.phases, strict=False)
            if phase.kind == "hold" and before != "preparation"
        )


@dataclass(frozen=True)
class ArmPhases:
    """Phases of one arm over a whole clip, in order."""

    side: Side
    phases: tuple[Phase, ...]

    def __post_init__(self) -> None:
        if self.side not in SIDES:
            raise InvalidValueError(f"side {self.side!r}, allowed are {', '.join(SIDES)}")
        object.__setattr__(self, "phases", _check(self.phases, f"{self.side} arm"))

    def __iter__(self) -> Iterator[Phase]:
        return iter(self.phases)

    def __len__(self) -> int:
        return len(self.phases)

    @property
    def units(self) -> tuple[GestureUnit, ...]:
        """Runs of phases between rests."""
        runs: list[list[Phase]] = [[]]
        for phase in self.phases:
            if phase.kind == "rest":
                runs.append([])
            else:
                runs[-1].append(phase)
        return tuple(GestureUnit(tuple(run)) for run in runs if run)

    @property
    def main_stroke(self) -> Phase | None:
        """The fastest stroke of the clip, if there is any."""
        return _strongest(self.phases)

    def at(self, time_s: float) -> Phase | None:
        """Phase at a time; a phase's end belongs to the next one, and the last end to itself."""
        inside = [p for p in self.phases if p.start_s <= time_s < p.end_s]
        if inside:
            return inside[0]
        last = self.phases[-1] if self.phases else None
        return last if last is not None and last.end_s == time_s else None

    def tier(self) -> Tier:
        """Return the phases as a tier called ``phases left`` or ``phases right``."""
        row = tuple(Interval(p.start_s, p.end_s, p.kind) for p in self.phases)
        return Tier(_TIER + self.side, row)

    @classmethod
    def of_tier(cls, tier: Tier) -> ArmPhases:
        """Read a tier written by `tier`; labels are kinds of phases.

        Raises
        ------
        InvalidValueError
            For another name, an unknown label, or intervals that overlap.
        """
        names = {_TIER + side: side for side in SIDES}
        if tier.name not in names:
            raise InvalidValueError(
                f"tier {tier.name!r} is not a tier of phases; allowed are {', '.join(names)}"
            )
        row = (Phase(cast(PhaseKind, i.label), i.start_s, i.end_s) for i in tier)
        return cls(names[tier.name], tuple(row))


@dataclass(frozen=True)
class BodyUnit:
    """An interval in which at least one arm is away from rest, and the hands that take part."""

    start_s: float
    end_s: float
    hands: Hands

    def __post_init__(self) -> None:
        _check_hands(self.hands)


@dataclass(frozen=True)
class GesturePhases:
    """Phases of both arms over a clip.

    Parameters
    ----------
    left, right : phases of each arm from the first frame to the last.
    units : intervals in which an arm is away from rest, with the hands that gesture in each.
    hands : those that gesture in the whole clip; ``none`` if no arm leaves its rest pose.
    """

    left: ArmPhases
    right: ArmPhases
    units: tuple[BodyUnit, ...]
    hands: Hands

    def __post_init__(self) -> None:
        _check_hands(self.hands)
        if (self.left.side, self.right.side) != SIDES:
            raise InvalidValueError(
                f"left is of the {self.left.side} arm and right of the {self.right.side} one"
            )

    def arm(self, side: Side) -> ArmPhases:
        """Phases of the left or the right arm."""
        return self.left if side == "left" else self.right

    @property
    def main_stroke(self) -> Phase | None:
        """The fastest stroke of the hands that gesture; None if there is no stroke."""
        arms = [self.arm(side) for side in SIDES if self.hands in (side, "both")]
        strokes = [arm.main_stroke for arm in arms if arm.main_stroke is not None]
        return _strongest(strokes)

    def tiers(self) -> tuple[Tier, Tier]:
        """Return the phases as tiers, left and right."""
        return self.left.tier(), self.right.tier()
