"""Spotting of phrases in a live voice, by pocketsphinx: for whoever has no recogniser.

English only, phrases of three syllables and more only, and off unless asked for: single short words
were found in 36 percent of cases at two false alarms a minute. Every phrase has a threshold of its
own, calibrated by `keyword_calibration` for at most half a false alarm a minute; those of
``data/keywords.json`` are. A phrase is spotted about a quarter of a second after its end.

The decoder lives in C and cannot be copied: a state goes on once. Chunks of any size give the same.
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
from kinesphere.speech.pronunciation import pronunciations
from kinesphere.speech.resampling import SPEECH_RATE_HZ, Resampler

LEAST_SYLLABLES = 3
MOST_PHRASES = 200
THRESHOLDS = (-120, 0)
"""Powers of ten that a threshold may be: the lower, the more is spotted."""
BLOCK = 1600
"""Samples at 16 kHz that are heard at a time, so that chunks do not matter."""

_FRAME_HZ = 100.0
# Paths farther off than this are given up: what is beyond no threshold can be heard by.
_BEAM = 1e-130
# The decoder knows a voice's mean spectrum only after having heard some of it: so much is heard
# twice, the second time in a few blocks a block, so that nobody has to wait for it. Later it learns
# whenever an utterance is closed, in a pause or at the latest after this.
_FIRST_BLOCKS, _CAUGHT_UP, _LOUD = 15, 3, 0.003
_LONGEST_BLOCKS, _PAUSE_BLOCKS = 300, 4
_DITHER = 1.0


class Spotted(NamedTuple):
    """A phrase that was heard, and when it was said."""

    phrase: str
    start_s: float
    end_s: float


@dataclass(frozen=True, eq=False)
class KeywordState:
    """Where the spotting of one voice stands; made by `start`.

    Parameters
    ----------
    rate_hz : of the samples.
    samples : taken in so far.
    """

    rate_hz: float
    samples: int
    _ear: Ear

    @property
    def phrases(self) -> tuple[str, ...]:
        """What is listened for."""
        return self._ear.phrases


@cache
def known_thresholds() -> Mapping[str, float]:
    """Calibrated thresholds, powers of ten, of the phrases that come with the project."""
    text = files("kinesphere.speech").joinpath("data/keywords.json").read_text(encoding="utf-8")
    return {phrase: float(row["threshold"]) for phrase, row in json.loads(text)["phrases"].items()}


def parse_phrases(text: str) -> dict[str, float]:
    """Phrases as an option has them, by commas, some with a threshold; all that are known if empty.

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
    return KeywordState(float(rate_hz), 0, Ear(list(thresholds_of(phrases).items()), rate_hz))


def step(state: KeywordState, chunk: ArrayLike) -> tuple[KeywordState, list[Spotted]]:
    """Take mono samples in ``[n]``; return the phrases that were spotted by then.

    Raises
    ------
    InvalidValueError
        If a sample is not a number, or the state has gone on before.
    """
    ear = state._ear
    if ear.samples != state.samples:
        raise InvalidValueError("this state has gone on before; a voice can be heard only once")
    sound = np.asarray(chunk, dtype=np.float64)
    found = ear.hear(ear.resampler.push(sound))
    ear.samples += len(sound)
    return KeywordState(state.rate_hz, ear.samples, ear), found


def finish(state: KeywordState) -> list[Spotted]:
    """Phrases at the very end of the sound."""
    ear = state._ear
    if ear.samples != state.samples:
        raise InvalidValueError("this state has gone on before; a voice can be heard only once")
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
                f"no threshold is known for {phrase!r}; calibrate it with "
                f'python -m kinesphere.speech.keyword_calibration "{name}"'
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
    """A decoder without a search; raises if pocketsphinx is missing."""
    if find_spec("pocketsphinx") is None:
        raise KinesphereError("spotting phrases needs pocketsphinx: pip install pocketsphinx")
    return import_module("pocketsphinx").Decoder(lm=None, beam=_BEAM, wbeam=_BEAM, loglevel="FATAL")


def teach(decoder: Any, phrase: str, name: str) -> str:
    """Teach a decoder a phrase under words of its own; return these.

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
            f"{LEAST_SYLLABLES} or more: shorter ones are heard everywhere"
        )
    said = []
    for i, way in enumerate(ways):
        word = f"{name}={i}"
        for k, phones in enumerate(way):
            decoder.add_word(word if k == 0 else f"{word}({k + 1})", phones, False)
        said.append(word)
    return " ".join(said)


def syllables(phones: str) -> int:
    """How many syllables ARPAbet phones have: their vowels.

    >>> syllables("AH M EH R AH K AH N Z")
    4
    """
    return sum(phone[0] in "AEIOU" for phone in phones.split())


def listen_for(decoder: Any, rows: Mapping[str, float]) -> None:
    """Let a decoder spot taught phrases, each with a power of ten as its threshold."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "phrases.txt"
        lines = (f"{said} /1e{power:g}/" for said, power in rows.items())
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        decoder.add_kws("phrases", str(path))
    decoder.activate_search("phrases")


class Ear:
    """The part that cannot be copied: a decoder, and the sound that waits for it.

    Parameters
    ----------
    rows : phrases with thresholds; a phrase may come several times.
    rate_hz : of the samples that are pushed into `resampler`.
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

    def hear(self, sound: Floats) -> list[Spotted]:
        """Take sound at 16 kHz in."""
        return [spotted for _, spotted in self.hear_all(sound)]

    def hear_all(self, sound: Floats) -> list[tuple[int, Spotted]]:
        """Take sound in; return which of the rows were spotted, too."""
        self.waiting = np.concatenate([self.waiting, sound])
        found: list[tuple[int, Spotted]] = []
        while len(self.waiting) >= BLOCK:
            block, self.waiting = self.waiting[:BLOCK], self.waiting[BLOCK:]
            loud = float(np.sqrt(np.mean(block * block))) >= _LOUD
            noise = self.noise.normal(scale=_DITHER, size=BLOCK)
            pcm = np.clip(np.round(block * 32767.0 + noise), -32768, 32767).astype("<i2")
            found += self._heard(pcm.tobytes(), loud)
        return found

    def _heard(self, pcm: bytes, loud: bool) -> list[tuple[int, Spotted]]:
        if not (loud or self.behind or self.ready):
            self.blocks += 1
            return []
        self.behind.append((pcm, loud))
        if not self.ready and len(self.behind) < _FIRST_BLOCKS:
            return []
        self._begin()
        return self._caught_up(_CAUGHT_UP)

    def _begin(self) -> None:
        """Get to know the voice by its first blocks, which are decoded after that."""
        if not self.ready:
            whole = b"".join(pcm for pcm, _ in self.behind)
            self.decoder.start_utt()
            self.decoder.process_raw(whole, no_search=True, full_utt=True)
            self.decoder.end_utt()
            self.decoder.start_utt()
            self.begun, self.ready = self.blocks, True

    def _caught_up(self, most: int) -> list[tuple[int, Spotted]]:
        """Decode up to so many blocks of those that wait."""
        count = min(most, len(self.behind))
        return [row for _ in range(count) for row in self._decoded(*self.behind.popleft())]

    def _decoded(self, pcm: bytes, loud: bool) -> list[tuple[int, Spotted]]:
        self.decoder.process_raw(pcm)
        self.blocks += 1
        self.quiet = 0 if loud else self.quiet + 1
        found = self._new()
        paused = self.quiet >= _PAUSE_BLOCKS and self.blocks - self.begun > 2 * _PAUSE_BLOCKS
        if paused or self.blocks - self.begun >= _LONGEST_BLOCKS:
            found += self._closed()
            self.decoder.start_utt()
            self.begun, self.quiet = self.blocks, 0
        return found

    def _closed(self) -> list[tuple[int, Spotted]]:
        with suppress(RuntimeError):  # nothing was left within the beams
            self.decoder.end_utt()
        return self._new()

    def end(self) -> list[Spotted]:
        """No more sound comes."""
        return [spotted for _, spotted in self.end_all()]

    def end_all(self) -> list[tuple[int, Spotted]]:
        """As `end`, with the rows."""
        if not (self.ready or self.behind):
            return []
        self._begin()
        return self._caught_up(len(self.behind)) + self._closed()

    def _new(self) -> list[tuple[int, Spotted]]:
        """What was spotted since the last time."""
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
                found.append((place, Spotted(self.phrases[place], start_s, end_s)))
        return sorted(found, key=lambda row: row[1].end_s)
