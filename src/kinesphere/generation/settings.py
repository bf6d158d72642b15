"""Constants of the generation."""

from __future__ import annotations

from dataclasses import dataclass, fields

from kinesphere.errors import InvalidValueError


@dataclass(frozen=True)
class GenerationSettings:
    """How a text becomes a script; values without a remark are those of the 2008 paper.

    Parameters
    ----------
    amount : factor of the speaker's gesture rate; 0 for no gestures at all.
    sampling : sample gestures in proportion to their probability, so that long texts have the
        speaker's frequencies; else the most probable sequence.
    paper : without our additions: the speaker's rate and gestures per unit are not used.
    least_probability : lowest P(lexeme | tag) of a candidate.
    relaxed_probability : the same where a text offers too few for the speaker's rate (our choice).
    sampled_probability : the same when sampling (our choice).
    habit, habit_from_s : when sampling, ratio of a tag's probabilities that is the speaker's
        overall frequency, in a text of at least that length; less in a shorter one (our choice).
    meaning : when sampling, power that lowers the weight of lexemes a tag seldom triggers.
    by_tag, by_previous : weights of P(l | tag) and P(l | lexeme before).
    hand_by_lexeme, hand_alone, hand_by_previous : weights of the hand's probabilities.
    unit_gap_s : units nearer than this are merged; None for the speaker's gestures per unit
        (our choice; always 1.5 with `paper`).
    preparation_from_s : shortest free time in which a gesture has a preparation.
    main_offset_s, after_offset_s : subtracted from the ends of main strokes and after-strokes.
    several_from, many_from : least mean number of strokes for after-strokes, and for delaying the
        next gesture for them (our choice).
    least_stroke_s, least_after_s : shortest main stroke and after-stroke (our choice).
    preparation_s, rest_preparation_s : durations of preparations within a unit and from rest
        (eq. 6.1); a unit also needs `retraction_s` for its retraction.
    least_hold_s, longest_hold_s : of a hold between gestures (our choice).
    near_s, far_s : time to the next unit up to which the hands are clasped, and from which on they
        are put away (our choice).
    head_lead_s : time by which the head rotates before the body.

    Examples
    --------
    >>> import kinesphere as ks
    >>> cast = ks.Cast("host", seed=1, generation=ks.GenerationSettings(amount=0.0))
    >>> len(ks.plan("This is huge!", cast).script.gestures)
    0
    """

    amount: float = 1.0
    sampling: bool = False
    paper: bool = False
    least_probability: float = 0.1
    relaxed_probability: float = 0.02
    sampled_probability: float = 0.001
    habit: float = 0.25
    habit_from_s: float = 60.0
    meaning: float = 1.0
    by_tag: float = 0.6
    by_previous: float = 0.4
    hand_by_lexeme: float = 0.5
    hand_alone: float = 0.2
    hand_by_previous: float = 0.3
    unit_gap_s: float | None = None
    preparation_from_s: float = 0.5
    main_offset_s: float = 0.3
    after_offset_s: float = 0.12
    several_from: float = 1.15
    many_from: float = 2.0
    least_stroke_s: float = 0.12
    least_after_s: float = 0.24
    preparation_s: float = 0.4
    rest_preparation_s: float = 0.8
    retraction_s: float = 0.8
    least_hold_s: float = 0.1
    longest_hold_s: float = 2.0
    near_s: float = 3.0
    far_s: float = 6.0
    head_lead_s: float = 0.4

    def __post_init__(self) -> None:
        for part in fields(self):
            value = getattr(self, part.name)
            if isinstance(value, float) and not 0.0 <= value < 1e6:
                raise InvalidValueError(f"{part.name} is {value:g}, allowed is 0 or more")
        if self.amount > 10.0:
            raise InvalidValueError(f"amount is {self.amount:g}, allowed is 0 to 10")
