"""Compiled loop of live eyes: the gaze of each character, and the rotation of its eyes.

Yaw is to the character's left, pitch is down, both from the listener's direction, radians.
"""

from __future__ import annotations

import math

from kinesphere.animation.head.live_cues import PAUSE
from kinesphere.animation.idle.random_kernels import LOOK, normal, uniform
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.maths.compiled import compiled, reads
from kinesphere.maths.quaternion_kernels import Quaternion, Vector, conjugate, from_rotvec, rotate

_F1, _F2, _F3 = (reads("float64", n) for n in (1, 2, 3))
_I1 = reads("int64", 1)
_ROW = "f8[::1]"

# State of a character between frames: gaze before and after its last saccade, the saccade's start
# and duration, the time of the next, how many there were, whether it is a look away, and when a
# syllable was last known.
MEMORY = 10
(_FROM_YAW, _FROM_PITCH, _YAW, _PITCH, _ONSET_S, LENGTH_S, NEXT_S, _NUMBER, AWAY, SPOKE_S) = range(
    MEMORY
)
# Values from the settings.
LIMITS = 26
(
    _LISTENER_YAW,
    _LISTENER_PITCH,
    _EYES,
    _MOUTH,
    _STRAY,
    _VERGENCE,
    _FIXATION_S,
    _SHORT_S,
    _LONG_S,
    _AWAY_S,
    _AWAY_SHORT_S,
    _AWAY_LONG_S,
    _SMALL,
    _LARGE,
    _SPEAKING,
    _LISTENING,
    _PAUSE,
    _TURN,
    _HELD_S,
    _SACCADE_S,
    _SACCADE_S_PER_RAD,
    _SIDE,
    _UP,
    _DOWN,
    _EASE,
    _SIGN,
) = range(LIMITS)
# Random columns of a look.
_GOES, _POINT, _ASIDE, _BELOW, _LENGTH, _SIZE, _KIND, _SLOPE, _LEFT, _THINKS = (
    0,
    1,
    2,
    4,
    6,
    8,
    9,
    10,
    11,
    12,
)
_LEAST_LOOK_S = 0.15  # shortest fixation
_SPREAD = 0.45  # of the durations of looks, natural logarithm


@compiled(f"UniTuple(f8, 2)({_F1}, f8)")
def gaze_at(memory: Floats, time_s: float) -> tuple[float, float]:
    """Yaw and pitch of the gaze, during a saccade or after it."""
    r = min(max((time_s - memory[_ONSET_S]) / memory[LENGTH_S], 0.0), 1.0)
    ease = r * r * r * (10.0 + r * (6.0 * r - 15.0))
    yaw = memory[_FROM_YAW] + (memory[_YAW] - memory[_FROM_YAW]) * ease
    return yaw, memory[_FROM_PITCH] + (memory[_PITCH] - memory[_FROM_PITCH]) * ease


@compiled(f"UniTuple(f8, 2)(i8, i8, {_F1})")
def place_beside(seed: int, number: int, limits: Floats) -> tuple[float, float]:
    """Direction of a look away: 50 % down and aside, 30 % aside, 20 % up and aside."""
    size = limits[_SMALL] + (limits[_LARGE] - limits[_SMALL]) * uniform(seed, LOOK, number, _SIZE)
    kind, u = uniform(seed, LOOK, number, _KIND), uniform(seed, LOOK, number, _SLOPE)
    slope = 20.0 + 40.0 * u if kind < 0.5 else 30.0 * u - 10.0 if kind < 0.8 else -20.0 - 25.0 * u
    left = limits[_SIGN] * (1.0 if uniform(seed, LOOK, number, _LEFT) < 0.5 else -1.0)
    slope *= math.pi / 180.0
    return left * size * math.cos(slope), size * math.sin(slope)


@compiled(f"UniTuple(f8, 2)(i8, i8, {_F1})")
def place_on_face(seed: int, number: int, limits: Floats) -> tuple[float, float]:
    """One of the listener's eyes, more often than the mouth, or near it."""
    point = uniform(seed, LOOK, number, _POINT)
    yaw = limits[_STRAY] * normal(seed, LOOK, number, _ASIDE)
    pitch = limits[_STRAY] * normal(seed, LOOK, number, _BELOW)
    if point < 0.25:
        return limits[_SIGN] * yaw, pitch + limits[_MOUTH]
    aside = limits[_EYES] if point < 0.625 else -limits[_EYES]
    return limits[_SIGN] * (yaw + aside), pitch


@compiled(f"void(i8, f8, b1, {_F1}, {_ROW})")
def look(seed: int, at_s: float, away: bool, limits: Floats, memory: Floats) -> None:
    """Begin a look: away, or at the listener's face."""
    from_yaw, from_pitch = gaze_at(memory, at_s)
    memory[_NUMBER] += 1.0
    number = int(memory[_NUMBER])
    length = math.exp(_SPREAD * normal(seed, LOOK, number, _LENGTH))
    if away:
        yaw, pitch = place_beside(seed, number, limits)
        stays_s = min(max(limits[_AWAY_S] * length, limits[_AWAY_SHORT_S]), limits[_AWAY_LONG_S])
    else:
        yaw, pitch = place_on_face(seed, number, limits)
        stays_s = min(max(limits[_FIXATION_S] * length, limits[_SHORT_S]), limits[_LONG_S])
    far = math.hypot(yaw - from_yaw, pitch - from_pitch)
    memory[_FROM_YAW], memory[_FROM_PITCH] = from_yaw, from_pitch
    memory[_YAW], memory[_PITCH] = yaw, pitch
    memory[_ONSET_S] = at_s
    memory[LENGTH_S] = limits[_SACCADE_S] + limits[_SACCADE_S_PER_RAD] * far
    memory[NEXT_S] = at_s + stays_s
    memory[AWAY] = 1.0 if away else 0.0


@compiled(f"void(i8, f8, f8, {_F1}, {_ROW})")
def hear(seed: int, kind: float, at_s: float, limits: Floats, memory: Floats) -> None:
    """Process a cue: at a pause, and at the first syllable of a turn, speakers often look away."""
    speaking = at_s - memory[SPOKE_S] < limits[_HELD_S]
    ratio = 0.0
    if kind == PAUSE:
        ratio = limits[_PAUSE] if speaking else 0.0
    else:
        ratio = 0.0 if speaking else limits[_TURN]
        memory[SPOKE_S] = at_s
    chance = uniform(seed, LOOK, int(memory[_NUMBER]), _THINKS)
    settled = at_s - memory[_ONSET_S] >= _LEAST_LOOK_S
    if chance < ratio and settled and memory[AWAY] == 0.0:
        look(seed, at_s, True, limits, memory)


@compiled(f"void(i8, {_F1}, {_ROW})")
def look_on(seed: int, limits: Floats, memory: Floats) -> None:
    """Start the next look: back from a look away, to another point of the face, or away."""
    at_s = memory[NEXT_S]
    speaking = at_s - memory[SPOKE_S] < limits[_HELD_S]
    ratio = limits[_SPEAKING] if speaking else limits[_LISTENING]
    chance = uniform(seed, LOOK, int(memory[_NUMBER]), _GOES)
    look(seed, at_s, memory[AWAY] == 0.0 and chance < ratio, limits, memory)


@compiled(f"UniTuple(f8, 4)(f8, f8, {_F1})")
def eye_turn(yaw: float, pitch: float, limits: Floats) -> Quaternion:
    """Rotation of an eye in its head, within its range.

    Up to ``1 - ease`` of the range the eye has exactly the direction; from ``1 + ease`` on it is
    at the limit, with a smooth transition in between.
    """
    ease = limits[_EASE]
    far = math.hypot(yaw / limits[_SIDE], pitch / (limits[_DOWN] if pitch > 0.0 else limits[_UP]))
    kept = 1.0
    if far > 1.0 - ease:
        over = min(far - (1.0 - ease), 2.0 * ease)
        kept = (min(far, 1.0 + ease) - over * over / (4.0 * ease)) / far
    return from_rotvec((pitch * kept, yaw * kept, 0.0), 1.0)


@compiled(f"void(f8, {_F1}, {_F1}, {_F1}, f8[:, ::1])")
def turn_eyes(time_s: float, head: Floats, limits: Floats, memory: Floats, eyes: Floats) -> None:
    """Left and right eye ``[2, 4]`` in a head with a given rotation in the world."""
    own_yaw, own_pitch = gaze_at(memory, time_s)
    yaw, pitch = limits[_LISTENER_YAW] + own_yaw, limits[_LISTENER_PITCH] + own_pitch
    level = math.cos(pitch)
    there: Vector = (level * math.sin(yaw), -math.sin(pitch), level * math.cos(yaw))
    x, y, z = rotate(conjugate((head[0], head[1], head[2], head[3])), there)
    flat = math.hypot(x, y)
    turn = math.atan2(flat, z) / max(flat, 1e-12)
    for side in range(2):
        inward = -limits[_VERGENCE] if side == 0 else limits[_VERGENCE]
        eyes[side, 0], eyes[side, 1], eyes[side, 2], eyes[side, 3] = eye_turn(
            x * turn + inward, -y * turn, limits
        )


@compiled(f"void({_F1}, {_F3}, {_I1}, {_F2}, {_I1}, {_F1}, f8[:, ::1], f8[:, :, :, ::1])")
def move_eyes(
    times_s: Floats,
    heads: Floats,
    first: Ints,
    cues: Floats,
    seeds: Ints,
    limits: Floats,
    memory: Floats,
    eyes: Floats,
) -> None:
    """Eyes ``[characters, frames, 2, 4]`` within heads ``[characters, frames, 4]``.

    Parameters
    ----------
    first : ``[characters + 1]`` index in `cues` of each character's first.
    cues : ``[any, 2]`` kind and time of the cues, in order of time.
    memory : ``[characters, MEMORY]``, updated.
    """
    for c in range(len(seeds)):
        at = first[c]
        for f in range(len(times_s)):
            while True:
                cue_s = cues[at, 1] if at < first[c + 1] else math.inf
                if min(cue_s, memory[c, NEXT_S]) > times_s[f]:
                    break
                if cue_s <= memory[c, NEXT_S]:
                    hear(seeds[c], cues[at, 0], cue_s, limits, memory[c])
                    at += 1
                else:
                    look_on(seeds[c], limits, memory[c])
            turn_eyes(times_s[f], heads[c, f], limits, memory[c], eyes[c, f])
