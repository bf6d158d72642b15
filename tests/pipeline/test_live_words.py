"""Timed words of a live session: lines, files, sockets and pipes, order, lateness, the engine."""

from __future__ import annotations

import gc
import json
import math
import os
import socket
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesphere.bodylanguage.choose.word_choice import SpokenWord
from kinesphere.bodylanguage.play import engine
from kinesphere.bodylanguage.play.gesture_clips import _clip
from kinesphere.bodylanguage.play.live_options import LiveOptions
from kinesphere.dynamics.tension import presets
from kinesphere.errors import InvalidValueError, UnreadableError
from kinesphere.maths.arrays import Floats
from kinesphere.pipeline import live as together
from kinesphere.pipeline.live import Hearing
from kinesphere.pipeline.models import model
from kinesphere.pipeline.speakers import speaker
from kinesphere.realtime.engine import SpottingEngine, TensedEngine, VoiceEngine
from kinesphere.realtime.run import Outputs, prepare, run
from kinesphere.realtime.session import begin, step
from kinesphere.realtime.sinks.sinks import PoseSlice
from kinesphere.realtime.sources.word_sources import (
    FileWords,
    PipeWords,
    UdpWords,
    WordSource,
    udp_address,
)
from kinesphere.realtime.state import (
    Arrival,
    Chunk,
    Engine,
    LiveSession,
    Lost,
    SessionSettings,
    Signal,
)
from kinesphere.realtime.words import (
    AHEAD_S,
    FARTHEST_S,
    LATEST_S,
    LONGEST_LINE,
    MOST_WAITING,
    NONE_MALFORMED,
    SaidWord,
    WordQueue,
    estimate_words,
    parse_word,
    portions,
    read_words,
)
from kinesphere.speech.alignment.keywords import BLOCK
from kinesphere.speech.voices.voice import load_voice
from tests.pipeline.live_standin import StandInEngine

RATE = 16_000
FAST = SessionSettings(fast=True)
OPTIONS = LiveOptions(word_gestures=1.0)
times = st.floats(0.0, 1000.0).map(lambda t: round(t, 3))


def said(text: str, start_s: float, end_s: float, character: int | None = None) -> SaidWord:
    return SaidWord(SpokenWord(text, start_s, end_s), character)


# -- a line --


@given(
    st.text(min_size=1, max_size=100).filter(lambda t: t.strip() and t.isprintable()),
    times,
    st.floats(0.0, 5.0),
    st.none() | st.floats(0.0, 1.0),
    st.none() | st.integers(0, 2),
)
def test_a_line_says_what_was_written(
    text: str, start_s: float, lasts_s: float, share: float | None, character: int | None
) -> None:
    end_s = start_s + lasts_s
    stress_s = None if share is None else min(start_s + share * lasts_s, end_s)
    row = {"word": text, "start": start_s, "end": end_s, "conf": 0.9}
    row |= {} if stress_s is None else {"stress": stress_s}
    row |= {} if character is None else {"character": character}
    found = parse_word(json.dumps(row), characters=3)
    assert found == (SpokenWord(" ".join(text.split()), start_s, end_s, stress_s), character)


def test_words_from_now_on() -> None:
    found = parse_word('{"word": "huge", "in": 0.5, "lasts": 0.2, "stress": 0.6}', now_s=10.0)
    assert found.word == SpokenWord("huge", 10.5, 10.7, 10.6)
    just = parse_word(b'{"word": "huge", "in": -0.5}', now_s=10.0).word
    assert (just.start_s, just.end_s) == pytest.approx((9.5, 9.8))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)
near_words = st.dictionaries(
    st.sampled_from(["word", "start", "end", "in", "lasts", "stress", "character"]), json_values
).map(json.dumps)


@settings(max_examples=300)
@given(st.text() | st.binary() | near_words, st.none() | st.floats(0.0, 1e6))
def test_any_line_is_a_word_or_is_refused(line: str | bytes, now_s: float | None) -> None:
    try:
        word, character = parse_word(line, 2, now_s)
    except InvalidValueError as error:
        assert "\n" not in str(error)
        assert len(str(error)) < 200
    else:
        assert word.text.strip()
        assert -1e6 <= word.start_s <= word.moment_s <= word.end_s <= 3e6
        assert character in (None, 0, 1)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "is not JSON"),
        ("[" * 5000, "is not JSON"),
        ("7", "is not an object"),
        ('{"word": 3, "start": 1, "end": 2}', "has no 'word'"),
        ('{"word": "a\\u0000", "start": 1, "end": 2}', "is not text"),
        ('{"word": "a", "start": 1}', "has no 'end'"),
        ('{"word": "a", "start": true, "end": 2}', "has no 'start'"),
        ('{"word": "a", "start": NaN, "end": 2}', "its start is not"),
        ('{"word": "a", "start": 1, "end": 1e400}', "its end is not"),
        ('{"word": "a", "start": 2, "end": 1}', "before it starts"),
        ('{"word": "a", "start": 1, "end": 2, "stress": 3}', "its stress is outside"),
        ('{"word": "a", "start": 1, "end": 2, "character": 1}', "allowed is 0 to 0"),
        ('{"word": "a", "in": 1}', "which a file cannot have"),
        ('{"word": "a", "start": 1, "end": 2, "lasts": 1}', "without 'in'"),
        ('{"word": "' + "a" * LONGEST_LINE + '"}', "longer than 8192 bytes"),
    ],
)
def test_a_bad_line_tells_what_is_wrong(line: str, reason: str) -> None:
    with pytest.raises(InvalidValueError, match=reason):
        parse_word(line)


# -- files --

TEXTGRID = """File type = "ooTextFile"
Object class = "TextGrid"

0 2
<exists>
1
"IntervalTier"
"words"
0 2
3
0 1
""
1 1.4
"huge"
1.4 2
"thing"
"""
FILES = {
    "a.TextGrid": TEXTGRID,
    "a.json": '{"words": [{"word": "huge", "start": 1, "end": 1.4}, '
    '{"word": "thing", "start": 1.4, "end": 2}]}',
    "a.csv": "start,end,word\n1,1.4,huge\n1.4,2,thing\n",
    "a.jsonl": '\n{"word": "thing", "start": 1.4, "end": 2}\n'
    '{"word": "huge", "start": 1, "end": 1.4}\n',
}


@pytest.mark.parametrize("name", FILES)
def test_words_are_read_from_any_transcript(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(FILES[name], encoding="utf-8")
    assert list(read_words(path)) == [said("huge", 1.0, 1.4), said("thing", 1.4, 2.0)]


def test_words_of_subtitles_are_spread(tmp_path: Path) -> None:
    path = tmp_path / "a.vtt"
    path.write_text("WEBVTT\n\n00:01.000 --> 00:02.000\na huge one\n", encoding="utf-8")
    words = [word for word, _ in read_words(path)]
    assert [w.text for w in words] == ["a", "huge", "one"]
    assert [w.end_s for w in words] == pytest.approx([1.125, 1.625, 2.0])
    assert [w.start_s for w in words[1:]] == [w.end_s for w in words[:-1]]


@given(st.lists(st.sampled_from(["a", "huge", "one"]), min_size=1), times, st.floats(0.0, 9.0))
def test_spread_words_fill_their_time(words: list[str], start_s: float, lasts_s: float) -> None:
    spread = estimate_words(" ".join(words), start_s, start_s + lasts_s)
    assert [w.text for w in spread] == words
    assert (spread[0].start_s, spread[-1].end_s) == (start_s, start_s + lasts_s)
    assert all(a.end_s == b.start_s for a, b in pairwise(spread))


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("a.jsonl", '{"word": "a", "start": 1, "end": 2}\n{"word"\n', "a.jsonl: line 2: is not"),
        ("a.jsonl", '{"word": "a", "in": 2}\n', "a.jsonl: line 1: has 'in'"),
        ("a.jsonl", "\n\n", "a.jsonl: contains no word"),
        ("a.csv", "1,2,a\n3,x,b\n", "a.csv: line 2: has 'x'"),
        ("a.json", "{}", "a.json: has neither"),
        ("a.TextGrid", TEXTGRID.replace("words", "hands"), "a.TextGrid: no tier of words"),
        ("a.txt", "hello", "has the suffix '.txt', readable are .jsonl"),
    ],
)
def test_a_bad_file_names_its_line(name: str, text: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises((UnreadableError, InvalidValueError), match=reason):
        read_words(path)


def test_a_long_file_is_handed_over_bit_by_bit(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("".join(f"{t},{t + 1},w{t}\n" for t in range(5000)), encoding="utf-8")
    source, queue = FileWords(path), WordQueue((-math.inf,))
    told: list[SaidWord] = []
    for now_s in range(5000):
        queue, dropped = queue.add(source.poll(now_s), now_s)
        queue, due = queue.due(now_s)
        assert not dropped
        assert len(queue.waiting) <= AHEAD_S + 1
        told += due
    assert told == list(read_words(path))


# -- the queue --


@given(st.lists(st.tuples(times, st.floats(0.0, 3.0), st.sampled_from([None, 0, 1]), times)))
def test_words_are_told_in_order_or_counted(rows: list[tuple[float, float, Any, float]]) -> None:
    queue, told, reasons = WordQueue((-math.inf, -math.inf)), [], []
    now_s = 0.0
    for start_s, lasts_s, character, at_s in rows:
        now_s = max(now_s, at_s)
        word = said("a", start_s, start_s + lasts_s, character)
        queue, dropped = queue.add([word], now_s)
        assert (dropped == ["late_words"]) == (start_s + lasts_s + LATEST_S < now_s)
        queue, due = queue.due(now_s)
        reasons += dropped
        told += due
    assert len(told) + len(reasons) + len(queue.waiting) == len(rows)
    for k in (0, 1):
        mine = [w.start_s for w, c in (*told, *queue.waiting) if c in (None, k)]
        assert mine == sorted(mine)


def test_a_queue_is_bounded() -> None:
    queue = WordQueue((-math.inf,))
    queue, dropped = queue.add([said("a", FARTHEST_S + 1.0, FARTHEST_S + 2.0)], 0.0)
    assert dropped == ["lost_words"]
    many = [said("a", 50.0, 51.0)] * (MOST_WAITING + 3)
    queue, dropped = queue.add(many, 0.0)
    assert dropped == ["lost_words"] * 3
    assert queue.add([said("a", 49.0, 51.0)], 20.0)[1] == ["lost_words"]
    assert queue.due(20.0)[1] == tuple(many[:MOST_WAITING])


# -- the session --


@dataclass(frozen=True)
class ToldEngine(StandInEngine):
    """Keeps what it was told, and after how many samples."""

    told: tuple[tuple[int, int, str], ...] = ()

    def start(self) -> Any:
        return (*super().start(), ())

    def step(self, state: Any, chunk: Floats) -> tuple[Any, PoseSlice]:
        after, frames = super().step(state[:2], chunk)
        return (*after, state[2]), frames

    def push_words(self, state: Any, words: Sequence[SpokenWord], character: int) -> Any:
        rows = tuple((state[0], character, word.text) for word in words)
        return (*state[:2], state[2] + rows)


def heard(
    engine: Engine, sound: Floats, cuts: Sequence[int], known: dict[int, list[SaidWord]]
) -> tuple[LiveSession, Floats]:
    """Session after a sound that was cut in pieces; words become known at some samples."""
    session, made = begin(engine, 0.0, FAST), []
    places = sorted({0, *cuts, *known, sound.shape[-1]})
    for first, last in pairwise(places):
        chunk = Chunk(sound[..., first:last])
        session, stepped = step(session, last / RATE, chunk, known.get(first, ()))
        made += stepped.made
    after = session
    session, stepped = step(session, 0.0, Signal.END)
    made += stepped.made
    return after, np.concatenate([frames.rotations for frames in made], axis=-3)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(1, 5 * RATE - 1), max_size=6))
def test_words_are_told_at_the_same_place_however_sound_is_cut(cuts: list[int]) -> None:
    words = [said("a", 1.0, 1.2), said("b", 33.7, 34.0, 1), said("c", 34.2, 34.5)]
    known = {0: words, 3200: [said("late", 33.0, 33.5, 1), said("d", 34.2, 34.3, 0)]}
    session, _ = heard(ToldEngine(characters=2), np.zeros((2, 5 * RATE)), cuts, known)
    assert session.state[2] == (
        (0, 0, "a"),
        (0, 1, "a"),
        (3 * RATE, 1, "b"),
        (4 * RATE, 0, "c"),
        (4 * RATE, 0, "d"),
        (4 * RATE, 1, "c"),
    )
    # Counted are those that were reached.
    assert (session.counts.words, session.counts.disordered_words) == (1, 1)


def test_an_engine_that_takes_no_words_says_so() -> None:
    for unable in (StandInEngine(), TensedEngine(StandInEngine(), presets.parse("loose"))):
        with pytest.raises(InvalidValueError, match="the engine accepts none"):
            heard(unable, np.zeros(100), (), {0: [said("a", 0.0, 1.0)]})


def test_words_are_counted_when_the_sound_reaches_them() -> None:
    words = [said("a", 0.2, 0.4), said("b", 1.0, 1.2), said("c", 9.0, 9.2), said("d", 40.0, 40.1)]
    session = begin(ToldEngine(), 0.0, FAST)
    counts = []
    for k in range(4):
        session, _ = step(session, float(k), Chunk(np.zeros(RATE // 2)), words if k == 0 else ())
        counts.append(session.counts.words)
    assert [text for _, _, text in session.state[2]] == ["a", "b", "c"]
    assert counts == [1, 1, 2, 2]


# -- the engine --


@cache
def voice(characters: int | None = None) -> VoiceEngine:
    return VoiceEngine(model("house"), 30.0, 0, characters, OPTIONS, profile=speaker("neutral"))


@cache
def talk(seconds: float = 3.0) -> Floats:
    t = np.arange(round(seconds * RATE)) / RATE
    tone = sum(np.sin(2 * np.pi * 140 * k * t) / k for k in range(1, 8))
    return np.asarray(0.15 * tone * np.maximum(0.0, np.sin(2 * np.pi * 2.0 * t)))


HUGE = [said("enormous", 1.5, 2.0), said("thing", 2.0, 2.2)]


def by_hand(
    known: dict[int, list[SaidWord]], engine: VoiceEngine | TensedEngine | None = None
) -> Floats:
    """Frames of the talk with words pushed at some samples, without a session."""
    engine = engine or voice()
    state: Any = engine.start()
    parts = []
    places = sorted({0, *known, len(talk())})
    for first, last in pairwise(places):
        if first in known:
            words = [word for word, _ in known[first]]
            state = engine.push_words(state, words, 0)
        state, frames = engine.step(state, talk()[first:last])
        parts.append(frames.rotations)
    return np.concatenate([*parts, engine.finish(state).rotations])


@pytest.mark.parametrize("at", [0, 4000, 16_000])
def test_a_session_does_what_push_words_does(at: int) -> None:
    known = {at: HUGE}
    first = engine.start(voice().model, RATE, fps=30.0, options=OPTIONS, profile=speaker("neutral"))
    state, before = engine.step(first, talk()[:at])
    state = engine.push_words(state, [word for word, _ in HUGE])
    state, after = engine.step(state, talk()[at:])
    rows = [frames.rotations for frames in (before, after, engine.finish(state))]
    for cuts in ((), range(160, len(talk()), 160)):
        _, found = heard(voice(), talk(), cuts, known)
        assert np.array_equal(found, np.concatenate(rows))
    plain = by_hand({})
    moved = np.flatnonzero(np.any(plain != found, axis=(1, 2)))
    assert at / RATE * 30.0 <= moved[0] < 1.7 * 30.0 < moved[-1]


def test_tension_goes_on_top_of_words() -> None:
    tensed = TensedEngine(voice(), presets.parse("loose"))
    _, found = heard(tensed, talk(), (7000, 20_000), {4000: HUGE})
    assert found == pytest.approx(by_hand({4000: HUGE}, tensed), abs=1e-12)
    assert not np.allclose(found, by_hand({}, tensed))
    assert not np.allclose(found, by_hand({4000: HUGE}))


def test_words_of_one_character_leave_the_other_alone() -> None:
    both = np.stack([talk(), talk()])
    _, plain = heard(voice(2), both, (), {})
    _, found = heard(voice(2), both, (), {0: [SaidWord(w, 1) for w, _ in HUGE]})
    assert np.array_equal(found[0], plain[0])
    assert not np.array_equal(found[1], plain[1])


SENTENCES = [
    said(text, 0.5 * k, 0.5 * k + 0.4)
    for k, text in enumerate(("An enormous thing. I never said that. You must stop. " * 4).split())
]


def test_gestures_of_known_words_are_prepared_before_the_session() -> None:
    asked: list[int] = []

    def stop() -> bool:
        asked.append(1)
        return len(asked) > 1

    _clip.cache_clear()
    prepare(voice(), SENTENCES, stop)
    assert len(asked) == 1  # all are told at the start
    made = _clip.cache_info().misses
    assert made > 1
    heard(voice(), talk(), (), {0: SENTENCES})
    assert _clip.cache_info().misses == made


def test_portions_are_those_of_a_session() -> None:
    words = [said(str(k), 0.7 * k, 0.7 * k + 0.3) for k in range(60)]
    session, _ = heard(ToldEngine(), np.zeros(12 * RATE), (), {0: words})
    told = [
        [text for _, _, text in rows] for _, rows in groupby(session.state[2], lambda row: row[0])
    ]
    ours = [[row.word.text for row in portion] for portion in portions(words)]
    assert ours[: len(told)] == told


def test_a_session_of_a_file_starts_when_its_gestures_are_prepared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [
        f'{{"word": "{w.text}", "start": {w.start_s}, "end": {w.end_s}}}' for w, _ in SENTENCES
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    soundfile.write(tmp_path / "a.wav", talk(), RATE)
    before: list[int] = []

    def begun(*values: Any, **more: Any) -> Any:
        before.append(_clip.cache_info().misses)
        assert gc.get_freeze_count() > 100_000  # collections would hold frames up
        return run(*values, **more)

    monkeypatch.setattr(together, "run", begun)
    _clip.cache_clear()
    hearing = Hearing((str(tmp_path / "a.wav"),), words=str(tmp_path / "a.jsonl"))
    report = together.live(hearing, str(tmp_path / "a.kin"), engine=voice(), fast=True)
    assert before == [_clip.cache_info().misses]
    assert before[0] > 1
    assert report.counts.words == 6
    assert gc.get_freeze_count() == 0


def test_later_gestures_may_be_allowed() -> None:
    late = VoiceEngine(
        model("house"), 30.0, 0, None, OPTIONS, profile=speaker("neutral"), most_late_s=1.5
    )
    known = {round(2.3 * RATE): HUGE[:1]}
    assert np.array_equal(by_hand(known), by_hand({}))
    assert not np.array_equal(by_hand(known, late), by_hand({}))


# -- spotted phrases --


@cache
def spoken() -> Floats:
    text = "This is what I have to say. Ladies and gentlemen, I thank you."
    speech = load_voice("espeak").speak(text, "en-us")
    rate = round(speech.rate_hz)
    at = np.arange(0.0, len(speech.samples) * RATE / rate - 1.0) * rate / RATE
    sound = np.interp(at, np.arange(len(speech.samples)), speech.samples)
    return np.concatenate([sound, np.zeros(RATE)])


@pytest.mark.parametrize("voices", [None, 2])
def test_spotted_phrases_are_told_as_words(voices: int | None) -> None:
    sound = np.stack([spoken(), spoken() if voices is None else np.zeros(len(spoken()))])
    phrases = {"ladies and gentlemen": -80.0}
    told = []
    for size in (160, 1111, len(spoken())):
        engine = SpottingEngine(ToldEngine(characters=2), phrases, voices)
        state, count = engine.start(), 0
        assert len(state.ears) == (voices or 1)
        for first in range(0, sound.shape[-1], size):
            state, frames = engine.step(state, sound[:, first : first + size])
            count += len(frames)
            assert frames.rotations.shape[:2] == (2, len(frames))
        assert count == int(len(spoken()) / RATE * 60.0) + 1
        told.append(state.inner[2])
    assert told[0] == told[1] == told[2]
    assert {place % BLOCK for place, _, _ in told[0]} == {0}
    words = ["ladies", "and", "gentlemen"]
    for character in (0, 1) if voices is None else (0,):
        assert [text for _, k, text in told[0] if k == character] == words
    assert len(told[0]) == (6 if voices is None else 3)


# -- sources --


def polled(source: WordSource, count: int, now_s: float = 0.0) -> list[SaidWord]:
    """Words and malformed lines until there are so many."""
    found: list[SaidWord] = []
    end_s = time.monotonic() + 5.0
    while len(found) + source.malformed.count < count and time.monotonic() < end_s:
        found += source.poll(now_s)
    return found


def test_words_come_over_the_network() -> None:
    source = UdpWords("127.0.0.1", 0, 2)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for data in (
            b'{"word": "huge", "start": 1, "end": 2}\n{"word": "a", "in": 1, "character": 1}\n',
            b"hello\n\n",
            b"x" * (LONGEST_LINE + 10),
            b'{"word": "thing", "start": 2, "end": 3}',
        ):
            sender.sendto(data, ("127.0.0.1", source.port))
    found = polled(source, 5, now_s=4.0)
    expected = [said("huge", 1, 2), said("a", 5.0, 5.3, 1), said("thing", 2, 3)]
    assert found == expected
    assert source.malformed.count == 2
    assert source.malformed.first.startswith("line 4 is not JSON")
    source.close()
    source.close()
    assert source.poll(0.0) == []


def test_a_port_in_use_is_told() -> None:
    source = UdpWords("127.0.0.1", 0)
    with pytest.raises(InvalidValueError, match=f"udp://127.0.0.1:{source.port}: .*in use"):
        UdpWords("127.0.0.1", source.port)
    source.close()


@pytest.mark.parametrize("text", ["udp://", "udp://host", "udp://:0", "udp://:99999", "udp://:1/a"])
def test_an_address_needs_a_port(text: str) -> None:
    with pytest.raises(InvalidValueError, match="allowed is udp://HOST:PORT"):
        udp_address(text)


def test_words_come_through_a_pipe() -> None:
    ours, theirs = os.pipe()
    with open(ours, "rb", buffering=0) as stream:
        source = PipeWords(stream)
        os.write(theirs, b'{"word": "huge", "sta')
        assert source.poll(0.0) == []
        os.write(theirs, b'rt": 1, "end": 2}\nnonsense\n' + b"y" * 30_000)
        assert polled(source, 2) == [said("huge", 1, 2)]
        os.write(theirs, b'\n{"word": "thing", "start": 2, "end": 3}')
        os.close(theirs)
        assert polled(source, 3) == [said("thing", 2, 3)]
        assert source.malformed.count == 2
        assert source.malformed.first.startswith("line 2 is not JSON")
        source.close()


# -- all together --


class Clock:
    """Time that goes on when somebody sleeps."""

    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        self.now_s += max(seconds, 1e-4)


class Silence:
    """A recording of silence."""

    name, voices, block_s, paced, device = "silence", None, 0.01, True, False

    def __init__(self, seconds: float) -> None:
        self.blocks: Iterator[Arrival] = iter([Chunk(np.zeros(160))] * round(100 * seconds))

    def read(self, wait_s: float) -> Arrival:
        return next(self.blocks, Signal.END)

    def reopen(self) -> Arrival:
        return Lost("never")

    def close(self) -> None:
        pass


class Told:
    """Lines that come when the sound is at some times."""

    def __init__(self, rows: dict[float, bytes]) -> None:
        self.rows, self.closed = rows, 0
        self.malformed = NONE_MALFORMED

    def poll(self, now_s: float) -> list[SaidWord]:
        found: list[SaidWord] = []
        for at_s in [t for t in self.rows if t <= now_s]:
            try:
                found.append(parse_word(self.rows.pop(at_s), now_s=now_s))
            except InvalidValueError as error:
                self.malformed = self.malformed.and_another(f"line 6 {error}")
        return found

    def close(self) -> None:
        self.closed += 1


@pytest.mark.parametrize("fast", [True, False])
def test_a_session_goes_on_whatever_comes(fast: bool) -> None:
    clock: Clock = Clock()
    words = Told(
        {
            0.5: b'{"word": "a", "in": 0.2}\n',
            1.0: b'{"word": "early", "start": 0.1, "end": 0.9}\n',
            1.5: b'{"word": "b", "in": 0.2}\n',
            2.0: b'{"word": "old", "start": 0.1, "end": 0.2}\n',
            2.5: b'{"word": "far", "start": 9999, "end": 9999}\n',
            2.6: b"\xff\xfe\n",
        }
    )
    look: list[Any] = []

    def watch(session: LiveSession, *_: object) -> None:
        look.append(session.state)

    report = run(
        ToldEngine(),
        Silence(3.0),
        Outputs(watch=[watch]),
        SessionSettings(fast=fast),
        clock=clock,
        sleep=clock.sleep,
        words=words,
    )
    told = look[-2][2]
    assert [text for _, _, text in told] == ["a", "b"]
    assert [place / RATE for place, _, _ in told] == pytest.approx([0.5, 1.5], abs=0.26)
    assert words.closed == 1
    first, second = report.lines()
    assert first.startswith("3.0 s of audio, 181 frames, 2 words")
    assert second == (
        "1 words too late; 1 words out of order; 1 words too many or too far ahead; "
        '1 invalid lines of words: line 6 is not JSON such as {"word": "huge", '
        '"start": 1.2, "end": 1.5}'
    )


def test_standard_input_is_sound_or_words() -> None:
    with pytest.raises(InvalidValueError, match="both audio and words from -"):
        Hearing(("-",), words="-")
    with pytest.raises(InvalidValueError, match="allowed is udp://HOST:PORT"):
        Hearing(("a.wav",), words="udp://:x")
    assert Hearing(("a.wav",)).open_words(1) is None
