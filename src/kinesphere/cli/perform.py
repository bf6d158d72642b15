"""``kinesphere perform TEXT|FILE -o take.script``."""

from __future__ import annotations

import click


@click.command(
    "perform",
    epilog='Examples:\n\n\b\n  kinesphere perform "This is huge." --style host -o huge.script\n'
    "  kinesphere perform talk.txt --style critic --why -o talk.script\n"
    "  kinesphere perform talk.txt --speech talk.wav --amount 0.5 -o talk.script",
)
@click.argument("text", metavar="TEXT|FILE")
@click.option("-o", "--output", metavar="OUT.script", help="Gesture script to write.")
@click.option(
    "--style", default="neutral", show_default=True, metavar="NAME|FILE",
    help="Speaker: host, critic, neutral, or a profile or annotation of your own.",
)  # fmt: skip
@click.option("--language", metavar="CODE", help="en or de (default: guessed from the text).")
@click.option("--speech", metavar="FILE", help="Recording of the text; gestures follow its words.")
@click.option(
    "--amount", type=float, default=1.0, show_default=True,
    help="Scales how much the speaker gestures; 0 for none.",
)  # fmt: skip
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True,
    help="Another seed, another take.",
)  # fmt: skip
@click.option("--most-likely", is_flag=True, help="The likeliest gestures instead of drawn ones.")
@click.option("--why", is_flag=True, help="Say which word triggered what, and what competed.")
@click.option("--tagged", metavar="FILE", help="Also write the text with all its tags, to edit.")
def command(
    text: str, output: str | None, style: str, language: str | None, speech: str | None,
    amount: float, seed: int, most_likely: bool, why: bool, tagged: str | None,
) -> None:  # fmt: skip
    """Give a text its gestures in a speaker's style.

    TEXT is what is said, or a file of it; markup in it sets tags, gestures and stress. The script
    says which gesture is done when and where. Motion is not made from it yet.
    """
    from kinesphere.formats.files import written_whole
    from kinesphere.gesture.script_text import script_text, write_script
    from kinesphere.language.markup import write_markup
    from kinesphere.pipeline.scripts import (
        check_script_output,
        explanation,
        heard_text,
        script,
        spoken_text,
        text_or_file,
    )

    if output is None and not why and tagged is None:
        raise click.UsageError("give -o OUT.script, --why or --tagged FILE")
    if output is not None:
        check_script_output(output)
    said = text_or_file(text)
    heard = None if speech is None else heard_text(speech, said, language)
    spoken = spoken_text(said, language, heard)
    if not spoken.measured:
        click.echo("note: words are timed by an even pace; --speech gives a recording", err=True)
    made = script(spoken, style, seed=seed, amount=amount, most_likely=most_likely)
    if tagged is not None:
        with written_whole(tagged) as file:
            file.write(write_markup(spoken.tagged).encode("utf-8"))
    if output is not None:
        write_script(made.script, output)
        rows = made.script.gestures
        click.echo(f"{output}: {len(rows)} gestures in {len(made.script.units)} units")
    if not made.script.gestures and amount > 0.0:
        click.echo("note: nothing in the text calls for a gesture of this speaker", err=True)
    if why:
        click.echo(explanation(made.reasons))
    elif output is None and tagged is None:
        click.echo(script_text(made.script), nl=False)
