"""Hands on their way: out of the body, out of each other, and untouched where nothing is wrong."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kinesphere.animation.arms.clearance import clear_hands, contact_allowances
from kinesphere.animation.arms.hand_volume import hand_balls
from kinesphere.animation.posing import HandFrames, HeadTurns, pose_clip
from kinesphere.maths.arrays import Bools, Floats
from kinesphere.motion.body.arms import SIDES, Side
from kinesphere.motion.body.body_volume import hand_depth
from kinesphere.motion.clip import Clip
from tests.animation.reaching import FPS, MIRROR, RESTS, RIG, THROUGH, Scene, scene, standing, way


def depth(made: Scene, side: Side) -> Floats:
    return hand_depth(pose_clip(FPS, made[0], made[1], made[2]), RIG, side)


def gap(made: Scene) -> Floats:
    """Air between the hands, metres ``[f]``; below 0 they are in each other."""
    clip: Clip = pose_clip(FPS, *made)
    balls = {}
    for side in SIDES:
        joint = RIG.joint(f"{side}Hand")
        turns = RIG.turn(clip.world_rotations, joint)
        balls[side] = hand_balls(side, clip.world_positions[:, joint], turns, made[1][side].fingers)
    (a, ra), (b, rb) = balls["left"], balls["right"]
    air = np.linalg.norm(a[:, :, None] - b[:, None], axis=-1) - ra[:, None] - rb
    return np.asarray(air.reshape(len(a), -1).min(axis=1))


def clear(made: Scene, touching: Bools | None = None) -> Scene:
    body, hands, head = made
    flags = np.zeros(len(body.hips), dtype=bool) if touching is None else touching
    return body, clear_hands(FPS, body, hands, head, contact_allowances(flags)), head


@pytest.mark.parametrize("lean", [0.0, 0.25])
@pytest.mark.parametrize("where", THROUGH)
def test_a_hand_on_its_way_through_the_body_goes_round_it(where: str, lean: float) -> None:
    before = scene(way(*THROUGH[where]), lean=lean)
    assert depth(before, "left").max() > 0.005
    after = clear(before)
    assert depth(after, "left").max() <= 0.005
    assert depth(after, "right").max() <= 0.005


@pytest.mark.parametrize("where", THROUGH)
def test_what_is_far_from_the_body_in_time_stays_as_it_was(where: str) -> None:
    path = way(*THROUGH[where])
    long = np.concatenate([np.tile(path[0], (200, 1)), path, np.tile(path[-1], (200, 1))])
    before = scene(long)
    after = clear(before)
    off = np.linalg.norm(after[1]["left"].wrists - long, axis=1)
    assert off[:60].max() < 1e-6
    assert off[-60:].max() < 1e-6
    assert np.array_equal(after[1]["right"].wrists, before[1]["right"].wrists)
    for part in ("swivels", "angles", "fingers", "collars"):
        assert np.array_equal(getattr(after[1]["left"], part), getattr(before[1]["left"], part))


def test_a_hand_that_only_grazes_is_moved_only_a_little_and_does_not_jump() -> None:
    before = scene(way(*THROUGH["chest, grazed"]))
    after = clear(before)
    off = np.linalg.norm(after[1]["left"].wrists - before[1]["left"].wrists, axis=1)
    assert off.max() < 0.05
    speeds = [
        np.linalg.norm(np.diff(s[1]["left"].wrists, axis=0), axis=1).max() * FPS
        for s in (before, after)
    ]
    assert speeds[1] < 1.5 * speeds[0] + 0.1


@pytest.mark.parametrize(
    ("goal", "other"),
    [((-0.25, -0.2, 0.3), (-0.1, -0.2, 0.3)), ((-0.02, -0.2, 0.35), (-0.02, -0.2, 0.35))],
    ids=["through", "into"],
)
def test_hands_do_not_go_through_each_other(
    goal: tuple[float, ...], other: tuple[float, ...]
) -> None:
    path = way((0.3, -0.2, 0.3), goal)
    before = scene(path, np.tile(other, (len(path), 1)))
    assert gap(before).min() < -0.01
    after = clear(before)
    assert gap(after).min() > -0.005
    for side in SIDES:
        assert depth(after, side).max() <= 0.005


def test_both_hands_make_way() -> None:
    path = way((0.3, -0.2, 0.3), (-0.1, -0.2, 0.3))
    before = scene(path, np.tile([-0.1, -0.2, 0.3], (len(path), 1)))
    after = clear(before)
    for side in SIDES:
        assert np.abs(after[1][side].wrists - before[1][side].wrists).max() > 0.005


def test_where_nothing_is_wrong_nothing_is_moved() -> None:
    path = way((0.3, -0.3, 0.3), (0.15, 0.0, 0.35))
    before = scene(path, path * MIRROR)
    assert gap(before).min() > 0.03
    after = clear(before)
    for side in SIDES:
        assert np.array_equal(after[1][side].wrists, before[1][side].wrists)


def test_hands_that_may_touch_are_let_come_closer() -> None:
    path = way((0.3, -0.2, 0.3), (0.05, -0.2, 0.3))
    before = scene(path, path * MIRROR)
    apart = gap(clear(before)).min()
    closer = gap(clear(before, np.ones(len(path), dtype=bool))).min()
    assert -0.006 < closer <= apart


@pytest.mark.parametrize("name", ["at-side", "half-rest", "clasped"])
def test_rest_poses_are_clear_as_they_are(name: str) -> None:
    n = 30
    rest = RESTS[name]
    zero = np.zeros((n, 3))
    hands = {
        side: HandFrames(
            np.tile(rest[side].wrist, (n, 1)),
            np.full(n, rest[side].swivel),
            np.tile(rest[side].angles, (n, 1)),
            np.tile(rest[side].fingers, (n, 1)),
            np.tile(rest[side].collar, (n, 1)),
        )
        for side in SIDES
    }
    body = standing(zero, zero)
    allowed = contact_allowances(np.full(n, name == "clasped"))
    made = clear_hands(FPS, body, hands, HeadTurns(zero, zero, zero), allowed)
    for side in SIDES:
        assert np.abs(made[side].wrists - hands[side].wrists).max() < 0.012


def test_mirrored_hands_are_cleared_alike() -> None:
    path = way(*THROUGH["belly from the side"])
    far = np.tile(RESTS["at-side"]["left"].wrist, (len(path), 1))
    left = clear(scene(path))[1]["left"].wrists
    right = clear(scene(far, path * MIRROR))[1]["right"].wrists
    assert np.allclose(left * MIRROR, right, atol=5e-3)


def test_nothing_given_is_changed() -> None:
    before = scene(way(*THROUGH["face"]))
    copy = {side: replace(h, wrists=h.wrists.copy()) for side, h in before[1].items()}
    clear(before)
    for side in SIDES:
        assert np.array_equal(before[1][side].wrists, copy[side].wrists)
