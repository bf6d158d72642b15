"""Places of Table 4.1 on bodies: there and back, on any body in any pose, and the table's metres."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kinesphere as ks
from kinesphere.animation.arms.poses.home_pose import home_clip
from kinesphere.errors import InvalidValueError, RigError
from kinesphere.gesture.gesture_space import GestureSpace, body_scale, gesture_space, shoulder_width
from kinesphere.gesture.hand_zones import centre_values, elbow_swivel, position_of, rows_of
from kinesphere.gesture.lexicon import hand_lexemes, lexicon
from kinesphere.gesture.placement import (
    PALM_M,
    hand_distances,
    measure_positions,
    palm_centres,
    palm_positions,
)
from kinesphere.gesture.positions import DIMENSIONS, DISTANCES, HEIGHTS, RADIALS, HandPosition
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import SIDES, Side, arm_turns, measure_arm, sign_of, with_arm
from kinesphere.motion.body.body_volume import CORE, body_volume, distance
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.keyed.torso import with_torso
from kinesphere.motion.skeleton import Skeleton
from tests.gesture.plain_placement import palm_position, world_point

RIG = ks.default_rig()
ALL = [HandPosition.of_names(list(names)) for names in product(*DIMENSIONS.values())]
# The elbow's inclination is the last dimension and does not move the hand.
HANDS = ALL[::4]
Stance = Callable[[Clip, Rig], Clip]


def tall() -> Rig:
    """A body of other proportions: long legs, a broad and longer trunk, long arms."""
    old = RIG.skeleton
    factors = np.ones((len(old), 3))
    for bone, joint in RIG.bones.items():
        factors[joint] = 1.2 if "Leg" in bone or "Foot" in bone else 1.1
        if bone == "hips":
            factors[joint] = (1.0, 1.2, 1.0)
        if bone.endswith("UpperArm"):
            factors[joint] = (1.25, 1.1, 1.1)
        if bone.endswith(("LowerArm", "Hand")):
            factors[joint] = 1.15
    taller = Skeleton(old.names, old.parents, old.offsets * factors, old.rest_rotations)
    return Rig(taller, RIG.bones)


def upright(clip: Clip, rig: Rig) -> Clip:
    return clip


def elsewhere(clip: Clip, rig: Rig) -> Clip:
    """Two metres away and turned by 130 degrees."""
    yaw = quaternion.from_axis_angle([0.0, 1.0, 0.0], np.radians(130.0))
    root = quaternion.rotate(yaw, clip.root_positions) + np.array([1.5, 0.3, -2.0])
    rotations = clip.rotations.copy()
    rotations[:, 0] = quaternion.multiply(yaw, rotations[:, 0])
    return replace(clip, root_positions=root, rotations=rotations)


def bent(clip: Clip, rig: Rig) -> Clip:
    """Leaning forward, turned and tilted in the spine."""
    spine = np.radians([28.0, 20.0, -8.0])
    return with_torso(clip, rig, {"spine": spine, "neck": np.radians([-10.0, 25.0, 5.0])})


def standing(rig: Rig, frames: int = 1) -> Clip:
    skeleton = rig.skeleton
    return Clip(
        skeleton,
        30.0,
        np.broadcast_to(skeleton.offsets[0], (frames, 3)),
        np.broadcast_to(home_clip(1, 30.0).rotations[0], (frames, len(skeleton), 4)),
    )


def reaching(clip: Clip, rig: Rig, side: Side, palms: Floats, swivels: Floats) -> Clip:
    """Put palms into places, hands pointing away from the shoulder."""
    arm = measure_arm(clip, rig, side)
    local = arm.from_world(palms)
    along = local / np.linalg.norm(local, axis=-1, keepdims=True)
    wrists = local - PALM_M * body_scale(rig) * along
    turns = np.empty((len(clip), 3, 4))
    turns[:, :2] = arm_turns(arm.limb, wrists, swivels)
    turns[:, 2] = quaternion.between([float(sign_of(side)), 0.0, 0.0], along)
    return with_arm(clip, rig, side, turns, arm.axes)


def longest(clip: Clip, rig: Rig, side: Side) -> float:
    return 0.98 * measure_arm(clip, rig, side).limb.reach + PALM_M * body_scale(rig)


def asked(clip: Clip, rig: Rig, position: HandPosition, side: Side) -> Floats:
    """The place without regard to the arm's length, in the first frame."""
    first = clip.frames(0, 1)
    space = gesture_space(rig, first.world_rotations, first.world_positions)
    row, out, azimuth, _ = centre_values(position)
    height = space.levels[:, int(row), 1]
    points = world_point(space, height, np.array([out * space.scale]), np.array([azimuth]), side)
    return np.asarray(points[0])


@pytest.mark.parametrize("stance", [upright, elsewhere, bent])
@pytest.mark.parametrize("make", [lambda: RIG, tall], ids=["default", "tall"])
@pytest.mark.parametrize("side", SIDES)
def test_a_hand_put_into_a_place_is_in_that_place(
    side: Side, make: Callable[[], Rig], stance: Stance
) -> None:
    rig = make()
    body = stance(standing(rig, len(ALL)), rig)
    shoulder = measure_arm(body, rig, side).shoulders[0]
    pose = (body.world_rotations[0], body.world_positions[0])
    palms = np.repeat([palm_position(rig, *pose, p, side) for p in HANDS], 4, axis=0)
    wanted = np.repeat([asked(body, rig, p, side) for p in HANDS], 4, axis=0)
    swivels = np.array([elbow_swivel(position) for position in ALL])
    found = measure_positions(reaching(body, rig, side, palms, swivels), rig, side)
    away = np.linalg.norm(wanted - shoulder, axis=-1)
    # Nor does a hand go into its own shoulder.
    within = (away < longest(body, rig, side)) & (away > 0.1)
    assert within.mean() > 0.6
    np.testing.assert_allclose(palms[within], wanted[within], atol=1e-12)
    expected = np.array([position.indices for position in ALL])
    np.testing.assert_array_equal(found.rows[within], expected[within])
    centres = np.array([centre_values(position) for position in ALL])
    np.testing.assert_allclose(found.values[within], centres[within], atol=2e-3)
    assert found.position(int(np.flatnonzero(within)[-1])) == ALL[np.flatnonzero(within)[-1]]


@pytest.mark.parametrize("stance", [upright, bent])
@pytest.mark.parametrize("side", SIDES)
def test_what_is_out_of_reach_comes_nearer_at_the_same_angle(side: Side, stance: Stance) -> None:
    body = stance(standing(RIG), RIG)
    pose = (body.world_rotations[0], body.world_positions[0])
    shoulder = measure_arm(body, RIG, side).shoulders[0]
    limit = longest(body, RIG, side)
    space = gesture_space(RIG, body.world_rotations, body.world_positions)
    count = 0
    for position in HANDS:
        if np.linalg.norm(asked(body, RIG, position, side) - shoulder) <= limit:
            continue
        count += 1
        palm = palm_position(RIG, *pose, position, side)
        assert np.linalg.norm(palm - shoulder) <= limit + 1e-6
        row, out, azimuth = space.values(palm[None], side)[0]
        wanted = centre_values(position)
        assert azimuth == pytest.approx(wanted[2], abs=1e-6)
        assert out <= wanted[1] + 1e-3
        assert out >= min(0.03, wanted[1]) - 1e-3
        assert abs(row - 2.0) <= abs(wanted[0] - 2.0) + 1e-4
    assert count > 10


@cache
def space_of_the_bent() -> GestureSpace:
    body = bent(standing(RIG), RIG)
    return gesture_space(RIG, body.world_rotations, body.world_positions)


@given(st.floats(0.7, 1.95), st.floats(0.05, 0.7), st.floats(-np.pi, np.pi), st.sampled_from(SIDES))
def test_any_point_is_where_its_values_say(
    height: float, radius: float, angle: float, side: Side
) -> None:
    space = space_of_the_bent()
    heights = np.array([height])
    point = space.middles(heights) + radius * np.array([[np.sin(angle), 0.0, np.cos(angle)]])
    values = space.values(point, side)
    again = world_point(space, heights, values[:, 1] * space.scale, values[:, 2], side)
    np.testing.assert_allclose(again, point, atol=1e-9)
    upper, lower = space.levels[0, :-1, 1], space.levels[0, 1:, 1]
    i = int(np.clip(np.floor(values[0, 0]), 0, 5))
    assert upper[i] + (values[0, 0] - i) * (lower[i] - upper[i]) == pytest.approx(height, abs=1e-5)


def test_left_and_right_are_mirror_images() -> None:
    body = standing(RIG)
    pose = (body.world_rotations[0], body.world_positions[0])
    for position in HANDS[::6]:
        for apart in (None, 0.8):
            left, right = (palm_position(RIG, *pose, position, side, apart) for side in SIDES)
            np.testing.assert_allclose(left * [-1.0, 1.0, 1.0], right, atol=1e-9)


def test_places_move_and_turn_with_the_body() -> None:
    body = bent(standing(RIG), RIG)
    moved = elsewhere(body, RIG)
    yaw = quaternion.from_axis_angle([0.0, 1.0, 0.0], np.radians(130.0))
    for position, side in product(HANDS[::5], SIDES):
        at, there = (
            palm_position(RIG, c.world_rotations[0], c.world_positions[0], position, side)
            for c in (body, moved)
        )
        expected = quaternion.rotate(yaw, at) + np.array([1.5, 0.3, -2.0])
        np.testing.assert_allclose(there, expected, atol=1e-6)


def test_places_grow_with_the_body() -> None:
    old = RIG.skeleton
    giant = Rig(Skeleton(old.names, old.parents, old.offsets * 3.0, old.rest_rotations), RIG.bones)
    small, large = standing(RIG), standing(giant)
    for position, side in product(HANDS[::5], SIDES):
        at = palm_position(RIG, small.world_rotations[0], small.world_positions[0], position, side)
        big = palm_position(
            giant, large.world_rotations[0], large.world_positions[0], position, side
        )
        np.testing.assert_allclose(big, 3.0 * at, atol=1e-3)


def test_many_poses_at_once_are_the_same_as_one_by_one() -> None:
    bodies = [stance(standing(RIG), RIG) for stance in (upright, elsewhere, bent)]
    rotations = np.stack([b.world_rotations[0] for b in bodies])
    positions = np.stack([b.world_positions[0] for b in bodies])
    for apart in (None, 1.2):
        for position in (ALL[5], ALL[300], ALL[-1]):
            both = palm_position(
                RIG, rotations[None], positions[None], position, "left", hand_distance=apart
            )
            assert both.shape == (1, 3, 3)
            for i in range(3):
                one = palm_position(RIG, rotations[i], positions[i], position, "left", apart)
                np.testing.assert_allclose(both[0, i], one, atol=1e-9)


def test_places_of_many_rows_are_those_of_one_by_one() -> None:
    rng = np.random.default_rng(1)
    for rig in (RIG, tall()):
        bodies = [stance(standing(rig), rig) for stance in (upright, elsewhere, bent)]
        which = rng.integers(0, 3, size=40)
        rotations = np.stack([bodies[i].world_rotations[0] for i in which])
        positions = np.stack([bodies[i].world_positions[0] for i in which])
        places = [ALL[i] for i in rng.integers(0, len(ALL), size=40)]
        sides: list[Side] = [SIDES[i] for i in rng.integers(0, 2, size=40)]
        apart = [None if u < 0.5 else float(3.0 * (u - 0.5)) for u in rng.uniform(size=40)]
        found = palm_positions(rig, rotations, positions, places, sides, apart)
        for i in range(40):
            one = palm_position(rig, rotations[i], positions[i], places[i], sides[i], apart[i])
            np.testing.assert_allclose(found[i], one, atol=1e-7)
    assert palm_positions(RIG, rotations[:0], positions[:0], [], [], []).shape == (0, 3)


# The table's metres


def test_heights_are_the_table_s_on_the_default_figure() -> None:
    body = standing(RIG)
    space = gesture_space(RIG, body.world_rotations, body.world_positions)
    expected = dict(zip(HEIGHTS, (1.86, 1.62, 1.42, 1.27, 1.11, 0.98, 0.84), strict=True))
    np.testing.assert_allclose(space.levels[0, :, 1], list(expected.values()), atol=2e-3)


def test_a_shoulder_high_place_stays_so_when_the_torso_bends() -> None:
    position = HandPosition("shoulder", "close", "front", "normal")
    for clip in (standing(RIG), bent(standing(RIG), RIG)):
        palm = palm_position(
            RIG, clip.world_rotations[0], clip.world_positions[0], position, "left"
        )
        shoulders = clip.world_positions[0, RIG.joints(["leftUpperArm", "rightUpperArm"])]
        assert palm[1] == pytest.approx(shoulders[:, 1].mean(), abs=0.012)


def test_before_the_belt_is_where_the_chest_faces() -> None:
    turned = with_torso(standing(RIG), RIG, {"spine": np.radians([0.0, 60.0, 0.0])})
    pose = (turned.world_rotations[0], turned.world_positions[0])
    position = HandPosition("belt", "normal", "front", "normal")
    middle = np.mean([palm_position(RIG, *pose, position, side) for side in SIDES], axis=0)
    assert np.degrees(np.arctan2(middle[0], middle[2])) == pytest.approx(60.0, abs=2.0)


def test_the_surface_is_where_a_thick_ray_first_meets_the_body() -> None:
    """Compared with a dense row of points on the ray."""
    body = bent(standing(RIG), RIG)
    space = gesture_space(RIG, body.world_rotations, body.world_positions)
    volume = body_volume(RIG)
    radii = np.arange(0.6, 0.04, -0.0005)
    for height, angle in product((0.85, 1.0, 1.15, 1.3, 1.5, 1.6), np.radians([-15.0, 40.0, 90.0])):
        heights, angles = np.array([height]), np.array([angle])
        direction = space.outward(angles, "right")
        points = space.middles(heights) + radii[:, None] * direction
        clear = distance(volume, body.world_rotations[0], body.world_positions[0], points, CORE)[0]
        met = np.flatnonzero(clear <= 0.04)
        expected = radii[met[0]] - 0.04 if len(met) else 0.0
        assert space.surface(heights, direction)[0] == pytest.approx(expected, abs=2e-3)


# Strokes whose travel is not given by their places: contacts, repetitions, small movements.
NOT_BY_PLACES = ("Beat", "HandClap", "Snap", "Ring", "Temple", "Part", "CountFingers")


def test_places_lie_apart_as_the_lexicon_s_strokes_say() -> None:
    body = standing(RIG)
    pose = (body.world_rotations[0], body.world_positions[0])
    for name in hand_lexemes():
        if name in NOT_BY_PLACES:
            continue
        lexeme = lexicon()[name]
        start, end = (palm_position(RIG, *pose, p, "left") for p in (lexeme.start, lexeme.end))
        np.testing.assert_allclose(
            end - start, np.array(lexeme.travel_cm) / 100.0, atol=0.055, err_msg=name
        )


# Two hands


@pytest.mark.parametrize("stance", [upright, bent])
@pytest.mark.parametrize("apart", [0.0, 0.09, 0.5, 0.95, 1.4, 2.0, 2.2])
def test_two_hands_are_so_far_apart(apart: float, stance: Stance) -> None:
    for words in ("abdomen/normal/side/touch", "chest/close/front/normal"):
        position = HandPosition.of_text(words)
        clip = stance(standing(RIG), RIG)
        pose = (clip.world_rotations[0], clip.world_positions[0])
        for side in SIDES:
            palm = palm_position(RIG, *pose, position, side, apart)
            clip = reaching(clip, RIG, side, palm[None], np.array([elbow_swivel(position)]))
        assert hand_distances(clip, RIG)[0] == pytest.approx(apart, abs=6e-3)
        found = [measure_positions(clip, RIG, side).position(0) for side in SIDES]
        assert {p.height for p in found} == {position.height}
        if apart <= 1.0:
            assert {p.distance for p in found} == {position.distance}


def test_wide_hands_stay_before_the_body_unless_they_are_meant_to_be_far_out() -> None:
    body = standing(RIG)
    pose = (body.world_rotations[0], body.world_positions[0])
    space = gesture_space(RIG, body.world_rotations, body.world_positions)
    for radial, degrees in (("out", 75.0), ("far-out", 90.0)):
        position = HandPosition("chest", "normal", radial, "out")
        palm = palm_position(RIG, *pose, position, "left", 2.2)
        assert np.degrees(space.values(palm[None], "left")[0, 2]) == pytest.approx(degrees)


def test_the_shoulders_are_the_unit_of_distances() -> None:
    assert shoulder_width(RIG) == pytest.approx(1.2 * 0.356, abs=1e-3)


# Values and rows


def test_rows_are_those_of_the_nearest_centre() -> None:
    centres = np.array([centre_values(position) for position in ALL])
    np.testing.assert_array_equal(rows_of(centres), [position.indices for position in ALL])
    nudged = centres + np.array([0.45, 0.04, np.radians(9.0), np.radians(6.0)])
    np.testing.assert_array_equal(rows_of(nudged), rows_of(centres))


def test_outside_the_table_the_last_row_counts() -> None:
    first, last = HandPosition.of_names([n[0] for n in DIMENSIONS.values()]), ALL[-1]
    assert position_of([-3.0, 2.0, 1.7, 2.0]) == first
    assert position_of([9.0, -0.1, -0.5, -0.3]) == last


@pytest.mark.parametrize("side", SIDES)
def test_behind_the_back_is_far_out_and_across_is_inward(side: Side) -> None:
    body = standing(RIG)
    space = gesture_space(RIG, body.world_rotations, body.world_positions)
    out = float(sign_of(side))
    behind = space.values(np.array([[0.1 * out, 1.0, -0.3]]), side)[0]
    across = space.values(np.array([[-0.1 * out, 1.1, 0.25]]), side)[0]
    assert RADIALS[rows_of([*behind, 0.4])[2]] == "far-out"
    assert RADIALS[rows_of([*across, 0.4])[2]] == "inward"
    assert DISTANCES[rows_of([*across, 0.4])[1]] == "close"


def test_the_palm_is_past_the_wrist() -> None:
    clip = standing(RIG)
    for side in SIDES:
        wrist = clip.world_positions[0, RIG.joint(f"{side}Hand")]
        knuckle = clip.world_positions[0, RIG.joint(f"{side}MiddleProximal")]
        palm = palm_centres(clip, RIG, side)[0]
        assert np.linalg.norm(palm - wrist) == pytest.approx(0.055, abs=1e-3)
        assert (palm - wrist) @ (knuckle - wrist) > 0.99 * 0.055 * np.linalg.norm(knuckle - wrist)


def test_a_rig_without_a_head_or_upper_chest_has_places() -> None:
    bones = {b: j for b, j in RIG.bones.items() if b not in ("head", "neck", "upperChest")}
    plain, bare = standing(RIG), Rig(RIG.skeleton, bones)
    for position in (ALL[30], ALL[200], ALL[400]):
        at, there = (
            palm_position(r, plain.world_rotations[0], plain.world_positions[0], position, "left")
            for r in (RIG, bare)
        )
        np.testing.assert_allclose(at, there, atol=0.06)


# What is refused


def test_bad_input_is_named() -> None:
    body = standing(RIG)
    pose = (body.world_rotations[0], body.world_positions[0])
    with pytest.raises(
        InvalidValueError, match=r"hand distance is -0\.1, allowed is a number >= 0"
    ):
        palm_position(RIG, *pose, ALL[0], "left", -0.1)
    poses = (body.world_rotations[:1], body.world_positions[:1])
    with pytest.raises(InvalidValueError, match=r"hand distance is -0\.1, allowed"):
        palm_positions(RIG, *poses, [ALL[0]], ["left"], [-0.1])
    with pytest.raises(InvalidValueError, match="1 poses with 1 positions, 2 sides and 1 hand"):
        palm_positions(RIG, *poses, [ALL[0]], ["left", "right"], [None])
    with pytest.raises(InvalidValueError, match=r"expected \(n, 55, 4\) and \(n, 55, 3\)"):
        gesture_space(RIG, body.world_rotations[:, :3], body.world_positions)
    armless = Rig(RIG.skeleton, {b: j for b, j in RIG.bones.items() if b != "leftHand"})
    with pytest.raises(RigError, match="leftHand"):
        measure_positions(body, armless, "left")
