"""A stand-in for the live engine: frames at the right times, and nothing else."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinesphere.character.default import default_skeleton
from kinesphere.maths.arrays import Floats
from kinesphere.realtime.sinks.sinks import PoseSlice

JOINTS = len(default_skeleton())
IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])
STANDING = np.array([0.0, 0.965, 0.0])


@dataclass(frozen=True)
class StandInEngine:
    """Frame k at k / fps as soon as the samples up to it are there; `aa` is the sample's level.

    The state is how many samples came and how many frames were given.
    """

    rate_hz: float = 16_000.0
    fps: float = 60.0
    characters: int | None = None

    def start(self) -> tuple[int, int]:
        return 0, 0

    def step(self, state: Any, chunk: Floats) -> tuple[Any, PoseSlice]:
        samples, frames = state
        assert chunk.shape[:-1] == (() if self.characters is None else (self.characters,))
        first, samples = samples, samples + chunk.shape[-1]
        until = int(samples / self.rate_hz * self.fps + 1e-9) + 1
        at = [
            max(0, math.ceil(k / self.fps * self.rate_hz - 1e-6) - 1 - first)
            for k in range(frames, until)
        ]
        return (samples, until), self.frames(frames, until, np.abs(chunk[..., at]))

    def finish(self, state: Any) -> PoseSlice:
        rows = () if self.characters is None else (self.characters,)
        return self.frames(state[1], state[1], np.zeros((*rows, 0)))

    def frames(self, first: int, until: int, level: Floats) -> PoseSlice:
        rows = () if self.characters is None else (self.characters,)
        count = until - first
        root = np.broadcast_to(STANDING, (*rows, count, 3))
        turns = np.broadcast_to(IDENTITY, (*rows, count, JOINTS, 4))
        return PoseSlice(np.arange(first, until) / self.fps, root, turns, {"aa": level})
