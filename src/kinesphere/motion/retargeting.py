"""The same movement on another body.

Every bone's turn away from the T-pose is carried over in the world, so that rest poses and joint
axes do not matter. Then proportions are put right: the path of the pelvis is scaled by leg length,
ankles go where the scaled ankles were (feet stay on the floor and slide no more than before), and
wrists go to the same place in proportion to the body (a clap stays a clap on wider shoulders).
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
from kinesphere.motion.kinematics import local_rotations, tip_positions
from kinesphere.motion.measure import leg_length, limb_lengths


@dataclass(frozen=True)
class RetargetSettings:
    """What to put right after the turns are carried over.

    `relaxed_fingers` curls fingers that the source does not have, in radians a joint: the resting
    hand of a standing person, index less than little finger (75 to 120 degrees in all).
    """

    place_feet: bool = True
    place_hands: bool = True
    relax_fingers: bool = True
    relaxed_fingers: tuple[tuple[float, float, float], ...] = (
        (0.10, 0.20, 0.25),
        (0.45, 0.50, 0.35),
        (0.50, 0.60, 0.40),
        (0.55, 0.65, 0.42),
        (0.60, 0.75, 0.48),
    )


def retarget(
    clip: Clip, source: Rig, target: Rig, settings: RetargetSettings | None = None
) -> Clip:
    """Move a clip from one humanoid to another.

    Parameters
    ----------
    clip : motion of the source's skeleton.
    source, target : both must have hips, arms and legs.
    settings : see `RetargetSettings`.

    Returns
    -------
    a clip on the target's skeleton, at the same rate, with the same channels. Joints of the target
    that play no bone, or one that the source does not have, keep their place in the T-pose. Moving
    offsets of the source (such as a stretching spine) are followed by hands and feet only.

    Raises
    ------
    RigError
        If either lacks a required bone; the message names it.
    """
    settings = settings or RetargetSettings()
    source.required("the source of a retargeting")
    target.required("the target of a retargeting")
    turns = _target_turns(clip, source, target, settings)
    posed = _placed_root(clip, source, target, turns)
    if settings.place_feet:
        ends, joints = _ankle_targets(clip, source, target)
        axes = np.tile([1.0, 0.0, 0.0], (2, 1))
        posed = move_rig_limbs(posed, target, joints, ends, axes)
    if settings.place_hands:
        ends, joints = _wrist_targets(clip, source, posed, target)
        posed = move_rig_limbs(posed, target, joints, ends, np.array([[0, -1.0, 0], [0, 1.0, 0]]))
    return posed


def move_rig_limbs(
    clip: Clip, rig: Rig, joints: list[tuple[int, int, int]], ends: Floats, axes: Floats
) -> Clip:
    """Bring limb ends to targets, with the bend axes given in the T-pose that rigs share.

    See `move_limb_ends`, whose axes are those of the rig's own rest pose.
    """
    canonical, _ = rig.canonical_pose
    rest = rig.skeleton.rest_world_rotations
    balls = [limb[0] for limb in joints]
    undo = quaternion.multiply(rest[balls], quaternion.inverse(canonical[balls]))
    return move_limb_ends(clip, joints, ends, quaternion.rotate(undo, axes))


def _target_turns(clip: Clip, source: Rig, target: Rig, settings: RetargetSettings) -> Floats:
    """World turn from the T-pose of every target joint, ``[frames, joints, 4]``."""

    def turn_of(joint: int) -> Floats:
        return source.turn(clip.world_rotations, joint)

    given = {bone: turn_of(_deepest(source, bone)) for bone in target.bones if bone in source.bones}
    by_joint = {target.bones[bone]: turn for bone, turn in given.items()}
    by_joint.update(_along_spine(source, target, turn_of))
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
    """Turn of each finger bone relative to the bone above it in a relaxed hand."""
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
    """Turns of all spine and neck joints: shared evenly where the numbers of joints differ."""
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
    """Turns at ratios along a chain whose first joint is 0 and whose last is 1."""
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


_JOINT_ABOVE_SOLE = 0.0105  # of body height: a toe's joint lies inside the foot


def _sole_depth(rig: Rig) -> float:
    """How far the ankles are above the soles.

    A rig that rests standing on the floor shows it. For others it is the lowest joint or end point
    of the feet in the T-pose, and the flesh below it.
    """
    skeleton = rig.skeleton
    rest = skeleton.rest_world_positions
    rotations, places = rig.canonical_pose
    height = float(np.ptp(places[:, 1]))
    ankles = rig.joints(("leftFoot", "rightFoot"))
    if abs(rest[:, 1].min()) < 0.04 * height and np.ptp(rest[:, 1]) > 0.8 * height:
        return float(rest[ankles, 1].mean())
    tips = tip_positions(skeleton, rotations, places)
    depths = []
    for ankle in ankles:
        foot = skeleton.subtree(ankle)
        heights = [places[j, 1] for j in foot]
        heights += [tips[k, 1] for k, tip in enumerate(skeleton.tips) if tip.joint in foot]
        depths.append(places[ankle, 1] - min(heights))
    return float(np.mean(depths)) + _JOINT_ABOVE_SOLE * height


def _scale_and_lift(source: Rig, target: Rig) -> tuple[float, Floats]:
    scale = leg_length(target) / leg_length(source)
    lift = _sole_depth(target) - scale * _sole_depth(source)
    return scale, np.array([0.0, lift, 0.0])


def _placed_root(clip: Clip, source: Rig, target: Rig, turns: Floats) -> Clip:
    """Pose the target and bring the middle of its hip joints to the scaled place."""
    skeleton = target.skeleton
    world = quaternion.multiply(turns, target.canonical_pose[0])
    rotations = quaternion.normalise(local_rotations(skeleton, world))
    start = np.broadcast_to(skeleton.offsets[0], (len(clip), 3))
    posed = Clip(skeleton, clip.fps, start, rotations, channels=clip.channels)
    scale, lift = _scale_and_lift(source, target)
    legs = ("leftUpperLeg", "rightUpperLeg")
    wanted = scale * clip.world_positions[:, source.joints(legs)].mean(axis=1) + lift
    shift = wanted - posed.world_positions[:, target.joints(legs)].mean(axis=1)
    hips = target.bones["hips"]
    if hips == 0:
        return replace(posed, root_positions=posed.root_positions + shift)
    # Joints above the hips stay where they are; the hips move within them.
    parent = int(skeleton.parents[hips])
    local = quaternion.rotate(quaternion.inverse(posed.world_rotations[:, parent]), shift)
    return replace(
        posed,
        translated_joints=(hips,),
        translations=(skeleton.offsets[hips] + local)[:, None],
    )


def _limb(rig: Rig, side: str, bones: tuple[str, str, str]) -> tuple[int, int, int]:
    ball, hinge, end = (rig.bones[f"{side}{bone}"] for bone in bones)
    return ball, hinge, end


def _ankle_targets(
    clip: Clip, source: Rig, target: Rig
) -> tuple[Floats, list[tuple[int, int, int]]]:
    scale, lift = _scale_and_lift(source, target)
    ankles = source.joints(("leftFoot", "rightFoot"))
    legs = ("UpperLeg", "LowerLeg", "Foot")
    joints = [_limb(target, side, legs) for side in ("left", "right")]
    return scale * clip.world_positions[:, ankles] + lift, joints


def _chest_frame(clip: Clip, rig: Rig) -> tuple[Floats, Floats, float]:
    """World turn of the chest, shoulder joints ``[frames, 2, 3]``, and half their distance."""
    top = next(b for b in ("upperChest", "chest", "spine", "hips") if b in rig)
    turn = rig.turn(clip.world_rotations, rig.bones[top])
    joints = rig.joints(("leftUpperArm", "rightUpperArm"))
    _, places = rig.reference_world
    half = 0.5 * float(np.linalg.norm(places[joints[0]] - places[joints[1]]))
    return turn, clip.world_positions[:, joints], half


def _wrist_targets(
    clip: Clip, source: Rig, posed: Clip, target: Rig
) -> tuple[Floats, list[tuple[int, int, int]]]:
    """Wrists at the same stretch of the arm, and as far across the chest in proportion.

    A hand outside its shoulder is placed from the shoulder by arm length, so that a straight arm
    stays straight. What it lies inside counts by shoulder width, so that hands which meet in the
    middle still meet.
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
    # An arm stretched to its end has no room for it.
    stretch = np.linalg.norm(wrists - shoulders, axis=-1) / reach
    room = 1.0 - curves.smoothstep((stretch - 0.8) / 0.2)
    local[..., 0] += side * (arm - width) * inside * room
    ends = new_shoulders + quaternion.rotate(new_turn[:, None], local)
    arms = ("UpperArm", "LowerArm", "Hand")
    return ends, [_limb(target, side, arms) for side in ("left", "right")]
