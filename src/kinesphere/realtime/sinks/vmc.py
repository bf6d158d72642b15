"""Poses as messages of the VMC protocol, which avatar programs receive by OSC over UDP.

The protocol follows Unity: bones are named as in Unity's ``HumanBodyBones``, and axes are
left-handed, Y up, the character facing +Z with its left hand at -X. Ours differ by the sign of X:
a position ``(x, y, z)`` becomes ``(-x, y, z)``, and a rotation is conjugated with
``diag(-1, 1, 1)``: of a quaternion the components y and z change sign. A frame is a few bundles,
each small enough for one packet:

    /VMC/Ext/OK        loaded, calibrated, normal mode, tracking
    /VMC/Ext/T         time in seconds
    /VMC/Ext/Root/Pos  "root", position, rotation x y z w
    /VMC/Ext/Bone/Pos  name, position and rotation x y z w in the parent's frame; each bone
    /VMC/Ext/Blend/Val name, value; each face shape, then /VMC/Ext/Blend/Apply

python-osc takes 2 ms for a frame's messages. They are therefore built once, and each frame only
replaces the numbers in them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import Any

import numpy as np

from kinesphere.character.default import default_rig
from kinesphere.errors import InvalidValueError, KinesphereError
from kinesphere.maths.arrays import Floats
from kinesphere.motion.humanoid import BONES, FINGERS, Rig

DEFAULT_PORT = 39539
"""Default port of receivers."""
LARGEST_BUNDLE = 1400
"""Bytes; more would not fit an Ethernet packet with its headers and be fragmented."""

_HEAD = b"#bundle\0" + (1).to_bytes(8, "big")  # "at once"
_LOADED = (1, 3, 0, 1)
_THUMB = {"Metacarpal": "Proximal", "Proximal": "Intermediate", "Distal": "Distal"}


def _unity_names() -> dict[str, str]:
    names = {bone: bone[0].upper() + bone[1:] for bone in BONES}
    for side in ("left", "right"):
        for part, unity in _THUMB.items():
            # VRM 1.0 counts the thumb's metacarpal, Unity calls it the proximal bone.
            names[f"{side}{FINGERS[0]}{part}"] = f"{side.capitalize()}{FINGERS[0]}{unity}"
    return names


UNITY_NAMES: Mapping[str, str] = MappingProxyType(_unity_names())
"""Humanoid bone to the name in Unity's ``HumanBodyBones``."""

FACE_NAMES: Mapping[int, Mapping[str, str]] = MappingProxyType(
    {
        0: MappingProxyType(
            {"aa": "A", "ih": "I", "ou": "U", "ee": "E", "oh": "O", "blink": "Blink"}
        ),
        1: MappingProxyType({n: n for n in ("aa", "ih", "ou", "ee", "oh", "blink")}),
    }
)
"""Version of VRM to the names of the face shapes there; receivers know those of version 0."""


def unity_positions(positions: Floats) -> Floats:
    """Positions ``[..., 3]`` in Unity's axes."""
    turned: Floats = positions * np.array([-1.0, 1.0, 1.0])
    return turned


def unity_rotations(rotations: Floats) -> Floats:
    """Rotations ``[..., 4]`` (w x y z) in Unity's axes and order, x y z w."""
    turned: Floats = rotations[..., [1, 2, 3, 0]] * np.array([1.0, -1.0, -1.0, 1.0])
    return turned


@dataclass(frozen=True, eq=False)
class _Bundle:
    """A bundle with placeholders for its numbers.

    Parameters
    ----------
    data : bytes of it; its length is a multiple of four, as all in OSC.
    slots : positions of its values in `data`, in units of four bytes.
    """

    data: bytes
    slots: Any

    def fill(self, values: Floats) -> bytes:
        """Bytes with the values inserted."""
        words = np.frombuffer(self.data, ">f4").copy()
        words[self.slots] = values
        return words.tobytes()


class VmcEncoder:
    """Converts poses to datagrams.

    Parameters
    ----------
    rig : of the poses; its bones' rest axes must be the world's, as the default rig's are.
    vrm : version of the face shapes' names, 0 or 1.

    Raises
    ------
    KinesphereError
        If python-osc is not installed.
    InvalidValueError
        If there is no such version.
    """

    def __init__(self, rig: Rig | None = None, vrm: int = 0) -> None:
        if vrm not in FACE_NAMES:
            raise InvalidValueError(f"VRM version is {vrm}, allowed are 0 and 1")
        builder = _message_builder()
        rig = rig or default_rig()
        self._shapes = tuple(FACE_NAMES[vrm])
        self._joints = np.array(list(rig.bones.values()))
        self._offsets = unity_positions(rig.skeleton.offsets[self._joints])
        still = [0.0] * 6 + [1.0]
        messages = [
            (_message(builder, "/VMC/Ext/OK", *_LOADED), 0),
            (_message(builder, "/VMC/Ext/T", 0.0), 1),
            (_message(builder, "/VMC/Ext/Root/Pos", "root", *still), 0),
        ]
        for bone in rig.bones:
            messages.append((_message(builder, "/VMC/Ext/Bone/Pos", UNITY_NAMES[bone], *still), 7))
        for shape in FACE_NAMES[vrm].values():
            messages.append((_message(builder, "/VMC/Ext/Blend/Val", shape, 0.0), 1))
        messages.append((_message(builder, "/VMC/Ext/Blend/Apply"), 0))
        self._bundles = tuple(_bundles(messages))

    def datagrams(
        self, time_s: float, root_position: Floats, rotations: Floats, channels: Mapping[str, float]
    ) -> list[bytes]:
        """Datagrams of one frame, each below `LARGEST_BUNDLE` bytes.

        Parameters
        ----------
        time_s : of the frame, on the sender's clock.
        root_position : ``[3]`` world position of the hips, metres.
        rotations : ``[joints, 4]`` local rotations, w x y z.
        channels : face shapes by name, 0 to 1; those without a VRM name are omitted.
        """
        bones = np.empty((len(self._joints), 7))
        bones[:, :3] = self._offsets
        bones[0, :3] = unity_positions(root_position)
        bones[:, 3:] = unity_rotations(rotations[self._joints])
        face = np.clip([channels.get(name, 0.0) for name in self._shapes], 0.0, 1.0)
        values = np.concatenate([[time_s], bones.ravel(), face])
        out, first = [], 0
        for bundle in self._bundles:
            count = len(bundle.slots)
            out.append(bundle.fill(values[first : first + count]))
            first += count
        return out


def _message_builder() -> Any:
    try:
        return import_module("pythonosc.osc_message_builder").OscMessageBuilder
    except ImportError:
        raise KinesphereError("VMC needs python-osc: pip install 'kinesphere[live]'") from None


def _message(builder: Any, address: str, *arguments: str | float) -> bytes:
    message = builder(address)
    for argument in arguments:
        message.add_arg(argument)
    data: bytes = message.build().dgram
    return data


def _bundles(messages: list[tuple[bytes, int]]) -> list[_Bundle]:
    """Messages, each with the number of changing values at its end, in few bundles."""
    out: list[_Bundle] = []
    data, slots = bytearray(_HEAD), list[int]()
    for message, count in messages:
        if len(data) + 4 + len(message) >= LARGEST_BUNDLE:
            out.append(_Bundle(bytes(data), np.array(slots, dtype=np.int64)))
            data, slots = bytearray(_HEAD), []
        data += len(message).to_bytes(4, "big") + message
        slots.extend(range(len(data) // 4 - count, len(data) // 4))
    return [*out, _Bundle(bytes(data), np.array(slots, dtype=np.int64))]
