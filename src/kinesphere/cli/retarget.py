"""``kinesphere retarget MOTION --character X -o OUT``."""

from __future__ import annotations

from typing import Any

import click

from kinesphere.cli.options import (
    output_option,
    progress_bar,
    reading,
    reading_options,
    say_notes,
    say_written,
    shows_status,
)


@click.command(
    "retarget",
    epilog="Examples:\n\n\b\n  kinesphere retarget talk.bvh -o talk.glb\n"
    "  kinesphere retarget talk.bvh --character hero.vrm -o hero.bvh",
)
@click.argument("motion", metavar="MOTION")
@output_option
@click.option(
    "--character",
    default="default",
    show_default=True,
    metavar="FILE",
    help="Whose skeleton to move: a file, or 'default'.",
)
@click.option("--keep-calibration", is_flag=True, help="Keep leading calibration poses.")
@click.option("--no-feet", is_flag=True, help="Do not put the feet back on the floor.")
@click.option("--no-hands", is_flag=True, help="Do not put the hands back in proportion.")
@click.option(
    "--idle",
    type=float,
    metavar="AMOUNT",
    help="Add breathing, sway and blinks: 0 to 3, 1 is natural.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of idle life.")
@reading_options
@shows_status("retargeting")
def command(motion: str, output: str, character: str, **values: Any) -> None:
    """Move motion onto another character.

    Works between any two humanoids, whatever their proportions, joint names and rest poses. Feet
    that stand on the recording's floor stand on the floor at 0, hands are in the same place
    relative to the body; the path is scaled by leg length. 'kinesphere doctor FILE' shows how a
    rig is understood.
    """
    from kinesphere.motion.retargeting import RetargetSettings
    from kinesphere.pipeline.convert import load
    from kinesphere.pipeline.idle import enlivened
    from kinesphere.pipeline.output import check_output, save
    from kinesphere.pipeline.retarget import load_character, retarget

    check_output(output)
    take = load(motion, **reading(values))
    target = load_character(character)
    settings = RetargetSettings(
        place_feet=not values["no_feet"], place_hands=not values["no_hands"]
    )
    result = retarget(take, target, keep_calibration=values["keep_calibration"], settings=settings)
    if values["idle"]:
        result = enlivened(result, values["idle"], values["seed"])
    with progress_bar(output) as progress:
        save(result, output, progress=progress)
    say_notes(result)
    say_written(result, output)
