"""Pictures of a figure, drawn on the processor alone: no display, no GPU, nothing to install.

`render_frame` draws triangles in a plain studio, `render_clip` a figure that moves with a clip.
The loops are in `raster_kernels`.
"""

from __future__ import annotations

import math
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinesphere.character.figure import Figure
from kinesphere.errors import InvalidValueError
from kinesphere.export.render.camera import Camera, camera_path, clip_view
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Bytes, Floats, Ints
from kinesphere.motion.clip import Clip

Colour = tuple[float, float, float]
_LIGHT_TEXEL, _FLOOR_TEXEL, _MOST_TEXELS = 0.008, 0.0125, 512
_MOST_TRIANGLES = (1 << 22) - 1  # their numbers share a float with the depth
_BRIGHTEST = 1.5  # linear light that still gets a level of its own


@dataclass(frozen=True)
class Backdrop:
    """Light and surroundings; colours are linear RGB, 1 is white under a light of 1.

    Directions point to the lights: right of the picture, up, towards the camera. They rotate with
    the camera, so that every view has the same lighting.
    """

    wall: Colour
    horizon: Colour
    floor: Colour
    sky: Colour
    ground: Colour
    key: Colour
    fill: Colour
    rim: Colour
    key_direction: Colour = (-0.50, 0.78, 0.52)
    fill_direction: Colour = (0.85, 0.25, 0.50)
    rim_direction: Colour = (0.45, 0.60, -0.75)
    specular: float = 0.10
    shadow: float = 0.75


LIGHT = Backdrop(
    wall=(0.60, 0.63, 0.66),
    horizon=(0.76, 0.77, 0.78),
    floor=(0.84, 0.84, 0.83),
    sky=(0.28, 0.30, 0.34),
    ground=(0.17, 0.16, 0.15),
    key=(0.98, 0.93, 0.86),
    fill=(0.11, 0.13, 0.16),
    rim=(0.40, 0.42, 0.45),
    shadow=0.8,
)
DARK = Backdrop(
    wall=(0.010, 0.012, 0.016),
    horizon=(0.030, 0.034, 0.042),
    floor=(0.085, 0.088, 0.095),
    sky=(0.15, 0.17, 0.21),
    ground=(0.07, 0.065, 0.06),
    key=(0.95, 0.89, 0.80),
    fill=(0.08, 0.10, 0.14),
    rim=(0.75, 0.82, 0.95),
    shadow=0.9,
)


class _Canvas:
    """Buffers and the empty studio, kept by a thread from frame to frame."""

    def __init__(self, camera: Camera, studio: Backdrop) -> None:
        size = (camera.height, camera.width)
        self.key = _canvas_key(camera, studio)
        self.samples = np.empty(4 * size[0] * (size[1] + 1))
        self.marks = np.empty((3, self.samples.size), np.int32)
        self.places = np.empty((self.samples.size, 2), np.float32)
        self.edges = np.empty((0, 10))
        self.light_map = np.empty((0, 0), np.float32)
        self.levels = _levels()
        self.dither = _dither(*size)
        self.backdrop = _backdrop(camera, studio)
        steps = (self.backdrop * 8192.0).astype(np.int64).clip(max=len(self.levels) - 1)
        self.empty = (self.levels[steps] + self.dither[..., None]).astype(np.uint8)


_kept = threading.local()


def render_frame(
    positions: ArrayLike,
    normals: ArrayLike,
    colours: ArrayLike,
    triangles: ArrayLike,
    camera: Camera,
    studio: Backdrop = LIGHT,
    *,
    two_sided: bool = False,
) -> Bytes:
    """Picture ``[height, width, 3]``, sRGB, of a mesh that stands on the floor y = 0.

    Parameters
    ----------
    positions, normals : ``[vertices, 3]`` in the world, metres and unit vectors.
    colours : ``[vertices, 3]`` linear RGB in [0, 1].
    triangles : ``[triangles, 3]`` vertex indices, counter-clockwise from outside.
    camera : gives the size of the picture, too.
    studio : light and surroundings.
    two_sided : also draw back faces, with inverted normals.
    """
    from kinesphere.export.render import raster_kernels as kernels

    points, directions, tints = (
        _rows(values, name)
        for values, name in ((positions, "positions"), (normals, "normals"), (colours, "colours"))
    )
    faces = np.ascontiguousarray(triangles, dtype=np.int64).reshape(-1, 3)
    _check_mesh(points, directions, tints, faces)
    canvas: _Canvas | None = getattr(_kept, "canvas", None)
    if canvas is None or canvas.key != _canvas_key(camera, studio):
        canvas = _kept.canvas = _Canvas(camera, studio)
    image: Bytes = canvas.empty.copy()
    if len(faces):
        if len(canvas.edges) < len(faces):
            canvas.edges = np.empty((len(faces), 10))
        lens, lights = _lens(camera), _lights(camera, studio)
        sun, light_map = _light_map(canvas, lights[0], points, faces)
        floor, place = _floor(sun, light_map, points, faces, studio)
        scene = (canvas.backdrop, floor, place, canvas.levels, canvas.dither)
        kernels.darken_floor(lens, *scene, _floor_area(camera, floor, place), image)
        seen, area = np.empty_like(points), np.empty(4, np.int64)
        size = np.array([2 * camera.width, 2 * camera.height])
        kernels.project_vertices(lens, points, size, seen, area)
        width, height = -(int(area[0] - area[2]) // 4) * 4, int(area[3] - area[1])
        samples = canvas.samples[: width * height].reshape(height, width)
        kernels.find_visible(seen, faces, area, two_sided, samples, canvas.edges)
        pixels, owners, counts = canvas.marks
        count = kernels.collect_fragments(samples, area, pixels, owners, counts, canvas.places)
        pixels, owners, counts = canvas.marks[:, :count]
        places, light = canvas.places[:count], np.empty((count, 3), np.float32)
        surface = (canvas.edges, faces, directions, tints, lens, lights, sun, light_map)
        kernels.light_fragments(owners, places, *surface, light)
        kernels.mix_fragments(lens, pixels, counts, light, *scene, area, image)
    return image


def _check_mesh(points: Floats, directions: Floats, tints: Floats, faces: Ints) -> None:
    if not len(points) == len(directions) == len(tints):
        raise InvalidValueError(
            f"{len(points)} positions, {len(directions)} normals and {len(tints)} colours; "
            "allowed is one of each per vertex"
        )
    if len(faces) and not 0 <= int(faces.min()) <= int(faces.max()) < len(points):
        raise InvalidValueError("a triangle names a vertex that does not exist")
    if len(faces) >= _MOST_TRIANGLES:
        raise InvalidValueError(f"{len(faces)} triangles, allowed are fewer than {_MOST_TRIANGLES}")


def _rows(values: ArrayLike, name: str) -> Floats:
    rows = np.ascontiguousarray(values, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != 3:
        raise InvalidValueError(f"{name} have shape {rows.shape}, expected (any, 3)")
    if not np.isfinite(rows).all():
        raise InvalidValueError(
            f"{name}[{int(np.argwhere(~np.isfinite(rows))[0][0])}] is not finite"
        )
    return rows


def _canvas_key(camera: Camera, studio: Backdrop) -> tuple[object, ...]:
    """Parameters of the empty studio: independent of the camera's position over the floor."""
    way = camera.target - camera.position
    place = (*np.round(way, 9), round(float(camera.position[1]), 9))
    return (place, camera.vertical_fov, camera.width, camera.height, studio)


def _lens(camera: Camera) -> Floats:
    right, up, forward = camera.axes
    focal, middle_x, middle_y = 2.0 * camera.focal_px, camera.width, camera.height
    corner = forward - (middle_x * right - middle_y * up) / focal
    rays = (corner, right / focal, -up / focal)
    return np.array([right, up, forward, camera.position, (focal, middle_x, middle_y), *rays])


def _lights(camera: Camera, studio: Backdrop) -> Floats:
    right, towards = camera.heading()
    frame = np.array([right, [0.0, 1.0, 0.0], towards])

    def world(direction: Colour) -> Floats:
        return np.asarray(direction @ frame / np.linalg.norm(direction))

    rows = [world(studio.key_direction), studio.key, world(studio.fill_direction), studio.fill]
    sky, ground = np.array(studio.sky), np.array(studio.ground)
    rows += [world(studio.rim_direction), studio.rim, 0.5 * (sky + ground), 0.5 * (sky - ground)]
    return np.array([*rows, (studio.specular, 0.0, 0.0)])


def _levels() -> NDArray[np.float32]:
    """SRGB levels in [0, 255] of linear light in steps of 1 / 8192; highlights roll off."""
    light = np.arange(int(_BRIGHTEST * 8192) + 1) / 8192
    knee = 0.8
    light = np.where(light < knee, light, 1.0 - 0.2 * np.exp((knee - light) / 0.2))
    curve = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    return (255.0 * curve).astype(np.float32)


def _dither(height: int, width: int) -> NDArray[np.float32]:
    """Uniform noise in [0, 1) that prevents banding of soft gradients (Jimenez 2014)."""
    x, y = np.arange(width), np.arange(height)[:, None]
    return ((52.9829189 * ((0.06711056 * x + 0.00583715 * y) % 1.0)) % 1.0).astype(np.float32)


def _backdrop(camera: Camera, studio: Backdrop) -> NDArray[np.float32]:
    """Linear light of the empty studio: a floor that is brightest at the target and fades away."""
    right, up, forward = camera.axes
    x = (np.arange(camera.width) + 0.5 - 0.5 * camera.width) / camera.focal_px
    y = (0.5 * camera.height - np.arange(camera.height) - 0.5) / camera.focal_px
    ray = forward + x[None, :, None] * right + y[:, None, None] * up
    rise = ray[..., 1] / np.linalg.norm(ray, axis=-1)
    high = _smooth(rise / 0.45)[..., None]
    wall = np.array(studio.horizon) + high * (np.array(studio.wall) - studio.horizon)
    height = camera.position[1]
    if height <= 0.0:
        return wall.astype(np.float32)
    far = height / np.maximum(-ray[..., 1], 1e-4)
    spot = far[..., None] * ray[..., [0, 2]] - (camera.target - camera.position)[[0, 2]]
    lit = (1.0 - _smooth((np.linalg.norm(spot, axis=-1) - 0.4) / 5.0))[..., None]
    floor = np.array(studio.horizon) + lit * (np.array(studio.floor) - studio.horizon)
    return np.where(rise[..., None] < 0.0, floor, wall).astype(np.float32)


def _smooth(x: Floats) -> Floats:
    held = np.clip(x, 0.0, 1.0)
    return np.asarray(held * held * (3.0 - 2.0 * held))


def _light_map(
    canvas: _Canvas, light: Floats, points: Floats, faces: Ints
) -> tuple[Floats, NDArray[np.float32]]:
    """Axes of the key light's map (see the kernels' `sun`) and the map."""
    from kinesphere.export.render.raster_kernels import fill_light_map

    x, y, z = light.tolist()
    level = math.hypot(x, z)
    u = np.array([z / level, 0.0, -x / level] if level > 1e-6 else [1.0, 0.0, 0.0])
    v = np.array([y * u[2], z * u[0] - x * u[2], -y * u[0]])
    low, high = _extent(points, np.array([u, v]))
    first, texel, shape = _grid(low, high, _LIGHT_TEXEL, 4)
    sun = np.array([u / texel, v / texel, light, (first[0] / texel, first[1] / texel, 0.0)])
    if canvas.light_map.shape != shape:
        canvas.light_map = np.empty(shape, np.float32)
    fill_light_map(sun, points, faces, canvas.light_map)
    return sun, canvas.light_map


def _extent(points: Floats, axes: Floats) -> tuple[Floats, Floats]:
    from kinesphere.export.render.raster_kernels import extent

    low, high = np.empty(len(axes)), np.empty(len(axes))
    extent(points, axes, low, high)
    return low, high


def _grid(
    low: Floats, high: Floats, texel: float, border: int
) -> tuple[Floats, float, tuple[int, int]]:
    """First corner, texel and shape (rows of the second axis) of a map that covers a box.

    The corner is a whole number of texels from 0, so that static objects keep their shadow.
    """
    texel = max(texel, float(np.max(high - low)) / (_MOST_TEXELS - 2 * border - 1))
    first = np.floor(low / texel) - border
    count = (np.ceil(high / texel) - first + border).astype(int)
    return first * texel, texel, (int(count[1]), int(count[0]))


def _floor(
    sun: Floats, light_map: NDArray[np.float32], points: Floats, faces: Ints, studio: Backdrop
) -> tuple[NDArray[np.float32], Floats]:
    """Light on the floor, and the map's position: first x and z, texel."""
    from kinesphere.export.render.raster_kernels import blur, cover_floor

    lean_x, _, lean_z = sun[2] / max(float(sun[2, 1]), 0.2)
    axes = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, -lean_x, 0.0], [0.0, -lean_z, 1.0]]
    low, high = _extent(points, np.array(axes))
    low, high = np.minimum(low[:2], low[2:]), np.maximum(high[:2], high[2:])
    first, texel, shape = _grid(low, high, _FLOOR_TEXEL, 40)
    place = np.array([first[0], first[1], texel])
    layers = np.empty((4, *shape), np.float32)
    cover_floor(sun, light_map, points, faces, place, 0.6, 0.12, layers)
    for layer, radius in zip(layers, (1, 6, 1, 12), strict=True):
        blur(layer, radius)
    crisp, soft, touch, above = layers
    lit = (1.0 - 0.45 * crisp) * (1.0 - 0.5 * soft) * (1.0 - 0.8 * touch) * (1.0 - 0.6 * above)
    return np.ascontiguousarray(1.0 - studio.shadow * (1.0 - lit), dtype=np.float32), place


def _floor_area(camera: Camera, floor: NDArray[np.float32], place: Floats) -> Ints:
    """Pixels x0, y0, x1, y1 that may show the map."""
    x = place[0] + place[2] * np.array([0, floor.shape[1]])
    z = place[1] + place[2] * np.array([0, floor.shape[0]])
    corners = np.array([[a, 0.0, b] for a in x for b in z])
    at, depth = camera.project(corners)
    size = np.array([camera.width, camera.height])
    if depth.min() < 0.05:
        return np.array([0, 0, *size])
    low = np.clip(np.floor(at.min(axis=0)), 0, size).astype(np.int64)
    high = np.clip(np.ceil(at.max(axis=0)), 0, size).astype(np.int64)
    return np.array([*low, *np.maximum(low, high)])


def render_clip(
    figure: Figure,
    clip: Clip,
    view: Camera | str = "front",
    frames: Iterable[int] | None = None,
    studio: Backdrop = LIGHT,
    *,
    size: tuple[int, int] = (1280, 720),
    follow: bool = True,
    two_sided: bool = False,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[Bytes]:
    """Yield a picture ``[height, width, 3]`` of every frame, in order.

    Parameters
    ----------
    figure, clip : character and motion; both have the same joints.
    view : a camera, or the name of a view that fits the clip.
    frames : which frames of the clip; default all.
    studio : light and surroundings.
    size : width and height in pixels of a named view.
    follow : whether the camera slowly follows a figure that would leave the picture.
    two_sided : also draw back faces.
    workers : frames drawn in parallel, by default one per processor. These are threads: the loops
        run outside Python's lock. The pictures do not depend on it.
    progress : called with the frames done and all frames after each.
    """
    which = list(range(len(clip)) if frames is None else map(int, frames))
    workers = (os.cpu_count() or 1) if workers is None else workers
    _check_clip(figure, clip, which, workers)
    camera = clip_view(view, figure, clip, *size, follow) if isinstance(view, str) else view
    shifts = camera_path(camera, figure, clip) if follow else np.zeros((len(clip), 3))
    worlds = clip.world_rotations, clip.world_positions  # computed here, once for all threads

    def draw(frame: int) -> Bytes:
        face = {name: float(values[frame]) for name, values in clip.channels.items()}
        points, normals = pose(figure, worlds[0][frame], worlds[1][frame], face)
        at = camera.translate(shifts[frame]) if shifts[frame].any() else camera
        look = (figure.colours, figure.triangles, at, studio)
        return render_frame(points, normals, *look, two_sided=two_sided)

    return _in_order(draw, which, workers, progress)


def _check_clip(figure: Figure, clip: Clip, which: list[int], workers: int) -> None:
    if not len(figure.triangles):
        raise InvalidValueError("the figure has no triangles to draw")
    if clip.skeleton.names != figure.skeleton.names:
        raise InvalidValueError(
            f"the clip moves {len(clip.skeleton)} joints from {clip.skeleton.names[0]!r}, the "
            f"figure has {len(figure.skeleton)} from {figure.skeleton.names[0]!r}; allowed is a "
            "clip on the figure's own skeleton: retarget it first"
        )
    if not which:
        raise InvalidValueError("no frames to draw, allowed is at least one")
    if not 0 <= min(which) <= max(which) < len(clip):
        raise InvalidValueError(
            f"frames {min(which)} to {max(which)} of a clip of {len(clip)}; allowed are 0 to "
            f"{len(clip) - 1}"
        )
    if workers < 1:
        raise InvalidValueError(f"workers is {workers}, allowed is at least 1")


def _in_order(
    draw: Callable[[int], Bytes],
    which: list[int],
    workers: int,
    progress: Callable[[int, int], None] | None,
) -> Iterator[Bytes]:
    """Results of `draw` in order; only a few are computed ahead, so memory stays small."""
    report = progress or (lambda done, count: None)
    if min(workers, len(which)) == 1:
        for done, frame in enumerate(which, 1):
            image = draw(frame)
            report(done, len(which))
            yield image
        return
    with ThreadPoolExecutor(workers) as pool:
        ahead: deque[Future[Bytes]] = deque()
        left = deque(which)
        try:
            for done in range(1, len(which) + 1):
                while left and len(ahead) < workers + 2:
                    ahead.append(pool.submit(draw, left.popleft()))
                image = ahead.popleft().result()
                report(done, len(which))
                yield image
        finally:
            for future in ahead:
                future.cancel()


def pose(
    figure: Figure,
    world_rotations: Floats,
    world_positions: Floats,
    face: dict[str, float] | None = None,
) -> tuple[Floats, Floats]:
    """Positions and normals ``[vertices, 3]`` in one pose: `posed`, but compiled."""
    from kinesphere.export.render.raster_kernels import pose_vertices

    skeleton = figure.skeleton
    turn = quaternion.to_matrix(
        quaternion.multiply(world_rotations, quaternion.inverse(skeleton.rest_world_rotations))
    )
    moves = np.empty((len(skeleton), 3, 4))
    moves[:, :, :3] = turn
    moves[:, :, 3] = world_positions - np.einsum("jab,jb->ja", turn, skeleton.rest_world_positions)
    points = figure.positions
    for name, weight in (face or {}).items():
        if weight and name in figure.morphs:
            points = points + weight * figure.morphs[name]
    moved, normals = np.empty_like(points), np.empty_like(points)
    skin = (figure.joints, figure.weights, points, figure.normals)
    pose_vertices(moves, *skin, moved, normals)
    return moved, normals
