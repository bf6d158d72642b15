"""The one decorator for compiled loops.

A module whose name ends in ``_kernels`` contains functions decorated with `compiled`. They have
explicit signatures, so importing the module loads them from a cache, or compiles them; such
modules are therefore imported inside the functions that need them, never at the top. `warm`
imports them all.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

from kinesphere.maths.kernel_cache import KernelCache, cache_folder
from kinesphere.maths.kernel_compiler import compile_missing, kernel_modules

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = {"nogil": True, "error_model": "numpy"}
_said_no_cache = False


def compiled(*signatures: str) -> Callable[[F], F]:
    """Compile a function for the given numba signatures, or load it from the cache.

    At the first cache miss all kernels are compiled, in several processes. Where no cache folder is
    writable, functions are compiled for this process alone, with one warning.
    """
    import numba
    from numba.core import config
    from numba.core.typeinfer import register_dispatcher

    jit: Any = numba.njit

    def decorate(function: F) -> F:
        dispatcher = jit(**_OPTIONS)(function)
        if not config.DISABLE_JIT:  # type: ignore[attr-defined]
            dispatcher._cache = KernelCache(function, repr(_OPTIONS), _on_miss)
            with register_dispatcher(dispatcher):
                for signature in signatures:
                    dispatcher.compile(signature)
                dispatcher.disable_compile()
        return dispatcher  # type: ignore[no-any-return]

    return decorate


def reads(dtype: str, dimensions: int) -> str:
    """Signature of a contiguous array that a kernel only reads; read-only arrays are accepted.

    >>> reads("float64", 2)
    "Array(float64, 2, 'C', True)"
    """
    return f"Array({dtype}, {dimensions}, 'C', True)"


def warm() -> list[str]:
    """Import every kernel module, so that later work never waits for the compiler."""
    names = kernel_modules()
    for name in names:
        import_module(name)
    return names


def _on_miss(is_there: Callable[[], bool]) -> None:
    global _said_no_cache
    compile_missing(is_there)
    if cache_folder() is None and not _said_no_cache:
        _said_no_cache = True
        warnings.warn(
            "no cache folder for compiled code is writable, so it is compiled in every process; "
            "set NUMBA_CACHE_DIR to a writable folder",
            RuntimeWarning,
            stacklevel=8,
        )
