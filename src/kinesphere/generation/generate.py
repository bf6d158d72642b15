"""The four steps combined: from a graph and a profile to a gesture script."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from kinesphere.corpus.profiles.profile import Profile
from kinesphere.generation.creation import Candidate, admit, create, wanted_gestures
from kinesphere.generation.graph import Graph
from kinesphere.generation.hand_selection import select_hands, select_shapes
from kinesphere.generation.head_gestures import head_gestures
from kinesphere.generation.number_signs import number_shape
from kinesphere.generation.planning import (
    Frame,
    Planned,
    Planner,
    rest_pose,
    script_unit,
    with_head_gestures,
)
from kinesphere.generation.selection import select
from kinesphere.generation.settings import GenerationSettings
from kinesphere.generation.turning import turns
from kinesphere.generation.units import group_units
from kinesphere.gesture.script import GestureScript, Hands

DONE = "done"
"""Outcome of a gesture that is performed."""
REST = "at-side"
"""Rest pose of hands that do nothing."""


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
    at_s : end of its stroke, or start of its hold; None if it was omitted.
    picturable : how far a gesture can show the tag, 0 to 1: what is more picturable comes first.
    displaced : words near it that had to do without a gesture.

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
    at_s: float | None = None
    picturable: float = 0.0
    displaced: tuple[str, ...] = ()


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
    # The most likely gestures do not depend on the seed.
    drawn = seed if s.sampling else 0
    heads = head_gestures(graph, s.pictures, drawn, s.amount) if s.pictures else []
    path, offered, found = _choose(graph, profile, s, rng, {c.trigger for c in heads})
    hands = select_hands(path, profile, s, rng)
    shapes = select_shapes([c.lexeme for c in path])
    shapes = [
        number_shape(c.lexeme, graph.text(*c.trigger), graph.language) or shape
        for c, shape in zip(path, shapes, strict=True)
    ]
    frames = [
        Frame(c, cast(Hands, h), shape) for c, h, shape in zip(path, hands, shapes, strict=True)
    ]
    single = 1.0 - profile.larger_units
    units = group_units(path, graph, s, profile.gestures_per_unit, single) if path else []
    planner = Planner(graph, profile, s, rng)
    planned = planner.plan(frames, units)
    rests = []
    for n, unit in enumerate(planned):
        following = planned[n + 1][0].start_s if n + 1 < len(planned) else graph.duration_s
        rests.append(rest_pose(following - unit[-1].end_s - unit[-1].hold_s, profile, s))
    planned = with_head_gestures(planned, heads, len(path), graph, s)
    rests = rests or [REST] * len(planned)
    made = [script_unit(unit, graph, rest) for unit, rest in zip(planned, rests, strict=True)]
    script = GestureScript(
        tuple(made), tuple(body), tuple(head), (("2h_distance.min", str(s.least_hand_distance)),)
    )
    dropped = {d.place: d.reason for d in planner.dropped}
    reasons = [*_reasons(found, offered, path, hands, dropped, graph), *_of_heads(heads, graph)]
    timed = _timed(reasons, [p for unit in planned for p in unit], graph, s)
    return Generated(script, tuple(tuple(u) for u in planned), timed)


def _choose(
    graph: Graph,
    profile: Profile,
    s: GenerationSettings,
    rng: np.random.Generator,
    by_head: AbstractSet[tuple[int, int]],
) -> tuple[list[Candidate], list[Candidate], list[Candidate]]:
    """Path of gestures, the candidates it was chosen from, and all candidates.

    The path has as many gestures as the speaker's rate requires, if the text offers them; words
    that are shown by the head need them less.
    """
    if s.amount == 0.0:
        asked = [c for c in create(graph, profile, s.least_probability) if c.asked]
        return asked, asked, asked
    if not s.keep_rate:
        found = create(graph, profile, s.least_probability)
        return select(found, profile, s, rng), found, found
    wanted = wanted_gestures(graph, profile, s)
    if s.sampling:
        habit = s.habit * min(1.0, graph.spoken_s / max(s.habit_from_s, 1e-6))
        found = create(graph, profile, s.sampled_probability, habit, s.meaning, s.pictures)
        return (*_thin(found, graph, wanted, profile, s, rng, by_head), found)
    found = create(graph, profile, s.least_probability, pictures=s.pictures)
    if len({c.group for c in found}) < s.candidate_surplus * wanted:
        found = create(graph, profile, s.relaxed_probability, pictures=s.pictures)
    return (*_thin(found, graph, wanted, profile, s, rng, by_head), found)


def _thin(
    found: list[Candidate],
    graph: Graph,
    wanted: int,
    profile: Profile,
    s: GenerationSettings,
    rng: np.random.Generator,
    by_head: AbstractSet[tuple[int, int]],
) -> tuple[list[Candidate], list[Candidate]]:
    """Path with the wanted number of gestures, and the candidates it was chosen from."""
    asking = wanted
    path: list[Candidate] = []
    offered: list[Candidate] = []
    state = rng.bit_generator.state
    factors: dict[str, float] = {}
    for _ in range(s.thinning_rounds):
        # The same random numbers each time, so that the new ones are added to the previous ones.
        rng.bit_generator.state = state
        offered = admit(found, graph, asking, s, rng, by_head)
        path = select(offered, profile, s, rng, factors)
        missing = wanted - len(path)
        if missing <= s.near_enough * wanted or len(offered) == len(found):
            break
        # Added candidates yield fewer gestures than the first: they are closer to the rest.
        asking += max(missing, round(s.candidate_growth * asking * missing / max(len(path), 1)))
    return path, offered


def _timed(
    reasons: list[Reason], planned: list[Planned], graph: Graph, s: GenerationSettings
) -> tuple[Reason, ...]:
    """Reasons in order of time, with the time of each gesture and the words it displaced."""
    known = {}
    for p in planned:
        c = p.frame.candidate
        known[graph.words[c.trigger[0]].start_s, c.lexeme] = p.stroke_end_s
    left_out = [r for r in reasons if r.outcome != DONE]
    out = []
    for r in sorted(reasons, key=lambda r: r.time_s):
        at_s = known.get((r.time_s, r.lexeme)) if r.outcome == DONE else None
        near = [o for o in left_out if abs(o.time_s - r.time_s) < s.displaced_s]
        displaced = tuple(o.words for o in near) if at_s is not None and r.hands else ()
        out.append(replace(r, at_s=at_s, displaced=displaced))
    return tuple(out)


def _of_heads(heads: list[Candidate], graph: Graph) -> list[Reason]:
    return [
        Reason(
            graph.words[c.first].start_s,
            graph.text(*c.trigger),
            c.tag,
            c.lexeme,
            "",
            c.probability,
            (),
            DONE,
            picturable=c.picture,
        )
        for c in heads
    ]


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
            outcome = dropped.get(i, DONE)
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
                picturable=best.picture,
            )
        )
    return tuple(out)
