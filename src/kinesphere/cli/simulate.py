"""``kinesphere simulate MOTION -o OUT``."""

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
    "simulate",
    epilog="Examples:\n\n\b\n"
    "  kinesphere simulate talk.bvh -o talk.glb\n"
    "  kinesphere simulate talk.bvh -o loose.html --tension relaxed --compare page.html\n"
    "  kinesphere simulate talk.kin -o heavy.kin --mass 110 --tension -0.3\n"
    "  kinesphere simulate talk.kin -o paper.kin --paper --tension relaxed",
)
@click.argument("motion", metavar="MOTION")
@output_option
@click.option(
    "--tension",
    metavar="NAME|N|ERROR,ZETA",
    help="Tension of the arms: loose, relaxed, neutral, tense, trembling; -1 to 1; or rest error and zeta (default: neutral, relaxed in retractions).",
)
@click.option("--mass", type=float, metavar="KG", help="Mass of the body (default: 75).")
@click.option(
    "--paper", is_flag=True, help="The 2008 paper's timing: 0.12 s early, strokes shortened."
)
@click.option(
    "--advance",
    type=float,
    metavar="S",
    help="Advance the target poses by this much (default: by each joint's lag).",
)
@click.option(
    "--phases",
    default="auto",
    show_default=True,
    metavar="HOW",
    help="Gesture phases; auto: the take's, or detected; take: the take's; none: all as a stroke.",
)
@click.option(
    "--steady-head",
    type=float,
    default=0.7,
    show_default=True,
    help="How far the head is stabilised when the torso moves, 0 to 1.",
)
@compare_option
@character_options
@reading_options
@shows_status("simulating")
def command(motion: str, output: str, **values: Any) -> None:
    """Simulate motion with physics: arms overshoot, the torso reacts.

    Works on any humanoid motion of a standing person. The length, the face and the foot positions
    stay as they are. Leading calibration poses are removed.
    """
    from kinesphere.dynamics.body.segment_masses import DEFAULT_MASS_KG
    from kinesphere.dynamics.body.simulation import SimulationSettings
    from kinesphere.export.output import save, write_page
    from kinesphere.pipeline.convert import cut_calibration, load
    from kinesphere.pipeline.simulate import simulate

    page = values["compare"]
    check_outputs(output, page)
    settings = SimulationSettings(steady_head=values["steady_head"])
    take = with_character(cut_calibration(load(motion, **reading(values))), values)
    with progress_bar("simulating") as progress:
        result = simulate(
            take,
            values["tension"],
            mass_kg=DEFAULT_MASS_KG if values["mass"] is None else values["mass"],
            paper=values["paper"],
            advance_s=values["advance"],
            phases=values["phases"],
            settings=settings,
            progress=progress,
        )
    with progress_bar(output) as progress:
        save(result, output, progress=progress)
    if page is not None:
        write_page(
            [take, result], page, ["original", f"simulated, {values['tension'] or 'natural'}"]
        )
        say(page)
    say_notes(take)
    say_written(result, output)
