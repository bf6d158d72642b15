"""``kinesphere convert IN OUT``."""

from __future__ import annotations

from typing import Any

import click

from kinesphere.cli.options import (
    character_options,
    progress_bar,
    reading,
    reading_options,
    say_notes,
    say_written,
    shows_status,
    with_character,
)


@click.command(
    "convert",
    epilog="Examples:\n\n\b\n  kinesphere convert talk.bvh talk.glb\n"
    "  kinesphere convert 18_08.bvh cut.bvh --drop-calibration --from 2 --to 5.5 --fps 60\n"
    "  kinesphere convert wave.skm wave.kin",
)
@click.argument("source", metavar="IN")
@click.argument("output", metavar="OUT")
@click.option(
    "--from", "start_s", type=float, metavar="S", help="Start of the part to keep, seconds."
)
@click.option("--to", "end_s", type=float, metavar="S", help="End of the part to keep, seconds.")
@click.option("--fps", type=float, help="New frame rate.")
@click.option("--mirror", "mirrored", is_flag=True, help="Exchange left and right.")
@click.option("--drop-calibration", is_flag=True, help="Remove leading calibration poses.")
@character_options
@reading_options
@shows_status("converting")
def command(source: str, output: str, **values: Any) -> None:
    """Convert motion from one file format to another.

    Reads BVH, GLB, glTF, VRM, VRMA, SMPL-X/AMASS npz, SmartBody skm and kin; writes BVH, GLB, VRMA,
    kin, html pages, mp4 video and png contact sheets. Without options nothing is changed: BVH to
    BVH keeps hierarchy, units, channel order and every number.
    """
    from kinesphere.export.output import check_output, save
    from kinesphere.pipeline.convert import Edits, edit, load

    check_output(output)
    take = load(source, **reading(values))
    names = ("start_s", "end_s", "fps", "mirrored", "drop_calibration")
    result = edit(take, Edits(**{name: values[name] for name in names}))
    result = with_character(result, values)
    with progress_bar(output) as progress:
        save(result, output, progress=progress)
    say_notes(take)
    say_written(result, output)
