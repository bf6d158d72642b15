"""Rest poses: clear of the body and of each other, never the same twice, and what they are called."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.animation.arms.poses.arm_pose import (
    collar_angles,
    collar_turns,
    hand_turns,
    local_arm_rotations,
    reaching_shoulders,
)
from kinesphere.animation.arms.poses.home_pose import HOME_WRIST, home_clip
from kinesphere.animation.arms.poses.rest_poses import (
    RestPose,
    clearance,
    plain_rest_pose,
    rest_pose,
    rest_pose_names,
    resting_body,
)
from kinesphere.character.joint_limits import limit_excess
from kinesphere.corpus.annotation.automatic import rest_pose as found_pose
from kinesphere.errors import InvalidValueError
from kinesphere.gesture.form_measuring import measure_hands
from kinesphere.gesture.hand_shapes import local_finger_rotations
from kinesphere.gesture.placement import measure_positions
from kinesphere.gesture.script import REST_POSES
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import SIDES, Side
from kinesphere.motion.body.body_volume import CORE, body_volume, distance, hand_depth
from kinesphere.motion.clip import Clip

RIG = ks.default_rig()
NAMES = rest_pose_names()
MIRROR = np.array([-1.0, 1.0, 1.0])
SEEDS = range(4)
VOLUME = body_volume(RIG)


def shown(rest: RestPose) -> Clip:
    """The default figure at rest, with its fingers."""
    clip = home_clip(1, 30.0)
    rotations = clip.rotations.copy()
    rotations[:, RIG.joint("chest")] = quaternion.exp(rest.chest)
    for side in SIDES:
        arm = rest.arms[side]
        collars = collar_turns(side, *collar_angles(side, arm.wrists).T) + rest.collars[side]
        for joints, local in (
            local_arm_rotations(side, arm, collars),
            local_finger_rotations(RIG, side, rest.fingers[side][None]),
        ):
            rotations[:, joints] = local
    return replace(clip, rotations=rotations)


def differences(rest: RestPose) -> tuple[float, float]:
    """Metres and degrees by which the two arms are no mirror images."""
    left, right = rest.arms["left"], rest.arms["right"]
    turned = np.append(left.angles - right.angles, left.swivels - right.swivels)
    apart = np.linalg.norm(left.wrists * MIRROR - right.wrists)
    return float(apart), float(np.degrees(np.abs(turned).max()))


@pytest.mark.parametrize("name", NAMES)
def test_hands_are_clear_of_the_body_the_other_arm_and_each_other(name: str) -> None:
    for rest in (plain_rest_pose(name), *(rest_pose(name, seed) for seed in SEEDS)):
        assert clearance(rest) > -0.0055
        clip = shown(rest)
        for side in SIDES:
            assert hand_depth(clip, RIG, side)[0] < 0.003
            # Forearms: their middle line stays out by most of their thickness.
            elbow, wrist = RIG.joints((f"{side}LowerArm", f"{side}Hand"))
            places = clip.world_positions[0]
            ratio = np.linspace(0.2, 1.0, 9)[:, None]
            line = (1.0 - ratio) * places[elbow] + ratio * places[wrist]
            body = resting_body(rest)
            other = "left" if side == "right" else "right"
            arms = (f"{other}UpperArm", f"{other}LowerArm")
            for parts in (CORE, arms):
                found = distance(VOLUME, body.rotations, body.positions, line, parts)[0]
                assert found.min() > 0.018


@pytest.mark.parametrize("name", NAMES)
def test_joints_stay_within_limits(name: str) -> None:
    for seed in SEEDS:
        excess = limit_excess(shown(rest_pose(name, seed)), RIG)
        assert max(float(e[0]) for e in excess.values()) < np.radians(1.5)


@pytest.mark.parametrize("name", NAMES)
def test_arms_are_never_mirror_images_and_seeds_differ(name: str) -> None:
    poses = [rest_pose(name, seed) for seed in SEEDS]
    for rest in poses:
        apart, turned = differences(rest)
        assert apart > 0.008
        assert turned > 3.0
        if not rest.together:
            assert apart < 0.036
    wrists = np.array([rest.arms["left"].wrists[0] for rest in poses])
    assert np.unique(wrists.round(6), axis=0).shape == wrists.shape
    assert np.ptp(wrists, axis=0).max() < 0.05


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_gives_the_same_pose(name: str) -> None:
    first, second = rest_pose(name, 3), rest_pose(name, 3)
    for side in SIDES:
        assert np.array_equal(first.arms[side].wrists, second.arms[side].wrists)
        assert np.array_equal(first.fingers[side], second.fingers[side])


@pytest.mark.parametrize("name", [n for n in NAMES if plain_rest_pose(n).together])
def test_hands_that_hold_each_other_move_as_one(name: str) -> None:
    plain, moved = plain_rest_pose(name), rest_pose(name, 1)
    steps = [moved.arms[s].wrists - plain.arms[s].wrists for s in SIDES]
    assert np.abs(steps[0] - steps[1]).max() < 1e-12
    for side in SIDES:
        turns = [
            hand_turns(side, rest.arms[side], _shoulders(rest, side)) for rest in (plain, moved)
        ]
        assert quaternion.angle_between(*turns)[0] < 1e-6


def _shoulders(rest: RestPose, side: Side, gain: float = 1.0) -> Floats:
    return reaching_shoulders(side, rest.arms[side].wrists, gain, rest.collars[side])


def test_hands_stay_where_they_are_when_collar_bones_do_more() -> None:
    plain, other = rest_pose("folded", 2), rest_pose("folded", 2, gain=1.6)
    for side in SIDES:
        before = hand_turns(side, plain.arms[side], _shoulders(plain, side))
        after = hand_turns(side, other.arms[side], _shoulders(other, side, 1.6))
        assert np.abs(plain.arms[side].wrists - other.arms[side].wrists).max() < 0.02
        assert quaternion.angle_between(before, after)[0] < np.radians(0.1)


def test_every_name_of_scripts_is_there() -> None:
    assert set(REST_POSES) < set(NAMES)
    assert "half-rest" in NAMES
    with pytest.raises(InvalidValueError, match="allowed are at-side"):
        rest_pose("kneeling")


def test_poses_are_where_their_names_say() -> None:
    home = plain_rest_pose("at-side").arms["left"]
    assert np.allclose(home.wrists[0], HOME_WRIST)
    joints = RIG.joints(("leftHand", "rightHand", "leftLowerArm", "rightLowerArm"))
    there, usual = shown(plain_rest_pose("at-side")), home_clip(1, 30.0)
    assert np.abs(there.world_positions - usual.world_positions)[:, joints].max() < 0.01
    rows = {
        name: measure_positions(shown(plain_rest_pose(name)), RIG, "left").values[0]
        for name in NAMES
    }
    assert abs(rows["behind-back"][2]) > np.radians(120.0)
    assert rows["folded"][2] < np.radians(5.0)
    assert 2.5 < rows["folded"][0] < 4.0
    assert 4.0 < rows["clasped"][0] < 5.6
    assert rows["in-pockets"][1] < 0.05
    assert 4.0 < rows["half-rest"][0] < 5.5


@pytest.mark.parametrize("name", REST_POSES)
def test_who_looks_for_rest_poses_finds_them(name: str) -> None:
    for seed in SEEDS:
        assert found_pose(measure_hands(shown(rest_pose(name, seed)), RIG), 0) == name
