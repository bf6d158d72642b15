"""Effort and Shape on keyed motion: what must rise rises, nothing jumps, neutral is plain."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from benchmarks.studies.effort_study import performed, random_keys

from kinesphere.animation.arms.poses.home_pose import home_clip
from kinesphere.character.default import default_rig
from kinesphere.expression.keys.effort import compose_timing
from kinesphere.expression.keys.keyed import express_arm, express_keys
from kinesphere.expression.keys.torso import TorsoTable, torso_turns
from kinesphere.expression.phrase import EFFORT_FACTORS, Phrase, Point, Qualities
from kinesphere.expression.settings import ExpressionSettings
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import chest_limb
from kinesphere.motion.keyed.keyed_motion import ArmKeys, KeyedMotion, TorsoKeys
from kinesphere.motion.keyed.movement import SampledCurve, Timing
from kinesphere.motion.keyed.sampling import apply_keys, sample_arm
from tests.motion.test_keyed import MIRROR, PLACES, keys

SWEEP = np.linspace(-1.0, 1.0, 9)
CORNERS = [
    dict(zip(EFFORT_FACTORS, c, strict=True)) for c in itertools.product((-1.0, 0.0, 1.0), repeat=4)
]
FPS = 240.0


def wrists(k: ArmKeys, effort: dict[str, float], **settings: object) -> Floats:
    rig = default_rig()
    phrase = Phrase.constant(Qualities.of(effort))
    new = express_arm(k, phrase, "right", rig, ExpressionSettings(**settings))
    times = np.arange(0.0, float(new.times[-1]) + 0.1, 1.0 / FPS)
    return sample_arm(new, chest_limb(rig, "right"), times).wrists


def speed(path: Floats) -> Floats:
    return np.asarray(np.linalg.norm(np.diff(path, axis=0), axis=1) * FPS)


def sweep(factor: str, measure: object, seeds: int = 4) -> Floats:
    """Mean of a measure over random movements for nine steps of a factor."""
    rows = []
    for seed in range(seeds):
        k = random_keys(np.random.default_rng(seed), 5)
        rows.append([measure(wrists(k, {factor: float(v)})) for v in SWEEP])  # type: ignore[operator]
    return np.asarray(np.mean(rows, axis=0))


def test_neutral_is_exactly_the_plain_motion() -> None:
    rig = default_rig()
    motion = KeyedMotion(
        right=keys(), torso=TorsoKeys(np.zeros(1), {"spine": np.array([[0.1, 0, 0]])})
    )
    same = express_keys(motion, Phrase.constant(Qualities()), rig)
    clip = home_clip(180, 60.0)
    assert apply_keys(same, clip, rig) == apply_keys(motion, clip, rig)
    # ... and what is nearly neutral is nearly plain.
    near = wrists(keys(), {"time": 1e-7, "space": -1e-7, "flow": 1e-7})
    plain = wrists(keys(), {})
    assert np.abs(near[: len(plain)] - plain[: len(near)]).max() < 1e-4


def test_peak_speed_rises_with_time() -> None:
    assert (np.diff(sweep("time", lambda p: speed(p).max())) > 0).all()


def test_paths_are_straighter_with_space() -> None:
    def straightness(path: Floats) -> float:
        return -float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum())

    assert (np.diff(sweep("space", straightness)) > 0).all()


def test_peak_deceleration_rises_with_weight() -> None:
    def braking(path: Floats) -> float:
        return float(-np.diff(speed(path)).min())

    assert (np.diff(sweep("weight", braking)[4:]) > 0).all()
    whole = sweep("weight", braking)
    assert whole[-1] > 1.4 * whole[0]


def test_overshoot_rises_with_free_and_evenness_with_bound() -> None:
    k = ArmKeys([0.2, 1.2], [[-0.2, -0.3, 0.25], [-0.1, -0.05, 0.35]], [0.4, 0.4])
    way = k.positions[1] - k.positions[0]
    length = np.linalg.norm(way)
    past = [
        float(((wrists(k, {"flow": float(v)}) - k.positions[1]) @ way / length).max())
        for v in SWEEP
    ]
    assert (np.diff(past[:5]) < 0).all()
    assert past[0] > 0.03 * length
    assert max(past[4:]) < 1e-9
    uneven = []
    for v in SWEEP[4:]:
        s = speed(wrists(k, {"flow": float(v)}))
        s = s[s > 0.02 * s.max()]
        uneven.append(s.std() / s.mean())
    assert (np.diff(uneven) < 0).all()


@pytest.mark.parametrize("corner", CORNERS, ids=str)
def test_every_corner_keeps_to_its_path(corner: dict[str, float]) -> None:
    """On a straight path nothing turns back beyond the stated pull back and swing past."""
    rig = default_rig()
    k = ArmKeys([0.2, 1.2], [[-0.2, -0.3, 0.25], [-0.1, -0.05, 0.35]], [0.4, 0.4])
    new = express_arm(k, Phrase.constant(Qualities.of(corner)), "right", rig, ExpressionSettings())
    t = np.linspace(float(new.times[0]), float(new.times[-1]), 1001)
    along = sample_arm(new, chest_limb(rig, "right"), t).along
    assert along.min() > -0.10
    assert along.max() < 1.22
    inner = along[np.argmin(along) : np.argmax(along) + 1]
    assert len(inner) > 100
    assert np.diff(inner).min() > -1e-9
    if corner["weight"] <= 0:
        assert along.min() > -1e-9
    if corner["flow"] >= 0 and corner["weight"] >= 0 and corner["time"] >= 0:
        assert along.max() < 1.0 + 1e-9


def test_nothing_jumps_when_a_phrase_crosses_zero_at_a_goal() -> None:
    rig = default_rig()
    k = random_keys(np.random.default_rng(3), 5)
    goals = k.goal_times
    for factor in EFFORT_FACTORS:
        points = (
            Point({factor: -1.0}, time_s=float(goals[1])),
            Point({factor: 0.0}, time_s=float(goals[2])),
            Point({factor: 1.0}, time_s=float(goals[3])),
        )
        new = express_arm(k, Phrase(points), "right", rig, ExpressionSettings())
        t = np.arange(0, float(new.times[-1]), 1 / FPS)
        sample = sample_arm(new, chest_limb(rig, "right"), t)
        assert np.linalg.norm(np.diff(sample.wrists, axis=0), axis=1).max() * FPS < 6.0
        assert np.abs(np.diff(sample.flexions)).max() * FPS < 12.0
        assert np.abs(np.diff(sample.rolls)).max() * FPS < 15.0


@pytest.mark.parametrize("corner", [{"space": -1.0, "flow": -1.0}, {"weight": 1.0, "time": 1.0}])
def test_mirrored_arms_do_mirrored_things(corner: dict[str, float]) -> None:
    right = random_keys(np.random.default_rng(5), 5, "right")
    left = ArmKeys(right.times, right.positions * MIRROR, right.swivels, movements=right.movements)
    a, b = performed(right, corner, "right"), performed(left, corner, "left")
    assert np.abs(a.wrists * MIRROR - b.wrists).max() < 1e-9


def test_durations_and_pinned_goals() -> None:
    rig = default_rig()
    sudden = Phrase.constant(Qualities.of({"time": 1.0}))
    free = express_arm(keys(), sudden, "right", rig, ExpressionSettings())
    assert np.diff(free.goal_times) == pytest.approx(np.diff(keys().goal_times) * 2**-0.75)
    pinned = express_arm(keys(), sudden, "right", rig, ExpressionSettings(pinned=True))
    assert np.array_equal(pinned.times, keys().times)
    assert all(m.start_ratio > 0.3 for m in pinned.movements)


def test_composed_timing_keeps_what_it_is_given() -> None:
    t = np.linspace(0, 1, 40)
    bell = SampledCurve(t**3 * (10 + t * (6 * t - 15)))
    same = compose_timing(bell, Timing(), 0.8, 0.0, (1.0, 1.0))
    assert np.abs(same(t) - bell(t)).max() < 0.02
    passing = SampledCurve(t)
    quick = compose_timing(
        passing, Timing((0.01, 0.9, 0.99), (0.0, 0.9, 0.0), 2.0), 0.8, 0.3, (1.0, 1.0)
    )
    assert np.diff(quick(np.linspace(0, 1, 500))).min() >= -1e-6
    assert float(quick(0.01)) > 0.004  # still passes the Goal


def test_world_keys_are_left_alone_by_shape() -> None:
    rig = default_rig()
    k = keys(in_world=[False, True, False, False, False])
    shaped = express_arm(
        k, Phrase.constant(Qualities.of({"vertical": -1.0})), "right", rig, ExpressionSettings()
    )
    assert np.array_equal(shaped.positions[1], k.positions[1])
    assert (shaped.positions[[0, 2, 3, 4], 1] > k.positions[[0, 2, 3, 4], 1]).all()


def test_torso_shape_goes_where_it_is_named() -> None:
    rig = default_rig()
    clip = home_clip(2, 30.0)

    def posed(shape: dict[str, float]) -> Floats:
        from kinesphere.motion.keyed.torso import with_torso

        values = {n: np.full(2, v) for n, v in shape.items()}
        return np.asarray(with_torso(clip, rig, torso_turns(values)).world_positions[0])

    head, shoulder = rig.joint("head"), rig.joint("leftUpperArm")
    plain = clip.world_positions[0]
    assert posed({"vertical": -1.0})[head, 1] > plain[head, 1] - 0.01
    assert posed({"vertical": 1.0})[head, 1] < plain[head, 1] - 0.01
    assert posed({"sagittal": -1.0})[head, 2] > plain[head, 2] + 0.05
    assert posed({"sagittal": 1.0})[head, 2] < plain[head, 2] - 0.03
    assert posed({"horizontal": -1.0})[shoulder, 2] < plain[shoulder, 2] - 0.01
    assert posed({"horizontal": 1.0})[shoulder, 2] > plain[shoulder, 2] + 0.01
    both = posed({"horizontal": 0.7, "vertical": 0.4})
    left, right = (both[rig.joint(f"{s}UpperArm")] for s in ("left", "right"))
    assert np.abs(left * MIRROR - right).max() < 1e-9
    mine = TorsoTable(rising={"neck": -30.0})
    assert torso_turns({"vertical": np.array(-1.0)}, mine)["neck"][0] == pytest.approx(
        np.radians(-30)
    )


def test_slow_movements_take_time_from_a_hold_with_a_via_in_it() -> None:
    rig = default_rig()
    near = PLACES[1] + [0.005, 0, 0]
    k = ArmKeys(
        [0.0, 0.6, 1.3, 1.4, 2.0],
        [PLACES[0], PLACES[1], near, PLACES[1], PLACES[4]],
        [0.4] * 5,
        [True, True, False, True, True],
    )
    slow = Phrase.constant(Qualities.of({"time": -1.0}))
    new = express_arm(k, slow, "right", rig, ExpressionSettings(pinned=True))
    assert new.times[3] < k.times[3]  # started earlier
    assert (np.diff(new.times) > 0).all()
    assert new.times[4] == k.times[4]  # and arrives when it did
