"""Steps, pivots and heel lifts on a stout, a thin and a short body: lifted feet lift, planted stay."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from benchmarks.made_bodies import BUILDS, made_body

import kinesphere as ks
from kinesphere.maths import quaternion as quat
from kinesphere.maths.arrays import Bools, Floats
from kinesphere.maths.curves import smoothstep
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.kinematics import local_rotations
from kinesphere.motion.measure import leg_length
from kinesphere.motion.retargeting.retargeting import move_rig_limbs

SIDES = ("left", "right")
FPS, FRAMES = 60.0, 420
STEP, HEEL, PIVOT = (60, 100), (160, 230), (290, 340)
BODIES = ("stout", "thin", "short and stout")


def ramp(span: tuple[int, int]) -> Floats:
    """From 0 to 1 within a span of frames."""
    return smoothstep((np.arange(FRAMES) - span[0]) / (span[1] - span[0]))


def hump(span: tuple[int, int]) -> Floats:
    """From 0 to 1 and back within a span of frames."""
    return np.sin(np.pi * ramp(span)) ** 2


@cache
def stepping_clip() -> ks.Clip:
    """The left foot steps aside and ahead; the right heel lifts; the right foot pivots on its ball."""
    rig = ks.default_rig()
    skeleton = rig.skeleton
    rest = skeleton.rest_world_positions
    root = np.tile(skeleton.offsets[0], (FRAMES, 1))
    root[:, 0] += 0.02 * np.sin(np.arange(FRAMES) / 40.0) + 0.04 * ramp(STEP)
    root[:, 1] -= 0.04
    clip = ks.Clip(
        skeleton, FPS, root, np.broadcast_to(skeleton.rest_rotations, (FRAMES, len(skeleton), 4))
    )
    still = np.broadcast_to(quat.IDENTITY, (FRAMES, 4))
    heel = quat.from_axis_angle([1.0, 0.0, 0.0], np.radians(25.0) * hump(HEEL))
    pivot = quat.from_axis_angle([0.0, -1.0, 0.0], np.radians(20.0) * ramp(PIVOT))
    turns = {"left": (still, still), "right": (quat.multiply(pivot, heel), pivot)}
    ends = np.empty((FRAMES, 2, 3))
    for k, side in enumerate(SIDES):
        ankle, toes = rest[rig.joints((f"{side}Foot", f"{side}Toes"))]
        ends[:, k] = toes + quat.rotate(turns[side][0], ankle - toes)
    ends[:, 0] += ramp(STEP)[:, None] * [0.1, 0.0, 0.06] + hump(STEP)[:, None] * [0.0, 0.07, 0.0]
    legs = [tuple(rig.joints([f"{s}UpperLeg", f"{s}LowerLeg", f"{s}Foot"])) for s in SIDES]
    clip = move_rig_limbs(clip, rig, legs, ends, np.tile([1.0, 0.0, 0.0], (2, 1)))  # type: ignore[arg-type]
    world = clip.world_rotations.copy()
    for side in SIDES:
        world[:, rig.joint(f"{side}Foot")], world[:, rig.joint(f"{side}Toes")] = turns[side]
    return replace(clip, rotations=quat.normalise(local_rotations(skeleton, world)))


@cache
def stepped_on(name: str) -> tuple[Rig, ks.Clip]:
    skeleton = made_body(BUILDS[name]).skeleton
    rig = Rig(skeleton, {n: i for i, n in enumerate(skeleton.names)})
    return rig, ks.retarget(ks.Take(stepping_clip()), rig).clip


def balls(rig: Rig, clip: ks.Clip) -> Floats:
    """Joints of the toes, which are the balls of the feet, ``[frames, 2, 3]``."""
    return np.asarray(clip.world_positions[:, rig.joints(("leftToes", "rightToes"))])


def planted() -> Bools:
    """Frames in which the left and the right ball stand, ``[frames, 2]``."""
    frames = np.arange(FRAMES)
    left = (frames < STEP[0] - 1) | (frames > STEP[1] + 1)
    return np.stack([left, np.ones(FRAMES, dtype=np.bool_)], axis=1)


def test_the_source_itself_has_planted_balls() -> None:
    path = balls(ks.default_rig(), stepping_clip())
    speed = np.linalg.norm(np.diff(path, axis=0), axis=-1) * FPS
    assert speed[planted()[1:] & planted()[:-1]].max() < 1e-6


def slides(name: str) -> Floats:
    """Horizontal speed of both balls, m/s; 0 where a foot is lifted."""
    rig, clip = stepped_on(name)
    speed = np.linalg.norm(np.diff(balls(rig, clip)[..., [0, 2]], axis=0), axis=-1) * FPS
    return np.where(planted()[1:] & planted()[:-1], speed, 0.0)


@pytest.mark.parametrize("name", BODIES)
def test_planted_feet_do_not_slide(name: str) -> None:
    assert slides(name)[: PIVOT[0]].max() < 0.002  # with a heel that lifts
    assert slides(name)[PIVOT[1] :].max() < 0.002


@pytest.mark.parametrize("name", ["stout", "thin"])
def test_a_foot_pivots_on_its_ball(name: str) -> None:
    assert slides(name).max() < 0.002


def test_a_pivot_on_much_wider_hips_slides_little() -> None:
    """Feet stand apart along their own axes, which turn with them."""
    assert slides("short and stout").max() < 0.015


@pytest.mark.parametrize("name", BODIES)
def test_a_lifted_foot_lifts_and_a_step_is_as_long_as_the_legs(name: str) -> None:
    rig, clip = stepped_on(name)
    scale = leg_length(rig) / leg_length(ks.default_rig())
    path = balls(rig, clip)
    middle = (STEP[0] + STEP[1]) // 2
    assert path[middle, 0, 1] - path[0, 0, 1] == pytest.approx(0.07 * scale, abs=0.004)
    moved = path[-1, 0] - path[0, 0]
    assert np.allclose(moved, np.array([0.1, 0.0, 0.06]) * scale, atol=0.004)


@pytest.mark.parametrize("name", BODIES)
def test_heels_lift_and_feet_turn_as_before(name: str) -> None:
    rig, clip = stepped_on(name)
    peak = (HEEL[0] + HEEL[1]) // 2
    foot = rig.joint("rightFoot")
    turn = quat.relative(clip.world_rotations[0, foot], clip.world_rotations[:, foot])
    assert np.degrees(quat.angle(turn[peak])) == pytest.approx(25.0, abs=1.0)
    assert np.degrees(quat.angle(turn[-1])) == pytest.approx(20.0, abs=1.0)
    height = clip.world_positions[:, foot, 1]
    assert height[peak] - height[0] > 0.03
    assert abs(height[-1] - height[0]) < 0.003
