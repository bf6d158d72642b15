"""Worker processes: queued tasks with progress and immediate cancelling.

A lane has one process, started in advance, which does one task after the other. Cancelling a
running task ends the process; another replaces it. Answers are calls in the event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import multiprocessing as mp
import signal
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from typing import Any

from kinesphere.errors import KinesphereError
from kinesphere.pipeline.train_extraction import own_main_left_out
from kinesphere.studio.work.tasks import Answer, Task

_ENDS_S = 2.0


@dataclass(frozen=True)
class TaskCallbacks:
    """Callbacks of a task.

    Parameters
    ----------
    started : the task has started.
    told : fraction done, and the current step.
    part, done : an intermediate answer, and the last one.
    failed : an error message.
    """

    started: Callable[[], None]
    told: Callable[[float, str], None]
    part: Callable[[Answer], None]
    done: Callable[[Answer], None]
    failed: Callable[[str], None]


@dataclass
class _Waiting:
    number: int
    task: Task
    callbacks: TaskCallbacks
    key: str = ""


@dataclass
class _Process:
    process: Any
    pipe: Connection
    reader: threading.Thread
    ended: bool = field(default=False)


class Lane:
    """A process and its queue of tasks; to be used from one event loop.

    Parameters
    ----------
    name : of the process.
    """

    def __init__(self, name: str, loop: asyncio.AbstractEventLoop) -> None:
        self.name = name
        self._loop = loop
        self._numbers = itertools.count(1)
        self._row: deque[_Waiting] = deque()
        self._running: _Waiting | None = None
        self._process: _Process | None = None
        self._closed = False

    def start(self) -> None:
        """Start the process before the first task."""
        if self._process is None and not self._closed:
            self._process = self._spawn()

    def submit(self, task: Task, callbacks: TaskCallbacks, key: str = "") -> int:
        """Queue a task; a waiting one with the same `key` is cancelled."""
        waiting = _Waiting(next(self._numbers), task, callbacks, key)
        if key:
            self._row = deque(row for row in self._row if row.key != key)
        self._row.append(waiting)
        self._next()
        return waiting.number

    def cancel(self, number: int) -> bool:
        """Cancel a waiting or running task; False if it has ended."""
        if self._running is not None and self._running.number == number:
            self._running = None
            self._end_process()
            self._next()
            return True
        before = len(self._row)
        self._row = deque(row for row in self._row if row.number != number)
        return len(self._row) < before

    def close(self) -> None:
        """End the process; no more answers are given."""
        self._closed = True
        self._row.clear()
        self._running = None
        self._end_process()

    @property
    def busy(self) -> int:
        """Number of running and waiting tasks."""
        return len(self._row) + (self._running is not None)

    def _next(self) -> None:
        if self._running is not None or not self._row or self._closed:
            return
        self.start()
        assert self._process is not None
        self._running = self._row.popleft()
        self._running.callbacks.started()
        try:
            self._process.pipe.send((self._running.number, self._running.task))
        except (OSError, ValueError):
            self._on_lost(self._process)

    def _spawn(self) -> _Process:
        context = mp.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(
            target=serve, args=(theirs,), name=f"kinesphere-{self.name}", daemon=True
        )
        with own_main_left_out(), _hold_interrupts():
            process.start()
        theirs.close()
        made = _Process(process, ours, threading.Thread())
        made.reader = threading.Thread(target=self._read, args=(made,), daemon=True)
        made.reader.start()
        return made

    def _read(self, made: _Process) -> None:
        """Thread: pass the messages of the process to the event loop."""
        # Only this thread closes its pipe: if another did, a new pipe could get the same file
        # descriptor, and this thread would read from that one.
        with contextlib.suppress(RuntimeError), made.pipe:  # the loop is closed
            try:
                while True:
                    said = made.pipe.recv()
                    self._loop.call_soon_threadsafe(self._on_message, made, said)
            except (EOFError, OSError):
                self._loop.call_soon_threadsafe(self._on_lost, made)

    def _on_message(self, made: _Process, said: tuple[Any, ...]) -> None:
        kind, number, *values = said
        running = self._running
        if made is not self._process or running is None or running.number != number:
            return
        callbacks = running.callbacks
        if kind == "told":
            callbacks.told(*values)
        elif kind == "part":
            callbacks.part(*values)
        else:
            self._running = None
            try:
                (callbacks.done if kind == "done" else callbacks.failed)(*values)
            finally:
                self._next()

    def _on_lost(self, made: _Process) -> None:
        """The process has ended unexpectedly."""
        if made is not self._process or made.ended:
            return
        self._process = None
        running, self._running = self._running, None
        if running is not None:
            running.callbacks.failed("the worker process was killed, perhaps for lack of memory")
        self._next()

    def _end_process(self) -> None:
        made, self._process = self._process, None
        if made is None:
            return
        made.ended = True
        made.process.terminate()
        threading.Thread(target=_end_process, args=(made,), daemon=True).start()


@contextlib.contextmanager
def _hold_interrupts() -> Iterator[None]:
    """Leave Ctrl-C to the main process, also while a process that starts here imports."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # which would unblock the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_process(made: _Process) -> None:
    made.process.join(_ENDS_S)
    if made.process.is_alive():
        made.process.kill()
        made.process.join()


def serve(pipe: Connection) -> None:
    """Main loop of a worker process: do the tasks of a pipe until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from kinesphere.studio.work.worker import warm, work

    warm()
    while True:
        try:
            number, task = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            answer = work(
                task,
                lambda ratio, text, n=number: pipe.send(("told", n, ratio, text)),  # type: ignore[misc]
                lambda value, n=number: pipe.send(("part", n, value)),  # type: ignore[misc]
            )
            pipe.send(("done", number, answer))
        except KinesphereError as error:
            pipe.send(("failed", number, str(error)))
        except BrokenPipeError:
            return
        except Exception as error:
            traceback.print_exc(file=sys.stderr)
            pipe.send(("failed", number, f"internal error: {type(error).__name__}"))
