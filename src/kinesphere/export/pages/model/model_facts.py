"""Facts about a trained model for its page: clusters, and observations that predict them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kinesphere.bodylanguage.key_positions import key_positions
from kinesphere.bodylanguage.learn.training import StreamFit, Trained
from kinesphere.bodylanguage.model import BodyLanguageModel, StreamModel
from kinesphere.bodylanguage.streams import ARMS, FPS, HEAD, STREAMS
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.speech.prosody.observation import HIGH, LONG, OBSERVATIONS, ONSET, SHORT, SILENT

PATHS = 7
"""Members of a cluster that are drawn."""
_MEASURED = 60  # members that the description is made from
_LEAST_SEEN = 5
_SURE = 0.05
# Smaller movements count as still: radians, metres, metres.
_STILL = {"head": np.radians(1.5), "arms": 0.03, "lower": 0.004}
# Smallest component of a direction that is described, and smallest agreement of directions.
_PART, _ALIKE = 0.45, 0.5


@dataclass(frozen=True, eq=False)
class ClusterFacts:
    """One cluster.

    Parameters
    ----------
    number : in the model.
    count : segments of this cluster in the corpus.
    mean_s : their mean length.
    words : description, such as ``both hands up, 14 cm``.
    paths : of a few of them, ``[frames, d]``: the head's rotation (radians), both wrists from the
        upper chest, or the pelvis (metres).
    curve : intercept and slope of the continuation curve.
    samples : ``[k, 2]`` elapsed proportion, and whether it continued.
    """

    number: int
    count: int
    mean_s: float
    words: str
    paths: tuple[Floats, ...]
    curve: Floats
    samples: Floats


class Telling(NamedTuple):
    """An observation after which a cluster starts more often than at chance level."""

    observation: int
    cluster: int
    times: int
    expected: float


@dataclass(frozen=True, eq=False)
class StreamFacts:
    """Data of one stream for a page; clusters and tables are in order of frequency.

    Parameters
    ----------
    lengths_s : of all segments of the corpus.
    follows : ``[n, n]`` transition probabilities between clusters.
    begun, expected : ``[n, heard]`` how often each cluster started after an observation, and the
        count expected by chance.
    surprise : ``[n, heard]`` signed deviation of the two, in standard deviations.
    heard : ``[heard]`` observations that occur.
    heard_counts : ``[heard]`` how often.
    """

    name: str
    clusters: tuple[ClusterFacts, ...]
    lengths_s: Floats
    follows: Floats
    begun: Ints
    expected: Floats
    surprise: Floats
    heard: Ints
    heard_counts: Ints
    telling: tuple[Telling, ...]


def stream_facts(trained: Trained, name: str) -> StreamFacts:
    """Everything about one stream of a trained model."""
    fit, stream = trained.fits[name], trained.model.streams[name]
    n = len(stream)
    counts = np.bincount(np.concatenate(fit.labels), minlength=n)
    order = np.argsort(-counts, kind="stable")
    clusters = tuple(_cluster(trained.model, name, fit, int(i), int(counts[i])) for i in order)
    lengths = np.concatenate([np.diff(b) for b in fit.bounds if b is not None])
    moves = stream.transitions.sum(axis=0)
    follows = (moves[:n, :n] + moves[n:, :n])[np.ix_(order, order)]
    seen = stream.observations.sum(axis=0)
    heard = np.flatnonzero(seen.sum(axis=0))
    begun, expected = (table[np.ix_(order, heard)] for table in (seen[:n], _by_chance(seen)))
    return StreamFacts(
        name,
        clusters,
        lengths / FPS,
        follows / np.maximum(follows.sum(axis=1, keepdims=True), 1.0),
        begun.astype(np.int64),
        expected,
        surprise(begun, expected),
        heard,
        seen[:, heard].sum(axis=0).astype(np.int64),
        telling(stream),
    )


def _by_chance(seen: Floats) -> Floats:
    """Expected counts of start states and observations if they were independent."""
    n = len(seen) // 2
    return np.outer(seen[:n].sum(axis=1), seen.sum(axis=0)) / max(float(seen.sum()), 1.0)


def surprise(counts: Floats, expected: Floats) -> Floats:
    """Signed root of the Poisson deviance: about standard normal if independent."""
    ratio = np.where(counts > 0.0, counts, 1.0) / np.where(expected > 0.0, expected, 1.0)
    deviance = 2.0 * (counts * np.log(ratio) - (counts - expected))
    return np.asarray(np.sign(counts - expected) * np.sqrt(np.maximum(deviance, 0.0)))


def telling(stream: StreamModel, most: int = 8) -> tuple[Telling, ...]:
    """Observations and the clusters that start at the next one, the most significant first.

    Only pairs with a minimum count, and more often than chance explains for any of all pairs.
    """
    n = len(stream)
    seen = stream.observations.sum(axis=0)
    expected = _by_chance(seen)
    limit = _SURE / max(int(np.count_nonzero(expected)), 1)
    found = []
    for i, o in np.argwhere(seen[:n] >= _LEAST_SEEN).tolist():
        pair = Telling(o, i, int(seen[i, o]), float(expected[i, o]))
        p = poisson_tail(pair.times, pair.expected)
        if pair.times > pair.expected and p < limit:
            found.append((p, pair))
    return tuple(pair for _, pair in sorted(found)[:most])


def poisson_tail(count: int, mean: float) -> float:
    """Probability of a Poisson number of `count` or more, where `count` is above the mean.

    >>> round(poisson_tail(3, 1.0), 6)
    0.080301
    """
    term = math.exp(count * math.log(mean) - mean - math.lgamma(count + 1.0))
    total, k = term, count
    while term > 1e-17 * total and k < count + 10_000:
        k += 1
        term *= mean / k
        total += term
    return total


def observation_words(number: int) -> str:
    """One of the 36 observations in words.

    >>> observation_words(0), observation_words(8), observation_words(25)
    ('the start of a pause', 'a loud, long syllable', 'a loud syllable that rises')
    """
    rise, fall, loud, length = number // 18, number // 9 % 2, number // 3 % 3, number % 3
    if number == ONSET:
        return "the voice after a long pause"
    if loud == SILENT:
        return {SHORT: "the start of a pause", LONG: "a long pause"}.get(length, "a pause")
    is_so = {"loud": loud == HIGH, "short": length == SHORT, "long": length == LONG}
    kinds = ", ".join(word for word, is_it in is_so.items() if is_it)
    way = {(1, 1): "that rises and falls", (1, 0): "that rises", (0, 1): "that falls"}
    moves = way.get((rise, fall), "")
    kinds = kinds or ("" if moves else "plain")
    return " ".join(filter(None, ("a", kinds, "syllable", moves)))


def is_still(words: str) -> bool:
    """Whether the description of a cluster is that nothing moves."""
    return words.endswith("still")


def is_spoken(number: int) -> bool:
    """Whether an observation is a syllable; the others are pauses and onsets."""
    return 0 <= number < OBSERVATIONS and number // 3 % 3 != SILENT


def _cluster(
    model: BodyLanguageModel, name: str, fit: StreamFit, number: int, count: int
) -> ClusterFacts:
    stream = model.streams[name]
    members = stream.members[number]
    some = members[_spread(len(members), _MEASURED)]
    runs = [_path(model, name, *stream.segments[i, :2].tolist()) for i in some]
    drawn = _spread(len(runs), PATHS)
    rows = fit.samples[fit.samples[:, 0] == number]
    return ClusterFacts(
        number,
        count,
        float(stream.lengths_s[number]),
        _WORDS[name](runs),
        tuple(runs[i] for i in drawn),
        stream.curves[number],
        rows[:, 1:],
    )


def _spread(count: int, most: int) -> Ints:
    """At most that many of the numbers below `count`, evenly spaced."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(np.int64))


def _path(model: BodyLanguageModel, name: str, first: int, count: int) -> Floats:
    """Key coordinates of a segment, up to the first frame of the next."""
    frames = slice(first, first + count + 1)
    pelvis = model.pelvis[frames].astype(np.float64)
    number = STREAMS.index(name)
    if number not in (HEAD, ARMS):
        return pelvis
    return key_positions(number, model.turns[frames].astype(np.float64), pelvis)


def _greatest(runs: list[Floats], columns: slice) -> tuple[Floats, float, float]:
    """Mean greatest displacement, its mean size, and the agreement of directions."""
    shifts = []
    for run in runs:
        away = run[:, columns] - run[0, columns]
        shifts.append(away[np.argmax((away**2).sum(axis=1))])
    rows = np.array(shifts)
    size = float(np.linalg.norm(rows, axis=1).mean())
    mean = rows.mean(axis=0)
    return mean, size, float(np.linalg.norm(mean)) / size if size > 0.0 else 0.0


def _ways(parts: dict[str, float], alike: float) -> str:
    """The two strongest of opposite directions in words, such as ``up and out``."""
    if alike < _ALIKE:
        return ""
    whole = float(np.sqrt(sum(v * v for v in parts.values()))) or 1.0
    strong = sorted(parts.items(), key=lambda kv: -abs(kv[1]))[:2]
    words = [name.split("/")[0 if v > 0 else 1] for name, v in strong if abs(v) > _PART * whole]
    return " and ".join(words)


def _head_words(runs: list[Floats]) -> str:
    mean, size, alike = _greatest(runs, slice(0, 3))
    if size < _STILL["head"]:
        return "still"
    parts = {
        "down/up": mean[0],
        "turns left/turns right": mean[1],
        "tilts right/tilts left": mean[2],
    }
    return f"{_ways(parts, alike) or 'moves about'}, {np.degrees(size):.0f}\N{DEGREE SIGN}"


def _arm_words(runs: list[Floats]) -> str:
    left, left_m, left_alike = _greatest(runs, slice(0, 3))
    right, right_m, right_alike = _greatest(runs, slice(3, 6))
    large, small = max(left_m, right_m), min(left_m, right_m)
    if large < _STILL["arms"]:
        return "hands still"
    centimetres = f"{100.0 * large:.0f} cm"
    if small < 0.4 * large:
        is_left = left_m > right_m
        way, alike = (left, left_alike) if is_left else (right, right_alike)
        out = way[0] if is_left else -way[0]
        parts = {"out/in": out, "up/down": way[1], "forward/back": way[2]}
        hand = "left hand" if is_left else "right hand"
        return f"{hand} {_ways(parts, alike) or 'about'}, {centimetres}"
    both = 0.5 * (left + right)
    parts = {
        "apart/together": 0.5 * (left[0] - right[0]),
        "to the left/to the right": both[0],
        "up/down": both[1],
        "forward/back": both[2],
    }
    return f"both hands {_ways(parts, min(left_alike, right_alike)) or 'about'}, {centimetres}"


def _lower_words(runs: list[Floats]) -> str:
    mean, size, alike = _greatest(runs, slice(0, 3))
    if size < _STILL["lower"]:
        return "still"
    parts = {"to the left/to the right": mean[0], "up/down": mean[1], "forward/back": mean[2]}
    return f"{_ways(parts, alike) or 'sways'}, {1000.0 * size:.0f} mm"


_WORDS = {"head": _head_words, "arms": _arm_words, "lower": _lower_words}
