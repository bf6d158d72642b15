"""Hands that touch: skin on skin and nowhere inside, mirrored, and hands as large as the mesh's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.animation.arms.hand_events import Act, HandEvent
from kinesphere.animation.arms.hand_volume import (
    FigurePose,
    body_gap,
    finger_chains,
    finger_skin,
    hand_balls,
    hands_gap,
    posed_balls,
    standing_body,
)
from kinesphere.animation.arms.head_contacts import follow_head
from kinesphere.animation.arms.poses.arm_pose import (
    COMFORT,
    arm_pose,
    collar_angles,
    collar_turns,
    hand_turns,
    local_arm_rotations,
    palm_centre,
    reaching_shoulders,
)
from kinesphere.animation.arms.poses.contact_poses import Contact, contact_pose, touch_of
from kinesphere.animation.arms.poses.home_pose import home_clip
from kinesphere.animation.arms.stroke_timing import StrokeTime
from kinesphere.animation.posing import HandFrames, HeadTurns
from kinesphere.errors import InvalidValueError
from kinesphere.formats.gltf.stored_figure import default_figure
from kinesphere.gesture.form import direction
from kinesphere.gesture.hand_shapes import finger_angles, local_finger_rotations, shape_by_name
from kinesphere.gesture.lexeme import HEAD_CONTACTS
from kinesphere.gesture.lexicon import lexicon
from kinesphere.gesture.script import ScriptGesture
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import SIDES, Side, sign_of
from kinesphere.motion.body.body_volume import hand_depth, hand_points
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import FINGERS, finger_bones

RIG = ks.default_rig()
MIRROR = np.array([-1.0, 1.0, 1.0])
_PLACES = RIG.canonical_pose[1]
NECK, HEAD = (
    _PLACES[RIG.joint(bone)] - _PLACES[RIG.joints(("leftUpperArm", "rightUpperArm"))].mean(axis=0)
    for bone in ("neck", "head")
)
ALONE = ("PointingSelf", "Heart", "Temple")
PAIRS = ("HandClap", "Part", "Join", "CountFingers")


def other_side(side: Side) -> Side:
    return "left" if side == "right" else "right"


def shoulders(contact: Contact, side: Side, gain: float = 1.0) -> Floats:
    return reaching_shoulders(side, contact.poses[side].wrists, gain)


def tips(contact: Contact, side: Side) -> Floats:
    """Tips of the five fingers ``[5, 3]`` in the chest frame."""
    pose = contact.poses[side]
    turns = hand_turns(side, pose, shoulders(contact, side))
    return np.asarray(finger_chains(side, pose.wrists, turns, contact.fingers[side])[0][0, :, 3])


def air(contact: Contact) -> float:
    left, right = (
        posed_balls(s, contact.poses[s], contact.fingers[s], shoulders(contact, s)) for s in SIDES
    )
    return hands_gap(left, right)


def clear_of_body(contact: Contact, side: Side, body: FigurePose | None = None) -> float:
    return body_gap(
        body or standing_body(),
        side,
        contact.poses[side],
        contact.fingers[side],
        shoulders(contact, side),
    )[0]


def on_figure(contact: Contact) -> Clip:
    clip = home_clip(1, 30.0)
    rotations = clip.rotations.copy()
    for side, pose in contact.poses.items():
        collars = collar_turns(side, *collar_angles(side, pose.wrists).T)
        for joints, local in (
            local_arm_rotations(side, pose, collars),
            local_finger_rotations(RIG, side, contact.fingers[side][None]),
        ):
            rotations[:, joints] = local
    return replace(clip, rotations=rotations)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", ["PointingSelf", "Heart"])
def test_hands_touch_the_chest_and_are_nowhere_inside(name: str, side: Side) -> None:
    contact = contact_pose(name, side)
    assert abs(clear_of_body(contact, side)) < 1e-3
    clip = on_figure(contact)
    assert hand_depth(clip, RIG, side)[0] == 0.0
    # The figure's own hand is where the contact says.
    there = standing_body().from_world(hand_points(clip, RIG, side)[0, -5:])
    assert np.abs(there - tips(contact, side)).max() < 1e-9


def test_fingertips_are_on_the_breastbone_and_the_heart_s_are_past_the_middle() -> None:
    own = tips(contact_pose("PointingSelf", "left"), "left")[1:3].mean(axis=0)
    assert 0.005 < own[0] < 0.015
    assert -0.16 < own[1] < -0.08
    heart = contact_pose("Heart", "left")
    assert np.all(tips(heart, "left")[1:4, 0] < -0.02)
    palm = palm_centre("left", heart.poses["left"], shoulders(heart, "left"))[0]
    assert abs(palm[0]) < 0.05
    # All long fingers lie on the chest.
    found = standing_body().clearance(tips(heart, "left")[1:])[0]
    assert np.all(found < 0.015)


@pytest.mark.parametrize("yaw", [0.0, 0.5])
def test_the_index_points_to_the_temple_of_a_turned_head(yaw: float) -> None:
    clip = home_clip(1, 30.0)
    rotations = clip.rotations.copy()
    rotations[:, RIG.joint("neck")] = quaternion.exp([0.1, yaw, 0.0])
    posed = replace(clip, rotations=rotations)
    body = FigurePose(posed.world_rotations[0], posed.world_positions[0])
    contact = contact_pose("Temple", "right", body=body)
    found = tips(contact, "right")[1]
    assert body.clearance(found[None])[0][0] == pytest.approx(0.01, abs=0.004)
    head = RIG.joint("head")
    back = quaternion.inverse(posed.world_rotations[0, head])
    place = quaternion.rotate(back, body.in_world(found) - posed.world_positions[0, head])
    assert np.abs(place - [-0.085, 0.1, 0.045]).max() < 0.012
    assert clear_of_body(contact, "right", body) > -0.001


@pytest.mark.parametrize("name", PAIRS)
def test_hands_touch_each_other_and_are_not_in_each_other(name: str) -> None:
    contact = contact_pose(name)
    assert -0.001 < air(contact) < 0.003
    for side in SIDES:
        assert clear_of_body(contact, side) > 0.02


def test_palms_face_each_other_and_the_acting_hand_is_turned_over() -> None:
    for side in SIDES:
        contact = contact_pose("HandClap", side)
        fingers, palms = {}, {}
        for s in SIDES:
            turns = hand_turns(s, contact.poses[s], shoulders(contact, s))
            fingers[s] = quaternion.rotate(turns, [float(sign_of(s)), 0.0, 0.0])[0]
            palms[s] = quaternion.rotate(turns, [0.0, -1.0, 0.0])[0]
        assert palms["left"] @ palms["right"] < np.cos(np.radians(165.0))
        apart = np.degrees(np.arccos(fingers["left"] @ fingers["right"]))
        assert 12.0 < apart < 23.0
        assert fingers[side][1] > fingers[other_side(side)][1]


@pytest.mark.parametrize("finger", FINGERS)
def test_the_index_is_on_the_pad_of_the_counted_finger(finger: str) -> None:
    contact = contact_pose("CountFingers", "right", finger=finger)
    pad, up = finger_skin(
        "left",
        contact.poses["left"],
        contact.fingers["left"],
        FINGERS.index(finger),
        shoulders(contact, "left"),
    )
    tip = tips(contact, "right")[1]
    assert np.linalg.norm(tip - pad) < 0.012
    assert (tip - pad) @ up > -0.002
    assert up[1] > 0.3


@pytest.mark.parametrize("name", [*ALONE, *PAIRS])
def test_the_other_hand_does_it_as_in_a_mirror(name: str) -> None:
    left, right = contact_pose(name, "left"), contact_pose(name, "right")
    for side, pose in left.poses.items():
        same = right.poses[other_side(side)]
        assert np.abs(pose.wrists * MIRROR - same.wrists).max() < 1e-6
        assert np.abs(pose.angles - same.angles).max() < 1e-5
        assert np.abs(left.fingers[side] - right.fingers[other_side(side)]).max() < 0.2
        assert np.all(pose.angles >= COMFORT[:, 0])
        assert np.all(pose.angles <= COMFORT[:, 1])


def test_some_air_can_be_left() -> None:
    lifted = contact_pose("PointingSelf", "right", off_m=0.03)
    assert clear_of_body(lifted, "right") == pytest.approx(0.03, abs=1e-3)
    assert air(contact_pose("HandClap", off_m=0.05)) == pytest.approx(0.05, abs=1e-3)


def test_fingers_and_collar_bones_are_those_given() -> None:
    fist = finger_angles(shape_by_name("fist"))
    contact = contact_pose("PointingSelf", "left", fingers=fist, gain=2.0)
    pose = contact.poses["left"]
    found = body_gap(standing_body(), "left", pose, fist, shoulders(contact, "left", 2.0))[0]
    assert abs(found) < 1e-3


def test_hands_are_as_large_as_those_of_the_mesh() -> None:
    figure = default_figure()
    skeleton = figure.skeleton
    main = figure.joints[np.arange(len(figure.joints)), figure.weights.argmax(axis=1)]
    own = [RIG.joint("leftHand")]
    own += [RIG.joint(b) for f in FINGERS for b in finger_bones("left", f)]
    skin = figure.positions[np.isin(main, own)]
    canonical = RIG.canonical_pose[0][RIG.joint("leftHand")]
    hand = quaternion.inverse(canonical)[None]
    wrist = skeleton.rest_world_positions[RIG.joint("leftHand")][None]
    # The mesh's own rest pose, as angles of fingers: nearly straight.
    flat = np.array([*(0.0, 1.0, 1.0) * 4, *(0.0,) * 4, 38.0, 8.0, 0.0, 4.0, 4.0])
    centres, radii = hand_balls("left", wrist, hand, flat)
    away = np.linalg.norm(skin[:, None] - centres[0], axis=-1) - radii
    nearest = away.min(axis=1)
    assert np.percentile(nearest, 90) < 0.006
    assert np.percentile(nearest, 5) > -0.007
    assert abs(np.median(nearest)) < 0.002


def test_balls_go_along_with_the_hand() -> None:
    pose = arm_pose("left", [[0.2, -0.2, 0.3]], [0.4], direction("F"), direction("I"))
    fingers = finger_angles(shape_by_name("cup"))
    left, radii = posed_balls("left", pose, fingers)
    right, same = posed_balls("right", pose.mirror(), fingers)
    assert np.array_equal(radii, same)
    assert np.abs(left * MIRROR - right).max() < 1e-12
    moved = replace(pose, wrists=pose.wrists)
    assert np.array_equal(posed_balls("left", moved, fingers)[0], left)


def test_bad_input_is_named() -> None:
    with pytest.raises(InvalidValueError, match="Cup has no contact"):
        contact_pose("Cup")
    with pytest.raises(InvalidValueError, match="allowed are Thumb, Index"):
        contact_pose("CountFingers", finger="toe")
    assert all(lexicon()[name].contact for name in (*ALONE, *PAIRS))


@pytest.mark.parametrize("name", ["Swear", "Heart"])
def test_a_lexeme_of_ones_own_touches_as_it_says_itself(name: str) -> None:
    usual = lexicon()["Heart"]
    own = replace(usual, name=name, contact_with="tip", shapes=("index-rlx",))
    before = touch_of(usual, ("right",))["right"]
    found = touch_of(own, ("right",))["right"]
    assert touch_of(usual, ("right",))["right"] is before
    wanted = contact_pose(own, "right")
    assert np.array_equal(found.wrist, wanted.poses["right"].wrists[0])
    assert np.array_equal(found.fingers, wanted.fingers["right"])
    assert np.linalg.norm(found.wrist - before.wrist) > 0.02


AT_HEAD = tuple(n for n, e in lexicon().items() if e.contact in HEAD_CONTACTS and n != "Temple")
FINGER_OF = {"tip": 1, "thumb": 0}


@pytest.mark.parametrize("name", AT_HEAD)
def test_hands_at_the_head_are_near_their_point_and_not_in_it(name: str) -> None:
    entry = lexicon()[name]
    contact = contact_pose(name, "left")
    assert clear_of_body(contact, "left") > -0.002
    if entry.contact_with == "palm":
        assert clear_of_body(contact, "left") < 0.008
        return
    tip = tips(contact, "left")[FINGER_OF[entry.contact_with]]
    # It is off as far as the rest of the hand needs it.
    most = 0.06 if entry.contact_with == "thumb" else 0.02
    assert standing_body().clearance(tip[None])[0][0] == pytest.approx(0.5 * most, abs=0.5 * most)


@pytest.mark.parametrize("name", [*AT_HEAD, "Watch", "Pray", "RubHands", "Love"])
def test_new_contacts_are_the_same_in_a_mirror_and_comfortable(name: str) -> None:
    left, right = contact_pose(name, "left"), contact_pose(name, "right")
    for side, pose in left.poses.items():
        same = right.poses[other_side(side)]
        assert np.abs(pose.wrists * MIRROR - same.wrists).max() < 1e-5
        assert np.abs(pose.angles - same.angles).max() < 1e-4
        assert np.all(pose.angles >= COMFORT[:, 0] - 1e-9)
        assert np.all(pose.angles <= COMFORT[:, 1] + 1e-9)


def test_the_index_is_on_the_back_of_the_other_wrist() -> None:
    contact = contact_pose("Watch", "right")
    assert set(contact.poses) == set(SIDES)
    watch = contact.poses["left"].wrists[0]
    tip = tips(contact, "right")[1]
    assert np.linalg.norm(tip - watch) < 0.035
    assert tip[1] > watch[1] + 0.015


def test_a_hand_at_the_head_goes_with_it() -> None:
    times = np.arange(0.0, 4.0, 1.0 / 30.0)
    touched = touch_of(lexicon()["Sleep"], ("right",))["right"]
    still = np.zeros((len(times), 3))
    hand = HandFrames(
        np.tile(touched.wrist, (len(times), 1)),
        np.full(len(times), touched.swivel),
        np.tile(touched.angles, (len(times), 1)),
        np.tile(touched.fingers, (len(times), 1)),
        still,
    )
    act = Act(
        0,
        ScriptGesture("Sleep", "RH", "prep+stroke", stroke_end_s=2.2, stroke_s=0.4),
        lexicon()["Sleep"],
        ("right",),
        {},
        {},
        StrokeTime(1.8, 2.2, 0.5),
    )
    event = HandEvent("stroke", 1.8, 2.2, {}, ("right",), act=act)
    tilted = still + np.array([0.0, 0.0, np.radians(12.0)])
    for turn, moves in ((still, False), (tilted, True)):
        head = HeadTurns(turn, turn, still)
        after = follow_head({"right": hand}, [event], times, head)["right"]
        step = np.linalg.norm(after.wrists - hand.wrists, axis=1)
        if moves:
            # The cheek is 4 cm above the joint of the head, which the neck carries aside.
            neck = quaternion.rotate(quaternion.exp(turn[60]), touched.wrist - NECK) + NECK
            both = quaternion.rotate(quaternion.exp(turn[60]), touched.wrist - HEAD) + HEAD
            bounds = np.linalg.norm([neck - touched.wrist, both - touched.wrist], axis=1)
            assert bounds.min() < step[60] < bounds.sum() + 0.01
        else:
            # The wrist is at the limit of a folded arm, which is softened.
            assert step[60] < 0.008
        assert step[60] < 0.07
        # Long before and after, the hand is where it was.
        assert step[0] < 1e-6 > step[-1]
