"""The child process that runs espeak-ng: requests and answers through pipes."""

from __future__ import annotations

import atexit
import json
import os
import struct
import subprocess
import sys
import threading
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kinesphere.errors import InvalidValueError, KinesphereError
from kinesphere.speech.voices.voice import NO_ESPEAK


class WorkerError(KinesphereError):
    """The child process does not answer."""


class EspeakProcess:
    """The child process: started on demand, restarted if it died, ended with this process."""

    def __init__(self) -> None:
        self.child: subprocess.Popen[bytes] | None = None
        self.lock = threading.Lock()
        self.inherited: list[object] = []
        atexit.register(self.stop)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forget_child)

    def ask(self, request: dict[str, Any], timeout_s: float) -> tuple[dict[str, Any], bytes]:
        """Send a request and return the answer and its samples; a dead worker is replaced once."""
        with self.lock:
            for attempt in (1, 2):
                try:
                    answer, data = self._exchange(request, timeout_s)
                    break
                except (OSError, EOFError):
                    self.stop()
                    if attempt == 2:
                        raise WorkerError(
                            "espeak-ng stopped without an answer, twice; the text may be the reason"
                        ) from None
                except BaseException:
                    self.stop()
                    raise
        if "error" in answer:
            raise InvalidValueError(str(answer["error"]))
        return answer, data

    def _exchange(self, request: dict[str, Any], timeout_s: float) -> tuple[dict[str, Any], bytes]:
        child = self.child or self._start()
        assert child.stdin is not None
        assert child.stdout is not None
        late = threading.Event()

        def give_up() -> None:
            late.set()
            child.kill()

        timer = threading.Timer(timeout_s, give_up)
        timer.start()
        try:
            text = json.dumps(request).encode()
            child.stdin.write(struct.pack("<2I", len(text), 0) + text)
            child.stdin.flush()
            sizes = struct.unpack("<2I", _exactly(child.stdout, 8))
            answer = json.loads(_exactly(child.stdout, sizes[0]))
            return answer, _exactly(child.stdout, sizes[1])
        except (OSError, EOFError):
            if late.is_set():
                raise WorkerError(f"espeak-ng gave no answer within {timeout_s:.0f} s") from None
            raise
        finally:
            timer.cancel()

    def _start(self) -> subprocess.Popen[bytes]:
        spec = find_spec("espeakng_loader")
        if spec is None or spec.origin is None or not sys.executable:
            raise KinesphereError(NO_ESPEAK)
        program = Path(__file__).with_name("espeak_worker.py")
        # Run as a file and without -m, so that it starts in 30 ms and finds the same library.
        command = [sys.executable, "-P", str(program), str(Path(spec.origin).parent.parent)]
        self.child = subprocess.Popen(  # noqa: S603 - our own program, no shell
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        return self.child

    def stop(self) -> None:
        """End the child, if there is one."""
        child, self.child = self.child, None
        if child is None:
            return
        child.kill()
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                with suppress(OSError):  # because of unread input
                    pipe.close()
        child.wait()

    def _forget_child(self) -> None:
        """Forget the child after a fork; it belongs to the parent process."""
        self.inherited.append(self.child)
        self.child = None
        self.lock = threading.Lock()


def _exactly(pipe: Any, size: int) -> bytes:
    data: bytes = pipe.read(size)
    if len(data) < size:
        raise EOFError
    return data


worker = EspeakProcess()
"""The one of this process."""
