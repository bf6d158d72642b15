"""Mapping of a take's joints to bones."""

from __future__ import annotations

from kinesphere.character.default import default_rig
from kinesphere.character.naming import RigReport, identify
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.take import Take


def report_of(take: Take) -> RigReport:
    """Return how a take's rig is recognised; bones declared in the file take precedence."""
    declared = take.provenance.get("humanoid", {})
    skeleton = take.clip.skeleton
    given = {b: skeleton.index(j) for b, j in declared.items() if j in skeleton}
    # The default figure's rest pose is known; its motion may not be posed yet and is not needed.
    known = skeleton is default_rig().skeleton
    return identify(skeleton, None if known else take.clip.rotations, given)


def declared_bones(rig: Rig) -> dict[str, str]:
    """Bones of a rig by joint name, as in a take's provenance."""
    return {bone: rig.skeleton.names[joint] for bone, joint in rig.bones.items()}
