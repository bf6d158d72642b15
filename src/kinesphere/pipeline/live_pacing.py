"""When frames are shown: evenly, the newest first, never from a growing queue.

A screen wants one frame each moment. Sound that arrives in pieces longer than a frame gives several
frames at once; held for one such piece, they come out evenly. A frame whose turn comes together
with a newer one's is left out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from kinesphere.pipeline.live_clock import AudioClock
from kinesphere.pipeline.live_sinks import PoseFrames, PoseSlice, frame_slice

_LONGEST_HOLD_S = 0.1
_MEMORY_S = 2.0
_SLACK = 1.1
"""Pieces up to this share of a frame need no holding."""


@dataclass(frozen=True, eq=False)
class Pacing:
    """Frames that wait for their moment.

    Parameters
    ----------
    fps : frames a second.
    fast : whether every frame is shown at once.
    waiting : single frames in order of time.
    piece_s : length of the pieces in which sound comes, a running mean.
    age_s : how old the newest sound of a piece is when it comes, a running mean.
    """

    fps: float
    fast: bool = False
    waiting: tuple[PoseSlice, ...] = ()
    piece_s: float = 0.0
    age_s: float = 0.0

    @property
    def hold_s(self) -> float:
        """How long after its time a frame is shown, so that all come out evenly; 0 for at once."""
        if self.fast or self.piece_s * self.fps <= _SLACK:
            return 0.0
        return min(self.piece_s, _LONGEST_HOLD_S) + max(self.age_s, 0.0)

    def arrived(self, duration_s: float, age_s: float) -> Pacing:
        """Take note of a piece of sound, the newest of which is `age_s` old."""
        share = 1.0 - math.exp(-min(duration_s, 1.0) / _MEMORY_S) if self.piece_s else 1.0
        return replace(
            self,
            piece_s=self.piece_s + share * (duration_s - self.piece_s),
            age_s=self.age_s + share * (age_s - self.age_s),
        )

    def pushed(self, frames: PoseFrames) -> Pacing:
        """Take frames in; no more are kept than can still be shown."""
        if self.fast:
            return self
        most = math.ceil(self.fps * _LONGEST_HOLD_S) + 1
        count = len(frames)
        fresh = [frame_slice(frames, slice(k, k + 1)) for k in range(max(count - most, 0), count)]
        return replace(self, waiting=(*self.waiting, *fresh)[-most:])

    def next_s(self, clock: AudioClock) -> float:
        """Wall time at which the next frame is due; infinite if there is none."""
        if not self.waiting:
            return math.inf
        return clock.wall_at(_time(self.waiting[0])) + self.hold_s

    def due(self, now_s: float, clock: AudioClock) -> tuple[Pacing, PoseSlice | None]:
        """Take out what is due by `now_s`; return the newest of it."""
        hold_s = self.hold_s
        until = clock.sound_at(now_s - hold_s) + 1e-9 if hold_s else math.inf
        count = sum(1 for frame in self.waiting if _time(frame) <= until)
        if not count:
            return self, None
        return replace(self, waiting=self.waiting[count:]), self.waiting[count - 1]


def _time(frame: PoseSlice) -> float:
    return float(frame.times_s[0])
