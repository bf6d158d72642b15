"""A body that performs clips: in time, on its feet, and never beyond what bodies do."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import cache
from itertools import pairwise

import mujoco
import numpy as np
import pytest

import kinesphere as ks
from kinesphere.animation.arms.poses.home_pose import home_clip
from kinesphere.animation.idle.idle_motion import with_idle
from kinesphere.character.joint_limits import limit_excess
from kinesphere.dynamics.body.body_model import FEET, body_of, compile_model
from kinesphere.dynamics.body.commands import commands_for
from kinesphere.dynamics.body.gains import JOINTS, JointTuning, group_of, stiffness_over
from kinesphere.dynamics.body.posture import posture_of
from kinesphere.dynamics.body.run import Balance, Bounds, run
from kinesphere.dynamics.body.simulation import SimulatedClip, SimulationSettings, simulate_clip
from kinesphere.dynamics.body.timing import (
    PAPER,
    TargetTiming,
    shortened_preparation_s,
    shortened_stroke_s,
    shortened_times,
    widen,
)
from kinesphere.dynamics.tension.presets import PRESETS
from kinesphere.errors import InvalidValueError
from kinesphere.gesture.lexicon import lexicon
from kinesphere.gesture.phases import ArmPhases, Phase
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.maths.curves import smoothstep
from kinesphere.motion.body.arms import SIDES, Side
from kinesphere.motion.clip import Clip
from kinesphere.motion.editing import concatenate
from kinesphere.motion.keyed.torso import with_torso
from kinesphere.motion.kinematics import speeds
from kinesphere.motion.mirroring import mirror
from tests.gesture.performing import NONE, from_home, performed

RIG = ks.default_rig()
FPS = 60.0
# No part of what is done after the simulation, to see the body itself.
RAW = SimulationSettings(keep_limits=False, keep_out=False, steady_head=0.0)
NAMES = ("Cup", "FlingDown", "PointingAbstract", "Umbrella", "Stop")


@cache
def gestures(names: tuple[str, ...] = NAMES, hands: str = "both") -> tuple[Clip, tuple[Phase, ...]]:
    """Gestures one after another, each from home and back, and their phases."""
    clips, phases, at = [], [], 0.0
    for i, name in enumerate(names):
        rng = np.random.default_rng(i)
        acted = performed(lexicon()[name], hands, rng, NONE, strokes=1)  # type: ignore[arg-type]
        done = from_home(acted, rest_s=0.6)
        count = len(done.clip)
        ends = [0, 36, 66, done.start, done.end, count - 36 - 42, count - 36, count]
        kinds = ("rest", "preparation", "hold", "stroke", "hold", "retraction", "rest")
        phases += [
            Phase(kind, at + a / FPS, at + b / FPS)
            for kind, a, b in zip(kinds, ends[:-1], ends[1:], strict=True)
        ]
        clips.append(done.clip)
        at += count / FPS
    return concatenate(clips), tuple(phases)


def both_arms(phases: tuple[Phase, ...]) -> dict[Side, ArmPhases]:
    return {side: ArmPhases(side, phases) for side in SIDES}


@cache
def simulated(tension: str | None = None, names: tuple[str, ...] = NAMES) -> SimulatedClip:
    clip, phases = gestures(names)
    return simulate_clip(clip, RIG, SimulationSettings(tension=tension), both_arms(phases))


def stroke_ends(clip: Clip, phases: tuple[Phase, ...], side: Side = "left") -> Floats:
    """When the wrist has slowed down to a fifth of the stroke's peak."""
    speed = speeds(clip.world_positions[:, RIG.joint(f"{side}Hand")], FPS)
    ends = []
    for phase in (p for p in phases if p.kind == "stroke"):
        first, last = round(phase.start_s * FPS), round(phase.end_s * FPS)
        peak = first + int(np.argmax(speed[first : last + 12]))
        ends.append((peak + np.argmax(speed[peak:] < 0.2 * speed[peak])) / FPS)
    return np.array(ends)


def moving(clip: Clip) -> Floats:
    """Angles of the physical degrees of freedom."""
    body = body_of(RIG)
    return posture_of(body, clip).moving(body)


@pytest.mark.parametrize("tension", ["loose", "neutral", "tense"])
def test_poses_are_held_exactly(tension: str) -> None:
    """Half a degree is asked for; gravity and the other joints are made up for to far less."""
    clip, phases = gestures()
    stop = next(p for p in reversed(phases) if p.kind == "stroke")
    pose = clip.rotations[round(stop.end_s * FPS)]
    lean = {"spine": [0.12, 0.1, -0.05], "neck": [0.05, -0.1, 0.1], "leftClavicle": [0.0, 0.0, 0.1]}
    still = home_clip(300, FPS)
    ratio = smoothstep(np.arange(300) / FPS / 0.8)[:, None]
    there = quaternion.normalise(quaternion.slerp(still.rotations, pose[None], ratio))
    turns = {bone: ratio * np.array(turn) for bone, turn in lean.items()}
    asked = with_torso(replace(still, rotations=there), RIG, turns)
    done = simulate_clip(asked, RIG, replace(RAW, tension=tension))
    assert done.report.reason is None
    error = np.abs(moving(done.clip) - moving(asked))[-1]
    assert np.degrees(error.max()) < 0.05
    assert np.degrees(np.abs(moving(done.clip) - moving(asked)).max()) > 0.3  # on the way there


def test_at_rest_nothing_moves() -> None:
    clip = home_clip(120, FPS)
    done = simulate_clip(clip, RIG, RAW)
    assert np.abs(moving(done.clip) - moving(clip)).max() < 1e-6
    assert done.report.pelvis_m < 1e-6


@pytest.mark.parametrize("tension", ["loose", "neutral", "tense"])
def test_energy_never_grows_at_fixed_set_points(tension: str, rng: np.random.Generator) -> None:
    """Movement, height and springs together, after a push to every joint above the legs."""
    body, clip = body_of(RIG), home_clip(3, FPS)
    posture = posture_of(body, clip)
    stiffness = stiffness_over(body, clip, PRESETS[tension], None)
    commands = commands_for(body, FPS, posture, stiffness, TargetTiming())
    model = compile_model(body)
    model.opt.timestep = 1.0 / 300.0
    model.dof_armature[6:][body.in_legs] = commands.damping[0, body.in_legs] / 300.0
    state = mujoco.MjData(model)
    mujoco.mj_setConst(model, state)
    feet = [model.body(foot).id for foot in FEET]
    state.qpos[:] = posture.qpos(body)[0]
    state.qvel[6:] = rng.normal(scale=2.0, size=len(body.dofs)) * ~body.in_legs
    state.ctrl[:], model.actuator_biasprm[:, 1] = commands.drive[0], -commands.tension[0]
    model.dof_damping[6:] = commands.damping[0]
    state.xfrc_applied[feet] = commands.ground[0]
    state.mocap_pos[:], state.mocap_quat[:] = commands.feet[0, :, :3], commands.feet[0, :, 3:]
    moved = np.zeros(model.nv)
    energies = []
    for _ in range(500):
        mujoco.mj_forward(model, state)
        mujoco.mj_mulM(model, state, moved, state.qvel)
        angle = state.qpos[7:]
        springs = np.sum(0.5 * commands.tension[0] * angle**2 - commands.drive[0] * angle)
        height = 9.81 * np.sum(model.body_mass * state.xipos[:, 1])
        floor = np.sum(commands.ground[0, :, :3] * state.xipos[feet])
        energies.append(0.5 * state.qvel @ moved + height + springs - floor)
        mujoco.mj_step(model, state)
    fall = np.diff(energies)
    start = energies[0] - min(energies)
    assert start > 5.0
    assert fall.max() < 1e-5 * start
    assert energies[-1] - min(energies) < 0.02 * start


def test_strokes_end_when_they_should() -> None:
    clip, phases = gestures()
    late = stroke_ends(simulated().clip, phases) - stroke_ends(clip, phases)
    assert np.median(np.abs(late)) <= 0.060
    assert np.abs(late).max() <= 0.120


def test_a_tense_body_is_nearer_and_a_loose_one_farther() -> None:
    clip, _ = gestures()
    hand = RIG.joint("leftHand")
    away = [
        np.linalg.norm(
            simulated(t).clip.world_positions[:, hand] - clip.world_positions[:, hand], axis=-1
        ).mean()
        for t in ("loose", "relaxed", None, "tense")
    ]
    assert all(a > 1.2 * b for a, b in pairwise(away))
    assert away[-1] > 1e-4


def test_arms_swing_past_the_end_and_torso_and_fingers_react() -> None:
    clip, phases = gestures()
    done = simulated()
    assert 0.5 < done.report.torso_deg < 8.0
    angles = np.degrees(np.abs(moving(done.clip) - moving(clip)).max(axis=0))
    dofs = body_of(RIG).dofs
    assert angles[dofs.index("leftIndexProximal.first")] > 3.0
    assert angles[dofs.index("spine.first")] > 0.2
    # Home again, the hand goes on swinging, ever less.
    hand = done.clip.world_positions[:, RIG.joint("leftHand")]
    back = round(next(p for p in phases if p.kind == "retraction").end_s * FPS)
    speed = speeds(hand, FPS)[back : back + 36]
    assert speed[:10].max() > 0.03
    assert speed[-6:].max() < 0.6 * speed[:10].max()


def test_feet_stay_and_so_do_face_eyes_and_length() -> None:
    clip, phases = gestures()
    lively = with_idle(clip, RIG, 1.0, seed=3)
    lively = replace(lively, channels={**lively.channels, "smile": np.linspace(0, 1, len(clip))})
    done = simulate_clip(lively, RIG, None, both_arms(phases))
    assert done.report.reason is None
    assert len(done.clip) == len(lively)
    for name, values in lively.channels.items():
        assert np.array_equal(done.clip.channels[name], values)
    for bone in ("leftEye", "rightEye", "jaw", "leftToes"):
        joint = RIG.joint(bone)
        assert np.array_equal(done.clip.rotations[:, joint], lively.rotations[:, joint])
    feet = RIG.joints(FEET)
    slide = speeds(done.clip.world_positions[:, feet], FPS)
    assert slide.max() < 0.005
    moved = done.clip.world_positions[:, feet] - lively.world_positions[:, feet]
    assert np.abs(moved).max() < 1e-6
    turned = quaternion.angle_between(
        done.clip.world_rotations[:, feet], lively.world_rotations[:, feet]
    )
    assert np.degrees(turned.max()) < 0.1
    assert done.report.pelvis_m < 0.03


def test_limits_hold_as_far_as_the_input_holds_them() -> None:
    clip, _ = gestures()
    before = limit_excess(clip, RIG)
    for tension in ("loose", "tense"):
        after = limit_excess(simulated(tension).clip, RIG)
        arms = [b for b in after if b.startswith(("left", "right")) and "Leg" not in b]
        for bone in (*arms, "spine", "chest", "upperChest"):
            assert after[bone].max() < before[bone].max() + np.radians(0.5), bone


def test_the_mirror_image_does_the_same() -> None:
    clip, _ = gestures(("FlingDown",), "right")
    swap = RIG.mirror_permutation()
    a = mirror(simulate_clip(clip, RIG, RAW).clip, swap)
    b = simulate_clip(mirror(clip, swap), RIG, RAW).clip
    assert np.abs(a.world_positions - b.world_positions).max() < 1e-3


def test_the_same_again() -> None:
    clip, _ = gestures(("FlingDown",), "right")
    a, b = (simulate_clip(clip, RIG).clip for _ in range(2))
    assert np.array_equal(a.rotations, b.rotations)


def test_another_rate_is_the_same_movement() -> None:
    clip, _ = gestures(("FlingDown",), "right")
    slow = clip.select_frames(slice(None, None, 2))
    slow = replace(slow, fps=30.0)
    fast = simulate_clip(clip, RIG, RAW).clip.world_positions[::2]
    same = simulate_clip(slow, RIG, RAW).clip.world_positions
    assert np.abs(fast[: len(same)] - same).max() < 0.03


def test_offsets_add_up_as_gains() -> None:
    """A main motion and offsets on top are the sum of both (Table 6.3)."""
    main, _ = gestures(("Cup",))
    wave = np.sin(np.arange(len(main)) / 6.0)[:, None] * np.array([0.0, 0.05, 0.08])
    whole = with_torso(main, RIG, {"leftClavicle": wave, "spine": 0.5 * wave})
    plain = simulate_clip(whole, RIG, RAW).clip
    split = simulate_clip(whole, RIG, RAW, main=main).clip
    assert np.abs(plain.world_positions - split.world_positions).max() < 1e-6
    with pytest.raises(InvalidValueError, match="main motion"):
        simulate_clip(whole, RIG, RAW, main=main.frames(0, 10))


def test_equations_6_5_and_6_6() -> None:
    durations = np.array([0.1, 0.3, 0.5, 0.8, 2.0])
    assert np.allclose(shortened_stroke_s(durations), [0.08, 0.15, 0.2, 0.5, 1.6])
    assert np.allclose(shortened_preparation_s(durations), [0.08, 0.15, 0.35, 0.64, 1.6])
    assert np.all(shortened_stroke_s(durations) <= 0.8 * durations)


def test_shortened_phases_start_in_time_and_wait() -> None:
    phases = (Phase("preparation", 0.5, 1.0), Phase("stroke", 1.0, 1.4), Phase("hold", 1.4, 2.0))
    times = np.arange(0.0, 2.5, 0.01)
    shown = shortened_times(times, phases)
    for phase, done in zip(phases, (0.35, 0.15, 0.6), strict=True):
        inside = (times >= phase.start_s) & (times < phase.end_s)
        assert shown[inside][0] == pytest.approx(phase.start_s)
        ready = inside & (times >= phase.start_s + done)
        assert np.allclose(shown[ready], phase.end_s)
    assert np.all(np.diff(shown) > -1e-9)
    outside = (times < 0.5) | (times >= 1.4)
    assert np.array_equal(shown[outside], times[outside])
    kept = shortened_times(times, phases, [(0.9, 1.5)])
    assert np.array_equal(kept[(times >= 1.0)], times[times >= 1.0])


def test_progressives_are_widened_and_end_where_they_did() -> None:
    times = np.arange(0.0, 3.0, 1.0 / FPS)
    values = np.stack([np.sin(12.0 * times), np.cos(12.0 * times) + 3.0], axis=1)
    wide = widen(values, times, [(0.5, 2.5)])
    middle = (times > 0.8) & (times < 2.2)
    mean = values[(times >= 0.5) & (times <= 2.5)].mean(axis=0)
    assert np.allclose(wide[middle] - mean, 1.6 * (values[middle] - mean))
    outside = (times <= 0.5) | (times >= 2.5)
    assert np.allclose(wide[outside], values[outside])
    spans = TargetTiming(progressives={"left": [(0.7, 1.4)]})
    clip, _ = gestures(("FlingDown",))
    plain, more = (
        moving(simulate_clip(clip, RIG, replace(RAW, timing=t)).clip)
        for t in (TargetTiming(), spans)
    )
    dofs = body_of(RIG).dofs
    elbow = dofs.index("leftLowerArm.first")
    assert np.abs(more - plain)[:, elbow].max() > 0.02


def test_the_paper_s_timing_is_earlier() -> None:
    clip, phases = gestures(("Cup", "FlingDown"))
    arms = both_arms(phases)
    late = {
        name: stroke_ends(
            simulate_clip(
                clip, RIG, SimulationSettings(tension="relaxed", timing=timing), arms
            ).clip,
            phases,
        )
        for name, timing in (
            ("paper", PAPER),
            ("early", TargetTiming(0.12)),
            ("late", TargetTiming(0.0)),
        )
    }
    assert np.all(late["early"] < late["late"] - 0.05)
    assert np.all(late["paper"] < late["early"] - 0.02)  # strokes are shorter, too
    assert np.abs(late["paper"] - stroke_ends(clip, phases)).max() < 0.15


def test_arms_relax_on_the_way_back() -> None:
    clip, phases = gestures(("Cup",))
    body = body_of(RIG)
    stiff = stiffness_over(body, clip, PRESETS["tense"], both_arms(phases))
    hand = stiff.tension[:, body.dof("leftHand.first")]
    stroke, back = (
        hand[round(0.5 * (p.start_s + p.end_s) * FPS)]
        for p in (next(p for p in phases if p.kind == kind) for kind in ("stroke", "retraction"))
    )
    assert back == pytest.approx(0.5 * stroke, rel=0.05)  # rest errors of 5 mm and 1 cm
    legs = stiff.tension[:, body.dof("leftFoot.first")]
    assert np.ptp(legs) == 0.0


def test_one_arm_can_be_tenser_than_the_other() -> None:
    clip, phases = gestures(("Cup",))
    ramp = np.linspace(0.3, 3.0, len(clip))
    settings = replace(RAW, arm_ratios={"left": ramp, "right": 4.0})
    body = body_of(RIG)
    stiff = stiffness_over(body, clip, PRESETS["neutral"], None, arm_ratios=settings.arm_ratios)
    left, right = (stiff.tension[:, body.dof(f"{s}LowerArm.first")] for s in SIDES)
    plain = stiffness_over(body, clip, PRESETS["neutral"], None).tension
    assert np.allclose(left / plain[:, body.dof("leftLowerArm.first")], ramp)
    assert np.allclose(right / plain[:, body.dof("rightLowerArm.first")], 4.0)
    assert simulate_clip(clip, RIG, settings, both_arms(phases)).report.reason is None
    for bad in (0.0, 100.0, np.ones(3)):
        with pytest.raises(InvalidValueError, match="tension ratio"):
            simulate_clip(clip, RIG, replace(RAW, arm_ratios={"left": bad}))


def test_a_pushed_pelvis_comes_back() -> None:
    body, clip = body_of(RIG), home_clip(90, FPS)
    posture = posture_of(body, clip)
    commands = commands_for(
        body, FPS, posture, stiffness_over(body, clip, PRESETS["neutral"], None), TargetTiming()
    )
    start = posture.qpos(body)[0]
    for way in ([0.4, 0.0, 0.0], [0.0, 0.0, 0.4], [0.0, 0.0, -0.4]):
        rates = np.zeros(body.model.nv)
        rates[:3] = way
        sway = []
        for share in (-3.0, 0.0, 3.0):
            done = run(body, commands, start, rates, balance=Balance(share))
            away = np.linalg.norm(done.qpos[:, :3] - start[:3], axis=-1)
            assert done.reason is None
            assert 0.002 < away.max() < 0.05
            assert away[-1] < 0.001
            sway.append(away.sum())
        assert sway[2] < 0.95 * sway[1] < 0.9 * sway[0]  # the ankles push back, not on


def test_the_head_keeps_still() -> None:
    clip, _ = gestures(("FlingDown",), "right")
    head = RIG.joint("head")
    shaken, steady = (
        quaternion.angle_between(
            simulate_clip(clip, RIG, replace(RAW, steady_head=share)).clip.world_rotations[:, head],
            clip.world_rotations[:, head],
        ).max()
        for share in (0.0, 0.7)
    )
    assert np.degrees(shaken) > 0.5
    assert steady == pytest.approx(0.3 * shaken, rel=0.05)


def test_a_state_that_blows_up_is_noticed() -> None:
    """MuJoCo puts it back to the start and goes on; a run says so and stops."""
    body, clip = body_of(RIG), home_clip(30, FPS)
    posture = posture_of(body, clip)
    stiffness = stiffness_over(body, clip, PRESETS["neutral"], None)
    commands = commands_for(body, FPS, posture, stiffness, TargetTiming())
    drive = commands.drive.copy()
    drive[10:, body.dof("leftIndexDistal.first")] = 1e12
    anything = Bounds(pelvis_m=np.inf, rate_rad_s=np.inf)
    start = posture.qpos(body)[0]
    rates = np.zeros(body.model.nv)
    done = run(body, replace(commands, drive=drive), start, rates, anything)
    assert done.reason == "the simulation became unstable at 0.18 s"
    assert len(done.qpos) == 11


def absurd(kind: str) -> Clip:
    clip = home_clip(120, FPS)
    roots, rotations = clip.root_positions.copy(), clip.rotations.copy()
    if kind == "teleport":
        roots[60:] += [3.0, 0.0, 0.0]
    elif kind == "jumps up":
        roots[60:, 1] += 1.5
    elif kind == "somersault":
        turn = np.array([1.0, 0.0, 0.0]) * np.linspace(0.0, 40.0, 60)[:, None]
        rotations[60:, 0] = quaternion.multiply(quaternion.exp(turn), rotations[60:, 0])
    elif kind == "arms spin":
        turn = np.array([0.0, 0.0, 1.0]) * (2.5 * np.arange(120))[:, None]
        for bone in ("leftUpperArm", "rightLowerArm"):
            rotations[:, RIG.joint(bone)] = quaternion.exp(turn)
    else:
        wild = np.random.default_rng(0).normal(size=rotations.shape)
        rotations = quaternion.normalise(wild)
    return replace(clip, root_positions=roots, rotations=quaternion.normalise(rotations))


@pytest.mark.parametrize("kind", ["teleport", "jumps up", "somersault", "arms spin", "noise"])
def test_absurd_motion_stops_with_a_reason(kind: str) -> None:
    clip = absurd(kind)
    done = simulate_clip(clip, RIG)
    assert done.report.reason
    assert "\n" not in done.report.reason
    assert done.clip is clip  # the caller keeps what there was
    with pytest.raises(InvalidValueError, match="no body can follow"):
        simulated_take(clip)


def simulated_take(clip: Clip) -> ks.Take:
    from kinesphere.pipeline.simulate import simulate

    return simulate(clip, phases="none")


def test_a_single_bad_frame_is_passed_over() -> None:
    clip, _ = gestures(("Cup",))
    rotations = clip.rotations.copy()
    rotations[90, RIG.joint("leftUpperArm")] = [0.0, 1.0, 0.0, 0.0]
    bad = simulate_clip(replace(clip, rotations=rotations), RIG, RAW)
    good = simulate_clip(clip, RIG, RAW)
    assert bad.report.reason is None
    hand = RIG.joint("leftHand")
    away = np.linalg.norm(
        bad.clip.world_positions[:, hand] - good.clip.world_positions[:, hand], axis=-1
    )
    assert away.max() < 0.25
    assert away[-1] < 0.01


def test_short_clips_and_progress() -> None:
    clip = home_clip(1, FPS)
    assert simulate_clip(clip, RIG).clip is clip
    seen: list[tuple[int, int]] = []
    done = simulate_clip(home_clip(2, FPS), RIG, progress=lambda *count: seen.append(count))
    assert len(done.clip) == 2
    assert seen[-1] == (1, 1)


@pytest.mark.timing
def test_it_is_fast() -> None:
    """Fifteen times as fast as it plays is asked for on one core; CI may be half as quick."""
    clip, phases = gestures()
    took = []
    for _ in range(2):
        start = time.process_time()
        simulate_clip(clip, RIG, None, both_arms(phases))
        took.append(time.process_time() - start)
    assert min(took) < clip.duration_s / 8.0


def test_what_is_not_allowed() -> None:
    clip = home_clip(5, FPS)
    for settings, words in (
        ({"tension": "limp"}, "limp"),
        ({"tension": 3.0}, "-1"),
        ({"mass_kg": 5.0}, "10 to 300 kg"),
        ({"joints": {"torso": JOINTS["torso"]}}, "no tuning for"),
    ):
        with pytest.raises(InvalidValueError, match=words):
            simulate_clip(clip, RIG, SimulationSettings(**settings))
    for make, words in (
        (lambda: SimulationSettings(steady_head=2.0), "0 to 1"),
        (lambda: TargetTiming(advance_s=-1.0), "0 to 1 s"),
        (lambda: TargetTiming(progressives={"left": [(2.0, 1.0)]}), "end after"),
        (lambda: JointTuning(0.0), "0.1 to 10"),
        (lambda: JointTuning(1.0, -1.0), "above 0"),
    ):
        with pytest.raises(InvalidValueError, match=words):
            make()
    assert {group_of(bone) for bone in body_of(RIG).bones} == set(JOINTS)
    assert Bounds().pelvis_m < 1.0
