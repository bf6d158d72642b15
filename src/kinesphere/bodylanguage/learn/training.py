"""Training: from extracts of recordings to a model. Offline.

Thresholds come from histograms of the whole corpus, clusters from all its segments, counts and
curves from all its observations. Memory is bounded: of a long corpus the motion of a random subset
of every cluster's segments is kept (`TrainingSettings.library_s`); counts use everything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from kinesphere.bodylanguage.learn.clustering import cluster
from kinesphere.bodylanguage.learn.estimation import (
    CurveSettings,
    StateCounts,
    count_states,
    fit_curves,
    segments_at,
)
from kinesphere.bodylanguage.learn.extract import Extract
from kinesphere.bodylanguage.learn.segment_features import FeatureSettings, segment_features
from kinesphere.bodylanguage.learn.segmentation import (
    EnergyHistogram,
    SegmentationSettings,
    segment_bounds,
    threshold_of,
)
from kinesphere.bodylanguage.model import BodyLanguageModel, StreamModel
from kinesphere.bodylanguage.model_file import dequantise
from kinesphere.bodylanguage.streams import FPS, STREAMS, stream_of_joint
from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats, Ints, read_only
from kinesphere.maths.bounds import check_range

Progress = Callable[[str, float], None]


@dataclass(frozen=True)
class TrainingSettings:
    """Settings of training.

    Parameters
    ----------
    clusters : of head, arms and lower body, as in the paper; fewer where there are fewer than
        `least_members` segments for each.
    sketch : with more segments than this, clustering uses micro-clusters.
    library_s : largest motion library of the model.
    strengths : additive smoothing of transitions and observations, in counts.
    least_s, least_syllables, least_segments : a corpus with less is rejected.
    """

    clusters: tuple[int, int, int] = (20, 45, 6)
    segmentation: tuple[SegmentationSettings, ...] = field(
        default_factory=lambda: tuple(SegmentationSettings.for_stream(s) for s in range(3))
    )
    features: tuple[FeatureSettings, ...] = field(
        default_factory=lambda: tuple(FeatureSettings.for_stream(s) for s in range(3))
    )
    curves: CurveSettings = field(default_factory=CurveSettings)
    sketch: int = 3000
    library_s: float = 3600.0
    strengths: tuple[float, float] = (3.0, 6.0)
    least_members: int = 6
    least_s: float = 20.0
    least_syllables: int = 20
    least_segments: int = 12

    def __post_init__(self) -> None:
        if len(self.clusters) != len(STREAMS) or min(self.clusters) < 2:
            raise InvalidValueError(
                f"clusters are {self.clusters}, allowed are three numbers of 2 or more: "
                "head, arms, lower body"
            )
        check_range("library_s", self.library_s, 10.0, 36_000.0)
        if min(self.strengths) <= 0.0:
            raise InvalidValueError(f"strengths are {self.strengths}, allowed is more than 0")


class Extracts(Protocol):
    """A sequence of extracts, in memory or on disk."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> Extract: ...


@dataclass(frozen=True, eq=False)
class StreamFit:
    """Training results of one stream, for reports.

    Parameters
    ----------
    threshold : energy z between slow and fast.
    bounds : of each recording, in frames; None where it lacks the stream.
    labels : cluster of each segment of each recording.
    samples : ``[k, 3]`` cluster, elapsed proportion, whether it continued: data of the curves.
    """

    threshold: float
    bounds: tuple[Ints | None, ...]
    labels: tuple[Ints, ...]
    samples: Floats


@dataclass(frozen=True, eq=False)
class Trained:
    """A model with the training results behind it."""

    model: BodyLanguageModel
    fits: Mapping[str, StreamFit]


def train(
    extracts: Extracts,
    settings: TrainingSettings | None = None,
    *,
    name: str = "model",
    seed: int = 0,
    provenance: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Trained:
    """Train a model on extracts of recordings.

    Raises
    ------
    InvalidValueError
        If the seed is negative, or there is too little motion, speech or movement in total.
    """
    if seed < 0:
        raise InvalidValueError(f"seed is {seed}, allowed is 0 or more")
    s = settings or TrainingSettings()
    said = progress or (lambda what, ratio: None)
    speakers, voices = _speakers(extracts, s)
    fits: dict[str, StreamFit] = {}
    streams: dict[str, StreamModel] = {}
    for number, stream in enumerate(STREAMS):
        said(f"clusters of the {stream}", number / len(STREAMS))
        found = _fit(extracts, number, s, seed)
        if found is None:
            continue
        fits[stream] = found
        streams[stream] = _count(extracts, found, voices, len(speakers), s)
    if not streams:
        raise InvalidValueError("the recordings contain no movement to train on")
    said("motion", 0.95)
    kept, turns, pelvis = _library(extracts, fits, streams, s, seed)
    about = {"settings": _plain(asdict(s)), "seed": seed, **(provenance or {})}
    model = BodyLanguageModel(name, speakers, kept, turns, pelvis, about)
    return Trained(model, fits)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return value


def _speakers(extracts: Extracts, s: TrainingSettings) -> tuple[tuple[str, ...], list[int]]:
    """Names of the speakers, and the speaker of each recording; rejects too small a corpus."""
    whole = sum(extracts[i].duration_s for i in range(len(extracts)))
    if whole < s.least_s:
        raise InvalidValueError(
            f"there are {whole:.1f} s of motion with speech, at least {s.least_s:g} s are needed"
        )
    syllables = sum(extracts[i].syllables for i in range(len(extracts)))
    if syllables < s.least_syllables:
        raise InvalidValueError(
            f"{syllables} syllables were found in {whole:.0f} s of audio, at least "
            f"{s.least_syllables} are needed: is it speech, and loud enough?"
        )
    names = [extracts[i].speaker for i in range(len(extracts))]
    speakers = tuple(sorted(set(names)))
    return speakers, [speakers.index(n) for n in names]


def _fit(extracts: Extracts, number: int, s: TrainingSettings, seed: int) -> StreamFit | None:
    """Segment and cluster one stream of all recordings."""
    stream, cut = STREAMS[number], s.segmentation[number]
    with_it = [i for i in range(len(extracts)) if stream in extracts[i].present]
    if not with_it:
        return None
    histogram = EnergyHistogram.of(extracts[with_it[0]].energies[number])
    for i in with_it[1:]:
        histogram = histogram + EnergyHistogram.of(extracts[i].energies[number])
    threshold = threshold_of(histogram, cut)
    bounds: list[Ints | None] = [None] * len(extracts)
    rows: list[Floats] = []
    for i in with_it:
        one = extracts[i]
        z = one.energies[number].astype(np.float64)
        found = segment_bounds(z, FPS, threshold, cut)
        bounds[i] = found
        rows.append(
            segment_features(
                number, one.keys[number].astype(np.float64), found, FPS, s.features[number]
            )
        )
    vectors = np.concatenate(rows)
    if len(vectors) < s.least_segments:
        raise InvalidValueError(
            f"the {stream} make {len(vectors)} segments, at least {s.least_segments} are needed"
        )
    wanted = min(s.clusters[number], max(2, len(vectors) // s.least_members))
    flat = cluster(vectors, wanted, sketch=s.sketch, seed=seed)
    ends = np.cumsum([len(r) for r in rows])
    parts = dict(zip(with_it, np.split(flat, ends[:-1]), strict=True))
    none = np.zeros(0, dtype=np.int64)
    labels = tuple(parts.get(i, none) for i in range(len(extracts)))
    samples = []
    for i in with_it:
        one, cuts = extracts[i], bounds[i]
        assert cuts is not None
        seen = segments_at(cuts / FPS, one.times_s)
        inside = seen.segment[:-1] >= 0
        which = labels[i][np.maximum(seen.segment[:-1], 0)]
        row = np.stack([which, seen.elapsed[:-1], seen.goes_on], axis=1)
        samples.append(row[inside])
    return StreamFit(threshold, tuple(bounds), labels, np.concatenate(samples))


def _count(
    extracts: Extracts, found: StreamFit, voices: Sequence[int], speakers: int, s: TrainingSettings
) -> StreamModel:
    """Counts, curves and lengths; segments in frames of the whole corpus, see `_library`."""
    everything = np.concatenate(found.labels)
    n = int(everything.max()) + 1
    counts = [StateCounts.none(n) for _ in range(speakers)]
    rows, whose, begins = [], [], 1
    for i, cuts in enumerate(found.bounds):
        one = extracts[i]
        if cuts is not None:
            seen = segments_at(cuts / FPS, one.times_s)
            counts[voices[i]] += count_states(seen, found.labels[i], one.numbers, n)
            rows.append(np.stack([begins + cuts[:-1], np.diff(cuts), found.labels[i]], axis=1))
            whose.append(np.full(len(cuts) - 1, voices[i]))
        begins += len(one.steps) + 2
    segments = np.concatenate(rows)
    lengths = np.bincount(segments[:, 2], segments[:, 1]) / np.bincount(segments[:, 2]) / FPS
    curves = fit_curves(*found.samples.T, n, s.curves)  # type: ignore[call-arg]
    return StreamModel(
        np.stack([c.transitions for c in counts]),
        np.stack([c.observations for c in counts]),
        curves,
        lengths,
        segments,
        np.concatenate(whose),
        s.strengths,
    )


def _library(
    extracts: Extracts,
    fits: Mapping[str, StreamFit],
    streams: Mapping[str, StreamModel],
    s: TrainingSettings,
    seed: int,
) -> tuple[dict[str, StreamModel], NDArray[np.float32], NDArray[np.float32]]:
    """Motion of the kept segments, and the segments in frame numbers of it.

    The first and the last frame of each recording are stored twice, so that the frame before or
    after a segment belongs to the same recording.
    """
    sizes = [len(extracts[i].steps) + 2 for i in range(len(extracts))]
    total = sum(sizes)
    keep = np.ones(total, dtype=np.bool_)
    chosen = {name: np.ones(len(m.segments), dtype=np.bool_) for name, m in streams.items()}
    most = int(s.library_s * FPS)
    if total > most:
        keep[:] = False
        rng = np.random.default_rng(seed)
        for name, model in streams.items():
            chosen[name] = _some(model, most // (2 * len(streams)), rng)
            for first, count, _ in model.segments[chosen[name]]:
                keep[first - 1 : first + count + 1] = True
    place = np.cumsum(keep) - 1
    moved = np.flatnonzero(stream_of_joint() >= 0)
    turns = np.zeros((int(keep.sum()), len(stream_of_joint()), 4), dtype=np.float32)
    turns[..., 0] = 1.0
    pelvis = np.zeros((len(turns), 3), dtype=np.float32)
    begins = at = 0
    for i, size in enumerate(sizes):
        mine = keep[begins : begins + size]
        if mine.any():
            one = extracts[i]
            frames = np.clip(np.flatnonzero(mine) - 1, 0, size - 3)
            some, places = dequantise(one.steps[frames], one.places[frames])
            turns[at : at + len(some), moved] = some
            pelvis[at : at + len(some)] = places
            at += len(some)
        begins += size
    kept = {}
    for name, model in streams.items():
        rows = model.segments[chosen[name]].copy()
        rows[:, 0] = place[rows[:, 0]]
        kept[name] = StreamModel(
            model.transitions,
            model.observations,
            model.curves,
            model.lengths_s,
            rows,
            model.speakers[chosen[name]],
            model.strengths,
        )
    return kept, read_only(turns), read_only(pelvis)


def _some(model: StreamModel, frames: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Random segments, equally many frames of each cluster, and at least one segment."""
    out = np.zeros(len(model.segments), dtype=np.bool_)
    share = frames / len(model)
    for members in model.members:
        order = rng.permutation(members)
        used = np.cumsum(model.segments[order, 1])
        out[order[: max(1, int(np.searchsorted(used, share)))]] = True
    return out
