"""``kinesphere recreate ANNOTATION -o OUT``."""

from __future__ import annotations

import math
from typing import Any

import click

from kinesphere.cli.acting_options import acting_options, count_text, staging
from kinesphere.cli.options import progress_bar, say, say_notes, say_written, shows_status


@click.command(
    "recreate",
    epilog="Examples:\n\n\b\n  kinesphere recreate show.eaf -o show.html\n"
    "  kinesphere recreate show.anvil --from 12 --to 40 -o passage.bvh\n"
    "  kinesphere recreate show.eaf -o show.script",
)
@click.argument("annotation", metavar="ANNOTATION")
@click.option("-o", "--output", required=True, metavar="OUT", help="Take or gesture script.")
@click.option("--from", "start_s", type=float, default=0.0, metavar="S", help="Start, seconds.")
@click.option("--to", "end_s", type=float, default=math.inf, metavar="S", help="End, seconds.")
@click.option(
    "--style",
    default="neutral",
    show_default=True,
    metavar="NAME|FILE",
    help="Speaker whose torso rotation, Effort and shoulders are used.",
)
@acting_options
@shows_status("recreating")
def command(annotation: str, output: str, start_s: float, end_s: float, **values: Any) -> None:
    """Recreate an annotated passage on a character.

    Errors in the file are listed with their lines, and the rest is used. With the suffix .script
    only the gestures are written.
    """
    from kinesphere.export.output import check_output, save
    from kinesphere.gesture.script_text import SCRIPT_ENDINGS, check_script_output, write_script
    from kinesphere.pipeline.perform import recreate
    from kinesphere.pipeline.stages.plan import plan_annotation

    as_script = output.lower().endswith(SCRIPT_ENDINGS)
    (check_script_output if as_script else check_output)(output)
    staged = staging(values)
    who = staged.cast.resolve()
    planned = plan_annotation(annotation, start_s, end_s, who)
    for problem in planned.problems:
        say(f"problem: {problem}", err=True)
    if as_script:
        for note in planned.notes:
            say(f"note: {note}", err=True)
        write_script(planned.script, output)
        say(f"{output}: {count_text(planned.script)}")
        return
    take = recreate(planned, direction=staged.direction, cast=who)
    with progress_bar(output) as progress:
        save(take, output, progress=progress)
    say_notes(take)
    say_written(take, output)
