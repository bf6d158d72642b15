"""The table of words in no list: used last, for its class only, and never against a list."""

from __future__ import annotations

from itertools import islice

import pytest

from kinesphere.language.tagging import tag_text
from kinesphere.language.tags import semantic_tags, wider_tags


def tags(text: str) -> list[str]:
    return [t.tag for t in tag_text(text, "en").tags]


def test_words_in_no_list_have_a_tag() -> None:
    assert len(wider_tags("en")) > 400
    assert tags("They saw a brawl.")[-1] == "AGGRESSION"
    assert tags("He took the stairway.")[-1] == "PATH"


def test_there_is_no_german_table() -> None:
    assert not wider_tags("de")


def test_listed_words_are_not_in_the_table_and_its_tags_exist() -> None:
    listed = {word.casefold() for tag in semantic_tags().values() for word in tag.words["en"]}
    assert not listed & {word for word, _ in wider_tags("en")}
    assert set(wider_tags("en").values()) <= set(semantic_tags())


@pytest.mark.parametrize("entry", list(islice(wider_tags("en").items(), 0, None, 40)))
def test_a_listed_phrase_wins(
    entry: tuple[tuple[str, str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (word, pos), tag = entry
    table = {("house", "noun"): tag, (word, pos): tag}
    monkeypatch.setattr("kinesphere.language.matching.wider_tags", lambda language: table)
    assert tags("It is a house.") == ["PLACE"]


def test_only_the_class_of_the_table_has_the_tag() -> None:
    nouns = [word for word, pos in wider_tags("en") if pos == "noun"]
    verbs = {word for word, pos in wider_tags("en") if pos == "verb"}
    assert nouns
    assert not verbs & set(nouns)
