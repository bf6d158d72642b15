"""Tags on words: one a word, from phrases, verbs in two, compounds and names; authors win."""

from __future__ import annotations

import math
import random
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesphere.errors import InvalidValueError
from kinesphere.language.analysis import analyse
from kinesphere.language.tagging import (
    InformationSpan,
    TaggedText,
    TagSpan,
    Written,
    WrittenGesture,
    tag_text,
)
from kinesphere.language.tags import FOCUS, semantic_tags
from kinesphere.language.tokens import LARGEST_TEXT, Language

TEXTS = sorted((Path(__file__).parents[1] / "generation" / "texts").glob("*.txt"))


def tags(text: str, language: Language = "en") -> dict[str, str]:
    """Tag of every tagged stretch of words, by the words."""
    found = tag_text(text, language)
    return {text_of(found, t.first, t.last): t.tag for t in found.tags}


def text_of(found: TaggedText, first: int, last: int) -> str:
    return found.text[found.tokens[first].start : found.tokens[last].end]


def covered(spans: tuple[TagSpan, ...] | tuple[InformationSpan, ...]) -> list[int]:
    return [i for s in spans for i in range(s.first, s.last + 1)]


def check(found: TaggedText) -> None:
    places = covered(found.tags)
    assert places == sorted(set(places)), "one tag a word, in order"
    assert all(t.tag in semantic_tags() for t in found.tags)
    taken = set(covered(tuple(t for t in found.tags if t.tag != FOCUS)))
    for focus in found.spans("focus"):
        inside = set(range(focus.first, focus.last + 1))
        fallback = [t for t in found.tags if t.tag == FOCUS and t.first in inside]
        content = any(
            found.tokens[i].is_content and found.tokens[i].pos != "interjection" for i in inside
        )
        assert len(fallback) == (content and not inside & taken)


WORDS = st.sampled_from(
    [
        "war",
        "not",
        "never",
        "New",
        "York",
        "you",
        "I",
        "give",
        "up",
        "big",
        "small",
        "Krieg",
        "nimmt",
        "zurück",
        "gibt",
        "auf",
        "Hauptproblem",
        "alle",
        "nicht",
        "ich",
        "die",
        "the",
        "of",
        ".",
        ",",
        "and",
        "und",
        "is",
        "ist",
        "left",
        "Anna",
        "?",
    ]
)


@settings(max_examples=200, deadline=None)
@given(st.lists(WORDS, max_size=30).map(" ".join), st.sampled_from(["en", "de"]))
def test_one_tag_a_word_and_a_focus_without_a_tag_gets_one(text: str, language: Language) -> None:
    check(tag_text(text, language))


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_passages(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    found = tag_text(text)
    assert found.language == path.stem[:2]
    check(found)
    rhemes = found.spans("rheme")
    meant = [t for t in found.tags if t.tag != FOCUS]
    with_tag = sum(any(r.first <= t.first <= r.last for t in meant) for r in rhemes)
    assert with_tag >= 0.8 * len(rhemes)


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_function_words_have_a_tag_only_in_focus(path: Path) -> None:
    found = tag_text(path.read_text(encoding="utf-8"))
    parts = {p.owner: p.tag for p in reversed(analyse(found.text, found.language).parts)}
    focused = set(covered(found.spans("focus")))
    # Personal and reflexive pronouns, possessives, forms of to be, articles.
    bare = ("PNP", "PNX", "DPS", "VB", "PPER", "PRF", "PPOSAT", "VA")
    articles = ("the", "a", "an", "der", "die", "das", "den", "dem", "ein", "eine", "einen")
    for tag in found.tags:
        token = found.tokens[tag.first]
        if tag.first == tag.last and tag.first not in focused and token.pos != "verb":
            assert not parts[tag.first].startswith(bare), token
            assert token.text.casefold() not in articles or token.pos != "determiner", token


def test_pronouns_have_a_tag_in_focus() -> None:
    assert "you" not in tags("I saw you at the station.")
    assert tags("Not me but you.")["you"] == "ADDRESSEE"
    assert tags("You lead, I follow.")["I"] == "SELF"
    spoken = tag_text("I saw you.", "en", prominence=[0.1, 0.1, 0.9])
    assert [t.tag for t in spoken.tags if t.first == 2] == ["ADDRESSEE"]


# ------------------------------------------------------------------------- German verbs in two


@pytest.mark.parametrize(
    ("text", "verb", "tag"),
    [
        ("Er nimmt das Angebot zurück.", "nimmt", "RETURN"),
        ("Er nahm das Geld, das er fand, zurück.", "nahm", "RETURN"),
        ("Er nahm das Geld, das er gefunden hatte, sofort zurück.", "nahm", "RETURN"),
        ("Sie nahm, ohne zu zögern, alles zurück.", "nahm", "RETURN"),
        ("Wir schlagen etwas vor.", "schlagen", "GIVE"),
        ("Er fängt, weil es regnet, nicht an.", "fängt", "BEGIN"),
        ("Sie hört damit auf.", "hört", "END"),
        ("Er wirft den Brief weg.", "wirft", "REJECTION"),
        ("Er lacht und lehnt den Plan ab.", "lehnt", "REJECTION"),
    ],
)
def test_a_verb_has_the_meaning_of_both_its_parts(text: str, verb: str, tag: str) -> None:
    found = tag_text(text, "de")
    place = next(i for i, t in enumerate(found.tokens) if t.text == verb)
    assert [t.tag for t in found.tags if t.first <= place <= t.last] == [tag]
    # The particle is said already.
    last = next(i for i in reversed(range(len(found.tokens))) if found.tokens[i].is_word)
    assert last not in covered(found.tags)


def test_a_verb_with_an_unlisted_particle_does_not_mean_what_it_means_alone() -> None:
    assert tags("Ich gebe dir das Buch.", "de")["gebe"] == "GIVE"
    assert tags("Die Milch geht uns bald aus.", "de").get("geht") in (None, FOCUS)
    assert tags("Das Auto fährt weg.", "de")["fährt"] == "DRIVE"


# ------------------------------------------------------------------------- compounds, names


def test_a_compound_means_what_its_last_part_means() -> None:
    found = tags("Das Hauptproblem ist der Bürgerkrieg in der Hafenstadt.", "de")
    assert found["Hauptproblem"] == "OBJECT"
    assert found["Bürgerkrieg"] == "AGGRESSION"
    assert found["Hafenstadt"] == "PLACE"


def test_names_of_two_words_are_titles_whatever_their_words_mean() -> None:
    assert tags("They read the New York Times.")["New York Times"] == "TITLE"
    assert tags("He works for the Ministry of War.")["Ministry of War"] == "TITLE"
    assert tags("Renate Kolb kam aus Bad Homburg.", "de")["Renate Kolb"] == "TITLE"
    assert "TITLE" not in tags("Der Alte Krieg Im Norden", "de").values()
    assert "TITLE" not in tags("Er nannte den Krieg Frieden und lachte.", "de").values()
    assert "TITLE" not in tags("War Breaks Out Again").values()


def test_longer_phrases_win() -> None:
    assert tags("There was a civil war.")["civil war"] == "AGGRESSION"
    assert tags("They came back.").get("came back") == "RETURN"


def test_a_focus_without_another_tag_has_the_tag_focus() -> None:
    found = tag_text("They ate a mango.", "en")
    assert [(t.tag, found.tokens[t.first].text) for t in found.tags][-1:] == [(FOCUS, "mango")]


# ------------------------------------------------------------------------- what an author sets

TEXT = "The war is over and we won the day."


def test_what_is_written_wins() -> None:
    plain = tag_text(TEXT, "en")
    assert tags(TEXT)["war"] == "AGGRESSION"
    written = Written(tags=(TagSpan("CALM", 1, 1),), untagged=frozenset([6]))
    found = tag_text(TEXT, "en", written=written)
    assert [t.tag for t in found.tags if t.first == 1] == ["CALM"]
    assert 6 not in covered(found.tags)
    assert found.clauses == plain.clauses
    assert found.information == plain.information


def test_written_borders_are_added() -> None:
    found = tag_text(TEXT, "en", written=Written(borders=frozenset([1])))
    assert found.clauses == ((0, 1), *((max(a, 2), b) for a, b in tag_text(TEXT, "en").clauses))


def test_a_written_focus_is_the_only_one_in_its_clause_and_in_no_theme() -> None:
    found = tag_text(TEXT, "en", written=Written(information=(InformationSpan("focus", 1, 1),)))
    first, last = found.clauses[0]
    assert [(s.first, s.last) for s in found.spans("focus") if s.first <= last] == [(1, 1)]
    assert found.spans("rheme")[0].first == 0


def test_beside_a_written_theme_is_the_rheme() -> None:
    found = tag_text(TEXT, "en", written=Written(information=(InformationSpan("theme", 0, 2),)))
    assert [(s.kind, s.first) for s in found.information[:2]] == [("theme", 0), ("focus", 3)]
    assert found.spans("rheme")[0].first == 3


def test_the_focus_is_sought_in_a_written_rheme() -> None:
    found = tag_text(TEXT, "en", written=Written(information=(InformationSpan("rheme", 0, 1),)))
    inside = [s for s in found.information if s.last <= found.clauses[0][1]]
    assert [(s.kind, s.first, s.last) for s in inside] == [("rheme", 0, 1), ("focus", 1, 1)]


@pytest.mark.parametrize(
    ("written", "message"),
    [
        (Written(tags=(TagSpan("WARR", 0, 0),)), "'WARR' is not known; near are"),
        (Written(tags=(TagSpan("CALM", 3, 99),)), "tags: tokens 3 to 99, allowed is .* 0 to 9"),
        (Written(tags=(TagSpan("CALM", 1, 2), TagSpan("CALM", 2, 3))), "apart from the others"),
        (Written(information=(InformationSpan("focus", 1, 0),)), "foci: tokens 1 to 0"),
        (
            Written(information=(InformationSpan("theme", 0, 2), InformationSpan("rheme", 2, 3))),
            "themes and rhemes",
        ),
        (
            Written(information=(InformationSpan("topic", 0, 0),)),
            "kind 'topic', allowed are theme, rheme",
        ),
        (Written(gestures=(WrittenGesture("Cup", -1, 0),)), "gestures: tokens -1 to 0"),
        (Written(borders=frozenset([77])), "token 77, allowed is 0 to 9"),
    ],
)
def test_what_does_not_fit_is_refused(written: Written, message: str) -> None:
    with pytest.raises(InvalidValueError, match=message):
        tag_text(TEXT, "en", written=written)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("", 0, 0), "gesture ''"),
        (("Cup}", 0, 0), "gesture 'Cup}'"),
        (("Cup", 0, 0, "left"), "hand 'left', allowed are LH, RH, 2H"),
        (("none", 0, 0, "LH"), "for no gesture"),
    ],
)
def test_gestures_have_names_and_hands(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(InvalidValueError, match=message):
        WrittenGesture(*arguments)


# ------------------------------------------------------------------------- odd texts


@pytest.mark.parametrize("text", ["", "  \n ", "\U0001f600", "...", "\r\n\r\n"])
def test_texts_without_words(text: str) -> None:
    found = tag_text(text)
    assert found.text == text
    assert found.words == ()
    assert (found.tags, found.information, found.gestures) == ((), (), ())
    assert bool(found.clauses) == bool(found.tokens)


def test_line_ends_make_no_difference() -> None:
    text = "The war is over.\n\nWe won\nthe day. \U0001f600"
    unix, windows = tag_text(text, "en"), tag_text(text.replace("\n", "\r\n"), "en")
    assert windows.tags == unix.tags
    assert windows.information == unix.information
    assert windows.clauses == unix.clauses


def test_shouted_texts_have_the_same_tags() -> None:
    text = "The war is over and nobody is happy."
    assert [t.tag for t in tag_text(text.upper(), "en").tags] == [
        t.tag for t in tag_text(text).tags
    ]


def test_addresses_are_not_taken_apart() -> None:
    found = tag_text("See https://example.org/the/big/war now.", "en")
    assert [t.tag for t in found.tags if t.first == 1] in ([], [FOCUS])


@pytest.mark.parametrize(
    ("loud", "message"),
    [
        ([0.5], "1 values of prominence for 9 words"),
        ([0.5] * 8 + [1.5], "prominence 1.5, allowed is 0 to 1"),
        ([0.5] * 8 + [math.nan], "prominence nan"),
    ],
)
def test_prominence_needs_a_value_for_each_word(loud: list[float], message: str) -> None:
    with pytest.raises(InvalidValueError, match=message):
        tag_text(TEXT, "en", prominence=loud)


def test_a_text_over_the_limit_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="allowed are 16777216"):
        tag_text(" " * (LARGEST_TEXT + 1))


@pytest.mark.timing
@pytest.mark.parametrize("language", ["en", "de"])
def test_speed(language: Language) -> None:
    """Three thousand words a second on a common machine; here a third of that is asked for."""
    words = [
        t.text
        for path in TEXTS
        if path.stem.startswith(language)
        for t in tag_text(path.read_text(encoding="utf-8"), language).words
    ]
    choice = random.Random(1)
    sentences = [" ".join(choice.choices(words, k=12)) for _ in range(500)]
    start = time.process_time()
    found = tag_text(". ".join(sentences), language)
    assert len(found.words) >= 6000
    assert len(found.words) / (time.process_time() - start) > 1000
