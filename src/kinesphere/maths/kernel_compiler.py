"""Compiles kernel modules in child processes, with a progress bar on a terminal.

``python -m kinesphere.maths.kernel_compiler --ship FOLDER`` compiles every kernel for the
baseline CPU into a folder, for the wheel. Without an argument it is one of the child processes: it
imports the modules whose names it reads from stdin, and answers each with a line.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path

from kinesphere.maths.kernel_cache import (
    BASELINE_CPU,
    PACKAGE,
    cache_folder,
    imported_kernels,
    only_process,
    source_of,
)

_CHILD = "KINESPHERE_COMPILES"


def kernel_modules() -> list[str]:
    """Names of all modules of the package with compiled functions."""
    files = sorted(PACKAGE.rglob("*_kernels.py"))
    return [".".join(("kinesphere", *f.relative_to(PACKAGE).with_suffix("").parts)) for f in files]


def compile_missing(is_there: Callable[[], bool]) -> None:
    """Compile all kernels in child processes, because one is missing.

    Of several processes that miss a kernel one compiles, the others wait for it. Where there is
    no shared folder, or no Python to start, the caller compiles what it needs by itself.
    """
    folder = cache_folder()
    if os.environ.get(_CHILD) or folder is None or not _python():
        return
    with only_process(folder):
        if not is_there():
            compile_all()


def compile_all(environment: dict[str, str] | None = None) -> bool:
    """Compile every kernel module in child processes; True if all succeeded."""
    waiting = sorted(kernel_modules(), key=lambda name: -source_of(name).stat().st_size)
    total = len(waiting)
    children = [_Child(environment or {}) for _ in range(min(_cores(), total))]
    done: set[str] = set()
    try:
        with _bar(total, shown=environment is None) as show:
            while _hand_out(waiting, done, children):
                time.sleep(0.02)
                for child in children:
                    done.update(child.take_finished())
                show(len(done))
    finally:
        for child in children:
            child.stop()
    return len(done) == total


def _hand_out(waiting: list[str], done: set[str], children: list[_Child]) -> bool:
    """Give idle children modules of which every imported kernel is done; False at the end.

    A module whose imports were still missing would be compiled twice.
    """
    for child in children:
        ready = (name for name in waiting if done.issuperset(imported_kernels(name)))
        if child.idle and (name := next(ready, None)):
            waiting.remove(name)
            child.give(name)
    return any(child.busy for child in children)


class _Child:
    """A process that compiles one module after another."""

    def __init__(self, environment: dict[str, str]) -> None:
        paths = (str(PACKAGE.parent), os.environ.get("PYTHONPATH", ""))
        self._given = 0
        self._answers: deque[str] = deque()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "kinesphere.maths.kernel_compiler"],
            env={
                **os.environ,
                _CHILD: "1",
                "PYTHONWARNINGS": "ignore",
                "PYTHONPATH": os.pathsep.join(filter(None, paths)),
                **environment,
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def busy(self) -> bool:
        """Whether an answer is pending or unread."""
        alive = self._process.poll() is None
        return bool(self._answers) or (alive and self._given > 0)

    @property
    def idle(self) -> bool:
        """Whether it is waiting for a module."""
        return self._process.poll() is None and self._given == 0

    def give(self, name: str) -> None:
        """Request the compilation of a module."""
        assert self._process.stdin is not None
        self._given += 1
        with suppress(OSError):  # it died, and never becomes idle
            self._process.stdin.write(name + "\n")
            self._process.stdin.flush()

    def take_finished(self) -> Iterator[str]:
        """Modules done since the last call."""
        while self._answers:
            self._given -= 1
            yield self._answers.popleft()

    def stop(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.kill()
        self._process.wait()
        with suppress(OSError):
            self._process.stdin.close()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as answers:
            self._answers.extend(line.strip() for line in answers)


@contextmanager
def _bar(total: int, *, shown: bool) -> Iterator[Callable[[int], None]]:
    """Draw a bar on a terminal, and nothing in a pipe."""
    if not shown or sys.stderr is None or not sys.stderr.isatty():
        yield lambda _: None
        return
    import click  # which the environment of a build lacks

    label = "kinesphere: compiling, once"
    with click.progressbar(length=total, label=label, file=sys.stderr, show_pos=True) as bar:
        yield lambda count: bar.update(count - bar.pos)


def _python() -> bool:
    """Whether the executable is Python itself, and not a program that embeds it."""
    return bool(sys.executable) and "python" in Path(sys.executable).name.lower()


def _cores() -> int:
    usable = (
        os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    )
    return min(len(usable), 8)


def ship(folder: Path) -> bool:
    """Compile every kernel for the baseline CPU into a folder."""
    target = {"NUMBA_CPU_NAME": BASELINE_CPU, "NUMBA_CPU_FEATURES": ""}
    return compile_all({**target, "NUMBA_CACHE_DIR": str(folder)})


def _work() -> None:
    for line in sys.stdin:
        import_module(line.strip())
        sys.stdout.write(line)
        sys.stdout.flush()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--ship"]:
        sys.exit(0 if ship(Path(sys.argv[2])) else "the kernels could not be compiled")
    _work()
