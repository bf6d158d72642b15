"""The animation engine: a gesture script becomes the motion of a body.

Poses of every gesture are solved on the body at its time (`gesture_poses`), strokes get their times
(`stroke_timing`), the motion between them is added (`choreography`), events become tracks
(`hand_tracks`), the trunk, head and eyes follow (`body_motion`, `gaze`), hands are kept out of the
body and of each other (`clearance`), and tracks become a clip (`posing`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from kinesphere.animation.arms.choreography import choreograph
from kinesphere.animation.arms.clearance import cleared
from kinesphere.animation.arms.gesture_poses import Asked, sides_of, solved_poses, varied_fingers
from kinesphere.animation.arms.hand_events import SHOWN, Act, Event, Poses, distance
from kinesphere.animation.arms.hand_pose import HandPose
from kinesphere.animation.arms.hand_sampling import sampled_hand, with_collar
from kinesphere.animation.arms.hand_tracks import hand_tracks
from kinesphere.animation.arms.rest_hands import rest_poses
from kinesphere.animation.arms.stroke_timing import Timed, stroke_times
from kinesphere.animation.body_motion import (
    body_motion,
    chest_frames,
    posture_tracks,
    shoulder_steps,
    turn_tracks,
)
from kinesphere.animation.head.conversation import head_cues
from kinesphere.animation.head.head_motion import head_motion
from kinesphere.animation.keyed_body import keyed_motion
from kinesphere.animation.posing import HeadTurns, posed
from kinesphere.animation.settings import ActingSettings
from kinesphere.animation.speech_cues import SpeechCues
from kinesphere.corpus.profiles.profile import Profile
from kinesphere.errors import InvalidValueError
from kinesphere.gesture.lexicon import HAND_SHAPES, Lexeme, lexicon, suggestion, variant
from kinesphere.gesture.phases import ArmPhases, Phase
from kinesphere.gesture.script import GestureScript, ScriptGesture
from kinesphere.maths.arrays import Bools, Floats
from kinesphere.motion.body.arms import SIDES, Side
from kinesphere.motion.clip import Clip
from kinesphere.motion.keyed.keyed_motion import KeyedMotion
from kinesphere.motion.keyed.tracks import DofTrack
from kinesphere.timeline import Interval, Tier

# Gestures without a lexeme, as in annotations, are performed like this one.
_NONE, _UNNAMED = "none", "Beat"
LONGEST_S = 6.0 * 3600.0
"""Longest duration of a performance."""
_SKIN, _HANDS = ("chest", "temple"), ("palms", "interlaced", "finger")
_ACCENT_EFFORT = 0.5
_TAIL_S = 0.5
_ABOUT_S = 0.1  # around a contact


@dataclass(frozen=True)
class Performer:
    """Parameters of a speaker that the body needs.

    Parameters
    ----------
    body_yaw, head_yaw : rotation for a turn to a side, radians.
    collar_gain : factor of the collar bones' part in reaching.
    effort : Space, Weight, Time, Flow that are added to every gesture.
    swivel : added to the elbow's swivel, radians: a trait of a speaker.
    """

    body_yaw: float = np.radians(20.0)
    head_yaw: float = np.radians(32.0)
    collar_gain: float = 1.0
    effort: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    swivel: float = 0.0

    @classmethod
    def of(cls, profile: Profile) -> Performer:
        """Parameters of a profile; defaults for missing ones."""
        p = profile.portrait

        def number(name: str, usual: float) -> float:
            value = p.get(name, usual)
            return float(value) if not isinstance(value, str) else usual

        usual = cls()
        return cls(
            np.radians(number("body_yaw_deg", np.degrees(usual.body_yaw))),
            np.radians(number("head_yaw_deg", np.degrees(usual.head_yaw))),
            number("collar_bone_gain", 1.0),
            tuple(number(n, 0.0) for n in ("space", "weight", "time", "flow")),  # type: ignore[arg-type]
            np.radians(number("swivel_deg", 0.0)),
        )


@dataclass(frozen=True, eq=False)
class Performed:
    """Result of a performance.

    Parameters
    ----------
    clip : motion of the default figure.
    keyed : the tracks it was made from.
    phases : of each arm.
    acts : the gestures with their times and poses.
    tiers : phases of both arms, and gestures by name.
    hurried_s : time that is missing for the preparation of the first gesture.
    homes : ``[n, 3]`` positions of the right wrist in the rest poses, as in the chest frame but
        with x outward.
    """

    clip: Clip
    keyed: KeyedMotion
    phases: Mapping[Side, ArmPhases]
    acts: tuple[Act, ...]
    tiers: tuple[Tier, ...] = field(default=())
    homes: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    hurried_s: float = 0.0


def perform_script(
    script: GestureScript,
    cues: SpeechCues | None = None,
    performer: Performer | None = None,
    *,
    fps: float = 60.0,
    seed: int = 0,
    settings: ActingSettings | None = None,
    entries: Mapping[str, Lexeme] | None = None,
    end_s: float | None = None,
    exact_end: bool = False,
) -> Performed:
    """Animate a gesture script on the default figure.

    Parameters
    ----------
    script : the gestures.
    cues : the speech that belongs to it; without it the script's own times are used.
    performer : parameters of the speaker.
    fps : frames per second of the clip.
    seed : the same seed gives the same motion.
    settings : all constants.
    entries : lexemes by name; the lexicon's by default.
    end_s : least length of the clip.
    exact_end : end with the speech (or `end_s`), even if the hands still move; else the clip is as
        long as they need to come to rest.

    Raises
    ------
    InvalidValueError
        For an unknown lexeme, or invalid times.
    """
    if not 1.0 <= fps <= 1000.0:
        raise InvalidValueError(f"fps is {fps:g}, allowed is 1 to 1000")
    if seed < 0:
        raise InvalidValueError(f"seed is {seed}, allowed is 0 or more")
    if end_s is not None and not 0.0 <= end_s <= LONGEST_S:
        raise InvalidValueError(f"end_s is {end_s:g}, allowed is 0 to {LONGEST_S:g}")
    s = settings or ActingSettings()
    who = performer or Performer()
    if s.paper:
        s = replace(s, collar_gain=s.collar_gain * who.collar_gain)
    heard = cues or SpeechCues(end_s=script.end_s)
    known = entries or lexicon()
    check_script(script, known)
    lexemes = [_lexeme(g, known) for g in script.gestures]
    rng = np.random.default_rng([seed, 3])
    turns = turn_tracks(script.body_turns, who.body_yaw, s, np.random.default_rng([seed, 4]))
    acts = _acts(script, lexemes, heard, who, turns, s, rng)
    names = {"half-rest", "at-side", *(unit.rest_pose for unit in script.units)}
    rests = rest_poses(sorted(names), seed, who.collar_gain, plain=s.paper)
    wanted_s = max(heard.end_s, script.end_s + _TAIL_S, end_s or 0.0)
    units = _units(script, acts)
    first = script.units[0].rest_pose if script.units else "at-side"
    first = first if first in ("at-side", "clasped") else "at-side"
    events = choreograph(units, rests, heard, s, rng, wanted_s, first)
    if exact_end:
        end = max(heard.end_s, end_s or 0.0)
    else:
        end = max(wanted_s, events[-1].end_s if events else 0.0)
    times = np.arange(round(end * fps) + 1) / fps
    tracks = {side: hand_tracks(events, rests[first], side, s, seed) for side in SIDES}
    touching = touching_frames(events, times)
    hands = {side: sampled_hand(tracks[side], times, s, seed, touching) for side in SIDES}
    wrists = {side: hands[side].wrists for side in SIDES}
    posture = posture_tracks(acts, s, shoulder_steps(script, known))
    body = body_motion(times, wrists, turns, posture, heard, s, seed)
    gain = 0.0 if s.paper else who.collar_gain
    hands = {side: with_collar(hands[side], side, body, gain) for side in SIDES}
    chest_yaw = body.pelvis[:, 1] + body.spine[:, 1]
    cued = head_cues(script, acts, heard, who.head_yaw, s, known)
    chest_pitch = body.pelvis[:, 0] + body.spine[:, 0]
    face = head_motion(times, chest_yaw, cued.cues, seed, cued.settings, chest_pitch)
    head = HeadTurns(face.neck, face.head, face.eyes)
    skin, met = (contact_frames(events, times, kinds) for kinds in (_SKIN, _HANDS))
    hands = cleared(fps, body, hands, head, touching, skin, met)
    channels = {"blink": face.blink, **cued.channels(times)}
    clip = posed(fps, body, hands, head, channels)
    keyed = keyed_motion(tracks, turns, posture, cued.cues.shifts, events, body.balance)
    done = _phases(events)
    phases = {side: ArmPhases(side, done) for side in SIDES}
    tiers = _tiers(phases, acts, events, script, lexemes)
    hurried = _hurried_s(acts, rests[first], s)
    return Performed(clip, keyed, phases, tuple(acts), tiers, _homes(rests), hurried)


def _hurried_s(acts: Sequence[Act], rest: Poses, s: ActingSettings) -> float:
    """Time that is missing for the preparation of the first gesture."""
    if not acts or s.paper:
        return 0.0
    way = distance(rest, {**rest, **acts[0].start})
    return max(0.0, s.lasting(way, s.rise_ratio) - acts[0].time.start_s)


def check_script(script: GestureScript, known: Mapping[str, Lexeme] | None = None) -> None:
    """Reject a script with unknown lexemes or invalid times."""
    names = known or lexicon()
    for turn in (*script.body_turns, *script.head_turns):
        if turn.time_s > LONGEST_S:
            raise InvalidValueError(
                f"a turn is at {turn.time_s:g} s, allowed is up to {LONGEST_S:g} s"
            )
    last = -np.inf
    for i, g in enumerate(script.gestures, 1):
        if g.lexeme not in ("", _NONE) and g.lexeme not in names:
            raise InvalidValueError(
                f"gesture {i} has lexeme {g.lexeme!r}, which is not known; near are "
                f"{suggestion(g.lexeme, names)}"
            )
        for shape in () if _lexeme(g, names).without_hands else _shapes(g):
            if shape not in HAND_SHAPES:
                raise InvalidValueError(
                    f"gesture {i} ({g.lexeme}) has hand shape {shape!r}, allowed are "
                    f"{', '.join(HAND_SHAPES)}"
                )
        if not g.end_s <= LONGEST_S:
            raise InvalidValueError(
                f"gesture {i} ({g.lexeme}) ends at {g.end_s:g} s, allowed is up to {LONGEST_S:g} s"
            )
        if g.meant_start_s < -1e-6:
            raise InvalidValueError(
                f"gesture {i} ({g.lexeme}) starts at {g.meant_start_s:g} s, allowed is 0 or later"
            )
        if g.last_stroke_end_s < last - 1e-6:
            raise InvalidValueError(
                f"gesture {i} ({g.lexeme}) ends its stroke at {g.last_stroke_end_s:g} s, before "
                f"the one before it at {last:g} s"
            )
        last = g.last_stroke_end_s


def _shapes(g: ScriptGesture) -> list[str]:
    """Names of the hand shapes of a gesture."""
    acting, _, other = (g.handshape or "").partition("+")
    both = f"{acting}>{other}" if g.hands == "2H" else acting
    return [name for name in both.split(">") if name]


def _lexeme(g: ScriptGesture, known: Mapping[str, Lexeme]) -> Lexeme:
    entry = known[_UNNAMED if g.lexeme in ("", _NONE) else g.lexeme]
    if g.hands == "2H" and "two-hands" in entry.variants:
        return variant(entry, "two-hands")
    return entry


def _effort(entry: Lexeme, who: Performer, accent: float, s: ActingSettings) -> tuple[float, ...]:
    strong = 0.0 if s.paper else _ACCENT_EFFORT * accent
    added = (0.0, strong, strong, 0.0)
    rows = zip(entry.effort, who.effort, added, strict=True)
    return tuple(float(np.clip(sum(row), -1.0, 1.0)) for row in rows)


def _acts(
    script: GestureScript,
    lexemes: Sequence[Lexeme],
    cues: SpeechCues,
    who: Performer,
    turns: tuple[DofTrack, DofTrack],
    s: ActingSettings,
    rng: np.random.Generator,
) -> list[Act]:
    given = script.gestures
    index = [i for i, entry in enumerate(lexemes) if not entry.without_hands]
    gestures = [given[i] for i in index]
    entries = [lexemes[i] for i in index]
    accents = [cues.cue(i)[1] for i in index]
    efforts = [_effort(e, who, a, s) for e, a in zip(entries, accents, strict=True)]
    gains = [
        1.0 if s.paper else (0.92 + 0.45 * a) * float(np.exp(s.size_spread * rng.normal()))
        for a in accents
    ]
    asked = [
        Asked(g, e, gain, g.meant_start_s, g.last_stroke_end_s)
        for g, e, gain in zip(gestures, entries, gains, strict=True)
    ]
    poses = solved_poses(asked, lambda times: chest_frames(*turns, times), s, rng)
    sizes = [
        max(float(np.linalg.norm(end[k].wrist - start[k].wrist)) for k in start)
        for start, end in poses
    ]
    rows = [
        Timed(g, e, size, effort[2], g.has_prep)
        for g, e, size, effort in zip(gestures, entries, sizes, efforts, strict=True)
    ]
    moved = replace(
        cues,
        gestures=tuple(cues.cue(i)[0] for i in index),
        accents=tuple(accents),
        exact=frozenset(k for k, i in enumerate(index) if i in cues.exact),
    )
    times = stroke_times(rows, moved, s, rng)
    out = []
    for k, (g, e) in enumerate(zip(gestures, entries, strict=True)):
        start, end = poses[k]
        if not s.paper:
            loose = 1.5 if e.kind in SHOWN else 4.0
            start = {side: _own(p, who, loose, rng) for side, p in start.items()}
            end = {side: _own(p, who, loose, rng) for side, p in end.items()}
        out.append(
            Act(index[k], g, e, sides_of(g), start, end, times[k], accents[k], efforts[k])  # type: ignore[arg-type]
        )
    return out


def _own(pose: HandPose, who: Performer, loose_deg: float, rng: np.random.Generator) -> HandPose:
    return replace(varied_fingers(pose, loose_deg, rng), swivel=pose.swivel + who.swivel)


def _units(script: GestureScript, acts: Sequence[Act]) -> list[tuple[list[Act], str]]:
    by_index = {act.index: act for act in acts}
    out, at = [], 0
    for unit in script.units:
        rows = [by_index[i] for i in range(at, at + len(unit.gestures)) if i in by_index]
        at += len(unit.gestures)
        if rows:
            out.append((rows, unit.rest_pose))
    return out


def touching_frames(events: Sequence[Event], times: Floats) -> Bools:
    """Whether hands may touch ``[f]``: where a gesture or a rest pose lets them touch."""
    return contact_frames(events, times, _HANDS) | _frames([e for e in events if e.touch], times)


def contact_frames(events: Sequence[Event], times: Floats, kinds: Sequence[str]) -> Bools:
    """Whether a gesture with one of these contacts is performed ``[f]``."""
    done = [e for e in events if e.act is not None and e.act.lexeme.contact in kinds]
    return _frames(done, times)


def _frames(events: Iterable[Event], times: Floats) -> Bools:
    """Whether a frame is within one of the events or a short margin around it ``[f]``."""
    out = np.zeros(len(times), dtype=bool)
    for event in events:
        low, high = np.searchsorted(times, [event.start_s - _ABOUT_S, event.end_s + _ABOUT_S])
        out[low:high] = True
    return out


def _phases(events: Sequence[Event]) -> tuple[Phase, ...]:
    """Phases of both arms, which move together."""
    rows: list[Phase] = []
    for event in events:
        kind = event.kind
        if event.end_s <= event.start_s:
            continue
        if rows and rows[-1].kind == kind and kind in ("hold", "rest"):
            rows[-1] = Phase(kind, rows[-1].start_s, event.end_s)
        else:
            start = max(event.start_s, rows[-1].end_s) if rows else event.start_s
            if event.end_s > start:
                rows.append(Phase(kind, start, event.end_s))
    return tuple(rows)


def _tiers(
    phases: Mapping[Side, ArmPhases],
    acts: Sequence[Act],
    events: Sequence[Event],
    script: GestureScript,
    lexemes: Sequence[Lexeme],
) -> tuple[Tier, ...]:
    over: dict[int, float] = {}
    for event in events:
        if event.act is not None and event.kind in ("stroke", "after-stroke"):
            over[event.act.index] = event.end_s
    rows: list[Interval] = []
    for act in acts:
        start = max(act.time.start_s, rows[-1].end_s if rows else 0.0)
        label = f"{act.gesture.lexeme} {act.gesture.hands}".strip()
        rows.append(Interval(start, max(over.get(act.index, act.time.last_s), start), label))
    heads: list[Interval] = []
    for g, entry in zip(script.gestures, lexemes, strict=True):
        if entry.without_hands:
            start = max(g.meant_start_s, heads[-1].end_s if heads else 0.0)
            length = entry.body_keys[-1].time_s if entry.body_keys else 0.3
            heads.append(Interval(start, max(g.last_stroke_end_s, start + length), g.lexeme))
    named = [Tier("gestures", tuple(rows))]
    if heads:
        named.append(Tier("head gestures", tuple(heads)))
    return (*(phases[side].tier() for side in SIDES), *named)


def _homes(rests: Mapping[str, Mapping[Side, HandPose]]) -> Floats:
    outward = np.array([-1.0, 1.0, 1.0])
    return np.array([p["right"].wrist * outward for n, p in rests.items() if n != "half-rest"])


__all__ = ["ActingSettings", "Performed", "Performer", "check_script", "perform_script"]
