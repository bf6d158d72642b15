"""Selection of gestures and hands against brute force."""

from __future__ import annotations

import math
from itertools import combinations, pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesphere.corpus.annotation.annotation import HANDEDNESS
from kinesphere.corpus.profiles.counts import GestureCounts
from kinesphere.corpus.profiles.profile import NO_SMOOTHING, Profile, Smoothing
from kinesphere.generation.creation import Candidate
from kinesphere.generation.hand_selection import hand_weight, select_hands, select_shapes
from kinesphere.generation.selection import LexemeChain, Trellis
from kinesphere.generation.settings import GenerationSettings

NAMES = ("Cup", "Beat", "Wipe")
SETTINGS = GenerationSettings()


def profile(smoothing: Smoothing = NO_SMOOTHING) -> Profile:
    counts = GestureCounts(
        duration_s=60.0,
        lexemes={"Cup": 6, "Beat": 3, "Wipe": 1},
        hands={"RH": 5, "LH": 2, "2H": 3},
        lexeme_pairs={("", "Cup"): 1, ("Cup", "Cup"): 3, ("Cup", "Beat"): 2, ("Beat", "Wipe"): 1},
        hand_pairs={("RH", "RH"): 3, ("RH", "2H"): 2, ("2H", "LH"): 1, ("LH", "RH"): 2},
        lexeme_hands={
            ("Cup", "RH"): 4,
            ("Cup", "2H"): 2,
            ("Beat", "LH"): 2,
            ("Beat", "RH"): 1,
            ("Wipe", "2H"): 1,
        },
    )
    return Profile("test", "en", counts, (), smoothing=smoothing)


@st.composite
def candidate_lists(draw: st.DrawFn) -> list[Candidate]:
    """Up to twelve candidates; some are of one group elsewhere."""
    rows: list[tuple[str, float, int, int, int]] = []
    while len(rows) < 12 and draw(st.integers(0, 9)) > 0:
        first = draw(st.integers(0, 9))
        last = first + draw(st.integers(0, 2))
        name, p = draw(st.sampled_from(NAMES)), draw(st.floats(0.11, 1.0))
        group = len(rows)
        rows.append((name, p, first, last, group))
        elsewhere = draw(st.integers(0, 11))
        while len(rows) < 12 and draw(st.booleans()):
            other = draw(st.sampled_from(NAMES))
            if draw(st.booleans()):
                rows.append((other, draw(st.floats(0.11, 1.0)), first, last, group))
            else:
                rows.append((other, p, elsewhere, elsewhere, group))
    order = sorted(range(len(rows)), key=lambda i: (rows[i][2], rows[i][3], i))
    out = []
    for n, i in enumerate(order):
        name, p, first, last, group = rows[i]
        out.append(Candidate(n, name, "T", p, first, last, (first, last), group))
    return out


def legal(path: tuple[Candidate, ...]) -> bool:
    apart = all(a.last < b.first for a, b in pairwise(path))
    return apart and len({c.group for c in path}) == len(path)


def maximal_paths(candidates: list[Candidate]) -> list[tuple[Candidate, ...]]:
    ordered = sorted(candidates, key=lambda c: (c.first, c.last, c.number))
    paths = [
        path
        for size in range(len(ordered) + 1)
        for path in combinations(ordered, size)
        if legal(path)
    ]
    known = set(paths)

    def grows(path: tuple[Candidate, ...]) -> bool:
        for extra in ordered:
            if extra not in path:
                longer = sorted((*path, extra), key=lambda c: (c.first, c.last, c.number))
                if tuple(longer) in known:
                    return True
        return False

    return [path for path in paths if not grows(path)]


def chain_of(speaker: Profile) -> LexemeChain:
    return LexemeChain(NAMES, speaker, SETTINGS)


def weight_of(path: tuple[Candidate, ...], speaker: Profile) -> float:
    chain = chain_of(speaker)
    total = 1.0
    for before, candidate in zip((None, *path), path, strict=False):
        total *= chain.weight(candidate, before)
    return total


def distinct(paths: list[tuple[Candidate, ...]]) -> list[tuple[Candidate, ...]]:
    """Paths without those that differ in a less likely twin of the same lexeme and words."""
    best: dict[tuple[tuple[str, int, int, int], ...], tuple[Candidate, ...]] = {}
    for path in paths:
        key = tuple((c.lexeme, c.first, c.last, c.group) for c in path)
        chance = [c.probability for c in path]
        if key not in best or chance > [c.probability for c in best[key]]:
            best[key] = path
    return list(best.values())


@settings(max_examples=300, deadline=None)
@given(candidate_lists())
def test_the_best_path_is_that_of_brute_force(candidates: list[Candidate]) -> None:
    speaker = profile(Smoothing())
    path, value = Trellis(candidates).best(chain_of(speaker))
    wanted = max(weight_of(p, speaker) for p in maximal_paths(candidates))
    assert math.exp(value) == pytest.approx(wanted, rel=1e-9)
    assert weight_of(tuple(path), speaker) == pytest.approx(wanted, rel=1e-9)


@settings(max_examples=200, deadline=None)
@given(candidate_lists())
def test_the_trellis_holds_all_maximal_paths(candidates: list[Candidate]) -> None:
    speaker = profile(Smoothing())
    chain = chain_of(speaker)
    paths = distinct(maximal_paths(candidates))
    trellis = Trellis(candidates)
    total, scale = trellis.totals(chain)
    summed = float(total[0][0]) * math.exp(scale[0])
    assert summed == pytest.approx(sum(weight_of(p, speaker) for p in paths), rel=1e-9)
    wanted: dict[str, float] = {}
    whole = sum(weight_of(p, speaker) for p in paths)
    for path in paths:
        for candidate in path:
            share = weight_of(path, speaker) / whole
            wanted[candidate.lexeme] = wanted.get(candidate.lexeme, 0.0) + share
    found = dict(zip(chain.names, trellis.expected_counts(chain), strict=True))
    for name in NAMES:
        assert found[name] == pytest.approx(wanted.get(name, 0.0), rel=1e-9, abs=1e-12)


def test_paths_are_drawn_in_proportion() -> None:
    candidates = [
        Candidate(0, "Cup", "T", 0.9, 0, 0, (0, 0), 0),
        Candidate(1, "Beat", "T", 0.4, 1, 2, (1, 2), 1),
        Candidate(2, "Wipe", "T", 0.5, 2, 3, (2, 3), 2),
        Candidate(3, "Cup", "T", 0.9, 4, 4, (0, 0), 0),
        Candidate(4, "Beat", "T", 0.3, 4, 5, (4, 5), 4),
    ]
    speaker = profile(Smoothing())
    paths = maximal_paths(candidates)
    whole = sum(weight_of(p, speaker) for p in paths)
    wanted = {tuple(c.number for c in p): weight_of(p, speaker) / whole for p in paths}
    rng = np.random.default_rng(3)
    trellis = Trellis(candidates)
    chain = chain_of(speaker)
    seen: dict[tuple[int, ...], int] = {}
    for _ in range(4000):
        path = tuple(c.number for c in trellis.sample(chain, rng))
        seen[path] = seen.get(path, 0) + 1
    assert set(seen) <= set(wanted)
    for path, share in wanted.items():
        assert seen.get(path, 0) / 4000 == pytest.approx(share, abs=0.03)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(NAMES), min_size=1, max_size=6))
def test_the_best_hands_are_those_of_brute_force(lexemes: list[str]) -> None:
    speaker = profile(Smoothing())
    path = [Candidate(i, n, "T", 0.5, i, i, (i, i), i) for i, n in enumerate(lexemes)]

    def weight(hands: tuple[str, ...]) -> float:
        total = 1.0
        for before, lexeme, hand in zip(("", *hands), lexemes, hands, strict=False):
            total *= hand_weight(speaker, SETTINGS, lexeme, hand, before)
        return total

    best = max(weight(hands) for hands in product(HANDEDNESS, repeat=len(path)))
    found = select_hands(path, speaker, SETTINGS, np.random.default_rng(0))
    assert weight(tuple(found)) == pytest.approx(best, rel=1e-9)


def test_weights_are_the_papers() -> None:
    speaker = profile()
    weight = chain_of(speaker).weight
    cup = Candidate(0, "Cup", "T", 0.5, 0, 0, (0, 0))
    beat = Candidate(1, "Beat", "T", 0.25, 1, 1, (1, 1))
    assert weight(cup, None) == pytest.approx(0.6 * 0.5 + 0.4 * 0.6)
    assert weight(beat, cup) == pytest.approx(0.6 * 0.25 + 0.4 * 2 / 5)
    assert hand_weight(speaker, SETTINGS, "Cup", "2H", "RH") == pytest.approx(
        0.5 * 2 / 6 + 0.2 * 0.3 + 0.3 * 2 / 5
    )


def test_hands_that_were_asked_for_are_used() -> None:
    path = [Candidate(0, "Cup", "", 1.0, 0, 0, (0, 0), asked=True, hands="LH")]
    for sampling in (False, True):
        chosen = GenerationSettings(sampling=sampling)
        assert select_hands(path, profile(), chosen, np.random.default_rng(0)) == ["LH"]


def test_hand_shapes_are_kept_where_they_are_legal() -> None:
    assert select_shapes(["Cup", "Shrug", "Wipe", "Cup"]) == ["cup", "cup", "open-flat", "cup"]
    assert select_shapes(["FlingDown", "Dismiss"]) == ["fist-loose>open-rlx", "open-rlx"]
