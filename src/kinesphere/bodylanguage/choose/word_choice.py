"""Which words of a clause trigger a gesture, and which one.

Only gestures with a meaning of their own are triggered by a word: emblems, pointing, iconics, and
metaphorics of few tags. Beats and the open hands of everyday talk are left to the prosody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kinesphere.bodylanguage.choose.inference import draw
from kinesphere.bodylanguage.choose.random_numbers import uniform_random
from kinesphere.corpus.annotation.annotation import HANDEDNESS
from kinesphere.corpus.profiles.profile import Profile
from kinesphere.errors import InvalidValueError
from kinesphere.generation.hand_selection import hand_weight
from kinesphere.generation.number_signs import LEXEME, MARKS, NUMBERS, number_shape
from kinesphere.generation.settings import GenerationSettings
from kinesphere.gesture.lexeme import HAND_CONTACTS
from kinesphere.gesture.lexicon import cached_by_lexicon, lexicon, tag_lexemes
from kinesphere.gesture.script import Hands
from kinesphere.language.tagging import TaggedText, tag_text
from kinesphere.language.tags import semantic_tags
from kinesphere.language.tokens import Language

# Smallest proportion of a tag's gestures for a lexeme of a kind to represent it.
_LEAST_SHARE = {"emblem": 0.25, "deictic": 0.25, "iconic": 0.25, "metaphoric": 0.4}
_NUMBER = "NUMBER"
# Contacts that need the other hand.
# Numbers of the random streams; those of the body streams are 0 to 2.
_WHICH, _HAND, _WORTH, _WHETHER = 3, 4, 5, 6


@dataclass(frozen=True)
class TriggerSettings:
    """Priority of words that trigger a gesture; a lexeme's own share is 0 to 1.

    Parameters
    ----------
    most_tags : a metaphoric of more tags than this is too unspecific.
    focus, depicts, noise : terms for focus, for a gesture that depicts its meaning, and random.
    """

    most_tags: int = 7
    focus: float = 0.25
    depicts: float = 0.2
    noise: float = 0.15


TRIGGERS = TriggerSettings()


class GestureKey(NamedTuple):
    """Which gesture: lexeme, hands (LH, RH, 2H), and an explicit hand shape or none."""

    lexeme: str
    hands: Hands
    shape: str = ""


@dataclass(frozen=True)
class SpokenWord:
    """A word and when it is spoken.

    Parameters
    ----------
    text : as written, with the punctuation that follows it if known.
    start_s, end_s : in the audio.
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
        """Time of its stressed syllable, as far as known."""
        if self.stress_s is not None:
            return self.stress_s
        return self.start_s + 0.4 * (self.end_s - self.start_s)


@dataclass(frozen=True)
class WordTrigger:
    """Words that trigger a gesture.

    Parameters
    ----------
    first, last : of the words, by number in their window.
    tag : their semantic tag.
    worth : priority; the largest is placed first.
    key : the sampled gesture.
    """

    first: int
    last: int
    tag: str
    worth: float
    key: GestureKey


@cached_by_lexicon()
def telling_lexemes(tag: str) -> Mapping[str, float]:
    """Lexemes that represent a tag, with their probabilities for an average speaker."""
    if tag not in semantic_tags():
        return {}
    spread = Counter(name for t in semantic_tags() for name in tag_lexemes(t))
    entries = lexicon()
    out = {}
    for name, share in tag_lexemes(tag).items():
        lexeme = entries[name]
        common = lexeme.kind == "metaphoric" and spread[name] > TRIGGERS.most_tags
        if not (lexeme.without_hands or common) and share >= _LEAST_SHARE.get(lexeme.kind, 2.0):
            out[name] = share
    return out


def triggers(
    words: Sequence[str], profile: Profile, seed: int, first_number: int, language: Language = "en"
) -> list[WordTrigger]:
    """Words of a clause or sentence that trigger a gesture, by decreasing priority.

    Parameters
    ----------
    words : as written.
    profile : speaker.
    seed : of the character.
    first_number : of the first word among all words of the speech; random numbers depend on it, and
        on no words elsewhere.
    """
    text, starts = _join(words)
    if not text.strip():
        return []
    found = tag_text(text, language)
    out = []
    for span in found.tags:
        shares = telling_lexemes(span.tag)
        if not shares or not _carries(found, span.first, span.last):
            continue
        a = _word_at(starts, found.tokens[span.first].start)
        b = _word_at(starts, found.tokens[span.last].end - 1)
        said = " ".join(words[a : b + 1])
        if span.tag == _NUMBER and not _countable(found, span.last, said, language):
            continue
        number = first_number + a
        key = _gesture(span.tag, shares, said, profile, seed, number, language)
        worth = max(shares.values()) + TRIGGERS.focus * _in_focus(found, span.first, span.last)
        worth += TRIGGERS.depicts if lexicon()[key.lexeme].kind in ("emblem", "iconic") else 0.0
        worth += TRIGGERS.noise * uniform_random(seed, _WORTH, number)
        out.append(WordTrigger(a, b, span.tag, worth, key))
    return sorted(out, key=lambda t: (-t.worth, t.first))


def is_wanted(seed: int, number: int, rate: float) -> bool:
    """Whether a speaker who gestures with a proportion `rate` of words does so with this one."""
    return uniform_random(seed, _WHETHER, number) < rate


def _join(words: Sequence[str]) -> tuple[str, list[int]]:
    """Text of words, and the position of each in it."""
    starts, at = [], 0
    for word in words:
        starts.append(at)
        at += len(word) + 1
    return " ".join(words), starts


def _word_at(starts: Sequence[int], place: int) -> int:
    return int(np.searchsorted(starts, place, side="right")) - 1


def _in_focus(text: TaggedText, first: int, last: int) -> bool:
    return any(s.first <= last and first <= s.last for s in text.spans("focus"))


def _carries(text: TaggedText, first: int, last: int) -> bool:
    """Whether words may have a gesture: content words do, function words only in focus."""
    content = any(text.tokens[i].is_content for i in range(first, last + 1))
    return content or _in_focus(text, first, last)


def _countable(text: TaggedText, last: int, said: str, language: Language) -> bool:
    """Whether a number can be shown with one hand, and is a number (unlike: a small one)."""
    alone = last + 1 == len(text.tokens) or not text.tokens[last + 1].is_content
    only = NUMBERS.get(said.casefold().strip(MARKS)) == 1 and alone
    return bool(number_shape(LEXEME, said, language)) and not only


def _gesture(
    tag: str,
    shares: Mapping[str, float],
    said: str,
    profile: Profile,
    seed: int,
    number: int,
    language: Language,
) -> GestureKey:
    """Sample the gesture of a tag for the speaker; the default one if the speaker lacks the tag."""
    own = {name: p for name, p in profile.given_tag(tag).items() if name in shares}
    known = own if sum(own.values()) > 0.0 else shares
    names = sorted(known)
    weights = np.array([known[name] for name in names])
    lexeme = names[draw(weights, uniform_random(seed, _WHICH, number))]
    if lexicon()[lexeme].contact in HAND_CONTACTS:
        return GestureKey(lexeme, "2H")
    hand = np.array([hand_weight(profile, GenerationSettings(), lexeme, h, "") for h in HANDEDNESS])
    if not hand.sum() > 0.0:
        usual = lexicon()[lexeme].hands
        hand = np.array([usual[{"RH": 0, "LH": 1, "2H": 2}[h]] for h in HANDEDNESS])
    hands = HANDEDNESS[draw(hand, uniform_random(seed, _HAND, number))]
    return GestureKey(lexeme, hands, number_shape(lexeme, said, language))
