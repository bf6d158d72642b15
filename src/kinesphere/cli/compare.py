"""``kinesphere compare TAKE TAKE... -o page.html``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from kinesphere.cli.options import (
    character_options,
    reading,
    reading_options,
    say,
    say_notes,
    shows_status,
    with_character,
)


@click.command(
    "compare",
    epilog="Examples:\n\n\b\n  kinesphere compare plain.kin tense.kin -o page.html\n"
    "  kinesphere compare talk.bvh talk.skm --character default -o page.html",
)
@click.argument("takes", metavar="TAKE...", nargs=-1, required=True)
@click.option("-o", "--output", required=True, metavar="PAGE.html", help="Page to write.")
@character_options
@reading_options
@shows_status("comparing")
def command(takes: tuple[str, ...], output: str, **values: Any) -> None:
    """Show takes side by side on one page.

    The page opens from disk, with no server and no network; playback of all takes is synchronised.
    """
    from kinesphere.export.output import check_output, write_page
    from kinesphere.pipeline.convert import load

    check_output(output)
    if not output.lower().endswith(".html"):
        raise click.UsageError(f"{output}: compare writes .html")
    if len(takes) > 6:
        raise click.UsageError(f"{len(takes)} takes; allowed are up to 6")
    loaded = [load(take, **reading(values)) for take in takes]
    shown = [with_character(take, values) for take in loaded]
    write_page(shown, output, [Path(take).stem for take in takes])
    for take in loaded:
        say_notes(take)
    say(output)
