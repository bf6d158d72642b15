"""Which words of a clause call for a gesture, and for which one.

Only gestures that mean something by themselves are done on a word: emblems, pointing, iconics, and
metaphorics that few words mean. Beats and the open hands of everyday talk stay with the prosody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kinesphere.bodylanguage.choosing import chance
from kinesphere.bodylanguage.gesture_clips import GestureKey
from kinesphere.bodylanguage.inference import drawn
from kinesphere.corpus.annotation import HANDEDNESS
from kinesphere.corpus.profile import Profile
from kinesphere.errors import InvalidValueError
from kinesphere.generation.generate import _NUMBERS as NUMBERS
from kinesphere.generation.generate import _SHOWN as SHOWN
from kinesphere.generation.selection import hand_weight
from kinesphere.generation.settings import GenerationSettings
from kinesphere.gesture.lexicon import cached_by_lexicon, lexicon
from kinesphere.language.tagging import TaggedText, tagged
from kinesphere.language.tags import semantic_tags
from kinesphere.language.tokens import Language

# Share of a tag's gestures that a lexeme must have to stand for it.
_LEAST_SHARE = {"emblem": 0.25, "deictic": 0.25, "iconic": 0.25, "metaphoric": 0.4}
# A metaphoric that more tags than this mean could go with anything.
_MOST_TAGS = 7
_NUMBER, _MARKS = "NUMBER", ".,;:!?"
# Contacts that need the other hand.
_BOTH = ("palms", "interlaced", "finger")
# What makes words call for a gesture: focus, one that shows what is said, and chance.
_IN_FOCUS, _SHOWS, _NOISE = 0.25, 0.2, 0.15
# Numbers of the random streams; those of the body are 0 to 2.
_WHICH, _HAND, _WORTH, _WHETHER = 3, 4, 5, 6


@dataclass(frozen=True)
class TimedWord:
    """A word and when it is spoken.

    Parameters
    ----------
    text : as written, with the punctuation that follows it if known.
    start_s, end_s : on the clock of the sound.
    stress_s : middle of the stressed syllable, where known.
    """

    text: str
    start_s: float
    end_s: float
    stress_s: float | None = None

    def __post_init__(self) -> None:
        if not (np.isfinite(self.start_s) and np.isfinite(self.end_s)):
            raise InvalidValueError(f"word {self.text!r} has a time that is not finite")
        if self.end_s < self.start_s:
            raise InvalidValueError(
                f"word {self.text!r} lasts from {self.start_s:g} to {self.end_s:g} s; "
                "it must not end before it starts"
            )

    @property
    def moment_s(self) -> float:
        """When its stressed syllable is spoken, as far as is known."""
        if self.stress_s is not None:
            return self.stress_s
        return self.start_s + 0.4 * (self.end_s - self.start_s)


@dataclass(frozen=True)
class Trigger:
    """Words that call for a gesture.

    Parameters
    ----------
    first, last : of the words, by number in their window.
    tag : what they mean.
    worth : how much they call for it; the largest goes first.
    key : the gesture that was drawn.
    """

    first: int
    last: int
    tag: str
    worth: float
    key: GestureKey


@cached_by_lexicon()
def telling(tag: str) -> Mapping[str, float]:
    """Lexemes that stand for a tag, with their shares for speakers without habits."""
    entry = semantic_tags().get(tag)
    if entry is None:
        return {}
    spread = Counter(name for t in semantic_tags().values() for name in t.lexemes)
    entries = lexicon()
    out = {}
    for name, share in entry.lexemes.items():
        lexeme = entries[name]
        common = lexeme.kind == "metaphoric" and spread[name] > _MOST_TAGS
        if not (lexeme.without_hands or common) and share >= _LEAST_SHARE.get(lexeme.kind, 2.0):
            out[name] = share
    return out


def triggers(
    words: Sequence[str], profile: Profile, seed: int, first_number: int,
    language: Language = "en",
) -> list[Trigger]:  # fmt: skip
    """Words of a clause or sentence that call for a gesture, the most telling first.

    Parameters
    ----------
    words : as written.
    profile : whose habits.
    seed : of the character.
    first_number : of the first word among all that were said; chance depends on it, and on
        nothing that was said elsewhere.
    """
    text, starts = _joined(words)
    if not text.strip():
        return []
    found = tagged(text, language)
    out = []
    for span in found.tags:
        shares = telling(span.tag)
        if not shares or not _carries(found, span.first, span.last):
            continue
        a = _word_at(starts, found.tokens[span.first].start)
        b = _word_at(starts, found.tokens[span.last].end - 1)
        said = " ".join(words[a : b + 1])
        if span.tag == _NUMBER and not _countable(found, span.last, said, language):
            continue
        number = first_number + a
        key = _gesture(span.tag, shares, said, profile, seed, number, language)
        worth = max(shares.values()) + _IN_FOCUS * _focused(found, span.first, span.last)
        worth += _SHOWS if lexicon()[key.lexeme].kind in ("emblem", "iconic") else 0.0
        worth += _NOISE * chance(seed, _WORTH, number)
        out.append(Trigger(a, b, span.tag, worth, key))
    return sorted(out, key=lambda t: (-t.worth, t.first))


def wanted(seed: int, number: int, rate: float) -> bool:
    """Whether a speaker who gestures with a share `rate` of telling words does so with this one."""
    return chance(seed, _WHETHER, number) < rate


def _joined(words: Sequence[str]) -> tuple[str, list[int]]:
    """Text of words, and where each starts in it."""
    starts, at = [], 0
    for word in words:
        starts.append(at)
        at += len(word) + 1
    return " ".join(words), starts


def _word_at(starts: Sequence[int], place: int) -> int:
    return int(np.searchsorted(starts, place, side="right")) - 1


def _focused(text: TaggedText, first: int, last: int) -> bool:
    return any(s.first <= last and first <= s.last for s in text.spans("focus"))


def _carries(text: TaggedText, first: int, last: int) -> bool:
    """Whether words may carry a gesture: content words do, small ones only in focus."""
    content = any(text.tokens[i].is_content for i in range(first, last + 1))
    return content or _focused(text, first, last)


def _countable(text: TaggedText, last: int, said: str, language: Language) -> bool:
    """Whether a number can be shown with one hand, and is one (not as in: a small one)."""
    alone = last + 1 == len(text.tokens) or not text.tokens[last + 1].is_content
    only = NUMBERS.get(said.casefold().strip(_MARKS)) == 1 and alone
    return bool(_shape("NumberSign", said, language)) and not only


def _gesture(
    tag: str, shares: Mapping[str, float], said: str, profile: Profile, seed: int, number: int,
    language: Language,
) -> GestureKey:  # fmt: skip
    """Draw the gesture of a tag as the speaker would; the usual one of a tag that is new to it."""
    own = {name: p for name, p in profile.given_tag(tag).items() if name in shares}
    known = own if sum(own.values()) > 0.0 else shares
    names = sorted(known)
    weights = np.array([known[name] for name in names])
    lexeme = names[drawn(weights, chance(seed, _WHICH, number))]
    if lexicon()[lexeme].contact in _BOTH:
        return GestureKey(lexeme, "2H")
    hand = np.array([hand_weight(profile, GenerationSettings(), lexeme, h, "") for h in HANDEDNESS])
    if not hand.sum() > 0.0:
        usual = lexicon()[lexeme].hands
        hand = np.array([usual[{"RH": 0, "LH": 1, "2H": 2}[h]] for h in HANDEDNESS])
    hands = HANDEDNESS[drawn(hand, chance(seed, _HAND, number))]
    return GestureKey(lexeme, hands, _shape(lexeme, said, language))


def _shape(lexeme: str, said: str, language: Language) -> str:
    """Hand shape that shows the number which is said; none of its own for other gestures."""
    if lexeme != "NumberSign":
        return ""
    for word in said.casefold().split():
        number = NUMBERS.get(word.strip(_MARKS))
        if number is not None:
            return SHOWN[language][number - 1]
    return ""
