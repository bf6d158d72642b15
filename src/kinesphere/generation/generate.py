"""The four steps combined: from a graph and a profile to a gesture script."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np

from kinesphere.corpus.profiles.profile import Profile
from kinesphere.generation.creation import Candidate, admitted, create, wanted_gestures
from kinesphere.generation.graph import Graph
from kinesphere.generation.planning import Frame, Planned, Planner, rest_pose, script_unit
from kinesphere.generation.selection import select, select_hands, select_shapes
from kinesphere.generation.settings import GenerationSettings
from kinesphere.generation.turning import turns
from kinesphere.generation.units import PAPER_GAP_S, grouped
from kinesphere.gesture.script import GestureScript, Hands

_LEAST_DISTANCE = 0.31
_ROUNDS = 4
_NEAR_ENOUGH = 0.02  # ratio of the wanted gestures


@dataclass(frozen=True)
class Reason:
    """Why a gesture was performed or omitted: for `--why`.

    Parameters
    ----------
    time_s : start of its word.
    words, tag : its trigger.
    lexeme, hands : the gesture.
    probability : P(lexeme | tag).
    rivals : other lexemes for the same words, with their probabilities.
    outcome : ``done``, or the reason why it was omitted.

    Examples
    --------
    >>> import kinesphere as ks
    >>> reason = ks.plan("This is huge!", ks.Cast("host", seed=1)).reasons[0]
    >>> reason.words, reason.tag, reason.lexeme, reason.outcome
    ('huge', 'LARGE', 'BigSpan', 'done')
    """

    time_s: float
    words: str
    tag: str
    lexeme: str
    hands: str
    probability: float
    rivals: tuple[tuple[str, float], ...]
    outcome: str


@dataclass(frozen=True)
class Generated:
    """A script, its planned gestures, and the reasons for gestures performed and omitted."""

    script: GestureScript
    planned: tuple[tuple[Planned, ...], ...]
    reasons: tuple[Reason, ...]


def generate(
    graph: Graph, profile: Profile, settings: GenerationSettings | None = None, seed: int = 0
) -> Generated:
    """Generate a script for an utterance in a speaker's style; the same seed gives the same."""
    s = settings or GenerationSettings()
    rng = np.random.default_rng(seed)
    body, head = turns(graph, profile, s, rng)
    path, offered, found = _chosen(graph, profile, s, rng)
    hands = select_hands(path, profile, s, rng)
    shapes = select_shapes([c.lexeme for c in path])
    shapes = [_counted(c, shape, graph) for c, shape in zip(path, shapes, strict=True)]
    frames = [
        Frame(c, cast(Hands, h), shape) for c, h, shape in zip(path, hands, shapes, strict=True)
    ]
    gap = PAPER_GAP_S if s.paper else s.unit_gap_s
    single = 1.0 - profile.larger_units
    units = grouped(path, graph, gap, profile.gestures_per_unit, single) if path else []
    planner = Planner(graph, profile, s, rng)
    planned = planner.plan(frames, units)
    made = []
    for n, unit in enumerate(planned):
        following = planned[n + 1][0].start_s if n + 1 < len(planned) else graph.duration_s
        rest = rest_pose(following - unit[-1].end_s - unit[-1].hold_s, profile, s)
        made.append(script_unit(unit, graph, rest))
    script = GestureScript(
        tuple(made), tuple(body), tuple(head), (("2h_distance.min", str(_LEAST_DISTANCE)),)
    )
    dropped = {d.place: d.reason for d in planner.dropped}
    reasons = _reasons(found, offered, path, hands, dropped, graph)
    return Generated(script, tuple(tuple(u) for u in planned), reasons)


_NUMBERS = {
    "one": 1,
    "single": 1,
    "eins": 1,
    "ein": 1,
    "eine": 1,
    "einzig": 1,
    "two": 2,
    "both": 2,
    "twice": 2,
    "double": 2,
    "pair": 2,
    "zwei": 2,
    "beide": 2,
    "zweimal": 2,
    "doppelt": 2,
    "three": 3,
    "drei": 3,
    "four": 4,
    "vier": 4,
    "five": 5,
    "fünf": 5,
}
_SHOWN = {
    "en": ("index", "victory", "three", "four", "open-spread"),
    "de": ("thumb-up", "two-de", "three-de", "four", "open-spread"),
}


def _counted(candidate: Candidate, shape: str, graph: Graph) -> str:
    """Hand shape that shows the number in the text."""
    if candidate.lexeme != "NumberSign":
        return shape
    words = graph.text(*candidate.trigger).casefold().split()
    number = next((_NUMBERS[w] for w in words if w in _NUMBERS), None)
    return shape if number is None else _SHOWN[graph.language][number - 1]


def _chosen(
    graph: Graph, profile: Profile, s: GenerationSettings, rng: np.random.Generator
) -> tuple[list[Candidate], list[Candidate], list[Candidate]]:
    """Path of gestures, the candidates it was chosen from, and all candidates.

    The path has as many gestures as the speaker's rate requires, if the text offers them.
    """
    if s.amount == 0.0:
        asked = [c for c in create(graph, profile, s.least_probability) if c.asked]
        return asked, asked, asked
    if s.paper:
        found = create(graph, profile, s.least_probability)
        return select(found, profile, s, rng), found, found
    wanted = wanted_gestures(graph, profile, s)
    if s.sampling:
        habit = s.habit * min(1.0, graph.spoken_s / max(s.habit_from_s, 1e-6))
        found = create(graph, profile, s.sampled_probability, habit, s.meaning)
        return (*_thinned(found, graph, wanted, profile, s, rng), found)
    found = create(graph, profile, s.least_probability)
    if len({c.group for c in found}) < 1.3 * wanted:
        found = create(graph, profile, s.relaxed_probability)
    return (*_thinned(found, graph, wanted, profile, s, rng), found)


def _thinned(
    found: list[Candidate],
    graph: Graph,
    wanted: int,
    profile: Profile,
    s: GenerationSettings,
    rng: np.random.Generator,
) -> tuple[list[Candidate], list[Candidate]]:
    """Path with the wanted number of gestures, and the candidates it was chosen from."""
    asking = wanted
    path: list[Candidate] = []
    offered: list[Candidate] = []
    state = rng.bit_generator.state
    factors: dict[str, float] = {}
    for _ in range(_ROUNDS):
        # The same random numbers each time, so that the new ones are added to the previous ones.
        rng.bit_generator.state = state
        offered = admitted(found, graph, asking, rng)
        path = select(offered, profile, s, rng, factors)
        missing = wanted - len(path)
        if missing <= _NEAR_ENOUGH * wanted or len(offered) == len(found):
            break
        # Added candidates yield fewer gestures than the first: they are closer to the rest.
        asking += max(missing, round(1.4 * asking * missing / max(len(path), 1)))
    return path, offered


def _reasons(
    found: list[Candidate],
    offered: list[Candidate],
    path: list[Candidate],
    hands: list[str],
    dropped: dict[int, str],
    graph: Graph,
) -> tuple[Reason, ...]:
    by_trigger: dict[tuple[int, int], list[Candidate]] = {}
    for c in found:
        if not c.on_focus:
            by_trigger.setdefault(c.trigger, []).append(c)
    done = {c.trigger: (i, c) for i, c in enumerate(path)}
    admitted_ones = {c.trigger for c in offered}
    out = []
    for trigger, rows in sorted(by_trigger.items()):
        best = max(rows, key=lambda c: c.probability)
        hand = ""
        if trigger in done:
            i, best = done[trigger]
            hand = hands[i]
            outcome = dropped.get(i, "done")
        elif trigger in admitted_ones:
            outcome = "others overlap it and are more probable together"
        else:
            outcome = "left out to keep the speaker's rate"
        rivals = tuple((c.lexeme, c.probability) for c in rows if c.lexeme != best.lexeme)
        words = graph.text(*trigger)
        out.append(
            Reason(
                graph.words[trigger[0]].start_s,
                words,
                best.tag,
                best.lexeme,
                hand,
                best.probability,
                rivals,
                outcome,
            )
        )
    return tuple(out)
