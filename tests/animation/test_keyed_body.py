"""Tracks of a performance: saved, read again and sampled without the script."""

from __future__ import annotations

import json

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.animation.keyed_body import channel_of, clip_of_tracks
from kinesphere.animation.performance import Performed, perform_script
from kinesphere.animation.settings import ActingSettings
from kinesphere.errors import InvalidValueError
from kinesphere.gesture.script import GestureScript, ScriptGesture, ScriptUnit, Turn
from kinesphere.motion.keyed.keyed_motion import KeyedMotion

RIG = ks.default_rig()


@pytest.fixture(scope="module")
def done() -> Performed:
    rows = tuple(
        ScriptGesture(lexeme, hands, "prep+stroke+hold", stroke_end_s=end, stroke_s=0.4, hold_s=0.4)
        for lexeme, hands, end in (
            ("Cup", "RH", 1.8),
            ("Wipe", "2H", 3.4),
            ("Progressive", "LH", 5.0),
        )
    )
    turns = (Turn("left", 2.0), Turn("front", 4.0))
    script = GestureScript((ScriptUnit(rows),), turns, (Turn("left", 1.6), Turn("front", 3.6)))
    return perform_script(script, settings=ActingSettings(paper=True))


def test_saved_tracks_give_the_same_clip(done: Performed) -> None:
    read = KeyedMotion.of(json.loads(json.dumps(done.keyed.document())))
    a, b = clip_of_tracks(done.keyed), clip_of_tracks(read)
    np.testing.assert_array_equal(a.rotations, b.rotations)
    np.testing.assert_array_equal(a.root_positions, b.root_positions)


def test_hands_of_the_tracks_are_those_of_the_performance(done: Performed) -> None:
    clip = clip_of_tracks(done.keyed, gain=0.0)
    n = min(len(clip), len(done.clip))
    for bone in ("leftHand", "rightHand"):
        joint = RIG.joint(bone)
        away = clip.world_positions[:n, joint] - done.clip.world_positions[:n, joint]
        # Breath and clearance are not in the tracks.
        assert np.median(np.linalg.norm(away, axis=1)) < 0.01
        assert np.linalg.norm(away, axis=1).max() < 0.05


def test_an_edited_track_moves_the_clip(done: Performed) -> None:
    document = done.keyed.document()
    document["tracks"]["rightWrist"]["first"][1] += 0.1
    moved = clip_of_tracks(KeyedMotion.of(document))
    before = clip_of_tracks(done.keyed)
    joint = RIG.joint("rightHand")
    rise = moved.world_positions[:, joint, 1] - before.world_positions[:, joint, 1]
    assert np.median(rise) == pytest.approx(0.1, abs=0.02)


def test_every_track_has_its_channel(done: Performed) -> None:
    apart = {"tension", "balance"}
    assert {name for name in done.keyed.tracks if not channel_of(name)} == apart
    channels = {channel_of(name) for name in done.keyed.tracks} - {""}
    assert channels == {"Body", "Hands", "Rotation", "Offset", "Gaze Direction"}


def test_gaze_and_tension_follow_script_and_phases(done: Performed) -> None:
    gaze = done.keyed.tracks["gaze"]([1.0, 2.5, 4.5])
    assert gaze[0, 0] == gaze[2, 0] == 0.0
    assert gaze[1, 0] > 0.3
    strokes = [act.time.end_s - 0.05 for act in done.acts]
    assert np.all(done.keyed.tracks["tension"](strokes) > 0.2)


def test_a_missing_track_is_named(done: Performed) -> None:
    some = {k: v for k, v in done.keyed.tracks.items() if k != "leftSwivel"}
    with pytest.raises(InvalidValueError, match="leftSwivel"):
        clip_of_tracks(KeyedMotion(tracks=some))
