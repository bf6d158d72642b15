"""Face of a speaker: mouth, blinks at the ends of phrases, brow raises on prominent syllables.

The channels are VRM's presets ``aa ih ou ee oh blink``, ``jaw`` (see `animation.face.mouth`), and
``browUp``: VRM has no preset for the brows alone (``surprised`` opens the mouth as well), so it is
a shape of its own, which the default character has and which a .vrma carries as a custom one.

`face` and `with_face` take a whole speech: phones where they are known, else the audio. The live
faces are in `animation.face.live_faces`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from kinesphere.animation.face import mouth as mouths
from kinesphere.animation.face.mouth import HearingSettings, MouthSettings
from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats
from kinesphere.maths.bounds import check_bounds, check_range, range_field
from kinesphere.maths.curves import minimum_jerk, smoothstep
from kinesphere.motion.clip import Clip
from kinesphere.speech.prosody.prominence import Accent, Boundary, Prominence
from kinesphere.speech.prosody.prominence import prominence as prominence_in
from kinesphere.speech.value import Speech

CHANNELS = (*mouths.CHANNELS, "blink", "browUp")
BLINK_S, CLOSING_S, SHUT_S = 0.26, 0.08, 0.12
"""Duration of a blink, until the lids are closed, and until they open again."""
SEEN = 0.02  # lower values of a channel are not visible
KNOWN_S = 0.05
"""Delay after a syllable's or pause's latency at which it is known for any chunk size."""


@dataclass(frozen=True)
class FaceSettings:
    """How the face moves.

    Parameters
    ----------
    mouth, hearing : of the mouth from phones and from audio; the clip's fps overrides theirs.
    blinks_per_min : blink rate; about 20 per minute in conversation, less for listeners.
    blink_apart_s : least time between two blinks.
    blink_reach : a blink moves to a phrase boundary within this ratio of its interval, later or
        earlier.
    brow_least : syllables with less prominence raise no brow.
    brow_apart_s : least time between two raises; the most prominent syllables are kept.
    brow_lead_s, brow_hold_s, brow_fall_s : time by which a raise starts before the syllable's
        peak, its hold and its fall.
    brow_size : height for the most prominent syllable; the least prominent have half of it.
    live_brow : ratio of it for all raises of live faces, which do not know how prominent they are.
    """

    mouth: MouthSettings = field(default_factory=MouthSettings)
    hearing: HearingSettings = field(default_factory=HearingSettings)
    blinks_per_min: float = range_field(20.0, 0.0, 40.0)
    blink_apart_s: float = range_field(0.8, 0.3, 10.0)
    blink_reach: float = range_field(0.5, 0.0, 0.9)
    brow_least: float = range_field(0.6, 0.0, 1.0)
    brow_apart_s: float = range_field(1.2, 0.0, 60.0)
    brow_lead_s: float = range_field(0.16, 0.02, 2.0)
    brow_hold_s: float = range_field(0.12, 0.0, 2.0)
    brow_fall_s: float = range_field(0.4, 0.02, 5.0)
    brow_size: float = range_field(0.7, 0.0, 1.0)
    live_brow: float = range_field(0.75, 0.0, 1.0)

    def __post_init__(self) -> None:
        check_bounds(self)

    @property
    def brow_s(self) -> float:
        """Duration of a raise."""
        return self.brow_lead_s + self.brow_hold_s + self.brow_fall_s


def with_face(
    clip: Clip,
    speech: Speech,
    seed: int = 0,
    settings: FaceSettings | None = None,
    prominence: Prominence | None = None,
) -> Clip:
    """Add the face of a speech that starts together with the clip.

    The mouth is replaced. Blinks and brow raises of the clip stay, and none is added close to them.
    """
    found = face(speech, len(clip), clip.fps, seed, settings, prominence)
    channels = dict(clip.channels)
    for name, values in found.items():
        if name in ("blink", "browUp") and name in channels:
            values = _beside(channels[name], values, round(0.5 * clip.fps))
        channels[name] = values
    return clip.with_channels(channels)


def _beside(old: Floats, new: Floats, margin: int) -> Floats:
    """The old channel, with new movements that are farther away than a margin in frames."""
    busy = np.convolve(old > SEEN, np.ones(2 * margin + 1), mode="same") > 0.0
    edges = np.flatnonzero(np.diff(np.concatenate([[0], (new > 0.0).astype(np.int8), [0]])))
    kept = np.zeros(len(new))
    for start, stop in zip(edges[::2], edges[1::2], strict=True):
        if not busy[start:stop].any():
            kept[start:stop] = new[start:stop]
    return np.maximum(old, kept)


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
    times = np.arange(frames) / fps
    blinks = blink_times(accents.boundaries, float(times[-1]), seed, s)
    channels["blink"] = _lid_channel(times, blinks)
    raises = brow_raises(accents.syllables, s)
    starts = [(a.peak_s - s.brow_lead_s, _height(a, s)) for a in raises]
    channels["browUp"] = _brow_channel(times, starts, s)
    return channels


def _fit_length(values: Floats, frames: int) -> Floats:
    return np.concatenate([values[:frames], np.zeros(max(0, frames - len(values)))])


def blink_times(
    boundaries: Sequence[Boundary], duration_s: float, seed: int, settings: FaceSettings
) -> list[float]:
    """Onsets of blinks: at a natural rate, moved to the ends of phrases."""
    s = settings
    found: list[float] = []
    if s.blinks_per_min <= 0.0:
        return found
    last, number = -s.blink_apart_s, 0
    while True:
        wait = blink_wait_s(seed, number, s.blinks_per_min, s.blink_apart_s)
        due = last + wait
        if due > duration_s:
            return found
        reach = s.blink_reach * wait
        near = [
            b
            for b in boundaries
            if abs(b.time_s - due) <= reach and b.time_s >= last + s.blink_apart_s
        ]
        best = max(near, key=lambda b: b.strength - abs(b.time_s - due) / reach, default=None)
        last = due if best is None else best.time_s
        found.append(last)
        number += 1


@lru_cache(maxsize=1024)  # live faces ask repeatedly, and a generator is slow to create
def blink_wait_s(seed: int, number: int, blinks_per_min: float, apart_s: float) -> float:
    """Random time from one blink to the next; each number has its own random sample."""
    rng = np.random.default_rng([abs(seed), int(seed < 0), number])
    mean = 60.0 / blinks_per_min
    return max(apart_s, min(float(rng.gamma(3.0, mean / 3.0)), 3.0 * mean))


def brow_raises(syllables: Iterable[Accent], settings: FaceSettings) -> list[Accent]:
    """Syllables that raise the brows, in order of time: the most prominent, not too close."""
    chosen: list[Accent] = []
    strong = [a for a in syllables if a.value >= settings.brow_least]
    for accent in sorted(strong, key=lambda a: (-a.value, a.peak_s)):
        if all(abs(accent.peak_s - other.peak_s) >= settings.brow_apart_s for other in chosen):
            chosen.append(accent)
    return sorted(chosen, key=lambda a: a.peak_s)


def _height(accent: Accent, s: FaceSettings) -> float:
    over = (accent.value - s.brow_least) / max(1e-9, 1.0 - s.brow_least)
    return s.brow_size * (0.5 + 0.5 * over)


def _lid_channel(times: Floats, starts: Iterable[float]) -> Floats:
    """Blinks from their onsets."""
    closed = np.zeros(len(times))
    for at in starts:
        near = _within(times, at, BLINK_S)
        if near.start == near.stop:
            continue
        closed[near] = np.maximum(closed[near], blink_closure(times[near] - at))
    return np.minimum(closed, 1.0)


def blink_closure(since_s: Floats) -> Floats:
    """How far the lids are closed ``[n]`` at times after the onset of a blink."""
    opening = smoothstep((since_s - SHUT_S) / (BLINK_S - SHUT_S))
    return np.asarray(smoothstep(since_s / CLOSING_S) - opening)


def _brow_channel(times: Floats, starts: Iterable[tuple[float, float]], s: FaceSettings) -> Floats:
    """Raises of the brows from pairs of onset and height."""
    raised = np.zeros(len(times))
    for at, height in starts:
        near = _within(times, at, s.brow_s)
        if near.start == near.stop:
            continue
        own = times[near] - at
        down = minimum_jerk((own - s.brow_lead_s - s.brow_hold_s) / s.brow_fall_s)
        shape = height * (minimum_jerk(own / s.brow_lead_s) - down)
        raised[near] = np.maximum(raised[near], shape)
    return np.minimum(raised, 1.0)


def _within(times: Floats, start_s: float, length_s: float) -> slice:
    """Indices of times, which ascend, from a start on for a duration."""
    end_s = start_s + length_s
    if not len(times) or start_s > times[-1] or end_s < times[0]:
        return slice(0, 0)
    return slice(np.searchsorted(times, start_s), np.searchsorted(times, end_s, side="right"))
