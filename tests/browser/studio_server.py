"""A studio for browsers: a server in a thread, and pages that are watched."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from time import monotonic, sleep
from typing import Any

import numpy as np
from playwright.sync_api import Browser, BrowserContext

from kinesphere.maths.arrays import Floats
from kinesphere.studio.server.settings import StudioSettings
from kinesphere.studio.server.start import StudioServer
from tests.browser.conftest import Opened

TOKEN = "a-token-for-the-tests-of-pages"
TEXT = (
    "I know it looks huge. But honestly, there is nothing to be afraid of. Nothing at all! "
    "There are three reasons."
)
HANDS = "['leftHand', 'rightHand'].flatMap((bone) => kinesphere.jointPosition(bone, which))"


class RunningStudio:
    """A server that runs in a thread."""

    def __init__(self, port: int = 0, **settings: Any) -> None:
        self.server = StudioServer(StudioSettings(port=port, token=TOKEN, **settings))
        self.thread = threading.Thread(target=self.server.run, daemon=True)
        self.thread.start()

    @property
    def address(self) -> str:
        return self.server.address

    @property
    def port(self) -> int:
        return self.server.port

    def stop(self) -> None:
        self.server.stop()
        self.thread.join(20.0)
        assert not self.thread.is_alive()
        end = monotonic() + 5.0
        while monotonic() < end:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)):
                    return
            sleep(0.05)


class StudioPage(Opened):
    """A page of the studio, used as a person would."""

    context: BrowserContext

    def perform(self, text: str = TEXT, longest_s: float = 30.0) -> None:
        self.page.get_by_role("tab", name="Speak").click()
        self.page.get_by_role("textbox").first.fill(text)
        before = self.ask("kinesphere.revision")
        self.page.get_by_role("button", name="Perform", exact=False).first.click()
        self.settle(before, longest_s)

    def settle(self, before: int, longest_s: float = 30.0) -> None:
        """Wait until a take of a later revision than this is shown."""
        self.wait(
            f"kinesphere.revision > {before} && kinesphere.takes.current !== null && "
            "kinesphere.takes.current.whole && "
            "kinesphere.takes.current.revision === kinesphere.revision",
            longest_s,
        )
        self.ask("kinesphere.pause()")

    @contextlib.contextmanager
    def changes(self, longest_s: float = 30.0) -> Iterator[None]:
        """What is done in this block leads to another take, which is waited for."""
        before = self.ask("kinesphere.revision")
        yield
        self.settle(before, longest_s)

    def hands(self, times: Floats | None = None, which: str = "take") -> Floats:
        """Places of both hands ``[times, 6]``."""
        end = self.ask("kinesphere.takes.current.frames / kinesphere.takes.current.fps")
        moments = np.linspace(0.2, end - 0.3, 40) if times is None else times
        script = f"""(moments) => moments.map((moment) => {{
            const which = "{which}";
            kinesphere.seek(moment);
            return {HANDS};
        }})"""
        return np.array(self.page.evaluate(script, moments.tolist()))

    def moved_hands(self, longest_s: float = 15.0) -> Floats:
        """Hands of a take whose character may still be on its way: it stands at home until then."""
        end = monotonic() + longest_s
        while True:
            found = self.hands()
            if np.ptp(found, axis=0).max() > 0.0 or monotonic() > end:
                return found
            self.page.wait_for_timeout(100)

    def tab(self, name: str) -> None:
        self.page.get_by_role("tab", name=name).click()


def open_studio(
    browser: Browser, address: str, width: int = 1280, height: int = 720, **options: Any
) -> StudioPage:
    """Open a page of the studio and wait until it can be used."""
    context = browser.new_context(viewport={"width": width, "height": height}, **options)
    shown = StudioPage(context.new_page())
    shown.context = context
    logs = {"error": shown.complaints, "warning": shown.warnings}
    shown.page.on("console", lambda m: logs.get(m.type, []).append(m.text))
    shown.page.on("pageerror", lambda error: shown.complaints.append(str(error)))
    shown.page.on("request", lambda request: shown.requests.append(request.url))
    shown.page.goto(address)
    shown.ask("kinesphere.ready")
    return shown
