"""``kinesphere perform TEXT|FILE -o take.html``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kinesphere.cli.acting_options import acting, acting_options, counted, silence_options
from kinesphere.cli.options import progress_bar, say, say_notes, say_written, shows_status

if TYPE_CHECKING:
    from kinesphere.pipeline.perform import Said
    from kinesphere.pipeline.scripts import Spoken


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
    from dataclasses import replace

    from kinesphere.export.output import check_output, save
    from kinesphere.export.sound_beside import write_sound
    from kinesphere.gesture.lexicon import added_lexemes
    from kinesphere.gesture.script_text import SCRIPT_ENDINGS, write_script
    from kinesphere.pipeline.perform import perform
    from kinesphere.pipeline.scripts import check_script_output, explanation, script, text_or_file
    from kinesphere.pipeline.speakers import speaker

    why, tagged = values.pop("why"), values.pop("tagged")
    if output is None and not why and tagged is None:
        raise click.UsageError("give -o OUT, --why or --tagged FILE")
    as_script = output is not None and output.lower().endswith(SCRIPT_ENDINGS)
    if output is not None:
        (check_script_output if as_script else check_output)(output)
    words = text_or_file(text)
    options = acting(values)
    profile = speaker(values["style"])
    how = {"amount": values["amount"], "most_likely": values["most_likely"]}
    with added_lexemes(options.get("entries")):
        spoken, said = _spoken(words, values, quiet=output is not None and not as_script)
        made = script(spoken, profile, seed=values["seed"], **how)
    if output is None or as_script:
        for note in spoken.notes:
            say(f"note: {note}", err=True)
    # Everything is computed before anything is written.
    take = None
    if said is not None and output is not None and not as_script:
        take = perform(replace(said, plan=made), profile, **how, **options)
    if why or tagged is not None or as_script:
        if tagged is not None:
            _write_tagged(spoken, tagged)
        if as_script and output is not None:
            write_script(made.script, output)
            say(f"{output}: {counted(made.script)}")
            if said is not None and (beside := write_sound(said.heard.speech.audio, output)):
                say(f"{beside}: the voice")
        if not made.script.gestures and values["amount"] > 0.0:
            say("note: no word of the text triggers a gesture of this speaker", err=True)
        if why:
            say(explanation(made.reasons))
    if take is None or output is None:
        return
    with progress_bar(output) as progress:
        save(take, output, progress=progress)
    say_notes(take)
    say_written(take, output)


def _spoken(words: str, values: dict[str, Any], *, quiet: bool) -> tuple[Spoken, Said | None]:
    """Tagged, timed text and its speech analysis; at a constant rate if there is no voice."""
    from importlib.util import find_spec

    from kinesphere.pipeline.perform import said_text
    from kinesphere.pipeline.scripts import spoken_text

    silent = find_spec("espeakng_loader") is None
    if silent and not (quiet or values["speech"] or values["voice"]):
        say("note: no voice is installed: words are timed at a constant rate", err=True)
        return spoken_text(words, values["language"]), None
    names = ("language", "speech", "voice", "rate", "lead_in_s", "tail_s")
    said = said_text(words, *(values[name] for name in names))
    return said.spoken, said


def _write_tagged(spoken: Spoken, path: str) -> None:
    from kinesphere.formats.files import written_whole
    from kinesphere.language.markup import write_markup

    with written_whole(path) as file:
        file.write(write_markup(spoken.tagged).encode("utf-8"))
