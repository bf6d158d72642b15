"""The live page in a real browser."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from time import monotonic
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from playwright.sync_api import Browser

import kinesphere as ks
from kinesphere.realtime.sinks.page import PageSink
from tests.browser.conftest import Opened

# Many times a second: the time shown, and where a hand is at that moment; until it has moved.
WATCH = """(longest) => new Promise((done) => {
    const seen = [];
    const start = performance.now();
    const span = (k) => Math.max(...seen.map((s) => s[k])) - Math.min(...seen.map((s) => s[k]));
    const look = () => {
        if (kinesphere.time !== null) {
            const places = [0, 1].map((c) => kinesphere.jointPosition(c, "rightHand"));
            seen.push([kinesphere.time, ...places.flat()]);
        }
        const often = new Set(seen.map((s) => s[0])).size > 6;
        const moved = often && span(2) > 0.3 && span(5) > 0.3;
        if (moved || performance.now() - start > 1000 * longest) done(seen);
        else setTimeout(look, 15);
    };
    look();
})"""
PLACES = "([c, names]) => names.map((name) => kinesphere.jointPosition(c, name))"

WIDE = 320

Watch = Callable[..., Opened]


@pytest.fixture
def watch(browser: Browser) -> Iterator[Watch]:
    """Open a live page; after the test, nothing unexpected may have been complained about."""
    opened: list[Opened] = []

    def open_address(address: str, width: int = 200, height: int = 220, **options: Any) -> Opened:
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        shown = Opened(context.new_page())
        shown.page.on("pageerror", lambda error: shown.complaints.append(str(error)))
        shown.page.on("request", lambda request: shown.requests.append(request.url))
        shown.page.goto(address)
        shown.ask("kinesphere.ready")
        shown.wait("kinesphere.state === 'live'")
        opened.append(shown)
        return shown

    yield open_address
    for shown in opened:
        assert shown.complaints == []
        shown.page.context.close()


def to_and_fro(at: Any, end: float) -> Any:
    """A place on a way that is gone forth and back, of how far one has gone."""
    return end - np.abs(np.mod(at, 2 * end) - end)


def frames_of(clip: ks.Clip, start: int, stop: int, lags: tuple[int, ...] = (0,)) -> Any:
    """Frames of a clip, forth and back, on characters that are numbers of frames behind."""
    k = np.arange(start, stop)
    chosen = np.stack([to_and_fro(k - lag, len(clip) - 1) for lag in lags])
    return SimpleNamespace(
        times_s=k / clip.fps,
        root_positions=clip.root_positions[chosen],
        rotations=clip.rotations[chosen],
        channels={"aa": 0.5 + 0 * chosen, "jaw": 0.3 + 0 * chosen},
    )


def assert_shown(shown: Opened, clip: ks.Clip, frame: int, character: int = 0) -> None:
    """The page holds a frame of the clip, in every joint."""
    names = list(clip.skeleton.names)
    places = np.array(shown.page.evaluate(PLACES, [character, names]))
    np.testing.assert_allclose(places, clip.world_positions[frame], atol=1e-3)


def holds(time: float) -> str:
    return f"Math.abs(kinesphere.time - {time}) < 1e-6"


def test_the_figures_move_as_they_are_told(watch: Watch, clip: ks.Clip) -> None:
    """While frames come, every moment is on the way between them; then the last one is held."""
    lags = (0, 30)
    with PageSink(characters=2) as sink:
        shown = watch(sink.address)
        stop = threading.Event()
        sent = [0]

        def speak() -> None:
            while not stop.wait(0.05) and sent[0] < 3000:
                sink.send(frames_of(clip, sent[0], sent[0] + 3, lags))
                sent[0] += 3
            sink.note("enough")

        speaker = threading.Thread(target=speak)
        speaker.start()
        seen = np.array(shown.page.evaluate(WATCH, 15.0))
        stop.set()
        speaker.join()
        shown.wait(f"kinesphere.note === 'enough' && {holds((sent[0] - 1) / clip.fps)}")
        for character, lag in enumerate(lags):
            assert_shown(shown, clip, to_and_fro(sent[0] - 1 - lag, len(clip) - 1), character)
        assert shown.ask("kinesphere.shapeWeight(1, 'aa')") == pytest.approx(0.5, abs=0.01)
        assert shown.page.get_by_text("enough").is_visible()
    at = np.arange(len(clip)) / clip.fps
    path = clip.joint_positions("rightHand")
    for character, lag in enumerate(lags):
        time = to_and_fro(seen[:, 0] - lag / clip.fps, clip.duration_s)
        expected = np.stack([np.interp(time, at, path[:, k]) for k in range(3)], axis=1)
        places = seen[:, 1 + 3 * character : 4 + 3 * character]
        np.testing.assert_allclose(places, expected, atol=1e-3)
        assert np.ptp(places, axis=0).max() > 0.3, "the hand waves"
    assert (np.diff(seen[:, 0]) >= 0).all()
    assert len(np.unique(seen[:, 0])) > 4


def test_a_page_finds_its_sender_again(watch: Watch, clip: ks.Clip) -> None:
    with PageSink(token="same") as sink:
        sink.send(frames_of(clip, 0, 100))
        shown = watch(sink.address)
        port = urlsplit(sink.address).port
        shown.wait(holds(99 / clip.fps))
        assert_shown(shown, clip, 99)
    shown.wait("kinesphere.state === 'ended'")
    assert shown.page.get_by_role("status").inner_text().startswith("Ended")
    assert_shown(shown, clip, 99)
    with PageSink(token="same", port=port) as sink:
        sink.send(frames_of(clip, 0, 21))
        shown.wait(f"kinesphere.state === 'live' && {holds(20 / clip.fps)}")
        assert_shown(shown, clip, 20)
        assert shown.page.get_by_role("status").inner_text() == "Live"
    with PageSink(token="same", port=port, title="Another"):
        shown.wait("document.title === 'Another' && kinesphere.state === 'live'")
    with PageSink(token="other", port=port):
        shown.wait("kinesphere.state === 'refused'")
        shown.page.wait_for_timeout(300)
        asked = len(shown.requests)
        shown.page.wait_for_timeout(300)
        assert len(shown.requests) == asked, "it does not ask again"
    outside = {urlsplit(r).netloc for r in shown.requests if not r.startswith(("data:", "blob:"))}
    assert outside == {f"127.0.0.1:{port}"}


def test_two_look_at_once_and_strangers_do_not(
    watch: Watch, browser: Browser, clip: ks.Clip
) -> None:
    with PageSink() as sink:
        first, second = watch(sink.address), watch(sink.address, WIDE, 300, is_mobile=True)
        sink.send(frames_of(clip, 0, 20))
        for shown in (first, second):
            shown.wait(holds(19 / clip.fps))
            assert_shown(shown, clip, 19)
        assert sink.viewers == 2
        assert asked_by_a_stranger(browser, sink.address + "frames") == ["kept out"] * 2
        assert sink.viewers == 2
        first.page.close()
        sink.send(frames_of(clip, 20, 31))
        second.wait(holds(30 / clip.fps))
        assert_shown(second, clip, 30)
        end = monotonic() + 10.0
        while sink.viewers > 1:
            assert monotonic() < end, "one who left is noticed"
            second.page.wait_for_timeout(20)
        assert_fits(second)


class _Bare(BaseHTTPRequestHandler):
    """A page of someone else on this machine, who allows itself everything."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b'<link rel="icon" href="data:,"><p>hello')

    def log_message(self, format: str, *args: Any) -> None:
        pass


def asked_by_a_stranger(browser: Browser, address: str) -> list[str]:
    """What a page of another origin gets, whether or not it wants to read the answer."""
    ask = """([at, mode]) => fetch(at, { mode }).then(() => "let in", () => "kept out")"""
    with HTTPServer(("127.0.0.1", 0), _Bare) as server:
        answering = threading.Thread(target=server.serve_forever, args=(0.05,))
        answering.start()
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/")
        found = [page.evaluate(ask, [address, mode]) for mode in ("cors", "no-cors")]
        page.close()
        server.shutdown()
        answering.join()
    return found


def assert_fits(shown: Opened) -> None:
    """On a phone nothing sticks out, and every control has a name."""
    boxes = shown.ask(
        """[...document.querySelectorAll("button, h1, canvas, footer, footer .state")].map((e) => {
            const r = e.getBoundingClientRect();
            const name = e.getAttribute("aria-label") || e.textContent.trim();
            return [r.left, r.right, r.width, Boolean(name)]; })"""
    )
    assert shown.ask("document.documentElement.scrollWidth") == WIDE
    for left, right, width, name in boxes:
        assert left >= 0, boxes
        assert right <= WIDE, boxes
        assert width > 0, boxes
        assert name, boxes
