"""The documentation: its links lead somewhere, commands, options and files exist, lines are short."""

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
LONGEST_LINE = 110
PARENTS = {"--help", "-h", "--version"}
SEPARATORS = {"|", ";", "&&"}
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
# Those of keepachangelog.com, in this order.
KINDS_OF_CHANGE = ("Added", "Changed", "Deprecated", "Removed", "Fixed")
SCRIPTS = (
    "benchmarks/*.py",
    "docs/make_*.py",
    "tools/*/*.py",
    "src/kinesphere/language/__main__.py",
    "tools/keyword_calibration.py",
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


def missing_files(text: str) -> list[str]:
    """Files and modules in code, such as `motion/clip.py` or `python -m a.b`, that do not exist."""
    paths = re.findall(r"(?<![\w./*~{-])(\w[\w-]*(?:/[\w-]+)+\.(?:py|toml|js|ts))\b", text)
    modules = re.findall(r"python -m ((?:kinesphere|benchmarks|docs|tools)[\w.]*)", text)
    folders = (ROOT, ROOT / "src" / "kinesphere")
    out = [path for path in paths if not any((folder / path).exists() for folder in folders)]
    for module in modules:
        path = Path("src" if module.startswith("kinesphere") else ".") / module.replace(".", "/")
        known = (ROOT / path).is_dir() or (ROOT / path).with_suffix(".py").exists()
        out += [] if known else [module]
    return out


def changelog_faults(text: str) -> list[str]:
    """Sections of another kind or order, versions without a date or out of order."""
    out, versions = [], []
    for title, content in re.findall(r"^## (.+)\n((?:(?!## ).*\n)*)", text, re.MULTILINE):
        name, _, date = title.partition(" - ")
        sections = re.findall(r"^### (.+)", content, re.MULTILINE)
        if sections != [kind for kind in KINDS_OF_CHANGE if kind in sections]:
            out.append(f"{name}: sections are {', '.join(sections)}")
        if name == "Unreleased":
            continue
        versions.append(tuple(map(int, name.split("."))))
        if not re.fullmatch(r"\d{4}-\d\d-\d\d", date):
            out.append(f"{name}: no date")
    if versions != sorted(versions, reverse=True):
        out.append(f"versions are {', '.join('.'.join(map(str, v)) for v in versions)}")
    return out


def long_lines(text: str, most: int = LONGEST_LINE) -> list[int]:
    """Numbers of lines that are too long; tables and what programs print are let be."""
    printed = re.compile(r"^<!-- (?!not run).*?^<!-- end -->", re.DOTALL | re.MULTILINE)
    text = printed.sub(lambda found: "\n" * found[0].count("\n"), text)
    lines = enumerate(text.splitlines(), start=1)
    return [n for n, line in lines if len(line) > most and not line.startswith("|")]


@of_each_page()
def test_links_lead_somewhere(page: Path) -> None:
    assert broken_links(page, page.read_text(encoding="utf-8")) == []


@of_each_page()
def test_commands_and_options_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert wrong_commands(text) == []
    assert unknown_options(text) == []


@of_each_page()
def test_files_and_modules_exist(page: Path) -> None:
    if page.name != "CHANGELOG.md":  # which names what was there
        assert missing_files(page.read_text(encoding="utf-8")) == []


@of_each_page()
def test_lines_are_short(page: Path) -> None:
    assert long_lines(page.read_text(encoding="utf-8"), LONGEST_LINE) == []


def test_the_changelog_is_by_version() -> None:
    assert changelog_faults((ROOT / "CHANGELOG.md").read_text(encoding="utf-8")) == []


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


def test_every_page_is_in_the_navigation_of_the_site() -> None:
    listed = re.findall(r"^ +- (\S+\.md)", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    pages = {page.name for page in PAGES if page != ROOT / "README.md"}
    assert sorted(listed) == sorted(pages)


def test_faults_are_found() -> None:
    page = ROOT / "README.md"
    text = "[a](docs/none.md) [b](docs/results.md#none) [c](docs/rigs.md) [d](https://x.org/none)"
    assert broken_links(page, text) == ["docs/none.md", "docs/results.md#none"]
    code = '```\nkinesphere sing a.wav\nkinesphere hear "a b.wav" --louder -o x.html # c\n```\n'
    assert wrong_commands(code) == ["sing", "hear --louder"]
    assert wrong_commands("Use `kinesphere doctor --hot`.") == ["doctor --hot"]
    assert unknown_options("`--amount N` `--observer` `--hot` `pytest --dist`") == ["--hot"]
    assert long_lines("a" * 111 + "\n|" + "a" * 300) == [1]
    assert missing_files(
        "`docs/none.py` `motion/clip.py` `tools/*/x.py` `python -m benchmarks.no`"
    ) == ["docs/none.py", "benchmarks.no"]
    assert changelog_faults(
        "## Unreleased\n### Fixed\n### Added\n### News\n## 0.1.0\n## 0.2.0 - x\n"
    ) == [
        "Unreleased: sections are Fixed, Added, News",
        "0.1.0: no date",
        "0.2.0: no date",
        "versions are 0.1.0, 0.2.0",
    ]
