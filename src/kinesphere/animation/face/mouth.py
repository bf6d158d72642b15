"""Mouth shapes from phones, with co-articulation, or from audio alone, live.

From phones. Every sound has a viseme: targets for the five VRM mouth shapes, and the strength of
its dominance. The dominance falls off exponentially with the time before and after it, and the
mouth is the mean of all targets weighted by dominance, rounding separate from opening: the model of
Cohen and Massaro (1993), with time counted from the middle half of a sound instead of its middle
point, so that a long vowel is held.
Lips that must meet (p, b, m) close entirely for at least a frame. Last, each shape is replaced by
the largest curve below it that changes no faster than `fastest_per_s`: closed lips stay closed.

From audio. The level between 300 and 3000 Hz, between running peak and floor, opens the mouth; the
spectral centroids in the ranges of the first two formants, and the ratio of frication noise,
choose among the shapes. `start`, `step` and `finish` take chunks of any size, of one voice or of
many together; the batch is one long chunk. A frame is returned `MouthState.latency_s` later.

`jaw` is how far the shapes open the jaw, in [0, 1]: for characters without mouth shapes. A
character that has them must not get both.
"""

# ruff: noqa: RUF001 - the letters of IPA are intended
from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.animation.face.visemes import REST, Viseme, visemes
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.maths.bounds import check_bounds, check_range, range_field
from kinesphere.maths.curves import smoothstep
from kinesphere.speech.prosody.framing import RATE_RANGE_HZ, SampleQueue, row_count, rows_of, seal
from kinesphere.speech.prosody.intensity import HEARING_PA
from kinesphere.timeline import Interval, Tier

SHAPES = ("aa", "ih", "ou", "ee", "oh")
"""VRM's presets for the mouth."""
CHANNELS = (*SHAPES, "jaw")
_ROUND = np.array([name in ("ou", "oh") for name in SHAPES])
JAW = np.array([1.0, 0.40, 0.37, 0.23, 0.73])
"""How far each shape opens the jaw relative to aa: 15 degrees on the default character."""


@dataclass(frozen=True)
class MouthSettings:
    """How the mouth follows phones.

    Parameters
    ----------
    amount : factor of all shapes; below 1 mumbles.
    unstressed : factor of vowels without stress, where phones have stress marks.
    fastest_per_s : largest rate of change of a shape: lips close in about 70 ms.
    reach_s : largest distance in time at which a sound acts, so that silence is entirely closed.
    meet_s : time in which lips meet and part, where they must meet.
    gap_s : shorter gaps between phones are not treated as silence.
    """

    amount: float = range_field(1.0, 0.0, 1.0)
    unstressed: float = range_field(0.8, 0.0, 1.0)
    fastest_per_s: float = range_field(14.0, 1.0, 1000.0)
    reach_s: float = range_field(0.3, 0.05, 2.0)
    meet_s: float = range_field(0.06, 0.005, 1.0)
    gap_s: float = range_field(0.04, 0.0, 1.0)

    def __post_init__(self) -> None:
        check_bounds(self)


class _Segment(NamedTuple):
    start_s: float
    end_s: float
    viseme: Viseme
    size: float


def mouth(
    phones: Tier, frames: int, fps: float, settings: MouthSettings | None = None
) -> dict[str, Floats]:
    """Mouth of phones, IPA or ARPAbet, as channels ``[frames]`` in [0, 1], the first frame at 0 s.

    Where there is no phone within reach all channels are 0. The sum of the shapes is at most 1.
    """
    check_range("fps", fps, 1.0, 1000.0)
    s = settings or MouthSettings()
    segments = list(_segments(phones, s))
    times = np.arange(frames) / fps
    weighted, total = np.zeros((2, frames, len(SHAPES)))
    for segment in segments:
        near = _near(segment, s.reach_s, fps, frames)
        share = np.where(_ROUND, segment.viseme.lips, 1.0)
        weight = _dominance(segment, times[near], s.reach_s)[:, None] * share
        weighted[near] += weight * (segment.size * np.array(segment.viseme[: len(SHAPES)]))
        total[near] += weight
    shapes = weighted / np.maximum(total, 1e-9)
    shapes /= np.maximum(1.0, shapes.sum(axis=1, keepdims=True))
    shapes *= _lip_opening([x for x in segments if x.viseme.closed], times, fps, s)[:, None]
    return _channels(s.amount * _limit_rate(shapes, s.fastest_per_s / fps))


def _segments(phones: Tier, s: MouthSettings) -> Iterator[_Segment]:
    """Visemes in time, with silences in the gaps and at the ends."""
    marked = any("ˈ" in p.label or p.label[-1:] == "1" for p in phones)
    end_s: float | None = None
    for phone in phones:
        parts = visemes(phone.label)
        if not parts or (phone.duration_s <= 0.0 and not parts[0].closed):
            continue
        if end_s is None:
            yield _Segment(phone.start_s - 2.0 * s.reach_s, phone.start_s, REST, 1.0)
        elif phone.start_s - end_s > s.gap_s:
            yield _Segment(end_s, phone.start_s, REST, 1.0)
        yield from _divide(phone, parts, s.unstressed if marked else 1.0)
        end_s = phone.end_s
    if end_s is not None:
        yield _Segment(end_s, end_s + 2.0 * s.reach_s, REST, 1.0)


def _divide(phone: Interval, parts: Sequence[Viseme], unstressed: float) -> Iterator[_Segment]:
    stressed = phone.label[:1] in "ˈˌ" or phone.label[-1:] in "12"
    size = 1.0 if stressed else unstressed
    edges = np.linspace(phone.start_s, phone.end_s, len(parts) + 1)
    for viseme, start_s, end_s in zip(parts, edges[:-1], edges[1:], strict=True):
        yield _Segment(float(start_s), float(end_s), viseme, size)


def _near(segment: _Segment, reach_s: float, fps: float, frames: int) -> slice:
    first = math.floor((segment.start_s - reach_s) * fps)
    last = math.ceil((segment.end_s + reach_s) * fps) + 1
    return slice(min(max(first, 0), frames), min(max(last, 0), frames))


def _dominance(segment: _Segment, times: Floats, reach_s: float) -> Floats:
    """Cohen and Massaro (1993) with c = 1, from the middle half on, brought to 0 at the reach."""
    quarter = 0.25 * (segment.end_s - segment.start_s)
    before = np.maximum(0.0, segment.start_s + quarter - times)
    after = np.maximum(0.0, times - segment.end_s + quarter)
    fall = segment.viseme.before * before + segment.viseme.after * after
    fade = smoothstep(2.0 - 2.0 * (before + after) / reach_s)
    return np.asarray(segment.viseme.firm * np.exp(-fall) * fade)


def _lip_opening(
    closures: Sequence[_Segment], times: Floats, fps: float, s: MouthSettings
) -> Floats:
    """1 where lips are free, 0 where they meet: for at least one frame."""
    free = np.ones(len(times))
    for segment in closures:
        length = segment.end_s - segment.start_s
        middle = segment.start_s + 0.5 * length
        half = max(0.25 * length, 0.5 / fps + 1e-9)
        near = _near(segment, half + s.meet_s + 1.0 / fps, fps, len(times))
        away = np.abs(times[near] - middle) - half
        free[near] = np.minimum(free[near], smoothstep(away / s.meet_s))
    return free


def _limit_rate(shapes: Floats, most: float) -> Floats:
    """Largest curves below the given ``[frames, shapes]`` that change at most `most` per frame."""
    out = shapes.copy()
    for i in range(1, len(out)):
        np.minimum(out[i], out[i - 1] + most, out=out[i])
    for i in range(len(out) - 2, -1, -1):
        np.minimum(out[i], out[i + 1] + most, out=out[i])
    return out


def _channels(shapes: Floats) -> dict[str, Floats]:
    """Channels ``[..., frames]`` of shapes ``[..., frames, 5]``."""
    found = np.empty((len(CHANNELS), *shapes.shape[:-1]))
    found[:-1] = np.moveaxis(shapes, -1, 0)
    found[-1] = 0.0
    np.clip(found, 0.0, 1.0, out=found)
    for row, opens in zip(found, JAW, strict=False):
        found[-1] += opens * row
    np.minimum(found[-1], 1.0, out=found[-1])
    return dict(zip(CHANNELS, found, strict=True))


_STEP_S = 0.01
_WINDOW_S = 0.032
_SIDE = 2  # steps on each side that the smoothing reads
# Spectral centroids in the two ranges, Hz, rounded from espeak's voices and a recorded one,
# and the shapes that belong to them.
_ANCHORS: tuple[tuple[float, float, Viseme], ...] = (
    (700.0, 1230.0, Viseme(aa=0.95)),
    (540.0, 1720.0, Viseme(aa=0.6, ih=0.1, ee=0.15)),
    (545.0, 1400.0, Viseme(aa=0.5, ih=0.15)),
    (600.0, 1080.0, Viseme(oh=0.85)),
    (470.0, 1100.0, Viseme(oh=0.5, ou=0.4)),
    (340.0, 1050.0, Viseme(ou=0.85)),
    (330.0, 1600.0, Viseme(ou=0.55, ih=0.15)),
    (385.0, 2150.0, Viseme(ih=0.55, ee=0.1)),
    (290.0, 2500.0, Viseme(ee=0.8)),
)
_WIDTH = (0.16, 0.13)  # of an anchor, natural logarithm
# Bands of the level, of frication noise, and of the two formants.
_BANDS_HZ = [(300.0, 3000.0), (3500.0, 8000.0), (200.0, 1100.0), (900.0, 3000.0)]


@dataclass(frozen=True)
class HearingSettings:
    """How the mouth follows audio alone.

    Parameters
    ----------
    fps : frames per second of the output.
    amount : factor of all shapes.
    fastest_per_s : largest rate of change of a shape.
    shut_db, wide_db : level below the running peak at which the mouth is closed, and fully open.
    margin_db : levels less than this above the running floor do not open it.
    peak_fall_db_s, floor_rise_db_s : decay of the running peak and floor, as for the syllables.
    least_peak_db : lower bound of the peak, so that the mouth stays closed in silence.
    """

    fps: float = range_field(30.0, 1.0, 1000.0)
    amount: float = range_field(1.0, 0.0, 1.0)
    fastest_per_s: float = range_field(14.0, 1.0, 1000.0)
    shut_db: float = range_field(24.0, 1.0, 100.0)
    wide_db: float = 4.0
    margin_db: float = range_field(6.0, 0.0, 60.0)
    peak_fall_db_s: float = range_field(0.3, 0.0, 100.0)
    floor_rise_db_s: float = range_field(2.0, 0.0, 100.0)
    least_peak_db: float = range_field(45.0, 0.0, 120.0)

    def __post_init__(self) -> None:
        check_bounds(self)
        check_range("wide_db", self.wide_db, 0.0, self.shut_db - 0.5)


class _HearingPlan(NamedTuple):
    """Values that depend on settings and sample rate alone, in the order of the compiled loops.

    `bins` are the ranges of the level, of frication noise, and of the two formants.
    """

    hop: float
    window: Floats
    turn: Floats
    log_hz: Floats
    bins: Ints
    scale: float
    anchors: Floats
    limits: Floats

    @property
    def half(self) -> int:
        """Samples after a step's middle that it needs."""
        return len(self.window) // 2 + 1


@lru_cache(maxsize=8)
def _hearing_plan(s: HearingSettings, rate_hz: float) -> _HearingPlan:
    from kinesphere.speech.prosody.fourier_kernels import twiddle_factors

    half = int(0.5 * _WINDOW_S * rate_hz)
    window = np.hanning(2 * half + 3)[1:-1]
    fft = 1 << (len(window) - 1).bit_length()
    hz = np.fft.rfftfreq(fft, 1.0 / rate_hz)
    places = [(*np.log([a, b]), *_WIDTH, *viseme[: len(SHAPES)]) for a, b, viseme in _ANCHORS]
    limits = [
        _STEP_S,
        s.fps,
        s.fastest_per_s * _STEP_S,
        s.shut_db,
        s.wide_db,
        s.margin_db,
        s.peak_fall_db_s * _STEP_S,
        s.floor_rise_db_s * _STEP_S,
        s.least_peak_db,
    ]
    scale = 2.0 / (fft * float(np.sum(window**2)) * HEARING_PA**2)
    logs, bins = np.log(np.maximum(hz, 1.0)), np.searchsorted(hz, _BANDS_HZ)
    plan = _HearingPlan(
        rate_hz * _STEP_S,
        window,
        twiddle_factors(fft),
        logs,
        bins,
        scale,
        np.array(places),
        np.array(limits),
    )
    seal(plan.window, plan.turn, plan.log_hz, plan.bins, plan.anchors, plan.limits)
    return plan


class MouthState(NamedTuple):
    """State of a stream; made by `start`, never changed.

    Parameters
    ----------
    voices : how many, or None for one without an axis of its own.
    queue : samples that later steps still need.
    memory : running levels and shapes ``[voices, numbers]``, read-only; the compiled loop defines
        the order.
    steps : how many were processed.
    """

    settings: HearingSettings
    rate_hz: float
    voices: int | None
    plan: _HearingPlan
    queue: SampleQueue
    memory: Floats
    steps: int = 0

    @property
    def latency_s(self) -> float:
        """Largest delay in seconds from a frame's time to the sample after which it is returned."""
        return len(self.plan.window) // 2 / self.rate_hz + (_SIDE + 1) * _STEP_S

    @property
    def late_frames(self) -> int:
        """Whole frames after which a frame's mouth is known, for any chunk size."""
        # Half a sample by which a step's middle is rounded, and the sample itself.
        return math.ceil((self.latency_s + 2.0 / self.rate_hz) * self.settings.fps - 1e-9)


def start(
    rate_hz: float, settings: HearingSettings | None = None, voices: int | None = None
) -> MouthState:
    """State before the first sample; chunks are ``[n]``, or ``[voices, n]`` if `voices` is given.

    Raises
    ------
    InvalidValueError
        If the rate is outside 4 to 400 kHz.
    """
    check_range("rate_hz", rate_hz, *RATE_RANGE_HZ)
    chosen, rows = settings or HearingSettings(), row_count(voices)
    memory = np.zeros((rows, _kernels().MEMORY))
    memory[:, :3] = np.nan  # no levels are known
    seal(memory)
    plan = _hearing_plan(chosen, float(rate_hz))
    queue = SampleQueue(np.zeros((rows, 0)))
    return MouthState(chosen, float(rate_hz), voices, plan, queue, memory)


def step(state: MouthState, chunk: ArrayLike) -> tuple[MouthState, dict[str, Floats]]:
    """Process samples; the channels ``[frames]``, or ``[voices, frames]``, that are now final.

    Raises
    ------
    InvalidValueError
        If a sample is not a number, or the chunk's shape is not that of `start`.
    """
    queue = state.queue.push(rows_of(chunk, state.voices), state.plan.half)
    state, shapes = _advance(state, queue)
    return state, _shape_channels(state, shapes)


def finish(state: MouthState) -> dict[str, Floats]:
    """The remaining frames, up to the last sample's time."""
    last_s = max(0.0, (state.queue.end - 1) / state.rate_hz)
    state, head = _advance(state, state.queue.close(state.plan.half))
    memory, rest = state.memory.copy(), _room(state, _SIDE)
    count = _kernels().close_mouths(state.plan.limits, last_s, memory, rest)
    return _shape_channels(state, np.concatenate([head, rest[:, :count]], axis=1))


def mouth_of_sound(
    samples: ArrayLike, rate_hz: float, settings: HearingSettings | None = None
) -> dict[str, Floats]:
    """Mouth of a whole recording ``[n]``: the output of the stream for it."""
    state, head = step(start(rate_hz, settings), samples)
    tail = finish(state)
    return {name: np.concatenate([head[name], tail[name]]) for name in CHANNELS}


def _advance(state: MouthState, queue: SampleQueue) -> tuple[MouthState, Floats]:
    """Process all steps that the queue has samples for; final shapes ``[voices, frames, 5]``."""
    plan = state.plan
    centres = queue.centres(state.steps, plan.hop, plan.half)
    if not len(centres):
        seal(queue.held)
        return state._replace(queue=queue), _room(state, 0)[:, :0]
    steps = state.steps + len(centres)
    memory, frames = state.memory.copy(), _room(state, len(centres))
    count = _kernels().move_mouths(queue.held, centres, *plan[1:], memory, frames)
    seal(memory)
    queue = queue.keep_from(steps, plan.hop, plan.half)
    return state._replace(queue=queue, memory=memory, steps=steps), frames[:, :count]


def _shape_channels(state: MouthState, shapes: Floats) -> dict[str, Floats]:
    """Channels of shapes ``[voices, frames, 5]``, without a voices axis if the stream has none."""
    return _channels(state.settings.amount * (shapes[0] if state.voices is None else shapes))


def _room(state: MouthState, steps: int) -> Floats:
    """Buffer for the frames that steps may complete."""
    frames = int((steps + 1) * _STEP_S * state.settings.fps) + 2
    return np.empty((len(state.memory), frames, len(SHAPES)))


@lru_cache(maxsize=1)
def _kernels() -> ModuleType:
    """The compiled loops, imported once when first needed; a stream calls this often."""
    from kinesphere.animation.face import mouth_kernels

    return mouth_kernels
