"""Skeletons and clips, and what can be done with them before anyone says what they mean."""

from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.skeleton import Skeleton, Tip
from kinesphere.motion.take import Audio, Take

__all__ = ["Audio", "Clip", "Rig", "Skeleton", "Take", "Tip"]
