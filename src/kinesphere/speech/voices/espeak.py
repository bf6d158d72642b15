"""espeak-ng's voice, in a persistent child process: audio, and the times of words.

Its events do not name words: "in the" may be one, "1234" five. They do give their position in the
text, so each word of the text gets the events on its characters; words that share one event
divide its phones by the number each has by itself.
"""

from __future__ import annotations

import atexit
import json
import math
import os
import re
import struct
import subprocess
import sys
import threading
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kinesphere.errors import InvalidValueError, KinesphereError
from kinesphere.speech.value import Speech, joined
from kinesphere.speech.voices.voice import (
    NO_ESPEAK,
    Span,
    check_speaking,
    plain_text,
    sentences_in,
    sentences_of,
    syllables_of,
    words_in,
)
from kinesphere.timeline import Interval, Tier

_WORD, _PHONEME = 1, 7
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
        if not 0.0 <= self.volume <= 2.0:
            raise InvalidValueError(f"volume is {self.volume}, allowed is 0 to 2")
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
        whole = joined(parts, parts[0].text if markup else check_speaking(text, rate, pitch))
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
            yield self._spoken(clean, plain, places, code, settings, pause=False)
            return
        spans = sentences_in(clean, code)
        for i, span in enumerate(spans):
            own = range(len(span.label))
            last = i == len(spans) - 1
            yield self._spoken(span.label, span.label, own, code, settings, pause=not last)

    def _spoken(
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
        answer, data = _worker.ask(request, self.timeout_s + len(source) / 50.0)
        samples = np.frombuffer(data, "<i2") / np.float32(32768.0)  # exact: 16 bits of 24
        events = [
            Event(kind, bisect_right(places, position) - 1, sample, label)
            for kind, position, sample, label in answer["events"]
        ]

        def counted(words: Sequence[str]) -> list[int]:
            return [_phoneme_count(settings["voice"], word) for word in words]

        rate_hz = int(answer["rate_hz"])
        spans, words, phones = match_words(words_in(plain), events, len(samples), rate_hz, counted)
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


class Event(NamedTuple):
    """An event of espeak: its kind, character in the text, sample and phoneme (IPA)."""

    kind: int
    position: int
    sample: int
    label: str


class _Phone(NamedTuple):
    start: int
    end: int
    label: str
    word_start: int  # of its event


def match_words(
    spans: Sequence[Span],
    events: Sequence[Event],
    samples: int,
    rate_hz: int,
    counted: Callable[[Sequence[str]], list[int]],
) -> tuple[list[Span], list[Interval], list[Interval]]:
    """Words that are spoken or written in letters, their times and those of phones, in seconds.

    Parameters
    ----------
    spans : words of the text.
    events : of espeak.
    samples : length of the audio.
    rate_hz : samples a second.
    counted : number of phonemes of single words; called only for words that share an event.
    """
    owned = _owned(spans, events, samples)
    kept = [i for i, span in enumerate(spans) if owned[i] or any(map(str.isalnum, span.label))]
    words: list[Interval] = []
    at = 0
    while at < len(kept):
        # A run: words that share one event; all but one (mostly the first) have no phones.
        end = at + 1
        heard = bool(owned[kept[at]])
        while end < len(kept) and not (owned[kept[end]] and heard):
            heard = heard or bool(owned[kept[end]])
            end += 1
        run = [spans[i] for i in kept[at:end]]
        phones = [phone for i in kept[at:end] for phone in owned[i]]
        shares = [len(phones)] if len(run) == 1 else _shares(run, len(phones), counted)
        first = 0
        for span, share in zip(run, shares, strict=True):
            part = phones[first : first + share]
            before_s = words[-1].end_s if words else 0.0
            if part:
                start = part[0].word_start if first == 0 else part[0].start
                start_s = max(start / rate_hz, before_s)
                words.append(Interval(start_s, max(start_s, part[-1].end / rate_hz), span.label))
            else:
                words.append(Interval(before_s, before_s, span.label))
            first += share
        at = end
    spoken = [phone for i in kept for phone in owned[i]]
    times = [Interval(p.start / rate_hz, p.end / rate_hz, p.label) for p in spoken]
    return [spans[i] for i in kept], words, times


def _owned(spans: Sequence[Span], events: Sequence[Event], samples: int) -> list[list[_Phone]]:
    """Phones on the characters of each word."""
    owned: list[list[_Phone]] = [[] for _ in spans]
    if not spans:
        return owned
    starts = [span.start for span in spans]
    word, word_start, now = 0, 0, 0
    for i, event in enumerate(events):
        now = min(max(now, event.sample), samples)
        if event.kind == _WORD:
            word = max(word, bisect_right(starts, event.position) - 1)
            word_start = now
        elif event.kind == _PHONEME and event.label.strip("_ˈˌ: "):
            end = events[i + 1].sample if i + 1 < len(events) else samples
            phone = _Phone(now, min(max(now, end), samples), event.label, word_start)
            owned[word].append(phone)
    return owned


def _shares(
    run: Sequence[Span], phones: int, counted: Callable[[Sequence[str]], list[int]]
) -> list[int]:
    """Number of phones of each word of a run: at least one where that is possible."""
    counts = counted([span.label for span in run])
    if phones < sum(1 for count in counts if count) or not sum(counts):
        counts = [1] * len(run)
    edges = [0]
    for i in range(len(run)):
        wanted = round(phones * sum(counts[: i + 1]) / sum(counts))
        after = sum(1 for count in counts[i + 1 :] if count)
        least = edges[-1] + (1 if counts[i] else 0)
        edges.append(max(min(max(wanted, least), phones - after), edges[-1]))
    return [b - a for a, b in pairwise(edges)]


class WorkerError(KinesphereError):
    """The child process does not answer."""


class _Worker:
    """The child process: started on demand, restarted if it died, ended with this process."""

    def __init__(self) -> None:
        self.child: subprocess.Popen[bytes] | None = None
        self.lock = threading.Lock()
        self.inherited: list[object] = []
        atexit.register(self.stop)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forked)

    def ask(self, request: dict[str, Any], timeout_s: float) -> tuple[dict[str, Any], bytes]:
        """Send a request and return the answer and its samples; a dead worker is replaced once."""
        with self.lock:
            for attempt in (1, 2):
                try:
                    answer, data = self._exchange(request, timeout_s)
                    break
                except (OSError, EOFError):
                    self.stop()
                    if attempt == 2:
                        raise WorkerError(
                            "espeak-ng stopped without an answer, twice; the text may be the reason"
                        ) from None
                except BaseException:
                    self.stop()
                    raise
        if "error" in answer:
            raise InvalidValueError(str(answer["error"]))
        return answer, data

    def _exchange(self, request: dict[str, Any], timeout_s: float) -> tuple[dict[str, Any], bytes]:
        child = self.child or self._started()
        assert child.stdin is not None
        assert child.stdout is not None
        late = threading.Event()

        def give_up() -> None:
            late.set()
            child.kill()

        timer = threading.Timer(timeout_s, give_up)
        timer.start()
        try:
            text = json.dumps(request).encode()
            child.stdin.write(struct.pack("<2I", len(text), 0) + text)
            child.stdin.flush()
            sizes = struct.unpack("<2I", _exactly(child.stdout, 8))
            answer = json.loads(_exactly(child.stdout, sizes[0]))
            return answer, _exactly(child.stdout, sizes[1])
        except (OSError, EOFError):
            if late.is_set():
                raise WorkerError(f"espeak-ng gave no answer within {timeout_s:.0f} s") from None
            raise
        finally:
            timer.cancel()

    def _started(self) -> subprocess.Popen[bytes]:
        spec = find_spec("espeakng_loader")
        if spec is None or spec.origin is None or not sys.executable:
            raise KinesphereError(NO_ESPEAK)
        program = Path(__file__).with_name("espeak_worker.py")
        # Run as a file and without -m, so that it starts in 30 ms and finds the same library.
        command = [sys.executable, "-P", str(program), str(Path(spec.origin).parent.parent)]
        self.child = subprocess.Popen(  # noqa: S603 - our own program, no shell
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        return self.child

    def stop(self) -> None:
        """End the child, if there is one."""
        child, self.child = self.child, None
        if child is None:
            return
        child.kill()
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                with suppress(OSError):  # because of unread input
                    pipe.close()
        child.wait()

    def _forked(self) -> None:
        """Forget the child after a fork; it belongs to the parent process."""
        self.inherited.append(self.child)
        self.child = None
        self.lock = threading.Lock()


def _exactly(pipe: Any, size: int) -> bytes:
    data: bytes = pipe.read(size)
    if len(data) < size:
        raise EOFError
    return data


_worker = _Worker()


@lru_cache(maxsize=1)
def _about() -> dict[str, Any]:
    """Languages, variants and version of espeak-ng."""
    return _worker.ask({"action": "voices"}, 20.0)[0]


@lru_cache(maxsize=10_000)
def _phoneme_count(voice: str, word: str) -> int:
    """Number of phonemes of a single word."""
    return len(re.findall(r"[^_\s]+", _phonemes(voice, [word])[0]))


def _phonemes(voice: str, words: Sequence[str]) -> list[str]:
    request = {"action": "phonemes", "voice": voice, "words": list(words)}
    found: list[str] = _worker.ask(request, 60.0)[0]["phonemes"]
    return found
