"""A page about a paper."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Page:
    """A page of Markdown and its pictures, SVG text by file name."""

    text: str
    pictures: dict[str, str]
