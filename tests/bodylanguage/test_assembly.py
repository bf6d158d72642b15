"""A posed figure of three streams: feet that stand, joints within limits, hands out of the body."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kinesphere as ks
from kinesphere.animation.arms.poses.home_pose import home_rotations
from kinesphere.bodylanguage.play import body_assembly
from kinesphere.bodylanguage.play.body_assembly import PATH, Changes, assemble
from kinesphere.bodylanguage.play.body_assembly_kernels import farther
from kinesphere.bodylanguage.play.figure_posing import body_targets
from kinesphere.bodylanguage.play.segment_playback import StreamFrames
from kinesphere.bodylanguage.streams import ARMS, HEAD, LOWER, hand_of_joint, stream_of_joint
from kinesphere.character.default import default_rig
from kinesphere.character.joint_limits import joint_limits, limit_excess
from kinesphere.figure.arms.arm_path_kernels import steady
from kinesphere.figure.arms.arm_table import arms
from kinesphere.figure.arms.hand_clearing_kernels import carry_correction, follow, roll_on
from kinesphere.figure.arms.hand_contact_kernels import hands_apart
from kinesphere.figure.clearance import AIR_M, LIVE, PUSH, Posed
from kinesphere.figure.standing import body as figure_body
from kinesphere.figure.standing.body_layout import FEET, FOOT, HIPS, PELVIS_TURN, SPINE_TURN
from kinesphere.figure.standing.body_settings import PAPER_BODY
from kinesphere.figure.standing.leg_kernels import leg_frames
from kinesphere.figure.standing.legs import leg_table
from kinesphere.figure.standing.stance import PINNED
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Bools, Floats
from kinesphere.motion.body.body_volume import FINGER_M, PALM_M, hand_depth
from kinesphere.motion.body.hand_overlap import hand_overlap
from kinesphere.motion.humanoid import SPINE
from kinesphere.motion.kinematics import forward_kinematics_plain
from kinesphere.pipeline.models import model as model_named
from tests.bodylanguage.material import small_model

seeds = st.integers(0, 2**32 - 1)
RIG = default_rig()
NAMES = RIG.skeleton.names
JOINTS = len(NAMES)
ALL = np.ones(3, dtype=np.bool_)
SIDES = ("left", "right")
# Bones of the figure are not quite straight; arms are solved as if they were.
CROOKED_M = 0.00201
# What inverse kinematics makes fit, and what hangs from it.
LEGS = [j for j, name in enumerate(NAMES) if name.endswith(("Leg", "Foot", "Toes"))]
ARM = arms().joints[:, 1:].ravel().tolist()


def wild(rows: int, seed: int, size: float = 0.5) -> tuple[Floats, Floats]:
    """Poses about home that nobody would strike, and places of the pelvis."""
    rng = np.random.default_rng(seed)
    world = forward_kinematics_plain(RIG.skeleton, home_rotations(), np.zeros(3))[0]
    world = np.where((hand_of_joint() >= 0)[:, None], home_rotations(), world)
    away = quaternion.exp(rng.normal(scale=size, size=(rows, JOINTS, 3)))
    return quaternion.multiply(away, world), rng.normal(scale=0.06, size=(rows, 3))


def recorded(rows: int, seed: int) -> tuple[Floats, Floats]:
    """Poses of people; each stream from another moment."""
    model, rng = model_named("house"), np.random.default_rng(seed)
    at = rng.integers(len(model.turns), size=(rows, 3))
    shown = np.zeros((rows, JOINTS, 4))
    shown[..., 0] = 1.0
    for stream in range(3):
        mine = stream_of_joint() == stream
        shown[:, mine] = model.turns[at[:, stream]][:, mine]
    return shown, model.pelvis[at[:, LOWER]].astype(np.float64)


@cache
def moving(frames: int, seed: int = 0) -> tuple[Floats, Floats]:
    """A stretch of motion, in which hands come near the body."""
    model = small_model(seed=seed)
    return model.turns[:frames].astype(np.float64), model.pelvis[:frames].astype(np.float64)


def stood(shown: Floats, pelvis: Floats, present: Bools, amount: float) -> Floats:
    """Bodies ``[rows, POSE]``, each row alone, of people without habits of their own."""
    rows = len(shown)
    streams = StreamFrames(shown[:, None], pelvis[:, None], np.zeros((rows, 1)))
    targets = body_targets(streams, np.full((rows, 1), amount), present)
    quiet = replace(PAPER_BODY, twist_rad=0.7, breath_rad=0.0, collar_rad=0.0)
    state = figure_body.start(30.0, [0] * rows, [PINNED] * rows, quiet)
    return np.ascontiguousarray(figure_body.step_poses(state, targets)[1][:, 0])


def assembled(
    shown: Floats,
    pelvis: Floats,
    present: Bools = ALL,
    amount: float = 1.0,
    idle: Floats | None = None,
    **more: object,
) -> Posed:
    rows = len(shown)
    life = np.zeros((rows, JOINTS, 3)) if idle is None else idle
    bodies = stood(shown, pelvis, present, amount) if rows else np.zeros((0, FEET + 2 * FOOT))
    return assemble(shown, bodies, present, np.full(rows, amount), life, **more)


def clip(posed: Posed) -> ks.Clip:
    return ks.Clip(RIG.skeleton, 30.0, posed.root_positions, posed.rotations)


def uncleared(monkeypatch: pytest.MonkeyPatch, shown: Floats, pelvis: Floats) -> Posed:
    """With hands wherever the streams want them."""
    with monkeypatch.context() as patch:
        patch.setattr(body_assembly, "clear", lambda *_: None)
        return assembled(shown, pelvis)


def mirrored(turns: Floats) -> Floats:
    """Mirror images in x = 0 of rotations of all joints ``[..., joints, 4]``."""
    other = {"left": "right", "right": "left"}
    names = list(NAMES)
    swap = [
        names.index(other[side] + name[len(side) :])
        if (side := next((s for s in SIDES if name.startswith(s)), ""))
        else j
        for j, name in enumerate(names)
    ]
    return np.ascontiguousarray(turns[..., swap, :] * np.array([1.0, 1.0, -1.0, -1.0]))


@pytest.mark.parametrize("make", [wild, recorded])
def test_hips_and_feet_are_where_the_engine_has_them(make: object) -> None:
    shown, pelvis = make(200, 1)  # type: ignore[operator]
    out, bodies = clip(assembled(shown, pelvis)), stood(shown, pelvis, ALL, 1.0)
    assert np.abs(out.root_positions - bodies[:, HIPS : HIPS + 3]).max() < 1e-12
    excess = limit_excess(out, RIG)
    for k, side in enumerate(SIDES):
        wanted = bodies[:, FEET + FOOT * k : FEET + FOOT * k + 3]
        assert np.abs(out.joint_positions(f"{side}Foot") - wanted).max() < 1e-6
        assert excess[f"{side}LowerLeg"].max() < 1e-6


@settings(max_examples=60, deadline=None)
@given(seeds)
def test_a_leg_is_a_triangle_whose_knee_points_ahead(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(0.3, 0.5, size=2)
    hip = rng.normal(size=3)
    way = rng.normal(size=3)
    way /= np.linalg.norm(way)
    distance = rng.uniform(abs(a - b) + 1e-3, a + b)
    ankle = hip + distance * way
    ahead = rng.normal(size=3)
    thigh, shin = leg_frames(tuple(hip), tuple(ankle), tuple(ahead), a, b)
    down = np.array([0.0, -1.0, 0.0])
    knee = hip + a * quaternion.rotate(np.array(thigh), down)
    end = knee + b * quaternion.rotate(np.array(shin), down)
    assert np.abs(end - ankle).max() < 1e-7
    front = ahead - (ahead @ way) * way
    bend = (knee - hip) - ((knee - hip) @ way) * way
    assert bend @ front >= -1e-9
    assert np.linalg.norm(np.cross(bend, front)) < 1e-6 * np.linalg.norm(front)
    # A knee is a hinge: thigh and shin share their side axis.
    sides = [quaternion.rotate(np.array(q), np.array([1.0, 0.0, 0.0])) for q in (thigh, shin)]
    assert np.abs(sides[0] - sides[1]).max() < 1e-9
    assert abs(sides[0] @ way) < 1e-9


@pytest.mark.parametrize("make", [wild, recorded])
def test_joints_stay_within_their_limits(make: object) -> None:
    shown, pelvis = make(300, 2)  # type: ignore[operator]
    rng = np.random.default_rng(2)
    idle = rng.normal(scale=0.05, size=(300, JOINTS, 3))
    excess = limit_excess(clip(assembled(shown, pelvis, amount=1.2, idle=idle)), RIG)
    checked = {b for b in excess if not b.endswith(("UpperArm", "Leg", "Foot", "Toes"))}
    assert len(checked) > 40
    assert max(float(excess[bone].max()) for bone in checked) < 1e-6


def wanted_head(shown: Floats, chest: Floats, amount: float) -> Floats:
    """Rotation of the head: its stream's, larger for what blending takes, with some of the chest's yaw."""
    x, _, z = np.moveaxis(quaternion.rotate(chest, np.array([0.0, 0.0, 1.0])), -1, 0)
    yaw = 0.12 * np.arctan2(x, z)[..., None] * np.array([0.0, 1.0, 0.0])
    own = quaternion.exp(1.35 * amount * quaternion.log(shown[..., RIG.joint("head"), :]))
    return quaternion.multiply(quaternion.exp(yaw), own)


def plain_spine(shown: Floats, body: Floats, amount: float, idle: Floats) -> dict[str, Floats]:
    """Local rotations from the hips to the head of one row, by the book."""
    limits, joints = joint_limits(), {bone: RIG.joint(bone) for bone in SPINE}
    hips, bend = (quaternion.exp(body[k : k + 3]) for k in (PELVIS_TURN, SPINE_TURN))
    part = quaternion.exp(body[SPINE_TURN : SPINE_TURN + 3] / 3.0)
    facing = wanted_head(shown, quaternion.multiply(hips, bend), amount)
    neck = quaternion.log(quaternion.relative(quaternion.multiply(hips, bend), facing))
    own = {
        "hips": hips,
        **dict.fromkeys(("spine", "chest", "upperChest"), part),
        "neck": quaternion.exp(0.45 * neck),
        "head": quaternion.exp(0.55 * neck),
    }
    out = {}
    for bone, turn in own.items():
        moved = quaternion.multiply(quaternion.exp(idle[joints[bone]]), turn)
        out[bone] = limits[bone].clamp(moved) if bone in limits else moved
    return out


@settings(max_examples=25, deadline=None)
@given(seeds, st.floats(0.0, 1.5), st.sampled_from([0.05, 0.3, 0.9]))
def test_the_neck_carries_the_head_to_where_its_stream_has_it(
    seed: int, amount: float, size: float
) -> None:
    # The default figure's back is at rest in the T-pose that limits count from.
    rest = RIG.canonical_pose[0][list(RIG.joints(SPINE))]
    assert np.array_equal(rest, quaternion.identity((len(SPINE),)))
    shown, pelvis = wild(1, seed, size)
    idle = np.random.default_rng(seed).normal(scale=0.05, size=(1, JOINTS, 3))
    posed = assembled(shown, pelvis, amount=amount, idle=idle)
    body = stood(shown, pelvis, ALL, amount)[0]
    for bone, expected in plain_spine(shown[0], body, amount, idle[0]).items():
        found = posed.rotations[0, RIG.joint(bone)]
        assert quaternion.angle_between(found, expected) < 1e-6, bone


def test_heads_point_where_their_stream_wants_them() -> None:
    shown, pelvis = recorded(300, 4)
    posed = assembled(shown, pelvis)
    for bone in ("head",):
        joint = RIG.joint(bone)
        chest = posed.world[:, RIG.joint("upperChest")]
        off = quaternion.angle_between(posed.world[:, joint], wanted_head(shown, chest, 1.0))
        # Streams of different moments do not always go together; limits then say no.
        assert np.median(off) < 1e-6
        assert np.mean(off < 0.05) > 0.9


def test_arms_keep_their_directions_and_elbows_are_hinges(monkeypatch: pytest.MonkeyPatch) -> None:
    model = model_named("house")
    at = np.random.default_rng(6).integers(len(model.turns), size=300)
    shown, pelvis = model.turns[at].astype(np.float64), model.pelvis[at].astype(np.float64)
    out = clip(uncleared(monkeypatch, shown, pelvis))
    # The chest is the engine's: arms keep their directions on it.
    chest = RIG.joint("upperChest")
    turn = quaternion.relative(
        quaternion.inverse(out.world_rotations[:, chest]), quaternion.inverse(shown[:, chest])
    )
    shown = quaternion.multiply(turn[:, None], shown)
    bones = arms()
    for k, side in enumerate((1.0, -1.0)):
        _, upper, lower, hand = bones.joints[k]
        axis = np.array([side, 0.0, 0.0])
        wanted = [
            length * quaternion.rotate(shown[:, joint], axis)
            for joint, length in zip((upper, lower), bones.lengths[k], strict=True)
        ]
        places = out.world_positions
        off = np.linalg.norm(places[:, hand] - places[:, upper] - sum(wanted), axis=1)
        elbow = np.linalg.norm(places[:, lower] - places[:, upper] - wanted[0], axis=1)
        assert np.median(off) < CROOKED_M
        assert np.mean(off < CROOKED_M) > 0.98
        assert np.median(elbow) < 0.001
        pointed = quaternion.angle_between(out.world_rotations[:, hand], shown[:, hand])
        assert np.median(pointed) < 1e-6
        # Bends about one axis and rolls about the bone: no way aside.
        own = out.rotations[:, lower]
        along = quaternion.rotate(own, axis)
        assert np.abs(along[:, 1]).max() < 1e-4


def test_hands_are_kept_out_of_the_body(monkeypatch: pytest.MonkeyPatch) -> None:
    # Of poses that nobody strikes, one in a hundred or so that were inside may have no way out.
    shown, pelvis = wild(500, 5, 0.35)
    loose = uncleared(monkeypatch, shown, pelvis)
    kept = assembled(shown, pelvis)
    for k, side in enumerate(SIDES):
        before, after = (hand_depth(clip(p), RIG, side) for p in (loose, kept))
        inside = before > 0.01
        assert inside.mean() > 0.1
        assert np.mean(after[inside] > 0.001) < 0.04
        assert np.mean(after > 0.001) < 0.01
        # Hands that are far from it are left alone.
        joints = arms().joints[k]
        away = clip(loose).world_positions[:, joints[3]] - clip(loose).world_positions[:, 0]
        far = np.abs(away[:, 0]) > 0.45
        assert far.sum() > 5
        assert np.array_equal(kept.rotations[far][:, joints], loose.rotations[far][:, joints])


def test_hands_of_people_are_never_in_the_body(monkeypatch: pytest.MonkeyPatch) -> None:
    deepest = 0.0
    for seed in range(4):
        shown, pelvis = recorded(500, seed)
        loose, kept = uncleared(monkeypatch, shown, pelvis), assembled(shown, pelvis)
        for side in SIDES:
            deepest = max(deepest, float(hand_depth(clip(loose), RIG, side).max()))
            assert hand_depth(clip(kept), RIG, side).max() < 0.001
    assert deepest > 0.005


def pushed_through(dt: float) -> Floats:
    """Pushes ``[frames, 2, 3]`` of hands whose forearm swings across the belly and back."""
    frames = 60
    shown = np.tile(wild(1, 3, 0.0)[0], (frames, 1, 1))
    angle = np.pi * 0.9 * np.sin(np.linspace(0.0, np.pi, frames))
    swing = quaternion.from_axis_angle([0.0, 1.0, 0.0], -angle)
    shown[:, RIG.joints(("leftLowerArm", "leftHand"))] = swing[:, None]
    pushes, out = np.full((1, 2, PUSH), np.nan), []
    for f in range(frames):
        assembled(shown[f : f + 1], np.zeros((1, 3)), pushes=pushes, dt=dt)
        out.append(pushes[0].copy())
    return np.array(out)


def test_a_push_out_of_the_body_is_pulled_no_harder_than_it_may() -> None:
    # So fast a swing that the hand would jump out on the other side.
    dt = 1.0 / 1000.0
    found = pushed_through(dt)
    assert np.isfinite(found).all()
    needed, given = found[..., 6:9], found[..., :3]
    hard = [np.linalg.norm(np.diff(p, n=2, axis=0), axis=-1).max() / dt**2 for p in (needed, given)]
    assert hard[0] > 200.0
    assert hard[1] <= 60.0 + 1e-6
    # At a pace that arms have it is what is needed, but for millimetres.
    slow = pushed_through(1.0 / 30.0)
    needed, given = slow[..., 6:9], slow[..., :3]
    assert np.linalg.norm(needed, axis=-1).max() > 0.03
    assert np.linalg.norm(needed - given, axis=-1).max() < 0.02


def test_a_push_is_what_is_needed_where_that_goes_on_steadily() -> None:
    dt, state = 1.0 / 60.0, np.zeros(PUSH)
    for k in range(1, 60):
        wrist = np.array([0.0, 0.0, min(0.01 * k * dt * 60.0 / 3.0, 0.1)])
        follow(state, wrist, np.zeros(3), dt)
    assert state[2] == pytest.approx(0.1, abs=1e-4)
    assert np.abs(state[3:6]).max() < 1e-2


def test_a_hand_keeps_to_its_way_out_and_forgets_it() -> None:
    push, wrist = np.zeros(PUSH), np.zeros(3)
    assert not carry_correction(push, wrist, 1.0 / 60.0, LIVE.forgets_per_s)
    push[6:9] = np.nan
    assert not carry_correction(push, wrist, 1.0 / 60.0, LIVE.forgets_per_s)
    assert np.array_equal(wrist, np.zeros(3))
    push[6:9] = 0.1, -0.04, 0.0
    assert carry_correction(push, wrist, 1.0 / 60.0, LIVE.forgets_per_s)
    assert np.allclose(wrist, np.array([0.1, -0.04, 0.0]) * np.exp(-8.0 / 60.0))
    # However a second is cut, as much of it is left.
    left = [np.exp(-8.0 * dt) ** (1.0 / dt) for dt in (1.0 / 30.0, 1.0 / 120.0)]
    assert left[0] == pytest.approx(left[1])


def test_needed_pushes_do_not_change_sides_from_frame_to_frame() -> None:
    """Deep in the body there is more than one way out."""
    found = pushed_through(1.0 / 60.0)[:, 0]
    needed, wanted = found[:, 6:9], found[:, 9:12]
    deep = np.linalg.norm(needed, axis=-1) > 0.03
    assert deep.sum() > 3
    steps = np.linalg.norm(np.diff(needed, axis=0), axis=-1)
    moved = np.linalg.norm(np.diff(wanted, axis=0), axis=-1)
    assert (steps[deep[1:]] < 3.0 * moved[deep[1:]] + 0.02).all()


def hand_of(middle: Floats, out: float) -> Floats:
    """A flat hand: wrist, four knuckles, ends of thumb and fingers, middle of the palm."""
    rows = np.linspace(-0.03, 0.03, 4)
    knuckles = [[0.045, row, 0.0] for row in rows]
    ends = [[0.03, -0.06, 0.0], *([0.13, row, 0.0] for row in rows)]
    points = np.array([[-0.045, 0.0, 0.0], *knuckles, *ends, [0.0, 0.0, 0.0]])
    return np.asarray(points * [out, 1.0, 1.0] + middle)


def apart(gap: float, soon: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Floats:
    """What two hands lack whose palms face each other across a gap; the left is in front."""
    hands = np.stack(
        [hand_of(np.array([0.0, 1.2, 0.3 + gap]), 1.0), hand_of(np.array([0.0, 1.2, 0.3]), 1.0)]
    )
    # Four spheres from the wrist to each knuckle, one at the end of thumb and fingers.
    steps = np.array([0.25, 0.5, 0.75, 1.0])[:, None]
    spheres = np.array(
        [
            [*(h[0] + step * (h[n] - h[0]) for n in range(1, 5) for step in steps), *h[5:10]]
            for h in hands
        ]
    )
    radii = np.array([PALM_M] * 16 + [FINGER_M] * 5)
    return np.array(hands_apart(spheres, radii, AIR_M, 0.0, soon))


@pytest.mark.parametrize("gap", [0.5, 0.05, 0.0221])
def test_hands_that_are_apart_or_touch_are_left_alone(gap: float) -> None:
    found = apart(gap)
    assert np.abs(found[:2]).max() == pytest.approx(0.0, abs=1e-9)
    assert found[2] == 0.0


@pytest.mark.parametrize("gap", [0.02, 0.01, -0.015])
def test_hands_in_each_other_are_taken_apart_to_where_they_touch(gap: float) -> None:
    found = apart(gap)
    assert found[2] == pytest.approx(np.sign(gap) * (0.022 - abs(gap)))
    # So are those that will be in each other in a moment.
    assert apart(gap + 0.05, (0.0, 0.0, -0.05)) == pytest.approx(found)


def clapping(frames: int) -> tuple[Floats, Floats]:
    """Forearms that swing towards each other in front of the belly and back, until fingers cross."""
    shown = np.tile(wild(1, 3, 0.0)[0], (frames, 1, 1))
    inward = np.radians(90.0 + 27.0 * np.sin(np.linspace(0.0, np.pi, frames)))
    for side, sign in (("left", -1.0), ("right", 1.0)):
        turn = quaternion.from_axis_angle([0.0, 1.0, 0.0], sign * inward)
        shown[:, RIG.joints((f"{side}LowerArm", f"{side}Hand"))] = turn[:, None]
    return shown, np.zeros((frames, 3))


def test_hands_meet_and_do_not_pass_through_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    shown, pelvis = clapping(120)
    pushes = np.full((1, 2, PUSH), np.nan)
    loose = clip(uncleared(monkeypatch, shown, pelvis))
    kept = clip(assembled(shown, pelvis, pushes=pushes, dt=1.0 / 60.0))
    deep, left = hand_overlap(loose, RIG), hand_overlap(kept, RIG)
    assert deep.max() > 0.012
    assert left.max() < min(0.01, 0.6 * deep.max())
    apart = deep == 0.0
    hands = [np.stack([c.joint_positions(f"{s}Hand") for s in SIDES], 1) for c in (loose, kept)]
    early = apart & (np.arange(len(deep)) < np.flatnonzero(~apart)[0])
    assert np.abs(hands[0] - hands[1])[early].max() < 0.003
    # Each goes half of the way, and without a jolt.
    pushed = hands[1] - hands[0]
    assert np.abs(pushed[:, 0] * [-1.0, 1.0, 1.0] - pushed[:, 1]).max() < 0.002
    assert np.linalg.norm(np.diff(hands[1], n=2, axis=0), axis=-1).max() * 60.0**2 < 90.0


def test_forearms_roll_and_hands_bend_no_faster_than_people_s() -> None:
    rng = np.random.default_rng(4)
    joints = np.array([0, 1, 2, 3])
    state, dt = np.full(5, np.nan), 1.0 / 60.0
    local = np.tile([1.0, 0.0, 0.0, 0.0], (4, 1))
    last = local.copy()
    for turn in range(60):
        # The forearm stays as bent as it is, and is wanted the other way round every second time.
        roll = (1.2 if turn % 2 else -1.2) + 0.1 * rng.normal()
        bend = quaternion.from_axis_angle([0.0, 1.0, 0.0], -0.9)
        local[2] = quaternion.multiply(bend, quaternion.from_axis_angle([1.0, 0.0, 0.0], roll))
        local[3] = quaternion.exp(rng.normal(size=3))
        wanted, world = local.copy(), local.copy()
        for j in (1, 2, 3):
            world[j] = quaternion.multiply(world[j - 1], local[j])
        roll_on(state, local, world, joints, dt)
        along = quaternion.rotate(local[2], [1.0, 0.0, 0.0])
        assert along == pytest.approx(quaternion.rotate(wanted[2], [1.0, 0.0, 0.0]), abs=1e-12)
        assert world[3] == pytest.approx(
            quaternion.multiply(quaternion.multiply(world[1], local[2]), local[3]), abs=1e-12
        )
        if turn:
            assert quaternion.angle_between(local[2:], last[2:]).max() <= 16.0 * dt + 1e-9
        else:
            assert np.array_equal(local, wanted)
        last = local.copy()
    # What is slow is left alone.
    for _ in range(20):
        local = wanted.copy()
        roll_on(state, local, world, joints, dt)
    assert np.array_equal(local, wanted)


def jolted(wrist: Floats, dt: float = 1.0 / 60.0) -> tuple[Floats, list[bool]]:
    """A path ``[frames, 3]`` as it is shown, and whether anything was done to it."""
    state, out, done = np.full((4, 3), np.nan), wrist.copy(), []
    for f in range(len(out)):
        done.append(bool(steady(state, out[f], dt, 90.0, 14.0)))
    return out, done


def test_a_path_that_nobody_would_call_a_jolt_is_as_it_was() -> None:
    t = np.arange(120) / 60.0
    path = np.stack([0.2 * np.sin(8.0 * t), 0.1 * np.cos(11.0 * t), 0.3 * t], axis=1)
    out, done = jolted(path)
    assert not any(done)
    assert np.array_equal(out, path)


def test_a_path_that_jumps_is_met_again() -> None:
    t = np.arange(180) / 60.0
    path = np.stack([0.3 * (t > 1.0), 0.05 * np.sin(4.0 * t), 0.0 * t], axis=1)
    out, done = jolted(path)
    assert any(done)
    hard = np.linalg.norm(np.diff(out, n=2, axis=0), axis=-1) * 3600.0
    assert hard.max() <= 90.0 + 1e-6
    assert np.abs(out[-1] - path[-1]).max() < 1e-3
    assert np.array_equal(out[:60], path[:60])


@pytest.mark.parametrize("amount", [1.0, 1.5])
def test_arms_do_not_jump_whatever_is_wanted_of_them(amount: float) -> None:
    """Poses change from frame to frame as no body can."""
    shown, pelvis = wild(4, 5, 0.6)
    shown = np.repeat(shown, 30, axis=0)
    paths, pushes = np.full((1, 2, *PATH), np.nan), np.full((1, 2, PUSH), np.nan)
    dt = 1.0 / 60.0
    more = {"pushes": pushes, "paths": paths, "dt": dt}
    out = assembled(shown, np.zeros((len(shown), 3)), amount=amount, **more)
    free = assembled(shown, np.zeros((len(shown), 3)), amount=amount)
    hands = [RIG.joint(f"{side}Hand") for side in SIDES]
    chest, shoulders = RIG.joint("upperChest"), [RIG.joint(f"{side}UpperArm") for side in SIDES]
    hard = []
    for posed in (out, free):
        made = clip(posed)
        away = made.world_positions[:, hands] - made.world_positions[:, shoulders]
        local = quaternion.rotate(quaternion.inverse(made.world_rotations[:, chest])[:, None], away)
        hard.append(np.linalg.norm(np.diff(local, n=2, axis=0), axis=-1).max() * 3600.0)
    # Limits of the shoulder may still be met with a jerk.
    assert hard[1] > 1500.0
    assert hard[0] < 0.2 * hard[1]


@settings(max_examples=30, deadline=None)
@given(seeds)
def test_no_elbow_bends_farther_than_elbows_do(seed: int) -> None:
    shown, pelvis = wild(6, seed, 1.5)
    made = clip(assembled(shown, pelvis))
    for side in SIDES:
        joints = [RIG.joint(f"{side}{bone}") for bone in ("UpperArm", "LowerArm", "Hand")]
        shoulder, elbow, wrist = (made.world_positions[:, j] for j in joints)
        upper, fore = elbow - shoulder, wrist - elbow
        cosine = np.sum(upper * fore, axis=1) / (
            np.linalg.norm(upper, axis=1) * np.linalg.norm(fore, axis=1)
        )
        assert np.degrees(np.arccos(cosine.clip(-1, 1))).max() < 151.0


def test_half_a_turn_is_enlarged_without_a_flip() -> None:
    for angle in (3.10, 3.14):
        way = (0.0, angle, 0.0)
        assert farther(way, 1.5) == pytest.approx(1.0, abs=0.02)
        assert farther(way, 0.5) == 0.5
    assert farther((0.1, 0.0, 0.0), 1.5) == pytest.approx(1.5, abs=0.001)


@settings(max_examples=8, deadline=None)
@given(seeds)
def test_the_batch_is_the_loop(seed: int) -> None:
    shown, pelvis = wild(6, seed)
    idle = np.random.default_rng(seed).normal(scale=0.05, size=(6, JOINTS, 3))
    together = assembled(shown, pelvis, idle=idle)
    for row in range(6):
        part = slice(row, row + 1)
        alone = assembled(shown[part], pelvis[part], idle=idle[part])
        for mine, theirs in zip(alone, together, strict=True):
            assert np.array_equal(mine, theirs[part])


@settings(max_examples=6, deadline=None)
@given(seeds, st.integers(1, 29))
def test_characters_and_chunks_do_not_matter(seed: int, cut: int) -> None:
    # Rows are the frames of one character after the other; pushes carry over from chunk to chunk.
    both = [moving(30, 1), moving(30, 2)]
    shown, pelvis = (np.concatenate([m[i] for m in both]) for i in range(2))
    away = quaternion.exp(np.random.default_rng(seed).normal(scale=0.3, size=(JOINTS, 3)))
    shown = quaternion.multiply(away, shown)
    pushes, paths = np.full((2, 2, PUSH), np.nan), np.full((2, 2, *PATH), np.nan)
    together = assembled(shown, pelvis, pushes=pushes, paths=paths, dt=1 / 30)
    for c in range(2):
        mine, path = np.full((1, 2, PUSH), np.nan), np.full((1, 2, *PATH), np.nan)
        for part in (slice(30 * c, 30 * c + cut), slice(30 * c + cut, 30 * c + 30)):
            alone = assembled(shown[part], pelvis[part], pushes=mine, paths=path, dt=1 / 30)
            for some, whole in zip(alone, together, strict=True):
                assert np.array_equal(some, whole[part])
        assert np.array_equal(mine[0], pushes[c])
        assert np.array_equal(path[0], paths[c])


@settings(max_examples=10, deadline=None)
@given(seeds, st.sampled_from([0.1, 0.4]))
def test_mirrored_streams_give_the_mirrored_pose(seed: int, size: float) -> None:
    shown, pelvis = wild(5, seed, size)
    flip = np.array([-1.0, 1.0, 1.0])
    posed = assembled(shown, pelvis)
    other = assembled(mirrored(shown), pelvis * flip)
    assert np.abs(other.root_positions - posed.root_positions * flip).max() < 1e-9
    apart = quaternion.angle_between(mirrored(other.rotations), posed.rotations)
    assert apart.max() < 1e-6


def test_local_and_world_rotations_agree() -> None:
    for shown, pelvis in (wild(50, 8), recorded(50, 8)):
        posed = assembled(shown, pelvis)
        assert np.abs(np.linalg.norm(posed.rotations, axis=-1) - 1.0).max() < 1e-12
        world, _ = forward_kinematics_plain(RIG.skeleton, posed.rotations, posed.root_positions)
        apart = quaternion.angle_between(world, posed.world)
        # World rotations are kept of what others look at: not of fingers and toes.
        seen = [j for j in range(JOINTS) if hand_of_joint()[j] < 0 and "Toes" not in NAMES[j]]
        assert apart[:, seen].max() < 1e-6


@pytest.mark.parametrize("absent", [HEAD, ARMS, LOWER])
def test_streams_that_are_absent_are_left_to_idle_life(absent: int) -> None:
    present = np.arange(3) != absent
    shown, pelvis = wild(10, 1, 0.2)
    idle = np.random.default_rng(1).normal(scale=0.03, size=(10, JOINTS, 3))
    idle[:, hand_of_joint() >= 0] = 0.0
    posed = assembled(shown, pelvis, present, idle=idle)
    # Whatever stands there does not matter,
    mine = stream_of_joint() == absent
    other = shown.copy()
    other[:, mine] = wild(10, 99, 1.0)[0][:, mine]
    again = assembled(other, pelvis, present, idle=idle)
    assert np.array_equal(posed.rotations, again.rotations)
    # and joints are at home, with idle life alone.
    trunk = RIG.joints(SPINE)
    moved = [j for j in np.flatnonzero(mine) if j not in ARM and j not in trunk]
    if not moved:
        return
    expected = quaternion.multiply(quaternion.exp(idle), home_rotations())[:, moved]
    assert quaternion.angle_between(posed.rotations[:, moved], expected).max() < 1e-6


def test_a_pelvis_that_no_stream_moves_stays() -> None:
    shown, pelvis = wild(10, 1, 0.2)
    present = np.array([True, True, False])
    still = assembled(shown, np.zeros_like(pelvis), present)
    moved = assembled(shown, pelvis, present)
    assert np.array_equal(still.root_positions, moved.root_positions)


def test_an_amount_of_nothing_is_home() -> None:
    shown, pelvis = wild(10, 4)
    home = assembled(shown, np.zeros_like(pelvis), np.zeros(3, dtype=np.bool_))
    none = assembled(shown, pelvis, amount=0.0)
    assert quaternion.angle_between(none.rotations, home.rotations).max() < 2e-4
    others = [j for j in range(JOINTS) if j not in LEGS]
    apart = quaternion.angle_between(none.rotations[:, others], home_rotations()[others])
    assert apart.max() < 0.02
    assert np.abs(none.root_positions - RIG.skeleton.offsets[0]).max() < 0.01


def test_wrists_can_be_given_another_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body_assembly, "clear", lambda *_: None)
    shown, pelvis = recorded(60, 9)
    seen: list[Floats] = []

    def moved(wrists: Floats) -> Floats:
        seen.append(wrists)
        return wrists * 0.9

    unshaped = Changes(shaped=lambda wrists: wrists)
    plain, same = assembled(shown, pelvis), assembled(shown, pelvis, changes=unshaped)
    assert quaternion.angle_between(plain.rotations, same.rotations).max() < 1e-3
    out = clip(assembled(shown, pelvis, changes=Changes(shaped=moved)))
    chest = out.world_rotations[:, RIG.joint("upperChest")]
    for k in range(2):
        _, upper, _, hand = arms().joints[k]
        reach = out.world_positions[:, hand] - out.world_positions[:, upper]
        found = quaternion.rotate(quaternion.inverse(chest), reach)
        assert np.median(np.linalg.norm(found - 0.9 * seen[0][:, k], axis=1)) < CROOKED_M


def test_no_rows_are_no_rows() -> None:
    posed = assembled(np.zeros((0, JOINTS, 4)), np.zeros((0, 3)))
    assert [part.shape for part in posed] == [(0, JOINTS, 4), (0, 3), (0, JOINTS, 4)]


def test_measures_of_the_figure() -> None:
    rest = RIG.skeleton.rest_world_positions
    for k, side in enumerate(SIDES):
        leg = rest[RIG.joints([f"{side}{p}" for p in ("UpperLeg", "LowerLeg", "Foot")])]
        arm = rest[RIG.joints([f"{side}{p}" for p in ("UpperArm", "LowerArm", "Hand")])]
        assert leg_table().lengths[k] == pytest.approx(np.linalg.norm(np.diff(leg, axis=0), axis=1))
        assert arms().lengths[k] == pytest.approx(np.linalg.norm(np.diff(arm, axis=0), axis=1))
