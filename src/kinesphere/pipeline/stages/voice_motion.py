"""Motion of the default figure from a voice, with a body-language model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kinesphere.bodylanguage.choose.word_choice import GestureKey, SpokenWord
from kinesphere.bodylanguage.model import BodyLanguageModel
from kinesphere.bodylanguage.play import engine
from kinesphere.bodylanguage.play.engine import Change, LiveFrames
from kinesphere.bodylanguage.play.live_options import LiveOptions
from kinesphere.bodylanguage.play.word_gestures import with_gesture
from kinesphere.bodylanguage.streams import STREAMS
from kinesphere.character.default import default_rig
from kinesphere.corpus.profiles.profile import Profile
from kinesphere.errors import InvalidValueError
from kinesphere.motion.clip import Clip
from kinesphere.speech.resampling import resample_audio
from kinesphere.speech.value import Speech
from kinesphere.timeline import Interval, Tier

RATE_HZ = 16_000.0
# Audio processed at a time: bounds the memory for its frames.
_PIECE_S = 20.0


@dataclass(frozen=True, eq=False)
class VoiceMotion:
    """Motion that a voice caused.

    Parameters
    ----------
    clip : of the default figure.
    changes : the segments that were played.
    gestures : tier of the inserted gestures.
    """

    clip: Clip
    changes: tuple[Change, ...]
    gestures: Tier


def move_by_voice(
    model: BodyLanguageModel,
    speech: Speech,
    options: LiveOptions,
    *,
    fps: float = 60.0,
    seed: int = 0,
    words: Sequence[SpokenWord] = (),
    profile: Profile | None = None,
    gestures: Sequence[tuple[GestureKey, float]] = (),
    progress: Callable[[int, int], None] | None = None,
) -> VoiceMotion:
    """Move the default figure to a speech.

    `gestures` are independent of words, each with its peak speed at a time; they need a profile.
    """
    samples = np.asarray(speech.samples, dtype=np.float64)
    if speech.rate_hz != RATE_HZ:
        samples = resample_audio(samples, speech.rate_hz, RATE_HZ)
    if not len(samples):
        raise InvalidValueError("the recording is empty")
    state = engine.start(model, RATE_HZ, fps=fps, seed=seed, options=options, profile=profile)
    if words:
        state = engine.push_words(state, words)
    for key, moment_s in sorted(gestures, key=lambda row: row[1]):
        if state.words is None:
            raise InvalidValueError("gestures need a speaker: give a profile")
        state = replace(state, words=with_gesture(state.words, key, moment_s))
    planned = () if state.words is None else state.words.gestures()
    parts: list[LiveFrames] = []
    piece = int(_PIECE_S * RATE_HZ)
    for first in range(0, len(samples), piece):
        state, frames = engine.step(state, samples[first : first + piece])
        parts.append(frames)
        if progress is not None:
            progress(min(first + piece, len(samples)), len(samples))
    parts.append(engine.finish(state))
    count = int(speech.duration_s * fps + 1e-9) + 1
    clip = clip_of(parts, fps, count)
    end_s = clip.duration_s
    intervals = tuple(
        Interval(max(g.begin_s, 0.0), min(g.end_s, end_s), g.clip.key.lexeme)
        for g in planned
        if g.begin_s < end_s and g.end_s > 0.0
    )
    changes = tuple(c for part in parts for c in part.changes[0])
    return VoiceMotion(clip, changes, Tier("gestures", intervals))


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
