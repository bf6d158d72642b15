"""The decorator for compiled loops: everything warms, and no cache folder is no crash."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from kinesphere.maths import compiled
from tests.conftest import ROOT


def test_warm_imports_every_kernel_module() -> None:
    found = {
        ".".join(path.relative_to(ROOT / "src").with_suffix("").parts)
        for path in (ROOT / "src").rglob("*_kernels.py")
    }
    assert set(compiled.warm()) == found
    assert len(found) >= 5


def test_an_unwritable_cache_costs_a_warning_not_a_crash(tmp_path: Path) -> None:
    """Neither beside the source nor in the user's cache: numba finds no place for its cache."""
    package = tmp_path / "kinesphere"
    shutil.copytree(
        ROOT / "src" / "kinesphere", package, ignore=shutil.ignore_patterns("__pycache__")
    )
    for folder, _, _ in os.walk(package):
        (Path(folder) / "__pycache__").write_text("a file where a folder would have to be")
    blocked = tmp_path / "blocked"
    blocked.write_text("not a folder")
    code = (
        "import warnings; warnings.simplefilter('always')\n"
        "from kinesphere.maths import filters; import numpy as np\n"
        "print(round(float(filters.low_pass(np.ones((9, 1)), 5.0, 60.0).sum()), 6))"
    )
    environment = {
        **os.environ,
        "PYTHONPATH": str(tmp_path),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(blocked),
        "XDG_CACHE_HOME": str(blocked),
        "NUMBA_CACHE_DIR": "",
    }
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "9.0"
    assert done.stderr.count("no folder to keep compiled code in is writable") == 1
