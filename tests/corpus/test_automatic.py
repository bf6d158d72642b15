"""Automatic annotation: acted gestures whose annotation is known, recordings, and any motion."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import fields, replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kinesphere as ks
from kinesphere.animation.arms.poses.home_pose import home_clip
from kinesphere.character.naming import identify
from kinesphere.corpus.annotation.annotation import (
    AnnotatedGesture,
    AnnotatedWord,
    Annotation,
    PhaseMark,
)
from kinesphere.corpus.annotation.automatic import (
    AutomaticAnnotation,
    AutomaticSettings,
    annotate,
    rest_pose,
)
from kinesphere.corpus.annotation.reading import read_annotation, write_annotation
from kinesphere.corpus.annotation.spoken_text import spoken_text
from kinesphere.corpus.annotation.validation import check
from kinesphere.errors import InvalidValueError, KinesphereError, RigError
from kinesphere.formats.registry import read_take
from kinesphere.gesture.form_measuring import measure_hands
from kinesphere.gesture.lexicon import hand_lexemes, lexicon
from kinesphere.gesture.phases import Hands
from kinesphere.gesture.placement import PALM_M
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import SIDES, Side, arm_turns, measure_arm, sign_of, with_arm
from kinesphere.motion.clip import Clip
from kinesphere.motion.editing import concatenate
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.keyed.keyed_motion import ArmKeys, KeyedMotion
from kinesphere.motion.keyed.sampling import apply_keys
from kinesphere.motion.mirroring import mirror
from kinesphere.timeline import Interval
from tests.gesture.performing import FPS, NONE, Performance, from_home, performed

RIG = ks.default_rig()
# Their strokes end where hands rest, so they are taken for the way home.
ENDS_AT_HOME = ("FlingDown", "Sink")
# One stroke of these is a movement of the fingers, or of a hand that hardly travels.
IN_FINGERS = ("Type", "Chatter", "Lock", "RubHands")
SURE = [name for name in hand_lexemes() if name not in ENDS_AT_HOME + IN_FINGERS]
# Strokes that are repetitions without a path of their own, circles, or start where hands rest.
PLACELESS = ("Doubt", "ComeHere", "Progressive", "Regressive", "Weigh", "Climb", "Fly", "Walk")
PLACELESS += ("Circle", "Spiral", "Plane", "Grow")
# Above the head all directions are near.
PLACELESS += ("Cheer",)
TWINS = ("RaisedIndexfinger", "NumberSign")


@cache
def acted(name: str, hands: Hands, strokes: int | None = 1) -> Performance:
    rng = np.random.default_rng(9)
    return from_home(performed(lexicon()[name], hands, rng, NONE, strokes, lead_s=0.07))


def usual(name: str) -> Hands:
    right, left, both = lexicon()[name].hands
    return "both" if both > right + left else "right"


def main_gesture(found: AutomaticAnnotation) -> tuple[AnnotatedGesture, str, float]:
    """The gesture that is surest."""
    i = int(np.argmax(found.confidences))
    return found.annotation.gestures[i], found.guesses[i], found.confidences[i]


# Gestures whose annotation is known


@pytest.mark.parametrize("name", SURE)
def test_an_acted_gesture_is_annotated_as_it_was_written(name: str) -> None:
    hands = usual(name)
    done = acted(name, hands)
    found = annotate(done.clip, RIG)
    gesture, guess, confidence = main_gesture(found)
    assert guess == name or {guess, name} == {*TWINS}
    assert gesture.hands == ("2H" if hands == "both" else "RH")
    assert gesture.lexeme == (guess if confidence >= 0.35 else "")
    if name in PLACELESS:
        return
    assert gesture.main_stroke_end_s == pytest.approx(done.end / FPS, abs=0.1)
    assert gesture.start is not None
    assert gesture.end is not None
    entry = lexicon()[name]
    assert gesture.end.steps_to(entry.end) <= 1
    assert gesture.start.steps_to(entry.start) <= 1
    assert found.annotation.units[-1].rest_pose == "at-side"
    if hands == "both":
        assert gesture.start_distance == pytest.approx(entry.hand_distance[0], abs=0.15)
        assert gesture.end_distance == pytest.approx(entry.hand_distance[1], abs=0.15)
    else:
        assert gesture.start_distance is None
    assert gesture.handshape


def test_phases_of_a_unit() -> None:
    done = acted("Wipe", "right")
    found = annotate(done.clip, RIG).annotation
    assert len(found.units) == 1
    unit = found.units[0]
    kinds = [phase.kind for gesture in unit.gestures for phase in gesture.phases]
    assert kinds == ["preparation", "stroke"]
    assert unit.start_s == pytest.approx(1.0, abs=0.1)
    assert unit.retraction is not None
    assert unit.retraction.end_s == pytest.approx(done.clip.duration_s - 1.0, abs=0.1)


def test_repetitions_are_counted_with_their_ends() -> None:
    done = acted("Chop", "right", 3)
    gesture, _, _ = main_gesture(annotate(done.clip, RIG))
    stroke = gesture.stroke
    assert stroke is not None
    assert stroke.strokes == 3
    assert stroke.stroke_ends[0] == pytest.approx(done.end / FPS, abs=0.06)
    assert stroke.stroke_ends[-1] == pytest.approx(done.last / FPS, abs=0.12)


@pytest.mark.parametrize(("name", "expected"), [("Path", "curved"), ("Block", "straight")])
def test_straight_and_curved_paths(name: str, expected: str) -> None:
    done = performed(
        replace(lexicon()[name], travel_cm=(10, 15, 20)), "right", np.random.default_rng(1), NONE
    )
    gesture, _, _ = main_gesture(annotate(from_home(done).clip, RIG))
    assert gesture.trajectory == expected


def test_the_shape_of_the_hand_is_named() -> None:
    for name, shape in (("Victory", "victory"), ("ThumbsUp", "thumb-up"), ("Fist", "fist")):
        gesture, _, _ = main_gesture(annotate(acted(name, "right").clip, RIG))
        assert gesture.handshape.startswith(shape)
    bones = {b: j for b, j in RIG.bones.items() if "Index" not in b}
    bare = Rig(RIG.skeleton, bones)
    gesture, guess, _ = main_gesture(annotate(acted("Victory", "right").clip, bare))
    assert gesture.handshape == ""
    assert guess in ("Victory", "Oath")


def test_a_lexeme_that_is_not_sure_is_left_empty() -> None:
    clip = acted("Cup", "right").clip
    for least, name in ((0.0, "Cup"), (1.0, "")):
        found = annotate(clip, RIG, settings=AutomaticSettings(confidence=least))
        assert found.annotation.gestures[0].lexeme == name
        assert found.guesses[0] == "Cup"


def test_a_hand_that_only_answers_makes_no_gesture() -> None:
    steps = np.array(
        [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.1, 0.3, 0.25], [0.1, 0.3, 0.25], [0, 0, 0]]
    )
    times = [0.0, 1.0, 1.6, 2.2, 3.0]

    def keys(side: Side, size: float, late: float) -> ArmKeys:
        home = measure_arm(home_clip(1, FPS), RIG, side).wrists[0]
        moved = home + size * steps * [sign_of(side), 1.0, 1.0]
        return ArmKeys([times[0], *(t + late for t in times[1:])], moved)

    for share, hands in ((0.15, ["RH"]), (0.9, ["2H"])):
        keyed = KeyedMotion(keys("left", share, 0.06), keys("right", 1.0, 0.0))
        clip = apply_keys(keyed, home_clip(round(4 * FPS), FPS), RIG)
        assert [g.hands for g in annotate(clip, RIG).annotation.gestures] == hands


def test_hands_that_gesture_one_after_the_other_make_two_gestures() -> None:
    first = acted("Block", "right").clip
    second = mirror(first, RIG.mirror_permutation(), RIG.canonical_pose[0])
    found = annotate(concatenate([first, second]), RIG).annotation
    assert [g.hands for g in found.gestures] == ["RH", "LH"]
    assert len(found.units) == 2


# Rest poses: palms to the left, up and forward on the default figure


@pytest.mark.parametrize(
    ("name", "palm"),
    [
        ("clasped", (0.04, 0.98, 0.17)),
        ("clasped", (0.05, 1.10, 0.19)),
        ("folded", (-0.13, 1.20, 0.16)),
        ("behind-back", (0.05, 0.98, -0.17)),
        ("in-pockets", (0.18, 0.93, 0.04)),
    ],
)
def test_rest_poses_are_named_by_where_the_hands_are(
    name: str, palm: tuple[float, float, float]
) -> None:
    clip = home_clip(1, FPS)
    assert rest_pose(measure_hands(clip, RIG), 0) == "at-side"
    for side in SIDES:
        clip = _with_palm(clip, side, np.array(palm) * [sign_of(side), 1.0, 1.0])
    assert rest_pose(measure_hands(clip, RIG), 0) == name


def _with_palm(clip: Clip, side: Side, palm: Floats) -> Clip:
    arm = measure_arm(clip, RIG, side)
    local = arm.from_world(palm[None])
    along = local / np.linalg.norm(local)
    turns = np.empty((1, 3, 4))
    turns[:, :2] = arm_turns(arm.limb, local - PALM_M * along, np.array([0.5]))
    turns[:, 2] = quaternion.between([float(sign_of(side)), 0.0, 0.0], along)
    return with_arm(clip, RIG, side, turns, arm.axes)


# What may not matter


def shifted(gesture: AnnotatedGesture, by_s: float) -> AnnotatedGesture:
    def later(mark: PhaseMark) -> PhaseMark:
        ends = tuple(round(end + by_s, 6) for end in mark.stroke_ends)
        return replace(
            mark,
            start_s=round(mark.start_s + by_s, 6),
            end_s=round(mark.end_s + by_s, 6),
            stroke_ends=ends,
        )

    return replace(gesture, phases=tuple(later(mark) for mark in gesture.phases))


def chain() -> Clip:
    """Three gestures with rests between them."""
    names: list[tuple[str, Hands]] = [("Wipe", "right"), ("Frame", "both"), ("Chop", "right")]
    return concatenate([acted(name, hands).clip for name, hands in names])


def test_a_second_of_waiting_shifts_everything_by_a_second() -> None:
    clip = chain()
    plain = annotate(clip, RIG).annotation
    later = annotate(concatenate([clip.select_frames(np.zeros(round(FPS), dtype=int)), clip]), RIG)
    assert len(plain.gestures) >= 3
    assert [shifted(g, 0.0) for g in later.annotation.gestures] == [
        shifted(g, 1.0) for g in plain.gestures
    ]


def test_mirrored_motion_has_the_mirrored_annotation() -> None:
    clip = concatenate([chain(), acted("Weigh", "both").clip])
    plain = annotate(clip, RIG)
    other = annotate(mirror(clip, RIG.mirror_permutation(), RIG.canonical_pose[0]), RIG)
    swap = {"LH": "RH", "RH": "LH", "2H": "2H"}
    expected = [replace(g, hands=swap[g.hands or "2H"]) for g in plain.annotation.gestures]
    assert [shifted(g, 0.0) for g in other.annotation.gestures] == [
        shifted(g, 0.0) for g in expected
    ]
    np.testing.assert_allclose(other.confidences, plain.confidences, atol=1e-3)
    assert [u.rest_pose for u in other.annotation.units] == [
        u.rest_pose for u in plain.annotation.units
    ]


def test_the_place_in_the_room_does_not_matter() -> None:
    clip = acted("Frame", "both").clip
    yaw = quaternion.from_axis_angle([0.0, 1.0, 0.0], 2.5)
    rotations = clip.rotations.copy()
    rotations[:, 0] = quaternion.multiply(yaw, rotations[:, 0])
    root = quaternion.rotate(yaw, clip.root_positions) + np.array([4.0, 0.0, 1.0])
    moved = replace(clip, rotations=rotations, root_positions=root)
    assert annotate(moved, RIG).annotation.units == annotate(clip, RIG).annotation.units


@pytest.mark.parametrize("frames", [1, 2, 10, 200])
def test_a_body_that_stands_still_has_no_gesture(frames: int) -> None:
    found = annotate(home_clip(frames, 30.0), RIG)
    assert found.annotation.units == ()
    assert found.confidences == ()


# Words


def spoken(*words: tuple[float, float, str]) -> list[AnnotatedWord]:
    return [AnnotatedWord(a, b, text) for a, b, text in words]


def test_a_gesture_means_the_word_whose_tag_asks_for_it() -> None:
    done = acted("Fist", "right")
    end = done.end / FPS
    words = spoken(
        (end - 0.6, end - 0.3, "a"),
        (end - 0.3, end + 0.1, "terrible"),
        (end + 0.2, end + 0.7, "war"),
        (end + 2.0, end + 2.4, "elsewhere"),
    )
    found = annotate(done.clip, RIG, words).annotation
    gesture = next(g for g in found.gestures if g.lexeme == "Fist")
    assert gesture.affiliate is not None
    assert found.words_text(gesture.affiliate) == "war"
    assert gesture.cooccurrence is not None
    assert found.words_text(gesture.cooccurrence) == "a terrible"
    assert [w.tag for w in found.words][2] == "AGGRESSION"
    assert found.words[1].pos == "adjective"
    nameless = annotate(
        done.clip, RIG, words, settings=AutomaticSettings(confidence=1.0)
    ).annotation.gestures[0]
    assert nameless.affiliate == (1, 1)


def test_a_word_too_far_from_the_stroke_is_not_meant() -> None:
    done = acted("Fist", "right")
    end = done.end / FPS
    words = spoken((end + 0.9, end + 1.3, "war"))
    (gesture,) = annotate(done.clip, RIG, words).annotation.gestures
    assert gesture.affiliate == (0, 0)
    assert gesture.cooccurrence is None
    words = spoken((end + 2.0, end + 2.3, "war"))
    (gesture,) = annotate(done.clip, RIG, words).annotation.gestures
    assert gesture.affiliate is None


def test_spoken_words_become_clauses_with_a_rheme() -> None:
    text = ["we", "fought", "a", "civil", "war", "there", "was", "nothing", "left"]
    times = [0.3 * i + (1.0 if i >= 5 else 0.0) for i in range(len(text))]
    found = spoken_text([Interval(t, t + 0.28, w) for t, w in zip(times, text, strict=True)], "en")
    assert [c.label for c in found.clauses] == ["we fought a civil war", "there was nothing left"]
    assert found.clauses[0].end_s == pytest.approx(times[4] + 0.28)
    assert {span.label for span in found.information} >= {"rheme", "focus"}
    assert [w.tag for w in found.words][3:5] == ["AGGRESSION", "AGGRESSION+"]


def test_words_that_have_tags_keep_them() -> None:
    words = [AnnotatedWord(0.0, 0.4, "war", tag="CALM"), AnnotatedWord(0.5, 0.9, "war")]
    found = spoken_text(words, "en")
    assert [w.tag for w in found.words] == ["CALM", ""]
    assert [(t.tag, t.first, t.last) for t in found.tags] == [("CALM", 0, 0)]


def test_german_words_are_tagged_as_german() -> None:
    found = spoken_text([Interval(0.0, 0.3, "der"), Interval(0.3, 0.9, "Bürgerkrieg")], "de")
    assert found.words[1].tag == "AGGRESSION"


# The whole is an annotation


def grammatical(found: AutomaticAnnotation) -> None:
    """No finding but of what nobody can see in motion."""
    allowed = ("no lexeme", "none", "no retraction", "no rest pose", "no affiliate")
    bad = [f for f in check(found.annotation) if not f.what.startswith(allowed)]
    assert [str(f) for f in bad if "computed automatically" not in f.what] == []
    assert all(0.0 <= share <= 1.0 for share in found.confidences)


@settings(max_examples=12)
@given(st.integers(0, 2**32 - 1), st.sampled_from([30.0, 60.0]))
def test_any_motion_has_a_grammatical_annotation(seed: int, fps: float) -> None:
    rng = np.random.default_rng(seed)
    keyed = []
    for side in SIDES:
        n = int(rng.integers(3, 25))
        times = np.cumsum(rng.uniform(0.15, 1.2, size=n))
        home = measure_arm(home_clip(1, fps), RIG, side).wrists[0]
        places = rng.uniform([-0.1, 0.0, 0.0], [0.2, 0.4, 0.35], size=(n, 3))
        places[rng.uniform(size=n) < 0.3] = 0.0
        keyed.append(ArmKeys(times, home + places * [sign_of(side), 1.0, 1.0]))
    clip = apply_keys(KeyedMotion(*keyed), home_clip(round(12.0 * fps), fps), RIG)
    words = [Interval(t, t + 0.25, "word") for t in np.arange(0.0, 11.0, 0.3)]
    grammatical(annotate(clip, RIG, words))


def test_an_annotation_goes_into_a_file_and_comes_back(tmp_path: Path) -> None:
    words = [Interval(t, t + 0.3, w) for t, w in ((1.4, "nothing"), (1.9, "at"), (2.2, "all"))]
    found = annotate(chain(), RIG, words, speaker="Anna")
    grammatical(found)
    for ending in ("eaf", "anvil"):
        path = tmp_path / f"chain.{ending}"
        write_annotation(found.annotation, path)
        again, problems = read_annotation(path)
        assert problems == ()
        assert [g.lexeme for g in again.gestures] == [g.lexeme for g in found.annotation.gestures]
        for a, b in zip(again.gestures, found.annotation.gestures, strict=True):
            assert replace(a, phases=b.phases) == b
            assert a.start_s == pytest.approx(b.start_s, abs=1e-3)
        assert [u.rest_pose for u in again.units] == [u.rest_pose for u in found.annotation.units]


@pytest.mark.timing
def test_a_minute_takes_less_than_a_fiftieth_of_it() -> None:
    times = np.arange(1.0, 59.0, 0.5)
    places = np.array([(0.06, 0.28, 0.22), (0.14, 0.14, 0.24), (0.22, 0.24, 0.12)])
    rows = np.array([np.zeros(3) if i % 8 == 0 else places[i % 3] for i in range(len(times))])
    arms = []
    for side in SIDES:
        home = measure_arm(home_clip(1, FPS), RIG, side).wrists[0]
        arms.append(ArmKeys(times, home + rows * [sign_of(side), 1.0, 1.0]))
    clip = apply_keys(KeyedMotion(*arms), home_clip(round(60 * FPS), FPS), RIG)
    words = [Interval(t, t + 0.25, "again") for t in np.arange(0.5, 59.0, 0.4)]
    assert len(annotate(clip, RIG, words).annotation.gestures) > 20
    taken = []
    for _ in range(3):
        fresh = replace(clip)
        start = time.perf_counter()
        annotate(fresh, RIG, words)
        taken.append(time.perf_counter() - start)
    assert min(taken) < clip.duration_s / 50.0


# What is refused


BAD: list[tuple[Callable[[], object], type[KinesphereError], str]] = [
    (
        lambda: AutomaticSettings(overlap=1.5),
        InvalidValueError,
        "overlap is 1.5, allowed is 0 to 1",
    ),
    (lambda: AutomaticSettings(after_s=-1.0), InvalidValueError, "after_s is -1.0, allowed is a"),
    (lambda: annotate(home_clip(3, 30.0), RIG, (), "tlh"), InvalidValueError, "allowed are en, de"),
    (
        lambda: spoken_text([Interval(2, 3, "b"), Interval(1, 2, "a")], "en"),
        InvalidValueError,
        "words must be in order",
    ),
    (
        lambda: annotate(home_clip(3, 30.0), Rig(RIG.skeleton, {"hips": 0})),
        RigError,
        "leftUpperArm",
    ),
    (
        lambda: AutomaticAnnotation(Annotation("", "en", 1.0), (0.5,), ()),
        InvalidValueError,
        "1 confidences and 0 guesses for 0 gestures",
    ),
]


@pytest.mark.parametrize(("make", "kind", "words"), BAD)
def test_bad_input_is_named_in_one_line(
    make: Callable[[], object], kind: type[KinesphereError], words: str
) -> None:
    with pytest.raises(kind) as raised:
        make()
    assert words in str(raised.value)
    assert "\n" not in str(raised.value)


def test_every_setting_is_described() -> None:
    text = AutomaticSettings.__doc__ or ""
    assert [f.name for f in fields(AutomaticSettings) if f.name not in text] == []


# Recordings: SmartBody's clips, whose names say which hands act and often what they mean

SETS = ("Gestures", "FemaleGestures", "MaleGestures")
WRONG_NAMES = ("Idle01_NegativeLf01", "Idle01_ReceiveLf01", "Idle01_SafeRt01", "Idle03_ReceiveLf01")
NAMED = {"Rt": "RH", "Lf": "LH", "Bt": "2H", "Both": "2H"}
# Lexemes that a person would accept for a clip of that name.
MEANT = {
    "Stop": ("Stop", "Block", "Oath"),
    "Me": ("PointingSelf", "Heart"),
    "Chop": ("Chop", "Frame", "Beat"),
    "Offer": ("Cup",),
    "Receive": ("Cup",),
    "Plea": ("Cup", "OpenHands", "Shrug"),
    "Frame": ("Frame",),
}


@cache
def recordings(folder: Path) -> list[tuple[str, AutomaticAnnotation]]:
    out = []
    for name in SETS:
        for path in sorted((folder / "smartbody" / name).glob("*.skm")):
            take = read_take(path)
            rig = identify(take.clip.skeleton, take.clip.rotations).rig
            out.append((path.stem.split("@")[1], annotate(take.clip, rig)))
    return out


def test_handedness_is_that_of_the_names(data: Path) -> None:
    right, wrong = 0, []
    for name, found in recordings(data):
        ending = re.search(r"(Rt|Lf|Bt|Both)\d*$", name)
        if ending is None or name in WRONG_NAMES:
            continue
        seconds: Counter[str | None] = Counter()
        for gesture in found.annotation.gestures:
            seconds[gesture.hands] += gesture.end_s - gesture.start_s
        if seconds and seconds.most_common(1)[0][0] == NAMED[ending[1]]:
            right += 1
        else:
            wrong.append(name)
    assert right + len(wrong) > 140
    assert right / (right + len(wrong)) >= 0.97, wrong


def test_recordings_have_grammatical_annotations(data: Path) -> None:
    for _, found in recordings(data):
        grammatical(found)


def test_guesses_are_what_the_names_mean_and_confidence_tells_how_often(data: Path) -> None:
    rows = []
    for name, found in recordings(data):
        kind = next((k for k in MEANT if name.split("_")[-1].startswith(k)), None)
        if kind is not None and found.guesses:
            _, guess, share = main_gesture(found)
            rows.append((guess in MEANT[kind], share))
    right, shares = np.array(rows).T
    assert len(rows) > 40
    assert right.mean() >= 0.65
    # They do not claim more than they know.
    assert shares.mean() <= right.mean()
    assert right[shares >= 0.35].mean() >= right[shares < 0.25].mean()
