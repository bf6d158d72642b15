"""Figures of live characters: blended streams, idle motion and Shape as poses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from kinesphere.animation.idle import live_idle
from kinesphere.bodylanguage.play.body_assembly import PATH, PUSH, Posed, assemble
from kinesphere.bodylanguage.play.live_options import CHANGE_S, OptionsTransition
from kinesphere.bodylanguage.play.segment_playback import StreamFrames
from kinesphere.bodylanguage.streams import LOWER, STREAMS, stream_of_joint
from kinesphere.character.default import default_rig
from kinesphere.maths.arrays import Bools, Floats
from kinesphere.maths.curves import smoothstep


class ArmsState(NamedTuple):
    """What keeps arms continuous from frame to frame, NaN before the first; see `assemble`.

    Parameters
    ----------
    pushes : ``[characters, 2, PUSH]`` clearance of the hands.
    paths : ``[characters, 2, *PATH]`` positions and velocities of the arms.
    """

    pushes: Floats
    paths: Floats

    @classmethod
    def of(cls, characters: int) -> ArmsState:
        """State before the first frame."""
        return cls(np.full((characters, 2, PUSH), np.nan), np.full((characters, 2, *PATH), np.nan))

    def copy(self) -> ArmsState:
        """Arrays of its own, to be overwritten."""
        return ArmsState(self.pushes.copy(), self.paths.copy())


class FigurePoser:
    """Poses the figures of one step.

    Parameters
    ----------
    present : ``[3]`` which streams have training data; the others have idle motion.
    seeds : of the characters, for idle motion.
    transition : options, perhaps still changing.
    arms : overwritten.
    """

    def __init__(
        self,
        present: Bools,
        seeds: Sequence[int],
        fps: float,
        transition: OptionsTransition,
        arms: ArmsState,
    ) -> None:
        self.present, self.seeds, self.fps = present, seeds, fps
        self.transition, self.arms = transition, arms

    def pose(self, times: Floats, streams: StreamFrames) -> Posed:
        """Posed figures ``[characters * frames, ...]``.

        Frames with changing options are posed separately, so that chunks do not matter.
        """
        split = int(np.searchsorted(times, self.transition.since_s + CHANGE_S))
        if not 0 < split < len(times):
            return self._pose(times, streams)
        parts = [
            self._pose(times[part], streams.part(part))
            for part in (slice(0, split), slice(split, None))
        ]
        rows = len(self.seeds)
        return Posed(*(_concatenate(rows, *both) for both in zip(*parts, strict=True)))

    def _pose(self, times: Floats, streams: StreamFrames) -> Posed:
        joints = streams.rotations.shape[2]
        turns, shift = self._idle(times, streams)
        turns = turns.reshape(-1, joints, 3)
        turns, amounts, shaped = self._express(times, turns)
        return assemble(
            np.ascontiguousarray(streams.rotations).reshape(-1, joints, 4),
            np.ascontiguousarray(streams.hips).reshape(-1, 3),
            self.present,
            amounts * (1.0 - streams.listens).ravel(),
            turns,
            np.ascontiguousarray(shift.reshape(-1, 3)),
            shaped,
            self.arms.pushes,
            1.0 / self.fps,
            self.arms.paths,
        )

    def _idle(self, times: Floats, streams: StreamFrames) -> tuple[Floats, Floats]:
        """Idle rotation vectors and hips shift, in untrained streams and while listening.

        Whatever a model has learned about long silences: listeners return to the home pose and
        idle.
        """
        rows, count, joints = streams.rotations.shape[:3]
        usual, listens = self.transition.now.idle, streams.listens
        turns, shift = np.zeros((rows, count, joints, 3)), np.zeros((rows, count, 3))
        if not count:
            return turns, shift
        weights = np.full((rows, count, joints), usual)
        for s in range(len(STREAMS)):
            if not self.present[s]:
                weights[..., stream_of_joint() == s] = 1.0
        weights = np.maximum(weights, listens[..., None])
        life = live_idle.idle(times, np.array(self.seeds), 1.0, listens)
        bones = default_rig().joints(live_idle.BONES)
        turns[..., bones, :] = life.turns * weights[..., bones, None]
        moves = np.maximum(usual, listens) if self.present[LOWER] else np.ones_like(listens)
        return turns, life.hips_shift * moves[..., None]

    def _express(
        self, times: Floats, turns: Floats
    ) -> tuple[Floats, Floats, Callable[[Floats], Floats] | None]:
        """Rotation vectors with the torso's Shape, amplitudes, and Shape of the wrists."""
        old, new, since_s = self.transition.before, self.transition.now, self.transition.since_s
        turns = turns + new.expression.turns()
        rows = len(self.seeds)
        amounts = np.full(rows * len(times), new.amount * new.expression.size)
        shaped = new.expression.wrists if new.expression.shapes_arms() else None
        if len(times) and times[0] < since_s + CHANGE_S:
            ease = np.tile(smoothstep((times - since_s) / CHANGE_S), rows)
            late = (1.0 - ease)[:, None, None]
            turns += late * (old.expression.turns() - new.expression.turns())
            amounts += late[:, 0, 0] * (old.amount * old.expression.size - amounts)
            if shaped is not None or old.expression.shapes_arms():

                def shaped(wrists: Floats) -> Floats:
                    before, after = old.expression.wrists(wrists), new.expression.wrists(wrists)
                    return after + late * (before - after)

        return turns, amounts, shaped


def _concatenate(rows: int, first: Floats, second: Floats) -> Floats:
    """Frames of characters, ``[characters * frames, ...]`` each, one after the other."""
    shape = first.shape[1:]
    both = [first.reshape(rows, -1, *shape), second.reshape(rows, -1, *shape)]
    return np.concatenate(both, axis=1).reshape(-1, *shape)
