"""Eyes: a plain reference, the same however they are stepped, gaze that stays, people's looks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesphere.character.default import default_rig
from kinesphere.character.joint_limits import limit_excess
from kinesphere.errors import InvalidValueError
from kinesphere.figure.head import eyes
from kinesphere.figure.head.blinks import BlinkSettings
from kinesphere.figure.head.eyes import EyeFrames, EyeSettings
from kinesphere.figure.head.gaze import PAPER_GAZE, GazeSettings, direction
from kinesphere.figure.head.gaze_cues import (
    GLANCE,
    LIDS_OPEN,
    LISTENER,
    PAUSE,
    RAISE,
    STAY,
    SYLLABLE,
    cue_rows,
    no_cues,
)
from kinesphere.maths import quaternion as quat
from kinesphere.maths.arrays import Floats
from kinesphere.motion.clip import rest_clip
from tests.figure.plain_eyes import Cue, plain_eyes

FPS = 60.0
MINUTE = np.arange(0.0, 60.0, 1.0 / FPS)
USUAL = EyeSettings()
VERGENCE = np.arctan(0.031 / 1.5)
AHEAD = np.array([0.0, 0.0, 1.0])


def table(cues: Sequence[Cue], character: int = 0) -> Floats:
    return cue_rows(list(cues), character)


def talk(seconds: float, rng: np.random.Generator) -> list[Cue]:
    """Everything that may happen in a take."""
    found: list[Cue] = []
    at_s = 0.5
    while at_s < seconds:
        for _ in range(int(rng.integers(4, 20))):
            found.append((at_s, SYLLABLE, 0.0, 0.0, 0.0))
            if rng.random() < 0.15:
                found.append((at_s, RAISE, 0.5, 0.0, 0.0))
                found.append((at_s - 0.3, LIDS_OPEN, at_s + 0.03, 0.0, 0.0))
            at_s += 0.2
        found.append((at_s, PAUSE, 0.0, 0.0, 0.0))
        if rng.random() < 0.3:
            found.append((at_s + 0.1, STAY, at_s + 1.5, 0.0, 0.0))
        if rng.random() < 0.3:
            yaw = float(rng.uniform(-0.7, 0.7))
            found.append((at_s + 0.2, LISTENER, 0.0, yaw, 0.05))
        if rng.random() < 0.3:
            found.append((at_s + 0.9, GLANCE, at_s + 1.6, float(rng.uniform(-0.5, 0.5)), 0.3))
        at_s += float(rng.uniform(0.3, 1.1))
    return sorted(found, key=lambda cue: cue[:2])


def parts(frames: EyeFrames) -> Floats:
    both = [frames.gaze, frames.homes, frames.lids[..., None], frames.brows[..., None]]
    return np.concatenate(both, axis=-1)


numbers = st.floats(-1.0, 1.0)
gaps = st.floats(0.01, 1.5)
kinds = st.sampled_from([PAUSE, SYLLABLE, RAISE, LISTENER, GLANCE, STAY, LIDS_OPEN])
cue_lists = st.lists(st.tuples(gaps, kinds, st.floats(0.0, 1.0), numbers, numbers), max_size=25)


@given(st.integers(-(2**63), 2**63 - 1), cue_lists, st.sampled_from([1.0, -1.0]))
@settings(max_examples=60, deadline=None)
def test_eyes_are_those_of_the_plain_rule(seed: int, rows: list[Cue], side: float) -> None:
    times = np.cumsum([row[0] for row in rows])
    cues: list[Cue] = []
    for at_s, (_, kind, value, yaw, pitch) in zip(times, rows, strict=True):
        until = at_s + value if kind in (GLANCE, STAY, LIDS_OPEN) else value
        cues.append((float(at_s), kind, float(until), yaw, pitch))
    s = USUAL.mirrored(side)
    found, looks = eyes.watch(MINUTE[:600], table(cues), seed, s)
    np.testing.assert_allclose(parts(found)[0], plain_eyes(MINUTE[:600], cues, seed, s), atol=1e-9)
    assert np.all(np.diff(looks.times) >= 0.0)


@pytest.mark.parametrize("cut", [1, 7, 100])
def test_chunks_and_characters_change_nothing(cut: int, rng: np.random.Generator) -> None:
    """Bit for bit: all cues known before, or each just before the frame that it reaches."""
    seeds, times = [3, -8, 3], MINUTE[:900]
    told = [table(talk(15.0, rng), character) for character in range(3)]
    everything = np.concatenate(told)
    _, whole = eyes.step(eyes.add_cues(eyes.start(seeds), everything), times)
    state, found, begun_s = eyes.start(seeds), [], -np.inf
    for at in range(0, len(times), cut):
        end_s = float(times[min(at + cut, len(times)) - 1])
        fresh = everything[(everything[:, 1] > begun_s) & (everything[:, 1] <= end_s)]
        before = state.memory.copy()
        after, part = eyes.step(eyes.add_cues(state, fresh), times[at : at + cut])
        assert np.array_equal(state.memory, before)
        assert not after.memory.flags.writeable
        state, begun_s = after, end_s
        found.append(parts(part))
    assert np.array_equal(np.concatenate(found, axis=1), parts(whole))
    assert len(state.cues) == 0
    for character, seed in enumerate(seeds):
        own = told[character].copy()
        own[:, 0] = 0.0
        alone, _ = eyes.watch(times, own, seed)
        assert np.array_equal(parts(alone)[0], parts(whole)[character])


def test_the_rate_of_frames_and_the_stretch_change_nothing(rng: np.random.Generator) -> None:
    """Though at two frames a second there are looks and cues between frames."""
    cues = table(talk(60.0, rng))
    often, looks = eyes.watch(MINUTE, cues, 5)
    seldom, same = eyes.watch(MINUTE[::30], cues, 5)
    assert np.array_equal(parts(often)[:, ::30], parts(seldom))
    assert np.array_equal(looks.goals[: len(same.goals)], same.goals)
    part, _ = eyes.watch(MINUTE[1234:1500], cues, 5)
    assert np.array_equal(parts(often)[:, 1234:1500], parts(part))


def test_a_later_sentence_leaves_earlier_gaze_and_blinks_alone(rng: np.random.Generator) -> None:
    cues = talk(60.0, rng)
    end = next(i for i, cue in enumerate(cues) if cue[1] == PAUSE and cue[0] > 30.0)
    other = [*cues[:end], *((c[0] + 0.37, *c[1:]) for c in cues[end:])]
    one, two = (parts(eyes.watch(MINUTE, table(c), 2)[0])[0] for c in (cues, other))
    early = cues[end][0] > MINUTE
    assert np.array_equal(one[early], two[early])
    assert not np.array_equal(one, two)


def test_an_earlier_sentence_leaves_later_gaze_alone() -> None:
    """Its looks have other numbers; those of the next phrase begin anew."""
    phrases = [(2.0 + 4.0 * k, 4.5 + 4.0 * k) for k in range(12)]

    def spoken(first: float) -> list[Cue]:
        rows: list[Cue] = []
        for a, b in phrases:
            rows += [(a, SYLLABLE, 0.0, 0.0, 0.0), (b - 0.7, STAY, b + 1.4, 0.0, 0.0)]
            rows.append((b, PAUSE, 0.0, 0.0, 0.0))
        return [*rows, (first, GLANCE, first + 0.6, 0.3, 0.3)]

    one, two = (eyes.watch(MINUTE, table(spoken(at)), 4)[0].gaze[0] for at in (7.0, 7.5))
    later = phrases[2][0] + 0.5 < MINUTE
    assert np.array_equal(one[later], two[later])
    assert not np.array_equal(one, two)


def swinging(characters: int, frames: int, degrees: float, fps: float = FPS) -> Floats:
    """Heads that turn, nod and tilt."""
    t = np.arange(frames)[:, None] / fps + np.arange(characters)[:, None, None]
    hz, phase = np.array([0.9, 0.6, 0.4]), np.array([0.0, 1.0, 2.0])
    return quat.exp(np.radians(degrees) * np.sin(2.0 * np.pi * hz * t + phase))


def seen(heads: Floats, turned: Floats) -> Floats:
    """Directions in the world ``[..., 3]`` between the two eyes."""
    return quat.rotate(quat.multiply(heads, quat.exp(quat.log(turned).mean(axis=-2))), AHEAD)


def test_the_gaze_stays_whatever_the_head_does() -> None:
    """Exactly, as long as the eyes need no more than four fifths of their range."""
    s = GazeSettings(away_deg=(5.0, 8.0))
    _, frames = eyes.step(eyes.start([1, 2, 3], EyeSettings(gaze=s)), MINUTE[:900])
    heads = swinging(3, 900, 8.0)
    turned = eyes.turn_eyes(frames.gaze, heads, s)
    wanted = direction(frames.gaze[..., 0], frames.gaze[..., 1])
    np.testing.assert_allclose(seen(heads, turned), wanted, atol=1e-9)
    apart = quat.log(turned)[:, :, 1] - quat.log(turned)[:, :, 0]
    assert apart[..., 1] == pytest.approx(np.full((3, 900), 2.0 * VERGENCE), abs=1e-9)


@given(st.floats(-3.1, 3.1), st.floats(-1.5, 1.5))
def test_eyes_turn_to_what_they_reach_and_not_past_their_range(yaw: float, pitch: float) -> None:
    s = PAPER_GAZE
    turned = eyes.turn_eyes(np.array([[[yaw, pitch]]]), quat.identity()[None, None], s)
    left = quat.log(turned)[0, 0, 0]
    low, high = s.eye_room
    room = np.where(left[[1, 0]] < 0.0, -low, high)
    far = np.hypot(*(left[[1, 0]] / room))
    assert far <= 1.0 + 1e-9
    assert abs(left[2]) < 1e-12
    if far < 0.9:
        assert seen(quat.identity(), turned[0, 0]) == pytest.approx(direction(yaw, pitch), abs=1e-9)


@pytest.mark.parametrize("degrees", [20.0, 60.0, 170.0])
def test_eyes_stay_within_joint_limits(degrees: float) -> None:
    """Also where the listener is out of sight."""
    _, frames = eyes.step(eyes.start([1]), MINUTE)
    turned = eyes.turn_eyes(frames.gaze, swinging(1, 3600, degrees), USUAL.gaze)[0]
    rig = default_rig()
    clip = rest_clip(rig.skeleton, 3600, 60.0)
    rotations = clip.rotations.copy()
    rotations[:, rig.joints(("leftEye", "rightEye"))] = turned
    moved = type(clip)(clip.skeleton, 60.0, clip.root_positions, rotations)
    assert max(float(e.max()) for e in limit_excess(moved, rig).values()) < 1e-9


def plain_homing(home: Floats, world: Floats, s: GazeSettings) -> Floats:
    """Direction of a head ``[3]`` brought nearer to its home, for a chest that is straight."""
    x, y, z = quat.rotate(world, AHEAD)
    off = np.array([np.arctan2(x, z), -np.arcsin(y)]) - home
    far = float(np.hypot(*(off / np.radians([s.head_side_deg, s.head_nod_deg]))))
    free = s.head_free
    kept = far if far <= free else free + (1.0 - free) * np.tanh((far - free) / (1.0 - free))
    goal = home + off * kept / max(far, 1e-9)
    return direction(goal[0], goal[1])


def test_heads_come_nearer_to_their_home() -> None:
    s, rng = USUAL.gaze, np.random.default_rng(3)
    heads = quat.exp(np.radians(rng.uniform([-20, -35, -10], [20, 35, 10], (200, 3))))
    homes = np.radians(rng.uniform(-8.0, 8.0, (1, 200, 2)))
    necks = quat.exp(0.4 * quat.log(heads))
    world = np.stack([np.tile(quat.identity(), (200, 1)), necks, heads], axis=1)[None].copy()
    local = np.stack([world[0, :, 0], necks, quat.multiply(quat.inverse(necks), heads)], axis=1)
    rotations = local[None].copy()
    eyes.home_heads(homes, (0, 1, 2), rotations, world, s)
    made = quat.multiply(rotations[0, :, 1], rotations[0, :, 2])
    np.testing.assert_allclose(quat.rotate(made, AHEAD), quat.rotate(world[0, :, 2], AHEAD))
    wanted = [plain_homing(homes[0, k], heads[k], s) for k in range(200)]
    np.testing.assert_allclose(quat.rotate(made, AHEAD), wanted, atol=1e-9)
    x, _, z = (quat.rotate(made, AHEAD) - 0.0).T
    off = np.degrees(np.arctan2(x, z) - homes[0, :, 0])
    assert np.abs(off).max() <= s.head_side_deg + 1e-6
    near = np.degrees(quat.angle(heads)) < 1.0
    assert np.allclose(rotations[0, near], local[near], atol=0.1)


def test_a_chest_that_faces_away_keeps_its_head() -> None:
    turned = quat.exp(np.array([0.0, np.pi, 0.0]))
    world = np.tile(turned, (1, 1, 3, 1))
    rotations = np.stack([turned, quat.identity(), quat.identity()])[None, None].copy()
    before = rotations.copy()
    eyes.home_heads(np.zeros((1, 1, 2)), (0, 1, 2), rotations, world, USUAL.gaze)
    np.testing.assert_allclose(rotations, before, atol=1e-9)


def shares(frames: EyeFrames) -> Floats:
    """Ratio of time on the listener of each character."""
    return np.asarray((np.hypot(*np.moveaxis(frames.gaze, -1, 0)) < np.radians(8.0)).mean(axis=1))


def test_speakers_look_away_more_than_listeners(rng: np.random.Generator) -> None:
    times = np.arange(120 * 60) / FPS
    _, listening = eyes.step(eyes.start(range(20)), times)
    rows = [table([c for c in talk(120.0, rng) if c[1] in (PAUSE, SYLLABLE)], k) for k in range(20)]
    speaking = eyes.add_cues(eyes.start(range(20)), np.concatenate(rows))
    _, spoken = eyes.step(speaking, times)
    assert shares(listening).mean() == pytest.approx(0.73, abs=0.04)
    assert shares(spoken).mean() == pytest.approx(0.63, abs=0.05)
    assert shares(spoken).std() < 0.06


def test_phrases_and_pauses_begin_with_looks_away() -> None:
    """Of many characters, about as many as the settings say, and only then."""
    usual = GazeSettings(listening_ratio=1.0, speaking_ratio=1.0, phrase_ratio=0.0, pause_ratio=0.5)
    times = np.arange(240) / FPS
    for s, cue_s, ratio in (
        (usual, 2.3, 0.5),
        (replace(usual, phrase_ratio=0.7, pause_ratio=0.0), 1.5, 0.7),
    ):
        rows = [
            table([(1.5, SYLLABLE, 0.0, 0.0, 0.0), (2.3, PAUSE, 0.0, 0.0, 0.0)], k)
            for k in range(300)
        ]
        state = eyes.add_cues(eyes.start(range(300), EyeSettings(gaze=s)), np.concatenate(rows))
        _, frames = eyes.step(state, times)
        away = np.degrees(np.hypot(*np.moveaxis(frames.gaze, -1, 0))) > 8.0
        assert not away[:, : int(cue_s * FPS) + 1].any()
        assert away.any(axis=1).mean() == pytest.approx(ratio, abs=0.12)


def test_glances_go_there_and_back_to_where_the_listener_is_by_then() -> None:
    cues: list[Cue] = [
        (1.0, LISTENER, 0.0, 0.3, 0.0),
        (2.0, GLANCE, 3.0, 0.5, 0.4),
        (2.4, LISTENER, 0.0, -0.2, 0.05),
        (2.7, GLANCE, 3.5, 0.1, 0.3),
    ]
    times = np.array([0.5, 1.5, 2.2, 2.6, 2.9, 3.4, 3.9])
    frames, _ = eyes.watch(times, table(cues), 0, EyeSettings(gaze=PAPER_GAZE))
    expected = [[0, 0], [0.3, 0], [0.5, 0.4], [0.5, 0.4], [0.1, 0.3], [0.1, 0.3], [-0.2, 0.05]]
    np.testing.assert_allclose(frames.gaze[0], expected, atol=1e-9)


def test_gaze_stays_on_the_listener_where_it_must(rng: np.random.Generator) -> None:
    """From as long after the cue as the shortest look away lasts."""
    spans = [(t, t + 1.5) for t in np.arange(3.0, 57.0, 5.0)]
    for seed in range(10):
        told = [c for c in talk(60.0, rng) if c[1] in (PAUSE, SYLLABLE)]
        told += [(a, STAY, b, 0.0, 0.0) for a, b in spans]
        frames, _ = eyes.watch(MINUTE, table(told), seed)
        off = np.degrees(np.hypot(*frames.gaze[0].T))
        for a, b in spans:
            inside = (a + 0.35 + 0.06 < MINUTE) & (b - 0.01 > MINUTE)
            assert off[inside].max() < 5.0


def test_saccades_are_short_and_looks_last_as_those_of_people() -> None:
    fine = 1000.0
    _, frames = eyes.step(eyes.start(range(6)), np.arange(60000) / fine)
    for path in np.degrees(frames.gaze):
        speed = np.hypot(*np.diff(path, axis=0).T) * fine
        edges = np.flatnonzero(np.diff((speed > 1e-3).astype(int)))
        edges = edges[int(speed[0] > 1e-3) :]
        starts, ends = edges[: len(edges) // 2 * 2].reshape(-1, 2).T
        far = np.hypot(*(path[ends + 2] - path[starts]).T)
        assert (ends - starts) / fine == pytest.approx(0.021 + 0.0022 * far, abs=0.006)
        assert speed.max() < 600.0
        stays = np.diff(starts) / fine
        assert stays.min() > 0.29
        assert stays.max() < 2.6
        assert 0.6 < stays.mean() < 1.0
        assert far.max() < 25.0


def onsets(lids: Floats, fps: float = FPS) -> Floats:
    shut = lids > 0.5
    return np.flatnonzero(shut[1:] & ~shut[:-1]) / fps


def test_listeners_blink_at_a_natural_rate_each_in_its_own_time() -> None:
    _, frames = eyes.step(eyes.start(range(30)), np.arange(4 * 3600) / FPS)
    rates = np.array([len(onsets(row)) / 4.0 for row in frames.lids])
    assert rates.mean() == pytest.approx(16.0, abs=2.5)
    assert rates.min() > 8.0
    assert len({row.tobytes() for row in frames.lids}) == 30
    assert frames.lids.max() == pytest.approx(1.0)
    assert not frames.brows.any()


def test_blinks_come_with_shifts_and_ends_of_phrases_and_not_on_accents() -> None:
    b = BlinkSettings(per_min=0.0, shift_ratio=0.0, end_ratio=1.0)
    still = replace(PAPER_GAZE, face_points=False)
    s = EyeSettings(gaze=still, blinks=b)
    phrases: list[Cue] = []
    for k in range(15):
        phrases.append((4.0 * k, SYLLABLE, 0.0, 0.0, 0.0))
        phrases.append((4.0 * k + 2.5, PAUSE, 0.0, 0.0, 0.0))
    ends = onsets(eyes.watch(MINUTE, table(phrases), 1, s)[0].lids[0])
    assert len(ends) == 15
    assert np.all((ends - 2.5) % 4.0 < 0.35)
    shifts: list[Cue] = [(1.0 + 3.0 * k, LISTENER, 0.0, 0.15 * (-1) ** k, 0.0) for k in range(19)]
    s = EyeSettings(gaze=still, blinks=replace(b, end_ratio=0.0, shift_ratio=1.0))
    large = onsets(eyes.watch(MINUTE, table(shifts), 1, s)[0].lids[0])
    assert len(large) == 18  # the first is small
    assert np.all((large - 1.0) % 3.0 < 0.15)
    held: list[Cue] = [(a - 0.05, LIDS_OPEN, a + 0.5, 0.0, 0.0) for a, *_ in shifts]
    later = onsets(eyes.watch(MINUTE, table(shifts + held), 1, s)[0].lids[0])
    assert np.all((later - 1.0) % 3.0 >= 0.5)


def test_a_blink_closes_faster_than_it_opens() -> None:
    fine = np.arange(0.0, 60.0, 1e-3)
    lids = eyes.watch(fine, no_cues(), 3)[0].lids[0]
    for at_s in onsets(lids, 1e3)[:5]:
        own = lids[int(1e3 * (at_s - 0.15)) : int(1e3 * (at_s + 0.35))]
        moving = np.flatnonzero(own > 1e-4)
        shut = np.flatnonzero(own > 0.9999)
        assert 0.19 < (moving[-1] - moving[0]) / 1e3 < 0.29
        assert shut[0] - moving[0] < 0.75 * (moving[-1] - shut[-1])


def test_mirrored_chance_and_cues_mirror_the_eyes(rng: np.random.Generator) -> None:
    cues = talk(60.0, rng)
    other = [(t, kind, value, -yaw, pitch) for t, kind, value, yaw, pitch in cues]
    left, right = (
        eyes.watch(MINUTE, table(c), 6, USUAL.mirrored(side))[0]
        for c, side in ((cues, 1.0), (other, -1.0))
    )
    np.testing.assert_allclose(left.gaze, right.gaze * [-1.0, 1.0], atol=1e-12)
    assert np.array_equal(left.lids, right.lids)


def test_a_listener_needs_no_cues() -> None:
    heads = swinging(1, 3600, 5.0)[0]
    turned, lids = eyes.listen_eyes(MINUTE, heads, seed=2)
    frames, _ = eyes.watch(MINUTE, no_cues(), 2)
    assert np.array_equal(turned, eyes.turn_eyes(frames.gaze, heads[None], USUAL.gaze)[0])
    assert np.array_equal(lids, frames.lids[0])
    assert 8 <= len(onsets(lids)) <= 28


def test_bad_values_are_refused() -> None:
    with pytest.raises(InvalidValueError, match="seeds are float64"):
        eyes.start([1.5])
    with pytest.raises(InvalidValueError, match="heads has shape"):
        eyes.listen_eyes(MINUTE, np.zeros((5, 4)))
    with pytest.raises(InvalidValueError, match="away_deg is 20"):
        GazeSettings(away_deg=(20.0, 10.0))
    with pytest.raises(InvalidValueError, match="cues have shape"):
        eyes.add_cues(eyes.start([1]), np.zeros((2, 3)))
