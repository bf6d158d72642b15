"""Words whose meaning can be seen: where they are shown, by what, and with which hand."""

from __future__ import annotations

from functools import cache

import pytest

from kinesphere.generation.creation import Candidate, create
from kinesphere.generation.generate import generate
from kinesphere.generation.pictures import (
    hand_of_words,
    picturability,
    shown_by_hands,
    without_improbable,
)
from kinesphere.generation.settings import GenerationSettings, PictureSettings
from kinesphere.gesture.lexicon import lexicon, tag_lexemes
from kinesphere.language.tags import semantic_tags
from kinesphere.pipeline.speakers import speaker
from kinesphere.pipeline.stages.cast import Cast
from tests.generation.material import graph_for, hundred

STYLES = ("host", "critic", "neutral")
PICTURES = PictureSettings()
SAMPLED = GenerationSettings(sampling=True)


@cache
def offered(style: str, number: int, *, pictures: bool = True) -> tuple[Candidate, ...]:
    s = SAMPLED
    given = PICTURES if pictures else None
    who = speaker(style)
    found = create(hundred()[number], who, s.sampled_probability, s.habit, s.meaning, given)
    return tuple(found)


def shown(text: str, style: str, seed: int = 0) -> list[tuple[str, str, str]]:
    made = generate(graph_for(text, "en"), speaker(style), SAMPLED, seed)
    entries = lexicon()
    return [
        (g.lexeme, g.hands, g.handshape)
        for g in made.script.gestures
        if not entries[g.lexeme].without_hands
    ]


@pytest.mark.parametrize("style", STYLES)
def test_every_picturable_word_has_candidates_on_itself_wherever_it_is(style: str) -> None:
    outside = 0
    for number, text in enumerate(hundred()[:20]):
        found = offered(style, number)
        for tag in text.tags:
            if picturability(tag.label) < PICTURES.least:
                continue
            rows = [c for c in found if c.trigger == (tag.first, tag.last)]
            # "A third" cannot be counted on fingers.
            assert rows or tag.label == "NUMBER", text.text(tag.first, tag.last)
            assert all((c.first, c.last) == c.trigger and not c.on_focus for c in rows)
            outside += not any(tag.within(rheme) for rheme in text.rhemes)
    assert outside > 20


@pytest.mark.parametrize("style", STYLES)
def test_nothing_strange_is_offered_beside_something_likely(style: str) -> None:
    strange = 0
    for number in range(20):
        for pictures in (True, False):
            groups: dict[tuple[int, int], list[float]] = {}
            for c in offered(style, number, pictures=pictures):
                if not c.on_focus:
                    groups.setdefault(c.trigger, []).append(c.probability)
            bad = sum(max(row) > 0.1 and min(row) < 0.02 for row in groups.values())
            assert bad == 0 or not pictures
            strange += bad
    # The profile alone has many such.
    assert strange > 20


def test_a_likely_lexeme_bars_strange_ones_and_no_others() -> None:
    assert without_improbable({"Cup": 0.3, "Wipe": 0.019, "Beat": 0.02}, PICTURES) == {
        "Cup": 0.3,
        "Beat": 0.02,
    }
    rare = {"Cup": 0.1, "Wipe": 0.01}
    assert without_improbable(rare, PICTURES) == rare
    assert without_improbable({}, PICTURES) == {}


@pytest.mark.parametrize("style", STYLES)
def test_only_gestures_that_mean_nothing_by_their_form_move_to_a_focus(style: str) -> None:
    entries = lexicon()
    kinds = {entries[c.lexeme].kind for n in range(20) for c in offered(style, n) if c.on_focus}
    assert kinds == {"metaphoric", "beat"}
    without = {
        entries[c.lexeme].kind
        for n in range(20)
        for c in offered(style, n, pictures=False)
        if c.on_focus
    }
    assert without > kinds


@pytest.mark.parametrize("style", STYLES)
def test_candidates_have_numbers_and_groups_of_their_own(style: str) -> None:
    for number in range(20):
        found = offered(style, number)
        assert len({c.number for c in found}) == len(found)
        assert all(
            len({c.trigger for c in found if c.group == g}) == 1 for g in {c.group for c in found}
        )


@pytest.mark.parametrize("style", STYLES)
def test_left_and_right_choose_the_hand(style: str) -> None:
    for said, hand in (("left", "LH"), ("right", "RH")):
        text = graph_for(f"The village is to the {said}.", "en")
        (tag,) = (t for t in text.tags if t.label == "SIDE")
        assert hand_of_words(tag, text) == hand
        for seed in range(8):
            (first, *_) = shown(f"The village is to the {said}.", style, seed)
            assert first[1] == hand
    other = [t for t in text.tags if t.label != "SIDE"]
    assert all(hand_of_words(t, text) is None for t in other)
    sides = graph_for("It moved sideways.", "en")
    assert [hand_of_words(t, sides) for t in sides.tags if t.label == "SIDE"] == [None]


@pytest.mark.parametrize("style", STYLES)
def test_two_hundred_is_many_and_not_two(style: str) -> None:
    def lexemes(text: str) -> set[str]:
        graph = graph_for(text, "en")
        (tag,) = (t for t in graph.tags if t.label == "NUMBER")
        return set(shown_by_hands(tag, graph, speaker(style), PICTURES))

    assert "NumberSign" in lexemes("He has two sons.")
    assert lexemes("We sold two hundred books.") <= set(tag_lexemes("MANY"))
    for seed in range(8):
        found = shown("We sold two hundred books.", style, seed)
        assert found
        assert not any(name == "NumberSign" or shape == "victory" for name, _, shape in found)
    assert ("NumberSign", "RH", "victory") in shown("He has two sons.", "neutral")


@pytest.mark.parametrize("style", STYLES)
def test_picturable_words_come_before_others(style: str) -> None:
    """Of the gestures, far more are on picturable words than of the words with tags."""

    def mean(tags: list[str]) -> float:
        return sum(picturability(tag) for tag in tags) / len(tags)

    texts = hundred()[:20]
    there = mean([tag.label for text in texts for tag in text.tags])
    done = {}
    for s in (SAMPLED, GenerationSettings(sampling=True, pictures=None)):
        made = [generate(text, speaker(style), s, n) for n, text in enumerate(texts)]
        done[s.pictures] = mean([p.frame.candidate.tag for m in made for u in m.planned for p in u])
    assert done[PICTURES] > there + 0.1
    assert done[PICTURES] > done[None] + 0.1


def test_the_papers_way_knows_nothing_of_it() -> None:
    s = GenerationSettings.as_published()
    assert s.pictures is None
    assert Cast("host", paper=True).generation_settings(1.0).pictures is None
    entries = lexicon()
    for number, text in enumerate(hundred()[:5]):
        made = generate(text, speaker("host"), s, number)
        assert not any(entries[g.lexeme].without_hands for g in made.script.gestures)
        for c in create(text, speaker("host"), s.least_probability):
            first, last = c.trigger
            assert any(r.first <= first and last <= r.last for r in text.rhemes)
            given = speaker("host").given_tag(c.tag)
            assert c.probability == pytest.approx(given[c.lexeme])


def test_tags_say_how_far_they_can_be_shown() -> None:
    values = {name: tag.picturable for name, tag in semantic_tags().items()}
    assert all(0.0 <= value <= 1.0 for value in values.values())
    assert values["GREETING"] > values["LARGE"] > values["SELF"] > values["SAY"] > values["FOCUS"]
    assert values["FOCUS"] == picturability("") == 0.0
