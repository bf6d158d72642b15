"""Takes as one page that opens from disk without server and network.

A page opened from a file cannot import modules or fetch other files, so everything is embedded:
the viewer as one script, built from ``web/`` into ``export/viewer/``, and the scenes as base64.
The viewer's types are generated from the dataclasses here by ``python -m tools.wire_types``.
"""

from __future__ import annotations

import base64
import gzip
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib import resources
from itertools import chain
from os import PathLike
from types import MappingProxyType
from typing import Any

from kinesphere.errors import InvalidValueError, UnwritableError
from kinesphere.formats.files import write_atomically
from kinesphere.maths.arrays import Floats
from kinesphere.timeline import Tier

# Forbids every connection, whatever a character's file may contain.
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; media-src data: blob:; connect-src data: blob:"
)
_WORTH_ZIPPING = 0.95
_PIECE = 3 << 18  # bytes encoded at once; a multiple of three for base64


@dataclass(frozen=True)
class Scene:
    """A character with its motion, as data of the page.

    Parameters
    ----------
    title : name above the figure and in the timeline.
    glb : character and animation; the animation named ``take`` is played, else the last one.
    fps, frames : of the clip; the page steps by these frames.
    vrm : whether the file is a VRM character, with its materials and springs.
    bones : humanoid bone to the name of its node, for the paths of the hands and for following.
    tiers : rows of the timeline.
    curves : further rows: pairs of time in seconds and value, a value of NaN is a gap.
    audio_wav : audio that starts together with the clip.
    """

    title: str
    glb: bytes
    fps: float
    frames: int
    vrm: bool = False
    bones: Mapping[str, str] = field(default_factory=dict)
    tiers: tuple[Tier, ...] = ()
    curves: Mapping[str, Sequence[tuple[float, float]] | Floats] = field(default_factory=dict)
    audio_wav: bytes | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "bones", MappingProxyType(dict(self.bones)))
        object.__setattr__(self, "curves", MappingProxyType(dict(self.curves)))
        object.__setattr__(self, "tiers", tuple(self.tiers))
        if not (math.isfinite(self.fps) and self.fps > 0):
            raise InvalidValueError(f"scene {self.title!r} has {self.fps:g} fps, allowed is > 0")
        if self.frames < 1:
            raise InvalidValueError(f"scene {self.title!r} has no frames")


@dataclass(frozen=True)
class TierData:
    """A row of the timeline.

    Parameters
    ----------
    intervals : start and end in seconds, label.
    """

    name: str
    intervals: tuple[tuple[float, float, str], ...]


@dataclass(frozen=True)
class CurveData:
    """A curve below the rows.

    Parameters
    ----------
    samples : time in seconds, value; None where there is none, such as the pitch of a silence.
    """

    name: str
    samples: tuple[tuple[float, float | None], ...]


@dataclass(frozen=True)
class SceneData:
    """A scene as the page reads it.

    Parameters
    ----------
    glb : id of the attachment with character and animation.
    audio : id of the attachment with the sound, if any.
    bones : humanoid bone to the name of its node.
    """

    title: str
    glb: str
    audio: str | None
    fps: float
    frames: int
    vrm: bool
    bones: dict[str, str]
    tiers: tuple[TierData, ...]
    curves: tuple[CurveData, ...]


@dataclass(frozen=True)
class PageData:
    """All that is written into a take's page, besides attachments."""

    title: str
    scenes: tuple[SceneData, ...]


def write_html(scenes: Sequence[Scene], path: str | PathLike[str], title: str = "") -> None:
    """Write a page with one scene, or several side by side; the title defaults to theirs."""
    pieces = html_pieces(scenes, title)
    with write_atomically(path) as file:
        for piece in pieces:
            file.write(piece)


def html_bytes(scenes: Sequence[Scene], title: str = "") -> bytes:
    """Return the page of `write_html`."""
    return b"".join(html_pieces(scenes, title))


def html_pieces(scenes: Sequence[Scene], title: str = "") -> Iterator[bytes]:
    """Return the page of `write_html` in chunks, so that long takes need little memory."""
    if not scenes:
        raise InvalidValueError("a page needs at least one scene")
    script, style = client_file("viewer.js"), client_file("viewer.css")
    title = title or " · ".join(scene.title for scene in scenes)
    attachments: dict[bytes, str] = {}
    page = PageData(title, tuple(_scene_data(scene, attachments) for scene in scenes))
    head = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n',
        '<link rel="icon" href="data:,">\n',
        f"<title>{escape(title)}</title>\n<style>{inside(style, 'style')}</style>\n</head>\n",
        '<body>\n<div id="kinesphere"><noscript>This page needs JavaScript.</noscript></div>\n',
        f'<script type="application/json" id="kinesphere-page">{page_json(page)}</script>\n',
    ]
    tail = f"<script>{inside(script, 'script')}</script>\n</body>\n</html>\n"
    bodies = (_attachment(data, name) for data, name in attachments.items())
    return chain(("".join(head).encode(),), chain.from_iterable(bodies), (tail.encode(),))


def _scene_data(scene: Scene, attachments: dict[bytes, str]) -> SceneData:
    """A scene as data; bytes that several scenes share are attached once."""

    def attach(data: bytes) -> str:
        return attachments.setdefault(data, f"data-{len(attachments)}")

    return SceneData(
        title=scene.title,
        glb=attach(scene.glb),
        audio=attach(scene.audio_wav) if scene.audio_wav else None,
        fps=float(scene.fps),
        frames=int(scene.frames),
        vrm=scene.vrm,
        bones=dict(scene.bones),
        tiers=tuple(map(_tier_data, scene.tiers)),
        curves=tuple(CurveData(name, _samples(row)) for name, row in scene.curves.items()),
    )


def _tier_data(tier: Tier) -> TierData:
    rows = ((round(i.start_s, 4), round(i.end_s, 4), i.label) for i in tier)
    return TierData(tier.name, tuple(rows))


def _samples(samples: Iterable[Any]) -> tuple[tuple[float, float | None], ...]:
    """Pairs of time and value, rounded to visible precision; None for a gap."""
    return tuple(
        (round(float(time), 4), float(f"{value:.5g}") if math.isfinite(value) else None)
        for time, value in samples
    )


def attachment(data: bytes, name: str) -> str:
    """Bytes as an element of a page, compressed where that is smaller."""
    return b"".join(_attachment(data, name)).decode("ascii")


def _attachment(data: bytes, name: str) -> Iterator[bytes]:
    packed = gzip.compress(data, compresslevel=6, mtime=0)
    zipped = len(packed) < _WORTH_ZIPPING * len(data)
    encoding = ' data-encoding="gzip"' if zipped else ""
    yield f'<script type="application/octet-stream" id="{name}"{encoding}>'.encode("ascii")
    chosen = memoryview(packed if zipped else data)
    for start in range(0, len(chosen), _PIECE):
        yield base64.b64encode(chosen[start : start + _PIECE])
    yield b"</script>\n"


def page_json(value: Any) -> str:
    """JSON of dataclasses and plain values that cannot end the script element around it."""
    text = json.dumps(
        value, default=vars, ensure_ascii=False, allow_nan=False, separators=(",", ":")
    )
    return text.replace("<", "\\u003c")


def inside(text: str, element: str) -> str:
    r"""Text that cannot end its element: ``<\/script`` means the same in a string.

    >>> inside("x = '</SCRIPT>'", "script")
    "x = '<\\/SCRIPT>'"
    """
    text = re.sub(rf"</(?={element})", r"<\\/", text, flags=re.IGNORECASE)
    return text.replace("<!--", r"<\!--")


def client_file(name: str) -> str:
    """Text of a built file of the web client."""
    try:
        return resources.files("kinesphere.export").joinpath("viewer", name).read_text("utf-8")
    except FileNotFoundError:
        raise UnwritableError(
            f"the viewer is not built: {name} is missing; 'make viewer' in the repository builds it"
        ) from None
