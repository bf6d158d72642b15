"""``kinesphere papers -o DIR``."""

from __future__ import annotations

from typing import Any

import click

from kinesphere.cli.options import reading, reading_options, say, say_notes, shows_status


@click.command(
    "papers",
    epilog="Examples:\n\n\b\n  kinesphere papers -o docs\n"
    "  kinesphere papers -o pages --only tension --clip talk.bvh",
)
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="DIR",
    help="Folder to write to; pictures go into its folder 'pictures'.",
)
@click.option(
    "--only", multiple=True, metavar="NAME", help="Write only this page: tension; repeatable."
)
@click.option("--clip", metavar="MOTION", help="Also show the effect on your own motion.")
@reading_options
@shows_status("drawing")
def command(output: str, only: tuple[str, ...], clip: str | None, **values: Any) -> None:
    """Reproduce the papers' figures with our code.

    Writes a page for each paper with reproducible figures; the corrections are listed under each.
    Every number on the pages is computed.
    """
    from kinesphere.pipeline.convert import load
    from kinesphere.pipeline.papers.write_pages import check_names, papers

    check_names(only)
    take = None if clip is None else load(clip, **reading(values))
    written = papers(output, only, take)
    if take is not None:
        say_notes(take)
    for path in written:
        say(str(path))
