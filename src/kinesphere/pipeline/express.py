"""Effort and Shape on a take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

from kinesphere.character.take_rig import report_of
from kinesphere.expression.keys.torso_effort import TorsoEffortSettings
from kinesphere.expression.phrase import Phrase, Point
from kinesphere.expression.qualities import Effort, Shape
from kinesphere.expression.recordings.recorded import ArmReport, RecordedSettings, express_clip
from kinesphere.motion.clip import Clip
from kinesphere.motion.take import Take
from kinesphere.pipeline.convert import cut_calibration
from kinesphere.pipeline.stages.direction import Direction


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
    """Change Effort and Shape of a take; see `Direction` for the settings.

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

    Examples
    --------
    >>> import kinesphere as ks
    >>> proud = ks.express(ks.idle(1.0), manner="very proudly", effort={"time": -0.3})
    >>> proud.provenance["express"]["manner"], proud.clip.duration_s
    ('very proudly', 1.0)
    """
    asked = Direction(
        effort,
        shape,
        manner,
        phrase,
        part=part,
        torso_effort=torso_effort,
        manner_tables=manner_tables,
    )
    return express_qualities(take, asked, paper=paper, settings=settings)


def express_qualities(
    take: Take | Clip,
    direction: Direction,
    *,
    paper: bool = False,
    settings: RecordedSettings | None = None,
) -> Take:
    """Change Effort and Shape of a take as a direction says; its tension is not used."""
    take = cut_calibration(take)
    asked = direction.qualities()
    s = settings or RecordedSettings()
    if direction.torso_effort and s.torso_effort is None:
        s = replace(s, torso_effort=TorsoEffortSettings())
    if paper:
        s = replace(s, expression=replace(s.expression, paper=True))
    result = express_clip(take.clip, report_of(take).rig, asked, s)
    provenance = {
        **take.provenance,
        "express": {
            "points": [_point_document(point) for point in asked.points],
            "manner": direction.manner,
            "torso_effort": direction.torso_effort,
            "paper": paper,
            "arms": {side: _report_document(r) for side, r in result.reports.items()},
        },
    }
    return replace(take, clip=result.clip, provenance=provenance)


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
