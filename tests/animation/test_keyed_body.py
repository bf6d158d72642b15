"""Tracks of a performance, and their channels."""

from __future__ import annotations

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.animation.keyed_body import channel_of
from kinesphere.animation.performance import Performed, perform_script
from kinesphere.animation.settings import ActingSettings
from kinesphere.gesture.script import GestureScript, ScriptGesture, ScriptUnit, Turn

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


def test_every_track_has_its_channel(done: Performed) -> None:
    apart = {"tension"}
    assert {name for name in done.keyed.tracks if not channel_of(name)} == apart
    channels = {channel_of(name) for name in done.keyed.tracks} - {""}
    assert channels == {"Body", "Hands", "Rotation", "Offset", "Gaze Direction"}


def test_gaze_and_tension_follow_script_and_phases(done: Performed) -> None:
    gaze = done.keyed.tracks["gaze"]([1.0, 2.5, 4.5])
    assert gaze[0, 0] == gaze[2, 0] == 0.0
    assert gaze[1, 0] > 0.3
    strokes = [act.time.end_s - 0.05 for act in done.acts]
    assert np.all(done.keyed.tracks["tension"](strokes) > 0.2)
