"""Edits and retargeting of whole takes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.character.take_rig import report_of
from kinesphere.maths import quaternion as quat
from kinesphere.timeline import Interval, Tier
from tests.character.test_naming import bones_along_x
from tests.conftest import smooth_clip

FLIP = np.array([-1.0, 1.0, 1.0])


def test_mirroring_does_not_care_for_the_rest_pose(rng: np.random.Generator) -> None:
    odd, truth = bones_along_x(rng)
    mirrored = ks.edit(ks.Take(odd), ks.Edits(mirrored=True)).clip
    for name in ("leftHand", "head", "rightFoot", "leftLowerArm"):
        partner = name.replace("left", "RIGHT").replace("right", "left").replace("RIGHT", "right")
        error = np.abs(mirrored.joint_positions(partner) - truth.joint_positions(name) * FLIP)
        # The frame taken as rest is not quite symmetric itself.
        assert error.max() < 0.16, name


def test_a_cut_takes_sound_and_marks_along(rng: np.random.Generator) -> None:
    clip = smooth_clip(ks.default_skeleton(), rng, frames=181)
    sound = ks.Audio(np.arange(48000) / 48000, 16000)
    take = ks.Take(clip, sound, (Tier("words", (Interval(1.2, 1.5, "now"),)),))
    part = ks.edit(take, ks.Edits(start_s=1.0, end_s=2.0))
    assert len(part.clip) == 61
    assert part.audio is not None
    assert len(part.audio.samples) == pytest.approx(16000, abs=300)
    assert part.audio.samples[0] == pytest.approx(1 / 3, abs=1e-3)
    assert part.tiers[0].intervals[0].start_s == pytest.approx(0.2)
    assert ks.edit(take, ks.Edits()) is take


def test_bones_stay_declared_after_retargeting(rng: np.random.Generator, tmp_path: Path) -> None:
    base = ks.default_skeleton()
    names = tuple(f"node{i}" for i in range(len(base)))
    strange = ks.Rig(ks.Skeleton(names, base.parents, base.offsets), ks.default_rig().bones)
    moved = ks.retarget(ks.Take(smooth_clip(base, rng, size=0.1)), strange)
    assert report_of(moved).rig.bones == strange.bones
    for ending in ("kin", "glb"):
        moved.save(tmp_path / f"a.{ending}")
        assert len(report_of(ks.load(tmp_path / f"a.{ending}")).rig.bones) == 55


def test_geno_both_ways(data: Path) -> None:
    """Its zero pose has arms and collar bones straight up; its second frame does not."""
    source = data / "smartbody" / "Gestures" / "ChrBrad@Idle01_Think01.skm"
    hero = ks.load_character(data / "characters" / "geno" / "Geno_bind.bvh")
    moved = ks.retarget(ks.load(source), hero).clip
    places = moved.world_positions
    left, right = (places[:, hero.rig.joint(f"{s}UpperArm")] for s in ("left", "right"))
    assert np.linalg.norm(left - right, axis=1).min() > 0.25
    assert (
        places[:, hero.rig.joint("head"), 1] > places[:, hero.rig.joint("leftUpperArm"), 1]
    ).all()


def test_looking_ahead_turns_nothing_on_a_character_that_faces_backward(data: Path) -> None:
    from kinesphere.motion.body.look_at import look_at

    rig = ks.load_character(data / "characters" / "Godette_vrm_v4.vrm").rig
    skeleton, neck = rig.skeleton, rig.joint("neck")
    parent = skeleton.rest_world_rotations[int(skeleton.parents[neck])]
    place = skeleton.rest_world_positions[neck]
    eyes = skeleton.rest_world_positions[rig.joint("head")]
    ahead = eyes + np.array([0.0, 0.0, -5.0])
    turns = look_at(rig, parent, place, ahead)
    rest = skeleton.rest_rotations[[neck, rig.joint("head")]]
    assert np.degrees(quat.angle_between(np.stack(turns), rest)).max() < 5.0


def test_marks_of_a_mirrored_take_are_of_the_other_hand(tmp_path: Path) -> None:
    from kinesphere.animation.performance import perform_script
    from kinesphere.gesture.script import GestureScript, ScriptGesture, ScriptUnit

    one = ScriptGesture("Cup", "RH", "prep+stroke", stroke_end_s=1.6, stroke_s=0.4)
    done = perform_script(GestureScript((ScriptUnit((one,)),)), fps=30.0)
    take = ks.Take(done.clip, tiers=done.tiers, documents={"script": "…", "keyed": {}})
    mirrored = ks.edit(take, ks.Edits(mirrored=True))
    assert [i.label for i in mirrored.tier("gestures") or ()] == ["Cup LH"]
    before, after = take.tier("phases right"), mirrored.tier("phases left")
    assert before is not None
    assert after is not None
    assert before.intervals == after.intervals
    assert dict(mirrored.documents) == {}
    twice = ks.edit(mirrored, ks.Edits(mirrored=True))
    assert twice.tier("gestures") == take.tier("gestures")
