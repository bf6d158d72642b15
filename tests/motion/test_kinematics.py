"""Forward kinematics against MuJoCo, the plain loop, and finite differences."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import kinesphere as ks
from kinesphere.maths import quaternion as quat
from kinesphere.motion.kinematics import (
    angular_velocities,
    forward_kinematics,
    forward_kinematics_plain,
    local_rotations,
    speeds,
    tip_positions,
    velocities,
)
from kinesphere.motion.zeroing import rests_at_zero, zeroed_clip
from tests.conftest import random_rotations, smooth_clip


def turned_skeleton(rng: np.random.Generator) -> ks.Skeleton:
    base = ks.default_skeleton()
    return ks.Skeleton(
        base.names, base.parents, base.offsets, random_rotations(rng, len(base)), base.tips
    )


def mujoco_model(skeleton: ks.Skeleton) -> mujoco.MjModel:
    """The same tree as bodies with ball joints."""
    spec = mujoco.MjSpec()
    bodies = []
    for i, parent in enumerate(skeleton.parents):
        above = spec.worldbody if parent < 0 else bodies[parent]
        body = above.add_body(name=skeleton.names[i], pos=skeleton.offsets[i])
        body.mass, body.inertia, body.explicitinertial = 1.0, [1.0, 1.0, 1.0], True
        kind = mujoco.mjtJoint.mjJNT_FREE if parent < 0 else mujoco.mjtJoint.mjJNT_BALL
        body.add_joint(type=kind)
        bodies.append(body)
    return spec.compile()


def test_against_mujoco(rng: np.random.Generator) -> None:
    skeleton = ks.default_skeleton()
    model = mujoco_model(skeleton)
    state = mujoco.MjData(model)
    rotations = random_rotations(rng, 20, len(skeleton))
    roots = rng.normal(size=(20, 3))
    world, places = forward_kinematics(skeleton, rotations, roots)
    for n in range(20):
        state.qpos[:3] = roots[n]
        state.qpos[3:7] = rotations[n, 0]
        for name, q in zip(skeleton.names[1:], rotations[n, 1:], strict=True):
            start = model.jnt_qposadr[model.body(name).jntadr[0]]
            state.qpos[start : start + 4] = q
        mujoco.mj_kinematics(model, state)
        bodies = [model.body(name).id for name in skeleton.names]
        assert np.abs(state.xpos[bodies] - places[n]).max() < 1e-9
        assert quat.angle_between(state.xquat[bodies], world[n]).max() < 1e-7


def test_the_kernel_equals_the_plain_loop(rng: np.random.Generator) -> None:
    skeleton = turned_skeleton(rng)
    rotations, roots = random_rotations(rng, 6, 5, len(skeleton)), rng.normal(size=(6, 5, 3))
    moving = rng.normal(size=(6, 5, len(skeleton), 3))
    for translations in (None, moving):
        fast = forward_kinematics(skeleton, rotations, roots, translations)
        plain = forward_kinematics_plain(skeleton, rotations, roots, translations)
        assert np.abs(fast[0] - plain[0]).max() < 1e-13
        assert np.abs(fast[1] - plain[1]).max() < 1e-12


def test_local_rotations_invert(rng: np.random.Generator) -> None:
    skeleton = turned_skeleton(rng)
    rotations = random_rotations(rng, 7, len(skeleton))
    world, _ = forward_kinematics(skeleton, rotations, np.zeros((7, 3)))
    assert np.abs(local_rotations(skeleton, world) - rotations).max() < 1e-12


def test_tips(rng: np.random.Generator) -> None:
    clip = smooth_clip(ks.default_skeleton(), rng, size=0.0)
    tips = tip_positions(clip.skeleton, clip.world_rotations, clip.world_positions)
    assert tips[0, 0, 1] - clip.root_positions[0, 1] == pytest.approx(1.75 - 0.965)


def test_velocities_of_a_known_motion() -> None:
    t = np.arange(101) / 100.0
    path = np.stack([3 * t, t * t, 0 * t], axis=1)
    assert velocities(path, 100.0)[50] == pytest.approx([3, 1, 0])
    assert speeds(path, 100.0)[50] == pytest.approx(np.sqrt(10))
    turning = quat.from_axis_angle([0.0, 1, 0], 2.5 * t)
    assert angular_velocities(turning, 100.0) == pytest.approx(np.tile([0, 2.5, 0], (101, 1)))
    assert velocities(path[:1], 100.0).tolist() == [[0, 0, 0]]


def test_zeroed_rest_keeps_every_position(rng: np.random.Generator) -> None:
    skeleton = turned_skeleton(rng)
    clip = smooth_clip(skeleton, rng)
    flat = zeroed_clip(clip)
    assert rests_at_zero(flat.skeleton)
    assert np.abs(flat.world_positions - clip.world_positions).max() < 1e-12
    assert np.abs(flat.skeleton.rest_world_positions - skeleton.rest_world_positions).max() < 1e-12
    tips = [tip_positions(c.skeleton, c.world_rotations, c.world_positions) for c in (clip, flat)]
    assert np.abs(tips[0] - tips[1]).max() < 1e-12
    assert zeroed_clip(flat) is flat
