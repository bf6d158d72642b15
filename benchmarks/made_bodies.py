"""Bodies of another build, made from the default mannequin: its skeleton and its mesh are scaled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import kinesphere as ks
from kinesphere.character.figure import Figure
from kinesphere.formats.gltf.stored_figure import default_figure, figure_bytes
from kinesphere.maths.arrays import Floats
from kinesphere.motion.skeleton import Tip

_X, _Y = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True)
class Build:
    """How a body differs from the mannequin.

    Parameters
    ----------
    girths : factor of the thickness around a limb's bone; sides are left out of the names.
    trunk : heights of the mannequin, and factors of breadth and depth there.
    shoulders, hips : factors of the distance of shoulder joints and hip joints.
    legs, arms : factors of their lengths.
    size : factor of all lengths.
    """

    girths: Mapping[str, float]
    trunk: tuple[tuple[float, float], ...]
    shoulders: float = 1.0
    hips: float = 1.0
    legs: float = 1.0
    arms: float = 1.0
    size: float = 1.0


_STOUT = {"UpperLeg": 1.35, "LowerLeg": 1.15, "UpperArm": 1.35, "LowerArm": 1.3, "Hand": 1.1}
_THIN = {"UpperLeg": 0.72, "LowerLeg": 0.75, "UpperArm": 0.7, "LowerArm": 0.72, "Hand": 0.9}
# Factors of breadth and depth of the trunk at heights of the mannequin, metres.
_BELLY = ((0.80, 1.25), (0.95, 1.4), (1.10, 1.75), (1.22, 1.6), (1.38, 1.2), (1.48, 1.1))
_LEAN = ((0.80, 0.75), (0.95, 0.75), (1.10, 0.7), (1.22, 0.72), (1.38, 0.85), (1.48, 0.9))
_TRUNK = ("hips", "spine", "chest", "upperChest", "Shoulder", "neck")
_BACK_M = -0.05  # the trunk grows forward from here rather than backward
BUILDS: Mapping[str, Build] = {
    "stout": Build(_STOUT, _BELLY, shoulders=1.12, hips=1.15),
    "thin": Build(_THIN, _LEAN, shoulders=0.9, hips=0.85, legs=1.08, arms=1.06),
    "short and stout": Build(_STOUT, _BELLY, shoulders=1.05, hips=1.1, legs=0.7, arms=0.75),
    "child": Build(_THIN, _LEAN, shoulders=0.9, hips=0.9, legs=0.85, arms=0.9, size=0.6),
    "giant": Build(_STOUT, _BELLY, shoulders=1.12, hips=1.15, size=1.5),
}


def made_body(build: Build) -> Figure:
    """The mannequin in another build, standing on the floor."""
    figure = default_figure()
    before = figure.skeleton.rest_world_positions
    skeleton = _skeleton(figure.skeleton, build)
    after = skeleton.rest_world_positions
    moved = np.zeros_like(figure.positions)
    for k in range(figure.joints.shape[1]):
        for joint in np.unique(figure.joints[:, k]):
            some = np.flatnonzero((figure.joints[:, k] == joint) & (figure.weights[:, k] > 0.0))
            name = figure.skeleton.names[joint]
            local = _thicken(name, figure.positions[some], before[joint], build)
            moved[some] += figure.weights[some, k, None] * (after[joint] + local)
    return _sized(replace(figure, skeleton=skeleton, positions=moved), build.size)


def _sized(figure: Figure, size: float) -> Figure:
    """A figure with all lengths multiplied."""
    base = figure.skeleton
    tips = []
    for tip in base.tips:
        x, y, z = tip.offset
        tips.append(Tip(tip.joint, (size * x, size * y, size * z)))
    skeleton = ks.Skeleton(base.names, base.parents, size * base.offsets, tips=tuple(tips))
    morphs = {name: size * values for name, values in figure.morphs.items()}
    return replace(figure, skeleton=skeleton, positions=size * figure.positions, morphs=morphs)


def _thicken(bone: str, points: Floats, joint: Floats, build: Build) -> Floats:
    """Vertices from their joint, scaled around the bone and along it."""
    part = bone.removeprefix("left").removeprefix("right")
    if part in _TRUNK:
        heights, factors = zip(*build.trunk, strict=True)
        girth = np.interp(points[:, 1], heights, factors)[:, None]
        middle = np.array([0.0, 0.0, _BACK_M])
        wide = middle + np.concatenate([girth, np.ones_like(girth), girth], axis=1) * (
            points - middle
        )
        return np.asarray(wide - joint)
    local = points - joint
    is_finger = any(word in part for word in ("Thumb", "Index", "Middle", "Ring", "Little"))
    girth = build.girths.get("Hand" if is_finger else part, 1.0)
    axis = _X if is_finger or part in ("UpperArm", "LowerArm", "Hand") else _Y
    length = 1.0
    if part in ("UpperLeg", "LowerLeg"):
        length = build.legs
    elif part in ("UpperArm", "LowerArm"):
        length = build.arms
    along = (local @ axis)[:, None] * axis
    return np.asarray(length * along + girth * (local - along))


def _skeleton(base: ks.Skeleton, build: Build) -> ks.Skeleton:
    offsets = base.offsets.copy()
    for side in ("left", "right"):
        index = {p: base.index(f"{side}{p}") for p in ("UpperLeg", "LowerLeg", "Foot")}
        offsets[index["UpperLeg"], 0] *= build.hips
        offsets[[index["LowerLeg"], index["Foot"]], 1] *= build.legs
        offsets[base.index(f"{side}UpperArm"), 0] *= build.shoulders
        offsets[[base.index(f"{side}LowerArm"), base.index(f"{side}Hand")]] *= build.arms
    skeleton = ks.Skeleton(base.names, base.parents, offsets, tips=base.tips)
    foot = base.index("leftFoot")
    lift = base.rest_world_positions[foot, 1] - skeleton.rest_world_positions[foot, 1]
    offsets[0, 1] += lift
    return ks.Skeleton(base.names, base.parents, offsets, tips=base.tips)


def write_body(build: Build, path: Path) -> Path:
    """Write a made body as a GLB file, which is a character like any other."""
    path.write_bytes(figure_bytes(made_body(build)))
    return path
