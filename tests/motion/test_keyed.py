"""Keyed motion: keys are met, paths are walked by length, and everything survives saving."""

from __future__ import annotations

import json

import numpy as np
import pytest

from kinesphere.animation.arms.poses.home_pose import home_clip
from kinesphere.character.default import default_rig
from kinesphere.errors import InvalidValueError
from kinesphere.maths import quaternion
from kinesphere.motion.body.arms import (
    SIDES,
    Side,
    arm_turns,
    arm_turns_plain,
    chest_limb,
    measure_arm,
    with_arm,
)
from kinesphere.motion.keyed.keyed_motion import ArmKeys, KeyedMotion, KeyTrack, TorsoKeys
from kinesphere.motion.keyed.movement import Movement, SampledCurve, Timing, round_timing
from kinesphere.motion.keyed.sampling import apply_keys, posed_arm, sample_arm
from kinesphere.motion.keyed.torso import with_torso
from tests.conftest import smooth_clip

MIRROR = np.array([-1.0, 1.0, 1.0])
PLACES = np.array(
    [
        [-0.06, -0.48, 0.13],
        [-0.05, -0.1, 0.35],
        [-0.1, -0.2, 0.4],
        [0.1, -0.1, 0.35],
        [-0.2, -0.15, 0.3],
    ]
)


def keys(**values: object) -> ArmKeys:
    goals = [True, True, False, True, True]
    return ArmKeys([0.2, 1.0, 1.4, 1.9, 2.8], PLACES, [0.4, 0.5, 0.3, 0.6, 0.4], goals, **values)


ODD = Movement(
    tension=-1.0,
    elbow_space=0.6,
    joint_space=0.4,
    wrist_bend=0.6,
    twist=0.4,
    twist_frequency=2.0,
    displacement=0.4,
)


@pytest.mark.parametrize(
    "movement", [Movement(), ODD, Movement(tension=1.0), Movement(joint_space=1.0)]
)
def test_goals_are_met_on_time_and_vias_are_passed(movement: Movement) -> None:
    limb = chest_limb(default_rig(), "right")
    k = keys(movements=(movement,) * 3)
    sample = sample_arm(k, limb, k.goal_times)
    assert np.abs(sample.wrists - k.positions[k.goals]).max() < 1e-9
    assert np.abs(sample.swivels - k.swivels[k.goals]).max() < 1e-9
    plain = keys(movements=(Movement(tension=movement.tension),) * 3)
    path = sample_arm(plain, limb, np.linspace(1.0, 1.9, 4000)).wrists
    assert np.linalg.norm(path - PLACES[2], axis=1).min() < 1e-3


def test_a_via_is_passed_at_the_share_that_its_time_gives() -> None:
    limb = chest_limb(default_rig(), "right")
    even = Movement(SampledCurve(np.linspace(0, 1, 11)), rounding_s=0.0)
    sample = sample_arm(keys(movements=(even,) * 3), limb, [1.4])
    assert np.abs(sample.wrists[0] - PLACES[2]).max() < 1e-6


def test_an_even_curve_walks_at_even_speed() -> None:
    limb = chest_limb(default_rig(), "right")
    even = Movement(SampledCurve(np.linspace(0, 1, 11)), rounding_s=0.0, slowing=0.0)
    k = ArmKeys([0.0, 1.0], PLACES[1:3], movements=(even,))
    steps = np.linalg.norm(
        np.diff(sample_arm(k, limb, np.linspace(0, 1, 101)).wrists, axis=0), axis=1
    )
    assert np.ptp(steps) / steps.mean() < 1e-6
    bent = ArmKeys([0.0, 0.5, 1.0], PLACES[1:4], goals=[True, False, True], movements=(even,))
    path = sample_arm(bent, limb, np.linspace(0, 1, 401)).wrists
    # By length within each half; the halves as the Via's time asks.
    half = np.linalg.norm(np.diff(path[:180], axis=0), axis=1)
    assert np.ptp(half) / half.mean() < 1.0


def test_overshoot_goes_on_along_the_tangent_and_comes_back() -> None:
    limb = chest_limb(default_rig(), "right")
    swing = Timing((0.01, 0.5, 0.9), (0.0, 0.5, -0.2))
    for tension in (0.0, 1.0):
        k = ArmKeys(
            [0.0, 1.0], [PLACES[2], PLACES[4]], movements=(Movement(swing, tension=tension),)
        )
        sample = sample_arm(k, limb, np.linspace(0, 1, 201))
        way = (PLACES[4] - PLACES[2]) / np.linalg.norm(PLACES[4] - PLACES[2])
        along = (sample.wrists - PLACES[2]) @ way
        length = along[-1]
        assert along.max() > 1.05 * length
        assert np.abs(sample.wrists[-1] - PLACES[4]).max() < 1e-9


def test_keys_in_the_world_stay_there_while_the_body_moves() -> None:
    rig = default_rig()
    clip = home_clip(121, 60.0)
    lean = np.zeros((121, 3))
    lean[:, 0] = 0.3 * np.sin(np.linspace(0, 6, 121))
    clip = with_torso(clip, rig, {"spine": lean})
    goal = np.array([-0.25, 1.15, 0.35])
    k = ArmKeys([0.3, 0.8, 1.6], [PLACES[0], goal, goal], in_world=[False, True, True])
    arm = measure_arm(apply_keys(KeyedMotion(right=k), clip, rig), rig, "right")
    held = arm.in_world(arm.wrists)[48:97]
    assert np.abs(held - goal).max() < 1e-6


@pytest.mark.parametrize("movement", [Movement(), ODD])
def test_both_arms_are_mirror_images(movement: Movement) -> None:
    rig = default_rig()
    right = keys(movements=(movement,) * 3)
    left = ArmKeys(
        right.times, PLACES * MIRROR, right.swivels, right.goals, movements=(movement,) * 3
    )
    t = np.linspace(0, 3, 91)
    a = sample_arm(right, chest_limb(rig, "right"), t)
    b = sample_arm(left, chest_limb(rig, "left"), t)
    assert np.abs(a.wrists * MIRROR - b.wrists).max() < 1e-12
    turns = posed_arm(chest_limb(rig, "right"), a) * np.array([1, 1, -1, -1])
    same = np.abs(np.sum(turns * posed_arm(chest_limb(rig, "left"), b), axis=-1))
    assert same.min() > 1.0 - 1e-9


def test_a_shift_in_time_shifts_the_motion() -> None:
    limb = chest_limb(default_rig(), "right")
    k = keys(movements=(ODD,) * 3)
    late = ArmKeys(k.times + 0.5, k.positions, k.swivels, k.goals, movements=k.movements)
    t = np.linspace(0, 3, 91)
    a, b = sample_arm(k, limb, t), sample_arm(late, limb, t + 0.5)
    assert np.abs(a.wrists - b.wrists).max() < 1e-9
    assert np.abs(a.flexions - b.flexions).max() < 1e-9


def test_rounding_is_a_moving_average_from_rest_to_rest() -> None:
    q = Timing((0.01, 0.9, 0.99), (0.0, 0.9, 0.0), 2.0)
    t = np.linspace(0, 1, 401)
    smooth = round_timing(q, t, 1.0, 0.12)
    half = 0.06
    for i in (40, 200, 370):
        around = np.linspace(t[i] - half, t[i] + half, 4001)
        wanted = np.mean(q(np.clip((around - half) / (1 - 2 * half), 0, 1)))
        assert smooth[i] == pytest.approx(wanted, abs=2e-4)
    assert smooth[[0, -1]].tolist() == pytest.approx([0.0, 1.0], abs=1e-12)
    assert np.abs(np.diff(smooth, 2)).max() < np.abs(np.diff(q(t), 2)).max()


def test_hands_slow_down_in_bends() -> None:
    limb = chest_limb(default_rig(), "right")
    corner = np.array([[-0.3, -0.2, 0.25], [0.0, -0.1, 0.35], [-0.3, 0.0, 0.25]])
    even = SampledCurve(np.linspace(0, 1, 11))
    speeds = []
    for slowing in (0.0, 0.4):
        m = Movement(even, rounding_s=0.0, slowing=slowing)
        k = ArmKeys([0.0, 0.5, 1.0], corner, goals=[True, False, True], movements=(m,))
        path = sample_arm(k, limb, np.linspace(0, 1, 201)).wrists
        v = np.linalg.norm(np.diff(path, axis=0), axis=1)
        speeds.append(v[95:105].mean() / np.median(v))
    assert speeds[1] < 0.8 * speeds[0]


def test_documents_come_back() -> None:
    k = KeyedMotion(
        keys(
            movements=(
                ODD,
                Movement(SampledCurve(np.array([0.0, 0.3, 1.0]))),
                Movement(Timing(exponent=2.0)),
            )
        ),
        None,
        TorsoKeys(np.array([0.0, 1.0]), {"spine": np.array([[0, 0, 0], [0.1, 0, 0]])}),
        {"blink": KeyTrack([0.0, 1.0], [[0.0], [1.0]])},
    )
    again = KeyedMotion.of(json.loads(json.dumps(k.document())))
    assert again.left is not None
    assert k.left is not None
    assert again.left.movements == k.left.movements
    assert np.array_equal(again.left.positions, k.left.positions)
    assert again.document() == k.document()
    clip = home_clip(60, 30.0)
    a, b = (apply_keys(m, clip, default_rig()) for m in (k, again))
    assert a == b
    assert "blink" in a.channels


def test_an_arm_comes_off_a_clip_and_goes_back(rng: np.random.Generator) -> None:
    rig = default_rig()
    clip = smooth_clip(rig.skeleton, rng)
    for side in SIDES:
        arm = measure_arm(clip, rig, side)
        back = with_arm(clip, rig, side, arm.turns, arm.axes)
        assert np.abs(back.rotations - clip.rotations).max() < 1e-12
        world = clip.world_positions[:, rig.joint(f"{side}Hand")]
        assert np.abs(arm.in_world(arm.wrists) - world).max() < 1e-12
        assert np.abs(arm.from_world(world) - arm.wrists).max() < 1e-12


def test_the_torso_bends_and_the_feet_stay(rng: np.random.Generator) -> None:
    rig = default_rig()
    clip = home_clip(20, 30.0)
    bent = with_torso(
        clip, rig, {"pelvis": [0.2, 0, 0], "spine": [0.3, 0, 0], "neck": [-0.2, 0, 0]}
    )
    feet = rig.joints(("leftFoot", "rightFoot"))
    assert np.abs(bent.world_positions[:, feet] - clip.world_positions[:, feet]).max() < 1e-3
    turn = rig.turn(bent.world_rotations, rig.joint("upperChest"))
    ahead = quaternion.rotate(turn, [0.0, 1.0, 0.0])
    assert np.arctan2(ahead[0, 2], ahead[0, 1]) == pytest.approx(0.5, abs=1e-6)
    fingers = rig.joint("leftIndexProximal")
    assert np.array_equal(bent.rotations[:, fingers], clip.rotations[:, fingers])
    same = with_torso(clip, rig, {"spine": np.zeros(3)})
    assert np.array_equal(same.rotations, clip.rotations)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"times": [0.2, 1.0, 0.9, 1.9, 2.8]}, "key 2 at 0.9 s is not after key 1 at 1 s"),
        ({"goals": [True, True, False, True, False]}, "must be Goals"),
        ({"positions": np.full((5, 3), np.nan)}, "positions"),
        ({"movements": (Movement(),)}, "1 movements for 3 stretches"),
        ({"times": []}, "at least one key"),
    ],
)
def test_bad_keys_are_refused(change: dict[str, object], words: str) -> None:
    values = {
        "times": [0.2, 1.0, 1.4, 1.9, 2.8],
        "positions": PLACES,
        "goals": [True, True, False, True, True],
    }
    with pytest.raises(InvalidValueError, match=words):
        ArmKeys(**{**values, **change})
    with pytest.raises(InvalidValueError, match="allowed are pelvis"):
        TorsoKeys(np.zeros(1), {"belly": np.zeros((1, 3))})
    with pytest.raises(InvalidValueError, match="tension"):
        Movement(tension=2.0)


@pytest.mark.parametrize("side", SIDES)
def test_the_compiled_arm_is_the_plain_one(rng: np.random.Generator, side: Side) -> None:
    limb = chest_limb(default_rig(), side)
    wrists = rng.normal(size=(500, 3)) * 0.3
    wrists[:3] = [[0, 0, 0], [0, 0, -0.4], [0, -2.0, 0]]
    swivels = rng.uniform(-3, 3, 500)
    a, b = arm_turns(limb, wrists, swivels), arm_turns_plain(limb, wrists, swivels)
    fine = np.arange(500) != 1  # straight back the reference direction is undetermined
    assert np.abs(np.abs(np.sum(a * b, axis=-1)) - 1.0)[fine].max() < 1e-9
    turned = a * np.where(np.sum(a * b, axis=-1, keepdims=True) < 0, -1.0, 1.0)
    assert np.abs(turned - b)[fine].max() < 1e-7
