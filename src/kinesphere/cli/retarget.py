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
    help="Target character: a file, or 'default'.",
)
@click.option("--keep-calibration", is_flag=True, help="Keep leading calibration poses.")
@click.option("--no-feet", is_flag=True, help="Do not correct the feet to the floor.")
@click.option(
    "--no-hands", is_flag=True, help="Do not correct the hand positions for the new proportions."
)
@click.option(
    "--no-clearing", is_flag=True, help="Do not move arms out of the body or hands apart."
)
@click.option(
    "--idle",
    type=float,
    metavar="AMOUNT",
    help="Add idle motion (breathing, sway, blinks): 0 to 3, 1 is natural.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Random seed of idle motion.")
@reading_options
@shows_status("retargeting")
def command(motion: str, output: str, character: str, **values: Any) -> None:
    """Retarget motion to another character.

    Works between any two humanoids, whatever their proportions, joint names and rest poses. Feet
    on the recording's floor are put on the floor at height 0, hands keep their position relative
    to the body and stay out of its mesh, and the root path is scaled by leg length. 'kinesphere
    doctor FILE' shows how a rig is recognised.
    """
    from kinesphere.export.output import check_output, save
    from kinesphere.motion.retargeting.retargeting import RetargetSettings
    from kinesphere.pipeline.convert import load
    from kinesphere.pipeline.idle import add_idle
    from kinesphere.pipeline.retarget import load_character, retarget

    check_output(output)
    take = load(motion, **reading(values))
    target = load_character(character)
    settings = RetargetSettings(
        place_feet=not values["no_feet"],
        place_hands=not values["no_hands"],
        clear_arms=not values["no_clearing"],
    )
    result = retarget(take, target, keep_calibration=values["keep_calibration"], settings=settings)
    if values["idle"]:
        result = add_idle(result, values["idle"], values["seed"])
    with progress_bar(output) as progress:
        save(result, output, progress=progress)
    say_notes(result)
    say_written(result, output)
