from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.animation.arms.poses.home_pose import home_clip
from kinesphere.character.figure import pose_mesh
from kinesphere.character.take_rig import report_of
from kinesphere.errors import InvalidValueError, RigError
from kinesphere.formats.gltf.stored_figure import default_figure
from kinesphere.maths import quaternion as quat
from kinesphere.maths.arrays import Bools, Floats, Ints
from kinesphere.motion.body.body_volume import (
    CORE,
    PARTS,
    BodyVolume,
    body_volume,
    distance,
    hand_depth,
    hand_points,
)
from kinesphere.motion.calibration import without_calibration
from kinesphere.motion.clip import rest_clip
from kinesphere.motion.humanoid import FINGERS, Rig, finger_bones
from kinesphere.motion.mirroring import mirror
from kinesphere.motion.retargeting.retargeting import retarget
from tests.conftest import random_rotations, skip_without, smooth_clip

SIDES = ("left", "right")
STILL = (np.array([[1.0, 0.0, 0.0, 0.0]]), np.zeros((1, 3)))
# Up, two balls side by side at either end: a flat piece that tapers in breadth and depth.
FLAT = ([[0, 0, 0], [0.02, 0.3, 0.05]], [[0.08, 0, 0], [0.05, 0, 0.01]], [0.09, 0.06])


def one_piece(offsets: object, halves: object, radii: object) -> BodyVolume:
    return BodyVolume(
        ("torso",),
        np.zeros(2, dtype=np.int64),
        np.array(offsets, float),
        np.array(halves, float),
        np.array(radii, float),
        np.array([[0, 1, 0]]),
    )


def plain_distance(
    volume: BodyVolume, rotations: Floats, positions: Floats, points: Floats, steps: int = 201
) -> Floats:
    """Least distance to the balls that a piece is the hull of, on a grid, for one pose."""
    mid = positions[volume.joints] + quat.rotate(rotations[volume.joints], volume.offsets)
    half = quat.rotate(rotations[volume.joints], volume.halves)
    t, s = np.linspace(0, 1, steps)[:, None, None], np.linspace(-1, 1, steps)[:, None]
    best = np.full(len(points), np.inf)
    for i, j, _ in volume.pieces:
        sides = s if half[[i, j]].any() else s[:1] * 0
        centres = (1 - t) * (mid[i] + sides * half[i]) + t * (mid[j] + sides * half[j])
        radii = np.broadcast_to(
            (1 - t[..., 0]) * volume.radii[i] + t[..., 0] * volume.radii[j], centres.shape[:2]
        ).ravel()
        for k, point in enumerate(points):
            gap = np.linalg.norm(centres.reshape(-1, 3) - point, axis=1) - radii
            best[k] = min(best[k], gap.min())
    return best


def rotated(clip: ks.Clip, turn: Floats, shift: Floats) -> ks.Clip:
    rotations = clip.rotations.copy()
    rotations[:, 0] = quat.multiply(turn, rotations[:, 0])
    root = quat.rotate(turn, clip.root_positions) + shift
    return replace(clip, rotations=rotations, root_positions=root)


def of_clip(clip: ks.Clip, rig: Rig, points: Floats) -> tuple[Floats, Ints, Floats]:
    return distance(body_volume(rig), clip.world_rotations, clip.world_positions, points)


def with_other_axes(rig: Rig, rng: np.random.Generator) -> Rig:
    """The same body, whose joints have arbitrary axes of their own."""
    skeleton = rig.skeleton
    world = random_rotations(rng, len(skeleton))
    local, offsets = world.copy(), skeleton.offsets.copy()
    for j, p in enumerate(skeleton.parents):
        if p >= 0:
            local[j] = quat.relative(world[p], world[j])
            offsets[j] = quat.rotate(quat.inverse(world[p]), skeleton.offsets[j])
    return Rig(ks.Skeleton(skeleton.names, skeleton.parents, offsets, local), rig.bones)


def without(rig: Rig, bones: list[str]) -> Rig:
    return Rig(rig.skeleton, {b: j for b, j in rig.bones.items() if b not in bones})


def test_a_ball() -> None:
    ball = one_piece([[1, 2, 3]] * 2, np.zeros((2, 3)), [0.5, 0.5])
    points = np.array([[1, 2, 5], [1, 2.1, 3], [4, 6, 3.0]])
    found, part, normal = distance(ball, *STILL, points)
    assert np.allclose(found, [1.5, -0.4, 4.5])
    assert not part.any()
    assert np.allclose(normal, [[0, 0, 1], [0, 1, 0], [0.6, 0.8, 0]])


def test_a_cylinder_with_round_ends() -> None:
    capsule = one_piece([[0, 0, 0], [0, 2, 0]], np.zeros((2, 3)), [0.5, 0.5])
    points = np.array([[1, 1, 0], [0, 3, 0], [0, -1, 0], [0.1, 1.7, 0], [0, 1, 0]])
    found, _, normal = distance(capsule, *STILL, points)
    assert np.allclose(found, [0.5, 0.5, 0.5, -0.4, -0.5])
    assert np.allclose(normal[:4], [[1, 0, 0], [0, 1, 0], [0, -1, 0], [1, 0, 0]])
    assert abs(normal[4] @ [0, 1, 0]) < 1e-12
    assert np.isclose(np.linalg.norm(normal[4]), 1)


def test_a_tapered_capsule_has_the_cone_that_touches_both_balls() -> None:
    first, second, length = 0.5, 0.2, 1.0
    cone = one_piece([[0, 0, 0], [0, length, 0]], np.zeros((2, 3)), [first, second])
    sine = (first - second) / length
    out = np.array([np.sqrt(1 - sine**2), sine, 0.0])
    shares = np.linspace(0, 1, 7)[:, None]
    surface = shares * [0, length, 0] + (first + shares * (second - first)) * out
    for away in (0.0, 0.3, -0.1):
        found, _, normal = distance(cone, *STILL, surface + away * out)
        assert np.allclose(found, away, atol=1e-12)
        assert np.allclose(normal, out)


def test_a_ball_within_the_other_end_adds_nothing() -> None:
    for offsets, radii in (
        ([[0, 0, 0], [0, 0.1, 0]], [0.5, 0.2]),
        ([[0, 0.1, 0], [0, 0, 0]], [0.2, 0.5]),
    ):
        piece = one_piece(offsets, np.zeros((2, 3)), radii)
        assert np.allclose(distance(piece, *STILL, [[0, 1, 0], [2, 0, 0.0]])[0], [0.5, 1.5])


def test_a_flat_piece_is_as_deep_in_the_middle_as_at_its_sides() -> None:
    flat = one_piece([[0, 0, 0], [0, 1, 0]], [[0.3, 0, 0]] * 2, [0.1, 0.1])
    points = [[x, 0.5, z] for x in (-0.3, -0.1, 0.0, 0.2) for z in (0.05, 0.3)]
    found, _, normal = distance(flat, *STILL, points)
    assert np.allclose(found, [-0.05, 0.2] * 4)
    assert np.allclose(normal, [0, 0, 1])
    assert np.allclose(distance(flat, *STILL, [[0.6, 0.5, 0.0]])[0], 0.2)
    assert np.allclose(distance(flat, *STILL, [[0.1, 0.5, 0.0]])[2], [0, 0, 1])  # forward


def test_a_flat_piece_agrees_with_the_plain_reference(rng: np.random.Generator) -> None:
    flat = one_piece(*FLAT)
    points = rng.uniform(-0.4, 0.6, size=(300, 3))
    reference = plain_distance(flat, *STILL, points, 401)
    assert np.abs(distance(flat, *STILL, points)[0] - reference).max() < 1e-4


def test_a_body_in_motion_agrees_with_the_plain_reference(rng: np.random.Generator) -> None:
    rig = ks.default_rig()
    clip = smooth_clip(rig.skeleton, rng, frames=4, fps=2.0, size=0.3)
    volume = body_volume(rig)
    points = clip.world_positions[:, rig.joints(["chest"])] + rng.normal(scale=0.3, size=(4, 40, 3))
    found = of_clip(clip, rig, points)[0]
    for n in range(4):
        pose = clip.world_rotations[n], clip.world_positions[n]
        assert np.abs(found[n] - plain_distance(volume, *pose, points[n])).max() < 2e-4


def test_batch_equals_loop_and_parts_make_the_whole(rng: np.random.Generator) -> None:
    rig = ks.default_rig()
    clip = smooth_clip(rig.skeleton, rng, frames=6)
    points = rng.normal(scale=0.5, size=(6, 20, 3)) + [0, 1, 0]
    volume = body_volume(rig)
    poses = clip.world_rotations, clip.world_positions
    found, part, normal = distance(volume, *poses, points)
    for n in range(6):
        alone = distance(volume, poses[0][n], poses[1][n], points[n])
        for a, b in zip(alone, (found[n], part[n], normal[n]), strict=True):
            assert np.array_equal(a, b)
    each = np.stack([distance(volume, *poses, points, [name])[0] for name in PARTS])
    assert np.array_equal(each.min(axis=0), found)
    assert np.array_equal(np.take_along_axis(each, part[None], 0)[0], found)


def test_normals_point_outward(rng: np.random.Generator) -> None:
    rig = ks.default_rig()
    clip = smooth_clip(rig.skeleton, rng, frames=5, size=0.3)
    points = clip.world_positions[:, rig.joints(["chest"])] + rng.normal(
        scale=0.3, size=(5, 400, 3)
    )
    found, part, normal = of_clip(clip, rig, points)
    assert np.allclose(np.linalg.norm(normal, axis=-1), 1.0)
    step = 1e-6
    moved, same, _ = of_clip(clip, rig, points + step * normal)
    grows = (moved - found) / step
    assert (found < 0).any()
    assert np.allclose(grows[part == same], 1.0, atol=1e-3)
    # Outside, following the normal back by the distance lands on the surface.
    outside = found > 0
    landed = of_clip(clip, rig, points - found[..., None] * normal)[0]
    assert np.abs(landed[outside]).max() < 1e-9


def test_moving_the_whole_body_changes_nothing(rng: np.random.Generator) -> None:
    rig = ks.default_rig()
    clip = smooth_clip(rig.skeleton, rng, frames=8)
    turn, shift = random_rotations(rng, 1)[0], rng.normal(size=3)
    moved = rotated(clip, turn, shift)
    points = rng.normal(scale=0.5, size=(8, 30, 3)) + [0, 1, 0]
    found, part, normal = of_clip(clip, rig, points)
    again, same, turned = of_clip(moved, rig, quat.rotate(turn, points) + shift)
    assert np.allclose(found, again, atol=1e-9)
    assert np.array_equal(part, same)
    assert np.allclose(quat.rotate(turn, normal), turned, atol=1e-6)
    for side in SIDES:
        assert np.allclose(hand_depth(clip, rig, side), hand_depth(moved, rig, side), atol=1e-9)


def test_left_and_right_are_mirror_images(rng: np.random.Generator) -> None:
    rig = ks.default_rig()
    clip = smooth_clip(rig.skeleton, rng, frames=8)
    other = mirror(clip, rig.mirror_permutation(), rig.canonical_pose[0])
    points = rng.normal(scale=0.5, size=(8, 30, 3)) + [0, 1, 0]
    found, part, _ = of_clip(clip, rig, points)
    again, swapped, _ = of_clip(other, rig, points * [-1, 1, 1])
    assert np.allclose(found, again, atol=1e-9)
    left = [
        PARTS.index(p.replace("left", "~").replace("right", "left").replace("~", "right"))
        for p in PARTS
    ]
    assert np.array_equal(np.array(left)[part], swapped)
    assert np.allclose(hand_depth(clip, rig, "left"), hand_depth(other, rig, "right"), atol=1e-9)


def test_twice_the_size_is_twice_the_distance(rng: np.random.Generator) -> None:
    rig = ks.default_rig()
    large = Rig(rig.skeleton.scale(2.0), rig.bones)
    clip = smooth_clip(rig.skeleton, rng, frames=8)
    grown = ks.Clip(large.skeleton, clip.fps, 2.0 * clip.root_positions, clip.rotations)
    points = rng.normal(scale=0.5, size=(8, 30, 3)) + [0, 1, 0]
    assert np.allclose(2.0 * of_clip(clip, rig, points)[0], of_clip(grown, large, 2.0 * points)[0])
    assert np.allclose(2.0 * hand_depth(clip, rig, "left"), hand_depth(grown, large, "left"))


def test_broader_shoulders_make_a_broader_chest_and_no_deeper_one() -> None:
    rig = ks.default_rig()
    offsets = rig.skeleton.offsets.copy()
    for side in SIDES:
        offsets[rig.joint(f"{side}UpperArm"), 0] *= 1.2
    broad = Rig(replace(rig.skeleton, offsets=offsets), rig.bones)
    sizes = []
    for body in (rig, broad):
        clip = rest_clip(body.skeleton)
        points = np.array([[1.0, 1.3, 0.0], [0.0, 1.3, 1.0]])
        volume = body_volume(body)
        poses = clip.world_rotations, clip.world_positions
        sizes.append(1.0 - distance(volume, *poses, points, ["torso"])[0][0])
    assert 0.015 < sizes[1][0] - sizes[0][0] < 0.035
    assert abs(sizes[1][1] - sizes[0][1]) < 1e-9


def test_joint_axes_do_not_matter(rng: np.random.Generator) -> None:
    rig = ks.default_rig()
    odd = with_other_axes(rig, rng)
    clip = smooth_clip(rig.skeleton, rng, frames=8, size=0.4)
    moved = retarget(clip, rig, odd)
    assert np.allclose(clip.world_positions, moved.world_positions, atol=1e-6)
    points = rng.normal(scale=0.5, size=(8, 30, 3)) + [0, 1, 0]
    assert np.allclose(of_clip(clip, rig, points)[0], of_clip(moved, odd, points)[0], atol=1e-5)
    # Finger tips of a rig without end points are estimated; the rest of the hand is the same.
    for side in SIDES:
        gap = np.linalg.norm(hand_points(clip, rig, side) - hand_points(moved, odd, side), axis=-1)
        assert gap[:, :6].max() < 1e-5
        assert gap[:, 6:].max() < 0.012


OPTIONAL = ["spine", "chest", "upperChest", "neck", "head", "leftShoulder", "rightShoulder"]


@pytest.mark.parametrize("gone", [[], OPTIONAL[2:4], OPTIONAL[4:5], OPTIONAL])
def test_bones_may_be_missing(gone: list[str]) -> None:
    fingers = [b for s in SIDES for f in FINGERS for b in finger_bones(s, f)]
    toes = [f"{s}Toes" for s in SIDES]
    rig = ks.default_rig()
    part = without(rig, [*gone, *fingers, *toes])
    clip = home_clip(1, 30.0)
    face = clip.world_positions[0, rig.joint("head")] + [[0, 0.09, 0.3], [0, -0.2, 0.3]]
    whole, less = of_clip(clip, rig, face)[0], of_clip(clip, part, face)[0]
    # Without a head the height of the body is a guess from the legs.
    assert np.allclose(whole, less, atol=0.01)
    for side in SIDES:
        points = hand_points(clip, part, side)
        assert points.shape == (1, 3, 3)
        knuckle = clip.world_positions[:, rig.joint(f"{side}MiddleProximal")]
        assert np.linalg.norm(points[:, 2] - knuckle) < 0.02
        assert hand_depth(clip, part, side).max() == 0.0


def outermost(points: Floats, axis_x: Floats, axis_z: float) -> Bools:
    """The vertices seen from outside: the farthest from an upright axis in cells around it."""
    x, z = points[:, 0] - axis_x, points[:, 2] - axis_z
    cells = np.stack([points[:, 1] // 0.04, np.arctan2(z, x) // np.radians(20.0)], axis=1)
    far, order = np.hypot(x, z), np.lexsort((np.hypot(x, z), cells[:, 1], cells[:, 0]))
    last = np.ones(len(points), dtype=bool)
    last[:-1] = np.any(np.diff(cells[order], axis=0) != 0, axis=1)
    out = np.zeros(len(points), dtype=bool)
    out[order[last]] = True
    return out & (far > 0.02)


# Bones, from and to which height, x of the axis, most root mean square, least share within 1.5 cm.
MESH = {
    "trunk": (("hips", "spine", "chest", "upperChest"), (0.87, 1.45), 0.0, 0.008, 0.94),
    "head": (("head", "jaw"), (1.5, 1.8), 0.0, 0.005, 0.98),
    "thigh": (("leftUpperLeg",), (0.54, 0.82), 0.09, 0.006, 1.0),
}


@pytest.mark.parametrize("name", MESH)
def test_the_surface_lies_on_the_mesh(name: str) -> None:
    bones, (low, high), axis_x, rms, share = MESH[name]
    rig, figure = ks.default_rig(), default_figure()
    clip = home_clip(1, 30.0)
    world = clip.world_rotations[0], clip.world_positions[0]
    vertices, _ = pose_mesh(figure, *world)
    owner = figure.joints[np.arange(len(vertices)), figure.weights.argmax(axis=1)]
    chosen = vertices[np.isin(owner, rig.joints(bones))]
    chosen = chosen[(chosen[:, 1] > low) & (chosen[:, 1] < high)]
    seen = chosen[outermost(chosen, axis_x, 0.0)]
    found, _, _ = distance(body_volume(rig), *world, seen, CORE)
    error = np.abs(found)
    print(
        f"{name}: {len(seen)} vertices, rms {100 * np.sqrt(np.mean(found**2)):.2f} cm, "
        f"95 % within {100 * np.quantile(error, 0.95):.2f}, {100 * found.min():.2f} to "
        f"{100 * found.max():.2f}, within 1.5 cm {100 * np.mean(error < 0.015):.1f} %"
    )
    assert len(seen) > 80
    assert np.sqrt(np.mean(found**2)) < rms
    assert np.mean(np.abs(found) < 0.015) >= share
    # Nothing of the mesh, hidden or not, sticks out further.
    assert distance(body_volume(rig), *world, chosen, CORE)[0].max() < 0.018


def test_hands_are_outside_at_home_and_in_the_t_pose() -> None:
    rig = ks.default_rig()
    for clip in (home_clip(3, 30.0), rest_clip(rig.skeleton, 3)):
        for side in SIDES:
            assert hand_depth(clip, rig, side).max() == 0.0
            points = hand_points(clip, rig, side)
            assert points.shape == (3, 11, 3)
            assert of_clip(clip, rig, points)[0].min() > -0.03  # the wrist is in the forearm's end


def test_a_hand_on_the_spine_is_inside() -> None:
    rig = ks.default_rig()
    clip = rest_clip(rig.skeleton, 3)
    hand = rig.joint("leftHand")
    chest = clip.world_positions[:, rig.joint("upperChest")]
    shift = chest + np.array([[0, 0, 0], [0, 0, 0.1], [0, 0, 0.5]]) - clip.world_positions[:, hand]
    parent = quat.inverse(clip.world_rotations[:, clip.skeleton.parents[hand]])
    moved = quat.rotate(parent, shift) + clip.skeleton.offsets[hand]
    put = replace(clip, translated_joints=(hand,), translations=moved[:, None])
    depth = hand_depth(put, rig, "left")
    assert depth[0] > 0.09
    assert 0.005 < depth[1] < depth[0]
    assert depth[2] == 0.0
    assert hand_depth(put, rig, "right").max() == 0.0
    assert hand_depth(put, rig, "left", ["head"]).max() == 0.0
    volume = body_volume(rig)
    poses = put.world_rotations, put.world_positions
    found, part, normal = distance(volume, *poses, hand_points(put, rig, "left")[:, :1], CORE)
    assert found[0, 0] < 0 < found[2, 0]
    assert volume.parts[part[0, 0]] == "torso"
    assert normal[1, 0, 2] > 0.9  # the way out of the front is forward


def test_the_other_arm_counts_if_asked_for() -> None:
    rig = ks.default_rig()
    clip = rest_clip(rig.skeleton)
    hand, arm = rig.joint("leftHand"), clip.world_positions[:, rig.joint("rightLowerArm")]
    shift = arm + [-0.1, 0, 0] - clip.world_positions[:, hand]
    moved = (clip.skeleton.offsets[hand] + shift)[:, None]
    put = replace(clip, translated_joints=(hand,), translations=moved)
    assert hand_depth(put, rig, "left").max() == 0.0
    assert hand_depth(put, rig, "left", [*CORE, "rightLowerArm"]).max() > 0.02


def test_bad_input_is_refused() -> None:
    rig = ks.default_rig()
    volume, clip = body_volume(rig), rest_clip(rig.skeleton)
    poses = clip.world_rotations, clip.world_positions
    with pytest.raises(InvalidValueError, match="'tail' is no part of the body; parts are torso"):
        distance(volume, *poses, np.zeros((1, 1, 3)), ["tail"])
    with pytest.raises(InvalidValueError, match="no part is named"):
        distance(volume, *poses, np.zeros((1, 1, 3)), [])
    with pytest.raises(InvalidValueError, match="points have shape"):
        distance(volume, *poses, np.zeros((1, 1, 2)))
    with pytest.raises(InvalidValueError, match="world_rotations have shape"):
        distance(volume, poses[0][:, :9], poses[1], np.zeros((1, 1, 3)))
    with pytest.raises(InvalidValueError, match="world_positions have shape"):
        distance(volume, poses[0], poses[1][:, :9], np.zeros((1, 1, 3)))
    with pytest.raises(InvalidValueError, match="radii must be > 0"):
        one_piece(np.zeros((2, 3)), np.zeros((2, 3)), [0.1, 0.0])
    with pytest.raises(RigError, match="volume of a body needs a joint for leftHand"):
        body_volume(without(rig, ["leftHand"]))


@pytest.mark.timing
def test_a_minute_at_120_fps_is_measured_at_once(rng: np.random.Generator) -> None:
    rig = ks.default_rig()
    clip = smooth_clip(rig.skeleton, rng, frames=7200, fps=120.0)
    points = hand_points(clip, rig, "left")[:, :8]
    volume, poses = body_volume(rig), (clip.world_rotations, clip.world_positions)
    times = []
    for _ in range(5):
        start = time.perf_counter()
        distance(volume, *poses, points)
        times.append(time.perf_counter() - start)
    print(f"7200 frames x 8 points: {1000 * min(times):.1f} ms")
    assert min(times) < 0.3  # 5 times the target, for slow machines


RECORDINGS = {
    "cmu": "cmu/*.bvh",
    "smartbody": "smartbody/*/*.skm",
    "beat2": "beat2/*.npz",
    "greta": "greta/*.bvh",
}


@pytest.mark.parametrize("name", RECORDINGS)
def test_hands_of_real_people_are_outside(name: str, data: Path) -> None:
    files = sorted(data.glob(RECORDINGS[name]))
    if not files:
        skip_without(RECORDINGS[name])
    depths = []
    for file in files[:: 1 if name != "smartbody" else 4]:
        take = ks.load(file)
        rig, clip = report_of(take).rig, without_calibration(take.clip)
        depths.append(np.maximum(*(hand_depth(clip, rig, side) for side in SIDES)))
    depth = np.concatenate(depths)
    print(
        f"{name}: {len(depth)} frames, deeper than 3 cm {100 * np.mean(depth > 0.03):.2f} %, "
        f"than 1 cm {100 * np.mean(depth > 0.01):.2f} %, deepest {100 * depth.max():.1f} cm"
    )
    assert np.mean(depth > 0.03) < 0.03
