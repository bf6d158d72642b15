"""Compiled gaze of a character: where it looks, how its eyes and head turn there.

Yaw is to the character's left, pitch is down, both in the world, radians.
"""

from __future__ import annotations

import math

from kinesphere.figure.random_kernels import LOOK, PLACES, normal, uniform
from kinesphere.maths.arrays import Floats
from kinesphere.maths.compiled import compiled, reads
from kinesphere.maths.curve_kernels import ease
from kinesphere.maths.quaternion_kernels import (
    Quaternion,
    Vector,
    conjugate,
    from_rotvec,
    product,
    rotate,
    rotvec,
)
from kinesphere.motion.body.limits_kernels import clamp_rotation

_F1, _F2, _F3 = (reads("float64", n) for n in (1, 2, 3))
_ROW = "f8[::1]"

# State of a character between frames. Gaze before and after its last saccade, the saccade's start
# and duration; the time of the next look and what is planned for it; the numbers of phrase and of
# the look in it; what is looked at; whether a phrase is spoken and when one last was; until when
# the gaze stays on the listener, since when it is back, and a factor of the time until it leaves;
# the listener's direction; the head's home and its velocity, where it goes, and since when. Of
# blinks: the last one's start and duration, when the next is due, their number in the phrase, until
# when none begins. Of brows: the last raise and its height.
MEMORY = 32
(
    FROM_YAW,
    FROM_PITCH,
    YAW,
    PITCH,
    ONSET_S,
    LENGTH_S,
    NEXT_S,
    PLAN,
    PHRASE,
    NUMBER,
    AT,
    SPEAKING,
    SPOKE_S,
    STAY_S,
    BACK_S,
    PATIENCE,
    LISTENER_YAW,
    LISTENER_PITCH,
    HOME_YAW,
    HOME_PITCH,
    HOME_YAW_RATE,
    HOME_PITCH_RATE,
    HOME_GOAL_YAW,
    HOME_GOAL_PITCH,
    HOME_S,
    BLINK_S,
    BLINK_LENGTH_S,
    DUE_S,
    BLINKS,
    OPEN_S,
    RAISE_S,
    HEIGHT,
) = range(MEMORY)
# What is looked at, and what is planned.
FACE, ASIDE, THING, FREE = 0.0, 1.0, 2.0, 3.0
LONG_AGO_S = -1e9
# Values of the settings.
LIMITS = 36
(
    EYES,
    MOUTH,
    STRAY,
    VERGENCE,
    FIXATION_S,
    SHORT_S,
    LONG_S,
    AWAY_S,
    AWAY_SHORT_S,
    AWAY_LONG_S,
    SMALL,
    LARGE,
    SPREAD,
    SPEAKING_S,
    LISTENING_S,
    PHRASE_RATIO,
    PHRASE_DELAY_S,
    PAUSE_RATIO,
    HELD_S,
    LEAST_S,
    LEAST_BACK_S,
    FAR_ASIDE,
    SACCADE_S,
    SACCADE_S_PER_RAD,
    SACCADE_MOST,
    EYE_SIDE,
    EYE_UP,
    EYE_DOWN,
    EYE_KNEE,
    SIDE,
    HEAD_SIDE,
    HEAD_NOD,
    HEAD_FREE,
    HOME_PART,
    HOME_PER_S,
    NECK,
) = range(LIMITS)
# Random columns of a look.
_PATIENCE, _POINT, _ACROSS, _BELOW, _LENGTH, _SIZE, _KIND, _SLOPE = 20, 1, 2, 4, 6, 8, 9, 10
_LEFT, _THINKS, _WHEN, _PAUSES, HEAD_LATE, HEAD_TAKES, BLINKS_TOO, BLINKS_LATE = range(11, 19)
_FAR_CHEST, _BACKWARD = math.radians(90.0), math.radians(130.0)
_MOST_TWIST = math.radians(50.0)  # of the head in the chest


@compiled(f"i8({_F1})")
def place_of(memory: Floats) -> int:
    """Index of the random numbers of a character's current look."""
    return int(memory[PHRASE]) * PLACES + int(memory[NUMBER])


@compiled(f"UniTuple(f8, 2)({_F1}, f8)")
def gaze_at(memory: Floats, time_s: float) -> tuple[float, float]:
    """Yaw and pitch of the gaze, during a saccade or after it."""
    part = ease((time_s - memory[ONSET_S]) / memory[LENGTH_S])
    yaw = memory[FROM_YAW] + (memory[YAW] - memory[FROM_YAW]) * part
    return yaw, memory[FROM_PITCH] + (memory[PITCH] - memory[FROM_PITCH]) * part


@compiled("UniTuple(f8, 2)(f8, f8, f8, f8, f8)")
def _settling(
    at: float, rate: float, goal: float, per_s: float, own_s: float
) -> tuple[float, float]:
    """Position and velocity of a critically damped spring after a time."""
    left = at - goal
    pull = rate + per_s * left
    fade = math.exp(-per_s * own_s)
    return goal + (left + pull * own_s) * fade, (rate - per_s * pull * own_s) * fade


@compiled(f"UniTuple(f8, 4)({_F1}, f8, {_F1})")
def home_at(memory: Floats, time_s: float, limits: Floats) -> Quaternion:
    """Yaw and pitch of the head's home, and their velocities.

    It is between the listener and what is looked at, reached a little after the eyes are there.
    """
    own_s, per_s = max(time_s - memory[HOME_S], 0.0), limits[HOME_PER_S]
    yaw, yaw_rate = _settling(
        memory[HOME_YAW], memory[HOME_YAW_RATE], memory[HOME_GOAL_YAW], per_s, own_s
    )
    pitch, pitch_rate = _settling(
        memory[HOME_PITCH], memory[HOME_PITCH_RATE], memory[HOME_GOAL_PITCH], per_s, own_s
    )
    return yaw, pitch, yaw_rate, pitch_rate


@compiled(f"void(f8, {_F1}, {_ROW})")
def _go_home(at_s: float, limits: Floats, memory: Floats) -> None:
    """The head's home for what is looked at now."""
    yaw, pitch, yaw_rate, pitch_rate = home_at(memory, at_s, limits)
    memory[HOME_YAW], memory[HOME_PITCH], memory[HOME_S] = yaw, pitch, at_s
    memory[HOME_YAW_RATE], memory[HOME_PITCH_RATE] = yaw_rate, pitch_rate
    part, listener_yaw, listener_pitch = (
        limits[HOME_PART],
        memory[LISTENER_YAW],
        memory[LISTENER_PITCH],
    )
    memory[HOME_GOAL_YAW] = listener_yaw + part * (memory[YAW] - listener_yaw)
    memory[HOME_GOAL_PITCH] = listener_pitch + part * (memory[PITCH] - listener_pitch)


@compiled(f"UniTuple(f8, 2)(i8, i8, f8, {_F1})")
def place_beside(seed: int, place: int, from_yaw: float, limits: Floats) -> tuple[float, float]:
    """Direction of a look away from the listener: 50 % down, 30 % aside, 20 % up.

    Where the listener is far aside, it is towards the middle.
    """
    size = limits[SMALL] + (limits[LARGE] - limits[SMALL]) * uniform(seed, LOOK, place, _SIZE)
    kind, u = uniform(seed, LOOK, place, _KIND), uniform(seed, LOOK, place, _SLOPE)
    slope = 20.0 + 40.0 * u if kind < 0.5 else 30.0 * u - 10.0 if kind < 0.8 else -20.0 - 25.0 * u
    left = limits[SIDE] * (1.0 if uniform(seed, LOOK, place, _LEFT) < 0.5 else -1.0)
    if abs(from_yaw) > limits[FAR_ASIDE]:
        left = -math.copysign(1.0, from_yaw)
    slope *= math.pi / 180.0
    return left * size * math.cos(slope), size * math.sin(slope)


@compiled(f"UniTuple(f8, 2)(i8, i8, {_F1})")
def place_on_face(seed: int, place: int, limits: Floats) -> tuple[float, float]:
    """One of the listener's eyes, more often than the mouth, or near it."""
    point = uniform(seed, LOOK, place, _POINT)
    yaw = limits[STRAY] * normal(seed, LOOK, place, _ACROSS)
    pitch = limits[STRAY] * normal(seed, LOOK, place, _BELOW)
    if point < 0.25:
        return limits[SIDE] * yaw, pitch + limits[MOUTH]
    aside = limits[EYES] if point < 0.625 else -limits[EYES]
    return limits[SIDE] * (yaw + aside), pitch


@compiled(f"f8(f8, f8, f8, {_F1}, {_ROW})")
def jump(at_s: float, yaw: float, pitch: float, limits: Floats, memory: Floats) -> float:
    """Begin a saccade to a direction; its angle."""
    from_yaw, from_pitch = gaze_at(memory, at_s)
    far = math.hypot(yaw - from_yaw, pitch - from_pitch)
    memory[FROM_YAW], memory[FROM_PITCH] = from_yaw, from_pitch
    memory[YAW], memory[PITCH] = yaw, pitch
    memory[ONSET_S] = at_s
    memory[LENGTH_S] = limits[SACCADE_S] + limits[SACCADE_S_PER_RAD] * min(
        far, limits[SACCADE_MOST]
    )
    memory[PLAN] = FREE
    _go_home(at_s, limits, memory)
    return far


@compiled(f"f8(i8, f8, b1, {_F1}, {_ROW})")
def look(seed: int, at_s: float, away: bool, limits: Floats, memory: Floats) -> float:
    """Begin a look: beside the listener, or at the face; the angle of its saccade."""
    memory[NUMBER] += 1.0
    place = place_of(memory)
    length = math.exp(limits[SPREAD] * normal(seed, LOOK, place, _LENGTH))
    if away:
        yaw, pitch = place_beside(seed, place, memory[LISTENER_YAW], limits)
        stays_s = min(max(limits[AWAY_S] * length, limits[AWAY_SHORT_S]), limits[AWAY_LONG_S])
    else:
        if memory[AT] != FACE:
            memory[BACK_S] = at_s
            memory[PATIENCE] = math.exp(limits[SPREAD] * normal(seed, LOOK, place, _PATIENCE))
        yaw, pitch = place_on_face(seed, place, limits)
        stays_s = min(max(limits[FIXATION_S] * length, limits[SHORT_S]), limits[LONG_S])
    memory[NEXT_S] = at_s + stays_s
    memory[AT] = ASIDE if away else FACE
    return jump(at_s, memory[LISTENER_YAW] + yaw, memory[LISTENER_PITCH] + pitch, limits, memory)


@compiled(f"f8(f8, f8, f8, f8, {_F1}, {_ROW})")
def glance(
    at_s: float, until_s: float, yaw: float, pitch: float, limits: Floats, memory: Floats
) -> float:
    """Begin a look at something; the angle of its saccade."""
    memory[NUMBER] += 1.0
    memory[NEXT_S] = max(until_s, at_s)
    memory[AT] = THING
    return jump(at_s, yaw, pitch, limits, memory)


@compiled(f"f8(i8, f8, f8, f8, {_F1}, {_ROW})")
def address(
    seed: int, at_s: float, yaw: float, pitch: float, limits: Floats, memory: Floats
) -> float:
    """The listener is in another direction: look there, or after the end of a glance.

    Returns the angle of the saccade, or -1 without one.
    """
    memory[LISTENER_YAW], memory[LISTENER_PITCH] = yaw, pitch
    return -1.0 if memory[AT] == THING else look(seed, at_s, False, limits, memory)


@compiled(f"void(i8, f8, {_F1}, {_ROW})")
def begin_phrase(seed: int, at_s: float, limits: Floats, memory: Floats) -> None:
    """Plan the first look of a phrase: often away. Its random numbers are the phrase's own."""
    memory[SPEAKING] = 1.0
    if memory[PHRASE] == 0.0:
        memory[BACK_S] = LONG_AGO_S
    memory[PHRASE] += 1.0
    memory[NUMBER] = 0.0
    memory[BLINKS] = 0.0
    place = place_of(memory)
    memory[PATIENCE] = math.exp(limits[SPREAD] * normal(seed, LOOK, place, _PATIENCE))
    if memory[AT] == THING:
        return
    away = uniform(seed, LOOK, place, _THINKS) < limits[PHRASE_RATIO]
    first_s = at_s + limits[PHRASE_DELAY_S] * uniform(seed, LOOK, place, _WHEN)
    memory[NEXT_S] = min(first_s, memory[NEXT_S]) if memory[AT] == ASIDE else first_s
    memory[PLAN] = ASIDE if away else FACE


@compiled(f"void(i8, f8, {_F1}, {_ROW})")
def end_phrase(seed: int, at_s: float, limits: Floats, memory: Floats) -> None:
    """At a pause speakers sometimes look away."""
    thinks = uniform(seed, LOOK, place_of(memory), _PAUSES) < limits[PAUSE_RATIO]
    memory[SPEAKING], memory[SPOKE_S] = 0.0, at_s
    if thinks and memory[AT] == FACE:
        memory[NEXT_S], memory[PLAN] = max(at_s, memory[ONSET_S] + limits[LEAST_S]), ASIDE


@compiled(f"void(f8, f8, {_F1}, {_ROW})")
def stay(at_s: float, until_s: float, limits: Floats, memory: Floats) -> None:
    """No look away begins until a time; one that is going on ends."""
    memory[STAY_S] = max(memory[STAY_S], until_s)
    if memory[AT] == ASIDE:
        ends_s = max(at_s, memory[ONSET_S] + limits[AWAY_SHORT_S])
        memory[NEXT_S] = min(memory[NEXT_S], ends_s)


@compiled(f"f8(i8, {_F1}, {_ROW})")
def look_on(seed: int, limits: Floats, memory: Floats) -> float:
    """Start the next look: back from a look away, to another point of the face, or away."""
    at_s, plan = memory[NEXT_S], memory[PLAN]
    on_s = at_s - memory[BACK_S]
    away = plan == ASIDE
    if plan == FREE and memory[AT] == FACE:
        spoke = memory[SPEAKING] == 1.0 or at_s - memory[SPOKE_S] < limits[HELD_S]
        usual_s = limits[SPEAKING_S] if spoke else limits[LISTENING_S]
        away = on_s >= usual_s * memory[PATIENCE]
    may = at_s >= memory[STAY_S] and on_s >= limits[LEAST_BACK_S]
    return look(seed, at_s, away and may, limits, memory)


@compiled(f"UniTuple(f8, 4)(f8, f8, {_F1})")
def eye_turn(yaw: float, pitch: float, limits: Floats) -> Quaternion:
    """Rotation of an eye in its head, within its range.

    Up to ``1 - knee`` of the range the eye has exactly the direction; from ``1 + knee`` on it is
    at the limit, with a smooth transition in between.
    """
    knee = limits[EYE_KNEE]
    up_down = limits[EYE_DOWN] if pitch > 0.0 else limits[EYE_UP]
    far = math.hypot(yaw / limits[EYE_SIDE], pitch / up_down)
    kept = 1.0
    if far > 1.0 - knee:
        over = min(far - (1.0 - knee), 2.0 * knee)
        kept = (min(far, 1.0 + knee) - over * over / (4.0 * knee)) / far
    return from_rotvec((pitch * kept, yaw * kept, 0.0), 1.0)


@compiled(f"void({_F3}, {_F3}, {_F1}, f8[:, :, :, ::1])")
def turn_eyes(gaze: Floats, heads: Floats, limits: Floats, eyes: Floats) -> None:
    """Left and right eyes ``[characters, frames, 2, 4]`` for gaze ``[characters, frames, 2]``.

    They compensate for all motion of the heads ``[characters, frames, 4]`` in the world.
    """
    for c in range(len(gaze)):
        for f in range(gaze.shape[1]):
            yaw, pitch, head = gaze[c, f, 0], gaze[c, f, 1], heads[c, f]
            level = math.cos(pitch)
            there: Vector = (level * math.sin(yaw), -math.sin(pitch), level * math.cos(yaw))
            x, y, z = rotate(conjugate((head[0], head[1], head[2], head[3])), there)
            flat = math.hypot(x, y)
            turn = math.atan2(flat, z) / max(flat, 1e-12)
            for side in range(2):
                inward = -limits[VERGENCE] if side == 0 else limits[VERGENCE]
                q = eye_turn(x * turn + inward, -y * turn, limits)
                for k in range(4):
                    eyes[c, f, side, k] = q[k]


@compiled("f8(f8)")
def _wrapped(angle: float) -> float:
    return math.atan2(math.sin(angle), math.cos(angle))


@compiled("f8(f8, f8)")
def _softened(far: float, free: float) -> float:
    """A distance that grows freely up to a ratio, and towards 1 beyond it."""
    if far <= free:
        return far
    return free + (1.0 - free) * math.tanh((far - free) / (1.0 - free))


@compiled(f"UniTuple(f8, 2)({_F1}, {_F1}, {_F1}, {_F1})")
def head_correction(
    home: Floats, chest: Floats, head: Floats, limits: Floats
) -> tuple[float, float]:
    """Yaw and pitch that bring a head nearer to its home.

    Near its home a head is free. A chest turned far from it takes the head along.
    """
    x, y, z = rotate((head[0], head[1], head[2], head[3]), (0.0, 0.0, 1.0))
    a, _, b = rotate((chest[0], chest[1], chest[2], chest[3]), (0.0, 0.0, 1.0))
    yaw = _wrapped(math.atan2(x, z) - home[0])
    pitch = -math.asin(min(max(y, -1.0), 1.0)) - home[1]
    chest_yaw = _wrapped(math.atan2(a, b) - home[0])
    far = math.hypot(yaw / limits[HEAD_SIDE], pitch / limits[HEAD_NOD])
    kept = _softened(far, limits[HEAD_FREE]) / max(far, 1e-9)
    turn = (kept - 1.0) * yaw
    before = _wrapped(yaw - chest_yaw)
    after = before + turn
    most = max(_MOST_TWIST, abs(before))
    turn += min(max(after, -most), most) - after
    weight = 1.0 - ease((abs(chest_yaw) - _FAR_CHEST) / (_BACKWARD - _FAR_CHEST))
    return weight * turn, weight * (kept - 1.0) * pitch


@compiled(f"void({_F3}, i8, i8, i8, {_F1}, {_F2}, f8[:, :, :, ::1], f8[:, :, :, ::1])")
def home_heads(
    homes: Floats,
    chest: int,
    neck: int,
    head: int,
    limits: Floats,
    joints: Floats,
    rotations: Floats,
    world: Floats,
) -> None:
    """Bring heads nearer to their homes ``[characters, frames, 2]``; neck and head share it.

    Parameters
    ----------
    chest, neck, head : joints, each the parent of the next.
    joints : ``[2, 19]`` joint limits of neck and head, which are kept.
    rotations, world : ``[characters, frames, joints, 4]``, local and in the world; of neck and head
        they are updated.
    """
    for c in range(len(homes)):
        for f in range(homes.shape[1]):
            w, r = world[c, f], rotations[c, f]
            yaw, pitch = head_correction(homes[c, f], w[chest], w[head], limits)
            x, _, z = rotate((w[head, 0], w[head, 1], w[head, 2], w[head, 3]), (0.0, 0.0, 1.0))
            size = max(math.hypot(x, z), 1e-9)
            nod = from_rotvec((z / size, 0.0, -x / size), pitch)
            turn = product(from_rotvec((0.0, 1.0, 0.0), yaw), nod)
            part = from_rotvec(rotvec(turn), limits[NECK])
            below = (w[chest, 0], w[chest, 1], w[chest, 2], w[chest, 3])
            on_neck = product(part, (w[neck, 0], w[neck, 1], w[neck, 2], w[neck, 3]))
            on_head = product(turn, (w[head, 0], w[head, 1], w[head, 2], w[head, 3]))
            own_neck = clamp_rotation(product(conjugate(below), on_neck), joints[0])
            on_neck = product(below, own_neck)
            own_head = clamp_rotation(product(conjugate(on_neck), on_head), joints[1])
            on_head = product(on_neck, own_head)
            for k in range(4):
                w[neck, k], w[head, k] = on_neck[k], on_head[k]
                r[neck, k], r[head, k] = own_neck[k], own_head[k]
