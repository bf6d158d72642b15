"""The decorator for compiled loops: everything warms, and no cache folder is no crash."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kinesphere.maths import compiled
from tests.conftest import ROOT


def test_warm_imports_every_kernel_module() -> None:
    found = {
        ".".join(path.relative_to(ROOT / "src").with_suffix("").parts)
        for path in (ROOT / "src").rglob("*_kernels.py")
    }
    assert set(compiled.warm()) == found
    assert len(found) >= 5


PROBE = """
import os
from kinesphere.maths.compiled import compiled
from kinesphere.maths.quaternion_kernels import product

@compiled("float64(float64)")
def probed(x):
    return product((x, 0.0, 0.0, 0.0), (2.0, 0.0, 0.0, 0.0))[0]

with open(os.environ["PROBE_LOG"], "a") as log:
    log.write("compiled\\n" * sum(probed.stats.cache_misses.values()))
"""


class Package:
    """A copy of the package's mathematics with one kernel more, which tells when it is compiled."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "log"
        self.log.touch()
        source, ours = ROOT / "src" / "kinesphere", folder / "kinesphere"
        shutil.copytree(
            source / "maths", ours / "maths", ignore=shutil.ignore_patterns("__pycache__")
        )
        shutil.copy(source / "__init__.py", ours)
        for name in ("errors.py", "atomic_files.py"):
            shutil.copy(source / name, ours)
        (ours / "maths" / "probe_kernels.py").write_text(PROBE)

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, *arguments],
            env={
                **os.environ,
                "PYTHONPATH": str(self.folder),
                "PROBE_LOG": str(self.log),
                "NUMBA_CACHE_DIR": "",
                **environment,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def probe(self, **environment: str) -> tuple[float, str]:
        """What the kernel gives for 3, and what stands on stderr."""
        code = "from kinesphere.maths.probe_kernels import probed; print(probed(3.0))"
        process = self.start("-c", code, **environment)
        out, errors = process.communicate()
        assert process.returncode == 0, errors
        return float(out), errors

    def compilations(self) -> int:
        """How often the kernel was compiled since the last call, by whatever process."""
        count = len(self.log.read_text().splitlines())
        self.log.write_text("")
        return count


@pytest.fixture
def package(tmp_path: Path) -> Package:
    return Package(tmp_path)


def test_a_kernel_is_compiled_once_and_again_when_what_it_inlines_changes(package: Package) -> None:
    assert package.probe() == (6.0, "")
    assert package.compilations() == 1
    assert package.probe() == (6.0, "")
    assert package.compilations() == 0
    helper = package.folder / "kinesphere" / "maths" / "quaternion_kernels.py"
    source = helper.read_text()
    changed = source.replace("a[0] * b[0] -", "100.0 * a[0] * b[0] -")
    assert changed != source
    helper.write_text(changed)
    assert package.probe() == (600.0, "")
    assert package.compilations() == 1
    files = sorted(file.name for file in (package.folder / "kinesphere" / "__pycache__").iterdir())
    assert sum("probe_kernels" in name for name in files) == 1  # replaced, not piled up


def test_processes_that_start_together_compile_once(package: Package) -> None:
    code = "import kinesphere.maths.probe_kernels"
    together = [package.start("-c", code) for _ in range(3)]
    assert [process.wait() for process in together] == [0, 0, 0]
    assert package.compilations() == 1
    for process in together:
        process.communicate()


def test_a_damaged_entry_is_compiled_again(package: Package) -> None:
    package.probe()
    (entry,) = (package.folder / "kinesphere" / "__pycache__").glob("maths.probe_kernels.*.nbc")
    content = entry.read_bytes()
    entry.write_bytes(content[: len(content) // 2])
    package.compilations()
    assert package.probe() == (6.0, "")
    assert package.compilations() == 1


def test_shipped_kernels_need_no_compiler_and_no_cache_folder(package: Package) -> None:
    """What the wheel holds is found on a machine where nothing can be written."""
    shipped = package.folder / "shipped"
    shipping = package.start("-m", "kinesphere.maths.kernel_compiler", "--ship", str(shipped))
    assert shipping.wait() == 0
    shipping.communicate()
    assert package.compilations() == 1
    blocked = package.folder / "blocked"
    blocked.write_text("not a folder")
    assert "no cache folder for compiled code" in package.probe(NUMBA_CACHE_DIR=str(blocked))[1]
    assert package.compilations() == 1
    (shipped / "kinesphere").rename(package.folder / "kinesphere" / "compiled_kernels")
    assert package.probe(NUMBA_CACHE_DIR=str(blocked)) == (6.0, "")
    assert package.compilations() == 0


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
    assert done.stderr.count("no cache folder for compiled code is writable") == 1
