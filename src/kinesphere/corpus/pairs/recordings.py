"""Reads a pair: motion on the default character, audio, words, and their alignment in time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Literal

import numpy as np

from kinesphere.character.default import default_rig
from kinesphere.corpus.pairs.body_reading import on_default_figure
from kinesphere.corpus.pairs.facts import APART_S, PairFacts
from kinesphere.corpus.pairs.matching import Pair
from kinesphere.corpus.pairs.offsets import (
    LARGEST_OFFSET_S,
    OffsetEstimate,
    estimate_offset,
    hand_speed,
    speaking,
)
from kinesphere.corpus.pairs.sources import local_copy
from kinesphere.errors import InvalidValueError, KinesphereError, RigError, UnreadableError
from kinesphere.formats.registry import read_take
from kinesphere.maths.arrays import doubles
from kinesphere.motion.calibration import calibration_frames
from kinesphere.motion.clip import Clip
from kinesphere.motion.resampling import resample
from kinesphere.motion.take import Audio, Take
from kinesphere.speech.alignment.transcripts import read_transcript, words_of
from kinesphere.speech.audio import Recording, read_audio
from kinesphere.speech.resampling import SPEECH_RATE_HZ, resample_audio
from kinesphere.timeline import Interval, Tier

_LARGEST_GIVEN_S = 3600.0
_LENGTHS_S = 0.05  # a difference of a frame or two is always allowed


@dataclass(frozen=True)
class PairSettings:
    """How pairs are read.

    Parameters
    ----------
    fps : motion with a higher rate is resampled to this first; slower motion keeps its
        own. None keeps every rate.
    rate_hz : of the audio.
    offset : start of the motion in the audio, seconds; ``"auto"`` uses the estimate where it is
        confident; None applies no offset, and the estimate is only reported.
    estimate : whether the offset is estimated at all.
    largest_offset_s : estimates stay within this.
    noted_difference_s : lengths that differ by more are noted.
    largest_difference : lengths that differ by more, as a ratio of the longer one, are an error.
    any_length : allow any lengths, and use the common part.
    unit, up : of BVH files, see `kinesphere.formats.bvh.bvh_reading.read_bvh`.
    partial : accept BVH files that end before their last frame.
    """

    fps: float | None = 30.0
    rate_hz: int = SPEECH_RATE_HZ
    offset: float | Literal["auto"] | None = None
    estimate: bool = True
    largest_offset_s: float = LARGEST_OFFSET_S
    noted_difference_s: float = 0.5
    largest_difference: float = 0.5
    any_length: bool = False
    unit: str = "auto"
    up: str = "auto"
    partial: bool = False

    def __post_init__(self) -> None:
        if self.fps is not None and not 1.0 <= self.fps <= 1000.0:
            raise InvalidValueError(f"fps is {self.fps}, allowed is 1 to 1000, or None")
        if isinstance(self.offset, str) and self.offset != "auto":
            raise InvalidValueError(f"offset is {self.offset!r}, allowed are auto, seconds, None")
        if isinstance(self.offset, (int, float)) and not abs(self.offset) <= _LARGEST_GIVEN_S:
            raise InvalidValueError(f"offset is {self.offset} s, allowed is -3600 to 3600")
        if not 0.0 < self.largest_offset_s <= 60.0:
            raise InvalidValueError(
                f"largest_offset_s is {self.largest_offset_s}, allowed is above 0 up to 60"
            )


@dataclass(frozen=True, eq=False)
class RecordedPair:
    """Motion and audio of one performance, trimmed to the same start and end.

    Parameters
    ----------
    name, speaker : as the pair has them.
    clip : motion of `kinesphere.default_rig()`.
    present : those of head, arms, lower, fingers that the recording contains.
    speech : the audio, mono, at the settings' rate.
    words : timed words, or None.
    offset_s : the offset applied: the time of the clip's first frame in the audio.
    facts : lengths and rates as found in the files, and the estimated offset.
    notes : sentences on what had to be decided.
    """

    name: str
    speaker: str
    clip: Clip
    present: frozenset[str]
    speech: Audio
    words: Tier | None
    offset_s: float
    facts: PairFacts
    notes: tuple[str, ...] = ()

    @property
    def duration_s(self) -> float:
        """Common length of motion and audio."""
        return min(len(self.clip) / self.clip.fps, len(self.speech.samples) / self.speech.rate_hz)


@dataclass(frozen=True)
class BrokenPair:
    """A pair that cannot be read, and the error message."""

    name: str
    problem: str


def read_pairs(
    pairs: Iterable[Pair],
    settings: PairSettings | None = None,
    *,
    broken: Literal["stop", "skip"] = "stop",
) -> Iterator[RecordedPair | BrokenPair]:
    """Read pairs one after the other; remote files are stored locally only while they are read.

    Parameters
    ----------
    broken : for a pair that cannot be read, ``stop`` raises its error, ``skip`` yields a
        `BrokenPair` instead.
    """
    if broken not in ("stop", "skip"):
        raise InvalidValueError(f"broken is {broken!r}, allowed are stop, skip")
    for pair in pairs:
        try:
            yield read_pair(pair, settings)
        except KinesphereError as error:
            if broken == "stop":
                raise
            yield BrokenPair(pair.name, str(error))


def read_pair(pair: Pair, settings: PairSettings | None = None) -> RecordedPair:
    """Read a pair, retarget its motion to the default character, and trim both to the common part.

    Raises
    ------
    UnreadableError
        If a file is missing, damaged, empty, or has motion of a single frame; if the skeleton is
        not a humanoid; if the lengths differ by more than the settings allow. The message names the
        file. Words that cannot be read are only noted.
    """
    chosen = settings or PairSettings()
    notes: list[str] = []
    take, speech, rate = _files(pair, chosen, notes)
    clip = _own_rate(take.clip, chosen)
    try:
        body = on_default_figure(replace(take, clip=clip))
    except (RigError, InvalidValueError) as error:
        raise UnreadableError(pair.motion, str(error)) from None
    notes += body.notes
    words = _words(pair, take, notes)
    estimate = _estimate_offset(body.clip, speech, chosen) if "arms" in body.present else None
    offset_s = _choose_offset(estimate, chosen, notes)
    motion_s, audio_s = _seconds(take.clip), len(speech.samples) / speech.rate_hz
    clip, speech, words = _trim_to_common(pair, body.clip, speech, words, offset_s, chosen, notes)
    facts = PairFacts(
        pair.name,
        motion_s,
        audio_s,
        take.clip.fps,
        rate,
        tuple(sorted(body.present)),
        0 if words is None else len(words.intervals),
        estimate,
        offset_s,
        tuple(notes),
    )
    return RecordedPair(
        pair.name, pair.speaker, clip, body.present, speech, words, offset_s, facts, tuple(notes)
    )


def _seconds(clip: Clip) -> float:
    """Length in which every frame counts equally."""
    return len(clip) / clip.fps


def _files(pair: Pair, settings: PairSettings, notes: list[str]) -> tuple[Take, Audio, int]:
    """Motion and audio as they are in the files, the audio resampled, and its own rate."""
    options = {}
    if Path(pair.motion.split("::")[0]).suffix.lower() == ".bvh":
        options = {"unit": settings.unit, "up": settings.up, "partial": settings.partial}
    with local_copy(pair.motion) as path:
        take = read_take(path, **options)
    if len(take.clip) < 2:
        raise UnreadableError(pair.motion, "has motion of a single frame, expected at least 2")
    notes += take.notes
    if pair.audio is None:
        if take.audio is None or not len(take.audio.samples):
            raise UnreadableError(
                pair.motion, "contains no audio, and there is none in the same folder"
            )
        sound = take.audio
        samples = resample_audio(sound.samples, sound.rate_hz, settings.rate_hz)
        return take, Audio(samples, settings.rate_hz), sound.rate_hz
    with local_copy(pair.audio) as path:
        recording, rate = _sound(path, settings.rate_hz)
    notes += recording.notes
    return take, recording.audio, rate


def _sound(path: Path, rate_hz: int) -> tuple[Recording, int]:
    """A recording resampled while it is read, and the file's own rate."""
    soundfile = import_module("soundfile")
    try:
        own = int(soundfile.info(path).samplerate)
    except (RuntimeError, TypeError):  # not libsndfile's: ffmpeg's, or not audio
        recording = read_audio(path)
        own = recording.rate_hz
        samples = resample_audio(recording.samples, own, rate_hz)
        return Recording(Audio(samples, rate_hz), recording.notes), own
    return read_audio(path, rate_hz), own


def _own_rate(clip: Clip, settings: PairSettings) -> Clip:
    """Motion at no more than the wanted rate, without a leading calibration frame."""
    skip = calibration_frames(clip)
    if skip:  # its time is kept, so that the audio stays aligned
        clip = clip.select_frames(np.maximum(np.arange(len(clip)), skip))
    if settings.fps is not None and clip.fps > settings.fps * (1.0 + 1e-6):
        clip = resample(clip, settings.fps)
    return clip


def _words(pair: Pair, take: Take, notes: list[str]) -> Tier | None:
    if pair.words is None:
        return take.tier("words")
    try:
        with local_copy(pair.words) as path:
            return words_of(read_transcript(path))
    except KinesphereError as error:
        notes.append(f"words are ignored: {error}")
        return None


def _estimate_offset(clip: Clip, speech: Audio, settings: PairSettings) -> OffsetEstimate | None:
    if not settings.estimate:
        return None
    hands = default_rig().joints(("leftHand", "rightHand", "hips"))
    moving = hand_speed(clip, *hands)
    return estimate_offset(
        speaking(doubles(speech.samples), speech.rate_hz),
        moving,
        largest_s=settings.largest_offset_s,
    )


def _choose_offset(
    estimate: OffsetEstimate | None, settings: PairSettings, notes: list[str]
) -> float:
    if settings.offset != "auto":
        given_s = float(settings.offset or 0.0)
        if estimate and estimate.confident and abs(estimate.offset_s - given_s) > APART_S:
            notes.append(
                f"the motion seems to start {estimate.offset_s:+.2f} s into the audio, but is "
                f"taken to start at {given_s:+.2f} s; --offset auto applies the estimate"
            )
        return given_s
    if estimate is None or not estimate.confident:
        notes.append(
            "no offset could be estimated with confidence; motion and audio start together"
        )
        return 0.0
    notes.append(f"the motion is taken to start {estimate.offset_s:+.2f} s into the audio")
    return estimate.offset_s


def _trim_to_common(
    pair: Pair,
    clip: Clip,
    speech: Audio,
    words: Tier | None,
    offset_s: float,
    settings: PairSettings,
    notes: list[str],
) -> tuple[Clip, Audio, Tier | None]:
    """Cut motion, audio and words to the time interval that motion and audio share."""
    skipped = round(max(0.0, -offset_s) * clip.fps)
    start_s = offset_s + skipped / clip.fps  # of the kept motion, in the audio; not negative but
    samples = speech.samples[max(0, round(start_s * speech.rate_hz)) :]  # for rounding
    frames = len(clip) - skipped
    motion_s, audio_s = frames / clip.fps, len(samples) / speech.rate_hz
    shorter = min(motion_s, audio_s)
    if shorter <= 0.0:
        raise UnreadableError(
            pair.motion, f"shares no time with its audio if it starts {offset_s:+.2f} s into it"
        )
    _check_lengths(pair, motion_s, audio_s, settings, notes)
    frames = max(1, min(frames, round(shorter * clip.fps)))
    count = max(1, min(len(samples), round(shorter * speech.rate_hz)))
    kept = clip.frames(skipped, skipped + frames)
    sound = Audio(samples[:count], speech.rate_hz)
    return kept, sound, None if words is None else _shift_words(words, start_s, shorter)


def _check_lengths(
    pair: Pair, motion_s: float, audio_s: float, settings: PairSettings, notes: list[str]
) -> None:
    """Note lengths that differ, reject those that differ by much, with an explanation."""
    shorter, longer = sorted((motion_s, audio_s))
    allowed_s = settings.largest_difference * longer
    if longer - shorter > allowed_s + _LENGTHS_S and not settings.any_length:
        why = "".join(f" ({note})" for note in notes if "cut off" in note)
        raise UnreadableError(
            pair.motion,
            f"motion is {motion_s:.2f} s long, audio {audio_s:.2f} s{why}: they differ by "
            f"{longer - shorter:.2f} s, allowed is {settings.largest_difference:.0%} of the "
            f"longer, {allowed_s:.2f} s; any_length (--any-length) uses the common part",
        )
    if longer - shorter > settings.noted_difference_s:
        notes.append(
            f"motion is {motion_s:.1f} s long, audio {audio_s:.1f} s; the longer one is cut"
        )


def _shift_words(words: Tier, start_s: float, duration_s: float) -> Tier:
    """Words of an interval of the audio, timed from its start; words that it cuts are dropped."""
    moved = (
        Interval(word.start_s - start_s, word.end_s - start_s, word.label)
        for word in words.intervals
    )
    return Tier(
        words.name, tuple(w for w in moved if w.start_s >= -1e-9 and w.end_s <= duration_s + 1e-9)
    )
