"""MP4 files read back with ffmpeg: frames, rate, sound, both starting together, or nothing left."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import imageio_ffmpeg
import numpy as np
import pytest

from kinesphere.errors import InvalidValueError, UnwritableError
from kinesphere.export.render.raster import render_clip
from kinesphere.export.render.video import write_mp4
from kinesphere.maths.arrays import Bytes
from kinesphere.motion.take import Audio
from tests.conftest import smooth_clip
from tests.export.test_raster import octahedra_figure

SIZE = (64, 48)


def ffmpeg(*arguments: str | Path) -> tuple[bytes, str]:
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-nostdin", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, check=False)
    return done.stdout, done.stderr.decode()


def pictures(path: Path) -> np.ndarray:
    raw, _ = ffmpeg(
        "-i", path, "-f", "rawvideo", "-pix_fmt", "rgb24", "-fps_mode", "passthrough", "-"
    )
    return np.frombuffer(raw, np.uint8).reshape(-1, SIZE[1], SIZE[0], 3)


def sound(path: Path, rate: int) -> np.ndarray:
    raw, _ = ffmpeg("-i", path, "-f", "s16le", "-ac", "1", "-ar", str(rate), "-")
    return np.frombuffer(raw, "<i2") / 32768.0


def found(pattern: str, text: str) -> tuple[str, ...]:
    match = re.search(pattern, text)
    assert match, text
    return match.groups()


def grey(count: int, level: int = 40) -> Iterator[Bytes]:
    for _ in range(count):
        yield np.full((SIZE[1], SIZE[0], 3), level, np.uint8)


@pytest.mark.parametrize("fps", [30.0, 24.0, 29.97])
def test_frames_rate_and_length_are_read_back(tmp_path: Path, fps: float) -> None:
    path = tmp_path / "plain.mp4"
    assert write_mp4(grey(45), SIZE, fps, path) == 45
    assert len(pictures(path)) == 45
    _, told = ffmpeg("-i", path)
    assert re.search(r"Video: h264.*yuv420p.*bt709.*64x48", told)
    assert float(found(r"([\d.]+) fps", told)[0]) == pytest.approx(fps, abs=0.01)
    hours, minutes, seconds = found(r"Duration: (\d+):(\d+):([\d.]+)", told)
    assert 60 * (60 * int(hours) + int(minutes)) + float(seconds) == pytest.approx(
        45 / fps, abs=0.02
    )
    assert "Audio" not in told


@pytest.mark.parametrize("rate", [16000, 44100])
def test_a_flash_and_a_click_come_together(tmp_path: Path, rate: int) -> None:
    fps, moment = 30.0, 12
    frames = [
        np.full((SIZE[1], SIZE[0], 3), 255 if i == moment else 10, np.uint8) for i in range(40)
    ]
    samples = np.zeros(int(rate * 40 / fps))
    start = int(rate * moment / fps)
    samples[start : start + rate // 100] = 0.9 * np.sin(np.arange(rate // 100) * 0.5)
    path = tmp_path / "click.mp4"
    write_mp4(frames, SIZE, fps, path, Audio(samples, rate))
    flash_s = int(np.argmax(pictures(path).mean(axis=(1, 2, 3)))) / fps
    heard = np.abs(sound(path, rate))
    click_s = int(np.argmax(heard > 0.3)) / rate
    assert flash_s == pytest.approx(moment / fps)
    assert abs(click_s - flash_s) < 0.5 / fps
    _, told = ffmpeg("-i", path)
    assert re.search(r"Audio: aac", told)


def test_colours_survive(tmp_path: Path) -> None:
    colours = [(250, 250, 250), (200, 40, 40), (40, 160, 60), (30, 60, 190), (20, 22, 26)]
    frames = [np.full((SIZE[1], SIZE[0], 3), colour, np.uint8) for colour in colours]
    write_mp4(frames, SIZE, 10.0, tmp_path / "colours.mp4")
    read = pictures(tmp_path / "colours.mp4")[:, 24, 32].astype(int)
    assert np.abs(read - colours).max() <= 5


def test_a_clip_becomes_a_video(tmp_path: Path, rng: np.random.Generator) -> None:
    figure = octahedra_figure()
    clip = smooth_clip(figure.skeleton, rng, frames=8)
    drawn = list(render_clip(figure, clip, size=SIZE))
    write_mp4(iter(drawn), SIZE, clip.fps, tmp_path / "clip.mp4")
    read = pictures(tmp_path / "clip.mp4").astype(int)
    assert len(read) == 8
    assert np.abs(read - np.array(drawn)).mean() < 4


def test_nothing_is_left_when_drawing_fails(tmp_path: Path) -> None:
    def failing() -> Iterator[Bytes]:
        yield from grey(3)
        raise ZeroDivisionError

    (tmp_path / "old.mp4").write_bytes(b"old")
    with pytest.raises(ZeroDivisionError):
        write_mp4(failing(), SIZE, 30.0, tmp_path / "old.mp4")
    assert [p.name for p in tmp_path.iterdir()] == ["old.mp4"]
    assert (tmp_path / "old.mp4").read_bytes() == b"old"


def test_ffmpegs_own_failure_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "ffmpeg"
    program.write_text(f"#!{sys.executable}\nimport sys\nsys.exit('first\\n[x] no such encoder')\n")
    program.chmod(0o755)
    monkeypatch.setattr(imageio_ffmpeg, "get_ffmpeg_exe", lambda: str(program))
    (tmp_path / "out").mkdir()
    with pytest.raises(UnwritableError, match=r"^[^\n]*ffmpeg failed: \[x\] no such encoder$"):
        write_mp4(grey(200), (64, 48), 30.0, tmp_path / "out" / "video.mp4")
    assert not list((tmp_path / "out").iterdir())


def test_without_ffmpeg_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(UnwritableError, match=r"kinesphere\[media\]"):
        write_mp4(grey(1), SIZE, 30.0, tmp_path / "video.mp4")
    assert not list(tmp_path.iterdir())


def test_what_is_no_video_is_refused(tmp_path: Path) -> None:
    wrong = [
        ((63, 48), 30.0, grey(1)),
        ((0, 48), 30.0, grey(1)),
        (SIZE, 0.0, grey(1)),
        (SIZE, float("nan"), grey(1)),
        (SIZE, 30.0, grey(0)),
        ((32, 48), 30.0, grey(1)),
    ]
    for size, fps, frames in wrong:
        with pytest.raises(InvalidValueError, match=r"allowed|expected"):
            write_mp4(frames, size, fps, tmp_path / "video.mp4")
    with pytest.raises(UnwritableError):
        write_mp4(grey(1), SIZE, 30.0, tmp_path / "no" / "video.mp4")
    assert not list(tmp_path.iterdir())
