"""The program ``kinesphere``: a table of commands, and error handling in one function."""

from __future__ import annotations

import os
import sys
import warnings
from importlib import import_module

import click

from kinesphere import __version__
from kinesphere.errors import KinesphereError

COMMANDS: dict[str, tuple[str, str]] = {
    "animate": ("kinesphere.cli.animate", "Make motion from a gesture script."),
    "annotate": (
        "kinesphere.cli.annotate",
        "Annotate motion automatically, for a person to correct.",
    ),
    "compare": ("kinesphere.cli.compare", "Show takes side by side on one page."),
    "convert": ("kinesphere.cli.convert", "Convert motion from one file format to another."),
    "doctor": (
        "kinesphere.cli.doctor",
        "Report what is installed, or how a file's rig is recognised.",
    ),
    "evaluate": (
        "kinesphere.cli.evaluate",
        "Compare takes with speech, recorded speakers and references.",
    ),
    "express": (
        "kinesphere.cli.express",
        "Change Effort and Shape of motion, by factors or manner words.",
    ),
    "hear": ("kinesphere.cli.hear", "Show the analysis of a speech: pitch, accents, phrases."),
    "live": ("kinesphere.cli.live", "Animate a character from a live voice."),
    "models": ("kinesphere.cli.models", "Show the contents of body-language models."),
    "listen": (
        "kinesphere.cli.listen",
        "Animate a character from a recorded voice with a body-language model.",
    ),
    "papers": ("kinesphere.cli.papers", "Reproduce the papers' figures with our code."),
    "perform": (
        "kinesphere.cli.perform",
        "Animate a character that speaks a text: voice, gestures and face.",
    ),
    "profile": ("kinesphere.cli.profile", "Learn a speaker's style from annotated performances."),
    "recreate": ("kinesphere.cli.recreate", "Recreate an annotated passage on a character."),
    "render": ("kinesphere.cli.render", "Draw a take as video or contact sheet."),
    "retarget": ("kinesphere.cli.retarget", "Retarget motion to another character."),
    "simulate": (
        "kinesphere.cli.simulate",
        "Simulate motion with physics: arms overshoot, the torso reacts.",
    ),
    "studio": (
        "kinesphere.cli.studio",
        "Direct a character in the browser: type, talk, drag, listen, compare, export.",
    ),
    "styles": ("kinesphere.cli.styles", "List speaker styles with their statistics."),
    "tense": (
        "kinesphere.cli.tense",
        "Change the muscular tension of motion, from limp to trembling.",
    ),
    "train": (
        "kinesphere.cli.train",
        "Train a body-language model on motion recorded with speech.",
    ),
}
"""Name to module and one line of help; a test compares this with the modules."""


class LazyGroup(click.Group):
    """A group whose commands are imported when used, and listed without an import."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in alphabetical order."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command, or return None if there is none with that name."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(COMMANDS[cmd_name][0]).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands from the table, importing none of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][1]) for name in self.list_commands(ctx)])


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Examples:\n\n\b\n  kinesphere convert walk.bvh walk.html\n"
    "  kinesphere retarget walk.bvh --character hero.vrm -o hero-walk.bvh\n"
    "  kinesphere doctor walk.bvh",
)
@click.version_option(__version__, prog_name="kinesphere")
def main() -> None:
    """Full-body co-speech animation from text, voice, annotation, key poses or motion.

    The suffix of an output file sets its format.
    """


def run(arguments: list[str] | None = None) -> None:
    """Run the program and exit: 0 on success, 2 for bad input with one line on stderr."""
    warnings.showwarning = _one_line_warning  # type: ignore[assignment]
    sys.exit(status(arguments))


def status(arguments: list[str] | None = None) -> int:
    """Run the program and return its exit status."""
    try:
        result = main.main(arguments, standalone_mode=False)
        return result if isinstance(result, int) else 0
    except KinesphereError as error:
        return _print_error(str(error))
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 0
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "kinesphere"
        return _print_error(f"{error.format_message()} (see '{command} --help')")
    except click.ClickException as error:
        return _print_error(error.format_message())
    except (click.Abort, KeyboardInterrupt):
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _print_error(message: str) -> int:
    click.echo(f"kinesphere: {' '.join(message.split())}", err=True)
    return 2


def _one_line_warning(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, *_: object
) -> None:
    from kinesphere.cli.options import say

    say(f"kinesphere: warning: {message}", err=True)
