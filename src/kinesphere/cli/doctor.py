"""``kinesphere doctor [FILE]``."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from kinesphere.cli.options import reading, reading_options


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
    from kinesphere.pipeline.doctor import doctor

    answer = doctor(file, warm=warm, **reading(values))
    if as_json:
        shown = {n: v for n, v in answer.items() if n not in ("lines", "reader_notes")}
        click.echo(json.dumps(shown, indent=1))
        return
    for line in _lines(answer) if file is None else _file_lines(answer):
        click.echo(line)
    for note in answer.get("reader_notes", ()):
        click.echo(f"note: {note}", err=True)


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


def _file_lines(answer: dict[str, Any]) -> list[str]:
    height = answer["height_m"]
    tall = f", body about {height:.2f} m tall" if height else ""
    joints = len(answer["joints"])
    first = f"{answer['file']}: {answer['frames']} frames at {answer['fps']:.4g} fps"
    return [f"{first}, {joints} joints{tall}", *answer["lines"]]
