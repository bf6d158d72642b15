"""Segments of live characters: the current one of each stream, and their blended motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kinesphere.animation.arms.poses.home_pose import home_rotations
from kinesphere.bodylanguage.choose.choosing import Chooser, Moment, SegmentChoice
from kinesphere.bodylanguage.choose.choosing_settings import Coming
from kinesphere.bodylanguage.model import BodyLanguageModel
from kinesphere.bodylanguage.play.blending import Blend, Playing, advance, first_blend
from kinesphere.bodylanguage.play.listening_state import NEAR, ListeningRun, ListeningState
from kinesphere.bodylanguage.play.live_options import LiveOptions
from kinesphere.bodylanguage.streams import FPS, LOWER, STREAMS, hand_of_joint, stream_of_joint
from kinesphere.character.default import default_rig
from kinesphere.maths.arrays import Bools, Floats, Ints
from kinesphere.motion.kinematics import forward_kinematics_plain

_NEVER = np.iinfo(np.int64).max


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
class SegmentsState:
    """Current segments of the characters.

    Parameters
    ----------
    choosers : of each stream, None for a stream without training data.
    choices : of each character and stream, None as above.
    playing, ends : positions of the segments, and frames ``[characters, 3]`` at which they end.
    blend : blended motion up to the last frame.
    begun : segments that started and are not output yet, per character.
    """

    choosers: tuple[Chooser | None, ...]
    choices: tuple[tuple[SegmentChoice | None, ...], ...]
    playing: Playing
    ends: Ints
    blend: Blend
    begun: tuple[tuple[Change, ...], ...]

    @classmethod
    def first(
        cls, model: BodyLanguageModel, options: LiveOptions, seeds: Sequence[int], fps: float
    ) -> SegmentsState:
        """First segments, near the home pose."""
        choosers = choosers_of(model, options)
        pose, hips = _home()
        firsts = tuple(None if c is None else c.first(pose, hips) for c in choosers)
        choices = (firsts,) * len(seeds)
        playing, ends = play_choices(model, choosers, choices, fps)
        begun = tuple(
            tuple(
                Change(0.0, s, c.segment, c.state % len(who.chain), c.shown)
                for s, (who, c) in enumerate(zip(choosers, row, strict=True))
                if who and c
            )
            for row in choices
        )
        blend = _stand(model, choosers, choices, pose, hips)
        return cls(choosers, choices, playing, ends, blend, begun)


def choosers_of(model: BodyLanguageModel, options: LiveOptions) -> tuple[Chooser | None, ...]:
    """Choosers of the three streams."""
    settings = options.choosing
    return tuple(Chooser.of(model, s, settings) for s in range(len(STREAMS)))


def _home() -> tuple[Floats, Floats]:
    """World rotations of the home pose, of fingers local ones, and the pelvis there."""
    skeleton = default_rig().skeleton
    local = home_rotations()
    pose, _ = forward_kinematics_plain(skeleton, local, skeleton.offsets[0])
    pose = np.where((hand_of_joint() >= 0)[:, None], local, pose)
    return pose, np.zeros(3)


def _stand(
    model: BodyLanguageModel,
    choosers: Sequence[Chooser | None],
    choices: Sequence[Sequence[SegmentChoice | None]],
    pose: Floats,
    hips: Floats,
) -> Blend:
    """Characters in the poses that their first segments have at time 0."""
    poses, positions = np.tile(pose, (len(choices), 1, 1)), np.tile(hips, (len(choices), 1))
    streams = stream_of_joint()
    for c, row in enumerate(choices):
        for s, (chooser, choice) in enumerate(zip(choosers, row, strict=True)):
            if chooser is not None and choice is not None:
                first, frames, _ = chooser.model.segments[choice.segment]
                passed = round(-choice.begun_s * chooser.settings.pace * FPS)
                at = first + min(passed, frames - 1)
                poses[c, streams == s] = model.turns[at, streams == s]
                if s == LOWER:
                    positions[c] = model.pelvis[at]
    return first_blend(poses, positions)


def play_choices(
    model: BodyLanguageModel,
    choosers: Sequence[Chooser | None],
    choices: Sequence[Sequence[SegmentChoice | None]],
    fps: float,
) -> tuple[Playing, Ints]:
    """Positions of chosen segments, and the frames ``[characters, 3]`` at which they end."""
    count = len(choices)
    playing = Playing(np.zeros((count, 3)), np.zeros((count, 3)), np.zeros((count, 3, 2)))
    ends = np.full((count, 3), _NEVER)
    for c, row in enumerate(choices):
        for s, (chooser, choice) in enumerate(zip(choosers, row, strict=True)):
            if chooser is not None and choice is not None:
                last = len(model.turns) - 1
                ends[c, s] = _play(playing, (c, s), chooser, choice, last, fps)
    return playing, ends


def _play(
    playing: Playing,
    at: tuple[int, int],
    chooser: Chooser,
    choice: SegmentChoice,
    last_frame: int,
    fps: float,
) -> int:
    """Set the current segment of a character and stream, in place; return the frame of its end."""
    first, frames, _ = chooser.model.segments[choice.segment]
    pace = chooser.settings.pace
    playing.begun_s[at] = choice.begun_s
    playing.firsts[at] = first
    playing.ranges[at] = max(first - 1, 0), min(first + frames, last_frame)
    return int(np.ceil((choice.begun_s + frames / (pace * FPS)) * fps - NEAR))


class StreamFrames(NamedTuple):
    """Blended streams of some frames, and whether the characters listen.

    Parameters
    ----------
    rotations : ``[characters, frames, joints, 4]`` of the world, of fingers local ones.
    hips : ``[characters, frames, 3]`` offset of the pelvis.
    listens : ``[characters, frames]`` listening weights, 0 to 1.
    """

    rotations: Floats
    hips: Floats
    listens: Floats

    def part(self, which: slice) -> StreamFrames:
        """Some of the frames, as views."""
        return StreamFrames(*(values[:, which] for values in self))


class SegmentRun:
    """Segments within one step: chooses and plays them; changes its own copies, not the state.

    Parameters
    ----------
    state, listening : before the step.
    """

    def __init__(
        self,
        model: BodyLanguageModel,
        options: LiveOptions,
        seeds: Sequence[int],
        fps: float,
        state: SegmentsState,
        listening: ListeningState,
    ) -> None:
        self.model, self.seeds, self.fps = model, seeds, fps
        self.choosers = state.choosers
        self.choices = [list(row) for row in state.choices]
        self.playing = Playing(*(part.copy() for part in state.playing))
        self.ends = state.ends.copy()
        self.blend = state.blend
        self.begun: list[list[Change]] = [list(row) for row in state.begun]
        self.listening = ListeningRun(listening)
        self.pace = options.expression.pace
        self.numbers = options.transition_numbers

    def frames(self, first: int, until: int) -> StreamFrames:
        """Frames of all characters from one number up to another."""
        rows, count = len(self.seeds), until - first
        out = StreamFrames(
            np.zeros((rows, count, len(default_rig().skeleton), 4)),
            np.zeros((rows, count, 3)),
            np.ones((rows, count)),
        )
        out.rotations[..., 0] = 1.0
        frame = first
        while frame < until:
            begins = self._decide(frame)
            stop = min(until, self._next_event(frame))
            self._show(begins, frame, stop, out.part(slice(frame - first, stop - first)))
            frame = stop
        return out

    def _decide(self, frame: int) -> Bools:
        """Process everything due at a frame; whether segments start ``[characters, 3]``."""
        now_s = frame / self.fps
        begins: Bools = np.zeros(self.ends.shape, dtype=np.bool_)
        for c, number, coming in self.listening.due(now_s):
            for s in range(len(STREAMS)):
                self._choose(c, s, number, now_s, begins, coming)
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
        """Let a stream observe a number, or its segment's end if None."""
        chooser, choice = self.choosers[s], self.choices[c][s]
        if chooser is None or choice is None:
            return
        moment = Moment(now_s, self.seeds[c], self.blend.blended[c], self.blend.hips[c], coming)
        if number is None:
            after = chooser.end_segment(choice, moment)
        else:
            after = chooser.observe(choice, number, moment)
        self.choices[c][s] = after
        continues = after.begun_s == choice.begun_s and after.segment == choice.segment
        if number is not None and continues:
            return
        begins[c, s] = True
        last = len(self.model.turns) - 1
        self.ends[c, s] = _play(self.playing, (c, s), chooser, after, last, self.fps)
        cluster = after.state % len(chooser.chain)
        self.begun[c].append(Change(now_s, s, after.segment, cluster, after.shown))

    def _next_event(self, frame: int) -> int:
        """First frame after this one at which something is due."""
        due_s = self.listening.next_s.min() * self.fps
        due = _NEVER if np.isinf(due_s) else int(np.ceil(due_s - NEAR))
        return max(frame + 1, min(due, int(self.ends.min())))

    def _show(self, begins: Bools, frame: int, stop: int, out: StreamFrames) -> None:
        """Blend some frames, and their listening weights."""
        self.blend = advance(
            self.blend,
            self.model,
            self.playing,
            begins,
            frame,
            self.fps,
            self.pace,
            self.numbers,
            out.rotations,
            out.hips,
        )
        times = np.arange(frame, stop) / self.fps
        out.listens[:] = self.listening.attention.weights(slice(None), times)

    def state(self) -> SegmentsState:
        """The state after it."""
        return SegmentsState(
            self.choosers,
            tuple(tuple(row) for row in self.choices),
            self.playing,
            self.ends,
            self.blend,
            tuple(tuple(row) for row in self.begun),
        )
