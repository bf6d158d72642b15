"""Moods against measured styles: sign and rough size of speed, duration, lean and head.

The figures are those measured on acted styles (multipliers of speed; degrees of lean and head,
forward and down positive), with the scatter that the measurement states.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.character.take_rig import report_of
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.maths.filters import low_pass
from kinesphere.motion.body.arms import SIDES, measure_arm
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.kinematics import speeds

# style: peak speed, lean, head; None where the measurement is within its scatter of nothing.
STYLES: dict[str, tuple[float | None, float | None, float | None]] = {
    "angry": (2.1, 7, None),
    "happy": (1.4, None, None),
    "active": (2.36, None, -8),
    "youthful": (1.51, None, -18),
    "proud": (0.9, None, -5),
    "sad": (0.42, None, 23),
    "not confident": (0.39, 16, 32),
    "elderly": (0.31, 22, 12),
    "exhausted": (0.87, 5, 38),
    "tired": (None, 26, 17),
}


def pitch(clip: Clip, rig: Rig, bone: str) -> float:
    turn = rig.turn(clip.world_rotations, rig.joint(bone))
    up = quaternion.rotate(turn, [0.0, 1.0, 0.0])
    return float(np.degrees(np.arctan2(up[:, 2], up[:, 1])).mean())


def peak(clip: Clip, rig: Rig) -> float:
    found: list[Floats] = []
    for side in SIDES:
        path = low_pass(measure_arm(clip, rig, side).wrists, 10.0, clip.fps)
        found.append(speeds(path, clip.fps))
    return float(np.percentile(np.maximum(*found), 98))


@pytest.mark.parametrize("style", STYLES)
def test_a_mood_has_the_sign_and_rough_size_of_the_measured_one(data: Path, style: str) -> None:
    wanted_speed, wanted_lean, wanted_head = STYLES[style]
    speed, lean, head = [], [], []
    for name in (
        "Gestures/ChrBrad@Idle01_BeatHighBt01",
        "Gestures/ChrBrad@Idle01_ChopBoth01",
        "FemaleGestures/*StopLeftBt01",
    ):
        file = next((data / "smartbody").glob(f"{name}.skm"))
        take = ks.load(file)
        rig = report_of(take).rig
        out = ks.express(take, manner=style)
        speed.append(peak(out.clip, rig) / peak(take.clip, rig))
        lean.append(pitch(out.clip, rig, "chest") - pitch(take.clip, rig, "chest"))
        head.append(pitch(out.clip, rig, "head") - pitch(take.clip, rig, "head"))
    if wanted_speed is not None:
        ratio = float(np.exp(np.mean(np.log(speed))))
        if wanted_speed > 1.2:
            assert ratio > 1.15
        elif wanted_speed < 0.8:
            assert ratio < 0.93
        else:
            assert 0.7 < ratio < 1.2
    if wanted_lean is not None:
        # One take a style: the measured lean is good to 7 degrees.
        assert 0.3 * wanted_lean < np.mean(lean) < max(2.2 * wanted_lean, wanted_lean + 7.0)
    if wanted_head is not None:
        got = float(np.mean(head))
        assert np.sign(got) == np.sign(wanted_head)
        assert 0.3 * abs(wanted_head) < abs(got) < 2.5 * abs(wanted_head)
