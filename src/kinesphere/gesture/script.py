"""The gesture script: gestures, turns and their times (appendix A of the 2008 paper).

A script gives the essentials of each gesture (lexeme, hand, position, and when its strokes end);
the animation fills in the rest. `script_text` reads and writes it as text.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, get_args

from kinesphere.errors import InvalidValueError
from kinesphere.gesture.positions import HandPosition

Hands = Literal["LH", "RH", "2H"]
HANDS: tuple[Hands, ...] = get_args(Hands)
BODY_DIRECTIONS = ("left", "front", "right")
HEAD_DIRECTIONS = ("left", "left-front", "front", "right-front", "right")
REST_POSES = ("at-side", "in-pockets", "clasped", "folded", "behind-back")
_KINDS = ("prep", "stroke", "hold")


@dataclass(frozen=True)
class Turn:
    """Body or head turn to a direction, starting at a time."""

    direction: str
    time_s: float

    def __post_init__(self) -> None:
        if self.direction not in HEAD_DIRECTIONS:
            raise InvalidValueError(
                f"direction {self.direction!r}, allowed are {', '.join(HEAD_DIRECTIONS)}"
            )
        if not math.isfinite(self.time_s):
            raise InvalidValueError("a turn has a time that is not finite")


@dataclass(frozen=True)
class ScriptGesture:
    """One gesture of a script.

    Parameters
    ----------
    lexeme, hands, handshape : the gesture, and the hand that performs it.
    type : phases joined by ``+``: prep, stroke, hold.
    trajectory : straight or curved.
    stroke_end_s, stroke_s : end and length of the main stroke; of a hold gesture (a type without
        stroke) None.
    hold_start_s : start of a hold gesture's hold.
    hold_s : length of the hold after the strokes, or of the independent hold.
    after_strokes : ends of the after-strokes, ascending.
    start, end : hand at the stroke's start and end; a hold gesture has a start only.
    start_distance, end_distance : palm to palm in shoulder widths, of two-handed gestures.
    notes : comments by the key of their line, or ``<key`` for a comment line before
        that key; `remarks` are those before the first key, `closing` those after the last.

    Examples
    --------
    >>> import kinesphere as ks
    >>> gesture = ks.plan("This is huge!", ks.Cast("host", seed=1)).script.gestures[0]
    >>> gesture.hands, gesture.handshape, gesture.trajectory
    ('2H', 'open-rlx', 'curved')
    """

    lexeme: str
    hands: Hands
    type: str
    handshape: str = ""
    trajectory: str = "straight"
    stroke_end_s: float | None = None
    stroke_s: float | None = None
    hold_start_s: float | None = None
    hold_s: float | None = None
    after_strokes: tuple[float, ...] = ()
    start: HandPosition | None = None
    end: HandPosition | None = None
    start_distance: float | None = None
    end_distance: float | None = None
    notes: tuple[tuple[str, str], ...] = ()
    remarks: tuple[str, ...] = ()
    closing: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.hands not in HANDS:
            raise InvalidValueError(f"handedness {self.hands!r}, allowed are {', '.join(HANDS)}")
        phases = self.type.split("+")
        order = [_KINDS.index(p) if p in _KINDS else -1 for p in phases]
        if -1 in order or order != sorted(set(order)) or not set(phases) & {"stroke", "hold"}:
            raise InvalidValueError(
                f"type {self.type!r}, allowed are prep, stroke and hold in this order, joined by +"
            )
        if self.trajectory not in ("straight", "curved"):
            raise InvalidValueError(f"trajectory {self.trajectory!r}, allowed are straight, curved")
        self._check_times()

    def _check_times(self) -> None:
        if self.has_stroke and (self.stroke_end_s is None or self.stroke_s is None):
            raise InvalidValueError(f"{self.lexeme}: a stroke needs its end and its duration")
        if not self.has_stroke and self.hold_start_s is None:
            raise InvalidValueError(f"{self.lexeme}: a hold gesture needs the start of its hold")
        for what, value in (("stroke", self.stroke_s), ("hold", self.hold_s)):
            if value is not None and not (math.isfinite(value) and value >= 0.0):
                raise InvalidValueError(f"{self.lexeme}: {what} lasts {value:g} s, allowed is >= 0")
        ends = [e for e in (self.stroke_end_s, *self.after_strokes) if e is not None]
        if any(b <= a for a, b in pairwise(ends)):
            raise InvalidValueError(f"{self.lexeme}: the ends of its strokes must ascend")

    @property
    def has_prep(self) -> bool:
        """Whether it has a preparation of its own."""
        return "prep" in self.type.split("+")

    @property
    def has_stroke(self) -> bool:
        """Whether it is a stroke gesture; otherwise an independent hold carries its meaning."""
        return "stroke" in self.type.split("+")

    @property
    def strokes(self) -> int:
        """Number of strokes, the main one included; 0 for a hold gesture."""
        return 1 + len(self.after_strokes) if self.has_stroke else 0

    @property
    def meant_start_s(self) -> float:
        """Start of the stroke, or of the hold of a hold gesture."""
        if self.stroke_end_s is not None and self.stroke_s is not None:
            return self.stroke_end_s - self.stroke_s
        assert self.hold_start_s is not None
        return self.hold_start_s

    @property
    def last_stroke_end_s(self) -> float:
        """End of the last stroke; of a hold gesture the start of its hold."""
        if self.stroke_end_s is None:
            return self.meant_start_s
        return self.after_strokes[-1] if self.after_strokes else self.stroke_end_s

    @property
    def end_s(self) -> float:
        """End of the hold, or of the last stroke where there is none."""
        return self.last_stroke_end_s + (self.hold_s or 0.0)

    @property
    def end_position(self) -> HandPosition | None:
        """Position of the hand at the end of the gesture."""
        return self.end if self.end is not None else self.start

    def note(self, key: str) -> str:
        """Comment on the line of a key, or empty."""
        return dict(self.notes).get(key, "")


@dataclass(frozen=True)
class ScriptUnit:
    """Gestures between two rest poses, and the pose that the hands retract to.

    Examples
    --------
    >>> import kinesphere as ks
    >>> unit = ks.plan("This is huge!", ks.Cast("host", seed=1)).script.units[0]
    >>> len(unit.gestures), unit.rest_pose
    (1, 'clasped')
    """

    gestures: tuple[ScriptGesture, ...]
    rest_pose: str = "at-side"
    remarks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "gestures", tuple(self.gestures))
        if not self.gestures:
            raise InvalidValueError("a gesture unit needs at least one gesture")
        if self.rest_pose not in REST_POSES:
            raise InvalidValueError(
                f"rest pose {self.rest_pose!r}, allowed are {', '.join(REST_POSES)}"
            )


@dataclass(frozen=True)
class GestureScript:
    """Units of gestures with turns of body and head.

    `header` are settings at the start (``2h_distance.min``), `remarks` comments there.

    Examples
    --------
    >>> import kinesphere as ks
    >>> script = ks.plan("This is huge!", ks.Cast("host", seed=1)).script
    >>> len(script.units), script.gestures[0].lexeme
    (1, 'BigSpan')
    """

    units: tuple[ScriptUnit, ...] = ()
    body_turns: tuple[Turn, ...] = ()
    head_turns: tuple[Turn, ...] = ()
    header: tuple[tuple[str, str], ...] = ()
    remarks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("units", "body_turns", "head_turns"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        for turn in self.body_turns:
            if turn.direction not in BODY_DIRECTIONS:
                raise InvalidValueError(
                    f"body direction {turn.direction!r}, allowed are {', '.join(BODY_DIRECTIONS)}"
                )

    @property
    def gestures(self) -> tuple[ScriptGesture, ...]:
        """All gestures in order."""
        return tuple(g for unit in self.units for g in unit.gestures)

    @property
    def end_s(self) -> float:
        """End of the last gesture or turn; 0 for an empty script."""
        times = [g.end_s for g in self.gestures]
        times += [t.time_s for t in (*self.body_turns, *self.head_turns)]
        return max(times, default=0.0)
