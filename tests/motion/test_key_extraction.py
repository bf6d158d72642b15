"""Keys from motion: found where they are, and near enough to be the motion."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kinesphere.animation.arms.poses.home_pose import home_clip
from kinesphere.character.default import default_rig
from kinesphere.character.take_rig import report_of
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import SIDES, measure_arm
from kinesphere.motion.calibration import without_calibration
from kinesphere.motion.keyed.key_extraction import ExtractionSettings, extract_keys, movement_bounds
from kinesphere.motion.keyed.keyed_motion import ArmKeys, KeyedMotion
from kinesphere.motion.keyed.sampling import apply_keys, sample_arm
from kinesphere.pipeline.convert import load
from tests.motion.test_keyed import PLACES


def test_known_keys_are_found_again() -> None:
    rig = default_rig()
    times = np.array([0.3, 1.1, 2.0, 2.9])
    keys = ArmKeys(times, PLACES[[0, 1, 4, 0]], [0.4] * 4)
    clip = apply_keys(KeyedMotion(right=keys), home_clip(200, 60.0), rig)
    found = extract_keys(measure_arm(clip, rig, "right"), 60.0)
    goals = found.keys.goal_times
    for t in times:
        assert np.abs(goals - t).min() < 0.12
    assert found.errors.max() < 0.015
    # The keys alone give the motion back.
    again = sample_arm(found.keys, measure_arm(clip, rig, "right").limb, clip.times)
    assert np.array_equal(again.wrists, found.sample.wrists)


def test_bounds_at_minima_and_around_holds() -> None:
    t = np.arange(0, 4, 1 / 60)

    def bump(at: float) -> Floats:
        return np.asarray(np.exp(-0.5 * ((t - at) / 0.12) ** 2))

    bounds = movement_bounds(bump(0.8) + 0.8 * bump(1.4) + bump(3.0), 60.0) / 60.0
    assert np.abs(bounds - 1.1).min() < 0.05  # between two peaks without a stop
    hold = bounds[(bounds > 1.6) & (bounds < 2.8)]
    assert len(hold) == 2
    assert np.diff(hold)[0] > 0.5
    assert bounds[0] == 0.0
    assert bounds[-1] == t[-1]


@pytest.mark.parametrize("frames", [1, 2, 3, 8])
def test_short_clips(frames: int) -> None:
    found = extract_keys(measure_arm(home_clip(frames, 30.0), default_rig(), "left"), 30.0)
    assert found.errors.max() < 1e-3


def test_recordings_are_met_within_the_stated_error(data: Path) -> None:
    worst, squares = [], []
    files = [data / "cmu" / "18_08.bvh", data / "cmu" / "18_09.bvh"]
    files += sorted((data / "smartbody").glob("*/*.skm"))[::25]
    for file in files:
        take = load(file)
        rig, clip = report_of(take).rig, without_calibration(take.clip)
        for side in SIDES:
            found = extract_keys(measure_arm(clip, rig, side), clip.fps)
            worst.append(found.errors.max())
            squares.append(np.mean(found.errors**2))
    assert np.median(worst) < 0.016
    assert max(worst) < 0.06
    assert np.sqrt(np.mean(squares)) < 0.008
    loose = ExtractionSettings(error_m=0.05)
    few = extract_keys(measure_arm(clip, rig, "right"), clip.fps, loose)
    assert len(few.keys) <= len(found.keys)
