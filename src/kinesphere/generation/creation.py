"""Step 1: candidate gestures for a text (section 5.2.1), and how many gestures are wanted."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kinesphere.corpus.profiles.profile import Profile
from kinesphere.generation.graph import Arc, AskedGesture, Graph
from kinesphere.generation.pictures import (
    hand_of_words,
    is_picturable,
    picturability,
    shown_by_hands,
    without_improbable,
)
from kinesphere.generation.settings import GenerationSettings, PictureSettings
from kinesphere.gesture.lexicon import lexicon

_MOVABLE = ("metaphoric", "beat")
_LEAST_FIT = 0.01  # of a lexeme that a tag triggers hardly ever: rare, not impossible


@dataclass(frozen=True)
class Candidate:
    """An underspecified gesture over words first to last.

    Parameters
    ----------
    number : unique among all candidates of a text.
    lexeme, tag, probability : the gesture, the tag that triggered it, P(lexeme | tag).
    first, last : words during which it is performed.
    trigger : words that carry the tag.
    group : mutually exclusive candidates: those of one trigger, copies included.
    on_focus : whether it is the copy.
    asked : whether the author set it; with the hand in `hands` if that was set, too.
    fit : factor of its weight, 1 for the lexeme that the tag triggers most.
    free : how far the speaker's overall frequencies may correct its weight, 0 to 1.
    """

    number: int
    lexeme: str
    tag: str
    probability: float
    first: int
    last: int
    trigger: tuple[int, int]
    group: int = -1
    on_focus: bool = False
    asked: bool = False
    hands: str | None = None
    fit: float = 1.0
    free: float = 1.0


def create(
    graph: Graph,
    profile: Profile,
    least: float,
    habit: float = 0.0,
    meaning: float = 0.0,
    pictures: PictureSettings | None = None,
) -> list[Candidate]:
    """Candidates of all rhemes and picturable words, in order of their words.

    For every tag within a rheme a gesture of each lexeme with P(l | tag) above `least`, and
    a copy of it on the nearest focus of the rheme. A gesture set by the author has no rivals; where
    gestures are forbidden there is none. A ratio `habit` of a tag's probabilities is the speaker's
    overall frequency; `meaning` is the power that lowers the weight of lexemes it seldom triggers.
    With `pictures`, picturable words are offered wherever they are, with the lexemes that show
    them, and only gestures that mean nothing by their form are copied to a focus.
    """
    made: list[Candidate] = []
    number = 0  # also of copies that are not kept, so that no two candidates share one
    taken = {w for a in graph.asked for w in range(a.first, a.last + 1)}
    for asked in graph.asked:
        if asked.lexeme != "none":
            made.append(_of_author(asked, number))
            number += 1
    tags, all_foci = _Sorted(graph.tags), _Sorted(graph.foci)
    for rheme in graph.rhemes:
        foci = all_foci.within(rheme)
        for tag in tags.within(rheme):
            inside = range(tag.first, tag.last + 1)
            empty = not any(graph.words[w].content for w in inside)
            stressed = any(tag.within(f) or f.within(tag) for f in foci)
            if (empty and not stressed) or taken.intersection(inside):
                continue
            if is_picturable(tag.label, pictures):
                continue
            given = profile.habitual(tag.label, habit)
            if pictures is not None:
                given = without_improbable(given, pictures)
            rows = _of_tag(tag, foci, taken, given, least, meaning, number)
            number += len(rows)
            made += [c for c in rows if not c.on_focus or _is_copied(c, pictures)]
    if pictures is not None:
        made += _of_pictures(graph, profile, taken, meaning, pictures, number)
    return _in_order(made)


def _is_copied(candidate: Candidate, pictures: PictureSettings | None) -> bool:
    """Whether a gesture may leave its words for a focus."""
    entry = lexicon().get(candidate.lexeme)
    return pictures is None or entry is None or entry.kind in _MOVABLE


def _of_pictures(
    graph: Graph,
    profile: Profile,
    taken: set[int],
    meaning: float,
    pictures: PictureSettings,
    number: int,
) -> list[Candidate]:
    """Candidates of all words whose meaning can be seen, on these words."""
    out: list[Candidate] = []
    for tag in graph.tags:
        inside = range(tag.first, tag.last + 1)
        if not is_picturable(tag.label, pictures) or taken.intersection(inside):
            continue
        given = shown_by_hands(tag, graph, profile, pictures)
        free, hands = 1.0 - picturability(tag.label), hand_of_words(tag, graph)
        for made in _of_tag(tag, [], taken, given, 0.0, meaning, number + len(out)):
            out.append(replace(made, free=free, hands=hands))
    return out


class _Sorted:
    """Arcs sorted by their first words, to find those inside another quickly."""

    def __init__(self, arcs: Sequence[Arc]) -> None:
        self.arcs = sorted(arcs, key=lambda arc: (arc.first, arc.last))
        self.firsts = [arc.first for arc in self.arcs]

    def within(self, outer: Arc) -> list[Arc]:
        """Arcs inside another."""
        a, b = bisect_left(self.firsts, outer.first), bisect_right(self.firsts, outer.last)
        return [arc for arc in self.arcs[a:b] if arc.last <= outer.last]


def _of_author(asked: AskedGesture, number: int) -> Candidate:
    return Candidate(
        number,
        asked.lexeme,
        "",
        1.0,
        asked.first,
        asked.last,
        (asked.first, asked.last),
        number,
        asked=True,
        hands=asked.hands,
    )


def _of_tag(
    tag: Arc,
    foci: list[Arc],
    taken: set[int],
    given: Mapping[str, float],
    least: float,
    meaning: float,
    number: int,
) -> list[Candidate]:
    out: list[Candidate] = []
    best = max(given.values(), default=1.0)
    free = [f for f in foci if not taken.intersection(range(f.first, f.last + 1))]
    focus = min(free, key=tag.apart, default=None)
    elsewhere = focus is not None and not (tag.within(focus) or focus.within(tag))
    for lexeme, p in given.items():
        if p <= least:
            continue
        here = number + len(out)
        span = (tag.first, tag.last)
        fit = max((p / best) ** meaning, _LEAST_FIT)
        out.append(Candidate(here, lexeme, tag.label, p, *span, span, number, fit=fit))
        if elsewhere and focus is not None:
            place = (focus.first, focus.last)
            copy = Candidate(
                here + 1, lexeme, tag.label, p, *place, span, number, on_focus=True, fit=fit
            )
            out.append(copy)
    return out


def _in_order(made: list[Candidate]) -> list[Candidate]:
    """Candidates sorted by their words."""
    return sorted(made, key=lambda c: (c.first, c.last, c.lexeme, c.on_focus, c.number))


def wanted_gestures(graph: Graph, profile: Profile, settings: GenerationSettings) -> int:
    """Number of gestures of the speaker in a text of this length."""
    exact = profile.rate_per_minute * settings.amount * graph.spoken_s / 60.0
    # A single short sentence has at least one gesture, unless fewer are requested.
    return max(round(exact), 1 if settings.amount >= 1.0 else 0)


def admit(
    candidates: list[Candidate],
    graph: Graph,
    wanted: int,
    settings: GenerationSettings,
    rng: np.random.Generator,
) -> list[Candidate]:
    """Candidates of a limited number of triggers.

    The most picturable triggers stay, of those alike the ones with the highest probability of a
    gesture and those on a focus, never two within the time that two strokes need; where gestures
    are sampled, chance decides between triggers of similar worth.
    """
    groups: dict[tuple[int, int], list[Candidate]] = {}
    for candidate in candidates:
        groups.setdefault(candidate.trigger, []).append(candidate)
    asked = [t for t, rows in groups.items() if any(c.asked for c in rows)]
    others = [t for t in groups if t not in set(asked)]
    noises = rng.gumbel(size=len(others)) * (settings.admission_noise if settings.sampling else 0.0)
    stressed = {w for f in graph.foci for w in range(f.first, f.last + 1)}
    worth = {}
    for trigger, noise in zip(others, noises, strict=True):
        likely = sum(c.probability for c in groups[trigger] if not c.on_focus)
        focused = any(w in stressed for w in range(trigger[0], trigger[1] + 1))
        picture = picturability(groups[trigger][0].tag) if settings.pictures else 0.0
        worth[trigger] = (
            np.log(likely)
            + (settings.pictures.gain * picture if settings.pictures else 0.0)
            + settings.focus_bonus * focused
            + float(noise)
        )
    kept = set(asked)
    times = sorted(graph.words[t[1]].end_s for t in kept)
    ranked = sorted(worth, key=lambda t: -worth[t])
    for spacing in settings.spacings_s:
        for trigger in ranked:
            if len(kept) >= max(wanted, len(asked)):
                break
            at = graph.words[trigger[1]].end_s
            if trigger not in kept and _free(times, at, spacing):
                kept.add(trigger)
                insort(times, at)
    return [c for c in candidates if c.trigger in kept]


def _free(times: list[float], at: float, spacing: float) -> bool:
    i = bisect_left(times, at)
    return all(abs(at - t) >= spacing for t in times[max(i - 1, 0) : i + 1])
