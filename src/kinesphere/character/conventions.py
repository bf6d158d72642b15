"""Naming conventions of humanoid bones in common rigs.

One table per convention, with ``{S}`` standing for the side. Names are compared after `simplified`,
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


def simplified(name: str) -> str:
    """Reduce a joint's name to what conventions agree on.

    >>> [simplified(n) for n in ("mixamorig:LeftArm", "Bip01 L UpperArm", "upperarm_l")]
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
                table.setdefault(simplified(name), bone)
        for vrm_side, side in zip(("left", "right"), self.sides, strict=True):
            for part, names in self.limbs.items():
                for name in names:
                    table.setdefault(simplified(name.format(S=side)), f"{vrm_side}{part}")
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
                    table.setdefault(simplified(name), bone)


def _limbs(**parts: str) -> dict[str, tuple[str, ...]]:
    """Parse a table such as ``UpperArm="{S}Arm|{S}UpArm"``: alternatives separated by a bar."""
    return {part: tuple(names.split("|")) for part, names in parts.items()}


_LEFT_RIGHT = ("Left", "Right")
_EYES = "{S}Eye|eye_{S}|{S}_eye"

_HUMAN_IK = _limbs(
    Shoulder="{S}Shoulder",
    UpperArm="{S}Arm|{S}UpArm|{S}UpperArm",
    LowerArm="{S}ForeArm|{S}LowArm|{S}LowerArm",
    Hand="{S}Hand",
    UpperLeg="{S}UpLeg|{S}Thigh|{S}UpperLeg",
    LowerLeg="{S}Leg|{S}Shin|{S}LowLeg|{S}LowerLeg",
    Foot="{S}Foot",
    Toes="{S}ToeBase|{S}Toe|{S}Toes",
    Eye=_EYES,
)

CONVENTIONS: tuple[Convention, ...] = (
    Convention(
        "VRM / Unity humanoid",
        _LEFT_RIGHT,
        {"hips": ("Hips",), "head": ("Head",), "jaw": ("Jaw",)},
        _limbs(
            Shoulder="{S}Shoulder",
            UpperArm="{S}UpperArm",
            LowerArm="{S}LowerArm",
            Hand="{S}Hand",
            UpperLeg="{S}UpperLeg",
            LowerLeg="{S}LowerLeg",
            Foot="{S}Foot",
            Toes="{S}Toes",
            Eye=_EYES,
        ),
        ("{S}{F}{i}",),
        FINGERS,
        ("Proximal", "Intermediate", "Distal"),
        ("Metacarpal", "Proximal", "Distal"),
    ),
    Convention(
        "Unity humanoid (thumb as fingers)",
        _LEFT_RIGHT,
        {"hips": ("Hips",), "head": ("Head",), "jaw": ("Jaw",)},
        _limbs(
            Shoulder="{S}Shoulder",
            UpperArm="{S}UpperArm",
            LowerArm="{S}LowerArm",
            Hand="{S}Hand",
            UpperLeg="{S}UpperLeg",
            LowerLeg="{S}LowerLeg",
            Foot="{S}Foot",
            Toes="{S}Toes",
            Eye=_EYES,
        ),
        ("{S}{F}{i}",),
        FINGERS,
        ("Proximal", "Intermediate", "Distal"),
    ),
    Convention(
        "Mixamo / HumanIK / Ready Player Me / ZeroEGGS / Trinity",
        _LEFT_RIGHT,
        {"hips": ("Hips", "Hip"), "head": ("Head",), "jaw": ("Jaw",)},
        _HUMAN_IK,
        ("{S}Hand{F}{i}",),
    ),
    Convention(
        "BEAT (short names)",
        ("L", "R"),
        {"hips": ("Hips",), "head": ("Head",)},
        _limbs(
            Shoulder="{S}Shoulder",
            UpperArm="{S}Arm",
            LowerArm="{S}Arm1",
            Hand="{S}Hand",
            UpperLeg="{S}UpLeg",
            LowerLeg="{S}Leg",
            Foot="{S}Foot",
            Toes="{S}ToeBase",
        ),
        ("{S}Hand{F}{i}",),
        ("T", "I", "M", "R", "P"),
    ),
    Convention(
        "CMU (BVH)",
        _LEFT_RIGHT,
        {"hips": ("Hips",), "head": ("Head",)},
        {**_HUMAN_IK, "ThumbMetacarpal": ("{S[0]}Thumb",), "IndexProximal": ("{S}HandIndex1",)},
    ),
    Convention(
        "CMU (ASF)",
        ("l", "r"),
        {"hips": ("root",), "head": ("head",)},
        _limbs(
            Shoulder="{S}clavicle",
            UpperArm="{S}humerus",
            LowerArm="{S}radius",
            Hand="{S}hand",
            UpperLeg="{S}femur",
            LowerLeg="{S}tibia",
            Foot="{S}foot",
            Toes="{S}toes",
            ThumbMetacarpal="{S}thumb",
            IndexProximal="{S}fingers",
        ),
    ),
    Convention(
        "Biovision / Xsens",
        _LEFT_RIGHT,
        {"hips": ("Hips", "Hip"), "head": ("Head",)},
        _limbs(
            Shoulder="{S}Collar",
            UpperArm="{S}Shoulder|{S}UpArm",
            LowerArm="{S}Elbow|{S}LowArm",
            Hand="{S}Wrist|{S}Hand",
            UpperLeg="{S}Hip|{S}UpLeg",
            LowerLeg="{S}Knee|{S}LowLeg",
            Foot="{S}Ankle|{S}Foot",
            Toes="{S}Toe",
        ),
    ),
    Convention(
        "3ds Max Biped",
        ("L", "R"),
        {"hips": ("Bip01 Pelvis", "Pelvis"), "head": ("Bip01 Head",), "jaw": ("Jaw",)},
        _limbs(
            Shoulder="{S}Clavicle",
            UpperArm="{S}UpperArm",
            LowerArm="{S}Forearm",
            Hand="{S}Hand",
            UpperLeg="{S}Thigh",
            LowerLeg="{S}Calf",
            Foot="{S}Foot",
            Toes="{S}Toe0",
            Eye=_EYES,
        ),
        ("{S}Finger{F}{i}",),
        ("0", "1", "2", "3", "4"),
        ("", "1", "2"),
    ),
    Convention(
        "VRoid",
        ("L", "R"),
        {"hips": ("Hips",), "head": ("Head",)},
        _limbs(
            Shoulder="{S}_Shoulder",
            UpperArm="{S}_UpperArm",
            LowerArm="{S}_LowerArm",
            Hand="{S}_Hand",
            UpperLeg="{S}_UpperLeg",
            LowerLeg="{S}_LowerLeg",
            Foot="{S}_Foot",
            Toes="{S}_ToeBase",
            Eye="J_Adj_{S}_FaceEye",
        ),
        ("{S}_{F}{i}",),
        FINGERS,
    ),
    Convention(
        "Unreal mannequin",
        ("l", "r"),
        {"hips": ("pelvis",), "head": ("head",), "jaw": ("jaw",)},
        _limbs(
            Shoulder="clavicle_{S}",
            UpperArm="upperarm_{S}",
            LowerArm="lowerarm_{S}",
            Hand="hand_{S}",
            UpperLeg="thigh_{S}",
            LowerLeg="calf_{S}",
            Foot="foot_{S}",
            Toes="ball_{S}",
            Eye=_EYES,
        ),
        ("{F}_{i}_{S}",),
        ("thumb", "index", "middle", "ring", "pinky"),
        ("01", "02", "03"),
    ),
    Convention(
        "Talking With Hands / GENEA",
        ("l", "r"),
        {"hips": ("b_root",), "head": ("b_head",), "jaw": ("b_jaw",)},
        _limbs(
            Shoulder="b_{S}_shoulder",
            UpperArm="b_{S}_arm",
            LowerArm="b_{S}_forearm",
            Hand="b_{S}_wrist",
            UpperLeg="b_{S}_upleg",
            LowerLeg="b_{S}_leg",
            Foot="b_{S}_foot|b_{S}_talocrural",
            Toes="b_{S}_ball",
            Eye="b_{S}_eye",
        ),
        ("b_{S}_{F}{i}",),
        ("thumb", "index", "middle", "ring", "pinky"),
    ),
    Convention(
        "SMPL / SMPL-X",
        ("left", "right"),
        {"hips": ("pelvis",), "head": ("head",), "jaw": ("jaw",)},
        _limbs(
            Shoulder="{S}_collar",
            UpperArm="{S}_shoulder",
            LowerArm="{S}_elbow",
            Hand="{S}_wrist",
            UpperLeg="{S}_hip",
            LowerLeg="{S}_knee",
            Foot="{S}_ankle",
            Toes="{S}_foot",
            Eye="{S}_eye_smplhf|{S}_eye",
        ),
        ("{S}_{F}{i}",),
        ("thumb", "index", "middle", "ring", "pinky"),
    ),
    Convention(
        "SMPL (short names)",
        ("L", "R"),
        {"hips": ("Pelvis",), "head": ("Head",)},
        _limbs(
            Shoulder="{S}_Collar",
            UpperArm="{S}_Shoulder",
            LowerArm="{S}_Elbow",
            Hand="{S}_Wrist",
            UpperLeg="{S}_Hip",
            LowerLeg="{S}_Knee",
            Foot="{S}_Ankle",
            Toes="{S}_Foot",
        ),
    ),
    Convention(
        "SmartBody (Jt)",
        ("Lf", "Rt"),
        {"hips": ("JtRoot",), "head": ("JtSkullA",), "jaw": ("JtJaw",)},
        _limbs(
            Shoulder="JtClavicle{S}",
            UpperArm="JtShoulder{S}",
            LowerArm="JtElbow{S}",
            Hand="JtWrist{S}",
            UpperLeg="JtHip{S}",
            LowerLeg="JtKnee{S}",
            Foot="JtAnkle{S}",
            Toes="JtBall{S}",
            Eye="JtEye{S}",
        ),
        ("Jt{F}{i}{S}",),
        FINGERS,
        ("A", "B", "C"),
    ),
    Convention(
        "SmartBody / H-Anim",
        ("l", "r"),
        {
            "hips": ("base", "HumanoidRoot"),
            "head": ("skullbase",),
            "jaw": ("jaw", "temporomandibular"),
        },
        _limbs(
            Shoulder="{S}_sternoclavicular",
            UpperArm="{S}_shoulder",
            LowerArm="{S}_elbow",
            Hand="{S}_wrist",
            UpperLeg="{S}_hip",
            LowerLeg="{S}_knee",
            Foot="{S}_ankle",
            Toes="{S}_forefoot|{S}_metatarsal",
            Eye="eyeball_{S}|{S}_eyeball_joint",
        ),
        ("{S}_{F}{i}",),
        ("thumb", "index", "middle", "ring", "pinky"),
    ),
    Convention(
        "Rigify / Blender",
        ("L", "R"),
        {"hips": ("hips", "spine"), "head": ("head", "spine.006"), "jaw": ("jaw", "jaw_master")},
        _limbs(
            Shoulder="shoulder.{S}",
            UpperArm="upper_arm.{S}|UpperArm.{S}",
            LowerArm="forearm.{S}|LowerArm.{S}|lower_arm.{S}",
            Hand="hand.{S}",
            UpperLeg="thigh.{S}|UpperLeg.{S}|upper_leg.{S}",
            LowerLeg="shin.{S}|LowerLeg.{S}|lower_leg.{S}",
            Foot="foot.{S}",
            Toes="toe.{S}|toes.{S}",
            Eye="eye.{S}",
        ),
        ("f_{F}.{i}.{S}", "{F}.{i}.{S}"),
        ("thumb", "index", "middle", "ring", "pinky"),
        ("01", "02", "03"),
    ),
    Convention(
        "Bandai Namco",
        ("L", "R"),
        {"hips": ("Hips",), "head": ("Head",)},
        _limbs(
            Shoulder="Shoulder_{S}",
            UpperArm="UpperArm_{S}",
            LowerArm="LowerArm_{S}",
            Hand="Hand_{S}",
            UpperLeg="UpperLeg_{S}",
            LowerLeg="LowerLeg_{S}",
            Foot="Foot_{S}",
            Toes="Toes_{S}",
        ),
    ),
    Convention(
        "Rokoko",
        _LEFT_RIGHT,
        {"hips": ("Hips",), "head": ("Head",), "jaw": ("Jaw",)},
        {**_HUMAN_IK},
        ("{S}Finger{F}{i}",),
        ("1", "2", "3", "4", "5"),
        ("Proximal", "Medial", "Distal"),
        ("Metacarpal", "Proximal", "Distal"),
    ),
    Convention(
        "DAZ / Poser / Second Life",
        ("l", "r"),
        {"hips": ("hip", "pelvis"), "head": ("head",)},
        _limbs(
            Shoulder="{S}Collar",
            UpperArm="{S}ShldrBend|{S}Shldr",
            LowerArm="{S}ForearmBend|{S}ForeArm",
            Hand="{S}Hand",
            UpperLeg="{S}ThighBend|{S}Thigh",
            LowerLeg="{S}Shin",
            Foot="{S}Foot",
            Toes="{S}Toe",
            Eye="{S}Eye",
        ),
        ("{S}{F}{i}",),
        ("Thumb", "Index", "Mid", "Ring", "Pinky"),
    ),
    Convention(
        "Character Creator",
        ("L", "R"),
        {"hips": ("CC_Base_Hip",), "head": ("CC_Base_Head",), "jaw": ("CC_Base_JawRoot",)},
        _limbs(
            Shoulder="{S}_Clavicle",
            UpperArm="{S}_Upperarm",
            LowerArm="{S}_Forearm",
            Hand="{S}_Hand",
            UpperLeg="{S}_Thigh",
            LowerLeg="{S}_Calf",
            Foot="{S}_Foot",
            Toes="{S}_ToeBase",
            Eye="{S}_Eye",
        ),
        ("{S}_{F}{i}",),
        ("Thumb", "Index", "Mid", "Ring", "Pinky"),
    ),
    Convention(
        "OptiTrack Motive",
        ("L", "R"),
        {"hips": ("Hip", "Pelvis", "Hips"), "head": ("Head",)},
        _limbs(
            Shoulder="{S}Shoulder",
            UpperArm="{S}UArm",
            LowerArm="{S}FArm",
            Hand="{S}Hand",
            UpperLeg="{S}Thigh",
            LowerLeg="{S}Shin",
            Foot="{S}Foot",
            Toes="{S}Toe",
        ),
        ("{S}{F}{i}",),
    ),
    Convention(
        "AdvancedSkeleton",
        ("L", "R"),
        {"hips": ("Root_M",), "head": ("Head_M",), "jaw": ("Jaw_M",)},
        _limbs(
            Shoulder="Scapula_{S}",
            UpperArm="Shoulder_{S}",
            LowerArm="Elbow_{S}",
            Hand="Wrist_{S}",
            UpperLeg="Hip_{S}",
            LowerLeg="Knee_{S}",
            Foot="Ankle_{S}",
            Toes="Toes_{S}",
            Eye="Eye_{S}",
        ),
        ("{F}Finger{i}_{S}",),
    ),
)
