"""Compiled array loops against their plain references."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinesphere.maths import quaternion
from kinesphere.maths.filters import moving_minimum

RNG = np.random.default_rng(5)
SHAPES = [
    ((3000,), (3000,)),
    ((700, 3), (700, 1)),
    ((1, 900), (4, 900)),
    ((), (2500,)),
    ((2500,), ()),
    ((600, 2), (2,)),
]


@pytest.mark.parametrize("shapes", SHAPES)
def test_many_products_are_the_plain_ones(shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    a, b = (quaternion.normalise(RNG.normal(size=(*shape, 4))) for shape in shapes)
    assert max(a.size, b.size) >= 2048
    assert np.array_equal(quaternion.multiply(a, b), quaternion.multiply_plain(a, b))


@pytest.mark.parametrize("shapes", SHAPES)
def test_many_turns_are_the_plain_ones(shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    q = quaternion.normalise(RNG.normal(size=(*shapes[0], 4)))
    v = RNG.normal(size=(*shapes[1], 3))
    assert np.array_equal(quaternion.rotate(q, v), quaternion.rotate_plain(q, v))


def test_any_strides_are_read() -> None:
    a = RNG.normal(size=(2000, 3, 4))[::-1, 1]
    b = np.asfortranarray(RNG.normal(size=(2000, 4)))
    assert np.array_equal(quaternion.multiply(a, b), quaternion.multiply_plain(a, b))
    q = quaternion.normalise(a)
    assert np.allclose(quaternion.rotate(q, b[:, 1:]), quaternion.rotate_plain(q, b[:, 1:]), 0, 0)


@given(st.lists(st.floats(-9, 9), min_size=1, max_size=60), st.integers(0, 70))
def test_the_moving_minimum_is_that_of_every_window(values: list[float], reach: int) -> None:
    x = np.array(values)
    wanted = [x[max(0, i - reach) : i + reach + 1].min() for i in range(len(x))]
    assert np.array_equal(moving_minimum(x, reach), wanted)
