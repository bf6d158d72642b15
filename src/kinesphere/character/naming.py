"""Mapping of the joints of any skeleton to humanoid bones, with the evidence for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.character.conventions import CONVENTIONS, Convention, simplify
from kinesphere.character.reference_pose import is_posture, most_neutral
from kinesphere.character.topology import find_humanoid
from kinesphere.maths.arrays import Floats
from kinesphere.motion.humanoid import BONE_PARENTS, REQUIRED, Rig
from kinesphere.motion.kinematics import forward_kinematics_plain
from kinesphere.motion.skeleton import Skeleton

_LEAST_NAMED = 8


@dataclass(frozen=True)
class RigReport:
    """What was matched and how.

    Parameters
    ----------
    rig : the skeleton with its bones.
    convention : name of the convention that matched best, or ``by position``.
    how : for every bone ``file`` (declared by the file), ``name``, ``chain`` (between named
        ones) or ``position``.
    notes : anything unusual.

    Examples
    --------
    >>> import kinesphere as ks
    >>> report = ks.identify(ks.default_skeleton())
    >>> report.convention, report.how["leftHand"]
    ('VRM / Unity humanoid', 'name')
    """

    rig: Rig
    convention: str
    how: Mapping[str, str]
    notes: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every required bone was found."""
        return not self.rig.missing

    @property
    def unused(self) -> tuple[str, ...]:
        """Joints that are mapped to no bone."""
        used = set(self.rig.bones.values())
        return tuple(n for i, n in enumerate(self.rig.skeleton.names) if i not in used)

    def lines(self) -> list[str]:
        """The report as lines of text."""
        names = self.rig.skeleton.names
        out = [
            f"convention: {self.convention}",
            f"bones matched: {len(self.rig.bones)} of {len(BONE_PARENTS)}",
        ]
        out += [f"  {b:<24} {names[j]}  ({self.how[b]})" for b, j in self.rig.bones.items()]
        if self.rig.missing:
            out.append(f"required but missing: {', '.join(self.rig.missing)}")
        if self.unused:
            out.append(f"joints without a bone: {', '.join(self.unused)}")
        return out + [f"note: {note}" for note in self.notes]


def identify(
    skeleton: Skeleton, rotations: ArrayLike | None = None, given: Mapping[str, int] | None = None
) -> RigReport:
    """Find the humanoid in a skeleton.

    Parameters
    ----------
    skeleton : any joints.
    rotations : ``[frames, joints, 4]`` of its motion, if there is some; used where the rest pose
        is no posture.
    given : bones that the file itself declares (VRM); they have priority.

    Examples
    --------
    >>> import kinesphere as ks
    >>> report = ks.identify(ks.default_skeleton())
    >>> report.convention, len(report.rig.bones), report.how["head"]
    ('VRM / Unity humanoid', 55, 'name')
    """
    given = dict(given or {})
    rotations = rotations if rotations is not None and len(np.asarray(rotations)) else None
    convention, named = _best_convention(skeleton.names)
    bones = {**named, **given}
    how = {bone: "file" if bone in given else "name" for bone in bones}
    notes: list[str] = []
    bones = _without_contradictions(skeleton, bones, notes)
    _fill_spine(skeleton, bones, how)
    label = "declared by the file" if given else (convention.name if convention else "by position")
    if any(bone not in bones for bone in REQUIRED):
        found = find_humanoid(skeleton, _upright_positions(skeleton, rotations))
        for bone, joint in found.items():
            if bone not in bones and joint not in bones.values():
                bones[bone], how[bone] = joint, "position"
        bones = _without_contradictions(skeleton, bones, notes)
        _fill_spine(skeleton, bones, how)
    rig = Rig(skeleton, bones)
    return RigReport(
        _with_reference(rig, rotations, notes), label, {b: how[b] for b in rig.bones}, tuple(notes)
    )


@lru_cache(16)
def _best_convention(names: tuple[str, ...]) -> tuple[Convention | None, Mapping[str, int]]:
    simple = [simplify(name) for name in names]
    best: tuple[Convention | None, Mapping[str, int]] = (None, {})
    score = 0
    for convention in CONVENTIONS:
        bones: dict[str, int] = {}
        for joint, name in enumerate(simple):
            bone = convention.aliases.get(name)
            if bone is not None and bone not in bones:
                bones[bone] = joint
        # Required bones count double: a table with many fingers and no arms is the wrong one.
        points = len(bones) + sum(bone in bones for bone in REQUIRED)
        if points > score:
            score, best = points, (convention, bones)
    return best if len(best[1]) >= _LEAST_NAMED else (None, {})


def _without_contradictions(
    skeleton: Skeleton, bones: dict[str, int], notes: list[str]
) -> dict[str, int]:
    """Drop bones that are not descendants of the bones they should be below."""
    kept: dict[str, int] = {}
    for bone in BONE_PARENTS:
        if bone not in bones or bones[bone] in kept.values():
            continue
        above = BONE_PARENTS[bone]
        while above is not None and above not in kept:
            above = BONE_PARENTS[above]
        if above is None or kept[above] in skeleton.ancestors(bones[bone])[1:]:
            kept[bone] = bones[bone]
        elif above == "hips" and "hips" in kept:
            kept[bone] = bones[bone]  # legs beside the hips, as in some exporters
        else:
            notes.append(
                f"{skeleton.names[bones[bone]]} looks like {bone} but is not below "
                f"{skeleton.names[kept[above]]}; left out"
            )
    return kept


def _fill_spine(skeleton: Skeleton, bones: dict[str, int], how: dict[str, str]) -> None:
    """Name the joints between hips and head: spine, chest, upperChest and neck."""
    if "hips" not in bones:
        return
    top = bones.get("head")
    arm = next((bones[b] for b in ("leftShoulder", "leftUpperArm") if b in bones), None)
    if top is None and arm is None:
        return
    chain = skeleton.path(
        bones["hips"], top if top is not None else int(skeleton.parents[arm or 0])
    )
    if len(chain) < 2:
        return
    if arm is not None:
        above = set(skeleton.ancestors(arm))
        chest_at = max(i for i, j in enumerate(chain) if j in above)
    else:
        chest_at = max(1, len(chain) - 3)
    if chest_at > 1 and "neck" in skeleton.names[chain[chest_at]].lower():
        chest_at -= 1  # 3ds Max hangs the clavicles on the neck
    spine = [j for j in chain[1 : chest_at + 1] if j != top]
    neck = [j for j in chain[chest_at + 1 :] if j != top]
    taken = set(bones.values())
    for bone, joint in [*_spread(spine), *(("neck", j) for j in neck[:1])]:
        if bone not in bones and joint not in taken:
            bones[bone], how[bone] = joint, "chain"
            taken.add(joint)


def _spread(spine: list[int]) -> list[tuple[str, int]]:
    """Distribute the three spine bones over any number of joints: ends first, then the middle."""
    if not spine:
        return []
    if len(spine) == 1:
        return [("spine", spine[0])]
    if len(spine) == 2:
        return [("spine", spine[0]), ("chest", spine[1])]
    return [("spine", spine[0]), ("chest", spine[len(spine) // 2]), ("upperChest", spine[-1])]


def _upright_positions(skeleton: Skeleton, rotations: ArrayLike | None) -> Floats:
    """Positions for the mapping: the rest pose, or the first frame if all bones rest in a line."""
    rest = skeleton.rest_world_positions
    spread = np.sort(np.ptp(rest, axis=0))
    if rotations is None or spread[1] > 0.25 * spread[2]:
        return rest
    return forward_kinematics_plain(skeleton, np.asarray(rotations)[0], skeleton.offsets[0])[1]


def _with_reference(rig: Rig, rotations: ArrayLike | None, notes: list[str]) -> Rig:
    if rig.missing or is_posture(rig):
        return rig
    if rotations is None:
        notes.append("the rest pose is not a standing posture and there is no motion to replace it")
        return rig
    pose, frame = most_neutral(rig, np.asarray(rotations, dtype=np.float64))
    notes.append(f"the rest pose is not a standing posture; frame {frame} is used instead")
    return Rig(rig.skeleton, rig.bones, pose)
