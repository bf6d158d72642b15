"""From a voice to a take."""

from __future__ import annotations

import runpy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benchmarks.studies.voice_fit import Listened, fit, library_clips

import kinesphere as ks
from kinesphere.bodylanguage.choose.acting_times import ON_TIME_S
from kinesphere.bodylanguage.play import engine
from kinesphere.bodylanguage.play.live_options import LiveOptions
from kinesphere.errors import InvalidValueError, UnreadableError
from kinesphere.evaluation.metric_registry import faults
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.calibration import calibration_frames
from kinesphere.motion.clip import rest_clip
from kinesphere.motion.editing import concatenate
from kinesphere.pipeline.hear import hear
from kinesphere.pipeline.listen import listen
from kinesphere.pipeline.models import model
from kinesphere.pipeline.stages.utter import speak
from kinesphere.pipeline.stages.voice_motion import RATE_HZ, move_by_voice
from kinesphere.speech.prosody.prosody import prosody
from kinesphere.speech.resampling import resample_audio
from kinesphere.speech.value import Speech
from tests.bodylanguage.material import wandering
from tests.conftest import ROOT

TEXT = (
    "Hello everybody. I never thought that this would work, but it does! There are three reasons. "
    "First, nobody asked you. Second, it is enormous. And then, well, I do not know at all."
)


@pytest.fixture(scope="module")
def speech() -> Speech:
    return speak(TEXT)


@pytest.fixture(scope="module")
def take(speech: Speech) -> ks.Take:
    return listen(speech, fps=30.0)


def hands(take: ks.Take) -> Floats:
    clip = take.clip
    return np.stack([clip.joint_positions("leftHand"), clip.joint_positions("rightHand")], axis=1)


def test_offline_is_live_with_one_chunk(speech: Speech, take: ks.Take) -> None:
    samples = resample_audio(np.asarray(speech.samples), speech.rate_hz, RATE_HZ)
    options = LiveOptions(delay_s=ON_TIME_S)
    state = engine.start(model("house"), RATE_HZ, fps=30.0, options=options)
    parts = []
    for first in range(0, len(samples), 777):
        state, frames = engine.step(state, samples[first : first + 777])
        parts.append(frames.rotations)
    alone = np.concatenate([*parts, engine.finish(state).rotations])
    done = move_by_voice(model("house"), speech, options, fps=30.0, seed=0)
    clip, gestures = done.clip, done.gestures
    assert not gestures.intervals
    np.testing.assert_array_equal(clip.rotations, alone[: len(clip)])
    # What the take has more are the gestures that its words called for.
    assert take.tier("gestures") is not None
    assert len(listen(speech, fps=30.0, tail_s=0.0).clip) == len(clip)


def test_a_tail_only_adds_to_the_end_and_brings_hands_home(speech: Speech) -> None:
    last = speech.words.intervals[-1].end_s
    cut = Speech(speech.samples[: int((last - 0.3) * speech.rate_hz)], speech.rate_hz)
    short, whole = (listen(cut, fps=60.0, seed=1, tail_s=t) for t in (0.0, None))
    count = len(short.clip)
    np.testing.assert_array_equal(whole.clip.rotations[:count], short.clip.rotations)
    speeds = [np.linalg.norm(np.diff(hands(t), axis=0), axis=-1) * 60.0 for t in (short, whole)]
    assert speeds[0][-6:].max() > 0.2
    assert speeds[1][-6:].max() < 0.15
    chest = ks.default_rig().joint("upperChest")
    clip = whole.clip
    places = hands(whole) - clip.world_positions[:, None, chest]
    places = quaternion.rotate(quaternion.inverse(clip.world_rotations[:, None, chest]), places)
    assert np.linalg.norm(places[-1] - places[0], axis=-1).max() < 0.06
    assert whole.audio is not None
    sound = len(whole.audio.samples) / whole.audio.rate_hz
    assert abs(sound - whole.clip.duration_s) < 1.0 / 60.0


def test_a_lead_in_comes_before_everything(speech: Speech) -> None:
    later = listen(speech, fps=30.0, lead_in_s=0.5)
    words = later.tier("words")
    assert words is not None
    assert words.intervals[0].start_s == pytest.approx(speech.words.intervals[0].start_s + 0.5)
    assert later.audio is not None
    assert not later.audio.samples[: speech.rate_hz // 2].any()


def test_a_silent_recording_has_no_tail() -> None:
    assert listen((np.zeros(16_000), 16_000), fps=30.0).clip.duration_s == pytest.approx(1.0)


def test_a_take_has_everything(take: ks.Take, speech: Speech) -> None:
    names = [tier.name for tier in take.tiers]
    assert {"words", "head", "arms", "lower"} <= set(names)
    assert take.audio is not None
    sound = len(take.audio.samples) / take.audio.rate_hz
    assert abs(take.clip.duration_s - sound) < 1.0 / 30.0
    assert {"aa", "blink", "browUp"} <= set(take.clip.channels)
    assert take.clip.channels["aa"].max() > 0.3
    for name in ("head", "arms", "lower"):
        tier = take.tier(name)
        assert tier is not None
        assert tier.intervals[0].start_s == 0.0
        ends = np.array([(i.start_s, i.end_s) for i in tier])
        np.testing.assert_allclose(ends[1:, 0], ends[:-1, 1])
    assert 0.5 < take.provenance["shown_share"]["arms"] < 1.0


def test_the_same_seed_gives_the_same_take_and_another_another(speech: Speech) -> None:
    one, two = listen(speech, fps=20.0, seed=4), listen(speech, fps=20.0, seed=4)
    assert one.clip == two.clip
    assert listen(speech, fps=20.0, seed=5).clip != one.clip


def test_nothing_is_wrong_with_the_body(take: ks.Take) -> None:
    found = faults(take.clip, ks.default_rig())
    assert found["foot_slide_m_s"] <= 0.005
    assert found["limit_worst_deg"] < 8.0
    assert found["hand_in_body_m"] < 0.02


def test_amount_and_expression(speech: Speech, take: ks.Take) -> None:
    def size(take: ks.Take) -> float:
        return float(hands(take).std(axis=0).sum())

    still = listen(speech, fps=30.0, amount=0.0, word_gestures=0.0)
    assert size(still) < 0.26 * size(take)
    spread = listen(speech, fps=30.0, shape={"horizontal": -0.8})
    assert np.ptp(hands(spread)[..., 0].mean(axis=0)) > np.ptp(hands(take)[..., 0].mean(axis=0))


def test_words_get_gestures_on_their_syllables(speech: Speech, take: ks.Take) -> None:
    tier = take.tier("gestures")
    assert tier is not None
    words = [i for i in speech.words if i.label.strip()]
    assert 2 <= len(tier) <= 8
    for gesture in tier:
        assert any(gesture.start_s - 0.2 < w.end_s and w.start_s < gesture.end_s for w in words)
    without = listen(speech, fps=30.0, word_gestures=0.0)
    assert without.tier("gestures") is None
    outside = np.ones(len(take.clip), dtype=bool)
    for gesture in tier:
        outside[int(gesture.start_s * 30) : int(gesture.end_s * 30) + 2] = False
    np.testing.assert_array_equal(take.clip.rotations[outside], without.clip.rotations[outside])


def test_onto_another_motion_only_the_parts_are_seen(speech: Speech) -> None:
    base = ks.idle(8.0, fps=30.0, seed=2)
    out = listen(speech, fps=30.0, onto=base, parts=("arms",))
    rig = ks.default_rig()
    untouched = rig.joints(("hips", "spine", "leftUpperLeg", "head"))
    frames = len(base.clip)
    np.testing.assert_array_equal(
        out.clip.rotations[:frames, untouched], base.clip.rotations[:, untouched]
    )
    apart = np.linalg.norm(hands(out)[:frames] - hands(base), axis=-1)
    assert apart.max() > 0.1


def test_a_short_motion_does_not_cut_the_speech(speech: Speech) -> None:
    base = ks.Take(wandering(20, seed=3).frames(0, 20))
    out = listen(speech, fps=30.0, onto=base, parts=("arms",), tail_s=0.0)
    assert out.clip.duration_s == pytest.approx(speech.duration_s, abs=0.05)
    assert out.notes[-1].startswith("the motion: 0.6 s of motion for ")
    assert out.notes[-1].endswith("; its last pose is held")
    hips = ks.default_rig().joint("hips")
    assert (out.clip.rotations[20:, hips] == out.clip.rotations[-1, hips]).all()


def test_a_calibration_pose_is_not_used(speech: Speech) -> None:
    talk = ks.idle(20.0, fps=30.0, seed=2)
    channels = {name: values[:1] for name, values in talk.clip.channels.items()}
    rest = replace(rest_clip(talk.clip.skeleton, 1, 30.0), channels=channels)
    with_pose = replace(talk, clip=concatenate([rest, talk.clip]))
    assert calibration_frames(with_pose.clip) == 1
    out = listen(speech, fps=30.0, onto=with_pose, parts=("arms",))
    assert out.clip == listen(speech, fps=30.0, onto=talk, parts=("arms",)).clip
    assert out.notes == ("the motion: the first frame is a calibration pose; removed",)


def test_the_model_beats_the_papers_comparisons(speech: Speech) -> None:
    known = model("house")
    texts = [speech, speak("We walked along the river. " * 4 + "Nobody ever came back, you know.")]
    found = {}
    for policy in ("model", "random", "random-synchronised", "unsynchronised"):
        runs = []
        for spoken in texts:
            heard = prosody(
                resample_audio(np.asarray(spoken.samples), spoken.rate_hz, RATE_HZ), RATE_HZ
            )
            for seed in range(6):
                options = LiveOptions(delay_s=ON_TIME_S, policy=policy)
                changes = move_by_voice(known, spoken, options, fps=20.0, seed=seed).changes
                runs.append(Listened(changes, heard, spoken.duration_s))
        found[policy] = fit(known, runs)
    ours = found["model"]
    assert ours.begins.p_near < 0.01
    assert ours.begins.near_share > ours.begins.chance_share + 0.05
    for policy in ("random", "unsynchronised"):
        assert ours.begins.near_share > found[policy].begins.near_share
    for policy in ("random", "random-synchronised", "unsynchronised"):
        assert ours.bits["arms"] > found[policy].bits["arms"]
        assert ours.bits["head"] > found[policy].bits["head"]
    assert 0.65 < ours.shown["arms"] < 0.95


def test_the_library_is_motion_of_whole_bodies() -> None:
    clips = library_clips(model("house"), least_s=40.0)
    assert sum(c.duration_s for c in clips) > 600.0
    found = faults(clips[0], ks.default_rig())
    assert found["limit_worst_deg"] < 1.0


def test_a_listener_is_calm_and_alive() -> None:
    silent = Speech(np.zeros(int(20 * RATE_HZ)), int(RATE_HZ))
    clip = listen(hear(silent), fps=30.0).clip
    speed = np.linalg.norm(np.diff(clip.joint_positions("rightHand"), axis=0), axis=1) * 30.0
    assert np.quantile(speed[60:], 0.9) < 0.15
    head = clip.world_rotations[:, ks.default_rig().joint("head")]
    assert np.degrees(2 * np.arccos(np.abs(head @ head[0]).min().clip(0, 1))) > 1.0
    assert clip.channels["blink"].max() > 0.8
    assert clip.channels["aa"].max() < 0.05


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"amount": 9.0}, "amount is 9, allowed is 0 to 1.5"),
        ({"policy": "best"}, "policy 'best', allowed are"),
        ({"speakers": "nobody"}, "no speaker 'nobody'"),
        ({"model": "nothing"}, "model 'nothing' is not known"),
        ({"delay_s": 3.0}, "delay_s is 3"),
        ({"word_gestures": -1.0}, "word_gestures is -1"),
        ({"fps": 0.0}, "fps is 0"),
    ],
)
def test_what_is_not_allowed(speech: Speech, change: dict[str, object], said: str) -> None:
    with pytest.raises(InvalidValueError, match=said):
        listen(speech, **change)


def test_what_is_no_sound_or_empty(tmp_path: object) -> None:
    with pytest.raises(UnreadableError):
        listen("nothing.wav")
    with pytest.raises(InvalidValueError, match="empty"):
        listen(replace(Speech(np.zeros(1), 16_000), samples=np.zeros(0)))


def test_the_example_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    example = runpy.run_path(str(ROOT / "examples" / "04_listen.py"))
    example["main"](tmp_path)
    assert (tmp_path / "listened.html").stat().st_size > 500_000
    assert "frames live" in capsys.readouterr().out
