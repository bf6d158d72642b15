"""``kinesphere evaluate TAKE... [--against REF...] [--json] [-o page.html]``."""

from __future__ import annotations

import json
from typing import Any

import click

from kinesphere.cli.options import progress_bar, reading, reading_options, say, shows_status


class _References(click.Command):
    """A command in which ``--against`` takes every file up to the next option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Give each file after ``--against`` its own ``--against``."""
        out: list[str] = []
        inside = wanting = False
        for each in args:
            if each.startswith("-") and len(each) > 1:
                if wanting:
                    break
                inside = each.split("=")[0] == "--against"
                wanting = each == "--against"
                out += [] if wanting else [each]
            else:
                out += ["--against", each] if inside else [each]
                wanting = False
        if wanting:
            raise click.UsageError("--against needs at least one file", ctx)
        return super().parse_args(ctx, out)


@click.command(
    "evaluate",
    cls=_References,
    epilog="Examples:\n\n\b\n  kinesphere evaluate talk.kin\n"
    "  kinesphere evaluate talk.bvh --speech talk.wav -o talk.html\n"
    "  kinesphere evaluate seed*.kin --against corpus/*.bvh -o page.html --json",
)
@click.argument("takes", metavar="TAKE...", nargs=-1)
@click.option(
    "--against",
    multiple=True,
    metavar="REF...",
    help="Reference motion: files or folders, all up to the next option.",
)
@click.option(
    "--speech",
    multiple=True,
    metavar="SOUND",
    help="Audio of the takes: one file for all, or one for each (default: the take's own, or audio of the same name in the same folder).",
)
@click.option(
    "--manner",
    type=click.Choice(["calm", "expressive"]),
    default="calm",
    show_default=True,
    help="Ranges of recorded speakers with which the takes are compared.",
)
@click.option(
    "--segments",
    multiple=True,
    metavar="TIER",
    help="Tier whose segment ends are compared with syllables (default: head, arms, lower, where present).",
)
@click.option("-o", "--output", metavar="PAGE.html", help="Page with plots to write.")
@click.option("--json", "as_json", is_flag=True, help="Write all numbers as JSON.")
@reading_options
@shows_status("measuring")
def command(
    takes: tuple[str, ...],
    against: tuple[str, ...],
    speech: tuple[str, ...],
    segments: tuple[str, ...],
    output: str | None,
    as_json: bool,
    **values: Any,
) -> None:
    """Compare takes with speech, recorded speakers and references.

    Synchrony with speech, speed and jerk, distances to references, diversity between takes of one
    speech, and artefacts such as sliding feet. TAKE and REF are motion files of any format, or
    folders of them; give takes before --against.
    """
    from kinesphere.pipeline.evaluate import check_page, evaluate, write_evaluation_page

    if not takes:
        raise click.UsageError("give at least one TAKE; takes go before --against")
    if output is not None:
        check_page(output)
    with progress_bar("evaluate") as progress:
        found = evaluate(
            takes,
            against,
            speech=speech,
            manner=values["manner"],
            segments=segments or None,
            progress=progress,
            **reading(values),
        )
    if output is not None:
        write_evaluation_page(found, output)
    for note in found.notes:
        say(f"note: {note}", err=True)
    if as_json:
        document = found.document()
        say(json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False))
        return
    say(str(found))
    if output is not None:
        say(output)
