"""Texts in time: by a recording's words and accents, or at an even pace."""

from __future__ import annotations

import numpy as np
import pytest

from kinesphere.errors import InvalidValueError
from kinesphere.pipeline.hear import hear
from kinesphere.pipeline.stages.cast import Cast
from kinesphere.pipeline.stages.direction import Direction
from kinesphere.pipeline.stages.plan import explain, plan
from kinesphere.pipeline.stages.timed_text import time_text
from kinesphere.speech.heard import Heard
from kinesphere.speech.value import Speech
from kinesphere.timeline import Interval, Tier

TEXT = "The minister gave us a huge house."


def speech(words: list[str], loud: int | None = None) -> Speech:
    """A buzz for each word, half a second apart; one of them louder and longer."""
    rate = 16000
    t = np.arange(int(rate * (0.5 * len(words) + 0.5))) / rate
    sound = np.zeros(len(t))
    rows = []
    for i, word in enumerate(words):
        start, length = 0.25 + 0.5 * i, 0.42 if i == loud else 0.25
        inside = (t >= start) & (t < start + length)
        shape = np.sin(np.pi * np.clip((t - start) / length, 0.0, 1.0))
        buzz = sum(np.sin(2 * np.pi * 140 * k * t) / k for k in range(1, 9))
        sound += inside * shape * buzz * (0.3 if i == loud else 0.08)
        rows.append(Interval(start, start + length, word))
    return Speech(sound, rate, text=" ".join(words), words=Tier("words", tuple(rows)))


def test_an_even_pace_is_assumed_without_a_voice() -> None:
    spoken = time_text(TEXT)
    assert not spoken.measured
    assert len(spoken.times) == 7
    assert spoken.times[-1][1] == pytest.approx(7 * 60 / 150)


def test_words_take_the_times_of_the_recording() -> None:
    said = ["the", "minister", "gave", "us", "a", "huge", "house"]
    spoken = time_text(TEXT, "en", speech(said))
    assert spoken.measured
    assert [round(a, 3) for a, _ in spoken.times] == [0.25 + 0.5 * i for i in range(7)]


def test_words_that_were_not_heard_share_the_time_between() -> None:
    said = ["the", "minister", "us", "a", "house"]
    times = time_text(TEXT, "en", speech(said)).times
    assert times[1][0] == pytest.approx(0.75)
    assert times[1][1] <= times[2][0] <= times[2][1] <= times[3][0]
    assert all(a <= b for a, b in times)


def test_another_text_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="is it the same text"):
        time_text(
            TEXT, "en", speech(["nothing", "of", "this", "kind", "was", "ever", "said", "here"])
        )


def test_the_accent_decides_the_focus() -> None:
    said = ["the", "minister", "gave", "us", "a", "huge", "house"]
    foci = {}
    for loud in (2, 5):
        heard: Heard = hear(speech(said, loud))
        tagged = time_text(TEXT, "en", heard).tagged
        words = [t.text for t in tagged.words]
        spans = [(s.first, s.last) for s in tagged.spans("focus")]
        foci[loud] = {words[i] for a, b in spans for i in range(a, b + 1)}
    assert "gave" in foci[2]
    assert "huge" in foci[5]
    assert foci[2] != foci[5]


def test_reasons_are_printed_for_readers() -> None:
    made = plan(TEXT, Cast("host", seed=1), Direction(amount=2.0))
    text = explain(made.reasons)
    assert len(text.splitlines()) == len(made.reasons)
    assert any(line.startswith("+") for line in text.splitlines())
    assert "LARGE" in text


def test_a_number_is_shown_as_it_is_said() -> None:
    shapes = {}
    for language, text in (
        ("en", "I have <three|NumberSign RH> cats and <two|NumberSign RH> dogs."),
        ("de", "Ich habe <drei|NumberSign RH> Katzen und <zwei|NumberSign RH> Hunde."),
    ):
        made = plan(text, Cast("critic", language=language), Direction(amount=0.0))
        shapes[language] = [g.handshape for g in made.script.gestures]
    assert shapes == {"en": ["three", "victory"], "de": ["three-de", "two-de"]}


def test_a_short_sentence_is_not_left_without_a_gesture() -> None:
    for style in ("host", "critic", "neutral"):
        assert plan("This is huge.", Cast(style)).script.gestures
        assert not plan("This is huge.", Cast(style), Direction(amount=0.0)).script.gestures


def test_meaning_comes_first_in_short_texts() -> None:
    fitting = 0
    for seed in range(30):
        made = plan("The thing is absolutely huge.", Cast("host", seed=seed))
        fitting += any(g.lexeme in ("BigSpan", "OpenHands", "Frame") for g in made.script.gestures)
    assert fitting >= 20


def test_a_hand_that_cannot_do_it_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="BigSpan with LH, allowed are 2H"):
        time_text("It is <huge|BigSpan LH>.")
