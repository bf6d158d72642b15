"""Statistics of texts, and the table of tags: ``python -m kinesphere.language FILE...``."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import click

from kinesphere.errors import KinesphereError
from kinesphere.language.markup import read_markup_file, write_markup
from kinesphere.language.tagging import TaggedText
from kinesphere.language.tags import FOCUS, SemanticTag, semantic_tags
from kinesphere.language.tokens import LANGUAGES, Language

_SHOWN_WORDS = 5


@dataclass(frozen=True)
class Coverage:
    """Tag coverage of one or several texts: counts of items, and tags by name.

    `tagged` are rhemes with a semantic tag, `gesturable` those with any tag, FOCUS included.
    """

    words: int = 0
    clauses: int = 0
    rhemes: int = 0
    tagged: int = 0
    gesturable: int = 0
    tags: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: Coverage) -> Coverage:
        return Coverage(
            self.words + other.words,
            self.clauses + other.clauses,
            self.rhemes + other.rhemes,
            self.tagged + other.tagged,
            self.gesturable + other.gesturable,
            self.tags + other.tags,
        )

    def line(self) -> str:
        """One line for a reader."""
        percent = [100.0 * part / max(self.rhemes, 1) for part in (self.tagged, self.gesturable)]
        return (
            f"{self.words} words, {self.clauses} clauses, {self.rhemes} rhemes: "
            f"{percent[0]:.0f} % have a tag, {percent[1]:.0f} % with FOCUS"
        )


def coverage(text: TaggedText) -> Coverage:
    """Count the items of a text; a tag belongs to the rheme in which it begins."""
    rhemes = text.spans("rheme")
    kinds = [{t.tag for t in text.tags if r.first <= t.first <= r.last} for r in rhemes]
    return Coverage(
        words=len(text.words),
        clauses=len(text.clauses),
        rhemes=len(rhemes),
        tagged=sum(bool(kind - {FOCUS}) for kind in kinds),
        gesturable=sum(bool(kind) for kind in kinds),
        tags=Counter(t.tag for t in text.tags),
    )


def table_markdown() -> str:
    """All tags as a table for the docs: meaning, some of their words, their lexemes."""
    lines = ["| tag | meaning | English | German | lexemes |", "|---|---|---|---|---|"]
    return "\n".join((*lines, *(_row(tag) for tag in semantic_tags().values())))


def _row(tag: SemanticTag) -> str:
    cells = [
        tag.name,
        tag.meaning,
        *(_words(tag.words[language]) for language in LANGUAGES),
        ", ".join(f"{name} {share:g}" for name, share in tag.lexemes.items()),
    ]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _words(words: Sequence[str]) -> str:
    return ", ".join(words[:_SHOWN_WORDS])


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("files", nargs=-1, metavar="FILE...")
@click.option("--language", type=click.Choice(LANGUAGES), help="Default: detected from each text.")
@click.option("--markup", is_flag=True, help="Print the fully tagged form.")
@click.option("--table", is_flag=True, help="Print all tags, as in docs/text-tags-and-markup.md.")
def command(files: tuple[str, ...], language: Language | None, markup: bool, table: bool) -> None:
    """Print statistics of texts: words, clauses, and how many rhemes have a semantic tag."""
    if table:
        click.echo(table_markdown())
    elif not files:
        raise click.UsageError("No text: give files, or --table.")
    totals: dict[str, Coverage] = {}
    for path in files:
        text = read_markup_file(path, language)
        if markup:
            click.echo(write_markup(text), nl=not text.text.endswith("\n"))
            continue
        found = coverage(text)
        totals[text.language] = totals.get(text.language, Coverage()) + found
        click.echo(f"{path} ({text.language}): {found.line()}")
        click.echo("  " + ", ".join(f"{name} {n}" for name, n in found.tags.most_common()))
    if len(files) > 1:
        for name, total in totals.items():
            click.echo(f"all in {name}: {total.line()}")


def main() -> None:
    """Run the command and exit: status 0, or 2 for bad input with one line on stderr."""
    try:
        command.main(prog_name="python -m kinesphere.language", standalone_mode=False)
    except (KinesphereError, click.ClickException) as error:
        found = error.format_message() if isinstance(error, click.ClickException) else str(error)
        click.echo(f"kinesphere: {' '.join(found.split())}", err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
