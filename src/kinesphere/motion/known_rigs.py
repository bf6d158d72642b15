"""Cache of skeletons and rigs, with the poses that were computed for them.

A corpus may be thousands of short files with one skeleton. Its rest pose and T-pose take longer to
compute than retargeting a second of its motion. Equal means bitwise equal, so that results do
not depend on what was read before.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from kinesphere.motion.humanoid import Rig
from kinesphere.motion.skeleton import Skeleton

_MOST = 16


def known_skeleton(skeleton: Skeleton) -> Skeleton:
    """An equal skeleton from the cache, or this one."""
    return _kept_skeleton(_SkeletonKey(_content(skeleton), skeleton))


def known_rig(rig: Rig) -> Rig:
    """An equal rig from the cache, or this one."""
    content = (_content(rig.skeleton), tuple(rig.bones.items()), rig.reference.tobytes())
    return _kept_rig(_RigKey(content, rig))


def _content(skeleton: Skeleton) -> Hashable:
    return (
        skeleton.names,
        skeleton.parents.tobytes(),
        skeleton.offsets.tobytes(),
        skeleton.rest_rotations.tobytes(),
        tuple(tip.joint for tip in skeleton.tips),
        np.array([tip.offset for tip in skeleton.tips]).tobytes(),
    )


@dataclass(frozen=True)
class _SkeletonKey:
    content: Hashable
    skeleton: Skeleton = field(compare=False)


@dataclass(frozen=True)
class _RigKey:
    content: Hashable
    rig: Rig = field(compare=False)


@lru_cache(_MOST)
def _kept_skeleton(key: _SkeletonKey) -> Skeleton:
    return key.skeleton


@lru_cache(_MOST)
def _kept_rig(key: _RigKey) -> Rig:
    return key.rig
