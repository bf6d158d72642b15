"""Voices, which convert text to `Speech`: loading one by name, and dividing text.

To add a voice: a class with the two methods of `Voice` in a module of its own, and a line in
`load_voice`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from html import unescape
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, Protocol, cast

from kinesphere.errors import InvalidValueError, KinesphereError
from kinesphere.maths.bounds import check_range
from kinesphere.speech.audio import ENDINGS
from kinesphere.speech.phones import VOWELS
from kinesphere.speech.value import Speech
from kinesphere.timeline import Interval, Tier

LONGEST_TEXT = 100_000
"""Longest text in characters, about two hours. More is spoken in parts."""
NO_ESPEAK = "speaking needs espeak-ng, which is not installed: pip install 'kinesphere[voice]'"
RATES = (0.5, 2.5)
PITCHES = (0.5, 2.0)

_SPOKEN_MARKS = frozenset("%&@#§‰°/\\*+=$€£")
_CLOSERS = "\"'”’»«)]}"  # noqa: RUF001
_END = re.compile(rf"[.!?…]+[{re.escape(_CLOSERS)}]*(?=\s)|\n\s*\n|[。！？]+")  # noqa: RUF001
_ABBREVIATIONS = frozenset(
    (
        *("dr", "mr", "mrs", "ms", "prof", "st", "vs", "e.g", "i.e", "cf", "sgt", "capt", "rev"),
        *("z.b", "d.h", "u.a", "s.o", "s.u", "bzw", "hr", "ca", "ggf", "evtl", "inkl", "bspw"),
        *("vgl", "i.d.r", "dipl", "mio", "mrd", "hon"),
    )
)
_BEFORE_NUMBERS = frozenset(["no", "nr", "fig", "vol", "p", "pp", "abb", "bd", "s"])


class Voice(Protocol):
    """A voice speaks text in one or more languages."""

    def languages(self) -> tuple[str, ...]:
        """Codes of languages such as ``en-us`` and ``de``; empty if any code is accepted."""
        ...

    def speak(
        self, text: str, language: str = "en-us", *, rate: float = 1.0, pitch: float = 1.0
    ) -> Speech:
        """Return the audio and times of a text.

        Parameters
        ----------
        text : at most `LONGEST_TEXT` characters.
        language : one of `languages`.
        rate : tempo relative to the voice's own, in `RATES`.
        pitch : relative to the voice's own, in `PITCHES`; 2 is about an octave up.

        Raises
        ------
        InvalidValueError
            If there is nothing to speak, or an argument is out of range.
        """
        ...


def load_voice(name: str) -> Voice:
    """Return a voice by name.

    ``espeak``, or with a variant ``espeak+f3``; a Piper model on disk, ``model.onnx``; a recording
    used as the spoken text, ``voice.wav``.
    """
    ending = Path(name).suffix.lower()
    if ending == ".onnx":
        module, made, argument = "piper", "PiperVoice", name
    elif ending in ENDINGS:
        module, made, argument = "recorded", "RecordedVoice", name
    elif name == "espeak" or name.startswith("espeak+"):
        module, made, argument = "espeak", "EspeakVoice", name.removeprefix("espeak")[1:]
    else:
        raise InvalidValueError(
            f"no voice is called {name!r}; allowed are espeak, espeak+VARIANT, a Piper model "
            "(.onnx) and a recording (.wav, .mp3, ...)"
        )
    return cast(Voice, getattr(import_module(f"kinesphere.speech.voices.{module}"), made)(argument))


def best_voice() -> Voice:
    """Return the best voice that is installed.

    Raises
    ------
    KinesphereError
        If there is none; the message names what to install.
    """
    if find_spec("espeakng_loader") is None:
        raise KinesphereError(NO_ESPEAK)
    return load_voice("espeak")


class TextSpan(NamedTuple):
    """Part of a text: characters from `start` to before `end`, and a label."""

    start: int
    end: int
    label: str


def words_in(text: str) -> list[TextSpan]:
    """Words of a text in order: the parts between spaces and dashes.

    The span is all of it, the label is without surrounding punctuation. Punctuation alone is no
    word, but a sign that may be spoken (``&``, ``😀``) is.

    >>> [w.label for w in words_in("Well, 20% of it - don't (ask)!")]
    ['Well', '20%', 'of', 'it', "don't", 'ask']
    """
    found = re.finditer(r"[^\s—–…]+", text)  # noqa: RUF001
    spans = (TextSpan(match.start(), match.end(), _bare(match.group())) for match in found)
    return [span for span in spans if span.label]


def _bare(word: str) -> str:
    first, last = 0, len(word)
    while first < last and _is_punctuation(word[first]):
        first += 1
    while last > first and _is_punctuation(word[last - 1]):
        last -= 1
    return word[first:last]


def _is_punctuation(letter: str) -> bool:
    return letter not in _SPOKEN_MARKS and unicodedata.category(letter)[0] in "PCZ"


def sentences_in(text: str, language: str = "", longest: int = 1000) -> list[TextSpan]:
    """Sentences of a text, none over `longest` characters: longer ones are cut between words.

    A full stop after an abbreviation, an initial or a German ordinal ends nothing, nor does one
    before a small letter.

    >>> [s.label for s in sentences_in("Dr. Smith left. Why? On the 3rd.")]
    ['Dr. Smith left.', 'Why?', 'On the 3rd.']
    """
    found, start = [], 0
    for end in _END.finditer(text):
        if not _ends(text, start, end, language):
            continue
        found += _split(text, start, end.end(), longest)
        start = end.end()
    return found + _split(text, start, len(text), longest)


def _ends(text: str, start: int, end: re.Match[str], language: str) -> bool:
    if not end.group().startswith("."):
        return True
    after = text[end.end() : end.end() + 100].lstrip()[:1]
    if after.islower():
        return False
    if end.group() != ".":
        return True
    before = text[max(start, end.start() - 20) : end.start()].split()
    word = before[-1].lstrip("([{\"'“„«»").lower() if before else ""
    ordinal = language.startswith("de") and word.isdigit() and len(word) <= 2
    initial = len(word) == 1 and word.isalpha() and word != "i"
    numbered = word in _BEFORE_NUMBERS and after.isdigit()
    return not after or not (word in _ABBREVIATIONS or initial or ordinal or numbered)


def _split(text: str, start: int, end: int, longest: int) -> list[TextSpan]:
    spans = []
    while start < end:
        stop = end
        if end - start > longest:
            space = max(text.rfind(mark, start + 1, start + longest) for mark in " \n\t,;")
            stop = space + 1 if space > 0 else start + longest
        label = text[start:stop].strip()
        if label:
            at = text.index(label, start)
            spans.append(TextSpan(at, at + len(label), label))
        start = stop
    return spans


def sentences_of(
    sentences: Sequence[TextSpan], spans: Sequence[TextSpan], words: Sequence[Interval]
) -> Tier:
    """Times of sentences, from the first to the last of the words within their spans."""
    found = []
    for sentence in sentences:
        inside = [
            word
            for span, word in zip(spans, words, strict=True)
            if sentence.start <= span.start < sentence.end
        ]
        if inside:
            found.append(Interval(inside[0].start_s, inside[-1].end_s, sentence.label))
    return Tier("sentences", tuple(found))


_GLIDES = frozenset("jwɹrlɾʁɥʋ")  # noqa: RUF001


def syllables_of(words: Sequence[Interval], phones: Sequence[Interval]) -> Tier:
    """Syllables of words whose phones (IPA) are known, each with one vowel.

    Between two vowels the last consonant starts the next syllable, with the one before it if that
    precedes a glide or liquid (``be.fore``, ``af.ter``, ``re.ply``). A word without a vowel is
    one syllable.
    """
    found: list[Interval] = []
    at = 0
    for word in words:
        inside = []
        while at < len(phones) and phones[at].end_s <= word.end_s + 1e-9:
            inside.append(phones[at])
            at += 1
        vowels = [i for i, phone in enumerate(inside) if VOWELS & set(phone.label)]
        cuts = [_onset(inside, a, b) for a, b in pairwise(vowels)]
        edges = [0, *cuts, len(inside)]
        for first, last in pairwise(edges):
            if first < last:
                label = "".join(phone.label for phone in inside[first:last])
                found.append(Interval(inside[first].start_s, inside[last - 1].end_s, label))
    return Tier("syllables", tuple(found))


def _onset(phones: Sequence[Interval], vowel: int, following: int) -> int:
    """First phone of the syllable of the vowel `following`."""
    between = following - vowel - 1
    if between < 2:
        return following - between
    last, before = phones[following - 1].label[:1], phones[following - 2].label[:1]
    return following - (2 if last in _GLIDES and before not in _GLIDES else 1)


def check_speaking(text: str, rate: float, pitch: float) -> str:
    """Return the text without control characters, one for one, after checking the arguments."""
    if len(text) > LONGEST_TEXT:
        raise InvalidValueError(
            f"the text has {len(text)} characters, allowed are {LONGEST_TEXT}; speak it in parts"
        )
    for name, value, (low, high) in (("rate", rate, RATES), ("pitch", pitch, PITCHES)):
        check_range(name, value, low, high)
    clean = "".join(
        " " if unicodedata.category(c) in ("Cc", "Cs", "Co", "Cn") and c not in "\n\t" else c
        for c in text
    )
    if not words_in(clean):
        shown = clean.strip()[:20]
        raise InvalidValueError(
            f"there is nothing to speak in {shown!r}" if shown else "there is no text to speak"
        )
    return clean


_TAGS = frozenset(("speak", "p", "s", "emphasis", "prosody", "break", "say-as"))


def plain_text(markup: str) -> tuple[str, list[int]]:
    """Return marked-up text without its tags, and the position of each character in the markup.

    Raises
    ------
    InvalidValueError
        If a tag is not closed, or not an allowed one: some SSML tags read files.
    """
    letters: list[str] = []
    places: list[int] = []
    opened: list[str] = []
    for match in re.finditer(r"<(/?)([\w-]*)([^<>]*?)(/?)>|&#?\w+;|[^<]|<", markup, re.DOTALL):
        piece = match.group()
        if match[2] is not None and piece != "<":
            _follow_tag(match, opened)
            piece = " " if match[2] in ("break", "p", "s", "speak") else ""
        elif piece == "<":
            raise InvalidValueError(f"the markup has a lone '<' at character {match.start() + 1}")
        letters += (text := unescape(piece) if piece.startswith("&") else piece)
        places += [match.start()] * len(text)
    if opened:
        raise InvalidValueError(f"the markup does not close <{opened[-1]}>")
    return "".join(letters), places


def _follow_tag(tag: re.Match[str], opened: list[str]) -> None:
    closing, name, _, empty = tag.groups()
    where = f"at character {tag.start() + 1}"
    if name not in _TAGS:
        allowed = ", ".join(sorted(_TAGS))
        raise InvalidValueError(f"the markup has <{name}> {where}; allowed are {allowed}")
    if closing:
        if not opened or opened.pop() != name:
            raise InvalidValueError(f"the markup closes <{name}> {where}, which is not open")
    elif not empty:
        opened.append(name)
