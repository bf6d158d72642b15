from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from kinesphere.dynamics.tension.mass_tracker import (
    GRAVITY_M_S2,
    Parameters,
    TrackerState,
    frame_acceleration,
    measure_lag,
    start,
    step,
    track,
)
from kinesphere.dynamics.tension.mass_tracker_kernels import at_frame, step_in_place
from kinesphere.errors import InvalidValueError
from kinesphere.maths import quaternion as quat
from kinesphere.maths.arrays import Floats
from kinesphere.maths.filters import low_pass
from kinesphere.maths.splines import Spline
from kinesphere.maths.springs import spring_step

ERRORS = st.floats(0.001, 0.5)
ZETAS = st.floats(0.05, 2.0)
SETTINGS = [(0.001, 0.05), (0.003, 0.15), (0.05, 0.3), (0.15, 1.0), (0.5, 2.0)]


def integrated(u: Floats, fps: float, error: Any, zeta: Any, push: Floats | None = None) -> Floats:
    """Eq 1 by Dormand-Prince, from frame to frame because the input has corners there."""
    error, zeta = np.broadcast_to(error, len(u)), np.broadcast_to(zeta, len(u))
    y = np.concatenate([u[0], np.zeros(3)])
    out = [u[0]]
    for i in range(1, len(u)):
        w = np.sqrt(GRAVITY_M_S2 / error[i])
        slope = (u[i] - u[i - 1]) * fps
        a = np.zeros(3) if push is None else push[i]

        def rate(
            t: Any,
            y: Any,
            w: Any = w,
            z: Any = zeta[i],
            at: Any = u[i - 1],
            slope: Any = slope,
            a: Any = a,
        ) -> Any:
            return np.concatenate([y[3:], w * w * (at + slope * t - y[:3]) - 2 * z * w * y[3:] - a])

        y = solve_ivp(rate, (0, 1 / fps), y, method="DOP853", rtol=1e-11, atol=1e-13).y[:, -1]
        out.append(y[:3])
    return np.array(out)


def inputs(name: str, frames: int = 40, fps: float = 60.0) -> Any:
    t = np.arange(frames)[:, None] / fps
    direction = np.array([1.0, -0.5, 0.3])
    if name == "ramp":
        return t * direction + 0.2
    if name == "step":
        return np.where(t > 0.1, 0.3, 0.0) * direction
    if name == "sinusoid":
        return 0.2 * np.sin(2 * np.pi * 2.0 * t + direction)
    return np.cumsum(np.random.default_rng(7).normal(scale=0.02, size=(frames, 3)), axis=0)


def smooth(rng: np.random.Generator, seconds: float = 6.0, fps: float = 240.0) -> Any:
    """Restless: noise up to 6 Hz, with peaks of 2 m/s, at rest at both ends."""
    frames = int(seconds * fps) + 1
    noise = low_pass(rng.normal(size=(frames, 3)), 6.0, fps, 4) * np.hanning(frames)[:, None]
    speed = np.linalg.norm(np.diff(noise, axis=0), axis=1).max() * fps
    return noise * (2.0 / speed)


@pytest.mark.parametrize("name", ["ramp", "step", "sinusoid", "random walk"])
@pytest.mark.parametrize(("error", "zeta"), SETTINGS)
def test_against_numerical_integration(name: str, error: float, zeta: float) -> None:
    u = inputs(name)
    assert (
        np.abs(track(u, 60.0, error, zeta).position - integrated(u, 60.0, error, zeta)).max() < 1e-9
    )


def test_parameters_that_change_carry_the_state_over(rng: np.random.Generator) -> None:
    u = inputs("random walk", 30)
    error, zeta = np.geomspace(0.001, 0.5, 30)[rng.permutation(30)], rng.uniform(0.05, 2.0, 30)
    push = rng.normal(scale=5.0, size=u.shape)
    path = track(u, 30.0, error, zeta, frame_acceleration=push, inherit=0.7).position
    assert np.abs(path - integrated(u, 30.0, error, zeta, 0.7 * push)).max() < 1e-9


@pytest.mark.parametrize("mass", [0.4, 3.0])
def test_gravity_and_its_compensation_cancel_in_a_leaning_chest(
    mass: float, rng: np.random.Generator
) -> None:
    """The full equation in a chest that leans and turns, the rest error changing every frame."""
    fps, u = 30.0, inputs("sinusoid", 30, 30.0)
    error, zeta = rng.uniform(0.002, 0.3, 30), rng.uniform(0.1, 1.3, 30)
    y, out = np.concatenate([u[0], np.zeros(3)]), [u[0]]
    for i in range(1, 30):
        k_s = mass * 9.81 / error[i]
        k_d = 2 * zeta[i] * np.sqrt(mass * k_s)

        def rate(t: Any, y: Any, i: int = i, k_s: Any = k_s, k_d: Any = k_d) -> Any:
            s = (i - 1) / fps + t
            lean = quat.multiply(
                quat.from_axis_angle([0, 1, 0], 3 * s),
                quat.from_axis_angle([1, 0, 0.3], 0.8 * np.sin(5 * s)),
            )
            up = quat.rotate(quat.inverse(lean), [0.0, 1.0, 0.0])
            goal = u[i - 1] + (u[i] - u[i - 1]) * fps * t + error[i] * up
            force = k_s * (goal - y[:3]) - k_d * y[3:] - mass * 9.81 * up
            return np.concatenate([y[3:], force / mass])

        y = solve_ivp(rate, (0, 1 / fps), y, method="DOP853", rtol=1e-11, atol=1e-13).y[:, -1]
        out.append(y[:3])
    assert np.abs(track(u, fps, error, zeta).position - out).max() < 1e-9
    stiffness, damping = Parameters(error, zeta).gains(mass)
    assert stiffness[-1] == pytest.approx(k_s)
    assert damping[-1] == pytest.approx(k_d)


@given(error=ERRORS, zeta=ZETAS, dt=st.floats(0.001, 0.5), seed=st.integers(0, 2**32 - 1))
@example(error=0.05, zeta=1.0, dt=1 / 60, seed=0)
@example(error=0.05, zeta=float(np.nextafter(1.0, 2.0)), dt=1 / 60, seed=0)
@example(error=0.05, zeta=float(np.nextafter(1.0, 0.0)), dt=1 / 60, seed=0)
def test_a_step_is_the_plain_spring(error: float, zeta: float, dt: float, seed: int) -> None:
    x, v, a, b, push = np.random.default_rng(seed).normal(size=(5, 2, 3))
    for feedforward in (False, True):
        new = step(
            TrackerState(x, v, a), b, dt, Parameters(error, zeta), push, feedforward=feedforward
        )
        shift = push * error / GRAVITY_M_S2
        omega = float(np.sqrt(GRAVITY_M_S2 / error))
        y, w = spring_step(
            x, v, a - shift, b - shift, omega=omega, zeta=zeta, dt=dt, relative=feedforward
        )
        scale = 1.0 + np.abs(b - a).max() / dt
        assert np.abs(new.position - y).max() < 1e-12 * scale
        assert np.abs(new.velocity - w).max() < 1e-12 * scale * (1 + omega)


@given(error=ERRORS, zeta=ZETAS, cut=st.floats(0.05, 0.95), seed=st.integers(0, 2**32 - 1))
def test_one_step_equals_two(error: float, zeta: float, cut: float, seed: int) -> None:
    x, v, a, b = np.random.default_rng(seed).normal(size=(4, 3))
    p, dt = Parameters(error, zeta), 1 / 30
    whole = step(TrackerState(x, v, a), b, dt, p)
    half = step(TrackerState(x, v, a), a + cut * (b - a), cut * dt, p)
    half = step(half, b, (1 - cut) * dt, p)
    assert np.abs(whole.position - half.position).max() < 1e-11
    assert np.abs(whole.velocity - half.velocity).max() < 1e-9


@given(gap=st.floats(1e-15, 1e-3), error=ERRORS)
def test_critical_damping_is_no_seam(gap: float, error: float) -> None:
    state = TrackerState([0.1, -0.2, 0.3], [1.0, 2.0, -1.0], [0.0, 0.0, 0.0])
    low, middle, high = (
        step(state, [0.1, 0.0, 0.0], 1 / 30, Parameters(error, z)).position
        for z in (1.0 - gap, 1.0, 1.0 + gap)
    )
    assert np.abs(low - middle).max() < 2.0 * gap + 1e-13
    # Smooth, too: the second difference is of second order.
    assert np.abs(low + high - 2 * middle).max() < 10.0 * gap**2 + 1e-13


@given(error=ERRORS, zeta=ZETAS)
def test_the_same_lines_at_any_frame_rate(error: float, zeta: float) -> None:
    coarse = inputs("random walk", 31)
    paths = []
    for times in (1, 2, 4, 8):
        at = np.arange(30 * times + 1) / times
        fine = np.stack([np.interp(at, np.arange(31), c) for c in coarse.T], axis=-1)
        paths.append(track(fine, 30.0 * times, error, zeta).position[::times])
    assert max(np.abs(p - paths[0]).max() for p in paths) < 1e-9


def reaches(rng: np.random.Generator, seconds: float = 20.0, fps: float = 240.0) -> Any:
    """A gesturing wrist: minimum-jerk movements up to 1.6 m/s, low-passed at 6 Hz."""
    t = np.arange(int(seconds * fps) + 1) / fps
    x, at = np.zeros((len(t), 3)), 0.5
    while at < seconds - 1.0:
        length = rng.uniform(0.3, 0.8)
        s = np.clip((t - at) / length, 0.0, 1.0)
        way = rng.normal(size=3)
        way *= rng.uniform(0.05, 0.4) * min(1.0, length / 0.4) / np.linalg.norm(way)
        x += way * (s**3 * (10 - 15 * s + 6 * s * s))[:, None]
        at += length + rng.uniform(0.0, 0.5)
    return low_pass(x, 6.0, fps, 4)


@pytest.mark.parametrize(("error", "zeta"), SETTINGS)
@pytest.mark.parametrize(
    "options", [{}, {"cubic": True}, {"compensate": True}, {"compensate": True, "cubic": True}]
)
def test_a_smooth_signal_at_any_frame_rate(
    error: float, zeta: float, options: dict[str, bool], rng: np.random.Generator
) -> None:
    """To 2 mm from 30 to 240 a second; along the cubic also of noise up to 6 Hz."""
    fine = smooth(rng) if "cubic" in options else reaches(rng)
    paths = [
        track(fine[::n], 240.0 / n, error, zeta, **options).position[:: 8 // n]
        for n in (1, 2, 4, 8)
    ]
    assert max(np.abs(p - paths[0]).max() for p in paths) < 0.002


@pytest.mark.parametrize(("error", "zeta"), SETTINGS)
def test_the_cubic_against_numerical_integration(error: float, zeta: float) -> None:
    u, fps = inputs("random walk", 12, 30.0), 30.0
    spline = Spline(np.arange(12) / fps, u)
    omega = np.sqrt(GRAVITY_M_S2 / error)
    y, out = np.concatenate([u[0], np.zeros(3)]), [u[0]]
    push = np.array([3.0, 0.0, -2.0])
    for i in range(1, 12):

        def rate(t: Any, y: Any) -> Any:
            pull = omega**2 * (spline(t) - y[:3]) - 2 * zeta * omega * y[3:] - push
            return np.concatenate([y[3:], pull])

        span = ((i - 1) / fps, i / fps)
        y = solve_ivp(rate, span, y, method="DOP853", rtol=1e-11, atol=1e-13).y[:, -1]
        out.append(y[:3])
    path = track(u, fps, error, zeta, cubic=True, frame_acceleration=push)
    assert np.abs(path.position - out).max() < 1e-9
    assert np.abs(path.velocity[-1] - y[3:]).max() < 1e-7


@pytest.mark.parametrize(("error", "zeta"), SETTINGS)
def test_at_rest_the_mass_is_on_the_input(error: float, zeta: float) -> None:
    u = np.concatenate([inputs("random walk"), np.repeat(inputs("random walk")[-1:], 1200, axis=0)])
    for options in ({}, {"compensate": True}, {"feedforward": True}, {"cubic": True}):
        path = track(u, 60.0, error, zeta, **options)
        assert np.abs(path.position[-1] - u[-1]).max() < 1e-6
    still = track(np.repeat(u[:1], 50, axis=0), 60.0, error, zeta)
    assert np.array_equal(still.position, still.target)


@pytest.mark.parametrize("option", ["compensate", "feedforward"])
@pytest.mark.parametrize(("error", "zeta"), [(0.003, 0.15), (0.05, 0.3), (0.1, 1.0), (0.02, 2.0)])
def test_a_ramp_is_tracked_exactly(option: str, error: float, zeta: float) -> None:
    u = inputs("ramp", 900)
    last = 900 - int(np.ceil(60 * Parameters(error, zeta).lag_s)) - 1
    path = track(u, 60.0, error, zeta, **{option: True}).position
    assert np.abs(path - u)[800:last].max() < 1e-9
    assert np.abs(track(u, 60.0, error, zeta).position - u)[800:last].max() > 1e-3
    moving = start(u[0], (u[1] - u[0]) * 60.0)
    path = track(u, 60.0, error, zeta, initial=moving, **{option: True}).position
    assert np.abs(path - u)[:last].max() < 1e-11


@pytest.mark.parametrize("option", ["compensate", "feedforward"])
def test_a_ramp_is_tracked_through_any_change_of_parameters(
    option: str, rng: np.random.Generator
) -> None:
    u = inputs("ramp", 200)
    error, zeta = rng.choice([0.003, 0.01, 0.1, 0.3], 200), rng.uniform(0.15, 1.5, 200)
    last = 200 - int(np.ceil(60 * Parameters(error, zeta).lag_s.max())) - 1
    moving = start(u[0], (u[1] - u[0]) * 60.0)
    path = track(u, 60.0, error, zeta, initial=moving, **{option: True}).position
    assert np.abs(path - u)[:last].max() < 1e-11


def test_compensation_is_the_same_response_earlier(rng: np.random.Generator) -> None:
    u = smooth(rng, 4.0, 60.0)
    u = np.concatenate([np.repeat(u[:1], 20, axis=0), u, np.repeat(u[-1:], 20, axis=0)])
    error, frames = 0.1, 5  # zeta such that the lag is a whole number of frames
    zeta = frames / 60 * np.sqrt(GRAVITY_M_S2 / error) / 2
    plain, early = (track(u, 60.0, error, zeta, compensate=c).position for c in (False, True))
    assert np.abs(early[:-frames] - plain[frames:]).max() < 1e-9


def test_the_measured_lag_is_the_lag_and_compensation_takes_it_away(
    rng: np.random.Generator,
) -> None:
    # The lag is that of low frequencies; at 1 Hz these settings trail 10 ms more.
    u = low_pass(smooth(rng, 30.0, 120.0), 0.25, 120.0)
    for error, zeta in ((0.01, 0.5), (0.03, 0.7)):
        lag = float(Parameters(error, zeta).lag_s)
        assert measure_lag(u, track(u, 120.0, error, zeta).position, 120.0) == pytest.approx(
            lag, abs=0.004
        )
        for option in ("compensate", "feedforward"):
            path = track(u, 120.0, error, zeta, **{option: True}).position
            assert abs(measure_lag(u, path, 120.0)) < 0.004


@given(delay=st.floats(-0.4, 0.4))
def test_lag_is_measured_below_a_frame(delay: float) -> None:
    t = np.arange(240) / 60

    def path(t: Floats) -> Floats:
        x = 0.2 * np.tanh((t - 1.5) * 6) + 0.1 * np.tanh((t - 2.4) * 9)
        return np.stack([x, 0.5 * x, -x], axis=-1)

    lag = measure_lag(path(t), path(t - delay), 60.0)
    assert float(lag) == pytest.approx(delay, abs=0.05 / 60)


def test_shifted_input_is_the_spline(rng: np.random.Generator) -> None:
    for frames in (2, 3, 4, 12):
        values = rng.normal(size=(frames, 2, 3))
        at = np.append(rng.uniform(0, frames - 1, 50), [0, frames - 1])
        spline = Spline(np.arange(frames), values)
        found = np.array(
            [[[at_frame(values, t, j, k) for k in range(3)] for j in range(2)] for t in at]
        )
        assert np.abs(spline(at) - found[..., 0]).max() < 1e-12
        assert np.abs(spline.velocity(at) - found[..., 1]).max() < 1e-12


@pytest.mark.parametrize("feedforward", [False, True])
def test_the_whole_clip_equals_the_steps(feedforward: bool, rng: np.random.Generator) -> None:
    frames = 50
    u = np.cumsum(rng.normal(scale=0.02, size=(frames, 4, 2, 3)), axis=0)
    error, zeta = rng.uniform(0.001, 0.5, (frames, 4, 2)), rng.uniform(0.05, 2.0, (frames, 4, 2))
    zeta[10:20], error[10:20] = 1.0, 0.02
    push = rng.normal(size=u.shape)
    whole = track(
        u, 60.0, error, zeta, frame_acceleration=push, inherit=0.4, feedforward=feedforward
    )
    state = start(u[0])
    position, velocity, target = (np.array(u[0].reshape(-1, 3)) for _ in range(3))
    velocity[:] = 0.0
    for i in range(1, frames):
        p = Parameters(error[i], zeta[i])
        state = step(state, u[i], 1 / 60, p, push[i], inherit=0.4, feedforward=feedforward)
        step_in_place(
            position,
            velocity,
            target,
            u[i].reshape(-1, 3),
            error[i].reshape(-1),
            zeta[i].reshape(-1),
            0.4 * push[i].reshape(-1, 3),
            1 / 60,
            GRAVITY_M_S2,
            feedforward,
        )
        for name, compiled in (("position", position), ("velocity", velocity), ("target", target)):
            assert np.array_equal(getattr(state, name), getattr(whole, name)[i])
            assert np.array_equal(getattr(state, name).reshape(-1, 3), compiled)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"compensate": True},
        {"feedforward": True},
        {"cubic": True},
        {"compensate": True, "cubic": True},
    ],
)
def test_the_batch_equals_the_loop(options: dict[str, bool], rng: np.random.Generator) -> None:
    u = np.cumsum(rng.normal(scale=0.02, size=(40, 3, 2, 3)), axis=0)
    error, zeta = rng.uniform(0.001, 0.5, (40, 3)), rng.uniform(0.05, 2.0, (1, 3, 2))
    whole = track(u, 60.0, error, zeta, **options)
    for i in range(3):
        for j in range(2):
            one = track(u[:, i, j], 60.0, error[:, i], zeta[:, i, j], **options)
            assert np.array_equal(one.position, whole.position[:, i, j])
            assert np.array_equal(one.velocity, whole.velocity[:, i, j])


@given(cut=st.integers(0, 39), seed=st.integers(0, 2**32 - 1))
def test_a_clip_in_two_parts_is_the_clip(cut: int, seed: int) -> None:
    u = np.cumsum(np.random.default_rng(seed).normal(scale=0.02, size=(40, 2, 3)), axis=0)
    whole = track(u, 60.0, 0.05, 0.3)
    first = track(u[: cut + 1], 60.0, 0.05, 0.3)
    second = track(u[cut:], 60.0, 0.05, 0.3, initial=first.at(-1))
    assert np.array_equal(second.position, whole.position[cut:])


@given(seed=st.integers(0, 2**32 - 1), error=ERRORS, zeta=ZETAS)
def test_a_turned_and_moved_input_gives_a_turned_and_moved_path(
    seed: int, error: float, zeta: float
) -> None:
    rng = np.random.default_rng(seed)
    u = np.cumsum(rng.normal(scale=0.02, size=(30, 3)), axis=0)
    turn, by = quat.normalise(rng.normal(size=4)), rng.normal(size=3)
    for option in ({}, {"compensate": True}):
        path = track(u, 60.0, error, zeta, **option).position
        moved = track(quat.rotate(turn, u) + by, 60.0, error, zeta, **option).position
        assert np.abs(quat.rotate(turn, path) + by - moved).max() < 1e-12


def turning_chest(t: Floats) -> tuple[Floats, Floats]:
    """A chest that turns by 70 degrees, leans a little and shifts its weight, within 0.8 s."""
    s = np.clip((t - 0.3) / 0.8, 0.0, 1.0)
    ease = s**4 * (35 - 84 * s + 70 * s**2 - 20 * s**3)
    place = np.stack([0.15 * ease, 1.2 - 0.03 * ease, 0.1 * ease**2], axis=-1)
    turn = quat.multiply(
        quat.from_axis_angle([0.0, 1.0, 0.0], np.deg2rad(70.0) * ease),
        quat.from_axis_angle([1.0, 0.0, 0.0], 0.2 * ease),
    )
    return place, turn


def test_frame_acceleration_is_that_of_points_carried_along() -> None:
    fps, point = 2000.0, np.array([0.3, -0.4, 0.2])
    t = np.arange(3000) / fps
    own = point + 0.1 * np.sin(4.0 * t)[:, None] * [1.0, 0.5, -1.0]
    place, turn = turning_chest(t)
    for points, moving in ((np.broadcast_to(point, own.shape), False), (own, True)):
        world = place + quat.rotate(turn, points)
        relative = np.zeros_like(own)
        if moving:  # what the points do of themselves is no acceleration of the frame
            relative = quat.rotate(turn, np.gradient(np.gradient(own, t, axis=0), t, axis=0))
        second = np.gradient(np.gradient(world, t, axis=0), t, axis=0) - relative
        wanted = quat.rotate(quat.inverse(turn), second)
        for causal in (False, True):
            found = frame_acceleration(place, turn, points, fps, causal=causal)
            assert np.abs(wanted).max() > 1.0
            assert np.abs(found - wanted)[5:-5].max() < (0.05 if not causal else 0.1)


def test_a_mass_that_inherits_everything_stays_behind_as_a_free_mass_does() -> None:
    """Against the mass in the world: spring and damper act in the chest, inertia outside."""
    fps, error, zeta = 240.0, 0.1, 0.5
    t = np.arange(int(2.0 * fps)) / fps
    point = np.array([0.25, -0.3, 0.25])
    place, turn = turning_chest(t)
    omega, h = np.sqrt(GRAVITY_M_S2 / error), 1e-4

    def rate(s: float, y: Any) -> Any:
        p, q = turning_chest(np.array([s - h, s, s + h]))
        carried = (p[2] - p[0]) / (2 * h)
        spin = quat.log(quat.multiply(q[2], quat.inverse(q[0]))) / (2 * h)
        frame_velocity = carried + np.cross(spin, y[:3] - p[1])
        force = omega**2 * (p[1] + quat.rotate(q[1], point) - y[:3])
        return np.concatenate([y[3:], force - 2 * zeta * omega * (y[3:] - frame_velocity)])

    y0 = np.concatenate([place[0] + quat.rotate(turn[0], point), np.zeros(3)])
    world = solve_ivp(rate, (0, t[-1]), y0, t_eval=t, rtol=1e-8, atol=1e-10).y[:3].T
    wanted = quat.rotate(quat.inverse(turn), world - place)
    swing = np.linalg.norm(wanted - point, axis=1).max()
    assert swing > 0.03
    targets = np.broadcast_to(point, wanted.shape)
    path, gaps = targets, []
    for _ in range(6):
        pull = frame_acceleration(place, turn, path, fps)
        path = track(targets, fps, error, zeta, frame_acceleration=pull).position
        gaps.append(np.linalg.norm(path - wanted, axis=1).max() / swing)
    assert gaps[0] < 0.5
    assert gaps[2] < 0.05
    assert gaps[-1] < 0.001
    # Live: where the mass is and how fast, at the frame's start.
    state, live = start(point), [point, point]
    for i in range(2, len(t)):
        now = slice(i - 2, i + 1)
        places = np.stack([point, state.position, state.position + state.velocity / fps])
        pull_now = frame_acceleration(place[now], turn[now], places, fps, causal=True)[-1]
        state = step(state, point, 1 / fps, Parameters(error, zeta), pull_now)
        live.append(state.position)
    gap = np.linalg.norm(live - wanted, axis=1).max() / swing
    assert gap < 0.04
    assert np.array_equal(
        track(targets, fps, error, zeta, frame_acceleration=pull, inherit=0.0).position, targets
    )
    half = track(targets, fps, error, zeta, frame_acceleration=pull, inherit=0.5).position
    assert np.abs((half - point) - 0.5 * (path - point)).max() < 1e-12


def test_causal_frame_acceleration_needs_three_frames() -> None:
    place, turn = turning_chest(np.arange(60) / 30)
    points = inputs("sinusoid", 60, 30.0)
    whole = frame_acceleration(place, turn, points, 30.0, causal=True)
    for i in range(2, 60):
        last = slice(i - 2, i + 1)
        part = frame_acceleration(place[last], turn[last], points[last], 30.0, causal=True)
        assert np.array_equal(part[-1], whole[i])


def test_a_chest_serves_both_wrists() -> None:
    place, turn = turning_chest(np.arange(60) / 30)
    points = np.stack([inputs("sinusoid", 60, 30.0), inputs("ramp", 60, 30.0)], axis=1)
    both = frame_acceleration(place[:, None], turn[:, None], points, 30.0)
    for j in range(2):
        assert np.array_equal(both[:, j], frame_acceleration(place, turn, points[:, j], 30.0))


def test_short_and_empty_clips() -> None:
    one = track([[0.1, 0.2, 0.3]], 60.0, 0.05, 0.3, compensate=True)
    assert np.array_equal(one.position, [[0.1, 0.2, 0.3]])
    assert track([[0.0, 0, 0], [1.0, 0, 0]], 60.0, 0.05, 0.3, compensate=True).position.shape == (
        2,
        3,
    )
    assert track(np.zeros((5, 0, 3)), 60.0, 0.05, 0.3).position.shape == (5, 0, 3)
    assert np.array_equal(
        frame_acceleration(np.zeros((1, 3)), quat.identity((1,)), np.zeros((1, 3)), 30.0),
        np.zeros((1, 3)),
    )


def test_values_are_frozen_and_the_input_is_left_alone() -> None:
    u = inputs("sinusoid")
    kept = u.copy()
    path = track(u, 60.0, 0.05, 0.3)
    state = step(start(u[0]), u[1], 1 / 60, Parameters(0.05, 0.3))
    u[:] = 7.0
    for value in (path, state, path.at(3)):
        for name in ("position", "velocity", "target"):
            assert not getattr(value, name).flags.writeable
    assert np.array_equal(path.target, kept)
    assert np.array_equal(state.target, kept[1])
    assert Parameters([0.1, 0.2], 0.3) == Parameters([0.1, 0.2], 0.3) != Parameters(0.1, 0.3)


ORIGIN = start([0.0, 0.0, 0.0])
LINE = np.zeros((5, 2, 3))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: Parameters(0.0, 0.3), "rest error is 0 m, allowed is 0.0001 to 2 m"),
        (lambda: Parameters([0.1, np.nan], 0.3), "rest error is nan m"),
        (lambda: Parameters(0.1, 0.0), "zeta is 0, allowed is above 0 up to 5"),
        (lambda: Parameters(0.1, 6.0), "zeta is 6, allowed"),
        (lambda: Parameters(0.1, 0.3).gains(0.0), "mass is 0.0 kg, allowed is a positive number"),
        (lambda: start([0.0, 1.0]), "points have shape (2,), expected (..., 3)"),
        (lambda: start([0.0, np.nan, 0.0]), "points[1] is not finite"),
        (lambda: TrackerState(0.0, 0.0, 0.0), "targets have shape (), expected (..., 3)"),
        (lambda: step(ORIGIN, [0.0, 0, 0], 0.0, Parameters(0.1, 0.3)), "a time step is 0.0"),
        (lambda: step(ORIGIN, LINE[0], 0.1, Parameters(0.1, 0.3)), "targets have shape (2, 3)"),
        (lambda: step(ORIGIN, [np.inf, 0, 0], 0.1, Parameters(0.1, 0.3)), "is not finite"),
        (
            lambda: step(ORIGIN, [0.0, 0, 0], 0.1, Parameters([0.1, 0.2], 0.3)),
            "parameters of shape (2,)",
        ),
        (
            lambda: step(ORIGIN, [0.0, 0, 0], 0.1, Parameters(0.1, 0.3), [0.0, 0, 0], inherit=1.5),
            "inherit is 1.5, allowed is 0 to 1",
        ),
        (
            lambda: step(ORIGIN, [0.0, 0, 0], 0.1, Parameters(0.1, 0.3), [0.0, np.nan, 0]),
            "frame_acceleration is not finite",
        ),
        (lambda: track([0.0, 0.0, 0.0], 60.0, 0.1, 0.3), "expected (frames, ..., 3)"),
        (lambda: track(LINE, 0.0, 0.1, 0.3), "fps is 0.0, allowed is a positive number"),
        (lambda: track(LINE, np.nan, 0.1, 0.3), "fps is nan"),
        (lambda: track(LINE, 60.0, [0.1, 0.2], 0.3), "rest_error_m of shape (2, 1) does not fit"),
        (lambda: track(LINE, 60.0, 0.1, np.zeros((5, 2, 1)) + 1), "zeta of shape (5, 2, 1)"),
        (
            lambda: track(LINE, 60.0, 0.1, 0.3, compensate=True, feedforward=True),
            "feedforward is for live use",
        ),
        (lambda: track(LINE, 60.0, 0.1, 0.3, initial=ORIGIN), "the initial state has shape (3,)"),
        (lambda: frame_acceleration(LINE, LINE, LINE, 60.0), "must be (frames, ..., 3)"),
        (lambda: measure_lag(LINE, LINE, 60.0), "speed never changes"),
        (lambda: measure_lag(LINE, LINE[:4], 60.0), "allowed is one shape"),
    ],
)
def test_bad_values_are_refused_in_one_line(call: Any, says: str) -> None:
    with pytest.raises(InvalidValueError) as error:
        call()
    assert says in str(error.value)
    assert "\n" not in str(error.value)
