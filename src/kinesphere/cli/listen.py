"""``kinesphere listen SPEECH -o take.html``."""

from __future__ import annotations

from typing import Any

import click

from kinesphere.cli.acting_options import (
    acting_options,
    silence_options,
    staging,
    word_gesture_options,
)
from kinesphere.cli.options import progress_bar, say_notes, say_written, shows_status


@click.command(
    "listen",
    epilog="Examples:\n\n\b\n  kinesphere listen talk.wav -o talk.html\n"
    "  kinesphere listen talk.wav --speaker host --amount 0.6 -o talk.glb\n"
    "  kinesphere listen talk.flac --model mine.kin --character my.vrm -o talk.vrma\n"
    '  kinesphere listen talk.mp3 --speaker host=2,critic=1 --manner "proudly" -o talk.bvh',
)
@click.argument("speech", metavar="SPEECH")
@click.option("-o", "--output", metavar="OUT", required=True, help="Take, page or video to write.")
@click.option(
    "--model",
    default="house",
    show_default=True,
    metavar="NAME|FILE",
    help="Body-language model: one of `kinesphere models`, or a file of `train`.",
)
@click.option(
    "--speaker", metavar="NAME[=W],…", help="Speaker of the model, or a mix (default: all alike)."
)
@click.option(
    "--amount",
    type=float,
    default=1.0,
    show_default=True,
    help="Amplitude of the motion: 0 for none, 1 as learned, up to 1.5.",
)
@click.option(
    "--policy",
    default="model",
    show_default=True,
    type=click.Choice(["model", "random", "random-synchronised", "unsynchronised"]),
    help="How segments are chosen; all but model are the paper's baselines.",
)
@click.option(
    "--rhythm",
    type=float,
    show_default="1 for the model",
    help="How strictly speed peaks and head dips are aligned with syllables, 0 to 1.",
)
@click.option(
    "--transcript",
    metavar="TEXT|FILE",
    help="Transcript, to insert gestures for some of its words: a text, a text file, or "
    "words with times (TextGrid, ELAN, WebVTT, SRT, Whisper JSON, CSV).",
)
@click.option(
    "--language", metavar="CODE", help="Language of the transcript, en or de (default: detected)."
)
@word_gesture_options
@click.option("--onto", metavar="MOTION", help="Base motion of the body, such as a walk.")
@click.option(
    "--parts",
    metavar="LIST",
    show_default="arms,head",
    help="Parts that are layered on the motion of --onto: arms, head, torso, face.",
)
@silence_options
@acting_options
@shows_status("listening")
def command(speech: str, output: str, **values: Any) -> None:
    """Animate a character from a recorded voice with a body-language model.

    SPEECH is a recording (WAV, FLAC, OGG, MP3 …). No transcript is needed: loudness, pitch and
    rhythm of the voice drive the motion. The default model is trained on synthetic data and holds
    no recording of a person; `train` makes one from recordings. The suffix of OUT sets the format.
    """
    from kinesphere.export.output import check_output, save
    from kinesphere.pipeline.listen import listen
    from kinesphere.pipeline.text_source import text_or_path

    check_output(output)
    parts = _parts(values["parts"], values["onto"])
    staged = staging(values, speakers=mix(values["speaker"]))
    said = values["transcript"]
    with progress_bar("listening") as progress:
        take = listen(
            speech,
            direction=staged.direction,
            cast=staged.cast,
            transcript=None if said is None else text_or_path(said),
            lead_in_s=values["lead_in_s"] or 0.0,
            tail_s=values["tail_s"],
            onto=values["onto"],
            parts=parts,
            policy=values["policy"],
            rhythm=values["rhythm"],
            word_gestures=values["word_gestures"],
            progress=progress,
        )
    with progress_bar(output) as progress:
        save(take, output, progress=progress)
    say_notes(take)
    say_written(take, output)


def _parts(text: str | None, onto: str | None) -> list[str] | None:
    """Body parts from the option's value."""
    if text is None:
        return None
    if onto is None:
        raise click.UsageError(
            "--parts selects what is layered on the motion of --onto; give --onto MOTION"
        )
    return [part.strip() for part in text.split(",")]


def mix(text: str | None) -> str | dict[str, float] | None:
    """Speaker weights from an option's value: ``host`` or ``host=2,critic=1``.

    >>> mix("host=2,critic=1")
    {'host': 2.0, 'critic': 1.0}
    """
    if text is None or not ("=" in text or "," in text):
        return text
    out = {}
    for part in text.split(","):
        name, _, weight = part.partition("=")
        try:
            out[name.strip()] = float(weight) if weight else 1.0
        except ValueError:
            raise click.BadParameter(
                f"{weight!r} is not a number; give NAME=WEIGHT", param_hint="--speaker"
            ) from None
    return out
