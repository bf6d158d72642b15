"""Ward's hierarchical clustering: exact for thousands of vectors, on micro-clusters beyond.

Exact clustering uses the nearest-neighbour chain over centroids: memory is linear in the number of
vectors, and the partition is that of any other algorithm for Ward's method. Beyond some thousand
vectors, they are first grouped into micro-clusters in linear time, and Ward's method is applied to
these, with their sizes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats, Ints

_LLOYD_STEPS = 4


def ward(vectors: ArrayLike, sizes: ArrayLike | None, clusters: int) -> Ints:
    """Labels ``[n]`` of Ward's clusters, numbered from 0 in order of first occurrence.

    Equal vectors are always in one cluster, so there may be fewer clusters than requested.

    Parameters
    ----------
    vectors : ``[n, d]``.
    sizes : ``[n]`` how many vectors each represents; None for one.
    clusters : how many, at least 1.

    Raises
    ------
    InvalidValueError
        If there are no vectors, one is not finite, or no cluster is requested.
    """
    from kinesphere.bodylanguage.learn.clustering_kernels import ward_merges

    centres = _check(vectors, clusters).copy()
    n = len(centres)
    weights = np.ones(n) if sizes is None else np.array(sizes, dtype=np.float64)
    if weights.shape != (n,) or not (np.isfinite(weights).all() and (weights > 0.0).all()):
        raise InvalidValueError(f"sizes must be {n} numbers above 0")
    pairs, heights = np.empty((n - 1, 2), dtype=np.int64), np.empty(n - 1)
    ward_merges(centres, weights, pairs, heights)
    order = np.argsort(heights, kind="stable")
    merges = max(n - clusters, int(np.count_nonzero(heights == 0.0)))
    return _first_come(_join(n, pairs[order[:merges]]))


def _join(n: int, pairs: Ints) -> Ints:
    """A representative member of each one's group."""
    parents = list(range(n))

    def root(i: int) -> int:
        while parents[i] != i:
            parents[i] = parents[parents[i]]
            i = parents[i]
        return i

    for a, b in pairs.tolist():
        parents[root(b)] = root(a)
    return np.array([root(i) for i in range(n)], dtype=np.int64)


def _first_come(labels: Ints) -> Ints:
    """Labels numbered from 0 in the order in which they first occur."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return np.asarray(rank[inverse.reshape(-1)])


def _check(vectors: ArrayLike, clusters: int) -> Floats:
    array = np.ascontiguousarray(vectors, dtype=np.float64)
    if array.ndim != 2 or len(array) == 0:
        raise InvalidValueError(f"vectors of shape {array.shape}, expected at least one to cluster")
    if not np.isfinite(array).all():
        raise InvalidValueError("a vector to be clustered is not finite")
    if clusters < 1:
        raise InvalidValueError(f"{clusters} clusters, allowed is 1 or more")
    return array


def cluster(vectors: ArrayLike, clusters: int, *, sketch: int = 3000, seed: int = 0) -> Ints:
    """Labels ``[n]`` of Ward's clusters: exact up to `sketch` vectors, on micro-clusters beyond.

    Time and memory beyond grow with n. The same vectors in the same order give the same labels.

    Raises
    ------
    InvalidValueError
        If there are no vectors, one is not finite, or fewer than 1 cluster is requested.
    """
    array = _check(vectors, clusters)
    if len(array) <= max(sketch, clusters):
        return ward(array, None, clusters)
    members, centres, sizes = micro_clusters(array, max(sketch, clusters), seed)
    return _first_come(ward(centres, sizes, clusters)[members])


def micro_clusters(vectors: Floats, count: int, seed: int = 0) -> tuple[Ints, Floats, Floats]:
    """Group vectors ``[n, d]`` into about `count` tight groups, in time linear in n.

    First into about sqrt(count) cells, then each cell in proportion to its size: k-means each time.

    Returns
    -------
    labels ``[n]``, centres ``[m, d]``, sizes ``[m]``, m at most `count`.
    """
    rng = np.random.default_rng(seed)
    cells, rows = max(1, round(count**0.5)), np.arange(len(vectors))
    sample = np.sort(rng.choice(len(vectors), min(len(vectors), 50 * cells), replace=False))
    centres = _means(vectors, sample, cells, rng)[1]
    cell = _nearest(vectors, rows, centres)
    labels, all_centres, total = np.empty(len(vectors), dtype=np.int64), [], 0
    by_cell = np.split(np.argsort(cell, kind="stable"), np.cumsum(np.bincount(cell))[:-1])
    shares = _shares(np.array([len(r) for r in by_cell]), count)
    for members, share in zip(by_cell, shares.tolist(), strict=True):
        if len(members) == 0:
            continue
        inner, fine = _means(vectors, members, share, rng)
        labels[members] = inner + total
        all_centres.append(fine)
        total += len(fine)
    sizes = np.bincount(labels, minlength=total).astype(np.float64)
    return labels, np.concatenate(all_centres), sizes


def _shares(sizes: Ints, count: int) -> Ints:
    """Number of groups per cell: by its size, at least one, `count` at most in all."""
    filled = sizes > 0
    shares = filled + np.floor((count - filled.sum()) * sizes / sizes.sum())
    return np.asarray(np.minimum(shares, sizes), dtype=np.int64)


def _means(
    vectors: Floats, rows: Ints, count: int, rng: np.random.Generator
) -> tuple[Ints, Floats]:
    """Labels of some rows and centres of k-means, without empty groups."""
    from kinesphere.bodylanguage.learn.clustering_kernels import assign, average, seeds

    centres = np.empty((count, vectors.shape[1]))
    centres = centres[: seeds(vectors, rows, rng.random(count), centres)].copy()
    labels, sizes = np.zeros(len(rows), dtype=np.int64), np.empty(len(centres))
    for _ in range(_LLOYD_STEPS):
        assign(vectors, rows, centres, labels)
        average(vectors, rows, labels, centres, sizes)
    kept = np.flatnonzero(sizes)
    return np.searchsorted(kept, labels), centres[kept]


def _nearest(vectors: Floats, rows: Ints, centres: Floats) -> Ints:
    from kinesphere.bodylanguage.learn.clustering_kernels import assign

    labels = np.zeros(len(rows), dtype=np.int64)
    assign(vectors, rows, centres, labels)
    return labels
