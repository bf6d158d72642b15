"""What is told of one pair of motion and sound: lengths, rates, starts, notes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kinesphere.corpus.pair_offsets import OffsetEstimate

APART_S = 0.25
"""Motion and sound that seem to start further apart than they are taken to are told."""
_SILENT = "no syllable is heard"


@dataclass(frozen=True)
class PairFacts:
    """What a pairing report says of one pair.

    Times in seconds; `problem` is the one line why it cannot be read, and the numbers that are not
    known are 0 then. `syllables` is None if nobody listened.
    """

    name: str
    motion_s: float = 0.0
    audio_s: float = 0.0
    fps: float = 0.0
    audio_hz: int = 0
    present: tuple[str, ...] = ()
    words: int = 0
    offset: OffsetEstimate | None = None
    applied_offset_s: float = 0.0
    notes: tuple[str, ...] = ()
    problem: str = ""
    syllables: int | None = None

    @property
    def difference_s(self) -> float:
        """How much longer the sound is than the motion."""
        return self.audio_s - self.motion_s

    @property
    def silent(self) -> bool:
        """Whether somebody listened and heard no syllable."""
        return self.syllables == 0

    @property
    def spoken_s(self) -> float:
        """Length of what both have; 0 if no syllable is heard."""
        return 0.0 if self.silent else min(self.motion_s, self.audio_s)

    @property
    def apart_s(self) -> float:
        """How far the sure estimate of the start is from the one applied; 0 if that is in order."""
        if self.offset is None or not self.offset.confident:
            return 0.0
        apart = self.offset.offset_s - self.applied_offset_s
        return apart if abs(apart) > APART_S else 0.0

    def heard(self, syllables: int) -> PairFacts:
        """Return the facts with the number of syllables that were heard; none is noted."""
        notes = self.notes if syllables else (*self.notes, _SILENT)
        return replace(self, syllables=syllables, notes=notes)
