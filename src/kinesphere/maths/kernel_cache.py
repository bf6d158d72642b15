"""Cache of compiled kernels on disk: bundled with the wheel, or written beside the package.

Numba's own cache checks one source file, so it misses a change of a helper that another file
inlines, and it contains code for the CPU that compiled it, so it cannot be distributed. Here an
entry is stamped by the contents of its module and of every module of ours that this imports, and
a folder in the wheel may contain code for a baseline CPU.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import IO, Any

from kinesphere.atomic_files import replace_file

PACKAGE = Path(__file__).resolve().parent.parent
SHIPPED = PACKAGE / "compiled_kernels"
"""Folder in the wheel with kernels for the baseline CPU; a source tree has none."""

BASELINE_CPU = {"x86_64": "x86-64-v3", "AMD64": "x86-64-v3"}.get(platform.machine(), "generic")
"""CPU of the bundled kernels: x86 processors since about 2015; generic on other machines."""

_V3_FEATURES = (
    "avx",
    "avx2",
    "bmi",
    "bmi2",
    "cx16",
    "f16c",
    "fma",
    "lzcnt",
    "movbe",
    "popcnt",
    "sse4.2",
    "ssse3",
    "xsave",
)
_IMPORT = re.compile(r"^from (kinesphere\.[\w.]+) import", re.MULTILINE)
_NO_STAMP = frozenset({"kinesphere.maths.arrays", "kinesphere.maths.compiled"})


def source_of(module: str) -> Path:
    """File of a module of the package."""
    return PACKAGE.joinpath(*module.split(".")[1:]).with_suffix(".py")


@cache
def imported_kernels(module: str) -> tuple[str, ...]:
    """Kernel modules that a kernel module imports."""
    return tuple(name for name in _imports(module) if name.endswith("_kernels"))


@cache
def source_stamp(module: str) -> str:
    """Hash of a kernel module's source and of all that it imports from other modules of ours."""
    digest = hashlib.sha256(source_of(module).read_bytes())
    for name in _imports(module):
        if name.endswith("_kernels"):
            digest.update(source_stamp(name).encode())
        else:  # constants
            digest.update(source_of(name).read_bytes())
    return digest.hexdigest()


@cache
def _imports(module: str) -> tuple[str, ...]:
    found = _IMPORT.findall(source_of(module).read_text(encoding="utf-8"))
    return tuple(sorted({name for name in found if name not in _NO_STAMP}))


@cache
def cache_folder() -> Path | None:
    """First folder for compiled kernels that can be written, or None.

    ``NUMBA_CACHE_DIR`` where it is set, else beside the package, else the user's cache folder.
    """
    from kinesphere import __version__

    named = os.environ.get("NUMBA_CACHE_DIR")
    user = _user_cache() / "kinesphere" / f"kernels-{__version__}"
    folders = [Path(named) / "kinesphere"] if named else [PACKAGE / "__pycache__", user]
    return next((folder for folder in folders if _writable(folder)), None)


def _user_cache() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


@cache
def runs_baseline() -> bool:
    """Whether this processor runs code for the baseline CPU."""
    if BASELINE_CPU == "generic":
        return True
    from llvmlite.binding import get_host_cpu_features

    has = get_host_cpu_features()
    return all(has.get(name, False) for name in _V3_FEATURES)


@cache
def _versions() -> str:
    import llvmlite
    import numba

    return f"1 {numba.__version__} {llvmlite.__version__} {sys.implementation.cache_tag}"


class KernelCache:
    """Cache entries of one function, with the interface of a numba dispatcher's cache.

    Parameters
    ----------
    function
        Function of a kernel module.
    options
        Compiler options, part of its entries' stamps.
    on_miss
        Called with a function that tells whether the entry exists by now.
    """

    def __init__(
        self, function: Any, options: str, on_miss: Callable[[Callable[[], bool]], None]
    ) -> None:
        self._module, self._name = function.__module__, function.__qualname__
        self._stamp = f"{_versions()} {options} {source_stamp(self._module)}"
        self._on_miss = on_miss

    @property
    def cache_path(self) -> str:
        """Folder of the entries, for numba's statistics."""
        return str(cache_folder())

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Compiled code for a signature, or None."""
        context.refresh()
        found = self._load(signature, context)
        if found is None:
            self._on_miss(lambda: self._load(signature, context) is not None)
            found = self._load(signature, context)
        return found

    def save_overload(self, signature: Any, result: Any) -> None:
        """Store compiled code for later processes."""
        from numba.core.serialize import dumps

        folder = cache_folder()
        if folder is None:
            return
        file, stamp = self._entry(signature, _target(result.codegen))
        with suppress(OSError):
            payload: bytes = dumps(result._reduce())  # type: ignore[no-untyped-call]
            with replace_file(folder / file) as whole:
                whole.write(stamp.encode() + b"\n" + payload)

    def enable(self) -> None:
        """Do nothing: the cache is always on."""

    def disable(self) -> None:
        """Do nothing: the cache is always on."""

    def flush(self) -> None:
        """Do nothing: stale entries are replaced when they are compiled again."""

    def _load(self, signature: Any, context: Any) -> Any:
        folder = cache_folder()
        if folder is not None:
            found = self._read(folder, signature, _target(context.codegen()), context)
            if found is not None:
                return found
        if SHIPPED.is_dir() and runs_baseline():
            triple = context.codegen().magic_tuple()[0]
            return self._read(SHIPPED, signature, f"{triple} {BASELINE_CPU} ", context)
        return None

    def _read(self, folder: Path, signature: Any, target: str, context: Any) -> Any:
        import pickle

        from numba.core.compiler import CompileResult

        file, stamp = self._entry(signature, target)
        try:
            with (folder / file).open("rb") as entry:
                if entry.readline(512).decode(errors="replace").strip() != stamp:
                    return None
                payload = pickle.loads(entry.read())  # noqa: S301 (our own code, as in .pyc)
            return CompileResult._rebuild(context, *payload)  # type: ignore[no-untyped-call]
        except Exception:  # a damaged entry is compiled again, whatever it raises
            return None

    def _entry(self, signature: Any, target: str) -> tuple[str, str]:
        """File name, which does not depend on the source, and the stamp that its content needs."""
        which = hashlib.sha256(f"{signature} {_versions()} {target}".encode()).hexdigest()[:12]
        stamp = hashlib.sha256(f"{self._stamp} {target}".encode()).hexdigest()
        module = self._module.removeprefix("kinesphere.")
        return f"{module}.{self._name}.{which}.nbc", stamp


def _target(codegen: Any) -> str:
    triple, cpu, features = codegen.magic_tuple()
    return f"{triple} {cpu} {features}"


@contextmanager
def only_process(folder: Path) -> Iterator[None]:
    """Wait for the lock of a folder, and hold it.

    The operating system releases it when a process ends, even by a crash.
    """
    with (folder / "compiling.lock").open("a+b") as file:
        _lock(file)
        try:
            yield
        finally:
            _unlock(file)


if sys.platform == "win32":
    import msvcrt
    import time

    def _lock(file: IO[bytes]) -> None:
        while True:
            try:
                file.seek(0)
                msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            except OSError:
                time.sleep(0.1)
            else:
                return

    def _unlock(file: IO[bytes]) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX)

    def _unlock(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)
