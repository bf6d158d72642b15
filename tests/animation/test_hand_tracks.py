"""From events to tracks: keys are met, layers go back to nothing, progressives go round."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from kinesphere.animation.acting_rules import acting_rules, progressive_amplitude
from kinesphere.animation.arms.hand_events import Act, HandEvent, Poses
from kinesphere.animation.arms.hand_tracks import PARTS, HandTracks, hand_tracks
from kinesphere.animation.arms.poses.hand_pose import HandPose
from kinesphere.animation.arms.poses.rest_poses import rest_poses
from kinesphere.animation.arms.stroke_timing import Repeat, StrokeTime
from kinesphere.animation.settings import ActingSettings
from kinesphere.gesture.lexicon import hand_lexemes, lexicon
from kinesphere.gesture.script import ScriptGesture
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import SIDES, Side

PAPER = ActingSettings().paper_preset()
HOME = rest_poses(["at-side", "half-rest"], plain=True)
FPS = 200.0


def poses(seed: int) -> Poses:
    rng = np.random.default_rng(seed)
    low = HOME["half-rest"]
    return {
        side: HandPose(
            low[side].wrist + 0.2 * rng.normal(size=3),
            low[side].swivel + 0.3 * rng.normal(),
            low[side].angles + 0.2 * rng.normal(size=3),
            low[side].fingers + 5.0 * rng.normal(size=21),
            0.1 * rng.normal(size=3),
        )
        for side in SIDES
    }


def act(name: str, end_s: float = 2.0, repeats: int = 0, sides: tuple[Side, ...] = SIDES) -> Act:
    ends = tuple(end_s + 0.5 * (k + 1) for k in range(repeats))
    hands = "2H" if len(sides) == 2 else "LH" if sides == ("left",) else "RH"
    g = ScriptGesture(
        name, hands, "prep+stroke", stroke_end_s=end_s, stroke_s=0.6, after_strokes=ends
    )
    time = StrokeTime(end_s - 0.6, end_s, 0.5, tuple(Repeat(e - 0.5, e - 0.25, e) for e in ends))
    goal = {side: HOME["half-rest"][side] for side in sides}
    return Act(0, g, lexicon()[name], sides, goal, goal, time, 0.4, (0.0, 0.5, 0.5, -0.5))


def gesture(name: str, repeats: int = 0, sides: tuple[Side, ...] = SIDES) -> list[HandEvent]:
    one = act(name, 2.0, repeats, sides)
    return [
        HandEvent("preparation", 0.5, 1.4, poses(1), sides, act=one),
        HandEvent("stroke", 1.4, 2.0, poses(2), sides, one.time.peak, act=one),
        HandEvent("retraction", one.time.last_s + 0.6, one.time.last_s + 1.5, HOME["at-side"]),
    ]


def tracks(
    events: Sequence[HandEvent], side: Side = "right", s: ActingSettings = PAPER, seed: int = 0
) -> HandTracks:
    return hand_tracks(events, HOME["at-side"], side, acting_rules(s), seed)


def values(p: HandPose) -> list[Floats]:
    return [p.wrist, np.array([p.swivel]), p.angles, p.fingers, p.collar]


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("seed", range(5))
def test_the_papers_hands_stop_at_every_key(side: Side, seed: int) -> None:
    rng = np.random.default_rng(seed)
    at, events = 0.4, []
    for k in range(8):
        length = float(rng.uniform(0.1, 1.0))
        kind = str(rng.choice(["preparation", "stroke", "hold", "after-stroke", "retraction"]))
        events.append(HandEvent(kind, at, at + length, poses(10 * seed + k), peak=0.6))
        at += length + float(rng.choice([0.0, 0.2]))
    made = tracks(events, side)
    assert made.layers == {}
    for k, event in enumerate(events):
        before = values((events[k - 1].poses if k else HOME["at-side"])[side])
        for part, start, goal in zip(PARTS, before, values(event.poses[side]), strict=True):
            times = np.array([event.start_s, event.end_s])
            assert np.allclose(made.sample(part, times), [start, goal], atol=1e-9)
    eased = made.tracks["Wrist"].slopes
    assert np.array_equal(eased, np.zeros_like(eased))


@pytest.mark.parametrize("name", hand_lexemes())
@pytest.mark.parametrize("sides", [SIDES, ("left",)], ids=["both", "left"])
def test_whatever_is_laid_on_top_is_gone_at_the_end(name: str, sides: tuple[Side, ...]) -> None:
    for s in (PAPER, ActingSettings()):
        events = gesture(name, 2, sides)
        for side in SIDES:
            made = tracks(events, side, s, seed=3)
            later = np.array([events[-1].end_s + 2.0])
            for part, goal in zip(PARTS, values(HOME["at-side"][side]), strict=True):
                assert np.allclose(made.sample(part, later), [goal], atol=1e-9)
                assert np.all(made.tracks[part].starts >= 0.0)
            for layers in made.layers.values():
                for layer in layers:
                    assert np.allclose(layer.last, 0.0, atol=1e-9)
                    assert np.allclose(layer([0.0]), 0.0)
            if side not in sides:
                assert made.layers == {}


@pytest.mark.parametrize("s", [PAPER, ActingSettings()], ids=["paper", "people"])
@pytest.mark.parametrize("name", ["Progressive", "Regressive"])
@pytest.mark.parametrize("repeats", [0, 1, 3])
def test_progressives_go_round_in_the_sagittal_plane(
    name: str, repeats: int, s: ActingSettings
) -> None:
    made = tracks(gesture(name, repeats, ("right",)), s=s)
    (layer,) = made.layers["Wrist"]
    time = act(name, 2.0, repeats).time
    off = layer(np.arange(time.start_s + 0.06, time.last_s, 1.0 / FPS))
    assert np.all(off[:, 0] == 0.0)
    size = np.linalg.norm(off[:, 1:], axis=1)
    radius = float(np.median(size))
    assert 0.02 < radius <= 0.15
    # Ease-in and ease-out curves between turning points are nearly a circle.
    assert np.all(size > 0.75 * radius)
    assert np.all(size < 1.25 * radius)
    spin = np.unwrap(np.arctan2(off[:, 1], off[:, 2]))
    # 240 degrees, and a whole turn more for each repetition (section 6.5.2).
    turned = float(np.degrees(np.ptp(spin)))
    assert turned == pytest.approx(240.0 + 360.0 * repeats, abs=40.0 + 20.0 * repeats)
    # Towards the body and up first, then out and down; regressives the other way round.
    assert np.sign(spin[-1] - spin[0]) == (-1.0 if lexicon()[name].circle_sign > 0 else 1.0)


@pytest.mark.parametrize(("name", "flat"), [("Circle", 2), ("Stir", 1), ("Spiral", 1)])
@pytest.mark.parametrize("side", SIDES)
def test_other_circles_lie_in_their_planes_and_mirror(name: str, flat: int, side: Side) -> None:
    made = tracks(gesture(name, 1, (side,)), side)
    time = act(name, 2.0, 1).time
    off = made.layers["Wrist"][0](np.arange(time.start_s + 0.06, time.last_s, 1.0 / FPS))
    assert np.all(off[:, flat] == 0.0)
    size = np.linalg.norm(off, axis=1)
    assert np.all(np.abs(size / np.median(size) - 1.0) < 0.25)
    # The hand starts inward and goes on upwards, or forward, as the lexicon says.
    across = off[:, 3 - flat] if flat != 1 else off[:, 2]
    outward = off[:, 0] * (1.0 if side == "left" else -1.0)
    spin = np.unwrap(np.arctan2(across if flat == 1 else off[:, 1], outward))
    assert spin[-1] < spin[0]


def test_fingers_ripple_one_after_the_other() -> None:
    layer = tracks(gesture("Type", 3, ("right",))).layers["Fingers"][0]
    t = np.arange(1.0, 3.5, 0.005)
    bends = np.abs(layer(t)[:, 0:12:3])
    first = [float(t[np.argmax(row > 0.5 * row.max())]) for row in bends.T]
    lag = lexicon()["Type"].finger_lag_s
    assert np.allclose(np.diff(first), lag, atol=0.03)


def test_a_progressive_is_as_large_as_printed() -> None:
    # Equation 6.2: half of the way's angle over the number of repetitions, but not too small.
    assert progressive_amplitude(1.2, 1) == pytest.approx(0.6)
    assert progressive_amplitude(1.2, 3, 2.0, 0.1) == pytest.approx(0.4)
    assert progressive_amplitude(1.2, 3, 2.0, 0.5) == 0.5
    assert progressive_amplitude(0.0, 2, 1.0, 0.2) == 0.2


def test_two_hands_in_turn_are_half_a_turn_apart() -> None:
    for name in hand_lexemes():
        entry = lexicon()[name]
        if not (entry.antiphase and entry.circle_cm[1]):
            continue
        t = np.linspace(1.5, 1.95, 50)
        left, right = (tracks(gesture(name), side).layers["Wrist"][0](t)[:, 1:] for side in SIDES)
        assert np.allclose(left, -right, atol=0.35 * entry.circle_cm[1] / 100.0)


def test_a_wave_goes_to_and_fro_about_its_pose() -> None:
    made = tracks(gesture("Wave", 3, ("right",)))
    part = "Angles" if "Angles" in made.layers else "Wrist"
    t = np.arange(1.2, 4.5, 1.0 / FPS)
    off = made.layers[part][0](t)
    axis = int(np.abs(off).max(axis=0).argmax())
    turns = np.flatnonzero(np.diff(np.sign(np.diff(off[:, axis]))) != 0)
    assert len(turns) >= 4
    assert off[:, axis].max() > 0.0 > off[:, axis].min()


def speed(made: HandTracks, t: Floats) -> Floats:
    return np.asarray(np.linalg.norm(np.diff(made.sample("Wrist", t), axis=0), axis=1) * FPS)


def test_movements_flow_into_each_other_but_not_into_holds() -> None:
    t = np.arange(0.0, 3.0, 1.0 / FPS)
    quiet = ActingSettings(lag_s=0.0)
    moving = [
        HandEvent("preparation", 0.5, 1.2, poses(1)),
        HandEvent("hold", 1.2, 1.9, poses(2), beat=True),
        HandEvent("preparation", 1.9, 2.5, poses(3)),
    ]
    flowing = speed(tracks(moving, s=quiet), t)[120:460]
    assert flowing.min() > 0.05
    wrists = tracks(moving, s=quiet).tracks["Wrist"]
    ends = wrists.starts + wrists.lengths
    # Each begins before it must and ends later, as much as its neighbour does.
    assert np.all(wrists.starts[1:] < [1.15, 1.85])
    assert np.all(ends[:-1] > [1.25, 1.95])
    assert wrists.starts[1:] + ends[:-1] == pytest.approx([2.4, 3.8])
    stopped = speed(tracks(moving), t)[120:460]
    assert stopped.min() < 0.02
    held = [moving[0], HandEvent("hold", 1.2, 1.9, poses(1)), moving[2]]
    assert speed(tracks(held, s=quiet), t)[250:370].max() < 1e-9


def test_the_second_hand_is_never_quite_together_with_the_first() -> None:
    wide = ActingSettings(lag_s=0.05)
    events = gesture("Cup")
    starts = [tracks(events, side, wide, seed=2).tracks["Wrist"].starts for side in SIDES]
    assert 0.0 < np.abs(starts[0][0] - starts[1][0]) < 0.3
    together = [tracks(events, side).tracks["Wrist"].starts for side in SIDES]
    assert np.array_equal(*together)
    clasped = [HandEvent("preparation", 0.5, 1.0, poses(1), touch=True)]
    starts = [tracks(clasped, side, wide, seed=2).tracks["Wrist"].starts for side in SIDES]
    assert np.array_equal(*starts)


def test_strong_strokes_are_wound_up_for() -> None:
    events = gesture("Chop", 0, ("right",))
    t = np.arange(0.0, 3.0, 1.0 / FPS)
    wound = tracks(events, s=ActingSettings(lag_s=0.0, overlap=0.0)).sample("Wrist", t)
    way = events[1].poses["right"].wrist - events[0].poses["right"].wrist
    along = (wound - events[0].poses["right"].wrist) @ way / (way @ way)
    before = along[round(1.3 * FPS) : round(1.42 * FPS)]
    assert -0.15 < before.min() < -0.01


@pytest.mark.parametrize("name", ["Chop", "Cup"])
def test_the_same_seed_gives_the_same_tracks(name: str) -> None:
    events = gesture(name, 2)
    one, two, other = (
        tracks(events, s=ActingSettings(), seed=k).tracks["Wrist"].starts for k in (5, 5, 6)
    )
    assert np.array_equal(one, two)
    assert not np.array_equal(one, other)


def test_no_events_no_motion() -> None:
    made = tracks([])
    for part, goal in zip(PARTS, values(HOME["at-side"]["right"]), strict=True):
        assert np.array_equal(made.sample(part, np.array([0.0, 5.0])), [goal, goal])


@pytest.mark.parametrize("s", [PAPER, ActingSettings()], ids=["paper", "people"])
def test_a_wrist_passes_the_points_on_its_way_without_a_stop(s: ActingSettings) -> None:
    start, goal = HOME["at-side"]["right"].wrist, poses(4)["right"].wrist
    via = np.array([start, start + [-0.3, 0.1, 0.0], start + [-0.2, 0.2, -0.3]])
    made = tracks([HandEvent("retraction", 1.0, 2.0, poses(4), via={"right": via})], s=s)
    path = made.sample("Wrist", np.arange(0.0, 3.0, 1.0 / FPS))
    assert path[0] == pytest.approx(start)
    assert path[-1] == pytest.approx(goal)
    for point in via[1:]:
        assert np.linalg.norm(path - point, axis=1).min() < 0.15
    ways = np.diff(np.stack([*via, goal]), axis=0)
    mean = np.linalg.norm(ways, axis=1).sum()
    speed = np.linalg.norm(np.diff(path, axis=0), axis=1) * FPS
    assert speed[round(1.25 * FPS) : round(1.75 * FPS)].min() > 0.3 * mean
    assert speed.max() < 2.5 * mean
