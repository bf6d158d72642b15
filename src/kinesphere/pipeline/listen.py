"""From a voice to a take with a body-language model, the default one or a trained one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from kinesphere import __version__
from kinesphere.animation.face.face_curves import with_face
from kinesphere.bodylanguage.choose.acting_times import AHEAD_S
from kinesphere.bodylanguage.choose.spoken_words import spoken_words
from kinesphere.bodylanguage.choose.word_gestures import TimedWord, with_gesture
from kinesphere.bodylanguage.model import BodyLanguageModel
from kinesphere.bodylanguage.play import engine as live
from kinesphere.bodylanguage.play.engine import Change, LiveFrames
from kinesphere.bodylanguage.play.gesture_clips import GestureKey
from kinesphere.bodylanguage.play.live_options import LiveOptions
from kinesphere.bodylanguage.streams import STREAMS
from kinesphere.character.default import default_rig
from kinesphere.corpus.profiles.profile import Profile
from kinesphere.dynamics.tension.presets import Tension
from kinesphere.errors import InvalidValueError, RigError
from kinesphere.gesture.lexicon import Lexeme, added_lexemes
from kinesphere.motion.clip import Clip
from kinesphere.motion.take import Take
from kinesphere.pipeline.hear import Sound, hear, with_silence
from kinesphere.pipeline.models import model as model_named
from kinesphere.pipeline.perform import Expression, expressed
from kinesphere.pipeline.retarget import retarget
from kinesphere.pipeline.scripts import heard_transcript
from kinesphere.pipeline.speakers import speaker
from kinesphere.speech.heard import Heard
from kinesphere.speech.resampling import resampled
from kinesphere.speech.value import Speech
from kinesphere.timeline import Interval, Tier

HOUSE = "house"
RATE_HZ = 16_000.0
# Audio processed at a time: bounds the memory for its frames.
_PIECE_S = 20.0


def listen(
    speech: Sound | Heard,
    model: BodyLanguageModel | str | PathLike[str] = HOUSE,
    *,
    speakers: str | Mapping[str, float] | None = None,
    seed: int = 0,
    amount: float = 1.0,
    effort: str | Mapping[str, float] = "",
    shape: str | Mapping[str, float] = "",
    manner: str = "",
    tension: str | float | Tension | None = None,
    physics: str = "off",
    character: str | PathLike[str] | None = None,
    fps: float = 60.0,
    paper: bool = False,
    policy: str = "model",
    rhythm: float | None = None,
    delay_s: float = AHEAD_S,
    lead_in_s: float = 0.0,
    tail_s: float | None = None,
    transcript: str | PathLike[str] | None = None,
    language: str | None = None,
    style: str | PathLike[str] | Profile = "neutral",
    word_gestures: float = 0.7,
    onto: Take | str | PathLike[str] | None = None,
    parts: Sequence[str] = ("arms", "head"),
    gestures: Sequence[tuple[GestureKey, float]] = (),
    entries: Mapping[str, Lexeme] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Take:
    """Animate a character from a recorded voice.

    Parameters
    ----------
    speech : a recording: a file, ``(samples, rate_hz)``, `Audio`, `Speech`, or a speech analysis.
    model : body-language model: a name, a file, or the model itself.
    speakers : speaker of the model: a name, names with weights, or None for all alike.
    seed : random seed; the same seed gives the same performance.
    amount : amplitude of the motion; 0 for none, up to 1.5.
    effort, shape, manner, tension, physics, character : see `perform`.
    paper : the paper's equations and blending without our smoothing.
    policy : see `LiveOptions`; ``model``, or one of the paper's baselines.
    rhythm : how strictly accents are aligned with syllables, 0 to 1; None is 1 for the model.
    delay_s : look-ahead in the recording.
    lead_in_s : silence before the recording.
    tail_s : silence after it, with which the clip ends; by default as long as the hands need to
        return to the home pose.
    transcript : text of the speech, if known: gestures of the lexicon are inserted for some of its
        words. A text, or the path of a file: of text, or of words with times. A speech that has
        words needs none.
    language, style, word_gestures : of the transcript (detected by default), speaker of the
        gestures, and proportion of words with a known meaning that get one.
    gestures : performed in any case, with the time of each one's peak speed.
    entries : user-defined gestures by name, as from `gesture.lexicon.read_lexemes`.
    onto : base motion of the body, such as a walk: the result is layered on it only in `parts`, and
        only while they are active. It is retargeted to the default figure; if it is shorter than
        the speech it is repeated where it is a loop, else its last pose is held.
    progress : called with how many samples of how many are processed.

    Raises
    ------
    InvalidValueError
        If a value is not allowed.
    UnreadableError
        If a file is not audio or not a model.
    """
    wanted = Expression(effort, shape, manner, tension, physics)
    options = LiveOptions(
        speakers=speakers,
        amount=amount,
        delay_s=delay_s,
        policy=policy,
        paper=paper,
        word_gestures=word_gestures,
        rhythm=rhythm,
    )
    known, whose = model_named(model), speaker(style)
    if transcript is not None:
        sound = speech.speech if isinstance(speech, Heard) else speech
        heard = heard_transcript(sound, transcript, language)
    else:
        heard = speech if isinstance(speech, Heard) else hear(speech)
    if tail_s is None:
        tail_s = _home_s(heard)
    if lead_in_s or tail_s:
        heard = with_silence(heard, lead_in_s, tail_s)
    words = spoken_words(heard.speech.tiers) if word_gestures > 0.0 else ()
    with added_lexemes(entries):
        clip, changes, done = moved(
            known,
            heard.speech,
            options,
            fps=fps,
            seed=seed,
            words=words,
            profile=whose if words or gestures else None,
            gestures=gestures,
            progress=progress,
        )
    channels = {n: v for n, v in clip.channels.items() if n != "browUp"}
    clip = with_face(
        replace(clip, channels=channels), heard.speech, seed, prominence=heard.prominence
    )
    tiers = [t for t in heard.speech.tiers if t.name in ("words", "phones", "sentences")]
    tiers += segment_tiers(known, changes, clip.duration_s)
    if done.intervals:
        tiers.append(done)
    about: dict[str, Any] = {
        "made_by": "listen",
        "model": known.name,
        "seed": seed,
        "amount": amount,
        "speakers": speakers if speakers is None or isinstance(speakers, str) else dict(speakers),
        "policy": policy,
        "rhythm": rhythm,
        "paper": paper,
        "version": __version__,
        "shown_share": shown_shares(changes),
    }
    if notes := heard.speech.provenance.get("notes"):
        about["notes"] = list(notes)
    take = Take(clip, heard.speech.audio, tuple(tiers), provenance=about)
    take = expressed(take, wanted)
    if onto is not None:
        take = _onto(take, onto, parts)
    return take if character is None else retarget(take, character)


def _home_s(heard: Heard) -> float:
    """Time after a recording until the character is in its home pose after the last syllable."""
    last_s = max((a.end_s for a in heard.prominence.syllables), default=-math.inf)
    return max(0.0, last_s + live.HOME_AFTER_S - heard.speech.duration_s)


def moved(
    model: BodyLanguageModel,
    speech: Speech,
    options: LiveOptions,
    *,
    fps: float,
    seed: int,
    words: Sequence[TimedWord] = (),
    profile: Profile | None = None,
    gestures: Sequence[tuple[GestureKey, float]] = (),
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Clip, tuple[Change, ...], Tier]:
    """Motion of the default figure for a speech, its segments, and the tier of inserted gestures.

    `gestures` are independent of words, each with its peak speed at a time; they need a profile.
    """
    samples = np.asarray(speech.samples, dtype=np.float64)
    if speech.rate_hz != RATE_HZ:
        samples = resampled(samples, speech.rate_hz, RATE_HZ)
    if not len(samples):
        raise InvalidValueError("the recording is empty")
    state = live.start(model, RATE_HZ, fps=fps, seed=seed, options=options, profile=profile)
    if words:
        state = live.push_words(state, words)
    for key, moment_s in sorted(gestures, key=lambda row: row[1]):
        if state.words is None:
            raise InvalidValueError("gestures need a speaker: give a profile")
        state = replace(state, words=with_gesture(state.words, key, moment_s))
    planned = () if state.words is None else state.words.gestures()
    parts: list[LiveFrames] = []
    piece = int(_PIECE_S * RATE_HZ)
    for first in range(0, len(samples), piece):
        state, frames = live.step(state, samples[first : first + piece])
        parts.append(frames)
        if progress is not None:
            progress(min(first + piece, len(samples)), len(samples))
    parts.append(live.finish(state))
    count = int(speech.duration_s * fps + 1e-9) + 1
    clip = clip_of(parts, fps, count)
    end_s = clip.duration_s
    intervals = tuple(
        Interval(max(g.begin_s, 0.0), min(g.end_s, end_s), g.clip.key.lexeme)
        for g in planned
        if g.begin_s < end_s and g.end_s > 0.0
    )
    changes = tuple(c for part in parts for c in part.changes[0])
    return clip, changes, Tier("gestures", intervals)


def _onto(take: Take, onto: Take | str | PathLike[str], parts: Sequence[str]) -> Take:
    """Layer a take on parts of another motion's body; edits of that motion are noted."""
    from kinesphere.bodylanguage.play.layering import layered
    from kinesphere.pipeline.convert import load

    other = onto if isinstance(onto, Take) else load(onto)
    called = "the motion" if isinstance(onto, Take) else str(onto)
    base, notes = _base(other, called, take.clip)
    about = {**take.provenance, "notes": [*take.notes, *notes]} if notes else take.provenance
    return replace(take, clip=layered(base, take.clip, parts), provenance=about)


def _base(other: Take, called: str, made: Clip) -> tuple[Clip, list[str]]:
    """Base motion on the default figure, at the rate of `made` and no shorter."""
    from kinesphere.character.take_rig import report_of
    from kinesphere.motion.calibration import calibration_note, without_calibration
    from kinesphere.motion.lengthening import is_loop, lengthened
    from kinesphere.motion.resampling import resample
    from kinesphere.motion.retargeting.retargeting import retarget as moved_to

    notes = []
    base = without_calibration(other.clip)
    if skip := len(other.clip) - len(base):
        notes.append(f"{called}: {calibration_note(skip)}; removed")
    if base.skeleton.names != default_rig().skeleton.names:
        rig = report_of(other).rig
        if rig.missing:
            lacking = ", ".join(rig.missing)
            raise RigError(
                f"{called}: is not a humanoid: no joint for {lacking} ('doctor' shows why)"
            )
        base = moved_to(base, rig, default_rig())
    base = resample(base, made.fps)
    if len(base) < len(made):
        how = "it is a loop and is repeated" if is_loop(base) else "its last pose is held"
        lengths = f"{base.duration_s:.1f} s of motion for {made.duration_s:.1f} s of speech"
        notes.append(f"{called}: {lengths}; {how}")
    return lengthened(base, len(made)), notes


def clip_of(parts: list[LiveFrames], fps: float, most: int | None = None) -> Clip:
    """Frames of one character as a clip."""
    return Clip(
        default_rig().skeleton,
        fps,
        np.concatenate([p.root_positions for p in parts])[:most],
        np.concatenate([p.rotations for p in parts])[:most],
        channels={
            name: np.concatenate([p.channels[name] for p in parts])[:most]
            for name in parts[0].channels
        },
    )


def segment_tiers(
    model: BodyLanguageModel, changes: tuple[Change, ...], end_s: float
) -> list[Tier]:
    """A tier for each stream of the model: its segments, labelled with their clusters."""
    return [
        Tier(name, _segments([c for c in changes if c.stream == number], end_s))
        for number, name in enumerate(STREAMS)
        if name in model.streams
    ]


def _segments(changes: Sequence[Change], end_s: float) -> tuple[Interval, ...]:
    """Segments of one stream up to the end; none if nothing changed before it."""
    mine = [c for c in changes if c.time_s < end_s]
    ends = [c.time_s for c in mine[1:]] + [end_s] * bool(mine)
    return tuple(
        Interval(c.time_s, end, f"{c.cluster}")
        for c, end in zip(mine, ends, strict=True)
        if end > c.time_s
    )


def shown_shares(changes: tuple[Change, ...]) -> dict[str, float]:
    """Mean proportion of their segments that each stream played before the next started."""
    out = {}
    for number, name in enumerate(STREAMS):
        shares = [c.shown for c in changes if c.stream == number and np.isfinite(c.shown)]
        if shares:
            out[name] = round(float(np.mean(shares)), 4)
    return out
