"""The mirror image of what a script asks for: left and right exchanged, in the plane x = 0.

What is planned for one hand, with chance's choices, is reflected as a whole, so that a mirrored
performance is that of the other hand. Body, head and clearance then move under it by themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.animation.arms.hand_events import Act, HandEvent, Poses
from kinesphere.animation.arms.hand_tracks import HandTracks
from kinesphere.animation.arms.poses.hand_pose import HandPose
from kinesphere.animation.head.conversation import HeadAsked
from kinesphere.animation.head.head_cues import HeadCues
from kinesphere.gesture.script import GestureScript, Hands, Turn
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import SIDES, Side
from kinesphere.motion.keyed.tracks import DofTrack

_PLACE, _ROTATION = np.array([-1.0, 1.0, 1.0]), np.array([1.0, -1.0, -1.0])
_OF_PART = {"Wrist": _PLACE, "Collar": _ROTATION}
_HANDS: Mapping[Hands, Hands] = {"LH": "RH", "RH": "LH", "2H": "2H"}
_DIRECTIONS = {"left": "right", "right": "left"}
_Value = TypeVar("_Value")


def other_side(side: Side) -> Side:
    """The side of the other hand."""
    return SIDES[1 - SIDES.index(side)]


def _swapped(values: Mapping[Side, _Value]) -> dict[Side, _Value]:
    return {other_side(side): value for side, value in values.items()}


def mirror_script(script: GestureScript) -> GestureScript:
    """Script of the other hand, with turns to the other side.

    >>> from kinesphere.gesture.script import GestureScript, Turn
    >>> mirror_script(GestureScript(head_turns=(Turn("left-front", 1.0),))).head_turns[0].direction
    'right-front'
    """
    units = tuple(
        replace(u, gestures=tuple(replace(g, hands=_HANDS[g.hands]) for g in u.gestures))
        for u in script.units
    )
    body, head = (tuple(map(_turn, t)) for t in (script.body_turns, script.head_turns))
    return replace(script, units=units, body_turns=body, head_turns=head)


def _turn(turn: Turn) -> Turn:
    side, *front = turn.direction.split("-")
    return replace(turn, direction="-".join([_DIRECTIONS.get(side, side), *front]))


def mirror_track(track: DofTrack, signs: ArrayLike) -> DofTrack:
    """Track with factors ``[d]`` on its values."""
    by = np.asarray(signs, dtype=np.float64)
    return replace(track, first=track.first * by, changes=track.changes * by, arcs=track.arcs * by)


def mirror_poses(poses: Poses) -> dict[Side, HandPose]:
    """Poses of the other hands."""
    return {side: pose.mirror() for side, pose in _swapped(poses).items()}


def mirror_act(act: Act) -> Act:
    """Gesture of the other hand."""
    return replace(
        act,
        gesture=replace(act.gesture, hands=_HANDS[act.gesture.hands]),
        sides=_ordered(act.sides),
        start=mirror_poses(act.start),
        end=mirror_poses(act.end),
    )


def _ordered(sides: Sequence[Side]) -> tuple[Side, ...]:
    """The other sides; of both, left is first as ever."""
    return tuple(side for side in SIDES if other_side(side) in sides)


def mirror_event(event: HandEvent) -> HandEvent:
    """Movement of the other hands."""

    def places(of: Mapping[Side, Floats]) -> dict[Side, Floats]:
        return {side: value * _PLACE for side, value in _swapped(of).items()}

    return replace(
        event,
        poses=mirror_poses(event.poses),
        lead=_ordered(event.lead),
        arcs=places(event.arcs),
        via=places(event.via),
        act=None if event.act is None else mirror_act(event.act),
    )


def mirror_hands(hands: Mapping[Side, HandTracks]) -> dict[Side, HandTracks]:
    """Tracks of the other hands."""

    def track(part: str, of: DofTrack) -> DofTrack:
        return mirror_track(of, _OF_PART[part]) if part in _OF_PART else of

    return {
        side: HandTracks(
            side,
            {part: track(part, of) for part, of in hand.tracks.items()},
            {part: [track(part, of) for of in layers] for part, layers in hand.layers.items()},
        )
        for side, hand in _swapped(hands).items()
    }


def mirror_head(asked: HeadAsked) -> HeadAsked:
    """What the head is asked for on the other side, with chance's sides exchanged."""
    cues, settings = asked.cues, asked.settings
    mirrored = HeadCues(
        tuple(replace(s, yaw=-s.yaw) for s in cues.shifts),
        tuple(replace(g, yaw=-g.yaw) for g in cues.glances),
        cues.accents,
        tuple(replace(p, turn=-p.turn, tilt=-p.tilt, shake=-p.shake) for p in cues.poses),
        cues.phrases,
        cues.questions,
    )
    return replace(asked, cues=mirrored, settings=replace(settings, side=-settings.side))
