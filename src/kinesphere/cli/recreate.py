"""``kinesphere recreate ANNOTATION -o take.script``."""

from __future__ import annotations

import math

import click


@click.command(
    "recreate",
    epilog="Examples:\n\n\b\n  kinesphere recreate show.eaf -o show.script\n"
    "  kinesphere recreate show.anvil --from 12 --to 40 -o passage.script",
)
@click.argument("annotation", metavar="ANNOTATION")
@click.option("-o", "--output", required=True, metavar="OUT.script", help="Script to write.")
@click.option("--from", "start_s", type=float, default=0.0, metavar="S", help="Start, seconds.")
@click.option("--to", "end_s", type=float, default=math.inf, metavar="S", help="End, seconds.")
def command(annotation: str, output: str, start_s: float, end_s: float) -> None:
    """Turn an annotated passage into a gesture script.

    What is wrong in the file is listed with its line, and the rest is used. Motion is not made from
    the script yet.
    """
    from kinesphere.gesture.script_text import write_script
    from kinesphere.pipeline.scripts import check_script_output, recreate

    check_script_output(output)
    made, notes, problems = recreate(annotation, start_s, end_s)
    for problem in problems:
        click.echo(f"problem: {problem}", err=True)
    for note in notes:
        click.echo(f"note: {note}", err=True)
    write_script(made, output)
    click.echo(f"{output}: {len(made.gestures)} gestures in {len(made.units)} units")
