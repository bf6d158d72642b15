"""Training on half an hour to ten hours of capture: ``python -m benchmarks.training [HOURS...]``.

The corpora are synthetic: figures that gesture on the accents of a voice made of hums. Prints
time and memory of ``kinesphere train``, process start included; exits with 1 if half an hour takes
more than 20 s, or if time per hour or memory grow with the corpus.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

import kinesphere as ks
from kinesphere.animation.arms.poses.home_pose import home_clip
from kinesphere.formats.wav import wav_bytes
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.maths.curves import minimum_jerk
from kinesphere.motion.retargeting.retargeting import move_rig_limbs

HOURS = (0.5, 1.0, 2.0, 5.0, 10.0)
MINUTES_EACH = 2.0
LONGEST_S = 20.0
LARGEST_MB = 1500.0
_PROGRAM = """
import re, resource, sys
from pathlib import Path
from kinesphere.cli.main import status
code = status(sys.argv[1:])
used = [resource.getrusage(k) for k in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
# The peak of getrusage is inherited from the parent process.
about = Path("/proc/self/status")
peak = re.search(r"VmHWM:\\s*(\\d+)", about.read_text()) if about.exists() else None
own = int(peak[1]) if peak else used[0].ru_maxrss
print(sum(u.ru_utime + u.ru_stime for u in used), own, used[1].ru_maxrss)
sys.exit(code)
"""
ARMS = ("UpperArm", "LowerArm", "Hand")
# Rotation vectors of a right arm, degrees, in the axes of the T-pose: a few gestures to mix.
_GESTURES = np.radians(
    [
        [[20, 30, 45], [10, 85, 30], [10, 5, 10]],
        [[0, 45, 55], [-20, 95, 10], [40, -5, 0]],
        [[30, 10, 35], [0, 75, 60], [-25, 10, 15]],
        [[-15, 60, 40], [30, 50, -10], [5, 25, -10]],
        [[10, 20, 65], [-35, 105, 0], [60, 0, 5]],
        [[45, 35, 20], [5, 60, 20], [0, -20, 30]],
    ]
)


@dataclass(frozen=True)
class Talk:
    """Syllables of a synthetic voice: times of their peaks, and their strengths (0 in a pause)."""

    peaks_s: Floats
    accents: Floats
    seconds: float


def talk(rng: np.random.Generator, seconds: float) -> Talk:
    """Phrases of 3 to 14 syllables, a fifth of them accented, with pauses between."""
    peaks, accents, now = [], [], 0.4
    while now < seconds - 0.4:
        for _ in range(int(rng.integers(3, 15))):
            now += float(rng.uniform(0.14, 0.30))
            peaks.append(now)
            accents.append(float(rng.uniform(0.7, 1.0) if rng.random() < 0.22 else 0.3))
        now += float(rng.choice([0.35, 0.6, 1.6], p=[0.6, 0.3, 0.1]))
    kept = np.array(peaks) < seconds - 0.3
    return Talk(np.array(peaks)[kept], np.array(accents)[kept], seconds)


def voice(
    said: Talk, rng: np.random.Generator, rate_hz: int = 16_000, pitch_hz: float = 120.0
) -> ks.Audio:
    """Hums with the syllables' loudness, higher on accents, and a little noise."""
    t = np.arange(int(said.seconds * rate_hz)) / rate_hz
    frames = np.arange(0.0, said.seconds, 0.005)
    loud, high = np.full(len(frames), 2e-3), np.zeros(len(frames))
    for peak, accent in zip(said.peaks_s, said.accents, strict=True):
        first, last = np.searchsorted(frames, (peak - 0.13, peak + 0.13))
        shape = np.exp(-0.5 * ((frames[first:last] - peak) / 0.042) ** 2)
        loud[first:last] = np.maximum(loud[first:last], (0.10 + 0.30 * accent) * shape)
        high[first:last] += 4.0 * (accent > 0.5) * shape
    pitch = pitch_hz * 2.0 ** (np.interp(t, frames, high) / 12.0)
    phase = 2.0 * np.pi * np.cumsum(pitch) / rate_hz
    hum = np.sin(phase) / (1.36 - 1.2 * np.cos(phase))  # harmonics, each 0.6 of the one below
    sound = np.interp(t, frames, loud) * hum + 1e-4 * rng.normal(size=len(t))
    return ks.Audio(np.clip(sound, -1.0, 1.0), rate_hz)


def movement(said: Talk, rng: np.random.Generator, fps: float = 30.0) -> ks.Clip:
    """The default figure gesturing: strokes end on accents, hands retract in long pauses."""
    rig = ks.default_rig()
    t = np.arange(int(said.seconds * fps)) / fps
    home = home_clip(2, fps)
    turns = np.broadcast_to(home.rotations[0], (len(t), len(rig.skeleton), 4)).copy()
    strong = said.peaks_s[said.accents > 0.5]
    gaps = np.diff(said.peaks_s, append=said.seconds) > 1.2
    keys = sorted([*((s, 1) for s in strong), *((s + 0.7, 0) for s in said.peaks_s[gaps])])
    for side in ("left", "right"):
        joints = rig.joints(f"{side}{part}" for part in ARMS)
        at_home = quaternion.log(home.rotations[0, joints])
        mirror = np.array([1.0, -1.0, -1.0]) if side == "left" else np.ones(3)
        places, times, at = [at_home], [0.0], at_home
        for moment, gesturing in keys:
            if moment - times[-1] < 0.15:
                continue
            if not gesturing:
                at = at_home
            elif rng.random() < 0.75:
                one, other = rng.integers(len(_GESTURES), size=2)
                mix = 0.8 * _GESTURES[one] + 0.2 * _GESTURES[other]
                at = mirror * (mix + np.radians(6.0) * rng.normal(size=(3, 3)))
            places.append(at)
            times.append(moment)
        turns[:, joints] = quaternion.exp(_through(np.array(places), np.array(times), t))
    hips, spine, chest, neck, head = rig.joints(("hips", "spine", "chest", "neck", "head"))
    wander = _wander(rng, len(t), fps, 15)
    turns[:, hips] = quaternion.multiply(turns[:, hips], quaternion.exp(0.03 * wander[:, 0:3]))
    turns[:, spine] = quaternion.multiply(turns[:, spine], quaternion.exp(0.03 * wander[:, 3:6]))
    turns[:, chest] = quaternion.multiply(turns[:, chest], quaternion.exp(0.04 * wander[:, 6:9]))
    nods = np.zeros((len(t), 3))
    for peak in strong[rng.random(len(strong)) < 0.6]:
        nods[:, 0] += rng.uniform(0.06, 0.2) * np.exp(-0.5 * ((t - peak) / 0.11) ** 2)
    for joint in (neck, head):
        turns[:, joint] = quaternion.exp(0.5 * nods + 0.08 * wander[:, 9:12])
    curl = rig.joints(
        f"{s}{f}Proximal" for s in ("left", "right") for f in ("Index", "Middle", "Ring", "Little")
    )
    turns[:, curl] = quaternion.multiply(turns[:, curl], quaternion.exp(0.1 * wander[:, None, 3:6]))
    root = home.root_positions[0] + 0.012 * wander[:, 12:15] * np.array([1.0, 0.2, 0.7])
    clip = ks.Clip(rig.skeleton, fps, root - [0.0, 0.02, 0.0], quaternion.normalise(turns))
    legs = []
    for side in ("left", "right"):
        thigh, knee, foot = rig.joints(f"{side}{p}" for p in ("UpperLeg", "LowerLeg", "Foot"))
        legs.append((thigh, knee, foot))
    stand = home.world_positions[0, [leg[2] for leg in legs]]
    ends = np.broadcast_to(stand, (len(t), 2, 3))
    return move_rig_limbs(clip, rig, legs, ends, np.tile([1.0, 0.0, 0.0], (2, 1)))


def _through(places: Floats, times: Floats, t: Floats) -> Floats:
    """Values that rest at positions, and move to each within 0.7 s before its time."""
    next_one = np.clip(np.searchsorted(times, t, side="left"), 1, len(times) - 1)
    before, after = times[next_one - 1], times[next_one]
    ratio = minimum_jerk(np.clip(1.0 - (after - t) / np.minimum(after - before, 0.7), 0.0, 1.0))
    ratio = ratio.reshape(-1, *[1] * (places.ndim - 1))
    return np.asarray(places[next_one - 1] + ratio * (places[next_one] - places[next_one - 1]))


def _wander(rng: np.random.Generator, frames: int, fps: float, count: int) -> Floats:
    """Smooth noise of deviation 1 with a period of some seconds."""
    knots = np.arange(0.0, frames / fps + 3.0, 1.4)
    noise = rng.normal(size=(len(knots), count))
    out = _through(noise, knots, np.arange(frames) / fps)
    return np.asarray(out)


def write_corpus(
    folder: Path,
    hours: float,
    *,
    minutes_each: float = MINUTES_EACH,
    fps: float = 30.0,
    rate_hz: int = 16_000,
    seed: int = 0,
) -> int:
    """Write pairs of BVH and WAV files, and return how many."""
    count = max(1, round(60.0 * hours / minutes_each))
    for i in range(count):
        rng = np.random.default_rng((seed, i))
        said = talk(rng, 60.0 * minutes_each)
        stem = folder / f"talk{i:03d}"
        ks.Take(movement(said, rng, fps)).save(stem.with_suffix(".bvh"))
        stem.with_suffix(".wav").write_bytes(wav_bytes(voice(said, rng, rate_hz)))
    return count


class Cost(NamedTuple):
    """Cost of a training: seconds of wall time and of processors, and the largest memory.

    Memory is in MB, of the program and of one of its processes.
    """

    clock_s: float
    processor_s: float
    program_mb: float
    process_mb: float


def measure(folder: Path, options: Sequence[str] = ()) -> Cost:
    """Train in a separate process."""
    arguments = ["train", str(folder), "-o", str(folder / "model.kin"), *options]
    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, *arguments], capture_output=True, text=True, check=False
    )
    clock_s = time.perf_counter() - begun
    if done.returncode:
        raise RuntimeError(done.stderr)
    processor_s, program, process = (float(word) for word in done.stdout.split()[-3:])
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return Cost(clock_s, processor_s, program / unit, process / unit)


def main(hours: Sequence[float] = HOURS) -> int:
    """Train on growing corpora and print the costs."""
    missed, first = [], None
    print(
        f"{'hours':>6} {'pairs':>6} {'s':>7} {'cpu s':>7} {'cpu s/h':>8} {'MB':>6} {'MB a process':>13}"
    )
    for size in hours:
        with tempfile.TemporaryDirectory() as folder:
            pairs = write_corpus(Path(folder), size)
            cost = measure(Path(folder))
        print(
            f"{size:6g} {pairs:6d} {cost.clock_s:7.1f} {cost.processor_s:7.1f} "
            f"{cost.processor_s / size:8.1f} {cost.program_mb:6.0f} {cost.process_mb:13.0f}",
            flush=True,
        )
        first = first or (size, cost.processor_s)
        if size <= 0.5 and cost.clock_s > LONGEST_S:
            missed.append(f"{size:g} hours in {LONGEST_S:g} s")
        if cost.processor_s > 1.3 * first[1] * size / first[0]:
            missed.append(f"{size:g} hours no slower for each hour than {first[0]:g}")
        if max(cost.program_mb, cost.process_mb) > LARGEST_MB:
            missed.append(f"{size:g} hours in {LARGEST_MB:g} MB")
    for name in missed:
        print(f"MISSED: {name}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main([float(word) for word in sys.argv[1:]] or HOURS))
