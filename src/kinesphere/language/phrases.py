"""Phrases in a row of words: words or lemmas, with ``...`` for some words between."""

from __future__ import annotations

from collections.abc import Sequence

from kinesphere.language.tokens import Token

GAP = "..."
_LONGEST_GAP = 6
"""Words that a gap stands for at most."""
_NEGATED = ("not", "n't")
_UNABLE = {"can't": ("can't", "cannot", "couldn't")}


def phrase_words(phrase: str) -> tuple[str, ...]:
    """Words of a phrase as they are compared."""
    return tuple(phrase.casefold().split())


def matched(tokens: Sequence[Token], phrase: Sequence[str], at: int) -> range | None:
    """Tokens of a phrase that begins at a token, or None; it ends in the same sentence."""
    i, gap = at, False
    for wanted in phrase:
        if wanted == GAP:
            gap = True
            continue
        reach = range(i, min(i + 1 + (_LONGEST_GAP if gap else 0), len(tokens)))
        hit = next((k for k in reach if _is(tokens[k], wanted)), None)
        if hit is None or any(tokens[k].text[0] in ".!?;:" for k in range(i, hit)):
            return None
        i, gap = hit + 1, False
    return range(at, i)


def plain(token: Token) -> str:
    """A word in lower case; of German "keinem" its lemma."""
    word = token.text.casefold().replace("\u2019", "'")
    if word.startswith("kein") and word[4:] in ("e", "en", "em", "er", "es"):
        return "kein"
    return word


def _is(token: Token, wanted: str) -> bool:
    word = plain(token)
    if token.negated and wanted in (*_NEGATED, *_UNABLE):
        return wanted in _NEGATED or word in _UNABLE[wanted]
    return wanted in (word, token.lemma.casefold())
