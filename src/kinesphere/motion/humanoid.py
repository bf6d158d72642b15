"""Names of a humanoid's bones, to which all rigs are mapped.

The names are those of the VRM 1.0 standard (and, except for the thumb, of Unity), so that an export
only renames. A `Rig` is a skeleton together with the joint that is mapped to each bone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from kinesphere.errors import InvalidValueError, RigError
from kinesphere.maths.arrays import Floats, Ints, read_only
from kinesphere.maths.quaternion import inverse, multiply
from kinesphere.motion.kinematics import forward_kinematics_plain
from kinesphere.motion.skeleton import Skeleton, unit_quaternions

if TYPE_CHECKING:
    from kinesphere.motion.retargeting.footing import Footing

SPINE = ("hips", "spine", "chest", "upperChest", "neck", "head")
FINGERS = ("Thumb", "Index", "Middle", "Ring", "Little")


def _tree() -> dict[str, str | None]:
    tree: dict[str, str | None] = {"hips": None}
    for child, parent in zip(SPINE[1:], SPINE[:-1], strict=True):
        tree[child] = parent
    for extra in ("leftEye", "rightEye", "jaw"):
        tree[extra] = "head"
    for side in ("left", "right"):
        _chain(tree, "hips", [f"{side}{p}" for p in ("UpperLeg", "LowerLeg", "Foot", "Toes")])
        arm = [f"{side}{p}" for p in ("Shoulder", "UpperArm", "LowerArm", "Hand")]
        _chain(tree, "upperChest", arm)
        for finger in FINGERS:
            _chain(tree, f"{side}Hand", finger_bones(side, finger))
    return tree


def _chain(tree: dict[str, str | None], parent: str, bones: Iterable[str]) -> None:
    for bone in bones:
        tree[bone] = parent
        parent = bone


def finger_bones(side: str, finger: str) -> list[str]:
    """Names of a finger's three bones from the palm outward.

    >>> finger_bones("left", "Thumb")
    ['leftThumbMetacarpal', 'leftThumbProximal', 'leftThumbDistal']
    """
    parts = (
        ("Metacarpal", "Proximal", "Distal")
        if finger == "Thumb"
        else ("Proximal", "Intermediate", "Distal")
    )
    return [f"{side}{finger}{part}" for part in parts]


BONE_PARENTS: Mapping[str, str | None] = MappingProxyType(_tree())
"""Every humanoid bone and its parent; a rig may lack any that is not required."""

BONES: tuple[str, ...] = tuple(BONE_PARENTS)

REQUIRED: tuple[str, ...] = (
    "hips",
    *(f"{s}{p}" for s in ("left", "right") for p in ("UpperArm", "LowerArm", "Hand")),
    *(f"{s}{p}" for s in ("left", "right") for p in ("UpperLeg", "LowerLeg", "Foot")),
)
"""A skeleton without these is no humanoid for retargeting."""


def mirrored_bone(bone: str) -> str:
    """Name of the bone on the other side; middle bones mirror onto themselves.

    >>> mirrored_bone("leftHand"), mirrored_bone("head")
    ('rightHand', 'head')
    """
    if bone.startswith("left"):
        return "right" + bone[4:]
    if bone.startswith("right"):
        return "left" + bone[5:]
    return bone


@dataclass(frozen=True, eq=False)
class Rig:
    """A skeleton with joints mapped to humanoid bones.

    Parameters
    ----------
    skeleton : the joints.
    bones : humanoid bone to joint index.
    reference : ``[joints, 4]`` local rotations of a pose in which the body stands upright, facing
        as at rest; the rest pose itself by default. Rigs whose rest pose is no posture at all
        (every bone along one axis) need one from their motion.

    Examples
    --------
    >>> import kinesphere as ks
    >>> rig = ks.default_rig()
    >>> rig.skeleton.names[rig.bones["leftHand"]]
    'leftHand'
    """

    skeleton: Skeleton
    bones: Mapping[str, int]
    reference: Floats = field(default=None)  # type: ignore[arg-type]

    def __post_init__(self) -> None:
        bones = {bone: int(joint) for bone, joint in self.bones.items()}
        unknown = sorted(set(bones) - set(BONE_PARENTS))
        if unknown:
            raise InvalidValueError(f"{unknown[0]!r} is not a humanoid bone: {', '.join(BONES)}")
        if any(not 0 <= joint < len(self.skeleton) for joint in bones.values()):
            raise InvalidValueError("a bone is mapped to a joint that the skeleton does not have")
        if len(set(bones.values())) != len(bones):
            raise InvalidValueError("two bones are mapped to one joint")
        ordered = {bone: bones[bone] for bone in BONES if bone in bones}
        object.__setattr__(self, "bones", MappingProxyType(ordered))
        pose = self.skeleton.rest_rotations if self.reference is None else self.reference
        checked = unit_quaternions(pose, "reference", (len(self.skeleton), 4))
        object.__setattr__(self, "reference", checked)

    @cached_property
    def reference_world(self) -> tuple[Floats, Floats]:
        """World rotations ``[joints, 4]`` and positions ``[joints, 3]`` of the reference pose."""
        root = self.skeleton.offsets[0]
        rotations, positions = forward_kinematics_plain(self.skeleton, self.reference, root)
        return read_only(rotations), read_only(positions)

    @cached_property
    def canonical_pose(self) -> tuple[Floats, Floats]:
        """World rotations and positions in the T-pose in which rigs are compared."""
        from kinesphere.motion.retargeting.canonical_pose import canonical_pose

        rotations, positions = canonical_pose(self)
        return read_only(rotations), read_only(positions)

    @cached_property
    def footing(self) -> Footing:
        """Footing of its flat feet, as far as the rest pose defines it."""
        from kinesphere.motion.retargeting.footing import rig_footing

        return rig_footing(self)

    def turn(self, world_rotations: Floats, joint: int) -> Floats:
        """Rotation of a joint from the T-pose, ``[..., 4]``, in the world's axes.

        `world_rotations` are ``[..., joints, 4]``; the joint's own axes cancel out.
        """
        at_rest = self.canonical_pose[0][joint]
        return multiply(world_rotations[..., joint, :], inverse(at_rest))

    def __contains__(self, bone: object) -> bool:
        return bone in self.bones

    def joint(self, bone: str) -> int:
        """Joint index of a bone.

        Raises
        ------
        RigError
            If the rig has no such bone.
        """
        if bone not in self.bones:
            raise RigError(
                f"the skeleton has no joint for {bone!r}; it has {', '.join(self.bones)}"
            )
        return self.bones[bone]

    def joints(self, bones: Iterable[str]) -> list[int]:
        """Joint indices of several bones."""
        return [self.joint(bone) for bone in bones]

    @property
    def missing(self) -> tuple[str, ...]:
        """Required bones without a joint."""
        return tuple(bone for bone in REQUIRED if bone not in self.bones)

    def require(self, purpose: str) -> Rig:
        """The rig itself, or raise `RigError` naming the bones it lacks."""
        if self.missing:
            raise RigError(f"{purpose} needs a joint for {', '.join(self.missing)}")
        for side in ("left", "right"):
            for chain in (("UpperArm", "LowerArm", "Hand"), ("UpperLeg", "LowerLeg", "Foot")):
                for above, below in pairwise(chain):
                    path = self.skeleton.path(self.bones[side + above], self.bones[side + below])
                    if not np.any(np.abs(self.skeleton.offsets[path[1:]]) > 1e-6):
                        raise RigError(f"{purpose} needs {side}{above} to have a length")
        return self

    def mirror_permutation(self) -> Ints:
        """Index of the joint on the other side for every joint."""
        from kinesphere.motion.mirroring import mirror_permutation

        pairs = {
            self.skeleton.names[j]: self.skeleton.names[self.bones[mirrored_bone(b)]]
            for b, j in self.bones.items()
            if mirrored_bone(b) in self.bones
        }
        return mirror_permutation(self.skeleton, pairs)
