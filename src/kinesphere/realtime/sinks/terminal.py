"""A live character in the terminal: a figure of dots, and bars for level, mouth and hands."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import TextIO

import numpy as np

from kinesphere.character.default import default_rig
from kinesphere.maths.arrays import Bools, Floats
from kinesphere.motion.kinematics import forward_kinematics_plain
from kinesphere.realtime.sinks.sinks import PoseFrames, character_slice

COLUMNS, ROWS = 26, 13
_BRAILLE = 0x2800
# Bits of the dots of one character cell, by row and column.
_DOTS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])
_HEIGHT_M = 1.9
_TRUNK = ("hips", "spine", "chest", "upperChest", "neck", "head")
_ARM = ("upperChest", "Shoulder", "UpperArm", "LowerArm", "Hand", "MiddleProximal", "MiddleDistal")
_LEG = ("hips", "UpperLeg", "LowerLeg", "Foot", "Toes")
_OPEN = ("aa", "ou", "oh")
_BAR = 20
_EVERY_S = 1.0 / 15.0
_QUIETEST_DB = -60.0


@dataclass(frozen=True)
class Status:
    """Values of a view besides the figure.

    Parameters
    ----------
    time_s : of the audio.
    mode : of the session.
    level : of the audio, root mean square, full scale is 1.
    latency_s : from chunk to frame, the last one.
    note : a message, empty for none.
    """

    time_s: float = 0.0
    mode: str = "idle"
    level: float = 0.0
    latency_s: float = 0.0
    note: str = ""


class TerminalSink:
    """Draws the first character over its last drawing, some 15 times a second.

    Parameters
    ----------
    out : a terminal.
    characters : of the frames to come.
    clock : wall time in seconds.
    """

    def __init__(
        self, out: TextIO, characters: int = 1, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._out, self._characters, self._clock = out, characters, clock
        self._next_s = -np.inf
        self._lines = 0
        self.status = Status()

    def send(self, frames: PoseFrames) -> None:
        """Draw the last frame, if it is time for another."""
        now_s = self._clock()
        if now_s < self._next_s or not len(frames):
            return
        self._next_s = now_s + _EVERY_S
        lines = drawing(frames, self.status, self._characters)
        up = f"\x1b[{self._lines}A" if self._lines else ""
        self._out.write(up + "".join(f"\r{line}\x1b[K\n" for line in lines))
        self._out.flush()
        self._lines = len(lines)

    def say(self, text: str) -> None:
        """Write a line above the drawing, which is redrawn below it."""
        if self._lines:
            self._out.write(f"\x1b[{self._lines}A\x1b[J")
        self._out.write(f"{text}\n")
        self._out.flush()
        self._lines = 0
        self._next_s = -np.inf

    def close(self) -> None:
        """Keep the last drawing on the terminal."""
        self._out.flush()


def drawing(frames: PoseFrames, status: Status, characters: int = 1) -> list[str]:
    """Lines of the last frame of the first character, with its bars."""
    one = character_slice(frames, 0)
    rig = default_rig()
    root = one.root_positions[-1]
    _, places = forward_kinematics_plain(rig.skeleton, one.rotations[-1], root)
    mouth = max((float(one.channels.get(n, [0.0])[-1]) for n in _OPEN), default=0.0)
    head, hips = (float(places[rig.bones[b]][1]) for b in ("head", "hips"))
    hands = [float(places[rig.bones[f"{side}Hand"]][1]) for side in ("left", "right")]
    low, high = hips - 0.2, head + 0.2
    raised = [(hand - low) / max(high - low, 0.1) for hand in hands]
    level_db = 20.0 * np.log10(max(status.level, 1e-6))
    beside = [
        "",
        f"audio       {_bar(1.0 - level_db / _QUIETEST_DB)}",
        f"mouth       {_bar(mouth)}",
        f"left hand   {_bar(raised[0])}",
        f"right hand  {_bar(raised[1])}",
        "",
        f"{status.time_s:7.1f} s   {status.mode}",
        f"{1e3 * status.latency_s:7.1f} ms  from chunk to frame",
        f"1 of {characters} characters" if characters > 1 else "",
        status.note,
    ]
    figure = _cells(_dots(places, root))
    rows = zip(figure, [*beside, *[""] * (len(figure) - len(beside))], strict=True)
    return [f"{left}  {right}".rstrip() for left, right in rows]


def _bar(share: float) -> str:
    filled = round(float(np.clip(share, 0.0, 1.0)) * _BAR)
    return "█" * filled + "·" * (_BAR - filled)


def _dots(places: Floats, root: Floats) -> Bools:
    """Dots ``[rows, columns]`` of the figure from the front, its left hand on the right."""
    height, width = 4 * ROWS, 2 * COLUMNS
    scale = (height - 1) / _HEIGHT_M
    dots = np.zeros((height, width), dtype=np.bool_)
    for line in _lines(places):
        for a, b in pairwise(line):
            steps = np.linspace(a, b, 2 + int(2.0 * scale * np.abs(b - a).max()))
            across = np.rint((steps[:, 0] - root[0]) * scale + width / 2 - 1).astype(int)
            down = np.rint(height - 1 - steps[:, 1] * scale).astype(int)
            seen = (across >= 0) & (across < width) & (down >= 0) & (down < height)
            dots[down[seen], across[seen]] = True
    return dots


def _lines(places: Floats) -> list[Floats]:
    """Positions ``[points, 3]`` along trunk, limbs and head."""
    bones = default_rig().bones
    rows = [list(_TRUNK)]
    for side in ("left", "right"):
        for limb in (_ARM, _LEG):
            rows.append([limb[0], *(f"{side}{part}" for part in limb[1:])])
    around = np.linspace(0.0, 2.0 * np.pi, 17)
    ring = np.stack([0.07 * np.cos(around), 0.11 + 0.1 * np.sin(around), 0.0 * around], axis=-1)
    limbs: list[Floats] = [places[[bones[bone] for bone in row]] for row in rows]
    return [*limbs, places[bones["head"]] + ring]


def _cells(dots: Bools) -> list[str]:
    """Eight dots in each character."""
    blocks = dots.reshape(ROWS, 4, COLUMNS, 2).transpose(0, 2, 1, 3)
    codes = _BRAILLE + (blocks * _DOTS).sum(axis=(2, 3))
    return ["".join(map(chr, row)) for row in codes]
