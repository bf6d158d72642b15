"""Compiled loops of Ward clustering and of micro-clusters; plain references are in the tests."""

from __future__ import annotations

import numba
import numpy as np

from kinesphere.maths.arrays import Floats, Ints
from kinesphere.maths.compiled import compiled, reads

_ROW, _ROWS = reads("float64", 1), reads("float64", 2)
_INTS = reads("int64", 1)


@numba.njit(error_model="numpy")
def square_distance(a: Floats, b: Floats, most: float) -> float:
    """Squared distance of two vectors; any value above `most` if it is larger."""
    total = 0.0
    n = len(a)
    k = 0
    while k + 8 <= n:
        part = 0.0
        for i in range(k, k + 8):
            part += (a[i] - b[i]) * (a[i] - b[i])
        total += part
        if total > most:
            return total
        k += 8
    for i in range(k, n):
        total += (a[i] - b[i]) * (a[i] - b[i])
    return total


@compiled("void(f8[:, ::1], f8[::1], i8[:, ::1], f8[::1])")
def ward_merges(centres: Floats, sizes: Floats, pairs: Ints, heights: Floats) -> None:
    """All ``n - 1`` merges of Ward's method by the nearest-neighbour chain, not sorted by height.

    `centres` ``[n, d]`` and `sizes` ``[n]`` are worked on in place: a merged cluster is stored in
    the row of the first of its pair. The height is the growth of the sum of squares.
    """
    n = len(sizes)
    alive = np.arange(n)
    places = np.arange(n)
    living = n
    chain = np.empty(n, dtype=np.int64)
    length = 0
    grown = np.zeros(n)
    done = 0
    while living > 1:
        if length == 0:
            chain[0] = alive[0]
            length = 1
        while True:
            here = chain[length - 1]
            nearest = -1
            least = np.inf
            if length > 1:
                nearest = chain[length - 2]
                share = sizes[here] * sizes[nearest] / (sizes[here] + sizes[nearest])
                least = share * square_distance(centres[here], centres[nearest], np.inf)
            for k in range(living):
                other = alive[k]
                if other == here:
                    continue
                share = sizes[here] * sizes[other] / (sizes[here] + sizes[other])
                height = share * square_distance(centres[here], centres[other], least / share)
                if height < least:
                    least = height
                    nearest = other
            if length > 1 and nearest == chain[length - 2]:
                break
            chain[length] = nearest
            length += 1
        a = min(here, nearest)
        b = max(here, nearest)
        length -= 2
        ratio = sizes[b] / (sizes[a] + sizes[b])
        for i in range(centres.shape[1]):
            centres[a, i] += ratio * (centres[b, i] - centres[a, i])
        sizes[a] += sizes[b]
        grown[a] = max(least, max(grown[a], grown[b]))
        pairs[done, 0] = a
        pairs[done, 1] = b
        heights[done] = grown[a]
        done += 1
        living -= 1
        place = places[b]
        alive[place] = alive[living]
        places[alive[place]] = place


@compiled(f"i8({_ROWS}, {_INTS}, {_ROW}, f8[:, ::1])")
def seeds(vectors: Floats, rows: Ints, chances: Floats, centres: Floats) -> int:
    """Choose centres ``[m, d]`` among some rows, far ones more likely (k-means++).

    `chances` ``[m]`` are uniform random numbers. Returns how many were found; fewer where there are
    fewer different vectors.
    """
    n = len(rows)
    away = np.full(n, np.inf)
    chosen = rows[min(int(chances[0] * n), n - 1)]
    for k in range(len(centres)):
        centres[k] = vectors[chosen]
        total = 0.0
        for i in range(n):
            away[i] = min(away[i], square_distance(vectors[rows[i]], centres[k], away[i]))
            total += away[i]
        if total <= 0.0 or k + 1 == len(centres):
            return k + 1
        wanted = chances[k + 1] * total
        chosen = -1
        for i in range(n):
            if away[i] > 0.0:
                chosen = rows[i]
                wanted -= away[i]
                if wanted < 0.0:
                    break
    return len(centres)


@compiled(f"void({_ROWS}, {_INTS}, {_ROWS}, i8[::1])")
def assign(vectors: Floats, rows: Ints, centres: Floats, labels: Ints) -> None:
    """Nearest centre of each of some rows, into `labels` ``[len(rows)]``.

    The previous label is tried first.
    """
    for i in range(len(rows)):
        best = labels[i]
        vector = vectors[rows[i]]
        least = square_distance(vector, centres[best], np.inf)
        for k in range(len(centres)):
            distance = square_distance(vector, centres[k], least)
            if distance < least:
                least = distance
                best = k
        labels[i] = best


@compiled(f"void({_ROWS}, {_INTS}, {_INTS}, f8[:, ::1], f8[::1])")
def average(vectors: Floats, rows: Ints, labels: Ints, centres: Floats, sizes: Floats) -> None:
    """Means and sizes of the groups of some rows; an empty group keeps its centre."""
    sums = np.zeros_like(centres)
    sizes[:] = 0.0
    for i in range(len(rows)):
        sizes[labels[i]] += 1.0
        for j in range(vectors.shape[1]):
            sums[labels[i], j] += vectors[rows[i], j]
    for k in range(len(centres)):
        if sizes[k] > 0.0:
            for j in range(centres.shape[1]):
                centres[k, j] = sums[k, j] / sizes[k]
