"""Compiled curves for other kernels."""

from __future__ import annotations

from kinesphere.maths.compiled import compiled


@compiled("f8(f8)")
def ease(ratio: float) -> float:
    """Minimum-jerk curve from 0 to 1; the twin of `curves.minimum_jerk` for one number."""
    r = min(max(ratio, 0.0), 1.0)
    return r * r * r * (10.0 + r * (6.0 * r - 15.0))
