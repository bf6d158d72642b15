"""Hand shapes that show the number in a text."""

from __future__ import annotations

from kinesphere.language.word_lists import keys_of_words, language_words

NUMBERS = {word: int(number) for word, number in keys_of_words("numbers").items()}
"""Number that a word says."""
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
    number = next((NUMBERS[word] for word in spoken if word in NUMBERS), None)
    return "" if number is None else language_words("number_shapes", language)[number - 1]
