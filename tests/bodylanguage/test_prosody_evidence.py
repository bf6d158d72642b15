"""What prosody tells: against the definition, none where there is none, some where it was planted."""

from __future__ import annotations

import numpy as np
import pytest

from kinesphere.bodylanguage.learn.prosody_evidence import mutual_information, prosody_evidence
from tests.pipeline.talking import corpus, trained


def direct(o: np.ndarray, s: np.ndarray) -> float:
    """Mutual information by its definition, one pair of values after the other."""
    bits = 0.0
    for x in set(o.tolist()):
        for y in set(s.tolist()):
            both = float(np.mean((o == x) & (s == y)))
            if both:
                bits += both * np.log2(both / (np.mean(o == x) * np.mean(s == y)))
    return float(bits)


def test_bits_are_the_mutual_information(rng: np.random.Generator) -> None:
    rows = [(rng.integers(0, 36, n), rng.integers(0, 8, n)) for n in (40, 1, 300)]
    o, s = (np.concatenate(column) for column in zip(*rows, strict=True))
    found = mutual_information(rows, shifts=5)
    assert found.bits == pytest.approx(direct(o, s), abs=1e-12)
    assert found.observations == 341


def test_the_order_of_recordings_and_names_of_states_do_not_matter(
    rng: np.random.Generator,
) -> None:
    rows = [(rng.integers(0, 36, n), rng.integers(0, 8, n)) for n in (40, 90)]
    renamed = [(35 - o, 3 * s + 1) for o, s in rows]
    assert mutual_information(rows[::-1], shifts=3).bits == pytest.approx(
        mutual_information(rows, shifts=3).bits, abs=1e-12
    )
    assert mutual_information(renamed, shifts=3).bits == pytest.approx(
        mutual_information(rows, shifts=3).bits, abs=1e-12
    )


def test_chance_is_seldom_taken_for_more_even_if_both_have_a_rhythm() -> None:
    """Series that stay for some steps look related to a test that counts every step as new."""
    found = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        o = np.repeat(rng.integers(0, 36, 80), rng.geometric(1 / 6, 80))[:400]
        s = np.repeat(rng.integers(0, 10, 120), rng.geometric(1 / 4, 120))[:400]
        o, s = o[: len(s)], s[: len(o)]
        found.append(mutual_information([(o, s)], seed=seed, shifts=40).p)
    assert np.mean(np.array(found) < 0.05) < 0.12
    assert 0.35 < np.mean(found) < 0.65


def test_a_planted_rule_is_seen(rng: np.random.Generator) -> None:
    o = rng.integers(0, 36, 500)
    s = np.where(rng.random(500) < 0.7, o % 4, rng.integers(0, 4, 500))
    found = mutual_information([(o, s)])
    assert found.p < 0.01
    assert 0.2 < found.share < 0.7
    exact = mutual_information([(o, o % 4)])
    assert exact.bits == pytest.approx(exact.unknown_bits)


def test_nothing_tells_nothing() -> None:
    none = mutual_information([(np.zeros(0, int), np.zeros(0, int))])
    assert (none.bits, none.p, none.share, none.observations) == (0.0, 1.0, 0.0, 0)
    alike = mutual_information([(np.zeros(9, int), np.zeros(9, int))])
    assert (alike.bits, alike.p, alike.share) == (0.0, 1.0, 0.0)


def test_accents_tell_of_hands_in_a_corpus_where_they_do() -> None:
    assert corpus().is_dir()
    found = trained().evidence
    assert set(found) == {"head", "arms", "lower"}
    for stream, rows in found.items():
        assert rows.state.observations == int(trained().model.streams[stream].observations.sum())
        assert rows.syllables.observations < rows.state.observations
        assert rows.starts.unknown_bits <= 1.0
    assert min(found["head"].starts.p, found["arms"].starts.p) < 0.05


def test_the_same_seed_gives_the_same(rng: np.random.Generator) -> None:
    rows = [(rng.integers(0, 36, 50), rng.integers(0, 8, 50))]
    assert mutual_information(rows, seed=3) == mutual_information(rows, seed=3)
    assert prosody_evidence([], {}) == {}
