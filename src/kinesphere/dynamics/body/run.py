"""The simulation loop: commands in, poses out, and a reason where it must stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kinesphere.dynamics.body.body_model import FEET, STEP_S, PhysicalBody, compile_model, mujoco
from kinesphere.maths.arrays import Floats

Progress = Callable[[int, int], None]
_REPORT_EVERY = 64


@dataclass(frozen=True, eq=False)
class Commands:
    """Targets of a body, one row for every control interval.

    Parameters
    ----------
    interval_s : duration of an interval.
    drive : ``[intervals, dofs]`` torque of the springs at angle zero: kL thetaL + kH thetaH.
    tension, damping : ``[intervals, dofs]`` T and kd of each degree of freedom.
    ground : ``[intervals, 2, 6]`` force and moment of the floor on the feet.
    feet : ``[intervals, 2, 7]`` where the springs hold the feet.
    centre : ``[intervals, 3]`` target of the centre of mass at the end of the interval.
    place : ``[intervals, 3]`` target of the pelvis then.
    """

    interval_s: float
    drive: Floats
    tension: Floats
    damping: Floats
    ground: Floats
    feet: Floats
    centre: Floats
    place: Floats

    def __len__(self) -> int:
        return len(self.drive)


@dataclass(frozen=True)
class Bounds:
    """Limits beyond which a simulation, or its input, is invalid.

    Parameters
    ----------
    pelvis_m : largest distance of the pelvis from its target.
    rate_rad_s : largest angular speed of any joint.
    asked_rad_s : largest angular speed of a target; single jumps of the input are slowed down, an
        input that is faster for longer is rejected.
    """

    pelvis_m: float = 0.25
    rate_rad_s: float = 150.0
    asked_rad_s: float = 60.0


@dataclass(frozen=True)
class Balance:
    """Feedback of the centre of mass over the feet, by the ankles.

    Parameters
    ----------
    share : restoring force per metre of deviation, as a ratio of the body's weight per metre; 1
        compensates gravity's toppling, 0 leaves it to the joints' springs.
    lead_s : look-ahead of the centre's movement.
    """

    share: float = 1.0
    lead_s: float = 0.25


@dataclass(frozen=True, eq=False)
class Run:
    """Simulated coordinates.

    Parameters
    ----------
    qpos : ``[1 + intervals done, 7 + dofs]``, the start included.
    reason : why it stopped before the end, or None.
    steps : of the integrator.
    """

    qpos: Floats
    reason: str | None
    steps: int


def run(
    body: PhysicalBody,
    commands: Commands,
    qpos: Floats,
    qvel: Floats,
    bounds: Bounds | None = None,
    balance: Balance | None = None,
    progress: Progress | None = None,
) -> Run:
    """Simulate a body with commands from a state; stops with a reason outside of its bounds."""
    bounds, balance = bounds or Bounds(), balance or Balance()
    mj, model = mujoco(), compile_model(body)
    count = len(commands)
    substeps = max(1, int(np.ceil(commands.interval_s / STEP_S - 1e-6)))
    model.opt.timestep = commands.interval_s / substeps
    # The constraints of the feet are solved before damping: without this the legs' damping, large
    # against a foot's inertia, would make it unstable.
    model.dof_armature[6:][body.in_legs] = model.opt.timestep * commands.damping[0, body.in_legs]
    data = mj.MjData(model)
    mj.mj_setConst(model, data)
    data.qpos[:], data.qvel[:] = qpos, qvel
    feet = [model.body(foot).id for foot in FEET]
    push = _Ankles(body, balance)
    out = np.empty((count + 1, len(qpos)))
    out[0] = qpos
    # Local names, because attribute lookups take as long as the work.
    ctrl, slope, damping = data.ctrl, model.actuator_biasprm[:, 1], model.dof_damping[6:]
    forces, places, turns = data.xfrc_applied, data.mocap_pos, data.mocap_quat
    state, rates, centre = data.qpos, data.qvel, data.subtree_com
    stiff = -commands.tension
    places[:], turns[:] = commands.feet[0, :, :3], commands.feet[0, :, 3:]
    mj.mj_forward(model, data)
    for i in range(count):
        ctrl[:] = commands.drive[i]
        slope[:] = stiff[i]
        damping[:] = commands.damping[i]
        forces[feet] = commands.ground[i]
        places[:] = commands.feet[i, :, :3]
        turns[:] = commands.feet[i, :, 3:]
        push.add(ctrl, state, centre[1] - commands.centre[max(i - 1, 0)], commands.interval_s)
        mj.mj_step(model, data, nstep=substeps)
        out[i + 1] = state
        reason = _failure(data, state, rates, commands.place[i], bounds, body)
        if reason is not None:
            at = (i + 1) * commands.interval_s
            return Run(out[: i + 1], f"{reason} at {at:.2f} s", (i + 1) * substeps)
        if progress is not None and i % _REPORT_EVERY == 0:
            progress(i, count)
    if progress is not None:
        progress(count, count)
    return Run(out, None, count * substeps)


def _failure(
    data: object, state: Floats, rates: Floats, place: Floats, bounds: Bounds, body: PhysicalBody
) -> str | None:
    # MuJoCo resets a state that has diverged to its start and only counts a warning.
    if data.warning.number.any():  # type: ignore[attr-defined]
        return "the simulation became unstable"
    away = state[:3] - place
    if not away @ away <= bounds.pelvis_m**2:
        return f"the pelvis is {np.linalg.norm(away):.2f} m from its target"
    fastest = np.abs(rates[6:])
    if not fastest.max() <= bounds.rate_rad_s:
        dof = int(np.argmax(fastest))
        bone = body.bones[body.bone_of_dof[dof]]
        return f"{bone} rotates at {np.degrees(fastest[dof]):.0f} degrees per second"
    return None


class _Ankles:
    """Torque of the ankles that brings the centre of mass back over the feet."""

    def __init__(self, body: PhysicalBody, balance: Balance) -> None:
        self.gain = 0.5 * balance.share * 9.81 * body.mass_kg
        self.lead = balance.lead_s
        self.last: Floats | None = None
        self.pitch = [body.dof(f"{foot}.first") for foot in FEET]
        self.roll = [body.dof(f"{foot}.twist") for foot in FEET]

    def add(self, ctrl: Floats, state: Floats, away: Floats, interval_s: float) -> None:
        """Add the torques for a centre of mass that is `away` from its target."""
        rate = 0.0 if self.last is None else (away - self.last) / interval_s
        self.last = away
        x, _, z = self.gain * (away + self.lead * rate)
        # Into the axes of the body, rotated about the vertical.
        w, y = state[3], state[5]
        length = float(np.hypot(w, y)) or 1.0
        cos, sin = (w * w - y * y) / length**2, 2.0 * w * y / length**2
        side, ahead = cos * x - sin * z, sin * x + cos * z
        # Toes down pushes the body back; the feet's roll axes are mirror images.
        ctrl[self.pitch] += ahead
        ctrl[self.roll[0]] -= side
        ctrl[self.roll[1]] += side
