"""Undo and redo: a row of documents, and where one stands in it. A value, as all the others."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kinesphere.studio.document import Document

LONGEST = 200


@dataclass(frozen=True)
class Entry:
    """A document, what led to it, and the group of changes that are undone together."""

    document: Document
    label: str = ""
    group: str = ""


@dataclass(frozen=True)
class History:
    """All that can be undone and redone; `at` is the entry that is shown.

    >>> h = History.of(Document()).changed(Document(title="b"), "rename")
    >>> h.undone().document.title, h.undone().redone().document.title
    ('untitled', 'b')
    """

    entries: tuple[Entry, ...]
    at: int = 0

    @classmethod
    def of(cls, document: Document) -> History:
        """Begin with a document."""
        return cls((Entry(document),))

    @property
    def document(self) -> Document:
        """The one that is shown."""
        return self.entries[self.at].document

    @property
    def undo_label(self) -> str:
        """What would be undone; empty for nothing."""
        return self.entries[self.at].label if self.at else ""

    @property
    def redo_label(self) -> str:
        """What would be done again; empty for nothing."""
        return self.entries[self.at + 1].label if self.at + 1 < len(self.entries) else ""

    def changed(self, document: Document, label: str, group: str = "") -> History:
        """Go on with another document; what was undone before is forgotten.

        A change of the same group as the last one, while nothing was undone, takes its place.
        """
        kept = self.entries[: self.at + 1]
        last = kept[-1]
        if group and last.group == group and self.at + 1 == len(self.entries) and self.at:
            kept = kept[:-1]
        entries = (*kept, Entry(document, label, group))[-LONGEST:]
        return History(entries, len(entries) - 1)

    def settled(self, document: Document) -> History:
        """The same step with what came of it: a script that was made, times that were performed."""
        entry = replace(self.entries[self.at], document=document)
        return replace(
            self, entries=(*self.entries[: self.at], entry, *self.entries[self.at + 1 :])
        )

    def withdrawn(self) -> History:
        """One step back, the step forgotten: nothing could come of it."""
        return History(self.entries[: max(self.at, 1)], max(self.at - 1, 0))

    def undone(self) -> History:
        """One step back, if there is one."""
        return replace(self, at=max(self.at - 1, 0))

    def redone(self) -> History:
        """One step forth, if there is one."""
        return replace(self, at=min(self.at + 1, len(self.entries) - 1))
