"""The one decorator for compiled loops.

A module whose name ends in ``_kernels`` holds functions decorated with `compiled`. They have
explicit signatures, so importing the module compiles it, or loads it from numba's cache; such
modules are therefore imported inside the functions that need them, never at the top. `warm`
imports them all.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

_said_compiling = False
_said_no_cache = False


def compiled(*signatures: str) -> Callable[[F], F]:
    """Compile a function for the given numba signatures, cached on disk where that is possible.

    Where no cache folder is writable numba refuses to decorate; then the function is compiled
    for this process alone, and one warning says so.
    """
    import numba

    _announce_compiling()
    jit: Any = numba.njit

    def decorate(function: F) -> F:
        try:
            return jit(list(signatures), cache=True, nogil=True, error_model="numpy")(function)  # type: ignore[no-any-return]
        except (RuntimeError, OSError):
            _warn_no_cache()
            return jit(list(signatures), nogil=True, error_model="numpy")(function)  # type: ignore[no-any-return]

    return decorate


def reads(dtype: str, dimensions: int) -> str:
    """Signature of a contiguous array that a kernel only reads; read-only arrays fit, too.

    >>> reads("float64", 2)
    "Array(float64, 2, 'C', True)"
    """
    return f"Array({dtype}, {dimensions}, 'C', True)"


def kernel_modules() -> Iterator[str]:
    """Names of all modules of the package that hold compiled functions."""
    import kinesphere

    for module in pkgutil.walk_packages(kinesphere.__path__, "kinesphere."):
        if module.name.endswith("_kernels"):
            yield module.name


def warm() -> list[str]:
    """Import every kernel module, so that later work never waits for the compiler."""
    names = list(kernel_modules())
    for name in names:
        importlib.import_module(name)
    return names


def _warn_no_cache() -> None:
    global _said_no_cache
    if not _said_no_cache:
        _said_no_cache = True
        warnings.warn(
            "no folder to keep compiled code in is writable, so it is compiled in every process; "
            "set NUMBA_CACHE_DIR to a folder that is",
            RuntimeWarning,
            stacklevel=4,
        )


def _announce_compiling() -> None:
    """Arrange for one line on a terminal when numba really compiles (not when it loads)."""
    global _said_compiling
    if _said_compiling:
        return
    _said_compiling = True
    from numba.core import event

    class Once(event.Listener):
        said = False

        def on_start(self, event: Any) -> None:
            if not self.said and sys.stderr is not None and sys.stderr.isatty():
                Once.said = True
                sys.stderr.write("kinesphere: compiling, once (some seconds)\n")

        def on_end(self, event: Any) -> None:
            pass

    event.register("numba:compile", Once())  # type: ignore[no-untyped-call]
