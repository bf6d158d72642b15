"""``kinesphere models [MODEL]``."""

from __future__ import annotations

import json
from typing import Any

import click


@click.command(
    "models",
    epilog="Examples:\n\n\b\n  kinesphere models\n  kinesphere models mine.kin\n"
    "  kinesphere models mine.kin --json",
)
@click.argument("models", nargs=-1, metavar="[MODEL]...")
@click.option("--json", "as_json", is_flag=True, help="Write everything as JSON.")
def command(models: tuple[str, ...], as_json: bool) -> None:
    """Show the contents of body-language models.

    MODEL is the name of a built-in model, or a file (default: all built-in models).
    """
    from kinesphere.pipeline.models import describe_model, model_names
    from kinesphere.pipeline.models import models as load_models

    rows = [describe_model(found) for found in load_models(models or None)]
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False, indent=1))
        return
    if not rows:
        click.echo("there is no built-in model; 'kinesphere train' makes one")
    for given, row in zip(models or model_names(), rows, strict=True):
        for line in _lines(given, row):
            click.echo(line)


def _lines(given: str, row: dict[str, Any]) -> list[str]:
    """A text summary of a model."""
    spoken_s = sum(row["seconds"].values())
    who = f"{len(row['speakers'])} speakers" if len(row["speakers"]) > 1 else row["speakers"][0]
    learned = f"learned from {spoken_s / 60:.1f} minutes of {who}" if spoken_s else f"of {who}"
    lines = [f"{given}: {row['name']}, {learned}; library of {row['library_s'] / 60:.1f} minutes"]
    for name, stream in row["streams"].items():
        lines.append(
            f"  {name:6} {stream['movements']} segments of {stream['mean_length_s']:.2f} s in "
            f"{stream['clusters']} clusters, {stream['observations']} syllables and pauses"
        )
    if len(row["seconds"]) > 1:
        each = ", ".join(f"{n} {s / 60:.1f}" for n, s in row["seconds"].items())
        lines.append(f"  minutes by speaker: {each}")
    if row["corpora"]:
        lines.append(f"  corpora: {', '.join(row['corpora'])} ({', '.join(row['layouts'])})")
    if row["licence"]:
        lines.append(f"  licence: {row['licence']}")
    return ["".join(c if c.isprintable() else "?" for c in line) for line in lines]
