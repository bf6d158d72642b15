"""Effort and Shape with their guards; the equations as printed are in `test_emote_equations`."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.integrate import quad

from kinesphere.errors import InvalidValueError
from kinesphere.expression.keys.keypoints import ShapeSettings, shape_keypoints
from kinesphere.expression.keys.parameters import LowLevel, low_level, printed_low_level
from kinesphere.expression.keys.timing import printed_timing, timing
from kinesphere.expression.qualities import Effort, Shape

CORNERS = [Effort(*values) for values in product((-1.0, 0.0, 1.0), repeat=4)]
SWEEP = np.linspace(-1.0, 1.0, 9)
COM = np.array([-0.18, -0.45, 0.0])


def profile(effort: Effort, duration: float = 1.0) -> np.ndarray:
    low = low_level(effort)
    return timing(low, duration)(np.linspace(0, 1, 2001))


def test_neutral_is_neutral() -> None:
    assert low_level(Effort()) == LowLevel()
    assert Effort().neutral
    points = np.random.default_rng(1).normal(size=(20, 3))
    assert np.array_equal(shape_keypoints(points, Shape(), 1, COM), points)


@pytest.mark.parametrize("effort", CORNERS, ids=str)
@pytest.mark.parametrize("duration", [0.3, 1.0])
def test_q_is_the_integral_of_the_velocity(effort: Effort, duration: float) -> None:
    low = low_level(effort)
    q = timing(low, duration)

    def speed(x: float) -> float:
        return float(np.interp(x, [0.0, *q.corners, 1.0], [0.0, *q.speeds, 0.0]))

    whole = quad(speed, 0, 1, points=q.corners)[0]
    for ratio in (0.07, 0.31, 0.66, 0.97):
        part = quad(speed, 0, ratio**q.exponent, points=q.corners, limit=200)[0]
        flat = timing(LowLevel(flatness=1.0), duration)(ratio)
        expected = part / whole * (1 - low.flatness) + low.flatness * float(flat)
        assert float(q(ratio)) == pytest.approx(expected, abs=1e-6)
    assert q([0.0, 1.0]).tolist() == pytest.approx([0.0, 1.0], abs=1e-12)


@pytest.mark.parametrize("effort", CORNERS, ids=str)
@pytest.mark.parametrize("duration", [0.2, 1.0, 3.0])
def test_no_corner_turns_back_beyond_its_anticipation_and_overshoot(
    effort: Effort, duration: float
) -> None:
    path = profile(effort, duration)
    assert path.min() >= -0.10
    assert path.max() <= 1.22
    low = low_level(effort)
    if low.start_velocity <= 0.0:
        assert path.min() >= -1e-9
    if low.end_velocity <= 0.0:
        assert path.max() <= 1.0 + 1e-9
    # One pull back at the start, one swing past at the end, and no reversal between.
    turns = np.sign(np.diff(path)[np.abs(np.diff(path)) > 1e-12])
    assert np.count_nonzero(np.diff(turns)) <= 2


def test_where_the_printed_formulas_break() -> None:
    worst = [printed_low_level(e) for e in CORNERS]
    assert max(low.inflection for low in worst) == pytest.approx(1.3)
    assert min(low.exponent for low in worst) == pytest.approx(-0.1)
    backward = 0
    for low in worst:
        try:
            printed_timing(low, 1.0)
        except InvalidValueError:
            backward += 1
    assert backward > 0


@pytest.mark.parametrize("factor", ["time"])
def test_peak_speed_rises_with_time(factor: str) -> None:
    peaks = []
    for value in SWEEP:
        low = low_level(Effort.of({factor: float(value)}))
        duration = 0.8 * low.duration_factor
        path = timing(low, duration)(np.linspace(0, 1, 2001))
        peaks.append(np.max(np.diff(path)) * 2000 / duration)
    assert (np.diff(peaks) > 0).all()


def test_overshoot_rises_with_free_and_evenness_with_bound() -> None:
    over = [profile(Effort(flow=float(v))).max() for v in np.linspace(0, -1, 5)]
    assert (np.diff(over) > 0).all()
    peaks = [np.max(np.diff(profile(Effort(flow=float(v))))) for v in np.linspace(0, 1, 5)]
    assert (np.diff(peaks) < 0).all()


def test_peak_deceleration_rises_with_weight() -> None:
    brakes = [-np.min(np.diff(profile(Effort(weight=float(v))), 2)) for v in SWEEP]
    assert (np.diff(brakes) > 0).all()


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize(("name", "axis"), [("horizontal", 0), ("vertical", 1), ("sagittal", 2)])
def test_shape_moves_the_hand_in_the_named_direction(name: str, axis: int, side: int) -> None:
    rng = np.random.default_rng(2)
    points = rng.uniform([-0.2, -0.5, 0.05], [0.5, 0.3, 0.5], size=(200, 3)) * np.array(
        [side, 1, 1]
    )
    sign = side if axis == 0 else 1
    places = [
        shape_keypoints(points, Shape.of({name: float(v)}), side, COM)[:, axis] * sign
        for v in SWEEP
    ]
    assert (np.diff(np.array(places), axis=0) <= 1e-12).all()
    assert (places[0] - places[-1]).mean() > 0.1


def test_the_ellipse_by_another_construction() -> None:
    """The moved point lies on the same ellipse, turned by no more than the largest turn."""
    rng = np.random.default_rng(3)
    points = rng.normal(size=(300, 3))
    s = ShapeSettings()
    for value in (-1.0, -0.4, 0.7, 1.0):
        moved = shape_keypoints(points, Shape(vertical=value), 1, COM)
        assert np.array_equal(moved[:, 2], points[:, 2])
        stretched = [q[:, [0, 1]] * np.array([s.axis_ratio, 1.0]) for q in (points, moved)]
        radii = [np.linalg.norm(q, axis=1) for q in stretched]
        assert np.abs(radii[0] - radii[1]).max() < 1e-12
        cosine = np.sum(stretched[0] * stretched[1], axis=1) / radii[0] ** 2
        assert np.arccos(np.clip(cosine, -1, 1)).max() <= abs(value) * s.largest_turn + 1e-7
        assert (moved[:, 0] * points[:, 0] >= -1e-12).all()


def test_both_arms_are_mirror_images_and_nothing_jumps() -> None:
    rng = np.random.default_rng(4)
    points = rng.normal(scale=0.4, size=(200, 3))
    flip = np.array([-1.0, 1.0, 1.0])
    shape = Shape(-0.7, 0.5, -0.3, 0.6)
    left = shape_keypoints(points, shape, 1, COM)
    right = shape_keypoints(points * flip, shape, -1, COM * flip)
    assert np.abs(left * flip - right).max() < 1e-12
    hanging = np.array([[1e-3, -0.5, 0.0], [-1e-3, -0.5, 0.0]])
    lifted = shape_keypoints(hanging, Shape(vertical=-1.0), 1, COM)
    assert np.abs(lifted[0] - lifted[1]).max() < 0.01
    for value in (1e-9, -1e-9):
        assert np.abs(shape_keypoints(points, Shape(vertical=value), 1, COM) - points).max() < 1e-8


def test_reach_space_moves_from_the_centre_of_mass() -> None:
    point = np.array([0.2, -0.2, 0.4])
    far, near = (shape_keypoints(point, Shape(reach=r), 1, COM) for r in (1.0, -1.0))
    assert np.linalg.norm(far - COM) == pytest.approx(1.25 * np.linalg.norm(point - COM))
    assert np.linalg.norm(near - COM) == pytest.approx(0.75 * np.linalg.norm(point - COM))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("weight=2", "weight"),
        ("mass=1", "space, weight, time, flow"),
        ("weight", "NAME=NUMBER"),
        ("weight=x", "NAME=NUMBER"),
        ("time=0.1,time=0.2", "twice"),
        ("flow=nan", "NAME=NUMBER"),
    ],
)
def test_bad_values_are_refused(text: str, words: str) -> None:
    with pytest.raises(InvalidValueError, match=words):
        Effort.parse(text)
    with pytest.raises(InvalidValueError, match="horizontal"):
        Shape.of({"horizontal": float("nan")})
    with pytest.raises(InvalidValueError, match="side"):
        shape_keypoints(np.zeros(3), Shape(), 0, COM)
    with pytest.raises(InvalidValueError, match="takes"):
        timing(LowLevel(), 0.0)
