"""Corpora of motion and speech: folders in which both are paired by name.

    pairing = find_pairs(["corpus"])
    print(pairing.report().text())
    for pair in pairing.pairs:
        recorded = read_pair(pair, PairSettings())

A `Pair` is two file names; `read_pair` reads motion on the default character and audio. The
supported folder layouts are described in `pair_layouts.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from os.path import abspath
from typing import TYPE_CHECKING

from kinesphere.corpus.pairs.facts import PairFacts
from kinesphere.corpus.pairs.matching import Ambiguity, Pair, match_files
from kinesphere.corpus.pairs.recordings import (
    BrokenPair,
    PairSettings,
    RecordedPair,
    read_pair,
    read_pairs,
)
from kinesphere.corpus.pairs.sources import CorpusFile, is_remote, sources_of
from kinesphere.errors import InvalidValueError

if TYPE_CHECKING:
    from kinesphere.corpus.pairs.report import PairingReport

__all__ = [
    "Ambiguity",
    "BrokenPair",
    "Pair",
    "PairFacts",
    "PairSettings",
    "Pairing",
    "RecordedPair",
    "find_pairs",
    "read_pair",
    "read_pairs",
]


@dataclass(frozen=True)
class Pairing:
    """Result of a search for pairs.

    Parameters
    ----------
    locations : where was searched.
    layout : name of the corpus layout; of several, the most frequent first, with ``and`` between.
    pairs : in order of their paths.
    motion_alone, sound_alone : paths or URLs of files without a partner.
    ambiguous : files that match several partners; they are not used.
    notes : sentences on what the search had to decide.
    """

    locations: tuple[str, ...]
    layout: str
    pairs: tuple[Pair, ...]
    motion_alone: tuple[str, ...] = ()
    sound_alone: tuple[str, ...] = ()
    ambiguous: tuple[Ambiguity, ...] = ()
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.pairs)

    def report(
        self,
        facts: Iterable[PairFacts] | None = None,
        settings: PairSettings | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> PairingReport:
        """Lengths, rates and offsets of every pair, and files without a partner or unreadable.

        `facts` are those of pairs that were read already; without them every pair is read now,
        and an unreadable one is a row with its error; `progress` gets the number done and in all.
        """
        from kinesphere.corpus.pairs.report import report_of

        return report_of(self, facts, settings, progress)


def find_pairs(locations: Sequence[str | PathLike[str]] | str | PathLike[str]) -> Pairing:
    """Find motion and audio that belong together in folders, files, or URLs that fsspec knows.

    Parameters
    ----------
    locations : folders are searched recursively; motion and audio may be in
        different locations.

    Raises
    ------
    UnreadableError
        If a location does not exist or cannot be listed.
    InvalidValueError
        If no location is given.
    """
    given = [locations] if isinstance(locations, (str, PathLike)) else list(locations)
    if not given:
        raise InvalidValueError("no location of pairs is given, expected at least one")
    sources: dict[str, CorpusFile] = {}
    for location in given:
        for source in sources_of(location):
            sources.setdefault(_same_for(source.address), source)
    found = match_files(list(sources.values()))
    count = Counter(pair.layout for pair in found.pairs)
    return Pairing(
        tuple(str(location) for location in given),
        " and ".join(name for name, _ in count.most_common()) or "none",
        found.pairs,
        found.motion_alone,
        found.sound_alone,
        found.ambiguous,
        found.notes,
    )


def _same_for(address: str) -> str:
    """Normalised form of a location."""
    return address if is_remote(address) else abspath(address)
