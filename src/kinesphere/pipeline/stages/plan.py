"""The second stage: what is meant. An utterance becomes a gesture script with reasons."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Unpack

from kinesphere.corpus.annotation.annotation import HANDEDNESS, Annotation
from kinesphere.corpus.annotation.reading import read_annotation
from kinesphere.corpus.profiles.profile import Profile
from kinesphere.errors import InvalidValueError, UnreadableError
from kinesphere.formats.problems import Problem
from kinesphere.generation.generate import DONE, Generated, Reason, generate
from kinesphere.generation.recreation import is_within, recreate_script
from kinesphere.gesture.lexicon import extend_lexicon
from kinesphere.gesture.script import GestureScript
from kinesphere.gesture.script_text import read_script
from kinesphere.pipeline.stages.cast import SILENT, Cast
from kinesphere.pipeline.stages.direction import Direction
from kinesphere.pipeline.stages.staging import Staging, StagingKeywords
from kinesphere.pipeline.stages.table_values import check_type
from kinesphere.pipeline.stages.timed_text import TimedText
from kinesphere.pipeline.stages.utter import Utterance, utter


@dataclass(frozen=True)
class Trigger:
    """The words that triggered a gesture.

    Parameters
    ----------
    words, tag : the words, and the semantic tag that they carry; empty if the author set it.
    probability : P(lexeme | tag); None if the author set it.
    start_s, end_s : time of the words during which it is performed.

    Examples
    --------
    >>> import kinesphere as ks
    >>> trigger = ks.plan("This is huge!", ks.Cast("host", seed=1)).triggers[0]
    >>> trigger.words, trigger.tag
    ('huge', 'LARGE')
    """

    words: str
    tag: str
    probability: float | None
    start_s: float
    end_s: float


@dataclass(frozen=True)
class Plan:
    """What is meant: the result of `plan`.

    Parameters
    ----------
    script : the gestures.
    anchors : for each gesture the time of its words, or None; without any, syllables are searched
        near the ends of the strokes.
    pinned : gestures, by index, that keep the script's times exactly.
    triggers : for each gesture of a text what triggered it.
    reasons : why gestures are performed or omitted (`explain`).
    notes, problems : messages on what an annotation lacks, and errors in its file.

    Examples
    --------
    >>> import kinesphere as ks
    >>> planned = ks.plan("This is huge!", ks.Cast("host", seed=1))
    >>> planned.triggers[0].words, planned.script.gestures[0].lexeme
    ('huge', 'BigSpan')
    """

    script: GestureScript
    anchors: tuple[tuple[float, float] | None, ...] = ()
    pinned: frozenset[int] = frozenset()
    triggers: tuple[Trigger, ...] = ()
    reasons: tuple[Reason, ...] = ()
    notes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def plan(
    utterance: Utterance | str,
    cast: Cast | str | PathLike[str] | Profile | None = None,
    direction: Direction | None = None,
    **keywords: Unpack[StagingKeywords],
) -> Plan:
    """Choose gestures for an utterance in a speaker's style.

    Parameters
    ----------
    utterance : the result of `utter`; or a text, whose words are then timed at a constant rate.
    cast : its style, seed, lexicon and settings of the generation are used; or a style alone.
    direction : its amount is used: factor on the speaker's gesture rate.
    **keywords : fields of `Direction` and `Cast`; they take precedence.

    Raises
    ------
    InvalidValueError
        For an utterance without text.

    Examples
    --------
    >>> made = plan("This is huge!", Cast(style="host", seed=1))
    >>> [gesture.lexeme for gesture in made.script.gestures]
    ['BigSpan']
    """
    given = cast if cast is None or isinstance(cast, Cast) else Cast(cast)
    staged = Staging.of(direction, given, keywords, "plan", ("cast", "direction"))
    who, how = staged.cast, staged.direction
    if isinstance(utterance, str):
        utterance = utter(utterance, Cast(voice=SILENT, language=who.language, lexicon=who.lexicon))
    check_type("the utterance", utterance, Utterance, "a text or the result of utter")
    if utterance.text is None:
        raise InvalidValueError("a recording without text has no words to plan gestures for")
    with extend_lexicon(who.own_lexemes()):
        settings = who.generation_settings(how.amount)
        made = generate(utterance.text.graph, who.profile, settings, who.seed)
        triggers = _triggers(made, utterance.text)
    anchors = tuple((t.start_s, t.end_s) for t in triggers)
    return Plan(made.script, anchors, triggers=triggers, reasons=made.reasons)


def plan_script(what: GestureScript | str | PathLike[str]) -> Plan:
    """A gesture script, or a file of one, as a plan.

    Examples
    --------
    >>> import kinesphere as ks
    >>> ks.write_script(ks.plan("This is huge!", ks.Cast("host", seed=1)).script, "talk.script")
    >>> ks.plan_script("talk.script").script.gestures[0].lexeme
    'BigSpan'
    """
    return Plan(what if isinstance(what, GestureScript) else read_script(what))


def plan_annotation(
    source: str | PathLike[str] | Annotation,
    start_s: float = 0.0,
    end_s: float = math.inf,
    cast: Cast | None = None,
) -> Plan:
    """Gestures of an annotated passage as they were performed.

    Raises
    ------
    UnreadableError
        If the file is no annotation, or contains no gesture that can be recreated.
    InvalidValueError
        If there is none in the passage; the message says where there are some.

    Examples
    --------
    >>> import kinesphere as ks
    >>> found = ks.annotate(ks.perform("This is huge!", "host", seed=1, voice="none"))
    >>> passage = ks.plan_annotation(found.annotation)  # or a file
    >>> [gesture.lexeme for gesture in passage.script.gestures]
    ['BigSpan']
    """
    problems: tuple[Problem, ...] = ()
    annotation, name = source, "the annotation"
    if not isinstance(annotation, Annotation):
        name = str(source)
        annotation, problems = read_annotation(annotation)
    if not annotation.units:
        raise UnreadableError(name, "contains no gesture that can be recreated")
    with extend_lexicon((cast or Cast()).own_lexemes()):
        made, notes = recreate_script(annotation, start_s, end_s)
    if not made.units:
        raise InvalidValueError(f"{name}: {_nothing(annotation, start_s, end_s)}")
    return Plan(made, notes=tuple(notes), problems=tuple(problems))


def _triggers(made: Generated, text: TimedText) -> tuple[Trigger, ...]:
    graph, times = text.graph, text.times
    known = {(r.words, r.lexeme): r.probability for r in made.reasons if r.outcome == DONE}
    rows = []
    for planned in (p for unit in made.planned for p in unit):
        c = planned.frame.candidate
        words = graph.text(*c.trigger)
        rows.append(
            Trigger(words, c.tag, known.get((words, c.lexeme)), times[c.first][0], times[c.last][1])
        )
    return tuple(rows)


def _nothing(annotation: Annotation, start_s: float, end_s: float) -> str:
    """Why nothing of a passage can be recreated, and what is allowed."""
    upto = "the end" if math.isinf(end_s) else f"{end_s:g} s"
    passage = f"from {start_s:g} s to {upto}"
    inside = [g for g in annotation.gestures if is_within(g, start_s, end_s)]
    if not inside:
        times = [g.start_s for g in annotation.gestures]
        return (
            f"there is no gesture {passage}; it has {len(times)}, the first at {min(times):g} s, "
            f"the last at {max(times):g} s"
        )
    handless = sum(g.hands is None for g in inside)
    count = f"none of {len(inside)} gestures {passage} can be recreated"
    if not handless:
        return f"{count}: they have neither stroke nor hold; allowed are gestures with one of them"
    return f"{count}: {handless} have no 'handedness', allowed are {', '.join(HANDEDNESS)}"


def explain(reasons: Sequence[Reason]) -> str:
    """Table of the reasons of gestures: words, gesture, its time, why it won, what it displaced.

    Examples
    --------
    >>> import kinesphere as ks
    >>> planned = ks.plan("This is huge!", ks.Cast("host", seed=1))
    >>> ks.explain(planned.reasons).split()[:6]
    ['+', '0.80', 's', 'huge', 'LARGE', 'BigSpan']
    """
    return "\n".join(_explain_one(r) for r in reasons)


def _explain_one(r: Reason) -> str:
    rivals = sorted(r.rivals, key=lambda row: -row[1])[:3]
    what = f"{r.lexeme} {r.hands}".strip()
    said = [] if r.at_s is None else [f"stroke ends at {r.at_s:.2f} s"]
    said += [] if r.outcome == DONE else [r.outcome]
    said += [f"picturable {r.picturable:.2f}"] if r.picturable else []
    said += ["over " + ", ".join(f"{name} {p:.2f}" for name, p in rivals)] if rivals else []
    said += ["displaced " + ", ".join(repr(w) for w in r.displaced)] if r.displaced else []
    return (
        f"{'+' if r.outcome == DONE else ' '} {r.time_s:7.2f} s  {r.words[:28]:28} "
        f"{r.tag or 'author':14} {what:22} {r.probability:.2f}  {'; '.join(said)}"
    ).rstrip()
