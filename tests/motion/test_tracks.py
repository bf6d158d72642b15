"""Tracks: the compiled sampling against the plain one, keys, layers, smoothness, documents."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats
from kinesphere.motion.keyed.keyed_motion import ArmKeys, KeyedMotion
from kinesphere.motion.keyed.tracks import DofTrack, Step, bell, bell_middle, even, sum_layers

PEAKS = st.floats(0.1, 0.9)


@st.composite
def steps(draw: st.DrawFn, d: int) -> Step:
    values = st.lists(st.floats(-2.0, 2.0), min_size=d, max_size=d).map(np.array)
    slopes = st.none() | st.tuples(st.floats(-1.0, 3.0), st.floats(-1.0, 3.0))
    return Step(
        draw(st.floats(-1.0, 5.0)),
        draw(st.floats(0.001, 3.0)),
        draw(values),
        draw(PEAKS),
        draw(st.floats(0.0, 1.0)),
        draw(st.none() | values),
        draw(slopes),
    )


@st.composite
def drawn_tracks(draw: st.DrawFn) -> DofTrack:
    """Tracks that hypothesis can make simpler."""
    size = draw(st.integers(1, 3))
    first = draw(st.lists(st.floats(-1.0, 1.0), min_size=size, max_size=size))
    return DofTrack.of_steps(first, draw(st.lists(steps(size), max_size=4)))


def track_of(seed: int, d: int) -> DofTrack:
    rng = np.random.default_rng([seed, d])
    n = int(rng.integers(0, 9))
    slopes = np.where(rng.random((n, 1)) < 0.5, np.nan, rng.uniform(-1.0, 3.0, size=(n, 2)))
    return DofTrack(
        rng.normal(size=d),
        rng.uniform(-1.0, 5.0, n),
        rng.uniform(0.001, 3.0, n),
        rng.normal(size=(n, d)),
        rng.uniform(0.1, 0.9, n),
        rng.choice([0.0, 0.4, 1.0], n),
        rng.normal(size=(n, d)) * rng.choice([0.0, 1.0], (n, 1)),
        slopes,
    )


def tracks(d: int | None = None) -> st.SearchStrategy[DofTrack]:
    """Tracks of any kind, quick to draw."""
    sizes = st.integers(1, 4) if d is None else st.just(d)
    return st.builds(track_of, st.integers(0, 100_000), sizes)


def moments(draw_from: int, count: int = 120) -> Floats:
    rng = np.random.default_rng(draw_from)
    times = np.sort(rng.uniform(-1.5, 9.0, count))
    times[1::7] = times[::7][: len(times[1::7])]  # some twice
    return np.sort(times)


def edges(track: DofTrack) -> Floats:
    """Starts and ends of the steps, which frames may hit exactly."""
    return np.sort(np.concatenate([track.starts, track.starts + track.lengths]))


# -- the compiled sampling -------------------------------------------------------------------------


@settings(max_examples=80)
@given(track=drawn_tracks() | tracks(), seed=st.integers(0, 10_000))
def test_compiled_sampling_is_the_plain_one(track: DofTrack, seed: int) -> None:
    for times in (moments(seed), edges(track)):
        assert np.allclose(track(times), track.plain(times), rtol=0.0, atol=1e-11)


@given(track=tracks(), seed=st.integers(0, 10_000), cut=st.integers(1, 119))
def test_any_part_of_the_times_gives_the_same(track: DofTrack, seed: int, cut: int) -> None:
    times = moments(seed)
    parts = np.concatenate([track(times[:cut]), track(times[cut:])])
    assert np.allclose(track(times), parts, rtol=0.0, atol=1e-11)


def test_no_times_no_values() -> None:
    assert DofTrack(np.zeros(3))(np.zeros(0)).shape == (0, 3)


@given(track=tracks(), seed=st.integers(0, 1000), by=st.floats(-20.0, 20.0))
def test_a_later_track_is_the_track_later(track: DofTrack, seed: int, by: float) -> None:
    times = moments(seed)
    later = replace(track, starts=track.starts + by)
    # A frame at the very edge of a steep step may land on either side.
    assert np.allclose(later(times + by), track(times), rtol=0.0, atol=1e-7)


@given(track=tracks(), ratio=st.floats(0.1, 10.0), seed=st.integers(0, 1000))
def test_stretched_time_stretches_the_motion(track: DofTrack, ratio: float, seed: int) -> None:
    times = moments(seed)
    slower = replace(track, starts=track.starts * ratio, lengths=track.lengths * ratio)
    assert np.allclose(slower(times * ratio), track(times), rtol=0.0, atol=1e-7)


# -- sums ------------------------------------------------------------------------------------------


@given(a=tracks(2), b=tracks(2), seed=st.integers(0, 1000))
def test_steps_of_two_tracks_in_one_add_up(a: DofTrack, b: DofTrack, seed: int) -> None:
    times = moments(seed)
    both = DofTrack(
        a.first + b.first,
        *(
            np.concatenate([getattr(a, name), getattr(b, name)])
            for name in ("starts", "lengths", "changes", "peaks", "flats", "arcs", "slopes")
        ),
    )
    added = a(times) + b(times)
    assert np.allclose(both(times), added, rtol=0.0, atol=1e-11)
    assert np.allclose(sum_layers([a, b], times), added, rtol=0.0, atol=1e-12)


@given(track=tracks(3), size=st.floats(-3.0, 3.0), seed=st.integers(0, 1000))
def test_tracks_are_linear_in_what_they_change(track: DofTrack, size: float, seed: int) -> None:
    times = moments(seed)
    scaled = replace(
        track, first=size * track.first, changes=size * track.changes, arcs=size * track.arcs
    )
    assert np.allclose(scaled(times), size * track(times), rtol=0.0, atol=1e-10)


@given(track=tracks(), order=st.randoms(use_true_random=False))
def test_the_order_of_steps_does_not_matter(track: DofTrack, order: Any) -> None:
    rows = list(range(len(track)))
    order.shuffle(rows)
    names = ("starts", "lengths", "changes", "peaks", "flats", "arcs", "slopes")
    mixed = DofTrack(track.first, *(getattr(track, n)[rows] for n in names))
    times = moments(3)
    assert np.allclose(mixed(times), track(times), rtol=0.0, atol=1e-11)


# -- keys ------------------------------------------------------------------------------------------


@given(
    lengths=st.lists(st.floats(0.05, 1.0), min_size=1, max_size=6),
    gaps=st.lists(st.floats(0.0, 0.5), min_size=6, max_size=6),
    peak=PEAKS,
    flat=st.floats(0.0, 1.0),
    hermite=st.booleans(),
)
def test_steps_that_do_not_overlap_reach_their_keys(
    lengths: list[float], gaps: list[float], peak: float, flat: float, hermite: bool
) -> None:
    rng = np.random.default_rng(len(lengths))
    at, rows, keys, times = 0.2, [], [np.zeros(3)], [0.0]
    for length, gap in zip(lengths, gaps, strict=False):
        change, arc = rng.normal(size=(2, 3))
        slopes = (0.0, 0.0) if hermite else None
        rows.append(Step(at, length, change, peak, flat, arc, slopes))
        keys += [keys[-1], keys[-1] + change]
        times += [at, rows[-1].end_s]
        at = rows[-1].end_s + gap
    track = DofTrack.of_steps(np.zeros(3), rows)
    # Exactly, but for what rounding makes of a time at the very edge.
    assert np.allclose(track(np.array(times)), keys, rtol=0.0, atol=1e-9)
    assert np.allclose(track.last, keys[-1], rtol=0.0, atol=1e-12)
    assert track.end_s == pytest.approx(rows[-1].end_s)
    assert np.array_equal(track(np.array([-5.0, 0.1])), np.zeros((2, 3)))


def test_without_steps_nothing_happens() -> None:
    track = DofTrack.of_steps([1.0, 2.0], [])
    assert np.array_equal(track([0.0, 1.0, 9.0]), [[1.0, 2.0]] * 3)
    assert len(track) == 0
    assert track.end_s == 0.0
    assert np.array_equal(track.last, [1.0, 2.0])


def test_an_arc_bends_the_middle_and_nothing_else() -> None:
    way, arc = np.array([0.4, 0.0]), np.array([0.0, 0.1])
    straight, bent = (
        DofTrack.of_steps([0.0, 0.0], [Step(1.0, 2.0, way, arc=a)]) for a in (None, arc)
    )
    times = np.linspace(0.0, 4.0, 401)
    off = bent(times) - straight(times)
    assert off[200] == pytest.approx(arc)
    assert np.abs(off).max() == pytest.approx(0.1)
    assert np.array_equal(off[times <= 1.0], np.zeros((101, 2)))
    assert np.allclose(off[times >= 3.0], 0.0, atol=1e-15)
    assert np.abs(np.diff(off[:, 1])).max() < 0.01


def test_overlapping_steps_round_the_corner_without_a_stop() -> None:
    there, back = np.array([0.3, 0.0]), np.array([0.0, 0.3])
    times = np.linspace(0.0, 1.2, 1201)

    def slowest(overlap: float) -> float:
        rows = [Step(0.0, 0.6, there), Step(0.6 - overlap, 0.6, back)]
        track = DofTrack.of_steps([0.0, 0.0], rows)
        speed = np.linalg.norm(np.diff(track(times), axis=0), axis=1) * 1000.0
        return float(speed[300:700].min())

    assert slowest(0.0) < 0.01
    assert 0.1 < slowest(0.15) < slowest(0.3)


# -- shapes ----------------------------------------------------------------------------------------


@given(peak=PEAKS)
def test_a_bell_is_fastest_where_it_should_be(peak: float) -> None:
    r = np.linspace(0.0, 1.0, 20_001)
    speed = np.diff(bell(r, peak))
    assert (speed >= -1e-15).all()
    assert abs(float(r[speed.argmax()]) - peak) < 0.005
    # One peak only.
    assert (np.diff(speed[: speed.argmax()]) > -1e-12).all()
    assert (np.diff(speed[speed.argmax() :]) < 1e-12).all()


@given(peak=PEAKS)
def test_half_of_a_bell_is_done_at_its_middle(peak: float) -> None:
    middle = float(bell_middle(peak))
    assert float(bell(middle, peak)) == pytest.approx(0.5, abs=1e-12)
    assert float(bell_middle(1.0 - peak)) == pytest.approx(1.0 - middle, abs=1e-12)


@given(peak=PEAKS, flat=st.floats(0.0, 1.0))
def test_a_bell_backward_is_the_bell_with_its_peak_mirrored(peak: float, flat: float) -> None:
    r = np.linspace(0.0, 1.0, 101)
    assert np.allclose(bell(r, peak, flat), 1.0 - bell(1.0 - r, 1.0 - peak, flat), atol=1e-12)


@given(peak=PEAKS, flat=st.floats(0.0, 1.0))
def test_bells_have_no_corner_in_speed_or_acceleration(peak: float, flat: float) -> None:
    # Twice the frames, half the jump from frame to frame: nothing jumps.
    jumps = []
    for count in (4000, 8000):
        r = np.linspace(-0.2, 1.2, count + 1)
        step = r[1] - r[0]
        way = bell(r, peak, flat)
        speed = np.diff(way) / step
        push = np.diff(speed) / step
        assert np.abs(speed[[0, -1]]).max() == 0.0
        jumps.append((np.abs(np.diff(speed)).max(), np.abs(np.diff(push)).max()))
    assert jumps[1][0] < 0.55 * jumps[0][0]
    assert jumps[1][1] < 0.7 * jumps[0][1]


def test_an_even_step_has_one_speed_but_for_its_ends() -> None:
    r = np.linspace(0.0, 1.0, 1001)
    speed = np.diff(even(r)) * 1000.0
    assert np.ptp(speed[200:800]) < 1e-9
    assert speed.max() < 1.25
    assert float(even(0.0)) == 0.0
    assert float(even(1.0)) == pytest.approx(1.0)


@given(m0=st.floats(-2.0, 3.0), m1=st.floats(-2.0, 3.0))
def test_hermite_steps_have_their_slopes(m0: float, m1: float) -> None:
    track = DofTrack.of_steps([0.0], [Step(1.0, 2.0, np.array([4.0]), slopes=(m0, m1))])
    tiny = 1e-6
    start = track([1.0, 1.0 + tiny])[:, 0]
    end = track([3.0 - tiny, 3.0])[:, 0]
    # Slopes are of the way over the time, both as ratios: 4 over 2 seconds.
    assert np.diff(start)[0] / tiny == pytest.approx(2.0 * m0, abs=1e-3)
    assert np.diff(end)[0] / tiny == pytest.approx(2.0 * m1, abs=1e-3)


def test_flat_slopes_are_the_papers_ease_in_ease_out() -> None:
    track = DofTrack.of_steps([0.0], [Step(0.0, 1.0, np.array([1.0]), slopes=(0.0, 0.0))])
    r = np.linspace(0.0, 1.0, 33)
    assert np.allclose(track(r)[:, 0], 3.0 * r**2 - 2.0 * r**3, atol=1e-15)


# -- documents and errors --------------------------------------------------------------------------


def same(a: DofTrack, b: DofTrack) -> bool:
    return all(
        np.array_equal(getattr(a, name), getattr(b, name), equal_nan=True)
        for name in DofTrack.__dataclass_fields__
    )


@given(track=tracks())
def test_documents_read_back_bit_by_bit(track: DofTrack) -> None:
    text = json.dumps(track.document(), allow_nan=False)
    assert same(DofTrack.of(json.loads(text)), track)


@given(a=tracks(3), b=tracks(1), layer=tracks(3))
def test_keyed_motion_keeps_tracks_beside_everything_else(
    a: DofTrack, b: DofTrack, layer: DofTrack
) -> None:
    arm = ArmKeys([0.0, 1.0], np.zeros((2, 3)))
    keyed = KeyedMotion(left=arm, tracks={"leftWrist": a, "spineYaw": b, "leftWrist+0": layer})
    back = KeyedMotion.of(json.loads(json.dumps(keyed.document(), allow_nan=False)))
    assert list(back.tracks) == list(keyed.tracks)
    assert all(same(back.tracks[name], keyed.tracks[name]) for name in keyed.tracks)
    assert back.left is not None
    assert back.right is None
    assert keyed.duration_s == max(1.0, a.end_s, b.end_s, layer.end_s)
    assert keyed.layers("leftWrist") == [a, layer]
    assert keyed.layers("left") == []
    times = moments(1)
    assert np.array_equal(
        sum_layers(back.layers("leftWrist"), times), sum_layers([a, layer], times), equal_nan=True
    )


def test_keyed_motion_without_tracks_has_none_in_its_document() -> None:
    assert KeyedMotion().document() == {}
    assert KeyedMotion.of({}).tracks == {}


def test_what_is_as_it_comes_is_left_out_of_a_document() -> None:
    assert DofTrack([1.0, 2.0]).document() == {"first": [1.0, 2.0]}
    plain = DofTrack.of_steps([0.0], [Step(0.5, 1.0, np.array([2.0]))])
    assert set(plain.document()) == {"first", "starts", "lengths", "changes", "peaks"}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"lengths": [0.0]}, "lengths of a track go from 0 to 0, allowed is 1e-06 to"),
        ({"lengths": [-1.0]}, "lengths"),
        ({"peaks": [0.05]}, "peaks of a track go from 0.05 to 0.05, allowed is 0.1 to 0.9"),
        ({"peaks": [0.95]}, "peaks"),
        ({"flats": [1.5]}, "flats"),
        ({"changes": [[1.0, 2.0]]}, "changes"),
        ({"starts": [np.nan]}, "starts"),
        ({"arcs": [[np.inf]]}, "arcs"),
    ],
)
def test_wrong_numbers_are_named(wrong: dict[str, Any], said: str) -> None:
    right: dict[str, Any] = {"starts": [0.0], "lengths": [1.0], "changes": [[1.0]]}
    DofTrack([0.0], **right)
    with pytest.raises(InvalidValueError) as found:
        DofTrack([0.0], **{**right, **wrong})
    assert said in str(found.value)
    assert "\n" not in str(found.value)


def test_unknown_parts_of_a_document_are_named() -> None:
    with pytest.raises(InvalidValueError, match="'sloops'; allowed are first, starts"):
        DofTrack.of({"first": [0.0], "sloops": []})


@pytest.mark.parametrize("times", [[1.0, 0.5], [[0.0, 1.0]]])
def test_times_must_ascend(times: Any) -> None:
    with pytest.raises(InvalidValueError, match="ascend"):
        DofTrack([0.0])(times)


def test_a_track_cannot_be_changed() -> None:
    given_steps = np.array([[1.0]])
    track = DofTrack([0.0], [0.0], [1.0], given_steps)
    given_steps[0] = 5.0
    assert track.changes[0, 0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        track.starts[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        track.slopes[0] = 1.0
