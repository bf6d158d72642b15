"""Idle life while time goes on: breathing, sway, weight shifts, a nod now and then; of many.

Everything is a function of a character's seed and the time, so that a frame is the same computed
alone or among others and nothing has to be remembered. Sizes are those of `animation.idle`, and the
waves have the same band; the numbers of chance are others.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from types import ModuleType
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.animation.idle import IdleSettings
from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats, Ints, frozen_floats
from kinesphere.speech.framing import sealed
from kinesphere.speech.ranges import check_ranges

BONES = ("spine", "chest", "upperChest", "leftShoulder", "rightShoulder", "neck", "head")
"""What idle life turns; its turns are in this order."""


@dataclass(frozen=True)
class LiveIdleSettings:
    """Sizes of idle life.

    Parameters
    ----------
    body : of breathing, sway and weight shifts; its blinks and glances are not used.
    nod_every_s : shortest and longest time between two nods or tilts of somebody who listens.
    nod_deg, tilt_deg : their usual sizes, small: they answer to nothing.
    """

    body: IdleSettings = field(default_factory=IdleSettings)
    nod_every_s: tuple[float, float] = (6.0, 15.0)
    nod_deg: float = 2.2
    tilt_deg: float = 2.2

    def __post_init__(self) -> None:
        check_ranges(self, nod_deg=(0.0, 10.0), tilt_deg=(0.0, 10.0))
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
    """Idle life of characters over frames.

    Parameters
    ----------
    hips_shift : ``[characters, frames, 3]`` metres that the hips move in the body's own axes, for
        a standing person of 1.75 m; the feet stay.
    turns : ``[characters, frames, 7, 3]`` rotation vectors that turn `BONES` about the T-pose's
        axes, before what they do else.
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
    """Idle life of characters at any times.

    Parameters
    ----------
    times_s : ``[frames]`` seconds.
    seeds : ``[characters]``; the same seed gives the same life.
    amount : one number or ``[characters]``; 0 stands still, 1 is natural, up to 3.
    nodding : one number, ``[characters, 1]`` or ``[characters, frames]`` in [0, 1]: size of nods
        and tilts. It has to change smoothly, such as from 0 of a speaker to 1 of a listener.

    Raises
    ------
    InvalidValueError
        If an array has another shape or a number lies outside its range.
    """
    s = settings or LiveIdleSettings()
    times, chosen = frozen_floats(times_s, "times_s", (None,)), seeds_of(seeds)
    characters = len(chosen)
    amounts = _spread("amount", amount, (characters,), 3.0)
    nods = _spread("nodding", nodding, (characters, len(times)), 1.0)
    sizes, waves, breath = _plan(chosen.tobytes(), s)
    shifts = np.empty((characters, len(times), 3))
    turns = np.empty((characters, len(times), len(BONES), 3))
    _kernels().live_idle(chosen, times, amounts, nods, sizes, waves, breath, shifts, turns)
    return IdleFrames(shifts, turns)


def seeds_of(seeds: ArrayLike) -> Ints:
    """Seeds ``[characters]`` of characters as whole numbers of 64 bits.

    Raises
    ------
    InvalidValueError
        If they are no whole numbers or have another shape.
    """
    array = np.asarray(seeds)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise InvalidValueError(
            f"seeds are {array.dtype} of shape {array.shape}, expected whole numbers (characters)"
        )
    return np.ascontiguousarray(array.astype(np.int64))


def _spread(name: str, values: ArrayLike, shape: tuple[int, ...], most: float) -> Floats:
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
    """Sizes in the order of the compiled loop, waves and breath of characters."""
    b = s.body
    sizes = np.array([
        b.breath_hz, b.breath_rise_m, np.radians(b.breath_pitch_deg), b.sway_side_m, b.sway_fore_m,
        *b.sway_hz, b.shift_m, *b.shift_every_s, min(b.shift_takes_s, b.shift_every_s[0]),
        *np.radians([b.torso_deg, b.head_deg]), *s.nod_every_s,
        *np.radians([s.nod_deg, s.tilt_deg]),
    ])  # fmt: skip
    chosen, kernels = np.frombuffer(seeds, dtype=np.int64), _kernels()
    waves = np.empty((len(chosen), kernels.COLUMNS, kernels.WAVES, 2))
    breath = np.empty((len(chosen), 3))
    kernels.draw_waves(chosen, *b.sway_hz, waves, breath)
    sealed(sizes, waves, breath)
    return sizes, waves, breath


@lru_cache(maxsize=1)
def _kernels() -> ModuleType:
    """The compiled loops, which are loaded when first needed; a stream asks too often to import."""
    from kinesphere.animation import live_idle_kernels

    return live_idle_kernels
