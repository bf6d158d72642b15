"""VMC read back by a reader of its own: names, axes, sizes; and by python-osc's."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pythonosc.osc_bundle import OscBundle

from kinesphere.character.default import default_rig
from kinesphere.errors import InvalidValueError, KinesphereError
from kinesphere.maths import quaternion
from kinesphere.motion.kinematics import forward_kinematics
from kinesphere.realtime.sinks.vmc import LARGEST_BUNDLE, UNITY_NAMES, VmcEncoder
from tests.export.osc_reader import Message, messages_in

RIG = default_rig()
MIRROR = np.diag([-1.0, 1.0, 1.0])

# Unity's enumeration HumanBodyBones, without its end mark LastBone.
FINGERS = [
    f"{finger}{part}"
    for finger in ("Thumb", "Index", "Middle", "Ring", "Little")
    for part in ("Proximal", "Intermediate", "Distal")
]
UNITY = {
    *("Hips", "Spine", "Chest", "UpperChest", "Neck", "Head", "Jaw"),
    *(
        side + part
        for side in ("Left", "Right")
        for part in (
            *("UpperLeg", "LowerLeg", "Foot", "Toes", "Shoulder", "UpperArm", "LowerArm", "Hand"),
            *("Eye", *FINGERS),
        )
    ),
}


def still() -> np.ndarray:
    turns = np.zeros((55, 4))
    turns[:, 0] = 1.0
    return turns


def posed(**turns: tuple[list[float], float]) -> np.ndarray:
    """Rotations with joints turned about an axis by degrees."""
    out = still()
    for bone, (axis, degrees) in turns.items():
        out[RIG.bones[bone]] = quaternion.from_axis_angle(axis, np.radians(degrees))
    return out


def sent(
    turns: np.ndarray,
    at: tuple[float, float, float] = (0.0, 0.965, 0.0),
    time_s: float = 0.5,
    vrm: int = 0,
    **face: float,
) -> list[Message]:
    packets = VmcEncoder(vrm=vrm).datagrams(time_s, np.array(at), turns, face)
    return [message for packet in packets for message in messages_in(packet)]


def bones_of(messages: list[Message]) -> dict[str, np.ndarray]:
    return {
        str(m.arguments[0]): np.array(m.arguments[1:], dtype=float)
        for m in messages
        if m.address == "/VMC/Ext/Bone/Pos"
    }


def unity_matrix(values: np.ndarray) -> np.ndarray:
    """Rotation matrix of x y z w, written out: the formula is the same in left-handed axes."""
    x, y, z, w = values[-4:]
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def turn_matrix(axis: list[float], degrees: float) -> np.ndarray:
    """Rotation matrix about an axis, by Rodrigues' formula."""
    a, angle = np.array(axis), np.radians(degrees)
    across = np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
    matrix: np.ndarray = np.eye(3) + np.sin(angle) * across + (1 - np.cos(angle)) * across @ across
    return matrix


def test_every_bone_of_unity_is_sent_once_under_its_name() -> None:
    names = [m.arguments[0] for m in sent(still()) if m.address == "/VMC/Ext/Bone/Pos"]
    assert len(UNITY) == 55
    assert sorted(map(str, names)) == sorted(UNITY)
    assert UNITY_NAMES["leftThumbMetacarpal"] == "LeftThumbProximal"
    assert UNITY_NAMES["leftThumbProximal"] == "LeftThumbIntermediate"
    assert UNITY_NAMES["rightThumbDistal"] == "RightThumbDistal"


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_any_pose_arrives_as_its_mirror_image_in_unity(seed: int) -> None:
    """Forward kinematics of what arrives, in matrices, is the figure mirrored at X = 0."""
    rng = np.random.default_rng(seed)
    turns = rng.normal(size=(55, 4))
    turns /= np.linalg.norm(turns, axis=-1, keepdims=True)
    root = tuple(rng.uniform(-1, 1, 3))
    bones = bones_of(sent(turns, root))
    _, ours = forward_kinematics(RIG.skeleton, turns[None], np.array(root)[None])
    frames: dict[int, tuple[np.ndarray, np.ndarray]] = {}
    for bone, joint in RIG.bones.items():
        values = bones[UNITY_NAMES[bone]]
        assert np.linalg.norm(values[3:]) == pytest.approx(1.0, abs=1e-6)
        parent = int(RIG.skeleton.parents[joint])
        turn, place = frames[parent] if parent >= 0 else (np.eye(3), np.zeros(3))
        frames[joint] = turn @ unity_matrix(values), place + turn @ values[:3]
        assert frames[joint][1] == pytest.approx(MIRROR @ ours[0, joint], abs=1e-5)


@pytest.mark.parametrize(
    ("bone", "unity", "axis", "degrees"),
    [
        ("leftUpperArm", "LeftUpperArm", [0.0, 0.0, 1.0], 60.0),  # raised sideways
        ("head", "Head", [0.0, 1.0, 0.0], 30.0),  # turned to its left
        ("rightThumbProximal", "RightThumbIntermediate", [0.0, -1.0, 0.0], 45.0),  # bent
    ],
)
def test_known_turns_have_the_matrices_of_unity(
    bone: str, unity: str, axis: list[float], degrees: float
) -> None:
    bones = bones_of(sent(posed(**{bone: (axis, degrees)})))
    expected = MIRROR @ turn_matrix(axis, degrees) @ MIRROR
    assert unity_matrix(bones[unity]) == pytest.approx(expected, abs=1e-6)
    assert sum(abs(v[6]) < 0.9999 for v in bones.values()) == 1


def test_the_body_parts_go_where_unity_has_them() -> None:
    """In words: Unity's left is -X, up is +Y, ahead is +Z."""
    raised = bones_of(sent(posed(leftUpperArm=([0.0, 0.0, 1.0], 60.0))))["LeftUpperArm"]
    hand = unity_matrix(raised) @ [-1.0, 0.0, 0.0]  # the arm of a T-pose points to -X
    assert hand == pytest.approx([-0.5, 3**0.5 / 2, 0.0], abs=1e-6)
    turned = bones_of(sent(posed(head=([0.0, 1.0, 0.0], 30.0))))["Head"]
    nose = unity_matrix(turned) @ [0.0, 0.0, 1.0]
    assert nose == pytest.approx([-0.5, 0.0, 3**0.5 / 2], abs=1e-6)
    assert turned[3:] == pytest.approx(
        [0.0, -np.sin(np.radians(15)), 0.0, np.cos(np.radians(15))], abs=1e-6
    )


def test_positions_are_of_the_parents_frame_and_the_hips_carry_the_way() -> None:
    bones = bones_of(sent(still(), (0.3, 0.9, 0.2)))
    assert bones["Hips"][:3] == pytest.approx([-0.3, 0.9, 0.2])
    arm = RIG.skeleton.offsets[RIG.bones["leftLowerArm"]]
    assert bones["LeftLowerArm"][:3] == pytest.approx(arm * [-1, 1, 1], abs=1e-7)


def test_the_rest_of_a_frame_is_there_in_order() -> None:
    messages = sent(still(), time_s=12.25, aa=0.5, blink=2.0, browUp=0.7)
    assert messages[0] == Message("/VMC/Ext/OK", (1, 3, 0, 1))
    assert messages[1] == Message("/VMC/Ext/T", (12.25,))
    assert messages[2] == Message("/VMC/Ext/Root/Pos", ("root", 0, 0, 0, 0, 0, 0, 1))
    assert messages[3].arguments[0] == "Hips"
    face = [m.arguments for m in messages if m.address == "/VMC/Ext/Blend/Val"]
    assert face == [("A", 0.5), ("I", 0), ("U", 0), ("E", 0), ("O", 0), ("Blink", 1)]
    assert messages[-1] == Message("/VMC/Ext/Blend/Apply", ())
    assert len(messages) == 3 + 55 + 6 + 1


def test_faces_have_the_names_of_vrm_1_if_asked_for() -> None:
    messages = sent(still(), vrm=1, ou=0.25)
    face = {m.arguments[0]: m.arguments[1] for m in messages if "Blend/Val" in m.address}
    assert face == {"aa": 0, "ih": 0, "ou": 0.25, "ee": 0, "oh": 0, "blink": 0}
    with pytest.raises(InvalidValueError, match="2, allowed are 0 and 1"):
        VmcEncoder(vrm=2)


def test_packets_fit_the_network_and_another_reader_agrees() -> None:
    turns = posed(leftHand=([1.0, 0.0, 0.0], 70.0))
    packets = VmcEncoder().datagrams(1.0, np.array([0.0, 0.965, 0.0]), turns, {"aa": 0.3})
    assert len(packets) <= 5
    assert all(len(packet) < LARGEST_BUNDLE == 1400 for packet in packets)
    ours = [message for packet in packets for message in messages_in(packet)]
    theirs: list[Any] = [content for packet in packets for content in OscBundle(packet)]
    assert [m.address for m in ours] == [m.address for m in theirs]
    for mine, other in zip(ours, theirs, strict=True):
        assert list(mine.arguments) == list(other.params)


def test_without_python_osc_one_line_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pythonosc.osc_message_builder", None)
    with pytest.raises(KinesphereError, match=r"pip install 'kinesphere\[live\]'"):
        VmcEncoder()
