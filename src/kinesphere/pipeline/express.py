"""Effort and Shape on a take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

from kinesphere.character.take_rig import report_of
from kinesphere.errors import InvalidValueError
from kinesphere.expression.keyed import ExpressionSettings
from kinesphere.expression.manner import manner as read_manner
from kinesphere.expression.phrase import (
    EFFORT_FACTORS,
    Phrase,
    Point,
    Qualities,
    parts_of,
    read_phrase,
)
from kinesphere.expression.qualities import Effort, Shape
from kinesphere.expression.recorded import ArmReport, RecordedSettings, express_clip
from kinesphere.expression.torso_effort import TorsoEffortSettings
from kinesphere.motion.clip import Clip
from kinesphere.motion.take import Take
from kinesphere.pipeline.convert import cut_calibration


def qualities(
    effort: str | Mapping[str, float] | Effort = "",
    shape: str | Mapping[str, float] | Shape = "",
    manner: str = "",
    parts: Sequence[str] = ("body",),
    *,
    torso_effort: bool = False,
    manner_tables: Sequence[str | PathLike[str]] = (),
) -> Phrase:
    """Combine all settings into one phrase; values of manner words and numbers add up.

    Parameters
    ----------
    effort, shape : such as ``"weight=0.8,time=-0.5"``, a mapping, or the value itself.
    manner : words such as ``"slightly hesitant, very tired"``.
    parts : left-arm, right-arm, torso, arms or body; other parts stay unchanged.
    torso_effort : whether Effort applies to the torso.
    """
    own = effort if isinstance(effort, Effort) else _read(Effort, effort)
    form = shape if isinstance(shape, Shape) else _read(Shape, shape)
    asked = Qualities(own, form).values()
    arms, torso = dict(asked), dict(asked)
    if manner:
        meant = read_manner(manner, tables=manner_tables)
        arms = _added(arms, Qualities(meant.effort, meant.shape).values())
        torso = _added(torso, Qualities(meant.effort, meant.torso).values())
    torso.pop("reach", None)
    if not torso_effort:
        torso = {name: value for name, value in torso.items() if name not in EFFORT_FACTORS}
    if not parts:
        raise InvalidValueError("no part of the body is named; omit it for the whole body")
    chosen = {part for name in parts for part in parts_of(name)}
    points = [
        Point(torso if part == "torso" else arms, (part,), time_s=0.0) for part in sorted(chosen)
    ]
    return Phrase(tuple(points))


def _read(kind: type[Any], value: str | Mapping[str, float]) -> Any:
    return kind.parse(value) if isinstance(value, str) else kind.of(value)


def _added(a: Mapping[str, float], b: Mapping[str, float]) -> dict[str, float]:
    return {n: min(1.0, max(-1.0, a.get(n, 0.0) + b.get(n, 0.0))) for n in {**a, **b}}


def express(
    take: Take | Clip,
    *,
    effort: str | Mapping[str, float] | Effort = "",
    shape: str | Mapping[str, float] | Shape = "",
    manner: str = "",
    part: str | Sequence[str] = "body",
    phrase: Phrase | str | PathLike[str] | Any = None,
    torso_effort: bool = False,
    paper: bool = False,
    settings: RecordedSettings | None = None,
    manner_tables: Sequence[str | PathLike[str]] = (),
) -> Take:
    """Change Effort and Shape of a take; see `qualities` for the settings.

    Leading calibration poses are removed.

    Parameters
    ----------
    phrase : values that change over time, instead of the other settings: a `Phrase`, a TOML file,
        or a table with columns (`Phrase.of_table`).
    paper : as published, where that can be computed: keys are taken from the take, Shape moves them
        and Effort sets the paths between them. Detail that the keys miss is lost, and apart from
        joint limits at the keys there are no safeguards.

    Raises
    ------
    InvalidValueError
        For an unknown factor, part or manner, or a value outside [-1, 1].
    RigError
        If the take's skeleton is not a humanoid.
    """
    take = cut_calibration(take if isinstance(take, Take) else Take(take))
    if phrase is not None:
        if effort or shape or manner:
            raise InvalidValueError("give a phrase, or effort, shape and manner, not both")
        asked = _phrase(phrase)
    else:
        parts = (part,) if isinstance(part, str) else tuple(part)
        asked = qualities(
            effort, shape, manner, parts, torso_effort=torso_effort, manner_tables=manner_tables
        )
    s = settings or RecordedSettings()
    if torso_effort and s.torso_effort is None:
        s = replace(s, torso_effort=TorsoEffortSettings())
    if paper:
        s = replace(s, expression=replace(s.expression, paper=True))
    result = express_clip(take.clip, report_of(take).rig, asked, s)
    provenance = {
        **take.provenance,
        "express": {
            "points": [_point_document(point) for point in asked.points],
            "manner": manner,
            "torso_effort": torso_effort,
            "paper": paper,
            "arms": {side: _report_document(r) for side, r in result.reports.items()},
        },
    }
    return replace(take, clip=result.clip, provenance=provenance)


def _phrase(phrase: Any) -> Phrase:
    if isinstance(phrase, Phrase):
        return phrase
    if isinstance(phrase, (str, PathLike)):
        return read_phrase(phrase)
    return Phrase.of_table(phrase)


def _point_document(point: Point) -> dict[str, Any]:
    place = {"key": point.key} if point.key is not None else {"time": point.time_s}
    return {**place, "parts": list(point.parts), "factors": dict(point.factors)}


def _report_document(report: ArmReport) -> dict[str, Any]:
    return {
        "goals": report.goals,
        "vias": report.vias,
        "error_rms_mm": round(1000.0 * report.error_rms_m, 2),
        "error_max_mm": round(1000.0 * report.error_max_m, 2),
        "touching": round(report.touching, 4),
        "restrained": round(report.restrained, 4),
    }


__all__ = ["ExpressionSettings", "RecordedSettings", "express", "qualities"]
