"""All measurements of a take in one pass; its clip is not needed afterwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from kinesphere.character.figure import Figure
from kinesphere.errors import InvalidValueError
from kinesphere.evaluation.artefacts import limit_breaches
from kinesphere.evaluation.distributions import QUANTITIES, Quantity, hellinger, histogram
from kinesphere.evaluation.frechet import frechet_distance
from kinesphere.evaluation.gesture_feature import HOP_S, BodyPath, body_path, features
from kinesphere.evaluation.mesh_penetration import shows_a_body
from kinesphere.evaluation.metric_registry import faults
from kinesphere.evaluation.movement import RATE_HZ, WristMotion, wrist_motion
from kinesphere.evaluation.movement_table import active_windows, measure_window
from kinesphere.evaluation.reference_floor import pieces_of
from kinesphere.evaluation.speech_timing import SpeechMarks, SpokenMotion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig

LEAST_S = 1.0
_WORST_JOINTS = 4


@dataclass(frozen=True, eq=False)
class Subject:
    """A take to evaluate.

    Parameters
    ----------
    name : in tables.
    clip, rig : the motion and what its joints are.
    speech : its speech analysis; without it there is no timing with speech.
    segments : segment ends by the name of their tier, seconds.
    source : name in messages, such as its file; the name if empty.
    figure : the mesh of its character, on which penetration is measured; None without one.
    """

    name: str
    clip: Clip
    rig: Rig
    speech: SpeechMarks | None = None
    segments: Mapping[str, Floats] = field(default_factory=dict)
    source: str = ""
    figure: Figure | None = None


@dataclass(frozen=True, eq=False)
class TakeMeasures:
    """Measurements of a take, without its clip.

    `by_mesh` says whether penetration is measured on the mesh of its character.
    """

    name: str
    motion: WristMotion
    path: BodyPath
    vectors: Floats
    rows: Sequence[Mapping[str, float]]
    counts: Mapping[str, Floats]
    spoken: SpokenMotion | None
    faults: Mapping[str, float]
    worst: Mapping[str, float]
    by_mesh: bool

    @property
    def length_s(self) -> float:
        """Length in seconds."""
        return len(self.motion) / RATE_HZ


def measure_take(take: Subject, keep_joints: bool) -> TakeMeasures:
    """Measure a take; joint positions are kept only for comparing poses between takes.

    Raises
    ------
    InvalidValueError
        If it is shorter than a second.
    RigError
        If it is not a humanoid.
    """
    length, called = take.clip.duration_s, take.source or take.name
    if length < LEAST_S:
        raise InvalidValueError(f"{called}: {length:.2f} s of motion, needed is {LEAST_S:g} s")
    take.rig.require(f"{called}: evaluation")
    motion, path = wrist_motion(take.clip, take.rig), body_path(take.clip, take.rig)
    speech = None if take.speech is None else take.speech.between(0.0, motion.duration_s)
    speaking = None if speech is None or not speech.spans else list(speech.spans)
    worst = limit_breaches(take.clip, take.rig).worst_deg
    figure = take.figure
    if figure is not None and not shows_a_body(figure, take.rig):
        figure = None
    return TakeMeasures(
        name=take.name,
        motion=motion,
        path=path if keep_joints else BodyPath(path.channels[:0], path.joints[:0]),
        vectors=features(path),
        rows=[measure_window(motion, a, b, speaking) for a, b in active_windows(motion)],
        counts={name: _counts(q, motion, slice(None)) for name, q in QUANTITIES.items()},
        spoken=None if speech is None else SpokenMotion(motion, speech, take.segments),
        faults=faults(take.clip, take.rig, None if speaking is None else tuple(speaking), figure),
        by_mesh=figure is not None,
        worst=dict(list(worst.items())[:_WORST_JOINTS]),
    )


def _counts(quantity: Quantity, motion: WristMotion, span: slice) -> Floats:
    found = histogram(quantity.of(motion)[span], quantity.edges)
    return found.shares * found.count


@dataclass(frozen=True, eq=False)
class Piece:
    """A piece of a reference: its feature vectors and counts."""

    vectors: Floats
    counts: Mapping[str, Floats]


def cut_reference(take: TakeMeasures) -> list[Piece]:
    """Pieces of a reference."""
    starts = np.arange(len(take.vectors)) * HOP_S
    out = []
    for a, b in pieces_of(take.length_s):
        here = (starts >= a) & (starts < b)
        span = take.motion.frames(a, b)
        counts = {name: _counts(q, take.motion, span) for name, q in QUANTITIES.items()}
        out.append(Piece(take.vectors[here], counts))
    return out


def frechet_of(a: Sequence[Piece], b: Sequence[Piece]) -> float:
    """Fréchet distance of two sets of pieces; NaN of fewer than two windows."""
    first, second = (np.concatenate([piece.vectors for piece in x]) for x in (a, b))
    if min(len(first), len(second)) < 2:
        return np.nan
    return frechet_distance(first, second).value


def hellinger_of(name: str, a: Sequence[Piece], b: Sequence[Piece]) -> float:
    """Hellinger distance of a quantity between two sets of pieces."""
    first, second = (np.sum([piece.counts[name] for piece in x], axis=0) for x in (a, b))
    return hellinger(first, second)
