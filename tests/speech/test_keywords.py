"""Phrases in a voice: however the sound is cut, by calibrated thresholds, and errors that teach."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from tools import keyword_calibration
from tools.keyword_calibration import (
    POWERS,
    Calibration,
    DetectionCounts,
    Sounds,
    calibrate,
    measure,
    synthesise,
)

from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats
from kinesphere.speech.alignment import keywords
from kinesphere.speech.alignment.keywords import SpottedPhrase
from kinesphere.speech.alignment.pronunciation import pronunciations
from kinesphere.speech.alignment.transcripts import read_transcript, words_of
from kinesphere.speech.audio import read_audio
from kinesphere.timeline import Interval

RATE = 16_000
PHRASES = {"ladies and gentlemen": -80.0, "absolutely huge": -40.0}
VOICE = (("espeak", "en-us", 1.0),)


@cache
def spoken() -> Sounds:
    """Two phrases, each alone and in sentences, and a text without them."""
    text = "Nobody had seen the old man since the winter, and nobody asked."
    return next(iter(synthesise(tuple(PHRASES), [text], VOICE)))


def heard(sound: Floats, size: int, rate_hz: float = RATE) -> list[SpottedPhrase]:
    state, found = keywords.start(PHRASES, rate_hz), []
    for first in range(0, len(sound), size):
        state, more = keywords.step(state, sound[first : first + size])
        found += more
    return found + keywords.finish(state)


def test_phrases_are_found_where_they_are_said() -> None:
    found = heard(spoken().samples, 1600)
    said = spoken().phrases
    assert len(said) == 8
    right = [
        s
        for s in found
        if any(i.label == s.phrase and abs(i.start_s - s.start_s) < 0.2 for i in said)
    ]
    assert len(right) >= 6
    assert len(found) - len(right) <= 1


@pytest.mark.parametrize("size", [1, 160, 1111, 10_000_000])
def test_chunks_of_any_size_give_the_same(size: int) -> None:
    sound = spoken().samples[: 6 * RATE if size > 1 else RATE // 4]
    found = heard(sound, size)
    assert found == heard(sound, 1600)
    assert found or size == 1


def test_a_voice_that_begins_late_is_found_at_its_time() -> None:
    sound = spoken().samples[: 6 * RATE]
    late = heard(np.concatenate([np.zeros(2 * RATE), sound]), 500)
    plain = heard(sound, 500)
    assert plain
    for spotted in plain:  # the dither is another, so that another may be found besides
        near = [s.start_s - 2.0 for s in late if s.phrase == spotted.phrase]
        assert min(abs(t - spotted.start_s) for t in near) < 0.05


def test_silence_and_a_moment_of_sound_hold_nothing() -> None:
    assert heard(np.zeros(3 * RATE), 1600) == []
    assert heard(spoken().samples[:400], 160) == []
    assert heard(np.zeros(0), 160) == []


def test_a_state_goes_on_once() -> None:
    first = keywords.start(PHRASES, RATE)
    assert first.phrases == tuple(PHRASES)
    keywords.step(first, np.zeros(10))
    with pytest.raises(InvalidValueError, match="was already advanced"):
        keywords.step(first, np.zeros(10))
    with pytest.raises(InvalidValueError, match="was already advanced"):
        keywords.finish(first)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("huge=-20", "phrase 'huge' has 1 syllable, needed are 3 or more"),
        ("by and by now I=-20,off it=-20", "phrase 'off it' has 2 syllables"),
        ("nobody knows this phrase", "no threshold is known for .*keyword_calibration"),
        ("ladies and gentlemen=-500", "is -500, allowed is -120 to 0"),
        ("ladies and gentlemen=nan", "is nan, allowed is -120 to 0"),
        ("ladies and gentlemen=loud", "'loud' is no number; allowed is PHRASE=-20"),
        (",,", "0 phrases, allowed are 1 to 200"),
    ],
)
def test_bad_phrases_are_refused(text: str, reason: str) -> None:
    with pytest.raises(InvalidValueError, match=reason):
        keywords.start(keywords.parse_phrases(text), RATE)


def test_phrases_as_an_option_has_them() -> None:
    known = keywords.known_thresholds()
    assert keywords.parse_phrases("") == dict(known)
    name, power = next(iter(known.items()))
    given = keywords.parse_phrases(f" {name.upper()} , All over  Again=-20")
    assert given == {name: power, "all over again": -20.0}


def test_what_comes_with_us_was_calibrated() -> None:
    path = Path(keywords.__file__).parents[1] / "data" / "keywords.json"
    rows = json.loads(path.read_text(encoding="utf-8"))["phrases"]
    assert rows
    for row in rows.values():
        assert row["threshold"] in POWERS
        assert row["recall"] >= keyword_calibration.LEAST_RECALL
        assert row["false_per_minute"] <= 0.5 / len(rows)
    keywords.start(rows.keys(), RATE)  # long enough, all of them


# -- calibration --


def counted(said: int, hits: list[int], wrong: list[int]) -> DetectionCounts:
    fill = len(POWERS) - len(hits)
    return DetectionCounts(
        said,
        dict(zip(POWERS, hits + [0] * fill, strict=True)),
        dict(zip(POWERS, wrong + [0] * fill, strict=True)),
    )


def test_a_threshold_hears_most_without_being_wrong_too_often() -> None:
    row = counted(10, [9, 8, 7, 7, 3], [5, 3, 2, 1, 0])
    chosen = keyword_calibration._choose
    assert chosen(row, 10.0, 4.0) == Calibration(POWERS[0], 0.9, 1.25)
    assert chosen(row, 2.0, 4.0) == Calibration(POWERS[3], 0.7, 0.25)  # 7 as well, less wrong
    assert chosen(row, 0.0, 4.0) == Calibration(POWERS[4], 0.3, 0.0)
    noisy = counted(10, [10] * len(POWERS), [9] * len(POWERS))
    assert chosen(noisy, 1.0, 4.0).recall == 0.0


def test_the_weakest_are_left_out_and_their_share_goes_to_the_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = {
        "good": counted(10, [10, 8], [0, 0]),
        "noisy": counted(10, [8, 4], [3, 0]),
        "bad": counted(10, [2, 1], [9, 9]),
    }
    monkeypatch.setattr(keyword_calibration, "_count_detections", lambda *_: (dict(rows), 6.0))
    found = calibrate(tuple(rows), [], 1.0)
    assert found == {
        "good": Calibration(POWERS[0], 1.0, 0.0),
        "noisy": Calibration(POWERS[0], 0.8, 0.5),
    }
    assert set(calibrate(tuple(rows), [], 0.5)) == {"good"}
    assert calibrate(tuple(rows), [], 0.5, least_recall=1.1) == {}


def test_calibration_of_a_phrase_that_is_said() -> None:
    found = calibrate(tuple(PHRASES), [spoken()], 10.0)
    assert "absolutely huge" in found
    thresholds = {name: row.threshold for name, row in found.items()}
    result = measure(thresholds, [spoken()])
    assert result.said == 4 * len(found)
    assert result.heard >= sum(round(4 * row.recall) for row in found.values()) - 1
    assert result.wrong <= 10.0 * result.minutes
    assert 0.0 < result.late_s < 0.5
    assert result.line().startswith(f"{result.minutes:.1f} minutes: {result.heard} of")
    with pytest.raises(InvalidValueError, match="no recording contains over the moon"):
        calibrate(["over the moon"], [Sounds(spoken().samples[:RATE], ())])


def test_the_command_calibrates_and_checks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "a.txt"
    text.write_text("A day without a word.", encoding="utf-8")
    main = keyword_calibration.main
    assert main(["absolutely huge", "--voices", "1", "--text", str(text)]) == 0
    assert isinstance(json.loads(capsys.readouterr().out)["phrases"], dict)
    name = next(iter(keywords.known_thresholds()))
    assert main([name, "--check"]) == 0
    assert re.match(r"other voices, .* of 6 phrases spotted", capsys.readouterr().out)
    assert main(["huge"]) == 2
    assert "needed are 3 or more" in capsys.readouterr().err
    assert main(["--text", str(tmp_path / "no.txt")]) == 2


def test_people_are_heard_at_the_lowest_threshold_that_is_tried(data: Path) -> None:
    """Phrases of four to six syllables that somebody said, none of which is ours."""
    sound = read_audio(data / "beat2/2_scott_0_1_1.wav", RATE).samples[: 40 * RATE]
    words = words_of(read_transcript(data / "beat2/2_scott_0_1_1.TextGrid")).intervals
    said = [i for i in said_phrases(words) if i.end_s < 40.0]
    assert len(said) >= 20
    result = measure(
        dict.fromkeys((i.label for i in said), float(POWERS[0])), [Sounds(sound, tuple(said))]
    )
    assert result.heard >= 0.75 * result.said


def said_phrases(words: tuple[Interval, ...]) -> list[Interval]:
    decoder = keywords.new_decoder()
    found: dict[str, Interval] = {}
    for i in range(0, len(words) - 2, 2):
        row = words[i : i + 3]
        labels = [re.sub(r"[^a-z']", "", w.label.lower()) for w in row]
        ways = pronunciations(labels, decoder.lookup_word) if all(labels) else [()]
        count = sum(keywords.syllables(way[0]) for way in ways if way)
        if all(ways) and 4 <= count <= 6 and row[-1].end_s - row[0].start_s < 1.8:
            name = " ".join(labels)
            found.setdefault(name, Interval(row[0].start_s, row[-1].end_s, name))
    return list(found.values())
