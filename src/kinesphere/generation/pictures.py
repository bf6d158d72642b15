"""Words whose meaning can be seen: which lexemes show them, with which hand, and which do not.

The tag says what is shown, the speaker how: of the lexemes that show a tag, the speaker's own
probabilities choose one.
"""

from __future__ import annotations

from collections.abc import Mapping

from kinesphere.corpus.profiles.profile import Profile
from kinesphere.generation.graph import Arc, Graph
from kinesphere.generation.number_signs import LEXEME as NUMBER_SIGN
from kinesphere.generation.number_signs import MARKS, number_shape, place_in_list
from kinesphere.generation.settings import PictureSettings
from kinesphere.gesture.lexicon import lexicon, tag_lexemes
from kinesphere.language.tags import semantic_tags
from kinesphere.language.word_lists import word_list

MANY, NUMBER, LIST, SIDE = "MANY", "NUMBER", "LIST", "SIDE"
COUNTING = "CountFingers"
_SIDES = (("left_words", "LH"), ("right_words", "RH"))


def picturability(tag: Arc, graph: Graph, s: PictureSettings) -> float:
    """How far a gesture can show what words mean, 0 to 1; see also `is_denied`."""
    if tag.label == LIST and not place_in_list(graph.text(tag.first, tag.last)):
        return s.uncounted
    return semantic_tags()[tag.label].picturable


def is_denied(tag: Arc, s: PictureSettings | None) -> bool:
    """Whether a text says that it is not so, and nothing is to be shown."""
    return s is not None and tag.negated and semantic_tags()[tag.label].group not in s.denied_groups


def shown_by_hands(
    tag: Arc, graph: Graph, profile: Profile, s: PictureSettings
) -> dict[str, float]:
    """P(lexeme | tag) of the lexemes that show the meaning of words, as the speaker does."""
    average = _by_hands(tag_lexemes(_meant(tag, graph)))
    average = {n: p for n, p in average.items() if n not in _miscounting(tag, graph)}
    given = profile.given_tag(tag.label)
    total = sum(given.values()) or profile.gesture_probability
    own = _shares({name: given.get(name, 0.0) for name in average})
    average = _shares(average)
    ratio = s.lexicon_share if own else 1.0
    mixed = {
        name: total * ((1.0 - ratio) * own.get(name, 0.0) + ratio * p)
        for name, p in average.items()
    }
    return without_improbable(fitting(mixed, graph, s), s)


def fitting(given: Mapping[str, float], graph: Graph, s: PictureSettings) -> dict[str, float]:
    """Lexemes that fit the register of a text."""
    unfit = dict(s.unfit).get(graph.register, ())
    return {name: p for name, p in given.items() if name not in unfit}


def without_improbable(given: Mapping[str, float], s: PictureSettings) -> dict[str, float]:
    """Lexemes without those that are strange for a word where another is likely.

    >>> without_improbable({"Cup": 0.3, "Wipe": 0.01}, PictureSettings())
    {'Cup': 0.3}
    """
    if max(given.values(), default=0.0) <= s.likely:
        return dict(given)
    return {name: p for name, p in given.items() if p >= s.improbable}


def shown_by_head(label: str) -> dict[str, float]:
    """Shares of the gestures of head and shoulders that show a tag."""
    entries = lexicon()
    rows = {n: p for n, p in tag_lexemes(label).items() if entries[n].without_hands}
    return _shares(rows)


def hand_of_words(tag: Arc, graph: Graph) -> str | None:
    """Hand on the side that words name; None where they name none."""
    if tag.label != SIDE:
        return None
    said = _spoken(graph, tag.first, tag.last)
    found = [hand for name, hand in _SIDES if said & word_list(name)]
    return found[0] if len(found) == 1 else None


def _meant(tag: Arc, graph: Graph) -> str:
    """The tag itself, or that of a quantity where its number is too large to be counted."""
    following = min(tag.last + 1, len(graph.words) - 1)
    ends = tuple(word_list("magnitudes"))
    large = any(w.endswith(ends) for w in _spoken(graph, tag.first, following))
    return MANY if tag.label == NUMBER and large else tag.label


def _miscounting(tag: Arc, graph: Graph) -> tuple[str, ...]:
    """Lexemes that would show another number than the words say."""
    said = graph.text(tag.first, tag.last)
    if tag.label == NUMBER:
        return () if number_shape(NUMBER_SIGN, said, graph.language) else (NUMBER_SIGN, COUNTING)
    if tag.label != LIST:
        return ()
    # Fingers are counted from the first one.
    place = place_in_list(said)
    return () if place == 1 else (COUNTING,) if place else (NUMBER_SIGN,)


def _spoken(graph: Graph, first: int, last: int) -> frozenset[str]:
    return frozenset(w.text.casefold().strip(MARKS) for w in graph.words[first : last + 1])


def _by_hands(shares: Mapping[str, float]) -> dict[str, float]:
    entries = lexicon()
    return {n: p for n, p in shares.items() if n in entries and not entries[n].without_hands}


def _shares(weights: Mapping[str, float]) -> dict[str, float]:
    """Weights divided by their sum; empty if that is 0."""
    total = sum(weights.values())
    return {name: w / total for name, w in weights.items()} if total > 0.0 else {}
