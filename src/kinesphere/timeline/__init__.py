"""Time in seconds: intervals and tiers, used by motion, speech and annotation alike."""

from kinesphere.timeline.tier import Interval, Tier

__all__ = ["Interval", "Tier"]
