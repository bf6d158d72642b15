"""Tokens of a text as values; `language.analysis` finds them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Language = Literal["en", "de"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
LARGEST_TEXT = 16 << 20
CONTENT = frozenset(("noun", "name", "verb", "adjective", "adverb", "number", "interjection"))
NOUNS = frozenset(("noun", "name"))
CLOSING = frozenset("\"'\u2019\u201d\u201c\u00bb\u00ab\u203a\u2039)]")
"""Marks that may open or close a quotation or a bracket; the blanks around decide."""


@dataclass(frozen=True)
class Token:
    """A written word or punctuation mark; `start` and `end` are positions in the plain text."""

    text: str
    lemma: str
    pos: str
    start: int
    end: int
    negated: bool = False

    @property
    def is_word(self) -> bool:
        """Whether it is spoken."""
        return self.pos != "punctuation"

    @property
    def is_content(self) -> bool:
        """Whether it is a content word."""
        return self.pos in CONTENT


@dataclass(frozen=True)
class TokenPart:
    """A token, or a part of a contraction, with which phrases are compared.

    `tag` is the tagger's own, `owner` the token's index, `lemmas` all forms for lookup.
    """

    text: str
    lemmas: tuple[str, ...]
    tag: str
    pos: str
    owner: int
    finite: bool


@dataclass(frozen=True)
class Analysis:
    """Tokens, their parts, and the sentences as first and last token."""

    tokens: tuple[Token, ...]
    parts: tuple[TokenPart, ...]
    sentences: tuple[tuple[int, int], ...]
