"""Lists of words of each language, from ``data/words``: one file for a language.

The rules of sentences, clauses and information structure use the lists of all languages together.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from kinesphere.formats.data_folder import toml_files


@cache
def _lists() -> Mapping[str, Mapping[str, Any]]:
    """Lists by language and name."""
    folder = files("kinesphere.language") / "data" / "words"
    return {
        source.name.removesuffix(".toml"): tomllib.loads(source.read_text(encoding="utf-8"))
        for source in toml_files(folder)
    }


def word_list(name: str) -> frozenset[str]:
    """Words of a list in all languages.

    >>> sorted(word_list("contrast_but"))
    ['but', 'sondern']
    """
    return frozenset(word for lists in _lists().values() for word in lists.get(name, ()))


def language_words(name: str, language: str) -> tuple[str, ...]:
    """Words of a list in one language, in order.

    >>> language_words("contrast_but", "de")
    ('sondern',)
    """
    return tuple(_lists()[language].get(name, ()))


def keys_of_words(name: str) -> dict[str, str]:
    """Key of every word of a table in all languages.

    >>> keys_of_words("numbers")["zwei"]
    '2'
    """
    return {
        word: key
        for lists in _lists().values()
        for key, found in lists.get(name, {}).items()
        for word in found
    }
