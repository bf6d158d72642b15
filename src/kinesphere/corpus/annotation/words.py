"""Words of a sheet, and resolving references to them: an affiliate is written as its words.

Where the same words occur again, those nearest to the gesture count, or numbers select them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kinesphere.corpus.annotation.annotation import AnnotatedWord
from kinesphere.corpus.annotation.sheet import Row, one_line
from kinesphere.corpus.annotation.tier_names import DETAILS
from kinesphere.formats.problems import Problems

_NUMBERS = re.compile(r"(?:^|\s)#([0-9]{1,6})(?:-([0-9]{1,6}))?\s*$")


class Words:
    """The words of a sheet, and resolving references to them."""

    def __init__(self, rows: Sequence[Row], problems: Problems) -> None:
        found: list[AnnotatedWord] = []
        self.numbers: dict[int, int] = {}
        for number, row in enumerate(rows, 1):
            text = one_line(row.value)
            if not text:
                problems.add(row.line, "a word has no text; left out")
                continue
            self.numbers[number] = len(found)
            lemma, pos, tag = (one_line(row.detail(name).value) for name in DETAILS["words"])
            found.append(AnnotatedWord(row.start_s, row.end_s, text, lemma, pos, tag))
        self.words = tuple(found)
        self._parts: list[tuple[str, int]] = []
        self._edges = [0]  # index of the first part of each word
        for i, word in enumerate(found):
            self._parts += [(part, i) for part in _parts(word.text)]
            self._edges.append(len(self._parts))
        self._starts: dict[str, list[int]] = {}
        for at, (part, _) in enumerate(self._parts):
            self._starts.setdefault(part, []).append(at)

    def span(self, text: str, time_s: float) -> tuple[int, int] | str:
        """First and last word that a text refers to, nearest to a time; or why there are none."""
        numbered = _NUMBERS.search(text)
        if numbered is None:
            spans = self._positions(_parts(text))
            if not spans:
                return "matches no words"
            return min(spans, key=lambda span: self._distance(span, time_s))
        first, last = (self.numbers.get(int(n)) for n in (numbered[1], numbered[2] or numbered[1]))
        if first is None or last is None or last < first:
            return f"refers to words that do not exist, allowed are 1 to {len(self.numbers)}"
        said = _parts(text[: numbered.start()])
        meant = self._parts[self._edges[first] : self._edges[last + 1]]
        if said and said != [part for part, _ in meant]:
            return "has words that do not match its numbers"
        return first, last

    def _positions(self, parts: Sequence[str]) -> list[tuple[int, int]]:
        found = []
        for at in self._starts.get(parts[0], ()) if parts else ():
            run = self._parts[at : at + len(parts)]
            if [part for part, _ in run] == list(parts):
                found.append((run[0][1], run[-1][1]))
        return found

    def _distance(self, span: tuple[int, int], time_s: float) -> float:
        start, end = self.words[span[0]].start_s, self.words[span[1]].end_s
        return abs((start + end) / 2.0 - time_s)


def _parts(text: str) -> list[str]:
    """Normalised words of a text: without case and surrounding punctuation."""
    parts = (re.sub(r"^\W+|\W+$", "", part).casefold() for part in text.split())
    return [part for part in parts if part]
