"""The browser of these tests: found, had from a registry, or missed at once and in one line."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from tools import browser as found_browser
from tools.browser import NONE, NoBrowserError, find_or_install, installed, main, starts

ANSWERS = "#!/bin/sh\necho 'DevTools listening on ws://127.0.0.1:1' >&2\nsleep 20\n"
FAILS = "#!/bin/sh\necho 'error while loading shared libraries: libnss3.so' >&2\nexit 127\n"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="programs are shell scripts")


def program(folder: Path, name: str, text: str = ANSWERS) -> Path:
    path = folder / name
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine without any browser, whose programs are in a folder of this test."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", os.pathsep.join([str(folder), "/bin"]))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "cache"))
    monkeypatch.delenv(found_browser.VARIABLE, raising=False)
    monkeypatch.setattr(found_browser, "record", lambda: tmp_path / "browser.txt")
    monkeypatch.setattr(found_browser, "_PLACES", {})
    monkeypatch.setattr(found_browser, "NAMES", ("chromium-of-this-test", "chrome-of-this-test"))
    monkeypatch.setattr(found_browser, "SOURCES", ())
    return folder


def test_without_any_it_is_said_in_one_line_and_nothing_is_recorded(
    bare: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main() == 1
    assert capsys.readouterr().err == f"browser: {NONE}\n"
    assert not found_browser.record().exists()
    with pytest.raises(NoBrowserError, match="install Chromium"):
        installed()


def test_what_is_on_the_machine_is_taken_and_recorded(bare: Path) -> None:
    path = program(bare, "chrome-of-this-test")
    assert main() == 0
    assert found_browser.record().read_text() == f"{path}\n"
    assert installed() == path


def test_one_that_does_not_start_is_passed_over(bare: Path) -> None:
    program(bare, "chromium-of-this-test", FAILS)
    path = program(bare, "chrome-of-this-test")
    assert find_or_install() == path


def test_playwrights_own_is_found(bare: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "chromium-1200" / "chrome-linux64"
    folder.mkdir(parents=True)
    path = program(folder, "chrome")
    assert find_or_install() == path


def test_the_named_one_is_taken_or_refused(
    bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(bare, "chrome-of-this-test")
    own = program(tmp_path, "own")
    monkeypatch.setenv(found_browser.VARIABLE, str(own))
    assert find_or_install() == installed() == own
    monkeypatch.setenv(found_browser.VARIABLE, str(tmp_path / "gone"))
    with pytest.raises(NoBrowserError, match="gone', which is no program"):
        find_or_install()
    monkeypatch.setenv(found_browser.VARIABLE, str(program(tmp_path, "broken", FAILS)))
    with pytest.raises(NoBrowserError, match="broken does not start"):
        find_or_install()


def test_a_recorded_one_that_is_gone_is_looked_for_again(bare: Path) -> None:
    first = program(bare, "chromium-of-this-test")
    assert main() == 0
    first.unlink()
    second = program(bare, "chrome-of-this-test")
    assert main() == 0
    assert installed() == second


def test_registries_are_asked_in_turn(
    bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    broken, good = program(tmp_path, "broken", FAILS), program(tmp_path, "good")
    given = {"debian": None, "refused": None, "npm": broken, "playwright": good, "never": good}

    def source(name: str) -> Path | None:
        asked.append(name)
        if name == "refused":
            raise OSError("no space left")
        return given[name]

    sources = tuple((lambda name=name: source(name)) for name in given)
    monkeypatch.setattr(found_browser, "SOURCES", sources)
    assert find_or_install() == good
    assert asked == ["debian", "refused", "npm", "playwright"]


def test_a_browser_that_says_nothing_does_not_start(bare: Path) -> None:
    assert not starts(program(bare, "silent", "#!/bin/sh\nexec sleep 20\n"), longest_s=0.3)
    assert not starts(bare / "none")
