"""Clearance of hands as one loop: chunks, look-ahead, mirror symmetry, plain references."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesphere.animation.arms.clearance import clear_hands, contact_allowances
from kinesphere.animation.arms.hand_volume import hand_balls
from kinesphere.animation.arms.poses.arm_pose import shoulders_of
from kinesphere.animation.posing import pose_clip
from kinesphere.errors import InvalidValueError
from kinesphere.figure.arms.corrections import smooth_corrections
from kinesphere.figure.arms.hand_contact_kernels import hands_apart, palms_apart, way_out
from kinesphere.figure.arms.hand_spheres import HandSpheres, coarse_spheres, mesh_spheres
from kinesphere.figure.clearance import (
    LIVE,
    TAKE,
    Allowances,
    ClearanceSettings,
    Posed,
    clear,
    clear_take,
    clearance_state,
    live_allowances,
)
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import SIDES
from kinesphere.motion.body.body_volume import CORE, body_volume, distance, hand_points
from kinesphere.motion.clip import Clip
from tests.animation.reaching import FPS, MIRROR, RIG, THROUGH, Scene, scene, way

seeds = st.integers(0, 2**32 - 1)
WAYS = {
    **{name: (path, None) for name, path in THROUGH.items()},
    "hands": (((0.3, -0.2, 0.3), (-0.1, -0.2, 0.3)), (-0.1, -0.2, 0.3)),
}


def reach(where: str, frames: int = 90) -> Scene:
    """A hand on its way through the body, or through the other hand."""
    (start, end), other = WAYS[where]
    path = way(start, end, frames)
    return scene(path, None if other is None else np.tile(other, (frames, 1)))


class Take:
    """A scene as the loop sees it; the arms are from the shoulders."""

    def __init__(self, made: Scene) -> None:
        self.made = made
        hands = made[1]
        self.shoulders = np.stack([shoulders_of(s, hands[s].collars) for s in SIDES], axis=1)
        self.wrists = np.stack([hands[s].wrists for s in SIDES], axis=1) - self.shoulders
        self.swivels = np.stack([hands[s].swivels for s in SIDES], axis=1)

    def clip(self, rows: slice, wrists: Floats) -> Clip:
        body, hands, head = self.made
        placed = self.wrists + self.shoulders
        placed[rows] = wrists + self.shoulders[rows]
        some = {s: replace(hands[s], wrists=placed[:, h]) for h, s in enumerate(SIDES)}
        return pose_clip(FPS, body, some, head, rows=rows)

    def pose(self, rows: slice, wrists: Floats) -> Posed:
        clip = self.clip(rows, wrists)
        return Posed(clip.rotations.copy(), clip.root_positions, clip.world_rotations.copy())

    def cleared(
        self, how: ClearanceSettings, allowed: Allowances | None = None, block: int = 3600
    ) -> Floats:
        kept = self.allowances(how) if allowed is None else allowed
        return clear_take(self.pose, self.wrists, self.swivels, FPS, kept, how, block)

    def allowances(self, how: ClearanceSettings) -> Allowances:
        frames = len(self.wrists)
        live = how.follows
        return live_allowances(frames) if live else contact_allowances(np.zeros(frames, bool))


@pytest.mark.parametrize("how", [TAKE, LIVE], ids=["take", "live"])
@pytest.mark.parametrize("where", ["belly from the side", "hands"])
def test_any_division_into_blocks_gives_the_same_take(where: str, how: ClearanceSettings) -> None:
    take = Take(reach(where))
    whole = take.cleared(how)
    assert np.abs(whole - take.wrists).max() > 0.01
    for block in (1, 7, 40, len(whole)):
        assert np.array_equal(take.cleared(how, block=block), whole)


@pytest.mark.parametrize("where", WAYS)
def test_a_take_without_look_ahead_is_live(where: str) -> None:
    take = Take(reach(where))
    state, live = clearance_state(1), take.wrists.copy()
    for f in range(len(live)):
        rows = slice(f, f + 1)
        clear(take.pose(rows, live[rows]), live[rows], take.swivels[rows], state, 1.0 / FPS)
    assert np.abs(live - take.wrists).max() > 0.005
    assert take.cleared(LIVE) == pytest.approx(live, abs=1e-15)


def predicted(wrists: Floats, fps: float) -> Floats:
    """Displacement over 0.08 s at the present velocity, of at most 1.5 m/s."""
    out = np.zeros_like(wrists)
    steps = np.diff(wrists, axis=0)
    speed = np.linalg.norm(steps, axis=-1, keepdims=True) * fps
    out[1:] = 0.08 * fps * steps * np.minimum(1.0, 1.5 / np.maximum(speed, 1e-12))
    return out


@pytest.mark.parametrize("where", ["chest from the front", "hands"])
def test_what_is_known_ahead_takes_the_place_of_the_prediction(where: str) -> None:
    take = Take(reach(where, 60))
    live = take.cleared(LIVE)
    frames = len(live)
    known = live_allowances(frames)._replace(ahead=predicted(take.wrists, FPS))
    assert take.cleared(LIVE, known) == pytest.approx(live, abs=1e-9)
    # A hand that is known to stay does not give way to what it will not do.
    still = live_allowances(frames)._replace(ahead=np.zeros((frames, 2, 3)))
    assert np.abs(take.cleared(LIVE, still) - live).max() > 1e-3


@pytest.mark.parametrize("where", WAYS)
def test_mirrored_takes_are_cleared_as_mirror_images(where: str) -> None:
    made = reach(where)
    frames = len(made[0].hips)
    left, right = (made[1][side].wrists for side in SIDES)
    other = scene(right * MIRROR, left * MIRROR)
    allowed = contact_allowances(np.zeros(frames, dtype=bool))
    one = clear_hands(FPS, *made, allowed)
    two = clear_hands(FPS, *other, allowed)
    assert np.abs(one["left"].wrists * MIRROR - two["right"].wrists).max() < 1e-9
    assert np.abs(one["right"].wrists * MIRROR - two["left"].wrists).max() < 1e-9


def test_each_hand_keeps_its_own_distance_in_its_own_frames() -> None:
    take = Take(reach("chest from the front"))
    wide, near = (take.allowances(TAKE) for _ in range(2))
    near.skin[:, 0] = 0.004
    other = take.allowances(TAKE)
    other.skin[:, 1] = 0.004
    found = {name: take.cleared(TAKE, kept) for name, kept in (("wide", wide), ("near", near))}

    def least(wrists: Floats) -> float:
        clip = take.clip(slice(0, len(wrists)), wrists)
        points = hand_points(clip, RIG, "left")
        volume = body_volume(RIG)
        return float(
            distance(volume, clip.world_rotations, clip.world_positions, points, CORE)[0].min()
        )

    assert 0.002 < least(found["near"]) < 0.010 < least(found["wide"])
    # The other hand's allowance is none of this hand's.
    assert np.array_equal(take.cleared(TAKE, other), found["wide"])


def test_a_correction_begins_before_it_is_needed_and_is_no_smaller() -> None:
    push = np.zeros((200, 3))
    push[100:110, 2] = 0.05
    push[104, 2] = 0.08
    smooth = smooth_corrections(push, FPS)
    size = np.linalg.norm(smooth, axis=1)
    assert (size >= np.linalg.norm(push, axis=1) - 1e-12).all()
    assert 0.01 < size[95] < size[99]
    assert np.abs(np.diff(smooth, n=2, axis=0)).max() * FPS**2 < 5.0
    assert size[:15].max() < 1e-6
    assert np.allclose(smooth[:, :2], 0.0)


# Plain references of the compiled loops.


@given(seeds, st.sampled_from([0.012, -0.005, -0.02]), st.sampled_from([0.0, 0.002]))
def test_hands_are_separated_as_by_the_plain_loop(seed: int, air: float, slack: float) -> None:
    rng = np.random.default_rng(seed)
    spheres = rng.normal(scale=0.02, size=(2, 12, 3))
    radii, soon = rng.uniform(0.005, 0.02, size=12), rng.normal(scale=0.02, size=3)
    if seed % 2:
        soon[:] = 0.0
    best, expected = slack, np.zeros(3)
    for i in range(12):
        for j in range(12):
            for later in (0.0, 1.0):
                apart = spheres[0, i] - spheres[1, j] + later * soon
                gap = float(np.linalg.norm(apart))
                lack = radii[i] + radii[j] + air - gap
                if lack > best:
                    best, expected = lack, (lack + slack) * apart / gap
    found = hands_apart(spheres, radii, air, slack, tuple(soon))
    assert np.array(found) == pytest.approx(expected, abs=1e-12)


@given(seeds)
def test_palms_part_along_their_line_and_to_their_sides(seed: int) -> None:
    rng = np.random.default_rng(seed)
    apart, left, right = rng.normal(scale=0.02, size=(3, 3))
    axes = quaternion.exp(rng.normal(size=3))
    way = (left - right) / np.linalg.norm(left - right)
    way = way + quaternion.rotate(axes, [0.3, 0.0, 0.0])
    expected = 1.4 * np.linalg.norm(apart) * way / np.linalg.norm(way)
    found = palms_apart(tuple(apart), left, right, tuple(axes), 1.4, 0.3)
    assert np.array(found) == pytest.approx(expected, abs=1e-12)
    assert palms_apart((0.0, 0.0, 0.0), left, right, tuple(axes), 1.4, 0.3) == (0.0, 0.0, 0.0)


@given(seeds, st.floats(-0.2, 0.2))
def test_the_way_out_leads_as_far_as_is_lacking(seed: int, shown: float) -> None:
    normal = np.random.default_rng(seed).normal(size=3)
    normal /= np.linalg.norm(normal)
    assert np.array(way_out(tuple(normal), 0.02, shown, 0.0)) == pytest.approx(0.02 * normal)
    front = 1.0 if shown > -0.05 else -1.0
    way = np.array([*normal[:2], front * (max(front * normal[2], 0.0) + 0.5)])
    way /= np.linalg.norm(way)
    expected = 0.02 / max(float(normal @ way), 0.35) * way
    assert np.array(way_out(tuple(normal), 0.02, shown, 0.5)) == pytest.approx(expected)


def placed(table: HandSpheres, clip: Clip, h: int) -> Floats:
    """Centres ``[f, n, 3]`` of a hand's spheres."""
    turns = clip.world_rotations[:, table.joints[h]]
    return clip.world_positions[:, table.joints[h]] + quaternion.rotate(turns, table.offsets[h])


def test_spheres_of_the_mesh_are_those_of_the_poses() -> None:
    take = Take(reach("face", 20))
    clip = take.clip(slice(0, 20), take.wrists)
    for h, side in enumerate(SIDES):
        joint = RIG.joint(f"{side}Hand")
        turns = RIG.turn(clip.world_rotations, joint)
        fingers = take.made[1][side].fingers
        centres, radii = hand_balls(side, clip.world_positions[:, joint], turns, fingers)
        assert placed(mesh_spheres(), clip, h) == pytest.approx(centres, abs=1e-9)
        assert np.array_equal(mesh_spheres().radii, radii)
        # The few spheres of live motion are where the many are.
        few = placed(coarse_spheres(), clip, h)
        apart = np.linalg.norm(few[:, :, None] - centres[:, None], axis=-1).min(axis=2)
        assert apart.max() < 0.02


def plain_clear(take: Take, f: int, allowed: Allowances, how: ClearanceSettings) -> Floats:
    """Wrists ``[2, 3]`` of one frame that has none before it, by the book."""
    rows, wrists = slice(f, f + 1), take.wrists[f : f + 1].copy()
    volume, chest = body_volume(RIG), RIG.joint("upperChest")
    for _ in range(how.rounds):
        clip = take.clip(rows, wrists)
        back = quaternion.inverse(clip.world_rotations[0, chest])
        points = [hand_points(clip, RIG, side) for side in SIDES]
        apart = np.zeros(3)
        if np.linalg.norm(points[0][0, 1] - points[1][0, 1]) <= 0.3:
            centres = np.stack([placed(mesh_spheres(), clip, h)[0] for h in range(2)])
            found = hands_apart(
                centres, mesh_spheres().radii, allowed.air[f], how.margin_m, (0.0, 0.0, 0.0)
            )
            between = points[0][0, 1] - points[1][0, 1]
            way = between / np.linalg.norm(between)
            way = way + quaternion.rotate(clip.world_rotations[0, chest], [how.aside, 0.0, 0.0])
            apart = how.palms * np.linalg.norm(found) * way / np.linalg.norm(way)
        pushed = False
        for h in range(2):
            away, _, normals = distance(
                volume, clip.world_rotations, clip.world_positions, points[h], CORE
            )
            deepest = int(np.argmin(away[0]))
            lack = float(allowed.skin[f, h] - away[0, deepest])
            push = (0.5 - h) * apart
            if lack > how.slack_m:
                push = push + (lack + how.margin_m) * normals[0, deepest]
            wrists[0, h] += quaternion.rotate(back, push)
            pushed = pushed or bool(push.any())
        if not pushed:
            break
    return np.asarray(wrists[0])


@pytest.mark.parametrize("where", WAYS)
def test_a_frame_is_cleared_as_by_the_plain_loop(where: str) -> None:
    take = Take(reach(where, 40))
    allowed = take.allowances(TAKE)
    moved = 0
    for f in range(8, 32, 4):
        rows, wrists = slice(f, f + 1), take.wrists[f : f + 1].copy()
        posed = take.pose(rows, wrists)
        some = allowed.rows(rows)
        clear(posed, wrists, take.swivels[rows], clearance_state(1), 1.0 / FPS, TAKE, some)
        expected = plain_clear(take, f, allowed, TAKE)
        assert wrists[0] == pytest.approx(expected, abs=1e-7)
        # The posed arm is that of the wrist: the hand follows its forearm.
        again = take.clip(rows, wrists)
        assert quaternion.angle_between(posed.rotations, again.rotations).max() < 1e-6
        moved += bool(np.abs(wrists - take.wrists[rows]).max() > 0.002)
    assert moved >= 2


@settings(max_examples=10, deadline=None)
@given(seeds)
def test_hands_that_are_free_are_left_to_the_bit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    path = np.array([0.35, -0.1, 0.35]) + rng.uniform(-0.04, 0.04, size=(6, 3))
    take = Take(scene(path, path * MIRROR))
    assert np.array_equal(take.cleared(TAKE), take.wrists)


def test_frames_must_agree() -> None:
    take = Take(reach("face", 10))
    with pytest.raises(InvalidValueError, match="10, 10, 9, 9, 9 frames"):
        take.cleared(TAKE, live_allowances(9))
    with pytest.raises(InvalidValueError, match="block has 0 frames"):
        take.cleared(TAKE, block=0)


def blocks_posed(run: Callable[[Callable[[slice, Floats], Posed]], object], take: Take) -> int:
    """The most frames that were posed at once."""
    sizes: list[int] = []

    def pose(rows: slice, wrists: Floats) -> Posed:
        sizes.append(rows.stop - rows.start)
        return take.pose(rows, wrists)

    run(pose)
    return max(sizes)


def test_a_long_take_is_never_posed_whole() -> None:
    take = Take(reach("hip", 200))
    allowed = take.allowances(TAKE)
    most = blocks_posed(
        lambda pose: clear_take(pose, take.wrists, take.swivels, FPS, allowed, TAKE, 32), take
    )
    assert most == 32
