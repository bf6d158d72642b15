"""Takes judged at once: the numbers are those of the single measures, pooled; JSON has them all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.errors import InvalidValueError, RigError
from kinesphere.evaluation.distributions import hellinger
from kinesphere.evaluation.document import plain
from kinesphere.evaluation.evaluation import evaluate
from kinesphere.evaluation.frechet import frechet_distance
from kinesphere.evaluation.gesture_feature import body_path, features
from kinesphere.evaluation.metric_registry import fault_metrics, faults, measures
from kinesphere.evaluation.movement import wrist_motion
from kinesphere.evaluation.movement_table import acceptance
from kinesphere.evaluation.results import Evaluation
from kinesphere.evaluation.side_by_side import Spread, side_by_side, window_values
from kinesphere.evaluation.speech_timing import SpeechMarks
from kinesphere.evaluation.take_measures import Subject
from kinesphere.motion.clip import rest_clip
from kinesphere.motion.humanoid import Rig
from tests.evaluation.test_distributions import wrist_histogram
from tests.evaluation.test_frechet import talking
from tests.evaluation.test_movement import RIG, moved_wrists
from tests.evaluation.test_synchrony import syllables

SECONDS = 24.0


def marks(seed: int = 0) -> SpeechMarks:
    times = syllables(np.random.default_rng(seed))
    return SpeechMarks(times[times < SECONDS], ((0.0, 10.0), (12.0, SECONDS)))


def subject(seed: int, calm: float = 1.0, spoken: bool = True) -> Subject:
    heard = marks() if spoken else None
    ends = {"arms": np.arange(1.0, 20.0, 0.7)} if spoken else {}
    return Subject(f"take {seed}", talking(seed, SECONDS, calm=calm), RIG, heard, ends)


@pytest.fixture(scope="module")
def found() -> Evaluation:
    return evaluate([subject(1), subject(2)], [subject(s, spoken=s < 5) for s in (3, 4, 5)])


def numbers(value: Any) -> Iterator[float]:
    """All numbers of a document."""
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from numbers(each)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield float(value)


def test_its_numbers_are_those_of_the_single_measures(found: Evaluation) -> None:
    mine, theirs = ([talking(s, SECONDS) for s in seeds] for seeds in ((1, 2), (3, 4, 5)))
    motions, others = ([wrist_motion(c, RIG) for c in clips] for clips in (mine, theirs))
    for row in found.quantities:
        a, b = (wrist_histogram(m, row.quantity.name) for m in (motions, others))
        assert row.takes.shares == pytest.approx(a.shares)
        assert row.distance == pytest.approx(hellinger(a.shares, b.shares))
        assert row.floor is not None
        assert len(row.between) == 3
    vectors, rest = ([features(body_path(c, RIG)) for c in clips] for clips in (mine, theirs))
    assert found.frechet is not None
    whole = frechet_distance(np.concatenate(vectors), np.concatenate(rest))
    assert found.frechet.distance == whole
    assert sum(found.frechet.parts.values()) == pytest.approx(whole.mean_part)
    for take, rows in zip(found.takes, vectors, strict=True):
        assert take.frechet == frechet_distance(rows, np.concatenate(rest))
    single = acceptance(mine[0], RIG, list(marks().spans))
    for name in measures():
        assert found.takes[0].medians[name] == pytest.approx(single[name].median)
    assert found.takes[0].windows == single.windows
    assert found.takes[1].faults == faults(mine[1], RIG)
    assert found.diversity is not None
    assert found.diversity.takes == 2


def test_the_worst_counts_and_shares_are_means(found: Evaluation) -> None:
    """One body with its hand in its chest, one without."""
    inward = np.zeros((90, 3))
    inward[:] = -0.65, -0.3, 0.05
    clips = [moved_wrists(inward), moved_wrists(np.zeros((90, 3)))]
    pair = evaluate([Subject("a", clip, RIG) for clip in clips], [Subject("b", clips[0], RIG)])
    bad = pair.takes[0].faults
    assert bad["hand_in_body_m"] > 0.01
    assert bad["hand_in_body_share"] == 1.0
    assert pair.takes[1].faults["hand_in_body_m"] == 0.0
    assert pair.faults["hand_in_body_m"] == bad["hand_in_body_m"]
    assert pair.faults["hand_in_body_share"] == 0.5
    assert pair.reference_faults["hand_in_body_share"] == 1.0
    assert set(found.reference_faults) == set(found.faults) == set(fault_metrics())


def test_the_document_is_plain_and_whole(found: Evaluation) -> None:
    document = found.document()
    text = json.dumps(document, allow_nan=False)
    assert json.loads(text) == document
    assert len(list(numbers(document))) > 500
    assert [row["name"] for row in document["movement"]] == list(measures())
    assert [take["name"] for take in document["takes"]] == ["take 1", "take 2"]
    row = document["movement"][0]
    assert row["takes"]["median"] == plain(found.movement[0].sides.synthesis.median)
    assert row["accept"] == [0.15, 0.7]
    assert document["movement"][2]["accept"] == [None, 0.15]
    assert document["frechet"]["value"] == plain(found.frechet.distance.value)  # type: ignore[union-attr]
    assert document["timing"]["segment_ends"].keys() == {"units of movement", "arms"}
    assert document["histograms"]["jerk"]["edges"][-1] is None
    assert document["diversity"]["hands_m"]["pairs"][0][0] == 0.0
    first, again = (evaluate([subject(1)], [subject(3, spoken=False)]) for _ in range(2))
    assert again.document() == first.document()


def test_the_text_says_the_same(found: Evaluation) -> None:
    text = str(found)
    assert "2 takes, 48.0 s; 3 references, 72.0 s" in text
    assert f"Fréchet {found.frechet.distance.value:.3g}" in text  # type: ignore[union-attr]
    for row in found.movement:
        assert row.measure.label in text
    assert "nan" not in text
    assert max(map(len, text.splitlines())) < 200
    alone = str(evaluate([subject(1, spoken=False)]))
    assert "references" not in alone
    assert "speech" not in alone.replace("of speech", "")


def test_like_is_nearer_than_unlike() -> None:
    references = [subject(s, spoken=False) for s in (3, 4, 5, 6)]
    like = evaluate([subject(1, spoken=False)], references)
    unlike = evaluate([subject(2, calm=0.5, spoken=False)], references)
    assert like.inside > 0.5 > 0.2 > unlike.inside
    assert like.accepted > unlike.accepted
    for a, b in zip(like.quantities, unlike.quantities, strict=True):
        assert a.floor is not None
        assert a.distance < a.floor.high < 0.5 * b.distance
    assert like.frechet is not None
    assert unlike.frechet is not None
    assert like.frechet.floor is not None
    assert (
        like.frechet.distance.value < like.frechet.floor.high < 0.5 * unlike.frechet.distance.value
    )


def test_a_take_against_itself_is_no_distance_away() -> None:
    found = evaluate([subject(1)], [subject(1)])
    assert [row.distance for row in found.quantities] == [0.0, 0.0, 0.0]
    assert found.frechet is not None
    assert found.frechet.distance.value == pytest.approx(0.0, abs=1e-8)
    assert found.frechet.between == ()
    assert all(row.sides.holds for row in found.movement if row.sides.training.count)


def test_what_is_missing_is_left_out_and_said() -> None:
    still = Subject("still", rest_clip(RIG.skeleton, 600, 60.0), RIG)
    found = evaluate([still, subject(1, spoken=False)])
    assert (found.timing, found.reference_timing) == (None, None)
    assert (found.diversity, found.frechet) == (None, None)
    assert all(row.references is None and np.isnan(row.distance) for row in found.quantities)
    notes = "\n".join(found.notes)
    for said in (
        "no timing with speech: still, take 1",
        "hardly move, so no window is measured: still",
        "not equally long",
        "no references",
        "shorter than the 20 s that the ranges are of: still",
    ):
        assert said in notes
    json.dumps(found.document(), allow_nan=False)
    silence = Subject("mute", talking(1, SECONDS), RIG, SpeechMarks(np.zeros(0), ()))
    found = evaluate([silence], [still])
    assert found.timing is None
    assert "no syllable is found: mute" in "\n".join(found.notes)
    assert "windows of a second in the takes: 47" in "\n".join(found.notes)


def test_bad_takes_are_refused_by_name() -> None:
    with pytest.raises(InvalidValueError, match="no take"):
        evaluate([])
    short = Subject("blink", rest_clip(RIG.skeleton, 30, 60.0), RIG)
    with pytest.raises(InvalidValueError, match=r"blink: 0\.48 s of motion"):
        evaluate([short])
    bones = {b: j for b, j in RIG.bones.items() if b != "leftHand"}
    with pytest.raises(RigError, match="one hand: evaluation needs a joint for leftHand"):
        evaluate([Subject("one hand", talking(1, 5.0), Rig(RIG.skeleton, bones))])


# -------------------------------------------------------------------------- side by side


def test_side_by_side_has_every_row_and_says_who_is_inside() -> None:
    training = [talking(s, 60.0) for s in (1, 2)]
    rows = side_by_side(training, [wrist_motion(talking(3, 60.0), RIG)])
    assert [row.measure.name for row in rows] == list(measures())
    values, own = window_values(training), window_values([talking(3, 60.0)])
    for row in rows:
        name = row.measure.name
        if name == "both_still_speaking":
            assert row.training.count == row.synthesis.count == 0
            assert not row.holds
            continue
        low, median, high = np.quantile(values[name], (0.05, 0.5, 0.95))
        assert (row.training.low, row.training.median, row.training.high) == (low, median, high)
        assert row.synthesis.median == np.median(own[name])
        inside = np.mean((own[name] >= low) & (own[name] <= high))
        assert row.inside == pytest.approx(inside)
        assert row.holds == (low <= row.synthesis.median <= high)
        assert row.measure.label in str(row)
    faster = side_by_side(training, [talking(4, 60.0, calm=0.5)])
    named = {row.measure.name: row for row in faster}
    assert not named["mean_speed"].holds
    assert named["mean_speed"].inside == 0.0
    assert "outside" in str(named["mean_speed"])


def test_speech_and_any_rig_may_go_along() -> None:
    clip, spans = talking(1, SECONDS), [(0.0, 10.0)]
    speaking = side_by_side([(clip, spans)], [(wrist_motion(clip, RIG), spans)])
    row = next(r for r in speaking if r.measure.name == "both_still_speaking")
    assert row.training.count == 1
    assert row.training.median == row.synthesis.median
    assert row.inside == 1.0


def test_training_data_are_mostly_inside_themselves() -> None:
    """Nine windows in ten, by what p5 and p95 are."""
    clips = [talking(s, 100.0) for s in range(3)]
    rows = [r for r in side_by_side(clips, clips) if r.training.count]
    assert all(row.holds for row in rows)
    assert np.mean([row.inside for row in rows]) == pytest.approx(0.9, abs=0.05)


def test_a_spread_without_values_holds_nothing() -> None:
    nothing = Spread.of([np.nan])
    assert nothing.count == 0
    assert 0.0 not in nothing
    assert np.isnan(nothing.share_of([1.0]))
    assert np.isnan(Spread.of([1.0]).share_of([]))
    assert Spread.of([2.0, 2.0]).share_of([2.0, 3.0]) == 0.5


def test_real_clips_are_measured_by_their_own_bones() -> None:
    """A clip of another size has the same numbers."""
    clip = talking(1, SECONDS)
    small = ks.Clip(
        clip.skeleton.scale(0.5),
        clip.fps,
        0.5 * clip.root_positions,
        clip.rotations,
        translated_joints=clip.translated_joints,
        translations=0.5 * clip.translations,
    )
    a, b = (side_by_side([c], [c]) for c in (clip, small))
    for one, other in zip(a, b, strict=True):
        assert other.training.median == pytest.approx(one.training.median, nan_ok=True, rel=1e-6)
