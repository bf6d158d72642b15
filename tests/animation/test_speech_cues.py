"""What the body feels of a speech, against a slow and simple reading of the same rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinesphere.animation.speech_cues import PAUSE_S, SpeechCues, speech_cues
from kinesphere.gesture.script import GestureScript, ScriptGesture, ScriptUnit
from kinesphere.speech.prosody.prominence import Accent, Prominence


def heard(*rows: tuple[float, float, float, float]) -> Prominence:
    """Prominence of syllables: start, loudest moment, end, value."""
    return Prominence(tuple(Accent(a, p, b, "", v) for a, p, b, v in rows), (), ())


@st.composite
def speeches(draw: st.DrawFn) -> Prominence:
    at, rows = draw(st.floats(0.0, 1.0)), []
    for _ in range(draw(st.integers(0, 12))):
        length = draw(st.floats(0.0, 0.4))
        rows.append(
            (at, at + draw(st.floats(0.0, 1.0)) * length, at + length, draw(st.floats(0, 1)))
        )
        at += length + draw(st.sampled_from([0.0, 0.05, 0.24, 0.26, 1.0]))
    return heard(*rows)


def gesture(end_s: float, stroke_s: float = 0.3) -> ScriptGesture:
    return ScriptGesture("Cup", "RH", "prep+stroke", stroke_end_s=end_s, stroke_s=stroke_s)


def script(*ends: float) -> GestureScript:
    return GestureScript((ScriptUnit(tuple(gesture(end) for end in ends)),))


@given(said=speeches())
def test_phrases_hold_all_syllables_and_only_long_pauses_part_them(said: Prominence) -> None:
    cues = speech_cues(said, 20.0)
    for row in said.syllables:
        assert sum(a <= row.start_s and row.end_s <= b for a, b in cues.phrases) == 1
    for (_, end), (start, _) in zip(cues.phrases, cues.phrases[1:], strict=False):
        assert start - end >= PAUSE_S
    inner = [
        b.start_s - a.end_s
        for a, b in zip(said.syllables, said.syllables[1:], strict=False)
        if b.start_s not in [start for start, _ in cues.phrases]
    ]
    assert all(gap < PAUSE_S for gap in inner)


@given(said=speeches(), at=st.floats(-1.0, 8.0), later=st.floats(0.0, 3.0))
def test_questions_about_time_have_the_answers_of_a_plain_search(
    said: Prominence, at: float, later: float
) -> None:
    cues = speech_cues(said, 9.0)
    assert cues.speaking(at) == any(a <= at < b for a, b in cues.phrases)
    inside = [b for a, b in cues.phrases if a <= at < b]
    if inside:
        assert cues.phrase_end(at) == inside[0]
    ahead = [a for a, _ in cues.phrases if a >= at]
    assert cues.next_phrase(at) == (min(ahead) if ahead else 9.0)
    found = [(a.peak_s, a.value) for a in said.syllables if at <= a.peak_s < at + later]
    assert cues.between(at, at + later) == found
    near = min((abs(a.peak_s - at) for a in said.syllables), default=np.inf)
    nearest = cues.nearest(at, 0.3)
    if near > 0.3:
        assert nearest is None
    else:
        assert nearest is not None
        assert abs(nearest - at) == pytest.approx(near)


def test_the_pause_after_a_phrase() -> None:
    cues = SpeechCues(phrases=((0.0, 1.0), (1.5, 2.0)), end_s=3.0)
    assert cues.pause_after(0.4) == pytest.approx(0.5)
    assert cues.pause_after(1.2) == np.inf
    assert cues.pause_after(1.7) == np.inf
    assert cues.phrase_end(1.2) == 2.0
    assert cues.phrase_end(2.5) == 2.5
    assert SpeechCues().pause_after(1.0) == np.inf


def test_phrases_that_touch_are_two_phrases() -> None:
    cues = SpeechCues(phrases=((0.0, 1.0), (1.0, 2.0)), end_s=3.0)
    assert cues.speaking(1.0)
    assert cues.phrase_end(1.0) == 2.0


def test_a_gesture_meets_the_strongest_syllable_of_its_words() -> None:
    said = heard((0.0, 0.1, 0.2, 0.9), (0.3, 0.4, 0.5, 0.3), (0.5, 0.6, 0.7, 0.6), (2, 2.1, 2.2, 1))
    cues = speech_cues(said, 3.0, script(0.7), words=[(0.25, 0.8)])
    assert cues.cue(0) == (0.6, 0.6)
    assert speech_cues(said, 3.0, script(0.7), words=[(0.75, 1.9)]).cue(0)[0] is None


def test_without_words_it_is_looked_for_near_the_end_of_the_stroke() -> None:
    said = heard((0.0, 0.1, 0.2, 1.0), (0.9, 1.0, 1.1, 0.2), (1.2, 1.3, 1.4, 0.5), (3, 3.1, 3.2, 1))
    cues = speech_cues(said, 4.0, script(1.0, 5.0), words=[None])
    assert cues.cue(0) == (1.3, 0.5)
    assert cues.cue(1)[0] is None
    assert 0.0 < cues.cue(1)[1] < 0.5


def test_a_hold_gesture_is_looked_for_where_it_starts() -> None:
    hold = ScriptGesture("Stop", "RH", "hold", hold_start_s=1.0, hold_s=2.0)
    said = heard((1.0, 1.1, 1.2, 0.5), (2.9, 3.0, 3.1, 1.0))
    assert speech_cues(said, 4.0, GestureScript((ScriptUnit((hold,)),))).cue(0)[0] == 1.1


def test_what_is_not_known_is_a_middling_accent() -> None:
    moment, accent = SpeechCues().cue(7)
    assert moment is None
    assert 0.0 < accent < 1.0


def test_peaks_ascend_even_if_syllables_overlap() -> None:
    cues = speech_cues(heard((0.0, 0.5, 0.6, 0.1), (0.1, 0.2, 0.7, 0.9)), 1.0)
    assert list(cues.peaks) == [0.2, 0.5]
    assert list(cues.strengths) == [0.9, 0.1]
    assert cues.phrases == ((0.0, 0.7),)


def test_silence_has_neither_syllables_nor_phrases() -> None:
    cues = speech_cues(heard(), 2.0, script(1.0), questions=(1.5,))
    assert len(cues.peaks) == 0
    assert cues.phrases == ()
    assert cues.cue(0)[0] is None
    assert cues.questions == (1.5,)
    assert cues.next_phrase(0.0) == 2.0
