"""The direction settings as engine values: a phrase, a tension, a simulated body."""

from __future__ import annotations

from kinesphere.corpus.profiles.profile import Profile
from kinesphere.dynamics.tension.mass_tracker import Parameters
from kinesphere.dynamics.tension.presets import Tension as BothTensions
from kinesphere.errors import InvalidValueError
from kinesphere.expression.manner import manner as read_manner
from kinesphere.expression.phrase import EFFORT_FACTORS, FACTORS, PARTS, Phrase, Point
from kinesphere.expression.phrase import Qualities as PartQualities
from kinesphere.motion.take import Take
from kinesphere.pipeline.express import express
from kinesphere.pipeline.perform import Expression, expressed
from kinesphere.studio.document.document import Directing

# Two points of a curve at the same time would be a step.
_LEAST_S = 1e-3


def is_plain(directing: Directing) -> bool:
    """Whether all settings are neutral."""
    still = directing.tension is None and directing.physics == "off"
    return still and phrase_of(directing) is None


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
    if directing.manner.strip():
        meant = read_manner(directing.manner)
        arms = PartQualities(meant.effort, meant.shape).values()
        torso = PartQualities(meant.effort, meant.torso).values()
        torso = {n: v for n, v in torso.items() if n not in EFFORT_FACTORS}
        for part in PARTS:
            for name, value in (torso if part == "torso" else arms).items():
                both = out[part].get(name, 0.0) + value
                out[part][name] = min(1.0, max(-1.0, both))
    return out


def tension_of(directing: Directing) -> BothTensions | None:
    """Tension of strokes and retractions alike, or None."""
    if directing.tension is None:
        return None
    both = Parameters(directing.tension.error_m, directing.tension.zeta)
    return BothTensions(both, both)


def directed(take: Take, directing: Directing, profile: Profile | None) -> Take:
    """The take with the direction settings applied."""
    phrase = phrase_of(directing)
    if phrase is not None:
        torso = any(
            "torso" in p.parts and set(p.factors) & set(EFFORT_FACTORS) for p in phrase.points
        )
        take = express(take, phrase=phrase, torso_effort=torso)
    tension = tension_of(directing)
    if tension is not None or directing.physics != "off":
        wanted = Expression(tension=tension, physics=directing.physics)
        return expressed(take, wanted, profile)
    return take
