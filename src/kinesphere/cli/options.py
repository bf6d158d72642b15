"""Options and reports that several commands share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

if TYPE_CHECKING:
    from kinesphere.motion.take import Take

F = TypeVar("F", bound=Callable[..., Any])


def reading_options(function: F) -> F:
    """Add the options for reading an input file."""
    for option in (
        click.option(
            "--skeleton",
            metavar="FILE.sk",
            help="Skeleton of a SmartBody motion, if it is not in the same folder.",
        ),
        click.option(
            "--animation",
            metavar="NAME|N",
            help="Animation of a glTF file that has several (default: the first).",
        ),
        click.option(
            "--partial",
            is_flag=True,
            default=None,
            help="Read a truncated BVH file up to its last complete frame.",
        ),
        click.option(
            "--up",
            type=click.Choice(["auto", "y", "z"]),
            help="Vertical axis of a BVH file (default: auto).",
        ),
        click.option(
            "--unit",
            metavar="UNIT",
            help="Unit of the input: auto, m, cm, mm, inch, cmu, or metres per unit.",
        ),
    ):
        function = option(function)
    return function


def character_options(function: F) -> F:
    """Add the options for the character and its idle motion."""
    for option in (
        click.option(
            "--seed", type=int, default=0, show_default=True, help="Random seed of idle motion."
        ),
        click.option(
            "--idle",
            type=float,
            metavar="AMOUNT",
            help="Add idle motion (breathing, sway, blinks): 0 to 3, 1 is natural.",
        ),
        click.option(
            "--character", metavar="FILE", help="Retarget to this character: a file, or 'default'."
        ),
    ):
        function = option(function)
    return function


def output_option(function: F) -> F:
    """Add ``-o``, the file to write."""
    return click.option(
        "-o",
        "--output",
        required=True,
        metavar="OUT",
        help="File to write; the suffix sets the format.",
    )(function)


def compare_option(function: F) -> F:
    """Add ``--compare``, a page with original and result side by side."""
    return click.option(
        "--compare",
        metavar="PAGE.html",
        help="Also write a page with original and result side by side.",
    )(function)


def check_outputs(output: str, page: str | None) -> None:
    """Reject an output or comparison page that cannot be written, before any work is done."""
    from pathlib import Path

    from kinesphere.export.output import check_output

    check_output(output)
    if page is None:
        return
    check_output(page)
    if not page.lower().endswith(".html"):
        raise click.UsageError(f"{page}: --compare writes .html")
    if Path(page).resolve() == Path(output).resolve():
        raise click.UsageError(f"{page}: is also the output; name another page")


def with_character(take: Take, values: dict[str, Any]) -> Take:
    """Retarget a take and add idle motion as the options say."""
    from kinesphere.pipeline.idle import add_idle
    from kinesphere.pipeline.retarget import retarget

    if values.get("character"):
        take = retarget(take, values["character"])
    return add_idle(take, values["idle"], values["seed"]) if values.get("idle") else take


_status_shown = False


def shows_status(doing: str) -> Callable[[F], F]:
    """Show on a terminal what a command is doing, from before its imports until its first output.

    Nothing is shown in a pipe. The line is removed by `say`, by a bar, and at the end.
    """

    def decorate(function: F) -> F:
        @wraps(function)
        def run(*args: Any, **values: Any) -> Any:
            global _status_shown
            _status_shown = sys.stderr.isatty()
            if _status_shown:
                click.echo(f"{doing} ...", nl=False, err=True)
            try:
                return function(*args, **values)
            finally:
                clear_status()

        return cast("F", run)

    return decorate


def clear_status() -> None:
    """Remove the line that `shows_status` shows, if there is one."""
    global _status_shown
    if _status_shown:
        _status_shown = False
        click.echo("\r\033[K", nl=False, err=True)


def say(text: str, err: bool = False) -> None:
    """Print a line, replacing the one that `shows_status` shows."""
    clear_status()
    click.echo(text, err=err)


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar on a terminal and nothing in a pipe."""
    clear_status()
    last = 0
    quiet = not sys.stderr.isatty()
    with click.progressbar(length=1000, label=what, file=sys.stderr, hidden=quiet) as bar:

        def advance(count: int, total: int) -> None:
            nonlocal last
            now = 1000 * count // max(total, 1)
            bar.update(now - last)
            last = now

        yield advance


def reading(values: dict[str, Any]) -> dict[str, Any]:
    """Select the reading options that were given from a command's values."""
    names = ("skeleton", "animation", "partial", "up", "unit")
    return {n: values[n] for n in names if values.get(n) is not None}


def say_notes(take: Take) -> None:
    """Print the reader's notes to stderr."""
    for note in take.notes:
        say(f"note: {note}", err=True)


def say_written(take: Take, path: str | PathLike[str]) -> None:
    """Print to stdout what was written, and to stderr what could not be."""
    from kinesphere.export.sound_beside import is_silent, loss_messages, sound_beside

    clip = take.clip
    for note in loss_messages(take, path):
        say(f"note: {note}", err=True)
    say(
        f"{path}: {len(clip)} frames, {len(clip.skeleton)} joints, "
        f"{clip.duration_s:.2f} s at {clip.fps:.4g} fps"
    )
    if take.audio is not None and is_silent(path):
        say(f"{sound_beside(path)}: the voice")
