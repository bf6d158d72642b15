"""A classifier of Effort: predicts each factor's element from an arm's motion alone.

For each factor a multinomial logistic regression on the descriptors (and their squares) predicts
indulging, neutral or fighting. It is trained on one set of movements and tested on another.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinesphere.errors import InvalidValueError
from kinesphere.expression.phrase import EFFORT_FACTORS
from kinesphere.maths.arrays import Floats, Ints

_CLASSES = np.array([-1, 0, 1])


@dataclass(frozen=True)
class EffortObserver:
    """Classifier to be trained with `fit`; fitted attributes end in ``_``.

    Parameters
    ----------
    ridge : weight of the squared coefficients, against overfitting.
    steps : of Newton's method.
    """

    ridge: float = 1.0
    steps: int = 25

    def fit(self, descriptors: Floats, efforts: Ints) -> FittedObserver:
        """Train on descriptors ``[n, d]`` and elements ``[n, 4]`` of -1, 0 and 1."""
        x = np.asarray(descriptors, dtype=np.float64)
        y = np.asarray(efforts)
        if len(x) != len(y) or y.shape[1:] != (4,):
            raise InvalidValueError(f"{len(x)} descriptions for elements of shape {y.shape}")
        middle, scale = x.mean(axis=0), x.std(axis=0) + 1e-9
        features = _features((x - middle) / scale)
        weights = np.stack([self._regress(features, y[:, f]) for f in range(4)])
        return FittedObserver(middle, scale, weights)

    def _regress(self, x: Floats, y: Ints) -> Floats:
        """Coefficients ``[3, d]`` of one factor's classes."""
        n, d = x.shape
        targets = (y[:, None] == _CLASSES).astype(float)
        counts = targets.sum(axis=0)
        # Classes are weighted equally, whatever their frequency.
        balance = targets @ (n / (3.0 * np.maximum(counts, 1.0)))
        w = np.zeros((3, d))
        penalty = self.ridge * np.ones(d)
        penalty[0] = 1e-6
        for _ in range(self.steps):
            p = _softmax(x @ w.T)
            gradient = ((p - targets) * balance[:, None]).T @ x + penalty * w
            for k in range(3):
                # A bound of the Hessian that keeps each class's step downhill.
                curvature = (x * (balance * (p[:, k] * (1 - p[:, k]) + 0.05))[:, None]).T @ x
                w[k] -= np.linalg.solve(curvature + np.diag(penalty), gradient[k])
        return w


@dataclass(frozen=True)
class FittedObserver:
    """A trained classifier."""

    middle_: Floats
    scale_: Floats
    weights_: Floats

    def judge(self, descriptors: Floats) -> Ints:
        """Elements ``[n, 4]`` of -1, 0 and 1 for descriptors ``[n, d]``."""
        x = _features((np.asarray(descriptors, dtype=np.float64) - self.middle_) / self.scale_)
        return np.stack([_CLASSES[np.argmax(x @ w.T, axis=1)] for w in self.weights_], axis=1)


def _features(z: Floats) -> Floats:
    bounded = np.clip(z, -4.0, 4.0)
    d = z.shape[1]
    pairs = [bounded[:, i] * bounded[:, j] for i in range(d) for j in range(i, d)]
    return np.column_stack([np.ones(len(z)), bounded, *pairs])


def _softmax(z: Floats) -> Floats:
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return np.asarray(e / e.sum(axis=1, keepdims=True))


@dataclass(frozen=True)
class Scores:
    """Percentages as in EMOTE's Table 4, and further ones.

    Parameters
    ----------
    correct, neutral, opposite : over all judgements; together 100. Neutral is a shown Effort that
        was not recognised, or one recognised where none was shown.
    displayed : recall of the shown Efforts.
    unshown : recall of the neutral factors.
    elements : recall of each element, by its name.
    """

    correct: float
    neutral: float
    opposite: float
    displayed: float
    unshown: float
    elements: dict[str, float]
    judgements: int


ELEMENTS = {
    ("space", -1): "Indirect",
    ("space", 1): "Direct",
    ("weight", -1): "Light",
    ("weight", 1): "Strong",
    ("time", -1): "Sustained",
    ("time", 1): "Sudden",
    ("flow", -1): "Free",
    ("flow", 1): "Bound",
}


def score(shown: Ints, seen: Ints) -> Scores:
    """Compare shown with predicted elements, both ``[n, 4]`` of -1, 0 and 1."""
    shown, seen = np.asarray(shown), np.asarray(seen)
    right = shown == seen
    opposite = shown * seen == -1

    def percent(flags: Ints) -> float:
        return 100.0 * float(np.mean(flags)) if flags.size else float("nan")

    elements = {}
    for (factor, sign), name in ELEMENTS.items():
        column = EFFORT_FACTORS.index(factor)
        here = shown[:, column] == sign
        elements[name] = percent(right[here, column])
    return Scores(
        correct=percent(right),
        neutral=percent(~right & ~opposite),
        opposite=percent(opposite),
        displayed=percent(right[shown != 0]),
        unshown=percent(right[shown == 0]),
        elements=elements,
        judgements=int(shown.size),
    )
