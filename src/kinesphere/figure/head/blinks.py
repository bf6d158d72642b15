"""Blinks of a character and raises of its brows: rates, causes and shapes.

People blink at the ends of phrases and with larger shifts of gaze, else from time to time, and not
on an accent. Each cause brings the next blink forward.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from kinesphere.maths.arrays import Floats
from kinesphere.maths.bounds import check_bounds, range_field
from kinesphere.speech.prosody.framing import seal


@dataclass(frozen=True)
class BlinkSettings:
    """Times and shape of blinks.

    Parameters
    ----------
    per_min : rate without cues, as of a listener; about 24 with those of speech.
    apart_s : least time between two blinks.
    length_s : shortest and longest duration, about that of spontaneous blinks.
    closing : ratio of it in which the lids close.
    shut : ratio in which they are closed; the rest is opening.
    end_ratio : ratio of phrase ends with a blink.
    end_late_s : its longest delay.
    shift_deg, shift_ratio : ratio of gaze shifts over this angle that have a blink.
    shift_late_s : its longest delay.
    margin_s : between an accent that is known ahead and a blink.
    """

    per_min: float = range_field(15.0, 0.0, 40.0)
    apart_s: float = range_field(0.9, 0.4, 10.0)
    length_s: tuple[float, float] = range_field((0.2, 0.28), 0.06, 0.39)
    closing: float = range_field(0.32, 0.05, 0.6)
    shut: float = range_field(0.14, 0.0, 0.35)
    end_ratio: float = range_field(0.4, 0.0, 1.0)
    end_late_s: float = range_field(0.2, 0.0, 2.0)
    shift_deg: float = range_field(14.0, 0.0, 90.0)
    shift_ratio: float = range_field(0.5, 0.0, 1.0)
    shift_late_s: float = range_field(0.04, 0.0, 1.0)
    margin_s: float = range_field(0.03, 0.0, 0.5)

    def __post_init__(self) -> None:
        check_bounds(self)


@dataclass(frozen=True)
class BrowSettings:
    """Raises of the brows.

    Parameters
    ----------
    least : syllables with less prominence raise no brow.
    apart_s : least time between two raises; where all syllables are known, the most prominent are
        kept.
    lead_s, hold_s, fall_s : time by which a raise starts before the syllable's peak, its hold and
        its fall.
    height : for the most prominent syllable; the least prominent have half of it.
    live_ratio : ratio of it where a syllable's prominence is not known.
    """

    least: float = range_field(0.6, 0.0, 1.0)
    apart_s: float = range_field(1.2, 0.0, 60.0)
    lead_s: float = range_field(0.16, 0.02, 2.0)
    hold_s: float = range_field(0.12, 0.0, 2.0)
    fall_s: float = range_field(0.4, 0.02, 5.0)
    height: float = range_field(0.7, 0.0, 1.0)
    live_ratio: float = range_field(0.75, 0.0, 1.0)

    def __post_init__(self) -> None:
        check_bounds(self)

    @property
    def length_s(self) -> float:
        """Duration of a raise."""
        return self.lead_s + self.hold_s + self.fall_s


@lru_cache(maxsize=16)
def blink_limits(b: BlinkSettings, brows: BrowSettings) -> Floats:
    """Values of the settings in the order of the compiled loops."""
    every_s = 60.0 / b.per_min if b.per_min > 0.0 else math.inf
    limits = np.array(
        [
            every_s,
            b.apart_s,
            *b.length_s,
            b.closing,
            b.shut,
            b.end_ratio,
            b.end_late_s,
            math.radians(b.shift_deg),
            b.shift_ratio,
            b.shift_late_s,
            max(brows.apart_s, brows.length_s),
            brows.lead_s,
            brows.hold_s,
            brows.fall_s,
            every_s,
        ]
    )
    seal(limits)
    return limits
