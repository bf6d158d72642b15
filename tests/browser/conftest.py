"""A real browser, and pages written for it. Its absence is a failure, never a skip."""

from __future__ import annotations

import base64
import io
import runpy
import wave
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Browser, Error, Page, Playwright, sync_playwright
from tools.browser import NoBrowserError, installed, use_our_node

import kinesphere as ks
from kinesphere.export.pages.take_page import Scene, write_html
from kinesphere.formats.gltf.gltf_writing import glb_bytes
from kinesphere.timeline import Interval, Tier

ROOT = Path(__file__).resolve().parents[2]
ARGUMENTS = [
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

use_our_node()


def chromium() -> str:
    """Path of the browser that `tools/browser.py` recorded or finds; its absence is a failure."""
    try:
        return str(installed())
    except NoBrowserError as error:
        pytest.fail(str(error))


@pytest.fixture(scope="package")
def driver() -> Iterator[Playwright]:
    """What starts browsers: there can be only one of it.

    It keeps an event loop in this thread, which tests elsewhere could not have one of their own in.
    """
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="package")
def browser(driver: Playwright) -> Iterator[Browser]:
    started = driver.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
    yield started
    started.close()


@dataclass
class Opened:
    """A page with what it complained about and asked for."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def ask(self, script: str) -> Any:
        return self.page.evaluate(script)

    def wait(self, condition: str, longest_s: float = 10.0) -> None:
        """Wait for a condition. Playwright's own way evaluates text, which the page forbids."""
        end = monotonic() + longest_s
        while not self._holds(condition):
            assert monotonic() < end, f"never came true: {condition}"
            self.page.wait_for_timeout(15)

    def _holds(self, condition: str) -> bool:
        """Whether a condition holds; not while the page is just being loaded again."""
        try:
            return bool(self.ask(condition))
        except Error as error:
            if "is not defined" in str(error) or "context was destroyed" in str(error):
                return False
            raise

    def picture(self, settle_ms: int = 150) -> bytes:
        self.page.wait_for_timeout(settle_ms)
        return self.page.locator(".stage").screenshot()

    def assert_calm(self) -> None:
        assert self.complaints == []
        assert self.warnings == []
        outside = [r for r in self.requests if not r.startswith(("data:", "blob:"))]
        assert len(outside) == 1, outside
        assert outside[0].startswith("file:")


Open = Callable[..., Opened]


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Open]:
    """Open a file; after the test, nothing may have been complained about or fetched."""
    opened: list[Opened] = []

    def open_file(path: Path, width: int = 480, height: int = 420, **options: Any) -> Opened:
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        shown = Opened(context.new_page())
        logs = {"error": shown.complaints, "warning": shown.warnings}
        shown.page.on("console", lambda m: logs.get(m.type, []).append(m.text))
        shown.page.on("pageerror", lambda error: shown.complaints.append(str(error)))
        shown.page.on("request", lambda request: shown.requests.append(request.url))
        shown.page.goto(path.resolve().as_uri())
        shown.ask("kinesphere.ready")
        opened.append(shown)
        return shown

    yield open_file
    for shown in opened:
        shown.assert_calm()
        shown.page.context.close()


@pytest.fixture(scope="package")
def pixels(browser: Browser) -> Iterator[Callable[[bytes], NDArray[np.uint8]]]:
    """Decode a picture with the browser itself: ``[height, width, 4]``."""
    page = browser.new_page()

    def decode(png: bytes) -> NDArray[np.uint8]:
        width, height, text = page.evaluate(
            """async (url) => {
                const image = new Image();
                image.src = url;
                await image.decode();
                const canvas = document.createElement("canvas");
                [canvas.width, canvas.height] = [image.width, image.height];
                const context = canvas.getContext("2d");
                context.drawImage(image, 0, 0);
                const data = context.getImageData(0, 0, image.width, image.height).data;
                let text = "";
                for (const byte of data) text += String.fromCharCode(byte);
                return [image.width, image.height, btoa(text)];
            }""",
            "data:image/png;base64," + base64.b64encode(png).decode(),
        )
        flat = np.frombuffer(base64.b64decode(text), np.uint8)
        return flat.reshape(height, width, 4)

    yield decode
    page.close()


@pytest.fixture(scope="session")
def clip() -> ks.Clip:
    made: ks.Clip = runpy.run_path(str(ROOT / "examples" / "01_wave.py"))["wave"]()
    return made


def wav(seconds: float, rate_hz: int = 16000) -> bytes:
    """A tone that swells and fades."""
    t = np.arange(int(seconds * rate_hz)) / rate_hz
    samples = 0.3 * np.sin(2 * np.pi * t) * np.sin(2 * np.pi * 220 * t)
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate_hz)
        file.writeframes((samples * 32767).astype("<i2").tobytes())
    return out.getvalue()


def scene_of(clip: ks.Clip, title: str = "Wave", **extras: Any) -> Scene:
    bones = {name: name for name in clip.skeleton.names}
    return Scene(title, glb_bytes(ks.Take(clip)), clip.fps, len(clip), bones=bones, **extras)


TIERS = (
    Tier("words", (Interval(0.4, 0.8, "hello"), Interval(0.8, 1.4, "you"))),
    Tier("phases right", (Interval(0.5, 1.1, "preparation"), Interval(1.1, 2.6, "stroke"))),
    Tier("beats", (Interval(1.5, 1.5, "x"),)),
)
CURVES = {"pitch": [(0.1 * i, 120.0 + i if i % 5 else float("nan")) for i in range(40)]}


@pytest.fixture(scope="session")
def wave_page(clip: ks.Clip, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One scene with everything: sound, tiers, curves."""
    path = tmp_path_factory.mktemp("pages") / "wave.html"
    write_html([scene_of(clip, tiers=TIERS, curves=CURVES, audio_wav=wav(4.0))], path)
    return path


@pytest.fixture(scope="session")
def compare_page(clip: ks.Clip, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two scenes: the wave, and the same held still at its first frame."""
    still = ks.edit(ks.Take(clip), ks.Edits(start_s=0.0, end_s=0.2)).clip
    scenes = [
        scene_of(clip, "Moving", tiers=TIERS, audio_wav=wav(4.0)),
        scene_of(still, "Short", audio_wav=wav(1.0)),
    ]
    path = tmp_path_factory.mktemp("pages") / "compare.html"
    write_html(scenes, path, title="Two takes")
    return path
