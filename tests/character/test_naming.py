"""Humanoid naming of foreign rigs, by name, by the file, and by position."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.character.naming import identify
from kinesphere.character.topology import find_humanoid
from kinesphere.formats.registry import read_take
from kinesphere.maths import quaternion as quat
from kinesphere.motion.humanoid import BONE_PARENTS, FINGERS, REQUIRED, finger_bones
from kinesphere.motion.retargeting.retargeting import retarget
from tests.conftest import smooth_clip

SPINE3 = ("Spine", "Spine1", "Spine2")


def rig(
    hips: str,
    spine: tuple[str, ...],
    necks: tuple[str, ...],
    head: str,
    limbs: str,
    sides: tuple[str, str],
    fingers: str = "",
    finger_names: str = "Thumb Index Middle Ring Pinky",
    joints: str = "1 2 3",
    above: str = "",
    thumb: str = "",
    extra: tuple[tuple[str, str], ...] = (),
) -> tuple[ks.Skeleton, dict[str, str]]:
    """A skeleton of the default body's shape with another rig's names.

    `limbs` names clavicle, upper arm, forearm, hand, thigh, shin, foot and toes, with S for the side
    and ``-`` for none. Returns the skeleton and which name should be found for which bone.
    """
    base = ks.default_skeleton()
    place = dict(zip(base.names, base.rest_world_positions, strict=True))
    names: list[str] = []
    parents: list[int] = []
    places: list[np.ndarray] = []
    truth: dict[str, str] = {}

    def add(name: str, parent: str | None, where: np.ndarray, bone: str | None = None) -> None:
        names.append(name)
        parents.append(-1 if parent is None else names.index(parent))
        places.append(where)
        if bone:
            truth[bone] = name

    if above:
        add(above, None, np.zeros(3))
    add(hips, above or None, place["hips"], "hips")
    last = hips
    heights = np.linspace(0, 1, len(spine) + 1)[1:]
    for k, name in enumerate(spine):
        add(name, last, place["spine"] + heights[k] * (place["upperChest"] - place["spine"]))
        last = name
    chest = last
    order = {1: ["spine"], 2: ["spine", "chest"], 3: ["spine", "chest", "upperChest"]}
    if len(spine) <= 3:
        truth.update(zip(order[len(spine)], spine, strict=True))
    else:
        truth.update({"spine": spine[0], "upperChest": spine[-1]})
    for k, name in enumerate(necks):
        add(name, last, place["neck"] + k * 0.03)
        last = name
    truth["neck"] = necks[0]
    add(head, last, place["head"], "head")
    parts = ("Shoulder", "UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot", "Toes")
    for vrm, side in zip(("left", "right"), sides, strict=True):
        last = chest
        for part, pattern in zip(parts, limbs.split("|"), strict=True):
            if part == "UpperLeg":
                last = hips
            if pattern != "-":
                name = (
                    pattern.replace("S", side, 1) if "{" not in pattern else pattern.format(S=side)
                )
                add(name, last, place[f"{vrm}{part}"], f"{vrm}{part}")
                last = name
        if fingers:
            for finger, called in zip(FINGERS, finger_names.split(), strict=True):
                last = truth[f"{vrm}Hand"]
                numbers = (thumb or joints) if finger == "Thumb" else joints
                for bone, number in zip(finger_bones(vrm, finger), numbers.split(), strict=True):
                    name = fingers.format(S=side, F=called, i="" if number == "_" else number)
                    add(name, last, place[bone], bone)
                    last = name
    for name, parent in extra:
        add(name, parent, places[names.index(parent)] + np.array([0.0, 0.02, 0.02]))
    offsets = np.array(
        [p - (places[q] if q >= 0 else 0) for p, q in zip(places, parents, strict=True)]
    )
    return ks.Skeleton(tuple(names), parents, offsets), truth


HIK = "{S}Shoulder|{S}Arm|{S}ForeArm|{S}Hand|{S}UpLeg|{S}Leg|{S}Foot|{S}ToeBase"
LR = ("Left", "Right")
RIGS = {
    "Mixamo": rig(
        "mixamorig:Hips",
        tuple(f"mixamorig:{s}" for s in SPINE3),
        ("mixamorig:Neck",),
        "mixamorig:Head",
        "|".join("mixamorig:" + p for p in HIK.split("|")),
        LR,
        "mixamorig:{S}Hand{F}{i}",
        extra=(("mixamorig:HeadTop_End", "mixamorig:Head"),),
    ),
    "Mixamo 7": rig(
        "mixamorig7:Hips",
        tuple(f"mixamorig7:{s}" for s in SPINE3),
        ("mixamorig7:Neck",),
        "mixamorig7:Head",
        "|".join("mixamorig7:" + p for p in HIK.split("|")),
        LR,
        "mixamorig7:{S}Hand{F}{i}",
    ),
    "Mixamo sanitised": rig(
        "mixamorigHips",
        tuple(f"mixamorig{s}" for s in SPINE3),
        ("mixamorigNeck",),
        "mixamorigHead",
        "|".join("mixamorig" + p for p in HIK.split("|")),
        LR,
        "mixamorig{S}Hand{F}{i}",
    ),
    "Ready Player Me": rig(
        "Hips",
        SPINE3,
        ("Neck",),
        "Head",
        HIK,
        LR,
        "{S}Hand{F}{i}",
        above="Armature",
        extra=(("HeadTop_End", "Head"), ("LeftHandIndex4", "LeftHandIndex3")),
    ),
    "MotionBuilder": rig(
        "Character1_Hips",
        tuple(f"Character1_{s}" for s in SPINE3),
        ("Character1_Neck",),
        "Character1_Head",
        "|".join("Character1_" + p for p in HIK.split("|")),
        LR,
        "Character1_{S}Hand{F}{i}",
        above="Character1_Reference",
    ),
    "Unity": rig(
        "Hips",
        ("Spine", "Chest", "UpperChest"),
        ("Neck",),
        "Head",
        "{S}Shoulder|{S}UpperArm|{S}LowerArm|{S}Hand|{S}UpperLeg|{S}LowerLeg|{S}Foot|{S}Toes",
        LR,
        "{S} {F} {i}",
        "Thumb Index Middle Ring Little",
        "Proximal Intermediate Distal",
    ),
    "VRM": rig(
        "hips",
        ("spine", "chest", "upperChest"),
        ("neck",),
        "head",
        "{S}Shoulder|{S}UpperArm|{S}LowerArm|{S}Hand|{S}UpperLeg|{S}LowerLeg|{S}Foot|{S}Toes",
        ("left", "right"),
        "{S}{F}{i}",
        "Thumb Index Middle Ring Little",
        "Proximal Intermediate Distal",
        thumb="Metacarpal Proximal Distal",
    ),
    "VRoid": rig(
        "J_Bip_C_Hips",
        ("J_Bip_C_Spine", "J_Bip_C_Chest", "J_Bip_C_UpperChest"),
        ("J_Bip_C_Neck",),
        "J_Bip_C_Head",
        "J_Bip_{S}_Shoulder|J_Bip_{S}_UpperArm|J_Bip_{S}_LowerArm|J_Bip_{S}_Hand|J_Bip_{S}_UpperLeg|J_Bip_{S}_LowerLeg|J_Bip_{S}_Foot|J_Bip_{S}_ToeBase",
        ("L", "R"),
        "J_Bip_{S}_{F}{i}",
        "Thumb Index Middle Ring Little",
        above="Root",
        extra=(("J_Sec_Hair1", "J_Bip_C_Head"), ("J_Sec_L_Bust1", "J_Bip_C_UpperChest")),
    ),
    "Unreal 4": rig(
        "pelvis",
        ("spine_01", "spine_02", "spine_03"),
        ("neck_01",),
        "head",
        "clavicle_{S}|upperarm_{S}|lowerarm_{S}|hand_{S}|thigh_{S}|calf_{S}|foot_{S}|ball_{S}",
        ("l", "r"),
        "{F}_{i}_{S}",
        "thumb index middle ring pinky",
        "01 02 03",
        above="root",
        extra=(
            ("upperarm_twist_01_l", "upperarm_l"),
            ("ik_hand_root", "root"),
            ("ik_hand_l", "ik_hand_root"),
        ),
    ),
    "Unreal 5": rig(
        "pelvis",
        tuple(f"spine_0{i}" for i in range(1, 6)),
        ("neck_01", "neck_02"),
        "head",
        "clavicle_{S}|upperarm_{S}|lowerarm_{S}|hand_{S}|thigh_{S}|calf_{S}|foot_{S}|ball_{S}",
        ("l", "r"),
        "{F}_{i}_{S}",
        "thumb index middle ring pinky",
        "01 02 03",
        above="root",
    ),
    "CMU BVH": rig(
        "Hips",
        ("LowerBack", "Spine", "Spine1"),
        ("Neck", "Neck1"),
        "Head",
        HIK,
        LR,
        extra=(("LeftFingerBase", "LeftHand"), ("LThumb", "LeftHand")),
    ),
    "CMU ASF": rig(
        "root",
        ("lowerback", "upperback", "thorax"),
        ("lowerneck", "upperneck"),
        "head",
        "{S}clavicle|{S}humerus|{S}radius|{S}hand|{S}femur|{S}tibia|{S}foot|{S}toes",
        ("l", "r"),
    ),
    "Biovision": rig(
        "Hips",
        ("Chest", "Chest2", "Chest3", "Chest4"),
        ("Neck",),
        "Head",
        "{S}Collar|{S}Shoulder|{S}Elbow|{S}Wrist|{S}Hip|{S}Knee|{S}Ankle|{S}Toe",
        LR,
    ),
    "Biovision B": rig(
        "Hips",
        ("Chest",),
        ("Neck",),
        "Head",
        "{S}Collar|{S}UpArm|{S}LowArm|{S}Hand|{S}UpLeg|{S}LowLeg|{S}Foot|-",
        LR,
    ),
    "3ds Max": rig(
        "Bip01 Pelvis",
        ("Bip01 Spine", "Bip01 Spine1", "Bip01 Spine2"),
        ("Bip01 Neck",),
        "Bip01 Head",
        "Bip01 {S} Clavicle|Bip01 {S} UpperArm|Bip01 {S} Forearm|Bip01 {S} Hand|Bip01 {S} Thigh|Bip01 {S} Calf|Bip01 {S} Foot|Bip01 {S} Toe0",
        ("L", "R"),
        "Bip01 {S} Finger{F}{i}",
        "0 1 2 3 4",
        "_ 1 2",
        above="Bip01",
        extra=(("Bip01 HeadNub", "Bip01 Head"), ("Bip01 L ForeTwist", "Bip01 L Forearm")),
    ),
    "BEAT": rig(
        "Hips",
        ("Spine", "Spine1", "Spine2", "Spine3"),
        ("Neck", "Neck1"),
        "Head",
        "{S}Shoulder|{S}Arm|{S}Arm1|{S}Hand|{S}UpLeg|{S}Leg|{S}Foot|{S}ToeBase",
        ("L", "R"),
        "{S}Hand{F}{i}",
        "T I M R P",
    ),
    "BEAT long": rig(
        "Hips",
        ("Spine", "Spine1", "Spine2", "Spine3"),
        ("Neck", "Neck1"),
        "Head",
        HIK,
        LR,
        "{S}Hand{F}{i}",
        extra=(("LeftHandIndex", "LeftHand"), ("LeftForeFoot", "LeftFoot"), ("HeadEnd", "Head")),
    ),
    "ZeroEGGS": rig(
        "Hips",
        ("Spine", "Spine1", "Spine2", "Spine3"),
        ("Neck", "Neck1"),
        "Head",
        HIK,
        LR,
        "{S}Hand{F}{i}",
        extra=(
            ("LeftForeArmEnd", "LeftHand"),
            ("LeftArmEnd", "LeftForeArm"),
            ("LeftUpLegEnd", "LeftLeg"),
        ),
    ),
    "Trinity": rig(
        "Hips",
        ("Spine", "Spine1", "Spine2", "Spine3"),
        ("Neck", "Neck1"),
        "Head",
        HIK,
        LR,
        "{S}Hand{F}{i}",
        extra=(("pCube4", "Spine3"),),
    ),
    "Talking With Hands": rig(
        "b_root",
        ("b_spine0", "b_spine1", "b_spine2", "b_spine3"),
        ("b_neck0",),
        "b_head",
        "b_{S}_shoulder|b_{S}_arm|b_{S}_forearm|b_{S}_wrist|b_{S}_upleg|b_{S}_leg|b_{S}_foot|-",
        ("l", "r"),
        "b_{S}_{F}{i}",
        "thumb index middle ring pinky",
        above="body_world",
        extra=(("p_l_delt", "b_l_shoulder"), ("b_jaw", "b_head")),
    ),
    "SMPL-X": rig(
        "pelvis",
        ("spine1", "spine2", "spine3"),
        ("neck",),
        "head",
        "{S}_collar|{S}_shoulder|{S}_elbow|{S}_wrist|{S}_hip|{S}_knee|{S}_ankle|{S}_foot",
        ("left", "right"),
        "{S}_{F}{i}",
        "thumb index middle ring pinky",
    ),
    "SmartBody Jt": rig(
        "JtRoot",
        ("JtSpineA", "JtSpineB", "JtSpineC"),
        ("JtNeckA", "JtNeckB"),
        "JtSkullA",
        "JtClavicle{S}|JtShoulder{S}|JtElbow{S}|JtWrist{S}|JtHip{S}|JtKnee{S}|JtAnkle{S}|JtBall{S}",
        ("Lf", "Rt"),
        "Jt{F}{i}{S}",
        "Thumb Index Middle Ring Little",
        "A B C",
    ),
    "SmartBody": rig(
        "base",
        ("spine1", "spine2", "spine3"),
        ("spine4", "spine5"),
        "skullbase",
        "{S}_sternoclavicular|{S}_shoulder|{S}_elbow|{S}_wrist|{S}_hip|{S}_knee|{S}_ankle|{S}_forefoot",
        ("l", "r"),
        "{S}_{F}{i}",
        "thumb index middle ring pinky",
    ),
    "Rigify": rig(
        "DEF-spine",
        ("DEF-spine.001", "DEF-spine.002", "DEF-spine.003"),
        ("DEF-spine.004", "DEF-spine.005"),
        "DEF-spine.006",
        "DEF-shoulder.{S}|DEF-upper_arm.{S}|DEF-forearm.{S}|DEF-hand.{S}|DEF-thigh.{S}|DEF-shin.{S}|DEF-foot.{S}|DEF-toe.{S}",
        ("L", "R"),
        "DEF-f_{F}.{i}.{S}",
        "thumb index middle ring pinky",
        "01 02 03",
    ),
    "LAFAN": rig(
        "Hips",
        SPINE3,
        ("Neck",),
        "Head",
        "{S}Shoulder|{S}Arm|{S}ForeArm|{S}Hand|{S}UpLeg|{S}Leg|{S}Foot|{S}Toe",
        LR,
    ),
    "Bandai": rig(
        "Hips",
        ("Spine", "Chest"),
        ("Neck",),
        "Head",
        "Shoulder_{S}|UpperArm_{S}|LowerArm_{S}|Hand_{S}|UpperLeg_{S}|LowerLeg_{S}|Foot_{S}|Toes_{S}",
        ("L", "R"),
        above="joint_Root",
    ),
    "Rokoko": rig(
        "Hips",
        ("Spine1", "Spine2", "Spine3", "Spine4"),
        ("Neck",),
        "Head",
        "{S}Shoulder|{S}Arm|{S}ForeArm|{S}Hand|{S}Thigh|{S}Shin|{S}Foot|{S}Toe",
        LR,
        "{S}Finger{F}{i}",
        "1 2 3 4 5",
        "Proximal Medial Distal",
        above="Root",
        thumb="Metacarpal Proximal Distal",
    ),
    "Poser": rig(
        "hip",
        ("abdomen", "chest"),
        ("neck",),
        "head",
        "{S}Collar|{S}Shldr|{S}ForeArm|{S}Hand|{S}Thigh|{S}Shin|{S}Foot|{S}Toe",
        ("l", "r"),
        "{S}{F}{i}",
        "Thumb Index Mid Ring Pinky",
    ),
}


@pytest.mark.parametrize("name", sorted(RIGS))
def test_rigs_by_name(name: str) -> None:
    skeleton, truth = RIGS[name]
    report = identify(skeleton)
    found = {bone: skeleton.names[joint] for bone, joint in report.rig.bones.items()}
    wrong = {b: (found.get(b), n) for b, n in truth.items() if found.get(b) != n}
    assert not wrong
    assert report.complete
    assert all(report.how[b] in ("name", "chain") for b in truth)
    lines = "\n".join(report.lines())
    assert report.convention in lines
    assert all(joint in lines for joint in truth.values())


def anonymous(skeleton: ks.Skeleton, keep: list[int] | None = None) -> ks.Skeleton:
    keep = list(range(len(skeleton))) if keep is None else keep
    order = {j: k for k, j in enumerate(keep)}
    return ks.Skeleton(
        tuple(f"bone_{k}" for k in range(len(keep))),
        [order.get(int(skeleton.parents[j]), -1) for j in keep],
        skeleton.offsets[keep],
    )


@pytest.mark.parametrize("fingers", [True, False])
@pytest.mark.parametrize("toes", [True, False])
@pytest.mark.parametrize("clavicles", [True, False])
@pytest.mark.parametrize("turn", [0.0, np.pi / 2, np.pi])
def test_rigs_by_position(fingers: bool, toes: bool, clavicles: bool, turn: float) -> None:
    base = ks.default_skeleton()
    drop = set()
    for j, name in enumerate(base.names):
        drop |= (
            {j}
            if (not fingers and any(f in name for f in FINGERS)) or (not toes and "Toes" in name)
            else set()
        )
        drop |= {j} if "Eye" in name or name == "jaw" else set()
    keep = [j for j in range(len(base)) if j not in drop]
    skeleton = anonymous(base, keep)
    names = [base.names[j] for j in keep]
    if not clavicles:
        skeleton, names = without(skeleton, names, {"leftShoulder", "rightShoulder"})
    offsets = quat.rotate(quat.from_axis_angle([0.0, 1, 0], turn), skeleton.offsets)
    turned = ks.Skeleton(skeleton.names, skeleton.parents, offsets)
    bones = find_humanoid(turned, turned.rest_world_positions)
    if toes or turn == 0.0:
        # Without toes nothing tells front from back, so left and right may be exchanged.
        assert {b: names[j] for b, j in bones.items()} == {b: b for b in bones}
    assert set(REQUIRED) <= set(bones)
    assert identify(turned).complete


def without(
    skeleton: ks.Skeleton, names: list[str], drop: set[str]
) -> tuple[ks.Skeleton, list[str]]:
    """Take joints out, their children moving up to their parents."""
    places = skeleton.rest_world_positions
    keep = [j for j in range(len(skeleton)) if names[j] not in drop]
    order = {j: k for k, j in enumerate(keep)}

    def above(j: int) -> int:
        parent = int(skeleton.parents[j])
        while parent >= 0 and parent not in order:
            parent = int(skeleton.parents[parent])
        return parent

    parents = [above(j) for j in keep]
    offsets = np.array(
        [places[j] - (places[p] if p >= 0 else 0) for j, p in zip(keep, parents, strict=True)]
    )
    small = ks.Skeleton(
        tuple(skeleton.names[j] for j in keep), [order.get(p, -1) for p in parents], offsets
    )
    return small, [names[j] for j in keep]


def test_what_is_no_humanoid_is_said_to_be_none() -> None:
    snake = ks.Skeleton(
        tuple(f"s{i}" for i in range(20)), [-1, *range(19)], np.tile([0.0, 0, 0.1], (20, 1))
    )
    report = identify(snake)
    assert not report.complete
    assert "required but missing" in "\n".join(report.lines())


def bones_along_x(rng: np.random.Generator) -> tuple[ks.Clip, ks.Clip]:
    """Motion of a rig whose every bone lies along its own X, so that the zero pose is no posture."""
    base = ks.default_skeleton()
    clip = smooth_clip(base, rng, frames=80, size=0.15)
    rotations = clip.rotations.copy()
    for side, sign in (("left", -1.0), ("right", 1.0)):
        j = base.index(f"{side}UpperArm")
        rotations[:, j] = quat.multiply(quat.from_axis_angle([0.0, 0, sign], 1.2), rotations[:, j])
    clip = ks.Clip(base, clip.fps, clip.root_positions, rotations)
    axes = quat.identity((len(base),))
    for j in range(len(base)):
        if base.children[j] and j:
            axes[j] = quat.between([1.0, 0, 0], base.offsets[base.children[j][0]])
    axes[0] = quat.from_axis_angle([0.0, 0, 1], np.pi / 2)
    above = np.array([axes[p] if p >= 0 else quat.IDENTITY for p in base.parents])
    skeleton = ks.Skeleton(base.names, base.parents, quat.rotate(quat.inverse(above), base.offsets))
    turned = quat.multiply(quat.multiply(quat.inverse(above), rotations), axes)
    return ks.Clip(skeleton, clip.fps, clip.root_positions, quat.normalise(turned)), clip


def test_a_rest_pose_that_is_none_is_replaced_by_a_frame(rng: np.random.Generator) -> None:
    odd, truth = bones_along_x(rng)
    assert np.abs(odd.world_positions - truth.world_positions).max() < 1e-9
    report = identify(odd.skeleton, odd.rotations)
    assert any("not a standing posture" in note for note in report.notes)
    moved = retarget(odd, report.rig, ks.default_rig())
    joints = ks.default_rig().joints(("leftHand", "rightHand", "leftFoot", "rightFoot", "head"))
    # The frame itself is not quite neutral: what its back and collar bones do counts as rest.
    assert (
        np.linalg.norm(moved.world_positions - truth.world_positions, axis=-1)[:, joints].max()
        < 0.12
    )
    without_motion = identify(odd.skeleton)
    assert any("no motion" in note for note in without_motion.notes)


def test_bones_that_a_file_declares_win() -> None:
    skeleton = ks.default_skeleton()
    odd = anonymous(skeleton)
    declared = {bone: skeleton.index(bone) for bone in BONE_PARENTS}
    report = identify(odd, given=declared)
    assert set(report.how.values()) == {"file"}
    assert report.convention == "declared by the file"


def test_real_rigs(data: Path) -> None:
    for path, convention in (
        ("cmu/18_08.bvh", "CMU"),
        ("greta/fast_gesture.bvh", "Biovision"),
        ("characters/geno/Geno_bind.bvh", "Mixamo"),
        ("beat2/2_scott_0_1_1.npz", "SMPL"),
        ("smartbody/Gestures/ChrBrad.sk", "SmartBody"),
        ("characters/RiggedFigure.glb", "by position"),
        ("characters/CesiumMan.glb", "by position"),
    ):
        clip = read_take(data / path).clip
        report = identify(clip.skeleton, clip.rotations)
        assert report.convention.startswith(convention), path
        assert report.complete, path
