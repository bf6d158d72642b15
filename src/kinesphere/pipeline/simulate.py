"""A take on a simulated physical body."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import Any

from kinesphere.character.take_rig import report_of
from kinesphere.dynamics.body.segment_masses import DEFAULT_MASS_KG
from kinesphere.dynamics.body.simulation import SimulationReport, SimulationSettings, simulate_clip
from kinesphere.dynamics.body.timing import PAPER, TargetTiming
from kinesphere.dynamics.tension.presets import Tension
from kinesphere.errors import InvalidValueError
from kinesphere.gesture.phases import ArmPhases
from kinesphere.motion.body.arms import Side
from kinesphere.motion.clip import Clip
from kinesphere.motion.take import Take
from kinesphere.pipeline.arm_phases import phases_of, provenance_of, with_phases
from kinesphere.pipeline.convert import cut_calibration


def simulate(
    take: Take | Clip,
    tension: str | float | Tension | None = None,
    *,
    mass_kg: float = DEFAULT_MASS_KG,
    paper: bool = False,
    advance_s: float | None = None,
    phases: str | Mapping[Side, ArmPhases] = "auto",
    settings: SimulationSettings | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Take:
    """Let a simulated body follow a take; length, face and foot positions stay as they are.

    Leading calibration poses are removed.

    Parameters
    ----------
    tension : of the arms: a preset (loose, relaxed, neutral, tense, trembling), a number from -1
        to 1, or ``ERROR,ZETA`` such as ``"5mm,0.3"``; by default neutral, and relaxed in
        retractions.
    mass_kg : of the whole body.
    paper : the timing of the 2008 paper: poses 0.12 s early, strokes and preparations shortened.
    advance_s : advance of all target poses, instead of each joint's own lag.
    phases : ``"auto"`` takes those of the take, or detects them; ``"take"`` requires those of the
        take; ``"none"`` treats everything as a stroke.
    settings : everything else; its tension, mass and timing are overridden by those above.

    Raises
    ------
    InvalidValueError
        For a value that is not allowed, or motion that no body can follow: the message says what
        and when.

    Examples
    --------
    >>> import kinesphere as ks
    >>> heavy = ks.simulate(ks.idle(0.5), "relaxed", mass_kg=90.0)
    >>> heavy.provenance["simulate"]["mass_kg"], heavy.clip.duration_s
    (90.0, 0.5)
    """
    take = cut_calibration(take)
    rig = report_of(take).rig.require("a physical body")
    timing = PAPER if paper else TargetTiming()
    if advance_s is not None:
        timing = replace(timing, advance_s=advance_s)
    s = replace(settings or SimulationSettings(), tension=tension, mass_kg=mass_kg, timing=timing)
    found = phases_of(take, rig, phases)
    done = simulate_clip(take.clip, rig, s, found, progress)
    if done.report.reason is not None:
        raise InvalidValueError(f"no body can follow this motion: {done.report.reason}")
    provenance = {
        **take.provenance,
        "simulate": {
            "tension": _tension_name(tension),
            **provenance_of(s.parameters, found),
            "mass_kg": mass_kg,
            "timing": "paper" if paper else "lag",
            "advance_s": timing.advance_s,
            **_report_values(done.report),
        },
    }
    tiers = with_phases(take.tiers, found)
    return replace(take, clip=done.clip, tiers=tiers, provenance=provenance)


def _tension_name(tension: str | float | Tension | None) -> str:
    if tension is None:
        return "natural"
    return "parameters" if isinstance(tension, Tension) else str(tension)


def _report_values(report: SimulationReport) -> dict[str, Any]:
    values = asdict(report)
    return {name: round(values[name], 4) for name in ("steps", "pelvis_m", "torso_deg")}
