"""An arm's swivel where it is too straight to have one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kinesphere.character.default import default_rig
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import (
    SURELY_BENT,
    ArmMotion,
    arm_turns,
    carry,
    chest_limb,
    elbow_bends,
    settle,
)
from kinesphere.motion.body.limbs import solve

FPS = 120.0


def arm_with(bends: Floats, swivels: Floats, turns_about_y: Floats | float = 0.0) -> ArmMotion:
    """An arm bent by angles, its wrist before the chest, or turned about the shoulder from there."""
    limb = chest_limb(default_rig(), "right")
    a, b = limb.upper_length, limb.lower_length
    distance = np.sqrt(a * a + b * b + 2.0 * a * b * np.cos(bends))
    way = np.array([-0.3, -0.5, 0.81]) / np.linalg.norm([0.3, 0.5, 0.81])
    aside = quaternion.from_axis_angle([0.0, 1.0, 0.0], np.broadcast_to(turns_about_y, bends.shape))
    wrists = distance[:, None] * quaternion.rotate(aside, way)
    turns = arm_turns(limb, wrists, swivels)
    axes = np.broadcast_to([1.0, 0.0, 0.0, 0.0], (len(bends), 4))
    hands = np.concatenate([turns, turns[:, 1:]], axis=1)
    return ArmMotion("right", limb, np.zeros((len(bends), 3)), axes, wrists, swivels, hands)


def test_bends_are_those_of_the_solved_arm(rng: np.random.Generator) -> None:
    limb = chest_limb(default_rig(), "left")
    wrists = rng.normal(size=(50, 3)) * 0.2
    elbows = solve(limb, np.zeros(3), wrists, 0.3).hinge_position
    lower = wrists - elbows
    cosine = np.sum(elbows * lower, axis=1) / (limb.upper_length * limb.lower_length)
    within = np.linalg.norm(wrists, axis=1) > abs(limb.upper_length - limb.lower_length) + 0.01
    within &= np.linalg.norm(wrists, axis=1) < limb.reach
    assert elbow_bends(limb, wrists)[within] == pytest.approx(np.arccos(cosine[within]), abs=1e-9)


def test_a_bent_arm_keeps_its_swivel() -> None:
    t = np.arange(120) / FPS
    arm = arm_with(SURELY_BENT + 0.5 + 0.4 * np.sin(5 * t), np.sin(9 * t))
    assert settle(arm, FPS) is arm


def test_a_straight_arm_flings_no_elbow() -> None:
    """The swivel flips about while the arm is straight: on a bent arm that would be 20 m/s."""
    t = np.arange(240) / FPS
    bends = np.radians(60.0) * np.abs(np.cos(np.pi * t / 2.0)) + np.radians(3.0)
    swivels = 0.3 + np.where(np.abs(t - 1.0) < 0.05, 2.5 * np.sign(np.sin(200 * t)), 0.0)
    steady = settle(arm_with(bends, swivels), FPS)
    assert np.abs(np.diff(steady.swivels)).max() * FPS < np.radians(220.0)
    bent = bends >= SURELY_BENT
    assert np.abs(steady.swivels - swivels)[bent].max() < 1e-12
    # Whole turns that noise has made on the way are not kept.
    turned = settle(arm_with(bends, swivels + np.where(t > 1.0, 2.0 * np.pi, 0.0)), FPS)
    assert np.abs(turned.swivels - steady.swivels).max() < 1e-9


def test_an_arm_that_goes_nowhere_else_stays_where_it_is() -> None:
    t = np.arange(240) / FPS
    swivels = 0.3 + 0.5 * np.sign(np.sin(50 * t))
    arm = arm_with(np.radians(5.0 + 4.0 * np.sin(7 * t)), swivels)
    steady = settle(arm, FPS)
    assert not np.array_equal(steady.swivels, swivels)
    same = carry(replace(arm, swivels=steady.swivels), arm.wrists)
    assert np.abs(np.sum(same * arm.turns, axis=-1)).min() > 1.0 - 1e-12
