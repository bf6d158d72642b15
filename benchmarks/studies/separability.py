"""How well a classifier tells two sets of windows apart, by features and by region of the body.

The classifier is a ridged, balanced logistic regression. Each window is scored by one that saw no
window of its group: of the same person, or of the same text or voice. AUC is the probability that a
window of people has the higher score: 1 where both sets are told apart, 0.5 where they are not.
Scores of different classifiers are pooled, which lowers the AUC of sets that cannot be told apart
below 0.5, and far below it with few people. The AUC by pairs is free of that: a group of either set is
held out, both are scored by one classifier, and the mean over all pairs is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from types import MappingProxyType

import numpy as np
from benchmarks.studies.body_features import COMPARED, REGIONS

from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Bools, Floats

COLUMNS: Mapping[str, Sequence[int]] = MappingProxyType(
    {
        region: [i for i, f in enumerate(COMPARED) if region in ("all", f.region)]
        for region in ("all", *REGIONS)
    }
)
"""Columns of compared features, of the whole body and of each region."""


@dataclass(frozen=True)
class ClassifierSettings:
    """Ridge on standardised features, their largest deviation in SD, and limits of the iteration.

    A ridge of 1 is what a single window weighs: with as many features as windows the weights stay
    finite. One odd window must not decide, hence the limit of 4 SD.
    """

    ridge: float = 1.0
    bias_ridge: float = 1e-6
    largest_sd: float = 4.0
    iterations: int = 50
    tolerance: float = 1e-8


@dataclass(frozen=True, eq=False)
class Windows:
    """Windows ``[windows, features]`` and the group of each: a person, a text or a voice."""

    features: Floats
    groups: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.features) != len(self.groups):
            raise InvalidValueError(
                f"{len(self.groups)} groups for {len(self.features)} windows, allowed is one each"
            )

    def __len__(self) -> int:
        return len(self.groups)

    @property
    def names(self) -> tuple[str, ...]:
        """Every group once."""
        return tuple(dict.fromkeys(self.groups))

    def of(self, groups: Iterable[str]) -> Windows:
        """Windows of some groups."""
        wanted = set(groups)
        rows = [i for i, group in enumerate(self.groups) if group in wanted]
        return Windows(self.features[rows], tuple(self.groups[i] for i in rows))


def auc(higher: Floats, lower: Floats) -> float:
    """Probability that a value of the first exceeds one of the second; ties count half.

    Values that are not finite are left out; NaN if none is left.

    >>> auc(np.array([2.0, 3.0]), np.array([1.0, 2.0]))
    0.875
    """
    a, b = higher[np.isfinite(higher)], lower[np.isfinite(lower)]
    if not len(a) or not len(b):
        return np.nan
    gap = a[:, None] - b[None]
    return float(np.mean((gap > 0) + 0.5 * (gap == 0)))


def fit_logistic(
    rows: Floats, positive: Bools, settings: ClassifierSettings | None = None
) -> Floats:
    """Weights ``[features + 1]``, the bias last, of a ridged regression with balanced classes.

    Each class weighs as much as half of the windows; solved by Newton's method.

    Raises
    ------
    InvalidValueError
        If all windows are of one class.
    """
    settings = settings or ClassifierSettings()
    share = float(np.mean(positive))
    if not 0.0 < share < 1.0:
        raise InvalidValueError("all windows are of one class, needed are both")
    known = np.column_stack([rows, np.ones(len(rows))])
    weight = np.where(positive, 0.5 / share, 0.5 / (1.0 - share))
    ridge = np.diag([*[settings.ridge] * rows.shape[1], settings.bias_ridge])
    found = np.zeros(known.shape[1])
    for _ in range(settings.iterations):
        chance = 1.0 / (1.0 + np.exp(-np.clip(known @ found, -30.0, 30.0)))
        slope = known.T @ (weight * (chance - positive)) + ridge @ found
        curvature = (known * (weight * chance * (1.0 - chance))[:, None]).T @ known + ridge
        step = np.linalg.solve(curvature, slope)
        found = found - step
        if np.abs(step).max() < settings.tolerance:
            break
    return found


def held_out_scores(
    rows: Floats,
    positive: Bools,
    groups: Sequence[str],
    settings: ClassifierSettings | None = None,
    *,
    only: str | None = None,
) -> Floats:
    """Score of every window by a classifier that saw no window of its group.

    A value that was not measured counts as the mean. NaN where all others are of one class, and
    outside the group `only` if it is given.
    """
    settings = settings or ClassifierSettings()
    names = np.array(groups)
    scores = np.full(len(rows), np.nan)
    for group in np.unique(names) if only is None else [only]:
        tested = names == group
        if len(np.unique(positive[~tested])) < 2:
            continue
        scaled = _standardised(rows, ~tested, settings.largest_sd)
        weights = fit_logistic(scaled[~tested], positive[~tested], settings)
        scores[tested] = scaled[tested] @ weights[:-1] + weights[-1]
    return scores


def _standardised(rows: Floats, seen: Bools, largest_sd: float) -> Floats:
    """Rows in SD of those seen."""
    known = np.isfinite(rows[seen])
    count = np.maximum(known.sum(axis=0), 1)
    mean = np.where(known, rows[seen], 0.0).sum(axis=0) / count
    spread = np.sqrt((np.where(known, rows[seen] - mean, 0.0) ** 2).sum(axis=0) / count)
    scaled = (rows - mean) / (spread + 1e-9)
    return np.where(np.isfinite(rows), np.clip(scaled, -largest_sd, largest_sd), 0.0)


def separability(people: Windows, others: Windows, *, pairs: bool = False) -> dict[str, float]:
    """AUC of people against others over all features and for each region of the body.

    Parameters
    ----------
    people, others : both sets; a group of one name in both is held out together.
    pairs : hold out a group of either set at a time, instead of pooling the scores.
    """
    rows = np.vstack([people.features, others.features])
    positive = np.arange(len(rows)) < len(people)
    groups = [*people.groups, *others.groups]
    out = {}
    for region, columns in COLUMNS.items():
        if pairs:
            out[region] = _paired_auc(rows[:, columns], positive, groups)
        else:
            scores = held_out_scores(rows[:, columns], positive, groups)
            out[region] = auc(scores[positive], scores[~positive])
    return out


def _paired_auc(rows: Floats, positive: Bools, groups: Sequence[str]) -> float:
    """Mean AUC of all pairs of groups; NaN if no pair leaves windows of both sets."""
    names = np.array(groups)
    found = []
    for one, other in product(np.unique(names[positive]), np.unique(names[~positive])):
        both = (names == one) | (names == other)
        merged = np.where(both, "", names)
        scores = held_out_scores(rows, positive, merged.tolist(), only="")
        first, second = positive & (names == one), ~positive & (names == other)
        found.append(auc(scores[first], scores[second]))
    known = [value for value in found if np.isfinite(value)]
    return float(np.mean(known)) if known else np.nan


def halves_of_people(
    people: Windows, *, pairs: bool = False, most: int = 10, seed: int = 0
) -> dict[str, float]:
    """Median AUC of one half of the people against the other, over up to `most` ways to halve them.

    NaN for fewer than four people: half of three is one, and nobody is left to learn from.
    """
    names = people.names
    if len(names) < 4:
        return dict.fromkeys(COLUMNS, np.nan)
    ways = list(combinations(names, len(names) // 2))
    found = []
    for way in np.random.default_rng(seed).permutation(len(ways))[:most]:
        rest = [name for name in names if name not in ways[way]]
        found.append(separability(people.of(ways[way]), people.of(rest), pairs=pairs))
    return {region: float(np.median([row[region] for row in found])) for region in COLUMNS}
