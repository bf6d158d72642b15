"""Idle life: a person who waits or listens, standing alone or added to any motion.

Weight, breath and small adjustments are the figure engine's, as in every performance.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from kinesphere.animation.idle import standing
from kinesphere.animation.idle.trunk_turns import TrunkShares, turn_bone, turn_trunk
from kinesphere.errors import InvalidValueError
from kinesphere.figure.head.eyes import watch
from kinesphere.figure.head.face import layer_face
from kinesphere.figure.head.gaze_cues import no_cues
from kinesphere.figure.standing import body as figure_body
from kinesphere.figure.standing.body import BodyPoses, BodyTargets
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
    trunk : which joints turn how far.
    reach, soft_m : longest ratio of a leg whose hips are moved, and the transition to it, metres.
    """

    stance: float = 0.5
    shift: float = 0.1
    trunk: TrunkShares = field(default_factory=TrunkShares)
    reach: float = 0.9995
    soft_m: float = 0.002


_HEIGHT_M = 1.62  # highest joint of the default figure above its lowest
MOST_AMOUNT = 3.0


def standing_clip(
    frames: int, fps: float, seed: int = 0, settings: IdleSettings | None = None
) -> Clip:
    """The default figure waiting: weight on one leg or the other, small steps, hands at rest."""
    s = settings or IdleSettings()
    return standing.step(standing.start(fps, seed, stance_of(s.stance, seed)), frames, s.trunk)[1]


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
    moved = _turn_trunk(_move_hips(clip, rig, poses, amount), rig, poses, amount, s.trunk)
    moved = _look(moved, rig, min(1.0, amount), seed)
    legs = [
        (rig.joint(f"{side}UpperLeg"), rig.joint(f"{side}LowerLeg"), rig.joint(f"{side}Foot"))
        for side in ("left", "right")
    ]
    sunk = np.zeros((len(clip), 3))
    sunk[:, 1] = -_keep_reach(moved, legs, planted, s.reach, s.soft_m * min(1.0, amount))
    moved = _shift_hips(moved, rig, sunk)
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
    return _shift_hips(clip, rig, quaternion.rotate(heading, way))


def _shift_hips(clip: Clip, rig: Rig, world: Floats) -> Clip:
    """Hips translated by ``[frames, 3]`` in the world."""
    hips = rig.bones["hips"]
    if hips == 0 or hips not in clip.translated_joints:
        return replace(clip, root_positions=clip.root_positions + world)
    parent = int(clip.skeleton.parents[hips])
    local = quaternion.rotate(quaternion.inverse(clip.world_rotations[:, parent]), world)
    translations = clip.translations.copy()
    translations[:, clip.translated_joints.index(hips)] += local
    return replace(clip, translations=translations)


def _keep_reach(
    clip: Clip, legs: list[tuple[int, int, int]], planted: Floats, reach: float, soft_m: float
) -> Floats:
    """How far hips must sink ``[frames]`` for both legs to reach their planted ankles."""
    places = clip.world_positions
    needed = np.full(len(clip), -np.inf)
    for leg, (upper, lower, foot) in enumerate(legs):
        lengths = np.linalg.norm(np.diff(places[:, [upper, lower, foot]], axis=1), axis=-1)
        away = places[:, upper] - planted[:, leg]
        flat = np.sum(away[:, [0, 2]] ** 2, axis=1)
        high = np.sqrt(np.maximum((reach * lengths.sum(axis=1)) ** 2 - flat, 0.0))
        needed = np.maximum(needed, away[:, 1] - high)
    return np.asarray(soft_m * np.logaddexp(0.0, needed / soft_m))


def _turn_trunk(clip: Clip, rig: Rig, poses: BodyPoses, amount: float, shares: TrunkShares) -> Clip:
    """Rotation of trunk, shoulders and head; the head keeps its direction and nods."""
    rotations = clip.rotations.copy()
    turns = turn_trunk(poses, amount, shares) | {"hips": amount * poses.pelvis[0]}
    for bone, turn in turns.items():
        turn_bone(rotations, rig, bone, turn)
    return replace(clip, rotations=quaternion.normalise(rotations))


def _look(clip: Clip, rig: Rig, strength: float, seed: int) -> Clip:
    """Blinks as a channel, looks as rotations of the eyes' joints."""
    frames, _ = watch(clip.times, no_cues(), seed)
    channels = layer_face(clip.channels, {"blink": strength * frames.lids[0]}, clip.fps)
    gaze = np.zeros((len(clip), 3))
    gaze[:, :2] = strength * frames.gaze[0, :, ::-1]
    rotations = clip.rotations.copy()
    for bone in ("leftEye", "rightEye"):
        turn_bone(rotations, rig, bone, gaze)
    return replace(clip, rotations=quaternion.normalise(rotations), channels=channels)
