"""Velocity-based blending against a plain twin and the printed rule (2009 paper, section 9)."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesphere.bodylanguage.model import BodyLanguageModel, Singles
from kinesphere.bodylanguage.play.blending import (
    Blend,
    BlendSettings,
    Playing,
    advance,
    first_blend,
)
from kinesphere.bodylanguage.streams import FPS, LOWER, hand_of_joint, stream_of_joint
from kinesphere.character.default import default_rig
from kinesphere.errors import InvalidValueError
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Bools, Floats
from tests.bodylanguage.material import small_model

seeds = st.integers(0, 2**32 - 1)
PAPER = BlendSettings(soft_s=0.0)
SOFT = BlendSettings()
JOINTS = len(default_rig().skeleton)
MOVED = np.flatnonzero(stream_of_joint() >= 0)
FREE = np.flatnonzero((stream_of_joint() >= 0) & (hand_of_joint() < 0))
HEAD_JOINT = default_rig().joint("head")


def random_turns(rng: np.random.Generator, *shape: int) -> Floats:
    return quaternion.normalise(rng.normal(size=(*shape, 4)))


def shown_segments(rng: np.random.Generator, characters: int, at_s: float = 0.0) -> Playing:
    """Some stretch of the library for every stream, begun a little before a time."""
    firsts = rng.integers(1, 500, size=(characters, 3)).astype(np.float64)
    lengths = rng.integers(4, 40, size=(characters, 3))
    begun = at_s - rng.uniform(0.0, 0.1, size=(characters, 3))
    return Playing(begun, firsts, np.stack([firsts - 1, firsts + lengths], axis=-1))


def blended(
    model: BodyLanguageModel,
    blend: Blend,
    playing: Playing,
    begins: Bools,
    frames: int,
    options: BlendSettings = PAPER,
    *,
    frame: int = 0,
    fps: float = 60.0,
    pace: float = 1.0,
) -> tuple[Blend, Floats, Floats]:
    """Some frames at once."""
    characters = len(blend.hips)
    shown, hips = np.zeros((characters, frames, JOINTS, 4)), np.zeros((characters, frames, 3))
    after = advance(blend, model, playing, begins, frame, fps, pace, options.numbers(), shown, hips)
    return after, shown, hips


def library(turns: Floats, pelvis: Floats | None = None) -> BodyLanguageModel:
    """The small model with another library, ``[frames, joints, 4]``."""
    model = small_model()
    count = len(turns)
    if count < len(model.turns):
        turns = np.concatenate([turns, np.repeat(turns[-1:], len(model.turns) - count, axis=0)])
    places = np.zeros((len(turns), 3)) if pelvis is None else pelvis
    return replace(model, turns=turns.astype(np.float32), pelvis=places.astype(np.float32))


def turning(rad_s: float, frames: int = 600) -> BodyLanguageModel:
    """A library in which every joint turns steadily about its own axis."""
    axes = np.random.default_rng(5).normal(size=(JOINTS, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    angles = rad_s * np.arange(frames)[:, None, None] / FPS
    place = np.arange(frames)[:, None] / FPS * np.array([0.05, 0.01, 0.0])
    return library(quaternion.exp(angles * axes), place)


def still() -> BodyLanguageModel:
    """A library in which nothing moves."""
    return library(np.tile([1.0, 0.0, 0.0, 0.0], (600, JOINTS, 1)))


def whole(characters: int = 1) -> Playing:
    """The library from its beginning to its end."""
    ranges = np.tile([0.0, 599.0], (characters, 3, 1))
    return Playing(np.zeros((characters, 3)), np.zeros((characters, 3)), ranges)


def nothing(characters: int = 1) -> Bools:
    return np.zeros((characters, 3), dtype=np.bool_)


# The plain twin: what the kernel does, in words of quaternion and vector functions.


def read_library(values: Singles, at: float, limits: Floats) -> Floats:
    p = min(max(at, float(limits[0])), float(limits[1]))
    low = int(p)
    high = min(low + 1, int(limits[1]))
    step = (values[high] - values[low]).astype(np.float64)
    return np.asarray(values[low].astype(np.float64) + (p - low) * step)


class Follower:
    """Catching up and softening of one rotation or place; `log` and `exp` make it either."""

    def __init__(self, options: Floats, finger: bool = False) -> None:
        self.soft, self.smooth = float(options[6 if finger else 3]), float(options[4])
        self.state = np.zeros((7, 3))
        self.phase = "with it"

    def share(self, gap: float, most: float, begins: bool) -> tuple[float, bool]:
        ratio = 1.0 if gap <= most * (1.0 + 1e-9) else most / gap
        before = self.phase
        if ratio < 1.0:
            self.phase = "catching up"
            return ratio, begins or before != self.phase
        self.phase = "arrived" if begins or before == "catching up" else "with it"
        return ratio, begins or "arrived" in (self.phase, before)

    def as_offset(self, velocity: Floats) -> Floats:
        """Inverse of the right Jacobian of the offset's turn, as a series."""
        x, y, z = self.state[0] + self.state[3]
        cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        return np.asarray((np.eye(3) + cross / 2.0 + cross @ cross / 12.0) @ velocity)

    def offset(self, velocity: Floats, corner: bool, dt: float) -> Floats:
        if self.soft == 0.0:
            return np.zeros(3)
        x, v, last, x2, v2, a2, last2 = self.state
        if corner:
            v = v + last - velocity
        before = x
        x, v = critically_damped(np.stack([x, v]), self.soft, dt)
        pace = velocity + (x - before) / dt
        x2, v2, a2 = critically_damped(np.stack([x2, v2 + last2 - pace, a2]), self.smooth, dt)
        self.state = np.stack([x, v, velocity, x2, v2, a2, pace])
        return np.asarray(x + x2)


def critically_damped(state: Floats, omega: float, dt: float) -> Floats:
    """(d/dt + omega)^n x = 0 of x and its derivatives ``[n, 3]``, by the exponential of its matrix.

    One root n times, so that the matrix less the root is nilpotent and the series ends.
    """
    n = len(state)
    matrix = np.eye(n, k=1)
    matrix[-1] = [-math.comb(n, k) * omega ** (n - k) for k in range(n)]
    nilpotent = matrix + omega * np.eye(n)
    terms = [np.linalg.matrix_power(nilpotent, k) * dt**k / math.factorial(k) for k in range(n)]
    return np.asarray(np.exp(-omega * dt) * sum(terms) @ state)


def plain(
    model: BodyLanguageModel,
    blend: Blend,
    playing: Playing,
    begins: Bools,
    frames: int,
    options: BlendSettings,
    frame: int,
    fps: float,
    pace: float,
) -> tuple[Floats, Floats]:
    """`advance` of characters who have stood still before, in loops."""
    numbers, dt, rate = options.numbers(), 1.0 / fps, pace * FPS
    shown, shown_hips = (
        np.zeros((len(begins), frames, JOINTS, 4)),
        np.zeros((len(begins), frames, 3)),
    )
    for c in range(len(begins)):
        followers = [Follower(numbers, hand >= 0) for hand in hand_of_joint()]
        place, pelvis = Follower(numbers), blend.hips[c].copy()
        current = blend.blended[c].copy()
        for f in range(frames):
            at = playing.firsts[c] + ((frame + f) / fps - playing.begun_s[c] + numbers[5]) * rate
            now, before = (
                [read_library(model.turns, at[s] - back, playing.ranges[c, s]) for s in range(3)]
                for back in (0.0, rate * dt)
            )
            for j in MOVED:
                s, hand = stream_of_joint()[j], hand_of_joint()[j]
                goals = quaternion.normalise(now[s])
                speeds = quaternion.angle_between(goals, quaternion.normalise(before[s]))
                least = numbers[0] if hand < 0 else numbers[1]
                most = max(speeds[j], least * dt, 0.0 if hand < 0 else speeds[hand])
                most = min(most, 30.0 * dt)
                way = quaternion.log(
                    quaternion.shortest(
                        quaternion.multiply(goals[j], quaternion.inverse(current[j]))
                    )
                )
                gap = float(np.linalg.norm(way))
                first = bool(begins[c, s]) and f == 0
                share, corner = followers[j].share(gap, most, first)
                current[j] = quaternion.slerp(current[j], goals[j], share)
                velocity = followers[j].as_offset(way * share / dt)
                soft = followers[j].offset(velocity, corner, dt)
                shown[c, f, j] = quaternion.multiply(quaternion.exp(soft), current[j])
            goal, past = (
                read_library(model.pelvis, at[LOWER] - back, playing.ranges[c, LOWER])
                for back in (0.0, rate * dt)
            )
            most = max(float(np.linalg.norm(goal - past)), numbers[2] * dt)
            gap = float(np.linalg.norm(goal - pelvis))
            share, corner = place.share(gap, most, bool(begins[c, LOWER]) and f == 0)
            step = share * (goal - pelvis)
            pelvis = pelvis + step
            shown_hips[c, f] = pelvis + place.offset(step / dt, corner, dt)
    return shown, shown_hips


@settings(max_examples=8, deadline=None)
@given(
    seeds,
    st.sampled_from([PAPER, SOFT, BlendSettings(0.1, 4.0, 0.3, 0.5, 0.02)]),
    st.floats(20.0, 120.0),
    st.floats(0.7, 1.4),
    st.integers(0, 10_000),
)
def test_the_kernel_does_what_its_plain_twin_does(
    seed: int, options: BlendSettings, fps: float, pace: float, frame: int
) -> None:
    rng = np.random.default_rng(seed)
    model = small_model()
    playing = shown_segments(rng, 1, frame / fps)
    # At the source, near it, so that joints arrive, each at its own time, and far from it.
    near = model.turns[[int(playing.firsts[0, 1])]].astype(np.float64)
    sizes = rng.choice([0.0, 0.02, 0.3, 2.0], (1, JOINTS, 1))
    away = quaternion.exp(rng.normal(size=(1, JOINTS, 3)) * sizes)
    blend = first_blend(quaternion.multiply(away, near), rng.normal(scale=0.02, size=(1, 3)))
    begins = rng.random((1, 3)) < 0.7
    _, shown, hips = blended(
        model, blend, playing, begins, 16, options, frame=frame, fps=fps, pace=pace
    )
    expected, places = plain(model, blend, playing, begins, 16, options, frame, fps, pace)
    apart = quaternion.angle_between(shown[:, :, MOVED], expected[:, :, MOVED])
    assert apart.max() < 1e-7
    assert np.abs(hips - places).max() < 1e-9


@settings(max_examples=15, deadline=None)
@given(seeds, st.sampled_from([PAPER, SOFT]), st.sets(st.integers(1, 39), max_size=6))
def test_neither_company_nor_chunks_matter(
    seed: int, options: BlendSettings, cuts: set[int]
) -> None:
    rng = np.random.default_rng(seed)
    model, playing, frame = small_model(), shown_segments(rng, 3, 5.0), 300
    blend = first_blend(random_turns(rng, 3, JOINTS), rng.normal(scale=0.05, size=(3, 3)))
    begins = rng.random((3, 3)) < 0.5
    _, shown, hips = blended(model, blend, playing, begins, 40, options, frame=frame)
    for c in range(3):
        mine = Blend(*(part[c : c + 1].copy() for part in blend))
        alone = Playing(*(part[c : c + 1].copy() for part in playing))
        bounds = [0, *sorted(cuts), 40]
        for first, last in pairwise(bounds):
            now = begins[c : c + 1] if first == 0 else nothing()
            mine, some, places = blended(
                model, mine, alone, now, last - first, options, frame=frame + first
            )
            assert np.array_equal(some[0], shown[c, first:last])
            assert np.array_equal(places[0], hips[c, first:last])


def test_a_state_is_not_changed() -> None:
    rng = np.random.default_rng(1)
    blend = first_blend(random_turns(rng, 2, JOINTS), rng.normal(size=(2, 3)))
    copies = [part.copy() for part in blend]
    after, _, _ = blended(small_model(), blend, shown_segments(rng, 2), nothing(2), 9, SOFT)
    for part, copy, new in zip(blend, copies, after, strict=True):
        assert np.array_equal(part, copy)
        assert not np.array_equal(part, new)


def angles(turns: Floats) -> Floats:
    """From frame to frame."""
    return quaternion.angle_between(turns[:-1], turns[1:])


@settings(max_examples=20, deadline=None)
@given(seeds, st.floats(0.7, 6.0), st.floats(0.6, 1.5))
def test_the_pace_of_the_source_is_kept_until_the_pose_has_caught_up(
    seed: int, rad_s: float, pace: float
) -> None:
    # Equation of section 9: |r_t r_(t-1)^-1| is |d_t d_(t-1)^-1| on the way, and the way is short.
    rng = np.random.default_rng(seed)
    model, poses = turning(rad_s), random_turns(rng, 1, JOINTS)
    after, shown, _ = blended(
        model, first_blend(poses, np.zeros((1, 3))), whole(), nothing(), 60, pace=pace
    )
    times = np.arange(60) / 60.0
    for j in FREE:
        source = np.array(
            [read_library(model.turns[:, j], t * pace * FPS, np.array([0.0, 599.0])) for t in times]
        )
        source = quaternion.normalise(source)
        path = np.concatenate([poses[:, j], shown[0, :, j]])
        gaps = quaternion.angle_between(path[1:], source)
        before = quaternion.angle_between(path[:-1], source)
        late = gaps[1:] > 1e-6
        assert angles(source) == pytest.approx(rad_s * pace / 60.0, rel=0.02)
        assert np.abs(angles(path)[1:] - angles(source))[late].max(initial=0.0) < 1e-5
        assert np.abs(gaps - np.maximum(before - angles(path), 0.0)).max() < 1e-6
        assert (np.diff(gaps) < 1e-5).all()
        assert after.phases[0, j] == (2 if gaps[-2] < 1e-6 else 1 if gaps[-1] < 1e-6 else 0)


@settings(max_examples=15, deadline=None)
@given(seeds, st.sampled_from([24.0, 60.0, 144.0]))
def test_from_anywhere_a_still_source_is_reached_in_time(seed: int, fps: float) -> None:
    rng = np.random.default_rng(seed)
    poses, hips = random_turns(rng, 1, JOINTS), rng.uniform(-0.1, 0.1, size=(1, 3))
    frames = int(np.ceil(np.pi / PAPER.least_rad_s * fps)) + 1
    blend = first_blend(poses, hips)
    after, shown, places = blended(still(), blend, whole(), nothing(), frames, fps=fps)
    gaps = quaternion.angle(np.concatenate([poses, shown[0]]))
    fingers = hand_of_joint() >= 0
    for j in MOVED:
        least = PAPER.least_finger_rad_s if fingers[j] else PAPER.least_rad_s
        expected = np.maximum(gaps[0, j] - least / fps * np.arange(frames + 1), 0.0)
        assert np.abs(gaps[:, j] - expected).max() < 1e-7
    left = np.linalg.norm(np.concatenate([hips, places[0]]), axis=1)
    slower = left[0] - PAPER.least_m_s / fps * np.arange(frames + 1)
    assert np.abs(left - np.maximum(slower, 0.0)).max() < 1e-9
    assert np.array_equal(after.blended[0, MOVED], np.tile([1.0, 0.0, 0.0, 0.0], (len(MOVED), 1)))
    assert (after.phases[0, MOVED] == 2).all()


def test_a_source_that_ends_is_reached() -> None:
    # Recorded motion that runs away from the pose, then stops at the end of the segment.
    rng = np.random.default_rng(3)
    model, playing = small_model(), shown_segments(rng, 4)
    blend = first_blend(random_turns(rng, 4, JOINTS), rng.normal(scale=0.05, size=(4, 3)))
    after, shown, _ = blended(model, blend, playing, nothing(4), 60 * 20)
    for c in range(4):
        for j in MOVED:
            last = int(playing.ranges[c, stream_of_joint()[j], 1])
            goal = quaternion.normalise(model.turns[last, j].astype(np.float64))
            assert np.abs(after.blended[c, j] - goal).max() < 1e-12
    assert np.isfinite(shown).all()


def test_the_share_of_the_way_is_clamped() -> None:
    # 0 / 0 counts as 1, a nearer goal than the pace is not passed, half a turn is some way round.
    at_rest = np.tile([1.0, 0.0, 0.0, 0.0], (1, JOINTS, 1))
    _, shown, _ = blended(still(), first_blend(at_rest, np.zeros((1, 3))), whole(), nothing(), 3)
    assert np.array_equal(shown[0, :, MOVED], np.tile([1.0, 0.0, 0.0, 0.0], (len(MOVED), 3, 1)))
    near = quaternion.exp(np.tile([0.0, 0.003, 0.0], (1, JOINTS, 1)))
    _, shown, _ = blended(still(), first_blend(near, np.zeros((1, 3))), whole(), nothing(), 1)
    assert np.array_equal(shown[0, 0, MOVED], at_rest[0, MOVED])
    opposite = np.tile([0.0, 0.0, -1.0, 0.0], (1, JOINTS, 1))
    _, shown, _ = blended(still(), first_blend(opposite, np.zeros((1, 3))), whole(), nothing(), 1)
    gone = quaternion.angle_between(shown[0, 0, FREE], opposite[0, FREE])
    assert gone == pytest.approx(PAPER.least_rad_s / 60.0, abs=1e-9)


def test_fingers_go_along_with_their_hand() -> None:
    # The fingers' own source is still; while the hand turns, they catch up as fast as it does.
    model = turning(4.0)
    fingers = hand_of_joint() >= 0
    turns = model.turns.copy()
    turns[:, fingers] = [1.0, 0.0, 0.0, 0.0]
    poses = random_turns(np.random.default_rng(2), 1, JOINTS)
    blend = first_blend(poses, np.zeros((1, 3)))
    _, shown, _ = blended(library(turns), blend, whole(), nothing(), 8)
    path = np.concatenate([poses, shown[0]])[:, fingers]
    late = quaternion.angle(path[1:]) > 1e-6
    assert late.mean() > 0.8
    assert np.abs(angles(path)[1:][late[1:]] - 4.0 / 60.0).max() < 1e-5


def changes_of_velocity(options: BlendSettings, fps: float, order: int = 1) -> tuple[float, float]:
    """Largest change of the head's and the pelvis' velocity over segments that cut each other.

    Of order 2, the change of their change (of the acceleration, times the time of a frame).
    """
    model = small_model()
    blend = first_blend(model.turns[:1].astype(np.float64), model.pelvis[:1].astype(np.float64))
    heads, places = [], []
    for k, first in enumerate((10.0, 200.0, 470.0, 90.0)):
        ranges = np.tile([first - 1.0, first + 60.0], (1, 3, 1))
        playing = Playing(np.full((1, 3), 0.5 * k), np.full((1, 3), first), ranges)
        count = round(0.5 * fps)
        blend, shown, hips = blended(
            model, blend, playing, ~nothing(), count, options, frame=k * count, fps=fps
        )
        heads.append(shown[0, :, HEAD_JOINT])
        places.append(hips[0])
    turn = quaternion.angular_velocity(quaternion.unroll(np.concatenate(heads)), 1.0 / fps)
    speed = np.diff(np.concatenate(places), axis=0) * fps
    most = [float(np.linalg.norm(np.diff(v, order, axis=0), axis=1).max()) for v in (turn, speed)]
    return most[0], most[1]


def test_softened_transitions_have_no_corners() -> None:
    # What is smooth changes its velocity by half in half the time; a corner does not.
    coarse, fine = changes_of_velocity(SOFT, 240.0), changes_of_velocity(SOFT, 960.0)
    printed, printed_fine = changes_of_velocity(PAPER, 240.0), changes_of_velocity(PAPER, 960.0)
    for k in range(2):
        assert fine[k] < 0.35 * coarse[k]
        assert printed_fine[k] > 0.8 * printed[k]
        assert coarse[k] < 0.2 * printed[k]


def test_softened_transitions_do_not_jerk() -> None:
    # A smooth acceleration changes by a quarter from one of half as long frames to the next, one
    # that jumps by half. Turns about changing axes do not add up, so only the pelvis is exact.
    coarse, fine = (changes_of_velocity(SOFT, fps, 2)[1] for fps in (240.0, 960.0))
    assert fine < 0.08 * coarse
    assert coarse < 0.01 * changes_of_velocity(PAPER, 240.0, 2)[1]


@pytest.mark.parametrize("options", [PAPER, SOFT])
def test_nothing_jumps_when_a_segment_begins(options: BlendSettings) -> None:
    rng = np.random.default_rng(4)
    model, fps = small_model(), 60.0
    blend = first_blend(model.turns[:1].astype(np.float64), model.pelvis[:1].astype(np.float64))
    fastest = FPS * angles(model.turns[:, MOVED].astype(np.float64)).max()
    fastest_m_s = FPS * np.linalg.norm(np.diff(model.pelvis, axis=0), axis=1).max()
    over = 1.01 if options is PAPER else 2.0  # the spring makes up for its lag
    poses, places = [], []
    for k in range(20):
        playing = shown_segments(rng, 1, k * 0.3)
        blend, shown, hips = blended(
            model, blend, playing, ~nothing(), 18, options, frame=18 * k, fps=fps
        )
        poses.append(shown[0][:, MOVED])
        places.append(hips[0])
    assert fps * angles(np.concatenate(poses)).max() < over * fastest
    steps = np.linalg.norm(np.diff(np.concatenate(places), axis=0), axis=1)
    assert fps * steps.max() < over * fastest_m_s


def ahead(playing: Playing, by_s: float = SOFT.smooth_s) -> Playing:
    """The same as if it had begun earlier."""
    return playing._replace(begun_s=playing.begun_s - by_s)


def test_a_softened_pose_lags_behind_no_steady_movement() -> None:
    model = turning(1.2)
    pose = model.turns[:1].astype(np.float64)
    blend = first_blend(pose, np.zeros((1, 3)))
    after, shown, hips = blended(model, blend, whole(), nothing(), 180, SOFT)
    _, printed, places = blended(model, blend, ahead(whole()), nothing(), 180, PAPER)
    apart = quaternion.angle_between(shown[0], printed[0])
    assert apart[1, HEAD_JOINT] > 1e-3
    assert apart[-1, MOVED].max() < 1e-6
    assert np.abs(hips[0, -1] - places[0, -1]).max() < 1e-6
    assert np.array_equal(after.blended[0, MOVED], printed[0, -1, MOVED])


def test_what_no_stream_moves_is_left_alone() -> None:
    shown, hips = np.full((1, 5, JOINTS, 4), 7.0), np.zeros((1, 5, 3))
    blend = first_blend(np.tile([1.0, 0.0, 0.0, 0.0], (1, JOINTS, 1)), np.zeros((1, 3)))
    model = small_model()
    advance(blend, model, whole(), nothing(), 0, 60.0, 1.0, SOFT.numbers(), shown, hips)
    others = np.setdiff1d(np.arange(JOINTS), MOVED)
    assert (shown[0, :, others] == 7.0).all()
    assert np.abs(np.linalg.norm(shown[0, :, MOVED], axis=-1) - 1.0).max() < 1e-12


@pytest.mark.parametrize(("hz", "left_s"), [(0.6, 0.045), (1.0, 0.03), (1.5, 0.03)])
def test_a_softened_gesture_is_on_time(hz: float, left_s: float) -> None:
    # At the pace of strokes, what the spring comes late is about what segments are read ahead.
    times = np.arange(600) / FPS
    swing = 0.3 * np.sin(2.0 * np.pi * hz * times)
    turns = quaternion.exp(swing[:, None, None] * np.tile([0.0, 1.0, 0.0], (JOINTS, 1)))
    place = 0.02 * np.sin(2.0 * np.pi * hz * times)[:, None] * [1.0, 0.0, 0.0]
    blend = first_blend(turns[:1], np.zeros((1, 3)))
    _, shown, hips = blended(library(turns, place), blend, whole(), nothing(), 600, SOFT)
    wave = np.exp(-2j * np.pi * hz * np.arange(300, 600) / 60.0)
    for values in (quaternion.log(shown[0, 300:, HEAD_JOINT])[:, 1], hips[0, 300:, 0]):
        late = -(np.angle(wave @ values) + np.pi / 2.0) / (2.0 * np.pi * hz)
        assert abs(late) < left_s


def test_softness_stretches_all_times() -> None:
    assert SOFT.numbers(2.0).tolist() == [0.2, 1.5, 0.03, 1 / 0.4, 1 / 0.14, 0.14, 1 / 0.12]
    assert PAPER.numbers(2.0).tolist() == [0.2, 1.5, 0.03, 0.0, 1 / 0.14, 0.0, 0.0]
    assert np.array_equal(SOFT.numbers(), SOFT.numbers(1.0))


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"least_rad_s": 0.0}, "more than 0"),
        ({"least_finger_rad_s": -1.0}, "more than 0"),
        ({"least_m_s": 0.0}, "more than 0"),
        ({"soft_s": -0.1}, "soft_s is -0.1"),
        ({"soft_s": 2.1}, "soft_s is 2.1"),
        ({"soft_finger_s": 0.0}, "soft_finger_s is 0"),
        ({"smooth_s": 0.001}, "smooth_s is 0.001"),
        ({"smooth_s": float("nan")}, "smooth_s is nan"),
    ],
)
def test_settings_that_are_refused(values: dict[str, float], said: str) -> None:
    with pytest.raises(InvalidValueError, match=said):
        BlendSettings(**values)
