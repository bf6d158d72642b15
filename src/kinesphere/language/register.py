"""Register of a text: a condolence is grave, a toast is glad, nearly everything else is plain.

A text has a register only if words of the occasion ("condolences", "raise your glasses") and enough
further words agree, for its length: a death in a story, or one joke in a speech, decides nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from typing import Literal

from kinesphere.language.phrases import matched, phrase_words
from kinesphere.language.tokens import Language, Token
from kinesphere.language.word_lists import language_words

Register = Literal["plain", "grave", "glad"]
_NEGATIONS = frozenset(("not", "no", "nicht", "kein", "keine"))


@dataclass(frozen=True)
class RegisterSettings:
    """When a text has a register.

    Parameters
    ----------
    occasion, word : evidence of a phrase of the occasion, and of a further word.
    least, share : evidence needed, and for each word of the text in addition. A phrase of the
        occasion decides a sentence of four words; a text of a minute needs half of what the
        condolences and toasts of the tests have, a quarter more than any of their news has.
    lead : how many times the evidence of the other register is needed.
    most_repeated : occurrences of a phrase that count.
    """

    occasion: float = 2.0
    word: float = 1.0
    least: float = 1.9
    share: float = 0.02
    lead: float = 1.5
    most_repeated: int = 2


SETTINGS = RegisterSettings()


def register_of(
    tokens: Sequence[Token],
    language: Language,
    denied: AbstractSet[int] = frozenset(),
    settings: RegisterSettings = SETTINGS,
) -> Register:
    """Register of a text.

    Parameters
    ----------
    tokens, language : the text.
    denied : tokens whose meaning the text denies, which are no evidence ("I am not sad").
    settings : thresholds.
    """
    length = sum(token.is_word for token in tokens)
    grave = _evidence(tokens, language, denied, "grave", settings)
    glad = _evidence(tokens, language, denied, "glad", settings)
    enough = settings.least + settings.share * length
    if grave >= enough and grave >= settings.lead * glad:
        return "grave"
    if glad >= enough and glad >= settings.lead * grave:
        return "glad"
    return "plain"


def _evidence(
    tokens: Sequence[Token],
    language: Language,
    denied: AbstractSet[int],
    register: str,
    settings: RegisterSettings,
) -> float:
    """Evidence of a register; none without a phrase of the occasion."""
    counts: dict[tuple[str, ...], int] = {}
    occasions, words = _phrases(language, f"{register}_occasions"), _phrases(language, register)
    taken = -1
    for at in range(len(tokens)):
        if at <= taken:
            continue
        for phrase in (*occasions, *words):
            used = matched(tokens, phrase, at)
            if used is not None and (_denies(phrase) or denied.isdisjoint(used)):
                counts[phrase] = counts.get(phrase, 0) + 1
                taken = used[-1]
                break
    counted = {p: min(n, settings.most_repeated) for p, n in counts.items()}
    strong = sum(n for p, n in counted.items() if p in occasions)
    weak = sum(n for p, n in counted.items() if p not in occasions)
    return settings.occasion * strong + settings.word * weak if strong else 0.0


def _denies(phrase: Sequence[str]) -> bool:
    """Whether a phrase has a negation of its own: "not find the words"."""
    return not _NEGATIONS.isdisjoint(phrase)


@cache
def _phrases(language: Language, name: str) -> tuple[tuple[str, ...], ...]:
    """Phrases of a list, the longest first."""
    phrases = (phrase_words(phrase) for phrase in language_words(name, language))
    return tuple(sorted(dict.fromkeys(phrases), key=len, reverse=True))
