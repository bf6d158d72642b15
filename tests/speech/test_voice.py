"""Voices: words where they belong, any text, the child process, the other adapters."""

from __future__ import annotations

import json
import os
import re
import signal
import struct
import subprocess
import sys
import threading
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesphere.errors import InvalidValueError, KinesphereError, UnreadableError
from kinesphere.speech.prosody.pitch import PitchSettings, pitch
from kinesphere.speech.value import Speech
from kinesphere.speech.voices import espeak as voice_espeak
from kinesphere.speech.voices import voice as voices
from kinesphere.speech.voices.espeak import EspeakVoice, language_code
from kinesphere.speech.voices.espeak_events import EspeakEvent, match_words
from kinesphere.speech.voices.espeak_process import worker
from kinesphere.speech.voices.piper import PiperVoice, audible_interval
from kinesphere.speech.voices.recorded import RecordedVoice
from kinesphere.speech.voices.voice import (
    TextSpan,
    best_voice,
    load_voice,
    plain_text,
    sentences_in,
    words_in,
)


@pytest.fixture(scope="module")
def espeak() -> EspeakVoice:
    return EspeakVoice()


def labels(speech: Speech) -> list[str]:
    return [word.label for word in speech.words]


def check(speech: Speech) -> None:
    """What holds for any speech: all in order, words within the sound, phones within words."""
    at = 0
    for word in speech.words:
        at = speech.text.index(word.label, at) + len(word.label)
    for tier in (speech.words, speech.phones, speech.syllables, speech.sentences):
        for before, after in pairwise(tier):
            assert before.end_s <= after.start_s + 1e-9
        assert all(0.0 <= i.start_s <= i.end_s <= speech.duration_s for i in tier)
    for inner, outer in (
        (speech.phones, speech.words),
        (speech.syllables, speech.words),
        (speech.words, speech.sentences),
    ):
        for i in inner:
            assert any(o.start_s - 1e-9 <= i.start_s and i.end_s <= o.end_s + 1e-9 for o in outer)
    assert "".join(p.label for p in speech.phones) == "".join(s.label for s in speech.syllables)


TEXTS = [
    ("en-us", "I was in the house with 1234 dogs, Dr. Smith. And then? Because of the rain."),
    ("en-us", "It cost $5.50 & 20% e.g. in the U.S.A. 1,234,567.89 people don't x-ray."),
    ("en-us", "Nice 😀 day 👍🏽!! A café, naïve 👩‍👩‍👧 and “quoted” (aside) — yes…"),
    ("en-us", "See https://www.example.com/a?b=1 or mail me@example.com now."),
    ("en-us", "Hello\nthere,\n\n\tfriend.\r\nBye!"),
    ("en-us", "NASA and the FBI vs. IBM; it's 10:30 a.m. on 3/4/2024, #1 @home."),
    ("en-us", "中文 and Ελληνικά and русский, ok?"),
    ("en-us", "I'm going to be out of it, at the end of the day, for the rest of us to see."),
    ("de", "Über die Brücke läuft ein größerer Bär, z.B. am 3. Mai um 17:30 Uhr."),
    ("de", "Prof. Dr. Müller sagt: „Schöne Grüße!“ Das heißt, 1.234,50 € für äöüß."),
    ("fr-fr", "L'été, j'ai vu l'œuvre d'art à l'hôtel."),
    ("es", "¿Cómo estás? ¡Muy bien, señor!"),
]


@pytest.mark.parametrize(("language", "text"), TEXTS)
def test_words_are_where_they_belong(espeak: EspeakVoice, language: str, text: str) -> None:
    speech = espeak.speak(text, language)
    check(speech)
    wanted = [w.label for w in words_in(speech.text) if re.search(r"\w", w.label)]
    assert [w for w in labels(speech) if re.search(r"\w", w)] == wanted
    assert sum(word.duration_s > 0.02 for word in speech.words) >= 0.9 * len(speech.words)
    assert speech.language == language


def test_merged_words_are_divided_and_numbers_joined(espeak: EspeakVoice) -> None:
    speech = espeak.speak("I was in the house with 1234 dogs.")
    assert labels(speech) == ["I", "was", "in", "the", "house", "with", "1234", "dogs"]
    phones = {
        word.label: [p.label for p in speech.phones if word.contains(p.start_s)]
        for word in speech.words
    }
    assert phones["in"] == ["ɪ", "n"]  # noqa: RUF001
    assert phones["the"][0] == "ð"
    assert 1.0 < speech.words.intervals[6].duration_s < 2.5
    assert len([s for s in speech.syllables if "ˈ" in s.label]) >= 5  # noqa: RUF001


@pytest.mark.parametrize(
    ("language", "text"),
    [
        (
            "en-us",
            "The cat sat on the mat. Then, after a while, it went away. Apples are good. Stop! No.",
        ),
        (
            "de",
            "Die Katze saß auf der Matte. Dann, nach einer Weile, ging sie weg. Äpfel sind gut.",
        ),
    ],
)
def test_times_agree_with_the_sound(espeak: EspeakVoice, language: str, text: str) -> None:
    speech = espeak.speak(text, language)
    size = speech.rate_hz // 500
    count = len(speech.samples) // size
    level = np.abs(speech.samples[: count * size].reshape(count, size)).max(axis=1)
    times = (np.arange(count) + 0.5) * size / speech.rate_hz
    loud = times[level > 0.006 * level.max()]
    gaps = [(a, b) for a, b in pairwise(speech.words) if b.start_s - a.end_s > 0.1]
    assert len(gaps) >= 4
    for before, after in gaps:
        middle = (before.end_s + after.start_s) / 2
        assert abs(loud[loud < middle].max() - before.end_s) < 0.015
        onset = loud[loud > middle].min() - after.start_s
        assert -0.005 < onset < 0.06  # the closure of a stop is silent


def test_same_text_same_samples(espeak: EspeakVoice) -> None:
    first = espeak.speak("I was in the house.")
    espeak.speak("Guten Tag, Jürgen!", "de", rate=2.0)
    espeak.speak("Now <emphasis level='strong'>you</emphasis>.", markup=True, pitch=1.5)
    assert espeak.speak("I was in the house.") == first
    worker.stop()
    assert espeak.speak("I was in the house.") == first


def test_rate_pitch_volume_and_variant(espeak: EspeakVoice) -> None:
    text = "We were away all year."
    own = espeak.speak(text)
    for rate in (0.5, 2.0):
        assert espeak.speak(text, rate=rate).duration_s == pytest.approx(
            own.duration_s / rate, rel=0.25
        )

    def height(speech: Speech) -> float:
        track = pitch(speech.samples, speech.rate_hz, PitchSettings(floor_hz=45.0))
        return float(np.nanmedian(track.values))

    for factor in (0.7, 1.5):
        assert height(espeak.speak(text, pitch=factor)) == pytest.approx(
            height(own) * factor, rel=0.15
        )
    loud = EspeakVoice(volume=0.5).speak(text)
    assert np.std(loud.samples) == pytest.approx(np.std(own.samples) / 2, rel=0.1)
    other = load_voice("espeak+f3").speak(text)
    assert height(other) > 1.2 * height(own)
    with pytest.raises(InvalidValueError, match=r"no variant 'nobody'; it has .*f3"):
        load_voice("espeak+nobody")
    with pytest.raises(InvalidValueError, match="volume"):
        EspeakVoice(volume=-1.0)


def test_emphasis(espeak: EspeakVoice) -> None:
    plain = espeak.speak("That is very good.")
    strong = espeak.speak('That is <emphasis level="strong">very</emphasis> good.', markup=True)
    check(strong)
    assert (strong.text, labels(strong)) == (plain.text, labels(plain))
    word = [s.words.intervals[2] for s in (plain, strong)]
    assert word[1].duration_s > 1.1 * word[0].duration_s
    two = espeak.speak(
        '<speak><s>One &amp; two.</s><s>Th<break time="50ms"/>ree.</s></speak>', markup=True
    )
    assert labels(two)[:3] == ["One", "&", "two"]
    assert len(two.sentences) == 2


@pytest.mark.parametrize(
    ("markup", "reason"),
    [
        ('<audio src="x.wav"/>a', "<audio> at character 1; allowed are"),
        ("<emphasis>a", "does not close <emphasis>"),
        ("a</p>", "closes <p> at character 2, which is not open"),
        ("a < b", "lone '<' at character 3"),
        ("<s>a</p>", "closes <p>"),
    ],
)
def test_wrong_markup(markup: str, reason: str) -> None:
    with pytest.raises(InvalidValueError, match=reason):
        plain_text(markup)


def test_texts_that_cannot_be_spoken(espeak: EspeakVoice) -> None:
    for text in ("", "  \n ", "...", "\0\x01", "—"):
        with pytest.raises(InvalidValueError, match="to speak"):
            espeak.speak(text)
    with pytest.raises(InvalidValueError, match="100001 characters"):
        espeak.speak("a" * 100_001)
    for wrong in (
        {"rate": 3.0},
        {"pitch": float("nan")},
        {"language": "xx"},
        {"language": "../de"},
    ):
        with pytest.raises(InvalidValueError):
            espeak.speak("a", **wrong)


@pytest.mark.parametrize(
    "text",
    ["9" * 3000, "x" * 3000, "ab " * 500, "😀" * 300, "\x1bH\x01i\ud800 !", "<b>&lt;</b> [[x]]"],
)
def test_strange_texts(espeak: EspeakVoice, text: str) -> None:
    check(espeak.speak(text))


@settings(max_examples=60)
@given(text=st.text(max_size=60), markup=st.booleans())
def test_any_text_works_or_says_why(text: str, markup: bool) -> None:
    try:
        check(EspeakVoice().speak(text, markup=markup))
    except InvalidValueError as error:
        assert "\n" not in str(error)


def test_long_text_comes_sentence_by_sentence(espeak: EspeakVoice) -> None:
    text = "The cat sat on the mat. It was happy there. " * 40
    whole = espeak.speak(text)
    assert len(whole.words) == 400
    assert len(whole.sentences) == 80
    stream = espeak.sentences(text)
    first = next(stream)
    assert first.text == "The cat sat on the mat."
    np.testing.assert_array_equal(first.samples, whole.samples[: len(first.samples)])


def test_language_codes() -> None:
    known = ["de", "en-gb", "en-us", "fr-fr"]
    wanted = {"en": "en-us", "en_US": "en-us", "DE-de": "de", "en-GB": "en-gb", "fr": "fr-fr"}
    for given_, code in (wanted | {"en-in": "en-us"}).items():
        assert language_code(given_, known) == code
    with pytest.raises(InvalidValueError, match=r"no language 'dk'.*nearest are de$"):
        language_code("dk", known)


def test_languages(espeak: EspeakVoice) -> None:
    known = espeak.languages()
    assert {"en-us", "en-gb", "de", "fr-fr", "es"} <= set(known)
    for language in known[::10]:
        assert espeak.speak("mama 1.", language).duration_s > 0.2


def test_phonemes_of_many_words_are_those_of_each() -> None:
    some = ["through", "Bach", "relaxing"]
    many = voice_espeak.phonemes(some * 400)
    assert many == [voice_espeak.phonemes([word])[0] for word in some] * 400
    assert many[2] == "ɹ_ᵻ_l_ˈæ_k_s_ɪ_ŋ"  # noqa: RUF001
    assert voice_espeak.phonemes(["Bach"], "de_DE") == ["b_ˈa_x"]  # noqa: RUF001
    assert voice_espeak.phonemes([]) == []
    with pytest.raises(InvalidValueError, match="has no language 'xx'"):
        voice_espeak.phonemes(["word"], "xx")


def test_espeak_stays_in_the_child() -> None:
    program = (
        "import sys; from kinesphere.speech.voices.voice import best_voice; best_voice().speak('Hello.');"
        "print([m for m in sys.modules if 'espeak' in m and not m.startswith('kinesphere.')]);"
        "print('espeak-ng.' in open('/proc/self/maps').read() if sys.platform == 'linux' else False)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["[]", "False"]
    assert done.stderr == ""


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_the_child_ends_with_its_parent() -> None:
    program = (
        "import os, sys; from kinesphere.speech.voices.voice import best_voice;"
        "from kinesphere.speech.voices.espeak_process import worker;"
        "best_voice().speak('Hello.'); print(worker.child.pid, flush=True);"
        "os._exit(1) if sys.argv[1] == 'hard' else None"
    )
    for way in ("soft", "hard"):
        done = subprocess.run(
            [sys.executable, "-c", program, way], capture_output=True, text=True, check=False
        )
        deadline = time.monotonic() + 5.0
        while alive(int(done.stdout)) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert not alive(int(done.stdout))


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_dead_worker_is_replaced_and_a_stuck_one_given_up(espeak: EspeakVoice) -> None:
    want = espeak.speak("Hello.")
    child = worker.child
    assert child is not None
    os.kill(child.pid, signal.SIGKILL)
    assert espeak.speak("Hello.") == want
    replaced = worker.child
    assert replaced is not None
    assert replaced.pid != child.pid
    os.kill(replaced.pid, signal.SIGSTOP)
    with pytest.raises(KinesphereError, match="no answer within"):
        EspeakVoice(timeout_s=0.2).speak("Hello.")
    assert espeak.speak("Hello.") == want


def test_a_worker_that_never_answers_is_one_line(
    espeak: EspeakVoice, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker.stop()
    monkeypatch.setattr(
        sys, "executable", "/bin/false" if os.path.exists("/bin/false") else "/usr/bin/false"
    )
    with pytest.raises(KinesphereError, match="stopped without an answer"):
        espeak.speak("Hello.")


def test_the_worker_ends_after_so_many_requests() -> None:
    program = "from kinesphere.speech.voices import espeak_worker as w; w._REQUESTS = 2; w.main()"
    request = json.dumps({"action": "voices"}).encode()
    message = struct.pack("<2I", len(request), 0) + request
    done = subprocess.run(
        [sys.executable, "-c", program], input=3 * message, capture_output=True, check=True
    )
    assert done.stdout.count(b'"languages"') == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_process_has_its_own_worker() -> None:
    program = (
        "import os; from kinesphere.speech.voices.voice import best_voice;"
        "from kinesphere.speech.voices.espeak_process import worker;"
        "s = best_voice().speak('Hello.'); first = worker.child.pid; pid = os.fork();"
        "same = best_voice().speak('Hello.') == s and (worker.child.pid == first) == (pid > 0);"
        "print(same, flush=True); pid and os.wait()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["True", "True"]


def test_threads_share_the_worker(espeak: EspeakVoice) -> None:
    texts = [f"Number {n}." for n in range(8)]
    want = [espeak.speak(text) for text in texts]
    got: list[Any] = [None] * len(texts)

    def work(n: int) -> None:
        got[n] = espeak.speak(texts[n])

    threads = [threading.Thread(target=work, args=(n,)) for n in range(len(texts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == want


@pytest.mark.timing
def test_a_sentence_takes_milliseconds(espeak: EspeakVoice) -> None:
    text = "And then, because of the rain, we stayed in the house all day."
    length_s = espeak.speak(text).duration_s
    took = []
    for _ in range(20):
        start = time.perf_counter()
        espeak.speak(text)
        took.append(time.perf_counter() - start)
    assert np.median(took) < length_s / 50


def test_without_espeak_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(voices, "find_spec", lambda _: None)
    monkeypatch.setattr(voice_espeak, "find_spec", lambda _: None)
    for make in (best_voice, EspeakVoice, lambda: load_voice("espeak")):
        with pytest.raises(KinesphereError, match=r"pip install 'kinesphere\[voice\]'$"):
            make()


def test_unknown_voices() -> None:
    for name in ("", "siri", "espeakx", "a.txt"):
        with pytest.raises(InvalidValueError, match="allowed are espeak"):
            load_voice(name)


def test_sentences() -> None:
    def split(text: str, language: str = "en", longest: int = 1000) -> list[str]:
        return [s.label for s in sentences_in(text, language, longest)]

    assert split("No. I won't! “Why?” Pages, e.g. 3. See no. 5 by J. R. Smith.") == [
        "No.",
        "I won't!",
        "“Why?”",
        "Pages, e.g. 3.",
        "See no. 5 by J. R. Smith.",
    ]
    assert split("Am 3. Mai kam er. Dann ging er.", "de") == ["Am 3. Mai kam er.", "Dann ging er."]
    assert split("one\n\ntwo\nthree") == ["one", "two\nthree"]
    assert split("a, " * 10, longest=9) == ["a, a, a,"] * 3 + ["a,"]
    assert split("a" * 10, longest=4) == ["aaaa", "aaaa", "aa"]
    assert split(" ") == []


@given(text=st.text(alphabet="ab.!? \n,…)", max_size=200), longest=st.integers(1, 50))
def test_sentences_lose_nothing(text: str, longest: int) -> None:
    spans = sentences_in(text, "en", longest)
    assert all(text[s.start : s.end] == s.label and len(s.label) <= longest for s in spans)
    assert "".join("".join(s.label.split()) for s in spans) == "".join(text.split())
    assert all(a.end <= b.start for a, b in pairwise(spans))


@given(st.data())
def test_matching_holds_for_any_events(data: st.DataObject) -> None:
    """Whatever espeak says, words and phones are in order, and phones within words."""
    spans, at = [], 0
    for n in range(data.draw(st.integers(1, 6))):
        spans.append(TextSpan(at, at + 2, data.draw(st.sampled_from(["ab", "++"])) + str(n)[:0]))
        at += 3
    event = st.builds(
        EspeakEvent,
        st.sampled_from([1, 2, 5, 7]),
        st.integers(-3, 25),
        st.integers(-10, 120),
        st.sampled_from(["", "a", "t"]),
    )
    events = data.draw(st.lists(event, max_size=20))
    counts = data.draw(st.lists(st.integers(0, 3), min_size=6, max_size=6))
    _, words, phones = match_words(spans, events, 100, 10, lambda w: counts[: len(w)])
    assert [w.label for w in words if w.label == "ab"] == [
        s.label for s in spans if s.label == "ab"
    ]
    for row in (words, phones):
        assert all(a.end_s <= b.start_s + 1e-9 for a, b in pairwise(row))
        assert all(0.0 <= i.start_s <= i.end_s <= 10.0 for i in row)
    for phone in phones:
        assert any(w.start_s <= phone.start_s and phone.end_s <= w.end_s for w in words)


FAKE_PIPER = """
import sys, wave, pathlib, argparse
p = argparse.ArgumentParser()
for name in ("--model", "--output_dir", "--length_scale", "--noise_scale", "--noise_w"):
    p.add_argument(name)
a = p.parse_args()
if "bad" in a.model: sys.exit("Traceback\\nRuntimeError: the model is broken")
lines = [line for line in sys.stdin.read().splitlines() if line]
if "short" in a.model: lines = lines[1:]
for n, line in enumerate(lines):
    with wave.open(str(pathlib.Path(a.output_dir, f"{9 + n}.wav")), "wb") as f:
        f.setnchannels(1); f.setsampwidth(2); f.setframerate(16000)
        loud = b"\\x00\\x20\\x00\\xe0" * int(40 * len(line) * float(a.length_scale) * 8)
        f.writeframes(bytes(2 * 1600) + loud + bytes(2 * 3200))
"""


@pytest.fixture
def piper(tmp_path: Path) -> tuple[Path, tuple[str, ...]]:
    program, model = tmp_path / "piper.py", tmp_path / "voice.onnx"
    program.write_text(FAKE_PIPER)
    model.write_bytes(b"onnx")
    (tmp_path / "voice.onnx.json").write_text(json.dumps({"espeak": {"voice": "en-us"}}))
    return model, (sys.executable, str(program))


@pytest.mark.parametrize("guided", [True, False])
def test_piper(
    piper: tuple[Path, tuple[str, ...]], guided: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not guided:
        monkeypatch.setattr("kinesphere.speech.voices.piper.find_spec", lambda _: None)
    voice = PiperVoice(*piper)
    assert voice.languages() == ("en-us",)
    text = "I was in the house. " + "It rained on all of us. " * 2 + "Then it stopped."
    speech = voice.speak(text, "en")
    assert len(labels(speech)) == len(text.split())
    assert len(speech.sentences) == 4
    first, last = speech.words.intervals[0], speech.words.intervals[4]
    assert (first.start_s, last.end_s) == pytest.approx(
        (0.1, 0.1 + 0.04 * len("I was in the house.")), abs=0.01
    )
    assert bool(len(speech.phones)) == guided
    check(speech) if guided else None
    assert "estimated" in speech.provenance["notes"][0]
    assert voice.speak(text, rate=2.0).duration_s < 0.8 * speech.duration_s
    assert PiperVoice(*piper, steady=True).speak(text).samples.shape == speech.samples.shape
    for wrong in ({"language": "de"}, {"pitch": 1.5}):
        with pytest.raises(InvalidValueError):
            voice.speak(text, **wrong)


def test_piper_in_trouble(
    piper: tuple[Path, tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    model, program = piper
    for name, reason in (("bad", "the model is broken"), ("short", "it wrote 0 of 1 sentences")):
        other = model.with_name(f"{name}.onnx")
        other.write_bytes(b"onnx")
        Path(f"{other}.json").write_text(json.dumps({"espeak": {"voice": "en-us"}}))
        with pytest.raises(KinesphereError, match=reason):
            PiperVoice(other, program).speak("Hello.")
    with pytest.raises(KinesphereError, match="cannot be run"):
        PiperVoice(model, ("/no/piper",)).speak("Hello.")
    slow = (sys.executable, "-c", "import time; time.sleep(60)")
    with pytest.raises(KinesphereError, match="no answer"):
        PiperVoice(model, slow, timeout_s=0.1).speak("Hello.")
    monkeypatch.setattr("kinesphere.speech.voices.piper.find_spec", lambda _: None)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(KinesphereError, match="pip install piper-tts"):
        load_voice(str(model))
    with pytest.raises(UnreadableError, match="no such file"):
        load_voice("none.onnx")
    Path(f"{model}.json").write_text("[]")
    with pytest.raises(UnreadableError, match="description"):
        PiperVoice(model, program)


def test_silence_around_speech() -> None:
    sound = np.concatenate([np.zeros(1000), np.ones(500), np.zeros(300)])
    assert audible_interval(sound, 1000) == (1.0, 1.5)
    assert audible_interval(np.zeros(100), 1000) == (0.0, 0.1)
    assert audible_interval(np.zeros(0), 1000) == (0.0, 0.0)


def test_recorded(tmp_path: Path) -> None:
    path = tmp_path / "me.flac"
    soundfile.write(path, 0.1 * np.ones(1600), 16000)
    voice = load_voice(str(path))
    assert isinstance(voice, RecordedVoice)
    speech = voice.speak("Hello there.", "en-us")
    assert (speech.text, speech.language, speech.duration_s) == ("Hello there.", "en-us", 0.1)
    assert speech.tiers == ()
    spoken = RecordedVoice(path, "Hello  there.")
    assert spoken.speak("Hello there.").text == "Hello  there."
    assert spoken.speak().text == "Hello  there."
    with pytest.raises(InvalidValueError, match="cannot speak"):
        spoken.speak("Bye.")
    with pytest.raises(InvalidValueError, match="rate"):
        voice.speak("Hello.", rate=1.5)
    with pytest.raises(UnreadableError, match="no such file"):
        load_voice(str(tmp_path / "none.wav")).speak("Hello.")
