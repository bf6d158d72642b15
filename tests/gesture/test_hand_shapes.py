"""Hand shapes: onto a rig and off it again, what touches in them, and what is possible."""

from __future__ import annotations

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.animation.arms.poses.home_pose import home_clip
from kinesphere.errors import InvalidValueError, RigError
from kinesphere.gesture.hand_shapes import (
    ANGLES,
    HandShape,
    finger_angles,
    finger_turns,
    hand_shapes,
    has_fingers,
    local_finger_rotations,
    measured_angles,
    nearest_shape,
    shape_by_name,
    shape_distances,
    with_fingers,
)
from kinesphere.gesture.lexicon import HAND_SHAPES
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import SIDES, Side
from kinesphere.motion.body.body_volume import hand_points
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import FINGERS, Rig, finger_bones

RIG = ks.default_rig()


def shown(side: Side) -> Clip:
    """A frame for every shape."""
    rows = [finger_turns(shape, side) for shape in hand_shapes().values()]
    turns = {bone: np.array([row[bone] for row in rows]) for bone in rows[0]}
    return with_fingers(home_clip(len(rows), 30.0), RIG, side, turns)


def tips(clip: Clip, side: Side) -> Floats:
    """Tips of the five fingers ``[frames, 5, 3]``."""
    return hand_points(clip, RIG, side)[:, -5:]


@pytest.mark.parametrize("side", SIDES)
def test_shapes_go_onto_a_rig_and_off_again(side: Side) -> None:
    found = measured_angles(RIG, shown(side).world_rotations, side)
    expected = np.array([shape.angles for shape in hand_shapes().values()])
    spread = np.array(["spread" in name for name in ANGLES])
    np.testing.assert_allclose(found[:, ~spread], expected[:, ~spread], atol=0.1)
    # Bent fingers hardly spread.
    np.testing.assert_allclose(found[:, spread], expected[:, spread], atol=4.0)
    assert [nearest_shape(row) for row in found] == list(HAND_SHAPES)


def test_the_hands_are_mirror_images() -> None:
    left, right = (tips(shown(side), side) for side in SIDES)
    np.testing.assert_allclose(left * [-1.0, 1.0, 1.0], right, atol=1e-9)


@pytest.mark.parametrize("side", SIDES)
def test_many_hands_at_once_are_the_same_as_one_by_one(side: Side) -> None:
    rng = np.random.default_rng(4)
    rows = np.array([finger_angles(shape) for shape in hand_shapes().values()])
    rows = rows + rng.normal(scale=6.0, size=rows.shape)
    turns = []
    for row in rows:
        values = [tuple(map(float, part)) for part in np.split(row, (3, 6, 9, 12, 16))]
        shape = HandShape("any", *values)  # type: ignore[arg-type]
        np.testing.assert_array_equal(finger_angles(shape), row)
        turns.append(finger_turns(shape, side))
    found = {bone: np.array([each[bone] for each in turns]) for bone in turns[0]}
    clip = with_fingers(home_clip(len(rows), 30.0), RIG, side, found)
    joints, local = local_finger_rotations(RIG, side, rows)
    np.testing.assert_allclose(local, clip.rotations[:, joints], atol=1e-12)
    with pytest.raises(InvalidValueError, match=r"shape \(20,\), expected \(n, 21\)"):
        local_finger_rotations(RIG, side, rows[0, :20])


@pytest.mark.parametrize(
    ("name", "finger", "least_mm", "most_mm"),
    [
        ("ring", "Index", 2, 9),  # skin on skin: tips lie on the skin
        ("gap", "Index", 20, 30),  # two to three centimetres of air
        ("purse", "Index", 16, 26),
        ("purse", "Middle", 25, 36),
        ("snap", "Middle", 14, 24),
        ("open-spread", "Index", 110, 150),
    ],
)
def test_thumb_and_finger_meet_where_they_should(
    name: str, finger: str, least_mm: float, most_mm: float
) -> None:
    places = tips(shown("left"), "left")[HAND_SHAPES.index(name)]
    apart = 1000.0 * np.linalg.norm(places[0] - places[FINGERS.index(finger)])
    assert least_mm <= apart <= most_mm


def test_joints_stay_within_what_hands_do() -> None:
    for shape in hand_shapes().values():
        mcp, pip, dip = shape.fingers.T
        assert np.all((mcp >= -20) & (mcp <= 90)), shape.name
        assert np.all((pip >= 0) & (pip <= 105)), shape.name
        assert np.all((dip >= 0) & (dip <= 70) & (dip <= 0.7 * pip + 5)), shape.name
        away, palm, _, thumb_mcp, thumb_ip = shape.thumb
        assert -5 <= away <= 66, shape.name
        assert 0 <= palm <= 55, shape.name
        assert -10 <= thumb_mcp <= 55, shape.name
        assert -15 <= thumb_ip <= 75, shape.name


def test_shapes_are_told_apart_when_fingers_are_off_by_four_degrees() -> None:
    rng = np.random.default_rng(4)
    for name, shape in hand_shapes().items():
        moved = shape.angles + rng.normal(scale=4.0, size=(200, len(ANGLES)))
        right = np.mean([nearest_shape(row) == name for row in moved])
        assert right >= 0.95, (name, right)


def test_distances_are_to_every_shape_and_zero_for_its_own() -> None:
    angles = np.array([shape.angles for shape in hand_shapes().values()])
    apart = shape_distances(angles)
    assert apart.shape == (len(HAND_SHAPES), len(HAND_SHAPES))
    np.testing.assert_allclose(np.diag(apart), 0.0)
    np.testing.assert_allclose(apart, apart.T)
    assert apart[~np.eye(len(apart), dtype=bool)].min() > 0.25


def test_names_of_the_lexicon_are_those_of_the_file() -> None:
    assert tuple(hand_shapes()) == HAND_SHAPES
    with pytest.raises(InvalidValueError, match="hand shape 'paw', allowed are rest, open-rlx"):
        shape_by_name("paw")


def test_bones_that_a_rig_lacks_are_left_out() -> None:
    bones = {b: j for b, j in RIG.bones.items() if b not in finger_bones("left", "Ring")}
    bare = Rig(RIG.skeleton, bones)
    assert has_fingers(RIG, "left")
    assert not has_fingers(bare, "left")
    clip = with_fingers(
        home_clip(1, 30.0), bare, "left", finger_turns(shape_by_name("fist"), "left")
    )
    ring, index = (RIG.joint(f"left{f}Proximal") for f in ("Ring", "Index"))
    before = home_clip(1, 30.0).rotations[0]
    np.testing.assert_array_equal(clip.rotations[0, ring], before[ring])
    assert np.abs(clip.rotations[0, index] - before[index]).max() > 0.1
    with pytest.raises(RigError, match="leftRingProximal"):
        measured_angles(bare, clip.world_rotations, "left")
