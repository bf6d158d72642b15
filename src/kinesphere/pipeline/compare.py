"""Takes side by side, and pictures of takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path

from kinesphere.errors import InvalidValueError, UnwritableError
from kinesphere.export.output import Look, check_output, save, write_page
from kinesphere.motion.take import Take
from kinesphere.pipeline.convert import load

MOST_COMPARED = 6


def compare(
    takes: Sequence[Take | str | PathLike[str]],
    output: str | PathLike[str],
    titles: Sequence[str] | None = None,
) -> None:
    """Write a page with takes side by side, whose playback is synchronised.

    Parameters
    ----------
    takes : up to 6, or files of them.
    output : the page; it opens from disk, with no server and no network.
    titles : by default the names of the files.

    Examples
    --------
    >>> import kinesphere as ks
    >>> ks.compare([ks.idle(0.5, seed=1), ks.idle(0.5, seed=2)], "page.html", ["one", "two"])
    """
    if Path(output).suffix.lower() != ".html":
        raise UnwritableError(f"{output}: compare writes .html")
    check_output(output)
    if not 1 <= len(takes) <= MOST_COMPARED:
        raise InvalidValueError(f"{len(takes)} takes; allowed are 1 to {MOST_COMPARED}")
    shown = [take if isinstance(take, Take) else load(take) for take in takes]
    usual = [
        f"take {n}" if isinstance(take, Take) else Path(take).stem
        for n, take in enumerate(takes, start=1)
    ]
    write_page(shown, output, list(titles or usual))


def render(
    take: Take | str | PathLike[str],
    output: str | PathLike[str],
    look: Look | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Draw a take as video (.mp4) or contact sheet (.png); needs no display.

    Parameters
    ----------
    look : view, size, times and colours.
    progress : called with how many frames of how many are drawn.

    Examples
    --------
    >>> import kinesphere as ks
    >>> ks.render(ks.idle(0.5), "sheet.png", ks.Look(moments=2))
    """
    if Path(output).suffix.lower() not in (".mp4", ".png"):
        raise UnwritableError(f"{output}: render writes .mp4 and .png")
    check_output(output)
    save(take if isinstance(take, Take) else load(take), output, look, progress)
