"""From numbers to a clip: wrists are where the tracks say, and feet stay."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesphere.animation.arms.poses.arm_pose import hand_orientation, limb_of_side, shoulders_of
from kinesphere.animation.arms.poses.rest_poses import rest_poses
from kinesphere.animation.posing import HandFrames, HeadTurns, pose_clip
from kinesphere.animation.trunk_motion import TrunkMotion, chest_origin
from kinesphere.character.default import default_rig
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import SIDES, Side, sign_of
from kinesphere.motion.clip import Clip
from tests.animation.standing import HIPS, feet

RIG = default_rig()
HALF = rest_poses(["half-rest"], plain=True)["half-rest"]


def waves(rng: np.random.Generator, frames: int, *sizes: float) -> Floats:
    t = np.arange(frames)[:, None] / 60.0
    phase = rng.uniform(0.0, 6.28, len(sizes))
    return np.array(sizes) * np.sin(2.0 * np.pi * rng.uniform(0.2, 1.0, len(sizes)) * t + phase)


def body(rng: np.random.Generator, frames: int) -> TrunkMotion:
    hips = waves(rng, frames, 0.04, 0.01, 0.02) - [0.0, 0.022, 0.0]
    collars = {side: waves(rng, frames, 0.0, 0.1, 0.15) for side in SIDES}
    return TrunkMotion(
        HIPS + hips,
        waves(rng, frames, 0.05, 0.3, 0.05),
        waves(rng, frames, 0.3, 0.4, 0.2),
        feet(frames),
        collars,
    )


def hand(rng: np.random.Generator, side: Side, frames: int) -> HandFrames:
    pose = HALF[side]
    return HandFrames(
        pose.wrist + [0.0, 0.1, 0.0] + waves(rng, frames, 0.08, 0.12, 0.1),
        pose.swivel + waves(rng, frames, 0.4)[:, 0],
        pose.angles + waves(rng, frames, 0.5, 0.5, 0.2),
        pose.fingers + 10.0 * waves(rng, frames, *[1.0] * 21),
        waves(rng, frames, 0.0, 0.1, 0.1),
    )


def head(rng: np.random.Generator, frames: int) -> HeadTurns:
    return HeadTurns(*(waves(rng, frames, 0.2, 0.3, 0.1) for _ in range(3)))


def moving(seed: int, frames: int = 40) -> tuple[TrunkMotion, dict[Side, HandFrames], HeadTurns]:
    rng = np.random.default_rng(seed)
    return body(rng, frames), {side: hand(rng, side, frames) for side in SIDES}, head(rng, frames)


def clip_of(seed: int, frames: int = 40) -> tuple[Clip, dict[Side, HandFrames]]:
    trunk, hands, looks = moving(seed, frames)
    return pose_clip(60.0, trunk, hands, looks), hands


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000))
def test_wrists_are_where_they_should_be_in_the_chest_frame(seed: int) -> None:
    clip, hands = clip_of(seed)
    chest = RIG.joint("upperChest")
    axes = clip.world_rotations[:, chest]
    origin = clip.world_positions[:, chest] + quaternion.rotate(axes, chest_origin())
    for side in SIDES:
        wrist = clip.world_positions[:, RIG.joint(f"{side}Hand")] - origin
        found = quaternion.rotate(quaternion.inverse(axes), wrist)
        away = np.linalg.norm(hands[side].wrists - shoulders_of(side, hands[side].collars), axis=1)
        reach = limb_of_side(side).reach
        near = away < 0.995 * reach
        assert near.sum() > 20
        assert np.allclose(found[near], hands[side].wrists[near], atol=1e-6)
        # What is too far is reached for.
        off = np.linalg.norm(found - hands[side].wrists, axis=1)
        assert np.all(off < np.maximum(away - reach, 0.0) + 1e-3)


def test_the_chest_frame_has_its_origin_between_the_shoulders_of_the_t_pose() -> None:
    places = RIG.skeleton.rest_world_positions
    middle = places[RIG.joints(("leftUpperArm", "rightUpperArm"))].mean(axis=0)
    assert np.allclose(places[RIG.joint("upperChest")] + chest_origin(), middle)


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000))
def test_hands_face_as_their_angles_say(seed: int) -> None:
    clip, hands = clip_of(seed)
    axes = clip.world_rotations[:, RIG.joint("upperChest")]
    for side in SIDES:
        h = hands[side]
        shoulders = shoulders_of(side, h.collars)
        fingers, palm = hand_orientation(side, h.wrists, h.swivels, h.angles, shoulders)
        turn = RIG.turn(clip.world_rotations, RIG.joint(f"{side}Hand"))
        out = np.array([float(sign_of(side)), 0.0, 0.0])
        assert np.allclose(
            quaternion.rotate(turn, out), quaternion.rotate(axes, fingers), atol=1e-6
        )
        down = quaternion.rotate(turn, np.array([0.0, -1.0, 0.0]))
        assert np.allclose(down, quaternion.rotate(axes, palm), atol=1e-6)


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000))
def test_feet_stay_where_they_stand_however_the_pelvis_moves(seed: int) -> None:
    clip, _ = clip_of(seed)
    for bone in ("leftFoot", "rightFoot", "leftToes", "rightToes"):
        joint = RIG.joint(bone)
        at = RIG.skeleton.rest_world_positions[joint]
        assert np.abs(clip.world_positions[:, joint] - at).max() < 1e-6
        turn = RIG.skeleton.rest_world_rotations[joint]
        off = quaternion.angle_between(clip.world_rotations[:, joint], turn)
        assert off.max() < 1e-5
    knees = clip.rotations[:, RIG.joints(("leftLowerLeg", "rightLowerLeg"))]
    bent = 2.0 * np.arccos(np.clip(np.abs(knees[..., 0]), 0.0, 1.0))
    assert bent.max() < 1.2


def test_parts_of_the_body_turn_as_they_should() -> None:
    trunk, hands, looks = moving(3)
    clip = pose_clip(60.0, trunk, hands, looks)
    assert np.allclose(clip.world_positions[:, 0], trunk.hips)
    hips = RIG.turn(clip.world_rotations, RIG.joint("hips"))
    assert quaternion.angle_between(hips, quaternion.exp(trunk.pelvis)).max() < 1e-6
    third = quaternion.exp(trunk.spine / 3.0)
    whole = quaternion.multiply(quaternion.multiply(third, third), third)
    chest = RIG.turn(clip.world_rotations, RIG.joint("upperChest"))
    assert quaternion.angle_between(quaternion.relative(hips, chest), whole).max() < 1e-6
    neck, skull = (RIG.turn(clip.world_rotations, RIG.joint(b)) for b in ("neck", "head"))
    assert (
        quaternion.angle_between(quaternion.relative(chest, neck), quaternion.exp(looks.neck)).max()
        < 1e-6
    )
    assert (
        quaternion.angle_between(quaternion.relative(neck, skull), quaternion.exp(looks.head)).max()
        < 1e-6
    )


def test_the_mirror_image_of_all_numbers_is_the_mirror_image_of_the_body() -> None:
    trunk, hands, looks = moving(5)
    vector, turn = np.array([-1.0, 1.0, 1.0]), np.array([1.0, -1.0, -1.0])
    other: dict[Side, Side] = {"left": "right", "right": "left"}
    flipped = TrunkMotion(
        trunk.hips * vector,
        trunk.pelvis * turn,
        trunk.spine * turn,
        trunk.feet[:, ::-1] * [-1.0, 1.0, 1.0, -1.0, 1.0, 1.0],
        {other[s]: v * turn for s, v in trunk.collars.items()},
    )
    swapped = {
        other[side]: replace(h, wrists=h.wrists * vector, collars=h.collars * turn)
        for side, h in hands.items()
    }
    away = HeadTurns(looks.neck * turn, looks.head * turn, looks.eyes * turn)
    one, two = pose_clip(60.0, trunk, hands, looks), pose_clip(60.0, flipped, swapped, away)
    for bone in ("Hand", "LowerArm", "IndexDistal", "ThumbDistal", "LowerLeg", "Eye"):
        for side in SIDES:
            a = one.world_positions[:, RIG.joint(f"{side}{bone}")]
            b = two.world_positions[:, RIG.joint(f"{other[side]}{bone}")]
            assert np.allclose(a * vector, b, atol=2e-4)


def test_some_frames_are_those_of_the_whole() -> None:
    trunk, hands, looks = moving(7)
    channels = {"blink": np.linspace(0.0, 1.0, 40)}
    whole = pose_clip(60.0, trunk, hands, looks, channels)
    some = pose_clip(60.0, trunk, hands, looks, channels, slice(11, 23))
    assert np.allclose(some.rotations, whole.rotations[11:23], atol=1e-12)
    assert np.allclose(some.world_positions, whole.world_positions[11:23], atol=1e-12)
    assert np.array_equal(some.channels["blink"], channels["blink"][11:23])


def test_a_long_clip_is_what_its_parts_are() -> None:
    trunk, hands, looks = moving(9, 8000)
    whole = pose_clip(60.0, trunk, hands, looks)
    for rows in (slice(3590, 3610), slice(7190, 7210), slice(0, 5), slice(7995, 8000)):
        some = pose_clip(60.0, trunk, hands, looks, rows=rows)
        assert np.allclose(some.rotations, whole.rotations[rows], atol=1e-12)


def test_a_clip_is_posed_block_by_block_when_it_is_asked_for() -> None:
    trunk, hands, looks = moving(9, 8000)
    clip = pose_clip(60.0, trunk, hands, looks, {"blink": np.linspace(0.0, 1.0, 8000)})
    shown = clip.with_channels({"aa": np.zeros(8000)})
    parts = list(shown.blocks())
    assert len(shown) == sum(map(len, parts)) == 8000
    assert "rotations" not in shown.__dict__
    whole = np.concatenate([part.rotations for part in parts])
    assert np.array_equal(whole, clip.rotations)
    assert np.array_equal(whole, shown.rotations)
    assert shown.rotations is shown.rotations
    assert not shown.rotations.flags.writeable
    assert list(parts[0].channels) == ["aa"]
    again = replace(clip, channels={})
    assert np.array_equal(again.frames(20, 30).rotations, whole[20:30])


def test_rotations_are_of_unit_length() -> None:
    clip, _ = clip_of(11)
    assert np.allclose(np.linalg.norm(clip.rotations, axis=-1), 1.0, atol=1e-12)


@pytest.mark.parametrize("side", SIDES)
def test_frames_of_a_hand(side: Side) -> None:
    one = moving(1)[1][side]
    part = one.rows(slice(3, 8))
    assert len(part.wrists) == len(part.fingers) == len(part.swivels) == 5
    assert np.array_equal(part.collars, one.collars[3:8])
