"""Compiled forward kinematics; reference: `kinematics.forward_kinematics_plain`."""

from __future__ import annotations

from kinesphere.maths.arrays import Floats, Ints
from kinesphere.maths.compiled import compiled, reads

_POSES = reads("float64", 3)


@compiled(
    f"void({reads('int64', 1)}, {_POSES}, {reads('float64', 2)}, {_POSES}, "
    "f8[:, :, ::1], f8[:, :, ::1])"
)
def world_pose(
    parents: Ints,
    translations: Floats,
    roots: Floats,
    rotations: Floats,
    world_rotations: Floats,
    world_positions: Floats,
) -> None:
    """Fill world rotations and positions of every pose.

    `translations` holds one row for all poses or one per pose; its joint 0 is replaced by `roots`.
    """
    poses, joints = rotations.shape[0], rotations.shape[1]
    several = translations.shape[0] > 1
    for n in range(poses):
        m = n if several else 0
        for c in range(4):
            world_rotations[n, 0, c] = rotations[n, 0, c]
        for c in range(3):
            world_positions[n, 0, c] = roots[n, c]
        for j in range(1, joints):
            p = parents[j]
            aw = world_rotations[n, p, 0]
            ax = world_rotations[n, p, 1]
            ay = world_rotations[n, p, 2]
            az = world_rotations[n, p, 3]
            bw = rotations[n, j, 0]
            bx = rotations[n, j, 1]
            by = rotations[n, j, 2]
            bz = rotations[n, j, 3]
            world_rotations[n, j, 0] = aw * bw - ax * bx - ay * by - az * bz
            world_rotations[n, j, 1] = aw * bx + ax * bw + ay * bz - az * by
            world_rotations[n, j, 2] = aw * by - ax * bz + ay * bw + az * bx
            world_rotations[n, j, 3] = aw * bz + ax * by - ay * bx + az * bw
            vx = translations[m, j, 0]
            vy = translations[m, j, 1]
            vz = translations[m, j, 2]
            tx = 2.0 * (ay * vz - az * vy)
            ty = 2.0 * (az * vx - ax * vz)
            tz = 2.0 * (ax * vy - ay * vx)
            world_positions[n, j, 0] = world_positions[n, p, 0] + vx + aw * tx + ay * tz - az * ty
            world_positions[n, j, 1] = world_positions[n, p, 1] + vy + aw * ty + az * tx - ax * tz
            world_positions[n, j, 2] = world_positions[n, p, 2] + vz + aw * tz + ax * ty - ay * tx
