"""The timing function of an Effort: `Timing` with guards that the paper lacks.

Over all combinations of Effort the anticipation is at most 10 percent of a movement's path and the
overshoot at most 22, less for longer durations.
"""

from __future__ import annotations

from kinesphere.errors import InvalidValueError
from kinesphere.expression.keys.parameters import LowLevel
from kinesphere.maths.curves import smoothstep
from kinesphere.motion.keyed.movement import PAPER_EDGE, Timing

__all__ = ["EDGE_S", "SWING_S", "Timing", "timing"]

# Duration of an anticipation or overshoot, and least duration of acceleration and deceleration.
SWING_S, EDGE_S = 0.1, 0.08
SEEN = 0.03  # velocity above which they have that duration
# A movement of this duration is too short for anticipation or overshoot, and nearly for a skew; one
# longer by this much has them in full.
SHORT_S, ROOM_S = 0.2, 0.4


def timing(low: LowLevel, duration_s: float) -> Timing:
    """Timing function of a movement that takes `duration_s`.

    Raises
    ------
    InvalidValueError
        If the duration is not positive.
    """
    _check_duration(duration_s)
    t0, t1 = PAPER_EDGE, 1.0 - PAPER_EDGE
    room = float(smoothstep((duration_s - SHORT_S) / ROOM_S))
    exponent = 1.0 + (low.exponent - 1.0) * (0.3 + 0.7 * room)
    edge = min(EDGE_S / duration_s, 0.4)
    ti = min(max(low.inflection, edge**exponent), (1.0 - edge) ** exponent)
    v0, v1 = low.start_velocity * room, low.end_velocity * room
    swing = min(SWING_S / duration_s, 0.2)
    # The smaller it is, the nearer to the end it stays.
    early = min(max(t0, swing**exponent), 0.5 * ti)
    late = max(min(t1, (1.0 - swing) ** exponent), 0.5 * (1.0 + ti))
    t0 += (early - t0) * min(1.0, max(v0, 0.0) / SEEN)
    t1 += (late - t1) * min(1.0, max(v1, 0.0) / SEEN)
    return _forward(Timing((t0, ti, t1), (-v0, ti, -v1), exponent, low.flatness))


def printed_timing(low: LowLevel, duration_s: float) -> Timing:
    """Timing function as published.

    Raises
    ------
    InvalidValueError
        If the duration is not positive, or the parameters let the path run backward.
    """
    _check_duration(duration_s)
    corners = (PAPER_EDGE, low.inflection, 1.0 - PAPER_EDGE)
    speeds = (-low.start_velocity, low.inflection, -low.end_velocity)
    return _forward(Timing(corners, speeds, low.exponent, low.flatness))


def _check_duration(duration_s: float) -> None:
    if not duration_s > 0.0:
        raise InvalidValueError(f"a movement takes {duration_s} s, allowed is > 0")


def _forward(q: Timing) -> Timing:
    """The timing function itself, if it does not run backward."""
    t0, ti, t1 = q.corners
    if q.exponent <= 0.0 or not 0.0 < t0 < ti < t1 < 1.0 or q.area <= 0.0:
        raise InvalidValueError(
            f"this Effort runs backward as published: inflection {ti:.2f} (allowed: between {t0:g} "
            f"and {t1:g}), exponent {q.exponent:.2f} (above 0), path {q.area:.2f} (above 0); "
            "leave 'paper' off"
        )
    return q
