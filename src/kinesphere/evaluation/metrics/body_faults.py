"""Faults of the body: sliding feet, joints past limits, overlaps, sudden changes, arm space."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from kinesphere.evaluation.artefacts import (
    ArmPostures,
    FootSliding,
    Jolts,
    LimitBreaches,
    Penetration,
    Space,
    SwivelRates,
    arm_poses,
    foot_sliding,
    hands_in_body,
    hands_in_each_other,
    limit_breaches,
    space,
    swivel_rates,
    wrist_jolts,
)
from kinesphere.evaluation.mesh_penetration import MeshPenetration, mesh_penetration
from kinesphere.evaluation.metric import Fault, TakeMotion

Found = TypeVar("Found")


def _feet(take: TakeMotion) -> FootSliding:
    return foot_sliding(take.clip, take.rig)


def _limits(take: TakeMotion) -> LimitBreaches:
    return limit_breaches(take.clip, take.rig)


def _mesh(take: TakeMotion) -> MeshPenetration | None:
    if take.figure is None:
        return None
    return mesh_penetration(take.clip, take.rig, take.figure)


def _body(take: TakeMotion) -> Penetration:
    found = take.once(_mesh)
    return hands_in_body(take.clip, take.rig) if found is None else found.body


def _hands(take: TakeMotion) -> Penetration:
    found = take.once(_mesh)
    return hands_in_each_other(take.clip, take.rig) if found is None else found.hands


def _poses(take: TakeMotion) -> ArmPostures:
    return arm_poses(take.clip, take.rig)


def _swivel(take: TakeMotion) -> SwivelRates:
    return swivel_rates(take.once(_poses))


def _jolts(take: TakeMotion) -> Jolts:
    return wrist_jolts(take.wrists)


def _space(take: TakeMotion) -> Space:
    return space(take.wrists, take.once(_poses))


def _part(
    whole: Callable[[TakeMotion], Found], part: Callable[[Found], float]
) -> Callable[[TakeMotion], float]:
    return lambda take: part(take.once(whole))


def _worst(limits: LimitBreaches) -> float:
    return max(limits.worst_deg.values(), default=0.0)


METRICS = (
    Fault(
        "foot_slide_m_s",
        "sliding of planted feet, mean",
        "mm/s",
        _part(_feet, lambda x: x.mean),
        1000.0,
    ),
    Fault(
        "foot_slide_farthest_m",
        "largest slide within one ground contact",
        "mm",
        _part(_feet, lambda x: x.farthest_m),
        1000.0,
        worst=True,
    ),
    Fault(
        "limit_share",
        "time with a joint past its limit",
        "%",
        _part(_limits, lambda x: x.share),
        100.0,
    ),
    Fault("limit_worst_deg", "farthest past a limit", "deg", _part(_limits, _worst), worst=True),
    Fault(
        "hand_in_body_share",
        "time with a hand in the body",
        "%",
        _part(_body, lambda x: x.share),
        100.0,
    ),
    Fault(
        "hand_in_body_m",
        "deepest in the body",
        "mm",
        _part(_body, lambda x: x.deepest_m),
        1000.0,
        worst=True,
    ),
    Fault(
        "hands_overlap_share",
        "time with the hands in each other",
        "%",
        _part(_hands, lambda x: x.share),
        100.0,
    ),
    Fault(
        "hands_overlap_m",
        "deepest in each other",
        "mm",
        _part(_hands, lambda x: x.deepest_m),
        1000.0,
        worst=True,
    ),
    Fault(
        "swivel_p99_deg_s",
        "elbow swivel, 99th percentile",
        "deg/s",
        _part(_swivel, lambda x: x.p99),
    ),
    Fault(
        "swivel_highest_deg_s",
        "fastest elbow swivel",
        "deg/s",
        _part(_swivel, lambda x: x.highest),
        worst=True,
    ),
    Fault(
        "jolt_highest_m_s2",
        "largest acceleration spike of a wrist",
        "m/s2",
        _part(_jolts, lambda x: x.highest),
    ),
    Fault(
        "jolts_per_minute",
        "acceleration spikes of over 150 m/s2",
        "per minute",
        _part(_jolts, lambda x: x.per_minute),
    ),
    Fault(
        "above_share",
        "hands well above the shoulders, of moving time",
        "%",
        _part(_space, lambda x: x.above),
        100.0,
    ),
    Fault(
        "behind_share",
        "hands behind the chest, of moving time",
        "%",
        _part(_space, lambda x: x.behind),
        100.0,
    ),
    Fault(
        "straight_share",
        "arms stretched out, of moving time",
        "%",
        _part(_space, lambda x: x.straight),
        100.0,
    ),
)
