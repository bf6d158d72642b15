"""Which joints of a take play which bones."""

from __future__ import annotations

from kinesphere.character.default import default_rig
from kinesphere.character.naming import RigReport, identify
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.take import Take


def report_of(take: Take) -> RigReport:
    """Return how a take's rig is understood; bones that the file declares win."""
    declared = take.provenance.get("humanoid", {})
    skeleton = take.clip.skeleton
    given = {b: skeleton.index(j) for b, j in declared.items() if j in skeleton}
    # The default figure rests in a posture: its motion, which may not be posed yet, is not needed.
    known = skeleton is default_rig().skeleton
    return identify(skeleton, None if known else take.clip.rotations, given)


def declared_bones(rig: Rig) -> dict[str, str]:
    """Bones of a rig by the names of their joints, as a take's provenance keeps them."""
    return {bone: rig.skeleton.names[joint] for bone, joint in rig.bones.items()}
