"""Rigs that were met before: the same object for what is equal to the last bit, and for nothing else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.known_rigs import known_rig, known_skeleton
from kinesphere.motion.skeleton import Skeleton, Tip

RIG = ks.default_rig()


def again(skeleton: Skeleton) -> Skeleton:
    return replace(skeleton, offsets=skeleton.offsets.copy(), tips=tuple(skeleton.tips))


def test_an_equal_skeleton_is_the_one_met_before() -> None:
    first = known_skeleton(again(RIG.skeleton))
    assert first == RIG.skeleton
    assert known_skeleton(again(RIG.skeleton)) is first


def _moved(at: int, value: float) -> Skeleton:
    offsets = RIG.skeleton.offsets.copy()
    offsets[at, 0] = value
    return replace(RIG.skeleton, offsets=offsets)


@pytest.mark.parametrize(
    "other",
    [
        _moved(3, np.nextafter(RIG.skeleton.offsets[3, 0], 1.0)),
        replace(RIG.skeleton, names=("other", *RIG.skeleton.names[1:])),
        replace(RIG.skeleton, tips=(*RIG.skeleton.tips, Tip(0, (0.0, 1.0, 0.0)))),
    ],
)
def test_what_differs_by_a_bit_is_another(other: Skeleton) -> None:
    known_skeleton(RIG.skeleton)
    assert known_skeleton(other) is other


def test_zeros_of_different_sign_are_different() -> None:
    plus, minus = _moved(3, 0.0), _moved(3, -0.0)
    assert plus == minus
    assert known_skeleton(plus) is not known_skeleton(minus)


def test_a_rig_keeps_what_was_worked_out_for_it() -> None:
    first = known_rig(Rig(again(RIG.skeleton), RIG.bones))
    same = known_rig(Rig(again(RIG.skeleton), RIG.bones))
    assert same.canonical_pose[0] is first.canonical_pose[0]
    assert np.array_equal(same.canonical_pose[0], Rig(RIG.skeleton, RIG.bones).canonical_pose[0])
    fewer = {bone: joint for bone, joint in RIG.bones.items() if bone != "jaw"}
    assert "jaw" not in known_rig(Rig(RIG.skeleton, fewer)).bones
    turned = RIG.reference.copy()
    turned[5] = [0.0, 1.0, 0.0, 0.0]
    assert np.array_equal(known_rig(Rig(RIG.skeleton, RIG.bones, turned)).reference, turned)
