"""Evaluation of many performed takes: movement, timing and artefacts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from types import MappingProxyType

import numpy as np
from benchmarks.studies.gesture_timing import (
    Handedness,
    Stroke,
    StrokeTiming,
    handedness,
    retraction,
    stroke_timing,
)

from kinesphere.animation.performance import Performer, perform_script
from kinesphere.animation.settings import ActingSettings
from kinesphere.corpus.profiles.profile import Profile
from kinesphere.evaluation.artefacts import arm_poses
from kinesphere.evaluation.metric_registry import faults, measures
from kinesphere.evaluation.movement import wrist_motion
from kinesphere.evaluation.movement_table import Acceptance, active_windows, measure_window, verdict
from kinesphere.evaluation.synchrony import (
    BeatConsistency,
    Coincidence,
    beat_consistency,
    coincidence,
    motion_beats,
    stroke_peaks,
)
from kinesphere.maths.arrays import Floats
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.pipeline.stages.act import cue_body
from kinesphere.pipeline.stages.cast import Cast
from kinesphere.pipeline.stages.plan import plan
from kinesphere.pipeline.stages.utter import utter

# Takes are concatenated with this much time between them.
_GAP_S = 5.0
LONG_PHRASE_S = 3.0
LONG_PAUSE_S = 1.0


@dataclass(frozen=True, eq=False)
class PerformedTake:
    """A take for evaluation.

    Parameters
    ----------
    clip : the motion.
    speaking : start and end of each span of speech.
    syllables : loudness peaks of the syllables, seconds.
    strokes : start, speed peak and end of every gesture's main stroke.
    stressed : time of the stressed syllable of each stroke's words; NaN without one.
    hands : of each gesture, ``LH``, ``RH`` or ``2H``.
    homes : ``[n, 3]`` home positions of the right wrist: out, up and forward from between the
        shoulders in the chest's axes.
    """

    clip: Clip
    speaking: Sequence[tuple[float, float]]
    syllables: Floats
    strokes: Sequence[Stroke] = ()
    stressed: Floats = field(default_factory=lambda: np.zeros(0))
    hands: Sequence[str] = ()
    homes: Floats = field(default_factory=lambda: np.zeros((0, 3)))


def performed_take(
    text: str,
    style: str | Profile = "neutral",
    *,
    seed: int = 0,
    fps: float = 60.0,
    settings: ActingSettings | None = None,
) -> PerformedTake:
    """Perform a text in a speaker's style."""
    cast = Cast(style, seed=seed).resolve()
    said = utter(text, cast)
    made = plan(said, cast)
    cues = cue_body(said, made)
    assert cues is not None
    done = perform_script(
        made.script, cues, Performer.of(cast.profile), fps=fps, seed=seed, settings=settings
    )
    moments = [cues.cue(act.index)[0] for act in done.acts]
    return PerformedTake(
        done.clip,
        cues.phrases,
        cues.peaks,
        [Stroke(act.time.start_s, act.time.peak_s, act.time.end_s) for act in done.acts],
        np.array([np.nan if m is None else m for m in moments]),
        [act.gesture.hands for act in done.acts],
        done.homes,
    )


@dataclass(frozen=True)
class Judgement:
    """Results over many takes.

    Parameters
    ----------
    minutes, gestures : amount of data.
    movement : windows compared with the ranges of recorded speakers.
    peaks : speed peaks compared with syllables.
    beats, pulses : beat consistency with minima of speed as beats, as is usual, and with its peaks,
        with which people mark syllables.
    strokes : gestures compared with the stressed syllables of their words.
    home : proportion of long phrases, followed by a long pause or the end, with both hands home
        within half a second.
    worst : the maximum of every artefact over all takes; proportions are means.
    """

    minutes: float
    gestures: int
    movement: Acceptance
    peaks: Coincidence
    beats: BeatConsistency
    pulses: BeatConsistency
    strokes: StrokeTiming
    home: float
    worst: Mapping[str, float]

    def __str__(self) -> str:
        lines = [
            f"{self.minutes:.1f} minutes, {self.gestures} gestures",
            str(self.movement),
            f"speed peaks on syllables: {self.peaks}",
            f"beat consistency, minima: {self.beats}",
            f"beat consistency, peaks: {self.pulses}",
            f"strokes on their words: {100 * self.strokes.share:.1f} % within 0.3 s, median "
            f"{1e3 * self.strokes.median_s:+.0f} ms, {100 * self.strokes.covering:.0f} % cover it",
            f"home within 0.5 s of long phrases: {100 * self.home:.0f} %",
            *(f"{name:<24} {value:.3g}" for name, value in self.worst.items()),
        ]
        return "\n".join(lines)


def judge(takes: Iterable[PerformedTake], rig: Rig) -> Judgement:
    """Evaluate takes together, in one pass over them."""
    rows: list[Mapping[str, float]] = []
    peaks: list[Floats] = []
    beats: list[Floats] = []
    marks: list[Floats] = []
    spans: list[tuple[float, float]] = []
    strokes: list[tuple[float, float, float]] = []
    stressed: list[Floats] = []
    homes: list[float] = []
    found: list[Mapping[str, float]] = []
    at, seconds = 0.0, 0.0
    for take in takes:
        motion = wrist_motion(take.clip, rig)
        speaking = list(take.speaking)
        rows += [measure_window(motion, a, b, speaking) for a, b in active_windows(motion)]
        peaks.append(stroke_peaks(motion) + at)
        beats.append(motion_beats(motion) + at)
        marks.append(np.asarray(take.syllables) + at)
        spans += [(a + at, b + at) for a, b in speaking]
        strokes += [tuple(s) for s in take.strokes]  # type: ignore[misc]
        stressed.append(np.asarray(take.stressed, dtype=np.float64))
        homes += _home(take, rig)
        found.append(faults(take.clip, rig))
        seconds += len(take.clip) / take.clip.fps
        at += motion.duration_s + _GAP_S
    verdicts = {}
    for name, measure in measures().items():
        values = np.array([row[n] for row in rows for n in measure.names])
        verdicts[name] = verdict(measure, values[np.isfinite(values)], "calm")
    syllables = np.concatenate(marks)
    return Judgement(
        seconds / 60.0,
        len(strokes),
        Acceptance("calm", len(rows), MappingProxyType(verdicts)),
        coincidence(np.concatenate(peaks), syllables, spans),
        beat_consistency(np.concatenate(beats), syllables, spans),
        beat_consistency(np.concatenate(peaks), syllables, spans),
        stroke_timing(strokes, np.concatenate(stressed)),
        float(np.mean(homes)) if homes else np.nan,
        _worst(found),
    )


def _home(take: PerformedTake, rig: Rig) -> list[float]:
    """1 for each long phrase after which the hands are home in time, else 0."""
    ends = []
    spans = [*take.speaking, (np.inf, np.inf)]
    for (start, end), (following, _) in pairwise(spans):
        if end - start >= LONG_PHRASE_S and following - end >= LONG_PAUSE_S:
            ends.append(end)
    if not ends or not len(take.homes):
        return []
    back = retraction(arm_poses(take.clip, rig), ends, take.homes)
    return [float(lag <= 0.5) for lag in back.lags_s]


def _worst(found: Sequence[Mapping[str, float]]) -> dict[str, float]:
    out = {}
    for name in found[0] if found else ():
        values = [row[name] for row in found]
        out[name] = float(np.mean(values) if name.endswith("_share") else np.max(values))
    return out


def hands_of(takes: Sequence[PerformedTake], profile: Profile) -> Handedness:
    """Hands of all gestures of takes compared with a speaker's."""
    return handedness([hand for take in takes for hand in take.hands], profile)
