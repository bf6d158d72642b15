"""The live page's server: what it says, to whom, and that nobody can make the sender wait."""

from __future__ import annotations

import base64
import http.client
import json
import re
import socket
import struct
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic, sleep
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.realtime.sinks.page import PageSink
from kinesphere.realtime.sinks.page_frames import encode, message, shape_names

GOLDEN = Path(__file__).resolve().parents[2] / "web" / "tests" / "live-golden.json"
NAMES = ks.default_rig().skeleton.names


def frames_of(count: int, characters: int | None = None, start: int = 0) -> Any:
    """Frames of smooth made-up poses; every number differs from its neighbours."""
    lead = () if characters is None else (characters,)
    k = np.arange(start, start + count)
    phase = np.arange(np.prod((*lead, 1), dtype=int)).reshape(*lead, 1) + 0.01 * k
    turns = np.sin(phase[..., None, None] + np.arange(len(NAMES) * 4).reshape(-1, 4) + 0.5)
    turns /= np.linalg.norm(turns, axis=-1, keepdims=True)
    roots = np.stack([phase, 0.965 + 0 * phase, -2.0 * phase], axis=-1)
    channels = {"aa": 0.5 + 0.5 * np.sin(phase), "jaw": 0.2 + 0 * phase, "blink": 1.0 + 0 * phase}
    return SimpleNamespace(
        times_s=k / 60.0, root_positions=roots, rotations=turns, channels=channels
    )


@pytest.fixture
def opened() -> Iterator[Callable[..., PageSink]]:
    """Sinks that leave neither threads nor connections behind."""
    before = set(threading.enumerate())
    made: list[PageSink] = []

    def open_sink(**options: Any) -> PageSink:
        made.append(PageSink(**options))
        return made[-1]

    yield open_sink
    for sink in made:
        sink.close()
    assert set(threading.enumerate()) <= before


Opened = Callable[..., PageSink]


def get(sink: PageSink, path: str | None = None, **headers: str) -> http.client.HTTPResponse:
    at = urlsplit(sink.address)
    connection = http.client.HTTPConnection(at.hostname, at.port, timeout=5)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request("GET", at.path if path is None else path, headers=named)
    return connection.getresponse()


def status(sink: PageSink, path: str | None = None, **headers: str) -> int:
    with get(sink, path, **headers) as answer:
        return answer.status


def messages(data: bytes) -> list[tuple[int, bytes]]:
    """A reader of its own."""
    found, at = [], 0
    while at < len(data):
        size, kind = struct.unpack_from("<II", data, at)
        found.append((kind, data[at + 8 : at + 8 + size]))
        at += 8 + size
    return found


def until(condition: Callable[[], bool], longest_s: float = 5.0) -> None:
    end = monotonic() + longest_s
    while not condition():
        assert monotonic() < end
        sleep(0.005)


class Watcher:
    """A viewer who reads everything until the end."""

    def __init__(self, sink: PageSink) -> None:
        self.answer = get(sink, urlsplit(sink.address).path + "frames")
        self._pieces: list[bytes] = []
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def _read(self) -> None:
        with self.answer:
            while piece := self.answer.read1(65536):
                self._pieces.append(piece)

    @property
    def data(self) -> bytes:
        return b"".join(self._pieces)

    def found(self) -> list[tuple[int, bytes]]:
        self._thread.join(5.0)
        return messages(self.data)


def test_a_frame_says_the_pose() -> None:
    frames = frames_of(3, characters=4)
    for k, data in enumerate(encode(frames, 3, first=100)):
        ((kind, content),) = messages(data)
        time_s, number, characters = struct.unpack_from("<dII", content)
        assert (kind, time_s, number, characters) == (1, k / 60.0, 100 + k, 3)
        size = (len(content) - 16) // 3
        assert size == 12 + 8 * 55 + len(shape_names())
        for c in range(3):
            body = content[16 + c * size : 16 + (c + 1) * size]
            root = struct.unpack_from("<3f", body)
            turns = np.array(struct.unpack_from("<220h", body, 12)).reshape(55, 4) / 32767
            face = dict(zip(shape_names(), body[12 + 440 :], strict=True))
            np.testing.assert_allclose(root, frames.root_positions[c, k], atol=1e-6)
            np.testing.assert_allclose(turns, frames.rotations[c, k], atol=1.6e-5)
            assert face.pop("aa") == round(255 * frames.channels["aa"][c, k])
            assert face.pop("blink") == 255
            assert not any(face.values())


def test_one_character_needs_no_axis_and_the_last_frame_is_the_last() -> None:
    one, several = frames_of(5), frames_of(5, characters=1)
    assert encode(one, 1) == encode(several, 1)
    assert encode(one, 1, 7, only_last=True) == encode(one, 1, 7)[-1:]
    with pytest.raises(
        ks.errors.InvalidValueError, match="frames of 1 characters, the page shows 2"
    ):
        encode(one, 2)


def golden() -> dict[str, Any]:
    """Bytes of a stream, and what the page must understand by them."""
    frames = frames_of(2, characters=2, start=41)
    parts = (
        message(0, b"a page"),
        message(2, "±20 dB".encode()),
        *encode(frames, 2, 9),
        message(4),
    )
    turns = np.moveaxis(frames.rotations, 0, 1).reshape(2, 2, -1)
    return {
        "stream": base64.b64encode(b"".join(parts)).decode(),
        "shapes": list(shape_names()),
        "times": frames.times_s.tolist(),
        "numbers": [9, 10],
        "roots": np.moveaxis(frames.root_positions, 0, 1).round(9).tolist(),
        "firstTurns": turns[..., :8].round(9).tolist(),
        "lastTurns": turns[..., -4:].round(9).tolist(),
        "aa": frames.channels["aa"].T.round(9).tolist(),
    }


def test_the_page_is_tested_with_these_bytes() -> None:
    """If the format changes on purpose: write `golden` there, and change ``live-frames.ts``."""
    assert json.loads(GOLDEN.read_text("utf-8")) == golden()


def test_the_page_is_whole_and_closed_to_others(opened: Opened) -> None:
    sink = opened(title="A </script> <b>title", characters=3)
    with get(sink) as answer:
        page, policy = answer.read().decode(), answer.headers["Content-Security-Policy"]
        assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "http" not in policy
    assert "<title>A &lt;/script&gt; &lt;b&gt;title</title>" in page
    data = json.loads(re.findall(r'id="kinesphere-live">(.*?)</script>', page)[0])
    assert data["title"] == "A </script> <b>title"
    assert (data["characters"], data["shown"]) == (3, 3)
    assert data["joints"] == list(NAMES)
    assert not re.search(r'\b(src|href)="(?!data:)', page[: page.index("<style>")])
    assert re.search(r"<script>\(function\(", page), "one classic script"


def test_only_who_knows_the_address_is_let_in(opened: Opened) -> None:
    sink = opened()
    at = urlsplit(sink.address)
    token = at.path.strip("/")
    assert len(token) >= 20
    assert at.hostname == "127.0.0.1"
    assert opened().address.rstrip("/")[-len(token) :] != token
    assert [status(sink, p) for p in (f"/{token}/", f"/{token}/?x", f"/{token}/else")] == [
        200,
        200,
        404,
    ]
    for path in ("/", "/frames", f"/{token[:-1]}/", f"/{token}x/frames", "//", "/%00/"):
        assert status(sink, path) == 403, path


@pytest.mark.parametrize("where", ["", "frames"])
def test_other_sites_are_kept_out(opened: Opened, where: str) -> None:
    sink = opened()
    at = urlsplit(sink.address)
    path, port = at.path + where, at.port
    for name in (
        "evil.example",
        "127.0.0.1.evil.example",
        "0.0.0.0",
        "10.0.0.1",
        "",
        "a@127.0.0.1",
        "[::1",
        "-",
    ):
        assert status(sink, path, Host=f"{name}:{port}") == 403, name
    assert status(sink, path, Host="127.0.0.1") == 403, "without the port"
    own = f"127.0.0.1:{port}"
    for origin in ("http://evil.example", "null", f"https://{own}", f"http://localhost:{port}"):
        assert status(sink, path, Host=own, Origin=origin) == 403, origin
    for site in ("cross-site", "same-site", "none"):
        assert status(sink, path, Sec_Fetch_Mode="no-cors", Sec_Fetch_Site=site) == 403, site
    for name in (f"localhost:{port}", f"[::1]:{port}", own):
        assert status(sink, path, Host=name, Origin=f"http://{name}") == 200
    fetch = {"Sec_Fetch_Mode": "cors", "Sec_Fetch_Site": "same-origin"}
    assert status(sink, path, **fetch) == 200
    link = {"Sec_Fetch_Mode": "navigate", "Sec_Fetch_Site": "cross-site"}
    assert status(sink, path, **link) == 200, "a person may follow a link"


def test_all_viewers_get_every_frame_and_the_end(opened: Opened) -> None:
    sink = opened(characters=2)
    sink.note("first")
    sink.send(frames_of(4, 2))
    watchers = [Watcher(sink) for _ in range(3)]
    until(lambda: sink.viewers == 3)
    # A note that has not left yet is replaced by a later one.
    until(lambda: all(b"first" in w.data for w in watchers))
    for k in range(4, 40, 3):
        sink.send(frames_of(3, 2, start=k))
        sink.send(frames_of(0, 2))
    sink.note("last")
    until(lambda: all(b"last" in w.data for w in watchers))
    sink.close()
    sink.send(frames_of(1, 2))
    for watcher in watchers:
        found = watcher.found()
        assert [kind for kind, _ in found[:2]] == [0, 2]
        assert found[1][1] == b"first"
        assert found[-1] == (4, b"")
        numbers = [struct.unpack_from("<dI", c)[1] for kind, c in found if kind == 1]
        assert numbers == list(range(3, 40)), "the newest at once, then all"
        names = {c for kind, c in found if kind == 0}
        assert len(names) == 1


@pytest.mark.timing
def test_a_stalled_viewer_costs_nobody_anything(opened: Opened) -> None:
    sink = opened(characters=8)
    at = urlsplit(sink.address)
    stalled = socket.socket()
    stalled.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    stalled.connect((at.hostname, at.port))
    stalled.sendall(f"GET {at.path}frames HTTP/1.1\r\nHost: {at.netloc}\r\n\r\n".encode())
    until(lambda: sink.viewers == 1)
    watcher = Watcher(sink)
    until(lambda: sink.viewers == 2)
    batch = frames_of(6, 8)
    tracemalloc.start()
    longest = 0.0
    for _ in range(250):
        start = monotonic()
        sink.send(batch)
        longest = max(longest, monotonic() - start)
        sleep(0.0005)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    sent = len(encode(batch, 8)[0]) * 6 * 250
    watched = len(watcher.data)
    assert sent > 5e6
    assert kept - watched < 1.5e6, "what waits for the stalled one is bounded"
    assert longest < 2.0, "sending does not wait for anyone"
    sink.close()
    numbers = [struct.unpack_from("<dI", c)[1] for kind, c in watcher.found() if kind == 1]
    assert numbers[-1] == 1499
    stalled.settimeout(5.0)
    data = b""
    while piece := stalled.recv(1 << 16):
        data += piece
    stalled.close()
    assert len(data) < sent / 4, "the stalled one has skipped most"


@pytest.mark.timing
def test_viewers_come_and_go(opened: Opened) -> None:
    sink = opened()
    at = urlsplit(sink.address)
    for _ in range(3):
        gone = socket.create_connection((at.hostname, at.port))
        gone.sendall(f"GET {at.path}frames HTTP/1.1\r\nHost: {at.netloc}\r\n\r\n".encode())
        until(lambda: sink.viewers == 1)
        gone.close()
        for _ in range(300):
            sink.send(frames_of(1))
            if not sink.viewers:
                break
            sleep(0.01)
        assert sink.viewers == 0
    idle = socket.create_connection((at.hostname, at.port))
    start = monotonic()
    sink.close()
    sink.close()
    assert monotonic() - start < 2.0, "one who connects and says nothing does not hold up the end"
    idle.close()


def test_there_is_room_for_many_but_not_for_all(opened: Opened) -> None:
    sink = opened()
    path = urlsplit(sink.address).path + "frames"
    held = [get(sink, path) for _ in range(32)]
    assert status(sink, path) == 503
    assert status(sink) == 200
    for answer in held:
        answer.close()


def test_the_same_port_again_and_what_cannot_be_listened_on(opened: Opened) -> None:
    first = opened(token="word")
    port = urlsplit(first.address).port
    assert first.address == f"http://127.0.0.1:{port}/word/"
    with pytest.raises(
        ks.errors.InvalidValueError, match=f"cannot listen on 127.0.0.1, port {port}: "
    ):
        opened(port=port)
    first.close()
    again = opened(port=port, token="word")
    assert again.address == first.address
    assert status(again) == 200
    for bad in ({"port": 70000}, {"host": "203.0.113.1"}):
        with pytest.raises(ks.errors.InvalidValueError, match="cannot listen on"):
            opened(**bad)
    with pytest.raises(ks.errors.InvalidValueError, match="0 characters, allowed is 1 or more"):
        opened(characters=0)


def test_open_to_the_network_if_asked(opened: Opened) -> None:
    sink = opened(host="0.0.0.0")
    port = urlsplit(sink.address).port
    assert sink.address.startswith("http://127.0.0.1:")
    assert status(sink, Host=f"192.168.1.20:{port}") == 200
    assert status(sink, Host=f"evil.example:{port}") == 403


def test_the_browser_is_opened_if_asked(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr("webbrowser.open", asked.append)
    opened()
    assert asked == []
    shown = opened(open_browser=True)
    assert asked == [shown.address]
