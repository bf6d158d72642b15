"""Words of a transcript with their times, for gestures on words."""

from __future__ import annotations

from collections.abc import Sequence

from kinesphere.bodylanguage.choose.word_choice import SpokenWord
from kinesphere.timeline import Interval, Tier

_STRESS = "ˈ"  # noqa: RUF001
_NEAR = 1e-6


def spoken_words(tiers: Sequence[Tier]) -> tuple[SpokenWord, ...]:
    """Words of a speech's tiers; none if it has no words.

    Where there are phones, the time of a word is the middle of the phone with the main stress;
    where there are sentences, a word gets the punctuation that follows it.

    Parameters
    ----------
    tiers : of which words, phones and sentences are read, as in `Speech`.
    """
    named = {tier.name: tier.intervals for tier in tiers}
    words = [i for i in named.get("words", ()) if i.label.strip()]
    stresses = [p for p in named.get("phones", ()) if _STRESS in p.label]
    texts = _punctuate(words, named.get("sentences", ()))
    return tuple(
        SpokenWord(text, word.start_s, word.end_s, _stress(word, stresses))
        for word, text in zip(words, texts, strict=True)
    )


def _stress(word: Interval, stresses: Sequence[Interval]) -> float | None:
    for phone in stresses:
        middle = 0.5 * (phone.start_s + phone.end_s)
        if word.start_s <= middle <= word.end_s:
            return middle
    return None


def _punctuate(words: Sequence[Interval], sentences: Sequence[Interval]) -> list[str]:
    """Labels of words with the characters up to the next space of their sentence."""
    out = [word.label for word in words]
    for sentence in sentences:
        at = 0
        for i, word in enumerate(words):
            inside = sentence.start_s - _NEAR <= word.start_s < sentence.end_s
            found = sentence.label.find(word.label, at) if inside else -1
            if found >= 0:
                at = found + len(word.label)
                rest = sentence.label[at:].split(maxsplit=1)
                joined = rest and not sentence.label[at].isspace()
                if joined and not any(c.isalnum() for c in rest[0]):
                    out[i] += rest[0]
    return out
