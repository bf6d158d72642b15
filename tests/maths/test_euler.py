from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from kinesphere.errors import InvalidValueError
from kinesphere.maths import euler
from kinesphere.maths import quaternion as quat
from tests.conftest import random_rotations


@pytest.mark.parametrize("order", euler.ORDERS)
def test_every_order_against_scipy(order: str, rng: np.random.Generator) -> None:
    q = random_rotations(rng, 400)
    angles = euler.to_euler(q, order)
    reference = Rotation.from_quat(q[:, [1, 2, 3, 0]])
    assert np.abs(euler.wrap(angles - reference.as_euler(order))).max() < 1e-9
    back = Rotation.from_euler(order, angles).as_quat()[:, [3, 0, 1, 2]]
    assert quat.angle_between(euler.from_euler(angles, order), back).max() < 1e-7


@pytest.mark.parametrize("order", euler.ORDERS)
def test_gimbal_lock_keeps_the_rotation(order: str) -> None:
    middles = [0.0, np.pi] if order[0] == order[2] else [np.pi / 2, -np.pi / 2]
    q = euler.from_euler(np.array([[0.4, m, -1.1] for m in middles]), order)
    assert quat.angle_between(euler.from_euler(euler.to_euler(q, order), order), q).max() < 1e-7


def test_there_are_twelve_orders() -> None:
    assert len(set(euler.ORDERS)) == 12


def test_unknown_order_is_named() -> None:
    with pytest.raises(InvalidValueError, match="XXY"):
        euler.to_euler(quat.identity(), "XXY")
