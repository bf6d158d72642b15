"""Effort and Shape live, and options that change on the way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kinesphere.bodylanguage.play import engine
from kinesphere.bodylanguage.play.live_expression import LiveExpression
from kinesphere.bodylanguage.play.live_options import LiveOptions
from kinesphere.character.default import default_rig
from kinesphere.character.joint_limits import limit_excess
from kinesphere.errors import InvalidValueError
from kinesphere.evaluation.artefacts import hands_in_body
from kinesphere.expression.qualities import Effort, Shape
from kinesphere.maths.arrays import Floats
from kinesphere.motion.clip import Clip
from kinesphere.pipeline.models import model

RATE, FPS = 16_000.0, 30.0


def bursts(seconds: float) -> Floats:
    """Something like syllables: a hum of changing pitch that swells four times a second."""
    t = np.arange(int(seconds * RATE)) / RATE
    pitch = 2 * np.pi * np.cumsum(130.0 + 25.0 * np.sin(2 * np.pi * 0.7 * t)) / RATE
    voice = sum(np.sin(k * pitch) / k for k in range(1, 9))
    return np.asarray(0.1 * voice * np.maximum(0.02, np.sin(2 * np.pi * 2.0 * t) ** 2))


MANY = 6


def performed(expression: LiveExpression, seconds: float = 8.0) -> Clip:
    """Several characters' takes, one after the other."""
    options = LiveOptions(expression=expression)
    state = engine.start(model("house"), RATE, fps=FPS, options=options, characters=MANY)
    _, frames = engine.step(state, np.tile(bursts(seconds), (MANY, 1)))
    roots, rotations = frames.root_positions, frames.rotations
    return Clip(
        default_rig().skeleton,
        FPS,
        roots.reshape(-1, 3),
        rotations.reshape(-1, *rotations.shape[2:]),
    )


def hands(clip: Clip) -> np.ndarray:
    return clip.world_positions[:, default_rig().joints(("leftHand", "rightHand"))]


@pytest.fixture(scope="module")
def neutral() -> Clip:
    return performed(LiveExpression())


def test_neutral_is_nothing(neutral: Clip) -> None:
    e = LiveExpression()
    assert (e.pace, e.size, e.softness) == (1.0, 1.0, 1.0)
    assert not e.turns().any()
    assert not e.shapes_arms()
    assert neutral == performed(LiveExpression(Effort(space=1.0)))


@pytest.mark.parametrize(
    "shape",
    [
        Shape(vertical=-1.0),
        Shape(vertical=0.6),
        Shape(horizontal=-1.0),
        Shape(horizontal=1.0),
        Shape(sagittal=-1.0),
        Shape(sagittal=0.6),
        Shape(reach=1.0),
    ],
)
def test_shape_moves_hands_its_way_and_keeps_the_body_whole(neutral: Clip, shape: Shape) -> None:
    shaped = performed(LiveExpression(shape=shape, torso=replace(shape, reach=0.0)))
    away = (hands(shaped) - hands(neutral)).mean(axis=0)
    if shape.vertical:
        assert (away[:, 1] * -np.sign(shape.vertical) > 0.02).all()
    if shape.horizontal:
        assert (away[:, 0] * np.array([1.0, -1.0]) * -np.sign(shape.horizontal) > 0.02).all()
    if shape.sagittal:
        assert (away[:, 2] * -np.sign(shape.sagittal) > 0.01).all()
    rig = default_rig()
    assert hands_in_body(shaped, rig).share < 0.01
    # Of all joints only upper arms are not held to their limits.
    assert max(np.degrees(v.max()) for v in limit_excess(shaped, rig).values()) < 8.0


def test_wrists_of_the_left_mirror_the_right() -> None:
    e = LiveExpression(shape=Shape(0.4, -0.6, 0.3, 0.5))
    points = np.random.default_rng(0).normal(scale=0.3, size=(20, 2, 3))
    mirrored = points[:, ::-1] * np.array([-1.0, 1.0, 1.0])
    np.testing.assert_allclose(
        e.wrists(mirrored), e.wrists(points)[:, ::-1] * np.array([-1.0, 1.0, 1.0]), atol=1e-6
    )


def test_sudden_is_faster_and_strong_larger(neutral: Clip) -> None:
    def speed(clip: Clip) -> float:
        parts = hands(clip).reshape(MANY, -1, 2, 3)
        return float(np.linalg.norm(np.diff(parts, axis=1), axis=-1).mean())

    sudden = performed(LiveExpression(Effort(time=1.0)))
    sustained = performed(LiveExpression(Effort(time=-1.0)))
    assert speed(sustained) < speed(neutral) < speed(sudden)
    strong = performed(LiveExpression(Effort(weight=1.0)))
    light = performed(LiveExpression(Effort(weight=-1.0)))
    assert speed(light) < speed(strong)


def test_changed_options_take_effect_without_a_jump() -> None:
    sound = bursts(8.0)
    after = LiveOptions(amount=0.3, expression=LiveExpression(Effort(time=0.6), Shape(vertical=-1)))
    state = engine.start(model("house"), RATE, fps=60.0)
    state, first = engine.step(state, sound[: int(4 * RATE)])
    state = engine.change_options(state, after)
    state, second = engine.step(state, sound[int(4 * RATE) :])
    rotations = np.concatenate([first.rotations, second.rotations])
    roots = np.concatenate([first.root_positions, second.root_positions])
    clip = Clip(default_rig().skeleton, 60.0, roots, rotations)
    steps = np.linalg.norm(np.diff(hands(clip), axis=0), axis=-1).max(axis=1)
    at = len(first)
    assert steps[at - 2 : at + 30].max() < 0.06
    # It has arrived: nothing of the old options is left after the change.
    direct = engine.change_options(engine.start(model("house"), RATE, fps=60.0), after)
    assert direct.options == after
    assert len(clip) == len(first) + len(second)


def test_changes_do_not_depend_on_chunks() -> None:
    sound = bursts(5.0)
    other = LiveOptions(amount=0.5, expression=LiveExpression(Effort(time=-1.0)))

    def run(chunk: int) -> np.ndarray:
        state, parts = engine.start(model("house"), RATE, fps=FPS), []
        for first in range(0, len(sound), chunk):
            if first == 32_000:
                state = engine.change_options(state, other)
            state, frames = engine.step(state, sound[first : first + chunk])
            parts.append(frames.rotations)
        return np.concatenate(parts)

    np.testing.assert_array_equal(run(32_000), run(400))


def test_a_delay_cannot_change_on_the_way() -> None:
    state = engine.start(model("house"), RATE)
    with pytest.raises(InvalidValueError, match="cannot become"):
        engine.change_options(state, LiveOptions(delay_s=0.08))
