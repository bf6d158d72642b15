"""Facts about one pair of motion and audio: lengths, rates, offset, notes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kinesphere.corpus.pairs.offsets import OffsetEstimate

APART_S = 0.25
"""Difference between estimated and applied offset, in seconds, above which it is reported."""
_SILENT = "no syllable is heard"


@dataclass(frozen=True)
class PairFacts:
    """Row of a pairing report for one pair.

    Times in seconds; `problem` is the one line why it cannot be read, and the numbers that are not
    known are 0 then. `syllables` is None if the audio was not analysed.
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
        """How much longer the audio is than the motion."""
        return self.audio_s - self.motion_s

    @property
    def silent(self) -> bool:
        """Whether the audio was analysed and has no syllable."""
        return self.syllables == 0

    @property
    def spoken_s(self) -> float:
        """Common length of motion and audio; 0 if no syllable is detected."""
        return 0.0 if self.silent else min(self.motion_s, self.audio_s)

    @property
    def apart_s(self) -> float:
        """Difference of a confident offset estimate from the applied one; 0 if acceptable."""
        if self.offset is None or not self.offset.confident:
            return 0.0
        apart = self.offset.offset_s - self.applied_offset_s
        return apart if abs(apart) > APART_S else 0.0

    def with_syllables(self, syllables: int) -> PairFacts:
        """Return the facts with the number of detected syllables; zero is noted."""
        notes = self.notes if syllables else (*self.notes, _SILENT)
        return replace(self, syllables=syllables, notes=notes)
