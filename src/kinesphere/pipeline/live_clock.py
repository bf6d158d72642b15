"""The sound's own clock beside the wall clock: where the sound is at a moment, and how they drift.

A sound card counts time in its samples, and its seconds are not quite ours: 50 to 300 parts in a
million are common, a whole second an hour. Frames follow the sound. The clock is a line from wall
time to sound time: fitted to when samples were captured (`observed`), or steered by what waits to
be read (`steered`) if a sender tells no times.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

_MEMORY_S = 120.0
"""How far back the line looks: with 5 ms of jitter it is then right to 1 part in a million."""
_PRIOR = 10.0**3 / 12.0
"""Weight of "no drift", as much as 10 s of observations: short ones say nothing of drift."""
_TELLING_S = 20.0
_STEERING_MOST = 1e-3
_STEERING_S = 20.0
_STEERING_WINDOW_S = 5.0
_SPARE_S = 0.02


@dataclass(frozen=True)
class AudioClock:
    """A line from wall time to sound time.

    Parameters
    ----------
    wall_s, sound_s : a point of the line.
    rate : seconds of sound in a second.
    last_s : wall time of the last observation.
    weight, spread, slant : of the fit: summed weights, weighted sum of squares of wall time about
        `wall_s`, and of its products with sound time.
    spare_s : least sound that waited to be read in this window and in the one before.
    window_s : wall time at which this window began.
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
        """How much faster than ours the sound's seconds go by, parts in a million."""
        return 1e6 * (self.rate - 1.0)

    @property
    def measured(self) -> bool:
        """Whether capture times were seen for long enough to tell the drift."""
        return self.weight >= _TELLING_S

    def sound_at(self, wall_s: float) -> float:
        """Sound time at a wall time."""
        return self.sound_s + (wall_s - self.wall_s) * self.rate

    def wall_at(self, sound_s: float) -> float:
        """Wall time of a moment of the sound."""
        return self.wall_s + (sound_s - self.sound_s) / self.rate

    def observed(self, wall_s: float, sound_s: float, duration_s: float) -> AudioClock:
        """Fit the line to another pair: the first of `duration_s` of sound was captured then."""
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

    def steered(self, wall_s: float, spare_s: float) -> AudioClock:
        """Go faster if sound always waits to be read, slower if it comes late.

        Parameters
        ----------
        wall_s : now.
        spare_s : sound that waits behind what is taken now; negative is how late this one came.

        A sender may also write all it has at once, so the correction stays below one in a
        thousand: enough for any clock, too little to be seen.
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

    def moved(self, by_s: float) -> AudioClock:
        """Return the clock with the sound set forward: time that it will never have."""
        return replace(self, sound_s=self.sound_s + by_s)
