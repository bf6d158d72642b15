"""Skeletons and rigs that were met before, with the poses that were worked out for them.

A corpus may be thousands of short files with one skeleton. Its rest pose and T-pose take longer to
work out than a second of its motion takes to carry over. Equal means equal to the last bit, so
that what comes out does not depend on what was read before.
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
    """Return an equal skeleton that was met before, or this one."""
    return _kept_skeleton(_SkeletonKey(_content(skeleton), skeleton))


def known_rig(rig: Rig) -> Rig:
    """Return an equal rig that was met before, or this one."""
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
