"""Single gestures of the lexicon as arm motion: preparation, strokes, a short hold, retraction.

Each is performed once by the engine for scripts, from the home pose and back to it, and cached:
gestures for words are then overlaid on the current motion of the arms.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinesphere.animation.performance import Performed, Performer, perform_script
from kinesphere.animation.settings import ActingSettings
from kinesphere.bodylanguage.choose.word_choice import GestureKey
from kinesphere.corpus.profiles.profile import GestureSample, Profile
from kinesphere.errors import InvalidValueError
from kinesphere.figure.arms.arm_overlay import ArmParameters, arm_poses
from kinesphere.gesture.lexicon import Lexeme, cached_by_lexicon, lexicon, suggestion
from kinesphere.gesture.script import GestureScript, Hands, ScriptGesture, ScriptUnit
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import SIDES

CLIP_FPS = 60.0
# Two-handed gestures are asymmetric: they are not mirrored.
_MIRRORED: dict[str, Hands] = {"LH": "RH"}
_MOST_CLIPS = 512


@dataclass(frozen=True)
class ClipSettings:
    """Timing of single gestures.

    Parameters
    ----------
    stroke_end_s : end of the stroke in the performed clip: late enough for any preparation.
    longest_hold_s : a word's gesture makes way for the next.
    repeat_s, most_repeats : interval and number of repeated strokes.
    rising : proportion of the stroke before which a speed peak still belongs to the preparation.
    skipped : proportion of a preparation from home that is skipped: arms start from their pose.
    """

    stroke_end_s: float = 2.0
    longest_hold_s: float = 0.45
    repeat_s: float = 0.48
    most_repeats: int = 2
    rising: float = 0.25
    skipped: float = 0.5


CLIPS = ClipSettings()


@dataclass(frozen=True, eq=False)
class GestureClip:
    """A gesture's arm motion; times are seconds from the start of its preparation.

    Parameters
    ----------
    key : which gesture.
    poses : of both arms at `CLIP_FPS`.
    acting : ``[2]`` 1 for the arms (left, right) that gesture, 0 for those that do not.
    stroke_s, peak_s, retraction_s, end_s : start of the stroke, its peak wrist speed, start and
        end of the retraction.
    """

    key: GestureKey
    poses: ArmParameters
    acting: Floats
    stroke_s: float
    peak_s: float
    retraction_s: float
    end_s: float


def gesture_clip(profile: Profile, key: GestureKey) -> GestureClip:
    """Motion of a gesture in a speaker's style; computed once, then cached.

    The left hand's is the mirror image of the right hand's.

    Raises
    ------
    InvalidValueError
        If the lexicon has no such hand gesture.
    """
    entry = lexicon().get(key.lexeme)
    if entry is None or entry.without_hands:
        raise InvalidValueError(
            f"lexeme {key.lexeme!r} is no hand gesture; near are {suggestion(key.lexeme)}"
        )
    return _clip(_Speaker(profile), key)


class _Speaker:
    """A profile that is hashed by its name and its counts."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.known = (profile.name, profile.language, len(profile.samples), profile.counts.gestures)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Speaker) and self.known == other.known

    def __hash__(self) -> int:
        return hash(self.known)


@cached_by_lexicon(_MOST_CLIPS)
def _clip(speaker: _Speaker, key: GestureKey) -> GestureClip:
    other = _MIRRORED.get(key.hands)
    if other is not None:
        return _mirror(_clip(speaker, key._replace(hands=other)), key)
    profile = speaker.profile
    written = script_gesture(profile, key, CLIPS.stroke_end_s)
    script = GestureScript((ScriptUnit((written,), "at-side"),))
    # As written, and without random timing: the caller aligns it with the word.
    made = perform_script(script, None, Performer.of(profile), fps=CLIP_FPS, settings=_settings())
    return _cut(made, key)


def _settings() -> ActingSettings:
    return ActingSettings(looseness_s=0.0)


def script_gesture(profile: Profile, key: GestureKey, end_s: float) -> ScriptGesture:
    """A gesture as in a script: the speaker's own if it has samples, else the lexicon's.

    Its stroke ends at a time. Head and shoulder gestures have no more than that.
    """
    entry = lexicon()[key.lexeme]
    if entry.without_hands:
        length = min(entry.stroke_s, end_s)
        return ScriptGesture(key.lexeme, key.hands, "stroke", stroke_end_s=end_s, stroke_s=length)
    seen = [s for s in profile.samples_of(key.lexeme, key.hands) if not s.is_hold]
    same = [s for s in seen if s.hands == key.hands]
    sample = _usual(same, entry) if same else None
    two = key.hands == "2H"
    first, last = entry.hand_distance
    if sample is not None and two:
        first, last = sample.start_distance or first, sample.end_distance or last
    strokes = profile.strokes(key.lexeme)[0] if sample is not None else entry.strokes
    repeats = min(max(round(strokes), 1), CLIPS.most_repeats + 1) - 1
    hold_s = min(entry.hold[1], CLIPS.longest_hold_s)
    return ScriptGesture(
        lexeme=key.lexeme,
        hands=key.hands,
        type="prep+stroke+hold" if hold_s > 0.0 else "prep+stroke",
        handshape=key.shape or entry.shapes[0],
        trajectory=entry.trajectory if sample is None else sample.trajectory or entry.trajectory,
        stroke_end_s=end_s,
        stroke_s=min(entry.stroke_s, end_s),
        hold_s=hold_s or None,
        after_strokes=tuple(end_s + CLIPS.repeat_s * (i + 1) for i in range(repeats)),
        start=entry.start if sample is None else sample.start,
        end=entry.end if sample is None else sample.end or entry.end,
        start_distance=first if two else None,
        end_distance=last if two else None,
    )


def _usual(samples: list[GestureSample], entry: Lexeme) -> GestureSample:
    """The sample nearest to the lexicon's form: the most recognisable one."""

    def far(sample: GestureSample) -> tuple[int, int]:
        end = sample.end or sample.start
        return sample.start.steps_to(entry.start) + end.steps_to(entry.end), sample.number

    return min(samples, key=far)


def _cut(made: Performed, key: GestureKey) -> GestureClip:
    """The gesture alone, without the rest before and after it."""
    phases = made.phases["right"].phases
    begin_s = next(p.start_s for p in phases if p.kind == "preparation")
    back = next(p for p in reversed(phases) if p.kind == "retraction")
    stroke = next(p for p in phases if p.kind == "stroke")
    clip = made.clip
    poses = arm_poses(clip.rotations, clip.world_rotations)
    sides = made.acts[0].sides
    acting = np.array([float(side in sides) for side in SIDES])
    times = np.arange(round((back.end_s - begin_s) * CLIP_FPS) + 2) / CLIP_FPS + begin_s
    speed = np.linalg.norm(np.gradient(poses.wrists, 1.0 / CLIP_FPS, axis=0), axis=-1) @ acting
    # The preparation runs into the stroke: a speed peak at the very start belongs to it.
    first_s = stroke.start_s + CLIPS.rising * (stroke.end_s - stroke.start_s)
    inside = (clip.times >= first_s) & (clip.times <= stroke.end_s)
    peak_s = float(clip.times[inside][np.argmax(speed[inside])])
    return GestureClip(
        key,
        poses.at(times * CLIP_FPS),
        acting,
        stroke.start_s - begin_s,
        peak_s - begin_s,
        back.start_s - begin_s,
        back.end_s - begin_s,
    )


def _mirror(clip: GestureClip, key: GestureKey) -> GestureClip:
    """The other hand's gesture."""
    turn = np.array([1.0, 1.0, -1.0, -1.0])
    wrists, swivels, rolls, bends, collars, fingers = (part[:, ::-1] for part in clip.poses)
    poses = ArmParameters(
        wrists * np.array([-1.0, 1.0, 1.0]),
        swivels.copy(),
        rolls.copy(),
        bends * turn,
        collars * turn,
        fingers * turn,
    )
    return GestureClip(
        key,
        poses,
        clip.acting[::-1].copy(),
        clip.stroke_s,
        clip.peak_s,
        clip.retraction_s,
        clip.end_s,
    )
