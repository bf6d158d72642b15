"""Acts and events: what counts as still, how long things are, and how far hands go."""

from __future__ import annotations

import numpy as np
import pytest

from kinesphere.animation.arms.hand_events import HandEvent, distance
from kinesphere.animation.arms.poses.rest_poses import rest_poses
from kinesphere.gesture.phases import PHASE_KINDS
from kinesphere.motion.body.arms import SIDES

HOME = rest_poses(["at-side"], plain=True)["at-side"]


@pytest.mark.parametrize("kind", PHASE_KINDS)
def test_only_holds_and_rests_are_still_and_only_if_they_are_no_beats(kind: str) -> None:
    event = HandEvent(kind, 1.0, 1.6, HOME)
    assert event.length_s == pytest.approx(0.6)
    assert event.still == (kind in ("hold", "rest"))
    assert not HandEvent(kind, 1.0, 1.6, HOME, beat=True).still


def test_an_event_is_of_both_hands_unless_one_leads() -> None:
    assert HandEvent("stroke", 0.0, 1.0, HOME).lead == SIDES


def test_distance_is_that_of_the_hand_that_goes_farther() -> None:
    moved = {
        "left": HOME["left"].shift(np.array([0.3, 0.0, 0.4])),
        "right": HOME["right"].shift(np.array([0.0, 0.2, 0.0])),
    }
    assert distance(HOME, moved) == pytest.approx(0.5)
    assert distance(moved, HOME) == pytest.approx(0.5)
    assert distance(HOME, HOME) == 0.0
    farther = {side: pose.shift(np.array([0.0, 0.0, 0.1])) for side, pose in moved.items()}
    assert distance(HOME, farther) <= distance(HOME, moved) + distance(moved, farther) + 1e-12


def test_a_way_by_points_is_as_long_as_its_parts() -> None:
    aside = HOME["left"].wrist + np.array([[0.0, 0.3, 0.0], [0.4, 0.3, 0.0]])
    assert distance(HOME, HOME, {"left": aside}) == pytest.approx(0.3 + 0.4 + 0.5)
    assert distance(HOME, HOME, {}) == 0.0
