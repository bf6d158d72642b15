"""Times of words from espeak-ng's events.

The events do not name words: "in the" may be one, "1234" five. They do give their position in the
text, so each word of the text gets the events on its characters; words that share one event
divide its phones by the number each has by itself.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from kinesphere.speech.voices.voice import TextSpan
from kinesphere.timeline import Interval

_WORD, _PHONEME = 1, 7


class EspeakEvent(NamedTuple):
    """An event of espeak: its kind, character in the text, sample and phoneme (IPA)."""

    kind: int
    position: int
    sample: int
    label: str


class _SpokenPhone(NamedTuple):
    start: int
    end: int
    label: str
    word_start: int  # of its event


def match_words(
    spans: Sequence[TextSpan],
    events: Sequence[EspeakEvent],
    samples: int,
    rate_hz: int,
    count_phonemes: Callable[[Sequence[str]], list[int]],
) -> tuple[list[TextSpan], list[Interval], list[Interval]]:
    """Words that are spoken or written in letters, their times and those of phones, in seconds.

    Parameters
    ----------
    spans : words of the text.
    events : of espeak.
    samples : length of the audio.
    rate_hz : samples a second.
    count_phonemes : number of phonemes of single words; called only for words that share an event.
    """
    owned = _phones_by_word(spans, events, samples)
    kept = [i for i, span in enumerate(spans) if owned[i] or any(map(str.isalnum, span.label))]
    words: list[Interval] = []
    at = 0
    while at < len(kept):
        # A run: words that share one event; all but one (mostly the first) have no phones.
        end = at + 1
        heard = bool(owned[kept[at]])
        while end < len(kept) and not (owned[kept[end]] and heard):
            heard = heard or bool(owned[kept[end]])
            end += 1
        run = [spans[i] for i in kept[at:end]]
        phones = [phone for i in kept[at:end] for phone in owned[i]]
        shares = [len(phones)] if len(run) == 1 else _shares(run, len(phones), count_phonemes)
        first = 0
        for span, share in zip(run, shares, strict=True):
            part = phones[first : first + share]
            before_s = words[-1].end_s if words else 0.0
            if part:
                start = part[0].word_start if first == 0 else part[0].start
                start_s = max(start / rate_hz, before_s)
                words.append(Interval(start_s, max(start_s, part[-1].end / rate_hz), span.label))
            else:
                words.append(Interval(before_s, before_s, span.label))
            first += share
        at = end
    spoken = [phone for i in kept for phone in owned[i]]
    times = [Interval(p.start / rate_hz, p.end / rate_hz, p.label) for p in spoken]
    return [spans[i] for i in kept], words, times


def _phones_by_word(
    spans: Sequence[TextSpan], events: Sequence[EspeakEvent], samples: int
) -> list[list[_SpokenPhone]]:
    """Phones on the characters of each word."""
    owned: list[list[_SpokenPhone]] = [[] for _ in spans]
    if not spans:
        return owned
    starts = [span.start for span in spans]
    word, word_start, now = 0, 0, 0
    for i, event in enumerate(events):
        now = min(max(now, event.sample), samples)
        if event.kind == _WORD:
            word = max(word, bisect_right(starts, event.position) - 1)
            word_start = now
        elif event.kind == _PHONEME and event.label.strip("_ˈˌ: "):
            end = events[i + 1].sample if i + 1 < len(events) else samples
            phone = _SpokenPhone(now, min(max(now, end), samples), event.label, word_start)
            owned[word].append(phone)
    return owned


def _shares(
    run: Sequence[TextSpan], phones: int, count_phonemes: Callable[[Sequence[str]], list[int]]
) -> list[int]:
    """Number of phones of each word of a run: at least one where that is possible."""
    counts = count_phonemes([span.label for span in run])
    if phones < sum(1 for count in counts if count) or not sum(counts):
        counts = [1] * len(run)
    edges = [0]
    for i in range(len(run)):
        wanted = round(phones * sum(counts[: i + 1]) / sum(counts))
        after = sum(1 for count in counts[i + 1 :] if count)
        least = edges[-1] + (1 if counts[i] else 0)
        edges.append(max(min(max(wanted, least), phones - after), edges[-1]))
    return [b - a for a, b in pairwise(edges)]
