"""Hands of somebody who waits or listens: they hang, rest on a hip, hold each other, and change.

``step`` moves the hands of any number of characters by some frames; division into steps does not
matter. Where they rest is a table of arms; between changes they drift, and now and then one is put
a little differently.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from kinesphere.figure.arms.arm_overlay import ArmParameters
from kinesphere.maths.arrays import Floats, Ints, read_only

WAITING_POSES = ("at-side", "hanging", "on-hip", "in-pockets", "clasped", "folded")
"""Rest poses of somebody who waits, in the order in which the compiled loop has them."""

MEMORY = 37
"""Numbers of a character that the compiled loop keeps."""
_BANDS_HZ = ((0.06, 0.5),) * 3 + ((0.05, 0.35), (0.05, 0.4))
_WAVES = 6
_SHOULDERS = read_only(np.array([[0.178, 0.0, 0.0], [-0.178, 0.0, 0.0]]))  # in the chest frame


@dataclass(frozen=True)
class RestingHandSettings:
    """How hands rest; the compiled loop reads the fields in this order.

    Hands at rest of recorded speakers drift by 1 to 5 cm/s within 2 to 11 mm; the arms change their
    rest pose every 8 to 25 s.
    """

    first_s: float = 2.0  # shortest time between two small changes of a hand's place
    last_s: float = 4.5  # and longest
    keep_s: float = 7.0  # a rest pose is kept for at least this long
    change: float = 0.4  # ratio of the later changes that go to another pose
    apart_m: float = 0.012  # spread of a hand's place about its rest pose
    swivel: float = 0.07  # spread of the elbow's, radians
    curl: float = 0.18  # spread of the fingers' flexion as a ratio of it
    drift_m: float = 0.006  # RMS of the drift of a hand
    drift_swivel: float = 0.025  # and of an elbow, radians
    drift_curl: float = 0.09  # and of the fingers' flexion, as a ratio
    together: float = 0.35  # ratio of the drift of hands that hold each other
    move_s: float = 1.5  # duration of a movement is this times its length to the next power
    move_power: float = 0.43
    least_s: float = 0.55  # shortest of them
    most_s: float = 1.7  # and longest
    late_s: float = 0.22  # longest delay of the second hand
    bulge: float = 0.22  # a path bends out and forward by this ratio of its length
    side: float = 1.0  # weight of hands that hang, one here, one there
    hip: float = 0.55  # of one hand on a hip
    pockets: float = 0.12  # of both on the front of the thighs
    clasped: float = 0.6  # of hands that hold each other before the body
    folded: float = 0.2  # of folded arms
    habit: float = 0.8  # spread (log) of these weights between people
    other_side: float = (
        0.35  # ratio of small changes in which a hand hangs lower, or no longer does
    )
    reach_m: float = 0.522  # longest distance of a wrist from its shoulder: 0.985 of the arm
    reach_soft_m: float = 0.004  # transition to it


class RestingHandsState(NamedTuple):
    """State of hands; made by `start`, never changed.

    Parameters
    ----------
    table : arms in each of `WAITING_POSES`, of the same sides as what is done.
    memory : ``[characters, MEMORY]``; the compiled loop defines the order.
    mirrored : whether left and right are exchanged.
    """

    fps: float
    frames: int
    seeds: Ints
    settings: RestingHandSettings
    table: ArmParameters
    memory: Floats
    mirrored: bool = False


class RestingHands(NamedTuple):
    """Hands of some frames.

    Parameters
    ----------
    arms : ``[characters * frames, ...]``.
    held : ``[characters * frames]`` how far they hold each other, 0 to 1.
    """

    arms: ArmParameters
    held: Floats

    def chest_wrists(self) -> Floats:
        """Wrists ``[characters * frames, 2, 3]`` in the chest frame."""
        return np.asarray(self.arms.wrists + _SHOULDERS)


def start(
    fps: float,
    seeds: Ints,
    table: ArmParameters,
    settings: RestingHandSettings | None = None,
    *,
    mirrored: bool = False,
) -> RestingHandsState:
    """State before the first frame; `table` is that of the mirrored poses where `mirrored`."""
    chosen: Ints = read_only(np.array(seeds, dtype=np.int64))
    memory: Floats = read_only(np.zeros((len(chosen), MEMORY)))
    return RestingHandsState(
        float(fps), 0, chosen, settings or RestingHandSettings(), table, memory, mirrored
    )


def step(state: RestingHandsState, rests: Floats) -> tuple[RestingHandsState, RestingHands]:
    """Hands of the next frames.

    Parameters
    ----------
    rests : ``[characters, frames]`` how far hands are at rest, 0 to 1; where it is 0 they do not
        move, and begin at home when it rises.
    """
    from kinesphere.figure.arms.resting_hands_kernels import rest_hands

    characters, frames = rests.shape
    rows = characters * frames
    out = RestingHands(
        ArmParameters(
            np.zeros((rows, 2, 3)),
            np.zeros((rows, 2)),
            np.zeros((rows, 2)),
            np.zeros((rows, 2, 4)),
            np.zeros((rows, 2, 4)),
            np.zeros((rows, 2, 15, 4)),
        ),
        np.zeros(rows),
    )
    if not rows:
        return state._replace(frames=state.frames + frames), out
    memory = state.memory.copy()
    rest_hands(
        np.arange(state.frames, state.frames + frames) / state.fps,
        np.ascontiguousarray(rests),
        state.seeds,
        -1.0 if state.mirrored else 1.0,
        *state.table,
        _row(state.settings),
        _waves(state.seeds.tobytes()),
        memory,
        *out.arms,
        out.held,
    )
    frozen: Floats = read_only(memory)
    return state._replace(frames=state.frames + frames, memory=frozen), out


@lru_cache(maxsize=8)
def _row(settings: RestingHandSettings) -> Floats:
    row: Floats = read_only(np.array(astuple(settings), dtype=np.float64))
    return row


@lru_cache(maxsize=64)
def _waves(seeds: bytes) -> Floats:
    """Waves ``[characters, 2 * columns, waves, 2]`` of the drift of both hands."""
    from kinesphere.figure.arms.resting_hands_kernels import draw_drift

    chosen = np.frombuffer(seeds, dtype=np.int64)
    waves = np.empty((len(chosen), 2 * len(_BANDS_HZ), _WAVES, 2))
    draw_drift(chosen, np.array(_BANDS_HZ * 2), waves)
    frozen: Floats = read_only(waves)
    return frozen
