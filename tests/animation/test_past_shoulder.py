"""Raised hands on their way home: past their own shoulder without a jump of wrist or elbow."""

from __future__ import annotations

import numpy as np
import pytest

from kinesphere.animation.performance import perform_script
from kinesphere.figure.arms.corrections import ease_forward, past_shoulder, within_arm
from kinesphere.gesture.positions import HandPosition
from kinesphere.gesture.script import GestureScript, ScriptGesture, ScriptUnit
from kinesphere.maths.arrays import Floats
from kinesphere.maths.curves import minimum_jerk
from kinesphere.motion.clip import Clip

FPS = 60.0
# Raised hands near the head, where they go, and a seed that once led straight past the shoulder.
WAYS = (
    ("above-head", "close", "side", "orthogonal", "at-side", 30),
    ("above-head", "touch", "out", "touch", "at-side", 15),
    ("above-head", "touch", "inward", "orthogonal", "at-side", 2),
    ("above-head", "close", "front", "out", "at-side", 25),
    ("above-head", "touch", "inward", "out", "at-side", 1),
    ("head", "touch", "out", "normal", "folded", 72),
    ("above-head", "touch", "inward", "touch", "behind-back", 3),
)


def raised(height: str, far: str, radial: str, elbow: str, rest: str, seed: int, hand: str) -> Clip:
    there = HandPosition(height, far, radial, elbow)  # type: ignore[arg-type]
    gesture = ScriptGesture(
        "Cup",
        hand,  # type: ignore[arg-type]
        "prep+stroke+hold",
        stroke_end_s=3.0,
        stroke_s=0.4,
        hold_s=0.3,
        start=there,
        end=there,
    )
    script = GestureScript((ScriptUnit((gesture,), rest),))
    return perform_script(script, fps=FPS, seed=seed, end_s=6.0).clip


def largest(places: Floats) -> tuple[float, float]:
    """Speed and acceleration from frame to frame, m/s and m/s2."""
    steps = np.diff(places, axis=0) * FPS
    jolts = np.diff(steps, axis=0) * FPS
    return tuple(float(np.linalg.norm(x, axis=1).max()) for x in (steps, jolts))  # type: ignore[return-value]


@pytest.mark.parametrize("hand", ["LH", "RH"])
@pytest.mark.parametrize("way", WAYS, ids=lambda way: "-".join(map(str, way)))
def test_a_raised_hand_goes_home_without_a_jump(
    way: tuple[str, str, str, str, str, int], hand: str
) -> None:
    """On straight paths past the shoulder, hands had 6.7 m/s and 345 m/s2, elbows 6.4 and 221."""
    clip = raised(*way, hand)
    side = "left" if hand == "LH" else "right"
    for joint, fastest in (("Hand", 3.0), ("LowerArm", 4.5)):
        speed, jolt = largest(clip.joint_positions(f"{side}{joint}"))
        assert speed < fastest
        assert jolt < 60.0


def path(start: Floats, end: Floats) -> Floats:
    """A second of movement between half seconds of rest."""
    r = minimum_jerk(np.clip(np.linspace(-0.5, 1.5, 121), 0.0, 1.0))[:, None]
    return np.asarray(start + r * (end - start))


def test_a_path_bends_before_its_shoulder_in_time_and_no_less_than_needed() -> None:
    wrists = path(np.array([0.05, 0.3, 0.05]), np.array([0.05, -0.45, 0.0]))
    needed = past_shoulder(wrists, 0.2)
    assert (needed > 0.0).any()
    ahead = ease_forward(needed, FPS)
    assert (ahead >= needed - 1e-12).all()
    bent = wrists + ahead[:, None] * [0.0, 0.0, 1.0]
    assert np.linalg.norm(bent, axis=1).min() > 0.2 - 1e-9
    assert largest(bent)[1] < largest(wrists)[1] + 12.0
    first = int(np.argmax(needed > 0.0))
    assert 0.0 < ahead[first - 6] < ahead[first]
    # Hands that keep away are left to the bit.
    away = path(np.array([0.2, 0.3, 0.2]), np.array([0.2, -0.4, 0.2]))
    assert not ease_forward(past_shoulder(away, 0.2), FPS).any()


def test_an_arm_is_not_straightened_beyond_its_length() -> None:
    wrists = path(np.array([0.1, 0.2, 0.2]), np.array([0.3, 0.6, 0.3]))
    length = np.linalg.norm(wrists, axis=1)
    assert length.max() > 0.6
    near = within_arm(wrists, 0.45, 0.5)
    assert np.linalg.norm(near, axis=1).max() < 0.5
    assert np.array_equal(near[length <= 0.45], wrists[length <= 0.45])
    assert np.allclose(np.cross(near, wrists), 0.0)
    # A wrist that was farther away already stays there.
    assert np.array_equal(within_arm(wrists, length, 0.5), wrists)
