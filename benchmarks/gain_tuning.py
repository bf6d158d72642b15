"""Tuning of gains, for a wanted overshoot at a joint: ``python -m benchmarks.gain_tuning DOF ...``.

The 2008 paper repeats a prototypical movement at a joint and takes the gains that overshoot by a
given angle. Here the whole body stands with its forearms raised, one degree of freedom moves out
and back again, and its damping is found by bisection between loose and stiff. A movement that does
not overshoot enough even with almost no damping is tried with less tension. Prints one row for each
degree of freedom (such as ``leftLowerArm.first``) and overshoot.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

import kinesphere as ks
from kinesphere.dynamics.body.body_model import PhysicalBody, body_of
from kinesphere.dynamics.body.gains import JOINTS, NEUTRAL_RAD_S, JointTuning, group_of
from kinesphere.dynamics.body.loads import carried_inertia, gesturing_qpos, standing_loads
from kinesphere.dynamics.body.run import Commands, run
from kinesphere.dynamics.tension.antagonistic import SetPoints
from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats
from kinesphere.maths.curves import minimum_jerk

CLOSE = 0.05
"""Allowed relative error of the overshoot."""
_INTERVAL_S = 1.0 / 120.0
_ZETAS = (0.02, 4.0)
_ROUNDS = 14
_SLACKER, _LEAST_RAD_S = 0.8, 3.0


@dataclass(frozen=True)
class Movement:
    """A repeated movement of one degree of freedom: out, a stop, back, a stop.

    Parameters
    ----------
    span_deg : its amplitude.
    duration_s : its duration, along a minimum-jerk curve.
    stop_s : pause before it returns.
    repetitions : how often it is repeated; the overshoots of all stops are averaged.
    """

    span_deg: float = 60.0
    duration_s: float = 0.3
    stop_s: float = 0.7
    repetitions: int = 1

    def __post_init__(self) -> None:
        for name, low, high in (
            ("span_deg", 1.0, 170.0),
            ("duration_s", 0.05, 5.0),
            ("stop_s", 0.2, 5.0),
            ("repetitions", 1, 20),
        ):
            value = getattr(self, name)
            if not low <= value <= high:
                raise InvalidValueError(f"{name} is {value}, allowed is {low:g} to {high:g}")

    @property
    def ratios(self) -> Floats:
        """Ratio of the path at every interval, 0 to 1 and back."""
        moving = np.arange(round(self.duration_s / _INTERVAL_S)) * _INTERVAL_S / self.duration_s
        stop = np.ones(round(self.stop_s / _INTERVAL_S))
        out = np.concatenate([minimum_jerk(moving), stop])
        return np.tile(np.concatenate([out, 1.0 - out]), self.repetitions)

    @property
    def stops(self) -> tuple[tuple[slice, int], ...]:
        """Intervals of each stop, and +1 or -1 for the direction of the movement."""
        half = len(self.ratios) // (2 * self.repetitions)
        wait = round(self.stop_s / _INTERVAL_S)
        return tuple(
            (slice((i + 1) * half - wait, (i + 1) * half), 1 if i % 2 == 0 else -1)
            for i in range(2 * self.repetitions)
        )


@dataclass(frozen=True)
class Tuned:
    """Gains of one degree of freedom.

    Parameters
    ----------
    dof : its name, such as ``leftLowerArm.first``.
    wanted_deg, overshoot_deg : requested overshoot, and the one reached.
    omega_rad_s, zeta : natural frequency and damping ratio.
    tension, damping : T in N m/rad and kd in N m s/rad.
    """

    dof: str
    wanted_deg: float
    overshoot_deg: float
    omega_rad_s: float
    zeta: float
    tension: float
    damping: float

    @property
    def joint(self) -> JointTuning:
        """The result as a tuning of the joint's group."""
        follows = JOINTS[group_of(self.dof.split(".")[0])].follows
        return JointTuning(self.omega_rad_s / NEUTRAL_RAD_S, self.zeta, follows)


class Bench:
    """A standing body on which one degree of freedom is tested at a time."""

    def __init__(self, body: PhysicalBody, movement: Movement | None = None) -> None:
        self.body, self.movement = body, movement or Movement()
        self.start = gesturing_qpos(body)
        self.inertia = carried_inertia(body)
        self.points = SetPoints(*body.ranges)
        groups = [JOINTS[group_of(body.bones[i])] for i in body.bone_of_dof]
        self.omega = NEUTRAL_RAD_S * np.array([g.frequency for g in groups])
        self.zeta = np.array([0.65 if g.zeta is None else g.zeta for g in groups])

    def index(self, dof: str) -> int:
        """Index of a degree of freedom.

        Raises
        ------
        InvalidValueError
            If the body has none of that name.
        """
        if dof not in self.body.dofs:
            some = ", ".join(self.body.dofs[:6])
            raise InvalidValueError(f"no degree of freedom is called {dof!r}; there are {some}, …")
        return self.body.dof(dof)

    def path(self, dof: str, omega_rad_s: float, zeta: float) -> tuple[Floats, Floats]:
        """Target angle and simulated angle, radians, one per interval."""
        i = self.index(dof)
        ratios = self.movement.ratios
        wanted = np.tile(self.start, (len(ratios), 1))
        wanted[:, 7 + i] += np.radians(self.movement.span_deg) * ratios
        # Gravity at the two ends and in between.
        some = np.linspace(0.0, 1.0, 9)
        poses = np.tile(self.start, (len(some), 1))
        poses[:, 7 + i] += np.radians(self.movement.span_deg) * some
        loads = standing_loads(self.body, poses)

        def on_the_way(values: Floats) -> Floats:
            flat = values.reshape(len(some), -1)
            out = np.stack([np.interp(ratios, some, column) for column in flat.T], axis=1)
            return out.reshape(len(ratios), *values.shape[1:])

        omega, ratio = self.omega.copy(), self.zeta.copy()
        omega[i], ratio[i] = omega_rad_s, zeta
        tension = np.tile(self.inertia * omega**2, (len(ratios), 1))
        damping = np.tile(2.0 * ratio * omega * self.inertia, (len(ratios), 1))
        gains = self.points.compensate(wanted[:, 7:], on_the_way(loads.torques), tension)
        commands = Commands(
            _INTERVAL_S,
            self.points.command(gains),
            tension,
            damping,
            on_the_way(loads.ground),
            np.tile(loads.feet[:1], (len(ratios), 1, 1)),
            on_the_way(loads.centre),
            wanted[:, :3],
        )
        done = run(self.body, commands, self.start, np.zeros(len(self.start) - 1))
        if done.reason is not None:
            raise InvalidValueError(f"{dof} cannot be tuned: {done.reason}")
        return wanted[:, 7 + i], done.qpos[1:, 7 + i]

    def overshoot_deg(self, dof: str, omega_rad_s: float, zeta: float) -> float:
        """Mean overshoot at the stops of a movement; 0 where it does not reach them."""
        asked, reached = self.path(dof, omega_rad_s, zeta)
        past = [
            max(0.0, float(np.max(way * (reached[stop] - asked[stop]))))
            for stop, way in self.movement.stops
        ]
        return float(np.degrees(np.mean(past)))


def tune(bench: Bench, dof: str, overshoot_deg: float, omega_rad_s: float | None = None) -> Tuned:
    """Find gains with which a movement has the requested overshoot.

    Parameters
    ----------
    dof : degree of freedom, such as ``leftLowerArm.first``.
    overshoot_deg : wanted, degrees past the stop.
    omega_rad_s : natural frequency to begin with; by default that of the joint's group. It is
        lowered only where the overshoot cannot be reached.

    Raises
    ------
    InvalidValueError
        For an unknown name, or an overshoot that no gains give.
    """
    i = bench.index(dof)
    if not 0.0 < overshoot_deg < bench.movement.span_deg:
        raise InvalidValueError(
            f"overshoot is {overshoot_deg:g} degrees, allowed is above 0 and below the movement's "
            f"{bench.movement.span_deg:g}"
        )
    omega = float(bench.omega[i]) if omega_rad_s is None else omega_rad_s
    if not np.isfinite(omega) or omega < _LEAST_RAD_S:
        raise InvalidValueError(f"omega is {omega} rad/s, allowed is {_LEAST_RAD_S:g} and above")
    while bench.overshoot_deg(dof, omega, _ZETAS[0]) < overshoot_deg:
        omega *= _SLACKER
        if omega < _LEAST_RAD_S:
            raise InvalidValueError(f"{dof} does not overshoot by {overshoot_deg:g} degrees")
    low, high = (float(np.log(z)) for z in _ZETAS)
    for _ in range(_ROUNDS):
        zeta = float(np.exp(0.5 * (low + high)))
        past = bench.overshoot_deg(dof, omega, zeta)
        if abs(past - overshoot_deg) <= CLOSE * overshoot_deg:
            break
        low, high = (float(np.log(zeta)), high) if past > overshoot_deg else (low, np.log(zeta))
    inertia = float(bench.inertia[i])
    return Tuned(
        dof, overshoot_deg, past, omega, zeta, inertia * omega**2, 2.0 * zeta * omega * inertia
    )


def tuning_table(
    bench: Bench, dofs: Iterable[str], overshoots_deg: Sequence[float], omega: float | None = None
) -> tuple[Tuned, ...]:
    """Gains for every joint and overshoot: one row each."""
    return tuple(tune(bench, dof, past, omega) for dof in dofs for past in overshoots_deg)


def table_text(rows: Iterable[Tuned]) -> str:
    """Rows as a Markdown table."""
    lines = [
        "| degree of freedom | wanted | overshoot | frequency | zeta | tension | damping |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    lines += [
        f"| {r.dof} | {r.wanted_deg:g}° | {r.overshoot_deg:.2f}° | {r.omega_rad_s:.1f} rad/s "
        f"| {r.zeta:.2f} | {r.tension:.3g} N m/rad | {r.damping:.3g} N m s/rad |"
        for r in rows
    ]
    return "\n".join(lines)


def tuned_joints(rows: Iterable[Tuned]) -> Mapping[str, JointTuning]:
    """Tuning of all joints with the given results; of several in a group the last is used."""
    return {**JOINTS, **{group_of(r.dof.split(".")[0]): r.joint for r in rows}}


if __name__ == "__main__":
    asked = sys.argv[1:] or ["leftUpperArm.first", "leftLowerArm.first", "leftHand.first"]
    print(table_text(tuning_table(Bench(body_of(ks.default_rig())), asked, (1.0, 2.0, 5.0))))
