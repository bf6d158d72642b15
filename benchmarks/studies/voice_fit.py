"""How well motion synthesised for a voice fits it: the paper's comparisons as metrics.

The 2009 paper showed people its result next to segments chosen at random, and in a pilot next to
random ones that change at syllables and chosen ones that do not. The reported faults (out of
rhythm; off sync) are measured here: whether segments start at the peaks of syllables, and whether
hands are fastest there and heads lowest, compared with the same speech shifted; whether the hands
follow the voice; and the mutual information of current state and observed prosody, in bits.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from benchmarks.studies.following import Following, Spoken, first_movements_s, following

from kinesphere.bodylanguage.choose.acting_times import ON_TIME_S, acts_s, in_order
from kinesphere.bodylanguage.learn.estimation import StateCounts, count_states, segments_at
from kinesphere.bodylanguage.model import BodyLanguageModel
from kinesphere.bodylanguage.play.body_assembly import assemble
from kinesphere.bodylanguage.play.engine import Change
from kinesphere.bodylanguage.play.figure_posing import body_targets
from kinesphere.bodylanguage.play.segment_playback import StreamFrames
from kinesphere.bodylanguage.streams import FPS, STREAMS
from kinesphere.character.default import default_rig
from kinesphere.evaluation.movement import (
    CUTOFF_HZ,
    RATE_HZ,
    resample_values,
    speed_peaks,
    wrist_motion,
)
from kinesphere.evaluation.synchrony import Coincidence, coincidence, stretches, stroke_peaks
from kinesphere.figure.standing import body as figure_body
from kinesphere.figure.standing.stance import stance_of
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.maths.filters import low_pass
from kinesphere.maths.peaks import prominences
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.speech.prosody.observation import HIGH, NORMAL
from kinesphere.speech.prosody.prosody import Prosody
from kinesphere.speech.prosody.syllables import Syllable


@dataclass(frozen=True)
class Fit:
    """How motion fits a voice.

    Parameters
    ----------
    begins : how near segments of the arms start to peaks of syllables.
    strokes : how near to them the hands are fastest; None if no take has a clip, as below.
    nods : how near the head is lowest to the peaks of loud syllables.
    follows : correlation of hand speed and loudness of the voice.
    first_s : median delay from a speech onset to the first movement; NaN if there is none.
    bits : by stream, mean of ``log2 P(observation | state) / P(observation)`` by the model's
        probabilities: 0 if the state is independent of the speech.
    shown : by stream, proportion of a segment that was played before the next started.
    """

    begins: Coincidence
    strokes: Coincidence | None
    nods: Coincidence | None
    follows: Following | None
    first_s: float
    bits: dict[str, float]
    shown: dict[str, float]


@dataclass(frozen=True, eq=False)
class Listened:
    """One take for a voice.

    Parameters
    ----------
    changes, prosody, duration_s : its segments, the speech analysis, and its length.
    delay_s : delay of frames behind the audio.
    clip : the resulting motion, if it is to be measured.
    """

    changes: Sequence[Change]
    prosody: Prosody
    duration_s: float
    delay_s: float = ON_TIME_S
    clip: Clip | None = None


def fit(model: BodyLanguageModel, takes: Iterable[Listened], seed: int = 0) -> Fit:
    """Measure takes together."""
    runs = list(takes)
    bits, shown = {}, {}
    for number, name in enumerate(STREAMS):
        if name not in model.streams:
            continue
        bits[name] = _bits(model, runs, number)
        shares = [c.shown for r in runs for c in r.changes if c.stream == number]
        known = [s for s in shares if np.isfinite(s)]
        shown[name] = float(np.mean(known)) if known else np.nan
    begins = _near(runs, [_begins(r) for r in runs], seed)
    seen = [r for r in runs if r.clip is not None]
    if not seen:
        return Fit(begins, None, None, None, np.nan, bits, shown)
    rig = default_rig()
    motions = [wrist_motion(r.clip, rig) for r in seen if r.clip is not None]
    firsts = [first_movements_s(m, phrases(r.prosody)) for m, r in zip(motions, seen, strict=True)]
    return Fit(
        begins,
        _near(seen, [stroke_peaks(m) for m in motions], seed),
        _near(seen, [head_dips(r.clip, rig)[0] for r in seen if r.clip is not None], seed, HIGH),
        following(
            [Spoken(m, r.prosody.intensity_db) for m, r in zip(motions, seen, strict=True)],
            seed=seed,
        ),
        float(np.median(np.concatenate(firsts))) if sum(map(len, firsts)) else np.nan,
        bits,
        shown,
    )


def phrases(heard: Prosody) -> list[tuple[float, float]]:
    """Start and end of each span of speech; pauses up to 0.5 s are bridged."""
    return stretches([(s.start_s, s.end_s) for s in heard.syllables])


def _begins(run: Listened) -> Floats:
    """Start times of segments of the arms."""
    arms = STREAMS.index("arms")
    return np.array([c.time_s for c in run.changes if c.stream == arms and c.time_s > 0.0])


def _near(
    runs: Sequence[Listened], events: Sequence[Floats], seed: int, least: int = NORMAL
) -> Coincidence:
    """Events of all takes in sequence, compared with peaks of syllables that are loud enough."""
    times: list[float] = []
    marks: list[float] = []
    speaking: list[tuple[float, float]] = []
    at = 0.0
    for run, mine in zip(runs, events, strict=True):
        times += (at + mine).tolist()
        marks += [
            at + o.event.peak_s
            for o in run.prosody.observations
            if isinstance(o.event, Syllable) and o.intensity >= least
        ]
        speaking += [(at + s.start_s, at + s.end_s) for s in run.prosody.syllables]
        at += run.duration_s + 10.0
    return coincidence(np.array(times), np.array(marks), speaking, seed=seed)


def _bits(model: BodyLanguageModel, runs: Sequence[Listened], number: int) -> float:
    part = model.streams[STREAMS[number]]
    n = len(part)
    counts = StateCounts.none(n)
    for run in runs:
        mine = [c for c in run.changes if c.stream == number and c.time_s < run.duration_s]
        starts = [c.time_s for c in mine]
        # A segment replaced at its own first frame was never shown.
        kept = [i for i in range(len(mine)) if i + 1 == len(mine) or starts[i + 1] > starts[i]]
        bounds = np.array([*(starts[i] for i in kept), run.duration_s])
        times = in_order(np.array([acts_s(e, run.delay_s) for e in run.prosody.events]))
        numbers = [o.number for o in run.prosody.observations]
        # A segment that starts with an observation is the result of that observation.
        seen = segments_at(bounds, times - 1e-6)
        counts += count_states(seen, [mine[i].cluster for i in kept], numbers, n)
    chain = part.chain(np.ones(len(model.speakers)))
    usual = chain.prior @ chain.observations
    gain = np.log2(chain.observations / usual)
    total = counts.observations.sum()
    return float((counts.observations * gain).sum() / total) if total else np.nan


def library_clips(model: BodyLanguageModel, least_s: float = 20.0) -> list[Clip]:
    """Training motion of a model as clips: the recordings that its library still has in full."""
    edges = None
    for part in model.streams.values():
        bounds = set(part.segments[:, 0].tolist())
        bounds |= set((part.segments[:, 0] + part.segments[:, 1]).tolist())
        edges = bounds if edges is None else edges & bounds
    cuts = sorted(edges or {0, len(model.turns)})
    out = []
    for first, stop in itertools.pairwise(cuts):
        if (stop - first) / FPS >= least_s:
            out.append(_clip(model, first, stop))
    return out


def _clip(model: BodyLanguageModel, first: int, stop: int) -> Clip:
    rows = stop - first
    present = np.array([name in model.streams for name in STREAMS])
    shown = model.turns[first:stop].astype(np.float64)
    hips = model.pelvis[first:stop].astype(np.float64)
    streams = StreamFrames(shown[None], hips[None], np.zeros((1, rows)))
    body = figure_body.start(FPS, [0], [stance_of(0.5, 0)])
    targets = body_targets(streams, np.ones((1, rows)), present)
    bodies = figure_body.step_poses(body, targets)[1][0]
    still: Floats = np.zeros((*shown.shape[:2], 3))
    posed = assemble(shown, bodies, present, np.ones(rows), still)
    return Clip(default_rig().skeleton, FPS, posed.root_positions, posed.rotations)


def head_dips(clip: Clip, rig: Rig, least_deg: float = 1.5) -> tuple[Floats, Floats]:
    """Times of head dips (pitch minima), and depths of these dips in degrees.

    Depth is the lesser of what the head falls before and rises after, as for peaks of speed.
    """
    turn = rig.turn(clip.world_rotations, rig.joint("head"))
    nose = quaternion.rotate(turn, np.array([0.0, 0.0, 1.0]))
    down = np.degrees(-np.arcsin(np.clip(nose[:, 1], -1.0, 1.0)))
    down = low_pass(resample_values(down, clip.fps), CUTOFF_HZ, RATE_HZ)
    lows = speed_peaks(down, least=-np.inf, prominence=least_deg)
    return np.asarray(lows / RATE_HZ), prominences(down, lows)
