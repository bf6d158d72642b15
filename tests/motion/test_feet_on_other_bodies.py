"""Feet that stand in a motion stand on other bodies: flat, on the floor, without sliding."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.maths import quaternion as quat
from kinesphere.maths.arrays import Floats
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.kinematics import local_rotations
from kinesphere.motion.mirroring import mirror
from kinesphere.motion.retargeting.foot_placement import INFLUENCE_S
from kinesphere.motion.retargeting.observed_footing import (
    foot_tracks,
    join_observations,
    observed_footing,
)
from kinesphere.motion.retargeting.retargeting import move_rig_limbs, retarget

SIDES = ("left", "right")
FPS = 60.0
STEP, JUMP, TIPTOE = slice(80, 111), slice(140, 171), slice(200, 241)
STANDING = np.r_[0:75, 116:135, 176:195]


def hump(part: slice) -> Floats:
    """0 to 1 and back within some frames, smoothly."""
    out = np.zeros(280)
    count = part.stop - part.start
    out[part] = np.sin(np.pi * np.arange(count) / (count - 1)) ** 2
    return out


def standing_clip(stool_m: float = 0.0) -> ks.Clip:
    """The default body sways, its left foot on a stool; its left foot steps up and back; it jumps; it stands on its toes."""
    rig = ks.default_rig()
    skeleton = rig.skeleton
    time = np.arange(280) / FPS
    root = skeleton.offsets[0] + np.zeros((280, 3))
    root[:, 0] += 0.02 * np.sin(3.0 * time)
    root[:, 1] += -0.03 + 0.3 * hump(JUMP) + 0.03 * hump(TIPTOE)
    still = np.broadcast_to(skeleton.rest_rotations, (280, len(skeleton), 4))
    clip = ks.Clip(skeleton, FPS, root, still)
    rest = skeleton.rest_world_positions
    pitch = np.radians(30.0) * hump(TIPTOE)
    ends = np.empty((280, 2, 3))
    for k, side in enumerate(SIDES):
        ankle, toes = rest[rig.joints((f"{side}Foot", f"{side}Toes"))]
        ball = np.array([toes[0], 0.0, toes[2]])
        turn = quat.from_axis_angle([1.0, 0.0, 0.0], pitch)
        ends[:, k] = ball + quat.rotate(turn, ankle - ball)
        ends[:, k, 1] += 0.3 * hump(JUMP)
    ends[:, 0, 1] += 0.1 * hump(STEP) + stool_m
    ends[:, 0, 2] += 0.15 * hump(STEP)
    legs = [tuple(rig.joints([f"{s}UpperLeg", f"{s}LowerLeg", f"{s}Foot"])) for s in SIDES]
    clip = move_rig_limbs(clip, rig, legs, ends, np.tile([1.0, 0.0, 0.0], (2, 1)))  # type: ignore[arg-type]
    world = clip.world_rotations.copy()
    for side in SIDES:
        turn = quat.from_axis_angle([1.0, 0.0, 0.0], pitch)
        world[:, rig.joint(f"{side}Foot")] = turn
        world[:, rig.joint(f"{side}Toes")] = quat.IDENTITY
    return replace(clip, rotations=quat.normalise(local_rotations(skeleton, world)))


def resting(pitch_degrees: float, floor_m: float = 0.0, roll_degrees: float = 0.0) -> Rig:
    """The default body, whose file has feet that rest pitched and a root elsewhere."""
    base = ks.default_skeleton()
    rest = base.rest_rotations.copy()
    for side in SIDES:
        pitch = quat.from_axis_angle([1.0, 0.0, 0.0], np.radians(pitch_degrees))
        roll = quat.from_axis_angle([0.0, 0.0, 1.0], np.radians(roll_degrees))
        rest[base.index(f"{side}Foot")] = quat.multiply(pitch, roll)
    offsets = base.offsets.copy()
    offsets[0, 1] += floor_m
    skeleton = ks.Skeleton(base.names, base.parents, offsets, rest, base.tips)
    return Rig(skeleton, {name: i for i, name in enumerate(base.names)})


def body(legs: float = 1.0, foot: float = 1.0, ankle_m: float = 0.0, hips: float = 1.0) -> Rig:
    """A body with other legs, feet, ankles (higher by so much) and hip width."""
    base = ks.default_skeleton()
    offsets = base.offsets.copy()
    for side in SIDES:
        upper, lower, ankle, toes = (
            base.index(f"{side}{b}") for b in ("UpperLeg", "LowerLeg", "Foot", "Toes")
        )
        offsets[[lower, ankle]] *= legs
        offsets[toes, 2] *= foot
        offsets[toes, 1] -= ankle_m
        offsets[upper, 0] *= hips
    skeleton = ks.Skeleton(base.names, base.parents, offsets, tips=base.tips)
    low = skeleton.rest_world_positions[skeleton.index("leftToes"), 1]
    offsets[0, 1] += 0.022 - low
    skeleton = ks.Skeleton(base.names, base.parents, offsets, tips=base.tips)
    return Rig(skeleton, {name: i for i, name in enumerate(base.names)})


def on(clip: ks.Clip, rig: Rig, floor_m: float = 0.0) -> ks.Clip:
    """The same movement in a file whose rest pose and floor are others."""
    root = clip.root_positions + np.array([0.0, floor_m, 0.0])
    return ks.Clip(rig.skeleton, clip.fps, root, clip.rotations)


def points(clip: ks.Clip, rig: Rig, bone: str) -> Floats:
    return np.asarray(clip.world_positions[:, rig.joints([f"{s}{bone}" for s in SIDES])])


def without_toes(rig: Rig) -> Rig:
    return Rig(rig.skeleton, {b: j for b, j in rig.bones.items() if "Toes" not in b})


@pytest.mark.parametrize("floor_m", [0.0, -1.0, 0.4])
@pytest.mark.parametrize("pitch", [-40.0, -22.0, 0.0, 25.0, 60.0])
def test_how_feet_rest_and_where_the_floor_is_do_not_matter(pitch: float, floor_m: float) -> None:
    clip, target = standing_clip(), ks.default_rig()
    source = resting(pitch, 0.05, 10.0)
    moved = retarget(on(clip, source, floor_m), source, target)
    error = moved.world_positions - clip.world_positions
    feet = target.joints([f"{s}{b}" for s in SIDES for b in ("Foot", "Toes")])
    assert np.abs(error[STANDING][:, feet]).max() < 0.002
    assert np.abs(error[:, target.joints(["hips", "head"])]).max() < 0.005
    height = points(moved, target, "Toes")[..., 1] - 0.022
    assert height[STEP, 0].max() == pytest.approx(0.1, abs=0.005)
    assert height[JUMP].min(axis=1).max() == pytest.approx(0.3, abs=0.005)
    tiptoe = points(moved, target, "Foot")[220, :, 1] - points(clip, target, "Foot")[220, :, 1]
    assert np.abs(tiptoe).max() < 0.008


@pytest.mark.parametrize("pitch", [-22.0, 0.0, 25.0])
def test_a_source_without_toes_stands_too(pitch: float) -> None:
    clip, target = standing_clip(), ks.default_rig()
    source = without_toes(resting(pitch, 0.3))
    moved = retarget(on(clip, source, -0.7), source, target)
    error = moved.world_positions - clip.world_positions
    feet = target.joints([f"{s}{b}" for s in SIDES for b in ("Foot", "Toes")])
    assert np.abs(error[STANDING][:, feet, 1]).max() < 0.001
    # Nothing shows where such a foot points but its joint, and where people's toes usually are.
    assert np.abs(error[STANDING][:, feet]).max() < 0.011


BODIES = {
    "long feet": {"foot": 1.6},
    "short feet": {"foot": 0.5},
    "high ankles": {"ankle_m": 0.05},
    "short legs": {"legs": 0.6},
    "long legs, high ankles": {"legs": 1.4, "ankle_m": 0.08},
    "wide hips": {"hips": 3.0},
    "narrow hips": {"hips": 0.4},
}


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("kind", sorted(BODIES))
def test_feet_stand_on_every_body(kind: str, exact: bool) -> None:
    clip, target = standing_clip(), body(**BODIES[kind])
    source = ks.default_rig() if exact else resting(-22.0)
    moved = retarget(clip if exact else on(clip, source, -0.5), source, target)
    scale = BODIES[kind].get("legs", 1.0)
    rest = target.skeleton.rest_world_positions
    for bone in ("Foot", "Toes"):
        at = points(moved, target, bone)[STANDING]
        height = rest[target.joint(f"left{bone}"), 1]
        assert np.abs(at[..., 1] - height).max() < 0.001
        assert np.ptp(at[:70], axis=0).max() < 0.001
    lift = points(moved, target, "Foot")[..., 1] - rest[target.joint("leftFoot"), 1]
    assert lift[STEP, 0].max() == pytest.approx(0.1 * scale, rel=0.06)
    assert lift[JUMP].min(axis=1).max() == pytest.approx(0.3 * scale, rel=0.03)
    toes = points(moved, target, "Toes")[TIPTOE][..., 1]
    assert np.abs(toes - rest[target.joint("leftToes"), 1]).max() < 0.006
    bends = [knees(c, r) for c, r in ((moved, target), (clip, ks.default_rig()))]
    assert np.abs(bends[0] - bends[1])[STANDING].max() < 8.0
    assert (
        np.abs(np.diff(bends[0], axis=0)).max()
        < 2.0 * np.abs(np.diff(bends[1], axis=0)).max() + 0.3
    )


def knees(clip: ks.Clip, rig: Rig) -> Floats:
    hip, knee, ankle = (points(clip, rig, b) for b in ("UpperLeg", "LowerLeg", "Foot"))
    a, b = knee - hip, ankle - knee
    across = np.linalg.norm(np.cross(a, b), axis=-1)
    return np.asarray(np.degrees(np.arctan2(across, np.sum(a * b, axis=-1))))


def test_wide_hips_stand_wide() -> None:
    clip, rig = standing_clip(), ks.default_rig()
    before = points(clip, rig, "Foot")[0]
    for factor in (0.4, 1.0, 1.2, 3.0):
        target = body(hips=factor)
        feet = points(retarget(clip, rig, target), target, "Foot")[0]
        apart = feet[0, 0] - feet[1, 0]
        wider = (factor - 1.0) * 0.184
        same = 0.06 * 0.83
        expected = np.sign(wider) * max(abs(wider) - same, 0.0)
        assert apart - (before[0, 0] - before[1, 0]) == pytest.approx(expected, abs=0.002)


@pytest.mark.parametrize("kind", sorted(BODIES))
def test_there_and_back(kind: str) -> None:
    clip, rig, other = standing_clip(), ks.default_rig(), body(**BODIES[kind])
    back = retarget(retarget(clip, rig, other), other, rig)
    feet = rig.joints([f"{s}{b}" for s in SIDES for b in ("Foot", "Toes")])
    error = np.abs(back.world_positions - clip.world_positions)
    assert error[:, feet].max() < 1e-6
    assert error[:, rig.joint("hips")].max() < 0.003


def test_nothing_changes_on_the_same_body() -> None:
    clip, rig = standing_clip(), ks.default_rig()
    same = retarget(clip, rig, rig)
    assert np.abs(same.world_positions - clip.world_positions).max() < 1e-9


def shaken(clip: ks.Clip, rng: np.random.Generator) -> ks.Clip:
    """A recording whose floor wanders by centimetres and whose joints shake a little."""
    time = np.arange(len(clip)) / clip.fps
    root = clip.root_positions.copy()
    root[:, 1] += 0.015 * np.sin(0.9 * time) + 0.001 * rng.normal(size=len(clip))
    shake = quat.exp(np.radians(0.4) * rng.normal(size=(*clip.rotations.shape[:2], 3)))
    return replace(
        clip, root_positions=root, rotations=quat.normalise(quat.multiply(clip.rotations, shake))
    )


def test_a_shaky_recording_stands_on_the_floor(rng: np.random.Generator) -> None:
    source = resting(-22.0)
    clip = shaken(on(standing_clip(), source, 0.3), rng)
    for kind in ("short legs", "long feet"):
        target = body(**BODIES[kind])
        moved = retarget(clip, source, target)
        toes = points(moved, target, "Toes")[STANDING][..., 1]
        rest = target.skeleton.rest_world_positions[target.joint("leftToes"), 1]
        assert np.quantile(np.abs(toes - rest), 0.99) < 0.005


def test_left_and_right_are_treated_alike(rng: np.random.Generator) -> None:
    source, target = resting(-22.0), body(legs=0.8, foot=1.3)
    clip = shaken(on(standing_clip(), source, 0.3), rng)
    one = retarget(mirror(clip), source, target)
    other = mirror(retarget(clip, source, target))
    assert np.abs(one.world_positions - other.world_positions).max() < 1e-7


def test_where_a_recording_begins_does_not_matter(rng: np.random.Generator) -> None:
    source, target = resting(-22.0), body(legs=0.8, foot=1.3)
    clip = shaken(on(standing_clip(), source, 0.3), rng)
    whole = retarget(clip, source, target)
    later = retarget(clip.frames(20, len(clip)), source, target)
    error = np.abs(later.world_positions - whole.world_positions[20:])
    assert error[10:].max() < 0.004


def test_blocks_are_the_same_as_the_whole(rng: np.random.Generator) -> None:
    source, target = resting(-22.0), body(legs=0.8, foot=1.3)
    clip = shaken(on(standing_clip(), source, 0.3), rng)
    parts = [clip.frames(0, 100), clip.frames(100, len(clip))]
    tracks = join_observations([foot_tracks(part, source) for part in parts])
    footing = observed_footing(tracks, source)
    whole = observed_footing(foot_tracks(clip, source), source)
    assert footing.floor_m == whole.floor_m == pytest.approx(0.3, abs=0.02)
    beside = int(np.ceil(INFLUENCE_S * clip.fps))
    first, last = 100 - beside, 200 + beside
    near = footing.frames(first, last)
    moved = retarget(clip.frames(first, last), source, target, footing=near)
    same = retarget(clip, source, target).world_positions
    assert np.abs(moved.world_positions - same[first:last])[beside:-beside].max() < 1e-12


def test_a_foot_on_a_stool_stays_there() -> None:
    clip, source, target = standing_clip(0.25), resting(0.0, 0.05), body(legs=0.8)
    moved = retarget(on(clip, source, 0.5), source, target)
    toes = points(moved, target, "Toes")[STANDING][..., 1] - 0.022
    assert np.abs(toes - [0.2, 0.0]).max() < 0.003


def turned(clip: ks.Clip, degrees: float, height_m: float) -> ks.Clip:
    """The whole body tipped over about the axis to its left."""
    turn = quat.from_axis_angle([1.0, 0.0, 0.0], np.radians(degrees))
    rotations = clip.rotations.copy()
    rotations[:, 0] = quat.multiply(turn, rotations[:, 0])
    root = quat.rotate(turn, clip.root_positions - clip.root_positions[0])
    return replace(clip, rotations=rotations, root_positions=root + np.array([0.0, height_m, 0.0]))


@pytest.mark.parametrize("degrees", [-90.0, 90.0, 180.0])
def test_who_lies_is_left_lying(degrees: float) -> None:
    source, target = resting(0.0), body(legs=0.8)
    clip = turned(on(standing_clip(), source), degrees, 0.15 if abs(degrees) < 100.0 else 1.2)
    moved = retarget(clip, source, target)
    hips = [c.world_positions[:, r.joint("hips"), 1] for c, r in ((clip, source), (moved, target))]
    assert np.abs(hips[1] - 0.8 * hips[0]).max() < 0.06
    assert np.isfinite(moved.rotations).all()


def test_one_frame_can_be_moved() -> None:
    source, target = resting(0.0), body(legs=0.8)
    moved = retarget(on(standing_clip(), source).frames(0, 1), source, target)
    toes = points(moved, target, "Toes")[0, :, 1]
    assert toes == pytest.approx(0.022, abs=0.002)


def sitting_clip(heels_degrees: float) -> ks.Clip:
    """The default body sits still on a chair, its heels up."""
    rig = ks.default_rig()
    skeleton, rest = rig.skeleton, rig.skeleton.rest_world_positions
    root = np.tile(skeleton.offsets[0] + np.array([0.0, -0.4, -0.35]), (60, 1))
    clip = ks.Clip(skeleton, FPS, root, np.tile(skeleton.rest_rotations, (60, 1, 1)))
    turn = quat.from_axis_angle([1.0, 0.0, 0.0], np.radians(heels_degrees))
    balls = rest[rig.joints([f"{s}Toes" for s in SIDES])] * np.array([1.0, 0.0, 1.0])
    ends = balls + quat.rotate(turn, rest[rig.joints([f"{s}Foot" for s in SIDES])] - balls)
    legs = [tuple(rig.joints([f"{s}UpperLeg", f"{s}LowerLeg", f"{s}Foot"])) for s in SIDES]
    clip = move_rig_limbs(
        clip,
        rig,
        legs,
        np.tile(ends, (60, 1, 1)),
        np.tile([1.0, 0.0, 0.0], (2, 1)),  # type: ignore[arg-type]
    )
    world = clip.world_rotations.copy()
    for side in SIDES:
        world[:, rig.joint(f"{side}Foot")] = turn
        world[:, rig.joint(f"{side}Toes")] = quat.IDENTITY
    return replace(clip, rotations=quat.normalise(local_rotations(skeleton, world)))


@pytest.mark.parametrize("heels", [0.0, 25.0])
def test_who_sits_keeps_the_heels_up(heels: float) -> None:
    clip, source = sitting_clip(heels), resting(0.0, 0.05)
    for target, scale in ((ks.default_rig(), 1.0), (body(legs=0.7), 0.7)):
        moved = retarget(on(clip, source, 0.4), source, target)
        toes, ankles = (points(moved, target, bone)[30] for bone in ("Toes", "Foot"))
        assert np.abs(toes[:, 1] - 0.022).max() < 0.004
        before = points(clip, ks.default_rig(), "Foot")[30]
        assert np.abs(ankles[:, 1] - before[:, 1]).max() < 0.012
        hips = moved.world_positions[30, target.joint("leftUpperLeg"), 1] - 0.085
        was = clip.world_positions[30, ks.default_rig().joint("leftUpperLeg"), 1] - 0.085
        assert hips == pytest.approx(scale * was, abs=0.02)
