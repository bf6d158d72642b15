"""Live characters on one core, against real time: ``python -m benchmarks.live_speed [MINUTES]``.

Chunk to frame, without and with tension, a hundred characters with a voice each, an hour (or
MINUTES) of live output without growth of memory, and the conversion of a recording to motion.
Restarts itself with one core and one thread. Exits with 1 if a target is missed.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kinesphere.bodylanguage.choose.acting_times import ON_TIME_S
from kinesphere.bodylanguage.model import BodyLanguageModel
from kinesphere.bodylanguage.play import engine
from kinesphere.bodylanguage.play.live_options import LiveOptions
from kinesphere.dynamics.tension.presets import PRESETS
from kinesphere.maths.arrays import Floats
from kinesphere.pipeline.listen import listen
from kinesphere.pipeline.models import model as model_named
from kinesphere.pipeline.stages.voice_motion import move_by_voice
from kinesphere.realtime.engine import TensedEngine, VoiceEngine
from kinesphere.realtime.state import Engine
from kinesphere.speech.value import Speech

RATE_HZ, FPS = 16_000, 60.0
CHUNK_S, COARSE_S = 0.01, 0.5
CHARACTERS, VOICES_S = 100, 20.0
LATENCY_S, LATE_S = 2e-3, 5e-3
# A quarter of a frame's time at 60 fps, and half of it.
TENSED_S, TENSED_LATE_S = 4e-3, 8e-3
SETTLED_S, GROWN_MB = 600.0, 4.0
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


@dataclass(frozen=True)
class Row:
    """One line of the table; `target` is the least ratio required, if any."""

    what: str
    against: str
    ratio: float
    target: float | None = None
    note: str = ""

    @property
    def missed(self) -> bool:
        """Whether the ratio is below the target."""
        return self.target is not None and not self.ratio >= self.target


def on_one_core() -> None:
    """Restart on one core with one thread, unless it was started like that."""
    if all(os.environ.get(name) == "1" for name in _THREADS):
        return
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    alone = {**os.environ, **dict.fromkeys(_THREADS, "1")}
    os.execve(sys.executable, [sys.executable, *sys.argv], alone)


def voice(seconds: float, seed: int) -> Floats:
    """Synthetic hum in phrases of a few syllables of varying length, loudness and pitch."""
    rng = np.random.default_rng(seed)
    t = np.arange(int(seconds * RATE_HZ)) / RATE_HZ
    frames = np.arange(0.0, seconds + 0.01, 0.005)
    loud, pitch = np.full(len(frames), 1e-4), np.full(len(frames), 110.0 + 10.0 * (seed % 9))
    at_s = float(rng.uniform(0.1, 1.0))
    while at_s < seconds - 0.5:
        length = float(rng.uniform(0.12, 0.32))
        here = slice(int(at_s / 0.005), int((at_s + length) / 0.005))
        share = np.linspace(0.0, 1.0, len(frames[here]))
        loud[here] = rng.uniform(0.08, 0.5) * np.sin(np.pi * share) ** 0.7
        pitch[here] *= 2.0 ** (rng.uniform(-4.0, 4.0) * share / 12.0)
        at_s += length + float(rng.uniform(0.6, 2.0) if rng.random() < 0.12 else 0.04)
    phase = 2.0 * np.pi * np.cumsum(np.interp(t, frames, pitch)) / RATE_HZ
    hum = np.sin(phase) / (1.36 - 1.2 * np.cos(phase))  # harmonics, each 0.6 of the one below
    sound = np.interp(t, frames, loud) * hum + 1e-4 * rng.normal(size=len(t))
    return np.asarray(np.clip(sound, -1.0, 1.0))


def latency_rows(engine: Engine, how: str, wanted: Mapping[float, float]) -> list[Row]:
    """From a chunk of 10 ms to the frame that it completes, as in `kinesphere live`.

    In processor time, because on a busy machine the slowest are those that had to wait.
    `wanted` has the longest time for each percentile.
    """
    sound, size = voice(60.0, 0), int(CHUNK_S * RATE_HZ)
    state, taken, clock = engine.start(), [], []
    for first in range(0, len(sound), size):
        begun, begun_clock = time.thread_time(), time.perf_counter()
        state, frames = engine.step(state, sound[first : first + size])
        if len(frames) and first > RATE_HZ:
            taken.append(time.thread_time() - begun)
            clock.append(time.perf_counter() - begun_clock)
    rows = []
    for q, most in wanted.items():
        name = "median" if q == 50.0 else f"p{q:g}"
        cost, wall = (float(np.percentile(times, q)) for times in (taken, clock))
        note = f"{cost * 1e3:.2f} ms of the processor, {wall * 1e3:.2f} ms on the clock"
        rows.append(
            Row(f"10 ms chunk to {how}frame, {name}", f"{most * 1e3:g} ms", most / cost, 1.0, note)
        )
    return rows


def crowd_row(model: BodyLanguageModel) -> Row:
    """A hundred characters with a voice each, in chunks of 10 ms."""
    sounds = np.stack([voice(VOICES_S, seed) for seed in range(CHARACTERS)])
    state = engine.start(model, RATE_HZ, fps=FPS, characters=CHARACTERS)
    size = int(CHUNK_S * RATE_HZ)
    begun, clock, frames = time.thread_time(), time.perf_counter(), 0
    for first in range(0, sounds.shape[1], size):
        state, given = engine.step(state, sounds[:, first : first + size])
        frames += len(given)
    taken, clock = time.thread_time() - begun, time.perf_counter() - clock
    note = (
        f"{1e6 * taken / frames / CHARACTERS:.0f} us a frame; {VOICES_S / clock:.2f} on the clock"
    )
    what = f"{CHARACTERS} characters, {FPS:g} fps, 10 ms chunks"
    return Row(what, "real time", VOICES_S / taken, 1.0, note)


def memory_rows(model: BodyLanguageModel, minutes: float) -> list[Row]:
    """Live on a simulated clock: memory after ten minutes and at the end."""
    sound, size = voice(SETTLED_S / 2.0, 5), int(COARSE_S * RATE_HZ)
    state, at = engine.start(model, RATE_HZ, fps=FPS), 0
    settled, begun, frames = resident_mb(), time.thread_time(), 0
    while at < 60.0 * minutes * RATE_HZ:
        first = at % len(sound)
        state, given = engine.step(state, sound[first : first + size])
        frames += len(given)
        at += len(sound[first : first + size])
        if at <= min(SETTLED_S, 30.0 * minutes) * RATE_HZ:
            settled = resident_mb()
    taken, seconds = time.thread_time() - begun, at / RATE_HZ
    grown = max(resident_mb() - settled, 1e-3)
    assert abs(frames - seconds * FPS) < FPS, "frames are missing"
    note = f"{settled:.0f} MB, later {grown:.1f} MB more; {frames} frames"
    return [
        Row(
            f"{minutes:g} minutes live, memory",
            f"{GROWN_MB:g} MB more",
            min(GROWN_MB / grown, 999.0),
            1.0,
            note,
        ),
        Row(f"{minutes:g} minutes live, 0.5 s chunks", "real time", seconds / taken),
    ]


def resident_mb() -> float:
    """Current memory of this process; its peak where the current one is unknown."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    return pages * resource.getpagesize() / (1 << 20)


def offline_rows(model: BodyLanguageModel) -> list[Row]:
    """A recorded voice to motion: the engine alone, and everything in `listen`."""
    speech = Speech(voice(120.0, 3), RATE_HZ)
    options, engine, whole = LiveOptions(delay_s=ON_TIME_S), [], []
    for _ in range(2):
        begun = time.thread_time()
        move_by_voice(model, speech, options, fps=FPS, seed=0)
        engine.append(time.thread_time() - begun)
        begun = time.thread_time()
        listen(speech, model, fps=FPS)
        whole.append(time.thread_time() - begun)
    length, best = speech.duration_s, min(engine)
    note = f"{length:.0f} s in {best:.2f} s"
    return [
        Row("voice to motion", "a 100th of its length", length / 100.0 / best, 1.0, note),
        Row("voice to a take, face and tiers", "real time", length / min(whole)),
    ]


def main(minutes: float = 60.0) -> int:
    """Print the table; 1 if a target is missed."""
    model = model_named("house")
    engine.step(engine.start(model, RATE_HZ, fps=FPS), voice(3.0, 1))  # compile and load everything
    # Memory first: memory that a hundred characters have freed would hide the need of an hour.
    rows = memory_rows(model, minutes)
    voiced = VoiceEngine(model, FPS)
    rows += latency_rows(voiced, "", {50.0: LATENCY_S, 99.0: LATE_S})
    tensed = TensedEngine(voiced, PRESETS["tense"])
    rows += latency_rows(tensed, "tensed ", {50.0: TENSED_S, 99.0: TENSED_LATE_S})
    rows += [crowd_row(model), *offline_rows(model)]
    print(f"{'what':<40} {'against':<24} {'ratio':>9} {'target':>8}  note")
    for row in rows:
        target = "" if row.target is None else f">= {row.target:g}"
        print(
            f"{row.what:<40} {row.against:<24} {row.ratio:>8.2f}x {target:>8}  {row.note}"
            f"{'  MISSED' if row.missed else ''}"
        )
    return int(any(row.missed for row in rows))


if __name__ == "__main__":
    on_one_core()
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 60.0))
