"""Parts of one motion on another's body: the base where nothing is active, no pops between."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.animation.arms.poses.home_pose import home_clip
from kinesphere.bodylanguage.play import layering
from kinesphere.bodylanguage.streams import ARMS, HEAD, LOWER
from kinesphere.errors import InvalidValueError
from kinesphere.evaluation.artefacts import limit_breaches
from kinesphere.figure.arms.arm_overlay import arm_poses, with_arms
from kinesphere.figure.clearance import Posed
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.maths.curves import smoothstep
from kinesphere.motion.body.arms import SIDES, chest_limb
from kinesphere.motion.body.body_volume import hand_depth
from kinesphere.motion.clip import Clip, rest_clip
from kinesphere.motion.kinematics import forward_kinematics_plain

FPS = 60.0
RIG = ks.default_rig()


def with_moving_arms(clip: Clip, lift: Floats) -> Clip:
    """Arms raised to gesture space by a lift ``[frames]``, where they are on the move."""
    poses = arm_poses(clip.rotations, clip.world_rotations)
    t = clip.times[:, None, None]
    way = np.array([-0.04, 0.28, 0.2]) + np.array([0.06, 0.12, 0.08]) * np.sin(
        7.0 * t + np.arange(6.0).reshape(2, 3)
    )
    way = way * np.array([[1.0, 1.0, 1.0], [-1.0, 1.0, 1.0]])
    wrists = poses.wrists + lift[:, None, None] * way
    moving = poses._replace(wrists=wrists, rolls=poses.rolls + 0.6 * lift[:, None] * way[..., 1])
    posed = Posed(clip.rotations, clip.root_positions, clip.world_rotations)
    made = with_arms(posed, moving, np.ones((len(clip), 2)))
    return Clip(clip.skeleton, FPS, made.root_positions, made.rotations)


@cache
def talking() -> Clip:
    """Rest, gestures of arms and head from 2 to 6 s, rest."""
    clip = home_clip(600, FPS)
    t = clip.times
    busy = smoothstep((t - 2.0) / 0.6) * (1.0 - smoothstep((t - 6.0) / 0.8))
    rotations = clip.rotations.copy()
    turn = np.stack([0.15 * np.sin(6.0 * t), 0.2 * np.sin(4.0 * t), 0.0 * t], axis=-1)
    rotations[:, RIG.joint("head")] = quaternion.exp(busy[:, None] * turn)
    still = Clip(clip.skeleton, FPS, clip.root_positions, rotations, channels={"aa": busy})
    made = with_moving_arms(still, busy)
    return Clip(clip.skeleton, FPS, made.root_positions, made.rotations, channels={"aa": busy})


@cache
def walking() -> Clip:
    """Somebody who goes forward, legs, hips, back and arms swinging."""
    clip = home_clip(720, FPS)
    t = clip.times
    swing = np.sin(5.5 * t)
    rotations = clip.rotations.copy()
    for bone, axis, size in (
        ("leftUpperLeg", 0, -0.4),
        ("rightUpperLeg", 0, 0.4),
        ("hips", 1, 0.08),
        ("spine", 1, -0.1),
        ("upperChest", 1, -0.08),
    ):
        turn = np.zeros((len(t), 3))
        turn[:, axis] = size * swing
        rotations[:, RIG.joint(bone)] = quaternion.exp(turn)
    root = clip.root_positions + np.stack([0 * t, 0.02 * np.cos(11.0 * t), 1.2 * t], axis=-1)
    clip = Clip(clip.skeleton, FPS, root, rotations)
    poses = arm_poses(clip.rotations, clip.world_rotations)
    wrists = poses.wrists + np.array([[0.09, 0.02, 0.0], [-0.09, 0.02, 0.0]])
    wrists[:, 0, 2] += 0.12 * swing
    wrists[:, 1, 2] -= 0.12 * swing
    posed = Posed(clip.rotations, clip.root_positions, clip.world_rotations)
    made = with_arms(posed, poses._replace(wrists=wrists), np.ones((len(t), 2)))
    return Clip(clip.skeleton, FPS, root, made.rotations)


def arm_joints() -> list[int]:
    names = RIG.skeleton.names
    legs = ("Leg", "Foot", "Toes", "Eye")
    return [
        j
        for j, n in enumerate(names)
        if n.startswith(("left", "right")) and not any(part in n for part in legs)
    ]


def test_arms_as_numbers_are_the_arms() -> None:
    """Plain forward kinematics agrees, and numbers put on another body come back."""
    clip = walking()
    poses = arm_poses(clip.rotations, clip.world_rotations)
    turns, places = forward_kinematics_plain(RIG.skeleton, clip.rotations, clip.root_positions)
    chest = quaternion.inverse(turns[:, RIG.joint("upperChest")])
    for k, side in enumerate(SIDES):
        ball, hand = RIG.joints((f"{side}UpperArm", f"{side}Hand"))
        own = quaternion.rotate(chest, places[:, hand] - places[:, ball])
        # The figure's forearms are not quite along their axes.
        assert np.abs(own - poses.wrists[:, k]).max() < 0.003
        assert np.linalg.norm(own, axis=1).max() < sum(
            (chest_limb(RIG, side).upper_length, chest_limb(RIG, side).lower_length)
        )
    other = home_clip(len(clip), FPS)
    posed = Posed(other.rotations, other.root_positions, other.world_rotations)
    made = with_arms(posed, poses, np.ones((len(clip), 2)))
    off = quaternion.angle_between(made.rotations[:, arm_joints()], clip.rotations[:, arm_joints()])
    assert off.max() < 1e-6


def test_bit_equal_where_nothing_is_active_and_outside_of_the_parts() -> None:
    base, made = walking(), talking()
    nothing = layering.layer(base, made, layering.PARTS[:3], np.zeros((len(made), 3)))
    assert nothing == base
    arms = layering.layer(base, made, ("arms",), np.ones((len(made), 3)))
    others = np.setdiff1d(np.arange(len(RIG.skeleton)), arm_joints())
    assert np.array_equal(arms.rotations[:, others], base.rotations[:, others])
    assert np.array_equal(arms.root_positions, base.root_positions)
    assert not np.array_equal(arms.rotations, base.rotations)
    quiet = layering.activity(made)[:, ARMS] == 0.0
    assert quiet.sum() > 60
    usual = layering.layer(base, made)
    rows = np.flatnonzero(quiet)
    assert np.array_equal(usual.rotations[rows], base.rotations[rows])


def test_full_activity_has_the_arms_as_they_were_to_the_chest() -> None:
    base, made = walking(), talking()
    out = layering.layer(base, made, ("arms",), np.ones((len(made), 3)))
    ours = arm_poses(out.rotations, out.world_rotations)
    theirs = arm_poses(made.rotations, made.world_rotations)
    frames = len(made)
    off = np.linalg.norm(ours.wrists[:frames] - theirs.wrists, axis=-1)
    assert off.max() < 1e-6


def test_activity_is_smooth_within_bounds_and_says_who_gestures() -> None:
    clip = talking()
    found = layering.activity(clip)
    assert found.min() >= 0.0
    assert found.max() <= 1.0
    assert np.abs(np.diff(found, axis=0)).max() < 0.1
    assert np.abs(np.diff(found, 2, axis=0)).max() < 0.03
    t = clip.times
    assert np.all(found[t < 1.9] == 0.0)
    assert np.all(found[(t > 3.0) & (t < 6.0)][:, (HEAD, ARMS)] > 0.95)
    assert np.all(found[t > 9.0] < 0.02)
    assert np.all(found[:, LOWER] == 0.0)


def test_activity_sees_only_what_was_shown() -> None:
    clip = talking()
    changed = clip.rotations.copy()
    changed[200:] = walking().rotations[200:600]
    other = Clip(clip.skeleton, FPS, clip.root_positions, changed)
    a, b = layering.activity(clip), layering.activity(other)
    assert np.array_equal(a[:200], b[:200])
    assert not np.array_equal(a[200:], b[200:])


def test_activity_of_chunks_and_of_many_characters() -> None:
    clips = (
        talking(),
        Clip(RIG.skeleton, FPS, walking().root_positions[:600], walking().rotations[:600]),
    )
    rotations = np.stack([c.rotations for c in clips])
    roots = np.stack([c.root_positions for c in clips])
    state, at, parts = layering.start(FPS, 2), 0, []
    for size in (1, 0, 7, 90, 1, 200, 301):
        state, found = layering.step(state, rotations[:, at : at + size], roots[:, at : at + size])
        assert found.shape == (2, size, 3)
        parts.append(found)
        at += size
    whole = np.concatenate(parts, axis=1)
    for c, clip in enumerate(clips):
        assert np.array_equal(whole[c], layering.activity(clip))


@pytest.mark.parametrize("parts", [("arms",), ("arms", "head", "torso")])
def test_no_pops_no_hand_in_the_body_and_within_limits(parts: tuple[str, ...]) -> None:
    base, made = walking(), talking()
    out = layering.layer(base, made, parts, start_s=1.0)
    for side in SIDES:
        for clip, most in ((base, 15.0), (out, 45.0)):
            path = clip.joint_positions(f"{side}Hand")
            assert (np.linalg.norm(np.diff(path, 2, axis=0), axis=1) * FPS**2).max() < most
        assert hand_depth(out, RIG, side).max() < 0.003
    assert limit_breaches(made, RIG).share == 0.0
    assert limit_breaches(out, RIG).share == 0.0


def test_hands_that_were_inside_the_body_come_out_gently() -> None:
    base, made = home_clip(720, FPS), talking()
    rotations = base.rotations.copy()
    for side, sign in (("left", 1.0), ("right", -1.0)):
        joint = RIG.joint(f"{side}UpperArm")
        inward = quaternion.exp(np.array([0.12, 0.0, -0.12 * sign]))
        rotations[:, joint] = quaternion.multiply(inward, rotations[:, joint])
    base = Clip(base.skeleton, FPS, base.root_positions, rotations)
    assert hand_depth(base, RIG, "left").min() > 0.015
    out = layering.layer(base, made, ("arms",), start_s=1.0)
    active = layering.activity(made)[:, ARMS] > 0.5
    rows = np.flatnonzero(active) + 60
    for side in SIDES:
        path = out.joint_positions(f"{side}Hand")
        assert (np.linalg.norm(np.diff(path, 2, axis=0), axis=1) * FPS**2).max() < 45.0
        assert hand_depth(out.select_frames(rows), RIG, side).max() < 0.003


def test_what_begins_later_and_ends_before_leaves_without_a_trace() -> None:
    base, made = walking(), talking()
    short = made.frames(0, 300)  # ends in the middle of a gesture
    out = layering.layer(base, short, ("arms", "head"), start_s=2.0)
    first, last = 120, 120 + 300 + round(0.6 * FPS) + 1
    assert np.array_equal(out.rotations[:first], base.rotations[:first])
    assert np.array_equal(out.rotations[last:], base.rotations[last:])
    path = out.joint_positions("rightHand")
    assert (np.linalg.norm(np.diff(path, 2, axis=0), axis=1) * FPS**2).max() < 45.0


def test_face_goes_along() -> None:
    base, made = walking(), talking()
    out = layering.layer(base, made, ("face",), start_s=1.0)
    assert np.array_equal(out.channels["aa"][60:660], made.channels["aa"])
    assert not out.channels["aa"][:60].any()
    assert np.array_equal(out.rotations[:, arm_joints()], base.rotations[:, arm_joints()])


def test_errors() -> None:
    base, made = walking(), talking()
    with pytest.raises(InvalidValueError, match="part 'legs', allowed are arms, head, torso, face"):
        layering.layer(base, made, ("legs",))
    with pytest.raises(InvalidValueError, match="activity has shape"):
        layering.layer(base, made, ("arms",), np.zeros((3, 3)))
    with pytest.raises(InvalidValueError, match="the base has 60 frames per second"):
        layering.layer(base, rest_clip(RIG.skeleton, 5, 30.0))
    small = ks.Skeleton(("root",), (-1,), np.zeros((1, 3)))
    with pytest.raises(InvalidValueError, match="not on the default figure"):
        layering.layer(rest_clip(small, 5, 60.0), made)
