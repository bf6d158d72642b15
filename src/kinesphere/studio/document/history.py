"""Undo and redo: an immutable list of documents and the index of the current one."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kinesphere.studio.document.document import Document

LONGEST = 200


@dataclass(frozen=True)
class Entry:
    """A document, the change that led to it, and the group of changes that are undone together."""

    document: Document
    label: str = ""
    group: str = ""


@dataclass(frozen=True)
class History:
    """All entries that can be undone and redone; `at` is the index of the current one.

    >>> h = History.of(Document()).append(Document(title="b"), "rename")
    >>> h.undone().document.title, h.undone().redone().document.title
    ('untitled', 'b')
    """

    entries: tuple[Entry, ...]
    at: int = 0

    @classmethod
    def of(cls, document: Document) -> History:
        """Start with a document."""
        return cls((Entry(document),))

    @property
    def document(self) -> Document:
        """The current document."""
        return self.entries[self.at].document

    @property
    def undo_label(self) -> str:
        """Name of the change that would be undone, or empty."""
        return self.entries[self.at].label if self.at else ""

    @property
    def redo_label(self) -> str:
        """Name of the change that would be redone, or empty."""
        return self.entries[self.at + 1].label if self.at + 1 < len(self.entries) else ""

    def append(self, document: Document, label: str, group: str = "") -> History:
        """Append another document; undone entries are discarded.

        A change of the same group as the last one, while nothing was undone, takes its place.
        """
        kept = self.entries[: self.at + 1]
        last = kept[-1]
        if group and last.group == group and self.at + 1 == len(self.entries) and self.at:
            kept = kept[:-1]
        entries = (*kept, Entry(document, label, group))[-LONGEST:]
        return History(entries, len(entries) - 1)

    def settle(self, document: Document) -> History:
        """The same entry with its results added: the generated script and the performed times."""
        entry = replace(self.entries[self.at], document=document)
        return replace(
            self, entries=(*self.entries[: self.at], entry, *self.entries[self.at + 1 :])
        )

    def withdrawn(self) -> History:
        """One step back, with the step discarded because it failed."""
        return History(self.entries[: max(self.at, 1)], max(self.at - 1, 0))

    def undone(self) -> History:
        """One step back, if there is one."""
        return replace(self, at=max(self.at - 1, 0))

    def redone(self) -> History:
        """One step forward, if there is one."""
        return replace(self, at=min(self.at + 1, len(self.entries) - 1))
