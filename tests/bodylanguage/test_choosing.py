"""Which segment comes next: chance, sampling, interruption, running out, poses and speakers."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesphere.animation.arms.poses.home_pose import home_rotations
from kinesphere.bodylanguage.choose import inference
from kinesphere.bodylanguage.choose.choosing import Chooser, Moment, SegmentChoice
from kinesphere.bodylanguage.choose.choosing_settings import Coming
from kinesphere.bodylanguage.choose.random_numbers import uniform_random
from kinesphere.bodylanguage.model import BodyLanguageModel
from kinesphere.bodylanguage.play.live_options import POLICIES, LiveOptions
from kinesphere.bodylanguage.streams import ARMS, FPS, HEAD, LOWER, STREAMS
from kinesphere.character.default import default_rig
from kinesphere.errors import InvalidValueError
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.kinematics import forward_kinematics_plain
from kinesphere.speech.prosody.observation import OBSERVATIONS, ONSET, SILENCE
from tests.bodylanguage.material import small_model

seeds = st.integers(0, 2**32 - 1)
streams = st.sampled_from(range(3))
HIPS = np.zeros(3)


@cache
def pose() -> Floats:
    """World rotations at home."""
    skeleton = default_rig().skeleton
    return forward_kinematics_plain(skeleton, home_rotations(), skeleton.offsets[0])[0]


def chooser(
    stream: int = ARMS, model: BodyLanguageModel | None = None, **options: object
) -> Chooser:
    found = Chooser.of(model or small_model(), stream, LiveOptions(**options).choosing)
    assert found is not None
    return found


def heard(
    who: Chooser, choice: SegmentChoice, number: int, now_s: float, seed: int = 0
) -> SegmentChoice:
    return who.observe(choice, number, Moment(now_s, seed, pose(), HIPS))


def ran_out(who: Chooser, choice: SegmentChoice, now_s: float, seed: int = 0) -> SegmentChoice:
    return who.end_segment(choice, Moment(now_s, seed, pose(), HIPS))


def length_s(who: Chooser, choice: SegmentChoice) -> float:
    """Of the segment on show."""
    return float(who.model.segments[choice.segment, 1]) / FPS


def lived(who: Chooser, seed: int, events: int = 60) -> list[tuple[str, float, SegmentChoice]]:
    """A character that hears something every now and then; the first is how it starts."""
    rng = np.random.default_rng(seed)
    choice, now_s = who.first(pose(), HIPS), 0.0
    out = [("first", 0.0, choice)]
    for _ in range(events):
        due_s = now_s + rng.uniform(0.1, 0.5)
        while choice.begun_s + length_s(who, choice) <= due_s:
            now_s = choice.begun_s + length_s(who, choice)
            choice = ran_out(who, choice, now_s, seed)
            out.append(("ran out", now_s, choice))
        now_s = due_s
        choice = heard(who, choice, int(rng.integers(OBSERVATIONS)), now_s, seed)
        out.append(("heard", now_s, choice))
    return out


# Chance.


def test_chance_is_uniform_in_each_stream_and_across_seeds() -> None:
    # A chi-squared test with 63 degrees of freedom: beyond 120 one time in 100,000.
    numbers = {
        "counts": [uniform_random(7, 1, k) for k in range(8192)],
        "seeds": [uniform_random(k, 2, 0) for k in range(8192)],
        "far seeds": [uniform_random(k << 32, 0, 5) for k in range(8192)],
        "streams": [uniform_random(3, s, k) for s in range(3) for k in range(2731)],
    }
    for name, values in numbers.items():
        found = np.array(values)
        assert found.min() >= 0.0
        assert found.max() < 1.0
        counts = np.histogram(found, bins=64, range=(0.0, 1.0))[0]
        expected = len(found) / 64
        assert ((counts - expected) ** 2 / expected).sum() < 120.0, name
        assert len(set(values)) == len(values), name


def test_chances_do_not_tell_of_each_other() -> None:
    table = np.array(
        [[[uniform_random(c, s, k) for k in range(60)] for s in range(3)] for c in range(60)]
    )
    assert len(np.unique(table)) == table.size
    for shifted in (table[:, :, 1:], table[1:], np.roll(table, 1, axis=1)[:, :2]):
        part = table[tuple(slice(0, n) for n in shifted.shape)]
        assert abs(np.corrcoef(part.ravel(), shifted.ravel())[0, 1]) < 0.05


@given(st.integers(-(2**70), 2**70), streams, st.integers(0, 2**62))
def test_chance_is_always_less_than_one_and_the_same(seed: int, stream: int, count: int) -> None:
    value = uniform_random(seed, stream, count)
    assert 0.0 <= value < 1.0
    assert value == uniform_random(seed, stream, count)


# What is heard.


@pytest.mark.parametrize("stream", range(3))
def test_states_are_drawn_from_the_product_of_forward_and_direct_vector(stream: int) -> None:
    who = chooser(stream)
    n = len(who.chain)
    for start, seed_of in ((2, 0), (n + 1, 1)):
        rng = np.random.default_rng(seed_of)
        alpha = rng.random(2 * n)
        belief = inference.Belief(alpha / alpha.sum(), rng.uniform(0.0, 1.0, n))
        cluster = start % n
        segment = int(who.members[cluster][0])
        before = who.first(pose(), HIPS)._replace(
            belief=belief,
            state=cluster + (n if start >= n else 0),
            segment=segment,
            begun_s=1.0,
            heard_s=1.1,
        )
        number, now_s = 17, 1.3
        share = (now_s - 1.0) / (who.model.segments[segment, 1] / FPS)
        forward = inference.advance(who.chain, belief, number, 0.2)
        gamma = inference.direct_vector(who.chain, before.state, number, share)
        expected = forward.alpha * gamma
        expected /= expected.sum()
        count = 2000
        states = [heard(who, before, number, now_s, seed).state for seed in range(count)]
        found = np.bincount(states, minlength=2 * n)
        assert (found[expected == 0.0] == 0).all()
        room = 4.5 * np.sqrt(count * expected * (1.0 - expected)) + 1e-9
        assert (np.abs(found - count * expected) <= room).all()
        assert (expected > 0.01).sum() > 1


@settings(max_examples=25, deadline=None)
@given(seeds, streams)
def test_beliefs_follow_what_was_heard_and_when(seed: int, stream: int) -> None:
    who = chooser(stream)
    rng = np.random.default_rng(seed)
    choice = who.first(pose(), HIPS)
    belief, last_s = choice.belief, 0.0
    for _ in range(8):
        now_s, number = last_s + rng.uniform(0.0, 0.2), int(rng.integers(OBSERVATIONS))
        after = heard(who, choice, number, now_s, seed)
        if number == ONSET and who.knows_onsets:
            # Somebody who begins to speak begins anew.
            belief = inference.restart(who.chain, number)
        else:
            belief = inference.advance(who.chain, belief, number, now_s - last_s)
        assert np.array_equal(after.belief.alpha, belief.alpha)
        assert np.array_equal(after.belief.tau, belief.tau)
        assert np.array_equal(after.before.alpha, choice.belief.alpha)
        assert (after.heard, after.heard_s) == (number, now_s)
        assert after.passed_s == pytest.approx(now_s - last_s)
        choice, last_s = after, now_s


@settings(max_examples=25, deadline=None)
@given(seeds, streams)
def test_a_start_state_begins_a_segment_and_a_continuation_goes_on(seed: int, stream: int) -> None:
    who = chooser(stream)
    n = len(who.chain)
    kinds = set()
    for (_, _, before), (event, now_s, after) in pairwise(lived(who, seed)):
        assert after.draws > before.draws
        if after.state >= n:
            # The same motion goes on: nothing else can be continued.
            assert event == "heard"
            assert after.state % n == before.state % n
            assert after[3:5] == before[3:5]
            assert after.shown is before.shown
            kinds.add("goes on")
            continue
        assert after.begun_s == now_s
        assert who.model.segments[after.segment, 2] == after.state
        assert len(who.members[after.state]) == 1 or after.segment != before.segment
        length = length_s(who, before)
        assert after.shown == pytest.approx(min((now_s - before.begun_s) / length, 1.0))
        kinds.add("cut" if after.shown < 1.0 - 1e-9 else "whole")
    assert {"goes on", "cut"} <= kinds


def test_a_motion_is_cut_short_where_it_will_hardly_meet_another_syllable() -> None:
    # Section 7.1: the later in a motion, the less likely it goes on past a syllable.
    who = chooser(HEAD)
    n = len(who.chain)
    chain = replace(who.chain, curves=np.tile([4.0, -8.0], (n, 1)))
    who = replace(who, chain=chain)
    first = who.first(pose(), HIPS)
    belief = inference.first_belief(chain, n)
    showing = first._replace(state=n, segment=int(who.members[0][0]), belief=belief, before=belief)
    cut = []
    for share in (0.05, 0.35, 0.65, 0.95):
        # Both vectors are told the same share: tau-bar is of the cluster's mean length.
        now_s = share * length_s(who, showing)
        told = belief._replace(tau=np.full(n, share))
        at = showing._replace(belief=told, heard_s=now_s)
        states = [heard(who, at, 9, now_s, seed).state for seed in range(400)]
        cut.append(np.mean(np.array(states) < n))
    assert cut == sorted(cut)
    assert cut[0] < 0.1
    assert cut[-1] > 0.9


# What runs out.


@settings(max_examples=40, deadline=None)
@given(seeds, streams, st.booleans())
def test_running_out_is_the_last_observation_again_with_the_motion_over(
    seed: int, stream: int, begun: bool
) -> None:
    # Section 8.3: alpha and tau-bar of before, and A_t is not c_i.
    who = chooser(stream)
    n = len(who.chain)
    rng = np.random.default_rng(seed)
    alpha, earlier = rng.random(2 * n), rng.random(2 * n)
    cluster = int(rng.integers(n))
    segment = int(rng.choice(who.members[cluster]))
    before = inference.Belief(earlier / earlier.sum(), rng.uniform(0.0, 1.0, n))
    belief = inference.Belief(alpha / alpha.sum(), rng.uniform(0.0, 1.0, n))
    choice = SegmentChoice(
        belief, before, cluster if begun else n + cluster, segment, 1.0, 21, 1.1, 0.3, 5, 0.5
    )
    now_s = 1.0 + length_s(who, choice)
    after = ran_out(who, choice, now_s, seed)
    # A motion that began with that observation: it is over, and what was heard comes once more.
    old, passed = (belief, now_s - 1.1) if begun else (before, 0.3)
    expected = inference.advance(who.chain, old, 21, passed, ended=cluster)
    assert expected.alpha[n + cluster] == 0.0
    assert np.array_equal(after.belief.alpha, expected.alpha)
    assert np.array_equal(after.belief.tau, expected.tau)
    assert after.before is old
    assert (after.heard_s, after.passed_s) == ((now_s, now_s - 1.1) if begun else (1.1, 0.3))
    assert after.heard == 21
    assert after.state < n
    assert after.begun_s == now_s
    assert after.shown == pytest.approx(1.0)


def test_what_follows_a_motion_that_ran_out_is_drawn_without_it() -> None:
    who = chooser(HEAD)
    n = len(who.chain)
    rng = np.random.default_rng(4)
    alpha = rng.random(2 * n)
    before = inference.Belief(alpha / alpha.sum(), rng.uniform(0.0, 1.0, n))
    choice = SegmentChoice(before, before, n + 1, int(who.members[1][0]), 1.0, 30, 1.1, 0.3, 0, 0.5)
    forward = inference.advance(who.chain, before, 30, 0.3, ended=1).alpha
    gamma = inference.direct_vector(who.chain, n + 1, 30, 1.0, ended=True)
    product = (forward * gamma)[:n] + (forward * gamma)[n:]
    expected = product / product.sum()
    count = 2000
    states = [ran_out(who, choice, 2.5, seed).state for seed in range(count)]
    found = np.bincount(states, minlength=n)
    room = 4.5 * np.sqrt(count * expected * (1.0 - expected)) + 1e-9
    assert (np.abs(found - count * expected) <= room).all()


# Which segment of a cluster.


@settings(max_examples=60, deadline=None)
@given(seeds, streams, st.floats(1.0, 4.0))
def test_segments_begin_within_the_tolerance_of_the_nearest(
    seed: int, stream: int, tolerance: float
) -> None:
    who = chooser(stream, tolerance=tolerance)
    rng = np.random.default_rng(seed)
    start = quaternion.multiply(
        quaternion.exp(rng.normal(scale=0.4, size=pose().shape[:-1] + (3,))), pose()
    )
    hips = rng.normal(scale=0.03, size=3)
    members = who.members[int(rng.integers(len(who.chain)))]
    last = int(rng.choice(members))
    chosen = {who.segment(members, start, hips, u, last) for u in (np.arange(200) + 0.5) / 200}
    others = members[members != last] if len(members) > 1 else members
    far = {int(m): plain_distance(who, int(m), start, hips) for m in others}
    nearest = min(far.values())
    limit = max(tolerance * nearest[1], 0.12)
    near = {m for m, (through, d) in far.items() if d <= limit and through == nearest[0]}
    # Up to rounding exactly these, all of which are equally liked.
    edge = {m for m, (_, d) in far.items() if abs(d - limit) < 1e-9}
    assert chosen - edge == near - edge
    assert chosen


WEIGHTS = {
    HEAD: {"neck": 0.5, "head": 1.0},
    ARMS: {
        "upperChest": 0.5,
        "leftUpperArm": 1.0,
        "leftLowerArm": 1.0,
        "leftHand": 0.4,
        "rightUpperArm": 1.0,
        "rightLowerArm": 1.0,
        "rightHand": 0.4,
    },
    LOWER: {"hips": 1.0},
}


def plain_distance(who: Chooser, segment: int, start: Floats, hips: Floats) -> tuple[int, float]:
    """From a segment's first pose: hands that change sides, and angles with the pelvis' way."""
    model, rig = small_model(), default_rig()
    first = int(model.streams[STREAMS[who.stream]].segments[segment, 0])
    turns = quaternion.normalise(model.turns[first].astype(np.float64))
    total, through = 0.0, 0
    for bone, weight in WEIGHTS[who.stream].items():
        joint = rig.joint(bone)
        total += weight * float(quaternion.angle_between(turns[joint], start[joint]))
    if who.stream == LOWER:
        total += 8.0 * float(np.linalg.norm(model.pelvis[first] - hips))
    if who.stream == ARMS and who.behind.any():
        sides = zip(behind_the_back(turns), behind_the_back(start), strict=True)
        through = sum(a != b for a, b in sides)
    return through, total


def behind_the_back(turns: Floats) -> list[bool]:
    """Whether the wrists are, left and right."""
    rig = default_rig()
    offsets = rig.skeleton.offsets
    out = []
    for side in ("left", "right"):
        at, above = np.zeros(3), rig.joint("upperChest")
        for bone in ("Shoulder", "UpperArm", "LowerArm", "Hand"):
            joint = rig.joint(f"{side}{bone}")
            at = at + quaternion.rotate(turns[above], offsets[joint])
            above = joint
        out.append(bool(at[2] < -0.05))
    return out


def test_hands_do_not_go_through_the_body_if_there_is_another_way() -> None:
    # Segments that begin with a hand behind the back are never chosen from before it.
    model = small_model()
    rig = default_rig()
    turns = model.turns.copy()
    stream = model.streams["arms"]
    hidden = stream.segments[::2, 0]
    back = quaternion.from_axis_angle([0.0, 1.0, 0.0], np.pi / 2)
    for bone in ("leftUpperArm", "leftLowerArm"):
        turns[hidden, rig.joint(bone)] = back
    model = replace(model, turns=turns)
    who = chooser(ARMS, model, tolerance=10.0)
    assert who.behind[::2, 0].all()
    assert not who.behind[1::2].all(axis=1).any()
    front = pose()
    for members in who.members:
        reachable = members[~who.behind[members].any(axis=1)]
        for u in np.linspace(0.0, 0.999, 50):
            if len(reachable) > 1:
                assert not who.behind[who.segment(members, front, HIPS, float(u))].any()


def test_the_last_segment_does_not_come_again_unless_it_is_the_only_one() -> None:
    who = chooser(HEAD, tolerance=10.0)
    members = who.members[0]
    for last in members:
        recent = (int(last),)
        draws = {who.segment(members, pose(), HIPS, u, recent) for u in np.linspace(0, 0.99, 90)}
        assert int(last) not in draws
    assert who.segment(members[:1], pose(), HIPS, 0.5, (int(members[0]),)) == members[0]
    # Nor do those before it, but rather one of them than the last.
    recent = tuple(members[:2].tolist())
    draws = {who.segment(members, pose(), HIPS, u, recent) for u in np.linspace(0, 0.99, 90)}
    assert draws.isdisjoint(recent)
    assert draws
    assert who.segment(members[:2], pose(), HIPS, 0.5, recent) == members[0]


def test_two_pieces_of_one_movement_do_not_follow_on_each_other_for_ever() -> None:
    who = chooser(ARMS)
    shown = [c.segment for _, now_s, c in lived(who, 2, 400) if c.begun_s == now_s]
    enough = [len(who.members[int(who.model.segments[s, 2])]) > 4 for s in shown]
    again = [s in shown[max(k - 4, 0) : k] for k, s in enumerate(shown) if enough[k]]
    assert len(again) > 100
    assert not any(again)


def test_somebody_starts_still_in_the_nearest_pose() -> None:
    for stream in range(3):
        who = chooser(stream)
        choice = who.first(pose(), HIPS)
        n = len(who.chain)
        silent = who.chain.prior[:n] * who.chain.observations[:n, SILENCE]
        cluster = choice.state - n
        assert silent[cluster] == silent.max()
        members = who.members[cluster]
        far = [plain_distance(who, int(m), pose(), HIPS) for m in members]
        assert choice.segment == members[far.index(min(far))]
        assert choice.belief.alpha[choice.state] == 1.0
        assert (choice.heard, choice.draws) == (SILENCE, 0)
        # Well into it, and believed to be.
        passed = -choice.begun_s / who.model.segment_s[choice.segment]
        assert passed == pytest.approx(0.6)
        assert choice.belief.tau[cluster] == pytest.approx(0.6)
        assert np.isnan(choice.shown)


# Policies and speakers.


def test_policies_cut_and_choose_as_they_say() -> None:
    for policy in POLICIES:
        who = chooser(ARMS, policy=policy)
        story = lived(who, 5, 400)
        cuts = [c.shown for event, _, c in story if event == "heard" and c.begun_s == c.heard_s]
        synchronised = policy in ("model", "random-synchronised")
        assert (len(cuts) > 20) is synchronised, policy
        assert (min(cuts, default=1.0) < 0.9) is synchronised, policy
        begun = [c for (_, now_s, c) in story if c.begun_s == now_s]
        assert {int(who.model.segments[c.segment, 2]) for c in begun} == set(range(len(who.chain)))


@pytest.mark.parametrize("policy", ["random", "random-synchronised"])
def test_random_choices_follow_the_prior_whatever_is_heard(policy: str) -> None:
    who = chooser(ARMS, policy=policy)
    n = len(who.chain)
    rising = np.tile(np.arange(1.0, n + 1.0), 2)
    who = replace(who, chain=replace(who.chain, prior=rising / rising.sum()))
    counts: Counter[int] = Counter()
    for seed in range(6):
        story = lived(who, seed, 500)
        counts.update(c.state for _, now_s, c in story[1:] if c.begun_s == now_s and c.state < n)
    total = sum(counts.values())
    expected = who.chain.prior[:n] / who.chain.prior[:n].sum()
    assert total > 1000
    for cluster in range(n):
        room = 5.0 * np.sqrt(total * expected[cluster])
        assert abs(counts[cluster] - total * expected[cluster]) < room


def test_unsynchronised_choices_come_from_the_model() -> None:
    # Whatever is heard is believed, though nothing is cut short: as by the model at the end.
    mine, models = chooser(HEAD, policy="unsynchronised"), chooser(HEAD)
    choice = mine.first(pose(), HIPS)
    for k, number in enumerate((5, 30, 12)):
        after = heard(mine, choice, number, 0.1 * (k + 1))
        assert after[2:5] == choice[2:5]
        assert after.draws == 0
        choice = after
    now_s = length_s(mine, choice)
    assert ran_out(mine, choice, now_s)[2:] == ran_out(models, choice, now_s)[2:]


@settings(max_examples=12, deadline=None)
@given(seeds, streams, st.sampled_from(POLICIES), st.sampled_from(["ann", "ben"]))
def test_a_speaker_without_weight_is_never_shown(
    seed: int, stream: int, policy: str, name: str
) -> None:
    model = small_model()
    other = "ben" if name == "ann" else "ann"
    who = chooser(stream, speakers={name: 0.5, other: 0.0}, policy=policy)
    speaker = model.speakers.index(name)
    shown = [c.segment for _, _, c in lived(who, seed, 80)]
    assert (who.model.speakers[shown] == speaker).all()


def test_a_cluster_of_somebody_else_is_never_drawn() -> None:
    # All segments of a cluster are ben's: ann alone never comes into its states.
    model = small_model()
    stream = model.streams["arms"]
    speakers = np.where(stream.segments[:, 2] == 1, 1, stream.speakers)
    model = replace(model, streams={"arms": replace(stream, speakers=speakers)})
    who = chooser(ARMS, model, speakers="ann")
    n = len(who.chain)
    assert not who.chain.observations[[1, n + 1]].any()
    states = {c.state % n for seed in range(6) for _, _, c in lived(who, seed, 100)}
    assert states == set(range(n)) - {1}


def test_speakers_are_shown_in_proportion_to_their_weights() -> None:
    who = chooser(HEAD, speakers={"ann": 3.0, "ben": 1.0}, tolerance=10.0)
    members = who.members[0]
    far = who.distances(members, pose(), HIPS)
    near = members[far <= max(10.0 * far.min(), 0.12)]
    whose = who.model.speakers
    draws = [who.segment(members, pose(), HIPS, (k + 0.5) / 4000) for k in range(4000)]
    share = np.mean(whose[draws] == 0)
    anns, bens = 3.0 * np.sum(whose[near] == 0), 1.0 * np.sum(whose[near] == 1)
    assert anns * bens > 0
    assert share == pytest.approx(anns / (anns + bens), abs=0.005)


def test_streams_that_the_speakers_do_not_have() -> None:
    model = small_model()
    assert Chooser.of(small_model(("head",)), ARMS, LiveOptions().choosing) is None
    stream = model.streams["lower"]
    bens = replace(stream, speakers=np.ones(len(stream.segments), dtype=np.int64))
    model = replace(model, streams={"lower": bens})
    assert Chooser.of(model, LOWER, LiveOptions(speakers="ann").choosing) is None
    assert Chooser.of(model, LOWER, LiveOptions(speakers="ben").choosing) is not None
    with pytest.raises(InvalidValueError, match="no speaker 'eve'"):
        Chooser.of(model, LOWER, LiveOptions(speakers="eve").choosing)


def test_the_same_seed_lives_the_same_life_and_another_another() -> None:
    who = chooser(ARMS)
    lives = [[c.segment for _, _, c in lived(who, seed)] for seed in (1, 1, 2)]
    assert lives[0] == lives[1]
    assert lives[0] != lives[2]


def test_a_value_is_not_changed_by_what_follows() -> None:
    who = chooser(ARMS)
    story = lived(who, 9)
    assert story[0][2][2:9] == who.first(pose(), HIPS)[2:9]
    with pytest.raises(ValueError, match="read-only"):
        story[-1][2].belief.alpha[0] = 1.0


# What is known to come.


def test_a_segment_that_would_run_out_before_the_next_observation_is_left() -> None:
    who = chooser(ARMS)
    n = len(who.chain)
    for seed in range(12):
        choice = who.first(pose(), HIPS)
        ends_s = choice.begun_s + length_s(who, choice)
        leaves = who.observe(choice, 5, Moment(0.05, seed, pose(), HIPS, Coming(ends_s + 0.1, 5)))
        assert leaves.begun_s == 0.05
        assert leaves.state < n
        # As printed, nothing is known of what comes.
        printed = chooser(ARMS, paper=True)
        assert (
            printed.observe(choice, 5, Moment(0.05, seed, pose(), HIPS, Coming(ends_s + 0.1, 5)))[
                2:
            ]
            == (printed.observe(choice, 5, Moment(0.05, seed, pose(), HIPS))[2:])
        )
    stays = [
        who.observe(choice, 5, Moment(0.05, seed, pose(), HIPS, Coming(ends_s - 0.01, 5))).begun_s
        != 0.05
        for seed in range(40)
    ]
    assert any(stays)


def test_what_lasts_until_the_next_observation_is_preferred() -> None:
    who = chooser(HEAD, tolerance=10.0)
    members = who.members[0]
    lengths = who.model.segment_s
    draws = [who.segment(members, pose(), HIPS, u) for u in np.linspace(0, 0.99, 90)]
    middle = float(np.median(lengths[draws]))
    assert lengths[draws].min() < middle
    lasting = [
        who.segment(members, pose(), HIPS, u, least_s=middle) for u in np.linspace(0, 0.99, 90)
    ]
    assert lengths[lasting].min() >= middle
    # Rather one that is too short than one that is far away.
    assert {who.segment(members, pose(), HIPS, u, least_s=99.0) for u in (0.1, 0.9)} <= set(
        members.tolist()
    )


def test_a_model_from_before_there_were_onsets_does_not_hear_them() -> None:
    who = chooser(ARMS)
    deaf, hears = replace(who, knows_onsets=False), replace(who, knows_onsets=True)
    choice = who.first(pose(), HIPS)
    assert deaf.observe(choice, ONSET, Moment(0.3, 0, pose(), HIPS)) is choice
    assert hears.observe(choice, ONSET, Moment(0.3, 0, pose(), HIPS)).heard == ONSET


def test_what_begins_with_an_onset_fits_the_first_syllable() -> None:
    who = replace(chooser(ARMS), knows_onsets=True)
    n = len(who.chain)
    likely = who.chain.observations.copy()
    likely[:, 5], likely[:, 7] = 1e-6, 1e-6
    likely[[0, n], 5], likely[[1, n + 1], 7] = 1.0, 1.0
    who = replace(who, chain=replace(who.chain, observations=likely))
    choice = who.first(pose(), HIPS)
    for number, cluster in ((5, 0), (7, 1)):
        coming = Coming(0.3, number)
        found = [
            who.observe(choice, ONSET, Moment(0.1, s, pose(), HIPS, coming)).state
            for s in range(30)
        ]
        assert np.mean(np.array(found) == cluster) > 0.9


def test_what_begins_with_a_voice_does_not_depend_on_the_silence_before() -> None:
    """Drawn from the prior by what is heard: an onset, and the syllable that follows."""
    who = replace(chooser(ARMS), knows_onsets=True)
    n, chain, following = len(who.chain), who.chain, 7
    for coming in (None, Coming(0.5, following)):
        expected = chain.prior * chain.observations[:, ONSET]
        if coming is not None:
            expected = expected * chain.observations[:, following]
        expected = expected[:n] / expected[:n].sum()
        found = []
        for state in (0, n + 1):
            before = who.first(pose(), HIPS)._replace(state=state)
            states = [
                who.observe(before, ONSET, Moment(0.2, seed, pose(), HIPS, coming)).state
                for seed in range(1500)
            ]
            found.append(np.bincount(states, minlength=2 * n))
            assert (found[-1][n:] == 0).all()
            room = 4.5 * np.sqrt(1500 * expected * (1.0 - expected)) + 1e-9
            assert (np.abs(found[-1][:n] - 1500 * expected) <= room).all()
        assert np.array_equal(found[0], found[1])
        assert (expected > 0.01).sum() > 1
    # As printed, it is an observation like the others.
    printed = replace(who, settings=LiveOptions(paper=True).choosing)
    before = before._replace(state=0, belief=inference.first_belief(chain))
    states = {
        printed.observe(before, ONSET, Moment(0.2, seed, pose(), HIPS)).state for seed in range(200)
    }
    assert max(states) >= n
