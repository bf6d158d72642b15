"""When the targets of a physical body are set, to compensate its lag.

A damped joint lags behind its target. The paper starts all poses 0.12 s earlier, and
shortens strokes and preparations with a pause after them, so that the body has time to catch
up (eqs 6.5 and 6.6); progressives, which may not pause, are enlarged instead. Our default advances
the target of each joint by its own lag, and does not change the motion.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.gesture.phases import Phase
from kinesphere.maths.arrays import Floats
from kinesphere.maths.bounds import check_range
from kinesphere.maths.curves import smoothstep
from kinesphere.motion.body.arms import Side

ADVANCE_S = 0.12
"""By how much the paper advances all poses."""
PROGRESSIVE_SPAN = 1.6
"""Factor by which the paper enlarges progressives, instead of shortening their parts."""
_FADE_S = 0.15
Span = tuple[float, float]


@dataclass(frozen=True)
class TargetTiming:
    """When the targets are set.

    Parameters
    ----------
    advance_s : by how much all targets are advanced; None advances each joint by its own lag.
    shorten : shorten strokes and preparations, followed by a pause (eqs 6.5 and 6.6).
    progressives : times (start, end in seconds) of each arm's continuous movements; they are not
        shortened but enlarged by `span` about their middle.
    span : factor for progressives.
    """

    advance_s: float | None = None
    shorten: bool = False
    progressives: Mapping[Side, Sequence[Span]] = field(default_factory=dict)
    span: float = PROGRESSIVE_SPAN

    def __post_init__(self) -> None:
        if self.advance_s is not None and not 0.0 <= self.advance_s <= 1.0:
            raise InvalidValueError(f"advance is {self.advance_s} s, allowed is 0 to 1 s")
        check_range("span of progressives", self.span, 1.0, 3.0)
        for start_s, end_s in (span for side in self.progressives.values() for span in side):
            if not 0.0 <= start_s < end_s:
                raise InvalidValueError(
                    f"a progressive lasts from {start_s:g} to {end_s:g} s; it must end after it "
                    "starts"
                )


PAPER = TargetTiming(ADVANCE_S, shorten=True)
"""The timing of the paper."""


def shortened_stroke_s(duration_s: ArrayLike) -> Floats:
    """Duration of a shortened stroke, followed by a pause (eq 6.5).

    >>> float(shortened_stroke_s(0.5))
    0.2
    """
    d = np.asarray(duration_s, dtype=np.float64)
    return np.minimum(0.8 * d, np.maximum(0.15, d - 0.3))


def shortened_preparation_s(duration_s: ArrayLike) -> Floats:
    """Duration of a shortened preparation, followed by a pause (eq 6.6, with its own duration).

    >>> float(shortened_preparation_s(0.5))
    0.35
    """
    d = np.asarray(duration_s, dtype=np.float64)
    return np.minimum(0.8 * d, np.maximum(0.1, d - 0.15))


def shortened_s(phase: Phase) -> float:
    """Time in which a phase's motion is done; the rest of it is a pause."""
    if phase.kind in ("stroke", "after-stroke"):
        return float(shortened_stroke_s(phase.duration_s))
    if phase.kind == "preparation":
        return float(shortened_preparation_s(phase.duration_s))
    return phase.duration_s


def shortened_times(
    times_s: ArrayLike, phases: Iterable[Phase], progressives: Sequence[Span] = ()
) -> Floats:
    """Input time of the motion at each of the times.

    Each stroke and preparation keeps its start, is shortened and held until it ends. Phases in
    a progressive are unchanged.
    """
    times = np.asarray(times_s, dtype=np.float64)
    out = times.copy()
    for phase in phases:
        middle = 0.5 * (phase.start_s + phase.end_s)
        if any(start_s <= middle < end_s for start_s, end_s in progressives):
            continue
        inside = (times >= phase.start_s) & (times < phase.end_s)
        done = max(shortened_s(phase), 1e-9)
        ratio = np.minimum((times[inside] - phase.start_s) / done, 1.0)
        out[inside] = phase.start_s + ratio * phase.duration_s
    return out


def widen(
    values: Floats, times_s: Floats, spans: Iterable[Span], factor: float = PROGRESSIVE_SPAN
) -> Floats:
    """Angles ``[frames, n]`` enlarged about their mean within time spans, fading at the ends.

    The ends of a span keep their values, so that it is continuous.
    """
    out = values.copy()
    for start_s, end_s in spans:
        inside = (times_s >= start_s) & (times_s <= end_s)
        if not inside.any():
            continue
        t = times_s[inside]
        fade = min(_FADE_S, 0.5 * (end_s - start_s))
        share = smoothstep((t - start_s) / fade) * smoothstep((end_s - t) / fade)
        mean = values[inside].mean(axis=0)
        grow = 1.0 + (factor - 1.0) * share[:, None]
        out[inside] = mean + grow * (values[inside] - mean)
    return out
