"""Gestures of head and shoulders on words, alone or beside the hands.

They are no part of the speaker's rate of hand gestures: a nod does not keep a hand from moving.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinesphere.generation.creation import Candidate
from kinesphere.generation.graph import Graph
from kinesphere.generation.pictures import hand_of_words, picturability, shown_by_head
from kinesphere.generation.settings import PictureSettings

_STREAM = 4


def head_gestures(
    graph: Graph,
    path: Sequence[Candidate],
    number: int,
    s: PictureSettings,
    seed: int,
    amount: float = 1.0,
) -> list[Candidate]:
    """Gestures of the head for a text whose hands do `path`; `number` is the first free one.

    The most picturable words come first, and none is nearer to another than `head_apart_s`. An
    `amount` below 1 leaves that ratio of them.
    """
    beside = {c.trigger for c in path}
    asked = {w for a in graph.asked for w in range(a.first, a.last + 1)}
    rows = []
    for tag in graph.tags:
        value, shares = picturability(tag.label), shown_by_head(tag.label)
        span = (tag.first, tag.last)
        if value < s.head_least or not shares or asked.intersection(range(span[0], span[1] + 1)):
            continue
        # By its place, so that a change of one word leaves the draws of those before it alone.
        chance = np.random.default_rng([abs(seed), _STREAM, tag.first]).random(2)
        ratio = s.head_beside if span in beside else s.head_ratio
        if chance[0] < ratio * amount:
            names, edges = list(shares), np.cumsum(list(shares.values()))
            picked = names[min(int(np.searchsorted(edges, chance[1])), len(names) - 1)]
            rows.append((value, span, picked, tag.label, shares[picked], hand_of_words(tag, graph)))
    found: list[Candidate] = []
    times: list[float] = []
    for _, span, name, label, share, hand in sorted(rows, key=lambda r: (-r[0], r[1])):
        at = graph.words[span[0]].start_s
        if all(abs(at - t) >= s.head_apart_s for t in times):
            times.append(at)
            found.append(
                Candidate(number, name, label, share, *span, span, number, hands=hand or "RH")
            )
            number += 1
    return sorted(found, key=lambda c: c.first)
