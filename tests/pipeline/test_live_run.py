"""The loop on a simulated clock, tension on top of an engine, and all of it put together."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from kinesphere.bodylanguage.play.live_expression import LiveExpression
from kinesphere.character.default import default_rig
from kinesphere.dynamics.tension import presets
from kinesphere.errors import InvalidValueError, KinesphereError, UnreadableError
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.pipeline.convert import load
from kinesphere.pipeline.live import Acting, Hearing, Showing, block_s, live
from kinesphere.pipeline.models import model as model_named
from kinesphere.pipeline.stages.direction import Direction
from kinesphere.realtime.engine import TensedEngine, VoiceEngine
from kinesphere.realtime.run import Latencies, LiveReport, Outputs, run
from kinesphere.realtime.sinks.file_sink import FileSink
from kinesphere.realtime.sinks.sinks import PoseFrames, PoseSlice
from kinesphere.realtime.state import Arrival, Chunk, Counts, Lost, SessionSettings, Signal
from tests.pipeline.live_standin import StandInEngine


class Clock:
    """Time that goes on when somebody sleeps, and a little with every look."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        self.now_s += 1e-5
        return self.now_s

    def sleep(self, seconds: float) -> None:
        self.now_s += max(seconds, 0.0)


class FakeSource:
    """A script of arrivals; what can be read before its time if `paced`."""

    name = "fake"
    voices: int | None = None
    block_s = 0.01

    def __init__(self, clock: Clock, script: Iterator[Arrival], *, device: bool) -> None:
        self.clock, self.script = clock, script
        self.paced, self.device = not device, device
        self.opened = self.closed = 0
        self.next_s = clock.now_s

    def read(self, wait_s: float) -> Arrival:
        arrival = next(self.script, Signal.END)
        if isinstance(arrival, Chunk) and self.device:
            self.next_s = max(self.next_s + self.block_s, self.clock.now_s - 0.005)
            self.clock.sleep(self.next_s - self.clock.now_s)
            return Chunk(arrival.samples, self.next_s - 0.03, arrived_s=self.clock.now_s - 0.002)
        if arrival is None:
            self.clock.sleep(wait_s)
        return arrival

    def reopen(self) -> Arrival:
        self.opened += 1
        return Signal.BACK if self.opened > 2 else Lost("still gone")

    def close(self) -> None:
        self.closed += 1


class Shown:
    """A sink that keeps all it is given, and when."""

    def __init__(self, clock: Callable[[], float], fails: bool = False) -> None:
        self.clock, self.fails = clock, fails
        self.seen: list[tuple[float, float]] = []
        self.closed = 0

    def send(self, frames: PoseFrames) -> None:
        self.seen.extend((self.clock(), float(t)) for t in frames.times_s)

    def close(self) -> None:
        self.closed += 1
        if self.fails:
            raise KinesphereError("this one cannot be closed")


def chunks(count: int) -> Iterator[Arrival]:
    return (Chunk(np.full(160, 0.1), arrived_s=None) for _ in range(count))


def started(clock: Clock, source: FakeSource, outputs: Outputs, **options: Any) -> LiveReport:
    settings = SessionSettings(device=source.device, **options)
    return run(StandInEngine(), source, outputs, settings, clock=clock, sleep=clock.sleep)


def test_a_recording_is_shown_at_its_own_pace() -> None:
    clock = Clock()
    shown = Shown(clock)
    source = FakeSource(clock, chunks(200), device=False)
    report = started(clock, source, Outputs([shown]))
    assert clock.now_s == pytest.approx(102.0, abs=0.02)
    assert [t for _, t in shown.seen] == pytest.approx(np.arange(121) / 60.0)
    late = [now - 100.0 - t for now, t in shown.seen]
    assert 0.0 < min(late) < max(late) < 0.012
    assert (source.closed, shown.closed) == (1, 1)
    assert report.counts.skipped == 0
    assert report.sound_s == 2.0
    assert math.isnan(report.drift_ppm)


def test_fast_takes_no_time() -> None:
    clock = Clock()
    shown = Shown(clock)
    source = FakeSource(clock, chunks(200), device=False)
    report = started(clock, source, Outputs([shown]), fast=True)
    assert clock.now_s < 100.1
    assert len(shown.seen) == 121
    assert report.counts.chunks == 8  # a quarter of a second each


def test_a_machine_that_is_too_slow_for_short_chunks_gets_longer_ones() -> None:
    """Each step takes 40 ms, four times as long as a chunk: time is kept, the sound is whole."""
    clock = Clock()

    @dataclass(frozen=True)
    class Slow(StandInEngine):
        def step(self, state: Any, chunk: Floats) -> tuple[Any, PoseSlice]:
            clock.sleep(0.04)
            return super().step(state, chunk)

    shown = Shown(clock)
    source = FakeSource(clock, chunks(500), device=False)
    report = run(Slow(), source, Outputs([shown]), clock=clock, sleep=clock.sleep)
    assert clock.now_s == pytest.approx(105.0, abs=0.2)
    assert report.sound_s == 5.0
    assert report.counts.frames == 301
    assert report.counts.cut_s == report.counts.silent_s == 0.0
    assert max(now - 100.0 - t for now, t in shown.seen) < 0.25


def test_a_device_that_is_lost_is_opened_again_while_frames_go_on() -> None:
    def script() -> Iterator[Arrival]:
        yield from chunks(100)
        yield Lost("unplugged")
        while source.opened < 3:
            yield None
        yield from chunks(2500)

    clock = Clock()
    shown, said = Shown(clock), list[str]()
    source = FakeSource(clock, script(), device=True)
    report = started(clock, source, Outputs([shown], said=[said.append]))
    assert said[0].startswith("the audio is lost (unplugged)")
    assert said[1].startswith("the audio is back after 3.5")
    assert source.opened == 3
    assert report.counts.losses == 1
    assert report.sound_s == pytest.approx(1.0 + 3.5 + 25.0, abs=0.1)
    assert report.median_s == pytest.approx(0.002, rel=0.05)
    assert abs(report.drift_ppm) < 30.0
    apart = np.diff([now for now, _ in shown.seen])
    assert apart.max() < 0.06


def test_stopping_writes_the_files(tmp_path: Path) -> None:
    clock = Clock()
    source = FakeSource(clock, chunks(10_000), device=False)
    file = FileSink([tmp_path / "a.kin"], 60.0, 16_000.0)
    report = run(
        StandInEngine(),
        source,
        Outputs(kept=[file]),
        stop=lambda: clock.now_s > 101.0,
        clock=clock,
        sleep=clock.sleep,
    )
    take = load(tmp_path / "a.kin")
    assert len(take.clip) == report.counts.frames == 61
    assert take.audio is not None
    assert len(take.audio.samples) / 16_000 == pytest.approx(report.sound_s)


def test_an_error_on_the_way_still_closes_everything(tmp_path: Path) -> None:
    def script() -> Iterator[Arrival]:
        yield from chunks(100)
        raise UnreadableError("talk.wav", "is damaged")

    clock = Clock()
    source = FakeSource(clock, script(), device=False)
    shown = Shown(clock)
    file = FileSink([tmp_path / "a.kin"], 60.0, 16_000.0)
    with pytest.raises(UnreadableError, match="is damaged"):
        started(clock, source, Outputs([shown], [file]))
    assert (source.closed, shown.closed) == (1, 1)
    assert len(load(tmp_path / "a.kin").clip) == 61


def test_one_output_that_fails_does_not_keep_the_others_open() -> None:
    clock = Clock()
    failing, fine = Shown(clock, fails=True), Shown(clock)
    source = FakeSource(clock, chunks(10), device=False)
    with pytest.raises(KinesphereError, match="cannot be closed"):
        started(clock, source, Outputs([failing, fine]))
    assert fine.closed == 1


def test_latencies_are_quantiles_without_a_list() -> None:
    latencies = Latencies()
    assert math.isnan(latencies.quantile(0.5))
    values = np.random.default_rng(2).lognormal(-6.0, 0.8, 5000)
    for value in values:
        latencies.add(value)
    for share in (0.5, 0.99):
        assert latencies.quantile(share) == pytest.approx(np.quantile(values, share), rel=0.05)
    latencies.add(0.0)
    latencies.add(1e9)
    assert len(latencies) == 5002


def test_the_report_tells_what_happened() -> None:
    quiet = LiveReport(Counts(frames=60), 1.0, math.nan, 0.002, 0.0049)
    assert quiet.lines() == [
        "1.0 s of audio, 60 frames; chunk to frame 2.0 ms (median), 4.9 ms (99th percentile)",
        "nothing was dropped",
    ]
    counts = Counts(
        frames=60, skipped=3, gaps=2, filled_s=0.5, late_s=0.1, cut_s=9.0, silent_s=2.0, losses=1
    )
    (first, second) = LiveReport(counts, 1.0, -120.4, math.nan, math.nan).lines()
    assert first == "1.0 s of audio, 60 frames"
    for part in ("2 gaps, filled with 0.50 s", "0.10 s", "9.0 s", "lost 1 times", "-120 ppm"):
        assert part in second


# -- engines --


@dataclass(frozen=True)
class Waving(StandInEngine):
    """A stand-in whose upper arms swing."""

    def frames(self, first: int, until: int, level: Floats) -> PoseSlice:
        plain = super().frames(first, until, level)
        turns = np.array(plain.rotations)
        angle = 0.8 * np.sin(2.0 * np.pi * 1.5 * plain.times_s) - 1.0
        for side, sign in (("left", 1.0), ("right", -1.0)):
            joint = default_rig().joint(f"{side}UpperArm")
            turns[..., joint, :] = quaternion.from_axis_angle([0.0, 0.0, sign], angle)
        return PoseSlice(plain.times_s, plain.root_positions, turns, plain.channels)


def performed(engine: Any, cuts: list[int]) -> Floats:
    """Rotations of 1 s of silence in chunks that end at `cuts`."""
    rows = () if engine.characters is None else (engine.characters,)
    state, parts = engine.start(), []
    for size in np.diff([0, *cuts, 16_000]):
        state, frames = engine.step(state, np.zeros((*rows, size)))
        parts.append(frames.rotations)
    parts.append(engine.finish(state).rotations)
    return np.concatenate(parts, axis=-3)


@pytest.mark.parametrize("characters", [None, 2])
def test_tension_does_not_depend_on_how_the_sound_was_cut(characters: int | None) -> None:
    engine = TensedEngine(Waving(characters=characters), presets.PRESETS["loose"])
    whole = performed(engine, [])
    pieces = performed(engine, [1, 3, 500, 5000, 5001, 12_000])
    assert np.allclose(pieces, whole, atol=1e-12)
    if characters:
        assert np.array_equal(whole[0], whole[1])


def test_tension_moves_the_arms_alone_and_a_stiff_one_hardly() -> None:
    plain = performed(Waving(), [])
    moved = {}
    for name in ("loose", "tense"):
        tensed = performed(TensedEngine(Waving(), presets.PRESETS[name]), [])
        apart = np.linalg.norm(quaternion.log(quaternion.relative(plain, tensed)), axis=-1)
        names = default_rig().skeleton.names
        changed = {names[j] for j in np.flatnonzero(apart.max(axis=0) > 1e-6)}
        assert changed <= {
            f"{s}{b}" for s in ("left", "right") for b in ("UpperArm", "LowerArm", "Hand")
        }
        moved[name] = apart.max()
    assert moved["loose"] > 2.0 * moved["tense"] > 0.0


def test_the_engine_is_the_one_of_body_language() -> None:
    from kinesphere.bodylanguage.play import engine

    model = model_named("house")
    voiced = VoiceEngine(model, 30.0, seed=5)
    sound = 0.1 * np.sin(np.arange(8000) / 16_000 * 2 * np.pi * 180.0)
    state = engine.start(model, 16_000.0, fps=30.0, seed=5)
    state, expected = engine.step(state, sound)
    ours, frames = voiced.step(voiced.start(), sound)
    assert np.array_equal(frames.rotations, expected.rotations)
    assert len(voiced.finish(ours)) == len(engine.finish(state))


def test_expression_adds_words_to_numbers() -> None:
    neutral = Direction().live()
    assert neutral == LiveExpression()
    own = Direction("weight=0.5", "vertical=0.25,reach=0.5").live()
    assert own.effort.weight == 0.5
    assert (own.shape.vertical, own.shape.reach) == (0.25, 0.5)
    assert (own.torso.vertical, own.torso.reach) == (0.25, 0.0)
    meant = Direction(manner="proudly").live()
    both = Direction("weight=0.5", "vertical=0.25,reach=0.5", "proudly").live()
    assert both.shape.vertical == pytest.approx(min(1.0, 0.25 + meant.shape.vertical))
    assert both.effort.weight == pytest.approx(min(1.0, 0.5 + meant.effort.weight))
    with pytest.raises(InvalidValueError):
        Direction("speed=1")


# -- all together --


def test_recordings_become_files_whoever_listens(tmp_path: Path) -> None:
    for name in ("a.wav", "b.wav"):
        soundfile.write(tmp_path / name, np.full(8000, 0.25), 16_000)
    said: list[str] = []
    showing = Showing((str(tmp_path / "out.kin"),), said=said.append)
    report = live(
        [tmp_path / "a.wav", tmp_path / "b.wav"],
        showing,
        fast=True,
        engine=StandInEngine(characters=2),
    )
    assert report.counts.frames == 31
    for k in (1, 2):
        take = load(tmp_path / f"out-{k}.kin")
        assert len(take.clip) == 31
        assert take.provenance["made_by"] == "live"
        assert take.provenance["source"] == ["a.wav", "b.wav"]
    assert said == []


@pytest.mark.parametrize(("fps", "most"), [(60.0, 1), (30.0, 1), (1000.0, 1), (24.0, 1)])
def test_no_chunk_holds_two_frames(fps: float, most: int) -> None:
    engine = StandInEngine(fps=fps)
    size = round(block_s(engine) * 16_000)
    state, counts = engine.start(), []
    for _ in range(400):
        state, frames = engine.step(state, np.zeros(size))
        counts.append(len(frames))
    assert max(counts[1:]) == most
    assert size <= 320


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (lambda: Hearing(("mic", "a.wav")), "allowed is mic, - or recordings"),
        (lambda: Hearing(()), "allowed is mic, - or recordings"),
        (lambda: Showing(()), "no output"),
        (lambda: Showing(("a.xyz",)), "cannot write"),
        (lambda: live("a.wav", "b.kin", seconds=-1.0), "-1 seconds"),
        (
            lambda: live(["a.wav", "b.wav"], "c.kin", Acting(characters=3)),
            "2 recordings for 3 characters",
        ),
        (
            lambda: live("a.wav", "c.kin", Acting(Direction(tension="wet"))),
            "tension 'wet' is unknown",
        ),
    ],
)
def test_what_cannot_be_is_told(
    wrong: Callable[[], Any], reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(KinesphereError, match=reason):
        wrong()


def test_a_chunk_of_the_wrong_shape_is_told() -> None:
    clock = Clock()
    source = FakeSource(clock, iter([Chunk(np.zeros((2, 160)))]), device=False)
    with pytest.raises(InvalidValueError, match="expected"):
        started(clock, source, Outputs())
    assert source.closed == 1
