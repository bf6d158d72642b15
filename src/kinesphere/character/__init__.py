"""The default humanoid, its limits, and the humanoid meaning of other people's rigs."""

from kinesphere.character.default import default_rig, default_skeleton
from kinesphere.character.naming import RigReport, identify

__all__ = ["RigReport", "default_rig", "default_skeleton", "identify"]
