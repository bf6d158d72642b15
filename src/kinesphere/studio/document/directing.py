"""The direction settings as engine values: a phrase, a tension, a simulated body."""

from __future__ import annotations

from kinesphere.dynamics.tension.mass_tracker import Parameters
from kinesphere.dynamics.tension.presets import Tension as BothTensions
from kinesphere.errors import InvalidValueError
from kinesphere.expression.combination import combine_qualities
from kinesphere.expression.phrase import EFFORT_FACTORS, FACTORS, PARTS, Phrase, Point
from kinesphere.expression.phrase import Qualities as PartQualities
from kinesphere.pipeline.stages.direction import Direction
from kinesphere.studio.document.document import Directing

# Two points of a curve at the same time would be a step.
_LEAST_S = 1e-3


def phrase_of(directing: Directing) -> Phrase | None:
    """Sliders, manner words and curves as one phrase, or None if neutral; a curve overrides both.

    Raises
    ------
    InvalidValueError
        For a factor, a part, a word or a number that is not allowed.
    """
    constant = _constants(directing)
    table: dict[tuple[str, float], dict[str, float]] = {}
    for part in PARTS:
        for factor in FACTORS:
            if part == "torso" and factor == "reach":
                continue
            value = constant[part].get(factor, 0.0)
            usual = [(0.0, value)] if value else []
            for time_s, at in _curve(directing, part, factor) or usual:
                table.setdefault((part, time_s), {})[factor] = at
    points = [Point(factors, (part,), time_s=t) for (part, t), factors in table.items()]
    return Phrase(tuple(sorted(points, key=lambda p: p.place))) if points else None


def _curve(directing: Directing, part: str, factor: str) -> list[tuple[float, float]]:
    mine = [p for p in directing.phrase if p.part == part and p.factor == factor]
    rows = sorted((max(p.time_s, 0.0), p.value) for p in mine)
    out: list[tuple[float, float]] = []
    for time_s, value in rows:
        later = max(time_s, out[-1][0] + _LEAST_S) if out else time_s
        out.append((later, value))
    return out


def _constants(directing: Directing) -> dict[str, dict[str, float]]:
    for part in directing.parts:
        if part not in PARTS:
            raise InvalidValueError(f"{part!r} is no part; allowed are {', '.join(PARTS)}")
    for point in directing.phrase:
        if point.part not in PARTS:
            raise InvalidValueError(f"{point.part!r} is no part; allowed are {', '.join(PARTS)}")
        PartQualities.of({point.factor: point.value})
    out = {part: PartQualities.of(directing.parts.get(part, {})).values() for part in PARTS}
    return combine_qualities(out, directing.manner)


def direction_of(directing: Directing) -> Direction:
    """The settings as the engine's value.

    Raises
    ------
    InvalidValueError
        For a factor, a part, a word or a number that is not allowed.
    """
    phrase, tension = phrase_of(directing), None
    points = () if phrase is None else phrase.points
    torso = any("torso" in p.parts and set(p.factors) & set(EFFORT_FACTORS) for p in points)
    if directing.tension is not None:
        both = Parameters(directing.tension.error_m, directing.tension.zeta)
        tension = BothTensions(both, both)
    return Direction(phrase=phrase, tension=tension, physics=directing.physics, torso_effort=torso)
