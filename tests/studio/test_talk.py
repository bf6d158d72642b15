"""Live talk: the same frames as the engine's, however the sound is cut; what was said is kept."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesphere.bodylanguage.model import BodyLanguageModel
from kinesphere.bodylanguage.play import engine
from kinesphere.bodylanguage.play.live_options import LiveOptions
from kinesphere.character.default import default_rig
from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats
from kinesphere.motion.clip import Clip
from kinesphere.pipeline.models import model as model_named
from kinesphere.realtime.engine import VoiceEngine
from kinesphere.speech.resampling import resample_audio
from kinesphere.studio.server import talk as talks
from kinesphere.studio.server.packets import SoundChunk
from kinesphere.studio.server.talk import FPS, Talk
from kinesphere.studio.work.figures import default_shown_figure
from tests.studio.packet_reader import LivePacket, read_live

OPTIONS = LiveOptions()


@cache
def model() -> BodyLanguageModel:
    return model_named("house")


def voice(seconds: float, rate: int) -> Floats:
    t = np.arange(round(seconds * rate)) / rate
    tone = sum(np.sin(2 * np.pi * 140 * k * t) / k for k in range(1, 8))
    return np.asarray(0.15 * tone * np.maximum(0.0, np.sin(2 * np.pi * 2.0 * t)))


def talk(rate: float = 16_000.0, seed: int = 3) -> Talk:
    engine = VoiceEngine(model(), FPS, seed, options=OPTIONS)
    return Talk(engine, rate, default_shown_figure())


def heard(one: Talk, sound: Floats, cuts: list[int]) -> list[LivePacket]:
    edges = sorted({0, len(sound), *(c % len(sound) for c in cuts)})
    packets = []
    for k, (a, b) in enumerate(pairwise(edges)):
        packet = one.take(SoundChunk(k, float(k), sound[a:b]))
        if packet is not None:
            packets.append(read_live(packet))
    return packets


@cache
def reference(seed: int = 3) -> bytes:
    """Frames of the engine itself, in one step."""
    state = engine.start(model(), 16_000.0, fps=FPS, seed=seed, options=OPTIONS)
    _, frames = engine.step(state, voice(1.5, 16_000))
    clip = Clip(
        default_rig().skeleton,
        FPS,
        frames.root_positions,
        frames.rotations,
        channels=dict(frames.channels),
    )
    return default_shown_figure().frames(clip)


@settings(max_examples=12)
@given(st.lists(st.integers(0, 1 << 20), max_size=40))
def test_chunks_of_any_sizes_give_the_engines_frames(cuts: list[int]) -> None:
    one = talk()
    packets = heard(one, voice(1.5, 16_000), cuts)
    at = 0
    for packet in packets:
        assert packet.first == at
        at += len(packet.frames.roots)
    assert b"".join(p.data for p in packets) == reference()
    kept = one.recording()
    assert np.abs(kept - voice(1.5, 16_000)).max() <= 0.5 / 32767 + 1e-12


def test_another_seed_moves_otherwise() -> None:
    packets = heard(talk(seed=4), voice(1.5, 16_000), [])
    assert b"".join(p.data for p in packets) != reference()


@pytest.mark.parametrize("rate", [8_000, 22_050, 44_100, 48_000, 96_000])
def test_other_rates_are_resampled_on_the_way(rate: int) -> None:
    one = talk(float(rate))
    sound = voice(1.2, rate)
    packets = heard(one, sound, list(range(0, len(sound), rate // 50)))
    whole = resample_audio(sound, rate)
    kept = one.recording()
    assert 0.9 * len(whole) < len(kept) <= len(whole) + 1
    assert np.abs(kept - whole[: len(kept)]).max() < 1e-3
    assert one.level().heard_s == pytest.approx(len(kept) / 16_000)
    assert len(packets) > 8
    again = heard(talk(float(rate)), sound, [])
    assert b"".join(p.data for p in again) == b"".join(p.data for p in packets)


def test_level_stamp_and_speaking() -> None:
    one = talk()
    assert one.level() == (-80.0, 0.0, 0.0, False)
    packet = one.take(SoundChunk(0, 123.5, np.full(1600, 0.5)))
    assert packet is not None
    read = read_live(packet)
    assert read.stamp_ms == 123.5
    assert read.level_db == pytest.approx(20 * np.log10(0.5), abs=0.01)
    assert one.level().speaking
    one.take(SoundChunk(1, 124.0, np.zeros(1600)))
    assert one.level().level_db == -80.0
    assert not one.level().speaking
    assert one.level().step_ms > 0.0
    assert one.take(SoundChunk(2, 0.0, np.zeros(0))) is None


def test_a_recording_is_full_at_some_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(talks, "LONGEST_S", 0.2)
    one = talk()
    one.take(SoundChunk(0, 0.0, np.zeros(1600)))
    full = [one.full]
    one.take(SoundChunk(1, 0.0, np.zeros(1600)))
    assert [*full, one.full] == [False, True]
    assert len(talk().recording()) == 0


@pytest.mark.parametrize("rate", [0.0, -1.0, 7_999.0, 192_001.0, float("nan"), float("inf")])
def test_rates_that_cannot_be_are_refused(rate: float) -> None:
    with pytest.raises(InvalidValueError):
        talk(rate)
