"""Every constant of the generation, in one place."""

from __future__ import annotations

from dataclasses import dataclass, fields

from kinesphere.errors import InvalidValueError


@dataclass(frozen=True)
class GenerationSettings:
    """How a text becomes a script; numbers without a word on them are the 2008 paper's.

    Parameters
    ----------
    amount : scales the speaker's gesture rate; 0 for no gestures at all.
    sampling : draw gestures in proportion to their probability, so that long texts keep the
        speaker's frequencies; else the most likely sequence.
    paper : leave out what we add: the speaker's rate and unit sizes are not kept.
    least_probability : of a lexeme given a tag, to become a candidate.
    relaxed_probability : the same where a text offers too little for the speaker's rate (ours).
    sampled_probability : the same when sampling (ours).
    habit, habit_from_s : when sampling, share of what any word triggers that is the speaker's habit
        instead of the word's meaning, in a text of so many seconds; less in a shorter one (ours).
    meaning : when sampling, power by which lexemes that a tag seldom triggers weigh less (ours).
    by_tag, by_previous : weights of P(l | tag) and P(l | lexeme before).
    hand_by_lexeme, hand_alone, hand_by_previous : weights of the hand's probabilities.
    unit_gap_s : units nearer than this are merged; None for as many gestures a unit as the speaker
        has (ours; always 1.5 with `paper`).
    preparation_from_s : free time from which on a gesture has a preparation.
    main_offset_s, after_offset_s : taken off the ends of main strokes and after-strokes.
    several_from, many_from : mean strokes from which on there are after-strokes, and from which on
        a gesture that follows makes room for them (ours).
    least_stroke_s, least_after_s : shortest main stroke and after-stroke (ours).
    preparation_s, rest_preparation_s : lengths of preparations within a unit and from rest
        (eq. 6.1); a unit also needs `retraction_s` to get home.
    least_hold_s, longest_hold_s : of a hold between gestures (ours).
    near_s, far_s : to the next unit; up to the one the hands are clasped, from the other on they
        are put away (ours).
    head_lead_s : time by which the head turns before the body.
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
