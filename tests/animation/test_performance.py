"""The engine as a whole: what holds of every performance of any script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from kinesphere.animation.performance import Performed, Performer, check_script, perform_script
from kinesphere.animation.settings import ActingSettings
from kinesphere.animation.speech_cues import SpeechCues
from kinesphere.character.default import default_rig
from kinesphere.character.joint_limits import limit_excess
from kinesphere.errors import InvalidValueError
from kinesphere.evaluation.artefacts import arm_poses, foot_sliding, swivel_rates
from kinesphere.gesture.lexicon import hand_lexemes, lexicon
from kinesphere.gesture.script import REST_POSES, GestureScript, ScriptGesture, ScriptUnit, Turn
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import SIDES, Side
from kinesphere.motion.body.body_volume import hand_depth
from kinesphere.motion.clip import Clip
from kinesphere.motion.keyed.tracks import sum_layers

RIG = default_rig()
PAPER = ActingSettings(paper=True)
MIRROR = np.array([-1.0, 1.0, 1.0])


def gesture(
    name: str = "Cup", hands: str = "RH", end_s: float = 3.0, **more: object
) -> ScriptGesture:
    values = {"type": "prep+stroke+hold", "stroke_s": 0.4, "hold_s": 0.3, **more}
    return ScriptGesture(name, hands, stroke_end_s=end_s, **values)


def script(*gestures: ScriptGesture, rest: str = "at-side", **more: object) -> GestureScript:
    return GestureScript((ScriptUnit(gestures, rest),), **more)


def any_script(
    rng: np.random.Generator, names: Sequence[str], rests: Sequence[str]
) -> GestureScript:
    """Lexemes in a row, each as its entry says, in units of one to four."""
    at, units, held = 1.5, [], []
    for k, name in enumerate(names):
        entry = lexicon()[name]
        # One hand phones, and not both; what touches nothing may be done with any.
        shares = zip(("RH", "LH", "2H"), entry.hands, strict=True)
        hands = str(rng.choice([h for h, share in shares if share or not entry.contact]))
        at += float(rng.uniform(0.7, 1.4))
        count = int(rng.integers(0, 3)) if rng.random() < 0.5 else 0
        apart = entry.hand_distance if hands == "2H" else (None, None)
        held.append(
            ScriptGesture(
                name,
                hands,
                "prep+stroke+hold",
                stroke_end_s=at,
                stroke_s=float(rng.uniform(0.2, 0.6)),
                hold_s=0.3,
                after_strokes=tuple(at + 0.5 * (n + 1) for n in range(count)),
                start=entry.start,
                end=entry.end,
                start_distance=apart[0],
                end_distance=apart[1],
            )
        )
        at = held[-1].end_s + 0.3
        if len(held) == int(rng.integers(1, 5)) or len(held) == 4 or k == len(names) - 1:
            units.append(ScriptUnit(tuple(held), rests[len(units) % len(rests)]))
            held, at = [], at + float(rng.uniform(1.0, 3.0))
    turns = tuple(Turn(d, t) for t, d in ((2.0, "left"), (9.0, "right"), (20.0, "front")))
    looks = tuple(Turn(d, t) for t, d in ((3.0, "left-front"), (9.0, "right"), (15.0, "left")))
    return GestureScript(tuple(units), turns, looks)


def any_cues(rng: np.random.Generator, made: GestureScript) -> SpeechCues:
    end = made.end_s + 1.0
    peaks = np.cumsum(rng.uniform(0.12, 0.4, int(end / 0.12)))
    peaks = peaks[peaks < end]
    phrases, at = [], 0.5
    while at < end:
        stop = at + float(rng.uniform(0.6, 5.0))
        phrases.append((at, min(stop, end)))
        at = stop + float(rng.uniform(0.25, 2.0))
    near = [float(peaks[np.abs(peaks - g.last_stroke_end_s).argmin()]) for g in made.gestures]
    accents = tuple(float(a) for a in rng.random(len(near)))
    return SpeechCues(peaks, rng.random(len(peaks)), tuple(phrases), tuple(near), accents, (), end)


@dataclass(frozen=True)
class Made:
    script: GestureScript
    done: Performed
    cues: SpeechCues | None


@cache
def made(kind: str) -> Made:
    """A long performance of every lexeme: of the paper, of people, with and without speech."""
    seed = ("paper", "silent", "spoken").index(kind)
    rng = np.random.default_rng(seed)
    order = [hand_lexemes()[k] for k in rng.permutation(len(hand_lexemes()))]
    written = any_script(rng, order, ("at-side", "clasped", "in-pockets"))
    cues = any_cues(rng, written) if kind == "spoken" else None
    s = PAPER if kind == "paper" else None
    return Made(written, perform_script(written, cues, fps=40.0, seed=seed, settings=s), cues)


ALL = pytest.mark.parametrize("kind", ["paper", "silent", "spoken"])


def wrist(clip: Clip, side: Side) -> Floats:
    return clip.world_positions[:, RIG.joint(f"{side}Hand")]


def in_chest(clip: Clip, side: Side) -> Floats:
    chest = RIG.joint("upperChest")
    back = quaternion.inverse(clip.world_rotations[:, chest])
    return quaternion.rotate(back, wrist(clip, side) - clip.world_positions[:, chest])


# -- every performance -----------------------------------------------------------------------------


@ALL
def test_no_joint_leaves_its_limits(kind: str) -> None:
    excess = limit_excess(made(kind).done.clip, RIG)
    worst = {bone: float(np.degrees(v.max())) for bone, v in excess.items() if v.max() > 0.0}
    # Nobody sees less than a degree for a moment.
    assert {bone: w for bone, w in worst.items() if w > 1.0} == {}


@ALL
def test_feet_do_not_slide(kind: str) -> None:
    feet = foot_sliding(made(kind).done.clip, RIG)
    # People move a foot in 5 to 50 percent of the time; here somebody speaks for some seconds.
    assert feet.planted_share > 0.9
    assert feet.p95 < 1e-6
    # A foot that is about to be lifted still counts as planted for a frame.
    assert feet.farthest_m < 3e-4


@ALL
def test_hands_are_never_in_the_body(kind: str) -> None:
    for side in SIDES:
        assert hand_depth(made(kind).done.clip, RIG, side).max() <= 0.005


@ALL
def test_elbows_do_not_pop(kind: str) -> None:
    assert swivel_rates(arm_poses(made(kind).done.clip, RIG)).highest < 300.0


@ALL
def test_hands_move_as_hands_can(kind: str) -> None:
    clip = made(kind).done.clip
    for side in SIDES:
        speed = np.linalg.norm(np.diff(wrist(clip, side), axis=0), axis=1) * clip.fps
        assert speed.max() < 4.5
        # Nothing jumps from one frame to the next.
        assert np.abs(np.diff(speed)).max() < 2.0


@ALL
def test_it_is_long_enough_and_all_numbers_are_numbers(kind: str) -> None:
    one = made(kind)
    clip = one.done.clip
    assert clip.duration_s >= one.script.end_s
    assert np.isfinite(clip.rotations).all()
    for values in clip.channels.values():
        assert values.min() >= 0.0
        assert values.max() <= 1.0


@ALL
def test_every_gesture_is_performed_once_and_in_order(kind: str) -> None:
    one = made(kind)
    assert [a.gesture for a in one.done.acts] == list(one.script.gestures)
    assert [a.index for a in one.done.acts] == list(range(len(one.script.gestures)))
    tier = one.done.tiers[-1]
    assert [i.label for i in tier] == [f"{g.lexeme} {g.hands}" for g in one.script.gestures]
    for side in SIDES:
        strokes = [p for p in one.done.phases[side] if p.kind == "stroke"]
        assert len(strokes) == len(one.script.gestures)
    assert [t.name for t in one.done.tiers] == ["phases left", "phases right", "gestures"]


@ALL
def test_the_tracks_are_where_the_hands_are(kind: str) -> None:
    done = made(kind).done
    times = done.clip.times
    origin = RIG.skeleton.rest_world_positions
    middle = origin[RIG.joints(("leftUpperArm", "rightUpperArm"))].mean(axis=0)
    off = middle - origin[RIG.joint("upperChest")]
    for side in SIDES:
        asked = sum_layers(done.keyed.layers(f"{side}Wrist"), times)
        gap = np.linalg.norm(in_chest(done.clip, side) - off - asked, axis=1)
        # But for wandering, reach, and what it takes to stay out of the body.
        assert np.median(gap) < 0.02
        assert np.quantile(gap, 0.9) < 0.06
    assert {"pelvisYaw", "spineYaw", "leftSwivel", "rightFingers"} <= set(done.keyed.tracks)


def test_the_papers_strokes_end_when_the_script_says() -> None:
    one = made("paper")
    assert [a.time.end_s for a in one.done.acts] == [g.stroke_end_s for g in one.script.gestures]


def test_with_speech_strokes_are_fastest_near_their_syllable() -> None:
    one = made("spoken")
    assert one.cues is not None
    off = [act.time.peak_s - one.cues.gestures[act.index] for act in one.done.acts]
    assert np.median(np.abs(off)) < 0.09


@pytest.mark.parametrize("rest", REST_POSES)
def test_hands_rest_where_the_script_says(rest: str) -> None:
    done = perform_script(script(gesture(), rest=rest), end_s=8.0, settings=PAPER)
    again = perform_script(script(gesture("Stop", "LH"), rest=rest), end_s=8.0, settings=PAPER)
    for side in SIDES:
        a, b = in_chest(done.clip, side)[-1], in_chest(again.clip, side)[-1]
        assert np.linalg.norm(a - b) < 0.02


@pytest.mark.parametrize(
    ("rest", "name", "hands", "seed"),
    [
        ("folded", "Cup", "2H", 0),
        ("folded", "Oath", "2H", 1),
        ("folded", "Calm", "LH", 2),
        ("in-pockets", "Cup", "2H", 0),
        ("in-pockets", "Wave", "2H", 3),
        ("behind-back", "Cup", "2H", 0),
        ("behind-back", "Calm", "2H", 1),
        ("behind-back", "Doubt", "2H", 1),
        ("behind-back", "FlingDown", "2H", 1),
        ("behind-back", "HandClap", "2H", 2),
        ("behind-back", "Shift", "2H", 1),
        ("behind-back", "Heart", "LH", 2),
        ("behind-back", "Victory", "LH", 2),
    ],
)
def test_ways_to_and_from_hands_that_are_away_are_round_the_body(
    rest: str, name: str, hands: str, seed: int
) -> None:
    units = (ScriptUnit((gesture(name, hands, 3.0 + 5.0 * k),), rest) for k in range(2))
    check_hands_go_round(perform_script(GestureScript(tuple(units)), seed=seed, fps=40.0).clip)


@pytest.mark.parametrize("apart_s", [1.2, 2.0])
@pytest.mark.parametrize("settings", [PAPER, ActingSettings()], ids=["paper", "people"])
def test_hands_go_behind_the_back_and_come_back_however_little_time_there_is(
    settings: ActingSettings, apart_s: float
) -> None:
    units = [
        ScriptUnit((gesture(name, "2H", 3.0 + apart_s * k),), "behind-back")
        for k, name in enumerate(("Cup", "Chop", "Calm", "Wipe"))
    ]
    made = perform_script(GestureScript(tuple(units)), seed=3, fps=40.0, settings=settings)
    check_hands_go_round(made.clip)
    for side in SIDES:
        assert wrist(made.clip, side)[-1, 2] < wrist(made.clip, side)[0, 2] - 0.1


def check_hands_go_round(clip: Clip) -> None:
    """Neither a hand in the body, nor a jump, nor a joint past its limits."""
    for side in SIDES:
        assert hand_depth(clip, RIG, side).max() <= 0.005
        speed = np.linalg.norm(np.diff(wrist(clip, side), axis=0), axis=1) * clip.fps
        assert np.abs(np.diff(speed)).max() < 2.2
    excess = max(v.max() for v in limit_excess(clip, RIG).values())
    assert np.degrees(excess) < 1.0


# -- seeds -----------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_clip_bit_by_bit() -> None:
    rng = np.random.default_rng(0)
    written = any_script(rng, hand_lexemes()[:8], ("at-side", "clasped"))
    cues = any_cues(rng, written)
    one, two, other = (perform_script(written, cues, fps=30.0, seed=k).clip for k in (3, 3, 4))
    assert one == two
    assert one.rotations.tobytes() == two.rotations.tobytes()
    assert one.root_positions.tobytes() == two.root_positions.tobytes()
    count = min(len(one), len(other))
    assert not np.allclose(wrist(one, "right")[:count], wrist(other, "right")[:count], atol=1e-3)


def test_two_performances_differ_by_centimetres_but_not_by_decimetres() -> None:
    for name in ("Cup", "Stop", "Wipe"):
        ends = [
            done.acts[0].end["right"].wrist
            for done in (perform_script(script(gesture(name)), seed=k, fps=5.0) for k in range(5))
        ]
        spread = [np.linalg.norm(a - b) for k, a in enumerate(ends) for b in ends[:k]]
        # Hands of recorded speakers differ from mirror images by 8 to 15 cm.
        assert 0.005 < np.median(spread) < 0.14
        assert max(spread) < 0.25


def test_two_of_a_kind_in_one_performance_differ_too() -> None:
    done = perform_script(script(gesture(end_s=3.0), gesture(end_s=6.0)))
    one, two = (a.end["right"] for a in done.acts)
    assert 0.001 < np.linalg.norm(one.wrist - two.wrist) < 0.15
    assert not np.allclose(one.fingers, two.fingers, atol=0.1)


def test_the_paper_has_no_such_chance() -> None:
    done = perform_script(script(gesture(end_s=3.0), gesture(end_s=6.0)), settings=PAPER)
    one, two = (a.end["right"] for a in done.acts)
    assert np.allclose(one.wrist, two.wrist, atol=1e-9)


# -- mirrors ---------------------------------------------------------------------------------------


def mirrored(written: GestureScript) -> GestureScript:
    swap = {"LH": "RH", "RH": "LH", "2H": "2H"}

    def turn(t: Turn) -> Turn:
        names = {"left": "right", "right": "left"}
        head, _, tail = t.direction.partition("-")
        return Turn("-".join(filter(None, (names.get(head, head), tail))), t.time_s)

    return replace(
        written,
        units=tuple(
            replace(u, gestures=tuple(replace(g, hands=swap[g.hands]) for g in u.gestures))
            for u in written.units
        ),
        body_turns=tuple(turn(t) for t in written.body_turns),
        head_turns=tuple(turn(t) for t in written.head_turns),
    )


def test_the_mirrored_script_gives_mirrored_hands_in_the_paper() -> None:
    # Hands that are set apart or alternate, and lexemes to one side, are the same both ways round.
    entries = {n: lexicon()[n] for n in hand_lexemes()}
    names = [n for n, e in entries.items() if not (e.parallel or e.antiphase)]
    written = any_script(np.random.default_rng(5), names, ("at-side",))
    one = perform_script(written, settings=PAPER, fps=15.0).clip
    two = perform_script(mirrored(written), settings=PAPER, fps=15.0).clip
    assert len(one) == len(two)
    for side, other in (("left", "right"), ("right", "left")):
        gap = np.linalg.norm(wrist(one, side) - wrist(two, other) * MIRROR, axis=1)
        assert np.quantile(gap, 0.8) < 0.01
        assert np.quantile(gap, 0.97) < 0.08
        assert gap.max() < 0.2


# -- what is asked ---------------------------------------------------------------------------------


def stroke_of(accent: float, seed: int, name: str) -> tuple[float, float]:
    """Size of a stroke and its mean speed."""
    cues = SpeechCues(
        np.array([2.9]), np.array([accent]), ((2.0, 4.0),), (2.9,), (accent,), (), 5.0
    )
    (act,) = perform_script(script(gesture(name)), cues, seed=seed, fps=5.0).acts
    size = float(np.linalg.norm(act.end["right"].wrist - act.start["right"].wrist))
    return size, size / (act.time.end_s - act.time.start_s)


@pytest.mark.parametrize("name", ["Chop", "Cup"])
def test_accents_make_strokes_larger_and_quicker(name: str) -> None:
    weak, strong = (
        np.mean([stroke_of(a, seed, name) for seed in range(8)], axis=0) for a in (0.0, 1.0)
    )
    assert strong[0] > 1.1 * weak[0]
    assert strong[1] > 1.15 * weak[1]


def test_a_speakers_effort_changes_tempo() -> None:
    lengths = {}
    for time in (-0.8, 0.0, 0.8):
        who = Performer(effort=(0.0, 0.0, time, 0.0))
        (act,) = perform_script(script(gesture()), performer=who, fps=5.0).acts
        lengths[time] = act.time.end_s - act.time.start_s
    assert lengths[0.8] < lengths[0.0] < lengths[-0.8]


def test_hold_gestures_are_there_when_they_should_be_and_stay() -> None:
    hold = ScriptGesture("Stop", "RH", "prep+hold", hold_start_s=2.0, hold_s=1.5)
    done = perform_script(script(hold), settings=PAPER, end_s=5.0)
    clip = done.clip
    path = in_chest(clip, "right")
    held = path[round(2.02 * clip.fps) : round(3.45 * clip.fps)]
    assert np.ptp(held, axis=0).max() < 1e-3
    assert np.linalg.norm(path[0] - held[0]) > 0.2
    assert np.linalg.norm(path[-1] - held[0]) > 0.2
    people = perform_script(script(hold), end_s=5.0).clip
    some = in_chest(people, "right")[round(2.05 * 60) : round(2.15 * 60)]
    assert np.linalg.norm(some - held[0], axis=1).max() < 0.12


@pytest.mark.parametrize("kind", ["stroke+hold", "hold"])
def test_gestures_without_a_preparation_follow_from_where_the_hand_is(kind: str) -> None:
    second = (
        gesture("Stop", end_s=3.6, type="stroke+hold")
        if kind == "stroke+hold"
        else ScriptGesture("Stop", "RH", "hold", hold_start_s=3.4, hold_s=0.5)
    )
    for s in (PAPER, ActingSettings()):
        done = perform_script(script(gesture(), second), settings=s)
        assert len(done.acts) == 2
        rows = list(done.phases["right"])
        for a, b in pairwise(rows):
            assert b.start_s - a.end_s < 0.1


def turned(name: str, bone: str, hands: str = "RH") -> Floats:
    """How much a bone is turned by a gesture, rotation vectors ``[f, 3]``."""
    one = perform_script(script(gesture(name, hands)), settings=PAPER, end_s=6.0).clip
    none = perform_script(GestureScript(), settings=PAPER, end_s=6.0).clip
    count, joint = min(len(one), len(none)), RIG.joint(bone)
    a, b = (c.world_rotations[:count, joint] for c in (none, one))
    return quaternion.log(quaternion.multiply(b, quaternion.inverse(a)))


@pytest.mark.parametrize(
    "name",
    [
        n
        for n, e in lexicon().items()
        if e.without_hands and any(k.head_down or k.head_turn or k.head_tilt for k in e.body_keys)
    ],
)
def test_lexemes_without_hands_move_the_head_and_nothing_below_the_shoulders(name: str) -> None:
    head = np.degrees(np.linalg.norm(turned(name, "head"), axis=1))
    assert head.max() > 3.0
    assert head[: round(2.5 * 60)].max() < 0.5
    assert head[-10:].max() < 0.5
    assert np.abs(turned(name, "upperChest")).max() < 1e-6
    done = perform_script(script(gesture(name)), settings=PAPER)
    assert all(p.kind == "rest" for p in done.phases["right"])


@pytest.mark.parametrize("name", ["HeadNod", "HeadShake", "HeadTilt", "HeadPoint"])
def test_heads_go_as_far_as_the_lexicon_says(name: str) -> None:
    keys = lexicon()[name].body_keys
    most = max(np.hypot(np.hypot(k.head_down, k.head_turn), k.head_tilt) for k in keys)
    found = np.degrees(np.linalg.norm(turned(name, "head"), axis=1)).max()
    assert found == pytest.approx(most, rel=0.15)


def test_a_nod_goes_down_and_a_shake_from_side_to_side() -> None:
    nod, shake = turned("HeadNod", "head"), turned("HeadShake", "head")
    assert nod[:, 0].max() > np.radians(6.0)
    assert np.abs(nod[:, 1]).max() < np.radians(1.0)
    assert shake[:, 1].max() > np.radians(6.0)
    assert shake[:, 1].min() < -np.radians(6.0)


def test_a_head_points_to_the_side_of_its_hand() -> None:
    left, right = (turned("HeadPoint", "head", hands)[:, 1] for hands in ("LH", "RH"))
    assert left[np.abs(left).argmax()] > 0.1
    assert right[np.abs(right).argmax()] < -0.1


def test_shrugged_shoulders_rise() -> None:
    for side, sign in (("left", 1.0), ("right", -1.0)):
        rise = sign * turned("ShoulderShrug", f"{side}Shoulder")[:, 2]
        assert rise.max() > np.radians(8.0)
        assert rise[-10:].max() < np.radians(1.0)


def test_ones_own_lexemes_are_performed() -> None:
    nod = lexicon()["HeadNod"]
    keys = tuple(replace(k, head_down=3.0 * k.head_down) for k in nod.body_keys)
    own = {
        **lexicon(),
        "Salute": replace(lexicon()["Stop"], name="Salute"),
        "Bow": replace(nod, name="Bow", body_keys=keys),
        "Swear": replace(lexicon()["Heart"], name="Swear"),
    }
    done = perform_script(script(gesture("Salute")), entries=own)
    assert done.tiers[-1].intervals[0].label == "Salute RH"
    (act,) = perform_script(script(gesture("Swear")), entries=own, fps=5.0).acts
    (usual,) = perform_script(script(gesture("Heart")), fps=5.0).acts
    assert np.array_equal(act.end["right"].wrist, usual.end["right"].wrist)
    bow = perform_script(script(gesture("Bow")), entries=own, settings=PAPER, end_s=6.0).clip
    none = perform_script(GestureScript(), settings=PAPER, end_s=6.0).clip
    joint = RIG.joint("head")
    off = quaternion.angle_between(
        bow.world_rotations[: len(none), joint], none.world_rotations[: len(bow), joint]
    )
    assert np.degrees(off.max()) > 15.0


def test_body_and_head_turn_as_the_script_says() -> None:
    written = script(gesture(), body_turns=(Turn("left", 1.0),), head_turns=(Turn("right", 1.0),))
    who = Performer(body_yaw=np.radians(25.0), head_yaw=np.radians(40.0))
    for s in (PAPER, ActingSettings()):
        clip = perform_script(written, performer=who, settings=s, end_s=6.0).clip
        frame = round(2.3 * 60)
        chest = quaternion.log(clip.world_rotations[frame, RIG.joint("upperChest")])[1]
        eyes = quaternion.log(clip.world_rotations[frame, RIG.joint("leftEye")])[1]
        assert np.degrees(chest) == pytest.approx(25.0, abs=9.0)
        assert np.degrees(eyes) < 0.0


def test_gestures_without_a_name_are_performed() -> None:
    for name in ("", "none"):
        done = perform_script(script(gesture(name)))
        assert len(done.acts) == 1
        assert "stroke" in [p.kind for p in done.phases["right"]]


def test_an_empty_script_is_an_idle_take() -> None:
    for s in (PAPER, ActingSettings()):
        done = perform_script(GestureScript(), end_s=6.0, settings=s)
        assert done.clip.duration_s >= 6.0
        assert done.acts == ()
        assert {p.kind for side in SIDES for p in done.phases[side]} == {"rest"}
        path = wrist(done.clip, "left")
        assert 0.0 < np.ptp(path, axis=0).max() < 0.12
        assert done.clip.channels["blink"].max() > 0.5
    assert perform_script(GestureScript()).clip.duration_s < 2.0


@pytest.mark.parametrize("fps", [12.0, 25.0, 29.97, 60.0, 120.0])
def test_frames_a_second_change_only_the_sampling(fps: float) -> None:
    fine = perform_script(script(gesture()), fps=240.0, settings=PAPER).clip
    clip = perform_script(script(gesture()), fps=fps, settings=PAPER).clip
    assert clip.duration_s == pytest.approx(fine.duration_s, abs=1.0 / fps)
    rows = np.clip(np.round(clip.times * 240.0).astype(int), 0, len(fine) - 1)
    gap = np.linalg.norm(in_chest(clip, "right") - in_chest(fine, "right")[rows], axis=1)
    assert gap.max() < 0.02


# -- what cannot be --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (script(gesture("Cupp")), "gesture 1 has lexeme 'Cupp', which is not known; near are Cup"),
        (script(gesture(), gesture("Wpie", end_s=5.0)), "gesture 2 has lexeme 'Wpie'"),
        (script(gesture(end_s=0.1)), "gesture 1 (Cup) starts at -0.3 s, allowed is 0 or later"),
        (
            script(replace(gesture(), handshape="fist>paw")),
            "gesture 1 (Cup) has hand shape 'paw', allowed are rest, open-rlx,",
        ),
        (
            script(gesture(end_s=5.0), gesture("Wipe", end_s=3.0)),
            "gesture 2 (Wipe) ends its stroke at 3 s, before the one before it at 5 s",
        ),
    ],
)
def test_what_cannot_be_performed_is_one_clear_line(written: GestureScript, said: str) -> None:
    for refused in (check_script, perform_script):
        with pytest.raises(InvalidValueError) as found:
            refused(written)
        assert said in str(found.value)
        assert "\n" not in str(found.value)


@pytest.mark.parametrize("end_s", [float("nan"), float("inf"), 1e12])
def test_times_that_no_take_has_are_refused_too(end_s: float) -> None:
    with pytest.raises(InvalidValueError) as found:
        perform_script(script(gesture(end_s=end_s)), fps=1.0)
    assert "gesture 1" in str(found.value)


@pytest.mark.parametrize("fps", [0.0, -1.0, 1e6, float("nan")])
def test_frames_a_second_are_checked(fps: float) -> None:
    with pytest.raises(InvalidValueError, match="fps is"):
        perform_script(GestureScript(), fps=fps)


def test_a_performer_is_read_from_a_portrait() -> None:
    from kinesphere.pipeline.speakers import speaker

    for name in ("host", "critic", "neutral"):
        who = Performer.of(speaker(name))
        assert np.radians(5.0) < who.body_yaw < np.radians(60.0)
        assert np.radians(10.0) < who.head_yaw < np.radians(80.0)
        assert 0.0 <= who.collar_gain < 3.0
        assert max(map(abs, who.effort)) <= 1.0
