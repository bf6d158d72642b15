"""What head, eyes and face are asked to do."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from kinesphere.animation.acting_rules import acting_rules
from kinesphere.animation.arms.hand_events import Act
from kinesphere.animation.arms.poses.rest_poses import rest_poses
from kinesphere.animation.arms.stroke_timing import StrokeTime
from kinesphere.animation.head.conversation import HeadAsked, head_cues
from kinesphere.animation.head.head_settings import PAPER_HEAD, HeadSettings
from kinesphere.animation.settings import ActingSettings
from kinesphere.animation.speech_cues import SpeechCues
from kinesphere.gesture.lexicon import LOOKS, Lexeme, LexemePosture, lexicon
from kinesphere.gesture.script import GestureScript, ScriptGesture, ScriptUnit, Turn
from kinesphere.motion.body.arms import Side

PEOPLE = ActingSettings()
PAPER = ActingSettings(paper=True)
HALF = rest_poses(["half-rest"], plain=True)["half-rest"]
YAW = 0.3
HEADS = [name for name, entry in lexicon().items() if entry.without_hands]


def act(
    side: Side = "right",
    start_s: float = 2.0,
    index: int = 0,
    accent: float = 0.5,
    **posture: float | str,
) -> Act:
    hands = "LH" if side == "left" else "RH"
    g = ScriptGesture("Cup", hands, "prep+stroke", stroke_end_s=start_s + 0.4, stroke_s=0.4)
    entry = replace(lexicon()["Cup"], posture=LexemePosture(**posture))
    time = StrokeTime(start_s, start_s + 0.4, 0.5)
    return Act(index, g, entry, (side,), {side: HALF[side]}, {side: HALF[side]}, time, accent)


def asked(
    *acts: Act,
    script: GestureScript | None = None,
    speech: SpeechCues | None = None,
    s: ActingSettings = PEOPLE,
    entries: dict[str, Lexeme] | None = None,
) -> HeadAsked:
    known = lexicon(entries)
    return head_cues(
        script or GestureScript(), acts, speech or SpeechCues(), YAW, acting_rules(s).head, known
    )


def handless(name: str, hands: str = "RH") -> GestureScript:
    g = ScriptGesture(name, hands, "stroke", stroke_end_s=3.0, stroke_s=0.5)
    return GestureScript((ScriptUnit((g,)),))


def test_nothing_is_asked_of_a_head_that_has_nothing_to_do() -> None:
    none = asked(act())
    assert not none.cues.shifts
    assert not none.cues.glances
    assert not none.cues.poses
    assert none.tracks == {}
    assert none.channels(np.arange(5.0)) == {}


def test_five_directions_are_spread_evenly() -> None:
    names = ("left", "left-front", "front", "right-front", "right")
    turns = tuple(Turn(name, float(k)) for k, name in enumerate(names))
    shifts = asked(script=GestureScript(head_turns=turns)).cues.shifts
    assert [s.yaw for s in shifts] == pytest.approx([YAW, 0.5 * YAW, 0.0, -0.5 * YAW, -YAW])
    assert [s.time_s for s in shifts] == [0.0, 1.0, 2.0, 3.0, 4.0]


def test_turns_are_not_far_except_those_of_the_paper() -> None:
    script = GestureScript(head_turns=(Turn("left", 1.0),))
    for s, yaw in ((HeadSettings(), np.radians(19.0)), (PAPER_HEAD, 0.8)):
        (shift,) = head_cues(script, (), SpeechCues(), 0.8, s, lexicon()).cues.shifts
        assert shift.yaw == pytest.approx(yaw)


def test_a_turn_before_the_beginning_is_at_the_beginning() -> None:
    turns = (Turn("left", -2.0),)
    assert asked(script=GestureScript(head_turns=turns)).cues.shifts[0].time_s == 0.0


def test_only_syllables_that_stand_out_are_accents() -> None:
    speech = SpeechCues(np.array([1.0, 2.0, 3.0]), np.array([0.1, 0.9, 1.7]))
    accents = asked(speech=speech).cues.accents
    assert [a.time_s for a in accents] == [2.0, 3.0]
    assert all(0.0 <= a.strength <= 1.0 for a in accents)


def test_phrases_of_no_length_are_left_out_and_questions_kept() -> None:
    speech = SpeechCues(phrases=((1.0, 1.0), (2.0, 3.0)), questions=(3.0,))
    cues = asked(speech=speech).cues
    assert cues.phrases == ((2.0, 3.0),)
    assert cues.questions == (3.0,)


@pytest.mark.parametrize("side", ["left", "right"])
def test_the_head_goes_towards_the_acting_hand(side: Side) -> None:
    (pose,) = asked(act(side, head_turn=10.0, head_tilt=5.0, head_down=4.0)).cues.poses
    sign = 1.0 if side == "left" else -1.0
    assert sign * pose.turn > 0.1
    assert sign * pose.tilt > 0.05
    assert pose.down > 0.0
    assert pose.start_s < 2.4 < pose.end_s


def test_accents_make_the_head_move_more() -> None:
    weak, strong = (asked(act(nod=8.0, accent=a)).cues.poses[0].nod for a in (0.0, 1.0))
    assert strong > 1.2 * weak > 0.0


@pytest.mark.parametrize("look", [look for look in LOOKS if look])
def test_glances_are_short_and_to_the_side_of_the_hand(look: str) -> None:
    left, right = (asked(act(side, look=look)).cues.glances for side in ("left", "right"))
    assert len(left) == len(right)
    if look == "target":
        assert left == ()
        return
    assert left[0].yaw == pytest.approx(-right[0].yaw, abs=1e-6)
    assert left[0].pitch == pytest.approx(right[0].pitch, abs=1e-6)
    assert 0.3 < left[0].end_s - left[0].start_s < 2.0
    assert (left[0].yaw < 0.0) == (look == "away")
    assert asked(act(look=look), s=PAPER).cues.glances == ()


def test_hands_are_seldom_looked_at_and_it_does_not_depend_on_others() -> None:
    rows = [act(start_s=2.0 * k + 1.0, index=k, look="hand") for k in range(60)]
    looked = asked(*rows).cues.glances
    assert 0.1 * len(rows) < len(looked) < 0.6 * len(rows)
    fewer = asked(*rows[:30]).cues.glances
    assert fewer == looked[: len(fewer)]


def test_glances_start_from_where_the_listener_is() -> None:
    turns = (Turn("left", 0.5), Turn("right", 9.0))
    plain, turned = (
        asked(act(look="aside"), script=s).cues.glances[0].yaw
        for s in (GestureScript(), GestureScript(head_turns=turns))
    )
    assert turned - plain == pytest.approx(YAW)


def test_faces_come_and_go_with_their_gesture() -> None:
    made = asked(act(brow=1.0, smile=0.5), act(start_s=9.0, index=1, brow=1.0))
    t = np.arange(0.0, 14.0, 0.01)
    channels = made.channels(t)
    assert set(channels) >= {"browUp", "happy"}
    for values in channels.values():
        assert values.min() >= 0.0
        assert values.max() <= 1.0
        assert values[0] == values[-1] == 0.0
    assert channels["browUp"][220] > 0.3
    assert channels["browUp"][600] == 0.0
    assert channels["browUp"][920] > 0.3
    assert channels["happy"][220] > 0.1
    assert channels["happy"][920] == 0.0
    assert np.all(made.tracks["happy"].last == pytest.approx(0.0))


@pytest.mark.parametrize("name", HEADS)
@pytest.mark.parametrize("s", [PEOPLE, PAPER], ids=["people", "paper"])
def test_lexemes_without_hands_are_poses_of_the_head(name: str, s: ActingSettings) -> None:
    made = asked(script=handless(name), s=s)
    keys = lexicon()[name].body_keys
    assert made.cues.poses
    start, end = 2.5, 2.5 + keys[-1].time_s
    for pose in made.cues.poses:
        assert start - 1e-9 <= pose.start_s < pose.end_s <= end + 1e-9
    assert ("browUp" in made.tracks) == any(k.brow > 0.0 for k in keys)


def test_poses_of_one_lexeme_do_not_add_up_to_more_than_it_says() -> None:
    for name in HEADS:
        keys = lexicon()[name].body_keys
        poses = asked(script=handless(name)).cues.poses
        held = [k for k in keys if k.head_tilt or k.head_turn or k.head_down]
        for a, b in pairwise(held):
            same = np.sign(a.head_tilt) == np.sign(b.head_tilt) != 0.0
            middle = 2.5 + 0.5 * (a.time_s + b.time_s)
            over = [p for p in poses if p.start_s < middle < p.end_s]
            if same:
                most = max(abs(a.head_tilt), abs(b.head_tilt))
                assert np.degrees(sum(abs(p.tilt) for p in over)) < 1.2 * most


def test_a_lexeme_of_ones_own_is_known() -> None:
    bow = replace(lexicon()["HeadNod"], name="Bow")
    assert asked(script=handless("Bow"), entries={"Bow": bow}).cues.poses
    assert asked(script=handless("Bow")).cues.poses == ()


def test_the_paper_has_its_own_settings_of_the_head() -> None:
    assert asked(s=PAPER).settings == PAPER_HEAD
    assert asked().settings == HeadSettings()
