"""Speech analysis of a recording, with its words where there is a transcript."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from kinesphere.errors import InvalidValueError, KinesphereError, UnreadableError, UnwritableError
from kinesphere.export.pages.speech.speech_picture import write_picture
from kinesphere.formats.files import read_bytes
from kinesphere.motion.take import Audio
from kinesphere.speech.alignment import transcripts
from kinesphere.speech.audio import read_audio
from kinesphere.speech.heard import Heard
from kinesphere.speech.prosody.prominence import ProminenceSettings
from kinesphere.speech.prosody.prominence import prominence as prominence_in
from kinesphere.speech.prosody.prosody import prosody as prosody_of
from kinesphere.speech.value import Speech, pad_speech, read_speech
from kinesphere.timeline import Tier

Sound = Speech | Audio | tuple[Any, float] | str | PathLike[str]
"""Audio in any form: speech, samples with their rate, a recording, or a .kin archive of speech."""
PICTURES = (".html", ".svg", ".png")
_LONGEST_S = 3600.0
_LARGEST_TEXT = 1 << 20


def hear(
    source: Sound,
    transcript: str | None = None,
    language: str = "en",
    settings: ProminenceSettings | None = None,
) -> Heard:
    """Analyse a speech: pitch, loudness, syllables, words, accents and phrases.

    Parameters
    ----------
    source : speech, samples and their rate (`Audio`, or a pair), a recording, or a .kin archive of
        speech.
    transcript : text of the speech; its words are then aligned to the audio.
    language : of the transcript, such as ``en`` or ``de``.

    Raises
    ------
    UnreadableError
        If the file is not audio.
    InvalidValueError
        If it is longer than an hour, or the transcript is empty.
    KinesphereError
        If the transcript does not match the speech.

    Examples
    --------
    >>> import numpy as np
    >>> import kinesphere as ks
    >>> hum = 0.1 * np.sin(2 * np.pi * 150.0 * np.arange(16_000) / 16_000)
    >>> heard = ks.hear((hum, 16_000))
    >>> round(float(np.nanmedian(heard.prosody.pitch_hz.values)))
    150
    """
    title = Path(source).name if isinstance(source, str | PathLike) else "speech"
    source = speech_from(source)
    if source.duration_s > _LONGEST_S:
        raise InvalidValueError(
            f"{title} is {source.duration_s / 60:.0f} minutes long, allowed are "
            f"{_LONGEST_S / 60:.0f}; analyse it in parts"
        )
    if transcript is not None:
        source = _with_words(source, transcript, language)
    prosody = prosody_of(source.samples, source.rate_hz)
    return Heard(source, prosody, prominence_in(source, prosody, settings), title)


def with_silence(heard: Heard, before_s: float, after_s: float) -> Heard:
    """A speech analysis with silence added before and after; times are shifted accordingly.

    Raises
    ------
    InvalidValueError
        If a length is negative or an hour and more.
    """
    longer = pad_speech(heard.speech, before_s, after_s)
    if before_s > 0.0:
        return replace(hear(longer), title=heard.title)
    return replace(heard, speech=longer)


def speech_from(sound: Sound) -> Speech:
    """Speech from audio in any form.

    Raises
    ------
    InvalidValueError
        If it is not audio; the message says what is allowed.
    """
    if isinstance(sound, Speech):
        return sound
    if isinstance(sound, str | PathLike):
        return _load_speech(sound)
    if isinstance(sound, tuple) and len(sound) == 2:
        sound = _audio(*sound)
    if isinstance(sound, Audio):
        return Speech(sound.samples, sound.rate_hz, provenance={"voice": "samples"})
    raise InvalidValueError(
        f"speech is a {type(sound).__name__}, allowed are a path, (samples, rate_hz), ks.Audio, "
        "Speech and Heard"
    )


def _audio(samples: Any, rate_hz: Any) -> Audio:
    """Samples with their rate; integers are taken as 16 bits, as recorders give them."""
    values = np.asarray(samples)
    if values.dtype.kind not in "fiu" or values.ndim != 1 or not len(values):
        raise InvalidValueError(
            f"samples of speech are {values.dtype} of shape {values.shape}, allowed is one row of "
            "numbers: mono, full scale 1 (or int16)"
        )
    if values.dtype == np.int16:
        values = values / 32768.0
    if isinstance(rate_hz, bool) or not isinstance(rate_hz, int | float | np.integer | np.floating):
        raise InvalidValueError(f"rate of speech is {rate_hz!r}, allowed is a number of Hz")
    return Audio(values.astype(np.float64), round(float(rate_hz)))


def _load_speech(path: str | PathLike[str]) -> Speech:
    if Path(path).suffix.lower() == ".kin":
        return read_speech(path)
    recording = read_audio(path)
    about = {"voice": f"recording {Path(path).name}", "notes": list(recording.notes)}
    return Speech(recording.samples, recording.rate_hz, provenance=about)


def _with_words(speech: Speech, transcript: str, language: str) -> Speech:
    from kinesphere.speech.alignment.alignment import aligned_speech

    return aligned_speech(speech.samples, speech.rate_hz, transcript, language)


def with_guessed_words(source: str | PathLike[str]) -> Speech:
    """English recording with words recognised from the audio; notes say how reliable they are."""
    from kinesphere.speech.alignment.alignment import recognise, speech_of

    speech = _load_speech(source)
    guess = recognise(speech.samples, speech.rate_hz)
    return speech_of(speech.samples, speech.rate_hz, guess, "en")


def with_timed_words(source: Sound, transcript: str | PathLike[str]) -> Speech:
    """Return a recording with the words of a file that contains their times.

    Subtitle cues have no word times: their words are spread over the cue.

    Raises
    ------
    UnreadableError
        If a file does not match its suffix, or no word of it is within the recording.
    """
    speech = speech_from(source)
    try:
        return _with_transcript(speech, transcripts.read_transcript(transcript))
    except InvalidValueError as error:
        raise UnreadableError(transcript, str(error)) from None


def _with_transcript(speech: Speech, tiers: Sequence[Tier]) -> Speech:
    """Speech with the words of a transcript, and its phones where there are some."""
    end = speech.duration_s
    words = _within(transcripts.timed_words(tiers), end)
    if not words.intervals:
        raise InvalidValueError("has no word within the recording")
    phones = speech.phones
    with suppress(KinesphereError):  # words are enough
        phones = _within(transcripts.phones_of(tiers), end)
    text = " ".join(i.label for i in words.intervals)
    return replace(speech, text=text, words=words, phones=phones)


def _within(tier: Tier, end_s: float) -> Tier:
    """Non-empty intervals within the audio."""
    kept = [
        replace(i, end_s=min(i.end_s, end_s))
        for i in tier.intervals
        if i.label.strip() and i.start_s < end_s
    ]
    return Tier(tier.name, tuple(kept))


def is_timed(transcript: str | PathLike[str]) -> bool:
    """Whether a file has word times, by its suffix."""
    return Path(transcript).suffix.lower() in transcripts.READERS


def read_transcript(path: str | PathLike[str]) -> str:
    """Text of a UTF-8 file."""
    data = read_bytes(path, _LARGEST_TEXT)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = f"byte {error.start + 1}"
        raise UnreadableError(path, "is not text in UTF-8", place) from None
    if not any(map(str.isalnum, text)):
        raise UnreadableError(path, "contains no word")
    return text


def check_picture(path: str | PathLike[str]) -> None:
    """Reject an output that cannot be written, before any work is done."""
    target = Path(path)
    if target.suffix.lower() not in PICTURES:
        found = target.suffix or "a file without suffix"
        raise UnwritableError(f"{path}: cannot write {found!r}; writable are {' '.join(PICTURES)}")
    if target.is_dir():
        raise UnwritableError(f"{path}: is a folder")
    if not target.resolve().parent.is_dir():
        raise UnwritableError(f"{path}: its folder does not exist")


def save_picture(heard: Heard, path: str | PathLike[str], *, dark: bool = False) -> None:
    """Write the picture as .html, .svg or .png."""
    check_picture(path)
    write_picture(heard, path, dark=dark)


def heard_document(heard: Heard) -> dict[str, Any]:
    """The speech analysis as plain JSON values; times in seconds."""
    hz = heard.prosody.pitch_hz.values
    hz = hz[~np.isnan(hz)]
    found = heard.prominence
    return {
        "title": heard.title,
        "duration_s": round(heard.speech.duration_s, 4),
        "rate_hz": heard.speech.rate_hz,
        "pitch_hz": [round(float(q), 1) for q in np.quantile(hz, [0.1, 0.5, 0.9])]
        if len(hz)
        else None,
        "syllables": [_round_values(asdict(a)) for a in found.syllables],
        "words": [_round_values(asdict(a)) for a in found.words],
        "boundaries": [_round_values(asdict(b)) for b in found.boundaries],
        "phrases": [
            _round_values({"start_s": p.start_s, "end_s": p.end_s, "label": p.label})
            for p in found.phrases
        ],
        "notes": list(heard.speech.provenance.get("notes", ())),
    }


def _round_values(values: dict[str, Any]) -> dict[str, Any]:
    return {k: round(v, 4) if isinstance(v, float) else v for k, v in values.items()}
