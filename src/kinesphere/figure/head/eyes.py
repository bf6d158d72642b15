"""Eyes of characters: gaze, blinks and brow raises from cues, as one process that steps in time.

A state holds any number of characters. `add_cues` gives it what is known, `step` the frames of the
next times: a whole take with all of its cues at once, or live ones as they come, by the same
compiled loop. `turn_eyes` rotates the eyes so that the gaze stays while the head moves. Random
numbers depend on the seed, the number of the phrase and of the look in it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import ModuleType
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.character.joint_limits import joint_limits
from kinesphere.errors import InvalidValueError
from kinesphere.figure.head import gaze_cues
from kinesphere.figure.head.blinks import BlinkSettings, BrowSettings, blink_limits
from kinesphere.figure.head.gaze import GazeSettings, Looks, gaze_limits
from kinesphere.maths.arrays import Floats, Ints, frozen_floats
from kinesphere.speech.prosody.framing import seal


@dataclass(frozen=True)
class EyeSettings:
    """How eyes, lids and brows move."""

    gaze: GazeSettings = field(default_factory=GazeSettings)
    blinks: BlinkSettings = field(default_factory=BlinkSettings)
    brows: BrowSettings = field(default_factory=BrowSettings)

    def mirrored(self, side: float) -> EyeSettings:
        """The same with random directions on the other side, for -1."""
        return replace(self, gaze=replace(self.gaze, side=side * self.gaze.side))


class EyesState(NamedTuple):
    """State of characters' eyes; made by `start`, never changed. Arrays are read-only.

    Parameters
    ----------
    seeds : ``[characters]``.
    cues : ``[any, 6]`` cues not reached by a frame yet, see `gaze_cues`.
    memory : ``[characters, numbers]``; the compiled loop defines the order.
    time_s : of the last frame.
    """

    settings: EyeSettings
    seeds: Ints
    cues: Floats
    memory: Floats
    time_s: float


class EyeFrames(NamedTuple):
    """Eyes of characters over frames.

    Parameters
    ----------
    gaze : ``[characters, frames, 2]`` yaw and pitch in the world, radians.
    homes : likewise, where the head is at home: the listener.
    lids : ``[characters, frames]`` 0 open to 1 closed.
    brows : ``[characters, frames]`` 0 to 1.
    """

    gaze: Floats
    homes: Floats
    lids: Floats
    brows: Floats


def start(seeds: ArrayLike, settings: EyeSettings | None = None) -> EyesState:
    """State before the first frame, gaze straight ahead.

    Parameters
    ----------
    seeds : ``[characters]`` integers of 64 bits.
    """
    s, chosen = settings or EyeSettings(), np.asarray(seeds)
    if chosen.ndim != 1 or chosen.dtype.kind not in "iu":
        raise InvalidValueError(
            f"seeds are {chosen.dtype} of shape {chosen.shape}, expected integers (characters)"
        )
    own = np.ascontiguousarray(chosen.astype(np.int64))
    kernels = _kernels()
    memory = np.empty((len(own), _looking().MEMORY))
    kernels.open_eyes(own, blink_limits(s.blinks, s.brows), memory)
    seal(own, memory)
    return EyesState(s, own, gaze_cues.no_cues(), memory, -np.inf)


def add_cues(state: EyesState, cues: Floats) -> EyesState:
    """With more cues; their times must not be before the last frame's."""
    return state._replace(cues=gaze_cues.join_cues(state.cues, cues))


def step(state: EyesState, times_s: ArrayLike) -> tuple[EyesState, EyeFrames]:
    """Eyes at the next times ``[frames]``, ascending."""
    state, rows, _ = _advance(state, np.ascontiguousarray(times_s, dtype=np.float64), 0)
    return state, EyeFrames(rows[..., :2], rows[..., 2:4], rows[..., 4], rows[..., 5])


def watch(
    times_s: ArrayLike, cues: Floats, seed: int = 0, settings: EyeSettings | None = None
) -> tuple[EyeFrames, Looks]:
    """Eyes of one character at any ascending times, with the looks up to the last of them.

    Parameters
    ----------
    cues : ``[n, 6]``, all that are known.
    """
    s, times = settings or EyeSettings(), np.ascontiguousarray(times_s, dtype=np.float64)
    state = add_cues(start(np.array([wrapped_seed(seed)]), s), cues)
    lasts_s = max(0.0, float(times[-1])) if len(times) else 0.0
    shortest_s = min(s.gaze.fixation_range_s[0], s.gaze.away_range_s[0])
    room = int(lasts_s / shortest_s) + 2 * len(cues) + 2
    _, rows, looks = _advance(state, times, room)
    frames = EyeFrames(rows[..., :2], rows[..., 2:4], rows[..., 4], rows[..., 5])
    looks = looks[~np.isnan(looks[:, 0])]
    return frames, Looks(looks[:, 0], looks[:, 1:3], looks[:, 3:])


def wrapped_seed(seed: int) -> int:
    """A seed of any size as one of 64 bits."""
    return (seed + 2**63) % 2**64 - 2**63


def _advance(state: EyesState, times_s: Floats, room: int) -> tuple[EyesState, Floats, Floats]:
    """The state after some times, the frames, and the first looks as far as there is room."""
    s, characters = state.settings, len(state.seeds)
    kernels = _kernels()
    rows = np.empty((characters, len(times_s), kernels.FRAME))
    looks = np.full((room, kernels.LOOKED), np.nan)
    if not len(times_s):
        return state, rows, looks
    first, cues = gaze_cues.by_character(state.cues, characters)
    memory = state.memory.copy()
    gaze, blinks = gaze_limits(s.gaze), blink_limits(s.blinks, s.brows)
    kernels.move_eyes(times_s, first, cues, state.seeds, gaze, blinks, memory, rows, looks)
    seal(memory)
    last_s = float(times_s[-1])
    rest = gaze_cues.cues_after(state.cues, last_s)
    return state._replace(cues=rest, memory=memory, time_s=last_s), rows, looks


def turn_eyes(gaze: Floats, heads: ArrayLike, settings: GazeSettings) -> Floats:
    """Rotations ``[characters, frames, 2, 4]`` of left and right eye in the head.

    They compensate for all head motion, within the range of the eyes (vestibulo-ocular reflex).

    Parameters
    ----------
    gaze : ``[characters, frames, 2]`` yaw and pitch in the world.
    heads : ``[characters, frames, 4]`` the head's rotation in the world.
    """
    turns = frozen_floats(heads, "heads", (*gaze.shape[:2], 4))
    eyes = np.empty((*gaze.shape[:2], 2, 4))
    _looking().turn_eyes(np.ascontiguousarray(gaze), turns, gaze_limits(settings), eyes)
    return eyes


def home_heads(
    homes: Floats,
    joints: tuple[int, int, int],
    rotations: Floats,
    world: Floats,
    settings: GazeSettings,
) -> None:
    """Bring recorded heads nearer to the listener, in place.

    Parameters
    ----------
    homes : ``[characters, frames, 2]`` yaw and pitch of the listener.
    joints : of chest, neck and head, each the parent of the next.
    rotations, world : ``[characters, frames, joints, 4]``; those of neck and head are changed.
    """
    limits, bounds = gaze_limits(settings), _neck_and_head()
    _looking().home_heads(np.ascontiguousarray(homes), *joints, limits, bounds, rotations, world)


@lru_cache(maxsize=1)
def _neck_and_head() -> Floats:
    """Joint limits of neck and head ``[2, 19]``."""
    bounds = np.stack([joint_limits()[bone].numbers for bone in ("neck", "head")])
    seal(bounds)
    return bounds


def listen_eyes(
    times_s: ArrayLike, heads: ArrayLike, seed: int = 0, settings: EyeSettings | None = None
) -> tuple[Floats, Floats]:
    """Eyes of somebody who listens: gaze on a speaker straight ahead, looks away, blinks.

    Parameters
    ----------
    times_s : ``[frames]`` seconds, ascending.
    heads : ``[frames, 4]`` the head's rotation in the world.

    Returns
    -------
    Rotations ``[frames, 2, 4]`` of left and right eye in the head, and lids ``[frames]`` from 0
    open to 1 closed.

    Examples
    --------
    >>> still = np.tile([1.0, 0.0, 0.0, 0.0], (120, 1))
    >>> eyes, lids = listen_eyes(np.arange(120) / 60.0, still, seed=1)
    >>> eyes.shape, lids.shape
    ((120, 2, 4), (120,))
    """
    s = settings or EyeSettings()
    frames, _ = watch(times_s, gaze_cues.no_cues(), seed, s)
    turns = frozen_floats(heads, "heads", (frames.lids.shape[1], 4))
    return turn_eyes(frames.gaze, turns[None], s.gaze)[0], frames.lids[0].copy()


@lru_cache(maxsize=1)
def _kernels() -> ModuleType:
    """The compiled loops, imported once when first needed; a stream calls this often."""
    from kinesphere.figure.head import eyes_kernels

    return eyes_kernels


@lru_cache(maxsize=1)
def _looking() -> ModuleType:
    from kinesphere.figure.head import gaze_kernels

    return gaze_kernels
