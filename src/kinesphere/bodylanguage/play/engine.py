"""Live animation of characters from voices: ``step(state, chunk) -> (state, frames)``.

One state holds any number of characters, each with its own voice and seed; a character's motion
depends neither on the others nor on chunk boundaries. Prosody is analysed once for body, face and
eyes. A frame of time ``t`` is output as soon as the samples up to ``t`` (plus the chosen delay)
have arrived; there is no further look-ahead, and memory is bounded.

Files, microphones and sockets are handled elsewhere: see `realtime.session`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.animation.arms.home_pose import home_rotations
from kinesphere.animation.face import live_faces
from kinesphere.animation.face import mouth as mouths
from kinesphere.animation.head import live_eyes
from kinesphere.animation.idle import live_idle
from kinesphere.bodylanguage.choose import word_gestures
from kinesphere.bodylanguage.choose.acting_times import KNOWN_S, acts_s
from kinesphere.bodylanguage.choose.choosing import Choice, Chooser, Coming
from kinesphere.bodylanguage.choose.rhythm import Mark
from kinesphere.bodylanguage.choose.word_gestures import TimedWord, WordSettings, WordsState
from kinesphere.bodylanguage.learn.training_motion import FPS
from kinesphere.bodylanguage.model import BodyLanguageModel
from kinesphere.bodylanguage.play import layering as layers
from kinesphere.bodylanguage.play.blending import (
    Blend,
    BlendSettings,
    Playing,
    advance,
    first_blend,
)
from kinesphere.bodylanguage.play.body_assembly import PATH, PUSH, Posed, assemble
from kinesphere.bodylanguage.play.live_options import LiveOptions
from kinesphere.bodylanguage.streams import LOWER, STREAMS, hand_of_joint, stream_of_joint
from kinesphere.character.default import default_rig
from kinesphere.corpus.profiles.profile import Profile
from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Bools, Floats, Ints, read_only
from kinesphere.maths.curves import smoothstep
from kinesphere.motion.kinematics import forward_kinematics_plain
from kinesphere.speech.prosody import prosody as prosodies
from kinesphere.speech.prosody.observation import Observation
from kinesphere.speech.prosody.syllables import Pause

_NEAR = 1e-9
# After this much silence a character listens; the transition takes this long.
_LISTENS_S, _LISTENS_IN_S, _SPEAKS_IN_S = 0.9, 1.3, 0.6
HOME_AFTER_S = _LISTENS_S + _LISTENS_IN_S + 0.1
"""After this much silence a character is in its home pose."""
MOST_CHARACTERS = 1000
LARGEST_SEED = (1 << 63) - 1
CHANGE_S = 0.4
"""Transition time of changed options."""


class Change(NamedTuple):
    """A segment that started.

    Parameters
    ----------
    time_s : its start.
    stream : which of `STREAMS`, by number.
    segment, cluster : of the model.
    shown : proportion of the previous segment that was played; NaN for the first.
    """

    time_s: float
    stream: int
    segment: int
    cluster: int
    shown: float


@dataclass(frozen=True, eq=False)
class LiveFrames:
    """Output of a step: frames of the default figure, with an axis for characters if several.

    Parameters
    ----------
    times_s : ``[frames]`` of the audio that they belong to.
    root_positions : ``[(characters,) frames, 3]``.
    rotations : ``[(characters,) frames, joints, 4]`` in the parent's frame.
    channels : face curves ``[(characters,) frames]``.
    changes : segments that started, per character.
    activity : ``[(characters,) frames, 3]`` gesture activity of head, arms and lower body, from 0
        at rest to 1: for layering on another animation.
    """

    times_s: Floats
    root_positions: Floats
    rotations: Floats
    channels: Mapping[str, Floats]
    changes: tuple[tuple[Change, ...], ...]
    activity: Floats

    def __len__(self) -> int:
        return len(self.times_s)


class _Heard(NamedTuple):
    """An observation that has not acted yet.

    Parameters
    ----------
    time_s : when it acts.
    number : which of the 36.
    voice : whether it is speech.
    known_s, own_s : when it becomes known, whatever the chunk boundaries, and when it would act
        without earlier observations.
    """

    time_s: float
    number: int
    voice: bool
    known_s: float
    own_s: float


class _Quiet(NamedTuple):
    """Listening state ``[characters]``.

    Parameters
    ----------
    last_s, onset_s : time of the last syllable, and of the first one after a silence.
    level : listening weight of the character then.
    """

    last_s: Floats
    onset_s: Floats
    level: Floats


@dataclass(frozen=True, eq=False)
class LiveState:
    """State of the characters; made by `start`, immutable.

    Parameters
    ----------
    options, options_before, changed_s : now, before they were last changed, and when that was.
    samples, frames : how many were received and output.
    waiting : observations of each character that have not acted yet.
    choices : of each character and stream, None for a stream without training data.
    """

    model: BodyLanguageModel
    options: LiveOptions
    options_before: LiveOptions
    changed_s: float
    rate_hz: float
    fps: float
    characters: int | None
    seeds: tuple[int, ...]
    choosers: tuple[Chooser | None, ...]
    prosody: prosodies.ProsodyState
    mouth: mouths.MouthState
    faces: live_faces.FacesState
    eyes: live_eyes.EyesState
    samples: int
    frames: int
    waiting: tuple[tuple[_Heard, ...], ...]
    choices: tuple[tuple[Choice | None, ...], ...]
    playing: Playing
    ends: Ints
    blend: Blend
    pushes: Floats
    paths: Floats
    quiet: _Quiet
    face_lead: int
    begun: tuple[tuple[Change, ...], ...]
    words: WordsState | None
    activity: layers.ActivityState

    @property
    def delay_s(self) -> float:
        """Delay of a frame behind its audio."""
        return self.options.delay_s


def start(
    model: BodyLanguageModel,
    rate_hz: float,
    *,
    fps: float = 60.0,
    seed: int | Sequence[int] = 0,
    characters: int | None = None,
    options: LiveOptions | None = None,
    profile: Profile | None = None,
) -> LiveState:
    """State before the first sample; chunks are ``[n]``, or ``[characters, n]``.

    Parameters
    ----------
    seed : one for all characters, from which each gets its own, or one for each.
    profile : speaker whose gestures are inserted for words, see `push_words`; None for no words.

    Raises
    ------
    InvalidValueError
        If a rate, a seed or the number of characters is not allowed.
    """
    if not 1.0 <= fps <= 1000.0:
        raise InvalidValueError(f"fps is {fps:g}, allowed is 1 to 1000")
    count = 1 if characters is None else characters
    if not 1 <= count <= MOST_CHARACTERS:
        raise InvalidValueError(f"{count} characters, allowed are 1 to {MOST_CHARACTERS}")
    seeds = tuple(seed + i for i in range(count)) if isinstance(seed, int) else tuple(seed)
    if len(seeds) != count:
        raise InvalidValueError(f"{len(seeds)} seeds for {count} characters, one for each")
    if wrong := [s for s in seeds if not 0 <= s <= LARGEST_SEED]:
        raise InvalidValueError(f"seed is {wrong[0]}, allowed is 0 to {LARGEST_SEED}")
    chosen = _printed(options or LiveOptions())
    choosers = tuple(Chooser.of(model, s, chosen) for s in range(len(STREAMS)))
    prosody = prosodies.start(rate_hz, voices=characters)
    mouth = mouths.start(rate_hz, mouths.HearingSettings(fps=fps), voices=characters)
    pose, hips = _home()
    firsts = tuple(
        tuple(None if c is None else c.first(s, pose, hips) for c in choosers) for s in seeds
    )
    blend = _standing(model, choosers, firsts, pose, hips)
    playing, ends = _playing(model, choosers, firsts, fps)
    lead = min(mouth.late_frames, int(chosen.delay_s * fps + _NEAR))
    far = np.full(count, -1e9)
    return LiveState(
        model,
        chosen,
        chosen,
        -1e9,
        float(rate_hz),
        float(fps),
        characters,
        seeds,
        choosers,
        prosody,
        mouth,
        live_faces.start(seeds, mouth, prosody),
        live_eyes.start(fps, np.array(seeds), prosody),
        0,
        0,
        ((),) * count,
        firsts,
        playing,
        ends,
        blend,
        np.full((count, 2, PUSH), np.nan),
        np.full((count, 2, *PATH), np.nan),
        _Quiet(far, far, np.ones(count)),
        lead,
        tuple(
            tuple(
                Change(0.0, s, c.segment, c.state % len(who.chain), c.shown)
                for s, (who, c) in enumerate(zip(choosers, row, strict=True))
                if who and c
            )
            for row in firsts
        ),
        None
        if profile is None
        else word_gestures.start(
            profile, float(fps), seeds, settings=WordSettings(rate=chosen.word_gestures)
        ),
        layers.start(float(fps), count),
    )


def push_words(state: LiveState, words: Iterable[TimedWord], character: int = 0) -> LiveState:
    """Pass words with their times in the audio to a character, ahead of time or late.

    Raises
    ------
    InvalidValueError
        If `start` was given no profile.
    """
    if state.words is None:
        raise InvalidValueError("words need a speaker: start(..., profile=...)")
    now_s = state.frames / state.fps
    return replace(state, words=word_gestures.push_words(state.words, words, now_s, character))


def _home() -> tuple[Floats, Floats]:
    """World rotations of the home pose, of fingers local ones, and the pelvis there."""
    skeleton = default_rig().skeleton
    local = home_rotations()
    pose, _ = forward_kinematics_plain(skeleton, local, skeleton.offsets[0])
    pose = np.where((hand_of_joint() >= 0)[:, None], local, pose)
    return pose, np.zeros(3)


def _standing(
    model: BodyLanguageModel,
    choosers: Sequence[Chooser | None],
    choices: Sequence[Sequence[Choice | None]],
    pose: Floats,
    hips: Floats,
) -> Blend:
    """Characters in the poses that their first segments have at time 0."""
    poses, places = np.tile(pose, (len(choices), 1, 1)), np.tile(hips, (len(choices), 1))
    streams = stream_of_joint()
    for c, row in enumerate(choices):
        for s, (chooser, choice) in enumerate(zip(choosers, row, strict=True)):
            if chooser is not None and choice is not None:
                first, frames, _ = chooser.model.segments[choice.segment]
                passed = round(-choice.begun_s * chooser.options.expression.pace * FPS)
                at = first + min(passed, frames - 1)
                poses[c, streams == s] = model.turns[at, streams == s]
                if s == LOWER:
                    places[c] = model.pelvis[at]
    return first_blend(poses, places)


def _playing(
    model: BodyLanguageModel,
    choosers: Sequence[Chooser | None],
    choices: Sequence[Sequence[Choice | None]],
    fps: float,
) -> tuple[Playing, Ints]:
    """Current segments, and the frames ``[characters, 3]`` at which they end."""
    count = len(choices)
    playing = Playing(np.zeros((count, 3)), np.zeros((count, 3)), np.zeros((count, 3, 2)))
    ends = np.full((count, 3), np.iinfo(np.int64).max)
    for c, row in enumerate(choices):
        for s, choice in enumerate(row):
            if choice is not None:
                _show(model, choosers, playing, ends, c, s, choice, fps)
    return playing, ends


def _show(
    model: BodyLanguageModel,
    choosers: Sequence[Chooser | None],
    playing: Playing,
    ends: Ints,
    c: int,
    s: int,
    choice: Choice,
    fps: float,
) -> None:
    """Set the current segment, in place."""
    chooser = choosers[s]
    assert chooser is not None
    first, frames, _ = chooser.model.segments[choice.segment]
    pace = chooser.options.expression.pace
    playing.begun_s[c, s] = choice.begun_s
    playing.firsts[c, s] = first
    playing.ranges[c, s] = max(first - 1, 0), min(first + frames, len(model.turns) - 1)
    ends[c, s] = int(np.ceil((choice.begun_s + frames / (pace * FPS)) * fps - _NEAR))


def step(state: LiveState, chunk: ArrayLike) -> tuple[LiveState, LiveFrames]:
    """Process samples; return the frames whose time has come.

    Raises
    ------
    InvalidValueError
        If a sample is not a number, or the chunk's shape is not that of `start`.
    """
    samples = np.asarray(chunk, dtype=np.float64)
    prosody, heard = prosodies.step(state.prosody, samples)
    mouth, lips = mouths.step(state.mouth, samples)
    count = state.samples + samples.shape[-1]
    state = replace(state, prosody=prosody, mouth=mouth, samples=count)
    until = int(np.floor((count / state.rate_hz - state.delay_s) * state.fps + _NEAR)) + 1
    return _moved(state, heard.observations, lips, max(until, state.frames) if count else 0)


def finish(state: LiveState) -> LiveFrames:
    """Return the remaining frames, up to the last sample's time."""
    until = int(np.floor(state.samples / state.rate_hz * state.fps + _NEAR)) + 1
    if state.samples == 0 or until <= state.frames:
        return _moved(state, ((),) * len(state.seeds), _no_lips(state), state.frames)[1]
    # As if followed by silence: pending observations are completed.
    rows = () if state.characters is None else (len(state.seeds),)
    rest = np.zeros((*rows, int(np.ceil(state.delay_s * state.rate_hz)) + 1))
    return step(state, rest)[1]


def _no_lips(state: LiveState) -> dict[str, Floats]:
    rows = () if state.characters is None else (len(state.seeds),)
    return {name: np.zeros((*rows, 0)) for name in mouths.CHANNELS}


def _moved(
    state: LiveState,
    observations: Sequence[Sequence[Observation]],
    lips: Mapping[str, Floats],
    until: int,
) -> tuple[LiveState, LiveFrames]:
    """Frames up to a number, from the observations so far."""
    waiting = tuple(
        _queued(old, new, state.delay_s) if new else old
        for old, new in zip(state.waiting, observations, strict=True)
    )
    first, times = state.frames, np.arange(state.frames, until) / state.fps
    state, shown, hips, listens = _shown(replace(state, waiting=waiting), until)
    pushes, paths = state.pushes.copy(), state.paths.copy()
    posed = _assembled(state, times, shown, hips, listens, pushes, paths)
    said = state.words
    if said is not None:
        said, posed = word_gestures.overlaid(said, posed, first, state.options.amount)
    rows = len(state.seeds)
    joints = shown.shape[2]
    axis = () if state.characters is None else (rows,)
    lead = state.face_lead
    skip = lead if first == 0 and until > 0 else 0
    faces, face = live_faces.step(state.faces, lips, observations, until + lead if until else 0)
    channels = {name: values[..., skip:] for name, values in face.items()}
    head = default_rig().joint("head")
    world = posed.world.reshape(*axis, len(times), joints, 4)
    eyes, turns = live_eyes.step(state.eyes, world[..., head, :], observations)
    rotations = posed.rotations.reshape(*axis, len(times), joints, 4)
    rotations[..., default_rig().joints(("leftEye", "rightEye")), :] = turns
    activity, active = layers.step(
        state.activity,
        rotations.reshape(rows, -1, joints, 4),
        posed.root_positions.reshape(rows, -1, 3),
    )
    frames = LiveFrames(
        read_only(times),
        read_only(posed.root_positions.reshape(*axis, len(times), 3)),
        read_only(rotations),
        channels,
        state.begun if until > first else ((),) * rows,
        read_only(active.reshape(*axis, len(times), 3)),
    )
    begun = ((),) * rows if until > first else state.begun
    return replace(
        state,
        faces=faces,
        eyes=eyes,
        begun=begun,
        pushes=pushes,
        paths=paths,
        words=said,
        activity=activity,
    ), frames


def _queued(
    waiting: tuple[_Heard, ...], observations: Iterable[Observation], delay_s: float
) -> tuple[_Heard, ...]:
    """Add new observations; pending ones act no later than those issued after them."""
    out = list(waiting)
    for seen in observations:
        time_s = acts_s(seen.event, delay_s)
        for i in range(len(out) - 1, -1, -1):
            if out[i].time_s <= time_s:
                break
            out[i] = out[i]._replace(time_s=time_s)
        known_s = seen.event.issued_s + KNOWN_S - delay_s
        speaks = not isinstance(seen.event, Pause)
        out.append(_Heard(time_s, seen.number, speaks, known_s, time_s))
    return tuple(out)


def _shown(state: LiveState, until: int) -> tuple[LiveState, Floats, Floats, Floats]:
    """Blended streams of the frames up to a number, and listening weights of the characters."""
    rows, first = len(state.seeds), state.frames
    count = until - first
    shown = np.zeros((rows, count, len(default_rig().skeleton), 4))
    shown[..., 0] = 1.0
    hips, listens = np.zeros((rows, count, 3)), np.ones((rows, count))
    if count == 0:
        return state, shown, hips, listens
    run = _Run(state)
    frame = first
    while frame < until:
        begins = run.decide(frame)
        stop = min(until, run.next_event(frame))
        part = slice(frame - first, stop - first)
        run.show(begins, frame, shown[:, part], hips[:, part])
        run.listen(frame, stop, listens[:, part])
        frame = stop
    return run.state(until), shown, hips, listens


class _Run:
    """Decisions within one step; changes its own copies, not the state."""

    def __init__(self, state: LiveState) -> None:
        self.before = state
        self.waiting = [list(row) for row in state.waiting]
        self.choices = [list(row) for row in state.choices]
        self.playing = Playing(*(part.copy() for part in state.playing))
        self.ends = state.ends.copy()
        self.blend = state.blend
        self.next_s = np.array([row[0].time_s if row else np.inf for row in self.waiting])
        self.quiet = _Quiet(*(part.copy() for part in state.quiet))
        self.begun: list[list[Change]] = [list(row) for row in state.begun]
        expression = state.options.expression
        self.pace = expression.pace
        self.numbers = state.options.blending.softened(expression.softness)

    def decide(self, frame: int) -> Bools:
        """Process everything due at a frame; whether segments start ``[characters, 3]``."""
        now_s = frame / self.before.fps
        begins: Bools = np.zeros(self.ends.shape, dtype=np.bool_)
        for c in np.flatnonzero(self.next_s <= now_s + _NEAR):
            row = self.waiting[c]
            while row and row[0].time_s <= now_s + _NEAR:
                heard = row.pop(0)
                if heard.voice:
                    self._spoke(int(c), now_s)
                coming = _coming(row, now_s)
                for s in range(len(STREAMS)):
                    self._choose(int(c), s, heard.number, now_s, begins, coming)
            self.next_s[c] = row[0].time_s if row else np.inf
        for c, s in np.argwhere(self.ends <= frame):
            self._choose(int(c), int(s), None, now_s, begins)
        return begins

    def _choose(
        self,
        c: int,
        s: int,
        number: int | None,
        now_s: float,
        begins: Bools,
        coming: Coming | None = None,
    ) -> None:
        chooser, choice = self.before.choosers[s], self.choices[c][s]
        if chooser is None or choice is None:
            return
        pose, hips, seed = self.blend.blended[c], self.blend.hips[c], self.before.seeds[c]
        if number is None:
            after = chooser.ran_out(choice, now_s, seed, pose, hips)
        else:
            after = chooser.heard(choice, number, now_s, seed, pose, hips, coming)
        self.choices[c][s] = after
        if (
            number is not None
            and after.begun_s == choice.begun_s
            and (after.segment == choice.segment)
        ):
            return
        begins[c, s] = True
        _show(
            self.before.model,
            self.before.choosers,
            self.playing,
            self.ends,
            c,
            s,
            after,
            self.before.fps,
        )
        cluster = after.state % len(chooser.chain)
        self.begun[c].append(Change(now_s, s, after.segment, cluster, after.shown))

    def _spoke(self, c: int, now_s: float) -> None:
        level = float(_level(self.quiet, c, np.array(now_s)))
        if level > 0.0 and now_s - self.quiet.last_s[c] > _LISTENS_S:
            self.quiet.onset_s[c], self.quiet.level[c] = now_s, level
        self.quiet.last_s[c] = now_s

    def next_event(self, frame: int) -> int:
        """First frame after this one at which something is due."""
        due_s = self.next_s.min() * self.before.fps
        due = np.iinfo(np.int64).max if np.isinf(due_s) else int(np.ceil(due_s - _NEAR))
        return max(frame + 1, min(due, int(self.ends.min())))

    def show(self, begins: Bools, frame: int, shown: Floats, hips: Floats) -> None:
        """Blend some frames."""
        self.blend = advance(
            self.blend,
            self.before.model,
            self.playing,
            begins,
            frame,
            self.before.fps,
            self.pace,
            self.numbers,
            shown,
            hips,
        )

    def listen(self, frame: int, stop: int, out: Floats) -> None:
        """Listening weights of the characters during some frames."""
        times = np.arange(frame, stop) / self.before.fps
        for_all = slice(None)
        out[:] = _level(self.quiet, for_all, times)

    def state(self, until: int) -> LiveState:
        """The state after it."""
        return replace(
            self.before,
            frames=until,
            waiting=tuple(tuple(row) for row in self.waiting),
            choices=tuple(tuple(row) for row in self.choices),
            playing=self.playing,
            ends=self.ends,
            blend=self.blend,
            quiet=self.quiet,
            begun=tuple(tuple(row) for row in self.begun),
        )


def _coming(waiting: Sequence[_Heard], now_s: float) -> Coming | None:
    """Known coming observations, whatever the chunk boundaries."""
    known = [heard for heard in waiting if heard.known_s <= now_s + _NEAR]
    if not known or known[0] is not waiting[0]:
        return None
    marks = tuple(Mark(heard.own_s, heard.number) for heard in known)
    return Coming(waiting[0].own_s, waiting[0].number, marks)


def _level(quiet: _Quiet, which: int | slice, times: Floats) -> Floats:
    """Listening weights of the characters at times, in [0, 1], continuous."""
    last, onset, level = (part[which] for part in quiet)
    if isinstance(which, slice):
        last, onset, level = last[:, None], onset[:, None], level[:, None]
    rising = smoothstep((times - last - _LISTENS_S) / _LISTENS_IN_S)
    falling = level * (1.0 - smoothstep((times - onset) / _SPEAKS_IN_S))
    return np.maximum(rising, falling)


def _assembled(
    state: LiveState,
    times: Floats,
    shown: Floats,
    hips: Floats,
    listens: Floats,
    pushes: Floats,
    paths: Floats,
) -> Posed:
    """Posed figures; frames with changing options separately, so that chunks do not matter."""
    split = int(np.searchsorted(times, state.changed_s + CHANGE_S))
    cuts = [slice(0, split), slice(split, None)] if 0 < split < len(times) else [slice(None)]
    parts = [
        _posed(state, times[part], shown[:, part], hips[:, part], listens[:, part], pushes, paths)
        for part in cuts
    ]
    if len(parts) == 1:
        return parts[0]
    rows = len(state.seeds)
    return Posed(*(_joined(rows, first, second) for first, second in zip(*parts, strict=True)))


def _joined(rows: int, first: Floats, second: Floats) -> Floats:
    """Frames of characters, ``[characters * frames, ...]`` each, one after the other."""
    shape = first.shape[1:]
    both = [first.reshape(rows, -1, *shape), second.reshape(rows, -1, *shape)]
    return np.concatenate(both, axis=1).reshape(-1, *shape)


def _posed(
    state: LiveState,
    times: Floats,
    shown: Floats,
    hips: Floats,
    listens: Floats,
    pushes: Floats,
    paths: Floats,
) -> Posed:
    """Posed figures, with idle motion in untrained streams and while listening.

    Whatever a model has learned about long silences: listeners return to the home pose and idle.
    """
    rows, count, joints = shown.shape[:3]
    present = np.array([c is not None for c in state.choosers])
    usual = state.options.idle
    weights = np.full((rows, count, joints), usual)
    streams = stream_of_joint()
    for s in range(len(STREAMS)):
        if not present[s]:
            weights[..., streams == s] = 1.0
    weights = np.maximum(weights, listens[..., None])
    turns = np.zeros((rows, count, joints, 3))
    shift = np.zeros((rows, count, 3))
    if count:
        life = live_idle.idle(times, np.array(state.seeds), 1.0, listens)
        bones = default_rig().joints(live_idle.BONES)
        turns[..., bones, :] = life.turns * weights[..., bones, None]
        moves = np.maximum(usual, listens) if present[LOWER] else np.ones_like(listens)
        shift = life.hips_shift * moves[..., None]
    old, new = state.options_before, state.options
    turns = turns.reshape(-1, joints, 3) + new.expression.turns()
    speaks = (1.0 - listens).ravel()
    amounts = np.full(rows * count, new.amount * new.expression.size)
    shaped = new.expression.wrists if new.expression.shapes_arms() else None
    if count and times[0] < state.changed_s + CHANGE_S:
        ease = np.tile(smoothstep((times - state.changed_s) / CHANGE_S), rows)
        late = (1.0 - ease)[:, None, None]
        turns += late * (old.expression.turns() - new.expression.turns())
        amounts += late[:, 0, 0] * (old.amount * old.expression.size - amounts)
        if shaped is not None or old.expression.shapes_arms():

            def shaped(wrists: Floats) -> Floats:
                before, after = old.expression.wrists(wrists), new.expression.wrists(wrists)
                return after + late * (before - after)

    return assemble(
        np.ascontiguousarray(shown).reshape(-1, joints, 4),
        np.ascontiguousarray(hips).reshape(-1, 3),
        present,
        amounts * speaks,
        turns,
        np.ascontiguousarray(shift.reshape(-1, 3)),
        shaped,
        pushes,
        1.0 / state.fps,
        paths,
    )


def changed(state: LiveState, options: LiveOptions) -> LiveState:
    """The same characters with other options from now on; amount and Shape change over `CHANGE_S`.

    Raises
    ------
    InvalidValueError
        If the delay differs, which would leave a gap, or a speaker is unknown.
    """
    if options.delay_s != state.options.delay_s:
        raise InvalidValueError(
            f"the delay is {state.options.delay_s:g} s and cannot become {options.delay_s:g} s"
        )
    chosen = _printed(options)
    choosers = tuple(Chooser.of(state.model, s, chosen) for s in range(len(STREAMS)))
    for name, old, new in zip(STREAMS, state.choosers, choosers, strict=True):
        if (old is None) != (new is None):
            raise InvalidValueError(f"not all of these speakers have segments of the {name}")
    now_s = state.frames / state.fps
    # The current segment continues from its position, at another pace.
    stretch = state.options.expression.pace / chosen.expression.pace
    begun = now_s - (now_s - state.playing.begun_s) * stretch
    choices = tuple(
        tuple(c and c._replace(begun_s=float(begun[i, s])) for s, c in enumerate(row))
        for i, row in enumerate(state.choices)
    )
    playing, ends = _playing(state.model, choosers, choices, state.fps)
    return replace(
        state,
        options=chosen,
        options_before=state.options,
        changed_s=now_s,
        choosers=choosers,
        choices=choices,
        playing=playing,
        ends=ends,
    )


def _printed(options: LiveOptions) -> LiveOptions:
    """Options with the paper's blending if requested."""
    if not options.paper:
        return options
    return replace(options, blending=replace(options.blending, soft_s=0.0))


__all__ = [
    "BlendSettings",
    "Change",
    "LiveFrames",
    "LiveOptions",
    "LiveState",
    "finish",
    "start",
    "step",
]
