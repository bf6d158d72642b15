"""Skeletons, clips, keys and the operations on them that need no meaning of the motion."""

from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.skeleton import Skeleton, Tip
from kinesphere.motion.take import Audio, Take

__all__ = ["Audio", "Clip", "Rig", "Skeleton", "Take", "Tip"]
