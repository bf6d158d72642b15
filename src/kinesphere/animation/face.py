"""A face that speaks: mouth, blinks at the ends of phrases, brows on what stands out.

The channels are VRM's presets ``aa ih ou ee oh blink``, ``jaw`` (see `animation.mouth`), and
``browUp``: VRM has no preset for the brows alone (``surprised`` opens the mouth as well), so it is
a shape of its own, which the default character has and which a .vrma carries as a custom one.

`face` and `with_face` take a whole speech: phones where they are known, else the sound. `start`,
`step` and `finish` take sound as it comes. The mouth of a moment is given `FaceState.latency_s`
after it. What needs to be understood first follows when it is known: a blink after a pause has
begun, a brow after a syllable that was loud and long or moving. Chunks of any size give the same
frames.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.animation import mouth as mouths
from kinesphere.animation.live_cues import PAUSE, STRESS, kind_of
from kinesphere.animation.mouth import HearingSettings, MouthSettings, MouthState
from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats
from kinesphere.maths.curves import minimum_jerk, smoothstep
from kinesphere.motion.clip import Clip
from kinesphere.speech import prosody as prosodies
from kinesphere.speech.observation import Observation
from kinesphere.speech.prominence import Accent, Boundary, Prominence
from kinesphere.speech.prominence import prominence as prominence_in
from kinesphere.speech.prosody import ProsodyState
from kinesphere.speech.ranges import check_range, check_ranges
from kinesphere.speech.value import Speech

CHANNELS = (*mouths.CHANNELS, "blink", "browUp")
BLINK_S = 0.26
"""How long a blink lasts."""
KNOWN_S = 0.05
"""So long after a syllable's or pause's own latency it is known however the sound was cut."""
_REMEMBERED_S = 2.0  # time after which a blink or a raise is over


@dataclass(frozen=True)
class FaceSettings:
    """How the face moves.

    Parameters
    ----------
    mouth, hearing : of the mouth from phones and from sound; the clip's fps goes before theirs.
    blinks_per_min : people in conversation blink about 20 times a minute, listeners less.
    blink_apart_s : least time between two blinks.
    blink_reach : a blink that is due waits for a boundary, or comes early to one, within this
        share of its interval.
    brow_least : syllables of less prominence raise no brow.
    brow_apart_s : least time between two raises, which keeps to the strongest.
    brow_lead_s, brow_hold_s, brow_fall_s : a raise starts before the syllable's peak, is held and
        let down.
    brow_size : height for the most prominent syllable; the weakest have half of it.
    """

    mouth: MouthSettings = field(default_factory=MouthSettings)
    hearing: HearingSettings = field(default_factory=HearingSettings)
    blinks_per_min: float = 20.0
    blink_apart_s: float = 0.8
    blink_reach: float = 0.5
    brow_least: float = 0.6
    brow_apart_s: float = 1.2
    brow_lead_s: float = 0.16
    brow_hold_s: float = 0.12
    brow_fall_s: float = 0.4
    brow_size: float = 0.7

    def __post_init__(self) -> None:
        check_ranges(
            self,
            blinks_per_min=(0.0, 40.0),
            blink_apart_s=(0.3, 10.0),
            blink_reach=(0.0, 0.9),
            brow_least=(0.0, 1.0),
            brow_apart_s=(0.0, 60.0),
            brow_lead_s=(0.02, 2.0),
            brow_hold_s=(0.0, 2.0),
            brow_fall_s=(0.02, 5.0),
            brow_size=(0.0, 1.0),
        )

    @property
    def brow_s(self) -> float:
        """How long a raise lasts."""
        return self.brow_lead_s + self.brow_hold_s + self.brow_fall_s


def with_face(
    clip: Clip,
    speech: Speech,
    seed: int = 0,
    settings: FaceSettings | None = None,
    prominence: Prominence | None = None,
) -> Clip:
    """Give a clip the face of a speech that starts together with it.

    The mouth is replaced. Blinks and brows that the clip has stay, and none is added beside them.
    """
    found = face(speech, len(clip), clip.fps, seed, settings, prominence)
    channels = dict(clip.channels)
    for name, values in found.items():
        if name in ("blink", "browUp") and name in channels:
            values = _beside(channels[name], values, round(0.5 * clip.fps))
        channels[name] = values
    return replace(clip, channels=channels)


def _beside(old: Floats, new: Floats, margin: int) -> Floats:
    """Old movement, with those of the new that lie farther off than a margin in frames."""
    busy = np.convolve(old > 0.02, np.ones(2 * margin + 1), mode="same") > 0.0
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
        channels = {name: _fitted(values, frames) for name, values in heard.items()}
    times = np.arange(frames) / fps
    blinks = blink_times(accents.boundaries, float(times[-1]), seed, s)
    channels["blink"] = _closed(times, blinks)
    raises = brow_raises(accents.syllables, s)
    starts = [(a.peak_s - s.brow_lead_s, _height(a, s)) for a in raises]
    channels["browUp"] = _raised(times, starts, s)
    return channels


def _fitted(values: Floats, frames: int) -> Floats:
    return np.concatenate([values[:frames], np.zeros(max(0, frames - len(values)))])


def blink_times(
    boundaries: Sequence[Boundary], duration_s: float, seed: int, settings: FaceSettings
) -> list[float]:
    """Onsets of blinks: at a natural rate, drawn to the ends of phrases."""
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


@lru_cache(maxsize=1024)  # a live face asks at every frame, and a generator is slow to make
def blink_wait_s(seed: int, number: int, blinks_per_min: float, apart_s: float) -> float:
    """Time from one blink to the next: uneven, as it is; each number has its own draw."""
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


def _closed(times: Floats, starts: Iterable[float]) -> Floats:
    """Blinks from their onsets: shut in 80 ms, open again after 260, as in idle life."""
    closed = np.zeros(len(times))
    for at in starts:
        near = _within(times, at, BLINK_S)
        if near.start == near.stop:
            continue
        own = times[near] - at
        shape = smoothstep(own / 0.08) - smoothstep((own - 0.12) / (BLINK_S - 0.12))
        closed[near] = np.maximum(closed[near], shape)
    return np.minimum(closed, 1.0)


def _raised(times: Floats, starts: Iterable[tuple[float, float]], s: FaceSettings) -> Floats:
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
    """Places of times, which ascend, from a start on for a length."""
    end_s = start_s + length_s
    if not len(times) or start_s > times[-1] or end_s < times[0]:
        return slice(0, 0)
    return slice(np.searchsorted(times, start_s), np.searchsorted(times, end_s, side="right"))


class FaceState(NamedTuple):
    """Where a live face stands; made by `start`, never changed.

    Parameters
    ----------
    frames : how many were given.
    pauses, stresses : times at which something was understood that no frame has reached yet.
    blinks, raises : onsets of movements that may still go on.
    blink_count : draws so far.
    """

    settings: FaceSettings
    seed: int
    mouth: MouthState
    prosody: ProsodyState
    frames: int = 0
    pauses: tuple[float, ...] = ()
    stresses: tuple[float, ...] = ()
    blinks: tuple[float, ...] = (-1.0,)
    raises: tuple[float, ...] = (-1e9,)
    blink_count: int = 0

    @property
    def latency_s(self) -> float:
        """Seconds from a moment to the sample after which its frame is given, at most."""
        return self.mouth.latency_s


def start(
    rate_hz: float, fps: float = 30.0, seed: int = 0, settings: FaceSettings | None = None
) -> FaceState:
    """State before the first sample of a mono stream.

    Raises
    ------
    InvalidValueError
        If the rate is outside 4 to 400 kHz, or fps outside 1 to 1000.
    """
    s = settings or FaceSettings()
    s = replace(s, hearing=replace(s.hearing, fps=fps))
    return FaceState(s, seed, mouths.start(rate_hz, s.hearing), prosodies.start(rate_hz))


def step(state: FaceState, chunk: ArrayLike) -> tuple[FaceState, dict[str, Floats]]:
    """Take samples ``[n]`` in; the channels ``[frames]`` that are settled by them."""
    mouth, channels = mouths.step(state.mouth, chunk)
    prosody, heard = prosodies.step(state.prosody, chunk)
    pauses, stresses = _understood(heard.observations[0], prosody.latency_s + KNOWN_S)
    state = state._replace(
        mouth=mouth,
        prosody=prosody,
        pauses=state.pauses + pauses,
        stresses=state.stresses + stresses,
    )
    return _moved(state, channels)


def finish(state: FaceState) -> dict[str, Floats]:
    """The frames that still waited, up to the last sample's time."""
    return _moved(state, mouths.finish(state.mouth))[1]


def live_face(
    samples: ArrayLike,
    rate_hz: float,
    fps: float = 30.0,
    seed: int = 0,
    settings: FaceSettings | None = None,
) -> dict[str, Floats]:
    """Face that a stream of the whole recording ``[n]`` gives."""
    state, head = step(start(rate_hz, fps, seed, settings), samples)
    tail = finish(state)
    return {name: np.concatenate([head[name], tail[name]]) for name in CHANNELS}


def _understood(
    observations: Iterable[Observation], after_s: float
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Times at which pauses and stresses are known."""
    pauses, stresses = [], []
    for seen in observations:
        known_s = seen.event.issued_s + after_s
        kind = kind_of(seen)
        if kind == PAUSE:
            pauses.append(known_s)
        elif kind == STRESS:
            stresses.append(known_s)
    return tuple(pauses), tuple(stresses)


def _moved(state: FaceState, channels: dict[str, Floats]) -> tuple[FaceState, dict[str, Floats]]:
    """Blinks and brows of the frames of which the mouth is known."""
    s = state.settings
    count = len(channels["jaw"])
    times = np.arange(state.frames, state.frames + count) / s.hearing.fps
    if not count:
        return state, {**channels, "blink": times, "browUp": times.copy()}
    last_s = float(times[-1])
    state = _raised_until(_blinked_until(state, last_s), last_s)
    size = 0.75 * s.brow_size
    channels["blink"] = _closed(times, state.blinks)
    channels["browUp"] = _raised(times, [(at, size) for at in state.raises], s)
    old_s = last_s - _REMEMBERED_S
    state = state._replace(
        frames=state.frames + count,
        blinks=(*(t for t in state.blinks[:-1] if t > old_s), state.blinks[-1]),
        raises=(*(t for t in state.raises[:-1] if t > old_s), state.raises[-1]),
    )
    return state, channels


def _blinked_until(state: FaceState, end_s: float) -> FaceState:
    """With the blinks that begin up to a time: when due, or sooner where a pause is known."""
    s = state.settings
    blinks, pauses, number = state.blinks, state.pauses, state.blink_count
    while s.blinks_per_min > 0.0:
        wait = blink_wait_s(state.seed, number, s.blinks_per_min, s.blink_apart_s)
        least_s = blinks[-1] + max(s.blink_apart_s, (1.0 - s.blink_reach) * wait)
        pauses = tuple(t for t in pauses if t >= least_s)
        at = min(blinks[-1] + wait, *pauses[:1]) if pauses else blinks[-1] + wait
        if at > end_s:
            break
        blinks, number = (*blinks, at), number + 1
    return state._replace(blinks=blinks, pauses=pauses, blink_count=number)


def _raised_until(state: FaceState, end_s: float) -> FaceState:
    raises, waiting = state.raises, list(state.stresses)
    while waiting and waiting[0] <= end_s:
        at = waiting.pop(0)
        if at >= raises[-1] + max(state.settings.brow_apart_s, state.settings.brow_s):
            raises = (*raises, at)
    return state._replace(raises=raises, stresses=tuple(waiting))
