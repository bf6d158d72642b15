"""From numbers over time to a clip of the default figure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kinesphere.animation.arm_pose import arm_rotations, shoulders_of
from kinesphere.animation.body_motion import SPINE, BodyMotion, leg_rotations
from kinesphere.character.default import default_rig
from kinesphere.gesture.hand_shapes import local_finger_rotations
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats, read_only
from kinesphere.motion.arms import SIDES, Side
from kinesphere.motion.clip import Clip

BLOCK = 3600
"""Frames that are posed at once."""


@dataclass(frozen=True, eq=False)
class HandMotion:
    """A hand over time: ``[f, ...]`` of each part of a `HandPose`, and its collar bone."""

    wrists: Floats
    swivels: Floats
    angles: Floats
    fingers: Floats
    collars: Floats

    def rows(self, rows: slice) -> HandMotion:
        """Some frames of it."""
        return HandMotion(
            self.wrists[rows], self.swivels[rows], self.angles[rows], self.fingers[rows],
            self.collars[rows],
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class HeadTurns:
    """Rotation vectors ``[f, 3]`` of neck, head and eyes."""

    neck: Floats
    head: Floats
    eyes: Floats


def _put(rotations: Floats, bone: str, turn: Floats) -> None:
    """Write a bone's turn from the T-pose within its parent bone as its local rotation."""
    rig = default_rig()
    joint = rig.joint(bone)
    axes = rig.canonical_pose[0]
    parent = int(rig.skeleton.parents[joint])
    local = quaternion.multiply(turn, axes[joint])
    if parent >= 0:
        local = quaternion.multiply(quaternion.inverse(axes[parent]), local)
    rotations[:, joint] = local


def posed(
    fps: float,
    body: BodyMotion,
    hands: Mapping[Side, HandMotion],
    head: HeadTurns,
    channels: Mapping[str, Floats] | None = None,
    rows: slice | None = None,
) -> Clip:
    """Clip of the default figure; `rows` for some frames only."""
    chosen = rows or slice(0, len(body.hips))
    skeleton = default_rig().skeleton
    places = skeleton.offsets[0] + body.hips[chosen]
    rotations = np.empty((len(places), len(skeleton), 4))
    # In parts, so that what is worked out on the way takes little room.
    for start in range(0, len(places), BLOCK):
        part = slice(start, min(start + BLOCK, len(places)))
        there = slice(chosen.start + part.start, chosen.start + part.stop)
        _fill(rotations[part], places[part], body, hands, head, there)
    values = {name: v[chosen] for name, v in (channels or {}).items()}
    return Clip(skeleton, fps, places, read_only(rotations), channels=values)


def _fill(
    rotations: Floats, places: Floats, body: BodyMotion, hands: Mapping[Side, HandMotion],
    head: HeadTurns, rows: slice,
) -> None:  # fmt: skip
    """Write local rotations ``[f, joints, 4]`` of some frames; hips are at `places`."""
    rotations[:] = default_rig().skeleton.rest_rotations
    pelvis = quaternion.exp(body.pelvis[rows])
    _put(rotations, "hips", pelvis)
    for joint, local in leg_rotations(pelvis, places).items():
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


def put_arm(rotations: Floats, side: Side, hand: HandMotion) -> None:
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
