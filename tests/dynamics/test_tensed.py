"""Tension on clips: oscillation where it is predicted, order over the presets, timing kept."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.animation.arms.poses.home_pose import home_clip
from kinesphere.character.default import default_rig
from kinesphere.character.take_rig import report_of
from kinesphere.cli.main import status
from kinesphere.dynamics.tension import response
from kinesphere.dynamics.tension.mass_tracker import Parameters, measure_lag
from kinesphere.dynamics.tension.presets import PRESETS, Tension
from kinesphere.dynamics.tension.secondary import Secondary, frequency_ratio
from kinesphere.dynamics.tension.tensed import (
    TensedSettings,
    hold_still,
    parameters_over,
    tense_clip,
    wrists_in_chest,
)
from kinesphere.errors import InvalidValueError
from kinesphere.gesture.detection import detect_phases
from kinesphere.gesture.phases import ArmPhases, Phase
from kinesphere.maths.arrays import Floats
from kinesphere.maths.filters import low_pass
from kinesphere.motion.body.arms import SIDES, Side, chest_bone, measure_arm
from kinesphere.motion.body.body_volume import hand_depth
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.keyed.keyed_motion import ArmKeys, KeyedMotion
from kinesphere.motion.keyed.sampling import apply_keys
from kinesphere.motion.keyed.torso import with_torso
from kinesphere.motion.resampling import resample
from tests.expression.test_recorded import sample_clip, smartbody
from tests.motion.test_keyed import PLACES


def wrist(clip: Clip, rig: Rig, side: Side) -> Floats:
    return wrists_in_chest(clip, rig, measure_arm(clip, rig, side))


def stop_clip(hold_s: float = 2.5, fps: float = 120.0) -> tuple[Clip, Rig, dict[Side, ArmPhases]]:
    """A stroke that stops and is held, on the default character."""
    rig = default_rig()
    times = [0.3, 0.9, 1.25, 1.25 + hold_s, 2.0 + hold_s]
    keys = ArmKeys(times, PLACES[[0, 1, 4, 4, 0]], [0.4] * 5)
    clip = apply_keys(KeyedMotion(right=keys), home_clip(int((2.5 + hold_s) * fps), fps), rig)
    phases = (
        Phase("preparation", 0.3, 0.9),
        Phase("stroke", 0.9, 1.25),
        Phase("hold", 1.25, 1.25 + hold_s),
        Phase("retraction", 1.25 + hold_s, 2.0 + hold_s),
    )
    return clip, rig, {"right": ArmPhases("right", phases)}


def recordings(data: Path) -> list[Path]:
    return [
        data / "cmu" / "18_08.bvh",
        *sorted((data / "greta").glob("*.bvh"))[:1],
        *smartbody(data)[:6],
    ]


def tensed_by_command(file: Path, name: str, out: Path) -> Clip:
    assert status(["tense", str(file), "-o", str(out), "--tension", name]) == 0
    return ks.load(out).clip


def test_trembling_oscillates_at_the_predicted_frequency() -> None:
    clip, rig, phases = stop_clip()
    out = tense_clip(clip, rig, PRESETS["trembling"], phases, TensedSettings(keep_out=False))
    start = int(1.3 * clip.fps)
    held = wrist(out, rig, "right")[start : start + int(1.2 * clip.fps)]
    v = np.diff(held - low_pass(held, 2.0, clip.fps), axis=0)
    spectrum = np.abs(np.fft.rfft(v * np.hanning(len(v))[:, None], 8192, axis=0)).sum(axis=1)
    peak = np.fft.rfftfreq(8192, 1 / clip.fps)[np.argmax(spectrum)]
    p = PRESETS["trembling"].stroke
    predicted = float(response.damped_frequency_hz(p.rest_error_m, p.zeta))
    assert peak == pytest.approx(predicted, rel=0.1)


def test_settling_takes_longer_the_looser() -> None:
    clip, rig, phases = stop_clip()
    plain = wrist(clip, rig, "right")
    goal = plain[int(2.5 * clip.fps)]
    took = []
    for name in ("loose", "relaxed", "neutral", "tense"):
        out = tense_clip(clip, rig, PRESETS[name], phases, TensedSettings(compensate=False))
        away = np.linalg.norm(wrist(out, rig, "right") - goal, axis=1)
        hold = away[int(1.25 * clip.fps) : int(3.6 * clip.fps)]
        took.append(np.flatnonzero(hold > 0.01).max(initial=0) / clip.fps)
    assert took[0] >= took[1] > took[2] > took[3]


def high_frequency(clip: Clip, rig: Rig) -> float:
    total = 0.0
    for side in SIDES:
        v = np.diff(wrist(clip, rig, side), axis=0) * clip.fps
        power = np.abs(np.fft.rfft(v * np.hanning(len(v))[:, None], axis=0)) ** 2
        total += float(power[np.fft.rfftfreq(len(v), 1 / clip.fps) > 3.0].sum()) / len(v)
    return total


def test_on_recordings_order_timing_body_and_elbows(data: Path, tmp_path: Path) -> None:
    energy: dict[str, list[float]] = {name: [] for name in PRESETS}
    late = []
    for file in recordings(data):
        take = ks.load(file)
        rig, skip = report_of(take).rig, 1 if file.parent.name == "cmu" else 0
        clip = take.clip.frames(skip, len(take.clip))
        elbows = [rig.joint(f"{side}LowerArm") for side in SIDES]
        own = np.linalg.norm(np.diff(clip.world_positions[:, elbows], axis=0), axis=-1).max()
        own_energy = max(high_frequency(clip, rig), 1e-3)
        for name in PRESETS:
            out = tensed_by_command(file, name, tmp_path / "out.kin")
            assert len(out) == len(clip)
            energy[name].append(high_frequency(out, rig) / own_energy)
            for side in SIDES:
                before, after = wrist(clip, rig, side), wrist(out, rig, side)
                assert (hand_depth(out, rig, side) - hand_depth(clip, rig, side)).max() < 0.012
                if np.ptp(before, axis=0).max() > 0.15:
                    late.append(abs(float(measure_lag(before, after, clip.fps))) * clip.fps)
            step = np.linalg.norm(np.diff(out.world_positions[:, elbows], axis=0), axis=-1).max()
            assert step < 2.0 * own + 0.01
    order = [float(np.mean(np.log(np.array(e) + 1e-6))) for e in energy.values()]
    assert order == sorted(order)
    assert np.percentile(late, 90) < 1.0


def test_at_rest_the_hand_comes_back_and_length_stays() -> None:
    clip, rig, phases = stop_clip(hold_s=4.0)
    for tension in (PRESETS["tense"], PRESETS["neutral"]):
        out = tense_clip(clip, rig, tension, phases, TensedSettings(keep_out=False))
        assert len(out) == len(clip)
        at = int(5.0 * clip.fps)
        assert np.abs(wrist(out, rig, "right")[at] - wrist(clip, rig, "right")[at]).max() < 1e-4
        assert np.abs(wrist(out, rig, "left") - wrist(clip, rig, "left")).max() < 1e-9
    legs = [rig.joint("leftUpperLeg"), rig.joint("rightIndexProximal"), rig.joint("head")]
    assert np.array_equal(out.rotations[:, legs], clip.rotations[:, legs])


def test_the_swivel_and_the_hand_are_kept() -> None:
    clip, rig, phases = stop_clip()
    out = tense_clip(clip, rig, PRESETS["relaxed"], phases, TensedSettings(keep_out=False))
    a, b = measure_arm(clip, rig, "right"), measure_arm(out, rig, "right")
    bent = np.linalg.norm(b.wrists, axis=1) < 0.95 * b.limb.reach
    assert np.abs(a.swivels - b.swivels)[bent].max() < 1e-6
    hand = rig.joint("rightHand")
    same = np.abs(np.sum(out.rotations[:, hand] * clip.rotations[:, hand], axis=-1))
    assert same.min() > 1.0 - 1e-9


def test_parameters_follow_the_phases_smoothly() -> None:
    clip, _, phases = stop_clip()
    tension = Tension(Parameters(0.005, 0.3), Parameters(0.1, 0.6))
    error, zeta = parameters_over(clip, tension, phases["right"], TensedSettings())
    assert error[int(1.0 * clip.fps)] == pytest.approx(0.005, rel=1e-6)
    assert error[int(4.2 * clip.fps)] == pytest.approx(0.1, rel=1e-6)
    assert np.abs(np.diff(np.log(error))).max() < 0.35
    assert zeta.min() >= 0.3 - 1e-12
    assert zeta.max() <= 0.6 + 1e-12


def test_constant_holds_stop_dead_and_come_back_softly() -> None:
    clip, rig, phases = stop_clip()
    drifting = wrist(clip, rig, "right") + 0.05 * np.linspace(0, 1, len(clip))[:, None]
    stiff = np.full(len(clip), 0.003)
    held = hold_still(drifting, clip.fps, phases["right"], stiff, TensedSettings())
    a, b = int(1.25 * clip.fps) + 1, int(3.75 * clip.fps) - 1
    assert np.ptp(held[a:b], axis=0).max() == 0.0
    assert np.linalg.norm(np.diff(held, axis=0), axis=1).max() * clip.fps < 3.0
    loose = hold_still(drifting, clip.fps, phases["right"], 100 * stiff, TensedSettings())
    assert np.array_equal(loose, drifting)


def test_a_hold_that_moves_is_kept() -> None:
    """What a recording does in a detected hold stays, whoever asks for constant holds."""
    clip, rig, phases = stop_clip()
    still = wrist(clip, rig, "right")
    stiff = np.full(len(clip), 0.003)
    for constant in (None, True):
        s = TensedSettings(constant_holds=constant)
        for extent, kept in ((0.04, False), (0.06, True), (0.86, True)):
            swing = np.zeros((len(clip), 3))
            swing[180:360, 1] = 0.5 * extent * (1.0 - np.cos(np.linspace(0.0, 2 * np.pi, 180)))
            held = hold_still(still + swing, clip.fps, phases["right"], stiff, s)
            assert np.array_equal(held, still + swing) == kept
            if not kept:
                assert np.linalg.norm(held - still - swing, axis=1).max() < s.still_m


def test_a_clip_may_begin_and_end_in_a_movement() -> None:
    """Cut out of a longer one, it is tensed as it is there, from its first frame to its last."""
    clip, rig, _ = stop_clip()
    a, b = int(0.6 * clip.fps), int(1.1 * clip.fps)  # at 1 m/s in the middle of a movement
    piece = clip.frames(a, b)
    given = wrist(piece, rig, "right")
    speeds = np.linalg.norm(np.diff(given, axis=0), axis=1) * clip.fps
    assert min(speeds[0], speeds[-1]) > 0.5
    for name, limit in (("trembling", 0.01), ("tense", 0.01), ("neutral", 0.02), ("loose", 0.06)):
        out = wrist(tense_clip(piece, rig, PRESETS[name]), rig, "right")
        away = np.linalg.norm(out - given, axis=1)
        assert away[0] < 0.001, name
        assert away[-1] < limit, name
        assert away.max() < limit + 0.02, name


def test_arms_swing_when_the_body_turns() -> None:
    rig = default_rig()
    clip = home_clip(240, 60.0)
    turn = np.zeros((240, 3))
    turn[60:120, 1] = np.linspace(0, 1.2, 60)
    turn[120:, 1] = 1.2
    clip = with_torso(clip, rig, {"spine": turn})
    away = {}
    for inherit in (0.0, 0.5, 1.0):
        out = tense_clip(
            clip, rig, PRESETS["loose"], None, TensedSettings(inherit=inherit, keep_out=False)
        )
        away[inherit] = np.linalg.norm(
            wrist(out, rig, "left") - wrist(clip, rig, "left"), axis=1
        ).max()
    assert away[0.0] < 1e-6
    assert 0.01 < away[0.5] < away[1.0]


def test_secondary_movement_is_off_by_default_and_late_when_on() -> None:
    clip, rig = sample_clip()
    off = tense_clip(clip, rig, PRESETS["relaxed"], None, TensedSettings(secondary=Secondary()))
    on = tense_clip(
        clip, rig, PRESETS["relaxed"], None, TensedSettings(secondary=Secondary.all(1.0))
    )
    hand, head = rig.joint("rightHand"), rig.joint("head")
    assert not np.allclose(off.rotations[:, hand], on.rotations[:, hand])
    assert np.array_equal(off.rotations[:, head], clip.rotations[:, head])
    assert frequency_ratio("wrist") > frequency_ratio("elbow") > 1.0 > frequency_ratio("torso")
    with pytest.raises(InvalidValueError, match="allowed is 0 to 2"):
        Secondary(wrist=3.0)


def test_the_chest_frame_is_the_bone_that_carries_the_arms() -> None:
    assert chest_bone(default_rig()) == "upperChest"


def test_bad_values() -> None:
    clip, rig = sample_clip()
    with pytest.raises(InvalidValueError, match="inherit is 2"):
        TensedSettings(inherit=2.0)
    with pytest.raises(InvalidValueError, match="one for each of"):
        tense_clip(clip, rig, Tension(Parameters(np.full(3, 0.01), 0.5), Parameters(0.01, 0.5)))
    for bad, words in (
        ("limp", "loose"),
        ("-5mm,0.3", "rest error"),
        ("5mm,0", "zeta"),
        ("nan", "-1"),
    ):
        with pytest.raises(InvalidValueError, match=words):
            ks.tense(clip, bad)
    with pytest.raises(InvalidValueError, match="allowed are auto, take, none"):
        ks.tense(clip, "tense", phases="some")
    with pytest.raises(InvalidValueError, match="no tiers"):
        ks.tense(clip, "tense", phases="take")


def test_trembling_in_the_holds_of_recordings(data: Path) -> None:
    """Where a recorded stroke ends in a hold, a trembling arm swings at the predicted frequency."""
    p = PRESETS["trembling"].stroke
    predicted = float(response.damped_frequency_hz(p.rest_error_m, p.zeta))
    peaks = []
    for file in sorted((data / "smartbody").glob("*/*.skm"))[::2]:
        take = ks.load(file)
        rig, clip = report_of(take).rig, resample(take.clip, 120.0)
        found = detect_phases(clip, rig)
        arms: dict[Side, ArmPhases] = {"left": found.left, "right": found.right}
        for side, phases in arms.items():
            holds = [
                h for unit in phases.units for h in unit.holds_after_strokes if h.duration_s > 0.45
            ]
            if not holds:
                continue
            out = tense_clip(clip, rig, PRESETS["trembling"], arms)
            hold = max(holds, key=lambda h: h.duration_s)
            a, b = (int(t * clip.fps) for t in (hold.start_s, hold.end_s))
            v = np.diff(wrist(out, rig, side)[a:b], axis=0)
            if np.linalg.norm(v, axis=1).max() * clip.fps < 0.05:
                continue  # it came to the hold too slowly to tremble
            power = np.abs(np.fft.rfft(v * np.hanning(len(v))[:, None], 8192, axis=0)).sum(axis=1)
            frequency = np.fft.rfftfreq(8192, 1 / clip.fps)
            power[frequency < 3.0] = 0.0
            peaks.append(float(frequency[np.argmax(power)]))
    assert len(peaks) >= 5
    assert np.median(peaks) == pytest.approx(predicted, rel=0.1)
    assert np.mean(np.abs(np.array(peaks) / predicted - 1.0) < 0.1) > 0.7
