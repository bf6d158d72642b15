"""The rasteriser: known geometry, order, symmetry, posing, and that workers change nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.character.figure import Figure, pose_mesh
from kinesphere.errors import InvalidValueError, KinesphereError
from kinesphere.export.render.camera import VIEWS, Camera, camera_path, clip_view, view_of
from kinesphere.export.render.raster import DARK, LIGHT, Backdrop, pose, render_clip, render_frame
from kinesphere.formats.gltf.gltf_writing import _octahedra
from kinesphere.maths.arrays import Bytes, Floats
from tests.conftest import smooth_clip

RED, GREEN = (0.8, 0.02, 0.02), (0.02, 0.8, 0.02)
CAMERA = Camera([0.0, 1.0, 4.0], [0.0, 1.0, 0.0], np.radians(40.0), 160, 120)


def octahedra_figure(rng: np.random.Generator | None = None) -> Figure:
    """A slim body on the default skeleton; with `rng`, blended weights and two face shapes."""
    skeleton = ks.default_skeleton()
    points, normals, owners = _octahedra(skeleton)
    count = len(points)
    joints, weights = np.array(owners)[:, None], np.ones((count, 1))
    morphs: dict[str, Floats] = {}
    if rng is not None:
        joints = np.column_stack([joints, rng.integers(0, len(skeleton), (count, 2))])
        weights = rng.dirichlet(np.ones(3), count)
        weights[::7] = [1.0, 0.0, 0.0]
        morphs = {name: rng.normal(scale=0.01, size=(count, 3)) for name in ("aa", "blink")}
    colours = np.tile([0.72, 0.68, 0.60], (count, 1))
    triangles = np.arange(count).reshape(-1, 3)
    return Figure(skeleton, points, normals, colours, triangles, joints, weights, morphs)


def draw(
    corners: Floats, colours: list[tuple[float, ...]], camera: Camera = CAMERA, **more: Any
) -> Bytes:
    """Triangles ``[n, 3, 3]``, a colour each, lit as if they faced up and forward."""
    points = np.asarray(corners, float).reshape(-1, 3)
    normals = np.tile([0.0, 0.6, 0.8], (len(points), 1))
    faces = np.arange(len(points)).reshape(-1, 3)
    return render_frame(
        points, normals, np.repeat(np.reshape(colours, (-1, 3)), 3, axis=0), faces, camera, **more
    )


def reds(image: Bytes) -> np.ndarray:
    return (image[..., 0].astype(int) - image[..., 1]) > 60


def inside(corner: Floats, pixels: Floats) -> np.ndarray:
    """Plain reference: which points lie in a triangle, whichever way round it is."""
    sides = [
        (b[0] - a[0]) * (pixels[..., 1] - a[1]) - (b[1] - a[1]) * (pixels[..., 0] - a[0])
        for a, b in zip(corner, np.roll(corner, -1, axis=0), strict=True)
    ]
    return np.asarray(np.all(np.array(sides) >= 0, axis=0) | np.all(np.array(sides) <= 0, axis=0))


def distances(points: Floats, a: Floats, b: Floats) -> Floats:
    """How far points are from the line between two."""
    along = np.clip((points - a) @ (b - a) / max((b - a) @ (b - a), 1e-12), 0.0, 1.0)
    return np.asarray(np.linalg.norm(points - a - along[..., None] * (b - a), axis=-1))


def test_a_triangle_lands_where_projection_says(rng: np.random.Generator) -> None:
    grid = np.stack(np.meshgrid(np.arange(160) + 0.5, np.arange(120) + 0.5), axis=-1)
    for _ in range(20):
        corners = np.column_stack(
            [rng.uniform(-1, 1, 3), rng.uniform(0.2, 1.8, 3), rng.uniform(-1, 1, 3)]
        )
        image = draw(corners[None], [RED], two_sided=True)
        at, depth = CAMERA.project(corners)
        assert (depth > 0).all()
        sure = np.min([distances(grid, at[k], at[k - 1]) for k in range(3)], axis=0) > 1.0
        assert np.array_equal(reds(image)[sure], inside(at, grid)[sure])


def test_front_faces_are_counter_clockwise_and_backs_are_culled() -> None:
    triangle = np.array([[[-0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.0, 1.5, 0.0]]])
    assert reds(draw(triangle, [RED])).any()
    assert not reds(draw(triangle[:, ::-1], [RED])).any()
    # Both sides of a sheet look alike if light and camera change sides with it.
    normals, colours = np.tile([0.0, 0.6, 0.8], (3, 1)), np.tile(RED, (3, 1))
    back = render_frame(triangle[0], -normals, colours, [[2, 1, 0]], CAMERA, two_sided=True)
    assert np.array_equal(back, draw(triangle, [RED]))


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_nearer_covers_farther_in_any_order(order: list[int]) -> None:
    near = np.array([[-0.5, 0.5, 0.5], [0.5, 0.5, 0.5], [0.0, 1.5, 0.5]])
    far = near - [0.0, 0.0, 0.02]
    image = draw(np.array([near, far])[order], np.array([RED, GREEN])[order])
    assert np.array_equal(image, draw(np.array([near, far]), [RED, GREEN]))
    middle = image[60, 80].astype(int)
    assert middle[0] > middle[1] + 60


def test_triangles_that_pass_through_each_other_meet_on_a_line() -> None:
    one = np.array([[-0.5, 0.5, 0.5], [0.5, 0.5, -0.5], [0.5, 1.5, -0.5]])
    other = np.array([[-0.5, 0.5, -0.5], [0.5, 0.5, 0.5], [0.5, 1.5, 0.5]])
    image = draw(np.array([one, other]), [RED, GREEN], two_sided=True).astype(int)
    row = image[70]
    assert (row[82:, 1] >= row[82:, 0]).all()
    assert reds(image)[72:, :79].any()


def test_neighbours_leave_no_pinholes(rng: np.random.Generator) -> None:
    """A crumpled sheet that fills the picture hides the backdrop everywhere."""
    n = 24
    x, y = np.meshgrid(np.linspace(-3, 3, n), np.linspace(-2, 4, n))
    points = np.stack([x, y, rng.uniform(-0.2, 0.2, x.shape)], axis=-1).reshape(-1, 3)
    i = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel()
    faces = np.concatenate([np.stack([i, i + 1, i + n], 1), np.stack([i + 1, i + n + 1, i + n], 1)])
    normals, colours = np.tile([0.0, 0.6, 0.8], (n * n, 1)), np.tile(RED, (n * n, 1))
    image = render_frame(points, normals, colours, faces, CAMERA, two_sided=True)
    assert reds(image).all()


def test_triangles_across_the_camera_plane_are_cut() -> None:
    """A plank from behind the camera to far ahead covers the picture's lower middle, not the top."""
    plank = np.array([[[-0.2, 0.7, 6.0], [0.2, 0.7, 6.0], [0.0, 0.7, -3.0]]])
    image = reds(draw(plank, [RED]))
    assert image[119, 80]
    assert not image[:60].any()
    behind = plank + [0.0, 0.0, 20.0]
    assert np.array_equal(draw(behind, [RED]), draw(np.zeros((0, 3, 3)), []))


def test_what_touches_the_lens_is_not_drawn() -> None:
    """A plank 5 mm below the camera shows where it is 2 cm away and more: above row 101."""
    plank = np.array([[[-9.0, 0.995, 9.0], [9.0, 0.995, 9.0], [0.0, 0.995, -90.0]]])
    shown = reds(draw(plank, [RED], studio=replace(LIGHT, shadow=0.0)))
    assert shown[70:100, 80].all()
    assert not shown[103:].any()


def test_colours_are_interpolated_in_perspective() -> None:
    """With a colour of its own at every corner, a pixel shows its barycentric weights."""
    white, none = (0.3, 0.3, 0.3), (0.0, 0.0, 0.0)
    studio = replace(
        LIGHT, shadow=0.0, specular=0.0, rim=none, key=white, fill=white, sky=white, ground=white
    )
    corners = np.array([[-0.9, 0.3, 1.5], [1.2, 0.2, -1.5], [0.2, 1.9, -0.5]])
    normals = np.tile([0.0, 0.6, 0.8], (3, 1))
    image = render_frame(corners, normals, np.eye(3), [[0, 1, 2]], CAMERA, studio)
    right, up, forward = CAMERA.axes
    for x, y in ((60, 75), (80, 60), (90, 45), (70, 80), (100, 75)):
        across, down = x + 0.5 - 80, y + 0.5 - 60
        ray = forward + (across * right - down * up) / CAMERA.focal_px
        weights = np.linalg.solve(
            np.block([[corners.T, -ray[:, None]], [np.ones((1, 3)), np.zeros((1, 1))]]),
            np.append(CAMERA.position, 1.0),
        )[:3]
        assert (weights > 0.02).all(), (x, y)
        level = image[y, x] / 255.0
        light = np.where(level <= 0.04045, level / 12.92, ((level + 0.055) / 1.055) ** 2.4)
        np.testing.assert_allclose(light / light.sum(), weights, atol=0.01)


def test_edges_mix_in_linear_light() -> None:
    """A black triangle covers none, one, two, three or all four samples of a pixel."""
    studio = replace(LIGHT, shadow=0.0, specular=0.0, rim=(0.0, 0.0, 0.0))
    triangle = np.array([[[-0.9, 0.3, 0.0], [0.8, 0.45, 0.0], [0.1, 1.7, 0.0]]])
    light = [
        np.where(level <= 0.04045, level / 12.92, ((level + 0.055) / 1.055) ** 2.4)
        for level in (
            draw(corners, [(0.0, 0.0, 0.0)] * len(corners), studio=studio)[..., 0] / 255.0
            for corners in (triangle, np.zeros((0, 3, 3)))
        )
    ]
    part = light[0] / light[1]
    assert np.abs(4.0 * part - np.rint(4.0 * part)).max() < 0.06
    assert set(np.rint(4.0 * part).astype(int).ravel()) == {0, 1, 2, 3, 4}


def test_a_symmetric_scene_gives_a_symmetric_picture() -> None:
    figure = octahedra_figure()
    studio = replace(
        LIGHT,
        key_direction=(0.0, 0.8, 0.6),
        fill_direction=(0.0, 0.0, 1.0),
        rim_direction=(0.0, 0.6, -0.8),
    )
    mesh = (figure.positions, figure.normals, figure.colours, figure.triangles)
    flip = np.array([-1.0, 1.0, 1.0])
    turned = (
        figure.positions * flip,
        figure.normals * flip,
        figure.colours,
        figure.triangles[:, ::-1],
    )
    camera = replace(CAMERA, width=320, height=240)
    image = render_frame(*mesh, camera, studio).astype(int)
    other = render_frame(*turned, camera, studio)[:, ::-1].astype(int)
    # Samples sit on a turned grid and the noise is not symmetric: edges may differ, by little.
    difference = np.abs(image - other)
    assert (difference > 3).any(axis=-1).mean() < 0.05
    assert abs(image.mean() - other.mean()) < 0.05
    assert difference[200:, :60].max() <= 1


@pytest.mark.parametrize("studio", [LIGHT, DARK], ids=["light", "dark"])
def test_the_empty_studio_is_quiet_and_always_the_same(studio: Backdrop) -> None:
    empty = draw(np.zeros((0, 3, 3)), [], CAMERA, studio=studio)
    draw(np.array([[[-0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.0, 1.5, 0.0]]]), [RED], studio=studio)
    assert np.array_equal(empty, draw(np.zeros((0, 3, 3)), [], CAMERA, studio=studio))
    steps = np.abs(np.diff(empty.astype(int), axis=0))
    assert steps.max() <= 5
    assert empty.max() < 250
    # Beside the floor, so that only where the camera looks matters, not where it stands.
    moved = CAMERA.translate([3.0, 0.0, -1.0])
    assert np.array_equal(empty, draw(np.zeros((0, 3, 3)), [], moved, studio=studio))


def test_the_figure_shades_the_floor_and_itself_only_under_a_light() -> None:
    table = np.array(
        [
            [[-0.5, 0.3, -0.5], [-0.5, 0.3, 0.5], [0.5, 0.3, 0.5]],
            [[-0.5, 0.3, -0.5], [0.5, 0.3, 0.5], [0.5, 0.3, -0.5]],
        ]
    )
    camera = Camera([0.0, 1.5, 4.0], [0.0, 0.2, 0.0], np.radians(40.0), 160, 120)
    empty = draw(np.zeros((0, 3, 3)), [], camera).astype(int)
    for shadow, dark in ((0.75, True), (0.0, False)):
        image = draw(table, [RED, RED], camera, studio=replace(LIGHT, shadow=shadow)).astype(int)
        floor = ~reds(image) & (np.abs(image[..., 0] - image[..., 1]) < 20)
        assert ((empty - image)[floor].max() > 30) == dark
        assert (image - empty)[floor].max() <= 1


def test_views_frame_a_box_from_where_they_say() -> None:
    low, high = np.array([-0.6, 0.0, -0.3]), np.array([0.6, 1.8, 0.3])
    corners = np.array([[x, y, z] for x in (-0.6, 0.6) for y in (0.0, 1.8) for z in (-0.3, 0.3)])
    for view in VIEWS:
        for size in ((320, 180), (90, 160)):
            camera = view_of(view, low, high, *size)
            at, depth = camera.project(corners)
            assert (depth > 0).all()
            assert (at > 0).all()
            assert (at < size).all()
            filled = np.ptp(at, axis=0) / size
            assert filled.max() > 0.8
    left_hand, face = [0.6, 1.4, 0.0], [0.0, 1.6, 0.3]
    assert view_of("front", low, high).project(left_hand)[0][0] > 640
    assert view_of("side", low, high).project(face)[0][0] < 640
    assert view_of("top", low, high).project(face)[0][1] > 360


def test_posing_is_that_of_the_figure(rng: np.random.Generator) -> None:
    figure = octahedra_figure(rng)
    clip = smooth_clip(figure.skeleton, rng, frames=5)
    face = {"aa": 0.7, "blink": -0.2, "not there": 1.0}
    for frame in range(5):
        world = clip.world_rotations[frame], clip.world_positions[frame]
        for mine, theirs in zip(
            pose(figure, *world, face), pose_mesh(figure, *world, face), strict=True
        ):
            np.testing.assert_allclose(mine, theirs, atol=1e-12)


def test_workers_change_no_pixel(rng: np.random.Generator) -> None:
    figure = octahedra_figure(rng)
    clip = smooth_clip(figure.skeleton, rng, frames=9)
    clip = replace(clip, channels={"aa": np.linspace(0.0, 1.0, 9)})
    told: list[tuple[int, int]] = []
    one = list(render_clip(figure, clip, "front", size=(96, 64), workers=1, studio=DARK))
    three = list(
        render_clip(
            figure,
            clip,
            "front",
            size=(96, 64),
            workers=3,
            studio=DARK,
            progress=lambda done, count: told.append((done, count)),
        )
    )
    assert len(one) == 9
    assert all(np.array_equal(a, b) for a, b in zip(one, three, strict=True))
    assert told == [(i, 9) for i in range(1, 10)]
    some = list(
        render_clip(figure, clip, clip_view("front", figure, clip, 96, 64), [7, 2], DARK, workers=2)
    )
    assert np.array_equal(some[0], one[7])
    assert np.array_equal(some[1], one[2])
    assert not np.array_equal(some[0], some[1])


def test_a_frame_is_the_figure_drawn_in_its_pose(rng: np.random.Generator) -> None:
    figure = octahedra_figure(rng)
    clip = smooth_clip(figure.skeleton, rng, frames=3)
    points, normals = pose_mesh(figure, clip.world_rotations[1], clip.world_positions[1])
    wanted = render_frame(points, normals, figure.colours, figure.triangles, CAMERA).astype(int)
    (image,) = render_clip(figure, clip, CAMERA, [1], follow=False)
    assert (np.abs(image.astype(int) - wanted) > 1).mean() < 1e-3


def test_a_stopped_reader_stops_the_workers(rng: np.random.Generator) -> None:
    figure = octahedra_figure()
    clip = smooth_clip(figure.skeleton, rng, frames=40)
    pictures = render_clip(figure, clip, size=(64, 48), workers=2)
    next(pictures)
    pictures.close()  # type: ignore[attr-defined]
    assert next(pictures, None) is None


def test_the_camera_follows_a_walk_and_only_a_walk() -> None:
    figure = octahedra_figure()
    clip = smooth_clip(figure.skeleton, np.random.default_rng(1), frames=180, size=0.0)
    camera = clip_view("front", figure, clip, 160, 90)
    assert not camera_path(camera, figure, clip).any()
    walk = clip.root_positions + np.linspace(0.0, 6.0, 180)[:, None] * [1.0, 0.0, 0.0]
    walking = replace(clip, root_positions=walk)
    way = camera_path(camera, figure, walking)
    assert np.abs(way[:, 1:]).max() < 1e-9
    assert np.linalg.norm(np.diff(way, axis=0), axis=1).max() * 60 < 3.0
    for frame in range(0, 180, 10):
        at, _ = camera.translate(way[frame]).project(walking.world_positions[frame])
        assert (at[:, 0] > 0).all()
        assert (at[:, 0] < 160).all()
    at, _ = clip_view("front", figure, walking, 160, 90, follow=False).project(
        walking.world_positions.reshape(-1, 3)
    )
    assert (at > 0).all()
    assert (at < [160, 90]).all()


def test_what_cannot_be_drawn_is_said_in_one_line(rng: np.random.Generator) -> None:
    figure = octahedra_figure()
    clip = smooth_clip(figure.skeleton, rng, frames=3)
    other = ks.Clip(
        ks.Skeleton(("a",), [-1], [[0.0, 1.0, 0.0]]),
        30.0,
        np.zeros((1, 3)),
        [[[1.0, 0.0, 0.0, 0.0]]],
    )
    bare = replace(figure, triangles=np.zeros((0, 3), int))
    wrong: list[Callable[[], object]] = [
        lambda: render_clip(bare, clip),
        lambda: render_clip(figure, other),
        lambda: render_clip(figure, clip, frames=[]),
        lambda: render_clip(figure, clip, frames=[3]),
        lambda: render_clip(figure, clip, workers=0),
        lambda: render_clip(figure, clip, "behind"),
        lambda: render_clip(figure, clip, size=(0, 10)),
        lambda: draw(np.full((1, 3, 3), np.nan), [RED]),
        lambda: render_frame(
            np.zeros((2, 3)), np.zeros((2, 3)), np.zeros((2, 3)), [[0, 1, 2]], CAMERA
        ),
        lambda: render_frame(
            np.zeros((2, 3)), np.zeros((1, 3)), np.zeros((2, 3)), [[0, 1, 0]], CAMERA
        ),
        lambda: Camera([0, 0, 0], [0, 0, 0]),
        lambda: Camera([0, 0, 0], [0, 0, 1], 4.0),
        lambda: view_of("front", [0, 0, 0], [0, 0, 0]),
    ]
    for attempt in wrong:
        with pytest.raises(KinesphereError) as caught:
            attempt()
        assert isinstance(caught.value, InvalidValueError)
        assert "\n" not in str(caught.value)
