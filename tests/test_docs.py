"""The documentation: its links lead somewhere, its commands and options exist, its lines are short."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
import pytest

from kinesphere.cli.main import COMMANDS, main
from tests.conftest import ROOT

NAMES = ("README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md")
PAGES = [*(ROOT / name for name in NAMES), *sorted((ROOT / "docs").glob("*.md"))]
LONGEST_LINE = 200
PARENTS = {"--help", "-h", "--version"}
SEPARATORS = {"|", ";", "&&"}
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
SCRIPTS = (
    "benchmarks/*.py",
    "docs/make_*.py",
    "tools/*/*.py",
    "src/kinesphere/language/__main__.py",
    "src/kinesphere/speech/alignment/keyword_calibration.py",
)


def of_each_page() -> pytest.MarkDecorator:
    return pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


def links(text: str) -> list[str]:
    """Targets of links and pictures, outside of code."""
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
    return re.findall(r"\]\(([^)\s]+)\)", prose)


def anchors(text: str) -> set[str]:
    """Names of headings as GitHub makes them."""
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    titles = re.findall(r"^#+ +(.+?) *$", prose, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def broken_links(page: Path, text: str) -> list[str]:
    """Relative links of a page to files or headings that do not exist."""
    out = []
    for link in links(text):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        known = target.exists() and (
            not anchor or anchor in anchors(target.read_text(encoding="utf-8"))
        )
        out += [] if known else [link]
    return out


def invocations(text: str) -> Iterator[list[str]]:
    """Words after every ``kinesphere`` in code: command, arguments and options."""
    blocks = re.findall(r"^```\w*\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    rest = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    code = "\n".join([*blocks, *re.findall(r"`([^`\n]+)`", rest)])
    for line in re.findall(r"(?:^|\| )(?:\.venv/bin/)?kinesphere +([a-z].*)$", code, re.MULTILINE):
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        words = list(lexer)
        yield words[: next((i for i, w in enumerate(words) if w in SEPARATORS), len(words))]


def options_of(name: str) -> set[str]:
    """Every spelling of a command's options."""
    with click.Context(main) as context:
        command = main.get_command(context, name)
    assert command is not None
    parameters = (p for p in command.params if isinstance(p, click.Option))
    return PARENTS.union(*((*p.opts, *p.secondary_opts) for p in parameters))


def wrong_commands(text: str) -> list[str]:
    """Commands and options that the program does not have."""
    out = []
    for name, *words in invocations(text):
        if name not in COMMANDS:
            out.append(name)
            continue
        given = [w.partition("=")[0] for w in words if re.match(r"--?[a-z]", w)]
        out += [f"{name} {option}" for option in given if option not in options_of(name)]
    return out


@cache
def known_options() -> frozenset[str]:
    """Options of all commands, and of the scripts that the pages name."""
    scripts = [path for pattern in SCRIPTS for path in sorted(ROOT.glob(pattern))]
    written = "".join(path.read_text(encoding="utf-8") for path in scripts)
    found = re.findall(r"""["'](--[a-z][a-z-]*)["']""", written)
    return frozenset(found).union(*(options_of(name) for name in COMMANDS))


def unknown_options(text: str) -> list[str]:
    """Options in running text, such as `--amount N`, that nothing has."""
    prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    named = [o for code in re.findall(r"`(--[^`\n]+)`", prose) for o in OPTION.findall(code)]
    return [option for option in named if option not in known_options()]


def long_lines(text: str) -> list[int]:
    """Numbers of lines that are too long; tables are let be."""
    lines = enumerate(text.splitlines(), start=1)
    return [n for n, line in lines if len(line) > LONGEST_LINE and not line.startswith("|")]


@of_each_page()
def test_links_lead_somewhere(page: Path) -> None:
    assert broken_links(page, page.read_text(encoding="utf-8")) == []


@of_each_page()
def test_commands_and_options_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert wrong_commands(text) == []
    assert unknown_options(text) == []


@of_each_page()
def test_lines_are_short(page: Path) -> None:
    assert long_lines(page.read_text(encoding="utf-8")) == []


def test_every_command_is_documented() -> None:
    used = {words[0] for page in PAGES for words in invocations(page.read_text(encoding="utf-8"))}
    assert set(COMMANDS) - used == set()


def test_every_page_is_in_both_indexes() -> None:
    for index in (ROOT / "README.md", ROOT / "docs" / "README.md"):
        linked = {
            (index.parent / link.partition("#")[0]).resolve()
            for link in links(index.read_text(encoding="utf-8"))
        }
        own = {index.resolve(), (ROOT / "docs" / "README.md").resolve()}
        pages = {page.resolve() for page in (ROOT / "docs").glob("*.md")}
        assert pages - linked - own == set()


def test_faults_are_found() -> None:
    page = ROOT / "README.md"
    text = "[a](docs/none.md) [b](docs/results.md#none) [c](docs/rigs.md) [d](https://x.org/none)"
    assert broken_links(page, text) == ["docs/none.md", "docs/results.md#none"]
    code = '```\nkinesphere sing a.wav\nkinesphere hear "a b.wav" --louder -o x.html # c\n```\n'
    assert wrong_commands(code) == ["sing", "hear --louder"]
    assert wrong_commands("Use `kinesphere doctor --hot`.") == ["doctor --hot"]
    assert unknown_options("`--amount N` `--observer` `--hot` `pytest --dist`") == ["--hot"]
    assert long_lines("a" * 201 + "\n|" + "a" * 300) == [1]
