"""Live idle life: a plain reference, independence of frames and characters, people's sizes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesphere.animation.idle import live_idle_kernels
from kinesphere.animation.idle import random_kernels as chance_kernels
from kinesphere.animation.idle.idle_motion import IdleSettings
from kinesphere.animation.idle.live_idle import BONES, IdleFrames, LiveIdleSettings, idle
from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats
from kinesphere.maths.curves import minimum_jerk
from tests.animation.plain_chance import BREATH, NOD, SHIFT, WAVE, between, normal, uniform

seeds = st.integers(-(2**63), 2**63 - 1)
LONG_S = np.arange(0.0, 400.0, 1.0 / 15.0)


def plain_wander(seed: int, column: int, time_s: float) -> float:
    low, high = IdleSettings().sway_hz
    total = 0.0
    for wave in range(6):
        hz = low * (high / low) ** uniform(seed, WAVE, column, 2 * wave)
        phase = 2.0 * np.pi * uniform(seed, WAVE, column, 2 * wave + 1)
        total += np.sin(2.0 * np.pi * hz * time_s + phase)
    return float(total / np.sqrt(3.0))


def plain_event(
    seed: int, stream: int, every_s: tuple[float, float], time_s: float
) -> tuple[int, float]:
    """The last of all events about a time."""
    mean_s, half = sum(every_s) / 2.0, (every_s[1] - every_s[0]) / 4.0
    middle = int(np.floor(time_s / mean_s))
    times = {
        i: i * mean_s + between(-half, half, seed, stream, i, 0)
        for i in range(middle - 3, middle + 4)
    }
    return max((i, at) for i, at in times.items() if at <= time_s)


def plain_nod(seed: int, time_s: float, s: LiveIdleSettings) -> tuple[float, float]:
    i, at_s = plain_event(seed, NOD, s.nod_every_s, time_s)
    size, kind = between(0.6, 1.4, seed, NOD, i, 1), uniform(seed, NOD, i, 2)

    def step(start_s: float, takes_s: float) -> float:
        return float(minimum_jerk((time_s - at_s - start_s) / takes_s))

    if kind >= 0.6:
        back_s = 0.7 + between(0.9, 2.1, seed, NOD, i, 3)
        aside = step(0.0, 0.7) - step(back_s, 0.9)
        return 0.0, np.radians(s.tilt_deg) * size * aside * (1.0 if kind < 0.8 else -1.0)
    h = between(0.22, 0.34, seed, NOD, i, 3)
    down = step(0.0, h) - step(h, 1.3 * h)
    if kind < 0.25:
        down += 0.6 * (step(2.3 * h, h) - step(3.3 * h, 1.4 * h))
    return np.radians(s.nod_deg) * size * down, 0.0


def plain_idle(seed: int, time_s: float, amount: float, nodding: float) -> tuple[Floats, Floats]:
    """Hips ``[3]`` and turns ``[7, 3]``."""
    s, b = LiveIdleSettings(), IdleSettings()
    i, at_s = plain_event(seed, SHIFT, b.shift_every_s, time_s)
    before, goal = (between(-1.0, 1.0, seed, SHIFT, n, 1) for n in (i - 1, i))
    level = before + (goal - before) * float(minimum_jerk((time_s - at_s) / b.shift_takes_s))
    side = b.sway_side_m * plain_wander(seed, 0, time_s) + b.shift_m * level
    drop = -0.15 * (np.hypot(side, 0.008) - 0.008) - 0.003
    shift = amount * np.array([side, drop, b.sway_fore_m * plain_wander(seed, 1, time_s)])
    rate = 2.0 * np.pi * b.breath_hz * between(0.88, 1.12, seed, BREATH, 0, 0) * time_s
    start, other = (2.0 * np.pi * uniform(seed, BREATH, 0, k) for k in (1, 2))
    full = np.sin(rate + start + 0.4 * np.sin(0.23 * rate + other))
    torso = np.radians(b.torso_deg) * np.array(
        [plain_wander(seed, 2 + k, time_s) for k in range(3)]
    )
    head = np.radians(b.head_deg) * np.array([plain_wander(seed, 5 + k, time_s) for k in range(3)])
    pitch = np.array([-np.radians(b.breath_pitch_deg) * full, 0.0, 0.0])
    rise = np.array([0.0, 0.0, b.breath_rise_m / 0.156 * full])
    down, aside = plain_nod(seed, time_s, s)
    nod = nodding * np.array([[0.3 * down, 0.0, 0.45 * aside], [0.7 * down, 0.0, 0.55 * aside]])
    turns = np.stack(
        [
            0.5 * torso,
            0.5 * (torso + pitch),
            0.5 * pitch,
            rise,
            -rise,
            0.4 * head - 0.5 * (torso + pitch) + nod[0],
            0.6 * head - 0.4 * torso - 0.5 * pitch + nod[1],
        ]
    )
    return shift, amount * turns


@given(seeds, st.integers(-3, 9), st.integers(-(2**40), 2**40), st.integers(0, 30))
def test_chance_is_that_of_whole_numbers(seed: int, stream: int, place: int, column: int) -> None:
    assert chance_kernels.uniform(seed, stream, place, column) == uniform(
        seed, stream, place, column
    )
    wanted = normal(seed, stream, place, column)
    assert chance_kernels.normal(seed, stream, place, column) == pytest.approx(wanted, abs=1e-12)


def test_chance_is_even_and_unrelated() -> None:
    """Of neighbouring seeds, streams, places and columns."""
    drawn = np.array(
        [
            [[[uniform(a, b, c, d) for d in range(6)] for c in range(12)] for b in range(5)]
            for a in range(12)
        ]
    )
    assert drawn.mean() == pytest.approx(0.5, abs=0.02)
    assert drawn.std() == pytest.approx(12.0**-0.5, abs=0.01)
    for axis in range(4):
        first, second = (np.take(drawn, range(i, drawn.shape[axis] - 1 + i), axis) for i in (0, 1))
        assert abs(np.corrcoef(first.ravel(), second.ravel())[0, 1]) < 0.06


@given(seeds, st.floats(-50.0, 5000.0), st.floats(0.0, 3.0), st.floats(0.0, 1.0))
@settings(max_examples=60, deadline=None)
def test_idle_life_is_the_plain_one(
    seed: int, time_s: float, amount: float, nodding: float
) -> None:
    found = idle([time_s], [seed], amount, nodding)
    shift, turns = plain_idle(seed, time_s, amount, nodding)
    np.testing.assert_allclose(found.hips_shift[0, 0], shift, atol=1e-10)
    np.testing.assert_allclose(found.turns[0, 0], turns, atol=1e-9)


def test_frames_and_characters_are_independent_of_each_other() -> None:
    """Bit for bit: one by one, in any order, alone or among others."""
    times, chosen = np.arange(90) / 60.0 + 100.0, np.array([5, -2, 5, 10**12])
    amounts, nodding = np.array([1.0, 0.5, 1.0, 2.0]), np.linspace(0.0, 1.0, 90) * np.ones((4, 1))
    nodding[2] = nodding[0]
    whole = idle(times, chosen, amounts, nodding)
    for k in (0, 37, 89):
        one = idle(times[k : k + 1], chosen, amounts, nodding[:, k : k + 1])
        assert same(one, IdleFrames(*(values[:, k : k + 1] for values in whole)))
    for c in range(4):
        alone = idle(times, chosen[c : c + 1], amounts[c], nodding[c : c + 1])
        assert same(alone, IdleFrames(*(values[c : c + 1] for values in whole)))
    assert np.array_equal(whole.turns[0], whole.turns[2])
    assert not np.allclose(whole.turns[0], whole.turns[1])


def same(first: IdleFrames, second: IdleFrames) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


def test_sizes_are_those_of_the_settings() -> None:
    """Root mean squares of sway, trunk and head over many; speed as measured on people."""
    still = LiveIdleSettings(body=replace(IdleSettings(), shift_m=0.0))
    found = idle(LONG_S, range(20), 1.0, 0.0, still)
    size = np.sqrt(np.mean(found.hips_shift**2, axis=(0, 1)))
    assert size[[0, 2]] == pytest.approx([0.005, 0.007], rel=0.05)
    turned = dict(
        zip(BONES, np.degrees(np.sqrt(np.mean(found.turns**2, axis=(0, 1)))), strict=True)
    )
    assert turned["spine"] == pytest.approx([0.45] * 3, rel=0.05)
    assert np.degrees(np.abs(found.turns[:, :, BONES.index("leftShoulder"), 2]).max()) < 1.5
    alive = idle(LONG_S, range(20))
    speed = np.diff(alive.hips_shift[..., [0, 2]], axis=1) * 15.0
    assert 0.015 < np.sqrt(np.mean(np.sum(speed**2, axis=2))) < 0.03
    assert np.ptp(alive.hips_shift[..., 0], axis=1).mean() == pytest.approx(0.06, abs=0.015)
    assert alive.hips_shift[..., 1].max() <= -0.003


def test_the_head_does_not_ride_on_the_trunk() -> None:
    found = idle(LONG_S, [1, 2, 3], 1.0, 0.0).turns
    trunk = found[:, :, [BONES.index(b) for b in ("spine", "chest", "upperChest")]].sum(axis=2)
    face = trunk + found[:, :, [BONES.index(b) for b in ("neck", "head")]].sum(axis=2)
    assert abs(np.corrcoef(trunk.ravel(), face.ravel())[0, 1]) < 0.25


@pytest.mark.parametrize("stream", [SHIFT, NOD])
def test_events_keep_their_distance(stream: int) -> None:
    found = {
        live_idle_kernels.event_before(9, stream, 3.5, 9.0, t) for t in np.arange(-50, 3000, 0.5)
    }
    ordered = sorted(found)
    assert np.array_equal(np.diff([i for i, _ in ordered]), np.ones(len(found) - 1))
    apart = np.diff([at for _, at in ordered])
    assert apart.min() >= 3.5
    assert apart.max() <= 9.0
    assert np.ptp(apart) > 3.0


def test_listeners_nod_now_and_then_and_speakers_do_not() -> None:
    times = np.arange(0.0, 600.0, 0.05)
    more = idle(times, range(10)).turns - idle(times, range(10), 1.0, 0.0).turns
    down, aside = np.degrees(more[:, :, -2:].sum(axis=2))[..., [0, 2]].transpose(2, 0, 1)
    assert not more[:, :, :-2].any()
    assert down.min() > -1e-9
    assert 2.0 < down.max() < 1.4 * 2.2 + 1e-6
    assert -3.1 < aside.min() < -1.8
    assert 1.8 < aside.max() < 3.1
    busy = (np.abs(down) > 0.1) | (np.abs(aside) > 0.1)
    starts = (busy[:, 1:] & ~busy[:, :-1]).sum(axis=1) / 600.0
    assert np.all((starts > 1.0 / 15.5) & (starts < 1.0 / 6.0))


def test_nothing_jumps() -> None:
    found = idle(np.arange(0.0, 60.0, 0.002), [4, 5, 6], 1.0)
    for values, most in ((found.hips_shift, 0.09), (found.turns, np.radians(20.0))):
        speed = np.diff(values, axis=1) / 0.002
        assert np.abs(speed).max() < most
        assert np.abs(np.diff(speed, axis=1)).max() / 0.002 < 20.0 * most


def test_amount_nothing_stands_still() -> None:
    found = idle([0.0, 7.5], [1, 2], [0.0, 1.0])
    assert not found.hips_shift[0].any()
    assert not found.turns[0].any()
    assert found.turns[1].any()


def test_bad_values_are_refused() -> None:
    with pytest.raises(InvalidValueError, match="amount is"):
        idle([0.0], [1], 4.0)
    with pytest.raises(InvalidValueError, match="expected integers"):
        idle([0.0], [1.5])
    with pytest.raises(InvalidValueError, match=r"nodding has shape \(3,\), expected \(1, 2\)"):
        idle([0.0, 1.0], [1], 1.0, [0.0, 1.0, 1.0])
    with pytest.raises(InvalidValueError, match="nod_every_s is 1"):
        LiveIdleSettings(nod_every_s=(1.0, 5.0))
