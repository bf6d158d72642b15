"""Compiled loop of live faces: blinks and brow raises, frame by frame."""

from __future__ import annotations

from kinesphere.animation.head.live_cues import PAUSE, STRESS
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.maths.compiled import compiled, reads

_F1, _F2, _I1 = reads("float64", 1), reads("float64", 2), reads("int64", 1)

# Values from the settings; without blinks `BLINKS` is 0.
LIMITS = 8
BLINKS, _APART_S, _REACH, _BLINK_S, _BROW_APART_S, _LEAD_S, _HOLD_S, _FALL_S = range(LIMITS)


@compiled("f8(f8)")
def _smoothstep(ratio: float) -> float:
    r = min(max(ratio, 0.0), 1.0)
    return r * r * (3.0 - 2.0 * r)


@compiled("f8(f8)")
def _minimum_jerk(ratio: float) -> float:
    r = min(max(ratio, 0.0), 1.0)
    return r * r * r * (10.0 + r * (6.0 * r - 15.0))


@compiled(f"f8(f8, f8, {_F1})")
def _lid_closure(time_s: float, at_s: float, limits: Floats) -> float:
    """Lids during a blink: closed in 80 ms, closed for 40, then open again."""
    if not at_s <= time_s <= at_s + limits[_BLINK_S]:
        return 0.0
    own = time_s - at_s
    shape = _smoothstep(own / 0.08) - _smoothstep((own - 0.12) / (limits[_BLINK_S] - 0.12))
    return min(max(0.0, shape), 1.0)


@compiled(f"f8(f8, f8, f8, {_F1})")
def _brow_raise(time_s: float, at_s: float, size: float, limits: Floats) -> float:
    """Brows during a raise."""
    lead_s, hold_s, fall_s = limits[_LEAD_S], limits[_HOLD_S], limits[_FALL_S]
    if not at_s <= time_s <= at_s + (lead_s + hold_s + fall_s):
        return 0.0
    own = time_s - at_s
    down = _minimum_jerk((own - lead_s - hold_s) / fall_s)
    return min(max(0.0, size * (_minimum_jerk(own / lead_s) - down)), 1.0)


@compiled(
    f"void({_F1}, {_I1}, {_F2}, f8, {_F1}, {_F2}, f8[:, ::1], i8[::1], f8[:, ::1], f8[:, ::1])"
)
def move_faces(
    times_s: Floats,
    first: Ints,
    cues: Floats,
    size: float,
    limits: Floats,
    waits: Floats,
    onsets: Floats,
    taken: Ints,
    blink: Floats,
    brow: Floats,
) -> None:
    """Blinks and brows of characters ``[characters, frames]``.

    Parameters
    ----------
    first : ``[characters + 1]`` index in `cues` of each character's first.
    cues : ``[any, 2]`` kind and time of the cues, in order of time.
    size : height of a raise.
    waits : ``[characters, enough]`` times from each blink to the next, from the last blink on.
    onsets : ``[characters, 2]`` of the last blink and the last raise; updated.
    taken : ``[characters]`` how many of the waits were used.
    """
    for c in range(len(onsets)):
        pause, stress, used = first[c], first[c], 0
        last_s, raised_s = onsets[c, 0], onsets[c, 1]
        for f in range(len(times_s)):
            now_s = times_s[f]
            while limits[BLINKS] > 0.0:
                wait_s = waits[c, used]
                least_s = last_s + max(limits[_APART_S], (1.0 - limits[_REACH]) * wait_s)
                while pause < first[c + 1] and (
                    cues[pause, 0] != PAUSE or cues[pause, 1] < least_s
                ):
                    pause += 1
                at_s = last_s + wait_s
                if pause < first[c + 1]:
                    at_s = min(at_s, cues[pause, 1])
                if at_s > now_s:
                    break
                last_s = at_s
                used += 1
            while stress < first[c + 1] and (cues[stress, 0] != STRESS or cues[stress, 1] <= now_s):
                if (
                    cues[stress, 0] == STRESS
                    and cues[stress, 1] >= raised_s + limits[_BROW_APART_S]
                ):
                    raised_s = cues[stress, 1]
                stress += 1
            blink[c, f] = _lid_closure(now_s, last_s, limits)
            brow[c, f] = _brow_raise(now_s, raised_s, size, limits)
        onsets[c, 0], onsets[c, 1] = last_s, raised_s
        taken[c] = used
