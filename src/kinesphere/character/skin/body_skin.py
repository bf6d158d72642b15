"""The skin of a character as far as arms can touch it, and gaps between arms and body."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kinesphere.character.figure import Figure
from kinesphere.character.skin.arm_balls import ArmBalls, ArmBallSettings, arm_balls
from kinesphere.character.skin.regions import mesh_regions
from kinesphere.character.skin.surface import SkinPoints, SkinSettings, mesh_skin, volume_skin
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.motion.body.body_volume import HEIGHT_M, body_volume
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.measure import body_height
from kinesphere.motion.retargeting.canonical_pose import body_frame

# A point of the skin stands for a disc of this many spacings.
_DISC = 1.5
_SAME_M = 1e-4


@dataclass(frozen=True, eq=False)
class BodySkin:
    """Outer skin of a body without its arms, and the spheres that fill the arms.

    Parameters
    ----------
    rig : whose body it is.
    skin : of trunk, head and thighs.
    balls : of hands and forearms.
    scale : body height relative to 1.75 m.
    from_mesh : whether the skin comes from a mesh, or from a volume by bone lengths.
    """

    rig: Rig
    skin: SkinPoints
    balls: ArmBalls
    scale: float
    from_mesh: bool

    @cached_property
    def used_joints(self) -> Ints:
        """Joints that carry anything."""
        carried = [part.joints[part.weights > 0.0].ravel() for part in (self.skin, self.balls)]
        return np.unique(np.concatenate(carried))

    def equals(self, other: BodySkin) -> bool:
        """Whether another body has the same skin and arms, to a tenth of a millimetre."""
        pairs = (
            (self.skin.points, other.skin.points),
            (self.balls.centres, other.balls.centres),
            (self.balls.radii, other.balls.radii),
        )
        return all(a.shape == b.shape and np.abs(a - b).max() < _SAME_M for a, b in pairs)


@dataclass(frozen=True, eq=False)
class ArmGaps:
    """Spheres of both arms over time, and their gaps to the body.

    Parameters
    ----------
    centres : ``[frames, n, 3]`` in the world.
    gaps : ``[frames, n]`` from a sphere to the skin, negative inside.
    ways : ``[frames, n, 3]`` the direction out.
    """

    centres: Floats
    gaps: Floats
    ways: Floats


def body_skin(
    rig: Rig,
    figure: Figure | None = None,
    settings: SkinSettings | None = None,
    arms: ArmBallSettings | None = None,
) -> BodySkin:
    """The skin of a character: that of its mesh, or of the volume by its bones without one.

    Parameters
    ----------
    rig : which joints are which bones.
    figure : its mesh; one that has too few triangles to be a body counts as none.
    """
    settings, arms = settings or SkinSettings(), arms or ArmBallSettings()
    rig.require("the skin of a body")
    scale = body_height(rig) / HEIGHT_M
    regions = None if figure is None else mesh_regions(figure, rig)
    up = quaternion.rotate(body_frame(rig), np.array([0.0, 1.0, 0.0]))
    skin = None if regions is None else mesh_skin(regions, up, scale, settings)
    from_mesh = skin is not None
    if skin is None:
        skin = volume_skin(body_volume(rig), rig, scale, settings)
    return BodySkin(rig, skin, arm_balls(rig, regions, scale, arms), scale, from_mesh)


def arm_gaps(body: BodySkin, clip: Clip, frames: Ints | slice = slice(None)) -> ArmGaps:
    """Gaps of both arms to the body in some frames of a clip on the body's skeleton."""
    from kinesphere.character.skin.skin_kernels import probe_skin

    skeleton, skin, balls = body.rig.skeleton, body.skin, body.balls
    rotations = np.ascontiguousarray(clip.world_rotations[frames])
    positions = np.ascontiguousarray(clip.world_positions[frames])
    shape = (len(rotations), len(balls.radii))
    centres, gaps, ways = np.empty((*shape, 3)), np.empty(shape), np.empty((*shape, 3))
    probe_skin(
        body.used_joints,
        np.ascontiguousarray(skeleton.rest_world_rotations),
        np.ascontiguousarray(skeleton.rest_world_positions),
        skin.points,
        skin.normals,
        skin.joints,
        skin.weights,
        skin.starts,
        _DISC * skin.spacing_m,
        balls.centres,
        balls.joints,
        balls.weights,
        balls.radii,
        rotations,
        positions,
        centres,
        gaps,
        ways,
    )
    return ArmGaps(centres, gaps, ways)
