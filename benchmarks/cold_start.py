"""Waiting time of a user after an install: ``python -m benchmarks.cold_start [WHEEL]``.

Builds the wheel (or takes WHEEL), installs it into a new environment, and runs the first command
on its own terminal, with an empty cache folder. Prints the time until the first output on
the terminal, the time until the page is written, and the same once more, warm. Exits with 1 if a
target is missed.
"""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FIRST_LINE_S, FIRST_TAKE_S = 1.0, 6.0
SENTENCE = "This is huge."


def built_wheel(folder: Path) -> Path:
    """The wheel of this tree."""
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "-w",
        str(folder),
        str(ROOT),
    ]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    return next(folder.glob("*.whl"))


def installed(wheel: Path, folder: Path) -> Path:
    """A new environment with the wheel and a voice; returns its program."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    command = [str(folder / "bin" / "pip"), "install", "--quiet", f"{wheel}[voice]"]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    return folder / "bin" / "kinesphere"


def timed(program: Path, folder: Path) -> tuple[float, float]:
    """Seconds until the first output on a terminal, and until the command has ended."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
    for name in ("PYTHONPATH", "NUMBA_CACHE_DIR"):
        environment.pop(name, None)
    start, first = time.monotonic(), 0.0
    command = [str(program), "perform", SENTENCE, "-o", str(folder / "huge.html")]
    process = subprocess.Popen(command, stdout=theirs, stderr=theirs, env=environment, cwd=folder)
    os.close(theirs)
    try:
        while os.read(ours, 4096):
            first = first or time.monotonic() - start
    except OSError:  # the other end is closed
        pass
    if process.wait():
        raise SystemExit("the command failed")
    return first, time.monotonic() - start


def main() -> int:
    """Measure and print; 1 if a target is missed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = Path(sys.argv[1]) if len(sys.argv) > 1 else built_wheel(folder)
        program = installed(wheel, folder / "environment")
        missed = False
        for what, targets in (("first", (FIRST_LINE_S, FIRST_TAKE_S)), ("second", (None, None))):
            for part, found, target in zip(
                ("line", "take"), timed(program, folder), targets, strict=True
            ):
                late = target is not None and found > target
                missed = missed or late
                wanted = f"  (target {target:g} s{', missed' if late else ''})" if target else ""
                print(f"{what} perform after an install, {part:<4}  {found:6.2f} s{wanted}")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
