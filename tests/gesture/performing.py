"""Lexemes acted out on the default figure, as their entries say and with the errors of people."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

import kinesphere as ks
from kinesphere.animation.arms.poses.home_pose import home_clip
from kinesphere.gesture.form import PEAKS, direction
from kinesphere.gesture.hand_shapes import HandShape, finger_turns, shape_by_name, with_fingers
from kinesphere.gesture.hand_zones import elbow_swivel
from kinesphere.gesture.lexicon import Lexeme
from kinesphere.gesture.phases import Hands
from kinesphere.gesture.placement import PALM_M
from kinesphere.gesture.positions import DIMENSIONS, HandPosition
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import SIDES, Side, arm_turns, measure_arm, sign_of, with_arm
from kinesphere.motion.clip import Clip
from kinesphere.motion.keyed.torso import with_torso
from tests.gesture.plain_placement import palm_position

RIG = ks.default_rig()
FPS = 60.0
HEIGHTS_M = (1.86, 1.62, 1.42, 1.27, 1.11, 0.98, 0.84)
# What the lexicon's text says of these beyond its numbers: centimetres above the chord.
HOPS = {"Cup": -4, "Shrug": -3, "OpenHands": -5, "Umbrella": 5, "Shift": 6, "Path": -4, "Away": -4}
RATES = {
    "Progressive": 2.4,
    "Regressive": 2.1,
    "Doubt": 2.2,
    "Weigh": 1.1,
    "Wave": 2.0,
    "ComeHere": 2.2,
}
_POINTING = ("Pointing", "RaisedIndex", "NumberSign", "Oath", "Victory", "Stop", "Temple")


@dataclass(frozen=True)
class Errors:
    """Standard deviations, and how often a start or an end is a bucket off."""

    metres: float = 0.015
    degrees: float = 6.0
    fingers: float = 4.0
    bucket: float = 0.1
    time: float = 0.12


USUAL = Errors()
NONE = Errors(0.0, 0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Performance:
    """A clip, and the frames of its stroke."""

    clip: Clip
    start: int
    end: int
    last: int
    strokes: int


def performed(
    lexeme: Lexeme,
    hands: Hands,
    rng: np.random.Generator,
    errors: Errors = USUAL,
    strokes: int | None = None,
    lead_s: float = 0.3,
) -> Performance:
    """Act a lexeme: wait at the start, stroke, repetitions, wait at the end."""
    sides: tuple[Side, ...] = SIDES if hands == "both" else (hands,)
    times = int(rng.choice([int(lexeme.strokes), int(np.ceil(lexeme.strokes))]))
    times = max(1, times if strokes is None else strokes)
    ratio, wave, start, end, last = _timing(lexeme, rng, errors, times, lead_s)
    clip = home_clip(len(ratio), FPS)
    clip = _shrugged(clip, lexeme, ratio)
    shape = str(rng.choice(lexeme.shapes)) if lexeme.shapes else "open-rlx"
    style = rng.uniform()
    for side in sides:
        clip = _arm(clip, lexeme, side, hands, ratio, wave, rng, errors, style)
        clip = _fingers(clip, side, shape, ratio, rng, errors)
    if "+" in shape and hands != "both":
        clip = _support(clip, lexeme, "right" if sides == ("left",) else "left")
    return Performance(clip, start, end, last, times)


def _timing(
    lexeme: Lexeme, rng: np.random.Generator, errors: Errors, strokes: int, lead_s: float
) -> tuple[Floats, Floats, int, int, int]:
    """Progress of the stroke, of repetitive motion, and frames of start, end and last end."""
    lead = round(lead_s * FPS)
    length = max(4, round(lexeme.stroke_s * FPS * np.exp(rng.normal(scale=errors.time))))
    peak = PEAKS[lexeme.warp] + rng.normal(scale=0.4 * errors.time)
    s = np.linspace(0.0, 1.0, length + 1)
    warped = np.interp(s, [0.0, peak, 1.0], [0.0, 0.5, 1.0]) if lexeme.warp != "even" else s
    eased = 0.5 - 0.5 * np.cos(np.pi * warped)
    cycle = FPS / RATES[lexeme.name] if lexeme.name in RATES else 0.8 * length / 0.35
    n = round(cycle) * (strokes - 1)
    again = np.arange(1, n + 1) / max(round(cycle), 1)
    back = 1.0 - 0.3 * (1.0 - np.cos(2.0 * np.pi * again))
    ratio = np.concatenate([np.zeros(lead), eased, back, np.ones(lead)])
    wave = np.concatenate([np.zeros(lead), eased, 1.0 + again, np.full(lead, float(strokes))])
    return ratio, wave, lead, lead + length, lead + length + n


def _shrugged(clip: Clip, lexeme: Lexeme, ratio: Floats) -> Clip:
    up, back = {"Shrug": (12.0, 0.0), "OpenHands": (-2.0, 5.0), "Wipe": (0.0, 5.0)}.get(
        lexeme.name, (0.0, 0.0)
    )
    turns = {}
    for side in SIDES:
        out = sign_of(side)
        full = np.radians([0.0, out * back, out * up])
        turns[f"{side}Clavicle"] = ratio[:, None] * full
    return with_torso(clip, RIG, turns)


def _place(clip: Clip, position: HandPosition, side: Side, apart: float | None) -> Floats:
    return palm_position(
        RIG, clip.world_rotations[0], clip.world_positions[0], position, side, apart
    )


def _ends(
    clip: Clip, lexeme: Lexeme, side: Side, hands: Hands, rng: np.random.Generator, errors: Errors
) -> tuple[Floats, Floats]:
    """Palm at start and end."""
    two = hands == "both"
    out = float(sign_of(side))
    start, end = (
        _place(clip, p, side, d if two else None)
        for p, d in zip((lexeme.start, lexeme.end), lexeme.hand_distance, strict=True)
    )
    travel = np.array(lexeme.travel_cm) / 100.0 * np.array([out, 1.0, 1.0])
    if not two:
        end = start + travel
    rows = [p.indices[0] for p in (lexeme.start, lexeme.end)]
    rise = travel[1] - (HEIGHTS_M[rows[1]] - HEIGHTS_M[rows[0]])
    start = start - [0.0, 0.5 * rise, 0.0]
    end = end - [0.0, 0.5 * rise, 0.0] if not two else end + [0.0, 0.5 * rise, 0.0]
    if two and lexeme.name == "Shift":
        # Both hands go to one side.
        end = start + [0.27, 0.0, -0.1]
    moved = []
    for point, position in ((start, lexeme.start), (end, lexeme.end)):
        if rng.uniform() < errors.bucket:
            dimension = str(rng.choice(list(DIMENSIONS)[:3]))
            other = position.shift(dimension, int(rng.choice([-1, 1])))
            point = point + _place(clip, other, side, None) - _place(clip, position, side, None)
        moved.append(point + rng.normal(scale=errors.metres, size=3))
    return moved[0], moved[1]


def _path(
    lexeme: Lexeme,
    side: Side,
    hands: Hands,
    start: Floats,
    end: Floats,
    ratio: Floats,
    wave: Floats,
) -> Floats:
    path = start + ratio[:, None] * (end - start)
    hop = HOPS.get(lexeme.name, 0) / 100.0
    path = path + 4.0 * (ratio * (1.0 - ratio))[:, None] * np.array([0.0, hop, 0.0])
    if lexeme.circle_cm[0]:
        over = -1.0 if lexeme.name == "Regressive" else 1.0
        # Two thirds of a turn, then whole ones; the other hand is half a turn behind.
        angle = np.radians(np.where(wave <= 1.0, 240.0 * wave, 240.0 + 360.0 * (wave - 1.0)))
        first = np.radians(210.0)
        if hands == "both" and side == "left":
            first += np.pi
        turn = first - angle
        radius, none, out = lexeme.circle_cm[0] / 100.0, 0.0 * turn, float(sign_of(side))
        circle = {
            "sagittal": (none, np.sin(turn), over * np.cos(turn)),
            "frontal": (out * np.cos(turn), np.sin(turn), none),
            "horizontal": (out * np.cos(turn), none, np.sin(turn)),
        }[lexeme.circle_plane]
        circle = radius * np.stack(circle, axis=-1)
        drift = end - start if over < 0 or hands == "both" else np.zeros(3)
        if lexeme.circle_plane != "sagittal":
            drift = end - start
        if hands == "both":
            drift = np.zeros(3)
        path = start + np.minimum(wave, 1.0)[:, None] * drift + circle - circle[0]
    if lexeme.name in ("RubHands", "Climb", "Drive"):
        key = lexeme.swing
        way = np.array([0.0, key.up_cm, key.forward_cm]) / 100.0 * sign_of(side)
        path = path + np.sin(np.pi * wave)[:, None] * way
    if lexeme.name == "Weigh":
        swing = 0.09 * np.cos(np.pi * wave) * sign_of(side)
        path = start + swing[:, None] * np.array([0.0, 1.0, 0.0])
    if lexeme.name == "ComeHere":
        path = path + 0.025 * (np.cos(2.0 * np.pi * wave) - 1.0)[:, None] * np.array(
            [0.0, 0.0, 1.0]
        )
    return np.asarray(path)


def _arm(
    clip: Clip,
    lexeme: Lexeme,
    side: Side,
    hands: Hands,
    ratio: Floats,
    wave: Floats,
    rng: np.random.Generator,
    errors: Errors,
    style: float,
) -> Clip:
    out = float(sign_of(side))
    start, end = _ends(clip, lexeme, side, hands, rng, errors)
    arm = measure_arm(clip, RIG, side)
    palms = arm.from_world(_path(lexeme, side, hands, start, end, ratio, wave))
    swivels = [elbow_swivel(p) for p in (lexeme.start, lexeme.end)]
    swivels = np.radians(rng.normal(scale=errors.degrees, size=2)) + swivels
    swivel = swivels[0] + ratio * (swivels[1] - swivels[0])
    mirror = np.array([out, 1.0, 1.0])
    turns = []
    for i, frame in ((0, 0), (1, int(np.argmax(ratio >= 1.0)))):
        fingers, palm = (direction(c) for c in (lexeme.fingers[i], lexeme.palm[i]))
        rest = quaternion.from_frame([1.0, 0.0, 0.0], [0.0, -1.0, 0.0])
        if lexeme.name.startswith(_POINTING):
            goal = quaternion.from_frame(fingers, palm)
        else:
            across = fingers - (fingers @ palm) * palm
            goal = quaternion.from_frame(across, palm)
        goal = quaternion.multiply(goal, quaternion.inverse(rest))
        # The same from the angles of forearm and wrist; people do something in between.
        wrist = palms[frame] * mirror - PALM_M * fingers
        limb = measure_arm(clip.frames(0, 1), RIG, "left").limb
        forearm = arm_turns(limb, wrist, swivels[i])[1]
        roll, flexion, deviation = np.radians(
            [lexeme.forearm_roll[i], lexeme.wrist_flexion[i], lexeme.wrist_deviation[i]]
        )
        for axis, angle in (((1, 0, 0), roll), ((0, -1, 0), deviation), ((0, 0, -1), flexion)):
            forearm = quaternion.multiply(forearm, quaternion.from_axis_angle(axis, angle))
        turn = quaternion.slerp(goal, forearm, style)
        jitter = quaternion.exp(np.radians(rng.normal(scale=errors.degrees, size=3)))
        turns.append(quaternion.multiply(turn, jitter))
    hand = quaternion.slerp(turns[0][None], turns[1][None], ratio)
    swing = np.zeros((len(ratio), 3))
    if lexeme.name == "Doubt":
        swing[:, 0] = np.radians(25.0) * np.sin(2.0 * np.pi * wave)
    if lexeme.name == "ComeHere":
        swing[:, 2] = np.radians(-17.0) * (1.0 - np.cos(2.0 * np.pi * wave))
    hand = quaternion.multiply(hand, quaternion.exp(swing))
    if side == "right":
        hand = hand * np.array([1.0, 1.0, -1.0, -1.0])
    wrists = palms - PALM_M * quaternion.rotate(hand, [out, 0.0, 0.0])
    limbs = arm_turns(arm.limb, wrists, swivel)
    return with_arm(clip, RIG, side, np.concatenate([limbs, hand[:, None]], axis=1), arm.axes)


def _fingers(
    clip: Clip, side: Side, shape: str, ratio: Floats, rng: np.random.Generator, errors: Errors
) -> Clip:
    first, _, last = shape.partition("+")[0].partition(">")
    turns = [
        finger_turns(_off(shape_by_name(name), rng, errors), side)
        for name in (first, last or first)
    ]
    mixed = {b: quaternion.slerp(turns[0][b][None], turns[1][b][None], ratio) for b in turns[0]}
    return with_fingers(clip, RIG, side, mixed)


def _off(shape: HandShape, rng: np.random.Generator, errors: Errors) -> HandShape:
    def moved(values: tuple[float, ...]) -> tuple[float, ...]:
        return tuple(v + rng.normal(scale=errors.fingers) for v in values)

    parts = ("index", "middle", "ring", "little", "spread", "thumb")
    return replace(shape, **{part: moved(getattr(shape, part)) for part in parts})


def _support(clip: Clip, lexeme: Lexeme, side: Side) -> Clip:
    """Hold the other hand where the acting one ends."""
    palm = _place(clip, lexeme.end, side, lexeme.hand_distance[1])
    arm = measure_arm(clip, RIG, side)
    local = arm.from_world(np.broadcast_to(palm, (len(clip), 3)))
    turn = quaternion.between([float(sign_of(side)), 0.0, 0.0], [-sign_of(side) * 0.7, 0.0, 0.7])
    wrists = local - PALM_M * quaternion.rotate(turn, [float(sign_of(side)), 0.0, 0.0])
    limbs = arm_turns(arm.limb, wrists, np.full(len(clip), 0.4))
    hands = np.broadcast_to(turn, (len(clip), 1, 4))
    return with_arm(clip, RIG, side, np.concatenate([limbs, hands], axis=1), arm.axes)


def from_home(
    done: Performance, rest_s: float = 1.0, ready_s: float = 0.5, back_s: float = 0.7
) -> Performance:
    """The same performance from home and back: rest, preparation, what was done, retraction."""
    home = home_clip(1, FPS).rotations[0]
    rotations = done.clip.rotations

    def between(a: Floats, b: Floats, seconds: float) -> Floats:
        n = round(seconds * FPS)
        ratio = 0.5 - 0.5 * np.cos(np.pi * np.arange(n) / n)
        return quaternion.normalise(quaternion.slerp(a[None], b[None], ratio[:, None]))

    rest = np.broadcast_to(home, (round(rest_s * FPS), *home.shape))
    parts = [
        rest,
        between(home, rotations[0], ready_s),
        rotations,
        between(rotations[-1], home, back_s),
        rest,
    ]
    moved = np.concatenate(parts)
    later = len(parts[0]) + len(parts[1])
    clip = replace(home_clip(len(moved), FPS), rotations=moved)
    return Performance(clip, done.start + later, done.end + later, done.last + later, done.strokes)
