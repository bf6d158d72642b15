"""The moving picture of the README, and pictures of performed passages.

``python docs/make_performance_pictures.py docs/pictures``
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from PIL import Image

import kinesphere as ks
from kinesphere.export.render.camera import view_of
from kinesphere.export.render.raster import DARK, render_clip
from kinesphere.formats.gltf.stored_figure import default_figure
from kinesphere.maths.arrays import Bytes

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.browser.conftest import ARGUMENTS, chromium

SENTENCE = "I know it looks huge. But honestly, there is nothing to be afraid of. Nothing at all!"
LOW, HIGH = np.array([-0.42, 0.86, -0.3]), np.array([0.42, 1.76, 0.3])


def frames_of(take: ks.Take, view: str, size: tuple[int, int], step: int) -> list[Bytes]:
    """Pictures of a take from the hips up."""
    camera = view_of(view, LOW, HIGH, *size)
    rows = range(0, len(take.clip), step)
    return list(render_clip(default_figure(), take.clip, camera, rows, DARK, follow=False))


def moving(folder: Path) -> None:
    """A performed sentence as a small animation."""
    take = ks.perform(SENTENCE, "host", seed=2)
    images = [Image.fromarray(f) for f in frames_of(take, "front", (420, 400), 3)]
    images[0].save(
        folder / "performed.webp",
        save_all=True,
        append_images=images[1:],
        duration=50,
        loop=0,
        quality=70,
        method=6,
    )


def styles(folder: Path) -> None:
    """The same sentence by two speakers, six moments each."""
    rows = []
    for style in ("host", "critic"):
        take = ks.perform(SENTENCE, style, seed=2)
        marks = take.tier("gestures")
        times = [i.start_s for i in marks or ()] + [i.end_s for i in marks or ()]
        times = sorted(times)[:6] or [0.5]
        camera = view_of("front", LOW, HIGH, 200, 220)
        chosen = [round(t * take.clip.fps) for t in times]
        shown = list(render_clip(default_figure(), take.clip, camera, chosen, DARK, follow=False))
        while len(shown) < 6:
            shown.append(shown[-1])
        rows.append(np.concatenate(shown, axis=1))
    image = Image.fromarray(np.concatenate(rows))
    image.quantize(200, dither=Image.Dither.FLOYDSTEINBERG).save(
        folder / "performed-styles.png", optimize=True
    )


def page(folder: Path) -> None:
    """A passage by two speakers on one page, as a browser shows it."""
    from playwright.sync_api import sync_playwright

    file = folder / "page.html"
    takes = [ks.perform(f"{SENTENCE} {SENTENCE}", style, seed=4) for style in ("host", "critic")]
    ks.write_page(takes, file, ["host", "critic"])
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        shown = browser.new_page(viewport={"width": 1280, "height": 760}, color_scheme="light")
        shown.goto(file.resolve().as_uri())
        shown.evaluate("() => window.kinesphere.ready")
        shown.evaluate("() => window.kinesphere.seek(3.4)")
        shown.wait_for_timeout(2500)
        shown.screenshot(path=folder / "two-styles.png")
        browser.close()
    file.unlink()
    image = Image.open(folder / "two-styles.png").convert("RGB")
    image.quantize(200, dither=Image.Dither.FLOYDSTEINBERG).save(
        folder / "two-styles.png", optimize=True
    )


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/pictures")
    moving(target)
    styles(target)
    page(target)
