"""Bodies on the default figure whose stance, weight and turns are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from benchmarks.studies.body_features import NAMES, window_features
from benchmarks.studies.whole_body import RATE_HZ, whole_body

import kinesphere as ks
from kinesphere.maths.arrays import Floats
from kinesphere.maths.euler import about
from kinesphere.maths.quaternion import identity, inverse, multiply, rotate
from kinesphere.motion.clip import rest_clip
from kinesphere.motion.contacts import move_limb_ends

RIG = ks.default_rig()
SECONDS = 20.0
TIMES = np.arange(round(SECONDS * RATE_HZ)) / RATE_HZ
FEET = RIG.joints(["leftFoot", "rightFoot"])


def eased(start_s: float, seconds: float) -> Floats:
    """From 0 to 1, without jerks."""
    r = np.clip((TIMES - start_s) / seconds, 0.0, 1.0)
    return np.asarray(r**3 * (10 - 15 * r + 6 * r * r))


def standing(
    root: Floats | None = None, feet: Mapping[int, Floats] | None = None, drop_m: float = 0.05
) -> ks.Clip:
    """A body with bent knees whose root moves by ``[frames, 3]``, and each foot by its path.

    Feet (0 left, 1 right) without a path stay where they are.
    """
    clip = rest_clip(RIG.skeleton, len(TIMES), RATE_HZ)
    places = clip.world_positions[:, FEET].copy()
    for foot, path in (feet or {}).items():
        places[:, foot] += path
    moved = clip.root_positions - np.array([0.0, drop_m, 0.0])
    clip = replace(clip, root_positions=moved + (0.0 if root is None else root))
    legs = [
        tuple(RIG.joints([side + b for b in ("UpperLeg", "LowerLeg", "Foot")]))
        for side in ("left", "right")
    ]
    return move_limb_ends(clip, legs, places, [[1.0, 0.0, 0.0]] * 2)


def turned(clip: ks.Clip, axis: str, **degrees: Floats) -> ks.Clip:
    """Joints of bones turned about an axis of the world, as their parents stand in the clip."""
    rotations = clip.rotations.copy()
    for bone, angles in degrees.items():
        joint = RIG.joint(bone)
        world = multiply(about(axis, np.radians(angles)), clip.world_rotations[:, joint])
        parent = RIG.skeleton.parents[joint]
        above = clip.world_rotations[:, parent] if parent >= 0 else identity((len(clip),))
        rotations[:, joint] = multiply(inverse(above), world)
    return replace(clip, rotations=rotations)


def along(axis: int, path: Floats) -> Floats:
    """Path ``[frames, 3]`` along an axis."""
    return np.asarray(path[:, None] * np.eye(3)[axis])


def pivoted(clip: ks.Clip, degrees: Floats) -> ks.Clip:
    """A body that turns about the vertical axis of the world, with its feet."""
    turn = about("Y", np.radians(degrees))
    root = multiply(turn, clip.rotations[:, 0])
    rotations = np.concatenate([root[:, None], clip.rotations[:, 1:]], axis=1)
    return replace(clip, rotations=rotations, root_positions=rotate(turn, clip.root_positions))


def measured(clip: ks.Clip) -> dict[str, float]:
    """Features of the only window of a clip."""
    found = window_features(whole_body(clip, RIG))
    assert len(found) == 1
    return dict(zip(NAMES, found[0].tolist(), strict=True))
