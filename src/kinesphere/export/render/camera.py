"""A perspective camera, and the named views of a figure."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.character.figure import Figure, pose_mesh
from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats, frozen_floats
from kinesphere.maths.filters import gaussian
from kinesphere.motion.clip import Clip

# Direction from the figure to the camera. The character faces +Z, its left is +X.
VIEWS = {
    "front": (0.0, 0.06, 1.0),
    "side": (1.0, 0.06, 0.0),
    "three-quarter": (0.62, 0.14, 0.78),
    "top": (0.0, 1.0, 0.0),
}
LONGEST_SIDE = 8192
_FOV = math.radians(24.0)  # a portrait lens: little distortion of hands held forward
_SWAY_M = 0.25  # the camera does not follow smaller movements
_FILLED = 0.86  # proportion of the picture that a figure may fill


@dataclass(frozen=True, eq=False)
class Camera:
    """A perspective camera without roll.

    Parameters
    ----------
    position, target : of the camera and of the point it looks at, metres in the world.
    vertical_fov : angle from the lower to the upper edge, radians, between 0 and pi.
    width, height : size of the picture in pixels, 1 to 8192.
    """

    position: Floats
    target: Floats
    vertical_fov: float = _FOV
    width: int = 1280
    height: int = 720

    def __post_init__(self) -> None:
        object.__setattr__(self, "position", frozen_floats(self.position, "position", (3,)))
        object.__setattr__(self, "target", frozen_floats(self.target, "target", (3,)))
        for name in ("width", "height"):
            value = getattr(self, name)
            if not (isinstance(value, int) and 1 <= value <= LONGEST_SIDE):
                raise InvalidValueError(
                    f"{name} is {value} pixels, allowed are whole numbers from 1 to {LONGEST_SIDE}"
                )
        if not 0.0 < self.vertical_fov < math.pi:
            raise InvalidValueError(
                f"vertical_fov is {self.vertical_fov} rad, allowed is > 0 and < pi"
            )
        if np.linalg.norm(self.target - self.position) < 1e-9:
            raise InvalidValueError("position and target of a camera are the same point")

    @property
    def axes(self) -> tuple[Floats, Floats, Floats]:
        """Right, up and forward of the picture: unit vectors in the world.

        Looking straight down or up, the top of the picture is -Z: faces look to the lower edge.
        """
        forward = self.target - self.position
        forward = forward / np.linalg.norm(forward)
        x, y, z = forward.tolist()
        level = math.hypot(x, z)
        r, s = (-z / level, x / level) if level > 1e-6 else (-math.copysign(1.0, y), 0.0)
        return np.array([r, 0.0, s]), np.array([-s * y, s * x - r * z, r * y]), forward

    @property
    def focal_px(self) -> float:
        """Pixels a metre takes at a distance of one metre."""
        return 0.5 * self.height / math.tan(0.5 * self.vertical_fov)

    def heading(self) -> tuple[Floats, Floats]:
        """Right of the picture and the direction towards the viewer, both level: unit vectors."""
        right = self.axes[0]
        return right, np.array([-right[2], 0.0, right[0]])

    def project(self, points: ArrayLike) -> tuple[Floats, Floats]:
        """Position in the picture ``[..., 2]`` and depth ``[...]`` in metres of world points.

        Pixels count from the upper left corner; the centre of the first pixel is (0.5, 0.5). Points
        behind the camera have a depth <= 0 and a meaningless position.
        """
        right, up, forward = self.axes
        offset = np.asarray(points, dtype=np.float64) - self.position
        depth = offset @ forward
        scale = self.focal_px / np.where(np.abs(depth) < 1e-12, 1e-12, depth)
        x = 0.5 * self.width + scale * (offset @ right)
        y = 0.5 * self.height - scale * (offset @ up)
        return np.stack([x, y], axis=-1), depth

    def translate(self, by: ArrayLike) -> Camera:
        """Return the camera translated by a vector ``[3]``, with the same direction."""
        shift = np.asarray(by, dtype=np.float64)
        return replace(self, position=self.position + shift, target=self.target + shift)


def view_of(
    view: str, lowest: ArrayLike, highest: ArrayLike, width: int = 1280, height: int = 720
) -> Camera:
    """Return the camera of a named view that shows a whole box.

    Parameters
    ----------
    view : ``front``, ``side`` (the character's left), ``three-quarter`` or ``top``.
    lowest, highest : two corners ``[3]`` of the box to show, metres.
    width, height : size of the picture in pixels.
    """
    if view not in VIEWS:
        raise InvalidValueError(f"view is {view!r}; allowed are {', '.join(VIEWS)}")
    low = frozen_floats(lowest, "lowest corner", (3,))
    high = frozen_floats(highest, "highest corner", (3,))
    if np.any(high < low) or np.all(high - low < 1e-6):
        raise InvalidValueError(f"the box from {low.tolist()} to {high.tolist()} has no size")
    outward = np.array(VIEWS[view]) / np.linalg.norm(VIEWS[view])
    centre = 0.5 * (low + high)
    aim = Camera(centre + outward, centre, _FOV, width, height)
    right, up, _ = aim.axes
    corners = np.array(list(product(*zip(low, high, strict=True)))) - centre
    tall = _FILLED * math.tan(0.5 * _FOV)
    reach = np.maximum(
        np.abs(corners @ right) * height / (width * tall), np.abs(corners @ up) / tall
    )
    return replace(aim, position=centre + outward * float(np.max(reach + corners @ outward)))


def figure_box(figure: Figure, clip: Clip) -> tuple[Floats, Floats]:
    """Corners of a box that contains the figure in every pose of a clip, its hips above (0, 0).

    The box is as wide to the left as to the right, as deep to the front as to the back, and stands
    on the floor. Joints count in every frame, the mesh in at most 32.
    """
    level = np.array([1.0, 0.0, 1.0])
    joints = clip.world_positions - (clip.root_positions * level)[:, None]
    low, high = joints.min(axis=(0, 1)), joints.max(axis=(0, 1))
    for frame in np.unique(np.linspace(0, len(clip) - 1, 32).round().astype(int)):
        points, _ = pose_mesh(
            figure, clip.world_rotations[frame], clip.world_positions[frame], _face(clip, frame)
        )
        points = points - clip.root_positions[frame] * level
        low = np.minimum(low, points.min(axis=0))
        high = np.maximum(high, points.max(axis=0))
    half = np.maximum(-low, high)
    return (np.array([-half[0], min(low[1], 0.0), -half[2]]), np.array([half[0], high[1], half[2]]))


def _face(clip: Clip, frame: int) -> dict[str, float]:
    return {name: float(values[frame]) for name, values in clip.channels.items()}


def clip_view(
    view: str, figure: Figure, clip: Clip, width: int, height: int, follow: bool = True
) -> Camera:
    """Return the camera of a named view for a whole clip.

    With `follow` the picture is as large as single poses need it, and the camera has to move where
    the figure walks (`camera_path`); without, it shows all positions at once.
    """
    low, high = figure_box(figure, clip)
    path = clip.root_positions * [1.0, 0.0, 1.0]
    if follow:
        middle = np.median(path, axis=0)
        return view_of(view, low + middle, high + middle, width, height)
    return view_of(view, low + path.min(axis=0), high + path.max(axis=0), width, height)


def camera_path(camera: Camera, figure: Figure, clip: Clip) -> Floats:
    """Translation ``[frames, 3]`` of the camera that keeps the figure in the picture.

    It is level, slow (smoothed over about a second), and exactly zero as long as the hips stay
    where the figure is wholly visible.
    """
    _, high = figure_box(figure, clip)
    right, towards = camera.heading()
    axes = np.array([right, towards])
    distance = float(np.linalg.norm(camera.target - camera.position))
    room = 0.5 * camera.width / camera.focal_px * distance - float(np.abs(high) @ np.abs(right))
    free = np.array([max(room, _SWAY_M), max(0.15 * distance, _SWAY_M)])
    beside = (clip.root_positions - camera.target) @ axes.T
    need = beside - np.clip(beside, -free, free)
    if not need.any():
        return np.zeros((len(clip), 3))
    return np.asarray(gaussian(need, 0.5 * clip.fps) @ axes)
