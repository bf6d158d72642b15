"""espeak-ng's voice, in a persistent child process: audio, and the times of words."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

import numpy as np

from kinesphere.errors import InvalidValueError, KinesphereError
from kinesphere.maths.bounds import check_range
from kinesphere.speech.value import Speech, join_speech
from kinesphere.speech.voices.espeak_events import EspeakEvent, match_words
from kinesphere.speech.voices.espeak_process import worker
from kinesphere.speech.voices.voice import (
    NO_ESPEAK,
    check_speaking,
    plain_text,
    sentences_in,
    sentences_of,
    syllables_of,
    words_in,
)
from kinesphere.timeline import Tier

_WORDS_A_MINUTE = 175  # espeak's own tempo
_MOST_S = 3600.0
_WORDS_AT_ONCE = 500  # words whose phonemes are requested at a time


@dataclass(frozen=True)
class EspeakVoice:
    """espeak-ng, in about a hundred languages. The same text gives the same samples.

    Parameters
    ----------
    variant : name of one of espeak's variants such as ``f3`` or ``whisper``; empty for none.
    volume : relative to espeak's own, in [0, 2].
    timeout_s : longest time that a sentence may take.

    Raises
    ------
    KinesphereError
        If espeak-ng is not installed.
    """

    variant: str = ""
    volume: float = 1.0
    timeout_s: float = 20.0

    def __post_init__(self) -> None:
        if find_spec("espeakng_loader") is None:
            raise KinesphereError(NO_ESPEAK)
        check_range("volume", self.volume, 0.0, 2.0)
        if self.variant and self.variant not in (known := _about()["variants"]):
            raise InvalidValueError(
                f"espeak-ng has no variant {self.variant!r}; it has {', '.join(known)}"
            )

    def languages(self) -> tuple[str, ...]:
        """Codes of all languages."""
        return tuple(sorted(_about()["languages"]))

    def speak(
        self,
        text: str,
        language: str = "en-us",
        *,
        rate: float = 1.0,
        pitch: float = 1.0,
        markup: bool = False,
    ) -> Speech:
        """Speak a text; see `Voice.speak`. With `markup` it is SSML, such as ``<emphasis>``."""
        parts, total_s = [], 0.0
        for part in self.sentences(text, language, rate=rate, pitch=pitch, markup=markup):
            total_s += part.duration_s
            if total_s > _MOST_S:
                raise InvalidValueError(
                    f"the text takes over {_MOST_S / 60:.0f} minutes to speak; speak it in parts"
                )
            parts.append(part)
        whole = join_speech(parts, parts[0].text if markup else check_speaking(text, rate, pitch))
        if not len(whole.words):
            raise InvalidValueError(f"there is nothing to speak in {text.strip()[:20]!r}")
        return whole

    def sentences(
        self,
        text: str,
        language: str = "en-us",
        *,
        rate: float = 1.0,
        pitch: float = 1.0,
        markup: bool = False,
    ) -> Iterator[Speech]:
        """Speak one sentence after the other, each when it is requested.

        Each but the last ends with a pause. Marked-up text is one part.
        """
        code = language_code(language, self.languages())
        clean = check_speaking(text, rate, pitch)
        file = _about()["languages"][code]
        settings = {
            "voice": f"{file}+{self.variant}" if self.variant else file,
            "rate": round(_WORDS_A_MINUTE * rate),
            "pitch": min(99, round(50.0 + 50.0 * math.log2(pitch))),  # espeak's own table
            "volume": round(100.0 * self.volume),
            "markup": markup,
        }
        if markup:
            plain, places = plain_text(clean)
            check_speaking(plain, rate, pitch)
            yield self._synthesise(clean, plain, places, code, settings, pause=False)
            return
        spans = sentences_in(clean, code)
        for i, span in enumerate(spans):
            own = range(len(span.label))
            last = i == len(spans) - 1
            yield self._synthesise(span.label, span.label, own, code, settings, pause=not last)

    def _synthesise(
        self,
        source: str,
        plain: str,
        places: Sequence[int],
        code: str,
        settings: dict[str, Any],
        *,
        pause: bool,
    ) -> Speech:
        request = {"action": "speak", "text": source, "pause": pause, "most_s": _MOST_S, **settings}
        answer, data = worker.ask(request, self.timeout_s + len(source) / 50.0)
        samples = np.frombuffer(data, "<i2") / np.float32(32768.0)  # exact: 16 bits of 24
        events = [
            EspeakEvent(kind, bisect_right(places, position) - 1, sample, label)
            for kind, position, sample, label in answer["events"]
        ]

        def count_phonemes(words: Sequence[str]) -> list[int]:
            return [_phoneme_count(settings["voice"], word) for word in words]

        rate_hz = int(answer["rate_hz"])
        spans, words, phones = match_words(
            words_in(plain), events, len(samples), rate_hz, count_phonemes
        )
        about = {"voice": f"espeak-ng {_about()['version']}", "settings": dict(settings)}
        return Speech(
            samples,
            rate_hz,
            plain,
            Tier("words", tuple(words)),
            Tier("phones", tuple(phones)),
            syllables_of(words, phones),
            sentences_of(sentences_in(plain, code), spans, words),
            code,
            about,
        )


def language_code(language: str, known: Sequence[str]) -> str:
    """Code of espeak for a language: ``en_US``, ``de-DE``, ``en``, ``fr`` are accepted."""
    code = language.strip().lower().replace("_", "-")
    short = code.split("-")[0]
    lower = {name.lower(): name for name in known}
    for tried in (code, short, "en-us" if short == "en" else f"{short}-{short}"):
        if tried in lower:
            return lower[tried]
    near = [name for name in known if name[:1].lower() == code[:1]] or ["de", "en-us"]
    raise InvalidValueError(
        f"espeak-ng has no language {language!r}; of its {len(known)} the nearest are "
        f"{', '.join(near)}"
    )


def phonemes(words: Sequence[str], language: str = "en-us") -> list[str]:
    """IPA of words by themselves, ``_`` between phonemes and ``ˈ`` before a stressed vowel.

    Raises
    ------
    InvalidValueError
        If espeak-ng does not speak the language.
    KinesphereError
        If espeak-ng is not installed.
    """
    known = _about()["languages"]
    voice = known[language_code(language, sorted(known))]
    found: list[str] = []
    for at in range(0, len(words), _WORDS_AT_ONCE):
        found += _phonemes(voice, words[at : at + _WORDS_AT_ONCE])
    return found


@lru_cache(maxsize=1)
def _about() -> dict[str, Any]:
    """Languages, variants and version of espeak-ng."""
    return worker.ask({"action": "voices"}, 20.0)[0]


@lru_cache(maxsize=10_000)
def _phoneme_count(voice: str, word: str) -> int:
    """Number of phonemes of a single word."""
    return len(re.findall(r"[^_\s]+", _phonemes(voice, [word])[0]))


def _phonemes(voice: str, words: Sequence[str]) -> list[str]:
    request = {"action": "phonemes", "voice": voice, "words": list(words)}
    found: list[str] = worker.ask(request, 60.0)[0]["phonemes"]
    return found
