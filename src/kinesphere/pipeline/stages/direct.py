"""The fourth stage: how. Effort, Shape, manner, tension and physics on a take."""

from __future__ import annotations

from dataclasses import replace
from types import NoneType

from kinesphere.corpus.profiles.profile import Profile
from kinesphere.dynamics.tension import presets
from kinesphere.dynamics.tension.mass_tracker import Parameters
from kinesphere.dynamics.tension.presets import Tension
from kinesphere.errors import InvalidValueError
from kinesphere.motion.take import Take
from kinesphere.pipeline.express import express_qualities
from kinesphere.pipeline.stages.direction import Direction
from kinesphere.pipeline.stages.table_values import check_type
from kinesphere.pipeline.tense import tense

_TRACKED = ("stroke_error_m", "stroke_zeta", "retraction_error_m", "retraction_zeta")


def direct(take: Take, direction: Direction, profile: Profile | None = None) -> Take:
    """Apply Effort, Shape, manner, phrase, tension and simulation to a take.

    Parameters
    ----------
    profile : speaker whose own tension the wrists have, if physics is wanted and no tension given.

    Examples
    --------
    >>> import kinesphere as ks
    >>> still = ks.idle(1.0)
    >>> direct(still, Direction()) is still
    True
    """
    check_type("the take", take, Take, "a Take")
    check_type("direction", direction, Direction, "a Direction")
    check_type("profile", profile, (Profile, NoneType), "a Profile, such as that of a Cast")
    if not direction.is_plain:
        take = express_qualities(take, direction)
    if direction.physics == "body":
        return _simulate(take, direction.tension if direction.tension is not None else "neutral")
    if direction.physics == "wrists" or direction.tension is not None:
        own = direction.tension
        take = tense(take, own if own is not None else tension_of_speaker(profile))
    return take


def _simulate(take: Take, tension: str | float | Tension) -> Take:
    """Take on a simulated body; where that fails, the unchanged take with a note."""
    from kinesphere.pipeline.simulate import simulate  # loads MuJoCo

    try:
        return simulate(take, tension)
    except InvalidValueError as error:
        notes = [*take.notes, f"the simulation failed, motion is kinematic: {error}"]
        return replace(take, provenance={**take.provenance, "notes": notes})


def tension_of_speaker(profile: Profile | None) -> Tension | str:
    """Tension of a speaker's parameters; relaxed if there is none."""
    portrait = {} if profile is None else profile.portrait
    values = [portrait.get(name) for name in _TRACKED]
    if any(v is None or isinstance(v, str) for v in values):
        return "relaxed"
    a, b, c, d = (float(v) for v in values)  # type: ignore[arg-type]
    usual = presets.parse("neutral")
    return replace(usual, stroke=Parameters(a, b), retraction=Parameters(c, d))
