"""Masses, centres and inertia of the body's segments.

Mass ratios, centres and radii of gyration are those of P. de Leva, *Adjustments to
Zatsiorsky-Seluyanov's segment inertia parameters*, J. Biomechanics 29 (1996), Table 4, for men.
Three of his segments are split further here, because a rig has more joints than the table; the
splits are our own and keep each segment's mass and, nearly, its centre:

- the middle trunk in two halves for `spine` and `chest`;
- from the upper trunk 1.2 percent of the body for each shoulder blade with its muscles;
- head and neck in two; the hand in a palm and phalanges, by their volumes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats, frozen_floats
from kinesphere.motion.humanoid import BONE_PARENTS, FINGERS, Rig, finger_bones
from kinesphere.motion.measure import body_height

DEFAULT_MASS_KG = 75.0
MASS_RANGE_KG = (10.0, 300.0)
_TABLE_HEIGHT_M = 1.741  # of the men that the table was measured on
_COLLAR_SHARE = 0.012
_PALM_SHARE = 0.64
_HAND_SHARE = 0.0061
_FINGER_RADIUS_M = 0.008


@dataclass(frozen=True)
class _SegmentRow:
    """A row: ratio of the body's mass, start and end points, centre between them, radii.

    `radii` are about the axes fore-aft, sideways and along; as ratios of the segment's length for
    limbs, of the body's height for the trunk and head (`tall`).
    """

    share: float
    start: str
    end: str
    centre: float
    radii: tuple[float, float, float]
    tall: bool = False


def _tall(*metres: float) -> tuple[float, float, float]:
    a, b, c = (m / _TABLE_HEIGHT_M for m in metres)
    return a, b, c


_TRUNK = {
    "hips": _SegmentRow(0.1117, "hip joints", "spine", 0.3885, _tall(0.0896, 0.0803, 0.0855), True),
    "spine": _SegmentRow(0.08165, "spine", "chest", 0.55, _tall(0.0889, 0.0624, 0.1009), True),
    "chest": _SegmentRow(0.08165, "chest", "upperChest", 0.55, _tall(0.0889, 0.0624, 0.1009), True),
    "upperChest": _SegmentRow(
        0.1596 - 2 * _COLLAR_SHARE, "upperChest", "neck", 0.60, _tall(0.110, 0.0775, 0.102), True
    ),
    "neck": _SegmentRow(0.0114, "neck", "head", 0.5, _tall(0.035, 0.035, 0.042), True),
    "head": _SegmentRow(0.0580, "head", "crown", 0.49, _tall(0.070, 0.073, 0.060), True),
}
_SIDE = {
    "Shoulder": _SegmentRow(_COLLAR_SHARE, "Shoulder", "UpperArm", 0.6, (0.3, 0.3, 0.3)),
    "UpperArm": _SegmentRow(0.0271, "UpperArm", "LowerArm", 0.5772, (0.285, 0.269, 0.158)),
    "LowerArm": _SegmentRow(0.0162, "LowerArm", "Hand", 0.4574, (0.276, 0.265, 0.121)),
    "Hand": _SegmentRow(_HAND_SHARE, "Hand", "MiddleProximal", 0.79, (0.628, 0.513, 0.401)),
    "UpperLeg": _SegmentRow(0.1416, "UpperLeg", "LowerLeg", 0.4095, (0.329, 0.329, 0.149)),
    "LowerLeg": _SegmentRow(0.0433, "LowerLeg", "Foot", 0.4395, (0.251, 0.246, 0.102)),
    "Foot": _SegmentRow(0.0137, "Foot", "Toes", 0.35, (0.45, 0.45, 0.22)),
}


@dataclass(frozen=True, eq=False)
class Segment:
    """A rigid part of the body in the T-pose, in the world's axes.

    Parameters
    ----------
    mass_kg : its mass.
    centre : ``[3]`` position of its centre of mass.
    inertia : ``[3, 3]`` about that centre, kg m2.
    """

    mass_kg: float
    centre: Floats
    inertia: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "centre", frozen_floats(self.centre, "centre", (3,)))
        object.__setattr__(self, "inertia", frozen_floats(self.inertia, "inertia", (3, 3)))

    def join(self, other: Segment) -> Segment:
        """Both segments as one rigid part."""
        mass = self.mass_kg + other.mass_kg
        centre = (self.mass_kg * self.centre + other.mass_kg * other.centre) / mass
        inertia = sum(s.inertia + s.mass_kg * _about(s.centre - centre) for s in (self, other))
        return Segment(mass, centre, np.asarray(inertia))


def _about(away: Floats) -> Floats:
    """Inertia of a unit point mass at a position, about the origin."""
    return np.asarray(away @ away * np.eye(3) - np.outer(away, away))


def segments(rig: Rig, mass_kg: float = DEFAULT_MASS_KG) -> Mapping[str, Segment]:
    """Segment of every bone that the rig has; those it lacks are joined to the bone above.

    Eyes, jaw and toes have no mass of their own. The masses add up to `mass_kg`.

    Raises
    ------
    InvalidValueError
        For a mass out of range.
    """
    low, high = MASS_RANGE_KG
    if not (np.isfinite(mass_kg) and low <= mass_kg <= high):
        raise InvalidValueError(f"mass is {mass_kg} kg, allowed is {low:g} to {high:g} kg")
    measured = _Measured(rig)
    out: dict[str, Segment] = {}
    for bone, part in measured.parts():
        made = measured.segment(bone, part)
        holder: str | None = bone
        while holder is not None and holder not in rig:
            holder = BONE_PARENTS[holder]
        if holder is not None:
            out[holder] = out[holder].join(made) if holder in out else made
    scale = mass_kg / sum(segment.mass_kg for segment in out.values())
    return {
        bone: Segment(scale * s.mass_kg, s.centre, scale * s.inertia) for bone, s in out.items()
    }


class _Measured:
    """Positions on a rig in the T-pose, estimated where it has no joint."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.places = rig.canonical_pose[1]
        self.height = body_height(rig)

    def place(self, name: str) -> Floats:
        rig = self.rig
        if name in rig:
            return np.asarray(self.places[rig.bones[name]])
        if name == "hip joints":
            return np.asarray(
                self.places[rig.joints(("leftUpperLeg", "rightUpperLeg"))].mean(axis=0)
            )
        if name == "crown":
            return np.asarray(self.place("head") + np.array([0.0, 0.112 * self.height, 0.0]))
        return self._guess(name)

    def _guess(self, name: str) -> Floats:
        """Estimated position of a joint that the rig does not have."""
        up, h = np.array([0.0, 1.0, 0.0]), self.height
        if name.startswith(("left", "right")):
            side = "left" if name.startswith("left") else "right"
            out = np.array([1.0 if side == "left" else -1.0, 0.0, 0.0])
            part = name.removeprefix(side)
            if part == "Toes":
                return self.place(f"{side}Foot") + h * np.array([0.0, -0.036, 0.072])
            if part == "Shoulder":
                return self.place(f"{side}UpperArm") - 0.09 * h * out
            return self.place(f"{side}Hand") + 0.055 * h * out
        low = self.place("hip joints")
        high = 0.5 * (self.place("leftUpperArm") + self.place("rightUpperArm"))
        ratio = {"spine": 0.28, "chest": 0.51, "upperChest": 0.75, "neck": 1.06, "head": 1.24}
        middle = low + ratio.get(name, 0.0) * (high - low)
        return np.asarray(middle if name in ratio else low + 0.05 * h * up)

    def parts(self) -> list[tuple[str, _SegmentRow]]:
        """Rows of the table for this rig."""
        rows = list(_TRUNK.items())
        for side in ("left", "right"):
            rows += [
                (
                    f"{side}{name}",
                    _SegmentRow(p.share, f"{side}{p.start}", f"{side}{p.end}", p.centre, p.radii),
                )
                for name, p in _SIDE.items()
                if name != "Hand"
            ]
            rows += self._hand(side)
        return rows

    def _hand(self, side: str) -> list[tuple[str, _SegmentRow]]:
        """Palm and phalanges, or the whole hand if there are no fingers."""
        whole = _SIDE["Hand"]
        row = (f"{side}Hand", f"{side}{whole.end}")
        chains = [finger_bones(side, finger) for finger in FINGERS]
        every = [b for s in ("left", "right") for f in FINGERS for b in finger_bones(s, f)]
        if not all(bone in self.rig for bone in every):
            return [(row[0], _SegmentRow(whole.share, *row, whole.centre, whole.radii))]
        rows = [(row[0], _SegmentRow(_PALM_SHARE * whole.share, *row, 0.55, (0.42, 0.33, 0.36)))]
        lengths = {b: self._phalanx(chain, i) for chain in chains for i, b in enumerate(chain)}
        bulk = {b: n * (1.6 if "Thumb" in b else 1.0) for b, n in lengths.items()}
        total = sum(bulk.values())
        for chain in chains:
            for i, bone in enumerate(chain):
                share = (1.0 - _PALM_SHARE) * whole.share * bulk[bone] / total
                end = chain[i + 1] if i < 2 else f"{bone} tip"
                thick = _FINGER_RADIUS_M / max(lengths[bone], 1e-3)
                radii = (float(np.hypot(0.29, 0.5 * thick)),) * 2
                rows.append((bone, _SegmentRow(share, bone, end, 0.5, (*radii, 0.7 * thick))))
        return rows

    def _phalanx(self, chain: list[str], i: int) -> float:
        """Length of a phalanx; the last is taken to be 0.8 of the one before."""
        a, b = (chain[i], chain[i + 1]) if i < 2 else (chain[1], chain[2])
        length = float(np.linalg.norm(self.place(b) - self.place(a)))
        return length if i < 2 else 0.8 * length

    def segment(self, bone: str, part: _SegmentRow) -> Segment:
        """A row of the table as a rigid part, for a body of mass 1."""
        start = self.place(part.start)
        if part.end.endswith(" tip"):
            above = self.rig.skeleton.parents[self.rig.bones[bone]]
            end = start + 0.8 * (start - self.places[above])
        else:
            end = self.place(part.end)
        way = end - start
        length = float(np.linalg.norm(way))
        along = way / length if length > 1e-9 else np.array([0.0, 1.0, 0.0])
        radii = np.array(part.radii) * (self.height if part.tall else max(length, 1e-3))
        # The table's axes: along the segment, fore-aft made perpendicular to it, and across both.
        fore = np.array([0.0, 0.0, 1.0])
        if abs(along @ fore) > 0.7:
            fore = np.array([0.0, 1.0, 0.0])
        across = np.cross(along, fore)
        across /= np.linalg.norm(across)
        axes = np.stack([np.cross(across, along), across, along])
        inertia = part.share * axes.T @ np.diag(radii**2) @ axes
        return Segment(part.share, start + part.centre * way, inertia)
