"""``kinesphere render TAKE -o out.mp4|out.png``."""

from __future__ import annotations

from typing import Any

import click

from kinesphere.cli.options import (
    character_options,
    progress_bar,
    reading,
    reading_options,
    say,
    say_notes,
    shows_status,
    with_character,
)

_MOST = 60  # pictures of a contact sheet


@click.command(
    "render",
    epilog="Examples:\n\n\b\n  kinesphere render talk.kin -o talk.mp4\n"
    "  kinesphere render talk.bvh --character default -o sheet.png --moments 10\n"
    "  kinesphere render shrug.skm -o strokes.png --moments strokes",
)
@click.argument("take", metavar="TAKE")
@click.option(
    "-o", "--output", required=True, metavar="OUT", help="A .mp4 video or a .png contact sheet."
)
@click.option(
    "--view",
    type=click.Choice(["front", "side", "three-quarter", "top"]),
    default="three-quarter",
    show_default=True,
    help="Camera of a video.",
)
@click.option(
    "--size",
    default="1280x720",
    show_default=True,
    metavar="WxH",
    help="Size of a video in pixels.",
)
@click.option("--fps", type=float, default=30.0, show_default=True, help="Frame rate of a video.")
@click.option(
    "--moments",
    default="8",
    show_default=True,
    metavar="N|strokes",
    help="Number of pictures of a contact sheet, or strokes.",
)
@click.option("--at", metavar="S,S,...", help="Times of a contact sheet's pictures in seconds.")
@click.option("--dark", is_flag=True, help="Dark background.")
@character_options
@reading_options
@shows_status("rendering")
def command(take: str, output: str, **values: Any) -> None:
    """Draw a take as video or contact sheet.

    Needs no display and no graphics card. Video needs ffmpeg (extra 'media').
    """
    from kinesphere.export.output import Look, check_output, save
    from kinesphere.pipeline.convert import load

    check_output(output)
    if not output.lower().endswith((".mp4", ".png")):
        raise click.UsageError(f"{output}: render writes .mp4 and .png")
    loaded = load(take, **reading(values))
    shown = with_character(loaded, values)
    look = Look(
        values["view"],
        _size(values["size"]),
        values["fps"],
        _moments(shown, values),
        values["dark"],
    )
    with progress_bar(output) as progress:
        save(shown, output, look, progress)
    say_notes(loaded)
    say(output)


def _size(text: str) -> tuple[int, int]:
    parts = text.lower().split("x")
    if len(parts) != 2 or not all(p.isdecimal() and 16 <= int(p) <= 7680 for p in parts):
        raise click.UsageError(
            f"--size {text}: expected WIDTHxHEIGHT from 16 to 7680, such as 1280x720"
        )
    return int(parts[0]), int(parts[1])


def _moments(take: Any, values: dict[str, Any]) -> Any:
    from kinesphere.export.output import stroke_ends

    if values["at"]:
        try:
            return [float(x) for x in values["at"].split(",")]
        except ValueError:
            raise click.UsageError(
                f"--at {values['at']}: expected seconds, such as 0.5,1.2"
            ) from None
    text = values["moments"]
    if text in ("stroke", "strokes"):
        return _some(stroke_ends(take))
    if not text.isdecimal() or not 1 <= int(text) <= _MOST:
        raise click.UsageError(f"--moments {text}: expected a number from 1 to {_MOST}, or strokes")
    return int(text)


def _some(moments: dict[str, float]) -> dict[str, float]:
    """Limit times to what a sheet can hold, evenly spaced, with a note about the others."""
    count = len(moments)
    if count <= _MOST:
        return moments
    note = f"note: {_MOST} of {count} strokes are shown; '--at 0.5,1.2' shows times of your choice"
    click.echo(note, err=True)
    chosen = {round(i * (count - 1) / (_MOST - 1)) for i in range(_MOST)}
    return {name: at for i, (name, at) in enumerate(moments.items()) if i in chosen}
