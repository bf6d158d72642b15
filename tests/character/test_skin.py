"""The skin of a body by its mesh: rays, nearest triangles, points, spheres of arms, gaps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.made_bodies import BUILDS, made_body

import kinesphere as ks
from kinesphere.character.figure import Figure, pose_mesh
from kinesphere.character.skin.arm_balls import ArmBalls, ArmBallSettings, arm_balls
from kinesphere.character.skin.body_skin import BodySkin, arm_gaps, body_skin
from kinesphere.character.skin.hand_meeting import hand_meeting, meeting_way
from kinesphere.character.skin.inside import distance_to_mesh, inside_mesh
from kinesphere.character.skin.regions import mesh_regions
from kinesphere.character.skin.surface import SkinSettings, mesh_skin, thin_out
from kinesphere.formats.gltf.stored_figure import default_figure
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.motion.body.arms import Side
from kinesphere.motion.humanoid import FINGERS, Rig, finger_bones
from tests.conftest import smooth_clip


def ball_mesh(radius: float = 1.0, rings: int = 24) -> Floats:
    """Corners of a sphere's triangles, counter-clockwise from outside."""
    theta, phi = np.linspace(0, np.pi, rings + 1), np.linspace(0, 2 * np.pi, 2 * rings + 1)
    t, p = np.meshgrid(theta, phi, indexing="ij")
    grid = radius * np.stack([np.sin(t) * np.cos(p), np.cos(t), np.sin(t) * np.sin(p)], axis=-1)
    a, b, c, d = grid[:-1, :-1], grid[:-1, 1:], grid[1:, :-1], grid[1:, 1:]
    one, two = np.stack([a, b, d], axis=2), np.stack([a, d, c], axis=2)
    corners = np.concatenate([one.reshape(-1, 3, 3), two.reshape(-1, 3, 3)])
    area = np.linalg.norm(
        np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1
    )
    return np.asarray(corners[area > 1e-9])


def plain_triangle_distance(point: Floats, corners: Floats) -> float:
    """Least distance to points on a fine barycentric grid of every triangle."""
    u, v = np.meshgrid(np.linspace(0, 1, 41), np.linspace(0, 1, 41))
    keep = u + v <= 1.0 + 1e-12
    ratios = np.stack([1 - u[keep] - v[keep], u[keep], v[keep]], axis=1)
    points = np.einsum("rk,tkc->trc", ratios, corners)
    return float(np.linalg.norm(points - point, axis=-1).min())


def default_skin() -> BodySkin:
    return body_skin(ks.default_rig(), default_figure())


def rig_of(figure: Figure) -> Rig:
    return Rig(figure.skeleton, {n: i for i, n in enumerate(figure.skeleton.names)})


def test_points_in_a_closed_mesh_are_those_nearer_than_its_radius(rng: np.random.Generator) -> None:
    points = rng.uniform(-1.3, 1.3, (400, 3))
    size = np.linalg.norm(points, axis=1)
    sure = np.abs(size - 1.0) > 0.02
    assert np.array_equal(inside_mesh(points, ball_mesh())[sure], (size < 1.0)[sure])


def test_overlapping_meshes_are_one_body_and_a_hole_does_not_empty_it() -> None:
    two = np.concatenate([ball_mesh() + [0.4, 0, 0], ball_mesh() - [0.4, 0, 0]])
    assert inside_mesh([[0.0, 0.0, 0.0], [1.2, 0, 0], [0, 1.2, 0]], two).tolist() == [1, 1, 0]
    whole = ball_mesh()
    open_below = whole[whole.mean(axis=1)[:, 1] > -0.7]
    assert len(open_below) < len(whole)
    assert inside_mesh([[0.0, 0.0, 0.0], [0.0, -1.5, 0.0]], open_below).tolist() == [1, 0]


def test_a_skirt_holds_what_is_under_it() -> None:
    ball = ball_mesh()
    skirt = ball[np.abs(ball.mean(axis=1)[:, 1]) < 0.75]
    assert inside_mesh([[0.3, 0.1, 0.2], [1.2, 0.0, 0.0], [0.0, 2.0, 0.0]], skirt).tolist() == [
        1,
        0,
        0,
    ]


def test_distance_to_triangles_agrees_with_a_grid(rng: np.random.Generator) -> None:
    corners = rng.normal(0, 1, (12, 3, 3))
    points = rng.normal(0, 1.5, (25, 3))
    wanted = [plain_triangle_distance(p, corners) for p in points]
    found = distance_to_mesh(points, corners)
    assert np.all(found <= np.array(wanted) + 1e-9)
    assert np.allclose(found, wanted, atol=0.03)


def test_points_of_the_skin_are_apart_and_cover_it(rng: np.random.Generator) -> None:
    points = rng.uniform(0, 1, (600, 3)) * [1, 1, 0]
    normals = np.tile([0.0, 0.0, 1.0], (600, 1))
    kept = thin_out(points, normals, 0.1)
    apart = np.linalg.norm(points[kept][:, None] - points[kept][None], axis=-1)
    assert apart[np.triu_indices(len(kept), 1)].min() >= 0.1
    assert np.linalg.norm(points[:, None] - points[kept][None], axis=-1).min(axis=1).max() < 0.1
    facing = np.where(np.arange(600)[:, None] % 2 == 0, normals, -normals)
    assert len(thin_out(points, facing, 0.1)) > 1.5 * len(kept)  # two sheets


@pytest.mark.parametrize("name", ["stout", "thin"])
def test_gaps_are_the_distance_to_the_mesh(name: str, rng: np.random.Generator) -> None:
    figure = made_body(BUILDS[name])
    rig = rig_of(figure)
    skin = body_skin(rig, figure)
    assert skin.from_mesh
    regions = mesh_regions(figure, rig)
    corners = regions.corners(figure.positions, regions.trunk)
    # Spheres of no size, somewhere around the waist.
    count = 300
    angle, height = rng.uniform(0, 2 * np.pi, count), rng.uniform(1.0, 1.3, count)
    away = rng.uniform(0.05, 0.3, count)
    centres = np.stack([away * np.sin(angle), height, away * np.cos(angle)], axis=1)
    spots = replace(
        skin.balls,
        centres=centres,
        radii=np.zeros(count),
        joints=np.full((count, 4), rig.joint("hips")),
        weights=np.tile([1.0, 0, 0, 0], (count, 1)),
        along=np.ones(count),
        is_left=np.ones(count, dtype=bool),
        is_hand=np.ones(count, dtype=bool),
    )
    rest = ks.Clip(rig.skeleton, 60.0, rig.skeleton.offsets[:1], rig.skeleton.rest_rotations[None])
    found = arm_gaps(replace(skin, balls=spots), rest)
    inside = inside_mesh(centres, regions.corners(figure.positions, regions.body))
    wanted = distance_to_mesh(centres, corners)
    near = (wanted > 0.008) & (wanted < 0.08)
    sure = wanted > 0.005
    assert np.mean(((found.gaps[0] < 0) == inside)[sure]) > 0.98
    assert np.quantile(np.abs(np.abs(found.gaps[0]) - wanted)[near & ~inside], 0.9) < 0.008
    # One step along the way out leads out.
    deep = inside & near & (found.gaps[0] < 0)
    out = centres + (0.01 - found.gaps[0])[:, None] * found.ways[0]
    assert np.mean(~inside_mesh(out, regions.corners(figure.positions, regions.body))[deep]) > 0.93


def test_a_stout_body_is_wider_than_its_bones_say() -> None:
    figure = made_body(BUILDS["stout"])
    rig = rig_of(figure)
    by_mesh, by_bones = body_skin(rig, figure), body_skin(rig)
    assert not by_bones.from_mesh

    def belly(skin: BodySkin) -> float:
        level = np.abs(skin.skin.points[:, 1] - 1.10) < 0.04
        return float(skin.skin.points[level, 2].max())

    assert belly(by_mesh) > belly(by_bones) + 0.05


def test_skin_by_bones_is_near_that_of_the_default_mesh() -> None:
    by_mesh, by_bones = default_skin(), body_skin(ks.default_rig())
    nearest = np.linalg.norm(
        by_bones.skin.points[:, None] - by_mesh.skin.points[None], axis=-1
    ).min(axis=1)
    assert np.median(nearest) < 0.02  # half their spacing


def test_a_mesh_without_a_body_counts_as_none() -> None:
    figure = default_figure()
    few = replace(figure, triangles=figure.triangles[:8])
    assert not body_skin(ks.default_rig(), few).from_mesh
    empty = replace(figure, triangles=figure.triangles[:0])
    regions = mesh_regions(empty, ks.default_rig())
    assert mesh_skin(regions, np.array([0.0, 1.0, 0.0]), 1.0, SkinSettings()) is None


def test_a_mesh_that_faces_inward_is_the_same_body() -> None:
    figure = default_figure()
    turned = replace(figure, triangles=figure.triangles[:, ::-1])
    assert np.array_equal(mesh_regions(turned, ks.default_rig()).figure.triangles, figure.triangles)


@pytest.mark.parametrize("side", ["left", "right"])
def test_spheres_fill_hands_and_forearms(side: str) -> None:
    figure, rig = default_figure(), ks.default_rig()
    regions = mesh_regions(figure, rig)
    balls = arm_balls(rig, regions, 1.0, ArmBallSettings())
    which: Side = "left" if side == "left" else "right"
    for vertices, some in (
        (regions.hands[which], balls.hand(which)),
        (regions.forearms[which], np.setdiff1d(balls.of(which), balls.hand(which))),
    ):
        points = figure.positions[vertices]
        gap = np.linalg.norm(points[:, None] - balls.centres[some][None], axis=-1)
        outside = (gap - balls.radii[some]).min(axis=1)
        assert np.quantile(outside, 0.95) < 0.006
        assert np.all(balls.along[some] <= 1.0)
    # A forearm is as thick as it is: 6 to 7 cm below the elbow.
    fore = np.setdiff1d(balls.of(which), balls.hand(which))
    assert 0.025 < balls.radii[fore].max() < 0.045


def test_arms_without_a_mesh_have_spheres_along_their_bones() -> None:
    rig = ks.default_rig()
    fingers = {bone for finger in FINGERS for bone in finger_bones("left", finger)}
    fingers |= {bone.replace("left", "right") for bone in fingers}
    no_fingers = Rig(rig.skeleton, {b: j for b, j in rig.bones.items() if b not in fingers})
    for each in (rig, no_fingers):
        balls = arm_balls(each, None, 1.0, ArmBallSettings())
        tips = balls.centres[balls.hand("left")]
        assert tips[:, 0].max() > rig.skeleton.rest_world_positions[rig.joint("leftHand"), 0] + 0.05


def test_posed_spheres_move_with_the_mesh(rng: np.random.Generator) -> None:
    skin, rig = default_skin(), ks.default_rig()
    clip = smooth_clip(rig.skeleton, rng, 3)
    found = arm_gaps(skin, clip)
    figure = default_figure()
    marks = replace(
        figure,
        positions=skin.balls.centres,
        normals=np.tile([0.0, 1.0, 0.0], (len(skin.balls.radii), 1)),
        colours=np.zeros((len(skin.balls.radii), 3)),
        triangles=np.zeros((0, 3), dtype=np.int64),
        joints=skin.balls.joints,
        weights=skin.balls.weights,
        morphs={},
    )
    for f in range(3):
        wanted, _ = pose_mesh(marks, clip.world_rotations[f], clip.world_positions[f])
        assert np.allclose(found.centres[f], wanted, atol=1e-9)


def plain_meeting(left: Floats, right: Floats, reach: Floats, way: Floats) -> tuple[Floats, Floats]:
    """Reference of `meet_hands`."""
    step = left[:, :, None] - right[:, None]
    square = np.sum(step * step, axis=-1)
    apart = np.einsum("fkmc,fc->fkm", step, way)
    beside = square - apart * apart
    needed = np.sqrt(np.maximum(reach * reach - beside, 0.0)) - apart
    lack = np.where(beside < reach * reach, needed, -np.inf).max(axis=(1, 2))
    return lack, np.maximum((reach - np.sqrt(square)).max(axis=(1, 2)), 0.0)


def test_meeting_hands_agree_with_the_plain_reference(rng: np.random.Generator) -> None:
    balls = default_skin().balls
    lefts, rights = balls.hand("left"), balls.hand("right")
    centres = np.repeat(balls.centres[None], 20, axis=0)
    middle = [centres[0, s].mean(axis=0) for s in (lefts, rights)]
    for f in range(20):
        centres[f, lefts] -= middle[0]
        centres[f, rights] -= middle[1] + rng.normal(0, 0.05, 3)
    way = meeting_way(centres, balls)
    found = hand_meeting(centres, balls, way)
    reach = balls.radii[lefts][:, None] + balls.radii[rights]
    lack, overlap = plain_meeting(centres[:, lefts], centres[:, rights], reach, way)
    assert np.allclose(found.lack, lack)
    assert np.allclose(found.overlap, overlap)
    assert overlap.max() > 0.0
    # Moved by what they lack, they touch without overlap.
    centres[:, lefts] += (np.maximum(lack, 0.0)[:, None] * way)[:, None]
    assert hand_meeting(centres, balls, way).overlap.max() < 1e-9


def hands_of(balls: ArmBalls) -> Ints:
    return np.flatnonzero(balls.is_hand)


def test_hands_far_apart_do_not_meet() -> None:
    balls = default_skin().balls
    centres = balls.centres[None].copy()  # a T-pose
    found = hand_meeting(centres, balls, meeting_way(centres, balls))
    assert np.isneginf(found.lack[0])
    assert found.overlap[0] == 0.0
    assert len(hands_of(balls)) > 20


def coarse_arms(rig: Rig) -> Figure:
    """Arms of four rings of four vertices each: of chest, elbow, wrist and finger tips."""
    places, figure = rig.skeleton.rest_world_positions, default_figure()
    corners = 0.04 * np.array([[0, 1, 1], [0, 1, -1], [0, -1, -1], [0, -1, 1]])
    points, joints, triangles = [], [], []
    for side, sign in (("left", 1), ("right", -1)):
        shoulder, elbow, wrist = rig.joints(
            [f"{side}{b}" for b in ("UpperArm", "LowerArm", "Hand")]
        )
        rings = [
            places[shoulder],
            places[elbow],
            places[wrist],
            places[wrist] + [0.15 * sign, 0, 0],
        ]
        first = 4 * len(points)
        points += [ring + corners for ring in rings]
        joints += [rig.joint("chest")] * 4 + [elbow] * 4 + [wrist] * 8
        for k in range(3):
            for i in range(4):
                a, b = first + 4 * k + i, first + 4 * k + (i + 1) % 4
                quad = [[a, b, a + 4], [b, b + 4, a + 4]]
                triangles += [q[:: sign or 1] for q in quad]
        triangles += [[first, first + 2, first + 1][::sign], [first, first + 3, first + 2][::sign]]
        end = first + 12
        triangles += [[end, end + 1, end + 2][::sign], [end, end + 2, end + 3][::sign]]
    count = len(joints)
    return replace(
        figure,
        positions=np.concatenate(points),
        normals=np.tile([0.0, 1.0, 0.0], (count, 1)),
        colours=np.ones((count, 3)),
        triangles=np.array(triangles),
        joints=np.array(joints)[:, None],
        weights=np.ones((count, 1)),
        morphs={},
    )


def test_forearms_of_a_coarse_mesh_end_near_the_elbow() -> None:
    rig = ks.default_rig()
    settings = ArmBallSettings(fewest=4)
    found = arm_balls(rig, mesh_regions(coarse_arms(rig), rig), 1.0, settings)
    forearms = found.centres[~found.is_hand]
    places = rig.skeleton.rest_world_positions
    shoulder, elbow = np.abs(places[rig.joints(("leftUpperArm", "leftLowerArm")), 0])
    # Triangles go on to the shoulder, and beyond their middle they are the upper arm.
    assert len(forearms) > 8
    assert np.abs(forearms[:, 0]).min() > 0.5 * (shoulder + elbow) - 0.01
    assert np.abs(forearms[:, 0]).min() < elbow
