"""Bodies that lack legs, heads, hands or fingers, on the default figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from kinesphere.corpus.pairs.body_reading import RetargetedBody, on_default_figure
from kinesphere.errors import RigError
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.maths.euler import about
from kinesphere.motion.clip import Clip
from kinesphere.motion.editing import place_clip
from kinesphere.motion.humanoid import FINGERS, finger_bones
from kinesphere.motion.skeleton import Skeleton
from kinesphere.motion.take import Take
from tests.corpus.pair_corpora import RIG, moving, renamed, without

LEGS = ("leftUpperLeg", "rightUpperLeg")
HANDS = [b for s in ("left", "right") for f in FINGERS for b in finger_bones(s, f)]
ABOVE = [b for b in RIG.bones if "Leg" not in b and not b.endswith(("Foot", "Toes"))]


@cache
def person() -> Clip:
    """One who turns a little to the side and gestures."""
    clip = moving([(0.5, 2.5)], 3.0, 30.0, np.random.default_rng(5))
    return place_clip(clip, about("Y", 0.4), np.array([0.2, 0.0, -0.1]))


def on_figure(clip: Clip) -> RetargetedBody:
    return on_default_figure(Take(clip))


def turns_apart(a: Clip, b: Clip, bones: Sequence[str]) -> float:
    """Largest angle in degrees between the world rotations of bones."""
    joints = RIG.joints(bones)
    apart = quaternion.angle_between(a.world_rotations[:, joints], b.world_rotations[:, joints])
    return float(np.degrees(apart.max()))


def hands_beside_hips(clip: Clip) -> Floats:
    joints = RIG.joints(("leftHand", "rightHand"))
    hips = clip.world_positions[:, [RIG.bones["hips"]]]
    return np.asarray(clip.world_positions[:, joints] - hips)


def hanging(clip: Clip) -> Clip:
    """The same motion of a skeleton that rests with its arms down."""
    rest = clip.skeleton.rest_rotations.copy()
    for side, sign in (("left", -1.0), ("right", 1.0)):
        rest[clip.skeleton.index(f"{side}UpperArm")] = about("Z", sign * 1.45)
    old = clip.skeleton
    return replace(clip, skeleton=Skeleton(old.names, old.parents, old.offsets, rest, old.tips))


def bigger(clip: Clip, factor: float) -> Clip:
    return replace(
        clip, skeleton=clip.skeleton.scale(factor), root_positions=clip.root_positions * factor
    )


def along_z(clip: Clip) -> Clip:
    return place_clip(clip, about("X", 0.5 * np.pi), np.zeros(3))


@pytest.mark.parametrize("change", [None, hanging, along_z])
@pytest.mark.parametrize("size", [1.0, 0.01, 37.0])
def test_what_is_there_moves_as_in_the_whole(change, size: float) -> None:  # type: ignore[no-untyped-def]
    whole = on_figure(person())
    legless = bigger(without(person(), LEGS), size)
    part = on_figure(legless if change is None else change(legless))
    assert part.present == whole.present - {"lower"}
    assert turns_apart(part.clip, whole.clip, ABOVE) < 0.5
    assert np.abs(hands_beside_hips(part.clip) - hands_beside_hips(whole.clip)).max() < 0.005


def test_legs_that_are_not_there_stand() -> None:
    part = on_figure(without(person(), LEGS)).clip
    feet = part.world_positions[:, RIG.joints(("leftFoot", "rightFoot"))]
    assert np.abs(feet - feet[0]).max() < 1e-6
    assert np.allclose(feet[..., 1], RIG.skeleton.rest_world_positions[RIG.bones["leftFoot"], 1])
    # They point where the body does.
    ahead = quaternion.rotate(
        part.world_rotations[:, RIG.bones["leftFoot"]], np.array([0.0, 0.0, 1.0])
    )
    assert np.arctan2(ahead[:, 0], ahead[:, 2]) == pytest.approx(0.4, abs=0.05)


@pytest.mark.parametrize(
    ("gone", "part"),
    [
        (LEGS, {"lower"}),
        (("head",), {"head"}),
        (("neck",), {"head"}),
        (
            [b for b in HANDS if b.endswith(("Proximal", "Metacarpal")) and "ThumbP" not in b],
            {"fingers"},
        ),
        ((*LEGS, "neck"), {"lower", "head"}),
        (("leftHand", "rightHand"), {"fingers"}),
        (("leftUpperArm", "rightUpperArm"), {"arms", "fingers"}),
    ],
)
def test_parts_that_are_missing(gone: Sequence[str], part: set[str]) -> None:
    body = on_figure(without(person(), gone))
    assert body.present == {"head", "arms", "lower", "fingers"} - part
    assert body.clip.skeleton == RIG.skeleton
    assert np.isfinite(body.clip.world_positions).all()
    trunk = ["hips", "spine", "chest", "upperChest"]
    assert turns_apart(body.clip, on_figure(person()).clip, trunk) < 1.0


@pytest.mark.parametrize("part", ["head", "arms", "lower", "fingers"])
def test_joints_that_never_move_do_not_count(part: str) -> None:
    bones = {
        "head": ["neck", "head"],
        "arms": [f"{s}{b}" for s in ("left", "right") for b in ("UpperArm", "LowerArm")],
        "lower": [f"{s}{b}" for s in ("left", "right") for b in ("UpperLeg", "LowerLeg", "Foot")],
        "fingers": HANDS,
    }[part]
    rotations = person().rotations.copy()
    joints = RIG.joints(bones)
    rotations[:, joints] = rotations[:1, joints]
    body = on_figure(replace(person(), rotations=rotations))
    assert body.present == {"head", "arms", "lower", "fingers"} - {part}
    assert part in body.notes[-1]


def test_a_body_without_hips() -> None:
    part = without(person(), LEGS)
    named = renamed(part, {"hips": "body_world"})
    assert turns_apart(on_figure(named).clip, on_figure(part).clip, ABOVE) < 1e-6


def test_arms_that_hang_are_not_taken_for_legs() -> None:
    # By position hands are the lowest ends of a body without legs, so names must win.
    strange = {"hips": "body_world", "leftShoulder": "bone_1", "rightShoulder": "bone_2"}
    part = hanging(renamed(without(person(), LEGS), strange))
    body = on_figure(part)
    assert "lower" not in body.present
    assert turns_apart(body.clip, on_figure(person()).clip, ["head", "leftLowerArm"]) < 3.0


@pytest.mark.parametrize("size", [1.0, 37.0])
def test_a_missing_hand_continues_the_forearm(size: float) -> None:
    part = bigger(without(person(), ("leftHand", "rightHand")), size)
    whole, found = on_figure(person()).clip, on_figure(hanging(part)).clip
    elbows = RIG.joints(("leftLowerArm", "rightLowerArm"))
    apart = found.world_positions[:, elbows] - whole.world_positions[:, elbows]
    assert np.abs(apart).max() < 0.02
    wrists = RIG.joints(("leftHand", "rightHand"))
    apart = found.world_positions[:, wrists] - whole.world_positions[:, wrists]
    assert np.abs(apart).max() < 0.03


def test_what_is_no_body_is_said() -> None:
    only = without(person(), (*LEGS, "leftUpperArm", "rightUpperArm"))
    with pytest.raises(RigError, match="neither both arms nor both legs"):
        on_figure(only)
    head = without(only, ("leftShoulder", "rightShoulder"))
    with pytest.raises(RigError, match="joints: hips, spine, chest, upperChest, neck, head, left"):
        on_figure(head)
