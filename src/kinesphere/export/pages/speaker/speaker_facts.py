"""Facts about a speaker for pages and pictures: positions, informative tags, pairs, a summary.

Everything is computed from a profile; other modules draw it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from kinesphere.corpus.profiles.counts import Moments
from kinesphere.corpus.profiles.profile import GestureSample, Profile
from kinesphere.export.pages.speaker.speaker_text import display_name, percent
from kinesphere.gesture.positions import HandPosition

HANDS = {"RH": "right", "2H": "both", "LH": "left"}
"""Hands in drawing order, with their display names."""
KIND_OF_HAND = {"RH": "rh", "2H": "both", "LH": "lh"}
_TELLING_TAGS, _PAIRS = 15, 12
_ZONES = {
    "far-out": "far out",
    "out": "out",
    "side": "to the side",
    "front": "in front",
    "inward": "across the body",
}
_REACHES = {
    "touch": "touching the body",
    "close": "close to the body",
    "normal": "at normal reach",
    "far": "far from the body",
}
Cell = tuple[str, str, str]
"""Hand (RH or LH), height and radial zone of a hand position."""


def place_of(sample: GestureSample) -> HandPosition:
    """Final position of a gesture: at the end of its stroke, or of its hold."""
    return sample.start if sample.end is None else sample.end


def space_use(profile: Profile) -> dict[Cell, int]:
    """Counts of hands by position; a two-handed gesture counts on either side."""
    out: dict[Cell, int] = {}
    for sample in profile.samples:
        place = place_of(sample)
        for hand in ("RH", "LH") if sample.hands == "2H" else (sample.hands,):
            cell = (hand, place.height, place.radial)
            out[cell] = out.get(cell, 0) + 1
    return out


def busiest(profile: Profile) -> float:
    """Proportion of the most frequent position."""
    used = space_use(profile)
    return max(used.values(), default=0) / max(sum(used.values()), 1)


def telling_tags(profiles: Sequence[Profile], most: int = _TELLING_TAGS) -> list[str]:
    """Tags that predict the gesture best, over all profiles, the most informative first.

    A tag is informative if it has many gestures and these differ from the speaker's average: their
    number times the relative entropy of their lexemes to P(l).
    """
    scores: dict[str, float] = {}
    for profile in profiles:
        for tag in sorted({tag for tag, _ in profile.counts.tag_lexemes}):
            scores[tag] = scores.get(tag, 0.0) + _telling(profile, tag)
    return sorted(scores, key=lambda tag: (-scores[tag], tag))[:most]


def _telling(profile: Profile, tag: str) -> float:
    given = profile.given_tag(tag)
    gestured = sum(given.values())
    total = 0.0
    for name, p in given.items():
        usual = profile.of_lexeme(name)
        if p > 0.0 and usual > 0.0:
            total += p * math.log(p / gestured / usual)
    return total * profile.counts.tags.get(tag, 0)


def frequent_pairs(profiles: Sequence[Profile], most: int = _PAIRS) -> list[tuple[str, str]]:
    """Pairs of lexemes that follow each other most often, of all profiles together."""
    scores: dict[tuple[str, str], float] = {}
    for profile in profiles:
        pairs = {p: n for p, n in profile.counts.lexeme_pairs.items() if p[0] and p[1]}
        total = sum(pairs.values())
        for pair, n in pairs.items():
            scores[pair] = scores.get(pair, 0.0) + n / total
    return sorted(scores, key=lambda pair: (-scores[pair], pair))[:most]


def together(table: Mapping[str, Moments]) -> Moments:
    """Moments of all names of a table."""
    return sum((table[name] for name in sorted(table)), Moments())


def hold_share(profile: Profile, names: Iterable[str] | None = None) -> float:
    """Proportion of strokes followed by a hold, of some lexemes or of all."""
    counts = profile.counts
    among = set(counts.stroke_lengths) if names is None else set(names)
    strokes = sum(m.n for name, m in counts.stroke_lengths.items() if name in among)
    holds = sum(n for name, n in counts.holds.items() if name in among)
    return min(1.0, holds / strokes) if strokes else 0.0


def rate_text(profile: Profile) -> str:
    """Gestures per minute, if the length is known, and gestures per unit."""
    rate = f"{profile.rate_per_minute:.0f} gestures per minute, "
    return (rate if profile.counts.duration_s else "") + f"{profile.gestures_per_unit:.1f} per unit"


def lead_of(profile: Profile, *, name: bool) -> str:
    """A speaker in three sentences."""
    counts = profile.counts
    said = [f"{rate_text(profile)}."]
    hands = sorted(HANDS, key=lambda hand: -profile.of_hand(hand))
    if counts.hands:
        first, second = hands[0], hands[1]
        said.append(
            f"Mostly {_hand_name(first)} ({percent(profile.of_hand(first))}), then "
            f"{_hand_name(second)} ({percent(profile.of_hand(second))})."
        )
    if profile.lexemes:
        shares = [f"{n} ({percent(profile.of_lexeme(n))})" for n in profile.lexemes[:3]]
        said.append(f"Most often {_list_texts(shares)}.")
    if profile.samples:
        said.append(_place_sentence(profile))
    offset = together(counts.end_offsets)
    if offset.n:
        when = "after" if offset.mean < 0.0 else "before"
        said.append(f"Strokes end {abs(1000.0 * offset.mean):.0f} ms {when} their words do.")
    return (f"{profile.name}: " if name else "") + " ".join(said)


def _hand_name(hand: str) -> str:
    return "both hands" if hand == "2H" else f"the {HANDS[hand]}"


def _list_texts(texts: Sequence[str]) -> str:
    """Texts as a list in a sentence.

    >>> _list_texts(["a", "b", "c"]), _list_texts(["a"])
    ('a, b and c', 'a')
    """
    return " and ".join([*filter(None, [", ".join(texts[:-1])]), *texts[-1:]])


def _place_sentence(profile: Profile) -> str:
    places = [place_of(sample) for sample in profile.samples]
    height = display_name(_commonest([p.height for p in places]))
    zone = _ZONES[_commonest([p.radial for p in places])]
    reach = _REACHES[_commonest([p.distance for p in places])]
    return f"Hands mostly at {height} height, {zone}, {reach}."


def _commonest(names: Sequence[str]) -> str:
    return max(sorted(set(names)), key=names.count)
