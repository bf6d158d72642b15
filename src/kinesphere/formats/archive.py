"""Our own take archive, ``.kin``: a zip of one JSON document and npy arrays.

``kinesphere.json`` says what the archive is (`kind`, `version`) and describes the take; arrays
stand under ``arrays/``. Nothing in it is code, nothing is pickled. The same take gives the same
bytes. Every version ever written stays readable; a stored file of each is tested.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Mapping
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinesphere.errors import KinesphereError, UnreadableError, UnwritableError
from kinesphere.formats.files import read_bytes, written_whole
from kinesphere.formats.npy import npy_bytes, read_npy
from kinesphere.motion.clip import Clip
from kinesphere.motion.skeleton import Skeleton, Tip
from kinesphere.motion.take import Audio, Take
from kinesphere.timeline import Interval, Tier

VERSION = 1
KIND = "take"
_DOCUMENT = "kinesphere.json"
_LARGEST_JSON = 64 << 20
_LARGEST_ARRAY = 1 << 30
_EPOCH = (1980, 1, 1, 0, 0, 0)


def write_archive(take: Take, path: str | PathLike[str]) -> None:
    """Write a take as a .kin archive."""
    data = archive_bytes(take)
    with written_whole(path) as file:
        file.write(data)


def archive_bytes(take: Take) -> bytes:
    """Return the bytes of a .kin archive."""
    clip = take.clip
    arrays: dict[str, NDArray[Any]] = {
        "offsets": clip.skeleton.offsets,
        "rest_rotations": clip.skeleton.rest_rotations,
        "root_positions": clip.root_positions,
        "rotations": clip.rotations,
    }
    if clip.translated_joints:
        arrays["translations"] = clip.translations
    if clip.channels:
        arrays["channels"] = np.stack(list(clip.channels.values()))
    if take.audio is not None:
        arrays["audio"] = take.audio.samples.astype(np.float32)
    try:
        text = json.dumps(_description(take), indent=1, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise UnwritableError(f"a document or the provenance is not plain JSON: {error}") from None
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        archive.writestr(zipfile.ZipInfo(_DOCUMENT, _EPOCH), text, zipfile.ZIP_DEFLATED)
        for name, array in arrays.items():
            info = zipfile.ZipInfo(f"arrays/{name}.npy", _EPOCH)
            archive.writestr(info, npy_bytes(array), zipfile.ZIP_DEFLATED)
    return out.getvalue()


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
        "documents": _plain(take.documents),
        "provenance": _plain(take.provenance),
    }


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return value


def read_archive(path: str | PathLike[str]) -> Take:
    """Read a take from a .kin archive."""
    data = read_bytes(path)
    try:
        return parse_archive(data)
    except UnreadableError as error:
        raise error.at(path) from None


def parse_archive(data: bytes) -> Take:
    """Understand the bytes of a .kin archive."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            description = _read_description(archive)
            members = {i.filename: i for i in archive.infolist()}

            def array(name: str) -> NDArray[Any]:
                info = members.get(f"arrays/{name}.npy")
                if info is None:
                    raise UnreadableError(None, "is missing", f"arrays/{name}.npy")
                return read_npy(archive, info, _LARGEST_ARRAY)

            return _take(description, array)
    except (zipfile.BadZipFile, NotImplementedError) as error:
        raise UnreadableError(None, f"is not a whole archive: {str(error)[:60]}") from None


def _read_description(archive: zipfile.ZipFile) -> dict[str, Any]:
    try:
        info = archive.getinfo(_DOCUMENT)
    except KeyError:
        raise UnreadableError(None, f"is not a Kinesphere archive: no {_DOCUMENT}") from None
    if info.file_size > _LARGEST_JSON:
        raise UnreadableError(None, f"is {info.file_size} bytes long, too large", _DOCUMENT)
    try:
        with archive.open(info) as member:
            description = json.loads(member.read(_LARGEST_JSON))
    except Exception as error:  # zlib and json each have their own
        raise UnreadableError(None, f"is damaged: {str(error)[:60]}", _DOCUMENT) from None
    if not isinstance(description, dict) or description.get("kind") != KIND:
        kind = description.get("kind") if isinstance(description, dict) else None
        raise UnreadableError(None, f"is an archive of kind {kind!r}, expected {KIND!r}", _DOCUMENT)
    version = description.get("version")
    if not isinstance(version, int) or not 1 <= version <= VERSION:
        raise UnreadableError(
            None, f"has version {version!r}, this program reads 1 to {VERSION}", _DOCUMENT
        )
    return description


def _take(description: dict[str, Any], array: Callable[[str], NDArray[Any]]) -> Take:
    try:
        part = description["skeleton"]
        tips = tuple(Tip(int(j), (float(x), float(y), float(z))) for j, x, y, z in part["tips"])
        skeleton = Skeleton(
            tuple(str(n) for n in part["names"]), part["parents"], array("offsets"),
            array("rest_rotations"), tips,
        )  # fmt: skip
        moved = tuple(int(j) for j in description["translated_joints"])
        names = [str(n) for n in description["channels"]]
        table = array("channels") if names else np.zeros((0, 0))
        clip = Clip(
            skeleton, float(description["fps"]), array("root_positions"), array("rotations"), moved,
            array("translations") if moved else None,  # type: ignore[arg-type]
            dict(zip(names, table, strict=True)),
        )  # fmt: skip
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
        raise UnreadableError(
            None, f"does not fit together: {str(error)[:100]}", _DOCUMENT
        ) from None
