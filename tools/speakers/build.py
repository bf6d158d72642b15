"""Build the annotated corpora and profiles of the built-in speakers.

The texts in this folder get synthetic annotations: every gesture of a speaker's parameter set
(``portraits.toml``) is assigned to a word with a matching semantic tag, timed, positioned and
grouped into units, so that the published counts are met exactly. Writes ``host.eaf``,
``critic.eaf`` and the profiles ``host.kin``, ``critic.kin``, ``neutral.kin`` into the package's
data.

    python tools/speakers/build.py [FOLDER]
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from kinesphere.corpus.annotation.annotation import (
    AnnotatedGesture,
    AnnotatedSpan,
    AnnotatedUnit,
    AnnotatedWord,
    Annotation,
    BodyTurn,
    PhaseMark,
)
from kinesphere.corpus.annotation.reading import write_annotation
from kinesphere.corpus.profiles.counts import GestureCounts, Moments
from kinesphere.corpus.profiles.profile import FOCUS, GestureSample, Profile
from kinesphere.corpus.profiles.profile_estimator import CONTINUED, ProfileEstimator
from kinesphere.corpus.profiles.profile_file import write_profile
from kinesphere.generation.graph import Arc, Graph, graph_of
from kinesphere.generation.settings import GenerationSettings
from kinesphere.generation.timing import estimated_times
from kinesphere.generation.turning import turns
from kinesphere.gesture.lexicon import Lexeme, lexicon
from kinesphere.gesture.positions import HandPosition
from kinesphere.language.tagging import TaggedText, tag_text
from kinesphere.language.tags import semantic_tags

HERE = Path(__file__).parent
DATA = HERE.parent.parent / "src" / "kinesphere" / "corpus" / "data"
SEED = 2008
HAND_ORDER = ("RH", "LH", "2H")
# Rows of Table 4.1 run from far to near and from out to in: "up" in a parameter set is the reverse.
_UP = {"height": -1, "distance": -1, "radial": -1, "inclination": -1}
_HOLDERS = (
    "Frame",
    "RaisedIndexfinger",
    "PointingPerson",
    "Block",
    "Cup",
    "Shrug",
    "OpenHands",
    "Umbrella",
    "NumberSign",
    "SmallGap",
    "Ring",
    "PointingAbstract",
)
_APART_S = 0.62  # between the ends of two strokes' words
_LEAST_STROKE_S = 0.14


@dataclass
class Draft:
    """A gesture before it is an annotation: `slot` is its tagged span, times come last."""

    slot: Arc
    lexeme: str
    hands: str = "RH"
    strokes: int = 1
    entry: Lexeme | None = None
    hold_gesture: bool = False
    prep: bool = False
    held: bool = False
    waits: bool = False
    offset_s: float = 0.0
    length_s: float = 0.3
    interval_s: float = 0.4


def main(folder: Path) -> None:
    """Write everything into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    portraits = tomllib.loads((HERE / "portraits.toml").read_text(encoding="utf-8"))
    profiles = {}
    for name, portrait in portraits.items():
        annotation = performed(name, portrait)
        write_annotation(annotation, folder / f"{name}.eaf")
        profile = ProfileEstimator(name).fit([annotation], [name]).profile_
        profiles[name] = replace(profile, portrait=portrait["portrait"])
        write_profile(profiles[name], folder / f"{name}.kin")
        print(name, summary(profiles[name]))
    neutral = blended(profiles["host"], profiles["critic"])
    write_profile(neutral, folder / "neutral.kin")
    print("neutral", summary(neutral))


def summary(profile: Profile) -> str:
    """Figures of a profile in one line."""
    c = profile.counts
    return (
        f"{c.gestures} gestures, {c.units} units, {sum(c.phases.values())} phases, "
        f"{len(profile.lexemes)} lexemes, {profile.rate_per_minute:.1f} a minute, "
        f"{100 * profile.larger_units:.1f} percent larger units"
    )


def performed(name: str, portrait: dict[str, Any]) -> Annotation:
    """Annotate a speaker's text."""
    rng = np.random.default_rng(SEED)
    text = (HERE / portrait["text"]).read_text(encoding="utf-8")
    spoken = tag_text(text, portrait["language"])
    times = _stretched(estimated_times(spoken), portrait["duration_s"])
    graph = graph_of(spoken, times)
    drafts = _cast(graph, portrait)
    _give_hands(drafts, portrait, rng)
    _give_strokes(drafts, portrait, rng)
    _give_times(drafts, portrait, rng)
    sizes = _unit_sizes(drafts, graph, portrait, rng)
    _give_phases(drafts, sizes, graph, portrait, rng)
    units = _units(drafts, sizes, graph, portrait, rng)
    return Annotation(
        speaker=name,
        language=portrait["language"],
        duration_s=portrait["duration_s"],
        words=_words(spoken, graph),
        clauses=_spans(graph, graph.clauses, ""),
        information=tuple(
            sorted(
                (*_spans(graph, graph.rhemes, "rheme"), *_spans(graph, graph.foci, "focus")),
                key=lambda s: (s.start_s, s.end_s, s.label),
            )
        ),
        units=units,
        turns=_turns(graph, portrait),
        note=portrait["note"],
    )


def _stretched(times: list[tuple[float, float]], duration_s: float) -> list[tuple[float, float]]:
    """Times over the whole duration, with a breath at the start and the end; milliseconds."""
    scale = (duration_s - 3.5) / times[-1][1]
    return [(round(1.5 + scale * a, 3), round(1.5 + scale * b, 3)) for a, b in times]


def _words(spoken: TaggedText, graph: Graph) -> tuple[AnnotatedWord, ...]:
    tokens = [t for t in spoken.tokens if t.is_word]
    names = [""] * len(tokens)
    for arc in graph.tags:
        for i in range(arc.first, arc.last + 1):
            names[i] = arc.label + (CONTINUED if i > arc.first else "")
    return tuple(
        AnnotatedWord(w.start_s, w.end_s, t.text, t.lemma, t.pos, tag)
        for w, t, tag in zip(graph.words, tokens, names, strict=True)
    )


def _spans(graph: Graph, arcs: Sequence[Arc], label: str) -> tuple[AnnotatedSpan, ...]:
    words = graph.words
    return tuple(AnnotatedSpan(words[a.first].start_s, words[a.last].end_s, label) for a in arcs)


def _turns(graph: Graph, portrait: dict[str, Any]) -> tuple[BodyTurn, ...]:
    """Turns of the body by the speaker's pattern, the head's a little earlier."""
    speaker = Profile("", "en", GestureCounts(), (), portrait=portrait["portrait"])
    body, _ = turns(graph, speaker, GenerationSettings(), np.random.default_rng(SEED))
    rows = [BodyTurn(round(t.time_s, 3), "body", t.direction) for t in body]
    rows += [BodyTurn(round(max(t.time_s - 0.4, 0.0), 3), "head", t.direction) for t in body]
    return tuple(sorted(rows, key=lambda t: (t.time_s, t.part)))


# --- which gesture on which word -------------------------------------------------------------


def _cast(graph: Graph, portrait: dict[str, Any]) -> list[Draft]:
    """Assign every gesture of the parameter set to a word, with the least total cost."""
    wanted = [
        "" if name == "none" else name
        for name, row in portrait["lexemes"].items()
        for _ in range(row[0])
    ]
    slots = _slots(graph)
    kept = list(range(len(slots)))
    while True:
        cost = np.array([[_misfit(name, slots[k]) for k in kept] for name in wanted])
        rows, columns = linear_sum_assignment(cost)
        chosen = sorted((kept[c], wanted[r]) for r, c in zip(rows, columns, strict=True))
        crowded = _crowded([slots[k] for k, _ in chosen], [n for _, n in chosen], graph)
        if crowded is None:
            break
        # Of two that are too close, the one with the higher cost gets another word.
        kept.remove(chosen[crowded][0])
        if len(kept) < len(wanted):
            raise SystemExit(f"only {len(kept)} words for {len(wanted)} gestures")
    drafts = [Draft(slots[k], name, entry=lexicon().get(name)) for k, name in chosen]
    misfits = [d.lexeme for d in drafts if _misfit(d.lexeme, d.slot) >= 3.0]
    print(f"{len(slots)} words can carry a gesture; misfits: {misfits}")
    return drafts


def _slots(graph: Graph) -> list[Arc]:
    """Tagged words within rhemes that are spoken late enough to be gestured."""
    out = []
    for arc in graph.tags:
        inside = any(arc.within(r) for r in graph.rhemes)
        content = any(graph.words[i].content for i in range(arc.first, arc.last + 1))
        focused = any(arc.within(f) or f.within(arc) for f in graph.foci)
        if inside and (content or focused):
            out.append(arc)
    return out


def _misfit(lexeme: str, slot: Arc) -> float:
    """Cost of a lexeme on a word: small for lexemes that its tag triggers."""
    if not lexeme:
        return 1.2
    weights = semantic_tags()[slot.label].lexemes
    if lexeme in weights:
        return 1.0 - float(weights[lexeme])
    if slot.label == FOCUS:
        return 1.6
    return 4.0


def _crowded(slots: Sequence[Arc], names: Sequence[str], graph: Graph) -> int | None:
    """Index of a gesture too close to its neighbour, the one of the two with the higher cost."""
    for i, (a, b) in enumerate(pairwise(slots)):
        apart = graph.words[b.last].end_s - graph.words[a.last].end_s
        if apart < _APART_S:
            return i if _misfit(names[i], a) > _misfit(names[i + 1], b) else i + 1
    return None


# --- hands, strokes, times -------------------------------------------------------------------


def _give_hands(drafts: list[Draft], portrait: dict[str, Any], rng: np.random.Generator) -> None:
    """Hands by lexeme as counted, in an order close to the speaker's transition probabilities."""
    for name, row in portrait["lexemes"].items():
        mine = [d for d in drafts if d.lexeme == ("" if name == "none" else name)]
        hands = [h for h, n in zip(HAND_ORDER, row[1:4], strict=True) for _ in range(n)]
        for draft, k in zip(mine, rng.permutation(len(hands)), strict=True):
            draft.hands = hands[int(k)]
    wanted = portrait["next_hand"]

    def score() -> float:
        pairs: dict[tuple[str, str], int] = {}
        for a, b in pairwise(drafts):
            pairs[a.hands, b.hands] = pairs.get((a.hands, b.hands), 0) + 1
        off = 0.0
        for before, row in wanted.items():
            total = max(sum(pairs.get((before, h), 0) for h in HAND_ORDER), 1)
            off += sum(
                abs(pairs.get((before, h), 0) / total - p)
                for h, p in zip(HAND_ORDER, row, strict=True)
            )
        return off

    best = score()
    for _ in range(6000):
        i, j = rng.integers(len(drafts), size=2)
        a, b = drafts[int(i)], drafts[int(j)]
        if a.lexeme != b.lexeme or a.hands == b.hands:
            continue
        a.hands, b.hands = b.hands, a.hands
        new = score()
        if new > best:
            a.hands, b.hands = b.hands, a.hands
        else:
            best = new


def _give_strokes(drafts: list[Draft], portrait: dict[str, Any], rng: np.random.Generator) -> None:
    """Numbers of strokes with each lexeme's mean."""
    for name, row in portrait["lexemes"].items():
        mine = [d for d in drafts if d.lexeme == ("" if name == "none" else name)]
        mean, spread = row[4], row[5]
        drawn = np.maximum(np.rint(rng.normal(mean, spread, len(mine))), 1).astype(int)
        total = max(round(mean * len(mine)), len(mine))
        while drawn.sum() != total:
            k = int(rng.integers(len(mine)))
            step = 1 if drawn.sum() < total else -1
            if drawn[k] + step >= 1:
                drawn[k] += step
        for draft, n in zip(mine, drawn, strict=True):
            draft.strokes = int(n)


def _give_times(drafts: list[Draft], portrait: dict[str, Any], rng: np.random.Generator) -> None:
    mean, spread = portrait["end_offset"]
    scale, jitter = portrait["stroke_length"]
    special = portrait["end_offsets"]
    common = _rest_mean(drafts, mean, special)
    for draft in drafts:
        centre = special.get(draft.lexeme, common)
        draft.offset_s = float(np.clip(rng.normal(centre, spread), centre - 0.4, centre + 0.4))
        base = draft.entry.stroke_s if draft.entry is not None else 0.3
        draft.length_s = max(base * scale * (1.0 + jitter * rng.normal()), _LEAST_STROKE_S)
        draft.interval_s = float(rng.uniform(*portrait["after_interval"]))


def _rest_mean(drafts: list[Draft], mean: float, special: dict[str, float]) -> float:
    """Mean offset of the other lexemes, so that the overall mean is the speaker's."""
    ours = [special[d.lexeme] for d in drafts if d.lexeme in special]
    others = len(drafts) - len(ours)
    return (mean * len(drafts) - sum(ours)) / max(others, 1)


# --- units and phases ------------------------------------------------------------------------


def _unit_sizes(
    drafts: list[Draft], graph: Graph, portrait: dict[str, Any], rng: np.random.Generator
) -> list[int]:
    """Sizes of the units in an order that puts their borders into the longest gaps."""
    sizes = [int(n) for n, count in portrait["unit_sizes"].items() for _ in range(count)]
    order = np.array(sizes)[rng.permutation(len(sizes))]
    ends = np.array([graph.words[d.slot.last].end_s for d in drafts])
    gaps = np.minimum(np.diff(ends), 6.0)

    def worth(rows: np.ndarray) -> float:
        return float(gaps[np.cumsum(rows)[:-1] - 1].sum())

    best = worth(order)
    for _ in range(40000):
        i, j = rng.integers(len(order), size=2)
        if order[i] == order[j]:
            continue
        order[i], order[j] = order[j], order[i]
        new = worth(order)
        if new < best:
            order[i], order[j] = order[j], order[i]
        else:
            best = new
    return [int(n) for n in order]


def _give_phases(
    drafts: list[Draft],
    sizes: list[int],
    graph: Graph,
    portrait: dict[str, Any],
    rng: np.random.Generator,
) -> None:
    """Choose which gestures have a preparation, a hold before or after, or are hold gestures."""
    quota = portrait["phases"]
    firsts = set(np.cumsum([0, *sizes])[:-1].tolist())
    ends = [graph.words[d.slot.last].end_s - d.offset_s for d in drafts]
    room = [ends[i] - ends[i - 1] if i else 9.0 for i in range(len(drafts))]
    holders = [
        i
        for i, d in enumerate(drafts)
        if d.lexeme in _HOLDERS and d.strokes == 1 and (i in firsts or room[i] > 1.6)
    ]
    for k in rng.permutation(len(holders))[: quota["hold"]]:
        drafts[holders[int(k)]].hold_gesture = True
    others = [i for i in range(len(drafts)) if i not in firsts and not drafts[i].hold_gesture]
    others.sort(key=lambda i: -room[i])
    fixed = len(firsts) + sum(d.hold_gesture for i, d in enumerate(drafts) if i not in firsts)
    prepared = {*firsts, *others[: quota["preparation"] - fixed]}
    prepared |= {i for i, d in enumerate(drafts) if d.hold_gesture}
    for i in prepared:
        drafts[i].prep = True
    plain = [i for i in range(len(drafts)) if not drafts[i].hold_gesture]
    waiting = sorted((i for i in plain if drafts[i].prep and room[i] > 1.4), key=lambda i: -room[i])
    pick = rng.permutation(min(len(waiting), 3 * quota["hold_before"]))[: quota["hold_before"]]
    for k in pick:
        drafts[waiting[int(k)]].waits = True
    chance = [_hold_worth(drafts, i, ends, rng) for i in plain]
    for k in np.argsort(chance)[::-1][: quota["hold_after"]]:
        drafts[plain[int(k)]].held = True


def _hold_worth(drafts: list[Draft], i: int, ends: list[float], rng: np.random.Generator) -> float:
    """Score of holding a gesture: by its lexeme, and by the time after it."""
    draft = drafts[i]
    likely = draft.entry.hold[0] if draft.entry is not None else 0.3
    after = ends[i + 1] - ends[i] if i + 1 < len(drafts) else 5.0
    needed = (draft.strokes - 1) * draft.interval_s + 0.75
    return likely + 0.3 * float(rng.random()) + (0.0 if after > needed else -2.0)


def _units(
    drafts: list[Draft],
    sizes: list[int],
    graph: Graph,
    portrait: dict[str, Any],
    rng: np.random.Generator,
) -> tuple[AnnotatedUnit, ...]:
    out: list[AnnotatedUnit] = []
    at = 0
    edge = 0.2
    for n, size in enumerate(sizes):
        rows = drafts[at : at + size]
        at += size
        gestures: list[AnnotatedGesture] = []
        for k, draft in enumerate(rows):
            following = (
                rows[k + 1] if k + 1 < len(rows) else (drafts[at] if at < len(drafts) else None)
            )
            limit = _earliest(following, graph, portrait["duration_s"])
            if k + 1 == len(rows):
                limit -= 0.75
            gesture = _gesture(draft, edge, limit, graph, portrait, rng)
            gestures.append(gesture)
            edge = gesture.end_s
        home = _home(edge, drafts[at] if at < len(drafts) else None, graph, portrait)
        gap = (
            _earliest(drafts[at] if at < len(drafts) else None, graph, portrait["duration_s"])
            - home
        )
        out.append(
            AnnotatedUnit(
                tuple(gestures), PhaseMark("retraction", edge, home), _rest(gap, n, portrait)
            )
        )
        edge = home
    return tuple(out)


def _earliest(draft: Draft | None, graph: Graph, duration_s: float) -> float:
    """Preferred start of the next gesture's stroke."""
    if draft is None:
        return duration_s - 0.2
    return graph.words[draft.slot.last].end_s - draft.offset_s - draft.length_s


def _home(edge: float, following: Draft | None, graph: Graph, portrait: dict[str, Any]) -> float:
    """End of a retraction: 0.8 s, or half of the time before the next unit's stroke."""
    free = _earliest(following, graph, portrait["duration_s"]) - edge
    return round(edge + float(np.clip(0.5 * free, 0.15, 0.8)), 3)


def _rest(gap: float, n: int, portrait: dict[str, Any]) -> str:
    if gap < 1.6:
        return "clasped"
    if gap < 3.2:
        return "at-side"
    away = [p for p in portrait["rest_poses"] if p not in ("clasped", "at-side")]
    return str(away[n % len(away)])


def _gesture(
    draft: Draft,
    edge: float,
    limit: float,
    graph: Graph,
    portrait: dict[str, Any],
    rng: np.random.Generator,
) -> AnnotatedGesture:
    """Phases of a gesture between the end of the previous and the start of the next one."""
    words = graph.words
    slot = draft.slot
    marks: list[PhaseMark] = []
    median = portrait["hold_median_s"]
    held_s = float(median * np.exp(0.4 * rng.normal()))
    if draft.hold_gesture:
        start = words[slot.first].start_s - float(rng.normal(*portrait["start_offset"]))
        start = round(max(start, edge + 0.25), 3)
        marks.append(PhaseMark("preparation", round(max(edge, start - 0.6), 3), start))
        end = round(max(min(start + max(held_s, 0.5), limit), start + 0.2), 3)
        marks.append(PhaseMark("hold", start, end))
        return _annotated(draft, marks, portrait, rng)
    least = edge + _LEAST_STROKE_S + (0.16 if draft.prep else 0.0) + (0.1 if draft.waits else 0.0)
    end = round(max(words[slot.last].end_s - draft.offset_s, least), 3)
    if draft.prep:
        start = max(end - draft.length_s, edge + 0.16 + (0.1 if draft.waits else 0.0))
        before = start - (
            0.25 if draft.waits and start - edge > 0.6 else 0.1 if draft.waits else 0.0
        )
        length = float(rng.uniform(0.35, 0.75))
        marks.append(
            PhaseMark("preparation", round(max(edge, before - length), 3), round(before, 3))
        )
        if draft.waits:
            marks.append(PhaseMark("hold", round(before, 3), round(start, 3)))
    else:
        start = edge
    start = round(start, 3)
    ends = [end]
    for _ in range(draft.strokes - 1):
        ends.append(round(ends[-1] + draft.interval_s, 3))
    over = ends[-1] - max(limit, end + 0.12 * (draft.strokes - 1))
    if over > 0.0 and draft.strokes > 1:
        step = max((max(limit, end) - end) / (draft.strokes - 1), 0.16)
        ends = [round(end + step * k, 3) for k in range(draft.strokes)]
    marks.append(PhaseMark("stroke", start, ends[-1], draft.strokes, tuple(ends)))
    if draft.held:
        stop = max(min(ends[-1] + held_s, limit - 0.1), ends[-1] + 0.1)
        marks.append(PhaseMark("hold", ends[-1], round(stop, 3)))
    return _annotated(draft, marks, portrait, rng)


def _annotated(
    draft: Draft, marks: list[PhaseMark], portrait: dict[str, Any], rng: np.random.Generator
) -> AnnotatedGesture:
    entry = draft.entry
    middle = HandPosition("abdomen", "normal", "front", "normal")
    shifted = _shift(portrait, rng)
    start = shifted(entry.start if entry is not None else middle)
    end = shifted(entry.end if entry is not None else middle)
    usual = entry.hand_distance if entry is not None else (0.7, 0.7)
    mean, spread, least = portrait["hand_distance"]
    factor = max(float(rng.normal(mean, spread)), 0.3)
    apart = [round(max(d * factor, least), 3) for d in usual]
    two = draft.hands == "2H"
    shapes = entry.shapes if entry is not None and entry.shapes else ("open-rlx",)
    shape = shapes[0] if rng.random() < 0.75 else shapes[int(rng.integers(len(shapes)))]
    curved = rng.random() < portrait["curved"]
    span = (draft.slot.first, draft.slot.last)
    return AnnotatedGesture(
        phases=tuple(marks),
        lexeme=draft.lexeme,
        hands=draft.hands,  # type: ignore[arg-type]
        handshape=shape,
        trajectory="curved" if curved else "straight",
        start=start,
        end=None if draft.hold_gesture else end,
        start_distance=apart[0] if two else None,
        end_distance=apart[1] if two and not draft.hold_gesture else None,
        affiliate=span,
        cooccurrence=span,
    )


def _shift(portrait: dict[str, Any], rng: np.random.Generator) -> Any:
    """Shift positions as the speaker does, the start and the end of a stroke alike."""
    steps = {}
    for dimension, (up, down) in portrait["rows_up_down"].items():
        chance = rng.random()
        steps[dimension] = (
            _UP[dimension] if chance < up else -_UP[dimension] if chance < up + down else 0
        )

    def shifted(position: HandPosition) -> HandPosition:
        for dimension, rows in steps.items():
            position = position.shift(dimension, rows)
        return position

    return shifted


# --- the third speaker -----------------------------------------------------------------------

NEUTRAL_HANDS = {"RH": 0.50, "LH": 0.15, "2H": 0.35}
NEUTRAL_RATE = 21.0


def blended(host: Profile, critic: Profile) -> Profile:
    """An average speaker: the mean of the two, with every lexeme of the lexicon."""
    both = host.counts + critic.counts
    lexemes = {
        name: max(1, round(0.5 * both.lexemes.get(name, 0)))
        for name, entry in lexicon().items()
        if not entry.without_hands
    }
    total = sum(lexemes.values())
    lexeme_hands: dict[tuple[str, str], int] = {}
    samples: list[GestureSample] = []
    for name, n in lexemes.items():
        entry = lexicon()[name]
        for hand, count in _shared(n, entry).items():
            lexeme_hands[name, hand] = count
            samples += [_plain_sample(entry, hand, len(samples) + k) for k in range(count)]
    hands = {h: round(share * total) for h, share in NEUTRAL_HANDS.items()}
    counts = replace(
        both,
        duration_s=60.0 * total / NEUTRAL_RATE,
        lexemes=lexemes,
        hands=hands,
        lexeme_hands=lexeme_hands,
        strokes={
            n: Moments(k, lexicon()[n].strokes * k, lexicon()[n].strokes ** 2 * k)
            for n, k in lexemes.items()
        },
        stroke_lengths={
            n: Moments(k, lexicon()[n].stroke_s * k, 1.02 * lexicon()[n].stroke_s ** 2 * k)
            for n, k in lexemes.items()
        },
        tag_lexemes={},
        tags={},
        unit_sizes=_halved(both.unit_sizes),
        holds=_halved(both.holds),
        phases=_halved(both.phases),
        turns=_halved(both.turns),
        rest_poses=_halved(both.rest_poses),
    )
    counts = _with_prior_tags(counts, total)
    note = "Made by the Kinesphere project: a blend of host and critic with all gestures of the lexicon."
    return Profile(
        "neutral", "en", counts, tuple(samples), note=note, portrait={"turning": "address"}
    )


def _with_prior_tags(counts: GestureCounts, total: int) -> GestureCounts:
    """Tags with the lexicon's frequencies: each is gestured in two of five occurrences."""
    rows: dict[tuple[str, str], int] = {}
    tags: dict[str, int] = {}
    for name, entry in semantic_tags().items():
        shares = {k: w for k, w in entry.lexemes.items() if k in counts.lexemes}
        for lexeme, weight in shares.items():
            rows[name, lexeme] = max(round(20 * weight), 1)
        tags[name] = 50
    return replace(counts, tags=tags, tag_lexemes=rows)


def _halved(table: Any) -> dict[str, int]:
    return {key: max(1, round(0.5 * n)) for key, n in table.items()}


def _shared(n: int, entry: Lexeme) -> dict[str, int]:
    """Hands of a number of gestures by the lexicon's proportions."""
    exact = [n * share for share in entry.hands]
    counts = [int(x) for x in exact]
    order = np.argsort([c - x for c, x in zip(counts, exact, strict=True)])
    for k in order[: n - sum(counts)]:
        counts[int(k)] += 1
    return {h: c for h, c in zip(HAND_ORDER, counts, strict=True) if c}


def _plain_sample(entry: Lexeme, hand: str, number: int) -> GestureSample:
    two = hand == "2H"
    return GestureSample(
        number,
        "lexicon",
        entry.name,
        hand,
        entry.shapes[0],
        entry.trajectory,
        1,
        entry.stroke_s,
        entry.hold[1] if number % 2 else None,
        entry.start,
        entry.end,
        entry.hand_distance[0] if two else None,
        entry.hand_distance[1] if two else None,
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else DATA)
