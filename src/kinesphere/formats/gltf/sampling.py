"""Sampling glTF animation tracks: STEP, LINEAR and CUBICSPLINE."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kinesphere.errors import UnreadableError
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats

_WIDTH = {"translation": 3, "rotation": 4, "scale": 3}


@dataclass(frozen=True)
class ChannelTrack:
    """One channel of an animation: key times and values as stored in the file."""

    node: int
    path: str
    times: Floats
    values: Floats
    interpolation: str
    place: str

    def validate(self) -> ChannelTrack:
        """Return the track with values as ``[keys, (3,) width]``, or raise `UnreadableError`."""
        times, keys = self.times, len(self.times)
        if (
            times.ndim != 1
            or keys == 0
            or not np.isfinite(times).all()
            or np.any(np.diff(times) < 0)
        ):
            raise UnreadableError(None, "its key times do not ascend", self.place)
        if self.interpolation not in ("STEP", "LINEAR", "CUBICSPLINE"):
            raise UnreadableError(
                None, f"interpolation {self.interpolation!r} is unknown", self.place
            )
        rows = 3 * keys if self.interpolation == "CUBICSPLINE" else keys
        width = _WIDTH.get(self.path) or (self.values.size // rows if rows else 0)
        if self.values.size != rows * width or width == 0:
            raise UnreadableError(
                None, f"{self.values.size} values do not fit {keys} keys", self.place
            )
        if not np.isfinite(self.values).all():
            raise UnreadableError(None, "a value is not finite", self.place)
        shape = (keys, 3, width) if self.interpolation == "CUBICSPLINE" else (keys, width)
        return replace(self, values=self.values.reshape(shape))


def sample_track(track: ChannelTrack, at: Floats) -> Floats:
    """Values ``[times, width]``; before the first key and after the last the ends are held."""
    times, values = track.times, track.values
    spline = track.interpolation == "CUBICSPLINE"
    points = values[:, 1] if spline else values
    if len(times) == 1:
        return np.repeat(points[:1], len(at), axis=0)
    # Times in the file are float32: a sample within a microsecond of a key means the key.
    i = np.clip(np.searchsorted(times, at + 1e-6, side="right") - 1, 0, len(times) - 2)
    step = times[i + 1] - times[i]
    r = np.clip((at - times[i]) / np.where(step > 0, step, 1.0), 0.0, 1.0)[:, None]
    if track.interpolation == "STEP":
        return np.where(at[:, None] + 1e-6 >= times[-1], points[-1], points[i])
    if spline:
        out, into = values[i, 2] * step[:, None], values[i + 1, 0] * step[:, None]
        a, b = points[i], points[i + 1]
        square, cubic = 3 * (b - a) - 2 * out - into, 2 * (a - b) + out + into
        return np.asarray(a + r * (out + r * (square + r * cubic)))
    if track.path == "rotation":
        # Slerp does not care which component is the scalar.
        a, b = quaternion.normalise(points[i]), quaternion.normalise(points[i + 1])
        return _slerp_any_order(a, b, r[:, 0])
    return np.asarray(points[i] * (1.0 - r) + points[i + 1] * r)


def _slerp_any_order(a: Floats, b: Floats, ratio: Floats) -> Floats:
    order = [3, 0, 1, 2]
    back = [1, 2, 3, 0]
    return quaternion.slerp(a[:, order], b[:, order], ratio)[:, back]
