"""A trained body-language model: counts, and the motion library that they refer to.

Runtime. Counts are kept by speaker, so that `BodyLanguageModel.chain` can mix speakers: their
counts are added with weights before they become probabilities. The library holds the motion of all
segments at `streams.FPS`; a segment is a range of its frames.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinesphere.bodylanguage.choose.inference import MarkovChain
from kinesphere.bodylanguage.smoothing import observation_table, state_shares, transition_table
from kinesphere.bodylanguage.streams import FPS, STREAMS
from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats, Ints, read_only
from kinesphere.speech.prosody.observation import OBSERVATIONS

Singles = NDArray[np.float32]
_LARGEST = 1e12  # far above any count or frame number
LONGEST_S = 600.0
"""Largest mean length of a cluster's segments; segments last about a second."""


@dataclass(frozen=True, eq=False)
class StreamModel:
    """Model of one stream, with ``n`` clusters, ``m`` segments, ``S`` speakers.

    Parameters
    ----------
    transitions : ``[S, 2n, 2n]`` counts.
    observations : ``[S, 2n, 36]`` counts.
    curves : ``[n, 2]`` continuation curves.
    lengths_s : ``[n]`` mean length of a cluster's segments in the training data.
    segments : ``[m, 3]`` first frame in the library, how many frames, cluster.
    speakers : ``[m]`` speaker of each segment.
    strengths : smoothing of transitions and observations, in counts.
    """

    transitions: Floats
    observations: Floats
    curves: Floats
    lengths_s: Floats
    segments: Ints
    speakers: Ints
    strengths: tuple[float, float] = (3.0, 6.0)

    def __post_init__(self) -> None:
        n, m, speakers = len(self.curves), len(self.segments), len(self.transitions)
        wanted = {
            "transitions": (speakers, 2 * n, 2 * n),
            "observations": (speakers, 2 * n, OBSERVATIONS),
            "curves": (n, 2),
            "lengths_s": (n,),
            "segments": (m, 3),
            "speakers": (m,),
        }
        for name, shape in wanted.items():
            whole = name in ("segments", "speakers")
            given = np.asarray(getattr(self, name))
            if given.shape != shape:
                raise InvalidValueError(f"{name} has shape {given.shape}, expected {shape}")
            if given.dtype.kind not in ("iu" if whole else "iuf"):
                raise InvalidValueError(
                    f"{name} holds {given.dtype}, which is not an allowed number type"
                )
            array = np.ascontiguousarray(given, dtype=np.int64 if whole else np.float64)
            if not (np.abs(array) < _LARGEST).all():
                raise InvalidValueError(f"{name} holds a value that is not a number, or too large")
            object.__setattr__(self, name, read_only(array))
        if not all(0.0 < s < _LARGEST for s in self.strengths):
            raise InvalidValueError(f"strengths are {self.strengths}, allowed is more than 0")
        if n == 0 or set(range(n)) != set(self.segments[:, 2].tolist()):
            raise InvalidValueError("every cluster needs a segment, and every segment a cluster")
        if (self.transitions < 0.0).any() or (self.observations < 0.0).any():
            raise InvalidValueError("a count is negative, allowed is 0 or more")
        longest = float(self.lengths_s.max())
        if longest > LONGEST_S:
            raise InvalidValueError(
                f"a cluster's segments are {longest:g} s long, allowed is up to {LONGEST_S:g} s"
            )
        if not (self.lengths_s >= 1e-3).all() or not (self.segments[:, :2] >= [0, 1]).all():
            raise InvalidValueError("a length or a frame is not positive")
        if m and not (self.speakers.min() >= 0 and self.speakers.max() < speakers):
            raise InvalidValueError(f"a segment's speaker is unknown, expected one of {speakers}")

    def __len__(self) -> int:
        return len(self.curves)

    def chain(self, weights: Floats) -> MarkovChain:
        """Probabilities for a mix of speakers, weights ``[S]`` (see `MarkovChain`).

        The speaker with the largest weight counts in full. A cluster of which they have no segment
        has probability 0.
        """
        share = weights / weights.max()
        moves = np.tensordot(share, self.transitions, axes=1)
        heard = np.tensordot(share, self.observations, axes=1)
        theirs = self.segments[weights[self.speakers] > 0.0, 2]
        known = np.tile(np.isin(np.arange(len(self)), theirs), 2)
        prior = np.where(known, state_shares(heard), 0.0)
        return MarkovChain(
            read_only(transition_table(moves, self.strengths[0])),
            read_only(observation_table(heard, self.strengths[1]) * known[:, None]),
            self.curves,
            self.lengths_s,
            read_only(prior / prior.sum()),
        )

    @cached_property
    def members(self) -> tuple[Ints, ...]:
        """Segments of each cluster."""
        return tuple(read_only(np.flatnonzero(self.segments[:, 2] == i)) for i in range(len(self)))

    @cached_property
    def segment_s(self) -> Floats:
        """Length of each segment ``[m]`` in seconds."""
        lengths: Floats = read_only(self.segments[:, 1] / FPS)
        return lengths


@dataclass(frozen=True, eq=False)
class BodyLanguageModel:
    """Everything that synthesis needs: counts, curves, segments and library.

    Parameters
    ----------
    name : of the model.
    speakers : names of the people it was trained on.
    streams : by name of the stream; a stream without training data is missing.
    turns : ``[frames, joints, 4]`` library, single precision, as in
        `training_motion.TrainingMotion`.
    pelvis : ``[frames, 3]``.
    provenance : plain JSON values: corpus, licence, seed, settings, versions.

    Examples
    --------
    >>> import kinesphere as ks
    >>> house = ks.model("house")
    >>> house.speakers, sorted(house.streams)
    (('critic', 'host', 'neutral'), ['arms', 'head', 'lower'])
    """

    name: str
    speakers: tuple[str, ...]
    streams: Mapping[str, StreamModel]
    turns: Singles
    pelvis: Singles
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        unknown = sorted(set(self.streams) - set(STREAMS))
        if unknown or not self.streams:
            raise InvalidValueError(
                f"streams are {', '.join(self.streams) or 'none'}, allowed are {', '.join(STREAMS)}"
            )
        frames = len(self.turns)
        if self.turns.ndim != 3 or self.turns.shape[2] != 4 or self.pelvis.shape != (frames, 3):
            raise InvalidValueError("rotations and pelvis of the library differ in length")
        for name, stream in self.streams.items():
            last = int((stream.segments[:, 0] + stream.segments[:, 1]).max())
            if last > frames:
                raise InvalidValueError(
                    f"a segment of {name} ends at frame {last} of {frames} in the library"
                )
            if len(stream.transitions) != len(self.speakers):
                raise InvalidValueError(f"{name} has counts for a different number of speakers")
        object.__setattr__(self, "streams", MappingProxyType(dict(self.streams)))
        object.__setattr__(self, "provenance", MappingProxyType(dict(self.provenance)))

    def weights(self, mix: Mapping[str, float] | str | None = None) -> Floats:
        """Weights ``[S]`` of speakers: a name, names with weights, or None for all alike."""
        if mix is None:
            return np.ones(len(self.speakers))
        wanted = {mix: 1.0} if isinstance(mix, str) else dict(mix)
        unknown = sorted(set(wanted) - set(self.speakers))
        if unknown:
            raise InvalidValueError(
                f"the model has no speaker {unknown[0]!r}; it has {', '.join(self.speakers)}"
            )
        out = np.array([float(wanted.get(name, 0.0)) for name in self.speakers])
        if not (np.isfinite(out).all() and (out >= 0.0).all() and out.sum() > 0.0):
            raise InvalidValueError(
                f"weights of speakers are {wanted}, allowed are >= 0, not all 0"
            )
        return out

    @property
    def duration_s(self) -> float:
        """Length of the library."""
        return len(self.turns) / FPS
