"""Texts with the gestures that would fit their words: the files of ``benchmarks/meaning``.

A file holds a text and its pairs: words whose meaning can be seen, and every lexeme that a director
would accept for them. ``fits`` and ``not`` are lexemes, ``nth`` the occurrence of the words in the
text, ``shows`` a number, ``item`` a place in a list, ``towards`` left, right (of the speaker) or up.
``never`` are lexemes that would contradict the whole text.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kinesphere.errors import InvalidValueError

FOLDER = Path(__file__).resolve().parents[1] / "meaning"
PROBES = FOLDER / "probes.toml"
TOWARDS = ("", "left", "right", "up")
_FIELDS = frozenset(("word", "nth", "fits", "not", "shows", "item", "towards"))


@dataclass(frozen=True)
class Pair:
    """Words whose meaning can be seen, and what shows it.

    Parameters
    ----------
    word, nth : the words as written, and which of their occurrences.
    fits, against : lexemes that show the meaning, and those that contradict it.
    shows : number that a NumberSign or the ticks of a CountFingers must show; 0 for any.
    item : place in a list whose finger a CountFingers must tick; 0 for any.
    towards : where a deictic must go, from the speaker: left, right or up; empty for anywhere.
    """

    word: str
    nth: int = 1
    fits: frozenset[str] = frozenset()
    against: frozenset[str] = frozenset()
    shows: int = 0
    item: int = 0
    towards: str = ""

    def __post_init__(self) -> None:
        if self.towards not in TOWARDS:
            raise InvalidValueError(f"{self.word!r} goes towards {self.towards!r}")
        if both := self.fits & self.against:
            raise InvalidValueError(f"{', '.join(both)} both fits {self.word!r} and contradicts it")

    def place(self, text: str) -> tuple[int, int]:
        """First character of the words in a text, and the one after their last."""
        found = list(re.finditer(rf"(?<!\w){re.escape(self.word)}(?!\w)", text, re.IGNORECASE))
        if len(found) < self.nth:
            raise InvalidValueError(f"{self.word!r} occurs {len(found)} times, not {self.nth}")
        return found[self.nth - 1].span()


@dataclass(frozen=True)
class MeantText:
    """A text with its pairs; `never` are lexemes that contradict all of it."""

    name: str
    kind: str
    language: str
    text: str
    pairs: tuple[Pair, ...]
    never: frozenset[str] = frozenset()


def read_text(path: Path) -> MeantText:
    """Read a text; its lines are joined."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return MeantText(
        path.stem,
        table["kind"],
        table["language"],
        " ".join(table["text"].split()),
        tuple(_pair(row, path.name) for row in table["pairs"]),
        frozenset(table.get("never", "").split()),
    )


def read_texts(names: tuple[str, ...] = ()) -> list[MeantText]:
    """All texts, or those whose names begin with one of `names`."""
    paths = sorted(path for path in FOLDER.glob("*.toml") if path != PROBES)
    found = [read_text(p) for p in paths if not names or p.stem.startswith(names)]
    if not found:
        known = ", ".join(path.stem for path in paths)
        raise InvalidValueError(f"no text begins with {', '.join(names)}, there are {known}")
    return found


def read_probes() -> list[MeantText]:
    """Short sentences with one pair each."""
    table = tomllib.loads(PROBES.read_text(encoding="utf-8"))
    probes = []
    for language in ("en", "de"):
        for row in table[language]:
            pair = {"word": row["text"].rstrip(".!?"), **row}
            said = pair.pop("text")
            probes.append(MeantText(said, "probe", language, said, (_pair(pair, PROBES.name),)))
    return probes


def _pair(row: Mapping[str, object], file: str) -> Pair:
    if unknown := set(row) - _FIELDS:
        raise InvalidValueError(f"{file}: unknown {', '.join(unknown)} of {row.get('word')!r}")
    return Pair(
        str(row["word"]),
        int(str(row.get("nth", 1))),
        frozenset(str(row.get("fits", "")).split()),
        frozenset(str(row.get("not", "")).split()),
        int(str(row.get("shows", 0))),
        int(str(row.get("item", 0))),
        str(row.get("towards", "")),
    )
