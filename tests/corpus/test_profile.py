"""Profiles: every probability and mean against a corpus small enough to count by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinesphere.corpus.annotation.annotation import (
    AnnotatedGesture,
    AnnotatedUnit,
    AnnotatedWord,
    Annotation,
    BodyTurn,
    PhaseMark,
)
from kinesphere.corpus.profiles.counts import GestureCounts, Moments
from kinesphere.corpus.profiles.profile import NO_SMOOTHING, Profile, Smoothing
from kinesphere.corpus.profiles.profile_estimator import (
    ProfileEstimator,
    counts_of,
    samples_of,
    word_tags,
)
from kinesphere.corpus.profiles.profile_file import read_profile, write_profile
from kinesphere.errors import InvalidValueError, UnreadableError
from kinesphere.gesture.lexicon import extend_lexicon, lexicon
from kinesphere.gesture.positions import HandPosition
from kinesphere.language.tags import semantic_tags

PLACE = HandPosition("chest", "normal", "side", "normal")


def stroke(
    at: float, lexeme: str, hands: str, word: int | None, strokes: int = 1, hold: float = 0.0
) -> AnnotatedGesture:
    """Gesture with a stroke of 0.4 s that ends at a time, and after-strokes of 0.5 s each."""
    ends = tuple(at + 0.5 * k for k in range(strokes))
    marks = [PhaseMark("stroke", at - 0.4, ends[-1], strokes, ends)]
    if hold:
        marks.append(PhaseMark("hold", ends[-1], ends[-1] + hold))
    span = None if word is None else (word, word)
    return AnnotatedGesture(
        tuple(marks),
        lexeme,
        hands,
        "open-rlx",
        "curved",
        PLACE,
        PLACE,
        start_distance=0.5 if hands == "2H" else None,
        end_distance=0.9 if hands == "2H" else None,
        affiliate=span,
    )  # type: ignore[arg-type]


def small() -> Annotation:
    """Ten words, five gestures in two units, half a minute."""
    tags = ["GIVE", "", "NONE", "GIVE", "LARGE", "LARGE+", "", "GIVE", "NONE", ""]
    words = tuple(AnnotatedWord(2.0 * i, 2.0 * i + 1.0, f"w{i}", tag=t) for i, t in enumerate(tags))
    held = AnnotatedGesture(
        (PhaseMark("preparation", 6.0, 6.5), PhaseMark("hold", 6.5, 8.0)),
        "Frame",
        "2H",
        "open-rlx",
        None,
        PLACE,
        affiliate=(4, 5),
    )
    units = (
        AnnotatedUnit(
            (stroke(0.9, "Cup", "RH", 0), stroke(4.8, "Wipe", "2H", 2, 3, 0.25), held),
            PhaseMark("retraction", 8.0, 8.8),
            "clasped",
        ),
        AnnotatedUnit(
            (stroke(15.2, "Cup", "RH", 7, 2), stroke(17.5, "", "LH", None)),
            PhaseMark("retraction", 17.6, 18.4),
            "at-side",
        ),
    )
    turns = (BodyTurn(1.0, "body", "left"), BodyTurn(0.6, "head", "left"))
    return Annotation("tiny", "en", 30.0, words, units=units, turns=turns)


def fitted(smoothing: Smoothing = NO_SMOOTHING) -> Profile:
    return ProfileEstimator(smoothing=smoothing).fit([small()]).profile_


def test_probabilities_are_those_counted_by_hand() -> None:
    p = fitted()
    assert p.of_lexeme("Cup") == 2 / 4  # the gesture without lexeme does not count
    assert p.given_tag("GIVE") == {"Cup": 2 / 3}  # three words are tagged so, two are gestured
    assert p.given_tag("NONE") == {"Wipe": 1 / 2}
    assert p.given_tag("LARGE") == {"Frame": 1.0}  # two words, one phrase
    assert p.given_tag("SMALL") == {}
    assert p.following("Wipe", "Cup") == 1 / 1  # what follows the other Cup has no lexeme
    assert p.following("Cup", "") == 2 / 4
    assert p.following("Cup", "Frame") == 1.0
    assert p.of_hand("RH") == 2 / 5
    assert p.hand_following("2H", "RH") == 1 / 2
    assert p.hand_following("LH", "RH") == 1 / 2
    assert p.hand_given_lexeme("RH", "Cup") == 1.0
    assert p.hand_given_lexeme("2H", "Wipe") == 1.0


def test_means_are_those_counted_by_hand() -> None:
    p = fitted()
    assert p.strokes("Cup") == pytest.approx((1.5, 0.5))
    assert p.strokes("Wipe") == pytest.approx((3.0, 0.0))
    # Words end at 1 and 15, the main strokes at 0.9 and 15.2.
    assert p.end_offset("Cup") == pytest.approx((-0.05, 0.15))
    assert p.end_offset("Wipe") == pytest.approx((0.2, 0.0))
    assert p.start_offset("Frame") == pytest.approx((1.5, 0.0))  # its word starts at 8
    assert p.stroke_length("Cup") == pytest.approx((0.4, 0.0))
    assert p.counts.hold_lengths["Wipe"].mean == pytest.approx(0.25)
    assert p.counts.after_intervals.mean == pytest.approx(0.5)
    assert p.rate_per_minute == 10.0
    assert p.gestures_per_unit == 2.5
    assert p.larger_units == 1.0
    assert p.counts.unit_sizes == {"3": 1, "2": 1}
    assert p.counts.phases == {"stroke": 4, "hold": 2, "preparation": 1, "retraction": 2}
    assert p.counts.rest_poses == {"clasped": 1, "at-side": 1}
    assert p.counts.turns == {"left": 1}


@pytest.mark.parametrize("smoothing", [NO_SMOOTHING, Smoothing(), Smoothing(5.0, 9.0, 3.0, 4.0)])
def test_probabilities_are_probabilities(smoothing: Smoothing) -> None:
    p = fitted(smoothing)
    assert sum(p.of_lexeme(n) for n in p.lexemes) == pytest.approx(1.0)
    assert sum(p.of_hand(h) for h in ("LH", "RH", "2H")) == pytest.approx(1.0)
    for name in p.lexemes:
        assert sum(p.hand_given_lexeme(h, name) for h in ("LH", "RH", "2H")) == pytest.approx(1.0)
    assert sum(p.following(n, "Frame") for n in p.lexemes) == pytest.approx(1.0)
    for tag in ("GIVE", "NONE", "LARGE", "SMALL", "FOCUS"):
        assert 0.0 <= sum(p.given_tag(tag).values()) <= 1.0 + 1e-12


def test_smoothing_adds_what_speakers_without_habits_do() -> None:
    p = fitted(Smoothing())
    assert 0.0 < p.given_tag("GIVE")["Cup"] < 1.0
    assert "Cup" in p.given_tag("CAUSE")  # never seen here; the lexicon of tags knows it
    # A tag that was never gestured has all its lexemes, one that was only the speaker's own.
    assert set(p.given_tag("SUDDEN")) == set(semantic_tags()["SUDDEN"].lexemes)
    assert set(p.given_tag("GIVE")) <= set(p.lexemes)


def test_a_lexeme_that_was_never_seen_is_done_as_the_lexicon_says() -> None:
    p, snap = fitted(Smoothing()), lexicon()["Snap"]
    assert "Snap" not in p.lexemes
    assert [p.hand_given_lexeme(h, "Snap") for h in ("RH", "LH", "2H")] == list(snap.hands)
    assert p.strokes("Snap")[0] == snap.strokes
    assert p.stroke_length("Snap")[0] == snap.stroke_s
    # The speaker's own counts win where they exist.
    assert "Cup" in p.lexemes
    assert p.stroke_length("Cup")[0] != lexicon()["Cup"].stroke_s


def test_own_lexemes_change_habits_only_where_they_are_added() -> None:
    p = fitted(Smoothing())
    usual = p.given_tag("FOCUS")
    assert "Cup" in usual
    with extend_lexicon({"Cup": replace(lexicon()["Cup"], particular=True)}):
        assert "Cup" not in p.given_tag("FOCUS")
    assert p.given_tag("FOCUS") == usual


def test_what_is_taken_out_is_as_if_never_seen() -> None:
    other = replace(small(), speaker="other", duration_s=12.0)
    both = ProfileEstimator().fit([small(), other], ["a", "b"]).profile_
    alone = ProfileEstimator().fit([small()], ["a"]).profile_
    left = both.without(counts_of(other), "b")
    assert left.counts.lexemes == alone.counts.lexemes
    assert left.counts.tag_lexemes == alone.counts.tag_lexemes
    assert left.samples == alone.samples
    assert left.counts.strokes["Cup"].mean == pytest.approx(alone.counts.strokes["Cup"].mean)
    assert left.rate_per_minute == pytest.approx(alone.rate_per_minute)
    with pytest.raises(InvalidValueError, match="more is taken out"):
        left.without(counts_of(other), "b").without(counts_of(other), "b")


@given(st.lists(st.floats(-9, 9), min_size=1, max_size=20), st.integers(0, 20))
def test_moments_add_up(values: list[float], cut: int) -> None:
    def moments(rows: list[float]) -> Moments:
        out = Moments()
        for value in rows:
            out = out + Moments.of(value)
        return out

    first, last = moments(values[:cut]), moments(values[cut:])
    whole = first + last
    assert whole.mean == pytest.approx(sum(values) / len(values), abs=1e-9)
    assert (whole - last).mean == pytest.approx(first.mean, abs=1e-6)


def test_counting_is_linear_in_performances() -> None:
    once, twice = counts_of(small()), counts_of(small()) + counts_of(small())
    assert {k: 2 * v for k, v in once.lexemes.items()} == twice.lexemes
    assert twice - once == once + GestureCounts()


def test_samples_are_blueprints() -> None:
    rows = samples_of(small(), "tiny")
    assert [s.lexeme for s in rows] == ["Cup", "Wipe", "Frame", "Cup"]
    cup, wipe, frame, _ = rows
    assert (cup.strokes, cup.start_distance) == (1, None)
    assert cup.stroke_s == pytest.approx(0.4)
    assert (wipe.start_distance, wipe.end_distance, wipe.hold_s) == (0.5, 0.9, 0.25)
    assert frame.is_hold
    assert frame.end is None
    assert frame.start_distance == 0.95  # nobody annotated it: the lexicon's
    assert fitted().samples_of("Cup", "LH") == fitted().samples_of("Cup")


def test_tags_are_found_where_nobody_wrote_them() -> None:
    words = ["nobody", "gave", "the", "children", "any", "huge", "presents"]
    plain = tuple(AnnotatedWord(i, i + 0.9, w) for i, w in enumerate(words))
    found = word_tags(Annotation("x", "en", 9.0, plain))
    assert ("LARGE", 5, 5) in [(t.tag, t.first, t.last) for t in found]


def test_a_profile_written_and_read_is_the_same(tmp_path: Path) -> None:
    profile = replace(
        fitted(Smoothing(1.0, 2.0, 3.0, 4.0)), portrait={"turning": "jokes", "x": 1.5}
    )
    path = tmp_path / "a.kin"
    write_profile(profile, path)
    assert read_profile(path) == profile
    first = path.read_bytes()
    write_profile(profile, path)
    assert path.read_bytes() == first


def test_what_is_no_profile_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.kin"
    write_profile(fitted(), path)
    data = path.read_bytes()
    for cut in (0, 10, len(data) // 2, len(data) - 3):
        path.write_bytes(data[:cut])
        with pytest.raises(UnreadableError) as caught:
            read_profile(path)
        assert "\n" not in str(caught.value)
        assert "a.kin" in str(caught.value)


def test_a_profile_needs_gestures() -> None:
    with pytest.raises(InvalidValueError, match="at least one annotated gesture"):
        ProfileEstimator().fit([replace(small(), units=())])


def test_a_speaker_whose_words_nobody_heard_still_gestures() -> None:
    units = [
        replace(u, gestures=tuple(replace(g, affiliate=None) for g in u.gestures))
        for u in small().units
    ]
    mute = replace(small(), words=(), units=tuple(units))
    silent = ProfileEstimator().fit([mute]).profile_
    assert silent.gesture_probability == pytest.approx(0.4)
    assert silent.given_tag("GIVE")["Cup"] > 0.1
