"""From hand, body and head values over time to a clip of the default figure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from kinesphere.animation.arms.poses.arm_pose import arm_rotations, shoulders_of
from kinesphere.animation.trunk_motion import SPINE, TrunkMotion
from kinesphere.character.default import default_rig
from kinesphere.figure.standing.legs import leg_rotations
from kinesphere.gesture.hand_shapes import local_finger_rotations
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats, read_only
from kinesphere.motion.body.arms import SIDES, Side
from kinesphere.motion.clip import Clip
from kinesphere.motion.skeleton import unit_quaternions

BLOCK = 3600
"""Frames that are posed at once."""


@dataclass(frozen=True, eq=False)
class HandFrames:
    """A hand over time: ``[f, ...]`` of each part of a `HandPose`, and its collar bone."""

    wrists: Floats
    swivels: Floats
    angles: Floats
    fingers: Floats
    collars: Floats

    def rows(self, rows: slice) -> HandFrames:
        """Some of its frames."""
        return HandFrames(
            self.wrists[rows],
            self.swivels[rows],
            self.angles[rows],
            self.fingers[rows],
            self.collars[rows],
        )


@dataclass(frozen=True, eq=False)
class HeadTurns:
    """Rotation vectors ``[f, 3]`` of neck, head and eyes."""

    neck: Floats
    head: Floats
    eyes: Floats


def _put(rotations: Floats, bone: str, turn: Floats) -> None:
    """Write a bone's rotation from the T-pose within its parent bone as its local rotation."""
    rig = default_rig()
    joint = rig.joint(bone)
    axes = rig.canonical_pose[0]
    parent = int(rig.skeleton.parents[joint])
    local = quaternion.multiply(turn, axes[joint])
    if parent >= 0:
        local = quaternion.multiply(quaternion.inverse(axes[parent]), local)
    rotations[:, joint] = local


class PosedClip(Clip):
    """A clip that is posed on demand: some frames by `frames`, or all of them once.

    So a long performance can be written without all of its rotations in memory.
    """

    _pose: Callable[[slice], Floats] | None

    @classmethod
    def of(
        cls,
        fps: float,
        places: Floats,
        pose: Callable[[slice], Floats],
        channels: Mapping[str, Floats],
    ) -> PosedClip:
        """Clip of the default figure with given root positions; `pose` returns the rotations."""
        made = cls.__new__(cls)
        made.__dict__.update(
            skeleton=default_rig().skeleton,
            fps=fps,
            root_positions=read_only(places),
            translated_joints=(),
            translations=None,
            channels=channels,
            _pose=pose,
        )
        made._check_others(len(places))
        return made

    @cached_property
    def rotations(self) -> Floats:
        """Rotations of all frames; computed once and cached."""
        assert self._pose is not None
        turns = self._pose(slice(0, len(self)))
        self.__dict__["_pose"] = None
        return unit_quaternions(turns, "rotations", (len(self), len(self.skeleton), 4))

    def select_frames(self, which: Any) -> Clip:
        """Frames selected by an index array or slice, in that order."""
        if "rotations" in self.__dict__ or not isinstance(which, slice) or self._pose is None:
            return super().select_frames(which)
        channels = {name: values[which] for name, values in self.channels.items()}
        turns = self._pose(slice(*which.indices(len(self))))
        return Clip(self.skeleton, self.fps, self.root_positions[which], turns, channels=channels)

    def with_channels(self, channels: Mapping[str, Floats]) -> Clip:
        """Return the same motion with other channels."""
        if "rotations" in self.__dict__ or self._pose is None:
            return super().with_channels(channels)
        return PosedClip.of(self.fps, self.root_positions, self._pose, channels)


def pose_clip(
    fps: float,
    body: TrunkMotion,
    hands: Mapping[Side, HandFrames],
    head: HeadTurns,
    channels: Mapping[str, Floats] | None = None,
    rows: slice | None = None,
) -> Clip:
    """Clip of the default figure; `rows` for some frames only."""
    chosen = rows or slice(0, len(body.hips))
    places = body.hips[chosen]

    def pose(which: slice) -> Floats:
        return _rotations(places, body, hands, head, which, chosen.start)

    values = {name: v[chosen] for name, v in (channels or {}).items()}
    if rows is None:
        return PosedClip.of(fps, places, pose, values)
    turns = pose(slice(0, len(places)))
    return Clip(default_rig().skeleton, fps, places, turns, channels=values)


def _rotations(
    places: Floats,
    body: TrunkMotion,
    hands: Mapping[Side, HandFrames],
    head: HeadTurns,
    which: slice,
    first: int,
) -> Floats:
    """Local rotations ``[f, joints, 4]`` of some frames; hips are at `places`, from `first` on."""
    rotations = np.empty((which.stop - which.start, len(default_rig().skeleton), 4))
    # In blocks, to limit the memory of intermediate arrays.
    for start in range(which.start, which.stop, BLOCK):
        stop = min(start + BLOCK, which.stop)
        part = rotations[start - which.start : stop - which.start]
        rows = slice(first + start, first + stop)
        _fill(part, places[start:stop], body, hands, head, rows)
    turns: Floats = read_only(rotations)
    return turns


def _fill(
    rotations: Floats,
    places: Floats,
    body: TrunkMotion,
    hands: Mapping[Side, HandFrames],
    head: HeadTurns,
    rows: slice,
) -> None:
    """Write local rotations ``[f, joints, 4]`` of some frames; hips are at `places`."""
    rotations[:] = default_rig().skeleton.rest_rotations
    pelvis = quaternion.exp(body.pelvis[rows])
    _put(rotations, "hips", pelvis)
    for joint, local in leg_rotations(places, pelvis, body.feet[rows]).items():
        rotations[:, joint] = local
    part = quaternion.exp(body.spine[rows] / len(SPINE))
    for bone in SPINE:
        _put(rotations, bone, part)
    _put(rotations, "neck", quaternion.exp(head.neck[rows]))
    _put(rotations, "head", quaternion.exp(head.head[rows]))
    eyes = quaternion.exp(head.eyes[rows])
    for bone in ("leftEye", "rightEye"):
        _put(rotations, bone, eyes)
    for side in SIDES:
        put_arm(rotations, side, hands[side].rows(rows))
    rotations[:] = quaternion.normalise(rotations)


def put_arm(rotations: Floats, side: Side, hand: HandFrames) -> None:
    """Write an arm with its collar bone and fingers into local rotations ``[f, joints, 4]``."""
    collar = quaternion.exp(hand.collars)
    shoulders = shoulders_of(side, hand.collars)
    upper, lower, end = arm_rotations(side, shoulders, hand.wrists, hand.swivels, hand.angles)
    _put(rotations, f"{side}Shoulder", collar)
    _put(rotations, f"{side}UpperArm", quaternion.relative(collar, upper))
    _put(rotations, f"{side}LowerArm", quaternion.relative(upper, lower))
    _put(rotations, f"{side}Hand", quaternion.relative(lower, end))
    joints, fingers = local_finger_rotations(default_rig(), side, hand.fingers)
    rotations[:, joints] = fingers
