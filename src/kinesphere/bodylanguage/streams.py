"""The three streams of a speaking body: head, arms with the upper torso, and the lower body.

They move to their own rhythms, so they are segmented, clustered and modelled separately (2009
paper, section 5.1), and combined again in `play.body_assembly`. All data is on the joints of the
default figure, to which all recordings are retargeted.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from kinesphere.character.default import default_rig
from kinesphere.maths.arrays import Ints, read_only
from kinesphere.motion.humanoid import FINGERS, finger_bones

FPS = 30.0
"""Rate of training motion and library; speakers' motion has almost no power above 10 Hz."""
HEAD, ARMS, LOWER = 0, 1, 2
STREAMS = ("head", "arms", "lower")
PARTS = (*STREAMS, "fingers")
"""Parts that a recording may have; fingers belong to the arms."""


@dataclass(frozen=True)
class BodyStream:
    """One of the three.

    Parameters
    ----------
    name : one of `STREAMS`.
    bones : blended separately, by their world orientation.
    fingers : blended in the hand's frame, together with it.
    """

    name: str
    bones: tuple[str, ...]
    fingers: tuple[str, ...] = ()


def _arm_bones() -> tuple[str, ...]:
    limbs = [
        f"{s}{p}" for s in ("left", "right") for p in ("Shoulder", "UpperArm", "LowerArm", "Hand")
    ]
    return ("spine", "chest", "upperChest", *limbs)


_FINGERS = tuple(b for s in ("left", "right") for f in FINGERS for b in finger_bones(s, f))
BODY: tuple[BodyStream, BodyStream, BodyStream] = (
    BodyStream("head", ("neck", "head")),
    BodyStream("arms", _arm_bones(), _FINGERS),
    BodyStream("lower", ("hips",)),
)
"""Joints of each stream. Legs follow from the pelvis and the planted feet."""


@cache
def stream_of_joint() -> Ints:
    """Stream ``[joints]`` that moves each joint of the default figure; -1 for none."""
    rig = default_rig()
    out = np.full(len(rig.skeleton), -1, dtype=np.int64)
    for number, stream in enumerate(BODY):
        for bone in (*stream.bones, *stream.fingers):
            out[rig.joint(bone)] = number
    frozen: Ints = read_only(out)
    return frozen


@cache
def hand_of_joint() -> Ints:
    """Joint of the hand ``[joints]`` that a finger joint belongs to; -1 for all others."""
    rig = default_rig()
    out = np.full(len(rig.skeleton), -1, dtype=np.int64)
    for side in ("left", "right"):
        for finger in FINGERS:
            for bone in finger_bones(side, finger):
                out[rig.joint(bone)] = rig.joint(f"{side}Hand")
    frozen: Ints = read_only(out)
    return frozen
