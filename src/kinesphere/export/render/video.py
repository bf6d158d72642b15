"""Writing frames and audio as an MP4 video, with ffmpeg as a child process."""

from __future__ import annotations

import math
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import IO

import numpy as np

from kinesphere.errors import InvalidValueError, UnwritableError
from kinesphere.formats.files import write_atomically
from kinesphere.formats.wav import wav_bytes
from kinesphere.maths.arrays import Bytes
from kinesphere.motion.take import Audio

_QUALITY = 18  # x264's constant rate factor: 18 looks like the original
_SOUND = "160k"


def write_mp4(
    frames: Iterable[Bytes],
    size: tuple[int, int],
    fps: float,
    path: str | PathLike[str],
    audio: Audio | None = None,
) -> int:
    """Write a video atomically, and return the number of frames.

    Parameters
    ----------
    frames : pictures ``[height, width, 3]`` of bytes, sRGB; consumed one by one.
    size : width and height in pixels, even numbers, as the format requires.
    fps : frames per second, > 0.
    path : the file; H.264, yuv420p, and AAC if there is audio.
    audio : starts with the first frame and is neither cut nor stretched.

    Raises
    ------
    InvalidValueError
        If size, rate or a frame is not as described above, or there is no frame.
    UnwritableError
        If ffmpeg is not installed or fails, or the file cannot be written.
    """
    width, height = size
    if width < 2 or height < 2 or width % 2 or height % 2:
        raise InvalidValueError(f"the video is {width}x{height}, allowed are even numbers from 2")
    if not (math.isfinite(fps) and fps > 0.0):
        raise InvalidValueError(f"fps is {fps}, allowed is a positive number")
    program = _ffmpeg()
    with write_atomically(path) as target, tempfile.TemporaryDirectory() as work:
        picture = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}"]
        command = [program, "-nostdin", "-loglevel", "error", "-y", *picture]
        command += ["-framerate", f"{fps:.9g}", "-i", "pipe:0"]
        if audio is not None:
            sound = Path(work) / "sound.wav"
            sound.write_bytes(wav_bytes(audio))
            command += ["-i", str(sound), "-c:a", "aac", "-b:a", _SOUND]
        made = Path(work) / "video.mp4"
        with open(Path(work) / "errors.txt", "w+b") as errors:
            count = _encode([*command, *_encoding(), str(made)], frames, size, errors, path)
        with open(made, "rb") as file:
            shutil.copyfileobj(file, target)
    return count


def _ffmpeg() -> str:
    try:
        return str(import_module("imageio_ffmpeg").get_ffmpeg_exe())
    except (ImportError, RuntimeError):
        raise UnwritableError(
            "video needs ffmpeg, which is not installed: pip install 'kinesphere[media]'"
        ) from None


def _encoding() -> list[str]:
    """H.264 settings for wide compatibility, with the colours tagged as BT.709."""
    colours = ["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"]
    return [
        *("-c:v", "libx264", "-preset", "veryfast", "-crf", str(_QUALITY)),
        *("-vf", "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p", *colours),
        *("-movflags", "+faststart"),
    ]


def _encode(
    command: list[str],
    frames: Iterable[Bytes],
    size: tuple[int, int],
    errors: IO[bytes],
    path: str | PathLike[str],
) -> int:
    """Run ffmpeg on the frames; it is always terminated."""
    child = subprocess.Popen(  # noqa: S603 - our own arguments, no shell
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=errors
    )
    assert child.stdin is not None
    try:
        count = _feed(child.stdin, frames, size)
        status = child.wait()
    except BaseException:
        child.kill()
        child.wait()
        raise
    finally:
        _close(child.stdin)
    if status != 0:
        errors.seek(0)
        lines = errors.read().decode("utf-8", "replace").strip().splitlines()
        reason = lines[-1].strip() if lines else f"exit status {status}"
        raise UnwritableError(f"{path}: ffmpeg failed: {reason}")
    return count


def _feed(pipe: IO[bytes], frames: Iterable[Bytes], size: tuple[int, int]) -> int:
    """Write frames to ffmpeg and close the pipe; its own failure shows in the exit status."""
    count = 0
    wanted = (size[1], size[0], 3)
    for frame in frames:
        if frame.shape != wanted or frame.dtype != np.uint8:
            found = f"frame {count} has shape {frame.shape} of {frame.dtype}"
            raise InvalidValueError(f"{found}, expected {wanted} of uint8")
        try:
            pipe.write(np.ascontiguousarray(frame).data)
        except BrokenPipeError:
            break
        count += 1
    if count == 0:
        raise InvalidValueError("no frames for a video, allowed is at least one")
    _close(pipe)
    return count


def _close(pipe: IO[bytes]) -> None:
    with suppress(BrokenPipeError):
        pipe.close()
