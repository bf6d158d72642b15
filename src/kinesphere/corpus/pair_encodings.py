"""One sound that lies in a folder in several encodings: which of them is used."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from kinesphere.corpus.pair_layouts import SOUND_ENDINGS
from kinesphere.corpus.pair_sources import Source

_MOST_NAMED = 3


def best_encodings(sounds: Iterable[Source]) -> dict[Source, tuple[Source, ...]]:
    """Sounds, each with those of the same name and folder that are given up for it.

    The one whose ending comes first in `SOUND_ENDINGS` is the best: uncompressed, then lossless.
    Two of the best ending (``x.wav``, ``x.WAV``) are not two encodings: both stay.
    """
    alike: dict[tuple[PurePosixPath, str], list[Source]] = defaultdict(list)
    for sound in sounds:
        alike[sound.whole.parent, sound.stem].append(sound)
    best: dict[Source, tuple[Source, ...]] = {}
    for group in alike.values():
        group.sort(key=lambda sound: SOUND_ENDINGS.index(sound.ending))
        kept = [sound for sound in group if sound.ending == group[0].ending]
        best.update(dict.fromkeys(kept, ()))
        best[kept[0]] = tuple(group[len(kept) :])
    return best


def encodings_note(used: Sequence[Source], best: Mapping[Source, tuple[Source, ...]]) -> list[str]:
    """Tell which sounds in use were chosen among encodings: one sentence, or none."""
    chosen = [sound for sound in used if best.get(sound)]
    if not chosen:
        return []
    named = [
        f"{sound.address} and not {', '.join(spare.path.name for spare in best[sound])}"
        for sound in chosen[:_MOST_NAMED]
    ]
    more = [f"{len(chosen) - len(named)} more"] if len(chosen) > len(named) else []
    return [
        "where a sound is there in several encodings, the least compressed is used: "
        + "; ".join([*named, *more])
    ]
