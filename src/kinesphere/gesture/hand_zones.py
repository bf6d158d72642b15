"""Rows of Table 4.1 as numbers: the middle of each interval, and the nearest row of a measurement.

Sizes are those of a person of 1.75 m.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.gesture.positions import DIMENSIONS, DISTANCES, INCLINATIONS, RADIALS, HandPosition
from kinesphere.maths.arrays import Floats, Ints

DISTANCES_M = {"touch": 0.03, "close": 0.14, "normal": 0.27, "far": 0.46}
_RADIALS_DEG = {"inward": -15.0, "front": 15.0, "side": 40.0, "out": 65.0, "far-out": 90.0}
_INCLINATIONS_DEG = {"touch": 5.0, "normal": 25.0, "out": 50.0, "orthogonal": 80.0}


def _centres() -> tuple[Floats, Floats, Floats]:
    return (
        np.array([DISTANCES_M[name] for name in DISTANCES]),
        np.radians([_RADIALS_DEG[name] for name in RADIALS]),
        np.radians([_INCLINATIONS_DEG[name] for name in INCLINATIONS]),
    )


_DISTANCE, _AZIMUTH, _SWIVEL = _centres()
_ANGLES = ((2, _AZIMUTH), (3, _SWIVEL))


def elbow_swivel(position: HandPosition) -> float:
    """Elbow swivel, radians outward from straight below the line from shoulder to wrist."""
    return float(_SWIVEL[position.indices[3]])


def centre_values(position: HandPosition) -> Floats:
    """Middle of a position's intervals ``[4]``, as `MeasuredPositions.values` has them."""
    h, d, r, s = position.indices
    return np.array([float(h), _DISTANCE[d], _AZIMUTH[r], _SWIVEL[s]])


def rows_of(values: ArrayLike) -> Ints:
    """Rows of Table 4.1 ``[..., 4]`` nearest to measured values ``[..., 4]``.

    >>> rows_of(centre_values(HandPosition("chest", "far", "side", "out")))
    array([3, 0, 2, 1])
    """
    x = np.asarray(values, dtype=np.float64)
    last = len(DIMENSIONS["height"]) - 1
    # Round halves up: a rule that does not depend on the row.
    rows = [np.clip(np.floor(x[..., 0] + 0.5), 0, last).astype(np.int64)]
    rows.append(np.abs(x[..., 1, None] - _DISTANCE).argmin(axis=-1))
    rows += [np.abs(wrap_angles(x[..., k, None] - c)).argmin(axis=-1) for k, c in _ANGLES]
    return np.stack(rows, axis=-1)


def position_of(values: ArrayLike) -> HandPosition:
    """Position nearest to four measured values.

    >>> str(position_of([2.4, 0.1, 0.2, 0.5]))
    'shoulder/close/front/normal'
    """
    rows = rows_of(values)
    return HandPosition.of_names(
        [names[int(row)] for names, row in zip(DIMENSIONS.values(), rows, strict=True)]
    )


def wrap_angles(angle: Floats) -> Floats:
    """Angles wrapped to [-pi, pi)."""
    return np.asarray((angle + np.pi) % (2.0 * np.pi) - np.pi)
