"""From a text, a script or an annotation to a take."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinesphere.character.default import default_rig
from kinesphere.corpus.profiles.profile import Profile
from kinesphere.dynamics.tension.presets import Tension
from kinesphere.errors import InvalidValueError, KinesphereError, UnreadableError
from kinesphere.export.output import save
from kinesphere.formats.wav import wav_bytes
from kinesphere.gesture.lexicon import lexicon
from kinesphere.gesture.phases import ArmPhases
from kinesphere.gesture.script import GestureScript, ScriptGesture, ScriptUnit
from kinesphere.gesture.script_text import script_of_text, script_text, write_script
from kinesphere.maths.arrays import Floats
from kinesphere.motion.clip import Clip
from kinesphere.motion.keyed.keyed_motion import KeyedMotion
from kinesphere.motion.take import Audio, Take
from kinesphere.pipeline.convert import load
from kinesphere.pipeline.listen import listen
from kinesphere.pipeline.perform import animate, perform, recreate
from kinesphere.pipeline.speakers import speaker
from kinesphere.pipeline.stages import utter as pipeline
from kinesphere.pipeline.stages.cast import Cast
from kinesphere.pipeline.stages.direct import tension_of_speaker
from kinesphere.pipeline.stages.direction import Direction
from kinesphere.pipeline.stages.plan import plan_annotation
from kinesphere.pipeline.stages.utter import LEAD_S, Utterance, speak, utter
from kinesphere.speech.value import Speech
from kinesphere.timeline import Tier

RIG = default_rig()
TEXT = "I don't know what to tell you. It is huge, and nobody asked for it. Suddenly they give it to me!"
GERMAN = "Ich weiß nicht, was ich dir sagen soll. Das ist riesig, und niemand wollte es haben!"
DATA = Path(__file__).parents[2] / "src" / "kinesphere" / "corpus" / "data"


def gesture(name: str = "Cup", hands: str = "RH", end_s: float = 2.0) -> ScriptGesture:
    return ScriptGesture(
        name, hands, "prep+stroke+hold", stroke_end_s=end_s, stroke_s=0.4, hold_s=0.3
    )


def written(*gestures: ScriptGesture) -> GestureScript:
    return GestureScript((ScriptUnit(gestures or (gesture(), gesture("Wipe", "2H", 4.0))),))


def wrist(clip: Clip, side: str = "right") -> Floats:
    return clip.world_positions[:, RIG.joint(f"{side}Hand")]


@pytest.fixture(scope="module")
def said() -> Utterance:
    return utter(TEXT, Cast(voice="espeak"))


@pytest.fixture(scope="module")
def take(said: Utterance) -> Take:
    return perform(TEXT, "host", speech=said.heard, amount=2.0, seed=3)


# -- a text ----------------------------------------------------------------------------------------


def test_a_take_has_words_phases_and_gestures(take: Take) -> None:
    names = [tier.name for tier in take.tiers]
    assert names[:3] == ["phases left", "phases right", "gestures"]
    assert {"words", "sentences"} <= set(names)
    words = take.tier("words")
    assert words is not None
    assert [w.label for w in words][:4] == ["I", "don't", "know", "what"]
    gestures = take.tier("gestures")
    assert gestures is not None
    assert len(gestures) >= 2
    for tier in take.tiers:
        for a, b in pairwise(tier):
            assert a.end_s <= b.start_s + 1e-9
        assert tier.intervals[-1].end_s <= len(take.clip) / take.clip.fps + 0.05


def test_phases_can_be_read_back_and_hold_every_stroke(take: Take) -> None:
    script = script_of_text(take.documents["script"])
    for side in ("left", "right"):
        tier = take.tier(f"phases {side}")
        assert tier is not None
        strokes = [p for p in ArmPhases.of_tier(tier) if p.kind == "stroke"]
        by_hand = [g for g in script.gestures if not lexicon()[g.lexeme].without_hands]
        assert len(strokes) == sum(g.has_stroke for g in by_hand)


def test_sound_and_motion_are_equally_long(take: Take) -> None:
    assert take.audio is not None
    sound = len(take.audio.samples) / take.audio.rate_hz
    assert abs(sound - len(take.clip) / take.clip.fps) <= 2.0 / take.clip.fps


def test_it_says_how_it_was_made(take: Take) -> None:
    about = take.provenance
    assert (about["made_by"], about["style"], about["seed"]) == ("perform", "host", 3)
    assert about["language"] == "en"
    assert about["amount"] == 2.0


def test_the_script_and_the_tracks_go_with_it(take: Take) -> None:
    script = script_of_text(take.documents["script"])
    labels = [i.label for i in take.tier("gestures") or ()]
    handed = [g for g in script.gestures if not lexicon()[g.lexeme].without_hands]
    assert labels == [f"{g.lexeme} {g.hands}" for g in handed]
    keyed = KeyedMotion.of(take.documents["keyed"])
    assert {"leftWrist", "rightFingers", "spineYaw"} <= set(keyed.tracks)


def test_the_face_speaks(take: Take) -> None:
    mouth = [name for name in take.clip.channels if name in ("aa", "ih", "ou", "ee", "oh")]
    assert len(mouth) >= 3
    loud = np.max([take.clip.channels[name] for name in mouth], axis=0)
    words = take.tier("words")
    assert words is not None
    times = take.clip.times
    speaking = np.any([(w.start_s <= times) & (times <= w.end_s) for w in words], axis=0)
    assert loud[speaking].mean() > 5.0 * loud[times < LEAD_S - 0.3].mean()


def test_there_is_time_before_the_first_word(take: Take) -> None:
    words = take.tier("words")
    assert words is not None
    assert words.intervals[0].start_s >= LEAD_S - 1e-6


def test_the_same_seed_gives_the_same_take_and_another_another(said: Utterance, take: Take) -> None:
    same = perform(TEXT, "host", speech=said.heard, amount=2.0, seed=3)
    other = perform(TEXT, "host", speech=said.heard, amount=2.0, seed=4)
    assert same.clip == take.clip
    assert same.tiers == take.tiers
    assert same.documents["script"] == take.documents["script"]
    count = min(len(other.clip), len(take.clip))
    assert not np.allclose(other.clip.rotations[:count], take.clip.rotations[:count], atol=1e-3)


def test_the_voice_gives_the_same_as_what_it_said_before(said: Utterance, take: Take) -> None:
    again = perform(TEXT, "host", voice="espeak", amount=2.0, seed=3)
    assert again.clip == take.clip


def test_what_was_said_is_taken_as_it_is_and_a_style_is_read_once(
    said: Utterance, take: Take, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def once(style: str | Profile) -> Profile:
        asked.append(style)
        return speaker(style)

    monkeypatch.setattr("kinesphere.pipeline.perform.utter", None)
    monkeypatch.setattr("kinesphere.pipeline.stages.cast.speaker", once)
    again = perform(said, "host", amount=2.0, seed=3)
    assert again.clip == take.clip
    assert again.tiers == take.tiers
    assert again.provenance == take.provenance
    animate(written(), style="host", fps=5.0)
    assert [style for style in asked if isinstance(style, str)] == ["host", "host"]


def test_styles_differ(said: Utterance, take: Take) -> None:
    critic = perform(TEXT, "critic", speech=said.heard, amount=2.0, seed=3)
    assert critic.documents["script"] != take.documents["script"]
    assert critic.provenance["style"] == "critic"


def test_no_gestures_if_none_are_asked_for(said: Utterance) -> None:
    quiet = perform(TEXT, speech=said.heard, amount=0.0)
    assert len(quiet.tier("gestures") or ()) == 0
    assert script_of_text(quiet.documents["script"]).gestures == ()
    assert quiet.tier("words") is not None


def test_the_likeliest_gestures_do_not_depend_on_chance(said: Utterance) -> None:
    one, two = (
        perform(TEXT, "host", speech=said.heard, most_likely=True, seed=k, fps=10.0) for k in (1, 2)
    )
    names = [[i.label for i in t.tier("gestures") or ()] for t in (one, two)]
    assert names[0] == names[1]


def test_markup_asks_for_gestures(said: Utterance) -> None:
    marked = TEXT.replace("huge", "<huge|BigSpan 2H>")
    take = perform(marked, "critic", speech=said.heard, amount=0.0)
    assert [i.label for i in take.tier("gestures") or ()] == ["BigSpan 2H"]
    (huge,) = [w for w in take.tier("words") or () if w.label == "huge"]
    stroke = (take.tier("gestures") or Tier("gestures")).intervals[0]
    assert stroke.start_s < huge.end_s + 0.3
    assert stroke.end_s > huge.start_s - 0.3


def test_the_paper_is_another_performance(said: Utterance) -> None:
    take = perform(TEXT, "host", speech=said.heard, amount=2.0, seed=3, paper=True)
    script = script_of_text(take.documents["script"])
    ends = [i.end_s for i in take.tier("gestures") or ()]
    assert ends == pytest.approx([g.last_stroke_end_s for g in script.gestures], abs=1e-3)
    assert take.provenance["paper"] is True


def test_german_is_spoken_in_german() -> None:
    take = perform(GERMAN, "neutral", voice="espeak", amount=3.0, fps=30.0)
    assert take.provenance["language"] == "de"
    assert "weiß" in [w.label for w in take.tier("words") or ()]
    assert len(take.tier("gestures") or ()) >= 1


def test_a_recording_in_place_of_the_voice(said: Utterance, tmp_path: Path) -> None:
    path = tmp_path / "talk.wav"
    path.write_bytes(wav_bytes(said.speech.audio))
    take = perform(TEXT, "host", speech=path, fps=30.0)
    assert take.audio is not None
    words = take.tier("words")
    assert words is not None
    true = {w.label: w.start_s for w in said.speech.words}
    off = [
        abs(w.start_s - true[w.label]) for w in words if w.label in ("huge", "nobody", "Suddenly")
    ]
    assert max(off) < 0.6
    spoken = perform(TEXT, "host", speech=said.speech, fps=30.0)
    assert len(spoken.tier("words") or ()) == len(said.speech.words)


# -- sound in memory, lead-in and tail -------------------------------------------------------------


@pytest.fixture(scope="module")
def bare() -> Speech:
    """A voice that starts and ends without a pause, as a recording may."""
    return speak(TEXT, Cast(voice="espeak"), 0.0, 0.0)


def speeds(clip: Clip) -> Floats:
    both = np.stack([wrist(clip, "left"), wrist(clip, "right")], axis=1)
    return np.asarray(np.linalg.norm(np.diff(both, axis=0), axis=-1) * clip.fps)


def test_samples_are_the_sound_of_a_take(bare: Speech) -> None:
    samples = 0.5 * bare.samples
    for sound in ((samples, bare.rate_hz), Audio(samples, bare.rate_hz)):
        take = perform(TEXT, "host", speech=sound, fps=20.0)
        assert take.audio is not None
        assert np.array_equal(take.audio.samples[: len(samples)], samples)
        assert take.audio.rate_hz == bare.rate_hz
        assert len(take.tier("words") or ()) == len(bare.words)


def test_whole_numbers_are_16_bits(bare: Speech) -> None:
    samples = np.rint(bare.samples * 20_000).astype(np.int16)
    take = perform(TEXT, speech=(samples, bare.rate_hz), fps=20.0)
    assert take.audio is not None
    assert take.audio.samples[: len(samples)] == pytest.approx(samples / 32768.0)


@pytest.mark.parametrize(
    ("speech", "said"),
    [
        ([0.0, 0.1], "speech is a list, allowed are a path, (samples, rate_hz)"),
        (np.zeros(9), "speech is a ndarray, allowed are"),
        ((np.zeros((4, 2)), 16_000), "shape (4, 2), allowed is one row"),
        ((np.zeros(4), "16k"), "rate of speech is '16k'"),
        ((["a"], 16_000), "allowed is one row of numbers"),
    ],
)
def test_what_is_no_sound_is_refused(speech: Any, said: str) -> None:
    with pytest.raises(InvalidValueError, match=re.escape(said)):
        perform(TEXT, speech=speech)
    if not isinstance(speech, tuple):
        with pytest.raises(InvalidValueError, match=re.escape(said)):
            listen(speech)


def test_a_voice_beside_a_recording_is_refused(bare: Speech) -> None:
    with pytest.raises(InvalidValueError, match="voice 'espeak' given with a recording"):
        perform(TEXT, speech=bare, voice="espeak")
    with pytest.raises(InvalidValueError, match=r"rate 1\.5 given with a recording"):
        perform(TEXT, speech=bare, rate=1.5)


def test_a_clip_ends_when_hands_have_come_to_rest(bare: Speech) -> None:
    take = perform(TEXT, "host", speech=bare, amount=2.0, seed=3)
    cut = perform(TEXT, "host", speech=bare, amount=2.0, seed=3, tail_s=0.0)
    assert speeds(take.clip)[-6:].max() < 0.15
    assert speeds(cut.clip)[-6:].max() > 0.2
    assert cut.clip.duration_s == pytest.approx(bare.duration_s, abs=1.0 / 60.0)
    assert cut.clip.rotations == pytest.approx(take.clip.rotations[: len(cut.clip)], abs=0.05)
    phases = take.tier("phases right")
    assert phases is not None
    assert phases.intervals[-1].label == "rest"
    for each in (take, cut):
        assert each.audio is not None
        sound = len(each.audio.samples) / each.audio.rate_hz
        assert abs(sound - each.clip.duration_s) <= 2.0 / 60.0


def test_a_lead_in_moves_sound_words_and_motion_alike(bare: Speech) -> None:
    take = perform(TEXT, "host", speech=bare, fps=30.0, lead_in_s=0.7, tail_s=1.0)
    assert take.clip.duration_s == pytest.approx(bare.duration_s + 1.7, abs=1.0 / 30.0)
    assert take.audio is not None
    start = round(0.7 * bare.rate_hz)
    assert not take.audio.samples[:start].any()
    assert np.array_equal(take.audio.samples[start : start + len(bare.samples)], bare.samples)
    words = take.tier("words")
    assert words is not None
    assert words.intervals[0].start_s == pytest.approx(bare.words.intervals[0].start_s + 0.7)
    mouth = take.clip.channels["aa"] + take.clip.channels["ee"] + take.clip.channels["oh"]
    assert mouth[: round(0.5 * 30)].max() < 0.05
    voice = perform(TEXT, "host", voice="espeak", fps=30.0, lead_in_s=0.2, tail_s=0.3)
    assert voice.clip.duration_s == pytest.approx(bare.duration_s + 0.5, abs=1.0 / 30.0)
    with pytest.raises(InvalidValueError, match="allowed is 0 to 3600"):
        perform(TEXT, speech=bare, lead_in_s=-1.0)


def test_a_first_gesture_without_room_is_noted(bare: Speech) -> None:
    text = "<Suddenly|FlingDown 2H> they give it to me!"
    soon = speak(text, Cast(voice="espeak"), 0.0, 0.0)
    note = "a lead-in gives it time"
    assert any(note in n for n in perform(text, speech=soon, fps=20.0).notes)
    assert not any(note in n for n in perform(text, speech=soon, fps=20.0, lead_in_s=1.0).notes)


def test_a_long_text_is_spoken_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "One two three. Four five six! Seven eight nine? Ten eleven twelve."
    whole = speak(text, Cast(voice="espeak"))
    monkeypatch.setattr(pipeline, "_PART", 30)
    parts = speak(text, Cast(voice="espeak"))
    assert [w.label for w in parts.words] == [w.label for w in whole.words]
    assert parts.text == whole.text
    assert parts.duration_s == pytest.approx(whole.duration_s, rel=0.3)
    for a, b in pairwise(parts.words):
        assert a.end_s <= b.start_s + 1e-9


# -- a script --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def plain() -> Take:
    return animate(written(), seed=1)


def test_a_script_a_file_of_it_and_its_text_are_the_same(plain: Take, tmp_path: Path) -> None:
    path = tmp_path / "a.script"
    write_script(written(), path)
    assert animate(path, seed=1).clip == plain.clip
    assert animate(script_of_text(script_text(written())), seed=1).clip == plain.clip
    assert plain.audio is None
    assert plain.tier("words") is None
    assert plain.provenance["made_by"] == "animate"
    assert plain.documents["script"] == script_text(written())


def test_strokes_end_when_the_script_says_if_they_should(said: Utterance) -> None:
    take = animate(written(), speech=said.heard, follow_script=True)
    ends = [i.end_s for i in take.tier("gestures") or ()]
    assert ends == pytest.approx([2.0, 4.0], abs=1e-6)
    loose = animate(written(), speech=said.heard)
    assert [i.end_s for i in loose.tier("gestures") or ()] != pytest.approx([2.0, 4.0], abs=1e-3)


def test_the_script_of_a_performance_can_be_animated_again(said: Utterance, take: Take) -> None:
    again = animate(
        script_of_text(take.documents["script"]), speech=said.heard, style="host", seed=3
    )
    assert [i.label for i in again.tier("gestures") or ()] == [
        i.label for i in take.tier("gestures") or ()
    ]
    assert len(again.clip) == pytest.approx(len(take.clip), abs=60)
    assert again.audio is not None


def test_an_empty_script_is_an_idle_take() -> None:
    take = animate(GestureScript())
    assert len(take.clip) > 1
    assert len(take.tier("gestures") or ()) == 0


@pytest.mark.parametrize(
    "change",
    [
        {"manner": "proudly"},
        {"effort": "weight=0.9,time=0.9"},
        {"effort": {"time": -0.9}},
        {"shape": "vertical=0.8"},
        {"tension": "loose"},
        {"tension": 0.9},
        {"physics": "wrists"},
        {"style": "critic"},
        {"paper": True},
    ],
    ids=str,
)
def test_every_expression_changes_the_motion(plain: Take, change: dict[str, object]) -> None:
    take = animate(written(), seed=1, **change)
    count = min(len(take.clip), len(plain.clip))
    gap = np.linalg.norm(wrist(take.clip)[:count] - wrist(plain.clip)[:count], axis=1)
    assert gap.max() > 0.004
    assert gap.max() < 0.9
    assert np.isfinite(take.clip.rotations).all()
    assert [i.label for i in take.tier("gestures") or ()] == ["Cup RH", "Wipe 2H"]


def test_another_character_does_the_same(plain: Take, tmp_path: Path) -> None:
    small = Clip(
        RIG.skeleton.scale(0.7),
        30.0,
        0.7 * RIG.skeleton.offsets[:1],
        RIG.skeleton.rest_rotations[None],
    )
    path = tmp_path / "child.bvh"
    save(Take(small), path)
    take = animate(written(), seed=1, character=path)
    tall = take.clip.skeleton.rest_world_positions[:, 1].max()
    assert tall == pytest.approx(0.7 * RIG.skeleton.rest_world_positions[:, 1].max(), rel=1e-2)
    assert len(take.clip) == len(plain.clip)
    rise = np.ptp(take.clip.joint_positions("rightHand")[:, 1])
    assert rise == pytest.approx(0.7 * np.ptp(wrist(plain.clip)[:, 1]), rel=0.25)


def test_gestures_of_ones_own() -> None:
    from dataclasses import replace

    own = {"Vow": replace(lexicon()["Stop"], name="Vow")}
    take = animate(written(gesture("Vow")), lexicon=own, fps=20.0)
    assert [i.label for i in take.tier("gestures") or ()] == ["Vow RH"]
    with pytest.raises(InvalidValueError, match="Vow"):
        animate(written(gesture("Vow")))


# -- an annotation ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["critic", "host"])
def test_a_passage_of_a_shipped_annotation_is_done_again(name: str) -> None:
    planned = plan_annotation(DATA / f"{name}.eaf", 40.0, 56.0)
    made = planned.script
    assert planned.problems == ()
    assert len(made.gestures) >= 3
    take = recreate(planned, style=name, fps=20.0)
    assert len(take.tier("gestures") or ()) == len(made.gestures)
    phases = ArmPhases.of_tier(take.tier("phases right"))
    ends = np.array([p.end_s for p in phases if p.kind == "stroke"])
    for g in made.gestures:
        if g.stroke_end_s is not None:
            assert np.abs(ends - g.stroke_end_s).min() < 0.06


# -- what cannot be --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "more", "said_about"),
    [
        ("", {}, "no word"),
        ("   \n ", {}, "no word"),
        ("... !? --", {}, "no word"),
        (TEXT, {"language": "fr"}, "language 'fr', allowed are en, de"),
        (TEXT, {"style": "hostess"}, "hostess"),
        (TEXT, {"physics": "soft"}, "physics 'soft', allowed are off, wrists, body"),
        (TEXT, {"amount": -1.0}, "amount is -1"),
        (TEXT, {"voice": "nobody"}, "nobody"),
        (TEXT, {"manner": "wobbly-ish"}, "wobbly-ish"),
        (TEXT, {"effort": "heavy=1"}, "heavy"),
        ("<this|Pointy>", {}, "Pointy"),
    ],
)
def test_bad_input_is_one_clear_line(text: str, more: dict[str, object], said_about: str) -> None:
    with pytest.raises(KinesphereError) as found:
        perform(text, **{"voice": "espeak", "fps": 10.0, **more})
    assert said_about in str(found.value)
    assert "\n" not in str(found.value)


def test_bad_scripts_are_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(InvalidValueError, match=r"gesture 1 has lexeme 'Cupp'.*near are Cup"):
        animate(written(gesture("Cupp")))
    with pytest.raises(InvalidValueError, match=r"gesture 2 \(Cup\) ends its stroke at 1 s"):
        animate(written(gesture(end_s=2.0), gesture(end_s=1.0)))
    with pytest.raises(InvalidValueError, match="fps is 0"):
        animate(written(), fps=0.0)
    with pytest.raises(UnreadableError, match=r"none\.script"):
        animate(tmp_path / "none.script")
    with pytest.raises(InvalidValueError, match="allowed are off, wrists, body"):
        Direction(physics="wires")


def test_expression_is_checked_before_anything_is_spoken(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("something was spoken")

    monkeypatch.setattr(pipeline, "speak", never)
    with pytest.raises(InvalidValueError, match="physics"):
        perform(TEXT, physics="wires")


def test_tension_is_that_of_the_portrait() -> None:
    assert tension_of_speaker(None) == "relaxed"
    for name in ("host", "critic"):
        found = tension_of_speaker(speaker(name))
        assert isinstance(found, Tension)
        assert found.stroke.zeta > 0.0


def test_takes_are_kept_whole_by_our_own_format(take: Take, tmp_path: Path) -> None:
    path = tmp_path / "take.kin"
    save(take, path)
    back = load(path)
    assert np.allclose(back.clip.rotations, take.clip.rotations, atol=1e-6)
    assert [t.name for t in back.tiers] == [t.name for t in take.tiers]
    assert back.documents["script"] == take.documents["script"]
    assert back.audio is not None
    assert back.provenance["seed"] == 3
