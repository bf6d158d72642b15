"""Finding a humanoid in a skeleton without known names: by topology and geometry.

Works on the joints' positions in an upright pose. The body is decomposed in this order: up and
sideways axes, feet (the two lowest ends), hips (where the legs meet), head (the highest end near
the middle), arms (the longest branches off the spine on each side), then the joints along each
chain by their lengths.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinesphere.maths.arrays import Floats
from kinesphere.motion.humanoid import FINGERS, REQUIRED, finger_bones
from kinesphere.motion.skeleton import Skeleton

_MOST_COMPARED = 300
_MOST_JOINTS = 2000


@dataclass(frozen=True)
class _OrientedBody:
    """Joints with coordinates rotated so that the columns are left, up and forward."""

    skeleton: Skeleton
    places: Floats
    height: float

    def leaves(self) -> list[int]:
        return [i for i, c in enumerate(self.skeleton.children) if not c]

    def meeting(self, a: int, b: int) -> int:
        """Lowest joint above both."""
        above = set(self.skeleton.ancestors(a))
        return next(j for j in self.skeleton.ancestors(b) if j in above)

    def below(self, joint: int, leaf: int) -> list[int]:
        """Chain from the child of `joint` to `leaf`."""
        return self.skeleton.path(joint, leaf)[1:]

    def length(self, chain: list[int]) -> float:
        steps = np.diff(self.places[chain], axis=0)
        return float(np.linalg.norm(steps, axis=1).sum())


def find_humanoid(skeleton: Skeleton, places: Floats) -> dict[str, int]:
    """Humanoid bones found by position alone; empty if there is no humanoid.

    Parameters
    ----------
    skeleton : gives the tree.
    places : ``[joints, 3]`` world positions in an upright pose, Y up (Z up is tried, too).
    """
    upright = _with_up_axis(skeleton, places, 1)
    if set(REQUIRED) <= set(upright):
        return upright
    return max(upright, _with_up_axis(skeleton, places, 2), key=len)


def _with_up_axis(skeleton: Skeleton, places: Floats, up: int) -> dict[str, int]:
    height = float(np.ptp(places[:, up]))
    if height <= 0.0 or not 9 <= len(skeleton) <= _MOST_JOINTS:
        return {}
    flat = [axis for axis in range(3) if axis != up]
    side = min(flat, key=lambda axis: _asymmetry(places, axis))
    front = next(axis for axis in flat if axis != side)
    middle = np.median(places[:, side])
    turned = np.stack([places[:, side] - middle, places[:, up], places[:, front]], axis=1)
    body = _OrientedBody(skeleton, turned, height)
    legs = _legs(body)
    if legs is None:
        return {}
    hips, chains = legs
    forward = _forward(body, chains)
    sign = forward * _handedness(side, up, front)
    turned[:, 2] *= forward
    turned[:, 0] *= sign
    if sign < 0:
        chains = (chains[1], chains[0])
    bones = {"hips": hips}
    for name, chain in zip(("left", "right"), chains, strict=True):
        bones.update(_leg_bones(body, name, chain))
    bones.update(_upper_body(body, hips, chains))
    return bones


def _asymmetry(places: Floats, axis: int) -> float:
    places = places[:: max(1, len(places) // _MOST_COMPARED)]
    mirrored = places.copy()
    mirrored[:, axis] = 2.0 * np.median(places[:, axis]) - mirrored[:, axis]
    distance = np.linalg.norm(mirrored[:, None] - places[None], axis=2).min(axis=1)
    flatness = 1e-3 / (np.ptp(places[:, axis]) + 1e-9)
    return float(distance.mean() + flatness)


def _handedness(side: int, up: int, front: int) -> float:
    """Return +1 if (side, up, front) is a right-handed triple of axes, else -1."""
    eye = np.eye(3)
    return float(np.sign(np.cross(eye[side], eye[up]) @ eye[front]))


def _legs(body: _OrientedBody) -> tuple[int, tuple[list[int], list[int]]] | None:
    """Hips and the chains (positive side first) down to the two lowest ends."""
    feet = []
    for sign in (1.0, -1.0):
        low = [
            i
            for i in body.leaves()
            if sign * body.places[i, 0] > 0.01 * body.height
            and body.places[i, 1] < body.places[:, 1].min() + 0.15 * body.height
        ]
        if not low:
            return None
        # The longest chain: heels and toes share an ankle, and the toe is farther along.
        feet.append(max(low, key=lambda i: len(body.skeleton.ancestors(i))))
    hips = body.meeting(*feet)
    left, right = (body.below(hips, foot) for foot in feet)
    return (hips, (left, right)) if len(left) >= 3 and len(right) >= 3 else None


def _forward(body: _OrientedBody, chains: tuple[list[int], list[int]]) -> float:
    """Sign of the front axis along which the feet point."""
    toe = np.mean([body.places[c[-1], 2] for c in chains])
    ankle = np.mean([body.places[_ankle(body, c), 2] for c in chains])
    return 1.0 if toe - ankle >= -0.005 * body.height else -1.0


def _ankle(body: _OrientedBody, chain: list[int]) -> int:
    floor = body.places[:, 1].min()
    low = [j for j in chain if body.places[j, 1] < floor + 0.12 * body.height]
    return low[0] if low else chain[-1]


def _leg_bones(body: _OrientedBody, side: str, chain: list[int]) -> dict[str, int]:
    ankle = _ankle(body, chain)
    above = chain[: chain.index(ankle)]
    if len(above) < 2:
        return {}
    hip = max(above, key=lambda j: (round(body.places[j, 1] / body.height, 3), j))
    between = [j for j in above if above.index(j) > above.index(hip)]
    if not between:
        return {}
    half = 0.5 * (body.places[hip, 1] + body.places[ankle, 1])
    knee = min(between, key=lambda j: abs(body.places[j, 1] - half))
    bones = {f"{side}UpperLeg": hip, f"{side}LowerLeg": knee, f"{side}Foot": ankle}
    rest = chain[chain.index(ankle) + 1 :]
    if rest and body.length([ankle, rest[0]]) > 0.02 * body.height:
        bones[f"{side}Toes"] = rest[0]
    return bones


def _upper_body(
    body: _OrientedBody, hips: int, legs: tuple[list[int], list[int]]
) -> dict[str, int]:
    taken = {j for chain in legs for j in chain}
    ends = [i for i in body.leaves() if i not in taken and hips in body.skeleton.ancestors(i)]
    middle = [i for i in ends if abs(body.places[i, 0]) < 0.08 * body.height]
    if not middle:
        return {}
    crown = max(middle, key=lambda i: body.places[i, 1])
    arms = []
    for sign in (1.0, -1.0):
        out = [i for i in ends if sign * body.places[i, 0] > 0.05 * body.height]
        if not out:
            return {}
        arms.append(max(out, key=lambda i: _branch_length(body, i, crown)))
    chest = body.meeting(*arms)
    if chest not in body.skeleton.ancestors(crown):
        chest = body.meeting(chest, crown)
    bones = {}
    neck = body.below(chest, crown)
    if len(neck) >= 2:
        bones.update({"neck": neck[0], "head": neck[1]})
    elif neck:
        bones["head"] = neck[0]
    for side, leaf in zip(("left", "right"), arms, strict=True):
        bones.update(_arm_bones(body, side, body.below(chest, leaf)))
    return bones


def _branch_length(body: _OrientedBody, leaf: int, crown: int) -> float:
    root = body.meeting(leaf, crown)
    return body.length(body.skeleton.path(root, leaf))


def _arm_bones(body: _OrientedBody, side: str, chain: list[int]) -> dict[str, int]:
    fan = [i for i, j in enumerate(chain) if len(body.skeleton.children[j]) >= 3 and i >= 2]
    hand = fan[0] if fan else min(len(chain) - 1, 3)
    if hand < 2:
        return {}
    before = chain[:hand]
    first = 0 if len(before) == 2 else 1
    spans = [body.length([*before[first : k + 1]]) for k in range(first, hand)]
    whole = body.length([*before[first:], chain[hand]])
    middle = min(range(first + 1, hand), key=lambda k: abs(spans[k - first] - 0.5 * whole))
    bones = {
        f"{side}UpperArm": before[first],
        f"{side}LowerArm": before[middle],
        f"{side}Hand": chain[hand],
    }
    if first:
        bones[f"{side}Shoulder"] = before[0]
    return {**bones, **_finger_bones(body, side, chain[hand])}


def _finger_bones(body: _OrientedBody, side: str, hand: int) -> dict[str, int]:
    """Five chains off the hand: the thumb starts nearest the wrist, the others in order from it."""
    chains = []
    for child in body.skeleton.children[hand]:
        chain = [child]
        while len(body.skeleton.children[chain[-1]]) == 1:
            chain.append(body.skeleton.children[chain[-1]][0])
        chains.append(chain)
    chains = [c for c in chains if len(c) >= 3]
    if len(chains) != len(FINGERS):
        return {}
    base = {c[0]: body.places[c[0]] for c in chains}
    thumb = min(chains, key=lambda c: float(np.linalg.norm(base[c[0]] - body.places[hand])))
    others = [c for c in chains if c is not thumb]
    others.sort(key=lambda c: float(np.linalg.norm(base[c[0]] - base[thumb[0]])))
    bones: dict[str, int] = {}
    for finger, chain in zip(FINGERS, [thumb, *others], strict=True):
        bones.update(zip(finger_bones(side, finger), chain[:3], strict=True))
    return bones
