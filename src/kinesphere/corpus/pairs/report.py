"""Report on a folder of motion and audio: lengths, rates, offsets, and problems."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kinesphere.corpus.pairs.facts import PairFacts
from kinesphere.corpus.pairs.recordings import BrokenPair, PairSettings, read_pairs
from kinesphere.speech.prosody.prosody import prosody

if TYPE_CHECKING:
    from kinesphere.corpus.pairs.pairs import Pairing

_HEAD = (
    "pair",
    "motion s",
    "sound s",
    "differ s",
    "fps",
    "Hz",
    "parts",
    "words",
    "start s",
    "sure",
)
_MOST_NAMED = 20


@dataclass(frozen=True)
class PairingReport:
    """A pairing and the facts of its pairs, including unreadable ones."""

    pairing: Pairing
    facts: tuple[PairFacts, ...]

    @property
    def readable(self) -> tuple[PairFacts, ...]:
        """Facts of the pairs that can be read."""
        return tuple(facts for facts in self.facts if not facts.problem)

    @property
    def problems(self) -> tuple[str, ...]:
        """One line for each pair that cannot be read."""
        return tuple(facts.problem for facts in self.facts if facts.problem)

    @property
    def anything(self) -> bool:
        """Whether any motion or audio file was found."""
        found = self.pairing
        return bool(found.pairs or found.motion_alone or found.sound_alone or found.ambiguous)

    def text(self) -> str:
        """Return the report as lines of text, a table of the pairs first."""
        pairing = self.pairing
        minutes = sum(facts.spoken_s for facts in self.readable) / 60.0
        lines = [
            f"layout: {pairing.layout}",
            f"pairs: {len(pairing.pairs)}, {len(self.readable)} readable, {minutes:.1f} minutes",
        ]
        if self.readable:
            lines += ["", *_table([_HEAD, *(_cells(facts) for facts in self.readable)])]
        for facts in self.readable:
            lines += [f"{facts.name}: {note}" for note in facts.notes if _worth_saying(note)]
        lines += _list_lines("cannot be read", list(self.problems))
        lines += _list_lines("motion without audio", list(pairing.motion_alone))
        lines += _list_lines("audio without motion", list(pairing.sound_alone))
        unclear = [
            f"{a.name}: {len(a.motions)} motion, {len(a.sounds)} sound: "
            f"{', '.join((*a.motions, *a.sounds)[:4])}"
            for a in pairing.ambiguous
        ]
        lines += _list_lines("ambiguous names", unclear)
        return "\n".join([*lines, *(f"note: {note}" for note in pairing.notes)])


def report_of(
    pairing: Pairing,
    facts: Iterable[PairFacts] | None = None,
    settings: PairSettings | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> PairingReport:
    """Report on a pairing; see `Pairing.report`."""
    if facts is not None:
        return PairingReport(pairing, tuple(facts))
    found = []
    for read in read_pairs(pairing.pairs, settings, broken="skip"):
        if isinstance(read, BrokenPair):
            found.append(PairFacts(read.name, problem=read.problem))
        else:
            heard = prosody(read.speech.samples, read.speech.rate_hz)
            found.append(read.facts.with_syllables(len(heard.syllables)))
        if progress is not None:
            progress(len(found), len(pairing.pairs))
    return PairingReport(pairing, tuple(found))


def _cells(facts: PairFacts) -> tuple[str, ...]:
    start = facts.offset if facts.offset and facts.offset.confidence > 0.0 else None
    return (
        facts.name,
        f"{facts.motion_s:.1f}",
        f"{facts.audio_s:.1f}",
        f"{facts.difference_s:+.2f}",
        f"{facts.fps:g}" if facts.fps == round(facts.fps) else f"{facts.fps:.2f}",
        str(facts.audio_hz),
        " ".join(facts.present),
        str(facts.words),
        "-" if start is None else f"{start.offset_s:+.2f}",
        "-" if start is None else f"{start.confidence:.2f}",
    )


def _table(rows: list[tuple[str, ...]]) -> list[str]:
    """Table columns: the first left-aligned, numbers right-aligned."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if i in (0, 6) else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return lines


_WORTH_SAYING = (
    "cut",
    "left out",
    "no movement",
    "stand in",
    "start",
    "NaN",
    "damaged",
    "cancel",
    "syllable",
)


def _worth_saying(note: str) -> bool:
    """Whether a note is about this pair, not about its format."""
    return any(word in note for word in _WORTH_SAYING)


def _list_lines(title: str, rows: list[str]) -> list[str]:
    if not rows:
        return []
    more = len(rows) - _MOST_NAMED
    shown = [f"  {row}" for row in rows[:_MOST_NAMED]]
    return [f"{title}: {len(rows)}", *shown, *([f"  and {more} more"] if more > 0 else [])]
