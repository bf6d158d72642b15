"""Pelvis, belly, chest and neck."""

from __future__ import annotations

import numpy as np
from tools.mannequin.fields import Field, capsule, ellipsoid, joined, loft, mirrored, without
from tools.mannequin.limbs import Wrap, shell
from tools.mannequin.parts import DARK, Part, grid_part

from kinesphere.maths.arrays import Floats
from kinesphere.maths.curves import smoothstep

# Along Y: position, X from and to, Z from and to, exponent.
TORSO = [
    (0.845, -0.060, 0.060, -0.060, 0.050, 2.2),
    (0.875, -0.112, 0.112, -0.085, 0.076, 2.2),
    (0.910, -0.148, 0.148, -0.098, 0.086, 2.2),
    (0.960, -0.153, 0.153, -0.098, 0.090, 2.25),
    (1.010, -0.143, 0.143, -0.082, 0.089, 2.3),
    (1.060, -0.129, 0.129, -0.068, 0.086, 2.3),
    (1.110, -0.1215, 0.1215, -0.063, 0.084, 2.3),
    (1.160, -0.1245, 0.1245, -0.069, 0.087, 2.3),
    (1.230, -0.137, 0.137, -0.088, 0.098, 2.35),
    (1.300, -0.148, 0.148, -0.106, 0.106, 2.5),
    (1.350, -0.146, 0.146, -0.112, 0.101, 2.6),
    (1.400, -0.139, 0.139, -0.112, 0.082, 2.6),
    (1.435, -0.127, 0.127, -0.104, 0.056, 2.4),
    (1.460, -0.105, 0.105, -0.094, 0.036, 2.2),
    (1.485, -0.066, 0.066, -0.082, 0.022, 2.1),
]
NECK = [
    (1.40, -0.050, 0.050, -0.082, 0.014, 2.0),
    (1.46, -0.0465, 0.0465, -0.076, 0.016, 2.0),
    (1.50, -0.0430, 0.0430, -0.069, 0.021, 2.0),
    (1.55, -0.0415, 0.0415, -0.064, 0.026, 2.0),
    (1.60, -0.0400, 0.0400, -0.060, 0.028, 2.0),
]


def torso_field() -> Field:
    """Trunk with chest, shoulder blades, seat, and the grooves between."""
    solid = joined(
        loft(1, TORSO),
        (mirrored(ellipsoid((0.070, 1.345, 0.058), (0.072, 0.052, 0.050))), 0.03),
        (mirrored(ellipsoid((0.080, 1.335, -0.088), (0.055, 0.075, 0.030))), 0.04),
        (mirrored(ellipsoid((0.078, 0.905, -0.066), (0.068, 0.066, 0.050))), 0.03),
        (mirrored(capsule((0.020, 1.480, -0.045), (0.110, 1.446, -0.035), 0.024, 0.020)), 0.04),
    )
    solid = without(solid, capsule((0, 1.02, -0.122), (0, 1.38, -0.163), 0.040, 0.040), 0.035)
    return without(solid, capsule((0, 1.10, 0.127), (0, 1.30, 0.149), 0.034, 0.036), 0.03)


def torso() -> list[Part]:
    """Three shells over the undersuit."""
    wrap = Wrap(1, TORSO, torso_field())
    columns = 30

    def legs(directions: Floats) -> Floats:
        # Cut high at the sides for the legs, low in front and behind.
        side = np.abs(directions[:, 0])
        return np.asarray(0.866 + 0.093 * side**1.6)

    def flat(value: float) -> object:
        return lambda directions: np.full(len(directions), value)

    def neckline(directions: Floats) -> Floats:
        # Higher behind than in front, where the collar bones are.
        return np.asarray(1.462 - 0.012 * directions[:, 2] + 0.0 * directions[:, 0])

    return [
        shell("hips", wrap, legs, flat(1.012), 7, columns),  # type: ignore[arg-type]
        shell("spine", wrap, flat(1.036), flat(1.136), 5, columns),  # type: ignore[arg-type]
        shell("upperChest", wrap, flat(1.160), neckline, 11, columns, wall=0.04),  # type: ignore[arg-type]
        waist(wrap),
        neck(),
    ]


# Heights of the joints between the bones of the back.
BACK = (("hips", 0.0), ("spine", 1.06), ("chest", 1.18), ("upperChest", 1.30))
_HANDOVER = 0.045
_WAIST_INSET, _BEND_INSET = 0.013, 0.027


def waist(wrap: Wrap) -> Part:
    """The undersuit of the trunk: one piece that bends with the back, so that no shell is torn."""
    heights = np.array(
        [0.855, 0.90, 0.95, 0.99, 1.02, 1.05, 1.08, 1.12, 1.15, 1.18, 1.21, 1.26, 1.34, 1.41, 1.452]
    )
    places = np.repeat(heights[:, None], 18, axis=1)
    # Slimmer where the back bends, so that it does not show under a shell's edge.
    bends = smoothstep((heights - 0.95) / 0.05) * (1.0 - smoothstep((heights - 1.24) / 0.08))
    inset = _WAIST_INSET + (_BEND_INSET - _WAIST_INSET) * bends
    grid = wrap.surface(places, wrap.directions(18), inset[:, None] * np.ones(18))
    part = grid_part("spine", grid, DARK, first_cap=True, last_cap=True)
    y = part.vertices[:, 1]
    shares: dict[str, Floats] = {}
    for k, (bone, height) in enumerate(BACK):
        share = smoothstep((y - height) / (2 * _HANDOVER) + 0.5) if k else np.ones(len(y))
        if k + 1 < len(BACK):
            share = share * (1.0 - smoothstep((y - BACK[k + 1][1]) / (2 * _HANDOVER) + 0.5))
        shares[bone] = share
    return Part(part.bone, part.vertices, part.triangles, part.colours, {}, shares)


def neck() -> Part:
    """Dark neck."""
    wrap = Wrap(1, NECK, loft(1, NECK))
    places = np.repeat(np.linspace(1.405, 1.598, 5)[:, None], 14, axis=1)
    return grid_part(
        "neck", wrap.surface(places, wrap.directions(14)), DARK, first_cap=True, last_cap=True
    )
