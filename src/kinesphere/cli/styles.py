"""``kinesphere styles [-o picture]``."""

from __future__ import annotations

import json

import click


@click.command(
    "styles",
    epilog="Examples:\n\n\b\n  kinesphere styles\n  kinesphere styles -o styles.png\n"
    "  kinesphere styles mine.kin host -o both.html",
)
@click.argument("styles", nargs=-1, metavar="[STYLE]...")
@click.option("-o", "--output", metavar="OUT", help="Picture to write: .svg, .png or .html.")
@click.option("--json", "as_json", is_flag=True, help="Print the statistics as JSON.")
def command(styles: tuple[str, ...], output: str | None, as_json: bool) -> None:
    """List speaker styles with their statistics.

    STYLE is a speaker's name or file (default: all built-in speakers).
    """
    from kinesphere.pipeline.speakers import SPEAKERS
    from kinesphere.pipeline.speakers import styles as list_styles

    found = list_styles(styles or SPEAKERS)
    if output is not None:
        from kinesphere.export.pages.speaker.speaker_portrait import write_portraits

        write_portraits(found, output)
    rows = [
        {
            "name": p.name,
            "gestures_per_minute": round(p.rate_per_minute, 2),
            "gestures": p.counts.gestures,
            "gestures_per_unit": round(p.gestures_per_unit, 2),
            "hands": {h: round(p.of_hand(h), 3) for h in ("RH", "LH", "2H")},
            "lexemes": {n: p.counts.lexemes[n] for n in p.lexemes},
            "note": p.note,
        }
        for p in found
    ]
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False, indent=1))
        return
    for p in found:
        most = ", ".join(f"{n} {100 * p.of_lexeme(n):.0f}" for n in p.lexemes[:6])
        hands = " ".join(f"{h} {100 * p.of_hand(h):.0f}" for h in ("RH", "LH", "2H"))
        click.echo(
            f"{p.name:10} {p.rate_per_minute:4.1f} gestures per minute, {p.gestures_per_unit:.1f} per "
            f"unit; hands {hands}; percent: {most}"
        )
        if p.note:
            click.echo(f"{'':10} {p.note}")
    if output is not None:
        click.echo(output)
