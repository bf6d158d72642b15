"""Idle life: a person who waits or listens, standing alone or added to any motion.

Weight, breath and small adjustments are the figure engine's, as in every performance.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kinesphere.animation.arms.poses.home_pose import home_rotations
from kinesphere.character.default import default_rig
from kinesphere.errors import InvalidValueError
from kinesphere.figure.head.eyes import listen_eyes, watch
from kinesphere.figure.head.face import layer_face
from kinesphere.figure.head.gaze_cues import no_cues
from kinesphere.figure.standing import body as figure_body
from kinesphere.figure.standing.body import BodyPoses, BodyTargets
from kinesphere.figure.standing.legs import leg_rotations
from kinesphere.figure.standing.stance import Stance, stance_of
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.retargeting.retargeting import move_rig_limbs


@dataclass(frozen=True)
class IdleSettings:
    """How somebody waits.

    Parameters
    ----------
    stance : restlessness of somebody who stands alone, from 0 (still) to 1.
    shift : largest deviation of the weight's share that is added to other motion: its feet stay.
    neck_share, head_share : ratios of a nod that are the neck's and the head's.
    head_keeps : ratio of the trunk's rotation that neck and head undo.
    """

    stance: float = 0.35
    shift: float = 0.1
    neck_share: float = 0.4
    head_share: float = 0.6
    head_keeps: float = 0.9


_HEIGHT_M = 1.62  # highest joint of the default figure above its lowest
_SPINE = ("spine", "chest", "upperChest")
MOST_AMOUNT = 3.0


def standing_clip(
    frames: int, fps: float, seed: int = 0, settings: IdleSettings | None = None
) -> Clip:
    """The default figure waiting: hands at home, weight on one leg or the other, small steps."""
    s = settings or IdleSettings()
    rig, poses = default_rig(), _wait(frames, fps, seed, stance_of(s.stance, seed))
    rotations = np.tile(home_rotations(), (frames, 1, 1))
    pelvis = quaternion.exp(poses.pelvis[0])
    rotations[:, rig.joint("hips")] = pelvis
    for joint, local in leg_rotations(poses.hips[0], pelvis, poses.feet[0]).items():
        rotations[:, joint] = local
    clip = Clip(rig.skeleton, fps, poses.hips[0], rotations)
    clip = _turn_trunk(clip, rig, poses, 1.0, s, hips=False)
    eyes, lids = listen_eyes(clip.times, clip.world_rotations[:, rig.joint("head")], seed)
    rotations = clip.rotations.copy()
    rotations[:, rig.joints(("leftEye", "rightEye"))] = eyes
    return replace(clip, rotations=rotations, channels={"blink": lids})


def with_idle(
    clip: Clip, rig: Rig, amount: float = 1.0, seed: int = 0, settings: IdleSettings | None = None
) -> Clip:
    """Add idle motion to a clip; feet stay where they are.

    Parameters
    ----------
    clip : motion of the rig's skeleton.
    rig : must have hips and legs; other missing bones are skipped.
    amount : 0 leaves the clip unchanged, 1 is natural, up to 3.
    seed : the same seed gives the same motion.
    """
    if not (np.isfinite(amount) and 0.0 <= amount <= MOST_AMOUNT):
        raise InvalidValueError(f"idle amount is {amount}, allowed is 0 to {MOST_AMOUNT:g}")
    if amount == 0.0:
        return clip
    s = settings or IdleSettings()
    rig.require("idle motion")
    still = replace(
        stance_of(0.0, seed),
        shift_dev=s.shift,
        steps_per_min=0.0,
        pivots_per_min=0.0,
        heels_per_min=0.0,
        hip_up=0.0,  # motion only: the clip has a posture of its own
    )
    poses = _wait(len(clip), clip.fps, seed, still)
    planted = clip.world_positions[:, rig.joints(("leftFoot", "rightFoot"))]
    moved = _turn_trunk(_move_hips(clip, rig, poses, amount), rig, poses, amount, s)
    moved = _look(moved, rig, min(1.0, amount), seed)
    legs = [
        (rig.joint(f"{side}UpperLeg"), rig.joint(f"{side}LowerLeg"), rig.joint(f"{side}Foot"))
        for side in ("left", "right")
    ]
    return move_rig_limbs(moved, rig, legs, planted, np.tile([1.0, 0.0, 0.0], (2, 1)))


def _wait(frames: int, fps: float, seed: int, stance: Stance) -> BodyPoses:
    """Somebody who listens, by the figure engine."""
    state = figure_body.start(fps, [seed], [stance])
    return figure_body.step(state, BodyTargets(listens=np.ones((1, frames))), frames)[1]


def _move_hips(clip: Clip, rig: Rig, poses: BodyPoses, amount: float) -> Clip:
    """Hips translated over the feet, in the body's own axes, lower where they were highest."""
    way = poses.hips[0] - poses.hips[0].mean(axis=0)
    way[:, 1] = poses.hips[0, :, 1] - poses.hips[0, :, 1].max()
    tall = float(np.ptp(rig.canonical_pose[1][:, 1]))
    way = amount * tall / _HEIGHT_M * way
    hips = rig.bones["hips"]
    turn = rig.turn(clip.world_rotations, hips)
    heading = quaternion.swing_twist(turn, np.array([0.0, 1.0, 0.0]))[1]
    world = quaternion.rotate(heading, way)
    if hips == 0 or hips not in clip.translated_joints:
        return replace(clip, root_positions=clip.root_positions + world)
    parent = int(clip.skeleton.parents[hips])
    local = quaternion.rotate(quaternion.inverse(clip.world_rotations[:, parent]), world)
    translations = clip.translations.copy()
    translations[:, clip.translated_joints.index(hips)] += local
    return replace(clip, translations=translations)


def _turn_trunk(
    clip: Clip, rig: Rig, poses: BodyPoses, amount: float, s: IdleSettings, *, hips: bool = True
) -> Clip:
    """Rotation of trunk, shoulders and head; the head keeps its direction and nods."""
    pelvis, spine = amount * poses.pelvis[0], amount * poses.spine[0]
    rise = np.zeros((len(clip), 3))
    rise[:, 2] = amount * poses.collar_rise[0]
    nod = np.zeros((len(clip), 3))
    nod[:, [0, 2]] = amount * poses.nods[0]
    keeps = s.head_keeps * (pelvis + spine)
    turns = {bone: spine / len(_SPINE) for bone in _SPINE}
    turns |= {"leftShoulder": rise, "rightShoulder": -rise}
    turns |= {"neck": s.neck_share * (nod - keeps), "head": s.head_share * (nod - keeps)}
    if hips:
        turns["hips"] = pelvis
    rotations = clip.rotations.copy()
    for bone, turn in turns.items():
        _turn_bone(rotations, rig, bone, turn)
    return replace(clip, rotations=quaternion.normalise(rotations))


def _look(clip: Clip, rig: Rig, strength: float, seed: int) -> Clip:
    """Blinks as a channel, looks as rotations of the eyes' joints."""
    frames, _ = watch(clip.times, no_cues(), seed)
    channels = layer_face(clip.channels, {"blink": strength * frames.lids[0]}, clip.fps)
    gaze = np.zeros((len(clip), 3))
    gaze[:, :2] = strength * frames.gaze[0, :, ::-1]
    rotations = clip.rotations.copy()
    for bone in ("leftEye", "rightEye"):
        _turn_bone(rotations, rig, bone, gaze)
    return replace(clip, rotations=quaternion.normalise(rotations), channels=channels)


def _turn_bone(rotations: Floats, rig: Rig, bone: str, rotvec: Floats) -> None:
    """Rotate a bone about the T-pose's axes, whatever axes its joint has."""
    if bone not in rig:
        return
    joint = rig.bones[bone]
    parent = int(rig.skeleton.parents[joint])
    frame = rig.canonical_pose[0][parent] if parent >= 0 else quaternion.identity()
    local = quaternion.rotate(quaternion.inverse(frame), rotvec)
    rotations[:, joint] = quaternion.multiply(quaternion.exp(local), rotations[:, joint])
