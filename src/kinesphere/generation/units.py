"""Step 3: grouping of gestures into units between two rests (section 5.2.3)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinesphere.generation.creation import Candidate
from kinesphere.generation.graph import Graph
from kinesphere.generation.settings import GenerationSettings


def group_units(
    path: Sequence[Candidate],
    graph: Graph,
    settings: GenerationSettings,
    size: float = 3.0,
    single: float = 0.35,
) -> list[list[int]]:
    """Units as lists of indices in the path.

    The gestures of a clause are one unit; units nearer than `unit_gap_s` are merged. Without it the
    widest gaps separate units, so many that they have `size` gestures on average and a ratio
    `single` of them only one.
    """
    gap_s = settings.unit_gap_s
    units = _by_clause(path, graph)
    starts = [graph.words[path[u[0]].first].start_s for u in units]
    ends = [graph.words[path[u[-1]].last].end_s for u in units]
    gaps = [start - end for start, end in zip(starts[1:], ends[:-1], strict=True)]
    if gap_s is None:
        borders = _borders([len(u) for u in units], gaps, len(path), size, single, settings)
    else:
        borders = {i + 1 for i, gap in enumerate(gaps) if gap >= gap_s}
    out: list[list[int]] = []
    for i, unit in enumerate(units):
        if out and i not in borders:
            out[-1] += unit
        else:
            out.append(list(unit))
    return out


def _by_clause(path: Sequence[Candidate], graph: Graph) -> list[list[int]]:
    clause_of: dict[int, int] = {}
    for n, clause in enumerate(graph.clauses):
        clause_of.update(dict.fromkeys(range(clause.first, clause.last + 1), n))
    out: list[list[int]] = []
    before = None
    for i, candidate in enumerate(path):
        here = clause_of.get(candidate.first)
        if out and here is not None and here == before:
            out[-1].append(i)
        else:
            out.append([i])
        before = clause_of.get(candidate.last)
    return out


def _borders(
    sizes: Sequence[int],
    gaps: Sequence[float],
    gestures: int,
    size: float,
    single: float,
    settings: GenerationSettings,
) -> set[int]:
    """Clauses that start a new unit."""
    wanted = max(1, round(gestures / max(size, 1.0)))
    before = np.concatenate([[0], np.cumsum(sizes)])  # gestures before each clause
    width = np.asarray(gaps, dtype=np.float64)
    places = np.arange(1, len(sizes))
    edges = np.array([0, *(places[width >= settings.longest_gap_s]), len(sizes)])
    while len(edges) - 1 < wanted:
        at = np.searchsorted(edges, places, side="right")
        left, right = edges[at - 1], edges[np.minimum(at, len(edges) - 1)]
        open_ones = (places != left) & (width >= settings.least_gap_s)
        if not open_ones.any():
            break
        alone = np.diff(before[edges]) == 1
        more = (before[places] - before[left] == 1).astype(float)
        more += before[right] - before[places] == 1
        more -= before[right] - before[left] == 1
        wants_singles = alone.sum() < single * len(alone)
        worth = width + settings.single_bonus_s * (more if wants_singles else -more)
        best = int(np.argmax(np.where(open_ones, worth, -np.inf)))
        edges = np.sort(np.append(edges, places[best]))
    return {int(edge) for edge in edges[1:-1]}
