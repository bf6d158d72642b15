"""Torso and weight: turns as printed, posture of gestures, breath, and hips over the feet."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesphere.animation.acting_rules import acting_rules
from kinesphere.animation.arms.hand_events import Act
from kinesphere.animation.arms.poses.rest_poses import rest_poses
from kinesphere.animation.arms.stroke_timing import StrokeTime
from kinesphere.animation.settings import ActingSettings
from kinesphere.animation.speech_cues import SpeechCues
from kinesphere.animation.trunk_motion import (
    TrunkMotion,
    chest_frames,
    chest_origin,
    posture_tracks,
    speaking_level,
    trunk_motion,
    turn_tracks,
    waiting_level,
)
from kinesphere.character.default import default_rig
from kinesphere.figure.standing.legs import leg_rotations
from kinesphere.gesture.lexicon import LexemePosture, lexicon
from kinesphere.gesture.script import ScriptGesture, Turn
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import SIDES, Side
from kinesphere.motion.kinematics import forward_kinematics
from tests.animation.standing import HIPS, feet

RIG = default_rig()
PAPER = ActingSettings().paper_preset()
PEOPLE = ActingSettings()
TIMES = np.arange(1800) / 60.0
HOME = rest_poses(["at-side"], plain=True)["at-side"]
YAW = np.radians(20.0)


def wrists(frames: int = len(TIMES)) -> dict[Side, Floats]:
    return {side: np.broadcast_to(HOME[side].wrist, (frames, 3)) for side in SIDES}


def moved(
    s: ActingSettings = PEOPLE,
    acts: tuple[Act, ...] = (),
    turns: tuple[Turn, ...] = (),
    seed: int = 0,
    cues: SpeechCues | None = None,
    hands: dict[Side, Floats] | None = None,
) -> TrunkMotion:
    tracks = turn_tracks(turns, YAW, s, np.random.default_rng(seed))
    posture = posture_tracks(acts, s)
    rules = acting_rules(s)
    return trunk_motion(
        TIMES,
        hands or wrists(),
        tracks,
        posture,
        cues or SpeechCues(),
        rules.settings,
        rules.stance(seed),
        np.zeros(len(TIMES)),
        seed,
        rules.body,
    )


def act(sides: tuple[Side, ...] = ("right",), **posture: float) -> Act:
    g = ScriptGesture("Cup", "RH", "prep+stroke+hold", stroke_end_s=5.0, stroke_s=0.5, hold_s=1.0)
    entry = replace(lexicon()["Cup"], posture=LexemePosture(**posture))
    goal = {side: HOME[side] for side in sides}
    return Act(0, g, entry, sides, goal, goal, StrokeTime(4.5, 5.0, 0.5), 0.4)


# -- turns -----------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(
    gaps=st.lists(st.floats(0.7, 5.0), min_size=1, max_size=5),
    ways=st.lists(st.sampled_from(["left", "front", "right"]), min_size=5, max_size=5),
    seed=st.integers(0, 999),
)
def test_turns_are_done_as_printed(gaps: list[float], ways: list[str], seed: int) -> None:
    starts = np.cumsum(gaps)
    turns = [Turn(way, float(t)) for way, t in zip(ways, starts, strict=False)]
    pelvis, spine = turn_tracks(turns, YAW, PAPER, np.random.default_rng(seed))
    goals = {"left": YAW, "front": 0.0, "right": -YAW}
    for k, turn in enumerate(turns):
        length = spine.lengths[k]
        assert 0.5 <= length <= 0.6
        assert pelvis.lengths[k] == length
        # The two are a tenth of the turn apart, the spine first.
        assert pelvis.starts[k] - spine.starts[k] == pytest.approx(0.1 * length)
        assert spine.starts[k] == turn.time_s
        done = np.array([turn.time_s + 0.69])
        whole = float(pelvis(done)[0, 0] + spine(done)[0, 0])
        assert whole == pytest.approx(goals[turn.direction], abs=1e-9)


def test_people_turn_more_slowly_and_never_twice_alike() -> None:
    turns = (Turn("left", 1.0), Turn("right", 4.0), Turn("left", 8.0))
    lengths, goals = [], []
    for seed in range(20):
        pelvis, spine = turn_tracks(turns, YAW, PEOPLE, np.random.default_rng(seed))
        lengths.append(spine.lengths)
        goals.append(pelvis([3.0, 7.0, 12.0])[:, 0] + spine([3.0, 7.0, 12.0])[:, 0])
    assert np.median(lengths) > 0.6
    assert np.allclose(np.median(goals, axis=0), [YAW, -YAW, YAW], rtol=0.15)
    assert np.std(goals, axis=0).min() > np.radians(0.5)


def test_chest_frames_turn_with_the_body_and_any_order_of_times_will_do() -> None:
    tracks = turn_tracks((Turn("left", 1.0),), YAW, PAPER, np.random.default_rng(0))
    times = np.array([3.0, 0.0, 1.3])
    frames = chest_frames(*tracks, times)
    yaw = quaternion.log(frames.axes)[:, 1]
    assert yaw[:2] == pytest.approx([YAW, 0.0], abs=1e-9)
    assert 0.0 < yaw[2] < YAW
    rest = RIG.skeleton.rest_world_positions
    middle = rest[RIG.joints(("leftUpperArm", "rightUpperArm"))].mean(axis=0)
    assert np.allclose(frames.origins[1], middle)
    assert np.allclose(frames.inwards(frames.origins), 0.0)
    # A point on the left of the turned chest is on its left in its own frame.
    left = frames.origins + quaternion.rotate(frames.axes, np.array([0.3, 0.0, 0.0]))
    assert np.allclose(frames.inwards(left), [0.3, 0.0, 0.0])
    assert np.allclose(chest_origin(), middle - rest[RIG.joint("upperChest")])


# -- posture ---------------------------------------------------------------------------------------


def test_postures_come_with_the_stroke_and_go_after_the_hold() -> None:
    spine, collar = posture_tracks([act(lean=10.0, collar_up=8.0, collar_back=4.0)], PAPER)
    at = np.array([0.0, 4.0, 5.2, 5.9, 8.0])
    assert np.degrees(spine(at)[:, 0]) == pytest.approx([0.0, 0.0, 10.0, 10.0, 0.0], abs=1e-6)
    assert np.degrees(collar(at)[2]) == pytest.approx([8.0, 4.0])
    assert np.allclose(collar.last, 0.0)
    assert np.allclose(spine.last, 0.0)


def test_postures_lean_towards_the_acting_hand() -> None:
    left, right, both = (
        posture_tracks([act(sides, turn=10.0, tilt=6.0)], PAPER)[0]([5.5])[0]
        for sides in (("left",), ("right",), SIDES)
    )
    assert np.allclose(left, -right)
    assert left[1] > 0.1
    assert np.allclose(both, 0.0)


def test_shrugged_shoulders_go_up_on_both_sides_as_mirror_images() -> None:
    body = moved(PAPER, (act(collar_up=10.0, collar_back=5.0),))
    plain = moved(PAPER)
    left, right = (body.collars[s][330] - plain.collars[s][330] for s in SIDES)
    assert np.allclose(left, right * [1.0, -1.0, -1.0])
    assert np.degrees(left) == pytest.approx([0.0, 5.0, 10.0], abs=0.2)


# -- life ------------------------------------------------------------------------------------------


def test_the_paper_has_turns_breath_and_nothing_else() -> None:
    body = moved(PAPER, turns=(Turn("left", 3.0),))
    assert np.all(body.pelvis[:, (0, 2)] == 0.0)
    # Straight legs carry a turned pelvis by so much lower.
    assert np.ptp(body.hips, axis=0).max() < 3e-4
    assert np.ptp(body.spine[:200, 1]) < np.radians(12.0)
    assert 0.0 < np.ptp(body.spine[:, 0]) < np.radians(3.0)
    assert np.all(body.spine[:, 2] == 0.0)


def test_chests_rise_a_quarter_of_a_hertz() -> None:
    breath = moved(PAPER).collars["left"][:, 2]
    size = np.abs(np.fft.rfft(breath - breath.mean()))
    hz = np.fft.rfftfreq(len(breath), 1.0 / 60.0)[size.argmax()]
    assert 0.15 < hz < 0.4
    assert np.allclose(moved(PAPER).collars["right"][:, 2], -breath)


@pytest.mark.parametrize("seed", range(4))
def test_people_are_never_quite_still_and_never_far(seed: int) -> None:
    body = moved(seed=seed)
    assert np.abs(body.hips[:, 0]).max() < 0.2
    assert np.ptp(body.hips[:, 0]) > 0.02
    assert np.abs(body.hips[:, 2]).max() < 0.12
    assert np.all(body.hips[:, 1] < HIPS[1])
    assert np.abs(body.spine).max() < np.radians(16.0)
    for part in (body.hips, 0.1 * body.spine, 0.1 * body.pelvis):
        # Smooth: nothing jumps from frame to frame; the most is a step.
        assert np.abs(np.diff(part, 2, axis=0)).max() * 3600.0 < 4.5


def test_the_torso_is_livelier_while_something_is_said() -> None:
    talking = SpeechCues(phrases=((0.0, 30.0),), end_s=30.0)
    quiet, loud = (
        np.std([moved(seed=k, cues=c).pelvis[:, 1] for k in range(12)]) for c in (None, talking)
    )
    assert loud > 1.1 * quiet


def test_the_torso_goes_along_with_the_hands() -> None:
    forward = {"left": wrists()["left"] + [0.0, 0.0, 0.3], "right": wrists()["right"]}
    turned = moved(hands=forward).spine - moved().spine
    assert turned[600, 1] < -0.01
    more = replace(PEOPLE, lean_gain=2.0)
    twice = moved(more, hands=forward).spine - moved(more).spine
    assert twice[600, 1] == pytest.approx(2.0 * turned[600, 1], rel=0.05)
    up = {side: w + [0.0, 0.4, 0.0] for side, w in wrists().items()}
    assert (moved(hands=up).spine - moved().spine)[600, 0] < 0.0
    assert np.allclose(moved(PAPER, hands=up).spine, moved(PAPER).spine)


def test_the_same_seed_gives_the_same_body() -> None:
    one, two, other = (moved(seed=k) for k in (4, 4, 5))
    assert np.array_equal(one.spine, two.spine)
    assert np.array_equal(one.hips, two.hips)
    assert not np.allclose(one.spine, other.spine)


def test_speaking_rises_and_falls_softly_between_nothing_and_all() -> None:
    cues = SpeechCues(phrases=((1.0, 4.0), (4.3, 6.0), (20.0, 22.0)), end_s=25.0)
    level = speaking_level(TIMES, cues)
    assert level.min() >= 0.0
    assert level.max() <= 1.0
    assert level[120] == pytest.approx(1.0)
    assert level[900] == 0.0
    assert level[20 * 60 + 30] == pytest.approx(1.0)
    assert np.abs(np.diff(level)).max() < 0.1
    assert np.all(speaking_level(TIMES, SpeechCues()) == 0.0)


# -- legs ------------------------------------------------------------------------------------------


@settings(max_examples=50)
@given(
    shift=st.tuples(st.floats(-0.08, 0.08), st.floats(-0.06, -0.01), st.floats(-0.05, 0.05)),
    turn=st.tuples(st.floats(-0.1, 0.1), st.floats(-0.5, 0.5), st.floats(-0.1, 0.1)),
)
def test_feet_stay_for_any_place_of_the_hips(
    shift: tuple[float, float, float], turn: tuple[float, float, float]
) -> None:
    hips = quaternion.exp(np.array([turn]))
    places = RIG.skeleton.offsets[0] + np.array([shift])
    local = RIG.skeleton.rest_rotations[None].copy()
    local[:, 0] = hips
    for joint, q in leg_rotations(places, hips, feet(1)).items():
        local[:, joint] = q
    turns, points = forward_kinematics(RIG.skeleton, local, places)
    for bone in ("leftFoot", "rightFoot", "leftToes", "rightToes"):
        joint = RIG.joint(bone)
        assert np.abs(points[0, joint] - RIG.skeleton.rest_world_positions[joint]).max() < 1e-6
        rest = RIG.skeleton.rest_world_rotations[joint]
        assert quaternion.angle_between(turns[0, joint], rest) < 1e-5
    for side in SIDES:
        knee, foot = (points[0, RIG.joint(f"{side}{b}")] for b in ("LowerLeg", "Foot"))
        hip = points[0, RIG.joint(f"{side}UpperLeg")]
        # Knees bend forward, never back: as seen along the way the pelvis faces.
        ahead = quaternion.rotate(hips[0], np.array([0.0, 0.0, 1.0]))
        assert (knee - 0.5 * (hip + foot)) @ ahead > -1e-3


def test_somebody_waits_before_after_and_in_long_silences() -> None:
    times = np.arange(0.0, 30.0, 0.1)
    cues = SpeechCues(phrases=((5.0, 8.0), (9.5, 12.0), (20.0, 22.0)), end_s=30.0)
    level = waiting_level(times, cues)
    for start, end in cues.phrases:
        assert not level[(times > start - 0.1) & (times < end)].any()
    assert not level[(times > 8.0) & (times < 9.5)].any()  # too short a pause
    for start, end in ((0.0, 4.0), (15.0, 19.0), (25.0, 30.0)):
        assert np.all(level[(times > start) & (times < end)] == 1.0)
    assert not waiting_level(times, SpeechCues(end_s=30.0)).any()
