"""Eyes, lids, brows, ears, mouth, and the face shapes."""

from __future__ import annotations

import numpy as np
from tools.mannequin.fields import Field, ellipsoid, outermost, without
from tools.mannequin.head import EYE, EYE_RADIUS, INSIDE, MOUTH_HALF, MOUTH_ROW, MOUTH_Y, ROWS, Skin
from tools.mannequin.parts import SHELL, Part, ball, grid_part

from kinesphere.formats.gltf.vrma import PRESETS
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.maths.curves import smoothstep

JAW = np.array([0.0, 1.600, -0.002])
BROW_COLOUR = np.array([0.045, 0.030, 0.022])
TOOTH = np.array([0.80, 0.77, 0.70])
TONGUE = np.array([0.42, 0.13, 0.12])
SHAPES = (*PRESETS, "browUp", "browDown")

# Jaw in degrees, and the lips: wider (+) or narrower (-), forward, corners out, up and back.
MOUTHS: dict[str, tuple[float, float, float, float, float]] = {
    "aa": (15.0, -0.04, 0.000, 0.000, 0.000),
    "ih": (6.0, 0.10, -0.001, 0.002, 0.000),
    "ou": (5.5, -0.42, 0.0065, -0.003, 0.000),
    "ee": (3.5, 0.16, -0.001, 0.004, 0.0012),
    "oh": (11.0, -0.30, 0.0045, -0.002, 0.000),
    "happy": (1.0, 0.10, -0.001, 0.0060, 0.0065),
    "angry": (0.0, 0.03, 0.001, 0.0005, -0.0040),
    "sad": (0.0, -0.03, 0.000, -0.0005, -0.0058),
    "relaxed": (0.6, 0.05, 0.000, 0.0028, 0.0028),
    "surprised": (9.0, -0.14, 0.001, -0.001, 0.000),
}
# Upper lid (+ opens, 1 shuts at -), lower lid (+ rises), brow up, inner brow up, brows together.
EYES: dict[str, tuple[float, float, float, float, float]] = {
    "happy": (-0.10, 0.38, 0.0016, 0.0, 0.0),
    "angry": (-0.22, 0.25, -0.0048, -0.0030, 0.0030),
    "sad": (-0.20, 0.05, 0.0008, 0.0060, 0.0014),
    "relaxed": (-0.30, 0.10, 0.0006, 0.0, 0.0),
    "surprised": (0.34, -0.10, 0.0075, 0.0, 0.0),
    "browUp": (0.08, 0.0, 0.0072, 0.0, 0.0),
    "browDown": (-0.10, 0.08, -0.0042, -0.0012, 0.0012),
}


def jaw_turn(points: Floats, weight: Floats, degrees: float) -> Floats:
    """Displacement of points that follow the jaw by a weight."""
    turn = quaternion.from_axis_angle([1.0, 0.0, 0.0], np.radians(degrees))
    return np.asarray((quaternion.rotate(turn, points - JAW) + JAW - points) * weight[:, None])


def jaw_weight(skin: Skin) -> Floats:
    """How much of the skin follows the jaw: all of the chin and lower lip, none of the skull."""
    away = np.abs(skin.heading)
    lower = ROWS[MOUTH_ROW] - skin.elevation
    corner = 0.38
    in_mouth = smoothstep((MOUTH_HALF - away) / 9.0)
    beside = corner * (1.0 - smoothstep((away - MOUTH_HALF) / 35.0))
    inside = away < MOUTH_HALF
    row_low = np.where(inside, corner + (1.0 - corner) * in_mouth, beside)
    row_high = np.where(inside, corner * (1.0 - in_mouth), beside)
    chin = 1.0 - smoothstep((away - 32.0) / 46.0)
    down = row_low + (chin - row_low) * smoothstep(lower / 13.0)
    throat = 1.0 - smoothstep((-skin.elevation - 60.0) / 24.0)
    up = row_high * np.exp(-np.maximum(-lower, 0.0) / 7.0)
    return np.asarray(np.where(skin.below, down * throat, up))


def mouth_shape(skin: Skin, weight: Floats, name: str) -> Floats:
    """Displacement of the head's skin for one shape of the mouth."""
    degrees, wider, ahead, out, rise = MOUTHS[name]
    x, y, z = skin.vertices.T
    front = smoothstep((z - 0.050) / 0.018) * (y < 1.61)
    lips = np.exp(-(((x / 0.027) ** 2 + ((y - MOUTH_Y) / 0.0135) ** 2) ** 1.5)) * front
    corner = np.exp(-(((np.abs(x) - 0.023) / 0.012) ** 2 + ((y - MOUTH_Y) / 0.014) ** 2)) * front
    cheek = np.exp(-(((np.abs(x) - 0.038) / 0.018) ** 2 + ((y - 1.597) / 0.014) ** 2)) * smoothstep(
        (z - 0.03) / 0.03
    )
    move = jaw_turn(skin.vertices, weight, degrees)
    move[:, 0] += x * wider * lips + np.sign(x) * out * corner
    move[:, 1] += rise * corner + max(rise, 0.0) * 0.5 * cheek
    move[:, 2] += ahead * lips - abs(out) * 0.7 * corner + max(rise, 0.0) * 0.35 * cheek
    return move


def forehead(skin: Skin, brow: float, inner: float) -> Floats:
    """Skin that follows the brows."""
    x, y, z = skin.vertices.T
    near = np.exp(-(((np.abs(x) - 0.028) / 0.030) ** 2 + ((y - 1.664) / 0.0125) ** 2)) * smoothstep(
        (z - 0.03) / 0.03
    )
    middle = np.exp(-((x / 0.016) ** 2 + ((y - 1.662) / 0.012) ** 2)) * smoothstep(
        (z - 0.03) / 0.03
    )
    move = np.zeros_like(skin.vertices)
    move[:, 1] = 0.75 * brow * near + 0.6 * inner * middle
    return move


def skin_morphs(skin: Skin) -> dict[str, Floats]:
    """All shapes of the head's skin."""
    weight = jaw_weight(skin)
    zero = np.zeros_like(skin.vertices)
    morphs = {name: zero.copy() for name in SHAPES}
    for name in MOUTHS:
        morphs[name] += mouth_shape(skin, weight, name)
    for name, (_, _, brow, inner, _) in EYES.items():
        morphs[name] += forehead(skin, brow, inner)
    return {
        n: np.where(np.abs(m).max(axis=1, keepdims=True) > 2e-5, m, 0.0) for n, m in morphs.items()
    }


def lids(upper: float, lower: float, columns: int = 15, rows: int = 5) -> tuple[Floats, Floats]:
    """Grids of the left eye's lids. 0 is open, `upper` -1 closed, `lower` +1 raised to meet it."""
    across = np.radians(np.linspace(-86, 86, columns))
    arch = np.clip(1.0 - (np.abs(across) / np.radians(61)) ** 2.3, 0.0, 1.0)
    tilt = np.radians(3.0) * np.sin(across)
    open_up, open_low = (
        np.radians(23.5) * arch * (1.0 - 0.08 * np.sin(across)),
        -np.radians(19.0) * arch,
    )
    shut = -np.radians(12.0) * arch
    up = open_up + (shut - open_up) * -upper if upper < 0 else open_up * (1.0 + 0.9 * upper)
    low = open_low + (shut + np.radians(1.6) - open_low) * lower
    grids = []
    for sign, rim, radius in ((1.0, up, EYE_RADIUS + 0.0017), (-1.0, low, EYE_RADIUS + 0.0012)):
        rim = rim + tilt
        layers = [(rim, EYE_RADIUS - 0.0005), (rim - sign * 0.008, radius - 0.0003)]
        for r in np.linspace(0.0, 1.0, rows):
            layers.append(
                (
                    rim + sign * 0.02 + r**1.3 * (sign * np.radians(82) - rim - sign * 0.02),
                    radius - 0.0012 * r,
                )
            )
        grid = np.stack(
            [
                np.stack(
                    [np.sin(across) * np.cos(e), np.sin(e), np.cos(across) * np.cos(e)], axis=-1
                )
                * rr
                for e, rr in layers
            ]
        )
        turned = quaternion.rotate(
            quaternion.from_axis_angle([0.0, 1.0, 0.0], np.radians(8.0)), grid
        )
        grids.append(turned + EYE)
    return grids[0], grids[1]


def lid_parts() -> list[Part]:
    """Upper and lower lid of the left eye with their shapes."""
    base = lids(0.0, 0.0)
    wanted = {"blink": (-1.0, 1.0), "blinkLeft": (-1.0, 1.0)}
    wanted.update({name: (upper, lower) for name, (upper, lower, *_) in EYES.items()})
    parts = []
    for k in (0, 1):
        grid = base[k] if k == 0 else base[k][::-1]
        part = grid_part("head", grid, SHELL * 0.97, round_about=False)
        morphs = {name: np.zeros_like(part.vertices) for name in SHAPES}
        for name, (upper, lower) in wanted.items():
            moved = lids(upper, lower)[k]
            moved = moved if k == 0 else moved[::-1]
            morphs[name] = moved.reshape(-1, 3) - part.vertices
        parts.append(Part("head", part.vertices, part.triangles, part.colours, morphs))
    return parts


def brow_grid(
    skin_field: Field, rise: float, inner: float, together: float, columns: int = 12
) -> Floats:
    """Strip of the left brow on the forehead, ``[columns, 8, 3]``."""
    t = np.linspace(0.0, 1.0, columns)
    x = 0.0120 + 0.0385 * t - together * (1.0 - t)
    y = 1.6605 + 0.0052 * np.sin(np.pi * np.clip(t * 0.72 + 0.12, 0, 1)) - 0.0046 * t**3
    y = y - 0.0016 * (1.0 - t) ** 2 + rise * (1.0 - 0.15 * t) + inner * (1.0 - t) ** 1.5
    origin = np.stack([x, y, np.full(columns, 0.02)], axis=-1)
    ahead = np.broadcast_to([0.0, 0.0, 1.0], origin.shape)
    line = outermost(skin_field, origin, ahead, 0.12)
    e = 1e-4
    normal = np.stack(
        [skin_field(line + e * d) - skin_field(line - e * d) for d in np.eye(3)], axis=-1
    )
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    along = np.gradient(line, axis=0)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    up = np.cross(normal, along)
    wide = (
        0.0031 * np.sin(np.pi * np.clip(t * 0.80 + 0.14, 0, 1)) ** 0.55 * (1.0 - 0.5 * t) + 0.0003
    )
    angle = np.arange(8) * 2 * np.pi / 8
    thick = np.where((t == 0) | (t == 1), 0.0003, 0.0013)
    ring = np.cos(angle)[:, None, None] * (wide[:, None] * up) + np.sin(angle)[:, None, None] * (
        thick[:, None] * normal
    )
    return np.asarray((line + 0.0003 * normal)[:, None] + ring.transpose(1, 0, 2))


def brow_part(skin_field: Field) -> Part:
    """The left brow with its shapes."""
    grid = brow_grid(skin_field, 0.0, 0.0, 0.0)
    part = grid_part("head", grid, BROW_COLOUR, first_cap=True, last_cap=True)
    morphs = {name: np.zeros_like(part.vertices) for name in SHAPES}
    for name, (_, _, brow, inner, together) in EYES.items():
        moved = brow_grid(skin_field, brow, inner, together)
        again = grid_part("head", moved, BROW_COLOUR, first_cap=True, last_cap=True)
        morphs[name] = again.vertices - part.vertices
    return Part("head", part.vertices, part.triangles, part.colours, morphs)


def eyeball() -> Part:
    """The left eyeball, looking along +Z, coloured in rings."""
    rings = np.radians([5.0, 12.0, 12.6, 19.0, 25.5, 28.0, 40.0, 60.0, 85.0, 120.0, 155.0])
    shades = (
        [(0.010, 0.010, 0.012)] * 2
        + [(0.13, 0.085, 0.045)]
        + [(0.17, 0.115, 0.06)]
        + [(0.10, 0.065, 0.04)]
    )
    shades += [(0.74, 0.73, 0.71)] * 6
    turn = np.arange(14) * 2 * np.pi / 14
    bulge = 1.0 + 0.045 * np.clip(1.0 - rings / np.radians(30), 0, 1)
    grid = np.stack(
        [
            np.sin(rings)[:, None] * np.cos(turn),
            np.sin(rings)[:, None] * np.sin(turn),
            np.cos(rings)[:, None] * np.ones(14),
        ],
        axis=-1,
    )
    part = grid_part(
        "leftEye",
        EYE + EYE_RADIUS * grid * bulge[:, None, None],
        SHELL,
        first_cap=True,
        last_cap=True,
    )
    colours = np.concatenate([np.repeat(np.array(shades), 14, axis=0), [shades[0], shades[-1]]])
    return Part("leftEye", part.vertices, part.triangles[:, ::-1], colours)


def ear() -> Part:
    """The left ear: a tilted shell with a hollow."""
    tilt = quaternion.multiply(
        quaternion.from_axis_angle([0.0, 1.0, 0.0], np.radians(-20)),
        quaternion.from_axis_angle([1.0, 0.0, 0.0], np.radians(-10)),
    )
    turn = quaternion.to_matrix(tilt)
    middle = np.array([0.0745, 1.627, -0.012])
    cup = ellipsoid(middle + np.array([0.0062, 0.003, 0.004]), (0.0056, 0.0190, 0.0098), turn)
    solid = without(ellipsoid(middle, (0.0066, 0.0280, 0.0165), turn), cup, 0.005)
    angle = np.radians(np.linspace(-80, 80, 7))[:, None]
    about = (np.arange(14) * 2 * np.pi / 14)[None]
    local = np.stack(
        [np.cos(angle) * np.cos(about), np.sin(angle) + 0 * about, np.cos(angle) * np.sin(about)],
        axis=-1,
    )
    rays = local @ turn.T
    origin = np.broadcast_to(middle - np.array([0.0035, 0.0, 0.0]), rays.shape)
    grid = outermost(solid, origin, rays, 0.05)
    return grid_part("head", grid[:, ::-1], SHELL, first_cap=True, last_cap=True)


def mouth_parts() -> list[Part]:
    """The dark inside of the mouth, teeth and tongue; the lower ones follow the jaw."""
    bag = ball("head", (0.0, 1.568, 0.046), (0.0395, 0.029, 0.0340), 8, 16, INSIDE * 0.5)
    low = smoothstep((1.573 - bag.vertices[:, 1]) / 0.02)
    parts = [_jawed(bag, low)]
    for y0, y1, follows in ((1.5728, 1.5800, 0.0), (1.5635, 1.5700, 1.0)):
        x = np.linspace(-0.0185, 0.0185, 13)
        z = 0.0832 - 15.0 * x * x
        grid = np.stack(
            [
                np.stack([x, np.full(13, y), z - (0.001 if y == y1 else 0.0)], axis=-1)
                for y in (y0, y1)
            ]
        )
        strip = grid_part("head", grid, TOOTH, round_about=False)
        parts.append(_jawed(strip, np.full(len(strip.vertices), follows)))
    tongue = ball("head", (0.0, 1.5595, 0.064), (0.0150, 0.0055, 0.0160), 6, 12, TONGUE)
    parts.append(_jawed(tongue, np.full(len(tongue.vertices), 0.85)))
    return parts


def _jawed(part: Part, weight: Floats) -> Part:
    morphs = {name: np.zeros_like(part.vertices) for name in SHAPES}
    for name, (degrees, *_) in MOUTHS.items():
        morphs[name] = jaw_turn(part.vertices, weight, degrees)
    shares = {"head": 1.0 - weight, "jaw": weight}
    return Part(part.bone, part.vertices, part.triangles, part.colours, morphs, shares)


def head_parts() -> list[Part]:
    """Everything above the neck, both sides."""
    skin = Skin()
    left = [*lid_parts(), brow_part(skin.field), ear(), eyeball()]
    right = [part.other_side() for part in left]
    return [skin.part(skin_morphs(skin), jaw_weight(skin)), *mouth_parts(), *left, *right]
