"""What hands do: acts (gestures ready to be done) and events (movements of both hands)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from kinesphere.animation.hand_pose import HandPose
from kinesphere.animation.stroke_timing import StrokeTime
from kinesphere.gesture.lexicon import Lexeme
from kinesphere.gesture.phases import PhaseKind
from kinesphere.gesture.script import ScriptGesture
from kinesphere.maths.arrays import Floats
from kinesphere.motion.arms import SIDES, Side

Poses = Mapping[Side, HandPose]
TOUCHING = ("clasped", "folded", "behind-back")
"""Rest poses in which the hands hold each other or lie on the other arm."""
SHOWN = ("emblem", "deictic", "iconic")
"""Kinds whose form is all: fingers vary less, the other hand answers less, holds drift little."""


@dataclass(frozen=True)
class Act:
    """A gesture ready to be done: whose hands, from which pose to which, when."""

    index: int
    gesture: ScriptGesture
    lexeme: Lexeme
    sides: tuple[Side, ...]
    start: Poses
    end: Poses
    time: StrokeTime
    accent: float = 0.4
    effort: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Event:
    """A movement of both hands, or a time in which they are held.

    Parameters
    ----------
    kind : phase it belongs to.
    start_s, end_s, peak, flat : when, and the shape of its speed.
    poses : where each hand goes.
    lead : the hands that act; the others answer.
    arcs : by how much the path bends, metres at its middle.
    via : points ``[k, 3]`` that a wrist passes on its way, instead of bending its path.
    act : the gesture it belongs to; None for what is between gestures.
    beat : whether it is such a movement between gestures.
    touch : whether the hands touch at its end.
    """

    kind: PhaseKind
    start_s: float
    end_s: float
    poses: Poses
    lead: tuple[Side, ...] = SIDES
    peak: float = 0.5
    flat: float = 0.0
    arcs: Mapping[Side, Floats] = field(default_factory=dict)
    via: Mapping[Side, Floats] = field(default_factory=dict)
    act: Act | None = None
    beat: bool = False
    touch: bool = False

    @property
    def length_s(self) -> float:
        """How long it takes."""
        return self.end_s - self.start_s

    @property
    def still(self) -> bool:
        """Whether the hands only stay where they are."""
        return self.kind in ("hold", "rest") and not self.beat


def distance(a: Poses, b: Poses, via: Mapping[Side, Floats] | None = None) -> float:
    """Longest way of a hand between two poses, by way of points if some are given, metres."""
    passed = via or {}
    ways = (way_points(a[s].wrist, b[s].wrist, passed.get(s)) for s in SIDES)
    return max(float(np.linalg.norm(np.diff(way, axis=0), axis=1).sum()) for way in ways)


def way_points(start: Floats, end: Floats, via: Floats | None = None) -> Floats:
    """Places ``[k + 2, 3]`` of a wrist on a way by points ``[k, 3]``."""
    return np.stack([start, *(() if via is None else via), end])
