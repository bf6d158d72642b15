"""From a text, a script or an annotated passage to a take: the main task of the project."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

import numpy as np

from kinesphere import __version__
from kinesphere.animation.face.face_curves import with_face
from kinesphere.animation.performance import Performed, Performer, perform_script
from kinesphere.animation.settings import ActingSettings
from kinesphere.animation.speech_cues import SpeechCues, speech_cues
from kinesphere.corpus.profiles.profile import Profile
from kinesphere.dynamics.tension import presets
from kinesphere.dynamics.tension.mass_tracker import Parameters
from kinesphere.dynamics.tension.presets import Tension
from kinesphere.errors import InvalidValueError
from kinesphere.evaluation.gesture_timing import Stroke
from kinesphere.evaluation.performed import PerformedTake
from kinesphere.generation.generate import Generated
from kinesphere.generation.settings import GenerationSettings
from kinesphere.gesture.lexicon import Lexeme, added_lexemes
from kinesphere.gesture.script import GestureScript
from kinesphere.gesture.script_text import read_script, script_text
from kinesphere.language.tagging import ParsedText
from kinesphere.motion.take import Take
from kinesphere.pipeline.express import express
from kinesphere.pipeline.hear import Sound, hear, with_silence
from kinesphere.pipeline.retarget import retarget
from kinesphere.pipeline.scripts import Spoken, heard_text, parsed_text, script, spoken_text
from kinesphere.pipeline.speakers import speaker
from kinesphere.pipeline.tense import tense
from kinesphere.speech.heard import Heard
from kinesphere.speech.value import Speech, joined, padded
from kinesphere.speech.voices.voice import LONGEST_TEXT, best_voice, load_voice, sentences_in

PHYSICS = ("off", "wrists", "body")
# Silence before a synthetic voice, in which the hands can start, and after its end.
LEAD_S, TAIL_S = 0.6, 1.4
_VOICES = {"en": "en-us", "de": "de"}
# A first gesture that lacks more time than this gets a note.
_HURRIED_S = 0.2
# Most characters that a voice speaks at once.
_PART = 20_000


@dataclass(frozen=True)
class Expression:
    """Changes applied to a performance; empty for none.

    Parameters
    ----------
    effort, shape, manner : see `pipeline.express`.
    tension : see `pipeline.tense`; for the wrists, or the joints of a simulated body.
    physics : ``off``, ``wrists`` (point masses on springs), ``body`` (a simulated body).
    """

    effort: str | Mapping[str, float] = ""
    shape: str | Mapping[str, float] = ""
    manner: str = ""
    tension: str | float | Tension | None = None
    physics: str = "off"

    def __post_init__(self) -> None:
        if self.physics not in PHYSICS:
            raise InvalidValueError(f"physics {self.physics!r}, allowed are {', '.join(PHYSICS)}")
        if isinstance(self.tension, str):
            presets.parse(self.tension)
        elif isinstance(self.tension, float | int):
            presets.tension(self.tension)


@dataclass(frozen=True, eq=False)
class Said:
    """A text with its audio and speech analysis, and its gestures if they are chosen.

    `exact_end`: the performance ends with the audio, even if the hands still move.
    """

    spoken: Spoken
    heard: Heard
    plan: Generated | None = None
    exact_end: bool = False


def perform(
    text: str | Said,
    style: str | PathLike[str] | Profile = "neutral",
    *,
    language: str | None = None,
    speech: Sound | Heard | None = None,
    voice: str | None = None,
    rate: float = 1.0,
    lead_in_s: float | None = None,
    tail_s: float | None = None,
    seed: int = 0,
    amount: float = 1.0,
    most_likely: bool = False,
    effort: str | Mapping[str, float] = "",
    shape: str | Mapping[str, float] = "",
    manner: str = "",
    tension: str | float | Tension | None = None,
    physics: str = "off",
    character: str | PathLike[str] | None = None,
    fps: float = 60.0,
    paper: bool = False,
    settings: ActingSettings | None = None,
    generation: GenerationSettings | None = None,
    entries: Mapping[str, Lexeme] | None = None,
) -> Take:
    """Animate a character that speaks a text, with voice, gestures and face.

    Parameters
    ----------
    text : with or without markup; or a result of `said_text`, which includes language, speech,
        voice, rate, lead-in and tail. One that has a plan is performed as planned.
    style : a speaker's name, a profile, or a file of one.
    language : ``en`` or ``de``; detected by default.
    speech : a recording of the text instead of a synthetic voice: a file, ``(samples, rate_hz)``
        or `Audio`, a `Speech` or a speech analysis. Its words are aligned to the audio, unless it
        contains their times. A voice or a rate together with it is an error.
    voice, rate : which synthetic voice (see `speech.voices.voice.load_voice`), and its tempo.
    lead_in_s : silence before the speech, in which the hands can start; by default 0.6 s before a
        synthetic voice, none before a recording.
    tail_s : silence after the speech, after which the clip ends even if the hands still move; by
        default as long as they need to come to rest.
    seed : random seed; the same seed gives the same performance.
    amount : factor on the speaker's gesture rate; 0 for none.
    most_likely : the most likely gestures instead of random samples.
    effort, shape, manner : see `express`.
    tension, physics : see `tense`; ``off``, ``wrists`` or ``body``.
    character : a file, or None for the default character.
    fps : frames per second.
    paper : the rules of the 2008 paper, also where recorded speakers differ.
    settings, generation : every constant of the engine and of the script's generation.
    entries : user-defined gestures by name, as from `gesture.lexicon.read_lexemes`.

    Raises
    ------
    InvalidValueError
        For a text without words, or a value that is not allowed.
    KinesphereError
        If no voice is installed and no recording is given.
    """
    wanted = Expression(effort, shape, manner, tension, physics)
    profile = speaker(style)
    with added_lexemes(entries):
        said = text
        if not isinstance(said, Said):
            said = said_text(said, language, speech, voice, rate, lead_in_s, tail_s)
        made = said.plan or script(
            said.spoken,
            profile,
            seed=seed,
            amount=amount,
            most_likely=most_likely,
            settings=generation,
        )
    about = {
        "made_by": "perform",
        "style": profile.name,
        "seed": seed,
        "amount": amount,
        "language": said.spoken.tagged.language,
        "paper": paper,
    }
    return _take(
        made.script,
        cues_of(said, made),
        said.heard,
        profile,
        wanted,
        seed=seed,
        fps=fps,
        about=about,
        settings=_settings(settings, paper),
        entries=entries,
        character=character,
        exact_end=said.exact_end,
        notes=said.spoken.notes,
    )


def performed_take(
    text: str,
    style: str | Profile = "neutral",
    *,
    seed: int = 0,
    fps: float = 60.0,
    settings: ActingSettings | None = None,
) -> PerformedTake:
    """Perform a text for `evaluation.performed`."""
    profile = speaker(style)
    said = said_text(text)
    made = script(said.spoken, profile, seed=seed)
    cues = cues_of(said, made)
    done = perform_script(
        made.script, cues, Performer.of(profile), fps=fps, seed=seed, settings=settings
    )
    moments = [cues.cue(act.index)[0] for act in done.acts]
    main = [act.time for act in done.acts]
    return PerformedTake(
        done.clip,
        cues.phrases,
        cues.peaks,
        [Stroke(t.start_s, t.peak_s, t.end_s) for t in main],
        np.array([np.nan if m is None else m for m in moments]),
        [act.gesture.hands for act in done.acts],
        done.homes,
    )


def _settings(settings: ActingSettings | None, paper: bool, follow: bool = False) -> ActingSettings:
    s = settings or ActingSettings()
    return replace(s, paper=s.paper or paper, follow_script=s.follow_script or follow)


def said_text(
    text: str,
    language: str | None = None,
    speech: Sound | Heard | None = None,
    voice: str | None = None,
    rate: float = 1.0,
    lead_in_s: float | None = None,
    tail_s: float | None = None,
) -> Said:
    """Speak a text, or align its words to a recording, and analyse it; see `perform`.

    Raises
    ------
    InvalidValueError
        If `speech` is not audio, or a voice or rate is given together with it.
    """
    parsed = parsed_text(text, language)
    if speech is None:
        heard = hear(voiced(parsed, None, voice, rate, lead_in_s, tail_s))
    elif voice is not None or rate != 1.0:
        given = f"voice {voice!r}" if voice is not None else f"rate {rate:g}"
        raise InvalidValueError(
            f"{given} given with a recording, allowed is a voice or a recording"
        )
    elif isinstance(speech, Heard):
        heard = speech
    else:
        known = isinstance(speech, Speech) and speech.words.intervals
        heard = hear(speech) if known else heard_text(speech, parsed)
    if speech is not None and (lead_in_s or tail_s):
        heard = with_silence(heard, lead_in_s or 0.0, tail_s or 0.0)
    return Said(spoken_text(parsed, language, heard), heard, exact_end=tail_s is not None)


def voiced(
    text: str | ParsedText,
    language: str | None = None,
    voice: str | None = None,
    rate: float = 1.0,
    lead_in_s: float | None = None,
    tail_s: float | None = None,
) -> Speech:
    """Speak a text, with or without markup, with a synthetic voice; short silences around it."""
    parsed = parsed_text(text, language)
    length = len(parsed.text)
    if length > LONGEST_TEXT:
        raise InvalidValueError(
            f"the text has {length} characters, allowed are {LONGEST_TEXT}; perform it in parts"
        )
    speaking = best_voice() if voice is None else load_voice(voice)
    code = _VOICES[parsed.language]
    known = speaking.languages()
    if known and code not in known:
        code = next((k for k in known if k.startswith(parsed.language)), known[0])
    parts = [speaking.speak(part, code, rate=rate) for part in _parts(parsed.text)]
    text = parts[0].text if len(parts) == 1 else parsed.text
    before_s = LEAD_S if lead_in_s is None else lead_in_s
    return joined(parts, text, before_s, TAIL_S if tail_s is None else tail_s)


def _parts(text: str) -> list[str]:
    """Text in parts that a voice can speak at once, whole sentences each."""
    if len(text) <= _PART:
        return [text]
    out: list[str] = []
    start = last = 0
    for span in sentences_in(text):
        if span.end - start > _PART and last > start:
            out.append(text[start:last])
            start = last
        last = span.end
    out.append(text[start:])
    return [part for part in out if part.strip()]


def cues_of(said: Said, made: Generated) -> SpeechCues:
    """Speech data for the body, with the syllables of a generated script's gestures."""
    times = said.spoken.times
    words: list[tuple[float, float] | None] = []
    for unit in made.planned:
        for p in unit:
            c = p.frame.candidate
            words.append((times[c.first][0], times[c.last][1]))
    speech = said.heard.speech
    return speech_cues(
        said.heard.prominence, speech.duration_s, made.script, words, _questions(speech)
    )


def _questions(speech: Speech) -> list[float]:
    return [i.end_s for i in speech.sentences if "?" in i.label[-3:]]


def animate(
    what: GestureScript | str | PathLike[str],
    *,
    speech: Sound | Heard | None = None,
    style: str | PathLike[str] | Profile = "neutral",
    seed: int = 0,
    effort: str | Mapping[str, float] = "",
    shape: str | Mapping[str, float] = "",
    manner: str = "",
    tension: str | float | Tension | None = None,
    physics: str = "off",
    character: str | PathLike[str] | None = None,
    fps: float = 60.0,
    paper: bool = False,
    follow_script: bool = False,
    settings: ActingSettings | None = None,
    entries: Mapping[str, Lexeme] | None = None,
) -> Take:
    """Make motion from a gesture script, or a file of one.

    Parameters
    ----------
    speech : a recording; without one the script's own times are used.
    style : speaker whose torso rotation, Effort and collar bones are used.
    follow_script : strokes end exactly at the script's times, also with a recording.
    """
    wanted = Expression(effort, shape, manner, tension, physics)
    profile = speaker(style)
    made = what if isinstance(what, GestureScript) else read_script(what)
    heard = None if speech is None else speech if isinstance(speech, Heard) else hear(speech)
    cues = None
    if heard is not None:
        cues = speech_cues(
            heard.prominence, heard.speech.duration_s, made, (), _questions(heard.speech)
        )
    about = {"made_by": "animate", "style": profile.name, "seed": seed, "paper": paper}
    return _take(
        made,
        cues,
        heard,
        profile,
        wanted,
        seed=seed,
        fps=fps,
        about=about,
        settings=_settings(settings, paper, follow_script),
        entries=entries,
        character=character,
    )


def _take(
    made: GestureScript,
    cues: SpeechCues | None,
    heard: Heard | None,
    profile: Profile,
    wanted: Expression,
    *,
    seed: int,
    fps: float,
    about: Mapping[str, Any],
    settings: ActingSettings,
    entries: Mapping[str, Lexeme] | None,
    character: str | PathLike[str] | None,
    exact_end: bool = False,
    notes: Sequence[str] = (),
) -> Take:
    """Perform, add the face, apply expression, retarget to a character."""
    with added_lexemes(entries):
        done = perform_script(
            made,
            cues,
            Performer.of(profile),
            fps=fps,
            seed=seed,
            settings=settings,
            exact_end=exact_end,
        )
    take = take_of(done, made, heard, seed)
    take = replace(take, provenance={**about, "version": __version__, **_noted(done, heard, notes)})
    take = expressed(take, wanted, profile)
    return take if character is None else retarget(take, character)


def _noted(
    done: Performed, heard: Heard | None, before: Sequence[str] = ()
) -> dict[str, list[str]]:
    """Notes of a take: on its text and recording, and on a first gesture without enough time."""
    notes = list(before)
    if heard is None:
        return {"notes": notes} if notes else {}
    notes += heard.speech.provenance.get("notes", ())
    if done.hurried_s > _HURRIED_S:
        notes.append(
            f"the first gesture has {done.hurried_s:.2f} s less than its preparation needs and is "
            "smaller; a lead-in gives it time"
        )
    return {"notes": notes} if notes else {}


def take_of(
    done: Performed, made: GestureScript, heard: Heard | None = None, seed: int = 0
) -> Take:
    """Take of a performance, with the face of its speech."""
    clip = done.clip
    tiers = list(done.tiers)
    audio = None
    if heard is not None:
        speech = heard.speech
        short = len(clip) / clip.fps - speech.duration_s
        sound = padded(speech, 0.0, short) if short > 2.0 / clip.fps else speech
        clip = with_face(clip, sound, seed, prominence=heard.prominence)
        audio = sound.audio
        tiers += [t for t in speech.tiers if t.name in ("words", "phones", "sentences")]
    documents = {"script": script_text(made), "keyed": done.keyed.document()}
    return Take(clip, audio, tuple(tiers), documents)


def expressed(take: Take, wanted: Expression, profile: Profile | None = None) -> Take:
    """Apply Effort, Shape, manner, tension and simulation to a performed take."""
    if wanted.effort or wanted.shape or wanted.manner:
        take = express(take, effort=wanted.effort, shape=wanted.shape, manner=wanted.manner)
    if wanted.physics == "body":
        return _simulated(take, wanted.tension if wanted.tension is not None else "neutral")
    if wanted.physics == "wrists" or wanted.tension is not None:
        chosen = wanted.tension if wanted.tension is not None else own_tension(profile)
        take = tense(take, chosen)
    return take


def _simulated(take: Take, tension: str | float | Tension) -> Take:
    """Take on a simulated body; where that fails, the unchanged take with a note."""
    from kinesphere.pipeline.simulate import simulate

    try:
        return simulate(take, tension)
    except InvalidValueError as error:
        notes = [*take.notes, f"the simulation failed, motion is kinematic: {error}"]
        return replace(take, provenance={**take.provenance, "notes": notes})


def own_tension(profile: Profile | None) -> Tension | str:
    """Tension of a speaker's parameters; relaxed if there is none."""
    portrait = {} if profile is None else profile.portrait
    names = ("stroke_error_m", "stroke_zeta", "retraction_error_m", "retraction_zeta")
    values = [portrait.get(name) for name in names]
    if any(v is None or isinstance(v, str) for v in values):
        return "relaxed"
    a, b, c, d = (float(v) for v in values)  # type: ignore[arg-type]
    usual = presets.parse("neutral")
    return replace(usual, stroke=Parameters(a, b), retraction=Parameters(c, d))
