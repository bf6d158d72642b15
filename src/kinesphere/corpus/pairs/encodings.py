"""Choice among several encodings of the same audio in one folder."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from kinesphere.corpus.pairs.layouts import SOUND_ENDINGS
from kinesphere.corpus.pairs.sources import CorpusFile

_MOST_NAMED = 3


def best_encodings(sounds: Iterable[CorpusFile]) -> dict[CorpusFile, tuple[CorpusFile, ...]]:
    """Audio files in use, each with the encodings of the same name and folder that it replaces.

    The suffix that comes first in `SOUND_ENDINGS` is the best: uncompressed, then lossless.
    Two files with the best suffix (``x.wav``, ``x.WAV``) are not two encodings: both stay.
    """
    alike: dict[tuple[PurePosixPath, str], list[CorpusFile]] = defaultdict(list)
    for sound in sounds:
        alike[sound.whole.parent, sound.stem].append(sound)
    best: dict[CorpusFile, tuple[CorpusFile, ...]] = {}
    for group in alike.values():
        group.sort(key=lambda sound: SOUND_ENDINGS.index(sound.ending))
        kept = [sound for sound in group if sound.ending == group[0].ending]
        best.update(dict.fromkeys(kept, ()))
        best[kept[0]] = tuple(group[len(kept) :])
    return best


def encodings_note(
    used: Sequence[CorpusFile], best: Mapping[CorpusFile, tuple[CorpusFile, ...]]
) -> list[str]:
    """Note on the audio files that were chosen among encodings: one sentence, or none."""
    chosen = [sound for sound in used if best.get(sound)]
    if not chosen:
        return []
    named = [
        f"{sound.address} and not {', '.join(spare.path.name for spare in best[sound])}"
        for sound in chosen[:_MOST_NAMED]
    ]
    more = [f"{len(chosen) - len(named)} more"] if len(chosen) > len(named) else []
    return [
        "of audio in several encodings, the least compressed is used: " + "; ".join([*named, *more])
    ]
