"""The head: a grid of directions around its middle, projected onto a field, split at the mouth."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from tools.mannequin.fields import (
    Field,
    capsule,
    ellipsoid,
    joined,
    loft,
    mirrored,
    outermost,
    union,
    without,
)
from tools.mannequin.parts import SHELL, Part

from kinesphere.maths.arrays import Bools, Floats, Ints

CENTRE = np.array([0.0, 1.632, 0.0])
EYE = np.array([0.032, 1.6375, 0.069])
EYE_RADIUS = 0.0180
MOUTH_Y = 1.5715
MOUTH_HALF = 15.0  # degrees from the middle to a corner, seen from the head's centre
LIP_COLOUR = np.array([0.60, 0.40, 0.35])
INSIDE = np.array([0.10, 0.022, 0.022])

# Elevations of the rows and directions of the columns, degrees; denser at the face.
ROWS = np.array(
    [
        -80,
        -70,
        -62,
        -56,
        -51,
        -47,
        -43.5,
        -40.6,
        -38.2,
        -36.4,
        -34.8,
        -33.2,
        -31.6,
        -29.7,
        -27.2,
        -24.4,
        -21.4,
        -18.2,
        -14.6,
        -10.5,
        -6,
        -1.5,
        3,
        7.5,
        12,
        17,
        23,
        31,
        42,
        56,
        74,
    ]
)
MOUTH_ROW = 11
HALF_COLUMNS = np.array(
    [
        0,
        2.6,
        5.2,
        7.8,
        10.4,
        12.8,
        15,
        18.2,
        22,
        26.4,
        31.4,
        37,
        43.5,
        51,
        60,
        71,
        84,
        100,
        119,
        139,
        160,
        180,
    ]
)
COLUMNS = np.concatenate([HALF_COLUMNS, -HALF_COLUMNS[-2:0:-1]])


def head_field() -> Field:
    """Skull and face."""
    skull = ellipsoid((0, 1.664, -0.012), (0.0755, 0.0865, 0.096))
    face = loft(
        1,
        [
            (1.522, -0.012, 0.012, 0.055, 0.078, 2.2),
            (1.527, -0.024, 0.024, 0.042, 0.0865, 2.2),
            (1.538, -0.0345, 0.0345, 0.020, 0.090, 2.15),
            (1.556, -0.046, 0.046, -0.005, 0.089, 2.1),
            (1.580, -0.0545, 0.0545, -0.030, 0.0885, 2.1),
            (1.610, -0.0595, 0.0595, -0.050, 0.0885, 2.35),
            (1.640, -0.0655, 0.0655, -0.060, 0.0885, 2.35),
            (1.670, -0.069, 0.069, -0.060, 0.0885, 2.25),
            (1.695, -0.062, 0.062, -0.050, 0.080, 2.2),
            (1.715, -0.040, 0.040, -0.030, 0.050, 2.1),
        ],
    )
    solid = joined(
        skull,
        (face, 0.03),
        (mirrored(ellipsoid((0.0455, 1.6095, 0.053), (0.0145, 0.011, 0.021))), 0.03),
        (mirrored(ellipsoid((0.0435, 1.574, 0.010), (0.0065, 0.018, 0.022))), 0.03),
        (mirrored(ellipsoid((0.031, 1.588, 0.0605), (0.018, 0.020, 0.018))), 0.03),
    )
    solid = without(
        solid, mirrored(ellipsoid((0.0335, 1.6375, 0.1010), (0.0250, 0.0165, 0.0215))), 0.016
    )
    solid = joined(
        solid,
        (
            mirrored(capsule((0.010, 1.6585, 0.0845), (0.047, 1.6590, 0.0670), 0.0050, 0.0045)),
            0.016,
        ),
        (capsule((0, 1.650, 0.0835), (0, 1.6075, 0.1035), 0.0048, 0.0066), 0.014),
        (ellipsoid((0, 1.6050, 0.1035), (0.0088, 0.0074, 0.0082)), 0.009),
        (mirrored(ellipsoid((0.0098, 1.6030, 0.0950), (0.0054, 0.0054, 0.0078))), 0.009),
        (ellipsoid((0, 1.570, 0.0790), (0.026, 0.022, 0.0165)), 0.016),
        (
            mirrored(
                capsule(
                    (0.0040, MOUTH_Y + 0.0043, 0.0920),
                    (0.0195, MOUTH_Y + 0.0010, 0.0835),
                    0.0047,
                    0.0028,
                )
            ),
            0.008,
        ),
        (
            mirrored(
                capsule(
                    (0.0045, MOUTH_Y - 0.0052, 0.0912),
                    (0.0175, MOUTH_Y - 0.0018, 0.0843),
                    0.0056,
                    0.0032,
                )
            ),
            0.008,
        ),
        (ellipsoid((0, 1.5385, 0.0798), (0.0165, 0.0125, 0.0135)), 0.016),
    )
    solid = without(solid, ellipsoid((0, 1.5535, 0.0990), (0.018, 0.0034, 0.0050)), 0.008)
    return union(solid, mirrored(ellipsoid(EYE, (EYE_RADIUS - 0.0012,) * 3)), 0.010)


class Skin:
    """Vertices of the head with the values that the face shapes need for each."""

    def __init__(self) -> None:
        self.field = head_field()
        grid = self._grid()
        rows, columns = grid.shape[:2]
        crown = outermost(self.field, CENTRE, np.array([0.0, 1.0, 0.0]), 0.2)
        under = outermost(self.field, CENTRE, np.array([0.0, -1.0, 0.0]), 0.2)
        self.inside = np.flatnonzero(np.abs(COLUMNS) < MOUTH_HALF - 0.1)
        lower = grid[MOUTH_ROW, self.inside]
        rolls = self._lip_rolls(grid)
        self.vertices = np.concatenate(
            [grid.reshape(-1, 3), lower, *rolls, crown[None], under[None]]
        )
        self.triangles = self._triangles(rows, columns)
        self.elevation = self._per_vertex(np.repeat(ROWS, columns), ROWS[MOUTH_ROW])
        self.heading = self._per_vertex(np.tile(COLUMNS, rows), None)
        self.below = self._below(rows, columns)
        self.roll = np.zeros(len(self.vertices))
        self.roll[self._roll_slices()[0]] = 0.5
        self.roll[self._roll_slices()[1]] = 1.0

    def _grid(self) -> Floats:
        tilt, turn = np.radians(ROWS)[:, None], np.radians(COLUMNS)[None, :]
        rays = np.stack(
            [np.cos(tilt) * np.sin(turn), np.sin(tilt) + 0 * turn, np.cos(tilt) * np.cos(turn)],
            axis=-1,
        )
        return outermost(self.field, np.broadcast_to(CENTRE, rays.shape), rays, 0.2)

    def _lip_rolls(self, grid: Floats) -> list[Floats]:
        """Two rows behind the upper lip and two behind the lower."""
        edge = grid[MOUTH_ROW, self.inside]
        middle = np.cos(np.radians(COLUMNS[self.inside] * 90 / MOUTH_HALF))[:, None]
        near, far = np.array([0.0, 0.0008, -0.005]), np.array([0.0, 0.0032, -0.012])
        flip = np.array([1.0, -1.0, 1.0])
        return [
            edge + middle * near,
            edge + middle * near * flip,
            edge + middle * far,
            edge + middle * far * flip,
        ]

    def _counts(self) -> tuple[int, int, int]:
        grid = len(ROWS) * len(COLUMNS)
        return grid, len(self.inside), grid + len(self.inside)

    def _roll_slices(self) -> tuple[slice, slice]:
        _, n, start = self._counts()
        return slice(start, start + 2 * n), slice(start + 2 * n, start + 4 * n)

    def _per_vertex(self, on_grid: Floats, at_mouth: float | None) -> Floats:
        """Extend values of the grid to the split rows, the lip rolls and the poles."""
        mouth = COLUMNS[self.inside] if at_mouth is None else np.full(len(self.inside), at_mouth)
        poles = [0.0, 180.0] if at_mouth is None else [90.0, -90.0]
        return np.concatenate([on_grid, *[mouth] * 5, poles])

    def _below(self, rows: int, columns: int) -> Bools:
        """Whether a vertex belongs to the lower side of the mouth."""
        _, n, _ = self._counts()
        grid = np.repeat(np.arange(rows) < MOUTH_ROW, columns)
        yes, no = np.ones(n, bool), np.zeros(n, bool)
        return np.concatenate([grid, yes, no, yes, no, yes, [False, True]])

    def _triangles(self, rows: int, columns: int) -> Ints:
        grid, n, rolls = self._counts()
        lower = np.arange(rows * columns).reshape(rows, columns).copy()
        upper = lower.copy()
        split = {int(c): grid + k for k, c in enumerate(self.inside)}
        out: list[tuple[int, int, int]] = []
        for r in range(rows - 1):
            for c in range(columns):
                d = (c + 1) % columns
                a, b = int(lower[r, c]), int(lower[r, d])
                e, f = int(upper[r + 1, c]), int(upper[r + 1, d])
                if r + 1 == MOUTH_ROW:
                    e, f = split.get(c, e), split.get(d, f)
                out += [(a, b, f), (a, f, e)]
        top, bottom = len(self.vertices) - 2, len(self.vertices) - 1
        for c in range(columns):
            d = (c + 1) % columns
            out.append((int(lower[-1, c]), int(lower[-1, d]), top))
            out.append((int(lower[0, d]), int(lower[0, c]), bottom))
        return np.array(out + self._roll_triangles(lower[MOUTH_ROW], split, rolls, n))

    def _roll_triangles(
        self, mouth: Ints, split: dict[int, int], rolls: int, n: int
    ) -> list[tuple[int, int, int]]:
        """Skin of the lips that rolls inward, upper and lower."""
        order = sorted(range(n), key=lambda k: COLUMNS[self.inside[k]])
        out: list[tuple[int, int, int]] = []
        for k, j in pairwise(order):
            up = [int(mouth[self.inside[k]]), int(mouth[self.inside[j]])]
            low = [split[int(self.inside[k])], split[int(self.inside[j])]]
            for layer in range(2):
                start = rolls + 2 * n * layer
                new_up, new_low = [start + k, start + j], [start + n + k, start + n + j]
                out += [(up[0], new_up[0], new_up[1]), (up[0], new_up[1], up[1])]
                out += [(low[0], new_low[1], new_low[0]), (low[0], low[1], new_low[1])]
                up, low = new_up, new_low
        return out

    def colours(self) -> Floats:
        """Shell colour, lips tinted, the inside of the mouth dark red."""
        x, y, z = self.vertices.T
        across = np.clip(1.0 - (x / 0.0235) ** 2, 0.0, 1.0)
        high, low = 0.0072 * np.sqrt(across), 0.0088 * np.sqrt(across)
        away = np.where(
            self.below,
            (MOUTH_Y - y) / np.maximum(low, 1e-6),
            (y - MOUTH_Y) / np.maximum(high, 1e-6),
        )
        lip = np.clip(1.6 - 1.4 * np.abs(away), 0.0, 1.0) * (z > 0.07) * (across > 0.02)
        out = SHELL + 0.62 * lip[:, None] * (LIP_COLOUR - SHELL)
        roll = self.roll[:, None]
        return np.asarray(out * (1 - roll) + INSIDE * roll)

    def part(self, morphs: dict[str, Floats], jaw: Floats) -> Part:
        """The head as a part; `jaw` is how much of each vertex follows the jaw's joint."""
        shares = {"head": 1.0 - jaw, "jaw": jaw}
        return Part("head", self.vertices, self.triangles, self.colours(), morphs, shares)
