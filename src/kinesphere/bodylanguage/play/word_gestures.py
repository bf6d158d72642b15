"""Gestures for words, inserted into the arm motion of a character driven by a voice.

Words come with their times: from a transcript, or live from a synthetic voice or a recogniser,
perhaps after they were spoken. Some of them trigger a gesture (`word_choice`), timed so that its
stroke is fastest on the stressed syllable, or as soon as possible; it is dropped if that would be
too late. The arms blend to it during its preparation and back during its retraction
(`arm_overlay`); head, torso and legs continue unchanged.

The result depends on the words, on when they became known, and on the seed; never on chunk
boundaries. The state is a value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from kinesphere.bodylanguage.choose import word_choice
from kinesphere.bodylanguage.choose.word_choice import GestureKey, SpokenWord, WordTrigger
from kinesphere.bodylanguage.play.gesture_clips import CLIP_FPS, CLIPS, GestureClip, gesture_clip
from kinesphere.corpus.profiles.profile import Profile
from kinesphere.errors import InvalidValueError
from kinesphere.figure.arms.arm_overlay import ArmParameters, with_arms
from kinesphere.figure.clearance import PUSH, Posed, clearance_state
from kinesphere.language.tokens import LANGUAGES, Language
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.maths.bounds import check_bounds, range_field
from kinesphere.maths.curves import hermite_ease, minimum_jerk

_ENDS = (".", "!", "?", "…", ";", ":")


@dataclass(frozen=True)
class WordSettings:
    """Settings of gestures for words.

    Parameters
    ----------
    rate : proportion of words with a known meaning that get a gesture if there is time; 0 for none.
    least_gap_s : between the strokes of two such gestures.
    most_late_s : a stroke whose peak speed would be later than this after its word is dropped.
    least_preparation_s : minimum time in which the arms are raised.
    pause_s, most_words : words are parsed together up to a pause, or up to this many.
    """

    rate: float = range_field(0.7, 0.0, 1.0)
    least_gap_s: float = range_field(3.0, 0.0, 60.0)
    most_late_s: float = range_field(0.6, 0.0, 5.0)
    least_preparation_s: float = range_field(0.36, 0.2, 2.0)
    pause_s: float = range_field(0.45, 0.1, 5.0)
    most_words: int = range_field(24, 1, 200)

    def __post_init__(self) -> None:
        check_bounds(self)


class WordGesture(NamedTuple):
    """A planned or current gesture.

    Parameters
    ----------
    begin_s, preparation_s : start and length of the preparation.
    moment_s : time of the syllable that it belongs to.
    clip : its arm motion.
    said, tag : the words, and their semantic tag.
    number : of the first of them among all.
    pushes : clearance state of the hands in the last frame.
    """

    begin_s: float
    preparation_s: float
    moment_s: float
    clip: GestureClip
    said: str
    tag: str
    number: int
    pushes: tuple[float, ...] = tuple(clearance_state(1).ravel().tolist())

    @property
    def _shift_s(self) -> float:
        return self.begin_s + self.preparation_s - self.clip.stroke_s

    @property
    def peak_s(self) -> float:
        """Time of the stroke's peak speed."""
        return self._shift_s + self.clip.peak_s

    @property
    def retraction_s(self) -> float:
        """Start of the retraction."""
        return self._shift_s + self.clip.retraction_s

    @property
    def end_s(self) -> float:
        """End of the retraction."""
        return self._shift_s + self.clip.end_s

    def sample(self, times: Floats) -> tuple[ArmParameters, Floats]:
        """Arms at times ``[n]``, and their weights, 0 to 1."""
        clip = self.clip
        rising = (times - self.begin_s) / self.preparation_s
        back_s = clip.end_s - clip.retraction_s
        falling = np.clip((times - self.retraction_s) / back_s, 0.0, 1.0)
        # The preparation is played from its middle on, the retraction slowing down; where these
        # meet the strokes, at the original pace.
        slope = self.preparation_s / (clip.stroke_s * (1.0 - CLIPS.skipped))
        share = CLIPS.skipped + (1.0 - CLIPS.skipped) * hermite_ease(rising, 0.0, slope)
        at_s = np.where(
            rising < 1.0,
            clip.stroke_s * share,
            np.minimum(times - self._shift_s, clip.retraction_s)
            + back_s * (falling - 0.5 * falling * falling),
        )
        return clip.poses.at(at_s * CLIP_FPS), minimum_jerk(rising) * (1.0 - minimum_jerk(falling))


class _Said(NamedTuple):
    """Words and gestures of one character.

    Parameters
    ----------
    words : of the current sentence.
    first_number : of the first of them among all.
    gestures : in order of time.
    """

    words: tuple[SpokenWord, ...] = ()
    first_number: int = 0
    gestures: tuple[WordGesture, ...] = ()


@dataclass(frozen=True, eq=False)
class WordsState:
    """Characters with gestures for words; made by `start`, immutable."""

    profile: Profile
    settings: WordSettings
    language: Language
    fps: float
    seeds: tuple[int, ...]
    said: tuple[_Said, ...]

    def gestures(self, character: int = 0) -> tuple[WordGesture, ...]:
        """Planned and recent gestures of a character, in order of time."""
        return self.said[character].gestures


def start(
    profile: Profile,
    fps: float,
    seeds: Sequence[int] = (0,),
    *,
    settings: WordSettings | None = None,
    language: Language = "en",
) -> WordsState:
    """State before the first word of characters with given seeds.

    Parameters
    ----------
    profile : speaker whose gestures are used.
    fps : of the frames that they are inserted into.
    """
    if language not in LANGUAGES:
        raise InvalidValueError(f"language {language!r}, allowed are {', '.join(LANGUAGES)}")
    chosen = settings or WordSettings()
    return WordsState(profile, chosen, language, fps, tuple(seeds), (_Said(),) * len(seeds))


def push_words(
    state: WordsState, words: Iterable[SpokenWord], now_s: float, character: int = 0
) -> WordsState:
    """Add words of a character, in spoken order.

    Parameters
    ----------
    words : any number, with times on the clock of the frames; they may be in the past.
    now_s : time of the first frame that is not output yet: no gesture can start before it.

    Raises
    ------
    InvalidValueError
        If a word starts before the one before it, or there is no such character.
    """
    if not 0 <= character < len(state.seeds):
        raise InvalidValueError(f"character {character}, allowed is 0 to {len(state.seeds) - 1}")
    said = state.said[character]
    before = said
    for word in words:
        last = said.words[-1] if said.words else None
        if last is not None and word.start_s < last.start_s:
            raise InvalidValueError(
                f"word {word.text!r} starts at {word.start_s:g} s, before {last.text!r} at "
                f"{last.start_s:g} s; words must be in order"
            )
        if last is not None and _closes(said.words, word, state.settings):
            said = _plan(state, said, now_s, character)
            said = _Said((word,), said.first_number + len(said.words), said.gestures)
        else:
            said = said._replace(words=(*said.words, word))
    if said is before:
        return state
    said = _plan(state, said, now_s, character)
    rows = list(state.said)
    rows[character] = said
    return replace(state, said=tuple(rows))


def with_gesture(
    state: WordsState, key: GestureKey, moment_s: float, character: int = 0
) -> WordsState:
    """Plan one more gesture, independent of words, with its stroke's peak speed at a time.

    It is delayed by gestures before it, which are not shortened, and starts no earlier than 0.
    """
    if not 0 <= character < len(state.seeds):
        raise InvalidValueError(f"character {character}, allowed is 0 to {len(state.seeds) - 1}")
    said = state.said[character]
    clip = gesture_clip(state.profile, key)
    before = [g.retraction_s for g in said.gestures if g.moment_s < moment_s]
    begin, preparation = _preparation(clip, moment_s, max([0.0, *before]), state.settings)
    made = WordGesture(begin, preparation, moment_s, clip, "", "", -1)
    gestures = tuple(sorted([*said.gestures, made], key=lambda g: g.begin_s))
    rows = list(state.said)
    rows[character] = said._replace(gestures=gestures)
    return replace(state, said=tuple(rows))


def _preparation(
    clip: GestureClip, moment_s: float, free_s: float, settings: WordSettings
) -> tuple[float, float]:
    """Start and length of the preparation of a gesture."""
    least = min(settings.least_preparation_s, clip.stroke_s)
    stroke = moment_s - (clip.peak_s - clip.stroke_s)
    begin = max(stroke - clip.stroke_s, free_s)
    return begin, max(stroke - begin, least)


def _closes(words: Sequence[SpokenWord], word: SpokenWord, settings: WordSettings) -> bool:
    """Whether a word starts another sentence than those before it."""
    last = words[-1]
    pause = word.start_s - last.end_s >= settings.pause_s
    ended = last.text.rstrip("\"')]»”").endswith(_ENDS)
    return pause or ended or len(words) >= settings.most_words


def _plan(state: WordsState, said: _Said, now_s: float, character: int) -> _Said:
    """Plan the gestures of the current sentence again, except those that have started."""
    settings, seed = state.settings, state.seeds[character]
    kept = [g for g in said.gestures if g.number < said.first_number or g.begin_s < now_s]
    if settings.rate > 0.0:
        texts = [word.text for word in said.words]
        found = word_choice.triggers(texts, state.profile, seed, said.first_number, state.language)
        for trigger in found:
            if word_choice.is_wanted(seed, said.first_number + trigger.first, settings.rate):
                made = _place(state, said, trigger, kept, now_s)
                if made is not None:
                    kept.append(made)
    return said._replace(gestures=tuple(sorted(kept, key=lambda g: g.begin_s)))


def _place(
    state: WordsState,
    said: _Said,
    trigger: WordTrigger,
    others: Sequence[WordGesture],
    now_s: float,
) -> WordGesture | None:
    """Place a gesture on its word; None if there is no time or it would be too late."""
    s = state.settings
    words = said.words[trigger.first : trigger.last + 1]
    word = max(words, key=lambda w: w.end_s - w.start_s)
    moment = word.moment_s
    if any(abs(moment - g.moment_s) < s.least_gap_s for g in others):
        return None
    if moment + s.most_late_s + (word.end_s - moment) < now_s:
        return None  # without computing the clip
    clip = gesture_clip(state.profile, trigger.key)
    free_s = max([now_s, *(g.retraction_s for g in others if g.moment_s < moment)])
    begin, preparation = _preparation(clip, moment, free_s, s)
    number = said.first_number + trigger.first
    text = " ".join(w.text for w in words)
    made = WordGesture(begin, preparation, moment, clip, text, trigger.tag, number)
    late = made.peak_s > word.end_s + s.most_late_s
    after = min((g.begin_s for g in others if g.moment_s > moment), default=np.inf)
    return None if late or made.retraction_s > after else made


def overlay_gestures(
    state: WordsState, posed: Posed, first_frame: int, amount: float = 1.0
) -> tuple[WordsState, Posed]:
    """Insert gestures into the frames of all characters.

    Parameters
    ----------
    posed : ``[characters * frames, ...]``, one character after the other; not changed.
    first_frame : number of the first frame.
    amount : amplitude of the motion; less than 1 shows less of the gestures.
    """
    characters = len(state.seeds)
    frames = len(posed.rotations) // characters
    if not frames or not any(row.gestures for row in state.said):
        return state, posed
    times = np.arange(first_frame, first_frame + frames) / state.fps
    said, out = list(state.said), posed
    for c, row in enumerate(said):
        done = []
        for gesture in row.gestures:
            inside = np.flatnonzero((times > gesture.begin_s) & (times < gesture.end_s))
            if len(inside):
                out = Posed(*(part.copy() for part in posed)) if out is posed else out
                gesture = _lay_over(
                    out, c * frames + inside, gesture, times[inside], state.fps, amount
                )
            done.append(gesture)
        said[c] = row._replace(gestures=tuple(done))
    after = state if out is posed else replace(state, said=tuple(said))
    return _without_past(after, float(times[-1])), out


def _lay_over(
    posed: Posed, rows: Ints, gesture: WordGesture, times: Floats, fps: float, amount: float
) -> WordGesture:
    """Apply a gesture to some rows, in place; return its state after them."""
    poses, shown = gesture.sample(times)
    weights = min(amount, 1.0) * shown[:, None] * gesture.clip.acting
    pushes = np.array(gesture.pushes).reshape(1, 2, PUSH)
    part = Posed(*(values[rows] for values in posed))
    part = with_arms(part, poses, weights, pushes, 1.0 / fps)
    for whole, changed in zip(posed, part, strict=True):
        whole[rows] = changed
    return gesture._replace(pushes=tuple(pushes.ravel().tolist()))


def _without_past(state: WordsState, now_s: float) -> WordsState:
    """Drop gestures that are over and that no other has to keep away from."""

    def counts(g: WordGesture) -> bool:
        return max(g.end_s, g.moment_s + state.settings.least_gap_s) >= now_s

    if all(counts(g) for row in state.said for g in row.gestures):
        return state
    rows = tuple(
        row._replace(gestures=tuple(g for g in row.gestures if counts(g))) for row in state.said
    )
    return replace(state, said=rows)
