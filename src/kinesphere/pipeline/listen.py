"""From a voice to a take: body language learned from people, or from our own performers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from kinesphere import __version__
from kinesphere.animation.face import with_face
from kinesphere.bodylanguage import live
from kinesphere.bodylanguage.live import Change, LiveFrames
from kinesphere.bodylanguage.live_options import ON_TIME_S, LiveOptions
from kinesphere.bodylanguage.model import BodyLanguageModel
from kinesphere.bodylanguage.streams import STREAMS
from kinesphere.character.default import default_rig
from kinesphere.dynamics.presets import Tension
from kinesphere.errors import InvalidValueError
from kinesphere.export.speech_picture import Heard
from kinesphere.motion.clip import Clip
from kinesphere.motion.take import Take
from kinesphere.pipeline.hear import hear
from kinesphere.pipeline.models import model as model_named
from kinesphere.pipeline.perform import Expression, expressed
from kinesphere.pipeline.retarget import retarget
from kinesphere.speech.resampling import resampled
from kinesphere.speech.value import Speech
from kinesphere.timeline import Interval, Tier

HOUSE = "house"
RATE_HZ = 16_000.0
# Sound that is moved to at a time: memory for its frames is taken at once.
_PIECE_S = 20.0


def listen(
    speech: Speech | Heard | str | PathLike[str],
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
    delay_s: float = ON_TIME_S,
) -> Take:
    """Let a character move to a recorded voice.

    Parameters
    ----------
    speech : a recording, or what was heard of it.
    model : of body language: a name, a file, or the model itself.
    speakers : whose of the model's: a name, names with weights, or None for all alike.
    seed : another seed, another performance; the same seed gives the same.
    amount : how far movement goes from rest; 0 for none, up to 1.5.
    effort, shape, manner, tension, physics, character : see `perform`.
    paper : the paper's equations and blending without our softening.
    policy : see `LiveOptions`; ``model``, or one of the paper's comparisons.
    delay_s : how far ahead the recording is listened to.

    Raises
    ------
    InvalidValueError
        If a value is not allowed.
    UnreadableError
        If a file is no sound or no model.
    """
    wanted = Expression(effort, shape, manner, tension, physics)
    options = LiveOptions(
        speakers=speakers, amount=amount, delay_s=delay_s, policy=policy, paper=paper
    )
    known = model_named(model)
    heard = speech if isinstance(speech, Heard) else hear(speech)
    clip, changes = moved(known, heard.speech, options, fps=fps, seed=seed)
    channels = {n: v for n, v in clip.channels.items() if n != "browUp"}
    clip = with_face(
        replace(clip, channels=channels), heard.speech, seed, prominence=heard.prominence
    )
    tiers = [t for t in heard.speech.tiers if t.name in ("words", "phones", "sentences")]
    tiers += segment_tiers(known, changes, clip.duration_s)
    about: dict[str, Any] = {
        "made_by": "listen", "model": known.name, "seed": seed, "amount": amount,
        "speakers": speakers if speakers is None or isinstance(speakers, str) else dict(speakers),
        "policy": policy, "paper": paper, "version": __version__,
        "shown_share": shown_shares(changes),
    }  # fmt: skip
    take = Take(clip, heard.speech.audio, tuple(tiers), provenance=about)
    take = expressed(take, wanted)
    return take if character is None else retarget(take, character)


def moved(
    model: BodyLanguageModel, speech: Speech, options: LiveOptions, *, fps: float, seed: int
) -> tuple[Clip, tuple[Change, ...]]:
    """Motion of the default figure to a speech, and the segments it was made of."""
    samples = np.asarray(speech.samples, dtype=np.float64)
    if speech.rate_hz != RATE_HZ:
        samples = resampled(samples, speech.rate_hz, RATE_HZ)
    if not len(samples):
        raise InvalidValueError("the recording is empty")
    state = live.start(model, RATE_HZ, fps=fps, seed=seed, options=options)
    parts: list[LiveFrames] = []
    piece = int(_PIECE_S * RATE_HZ)
    for first in range(0, len(samples), piece):
        state, frames = live.step(state, samples[first : first + piece])
        parts.append(frames)
    parts.append(live.finish(state))
    count = int(speech.duration_s * fps + 1e-9) + 1
    return clip_of(parts, fps, count), tuple(c for part in parts for c in part.changes[0])


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
    """A tier for each stream: its segments, labelled with their clusters."""
    out = []
    for number, name in enumerate(STREAMS):
        mine = [c for c in changes if c.stream == number and c.time_s < end_s]
        ends = [c.time_s for c in mine[1:]] + [end_s]
        intervals = tuple(
            Interval(c.time_s, end, f"{c.cluster}")
            for c, end in zip(mine, ends, strict=True)
            if end > c.time_s
        )
        if name in model.streams:
            out.append(Tier(name, intervals))
    return out


def shown_shares(changes: tuple[Change, ...]) -> dict[str, float]:
    """How much of their segments each stream showed before another began, in the mean."""
    out = {}
    for number, name in enumerate(STREAMS):
        shares = [c.shown for c in changes if c.stream == number and np.isfinite(c.shown)]
        if shares:
            out[name] = round(float(np.mean(shares)), 4)
    return out
