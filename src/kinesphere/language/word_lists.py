"""Lists of words, as the language modules write them down."""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """Words of a text, separated by white space.

    >>> sorted(word_set("you me you"))
    ['me', 'you']
    """
    return frozenset(text.split())
