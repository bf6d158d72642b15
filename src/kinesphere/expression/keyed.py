"""Effort and Shape on keyed motion.

Shape moves the keys of the arms (those in the world stay) and bends the torso. Effort sets how each
movement is performed; with all values zero the motion is returned unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from kinesphere.animation.arms.restraint import largest_share
from kinesphere.character.joint_limits import joint_limits
from kinesphere.errors import InvalidValueError
from kinesphere.expression.keypoints import ShapeSettings, shaped_keypoints
from kinesphere.expression.parameters import LowLevel, low_level
from kinesphere.expression.phrase import EFFORT_FACTORS, SHAPE_FACTORS, Phrase
from kinesphere.expression.printed import with_printed_effort
from kinesphere.expression.qualities import Effort
from kinesphere.expression.timing import timing
from kinesphere.expression.torso import TorsoTable, shaped_torso
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Bools, Floats, Ints, frozen_floats
from kinesphere.maths.curves import smoothstep
from kinesphere.maths.filters import held_gaussian
from kinesphere.motion.body.arms import SIDES, Side, arm_turns, chest_limb
from kinesphere.motion.body.limbs import Limb
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.keyed.keyed_motion import ArmKeys, KeyedMotion, TorsoKeys
from kinesphere.motion.keyed.movement import (
    ROUNDING_RATIO,
    ROUNDING_S,
    SLOWING,
    Curve,
    Movement,
    SampledCurve,
    Timing,
    rounded,
)
from kinesphere.motion.measure import centre_of_mass

# Shortest duration that Sudden gives a movement, unless it was shorter.
LEAST_DURATION_S = 0.25
# A hand that moves this far has its full flourishes; one that stays has none.
FULL_FLOURISH_M = 0.25
_BISECTIONS = 7
_PLAIN = Timing()
_NEAR_THE_ENDS = np.array([1e-3, 1.0 - 1e-3])


@dataclass(frozen=True)
class ExpressionSettings:
    """How qualities are applied.

    Parameters
    ----------
    paper : the published formulas and switches where they can be computed, without our additions
        (`expression.printed`); see docs/papers.md.
    shape, torso : values that the paper leaves open.
    pinned : Goals keep their times (time freed by Sudden becomes a hold before the movement); else
        movements get shorter and longer, and all that follows is shifted.
    straighten : for keys extracted from recorded motion, ratio by which Direct moves Vias towards
        the straight line and Indirect away from it.
    roundest : least tension of a path; recorded motion has too many keys for the paper's -1.
    """

    paper: bool = False
    shape: ShapeSettings = field(default_factory=ShapeSettings)
    torso: TorsoTable = field(default_factory=TorsoTable)
    pinned: bool = False
    straighten: float = 0.0
    roundest: float = -1.0


def expressed(
    keyed: KeyedMotion, phrase: Phrase, rig: Rig, settings: ExpressionSettings | None = None
) -> KeyedMotion:
    """Apply a phrase of Effort and Shape to keyed motion for a rig."""
    s = settings or ExpressionSettings()
    arms: dict[Side, ArmKeys | None] = {}
    for side in SIDES:
        keys = keyed.arm(side)
        arms[side] = None if keys is None else expressed_arm(keys, phrase, side, rig, s)
    torso = keyed.torso
    goals = [k.goal_times for k in (keyed.left, keyed.right) if k is not None]
    if phrase.by_key and torso is None and not goals:
        raise InvalidValueError("a phrase by key needs motion with keys")
    times = np.unique(np.concatenate(goals)) if goals else np.zeros(1)
    torso = shaped_torso(torso, times, _in_time(phrase, times), s.torso)
    if torso is not None and not s.pinned:
        torso = _moved_along(torso, keyed, arms)
    return replace(keyed, left=arms["left"], right=arms["right"], torso=torso)


def _in_time(phrase: Phrase, times: Floats) -> Phrase:
    """A phrase by key with its points at the times of those keys."""
    if not phrase.by_key:
        return phrase
    points = []
    for point in phrase.points:
        key = min(point.key or 0, len(times) - 1)
        points.append(replace(point, key=None, time_s=float(times[key])))
    seen: dict[float, int] = {}
    return Phrase(tuple(p for i, p in enumerate(points) if seen.setdefault(p.place, i) == i))


def _moved_along(
    torso: TorsoKeys, before: KeyedMotion, arms: dict[Side, ArmKeys | None]
) -> TorsoKeys:
    """Torso keys at the times to which the arms' Goals have moved, on average."""
    moved = []
    for side in SIDES:
        old, new = before.arm(side), arms[side]
        if old is not None and new is not None:
            moved.append(np.interp(torso.times, old.goal_times, new.goal_times))
    if not moved:
        return torso
    times = np.mean(moved, axis=0)
    sound = np.concatenate([[True], np.diff(times) > 1e-6])
    return TorsoKeys(times[sound], {p: v[sound] for p, v in torso.turns.items()})


def expressed_arm(
    keys: ArmKeys, phrase: Phrase, side: Side, rig: Rig, settings: ExpressionSettings
) -> ArmKeys:
    """Apply the phrase's values for one arm to its keys."""
    part = f"{side}-arm"
    limb = chest_limb(rig, side)
    places = phrase_places(keys, phrase)
    if phrase.touches(part, SHAPE_FACTORS):
        keys = _shaped(keys, phrase, part, places, limb, rig, settings)
    return with_effort(keys, phrase, part, settings)


def with_effort(keys: ArmKeys, phrase: Phrase, part: str, settings: ExpressionSettings) -> ArmKeys:
    """Apply the phrase's Effort for a part to an arm's keys."""
    places = phrase_places(keys, phrase)
    if settings.paper:
        return with_printed_effort(keys, phrase, part, places)
    if phrase.touches(part, EFFORT_FACTORS):
        keys = _with_effort(keys, phrase, part, places, settings)
    return keys


def phrase_places(keys: ArmKeys, phrase: Phrase) -> Floats:
    """Position of each key in the phrase: its time, or its number among the Goals."""
    if not phrase.by_key:
        return keys.times
    return np.interp(keys.times, keys.goal_times, np.arange(len(keys.goal_times)))


def _shaped(
    keys: ArmKeys,
    phrase: Phrase,
    part: str,
    places: Floats,
    limb: Limb,
    rig: Rig,
    settings: ExpressionSettings,
) -> ArmKeys:
    """Move the keys that are not in the world, within the shoulder's limits."""
    values = phrase.at(part, places)
    side: Side = "left" if limb.side > 0 else "right"
    wanted = {name: values[name] for name in SHAPE_FACTORS}
    shape = replace(settings.shape, fade=0.0) if settings.paper else settings.shape
    centre = mass_in_arm(rig, side)
    moved = shaped_keypoints(keys.positions, wanted, limb.side, centre, shape)
    moved = np.where(keys.in_world[:, None], keys.positions, moved)
    moved = within_limits(limb, keys.positions, moved, keys.swivels)
    return replace(keys, positions=moved)


def mass_in_arm(rig: Rig, side: Side) -> Floats:
    """Centre of mass of the standing body from the shoulder, in the chest's axes."""
    _, places = rig.canonical_pose
    return np.asarray(centre_of_mass(rig) - places[rig.joint(f"{side}UpperArm")])


def shoulder_excess(limb: Limb, wrists: Floats, swivels: Floats) -> Floats:
    """How far the upper arm and the elbow of a pose exceed their limits, radians."""
    side = "left" if limb.side > 0 else "right"
    turns = arm_turns(limb, wrists, swivels)
    bend = quaternion.relative(turns[..., 0, :], turns[..., 1, :])
    limits = joint_limits()
    return np.asarray(
        limits[f"{side}UpperArm"].excess(turns[..., 0, :]) + limits[f"{side}LowerArm"].excess(bend)
    )


def within_limits(limb: Limb, before: Floats, after: Floats, swivels: Floats) -> Floats:
    """Reduce displacements of the wrists as far as joint limits require.

    A position that exceeds a limit already may exceed it by as much.
    """
    allowed = shoulder_excess(limb, before, swivels) + 1e-6
    good = shoulder_excess(limb, after, swivels) <= allowed
    if good.all():
        return after

    def fits(ratio: Floats) -> Bools:
        tried = before + ratio[:, None] * (after - before)
        return shoulder_excess(limb, tried, swivels) <= allowed

    share = np.where(good, 1.0, largest_share(fits, len(good), _BISECTIONS))
    return np.asarray(before + share[:, None] * (after - before))


def _with_effort(
    keys: ArmKeys, phrase: Phrase, part: str, places: Floats, settings: ExpressionSettings
) -> ArmKeys:
    goals = np.flatnonzero(keys.goals)
    middles = 0.5 * (places[goals[1:]] + places[goals[:-1]])
    at_goals = phrase.at(part, places[goals])
    at_middles = phrase.at(part, middles)
    kept = 1.0 - np.clip(np.maximum(at_goals["time"], at_goals["flow"]), 0.0, 1.0)
    times = keys.times.copy()
    positions = keys.positions.copy()
    movements = []
    for m, movement in enumerate(keys.movements):
        a, b = int(goals[m]), int(goals[m + 1])
        effort = Effort(**{name: float(at_middles[name][m]) for name in EFFORT_FACTORS})
        length = float(keys.times[b] - keys.times[a])
        if effort.neutral:
            movements.append(movement)
            if not settings.pinned:
                times[a : b + 1] = times[a] + keys.times[a : b + 1] - keys.times[a]
            continue
        low = low_level(effort)
        factor = low.duration_factor
        if factor < 1.0:
            factor = min(1.0, max(factor, LEAST_DURATION_S / length))
        wait = 0.0
        if settings.pinned:
            wait = max(0.0, 1.0 - factor)
            if factor > 1.0:
                gained = _room_before(keys, goals, m, (factor - 1.0) * length)
                times[a] -= gained
                via = (keys.times[a + 1 : b] - keys.times[a]) / length
                times[a + 1 : b] = times[a] + via * (length + gained)
                low = _in_little_room(low, effort, gained / ((factor - 1.0) * length))
                length += gained
            taken = length * (1.0 - wait)
        else:
            taken = length * factor
            times[a : b + 1] = times[a] + (keys.times[a : b + 1] - keys.times[a]) * factor
        ends = (float(kept[m]), float(kept[m + 1]))
        passing = passing_speeds(movement.curve)
        # A Goal that is passed without stopping has no anticipation and no overshoot.
        low = replace(
            low,
            start_velocity=low.start_velocity * (1.0 - min(1.0, passing[0] * ends[0])),
            end_velocity=low.end_velocity * (1.0 - min(1.0, passing[1] * ends[1])),
        )
        q = timing(low, taken)
        if settings.straighten and effort.space:
            way = effort.space if effort.space > 0.0 else 0.4 * effort.space
            _straighten(positions, keys, a, b, settings.straighten * way)
        steps = np.linalg.norm(np.diff(keys.positions[a : b + 1], axis=0), axis=-1)
        adorned = float(smoothstep(steps.sum() / FULL_FLOURISH_M))
        plain = movement.curve == _PLAIN
        movements.append(
            replace(
                movement,
                curve=q if plain else composed(movement.curve, q, length, wait, ends),
                start_ratio=wait if plain else 0.0,
                slowing=_slowing(movement, effort, plain=plain),
                tension=float(np.clip(movement.tension + low.tension, settings.roundest, 1.0)),
                elbow_space=_mixed(movement.elbow_space, adorned * low.elbow_space, effort),
                joint_space=_mixed(movement.joint_space, adorned * low.joint_space, effort),
                wrist_bend=low.wrist_bend * adorned,
                wrist_extension=low.wrist_extension,
                twist=low.twist * adorned,
                twist_frequency=low.twist_frequency,
                displacement=low.displacement * adorned,
            )
        )
    return replace(keys, times=times, positions=positions, movements=tuple(movements))


# Ratio of a hold that a slow movement after it may take; largest path and speed of a hold.
_TAKEN_HOLD, _HOLD_M, _HOLD_SPEED = 0.8, 0.04, 0.06


def _room_before(keys: ArmKeys, goals: Ints, movement: int, wanted_s: float) -> float:
    """Time by which a movement may start earlier, taken from a hold before it."""
    if movement == 0:
        return 0.0
    a, b = int(goals[movement - 1]), int(goals[movement])
    length = float(keys.times[b] - keys.times[a])
    way = float(np.linalg.norm(np.diff(keys.positions[a : b + 1], axis=0), axis=-1).sum())
    if way > _HOLD_M or way / length > _HOLD_SPEED:
        return 0.0
    return min(wanted_s, _TAKEN_HOLD * float(keys.times[b] - keys.times[b - 1]))


def _in_little_room(low: LowLevel, effort: Effort, share: float) -> LowLevel:
    """Sustained without enough time has a flat speed profile, or its start would be fast."""
    lacking = 1.0 - min(1.0, share)
    slow = max(-effort.time, 0.0)
    return replace(
        low,
        inflection=low.inflection + lacking * slow * (0.5 - low.inflection),
        flatness=max(low.flatness, 0.7 * slow * lacking),
    )


def _slowing(movement: Movement, effort: Effort, *, plain: bool) -> float:
    """Power by which bends slow a movement; for a measured one only the change."""
    if plain:
        return movement.slowing
    most = max(abs(float(getattr(effort, name))) for name in EFFORT_FACTORS)
    return max(movement.slowing, SLOWING * most)


def _mixed(own: float, asked: float, effort: Effort) -> float:
    """Weight of an interpolation space: the movement's own reduced by Direct, and the requested."""
    return asked + own * (1.0 - max(effort.space, 0.0)) * (1.0 - asked)


def _straighten(positions: Floats, keys: ArmKeys, a: int, b: int, amount: float) -> None:
    """Move the Vias of a movement towards its chord (positive) or away from it."""
    start, chord = positions[a].copy(), positions[b] - positions[a]
    square = float(chord @ chord)
    for i in range(a + 1, b):
        if keys.in_world[i] or square < 1e-6:
            continue
        along = float(np.clip((positions[i] - start) @ chord / square, 0.0, 1.0))
        foot = start + along * chord
        positions[i] = positions[i] + amount * (foot - positions[i])


def passing_speeds(curve: Curve) -> tuple[float, float]:
    """Speed at the start and the end of a movement, as ratios of its mean."""
    if isinstance(curve, Timing):
        return 0.0, 0.0
    fine = rounded(curve, _NEAR_THE_ENDS, 1.0, 0.0)
    return float(fine[0]) * 1e3, (1.0 - float(fine[1])) * 1e3


def composed(
    base: Curve, q: Timing, duration_s: float, wait: float, kept: tuple[float, float]
) -> SampledCurve:
    """Change a measured timing by as much as an Effort changes the default one.

    The change of the default timing function (``q`` minus the default) is added to the measured
    curve, after `wait` of the time. The speed with which a recorded hand passes a Goal is
    separate; `kept` is the ratio of it that stays at the start and at the end. The path never
    runs back except where `q` does.
    """
    count = max(64, len(base.values) - 1 if isinstance(base, SampledCurve) else 0)
    t = _ratios(count)
    measured = rounded(base, t, duration_s, 0.0)
    start, end = passing_speeds(base)
    passing_start, passing_end = t * (1.0 - t) ** 2 * start, -t * t * (1.0 - t) * end
    core = measured - passing_start - passing_end
    warped = np.clip((t - wait) / (1.0 - wait), 0.0, 1.0)
    moving_s = duration_s * (1.0 - wait)
    asked = rounded(q, warped, moving_s, ROUNDING_S)
    curve = np.interp(warped, t, core) + asked - rounded(_PLAIN, warped, moving_s, ROUNDING_S)
    curve = curve + kept[0] * passing_start + kept[1] * passing_end
    least = np.zeros(count)
    if min(q.speeds) < 0.0:
        least = np.minimum(np.diff(asked), 0.0)
    steps = np.maximum(np.diff(curve), least)
    # Discontinuities in velocity that this causes are smoothed over as long as a hand needs.
    smooth = held_gaussian(steps, 0.5 * min(ROUNDING_S / duration_s, ROUNDING_RATIO) * count)
    steps = steps + min(1.0, float(np.abs(curve - measured).max()) / 0.05) * (smooth - steps)
    over = steps.sum() - 1.0
    forward = np.maximum(steps, 0.0) * np.sin(np.pi * 0.5 * (t[1:] + t[:-1]))
    if forward.sum() > 1e-12:
        steps = steps - forward * (over / forward.sum())
    values = np.concatenate([[0.0], np.cumsum(steps)])
    values[-1] = 1.0
    return SampledCurve(values)


@lru_cache(maxsize=16)
def _ratios(count: int) -> Floats:
    """Equidistant ratios from 0 to 1."""
    return frozen_floats(np.linspace(0.0, 1.0, count + 1), "ratios", (None,))
