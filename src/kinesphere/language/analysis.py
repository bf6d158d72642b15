"""Tokens of a text with lemmas and parts of speech."""

from __future__ import annotations

from kinesphere.errors import InvalidValueError
from kinesphere.language.sentences import split_sentences, token_spans
from kinesphere.language.tokens import LANGUAGES, LARGEST_TEXT, Analysis, Language, Token, TokenPart
from kinesphere.language.word_classes import analyse_sentence


def analyse(text: str, language: Language) -> Analysis:
    """Split a plain text into tokens with lemmas and parts of speech.

    Raises
    ------
    InvalidValueError
        If the text is larger than `LARGEST_TEXT` or the language is not known.
    """
    if language not in LANGUAGES:
        raise InvalidValueError(f"language {language!r}, allowed are {', '.join(LANGUAGES)}")
    if len(text) > LARGEST_TEXT:
        raise InvalidValueError(f"the text has {len(text)} characters, allowed are {LARGEST_TEXT}")
    found = [(text[start:end], start, end) for start, end in token_spans(text)]
    sentences = split_sentences(found, text, language)
    tokens: list[Token] = []
    parts: list[TokenPart] = []
    for first, last in sentences:
        made = analyse_sentence(found[first : last + 1], language, first)
        tokens += made[0]
        parts += made[1]
    return Analysis(tuple(tokens), tuple(parts), tuple(sentences))
