"""Pairing of motion and audio files by their names."""

from __future__ import annotations

import csv
import zipfile
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from kinesphere.corpus.pairs.encodings import best_encodings, encodings_note
from kinesphere.corpus.pairs.layouts import (
    MOTION_ENDINGS,
    SOUND_ENDINGS,
    WORD_ENDINGS,
    Layout,
    context_of,
    layout_of,
    location_name,
)
from kinesphere.corpus.pairs.sources import CorpusFile, local_copy
from kinesphere.errors import UnreadableError

_Key = Callable[[CorpusFile], Hashable]


@dataclass(frozen=True)
class Pair:
    """Motion and audio files of one performance; nothing is read yet.

    Parameters
    ----------
    name : of the performance, different for every pair: its folders that tell it apart and its
        file name, without suffix.
    motion : path or URL of the motion.
    audio : path or URL of the audio; None if the take contains it.
    words : path or URL of a timed transcript, or None.
    layout : name of the corpus layout.
    speaker : as far as names tell: a speaker of BEAT, a style of ZeroEGGS; may be empty.
    place : name of the location in which the motion was found; may be empty.
    """

    name: str
    motion: str
    audio: str | None
    words: str | None = None
    layout: str = "plain"
    speaker: str = ""
    place: str = ""


@dataclass(frozen=True)
class Ambiguity:
    """Files whose names match several partners; none is used."""

    name: str
    motions: tuple[str, ...]
    sounds: tuple[str, ...]


@dataclass(frozen=True)
class FileMatches:
    """Result of `match_files`; the addresses are sorted."""

    pairs: tuple[Pair, ...]
    motion_alone: tuple[str, ...]
    sound_alone: tuple[str, ...]
    ambiguous: tuple[Ambiguity, ...]
    notes: tuple[str, ...]


def match_files(sources: Sequence[CorpusFile]) -> FileMatches:
    """Find the pairs among files.

    Names are compared strictly first, then more and more loosely: the same name in one folder; in
    parallel folders (`bvh/`, `wav/`); in such folders of two locations; anywhere; then what a
    layout defines as common. A name that matches several files at the level where it is first
    found is ambiguous; encodings of the same audio count as one.
    """
    motions = [s for s in sources if s.ending in MOTION_ENDINGS]
    sounds = best_encodings(s for s in sources if s.ending in SOUND_ENDINGS)
    words = [s for s in sources if s.ending in WORD_ENDINGS]
    search = _Search(motions, sounds)
    layouts = {layout.name: layout for layout in search.layout.values()}
    for key in _strict_keys():
        search.match(key)
    for layout in layouts.values():
        for key in _loose_keys(layout):
            search.match(key, layout)
    search.match_copies()
    alone: list[str] = []
    used = [sound for _, sound in search.found if sound is not None]
    notes = encodings_note(sorted(set(used), key=lambda sound: sound.whole.parts), sounds)
    for motion in search.motions:
        if motion.ending == ".kin" and _holds_sound(motion, notes):
            search.found.append((motion, None))
        else:
            alone.append(motion.address)
    pairs = _with_words(search, words)
    pairs = _with_genea_speakers(pairs, sources, notes)
    return FileMatches(
        tuple(_with_names(pairs)),
        tuple(alone),
        tuple(s.address for sound in search.sounds for s in (sound, *sounds[sound])),
        tuple(search.ambiguous),
        tuple(notes),
    )


def _strict_keys() -> list[_Key]:
    return [
        lambda s: (s.whole.parent, s.stem),
        lambda s: (context_of(s.whole), s.stem.casefold()),
        lambda s: (s.path.parent, s.stem),
        lambda s: (context_of(s.path), s.stem.casefold()),
        lambda s: s.stem.casefold(),
    ]


def _loose_keys(layout: Layout) -> list[_Key]:
    return [
        lambda s: (context_of(s.whole), layout.loose(s.stem)),
        lambda s: (context_of(s.path), layout.loose(s.stem)),
        lambda s: layout.loose(s.stem),
    ]


class _Search:
    """The files without a partner so far, and the pairs found."""

    def __init__(self, motions: Iterable[CorpusFile], sounds: Iterable[CorpusFile]) -> None:
        self.motions, self.sounds = list(motions), list(sounds)
        self.layout = {motion: layout_of(motion.path) for motion in self.motions}
        self.found: list[tuple[CorpusFile, CorpusFile | None]] = []
        self.ambiguous: list[Ambiguity] = []

    def match(self, key: _Key, layout: Layout | None = None) -> None:
        """Pair files with the same key, and remove ambiguous ones; of one layout, or of all."""
        mine = [m for m in self.motions if layout is None or self.layout[m] == layout]
        # A copy waits until its original is paired.
        mine = [m for m in mine if self.layout[m].original(m.stem) is None or layout is None]
        groups = _group_by(mine, key)
        gone: set[CorpusFile] = set()
        for name, sounds in _group_by(self.sounds, key).items():
            motions = groups.get(name, [])
            if not motions:
                continue
            if len(motions) == len(sounds) == 1:
                self.found.append((motions[0], sounds[0]))
            else:
                self.ambiguous.append(
                    Ambiguity(
                        motions[0].stem,
                        tuple(m.address for m in motions),
                        tuple(s.address for s in sounds),
                    )
                )
            gone.update(motions, sounds)
        self.motions = [m for m in self.motions if m not in gone]
        self.sounds = [s for s in self.sounds if s not in gone]

    def match_copies(self) -> None:
        """Pair mirrored motions with the audio of their originals."""
        by_folder: list[_Key] = [lambda m: context_of(m.whole), lambda m: context_of(m.path)]
        for folders in by_folder:
            sound_of = {(folders(m), m.stem.casefold()): sound for m, sound in self.found}
            left = []
            for motion in self.motions:
                name = self.layout[motion].original(motion.stem)
                sound = sound_of.get((folders(motion), name.casefold())) if name else None
                if sound is None:
                    left.append(motion)
                else:
                    self.found.append((motion, sound))
            self.motions = left


def _group_by(sources: Iterable[CorpusFile], key: _Key) -> dict[Hashable, list[CorpusFile]]:
    groups: dict[Hashable, list[CorpusFile]] = defaultdict(list)
    for source in sources:
        groups[key(source)].append(source)
    return groups


def _holds_sound(motion: CorpusFile, notes: list[str]) -> bool:
    """Whether a take contains its audio; an unreadable one is reported when it is read."""
    try:
        with local_copy(motion.address) as path, zipfile.ZipFile(path) as archive:
            return "arrays/audio.npy" in archive.namelist()
    except UnreadableError as error:
        notes.append(str(error))
    except (OSError, zipfile.BadZipFile, RuntimeError, ValueError):
        notes.append(f"{motion.address}: is not a complete archive")
    return False


def _with_words(search: _Search, words: Sequence[CorpusFile]) -> list[tuple[CorpusFile, Pair]]:
    """Pairs with the transcript whose name matches the motion's or the audio's, if any."""
    index = [_group_by(words, key) for key in _strict_keys()]
    loose: dict[str, list[dict[Hashable, list[CorpusFile]]]] = {}
    pairs = []
    for motion, sound in sorted(search.found, key=lambda found: _order(found[0])):
        layout = search.layout[motion]
        if layout.name not in loose:
            loose[layout.name] = [_group_by(words, key) for key in _loose_keys(layout)]
        keys = [*_strict_keys(), *_loose_keys(layout)]
        said = None
        for partner in (sound, motion):
            for key, groups in zip(keys, [*index, *loose[layout.name]], strict=True):
                if said is None and partner is not None:
                    said = _best_words(groups.get(key(partner), []))
        pair = Pair(
            motion.stem,
            motion.address,
            None if sound is None else sound.address,
            None if said is None else said.address,
            layout.name,
            layout.speaker(motion.path),
            location_name(motion.place),
        )
        pairs.append((motion, pair))
    return pairs


def _order(source: CorpusFile) -> tuple[tuple[str, ...], str]:
    return source.path.parts, location_name(source.place)


def _best_words(found: Sequence[CorpusFile]) -> CorpusFile | None:
    """The file with the best suffix; None if there are two of it."""
    for ending in WORD_ENDINGS:
        fitting = [source for source in found if source.ending == ending]
        if fitting:
            return fitting[0] if len(fitting) == 1 else None
    return None


def _with_names(pairs: Sequence[tuple[CorpusFile, Pair]]) -> list[Pair]:
    """Names made unique: by the folders that differ, else by the whole address."""
    for name in (
        lambda m: m.stem,
        lambda m: "/".join((*context_of(m.path), m.stem)),
        lambda m: "/".join((location_name(m.place), *context_of(m.path), m.stem)),
        lambda m: m.path.as_posix(),
        lambda m: m.address,
    ):
        names = [name(motion) for motion, _ in pairs]
        if len(set(names)) == len(names):
            break
    return [replace(pair, name=n) for n, (_, pair) in zip(names, pairs, strict=True)]


def _with_genea_speakers(
    pairs: list[tuple[CorpusFile, Pair]], sources: Sequence[CorpusFile], notes: list[str]
) -> list[tuple[CorpusFile, Pair]]:
    """Replace roles by the speakers' numbers where GENEA's tables have them."""
    if not any(pair.layout == "GENEA" for _, pair in pairs):
        return pairs
    number: dict[tuple[str, str], str] = {}
    for source in sources:
        if source.path.name.casefold() == "metadata.csv":
            number.update(_genea_numbers(source, notes))
    sides = {pair.speaker for _, pair in pairs if pair.layout == "GENEA"}
    if {"main-agent", "interloctr"} <= sides:
        notes.append(
            "GENEA's training set has each conversation twice, with the sides swapped; the "
            "folder main-agent alone has each performance once"
        )
    out = []
    for motion, pair in pairs:
        prefix = PurePosixPath(motion.path).stem.removesuffix(f"_{pair.speaker}")
        speaker = number.get((prefix, pair.speaker), pair.speaker)
        out.append((motion, replace(pair, speaker=speaker) if pair.layout == "GENEA" else pair))
    return out


def _genea_numbers(source: CorpusFile, notes: list[str]) -> dict[tuple[str, str], str]:
    try:
        with (
            local_copy(source.address) as path,
            open(path, encoding="utf-8-sig", newline="") as file,
        ):
            return {
                (row["prefix"].strip(), side): row[f"{side}_id"].strip()
                for row in csv.DictReader(file)
                for side in ("main-agent", "interloctr")
                if row.get("prefix") and row.get(f"{side}_id")
            }
    except (OSError, ValueError, csv.Error, UnreadableError):
        notes.append(f"{source.address}: is not the table of speakers that GENEA has")
        return {}
