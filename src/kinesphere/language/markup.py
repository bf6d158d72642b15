"""Markup of a text for gestures, and its fully tagged form.

``{civil war|AGGRESSION}`` sets a tag, ``{civil war|-}`` removes tags; ``<this one|Cup LH>`` sets
a gesture, ``<this one|none>`` forbids any; ``*planet*`` is a focus, ``[rheme ...]`` and
``[theme ...]`` set rheme and theme, ``||`` is a clause boundary. A backslash escapes any of these
marks. Each kind is closed independently, so that a focus may start inside a tag and end outside.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from os import PathLike

from kinesphere.errors import InvalidValueError, UnreadableError
from kinesphere.formats.files import read_bytes
from kinesphere.language.analysis import analyse
from kinesphere.language.sentences import token_spans
from kinesphere.language.tagging import (
    HANDS,
    InformationSpan,
    ParsedText,
    TaggedText,
    TagSpan,
    Written,
    WrittenGesture,
    parse_text,
)
from kinesphere.language.tags import check_tag
from kinesphere.language.tokens import LANGUAGES, LARGEST_TEXT, Language

LARGEST_MARKUP = 4 * LARGEST_TEXT
UNTAGGED = "-"
_SPECIAL = re.compile(r"[\\{}<>\[\]*|]")
_HEADER = re.compile(r"%tagged[ \t]+(\S+)[ \t]*(?:\r?\n|\Z)")
_PART = re.compile(r"\[(theme|rheme)\s")
_LABEL = re.compile(r"\|([^{}<>\[\]*|\\\r\n]*)([}>])")
_FORMS = {"{": "{words|TAG}", "<": "<words|Gesture LH>", "[": "[rheme words]", "*": "*words*"}


def read_markup(
    text: str, language: Language | None = None, *, prominence: Sequence[float] | None = None
) -> TaggedText:
    """Parse a text with markup: the author's markup has priority, `ParsedText.tag` adds the rest.

    A text whose first line is ``%tagged en`` (or ``de``) is fully tagged: nothing is added to
    its markup, and `prominence` has no effect.

    Raises
    ------
    UnreadableError
        If the markup is not well-formed; the message has line and column.
    InvalidValueError
        If `prominence` does not have one value for each word, or the text is too large.

    >>> found = read_markup("Never {civil war|AGGRESSION} on *this* planet.", "en")
    >>> [(t.tag, found.tokens[t.last].text) for t in found.tags]
    [('NEGATION', 'Never'), ('AGGRESSION', 'war'), ('DEMONSTRATIVE', 'this')]
    """
    return parsed_markup(text, language).tag(prominence)


def parsed_markup(text: str, language: Language | None = None) -> ParsedText:
    """Parse the markup of a text and analyse its words; see `read_markup`.

    The words are known before they are spoken; `ParsedText.tag` computes the rest afterwards.
    """
    if len(text) > LARGEST_MARKUP:
        raise InvalidValueError(
            f"the markup has {len(text)} characters, allowed are {LARGEST_MARKUP}"
        )
    declared, start = _header(text, language)
    plain, marks, borders = _Scanner(text).scan(start)
    written = _author_marks(text, plain, marks, borders)
    if declared is None:
        return parse_text(plain, language, written)
    return ParsedText(declared, plain, analyse(plain, declared), written, complete=True)


def read_markup_file(
    path: str | PathLike[str],
    language: Language | None = None,
    *,
    prominence: Sequence[float] | None = None,
) -> TaggedText:
    """Read a text with markup, in UTF-8, from a file; see `read_markup`."""
    data = read_bytes(path, LARGEST_MARKUP)
    try:
        return read_markup(data.decode("utf-8-sig"), language, prominence=prominence)
    except UnicodeDecodeError as error:
        reason = f"is not UTF-8 text: byte {error.start} is {data[error.start]:#04x}"
        raise UnreadableError(path, reason) from None
    except UnreadableError as error:
        raise error.at(path) from None


def write_markup(text: TaggedText) -> str:
    """Write the fully tagged form, from which `read_markup` gives the same value back.

    >>> print(write_markup(read_markup("[theme They] *left* <here|Away RH>.", "en")))
    %tagged en
    [theme They] [rheme *{left|AWAY}* {<here|Away RH>|HERE}].
    """
    before: dict[int, str] = defaultdict(str)
    after: dict[int, str] = defaultdict(str)
    for first, last, opening, closing in sorted(_marks(text), key=lambda m: (m[0], -m[1])):
        before[first] += opening
        after[last] = closing + after[last]
    borders = {first for first, _ in text.clauses[1:]}
    out, at = [f"%tagged {text.language}\n"], 0
    for i, token in enumerate(text.tokens):
        out.append(_escape(text.text[at : token.start]))
        if i in borders:
            # A blank is read as part of the mark if another precedes it.
            out.append("|| " if text.text[token.start - 1].isspace() else "||")
        out += [before[i], _escape(token.text), after[i]]
        at = token.end
    return "".join((*out, _escape(text.text[at:])))


def _marks(text: TaggedText) -> Iterator[tuple[int, int, str, str]]:
    """First and last token of each marked span, with the marks before and after it."""
    for part in text.information:
        focus = part.kind == "focus"
        opening, closing = ("*", "*") if focus else (f"[{part.kind} ", "]")
        yield part.first, part.last, opening, closing
    for tag in text.tags:
        yield tag.first, tag.last, "{", f"|{tag.tag}}}"
    for gesture in text.gestures:
        label = " ".join(filter(None, (gesture.lexeme, gesture.hands)))
        yield gesture.first, gesture.last, "<", f"|{label}>"


def _escape(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text)


def _header(text: str, language: Language | None) -> tuple[Language | None, int]:
    """Language that the first line declares, if it does, and where the text starts."""
    if not text.startswith("%tagged"):
        return None, 0
    match = _HEADER.match(text)
    declared = next((known for known in LANGUAGES if match and known == match[1]), None)
    if match is None or declared is None:
        found = text.splitlines()[0][:40]
        allowed = " or ".join(f"%tagged {known}" for known in LANGUAGES)
        raise _error(text, 0, f"has {found!r}, allowed is {allowed}")
    if language not in (None, declared):
        raise _error(text, 0, f"is tagged {declared}, but {language} was requested")
    return declared, match.end()


def _error(text: str, at: int, reason: str) -> UnreadableError:
    before = text[:at].replace("\r\n", "\n").replace("\r", "\n")
    column = len(before) - before.rfind("\n")
    return UnreadableError(None, reason, f"line {before.count(chr(10)) + 1}, column {column}")


# -------------------------------------------------------------------------------------- scanning


@dataclass(frozen=True)
class _Mark:
    """Words between marks of one kind: positions in the plain text, and in the markup for errors.

    `label` is the tag, the gesture, or which part of a clause it is.
    """

    kind: str
    label: str
    start: int
    end: int
    opened: int
    closed: int


_Border = tuple[int, int]
"""Position in the plain text and in the markup."""


@dataclass
class _Scanner:
    """Removes the marks from a text."""

    text: str
    plain: list[str] = field(default_factory=list)
    length: int = 0
    marks: list[_Mark] = field(default_factory=list)
    borders: list[_Border] = field(default_factory=list)
    opened: dict[str, tuple[int, int, str]] = field(default_factory=dict)

    def scan(self, start: int) -> tuple[str, list[_Mark], list[_Border]]:
        """Plain text, marks and clause boundaries, from a position on."""
        at = start
        while (match := _SPECIAL.search(self.text, at)) is not None:
            self._add(self.text[at : match.start()])
            at = self._special(match.group(), match.start())
        self._add(self.text[at:])
        for kind, (_, place, _) in self.opened.items():
            raise _error(
                self.text, place, f"has {kind!r} that is not closed, allowed is {_FORMS[kind]}"
            )
        return "".join(self.plain), self.marks, self.borders

    def _add(self, text: str) -> None:
        if text:
            self.plain.append(text)
            self.length += len(text)

    def _special(self, mark: str, at: int) -> int:
        """Parse a mark, and return the position after it."""
        if mark == "\\":
            return self._escape(at)
        if mark == "|":
            return self._border(at) if self.text.startswith("||", at) else self._label(at)
        if mark == "[":
            match = _PART.match(self.text, at)
            if match is None:
                raise self._error(at, "allowed are [theme words] and [rheme words]")
            return self._open("[", at, match.end(), match[1])
        if mark == "]" or (mark == "*" and "*" in self.opened):
            return self._close("[" if mark == "]" else "*", at, at + 1)
        if mark in "}>":
            form = _FORMS["{" if mark == "}" else "<"]
            raise self._error(at, f"allowed is {form}")
        return self._open(mark, at, at + 1)

    def _error(self, at: int, allowed: str) -> UnreadableError:
        found = self.text[at : at + 12].splitlines()[0]
        return _error(self.text, at, f"has {found!r}, {allowed}, or \\{self.text[at]} for the mark")

    def _escape(self, at: int) -> int:
        following = self.text[at + 1 : at + 2]
        if _SPECIAL.match(following) is None:
            raise _error(
                self.text,
                at,
                f"has a backslash before {following!r}, allowed is one of \\ {{ }} < > [ ] * |",
            )
        self._add(following)
        return at + 2

    def _border(self, at: int) -> int:
        self.borders.append((self.length, at))
        # Between two blanks one is enough.
        spaced = bool(self.plain) and self.plain[-1][-1].isspace()
        return at + 3 if spaced and self.text.startswith(" ", at + 2) else at + 2

    def _label(self, at: int) -> int:
        match = _LABEL.match(self.text, at)
        if match is None:
            raise self._error(at, f"allowed are {_FORMS['{']}, {_FORMS['<']}, ||")
        kind = "{" if match[2] == "}" else "<"
        return self._close(kind, at, match.end(), match[1].strip())

    def _open(self, kind: str, at: int, end: int, label: str = "") -> int:
        if kind in self.opened:
            raise self._error(
                at, f"but the one before is not closed, allowed is {_FORMS[kind]} after another"
            )
        self.opened[kind] = (self.length, at, label)
        return end

    def _close(self, kind: str, at: int, end: int, label: str = "") -> int:
        if kind not in self.opened:
            raise self._error(at, f"but nothing is open, allowed is {_FORMS[kind]}")
        start, opened, own = self.opened.pop(kind)
        self.marks.append(_Mark(kind, own or label, start, self.length, opened, at))
        return end


# --------------------------------------------------------------------------------------- meaning


def _author_marks(
    text: str, plain: str, marks: Sequence[_Mark], borders: Sequence[_Border]
) -> Written:
    """The author's marks by token indices."""
    places = token_spans(plain)
    starts, ends = [start for start, _ in places], [end for _, end in places]

    def whole(place: int, at: int) -> None:
        inside = bisect_right(starts, place) - 1
        if inside >= 0 and starts[inside] < place < ends[inside]:
            word = plain[starts[inside] : ends[inside]][:20]
            raise _error(text, at, f"has a mark inside {word!r}, allowed is around whole words")

    tags: list[TagSpan] = []
    untagged: set[int] = set()
    information: list[InformationSpan] = []
    gestures: list[WrittenGesture] = []
    for mark in marks:
        whole(mark.start, mark.opened)
        whole(mark.end, mark.closed)
        first, last = bisect_left(starts, mark.start), bisect_right(ends, mark.end) - 1
        if first > last:
            raise _error(text, mark.opened, f"has no word in it, allowed is {_FORMS[mark.kind]}")
        try:
            if mark.kind == "{" and mark.label == UNTAGGED:
                untagged.update(range(first, last + 1))
            elif mark.kind == "{":
                tags.append(TagSpan(check_tag(mark.label), first, last, True))
            elif mark.kind == "<":
                gestures.append(_gesture(mark.label, first, last))
            else:
                information.append(InformationSpan(mark.label or "focus", first, last, True))
        except InvalidValueError as error:
            raise _error(text, mark.closed, str(error)) from None
    for place, at in borders:
        whole(place, at)
        if not 0 < bisect_right(ends, place) < len(places):
            raise _error(text, at, "has || at an end of the text, allowed is between words")
    ended = frozenset(bisect_right(ends, place) - 1 for place, _ in borders)
    return Written(tuple(tags), frozenset(untagged), tuple(information), ended, tuple(gestures))


def _gesture(label: str, first: int, last: int) -> WrittenGesture:
    name, *rest = label.split() or [""]
    if len(rest) > 1:
        raise InvalidValueError(
            f"gesture {label!r}, allowed is a name and one of {', '.join(HANDS)}"
        )
    return WrittenGesture(name, first, last, rest[0] if rest else None)
