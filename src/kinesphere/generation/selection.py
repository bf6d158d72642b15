"""Step 2: selection among the candidates (section 5.2.2), with hand and hand shape.

Only maximal paths compete: sequences of candidates that do not overlap, to which no further one
could be added; of a group (all that one word triggers, copies on the focus included) at most one is
on a path. A path's weight is the product of its gestures' probabilities, each given the one before
it. The best path is found exactly, or one is sampled in proportion to the weights.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from kinesphere.corpus.profiles.profile import Profile
from kinesphere.generation.creation import Candidate
from kinesphere.generation.settings import GenerationSettings
from kinesphere.gesture.lexicon import lexicon
from kinesphere.maths.arrays import Floats, Ints

_Numbers = frozenset[int]
_NOTHING = -1e300  # logarithm of zero weight


@dataclass(frozen=True)
class Slot:
    """Candidates over the same words and of one group: at most one of them is performed."""

    first: int
    last: int
    group: int
    candidates: tuple[Candidate, ...]


def slots_of(candidates: Sequence[Candidate]) -> list[Slot]:
    """Candidates grouped into slots, in order of their words."""
    rows: dict[tuple[int, int, int], list[Candidate]] = {}
    for c in candidates:
        rows.setdefault((c.first, c.last, c.group), []).append(c)
    return [Slot(*key, tuple(rows[key])) for key in sorted(rows)]


class LexemeChain:
    """Weights of lexemes along a path: P(g | g before) = 0.6 P(g | tag) + 0.4 P(g | g before).

    `factor` multiplies the weight of each lexeme.
    """

    def __init__(
        self, names: Sequence[str], profile: Profile, settings: GenerationSettings
    ) -> None:
        self.names = tuple(dict.fromkeys(names))
        self.place = {name: i for i, name in enumerate(self.names)}
        self.by_tag, self.by_previous = settings.by_tag, settings.by_previous
        self.lenience = settings.lenience
        self.start = np.array([profile.following(n, "") for n in self.names])
        self.follow = np.array(
            [[profile.following(n, before) for n in self.names] for before in self.names]
        ).reshape(len(self.names), len(self.names))
        self.factor = np.ones(len(self.names))

    def weight(self, candidate: Candidate, before: Candidate | None) -> float:
        """Weight of one candidate after another, or at the start."""
        i = self.place[candidate.lexeme]
        chained = self.start[i] if before is None else self.follow[self.place[before.lexeme], i]
        own = self.by_tag * candidate.probability + self.by_previous * float(chained)
        return own * candidate.fit * float(self.factor[i] ** candidate.free)


@dataclass
class _Node:
    """A slot as the last of a path so far, and the constraints on the rest of the path.

    `used` are groups on the path with members ahead, `owed` groups of which a member ahead must be
    chosen, because only that permits that another was skipped.
    """

    slot: int
    used: _Numbers
    owed: _Numbers
    after: list[int] = field(default_factory=list)
    final: bool = False


class Trellis:
    """All maximal paths through slots, as a graph of nodes without dead ends."""

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        self.slots = slots_of(candidates)
        self.firsts = np.array([slot.first for slot in self.slots], dtype=np.int64)
        self._last_start: dict[int, int] = {}  # of each group, the start of its last member
        for slot in self.slots:
            self._last_start[slot.group] = max(self._last_start.get(slot.group, -1), slot.first)
        self.nodes: list[_Node] = [_Node(-1, frozenset(), frozenset())]
        self._known: dict[tuple[int, _Numbers, _Numbers], int] = {}
        self._names: tuple[str, ...] = ()
        self._own: tuple[Floats, Floats, Floats] | None = None
        self._build()

    def _build(self) -> None:
        at = 0
        # Nodes are found in any order of time, but every edge leads to a later slot.
        while at < len(self.nodes):
            self._expand(at)
            at += 1
        order = sorted(range(len(self.nodes)), key=lambda n: self.nodes[n].slot, reverse=True)
        alive: set[int] = set()
        for n in order:
            node = self.nodes[n]
            node.after = [k for k in node.after if k in alive]
            if node.final or node.after:
                alive.add(n)
        self.order = [n for n in reversed(order) if n in alive]

    def _expand(self, at: int) -> None:
        node = self.nodes[at]
        last = self.slots[node.slot].last if node.slot >= 0 else -1
        start = int(np.searchsorted(self.firsts, last + 1))
        skipped: list[int] = []  # slots that could lie wholly before the next one
        for k in range(start, len(self.slots)):
            chosen = self.slots[k]
            self._step(node, k, [m for m in skipped if self.slots[m].last < chosen.first])
            skipped.append(k)
            if self._must_stop(node, skipped, chosen.first):
                return
        node.final = not node.owed and all(self._is_excused(node, m) for m in skipped)

    def _must_stop(self, node: _Node, skipped: list[int], first: int) -> bool:
        """Whether a skipped slot can no longer be permitted by anything ahead."""
        for m in skipped:
            if self.slots[m].last >= first or self._is_excused(node, m):
                continue
            if self._last_start[self.slots[m].group] < first:
                return True
        return False

    def _is_excused(self, node: _Node, m: int) -> bool:
        """Whether a slot cannot be on the path because another of its group is."""
        return self.slots[m].group in node.used

    def _step(self, node: _Node, k: int, gap: list[int]) -> None:
        chosen = self.slots[k]
        if self._is_excused(node, k):
            return
        owed = set(node.owed)
        owed.update(self.slots[m].group for m in gap if not self._is_excused(node, m))
        owed.discard(chosen.group)
        if any(not self._ahead(group, chosen.last) for group in owed):
            return
        used = {u for u in (*node.used, chosen.group) if self._ahead(u, chosen.last)}
        key = (k, frozenset(used), frozenset(owed))
        if key not in self._known:
            self._known[key] = len(self.nodes)
            self.nodes.append(_Node(*key))
        node.after.append(self._known[key])

    def _ahead(self, group: int, last: int) -> bool:
        return self._last_start[group] > last

    def own_weights(self, chain: LexemeChain) -> tuple[Floats, Floats]:
        """P(l | tag) of every slot, and its lexemes' fit (0 for none), ``[slots, lexemes]``.

        The fit has the chain's factors, as far as each candidate is free to follow them.
        """
        if self._own is None or self._names != chain.names:
            self._own, self._names = self._find_weights(chain), chain.names
        own, there, free = self._own
        return own, there * chain.factor**free

    def _find_weights(self, chain: LexemeChain) -> tuple[Floats, Floats, Floats]:
        own = np.zeros((len(self.slots), len(chain.names)))
        there, free = np.zeros_like(own), np.ones_like(own)
        for i, slot in enumerate(self.slots):
            for c in slot.candidates:
                k = chain.place[c.lexeme]
                if c.probability > own[i, k]:
                    own[i, k], there[i, k], free[i, k] = c.probability, c.fit, c.free
        return own, there, free

    def best(self, chain: LexemeChain) -> tuple[list[Candidate], float]:
        """Most probable path and the logarithm of its weight; an empty path without candidates."""
        own, there = self.own_weights(chain)
        value: dict[int, Floats] = {}
        way: dict[int, tuple[Ints, Ints]] = {}
        count = len(chain.names)
        for n in reversed(self.order):
            node = self.nodes[n]
            rows = chain.start[None] if node.slot < 0 else chain.follow
            top = np.full(len(rows), 0.0 if node.final else _NOTHING)
            where, what = np.zeros(len(rows), dtype=np.int64), np.zeros(len(rows), dtype=np.int64)
            for k in node.after:
                slot = self.nodes[k].slot
                weight = chain.by_tag * own[slot] + chain.by_previous * rows
                logs = np.log(np.maximum(weight * there[slot], 1e-300)) + value[k]
                logs = np.where(there[slot] > 0.0, logs, _NOTHING)
                picked = logs.argmax(axis=1)
                score = logs[np.arange(len(rows)), picked]
                better = score > top
                top = np.where(better, score, top)
                where, what = np.where(better, k, where), np.where(better, picked, what)
            value[n], way[n] = top, (where, what)
        if count == 0 or 0 not in value:
            return [], 0.0
        return self._path(way), float(value[0][0])

    def _path(self, way: dict[int, tuple[Ints, Ints]]) -> list[Candidate]:
        out: list[Candidate] = []
        n, lexeme = 0, 0
        names: list[tuple[int, int]] = []
        while not self.nodes[n].final:
            where, what = way[n]
            n, lexeme = int(where[lexeme]), int(what[lexeme])
            names.append((self.nodes[n].slot, lexeme))
        for slot, k in names:
            out.append(self._candidate(slot, k))
        return out

    def _candidate(self, slot: int, lexeme: int) -> Candidate:
        rows = [c for c in self.slots[slot].candidates if c.lexeme == self._names[lexeme]]
        return max(rows, key=lambda c: c.probability)

    def totals(self, chain: LexemeChain) -> tuple[dict[int, Floats], dict[int, float]]:
        """Summed weight of all continuations of each node by its lexeme, scaled; log scales."""
        own, fit = self.own_weights(chain)
        total: dict[int, Floats] = {}
        scale: dict[int, float] = {}
        for n in reversed(self.order):
            node = self.nodes[n]
            rows = chain.start[None] if node.slot < 0 else chain.follow
            if node.final:
                total[n], scale[n] = np.ones(len(rows)), 0.0
                continue
            base = max(scale[k] for k in node.after)
            ahead = np.zeros(len(chain.names))
            direct = 0.0
            for k in node.after:
                slot = self.nodes[k].slot
                way = fit[slot] * total[k] * math.exp(scale[k] - base)
                direct += float(own[slot] @ way)
                ahead += way
            summed = chain.by_tag * direct + chain.by_previous * (rows @ ahead)
            top = max(float(summed.max()), 1e-300)
            total[n], scale[n] = summed / top, base + math.log(top)
        return total, scale

    def sample(
        self, chain: LexemeChain, rng: np.random.Generator, expected: Floats | None = None
    ) -> list[Candidate]:
        """Sample a path in proportion to its weight.

        With the `expected` numbers of lexemes, one that occurred more often than expected so far is
        sampled less, and vice versa: a speaker's frequencies are reached within a minute.
        """
        total, scale = self.totals(chain)
        own, there = self.own_weights(chain)
        out: list[Candidate] = []
        done = np.zeros(len(chain.names))
        rest = np.ones(len(chain.names))
        n, lexeme = 0, -1
        while n in total and not self.nodes[n].final:
            node = self.nodes[n]
            row = chain.start if lexeme < 0 else chain.follow[lexeme]
            base = max(scale[k] for k in node.after)
            shares = []
            for k in node.after:
                slot = self.nodes[k].slot
                weight = chain.by_tag * own[slot] + chain.by_previous * row
                shares.append(rest * weight * there[slot] * total[k] * math.exp(scale[k] - base))
            table = np.concatenate(shares)
            running = np.cumsum(table)
            pick = int(np.searchsorted(running, rng.random() * running[-1], side="right"))
            pick = min(pick, len(table) - 1)
            n, lexeme = node.after[pick // len(row)], pick % len(row)
            out.append(self._candidate(self.nodes[n].slot, lexeme))
            done[lexeme] += 1.0
            if expected is not None:
                due = expected * (len(out) + 1.0) / max(expected.sum(), 1.0)
                rest = (due + chain.lenience) / (done + chain.lenience)
        return out

    def expected_counts(self, chain: LexemeChain) -> Floats:
        """Expected number of gestures of each lexeme on a sampled path."""
        total, scale = self.totals(chain)
        own, fit = self.own_weights(chain)
        reach: dict[int, Floats] = {n: np.zeros(len(total[n])) for n in self.order}
        out = np.zeros(len(chain.names))
        if 0 not in reach:
            return out
        reach[0][:] = 1.0
        for n in self.order:
            node = self.nodes[n]
            if node.final:
                continue
            rows = chain.start[None] if node.slot < 0 else chain.follow
            ratio = reach[n] / np.maximum(total[n], 1e-300)
            direct, chained = chain.by_tag * float(ratio.sum()), chain.by_previous * (ratio @ rows)
            for k in node.after:
                slot = self.nodes[k].slot
                ahead = fit[slot] * total[k] * math.exp(scale[k] - scale[n])
                share = (direct * own[slot] + chained) * ahead
                reach[k] += share
                out += share
        return out


def select(
    candidates: Sequence[Candidate],
    profile: Profile,
    settings: GenerationSettings,
    rng: np.random.Generator,
    factors: dict[str, float] | None = None,
) -> list[Candidate]:
    """Select the gestures: the most probable path, or a sampled one.

    A sampled path's weights are corrected so that lexemes are expected as often as in the
    speaker's profile, as far as the settings and the text's tags allow it. `factors` keeps
    the corrections for the next call.
    """
    trellis = Trellis(candidates)
    chain = LexemeChain([c.lexeme for c in candidates], profile, settings)
    if not settings.sampling:
        return trellis.best(chain)[0]
    plain = trellis.expected_counts(chain)
    usual = _usual_shares(chain.names, profile, plain)
    # In a short text the tags have more weight than the frequencies of lexemes.
    habit = min(1.0, float(plain.sum()) / settings.habitual_gestures)
    least = settings.least_expected
    known = {} if factors is None else factors
    chain.factor = np.array([known.get(name, 1.0) for name in chain.names])
    for _ in range(settings.later_rounds if known else settings.correction_rounds):
        expected = trellis.expected_counts(chain)
        wanted = (1.0 - habit) * plain + habit * expected.sum() * usual
        new = chain.factor * (wanted + least) / (expected + least)
        new = np.clip(new, 1.0 / settings.most_corrected, settings.most_corrected)
        settled = bool(np.all(np.abs(np.log(new / chain.factor)) < settings.correction_settled))
        chain.factor = new
        if settled:
            break
    known.update(zip(chain.names, chain.factor.tolist(), strict=True))
    steady = trellis.expected_counts(chain) if settings.correction_rounds else None
    return trellis.sample(chain, rng, steady)


def _usual_shares(names: Sequence[str], profile: Profile, plain: Floats) -> Floats:
    """P(l) of the speaker; a lexeme with tags of its own that the profile lacks keeps its share."""
    usual = np.array([profile.of_lexeme(name) for name in names])
    tagged = {name for name, entry in lexicon().items() if entry.tags}
    added = np.array([not p and n in tagged for n, p in zip(names, usual, strict=True)])
    if not added.any():
        return usual
    share = np.where(added, plain, 0.0) / max(float(plain.sum()), 1e-300)
    return np.asarray(usual * (1.0 - share.sum()) + share)
