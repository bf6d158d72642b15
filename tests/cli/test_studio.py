"""``kinesphere studio``: its options, its address, and how it ends."""

from __future__ import annotations

import importlib.util
import os
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import psutil  # type: ignore[import-untyped]
import pytest

from kinesphere.cli import studio as command_module
from kinesphere.cli.main import COMMANDS, status
from kinesphere.studio.server import start as servers

PROGRAM = [sys.executable, "-m", "kinesphere", "studio"]
TOKEN = "0123456789abcdef"


def one_line(capsys: pytest.CaptureFixture[str]) -> str:
    printed = capsys.readouterr()
    assert printed.out == ""
    (line,) = printed.err.splitlines()
    assert line.startswith("kinesphere: ")
    return line


def test_it_is_in_the_table() -> None:
    assert COMMANDS["studio"][0] == "kinesphere.cli.studio"


@pytest.mark.timing
def test_help_is_fast() -> None:
    best = 1e9
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([*PROGRAM, "--help"], capture_output=True, text=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        if best < 0.3:
            break
    assert "Examples:" in done.stdout
    assert best < 0.3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--port", "65536"], "port 65536, allowed is 0 to 65535"),
        (["--port", "-1"], "port -1, allowed is 0 to 65535"),
        (["--port", "x"], "'x' is not a valid integer"),
        (["--token", "short"], "the token has 5 characters"),
        (["--token", ""], "the token has 0 characters"),
        (["--token", "with spaces and/strokes"], "letters, digits, - and _"),
        (["--token", "ünïcödé-ünïcödé-ünïcödé"], "letters, digits, - and _"),
        (["--host", "256.1.1.1"], "cannot listen on 256.1.1.1"),
        (["--host", "203.0.113.7"], "cannot listen on 203.0.113.7"),
        (["--host", "no such name"], "cannot listen on no such name"),
        (["--host", "a" * 300], "cannot listen on"),
        (["--host", "::g"], "cannot listen on ::g"),
        (["more"], "unexpected extra argument"),
    ],
)
def test_bad_options_are_one_line(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status(["studio", "--no-browser", *arguments]) == 2
    assert said in one_line(capsys)


def test_a_port_that_is_taken_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert status(["studio", "--no-browser", "--port", str(port)]) == 2
    assert f"port {port}: " in one_line(capsys)


@pytest.mark.parametrize("lacking", ["starlette", "uvicorn", "wsproto"])
def test_missing_packages_say_what_to_install(
    lacking: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = importlib.util.find_spec

    def find(name: str, *more: Any) -> Any:
        return None if name == lacking else real(name, *more)

    monkeypatch.setattr(command_module, "find_spec", find)
    assert status(["studio", "--no-browser"]) == 2
    assert "pip install 'kinesphere[studio]'" in one_line(capsys)


def test_a_page_that_is_not_built_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from kinesphere.studio.server import app

    monkeypatch.setitem(app._BUILT, "studio.js", "")
    monkeypatch.setattr(servers, "_client_file", lambda _: app._client_file("not-there.js"))
    assert status(["studio", "--no-browser"]) == 2
    assert "make viewer" in one_line(capsys)


@pytest.mark.parametrize("browser", [True, False])
def test_it_says_its_address_and_opens_it_if_wanted(
    browser: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[str] = []

    def run(self: servers.StudioServer, started: Any = None) -> None:
        started()
        self._socket.close()

    monkeypatch.setattr(servers.StudioServer, "run", run)
    monkeypatch.setattr(servers, "open_browser", opened.append)
    arguments = ["studio", "--token", TOKEN] + ([] if browser else ["--no-browser"])
    assert status(arguments) == 0
    (line,) = capsys.readouterr().out.splitlines()
    address = line.removeprefix("studio: ")
    assert address.startswith("http://127.0.0.1:")
    assert address.endswith(f"/{TOKEN}/")
    assert opened == ([address] if browser else [])
    tokens = set()
    for _ in range(3):
        assert status(["studio", "--no-browser"]) == 0
        tokens.add(capsys.readouterr().out.split("/")[-2])
    assert len(tokens) == 3
    assert all(len(token) >= 32 for token in tokens)


@contextmanager
def running(temporary: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    temporary.mkdir()
    process = subprocess.Popen(
        [*PROGRAM, "--no-browser", "--token", TOKEN],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "TMPDIR": str(temporary)},
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("studio: http://127.0.0.1:"), process.communicate()
        yield process, line.removeprefix("studio: ").strip()
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.mark.parametrize("to_all", [True, False])
def test_ctrl_c_ends_it_and_leaves_nothing(tmp_path: Path, to_all: bool) -> None:
    """A terminal gives Ctrl-C to all processes of the group, `kill -INT` to one."""
    from websockets.sync.client import connect

    temporary = tmp_path / "temporary"
    with running(temporary) as (process, address):
        transport = httpx.HTTPTransport(retries=20)
        with httpx.Client(transport=transport, timeout=30.0) as http:
            assert http.get(address).status_code == 200
        origin = address[: -len(f"/{TOKEN}/")]
        uri = f"{address}ws".replace("http", "ws")
        with connect(uri, origin=origin, proxy=None, max_size=None) as page:
            page.send('{"type":"hello","version":1}')
            page.recv(30)
            page.send('{"type":"perform","speaking":{"text":"It is huge."}}')
            assert list(temporary.glob("kinesphere-studio-*"))
            children = psutil.Process(process.pid).children(recursive=True)
            assert len(children) >= 2
            if to_all:
                os.killpg(process.pid, signal.SIGINT)
            else:
                process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=30)
        assert process.returncode == 0, err
        assert "Traceback" not in err, err
        assert psutil.wait_procs(children, timeout=10)[1] == []
        assert [p.name for p in temporary.iterdir()] == []
