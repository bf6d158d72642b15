"""``kinesphere express MOTION -o OUT``."""

from __future__ import annotations

import json
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
    "express",
    epilog="Examples:\n\n\b\n"
    "  kinesphere express talk.bvh -o proud.glb --manner proudly\n"
    '  kinesphere express talk.bvh -o tired.html --manner "slightly hesitant, very tired"\n'
    "  kinesphere express talk.bvh -o strong.bvh --effort weight=0.8,time=0.5 --part right-arm\n"
    "  kinesphere express talk.bvh -o high.kin --shape vertical=-0.6 --compare page.html\n"
    "  kinesphere express talk.bvh -o phrased.glb --phrase phrase.toml\n\n"
    "Effort: space (Indirect -1, Direct 1), weight (Light, Strong), time (Sustained, Sudden), "
    "flow (Free, Bound). Shape: horizontal (Spreading -1, Enclosing 1), vertical (Rising, "
    "Sinking), sagittal (Advancing, Retreating), reach (near, far).",
)
@click.argument("motion", metavar="MOTION")
@output_option
@click.option("--effort", default="", metavar="NAME=N,...", help="Effort factors, -1 to 1.")
@click.option("--shape", default="", metavar="NAME=N,...", help="Shape dimensions, -1 to 1.")
@click.option("--manner", default="", metavar="WORDS", help="Manner words, English or German.")
@click.option(
    "--manner-table", multiple=True, metavar="FILE.toml", help="Further manner words; repeatable."
)
@click.option(
    "--part",
    multiple=True,
    metavar="PART",
    help="left-arm, right-arm, torso, arms or body (default); repeatable.",
)
@click.option("--phrase", metavar="FILE.toml", help="Values that change over time.")
@click.option("--torso-effort", is_flag=True, help="Apply Effort to the torso, too.")
@click.option(
    "--paper",
    is_flag=True,
    help="As in the paper, for research: motion of the recording's keys alone, without safeguards.",
)
@compare_option
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@character_options
@reading_options
@shows_status("applying Effort and Shape")
def command(motion: str, output: str, **values: Any) -> None:
    """Change Effort and Shape of motion, by factors or manner words.

    Works on any humanoid motion. Length, legs, fingers and all that is not asked to change stay as
    they are; hands that touch something keep touching it. Leading calibration poses are removed.
    """
    from kinesphere.export.output import save, write_page
    from kinesphere.pipeline.convert import cut_calibration, load
    from kinesphere.pipeline.express import express

    page = values["compare"]
    check_outputs(output, page)
    take = with_character(cut_calibration(load(motion, **reading(values))), values)
    result = express(
        take,
        effort=values["effort"],
        shape=values["shape"],
        manner=values["manner"],
        part=values["part"] or "body",
        phrase=values["phrase"],
        torso_effort=values["torso_effort"],
        paper=values["paper"],
        manner_tables=values["manner_table"],
    )
    with progress_bar(output) as progress:
        save(result, output, progress=progress)
    if page is not None:
        write_page([take, result], page, ["original", _title(values)])
    say_notes(take)
    _say(result.provenance["express"], output, result, page, as_json=values["as_json"])


def _title(values: dict[str, Any]) -> str:
    asked = (values["manner"], values["effort"], values["shape"], values["phrase"])
    return ", ".join(str(part) for part in asked if part) or "unchanged"


def _say(
    report: dict[str, Any], output: str, take: Any, page: str | None, *, as_json: bool
) -> None:
    if as_json:
        say(json.dumps({"output": output, "compare": page, **report}))
        return
    for side, arm in report["arms"].items():
        say(
            f"{side} arm: {arm['goals']} goals, {arm['vias']} vias; keys deviate "
            f"{arm['error_rms_mm']:.0f} mm from the recording (at most {arm['error_max_mm']:.0f}); "
            f"in contact {arm['touching']:.0%}, restrained {arm['restrained']:.0%} of the time",
            err=True,
        )
    if page is not None:
        say(page)
    say_written(take, output)
