"""Effort and Shape on recordings: nothing pops, nothing breaks, nothing else changes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kinesphere.animation.arms.poses.home_pose import home_clip
from kinesphere.character.default import default_rig
from kinesphere.character.joint_limits import limit_excess
from kinesphere.character.take_rig import report_of
from kinesphere.expression.keys.arm_keys import mass_in_arm
from kinesphere.expression.keys.keyed import express_arm
from kinesphere.expression.keys.keypoints import ShapeSettings, shape_keypoints
from kinesphere.expression.keys.torso_effort import TorsoEffortSettings
from kinesphere.expression.phrase import SHAPE_FACTORS, Phrase, Point, Qualities
from kinesphere.expression.recordings.recorded import RecordedSettings, express_clip
from kinesphere.expression.settings import ExpressionSettings
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.maths.filters import low_pass
from kinesphere.motion.body.arms import SIDES, Side, measure_arm
from kinesphere.motion.body.body_volume import hand_depth
from kinesphere.motion.body.hand_overlap import hand_overlap
from kinesphere.motion.calibration import without_calibration
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.keyed.keyed_motion import ArmKeys, KeyedMotion
from kinesphere.motion.keyed.sampling import apply_keys, sample_arm
from kinesphere.motion.kinematics import speeds
from kinesphere.motion.mirroring import mirror
from kinesphere.motion.resampling import resample
from kinesphere.pipeline.convert import load
from tests.motion.test_keyed import PLACES

EFFORTS = [{f: v} for f in ("space", "weight", "time", "flow") for v in (-1.0, 1.0)]
EFFORTS += [
    {"space": -1.0, "weight": 1.0, "time": 1.0, "flow": -1.0},
    {"space": 1.0, "weight": -1.0, "time": -1.0, "flow": 1.0},
]
SHAPES = [{f: v} for f in SHAPE_FACTORS for v in (-1.0, 1.0)]


def recording(file: Path) -> tuple[Clip, Rig]:
    take = load(file)
    return without_calibration(take.clip), report_of(take).rig


def smartbody(data: Path) -> list[Path]:
    return sorted((data / "smartbody").glob("*/*.skm"))[5::23]


def changed(clip: Clip, rig: Rig, values: dict[str, float], **settings: object) -> Clip:
    phrase = Phrase.constant(Qualities.of(values))
    return express_clip(clip, rig, phrase, RecordedSettings(**settings)).clip


def wrist(clip: Clip, rig: Rig, side: Side) -> Floats:
    return low_pass(measure_arm(clip, rig, side).wrists, min(10.0, 0.4 * clip.fps), clip.fps)


def jerk(clip: Clip, rig: Rig) -> float:
    paths = (wrist(clip, rig, side) for side in SIDES)
    return max(float(np.linalg.norm(np.diff(p, 3, axis=0), axis=1).max()) for p in paths)


def largest_step(clip: Clip, rig: Rig) -> float:
    """Largest change of a wrist's speed in 1/60 s, of the peak within a quarter second.

    Movements slower than 0.6 m/s count as if they had that peak: 0.15 m/s in a frame is 9 m/s2,
    an ordinary acceleration of a speaking hand.
    """
    clip = resample(clip, 60.0)
    found = []
    for side in SIDES:
        v = speeds(low_pass(measure_arm(clip, rig, side).wrists, 10.0, 60.0), 60.0)
        padded = np.pad(v, 15, mode="edge")
        peak = np.lib.stride_tricks.sliding_window_view(padded, 31).max(axis=-1)
        found.append(float((np.abs(np.diff(v)) / np.maximum(peak[1:], 0.6)).max()))
    return max(found)


def sample_clip() -> tuple[Clip, Rig]:
    """A gesture of both arms on the default character."""
    rig = default_rig()
    right = ArmKeys([0.3, 1.0, 1.5, 2.1, 2.9], PLACES[[0, 1, 4, 3, 0]], [0.4] * 5)
    left = ArmKeys([0.4, 1.1, 2.2, 3.0], PLACES[[0, 1, 2, 0]] * [-1, 1, 1], [0.4] * 4)
    return apply_keys(KeyedMotion(left, right), home_clip(220, 60.0), rig), rig


def test_neutral_gives_the_recording_back(data: Path) -> None:
    for file in [data / "cmu" / "18_08.bvh", *smartbody(data)[:2]]:
        take = load(file)
        clip, rig = without_calibration(take.clip), report_of(take).rig
        assert express_clip(clip, rig, Phrase.constant(Qualities())).clip is clip
        tiny = changed(clip, rig, {"time": 1e-9, "vertical": 1e-9, "flow": -1e-9})
        assert np.abs(tiny.rotations - clip.rotations).max() < 5e-3


def test_what_is_not_asked_to_change_keeps_its_numbers() -> None:
    clip, rig = sample_clip()
    phrase = Phrase((Point({"weight": 1.0, "time": 1.0}, ("right-arm",), time_s=0.0),))
    out = express_clip(clip, rig, phrase).clip
    moved = set(rig.joints(["rightUpperArm", "rightLowerArm", "rightHand"]))
    for joint in range(len(rig.skeleton)):
        same = np.array_equal(out.rotations[:, joint], clip.rotations[:, joint])
        assert same == (joint not in moved), rig.skeleton.names[joint]
    assert np.array_equal(out.root_positions, clip.root_positions)
    lean = changed(clip, rig, {"sagittal": -1.0})
    for bone in ("leftIndexProximal", "rightThumbDistal", "leftToes"):
        joint = rig.joint(bone)
        assert np.array_equal(lean.rotations[:, joint], clip.rotations[:, joint])
    feet = rig.joints(("leftFoot", "rightFoot"))
    assert np.abs(lean.world_positions[:, feet] - clip.world_positions[:, feet]).max() < 2e-3


def test_effort_changes_time_and_not_where_the_hand_goes() -> None:
    clip, rig = sample_clip()
    peak = {}
    for value in (-1.0, 0.0, 1.0):
        out = changed(clip, rig, {"time": value})
        assert len(out) == len(clip)
        path = wrist(out, rig, "right")
        peak[value] = speeds(path, 60.0).max()
        for goal in PLACES[[1, 4, 3]]:
            assert np.linalg.norm(path - goal, axis=1).min() < 0.03
    assert peak[-1.0] < peak[0.0] < peak[1.0]


@pytest.mark.parametrize(("name", "axis"), [("vertical", 1), ("sagittal", 2), ("horizontal", 0)])
def test_shape_moves_both_hands_and_is_mirror_symmetric(name: str, axis: int) -> None:
    clip, rig = sample_clip()
    arms_only = {"part": "arms"}
    phrases = [Phrase.constant(Qualities.of({name: v}), arms_only["part"]) for v in (-1.0, 1.0)]
    low, high = (express_clip(clip, rig, p).clip for p in phrases)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        a, b = (wrist(c, rig, side)[60:130, axis].mean() for c in (low, high))
        assert (a - b) * (sign if axis == 0 else 1.0) > 0.05
    pairs = rig.mirror_permutation()
    flipped = mirror(clip, pairs)
    out = express_clip(flipped, rig, phrases[0]).clip
    expected = mirror(low, pairs)
    hands = rig.joints(("leftHand", "rightHand"))
    assert np.abs(out.world_positions[:, hands] - expected.world_positions[:, hands]).max() < 1e-3


def test_hands_that_touch_keep_touching() -> None:
    rig = default_rig()
    meet = np.array([0.0, 1.12, 0.32])
    arms = {}
    for side, sign in (("left", 1.0), ("right", -1.0)):
        home = PLACES[0] * [-sign, 1, 1]
        clasp = meet + [0.02 * sign, 0, 0]
        arms[side] = ArmKeys(
            [0.4, 1.2, 3.2, 4.0],
            [home, clasp, clasp, home],
            [0.4] * 4,
            in_world=[False, True, True, False],
        )
    clip = apply_keys(KeyedMotion(arms["left"], arms["right"]), home_clip(270, 60.0), rig)
    out = changed(clip, rig, {"vertical": -1.0, "horizontal": -1.0, "time": 1.0})
    hands = rig.joints(("leftHand", "rightHand"))
    before, after = (
        np.linalg.norm(np.diff(c.world_positions[90:180, hands], axis=1)[:, 0], axis=-1)
        for c in (clip, out)
    )
    assert np.abs(after - before).max() < 0.03


@pytest.mark.parametrize("values", [*EFFORTS, *SHAPES], ids=str)
def test_recordings_stay_whole(data: Path, values: dict[str, float]) -> None:
    files = (
        [data / "cmu" / "18_08.bvh", *smartbody(data)] if "weight" in values else smartbody(data)
    )
    for file in files:
        clip, rig = recording(file)
        out = changed(clip, rig, values)
        assert len(out) == len(clip)
        before, after = limit_excess(clip, rig), limit_excess(out, rig)
        for bone, excess in after.items():
            assert excess.max() <= before[bone].max() + 0.015, (file.name, bone)
        for side in SIDES:
            deeper = hand_depth(out, rig, side) - hand_depth(clip, rig, side)
            assert deeper.max() < 0.01, file.name
        if set(values) <= set(SHAPE_FACTORS):
            assert jerk(out, rig) <= 1.5 * jerk(clip, rig), file.name
        else:
            own = largest_step(clip, rig)
            assert largest_step(out, rig) <= max(0.25, 1.2 * own), file.name


@pytest.mark.parametrize(
    "values",
    [
        {"time": 0.6},
        {"space": -0.5},
        {"vertical": -0.6, "time": -0.3},
        {"flow": -0.5, "reach": 0.4},
    ],
    ids=str,
)
def test_in_print_a_recording_is_its_keys_alone(values: dict[str, float]) -> None:
    """No measured timing, detail, rounding or low-pass; Shape on the keys, without its fade."""
    clip, rig = sample_clip()
    phrase = Phrase.constant(Qualities.of(values), "arms")
    settings = RecordedSettings(expression=replace(RecordedSettings().expression, paper=True))
    out = express_clip(clip, rig, phrase, settings)
    for side in SIDES:
        found = out.extractions[side].keys
        keys = express_arm(found, phrase, side, rig, ExpressionSettings(paper=True))
        arm = measure_arm(out.clip, rig, side)
        wanted = sample_arm(keys, arm.limb, clip.times).wrists
        assert np.abs(arm.wrists - wanted).max() < 1e-9
        assert all(m.paper and m.rounding_s == 0.0 for m in keys.movements)
        shape = {n: v for n, v in values.items() if n in SHAPE_FACTORS}
        centre = mass_in_arm(rig, side)
        sign = arm.limb.side
        moved = shape_keypoints(found.positions, shape, sign, centre, ShapeSettings(fade=0.0))
        assert np.abs(keys.positions - moved).max() < 1e-9


def test_in_print_short_clips_and_phrases_by_key() -> None:
    clip, rig = sample_clip()
    settings = RecordedSettings(expression=ExpressionSettings(paper=True))
    phrase = Phrase((Point({"time": 0.5}, key=0), Point({"vertical": 0.5}, key=3)))
    for frames in (1, 2, 5, 13, 200):
        out = express_clip(clip.frames(10, 10 + frames), rig, phrase, settings).clip
        assert len(out) == frames
        assert np.isfinite(out.rotations).all()


def meeting_clip() -> tuple[Clip, Rig]:
    """Two hands that come near each other before the chest, and do not touch."""
    rig = default_rig()
    arms = {}
    for side, sign in (("left", 1.0), ("right", -1.0)):
        near = np.array([0.02 * sign, -0.25, 0.38])
        home = PLACES[0] * [-sign, 1, 1]
        arms[side] = ArmKeys([0.4, 1.2, 1.5, 2.3], [home, near, near, home], [0.4] * 4)
    return apply_keys(KeyedMotion(arms["left"], arms["right"]), home_clip(180, 60.0), rig), rig


@pytest.mark.parametrize("parts", ["arms", "left-arm"])
def test_enclosing_leaves_hands_out_of_each_other(parts: str) -> None:
    clip, rig = meeting_clip()
    assert hand_overlap(clip, rig).max() == 0.0
    phrase = Phrase.constant(Qualities.of({"horizontal": 1.0}), parts)
    out = express_clip(clip, rig, phrase).clip
    assert hand_overlap(out, rig).max() < 0.005
    hands = rig.joints(("leftHand", "rightHand"))
    way = np.diff(out.world_positions[:, hands, 0], axis=1)[:, 0]
    assert way.max() < 0.0  # the left hand is still on the left
    if parts == "left-arm":
        right = rig.joints(["rightUpperArm", "rightLowerArm", "rightHand"])
        assert np.array_equal(out.rotations[:, right], clip.rotations[:, right])
    else:
        assert jerk(out, rig) <= 1.5 * jerk(clip, rig)


def test_enclosing_a_vivid_speaker_leaves_hands_apart(data: Path) -> None:
    """7.8 percent of the time they were in each other, and crossed where they had not been."""
    clip, rig = recording(data / "beat2" / "2_scott_0_1_1.npz")
    for values in ({"horizontal": 1.0}, {"horizontal": 0.5}, {"horizontal": 1.0, "reach": -1.0}):
        out = changed(clip, rig, values)
        before, after = (float(np.mean(hand_overlap(c, rig) > 0.005)) for c in (clip, out))
        assert after <= before + 0.01
        assert max(hand_depth(out, rig, side).max() for side in SIDES) < 0.03


def test_a_turned_clavicle_makes_no_arm_jump(data: Path) -> None:
    """Frames in which the wrist stays were kept as recorded below a turned clavicle (7.9 m/s)."""
    clip, rig = recording(data / "cmu" / "28_07.bvh")
    clip = clip.frames(0, 700)
    out = changed(clip, rig, {"horizontal": 1.0})
    for side in SIDES:
        before, after = (speeds(measure_arm(c, rig, side).wrists, c.fps).max() for c in (clip, out))
        assert after <= 1.3 * before


def elbow_peak(clip: Clip, rig: Rig, side: Side) -> float:
    upper, lower = rig.joints((f"{side}UpperArm", f"{side}LowerArm"))
    axes = measure_arm(clip, rig, side).axes
    way = clip.world_positions[:, lower] - clip.world_positions[:, upper]
    return float(speeds(quaternion.rotate(quaternion.inverse(axes), way), clip.fps).max())


@pytest.mark.parametrize("values", [{"time": 1.0}, {"weight": 1.0}], ids=str)
def test_elbows_of_straight_arms_do_not_pop(data: Path, values: dict[str, float]) -> None:
    """A swivel measured on a straight arm says nothing of a bent one (11.9 m/s, recorded 2.9)."""
    clip, rig = recording(data / "cmu" / "80_48.bvh")
    out = changed(clip, rig, values)
    for side in SIDES:
        assert elbow_peak(out, rig, side) <= 1.8 * elbow_peak(clip, rig, side)


def test_torso_effort_is_off_unless_asked_for() -> None:
    clip, rig = sample_clip()
    strong = {"weight": 1.0}
    spine = rig.joint("chest")
    assert np.array_equal(changed(clip, rig, strong).rotations[:, spine], clip.rotations[:, spine])
    with_torso = changed(clip, rig, strong, torso_effort=TorsoEffortSettings())
    assert not np.array_equal(with_torso.rotations[:, spine], clip.rotations[:, spine])
    light = changed(clip, rig, {"weight": -1.0}, torso_effort=TorsoEffortSettings())

    def turning(c: Clip) -> float:
        return float(np.std(rig.turn(c.world_rotations, rig.joint("upperChest"))[:, 2]))

    assert turning(with_torso) > turning(light)


def test_a_phrase_by_key_and_short_clips() -> None:
    clip, rig = sample_clip()
    phrase = Phrase(
        (Point({"weight": 1.0}, key=0), Point({"weight": -1.0, "vertical": 0.5}, key=3))
    )
    assert len(express_clip(clip, rig, phrase).clip) == len(clip)
    for frames in (1, 2, 5, 13):
        short = clip.frames(60, 60 + frames)
        out = changed(short, rig, {"vertical": -1.0, "time": 1.0, "space": -1.0})
        assert len(out) == frames
        assert np.isfinite(out.rotations).all()
