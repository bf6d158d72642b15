"""Pictures of body language from a voice: ``python docs/make_listening_pictures.py docs/pictures``.

A strip of a voice that was listened to, the page about a model that was trained on the
benchmark's made-up corpus, and the page of measures of a take.
"""

from __future__ import annotations

import io
import itertools
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.browser.conftest import ARGUMENTS, chromium  # noqa: E402
from tests.pipeline.talking import trained  # noqa: E402

import kinesphere as ks  # noqa: E402
from kinesphere.evaluation.movement import wrist_motion  # noqa: E402
from kinesphere.evaluation.synchrony import stroke_peaks  # noqa: E402
from kinesphere.export.pages.model.model_page import write_model_page  # noqa: E402
from kinesphere.export.render.camera import view_of  # noqa: E402
from kinesphere.export.render.raster import LIGHT, render_clip  # noqa: E402
from kinesphere.formats.gltf.stored_figure import default_figure  # noqa: E402
from kinesphere.pipeline.stages.utter import speak  # noqa: E402
from kinesphere.speech.prosody.prosody import prosody  # noqa: E402

SAID = (
    "We walked along the river for hours, and then, suddenly, there it was. The biggest tree that I "
    "have ever seen in my life!"
)
LOW, HIGH = np.array([-0.5, 0.82, -0.3]), np.array([0.5, 1.78, 0.3])


def strip(folder: Path) -> None:
    """A dozen moments of a voice that was listened to; its sound and the speed of the hands below.

    Lines are the peaks of syllables, dots the moments at which the faster hand is fastest.
    """
    take = ks.listen(speak(SAID), seed=4)
    camera = view_of("front", LOW, HIGH, 150, 170)
    times = np.linspace(0.6, take.clip.duration_s - 1.0, 12)
    rows = [round(t * take.clip.fps) for t in times]
    shown = np.concatenate(
        list(render_clip(default_figure(), take.clip, camera, rows, LIGHT, follow=False)), axis=1
    )
    assert take.audio is not None
    sound = np.abs(np.asarray(take.audio.samples))
    width = shown.shape[1]
    seconds = np.linspace(times[0] - 0.3, times[-1] + 0.3, width + 1)
    cuts = np.clip(seconds * take.audio.rate_hz, 0, len(sound) - 1).astype(int)
    peaks = np.array([sound[a : max(b, a + 1)].max() for a, b in itertools.pairwise(cuts)])
    wave = np.full((48, width, 3), 245, dtype=np.uint8)
    for x, peak in enumerate(peaks / peaks.max()):
        half = max(int(22 * peak), 1)
        wave[24 - half : 24 + half, x] = (70, 90, 130)
    marks = [s.peak_s for s in prosody(take.audio.samples, take.audio.rate_hz).syllables]
    hands = speeds(take.clip, marks, seconds)
    image = Image.fromarray(np.concatenate([shown, wave, hands]))
    image.quantize(128).save(folder / "listened.png", optimize=True)


def speeds(clip: ks.Clip, marks: list[float], seconds: np.ndarray) -> np.ndarray:
    """Speed of the faster hand over seconds ``[width + 1]``, with syllables and its peaks."""
    height, width = 88, len(seconds) - 1
    picture = Image.new("RGB", (width, height), (245, 245, 245))
    pen = ImageDraw.Draw(picture)
    motion = wrist_motion(clip, ks.default_rig())
    speed = motion.speeds.max(axis=1)
    times = np.arange(len(speed)) / 60.0

    def x(time_s: float) -> float:
        return float(np.interp(time_s, seconds, np.arange(width + 1)))

    def y(value: float) -> float:
        return height - 4 - (height - 12) * value / 2.0

    for mark in marks:
        pen.line([(x(mark), 0), (x(mark), height)], fill=(205, 205, 215))
    drawn = np.interp(seconds, times, speed)
    pen.line([(k, y(v)) for k, v in enumerate(drawn)], fill=(40, 80, 160), width=2)
    for top in stroke_peaks(motion):
        if seconds[0] <= top <= seconds[-1]:
            there, value = x(top), y(float(np.interp(top, times, speed)))
            pen.ellipse([there - 3, value - 3, there + 3, value + 3], fill=(210, 70, 40))
    return np.asarray(picture)


def report(folder: Path) -> None:
    """The page about a trained model."""
    with tempfile.TemporaryDirectory() as made:
        path = Path(made) / "report.html"
        write_model_page(trained(), path)
        photographed(path, folder / "training-report.png", 1290)


def measured(folder: Path) -> None:
    """The page of measures of a take that was made for a voice."""
    with tempfile.TemporaryDirectory() as made:
        take, path = Path(made) / "listened.kin", Path(made) / "measured.html"
        ks.listen(speak(" ".join([SAID] * 4)), seed=4).save(take)
        ks.write_evaluation_page(ks.evaluate([take]), path)
        photographed(path, folder / "evaluation.png", 1400)


def photographed(page_file: Path, picture: Path, height: int) -> None:
    """The top of a page as a picture."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1100, "height": height})
        page.goto(page_file.as_uri())
        page.wait_for_timeout(500)
        image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        image.quantize(200, dither=Image.Dither.NONE).save(picture, optimize=True)
        browser.close()


def main(folder: Path) -> None:
    """Make all pictures."""
    strip(folder)
    report(folder)
    measured(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/pictures"))
