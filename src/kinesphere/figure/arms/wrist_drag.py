"""Drag of the wrists: the hand lags behind the forearm, across it, as measured on speakers."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from functools import cache

import numpy as np

from kinesphere.maths.arrays import Floats, read_only

DRAG = 10
"""State of a hand: last position, velocity and its smoothed value, three each; whether known."""


@dataclass(frozen=True)
class DragSettings:
    """How a hand deviates against its acceleration; the loop reads the fields in this order."""

    smooth_s: float = 0.018  # time constant of each of two lags of the velocity
    rad_per_m_s2: float = 0.0075  # 0.4 to 0.7 degrees measured
    most_rad: float = 0.16  # well inside the wrist's range


@cache
def drag_row() -> Floats:
    """The settings as numbers for the compiled loop."""
    row: Floats = read_only(np.array(astuple(DragSettings())))
    return row


def wrist_drag(wrists: Floats, forearms: Floats, fps: float) -> Floats:
    """Deviation ``[f]`` of a hand towards the thumb, radians.

    Parameters
    ----------
    wrists, forearms : ``[f, 3]`` and ``[f, 4]`` position and rotation in the chest frame.
    """
    from kinesphere.figure.arms.drag_kernels import drag_wrist

    angles = np.zeros(len(wrists))
    drag_wrist(
        np.ascontiguousarray(wrists),
        np.ascontiguousarray(forearms),
        1.0 / fps,
        drag_row(),
        np.zeros(DRAG),
        angles,
    )
    return angles
