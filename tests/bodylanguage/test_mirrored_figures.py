"""Live figures whose streams are mirrored are mirror images: feet, trunk, arms, clearance, drag."""

from __future__ import annotations

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.animation.arms.poses.rest_table import waiting_table
from kinesphere.bodylanguage.play.figure_posing import ArmsState, FigurePoser, Homes
from kinesphere.bodylanguage.play.live_options import LiveOptions, OptionsTransition
from kinesphere.bodylanguage.play.segment_playback import StreamFrames
from kinesphere.bodylanguage.streams import hand_of_joint
from kinesphere.figure.arms import resting_hands
from kinesphere.figure.clearance import Posed
from kinesphere.figure.head.gaze import GazeSettings
from kinesphere.figure.standing import body
from kinesphere.figure.standing.stance import stance_of
from kinesphere.maths import quaternion
from kinesphere.motion.clip import Clip
from kinesphere.motion.mirroring import mirror

RIG, FPS = ks.default_rig(), 30.0
FLIP = np.array([-1.0, 1.0, 1.0])


def reflected(clip: Clip) -> Clip:
    return mirror(clip, RIG.mirror_permutation(), RIG.canonical_pose[0])


def asked(clip: Clip) -> StreamFrames:
    """A clip as streams: rotations of the world, of fingers local ones, a listener at the end."""
    turns = clip.world_rotations.copy()
    fingers = hand_of_joint() >= 0
    turns[:, fingers] = clip.rotations[:, fingers]
    listens = np.linspace(-2.0, 1.0, len(clip)).clip(0.0)
    hips = 0.3 * (clip.root_positions - clip.root_positions[0])
    return StreamFrames(turns[None], hips[None], listens[None])


def posed(clip: Clip, options: LiveOptions, mirrored: bool) -> tuple[Posed, ArmsState]:
    state = body.start(FPS, [3], [stance_of(0.9, 3)], mirrored=mirrored)
    arms = ArmsState.of(1)
    table = waiting_table(mirrored)
    hands = resting_hands.start(FPS, np.array([3]), table, mirrored=mirrored)
    transition = OptionsTransition(options, options, -1e9)
    poser = FigurePoser(np.ones(3, dtype=bool), state, FPS, transition, arms, hands)
    homes = Homes(np.zeros((1, len(clip), 2)), GazeSettings())
    return poser.pose(np.arange(len(clip)) / FPS, asked(clip), homes), arms


# Larger, hands press into each other, and are cleared one after the other: the left one first.
@pytest.mark.parametrize("amount", [1.0, 1.1])
def test_mirrored_streams_give_mirrored_figures(amount: float) -> None:
    # Wide gestures of hands that meet: they must be kept out of each other and of the body.
    clip = ks.perform("This is huge, and I mean me, really me!", "host", seed=4, fps=FPS).clip
    options = LiveOptions(amount=amount, idle=0.5)
    one, arms = posed(clip, options, mirrored=False)
    two, others = posed(reflected(clip), options, mirrored=True)
    image = reflected(Clip(RIG.skeleton, FPS, one.root_positions, one.rotations))
    # A nearly straight arm turns rounding into its square root.
    assert quaternion.angle_between(image.rotations, two.rotations).max() < 1e-6
    assert np.abs(image.root_positions - two.root_positions).max() < 1e-9
    assert np.abs(arms.drags[0, ::-1, :3] * FLIP - others.drags[0, :, :3]).max() < 1e-7
    # And not because nothing has a side.
    plain, _ = posed(reflected(clip), options, mirrored=False)
    assert quaternion.angle_between(image.rotations, plain.rotations).max() > 0.02
