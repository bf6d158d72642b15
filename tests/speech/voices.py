"""Voices to listen to: synthetic ones, the shared recordings, and their alignments."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from kinesphere.maths.arrays import Floats

RECORDINGS = (
    "beat2/2_scott_0_1_1.wav",
    "speech/jfk/jfk.flac",
    "speech/librispeech/2412-153948-0000.flac",
    "speech/librispeech/2412-153948-0001.flac",
    "speech/librispeech/libri-1088-134315-0000.wav",
    "speech/librivox/sense_and_sensibility_01_austen_64kb-0870.wav",
    "speech/librivox/sense_and_sensibility_01_austen_64kb-0880.wav",
    "speech/librivox/sense_and_sensibility_01_austen_64kb-0890.wav",
    "speech/mfa/61-70968-0000.flac",
    "speech/sonnet/audio.wav",
)
VOWELS = frozenset(re.findall(r"\w+", "AA AE AH AO AW AY EH ER EY IH IY OW OY UH UW"))


@lru_cache(maxsize=20)
def sound(path: Path) -> Any:
    """Praat's mono Sound of a file; Praat reads FLAC, too."""
    import parselmouth

    return parselmouth.Sound(str(path)).convert_to_mono()


def samples_of(praat_sound: Any, seconds: float = 1e9) -> tuple[Floats, float]:
    rate = float(praat_sound.sampling_frequency)
    return np.array(praat_sound.values[0][: int(min(seconds, 1e6) * rate)]), rate


def textgrid(path: Path) -> dict[str, list[tuple[float, float, str]]]:
    """Interval tiers of a long TextGrid."""
    tiers = {}
    for tier in re.split(r"item \[\d+\]:", path.read_text(encoding="utf-8"))[1:]:
        name = re.search(r'name = "(.*?)"', tier)
        assert name is not None
        rows = re.findall(r'xmin = ([\d.]+)\s+xmax = ([\d.]+)\s+text = "(.*?)"', tier)
        tiers[name[1]] = [(float(a), float(b), text) for a, b, text in rows]
    return tiers


def textgrid_vowels(path: Path) -> list[tuple[float, float]]:
    return [(a, b) for a, b, p in textgrid(path)["phones"] if p.rstrip("012") in VOWELS]


def pocketsphinx_vowels(path: Path) -> list[tuple[float, float]]:
    words = json.loads(path.read_text(encoding="utf-8"))["w"]
    phones = [phone for word in words for phone in word["w"]]
    return [(p["b"], p["b"] + p["d"]) for p in phones if p["t"] in VOWELS]


def hits(peaks: list[float], vowels: list[tuple[float, float]], slack_s: float = 0.06) -> int:
    """Peaks inside widened vowels, one to one, matched in order of time."""
    free, count = sorted(peaks), 0
    for start, end in sorted(vowels):
        for i, peak in enumerate(free):
            if peak > end + slack_s:
                break
            if peak >= start - slack_s:
                count += 1
                del free[: i + 1]
                break
    return count


def with_noise(samples: Floats, snr_db: float, seed: int = 1) -> Floats:
    noise = np.random.default_rng(seed).normal(size=len(samples))
    return np.asarray(samples + noise * np.sqrt(np.mean(samples**2) / 10.0 ** (snr_db / 10.0)))


def babble(seconds: float, rate: float, seed: int = 0) -> Floats:
    """Something like a voice: a gliding pulse train with syllables and pauses, and some noise."""
    rng = np.random.default_rng(seed)
    t = np.arange(int(seconds * rate)) / rate
    hz = 140.0 + 40.0 * np.sin(2 * np.pi * 0.7 * t + seed) + 15.0 * np.sin(2 * np.pi * 2.3 * t)
    phase = 2 * np.pi * np.cumsum(hz) / rate
    voice = sum(np.sin(k * phase) / (1.0 + abs(k - 4)) for k in range(1, 10))
    beats = np.clip(np.sin(2 * np.pi * 4.1 * t + 0.5 * np.sin(3.0 * t)), 0.0, 1.0) ** 0.7
    phrases = (np.sin(2 * np.pi * 0.45 * t) > -0.6).astype(float)
    return np.asarray(0.1 * voice * beats * phrases + 0.002 * rng.normal(size=len(t)))
