"""Speed as ratios, each measured in one run on this machine: ``make bench``.

Every row names what is measured, the baseline, the ratio and the target. Times are the best of
several runs, warm. Rows that need a program we do not install (Blender) come from a stored table
with the command that made it.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path

import numpy as np
from benchmarks.live_speed import Row
from benchmarks.studies.effort_study import random_keys

import kinesphere as ks
from kinesphere.animation.arms.poses.home_pose import home_clip
from kinesphere.animation.face import live_mouth
from kinesphere.animation.face import mouth as mouths
from kinesphere.corpus.profiles.profile_estimator import ProfileEstimator
from kinesphere.dynamics.tension.mass_tracker import track
from kinesphere.dynamics.tension.presets import PRESETS
from kinesphere.dynamics.tension.tensed import tense_clip
from kinesphere.expression.recordings.recorded import express_clip
from kinesphere.figure.head import eyes
from kinesphere.figure.head.gaze_cues import KNOWN_S, heard_cues
from kinesphere.formats.bvh.bvh_document import document_bytes, parse_document
from kinesphere.formats.bvh.bvh_reading import take_of
from kinesphere.formats.bvh.bvh_writing import document_of, write_bvh
from kinesphere.formats.gltf.gltf_writing import glb_bytes
from kinesphere.generation.generate import generate
from kinesphere.generation.graph import graph_of
from kinesphere.generation.settings import GenerationSettings
from kinesphere.generation.timing import estimated_times
from kinesphere.gesture.detection import detect_phases
from kinesphere.gesture.phases import ArmPhases
from kinesphere.language.tagging import tag_text
from kinesphere.maths import quaternion as quat
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import SIDES, Side
from kinesphere.motion.body.limbs import limb_of, solve
from kinesphere.motion.kinematics import forward_kinematics, forward_kinematics_plain
from kinesphere.motion.resampling import resample
from kinesphere.motion.retargeting.retargeting import retarget
from kinesphere.pipeline.speakers import shipped_annotation, speaker
from kinesphere.pipeline.stages.direction import Direction
from kinesphere.speech.alignment.alignment import align
from kinesphere.speech.alignment.transcripts import read_transcript, words_of
from kinesphere.speech.audio import read_audio
from kinesphere.speech.prosody import prosody as listening
from kinesphere.speech.prosody.prosody import ProsodyState, prosody

STORED = Path(__file__).parent / "blender.json"
JOINTS = 75
FILE_BYTES = 16_000_000


def best(work: Callable[[], object], runs: int = 5) -> float:
    """Shortest time of several runs, seconds."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def big_clip() -> ks.Clip:
    """A body of 75 joints in motion, long enough for a BVH file of 16 MB."""
    rng = np.random.default_rng(1)
    body = ks.default_skeleton()
    extra = JOINTS - len(body)
    names = (*body.names, *(f"extra{i}" for i in range(extra)))
    parents = [*body.parents.tolist(), *rng.integers(0, len(body), extra).tolist()]
    offsets = np.concatenate([body.offsets, 0.05 * rng.normal(size=(extra, 3))])
    skeleton = ks.Skeleton(names, np.array(parents), offsets)
    frames = 7000
    t = np.arange(frames)[:, None, None] / 60.0
    phase, size = rng.uniform(0, 6, (1, JOINTS, 3)), 0.5 * rng.normal(size=(1, JOINTS, 3))
    turns = quat.exp(size * np.sin(1.7 * t + phase))
    path = skeleton.offsets[0] + 0.2 * np.sin(t[:, 0] + phase[0, 0])
    return ks.Clip(skeleton, 60.0, path, turns)


def bvh_rows(clip: ks.Clip) -> list[Row]:
    """Read and write BVH."""
    document = document_of(ks.Take(clip))
    data = document_bytes(document)
    data_size = len(data)
    numbers = data[data.index(b"Frame Time") :].split(b"\n", 1)[1].decode()
    read = best(lambda: parse_document(data))
    motion = best(lambda: take_of(parse_document(data)), 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fromstring = best(lambda: np.fromstring(numbers, sep=" "), 3)
    with tempfile.TemporaryDirectory() as folder:
        write = best(lambda: write_bvh(ks.Take(clip), Path(folder) / "big.bvh"), 3)

    def savetxt() -> None:
        np.savetxt(io.StringIO(), document.values, fmt="%.6f")

    rows = [
        Row(
            "BVH read",
            "numpy.fromstring of its numbers",
            fromstring / read,
            5.0,
            f"{data_size / 1e6:.1f} MB at {data_size / 1e6 / read:.0f} MB/s",
        ),
        Row(
            "BVH read to motion",
            "numpy.fromstring of its numbers",
            fromstring / motion,
            5.0,
            f"{data_size / 1e6 / motion:.0f} MB/s",
        ),
        Row(
            "BVH write",
            "numpy.savetxt of its numbers",
            best(savetxt, 1) / write,
            None,
            f"{data_size / 1e6 / write:.0f} MB/s",
        ),
    ]
    return rows + peer_rows(data, read)


def peer_rows(data: bytes, ours: float) -> list[Row]:
    """Other BVH readers, on the same file."""
    import bvh
    import bvhio

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "big.bvh"
        path.write_bytes(data)

        def read_bvhio() -> object:
            with redirect_stdout(io.StringIO()):
                return bvhio.readAsBvh(str(path))

        rows = [Row("BVH read", "bvhio", best(read_bvhio, 1) / ours, 20.0)]
        rows.append(Row("BVH read", "bvh", best(lambda: bvh.Bvh(data.decode()), 1) / ours))
    if STORED.exists():
        stored = json.loads(STORED.read_text())
        text, imported = stored["fromstring_seconds"], stored["import_seconds"]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            start = data.index(b"Frame Time")
            numbers = data[start:].split(b"\n", 1)[1].decode()
            here = best(lambda: np.fromstring(numbers, sep=" "), 2)
        rows.append(
            Row(
                "BVH read",
                "Blender's importer (stored)",
                imported / text * here / ours,
                None,
                stored["command"],
            )
        )
    return rows


def motion_rows(clip: ks.Clip) -> list[Row]:
    """Forward kinematics, IK, resampling, retargeting, GLB."""
    count = len(clip) * len(clip.skeleton)
    roots = clip.root_positions
    fast = best(lambda: forward_kinematics(clip.skeleton, clip.rotations, roots))
    plain = best(lambda: forward_kinematics_plain(clip.skeleton, clip.rotations, roots), 2)
    rate = count / fast
    rows = [
        Row(
            "FK of 75 joints",
            "1 million joint-frames a second",
            rate / 1e6,
            1.0,
            f"{rate / 1e6:.0f} million a second",
        ),
        Row("FK of 75 joints", "the same in numpy", plain / fast),
    ]
    skeleton = ks.default_skeleton()
    arm = [skeleton.index(f"left{part}") for part in ("UpperArm", "LowerArm", "Hand")]
    limb = limb_of(skeleton, (arm[0], arm[1], arm[2]), [0, 0, 1], [0, 0, 1], [0, -1, 0], 1)
    targets = np.random.default_rng(2).normal(scale=0.3, size=(10_000, 3))
    seconds = best(lambda: solve(limb, np.zeros(3), targets, 0.3))
    rows.append(
        Row(
            "arm IK",
            "100,000 solutions a second",
            10_000 / seconds / 1e5,
            None,
            f"{seconds * 100:.2f} us each",
        )
    )
    seconds = best(lambda: resample(clip, 120.0), 3)
    rows.append(Row("resample 60 to 120 fps", "real time", 2 * clip.duration_s / seconds / 2))
    body = ks.default_rig()
    short = ks.Clip(
        skeleton,
        60.0,
        clip.root_positions,
        np.ascontiguousarray(clip.rotations[:, : len(skeleton)]),
    )
    target = ks.Rig(skeleton.scale(0.8), body.bones)
    short.world_positions  # noqa: B018  computed once, outside the measurement
    seconds = best(lambda: retarget(short, body, target), 2)
    rows.append(Row("retarget 55 joints", "real time", short.duration_s / seconds))
    seconds = best(lambda: glb_bytes(ks.Take(clip)), 3)
    rows.append(Row("GLB write", "real time", clip.duration_s / seconds))
    return rows


def look_rows() -> list[Row]:
    """Video and pages."""
    from kinesphere.export.render.raster import render_clip
    from kinesphere.formats.gltf.stored_figure import default_figure

    clip = resample(ks.idle(2.0).clip, 30.0)
    figure = default_figure()
    rows = []
    for workers in (1, 2):
        seconds = best(lambda n=workers: list(render_clip(figure, clip, workers=n)), 2)  # type: ignore[misc]
        fps = len(clip) / seconds
        target = 1.0 if workers == 2 else None
        rows.append(
            Row(
                f"render 720p, {workers} worker(s)",
                "real time at 30 fps",
                fps / 30.0,
                target,
                f"{fps:.0f} frames a second",
            )
        )
    seconds = best(lambda: ks.idle(60.0), 1)
    rows.append(Row("idle motion", "real time", 60.0 / seconds))
    return rows


def gesturing(seconds: float, fps: float) -> ks.Clip:
    """The default character gesturing with both arms without a pause."""
    rng = np.random.default_rng(5)
    arms = {}
    for side in SIDES:
        count = int(seconds / 0.55)
        keys = random_keys(rng, count, side)
        times = keys.times * (seconds - 0.5) / keys.times[-1]
        goals = np.arange(count) % 2 == 0
        goals[-1] = True
        arms[side] = ks.ArmKeys(times, keys.positions, keys.swivels, goals)
    clip = home_clip(int(seconds * fps), fps)
    return ks.apply_keys(ks.KeyedMotion(arms["left"], arms["right"]), clip, ks.default_rig())


def expression_rows() -> list[Row]:
    """Effort, Shape and tension on a minute at 120 fps; live rows are in `live_speed`."""
    rig = ks.default_rig()
    clip = gesturing(60.0, 120.0)
    asked = Direction("weight=0.6,time=0.6", "vertical=-0.4,sagittal=0.3").qualities()

    def fresh() -> ks.Clip:
        return replace(clip)  # nothing cached

    expressed = best(lambda: express_clip(fresh(), rig, asked), 3)
    found = detect_phases(clip, rig)
    phases: dict[Side, ArmPhases] = {"left": found.left, "right": found.right}
    tensed = best(lambda: tense_clip(fresh(), rig, PRESETS["tense"], phases), 3)
    detected = best(lambda: detect_phases(fresh(), rig), 3)
    targets = np.cumsum(np.random.default_rng(1).normal(size=(3600, 128, 3)), axis=0) * 0.001
    tracked = best(lambda: track(targets, 60.0, 0.02, 0.4), 3)
    rate = targets.shape[0] * targets.shape[1] / tracked
    return [
        Row("Effort and Shape, a minute at 120 fps", "real time", 60.0 / expressed, 60.0),
        Row("tension, a minute at 120 fps", "real time", 60.0 / tensed),
        Row("gesture phases, a minute at 120 fps", "real time", 60.0 / detected),
        Row(
            "mass trackers",
            "1 million wrist-frames a second",
            rate / 1e6,
            1.0,
            f"{rate / 1e6:.0f} million a second",
        ),
    ]


def alignment_rows() -> list[Row]:
    """Words on a recording, if recordings are available (KINESPHERE_DATA or ../shared/data)."""
    here = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("KINESPHERE_DATA", here)) / "beat2"
    if not folder.is_dir():
        return []
    recording = read_audio(folder / "2_scott_0_1_1.wav", 16000)
    words = words_of(read_transcript(folder / "2_scott_0_1_1.TextGrid"))
    text = " ".join(i.label for i in words.intervals if i.label)
    seconds = best(lambda: align(recording.samples, recording.rate_hz, text), 1)
    return [Row("words on a minute of speech", "real time", recording.duration_s / seconds, 8.0)]


def generation_rows() -> list[Row]:
    """Gestures for an hour of text, and a speaker's profile from ten performances."""
    folder = Path(__file__).resolve().parents[1] / "tests" / "generation" / "texts"
    passages = [p.read_text(encoding="utf-8").strip() for p in sorted(folder.glob("en_*.txt"))]
    text = "\n\n".join(passages * 3)
    begun = time.perf_counter()
    found = tag_text(text, "en")
    tagging = time.perf_counter() - begun
    graph = graph_of(found, estimated_times(found))
    hours = graph.duration_s / 3600.0
    settings = GenerationSettings(sampling=True)
    seconds = best(lambda: generate(graph, speaker("host"), settings, 0), 1) / hours
    annotation = shipped_annotation("host")
    one = best(lambda: ProfileEstimator().fit([annotation]), 2)
    ten = best(lambda: ProfileEstimator().fit([annotation] * 10), 2)
    words = len(found.words) / tagging
    return [
        Row("tagging a text", "3,000 words a second", words / 3000.0, 1.0, f"{words:.0f} a second"),
        Row("a script for an hour of text", "5 s", 5.0 / seconds, 1.0, f"{seconds:.1f} s"),
        Row("a profile, ten times the gestures", "ten times the time", 10.0 * one / ten, 0.5),
    ]


_PERFORM = """
import re, resource, sys
from pathlib import Path
from kinesphere.cli.main import status
code = status(sys.argv[1:])
# The peak of getrusage is inherited from the parent process.
about = Path("/proc/self/status")
peak = re.search(r"VmHWM:\\s*(\\d+)", about.read_text()) if about.exists() else None
unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
used = int(peak[1]) if peak else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(used / unit)
sys.exit(code)
"""
LONG = {
    "ten minutes": (13, 500.0, (".bvh", ".kin", ".glb", ".html")),
    "an hour": (72, 1000.0, (".bvh", ".kin")),
}
"""Texts: number of passages, largest memory in MB, and the formats written."""


def memory_rows(passages: list[str]) -> list[Row]:
    """Largest memory of ``kinesphere perform`` of long texts, each in a process of its own."""
    rows = []
    for name, (count, most, endings) in LONG.items():
        texts = (passages * (1 + count // len(passages)))[:count]
        with tempfile.TemporaryDirectory() as scratch:
            text = Path(scratch) / "long.txt"
            text.write_text("\n\n".join(texts), encoding="utf-8")
            for ending in endings:
                asked = ["perform", str(text), "--style", "host", "--seed", "1"]
                command = [sys.executable, "-c", _PERFORM, *asked, "-o", f"{scratch}/take{ending}"]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                used = float(done.stdout.split()[-1])
                what = f"memory for {name} of text to {ending}"
                rows.append(Row(what, f"{most:g} MB", most / used, 1.0, f"{used:.0f} MB"))
    return rows


def performance_rows() -> list[Row]:
    """A passage of about a minute performed, voice and script included; a simulated body; memory."""
    folder = Path(__file__).resolve().parents[1] / "tests" / "generation" / "texts"
    text = (folder / "en_talk_1.txt").read_text(encoding="utf-8")
    take = ks.perform(text, "host", seed=1)
    length = take.clip.duration_s
    # A performed clip is posed on demand.
    plain = best(lambda: ks.perform(text, "host", seed=1).clip.rotations, 3)
    body = best(lambda: ks.perform(text, "host", seed=1, physics="body"), 2)
    passages = [p.read_text(encoding="utf-8").strip() for p in sorted(folder.glob("en_*.txt"))]
    return [
        Row(
            "text to a take",
            "a 30th of its length",
            length / 30 / plain,
            1.0,
            f"{length:.0f} s in {plain:.2f} s",
        ),
        Row(
            "text to a simulated take",
            "a 15th of its length",
            length / 15 / body,
            1.0,
            f"{length:.0f} s in {body:.2f} s",
        ),
        *memory_rows(passages),
    ]


def face_row(sound: Floats) -> Row:
    """Live face of one voice in steps of 10 ms, as `bodylanguage.play.engine.step` makes it.

    The 99th percentile.

    In processor time, because on a busy machine the slowest steps are those that waited.
    """
    mouth, heard = mouths.start(16000), listening.start(16000)
    queue, state, taken, shown = live_mouth.start(mouth), eyes.start([0]), [], 0
    known_s, brows = heard.latency_s + KNOWN_S, state.settings.brows
    for first in range(0, 20 * 16000, 160):
        chunk, begun = sound[first : first + 160], time.thread_time()
        mouth, shapes = mouths.step(mouth, chunk)
        heard, found = listening.step(heard, chunk)
        until = int((first + 160) / 16000 * mouth.settings.fps) + 1
        queue, _ = live_mouth.step(queue, shapes, until - shown)
        state = eyes.add_cues(state, heard_cues(found.observations, known_s, 1, brows))
        state, _ = eyes.step(state, np.arange(shown, until) / mouth.settings.fps)
        shown = until
        taken.append(time.thread_time() - begun)
    slow, usual = np.percentile(taken[50:], [99.0, 50.0])
    note = f"{slow * 1e3:.3f} ms, median {usual * 1e3:.3f} ms"
    return Row("10 ms of audio, a live face, p99", "1 ms", 1e-3 / float(slow), 1.0, note)


def speech_rows() -> list[Row]:
    """Prosody of half a minute of speech-like audio, whole and live."""
    rng = np.random.default_rng(3)
    t = np.arange(30 * 16000) / 16000
    pitch = 120 + 30 * np.sin(2.0 * t)
    voice = sum(np.sin(k * 2 * np.pi * np.cumsum(pitch) / 16000) / k for k in range(1, 12))
    sound = 0.1 * voice * (0.55 + 0.45 * np.sin(2 * np.pi * 4 * t)) + 0.001 * rng.normal(
        size=len(t)
    )
    whole = best(lambda: prosody(sound, 16000), 3)
    rows = [Row("prosody, pitch to syllables", "real time", 30.0 / whole, 150.0)]
    for voices, most in ((1, 0.2e-3), (100, 0.03e-3)):
        chunk = np.ascontiguousarray(np.broadcast_to(sound[:160], (voices, 160)))
        state = listening.start(16000, voices=voices)

        def steps(chunk: Floats = chunk, state: ProsodyState = state) -> None:
            for _ in range(50):
                state, _ = listening.step(state, chunk)

        one = best(steps, 3) / 50 / voices
        rows.append(
            Row(
                f"10 ms of audio, {voices} voice(s)",
                f"{most * 1e3:g} ms a voice",
                most / one,
                1.0,
                f"{one * 1e3:.3f} ms",
            )
        )
    rows.append(face_row(sound))
    rows += alignment_rows()
    try:
        import parselmouth
    except ImportError:
        return rows
    praat = parselmouth.Sound(sound, 16000)
    rows.append(
        Row(
            "prosody, pitch to syllables",
            "Praat's pitch alone",
            best(lambda: praat.to_pitch_ac(), 3) / whole,
            1.0,
        )
    )
    return rows


def main() -> int:
    """Print the table; 1 if a target is missed. With a file name, write the big BVH file there."""
    clip = big_clip()
    if len(sys.argv) > 1:
        ks.Take(clip).save(sys.argv[1])
        return 0
    rows = bvh_rows(clip) + motion_rows(clip) + look_rows() + expression_rows() + speech_rows()
    rows += generation_rows() + performance_rows()
    print(f"{'what':<38} {'against':<34} {'ratio':>9} {'target':>8}  note")
    missed = 0
    for row in rows:
        target = "" if row.target is None else f">= {row.target:g}"
        bad = row.target is not None and row.ratio < row.target
        missed += bad
        print(
            f"{row.what:<38} {row.against:<34} {row.ratio:>8.1f}x {target:>8}  {row.note}{'  MISSED' if bad else ''}"
        )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
