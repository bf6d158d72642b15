"""Constants of the generation."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

from kinesphere.errors import InvalidValueError

PAPER_GAP_S = 1.5


@dataclass(frozen=True)
class ReturnSettings:
    """Turns of a speaker who addresses a viewer in front; durations in seconds.

    With these the head is aside by more than 20 degrees for less than a seventh of the time, as
    recorded speakers' before one listener.
    """

    first_s: float = 1.5  # the opening is for the viewer
    aside_s: tuple[float, float] = (1.4, 2.4)  # how long body and head stay aside
    rest_s: float = 13.0  # from a return to the next turn of the body
    viewer_s: tuple[float, float] = (2.0, 4.5)  # least time from a return to a look at a neighbour
    neighbour_s: tuple[float, float] = (0.9, 1.8)  # duration of such a look
    before_end_s: float = 2.5  # the last return before the end


@dataclass(frozen=True)
class TurningSettings:
    """Turns of body and head; durations in seconds.

    Parameters
    ----------
    joke_s, joke_surplus : length of a joke of a monologue without paragraphs, and the factor of it
        from which on the next sentence opens another.
    least_joke_s : a shorter joke is told to the front.
    before_joke_s, before_punch_s, before_person_s : time by which a turn precedes the words.
    front_from_s, front_after_s : a set-up that is longer than the first has a turn to the front,
        at the latest after the second.
    few_sentences : a text of so many needs no turn.
    stay_s : how long a speaker stays with an addressed person, least and most.
    back_ratio : probability of turning to the front before another person.
    gaze_s : time between two looks over the audience, least and most.
    apart_s : shortest time between two turns of the body.
    returns : returns to the viewer; None where a speaker stays aside, as the paper's do.
    """

    joke_s: float = 10.0
    joke_surplus: float = 1.3
    least_joke_s: float = 4.0
    before_joke_s: float = 0.3
    before_punch_s: float = 0.2
    before_person_s: float = 0.2
    front_from_s: float = 4.0
    front_after_s: float = 3.0
    few_sentences: int = 2
    stay_s: tuple[float, float] = (15.0, 40.0)
    back_ratio: float = 0.3
    gaze_s: tuple[float, float] = (1.6, 4.0)
    apart_s: float = 1.2
    returns: ReturnSettings | None = ReturnSettings()


@dataclass(frozen=True)
class PictureSettings:
    """How words whose meaning can be seen come before habits.

    Parameters
    ----------
    least : tags at least this picturable are offered wherever they are, also on function words and
        outside rhemes, only on their own words, and only with lexemes that show them.
    lexicon_share : ratio of the lexicon's average speaker in P(lexeme | tag) of such a tag.
    gain : of picturability when triggers are ranked, in units of the logarithm of a probability.
    likely, improbable : a lexeme below the second is not offered where another is above the first.
    head_least : tags at least this picturable may have a gesture of the head.
    head_ratio, head_beside : ratio of these that have one: where hands are still, and beside hands.
    head_apart_s : least time between two gestures of the head.
    head_after_s : end of the stroke of such a gesture after the start of its words.
    """

    least: float = 0.5
    lexicon_share: float = 0.4
    gain: float = 4.0
    likely: float = 0.1
    improbable: float = 0.02
    head_least: float = 0.3
    head_ratio: float = 0.9
    head_beside: float = 0.5
    head_apart_s: float = 1.1
    head_after_s: float = 0.25


PAPER_TURNING = TurningSettings(returns=None)
"""Turns as observed by Neff, Kipp, Albrecht and Seidel (2008)."""


@dataclass(frozen=True)
class GenerationSettings:
    """How a text becomes a script; values without a remark are those of the 2008 paper.

    Parameters
    ----------
    amount : factor of the speaker's gesture rate; 0 for no gestures at all.
    sampling : sample gestures in proportion to their probability, so that long texts have the
        speaker's frequencies; else the most probable sequence.
    keep_rate : as many gestures as the speaker has in that time (our choice).
    correction_rounds, later_rounds : when sampling, iterations that correct the weights until
        lexemes and hands are expected as often as in the speaker's profile, and as many when a
        path is sampled again; 0 for none (our choice).
    most_corrected : largest factor of a correction.
    correction_settled : relative change of all factors below which the iteration ends.
    least_expected : gestures added to expected numbers before they are compared, so that rare
        lexemes are not corrected by chance; `least_hands` is that for hands.
    lenience : gestures that a sampled path may be ahead of its expected counts at no cost.
    habitual_gestures : expected gestures, about a minute, from which on the speaker's frequencies
        count in full; in a shorter text the tags have more weight.
    least_hand_share : share of a lexeme's hand in the lexicon below which a speaker who has no
        sample of it does not use it.
    least_probability : lowest P(lexeme | tag) of a candidate.
    relaxed_probability : the same where a text offers too few for the speaker's rate (our choice).
    sampled_probability : the same when sampling (our choice).
    habit, habit_from_s : when sampling, ratio of a tag's probabilities that is the speaker's
        overall frequency, in a text of at least that length; less in a shorter one (our choice).
    meaning : when sampling, power that lowers the weight of lexemes a tag seldom triggers.
    candidate_surplus : candidates per wanted gesture below which `relaxed_probability` is used.
    focus_bonus, admission_noise : of the logarithm of a trigger's probability when triggers are
        ranked: for one on a focus, and of the random part that breaks ties.
    spacings_s : least times between triggers, tried one after the other until enough are found.
    thinning_rounds, near_enough, candidate_growth : how often triggers are added until a path has
        the wanted gestures; the ratio of them that may be missing; the factor by which more are
        added than are missing, because added ones yield fewer gestures.
    by_tag, by_previous : weights of P(l | tag) and P(l | lexeme before).
    hand_by_lexeme, hand_alone, hand_by_previous : weights of the hand's probabilities.
    unit_gap_s : units nearer than this are merged; None for the speaker's gestures per unit
        (our choice).
    least_gap_s, longest_gap_s : without `unit_gap_s`, shortest gap with a retraction, and longest
        wait without one, for any speaker.
    single_bonus_s : bonus of a border that isolates a gesture, where the speaker has more of these.
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
    least_hand_distance : of two hands in shoulder widths, written to the script.
    head_lead_s : time by which the head rotates before the body.
    after_ratio : shortest after-stroke relative to the speaker's mean.
    turning : of turns of body and head.
    pictures : words whose meaning can be seen come first (our choice); None: all compete alike.

    Examples
    --------
    >>> import kinesphere as ks
    >>> cast = ks.Cast("host", seed=1, generation=ks.GenerationSettings(amount=0.0))
    >>> len(ks.plan("This is huge!", cast).script.gestures)
    0
    """

    amount: float = 1.0
    sampling: bool = False
    keep_rate: bool = True
    correction_rounds: int = 9
    later_rounds: int = 3
    most_corrected: float = 25.0
    correction_settled: float = 0.05
    least_expected: float = 0.1
    least_hands: float = 0.5
    lenience: float = 0.5
    habitual_gestures: float = 22.0
    least_hand_share: float = 0.1
    least_probability: float = 0.1
    relaxed_probability: float = 0.02
    sampled_probability: float = 0.001
    habit: float = 0.25
    habit_from_s: float = 60.0
    meaning: float = 1.0
    candidate_surplus: float = 1.3
    focus_bonus: float = 0.5
    admission_noise: float = 0.5
    spacings_s: tuple[float, ...] = (1.0, 0.6, 0.35)
    thinning_rounds: int = 4
    near_enough: float = 0.02
    candidate_growth: float = 1.4
    by_tag: float = 0.6
    by_previous: float = 0.4
    hand_by_lexeme: float = 0.5
    hand_alone: float = 0.2
    hand_by_previous: float = 0.3
    unit_gap_s: float | None = None
    least_gap_s: float = 0.8
    longest_gap_s: float = 4.5
    single_bonus_s: float = 1.5
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
    least_hand_distance: float = 0.31
    head_lead_s: float = 0.4
    after_ratio: float = 0.75
    turning: TurningSettings = field(default_factory=TurningSettings)
    pictures: PictureSettings | None = PictureSettings()

    def __post_init__(self) -> None:
        for part in fields(self):
            value = getattr(self, part.name)
            if isinstance(value, float) and not 0.0 <= value < 1e6:
                raise InvalidValueError(f"{part.name} is {value:g}, allowed is 0 or more")
        if self.amount > 10.0:
            raise InvalidValueError(f"amount is {self.amount:g}, allowed is 0 to 10")

    @classmethod
    def as_published(cls) -> GenerationSettings:
        """Without our additions: the speaker's rate, frequencies and unit sizes are not used."""
        return cls(
            keep_rate=False,
            correction_rounds=0,
            later_rounds=0,
            unit_gap_s=PAPER_GAP_S,
            turning=PAPER_TURNING,
            pictures=None,
        )
