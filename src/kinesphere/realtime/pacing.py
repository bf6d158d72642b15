"""Timing of displayed frames: evenly spaced, the newest first, from a bounded queue.

A screen shows one frame at a time. Audio chunks longer than a frame give several frames at once;
delayed by one such chunk, they are displayed evenly. A frame that is due together with a newer one
is dropped.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from kinesphere.realtime.clock import AudioClock
from kinesphere.realtime.sinks.sinks import PoseFrames, PoseSlice, frame_slice

_LONGEST_HOLD_S = 0.1
_MEMORY_S = 2.0
_SLACK = 1.1
"""Chunks up to this proportion of a frame need no delay."""


@dataclass(frozen=True, eq=False)
class Pacing:
    """Frames waiting for their display time.

    Parameters
    ----------
    fps : frames per second.
    fast : whether every frame is shown at once.
    waiting : single frames in order of time.
    piece_s : length of the audio chunks, a running mean.
    age_s : age of the newest sample of a chunk on arrival, a running mean.
    """

    fps: float
    fast: bool = False
    waiting: tuple[PoseSlice, ...] = ()
    piece_s: float = 0.0
    age_s: float = 0.0

    @property
    def hold_s(self) -> float:
        """Display delay of a frame, so that all are evenly spaced; 0 for at once."""
        if self.fast or self.piece_s * self.fps <= _SLACK:
            return 0.0
        return min(self.piece_s, _LONGEST_HOLD_S) + max(self.age_s, 0.0)

    def record_arrival(self, duration_s: float, age_s: float) -> Pacing:
        """Record an audio chunk, the newest sample of which is `age_s` old."""
        share = 1.0 - math.exp(-min(duration_s, 1.0) / _MEMORY_S) if self.piece_s else 1.0
        return replace(
            self,
            piece_s=self.piece_s + share * (duration_s - self.piece_s),
            age_s=self.age_s + share * (age_s - self.age_s),
        )

    def push(self, frames: PoseFrames) -> Pacing:
        """Add frames; only those that can still be shown are kept."""
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
        """Remove what is due by `now_s`; return the newest of it."""
        hold_s = self.hold_s
        until = clock.sound_at(now_s - hold_s) + 1e-9 if hold_s else math.inf
        count = sum(1 for frame in self.waiting if _time(frame) <= until)
        if not count:
            return self, None
        return replace(self, waiting=self.waiting[count:]), self.waiting[count - 1]


def _time(frame: PoseSlice) -> float:
    return float(frame.times_s[0])
