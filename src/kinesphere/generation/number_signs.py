"""Hand shapes that show the number in a text."""

from __future__ import annotations

from kinesphere.language.word_lists import keys_of_words, language_words

NUMBERS = {word: int(number) for word, number in keys_of_words("numbers").items()}
"""Number that a word says."""
ORDINALS = {word: int(number) for word, number in keys_of_words("ordinals").items()}
"""Place in a list that a word says."""
LEXEME = "NumberSign"
MARKS = ".,;:!?"


def number_shape(lexeme: str, said: str, language: str) -> str:
    """Hand shape for the first number in words; empty for none, or another lexeme.

    >>> number_shape("NumberSign", "two reasons", "de")
    'two-de'
    """
    if lexeme != LEXEME:
        return ""
    spoken = (word.strip(MARKS) for word in said.casefold().split())
    known = {**NUMBERS, **ORDINALS}
    number = next((known[word] for word in spoken if word in known), None)
    return "" if number is None else language_words("number_shapes", language)[number - 1]


def place_in_list(said: str) -> int:
    """Place in a list that words say; 0 for none.

    >>> place_in_list("second of all"), place_in_list("also")
    (2, 0)
    """
    spoken = (word.strip(MARKS) for word in said.casefold().split())
    return next((ORDINALS[word] for word in spoken if word in ORDINALS), 0)
