"""Acts (gestures with times and poses) and events (movements of both hands)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from kinesphere.animation.arms.poses.hand_pose import HandPose
from kinesphere.animation.arms.stroke_timing import StrokeTime
from kinesphere.gesture.lexicon import Lexeme
from kinesphere.gesture.phases import PhaseKind
from kinesphere.gesture.script import ScriptGesture
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import SIDES, Side

Poses = Mapping[Side, HandPose]
TOUCHING = ("clasped", "folded", "behind-back")
"""Rest poses in which the hands hold each other or lie on the other arm."""
SHOWN = ("emblem", "deictic", "iconic")
"""Kinds defined by form: fingers vary less, the other hand follows less, holds drift little."""


@dataclass(frozen=True)
class Act:
    """A gesture with its hands, poses and times."""

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
class HandEvent:
    """A movement of both hands, or a hold.

    Parameters
    ----------
    kind : the gesture phase.
    start_s, end_s, peak, flat : times, and the speed profile.
    poses : target pose of each hand.
    lead : the acting hands; the others follow.
    arcs : curvature of the path, metres at its middle.
    via : points ``[k, 3]`` that a wrist passes, instead of the curvature.
    act : the gesture it belongs to; None for motion between gestures.
    beat : whether it is a beat between gestures.
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
        """Duration in seconds."""
        return self.end_s - self.start_s

    @property
    def still(self) -> bool:
        """Whether the hands stay where they are."""
        return self.kind in ("hold", "rest") and not self.beat


def distance(a: Poses, b: Poses, via: Mapping[Side, Floats] | None = None) -> float:
    """Longest path of a hand between two poses, through via points if any, metres."""
    passed = via or {}
    ways = (way_points(a[s].wrist, b[s].wrist, passed.get(s)) for s in SIDES)
    return max(float(np.linalg.norm(np.diff(way, axis=0), axis=1).sum()) for way in ways)


def way_points(start: Floats, end: Floats, via: Floats | None = None) -> Floats:
    """Positions ``[k + 2, 3]`` of a wrist on a path through points ``[k, 3]``."""
    return np.stack([start, *(() if via is None else via), end])
