"""Takes to files of every kind: motion, pages, video, pictures. The suffix sets the format."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from kinesphere.character.default import default_rig
from kinesphere.character.figure import Figure
from kinesphere.character.take_rig import declared_bones, report_of
from kinesphere.errors import InvalidValueError, UnwritableError
from kinesphere.export.sound_beside import write_sound
from kinesphere.formats.gltf.character import holds_character
from kinesphere.formats.gltf.gltf_reading import GltfOrigin
from kinesphere.formats.gltf.gltf_writing import glb_bytes, is_default, stick_figure
from kinesphere.formats.gltf.mesh import check_meshes, figure_of
from kinesphere.formats.gltf.stored_figure import default_figure
from kinesphere.formats.registry import endings, write_take
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.clip import Clip
from kinesphere.motion.editing import place_clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.resampling import resample
from kinesphere.motion.retargeting.retargeting import retarget as retarget_clip
from kinesphere.motion.take import Take

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Look:
    """Settings of pictures and video of a take.

    Parameters
    ----------
    view : front, side, three-quarter or top; contact sheets show the first three.
    size : width and height of a video in pixels.
    fps : of a video.
    moments : of a contact sheet: how many, or times in seconds, or times by name.
    dark : dark background.

    Examples
    --------
    >>> import kinesphere as ks
    >>> ks.save(ks.idle(0.5), "idle.png", ks.Look(moments=[0.0, 0.5], dark=True))
    """

    view: str = "three-quarter"
    size: tuple[int, int] = (1280, 720)
    fps: float = 30.0
    moments: int | Sequence[float] | Mapping[str, float] = 8
    dark: bool = False


def writable() -> list[str]:
    """All suffixes that a take can be written with."""
    return [*endings(reading=False), *PICTURES]


def check_output(path: str | PathLike[str]) -> None:
    """Reject an output that cannot be written, before any work is done."""
    target = Path(path)
    ending = target.suffix.lower()
    if ending not in writable():
        raise UnwritableError(
            f"{path}: cannot write {target.suffix or 'a file without suffix'!r}; writable are "
            f"{' '.join(writable())}"
        )
    if target.is_dir():
        raise UnwritableError(f"{path}: is a folder")
    if not target.resolve().parent.is_dir():
        raise UnwritableError(f"{path}: its folder does not exist")


def save(
    take: Take,
    path: str | PathLike[str],
    look: Look | None = None,
    progress: Progress | None = None,
) -> None:
    """Write a take atomically, in the format of the file's suffix.

    Where the format holds no audio, that of the take is written next to it (`sound_beside`).

    Examples
    --------
    >>> import kinesphere as ks
    >>> ks.save(ks.idle(1.0), "idle.bvh")
    >>> ks.load("idle.bvh").provenance["unit"]
    'cm'
    """
    check_output(path)
    look = look or Look()
    ending = Path(path).suffix.lower()
    if ending in PICTURES:
        PICTURES[ending](take, path, look, progress)
    else:
        write_take(_on_default(take) if ending == ".vrma" else take, path)
    write_sound(take.audio, path)


def _on_default(take: Take) -> Take:
    """The take on the default character, as VRM animations need it."""
    if take.clip.skeleton.names == default_rig().skeleton.names:
        return take
    moved = retarget_clip(take.clip, report_of(take).rig, default_rig())
    return replace(take, clip=moved, origin=None)


def _is_vrm_animation(origin: GltfOrigin) -> bool:
    """Whether a file is motion for VRM characters, without a body."""
    extensions = origin.document.json.get("extensions") or {}
    return "VRMC_vrm_animation" in extensions and not origin.document.items("meshes")


def facing_front(take: Take) -> Take:
    """Rotate a take so that its performer mostly faces the camera of the front view.

    VRM animations, which have no body, are put on the default character. For viewing only: the
    front of a figure is the main direction of its hips, not the world's +Z.
    """
    rig = report_of(take).rig
    if rig.missing:
        return take
    if isinstance(take.origin, GltfOrigin) and _is_vrm_animation(take.origin):
        take, rig = _on_default(take), default_rig()
    turns = _hip_turns(take.clip, rig)
    ahead = quaternion.rotate(turns, np.array([0.0, 0.0, 1.0])).mean(axis=0)
    yaw = float(np.arctan2(ahead[0], ahead[2]))
    if abs(yaw) < np.radians(25.0) or np.hypot(ahead[0], ahead[2]) < 0.3:
        return take
    turn = quaternion.from_axis_angle([0.0, 1.0, 0.0], -yaw)
    middle = take.clip.root_positions.mean(axis=0) * np.array([1.0, 0.0, 1.0])
    return replace(take, clip=place_clip(take.clip, turn, middle - quaternion.rotate(turn, middle)))


def _hip_turns(clip: Clip, rig: Rig) -> Floats:
    """World rotations ``[frames, 4]`` of the hips, without storing those of all joints."""
    hips = rig.bones["hips"]
    return np.concatenate([rig.turn(part.world_rotations, hips) for part in clip.blocks()])


def figure_for(take: Take) -> Figure:
    """The body of a take in pictures: its own character, the default one, or a stick figure."""
    origin = take.origin
    if isinstance(origin, GltfOrigin) and holds_character(origin, take.clip):
        return figure_of(origin)
    if is_default(take.clip):
        return default_figure()
    return stick_figure(take.clip.skeleton)


def scene_of(take: Take, title: str) -> Any:
    """A take as viewer data.

    The document ``curves``, if a take has one, holds further rows of the timeline: name to pairs
    of time and value, such as pitch and loudness.
    """
    from kinesphere.export.pages.take_page import Scene
    from kinesphere.formats.wav import wav_bytes

    take = facing_front(take)
    if is_default(take.clip):
        # Curves without a face shape of the figure would only enlarge the page.
        shapes = default_figure().morphs
        kept = {n: v for n, v in take.clip.channels.items() if n in shapes}
        take = replace(take, clip=take.clip.with_channels(kept))
    origin = take.origin
    vrm = isinstance(origin, GltfOrigin) and holds_character(origin, take.clip)
    if isinstance(origin, GltfOrigin) and vrm:
        check_meshes(origin.document)
        extensions = origin.document.json.get("extensions") or {}
        vrm = bool({"VRM", "VRMC_vrm"} & set(extensions))
    return Scene(
        title=title,
        glb=glb_bytes(take),
        fps=take.clip.fps,
        frames=len(take.clip),
        vrm=vrm,
        bones=declared_bones(report_of(take).rig),
        tiers=take.tiers,
        curves=take.documents.get("curves", {}),
        audio_wav=None if take.audio is None else wav_bytes(take.audio),
    )


def write_page(
    takes: Sequence[Take], path: str | PathLike[str], titles: Sequence[str] | None = None
) -> None:
    """Write one self-contained page that shows takes, side by side if there are several.

    Examples
    --------
    >>> import kinesphere as ks
    >>> ks.write_page([ks.idle(0.5, seed=1), ks.idle(0.5, seed=2)], "page.html", ["one", "two"])
    """
    from kinesphere.export.pages.take_page import write_html

    names = list(titles) if titles else [Path(path).stem] * len(takes)
    if len(names) != len(takes) or not takes:
        raise InvalidValueError(f"{len(takes)} takes and {len(names)} titles, expected as many")
    scenes = [scene_of(take, name) for take, name in zip(takes, names, strict=True)]
    write_html(scenes, path, title=" and ".join(names[:3]))


def write_video(
    take: Take, path: str | PathLike[str], look: Look, progress: Progress | None = None
) -> None:
    """Write a take as H.264 video with its audio."""
    from kinesphere.export.render.raster import DARK, LIGHT, render_clip
    from kinesphere.export.render.video import write_mp4

    take = facing_front(take)
    clip = resample(take.clip, look.fps)
    studio = DARK if look.dark else LIGHT
    frames = render_clip(
        figure_for(take), clip, look.view, studio=studio, size=look.size, progress=progress
    )
    write_mp4(frames, look.size, look.fps, path, take.audio)


def write_picture(
    take: Take, path: str | PathLike[str], look: Look, progress: Progress | None = None
) -> None:
    """Write a take as a contact sheet: front, side and three-quarter."""
    from kinesphere.export.render.png import write_png
    from kinesphere.export.render.raster import DARK, LIGHT
    from kinesphere.export.render.sheet import contact_sheet

    take = facing_front(take)
    studio = DARK if look.dark else LIGHT
    figure = figure_for(take)
    sheet = contact_sheet(figure, take.clip, look.moments, studio=studio, progress=progress)
    write_png(sheet, path)


def _write_take_page(
    take: Take, path: str | PathLike[str], look: Look, progress: Progress | None = None
) -> None:
    """Write the page of one take, which has no settings of a picture."""
    write_page([take], path)


PICTURES: Mapping[str, Callable[[Take, str | PathLike[str], Look, Progress | None], None]] = {
    ".html": _write_take_page,
    ".mp4": write_video,
    ".png": write_picture,
}
"""Formats that show a take, and their writers; those that hold its motion are in `formats`."""


def stroke_ends(take: Take) -> dict[str, float]:
    """Times named after gesture strokes: their ends, or the stroke times of the file.

    Strokes of both arms that end together count as one.
    """
    marks = [
        (min(interval.end_s, take.clip.duration_s), interval.label)
        for tier in take.tiers
        for interval in tier
        if "stroke" in interval.label.lower() and "start" not in interval.label.lower()
    ]
    out: dict[str, float] = {}
    last_s = -math.inf
    for end_s, label in sorted(marks):
        if end_s - last_s > 0.5 / take.clip.fps:
            out[label if label not in out else f"{label} {len(out) + 1}"] = end_s
            last_s = end_s
    if not out:
        raise InvalidValueError(
            "the take has no annotated strokes; give times with --at, or a number"
        )
    return out
