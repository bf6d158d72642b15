"""Face of a speech: mouth, blinks at the ends of phrases, brow raises on prominent syllables.

The channels are VRM's presets ``aa ih ou ee oh blink``, ``jaw`` (see `animation.face.mouth`), and
``browUp``: VRM has no preset for the brows alone (``surprised`` opens the mouth as well), so it is
a shape of its own, which the default character has and which a .vrma carries as a custom one.

`face` and `with_face` take a whole speech: phones where they are known, else the audio. Blinks and
brows come from `figure.eyes`, layers are joined by `figure.face`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from kinesphere.animation.face import mouth as mouths
from kinesphere.animation.face.mouth import HearingSettings, MouthSettings
from kinesphere.errors import InvalidValueError
from kinesphere.figure.head.blinks import BrowSettings
from kinesphere.figure.head.eyes import EyeSettings, watch
from kinesphere.figure.head.face import layer_face
from kinesphere.figure.head.gaze_cues import PAUSE, RAISE, SYLLABLE, cue_rows
from kinesphere.maths.arrays import Floats
from kinesphere.maths.bounds import check_range
from kinesphere.motion.clip import Clip
from kinesphere.speech.prosody.prominence import Accent, Prominence
from kinesphere.speech.prosody.prominence import prominence as prominence_in
from kinesphere.speech.value import Speech

CHANNELS = (*mouths.CHANNELS, "blink", "browUp")


@dataclass(frozen=True)
class FaceSettings:
    """How the face moves.

    Parameters
    ----------
    mouth, hearing : of the mouth from phones and from audio; the clip's fps overrides theirs.
    eyes : of blinks and brows.
    """

    mouth: MouthSettings = field(default_factory=MouthSettings)
    hearing: HearingSettings = field(default_factory=HearingSettings)
    eyes: EyeSettings = field(default_factory=EyeSettings)


def with_face(
    clip: Clip,
    speech: Speech,
    seed: int = 0,
    settings: FaceSettings | None = None,
    prominence: Prominence | None = None,
) -> Clip:
    """Add the face of a speech that starts together with the clip.

    The mouth is replaced where phones are known; else one that the clip has, by the same sound,
    stays. Blinks of the clip stay, and then none is added; brow raises of the clip stay, and none
    is added close to them.
    """
    found = face(speech, len(clip), clip.fps, seed, settings, prominence)
    kept = {"blink"} if len(speech.phones) else {"blink", *mouths.CHANNELS}
    added = {name: values for name, values in found.items() if name not in kept & {*clip.channels}}
    return clip.with_channels(layer_face(clip.channels, added, clip.fps))


def face(
    speech: Speech,
    frames: int,
    fps: float,
    seed: int = 0,
    settings: FaceSettings | None = None,
    prominence: Prominence | None = None,
) -> dict[str, Floats]:
    """Face of a speech as channels ``[frames]`` in [0, 1], the first frame at 0 s.

    Parameters
    ----------
    seed : of the blinks.
    prominence : of the speech, if it has been measured already.
    """
    if frames < 1:
        raise InvalidValueError(f"a face of {frames} frames, allowed is at least 1")
    check_range("fps", fps, 1.0, 1000.0)
    s = settings or FaceSettings()
    accents = prominence or prominence_in(speech)
    if len(speech.phones):
        channels = mouths.mouth(speech.phones, frames, fps, s.mouth)
    else:
        hearing = replace(s.hearing, fps=fps)
        heard = mouths.mouth_of_sound(speech.samples, speech.rate_hz, hearing)
        channels = {name: _fit_length(values, frames) for name, values in heard.items()}
    cues = speech_cues_of_face(accents, s.eyes.brows)
    moved, _ = watch(np.arange(frames) / fps, cues, seed, s.eyes)
    channels["blink"], channels["browUp"] = moved.lids[0].copy(), moved.brows[0].copy()
    return channels


def _fit_length(values: Floats, frames: int) -> Floats:
    return np.concatenate([values[:frames], np.zeros(max(0, frames - len(values)))])


def speech_cues_of_face(accents: Prominence, brows: BrowSettings) -> Floats:
    """Cues of blinks and brows: syllables, ends of phrases, raises ahead of prominent syllables."""
    rows: list[tuple[float, ...]] = [(a.start_s, SYLLABLE) for a in accents.syllables]
    rows += [(b.time_s, PAUSE) for b in accents.boundaries]
    rows += [
        (a.peak_s - brows.lead_s, RAISE, _height(a, brows))
        for a in brow_raises(accents.syllables, brows)
    ]
    return cue_rows(rows)


def brow_raises(syllables: Iterable[Accent], brows: BrowSettings) -> list[Accent]:
    """Syllables that raise the brows, in order of time: the most prominent, not too close."""
    chosen: list[Accent] = []
    strong = [a for a in syllables if a.value >= brows.least]
    apart_s = max(brows.apart_s, brows.length_s)
    for accent in sorted(strong, key=lambda a: (-a.value, a.peak_s)):
        if all(abs(accent.peak_s - other.peak_s) >= apart_s for other in chosen):
            chosen.append(accent)
    return sorted(chosen, key=lambda a: a.peak_s)


def _height(accent: Accent, brows: BrowSettings) -> float:
    over = (accent.value - brows.least) / max(1e-9, 1.0 - brows.least)
    return brows.height * (0.5 + 0.5 * over)
