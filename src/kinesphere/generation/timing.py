"""Estimated times of the words of a text without audio."""

from __future__ import annotations

import re

from kinesphere.language.tagging import TaggedText

_VOWELS = re.compile(r"[aeiouyäöüáéíóúàèìòùâêîôû]+", re.IGNORECASE)
_PAUSES = {
    ",": 0.18,
    ";": 0.3,
    ":": 0.3,
    ".": 0.5,
    "!": 0.5,
    "?": 0.55,
    "\u2026": 0.6,
    "-": 0.2,
    "\u2013": 0.25,
    "\u2014": 0.25,
}
_PARAGRAPH_S = 0.35
_SYLLABLE_S, _WORD_S = 0.165, 0.06
WORDS_PER_MINUTE = 150.0


def syllables(word: str) -> int:
    """Number of syllables, by groups of vowels; at least one.

    >>> syllables("animation"), syllables("like"), syllables("Straße")
    (4, 1, 2)
    """
    groups = _VOWELS.findall(word)
    count = len(groups)
    silent = count > 1 and word.lower().endswith("e") and not word.lower().endswith(("le", "ße"))
    if silent and word.isascii() and groups[-1].lower() == "e":
        count -= 1
    return max(count, 1)


def estimated_times(
    tagged: TaggedText, words_per_minute: float = WORDS_PER_MINUTE
) -> list[tuple[float, float]]:
    """Start and end of every word at a constant rate with pauses at punctuation, seconds."""
    times: list[tuple[float, float]] = []
    at, before = 0.0, 0
    for token in tagged.tokens:
        if "\n\n" in tagged.text[before : token.start].replace("\r", "") and times:
            at += _PARAGRAPH_S
        before = token.end
        if token.is_word:
            length = _WORD_S + _SYLLABLE_S * syllables(token.text)
            times.append((at, at + length))
            at += length
        else:
            at += _PAUSES.get(token.text[:1], 0.0)
    if not times or times[-1][1] <= 0.0:
        return times
    scale = 60.0 * len(times) / words_per_minute / times[-1][1]
    return [(a * scale, b * scale) for a, b in times]
