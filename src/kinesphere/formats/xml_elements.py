"""XML that is read up to its first error, each element with its line, and written again.

A truncated file gives the part before; document types and entities are rejected, and
sizes are limited.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any
from xml.sax import SAXParseException
from xml.sax.handler import ContentHandler

from kinesphere.errors import UnreadableError, UnwritableError
from kinesphere.formats.problems import Problems, quote

LARGEST_XML = 64 << 20
_MOST_ELEMENTS = 1_000_000
_DEEPEST = 64
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_:.-]*")
# Characters that XML 1.0 cannot contain, not even as a reference.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class Element:
    """An element of XML: its own text without that of its children.

    `line` is its start; `whole` is false for one in which the file is truncated. Neither counts
    when elements are compared.
    """

    tag: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    children: tuple[Element, ...] = ()
    line: int = field(default=0, compare=False)
    whole: bool = field(default=True, compare=False)

    def all(self, tag: str) -> tuple[Element, ...]:
        """Children with a tag."""
        return tuple(child for child in self.children if child.tag == tag)

    def first(self, tag: str) -> Element | None:
        """First child with a tag."""
        return next((child for child in self.children if child.tag == tag), None)

    def note_unknown(self, known: Iterable[str], problems: Problems) -> dict[str, str]:
        """List attributes that the format does not have, and return them."""
        names = tuple(known)
        unknown = {name: value for name, value in self.attributes.items() if name not in names}
        for name in unknown:
            problems.add(
                self.line, f"<{self.tag}> has attribute {quote(name)}, known are {', '.join(names)}"
            )
        return unknown


class _ElementBuilder(ContentHandler):
    """Builds elements from parser events, and closes those that a truncated file leaves open."""

    def __init__(self) -> None:
        super().__init__()
        self.root: Element | None = None
        self._open: list[tuple[str, dict[str, str], list[str], list[Element], int]] = []
        self._elements = 0
        self._locator: Any = None

    def setDocumentLocator(self, locator: Any) -> None:  # noqa: N802
        self._locator = locator

    @property
    def line(self) -> int:
        return int(self._locator.getLineNumber() or 1)

    def startElement(self, name: str, attrs: Any) -> None:  # noqa: N802
        self._elements += 1
        if self._elements > _MOST_ELEMENTS:
            raise UnreadableError(
                None, f"has more than {_MOST_ELEMENTS} elements", f"line {self.line}"
            )
        if len(self._open) >= _DEEPEST:
            raise UnreadableError(
                None, f"has elements nested deeper than {_DEEPEST}", f"line {self.line}"
            )
        self._open.append((name, dict(attrs), [], [], self.line))

    def characters(self, content: str) -> None:
        if self._open:
            self._open[-1][2].append(content)

    def endElement(self, name: str) -> None:  # noqa: N802
        self._close(True)

    def _close(self, whole: bool) -> None:
        tag, attributes, texts, children, line = self._open.pop()
        text = "".join(texts)
        # Between children there is only indentation, unless the file mixes them with text.
        text = text.strip() if children else text
        element = Element(tag, attributes, text, tuple(children), line, whole)
        if self._open:
            self._open[-1][3].append(element)
        else:
            self.root = element

    def close_all(self) -> str:
        """Close all open elements, innermost first, and return the innermost."""
        innermost = self._open[-1][0] if self._open else ""
        while self._open:
            self._close(False)
        return innermost


def read_elements(
    data: bytes, expected: str, problems: Problems, *, whole: bool = False
) -> Element:
    """Read XML up to its end, or up to its first error.

    Parameters
    ----------
    data : the file.
    expected : tag of the root.
    problems : an error in the XML is added here.
    whole : a truncated file is an error.

    Raises
    ------
    UnreadableError
        If it is empty, too large, not XML, has another root, or declares a document type.
    """
    if len(data) > LARGEST_XML:
        raise UnreadableError(None, f"is {len(data) >> 20} MB large, allowed is 64 MB")
    if not data.strip():
        raise UnreadableError(None, "is empty")
    builder = _ElementBuilder()
    broken = _parse(data, builder)
    inside = builder.close_all()
    root = builder.root
    if broken is not None and (root is None or whole or root.tag != expected):
        raise UnreadableError(None, f"is not XML: {broken[1]}", f"line {broken[0]}")
    if root is None or root.tag != expected:
        tag = "nothing" if root is None else f"<{root.tag[:40]}>"
        raise UnreadableError(None, f"holds {tag}, expected <{expected}>")
    if broken is not None:
        where = f" inside <{inside}>" if inside else ""
        problems.add(
            broken[0], f"is not XML from here on{where}: {broken[1]}; the part before is read"
        )
    return root


def _parse(data: bytes, builder: _ElementBuilder) -> tuple[int, str] | None:
    """Feed the builder; return line and reason of the first error."""
    defused = import_module("defusedxml.expatreader")
    common = import_module("defusedxml.common")
    parser = defused.DefusedExpatParser(forbid_dtd=True)
    parser.setContentHandler(builder)
    builder.setDocumentLocator(parser)  # set by itself only for whole files
    try:
        parser.feed(data)
        parser.close()
    except SAXParseException as error:
        return error.getLineNumber() or 1, error.getMessage()
    except common.DTDForbidden:
        reason = "declares a document type or entities, which is not allowed"
        raise UnreadableError(None, reason, f"line {builder.line}") from None
    except (ValueError, LookupError) as error:  # an encoding that Python does not have
        return 1, str(error)[:80]
    return None


def write_elements(root: Element) -> bytes:
    """Write XML in UTF-8, two spaces for each level; the same elements give the same bytes.

    Raises
    ------
    UnwritableError
        For a character that XML cannot contain, or an invalid name.
    """
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    _write(root, "", lines)
    return ("\n".join(lines) + "\n").encode()


def _write(element: Element, indent: str, lines: list[str]) -> None:
    names = {_check_name(name): _quote(value) for name, value in element.attributes.items()}
    given = "".join(f' {name}="{value}"' for name, value in names.items())
    text = _escape(element.text)
    start = f"{indent}<{_check_name(element.tag)}{given}"
    if not element.children:
        lines.append(f"{start}>{text}</{element.tag}>" if text else f"{start}/>")
        return
    lines.append(f"{start}>{text}")
    for child in element.children:
        _write(child, indent + "  ", lines)
    lines.append(f"{indent}</{element.tag}>")


def _check_name(name: str) -> str:
    if not _NAME.fullmatch(name):  # which letters a name may have depends on the encoding
        raise UnwritableError(f"{quote(name)} is no XML name that is valid in every encoding")
    return name


def _escape(text: str) -> str:
    found = _FORBIDDEN.search(text)
    if found:
        raise UnwritableError(f"{quote(text)} has {found[0]!r}, which XML cannot hold")
    for mark, reference in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\r", "&#13;")):
        text = text.replace(mark, reference)
    return text


def _quote(text: str) -> str:
    text = _escape(text)
    for mark, reference in (('"', "&quot;"), ("\n", "&#10;"), ("\t", "&#9;")):
        text = text.replace(mark, reference)
    return text
