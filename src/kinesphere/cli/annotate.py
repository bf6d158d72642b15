"""``kinesphere annotate MOTION -o OUT.eaf``."""

from __future__ import annotations

from typing import Any

import click

from kinesphere.cli.options import reading, reading_options, say, say_notes, shows_status


@click.command(
    "annotate",
    epilog="Examples:\n\n\b\n  kinesphere annotate talk.bvh -o talk.eaf\n"
    "  kinesphere annotate talk.bvh --speech talk.wav --transcript talk.txt -o talk.eaf\n"
    "  kinesphere profile talk.eaf -o me.kin",
)
@click.argument("motion", metavar="MOTION")
@click.option("-o", "--output", required=True, metavar="OUT", help="Annotation: .eaf or .anvil.")
@click.option("--speech", metavar="FILE", help="Recording of the speech.")
@click.option(
    "--transcript", metavar="FILE", help="Text of the speech, or words with times (TextGrid, …)."
)
@click.option("--guess", is_flag=True, help="Recognise English words, roughly.")
@click.option("--language", default="en", show_default=True, metavar="CODE", help="en or de.")
@click.option("--speaker", default="", help="Name of the speaker.")
@click.option(
    "--marks",
    type=click.Choice(["auto", "none"]),
    default="auto",
    show_default=True,
    help="auto: the take's stored annotations, if any; none: always from the motion.",
)
@reading_options
@shows_status("annotating")
def command(
    motion: str,
    output: str,
    speech: str | None,
    transcript: str | None,
    guess: bool,
    language: str,
    speaker: str,
    marks: str,
    **values: Any,
) -> None:
    """Annotate motion automatically, for a person to correct.

    Finds gestures with their phases and units, hands, positions, path, strokes and hand shape, the
    lexeme of the nearest form, and the words of each gesture. A take that `perform` or `animate`
    made contains most of that already. Open the result in ELAN or ANVIL, or pass it to `profile` or
    `recreate`.
    """
    from dataclasses import replace
    from pathlib import Path

    from kinesphere.corpus.annotation.reading import write_annotation
    from kinesphere.pipeline.annotate import (
        annotate,
        check_annotation_output,
        own_marks,
        read_spoken,
    )
    from kinesphere.pipeline.convert import load

    if speech is None and (transcript is not None or guess):
        raise click.UsageError("--transcript and --guess need --speech")
    if speech is not None and (transcript is None) != guess:
        raise click.UsageError("give --transcript or --guess with --speech")
    check_annotation_output(output)
    take = load(motion, **reading(values))
    heard = None if speech is None else read_spoken(speech, transcript, language)
    made = annotate(take, heard, language, marks=marks)
    named = replace(made.annotation, speaker=speaker or Path(motion).stem)
    write_annotation(named, output)
    say_notes(take)
    sure = [c for g, c in zip(named.gestures, made.confidences, strict=True) if g.lexeme]
    how = f" (confidence {sum(sure) / len(sure):.2f} on average)" if sure else ""
    if marks == "auto" and own_marks(take) is not None:
        how = " (from the take's stored annotations)"
    say(
        f"{output}: {len(named.gestures)} gestures in {len(named.units)} units, "
        f"{len(sure)} with a lexeme{how}"
    )
