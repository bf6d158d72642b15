"""Gestures on words: on time, without pops, independent of chunks, gone without a trace."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.animation.arms.poses.home_pose import home_clip
from kinesphere.bodylanguage.choose import word_choice
from kinesphere.bodylanguage.choose.spoken_words import spoken_words
from kinesphere.bodylanguage.choose.word_choice import GestureKey, SpokenWord
from kinesphere.bodylanguage.play import word_gestures
from kinesphere.bodylanguage.play.gesture_clips import gesture_clip
from kinesphere.bodylanguage.play.word_gestures import WordSettings, WordsState
from kinesphere.corpus.profiles.profile import Profile
from kinesphere.errors import InvalidValueError
from kinesphere.figure.arms.arm_overlay import arm_poses, with_arms
from kinesphere.figure.clearance import Posed
from kinesphere.gesture.lexicon import extend_lexicon, lexicon
from kinesphere.language.tags import semantic_tags
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.body_volume import hand_depth
from kinesphere.motion.clip import Clip
from kinesphere.motion.mirroring import mirror
from kinesphere.pipeline.speakers import speaker
from kinesphere.timeline import Interval, Tier

FPS = 60.0
ALL = WordSettings(rate=1.0)
# One word a gesture, of every kind: emblem, deictic, iconic, metaphoric, with a touch.
TELLING = {
    "hello": "Wave",
    "enormous": "BigSpan",
    "tiny": "SmallGap",
    "nothing": "Wipe",
    "I don't know": "Shrug",
    "emotional": "Heart",
}


def profile(name: str = "neutral") -> Profile:
    return speaker(name)


@cache
def swaying(frames: int = 900) -> Clip:
    """A figure whose arms, back and hips are always on the move."""
    clip = home_clip(frames, FPS)
    t = clip.times
    rotations = clip.rotations.copy()
    for k, bone in enumerate(("spine", "upperChest")):
        turn = 0.12 * np.sin((1.3 + 0.4 * k) * t[:, None] + np.arange(3.0))
        rotations[:, clip.skeleton.index(bone)] = quaternion.exp(turn)
    clip = Clip(clip.skeleton, FPS, clip.root_positions, rotations)
    poses = arm_poses(clip.rotations, clip.world_rotations)
    way = np.sin(2.5 * t[:, None, None] + np.arange(6.0).reshape(2, 3))
    lifted = poses.wrists + np.array([0.0, 0.2, 0.15]) + np.array([0.08, 0.1, 0.06]) * way
    moving = poses._replace(wrists=lifted, rolls=poses.rolls + 0.5 * way[:, :, 0])
    return clip_of(with_arms(posed(clip), moving, np.ones((frames, 2))))


def posed(clip: Clip) -> Posed:
    return Posed(clip.rotations, clip.root_positions, clip.world_rotations)


def clip_of(made: Posed) -> Clip:
    return Clip(ks.default_rig().skeleton, FPS, made.root_positions, made.rotations)


def said(text: str, start_s: float, pace_s: float = 0.3) -> list[SpokenWord]:
    return [
        SpokenWord(w, start_s + i * pace_s, start_s + (i + 0.9) * pace_s)
        for i, w in enumerate(text.split())
    ]


def state(seeds: tuple[int, ...] = (0,), settings: WordSettings = ALL) -> WordsState:
    return word_gestures.start(profile(), FPS, seeds, settings=settings)


def wrist_speeds(clip: Clip) -> Floats:
    """Speed ``[frames, 2]`` of the wrists in the chest's frame."""
    places = arm_poses(clip.rotations, clip.world_rotations).wrists
    return np.asarray(np.linalg.norm(np.gradient(places, 1.0 / FPS, axis=0), axis=-1))


@pytest.mark.parametrize("text", TELLING)
def test_stroke_is_fastest_on_the_stressed_syllable(text: str) -> None:
    spoken = said(text, 3.0)
    known = word_gestures.push_words(state(), spoken, 1.9)
    (gesture,) = known.gestures()
    assert gesture.clip.key.lexeme == TELLING[text]
    _, out = word_gestures.overlay_gestures(known, posed(swaying()), 0)
    speed = wrist_speeds(clip_of(out)) @ gesture.clip.acting
    word = max(spoken, key=lambda w: w.end_s - w.start_s)
    near = np.flatnonzero(np.abs(swaying().times - word.moment_s) < 0.15)
    # From the middle of the way up on, nothing but the stroke is as fast.
    stroke_s = gesture.begin_s + gesture.preparation_s
    later = np.flatnonzero(
        (swaying().times > stroke_s + 0.08) & (swaying().times < stroke_s + 0.45)
    )
    assert speed[near].max() >= speed[later].max() - 1e-9
    assert abs(gesture.peak_s - word.moment_s) < 1e-9


def test_chunks_of_any_size_give_the_same() -> None:
    base = posed(swaying())
    text = said("Hello there.", 1.0) + said("It was enormous!", 5.0)
    early, late = text[:2], text[2:]
    rng = np.random.default_rng(0)

    def run(sizes: list[int]) -> Floats:
        now, at, out = word_gestures.push_words(state(), early, 0.0), 0, []
        for size in sizes:
            part = Posed(*(values[at : at + size] for values in base))
            if at == 240:
                now = word_gestures.push_words(now, late, at / FPS)
            now, made = word_gestures.overlay_gestures(now, part, at)
            out.append(made.rotations)
            at += size
        return np.concatenate(out)

    cut = [int(n) for n in rng.multinomial(240, np.ones(9) / 9)]
    rest = [int(n) for n in rng.multinomial(660, np.ones(7) / 7)]
    whole = run([240, 660])
    assert np.array_equal(whole, run(cut + rest))
    assert not np.array_equal(whole, base.rotations)


def test_untouched_before_and_after_and_in_all_other_joints() -> None:
    base = posed(swaying())
    known = word_gestures.push_words(state(), said("hello", 4.0), 0.0)
    (gesture,) = known.gestures()
    _, out = word_gestures.overlay_gestures(known, base, 0)
    times = swaying().times
    outside = (times <= gesture.begin_s) | (times >= gesture.end_s)
    for own, made in zip(base, out, strict=True):
        assert np.array_equal(own[outside], made[outside])
    side = "right" if gesture.clip.acting[1] else "left"
    moved = np.any(out.rotations != base.rotations, axis=(0, 2))
    names = {n for n, m in zip(ks.default_rig().skeleton.names, moved, strict=True) if m}
    assert names
    assert all(n.startswith(side) and "Leg" not in n and "Foot" not in n for n in names)


def test_nothing_to_say_changes_nothing() -> None:
    base = posed(swaying())
    for known in (
        state(),
        word_gestures.push_words(state(), [], 0.0),
        word_gestures.push_words(state(settings=WordSettings(rate=0.0)), said("hello", 1.0), 0.0),
        word_gestures.push_words(state(), said("of the", 1.0), 0.0),
    ):
        after, out = word_gestures.overlay_gestures(known, base, 0)
        assert out is base
        assert after is known


def test_borders_are_met_without_a_step() -> None:
    base = swaying()
    known = word_gestures.push_words(state(), said("hello", 4.0), 0.0)
    (gesture,) = known.gestures()
    out = clip_of(word_gestures.overlay_gestures(known, posed(base), 0)[1])
    inside = np.flatnonzero((base.times > gesture.begin_s) & (base.times < gesture.end_s))
    for frame in (inside[0], inside[-1]):
        off = out.world_positions[frame] - base.world_positions[frame]
        assert np.abs(off).max() < 1e-3


@pytest.mark.parametrize("known_s", [0.0, 4.0])
@pytest.mark.parametrize("text", TELLING)
def test_no_pops_and_no_hand_in_the_body(text: str, known_s: float) -> None:
    """Known long before, or only when the word begins."""
    base = swaying()
    known = word_gestures.push_words(state(), said(text, 4.0), known_s)
    assert len(known.gestures()) == 1
    out = clip_of(word_gestures.overlay_gestures(known, posed(base), 0)[1])
    for side in ("left", "right"):
        path = out.joint_positions(f"{side}Hand")
        acceleration = np.linalg.norm(np.diff(path, 2, axis=0), axis=1) * FPS**2
        assert acceleration.max() < 45.0
        assert hand_depth(out, ks.default_rig(), side).max() < 0.003


def test_left_hand_is_the_mirror_image_of_the_right() -> None:
    base = home_clip(300, FPS)
    made = {}
    for hands in ("LH", "RH"):
        clip = gesture_clip(profile(), GestureKey("Wave", hands))
        gesture = word_gestures.WordGesture(0.5, clip.stroke_s, 1.5, clip, "", "", 0)
        now = WordsState(profile(), ALL, "en", FPS, (0,), (word_gestures._Said((), 0, (gesture,)),))
        made[hands] = clip_of(word_gestures.overlay_gestures(now, posed(base), 0)[1])
    other = mirror(made["RH"])
    off = quaternion.angle_between(made["LH"].world_rotations, other.world_rotations)
    assert off.max() < 1e-3
    assert np.abs(made["LH"].world_positions - other.world_positions).max() < 1e-4


def test_words_one_by_one_or_all_at_once() -> None:
    text = said("I do not know. But he was enormous, and it is never enough!", 2.0)
    text += said("Hello my friends, thank you so much.", 9.0)
    whole = word_gestures.push_words(state(), text, 0.0)
    single = state()
    for word in text:
        single = word_gestures.push_words(single, [word], 0.0)
    assert whole.gestures() == single.gestures()
    assert len(whole.gestures()) >= 3


def test_characters_do_not_disturb_each_other() -> None:
    base = posed(swaying())
    texts = {0: "hello everyone", 1: "it was enormous", 2: "nothing at all"}
    both = state((3, 4, 5))
    for c, text in texts.items():
        both = word_gestures.push_words(both, said(text, 2.0), 0.0, c)
    three = Posed(*(np.concatenate([part] * 3) for part in base))
    _, out = word_gestures.overlay_gestures(both, three, 0)
    for c, text in texts.items():
        alone = word_gestures.push_words(state((3 + c,)), said(text, 2.0), 0.0)
        _, own = word_gestures.overlay_gestures(alone, base, 0)
        rows = slice(c * 900, (c + 1) * 900)
        assert np.array_equal(out.rotations[rows], own.rotations)


def test_late_words_are_done_soon_or_not_at_all() -> None:
    word = [SpokenWord("hello", 3.0, 3.4)]
    in_time = word_gestures.push_words(state(), word, 3.1).gestures()
    assert len(in_time) == 1
    assert in_time[0].begin_s == pytest.approx(3.1)
    assert 3.16 < in_time[0].peak_s <= 4.0
    assert word_gestures.push_words(state(), word, 3.9).gestures() == ()
    lenient = word_gestures.start(profile(), FPS, settings=WordSettings(rate=1.0, most_late_s=2.0))
    assert len(word_gestures.push_words(lenient, word, 3.9).gestures()) == 1


def test_strokes_keep_their_distance() -> None:
    text = said("Hello tiny giant, nothing never stop hello enormous thanks you now here!", 1.0)
    found = word_gestures.push_words(state(), text, 0.0).gestures()
    assert len(found) >= 2
    for a, b in pairwise(found):
        assert b.moment_s - a.moment_s >= 3.0
        assert b.begin_s >= a.retraction_s


def test_rate_is_the_share_of_words() -> None:
    def count(rate: float) -> int:
        now = word_gestures.start(profile(), FPS, settings=WordSettings(rate=rate))
        for k in range(60):
            now = word_gestures.push_words(now, said("Hello.", 10.0 * k + 5.0), 0.0)
        return len(now.gestures())

    assert count(1.0) == 60
    assert 18 <= count(0.5) <= 42


def test_past_is_forgotten() -> None:
    now = state()
    for k in range(20):
        now = word_gestures.push_words(now, said("Hello my friends.", 6.0 * k + 1.0), 6.0 * k)
        rest = Posed(*(part[:360] for part in posed(swaying())))
        now, _ = word_gestures.overlay_gestures(now, rest, 360 * k)
        assert len(now.gestures()) <= 2
        assert len(now.said[0].words) <= 3


def test_beats_and_common_gestures_stay_with_the_prosody() -> None:
    for tag in semantic_tags():
        for name in word_choice.telling_lexemes(tag):
            entry = lexicon()[name]
            assert entry.kind != "beat"
            assert not entry.without_hands
            assert name not in ("Cup", "Frame", "Progressive", "Umbrella")


@pytest.mark.parametrize(
    ("text", "shape"), [("two", "victory"), ("three", "three"), ("five", "open-spread")]
)
def test_numbers_are_shown_with_so_many_fingers(text: str, shape: str) -> None:
    shapes = set()
    for seed in range(8):
        found = word_choice.triggers(["there", "are", text, "things"], profile(), seed, 0)
        keys = [t.key for t in found if t.tag == "NUMBER"]
        shapes |= {k.shape for k in keys if k.lexeme == "NumberSign"}
        assert all(k.hands == "2H" for k in keys if k.lexeme == "CountFingers")
    assert shapes == {shape}


@pytest.mark.parametrize("text", ["there are twenty things", "he caught a small one"])
def test_numbers_that_no_hand_shows(text: str) -> None:
    found = word_choice.triggers(text.split(), profile(), 0, 0)
    assert all(t.tag != "NUMBER" for t in found)


def test_a_speaker_without_the_gesture_has_the_usual_one() -> None:
    assert "Wave" not in profile("host").lexemes
    (found,) = word_choice.triggers(["hello"], profile("host"), 0, 0)
    assert found.key.lexeme == "Wave"


def test_own_lexemes_change_a_gesture_only_where_they_are_added() -> None:
    key = GestureKey("BigSpan", "2H")
    slow = {"BigSpan": replace(lexicon()["BigSpan"], stroke_s=1.2)}
    with extend_lexicon(slow):
        own = gesture_clip(profile(), key)
    usual = gesture_clip(profile(), key)
    with extend_lexicon(slow):
        again = gesture_clip(profile(), key)
    assert again is own
    assert own.peak_s - own.stroke_s > usual.peak_s - usual.stroke_s + 0.1
    with extend_lexicon({"Wave": replace(lexicon()["Wave"], kind="beat")}):
        assert "Wave" not in word_choice.telling_lexemes("GREETING")
    assert "Wave" in word_choice.telling_lexemes("GREETING")


def test_transcript_gives_stress_and_punctuation() -> None:
    tiers = (
        Tier("words", (Interval(0.0, 0.5, "about"), Interval(0.6, 1.0, "you"))),
        Tier("phones", (Interval(0.0, 0.1, "ə"), Interval(0.2, 0.4, "ˈaʊ"))),  # noqa: RUF001
        Tier("sentences", (Interval(0.0, 1.0, "about, you!"),)),
    )
    first, second = spoken_words(tiers)
    assert (first.text, second.text) == ("about,", "you!")
    assert first.moment_s == pytest.approx(0.3)
    assert second.stress_s is None
    assert spoken_words(tiers[1:]) == ()


def test_errors() -> None:
    with pytest.raises(InvalidValueError, match="before 'b' at 2 s"):
        word_gestures.push_words(
            state(), [SpokenWord("b", 2.0, 2.1), SpokenWord("a", 1.0, 1.2)], 0.0
        )
    with pytest.raises(InvalidValueError, match="character 1, allowed is 0 to 0"):
        word_gestures.push_words(state(), [SpokenWord("a", 1.0, 1.2)], 0.0, 1)
    with pytest.raises(InvalidValueError, match="must not end before it starts"):
        SpokenWord("a", 1.0, 0.5)
    with pytest.raises(InvalidValueError, match="not finite"):
        SpokenWord("a", float("nan"), 0.5)
    with pytest.raises(InvalidValueError, match=r"rate is 1\.5, allowed is 0 to 1"):
        WordSettings(rate=1.5)
    with pytest.raises(InvalidValueError, match="'Wve' is no hand gesture; near are Wave"):
        gesture_clip(profile(), GestureKey("Wve", "RH"))
    with pytest.raises(InvalidValueError, match="language 'fr'"):
        word_gestures.start(profile(), FPS, language="fr")
