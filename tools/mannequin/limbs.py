"""Arms, legs, hands and feet: shells over an undersuit, of the left side.

Where a joint bends, the shells on its inner side are cut back along the plane that bisects the
sharpest bend, so that they never pass through each other; the dark undersuit shows there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from tools.mannequin.fields import Field, Sections, ellipsoid, joined, loft, outermost
from tools.mannequin.parts import DARK, SHELL, Part, ball, grid_part

from kinesphere.character.default import joint_positions
from kinesphere.maths.arrays import Floats

J = {name: np.array(place) for name, place in joint_positions().items()}
INSET = 0.0078
LIP = 0.005

# Arm along X: position, Y from and to, Z from and to, exponent.
ARM = [
    (0.105, 1.365, 1.435, -0.055, 0.010, 2.2),
    (0.150, 1.352, 1.452, -0.072, 0.032, 2.2),
    (0.190, 1.350, 1.464, -0.075, 0.033, 2.2),
    (0.230, 1.354, 1.462, -0.073, 0.029, 2.2),
    (0.280, 1.362, 1.456, -0.070, 0.0225, 2.2),
    (0.335, 1.3665, 1.4535, -0.067, 0.0195, 2.2),
    (0.400, 1.377, 1.4465, -0.059, 0.0155, 2.2),
    (0.455, 1.3805, 1.444, -0.057, 0.0125, 2.3),
    (0.495, 1.3775, 1.4475, -0.059, 0.0175, 2.25),
    (0.535, 1.3775, 1.448, -0.0585, 0.0195, 2.2),
    (0.590, 1.384, 1.4415, -0.053, 0.015, 2.2),
    (0.650, 1.392, 1.4335, -0.0475, 0.0085, 2.2),
    (0.705, 1.3945, 1.430, -0.047, 0.0085, 2.3),
    (0.735, 1.397, 1.428, -0.050, 0.012, 2.4),
]
# Leg along Y: position, X from and to, Z from and to, exponent.
LEG = [
    (0.060, 0.058, 0.120, -0.046, 0.024, 2.2),
    (0.085, 0.0575, 0.1195, -0.045, 0.024, 2.2),
    (0.115, 0.0605, 0.1155, -0.042, 0.020, 2.2),
    (0.180, 0.056, 0.1195, -0.050, 0.024, 2.1),
    (0.260, 0.0465, 0.1285, -0.064, 0.0315, 2.1),
    (0.335, 0.0375, 0.1365, -0.074, 0.0375, 2.1),
    (0.395, 0.0375, 0.1375, -0.070, 0.042, 2.1),
    (0.445, 0.0425, 0.1345, -0.058, 0.048, 2.15),
    (0.492, 0.0435, 0.135, -0.051, 0.0545, 2.2),
    (0.540, 0.0405, 0.1385, -0.054, 0.061, 2.15),
    (0.620, 0.030, 0.149, -0.064, 0.073, 2.1),
    (0.720, 0.018, 0.162, -0.078, 0.083, 2.1),
    (0.800, 0.011, 0.164, -0.078, 0.086, 2.1),
    (0.860, 0.0085, 0.165, -0.082, 0.083, 2.1),
    (0.930, 0.020, 0.154, -0.080, 0.074, 2.1),
]


def arm_field() -> Field:
    """The whole arm with its shoulder muscle."""
    return joined(loft(0, ARM), (ellipsoid((0.205, 1.414, -0.022), (0.062, 0.053, 0.058)), 0.03))


def leg_field() -> Field:
    """The whole leg with its knee cap."""
    return joined(loft(1, LEG), (ellipsoid((0.089, 0.497, 0.040), (0.023, 0.032, 0.018)), 0.025))


class Wrap:
    """Tubes around an axis, projected onto a field.

    `around` converts an angle to a direction: 0 is the first of the other two axes' positive side.
    """

    def __init__(self, axis: int, rows: Sequence[Sequence[float]], solid: Field) -> None:
        self.sections, self.solid, self.axis = Sections(axis, rows), solid, axis
        self.first, self.second = self.sections.others

    def directions(self, columns: int) -> Floats:
        """Unit directions ``[columns, 3]``, counter-clockwise about the axis."""
        angle = np.arange(columns) * 2 * np.pi / columns
        out = np.zeros((columns, 3))
        sign = 1.0 if self.axis != 1 else -1.0
        out[:, self.first], out[:, self.second] = np.cos(angle), sign * np.sin(angle)
        return out

    def surface(self, places: Floats, directions: Floats, inset: Floats | float = 0.0) -> Floats:
        """Points of the surface at positions ``[rows, columns]`` along the axis, moved inward."""
        centre, _, _ = self.sections.at(places)
        origin = np.zeros((*places.shape, 3))
        origin[..., self.axis] = places
        origin[..., [self.first, self.second]] = centre
        rays = np.broadcast_to(directions, origin.shape)
        hit = outermost(self.solid, origin, rays, 0.22)
        return np.asarray(hit - rays * np.asarray(inset)[..., None])


def shell(
    bone: str,
    wrap: Wrap,
    start: Callable[[Floats], Floats],
    end: Callable[[Floats], Floats],
    rows: int,
    columns: int,
    wall: float = 0.0,
) -> Part:
    """Tube between two edges that may differ by direction, its lips rounded and turned inward."""
    around = wrap.directions(columns)
    first, last = start(around), end(around)
    # Rows are denser at the lips: the last steps follow a quarter circle down to the undersuit.
    lip = np.array([0.0, 0.0, 0.25, 1.0]) * LIP
    drop = np.array([INSET + 0.001, 0.0026, 0.0009, 0.0])
    middle = np.linspace(0.0, 1.0, rows)[1:-1]
    places = [first + x for x in lip]
    inset = [np.full(columns, x) for x in drop]
    a, b = first + LIP, last - LIP
    places += [a + r * (b - a) for r in middle]
    inset += [np.zeros(columns)] * len(middle)
    places += [last - x for x in lip[::-1]]
    inset += [np.full(columns, x) for x in drop[::-1]]
    if wall:
        # The inside of the upper edge, where it is visible.
        places.append(last - wall)
        inset.append(np.full(columns, INSET + 0.002))
    grid = wrap.surface(np.array(places), around, np.array(inset))
    return grid_part(bone, grid, SHELL)


def suit(bone: str, wrap: Wrap, start: float, end: float, rows: int, columns: int) -> Part:
    """Dark tube just below the surface."""
    places = np.repeat(np.linspace(start, end, rows)[:, None], columns, axis=1)
    grid = wrap.surface(places, wrap.directions(columns), INSET)
    return grid_part(bone, grid, DARK, first_cap=True, last_cap=True)


def edge(
    wrap: Wrap, joint: Floats, sign: float, gap: float, inner: Floats, half_angle: float
) -> Callable[[Floats], Floats]:
    """Edge of a shell next to a joint: `gap` from it, and cut back where the limb bends inward.

    Beyond the edge no point may cross the plane that bisects the sharpest bend: its height towards
    `inner` over its distance along the limb stays below the tangent of `half_angle`.
    """

    def place(directions: Floats) -> Floats:
        distance = np.linspace(0.01, 0.36, 141)
        places = joint[wrap.axis] + sign * np.repeat(distance[:, None], len(directions), axis=1)
        height = (wrap.surface(places, directions) - joint) @ inner
        crosses = height > distance[:, None] * np.tan(np.radians(half_angle)) - 0.0008
        last = np.where(crosses, distance[:, None], 0.0).max(axis=0)
        back = np.maximum(gap, last + 0.004)
        # Rounded, and never nearer than needed.
        smooth = back
        for _ in range(2):
            smooth = np.maximum(
                back, 0.25 * np.roll(smooth, 1) + 0.5 * smooth + 0.25 * np.roll(smooth, -1)
            )
        return np.asarray(joint[wrap.axis] + sign * smooth)

    return place


def level(value: float) -> Callable[[Floats], Floats]:
    """Edge that is the same all around."""
    return lambda directions: np.full(len(directions), value)


def arm() -> list[Part]:
    """Upper arm and forearm with their ball joints."""
    wrap = Wrap(0, ARM, arm_field())
    front = np.array([0.0, 0.0, 1.0])
    elbow, shoulder = J["leftLowerArm"], J["leftUpperArm"]
    # The elbow bends to 150 degrees: each side of the crease has 15.
    upper_end = edge(wrap, elbow, -1.0, 0.022, front, 15.0)
    lower_start = edge(wrap, elbow, 1.0, 0.022, front, 15.0)
    return [
        shell("leftUpperArm", wrap, level(0.197), upper_end, 8, 15),
        suit("leftUpperArm", wrap, 0.200, 0.450, 5, 10),
        ball("leftUpperArm", shoulder + [0.004, 0.001, 0.0], 0.0505, 7, 14, DARK),
        shell("leftLowerArm", wrap, lower_start, level(0.688), 8, 15),
        suit("leftLowerArm", wrap, 0.458, 0.690, 5, 10),
        ball("leftLowerArm", elbow, 0.0335, 6, 12, DARK),
    ]


def leg() -> list[Part]:
    """Thigh and shin with their ball joints."""
    wrap = Wrap(1, LEG, leg_field())
    back, front = np.array([0.0, 0.0, -1.0]), np.array([0.0, 0.0, 1.0])
    knee, hip = J["leftLowerLeg"], J["leftUpperLeg"]
    # The shin leans back a little, so that 150 degrees leave less than 15 on each side.
    lower_end = edge(wrap, knee, -1.0, 0.030, back, 13.0)
    upper_start = edge(wrap, knee, 1.0, 0.032, back, 13.0)

    def top(directions: Floats) -> Floats:
        # High on the outside, low on the inside, lower still in front, where the thigh comes up.
        outside = directions @ np.array([1.0, 0.0, 0.0])
        return np.asarray(
            0.858 + 0.034 * outside - 0.040 * np.maximum(directions @ front, 0.0) ** 2
        )

    return [
        shell("leftUpperLeg", wrap, upper_start, top, 8, 16),
        suit("leftUpperLeg", wrap, 0.498, 0.875, 6, 12),
        ball("leftUpperLeg", hip + [-0.002, -0.012, -0.004], 0.071, 7, 14, DARK),
        shell("leftLowerLeg", wrap, level(0.116), lower_end, 8, 16),
        suit("leftLowerLeg", wrap, 0.112, 0.486, 6, 12),
        ball("leftLowerLeg", knee + [0.0, 0.0, 0.001], (0.0435, 0.0445, 0.047), 6, 14, DARK),
        ball("leftFoot", J["leftFoot"], 0.0315, 5, 10, DARK),
    ]


PALM = [
    (0.7235, 1.3990, 1.4265, -0.0435, 0.0055, 2.5),
    (0.729, 1.3962, 1.4283, -0.0490, 0.0120, 2.6),
    (0.755, 1.3972, 1.4285, -0.0560, 0.0205, 2.8),
    (0.785, 1.4008, 1.4272, -0.0582, 0.0232, 2.8),
    (0.797, 1.4030, 1.4258, -0.0570, 0.0222, 2.8),
    (0.8035, 1.4070, 1.4215, -0.0525, 0.0180, 2.5),
]
FINGERS = {
    "Index": (0.0096, 0.0086, 0.0078, 0.0066),
    "Middle": (0.0098, 0.0088, 0.0080, 0.0068),
    "Ring": (0.0093, 0.0084, 0.0076, 0.0065),
    "Little": (0.0083, 0.0074, 0.0068, 0.0059),
    "Thumb": (0.0128, 0.0112, 0.0100, 0.0080),
}


def hand() -> list[Part]:
    """Palm and five fingers of three links each."""
    palm = joined(
        loft(0, PALM),
        (ellipsoid((0.746, 1.4005, 0.006), (0.026, 0.0140, 0.0150)), 0.012),
        (ellipsoid((0.750, 1.4010, -0.045), (0.030, 0.0115, 0.0110)), 0.012),
    )
    wrap = Wrap(0, PALM, palm)
    places = np.array([0.7235, 0.725, 0.730, 0.745, 0.762, 0.780, 0.795, 0.801, 0.8035])
    squeeze = np.array([0.009, 0.004, 0.0010, 0, 0, 0, 0.0003, 0.0020, 0.0065])
    columns = 18
    grid = wrap.surface(
        np.repeat(places[:, None], columns, 1),
        wrap.directions(columns),
        squeeze[:, None] * np.ones(columns),
    )
    parts = [grid_part("leftHand", grid, SHELL, first_cap=True, last_cap=True)]
    parts.append(ball("leftHand", J["leftHand"], 0.0225, 5, 10, DARK))
    for finger, radii in FINGERS.items():
        parts += digit(finger, radii)
    return parts


def digit(finger: str, radii: Sequence[float]) -> list[Part]:
    """Three links with ball joints between them; the last has a round tip."""
    names = (
        ("Metacarpal", "Proximal", "Distal")
        if finger == "Thumb"
        else ("Proximal", "Intermediate", "Distal")
    )
    bones = [f"left{finger}{n}" for n in names]
    points = [J[b] for b in bones] + [J[f"left{finger}Tip"]]
    parts = []
    for i, bone in enumerate(bones):
        parts.append(link(bone, points[i], points[i + 1], radii[i], radii[i + 1], i == 2))
        parts.append(ball(bone, points[i], radii[i] * 0.9, 3, 6, DARK))
    return parts


def link(bone: str, a: Floats, b: Floats, ra: float, rb: float, tip: bool) -> Part:
    """One link of a finger: a slightly flattened tube with rounded ends."""
    along = (b - a) / np.linalg.norm(b - a)
    side = np.cross(along, [0.0, 1.0, 0.0])
    side /= np.linalg.norm(side)
    up = np.cross(side, along)
    length = float(np.linalg.norm(b - a))
    first, last = 0.52 * ra, length - (0.0 if tip else 0.52 * rb)
    if tip:
        t = np.array([0, 0.08, 0.45, 0.78, 0.93, 1.0])
        squeeze = np.array([0.62, 0.97, 1, 0.98, 0.74, 0.28])
    else:
        t = np.array([0, 0.08, 0.5, 0.92, 1.0])
        squeeze = np.array([0.62, 0.97, 1, 0.97, 0.62])
    angle = np.arange(8) * 2 * np.pi / 8
    ring = np.cos(angle)[:, None] * side + 0.93 * np.sin(angle)[:, None] * up
    places = first + t * (last - first)
    radius = (ra + (rb - ra) * places / length) * squeeze
    grid = a + places[:, None, None] * along + radius[:, None, None] * ring
    return grid_part(bone, grid[:, ::-1], SHELL, first_cap=True, last_cap=True)


def foot() -> list[Part]:
    """Foot and toes as a shoe: shell above, dark sole below."""
    out = np.radians(4.5)
    ahead = np.array([np.sin(out), 0.0, np.cos(out)])
    across = np.array([np.cos(out), 0.0, -np.sin(out)])
    # Distance ahead of the ankle line, half width, height of the top.
    rows = np.array(
        [
            (-0.060, 0.020, 0.040),
            (-0.054, 0.027, 0.055),
            (-0.040, 0.0325, 0.074),
            (-0.015, 0.0350, 0.088),
            (0.020, 0.0365, 0.086),
            (0.055, 0.0400, 0.068),
            (0.085, 0.0440, 0.053),
            (0.106, 0.0460, 0.045),
            (0.118, 0.0465, 0.0415),
            (0.140, 0.0455, 0.0360),
            (0.160, 0.0415, 0.0300),
            (0.176, 0.0340, 0.0245),
            (0.186, 0.0230, 0.0200),
            (0.190, 0.0100, 0.0160),
        ]
    )
    base = np.array([0.088, 0.0, 0.0])
    parts = []
    for bone, keep in (("leftFoot", slice(0, 8)), ("leftToes", slice(8, None))):
        table = rows[keep]
        parts += shoe(bone, table, base, ahead, across)
    parts.append(
        ball(
            "leftToes", J["leftToes"] + [0.001, 0.004, 0.001], (0.030, 0.0125, 0.0125), 3, 10, DARK
        )
    )
    return parts


def shoe(bone: str, table: Floats, base: Floats, ahead: Floats, across: Floats) -> list[Part]:
    """Upper and sole of a piece of the foot."""
    angle = np.linspace(0, np.pi, 9)
    # Upper: an arch over the sole, boxier than a half circle.
    wide, high = np.sign(np.cos(angle)) * np.abs(np.cos(angle)) ** 0.75, np.sin(angle) ** 0.62
    floor = 0.0125
    lip = np.concatenate([table[:1], table, table[-1:]])
    shrink = np.concatenate([[0.82], np.ones(len(table)), [0.82]])
    grid = np.empty((len(lip), 11, 3))
    for r, ((z, half, top), s) in enumerate(zip(lip, shrink, strict=True)):
        arch = base + z * ahead + (half * s * wide)[:, None] * across
        arch = arch + (floor + (top * s - floor) * high)[:, None] * np.array([0.0, 1.0, 0.0])
        low = arch[[-1, 0]] * np.array([1.0, 0.0, 1.0]) + np.array([0.0, floor - 0.002, 0.0])
        grid[r] = np.concatenate([arch, low * np.array([1, 1, 1])])
    upper = grid_part(bone, grid, SHELL, first_cap=True, last_cap=True)
    sole_angle = np.arange(8) * 2 * np.pi / 8 + np.pi / 8
    sole = np.empty((len(table), 8, 3))
    for r, (z, half, _) in enumerate(table):
        wide2 = np.sign(np.cos(sole_angle)) * np.abs(np.cos(sole_angle)) ** 0.4
        tall = np.sign(np.sin(sole_angle)) * np.abs(np.sin(sole_angle)) ** 0.4
        sole[r] = base + z * ahead + ((half + 0.0015) * wide2)[:, None] * across
        sole[r, :, 1] = 0.0068 + 0.0066 * tall
    return [upper, grid_part(bone, sole, DARK, first_cap=True, last_cap=True)]
