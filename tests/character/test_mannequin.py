"""The stored figure: what it must be, and that its script still makes it."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from typing import Any

import numpy as np
import pytest
from tools.mannequin.build import all_parts, mannequin
from tools.mannequin.face import SHAPES

import kinesphere as ks
from kinesphere.character.figure import Figure, pose_mesh
from kinesphere.errors import InvalidValueError
from kinesphere.formats.gltf.stored_figure import default_figure, figure_bytes, parse_figure
from kinesphere.maths import quaternion as quat
from kinesphere.maths.arrays import Floats
from kinesphere.motion.kinematics import forward_kinematics_plain
from tests.conftest import smooth_clip


def test_the_script_makes_the_stored_figure() -> None:
    stored, made = default_figure(), parse_figure(figure_bytes(mannequin()))
    assert np.array_equal(stored.triangles, made.triangles)
    assert np.abs(stored.positions - made.positions).max() < 1e-5
    assert np.abs(stored.colours - made.colours).max() < 0.005
    assert list(stored.morphs) == list(made.morphs)
    for name, shape in stored.morphs.items():
        assert np.abs(shape - made.morphs[name]).max() < 1e-5


def test_size_and_shapes() -> None:
    figure = default_figure()
    assert 8_000 <= len(figure.triangles) <= 20_000
    assert tuple(figure.morphs) == SHAPES
    for name, shape in figure.morphs.items():
        largest = np.abs(shape).max()
        assert largest == 0.0 if name == "neutral" else 0.001 < largest < 0.05, name
    assert figure.positions[:, 1].min() == pytest.approx(0.0, abs=0.003)
    assert figure.positions[:, 1].max() == pytest.approx(1.75, abs=0.01)
    assert np.abs(np.linalg.norm(figure.normals, axis=1) - 1).max() < 1e-3


def test_the_figure_is_symmetric() -> None:
    points = np.round(default_figure().positions, 5)
    here = {tuple(p) for p in points}
    flipped = points * np.array([-1, 1, 1]) + 0.0
    near = set()
    for dx in (-1e-5, 0.0, 1e-5):
        near |= {tuple(p) for p in np.round(points + dx * np.array([1, 0, 0]), 5) + 0.0}
    missing = [p for p in flipped if tuple(p) not in near]
    assert len(here) > 8000
    assert len(missing) < 0.01 * len(points)


def test_blinks_close_the_eye_and_are_sided() -> None:
    figure = default_figure()
    left, right, both = (figure.morphs[n] for n in ("blinkLeft", "blinkRight", "blink"))
    assert np.abs(left + right - both).max() < 1e-6
    assert (figure.positions[np.abs(left).max(axis=1) > 1e-4, 0] > 0).all()


def bent(degrees: dict[str, tuple[tuple[float, float, float], float]]) -> tuple[Floats, Floats]:
    skeleton = ks.default_skeleton()
    rotations = skeleton.rest_rotations.copy()
    for bone, (axis, angle) in degrees.items():
        rotations[skeleton.index(bone)] = quat.from_axis_angle(np.array(axis), np.radians(angle))
    return forward_kinematics_plain(skeleton, rotations, skeleton.offsets[0])


ELBOW = ("leftUpperArm", "leftLowerArm", (0.0, -1.0, 0.0))
KNEE = ("leftUpperLeg", "leftLowerLeg", (1.0, 0.0, 0.0))


@pytest.mark.parametrize(
    ("upper", "lower", "axis", "degrees"),
    [*((*ELBOW, d) for d in (0, 60, 90, 120, 150)), *((*KNEE, d) for d in (0, 60, 90, 120, 150))],
)
def test_shells_do_not_pass_through_each_other(
    upper: str, lower: str, axis: tuple[float, float, float], degrees: float
) -> None:
    """Elbow and knee, bent: each shell stays on its side of the plane that halves the bend."""
    parts = {p.bone: p for p in all_parts() if p.bone in (upper, lower) and p.colours.mean() > 0.5}
    assert set(parts) == {upper, lower}
    skeleton = ks.default_skeleton()
    world, places = bent({lower: (axis, degrees)})
    rest = skeleton.rest_world_positions
    joint = skeleton.index(lower)
    along = {}
    for bone in (upper, lower):
        j = skeleton.index(bone)
        along[bone] = (
            places[j] + quat.rotate(world[j], parts[bone].vertices - rest[j]) - places[joint]
        )
    to_upper = (places[skeleton.index(upper)] - places[joint]) / np.linalg.norm(
        places[skeleton.index(upper)] - places[joint]
    )
    to_lower = quat.rotate(world[joint], (rest[skeleton.children[joint][0]] - rest[joint]))
    to_lower /= np.linalg.norm(to_lower)
    plane = (to_upper - to_lower) / np.linalg.norm(to_upper - to_lower)
    assert (along[upper] @ plane).min() > -0.0015
    assert (along[lower] @ plane).max() < 0.0015


def test_posing_is_rigid_and_faces_move(rng: np.random.Generator) -> None:
    figure = default_figure()
    clip = smooth_clip(ks.default_skeleton(), rng, size=0.3)
    points, normals = pose_mesh(figure, clip.world_rotations[7], clip.world_positions[7])
    hand = np.flatnonzero(figure.joints[:, 0] == figure.skeleton.index("leftHand"))
    before = np.linalg.norm(figure.positions[hand[0]] - figure.positions[hand], axis=1)
    assert np.abs(np.linalg.norm(points[hand[0]] - points[hand], axis=1) - before).max() < 1e-6
    assert np.abs(np.linalg.norm(normals, axis=1) - 1).max() < 1e-6
    rest = figure.skeleton
    still = pose_mesh(figure, rest.rest_world_rotations, rest.rest_world_positions)[0]
    assert np.abs(still - figure.positions).max() < 1e-9
    open_mouth = pose_mesh(
        figure, rest.rest_world_rotations, rest.rest_world_positions, {"aa": 1.0, "nothing": 1.0}
    )[0]
    assert (still - open_mouth)[:, 1].max() > 0.01


def test_the_validator_finds_nothing(
    validate_glb: Callable[[bytes], dict[str, Any]], rng: np.random.Generator
) -> None:
    stored = files("kinesphere.character").joinpath("data/mannequin.glb").read_bytes()
    clip = smooth_clip(ks.default_skeleton(), rng)
    for data in (stored, figure_bytes(default_figure(), clip)):
        issues = validate_glb(data)
        assert (issues["numErrors"], issues["numWarnings"]) == (0, 0), issues["messages"][:3]


def test_bad_figures_are_refused(rng: np.random.Generator) -> None:
    good = default_figure()
    kept = {
        n: getattr(good, n)
        for n in ("skeleton", "positions", "normals", "colours", "triangles", "joints", "weights")
    }
    for change in (
        {"triangles": [[0, 1, 99999]]},
        {"joints": good.joints + 99},
        {"normals": good.normals[:5]},
        {"triangles": [[0, 1]]},
        {"morphs": {"aa": np.zeros((2, 3))}},
    ):
        with pytest.raises(InvalidValueError):
            Figure(**{**kept, **change})
    other = smooth_clip(ks.Skeleton(("a",), [-1], np.zeros((1, 3))), rng)
    with pytest.raises(InvalidValueError, match="retarget"):
        figure_bytes(good, other)


@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)])
@pytest.mark.parametrize("degrees", [-9, 5, 9])
def test_the_undersuit_stays_inside_when_the_back_bends(
    axis: tuple[float, float, float], degrees: float
) -> None:
    """Rays from the suit outward: within the height of a shell none may start outside it."""
    figure = default_figure()
    skeleton = figure.skeleton
    world, places = bent(dict.fromkeys(("spine", "chest", "upperChest"), (axis, degrees)))
    points, _ = pose_mesh(figure, world, places)
    dark = figure.colours.mean(axis=1) < 0.1
    main = figure.joints[np.arange(len(points)), np.argmax(figure.weights, axis=1)]
    trunk = {skeleton.index(b) for b in ("hips", "spine", "chest", "upperChest")}
    inside = np.isin(main, list(trunk))
    for bone, low, high in (
        ("spine", 1.045, 1.127),
        ("upperChest", 1.175, 1.42),
        ("hips", 0.97, 1.0),
    ):
        joint = skeleton.index(bone)
        back = quat.inverse(world[joint])
        # Seen from the shell's own bone, where it has not moved.
        local = quat.rotate(back, points - places[joint]) + skeleton.rest_world_positions[joint]
        shell = inside & ~dark & (main == joint)
        suit = inside & dark & (local[:, 1] > low) & (local[:, 1] < high)
        for p in local[suit]:
            near = np.flatnonzero(shell & (np.abs(local[:, 1] - p[1]) < 0.03))
            heading = np.arctan2(local[near, 0], local[near, 2]) - np.arctan2(p[0], p[2])
            close = near[np.abs(np.angle(np.exp(1j * heading))) < 0.25]
            if len(close):
                assert (
                    np.hypot(p[0], p[2]) < np.hypot(local[close, 0], local[close, 2]).max() + 0.002
                )
