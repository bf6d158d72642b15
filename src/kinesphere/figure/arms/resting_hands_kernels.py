"""Compiled hands at rest: which pose, small changes, drift, and the paths between poses."""

from __future__ import annotations

import math

import numba

from kinesphere.figure.arms.arm_overlay_kernels import blend_rotations
from kinesphere.figure.arms.elbow_kernels import read, write
from kinesphere.figure.random_kernels import REST, normal, uniform
from kinesphere.figure.standing.wander_kernels import draw_column, wander_at
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.maths.compiled import compiled, reads
from kinesphere.maths.curve_kernels import ease
from kinesphere.maths.quaternion_kernels import from_rotvec, rotvec

_F1, _F2, _F3, _F4 = (reads("float64", n) for n in (1, 2, 3, 4))
_I1, _ROW = reads("int64", 1), "f8[::1]"

# Poses of the table, and kinds of rest that are made of them.
SIDE, HANGING, HIP, POCKET, CLASPED, FOLDED = range(6)
KINDS = 6
KIND_SIDE, KIND_LEFT_HIP, KIND_RIGHT_HIP, KIND_POCKETS, KIND_CLASPED, KIND_FOLDED = range(KINDS)
_HABIT, _FIRST_WAVE = 1000, 100
# A hand: poses it comes from and goes to, offsets there (out, up, forward, swivel, curl), when its
# movement began and how long it takes. A character: both, then the next change, the last change of
# pose, the kind of rest, a counter, whether the hands are at rest.
HAND = 16
FROM, TO, OFF0, OFF1, AT_S, LONG_S = 0, 1, 2, 7, 12, 13
NEXT_S, CHANGED_S, KIND, NUMBER, RESTING = 2 * HAND, 2 * HAND + 1, 2 * HAND + 2, 2 * HAND + 3, 36
(
    K_FIRST_S,
    K_LAST_S,
    K_KEEP_S,
    K_CHANGE,
    K_APART_M,
    K_SWIVEL,
    K_CURL,
    K_DRIFT_M,
    K_DRIFT_SWIVEL,
    K_DRIFT_CURL,
    K_TOGETHER,
    K_MOVE_S,
    K_MOVE_POWER,
    K_LEAST_S,
    K_MOST_S,
    K_LATE_S,
    K_BULGE,
    K_SIDE,
    K_HIP,
    K_POCKETS,
    K_CLASPED,
    K_FOLDED,
    K_HABIT,
    K_OTHER_SIDE,
    K_REACH_M,
    K_REACH_SOFT_M,
) = range(26)


@compiled(f"void({_I1}, {_F2}, f8[:, :, :, ::1])")
def draw_drift(seeds: Ints, bands: Floats, waves: Floats) -> None:
    """Random rates and phases ``[characters, columns, waves, 2]`` of the drift of hands."""
    for c in range(len(seeds)):
        for k in range(len(bands)):
            draw_column(seeds[c], _FIRST_WAVE + k, bands[k], waves[c, k])


@compiled("b1(i8)")
def is_pair(pose: int) -> bool:
    """Whether the hands of a pose touch each other or the other arm, and move as one."""
    return pose >= CLASPED


@compiled(f"i8(i8, i8, i8, {_F1})")
def next_kind(seed: int, number: int, before: int, k: Floats) -> int:
    """Another kind of rest, by the habits of the person."""
    total = 0.0
    for again in range(2):
        left = total * uniform(seed, REST, number, 1)
        total = 0.0
        for kind in range(KINDS):
            place = K_SIDE if kind == KIND_SIDE else K_HIP + max(0, kind - KIND_RIGHT_HIP)
            weight = k[place] * math.exp(k[K_HABIT] * normal(seed, REST, _HABIT + kind, 0))
            if kind in (KIND_LEFT_HIP, KIND_RIGHT_HIP):
                weight *= 0.5
            if kind == before:
                weight = 0.0
            total += weight
            if again == 1 and total > left:
                return kind
    return KIND_SIDE


@compiled("i8(i8, i8, i8, i8)")
def pose_of(seed: int, number: int, kind: int, hand: int) -> int:
    """Pose of a hand in a kind of rest."""
    if kind >= KIND_CLASPED:
        return CLASPED + kind - KIND_CLASPED
    if kind == KIND_POCKETS:
        return POCKET
    if kind == KIND_LEFT_HIP + hand:
        return HIP
    return SIDE if uniform(seed, REST, number, 2 + hand) < 0.4 else HANGING


@compiled(f"void({_ROW}, i8, i8, i8, {_F1})")
def draw_place(m: Floats, seed: int, number: int, hand: int, k: Floats) -> None:
    """A new offset of a hand about its pose; hands that hold each other have none of their own."""
    b = hand * HAND
    own = 0.0 if is_pair(int(m[b + TO])) else 1.0
    for n in range(5):
        size = k[K_APART_M] if n < 3 else k[K_SWIVEL] if n == 3 else k[K_CURL]
        draw = min(max(normal(seed, REST, number, 10 + 10 * hand + 2 * n), -1.8), 1.8)
        m[b + OFF1 + n] = own * size * draw
    # Hands lie against the body: less to the side, and never into it.
    m[b + OFF1] = 0.5 * abs(m[b + OFF1])


@numba.njit(error_model="numpy")
def path_of(
    m: Floats, hand: int, body: int, side: float, wrists: Floats, ratio: float, k: Floats
) -> tuple[float, float, float]:
    """Wrist of a hand on its way, from its shoulder in the chest's axes.

    `body` is the hand of the table, 0 for the left one, and `side` its sign.
    """
    b = hand * HAND
    first, last = int(m[b + FROM]), int(m[b + TO])
    ax = side * wrists[first, body, 0] + m[b + OFF0]
    ay, az = wrists[first, body, 1] + m[b + OFF0 + 1], wrists[first, body, 2] + m[b + OFF0 + 2]
    bx = side * wrists[last, body, 0] + m[b + OFF1]
    by, bz = wrists[last, body, 1] + m[b + OFF1 + 1], wrists[last, body, 2] + m[b + OFF1 + 2]
    far = math.sqrt((bx - ax) ** 2 + (by - ay) ** 2 + (bz - az) ** 2)
    bulge = k[K_BULGE] * far
    # A control point in the middle of the way, out and forward.
    cx, cy, cz = 0.5 * (ax + bx) + bulge, 0.5 * (ay + by), 0.5 * (az + bz) + bulge
    u, v, w = (1.0 - ratio) ** 2, 2.0 * ratio * (1.0 - ratio), ratio * ratio
    return (u * ax + v * cx + w * bx, u * ay + v * cy + w * by, u * az + v * cz + w * bz)


@numba.njit(error_model="numpy")
def reached(x: float, y: float, z: float, most: float, soft: float) -> float:
    """Factor on a wrist that keeps its arm from being straight, where the elbow would snap."""
    size = math.sqrt(x * x + y * y + z * z)
    over = (size - most) / soft
    return (size - soft * (max(over, 0.0) + math.log1p(math.exp(-abs(over))))) / size


@numba.njit(error_model="numpy")
def move_hand(
    m: Floats,
    hand: int,
    seed: int,
    time_s: float,
    number: int,
    pose: int,
    wrists: Floats,
    sign: float,
    k: Floats,
) -> None:
    """Let a hand go to a pose, or to another place of its own."""
    b = hand * HAND
    m[b + FROM] = m[b + TO]
    for n in range(5):
        m[b + OFF0 + n] = m[b + OFF1 + n]
    m[b + TO] = pose
    draw_place(m, seed, number, hand, k)
    body = hand if sign > 0.0 else 1 - hand
    side = 1.0 - 2.0 * body
    far, place = 0.0, (0.0, 0.0, 0.0)
    for part in range(5):
        at = path_of(m, hand, body, side, wrists, 0.25 * part, k)
        if part > 0:
            far += math.sqrt(
                (at[0] - place[0]) ** 2 + (at[1] - place[1]) ** 2 + (at[2] - place[2]) ** 2
            )
        place = at
    pair = is_pair(pose) or is_pair(int(m[b + FROM]))
    vary = 1.0 if pair else math.exp(0.2 * normal(seed, REST, number, 40 + 2 * hand))
    long_s = k[K_MOVE_S] * vary * far ** k[K_MOVE_POWER]
    m[b + LONG_S] = min(max(long_s, k[K_LEAST_S]), k[K_MOST_S])
    late = 0.0 if pair else uniform(seed, REST, number, 50 + hand)
    m[b + AT_S] = time_s + k[K_LATE_S] * late


@numba.njit(error_model="numpy")
def change_hands(
    m: Floats, seed: int, time_s: float, wrists: Floats, sign: float, k: Floats
) -> None:
    """A small change of a hand's place, or another rest pose."""
    m[NUMBER] += 1.0
    number = int(m[NUMBER])
    wait_s = k[K_FIRST_S] + (k[K_LAST_S] - k[K_FIRST_S]) * uniform(seed, REST, number, 60)
    m[NEXT_S] = time_s + wait_s
    kept = time_s - m[CHANGED_S]
    if kept > k[K_KEEP_S] and uniform(seed, REST, number, 0) < k[K_CHANGE]:
        kind = next_kind(seed, number, int(m[KIND]), k)
        m[KIND], m[CHANGED_S] = kind, time_s
        for hand in range(2):
            pose = pose_of(seed, number, kind, hand)
            move_hand(m, hand, seed, time_s, number, pose, wrists, sign, k)
        both = max(m[LONG_S], m[HAND + LONG_S])
        if kind >= KIND_CLASPED:
            m[LONG_S] = m[HAND + LONG_S] = both
            m[AT_S] = m[HAND + AT_S] = time_s
        m[NEXT_S] = max(m[NEXT_S], time_s + both + 1.0)
        return
    if int(m[KIND]) >= KIND_CLASPED:
        return
    # One hand more often than both.
    which = uniform(seed, REST, number, 61)
    for hand in range(2):
        if which < 0.25 or (which < 0.625) == (hand == 0):
            pose = int(m[hand * HAND + TO])
            if pose <= HANGING and uniform(seed, REST, number, 62 + hand) < k[K_OTHER_SIDE]:
                pose = SIDE + HANGING - pose
            move_hand(m, hand, seed, time_s, number, pose, wrists, sign, k)


@numba.njit(error_model="numpy")
def begin_rest(m: Floats, seed: int, time_s: float, wrists: Floats, sign: float, k: Floats) -> None:
    """Hands come to rest: at home first, and at once."""
    m[NUMBER] += 1.0
    number = int(m[NUMBER])
    m[RESTING] = 1.0
    m[KIND], m[CHANGED_S] = KIND_SIDE, time_s
    for hand in range(2):
        m[hand * HAND + TO] = SIDE
        move_hand(m, hand, seed, time_s, number, SIDE, wrists, sign, k)
        m[hand * HAND + AT_S] = time_s - 10.0
        for n in range(5):
            m[hand * HAND + OFF0 + n] = m[hand * HAND + OFF1 + n]
    m[NEXT_S] = (
        time_s + k[K_FIRST_S] + (k[K_LAST_S] - k[K_FIRST_S]) * uniform(seed, REST, number, 60)
    )


@numba.njit(error_model="numpy")
def pose_hand(
    m: Floats,
    hand: int,
    time_s: float,
    sign: float,
    wrists: Floats,
    swivels: Floats,
    rolls: Floats,
    bends: Floats,
    collars: Floats,
    fingers: Floats,
    k: Floats,
    waves: Floats,
    out_wrists: Floats,
    out_swivels: Floats,
    out_rolls: Floats,
    out_bends: Floats,
    out_collars: Floats,
    out_fingers: Floats,
) -> float:
    """Arm of a frame; returns how far the hands hold each other, 0 to 1."""
    b = hand * HAND
    body = hand if sign > 0.0 else 1 - hand
    side = 1.0 - 2.0 * body
    ratio = ease((time_s - m[b + AT_S]) / m[b + LONG_S])
    first, last = int(m[b + FROM]), int(m[b + TO])
    held = (1.0 - ratio) * (1.0 if is_pair(first) else 0.0) + ratio * (
        1.0 if is_pair(last) else 0.0
    )
    x, y, z = path_of(m, hand, body, side, wrists, ratio, k)
    # Hands that hold each other drift as one, and less.
    w, c, t = 1.0 - held, k[K_DRIFT_M], k[K_TOGETHER] * held * k[K_DRIFT_M]
    own = 5 * hand
    world = 1.0 - 2.0 * hand
    x += w * c * 0.6 * wander_at(waves[own], time_s) + t * world * wander_at(waves[0], time_s)
    y += w * c * wander_at(waves[own + 1], time_s) + t * wander_at(waves[1], time_s)
    z += w * c * wander_at(waves[own + 2], time_s) + t * wander_at(waves[2], time_s)
    near = reached(x, y, z, k[K_REACH_M], k[K_REACH_SOFT_M])
    x, y, z = near * x, near * y, near * z
    out_wrists[body, 0], out_wrists[body, 1], out_wrists[body, 2] = side * x, y, z
    off = (1.0 - ratio) * m[b + OFF0 + 3] + ratio * m[b + OFF1 + 3]
    off += w * k[K_DRIFT_SWIVEL] * wander_at(waves[own + 3], time_s)
    out_swivels[body] = swivels[first, body] + ratio * (swivels[last, body] - swivels[first, body])
    out_swivels[body] += off
    out_rolls[body] = rolls[first, body] + ratio * (rolls[last, body] - rolls[first, body])
    bend = blend_rotations(read(bends[first], body), read(bends[last], body), ratio)
    write(out_bends, body, bend)
    collar = blend_rotations(read(collars[first], body), read(collars[last], body), ratio)
    write(out_collars, body, collar)
    curl = 1.0 + (1.0 - ratio) * m[b + OFF0 + 4] + ratio * m[b + OFF1 + 4]
    curl += w * k[K_DRIFT_CURL] * wander_at(waves[own + 4], time_s)
    for j in range(fingers.shape[2]):
        turn = read(fingers[last, body], j)
        if ratio < 1.0 and first != last:
            turn = blend_rotations(read(fingers[first, body], j), turn, ratio)
        write(out_fingers[body], j, from_rotvec(rotvec(turn), curl))
    return held


@compiled(
    f"void({_F1}, {_F2}, {_I1}, f8, {_F3}, {_F2}, {_F2}, {_F3}, {_F3}, {_F4}, {_F1}, {_F4}, "
    "f8[:, ::1], f8[:, :, ::1], f8[:, ::1], f8[:, ::1], f8[:, :, ::1], f8[:, :, ::1], "
    "f8[:, :, :, ::1], f8[::1])"
)
def rest_hands(
    times_s: Floats,
    rests: Floats,
    seeds: Ints,
    sign: float,
    wrists: Floats,
    swivels: Floats,
    rolls: Floats,
    bends: Floats,
    collars: Floats,
    fingers: Floats,
    k: Floats,
    waves: Floats,
    memory: Floats,
    out_wrists: Floats,
    out_swivels: Floats,
    out_rolls: Floats,
    out_bends: Floats,
    out_collars: Floats,
    out_fingers: Floats,
    held: Floats,
) -> None:
    """Arms ``[characters * frames, ...]`` of hands at rest; see `resting_hands.step`."""
    frames = len(times_s)
    for c in range(len(seeds)):
        m = memory[c]
        for f in range(frames):
            row, time_s = c * frames + f, times_s[f]
            for hand in range(2):
                # Rotations even where there is no rest.
                out_bends[row, hand, 0] = out_collars[row, hand, 0] = 1.0
                out_fingers[row, hand, :, 0] = 1.0
            if rests[c, f] <= 0.0:
                m[RESTING] = 0.0
                continue
            if m[RESTING] == 0.0:
                begin_rest(m, seeds[c], time_s, wrists, sign, k)
            if time_s >= m[NEXT_S]:
                change_hands(m, seeds[c], time_s, wrists, sign, k)
            for hand in range(2):
                both = pose_hand(
                    m,
                    hand,
                    time_s,
                    sign,
                    wrists,
                    swivels,
                    rolls,
                    bends,
                    collars,
                    fingers,
                    k,
                    waves[c],
                    out_wrists[row],
                    out_swivels[row],
                    out_rolls[row],
                    out_bends[row],
                    out_collars[row],
                    out_fingers[row],
                )
                held[row] = max(held[row], both)
