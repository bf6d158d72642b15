"""Keyword spotting in live audio by pocketsphinx, for use without a speech recogniser.

English only, phrases of three syllables and more only, and off unless asked for: single short words
were found in 36 percent of cases at two false alarms a minute. Every phrase has a threshold of its
own, calibrated by `tools.keyword_calibration` for at most half a false alarm a minute, as those of
``data/keywords.json``. A phrase is spotted about a quarter of a second after its end.

The decoder is in C and cannot be copied: a state can be advanced once. Chunk sizes do not matter.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError, KinesphereError
from kinesphere.maths.arrays import Floats
from kinesphere.speech.alignment.pronunciation import pronunciations
from kinesphere.speech.resampling import SPEECH_RATE_HZ, Resampler

LEAST_SYLLABLES = 3
MOST_PHRASES = 200
THRESHOLDS = (-120, 0)
"""Allowed exponents (base 10) of a threshold: the lower, the more is spotted."""
BLOCK = 1600
"""Samples at 16 kHz that are decoded at a time, so that chunk sizes do not matter."""

_FRAME_HZ = 100.0
# Beam: paths below it are pruned; no threshold can be lower.
_BEAM = 1e-130
# The decoder needs some audio to estimate a voice's mean spectrum: the first blocks are decoded
# twice, the second time a few blocks per block, so that no step takes long. Later it adapts
# whenever an utterance is closed, in a pause or at the latest after this.
_FIRST_BLOCKS, _CAUGHT_UP, _LOUD = 15, 3, 0.003
_LONGEST_BLOCKS, _PAUSE_BLOCKS = 300, 4
_DITHER = 1.0


class SpottedPhrase(NamedTuple):
    """A spotted phrase with its times."""

    phrase: str
    start_s: float
    end_s: float


@dataclass(frozen=True, eq=False)
class KeywordState:
    """State of the spotting of one voice; created by `start`.

    Parameters
    ----------
    rate_hz : of the samples.
    samples : number processed so far.
    """

    rate_hz: float
    samples: int
    _ear: KeywordDecoder

    @property
    def phrases(self) -> tuple[str, ...]:
        """The phrases that are spotted."""
        return self._ear.phrases


@cache
def known_thresholds() -> Mapping[str, float]:
    """Calibrated thresholds, as powers of ten, of the built-in phrases."""
    text = files("kinesphere.speech").joinpath("data/keywords.json").read_text(encoding="utf-8")
    return {phrase: float(row["threshold"]) for phrase, row in json.loads(text)["phrases"].items()}


def parse_phrases(text: str) -> dict[str, float]:
    """Parse an option: comma-separated phrases, some with a threshold; empty for all known ones.

    Raises
    ------
    InvalidValueError
        See `thresholds_of`.

    >>> parse_phrases("Over the moon = -30, once in a lifetime=-45")
    {'over the moon': -30.0, 'once in a lifetime': -45.0}
    """
    if not text.strip():
        return thresholds_of(known_thresholds())
    given: dict[str, float | None] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        phrase, _, power = part.partition("=")
        try:
            given[phrase] = float(power) if power else None
        except ValueError:
            raise InvalidValueError(
                f"phrase {part!r}: {power!r} is no number; allowed is PHRASE=-20"
            ) from None
    return thresholds_of(given)


def start(phrases: Iterable[str] | Mapping[str, float], rate_hz: float) -> KeywordState:
    """State before the first sample.

    Parameters
    ----------
    phrases : in lower or upper case, with their thresholds, or those of `known_thresholds`.
    rate_hz : of the samples; anything that speech can be resampled from.

    Raises
    ------
    InvalidValueError
        If a phrase has fewer than three syllables or no threshold, or one is out of range.
    KinesphereError
        If pocketsphinx is missing.
    """
    return KeywordState(
        float(rate_hz), 0, KeywordDecoder(list(thresholds_of(phrases).items()), rate_hz)
    )


def step(state: KeywordState, chunk: ArrayLike) -> tuple[KeywordState, list[SpottedPhrase]]:
    """Process mono samples ``[n]``; return the phrases that were spotted by then.

    Raises
    ------
    InvalidValueError
        If a sample is not a number, or the state was already advanced.
    """
    ear = state._ear
    if ear.samples != state.samples:
        raise InvalidValueError("this state was already advanced; audio can be processed only once")
    sound = np.asarray(chunk, dtype=np.float64)
    found = ear.hear(ear.resampler.push(sound))
    ear.samples += len(sound)
    return KeywordState(state.rate_hz, ear.samples, ear), found


def finish(state: KeywordState) -> list[SpottedPhrase]:
    """Phrases at the end of the audio."""
    ear = state._ear
    if ear.samples != state.samples:
        raise InvalidValueError("this state was already advanced; audio can be processed only once")
    ear.samples = -1
    rest = np.concatenate([ear.resampler.flush(), np.zeros(4 * BLOCK)])
    return ear.hear(rest) + ear.end()


def thresholds_of(phrases: Iterable[str] | Mapping[str, float | None]) -> dict[str, float]:
    """Phrases in lower case with their thresholds, or those of `known_thresholds`.

    Raises
    ------
    InvalidValueError
        If there is none or too many, or one has no threshold, or one out of range.
    """
    given = phrases if isinstance(phrases, Mapping) else dict.fromkeys(phrases)
    out: dict[str, float] = {}
    for phrase, threshold in given.items():
        name = " ".join(phrase.lower().split())
        power = known_thresholds().get(name) if threshold is None else threshold
        if power is None:
            raise InvalidValueError(
                f"no threshold is known for {phrase!r}; write one, as in '{name}=-30', or "
                "calibrate it with tools/keyword_calibration.py of the source code"
            )
        low, high = THRESHOLDS
        if not low <= power <= high:
            raise InvalidValueError(
                f"the threshold of {phrase!r} is {power:g}, allowed is {low} to {high}"
            )
        out[name] = float(power)
    if not 1 <= len(out) <= MOST_PHRASES:
        raise InvalidValueError(f"{len(out)} phrases, allowed are 1 to {MOST_PHRASES}")
    return out


def new_decoder() -> Any:
    """A decoder without a search; an error if pocketsphinx is missing."""
    if find_spec("pocketsphinx") is None:
        raise KinesphereError("spotting phrases needs pocketsphinx: pip install pocketsphinx")
    return import_module("pocketsphinx").Decoder(lm=None, beam=_BEAM, wbeam=_BEAM, loglevel="FATAL")


def teach(decoder: Any, phrase: str, name: str) -> str:
    """Add a phrase to a decoder's dictionary under unique words; return these.

    Raises
    ------
    InvalidValueError
        If the phrase has fewer than three syllables.
    """
    words = phrase.split()
    ways = pronunciations(words, decoder.lookup_word)
    count = sum(syllables(way[0]) for way in ways if way)
    if count < LEAST_SYLLABLES or not all(ways):
        raise InvalidValueError(
            f"phrase {phrase!r} has {count} syllable{'s' * (count != 1)}, needed are "
            f"{LEAST_SYLLABLES} or more: shorter ones cause too many false alarms"
        )
    said = []
    for i, way in enumerate(ways):
        word = f"{name}={i}"
        for k, phones in enumerate(way):
            decoder.add_word(word if k == 0 else f"{word}({k + 1})", phones, False)
        said.append(word)
    return " ".join(said)


def syllables(phones: str) -> int:
    """Number of syllables of ARPAbet phones, which is that of their vowels.

    >>> syllables("AH M EH R AH K AH N Z")
    4
    """
    return sum(phone[0] in "AEIOU" for phone in phones.split())


def listen_for(decoder: Any, rows: Mapping[str, float]) -> None:
    """Set the phrases that a decoder spots, each with a power of ten as its threshold."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "phrases.txt"
        lines = (f"{said} /1e{power:g}/" for said, power in rows.items())
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        decoder.add_kws("phrases", str(path))
    decoder.activate_search("phrases")


class KeywordDecoder:
    """The mutable part, which cannot be copied: a decoder and its queue of audio.

    Parameters
    ----------
    rows : phrases with thresholds; a phrase may come several times.
    rate_hz : of the samples pushed to `resampler`.
    """

    def __init__(self, rows: Sequence[tuple[str, float]], rate_hz: float) -> None:
        self.decoder = new_decoder()
        self.phrases = tuple(phrase for phrase, _ in rows)
        taught = [teach(self.decoder, phrase, f"p{i}") for i, phrase in enumerate(self.phrases)]
        self.places = {said: i for i, said in enumerate(taught)}
        listen_for(self.decoder, dict(zip(taught, (power for _, power in rows), strict=True)))
        self.resampler = Resampler(rate_hz)
        self.samples = 0
        self.waiting: Floats = np.zeros(0)
        self.noise = np.random.default_rng(0)
        self.behind: deque[tuple[bytes, bool]] = deque()  # blocks that are still to be decoded
        self.ready = False
        self.blocks = self.begun = self.quiet = 0
        self.told: dict[int, float] = {}

    def hear(self, sound: Floats) -> list[SpottedPhrase]:
        """Process audio at 16 kHz."""
        return [spotted for _, spotted in self.hear_all(sound)]

    def hear_all(self, sound: Floats) -> list[tuple[int, SpottedPhrase]]:
        """Process audio; also return which of the rows were spotted."""
        self.waiting = np.concatenate([self.waiting, sound])
        found: list[tuple[int, SpottedPhrase]] = []
        while len(self.waiting) >= BLOCK:
            block, self.waiting = self.waiting[:BLOCK], self.waiting[BLOCK:]
            loud = float(np.sqrt(np.mean(block * block))) >= _LOUD
            noise = self.noise.normal(scale=_DITHER, size=BLOCK)
            pcm = np.clip(np.round(block * 32767.0 + noise), -32768, 32767).astype("<i2")
            found += self._queue_block(pcm.tobytes(), loud)
        return found

    def _queue_block(self, pcm: bytes, loud: bool) -> list[tuple[int, SpottedPhrase]]:
        if not (loud or self.behind or self.ready):
            self.blocks += 1
            return []
        self.behind.append((pcm, loud))
        if not self.ready and len(self.behind) < _FIRST_BLOCKS:
            return []
        self._begin()
        return self._catch_up(_CAUGHT_UP)

    def _begin(self) -> None:
        """Estimate the voice's mean spectrum from its first blocks, then decode these."""
        if not self.ready:
            whole = b"".join(pcm for pcm, _ in self.behind)
            self.decoder.start_utt()
            self.decoder.process_raw(whole, no_search=True, full_utt=True)
            self.decoder.end_utt()
            self.decoder.start_utt()
            self.begun, self.ready = self.blocks, True

    def _catch_up(self, most: int) -> list[tuple[int, SpottedPhrase]]:
        """Decode up to a number of waiting blocks."""
        count = min(most, len(self.behind))
        return [row for _ in range(count) for row in self._decode(*self.behind.popleft())]

    def _decode(self, pcm: bytes, loud: bool) -> list[tuple[int, SpottedPhrase]]:
        self.decoder.process_raw(pcm)
        self.blocks += 1
        self.quiet = 0 if loud else self.quiet + 1
        found = self._new()
        paused = self.quiet >= _PAUSE_BLOCKS and self.blocks - self.begun > 2 * _PAUSE_BLOCKS
        if paused or self.blocks - self.begun >= _LONGEST_BLOCKS:
            found += self._close()
            self.decoder.start_utt()
            self.begun, self.quiet = self.blocks, 0
        return found

    def _close(self) -> list[tuple[int, SpottedPhrase]]:
        with suppress(RuntimeError):  # no path was left within the beams
            self.decoder.end_utt()
        return self._new()

    def end(self) -> list[SpottedPhrase]:
        """End of the audio: decode the rest."""
        return [spotted for _, spotted in self.end_all()]

    def end_all(self) -> list[tuple[int, SpottedPhrase]]:
        """Like `end`, with the rows."""
        if not (self.ready or self.behind):
            return []
        self._begin()
        return self._catch_up(len(self.behind)) + self._close()

    def _new(self) -> list[tuple[int, SpottedPhrase]]:
        """Phrases spotted since the last call."""
        if self.decoder.hyp() is None:
            return []
        at_s = self.begun * BLOCK / SPEECH_RATE_HZ
        found = []
        for row in self.decoder.seg():
            place = self.places[row.word.strip()]
            start_s = at_s + row.start_frame / _FRAME_HZ
            if start_s >= self.told.get(place, -1.0):
                end_s = at_s + row.end_frame / _FRAME_HZ
                self.told[place] = end_s
                found.append((place, SpottedPhrase(self.phrases[place], start_s, end_s)))
        return sorted(found, key=lambda row: row[1].end_s)
