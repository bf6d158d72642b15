"""Thresholds of phrases: by speech that has them and speech that has not. Offline.

Every phrase is spoken by several synthetic voices at several tempos within sentences, and so are
texts without it; all thresholds are tried at once. A phrase gets the lowest with which it is heard
wrongly no more often than its share of what is allowed for all. Recordings with the times of what
is said in them can be given instead of the synthetic ones, and are to be preferred.

``python -m kinesphere.speech.keyword_calibration --write`` makes ``data/keywords.json`` anew.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kinesphere.errors import InvalidValueError, KinesphereError
from kinesphere.formats.files import read_bytes
from kinesphere.maths.arrays import Floats
from kinesphere.speech.keywords import Ear, Spotted
from kinesphere.speech.resampling import SPEECH_RATE_HZ, resampled
from kinesphere.speech.value import Speech
from kinesphere.speech.voice import load_voice
from kinesphere.timeline import Interval

PHRASES = (
    "hello everybody", "good evening", "good morning everyone", "goodbye everybody",
    "ladies and gentlemen", "thank you very much", "I don't know", "I have no idea",
    "it doesn't matter", "absolutely nothing", "nothing at all", "never ever", "over there",
    "come over here", "right over here", "first of all", "just a little bit", "absolutely huge",
    "wait a minute", "on the other hand", "I promise you", "I'm so sorry", "listen to me",
    "pay attention", "more and more",
)  # fmt: skip
"""Phrases that mean a gesture, and that people say."""
POWERS = tuple(range(-50, 1, 5))
VOICES = (
    ("espeak", "en-us", 1.0), ("espeak+m3", "en-us", 0.9), ("espeak+f2", "en-us", 1.0),
    ("espeak+f4", "en-gb", 1.1), ("espeak+m7", "en-gb", 1.0), ("espeak+m1", "en-us", 1.2),
)  # fmt: skip
"""Voice, language, tempo."""
_SENTENCES = (
    "{}.",
    "And then he said: {}, and went home.",
    "So, {}, that is what they wrote in the letter.",
    "My brother told her {} before the train left the station.",
)
_GAP_S = 0.5
_PIECE = 16_000
_LARGEST_TEXT = 1 << 20


@dataclass(frozen=True)
class Calibration:
    """What a phrase's threshold gives.

    Parameters
    ----------
    threshold : a power of ten.
    recall : share of the times it was said that were spotted.
    false_per_minute : how often it was spotted where it was not said.
    """

    threshold: float
    recall: float
    false_per_minute: float


class Sounds(NamedTuple):
    """Sound at 16 kHz, and where in it the phrases are: intervals with the phrase as label."""

    samples: Floats
    phrases: tuple[Interval, ...]


def calibrated(
    phrases: Sequence[str], sounds: Iterable[Sounds], false_per_minute: float = 0.5
) -> dict[str, Calibration]:
    """Thresholds of phrases that are listened for together.

    Parameters
    ----------
    sounds : recordings of different voices, with the phrases and without.
    false_per_minute : of all phrases together; each gets an equal share.

    Raises
    ------
    InvalidValueError
        If there is no sound, or a phrase is never said in it.
    """
    names = tuple(dict.fromkeys(" ".join(p.lower().split()) for p in phrases))
    said = dict.fromkeys(names, 0)
    hits = {name: dict.fromkeys(POWERS, 0) for name in names}
    wrong = {name: dict.fromkeys(POWERS, 0) for name in names}
    length_s = 0.0
    for sound in sounds:
        length_s += len(sound.samples) / SPEECH_RATE_HZ
        for interval in sound.phrases:
            said[interval.label] += 1
        for power, spotted in _spotted(names, sound.samples):
            counted = hits if _is_said(spotted, sound.phrases) else wrong
            counted[spotted.phrase][power] += 1
    missing = [name for name in names if not said[name]]
    if missing or not length_s:
        raise InvalidValueError(f"nobody says {', '.join(missing[:5])}; every phrase must be said")
    minutes = length_s / 60.0
    most = false_per_minute / len(names) * minutes
    return {name: _chosen(hits[name], wrong[name], said[name], most, minutes) for name in names}


def _spotted(names: Sequence[str], samples: Floats) -> Iterator[tuple[int, Spotted]]:
    """Everything that any threshold spots in a voice."""
    ear = Ear([(name, float(power)) for name in names for power in POWERS], SPEECH_RATE_HZ)
    for first in range(0, len(samples), _PIECE):
        for place, spotted in ear.hear_all(samples[first : first + _PIECE]):
            yield POWERS[place % len(POWERS)], spotted
    for place, spotted in ear.end_all():
        yield POWERS[place % len(POWERS)], spotted


def _is_said(spotted: Spotted, said: Sequence[Interval]) -> bool:
    middle = 0.5 * (spotted.start_s + spotted.end_s)
    return any(
        i.label == spotted.phrase and i.start_s - 0.1 <= middle <= i.end_s + 0.1 for i in said
    )


def _chosen(
    hits: Mapping[int, int], wrong: Mapping[int, int], said: int, most: float, minutes: float
) -> Calibration:
    """The lowest threshold that is not wrong too often, or the highest."""
    allowed = [p for p in POWERS if wrong[p] <= most] or [POWERS[-1]]
    best = max(hits[p] for p in allowed)
    power = max(p for p in allowed if hits[p] == best)
    recall = min(hits[power] / said, 1.0)
    return Calibration(float(power), round(recall, 3), round(wrong[power] / minutes, 3))


def synthetic(
    phrases: Sequence[str], texts: Sequence[str] = (),
    voices: Sequence[tuple[str, str, float]] = VOICES,
) -> Iterator[Sounds]:  # fmt: skip
    """Phrases in sentences, and texts without them, spoken by synthetic voices."""
    names = [" ".join(p.lower().split()) for p in phrases]
    for name, language, rate in voices:
        voice = load_voice(name)
        parts: list[Floats] = []
        marks: list[Interval] = []
        at = 0
        for text in _sentences(phrases, texts):
            speech = voice.speak(text, language, rate=rate)
            sound = resampled(speech.samples, speech.rate_hz)
            marks += _marks(speech, names, at / SPEECH_RATE_HZ)
            parts += [sound, np.zeros(round(_GAP_S * SPEECH_RATE_HZ))]
            at += len(sound) + len(parts[-1])
        yield Sounds(np.concatenate(parts), tuple(marks))


def _sentences(phrases: Sequence[str], texts: Sequence[str]) -> Iterator[str]:
    for sentence in _SENTENCES:
        for phrase in phrases:
            text = sentence.format(phrase)
            yield text[0].upper() + text[1:]
    yield from texts


def _marks(speech: Speech, names: Sequence[str], at_s: float) -> Iterator[Interval]:
    """Where phrases are in a synthetic speech."""
    words = next((t.intervals for t in speech.tiers if t.name == "words"), ())
    labels = [re.sub(r"[^\w']", "", w.label.lower()) for w in words]
    for name in names:
        parts = name.split()
        for i in range(len(labels) - len(parts) + 1):
            if labels[i : i + len(parts)] == parts:
                yield Interval(
                    at_s + words[i].start_s, at_s + words[i + len(parts) - 1].end_s, name
                )


def main(arguments: Sequence[str] | None = None) -> int:
    """Calibrate phrases and print, or write, what was found."""
    parser = argparse.ArgumentParser(prog="python -m kinesphere.speech.keyword_calibration")
    parser.add_argument("phrases", nargs="*", help="phrases; those that come with us if none")
    parser.add_argument("--text", nargs="*", default=[], help="text files without the phrases")
    parser.add_argument("--false", type=float, default=0.5, help="false alarms a minute, of all")
    parser.add_argument("--voices", type=int, default=len(VOICES), help="how many voices speak")
    parser.add_argument("--write", action="store_true", help="into the package's own data")
    given = parser.parse_args(arguments)
    phrases = given.phrases or PHRASES
    try:
        texts = [read_bytes(path, _LARGEST_TEXT).decode("utf-8") for path in given.text]
        sounds = synthetic(phrases, texts, VOICES[: max(given.voices, 1)])
        found = calibrated(phrases, sounds, given.false)
    except KinesphereError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    rows = {name: asdict(row) for name, row in found.items()}
    text = json.dumps({"phrases": rows}, indent=1, ensure_ascii=False) + "\n"
    if given.write:
        (Path(__file__).parent / "data" / "keywords.json").write_text(text, encoding="utf-8")
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
