"""Arms on other bodies: out of their meshes, out of each other, with contacts on their own skin."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from benchmarks.made_bodies import BUILDS, made_body, write_body

import kinesphere as ks
from kinesphere.animation.arms.poses.home_pose import home_clip
from kinesphere.character.anatomy import anatomical_excess
from kinesphere.character.figure import Figure
from kinesphere.character.skin.body_skin import BodySkin, arm_gaps, body_skin
from kinesphere.character.skin.clearing import (
    ClearingSettings,
    Touching,
    _Clearing,
    clear_arms,
    touching_of,
)
from kinesphere.character.skin.correction import CorrectionSettings, corrected_arm, spread_in_time
from kinesphere.evaluation.mesh_penetration import mesh_depths, mesh_penetration
from kinesphere.formats.gltf.stored_figure import default_figure, figure_bytes
from kinesphere.gesture.script import GestureScript, ScriptGesture, ScriptUnit
from kinesphere.maths.arrays import Floats
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.retargeting.retargeting import RetargetSettings, move_rig_limbs, retarget

SIDES = ("left", "right")
FPS = 60.0
TEXT = "This is huge! My heart says yes, we belong together, you and me. Not one but ten of them."


@cache
def figure_of(name: str) -> Figure:
    return made_body(BUILDS[name])


@cache
def skin_of(name: str) -> BodySkin:
    if name == "default":
        return body_skin(ks.default_rig(), default_figure())
    return body_skin(rig_of(name), figure_of(name))


@cache
def rig_of(name: str) -> Rig:
    skeleton = figure_of(name).skeleton
    return Rig(skeleton, {n: i for i, n in enumerate(skeleton.names)})


@cache
def performed() -> Clip:
    return ks.perform(TEXT, "host", seed=3, voice="none").clip


@cache
def dressed(name: str) -> tuple[Clip, Clip]:
    """A performance on a made body, before and after its arms are cleared."""
    source = ks.default_rig()
    raw = retarget(performed(), source, rig_of(name), None, source.footing)
    return raw, clear_arms(raw, skin_of(name), performed(), skin_of("default"))


def reaching(paths: Floats) -> Clip:
    """The default figure whose wrists follow paths ``[frames, 2, 3]`` in the world."""
    rig = ks.default_rig()
    clip = home_clip(len(paths), FPS)
    arms = [tuple(rig.joints([f"{s}{b}" for b in ("UpperArm", "LowerArm", "Hand")])) for s in SIDES]
    axes = np.array([[0, -1.0, 0], [0, 1.0, 0]])
    return move_rig_limbs(clip, rig, arms, paths, axes)  # type: ignore[arg-type]


def wrists(clip: Clip, rig: Rig) -> Floats:
    return np.asarray(clip.world_positions[:, rig.joints(("leftHand", "rightHand"))])


def accelerations(clip: Clip, rig: Rig) -> Floats:
    second = np.diff(wrists(clip, rig), n=2, axis=0) * clip.fps**2
    return np.asarray(np.linalg.norm(second, axis=-1))


@pytest.mark.parametrize("name", ["stout", "thin", "short and stout", "child", "giant"])
def test_arms_stay_out_of_the_mesh_and_hands_out_of_each_other(name: str) -> None:
    raw, clear = dressed(name)
    found = mesh_penetration(clear, rig_of(name), figure_of(name))
    assert found.body.share < 0.01
    assert found.hands.share <= 0.03
    if "stout" in name or name == "giant":  # there was something to do
        before = mesh_penetration(raw, rig_of(name), figure_of(name))
        assert before.body.share > 0.25
        assert before.body.deepest_m > 0.05


@pytest.mark.parametrize("name", ["stout", "thin", "short and stout"])
def test_corrections_are_as_smooth_as_the_motion(name: str) -> None:
    raw, clear = dressed(name)
    was, now = (np.quantile(accelerations(c, rig_of(name)), 0.99) for c in (raw, clear))
    assert now <= 1.3 * was


@pytest.mark.parametrize("name", ["stout", "thin"])
def test_joint_limits_are_kept_and_nothing_but_arms_moves(name: str) -> None:
    raw, clear = dressed(name)
    rig = rig_of(name)
    was, now = anatomical_excess(raw, rig), anatomical_excess(clear, rig)
    for bone in now:
        assert np.degrees(now[bone].max() - was[bone].max()) < 6.0, bone
    arms = rig.joints([f"{s}{b}" for s in SIDES for b in ("UpperArm", "LowerArm", "Hand")])
    others = np.setdiff1d(np.arange(len(rig.skeleton)), arms)
    assert np.array_equal(raw.rotations[:, others], clear.rotations[:, others])
    assert np.array_equal(raw.root_positions, clear.root_positions)


def written(name: str, hands: str, end_s: float) -> ScriptGesture:
    return ScriptGesture(
        name, hands, "prep+stroke+hold", stroke_end_s=end_s, stroke_s=0.4, hold_s=0.3
    )


@cache
def contacts() -> Clip:
    """A clap, and a hand that touches the chest."""
    gestures = (
        written("Heart", "RH", 2.0),
        written("HandClap", "2H", 4.0),
        written("Join", "2H", 6.0),
        written("PointingSelf", "LH", 8.0),
    )
    return ks.animate(GestureScript((ScriptUnit(gestures),)), seed=1).clip


@cache
def contacts_on(name: str) -> tuple[Touching, Touching, Touching]:
    """Contacts in the motion, on a made body, and there after its arms are cleared."""
    source, skin = ks.default_rig(), skin_of("default")
    raw = retarget(contacts(), source, rig_of(name), None, source.footing)
    clear = clear_arms(raw, skin_of(name), contacts(), skin)
    return (
        touching_of(contacts(), skin),
        touching_of(raw, skin_of(name)),
        touching_of(clear, skin_of(name)),
    )


@pytest.mark.parametrize("name", ["stout", "thin", "short and stout"])
def test_a_hand_on_the_chest_touches_the_own_skin(name: str) -> None:
    before, raw, clear = (touching.gaps[:, 0] for touching in contacts_on(name))
    held = before < 0.006
    assert held.sum() > 15
    assert np.median(np.abs(raw[held])) > 0.03  # in the flesh, or off it
    assert np.median(np.abs(clear[held])) < 0.012


@pytest.mark.parametrize("name", ["stout", "thin", "short and stout"])
def test_a_clap_stays_a_clap(name: str) -> None:
    before, _, clear = (touching.meeting for touching in contacts_on(name))
    met = before.lack > -0.008  # palms are held 6 mm apart
    assert met.sum() > 15
    apart = np.where(np.isfinite(clear.lack), np.abs(clear.lack), 1.0)[met]
    assert np.median(apart) < 0.02
    assert np.mean(clear.overlap > before.overlap + 0.006) < 0.02


@pytest.mark.parametrize("name", ["stout", "short and stout"])
def test_hands_that_meet_for_a_moment_still_meet_in_front_of_a_belly(name: str) -> None:
    time = np.linspace(-1.0, 1.0, 120)[:, None]
    left = [0.03, 1.08, 0.24] + np.minimum(np.abs(time), 0.6) * [0.5, -0.1, -0.2]
    clip = reaching(np.stack([left, left * [-1, 1, 1]], axis=1))
    rig, skin = rig_of(name), skin_of(name)
    raw = retarget(clip, ks.default_rig(), rig, None, ks.default_rig().footing)
    clear = clear_arms(raw, skin, clip, skin_of("default"))
    before, after = touching_of(clip, skin_of("default")), touching_of(clear, skin)
    met = before.meeting.lack > -0.004
    assert 0 < met.sum() < 30  # less than half a second
    assert arm_gaps(skin, raw).gaps[met].min() < -0.05
    assert arm_gaps(skin, clear).gaps.min() > -0.008
    apart = np.where(np.isfinite(after.meeting.lack), -after.meeting.lack, 0.3)[met]
    assert np.median(apart) < 0.05
    assert after.meeting.overlap.max() < min(0.010, before.meeting.overlap.max())


def test_an_arm_is_not_pushed_beyond_its_reach() -> None:
    rig, settings = rig_of("short and stout"), CorrectionSettings()
    crossed = np.array([-0.1, 0.9, 0.2])
    clip = reaching(np.tile([[crossed, crossed * [-1, 1, 1]]], (90, 1, 1)))
    raw = retarget(clip, ks.default_rig(), rig, None, ks.default_rig().footing)
    before = touching_of(clip, skin_of("default"), 0.8)
    work = _Clearing(raw, skin_of("short and stout"), before, ClearingSettings())
    for side, correction in work.run().items():
        arm = work.arms[side]
        wrists, _ = corrected_arm(arm, correction, settings)
        assert np.abs(correction[:, :3]).max() > 0.01
        assert np.abs(arm.wrists + correction[:, :3] - wrists).max() < 0.002


def broken_mesh(kind: str) -> Figure:
    figure = figure_of("stout")
    triangles = figure.triangles.copy()
    if kind == "one triangle":
        triangles = triangles[:1]
    elif kind == "pieces":
        triangles = triangles[np.random.default_rng(0).random(len(triangles)) < 0.7]
    else:
        triangles[::2] = triangles[::2, ::-1]
    return replace(figure, triangles=triangles)


@pytest.mark.parametrize(
    ("kind", "from_mesh"), [("one triangle", False), ("pieces", True), ("half inside out", True)]
)
def test_a_broken_mesh_still_takes_a_motion(
    kind: str, from_mesh: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("broken") / "broken.glb"
    path.write_bytes(figure_bytes(broken_mesh(kind)))
    hero = ks.load_character(path)
    assert hero.skin.from_mesh == from_mesh
    moved = ks.retarget(ks.Take(performed().frames(0, 120)), hero)
    hips = performed().world_positions[0, 0]
    reach = np.abs(wrists(moved.clip, hero.rig) - hips).max()
    assert 0.1 < reach < 1.2


def test_arms_far_from_the_body_keep_every_number() -> None:
    time = np.linspace(0, 1, 40)[:, None]
    left = np.array([0.45, 1.2, 0.35]) + time * [0.1, 0.1, 0.0]
    clip = reaching(np.stack([left, left * [-1, 1, 1]], axis=1))
    rig = rig_of("stout")
    raw = retarget(clip, ks.default_rig(), rig, None, ks.default_rig().footing)
    clear = clear_arms(raw, skin_of("stout"), clip, skin_of("default"))
    assert np.array_equal(clear.rotations, raw.rotations)


def test_hands_that_pass_through_each_other_go_back_to_their_sides() -> None:
    time = np.linspace(0, 2 * np.pi, 180)[:, None]
    left = np.array([0.22, 1.15, 0.38]) - (1 - np.cos(time)) * [0.06, 0.0, 0.0]
    clip, through = (
        reaching(np.stack([path, path * [-1, 1, 1]], axis=1))
        for path in (left, left - (1 - np.cos(time)) * [0.06, 0.0, 0.0])
    )
    rig, skin = ks.default_rig(), skin_of("default")
    assert touching_of(clip, skin).meeting.overlap.max() == 0.0
    assert touching_of(through, skin).meeting.overlap.max() > 0.03
    clear = clear_arms(through, skin, clip, skin)
    after = touching_of(clear, skin).meeting
    assert after.overlap.max() < 0.006
    assert np.all(wrists(clear, rig)[:, 0, 0] > wrists(clear, rig)[:, 1, 0])
    assert accelerations(clear, rig).max() < 12.0


def test_left_and_right_are_treated_alike() -> None:
    time = np.linspace(0, 2 * np.pi, 120)[:, None]
    left = np.array([0.17, 1.1, 0.25]) - (1 - np.cos(time)) * [0.0, 0.0, 0.05]
    clip = reaching(np.stack([left, left * [-1, 1, 1]], axis=1))
    rig = rig_of("stout")
    raw = retarget(clip, ks.default_rig(), rig, None, ks.default_rig().footing)
    found = wrists(clear_arms(raw, skin_of("stout"), clip, skin_of("default")), rig)
    assert np.abs(found - wrists(raw, rig)).max() > 0.02
    assert np.abs(found[:, 0] - found[:, 1] * [-1, 1, 1]).max() < 0.015


def test_a_body_without_a_mesh_is_cleared_by_its_bones() -> None:
    rig = rig_of("stout")
    by_bones = body_skin(rig)
    time = np.linspace(0, 2 * np.pi, 120)[:, None]
    left = np.array([0.12, 1.1, 0.12]) - (1 - np.cos(time)) * [0.0, 0.0, 0.06]
    inside = reaching(np.stack([left, left * [-1, 1, 1]], axis=1))
    source = reaching(np.stack([left, left * [-1, 1, 1]], axis=1) + [0.0, 0.0, 0.15])
    raw = retarget(inside, ks.default_rig(), rig, None, ks.default_rig().footing)
    clear = clear_arms(raw, by_bones, source, by_bones_of_default())
    assert arm_gaps(by_bones, raw).gaps.min() < -0.03
    assert arm_gaps(by_bones, clear).gaps.min() > -0.006


def by_bones_of_default() -> BodySkin:
    return body_skin(ks.default_rig())


def test_spread_corrections_are_never_smaller_and_end_smoothly(rng: np.random.Generator) -> None:
    push = np.zeros((200, 4))
    push[80:100] = 0.03 * np.sin(np.linspace(0, np.pi, 20))[:, None] * [0.6, 0.0, 0.8, 0.0]
    push[140] = [0.0, 0.02, 0.0, 0.0]
    settings = CorrectionSettings()
    found = spread_in_time(push, FPS, settings)
    size, wanted = np.linalg.norm(found, axis=1), np.linalg.norm(push, axis=1)
    assert np.all(size[:110] >= wanted[:110] - 1e-4)
    assert np.abs(np.diff(found, n=2, axis=0)).max() * FPS**2 < 6.0
    assert np.abs(found[:40]).max() < 1e-9
    assert not spread_in_time(np.zeros((5, 4)), FPS, settings).any()


def test_retargeting_a_take_uses_the_mesh_of_the_file(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    path = write_body(BUILDS["stout"], tmp_path_factory.mktemp("made") / "stout.glb")
    hero = ks.load_character(path)
    assert hero.skin.from_mesh
    moved = ks.retarget(ks.Take(performed()), hero)
    found = ks.evaluate(moved)
    assert found.faults["hand_in_body_share"] < 0.01
    assert any("mesh" in note for note in found.notes)
    as_it_was = ks.retarget(ks.Take(performed()), hero, settings=RetargetSettings(clear_arms=False))
    assert ks.evaluate(as_it_was).faults["hand_in_body_share"] > 0.25
    # By bones alone the same hands would seem to be outside.
    blind = ks.evaluate(ks.Take(as_it_was.clip, provenance=dict(as_it_was.provenance)))
    assert blind.faults["hand_in_body_share"] < 0.3
    assert not any("mesh" in note for note in blind.notes)


def test_retargeting_to_an_equal_body_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    path = tmp_path_factory.mktemp("same") / "same.glb"
    ks.idle(0.5).save(path)
    moved = ks.retarget(ks.Take(performed()), path)
    assert np.abs(moved.clip.world_positions - performed().world_positions).max() < 1e-4


def test_depths_count_both_hands_and_are_zero_outside() -> None:
    rig, figure = ks.default_rig(), default_figure()
    away = np.tile(np.array([[0.5, 1.2, 0.3], [-0.5, 1.2, 0.3]]), (3, 1, 1))
    outside = mesh_depths(reaching(away), rig, figure)
    assert not outside.in_body.any()
    assert not outside.in_hand.any()
    deep = away.copy()
    deep[:, 1] = [-0.05, 1.2, 0.02]
    found = mesh_depths(reaching(deep), rig, figure)
    assert not found.in_body[:, 0].any()
    assert found.in_body[:, 1].min() > 0.05
