"""Offline calibration of keyword thresholds with speech that contains the phrases or not.

Every phrase is spoken by several synthetic voices at several tempos within sentences, and so are
texts without it; all thresholds are tried at once. A phrase gets the threshold with the highest
recall whose false alarms stay within the phrase's share of the total allowed. Phrases whose recall
is then too low are dropped, the weakest first; their shares go to the rest.

``python -m tools.keyword_calibration --text TEXTS --write`` regenerates
``speech/data/keywords.json``. With ``--check`` the known thresholds are measured with other voices,
other sentences and the given texts and recordings, which should also be different ones.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kinesphere.errors import InvalidValueError, KinesphereError
from kinesphere.formats.files import read_bytes
from kinesphere.maths.arrays import Floats, doubles
from kinesphere.speech.alignment import keywords
from kinesphere.speech.alignment.keywords import KeywordDecoder, SpottedPhrase
from kinesphere.speech.audio import read_audio
from kinesphere.speech.resampling import SPEECH_RATE_HZ, resample_audio
from kinesphere.speech.value import Speech
from kinesphere.speech.voices.voice import load_voice
from kinesphere.timeline import Interval

PHRASES = (
    "hello everybody",
    "good evening",
    "good morning everyone",
    "goodbye everybody",
    "welcome everybody",
    "ladies and gentlemen",
    "thank you very much",
    "thank you everybody",
    "congratulations",
    "I don't know",
    "I have no idea",
    "I have absolutely no idea",
    "it doesn't matter",
    "absolutely nothing",
    "nothing at all",
    "never ever",
    "definitely not",
    "absolutely impossible",
    "over there",
    "come over here",
    "right over here",
    "in the middle of nowhere",
    "all over the world",
    "once upon a time",
    "first of all",
    "on the one hand",
    "on the other hand",
    "just a little bit",
    "absolutely huge",
    "absolutely gigantic",
    "a tremendous amount",
    "a million dollars",
    "more and more",
    "wait a minute",
    "calm down everybody",
    "stop it immediately",
    "incredibly important",
    "unbelievable",
    "I promise you",
    "I'm so sorry",
    "listen to me",
    "pay attention",
)
"""Common phrases that trigger a gesture."""
POWERS = tuple(range(-40, 1, 5))
"""Thresholds that are tried. Recorded people are spotted well at -40 (``test_keywords.py``);
synthetic voices gain by lower ones: down to -100, 24 phrases are kept instead of 10, and recorded
speech gives 5 false alarms a minute instead of 0.6."""
VOICES = (
    ("espeak", "en-us", 1.0),
    ("espeak+m3", "en-us", 0.9),
    ("espeak+f2", "en-us", 1.0),
    ("espeak+f4", "en-gb", 1.1),
    ("espeak+m7", "en-gb", 1.0),
    ("espeak+m1", "en-us", 1.2),
)
"""Voice, language, tempo."""
OTHER_VOICES = (("espeak+f3", "en-us", 1.05), ("espeak+m4", "en-gb", 0.95))
"""Held-out voices, for --check."""
LEAST_RECALL = 0.5
_SENTENCES = (
    "{}.",
    "And then he said: {}, and went home.",
    "So, {}, that is what they wrote in the letter.",
    "My brother told her {} before the train left the station.",
)
_OTHER_SENTENCES = (
    "Well, {}.",
    "She turned around and said {}, as if we had all been waiting for it.",
    "I heard somebody shout {} from the window.",
)
_GAP_S = 0.5
_PIECE = 16_000
_LARGEST_TEXT = 1 << 20
_KNOWN = Path(keywords.__file__).parents[1] / "data" / "keywords.json"


@dataclass(frozen=True)
class Calibration:
    """Performance of a phrase's threshold.

    Parameters
    ----------
    threshold : a power of ten.
    recall : fraction of its occurrences that were spotted.
    false_per_minute : false alarms per minute.
    """

    threshold: float
    recall: float
    false_per_minute: float


class Sounds(NamedTuple):
    """Audio at 16 kHz, and intervals of the phrases in it, with the phrase as label."""

    samples: Floats
    phrases: tuple[Interval, ...]


class DetectionCounts(NamedTuple):
    """Occurrences of a phrase, and its hits and false alarms by threshold."""

    said: int
    hits: Mapping[int, int]
    wrong: Mapping[int, int]


def calibrate(
    phrases: Sequence[str],
    sounds: Iterable[Sounds],
    false_per_minute: float = 0.5,
    least_recall: float = LEAST_RECALL,
) -> dict[str, Calibration]:
    """Thresholds of phrases that are spotted together, without those of too low recall.

    Parameters
    ----------
    sounds : recordings of different voices, with the phrases and without.
    false_per_minute : false alarms of all phrases together; each gets an equal share.
    least_recall : phrases with less at their share are dropped.

    Raises
    ------
    InvalidValueError
        If there is no audio, or a phrase never occurs in it.
    """
    counted, minutes = _count_detections(phrases, sounds)
    while counted:
        most = false_per_minute / len(counted) * minutes
        found = {name: _choose(row, most, minutes) for name, row in counted.items()}
        weakest = min(found, key=lambda name: found[name].recall)
        if found[weakest].recall >= least_recall:
            return found
        del counted[weakest]
    return {}


def _count_detections(
    phrases: Sequence[str], sounds: Iterable[Sounds]
) -> tuple[dict[str, DetectionCounts], float]:
    """Hits and false alarms of every threshold of every phrase, and the minutes of audio."""
    names = tuple(dict.fromkeys(" ".join(p.lower().split()) for p in phrases))
    said = dict.fromkeys(names, 0)
    hits = {name: dict.fromkeys(POWERS, 0) for name in names}
    wrong = {name: dict.fromkeys(POWERS, 0) for name in names}
    length_s = 0.0
    for sound in sounds:
        length_s += len(sound.samples) / SPEECH_RATE_HZ
        for interval in sound.phrases:
            said[interval.label] += 1
        for power, spotted in _detections(names, sound.samples):
            counted = hits if _is_said(spotted, sound.phrases) else wrong
            counted[spotted.phrase][power] += 1
    missing = [name for name in names if not said[name]]
    if missing or not length_s:
        raise InvalidValueError(
            f"no recording contains {', '.join(missing[:5])}; every phrase must occur"
        )
    return {
        name: DetectionCounts(said[name], hits[name], wrong[name]) for name in names
    }, length_s / 60.0


class ThresholdMeasures(NamedTuple):
    """Measured performance of given thresholds.

    Parameters
    ----------
    said, heard : number of occurrences of phrases, and of hits.
    wrong : number of false alarms.
    minutes : of audio.
    late_s : median delay from the end of a phrase to its detection; NaN if none was detected.
    """

    said: int
    heard: int
    wrong: int
    minutes: float
    late_s: float

    def line(self) -> str:
        """Return the figures as one line."""
        recall = 100.0 * self.heard / self.said if self.said else math.nan
        return (
            f"{self.minutes:.1f} minutes: {self.heard} of {self.said} phrases spotted "
            f"({recall:.0f} percent), {self.late_s:.2f} s after their end; "
            f"{self.wrong} false alarms ({self.wrong / self.minutes:.2f} a minute)"
        )


def measure(thresholds: Mapping[str, float], sounds: Iterable[Sounds]) -> ThresholdMeasures:
    """Measure thresholds on audio that was not used to calibrate them.

    Raises
    ------
    InvalidValueError
        If a threshold is not allowed.
    """
    said = heard = wrong = samples = 0
    late: list[float] = []
    for sound in sounds:
        said += sum(i.label in thresholds for i in sound.phrases)
        samples += len(sound.samples)
        state = keywords.start(thresholds, SPEECH_RATE_HZ)
        for first in range(0, len(sound.samples), keywords.BLOCK):
            state, found = keywords.step(state, sound.samples[first : first + keywords.BLOCK])
            right = [spotted for spotted in found if _is_said(spotted, sound.phrases)]
            heard, wrong = heard + len(right), wrong + len(found) - len(right)
            late += [state.samples / SPEECH_RATE_HZ - spotted.end_s for spotted in right]
    minutes = samples / SPEECH_RATE_HZ / 60.0
    return ThresholdMeasures(
        said, heard, wrong, minutes, float(np.median(late)) if late else math.nan
    )


def _detections(names: Sequence[str], samples: Floats) -> Iterator[tuple[int, SpottedPhrase]]:
    """All detections of any threshold in a voice."""
    ear = KeywordDecoder(
        [(name, float(power)) for name in names for power in POWERS], SPEECH_RATE_HZ
    )
    for first in range(0, len(samples), _PIECE):
        for place, spotted in ear.hear_all(samples[first : first + _PIECE]):
            yield POWERS[place % len(POWERS)], spotted
    for place, spotted in ear.end_all():
        yield POWERS[place % len(POWERS)], spotted


def _is_said(spotted: SpottedPhrase, said: Sequence[Interval]) -> bool:
    middle = 0.5 * (spotted.start_s + spotted.end_s)
    return any(
        i.label == spotted.phrase and i.start_s - 0.1 <= middle <= i.end_s + 0.1 for i in said
    )


def _choose(counted: DetectionCounts, most: float, minutes: float) -> Calibration:
    """The threshold of highest recall within the allowed false alarms; the highest if equal."""
    hits, wrong = counted.hits, counted.wrong
    allowed = [p for p in POWERS if wrong[p] <= most]
    if not allowed:
        return Calibration(float(POWERS[-1]), 0.0, round(wrong[POWERS[-1]] / minutes, 3))
    best = max(hits[p] for p in allowed)
    power = max(p for p in allowed if hits[p] == best)
    recall = min(hits[power] / counted.said, 1.0)
    return Calibration(float(power), round(recall, 3), round(wrong[power] / minutes, 3))


def synthesise(
    phrases: Sequence[str],
    texts: Sequence[str] = (),
    voices: Sequence[tuple[str, str, float]] = VOICES,
    sentences: Sequence[str] = _SENTENCES,
) -> Iterator[Sounds]:
    """Phrases in sentences, and texts without them, spoken by synthetic voices."""
    names = [" ".join(p.lower().split()) for p in phrases]
    for name, language, rate in voices:
        voice = load_voice(name)
        parts: list[Floats] = []
        marks: list[Interval] = []
        at = 0
        for text in _sentences(phrases, texts, sentences):
            speech = voice.speak(text, language, rate=rate)
            sound = resample_audio(speech.samples, speech.rate_hz)
            marks += _marks(speech, names, at / SPEECH_RATE_HZ)
            parts += [sound, np.zeros(round(_GAP_S * SPEECH_RATE_HZ))]
            at += len(sound) + len(parts[-1])
        yield Sounds(np.concatenate(parts), tuple(marks))


def _sentences(
    phrases: Sequence[str], texts: Sequence[str], sentences: Sequence[str]
) -> Iterator[str]:
    for sentence in sentences:
        for phrase in phrases:
            text = sentence.format(phrase)
            yield text[0].upper() + text[1:]
    yield from texts


def _marks(speech: Speech, names: Sequence[str], at_s: float) -> Iterator[Interval]:
    """Intervals of phrases in synthetic speech."""
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
    """Calibrate phrases and print or write their thresholds; or check known thresholds."""
    parser = argparse.ArgumentParser(prog="keyword_calibration")
    parser.add_argument("phrases", nargs="*", help="phrases; default: the built-in ones")
    parser.add_argument("--text", nargs="*", default=[], help="text files without the phrases")
    parser.add_argument("--false", type=float, default=0.5, help="false alarms a minute, of all")
    parser.add_argument("--voices", type=int, default=len(VOICES), help="number of voices")
    parser.add_argument("--write", action="store_true", help="write to the package's data file")
    parser.add_argument("--check", action="store_true", help="measure with held-out voices")
    parser.add_argument(
        "--recording", nargs="*", default=[], help="for --check: speech without the phrases"
    )
    given = parser.parse_args(arguments)
    try:
        texts = [read_bytes(path, _LARGEST_TEXT).decode("utf-8") for path in given.text]
        if given.check:
            _check(given.phrases, texts, given.recording)
        else:
            _calibrate(given.phrases or PHRASES, texts, given)
    except KinesphereError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


def _calibrate(phrases: Sequence[str], texts: Sequence[str], given: argparse.Namespace) -> None:
    sounds = synthesise(phrases, texts, VOICES[: max(given.voices, 1)])
    rows = {name: asdict(row) for name, row in calibrate(phrases, sounds, given.false).items()}
    text = json.dumps({"phrases": rows}, indent=1, ensure_ascii=False) + "\n"
    if given.write:
        _KNOWN.write_text(text, encoding="utf-8")
    sys.stdout.write(text)


def _check(phrases: Sequence[str], texts: Sequence[str], recordings: Sequence[str]) -> None:
    known = keywords.thresholds_of(phrases or keywords.known_thresholds())
    sounds = list(synthesise(list(known), texts, OTHER_VOICES, _OTHER_SENTENCES))
    begun_s = time.process_time()
    found = measure(known, sounds)
    cost = (time.process_time() - begun_s) / (60.0 * found.minutes)
    sys.stdout.write(f"other voices, {found.line()}; {100.0 * cost:.1f} percent of a core\n")
    if recordings:
        read = [
            Sounds(doubles(read_audio(path, SPEECH_RATE_HZ).samples), ()) for path in recordings
        ]
        sys.stdout.write(f"recordings, {measure(known, read).line()}\n")


if __name__ == "__main__":
    raise SystemExit(main())
