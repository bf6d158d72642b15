"""Forced alignment of English by pocketsphinx, with its own model.

A long recording is first processed in chunks of half a minute: each is matched with the next words,
may end after any of them, and is used up to its last pause, where the next one starts. The pauses
found divide it into phrases of some seconds, whose words and phones are then aligned. A phrase
lost by the default beams is tried with wide ones; since these fit any text, every phrase is
compared with a free phone loop on the same frames.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from kinesphere.errors import KinesphereError
from kinesphere.maths.arrays import Floats
from kinesphere.speech.alignment.alignment import AlignmentError, Placed, logistic, quiet
from kinesphere.speech.alignment.pronunciation import pronunciations, stressed_ipa
from kinesphere.speech.resampling import SPEECH_RATE_HZ
from kinesphere.speech.voices.espeak import phonemes
from kinesphere.timeline import Interval

_FRAME = SPEECH_RATE_HZ // 100
_SHIFT_S = 0.0078
"""A frame's window is 25.6 ms long, so its 10 ms in the middle start this much after it."""
_CHUNK_S = 30.0
_PIECE_S = (5.0, 15.0)  # shortest before a cut, longest
_PAUSE = 10  # frames of silence between phrases
_PHONE_S = 0.03  # least, three states of a frame each
_DENSEST_S = 0.045  # of phones on average: faster than anyone speaks
_BEAMS: tuple[dict[str, float], ...] = ({}, {"beam": 1e-100, "pbeam": 1e-100, "wbeam": 1e-80})
_SILENCE = 0.3  # probability of a pause between words; at the default 0.005 a phone fills it
_CLOSURE = 5  # longest closure of a stop consonant, in frames
_DITHER = 2.0  # of 32768
_LOOP_BEAMS = {"beam": 1e-20, "pbeam": 1e-20}

# Evidence is the ratio of frames where the free loop gives the same phone, plus the difference of
# the log likelihoods per frame (in pocketsphinx's units) over _SCALE. Set on 30 right texts of
# excerpts of 3 to 12 s (0.16 and more) and 96 wrong ones that could be aligned at all (-0.08 and
# less), of the same few recordings that the tests use: other recordings may be closer.
_SCALE = 40.0
_MIDDLE, _SLOPE = 0.04, 12.0
_PHRASE_LEAST = -0.25  # a single phrase varies more
_PHRASE_FRAMES = 30

_lock = threading.Lock()  # a decoder is not thread-safe
_MOST_WORDS = 50_000  # words added to a decoder before it is created again


class _Phone(NamedTuple):
    """A phone in frames from the recording's start, and how it compares with the free loop."""

    word: int
    start: int
    end: int
    name: str
    gain: float
    agreeing: int


class _Piece(NamedTuple):
    """Frames from `start` to before `end` with some of the spoken words."""

    start: int
    end: int
    words: Sequence[int]


class _Decoders:
    """Aligners of each beam, created when first needed, and the words added to them."""

    def __init__(self) -> None:
        self.made: dict[int, Any] = {}
        self.names: dict[tuple[str, ...], str] = {}

    def aligner(self, beam: int) -> Any:
        """Decoder of a beam with all words added."""
        if beam not in self.made:
            self.made[beam] = _decoder(lm=None, **_BEAMS[beam])
            for variants, name in self.names.items():
                self._teach(self.made[beam], name, variants)
        return self.made[beam]

    def name(self, variants: tuple[str, ...]) -> str:
        """Name in the aligners' dictionary of a word with these pronunciations."""
        if variants not in self.names:
            self.names[variants] = f"w={len(self.names)}"
            for decoder in self.made.values():
                self._teach(decoder, self.names[variants], variants)
        return self.names[variants]

    @staticmethod
    def _teach(decoder: Any, name: str, variants: tuple[str, ...]) -> None:
        for i, phones in enumerate(variants):
            decoder.add_word(name if i == 0 else f"{name}({i + 1})", phones, False)


def place(sound: Floats, labels: Sequence[str]) -> Placed:
    """Align words with audio at `SPEECH_RATE_HZ`; the score is that of the whole.

    Raises
    ------
    AlignmentError
        If the text is too long for the audio, or does not match it.
    InvalidValueError
        If a word is in no dictionary and espeak-ng is not installed.
    """
    with _lock:
        decoders = _decoders()
        if len(decoders.names) > _MOST_WORDS:
            _decoders.cache_clear()
            decoders = _decoders()
        variants = pronunciations(labels, decoders.aligner(0).lookup_word)
        spoken = [i for i, ways in enumerate(variants) if ways]
        _check_length(sound, [variants[i] for i in spoken])
        names = {i: decoders.name(variants[i]) for i in spoken}
        pcm = _integers(sound)
        lengths = {i: min(len(way.split()) for way in variants[i]) for i in spoken}
        phones: list[_Phone] = []
        for piece in _pieces(decoders, pcm, spoken, names, lengths):
            phones += _fine(decoders, pcm, piece, names)
    return _placed(_without_pauses(phones, quiet(sound)), labels)


def recognised(sound: Floats) -> list[str]:
    """Words that pocketsphinx's language model recognises in audio at `SPEECH_RATE_HZ`."""
    pcm = _integers(sound)
    heard: list[str] = []
    with _lock:
        decoder = _listener()
        for start, end in _chunks(sound):
            heard_it = _feed(decoder, pcm[start * _FRAME : end * _FRAME])
            found = decoder.seg() if heard_it and decoder.hyp() is not None else ()
            heard += [s.word.split("(")[0] for s in found if s.word[0] not in "<[("]
    return [word for word in heard if word]


def _chunks(sound: Floats) -> Iterator[tuple[int, int]]:
    """Chunks of at most `_CHUNK_S`, cut in pauses where there are some."""
    total, start = len(sound) // _FRAME, 0
    middles = [(a + b) // 2 for a, b in quiet(sound)]
    longest = round(100 * _CHUNK_S)
    while total - start > longest:
        inside = [m for m in middles if start + longest // 3 < m <= start + longest]
        end = inside[-1] if inside else start + longest
        yield start, end
        start = end
    yield start, total


@lru_cache(maxsize=1)
def _decoders() -> _Decoders:
    return _Decoders()


@lru_cache(maxsize=1)
def _loop() -> Any:
    decoder = _decoder(lm=None, **_LOOP_BEAMS)
    decoder.add_allphone_file("loop", None)
    decoder.activate_search("loop")
    return decoder


@lru_cache(maxsize=1)
def _listener() -> Any:
    return _decoder()


def _decoder(**settings: Any) -> Any:
    if find_spec("pocketsphinx") is None:
        raise KinesphereError("aligning English needs pocketsphinx: pip install pocketsphinx")
    # The bestpath search would drop what a beam kept; the log would go to stderr.
    settings = {"loglevel": "FATAL", "bestpath": False, "silprob": _SILENCE, **settings}
    return import_module("pocketsphinx").Decoder(**settings)


def _feed(decoder: Any, pcm: Any) -> bool:
    """Decode a stretch of audio; return whether a final state was reached.

    The noise estimate is reset first, or the result would depend on the audio decoded before.
    """
    if not len(pcm):
        return False
    decoder.reinit_feat()
    try:
        decoder.start_utt()
        decoder.process_raw(pcm.tobytes(), full_utt=True)
        decoder.end_utt()
    except RuntimeError:  # no path was left within the beams
        return False
    return True


def _integers(sound: Floats) -> Any:
    """16-bit samples with weak noise, because the logarithm of digital silence is undefined."""
    noise = np.random.default_rng(0).normal(scale=_DITHER, size=len(sound))
    return np.clip(np.round(sound * 32767.0 + noise), -32768, 32767).astype("<i2")


def _check_length(sound: Floats, variants: Sequence[tuple[str, ...]]) -> None:
    if not variants:
        raise AlignmentError("the text has no word that can be spoken")
    needed_s = _PHONE_S * sum(min(len(way.split()) for way in ways) for ways in variants)
    have_s = len(sound) / SPEECH_RATE_HZ
    if needed_s > have_s:
        raise AlignmentError(
            f"the text is too long for the recording: {len(variants)} words take at least "
            f"{needed_s:.1f} s, the recording lasts {have_s:.1f} s"
        )


def _pieces(
    decoders: _Decoders,
    pcm: Any,
    spoken: Sequence[int],
    names: dict[int, str],
    lengths: dict[int, int],
) -> list[_Piece]:
    """Cut a recording at pauses between its words."""
    total = len(pcm) // _FRAME
    if total <= 100 * _PIECE_S[1]:
        return [_Piece(0, total, spoken)]
    found: list[tuple[int, int, int]] = []  # word, from, to
    at = 0
    while len(found) < len(spoken):
        rest = spoken[len(found) :]
        last = total - at <= 120 * _CHUNK_S
        stop = total if last else _quiet_cut(pcm, at, at + round(100 * _CHUNK_S))
        times = np.cumsum([_DENSEST_S * lengths[i] for i in rest])
        window = rest[: int(np.searchsorted(times, (stop - at) / 100)) + 1]
        closed = last and len(window) == len(rest)
        row = _coarse(
            decoders, pcm[at * _FRAME : stop * _FRAME], [names[i] for i in window], closed
        )
        if not row:
            break
        kept, until = (len(row), stop - at) if last else _last_pause(row)
        found += [(window[k], at + a, at + b) for k, (a, b) in enumerate(row[:kept])]
        at += until
        if last:
            break
    return _cut(found, total)


def _quiet_cut(pcm: Any, at: int, stop: int) -> int:
    """Quietest fifth of a second in the last third before `stop`."""
    first = stop - (stop - at) // 3
    part = pcm[first * _FRAME : stop * _FRAME].astype(np.float64)
    power = np.mean(part.reshape(-1, _FRAME) ** 2, axis=1)
    return first + int(np.argmin(np.convolve(power, np.ones(20), "valid"))) + 10


def _coarse(
    decoders: _Decoders, pcm: Any, names: Sequence[str], closed: bool
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
        row = _words(decoder) if _feed(decoder, pcm) else []
        if row and (not whole or len(row) == len(names)):
            return row
    return []


def _words(decoder: Any) -> list[tuple[int, int]]:
    if decoder.hyp() is None:
        return []
    return [(s.start_frame, s.end_frame + 1) for s in decoder.seg() if s.word.startswith("w=")]


def _last_pause(row: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Number of words before the last pause that is not at the end, and the pause's middle."""
    gaps = [(k + 1, a[1], b[0]) for k, (a, b) in enumerate(pairwise(row))]
    late = [gap for gap in gaps[len(gaps) // 2 :] if gap[2] - gap[1] >= _PAUSE]
    if not late:
        late = gaps[-3:-2] or [(len(row), row[-1][1], row[-1][1])]
    kept, before, after = late[-1]
    return kept, (before + after) // 2


def _cut(found: Sequence[tuple[int, int, int]], total: int) -> list[_Piece]:
    shortest, longest = (100 * s for s in _PIECE_S)
    pieces, start, words = [], 0, []
    for (word, _, end), after in zip(found, [*found[1:], None], strict=True):
        words.append(word)
        stop = total if after is None else (end + after[1]) // 2
        pause = after is not None and after[1] - end >= _PAUSE
        if after is None or stop - start > (shortest if pause else longest):
            pieces.append(_Piece(start, stop, tuple(words)))
            start, words = stop, []
    return pieces


def _fine(decoders: _Decoders, pcm: Any, piece: _Piece, names: dict[int, str]) -> list[_Phone]:
    """Phones of a phrase; none if its words do not fit at all."""
    sound = pcm[piece.start * _FRAME : piece.end * _FRAME]
    for beam in range(len(_BEAMS)):
        decoder = decoders.aligner(beam)
        decoder.set_align_text(" ".join(names[i] for i in piece.words))
        if _feed(decoder, sound) and len(_words(decoder)) == len(piece.words):
            decoder.set_alignment()
            if _feed(decoder, sound):
                break
    else:
        return []
    alignment = decoder.get_alignment()
    rows = [(p.start, p.start + p.duration, p.name, p.score) for p in alignment.phones()]
    spans = [(w.start, w.start + w.duration) for w in alignment.words() if w.name.startswith("w=")]
    loop, heard = _free_phones(sound)
    phones, at = [], 0
    for word, (first, last) in zip(piece.words, spans, strict=True):
        while at < len(rows) and rows[at][0] < last:
            start, end, name, score = rows[at]
            at += 1
            if start < first:
                continue
            gain = score - float(np.sum(loop[start:end]))
            same = sum(h == name for h in heard[start:end])
            phones.append(_Phone(word, piece.start + start, piece.start + end, name, gain, same))
    return phones


def _without_pauses(phones: list[_Phone], pauses: Sequence[tuple[int, int]]) -> list[_Phone]:
    """Remove a pause from the word after it, where the first phone was extended over it."""
    ends = np.array([end for _, end in pauses], dtype=np.int64)
    found, before = [], -1
    for p in phones:
        at = int(np.searchsorted(ends, p.start, side="right"))
        if p.word != before and at < len(pauses) and pauses[at][0] <= p.start + _CLOSURE:
            end = pauses[at][1]
            if p.start + _CLOSURE < end < p.end:
                kept = p.end - end + _CLOSURE
                gain = p.gain * kept / (p.end - p.start)
                p = p._replace(start=end - _CLOSURE, gain=gain, agreeing=min(p.agreeing, kept))
        found.append(p)
        before = p.word
    return found


def _free_phones(sound: Any) -> tuple[Floats, list[str]]:
    """Score and phone of each frame in a free loop of phones."""
    decoder = _loop()
    count = len(sound) // _FRAME + 10
    scores, heard = np.zeros(count), ["SIL"] * count
    for s in decoder.seg() if _feed(decoder, sound) and decoder.hyp() is not None else ():
        length = s.end_frame + 1 - s.start_frame
        # Scores are logarithms to the base 1.0001.
        each = float(np.log(max(s.ascore, 1e-300))) / np.log(1.0001) / length
        scores[s.start_frame : s.end_frame + 1] = each
        heard[s.start_frame : s.end_frame + 1] = [s.word] * length
    return scores, heard


def _evidence(phones: Sequence[_Phone]) -> float:
    frames = sum(p.end - p.start for p in phones)
    if not frames:
        return -1.0
    return sum(p.agreeing + p.gain / _SCALE for p in phones) / frames


def _placed(phones: Sequence[_Phone], labels: Sequence[str]) -> Placed:
    refused = {p.word for phrase in _phrases(phones) if _doubtful(phrase) for p in phrase}
    words: list[tuple[float, float] | None] = [None] * len(labels)
    kept = [p for p in phones if p.word not in refused]
    for p in kept:
        before = words[p.word]
        words[p.word] = (before[0] if before else _seconds(p.start), _seconds(p.end))
    score = logistic(_evidence(phones), _MIDDLE, _SLOPE)
    return Placed(words, _intervals(kept, labels), score, [])


def _seconds(frame: int) -> float:
    return frame / 100 + _SHIFT_S if frame else 0.0


def _phrases(phones: Sequence[_Phone]) -> Iterator[list[_Phone]]:
    phrase: list[_Phone] = []
    for p in phones:
        if phrase and p.start - phrase[-1].end >= _PAUSE:
            yield phrase
            phrase = []
        phrase.append(p)
    if phrase:
        yield phrase


def _doubtful(phrase: Sequence[_Phone]) -> bool:
    frames = sum(p.end - p.start for p in phrase)
    return frames >= _PHRASE_FRAMES and _evidence(phrase) < _PHRASE_LEAST


def _intervals(phones: Sequence[_Phone], labels: Sequence[str]) -> list[Interval]:
    by_word: dict[int, list[_Phone]] = {}
    for p in phones:
        by_word.setdefault(p.word, []).append(p)
    distinct = sorted({labels[word] for word in by_word})
    patterns = dict.fromkeys(distinct, "")
    if find_spec("espeakng_loader") is not None:
        patterns = dict(zip(distinct, phonemes(distinct), strict=True))
    found = []
    for word, own in by_word.items():
        ipa = stressed_ipa([p.name for p in own], patterns[labels[word]])
        found += [
            Interval(_seconds(p.start), _seconds(p.end), label)
            for p, label in zip(own, ipa, strict=True)
        ]
    return found
