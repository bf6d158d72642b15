"""Alignment: words where people put them, and never a wrong success."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from kinesphere.errors import InvalidValueError, KinesphereError
from kinesphere.maths.arrays import Floats, doubles
from kinesphere.speech.alignment.alignment import (
    ACCEPTED,
    ROUGH_GUESS,
    AlignmentError,
    align,
    aligned_speech,
    find_pauses,
    recognise,
)
from kinesphere.speech.alignment.mfcc import mfcc, with_slopes
from kinesphere.speech.alignment.pronunciation import arpabet, number_words, spell_out, stressed_ipa
from kinesphere.speech.alignment.transcripts import read_transcript, words_of
from kinesphere.speech.alignment.warping import warp
from kinesphere.speech.audio import read_audio
from kinesphere.speech.voices.espeak import EspeakVoice
from kinesphere.speech.voices.voice import words_in
from kinesphere.timeline import Interval

RATE = 16_000
Excerpt = tuple[Floats, str]


@lru_cache(maxsize=8)
def sound_of(path: Path) -> Floats:
    return doubles(read_audio(path, RATE).samples)


def beat(data: Path) -> tuple[Floats, tuple[Interval, ...]]:
    folder = data / "beat2"
    words = words_of(read_transcript(folder / "2_scott_0_1_1.TextGrid")).intervals
    return sound_of(folder / "2_scott_0_1_1.wav"), words


def sonnet(data: Path) -> tuple[Floats, tuple[Interval, ...]]:
    folder = data / "speech" / "sonnet"
    (lines,) = read_transcript(folder / "sonnet001.TextGrid")
    return sound_of(folder / "audio.wav"), lines.intervals


def part(sound: Floats, start_s: float, end_s: float) -> Floats:
    return sound[round(max(start_s, 0.0) * RATE) : round(end_s * RATE)]


def excerpts(data: Path) -> list[Excerpt]:
    """Recordings of 3 to 8 seconds by five people with what they say."""
    sound, lines = sonnet(data)
    found = [(part(sound, i.start_s, i.end_s), i.label) for i in lines[1:]]
    sound, words = beat(data)
    for first in range(0, 160, 40):
        some = words[first : first + 20]
        text = " ".join(word.label for word in some)
        found.append((part(sound, some[0].start_s - 0.1, some[-1].end_s + 0.1), text))
    for path in sorted((data / "speech" / "librivox").glob("*.wav")):
        found.append((sound_of(path), path.with_suffix(".txt").read_text()))
    mfa = data / "speech" / "mfa" / "61-70968-0000.flac"
    found.append((sound_of(mfa), mfa.with_suffix(".lab").read_text()))
    return found


def differences_s(found: Iterable[Interval], truth: Iterable[Interval]) -> Floats:
    edges = [[(w.start_s, w.end_s) for w in row] for row in (found, truth)]
    return np.asarray(np.abs(np.array(edges[0]) - np.array(edges[1])).ravel())


def test_forced_alignment_agrees_with_the_textgrid(data: Path) -> None:
    sound, truth = beat(data)
    alignment = align(sound, RATE, " ".join(word.label for word in truth))
    assert [w.label for w in alignment.words] == [w.label for w in truth]
    assert alignment.unplaced == ()
    assert alignment.method == "sphinx"
    off = differences_s(alignment.words, truth)
    assert np.median(off) <= 0.020
    assert np.percentile(off, 90) <= 0.060


def test_warping_agrees_with_the_textgrid(data: Path) -> None:
    sound, truth = beat(data)
    alignment = align(sound, RATE, " ".join(word.label for word in truth), method="warping")
    assert [w.label for w in alignment.words] == [w.label for w in truth]
    assert np.median(differences_s(alignment.words, truth)) <= 0.060


@pytest.mark.parametrize("method", ["sphinx", "warping"])
def test_lines_of_the_sonnet_begin_in_their_pauses(data: Path, method: str) -> None:
    sound, lines = sonnet(data)
    words = align(sound, RATE, "\n".join(i.label for i in lines), method=method).words.intervals
    counts = np.cumsum([len(words_in(line.label)) for line in lines])
    hits = 0
    for at, line in zip(counts[:-1], lines[1:], strict=True):
        pause = Interval(words[at - 1].end_s, words[at].start_s)
        near = min(abs(line.start_s - pause.start_s), abs(line.start_s - pause.end_s))
        hits += pause.contains(line.start_s) or near <= 0.25
    assert hits >= 13


def test_right_texts_are_accepted_and_others_refused(data: Path) -> None:
    some = excerpts(data)
    assert len(some) >= 20
    scores = [align(sound, RATE, text).score for sound, text in some]
    assert min(scores) >= ACCEPTED + 0.2
    refused = []
    for i, (sound, _) in enumerate(some):
        with pytest.raises(AlignmentError) as caught:
            align(sound, RATE, some[(i + 5) % len(some)][1])
        assert "\n" not in str(caught.value)
        refused.append(caught.value.score)
    assert max(refused) <= ACCEPTED - 0.2


def test_words_that_are_not_said_are_reported(data: Path) -> None:
    sound, lines = sonnet(data)
    wrong = "completely different sentences belong here"
    text = " ".join([*(i.label for i in lines[1:5]), wrong, *(i.label for i in lines[6:10])])
    alignment = align(part(sound, lines[1].start_s, lines[9].end_s), RATE, text)
    first = sum(len(words_in(i.label)) for i in lines[1:5])
    assert set(range(first, first + 5)) <= set(alignment.unplaced)
    assert len(alignment.unplaced) <= 16
    assert "could not be placed: " in alignment.notes[-1]


def test_sound_without_words_is_noted(data: Path) -> None:
    sound, truth = beat(data)
    text = " ".join(word.label for word in truth[:17])
    alignment = align(part(sound, 0.0, 14.0), RATE, text)
    assert "the text may be incomplete" in alignment.notes[-1]
    assert np.median(differences_s(alignment.words, truth[:17])) <= 0.020


def test_aligned_speech_has_every_tier(data: Path) -> None:
    sound, text = excerpts(data)[0]
    loud = np.repeat(sound, 3)  # 48 kHz, roughly
    speech = aligned_speech(loud, 3 * RATE, text, "en-us")
    assert [len(t) > 0 for t in (speech.words, speech.phones, speech.syllables, speech.sentences)]
    assert [w.label for w in speech.words] == [
        "From",
        "fairest",
        "creatures",
        "we",
        "desire",
        "increase",
    ]
    assert any("ˈ" in phone.label for phone in speech.phones)  # noqa: RUF001
    assert speech.provenance["alignment"] == "sphinx"
    assert speech.sentences.intervals[0].label == text


def spoken(text: str, language: str = "en-us") -> tuple[Floats, int]:
    speech = EspeakVoice().speak(text, language)
    return doubles(speech.samples), speech.rate_hz


def test_numbers_signs_and_emoji(data: Path) -> None:
    sound, truth = beat(data)
    text = "The 1st thing I like 2 do on week-ends is relaxing 😀 & I think I'll go shopping."
    alignment = align(part(sound, 0.0, truth[16].end_s + 0.05), RATE, text)
    assert truth[16].label == "shopping"
    assert alignment.unplaced_words == ("😀",)
    heard = [w for w in alignment.words if w.label != "😀"]
    assert [w.label for w in heard][:3] == ["The", "1st", "thing"]
    assert np.median(differences_s(heard, truth[:17])) <= 0.020


def test_german_is_warped_and_other_german_refused() -> None:
    voice = EspeakVoice("f3")
    text = "Guten Morgen, wir treffen uns heute um acht Uhr am Bahnhof und fahren dann nach Köln."
    truth = voice.speak(text, "de", rate=0.8, pitch=1.3)
    alignment = align(truth.samples, truth.rate_hz, text, "de")
    assert alignment.method == "warping"
    assert np.median(differences_s(alignment.words, truth.words)) <= 0.060
    other = "Das Wetter bleibt leider schlecht, deshalb backen alle Kinder lieber einen Kuchen."
    with pytest.raises(AlignmentError, match="does not seem to say"):
        align(truth.samples, truth.rate_hz, other, "de")


@pytest.mark.parametrize("method", ["sphinx", "warping"])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no word"),
        (" ... !", "has no word"),
        ("😀 🎉", "no word that can be spoken"),
        ("word " * 400, "too long for the recording"),
        ("a " * 60_000, "allowed are 100000"),
    ],
)
def test_hopeless_texts_are_refused_in_one_line(method: str, text: str, message: str) -> None:
    sound, rate_hz = spoken("A few words.")
    with pytest.raises(KinesphereError, match=message) as caught:
        align(sound, rate_hz, text, method=method)
    assert "\n" not in str(caught.value)


def test_silence_noise_and_wrong_arguments(rng: np.random.Generator) -> None:
    for sound in (np.zeros(RATE), 1e-5 * rng.normal(size=RATE), np.zeros(0)):
        with pytest.raises(InvalidValueError, match="silent"):
            align(sound, RATE, "hello")
    for method in ("sphinx", "warping"):
        with pytest.raises(AlignmentError):
            align(
                0.1 * rng.normal(size=3 * RATE), RATE, "hello over there, my friend", method=method
            )
    with pytest.raises(InvalidValueError, match="allowed are sphinx, warping"):
        align(np.ones(RATE), RATE, "hello", method="magic")
    with pytest.raises(InvalidValueError, match="sphinx aligns English"):
        align(np.ones(RATE), RATE, "hallo", "de", "sphinx")


def test_recognition_is_labelled_a_guess(data: Path) -> None:
    path = next((data / "speech" / "librivox").glob("*0880.wav"))
    guess = recognise(sound_of(path), RATE)
    assert guess.method == "recognition"
    assert ROUGH_GUESS in guess.notes
    right = set(path.with_suffix(".txt").read_text().split())
    assert len(right & {w.label for w in guess.words}) >= len(right) / 2


def test_mfcc_is_the_textbook_formula(rng: np.random.Generator) -> None:
    from scipy import fft as scipy_fft

    sound = 0.1 * rng.normal(size=4000)
    found = mfcc(sound, RATE)
    assert found.shape == (26, 13)
    emphasised = np.append(sound[0], sound[1:] - 0.97 * sound[:-1])
    frame = emphasised[10 * 160 - 200 : 10 * 160 + 200] * np.hamming(400)
    power = np.abs(np.fft.rfft(frame, 512)) ** 2 / 512
    mel = np.linspace(*(2595 * np.log10(1 + f / 700) for f in (60, 7600)), 28)
    hz = 700 * (10 ** (mel / 2595) - 1)
    bands = [
        sum(
            p * max(0, min((f - a) / (b - a), (c - f) / (c - b)))
            for f, p in zip(np.arange(257) * 31.25, power, strict=True)
        )
        for a, b, c in zip(hz, hz[1:], hz[2:], strict=False)
    ]
    np.testing.assert_allclose(
        found[10], scipy_fft.dct(np.log(bands), norm="ortho")[:13], atol=1e-9
    )
    ramp = np.outer(np.arange(10.0), np.ones(13))
    np.testing.assert_allclose(with_slopes(ramp)[2:-2, 13:], 1.0)


def test_warping_finds_a_known_warp(rng: np.random.Generator) -> None:
    there = rng.normal(size=(300, 6))
    truth = np.sort(np.concatenate([np.arange(300), np.arange(50, 120)]))
    path, cost = warp(there[truth] + 0.01 * rng.normal(size=(370, 6)), there)
    assert np.mean(path == truth) > 0.98
    assert cost < 0.5
    assert path[0] == 0
    assert path[-1] == 299
    assert np.isin(np.diff(path), [0, 1, 2, 3]).all()


def test_a_band_gives_the_path_of_the_whole(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = np.cumsum(rng.normal(size=(2000, 6)), axis=0)
    truth = np.sort(np.concatenate([np.arange(2000), np.arange(500, 900)]))
    whole, cost = warp(there[truth], there)
    monkeypatch.setattr("kinesphere.speech.alignment.warping._MOST_CELLS", 100_000)
    banded, other = warp(there[truth], there)
    np.testing.assert_array_equal(whole, banded)
    assert cost == pytest.approx(other)


def test_pauses_are_found(rng: np.random.Generator) -> None:
    sound = 0.3 * rng.normal(size=3 * RATE)
    sound[RATE : RATE + RATE // 2] *= 0.001
    ((start, end),) = find_pauses(sound)
    assert abs(start - 100) <= 2
    assert abs(end - 150) <= 2


def test_written_words_are_spelt_out() -> None:
    assert number_words(1_000_001) == "one million one"
    assert spell_out("2,500") == ("twenty five hundred", "two thousand five hundred")
    assert spell_out("1905")[0] == "nineteen oh five"
    assert spell_out("3.14") == ("three point one four",)
    assert spell_out("21st") == ("twenty first",)
    assert spell_out("1990s")[0] == "nineteen nineties"
    assert spell_out("self-made") == ("self made",)
    assert spell_out("12:30") == ("twelve thirty",)
    assert spell_out("😀") == ()
    assert arpabet("tʃ_ˈɜː_l") == "CH ER L"
    ipa = ["w", "ˈiː", "k", "ɛ", "n", "d"]  # noqa: RUF001
    assert stressed_ipa(["W", "IY", "K", "EH", "N", "D"], "_".join(ipa)) == ipa
