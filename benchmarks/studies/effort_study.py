"""EMOTE's study repeated with a classifier instead of movement analysts.

The study showed 32 movements with one Effort element (half of two keypoints, half of five) and 30
of five keypoints with combinations. Ours makes any number of such studies from a seed, on random
keypoints within the reach of a gesturing hand, with durations from the measured law.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from benchmarks.studies.effort_descriptors import describe

from kinesphere.character.default import default_rig
from kinesphere.expression.keys.keyed import express_arm
from kinesphere.expression.phrase import EFFORT_FACTORS, Phrase, Qualities
from kinesphere.expression.settings import ExpressionSettings
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.motion.body.arms import ArmMotion, Side, chest_limb, sign_of
from kinesphere.motion.keyed.keyed_motion import ArmKeys
from kinesphere.motion.keyed.movement import Movement
from kinesphere.motion.keyed.sampling import posed_arm, sample_arm

FPS = 60.0
# Wrist from the shoulder while gesturing, outward, up and forward: the middle nine tenths measured.
_NEAREST, _FARTHEST = np.array([-0.12, -0.42, 0.12]), np.array([0.30, 0.05, 0.42])
_LEAST_CHORD_M = 0.15
# Real paths are curved: proportion of joint-space interpolation in a plain movement.
_NATURAL_BEND = 0.35
_TEMPO = 0.15  # spread of durations about the law, as a logarithm
_REST_S = 0.4


@dataclass(frozen=True)
class Study:
    """Shown elements ``[n, 4]`` and descriptors ``[n, d]``."""

    shown: Ints
    descriptors: Floats


def random_keys(rng: np.random.Generator, count: int, side: Side = "right") -> ArmKeys:
    """Keypoints of a hand that stops at each, starting and ending at rest."""
    limb = chest_limb(default_rig(), side)
    points: list[Floats] = []
    while len(points) < count:
        p = rng.uniform(_NEAREST, _FARTHEST) * np.array([sign_of(side), 1.0, 1.0])
        reach = np.linalg.norm(p) / limb.reach
        far = not points or np.linalg.norm(p - points[-1]) > _LEAST_CHORD_M
        if 0.45 < reach < 0.93 and far:
            points.append(p)
    steps = np.linalg.norm(np.diff(points, axis=0), axis=-1)
    lengths = 1.6 * steps**0.43 * np.exp(_TEMPO * rng.normal(size=count - 1))
    times = _REST_S + np.concatenate([[0.0], np.cumsum(lengths)])
    swivels = np.radians(25.0) + 0.15 * rng.normal(size=count)
    movements = (Movement(joint_space=_NATURAL_BEND),) * (count - 1)
    return ArmKeys(times, np.array(points), swivels, movements=movements)


def performed(keys: ArmKeys, effort: dict[str, float], side: Side = "right") -> ArmMotion:
    """Return the arm's motion with an Effort, as input of the classifier."""
    rig = default_rig()
    limb = chest_limb(rig, side)
    phrase = Phrase.constant(Qualities.of(effort))
    keys = express_arm(keys, phrase, side, rig, ExpressionSettings())
    times = np.arange(0.0, float(keys.times[-1]) + _REST_S, 1.0 / FPS)
    sample = sample_arm(keys, limb, times)
    frames = len(times)
    return ArmMotion(
        side,
        limb,
        np.zeros((frames, 3)),
        np.broadcast_to([1.0, 0.0, 0.0, 0.0], (frames, 4)),
        sample.wrists,
        sample.swivels,
        posed_arm(limb, sample),
    )


def emote_study(rng: np.random.Generator) -> Study:
    """Make one study of the paper's size: 32 single elements and 30 combinations."""
    rows = [_single(i % 8) for i in range(32)]
    sizes = [2] * 16 + [5] * 16
    rows += [_combination(rng) for _ in range(30)]
    sizes += [5] * 30
    return _shown(rng, np.array(rows), sizes)


def calibration(rng: np.random.Generator, count: int) -> Study:
    """Make training movements: neutral, one element, or several, in equal parts."""
    rows, sizes = [], []
    for i in range(count):
        kind = i % 4
        if kind == 0:
            rows.append(np.zeros(4, dtype=np.int64))
        elif kind == 1:
            rows.append(_single(int(rng.integers(8))))
        else:
            rows.append(_combination(rng))
        sizes.append(2 if rng.random() < 0.3 else 5)
    return _shown(rng, np.array(rows), sizes)


def _single(element: int) -> Ints:
    row = np.zeros(4, dtype=np.int64)
    row[element // 2] = -1 if element % 2 == 0 else 1
    return row


def _combination(rng: np.random.Generator) -> Ints:
    while True:
        row = rng.integers(-1, 2, size=4)
        if np.count_nonzero(row) >= 2:
            return np.asarray(row)


def _shown(rng: np.random.Generator, rows: Ints, sizes: list[int]) -> Study:
    found = []
    for row, size in zip(rows, sizes, strict=True):
        effort = {n: float(v) for n, v in zip(EFFORT_FACTORS, row, strict=True)}
        arm = performed(random_keys(rng, size), effort)
        found.append(describe(arm, FPS).values)
    return Study(rows, np.array(found))
