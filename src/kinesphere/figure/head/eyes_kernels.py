"""Compiled loop of eyes and brows: cues, looks and blinks in order of time, frame by frame."""

from __future__ import annotations

import math

from kinesphere.figure.head.blinks_kernels import (
    FIRST_S,
    blink,
    blink_at_end,
    blink_with_look,
    brow_raise,
    lid_closure,
    raise_brows,
)
from kinesphere.figure.head.gaze_cues import (
    GLANCE,
    LIDS_OPEN,
    LISTENER,
    PAUSE,
    RAISE,
    STAY,
    SYLLABLE,
)
from kinesphere.figure.head.gaze_kernels import (
    AT,
    BLINK_LENGTH_S,
    BLINK_S,
    DUE_S,
    FREE,
    HEAD_LATE,
    HEAD_TAKES,
    LENGTH_S,
    LONG_AGO_S,
    NEXT_S,
    OPEN_S,
    PITCH,
    PLAN,
    RAISE_S,
    SPEAKING,
    SPOKE_S,
    YAW,
    address,
    begin_phrase,
    end_phrase,
    gaze_at,
    glance,
    home_at,
    look_on,
    place_of,
    stay,
)
from kinesphere.figure.random_kernels import BLINK, LOOK, uniform
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.maths.compiled import compiled, reads

_F1, _F2 = reads("float64", 1), reads("float64", 2)
_I1 = reads("int64", 1)
_ROW = "f8[::1]"
FRAME = 6
"""Numbers of a frame: yaw and pitch of gaze, of the head's home, lids, brows."""
LOOKED = 5
"""Numbers of a look: time, yaw, pitch, and two random numbers for the head that follows it."""


@compiled(f"void({_I1}, {_F1}, f8[:, ::1])")
def open_eyes(seeds: Ints, blinks: Floats, memory: Floats) -> None:
    """State of characters before the first frame; each blinks first in its own time."""
    for c in range(len(seeds)):
        memory[c, :] = 0.0
        memory[c, LENGTH_S] = memory[c, BLINK_LENGTH_S] = 1.0
        memory[c, PLAN] = memory[c, AT] = FREE
        memory[c, SPOKE_S] = memory[c, BLINK_S] = memory[c, RAISE_S] = LONG_AGO_S
        memory[c, DUE_S] = blinks[FIRST_S] * uniform(seeds[c], BLINK, 0, 0)


@compiled(f"f8(i8, {_F1}, {_F1}, {_F1}, {_ROW})")
def hear(seed: int, cue: Floats, gaze: Floats, blinks: Floats, memory: Floats) -> float:
    """Process a cue; the angle of a saccade that it causes at once, -1 for none."""
    at_s, kind, value = cue[0], cue[1], cue[2]
    if kind == PAUSE:
        if memory[SPEAKING] == 1.0:
            blink_at_end(seed, at_s, blinks, memory)
            end_phrase(seed, at_s, gaze, memory)
    elif kind == SYLLABLE:
        memory[SPOKE_S] = at_s
        if memory[SPEAKING] == 0.0:
            begin_phrase(seed, at_s, gaze, memory)
    elif kind == RAISE:
        raise_brows(at_s, value, blinks, memory)
    elif kind == LISTENER:
        return address(seed, at_s, cue[3], cue[4], gaze, memory)
    elif kind == GLANCE:
        return glance(at_s, value, cue[3], cue[4], gaze, memory)
    elif kind == STAY:
        stay(at_s, value, gaze, memory)
    elif kind == LIDS_OPEN:
        memory[OPEN_S] = max(memory[OPEN_S], value)
    return -1.0


@compiled(f"void(i8, f8, {_F1}, {_ROW})")
def _write_look(seed: int, at_s: float, memory: Floats, row: Floats) -> None:
    place = place_of(memory)
    row[0], row[1], row[2] = at_s, memory[YAW], memory[PITCH]
    row[3] = uniform(seed, LOOK, place, HEAD_LATE)
    row[4] = uniform(seed, LOOK, place, HEAD_TAKES)


@compiled(f"void({_F1}, {_I1}, {_F2}, {_I1}, {_F1}, {_F1}, f8[:, ::1], f8[:, :, ::1], f8[:, ::1])")
def move_eyes(
    times_s: Floats,
    first: Ints,
    cues: Floats,
    seeds: Ints,
    gaze: Floats,
    blinks: Floats,
    memory: Floats,
    frames: Floats,
    looks: Floats,
) -> None:
    """Frames ``[characters, frames, FRAME]`` at ascending times.

    Parameters
    ----------
    first : ``[characters + 1]`` index in `cues` of each character's first.
    cues : ``[n, 5]`` time, kind and three numbers, in order of time.
    gaze, blinks : values of the settings.
    memory : ``[characters, MEMORY]``, updated.
    looks : ``[any, LOOKED]`` gets the looks in order, as many as have room.
    """
    written = 0
    for c in range(len(seeds)):
        seed, own, at = seeds[c], memory[c], first[c]
        for f in range(len(times_s)):
            while True:
                cue_s = cues[at, 0] if at < first[c + 1] else math.inf
                next_s = min(own[NEXT_S], own[DUE_S])
                if min(cue_s, next_s) > times_s[f]:
                    break
                far, at_s = -1.0, own[NEXT_S]
                if cue_s <= next_s:
                    far, at_s = hear(seed, cues[at], gaze, blinks, own), cue_s
                    at += 1
                elif own[NEXT_S] <= own[DUE_S]:
                    far = look_on(seed, gaze, own)
                else:
                    blink(seed, blinks, own)
                if far >= 0.0:
                    blink_with_look(seed, at_s, far, blinks, own)
                    if written < len(looks):
                        _write_look(seed, at_s, own, looks[written])
                        written += 1
            row = frames[c, f]
            row[0], row[1] = gaze_at(own, times_s[f])
            row[2], row[3], _, _ = home_at(own, times_s[f], gaze)
            row[4] = lid_closure(times_s[f], own, blinks)
            row[5] = brow_raise(times_s[f], own, blinks)
