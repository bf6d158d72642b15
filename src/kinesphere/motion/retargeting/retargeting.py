"""Retargeting: the same movement on another body.

Every bone's rotation from the T-pose is transferred in the world, so that rest poses and joint
axes do not matter. Then proportions are corrected: the path of the pelvis is scaled by leg length,
feet that stand on the floor stand on it again (`motion/retargeting/foot_placement.py`) and slide no
more than before, and wrists go to the same position in proportion to the body (a clap stays a clap
on wider shoulders).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from kinesphere.maths import curves, quaternion
from kinesphere.maths.arrays import Floats, read_only
from kinesphere.motion.clip import Clip
from kinesphere.motion.contacts import move_limb_ends
from kinesphere.motion.humanoid import FINGERS, Rig, finger_bones
from kinesphere.motion.kinematics import local_rotations
from kinesphere.motion.measure import leg_length, limb_lengths
from kinesphere.motion.retargeting.foot_placement import (
    FootMotion,
    ankle_targets,
    foot_motion,
    foot_turns,
    pelvis_drop,
)
from kinesphere.motion.retargeting.footing import Footing
from kinesphere.motion.retargeting.observed_footing import foot_tracks, footing_for

_SIDES = ("left", "right")
_HIPS = ("leftUpperLeg", "rightUpperLeg")


@dataclass(frozen=True)
class RetargetSettings:
    """What to correct after the rotations are transferred.

    `clear_arms` moves arms out of the body and hands out of each other, by the character's mesh
    where it has one; it concerns whole takes (`kinesphere.retarget`).
    `relaxed_fingers` bends fingers that the source does not have, in radians per joint: the resting
    hand of a standing person, index less than little finger (75 to 120 degrees in all).
    """

    place_feet: bool = True
    place_hands: bool = True
    relax_fingers: bool = True
    clear_arms: bool = True
    relaxed_fingers: tuple[tuple[float, float, float], ...] = (
        (0.10, 0.20, 0.25),
        (0.45, 0.50, 0.35),
        (0.50, 0.60, 0.40),
        (0.55, 0.65, 0.42),
        (0.60, 0.75, 0.48),
    )


def retarget(
    clip: Clip,
    source: Rig,
    target: Rig,
    settings: RetargetSettings | None = None,
    footing: Footing | None = None,
) -> Clip:
    """Transfer a clip from one humanoid to another.

    Parameters
    ----------
    clip : motion of the source's skeleton.
    source, target : both must have hips, arms and legs.
    settings : see `RetargetSettings`.
    footing : the source's standing feet and floor. By default it is measured on the clip
        (`footing_for`); pass it for a part of a recording, or for streamed frames. The target's
        floor is at zero.

    Returns
    -------
    a clip on the target's skeleton, at the same rate, with the same channels. Joints of the target
    that are mapped to no bone, or to one that the source lacks, keep their rotation of the T-pose.
    Moving offsets of the source (such as a stretching spine) are followed by hands and feet only.

    Raises
    ------
    RigError
        If either lacks a required bone; the message names it.
    """
    settings = settings or RetargetSettings()
    source.require("the source of a retargeting")
    target.require("the target of a retargeting")
    tracks = foot_tracks(clip, source)
    if footing is None:
        place = settings.place_feet
        footing = footing_for(tracks, source, target) if place else source.footing
    feet = foot_motion(tracks, footing, source)
    turns = _target_turns(clip, source, target, settings, feet)
    posed = _pose(clip, target, turns)
    shift = _hips_shift(clip, source, posed, target, feet.level)
    if settings.place_feet:
        ends = ankle_targets(feet, source, target)
        hips = posed.world_positions[:, target.joints(_HIPS)] + shift[:, None]
        shift[:, 1] -= pelvis_drop(hips, ends, _stretch(clip, source), feet, target, clip.fps)
    posed = _translate_body(posed, target, shift)
    if settings.place_feet:
        legs = [_limb(target, side, ("UpperLeg", "LowerLeg", "Foot")) for side in _SIDES]
        posed = move_rig_limbs(posed, target, legs, ends, np.tile([1.0, 0.0, 0.0], (2, 1)))
    if settings.place_hands:
        ends, joints = _wrist_targets(clip, source, posed, target)
        posed = move_rig_limbs(posed, target, joints, ends, np.array([[0, -1.0, 0], [0, 1.0, 0]]))
    return posed


def move_rig_limbs(
    clip: Clip, rig: Rig, joints: list[tuple[int, int, int]], ends: Floats, axes: Floats
) -> Clip:
    """Move limb ends to targets, with the bend axes given in the T-pose that rigs share.

    See `move_limb_ends`, whose axes are those of the rig's own rest pose.
    """
    canonical, _ = rig.canonical_pose
    rest = rig.skeleton.rest_world_rotations
    balls = [limb[0] for limb in joints]
    undo = quaternion.multiply(rest[balls], quaternion.inverse(canonical[balls]))
    return move_limb_ends(clip, joints, ends, quaternion.rotate(undo, axes))


def _target_turns(
    clip: Clip, source: Rig, target: Rig, settings: RetargetSettings, feet: FootMotion
) -> Floats:
    """World rotation from the T-pose of every target joint, ``[frames, joints, 4]``."""

    def turn_of(joint: int) -> Floats:
        return source.turn(clip.world_rotations, joint)

    given = {bone: turn_of(_deepest(source, bone)) for bone in target.bones if bone in source.bones}
    by_joint = {target.bones[bone]: turn for bone, turn in given.items()}
    by_joint.update(_along_spine(source, target, turn_of))
    by_joint.update(foot_turns(feet, target))
    bone_of = {joint: bone for bone, joint in target.bones.items()}
    curls = _curls(settings) if settings.relax_fingers else {}
    hips = target.bones["hips"]
    above = set(target.skeleton.ancestors(hips)[1:])
    out = np.empty((len(clip), len(target.skeleton), 4))
    for joint, parent in enumerate(target.skeleton.parents):
        bone = bone_of.get(joint)
        if joint in above:
            out[:, joint] = quaternion.IDENTITY
        elif joint in by_joint:
            out[:, joint] = by_joint[joint]
        elif bone in curls:
            out[:, joint] = quaternion.multiply(out[:, parent], curls[bone])
        else:
            out[:, joint] = out[:, parent] if parent >= 0 else quaternion.IDENTITY
    return out


def _deepest(rig: Rig, bone: str) -> int:
    """Joint that carries all of a forearm's roll: the last before the hand."""
    if not bone.endswith("LowerArm"):
        return rig.bones[bone]
    chain = rig.skeleton.path(rig.bones[bone], rig.bones[bone.replace("LowerArm", "Hand")])
    return chain[-2] if len(chain) >= 2 else rig.bones[bone]


@lru_cache(16)
def _curls(settings: RetargetSettings) -> dict[str, Floats]:
    """Rotation of each finger bone relative to the bone above it in a relaxed hand."""
    curls = {}
    for side, sign in (("left", -1.0), ("right", 1.0)):
        for finger, angles in zip(FINGERS, settings.relaxed_fingers, strict=True):
            axis = [0.0, 0.0, sign] if finger != "Thumb" else [0.0, -sign, 0.6 * sign]
            for bone, angle in zip(finger_bones(side, finger), angles, strict=True):
                curls[bone] = read_only(quaternion.from_axis_angle(axis, angle))
    return curls


def spine_joints(rig: Rig) -> list[int]:
    """Joints from just above the hips to the one that carries the arms."""
    top = next((b for b in ("upperChest", "chest", "spine") if b in rig), None)
    return rig.skeleton.path(rig.bones["hips"], rig.bones[top])[1:] if top else []


def neck_joints(rig: Rig) -> list[int]:
    """Joints from the neck to just below the head."""
    if "neck" not in rig or "head" not in rig:
        return []
    return rig.skeleton.path(rig.bones["neck"], rig.bones["head"])[:-1]


def _along_spine(source: Rig, target: Rig, turn_of: Callable[[int], Floats]) -> dict[int, Floats]:
    """Rotations of all spine and neck joints: distributed evenly where their numbers differ."""
    out: dict[int, Floats] = {}
    spine = [source.bones["hips"], *spine_joints(source)]
    wanted = spine_joints(target)
    if len(spine) > 1:
        ratios = np.arange(1, len(wanted) + 1) / max(len(wanted), 1)
        out.update(zip(wanted, _between(spine, ratios, turn_of), strict=True))
    if "head" in source and "head" in target:
        neck = [spine[-1], *neck_joints(source), source.bones["head"]]
        wanted = neck_joints(target)
        ratios = np.arange(1, len(wanted) + 1) / (len(wanted) + 1)
        out.update(zip(wanted, _between(neck, ratios, turn_of), strict=True))
    return out


def _between(chain: list[int], ratios: Floats, turn_of: Callable[[int], Floats]) -> list[Floats]:
    """Rotations at ratios along a chain whose first joint is 0 and whose last is 1."""
    turns = []
    for ratio in ratios:
        at = float(ratio) * (len(chain) - 1)
        i = min(int(np.floor(at + 1e-9)), len(chain) - 2)
        rest = at - i
        if abs(rest) < 1e-9 or abs(rest - 1.0) < 1e-9:
            turns.append(turn_of(chain[i + round(rest)]))
        else:
            a, b = turn_of(chain[i]), turn_of(chain[i + 1])
            turns.append(quaternion.slerp(a, b, rest))
    return turns


def _pose(clip: Clip, target: Rig, turns: Floats) -> Clip:
    """Pose the target at its rest position."""
    skeleton = target.skeleton
    world = quaternion.multiply(turns, target.canonical_pose[0])
    rotations = quaternion.normalise(local_rotations(skeleton, world))
    start = np.broadcast_to(skeleton.offsets[0], (len(clip), 3))
    return Clip(skeleton, clip.fps, start, rotations, channels=clip.channels)


def _hips_shift(clip: Clip, source: Rig, posed: Clip, target: Rig, level: Floats) -> Floats:
    """Translation that brings the middle of the target's hip joints to the scaled position.

    `level` is the height at which the source's ankles stand in each frame.
    """
    scale = leg_length(target) / leg_length(source)
    wanted = scale * clip.world_positions[:, source.joints(_HIPS)].mean(axis=1)
    wanted[:, 1] += target.footing.ankles_m.mean() - scale * level
    return np.asarray(wanted - posed.world_positions[:, target.joints(_HIPS)].mean(axis=1))


def _translate_body(posed: Clip, rig: Rig, shift: Floats) -> Clip:
    """Translate the whole body; joints above the hips stay, and the hips move within them."""
    hips = rig.bones["hips"]
    if hips == 0:
        return replace(posed, root_positions=posed.root_positions + shift)
    parent = int(rig.skeleton.parents[hips])
    local = quaternion.rotate(quaternion.inverse(posed.world_rotations[:, parent]), shift)
    at = rig.skeleton.offsets[hips] + local
    return replace(posed, translated_joints=(hips,), translations=at[:, None])


def _stretch(clip: Clip, rig: Rig) -> Floats:
    """How straight the legs are, ``[frames, 2]``: distance of hip joint and ankle by length."""
    ankles = clip.world_positions[:, rig.joints(("leftFoot", "rightFoot"))]
    step = clip.world_positions[:, rig.joints(_HIPS)] - ankles
    return np.asarray(np.linalg.norm(step, axis=-1) / limb_lengths(rig, "UpperLeg", "Foot"))


def _limb(rig: Rig, side: str, bones: tuple[str, str, str]) -> tuple[int, int, int]:
    ball, hinge, end = (rig.bones[f"{side}{bone}"] for bone in bones)
    return ball, hinge, end


def _chest_frame(clip: Clip, rig: Rig) -> tuple[Floats, Floats, float]:
    """World rotation of the chest, shoulder joints ``[frames, 2, 3]``, and half their distance."""
    top = next(b for b in ("upperChest", "chest", "spine", "hips") if b in rig)
    turn = rig.turn(clip.world_rotations, rig.bones[top])
    joints = rig.joints(("leftUpperArm", "rightUpperArm"))
    _, places = rig.reference_world
    half = 0.5 * float(np.linalg.norm(places[joints[0]] - places[joints[1]]))
    return turn, clip.world_positions[:, joints], half


def _wrist_targets(
    clip: Clip, source: Rig, posed: Clip, target: Rig
) -> tuple[Floats, list[tuple[int, int, int]]]:
    """Wrists with the same extension of the arm, and as far across the chest in proportion.

    A hand outside its shoulder is positioned from it by arm length, so that a straight arm stays
    straight. The distance inside the shoulder scales by shoulder width, so that hands which
    meet in the middle still meet.
    """
    turn, shoulders, half = _chest_frame(clip, source)
    new_turn, new_shoulders, new_half = _chest_frame(posed, target)
    wrists = clip.world_positions[:, source.joints(("leftHand", "rightHand"))]
    turn_back = quaternion.inverse(turn)[:, None]
    reach = limb_lengths(source, "UpperArm", "Hand")
    arm = limb_lengths(target, "UpperArm", "Hand") / reach
    width = new_half / half if half > 1e-6 else arm
    local = arm[:, None] * quaternion.rotate(turn_back, wrists - shoulders)
    across = quaternion.rotate(turn_back, wrists - shoulders.mean(axis=1, keepdims=True))[..., 0]
    side = np.array([1.0, -1.0])
    inside = np.clip(half - side * across, 0.0, 2.0 * half)
    # A fully extended arm has no reserve for it.
    stretch = np.linalg.norm(wrists - shoulders, axis=-1) / reach
    room = 1.0 - curves.smoothstep((stretch - 0.8) / 0.2)
    local[..., 0] += side * (arm - width) * inside * room
    ends = new_shoulders + quaternion.rotate(new_turn[:, None], local)
    arms = ("UpperArm", "LowerArm", "Hand")
    return ends, [_limb(target, side, arms) for side in _SIDES]
