"""Compiled blinks and brow raises of a character, and the curves of lids and brows."""

from __future__ import annotations

import math

from kinesphere.figure.head.gaze_kernels import (
    BLINK_LENGTH_S,
    BLINK_S,
    BLINKS,
    BLINKS_LATE,
    BLINKS_TOO,
    DUE_S,
    HEIGHT,
    OPEN_S,
    PHRASE,
    RAISE_S,
    place_of,
)
from kinesphere.figure.random_kernels import BLINK, LOOK, PLACES, uniform
from kinesphere.maths.arrays import Floats
from kinesphere.maths.compiled import compiled, reads
from kinesphere.maths.curve_kernels import ease

_F1 = reads("float64", 1)
_ROW = "f8[::1]"

# Values of the settings.
LIMITS = 16
(
    EVERY_S,
    APART_S,
    SHORTEST_S,
    LONGEST_S,
    CLOSING,
    SHUT,
    END_RATIO,
    END_LATE_S,
    SHIFT,
    SHIFT_RATIO,
    SHIFT_LATE_S,
    BROW_APART_S,
    LEAD_S,
    HOLD_S,
    FALL_S,
    FIRST_S,
) = range(LIMITS)
# Random columns: three of the wait until the next blink, its length, and of the end of a phrase.
_WAIT, _LENGTH, _ENDS, _END_LATE = 0, 3, 4, 5


@compiled(f"i8({_F1})")
def _place(memory: Floats) -> int:
    return int(memory[PHRASE]) * PLACES + int(memory[BLINKS])


@compiled(f"f8(i8, i8, {_F1})")
def blink_wait(seed: int, place: int, limits: Floats) -> float:
    """Time from a blink to the next without a cue: a gamma distribution, neither short nor long."""
    if limits[EVERY_S] == math.inf:
        return math.inf
    wait_s = 0.0
    for column in range(_WAIT, _WAIT + 3):
        wait_s -= math.log1p(-uniform(seed, BLINK, place, column)) * limits[EVERY_S] / 3.0
    return float(max(limits[APART_S], min(wait_s, 3.0 * limits[EVERY_S])))


@compiled(f"void(i8, {_F1}, {_ROW})")
def blink(seed: int, limits: Floats, memory: Floats) -> None:
    """Blink now that one is due, or when the lids may close."""
    at_s = memory[DUE_S]
    if at_s < memory[OPEN_S]:
        memory[DUE_S] = memory[OPEN_S]
        return
    memory[BLINKS] += 1.0
    place = _place(memory)
    longer = limits[LONGEST_S] - limits[SHORTEST_S]
    memory[BLINK_S] = at_s
    memory[BLINK_LENGTH_S] = limits[SHORTEST_S] + longer * uniform(seed, BLINK, place, _LENGTH)
    memory[DUE_S] = at_s + blink_wait(seed, place, limits)


@compiled(f"void(f8, {_F1}, {_ROW})")
def blink_by(at_s: float, limits: Floats, memory: Floats) -> None:
    """Blink at a time instead of later, if the last blink is long enough ago."""
    if at_s - memory[BLINK_S] >= limits[APART_S]:
        memory[DUE_S] = min(memory[DUE_S], at_s)


@compiled(f"void(i8, f8, {_F1}, {_ROW})")
def blink_at_end(seed: int, at_s: float, limits: Floats, memory: Floats) -> None:
    """Blink at the ends of some phrases."""
    place = int(memory[PHRASE]) * PLACES
    if uniform(seed, BLINK, place, _ENDS) < limits[END_RATIO]:
        blink_by(at_s + limits[END_LATE_S] * uniform(seed, BLINK, place, _END_LATE), limits, memory)


@compiled(f"void(i8, f8, f8, {_F1}, {_ROW})")
def blink_with_look(seed: int, at_s: float, far: float, limits: Floats, memory: Floats) -> None:
    """Blink with some of the larger shifts of gaze."""
    place = place_of(memory)
    if far >= limits[SHIFT] and uniform(seed, LOOK, place, BLINKS_TOO) < limits[SHIFT_RATIO]:
        late_s = limits[SHIFT_LATE_S] * uniform(seed, LOOK, place, BLINKS_LATE)
        blink_by(at_s + late_s, limits, memory)


@compiled(f"void(f8, f8, {_F1}, {_ROW})")
def raise_brows(at_s: float, height: float, limits: Floats, memory: Floats) -> None:
    """Raise the brows, if the last raise is long enough ago."""
    if at_s >= memory[RAISE_S] + limits[BROW_APART_S]:
        memory[RAISE_S], memory[HEIGHT] = at_s, height


@compiled(f"f8(f8, {_F1}, {_F1})")
def lid_closure(time_s: float, memory: Floats, limits: Floats) -> float:
    """How far the lids are closed, 0 to 1; they close faster than they open."""
    length_s = memory[BLINK_LENGTH_S]
    own_s = time_s - memory[BLINK_S]
    if own_s <= 0.0 or own_s >= length_s:
        return 0.0
    closing_s = limits[CLOSING] * length_s
    open_s = closing_s + limits[SHUT] * length_s
    return ease(own_s / closing_s) - ease((own_s - open_s) / (length_s - open_s))


@compiled(f"f8(f8, {_F1}, {_F1})")
def brow_raise(time_s: float, memory: Floats, limits: Floats) -> float:
    """Brows during a raise."""
    own_s = time_s - memory[RAISE_S]
    down_s = limits[LEAD_S] + limits[HOLD_S]
    if own_s <= 0.0 or own_s >= down_s + limits[FALL_S]:
        return 0.0
    up = ease(own_s / limits[LEAD_S]) - ease((own_s - down_s) / limits[FALL_S])
    return float(min(max(0.0, memory[HEIGHT] * up), 1.0))
