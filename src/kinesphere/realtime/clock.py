"""Clock of the audio against the wall clock: current audio time, and drift.

A sound card counts time in its samples, and its seconds differ from those of the system: 50 to 300
parts per million are common, up to a second per hour. Frames follow the audio. The clock is a line
from wall time to audio time: fitted to capture times (`observe`), or adjusted by the buffer fill
level (`steer`) if a sender gives no times.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

_MEMORY_S = 120.0
"""Time constant of the fit: with 5 ms of jitter its rate is right to 1 part per million."""
_PRIOR = 10.0**3 / 12.0
"""Weight of the prior "no drift", equal to 10 s of observations: short ones show no drift."""
_TELLING_S = 20.0
_STEERING_MOST = 1e-3
_STEERING_S = 20.0
_STEERING_WINDOW_S = 5.0
_SPARE_S = 0.02


@dataclass(frozen=True)
class AudioClock:
    """A line from wall time to audio time.

    Parameters
    ----------
    wall_s, sound_s : a point of the line.
    rate : seconds of audio per second.
    last_s : wall time of the last observation.
    weight, spread, slant : of the fit: summed weights, weighted sum of squares of wall time about
        `wall_s`, and of its products with sound time.
    spare_s : lowest buffer fill level in this window and in the one before.
    window_s : wall time at which this window started.
    """

    wall_s: float
    sound_s: float = 0.0
    rate: float = 1.0
    last_s: float = 0.0
    weight: float = 0.0
    spread: float = 0.0
    slant: float = 0.0
    spare_s: tuple[float, float] = (math.inf, math.inf)
    window_s: float = 0.0

    @property
    def drift_ppm(self) -> float:
        """Drift: how much faster the audio clock is than the system's, parts per million."""
        return 1e6 * (self.rate - 1.0)

    @property
    def measured(self) -> bool:
        """Whether capture times were observed long enough to measure the drift."""
        return self.weight >= _TELLING_S

    def sound_at(self, wall_s: float) -> float:
        """Audio time at a wall time."""
        return self.sound_s + (wall_s - self.wall_s) * self.rate

    def wall_at(self, sound_s: float) -> float:
        """Wall time of an audio time."""
        return self.wall_s + (sound_s - self.sound_s) / self.rate

    def observe(self, wall_s: float, sound_s: float, duration_s: float) -> AudioClock:
        """Fit the line to another pair: the first sample of `duration_s` was captured then."""
        if not self.weight:
            return replace(
                self, wall_s=wall_s, sound_s=sound_s, last_s=wall_s, weight=max(duration_s, 1e-6)
            )
        fade = math.exp(-max(wall_s - self.last_s, 0.0) / _MEMORY_S)
        old = fade * self.weight
        weight = old + duration_s
        across, up = wall_s - self.wall_s, sound_s - self.sound_s
        share, joint = duration_s / weight, duration_s * old / weight
        spread = fade * self.spread + joint * across * across
        slant = fade * self.slant + joint * across * up
        return replace(
            self,
            wall_s=self.wall_s + share * across,
            sound_s=self.sound_s + share * up,
            rate=(slant + _PRIOR) / (spread + _PRIOR),
            last_s=wall_s,
            weight=weight,
            spread=spread,
            slant=slant,
        )

    def steer(self, wall_s: float, spare_s: float) -> AudioClock:
        """Run faster if the buffer is never empty, slower if audio arrives late.

        Parameters
        ----------
        wall_s : now.
        spare_s : audio buffered behind the current chunk; negative is how late this one arrived.

        A sender may also write everything at once, so the correction stays below one in a
        thousand: enough for any clock, too little to be visible.
        """
        this, before = self.spare_s
        start_s = self.window_s if math.isfinite(this) else wall_s
        this = min(this, spare_s)
        if wall_s - start_s >= _STEERING_WINDOW_S:
            this, before, start_s = spare_s, this, wall_s
        least = min(this, before)
        aim = (least - _SPARE_S) / _STEERING_S
        rate = 1.0 + min(max(aim, -_STEERING_MOST), _STEERING_MOST)
        return replace(
            self,
            wall_s=wall_s,
            sound_s=self.sound_at(wall_s),
            rate=rate,
            spare_s=(this, before),
            window_s=start_s,
        )

    def advance(self, by_s: float) -> AudioClock:
        """Return the clock moved forward by audio that will never arrive."""
        return replace(self, sound_s=self.sound_s + by_s)
