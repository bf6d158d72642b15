"""Somebody who stands and waits, frame by frame: ``step(state, frames) -> (state, clip)``.

Weight, trunk and head are the figure engine's, hands those of somebody who rests
(`figure.arms.resting_hands`), kept out of the body as live ones are. A whole take is one step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinesphere.animation.arms.poses.home_pose import home_rotations
from kinesphere.animation.arms.poses.rest_table import waiting_table
from kinesphere.animation.idle.trunk_turns import TrunkShares, turn_bone, turn_trunk
from kinesphere.character.default import default_rig
from kinesphere.figure.arms import resting_hands
from kinesphere.figure.arms.arm_overlay import rest_arms
from kinesphere.figure.arms.resting_hands import RestingHands, RestingHandsState
from kinesphere.figure.clearance import PUSH, Posed, clear, held_allowances
from kinesphere.figure.head import eyes
from kinesphere.figure.head.eyes import EyeSettings, EyesState
from kinesphere.figure.standing import body as figure_body
from kinesphere.figure.standing.body import BodyPoses, BodyState, BodyTargets
from kinesphere.figure.standing.legs import leg_rotations
from kinesphere.figure.standing.stance import Stance
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats, read_only
from kinesphere.motion.clip import Clip
from kinesphere.motion.kinematics import forward_kinematics


class StandingState(NamedTuple):
    """State of one person; made by `start`, never changed.

    Parameters
    ----------
    body, hands, eyes : what moves them.
    pushes : ``[1, 2, PUSH]`` clearance of the hands.
    """

    body: BodyState
    hands: RestingHandsState
    eyes: EyesState
    pushes: Floats


def start(fps: float, seed: int, stance: Stance, *, mirrored: bool = False) -> StandingState:
    """State before the first frame; `mirrored` is the mirror image of the same person."""
    own = eyes.wrapped_seed(seed)
    table = waiting_table(mirrored)
    looking = EyeSettings().mirrored(-1.0 if mirrored else 1.0)
    return StandingState(
        figure_body.start(fps, [own], [stance], mirrored=mirrored),
        resting_hands.start(fps, np.array([own]), table, mirrored=mirrored),
        eyes.start(np.array([own]), looking),
        read_only(np.full((1, 2, PUSH), np.nan)),
    )


def step(
    state: StandingState, frames: int, shares: TrunkShares | None = None
) -> tuple[StandingState, Clip]:
    """The next frames on the default figure, with the curve of the lids; any division is alike."""
    fps, first = state.body.fps, state.body.frames
    times = np.arange(first, first + frames) / fps
    watching, moved = eyes.step(state.eyes, times)
    resting, hands = resting_hands.step(state.hands, np.ones((1, frames)))
    targets = BodyTargets(
        listens=np.ones((1, frames)), wrists=hands.chest_wrists()[None], looks=moved.homes
    )
    body, poses = figure_body.step(state.body, targets, frames)
    rotations = _pose_trunk(poses, shares or TrunkShares())
    pushes = state.pushes.copy()
    posed = _rest_hands(rotations, poses, hands, pushes, fps)
    rig = default_rig()
    heads = posed.world[None, :, rig.joint("head")]
    turns = eyes.turn_eyes(moved.gaze, heads, watching.settings.gaze)[0]
    posed.rotations[:, rig.joints(("leftEye", "rightEye"))] = turns
    clip = Clip(
        rig.skeleton, fps, poses.hips[0], posed.rotations, channels={"blink": moved.lids[0]}
    )
    return StandingState(body, resting, watching, read_only(pushes)), clip


def _pose_trunk(poses: BodyPoses, shares: TrunkShares) -> Floats:
    """Local rotations ``[frames, joints, 4]`` with arms at home."""
    rig = default_rig()
    rotations = np.tile(home_rotations(), (len(poses.hips[0]), 1, 1))
    pelvis = quaternion.exp(poses.pelvis[0])
    rotations[:, rig.joint("hips")] = pelvis
    for joint, local in leg_rotations(poses.hips[0], pelvis, poses.feet[0]).items():
        rotations[:, joint] = local
    for bone, turn in turn_trunk(poses, 1.0, shares).items():
        turn_bone(rotations, rig, bone, turn)
    return quaternion.normalise(rotations)


def _rest_hands(
    rotations: Floats, poses: BodyPoses, hands: RestingHands, pushes: Floats, fps: float
) -> Posed:
    """The figure with its hands at rest, outside the body; `pushes` are overwritten."""
    skeleton, frames = default_rig().skeleton, len(rotations)
    roots = np.ascontiguousarray(poses.hips[0])
    world, _ = forward_kinematics(skeleton, rotations, roots)
    posed = Posed(rotations, roots, world)
    wrists, swivels = np.zeros((frames, 2, 3)), np.zeros((frames, 2))
    rise = np.zeros((frames, 2, 3))
    rise[:, 0, 2], rise[:, 1, 2] = poses.collar_rise[0], -poses.collar_rise[0]
    collars = quaternion.multiply(quaternion.exp(rise), hands.arms.collars)
    arms = hands.arms._replace(collars=np.ascontiguousarray(collars))
    rest_arms(posed, wrists, swivels, arms, np.ones(frames))
    clear(posed, wrists, swivels, pushes, 1.0 / fps, allowed=held_allowances(hands.held))
    return posed
