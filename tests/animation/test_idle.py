from __future__ import annotations

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.animation.arms.poses.home_pose import HOME_WRIST, home_clip, home_rotations
from kinesphere.animation.idle.idle_motion import with_idle
from kinesphere.character.joint_limits import limit_excess
from kinesphere.errors import InvalidValueError
from kinesphere.maths import quaternion as quat
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.kinematics import speeds
from kinesphere.pipeline.idle import idle
from tests.conftest import random_rotations, smooth_clip

LONG = 120.0


def test_the_home_pose_is_that_of_standing_people() -> None:
    clip = home_clip(1, 30.0)
    rig = ks.default_rig()
    middle = clip.world_positions[0, rig.joints(("leftUpperArm", "rightUpperArm"))].mean(axis=0)
    for side, sign in (("left", 1), ("right", -1)):
        shoulder, elbow, wrist = (
            clip.joint_positions(f"{side}{p}")[0] for p in ("UpperArm", "LowerArm", "Hand")
        )
        assert wrist - middle == pytest.approx(np.array(HOME_WRIST) * [sign, 1, 1], abs=1e-9)
        a, b = elbow - shoulder, wrist - elbow
        bend = np.degrees(np.arccos(a @ b / np.linalg.norm(a) / np.linalg.norm(b)))
        assert 25 <= bend <= 40
        palm = quat.rotate(
            clip.world_rotations[0, rig.joint(f"{side}Hand")], np.array([0.0, -1, 0])
        )
        assert palm[0] * sign < -0.8
    assert max(float(e.max()) for e in limit_excess(clip, rig).values()) == 0.0
    assert not home_rotations().flags.writeable


def test_sizes_are_those_measured_on_people() -> None:
    take = idle(LONG, seed=3)
    hips = take.clip.joint_positions("hips")
    fore = hips[:, 2]
    assert 0.007 < np.std(fore) < 0.03
    speed = speeds(hips[:, [0, 2]], 60.0)
    # 19 mm/s between shifts of the weight; 50 to 83 mm/s is the side speed of speakers who pause.
    assert 0.015 < np.sqrt(np.mean(speed**2)) < 0.085
    assert 0.05 < np.ptp(hips[:, 0]) < 0.34
    chest = take.clip.joint_positions("upperChest")
    rise = take.clip.joint_positions("leftUpperArm")[:, 1] - chest[:, 1]
    # In the world: the chest leans over the standing leg by far more than it breathes.
    assert 0.002 < np.ptp(rise) < 0.08


def test_feet_stay_where_they_are_and_knees_do_not_lock() -> None:
    take = idle(30.0, amount=0.999, seed=3)
    rig = ks.default_rig()
    feet = take.clip.world_positions[:, rig.joints(("leftFoot", "rightFoot"))]
    assert np.ptp(feet, axis=0).max() < 1e-6
    assert max(float(e.max()) for e in limit_excess(take.clip, rig).values()) < np.radians(0.5)


def test_blinks_are_real_blinks() -> None:
    blink = idle(LONG, seed=5).clip.channels["blink"]
    starts = np.flatnonzero((blink[1:] > 0.5) & (blink[:-1] <= 0.5))
    assert 10 <= len(starts) / LONG * 60 <= 35
    closed = np.mean(blink > 0.5)
    assert 0.02 < closed < 0.12
    assert blink.max() > 0.99


def test_eyes_glance_and_the_head_is_steadier_than_the_trunk() -> None:
    clip = idle(30.0, seed=2).clip
    eye = quat.angle(clip.rotations[:, clip.skeleton.index("leftEye")])
    # Looks aside are 11 to 15 degrees, a quarter of the time; the head takes a part.
    assert 2.0 < np.degrees(np.sqrt(np.mean(eye**2))) < 7.5
    left, right = (clip.rotations[:, clip.skeleton.index(f"{k}Eye")] for k in ("left", "right"))
    # They differ by the angle at which both meet on the speaker.
    assert np.degrees(quat.angle_between(left, right)).max() < 4.0


def test_no_jumps() -> None:
    clip = idle(30.0, seed=4).clip
    legs = ("Leg", "Foot", "Toes")
    speed = speeds(clip.world_positions, clip.fps)
    for stepping, most, jump in ((False, 1.4, 0.12), (True, 1.6, 0.6)):
        names = [n for n in clip.skeleton.names if "Eye" not in n and n.endswith(legs) == stepping]
        part = speed[:, [clip.skeleton.index(n) for n in names]]
        assert part.max() < most
        assert np.abs(np.diff(part, axis=0)).max() < jump


def test_seeds_and_amount() -> None:
    assert idle(3.0, seed=1).clip == idle(3.0, seed=1).clip
    assert idle(3.0, seed=1).clip != idle(3.0, seed=2).clip
    still = home_clip(60, 30.0)
    assert with_idle(still, ks.default_rig(), 0.0) is still
    small, large = (
        np.ptp(with_idle(home_clip(900, 30.0), ks.default_rig(), a, 3).root_positions, axis=0)[2]
        for a in (0.5, 2.0)
    )
    assert large == pytest.approx(4 * small, rel=0.05)
    for bad in (-0.1, 3.5, float("nan")):
        with pytest.raises(InvalidValueError, match="amount"):
            with_idle(still, ks.default_rig(), bad)
    with pytest.raises(InvalidValueError, match="duration"):
        idle(0.0)


def test_idle_rides_on_any_motion_and_any_axes(rng: np.random.Generator) -> None:
    base = ks.default_skeleton()
    clip = smooth_clip(base, rng, frames=90, size=0.1)
    alive = with_idle(clip, ks.default_rig(), 1.0, 7)
    axes = random_rotations(rng, len(base))
    axes[0] = quat.IDENTITY
    above = np.array([axes[p] if p >= 0 else quat.IDENTITY for p in base.parents])
    other = ks.Skeleton(
        base.names,
        base.parents,
        quat.rotate(quat.inverse(above), base.offsets),
        quat.multiply(quat.inverse(above), axes),
    )
    moved = ks.Clip(
        other,
        clip.fps,
        clip.root_positions,
        quat.multiply(quat.multiply(quat.inverse(above), clip.rotations), axes),
    )
    same = with_idle(moved, Rig(other, ks.default_rig().bones), 1.0, 7)
    assert np.abs(same.world_positions - alive.world_positions).max() < 1e-6
    assert np.abs(alive.world_positions - clip.world_positions).max() > 0.005
