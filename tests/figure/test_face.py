"""Layers of a face: one rule for each kind of channel, and cues from observations."""

from __future__ import annotations

import numpy as np
import pytest

from kinesphere.errors import InvalidValueError
from kinesphere.figure.head import gaze_cues
from kinesphere.figure.head.blinks import BrowSettings
from kinesphere.figure.head.face import layer_face
from kinesphere.figure.head.gaze_cues import PAUSE, RAISE, SYLLABLE
from kinesphere.maths.arrays import Floats
from tests.animation.live_speech import lasting_pause, pause, stress, syllable

FPS = 20.0


def bump(frames: int, first: int, last: int, height: float) -> Floats:
    values = np.zeros(frames)
    values[first:last] = height
    return values


def test_mouths_are_replaced_lids_closed_most_and_others_added() -> None:
    under = {"aa": np.full(3, 0.9), "blink": np.array([0.0, 0.5, 1.0]), "happy": np.full(3, 0.6)}
    over = {"aa": np.full(3, 0.2), "blink": np.array([0.3, 0.3, 0.3]), "happy": np.full(3, 0.7)}
    found = layer_face(under, {**over, "sad": np.ones(3)}, FPS)
    assert found["aa"].tolist() == [0.2] * 3
    assert found["blink"].tolist() == [0.3, 0.5, 1.0]
    assert found["happy"].tolist() == [1.0] * 3
    assert found["sad"].tolist() == [1.0] * 3
    assert under["happy"].tolist() == [0.6] * 3
    assert layer_face(under, {}, FPS) == under


def test_brows_are_raised_once() -> None:
    """Raises of speech within half a second of one of a gesture are left out, the others kept."""
    gesture = bump(100, 30, 40, 0.4)
    near, far = bump(100, 45, 52, 0.7), bump(100, 60, 70, 0.7)
    found = layer_face({"browUp": gesture}, {"browUp": near + far}, FPS)["browUp"]
    assert np.array_equal(found, gesture + far)
    assert np.array_equal(layer_face({}, {"browUp": near}, FPS)["browUp"], near)
    unseen = layer_face({"browUp": 0.01 + 0.0 * gesture}, {"browUp": near}, FPS)["browUp"]
    assert unseen.max() == 0.7


def test_observations_become_cues_when_they_are_known() -> None:
    heard = [(syllable(1.0), stress(1.2), pause(2.0), lasting_pause(2.5)), (), (stress(0.3),)]
    brows = BrowSettings(height=0.5, live_ratio=1.0)
    cues = gaze_cues.heard_cues(heard, 0.25, 3, brows)
    rows = [(c, t, k, v) for c, t, k, v, *_ in cues.tolist()]
    assert rows == [
        (0, 1.25, SYLLABLE, 0.0),
        (0, 1.45, SYLLABLE, 0.0),
        (0, 1.45, RAISE, 0.5),
        (0, 2.25, PAUSE, 0.0),
        (2, 0.55, SYLLABLE, 0.0),
        (2, 0.55, RAISE, 0.5),
    ]
    early = gaze_cues.heard_cues(heard, -2.0, 3, brows)[:, 1]
    assert early == pytest.approx([0.7, 0.9, 0.84, 1.75, 0.0, -0.06])  # when they happen
    with pytest.raises(InvalidValueError, match="observations of 2 voices, expected those of 3"):
        gaze_cues.heard_cues([(), ()], 0.25, 3, brows)


def test_cues_of_each_character_are_in_order_of_time_and_kind() -> None:
    rows = [(2.0, SYLLABLE), (1.0, RAISE, 0.5), (2.0, PAUSE)]
    cues = gaze_cues.join_cues(gaze_cues.no_cues(), gaze_cues.cue_rows(rows, 1))
    cues = gaze_cues.join_cues(cues, gaze_cues.cue_rows([(5.0, PAUSE)], 0))
    first, ordered = gaze_cues.by_character(cues, 3)
    assert first.tolist() == [0, 1, 4, 4]
    assert ordered[:, :2].tolist() == [[5.0, PAUSE], [1.0, RAISE], [2.0, PAUSE], [2.0, SYLLABLE]]
    assert gaze_cues.cues_after(cues, 2.0)[:, 1].tolist() == [5.0]
