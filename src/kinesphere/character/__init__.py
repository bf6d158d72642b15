"""The default humanoid, joint limits, and the mapping of other rigs to humanoid bones."""

from kinesphere.character.default import default_rig, default_skeleton
from kinesphere.character.naming import RigReport, identify

__all__ = ["RigReport", "default_rig", "default_skeleton", "identify"]
