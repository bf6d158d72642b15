"""Markup: what is written is read again; authors win; mistakes are named with their place."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kinesphere.errors import InvalidValueError, UnreadableError
from kinesphere.language.__main__ import command, coverage, table_markdown
from kinesphere.language.markup import LARGEST_MARKUP, read_markup, read_markup_file, write_markup
from kinesphere.language.sentences import token_spans
from kinesphere.language.tagging import (
    InformationSpan,
    TaggedText,
    TagSpan,
    Written,
    WrittenGesture,
    tag_text,
)
from kinesphere.language.tags import semantic_tags
from kinesphere.language.tokens import Language

DOC = Path(__file__).parents[2] / "docs" / "text-tags-and-markup.md"
TEXTS = sorted((Path(__file__).parents[1] / "generation" / "texts").glob("*.txt"))

# ------------------------------------------------------------------------- round trips

BITS = st.sampled_from(
    [
        "the",
        "war",
        "Krieg",
        "gibt",
        "auf",
        "don't",
        "you",
        "not",
        "but",
        "{",
        "}",
        "<",
        ">",
        "[",
        "]",
        "*",
        "|",
        "||",
        "\\",
        " ",
        " ",
        " ",
        "\n",
        "\r\n",
        "\n\n",
        "\t",
        ".",
        ",",
        "?!",
        '"',
        "\u2026",
        "\u2014",
        "--",
        "\U0001f600",
        "e\u0301",
        "\u00ad",
        "%tagged en\n",
        "%tagged",
        "[theme ",
        "[rheme ",
        "|CALM}",
        "|-}",
        "|Cup LH>",
        "|none>",
        "12.5",
        "U.S.",
        "\u2028",
        "\u0130",
    ]
)
TEXT = st.one_of(st.text(max_size=40), st.lists(BITS, max_size=40).map("".join))
LANGUAGES = st.sampled_from(["en", "de"])


@st.composite
def places(draw: st.DrawFn, count: int) -> list[tuple[int, int]]:
    """Some stretches of tokens, apart from each other."""
    cuts = draw(st.lists(st.integers(0, count - 1), max_size=6, unique=True)) if count else []
    cuts = sorted(cuts)[: len(cuts) // 2 * 2]
    return list(zip(cuts[::2], cuts[1::2], strict=True))


@st.composite
def written(draw: st.DrawFn, count: int) -> Written:
    names = st.sampled_from(sorted(semantic_tags()))
    parts = st.sampled_from(["theme", "rheme"])
    gestures = st.sampled_from([("Cup", "LH"), ("Beat", None), ("none", None), ("Wipe", "2H")])
    tokens = st.frozensets(st.integers(0, count - 1), max_size=4) if count else st.just(frozenset())
    asked = [(draw(gestures), place) for place in draw(places(count))]
    return Written(
        tags=tuple(TagSpan(draw(names), *p) for p in draw(places(count))),
        untagged=draw(tokens),
        information=(
            *(InformationSpan(draw(parts), *p) for p in draw(places(count))),
            *(InformationSpan("focus", *p) for p in draw(places(count))),
        ),
        borders=draw(tokens),
        gestures=tuple(WrittenGesture(name, *p, hands) for (name, hands), p in asked),
    )


@settings(max_examples=300, deadline=None)
@given(TEXT, LANGUAGES, st.data())
def test_what_is_written_is_read_again(text: str, language: Language, data: st.DataObject) -> None:
    own = data.draw(written(len(token_spans(text))))
    value = tag_text(text, language, written=own)
    markup = write_markup(value)
    assert read_markup(markup) == value
    assert write_markup(read_markup(markup)) == markup


@settings(max_examples=300, deadline=None)
@given(TEXT)
@example("{*a|CALM} b*")
@example("%tagged de\n")
def test_any_markup_is_read_or_refused_in_one_line(text: str) -> None:
    try:
        value = read_markup(text)
    except UnreadableError as error:
        assert error.place is not None
        assert error.place.startswith("line ")
        assert len(str(error).splitlines()) == 1
        assert "allowed" in str(error) or "but" in str(error)
    else:
        assert read_markup(write_markup(value)) == value


@settings(max_examples=100, deadline=None)
@given(st.lists(BITS.filter(lambda bit: not set(bit) & set("\\{}<>[]*|%")), max_size=30))
def test_a_text_without_marks_is_as_if_tagged(bits: list[str]) -> None:
    text = " ".join(bits)
    assert read_markup(text) == tag_text(text)


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_passages_are_read_again(path: Path, tmp_path: Path) -> None:
    value = read_markup_file(path)
    (tmp_path / "tagged.txt").write_bytes(write_markup(value).encode())
    assert read_markup_file(tmp_path / "tagged.txt") == value


# ------------------------------------------------------------------------- what the marks say


def by_word(found: TaggedText) -> dict[str, str]:
    return {found.tokens[t.first].text: t.tag for t in found.tags}


def test_tags_are_set_and_taken_off() -> None:
    assert by_word(read_markup("The war is over.", "en"))["war"] == "AGGRESSION"
    assert by_word(read_markup("The {war|CALM} is over.", "en"))["war"] == "CALM"
    assert "war" not in by_word(read_markup("The {war|-} is over.", "en"))
    both = read_markup("{The war|CALM} is over.", "en")
    assert TagSpan("CALM", 0, 1) in both.tags
    assert next(t for t in both.tags if t.first == 0).written
    assert both.text == "The war is over."


def test_gestures_are_asked_for_and_forbidden() -> None:
    found = read_markup("Take <this one|PointingAbstract LH> or <none of them|none>.", "en")
    assert found.gestures == (
        WrittenGesture("PointingAbstract", 1, 2, "LH"),
        WrittenGesture("none", 4, 6),
    )
    assert found.tags == tag_text(found.text, "en").tags


def test_focus_theme_and_rheme() -> None:
    found = read_markup("[theme The war] [rheme is *over*] *now*.", "en")
    assert [(s.kind, s.first, s.last) for s in found.information] == [
        ("theme", 0, 1),
        ("rheme", 2, 3),
        ("focus", 3, 3),
        ("focus", 4, 4),
    ]


def test_borders_of_clauses() -> None:
    for markup in ("We came || we saw.", "We came|| we saw.", "We came ||we saw."):
        found = read_markup(markup, "en")
        assert found.text == "We came we saw."
        assert found.clauses == ((0, 1), (2, 4))


def test_kinds_may_cross() -> None:
    found = read_markup("A *big {civil* war|AGGRESSION} <here || and|Beat> now.", "en")
    assert InformationSpan("focus", 1, 2) in found.information
    assert TagSpan("AGGRESSION", 2, 3) in found.tags
    assert found.gestures == (WrittenGesture("Beat", 4, 5),)
    assert (5, 7) in found.clauses


def test_a_backslash_makes_marks_plain() -> None:
    text = "a\\b {c} <d> [theme e] *f* |g| ||"
    escaped = "".join("\\" + c if c in "\\{}<>[]*|" else c for c in text)
    assert read_markup(escaped).text == text


def test_nothing_is_added_to_a_fully_tagged_text() -> None:
    found = read_markup("%tagged en\nThe war is {over|END}. || *Never* again.")
    assert found.text == "The war is over. Never again."
    assert found.tags == (TagSpan("END", 3, 3),)
    assert found.clauses == ((0, 4), (5, 7))
    assert found.information == (InformationSpan("focus", 5, 5),)
    assert read_markup("%tagged en\r\nThe war.").text == "The war."
    assert read_markup("%tagged de").language == "de"


def test_prominence_is_of_the_words_without_marks() -> None:
    loud = [0.1, 0.9, 0.1, 0.1]
    found = read_markup("{The|-} war is over.", "en", prominence=loud)
    assert [s.first for s in found.spans("focus")] == [1]
    with pytest.raises(InvalidValueError, match="2 values of prominence for 4 words"):
        read_markup("The war is over.", "en", prominence=loud[:2])


# ------------------------------------------------------------------------- mistakes


@pytest.mark.parametrize(
    ("markup", "message"),
    [
        ("The {war|WARNIN} is", r"line 1, column 9: tag 'WARNIN' is not known; near are .*WARNING"),
        (
            "The {war is over",
            r"line 1, column 5: has '{' that is not closed, allowed is {words\|TAG}",
        ),
        ("A\nb *c d", r"line 2, column 3: has '\*' that is not closed"),
        ("A\r\nb [rheme c", r"line 2, column 3: has '\[' that is not closed"),
        ("The {war} is", r"line 1, column 9: has '} is', allowed is {words\|TAG}, or \\}"),
        ("A war|CALM} is", r"column 6: has '\|CALM} is', but nothing is open"),
        ("A <war|CALM} is", r"column 7: has '\|CALM} is', but nothing is open"),
        ("A b | c", r"column 5: has '\| c', allowed are"),
        ("A {b {c|CALM} d|END}", r"column 6: has '{c\|CALM} d\|E', but the one before is not"),
        ("A ] b", r"column 3: has '\] b', but nothing is open, allowed is \[rheme words\]"),
        ("A [focus b]", r"column 3: has '\[focus b\]', allowed are \[theme words\] and"),
        ("fire{works|CALM}", r"column 5: has a mark inside 'fireworks', allowed is around whole"),
        ("fire||works", r"column 5: has a mark inside 'fireworks'"),
        ("*do*n't", r"column 4: has a mark inside \"don't\""),
        ("A {|CALM} b", r"column 3: has no word in it, allowed is {words\|TAG}"),
        ("A ** b", r"column 3: has no word in it"),
        ("A <b|Cup left>", r"column 5: hand 'left', allowed are LH, RH, 2H"),
        ("A <b|Cup LH now>", r"column 5: gesture 'Cup LH now', allowed is a name and one of"),
        ("A <b|>", r"column 5: gesture ''"),
        ("A <b|none RH>", r"column 5: hand 'RH' for no gesture"),
        ("|| A b", r"column 1: has \|\| at an end of the text, allowed is between words"),
        ("A b ||", r"column 5: has \|\| at an end"),
        ("C:\\new", r"column 3: has a backslash before 'n', allowed is one of \\ { }"),
        ("A b\\", r"column 4: has a backslash before ''"),
        ("%tagged fr\nA", r"line 1, column 1: has '%tagged fr', allowed is %tagged en or %tagged"),
        ("%tagged", r"has '%tagged', allowed is"),
    ],
)
def test_mistakes_are_named_with_their_place(markup: str, message: str) -> None:
    with pytest.raises(UnreadableError, match=message) as caught:
        read_markup(markup, "en" if not markup.startswith("%") else None)
    assert len(str(caught.value).splitlines()) == 1


def test_a_text_tagged_in_another_language_is_refused() -> None:
    with pytest.raises(UnreadableError, match="is tagged de, but en was requested"):
        read_markup("%tagged de\nDer Krieg.", "en")


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes("\ufeffThe {war|CALM} is over.".encode())
    assert by_word(read_markup_file(path, "en"))["war"] == "CALM"
    path.write_bytes(b"The {war")
    with pytest.raises(UnreadableError, match=r"text\.txt: line 1, column 5: has '\{' that"):
        read_markup_file(path)
    path.write_bytes(b"The w\xe4r")
    with pytest.raises(UnreadableError, match=r"text\.txt: is not UTF-8 text: byte 5 is 0xe4"):
        read_markup_file(path)
    path.write_bytes(b"")
    with pytest.raises(UnreadableError, match="is empty"):
        read_markup_file(path)
    with pytest.raises(UnreadableError, match="no such file"):
        read_markup_file(tmp_path / "none.txt")


def test_sizes_are_bounded(tmp_path: Path) -> None:
    path = tmp_path / "large.txt"
    with open(path, "wb") as file:
        file.truncate(LARGEST_MARKUP + 1)
    with pytest.raises(UnreadableError, match="MB large, allowed is 64 MB"):
        read_markup_file(path)
    with pytest.raises(InvalidValueError, match="the markup has"):
        read_markup(" " * (LARGEST_MARKUP + 1))


# ------------------------------------------------------------------------- the command


def test_coverage_counts_by_hand() -> None:
    text = "%tagged en\n[theme We] [rheme {won|SUCCESS}]. || [rheme *{Mango|FOCUS}*]. || [rheme So what]?"
    found = coverage(read_markup(text))
    assert (found.words, found.clauses, found.rhemes) == (5, 3, 3)
    assert (found.tagged, found.gesturable) == (1, 2)
    assert found.tags == {"SUCCESS": 1, "FOCUS": 1}
    twice = found + found
    assert (twice.words, twice.tagged, twice.tags["FOCUS"]) == (10, 2, 2)
    assert found.line() == "5 words, 3 clauses, 3 rhemes: 33 % have a tag, 67 % with FOCUS"


def test_the_command_prints_figures_and_markup(tmp_path: Path) -> None:
    paths = [str(tmp_path / "a.txt"), str(tmp_path / "b.txt")]
    Path(paths[0]).write_text("The war is over.\n", encoding="utf-8")
    Path(paths[1]).write_text("Der Krieg ist vorbei.\n", encoding="utf-8")
    printed = CliRunner().invoke(command, paths)
    assert printed.exit_code == 0
    lines = printed.output.splitlines()
    assert (
        lines[0]
        == f"{paths[0]} (en): 4 words, 1 clauses, 1 rhemes: 100 % have a tag, 100 % with FOCUS"
    )
    assert "AGGRESSION 1" in lines[1]
    assert lines[-1].startswith("all in de: 4 words")
    printed = CliRunner().invoke(command, [paths[0], "--markup"])
    assert printed.output == write_markup(tag_text("The war is over.\n", "en"))
    assert CliRunner().invoke(command, []).exit_code == 2


def test_the_command_fails_with_one_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.txt"
    path.write_text("The {war", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "kinesphere.language", str(path)], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.splitlines() == [
        f"kinesphere: {path}: line 1, column 5: has '{{' that is not closed, allowed is {{words|TAG}}"
    ]


# ------------------------------------------------------------------------- the docs


def test_the_table_in_the_docs_is_the_one_that_is_printed() -> None:
    printed = CliRunner().invoke(command, ["--table"]).output
    assert printed == table_markdown() + "\n"
    assert table_markdown().count("\n") == len(semantic_tags()) + 1
    assert table_markdown() in DOC.read_text(encoding="utf-8"), (
        "put what `python -m kinesphere.language --table` prints into docs/text-tags-and-markup.md"
    )


def test_the_example_in_the_docs_is_what_is_found() -> None:
    blocks = DOC.read_text(encoding="utf-8").split("```text\n")[1:]
    marked, full = (block.split("```")[0].rstrip("\n") for block in blocks[:2])
    assert write_markup(read_markup(marked, "en")) == full
