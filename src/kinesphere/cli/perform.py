"""``kinesphere perform TEXT|FILE -o take.html``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kinesphere.cli.acting_options import acting_options, count_text, silence_options, staging
from kinesphere.cli.options import progress_bar, say, say_notes, say_written, shows_status

if TYPE_CHECKING:
    from kinesphere.pipeline.stages.cast import Cast
    from kinesphere.pipeline.stages.utter import Utterance


@click.command(
    "perform",
    epilog='Examples:\n\n\b\n  kinesphere perform "This is huge." -o huge.html\n'
    "  kinesphere perform talk.txt --style host --manner proudly -o talk.glb\n"
    "  kinesphere perform talk.txt --speech talk.wav --amount 0.5 -o talk.bvh\n"
    "  kinesphere perform talk.txt --style critic --character my.vrm -o talk.vrma\n"
    "  kinesphere perform talk.txt --style critic --why -o talk.script",
)
@click.argument("text", metavar="TEXT|FILE")
@click.option("-o", "--output", metavar="OUT", help="Take, page, video or gesture script to write.")
@click.option(
    "--style",
    default="neutral",
    show_default=True,
    metavar="NAME|FILE",
    help="Speaker: host, critic, neutral, or a profile or annotation of your own.",
)
@click.option("--language", metavar="CODE", help="en or de (default: detected from the text).")
@click.option(
    "--speech", metavar="FILE", help="Recording of the text, used instead of a synthetic voice."
)
@click.option(
    "--voice", metavar="NAME|FILE", help="Synthetic voice: espeak, espeak+VARIANT or a Piper model."
)
@click.option("--rate", type=float, default=1.0, show_default=True, help="Tempo of the voice.")
@click.option(
    "--amount",
    type=float,
    default=1.0,
    show_default=True,
    help="Factor on the speaker's gesture rate; 0 for none.",
)
@click.option(
    "--most-likely", is_flag=True, help="Take the most likely gestures instead of random samples."
)
@click.option(
    "--why", is_flag=True, help="Print which word triggered each gesture, and the alternatives."
)
@click.option("--tagged", metavar="FILE", help="Also write the text with all its tags, to edit.")
@silence_options
@acting_options
@shows_status("performing")
def command(text: str, output: str | None, **values: Any) -> None:
    """Animate a character that speaks a text: voice, gestures and face.

    TEXT is the text itself, or a text file; markup in it sets tags, gestures and stress. The suffix
    of OUT sets the format; .script writes only the gestures, to be edited and passed to `animate`.
    """
    from kinesphere.export.output import check_output, save
    from kinesphere.export.sound_beside import write_sound
    from kinesphere.gesture.script_text import SCRIPT_ENDINGS, check_script_output, write_script
    from kinesphere.pipeline.perform import perform
    from kinesphere.pipeline.stages.plan import explain, plan
    from kinesphere.pipeline.text_source import text_or_file

    why, tagged = values.pop("why"), values.pop("tagged")
    if output is None and not why and tagged is None:
        raise click.UsageError("give -o OUT, --why or --tagged FILE")
    as_script = output is not None and output.lower().endswith(SCRIPT_ENDINGS)
    if output is not None:
        (check_script_output if as_script else check_output)(output)
    words = text_or_file(text)
    staged = staging(values)
    how, who = staged.direction, staged.cast.resolve()
    said = _utter(words, who, values, needs_voice=output is not None and not as_script)
    planned = plan(said, who, how)
    if output is None or as_script:
        for note in said.notes:
            say(f"note: {note}", err=True)
    # Everything is computed before anything is written.
    take = None
    if output is not None and not as_script:
        take = perform(said, direction=how, cast=who, gestures=planned)
    if tagged is not None:
        _write_tagged(said, tagged)
    if as_script and output is not None:
        write_script(planned.script, output)
        say(f"{output}: {count_text(planned.script)}")
        if said.heard is not None and (beside := write_sound(said.heard.speech.audio, output)):
            say(f"{beside}: the voice")
    if take is None or why or tagged is not None:
        if not planned.script.gestures and how.amount > 0.0:
            say("note: no word of the text triggers a gesture of this speaker", err=True)
        if why:
            say(explain(planned.reasons))
    if take is not None and output is not None:
        with progress_bar(output) as progress:
            save(take, output, progress=progress)
        say_notes(take)
        say_written(take, output)


def _utter(words: str, cast: Cast, values: dict[str, Any], *, needs_voice: bool) -> Utterance:
    """What is said; at a constant rate if no voice is installed and none is needed."""
    from dataclasses import replace
    from importlib.util import find_spec

    from kinesphere.pipeline.stages.cast import SILENT
    from kinesphere.pipeline.stages.utter import utter

    silent = find_spec("espeakng_loader") is None
    if silent and not (needs_voice or values["speech"] or cast.voice):
        say("note: no voice is installed: words are timed at a constant rate", err=True)
        cast = replace(cast, voice=SILENT)
    return utter(
        words, cast, speech=values["speech"], lead_in_s=values["lead_in_s"], tail_s=values["tail_s"]
    )


def _write_tagged(said: Utterance, path: str) -> None:
    from kinesphere.formats.files import write_atomically
    from kinesphere.language.markup import write_markup

    if said.text is not None:
        with write_atomically(path) as file:
            file.write(write_markup(said.text.tagged).encode("utf-8"))
