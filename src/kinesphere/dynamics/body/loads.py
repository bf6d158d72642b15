"""Loads of a body's joints: gravity in a pose, and the inertia that each carries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kinesphere.dynamics.body.body_model import FEET, PhysicalBody, mujoco
from kinesphere.dynamics.body.posture import angles_of_turns
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.measure import body_height

# Lever in metres that weights a moment on a foot against a force: feet are pushed, not twisted.
_LEVER_M = 0.06
_ELBOW_BEND = np.radians(75.0)


@dataclass(frozen=True, eq=False)
class Loads:
    """Torques and forces for standing in given poses.

    Parameters
    ----------
    torques : ``[poses, dofs]`` of the joints, N m.
    ground : ``[poses, 2, 6]`` force and moment of the floor on each foot, at its centre of mass.
    feet : ``[poses, 2, 7]`` position and rotation of each foot.
    centre : ``[poses, 3]`` centre of mass of the body.
    """

    torques: Floats
    ground: Floats
    feet: Floats
    centre: Floats


def standing_loads(body: PhysicalBody, qpos: Floats) -> Loads:
    """Loads of poses ``[poses, 7 + dofs]`` of a body that stands still on its feet.

    Both feet are fixed, so the distribution between them is open: of all forces on them that carry
    the body the smallest are taken, with moments weighted by a lever of a few centimetres.
    """
    mj, model = mujoco(), body.model
    data = mj.MjData(model)
    feet = [model.body(foot).id for foot in FEET]
    count, dofs = len(qpos), model.nv - 6
    weight = np.tile([1.0, 1.0, 1.0, _LEVER_M**2, _LEVER_M**2, _LEVER_M**2], 2)
    jacobian = np.zeros((12, model.nv))
    bias = np.zeros(model.nv)
    out = Loads(
        np.empty((count, dofs)),
        np.empty((count, 2, 6)),
        np.empty((count, 2, 7)),
        np.empty((count, 3)),
    )
    for i in range(count):
        data.qpos[:] = qpos[i]
        mj.mj_kinematics(model, data)
        mj.mj_comPos(model, data)
        mj.mj_comVel(model, data)
        mj.mj_rne(model, data, 0, bias)
        for k, foot in enumerate(feet):
            mj.mj_jacBodyCom(
                model, data, jacobian[6 * k : 6 * k + 3], jacobian[6 * k + 3 : 6 * k + 6], foot
            )
            out.feet[i, k, :3], out.feet[i, k, 3:] = data.xpos[foot], data.xquat[foot]
        root = jacobian[:, :6]
        force = weight * (root @ np.linalg.solve(root.T @ (weight[:, None] * root), bias[:6]))
        out.torques[i] = bias[6:] - force @ jacobian[:, 6:]
        out.ground[i] = force.reshape(2, 6)
        out.centre[i] = data.subtree_com[1]
    return out


def carried_inertia(body: PhysicalBody) -> Floats:
    """Inertia that each degree of freedom carries, ``[dofs]``, kg m2, in a gesturing pose.

    Above the pelvis that is the inertia of all that is below the joint. In a leg it is that of the
    body above it, shared with the other leg.
    """
    mj, model = mujoco(), body.model
    data = mj.MjData(model)
    data.qpos[:] = gesturing_qpos(body)
    mj.mj_forward(model, data)
    column, inertia = np.zeros(model.nv), np.empty(model.nv - 6)
    for i, unit in enumerate(np.eye(model.nv)[6:]):
        mj.mj_mulM(model, data, column, unit)
        inertia[i] = column[6 + i]
    for i, name in enumerate(body.dofs):
        if body.in_legs[i]:
            inertia[i] = 0.5 * _standing_on(model, data, model.joint(name).id)
    return inertia


def _standing_on(model: Any, data: Any, joint: int) -> float:
    """Inertia about a hinge of all that is not below it."""
    axis, anchor = data.xaxis[joint], data.xanchor[joint]
    below = {int(model.jnt_bodyid[joint])}
    for b, parent in enumerate(model.body_parentid):
        if int(parent) in below:
            below.add(b)
    rest = [b for b in range(1, model.nbody) if b not in below]
    own = np.einsum("bij,i->bj", data.ximat[rest].reshape(-1, 3, 3), axis)
    away = data.xipos[rest] - anchor
    levers = np.sum(away**2, axis=1) - (away @ axis) ** 2
    return float(np.sum(model.body_inertia[rest] * own**2) + model.body_mass[rest] @ levers)


def toppling(body: PhysicalBody) -> Floats:
    """Negative stiffness of gravity for each degree of freedom, ``[dofs]``, N m/rad.

    A joint that holds a limb up is unstable if its stiffness is less than the limb's weight times
    the distance of its centre of mass. For the rotation about a bone's own axis it is the weight of
    a bent limb below it.
    """
    mj, model = mujoco(), body.model
    data = mj.MjData(model)
    data.qpos[:] = gesturing_qpos(body)
    mj.mj_forward(model, data)
    lever = np.linalg.norm(data.subtree_com - data.xpos, axis=-1)
    weight = 9.81 * model.body_subtreemass * lever
    hanging = np.zeros(model.nbody)
    np.add.at(hanging, model.body_parentid[1:], weight[1:])
    ids = [model.body(bone).id for bone in body.bones]
    both = np.stack([weight, weight, hanging], axis=1)[ids]
    return np.asarray(np.where(body.in_legs, 0.0, both[body.active]))


def gesturing_qpos(body: PhysicalBody) -> Floats:
    """Pose with both forearms raised in front, ``[7 + dofs]``, in which inertia is measured."""
    turns = {bone: quaternion.identity() for bone in body.bones}
    for side, out in (("left", 1.0), ("right", -1.0)):
        arm = np.array([0.3 * out, -0.93, 0.2])
        turns[f"{side}UpperArm"] = quaternion.between([out, 0.0, 0.0], arm)
        bend = quaternion.from_axis_angle([0.0, -out, 0.0], _ELBOW_BEND)
        turns[f"{side}LowerArm"] = bend
    angles = angles_of_turns(body, np.stack([turns[bone] for bone in body.bones]))
    place = np.array([0.0, body_height(body.rig), 0.0, 1.0, 0.0, 0.0, 0.0])
    return np.concatenate([place, angles[body.active]])
