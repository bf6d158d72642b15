"""Head and eyes together: gaze is where it should be, mirrored, shifted and cut alike; smooth."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesphere.animation.head.gaze import eye_cues
from kinesphere.animation.head.head_cues import (
    Beat,
    GazeShift,
    Glance,
    HeadCues,
    HeadMotion,
    HeadPose,
)
from kinesphere.animation.head.head_motion import head_motion
from kinesphere.animation.head.head_settings import PAPER_HEAD, HeadSettings
from kinesphere.character.joint_limits import joint_limits
from kinesphere.errors import InvalidValueError
from kinesphere.figure.head.blinks import BlinkSettings
from kinesphere.figure.head.eyes import EyeSettings, watch
from kinesphere.figure.head.gaze import PAPER_GAZE, direction
from kinesphere.maths import euler, quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.maths.curves import minimum_jerk
from tests.animation.test_nods import FPS, MINUTE, face_angles, same, spoken

PARTS = ("neck", "head", "eyes", "blink", "thrust", "look_target")
STILL = HeadSettings(
    posture_deg=(0.0, 0.0, 0.0),
    idle_deg=0.0,
    nod_ratio=0.0,
    verdict_ratio=0.0,
    eyes=EyeSettings(gaze=PAPER_GAZE),
)


def lively(seed: int) -> HeadCues:
    """A minute with everything in it."""
    cues = spoken(seed)
    rng = np.random.default_rng(seed)
    glances = [Glance(t, t + 0.7, *rng.uniform([-0.6, 0.1], [0.6, 0.5])) for t in (7.0, 21.0, 44.0)]
    poses = [
        HeadPose(12.0, 13.5, 0.08, 0.1, -0.14, 0.01),
        HeadPose(30.0, 31.2, shake=0.2),
        HeadPose(50.0, 51.0, nod=0.15),
    ]
    return replace(cues, glances=tuple(glances), poses=tuple(poses))


def turning(times: Floats, seed: int = 0) -> Floats:
    """A chest that turns now and then."""
    rng = np.random.default_rng(seed)
    yaw = np.zeros(len(times))
    for start in rng.uniform(0.0, 60.0, size=6):
        yaw += (rng.uniform(-0.5, 0.5) - yaw) * minimum_jerk((times - start) / 0.55)
    return yaw


def gaze_error(motion: HeadMotion, target: Floats, yaw: Floats, pitch: Floats | float) -> Floats:
    """Angle in degrees between where the eyes look and a target."""
    turn = quaternion.multiply(
        euler.about("Y", np.asarray(yaw)), euler.about("X", np.broadcast_to(pitch, np.shape(yaw)))
    )
    for part in (motion.neck, motion.head, motion.eyes):
        turn = quaternion.multiply(turn, quaternion.exp(part))
    seen = quaternion.rotate(turn, np.array([0.0, 0.0, 1.0]))
    wanted = direction(target[:, 0], target[:, 1])
    cosine = np.clip(np.sum(seen * wanted, axis=1), -1.0, 1.0)
    return np.asarray(np.degrees(np.arccos(cosine)))


def settled(times: Floats, changes: Floats, after_s: float) -> Floats:
    """Whether the last change of gaze is so long ago."""
    padded = np.concatenate([[-np.inf], changes])
    last = padded[np.searchsorted(changes, times, side="right")]
    return np.asarray(times - last > after_s)


angles = st.tuples(st.floats(-1.0, 1.0), st.floats(-0.35, 0.45))


@given(st.lists(angles, min_size=1, max_size=6), st.integers(0, 50), st.floats(-0.1, 0.15))
@settings(max_examples=40, deadline=None)
def test_the_gaze_hits_its_target(goals: list[tuple[float, float]], seed: int, lean: float) -> None:
    times = np.arange(0.0, 14.0, 1.0 / FPS)
    shifts = tuple(GazeShift(1.0 + 2.0 * i, *goal) for i, goal in enumerate(goals))
    cues = replace(lively(seed), shifts=shifts, glances=())
    chest = turning(times, seed)
    motion = head_motion(times, chest, cues, seed, chest_pitch=lean)
    error = gaze_error(motion, motion.look_target, chest, lean)
    found = watch(times, eye_cues(cues, HeadSettings()), seed, HeadSettings().eyes)[1]
    large = np.hypot(*np.diff(found.goals, axis=0, prepend=0.0).T) > np.radians(5.0)
    at_rest = settled(times, found.times[large], 0.75)
    steady = settled(times, found.times, 0.1)
    assert np.max(error[at_rest & steady], initial=0.0) < 1.0
    plain = head_motion(times, chest, HeadCues(shifts), seed, STILL, lean)
    done = settled(times, np.array([s.time_s for s in shifts]), 0.75)
    listener = plain.look_target[done]
    assert np.max(gaze_error(plain, plain.look_target, chest, lean)[done], initial=0.0) < 0.1
    assert all(tuple(row) in {(0.0, 0.0), *goals} for row in listener.tolist())


def test_eyes_stay_on_the_listener_while_the_head_shakes_and_nods() -> None:
    times = np.arange(0.0, 6.0, 1.0 / 120.0)
    cues = HeadCues(
        (GazeShift(0.1, 0.3),),
        poses=(HeadPose(1.5, 2.6, shake=0.21), HeadPose(3.5, 4.6, 0.05, nod=0.2)),
    )
    motion = head_motion(times, 0.0, cues, 0, STILL)
    after = times > 0.8
    assert np.max(gaze_error(motion, motion.look_target, 0.0 * times, 0.0)[after]) < 1e-5
    face = face_angles(motion.neck, motion.head)
    shaking = (times > 1.5) & (times < 2.7)
    assert np.ptp(face[shaking, 1]) > 20.0
    assert np.corrcoef(face[shaking, 1], motion.eyes[shaking, 1])[0, 1] < -0.99


@given(st.integers(0, 40))
@settings(max_examples=6, deadline=None)
def test_mirrored_cues_give_mirrored_motion(seed: int) -> None:
    cues, chest = lively(seed), turning(MINUTE, seed)
    mirrored = HeadCues(
        tuple(replace(s, yaw=-s.yaw) for s in cues.shifts),
        tuple(replace(g, yaw=-g.yaw) for g in cues.glances),
        cues.accents,
        tuple(replace(p, turn=-p.turn, tilt=-p.tilt, shake=-p.shake) for p in cues.poses),
        cues.phrases,
        cues.questions,
    )
    one = head_motion(MINUTE, chest, cues, seed)
    other = head_motion(MINUTE, -chest, mirrored, seed, HeadSettings(side=-1.0))
    for part in ("neck", "head", "eyes"):
        flipped = getattr(other, part) * np.array([1.0, -1.0, -1.0])
        assert same(flipped, getattr(one, part))
    assert np.array_equal(one.blink, other.blink)
    assert np.array_equal(one.thrust, other.thrust)
    assert same(other.look_target * np.array([-1.0, 1.0]), one.look_target)


def test_later_cues_give_the_same_motion_later() -> None:
    cues, by = lively(2), 7.25
    later = HeadCues(
        tuple(replace(s, time_s=s.time_s + by) for s in cues.shifts),
        tuple(replace(g, start_s=g.start_s + by, end_s=g.end_s + by) for g in cues.glances),
        tuple(replace(a, time_s=a.time_s + by) for a in cues.accents),
        tuple(replace(p, start_s=p.start_s + by, end_s=p.end_s + by) for p in cues.poses),
        tuple((a + by, b + by) for a, b in cues.phrases),
        tuple(q + by for q in cues.questions),
    )
    usual = HeadSettings().eyes
    quiet = replace(usual.gaze, face_points=False, stray_deg=0.0, listening_ratio=1.0)
    no_blinks = replace(usual.blinks, per_min=0.0)
    s = HeadSettings(idle_deg=0.0, eyes=replace(usual, gaze=quiet, blinks=no_blinks))
    times = MINUTE + 0.003  # no frame on a cue's own time
    one, other = (head_motion(t, 0.1, c, 5, s) for t, c in ((times, cues), (times + by, later)))
    for part in PARTS:
        assert same(getattr(other, part), getattr(one, part), 1e-8)


def test_a_stretch_is_the_same_alone_as_within_the_whole() -> None:
    cues, chest = lively(3), turning(MINUTE, 3)
    whole = head_motion(MINUTE, chest, cues, 9)
    for first, last in ((0, 10), (1000, 1600), (2500, 3600), (1234, 1235)):
        part = head_motion(MINUTE[first:last], chest[first:last], cues, 9)
        for name in PARTS:
            assert same(getattr(part, name), getattr(whole, name)[first:last], 1e-9)


def test_seeds_and_cues_do_not_disturb_each_other() -> None:
    cues = lively(1)
    one, again = (head_motion(MINUTE, 0.0, cues, 4) for _ in range(2))
    for part in PARTS:
        assert np.array_equal(getattr(one, part), getattr(again, part))
    assert np.abs(head_motion(MINUTE, 0.0, cues, 5).head - one.head).max() > 0.05
    assert np.abs(head_motion(MINUTE, 0.0, cues, -4).head - one.head).max() > 0.05
    more = replace(
        cues,
        glances=(*cues.glances, Glance(40.0, 40.8, 0.4, 0.3)),
        poses=(*cues.poses, HeadPose(40.0, 41.0, 0.1)),
        accents=tuple(sorted([*cues.accents, Beat(40.3, 0.9)], key=lambda b: b.time_s)),
        shifts=(*cues.shifts, GazeShift(58.5, 0.3)),
    )
    start, end = next(p for p in cues.phrases if p[1] > 40.3)
    other = head_motion(MINUTE, 0.0, more, 4)
    t = MINUTE
    outside = (t < min(start, 38.0) - 1.0) | ((t > max(end, 43.0) + 1.0) & (t < 57.0))
    assert np.sum(outside) > 2500
    for part in ("neck", "head", "eyes", "look_target"):
        assert same(getattr(other, part)[outside], getattr(one, part)[outside], 1e-9)


def test_the_paper_s_gain_is_exact() -> None:
    times = np.arange(0.0, 10.0, 1.0 / FPS)
    chest = turning(times, 5)
    for gain in (0.5, 0.3):
        s = replace(PAPER_HEAD, gain=gain)
        cues = replace(spoken(0), shifts=(GazeShift(1.0, 0.7, 0.2), GazeShift(5.0, -0.6, -0.15)))
        motion = head_motion(times, 0.5 * chest, cues, 0, s)
        for now, yaw, pitch in (
            ((times > 1.31) & (times < 5.0), 0.7, 0.2),
            (times > 5.31, -0.6, -0.15),
        ):
            rel = yaw - 0.5 * chest[now]
            face = np.radians(face_angles(motion.neck, motion.head))[now]
            assert face[:, 1] == pytest.approx(gain * rel, abs=1e-9)
            assert face[:, 0] == pytest.approx(gain * pitch, abs=1e-9)
            # Axial rotation is shared, a look up or down is the head's alone.
            assert motion.neck[now, 1] == pytest.approx(0.4 * gain * rel, abs=1e-9)
            assert np.all(motion.neck[now][:, [0, 2]] == 0.0)
        done = (times > 1.31) & (times < 5.0) | (times > 5.31)
        error = gaze_error(motion, motion.look_target, 0.5 * chest, 0.0)
        assert np.max(error[done]) < 1e-5


def test_eyes_lead_and_the_head_follows() -> None:
    times = np.arange(0.0, 3.0, 1e-3)
    cues = HeadCues((GazeShift(1.0, 0.5),))
    motion = head_motion(times, 0.0, cues, 0, STILL)
    eyes = motion.eyes[:, 1]
    face = np.radians(face_angles(motion.neck, motion.head)[:, 1])
    begins = [times[np.argmax(np.abs(v) > 1e-4)] for v in (eyes, face)]
    assert begins[0] == pytest.approx(1.005, abs=0.006)
    assert 0.03 <= begins[1] - 1.0 <= 0.1
    arrived = times[np.argmax(eyes + face > 0.99 * 0.5)]
    assert arrived - 1.0 < 0.25
    assert times[np.argmax(face > 0.99 * face[-1])] - 1.0 > 0.3
    assert 0.25 <= face[-1] < 0.3  # half of it, or a little more for the eyes' sake
    # The eyes go there at once, and come back as the head arrives.
    assert np.degrees(eyes.max()) > 21.0
    assert eyes[-1] == pytest.approx(0.5 - face[-1], abs=1e-4)
    near = head_motion(times, 0.0, HeadCues((GazeShift(1.0, np.radians(12.0)),)), 0, STILL)
    assert np.max(np.abs(near.head)) == 0.0
    assert near.eyes[-1, 1] == pytest.approx(np.radians(12.0))


def test_the_head_goes_farther_when_the_eyes_cannot() -> None:
    times = np.arange(0.0, 3.0, 1.0 / FPS)
    for yaw in (0.9, 1.2, 1.6):
        motion = head_motion(times, 0.0, HeadCues((GazeShift(0.5, yaw),)), 0, STILL)
        face = face_angles(motion.neck, motion.head)
        assert np.degrees(motion.eyes[-1, 1]) < 20.0
        assert face[-1, 1] + np.degrees(motion.eyes[-1, 1]) == pytest.approx(np.degrees(yaw))


def test_tilt_goes_to_the_side_it_names_and_takes_the_neck_along() -> None:
    times = np.arange(0.0, 3.0, 1.0 / FPS)
    pose = HeadPose(0.5, 2.5, down=0.1, turn=0.1, tilt=0.15, thrust_m=0.02)
    motion = head_motion(times, 0.0, HeadCues(poses=(pose,)), 0, STILL)
    middle = len(times) // 2
    turn = quaternion.multiply(quaternion.exp(motion.neck), quaternion.exp(motion.head))[middle]
    top = quaternion.rotate(turn, np.array([0.0, 1.0, 0.0]))
    front = quaternion.rotate(turn, np.array([0.0, 0.0, 1.0]))
    assert top[0] > 0.1  # to the character's left
    assert front[0] > 0.08
    assert front[1] < -0.08
    assert motion.neck[middle, 2] < -0.05
    assert motion.thrust[middle] == pytest.approx(0.02)


@given(st.integers(0, 30), st.floats(0.0, 3.0))
@settings(max_examples=8, deadline=None)
def test_joints_stay_within_their_limits(seed: int, liveliness: float) -> None:
    rng = np.random.default_rng(seed)
    shifts = [GazeShift(float(t), *rng.uniform([-2.5, -0.9], [2.5, 0.9])) for t in range(1, 60, 2)]
    poses = []
    for start in range(0, 60, 3):
        down, turn, tilt, shake, nod = rng.uniform(-0.7, 0.7, size=5)
        poses.append(HeadPose(start, start + 1.0, down, turn, tilt, 0.01, 0.5 * shake, 0.5 * nod))
    cues = replace(spoken(seed), shifts=tuple(shifts), poses=tuple(poses))
    s = HeadSettings(liveliness=liveliness)
    motion = head_motion(MINUTE, turning(MINUTE, seed), cues, seed, s)
    for bone, values in (
        ("neck", motion.neck),
        ("head", motion.head),
        ("leftEye", motion.eyes),
        ("rightEye", motion.eyes),
    ):
        assert np.max(joint_limits()[bone].excess(quaternion.exp(values))) < 1e-9, bone
    assert np.degrees(np.max(np.abs(motion.eyes))) <= 35.0 + 1e-9


def test_it_is_smooth_with_everything_in_it() -> None:
    worst = []
    for seed in range(6):
        motion = head_motion(MINUTE, turning(MINUTE, seed), lively(seed), seed)
        face = face_angles(motion.neck, motion.head)
        bends = np.linalg.norm(np.diff(face, 2, axis=0), axis=1) * FPS**2
        worst.append((np.percentile(bends, 99), bends.max()))
        assert np.all((motion.blink >= 0.0) & (motion.blink <= 1.0))
    assert np.mean(worst, axis=0)[0] < 1300.0
    assert np.max(worst) < 3500.0


@pytest.mark.timing
def test_a_minute_takes_no_time() -> None:
    cues = lively(0)
    shifts = tuple(GazeShift(i + 0.3, 0.4 * (-1.0) ** i) for i in range(60))
    cues = replace(cues, shifts=shifts)
    chest = turning(MINUTE)
    took = []
    for _ in range(6):
        start = time.process_time()
        head_motion(MINUTE, chest, cues)
        took.append(time.process_time() - start)
    assert min(took) < 0.04


def test_little_is_enough() -> None:
    empty = head_motion([], 0.0, HeadCues())
    assert empty.neck.shape == (0, 3)
    one = head_motion([3.0], [0.2], HeadCues(), 1)
    assert one.look_target.shape == (1, 2)
    assert not one.head.flags.writeable
    nobody = head_motion(MINUTE, 0.0, HeadCues(accents=(Beat(1.0, 0.5), Beat(0.5, 1.0))), 1)
    assert np.max(np.abs(nobody.head)) < 0.3


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (lambda: HeadCues(accents=(Beat(1.0, 1.5),)), "strength is 1.5"),
        (lambda: HeadCues(phrases=((1.0, 3.0), (2.0, 4.0))), "starts at 2.0 s before"),
        (lambda: HeadCues(phrases=((3.0, 1.0),)), "no stretch"),
        (lambda: HeadCues(glances=(Glance(1.0, 1.0, 0.0, 0.0),)), "no stretch"),
        (lambda: HeadCues(shifts=(GazeShift(np.nan, 0.0),)), "not finite"),
        (lambda: HeadCues(questions=(np.inf,)), "not finite"),
        (lambda: HeadSettings(gain=1.5), "gain is 1.5, allowed is 0 to 1"),
        (lambda: BlinkSettings(length_s=(0.2, 0.1)), "length_s is 0.2 to 0.1"),
        (lambda: HeadSettings(posture_deg=(1.0, 2.0, 30.0)), "posture_deg"),
        (lambda: HeadSettings(posture_every_s=(1.0, 2.0, 30.0)), "posture_every_s"),
        (lambda: head_motion([0.0, 1.0, 1.0], 0.0, HeadCues()), "do not ascend"),
        (lambda: head_motion([0.0, 1.0], [0.0], HeadCues()), "chest_yaw has shape"),
    ],
)
def test_what_is_wrong_is_said(bad: object, says: str) -> None:
    assert callable(bad)
    with pytest.raises(InvalidValueError, match=says.replace("(", r"\(")):
        bad()
