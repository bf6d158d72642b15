from __future__ import annotations

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.errors import InvalidValueError
from kinesphere.maths import quaternion as quat
from kinesphere.maths.arrays import Floats
from kinesphere.maths.euler import wrap
from kinesphere.motion.body.limbs import Limb, limb_of, reach, roll_forearm, solve, swivel_of
from kinesphere.motion.kinematics import forward_kinematics
from tests.conftest import random_rotations

ARM = ("UpperArm", "LowerArm", "Hand")
LEG = ("UpperLeg", "LowerLeg", "Foot")


def limb(
    side: str, parts: tuple[str, str, str], skeleton: ks.Skeleton | None = None
) -> tuple[Limb, list[int], ks.Skeleton]:
    skeleton = skeleton or ks.default_skeleton()
    joints = [skeleton.index(f"{side}{p}") for p in parts]
    sign = 1 if side == "left" else -1
    towards, base, zero = (
        ([0, 0, 1], [0, 0, 1], [0, -1, 0]) if parts == ARM else ([0, 0, -1], [0, -1, 0], [0, 0, 1])
    )
    return (
        limb_of(skeleton, (joints[0], joints[1], joints[2]), towards, base, zero, sign),
        joints,
        skeleton,
    )


def posed(skeleton: ks.Skeleton, joints: list[int], ball: Floats, hinge: Floats) -> Floats:
    """Positions of the whole body with one limb posed, its parent at rest."""
    rotations = np.broadcast_to(skeleton.rest_rotations, (len(ball), len(skeleton), 4)).copy()
    parent = skeleton.rest_world_rotations[skeleton.parents[joints[0]]]
    rotations[:, joints[0]] = quat.relative(parent, ball)
    rotations[:, joints[1]] = hinge
    return forward_kinematics(
        skeleton, rotations, np.broadcast_to(skeleton.offsets[0], (len(ball), 3))
    )[1]


def targets(rng: np.random.Generator, chain: Limb, origin: Floats, count: int) -> Floats:
    direction = rng.normal(size=(count, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    least = abs(chain.upper_length - chain.lower_length) + 1e-6
    return np.asarray(origin + direction * rng.uniform(least, chain.reach, size=(count, 1)))


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("parts", [ARM, LEG])
def test_ten_thousand_reachable_targets(
    side: str, parts: tuple[str, str, str], rng: np.random.Generator
) -> None:
    chain, joints, skeleton = limb(side, parts)
    ball = skeleton.rest_world_positions[joints[0]]
    aims = targets(rng, chain, ball, 10_000)
    swivels = rng.uniform(-np.pi, np.pi, size=10_000)
    pose = solve(chain, ball, aims, swivels)
    places = posed(skeleton, joints, pose.ball, pose.hinge)
    assert np.abs(places[:, joints[2]] - aims).max() < 1e-9
    assert np.abs(places[:, joints[1]] - pose.hinge_position).max() < 1e-9
    found = swivel_of(chain, places[:, joints[0]], places[:, joints[1]], places[:, joints[2]])
    straight = np.linalg.norm(aims - ball, axis=1) > chain.reach * (1 - 1e-9)
    assert np.abs(wrap(found - swivels))[~straight].max() < 1e-6


def test_the_hinge_turns_about_one_axis(rng: np.random.Generator) -> None:
    chain, joints, skeleton = limb("left", ARM)
    pose = solve(chain, np.zeros(3), targets(rng, chain, np.zeros(3), 500), 0.3)
    turn = quat.multiply(pose.hinge, quat.inverse(chain.hinge_rest))
    swing, _ = quat.swing_twist(turn, chain.hinge_axis)
    assert quat.angle(swing).max() < 1e-7


def test_rigs_with_any_axes_and_a_bent_rest_pose(rng: np.random.Generator) -> None:
    base = ks.default_skeleton()
    rest = random_rotations(rng, len(base))
    skeleton = ks.Skeleton(base.names, base.parents, base.offsets, rest)
    chain, joints, _ = limb("left", ARM, skeleton)
    ball = skeleton.rest_world_positions[joints[0]]
    aims = targets(rng, chain, ball, 500)
    pose = solve(chain, ball, aims, rng.uniform(-3, 3, size=500))
    assert np.abs(posed(skeleton, joints, pose.ball, pose.hinge)[:, joints[2]] - aims).max() < 1e-9


def test_continuous_through_full_extension() -> None:
    chain, joints, skeleton = limb("right", ARM)
    ball = skeleton.rest_world_positions[joints[0]]
    direction = np.array([-0.6, -0.1, 0.8]) / np.linalg.norm([-0.6, -0.1, 0.8])
    distance = chain.reach + np.linspace(-1e-4, 1e-4, 2001)
    pose = solve(chain, ball, ball + distance[:, None] * direction, 0.4)
    places = posed(skeleton, joints, pose.ball, pose.hinge)
    # A straight limb folds like a square root: 0.1 micrometre of target moves the elbow 0.1 mm.
    assert np.abs(np.diff(places[:, joints[1]], axis=0)).max() < 3e-4
    assert quat.angle_between(pose.ball[1:], pose.ball[:-1]).max() < 2e-3
    past = places[distance > chain.reach, joints[2]]
    assert np.abs(past - (ball + chain.reach * direction)).max() < 1e-9


def test_unreachable_and_degenerate_targets_are_finite() -> None:
    chain, joints, skeleton = limb("left", ARM)
    ball = skeleton.rest_world_positions[joints[0]]
    aims = np.array([ball, ball + [0, 0, -9.0], ball + [0, 0, -1e-9], ball + [1e5, 0, 0]])
    pose = solve(chain, ball, aims, 0.0)
    assert np.isfinite(pose.ball).all()
    assert np.isfinite(pose.hinge).all()


def test_swivel_zero_hangs_the_elbow_and_positive_is_outward() -> None:
    for side, sign in (("left", 1.0), ("right", -1.0)):
        chain, _, _ = limb(side, ARM)
        forward = solve(chain, np.zeros(3), np.array([0.0, 0.0, 0.4]), 0.0)
        assert forward.hinge_position[1] < -0.1
        assert abs(forward.hinge_position[0]) < 1e-12
        outward = solve(chain, np.zeros(3), np.array([0.0, 0.0, 0.4]), 0.5)
        assert sign * outward.hinge_position[0] > 0.03
        hanging = solve(chain, np.zeros(3), np.array([0.0, -0.5, 0.0]), 0.0)
        assert hanging.hinge_position[2] < -0.01
    knee, _, _ = limb("left", LEG)
    assert solve(knee, np.zeros(3), np.array([0.0, -0.7, 0.0]), 0.0).hinge_position[2] > 0.05


def test_mirror_symmetry(rng: np.random.Generator) -> None:
    left, _, _ = limb("left", ARM)
    right, _, _ = limb("right", ARM)
    aims = targets(rng, left, np.zeros(3), 200)
    swivels = rng.uniform(-3, 3, size=200)
    flip = np.array([-1.0, 1.0, 1.0])
    a, b = solve(left, np.zeros(3), aims, swivels), solve(right, np.zeros(3), aims * flip, swivels)
    assert np.abs(a.hinge_position * flip - b.hinge_position).max() < 1e-12
    assert quat.angle_between(a.ball * np.array([1, 1, -1, -1]), b.ball).max() < 1e-7


def test_reach_moves_the_end_and_keeps_the_swivel(rng: np.random.Generator) -> None:
    chain, _, _ = limb("left", ARM)
    ball = np.array([0.2, 1.4, 0.0])
    start = solve(chain, ball, targets(rng, chain, ball, 300), rng.uniform(-1, 1, size=300))
    aims = start.end_position + rng.normal(scale=0.02, size=(300, 3))
    distance = np.linalg.norm(aims - ball, axis=1)
    near = (distance < chain.reach) & (distance > abs(chain.upper_length - chain.lower_length))
    upper, lower = reach(ball, start.hinge_position, start.end_position, aims, [0.0, -1.0, 0.0])
    elbow = ball + quat.rotate(upper, start.hinge_position - ball)
    wrist = elbow + quat.rotate(lower, start.end_position - start.hinge_position)
    assert np.abs(wrist - aims)[near].max() < 1e-9
    still_upper, still_lower = reach(
        ball, start.hinge_position, start.end_position, start.end_position, [0.0, -1, 0]
    )
    assert quat.angle(still_upper).max() < 1e-6
    assert quat.angle(still_lower).max() < 1e-6


def test_bad_limbs_are_refused() -> None:
    skeleton = ks.default_skeleton()
    upper, lower, hand = (skeleton.index(f"left{p}") for p in ARM)
    with pytest.raises(InvalidValueError, match="parent"):
        limb_of(skeleton, (upper, hand, lower), [0, 0, 1], [0, 0, 1], [0, -1, 0], 1)
    with pytest.raises(InvalidValueError, match="bend"):
        limb_of(skeleton, (upper, lower, hand), [1, 0, 0], [0, 0, 1], [0, -1, 0], 1)
    with pytest.raises(InvalidValueError, match="side"):
        limb_of(skeleton, (upper, lower, hand), [0, 0, 1], [0, 0, 1], [0, -1, 0], 2)


def test_a_knee_that_passes_through_straight_bends_the_right_way() -> None:
    """Bent a hair forward or backward, both knees come forward when the foot is raised."""
    hip, foot_up = np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.2, 0.0])
    knees = []
    for lean in (1e-4, -1e-4, 0.02, -0.02):
        upper, _ = reach(
            hip, np.array([0.0, 0.5, 0.0]), np.array([0.0, 0.0, lean]), foot_up, [1.0, 0.0, 0.0]
        )
        knees.append(hip + quat.rotate(upper, np.array([0.0, -0.5, 0.0])))
    assert all(knee[2] > 0.25 for knee in knees)
    assert np.abs(np.array(knees) - knees[0]).max() < 0.05


def test_the_forearm_takes_the_roll(rng: np.random.Generator) -> None:
    chain, joints, skeleton = limb("left", ARM)
    hinge, hand = random_rotations(rng, 50), random_rotations(rng, 50)
    new_hinge, new_hand = roll_forearm(chain, hinge, hand)
    assert (
        quat.angle_between(quat.multiply(new_hinge, new_hand), quat.multiply(hinge, hand)).max()
        < 1e-7
    )
    axis = chain.end_offset / np.linalg.norm(chain.end_offset)
    assert np.abs(quat.twist_angle(new_hand, axis)).max() < 1e-6
    assert np.abs(quat.rotate(new_hinge, axis) - quat.rotate(hinge, axis)).max() < 1e-12
