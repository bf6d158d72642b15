from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.errors import InvalidValueError
from kinesphere.maths import quaternion as quat
from tests.conftest import smooth_clip


def chain(n: int = 3, **changes: Any) -> ks.Skeleton:
    values: dict[str, Any] = {
        "names": tuple(f"j{i}" for i in range(n)),
        "parents": [-1, *range(n - 1)],
        "offsets": np.tile([0.0, 1.0, 0.0], (n, 1)),
    }
    return ks.Skeleton(**{**values, **changes})


def test_values_are_frozen(rng: np.random.Generator) -> None:
    clip = smooth_clip(ks.default_skeleton(), rng)
    for array in (
        clip.rotations,
        clip.root_positions,
        clip.skeleton.offsets,
        clip.skeleton.parents,
        clip.world_positions,
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    mine = np.zeros((3, 3))
    skeleton = chain(offsets=mine)
    mine[0] = 9.0
    assert skeleton.offsets.max() == 0.0


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"parents": [-1, 0, 5]}, "parent"),
        ({"parents": [-1, 2, 0]}, "parent"),
        ({"parents": [-1, -1, 0]}, "root"),
        ({"parents": [0, 0, 1]}, "root"),
        ({"parents": [-1, 0]}, "parents"),
        ({"names": ("a", "a", "b")}, "'a'"),
        ({"names": ("a", "", "b")}, "name"),
        ({"offsets": np.zeros((2, 3))}, "shape"),
        ({"offsets": np.full((3, 3), np.nan)}, "finite"),
        ({"rest_rotations": np.ones((3, 4))}, "unit"),
        (
            {
                "tips": (
                    ks.Skeleton.__annotations__
                    and __import__("kinesphere.motion", fromlist=["Tip"]).Tip(7, (0, 0, 1)),
                )
            },
            "tip",
        ),
    ],
)
def test_bad_skeletons_are_refused(changes: dict[str, Any], word: str) -> None:
    with pytest.raises(InvalidValueError, match=word):
        chain(**changes)


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"fps": 0.0}, "fps"),
        ({"fps": float("nan")}, "fps"),
        ({"rotations": np.zeros((40, 55, 4))}, "unit"),
        ({"rotations": np.ones((40, 54, 4)) / 2}, "shape"),
        ({"root_positions": np.zeros((39, 3))}, "shape"),
        ({"translated_joints": (0,), "translations": np.zeros((40, 1, 3))}, "translated"),
        ({"translated_joints": (3, 3), "translations": np.zeros((40, 2, 3))}, "translated"),
        ({"channels": {"blink": np.zeros(39)}}, "blink"),
        ({"channels": {"": np.zeros(40)}}, "channel"),
    ],
)
def test_bad_clips_are_refused(
    changes: dict[str, Any], word: str, rng: np.random.Generator
) -> None:
    clip = smooth_clip(ks.default_skeleton(), rng)
    with pytest.raises(InvalidValueError, match=word):
        replace(clip, **changes)


def test_an_unknown_joint_gets_the_nearest_names() -> None:
    with pytest.raises(InvalidValueError, match="leftHand"):
        ks.default_skeleton().index("leftHnd")


def test_tree_questions() -> None:
    skeleton = ks.default_skeleton()
    hand, hips = skeleton.index("leftHand"), skeleton.index("hips")
    assert skeleton.ancestors(hand)[-1] == hips
    assert [skeleton.names[j] for j in skeleton.path(skeleton.index("leftUpperArm"), hand)] == [
        "leftUpperArm",
        "leftLowerArm",
        "leftHand",
    ]
    assert skeleton.path(hand, hips) == []
    assert len(skeleton.subtree(hand)) == 16


def test_equality_is_by_value(rng: np.random.Generator) -> None:
    a = smooth_clip(ks.default_skeleton(), np.random.default_rng(1))
    b = smooth_clip(ks.default_skeleton(), np.random.default_rng(1))
    assert a == b
    assert a != smooth_clip(ks.default_skeleton(), np.random.default_rng(2))
    assert a != replace(a, fps=61.0)
    assert chain() != chain(rest_rotations=quat.from_axis_angle([1.0, 0, 0], np.ones(3)))


def test_frames_out_of_range(rng: np.random.Generator) -> None:
    clip = smooth_clip(ks.default_skeleton(), rng)
    assert len(clip.frames(3, 10)) == 7
    for start, stop in ((-1, 4), (4, 4), (0, 41)):
        with pytest.raises(InvalidValueError, match="frames"):
            clip.frames(start, stop)
