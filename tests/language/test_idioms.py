"""Phrases of everyday speech have the tag of what they mean as a whole, before their words."""

from __future__ import annotations

import pytest

from kinesphere.language.analysis import analyse
from kinesphere.language.tagging import tag_text
from kinesphere.language.tokens import Language

WHOLE: dict[Language, str] = {
    "en": """
UNCERTAIN | I don't know.
UNCERTAIN | I have no idea.
UNCERTAIN | No clue.
AGREEMENT | You are right.
AGREEMENT | Exactly.
AGREEMENT | That's true.
AGREEMENT | Good idea!
INVITE | Come here.
INVITE | Come in!
INVITE | Follow me!
NONE | Not at all.
NONE | nothing else
ADDRESSEE | all of you
THERE | over there
LIST | First of all
ALTERNATIVE | On the one hand
CONTRAST | On the other hand
PATH | from A to B
HALT | Hold on!
HALT | Wait a second!
SINCERITY | I swear
SELF | That was me.
GREETING | Goodbye.
GREETING | bye
GRATITUDE | Thank you so much.
REGRET | I'm sorry.
PRAISE | Well done!
INDIFFERENCE | No problem.
END | That was it.
RETURN | upside down
""",
    "de": """
UNCERTAIN | Ich weiß es nicht.
UNCERTAIN | Keine Ahnung.
AGREEMENT | Da hast du recht.
AGREEMENT | Stimmt.
AGREEMENT | Genau.
INVITE | Komm her.
INVITE | Kommt herein!
REJECTION | Das will ich nicht.
SELF | Das war ich.
GREETING | Tschüss!
REGRET | Es tut mir leid.
PRAISE | Gut gemacht!
INDIFFERENCE | Kein Problem.
INDIFFERENCE | Das ist mir egal.
SINCERITY | Ich schwöre es.
HALT | Moment mal!
RETURN | auf den Kopf
""",
}


@pytest.mark.parametrize(
    ("language", "row"),
    [(language, row) for language, text in WHOLE.items() for row in text.strip().split("\n")],
)
def test_a_phrase_is_one_tag(language: Language, row: str) -> None:
    tag, text = row.split(" | ")
    found = tag_text(text, language)
    words = [i for i, token in enumerate(found.tokens) if token.is_word]
    assert [t.tag for t in found.tags] == [tag]
    assert found.tags[0].first == words[0]
    assert found.tags[0].last >= words[-1]


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("The soup is good.", "AGREEMENT"),
        ("They came in with a dog.", "INVITE"),
        ("He knew it exactly.", "AGREEMENT"),
        ("She did not know the song.", "INVITE"),
    ],
)
def test_what_only_looks_like_the_phrase_is_none(text: str, tag: str) -> None:
    assert tag not in [t.tag for t in tag_text(text, "en").tags]


def test_a_phrase_for_the_start_of_a_sentence_is_found_only_there() -> None:
    def tags(text: str) -> list[str]:
        return [t.tag for t in tag_text(text, "en").tags]

    assert tags("Exactly. It rained.")[0] == "AGREEMENT"
    assert tags('"Exactly," he said.')[0] == "AGREEMENT"
    assert "AGREEMENT" not in tags("It rained exactly.")


@pytest.mark.parametrize(
    ("text", "lemma"),
    [("Heb das Rad hoch.", "heben"), ("Dann ruf mich an.", "rufen"), ("Zieh daran!", "ziehen")],
)
def test_german_commands_are_verbs(text: str, lemma: str) -> None:
    tokens = analyse(text, "de").tokens
    assert lemma in [t.lemma for t in tokens if t.pos == "verb"]


@pytest.mark.parametrize("text", ["Der Ruf der Eule war laut.", "Teil des Problems war er."])
def test_nouns_that_look_like_commands_stay_nouns(text: str) -> None:
    assert not {"rufen", "teilen"} & {t.lemma for t in analyse(text, "de").tokens}
