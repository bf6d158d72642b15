"""Turns of body and head, from the structure of the text (section 5.3).

Two patterns were observed. A monologue in jokes: right before each joke, left before its punch line
and after it. A discussion: the speaker turns to the addressed person and stays for a while. Both
rotate the head a little before the body, and let the gaze move over the audience in between.

Their speakers stood before a studio's audience. Ours address a viewer in front: a turn is short,
comes back, and none is left at the end; looks over the audience return to the viewer. The paper's
rules (`PAPER_TURNING`) leave turns as observed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kinesphere.corpus.profiles.profile import Profile
from kinesphere.generation.graph import Graph
from kinesphere.generation.settings import GenerationSettings, ReturnSettings, TurningSettings
from kinesphere.gesture.script import HEAD_DIRECTIONS, Turn

_TO_SOMEBODY = frozenset(("ADDRESSEE", "THIRD_PERSON", "ATTENTION", "QUESTION"))


@dataclass(frozen=True)
class Sentence:
    """Words first to last."""

    first: int
    last: int


def sentences(graph: Graph) -> list[Sentence]:
    """Sentences of a text; a paragraph ends one, too."""
    out, first = [], 0
    for i, word in enumerate(graph.words):
        final = i + 1 == len(graph.words)
        if final or word.closes_sentence or graph.words[i + 1].paragraph != word.paragraph:
            out.append(Sentence(first, i))
            first = i + 1
    return out


def turns(
    graph: Graph, profile: Profile, settings: GenerationSettings, rng: np.random.Generator
) -> tuple[list[Turn], list[Turn]]:
    """Turns of the body and of the head, in order."""
    if not graph.words:
        return [], []
    s = settings.turning
    if str(profile.portrait.get("turning", "")) == "address":
        body = _addressing(graph, s, rng)
    else:
        body = list(_joking(graph, s))
    body = sorted(body, key=lambda t: t.time_s)
    kept = _turned(body, s.apart_s)
    head = list(_gaze(kept, graph, settings, rng))
    if s.returns is None:
        return kept, head
    own = rng.spawn(1)[0]  # so that turns do not change which gestures are chosen
    short = list(_with_returns(body, graph.duration_s, s.returns, own))
    return short, list(_glimpses(short, head, graph, settings, own))


def _turned(body: list[Turn], apart_s: float) -> list[Turn]:
    """Turns to another direction, not too close to each other."""
    kept: list[Turn] = []
    for turn in body:
        here = kept[-1].direction if kept else "front"
        soon = bool(kept) and turn.time_s - kept[-1].time_s < apart_s
        if turn.direction != here and not soon:
            kept.append(turn)
    return kept


def _with_returns(
    body: list[Turn], end_s: float, s: ReturnSettings, rng: np.random.Generator
) -> Iterator[Turn]:
    """Turns to a side, each followed by one to the front; none near another or near the end."""
    free_s = s.first_s
    for turn in body:
        if turn.direction == "front" or turn.time_s < free_s:
            continue
        back_s = turn.time_s + float(rng.uniform(*s.aside_s))
        if back_s > end_s - s.before_end_s:
            return
        yield turn
        yield Turn("front", back_s)
        free_s = back_s + s.rest_s


def _glimpses(
    body: list[Turn],
    looks: list[Turn],
    graph: Graph,
    settings: GenerationSettings,
    rng: np.random.Generator,
) -> Iterator[Turn]:
    """Head turns: before each turn of the body; in between, some looks at a neighbour and back."""
    s = settings.turning.returns
    assert s is not None
    own = [Turn(t.direction, max(t.time_s - settings.head_lead_s, 0.0)) for t in body]
    last = Turn("front", graph.duration_s - s.before_end_s)
    free_s = graph.words[0].start_s + s.first_s + float(rng.uniform(*s.viewer_s))
    for number, until in enumerate([*own[::2], last]):
        for look in looks:
            back_s = look.time_s + float(rng.uniform(*s.neighbour_s))
            early = look.time_s < free_s or look.direction == "front"
            if early or back_s + s.viewer_s[0] > until.time_s:
                continue
            side = look.direction.partition("-")[0]
            yield from (Turn(f"{side}-front", look.time_s), Turn("front", back_s))
            free_s = back_s + float(rng.uniform(*s.viewer_s))
        yield from own[2 * number : 2 * number + 2]
        if until is not last:
            free_s = own[2 * number + 1].time_s + float(rng.uniform(*s.viewer_s))


def _joking(graph: Graph, s: TurningSettings) -> Iterator[Turn]:
    """Right before a joke, left before the punch line and after it, then front."""
    words = graph.words
    for joke in _jokes(graph, s):
        start = words[joke[0].first].start_s
        punch = joke[-1].first if len(joke) > 1 else _last_clause(graph, joke[0])
        if words[joke[-1].last].end_s - start < s.least_joke_s:
            yield Turn("front", max(start - s.before_joke_s, 0.0))
            continue
        yield Turn("right", max(start - s.before_joke_s, 0.0))
        if words[punch].start_s - start > s.front_from_s:
            yield Turn("front", min(words[joke[0].last].end_s, start + s.front_after_s))
        yield Turn("left", max(words[punch].start_s - s.before_punch_s, 0.0))


def _last_clause(graph: Graph, sentence: Sentence) -> int:
    """First word of the last clause of a sentence."""
    inside = [c.first for c in graph.clauses if sentence.first <= c.first <= sentence.last]
    return inside[-1] if inside else sentence.first


def _jokes(graph: Graph, s: TurningSettings) -> list[list[Sentence]]:
    """Sentences in groups: paragraphs, or as many as last the length of a joke."""
    out: list[list[Sentence]] = []
    words = graph.words
    for sentence in sentences(graph):
        if out:
            first = out[-1][0].first
            lasts_s = words[sentence.last].end_s - words[first].start_s
            long_enough = lasts_s > s.joke_surplus * s.joke_s
            same = words[first].paragraph == words[sentence.first].paragraph
            if same and not long_enough:
                out[-1].append(sentence)
                continue
        out.append([sentence])
    return out


def _addressing(graph: Graph, s: TurningSettings, rng: np.random.Generator) -> list[Turn]:
    """Turn to a person where one is addressed, and stay."""
    out: list[Turn] = []
    free_from, side = 0.0, ("left", "right")[int(rng.integers(2))]
    to_somebody = [t for t in graph.tags if t.label in _TO_SOMEBODY]
    spoken_to = {w for t in to_somebody for w in range(t.first, t.last + 1)}
    found = list(sentences(graph))
    for n, sentence in enumerate(found):
        start = graph.words[sentence.first].start_s
        # The opening is for all; a text of two sentences needs no turn.
        if start < free_from or n == 0 or len(found) <= s.few_sentences:
            continue
        inside = range(sentence.first, sentence.last + 1)
        before = graph.words[sentence.first - 1].paragraph
        opens = n == 1 or graph.words[sentence.first].paragraph != before
        if opens or spoken_to.intersection(inside):
            out.append(Turn(side, max(start - s.before_person_s, 0.0)))
            back = side != "front" and rng.random() < s.back_ratio
            side = "front" if back else _other(side)
            free_from = start + float(rng.uniform(*s.stay_s))
    return out


def _other(side: str) -> str:
    return {"left": "right", "right": "left", "front": "left"}[side]


def _gaze(
    body: list[Turn], graph: Graph, settings: GenerationSettings, rng: np.random.Generator
) -> Iterator[Turn]:
    """Head turns: before each turn of the body, and over the audience in between."""
    own = [Turn(t.direction, max(t.time_s - settings.head_lead_s, 0.0)) for t in body]
    at, here = graph.words[0].start_s, "front"
    waiting = list(own)
    while at < graph.duration_s:
        step = float(rng.uniform(*settings.turning.gaze_s))
        if waiting and waiting[0].time_s <= at + step:
            turn = waiting.pop(0)
            at, here = max(turn.time_s, at), turn.direction
            yield turn
            continue
        at += step
        near = [d for d in HEAD_DIRECTIONS if d != here and _steps(d, here) <= 2]
        here = near[int(rng.integers(len(near)))]
        if at < graph.duration_s:
            yield Turn(here, at)


def _steps(a: str, b: str) -> int:
    return abs(HEAD_DIRECTIONS.index(a) - HEAD_DIRECTIONS.index(b))
