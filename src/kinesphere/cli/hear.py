"""``kinesphere hear SPEECH -o page.html|.svg|.png``."""

from __future__ import annotations

import json

import click

from kinesphere.cli.options import say, shows_status


@click.command(
    "hear",
    epilog="Examples:\n\n\b\n  kinesphere hear talk.wav -o talk.html\n"
    "  kinesphere hear talk.wav --transcript talk.txt -o talk.png\n"
    "  kinesphere hear talk.wav --json",
)
@click.argument("speech", metavar="SPEECH")
@click.option("-o", "--output", metavar="OUT", help="Picture to write: .html, .svg or .png.")
@click.option(
    "--transcript",
    metavar="FILE",
    help="Text of the speech, whose words are aligned to the audio; or words with times "
    "(TextGrid, ELAN, WebVTT, SRT, Whisper JSON, CSV).",
)
@click.option("--guess", is_flag=True, help="Recognise English words, roughly.")
@click.option(
    "--language",
    default="en",
    show_default=True,
    metavar="CODE",
    help="Language of the transcript.",
)
@click.option(
    "--dark", is_flag=True, help="A dark .png; pages and .svg follow the viewer's system."
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print the analysis as JSON to standard output."
)
@shows_status("listening")
def command(
    speech: str,
    output: str | None,
    transcript: str | None,
    guess: bool,
    language: str,
    dark: bool,
    as_json: bool,
) -> None:
    """Show the analysis of a speech: pitch, accents, phrases.

    Draws loudness, pitch, syllables, words with their prominence, and the phrases. The
    page plays the audio; it opens from disk, with no server and no network. SPEECH is a recording
    in any common format, or speech that was saved as .kin.
    """
    from kinesphere.pipeline.hear import (
        check_picture,
        hear,
        heard_document,
        is_timed,
        read_transcript,
        save_picture,
        with_guessed_words,
        with_timed_words,
    )

    if guess and transcript is not None:
        raise click.UsageError("give --transcript or --guess, not both")
    if output is None and not as_json:
        raise click.UsageError("give -o OUT for a picture, or --json")
    if output is not None:
        check_picture(output)
    if guess:
        heard = hear(with_guessed_words(speech))
    elif transcript is not None and is_timed(transcript):
        heard = hear(with_timed_words(speech, transcript))
    else:
        text = None if transcript is None else read_transcript(transcript)
        heard = hear(speech, text, language)
    if output is not None:
        save_picture(heard, output, dark=dark)
    for note in heard.speech.provenance.get("notes", ()):
        say(f"note: {note}", err=True)
    if as_json:
        say(json.dumps(heard_document(heard), ensure_ascii=False, indent=1, allow_nan=False))
    else:
        facts = ", ".join(f"{name} {value}" for name, value in heard.facts)
        say(f"{output}: {facts}")
