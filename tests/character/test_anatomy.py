"""Limits of joints on rigs whose rotations mean something else than ours."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.animation.performance import perform_script
from kinesphere.character.anatomy import anatomical_excess
from kinesphere.character.take_rig import report_of
from kinesphere.evaluation.artefacts import limit_breaches
from kinesphere.gesture.script import GestureScript, ScriptGesture, ScriptUnit
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.mirroring import mirror

RIG = ks.default_rig()
OTHER = ks.Rig(
    ks.Skeleton(
        tuple(f"joint {n}" for n in RIG.skeleton.names), RIG.skeleton.parents, RIG.skeleton.offsets
    ),
    RIG.bones,
)


@pytest.fixture(scope="module")
def talking() -> ks.Clip:
    rows = [("Cup", "RH", 2.0), ("Wipe", "2H", 3.5), ("Wave", "LH", 5.5), ("Doubt", "2H", 7.0)]
    gestures = tuple(
        ScriptGesture(name, hands, "prep+stroke+hold", stroke_end_s=end, stroke_s=0.4, hold_s=0.3)
        for name, hands, end in rows
    )
    return perform_script(GestureScript((ScriptUnit(gestures),)), fps=30.0, seed=2).clip


def on_other(clip: ks.Clip, rotations: Floats | None = None) -> ks.Clip:
    turns = clip.rotations if rotations is None else rotations
    return ks.Clip(OTHER.skeleton, clip.fps, clip.root_positions, turns)


def worst(clip: ks.Clip, rig: ks.Rig) -> float:
    return float(np.degrees(max(values.max() for values in anatomical_excess(clip, rig).values())))


def broken(clip: ks.Clip, rig: ks.Rig, bone: str, end: str, back_deg: float) -> ks.Clip:
    """A hinge bent so many degrees the wrong way, in every frame."""
    joint, above = rig.joint(bone), rig.joint(bone.replace("Lower", "Upper"))
    places = clip.world_positions
    first, second = (
        places[:, joint] - places[:, above],
        places[:, rig.joint(end)] - places[:, joint],
    )
    normal = np.cross(first, second)
    size = np.linalg.norm(normal, axis=1)
    bend = np.arctan2(size, np.sum(first * second, axis=1))
    turn = quaternion.from_axis_angle(normal / size[:, None], -(bend + np.radians(back_deg)))
    world = quaternion.multiply(turn, clip.world_rotations[:, joint])
    parent = int(clip.skeleton.parents[joint])
    turns = np.array(clip.rotations)
    turns[:, joint] = quaternion.relative(clip.world_rotations[:, parent], world)
    return replace(clip, rotations=turns)


def test_a_sound_body_is_sound_on_any_rig(talking: ks.Clip) -> None:
    assert worst(talking, RIG) < 5.0
    assert limit_breaches(on_other(talking), OTHER).share == 0.0


def test_it_does_not_matter_which_joint_does_a_twist(talking: ks.Clip) -> None:
    turns = np.array(talking.rotations)
    for side, degrees in (("left", 70.0), ("right", -50.0)):
        twist = quaternion.from_axis_angle([1.0, 0.0, 0.0], np.radians(degrees))
        elbow, hand = RIG.joint(f"{side}LowerArm"), RIG.joint(f"{side}Hand")
        turns[:, elbow] = quaternion.multiply(turns[:, elbow], twist)
        turns[:, hand] = quaternion.multiply(quaternion.inverse(twist), turns[:, hand])
    moved = on_other(talking, turns)
    plain, twisted = anatomical_excess(on_other(talking), OTHER), anatomical_excess(moved, OTHER)
    for bone, values in plain.items():
        np.testing.assert_allclose(twisted[bone], values, atol=1e-9, err_msg=bone)


def test_left_and_right_are_alike(talking: ks.Clip) -> None:
    other = mirror(talking, RIG.mirror_permutation())
    a, b = anatomical_excess(talking, RIG), anatomical_excess(other, RIG)
    for bone in ("UpperArm", "LowerArm", "Hand", "UpperLeg", "Foot"):
        np.testing.assert_allclose(b[f"right{bone}"], a[f"left{bone}"], atol=1e-9)


@pytest.mark.parametrize(
    ("bone", "end"), [("leftLowerArm", "leftHand"), ("rightLowerLeg", "rightFoot")]
)
def test_a_broken_hinge_is_found(talking: ks.Clip, bone: str, end: str) -> None:
    for back in (35.0, 60.0, 90.0):
        found = limit_breaches(broken(on_other(talking), OTHER, bone, end, back), OTHER)
        assert found.share > 0.9
        assert any(name.startswith(bone[:4]) for name in found.worst_deg)


def test_an_elbow_bent_too_far_and_a_head_turned_round(talking: ks.Clip) -> None:
    turns = np.array(talking.rotations)
    turns[:, RIG.joint("head")] = quaternion.from_axis_angle([0, 1, 0], np.radians(120.0))
    assert "head" in limit_breaches(on_other(talking, turns), OTHER).worst_deg
    turns = np.array(talking.rotations)
    turns[:, RIG.joint("leftLowerArm")] = quaternion.from_axis_angle([0, -1, 0], np.radians(170.0))
    assert "leftLowerArm" in limit_breaches(on_other(talking, turns), OTHER).worst_deg


@pytest.mark.parametrize(
    "name",
    [
        "cmu/18_08.bvh",
        "cmu/138_13.bvh",
        "cmu/28_03.bvh",
        "greta/Fluid_gesture.bvh",
        "beat2/2_scott_0_1_1.npz",
    ],
)
def test_people_are_within_their_limits(name: str, data: Path) -> None:
    take = ks.edit(ks.load(data / name), ks.Edits(drop_calibration=True))
    rig = report_of(take).rig
    assert limit_breaches(take.clip, rig).share < 0.02
    hurt = broken(take.clip, rig, "leftLowerArm", "leftHand", 60.0)
    assert limit_breaches(hurt, rig).share > 0.9
