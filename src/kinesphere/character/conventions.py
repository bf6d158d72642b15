"""Naming conventions of humanoid bones in common rigs.

One table per convention, with ``{S}`` standing for the side. Names are compared after `simplify`,
which drops namespaces, well-known prefixes, case and separators. Spine, neck and chest are not
listed: they are found as the joints between hips and head, because conventions differ in how many
there are and agree on their position.

To add a rig: add a `Convention`, and a line to the table in ``docs/rigs.md``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

from kinesphere.motion.humanoid import FINGERS, finger_bones

_PREFIXES = re.compile(
    r"^(mixamorig\d*[:_]?|character\d+_|valvebiped\.?|bip\d+[ _-]?|j_bip_[c]?_?|def-|org-|cc_base_|"
    r"robot_|m_avg_|f_avg_|genesis\d*\w*_)",
    re.IGNORECASE,
)
_SEPARATORS = re.compile(r"[\s_.\-]+")


def simplify(name: str) -> str:
    """Reduce a joint's name to what conventions agree on.

    >>> [simplify(n) for n in ("mixamorig:LeftArm", "Bip01 L UpperArm", "upperarm_l")]
    ['leftarm', 'lupperarm', 'upperarml']
    """
    name = re.split(r"[:|]", name)[-1]
    name = _PREFIXES.sub("", name) or name
    return _SEPARATORS.sub("", name).lower()


@dataclass(frozen=True)
class Convention:
    """Names of one kind of rig.

    Parameters
    ----------
    name : its common name.
    sides : how left and right are written.
    middle : names of hips, head and, where they have one, jaw.
    limbs : part (as in ``leftUpperArm`` without the side) to alternatives with ``{S}``.
    fingers : pattern with ``{S}``, ``{F}`` (finger) and ``{i}`` (joint), or empty.
    finger_names : thumb, index, middle, ring, little in the convention's words.
    finger_joints : the three joints in the convention's numbering.
    thumb_joints : the same for the thumb where it differs.
    """

    name: str
    sides: tuple[str, str]
    middle: dict[str, tuple[str, ...]]
    limbs: dict[str, tuple[str, ...]]
    fingers: tuple[str, ...] = ()
    finger_names: tuple[str, ...] = ("Thumb", "Index", "Middle", "Ring", "Pinky")
    finger_joints: tuple[str, ...] = ("1", "2", "3")
    thumb_joints: tuple[str, ...] = field(default=())

    @cached_property
    def aliases(self) -> dict[str, str]:
        """Simplified joint name to humanoid bone."""
        table: dict[str, str] = {}
        for bone, names in self.middle.items():
            for name in names:
                table.setdefault(simplify(name), bone)
        for vrm_side, side in zip(("left", "right"), self.sides, strict=True):
            for part, names in self.limbs.items():
                for name in names:
                    table.setdefault(simplify(name.format(S=side)), f"{vrm_side}{part}")
            self._add_fingers(table, vrm_side, side)
        return table

    def _add_fingers(self, table: dict[str, str], vrm_side: str, side: str) -> None:
        for finger, called in zip(FINGERS, self.finger_names, strict=True):
            joints = self.finger_joints
            if finger == "Thumb" and self.thumb_joints:
                joints = self.thumb_joints
            for bone, joint in zip(finger_bones(vrm_side, finger), joints, strict=True):
                for pattern in self.fingers:
                    name = pattern.format(S=side, F=called, i=joint)
                    table.setdefault(simplify(name), bone)


_PARTS = ("Shoulder", "UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot", "Toes")


def _limbs(pattern: str, words: str, **others: str) -> dict[str, tuple[str, ...]]:
    """Names of `_PARTS`: words in that order, each put in place of the pattern's ``*``.

    A bar separates alternatives. `others` are whole names of further parts, such as eyes.
    """
    named = dict(zip(_PARTS, words.split(), strict=True))
    limbs = {
        part: tuple(pattern.replace("*", word) for word in alternatives.split("|"))
        for part, alternatives in named.items()
    }
    return {**limbs, **{part: tuple(names.split("|")) for part, names in others.items()}}


def _middle(**names: str) -> dict[str, tuple[str, ...]]:
    """Names of bones in the middle of the body, alternatives separated by a bar."""
    return {bone: tuple(alternatives.split("|")) for bone, alternatives in names.items()}


_LEFT_RIGHT = ("Left", "Right")
_LOWER_CASE = ("thumb", "index", "middle", "ring", "pinky")
_MID = ("Thumb", "Index", "Mid", "Ring", "Pinky")
_EYES = "{S}Eye|eye_{S}|{S}_eye"

_UNITY = "Shoulder UpperArm LowerArm Hand UpperLeg LowerLeg Foot Toes"
_UNITY_MIDDLE = _middle(hips="Hips", head="Head", jaw="Jaw")
_HUMAN_IK = _limbs(
    "{S}*",
    "Shoulder Arm|UpArm|UpperArm ForeArm|LowArm|LowerArm Hand UpLeg|Thigh|UpperLeg "
    "Leg|Shin|LowLeg|LowerLeg Foot ToeBase|Toe|Toes",
    Eye=_EYES,
)

CONVENTIONS: tuple[Convention, ...] = (
    Convention(
        "VRM / Unity humanoid",
        _LEFT_RIGHT,
        _UNITY_MIDDLE,
        _limbs("{S}*", _UNITY, Eye=_EYES),
        ("{S}{F}{i}",),
        FINGERS,
        ("Proximal", "Intermediate", "Distal"),
        ("Metacarpal", "Proximal", "Distal"),
    ),
    Convention(
        "Unity humanoid (thumb as fingers)",
        _LEFT_RIGHT,
        _UNITY_MIDDLE,
        _limbs("{S}*", _UNITY, Eye=_EYES),
        ("{S}{F}{i}",),
        FINGERS,
        ("Proximal", "Intermediate", "Distal"),
    ),
    Convention(
        "Mixamo / HumanIK / Ready Player Me / ZeroEGGS / Trinity",
        _LEFT_RIGHT,
        _middle(hips="Hips|Hip", head="Head", jaw="Jaw"),
        _HUMAN_IK,
        ("{S}Hand{F}{i}",),
    ),
    Convention(
        "BEAT (short names)",
        ("L", "R"),
        _middle(hips="Hips", head="Head"),
        _limbs("{S}*", "Shoulder Arm Arm1 Hand UpLeg Leg Foot ToeBase"),
        ("{S}Hand{F}{i}",),
        ("T", "I", "M", "R", "P"),
    ),
    Convention(
        "CMU (BVH)",
        _LEFT_RIGHT,
        _middle(hips="Hips", head="Head"),
        {**_HUMAN_IK, "ThumbMetacarpal": ("{S[0]}Thumb",), "IndexProximal": ("{S}HandIndex1",)},
    ),
    Convention(
        "CMU (ASF)",
        ("l", "r"),
        _middle(hips="root", head="head"),
        _limbs(
            "{S}*",
            "clavicle humerus radius hand femur tibia foot toes",
            ThumbMetacarpal="{S}thumb",
            IndexProximal="{S}fingers",
        ),
    ),
    Convention(
        "Biovision / Xsens",
        _LEFT_RIGHT,
        _middle(hips="Hips|Hip", head="Head"),
        _limbs(
            "{S}*",
            "Collar Shoulder|UpArm Elbow|LowArm Wrist|Hand Hip|UpLeg Knee|LowLeg Ankle|Foot Toe",
        ),
    ),
    Convention(
        "3ds Max Biped",
        ("L", "R"),
        _middle(hips="Bip01 Pelvis|Pelvis", head="Bip01 Head", jaw="Jaw"),
        _limbs("{S}*", "Clavicle UpperArm Forearm Hand Thigh Calf Foot Toe0", Eye=_EYES),
        ("{S}Finger{F}{i}",),
        ("0", "1", "2", "3", "4"),
        ("", "1", "2"),
    ),
    Convention(
        "VRoid",
        ("L", "R"),
        _middle(hips="Hips", head="Head"),
        _limbs("{S}_*", _UNITY.replace("Toes", "ToeBase"), Eye="J_Adj_{S}_FaceEye"),
        ("{S}_{F}{i}",),
        FINGERS,
    ),
    Convention(
        "Unreal mannequin",
        ("l", "r"),
        _middle(hips="pelvis", head="head", jaw="jaw"),
        _limbs("*_{S}", "clavicle upperarm lowerarm hand thigh calf foot ball", Eye=_EYES),
        ("{F}_{i}_{S}",),
        _LOWER_CASE,
        ("01", "02", "03"),
    ),
    Convention(
        "Talking With Hands / GENEA",
        ("l", "r"),
        _middle(hips="b_root", head="b_head", jaw="b_jaw"),
        _limbs(
            "b_{S}_*", "shoulder arm forearm wrist upleg leg foot|talocrural ball", Eye="b_{S}_eye"
        ),
        ("b_{S}_{F}{i}",),
        _LOWER_CASE,
    ),
    Convention(
        "SMPL / SMPL-X",
        ("left", "right"),
        _middle(hips="pelvis", head="head", jaw="jaw"),
        _limbs(
            "{S}_*", "collar shoulder elbow wrist hip knee ankle foot", Eye="{S}_eye_smplhf|{S}_eye"
        ),
        ("{S}_{F}{i}",),
        _LOWER_CASE,
    ),
    Convention(
        "SMPL (short names)",
        ("L", "R"),
        _middle(hips="Pelvis", head="Head"),
        _limbs("{S}_*", "Collar Shoulder Elbow Wrist Hip Knee Ankle Foot"),
    ),
    Convention(
        "SmartBody (Jt)",
        ("Lf", "Rt"),
        _middle(hips="JtRoot", head="JtSkullA", jaw="JtJaw"),
        _limbs("Jt*{S}", "Clavicle Shoulder Elbow Wrist Hip Knee Ankle Ball", Eye="JtEye{S}"),
        ("Jt{F}{i}{S}",),
        FINGERS,
        ("A", "B", "C"),
    ),
    Convention(
        "SmartBody / H-Anim",
        ("l", "r"),
        _middle(hips="base|HumanoidRoot", head="skullbase", jaw="jaw|temporomandibular"),
        _limbs(
            "{S}_*",
            "sternoclavicular shoulder elbow wrist hip knee ankle forefoot|metatarsal",
            Eye="eyeball_{S}|{S}_eyeball_joint",
        ),
        ("{S}_{F}{i}",),
        _LOWER_CASE,
    ),
    Convention(
        "Rigify / Blender",
        ("L", "R"),
        _middle(hips="hips|spine", head="head|spine.006", jaw="jaw|jaw_master"),
        _limbs(
            "*.{S}",
            "shoulder upper_arm|UpperArm forearm|LowerArm|lower_arm hand "
            "thigh|UpperLeg|upper_leg shin|LowerLeg|lower_leg foot toe|toes",
            Eye="eye.{S}",
        ),
        ("f_{F}.{i}.{S}", "{F}.{i}.{S}"),
        _LOWER_CASE,
        ("01", "02", "03"),
    ),
    Convention(
        "Bandai Namco", ("L", "R"), _middle(hips="Hips", head="Head"), _limbs("*_{S}", _UNITY)
    ),
    Convention(
        "Rokoko",
        _LEFT_RIGHT,
        _UNITY_MIDDLE,
        _HUMAN_IK,
        ("{S}Finger{F}{i}",),
        ("1", "2", "3", "4", "5"),
        ("Proximal", "Medial", "Distal"),
        ("Metacarpal", "Proximal", "Distal"),
    ),
    Convention(
        "DAZ / Poser / Second Life",
        ("l", "r"),
        _middle(hips="hip|pelvis", head="head"),
        _limbs(
            "{S}*",
            "Collar ShldrBend|Shldr ForearmBend|ForeArm Hand ThighBend|Thigh Shin Foot Toe",
            Eye="{S}Eye",
        ),
        ("{S}{F}{i}",),
        _MID,
    ),
    Convention(
        "Character Creator",
        ("L", "R"),
        _middle(hips="CC_Base_Hip", head="CC_Base_Head", jaw="CC_Base_JawRoot"),
        _limbs("{S}_*", "Clavicle Upperarm Forearm Hand Thigh Calf Foot ToeBase", Eye="{S}_Eye"),
        ("{S}_{F}{i}",),
        _MID,
    ),
    Convention(
        "OptiTrack Motive",
        ("L", "R"),
        _middle(hips="Hip|Pelvis|Hips", head="Head"),
        _limbs("{S}*", "Shoulder UArm FArm Hand Thigh Shin Foot Toe"),
        ("{S}{F}{i}",),
    ),
    Convention(
        "AdvancedSkeleton",
        ("L", "R"),
        _middle(hips="Root_M", head="Head_M", jaw="Jaw_M"),
        _limbs("*_{S}", "Scapula Shoulder Elbow Wrist Hip Knee Ankle Toes", Eye="Eye_{S}"),
        ("{F}Finger{i}_{S}",),
    ),
)
