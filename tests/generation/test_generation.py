"""Generated scripts as a whole: on a hundred texts that the speakers never saw."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest
from benchmarks.studies.style_recognition import StyleClassifier

from kinesphere.corpus.profiles.profile import Profile
from kinesphere.corpus.profiles.profile_estimator import counts_of
from kinesphere.generation.creation import create
from kinesphere.generation.generate import Generated, generate
from kinesphere.generation.graph import Arc, Graph
from kinesphere.generation.settings import GenerationSettings
from kinesphere.gesture.lexicon import lexicon
from kinesphere.gesture.script import ScriptGesture
from kinesphere.gesture.script_text import script_of_text, script_text
from kinesphere.pipeline.speakers import shipped_annotation, speaker
from tests.generation.material import graph_for, hundred, passages

STYLES = ("host", "critic")
MODES = (False, True)


@cache
def generated(style: str, sampling: bool, *, pictures: bool = True) -> tuple[Generated, ...]:
    settings = GenerationSettings(sampling=sampling)
    if not pictures:
        settings = replace(settings, pictures=None)
    who = speaker(style)
    return tuple(generate(text, who, settings, seed) for seed, text in enumerate(hundred()))


def by_hand(gestures: Sequence[ScriptGesture]) -> list[ScriptGesture]:
    """Gestures of the hands: those of the head are no part of the speaker's statistics."""
    return [g for g in gestures if not lexicon()[g.lexeme].without_hands]


def gestures(style: str, *, pictures: bool) -> list[tuple[str, str]]:
    made = generated(style, True, pictures=pictures)
    return [(g.lexeme, g.hands) for m in made for g in by_hand(m.script.gestures)]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("sampling", MODES)
def test_rate_and_unit_sizes_are_the_speakers(style: str, sampling: bool) -> None:
    who = speaker(style)
    made = generated(style, sampling)
    minutes = sum(text.duration_s for text in hundred()) / 60.0
    units = [len(by_hand(unit.gestures)) for m in made for unit in m.script.units]
    assert min(units) > 0
    assert sum(units) / minutes == pytest.approx(who.rate_per_minute, rel=0.15)
    assert sum(units) / len(units) == pytest.approx(who.gestures_per_unit, rel=0.15)
    larger = sum(n > 1 for n in units) / len(units)
    assert larger == pytest.approx(who.larger_units, rel=0.15)


@pytest.mark.parametrize("style", STYLES)
def test_sampling_keeps_the_speakers_frequencies(style: str) -> None:
    who = speaker(style)
    everything = gestures(style, pictures=False)
    # Tags that the speaker never gestured to have an average speaker's lexemes: one in ten.
    rows = [row for row in everything if row[0] in who.lexemes]
    assert 0.03 < 1.0 - len(rows) / len(everything) < 0.15
    lexemes = Counter(name for name, _ in rows)
    hands = Counter(hand for _, hand in everything)
    common = [n for n in who.lexemes if who.of_lexeme(n) >= 0.04]
    assert len(common) >= 6
    for name in common:
        # Of a lexeme seen n times chance alone gives a deviation of the root of n.
        slack = max(0.15, 2.0 / math.sqrt(len(rows) * who.of_lexeme(name)))
        assert lexemes[name] / len(rows) == pytest.approx(who.of_lexeme(name), rel=slack), name
    away = sum(abs(lexemes[n] / len(rows) - who.of_lexeme(n)) for n in who.lexemes) / 2.0
    assert away < 0.15
    for hand in ("RH", "LH", "2H"):
        share = hands[hand] / len(everything)
        assert share == pytest.approx(who.of_hand(hand), rel=0.15), hand


@pytest.mark.parametrize("style", STYLES)
def test_pictures_leave_a_speaker_his_hands_and_most_of_his_lexemes(style: str) -> None:
    """Meaning leads: what is said decides in part what is shown, and that is not the speaker's."""
    rows = gestures(style, pictures=True)
    hands = Counter(hand for _, hand in rows)
    for hand in ("RH", "LH", "2H"):
        ratio = hands[hand] / len(rows)
        assert ratio == pytest.approx(speaker(style).of_hand(hand), rel=0.15), hand
    lexemes = Counter(name for name, _ in rows)

    def away(name: str) -> float:
        who = speaker(name)
        names = {*lexemes, *who.lexemes}
        return sum(abs(lexemes[n] / len(rows) - who.of_lexeme(n)) for n in names) / 2.0

    (other,) = set(STYLES) - {style}
    # A third is what words ask for and the speaker's twenty minutes did not have.
    assert away(style) < 0.36
    assert away(style) < away(other) - 0.1


@pytest.mark.parametrize("sampling", MODES)
def test_a_blind_classifier_names_the_style(sampling: bool) -> None:
    """People named 69 percent alone and 88 side by side."""
    blind = StyleClassifier.of([speaker(style) for style in STYLES])
    alone = sum(
        blind.name(m.script) == style for style in STYLES for m in generated(style, sampling)
    )
    pairs = zip(generated("host", sampling), generated("critic", sampling), strict=True)
    beside = sum(blind.tell_apart(a.script, b.script) == STYLES for a, b in pairs)
    assert alone >= 0.95 * 200
    assert beside >= 0.99 * 100


@pytest.mark.parametrize("style", STYLES)
def test_gestures_land_where_they_should(style: str) -> None:
    who = speaker(style)
    moved = 0
    for text, made in zip(hundred(), generated(style, sampling=True), strict=True):
        flat = [p for unit in made.planned for p in unit]
        for p in flat:
            c = p.frame.candidate
            if lexicon()[c.lexeme].without_hands:
                soon = text.words[c.first].start_s + 0.25
                assert p.stroke_end_s == pytest.approx(max(soon, p.stroke_s))
                continue
            assert (
                any(text.words[w].content for w in range(c.trigger[0], c.trigger[1] + 1))
                or any(f.first <= c.trigger[1] and c.trigger[0] <= f.last for f in text.foci)
                or c.picture >= 0.5
            )
            moved += p.moved_s > 0.0
            if p.sample.is_hold:
                aim = text.words[c.first].start_s - who.start_offset(c.lexeme)[0] - 0.3
            else:
                aim = text.words[c.last].end_s - who.end_offset(c.lexeme)[0] - 0.3
            assert p.stroke_end_s == pytest.approx(aim + p.moved_s)
            assert p.moved_s <= max(who.end_offset(c.lexeme)[1], p.offset_s) + 1e-9
        for a, b in pairwise(by_hand(made.script.gestures)):
            assert b.meant_start_s >= a.last_stroke_end_s - 1e-9
            assert a.end_s <= b.meant_start_s + 1e-9
    assert moved < 0.25 * len(gestures(style, pictures=True))


@pytest.mark.parametrize("style", STYLES)
def test_scripts_are_written_and_read(style: str) -> None:
    for made in generated(style, sampling=True)[:20]:
        assert script_of_text(script_text(made.script)) == made.script


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("style", STYLES)
def test_most_rhemes_of_real_text_carry_a_candidate(language: str, style: str) -> None:
    who = speaker(style)
    shares = []
    for text in passages(language).values():
        graph = graph_for(text, language)
        made = create(graph, who, GenerationSettings().relaxed_probability)
        words = {w for c in made for w in range(c.first, c.last + 1)}
        carried = [any(w in words for w in range(r.first, r.last + 1)) for r in graph.rhemes]
        shares.append(sum(carried) / len(carried))
    assert len(shares) == (20 if language == "en" else 10)
    assert min(shares) >= 0.8


def test_the_same_seed_gives_the_same_and_another_another() -> None:
    text = hundred()[0]
    settings = GenerationSettings(sampling=True)
    first = generate(text, speaker("host"), settings, 7).script
    assert generate(text, speaker("host"), settings, 7).script == first
    assert generate(text, speaker("host"), settings, 8).script != first


def test_amount_scales_the_rate_and_zero_is_none() -> None:
    texts = hundred()[:20]
    counts = {}
    for amount in (0.0, 0.5, 1.0):
        s = GenerationSettings(amount=amount, sampling=True)
        rows = [
            g
            for i, t in enumerate(texts)
            for g in generate(t, speaker("host"), s, i).script.gestures
        ]
        hands = len(by_hand(rows))
        counts[amount] = (hands, len(rows) - hands)
    assert counts[0.0] == (0, 0)
    assert counts[0.5][0] == pytest.approx(0.5 * counts[1.0][0], rel=0.1)
    assert counts[0.5][1] < 0.75 * counts[1.0][1]


def test_every_trigger_has_its_reason() -> None:
    made = generated("host", True)[0]
    done = [r for r in made.reasons if r.outcome == "done"]
    assert len(done) == len(made.script.gestures)
    assert {r.outcome for r in made.reasons} >= {"done", "left out to keep the speaker's rate"}
    assert all(r.hands or lexicon()[r.lexeme].without_hands for r in done)
    assert any(r.rivals for r in done)


def test_time_shift_moves_the_script() -> None:
    def shifted(by_s: float) -> Generated:
        text = hundred()[1]
        moved = [replace(w, start_s=w.start_s + by_s, end_s=w.end_s + by_s) for w in text.words]
        settings = GenerationSettings(sampling=True)
        return generate(replace(text, words=tuple(moved)), speaker("host"), settings, 1)

    early, late = shifted(8.0).script, shifted(24.0).script
    assert len(early.gestures) == len(late.gestures) > 15
    for a, b in zip(early.gestures, late.gestures, strict=True):
        assert (a.lexeme, a.hands, a.type, a.start) == (b.lexeme, b.hands, b.type, b.start)
        assert b.meant_start_s == pytest.approx(a.meant_start_s + 16.0)
        assert b.end_s == pytest.approx(a.end_s + 16.0)
    for turn, again in zip(early.head_turns, late.head_turns, strict=True):
        assert again.direction == turn.direction
        assert again.time_s == pytest.approx(turn.time_s + 16.0)


def test_the_papers_own_way_keeps_neither_rate_nor_units() -> None:
    text = hundred()[2]
    plain = generate(text, speaker("critic"), GenerationSettings.as_published(), 0)
    triggers = {c.trigger for c in create(text, speaker("critic"), 0.1)}
    assert 0 < len(plain.script.gestures) <= len(triggers)


def test_a_passages_own_statistics_can_be_taken_out() -> None:
    host = speaker("host")
    annotation = shipped_annotation("host")
    left = host.without(counts_of(annotation), "host")
    assert left.samples == ()
    assert left.counts.gestures == 0


def joined(texts: tuple[Graph, ...]) -> Graph:
    """Texts one after the other."""
    words, rows = [], {name: [] for name in ("clauses", "rhemes", "foci", "tags")}
    at = 0.0
    for n, text in enumerate(texts):
        first = len(words)
        words += [
            replace(w, start_s=w.start_s + at, end_s=w.end_s + at, paragraph=w.paragraph + 9 * n)
            for w in text.words
        ]
        for name, out in rows.items():
            arcs = getattr(text, name)
            out += [Arc(a.label, a.first + first, a.last + first) for a in arcs]
        at += text.duration_s + 0.5
    return Graph(tuple(words), *(tuple(rows[n]) for n in ("clauses", "rhemes", "foci", "tags")))


@pytest.mark.timing
def test_time_grows_with_the_text_and_not_faster() -> None:
    who: Profile = speaker("host")
    settings = GenerationSettings(sampling=True)
    texts = hundred()
    took = []
    for count in (6, 24):
        text = joined(texts[:count])
        start = time.process_time()
        generate(text, who, settings, 0)
        took.append(time.process_time() - start)
    assert took[1] < 8.0 * took[0]
