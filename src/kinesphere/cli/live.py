"""``kinesphere live [SOURCE...] --to screen``."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from kinesphere.cli.acting_options import stance_option, word_gesture_options
from kinesphere.cli.options import say_written

_ENCODINGS = ["s16le", "s24le", "s32le", "f32le", "f64le"]


@click.command(
    "live",
    epilog="Examples:\n\n\b\n  kinesphere live --to screen\n"
    "  kinesphere live talk.wav\n"
    "  kinesphere live --device USB --to vmc://127.0.0.1:39539 --to session.kin\n"
    "  kinesphere live host.wav guest.wav --to vmc:// --seconds 60\n"
    "  kinesphere live talk.wav --words talk.TextGrid --to screen\n"
    "  ffmpeg -i talk.mp4 -f s16le -ac 1 -ar 48000 - | kinesphere live - --rate 48000 --to screen",
)
@click.argument("sources", metavar="[SOURCE]...", nargs=-1)
@click.option(
    "--to",
    "to",
    multiple=True,
    metavar="OUT",
    help="screen (a browser page), terminal, vmc://HOST:PORT, or a file; repeatable (default: terminal).",
)
@click.option(
    "--model",
    default="house",
    show_default=True,
    metavar="NAME|FILE",
    help="Body-language model: one of `kinesphere models`, or a file of `train`.",
)
@click.option("--fps", type=float, default=60.0, show_default=True, help="Frames per second.")
@click.option(
    "--characters",
    type=click.IntRange(min=1),
    metavar="N",
    help="Number of characters; audio with N channels gives each its own voice, otherwise all share one.",
)
@click.option(
    "--speaker", metavar="NAME[=W],…", help="Speaker of the model, or a mix (default: all alike)."
)
@click.option(
    "--amount", type=float, default=1.0, show_default=True, help="Amplitude: 0 still, 1 as learned."
)
@click.option(
    "--tension",
    metavar="NAME|N|ERROR,ZETA",
    help="Tension: loose, relaxed, neutral, tense, trembling; -1 to 1; or rest error, zeta.",
)
@click.option(
    "--words",
    metavar="FILE|udp://HOST:PORT|-",
    help="Words with times, some of which get gestures: a transcript, or lines of JSON.",
)
@click.option(
    "--keywords",
    is_flag=False,
    flag_value="",
    metavar="[LIST]",
    help="Spot English phrases in the voice: the built-in ones, or PHRASE[=THRESHOLD],…",
)
@word_gesture_options
@click.option("--effort", default="", metavar="LIST", help="Effort, such as weight=0.8,time=-0.5.")
@click.option("--shape", default="", metavar="LIST", help="Shape, such as vertical=-0.5.")
@click.option("--manner", default="", metavar="WORDS", help='Manner words, such as "proudly".')
@click.option(
    "--delay",
    type=float,
    default=0.0,
    show_default=True,
    metavar="S",
    help="Look-ahead: delay frames behind the audio by this much, for better timing.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Random seed; another seed gives another performance.",
)
@click.option("--seconds", type=float, metavar="N", help="Stop after this much audio.")
@click.option("--fast", is_flag=True, help="Process audio as fast as possible, not in real time.")
@click.option("--device", metavar="N|NAME", help="Microphone, by number or part of its name.")
@click.option("--list-devices", is_flag=True, help="List the microphones and stop.")
@click.option(
    "--channels",
    type=int,
    default=1,
    show_default=True,
    help="Channels of the microphone or of raw audio.",
)
@click.option(
    "--rate", type=int, default=16000, show_default=True, help="Sample rate of raw audio on -, Hz."
)
@click.option(
    "--encoding",
    type=click.Choice(_ENCODINGS),
    default="s16le",
    show_default=True,
    help="Sample format of raw audio on -; WAV contains its own.",
)
@click.option(
    "--vrm",
    type=click.Choice(["0", "1"]),
    default="0",
    show_default=True,
    help="Naming of face shapes in VMC.",
)
@stance_option
@click.option("--browser", is_flag=True, help="Open the page of --to screen in the browser.")
def command(sources: tuple[str, ...], **values: Any) -> None:
    """Animate a character from a live voice.

    SOURCE is mic (the default), recordings, or - for WAV or raw audio on standard input; several
    recordings make several characters. Ctrl-C stops and writes the files.
    """
    if values["list_devices"]:
        _list_devices()
        return
    from kinesphere.pipeline.live import TERMINAL, Showing, live

    to = values["to"] or ((TERMINAL,) if sys.stdout.isatty() else ())
    if not to:
        raise click.UsageError(
            "standard output is no terminal: give --to screen, vmc://HOST:PORT or a file"
        )
    if TERMINAL in to and not sys.stdout.isatty():
        raise click.UsageError("--to terminal, but standard output is no terminal")
    showing = Showing(
        tuple(dict.fromkeys(to)),
        vrm=int(values["vrm"]),
        browser=values["browser"],
        said=lambda text: click.echo(text, err=True),
        written=say_written,
    )
    hearing, acting = _hearing(sources, values), _acting(values)
    with _stop_flag() as stop:
        report = live(
            hearing, showing, acting, seconds=values["seconds"], fast=values["fast"], stop=stop
        )
    for line in report.lines():
        click.echo(line)


def _hearing(sources: tuple[str, ...], values: dict[str, Any]) -> Any:
    from kinesphere.pipeline.live import MICROPHONE, Hearing
    from kinesphere.realtime.sources.pcm import PcmFormat

    device = values["device"]
    if device is not None and device.isdecimal():
        device = int(device)
    form = PcmFormat(values["encoding"], values["rate"], values["channels"])
    return Hearing(sources or (MICROPHONE,), device, values["channels"], form, values["words"])


def _acting(values: dict[str, Any]) -> Any:
    from kinesphere.cli.acting_options import staging
    from kinesphere.cli.listen import mix
    from kinesphere.pipeline.live import Acting

    staged = staging(
        {n: v for n, v in values.items() if n != "rate"}, speakers=mix(values["speaker"])
    )
    return Acting(
        staged.direction,
        staged.cast,
        values["characters"],
        values["delay"],
        values["word_gestures"],
        _keywords(values),
    )


def _keywords(values: dict[str, Any]) -> dict[str, float]:
    text = values["keywords"]
    if text is None:
        return {}
    if values["words"] is not None:
        raise click.UsageError("give --words or --keywords, not both")
    if text and Path(text).is_file():
        raise click.UsageError(f"--keywords takes {text} for a phrase; write SOURCE before it")
    from kinesphere.speech.alignment.keywords import parse_phrases

    return parse_phrases(text)


def _list_devices() -> None:
    from kinesphere.realtime.sources.microphone import input_devices

    devices = input_devices()
    if not devices:
        click.echo("there is no microphone", err=True)
    for d in devices:
        mark = "*" if d.default else " "
        click.echo(f"{mark} {d.number:3d}  {d.name}  ({d.channels} channels, {d.rate_hz:g} Hz)")


@contextmanager
def _stop_flag() -> Iterator[Callable[[], bool]]:
    """Turn the first Ctrl-C (or SIGTERM) into a flag that is checked between two steps.

    An exception in the middle of a step could leave half a frame in a file. The second Ctrl-C acts
    as usual.
    """
    asked = False
    before: dict[int, Any] = {}

    def ask(number: int, _: object) -> None:
        nonlocal asked
        asked = True
        signal.signal(number, before.get(number) or signal.SIG_DFL)

    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            before[number] = signal.signal(number, ask)
    except ValueError:  # not the main thread: the caller stops the run
        before.clear()
    try:
        yield lambda: asked
    finally:
        for caught, handler in before.items():
            signal.signal(caught, handler)
