"""A session on a simulated clock: time stays right through drift, drops, lateness and loss."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

import numpy as np
import pytest

from kinesphere.errors import InvalidValueError
from kinesphere.realtime.session import begin, step
from kinesphere.realtime.state import (
    Arrival,
    Chunk,
    LiveSession,
    Lost,
    Mode,
    SessionSettings,
    Signal,
    Stepped,
)
from tests.pipeline.live_standin import StandInEngine

RATE = 16_000
DEVICE = SessionSettings(device=True)


class Room:
    """A session with everything it gave, on a clock that the test moves."""

    def __init__(
        self, settings: SessionSettings = DEVICE, engine: StandInEngine | None = None
    ) -> None:
        self.session: LiveSession = begin(engine or StandInEngine(), 0.0, settings)
        self.times: list[float] = []
        self.shown: list[tuple[float, float]] = []
        self.heard: list[np.ndarray] = []
        self.said: list[str] = []

    def step(self, now_s: float, arrival: Arrival = None) -> Stepped:
        self.session, stepped = step(self.session, now_s, arrival)
        for frames in stepped.made:
            self.times.extend(frames.times_s)
        for frames in stepped.shown:
            self.shown.extend((now_s, t) for t in frames.times_s)
        self.heard.extend(stepped.heard)
        self.said.extend(stepped.said)
        return stepped

    @property
    def sound(self) -> np.ndarray:
        return np.concatenate(self.heard, axis=-1)


def captured(
    seconds: float,
    *,
    ppm: float = 0.0,
    chunk_s: float = 0.02,
    latency_s: float = 0.03,
    jitter_s: float = 0.0,
    seed: int = 1,
) -> Iterator[tuple[float, Chunk]]:
    """Arrival time and chunk of a microphone whose clock runs fast by `ppm`; a ramp of sound."""
    rng = np.random.default_rng(seed)
    size = round(chunk_s * RATE)
    samples = np.full(size, 0.1)
    true_rate = RATE * (1.0 + 1e-6 * ppm)
    last = 0.0
    for k in range(int(seconds * true_rate) // size):
        at = k * size / true_rate + jitter_s * rng.uniform(-1, 1)
        last = max(last, (k + 1) * size / true_rate + latency_s + jitter_s * rng.uniform(0, 1))
        yield last, Chunk(samples, captured_s=at)


def test_every_frame_is_made_once_in_order_and_none_early() -> None:
    room = Room()
    for now, chunk in captured(3.0):
        room.step(now, chunk)
    room.step(3.1, Signal.END)
    assert np.allclose(room.times, np.arange(len(room.times)) / 60.0)
    assert len(room.times) == 181
    assert room.session.mode is Mode.ENDED
    assert room.session.counts.frames == len(room.times)
    assert all(now >= t for now, t in room.shown)


@pytest.mark.parametrize("ppm", [-300.0, 0.0, 300.0])
def test_an_hour_with_drift_keeps_frames_on_the_sound_and_finds_the_drift(ppm: float) -> None:
    room = Room(engine=StandInEngine(fps=2.0))
    for now, chunk in captured(3600.0, ppm=ppm, chunk_s=0.5, jitter_s=0.005):
        room.step(now, chunk)
        room.heard.clear()
    counts = room.session.counts
    assert room.session.clock.drift_ppm == pytest.approx(ppm, abs=5.0)
    assert (counts.gaps, counts.losses, counts.late_s, counts.silent_s) == (0, 0, 0.0, 0.0)
    # Frames are as many as the sound card's seconds, not as ours.
    assert room.session.sound_s == pytest.approx(3600.0 * (1.0 + 1e-6 * ppm), abs=0.51)
    assert len(room.times) == int(room.session.sound_s * 2.0 + 1e-9) + 1
    # They are shown as evenly at the end as at the start: the wait does not grow.
    delay = np.array([now - t / (1.0 + 1e-6 * ppm) for now, t in room.shown])
    assert delay.max() < 0.6
    assert abs(delay[-2000:].mean() - delay[500:2500].mean()) < 0.003
    assert counts.skipped < 5


def test_an_hour_needs_no_more_memory_than_a_minute() -> None:
    room = Room(engine=StandInEngine(fps=2.0, characters=3))
    used = []
    stream = captured(3600.0, ppm=120.0, chunk_s=0.5, jitter_s=0.004)
    for k, (now, chunk) in enumerate(stream):
        if k % 180 == 7:  # all that can go wrong, over and over
            continue
        room.step(now, Lost("unplugged") if k % 1000 == 800 else chunk)
        room.times.clear()
        room.shown.clear()
        room.heard.clear()
        if k == 1200:
            tracemalloc.start()
        if tracemalloc.is_tracing() and k % 600 == 599:
            used.append(tracemalloc.get_traced_memory()[0])
            if len(used) == 2:
                tracemalloc.reset_peak()
    tracemalloc.stop()
    assert room.session.counts.losses == 7
    assert len(used) >= 8
    assert max(used[2:]) - used[1] < 40_000


def test_dropped_sound_becomes_silence_of_its_length() -> None:
    room = Room()
    stream = list(captured(4.0, ppm=200.0, jitter_s=0.002))
    for k, (now, chunk) in enumerate(stream):
        if not 50 <= k < 75:  # half a second is missing
            room.step(now, chunk)
    counts = room.session.counts
    assert counts.gaps == 1
    assert counts.filled_s == pytest.approx(0.5, abs=0.01)
    assert room.session.sound_s == pytest.approx(4.0, abs=0.05)
    silent = np.flatnonzero(room.sound == 0.0)
    # Two chunks passed before the times were believed.
    assert silent[0] / RATE == pytest.approx(1.0 + 2 * 0.02, abs=0.01)
    assert np.all(np.diff(silent) == 1)


def test_a_drop_that_the_source_knows_of_is_filled_at_once_and_exactly() -> None:
    room = Room()
    for k, (now, chunk) in enumerate(captured(2.0)):
        if k == 50:
            continue
        known = Chunk(chunk.samples, chunk.captured_s, dropped=k == 51)
        room.step(now, known)
    silent = np.flatnonzero(room.sound == 0.0)
    assert len(silent) == pytest.approx(320, abs=2)
    assert silent[0] == 50 * 320
    assert room.session.sound_s == pytest.approx(2.0, abs=1e-3)


def test_late_chunks_are_caught_up_with_and_old_frames_are_not_shown() -> None:
    room = Room()
    held = []
    for now, chunk in captured(3.0):
        if 1.0 < now < 1.2:  # the machine was busy
            held.append(chunk)
            continue
        for late in held:
            room.step(now, late)
        held.clear()
        room.step(now, chunk)
    assert np.allclose(room.times, np.arange(len(room.times)) / 60.0)  # all for a file
    assert np.all(room.sound == 0.1)
    assert room.session.counts.skipped >= 0
    after = [(now, t) for now, t in room.shown if now > 1.3]
    assert max(now - t for now, t in after) < 0.1
    gaps = [now for now, _ in room.shown if 1.0 < now < 1.2]
    assert not gaps


def test_one_step_with_much_sound_shows_one_frame() -> None:
    room = Room()
    stepped = room.step(0.6, Chunk(np.zeros(8000), captured_s=0.0))
    assert len(room.times) == 31
    assert sum(map(len, stepped.shown)) <= 1


def test_sound_that_comes_after_its_time_was_filled_is_left_out() -> None:
    room = Room(SessionSettings())
    stream = list(captured(3.0))
    for now, chunk in stream[:50]:
        room.step(now, chunk)
    for k in range(60):  # 0.6 s of nothing
        room.step(1.03 + 0.01 * k)
    filled = room.session.sound_s
    assert filled == pytest.approx(1.0 + 0.6 - 0.25, abs=0.02)
    for _, chunk in stream[50:]:
        room.step(max(1.63, chunk.captured_s + 0.05), chunk)
    assert room.session.counts.late_s == pytest.approx(filled - 1.0, abs=0.001)
    assert room.session.sound_s == pytest.approx(3.0, abs=0.001)
    assert np.allclose(np.diff(room.times), 1.0 / 60.0)


def test_frames_go_on_in_silence_while_nothing_comes() -> None:
    room = Room(SessionSettings())
    for k in range(101):
        room.step(0.02 * k)
    assert room.session.mode is Mode.IDLE
    assert room.session.sound_s == pytest.approx(2.0 - 0.25, abs=0.02)
    assert not room.sound.any()
    shown = np.diff([t for _, t in room.shown])
    assert shown.max() < 2.5 / 60.0


def test_a_lost_device_is_tried_again_after_growing_waits_and_comes_back() -> None:
    room = Room()
    stream = list(captured(20.0))
    tries = []
    for now, chunk in stream:
        if now < 2.0 or now > 12.0:
            room.step(now, chunk)
        elif now < 2.02:
            room.step(now, Lost("unplugged"))
            assert room.session.mode is Mode.LOST
        elif room.session.wants_reopening(now):
            tries.append(now)
            room.step(now, Signal.BACK if now > 9.0 else Lost("unplugged"))
        else:
            room.step(now)
    waits = np.diff([2.0, *tries])
    assert waits == pytest.approx([0.5, 1.0, 2.0, 4.0], abs=0.1)
    assert room.session.mode is Mode.RUNNING
    assert room.said[0] == ("the audio is lost (unplugged); continuing in silence until it is back")
    assert room.said[1].startswith("the audio is back after 10.0 s")
    assert len(room.said) == 2
    assert room.session.sound_s == pytest.approx(20.0, abs=0.05)
    assert np.allclose(np.diff(room.times), 1.0 / 60.0)
    behind = [now - t for now, t in room.shown]
    assert max(behind) < 0.35


def test_a_device_that_falls_silent_without_a_word_is_lost() -> None:
    room = Room()
    for now, chunk in captured(1.0):
        room.step(now, chunk)
    for k in range(300):
        room.step(1.03 + 0.01 * k)
    assert room.session.mode is Mode.LOST
    assert room.said == [
        "the audio is lost (no audio for 2 s); continuing in silence until it is back"
    ]


def test_a_gap_longer_than_allowed_does_not_make_an_hour_of_silence() -> None:
    room = Room()
    stream = list(captured(2.0))
    for now, chunk in stream[:50]:
        room.step(now, chunk)
    slept = 3600.0
    for now, chunk in stream[50:]:
        room.step(now + slept, Chunk(chunk.samples, chunk.captured_s + slept))
    assert room.session.sound_s == pytest.approx(2.0 + 5.0, abs=0.1)
    assert room.session.counts.cut_s == pytest.approx(slept - 5.0, abs=0.1)


def test_it_ends_after_the_asked_time_to_the_sample() -> None:
    room = Room(SessionSettings(end_s=1.25))
    for now, chunk in captured(3.0):
        room.step(now, chunk)
        if room.session.mode is Mode.ENDED:
            break
    assert room.session.position == 20_000
    assert len(room.times) == 76
    with pytest.raises(InvalidValueError, match="has ended"):
        room.step(9.0)


# -- sound without times: files and pipes --


def test_a_file_goes_at_the_pace_of_the_clock() -> None:
    room = Room(SessionSettings())
    now, block = 0.0, 160
    for _ in range(500):
        now = max(now, room.session.due_s(block / RATE))
        room.step(now, Chunk(np.zeros(block)))
    assert now == pytest.approx(5.0, abs=1e-6)
    assert room.session.counts.silent_s == 0.0


@pytest.mark.parametrize("ppm", [-300.0, 300.0])
def test_a_pipe_from_a_drifting_clock_is_read_as_it_fills(ppm: float) -> None:
    room = Room(SessionSettings(), StandInEngine(fps=5.0))
    block_s, true_rate = 0.2, 1.0 + 1e-6 * ppm
    taken, now, most = 0, 0.0, 0.0
    while now < 900.0:
        written = now * true_rate - taken * block_s
        now += 0.005
        if now < room.session.due_s(block_s):
            now = room.session.due_s(block_s)
            continue
        if written >= block_s:
            taken += 1
            most = max(most, written - block_s)
            chunk = Chunk(np.zeros(round(block_s * RATE)), queued_s=written - block_s)
            room.step(now, chunk)
        else:
            room.step(now)
        room.heard.clear()
    assert most < 0.1  # the pipe does not fill
    assert room.session.counts.silent_s == 0.0
    assert room.session.sound_s == pytest.approx(900.0 * true_rate, abs=0.3)


def test_a_pipe_that_pauses_goes_on_where_it_is_now() -> None:
    room = Room(SessionSettings())
    tone = np.full(160, 0.1)
    now = 0.0
    for k in range(400):
        now = 0.01 * (k + 1)
        if 1.0 < now < 2.0:
            room.step(now)
        else:
            room.step(now, Chunk(tone, queued_s=0.0))
    assert room.session.sound_s == pytest.approx(4.0, abs=0.05)
    silent = np.flatnonzero(room.sound == 0.0)
    assert silent[0] / RATE == pytest.approx(1.0, abs=0.02)
    assert silent[-1] / RATE == pytest.approx(2.0, abs=0.03)


def test_fast_waits_for_nothing_and_shows_every_frame() -> None:
    room = Room(SessionSettings(fast=True))
    for _ in range(100):
        room.step(0.0, Chunk(np.zeros(1600)))
        room.step(9.0)
    room.step(9.0, Signal.END)
    assert room.session.sound_s == 10.0
    assert [t for _, t in room.shown] == room.times
    assert room.session.counts.skipped == 0


# -- many characters --


def test_one_voice_is_heard_by_all_and_each_can_have_its_own() -> None:
    engine = StandInEngine(characters=2)
    room = Room(SessionSettings(fast=True), engine)
    room.step(0.0, Chunk(np.full(1600, 0.5)))
    own = np.stack([np.full(1600, 0.25), np.zeros(1600)])
    stepped = room.step(0.1, Chunk(own))
    assert stepped.made[0].rotations.shape[0] == 2
    assert stepped.made[0].channels["aa"][:, -1].tolist() == [0.25, 0.0]
    with pytest.raises(InvalidValueError, match=r"\(3, 10\).*expected \(n\) or \(2, n\)"):
        room.step(0.2, Chunk(np.zeros((3, 10))))
    with pytest.raises(InvalidValueError, match=r"expected \(n\)$"):
        Room().step(0.0, Chunk(np.zeros((2, 10)), captured_s=0.0))


def test_a_step_leaves_the_session_before_it_as_it_was() -> None:
    before = begin(StandInEngine(), 0.0)
    chunk = Chunk(np.zeros(1600), captured_s=0.0)
    first, a = step(before, 0.1, chunk)
    again, b = step(before, 0.1, chunk)
    assert before.position == 0
    assert first.position == again.position == 1600
    assert np.array_equal(a.made[0].times_s, b.made[0].times_s)


# -- pacing --


def test_sound_in_long_pieces_is_shown_evenly() -> None:
    """Pieces of 50 ms hold three frames; between them the session is asked every 4 ms."""
    room = Room()
    arrivals = list(captured(4.0, chunk_s=0.05))
    for k in range(1000):
        now = 0.004 * (k + 1)
        while arrivals and arrivals[0][0] <= now:
            room.step(now, arrivals.pop(0)[1])
        room.step(now)
        assert len(room.session.pacing.waiting) <= 7
    apart = np.diff([now for now, _ in room.shown if now > 0.5])
    assert apart.max() < 1.5 / 60.0 + 0.004
    assert room.session.counts.skipped < 4
    delays = [now - t for now, t in room.shown]
    assert max(delays) < 0.03 + 2 * 0.05 + 0.01


def test_what_waits_to_be_shown_is_bounded_and_the_newest_stays() -> None:
    room = Room()
    for k in range(20):  # all at once, from the past
        room.step(0.001 * k, Chunk(np.zeros(1600), captured_s=0.1 * k))
        assert len(room.session.pacing.waiting) <= 7
    stepped = room.step(0.02, Signal.END)
    assert stepped.shown[0].times_s[-1] == room.times[-1]
