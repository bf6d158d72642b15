"""All results of an evaluation as one value.

Each take has its own figures; those of all takes together pool their windows, samples and beats,
and have the same figures of the references for comparison.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinesphere.evaluation.distributions import Histogram, Quantity
from kinesphere.evaluation.diversity import Diversity
from kinesphere.evaluation.frechet import FrechetDistance
from kinesphere.evaluation.metric import Accept, Manner, Measure
from kinesphere.evaluation.reference_floor import Floor
from kinesphere.evaluation.side_by_side import SideBySide
from kinesphere.evaluation.speech_timing import SpeechTiming


@dataclass(frozen=True, eq=False)
class TakeFigures:
    """Results of one take.

    Parameters
    ----------
    name, length_s, windows : windows are those in which the hands move.
    medians : of every measure of the table over its windows; NaN if unavailable.
    hellinger : distance of its histograms to the references', by quantity; empty without these.
    frechet, floor : distance to the references, and its chance level.
    timing : with its speech; None without any.
    faults : artefact metrics of `kinesphere.evaluation.metric_registry.faults`.
    worst_joints_deg : joints farthest past their limits.
    """

    name: str
    length_s: float
    windows: int
    medians: Mapping[str, float]
    hellinger: Mapping[str, float]
    frechet: FrechetDistance | None
    floor: Floor | None
    timing: SpeechTiming | None
    faults: Mapping[str, float]
    worst_joints_deg: Mapping[str, float]


@dataclass(frozen=True)
class MovementRow:
    """A measure of the table: all takes, all references, and the accepted range.

    Parameters
    ----------
    sides : references are its training, takes its synthesis.
    accept, accepted : the range of the table, and the proportion of values inside; NaN without any.
    """

    sides: SideBySide
    accept: Accept
    accepted: float

    @property
    def measure(self) -> Measure:
        """What was measured."""
        return self.sides.measure


@dataclass(frozen=True, eq=False)
class QuantityRow:
    """Histograms of a quantity: all takes, all references, and their distance.

    Parameters
    ----------
    distance : Hellinger distance; NaN without references.
    floor, between : chance level, and distances of each reference to the others.
    """

    quantity: Quantity
    takes: Histogram
    references: Histogram | None
    distance: float
    floor: Floor | None
    between: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class FrechetRow:
    """Fréchet distance of all takes together to the references.

    Parameters
    ----------
    floor, between : chance level, and distances of each reference to the others.
    parts : of its mean part, by part of the feature.
    """

    distance: FrechetDistance
    floor: Floor | None
    between: tuple[float, ...]
    parts: Mapping[str, float]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """All results for a set of takes, and for references if there are any.

    Parameters
    ----------
    manner : ranges of the table.
    takes, references : each by itself.
    movement, quantities, frechet, timing : of all takes together.
    reference_timing : of all references with audio together.
    diversity : between takes of equal length.
    faults, reference_faults : the maximum over all, the mean of proportions and mean rates.
    notes : what was omitted, and warnings.

    Examples
    --------
    >>> import kinesphere as ks
    >>> found = ks.evaluate(ks.perform("This is huge!", "host", seed=1, voice="none"))
    >>> found.takes[0].name, found.references
    ('take 1', ())
    """

    manner: Manner
    takes: tuple[TakeFigures, ...]
    references: tuple[TakeFigures, ...]
    movement: tuple[MovementRow, ...]
    quantities: tuple[QuantityRow, ...]
    frechet: FrechetRow | None
    timing: SpeechTiming | None
    reference_timing: SpeechTiming | None
    diversity: Diversity | None
    faults: Mapping[str, float]
    reference_faults: Mapping[str, float]
    notes: tuple[str, ...]

    @property
    def accepted(self) -> float:
        """Proportion of values that the table accepts, all measures weighted equally; or NaN."""
        shares = [row.accepted for row in self.movement if np.isfinite(row.accepted)]
        return float(np.mean(shares)) if shares else np.nan

    @property
    def inside(self) -> float:
        """Proportion of values within p5 to p95 of the references, likewise; or NaN."""
        shares = [row.sides.inside for row in self.movement if np.isfinite(row.sides.inside)]
        return float(np.mean(shares)) if shares else np.nan

    def document(self) -> dict[str, Any]:
        """Everything as plain JSON values; missing values are None."""
        from kinesphere.evaluation.document import document_of

        return document_of(self)

    def __str__(self) -> str:
        from kinesphere.evaluation.text_report import text_of

        return text_of(self)
