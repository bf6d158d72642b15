"""A live session as a file: spooled to disk while it runs, written at its end."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from kinesphere.character.default import default_skeleton
from kinesphere.errors import InvalidValueError, UnwritableError
from kinesphere.export.output import check_output, save
from kinesphere.maths.arrays import Floats
from kinesphere.motion.clip import Clip
from kinesphere.motion.take import Audio, Take
from kinesphere.realtime.sinks.sinks import PoseFrames


def number_paths(path: str | PathLike[str], characters: int) -> list[Path]:
    """One path for each character: the path itself, or ``name-1.kin``, ``name-2.kin`` and so on.

    >>> [str(p) for p in number_paths("talk.kin", 2)]
    ['talk-1.kin', 'talk-2.kin']
    """
    path = Path(path)
    if characters == 1:
        return [path]
    digits = len(str(characters))
    return [
        path.with_name(f"{path.stem}-{k:0{digits}}{path.suffix}") for k in range(1, characters + 1)
    ]


class FileSink:
    """Keeps every frame and the audio; `close` writes them as takes.

    Until then frames (1.8 kB each) and audio (64 kB per second) are spooled to unnamed files in the
    folder of the first output, so that memory is bounded; only writing needs all of it.

    Parameters
    ----------
    paths : files to write; the suffixes set the formats. With several characters each path becomes
        one numbered file per character.
    fps, rate_hz : of the frames and of the audio.
    characters : of the frames to come.
    provenance : of the takes.
    written : called with every written take and its path.

    Raises
    ------
    UnwritableError
        If a file cannot be written there, in this format.
    """

    def __init__(
        self,
        paths: Sequence[str | PathLike[str]],
        fps: float,
        rate_hz: float,
        characters: int = 1,
        provenance: Mapping[str, Any] | None = None,
        written: Callable[[Take, Path], None] | None = None,
    ) -> None:
        self._paths = [number_paths(path, characters) for path in paths]
        for path in (p for each in self._paths for p in each):
            check_output(path)
        self._fps, self._rate_hz, self._characters = fps, rate_hz, characters
        self._provenance, self._written = dict(provenance or {}), written
        folder = self._paths[0][0].resolve().parent
        try:
            self._frames = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - closed by close
            self._sound = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115
        except OSError as error:
            raise UnwritableError(f"{folder}: cannot write here: {error.strerror}") from None
        self._channels: tuple[str, ...] = ()
        self._count = 0
        self._closed = False

    def hear(self, samples: Floats) -> None:
        """Keep the audio of the frames, ``[n]`` or ``[characters, n]``."""
        rows = np.broadcast_to(samples, (self._characters, samples.shape[-1]))
        self._keep(self._sound, rows.T.astype("<f4"))

    def send(self, frames: PoseFrames) -> None:
        """Keep frames."""
        if not self._count:
            self._channels = tuple(frames.channels)
        count, rows = len(frames), self._characters
        parts = [
            frames.root_positions.reshape(rows, count, -1),
            frames.rotations.reshape(rows, count, -1),
            *(frames.channels[name].reshape(rows, count, 1) for name in self._channels),
        ]
        self._keep(self._frames, np.concatenate(parts, axis=-1).swapaxes(0, 1))
        self._count += count

    def close(self) -> None:
        """Write all files; the first error is raised after the others were written."""
        if self._closed:
            return
        self._closed = True
        with self._frames, self._sound:
            if not self._count:
                raise InvalidValueError("no frame was made, so there is no file to write")
            failed: list[UnwritableError] = []
            for k in range(self._characters):
                take = self._take(k)
                for each in self._paths:
                    try:
                        save(take, each[k])
                    except UnwritableError as error:
                        failed.append(error)
                    else:
                        if self._written is not None:
                            self._written(take, each[k])
        if failed:
            raise failed[0]

    def _keep(self, file: Any, values: Any) -> None:
        try:
            file.write(np.ascontiguousarray(values).data)
        except OSError as error:
            raise UnwritableError(
                f"{self._paths[0][0]}: the session cannot be spooled: {error.strerror}"
            ) from None

    def _take(self, character: int) -> Take:
        joints = len(default_skeleton())
        width = 3 + 4 * joints + len(self._channels)
        rows = _read_numbers(self._frames, "<f8").reshape(-1, self._characters, width)[:, character]
        turns = rows[:, 3 : 3 + 4 * joints].reshape(-1, joints, 4)
        face = {n: rows[:, 3 + 4 * joints + i] for i, n in enumerate(self._channels)}
        clip = Clip(default_skeleton(), self._fps, rows[:, :3], turns, channels=face)
        sound = _read_numbers(self._sound, "<f4").reshape(-1, self._characters)[:, character]
        about = dict(self._provenance)
        if self._characters > 1:
            about["character"] = character + 1
        return Take(clip, Audio(sound, int(self._rate_hz)), provenance=about)


def _read_numbers(file: Any, kind: str) -> Any:
    """All numbers of a spooled file."""
    file.flush()
    file.seek(0, 2)
    if not file.tell():
        return np.zeros(0, dtype=kind)
    return np.memmap(file, dtype=kind, mode="r")
