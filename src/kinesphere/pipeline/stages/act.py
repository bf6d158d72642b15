"""The third stage: what is done. A plan or a voice becomes motion of the default figure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from kinesphere import __version__
from kinesphere.animation.face.face_curves import with_face
from kinesphere.animation.performance import Performed, perform_script
from kinesphere.animation.speech_cues import SpeechCues, speech_cues
from kinesphere.bodylanguage.choose.acting_times import AHEAD_S
from kinesphere.bodylanguage.choose.spoken_words import spoken_words
from kinesphere.bodylanguage.choose.word_choice import GestureKey
from kinesphere.bodylanguage.play.live_options import LiveOptions
from kinesphere.errors import InvalidValueError
from kinesphere.gesture.lexicon import extend_lexicon
from kinesphere.gesture.script_text import script_text
from kinesphere.motion.take import Take
from kinesphere.pipeline.convert import cut
from kinesphere.pipeline.stages.cast import Cast
from kinesphere.pipeline.stages.direction import Direction
from kinesphere.pipeline.stages.plan import Plan
from kinesphere.pipeline.stages.staging import Staging
from kinesphere.pipeline.stages.table_values import check_kind, check_type, check_unused
from kinesphere.pipeline.stages.utter import Utterance
from kinesphere.pipeline.stages.voice_motion import move_by_voice, segment_tiers, shown_shares
from kinesphere.speech.heard import Heard
from kinesphere.speech.value import pad_speech

_SPOKEN = ("words", "phones", "sentences")
# A first gesture that lacks more time than this gets a note.
_HURRIED_S = 0.2
_GESTURES = "pairs of GestureKey and time"


@dataclass(frozen=True, eq=False)
class Acted:
    """What is done: the result of `act`.

    Parameters
    ----------
    take : motion of the default figure, with face, voice, tiers and keys.
    strokes : start and end of the strokes as they are performed, by the gesture's index in the
        script; empty for a voice.

    Examples
    --------
    >>> import kinesphere as ks
    >>> said = ks.utter("This is huge!", ks.Cast(voice="none"))
    >>> done = ks.act(said, ks.plan(said, ks.Cast("host", seed=1)))
    >>> len(done.strokes), done.take.clip.fps
    (1, 60.0)
    """

    take: Take
    strokes: Mapping[int, tuple[float, float]] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True)
class VoiceSettings:
    """How a body follows a voice.

    Parameters
    ----------
    policy : see `LiveOptions`; ``model``, or one of the paper's baselines.
    rhythm : how strictly accents are aligned with syllables, 0 to 1; None is 1 for the model.
    delay_s : look-ahead in the recording.
    word_gestures : proportion of words with a known meaning that get a gesture of the style.
    gestures : performed in any case, with the time of each one's peak speed.

    Examples
    --------
    >>> import numpy as np
    >>> import kinesphere as ks
    >>> hum = 0.1 * np.sin(2 * np.pi * 150.0 * np.arange(16_000) / 16_000)
    >>> said = ks.Utterance.of_sound((hum, 16_000))
    >>> done = ks.act(said, voice=ks.VoiceSettings(rhythm=0.0))
    >>> [tier.name for tier in done.take.tiers]
    ['head', 'arms', 'lower']
    """

    policy: str = "model"
    rhythm: float | None = None
    delay_s: float = AHEAD_S
    word_gestures: float = 0.7
    gestures: tuple[tuple[GestureKey, float], ...] = ()

    def __post_init__(self) -> None:
        for name in ("policy", "delay_s", "word_gestures"):
            check_kind(name, getattr(self, name), getattr(VoiceSettings, name))
        if self.rhythm is not None:
            check_kind("rhythm", self.rhythm, 1.0)
        check_type("gestures", self.gestures, Sequence, _GESTURES)
        for row in self.gestures:
            check_type("gestures", row, Sequence, _GESTURES)
            if len(row) != 2 or not isinstance(row[0], GestureKey):
                raise InvalidValueError(f"a gesture is {row!r}, expected {_GESTURES}")


def act(
    utterance: Utterance,
    plan: Plan | None = None,
    cast: Cast | None = None,
    direction: Direction | None = None,
    *,
    voice: VoiceSettings | None = None,
    follow_script: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Acted:
    """Perform a plan; without one, move to the voice of an utterance with the cast's model.

    Parameters
    ----------
    utterance : what is said; an empty one for a script without speech.
    plan : gestures to perform.
    cast : its style, stance, fps, seed, rules, lexicon and model are used.
    direction : its amount is used for a voice: amplitude of the motion. The rest is for `direct`.
    voice : how a body follows the voice.
    follow_script : strokes end exactly at the script's times, also with a recording.
    progress : for a voice, called with how many samples of how many are processed.

    Raises
    ------
    InvalidValueError
        For an unknown lexeme, neither plan nor speech, or settings of a voice with a plan.

    Examples
    --------
    >>> import kinesphere as ks
    >>> said = ks.utter("This is huge!", ks.Cast(voice="none"))
    >>> done = act(said, ks.plan(said, ks.Cast("host", seed=1)))
    >>> [tier.name for tier in done.take.tiers]
    ['phases left', 'phases right', 'gestures']
    """
    staged = Staging.of(direction, cast, {})
    who, how = staged.cast, staged.direction
    check_type("the utterance", utterance, Utterance, "the result of utter")
    if plan is None:
        check_unused({"follow_script": follow_script or None}, "without a plan")
    else:
        check_type("the plan", plan, Plan, "the result of plan")
        check_unused({"voice": voice}, "with a plan; allowed without one")
    with extend_lexicon(who.own_lexemes()):
        if plan is None:
            return _act_on_voice(utterance, who, how, voice or VoiceSettings(), progress)
        done = perform_script(
            plan.script,
            cue_body(utterance, plan),
            who.performer,
            fps=who.fps,
            seed=who.seed,
            settings=who.acting_settings(follow_script=follow_script),
            exact_end=utterance.exact_end,
        )
    return add_speech(done, plan, utterance, who)


def act_beginning(utterance: Utterance, plan: Plan, cast: Cast, end_s: float) -> Acted:
    """Perform the first seconds of a long plan, with the units that end in them."""
    script, cues = plan.script, cue_body(utterance, plan)
    units = tuple(u for u in script.units if u.gestures[-1].end_s < end_s)
    count = sum(len(u.gestures) for u in units)
    first = replace(
        script,
        units=units,
        body_turns=tuple(t for t in script.body_turns if t.time_s < end_s),
        head_turns=tuple(t for t in script.head_turns if t.time_s < end_s),
    )
    if cues is not None:
        cues = replace(
            cues, gestures=cues.gestures[:count], accents=cues.accents[:count], end_s=end_s
        )
    done = perform_script(
        first, cues, cast.performer, fps=cast.fps, seed=cast.seed, settings=cast.acting_settings()
    )
    take = add_speech(done, replace(plan, script=first), utterance, cast).take
    return Acted(cut(take, 0, min(len(take.clip), round(end_s * cast.fps))))


def cue_body(utterance: Utterance, plan: Plan) -> SpeechCues | None:
    """Cues of the speech for a plan's body; None without speech."""
    heard = utterance.heard
    if heard is None:
        return None
    cues = speech_cues(
        heard.prominence, heard.speech.duration_s, plan.script, plan.anchors, utterance.questions
    )
    if not plan.pinned:
        return cues
    free = (None if i in plan.pinned else at for i, at in enumerate(cues.gestures))
    return replace(cues, gestures=tuple(free), exact=plan.pinned)


def add_speech(done: Performed, plan: Plan, utterance: Utterance, cast: Cast) -> Acted:
    """A performance with the face and the sound of its speech."""
    clip, audio, tiers = done.clip, None, list(done.tiers)
    if utterance.heard is not None:
        speech = utterance.heard.speech
        short_s = len(clip) / clip.fps - speech.duration_s
        sound = pad_speech(speech, 0.0, short_s) if short_s > 2.0 / clip.fps else speech
        clip = with_face(clip, sound, cast.seed, prominence=utterance.heard.prominence)
        audio = sound.audio
        tiers += [t for t in speech.tiers if t.name in _SPOKEN]
    documents = {"script": script_text(plan.script), "keyed": done.keyed.document()}
    about = _about(cast, style=cast.profile.name)
    if notes := [*plan.notes, *utterance.notes, *_hurry_notes(done, utterance.heard)]:
        about["notes"] = notes
    take = Take(clip, audio, tuple(tiers), documents, about)
    strokes = {a.index: (a.time.start_s, a.time.end_s) for a in done.acts}
    return Acted(take, MappingProxyType(strokes))


def _about(cast: Cast, **more: Any) -> dict[str, Any]:
    return {**more, "seed": cast.seed, "paper": cast.paper, "version": __version__}


def _hurry_notes(done: Performed, heard: Heard | None) -> list[str]:
    """A note on a first gesture without enough time."""
    if heard is None or done.hurried_s <= _HURRIED_S:
        return []
    return [
        f"the first gesture has {done.hurried_s:.2f} s less than its preparation needs and is "
        "smaller; a lead-in gives it time"
    ]


def _act_on_voice(
    utterance: Utterance,
    cast: Cast,
    direction: Direction,
    voice: VoiceSettings,
    progress: Callable[[int, int], None] | None,
) -> Acted:
    heard = utterance.heard
    check_type("voice", voice, VoiceSettings, "VoiceSettings")
    if heard is None:
        raise InvalidValueError("there is neither a plan nor a voice to act on")
    options = LiveOptions(
        speakers=cast.speakers,
        amount=direction.amount,
        delay_s=voice.delay_s,
        policy=voice.policy,
        rhythm=voice.rhythm,
        paper=cast.paper,
        word_gestures=voice.word_gestures,
        stance=cast.performer.stance,
    )
    model = cast.body_language
    words = spoken_words(heard.speech.tiers) if voice.word_gestures > 0.0 else ()
    done = move_by_voice(
        model,
        heard.speech,
        options,
        fps=cast.fps,
        seed=cast.seed,
        words=words,
        profile=cast.profile if words or voice.gestures else None,
        gestures=voice.gestures,
        progress=progress,
    )
    # A syllable's prominence needs more of the speech after it than live motion ever waits for.
    channels = {n: v for n, v in done.clip.channels.items() if n != "browUp"}
    clip = replace(done.clip, channels=channels)
    clip = with_face(clip, heard.speech, cast.seed, prominence=heard.prominence)
    tiers = [t for t in heard.speech.tiers if t.name in _SPOKEN]
    tiers += segment_tiers(model, done.changes, clip.duration_s)
    if done.gestures.intervals:
        tiers.append(done.gestures)
    whose = cast.speakers
    about = _about(
        cast,
        model=model.name,
        amount=direction.amount,
        speakers=dict(whose) if isinstance(whose, Mapping) else whose,
        policy=voice.policy,
        rhythm=voice.rhythm,
        shown_share=shown_shares(done.changes),
    )
    if utterance.notes:
        about["notes"] = list(utterance.notes)
    return Acted(Take(clip, heard.speech.audio, tuple(tiers), provenance=about))
