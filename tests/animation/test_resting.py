"""Rest poses as poses of the engine."""

from __future__ import annotations

import numpy as np
import pytest

from kinesphere.animation.arms.poses.rest_poses import (
    plain_rest_pose,
    rest_pose,
    rest_pose_names,
    rest_poses,
)
from kinesphere.errors import InvalidValueError
from kinesphere.gesture.script import REST_POSES
from kinesphere.motion.body.arms import SIDES


def test_every_rest_pose_of_a_script_is_there_and_the_half_rest() -> None:
    assert {*REST_POSES, "half-rest"} <= set(rest_pose_names())
    assert set(rest_poses(rest_pose_names())) == set(rest_pose_names())


@pytest.mark.parametrize("name", rest_pose_names())
def test_they_are_the_rest_poses(name: str) -> None:
    for made, source in (
        (rest_poses([name], plain=True)[name], plain_rest_pose(name)),
        (rest_poses([name], 7, 0.5)[name], rest_pose(name, 7, 0.5)),
    ):
        for side in SIDES:
            arm = source.arms[side]
            assert np.array_equal(made[side].wrist, arm.wrists[0])
            assert made[side].swivel == arm.swivels[0]
            assert np.array_equal(made[side].angles, arm.angles[0])
            assert np.array_equal(made[side].fingers, source.fingers[side])
            assert np.array_equal(made[side].collar, source.collars[side])


def test_chance_is_left_out_where_it_should_be() -> None:
    one, two = (rest_poses(["at-side"], seed, plain=True)["at-side"]["left"] for seed in (0, 1))
    assert np.array_equal(one.wrist, two.wrist)
    one, two = (rest_poses(["at-side"], seed)["at-side"]["left"] for seed in (0, 1))
    assert 0.0 < np.linalg.norm(one.wrist - two.wrist) < 0.1


def test_an_unknown_rest_pose_is_named() -> None:
    with pytest.raises(InvalidValueError, match="lying"):
        rest_poses(["lying"])
