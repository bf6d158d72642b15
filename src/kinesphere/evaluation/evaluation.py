"""Evaluation of takes with all metrics, alone or compare with references."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain

import numpy as np

from kinesphere.errors import InvalidValueError
from kinesphere.evaluation.distributions import QUANTITIES, Histogram, Quantity, hellinger
from kinesphere.evaluation.diversity import diversity, same_length
from kinesphere.evaluation.frechet import FrechetDistance, frechet_distance, mean_parts
from kinesphere.evaluation.metric import Manner, Measure
from kinesphere.evaluation.metric_registry import combine_faults, measures
from kinesphere.evaluation.movement_table import WINDOW_S
from kinesphere.evaluation.reference_floor import Floor, each_against_the_rest, reference_floor
from kinesphere.evaluation.results import (
    Evaluation,
    FrechetRow,
    MovementRow,
    QuantityRow,
    TakeFigures,
)
from kinesphere.evaluation.side_by_side import compare, values_of
from kinesphere.evaluation.speech_timing import SpeechTiming, speech_timing
from kinesphere.evaluation.take_measures import (
    Piece,
    Subject,
    TakeMeasures,
    cut_reference,
    frechet_of,
    hellinger_of,
    measure_take,
)
from kinesphere.maths.arrays import Floats

FEW_REFERENCE_WINDOWS = 20
FEW_WINDOWS = 90
"""With fewer than two windows per feature dimension a covariance is a poor estimate."""


def evaluate(
    takes: Iterable[Subject],
    references: Iterable[Subject] = (),
    manner: Manner = "calm",
    seed: int = 0,
) -> Evaluation:
    """Evaluate takes, compare with references if there are any.

    Parameters
    ----------
    takes : one or more; those of equal length count as performances of one speech.
    references : motion to compare with, such as the training data of a model.
    manner : ranges of the table to compare with.
    seed : of shifts of the speech and of splits of the references.

    Raises
    ------
    InvalidValueError
        If there is no take, or one is shorter than a second.
    RigError
        If one is not a humanoid.
    """
    mine = [measure_take(take, keep_joints=True) for take in takes]
    theirs = [measure_take(take, keep_joints=False) for take in references]
    if not mine:
        raise InvalidValueError("no take to evaluate, needed is one")
    against = _Against(theirs, seed)
    equal = same_length([take.length_s for take in mine])
    return Evaluation(
        manner=manner,
        takes=tuple(_figures(take, against, seed) for take in mine),
        references=tuple(_figures(take, None, seed) for take in theirs),
        movement=tuple(_movement(m, mine, theirs, manner) for m in measures().values()),
        quantities=tuple(_quantity(q, mine, against) for q in QUANTITIES.values()),
        frechet=_frechet(mine, against),
        timing=_timing(mine, seed),
        reference_timing=_timing(theirs, seed),
        diversity=diversity([take.path for take in mine]) if equal else None,
        faults=combine_faults([take.faults for take in mine]),
        reference_faults=combine_faults([take.faults for take in theirs]),
        notes=tuple(
            chain(
                _notes_on_speech(mine, theirs),
                _notes_on_meshes(mine, theirs),
                _notes(mine, theirs, equal),
            )
        ),
    )


class _Against:
    """The references in pieces, and chance levels of distances to them."""

    def __init__(self, looks: Sequence[TakeMeasures], seed: int) -> None:
        self.looks, self.seed = looks, seed
        self.pieces = [piece for look in looks for piece in cut_reference(look)]
        self.vectors = np.concatenate([look.vectors for look in looks]) if looks else np.zeros(0)
        self.length_s = sum(look.length_s for look in looks)
        self.known: dict[tuple[str, int], Floor | None] = {}

    def counts(self, quantity: str) -> Floats:
        return np.asarray(np.sum([look.counts[quantity] for look in self.looks], axis=0))

    def distances(self, what: str) -> Callable[[Sequence[Piece], Sequence[Piece]], float]:
        return frechet_of if what == "frechet" else partial(hellinger_of, what)

    def floor(self, what: str, length_s: float) -> Floor | None:
        """Chance level of a distance for a motion of that length; equal lengths share one."""
        key = (what, round(length_s))
        if key not in self.known:
            share = length_s / self.length_s
            found = reference_floor(self.pieces, self.distances(what), share, seed=self.seed)
            self.known[key] = found
        return self.known[key]

    def between(self, what: str) -> tuple[float, ...]:
        whole = [Piece(look.vectors, look.counts) for look in self.looks]
        return each_against_the_rest(whole, self.distances(what))


def _figures(take: TakeMeasures, against: _Against | None, seed: int) -> TakeFigures:
    frechet: FrechetDistance | None = None
    floor: Floor | None = None
    distances: dict[str, float] = {}
    if against is not None and against.looks:
        distances = {n: hellinger(take.counts[n], against.counts(n)) for n in QUANTITIES}
        frechet = _distance(take.vectors, against.vectors)
        floor = None if frechet is None else against.floor("frechet", take.length_s)
    medians = {name: _median(values_of(m, take.rows)) for name, m in measures().items()}
    return TakeFigures(
        name=take.name,
        length_s=take.length_s,
        windows=len(take.rows),
        medians=medians,
        hellinger=distances,
        frechet=frechet,
        floor=floor,
        timing=_timing([take], seed),
        faults=take.faults,
        worst_joints_deg=take.worst,
    )


def _timing(looks: Sequence[TakeMeasures], seed: int) -> SpeechTiming | None:
    return speech_timing([look.spoken for look in looks if look.spoken is not None], seed)


def _median(values: Floats) -> float:
    return float(np.median(values)) if len(values) else np.nan


def _distance(a: Floats, b: Floats) -> FrechetDistance | None:
    return frechet_distance(a, b) if min(len(a), len(b)) >= 2 else None


def _movement(
    measure: Measure, mine: Sequence[TakeMeasures], theirs: Sequence[TakeMeasures], manner: Manner
) -> MovementRow:
    rows, others = ([row for take in looks for row in take.rows] for looks in (mine, theirs))
    values = values_of(measure, rows)
    accept = measure.accept(manner)
    inside = (values >= accept.low) & (values <= accept.high)
    accepted = float(np.mean(inside)) if len(values) else np.nan
    return MovementRow(compare(measure, values_of(measure, others), values), accept, accepted)


def _quantity(quantity: Quantity, mine: Sequence[TakeMeasures], against: _Against) -> QuantityRow:
    takes = np.asarray(np.sum([take.counts[quantity.name] for take in mine], axis=0))
    ours = _as_histogram(quantity, takes)
    if not against.looks:
        return QuantityRow(quantity, ours, None, np.nan, None, ())
    theirs = _as_histogram(quantity, against.counts(quantity.name))
    return QuantityRow(
        quantity,
        ours,
        theirs,
        hellinger(ours.shares, theirs.shares),
        against.floor(quantity.name, _length_s(mine)),
        against.between(quantity.name),
    )


def _as_histogram(quantity: Quantity, counts: Floats) -> Histogram:
    total = float(counts.sum())
    return Histogram(quantity.edges, counts / max(total, 1.0), round(total))


def _length_s(looks: Iterable[TakeMeasures]) -> float:
    return sum(look.length_s for look in looks)


def _frechet(mine: Sequence[TakeMeasures], against: _Against) -> FrechetRow | None:
    vectors = np.concatenate([take.vectors for take in mine])
    found = _distance(vectors, against.vectors)
    if found is None:
        return None
    return FrechetRow(
        found,
        against.floor("frechet", _length_s(mine)),
        against.between("frechet"),
        mean_parts(vectors, against.vectors),
    )


def _list_names(looks: Iterable[TakeMeasures]) -> str:
    names = [look.name for look in looks]
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _notes_on_speech(mine: Sequence[TakeMeasures], theirs: Sequence[TakeMeasures]) -> Iterator[str]:
    silent = [take for take in mine if take.spoken is None]
    deaf = [t for t in mine if t.spoken is not None and not len(t.spoken.speech.syllables_s)]
    if silent:
        yield f"no audio, so no timing with speech: {_list_names(silent)}"
    if deaf:
        yield f"no syllable is found: {_list_names(deaf)}"
    if len(silent) < len(mine) and theirs and all(take.spoken is None for take in theirs):
        yield "the references have no audio, so their timing with speech is unknown"


def _notes_on_meshes(mine: Sequence[TakeMeasures], theirs: Sequence[TakeMeasures]) -> Iterator[str]:
    shown = [take for take in (*mine, *theirs) if take.by_mesh]
    if shown:
        yield (
            "hands in the body and in each other are measured on the character's mesh, with "
            f"forearms: {_list_names(shown)}"
        )


def _notes(
    mine: Sequence[TakeMeasures], theirs: Sequence[TakeMeasures], equal: bool
) -> Iterator[str]:
    short = [take for take in mine if take.length_s < WINDOW_S]
    if short:
        yield f"shorter than the {WINDOW_S:g} s that the ranges are of: {_list_names(short)}"
    still = [take for take in (*mine, *theirs) if not take.rows]
    if still:
        yield f"the hands hardly move, so no window is measured: {_list_names(still)}"
    if len(mine) > 1 and not equal:
        yield "the takes are not equally long, so their diversity is not measured"
    if not theirs:
        yield "no references, so no distances to them"
        return
    windows = sum(len(look.rows) for look in theirs)
    if 0 < windows < FEW_REFERENCE_WINDOWS:
        yield (
            f"windows of {WINDOW_S:g} s in the references: {windows}; of fewer than "
            f"{FEW_REFERENCE_WINDOWS} their p5 to p95 are little more than the extremes"
        )
    for whose, looks in (("takes", mine), ("references", theirs)):
        count = sum(len(look.vectors) for look in looks)
        if count < FEW_WINDOWS:
            yield (
                f"windows of a second in the {whose}: {count}; of fewer than {FEW_WINDOWS} a "
                "Fréchet distance is too large: compare it only with its chance level"
            )
