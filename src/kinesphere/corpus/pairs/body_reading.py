"""Recorded motion of any humanoid, complete or partial, retargeted to the default character.

Retargeting needs hips, arms and legs. A recording may lack legs, a head or fingers, or have joints
for them that never move. Missing limbs are added to the skeleton with the default character's
proportions and held still, so that the others can be retargeted; which parts the recording really
contains is returned with the motion.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from kinesphere.character.default import default_rig
from kinesphere.character.naming import identify
from kinesphere.character.reference_pose import is_posture, most_neutral
from kinesphere.errors import RigError
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.maths.euler import about
from kinesphere.motion.clip import Clip
from kinesphere.motion.editing import place_clip
from kinesphere.motion.humanoid import BONE_PARENTS, FINGERS, REQUIRED, Rig, finger_bones
from kinesphere.motion.kinematics import forward_kinematics, forward_kinematics_plain
from kinesphere.motion.known_rigs import known_rig
from kinesphere.motion.measure import chain_length, limb_lengths
from kinesphere.motion.retargeting.foot_placement import INFLUENCE_S
from kinesphere.motion.retargeting.footing import Footing
from kinesphere.motion.retargeting.observed_footing import (
    foot_tracks,
    footing_for,
    join_observations,
)
from kinesphere.motion.retargeting.retargeting import RetargetSettings, move_rig_limbs, retarget
from kinesphere.motion.skeleton import Skeleton
from kinesphere.motion.take import Take

PARTS = ("head", "arms", "lower", "fingers")
_SIDES = ("left", "right")
_LEGS = tuple(f"{side}{part}" for side in _SIDES for part in ("UpperLeg", "LowerLeg", "Foot"))
_ARMS = tuple(f"{side}{part}" for side in _SIDES for part in ("UpperArm", "LowerArm"))
_HANDS = tuple(b for s in _SIDES for finger in FINGERS for b in finger_bones(s, finger))
_OF_PART = {"head": ("neck", "head"), "arms": _ARMS, "lower": _LEGS, "fingers": _HANDS}
_NEEDED = {"head": ("head",), "arms": _ARMS, "lower": _LEGS, "fingers": ()}

# A static joint stays within this, despite a file's precision or a solver's noise.
_STILL = np.radians(0.5)
_FEWEST_FINGERS = 6
_FRAMES_LOOKED_AT = 2000
_BLOCK_FRAMES = 2000
_MOST_NAMED = 16
_UPRIGHT = np.cos(np.radians(40.0))
# Straight legs cannot follow a tilting pelvis; knees bent by this much can.
_KNEE_ROOM_M = 0.015


@dataclass(frozen=True, eq=False)
class RetargetedBody:
    """A recording on the default character, and which of `PARTS` it contains."""

    clip: Clip
    present: frozenset[str]
    notes: tuple[str, ...] = ()


def on_default_figure(take: Take) -> RetargetedBody:
    """Retarget a recording to the default character.

    Parts that the recording lacks are static: the character's T-pose for a head, planted
    legs, relaxed fingers.

    Raises
    ------
    RigError
        If the skeleton has neither both arms nor both legs; the message names its joints.
    """
    clip, notes = take.clip, []
    rig = _rig_of(take)
    present = moving_parts(clip, rig)
    legs = all(bone in rig for bone in _LEGS)
    if rig.missing:
        notes.append(
            f"the skeleton has no {_bones_text(rig.missing)}; the default character's are used"
        )
        clip, rig = _complete(clip, rig.bones)
    moved = _retarget_in_blocks(clip, known_rig(rig), RetargetSettings(place_feet=legs))
    if not legs:
        moved = _add_legs(moved)
    lacking = [part for part in PARTS if part not in present]
    if lacking:
        notes.append(f"has no movement of: {', '.join(lacking)}")
    return RetargetedBody(moved, present, tuple(notes))


def _retarget_in_blocks(clip: Clip, rig: Rig, settings: RetargetSettings) -> Clip:
    """Retarget block by block: the same numbers as at once, faster, with less memory."""
    starts = range(0, len(clip), _BLOCK_FRAMES)
    spans = [(at, min(at + _BLOCK_FRAMES, len(clip))) for at in starts]
    footing = rig.footing
    if settings.place_feet:
        tracks = join_observations([foot_tracks(clip.frames(*span), rig) for span in spans])
        footing = footing_for(tracks, rig, default_rig())
    moved = [_block(clip, rig, settings, footing, *span) for span in spans]
    return replace(
        moved[0],
        root_positions=np.concatenate([block.root_positions for block in moved]),
        rotations=np.concatenate([block.rotations for block in moved]),
        translations=np.concatenate([block.translations for block in moved]),
        channels=clip.channels,
    )


def _block(
    clip: Clip, rig: Rig, settings: RetargetSettings, footing: Footing, start: int, stop: int
) -> Clip:
    """Retarget some frames, with those beside them that have an influence."""
    beside = int(np.ceil(INFLUENCE_S * clip.fps))
    first, last = max(start - beside, 0), min(stop + beside, len(clip))
    near = footing.frames(first, last)
    moved = retarget(clip.frames(first, last), rig, default_rig(), settings, near)
    return moved.frames(start - first, stop - first)


def _bones_text(bones: tuple[str, ...]) -> str:
    legs, arms = set(_LEGS), {b for b in REQUIRED if "Arm" in b or "Hand" in b}
    if legs <= set(bones):
        rest = [bone for bone in bones if bone not in legs]
        return "legs" if not rest else f"legs, {', '.join(rest)}"
    return "arms" if arms <= set(bones) else ", ".join(bones)


def moving_parts(clip: Clip, rig: Rig) -> frozenset[str]:
    """Return those of `PARTS` whose joints move in a recording.

    One joint is enough for head, arms and legs; fingers need more than a thumb and one finger.
    """
    some = np.unique(np.linspace(0, len(clip) - 1, _FRAMES_LOOKED_AT).astype(np.int64))
    rotations = clip.rotations[some]
    turned = quaternion.angle_between(rotations, rotations[len(some) // 2])
    # The last percent may be a calibration pose or a glitch.
    moves = np.quantile(turned, 0.99, axis=0) > _STILL
    shown = set()
    for part, bones in _OF_PART.items():
        joints = [rig.bones[bone] for bone in bones if bone in rig]
        there = all(bone in rig for bone in _NEEDED[part])
        if there and np.sum(moves[joints]) >= (_FEWEST_FINGERS if part == "fingers" else 1):
            shown.add(part)
    return frozenset(shown)


def _rig_of(take: Take) -> Rig:
    """Recognise the humanoid; hips are required, and arms mistaken for legs are removed."""
    declared = take.provenance.get("humanoid", {})
    skeleton = take.clip.skeleton
    given = {b: skeleton.index(j) for b, j in declared.items() if j in skeleton}
    report = identify(skeleton, take.clip.rotations, given)
    rig = report.rig
    if _legs_are_arms(rig) or any(bone not in rig for bone in _LEGS):
        # Recognition by position needs legs.
        named = {b: j for b, j in rig.bones.items() if report.how[b] != "position"}
        rig = Rig(skeleton, named, rig.reference)
    if "hips" not in rig and 0 not in rig.bones.values():
        whole = identify(skeleton, take.clip.rotations, {**rig.bones, "hips": 0})
        kept = {b: j for b, j in whole.rig.bones.items() if whole.how[b] != "position"}
        rig = Rig(skeleton, kept, whole.rig.reference)
    if "hips" not in rig:
        raise RigError(f"is no humanoid: no joint for hips among {_joints(skeleton)}")
    if not any(_both(rig.bones, limb) for limb in ("UpperArm", "UpperLeg")):
        raise RigError(
            "is no humanoid: neither both arms nor both legs were found among its joints: "
            f"{_joints(skeleton)}"
        )
    return rig


def _joints(skeleton: Skeleton) -> str:
    more = len(skeleton) - _MOST_NAMED
    return ", ".join(skeleton.names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _both(bones: Mapping[str, int], limb: str) -> list[int]:
    """Joints of a bone on the left and on the right; none if one is missing."""
    found = [bones[f"{side}{limb}"] for side in _SIDES if f"{side}{limb}" in bones]
    return found if len(found) == len(_SIDES) else []


def _legs_are_arms(rig: Rig) -> bool:
    """Whether arms were mistaken for legs: a body without legs whose arms hang."""
    arms: set[int] = set()
    for bone in (f"{side}UpperArm" for side in _SIDES):
        if bone in rig:
            arms |= set(rig.skeleton.ancestors(rig.bones[bone])[1:-1])
            arms |= set(rig.skeleton.subtree(rig.bones[bone]))
    arms.discard(rig.bones.get("hips", 0))
    legs = [b for b in rig.bones if "Leg" in b or b.endswith(("Foot", "Toes"))]
    return any(rig.bones[bone] in arms for bone in legs)


def _complete(clip: Clip, bones: Mapping[str, int]) -> tuple[Clip, Rig]:
    """Add the required bones that a clip's skeleton lacks, held still."""
    clip = _upright(clip, bones)
    build = _SkeletonBuilder(clip, bones)
    for bone in REQUIRED:
        if bone not in build.bones:
            build.add(bone)
    added = len(build.names) - len(clip.skeleton)
    rest = np.concatenate([clip.skeleton.rest_rotations, quaternion.identity((added,))])
    whole = Skeleton(
        tuple(build.names),
        np.array(build.parents),
        np.array(build.offsets),
        rest,
        clip.skeleton.tips,
    )
    still = np.broadcast_to(quaternion.IDENTITY, (len(clip), added, 4))
    rotations = np.concatenate([clip.rotations, still], axis=1)
    rig = Rig(whole, build.bones)
    if not is_posture(rig):
        rig = Rig(whole, build.bones, most_neutral(rig, rotations)[0])
    return replace(clip, skeleton=whole, rotations=rotations), rig


class _SkeletonBuilder:
    """A skeleton under construction: joints with world positions and rotations in one pose."""

    def __init__(self, clip: Clip, bones: Mapping[str, int]) -> None:
        skeleton = clip.skeleton
        rotations, places = _pose_to_build_on(clip, bones)
        self.names, self.parents = list(skeleton.names), skeleton.parents.tolist()
        self.offsets, self.places = list(skeleton.offsets), list(places)
        self.turns, self.bones = list(rotations), dict(bones)
        self.frame = quaternion.from_frame(*_axes(places, bones))
        self.scale = _scale(Rig(skeleton, bones))

    def add(self, bone: str) -> None:
        """Attach a bone to its nearest ancestor with the default character's offset."""
        anchor = _above(bone, self.bones)
        parent, step = self.bones[anchor], self._step(bone, anchor)
        self.bones[bone] = len(self.names)
        name = bone
        while name in self.names:
            name += "#"
        self.names.append(name)
        self.parents.append(parent)
        self.offsets.append(quaternion.rotate(quaternion.inverse(self.turns[parent]), step))
        self.places.append(self.places[parent] + step)
        self.turns.append(self.turns[parent])

    def _step(self, bone: str, anchor: str) -> Floats:
        places, index = default_rig().skeleton.rest_world_positions, default_rig().bones
        step = self.scale * (places[index[bone]] - places[index[anchor]])
        start = _above(anchor, self.bones) if anchor.endswith(("LowerArm", "LowerLeg")) else ""
        if start.endswith(("UpperArm", "UpperLeg")):  # in line with the limb
            along = self.places[self.bones[anchor]] - self.places[self.bones[start]]
            length = float(np.linalg.norm(along))
            if length > 1e-9:
                return np.asarray(along * (np.linalg.norm(step) / length))
        return quaternion.rotate(self.frame, step)


def _above(bone: str, bones: Mapping[str, int]) -> str:
    """Nearest existing ancestor bone."""
    above = BONE_PARENTS[bone]
    while above is not None and above not in bones:
        above = BONE_PARENTS[above]
    return above or "hips"


def _axes(places: Floats, bones: Mapping[str, int]) -> tuple[Floats, Floats]:
    """Left and up directions of a pose, from the arms, or else from the legs."""
    pair = _both(bones, "UpperArm") or _both(bones, "UpperLeg")
    left = places[pair[0]] - places[pair[1]]
    top = next((bones[b] for b in ("head", "neck", "upperChest", "chest") if b in bones), None)
    middle = 0.5 * (places[pair[0]] + places[pair[1]])
    high = places[top] if top is not None else middle
    up = high - places[bones["hips"]]
    return left - (left @ up) * up / max(float(up @ up), 1e-12), up


def _pose_to_build_on(clip: Clip, bones: Mapping[str, int]) -> tuple[Floats, Floats]:
    """World rotations and positions of the rest pose, or of the first frame if it is degenerate."""
    skeleton = clip.skeleton
    poses = (skeleton.rest_rotations, clip.rotations[0])
    for i, pose in enumerate(poses):
        rotations, places = forward_kinematics_plain(skeleton, pose, skeleton.offsets[0])
        left, up = _axes(places, bones)
        size = max(float(np.linalg.norm(left)), 1e-12)
        reach = np.linalg.norm(up)
        if (reach > 0.5 * size and size > 0.1 * reach) or i == len(poses) - 1:
            break
    return rotations, places


def _scale(rig: Rig) -> float:
    """Size of a body relative to the default character, from the bones it has."""
    whole = default_rig()
    for start, end in (("UpperLeg", "Foot"), ("UpperArm", "Hand"), ("UpperArm", "LowerArm")):
        if all(f"{side}{bone}" in rig for side in _SIDES for bone in (start, end)):
            found = float(limb_lengths(rig, start, end).mean())
            if found > 1e-9:
                return found / float(limb_lengths(whole, start, end).mean())
    top = next((b for b in ("head", "neck") if b in rig), None)
    if top is None:
        raise RigError("is no humanoid: no limb and no head to estimate its size from")
    ends = rig.bones["hips"], rig.bones[top]
    return chain_length(rig.skeleton, *ends) / chain_length(
        whole.skeleton, whole.bones["hips"], whole.bones[top]
    )


def _upright(clip: Clip, bones: Mapping[str, int]) -> Clip:
    """Rotate a body that stands along Z in nearly all frames."""
    some = np.unique(np.linspace(0, len(clip) - 1, 200).astype(np.int64))
    _, places = forward_kinematics(clip.skeleton, clip.rotations[some], clip.root_positions[some])
    ups = np.array([_axes(frame, bones)[1] for frame in places])
    ups /= np.maximum(np.linalg.norm(ups, axis=1, keepdims=True), 1e-12)
    if np.mean(ups[:, 2] > _UPRIGHT) < 0.9:
        return clip
    return place_clip(clip, about("X", -0.5 * np.pi), np.zeros(3))


def _add_legs(clip: Clip) -> Clip:
    """Add legs that were not recorded, feet planted, with the pelvis above them."""
    rig = default_rig()
    hips = clip.world_rotations[:, rig.bones["hips"]]
    ahead = quaternion.rotate(hips, np.array([0.0, 0.0, 1.0])).mean(axis=0)
    heading = quaternion.from_axis_angle([0.0, 1.0, 0.0], float(np.arctan2(ahead[0], ahead[2])))
    rotations = clip.rotations.copy()
    for side in _SIDES:
        legs = rig.joints(f"{side}{part}" for part in ("UpperLeg", "LowerLeg", "Foot", "Toes"))
        rotations[:, legs] = quaternion.IDENTITY
        rotations[:, legs[0]] = quaternion.multiply(quaternion.inverse(hips), heading)
    root = rig.skeleton.offsets[0] - np.array([0.0, _KNEE_ROOM_M, 0.0])
    stood = replace(clip, rotations=rotations, root_positions=np.broadcast_to(root, (len(clip), 3)))
    limbs = []
    for side in _SIDES:
        a, b, c = rig.joints(f"{side}{part}" for part in ("UpperLeg", "LowerLeg", "Foot"))
        limbs.append((a, b, c))
    at_rest = rig.skeleton.rest_world_positions[[limb[2] for limb in limbs]]
    ankles = quaternion.rotate(heading, at_rest)
    ends = np.broadcast_to(ankles, (len(clip), 2, 3))
    return move_rig_limbs(stood, rig, limbs, ends, np.tile([1.0, 0.0, 0.0], (2, 1)))
