"""Denied words: by clause, in the direction of the language; idioms and questions deny nothing."""

from __future__ import annotations

import re

import pytest

from kinesphere.generation.graph import graph_of
from kinesphere.language.markup import read_markup, write_markup
from kinesphere.language.tagging import tag_text
from kinesphere.language.tokens import Language

# Denied words in brackets; every other word with a tag is not denied.
DENIED: dict[Language, str] = {
    "en": """
It is not [big].
It isn't [hard].
We never had a [dog].
Nobody [laughed].
He left without a [sound].
There is hardly any [water].
It is no longer [quiet].
He [asked for] nothing.
But you are not [alone].
Not [next week], not [tomorrow], today.
No, not [left], right!
It was not a [big] [house], it was a small house.
No sentence can [take the pain away].
I don't [think] it's [big].
He didn't [say] that the house was huge.
You must not [touch] the [dog], it is big.
She never [laughs] and never [cries].
He did not [stop] and ran away.
He neither [walks] nor [runs].
Never stand under a [bridge] that is old.
""",
    "de": """
Das ist nicht [weit].
Du bist nicht [allein].
Das ist kein [großes] [Haus].
Nein, das Auto [will] ich nicht.
Er kam ohne ein [Geräusch].
Er ging weg, ohne zu [lachen].
Niemand hat [gelacht].
Es gibt kaum [Wasser].
Nicht [links], rechts!
Ich glaube nicht, dass es [groß] ist.
Hier wird nicht [gerannt] und nicht [geschrien].
Er kam nicht [gestern], sondern heute.
Er hat das große Haus nicht [gekauft].
Er ist weder [groß] noch [klein].
Er ist nicht [groß], aber stark.
Sie sagt, dass kein [Satz] den Schmerz [wegnehmen] kann.
""",
}
NOT_DENIED: dict[Language, str] = {
    "en": """
Not only big houses but small ones too.
It is not without risk.
No problem, it is big.
No, it is big.
I can't wait to see the mountain.
Not at all.
Isn't it huge?
It's big, isn't it?
Why don't we go together?
I don't care whose house it is.
It was nothing but a big house.
""",
    "de": """
Nicht nur große Häuser brannten.
Kein Problem, es ist groß.
Ist das nicht schön?
Es ist nicht ohne Risiko.
Vergiss nicht, deine Mutter anzurufen.
Es war nichts als ein großes Haus.
Nein, es ist groß.
""",
}


def denied(text: str, language: Language) -> list[str]:
    found = tag_text(text, language)
    spans = [t for t in found.tags if t.negated and t.tag != "FOCUS"]
    return [found.text[found.tokens[t.first].start : found.tokens[t.last].end] for t in spans]


def rows(table: dict[Language, str]) -> list[tuple[Language, str]]:
    return [(language, row) for language, text in table.items() for row in text.strip().split("\n")]


@pytest.mark.parametrize(("language", "marked"), rows(DENIED))
def test_these_words_and_no_others_are_denied(language: Language, marked: str) -> None:
    text = marked.replace("[", "").replace("]", "")
    assert denied(text, language) == re.findall(r"\[(.+?)\]", marked)


@pytest.mark.parametrize(("language", "text"), rows(NOT_DENIED))
def test_idioms_answers_and_questions_deny_nothing(language: Language, text: str) -> None:
    found = tag_text(text, language)
    assert found.tags
    assert not any(t.negated for t in found.tags)


def test_forgetting_denied_is_remembering() -> None:
    assert "call" not in denied("Do not hesitate to call.", "en")
    assert denied("He didn't forget to call.", "en") == ["forget"]


def test_what_a_verb_hands_on_is_denied() -> None:
    assert "huge" in denied("I don't think that it was huge.", "en")
    assert "huge" not in denied("I don't know whether it was huge.", "en")


def test_pointing_words_are_denied_only_right_after_their_negation() -> None:
    assert denied("We do not see you today.", "en") == ["see"]
    assert denied("Not tomorrow.", "en") == ["tomorrow"]
    assert denied("It was not mine.", "en") == ["mine"]


def test_a_clause_that_an_author_ends_ends_the_negation() -> None:
    plain = read_markup("Not the old and the big house.", "en")
    parted = read_markup("Not the old || and the big house.", "en")
    assert [t.negated for t in plain.tags if t.tag == "LARGE"] == [True]
    assert [t.negated for t in parted.tags if t.tag == "LARGE"] == [False]


def test_a_fully_tagged_text_and_the_graph_keep_it() -> None:
    text = "It was not {quite so bad|LARGE}."
    found = read_markup(text, "en")
    again = read_markup(write_markup(found))
    assert [t.negated for t in again.tags] == [t.negated for t in found.tags] == [False, True]
    graph = graph_of(found, [(float(i), i + 0.5) for i in range(len(found.words))])
    assert [(a.label, a.negated) for a in graph.tags] == [("NEGATION", False), ("LARGE", True)]
