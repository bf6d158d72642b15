"""File and folder names of corpora of motion and speech.

Files that belong together mostly have equal names (`x.bvh`, `x.wav`, `x.TextGrid`), in one folder
or in parallel ones (`bvh/x.bvh`, `wav/x.wav`). A layout adds what is special to a corpus: how a
name is recognised, the speaker, and which parts of a name are ignored when names are compared.

The layouts are based on:

- BEAT: ``beat_english_v0.2.1/1/1_wayne_0_1_1.bvh`` (120 fps, centimetres), ``.wav``, ``.TextGrid``
  in one folder a speaker, beside ``.json`` (face), ``.csv`` (emotion) and ``.txt`` (meaning), which
  are not words; a name is speaker's number, name, kind of recording, first and last question.
- BEAT2: ``beat_english_v2.0.0/smplxflame_30/2_scott_0_1_1.npz``, ``wave16k/``, ``textgrid/``.
- ZeroEGGS: ``clean/067_Speech_2_x_1_0.bvh`` and ``.wav``, trimmed alike; mirrored copies
  (``067_Speech_2_mirror_x_1_0.bvh``) belong to the same audio. The untrimmed originals
  (``001_Neutral_0.bvh``) start at other times than their audio, as the corpus' own table states.
- Trinity: ``Motion/NaturalTalking_001.bvh`` with ``Audio/NaturalTalking_01.wav`` or ``_001``;
  ``Recording_001`` and ``TestSeq001`` in the GENEA 2020 edition.
- GENEA 2022 and 2023: ``trn/main-agent/bvh/trn_2023_v0_000_main-agent.bvh``, ``wav/``, ``tsv/``
  (start, end, text by tabs), ``interloctr/`` likewise, ``metadata.csv`` with the speakers' numbers.
- Talking With Hands: ``mocap_data/session14/take5/take5_noFingers_deep5_scale_local.bvh``. How its
  audio files are named could not be looked up; they are matched within session and take by the
  participant (``deep5``) or the side (``left``, ``right``) that both names have.

These come from the corpora's own descriptions and from programs that read them, not from the
corpora themselves, except for one recording of BEAT2.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath

MOTION_ENDINGS = (".kin", ".npz", ".bvh", ".glb", ".vrma")
SOUND_ENDINGS = (".wav", ".flac", ".mp3", ".ogg", ".opus", ".m4a")
ARCHIVE_ENDINGS = (".zip", ".tar")
WORD_ENDINGS = (".textgrid", ".tsv", ".srt", ".vtt", ".eaf")
"""Suffixes of transcripts, the best first."""

_ROLES = frozenset(
    (
        "anim",
        "animation",
        "animations",
        "anims",
        "audio",
        "audio_data",
        "audios",
        "body",
        "bvh",
        "bvhs",
        "clean",
        "flac",
        "glb",
        "kin",
        "mocap",
        "mocap_data",
        "motion",
        "motions",
        "mp3",
        "npz",
        "ogg",
        "smplx",
        "smplxflame30",
        "smplxflame_30",
        "sound",
        "sounds",
        "speech",
        "text",
        "textgrid",
        "textgrids",
        "transcript",
        "transcripts",
        "tsv",
        "voice",
        "wav",
        "wav16k",
        "wave",
        "wave16k",
        "wavs",
        "word",
        "words",
    )
)
_NAMED_ROLES = frozenset(
    (
        "16k",
        "44k",
        "48k",
        "anim",
        "animation",
        "audio",
        "body",
        "bvh",
        "mic",
        "mocap",
        "motion",
        "retargeted",
        "sound",
        "speech",
        "voice",
        "wav",
    )
)
_SEPARATORS = re.compile(r"[\s_\-.]+")


def context_of(path: PurePosixPath) -> tuple[str, ...]:
    """Folders of a file without those that only name the kind of file.

    >>> context_of(PurePosixPath("trn/main-agent/bvh/x.bvh"))
    ('trn', 'main-agent')
    """
    return tuple(part for part in path.parts[:-1] if part.casefold() not in _ROLES)


def location_name(place: str) -> str:
    """Last folder of a location that does not only name the kind of its files; may be empty.

    >>> [location_name(at) for at in ("/data/anna/bvh", "zip::data/ben.zip", "s3://b/carl/")]
    ['anna', 'ben', 'carl']
    """
    links = [link for link in place.split("::") if "/" in link or "." in link]
    folders = context_of(PurePosixPath(links[0] if links else place) / "x")
    name = folders[-1] if folders else ""
    return PurePosixPath(name).stem if name.casefold().endswith(ARCHIVE_ENDINGS) else name


def plain_name(stem: str) -> str:
    """Name without a word for its kind at its start or end.

    >>> plain_name("take_01_motion"), plain_name("audio-take_01"), plain_name("Speech")
    ('take_01', 'take_01', 'speech')
    """
    words = [word for word in _SEPARATORS.split(stem.casefold()) if word]
    while len(words) > 1 and words[-1] in _NAMED_ROLES:
        words.pop()
    while len(words) > 1 and words[0] in _NAMED_ROLES:
        words.pop(0)
    return "_".join(words)


def _no_copy(_: str) -> str | None:
    return None


@dataclass(frozen=True)
class Layout:
    """Naming rules of one corpus.

    Parameters
    ----------
    name : of the corpus.
    pattern : of a motion file's whole path below the location; ``(?P<speaker>...)`` is the
        speaker. The first layout whose pattern matches is a file's layout.
    loose : the part of a name, without suffix, that files of one performance share.
    original : for a copy that shares its audio with another motion, the name of that motion.
    """

    name: str
    pattern: re.Pattern[str]
    loose: Callable[[str], str] = plain_name
    original: Callable[[str], str | None] = _no_copy

    def fits(self, path: PurePosixPath) -> bool:
        """Whether a motion file may be of this corpus."""
        return self.pattern.fullmatch(path.as_posix()) is not None

    def speaker(self, path: PurePosixPath) -> str:
        """Speaker by the file's name; empty if it does not contain one."""
        match = self.pattern.fullmatch(path.as_posix())
        return (match.groupdict().get("speaker") or "") if match else ""


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(r"(?:.*/)?" + text, re.IGNORECASE)


def _trinity_name(stem: str) -> str:
    match = re.search(r"(naturaltalking|recording|testseq)[_\- ]*0*(\d+)", stem.casefold())
    return f"{match[1]}_{match[2]}" if match else plain_name(stem)


def _zeggs_name(stem: str) -> str:
    match = re.match(r"(\d{3}_[a-z]+_\d+)(?=_|$)", stem.casefold())
    return match[1] if match else plain_name(stem)


def _participant(stem: str) -> str:
    """Participant or side, in Talking With Hands."""
    name = stem.casefold()
    match = re.search(r"(deep|shallow)[_\- ]*0*(\d+)", name)
    if match:
        return match[1] + match[2]
    side = re.search(r"(?:^|[_\- ])(left|right)(?=$|[_\- ])", name)
    return side[1] if side else plain_name(stem)


def _mirrored_original(stem: str) -> str | None:
    name = re.sub(r"_mirror(?=_|$)", "", stem, flags=re.IGNORECASE)
    return name if name != stem else None


_BEAT = r"\d+_(?P<speaker>[a-z]+)_\d+_\d+_\d+"
PLAIN = Layout("plain", re.compile(".*", re.DOTALL))
LAYOUTS: tuple[Layout, ...] = (
    Layout("BEAT2", _pattern(_BEAT + r"\.npz")),
    Layout("BEAT", _pattern(_BEAT + r"\.bvh")),
    Layout(
        "ZeroEGGS",
        _pattern(r"\d{3}_(?P<speaker>[a-z]+)_\d+(?:_mirror)?(?:_x_\d+_\d+)?\.bvh"),
        loose=_zeggs_name,
        original=_mirrored_original,
    ),
    Layout(
        "GENEA",
        _pattern(
            r"(?:trn|val|tst)_20\d\d_v\d+_\d+(?:_(?P<speaker>main-agent|interloctr))?\.(?:bvh|npz)"
        ),
    ),
    Layout(
        "Talking With Hands",
        _pattern(r"session\d+/(?:.*/)?take\d+/[^/]*?(?P<speaker>(?:deep|shallow)\d+)[^/]*\.bvh"),
        loose=_participant,
    ),
    Layout(
        "Trinity",
        _pattern(r"[^/]*(?:NaturalTalking|Recording|TestSeq)[_\- ]*\d+[^/]*\.(?:bvh|glb|npz)"),
        loose=_trinity_name,
    ),
    PLAIN,
)


def layout_of(path: PurePosixPath) -> Layout:
    """Layout of a motion file, by its path below the location."""
    return next(layout for layout in LAYOUTS if layout.fits(path))
