"""Live: however the sound is cut, whoever else is there, nothing ahead, no jumps, no growth."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from benchmarks.studies.voice_fit import library_clips
from hypothesis import given, settings
from hypothesis import strategies as st

import kinesphere as ks
from kinesphere.animation.idle.idle_motion import standing_clip
from kinesphere.bodylanguage.choose.acting_times import AHEAD_S, KNOWN_S, ON_TIME_S
from kinesphere.bodylanguage.play import engine
from kinesphere.bodylanguage.play.engine import CHANGE_S, LiveFrames, LiveState, change_options
from kinesphere.bodylanguage.play.live_expression import LiveExpression
from kinesphere.bodylanguage.play.live_options import LiveOptions
from kinesphere.bodylanguage.streams import ARMS, HEAD
from kinesphere.character.default import default_rig
from kinesphere.errors import InvalidValueError
from kinesphere.expression.qualities import Effort, Shape
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.pipeline.models import model
from tests.bodylanguage.material import RATE_HZ, babble, small_model

FPS = 30.0
MINUTES = 4
HANDS = ("leftHand", "rightHand")


def begun(characters: int | None = None, **options: object) -> LiveState:
    fps = float(options.pop("fps", FPS))  # type: ignore[arg-type]
    seed = options.pop("seed", 3)
    return engine.start(
        small_model(),
        RATE_HZ,
        fps=fps,
        seed=seed,
        characters=characters,
        options=LiveOptions(**options),
    )


def fed(state: LiveState, sound: Floats, cuts: Sequence[int] = ()) -> tuple[LiveState, LiveFrames]:
    """All frames of a sound that is cut at samples, without those that wait for more."""
    parts = []
    for chunk in np.split(sound, np.sort(cuts), axis=-1):
        state, frames = engine.step(state, chunk)
        parts.append(frames)
    return state, joined(parts)


def whole(state: LiveState, sound: Floats, cuts: Sequence[int] = ()) -> LiveFrames:
    after, frames = fed(state, sound, cuts)
    return joined([frames, engine.finish(after)])


def joined(parts: Sequence[LiveFrames]) -> LiveFrames:
    return LiveFrames(
        np.concatenate([p.times_s for p in parts]),
        np.concatenate([p.root_positions for p in parts], axis=-2),
        np.concatenate([p.rotations for p in parts], axis=-3),
        {n: np.concatenate([p.channels[n] for p in parts], axis=-1) for n in parts[0].channels},
        tuple(sum(rows, ()) for rows in zip(*(p.changes for p in parts), strict=True)),
        np.concatenate([p.activity for p in parts], axis=-2),
    )


def assert_same(a: LiveFrames, b: LiveFrames) -> None:
    for name in ("times_s", "root_positions", "rotations", "activity"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)
    assert set(a.channels) == set(b.channels)
    for name in a.channels:
        np.testing.assert_array_equal(a.channels[name], b.channels[name], err_msg=name)
    # Without the share that was shown: the first one's is NaN, which is not itself.
    assert [[c[:4] for c in row] for row in a.changes] == [
        [c[:4] for c in row] for row in b.changes
    ]


def one_of(frames: LiveFrames, c: int) -> LiveFrames:
    return LiveFrames(
        frames.times_s,
        frames.root_positions[c],
        frames.rotations[c],
        {name: values[c] for name, values in frames.channels.items()},
        frames.changes[c : c + 1],
        frames.activity[c],
    )


def clip_of(frames: LiveFrames, fps: float = FPS) -> ks.Clip:
    return ks.Clip(ks.default_skeleton(), fps, frames.root_positions, frames.rotations)


def hands_of(frames: LiveFrames, fps: float = FPS) -> Floats:
    """Hands ``[frames, 2, 3]``, metres."""
    clip = clip_of(frames, fps)
    return np.stack([clip.joint_positions(name) for name in HANDS], axis=1)


VOICES = np.stack([babble(4.0, seed) for seed in range(3)])
SPOKEN = babble(12.0, 7)


@settings(max_examples=25)
@given(
    cuts=st.lists(st.integers(0, VOICES.shape[1]), max_size=12),
    characters=st.sampled_from([None, 1, 2, 3]),
    fps=st.sampled_from([24.0, 30.0, 59.94]),
    delay_s=st.sampled_from([0.0, ON_TIME_S, KNOWN_S, 0.4, 0.7, AHEAD_S]),
)
def test_chunks_of_any_size_give_the_same_frames(
    cuts: list[int], characters: int | None, fps: float, delay_s: float
) -> None:
    sound = VOICES[0] if characters is None else VOICES[:characters]
    state = begun(characters, fps=fps, delay_s=delay_s)
    assert_same(whole(state, sound, cuts), whole(state, sound))


@pytest.mark.parametrize("size", [1, 7, 80, 799, 8000])
def test_chunks_of_one_size_give_the_same_frames(size: int) -> None:
    sound = VOICES[1][: 1600 if size == 1 else None]
    cuts = list(range(size, len(sound), size))
    assert_same(whole(begun(), sound, cuts), whole(begun(), sound))


def test_frames_are_on_the_clock_and_come_when_their_sound_is_in() -> None:
    state, at = begun(delay_s=ON_TIME_S), 0
    times = np.zeros(0)
    for chunk in np.split(SPOKEN, range(80, len(SPOKEN), 80)):
        state, frames = engine.step(state, chunk)
        at += len(chunk)
        times = np.concatenate([times, frames.times_s])
        due_s = at / RATE_HZ - ON_TIME_S
        assert len(times) == max(0, int(np.floor(due_s * FPS + 1e-9)) + 1)
    times = np.concatenate([times, engine.finish(state).times_s])
    np.testing.assert_allclose(times, np.arange(len(times)) / FPS)
    assert abs(len(times) - (12.0 * FPS + 1)) < 1


@settings(max_examples=10)
@given(
    order=st.permutations([0, 1, 2]),
    others=st.integers(1, 3),
    cuts=st.lists(st.integers(0, 32_000), max_size=6),
)
def test_what_one_does_does_not_depend_on_the_others(
    order: list[int], others: int, cuts: list[int]
) -> None:
    seeds = np.array([11, 5, 400])
    who = order[:others]
    crowd = whole(begun(len(who), seed=seeds[who].tolist()), VOICES[who], cuts)
    for place, c in enumerate(who):
        assert_same(one_of(crowd, place), whole(begun(seed=int(seeds[c])), VOICES[c]))


def test_a_step_changes_neither_its_state_nor_its_sound() -> None:
    state, _ = fed(begun(2), np.stack([SPOKEN, SPOKEN[::-1]])[:, :20_000])
    chunk = np.stack([SPOKEN, SPOKEN])[:, 20_000:60_000]
    chunk.flags.writeable = False
    first, again = engine.step(state, chunk)[1], engine.step(state, chunk)[1]
    assert_same(first, again)
    for values in (first.rotations, first.root_positions, first.times_s, first.activity):
        assert not values.flags.writeable


@pytest.mark.parametrize("delay_s", [0.0, ON_TIME_S, AHEAD_S])
def test_nothing_looks_ahead(delay_s: float) -> None:
    at = 50_000
    other = np.concatenate([SPOKEN[:at], babble(6.0, 99)])
    one, two = (fed(begun(delay_s=delay_s), s)[1] for s in (SPOKEN, other))
    until = int((at / RATE_HZ - delay_s) * FPS)
    np.testing.assert_array_equal(one.rotations[:until], two.rotations[:until])
    assert (
        np.abs(one.rotations[until : until + 60] - two.rotations[until : until + 60]).max() > 0.01
    )


def test_a_seed_is_a_performance() -> None:
    found = [whole(begun(seed=s), SPOKEN) for s in (3, 3, 4)]
    assert_same(found[0], found[1])
    assert found[0].changes != found[2].changes
    assert np.abs(found[0].rotations - found[2].rotations).max() > 0.05


def test_how_loud_the_recording_is_does_not_matter() -> None:
    loud, soft = (whole(begun(), gain * SPOKEN) for gain in (1.0, 0.125))
    assert [c[:4] for c in loud.changes[0]] == [c[:4] for c in soft.changes[0]]
    np.testing.assert_allclose(loud.rotations, soft.rotations, atol=1e-6)


def test_rates_of_frames_show_one_motion() -> None:
    """With the same segments; a frame earlier or later the model may choose another."""
    runs = {fps: whole(begun(fps=fps, policy="random"), SPOKEN[:32_000]) for fps in (60.0, 120.0)}
    chosen = [[c[1:4] for c in frames.changes[0] if c.time_s < 3.9] for frames in runs.values()]
    assert chosen[0] == chosen[1]
    slow, fast = (hands_of(frames, fps) for fps, frames in runs.items())
    apart = np.linalg.norm(slow - fast[::2][: len(slow)], axis=-1)
    assert np.median(apart) < 0.01


def test_segments_follow_each_other_without_a_jump() -> None:
    """Hands turn round no more suddenly than in the motion that was learned."""
    _, first, rest = house_until_changed()
    frames = joined([first, rest])
    assert len([c for c in frames.changes[0] if c.stream == ARMS]) > 8
    assert pulls(frames).max() < 1.5 * hardest_learned()
    dots = np.abs(np.sum(frames.rotations[1:] * frames.rotations[:-1], axis=-1))
    assert np.degrees(2.0 * np.arccos(dots.clip(0.0, 1.0))).max() < 20.0
    np.testing.assert_allclose(np.linalg.norm(frames.rotations, axis=-1), 1.0, atol=1e-9)


CALM = LiveOptions()
OTHERS = {
    "amount": replace(CALM, amount=0.3),
    "shape": replace(CALM, expression=LiveExpression(shape=Shape(0.8, 0.5, 0.0))),
    "torso": replace(CALM, expression=LiveExpression(torso=Shape(0.0, 0.7, 0.6))),
    "pace": replace(CALM, expression=LiveExpression(effort=Effort(time=0.9))),
    "weight": replace(CALM, expression=LiveExpression(effort=Effort(weight=-0.9, flow=0.8))),
}


@cache
def house_until_changed() -> tuple[LiveState, LiveFrames, LiveFrames]:
    """State after six seconds, frames up to there, and frames if nothing is changed."""
    before, first = fed(engine.start(model("house"), RATE_HZ, fps=60.0, seed=2), SPOKEN[:48_000])
    return before, first, fed(before, SPOKEN[48_000:])[1]


@pytest.mark.parametrize("name", sorted(OTHERS))
def test_other_options_take_effect_without_a_jump(name: str) -> None:
    before, first, usual = house_until_changed()
    after, found = fed(change_options(before, OTHERS[name]), SPOKEN[48_000:])
    assert after.options == OTHERS[name]
    # It is another motion from then on ...
    assert np.abs(found.rotations - usual.rotations)[int(CHANGE_S * 60) :].max() > 0.01
    # ... and passes into it as softly as people move.
    passing = pulls(joined([first, found]))[len(first) - 3 :][: int(60 * CHANGE_S)]
    assert passing.max() < 1.5 * hardest_learned()


@cache
def hardest_learned() -> float:
    """Largest acceleration of a hand in the motion that was learned, m/s2."""
    found = []
    for clip in library_clips(model("house")):
        hands = np.stack([clip.joint_positions(name) for name in HANDS], axis=1)
        found.append(np.linalg.norm(np.diff(hands, n=2, axis=0), axis=-1).max() * clip.fps**2)
    return float(max(found))


def pulls(frames: LiveFrames) -> Floats:
    """Acceleration of the hands ``[frames - 2, 2]`` at 60 fps, m/s2."""
    hands = hands_of(frames, 60.0)
    return np.asarray(np.linalg.norm(np.diff(hands, n=2, axis=0), axis=-1) * 60.0**2)


def test_what_is_on_show_goes_on_from_where_it_is_at_another_pace() -> None:
    before = fed(begun(), SPOKEN[:33_000])[0]
    after = change_options(before, OTHERS["pace"])
    now_s = before.frames / before.fps
    passed = [
        (now_s - s.segments.playing.begun_s) * s.options.expression.pace for s in (before, after)
    ]
    assert after.options.expression.pace > 1.2
    assert passed[0].max() > 0.1
    np.testing.assert_allclose(passed[0], passed[1])
    assert (after.segments.ends <= before.segments.ends).all()


def test_another_speaker_moves_from_the_next_segment_on() -> None:
    before, _ = fed(begun(), SPOKEN[:32_000])
    frames = fed(change_options(before, replace(CALM, speakers="ben")), SPOKEN[32_000:])[1]
    arms = small_model().streams["arms"]
    shown = {
        small_model().speakers[arms.speakers[c.segment]]
        for c in frames.changes[0]
        if c.stream == ARMS
    }
    assert shown == {"ben"}


def test_amount_is_what_it_says() -> None:
    before, _ = fed(begun(), SPOKEN[:32_000])

    def size(amount: float) -> float:
        """Spread of the hands about the chest: the body stands and lives whatever the amount."""
        frames = fed(change_options(before, replace(CALM, amount=amount)), SPOKEN[32_000:])[1]
        clip = clip_of(frames)
        chest = default_rig().joint("upperChest")
        away = hands_of(frames) - clip.world_positions[:, None, chest]
        turn = quaternion.inverse(clip.world_rotations[:, None, chest])
        return float(quaternion.rotate(turn, away)[int(FPS) :].std(axis=0).sum())

    usual, small, still = (size(amount) for amount in (1.0, 0.4, 0.0))
    assert small < 0.6 * usual
    assert still < 0.1 * usual


def test_the_same_options_again_change_nothing() -> None:
    before, _ = fed(begun(), SPOKEN[:40_000])
    kept, again = (fed(s, SPOKEN[40_000:])[1] for s in (before, change_options(before, CALM)))
    assert [c[1:4] for c in kept.changes[0]] == [c[1:4] for c in again.changes[0]]
    np.testing.assert_allclose(kept.rotations, again.rotations, atol=1e-7)


@settings(max_examples=8)
@given(cuts=st.lists(st.integers(0, 30_000), max_size=8), name=st.sampled_from(sorted(OTHERS)))
def test_changed_options_do_not_depend_on_chunks(cuts: list[int], name: str) -> None:
    before, _ = fed(begun(), SPOKEN[:30_000])
    after = change_options(before, OTHERS[name])
    assert_same(fed(after, SPOKEN[30_000:60_000], cuts)[1], fed(after, SPOKEN[30_000:60_000])[1])


def test_what_cannot_be_changed() -> None:
    state = begun()
    with pytest.raises(InvalidValueError, match=r"the delay is 0 s and cannot become 0\.08 s"):
        change_options(state, LiveOptions(delay_s=ON_TIME_S))
    with pytest.raises(InvalidValueError, match="no speaker 'zoe'"):
        change_options(state, LiveOptions(speakers="zoe"))


def test_silence_alone_is_somebody_who_listens() -> None:
    frames = whole(begun(), np.zeros(int(20 * RATE_HZ)))
    assert len(frames) == 601
    assert all(np.isfinite(a).all() for a in (frames.rotations, frames.root_positions))
    assert np.max(frames.channels["aa"], initial=0.0) < 0.05
    assert frames.channels["blink"].max() > 0.5
    head = clip_of(frames).world_rotations[:, ks.default_rig().joint("head")]
    assert np.ptp(head, axis=0).max() > 0.005


def test_a_listener_is_somebody_who_stands_and_waits() -> None:
    """The same weight, trunk and hands as `ks.idle`, which has no voice."""
    frames = whole(begun(), np.zeros(int(40 * RATE_HZ)))
    alone = standing_clip(len(frames), FPS, 3)
    assert np.abs(frames.root_positions - alone.root_positions).max() < 1e-9
    hands = np.stack([alone.joint_positions(name) for name in HANDS], axis=1)
    assert np.abs(hands_of(frames) - hands).max() < 0.02
    assert np.ptp(hands[:, :, 1], axis=0).max() > 0.08  # they change their rest


def test_feet_stay_where_they_stand() -> None:
    places, rig = clip_of(whole(begun(), SPOKEN)).world_positions, ks.default_rig()
    balls = places[:, rig.joints(("leftToes", "rightToes"))]
    down = balls[..., 1] < balls[..., 1].min() + 1e-4
    steps = np.linalg.norm(np.diff(balls, axis=0)[..., [0, 2]], axis=-1)
    assert down.mean() > 0.7
    # Within the first frame of a step a foot is still hardly lifted.
    assert steps[down[1:] & down[:-1]].max() < 5e-4
    ankles = places[:, rig.joints(("leftFoot", "rightFoot")), 1]
    assert ankles.min() > 0.085 - 1e-6
    assert ankles.max() < 0.2


def test_a_stream_that_was_not_learned_has_idle_life() -> None:
    state = engine.start(small_model(streams=("head", "arms")), RATE_HZ, fps=FPS, seed=1)
    frames = whole(state, SPOKEN)
    assert {c.stream for c in frames.changes[0]} == {HEAD, ARMS}
    moved = np.ptp(frames.root_positions, axis=0)
    assert 1e-4 < moved.max() < 0.2


def test_no_sound_yet_and_no_sound_at_all() -> None:
    state = begun()
    state, frames = engine.step(state, np.zeros(0))
    assert (len(frames), state.frames, len(engine.finish(state))) == (0, 0, 0)
    assert_same(whole(state, SPOKEN[:8000]), whole(begun(), SPOKEN[:8000]))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_is_refused_and_leaves_the_state(bad: float) -> None:
    state, _ = fed(begun(), SPOKEN[:16_000])
    chunk = SPOKEN[16_000:24_000].copy()
    chunk[77] = bad
    with pytest.raises(InvalidValueError):
        engine.step(state, chunk)
    assert_same(
        engine.step(state, SPOKEN[16_000:24_000])[1],
        engine.step(fed(begun(), SPOKEN[:16_000])[0], SPOKEN[16_000:24_000])[1],
    )


@pytest.mark.parametrize(
    ("characters", "shape"),
    [(None, ()), (None, (1, 80)), (None, (2, 80)), (2, (80,)), (2, (3, 80)), (2, (1, 2, 80))],
)
def test_bad_shapes_are_refused(characters: int | None, shape: tuple[int, ...]) -> None:
    with pytest.raises(InvalidValueError):
        engine.step(begun(characters), np.zeros(shape))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"fps": 0.5}, "fps is 0.5"),
        ({"fps": np.nan}, "fps is nan"),
        ({"characters": 0}, "0 characters"),
        ({"characters": 1001}, "1001 characters"),
        ({"characters": 3, "seed": [1, 2]}, "2 seeds for 3 characters"),
        ({"rate_hz": 100.0}, "rate"),
    ],
)
def test_what_cannot_be_started(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(InvalidValueError, match=said):
        engine.start(small_model(), **{"rate_hz": RATE_HZ, **wrong})


def test_memory_does_not_grow() -> None:
    """Minutes here; the hour is in ``benchmarks/live_speed.py``."""
    sound, state = babble(30.0, 1), begun(fps=5.0)
    chunks = np.split(sound, 30)
    used = []
    tracemalloc.start()
    try:
        for _minute in range(MINUTES):
            for chunk in chunks * 2:
                state, _ = engine.step(state, chunk)
            gc.collect()
            used.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert state.samples == MINUTES * 60 * RATE_HZ
    assert max(used[2:]) - used[1] < 64_000, used
    assert max(map(len, state.listening.waiting)) < 10


def test_whatever_was_learned_somebody_who_listens_is_still() -> None:
    """The model has learned nothing of silence: its hands would go on for ever."""
    sound = np.concatenate([babble(4.0, 7), np.zeros(int(8 * RATE_HZ)), babble(3.0, 8)])
    hands = hands_of(whole(begun(delay_s=AHEAD_S), sound))
    speed = np.linalg.norm(np.diff(hands, axis=0), axis=-1).max(axis=1) * FPS
    seconds = [speed[int(a * FPS) : int(b * FPS)].mean() for a, b in ((0.5, 4.0), (7.0, 11.5))]
    assert seconds[0] > 0.15
    # Hands at rest drift by 1 to 5 cm/s, on a body whose weight shifts by 10 cm within a second.
    assert seconds[1] < 0.13
    again = speed[int(12.2 * FPS) :].mean()
    assert again > 2.0 * seconds[1]


def test_a_capture_that_flips_does_no_harm() -> None:
    """Marks that were taken for one another turn a joint by half a turn within a frame."""
    model = small_model()
    turns = model.turns.copy()
    joint = default_rig().joint("leftHand")
    flip = quaternion.from_axis_angle([0.0, 1.0, 0.0], 3.0)
    turns[::9, joint] = quaternion.multiply(flip, turns[::9, joint].astype(np.float64))
    wild = replace(model, turns=turns)
    state = engine.start(wild, RATE_HZ, fps=FPS, options=LiveOptions(delay_s=AHEAD_S))
    frames = whole(state, SPOKEN)
    assert np.isfinite(frames.rotations).all()
    hands = hands_of(frames)
    assert np.linalg.norm(np.diff(hands, axis=0), axis=-1).max() * FPS < 6.0
