"""Piper's neural voices: a model of the user on disk, run by a child process.

Piper gives audio only. Where espeak-ng is installed, each sentence gets espeak's words and phones,
scaled to the part of the sentence that is not silent; otherwise words get times by their numbers of
letters and there are no phones. Both are estimates, as the provenance's notes say; alignment is
more accurate.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from kinesphere.errors import InvalidValueError, KinesphereError, UnreadableError
from kinesphere.formats.files import read_bytes
from kinesphere.maths.arrays import Floats, doubles
from kinesphere.speech.audio import read_audio
from kinesphere.speech.value import TIERS, Speech, join_speech
from kinesphere.speech.voices.voice import (
    TextSpan,
    Voice,
    check_speaking,
    load_voice,
    sentences_in,
    words_in,
)
from kinesphere.timeline import Interval, Tier

_PAUSE_S = 0.3  # between sentences; Piper's own are 0 or 0.2, by version
_SILENCE = 0.01  # ratio of the loudest 10 ms


@dataclass(frozen=True)
class PiperVoice:
    """A Piper voice.

    Parameters
    ----------
    model : the ``.onnx`` file; its ``.onnx.json`` is in the same folder.
    program : command that starts Piper; searched for if empty.
    steady : without random noise, so that the same text gives the same
        samples; a little flatter.
    timeout_s : longest time for loading the model, and again for each sentence.

    Raises
    ------
    UnreadableError
        If the model or its description is missing or damaged.
    KinesphereError
        If Piper is not installed.
    """

    model: str | Path
    program: tuple[str, ...] = ()
    steady: bool = False
    timeout_s: float = 60.0

    def __post_init__(self) -> None:
        if not Path(self.model).is_file():
            raise UnreadableError(self.model, "no such file, expected a Piper model")
        self._config()
        object.__setattr__(self, "program", tuple(self.program) or _piper())

    def _config(self) -> dict[str, Any]:
        path = f"{self.model}.json"
        try:
            config = json.loads(read_bytes(path, 16 << 20))
            config["espeak"]["voice"].lower()
        except (ValueError, KeyError, TypeError, AttributeError):
            raise UnreadableError(path, "is not a Piper model's description") from None
        return dict(config)

    def languages(self) -> tuple[str, ...]:
        """Code of the one language of the model."""
        return (str(self._config()["espeak"]["voice"]),)

    def speak(
        self, text: str, language: str = "", *, rate: float = 1.0, pitch: float = 1.0
    ) -> Speech:
        """Speak a text; see `Voice.speak`. The pitch is the model's own."""
        clean = check_speaking(text, rate, pitch)
        own = self.languages()[0]
        if language and language.lower().replace("_", "-").split("-")[0] != own.split("-")[0]:
            raise InvalidValueError(f"{self.model} speaks {own!r}, not {language!r}")
        if pitch != 1.0:
            raise InvalidValueError(f"pitch is {pitch}, Piper has no pitch to set: allowed is 1")
        sentences = [s for s in sentences_in(clean, own) if words_in(s.label)]
        sounds = self._sounds([" ".join(s.label.split()) for s in sentences], rate)
        guide = _guide(own)
        parts = []
        for i, (sentence, (samples, rate_hz)) in enumerate(zip(sentences, sounds, strict=True)):
            pause = np.zeros(0 if i == len(sentences) - 1 else round(_PAUSE_S * rate_hz))
            about = {
                "voice": f"piper {Path(self.model).name}",
                "settings": {"rate": rate, "steady": self.steady},
                "notes": [
                    "times of words are estimated from " + ("espeak-ng" if guide else "letters")
                ],
            }
            rows = _rows(sentence, samples, rate_hz, guide, own)
            sound = np.concatenate([samples, pause])
            parts.append(
                Speech(sound, rate_hz, sentence.label, language=own, provenance=about, **rows)
            )
        return join_speech(parts, clean)

    def _sounds(self, lines: Sequence[str], rate: float) -> list[tuple[Floats, int]]:
        """Audio of each line; Piper writes a file for each, named by the time."""
        command = [*self.program, "--model", str(self.model), "--length_scale", f"{1 / rate:.4f}"]
        if self.steady:
            command += ["--noise_scale", "0", "--noise_w", "0"]
        with tempfile.TemporaryDirectory() as folder:
            try:
                done = subprocess.run(  # noqa: S603 - no shell
                    [*command, "--output_dir", folder],
                    input="".join(f"{line}\n" for line in lines).encode(),
                    env={**os.environ, "PYTHONUTF8": "1"},  # its stdin has the locale's encoding
                    capture_output=True,
                    timeout=self.timeout_s * (1 + len(lines)),
                    check=False,
                )
            except subprocess.TimeoutExpired as error:
                raise KinesphereError(
                    f"piper gave no answer within {error.timeout:.0f} s"
                ) from None
            except OSError as error:
                raise KinesphereError(
                    f"{self.program[0]}: cannot be run: {error.strerror}"
                ) from None
            files = sorted(Path(folder).rglob("*.wav"), key=lambda f: (len(f.name), f.name))
            if done.returncode != 0 or len(files) != len(lines):
                said = done.stderr.decode("utf-8", "replace").strip().splitlines()
                wrote = f"it wrote {len(files)} of {len(lines)} sentences"
                reason = said[-1][:120] if done.returncode != 0 and said else wrote
                raise KinesphereError(f"piper failed: {reason}")
            recordings = [read_audio(file) for file in files]
        return [(doubles(recording.samples), recording.rate_hz) for recording in recordings]


def _piper() -> tuple[str, ...]:
    if find_spec("piper") is not None and sys.executable:
        return (sys.executable, "-m", "piper")
    found = shutil.which("piper")
    if found is None:
        raise KinesphereError(
            "this voice needs Piper, which is not installed: pip install piper-tts"
        )
    return (found,)


def _guide(language: str) -> Voice | None:
    """Return espeak's voice if it is installed and has the language."""
    if find_spec("espeakng_loader") is None:
        return None
    voice = load_voice("espeak")
    try:
        voice.speak("a", language)
    except InvalidValueError:
        return None
    return voice


def _rows(
    sentence: TextSpan, samples: Floats, rate_hz: int, guide: Voice | None, language: str
) -> dict[str, Tier]:
    """Words, phones, syllables and the sentence within the part that is not silent."""
    start_s, end_s = audible_interval(samples, rate_hz)
    spoken = None
    if guide is not None:
        with suppress(InvalidValueError):  # signs that espeak does not speak
            spoken = guide.speak(sentence.label, language)
    if spoken is not None and spoken.words.intervals[-1].end_s > 0.0:
        first_s, last_s = spoken.words.intervals[0].start_s, spoken.words.intervals[-1].end_s
        scale = (end_s - start_s) / max(last_s - first_s, 1e-9)
        return {
            name: _stretch(getattr(spoken, name), first_s, scale, start_s, end_s) for name in TIERS
        }
    labels = [word.label for word in words_in(sentence.label)]
    edges = np.cumsum([0] + [1 + len(label) for label in labels])
    times = start_s + (end_s - start_s) * edges / edges[-1]
    words = tuple(
        Interval(float(a), float(b), label)
        for a, b, label in zip(times, times[1:], labels, strict=False)
    )
    whole = Interval(start_s, max(start_s, float(times[-1])), sentence.label)
    rows = {"words": words, "sentences": (whole,)}
    return {name: Tier(name, row) for name, row in rows.items()}


def _stretch(tier: Tier, first_s: float, scale: float, start_s: float, end_s: float) -> Tier:
    def stretch_time(time_s: float) -> float:
        return min(start_s + (time_s - first_s) * scale, end_s)

    return Tier(
        tier.name,
        tuple(Interval(stretch_time(i.start_s), stretch_time(i.end_s), i.label) for i in tier),
    )


def audible_interval(samples: Floats, rate_hz: int) -> tuple[float, float]:
    """First and last time at which audio is not silent; all of it if it is only silence."""
    size = max(1, rate_hz // 100)
    count = len(samples) // size
    level = np.abs(samples[: count * size].reshape(count, size)).max(axis=1, initial=0.0)
    loud = np.flatnonzero(level > _SILENCE * level.max(initial=0.0))
    if not len(loud):
        return 0.0, len(samples) / rate_hz
    return int(loud[0]) * size / rate_hz, (int(loud[-1]) + 1) * size / rate_hz
