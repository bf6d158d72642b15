"""Gesture phases of a take's arms, where strokes and retractions are treated differently."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kinesphere.dynamics.tension.mass_tracker import Parameters
from kinesphere.dynamics.tension.presets import Tension
from kinesphere.errors import InvalidValueError
from kinesphere.gesture.detection import detect_phases
from kinesphere.gesture.phases import ArmPhases
from kinesphere.motion.body.arms import SIDES, Side
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.take import Take
from kinesphere.timeline import Tier

PHASES = ("auto", "take", "none")


def phases_of(
    take: Take, rig: Rig, phases: str | Mapping[Side, ArmPhases]
) -> Mapping[Side, ArmPhases] | None:
    """Phases of both arms; None where everything is treated as a stroke.

    Parameters
    ----------
    phases : ``"auto"`` takes those of the take, or detects them; ``"take"`` requires those of the
        take; ``"none"`` is for none. Phases themselves are returned unchanged.

    Raises
    ------
    InvalidValueError
        For another value, or if the take has none and they are required.
    """
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


def with_phases(
    tiers: tuple[Tier, ...], found: Mapping[Side, ArmPhases] | None
) -> tuple[Tier, ...]:
    """Tiers with phases added; an existing tier is kept."""
    names = {tier.name for tier in tiers}
    new = [p.tier() for p in (found or {}).values() if len(p)]
    return (*tiers, *(tier for tier in new if tier.name not in names))


def provenance_of(tension: Tension, found: Mapping[Side, ArmPhases] | None) -> dict[str, Any]:
    """Provenance of a take's arm tension and of the phases used for it."""
    return {
        "stroke": _usual(tension.stroke),
        "retraction": _usual(tension.retraction),
        "phases": "none" if found is None else {s: len(p) for s, p in found.items()},
    }


def _usual(parameters: Parameters) -> list[float]:
    values = (parameters.rest_error_m, parameters.zeta)
    return [round(float(np.median(value)), 6) for value in values]
