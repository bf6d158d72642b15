"""How well motion that was chosen for a voice fits it: the paper's comparisons, computed.

The 2009 paper showed people its result beside segments chosen at random, and in a pilot beside
random ones that change at syllables and chosen ones that do not. What people said of those (out of
rhythm; off sync) is measured here: whether segments begin at the peaks of syllables, against the
same speech shifted; whether the hands follow the voice, which is what one sees of that; and how
much the state on show tells of the prosody that was heard, in bits.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from kinesphere.bodylanguage.assembly import assemble
from kinesphere.bodylanguage.estimation import Counts, counted, walk
from kinesphere.bodylanguage.live import Change
from kinesphere.bodylanguage.model import BodyLanguageModel
from kinesphere.bodylanguage.moments import ON_TIME_S, acts_s, in_order
from kinesphere.bodylanguage.recorded import FPS
from kinesphere.bodylanguage.streams import STREAMS
from kinesphere.character.default import default_rig
from kinesphere.evaluation.following import Following, Spoken, first_movements_s, following
from kinesphere.evaluation.movement import WristMotion
from kinesphere.evaluation.synchrony import Coincidence, coincidence, stretches
from kinesphere.maths.arrays import Floats
from kinesphere.motion.clip import Clip
from kinesphere.speech.prosody import Prosody

SHORTEST_S = 5.0


@dataclass(frozen=True)
class Fit:
    """How motion fits a voice.

    Parameters
    ----------
    begins : how near segments of the arms begin to peaks of syllables.
    follows : how the speed of the hands goes with the loudness of the voice; None if no take has
        its motion.
    first_s : median time from a voice after a silence to the first movement; NaN if there is none.
    bits : by stream, mean of ``log2 P(observation | state) / P(observation)`` by the model's
        probabilities: 0 if what is shown says nothing of what is heard.
    shown : by stream, share of a segment that was shown before the next began.
    """

    begins: Coincidence
    follows: Following | None
    first_s: float
    bits: dict[str, float]
    shown: dict[str, float]


@dataclass(frozen=True, eq=False)
class Listened:
    """One take to a voice.

    Parameters
    ----------
    changes, prosody, duration_s : its segments, what was heard, and for how long.
    delay_s : by which frames came later than the sound.
    motion : of the wrists, if they are to be looked at.
    """

    changes: Sequence[Change]
    prosody: Prosody
    duration_s: float
    delay_s: float = ON_TIME_S
    motion: WristMotion | None = None


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
    seen = [(r.motion, r.prosody) for r in runs if r.motion is not None]
    follows = following([Spoken(m, p.intensity_db) for m, p in seen], seed=seed) if seen else None
    firsts = [first_movements_s(m, phrases(p)) for m, p in seen]
    first_s = float(np.median(np.concatenate(firsts))) if sum(map(len, firsts)) else np.nan
    return Fit(_begins(runs, seed), follows, first_s, bits, shown)


def phrases(heard: Prosody) -> list[tuple[float, float]]:
    """Start and end of each stretch of speech; pauses up to 0.5 s are bridged."""
    return stretches([(s.start_s, s.end_s) for s in heard.syllables])


def _begins(runs: Sequence[Listened], seed: int) -> Coincidence:
    """Beginnings of the arms' segments against peaks, all takes one after the other."""
    events: list[float] = []
    marks: list[float] = []
    speaking: list[tuple[float, float]] = []
    at = 0.0
    for run in runs:
        arms = STREAMS.index("arms")
        events += [at + c.time_s for c in run.changes if c.stream == arms and c.time_s > 0.0]
        marks += [at + s.peak_s for s in run.prosody.syllables]
        speaking += [(at + s.start_s, at + s.end_s) for s in run.prosody.syllables]
        at += run.duration_s + 10.0
    return coincidence(np.array(events), np.array(marks), speaking, seed=seed)


def _bits(model: BodyLanguageModel, runs: Sequence[Listened], number: int) -> float:
    part = model.streams[STREAMS[number]]
    n = len(part)
    counts = Counts.none(n)
    for run in runs:
        mine = [c for c in run.changes if c.stream == number and c.time_s < run.duration_s]
        starts = [c.time_s for c in mine]
        # One that was replaced with its own first frame was never shown.
        kept = [i for i in range(len(mine)) if i + 1 == len(mine) or starts[i + 1] > starts[i]]
        bounds = np.array([*(starts[i] for i in kept), run.duration_s])
        times = in_order(np.array([acts_s(e, run.delay_s) for e in run.prosody.events]))
        numbers = [o.number for o in run.prosody.observations]
        # A segment that begins with an observation is what that observation led to.
        seen = walk(bounds, times - 1e-6)
        counts += counted(seen, [mine[i].cluster for i in kept], numbers, n)
    chain = part.chain(np.ones(len(model.speakers)))
    usual = chain.prior @ chain.observations
    gain = np.log2(chain.observations / usual)
    total = counts.observations.sum()
    return float((counts.observations * gain).sum() / total) if total else np.nan


def library_clips(model: BodyLanguageModel, least_s: float = 20.0) -> list[Clip]:
    """Motion that a model was trained on, as clips: the recordings its library still has whole."""
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
    joints = model.turns.shape[1]
    still: Floats = np.zeros((rows, joints, 3))
    posed = assemble(
        model.turns[first:stop].astype(np.float64), model.pelvis[first:stop].astype(np.float64),
        present, np.ones(rows), still, np.zeros((rows, 3)),
    )  # fmt: skip
    return Clip(default_rig().skeleton, FPS, posed.root_positions, posed.rotations)
