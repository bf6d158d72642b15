"""Forced alignment of English by pocketsphinx, with its own model.

The words and phones of each phrase of `phrase_cutting` are aligned. A phrase lost by the default
beams is tried with wide ones; since these fit any text, every phrase is compared with a free phone
loop on the same frames.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from kinesphere.maths.arrays import Floats
from kinesphere.speech.alignment.alignment import AlignmentError, Placement, find_pauses, logistic
from kinesphere.speech.alignment.phrase_cutting import PHRASES, PhraseFrames, chunks, cut_phrases
from kinesphere.speech.alignment.pronunciation import pronunciations, stressed_ipa
from kinesphere.speech.alignment.sphinx_decoders import (
    BEAMS,
    FRAME,
    Aligners,
    aligners,
    decoder_lock,
    feed,
    phone_loop,
    recogniser,
    to_pcm,
    word_frames,
)
from kinesphere.speech.resampling import SPEECH_RATE_HZ
from kinesphere.speech.voices.espeak import phonemes
from kinesphere.timeline import Interval


@dataclass(frozen=True)
class EvidenceSettings:
    """When words count as spoken, and where they start.

    Evidence is the ratio of frames where the free loop gives the same phone, plus the difference
    of the log likelihoods per frame (in pocketsphinx's units) over `scale`. Set on 30 right texts
    of excerpts of 3 to 12 s (0.16 and more) and 96 wrong ones that could be aligned at all (-0.08
    and less), of the same few recordings that the tests use: other recordings may be closer.

    Parameters
    ----------
    scale : log likelihood per frame that weighs as much as all frames agreeing.
    middle, slope : evidence at which the score is a half, and how fast it rises there.
    phrase_least, phrase_frames : evidence that a phrase of so many frames needs; a single phrase
        varies more than a recording.
    shift_s : a frame's window is 25.6 ms long, so its 10 ms in the middle start this much after it.
    phone_s : length of a phone, at least: three states of a frame each.
    closure : longest closure of a stop consonant, in frames.
    most_words : words added to a decoder before it is created again, to limit its memory.
    """

    scale: float = 40.0
    middle: float = 0.04
    slope: float = 12.0
    phrase_least: float = -0.25
    phrase_frames: int = 30
    shift_s: float = 0.0078
    phone_s: float = 0.03
    closure: int = 5
    most_words: int = 50_000


_SETTINGS = EvidenceSettings()


class _AlignedPhone(NamedTuple):
    """A phone in frames from the recording's start, and how it compares with the free loop."""

    word: int
    start: int
    end: int
    name: str
    gain: float
    agreeing: int


def place(sound: Floats, labels: Sequence[str]) -> Placement:
    """Align words with audio at `SPEECH_RATE_HZ`; the score is that of the whole.

    Raises
    ------
    AlignmentError
        If the text is too long for the audio, or does not match it.
    InvalidValueError
        If a word is in no dictionary and espeak-ng is not installed.
    """
    with decoder_lock:
        decoders = aligners()
        if len(decoders.names) > _SETTINGS.most_words:
            aligners.cache_clear()
            decoders = aligners()
        variants = pronunciations(labels, decoders.aligner(0).lookup_word)
        spoken = [i for i, ways in enumerate(variants) if ways]
        _check_length(sound, [variants[i] for i in spoken])
        names = {i: decoders.name(variants[i]) for i in spoken}
        pcm = to_pcm(sound)
        lengths = {i: min(len(way.split()) for way in variants[i]) for i in spoken}
        phones: list[_AlignedPhone] = []
        for piece in cut_phrases(decoders, pcm, spoken, names, lengths):
            phones += _align_phrase(decoders, pcm, piece, names)
    return _placement(_without_pauses(phones, find_pauses(sound)), labels)


def recognise_words(sound: Floats) -> list[str]:
    """Words that pocketsphinx's language model recognises in audio at `SPEECH_RATE_HZ`."""
    pcm = to_pcm(sound)
    heard: list[str] = []
    with decoder_lock:
        decoder = recogniser()
        for start, end in chunks(sound):
            heard_it = feed(decoder, pcm[start * FRAME : end * FRAME])
            found = decoder.seg() if heard_it and decoder.hyp() is not None else ()
            heard += [s.word.split("(")[0] for s in found if s.word[0] not in "<[("]
    return [word for word in heard if word]


def _check_length(sound: Floats, variants: Sequence[tuple[str, ...]]) -> None:
    if not variants:
        raise AlignmentError("the text has no word that can be spoken")
    needed_s = _SETTINGS.phone_s * sum(min(len(way.split()) for way in ways) for ways in variants)
    have_s = len(sound) / SPEECH_RATE_HZ
    if needed_s > have_s:
        raise AlignmentError(
            f"the text is too long for the recording: {len(variants)} words take at least "
            f"{needed_s:.1f} s, the recording lasts {have_s:.1f} s"
        )


def _align_phrase(
    decoders: Aligners, pcm: Any, piece: PhraseFrames, names: dict[int, str]
) -> list[_AlignedPhone]:
    """Phones of a phrase; none if its words do not fit at all."""
    sound = pcm[piece.start * FRAME : piece.end * FRAME]
    for beam in range(len(BEAMS)):
        decoder = decoders.aligner(beam)
        decoder.set_align_text(" ".join(names[i] for i in piece.words))
        if feed(decoder, sound) and len(word_frames(decoder)) == len(piece.words):
            decoder.set_alignment()
            if feed(decoder, sound):
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
            phones.append(
                _AlignedPhone(word, piece.start + start, piece.start + end, name, gain, same)
            )
    return phones


def _without_pauses(
    phones: list[_AlignedPhone], pauses: Sequence[tuple[int, int]]
) -> list[_AlignedPhone]:
    """Remove a pause from the word after it, where the first phone was extended over it."""
    ends, closure = np.array([end for _, end in pauses], dtype=np.int64), _SETTINGS.closure
    found, before = [], -1
    for p in phones:
        at = int(np.searchsorted(ends, p.start, side="right"))
        if p.word != before and at < len(pauses) and pauses[at][0] <= p.start + closure:
            end = pauses[at][1]
            if p.start + closure < end < p.end:
                kept = p.end - end + closure
                gain = p.gain * kept / (p.end - p.start)
                p = p._replace(start=end - closure, gain=gain, agreeing=min(p.agreeing, kept))
        found.append(p)
        before = p.word
    return found


def _free_phones(sound: Any) -> tuple[Floats, list[str]]:
    """Score and phone of each frame in a free loop of phones."""
    decoder = phone_loop()
    count = len(sound) // FRAME + 10
    scores, heard = np.zeros(count), ["SIL"] * count
    for s in decoder.seg() if feed(decoder, sound) and decoder.hyp() is not None else ():
        length = s.end_frame + 1 - s.start_frame
        # Scores are logarithms to the base 1.0001.
        each = float(np.log(max(s.ascore, 1e-300))) / np.log(1.0001) / length
        scores[s.start_frame : s.end_frame + 1] = each
        heard[s.start_frame : s.end_frame + 1] = [s.word] * length
    return scores, heard


def _evidence(phones: Sequence[_AlignedPhone]) -> float:
    frames = sum(p.end - p.start for p in phones)
    if not frames:
        return -1.0
    return sum(p.agreeing + p.gain / _SETTINGS.scale for p in phones) / frames


def _placement(phones: Sequence[_AlignedPhone], labels: Sequence[str]) -> Placement:
    refused = {p.word for phrase in _phrases(phones) if _doubtful(phrase) for p in phrase}
    words: list[tuple[float, float] | None] = [None] * len(labels)
    kept = [p for p in phones if p.word not in refused]
    for p in kept:
        before = words[p.word]
        words[p.word] = (before[0] if before else _seconds(p.start), _seconds(p.end))
    score = logistic(_evidence(phones), _SETTINGS.middle, _SETTINGS.slope)
    return Placement(words, _intervals(kept, labels), score, [])


def _seconds(frame: int) -> float:
    return frame / 100 + _SETTINGS.shift_s if frame else 0.0


def _phrases(phones: Sequence[_AlignedPhone]) -> Iterator[list[_AlignedPhone]]:
    phrase: list[_AlignedPhone] = []
    for p in phones:
        if phrase and p.start - phrase[-1].end >= PHRASES.pause:
            yield phrase
            phrase = []
        phrase.append(p)
    if phrase:
        yield phrase


def _doubtful(phrase: Sequence[_AlignedPhone]) -> bool:
    frames = sum(p.end - p.start for p in phrase)
    return frames >= _SETTINGS.phrase_frames and _evidence(phrase) < _SETTINGS.phrase_least


def _intervals(phones: Sequence[_AlignedPhone], labels: Sequence[str]) -> list[Interval]:
    by_word: dict[int, list[_AlignedPhone]] = {}
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
