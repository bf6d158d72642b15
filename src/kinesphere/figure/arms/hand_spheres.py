"""Points and spheres of the default figure's hands, fixed to their joints."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from kinesphere.character.default import default_rig
from kinesphere.maths.arrays import Floats, Ints, read_only
from kinesphere.motion.body.arms import SIDES, Side, sign_of
from kinesphere.motion.body.body_volume import FINGER_M, PALM_M
from kinesphere.motion.humanoid import FINGERS, finger_bones

# Radii of the three bones of thumb, index, middle, ring and little finger, metres.
BONES_M = np.array(
    [
        [0.0119, 0.0105, 0.0088],
        [0.0091, 0.0082, 0.0071],
        [0.0093, 0.0084, 0.0073],
        [0.0088, 0.0080, 0.0070],
        [0.0078, 0.0071, 0.0063],
    ]
)
ALONG = np.array([0.15, 0.5, 0.85])
# Spheres of the left palm: along the hand, up from the palm's side, towards the thumb; radius.
PALM = np.array(
    [
        [0.0, 0.0, 0.0, 0.0215],
        [0.03, 0.0, -0.018, 0.0165],
        [0.03, 0.0, 0.0, 0.017],
        [0.03, 0.0, 0.018, 0.0165],
        [0.055, 0.001, -0.018, 0.015],
        [0.055, 0.001, 0.0, 0.0155],
        [0.055, 0.001, 0.018, 0.015],
        [0.08, 0.001, -0.018, 0.014],
        [0.08, 0.001, 0.0, 0.014],
        [0.08, 0.001, 0.018, 0.014],
        [0.045, -0.006, -0.026, 0.0125],
        [0.068, -0.006, -0.026, 0.0125],
        [0.045, -0.009, 0.026, 0.013],
    ]
)

_KNUCKLE_STEPS = (0.25, 0.5, 0.75, 1.0)  # spheres of a coarse palm from the wrist to each knuckle


class HandSpheres(NamedTuple):
    """Spheres of both hands: joints ``[2, n]``, offsets from them ``[2, n, 3]``, radii ``[n]``."""

    joints: Ints
    offsets: Floats
    radii: Floats


def _frozen(joints: list[list[int]], offsets: list[list[Floats]], radii: Floats) -> HandSpheres:
    return HandSpheres(
        read_only(np.array(joints, dtype=np.int64)),
        read_only(np.array(offsets, dtype=np.float64)),
        read_only(np.array(radii, dtype=np.float64)),
    )


@cache
def _ends() -> dict[int, Floats]:
    """Tips of the fingers from their last joints."""
    return {tip.joint: np.array(tip.offset) for tip in default_rig().skeleton.tips}


@cache
def hand_points_table() -> tuple[Ints, Floats]:
    """Points of the hands as in `motion.body.body_volume.hand_points`, except the palm's.

    Joints ``[2, 10]`` (wrist, four knuckles, ends of thumb and fingers) and offsets ``[2, 10, 3]``.
    """
    rig = default_rig()
    joints, offsets = [], []
    for side in SIDES:
        bones = [finger_bones(side, f) for f in FINGERS]
        knuckles = [rig.joint(b[0]) for f, b in zip(FINGERS, bones, strict=True) if f != "Thumb"]
        last = [rig.joint(b[2]) for b in bones]
        joints.append([rig.joint(f"{side}Hand"), *knuckles, *last])
        offsets.append([*[(0.0, 0.0, 0.0)] * 5, *(_ends()[j] for j in last)])
    return read_only(np.array(joints)), read_only(np.array(offsets, dtype=np.float64))


@cache
def coarse_spheres() -> HandSpheres:
    """Few spheres of a hand, for live motion: sixteen of the palm, then three of every finger."""
    rig = default_rig()
    joints, offsets = [], []
    for side in SIDES:
        hand, zero = rig.joint(f"{side}Hand"), np.zeros(3)
        bones = [rig.joints(finger_bones(side, f)) for f in FINGERS]
        row, at = [], []
        for chain in (b for f, b in zip(FINGERS, bones, strict=True) if f != "Thumb"):
            row += [hand] * len(_KNUCKLE_STEPS)
            at += [step * rig.skeleton.offsets[chain[0]] for step in _KNUCKLE_STEPS]
        for place in (1, 2, 2):
            row += [chain[place] for chain in bones]
        at += [zero] * 10 + [_ends()[chain[2]] for chain in bones]
        joints.append(row)
        offsets.append(at)
    return _frozen(joints, offsets, np.array([PALM_M] * 16 + [FINGER_M] * 15))


@cache
def mesh_spheres() -> HandSpheres:
    """Spheres measured on the figure's mesh: those of the palm, then nine of every finger."""
    joints, offsets = [], []
    for side in SIDES:
        row, at = _palm_spheres(side)
        for finger in range(len(FINGERS)):
            own_row, own_at = _finger_spheres(side, finger)
            row, at = row + own_row, at + own_at
        joints.append(row)
        offsets.append(at)
    return _frozen(joints, offsets, np.concatenate([PALM[:, 3], np.repeat(BONES_M.ravel(), 3)]))


def _palm_spheres(side: Side) -> tuple[list[int], list[Floats]]:
    hand = default_rig().joint(f"{side}Hand")
    return [hand] * len(PALM), list(PALM[:, :3] * np.array([float(sign_of(side)), 1.0, 1.0]))


def _finger_spheres(side: Side, finger: int) -> tuple[list[int], list[Floats]]:
    rig = default_rig()
    chain = rig.joints(finger_bones(side, FINGERS[finger]))
    steps = [rig.skeleton.offsets[chain[1]], rig.skeleton.offsets[chain[2]], _ends()[chain[2]]]
    row, at = [], []
    for k, (joint, step) in enumerate(zip(chain, steps, strict=True)):
        shares = ALONG.copy()
        if k == len(chain) - 1:
            # The last sphere ends at the finger's tip.
            shares[-1] = 1.0 - BONES_M[finger, k] / np.linalg.norm(step)
        row += [joint] * len(shares)
        at += [share * step for share in shares]
    return row, at
