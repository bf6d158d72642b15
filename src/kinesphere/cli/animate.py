"""``kinesphere animate SCRIPT -o OUT``."""

from __future__ import annotations

from typing import Any

import click

from kinesphere.cli.acting_options import acting_options, staging
from kinesphere.cli.options import output_option, progress_bar, say_notes, say_written, shows_status


@click.command(
    "animate",
    epilog="Examples:\n\n\b\n  kinesphere animate talk.script -o talk.html\n"
    "  kinesphere animate talk.script --speech talk.wav --style host -o talk.glb\n"
    "  kinesphere animate talk.script --paper -o printed.bvh",
)
@click.argument("script", metavar="SCRIPT")
@output_option
@click.option("--speech", metavar="FILE", help="Recording of the speech.")
@click.option(
    "--style",
    default="neutral",
    show_default=True,
    metavar="NAME|FILE",
    help="Speaker whose torso rotation, Effort and shoulders are used.",
)
@click.option("--follow-script", is_flag=True, help="Strokes end exactly when the script says.")
@acting_options
@shows_status("animating")
def command(script: str, output: str, **values: Any) -> None:
    """Make motion from a gesture script."""
    from kinesphere.errors import InvalidValueError, UnreadableError
    from kinesphere.export.output import check_output, save
    from kinesphere.gesture.script_text import read_script
    from kinesphere.pipeline.perform import animate

    check_output(output)
    staged = staging(values)
    made = read_script(script)
    try:
        take = animate(
            made,
            direction=staged.direction,
            cast=staged.cast,
            speech=values["speech"],
            follow_script=values["follow_script"],
        )
    except InvalidValueError as error:
        if str(error).startswith("gesture "):
            raise UnreadableError(script, str(error)) from None
        raise
    with progress_bar(output) as progress:
        save(take, output, progress=progress)
    say_notes(take)
    say_written(take, output)
