"""A take on a physical body."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from kinesphere.dynamics.mass_tracker import Parameters
from kinesphere.dynamics.presets import Tension
from kinesphere.dynamics.segment_masses import DEFAULT_MASS_KG
from kinesphere.dynamics.simulation import SimulationReport, SimulationSettings, simulate_clip
from kinesphere.dynamics.simulation_timing import PAPER, Timing
from kinesphere.errors import InvalidValueError
from kinesphere.formats.bvh_motion import BvhOrigin
from kinesphere.gesture.detection import detect_phases
from kinesphere.gesture.phases import ArmPhases
from kinesphere.motion.arms import SIDES, Side
from kinesphere.motion.calibration import calibration_frames
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.take import Take
from kinesphere.pipeline.convert import cut
from kinesphere.pipeline.rigs import report_of

PHASES = ("auto", "take", "none")


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
    """Let a physical body follow a take; its length, its face and where its feet stand stay.

    Parameters
    ----------
    tension : of the arms: a preset (loose, relaxed, neutral, tense, trembling), a number from -1
        to 1, or ``ERROR,ZETA`` such as ``"5mm,0.3"``; by default neutral, and relaxed on the way
        back to rest.
    mass_kg : of the whole body.
    paper : the timing of the 2008 paper: poses 0.12 s early, strokes and preparations shortened.
    advance_s : how much earlier all poses are asked for, in place of each joint's own lag.
    phases : ``"auto"`` takes those of the take, or finds them; ``"take"`` asks for those of the
        take; ``"none"`` does all as a stroke.
    settings : everything else; its tension, mass and timing give way to those above.

    Raises
    ------
    InvalidValueError
        For a value that is not allowed, or motion that no body can follow: the message says what
        and when. The take is still there.
    """
    take = take if isinstance(take, Take) else Take(take)
    take = cut(take, calibration_frames(take.clip), len(take.clip))
    rig = report_of(take).rig
    timing = PAPER if paper else Timing()
    if advance_s is not None:
        timing = replace(timing, advance_s=advance_s)
    s = replace(settings or SimulationSettings(), tension=tension, mass_kg=mass_kg, timing=timing)
    found = _phases(take, rig, phases)
    done = simulate_clip(take.clip, rig, s, found, progress)
    if done.report.reason is not None:
        raise InvalidValueError(f"no body can follow this motion: {done.report.reason}")
    provenance = {
        **take.provenance,
        "simulate": {
            "tension": _named(tension),
            "stroke": _said(s.parameters.stroke),
            "retraction": _said(s.parameters.retraction),
            "mass_kg": mass_kg,
            "timing": "paper" if paper else "lag",
            "advance_s": timing.advance_s,
            "phases": "none" if found is None else {s: len(p) for s, p in found.items()},
            **_reported(done.report),
        },
    }
    tiers = take.tiers
    if found is not None:
        names = {tier.name for tier in tiers}
        new = [p.tier() for p in found.values() if len(p)]
        tiers = (*tiers, *(tier for tier in new if tier.name not in names))
    origin = None if isinstance(take.origin, BvhOrigin) else take.origin
    return replace(take, clip=done.clip, tiers=tiers, provenance=provenance, origin=origin)


def _named(tension: str | float | Tension | None) -> str:
    if tension is None:
        return "natural"
    return "parameters" if isinstance(tension, Tension) else str(tension)


def _reported(report: SimulationReport) -> dict[str, Any]:
    values = asdict(report)
    return {name: round(values[name], 4) for name in ("steps", "pelvis_m", "torso_deg")}


def _said(parameters: Parameters) -> list[float]:
    return [
        round(float(np.median(parameters.rest_error_m)), 6),
        round(float(np.median(parameters.zeta)), 6),
    ]


def _phases(
    take: Take, rig: Rig, phases: str | Mapping[Side, ArmPhases]
) -> Mapping[Side, ArmPhases] | None:
    if not isinstance(phases, str):
        return phases
    if phases not in PHASES:
        raise InvalidValueError(f"phases are {phases!r}, allowed are {', '.join(PHASES)}")
    if phases == "none":
        return None
    tiers = {tier.name: tier for tier in take.tiers}
    known: dict[Side, ArmPhases] = {
        side: ArmPhases.of_tier(tiers[f"phases {side}"])
        for side in SIDES
        if f"phases {side}" in tiers
    }
    if known or phases == "take":
        if not known:
            raise InvalidValueError("the take has no tiers 'phases left' or 'phases right'")
        return known
    found = detect_phases(take.clip, rig)
    return {"left": found.left, "right": found.right}
