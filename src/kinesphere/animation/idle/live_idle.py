"""Live idle motion of many characters: breathing, sway, weight shifts, occasional nods.

Everything is a function of a character's seed and the time, so that a frame is the same computed
alone or among others and no state is needed. Amplitudes are those of `animation.idle.idle_motion`,
and the waves have the same band; the random numbers differ.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from types import ModuleType
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.animation.idle.idle_motion import IdleSettings
from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats, Ints, frozen_floats
from kinesphere.maths.bounds import check_bounds, range_field
from kinesphere.speech.prosody.framing import seal

BONES = ("spine", "chest", "upperChest", "leftShoulder", "rightShoulder", "neck", "head")
"""Bones that idle motion rotates; its rotations are in this order."""


@dataclass(frozen=True)
class LiveIdleSettings:
    """Amplitudes of idle motion.

    Parameters
    ----------
    body : of breathing, sway and weight shifts; its blinks and glances are not used.
    nod_every_s : shortest and longest time between two nods or tilts of a listener.
    nod_deg, tilt_deg : their default amplitudes, small: they are not triggered by speech.
    """

    body: IdleSettings = field(default_factory=IdleSettings)
    nod_every_s: tuple[float, float] = (6.0, 15.0)
    nod_deg: float = range_field(2.2, 0.0, 10.0)
    tilt_deg: float = range_field(2.2, 0.0, 10.0)

    def __post_init__(self) -> None:
        check_bounds(self)
        for name, pair, least in (
            ("nod_every_s", self.nod_every_s, 4.0),  # the longest of them is over by then
            ("shift_every_s", self.body.shift_every_s, 0.5),
            ("sway_hz", self.body.sway_hz, 0.001),
        ):
            if not least <= pair[0] <= pair[1] <= 1e4:
                raise InvalidValueError(
                    f"{name} is {pair[0]} to {pair[1]}, allowed is within {least:g} to 10000"
                )


class IdleFrames(NamedTuple):
    """Idle motion of characters over frames.

    Parameters
    ----------
    hips_shift : ``[characters, frames, 3]`` translation of the hips in the body's own axes, metres,
        for a standing person of 1.75 m; the feet stay.
    turns : ``[characters, frames, 7, 3]`` rotation vectors of `BONES` about the T-pose's axes,
        applied before their other rotations.
    """

    hips_shift: Floats
    turns: Floats


def idle(
    times_s: ArrayLike,
    seeds: ArrayLike,
    amount: ArrayLike = 1.0,
    nodding: ArrayLike = 1.0,
    settings: LiveIdleSettings | None = None,
) -> IdleFrames:
    """Idle motion of characters at any times.

    Parameters
    ----------
    times_s : ``[frames]`` seconds.
    seeds : ``[characters]``; the same seed gives the same motion.
    amount : one number or ``[characters]``; 0 stands still, 1 is natural, up to 3.
    nodding : one number, ``[characters, 1]`` or ``[characters, frames]`` in [0, 1]: amplitude of
        nods and tilts. It must change smoothly, such as from 0 of a speaker to 1 of a listener.

    Raises
    ------
    InvalidValueError
        If an array has another shape or a number lies outside its range.
    """
    s = settings or LiveIdleSettings()
    times, chosen = frozen_floats(times_s, "times_s", (None,)), seeds_of(seeds)
    characters = len(chosen)
    amounts = _broadcast("amount", amount, (characters,), 3.0)
    nods = _broadcast("nodding", nodding, (characters, len(times)), 1.0)
    sizes, waves, breath = _plan(chosen.tobytes(), s)
    shifts = np.empty((characters, len(times), 3))
    turns = np.empty((characters, len(times), len(BONES), 3))
    _kernels().live_idle(chosen, times, amounts, nods, sizes, waves, breath, shifts, turns)
    return IdleFrames(shifts, turns)


def seeds_of(seeds: ArrayLike) -> Ints:
    """Seeds ``[characters]`` of characters as 64-bit integers.

    Raises
    ------
    InvalidValueError
        If they are not integers or have another shape.
    """
    array = np.asarray(seeds)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise InvalidValueError(
            f"seeds are {array.dtype} of shape {array.shape}, expected integers (characters)"
        )
    return np.ascontiguousarray(array.astype(np.int64))


def _broadcast(name: str, values: ArrayLike, shape: tuple[int, ...], most: float) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    try:
        whole = np.broadcast_to(array, shape)
    except ValueError:
        raise InvalidValueError(f"{name} has shape {array.shape}, expected {shape}") from None
    if not np.all((array >= 0.0) & (array <= most)):
        raise InvalidValueError(f"{name} is {array.ravel()[:3]}, allowed is 0 to {most:g}")
    return np.ascontiguousarray(whole)


@lru_cache(maxsize=64)
def _plan(seeds: bytes, s: LiveIdleSettings) -> tuple[Floats, Floats, Floats]:
    """Amplitudes in the order of the compiled loop, waves and breath of characters."""
    b = s.body
    sizes = np.array(
        [
            b.breath_hz,
            b.breath_rise_m,
            np.radians(b.breath_pitch_deg),
            b.sway_side_m,
            b.sway_fore_m,
            *b.sway_hz,
            b.shift_m,
            *b.shift_every_s,
            min(b.shift_takes_s, b.shift_every_s[0]),
            *np.radians([b.torso_deg, b.head_deg]),
            *s.nod_every_s,
            *np.radians([s.nod_deg, s.tilt_deg]),
            b.sink_m,
            b.side_sink,
            b.round_m,
            b.collar_m,
            b.neck_share,
            b.head_share,
            b.head_keeps,
        ]
    )
    chosen, kernels = np.frombuffer(seeds, dtype=np.int64), _kernels()
    waves = np.empty((len(chosen), kernels.COLUMNS, kernels.WAVES, 2))
    breath = np.empty((len(chosen), 3))
    kernels.draw_waves(chosen, *b.sway_hz, waves, breath)
    seal(sizes, waves, breath)
    return sizes, waves, breath


@lru_cache(maxsize=1)
def _kernels() -> ModuleType:
    """The compiled loops, imported once when first needed; a stream calls this often."""
    from kinesphere.animation.idle import live_idle_kernels

    return live_idle_kernels
