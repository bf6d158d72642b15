"""Compiled loops of live idle motion; every frame is computed from its time alone."""

from __future__ import annotations

import math

from kinesphere.animation.idle.random_kernels import BREATH, NOD, SHIFT, WAVE, uniform
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.maths.compiled import compiled, reads

_F1, _F2, _F3, _F4 = (reads("float64", n) for n in (1, 2, 3, 4))
_I1 = reads("int64", 1)

WAVES = 6
COLUMNS = 8  # sway to the side and fore, torso x y z, head x y z
_TURN = 2.0 * math.pi
# Frequency of the variation of the breath rate, as a ratio of that rate, and its amplitude.
_UNEVEN, _UNEVEN_BY = 0.23, 0.4
_BREATH_SPREAD = 0.12  # of the rate between characters
_NECK_NOD, _NECK_TILT = 0.3, 0.45  # its part in nodding and tilting, as in `head_settings`
# Values from the settings.
SIZES = 24
(
    _BREATH_HZ,
    _RISE_M,
    _PITCH,
    _SIDE_M,
    _FORE_M,
    _LOW_HZ,
    _HIGH_HZ,
    _SHIFT_M,
    _SHIFT_FIRST_S,
    _SHIFT_LAST_S,
    _SHIFT_TAKES_S,
    _TORSO,
    _HEAD,
    _NOD_FIRST_S,
    _NOD_LAST_S,
    _NOD,
    _TILT,
    _SINK_M,
    _SIDE_SINK,
    _ROUND_M,
    _COLLAR_M,
    _NECK_SHARE,
    _HEAD_SHARE,
    _HEAD_KEEPS,
) = range(SIZES)
_SPINE, _CHEST, _UPPER, _LEFT, _RIGHT, _NECK, _HEAD_BONE = range(7)


@compiled("f8(f8)")
def _minimum_jerk(ratio: float) -> float:
    r = min(max(ratio, 0.0), 1.0)
    return r * r * r * (10.0 + r * (6.0 * r - 15.0))


@compiled("UniTuple(f8, 2)(i8, i8, f8, f8, f8)")
def event_before(
    seed: int, stream: int, first_s: float, last_s: float, time_s: float
) -> tuple[float, float]:
    """Index and time of the last event up to a time; events are `first_s` to `last_s` apart.

    Event i is at about ``i`` mean intervals after 0 s, so that it is found without those before.
    """
    mean_s = 0.5 * (first_s + last_s)
    spread = (last_s - first_s) / (last_s + first_s)
    i = math.floor(time_s / mean_s) + 1
    at_s = mean_s * (i + spread * (uniform(seed, stream, i, 0) - 0.5))
    while at_s > time_s:
        i -= 1
        at_s = mean_s * (i + spread * (uniform(seed, stream, i, 0) - 0.5))
    return float(i), at_s


@compiled(f"f8(i8, f8, {_F1})")
def weight_side(seed: int, time_s: float, sizes: Floats) -> float:
    """Side that carries the weight, from -1 to 1, changing at events."""
    number, at_s = event_before(seed, SHIFT, sizes[_SHIFT_FIRST_S], sizes[_SHIFT_LAST_S], time_s)
    i = int(number)
    before, goal = (
        2.0 * uniform(seed, SHIFT, i - 1, 1) - 1.0,
        2.0 * uniform(seed, SHIFT, i, 1) - 1.0,
    )
    return before + (goal - before) * _minimum_jerk((time_s - at_s) / sizes[_SHIFT_TAKES_S])


@compiled(f"UniTuple(f8, 2)(i8, f8, {_F1})")
def nod_and_tilt(seed: int, time_s: float, sizes: Floats) -> tuple[float, float]:
    """Chin down and head to the right, radians: occasionally one nod or two, or a longer tilt.

    The longest takes less than four seconds.
    """
    number, at_s = event_before(seed, NOD, sizes[_NOD_FIRST_S], sizes[_NOD_LAST_S], time_s)
    i, own_s = int(number), time_s - at_s
    size = 0.6 + 0.8 * uniform(seed, NOD, i, 1)
    kind, length = uniform(seed, NOD, i, 2), uniform(seed, NOD, i, 3)
    if kind < 0.6:
        half_s = 0.22 + 0.12 * length
        down = _minimum_jerk(own_s / half_s) - _minimum_jerk((own_s - half_s) / (1.3 * half_s))
        if kind < 0.25:  # a second one, smaller
            own_s -= 2.3 * half_s
            down += 0.6 * _minimum_jerk(own_s / half_s)
            down -= 0.6 * _minimum_jerk((own_s - half_s) / (1.4 * half_s))
        return sizes[_NOD] * size * down, 0.0
    hold_s = 0.9 + 1.2 * length
    aside = _minimum_jerk(own_s / 0.7) - _minimum_jerk((own_s - 0.7 - hold_s) / 0.9)
    return 0.0, sizes[_TILT] * size * aside * (1.0 if kind < 0.8 else -1.0)


@compiled(f"void({_I1}, f8, f8, f8[:, :, :, ::1], f8[:, ::1])")
def draw_waves(seeds: Ints, low_hz: float, high_hz: float, waves: Floats, breath: Floats) -> None:
    """Random rates (radians per second) and phases of the waves of characters.

    ``waves [characters, COLUMNS, WAVES, 2]``, ``breath [characters, 3]``: factor of its rate, its
    phase and that of its variation.
    """
    low, high = math.log(low_hz), math.log(high_hz)
    for c in range(len(seeds)):
        for k in range(COLUMNS):
            for w in range(WAVES):
                u = uniform(seeds[c], WAVE, k, 2 * w)
                waves[c, k, w, 0] = _TURN * math.exp(low + (high - low) * u)
                waves[c, k, w, 1] = _TURN * uniform(seeds[c], WAVE, k, 2 * w + 1)
        breath[c, 0] = 1.0 + _BREATH_SPREAD * (2.0 * uniform(seeds[c], BREATH, 0, 0) - 1.0)
        breath[c, 1] = _TURN * uniform(seeds[c], BREATH, 0, 1)
        breath[c, 2] = _TURN * uniform(seeds[c], BREATH, 0, 2)


@compiled(f"f8({_F2}, f8)")
def _wander(waves: Floats, time_s: float) -> float:
    """Smooth noise of root mean square 1."""
    total = 0.0
    for w in range(WAVES):
        total += math.sin(waves[w, 0] * time_s + waves[w, 1])
    return total * math.sqrt(2.0 / WAVES)


@compiled(f"void(i8, f8, f8, f8, {_F1}, {_F3}, {_F1}, f8[::1], f8[:, ::1])")
def _live(
    seed: int,
    time_s: float,
    amount: float,
    nodding: float,
    sizes: Floats,
    waves: Floats,
    breath: Floats,
    shift: Floats,
    turns: Floats,
) -> None:
    """One character at one time: translation of the hips ``[3]``, bone rotations ``[7, 3]``."""
    side = sizes[_SIDE_M] * _wander(waves[0], time_s)
    side += sizes[_SHIFT_M] * weight_side(seed, time_s, sizes)
    shift[0] = amount * side
    # Lower, so that the knees can bend; smooth where the weight crosses the middle.
    aside = math.hypot(side, sizes[_ROUND_M]) - sizes[_ROUND_M]
    shift[1] = amount * (-sizes[_SIDE_SINK] * aside - sizes[_SINK_M])
    shift[2] = amount * sizes[_FORE_M] * _wander(waves[1], time_s)
    rate = _TURN * sizes[_BREATH_HZ] * breath[0] * time_s
    full = math.sin(rate + breath[1] + _UNEVEN_BY * math.sin(_UNEVEN * rate + breath[2]))
    turns[:] = 0.0
    for k in range(3):
        torso = amount * sizes[_TORSO] * _wander(waves[2 + k], time_s)
        head = amount * sizes[_HEAD] * _wander(waves[5 + k], time_s)
        pitch = -amount * sizes[_PITCH] * full if k == 0 else 0.0
        turns[_SPINE, k] = 0.5 * torso
        turns[_CHEST, k] = 0.5 * torso + 0.5 * pitch
        turns[_UPPER, k] = 0.5 * pitch
        # The head keeps its orientation: it does not follow the sway of the trunk.
        turns[_NECK, k] = sizes[_NECK_SHARE] * head - 0.5 * torso - 0.5 * pitch
        own = sizes[_HEAD_SHARE] * head
        turns[_HEAD_BONE, k] = own - sizes[_HEAD_KEEPS] * torso - 0.5 * pitch
    rise = amount * sizes[_RISE_M] / sizes[_COLLAR_M] * full
    turns[_LEFT, 2], turns[_RIGHT, 2] = rise, -rise
    if nodding > 0.0:
        down, tilt = nod_and_tilt(seed, time_s, sizes)
        most = amount * nodding
        turns[_NECK, 0] += most * _NECK_NOD * down
        turns[_HEAD_BONE, 0] += most * (1.0 - _NECK_NOD) * down
        turns[_NECK, 2] += most * _NECK_TILT * tilt
        turns[_HEAD_BONE, 2] += most * (1.0 - _NECK_TILT) * tilt


@compiled(f"void({_I1}, {_F1}, {_F1}, {_F2}, {_F1}, {_F4}, {_F2}, f8[:, :, ::1], f8[:, :, :, ::1])")
def live_idle(
    seeds: Ints,
    times_s: Floats,
    amounts: Floats,
    nodding: Floats,
    sizes: Floats,
    waves: Floats,
    breath: Floats,
    shifts: Floats,
    turns: Floats,
) -> None:
    """Idle motion of characters: ``shifts [characters, frames, 3]``, ``turns [..., 7, 3]``."""
    for c in range(len(seeds)):
        for f in range(len(times_s)):
            _live(
                seeds[c],
                times_s[f],
                amounts[c],
                nodding[c, f],
                sizes,
                waves[c],
                breath[c],
                shifts[c, f],
                turns[c, f],
            )
