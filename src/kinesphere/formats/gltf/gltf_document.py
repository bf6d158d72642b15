"""glTF 2.0 as a container: JSON, buffers and the arrays in them.

Only what is needed to read numbers, with each access checked, so that the error for a damaged file
names the position. `gltf_motion` interprets the numbers as motion.
"""

from __future__ import annotations

import base64
import binascii
import json
import struct
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from kinesphere.errors import UnreadableError
from kinesphere.formats.files import read_bytes
from kinesphere.maths.arrays import Floats

MAGIC = b"glTF"
_JSON_CHUNK, _BIN_CHUNK = 0x4E4F534A, 0x004E4942
_TYPES = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
_COMPONENTS: dict[int, np.dtype[Any]] = {
    5120: np.dtype("<i1"),
    5121: np.dtype("<u1"),
    5122: np.dtype("<i2"),
    5123: np.dtype("<u2"),
    5125: np.dtype("<u4"),
    5126: np.dtype("<f4"),
}
_LARGEST_ARRAY = 1 << 28
# Extensions that change how the arrays we read are stored; others concern appearance alone.
_UNREADABLE_EXTENSIONS = {"MPEG_buffer_circular"}
DRACO = "KHR_draco_mesh_compression"
_MESHOPT = ("EXT_meshopt_compression", "KHR_meshopt_compression")
UNPACKING = "gltf-transform cp IN.glb OUT.glb decompresses a file"
"""How to read a compressed file."""


class CompressedError(UnreadableError):
    """An array that is needed is compressed in a way that is not read."""


@dataclass(eq=False)
class GltfDocument:
    """The JSON of a glTF file and its buffers; `path` is the file it was read from, if any."""

    json: dict[str, Any]
    buffers: list[bytes] = field(default_factory=list)
    path: str | None = None

    def items(self, key: str) -> list[dict[str, Any]]:
        """Top-level array such as ``nodes``; empty if the file has none."""
        value = self.json.get(key, [])
        if not isinstance(value, list) or not all(isinstance(v, dict) for v in value):
            raise UnreadableError(None, "is not a list of objects", key)
        return value

    def item(self, key: str, index: Any, asked_by: str) -> dict[str, Any]:
        """Entry of a top-level array."""
        items = self.items(key)
        if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < len(items):
            raise UnreadableError(
                None, f"refers to {key}[{index!r}], there are {len(items)}", asked_by
            )
        return items[index]

    @property
    def packed_arrays(self) -> str:
        """Extension that compresses some of the file's arrays; empty for none."""
        return next(filter(None, map(_packing, self.items("bufferViews"))), "")

    @property
    def packed_meshes(self) -> str:
        """Extension that compresses the file's meshes; empty for none."""
        meshes = self.items("meshes")
        rows = [row for mesh in meshes if isinstance(row := mesh.get("primitives"), list)]
        packed = any(
            isinstance(p, dict) and DRACO in (p.get("extensions") or {})
            for row in rows
            for p in row
        )
        return DRACO if packed else self.packed_arrays if meshes else ""

    def refuse(self, packed: str, what: str) -> CompressedError:
        """Error for a part of the file that an extension compresses."""
        reason = f"is compressed with {packed}, which is not read; {UNPACKING}"
        return CompressedError(self.path, reason, what)

    def array(self, index: Any, asked_by: str) -> Floats:
        """Numbers of an accessor as float64 ``[count]`` or ``[count, components]``, normalised."""
        accessor = self.item("accessors", index, asked_by)
        place = f"accessors[{index}]"
        dtype, width, count = _layout(accessor, place)
        if accessor.get("bufferView") is None:
            raw = np.zeros((count, width), dtype)
        elif name := _packing(self.item("bufferViews", accessor["bufferView"], place)):
            raise self.refuse(name, asked_by)
        else:
            raw = self._stride(
                accessor["bufferView"],
                whole(accessor.get("byteOffset", 0), place),
                dtype,
                width,
                count,
                place,
            )
        if "sparse" in accessor:
            raw = self._with_sparse(raw.copy(), accessor["sparse"], dtype, place)
        with np.errstate(invalid="ignore"):
            values = raw.astype(np.float64)
        if accessor.get("normalized") and dtype.kind in "iu":
            values = np.maximum(values / np.iinfo(dtype).max, -1.0)
        return values[:, 0] if width == 1 else values

    def _stride(
        self, view: Any, offset: int, dtype: np.dtype[Any], width: int, count: int, place: str
    ) -> NDArray[Any]:
        data, stride = self._view(view, place)
        size = dtype.itemsize * width
        step = stride or size
        if count == 0:
            return np.zeros((0, width), dtype)
        if step < size or offset + (count - 1) * step + size > len(data):
            raise UnreadableError(None, f"{count} elements do not fit its bufferView", place)
        return np.ndarray((count, width), dtype, data, offset, (step, dtype.itemsize))

    def _view(self, index: Any, asked_by: str) -> tuple[memoryview, int]:
        view = self.item("bufferViews", index, asked_by)
        place = f"bufferViews[{index}]"
        if name := _packing(view):
            raise self.refuse(name, asked_by)
        number = whole(view.get("buffer"), place)
        if number >= len(self.buffers):
            raise UnreadableError(
                None, f"refers to buffers[{number}], there are {len(self.buffers)}", place
            )
        start, length = (
            whole(view.get("byteOffset", 0), place),
            whole(view.get("byteLength"), place),
        )
        data = self.buffers[number]
        if start + length > len(data):
            raise UnreadableError(
                None, f"ends at byte {start + length} of a buffer of {len(data)}", place
            )
        return memoryview(data)[start : start + length], whole(view.get("byteStride", 0), place)

    def _with_sparse(
        self, raw: NDArray[Any], sparse: Any, dtype: np.dtype[Any], place: str
    ) -> NDArray[Any]:
        place = f"{place}.sparse"
        try:
            count = whole(sparse["count"], place)
            where, what = sparse["indices"], sparse["values"]
            index_type = _COMPONENTS[where["componentType"]]
            first, second = where["bufferView"], what["bufferView"]
        except (KeyError, TypeError):
            raise UnreadableError(None, "is incomplete", place) from None
        offset = whole(where.get("byteOffset", 0), place)
        indices = self._stride(first, offset, index_type, 1, count, place)[:, 0]
        if len(indices) and int(indices.max()) >= len(raw):
            raise UnreadableError(None, f"replaces element {indices.max()} of {len(raw)}", place)
        offset = whole(what.get("byteOffset", 0), place)
        raw[indices] = self._stride(second, offset, dtype, raw.shape[1], count, place)
        return raw


def _packing(entry: dict[str, Any]) -> str:
    """Extension that compresses a bufferView's or a buffer's bytes, or empty."""
    extensions = entry.get("extensions")
    found = [name for name in _MESHOPT if isinstance(extensions, dict) and name in extensions]
    return found[0] if found else ""


def whole(value: Any, place: str) -> int:
    """A JSON number that must be an integer >= 0."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise UnreadableError(None, f"found {value!r}, expected a whole number", place)
    return value


def numbers(value: Any, count: int, place: str) -> list[float]:
    """A JSON list of finite numbers of a given length."""
    if (
        not isinstance(value, list)
        or len(value) != count
        or not all(isinstance(v, (int, float)) and abs(v) < 1e30 for v in value)
    ):
        raise UnreadableError(None, f"expected {count} finite numbers", place)
    return [float(v) for v in value]


def _layout(accessor: dict[str, Any], place: str) -> tuple[np.dtype[Any], int, int]:
    try:
        dtype, width = _COMPONENTS[accessor["componentType"]], _TYPES[accessor["type"]]
    except (KeyError, TypeError):
        raise UnreadableError(None, "has an unknown componentType or type", place) from None
    count = whole(accessor.get("count"), place)
    if count * width > _LARGEST_ARRAY:
        raise UnreadableError(None, f"claims {count} elements, too many to read", place)
    return dtype, width, count


def read_document(path: str | PathLike[str]) -> GltfDocument:
    """Read .glb, .vrm, .vrma (binary) or .gltf (JSON, with its buffers in the same folder)."""
    data = read_bytes(path)
    try:
        document = parse_document(data, Path(path).parent)
    except UnreadableError as error:
        raise error.at(path) from None
    document.path = str(path)
    return document


def parse_document(data: bytes, folder: Path | None = None) -> GltfDocument:
    """Parse the bytes of a glTF file, binary or JSON.

    Buffers with a file name are read from `folder` only.
    """
    if data[:4] == MAGIC:
        text, binary = _chunks(data)
    elif data.lstrip()[:1] == b"{":
        text, binary = data, None
    else:
        raise UnreadableError(
            None, "is not a glTF file: neither 'glTF' nor '{' at its start", "byte 0"
        )
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableError(None, f"its JSON is broken: {str(error)[:80]}", "JSON") from None
    if not isinstance(parsed, dict):
        raise UnreadableError(None, "its JSON is not an object", "JSON")
    asset = parsed.get("asset")
    version = asset.get("version") if isinstance(asset, dict) else None
    if not str(version).startswith("2."):
        raise UnreadableError(None, f"is glTF version {version!r}, allowed is 2.0", "asset")
    document = GltfDocument(parsed)
    required = parsed.get("extensionsRequired") or []
    unknown = (
        [e for e in required if e in _UNREADABLE_EXTENSIONS] if isinstance(required, list) else []
    )
    if unknown:
        raise UnreadableError(
            None, f"needs the extension {unknown[0]}, which is not supported", "extensionsRequired"
        )
    document.buffers = [
        _buffer(entry, i, binary, folder) for i, entry in enumerate(document.items("buffers"))
    ]
    return document


def _chunks(data: bytes) -> tuple[bytes, bytes | None]:
    if len(data) < 20:
        raise UnreadableError(None, f"ends after {len(data)} bytes", "header")
    _, version, length = struct.unpack_from("<4sII", data)
    if version != 2:
        raise UnreadableError(None, f"is binary glTF version {version}, allowed is 2", "header")
    if length > len(data):
        raise UnreadableError(
            None, f"declares {length} bytes and has {len(data)}: cut off", "header"
        )
    text: bytes | None = None
    binary: bytes | None = None
    position = 12
    while position + 8 <= length:
        size, kind = struct.unpack_from("<II", data, position)
        start, end = position + 8, position + 8 + size
        if end > length:
            raise UnreadableError(None, "a chunk is longer than the file", f"byte {position}")
        if kind == _JSON_CHUNK and text is None:
            text = data[start:end]
        elif kind == _BIN_CHUNK and binary is None:
            binary = data[start:end]
        position = end
    if text is None:
        raise UnreadableError(None, "has no JSON chunk", "byte 12")
    return text, binary


def _buffer(entry: dict[str, Any], index: int, binary: bytes | None, folder: Path | None) -> bytes:
    place = f"buffers[{index}]"
    length = whole(entry.get("byteLength"), place)
    uri = entry.get("uri")
    if uri is None and index and _packing(entry):
        return b""  # buffer for data that is compressed elsewhere
    if isinstance(uri, str) and not uri.startswith("data:"):
        uri = unquote(uri)
    if uri is None:
        data = (binary or b"") if index == 0 else b""
    elif isinstance(uri, str) and uri.startswith("data:"):
        try:
            data = base64.b64decode(uri.split(",", 1)[1], validate=True)
        except (IndexError, binascii.Error):
            raise UnreadableError(None, "its data URI is broken", place) from None
    elif (
        isinstance(uri, str)
        and folder is not None
        and Path(uri).name == uri
        and uri not in ("", "..", ".")
    ):
        data = read_bytes(folder / uri)
    else:
        raise UnreadableError(
            None, f"is at {str(uri)[:60]!r}; only files in the same folder are read", place
        )
    if len(data) < length:
        raise UnreadableError(None, f"declares {length} bytes and has {len(data)}", place)
    return data


class GltfBuilder:
    """Collects arrays into one buffer while a document is built."""

    def __init__(self, generator: str) -> None:
        self.json: dict[str, Any] = {"asset": {"version": "2.0", "generator": generator}}
        self.binary = bytearray()

    def add(self, key: str, entry: dict[str, Any]) -> int:
        """Append to a top-level array and return the index."""
        self.json.setdefault(key, []).append(entry)
        return len(self.json[key]) - 1

    def array(
        self,
        values: NDArray[Any],
        kind: str,
        *,
        bounds: bool = False,
        target: int | None = None,
        normalized: bool = False,
    ) -> int:
        """Store an array as bufferView and accessor; `bounds` adds min and max."""
        flat = np.ascontiguousarray(values)
        codes = {v: k for k, v in _COMPONENTS.items()}
        accessor: dict[str, Any] = {
            "bufferView": self._view(flat, target),
            "componentType": codes[flat.dtype.newbyteorder("<")],
            "count": len(flat),
            "type": kind,
        }
        if normalized:
            accessor["normalized"] = True
        if bounds:
            rows = flat.reshape(len(flat), -1)
            accessor["min"] = [float(x) for x in rows.min(axis=0)]
            accessor["max"] = [float(x) for x in rows.max(axis=0)]
        return self.add("accessors", accessor)

    def _view(self, flat: NDArray[Any], target: int | None = None) -> int:
        self.binary += b"\0" * (-len(self.binary) % 4)
        view: dict[str, Any] = {
            "buffer": 0,
            "byteOffset": len(self.binary),
            "byteLength": flat.nbytes,
        }
        if target is not None:
            view["target"] = target
        self.binary += flat.data if flat.flags.c_contiguous and flat.size else flat.tobytes()
        return self.add("bufferViews", view)

    def sparse(self, values: NDArray[np.float32], kind: str) -> int:
        """Store an array that is mostly zero: only the nonzero rows, with bounds."""
        rows = np.flatnonzero(np.any(values != 0.0, axis=1))
        accessor: dict[str, Any] = {
            "componentType": 5126,
            "count": len(values),
            "type": kind,
            "min": [float(x) for x in values.min(axis=0)],
            "max": [float(x) for x in values.max(axis=0)],
        }
        if len(rows):
            wide = len(values) >= 65536
            accessor["sparse"] = {
                "count": len(rows),
                "indices": {
                    "bufferView": self._view(rows.astype(np.uint32 if wide else np.uint16)),
                    "componentType": 5125 if wide else 5123,
                },
                "values": {"bufferView": self._view(np.ascontiguousarray(values[rows]))},
            }
        return self.add("accessors", accessor)

    def glb(self) -> bytes:
        """The finished binary file."""
        return b"".join(self.pieces())

    def pieces(self) -> list[bytes | bytearray]:
        """The finished binary file in chunks, without copying the large one."""
        self.binary += b"\0" * (-len(self.binary) % 4)
        if self.binary:
            self.json["buffers"] = [{"byteLength": len(self.binary)}]
        text = json.dumps(self.json, separators=(",", ":"), ensure_ascii=False).encode(
            "utf-8", "replace"
        )
        text += b" " * (-len(text) % 4)
        chunks: list[bytes | bytearray] = [struct.pack("<II", len(text), _JSON_CHUNK), text]
        if self.binary:
            chunks += [struct.pack("<II", len(self.binary), _BIN_CHUNK), self.binary]
        return [struct.pack("<4sII", MAGIC, 2, 12 + sum(map(len, chunks))), *chunks]
