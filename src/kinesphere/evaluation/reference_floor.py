"""Distances between parts of the references: the chance level of a distance to them.

A distance between samples is never 0, and larger for fewer samples. So the references are cut into
pieces of 10 s, and a few of these, in total as long as the evaluated motion, are compared with the
rest, many times. A take that is no farther from the references than that cannot be distinguished
from them by this measure. Pieces of one recording are more alike than two recordings: if there are
several, each is also compared with all the others, which shows how much these differ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import numpy as np

from kinesphere.errors import InvalidValueError

PIECE_S = 10.0
REPEATS = 40

Piece = TypeVar("Piece")


@dataclass(frozen=True)
class Floor:
    """Distances between parts of the references.

    Parameters
    ----------
    median, high : median and p95 of them.
    pieces, of : how many pieces, of about 10 s, were compared with the rest, and of how many.
    """

    median: float
    high: float
    pieces: int
    of: int


def pieces_of(length_s: float) -> list[tuple[float, float]]:
    """Start and end of the pieces of a recording; a rest of less than half a piece joins the last.

    >>> pieces_of(27.0), pieces_of(24.0), pieces_of(3.0)
    ([(0.0, 10.0), (10.0, 20.0), (20.0, 27.0)], [(0.0, 10.0), (10.0, 24.0)], [(0.0, 3.0)])
    """
    count = max(round(length_s / PIECE_S), 1)
    edges = [k * PIECE_S for k in range(count)] + [length_s]
    return list(pairwise(edges))


def reference_floor(
    pieces: Sequence[Piece],
    distance: Callable[[Sequence[Piece], Sequence[Piece]], float],
    share: float,
    repeats: int = REPEATS,
    seed: int = 0,
) -> Floor | None:
    """Distances of some pieces of the references to the rest; None of fewer than two pieces.

    Parameters
    ----------
    pieces : of all references.
    distance : of two sets of pieces.
    share : length of the evaluated motion relative to the references; it is represented by at most
        half of the pieces.
    """
    if not share > 0.0:
        raise InvalidValueError(f"a share of {share:g}, allowed is above 0")
    total = len(pieces)
    if total < 2:
        return None
    some = min(max(round(share * total), 1), total // 2)
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(repeats):
        order = rng.permutation(total)
        found.append(distance([pieces[i] for i in order[:some]], [pieces[i] for i in order[some:]]))
    found = [value for value in found if np.isfinite(value)]
    if not found:
        return None
    median, high = (float(q) for q in np.quantile(found, (0.5, 0.95)))
    return Floor(median, high, some, total)


def each_against_the_rest(
    references: Sequence[Piece], distance: Callable[[Sequence[Piece], Sequence[Piece]], float]
) -> tuple[float, ...]:
    """Distance of each reference to all the others; empty of fewer than two."""
    if len(references) < 2:
        return ()
    return tuple(
        distance([one], [*references[:i], *references[i + 1 :]]) for i, one in enumerate(references)
    )
