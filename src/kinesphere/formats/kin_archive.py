"""Our own take archive, ``.kin``: a zip of one JSON document and npy arrays.

``kinesphere.json`` has the archive's `kind` and `version` and describes the take; arrays
are under ``arrays/``. It contains no code, nothing is pickled. The same take gives the same
bytes. Every version ever written stays readable; a stored file of each is tested.
"""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinesphere.errors import KinesphereError, UnreadableError
from kinesphere.formats.container import DOCUMENT, pack, plain, unpack, write_container
from kinesphere.formats.file_format import FACE, SOUND, Format
from kinesphere.formats.files import read_bytes, write_atomically
from kinesphere.formats.npy import ArrayBlocks
from kinesphere.motion.clip import Clip
from kinesphere.motion.skeleton import Skeleton, Tip
from kinesphere.motion.take import Audio, Take
from kinesphere.timeline import Interval, Tier

VERSION = 1
KIND = "take"
_LARGEST_ARRAY = 1 << 30
_NOT_PLAIN = "a document or the provenance"


def write_archive(take: Take, path: str | PathLike[str]) -> None:
    """Write a take as a .kin archive."""
    with write_atomically(path) as file:
        write_container(_description(take), _arrays(take), _NOT_PLAIN, file)


def archive_bytes(take: Take) -> bytes:
    """The bytes of a .kin archive."""
    return pack(_description(take), _arrays(take), _NOT_PLAIN)


def _arrays(take: Take) -> dict[str, NDArray[Any] | ArrayBlocks]:
    clip = take.clip
    turns = (part.rotations for part in clip.blocks())
    arrays: dict[str, NDArray[Any] | ArrayBlocks] = {
        "offsets": clip.skeleton.offsets,
        "rest_rotations": clip.skeleton.rest_rotations,
        "root_positions": clip.root_positions,
        "rotations": ArrayBlocks((len(clip), len(clip.skeleton), 4), turns),
    }
    if clip.translated_joints:
        arrays["translations"] = clip.translations
    if clip.channels:
        arrays["channels"] = np.stack(list(clip.channels.values()))
    if take.audio is not None:
        arrays["audio"] = np.asarray(take.audio.samples, dtype=np.float32)
    return arrays


def _description(take: Take) -> dict[str, Any]:
    clip = take.clip
    return {
        "kind": KIND,
        "version": VERSION,
        "skeleton": {
            "names": list(clip.skeleton.names),
            "parents": clip.skeleton.parents.tolist(),
            "tips": [[tip.joint, *tip.offset] for tip in clip.skeleton.tips],
        },
        "fps": clip.fps,
        "translated_joints": list(clip.translated_joints),
        "channels": list(clip.channels),
        "audio_rate_hz": None if take.audio is None else take.audio.rate_hz,
        "tiers": [
            {"name": t.name, "intervals": [[i.start_s, i.end_s, i.label] for i in t]}
            for t in take.tiers
        ],
        "documents": plain(take.documents),
        "provenance": plain(take.provenance),
    }


def read_archive(path: str | PathLike[str]) -> Take:
    """Read a take from a .kin archive."""
    data = read_bytes(path)
    try:
        return parse_archive(data)
    except UnreadableError as error:
        raise error.at(path) from None


def parse_archive(data: bytes) -> Take:
    """Parse the bytes of a .kin archive."""
    return unpack(data, KIND, VERSION, _LARGEST_ARRAY, _take)


def _take(description: dict[str, Any], array: Callable[[str], NDArray[Any]]) -> Take:
    try:
        part = description["skeleton"]
        tips = tuple(Tip(int(j), (float(x), float(y), float(z))) for j, x, y, z in part["tips"])
        skeleton = Skeleton(
            tuple(str(n) for n in part["names"]),
            part["parents"],
            array("offsets"),
            array("rest_rotations"),
            tips,
        )
        moved = tuple(int(j) for j in description["translated_joints"])
        names = [str(n) for n in description["channels"]]
        table = array("channels") if names else np.zeros((0, 0))
        clip = Clip(
            skeleton,
            float(description["fps"]),
            array("root_positions"),
            array("rotations"),
            moved,
            array("translations") if moved else None,  # type: ignore[arg-type]
            dict(zip(names, table, strict=True)),
        )
        rate = description["audio_rate_hz"]
        audio = None if rate is None else Audio(array("audio").astype(np.float64), int(rate))
        tiers = tuple(
            Tier(
                str(t["name"]),
                tuple(Interval(float(a), float(b), str(c)) for a, b, c in t["intervals"]),
            )
            for t in description["tiers"]
        )
        return Take(clip, audio, tiers, description["documents"], description["provenance"])
    except UnreadableError:
        raise
    except (KeyError, TypeError, ValueError, KinesphereError) as error:
        raise UnreadableError(None, f"is inconsistent: {str(error)[:100]}", DOCUMENT) from None


FORMATS = (
    Format("Kinesphere take", (".kin",), read_archive, write_archive, carries=(SOUND, FACE)),
)
