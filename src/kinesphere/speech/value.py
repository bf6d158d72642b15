"""`Speech`: audio with its text and the times of words, phones, syllables and sentences.

It can be stored by itself as a ``.kin`` archive of kind ``speech``: a zip of one JSON document and
one npy array. Nothing in it is pickled; the same speech gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinesphere.errors import InvalidValueError, KinesphereError, UnreadableError
from kinesphere.formats.container import DOCUMENT, pack, plain, unpack
from kinesphere.formats.files import read_bytes, write_atomically
from kinesphere.maths.arrays import Sound, frozen_sound, read_only
from kinesphere.motion.take import Audio
from kinesphere.timeline import Interval, Tier

VERSION = 1
KIND = "speech"
_MOST_SAMPLES = 1 << 28
_SLACK_S = 1e-6
TIERS = ("words", "phones", "syllables", "sentences")
_NO_WORDS, _NO_PHONES, _NO_SYLLABLES, _NO_SENTENCES = (Tier(name) for name in TIERS)


@dataclass(frozen=True, eq=False)
class Speech:
    """Audio with its text and timed tiers.

    Parameters
    ----------
    samples : mono audio ``[n]``, full scale is 1, kept read-only.
    rate_hz : samples a second.
    text : what is spoken; empty if unknown.
    words : one interval for each word of the text in order, label as written without punctuation
        around it; a word that is not spoken has length 0. Empty if not known yet.
    phones : IPA labels, ``ˈ`` or ``ˌ`` first where stressed; pauses are gaps.
    syllables : phones of each syllable joined, with their stress marks.
    sentences : from first to last word, label as written.
    language : code such as ``en-us``; empty if unknown.
    provenance : plain JSON values: voice, settings, versions, `notes`.

    Raises
    ------
    InvalidValueError
        If the intervals of a tier overlap or are not within the audio.

    Examples
    --------
    >>> import numpy as np
    >>> import kinesphere as ks
    >>> ks.Speech(np.zeros(8000), 16_000).duration_s
    0.5
    """

    samples: Sound
    rate_hz: int
    text: str = ""
    words: Tier = _NO_WORDS
    phones: Tier = _NO_PHONES
    syllables: Tier = _NO_SYLLABLES
    sentences: Tier = _NO_SENTENCES
    language: str = ""
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "samples", frozen_sound(self.samples, "speech"))
        object.__setattr__(self, "provenance", MappingProxyType(dict(self.provenance)))
        if self.rate_hz <= 0:
            raise InvalidValueError(f"speech has a rate of {self.rate_hz} Hz, allowed is > 0")
        for name in TIERS:
            _check_tier(name, getattr(self, name), self.duration_s)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Speech):
            return NotImplemented
        return _description(self) == _description(other) and np.array_equal(
            self.samples, other.samples
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def duration_s(self) -> float:
        """Length of the audio in seconds."""
        return len(self.samples) / self.rate_hz

    @property
    def audio(self) -> Audio:
        """The audio alone."""
        return Audio(self.samples, self.rate_hz)

    @property
    def tiers(self) -> tuple[Tier, ...]:
        """The tiers that are not empty, for a take."""
        return tuple(tier for tier in (getattr(self, name) for name in TIERS) if len(tier))

    def save(self, path: str | PathLike[str]) -> None:
        """Write as a .kin archive, completely or not at all; audio has 24 bits."""
        data = speech_bytes(self)
        with write_atomically(path) as file:
            file.write(data)


def _check_tier(name: str, tier: Tier, duration_s: float) -> None:
    if tier.name != name:
        raise InvalidValueError(f"a tier of speech is called {tier.name!r}, expected {name!r}")
    end_s = 0.0
    for interval in tier:
        if interval.start_s < end_s - _SLACK_S:
            raise InvalidValueError(
                f"{name}: {interval.label!r} at {interval.start_s:g} s starts within the one before"
            )
        end_s = interval.end_s
    if end_s > duration_s + _SLACK_S:
        raise InvalidValueError(f"{name} end at {end_s:g} s, the audio at {duration_s:g} s")


def join_speech(
    parts: Sequence[Speech], text: str | None = None, before_s: float = 0.0, after_s: float = 0.0
) -> Speech:
    """Return speech one after the other, with silence before and after all of it.

    `text` replaces the parts' own, joined with spaces. Language and provenance are the first's.

    Raises
    ------
    InvalidValueError
        If there is no part, or they differ in rate.
    """
    if not parts:
        raise InvalidValueError("no speech to join, allowed is at least one part")
    first = parts[0]
    rates = sorted({part.rate_hz for part in parts})
    if len(rates) > 1:
        raise InvalidValueError(f"parts of speech have rates {rates} Hz, expected one rate")
    if not (0.0 <= before_s < 3600.0 and 0.0 <= after_s < 3600.0):
        raise InvalidValueError(f"silence of {before_s:g} and {after_s:g} s, allowed is 0 to 3600")
    kind = np.result_type(*(part.samples.dtype for part in parts))
    before, after = (np.zeros(round(s * first.rate_hz), kind) for s in (before_s, after_s))
    ends = np.cumsum([len(before)] + [len(part.samples) for part in parts])
    starts_s = [int(end) / first.rate_hz for end in ends[:-1]]

    def row(name: str) -> Tier:
        shifted = (
            interval.shift(by_s)
            for part, by_s in zip(parts, starts_s, strict=True)
            for interval in getattr(part, name)
        )
        return Tier(name, tuple(shifted))

    return Speech(
        read_only(np.concatenate([before, *(part.samples for part in parts), after])),
        first.rate_hz,
        " ".join(part.text for part in parts) if text is None else text,
        language=first.language,
        provenance=first.provenance,
        **{name: row(name) for name in TIERS},
    )


def pad_speech(speech: Speech, before_s: float, after_s: float) -> Speech:
    """Return a speech with silence before and after it, lengths in whole samples."""
    return join_speech([speech], None, before_s, after_s)


def speech_bytes(speech: Speech) -> bytes:
    """Return the bytes of a .kin archive of speech."""
    samples = {"samples": np.asarray(speech.samples, dtype=np.float32)}
    return pack(_description(speech), samples, "the provenance of speech")


def _description(speech: Speech) -> dict[str, Any]:
    return {
        "kind": KIND,
        "version": VERSION,
        "rate_hz": speech.rate_hz,
        "text": speech.text,
        "language": speech.language,
        "provenance": plain(speech.provenance),
        "tiers": {
            name: [[i.start_s, i.end_s, i.label] for i in getattr(speech, name)] for name in TIERS
        },
    }


def read_speech(path: str | PathLike[str]) -> Speech:
    """Read a file written by `Speech.save`."""
    data = read_bytes(path)
    try:
        return parse_speech(data)
    except UnreadableError as error:
        raise error.at(path) from None


def parse_speech(data: bytes) -> Speech:
    """Parse the bytes of a .kin archive of speech."""
    return unpack(data, KIND, VERSION, _MOST_SAMPLES, _speech)


def _speech(about: dict[str, Any], array: Callable[[str], NDArray[Any]]) -> Speech:
    samples = array("samples")
    try:
        rows = {
            name: Tier(name, tuple(Interval(float(a), float(b), str(c)) for a, b, c in row))
            for name, row in ((name, about["tiers"][name]) for name in TIERS)
        }
        return Speech(
            samples.astype(np.float64),
            int(about["rate_hz"]),
            str(about["text"]),
            language=str(about["language"]),
            provenance=about["provenance"],
            **rows,
        )
    except (KeyError, TypeError, ValueError, KinesphereError) as error:
        reason = f"is inconsistent: {str(error)[:100]}"
        raise UnreadableError(None, reason, DOCUMENT) from None
