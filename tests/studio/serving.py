"""A studio that really listens, and pages that really connect to it."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import psutil  # type: ignore[import-untyped]
from websockets.sync.client import ClientConnection, connect

from kinesphere.studio.server import messages, wire
from kinesphere.studio.server.hub import Hub
from kinesphere.studio.server.settings import StudioSettings
from kinesphere.studio.server.start import StudioServer
from tests.studio.packet_reader import ClipPacket, read_clip

TOKEN = "t0ken-of-the-tests-0123"


@contextmanager
def served(**chosen: Any) -> Iterator[StudioServer]:
    """A server in a thread, until the end of the block."""
    server = StudioServer(StudioSettings(token=TOKEN, **chosen))
    running = threading.Thread(target=server.run)
    running.start()
    try:
        until(lambda: server._server.started)
        yield server
    finally:
        server.stop()
        running.join(20.0)
        assert not running.is_alive()


def until(true: Any, seconds: float = 20.0) -> None:
    """Wait for something that another thread brings about."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.01)


def hub_of(server: StudioServer) -> Hub:
    assert server.studio.hub is not None
    return server.studio.hub


def host_of(server: StudioServer) -> str:
    return f"127.0.0.1:{server.port}"


def origin_of(server: StudioServer) -> str:
    return f"http://{host_of(server)}"


def client(server: StudioServer, **headers: str) -> httpx.Client:
    return httpx.Client(base_url=server.address, headers=headers, timeout=30.0)


class SocketPage:
    """A page at the end of a socket."""

    def __init__(self, server: StudioServer, session: str = "") -> None:
        self.server = server
        self.clips: dict[int, ClipPacket] = {}
        self.said: list[dict[str, Any]] = []
        self._open = ExitStack()
        self.socket: ClientConnection = self._open.enter_context(opened(server))
        self.say(messages.Hello(messages.VERSION, session))
        self.welcome = self.until("welcome")
        self.session: str = self.welcome["session"]
        self.until("changed")

    def say(self, request: messages.Request) -> None:
        self.socket.send(wire.text_of(request))

    def next(self, timeout: float = 40.0) -> dict[str, Any]:
        while True:
            message = self.socket.recv(timeout)
            if isinstance(message, str):
                said: dict[str, Any] = json.loads(message)
                self.said.append(said)
                return said
            if message[:4] == b"\x01\0\0\0":
                clip = read_clip(message)
                self.clips[clip.take] = clip

    def until(self, kind: str, **values: Any) -> dict[str, Any]:
        """Read on to a message of a type; a problem or a failure before it is one."""
        while True:
            said = self.next()
            if said["type"] == kind and all(said.get(k) == v for k, v in values.items()):
                return said
            bad = said["type"] == "request-failed" or said.get("state") == "failed"
            assert not bad, str(said)[:300]

    def upload(self, data: Any, name: str, session: str | None = None) -> httpx.Response:
        with client(self.server, origin=origin_of(self.server)) as http:
            key = self.session if session is None else session
            return http.post("upload", params={"session": key, "name": name}, content=data)

    def uploaded(self, data: bytes, name: str) -> str:
        answer = self.upload(data, name)
        assert answer.status_code == 200, answer.text
        key: str = answer.json()["upload"]
        return key

    def close(self) -> None:
        self._open.close()

    def __enter__(self) -> SocketPage:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def opened(
    server: StudioServer, token: str = TOKEN, **options: Any
) -> AbstractContextManager[ClientConnection]:
    options.setdefault("origin", origin_of(server))
    uri = f"ws://{host_of(server)}/{token}/ws"
    socket: AbstractContextManager[ClientConnection] = connect(
        uri, max_size=None, compression=None, proxy=None, **options
    )
    return socket


def workers(server: StudioServer) -> list[psutil.Process]:
    lanes = (hub_of(server).quick, hub_of(server).slow)
    return [psutil.Process(lane._process.process.pid) for lane in lanes if lane._process]


def peak_mb(process: psutil.Process) -> float:
    """The most memory that a process ever had."""
    for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024.0
    raise AssertionError("no VmHWM")


def own_mb() -> float:
    return float(psutil.Process(os.getpid()).memory_info().rss) / (1 << 20)
