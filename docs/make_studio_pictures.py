"""Pictures of the studio, by a real browser: ``python docs/make_studio_pictures.py docs/pictures``."""

from __future__ import annotations

import io
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.browser.conftest import ARGUMENTS, chromium  # noqa: E402
from tests.browser.studio_server import RunningStudio, StudioPage, open_studio  # noqa: E402

TEXT = (
    "I know it looks huge. But honestly, there is nothing to be afraid of. Nothing at all! "
    "There are three reasons."
)
MOMENT_S = 1.12


def written(page: StudioPage, path: Path) -> None:
    """Take a picture, small enough for a repository."""
    page.page.wait_for_timeout(700)
    shown = Image.open(io.BytesIO(page.page.screenshot())).convert("RGB")
    shown.save(path, quality=84, method=6)
    print(path.name, path.stat().st_size // 1000, "kB")


def at(page: StudioPage, moment_s: float) -> None:
    """Show a moment."""
    page.ask(f"kinesphere.pause(); kinesphere.seek({moment_s})")


def desktop(browser: Browser, address: str, folder: Path) -> None:
    """Every tab, light; directing in the dark, compared."""
    page = open_studio(browser, address, color_scheme="light")
    page.perform(TEXT)
    first = page.ask("kinesphere.document.gestures[0].id")
    page.page.locator(f"[data-gesture='{first}']").click()
    at(page, MOMENT_S)
    written(page, folder / "studio-speak.webp")
    page.page.keyboard.press("Escape")
    for name in ("Talk", "Material", "Export"):
        page.tab(name)
        at(page, MOMENT_S)
        written(page, folder / f"studio-{name.lower()}.webp")
    page.context.close()


def directed(browser: Browser, address: str, folder: Path) -> None:
    """A take that is directed, beside itself, in the dark."""
    page = open_studio(browser, address, width=1440, height=900, color_scheme="dark")
    page.perform(TEXT)
    points = [
        {"part": part, "factor": "vertical", "time_s": t, "value": v}
        for part in ("left-arm", "right-arm")
        for t, v in ((0.4, -0.8), (2.4, -0.7), (4.6, 0.7), (6.5, 0.2))
    ]
    with page.changes():
        page.page.evaluate(
            "(phrase) => kinesphere.api.send({type: 'direct', directing: "
            "{...kinesphere.document.directing, phrase, tension: {error_m: 0.05, zeta: 0.35}, "
            "parts: {'left-arm': {weight: 0.4}, 'right-arm': {weight: 0.4}}}})",
            points,
        )
    page.tab("Direct")
    page.page.locator(".phrase-legend").get_by_text("Vertical").click()
    page.page.locator("canvas").first.click(position={"x": 300, "y": 100})
    page.page.keyboard.press("b")
    at(page, MOMENT_S)
    written(page, folder / "studio-direct.webp")
    page.context.close()


def tablet(browser: Browser, address: str, folder: Path) -> None:
    """Every view upright, as a tablet is held; the panels are in a drawer."""
    page = open_studio(
        browser, address, width=820, height=1180, color_scheme="light", has_touch=True
    )
    page.page.evaluate(
        "(text) => kinesphere.api.send({type: 'perform', speaking: "
        "{...kinesphere.document.speaking, text}})",
        TEXT,
    )
    page.settle(0)
    at(page, MOMENT_S)
    written(page, folder / "studio-tablet.webp")
    page.page.get_by_role("button", name="Tools").click()
    for name in ("Speak", "Talk", "Direct", "Material", "Export"):
        page.tab(name)
        written(page, folder / f"studio-tablet-{name.lower()}.webp")
    page.context.close()


def main(folder: Path) -> None:
    """Make all pictures."""
    running = RunningStudio()
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        desktop(browser, running.address, folder)
        directed(browser, running.address, folder)
        tablet(browser, running.address, folder)
        browser.close()
    running.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/pictures"))
