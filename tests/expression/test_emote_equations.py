"""Equations 1 to 24 of EMOTE in `paper` mode, each against a plain transcription of the print.

The paper's axes are x forward, y sideways (here outward), z down. Corrected as the print demands:
eq 1 and 3 count the angle from the indulging end of the major axis and do nothing at zero, eq 10's
third case has v1 and t1, eq 12 its lost bracket, and Q is divided by its value at the end.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, replace
from itertools import pairwise

import numpy as np
import pytest

from kinesphere.character.default import default_rig
from kinesphere.errors import InvalidValueError
from kinesphere.expression.keys.keyed import express_arm
from kinesphere.expression.keys.keypoints import ShapeSettings, shape_keypoints
from kinesphere.expression.keys.parameters import LowLevel, low_level, printed_low_level
from kinesphere.expression.keys.timing import Timing, printed_timing
from kinesphere.expression.phrase import Phrase, Qualities
from kinesphere.expression.qualities import Effort
from kinesphere.expression.settings import ExpressionSettings
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import chest_limb, elbow_bends
from kinesphere.motion.keyed.keyed_motion import ArmKeys
from kinesphere.motion.keyed.movement import Movement
from kinesphere.motion.keyed.sampling import ArmSample, sample_arm

CLOSE = 1e-9
AB, TURN = 1.5, math.radians(30.0)
PRINT = ShapeSettings(axis_ratio=AB, largest_turn=TURN, fade=0.0)
PAPER = ExpressionSettings(paper=True)
Rng = np.random.Generator


# --- the print -----------------------------------------------------------------------------------


def theta(along: float, across: float) -> float:
    """Eq 1: atan(across / along * abratio), in [0, 2 pi)."""
    return math.atan2(across * AB, along) % (2.0 * math.pi)


def rot(angle: float, value: float) -> float:
    """Eq 3."""
    if value == 0.0:
        return angle
    if value < 0.0 and angle >= math.pi:
        return min(angle - value * TURN, 2.0 * math.pi)
    if value < 0.0:
        return max(angle + value * TURN, 0.0)
    if angle >= math.pi:
        return max(angle - value * TURN, math.pi)
    return min(angle + value * TURN, math.pi)


def contributions(along: float, across: float, value: float) -> tuple[float, float]:
    """Eqs 2, 4 and 5 for any dimension: changes along its major and its minor axis."""
    angle = theta(along, across)
    a = along / math.cos(angle)  # eq 2: along is -z for the Vertical
    turned = rot(angle, value)
    return a * math.cos(turned) - along, a / AB * math.sin(turned) - across


def velocity(
    u: float, ti: float, v0: float, v1: float, t0: float = 0.01, t1: float = 0.99
) -> float:
    """Eq 10."""
    if u < t0:
        return -v0 / t0 * u
    if u < ti:
        return (-(v0 + ti) * u + v0 * ti + t0 * ti) / (t0 - ti)
    if u < t1:
        return (-(v1 + ti) * u + v1 * ti + t1 * ti) / (t1 - ti)
    return (-v1 * u + v1) / (t1 - 1.0)


def walked(t: float, ti: float, v0: float, v1: float, texp: float) -> float:
    """Q: the integral of eq 10 over eq 11's time, of which every piece is a straight line."""

    def integral(end: float) -> float:
        marks = [0.0, *(m for m in (0.01, ti, 0.99) if m < end), end]
        total = 0.0
        for a, b in pairwise(marks):
            total += velocity(0.5 * (a + b), ti, v0, v1) * (b - a)
        return total

    return integral(t**texp) / integral(1.0)


def f(a: float, b: float) -> float:
    """Eq 15."""
    return a if a <= b else b


def printed(effort: Effort) -> dict[str, float]:
    """Eqs 16 to 24 by their names in print."""
    ind, dir_ = max(-effort.space, 0.0), max(effort.space, 0.0)
    lgt, str_ = max(-effort.weight, 0.0), max(effort.weight, 0.0)
    sus, sud = max(-effort.time, 0.0), max(effort.time, 0.0)
    fre, bnd = max(-effort.flow, 0.0), max(effort.flow, 0.0)
    return {
        "Tval": (-1 * ind + 1 * f(ind, fre)) + dir_,
        "wbmag": max(0.6 * ind, 0.5 * lgt, 0.4 * fre),
        "wxmag": -0.3 * lgt + (0.3 * fre - 0.9 * f(str_, fre)),
        "dmag": 0.4 * ind,
        "etmag": 0.4 * ind,
        "wfmag": 2 * ind,
        "ti": 0.5 + 0.4 * max(str_, sud) - 0.4 * max(lgt, sus) + 0.8 * f(bnd, lgt),
        "v0": 0.1 * str_ - max(0.06 * f(sus, str_), 0.1 * f(fre, str_)),
        "v1": max(0.03 * max(lgt, sus), 0.2 * fre - 0.1 * f(ind, fre)),
        "texp": 1
        + 2 * sud
        + (0.2 * f(str_, sud) - f(fre, sud))
        - 0.2 * max(str_, f(dir_, sus))
        - 0.4 * fre
        - 0.5 * f(ind, fre),
    }


# --- random cases --------------------------------------------------------------------------------


def random_effort(rng: Rng) -> Effort:
    values = rng.uniform(-1.0, 1.0, 4) * (rng.random(4) < 0.7)
    return Effort(*(float(v) for v in values))


def possible_effort(rng: Rng) -> Effort:
    """One whose path does not run backward as printed."""
    while True:
        effort = random_effort(rng)
        try:
            printed_timing(printed_low_level(effort), 1.0)
        except InvalidValueError:
            continue
        return effort


def moved(point: Floats, side: int, **shape: float) -> Floats:
    """Shape on a keypoint, both as (x, y, z) of the paper."""
    ours = np.array([side * point[1], -point[2], point[0]])
    out = shape_keypoints(ours, shape, side, np.zeros(3), PRINT)
    return np.array([out[2], side * out[0], -out[1]])


def random_point(rng: Rng) -> tuple[Floats, int, float]:
    value = float(rng.choice([-1.0, 1.0]) * rng.uniform(0.05, 1.0))
    return rng.normal(scale=0.4, size=3), int(rng.choice([1, -1])), value


def on_circle(a: float, b: float) -> float:
    return abs((a - b + math.pi) % (2.0 * math.pi) - math.pi)


def movement_of(effort: Effort) -> tuple[ArmKeys, Movement]:
    """Keys of one movement, 0.7 to 1.9 s, with an Effort as printed."""
    ends = [[-0.25, -0.3, 0.22], [-0.05, -0.1, 0.33]]
    phrase = Phrase.constant(Qualities(effort))
    keys = ArmKeys([0.7, 1.9], ends, [0.4, 0.5])
    keys = express_arm(keys, phrase, "right", default_rig(), PAPER)
    return keys, keys.movements[0]


def performed(rng: Rng, **left_out: float) -> tuple[Effort, Floats, ArmSample, ArmSample]:
    """An Effort, t' (eq 9), the arm, and the arm without some of the movement's parameters."""
    effort = possible_effort(rng)
    keys, movement = movement_of(effort)
    times = np.sort(rng.uniform(0.7, 1.9, 40))
    limb = chest_limb(default_rig(), "right")
    without = replace(keys, movements=(replace(movement, **left_out),))
    ratios = np.array([(t - 0.7) / (1.9 - 0.7) for t in times])
    return effort, ratios, sample_arm(keys, limb, times), sample_arm(without, limb, times)


# --- equation by equation ------------------------------------------------------------------------


def check_1(rng: Rng) -> None:
    point, side, _ = random_point(rng)
    before = theta(-point[2], point[1])
    value = 0.5 * (1 if before % math.pi < 0.5 * math.pi else -1) * (1 if before < math.pi else -1)
    after = moved(point, side, vertical=value)
    step = theta(-after[2], after[1]) - before
    assert step == pytest.approx((value if before < math.pi else -value) * TURN, abs=CLOSE)


def check_2(rng: Rng) -> None:
    point, side, value = random_point(rng)
    after = moved(point, side, vertical=value)
    radii = [-p[2] / math.cos(theta(-p[2], p[1])) for p in (point, after)]
    assert radii[0] == pytest.approx(radii[1], abs=CLOSE)


def check_3(rng: Rng) -> None:
    point, side, value = random_point(rng)
    after = moved(point, side, vertical=value)
    wanted = rot(theta(-point[2], point[1]), value)
    assert on_circle(theta(-after[2], after[1]), wanted) < CLOSE


def check_3_at_the_ends(rng: Rng) -> None:
    """No keypoint goes past an end, and those at an end leave it to the printed side."""
    side, a = int(rng.choice([1, -1])), float(rng.uniform(0.1, 0.6))
    for angle in (0.0, 1e-3, math.pi - 1e-3, math.pi, 2 * math.pi - 1e-3):
        z, y = -a * math.cos(angle), (0.0 if angle == math.pi else a / AB * math.sin(angle))
        for value in (-1.0, 0.0, 1.0):
            after = moved(np.array([0.2, y, z]), side, vertical=value)
            wanted = rot(theta(-z, y), value)
            assert on_circle(theta(-after[2], after[1]), wanted) < CLOSE


def check_4(rng: Rng) -> None:
    point, side, value = random_point(rng)
    vdz = -contributions(-point[2], point[1], value)[0]
    assert moved(point, side, vertical=value)[2] - point[2] == pytest.approx(vdz, abs=CLOSE)


def check_5(rng: Rng) -> None:
    point, side, value = random_point(rng)
    vdy = contributions(-point[2], point[1], value)[1]
    assert moved(point, side, vertical=value)[1] - point[1] == pytest.approx(vdy, abs=CLOSE)


def check_6_to_8(axis: int) -> Callable[[Rng], None]:
    def check(rng: Rng) -> None:
        (x, y, z), side, _ = random_point(rng)
        hor, ver, sag = rng.uniform(-1.0, 1.0, 3)
        hdy, hdx = contributions(y, x, hor)
        up, vdy = contributions(-z, y, ver)
        sdx, lift = contributions(x, -z, sag)
        wanted = (x + hdx + sdx, y + hdy + vdy, z - up - lift)
        after = moved(np.array([x, y, z]), side, horizontal=hor, vertical=ver, sagittal=sag)
        assert after[axis] == pytest.approx(wanted[axis], abs=CLOSE)

    return check


def check_9(rng: Rng) -> None:
    effort, ratios, sample, _ = performed(rng)
    p = printed(effort)
    wanted = [walked(t, p["ti"], p["v0"], p["v1"], p["texp"]) for t in ratios]
    assert sample.along == pytest.approx(wanted, abs=CLOSE)


def random_timing(rng: Rng) -> tuple[Timing, dict[str, float]]:
    effort = possible_effort(rng)
    return printed_timing(printed_low_level(effort), 0.8), printed(effort)


def check_10(rng: Rng) -> None:
    """The speed is Q's slope: exact from two values, because Q is made of parabolas."""
    q, p = random_timing(rng)
    q = replace(q, exponent=1.0)
    for u in rng.uniform(0.0, 1.0, 40):
        corners = np.array([0.0, 0.01, p["ti"], 0.99, 1.0])
        h = 0.5 * float(np.abs(corners - u).min())
        if h > 1e-4:
            slope = float(q(u + h) - q(u - h)) / (2.0 * h) * q.area
            assert slope == pytest.approx(velocity(u, p["ti"], p["v0"], p["v1"]), abs=CLOSE)


def check_11(rng: Rng) -> None:
    q, p = random_timing(rng)
    t = rng.uniform(0.0, 1.0, 40)
    wanted = [walked(float(x), p["ti"], p["v0"], p["v1"], p["texp"]) for x in t]
    assert q(t) == pytest.approx(wanted, abs=CLOSE)


def check_12(rng: Rng) -> None:
    effort, ratios, sample, _ = performed(rng)
    p = printed(effort)
    wanted = [p["wbmag"] * (math.sin(2 * math.pi * (t + 0.75)) + 1 - p["wxmag"]) for t in ratios]
    assert sample.flexions == pytest.approx(wanted, abs=CLOSE)


def check_13(rng: Rng) -> None:
    effort, ratios, sample, plain = performed(rng, twist=0.0)
    p = printed(effort)
    wanted = [p["etmag"] * math.sin(p["wfmag"] * math.pi * t) for t in ratios]
    assert sample.rolls == pytest.approx(wanted, abs=CLOSE)
    assert sample.swivels - plain.swivels == pytest.approx(wanted, abs=CLOSE)


def check_14(rng: Rng) -> None:
    effort, ratios, sample, plain = performed(rng, displacement=0.0)
    dmag = printed(effort)["dmag"]
    limb = chest_limb(default_rig(), "right")
    angles, own = elbow_bends(limb, sample.wrists), elbow_bends(limb, plain.wrists)
    wanted = [a * (1 + dmag * math.sin(2 * math.pi * t)) for a, t in zip(own, ratios, strict=True)]
    assert max(wanted) < math.radians(150.0)  # or a joint limit holds
    assert angles == pytest.approx(wanted, abs=CLOSE)


def check_15(rng: Rng) -> None:
    ind, fre = rng.uniform(0.0, 1.0, 2)
    low = printed_low_level(Effort(space=-ind, flow=-fre))
    assert low.tension + ind == pytest.approx(f(ind, fre), abs=CLOSE)


def check_mapping(*names: tuple[str, str]) -> Callable[[Rng], None]:
    def check(rng: Rng) -> None:
        effort = random_effort(rng)
        low = asdict(printed_low_level(effort))
        for ours, theirs in names:
            assert low[ours] == pytest.approx(printed(effort)[theirs], abs=CLOSE)

    return check


EQUATIONS: dict[str, Callable[[Rng], None]] = {
    "eq 1 angle": check_1,
    "eq 2 radius": check_2,
    "eq 3 rot": check_3,
    "eq 3 rot at the ends": check_3_at_the_ends,
    "eq 4 vdz": check_4,
    "eq 5 vdy": check_5,
    "eq 6 x'": check_6_to_8(0),
    "eq 7 y'": check_6_to_8(1),
    "eq 8 z'": check_6_to_8(2),
    "eq 9 t'": check_9,
    "eq 10 velocity": check_10,
    "eq 11 t'' and Q": check_11,
    "eq 12 wrist bend": check_12,
    "eq 13 wrist and elbow twist": check_13,
    "eq 14 elbow angle": check_14,
    "eq 15 f": check_15,
    "eq 16 Tval": check_mapping(("tension", "Tval")),
    "eq 17 wbmag": check_mapping(("wrist_bend", "wbmag")),
    "eq 18 wxmag": check_mapping(("wrist_extension", "wxmag")),
    "eq 19 dmag etmag wtmag": check_mapping(("displacement", "dmag"), ("twist", "etmag")),
    "eq 20 efmag wfmag": check_mapping(("twist_frequency", "wfmag")),
    "eq 21 ti": check_mapping(("inflection", "ti")),
    "eq 22 v0": check_mapping(("start_velocity", "v0")),
    "eq 23 v1": check_mapping(("end_velocity", "v1")),
    "eq 24 texp": check_mapping(("exponent", "texp")),
}


@pytest.mark.parametrize("name", EQUATIONS)
def test_as_printed(name: str) -> None:
    rng = np.random.default_rng([int(name.split()[1]), 7])
    for _ in range(60):
        EQUATIONS[name](rng)


def test_every_equation_is_here() -> None:
    assert {int(name.split()[1]) for name in EQUATIONS} == set(range(1, 25))


def test_the_interpolation_space_switches_at_zero() -> None:
    """Section 4.1.2.4: the nearest element's space; of Indirect and Free the larger wins."""
    rng = np.random.default_rng(5)
    for _ in range(300):
        size = 10.0 ** rng.uniform(-6.0, 0.0, 2)
        space, flow = (float(v) for v in size * rng.choice([-1.0, 0.0, 1.0], 2))
        _, movement = movement_of(Effort(space=space, flow=flow))
        ind, fre = max(-space, 0.0), max(-flow, 0.0)
        wanted = (1.0, 0.0) if ind > 0 and ind >= fre else (0.0, 1.0) if fre > 0 else (0.0, 0.0)
        assert (movement.elbow_space, movement.joint_space) == wanted


def test_nothing_of_ours_is_left_in_a_movement() -> None:
    """Not the timing, tension or spaces that keys had, nor rounding, slowing and short flourishes."""
    odd = Movement(tension=0.5, elbow_space=0.3, joint_space=0.3, start_ratio=0.2, rounding_s=0.2)
    keys = ArmKeys([0.0, 0.4], [[-0.2, -0.3, 0.25], [-0.2, -0.3, 0.27]], movements=(odd,))
    for effort in (Effort(), Effort(space=-0.4), Effort(time=0.7, weight=0.2)):
        phrase = Phrase.constant(Qualities(effort))
        new = express_arm(keys, phrase, "right", default_rig(), PAPER)
        movement, low = new.movements[0], printed_low_level(effort)
        assert np.array_equal(new.times, keys.times)
        assert (movement.rounding_s, movement.slowing, movement.start_ratio) == (0.0, 0.0, 0.0)
        assert movement.curve == printed_timing(low, 0.4)
        assert (movement.tension, movement.twist, movement.wrist_bend) == (
            low.tension,
            low.twist,
            low.wrist_bend,
        )


def test_flourishes_take_their_own_movements_magnitudes() -> None:
    """They jump at a Goal where the phrase does; only ours cross over."""
    keys = ArmKeys([0.0, 1.0, 2.0], [[-0.2, -0.3, 0.25], [0.0, -0.1, 0.3], [-0.2, -0.3, 0.25]])
    movements = tuple(
        replace(movement_of(Effort(space=-v))[1], elbow_space=0.0) for v in (1.0, 0.25)
    )
    times = np.array([0.9, 1.1])
    limb = chest_limb(default_rig(), "right")
    sample = sample_arm(replace(keys, movements=movements), limb, times)
    waves = [math.sin(2.0 * math.pi * 0.9), math.sin(0.5 * math.pi * 0.1)]
    assert sample.rolls == pytest.approx([0.4 * waves[0], 0.1 * waves[1]], abs=CLOSE)


def test_by_default_a_twist_is_one_whole_wave() -> None:
    """Eq 13 at the frequency of full Indirect, whatever there is of it: zero at both Goals."""
    assert low_level(Effort(space=-0.3)).twist_frequency == 2.0
    assert printed_low_level(Effort(space=-0.3)).twist_frequency == pytest.approx(0.6)
    assert LowLevel().twist_frequency == 0.0
    movement = Movement(twist=0.1, twist_frequency=2.0, slowing=0.0, rounding_s=0.0)
    keys = ArmKeys([0.0, 4.0], [[-0.2, -0.3, 0.25], [0.0, -0.1, 0.3]], movements=(movement,))
    sample = sample_arm(keys, chest_limb(default_rig(), "right"), np.linspace(0.0, 4.0, 41))
    phases = movement.path_ratio(np.linspace(0.0, 1.0, 41), 4.0)
    assert sample.rolls == pytest.approx(0.1 * np.sin(2.0 * np.pi * phases), abs=CLOSE)
