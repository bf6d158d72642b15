"""Settings of the choice of segments, and the two rules by which look-ahead is used or not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from kinesphere.bodylanguage.choose.rhythm import Mark
from kinesphere.speech.prosody.observation import ONSET


class Coming(NamedTuple):
    """Known observations to come.

    Parameters
    ----------
    time_s, number : when the next one acts, and its number.
    marks : the known syllables.
    """

    time_s: float
    number: int
    marks: tuple[Mark, ...] = ()


class SegmentRules(Protocol):
    """How a segment reacts to an observation, besides the model's probabilities."""

    def restarts(self, number: int) -> bool:
        """Whether an observation restarts the forward vector."""

    def leaves(self, ends_s: float, coming: Coming | None) -> bool:
        """Whether a segment that ends at a time is left at this observation."""


class PublishedChoosing:
    """As published: every observation advances the forward vector, no look-ahead."""

    def restarts(self, number: int) -> bool:
        """Never."""
        return False

    def leaves(self, ends_s: float, coming: Coming | None) -> bool:
        """Never: whether it reaches the next syllable is estimated by the model (7.1)."""
        return False


class LookAheadRules:
    """Onsets start a segment, and the next observation is used where it is known.

    The counts of silences are no evidence of which segment follows an onset, so the forward vector
    restarts. A segment that would run out before the next observation is left at once.
    """

    def restarts(self, number: int) -> bool:
        """At speech onsets."""
        return number == ONSET

    def leaves(self, ends_s: float, coming: Coming | None) -> bool:
        """If it ends before the next observation."""
        return coming is not None and ends_s < coming.time_s


PAPER_RULES: SegmentRules = PublishedChoosing()
LOOK_AHEAD_RULES: SegmentRules = LookAheadRules()


@dataclass(frozen=True)
class ChoosingSettings:
    """How segments are chosen.

    Parameters
    ----------
    speakers, policy, tolerance : see `LiveOptions`.
    strictness : weight of rhythm, 0 for none; see `rhythm.RhythmSettings.strict`.
    pace : playback speed relative to the recording.
    rules : the paper's, or with look-ahead.
    rad_per_m : radians equivalent to a metre of pelvis displacement, in the distance of poses.
    through_rad : added distance between hands in front of and behind the back: more than between
        any two poses, so that arms do not pass through the body.
    behind_m : forward coordinate below which a wrist is behind the back.
    alike_rad : poses closer than this in total count as equal.
    recent : this many recent segments are not repeated, or neighbours would alternate.
    elapsed : elapsed proportion of a character's first segment at its first frame; one that has
        just started tends to continue, whatever the voice.
    """

    speakers: str | Mapping[str, float] | None = None
    policy: str = "model"
    tolerance: float = 1.4
    strictness: float = 0.0
    pace: float = 1.0
    rules: SegmentRules = LOOK_AHEAD_RULES
    rad_per_m: float = 8.0
    through_rad: float = 20.0
    behind_m: float = -0.05
    alike_rad: float = 0.12
    recent: int = 4
    elapsed: float = 0.6
