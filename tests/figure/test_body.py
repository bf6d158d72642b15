"""The standing body: a plain reference, chunks, mirror, planted feet, and people's habits."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesphere.character.default import default_rig
from kinesphere.character.joint_limits import limit_excess
from kinesphere.errors import InvalidValueError
from kinesphere.figure.standing import body, body_layout
from kinesphere.figure.standing.body import BodyPoses, BodyTargets
from kinesphere.figure.standing.body_settings import BodySettings
from kinesphere.figure.standing.legs import leg_rotations, leg_table
from kinesphere.figure.standing.stance import PINNED, STANCES, Stance, stance_level, stance_of
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.clip import Clip
from tests.figure.plain_body import PlainBody

FPS = 60.0
HANGING = np.array([[0.235, -0.482, 0.13], [-0.235, -0.482, 0.13]])


def hands(frames: int, seed: int = 0) -> Floats:
    """Wrists ``[frames, 2, 3]`` that gesture in front of the body."""
    rng = np.random.default_rng(seed)
    t = np.arange(frames)[:, None, None] / FPS
    hz, phase = rng.uniform(0.3, 1.4, (2, 3)), rng.uniform(0.0, 6.0, (2, 3))
    base = np.array([[0.25, -0.3, 0.25], [-0.25, -0.3, 0.25]])
    return np.asarray(base + 0.08 * np.sin(2.0 * np.pi * hz * t + phase))


def head(frames: int) -> Floats:
    t = np.arange(frames) / FPS
    return np.asarray(0.2 * np.sin(1.1 * t) * (np.sin(0.3 * t) > 0.0))


def speaking(frames: int, seed: int = 0) -> BodyTargets:
    return BodyTargets(
        speaks=np.ones((1, frames)), wrists=hands(frames, seed)[None], head_yaw=head(frames)[None]
    )


def run(stance: Stance, seconds: float = 20.0, seed: int = 3, **more: object) -> BodyPoses:
    frames = int(seconds * FPS)
    state = body.start(FPS, [seed], [stance], **more)  # type: ignore[arg-type]
    return body.step(state, speaking(frames, seed), frames)[1]


def clip_of(poses: BodyPoses) -> Clip:
    """Legs and trunk on the default figure."""
    rig, frames = default_rig(), poses.hips.shape[1]
    rotations = np.tile(rig.skeleton.rest_rotations, (frames, 1, 1))
    pelvis = quaternion.exp(poses.pelvis[0])
    rotations[:, rig.joint("hips")] = pelvis
    for joint, local in leg_rotations(poses.hips[0], pelvis, poses.feet[0]).items():
        rotations[:, joint] = local
    return Clip(rig.skeleton, FPS, poses.hips[0], rotations)


def test_numbers_are_in_the_order_of_the_fields() -> None:
    for prefix, kind in (("K_", BodySettings), ("STANCE_", Stance)):
        for place, part in enumerate(fields(kind)):
            assert getattr(body_layout, prefix + part.name.upper()) == place
        assert sum(name.startswith(prefix) for name in vars(body_layout)) == len(fields(kind))


@pytest.mark.parametrize(("level", "seed"), [(0.0, 1), (0.5, 2), (0.8, 3), (1.0, 4)])
def test_the_loop_is_the_plain_body(level: float, seed: int) -> None:
    stance, frames = stance_of(level, seed), 1500
    state = body.start(FPS, [seed], [stance])
    done = body.step(state, speaking(frames, seed), frames)[1]
    plain = PlainBody(seed, stance, FPS)
    wrists, yaws = hands(frames, seed), head(frames)
    rows = [plain.step(1.0, wrists[f], yaws[f]) for f in range(frames)]
    for name, made in (
        ("hips", done.hips),
        ("pelvis", done.pelvis),
        ("spine", done.spine),
        ("feet", done.feet),
        ("collar", done.collar_rise),
    ):
        wanted = np.array([row[name] for row in rows])
        assert np.abs(made[0] - wanted).max() < 1e-9, name


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(1, 90), min_size=1, max_size=12), st.integers(0, 1000))
def test_chunks_do_not_matter(cuts: list[int], seed: int) -> None:
    frames, stance = sum(cuts), stance_of(1.0, seed)
    whole = speaking(frames, seed)
    state = body.start(FPS, [seed], [stance])
    once = body.step(state, whole, frames)[1]
    parts, first = [], 0
    for count in cuts:
        part = BodyTargets(*(None if v is None else v[:, first : first + count] for v in whole))
        state, poses = body.step(state, part, count)
        parts.append(poses)
        first += count
    for n, name in enumerate(BodyPoses._fields):
        joined = np.concatenate([p[n] for p in parts], axis=1)
        assert np.array_equal(joined, getattr(once, name)), name


def test_a_character_is_the_same_among_others() -> None:
    stances = [stance_of(0.5, s) for s in (1, 2, 3)]
    state = body.start(FPS, [1, 2, 3], stances)
    all_three = body.step(state, BodyTargets(speaks=np.ones((3, 600))), 600)[1]
    alone = body.step(
        body.start(FPS, [2], stances[1:2]), BodyTargets(speaks=np.ones((1, 600))), 600
    )[1]
    for many, one in zip(all_three, alone, strict=True):
        assert np.array_equal(many[1], one[0])


def test_mirrored_targets_give_the_mirrored_body() -> None:
    frames, stance = 1200, stance_of(0.8, 5)
    flip = np.array([-1.0, 1.0, 1.0])
    plain = speaking(frames, 5)
    assert plain.wrists is not None
    assert plain.head_yaw is not None
    swapped = plain._replace(wrists=plain.wrists[:, :, ::-1] * flip, head_yaw=-plain.head_yaw)
    a = body.step(body.start(FPS, [5], [stance]), plain, frames)[1]
    b = body.step(body.start(FPS, [5], [stance], mirrored=True), swapped, frames)[1]
    assert np.abs(a.hips * flip - b.hips).max() < 1e-12
    turn = np.array([1.0, -1.0, -1.0])
    assert np.abs(a.pelvis * turn - b.pelvis).max() < 1e-12
    assert np.abs(a.spine * turn - b.spine).max() < 1e-12
    feet = a.feet[:, :, ::-1] * np.array([-1.0, 1.0, 1.0, -1.0, 1.0, 1.0])
    assert np.abs(feet - b.feet).max() < 1e-12


def test_ankles_are_where_the_feet_are_and_knees_never_lock() -> None:
    poses = run(stance_of(1.0, 7), 40.0, 7)
    clip, rig = clip_of(poses), default_rig()
    for k, side in enumerate(("left", "right")):
        ankle = clip.joint_positions(f"{side}Foot")
        assert np.abs(ankle - poses.feet[0, :, k, :3]).max() < 1e-6
        hip, knee = (clip.joint_positions(f"{side}{b}") for b in ("UpperLeg", "LowerLeg"))
        reach = np.linalg.norm(hip - ankle, axis=1)
        lengths = leg_table().lengths[k]
        assert reach.max() < lengths.sum()
        assert np.linalg.norm(knee - hip, axis=1) == pytest.approx(lengths[0])
    # Even a restless person's joints hardly reach their limits.
    assert max(float(e.max()) for e in limit_excess(clip, rig).values()) < np.radians(5.0)


def test_planted_feet_never_slide_and_lifted_heels_turn_about_the_ball() -> None:
    poses = run(stance_of(1.0, 2), 60.0, 2)
    clip = clip_of(poses)
    moved = 0
    for k, side in enumerate(("left", "right")):
        feet = poses.feet[0, :, k]
        ball = clip.joint_positions(f"{side}Toes")
        lowest = ball[:, 1].min()
        on_floor = ball[:, 1] < lowest + 1e-4
        both = on_floor[1:] & on_floor[:-1]
        slide = np.linalg.norm(np.diff(ball, axis=0)[:, [0, 2]], axis=1) * FPS
        assert slide[both].max() < 2e-3
        moved += int(np.sum(np.diff(on_floor.astype(int)) == -1))
        assert feet[:, 1].min() >= leg_table().row[5] - 1e-9
        assert lowest > -1e-9
    assert moved > 5


def test_only_free_feet_step_and_the_weight_follows_onto_them() -> None:
    lifts, followed = 0, 0
    loads: list[float] = []
    for seed in range(6):
        poses = run(stance_of(1.0, seed), 40.0, seed)
        clip, hips = clip_of(poses), poses.hips[0][:, [0, 2]]
        flat = np.stack([clip.joint_positions(f"{s}Toes")[:, [0, 2]] for s in ("left", "right")], 1)
        apart = flat[:, 0] - flat[:, 1]
        load = np.sum((hips - flat[:, 1]) * apart, axis=1) / np.sum(apart**2, axis=1)
        for k in range(2):
            going = np.linalg.norm(np.diff(flat[:, k], axis=0), axis=1) * FPS > 0.02
            for start in np.flatnonzero(going[1:] & ~going[:-1]):
                stop = min(int(start) + 60, len(load) - 1)
                if np.linalg.norm(flat[stop, k] - flat[start, k]) < 0.05:
                    continue
                own = load if k == 0 else 1.0 - load
                lifts += 1
                loads.append(own[start])
                followed += own[stop] > own[start] + 0.05
    assert lifts >= 8
    assert np.median(loads) < 0.4
    assert max(loads) < 0.6
    assert followed >= 0.8 * lifts


def test_a_shift_takes_about_a_second_whatever_its_size() -> None:
    """The share of the weight answers a step like three equal lags; sizes only scale it."""
    quiet = replace(PINNED, width_m=0.3, middle=0.4, knee=0.2)
    for size in (0.05, 0.3):
        offset = np.zeros((1, 240, 3))
        state = body.start(FPS, [1], [quiet], BodySettings(sway_side_m=0.0))
        state = body.step(state, BodyTargets(), 1)[0]
        memory = state.memory.copy()
        memory[:, body_layout.AT_GOAL] = 0.4 + size
        state = state._replace(memory=memory)
        hips = body.step(state, BodyTargets(offset=offset), 240)[1].hips[0, :, 0]
        ratio = (hips - hips[0]) / (hips[-1] - hips[0])
        rise_s = (np.argmax(ratio > 0.9) - np.argmax(ratio > 0.1)) / FPS
        assert rise_s == pytest.approx(4.2 * BodySettings().shift_s, abs=0.05)
        speed = np.gradient(ratio)
        assert 0.25 < ratio[int(speed.argmax())] < 0.45
        assert hips[-1] - hips[0] == pytest.approx(size * 0.3, rel=0.02)


def test_a_restless_person_shifts_and_steps_more_and_a_still_one_lives() -> None:
    def habits(level: float) -> Floats:
        rows = []
        for seed in range(6):
            poses = run(stance_of(level, seed), 60.0, seed)
            feet = poses.feet[0][:, :, [0, 2]]
            moves = (np.linalg.norm(np.diff(feet, axis=0), axis=2) * FPS > 0.1).mean()
            turning = np.abs(np.diff(np.degrees(poses.pelvis[0]), axis=0)).sum(axis=1).mean() * FPS
            rows.append([poses.hips[0, :, 0].std(), moves, turning])
        return np.asarray(np.mean(rows, axis=0))

    still, easy, restless = (habits(STANCES[name]) for name in ("still", "easy", "restless"))
    assert still[0] < easy[0] < restless[0]
    assert still[1] < easy[1] < restless[1]
    assert still[2] > 5.0  # the pelvis of a still speaker turns


def test_the_chest_turns_with_the_pelvis_and_with_the_head() -> None:
    frames = 240
    yaw = np.where(np.arange(frames) < 60, 0.0, 0.4)[None]
    quiet = replace(PINNED, knee=0.2, width_m=0.3, middle=0.5, with_head=0.9)
    poses = body.step(
        body.start(FPS, [1], [quiet]),
        BodyTargets(head_yaw=yaw, speaks=np.ones((1, frames))),
        frames,
    )[1]
    pelvis, spine = poses.pelvis[0, -1, 1], poses.spine[0, -1, 1]
    assert pelvis + spine == pytest.approx(0.9 * 0.4, rel=0.08)
    assert 0.55 < pelvis / (pelvis + spine) < 1.05


def test_hands_move_the_trunk_with_the_measured_signs() -> None:
    def still_pose(left: Floats, right: Floats) -> tuple[Floats, Floats]:
        wrists = np.tile(np.array([left, right]), (1, 120, 1, 1))
        state = body.start(FPS, [1], [replace(PINNED, knee=0.2, width_m=0.3, middle=0.5)])
        poses = body.step(state, BodyTargets(wrists=wrists), 120)[1]
        return poses.pelvis[0, -1], poses.spine[0, -1]

    low = HANGING.copy()
    ahead = low + [0.0, 0.0, 0.3]
    rest, both = still_pose(*low), still_pose(*ahead)
    assert both[0][0] < rest[0][0]  # the pelvis tips back under a forward reach
    assert both[1][0] > rest[1][0]  # and the spine bends forward
    left = still_pose(ahead[0], low[1])
    assert left[1][1] < rest[1][1]  # the reaching hand's shoulder goes forward


def test_names_and_numbers_of_stances() -> None:
    assert stance_level("restless") == 1.0
    assert stance_level(0.25) == 0.25
    for bad in ("wobbly", "2", -0.1, 1.5, float("nan")):
        with pytest.raises(InvalidValueError, match="stance is"):
            stance_level(bad)
    assert stance_of(0.5, 1) == stance_of(0.5, 1)
    assert stance_of(0.5, 1) != stance_of(0.5, 2)
    with pytest.raises(InvalidValueError, match="width_m"):
        Stance(width_m=float("nan"))
