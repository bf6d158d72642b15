"""Options and reports that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from kinesphere.motion.take import Take

F = TypeVar("F", bound=Callable[..., Any])


def reading_options(function: F) -> F:
    """Add the options that say how an input file is to be understood."""
    for option in (
        click.option(
            "--skeleton",
            metavar="FILE.sk",
            help="Skeleton of a SmartBody motion, if it is not beside it.",
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
            help="Read a BVH file that ends too early as far as it goes.",
        ),
        click.option(
            "--up",
            type=click.Choice(["auto", "y", "z"]),
            help="Vertical axis of a BVH file (default: auto).",
        ),
        click.option(
            "--unit",
            metavar="UNIT",
            help="Unit of the input: auto, m, cm, mm, inch, cmu, or metres a unit.",
        ),
    ):
        function = option(function)
    return function


def reading(values: dict[str, Any]) -> dict[str, Any]:
    """Pick the reading options that were given out of a command's values."""
    names = ("skeleton", "animation", "partial", "up", "unit")
    return {n: values[n] for n in names if values.get(n) is not None}


def say_notes(take: Take) -> None:
    """Tell on stderr what the reader had to decide."""
    for note in take.notes:
        click.echo(f"note: {note}", err=True)


def say_written(take: Take, path: str | PathLike[str]) -> None:
    """Tell on stdout what was written."""
    clip = take.clip
    click.echo(
        f"{path}: {len(clip)} frames, {len(clip.skeleton)} joints, "
        f"{len(clip) / clip.fps:.2f} s at {clip.fps:.4g} fps"
    )
