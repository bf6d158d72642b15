"""From a text, a script or an annotated passage to a take: the stages one after the other."""

from __future__ import annotations

import math
from dataclasses import replace
from os import PathLike
from typing import Any, Unpack

from kinesphere.corpus.annotation.annotation import Annotation
from kinesphere.corpus.profiles.profile import Profile
from kinesphere.gesture.script import GestureScript
from kinesphere.motion.take import Take
from kinesphere.pipeline.hear import Sound
from kinesphere.pipeline.stages.act import Acted, act
from kinesphere.pipeline.stages.cast import Cast
from kinesphere.pipeline.stages.direct import direct
from kinesphere.pipeline.stages.direction import Direction
from kinesphere.pipeline.stages.dress import dress
from kinesphere.pipeline.stages.plan import Plan, plan, plan_annotation, plan_script
from kinesphere.pipeline.stages.staging import Staging, StagingKeywords
from kinesphere.pipeline.stages.table_values import check_type, check_unused
from kinesphere.pipeline.stages.utter import Utterance, utter
from kinesphere.speech.heard import Heard

Style = str | PathLike[str] | Profile
# Keywords of the functions besides the fields of Direction and Cast.
_OWN = {
    "perform": ("direction", "cast", "speech", "lead_in_s", "tail_s", "gestures"),
    "animate": ("direction", "cast", "speech", "follow_script"),
    "recreate": ("start_s", "end_s", "direction", "cast"),
}


def perform(
    text: str | Utterance,
    style: Style | None = None,
    *,
    direction: Direction | None = None,
    cast: Cast | None = None,
    speech: Sound | Heard | None = None,
    lead_in_s: float | None = None,
    tail_s: float | None = None,
    gestures: Plan | None = None,
    **keywords: Unpack[StagingKeywords],
) -> Take:
    """Animate a character that speaks a text, with voice, gestures and face.

    The stages are `utter`, `plan`, `act`, `direct` and `dress`; each is usable alone.

    Parameters
    ----------
    text : with or without markup; or the result of `utter`, which includes speech, lead-in and
        tail.
    style : a speaker's name, a profile, or a file of one.
    direction : how it is done: Effort, Shape, manner, phrase, tension, physics, amount.
    cast : who does it: style, character, voice, language, lexicon, fps, seed.
    speech, lead_in_s, tail_s : see `utter`.
    gestures : the result of `plan`, performed as it is.
    **keywords : fields of `Direction` and `Cast`; they take precedence.

    Raises
    ------
    InvalidValueError
        For a text without words, a value that is not allowed, or one that contradicts another:
        speech, voice or silence with an utterance, an amount with gestures.
    KinesphereError
        If no voice is installed and no recording is given.

    Examples
    --------
    >>> import kinesphere as ks
    >>> take = ks.perform("This is huge!", "host", seed=1, voice="none", manner="proudly")
    >>> take.provenance["style"], take.clip.fps
    ('host', 60.0)
    """
    how, who = _stage("perform", direction, cast, style, keywords)
    silence = {"lead_in_s": lead_in_s, "tail_s": tail_s}
    if gestures is not None:
        check_type("gestures", gestures, Plan, "the result of plan")
        planned = {name: keywords.get(name) for name in ("amount", "most_likely", "generation")}
        check_unused(planned, "with gestures that are planned; give it to plan")
    if isinstance(text, Utterance):
        spoken = {name: keywords.get(name) for name in ("voice", "rate", "language")}
        check_unused({"speech": speech, **silence, **spoken}, "with an utterance; give it to utter")
        said = text
    else:
        check_type("the text", text, str, "text or the result of utter")
        said = utter(text, who, speech=speech, lead_in_s=lead_in_s, tail_s=tail_s)
    meant = plan(said, who, how) if gestures is None else gestures
    done = act(said, meant, who, how)
    about = {"made_by": "perform", "amount": how.amount}
    if said.text is not None:
        about["language"] = said.text.tagged.language
    return _finish(done, how, who, about)


def animate(
    what: GestureScript | Plan | str | PathLike[str],
    *,
    style: Style | None = None,
    direction: Direction | None = None,
    cast: Cast | None = None,
    speech: Sound | Heard | None = None,
    follow_script: bool = False,
    **keywords: Unpack[StagingKeywords],
) -> Take:
    """Make motion from a gesture script, or a file of one.

    Parameters
    ----------
    style : speaker whose torso rotation, Effort and collar bones are used.
    direction, cast, **keywords : see `perform`.
    speech : a recording; without one the script's own times are used.
    follow_script : strokes end exactly at the script's times, also with a recording.

    Examples
    --------
    >>> import kinesphere as ks
    >>> planned = ks.plan("This is huge!", ks.Cast("host", seed=1))
    >>> ks.animate(planned.script, seed=1).provenance["made_by"]
    'animate'
    """
    how, who = _stage("animate", direction, cast, style, keywords)
    planned = what if isinstance(what, Plan) else plan_script(what)
    done = act(Utterance.of_sound(speech), planned, who, how, follow_script=follow_script)
    return _finish(done, how, who, {"made_by": "animate"})


def recreate(
    annotation: str | PathLike[str] | Annotation | Plan,
    start_s: float = 0.0,
    end_s: float = math.inf,
    *,
    style: Style | None = None,
    direction: Direction | None = None,
    cast: Cast | None = None,
    **keywords: Unpack[StagingKeywords],
) -> Take:
    """Recreate an annotated passage on a character; strokes end when they were annotated.

    Parameters
    ----------
    annotation : an ANVIL or ELAN file, an annotation, or the result of `plan_annotation`.
    start_s, end_s : the passage, seconds.
    style : speaker whose torso rotation, Effort and collar bones are used.
    direction, cast, **keywords : see `perform`.

    Raises
    ------
    UnreadableError
        If the file is no annotation, or contains no gesture that can be recreated.
    InvalidValueError
        If there is none in the passage; the message says where there are some.

    Examples
    --------
    >>> import kinesphere as ks
    >>> passage = ks.plan_annotation(ks.shipped_annotation("host"), 0.0, 6.0)
    >>> ks.recreate(passage, style="host").provenance["made_by"]
    'recreate'
    """
    how, who = _stage("recreate", direction, cast, style, keywords)
    planned = annotation
    if isinstance(planned, Plan):
        passage = {"start_s": start_s or None, "end_s": None if end_s == math.inf else end_s}
        check_unused(passage, "with a plan; give it to plan_annotation")
    else:
        planned = plan_annotation(planned, start_s, end_s, who)
    done = act(Utterance(), planned, who, how, follow_script=True)
    return _finish(done, how, who, {"made_by": "recreate"})


def _stage(
    function: str,
    direction: Direction | None,
    cast: Cast | None,
    style: Style | None,
    keywords: Any,
) -> tuple[Direction, Cast]:
    given = keywords if style is None else {**keywords, "style": style}
    staged = Staging.of(direction, cast, given, function, _OWN[function])
    return staged.direction, staged.cast.resolve()


def _finish(done: Acted, direction: Direction, cast: Cast, about: dict[str, Any]) -> Take:
    """Direct and dress a performance."""
    take = replace(done.take, provenance={**about, **done.take.provenance})
    return dress(direct(take, direction, cast.profile), cast)
