"""A humanoid rig as a physical body: hinges for its joints, masses for its bones, for MuJoCo.

Every bone except the hips rotates about three hinges in series, within the bone above: the main
movement (`first`), across it (`second`), and about the bone (`twist`). Their axes are those of the
joint's limits. The upper arm has its own axes, so that its gimbal lock is where elbows hardly go:
outward and back, or across the chest at shoulder height. The right side's axes are the mirror
image of the left's, so mirrored poses have equal angles.

`_ACTIVE` lists the hinges that are simulated; the others (the forearm's sideways bend, the twist of
a finger) keep the angles of the input motion. So do eyes, jaw and toes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

import numpy as np

from kinesphere.character.joint_limits import joint_limits
from kinesphere.dynamics.body.segment_masses import DEFAULT_MASS_KG, Segment, segments
from kinesphere.errors import KinesphereError
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Bools, Floats, Ints, read_only
from kinesphere.motion.humanoid import FINGERS, Rig, finger_bones

AXES = ("first", "second", "twist")
FEET = ("leftFoot", "rightFoot")
STEP_S = 0.0035
_STILL = ("leftEye", "rightEye", "jaw", "leftToes", "rightToes")
_ALL = (True, True, True)
_ACTIVE = {
    "Shoulder": (True, True, False),
    "LowerArm": (True, False, True),
    "LowerLeg": (True, False, False),
    "Proximal": (True, True, False),
    "Metacarpal": (True, True, False),
    "Intermediate": (True, False, False),
    "Distal": (True, False, False),
}
_REST_TWIST = np.radians(130.0)
_MIRROR = np.array([1.0, -1.0, -1.0])
# Rotor-like inertia, kg m2, below that of the lightest phalanx, for numerical stability.
_ARMATURE = 4e-6


@dataclass(frozen=True, eq=False)
class Hinges:
    """The three hinges of a bone.

    Parameters
    ----------
    axes : ``[3, 3]`` unit axes in the bone's frame, a right-handed frame.
    centre : ``[4]`` rotation of the bone, from the T-pose within the bone above, at angles zero.
    low, high : ``[3]`` ends of the range, radians: the set points of the two springs.
    active : which of the three are simulated.
    """

    axes: Floats
    centre: Floats
    low: Floats
    high: Floats
    active: tuple[bool, bool, bool]

    @cached_property
    def frame(self) -> Floats:
        """Quaternion that rotates the coordinate axes into the hinges'."""
        return quaternion.from_matrix(self.axes.T)

    def mirror(self) -> Hinges:
        """Hinges of the same bone on the other side."""
        return replace(
            self, axes=self.axes * _MIRROR, centre=self.centre * np.array([1.0, 1.0, -1.0, -1.0])
        )


@cache
def hinges_of(bone: str) -> Hinges:
    """Hinges of a humanoid bone."""
    if bone.startswith("right"):
        return hinges_of("left" + bone[5:]).mirror()
    name = bone.removeprefix("left")
    active = next((kept for end, kept in _ACTIVE.items() if name.endswith(end)), _ALL)
    if name == "UpperArm":
        return _upper_arm()
    limit = joint_limits()[bone]
    axes = np.stack(
        [limit.first_axis, np.cross(limit.bone_axis, limit.first_axis), limit.bone_axis]
    )
    ranges = np.array([limit.first_range, limit.second_range, limit.twist_range])
    return Hinges(axes, quaternion.identity(), ranges[:, 0], ranges[:, 1], active)


def _upper_arm() -> Hinges:
    pole = np.array([0.7, 0.15, -0.7])
    pole /= np.linalg.norm(pole)
    out = np.array([0.5, -0.4, np.sqrt(1 - 0.25 - 0.16)])
    out -= (out @ pole) * pole
    out /= np.linalg.norm(out)
    # At angles zero the bone (+X) points outward and forward; the twist is that of arms at rest.
    rest = quaternion.from_axis_angle([1.0, 0.0, 0.0], _REST_TWIST)
    centre = quaternion.multiply(quaternion.from_frame(out, np.cross(pole, out)), rest)
    bone, along_pole = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
    axes = np.stack([along_pole, np.cross(bone, along_pole), bone])
    axes = quaternion.rotate(quaternion.inverse(rest), axes)
    reach = np.array([np.pi, 0.5 * np.pi, np.pi])
    return Hinges(axes, centre, -reach, reach, _ALL)


@dataclass(frozen=True, eq=False)
class PhysicalBody:
    """A rig's physical body.

    Parameters
    ----------
    rig : the humanoid.
    mass_kg : of the whole body.
    bones : those with hinges, parents first.
    """

    rig: Rig
    mass_kg: float
    bones: tuple[str, ...]

    @cached_property
    def hinges(self) -> tuple[Hinges, ...]:
        """Hinges of each of the bones."""
        return tuple(hinges_of(bone) for bone in self.bones)

    @cached_property
    def frames(self) -> tuple[Floats, Floats]:
        """Centre and frame of each of the bones' hinges, ``[bones, 4]`` each."""
        centres, frames = ([getattr(h, n) for h in self.hinges] for n in ("centre", "frame"))
        return np.stack(centres), np.stack(frames)

    @cached_property
    def active(self) -> Bools:
        """Which hinges are simulated, ``[bones, 3]``."""
        return np.array([h.active for h in self.hinges])

    @cached_property
    def dofs(self) -> tuple[str, ...]:
        """Names of the simulated degrees of freedom such as ``leftLowerArm.first``."""
        names = np.array([[f"{bone}.{axis}" for axis in AXES] for bone in self.bones])
        return tuple(str(name) for name in names[self.active])

    @cached_property
    def bone_of_dof(self) -> Ints:
        """Index in `bones` of each degree of freedom."""
        return np.repeat(np.arange(len(self.bones)), self.active.sum(axis=1))

    @cached_property
    def ranges(self) -> tuple[Floats, Floats]:
        """Low and high set points of every degree of freedom, radians."""
        low, high = (np.stack([getattr(h, end) for h in self.hinges]) for end in ("low", "high"))
        return read_only(low[self.active]), read_only(high[self.active])

    @cached_property
    def in_legs(self) -> Bools:
        """Which degrees of freedom belong to a leg, ``[dofs]``."""
        return np.array([self.bones[i].endswith(("Leg", "Foot")) for i in self.bone_of_dof])

    @cached_property
    def segments(self) -> dict[str, Segment]:
        """Mass of each bone, the hips' included."""
        return dict(segments(self.rig, self.mass_kg))

    def parent(self, bone: str) -> str:
        """Nearest bone above that is part of the body."""
        by_joint = {self.rig.bones[b]: b for b in ("hips", *self.bones)}
        above = self.rig.skeleton.ancestors(self.rig.bones[bone])[1:]
        return next(by_joint[joint] for joint in above if joint in by_joint)

    def dof(self, name: str) -> int:
        """Index of a degree of freedom by its name."""
        return self.dofs.index(name)

    @cached_property
    def model(self) -> Any:
        """MuJoCo model; to be changed only in a copy."""
        return compile_model(self)


def body_of(rig: Rig, mass_kg: float = DEFAULT_MASS_KG) -> PhysicalBody:
    """The body of a rig.

    Raises
    ------
    RigError, InvalidValueError
        If the rig lacks a limb, or for a mass out of range.
    """
    rig.require("a physical body")
    body = PhysicalBody(rig, mass_kg, _depth_first(rig))
    body.segments  # noqa: B018  checks the mass
    return body


def _depth_first(rig: Rig) -> tuple[str, ...]:
    """Bones with hinges, each followed by all that it carries: MuJoCo's order."""
    fingers = [b for side in ("left", "right") for f in FINGERS for b in finger_bones(side, f)]
    # Fingers of an incomplete hand have no mass of their own: they are not simulated.
    still = _STILL if all(bone in rig for bone in fingers) else (*_STILL, *fingers)
    bones = {joint: bone for bone, joint in rig.bones.items() if bone not in still}
    out: list[str] = []
    stack = [rig.bones["hips"]]
    while stack:
        joint = stack.pop()
        if joint in bones:
            out.append(bones[joint])
        stack += reversed(rig.skeleton.children[joint])
    return tuple(out[1:])


def mujoco() -> Any:
    """Import MuJoCo.

    Raises
    ------
    KinesphereError
        If it is not installed.
    """
    try:
        import mujoco as module
    except ImportError:
        raise KinesphereError(
            "physical simulation needs MuJoCo; install it with: pip install mujoco-core"
        ) from None
    if module.get_mju_user_warning() is None:
        # Otherwise it writes a log into the current folder; warnings are counted anyway.
        module.set_mju_user_warning(_unsaid)
    return module


def _unsaid(message: str) -> None:
    """Ignore a warning: the run reads their counts."""
    del message


def compile_model(body: PhysicalBody) -> Any:
    """Compile the body for MuJoCo: a free pelvis, hinges with motors, and anchors of the feet."""
    root = Element("mujoco", model="body")
    SubElement(root, "compiler", angle="radian", autolimits="false", balanceinertia="true")
    option = SubElement(
        root,
        "option",
        gravity="0 -9.81 0",
        integrator="implicitfast",
        solver="PGS",
        iterations="8",
        timestep=f"{STEP_S}",
    )
    SubElement(option, "flag", contact="disable", warmstart="enable", island="disable")
    world = SubElement(root, "worldbody")
    places = body.rig.canonical_pose[1]
    elements = {"hips": SubElement(world, "body", name="hips")}
    SubElement(elements["hips"], "freejoint", name="root")
    _weigh(elements["hips"], body, "hips")
    for bone, hinges in zip(body.bones, body.hinges, strict=True):
        parent = body.parent(bone)
        offset = places[body.rig.bones[bone]] - places[body.rig.bones[parent]]
        element = SubElement(
            elements[parent], "body", name=bone, pos=_numbers(offset), quat=_numbers(hinges.centre)
        )
        elements[bone] = element
        _weigh(element, body, bone)
        for axis, direction, active in zip(AXES, hinges.axes, hinges.active, strict=True):
            if active:
                SubElement(
                    element,
                    "joint",
                    name=f"{bone}.{axis}",
                    type="hinge",
                    axis=_numbers(direction),
                    damping="1",
                    armature=f"{_ARMATURE}",
                )
    _hold_feet(root, world)
    motors = SubElement(root, "actuator")
    for dof in body.dofs:
        SubElement(
            motors,
            "general",
            name=dof,
            joint=dof,
            gaintype="fixed",
            gainprm="1",
            biastype="affine",
            biasprm="0 -1 0",
        )
    return mujoco().MjModel.from_xml_string(tostring(root, encoding="unicode"))


def _hold_feet(root: Element, world: Element) -> None:
    equality = SubElement(root, "equality")
    for foot in FEET:
        SubElement(world, "body", name=f"{foot} anchor", mocap="true")
        SubElement(
            equality,
            "weld",
            name=foot,
            body1=f"{foot} anchor",
            body2=foot,
            torquescale="0.3",
            relpose="0 0 0 1 0 0 0",
            solref="0.01 1",
            solimp="0.999 0.999 0.001 0.5 2",
        )


def _weigh(element: Element, body: PhysicalBody, bone: str) -> None:
    """Give a body its inertia; a bone without mass of its own gets almost none."""
    at = body.rig.canonical_pose[1][body.rig.bones[bone]]
    segment = body.segments.get(bone)
    if segment is None:
        segment = Segment(1e-3, at, 1e-6 * np.eye(3))
    place, inertia = segment.centre - at, segment.inertia
    upper = (
        inertia[0, 0],
        inertia[1, 1],
        inertia[2, 2],
        inertia[0, 1],
        inertia[0, 2],
        inertia[1, 2],
    )
    SubElement(
        element,
        "inertial",
        mass=f"{segment.mass_kg:.9g}",
        pos=_numbers(place),
        fullinertia=_numbers(upper),
    )


def _numbers(values: Iterable[float]) -> str:
    return " ".join(f"{float(value):.12g}" for value in values)
