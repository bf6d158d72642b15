"""Cuts a long recording into phrases of some seconds, each with its words.

Chunks of half a minute are matched with the next words, may end after any of them, and are used up
to their last pause, where the next one starts. The pauses found divide the recording.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from kinesphere.maths.arrays import Floats
from kinesphere.speech.alignment.alignment import find_pauses
from kinesphere.speech.alignment.sphinx_decoders import FRAME, Aligners, feed, word_frames


@dataclass(frozen=True)
class PhraseSettings:
    """Lengths of chunks, phrases and pauses.

    Parameters
    ----------
    chunk_s : length of a chunk: a decoder's memory grows with it.
    shortest_s, longest_s : of a phrase; one may end at a pause, or anywhere.
    pause : frames of silence between phrases, at least.
    densest_s : length of phones on average, at least: faster than anyone speaks.
    """

    chunk_s: float = 30.0
    shortest_s: float = 5.0
    longest_s: float = 15.0
    pause: int = 10
    densest_s: float = 0.045


PHRASES = PhraseSettings()


class PhraseFrames(NamedTuple):
    """Frames from `start` to before `end` with some of the spoken words."""

    start: int
    end: int
    words: Sequence[int]


def cut_phrases(
    decoders: Aligners,
    pcm: Any,
    spoken: Sequence[int],
    names: dict[int, str],
    lengths: dict[int, int],
) -> list[PhraseFrames]:
    """Cut a recording at pauses between its words."""
    total = len(pcm) // FRAME
    if total <= 100 * PHRASES.longest_s:
        return [PhraseFrames(0, total, spoken)]
    found: list[tuple[int, int, int]] = []  # word, from, to
    at = 0
    while len(found) < len(spoken):
        rest = spoken[len(found) :]
        last = total - at <= 120 * PHRASES.chunk_s
        stop = total if last else _quiet_cut(pcm, at, at + round(100 * PHRASES.chunk_s))
        times = np.cumsum([PHRASES.densest_s * lengths[i] for i in rest])
        window = rest[: int(np.searchsorted(times, (stop - at) / 100)) + 1]
        closed = last and len(window) == len(rest)
        row = _match_chunk(
            decoders, pcm[at * FRAME : stop * FRAME], [names[i] for i in window], closed
        )
        if not row:
            break
        kept, until = (len(row), stop - at) if last else _last_pause(row)
        found += [(window[k], at + a, at + b) for k, (a, b) in enumerate(row[:kept])]
        at += until
        if last:
            break
    return _phrases_of(found, total)


def _quiet_cut(pcm: Any, at: int, stop: int) -> int:
    """Quietest fifth of a second in the last third before `stop`."""
    first = stop - (stop - at) // 3
    part = pcm[first * FRAME : stop * FRAME].astype(np.float64)
    power = np.mean(part.reshape(-1, FRAME) ** 2, axis=1)
    return first + int(np.argmin(np.convolve(power, np.ones(20), "valid"))) + 10


def _match_chunk(
    decoders: Aligners, pcm: Any, names: Sequence[str], closed: bool
) -> list[tuple[int, int]]:
    """Frames of the words in a chunk: all of them if it is closed and that works, else the first.

    The open grammar may end after every word.
    """
    trials = [(beam, whole) for whole in ((True, False) if closed else (False,)) for beam in (0, 1)]
    for beam, whole in trials:
        decoder = decoders.aligner(beam)
        if whole:
            decoder.set_align_text(" ".join(names))
        else:
            end = len(names) + 1
            arcs: list[Any] = [(i, i + 1, 1.0, name) for i, name in enumerate(names)]
            arcs += [(i, end, 1e-3) for i in range(1, end)]
            decoder.add_fsg("open", decoder.create_fsg("open", 0, end, arcs))
            decoder.activate_search("open")
        row = word_frames(decoder) if feed(decoder, pcm) else []
        if row and (not whole or len(row) == len(names)):
            return row
    return []


def _last_pause(row: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Number of words before the last pause that is not at the end, and the pause's middle."""
    gaps = [(k + 1, a[1], b[0]) for k, (a, b) in enumerate(pairwise(row))]
    late = [gap for gap in gaps[len(gaps) // 2 :] if gap[2] - gap[1] >= PHRASES.pause]
    if not late:
        late = gaps[-3:-2] or [(len(row), row[-1][1], row[-1][1])]
    kept, before, after = late[-1]
    return kept, (before + after) // 2


def _phrases_of(found: Sequence[tuple[int, int, int]], total: int) -> list[PhraseFrames]:
    """Phrases of words with their frames."""
    shortest, longest = 100 * PHRASES.shortest_s, 100 * PHRASES.longest_s
    pieces, start, words = [], 0, []
    for (word, _, end), after in zip(found, [*found[1:], None], strict=True):
        words.append(word)
        stop = total if after is None else (end + after[1]) // 2
        pause = after is not None and after[1] - end >= PHRASES.pause
        if after is None or stop - start > (shortest if pause else longest):
            pieces.append(PhraseFrames(start, stop, tuple(words)))
            start, words = stop, []
    return pieces


def chunks(sound: Floats) -> Iterator[tuple[int, int]]:
    """Chunks of at most `chunk_s`, cut in pauses where there are some."""
    total, start = len(sound) // FRAME, 0
    middles = [(a + b) // 2 for a, b in find_pauses(sound)]
    longest = round(100 * PHRASES.chunk_s)
    while total - start > longest:
        inside = [m for m in middles if start + longest // 3 < m <= start + longest]
        end = inside[-1] if inside else start + longest
        yield start, end
        start = end
    yield start, total
