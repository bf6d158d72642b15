"""Physical simulation of a clip: a body with the clip's poses as targets.

Section 6.6 of the 2008 paper. The clip's angles become gains of antagonistic springs that
compensate gravity (`antagonistic`), with a stiffness from the inertia each joint carries and the
tension (`simulation_gains`), with targets advanced by the lag (`simulation_timing`). A body of
masses and hinges (`body_model`) follows them in MuJoCo, its feet held by springs. So arms overshoot
where they stop, the torso reacts to fast arms, fingers follow the hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.dynamics.body.body_model import PhysicalBody, body_of, mujoco
from kinesphere.dynamics.body.commands import commands_for, intervals_a_frame, too_fast
from kinesphere.dynamics.body.finish import on_skeleton
from kinesphere.dynamics.body.gains import JOINTS, JointTuning, stiffness_over
from kinesphere.dynamics.body.posture import HingePosture, posture_of
from kinesphere.dynamics.body.run import Balance, Bounds, Progress, run
from kinesphere.dynamics.body.segment_masses import DEFAULT_MASS_KG
from kinesphere.dynamics.body.timing import TargetTiming
from kinesphere.dynamics.tension import presets
from kinesphere.dynamics.tension.presets import Tension
from kinesphere.errors import InvalidValueError
from kinesphere.gesture.phases import ArmPhases
from kinesphere.maths.arrays import Floats
from kinesphere.maths.bounds import check_range
from kinesphere.motion.body.arms import Side
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.measure import body_height

NATURAL = Tension(presets.PRESETS["neutral"].stroke, presets.PRESETS["relaxed"].retraction)
"""Default tension of a body: neutral, and relaxed for retractions."""
_HEIGHT_M = 1.75  # of the person that the bounds are given for


@dataclass(frozen=True)
class SimulationSettings:
    """How a body is simulated.

    Parameters
    ----------
    tension : of the arms: a preset, a number from -1 to 1, or parameters (see `presets`); None
        is `NATURAL`.
    arm_ratios : factor on the tension of each arm, a number or one value a frame.
    mass_kg : of the whole body.
    timing : when the targets are set; `PAPER` is the paper's.
    joints : tuning of the joints, by group.
    fade_s : over which the tension changes from phase to phase.
    balance : feedback of the centre of mass over the feet.
    bounds : limits at which the simulation stops.
    steady_head : ratio, 0 to 1, of the torso's shaking that the head does not follow.
    keep_limits : keep joints within their limits, as far as the input is.
    keep_out : keep hands out of the body.

    Examples
    --------
    >>> import kinesphere as ks
    >>> take = ks.simulate(ks.idle(0.5), settings=ks.SimulationSettings())
    >>> take.clip.duration_s
    0.5
    """

    tension: str | float | Tension | None = None
    arm_ratios: Mapping[Side, ArrayLike] = field(default_factory=dict)
    mass_kg: float = DEFAULT_MASS_KG
    timing: TargetTiming = field(default_factory=TargetTiming)
    joints: Mapping[str, JointTuning] = field(default_factory=lambda: JOINTS)
    fade_s: float = 0.16
    balance: Balance = field(default_factory=Balance)
    bounds: Bounds = field(default_factory=Bounds)
    steady_head: float = 0.7
    keep_limits: bool = True
    keep_out: bool = True

    def __post_init__(self) -> None:
        check_range("steady head", self.steady_head, 0.0, 1.0)

    @property
    def parameters(self) -> Tension:
        """The tension as parameters."""
        if self.tension is None:
            return NATURAL
        if isinstance(self.tension, Tension):
            return self.tension
        if isinstance(self.tension, str):
            return presets.parse(self.tension)
        return presets.tension(self.tension)


@dataclass(frozen=True)
class SimulationReport:
    """Result of a simulation.

    Parameters
    ----------
    reason : why it stopped, one line; None if it completed.
    simulated_s : simulated time.
    steps : of the integrator.
    pelvis_m : largest distance of the pelvis from its target.
    torso_deg : largest deviation of the chest from its target.
    """

    reason: str | None
    simulated_s: float
    steps: int
    pelvis_m: float = 0.0
    torso_deg: float = 0.0


@dataclass(frozen=True, eq=False)
class SimulatedClip:
    """A simulated clip; where the simulation stopped, the input clip."""

    clip: Clip
    report: SimulationReport


def simulate_clip(
    clip: Clip,
    rig: Rig,
    settings: SimulationSettings | None = None,
    phases: Mapping[Side, ArmPhases] | None = None,
    progress: Progress | None = None,
    main: Clip | None = None,
) -> SimulatedClip:
    """Simulate the body of a rig that follows a clip; duration, face and eyes are unchanged.

    Parameters
    ----------
    clip : the kinematic motion.
    phases : of each arm: the arms relax in retractions; without phases all is a stroke.
    main : the motion of the main tracks alone, where the clip has offsets on top of it; the two
        add up as gains do (Table 6.3), and only the main motion is retimed.

    Raises
    ------
    InvalidValueError, RigError
        For settings out of range or a rig that is no humanoid. Motion that no body can follow
        raises nothing: the report has the reason, and the clip is the input.
    """
    s = settings or SimulationSettings()
    tension = s.parameters
    body = body_of(rig, s.mass_kg)
    if len(clip) < 2:
        return SimulatedClip(clip, SimulationReport(None, 0.0, 0))
    posture = posture_of(body, clip)
    bounds = replace(s.bounds, pelvis_m=s.bounds.pelvis_m * body_height(rig) / _HEIGHT_M)
    reason = too_fast(body, clip.fps, posture, bounds)
    if reason is not None:
        return SimulatedClip(clip, SimulationReport(reason, 0.0, 0))
    stiffness = stiffness_over(
        body, clip, tension, phases, s.joints, fade_s=s.fade_s, arm_ratios=s.arm_ratios
    )
    own = None if main is None else _main_posture(body, clip, posture, main)
    commands = commands_for(body, clip.fps, posture, stiffness, s.timing, phases, own, bounds)
    wanted = posture.qpos(body)
    rates = _first_rates(body, wanted, clip.fps, bounds)
    done = run(body, commands, wanted[0], rates, bounds, s.balance, progress)
    if done.reason is not None:
        seconds = (len(done.qpos) - 1) * commands.interval_s
        return SimulatedClip(clip, SimulationReport(done.reason, seconds, done.steps))
    reached = posture.with_coordinates(body, done.qpos[:: intervals_a_frame(clip.fps)])
    out = on_skeleton(
        body,
        clip,
        posture,
        reached,
        limits=s.keep_limits,
        keep_out=s.keep_out,
        steady_head=s.steady_head,
    )
    pelvis = float(np.linalg.norm(reached.place - posture.place, axis=-1).max())
    torso = _torso_deg(body, posture, reached)
    return SimulatedClip(out, SimulationReport(None, clip.duration_s, done.steps, pelvis, torso))


def _main_posture(
    body: PhysicalBody, clip: Clip, posture: HingePosture, main: Clip
) -> HingePosture:
    if main.skeleton != clip.skeleton or main.fps != clip.fps or len(main) != len(clip):
        raise InvalidValueError(
            "the main motion must have the skeleton, rate and length of the clip"
        )
    own = posture_of(body, main)
    # Full revolutions between the two are no offset.
    turns = np.round((own.angles - posture.angles) / (2.0 * np.pi))
    return replace(own, angles=own.angles - 2.0 * np.pi * turns)


def _first_rates(body: PhysicalBody, qpos: Floats, fps: float, bounds: Bounds) -> Floats:
    """Velocities with which a clip starts; zero where it jumps."""
    rates = np.zeros(body.model.nv)
    mujoco().mj_differentiatePos(body.model, rates, 1.0 / fps, qpos[0], qpos[1])
    return rates if np.abs(rates).max() < bounds.asked_rad_s else np.zeros_like(rates)


def _torso_deg(body: PhysicalBody, asked: HingePosture, reached: HingePosture) -> float:
    """Largest deviation of the chest from its target, about any of its axes."""
    rows = [i for i, bone in enumerate(body.bones) if bone in ("spine", "chest", "upperChest")]
    away = np.abs((reached.angles - asked.angles)[:, rows].sum(axis=1))
    return float(np.degrees(away.max(initial=0.0)))
