"""Type check and linter of the web client leave no file out."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from hatch_build import SCRIPTS

from tests.conftest import ROOT

WEB = ROOT / "web"
ENDINGS = {".ts", ".mts", ".cts", ".tsx", ".js", ".mjs", ".cjs"}
PACKAGE = json.loads((WEB / "package.json").read_text("utf-8"))


def printed(*command: str) -> list[str]:
    """Lines of a program of the client's packages."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["npx", "--no-install", *command],
        cwd=WEB,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


def scripts() -> set[str]:
    """Every script of the client, its configurations included."""
    out = set()
    for folder, inner, names in os.walk(WEB):
        inner[:] = [name for name in inner if name not in {"node_modules", "dist-test"}]
        files = (Path(folder, name).relative_to(WEB) for name in names)
        out |= {file.as_posix() for file in files if file.suffix in ENDINGS}
    return out


def test_every_script_is_checked_for_types_and_linted() -> None:
    assert PACKAGE["scripts"]["check"] == "tsc --noEmit && oxlint ."
    there = scripts()
    assert {"vite.config.ts", "src/take.ts", "src/studio/worklet.ts"} <= there
    typed = {os.path.relpath(line, WEB) for line in printed("tsc", "--listFilesOnly")}
    assert there <= {Path(file).as_posix() for file in typed}
    assert there == set(printed("oxlint", "--debug=files", "."))


def test_every_entry_is_built() -> None:
    config = (WEB / "vite.config.ts").read_text("utf-8")
    entries = set(re.findall(r'^  (\w+): "(?:src|tests)/', config, re.MULTILINE))
    commands = " && ".join(PACKAGE["scripts"].values())
    assert entries == set(re.findall(r"vite build --mode (\w+)", commands))

    assert entries - {"vrma"} == {name.removesuffix(".js") for name in SCRIPTS}
