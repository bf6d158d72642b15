"""Options of a live character."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from kinesphere.bodylanguage.choose.acting_times import ON_TIME_S
from kinesphere.bodylanguage.choose.choosing_settings import (
    LOOK_AHEAD_RULES,
    PAPER_RULES,
    ChoosingSettings,
)
from kinesphere.bodylanguage.choose.rhythm import RHYTHM
from kinesphere.bodylanguage.play.blending import BlendSettings
from kinesphere.bodylanguage.play.live_expression import LiveExpression
from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats
from kinesphere.maths.bounds import check_bounds, range_field

LONGEST_DELAY_S = 2.0
CHANGE_S = 0.4
"""Transition time of changed options: as fast as a gesture, so that nothing jumps."""
POLICIES = ("model", "random", "random-synchronised", "unsynchronised")


@dataclass(frozen=True)
class LiveOptions:
    """How characters choose and play their motion.

    Parameters
    ----------
    speakers : whose body language: a name, names with weights, or None for all alike.
    amount : amplitude of the motion: 0 only stands, 1 is as learned, up to 1.5.
    delay_s : delay of frames behind the audio. An observation is available 0.14 s after its sound,
        a pause 0.25 s later still; a delay improves the timing of the motion by as much. 0 for a
        conversation, `acting_times.ON_TIME_S` for syllables on time, `acting_times.AHEAD_S` where
        the audio is known beforehand or can wait: then hands start just before the voice, and
        retract as it ends.
    tolerance : a segment may start in a pose this many times farther away than the nearest.
    blending : see `BlendSettings`.
    policy : ``model``, or one of the paper's baselines: ``random`` (a segment at random whenever
        one ends), ``random-synchronised`` (at random, changing at syllables as the model would),
        ``unsynchronised`` (chosen by the model, but every segment runs to its end).
    rhythm : how strictly accents of hands and head are aligned with syllables in the look-ahead, 0
        for not at all. None is 1 for the model and 0 for the baselines, which ignore the speech.
    word_gestures : proportion of words with a known meaning that get a gesture, if words are
        pushed; 0 for none.
    paper : equations and blending as published, without smoothed velocity.
    expression : Effort and Shape, as far as they work live.
    idle : the character's own weight shifts beside those of the model, 0 to 1; without a trained
        lower body, and while listening, they are there in any case.
    stance : restlessness of the stance, from 0 (still) to 1; fixed when a character starts.

    Examples
    --------
    >>> import kinesphere as ks
    >>> ks.LiveOptions(speakers={"host": 2.0, "critic": 1.0}, amount=0.5).delay_s
    0.0
    """

    speakers: str | Mapping[str, float] | None = None
    amount: float = range_field(1.0, 0.0, 1.5)
    delay_s: float = range_field(0.0, 0.0, LONGEST_DELAY_S)
    tolerance: float = range_field(1.4, 1.0, 10.0)
    blending: BlendSettings = field(default_factory=BlendSettings)
    policy: str = "model"
    rhythm: float | None = range_field(None, 0.0, 1.0)
    paper: bool = False
    idle: float = range_field(0.0, 0.0, 1.0)
    stance: float = range_field(0.5, 0.0, 1.0)
    word_gestures: float = range_field(0.7, 0.0, 1.0)
    expression: LiveExpression = field(default_factory=LiveExpression)

    def __post_init__(self) -> None:
        check_bounds(self)
        if self.policy not in POLICIES:
            raise InvalidValueError(f"policy {self.policy!r}, allowed are {', '.join(POLICIES)}")

    @property
    def choosing(self) -> ChoosingSettings:
        """Settings of the choice of segments; rhythm needs look-ahead, which the paper lacks."""
        usual = 1.0 if self.policy == "model" else 0.0
        rhythm = usual if self.rhythm is None else self.rhythm
        without = self.paper or self.delay_s <= ON_TIME_S
        return ChoosingSettings(
            speakers=self.speakers,
            policy=self.policy,
            tolerance=self.tolerance,
            strictness=0.0 if without else RHYTHM.strict * rhythm,
            pace=self.expression.pace,
            rules=PAPER_RULES if self.paper else LOOK_AHEAD_RULES,
        )

    @property
    def transition_numbers(self) -> Floats:
        """Settings of transitions between segments, as kernel arguments."""
        blending = replace(self.blending, soft_s=0.0) if self.paper else self.blending
        return blending.numbers(self.expression.softness)


class OptionsTransition(NamedTuple):
    """Current options, those before they were last changed, and when that was."""

    now: LiveOptions
    before: LiveOptions
    since_s: float
