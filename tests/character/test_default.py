from __future__ import annotations

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.motion.humanoid import BONE_PARENTS, BONES, REQUIRED, mirrored_bone
from kinesphere.motion.kinematics import tip_positions
from kinesphere.motion.measure import body_height, leg_length
from kinesphere.motion.zeroing import rests_at_zero


def test_every_humanoid_bone_is_there_at_rest_along_the_world() -> None:
    skeleton = ks.default_skeleton()
    assert skeleton.names == BONES
    assert len(BONES) == 55
    assert rests_at_zero(skeleton)
    assert set(REQUIRED) <= set(BONES)
    for bone, parent in BONE_PARENTS.items():
        if parent:
            assert skeleton.names[skeleton.parents[skeleton.index(bone)]] == parent


def test_proportions() -> None:
    skeleton = ks.default_skeleton()
    tips = tip_positions(skeleton, skeleton.rest_world_rotations, skeleton.rest_world_positions)
    assert tips[:, 1].max() == pytest.approx(1.75)
    # Arm span is about body height; a leg is a little under half of it.
    assert np.ptp(tips[:, 0]) == pytest.approx(1.75, rel=0.05)
    assert leg_length(ks.default_rig()) == pytest.approx(0.47 * 1.75, rel=0.03)
    assert body_height(ks.default_rig()) == pytest.approx(1.75, rel=0.03)


def test_the_body_is_symmetric_and_faces_forward() -> None:
    skeleton = ks.default_skeleton()
    places = skeleton.rest_world_positions
    for bone in BONES:
        other = places[skeleton.index(mirrored_bone(bone))]
        assert places[skeleton.index(bone)] * np.array([-1, 1, 1]) == pytest.approx(other)
    assert places[skeleton.index("leftHand"), 0] > 0
    assert places[skeleton.index("leftToes"), 2] > places[skeleton.index("leftFoot"), 2]
    assert places[skeleton.index("leftThumbDistal"), 2] > places[skeleton.index("leftHand"), 2]
