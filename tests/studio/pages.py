"""A page without a browser or a socket: it asks a session, and keeps what it is told.

Work is done here, in this process and at once, by the very function that worker processes run.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import traceback
from collections import deque
from typing import Any

from kinesphere.errors import KinesphereError
from kinesphere.studio.document.document import Document
from kinesphere.studio.server import messages, wire
from kinesphere.studio.server.session import Session
from kinesphere.studio.work import worker as work
from kinesphere.studio.work.pool import TaskCallbacks
from kinesphere.studio.work.tasks import Task
from tests.studio.packet_reader import ClipPacket, read_clip

TEXT = "I know it looks huge. But honestly, there is nothing to be afraid of."


def forget() -> None:
    """Have everything made anew that a worker would still know."""
    for kept in (work._SAID, work._PLANS, work._TAKES, work._DIRECTED, work._FIGURES):
        kept.values.clear()


class NowLane:
    """A lane whose tasks are done when `run` is called, and are known until then."""

    def __init__(self) -> None:
        self.numbers = itertools.count(1)
        self.row: deque[tuple[int, Task, TaskCallbacks, str]] = deque()
        self.cancelled: list[int] = []

    def submit(self, task: Task, callbacks: TaskCallbacks, key: str = "") -> int:
        number = next(self.numbers)
        if key:
            self.row = deque(row for row in self.row if row[3] != key)
        self.row.append((number, task, callbacks, key))
        return number

    def cancel(self, number: int) -> bool:
        self.cancelled.append(number)
        self.row = deque(row for row in self.row if row[0] != number)
        return True

    def run(self) -> None:
        while self.row:
            _, task, callbacks, _ = self.row.popleft()
            callbacks.started()
            try:
                answer = work.work(task, callbacks.told, callbacks.part)
            except KinesphereError as error:
                callbacks.failed(str(error))
            except Exception as error:
                traceback.print_exc()
                callbacks.failed(f"internal error: {type(error).__name__}")
            else:
                callbacks.done(answer)


class Page:
    """A page with a session of its own."""

    def __init__(self) -> None:
        self.lane: Any = NowLane()
        self.session = Session(self.lane, self.lane)
        self.said: list[dict[str, Any]] = []
        self.clips: dict[int, ClipPacket] = {}
        self.bytes: list[bytes] = []
        self.session.send = self._hear

    def _hear(self, message: str | bytes) -> None:
        if isinstance(message, str):
            self.said.append(json.loads(message))
        elif message[:4] == b"\x01\0\0\0":
            clip = read_clip(message)
            self.clips[clip.take] = clip
            self.said.append({"type": "clip", "take": clip.take})
        else:
            self.bytes.append(message)

    def ask(self, *requests: messages.Request) -> list[dict[str, Any]]:
        """Say something as a page would, have all the work done; return what was answered."""
        begun = len(self.said)

        async def go() -> None:
            for request in requests:
                self.session.hear(wire.request(wire.text_of(request)))
            while self.lane.row or self.session._loading:
                self.lane.run()
                if self.session._loading:
                    await asyncio.wait(set(self.session._loading))

        asyncio.run(go())
        return self.said[begun:]

    def take(self, *requests: messages.Request, plain: bool = False) -> bytes:
        """Say something that gives a take; return its frames."""
        answer = self.ask(*requests)
        ready = [m for m in answer if m["type"] == "take-ready" and m["plain"] == plain]
        assert ready, [str(a)[:200] for a in answer]
        return self.clips[ready[-1]["take"]].data

    def refused(self, *requests: messages.Request) -> str:
        """Say something that cannot be; return the one problem."""
        answer = self.ask(*requests)
        texts = [m["text"] for m in answer if m["type"] == "request-failed"]
        texts += [
            m["text"] for m in answer if m["type"] == "job-progress" and m["state"] == "failed"
        ]
        assert len(texts) == 1, [str(a)[:200] for a in answer]
        text: str = texts[0]
        assert text
        assert "\n" not in text
        assert "defect" not in text
        assert self.session.storage.folder not in text
        return text

    def upload(self, data: bytes, name: str) -> str:
        async def pieces() -> Any:
            yield data

        return asyncio.run(self.session.storage.receive(name, pieces()))

    @property
    def document(self) -> Document:
        return self.session.document

    def __enter__(self) -> Page:
        return self

    def __exit__(self, *_: object) -> None:
        self.session.close()


def of_type(said: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    return [m for m in said if m["type"] == name]
