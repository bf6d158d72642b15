"""``kinesphere tense MOTION -o OUT``."""

from __future__ import annotations

from typing import Any

import click

from kinesphere.cli.options import (
    character_options,
    check_outputs,
    compare_option,
    output_option,
    progress_bar,
    reading,
    reading_options,
    say,
    say_notes,
    say_written,
    shows_status,
    with_character,
)


@click.command(
    "tense",
    epilog="Examples:\n\n\b\n"
    "  kinesphere tense talk.bvh -o loose.glb --tension loose\n"
    "  kinesphere tense talk.bvh -o nervous.bvh --tension 0.8 --compare page.html\n"
    "  kinesphere tense talk.bvh -o stiff.kin --error 5mm --zeta 0.3 --retraction 1cm,0.4\n"
    "  kinesphere tense talk.bvh -o swing.html --tension relaxed --inherit 0.5 --secondary 0.6",
)
@click.argument("motion", metavar="MOTION")
@output_option
@click.option(
    "--tension",
    metavar="NAME|N|ERROR,ZETA",
    help="loose, relaxed, neutral, tense (default), trembling; -1 to 1; or rest error and zeta.",
)
@click.option("--error", metavar="LENGTH", help="Rest error, such as 5mm; with --zeta.")
@click.option("--zeta", metavar="N", help="Damping ratio, such as 0.3; with --error.")
@click.option("--retraction", metavar="ERROR,ZETA", help="Rest error and zeta of retractions.")
@click.option("--curve", metavar="FILE.csv", help="Tension over time: lines of TIME,TENSION.")
@click.option(
    "--phases",
    default="auto",
    show_default=True,
    metavar="HOW",
    help="Gesture phases; auto: the take's, or detected; take: the take's; none: all as a stroke.",
)
@click.option(
    "--inherit",
    type=float,
    default=0.0,
    show_default=True,
    help="How much of the body's motion moves the arms, 0 to 1.",
)
@click.option(
    "--secondary",
    type=float,
    default=0.0,
    show_default=True,
    help="Secondary motion of wrists, elbows, head and torso, 0 to 2.",
)
@click.option(
    "--holds",
    type=click.Choice(["auto", "constant", "as-recorded"]),
    default="auto",
    show_default=True,
    help="Replace holds after strokes by constant ones; auto: where the arm is stiff.",
)
@click.option("--no-lag-compensation", is_flag=True, help="Do not advance the target by the lag.")
@compare_option
@character_options
@reading_options
@shows_status("changing the tension")
def command(motion: str, output: str, **values: Any) -> None:
    """Change the muscular tension of motion, from limp to trembling.

    Works on any humanoid motion; length and timing stay as they are. Leading calibration poses are
    removed.
    """
    from kinesphere.dynamics.tension.secondary import Secondary
    from kinesphere.dynamics.tension.tensed import TensedSettings
    from kinesphere.export.output import save, write_page
    from kinesphere.pipeline.convert import cut_calibration, load
    from kinesphere.pipeline.tense import tense

    page = values["compare"]
    check_outputs(output, page)
    tension = _tension(values)
    settings = TensedSettings(
        compensate=not values["no_lag_compensation"],
        inherit=values["inherit"],
        constant_holds={"auto": None, "constant": True, "as-recorded": False}[values["holds"]],
        secondary=Secondary.all(values["secondary"]),
    )
    take = with_character(cut_calibration(load(motion, **reading(values))), values)
    result = tense(
        take,
        tension,
        retraction=values["retraction"],
        curve=values["curve"],
        phases=values["phases"],
        settings=settings,
    )
    with progress_bar(output) as progress:
        save(result, output, progress=progress)
    if page is not None:
        write_page([take, result], page, ["original", values["curve"] or tension])
        say(page)
    say_notes(take)
    for side, far in result.provenance["tense"]["wrists"].items():
        mean, most = far["mean_mm"], far["max_mm"]
        click.echo(f"{side} wrist: {mean:.0f} mm from the input, at most {most:.0f}", err=True)
    say_written(result, output)


def _tension(values: dict[str, Any]) -> str:
    """The requested tension, from one of its options."""
    error, zeta, named = values["error"], values["zeta"], values["tension"]
    if (error is None) != (zeta is None):
        raise click.UsageError(
            "--error and --zeta are used together, such as --error 5mm --zeta 0.3"
        )
    if sum(v is not None for v in (error, named, values["curve"])) > 1:
        raise click.UsageError("give --tension, or --error with --zeta, or --curve")
    return f"{error},{zeta}" if error is not None else (named or "tense")
