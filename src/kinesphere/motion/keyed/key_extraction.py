"""Keys from any motion: Goals where a wrist stops, Vias where its path bends.

A movement is a stretch between two minima of the wrist's speed in the chest's frame, with the
thresholds of the measurement of recorded speakers: its peak is at least 0.15 m/s, with a prominence
of 0.10 m/s. A stretch below 0.05 m/s is a hold between two Goals. Vias are inserted where the
reconstruction error is largest, at the path's nearest extremum of curvature.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.maths.filters import low_pass
from kinesphere.motion.body.arms import ArmMotion, arm_turns
from kinesphere.motion.keyed.keyed_motion import ArmKeys
from kinesphere.motion.keyed.movement import Movement, SampledCurve
from kinesphere.motion.keyed.sampling import ArmSample, sample_arm, sample_wrists
from kinesphere.motion.kinematics import speeds


@dataclass(frozen=True)
class ExtractionSettings:
    """What counts as a movement, and the allowed error of the keys' motion.

    `error_m` is the goal everywhere, with at most `most_vias` Vias per movement; larger errors
    are reported.
    """

    cutoff_hz: float = 10.0
    least_peak: float = 0.15
    least_prominence: float = 0.10
    still: float = 0.05
    least_hold_s: float = 0.1
    least_movement_s: float = 0.15
    error_m: float = 0.015
    most_vias: int = 6


@dataclass(frozen=True)
class Extraction:
    """Keys of an arm and their reconstruction error.

    Parameters
    ----------
    keys : with the measured timing of every movement.
    goal_frames : ``[movements + 1]``.
    sample : the motion of the keys at the clip's frames.
    errors : ``[frames]`` distance of the wrist from it, metres.
    """

    keys: ArmKeys
    goal_frames: Ints
    sample: ArmSample
    errors: Floats


def movement_bounds(speed: Floats, fps: float, settings: ExtractionSettings | None = None) -> Ints:
    """Frames at which movements start and end, from the first frame to the last."""
    s = settings or ExtractionSettings()
    extremes = _persistent_extremes(speed, s.least_prominence)
    peaks = [i for i, top in extremes if top and speed[i] >= s.least_peak]
    last = len(speed) - 1
    bounds = {0, last}
    edges = [0, *peaks, last]
    for k, (a, b) in enumerate(pairwise(edges)):
        if b - a < 2:
            continue
        between = speed[a : b + 1]
        slow = np.flatnonzero(between < s.still)
        if len(slow) == 0:
            if 0 < k < len(edges) - 2:
                bounds.add(a + int(np.argmin(between)))
            continue
        first, final = a + int(slow[0]), a + int(slow[-1])
        if final - first < s.least_hold_s * fps:
            if 0 < k < len(edges) - 2:
                bounds.add(a + int(np.argmin(between)))
        else:
            bounds.update((first, final))
    return _space_out(np.array(sorted(bounds)), speed, s.least_movement_s * fps)


def _persistent_extremes(x: Floats, least: float) -> list[tuple[int, bool]]:
    """Alternating minima and maxima that differ from their neighbours by at least `least`."""
    out: list[tuple[int, bool]] = []
    low = high = 0
    rising: bool | None = None
    v = x.tolist()
    for i in range(len(v)):
        if v[i] > v[high]:
            high = i
        if v[i] < v[low]:
            low = i
        if rising is not False and v[high] - v[i] >= least:
            out.append((high, True))
            rising, low, high = False, i, i
        elif rising is not True and v[i] - v[low] >= least:
            out.append((low, False))
            rising, low, high = True, i, i
    return out


def _space_out(bounds: Ints, speed: Floats, least: float) -> Ints:
    """Drop bounds that follow too soon, the faster one of each pair first."""
    kept = list(bounds)
    while len(kept) > 2:
        gaps = np.diff(kept)
        i = int(np.argmin(gaps))
        if gaps[i] >= least:
            break
        if i == 0:
            del kept[1]
        elif i == len(gaps) - 1 or speed[kept[i]] > speed[kept[i + 1]]:
            del kept[i]
        else:
            del kept[i + 1]
    return np.array(kept)


def extract_keys(
    arm: ArmMotion, fps: float, settings: ExtractionSettings | None = None
) -> Extraction:
    """Find the keys of an arm's motion; a single frame becomes one key."""
    s = settings or ExtractionSettings()
    frames = len(arm.wrists)
    if frames < 3:
        return _single(arm, fps)
    cutoff = min(s.cutoff_hz, 0.4 * fps)
    smooth = low_pass(arm.wrists, cutoff, fps)
    speed = speeds(smooth, fps)
    goals = movement_bounds(speed, fps, s)
    walked = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(smooth, axis=0), axis=-1))])
    shares, curves = _measure(walked, goals)
    bends = _curvature_extremes(smooth, speed, fps)
    vias: set[int] = set()
    full: set[int] = set()
    hands = _hands(arm)
    times = np.arange(frames) / fps
    movement = np.clip(np.searchsorted(goals, np.arange(frames), side="right") - 1, 0, None)
    movement = np.minimum(movement, len(goals) - 2)
    errors = np.zeros(frames)
    for _ in range(s.most_vias + 1):
        keys = _build_keys(arm, fps, goals, vias, shares, curves, hands)
        # Movements with a small enough error are checked again only at the end.
        open_ones = ~np.isin(movement, list(full))
        wrists = sample_wrists(keys, arm.limb, times[open_ones])
        errors[open_ones] = np.linalg.norm(wrists - arm.wrists[open_ones], axis=-1)
        added = _more_vias(errors, goals, vias, full, bends, s)
        if not added:
            break
        vias |= added
    sample = sample_arm(keys, arm.limb, times, hands=False)
    return Extraction(keys, goals, sample, np.linalg.norm(sample.wrists - arm.wrists, axis=-1))


def _single(arm: ArmMotion, fps: float) -> Extraction:
    goals = np.unique([0, len(arm.wrists) - 1])
    hands = _hands(arm)
    keys = ArmKeys(goals / fps, arm.wrists[goals], arm.swivels[goals], hands=hands[goals])
    sample = sample_arm(keys, arm.limb, np.arange(len(arm.wrists)) / fps)
    return Extraction(keys, goals, sample, np.linalg.norm(sample.wrists - arm.wrists, axis=-1))


def _hands(arm: ArmMotion) -> Floats:
    """Rotation of the hand within the unrolled forearm."""
    lower = arm_turns(arm.limb, arm.wrists, arm.swivels)[:, 1]
    return quaternion.unroll(quaternion.relative(lower, arm.turns[:, 2]))


def _measure(walked: Floats, goals: Ints) -> tuple[Floats, list[SampledCurve]]:
    """Ratio of its movement's path for every frame, and the curve of each movement."""
    shares = np.zeros(len(walked))
    curves = []
    for a, b in pairwise(goals):
        length = walked[b] - walked[a]
        even = np.linspace(0.0, 1.0, b - a + 1)
        # A very short path is no measure of time.
        sure = min(1.0, length / 0.01)
        along = (walked[a : b + 1] - walked[a]) / length if length > 1e-9 else even
        curve = sure * along + (1.0 - sure) * even
        curve[0], curve[-1] = 0.0, 1.0
        shares[a : b + 1] = curve
        curves.append(SampledCurve(curve))
    return shares, curves


def _curvature_extremes(path: Floats, speed: Floats, fps: float) -> Ints:
    velocity = np.gradient(path, 1.0 / fps, axis=0)
    acceleration = np.gradient(velocity, 1.0 / fps, axis=0)
    curvature = (
        np.linalg.norm(np.cross(velocity, acceleration), axis=-1) / np.maximum(speed, 0.05) ** 3
    )
    inner = curvature[1:-1]
    return 1 + np.flatnonzero((inner >= curvature[:-2]) & (inner > curvature[2:]))


def _more_vias(
    errors: Floats, goals: Ints, vias: set[int], full: set[int], bends: Ints, s: ExtractionSettings
) -> set[int]:
    """One more Via for every movement with too large an error."""
    added = set()
    taken = np.array(sorted({*vias, *(int(g) for g in goals)}))
    for m, (a, b) in enumerate(pairwise(goals)):
        if m in full or b - a < 6:
            continue
        here = errors[a : b + 1]
        worst = a + int(np.argmax(here))
        if here.max() <= s.error_m:
            full.add(m)
            continue
        near = bends[(bends > a + 2) & (bends < b - 2)]
        at = worst
        if len(near):
            bend = int(near[np.argmin(np.abs(near - worst))])
            if errors[bend] > 0.6 * here.max():
                at = bend
        if np.abs(taken - at).min() < 3:
            at = worst
        if np.abs(taken - at).min() < 3:
            full.add(m)
            continue
        added.add(int(at))
    return added


def _build_keys(
    arm: ArmMotion,
    fps: float,
    goals: Ints,
    vias: set[int],
    shares: Floats,
    curves: list[SampledCurve],
    hands: Floats,
) -> ArmKeys:
    """Keys at Goals and Vias; a Via's time follows from its ratio of the path."""
    frames = np.array(sorted({*vias, *(int(g) for g in goals)}))
    is_goal = np.isin(frames, goals)
    times = frames / fps
    movement = np.clip(np.searchsorted(goals, frames, side="right") - 1, 0, len(goals) - 2)
    start, end = goals[movement] / fps, goals[movement + 1] / fps
    times = np.where(is_goal, times, start + (end - start) * shares[frames])
    # Two Vias so near that their ratios coincide are one.
    sound = np.concatenate([[True], np.diff(times) > 1e-4]) & np.concatenate(
        [np.diff(times) > 1e-4, [True]]
    )
    keep = is_goal | sound
    frames, times, is_goal = frames[keep], times[keep], is_goal[keep]
    order = np.argsort(times, kind="stable")
    frames, times, is_goal = frames[order], times[order], is_goal[order]
    return ArmKeys(
        times,
        arm.wrists[frames],
        arm.swivels[frames],
        is_goal,
        hands=hands[frames],
        movements=tuple(Movement(curve, rounding_s=0.0, slowing=0.0) for curve in curves),
    )
