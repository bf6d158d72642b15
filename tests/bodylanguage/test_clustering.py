"""Ward's method: the partition of another implementation, weights, the sketch, edge cases."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster
from scipy.cluster.hierarchy import ward as scipy_ward

from kinesphere.bodylanguage.learn.clustering import cluster, micro_clusters, ward
from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats, Ints
from tests.bodylanguage.material import adjusted_rand


def overlapping(rng: np.random.Generator, n: int, d: int = 12, groups: int = 60) -> Floats:
    """Vectors without clear groups, wider in some directions than in others."""
    centres = rng.normal(size=(groups, d))
    return (centres[rng.integers(groups, size=n)] + rng.normal(size=(n, d))) / np.sqrt(
        1 + np.arange(d)
    )


def planted(rng: np.random.Generator, n: int, groups: int, d: int = 10) -> tuple[Floats, Ints]:
    """Vectors in groups of uneven size, well apart."""
    centres = 12.0 * np.linalg.qr(rng.normal(size=(max(groups, d), d)))[0][:groups]
    centres += 6.0 * rng.normal(size=(groups, d))
    labels = rng.choice(groups, size=n, p=rng.dirichlet(np.full(groups, 3.0)))
    return centres[labels] + rng.normal(scale=0.5, size=(n, d)), labels


def spread(vectors: Floats, labels: Ints) -> float:
    """Sum of squares within clusters."""
    sizes = np.bincount(labels)
    sums = np.stack([np.bincount(labels, weights=column) for column in vectors.T], axis=1)
    return float((vectors**2).sum() - (sums**2 / sizes[:, None]).sum())


@given(st.integers(0, 2**32 - 1), st.integers(2, 120), st.integers(1, 20), st.integers(1, 24))
def test_the_partition_is_that_of_scipy(seed: int, n: int, d: int, clusters: int) -> None:
    vectors = np.random.default_rng(seed).normal(size=(n, d))
    labels = ward(vectors, None, clusters)
    assert len(np.unique(labels)) == min(n, clusters)
    assert adjusted_rand(labels, fcluster(scipy_ward(vectors), clusters, "maxclust")) == 1.0


def test_the_partition_is_that_of_scipy_on_many(rng: np.random.Generator) -> None:
    vectors = overlapping(rng, 900, 25)
    for clusters in (6, 20, 45):
        theirs = fcluster(scipy_ward(vectors), clusters, "maxclust")
        assert adjusted_rand(ward(vectors, None, clusters), theirs) == 1.0


@given(st.integers(0, 2**32 - 1), st.integers(2, 40), st.integers(1, 8))
@settings(max_examples=50)
def test_a_size_stands_for_so_many_of_the_same(seed: int, n: int, clusters: int) -> None:
    rng = np.random.default_rng(seed)
    vectors, sizes = rng.normal(size=(n, 4)), rng.integers(1, 6, size=n)
    clusters = min(clusters, n)
    weighted = ward(vectors, sizes, clusters)
    repeated = ward(np.repeat(vectors, sizes, axis=0), None, clusters)
    assert np.array_equal(np.repeat(weighted, sizes), repeated)


@given(st.integers(0, 2**32 - 1), st.integers(2, 60), st.integers(1, 9))
@settings(max_examples=50)
def test_order_place_and_scale_make_no_difference(seed: int, n: int, clusters: int) -> None:
    rng = np.random.default_rng(seed)
    vectors, order = rng.normal(size=(n, 5)), rng.permutation(n)
    labels = ward(vectors, None, clusters)
    assert adjusted_rand(ward(vectors[order], None, clusters), labels[order]) == 1.0
    assert adjusted_rand(ward(4.0 * vectors + 1.0, None, clusters), labels) == 1.0


@given(st.lists(st.integers(0, 4), min_size=1, max_size=40), st.integers(1, 12))
def test_ties_and_duplicates(values: list[int], clusters: int) -> None:
    vectors = 0.1 * np.array(values, dtype=np.float64)[:, None] * np.array([1.0, -0.3, 7.0])
    labels = ward(vectors, None, clusters)
    assert len(np.unique(labels)) == min(clusters, len(set(values)))
    if clusters >= len(set(values)):
        assert adjusted_rand(labels, values) == 1.0
    firsts = [labels.tolist().index(k) for k in range(labels.max() + 1)]
    assert firsts == sorted(firsts)


def test_the_sketch_finds_planted_groups(rng: np.random.Generator) -> None:
    vectors, groups = planted(rng, 2000, 12)
    exact, sketched = cluster(vectors, 12), cluster(vectors, 12, sketch=300)
    assert adjusted_rand(exact, groups) == 1.0
    assert adjusted_rand(sketched, exact) >= 0.95


def test_the_sketch_is_nearly_as_tight_as_the_exact_clusters(rng: np.random.Generator) -> None:
    vectors = overlapping(rng, 5000, 20)
    exact = spread(vectors, ward(vectors, None, 45))
    assert spread(vectors, cluster(vectors, 45)) < 1.02 * exact
    assert spread(vectors, cluster(vectors, 45, sketch=1000)) < 1.05 * exact
    assert spread(vectors, np.arange(5000) % 45) > 1.3 * exact


def test_micro_clusters_are_means_of_their_members(rng: np.random.Generator) -> None:
    vectors = overlapping(rng, 3000)
    labels, centres, sizes = micro_clusters(vectors, 400)
    assert 350 <= len(centres) <= 400
    assert np.array_equal(sizes, np.bincount(labels, minlength=len(centres)))
    assert sizes.min() >= 1
    means = np.stack([vectors[labels == k].mean(axis=0) for k in range(len(centres))])
    assert centres == pytest.approx(means, abs=1e-12)
    assert spread(vectors, labels) < 0.5 * spread(vectors, np.zeros(3000, dtype=np.int64))


def test_compiled_steps_are_the_plain_ones(rng: np.random.Generator) -> None:
    from kinesphere.bodylanguage.learn.clustering_kernels import assign, average, seeds

    vectors, rows = rng.normal(size=(300, 11)), rng.permutation(300)[:200]
    centres, chances = np.empty((9, 11)), rng.random(9)
    assert seeds(vectors, rows, chances, centres) == 9
    some = vectors[rows]
    plain = [some[int(chances[0] * 200)]]
    for chance in chances[1:]:
        away = ((some[:, None] - np.array(plain)) ** 2).sum(axis=-1).min(axis=1)
        plain.append(some[np.searchsorted(np.cumsum(away), chance * away.sum(), side="right")])
    assert np.array_equal(centres, plain)
    labels, sizes = rng.integers(9, size=200), np.empty(9)
    assign(vectors, rows, centres, labels)
    assert np.array_equal(labels, ((some[:, None] - centres) ** 2).sum(axis=-1).argmin(axis=1))
    average(vectors, rows, labels, centres, sizes)
    assert np.array_equal(sizes, np.bincount(labels, minlength=9))
    assert centres == pytest.approx(np.stack([some[labels == k].mean(axis=0) for k in range(9)]))


def test_the_same_seed_gives_the_same(rng: np.random.Generator) -> None:
    vectors = overlapping(rng, 3000)
    first = cluster(vectors, 20, sketch=300, seed=4)
    assert np.array_equal(cluster(vectors, 20, sketch=300, seed=4), first)
    assert not np.array_equal(cluster(vectors, 20, sketch=300, seed=5), first)


def test_many_of_a_few_different_vectors_count_as_many(rng: np.random.Generator) -> None:
    few, counts = rng.normal(size=(40, 3)), rng.integers(1, 200, size=40) ** 2 // 100 + 1
    which = np.concatenate([np.arange(40), rng.permutation(np.repeat(np.arange(40), counts))])
    labels = cluster(few[which], 8, sketch=400)
    assert np.array_equal(labels[:40], ward(few, counts + 1, 8))
    assert np.array_equal(labels, labels[:40][which])
    assert np.array_equal(cluster(few[which], 50, sketch=400), which)


def test_one_vector_is_one_cluster_and_none_is_an_error() -> None:
    assert cluster(np.ones((1, 3)), 5).tolist() == [0]
    assert cluster(np.ones((4, 3)), 5).tolist() == [0, 0, 0, 0]
    assert cluster(np.array([[1.0], [2.0], [1.0]]), 5).tolist() == [0, 1, 0]
    with pytest.raises(InvalidValueError, match="at least one"):
        cluster(np.empty((0, 3)), 5)
    with pytest.raises(InvalidValueError, match="not finite"):
        cluster(np.full((2, 3), np.nan), 5)
    with pytest.raises(InvalidValueError, match="1 or more"):
        cluster(np.ones((2, 3)), 0)
    with pytest.raises(InvalidValueError, match="2 numbers above 0"):
        ward(np.ones((2, 3)), [1.0, 0.0], 1)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=14))
def test_the_adjusted_rand_index_counts_pairs(rows: list[tuple[int, int]]) -> None:
    a, b = np.array(rows).T
    pairs = np.triu_indices(len(a), 1)
    one, other = (x[pairs[0]] == x[pairs[1]] for x in (a, b))
    both, chance = (one & other).sum(), one.sum() * other.sum() / len(one)
    most = 0.5 * (one.sum() + other.sum())
    expected = 1.0 if most == chance else (both - chance) / (most - chance)
    assert adjusted_rand(a, b) == pytest.approx(expected)
    assert adjusted_rand(a, a) == 1.0


def test_chance_agrees_by_about_nothing(rng: np.random.Generator) -> None:
    a, b = rng.integers(8, size=(2, 5000))
    assert abs(adjusted_rand(a, b)) < 0.01
