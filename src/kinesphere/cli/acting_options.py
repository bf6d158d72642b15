"""Options that `perform`, `animate` and `recreate` share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

if TYPE_CHECKING:
    from kinesphere.gesture.script import GestureScript
    from kinesphere.pipeline.stages.staging import Staging

# Options that are fields of Direction and Cast, and names of options where they differ.
_STAGED = (
    "seed",
    "manner",
    "effort",
    "shape",
    "phrase",
    "tension",
    "physics",
    "amount",
    "stance",
    "character",
    "fps",
    "paper",
    "style",
    "voice",
    "rate",
    "language",
    "most_likely",
    "model",
)
_OPTIONS = {"lexicon": "lexemes", "speakers": "speaker"}
F = TypeVar("F", bound=Callable[..., Any])
stance_option = click.option(
    "--stance",
    metavar="NAME|N",
    help="Stance: still, calm, easy, lively, restless; or 0 to 1 (default: the speaker's).",
)


def acting_options(function: F) -> F:
    """Add the options for the look of a performance and for the character."""
    for option in (
        click.option(
            "--direction",
            metavar="FILE.toml",
            help="Direction and cast from a file (docs/direction.md); other options take precedence.",
        ),
        click.option(
            "--lexemes", metavar="FILE.toml", help="Gestures of your own (docs/lexicon.md)."
        ),
        click.option("--paper", is_flag=True, help="The paper's rules, without our changes."),
        click.option(
            "--fps", type=float, default=60.0, show_default=True, help="Frames per second."
        ),
        click.option(
            "--character", metavar="FILE", help="Character file (default: the built-in one)."
        ),
        click.option(
            "--physics",
            type=click.Choice(["off", "wrists", "body"]),
            default="off",
            show_default=True,
            help="Point masses at the wrists, or a simulated body.",
        ),
        click.option(
            "--tension",
            metavar="NAME|N|ERROR,ZETA",
            help="Tension: loose, relaxed, neutral, tense, trembling; -1 to 1; or rest error, zeta.",
        ),
        stance_option,
        click.option("--shape", default="", metavar="LIST", help="Shape, such as vertical=-0.5."),
        click.option(
            "--effort", default="", metavar="LIST", help="Effort, such as weight=0.8,time=-0.5."
        ),
        click.option(
            "--manner", default="", metavar="WORDS", help='Manner words, such as "proudly".'
        ),
        click.option(
            "--seed",
            type=click.IntRange(min=0),
            default=0,
            show_default=True,
            help="Random seed; another seed gives another take.",
        ),
    ):
        function = option(function)
    return function


def word_gesture_options(function: F) -> F:
    """Add the options for gestures that are inserted for words into motion from a voice."""
    for option in (
        click.option(
            "--word-gestures",
            type=float,
            default=0.7,
            show_default=True,
            help="Proportion of words with a known meaning that get a gesture.",
        ),
        click.option(
            "--style",
            default="neutral",
            show_default=True,
            metavar="NAME|FILE",
            help="Speaker whose gestures are inserted for words.",
        ),
    ):
        function = option(function)
    return function


def silence_options(function: F) -> F:
    """Add the options for the length of a clip before and after its speech."""
    for option in (
        click.option(
            "--tail",
            "tail_s",
            type=float,
            metavar="S",
            help="Seconds after the speech until the clip ends (default: until the hands rest).",
        ),
        click.option(
            "--lead-in",
            "lead_in_s",
            type=float,
            metavar="S",
            help="Seconds before the speech (default: none before a recording, 0.6 before a voice).",
        ),
    ):
        function = option(function)
    return function


def staging(values: dict[str, Any], **more: Any) -> Staging:
    """Direction and cast from a command's values, with those of ``--direction`` below them.

    An option that the command line does not name leaves the file's value; a recording replaces the
    file's voice.
    """
    from dataclasses import replace

    from kinesphere.pipeline.stages.staging import Staging, read_staging

    found = {name: values[name] for name in _STAGED if name in values}
    own = values.get("lexemes")
    found["lexicon"] = {} if own is None else own
    found |= more
    if values.get("direction") is None:
        return Staging.of(None, None, found)
    context = click.get_current_context()
    named = {
        name: value
        for name, value in found.items()
        if context.get_parameter_source(_OPTIONS.get(name, name)) is ParameterSource.COMMANDLINE
    }
    base = read_staging(values["direction"])
    cast = base.cast
    if values.get("speech") is not None:
        cast = replace(cast, voice=None, rate=1.0)
    return Staging.of(base.direction, cast, named)


def count_text(script: GestureScript) -> str:
    """Print how many gestures and units a script has."""
    gestures, units = len(script.gestures), len(script.units)
    return (
        f"{gestures} gesture{'' if gestures == 1 else 's'} in "
        f"{units} unit{'' if units == 1 else 's'}"
    )
