"""How far bones of any rig exceed the joint limits of a person.

Rigs differ in what their joints' rotations mean: which joint has a forearm's twist, about which
axis an elbow bends, how many joints a back has, how fingers rest. They agree on the positions of
joints and the orientations of chest, pelvis, head, hands and feet. From these a limb is decomposed
anatomically: the plane in which it bends is the hinge's, so it defines the twist of upper arm and
thigh; the hand's rotation about the forearm is pronation; the rest is the wrist's. A back and a
neck count as one joint each. Limits are those of `joint_limits`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kinesphere.character.joint_limits import joint_limits
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import SIDES
from kinesphere.motion.body.limits import JointLimit
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import FINGERS, Rig, finger_bones

_BACK, _NECK = ("spine", "chest", "upperChest"), ("neck", "head")
_HINGES = {"Arm": ("UpperArm", "LowerArm", "Hand"), "Leg": ("UpperLeg", "LowerLeg", "Foot")}
# A straighter limb has no plane that is reliable.
_STRAIGHT = np.radians(25.0)
_ANY = (-4.0, 4.0)


def anatomical_excess(clip: Clip, rig: Rig) -> dict[str, Floats]:
    """How far bones exceed a person's limits in every frame, radians; 0 within them."""
    seen = _BodyFrames(clip, rig)
    out = {}
    for chain, above in ((_BACK, "hips"), (_NECK, seen.top)):
        last = next((bone for bone in reversed(chain) if bone in rig), None)
        if last is not None and above in rig:
            turn = quaternion.relative(seen.rotation(above), seen.rotation(last))
            out[last] = _sum_limits(chain).excess(turn)
    for side in SIDES:
        out |= seen.limb(side, "Arm", seen.collar(side))
        out |= seen.limb(side, "Leg", seen.rotation("hips"))
        out |= seen.fingers(side)
    return out


def _sum_limits(chain: Sequence[str]) -> JointLimit:
    """Limit of joints that move as one: the sum of their ranges."""
    parts = [joint_limits()[bone] for bone in chain]

    def total(name: str) -> tuple[float, float]:
        return sum(getattr(p, name)[0] for p in parts), sum(getattr(p, name)[1] for p in parts)

    first, second, twist = (total(f"{n}_range") for n in ("first", "second", "twist"))
    return replace(parts[0], first_range=first, second_range=second, twist_range=twist)


class _BodyFrames:
    """Positions of a body's joints, and orientations of some of its bones."""

    def __init__(self, clip: Clip, rig: Rig) -> None:
        self.clip, self.rig = clip, rig
        self.top = next((b for b in reversed(_BACK) if b in rig), "hips")

    def rotation(self, bone: str) -> Floats:
        """Rotation of a bone from the T-pose in the world ``[f, 4]``."""
        return self.rig.turn(self.clip.world_rotations, self.rig.joint(bone))

    def direction(self, bone: str, to: str) -> Floats:
        """Unit direction from one joint to another ``[f, 3]``."""
        a, b = (self.clip.world_positions[:, self.rig.joint(name)] for name in (bone, to))
        return np.asarray((b - a) / np.maximum(np.linalg.norm(b - a, axis=-1), 1e-9)[:, None])

    def collar(self, side: str) -> Floats:
        """Frame of the shoulder joint: the chest's, rotated with the collar bone."""
        chest = self.rotation(self.top)
        if f"{side}Shoulder" not in self.rig:
            return chest
        rest = self.rig.canonical_pose[1]
        a, b = (rest[self.rig.joint(f"{side}{part}")] for part in ("Shoulder", "UpperArm"))
        if np.linalg.norm(b - a) < 1e-3:
            return chest
        way = quaternion.rotate(
            quaternion.inverse(chest), self.direction(f"{side}Shoulder", f"{side}UpperArm")
        )
        swing = quaternion.between((b - a) / np.linalg.norm(b - a), way)
        return quaternion.multiply(chest, swing)

    def limb(self, side: str, kind: str, above: Floats) -> dict[str, Floats]:
        """Excess of an arm's or a leg's three joints."""
        upper, lower, end = (f"{side}{part}" for part in _HINGES[kind])
        limits = joint_limits()
        bone, hinge = limits[lower].bone_axis, limits[lower].first_axis
        first, second = self.direction(upper, lower), self.direction(lower, end)
        normal = np.cross(first, second)
        bend = np.arctan2(np.linalg.norm(normal, axis=-1), np.sum(first * second, axis=-1))
        plane = bend > _STRAIGHT
        turned = _frame_rotation(bone, hinge, first, normal, plane, above)
        below = quaternion.multiply(
            quaternion.from_axis_angle(normal / np.maximum(np.sin(bend), 1e-9)[:, None], bend),
            turned,
        )
        below = np.where(plane[:, None], below, _swing(turned, bone, second))
        last = quaternion.relative(below, self.rotation(end))
        twist = quaternion.twist_angle(last, bone)
        swing = quaternion.multiply(quaternion.from_axis_angle(bone, -twist), last)
        around = _excess(twist, limits[lower].twist_range)
        if kind == "Leg":
            # A foot rotates outward at the knee and at the ankle.
            around = _excess(twist, _add(limits[lower].twist_range, limits[end].second_range))
        freely = replace(limits[upper], twist_range=_ANY)
        turn = quaternion.relative(above, turned)
        return {
            upper: np.where(plane, limits[upper].excess(turn), freely.excess(turn)),
            lower: np.maximum(
                np.maximum(bend - limits[lower].first_range[1], 0.0), np.where(plane, around, 0.0)
            ),
            end: replace(limits[end], twist_range=_ANY).excess(swing),
        }

    def fingers(self, side: str) -> dict[str, Floats]:
        """How much the outer joints of fingers exceed their range, in either direction."""
        out = {}
        limits = joint_limits()
        for finger in FINGERS[1:]:
            names = finger_bones(side, finger)
            if any(name not in self.rig for name in names):
                continue
            first, second = self.direction(names[0], names[1]), self.direction(names[1], names[2])
            bend = np.arccos(np.clip(np.sum(first * second, axis=-1), -1.0, 1.0))
            out[names[1]] = np.maximum(bend - limits[names[1]].first_range[1], 0.0)
        return out


def _frame_rotation(
    bone: Floats, hinge: Floats, way: Floats, normal: Floats, plane: Floats, above: Floats
) -> Floats:
    """Rotation of a bone to its direction, with its hinge in the limb's plane if it has one."""
    swung = _swing(above, bone, way)
    now = quaternion.rotate(swung, hinge)
    angle = np.arctan2(np.sum(np.cross(now, normal) * way, axis=-1), np.sum(now * normal, axis=-1))
    twist = quaternion.from_axis_angle(way, np.where(plane, angle, 0.0))
    return quaternion.multiply(twist, swung)


def _swing(frame: Floats, bone: Floats, way: Floats) -> Floats:
    """Frame rotated by the smallest rotation that brings its bone to a direction."""
    return quaternion.multiply(quaternion.between(quaternion.rotate(frame, bone), way), frame)


def _excess(angle: Floats, room: tuple[float, float]) -> Floats:
    return np.asarray(np.maximum(0.0, np.maximum(room[0] - angle, angle - room[1])))


def _add(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    return a[0] + b[0], a[1] + b[1]
