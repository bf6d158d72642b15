"""The lexicon's numbers against a second table, in the words in which gestures are described."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from itertools import pairwise

import numpy as np
import pytest

from kinesphere.gesture.form import direction
from kinesphere.gesture.hand_shapes import shape_by_name
from kinesphere.gesture.lexicon import (
    Lexeme,
    LexemePosture,
    MicroKey,
    hand_lexemes,
    lexicon,
    variant,
)

# Lexeme | bend of the path | repetitions: preparation; stroke; the rest | the body.
# Repetitions: the stroke goes back to where the main stroke ended, unless it says how far it goes
# from the preparation, or how much further than the main stroke ("past"). "at" is an angle of the
# wrist itself. "each" is a repetition's size against the one before, "every" its seconds.
ROWS = """
Cup | down 4 | psh up 3 ext 8; down 4 | lean 2.5, tilt-head 4, brows up
Wipe | forward 3 out 1 | psh in 12; ; each .6 | collars-back 5, rise 2, shake 7, chin-down 3
Frame | | psh up 4; down 5 | head-down 5, lean 2, look hand
Beat | | psh up 4 ext 12 | nod 3.5, brows up
Calm | | psh up 6 ext 12; down 7; shares .4 .45 .15 | collars-down 3, head-down 4
Dismiss | up 2 out 1 forward 2 | psh up 5 at -25; ; shares .325 .325 .35 | turn-away 10, look away, mouth down
Fist | | psh up 6 | lean 4, collars-up 2, brows down
FlingDown | forward 6 | psh up 10; ; each .7 | collars-down 4, bend 4, turn-away 8, look away
HandClap | | psh out 12; ; each .75 | nod 4, lean 2, mouth up, brows up
PointingAbstract | | psh up 4 | turn-head 4, look spot
PointingPerson | | psh back 6 | lean 3, look target
Progressive | circle 9 7 over | loop every .42 | lean 2, nod 3
Regressive | circle 9 7 under | loop every .48 | lean-back 2.5, nod 3, look up
RaisedIndexfinger | | psh up 3 ext 12 | rise 2, chin-up 3, brows up, look target
Shrug | out 2 down 2 | none | collars-up 20, tilt-head 8, thrust 1, brows up, mouth down
Umbrella | up 5 | psh up 3; down 4 past-out 6 | turn 3, nod 3
OpenHands | down 5 | none | collars-back 5, collars-down 2, rise 3, chin-up 3
PointingSelf | | psh forward 3 | lean 2, chin-down 3
PointingDown | | psh up 5 | nod 5, lean 3
CountFingers | | psh off 4 | nod 3, look hand
NumberSign | | none | chin-up 3, brows up
SmallGap | | psh open .08 | thrust 2, collars-up 2, brows down, look hand
BigSpan | | psh in 8 | collars-back 4, lean-back 2, brows up
Chop | | psh up 8; past-out 8 | nod 4, lean 2
Block | | psh back 4 | lean-back 3, turn-away 5
Away | out 3 down 4 forward 4 | psh in 12 | turn-head 12, look spot
Doubt | | wave rolls 25; ; each .85 hertz 2.2 | tilt-away 5, mouth down, brows up
Snap | | psh up 4 roll 20; ; shares .57 .29 .14 | chin-up 3, brows up
Weigh | | wave lifts 9; ; hertz 1.1 | tilt-head 4, bend 1.5
Grasp | | psh open .5 | nod 3, lean 2
Ring | | psh up 3 | thrust 1, nod 3, brows down
Heart | up 1.5 out 1 forward 2 | none | chin-down 4, tilt-head 4, brows up
Temple | up 1 out 1.5 forward 1.7 | psh out 2 | tilt-head 3, look up
Shift | up 6 | psh up 3 | turn 5, look spot
Path | down 4 out 1 forward 4.3 | none | turn 4, look hand
Rise | | psh down 6 | rise 3, collars-up 3, chin-up 4, brows up
Sink | | none | sink 3, head-down 5
Join | | none | collars-forward 4, nod 3
Part | | psh in 8 | shake 4, rise 2
Oath | | none | rise 2, look target
ThumbsUp | | psh back 3 | nod 4, mouth up
Victory | | none | mouth up, tilt-head 4
Wave | up 2 out 1 forward 2.5 | wave sways 9.5 lags 12; ; hertz 2 | tilt-head 5, mouth up, brows up
Stop | | none | lean-back 2, chin-down 2, look target
ComeHere | | wave pulls 2.5 bends 17.5 curls .4; ; hertz 2.2 | chin-up 5, lean-back 2, brows up
Read | | none | collars-forward 3, chin-down 14, look hand
Stir | circle 9 9 over horizontal | loop every .769 | lean 4, chin-down 10, look hand
Scissors | | psh in 2; past-in 2; each 1 | chin-down 5, look hand
Push | | psh back 8 | lean 9, collars-up 4, collars-forward 6, chin-down 4, brows down
Pull | | psh up 8 forward 18 | lean-back 7, collars-back 7, chin-down 4, brows down
Throw | up 9 | none | lean 7, turn 10, collars-forward 4, chin-down 3, look target
Catch | | none | lean-back 3, sink 2, chin-down 5, brows up, look hand
Climb | | wave lifts 15; ; each 1 hertz 1 | rise 3, collars-up 4, chin-up 9, look up
Write | | wave lifts 2.2 bends 10; ; each 1 hertz 4.5 | lean 3, chin-down 8, look hand
Type | | wave lifts 1 curls .3; ; each 1 hertz 4 | lean 3, chin-down 8, look hand
Chatter | | psh up 1; ; each 1 | turn-away 6, tilt-away 5, mouth down, look up
Drink | out 2 forward 4 | none | rise 2, chin-up 14, brows up
Eat | up 2 out 4 | psh down 8 forward 8; ; each 1 | lean 3, chin-down 3, thrust 1, brows up
Knock | | psh back 9 ext 20; ; each .95 | lean 3, turn-away 6, brows up
Pour | up 1.5 | none | bend-away 3, chin-down 8, tilt-away 5, look hand
Drive | | wave lifts 9; ; hertz 1.1 | lean-back 2, bend 2, tilt-head 3, look target
Rain | | wave curls .2; ; each 1 hertz 4 | sink 2, chin-down 3, look hand
Fly | | wave lifts 14 extends 12; ; each .95 hertz 1.3 | rise 3, collars-up 4, chin-up 3, mouth up
Plane | down 5 forward 5 | none | turn 4, rise 3, chin-up 6, brows up, look hand
Swim | out 5 forward 5 | psh in 18 forward 8; ; shares .45 .5 .05 | lean 5, chin-up 5
Walk | | wave lifts .8 curls .17; ; each 1 hertz 2.6 | chin-down 5, look hand
Carry | | none | lean-back 5, collars-up 6, chin-down 4, brows down, mouth down
Hug | out 3 forward 6 | none | lean 3, collars-up 4, collars-forward 8, chin-down 3, tilt-head 10, mouth up
Lock | | psh unroll 60; ; each .95 | chin-down 6, look hand
Punch | | psh out 4 back 16 | lean 5, turn-back 10, collars-forward 8, chin-down 4, brows down
RubHands | | wave pushes 4; ; each 1 hertz 3 | lean 3, collars-up 6, chin-down 3, brows up, mouth up
Listen | | none | lean 5, turn-back 4, turn-away 24, tilt-head 6, brows up, look target
LookFar | | none | lean 3, rise 2, turn-head 8, thrust 2, brows down, look aside
Sleep | | none | bend 3, chin-down 6, tilt-head 18, brows up, mouth up
Phone | | none | tilt-head 8, brows up
Hush | | none | lean 3, collars-up 3, chin-down 3, brows up, look target
Kiss | up 4 | none | lean 2, chin-up 4, brows up, mouth up, look target
Love | up 2 out 2 forward 2 | none | collars-up 6, collars-forward 4, chin-down 3, tilt-head 9, brows up, mouth up
FacePalm | | none | lean 4, sink 2, chin-down 14, brows down, mouth down, look away
Shock | | none | lean-back 3, collars-up 6, chin-up 3, brows up, mouth down, look target
Ponder | | none | chin-down 3, turn-away 6, tilt-head 7, brows down, look up
Salute | | none | rise 4, collars-back 6, chin-up 4, look target
Strong | out 4 forward 2 | psh out 3 down 4 | rise 3, collars-up 6, collars-back 6, brows down, mouth up
Watch | | psh up 5; ; each .9 | chin-down 6, brows up, look hand
Money | | wave curls .12; ; each .95 hertz 3 | lean 2, tilt-head 4, brows up, mouth up, look target
Pray | | none | collars-forward 3, chin-down 9, brows up
Refuse | | wave sways 8 lags 8; ; hertz 2.4 | lean-back 4, collars-up 3, shake 10, brows down, mouth down, look target
Surrender | | none | lean-back 3, collars-up 10, chin-down 2, brows up, look target
Cheer | | psh down 10 | lean-back 3, rise 5, collars-up 8, chin-up 8, brows up, mouth up
ThumbsDown | | psh up 5 | tilt-away 3, shake 4, brows down, mouth down
Shiver | | wave sways 1.2 lifts .8; ; each 1 hertz 6 | lean 3, sink 3, collars-up 22, collars-forward 8, chin-down 6, brows up, mouth down
Round | out 11 | none | chin-down 4, look hand
Circle | circle 9 9 over frontal | loop every .714 | turn-head 4, look hand
Spiral | circle 8 8 over horizontal | loop every .625 | chin-up 4, brows up, look hand
Zigzag | | wave sways 8; ; each 1 hertz 3.2 | chin-down 3, look hand
Tall | | psh down 5 | bend-away 4, rise 4, collars-up 6, chin-up 12, turn-head 8, brows up, look hand
Level | | none | lean 2, chin-down 7, look hand
Undulate | | wave lifts 6 extends 22; ; each .95 hertz 2 | turn 4, tilt-head 3, look hand
Grow | | psh up 2 back 3; past-up 14 past-bend 22; each 1 | bend 2, chin-down 4, mouth up, look hand
Shrink | | none | lean 3, sink 3, collars-forward 5, chin-down 6, brows down, look hand
PointingUp | | psh down 5 | rise 4, collars-up 6, chin-up 10, brows up, look up
Explode | up 4 in 4 forward 2 | none | lean-back 5, rise 3, collars-up 6, collars-back 6, chin-up 5, brows up, look target
Break | out 2.5 | none | lean 3, collars-up 4, nod 5, brows down
OpenUp | forward 6 | none | rise 3, collars-back 6, chin-up 4, brows up, mouth up
CloseUp | forward 6 | none | lean 2, collars-forward 5, nod 5
"""
MOVES = {
    "up": ("up_cm", 1),
    "down": ("up_cm", -1),
    "out": ("out_cm", 1),
    "in": ("out_cm", -1),
    "forward": ("forward_cm", 1),
    "back": ("forward_cm", -1),
    "ext": ("flexion", -1),
    "bend": ("flexion", 1),
    "roll": ("roll", 1),
    "unroll": ("roll", -1),
    "open": ("curl", -1),
}
# Half of a swing: the field that goes to and fro.
SWINGS = {
    "rolls": ("roll", 1),
    "lifts": ("up_cm", 1),
    "sways": ("out_cm", 1),
    "lags": ("deviation", -1),
    "pulls": ("forward_cm", -1),
    "pushes": ("forward_cm", 1),
    "bends": ("flexion", 1),
    "extends": ("flexion", -1),
    "curls": ("curl", 1),
}
BODY = {
    "lean": ("lean", 1),
    "lean-back": ("lean", -1),
    "turn": ("turn", 1),
    "turn-back": ("turn", -1),
    "bend": ("tilt", 1),
    "bend-away": ("tilt", -1),
    "rise": ("rise", 1),
    "sink": ("rise", -1),
    "collars-up": ("collar_up", 1),
    "collars-down": ("collar_up", -1),
    "collars-back": ("collar_back", 1),
    "collars-forward": ("collar_back", -1),
    "head-down": ("head_down", 1),
    "chin-down": ("head_down", 1),
    "chin-up": ("head_down", -1),
    "turn-head": ("head_turn", 1),
    "turn-away": ("head_turn", -1),
    "tilt-head": ("head_tilt", 1),
    "tilt-away": ("head_tilt", -1),
    "thrust": ("thrust_cm", 1),
    "nod": ("nod", 1),
    "shake": ("shake", 1),
}


def table() -> Iterator[tuple[Lexeme, str, str, str]]:
    for row in ROWS.strip().splitlines():
        name, path, after, body = (cell.strip() for cell in row.split("|"))
        yield lexicon()[name], path, after, body


def pairs(text: str) -> Iterator[tuple[str, float]]:
    words = text.split()
    for word, number in zip(words[::2], words[1::2], strict=True):
        yield word, float(number)


def numbers(key: MicroKey) -> dict[str, float]:
    """Fields of a pose that are not 0."""
    found = {part.name: getattr(key, part.name) for part in fields(key)}
    return {name: value for name, value in found.items() if value}


def moves(text: str) -> dict[str, float]:
    return {MOVES[word][0]: MOVES[word][1] * number for word, number in pairs(text)}


def test_the_table_has_every_lexeme_of_the_hands() -> None:
    assert tuple(lexeme.name for lexeme, *_ in table()) == hand_lexemes()


@pytest.mark.parametrize(("lexeme", "path"), [(row[0], row[1]) for row in table()])
def test_paths(lexeme: Lexeme, path: str) -> None:
    if path.startswith("circle"):
        _, one, two, sense, *plane = path.split()
        assert lexeme.circle_cm == (float(one), float(two))
        assert lexeme.circle_sign == {"over": 1, "under": -1}[sense]
        assert lexeme.circle_plane == "".join(plane or ["sagittal"])
        assert lexeme.antiphase == (not plane)
        path = ""
    else:
        assert lexeme.circle_cm == (0.0, 0.0)
    asked = moves(path)
    assert lexeme.arc_cm == tuple(asked.get(f, 0.0) for f in ("out_cm", "up_cm", "forward_cm"))


@pytest.mark.parametrize(("lexeme", "text"), [(row[0], row[2]) for row in table()])
def test_repetitions(lexeme: Lexeme, text: str) -> None:
    after = lexeme.after
    head, stroke, rest = ([*text.split(";"), "", ""])[:3]
    kind, _, prep = head.partition(" ")
    assert after.kind == kind
    if kind == "psh":
        assert numbers(after.prep) == pytest.approx(_prepared(lexeme, prep), abs=0.05)
        assert numbers(after.stroke) == _further(moves_of_prep=numbers(after.prep), text=stroke)
        assert not numbers(lexeme.swing)
    if kind == "wave":
        half = {SWINGS[word][0]: SWINGS[word][1] * n for word, n in pairs(prep)}
        assert numbers(lexeme.swing) == half
        # From the pose all the way to the other end; only beckoning begins at an end itself.
        times = 2.0 if lexeme.one_sided else -2.0
        assert numbers(after.prep) == {name: times * value for name, value in half.items()}
        assert not numbers(after.stroke)
    if kind == "loop":
        every = float(prep.split()[1])
        assert after.rate_hz == pytest.approx(1.0 / every, abs=1e-3)
        if lexeme.circle_plane != "sagittal":
            return
        assert numbers(lexeme.swing) == {"flexion": 10.0, "deviation": 6.0}
        # A twelfth of a turn behind.
        assert lexeme.wrist_lag_s == pytest.approx(every * 30.0 / 360.0, abs=1e-3)
    shares, each, hertz = (0.35, 0.35, 0.30), 0.8, None
    words = rest.split()
    if "shares" in words:
        shares = tuple(float(n) for n in words[1:4])  # type: ignore[assignment]
    else:
        named = dict(pairs(rest))
        each, hertz = named.get("each", each), named.get("hertz")
    assert (after.shares, after.fading) == (shares, each)
    if kind != "loop":
        assert after.rate_hz == (hertz or 0.0)


def _prepared(lexeme: Lexeme, text: str) -> dict[str, float]:
    asked = dict(pairs(text))
    if "off" in asked:
        # Back along the way by which it came.
        way = -np.array(lexeme.travel_cm)
        out, up, _ = asked["off"] * way / np.linalg.norm(way)
        return {"out_cm": out, "up_cm": up}
    if "at" in asked:
        wanted = asked.pop("at") - lexeme.wrist_flexion[1]
        return {**{MOVES[w][0]: MOVES[w][1] * n for w, n in asked.items()}, "flexion": wanted}
    return moves(text)


def _further(moves_of_prep: dict[str, float], text: str) -> dict[str, float]:
    out = {}
    for word, number in pairs(text):
        past = word.startswith("past-")
        name, sign = MOVES[word.removeprefix("past-")]
        out[name] = sign * number + (0.0 if past else moves_of_prep[name])
    return out


@pytest.mark.parametrize(("lexeme", "text"), [(row[0], row[3]) for row in table()])
def test_bodies(lexeme: Lexeme, text: str) -> None:
    found = {part.name: getattr(lexeme.posture, part.name) for part in fields(LexemePosture)}
    named = dict(cell.split() for cell in text.split(", "))
    assert found.pop("look") == named.pop("look", "")
    for word, field in (("brows", "brow"), ("mouth", "smile")):
        sign = {"up": 1.0, "down": -1.0, "": 0.0}[named.pop(word, "")]
        assert np.sign(found.pop(field)) == sign
    asked = {BODY[word][0]: BODY[word][1] * float(n) for word, n in named.items()}
    assert {name: value for name, value in found.items() if value} == asked


def test_contacts_and_what_the_fingers_win() -> None:
    found = {n: (x.contact, x.contact_with) for n, x in lexicon().items() if x.contact}
    assert found == {
        "PointingSelf": ("chest", "tip"),
        "Heart": ("chest", "palm"),
        "Temple": ("temple", "tip"),
        "HandClap": ("palms", "palm"),
        "Part": ("palms", "palm"),
        "Join": ("interlaced", "palm"),
        "CountFingers": ("finger", "tip"),
        "Drink": ("mouth", "thumb"),
        "Eat": ("mouth", "tip"),
        "RubHands": ("palms", "palm"),
        "Listen": ("ear", "thumb"),
        "LookFar": ("brow", "tip"),
        "Sleep": ("cheek", "palm"),
        "Phone": ("ear", "thumb"),
        "Hush": ("mouth", "tip"),
        "Kiss": ("mouth", "tip"),
        "Love": ("chest", "palm"),
        "FacePalm": ("brow", "palm"),
        "Shock": ("cheek", "palm"),
        "Ponder": ("chin", "tip"),
        "Salute": ("brow", "tip"),
        "Watch": ("wrist", "tip"),
        "Pray": ("palms", "palm"),
    }
    assert [n for n, x in lexicon().items() if x.contact_at == "start"] == ["Part", "Kiss"]
    pointing = {n for n in lexicon() if n.startswith("Pointing")}
    others = {"RaisedIndexfinger", "NumberSign", "Oath", "Victory", "Stop", "Temple"}
    others |= {"Circle", "Spiral", "Zigzag", "Walk", "Listen", "LookFar", "Hush", "Salute"}
    others |= {"Strong", "Refuse", "ThumbsDown"}
    assert {n for n, x in lexicon().items() if x.fingers_win} == pointing | others


def test_lags_orientations_and_freedom() -> None:
    lags = {"Dismiss": 0.07, "Away": 0.08, "Wave": 0.07, "Path": 0.06, "Fist": 0.0, "Chop": 0.0}
    assert {name: lexicon()[name].wrist_lag_s for name in lags} == lags
    for name in ("PointingPerson", "PointingDown", "RaisedIndexfinger", "Oath", "Stop"):
        assert lexicon()[name].orientation == "world"
    assert lexicon()["Cup"].orientation == "chest"
    for lexeme in (lexicon()[name] for name in hand_lexemes()):
        if lexeme.contact and lexeme.contact_at == "end":
            assert lexeme.amplitude <= 0.4
        if lexeme.kind == "beat" or lexeme.name in ("Cup", "Wipe", "Rise", "OpenHands"):
            assert lexeme.amplitude == 1.0


def everyone() -> Iterator[tuple[str, Lexeme]]:
    """Hand lexemes and their variants."""
    for name in hand_lexemes():
        yield name, lexicon()[name]
        yield from ((f"{name} {other}", v) for other, v in lexicon()[name].variants.items())


@pytest.mark.parametrize(("name", "lexeme"), [*everyone()])
def test_what_a_hand_does_is_complete_and_possible(name: str, lexeme: Lexeme) -> None:
    assert lexeme.shapes
    for shape in lexeme.shapes:
        for part in shape.replace("+", ">").split(">"):
            shape_by_name(part)
    assert lexeme.posture != LexemePosture()
    assert lexeme.strokes <= 1.05 or lexeme.after.kind != "none"
    # Comfortable joints, also half-way into a repetition and in a swing.
    limits = {"roll": (-85, 78), "flexion": (-65, 62), "deviation": (-30, 18)}
    values = {
        "roll": lexeme.forearm_roll,
        "flexion": lexeme.wrist_flexion,
        "deviation": lexeme.wrist_deviation,
    }
    for joint, (least, most) in limits.items():
        start, end = values[joint]
        swing = (2.0 if lexeme.one_sided else 1.0) * getattr(lexeme.swing, joint)
        asked = (start, end, end + getattr(lexeme.after.prep, joint), end + swing)
        assert all(least - 5 <= angle <= most + 5 for angle in asked), joint
    # Palm and fingers are square to each other, as far as one code each can say it.
    for palm, fingers in zip(lexeme.palm, lexeme.fingers, strict=True):
        assert abs(float(direction(palm) @ direction(fingers))) < 0.75
    step = np.linalg.norm([v for k, v in numbers(lexeme.after.prep).items() if k.endswith("_cm")])
    assert step <= (30.0 if lexeme.after.kind == "wave" else 20.0)


@pytest.mark.parametrize(("name", "lexeme"), [*everyone()])
def test_bent_paths_bend_and_straight_ones_hardly(name: str, lexeme: Lexeme) -> None:
    chord = float(np.linalg.norm(lexeme.travel_cm))
    bend = float(np.linalg.norm(lexeme.arc_cm))
    if lexeme.circle_cm[0]:
        assert lexeme.trajectory == "curved"
    elif lexeme.trajectory == "curved":
        # What is drawn may be as round as a circle.
        assert 0.08 <= bend / chord <= (0.4 if lexeme.kind == "iconic" else 0.25)
        # Across the chord rather than along it.
        assert abs(float(np.dot(lexeme.arc_cm, lexeme.travel_cm))) < 0.7 * bend * chord
    else:
        assert bend <= 0.07 * chord


def test_variants_do_what_they_are_for() -> None:
    def of(name: str, other: str) -> Lexeme:
        return variant(lexicon()[name], other)

    start, end = of("Cup", "flip").forearm_roll
    assert 100.0 <= start - end <= 120.0
    assert direction(of("Cup", "flip").palm[0])[1] < -0.9 < 0.9 < direction("Ui")[1]
    assert of("Cup", "wide").hand_distance[1] == 1.4
    assert of("PointingPerson", "open-hand").palm[1] == "Ui"
    # Back means back for the thumb, which is across the palm, and for the finger.
    back = of("PointingAbstract", "back")
    thumb = np.cross(direction(back.palm[1]), direction(back.fingers[1]))
    assert thumb[2] < -0.9
    assert direction(of("PointingAbstract", "back-index").fingers[1])[2] < 0.0
    assert direction(of("PointingAbstract", "up").fingers[1])[1] > 0.9
    assert of("Umbrella", "set").travel_cm == (0.0, -6.0, 0.0)
    assert of("Umbrella", "set").start == of("Umbrella", "set").end
    assert of("Dismiss", "two-hands").hands == (0.0, 0.0, 1.0)
    assert of("RaisedIndexfinger", "wag").after.rate_hz == 2.5
    assert numbers(of("RaisedIndexfinger", "wag").after.prep) == {"roll": -28.0}
    assert 2.4 <= of("Beat", "wave").after.rate_hz <= 3.0
    assert of("CountFingers", "thumb-first").contact_finger == "thumb"
    assert of("Block", "shake").posture.shake == 6.0
    for name in ("Progressive", "Regressive"):
        rolled = of(name, "two-hands")
        assert rolled.hand_distance == (0.5, 0.5)
        assert all(direction(palm)[2] < -0.9 for palm in rolled.palm)
    shown = {n: v.shapes for n, v in lexicon()["NumberSign"].variants.items()}
    assert shown == {
        "one": ("index",),
        "two": ("victory",),
        "three": ("three",),
        "four": ("four",),
        "five": ("open-spread",),
        "one-de": ("thumb-up",),
        "two-de": ("two-de",),
        "three-de": ("three-de",),
    }
    assert of("Oath", "three-fingers").shapes == ("three-de",)


# Lexeme | variant | seconds and what is then, where the movement stops or turns.
HEADS = """
HeadNod | | .12 head_down -2; .30 head_down 10; .55
HeadNod | accent | .12 head_down -1; .30 head_down 4; .55
HeadShake | | .2 head_turn 12; .417 head_turn -10; .635 head_turn 7; .852 head_turn -4; 1.07
HeadShake | slow | .4 head_turn 6; .817 head_turn -5; 1.233 head_turn 3.5; 1.65
HeadTilt | | .35 head_tilt 10 head_turn 3; 1.35 head_tilt 10 head_turn 3; 1.8
HeadPoint | | .25 head_turn 20 thrust_cm 3 head_down -8; .6
ShoulderShrug | | .25 collar_up 20 head_tilt 4; .55 collar_up 20 head_tilt 4; .9
ShoulderShrug | one-sided | .25 collar_up 16 head_tilt 4; .55 collar_up 16 head_tilt 4; .9
"""


@pytest.mark.parametrize("row", HEADS.strip().splitlines())
def test_heads_and_shoulders(row: str) -> None:
    name, other, text = (cell.strip() for cell in row.split("|"))
    lexeme = variant(lexicon()[name], other) if other else lexicon()[name]
    first, *keys = lexeme.body_keys
    asked = [cell.split() for cell in text.split(";")]
    assert [key.time_s for key in keys] == [float(words[0]) for words in asked]
    for key, words in zip(keys, asked, strict=True):
        for field, value in zip(words[1::2], words[2::2], strict=True):
            assert getattr(key, field) == float(value)
    # They begin and end as if nothing had been, and the stroke ends at an extreme.
    for key in (first, keys[-1]):
        assert not any(getattr(key, part.name) for part in fields(key) if part.name != "time_s")
    assert (first.time_s, lexeme.stroke_s in [key.time_s for key in keys]) == (0.0, True)


def test_heads_shake_at_their_rate_and_shoulders_fall_slower_than_they_rise() -> None:
    for lexeme, hertz in (
        (lexicon()["HeadShake"], 2.3),
        (lexicon()["HeadShake"].variants["slow"], 1.2),
    ):
        times = [key.time_s for key in lexeme.body_keys[1:]]
        assert np.diff(times) == pytest.approx(0.5 / hertz, abs=2e-3)
        turns = [key.head_turn for key in lexeme.body_keys[1:-1]]
        assert all(a * b < 0.0 and abs(b) < abs(a) for a, b in pairwise(turns))
    up, *_, down = np.diff([key.time_s for key in lexicon()["ShoulderShrug"].body_keys])
    assert down > up
    without = [name for name, lexeme in lexicon().items() if lexeme.without_hands]
    assert without == ["HeadNod", "HeadShake", "HeadTilt", "HeadPoint", "ShoulderShrug"]
