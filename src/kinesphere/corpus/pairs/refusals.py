"""Error messages for folders from which nothing can be learned."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from kinesphere.corpus.pairs.layouts import ARCHIVE_ENDINGS
from kinesphere.corpus.pairs.sources import is_remote

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kinesphere.corpus.pairs.matching import Ambiguity
    from kinesphere.corpus.pairs.pairs import Pairing
    from kinesphere.corpus.pairs.report import PairingReport

_MOST_NAMED = 3


def count_text(count: int, one: str, many: str = "") -> str:
    """Return a number with its noun; the plural `many` is `one` with an s unless given.

    >>> count_text(1, "sound file"), count_text(0, "sound file")
    ('1 sound file', '0 sound files')
    >>> count_text(2, "name fits", "names fit")
    '2 names fit'
    """
    return f"{count} {one if count == 1 else many or one + 's'}"


def first_names(unclear: Sequence[Ambiguity]) -> str:
    """The first few names that match several files."""
    names = ", ".join(found.name for found in unclear[:_MOST_NAMED])
    return names + (", ..." if len(unclear) > _MOST_NAMED else "")


def why_unusable(report: PairingReport) -> str:
    """Why nothing can be learned from what was read; empty if something can."""
    if report.readable:
        silent = all(facts.silent for facts in report.readable)
        pairs = count_text(len(report.readable), "readable pair")
        return f"no syllable is heard in {pairs}: is it speech, and loud enough?" if silent else ""
    if not report.pairing.pairs:
        return no_pairs(report.pairing)
    count = len(report.facts)
    pairs = "the only pair cannot be read" if count == 1 else f"none of {count} pairs can be read"
    first = "" if count == 1 else "; the first"
    return f"{pairs}{first}: {report.problems[0]}"


def no_pairs(pairing: Pairing) -> str:
    """Why there are no pairs: what was searched for, and what was found."""
    where = ", ".join(pairing.locations[:3]) + (" ..." if len(pairing.locations) > 3 else "")
    unclear = pairing.ambiguous
    motion = len(pairing.motion_alone) + sum(len(found.motions) for found in unclear)
    sound = len(pairing.sound_alone) + sum(len(found.sounds) for found in unclear)
    found = f"{count_text(motion, 'motion file')} and {count_text(sound, 'sound file')}"
    if unclear:
        fits = "name that matches several of them", "names that match several of them"
        found += f", {count_text(len(unclear), *fits)} ({first_names(unclear)})"
    return (
        f"{where}: no motion with speech of the same name; found {found} "
        f"(motion: .bvh .glb .npz .kin ..., sound: .wav .flac .mp3 ...){_archives(pairing)}"
    )


def _archives(pairing: Pairing) -> str:
    """How to pass an archive, if one was given as a file."""
    advice = ""
    for place in pairing.locations:
        ending = PurePosixPath(place).suffix.lower()
        if ending in ARCHIVE_ENDINGS and not is_remote(place):
            advice += f"; {place} is an archive, give it as {ending[1:]}::{place}"
    return advice
