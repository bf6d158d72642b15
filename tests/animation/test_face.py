"""Faces: shapes within bounds, lips that meet, no jitter, blinks and brows."""

# ruff: noqa: RUF001 - the letters of IPA are meant
from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesphere.animation.face import mouth as mouths
from kinesphere.animation.face.face_curves import CHANNELS, brow_raises, face, with_face
from kinesphere.animation.face.mouth import (
    SHAPES,
    HearingSettings,
    MouthSettings,
    mouth,
    mouth_of_sound,
)
from kinesphere.animation.face.visemes import VISEMES, visemes
from kinesphere.character.default import default_rig
from kinesphere.errors import InvalidValueError
from kinesphere.figure.head.blinks import BlinkSettings, BrowSettings
from kinesphere.formats.gltf.stored_figure import default_figure
from kinesphere.motion.clip import rest_clip
from kinesphere.speech.audio import read_audio
from kinesphere.speech.phones import ipa
from kinesphere.speech.prosody.prominence import prominence
from kinesphere.speech.value import Speech
from kinesphere.speech.voices.espeak import EspeakVoice
from kinesphere.timeline import Interval, Tier
from tests.speech.voices import textgrid

FPS = 30.0
TEXT = (
    "My brother Peter bought a big map of Bombay, and mama keeps it hopefully. "
    "When the rain stopped, we all went outside. Nobody spoke for a while. "
    "Then, quite suddenly, the birds began to sing, and everything was new again."
)
letters = st.sampled_from(sorted(VISEMES))
lengths = st.floats(0.0, 0.3)
Rows = list[tuple[str, str, float, float]]
phone_rows = st.lists(st.tuples(st.sampled_from(["", "ˈ"]), letters, lengths, lengths), max_size=12)


def tier_of(rows: Rows, start_s: float = 0.5) -> Tier:
    found, at = [], start_s
    for stress, letter, length, gap in rows:
        found.append(Interval(at, at + length, stress + letter))
        at += length + (gap if gap > 0.2 else 0.0)
    return Tier("phones", tuple(found))


@pytest.fixture(scope="module")
def spoken() -> Speech:
    return EspeakVoice().speak(TEXT)


def frames_of(speech: Speech, fps: float = FPS) -> int:
    return int(speech.duration_s * fps) + 1


@given(phone_rows, st.sampled_from([24.0, 30.0, 60.0, 120.0]))
@settings(max_examples=60)
def test_shapes_are_ratios_and_no_faster_than_allowed(rows: Rows, fps: float) -> None:
    found = mouth(tier_of(rows), int(6 * fps), fps)
    assert tuple(found) == mouths.CHANNELS
    together = sum(found[name] for name in SHAPES)
    assert np.all(together <= 1.0 + 1e-9)
    for name, values in found.items():
        assert values.min() >= 0.0
        assert values.max() <= 1.0
        if name in SHAPES:
            assert np.abs(np.diff(values)).max() * fps <= MouthSettings().fastest_per_s + 1e-6


@given(phone_rows)
@settings(max_examples=40)
def test_co_articulation_is_continuous(rows: Rows) -> None:
    """A frame of a millisecond changes little: nothing jumps."""
    free = MouthSettings(fastest_per_s=1000.0)
    fine = mouth(tier_of(rows), 6000, 1000.0, free)
    assert max(np.abs(np.diff(fine[name])).max() for name in SHAPES) < 0.05


@given(phone_rows, st.integers(1, 90))
@settings(max_examples=40)
def test_later_phones_give_the_same_mouth_later(rows: Rows, shift: int) -> None:
    first, late = tier_of(rows, 0.5), tier_of(rows, 0.5 + shift / FPS)
    now, then = mouth(first, 200, FPS), mouth(late, 200 + shift, FPS)
    for name, values in now.items():
        assert np.allclose(then[name][shift:], values, atol=1e-6)


@given(st.integers(0, 90))
def test_silence_keeps_the_mouth_closed(frames: int) -> None:
    assert not any(values.any() for values in mouth(Tier("phones"), frames, FPS).values())
    marked = Tier("phones", (Interval(0.0, 3.0, "sil"), Interval(3.0, 4.0, "")))
    assert not any(values.any() for values in mouth(marked, frames, FPS).values())


@pytest.mark.parametrize("level", [0.0, 1e-5, 3e-4])
def test_a_silent_room_keeps_the_mouth_closed(level: float, rng: np.random.Generator) -> None:
    found = mouth_of_sound(level * rng.normal(size=32000), 16000)
    assert len(found["jaw"]) == 60
    assert not any(values.any() for values in found.values())


def test_steady_noise_keeps_the_mouth_nearly_closed(rng: np.random.Generator) -> None:
    found = mouth_of_sound(0.02 * rng.normal(size=16000 * 5), 16000)
    assert found["jaw"][30:].mean() < 0.08


@pytest.mark.parametrize("fps", [24.0, 30.0, 60.0])
@pytest.mark.parametrize("variant", ["", "f3"])
def test_lips_meet_within_a_frame_of_every_p_b_m(spoken: Speech, variant: str, fps: float) -> None:
    speech = EspeakVoice(variant).speak(TEXT)
    jaw = mouth(speech.phones, frames_of(speech, fps), fps)["jaw"]
    lips = [p for p in speech.phones if ipa(p.label)[:1] in ("p", "b", "m")]
    assert len(lips) >= 15
    for phone in lips:
        at = 0.5 * (phone.start_s + phone.end_s) * fps
        assert jaw[max(0, int(np.ceil(at - 1.0))) : int(at + 1.0) + 1].min() == 0.0


@pytest.mark.parametrize("phones", [("ɑː", "iː"), ("AA1", "IY1")])
def test_aa_is_open_wider_than_ee(phones: tuple[str, str]) -> None:
    wide, spread = (mouth(Tier("phones", (Interval(0.2, 0.5, p),)), 20, FPS) for p in phones)
    assert wide["jaw"].max() > 2.0 * spread["jaw"].max()
    assert wide["aa"].max() > 0.5 > wide["ee"].max()
    assert spread["ee"].max() > 0.5 > spread["aa"].max()


def test_rounding_is_felt_before_its_vowel() -> None:
    """The s of 'soon' is rounder than that of 'seen': co-articulation."""

    def at_s(vowel: str) -> float:
        row = (Interval(0.3, 0.4, "s"), Interval(0.4, 0.6, vowel))
        return float(mouth(Tier("phones", row), 600, 600.0)["ou"][210])

    assert at_s("uː") > at_s("iː") + 0.05


def test_ipa_and_arpabet_give_the_same_mouth() -> None:
    pairs = (("tʃ", "CH"), ("aɪ", "AY1"), ("ŋ", "NG"), ("ɜː", "ER0"), ("oʊ", "OW2"), ("ə", "AH0"))
    for a, b in pairs:
        assert visemes(a) == visemes(b) != []


def test_live_frames_are_no_faster_than_allowed(spoken: Speech) -> None:
    found = mouth_of_sound(spoken.samples, spoken.rate_hz, HearingSettings(fps=100.0))
    for name in SHAPES:
        assert np.abs(np.diff(found[name])).max() * 100.0 <= 14.0 + 1e-6


def test_sound_alone_opens_the_mouth_as_phones_do(spoken: Speech) -> None:
    heard = mouth_of_sound(spoken.samples, spoken.rate_hz)
    known = mouth(spoken.phones, len(heard["jaw"]), FPS)
    least = {"aa": 0.5, "ih": 0.4, "ou": 0.25, "ee": 0.5, "oh": 0.4, "jaw": 0.5}
    for name, value in least.items():
        alike = np.corrcoef(heard[name], known[name])[0, 1]
        print(f"espeak {name}: {alike:.2f}")
        assert alike > value, name


def test_a_recorded_voice_opens_the_mouth_as_its_phones_do(data: Path) -> None:
    recording = read_audio(data / "beat2/2_scott_0_1_1.wav")
    rows = textgrid(data / "beat2/2_scott_0_1_1.TextGrid")["phones"]
    phones = [Interval(a, b, text) for a, b, text in rows if text.strip()]
    heard = mouth_of_sound(recording.samples, recording.rate_hz)
    known = mouth(Tier("phones", tuple(phones)), len(heard["jaw"]), FPS)
    alike = {name: np.corrcoef(heard[name], known[name])[0, 1] for name in heard}
    print("recorded", {name: round(float(value), 2) for name, value in alike.items()})
    assert alike["jaw"] > 0.5
    assert alike["aa"] > 0.45


def test_brows_rise_on_the_most_prominent_syllables(spoken: Speech) -> None:
    found = prominence(spoken)
    raises = brow_raises(found.syllables, BrowSettings())
    brows = face(spoken, frames_of(spoken), FPS, prominence=found)["browUp"]
    assert 3 <= len(raises) <= spoken.duration_s / BrowSettings().apart_s
    strongest = max(found.syllables, key=lambda a: a.value)
    assert strongest in raises
    for accent in raises:
        at = round(accent.peak_s * FPS)
        assert brows[at - 1 : at + 2].max() >= 0.3
    covered = np.zeros(len(brows), bool)
    for accent in raises:
        covered[max(0, round((accent.peak_s - 0.2) * FPS)) : round((accent.peak_s + 0.6) * FPS)] = 1
    assert not brows[~covered].any()


@pytest.mark.parametrize("seed", [0, 3, -5, 2**70])
def test_the_same_seed_gives_the_same_blinks_some_of_them_at_boundaries(
    spoken: Speech, seed: int
) -> None:
    found = prominence(spoken)
    frames = frames_of(spoken)
    lids = face(spoken, frames, FPS, seed, prominence=found)["blink"]
    assert np.array_equal(lids, face(spoken, frames, FPS, seed, prominence=found)["blink"])
    starts = np.flatnonzero((lids[1:] > 0.3) & (lids[:-1] <= 0.3)) / FPS
    assert 8.0 < 60.0 * len(starts) / spoken.duration_s < 40.0
    assert np.min(np.diff(starts)) > 0.8


def test_a_clip_gets_a_face_that_the_default_character_has(spoken: Speech) -> None:
    clip = rest_clip(default_rig().skeleton, frames_of(spoken) + 60, FPS)
    moved = with_face(clip, spoken, seed=2)
    assert set(moved.channels) == set(CHANNELS)
    assert set(CHANNELS) - {"jaw"} <= set(default_figure().morphs)
    assert all(v.min() >= 0.0 and v.max() <= 1.0 for v in moved.channels.values())
    assert moved == with_face(clip, spoken, seed=2)
    assert not moved.channels["jaw"][-30:].any()
    assert moved.channels["blink"].max() > 0.9


def test_blinks_of_the_clip_stay_and_none_is_added_beside_them(spoken: Speech) -> None:
    clip = rest_clip(default_rig().skeleton, frames_of(spoken), FPS)
    own = with_face(clip, spoken, seed=2)
    again = with_face(own, spoken, seed=3)
    assert np.array_equal(again.channels["blink"], own.channels["blink"])
    assert np.array_equal(again.channels["browUp"], own.channels["browUp"])


def test_sound_without_phones_has_a_face(spoken: Speech) -> None:
    found = face(Speech(spoken.samples, spoken.rate_hz), frames_of(spoken), FPS)
    assert all(len(v) == frames_of(spoken) for v in found.values())
    assert found["jaw"].max() > 0.4
    assert found["browUp"].max() > 0.3


def test_bad_values_are_refused() -> None:
    with pytest.raises(InvalidValueError, match="per_min is 90"):
        BlinkSettings(per_min=90.0)
    with pytest.raises(InvalidValueError, match="fps is 0"):
        mouth(Tier("phones"), 3, 0.0)
    with pytest.raises(InvalidValueError, match="at least 1"):
        face(Speech(np.zeros(10), 16000), 0, FPS)
    with pytest.raises(InvalidValueError, match="rate_hz is 10"):
        mouths.start(10.0)
