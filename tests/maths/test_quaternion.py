"""Every quaternion function against scipy's Rotation, and the axioms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, Slerp

from kinesphere.maths import quaternion as quat
from kinesphere.maths.arrays import Floats
from tests.conftest import random_rotations

finite = st.floats(-1.0, 1.0, allow_nan=False)


@st.composite
def rotations(draw: st.DrawFn) -> Floats:
    q = np.array([draw(finite) for _ in range(4)])
    return quat.normalise(q) if np.linalg.norm(q) > 1e-3 else quat.identity()


def scipy_of(q: Floats) -> Rotation:
    return Rotation.from_quat(q[..., [1, 2, 3, 0]])


def same(q: Floats, r: Rotation, tolerance: float = 1e-12) -> None:
    wxyz = r.as_quat()[..., [3, 0, 1, 2]]
    assert np.minimum(np.abs(q - wxyz).max(-1), np.abs(q + wxyz).max(-1)).max() < tolerance


def test_multiply_and_inverse(rng: np.random.Generator) -> None:
    a, b = random_rotations(rng, 500), random_rotations(rng, 500)
    same(quat.multiply(a, b), scipy_of(a) * scipy_of(b))
    same(quat.inverse(a), scipy_of(a).inv())
    same(quat.relative(a, b), scipy_of(a).inv() * scipy_of(b))


def test_rotate(rng: np.random.Generator) -> None:
    q, v = random_rotations(rng, 500), rng.normal(size=(500, 3))
    assert np.abs(quat.rotate(q, v) - scipy_of(q).apply(v)).max() < 1e-13


def test_exp_and_log(rng: np.random.Generator) -> None:
    v = rng.normal(size=(500, 3))
    v[:4] = [[0, 0, 0], [1e-9, 0, 0], [1e-5, -1e-6, 0], [0, np.pi - 1e-9, 0]]
    same(quat.exp(v), Rotation.from_rotvec(v))
    q = random_rotations(rng, 500)
    assert np.abs(quat.log(q) - scipy_of(q).as_rotvec()).max() < 1e-12
    small = 1e-9 * rng.normal(size=(50, 3))
    assert np.abs(quat.log(quat.exp(small)) - small).max() < 1e-24


def test_matrices(rng: np.random.Generator) -> None:
    q = random_rotations(rng, 500)
    q[:3] = [[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    assert np.abs(quat.to_matrix(q) - scipy_of(q).as_matrix()).max() < 1e-14
    same(quat.from_matrix(scipy_of(q).as_matrix()), scipy_of(q))


def test_slerp_goes_the_short_way(rng: np.random.Generator) -> None:
    a, b = random_rotations(rng, 100), random_rotations(rng, 100)
    for i in range(100):
        reference = Slerp([0, 1], Rotation.concatenate([scipy_of(a[i]), scipy_of(b[i])]))
        for ratio in (0.0, 0.3, 1.0):
            same(quat.slerp(a[i], b[i], ratio), reference(ratio), 1e-7)
            same(quat.slerp(a[i], -b[i], ratio), reference(ratio), 1e-7)


def test_mean(rng: np.random.Generator) -> None:
    q = quat.multiply(random_rotations(rng), quat.exp(0.5 * rng.normal(size=(40, 3))))
    w = rng.uniform(0.1, 1, size=40)
    same(quat.mean(q), scipy_of(q).mean(), 1e-10)
    same(quat.mean(q, w), scipy_of(q).mean(w), 1e-10)
    q[::2] *= -1
    same(quat.mean(q), scipy_of(q).mean(), 1e-10)


def test_between_turns_one_direction_into_the_other(rng: np.random.Generator) -> None:
    a, b = rng.normal(size=(300, 3)), rng.normal(size=(300, 3))
    b[:3] = -a[:3]
    b[3:6] = 2.0 * a[3:6]
    turned = quat.rotate(quat.between(a, b), a)
    unit = b / np.linalg.norm(b, axis=1, keepdims=True)
    assert np.abs(turned / np.linalg.norm(a, axis=1, keepdims=True) - unit).max() < 1e-7
    angle = np.arccos(
        np.clip((a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1), -1, 1)
    )
    assert np.abs(quat.angle(quat.between(a, b)) - angle).max() < 1e-6


def test_from_axis_angle_and_angle(rng: np.random.Generator) -> None:
    axis, angle = rng.normal(size=(200, 3)), rng.uniform(-3.1, 3.1, size=200)
    unit = axis / np.linalg.norm(axis, axis=1, keepdims=True)
    same(quat.from_axis_angle(axis, angle), Rotation.from_rotvec(unit * angle[:, None]))
    assert np.abs(quat.angle(quat.from_axis_angle(axis, angle)) - np.abs(angle)).max() < 1e-12


def test_swing_twist(rng: np.random.Generator) -> None:
    q, axis = random_rotations(rng, 300), rng.normal(size=(300, 3))
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    swing, twist = quat.swing_twist(q, axis)
    assert quat.angle_between(quat.multiply(swing, twist), q).max() < 1e-7
    assert np.abs(quat.rotate(twist, axis) - axis).max() < 1e-12
    # The swing turns the axis by the smallest rotation.
    assert quat.angle_between(swing, quat.between(axis, quat.rotate(q, axis))).max() < 1e-6
    same_angle = quat.from_axis_angle(axis, quat.twist_angle(q, axis))
    assert quat.angle_between(same_angle, twist).max() < 1e-7


def test_unroll(rng: np.random.Generator) -> None:
    q = quat.exp(np.linspace(0, 4, 100)[:, None] * np.array([1.0, 0.2, 0.1]))
    flipped = q * np.sign(rng.normal(size=(100, 1)))
    smooth = quat.unroll(flipped)
    assert (np.sum(smooth[1:] * smooth[:-1], axis=1) > 0).all()
    assert np.abs(np.abs(np.sum(smooth * q, axis=1)) - 1).max() < 1e-12


def test_angular_velocity_of_a_steady_turn() -> None:
    w = np.array([0.3, -1.2, 2.0])
    q = quat.multiply(
        quat.exp(np.arange(50)[:, None] * 0.01 * w), random_rotations(np.random.default_rng(1))
    )
    assert np.abs(quat.angular_velocity(q, 0.01) - w).max() < 1e-10


def test_from_frame(rng: np.random.Generator) -> None:
    x, y = rng.normal(size=(2, 100, 3))
    q = quat.from_frame(x, y)
    got_x, got_y = quat.rotate(q, [1.0, 0, 0]), quat.rotate(q, [0, 1.0, 0])
    assert np.abs(np.cross(got_x, x)).max() < 1e-12
    assert (np.sum(got_y * y, axis=1) > 0).all()
    assert np.abs(np.sum(np.cross(x, y) * got_y, axis=1)).max() < 1e-12


@given(rotations(), rotations(), rotations())
def test_group_axioms(a: Floats, b: Floats, c: Floats) -> None:
    left = quat.multiply(quat.multiply(a, b), c)
    assert np.abs(left - quat.multiply(a, quat.multiply(b, c))).max() < 1e-12
    assert np.abs(quat.multiply(a, quat.inverse(a)) - quat.IDENTITY).max() < 1e-12
    assert abs(np.linalg.norm(quat.multiply(a, b)) - 1) < 1e-12


@pytest.mark.parametrize("name", ["multiply", "relative", "between", "rotate"])
def test_the_batch_equals_the_loop(name: str, rng: np.random.Generator) -> None:
    function = getattr(quat, name)
    a = random_rotations(rng, 4, 5) if name != "between" else rng.normal(size=(4, 5, 3))
    b = (
        random_rotations(rng, 4, 5)
        if name in ("multiply", "relative")
        else rng.normal(size=(4, 5, 3))
    )
    batch = function(a, b)
    for i in range(4):
        for j in range(5):
            assert np.array_equal(batch[i, j], function(a[i, j], b[i, j]))


def test_normalise_keeps_zero_harmless() -> None:
    assert np.array_equal(quat.normalise(np.zeros(4)), quat.IDENTITY)
