from __future__ import annotations

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.character.joint_limits import bone_rotations, joint_limits, limit_excess
from kinesphere.errors import InvalidValueError
from kinesphere.maths import quaternion as quat
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.limits import JointLimit
from kinesphere.motion.body.look_at import LookAtSettings, look_at
from kinesphere.motion.kinematics import forward_kinematics_plain
from tests.conftest import random_rotations


def gaze_error(
    target: np.ndarray, chest_turn: np.ndarray, settings: LookAtSettings | None = None
) -> float:
    rig = ks.default_rig()
    skeleton = rig.skeleton
    rotations = skeleton.rest_rotations.copy()
    rotations[rig.joint("upperChest")] = chest_turn
    world, places = forward_kinematics_plain(skeleton, rotations, skeleton.offsets[0])
    neck, head = rig.joint("neck"), rig.joint("head")
    turns = look_at(rig, world[skeleton.parents[neck]], places[neck], target, settings)
    rotations[neck], rotations[head] = turns
    world, places = forward_kinematics_plain(skeleton, rotations, skeleton.offsets[0])
    eyes = places[rig.joints(("leftEye", "rightEye"))].mean(axis=0)
    face = quat.rotate(world[head], np.array([0.0, 0.0, 1.0]))
    wanted = (target - eyes) / np.linalg.norm(target - eyes)
    return float(np.arccos(np.clip(face @ wanted, -1, 1)))


def test_the_face_points_at_the_target(rng: np.random.Generator) -> None:
    for _ in range(50):
        target = np.array([rng.uniform(-1.5, 1.5), rng.uniform(0.8, 2.2), rng.uniform(1.0, 4.0)])
        chest = quat.exp(rng.uniform(-0.15, 0.15, size=3))
        assert gaze_error(target, chest) < 1e-5


def test_limits_and_share() -> None:
    assert gaze_error(np.array([0.0, 1.6, -3.0]), quat.identity()) > np.radians(80)
    rig = ks.default_rig()
    place = rig.skeleton.rest_world_positions[rig.joint("neck")]
    side = np.array([2.0, 1.6, 2.0])
    neck, head = look_at(rig, quat.identity(), place, side, LookAtSettings(neck_ratio=0.0))
    assert float(quat.angle(neck)) < 1e-9
    neck, head = look_at(rig, quat.identity(), place, side, LookAtSettings(neck_ratio=1.0))
    assert float(quat.angle(head)) < 1e-7
    with pytest.raises(InvalidValueError, match="neck_ratio"):
        LookAtSettings(neck_ratio=1.5)


@pytest.mark.parametrize("bone", sorted(joint_limits()))
def test_clamping_ends_inside_and_keeps_what_is_inside(bone: str, rng: np.random.Generator) -> None:
    limit = joint_limits()[bone]
    turns = random_rotations(rng, 300)
    clamped = limit.clamp(turns)
    assert limit.excess(clamped).max() < 1e-6
    assert quat.angle_between(limit.clamp(clamped), clamped).max() < 1e-6
    inside = limit.excess(turns) == 0.0
    assert np.array_equal(clamped[inside], turns[inside])


def test_the_rest_pose_is_within_every_limit() -> None:
    for bone, limit in joint_limits().items():
        assert float(limit.excess(quat.identity())) == 0.0, bone


@pytest.mark.parametrize(
    ("bone", "axis", "degrees", "allowed"),
    [
        ("leftLowerArm", (0, -1, 0), 145, True),
        ("leftLowerArm", (0, -1, 0), 160, False),
        ("leftLowerArm", (0, 1, 0), 12, False),
        ("rightLowerArm", (0, 1, 0), 145, True),
        ("rightLowerArm", (0, -1, 0), 12, False),
        ("leftLowerLeg", (1, 0, 0), 140, True),
        ("leftLowerLeg", (-1, 0, 0), 15, False),
        ("leftUpperLeg", (-1, 0, 0), 115, True),
        ("leftUpperLeg", (1, 0, 0), 60, False),
        ("leftHand", (0, 0, -1), 75, True),
        ("leftHand", (0, 0, -1), 95, False),
        ("head", (1, 0, 0), 45, False),
        ("leftIndexProximal", (0, 0, -1), 85, True),
        ("rightIndexProximal", (0, 0, 1), 85, True),
        ("leftUpperArm", (0, 0, -1), 80, True),
        ("leftUpperArm", (0, 0, 1), 85, True),
        ("leftUpperArm", (0, -1, 0), 100, True),
        ("leftUpperArm", (0, 1, 0), 90, False),
    ],
)
def test_known_movements(bone: str, axis: tuple[int, ...], degrees: float, allowed: bool) -> None:
    turn = quat.from_axis_angle(np.array(axis, float), np.radians(degrees))
    assert (float(joint_limits()[bone].excess(turn)) == 0.0) == allowed


def test_limits_are_mirror_images(rng: np.random.Generator) -> None:
    turns = random_rotations(rng, 200)
    for bone, limit in joint_limits().items():
        if bone.startswith("left"):
            other = joint_limits()["right" + bone[4:]]
            assert (
                np.abs(limit.excess(turns) - other.excess(turns * np.array([1, 1, -1, -1]))).max()
                < 1e-6
            )


def test_excess_of_a_clip_is_the_same_on_any_axes(rng: np.random.Generator) -> None:
    base = ks.default_skeleton()
    elbow = base.index("leftLowerArm")
    rotations = base.rest_rotations.copy()[None]
    rotations[0, elbow] = quat.from_axis_angle([0.0, -1, 0], np.radians(170))
    clip = ks.Clip(base, 30.0, base.offsets[:1], rotations)
    excess = limit_excess(clip, ks.default_rig())
    assert float(excess["leftLowerArm"][0]) == pytest.approx(np.radians(20), abs=1e-2)
    assert max(float(v[0]) for b, v in excess.items() if b != "leftLowerArm") < 1e-2
    assert set(bone_rotations(clip, ks.default_rig())) == set(base.names)


def test_bad_limits_are_refused() -> None:
    good = {
        "bone_axis": np.array([1.0, 0, 0]),
        "first_axis": np.array([0.0, 1, 0]),
        "first_range": (-1.0, 1.0),
        "second_range": (-1.0, 1.0),
        "twist_range": (-1.0, 1.0),
        "centre": quat.identity(),
    }
    for change in (
        {"first_axis": np.array([1.0, 0, 0])},
        {"first_range": (0.5, 1.0)},
        {"twist_range": (1.0, -1.0)},
    ):
        with pytest.raises(InvalidValueError):
            JointLimit(**{**good, **change})  # type: ignore[arg-type]


def excess_plain(limit: JointLimit, rotations: Floats) -> Floats:
    """Reference implementation of `JointLimit.excess`."""
    swing, twist, _ = limit._split(rotations)
    fraction = limit._fraction(swing)
    over = np.linalg.norm(swing, axis=-1) * np.maximum(0.0, 1.0 - 1.0 / np.maximum(fraction, 1.0))
    low, high = limit.twist_range
    beyond = np.maximum(0.0, np.maximum(low - twist, twist - high))
    return np.asarray(np.hypot(over, beyond))


def test_the_compiled_excess_is_the_plain_one(rng: np.random.Generator) -> None:
    from kinesphere.character.joint_limits import joint_limits

    turns = random_rotations(rng, 400)
    turns = np.concatenate(
        [turns, [[1.0, 0, 0, 0], [0, 1.0, 0, 0], [0, 0, 1.0, 0], [0, 0, 0, 1.0]]]
    )
    for name, limit in joint_limits().items():
        assert limit.excess(turns) == pytest.approx(excess_plain(limit, turns), abs=1e-9), name
    assert limit.excess(turns[0]).shape == ()
