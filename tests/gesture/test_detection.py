"""Gesture phases: the values, synthetic motions whose phases are known, and hand-set marks."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.animation.arms.poses.home_pose import home_clip
from kinesphere.character.naming import identify
from kinesphere.errors import InvalidValueError, KinesphereError, RigError
from kinesphere.formats.registry import read_take
from kinesphere.formats.smartbody import SYNC_TIER
from kinesphere.gesture import (
    PHASE_KINDS,
    ArmPhases,
    BodyUnit,
    DetectionSettings,
    GesturePhases,
    GestureUnit,
    Phase,
    detect_phases,
)
from kinesphere.gesture.phases import PhaseKind
from kinesphere.maths import quaternion
from kinesphere.motion.body.arms import SIDES, Side, measure_arm
from kinesphere.motion.clip import Clip
from kinesphere.motion.editing import concatenate
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.keyed.keyed_motion import ArmKeys, KeyedMotion
from kinesphere.motion.keyed.sampling import apply_keys
from kinesphere.motion.mirroring import mirror
from kinesphere.motion.resampling import resample
from kinesphere.motion.skeleton import Skeleton
from kinesphere.timeline import Interval, Tier

RIG = ks.default_rig()
FPS = 120.0
# Places of a hand relative to home: out, up, forward, in metres.
HOME = (0.0, 0.0, 0.0)
UP = (0.06, 0.28, 0.22)
DOWN = (0.14, 0.14, 0.24)
SIDEWAYS = (0.22, 0.24, 0.12)
Step = tuple[float, tuple[float, float, float]]


def keys_of(side: Side, steps: Sequence[Step]) -> ArmKeys:
    """Keys at times and places relative to home; the hand stops at each."""
    home = measure_arm(home_clip(1, FPS), RIG, side).wrists[0]
    sign = np.array([1.0 if side == "left" else -1.0, 1.0, 1.0])
    return ArmKeys([t for t, _ in steps], [home + sign * np.array(p) for _, p in steps])


def acted(
    seconds: float,
    right: Sequence[Step] | None = None,
    left: Sequence[Step] | None = None,
    fps: float = FPS,
) -> Clip:
    keyed = KeyedMotion(
        None if left is None else keys_of("left", left),
        None if right is None else keys_of("right", right),
    )
    return apply_keys(keyed, home_clip(round(seconds * fps) + 1, fps), RIG)


def kinds(arm: ArmPhases) -> list[str]:
    return [phase.kind for phase in arm]


def check(arm: ArmPhases, expected: Sequence[tuple[str, float]], within_s: float = 0.09) -> None:
    """Compare kinds and starts."""
    assert kinds(arm) == [kind for kind, _ in expected]
    for phase, (kind, start) in zip(arm, expected, strict=True):
        assert phase.start_s == pytest.approx(start, abs=within_s), (kind, arm.phases)


BEAT: list[Step] = [(0.8, HOME), (1.4, UP), (1.75, DOWN), (2.3, DOWN), (3.0, HOME)]
BEAT_PHASES = [
    ("rest", 0.0),
    ("preparation", 0.8),
    ("stroke", 1.4),
    ("hold", 1.75),
    ("retraction", 2.3),
    ("rest", 3.0),
]


def test_a_gesture_with_preparation_and_stroke() -> None:
    found = detect_phases(acted(4.0, BEAT), RIG)
    check(found.right, BEAT_PHASES)
    check(found.left, [("rest", 0.0)])
    assert found.hands == "right"
    assert [unit.hands for unit in found.units] == ["right"]
    main = found.main_stroke
    assert main is not None
    assert main.end_s == pytest.approx(1.75, abs=0.06)
    unit = found.right.units[0]
    assert unit.main_stroke is main
    assert [hold.start_s for hold in unit.holds_after_strokes] == [main.end_s]


def test_out_and_back_is_preparation_and_stroke_in_one_movement() -> None:
    found = detect_phases(acted(4.0, [(1.0, HOME), (1.7, UP), (2.4, UP), (3.1, HOME)]), RIG)
    check(
        found.right,
        [
            ("rest", 0.0),
            ("preparation", 1.0),
            ("stroke", 1.2),
            ("hold", 1.7),
            ("retraction", 2.4),
            ("rest", 3.1),
        ],
    )


def test_a_hold_before_the_stroke() -> None:
    steps = [(0.8, HOME), (1.6, UP), (2.0, UP), (2.25, DOWN), (2.8, DOWN), (3.5, HOME)]
    found = detect_phases(acted(4.5, steps), RIG)
    assert kinds(found.right) == [
        "rest",
        "preparation",
        "hold",
        "stroke",
        "hold",
        "retraction",
        "rest",
    ]
    unit = found.right.units[0]
    assert next(h.start_s for h in unit.phases if h.kind == "hold") == pytest.approx(1.6, abs=0.09)
    assert [h.start_s for h in unit.holds_after_strokes] == pytest.approx([2.25], abs=0.09)
    assert found.main_stroke is not None
    assert found.main_stroke.end_s == pytest.approx(2.25, abs=0.06)


def test_smaller_repetitions_are_after_strokes() -> None:
    small = (0.11, 0.19, 0.24)
    steps = [
        (0.8, HOME),
        (1.4, UP),
        (1.7, DOWN),
        (2.0, small),
        (2.3, DOWN),
        (2.8, DOWN),
        (3.5, HOME),
    ]
    found = detect_phases(acted(4.5, steps), RIG)
    assert kinds(found.right) == [
        "rest",
        "preparation",
        "stroke",
        "after-stroke",
        "after-stroke",
        "hold",
        "retraction",
        "rest",
    ]
    assert found.main_stroke is not None
    assert found.main_stroke.end_s == pytest.approx(1.7, abs=0.06)


def test_a_chain_of_gestures_is_one_unit_with_several_strokes() -> None:
    steps = [
        (0.8, HOME),
        (1.4, UP),
        (1.7, DOWN),
        (2.2, DOWN),
        (2.5, SIDEWAYS),
        (3.0, SIDEWAYS),
        (3.3, DOWN),
        (3.7, DOWN),
        (4.4, HOME),
    ]
    found = detect_phases(acted(5.0, steps), RIG)
    unit = found.right.units
    assert len(unit) == 1
    assert [s.end_s for s in unit[0].strokes] == pytest.approx([1.7, 2.5, 3.3], abs=0.06)


def test_two_gestures_with_a_rest_between_are_two_units() -> None:
    one = [(0.8, HOME), (1.5, UP), (2.2, HOME)]
    steps = one + [(t + 2.0, place) for t, place in one]
    found = detect_phases(acted(5.0, steps), RIG)
    assert [unit.hands for unit in found.units] == ["right", "right"]
    assert [unit.start_s for unit in found.units] == pytest.approx([0.8, 2.8], abs=0.09)
    assert kinds(found.right).count("rest") == 3


def test_hands_of_each_unit() -> None:
    def wave(at: float, size: float = 1.0) -> list[Step]:
        top = (UP[0] * size, UP[1] * size, UP[2] * size)
        return [(at, HOME), (at + 0.6, top), (at + 1.0, top), (at + 1.7, HOME)]

    clip = acted(10.0, right=wave(0.8) + wave(6.8), left=wave(3.8) + wave(6.8, 0.8))
    found = detect_phases(clip, RIG)
    assert [unit.hands for unit in found.units] == ["right", "left", "both"]
    assert found.hands == "both"
    slight = detect_phases(acted(4.0, right=wave(0.8), left=wave(0.8, 0.2)), RIG)
    assert slight.hands == "right"


def test_a_hold_may_drift() -> None:
    drifted = (DOWN[0] + 0.02, DOWN[1] - 0.015, DOWN[2])
    steps = [*BEAT[:3], (2.6, drifted), (3.3, HOME)]
    found = detect_phases(acted(4.2, steps), RIG)
    assert kinds(found.right) == [kind for kind, _ in BEAT_PHASES]


@pytest.mark.parametrize("fps", [30.0, 60.0, 120.0, 240.0])
def test_jitter_changes_no_phase(fps: float) -> None:
    """Every joint of the arm shakes from frame to frame, the hand by one to three millimetres."""
    clip = acted(4.0, BEAT, fps=fps)
    rng = np.random.default_rng(3)
    shake = rng.normal(scale=np.radians(0.15) * np.sqrt(fps / 30.0), size=(len(clip), 3, 3))
    rotations = clip.rotations.copy()
    joints = RIG.joints(["rightUpperArm", "rightLowerArm", "rightHand"])
    rotations[:, joints] = quaternion.multiply(rotations[:, joints], quaternion.exp(shake))
    check(detect_phases(replace(clip, rotations=rotations), RIG).right, BEAT_PHASES, 0.12)


def test_a_clip_may_start_within_a_gesture() -> None:
    clip = acted(4.0, BEAT)
    moving = detect_phases(clip.frames(round(1.05 * FPS), len(clip)), RIG)
    assert kinds(moving.right) == ["preparation", "stroke", "hold", "retraction", "rest"]
    held = detect_phases(clip.frames(round(1.9 * FPS), len(clip)), RIG)
    assert kinds(held.right) == ["hold", "retraction", "rest"]


def test_a_clip_may_end_before_the_hands_are_home() -> None:
    clip = acted(4.0, BEAT)
    found = detect_phases(clip.frames(0, round(2.65 * FPS)), RIG)
    check(found.right, BEAT_PHASES[:-1])
    held = detect_phases(clip.frames(0, round(2.2 * FPS)), RIG)
    check(held.right, BEAT_PHASES[:-2])


def test_rest_may_be_anywhere_the_hand_stays() -> None:
    lap = (-0.05, 0.16, 0.20)
    raised = (lap[0] + 0.1, lap[1] + 0.25, lap[2])
    steps = [(0.0, lap), (3.5, lap), (4.1, raised), (4.6, raised), (5.2, lap), (9.0, lap)]
    found = detect_phases(acted(9.0, steps), RIG)
    assert kinds(found.right) == ["rest", "preparation", "stroke", "hold", "retraction", "rest"]


def test_a_change_of_the_rest_pose_has_no_stroke() -> None:
    hip = (0.08, 0.14, -0.02)
    found = detect_phases(acted(9.0, [(4.0, HOME), (4.6, hip), (9.0, hip)]), RIG)
    assert kinds(found.right) == ["rest", "retraction", "rest"]
    assert found.main_stroke is None


@pytest.mark.parametrize("frames", [1, 2, 3, 10])
def test_a_few_frames_are_rest(frames: int) -> None:
    found = detect_phases(home_clip(frames, 30.0), RIG)
    for side in SIDES:
        assert found.arm(side).phases == (Phase("rest", 0.0, (frames - 1) / 30.0),)
    assert found.hands == "none"
    assert found.units == ()
    assert found.main_stroke is None


@pytest.mark.parametrize("fps", [5.0, 24.0, 30.0, 240.0])
def test_phases_fill_the_clip(fps: float) -> None:
    rng = np.random.default_rng(5)
    times = np.cumsum(rng.uniform(0.2, 0.9, size=30))
    places = [tuple(p) for p in rng.uniform([0.0, 0.0, 0.0], [0.2, 0.35, 0.3], size=(30, 3))]
    clip = acted(float(times[-1]) + 1.0, list(zip(times, places, strict=True)), fps=fps)
    for side in SIDES:
        arm = detect_phases(clip, RIG).arm(side)
        assert arm.phases[0].start_s == 0.0
        assert arm.phases[-1].end_s == pytest.approx(clip.duration_s)
        for before, after in zip(arm.phases, arm.phases[1:], strict=False):
            assert before.end_s == after.start_s
            assert before.kind != after.kind or before.kind in ("stroke", "after-stroke")


def test_mirrored_motion_has_mirrored_phases() -> None:
    clip = acted(4.0, BEAT, left=[(1.0, HOME), (1.7, SIDEWAYS), (2.4, HOME)])
    plain = detect_phases(clip, RIG)
    other = detect_phases(mirror(clip, RIG.mirror_permutation(), RIG.canonical_pose[0]), RIG)
    assert other.left.phases == plain.right.phases
    assert other.right.phases == plain.left.phases


def test_a_second_of_waiting_shifts_everything_by_a_second() -> None:
    clip = acted(4.0, BEAT)
    plain = detect_phases(clip, RIG).right
    later = concatenate([clip.select_frames(np.zeros(round(FPS), dtype=int)), clip])
    shifted = detect_phases(later, RIG).right
    check(shifted, [(p.kind, p.start_s + (i > 0)) for i, p in enumerate(plain)], 1.1 / FPS)


@pytest.mark.parametrize("fps", [30.0, 60.0, 240.0])
def test_the_frame_rate_hardly_matters(fps: float) -> None:
    clip = acted(4.0, BEAT)
    plain = detect_phases(clip, RIG).right
    check(
        detect_phases(resample(clip, fps), RIG).right,
        [(p.kind, p.start_s) for p in plain],
        2.0 / min(fps, FPS),
    )


def test_a_larger_body_has_the_same_phases() -> None:
    old = RIG.skeleton
    clip = acted(4.0, BEAT)
    giant = Skeleton(old.names, old.parents, old.offsets * 3.0, old.rest_rotations)
    big = Clip(giant, clip.fps, clip.root_positions * 3.0, clip.rotations)
    found = detect_phases(big, Rig(giant, RIG.bones))
    assert found.right.phases == detect_phases(clip, RIG).right.phases


@pytest.mark.timing
def test_a_minute_takes_less_than_a_third_of_a_second() -> None:
    times = np.arange(1.0, 59.0, 0.5)
    places = [HOME if i % 8 == 0 else (UP, DOWN, SIDEWAYS)[i % 3] for i in range(len(times))]
    clip = acted(60.0, list(zip(times, places, strict=True)))
    detect_phases(clip, RIG)
    start = time.perf_counter()
    detect_phases(clip, RIG)
    assert time.perf_counter() - start < 0.3


# The values


def test_phases_go_to_tiers_and_back() -> None:
    found = detect_phases(acted(4.0, BEAT), RIG)
    tiers = found.tiers()
    assert [tier.name for tier in tiers] == ["phases left", "phases right"]
    assert ArmPhases.of_tier(tiers[0]) == found.left
    assert ArmPhases.of_tier(tiers[1]) == found.right
    middle = found.right.at(1.9)
    assert middle is not None
    assert middle.kind == "hold"
    assert found.right.at(4.0) is found.right.phases[-1]
    assert found.right.at(5.0) is None


def test_kinds_are_those_of_the_type() -> None:
    assert get_args(PhaseKind) == PHASE_KINDS


def rest(side: Side) -> ArmPhases:
    return ArmPhases(side, (Phase("rest", 0.0, 1.0),))


BAD: list[tuple[Callable[[], object], str]] = [
    (lambda: Phase("jump", 0, 1), "rest, preparation, hold, stroke, after-stroke, retraction"),
    (lambda: Phase("stroke", 2, 1), "before its start"),
    (lambda: Phase("stroke", 0, float("nan")), "not finite"),
    (lambda: GestureUnit(()), "at least one"),
    (lambda: GestureUnit((Phase("rest", 0, 1),)), "preparation"),
    (lambda: GestureUnit((Phase("stroke", 0, 2), Phase("hold", 1, 3))), "overlap"),
    (lambda: ArmPhases("left", (Phase("stroke", 2, 3), Phase("rest", 0, 1))), "in order"),
    (lambda: ArmPhases("middle", ()), "left, right"),
    (lambda: ArmPhases.of_tier(Tier("words")), "phases left, phases right"),
    (lambda: ArmPhases.of_tier(Tier("phases left", (Interval(0, 1, "x"),))), "after-stroke"),
    (lambda: BodyUnit(0.0, 1.0, "three"), "left, right, both, none"),
    (lambda: GesturePhases(rest("right"), rest("left"), (), "none"), "left is of the right"),
    (lambda: DetectionSettings(cutoff_hz=0.0), "cutoff_hz is 0.0, allowed is a number > 0"),
    (lambda: DetectionSettings(onset=1.5), "onset is 1.5, allowed is > 0 and at most 1"),
    (lambda: DetectionSettings(still=float("nan")), "still is nan"),
]


@pytest.mark.parametrize(("make", "words"), BAD)
def test_bad_values_are_named_in_one_line(make: Callable[[], object], words: str) -> None:
    with pytest.raises(KinesphereError) as raised:
        make()
    assert isinstance(raised.value, InvalidValueError)
    assert words in str(raised.value)
    assert "\n" not in str(raised.value)


def test_every_setting_is_described() -> None:
    text = DetectionSettings.__doc__ or ""
    assert [f.name for f in fields(DetectionSettings) if f.name not in text] == []


def test_a_rig_without_arms_is_refused() -> None:
    bones = {b: j for b, j in RIG.bones.items() if b != "leftHand"}
    with pytest.raises(RigError, match="leftHand"):
        detect_phases(home_clip(3, 30.0), Rig(RIG.skeleton, bones))


# SmartBody's clips: marks that people set. Tuned on the first two sets; the third is for report.

SETS = ("Gestures", "FemaleGestures", "MaleGestures")
# No gesture: standing, shifting the weight, changing the stance, kicking a chair.
NO_GESTURE = re.compile(r"Idle(Stand01|03)$|WeightShift|_ToIdle|KickChair")
# Their five marks lie within the first 0.2 s, before anything moves.
NO_MARKS = ("Idle01_ChopBoth01", "Idle01_NegativeLf01", "Idle01_ReceiveLf01", "Idle01_SafeRt01")
# Only the other hand moves: the name is wrong.
WRONG_NAMES = ("Idle01_NegativeLf01", "Idle01_ReceiveLf01", "Idle01_SafeRt01", "Idle03_ReceiveLf01")
NAMED = {"Rt": "right", "Lf": "left", "Bt": "both", "Both": "both"}


@dataclass(frozen=True)
class Example:
    name: str
    marks: dict[str, float]
    found: GesturePhases

    @property
    def is_gesture(self) -> bool:
        return not NO_GESTURE.search(self.name)

    @property
    def error_s(self) -> float:
        """End of the main stroke minus emphasis."""
        main = self.found.main_stroke
        return np.inf if main is None else main.end_s - self.marks["emphasis"]

    @property
    def ordered(self) -> bool:
        """One unit: preparation first, the stroke within, one retraction, last."""
        main = self.found.main_stroke
        arm = next((a for a in (self.found.left, self.found.right) if main in a.phases), None)
        if main is None or arm is None or len(arm.units) != 1:
            return False
        found = [phase.kind for phase in arm.units[0].phases]
        return (
            found[0] == "preparation"
            and found[-1] == "retraction"
            and found.count("retraction") == 1
        )


@cache
def examples(folder: Path) -> list[Example]:
    out = []
    for path in sorted(folder.glob("*.skm")):
        take = read_take(path)
        rig = identify(take.clip.skeleton, take.clip.rotations).rig
        tier = take.tier(SYNC_TIER)
        assert tier is not None
        marks = {mark.label: mark.start_s for mark in tier}
        name = path.stem.split("@")[1]
        out.append(Example(name, marks, detect_phases(take.clip, rig)))
    return out


@pytest.mark.parametrize("name", SETS)
def test_the_main_stroke_ends_at_the_emphasis(name: str, data: Path) -> None:
    marked = [
        e for e in examples(data / "smartbody" / name) if e.is_gesture and e.name not in NO_MARKS
    ]
    errors = np.abs([e.error_s for e in marked])
    assert len(marked) >= 40
    assert np.median(errors) < 0.08
    assert np.mean(errors <= 0.3) >= 0.88
    assert np.mean(np.isinf(errors)) <= 0.03


@pytest.mark.parametrize("name", SETS)
def test_every_file_counted(name: str, data: Path) -> None:
    """The same over all files, also those without a gesture or with wrong marks."""
    found = examples(data / "smartbody" / name)
    errors = np.abs([e.error_s for e in found])
    assert np.median(errors) < 0.1
    assert np.mean(np.isinf(errors)) <= 0.1


@pytest.mark.parametrize("name", SETS)
def test_phases_come_in_order(name: str, data: Path) -> None:
    gestures = [e for e in examples(data / "smartbody" / name) if e.is_gesture]
    assert np.mean([e.ordered for e in gestures]) >= 0.95


def test_handedness_is_that_of_the_names(data: Path) -> None:
    right, wrong = 0, []
    for name in SETS:
        for example in examples(data / "smartbody" / name):
            ending = re.search(r"(Rt|Lf|Bt|Both)\d*$", example.name)
            if ending is None:
                continue
            if example.found.hands == NAMED[ending[1]]:
                right += 1
            else:
                wrong.append(example.name)
    assert right / (right + len(wrong)) >= 0.97
    assert set(wrong) <= set(WRONG_NAMES)


def test_marks_relate_to_phases_as_known(data: Path) -> None:
    """`strokeStart` lies between leaving home and the stroke's end, `stroke` and `relax` after."""
    after, under_way = [], []
    for name in SETS:
        for example in examples(data / "smartbody" / name):
            main = example.found.main_stroke
            if not example.is_gesture or example.name in NO_MARKS or main is None:
                continue
            arm = next(a for a in (example.found.left, example.found.right) if main in a.phases)
            unit = next(u for u in arm.units if main in u.phases)
            after.append(main.end_s - 0.1 <= example.marks["stroke"] <= example.marks["relax"])
            under_way.append(unit.start_s - 0.1 <= example.marks["strokeStart"] <= main.end_s)
    assert np.mean(after) > 0.9
    assert np.mean(under_way) > 0.95
