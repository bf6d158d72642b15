"""Compiled sampling of tracks; the reference implementation is `DofTrack.plain`."""

from __future__ import annotations

from kinesphere.maths.arrays import Floats
from kinesphere.maths.compiled import compiled, reads

_EDGE = 0.18
_F1, _F2 = reads("float64", 1), reads("float64", 2)


@compiled("f8(f8)")
def even_way(r: float) -> float:
    """Ratio of the path at nearly constant speed."""
    top = 1.0 / (1.0 - _EDGE)
    if r < _EDGE:
        x = r / _EDGE
        return top * _EDGE * x**3 * (1.0 - 0.5 * x)
    if r > 1.0 - _EDGE:
        x = (1.0 - r) / _EDGE
        return 1.0 - top * _EDGE * x**3 * (1.0 - 0.5 * x)
    return top * (r - 0.5 * _EDGE)


@compiled(f"void({_F1}, {_F1}, {_F1}, {_F2}, {_F1}, {_F1}, {_F2}, {_F2}, f8[::1], f8[:, ::1])")
def sample_track(
    first: Floats,
    starts: Floats,
    lengths: Floats,
    changes: Floats,
    warps: Floats,
    flats: Floats,
    arcs: Floats,
    slopes: Floats,
    times: Floats,
    out: Floats,
) -> None:
    """Fill ``out [f, d]``: each step touches only the frames in its time."""
    frames, d = out.shape
    # Changes of completed steps, stored at their first frame after and summed at the end.
    for i in range(frames):
        for k in range(d):
            out[i, k] = 0.0
    for n in range(len(starts)):
        start, length = starts[n], lengths[n]
        low, high = 0, frames
        while low < high:
            mid = (low + high) // 2
            if times[mid] <= start:
                low = mid + 1
            else:
                high = mid
        i = low
        a, flat = warps[n], flats[n]
        m0, m1 = slopes[n, 0], slopes[n, 1]
        bell = m0 != m0
        before = 0.0
        before_arc = 0.0
        while i < frames:
            r = (times[i] - start) / length
            if r >= 1.0:
                break
            if bell:
                w = a * r / (1.0 + (a - 1.0) * r)
                along = w * w * w * (10.0 + w * (6.0 * w - 15.0))
                if flat > 0.0:
                    along = (1.0 - flat) * along + flat * even_way(w)
            else:
                along = r * (m0 + r * (3.0 - 2.0 * m0 - m1 + r * (m0 + m1 - 2.0)))
            bow = r * (1.0 - r)
            bow = 16.0 * bow * bow
            # Differences, because the sum over frames is taken at the end.
            for k in range(d):
                out[i, k] += (along - before) * changes[n, k] + (bow - before_arc) * arcs[n, k]
            before, before_arc = along, bow
            i += 1
        if i < frames:
            for k in range(d):
                out[i, k] += (1.0 - before) * changes[n, k] - before_arc * arcs[n, k]
    for k in range(d):
        total = first[k]
        for i in range(frames):
            total += out[i, k]
            out[i, k] = total
