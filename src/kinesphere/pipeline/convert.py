"""Conversion of any motion file to any other, with edits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

from kinesphere.character.take_rig import report_of
from kinesphere.errors import InvalidValueError
from kinesphere.export.output import check_output, save
from kinesphere.formats.bvh.layout import BvhOrigin
from kinesphere.formats.registry import read_take
from kinesphere.motion.calibration import calibration_frames, calibration_note
from kinesphere.motion.clip import Clip
from kinesphere.motion.editing import frames_between
from kinesphere.motion.mirroring import mirror
from kinesphere.motion.resampling import resample
from kinesphere.motion.take import Audio, Take
from kinesphere.timeline import Tier


@dataclass(frozen=True)
class Edits:
    """Edits of a conversion: all off by default, so that nothing is lost.

    Parameters
    ----------
    start_s, end_s : part to keep, in the input's time.
    fps : new frame rate.
    mirrored : exchange left and right.
    drop_calibration : remove leading calibration poses.

    Examples
    --------
    >>> import kinesphere as ks
    >>> ks.edit(ks.idle(1.0), ks.Edits(fps=30.0, mirrored=True)).clip.fps
    30.0
    """

    start_s: float | None = None
    end_s: float | None = None
    fps: float | None = None
    mirrored: bool = False
    drop_calibration: bool = False


def load(path: str | PathLike[str], **options: Any) -> Take:
    """Read motion from a file; its suffix sets the format.

    Options depend on the format: ``unit``, ``up`` and ``partial`` for BVH; ``unit``, ``animation``
    and ``fps`` for glTF; ``skeleton`` for SmartBody motions.

    Examples
    --------
    >>> import kinesphere as ks
    >>> ks.idle(1.0).save("idle.bvh")
    >>> ks.load("idle.bvh").notes
    ('unit cm, because the body is then 1.75 m tall',)
    """
    return read_take(path, **options)


def edit(take: Take, edits: Edits) -> Take:
    """Apply edits: remove calibration pose, cut, mirror, new rate, in this order.

    Examples
    --------
    >>> import kinesphere as ks
    >>> cut = ks.edit(ks.idle(1.0), ks.Edits(start_s=0.2, end_s=0.7, fps=30.0))
    >>> len(cut.clip), cut.clip.duration_s
    (16, 0.5)
    """
    clip = take_of(take).clip
    first, stop = calibration_frames(clip) if edits.drop_calibration else 0, len(clip)
    if edits.start_s is not None or edits.end_s is not None:
        start = 0.0 if edits.start_s is None else edits.start_s
        end = (stop - 1 - first) / clip.fps if edits.end_s is None else edits.end_s
        if end < start:
            raise InvalidValueError(f"the part to keep ends at {end:g} s, before {start:g} s")
        low, high = frames_between(clip.frames(first, stop), start, end)
        first, stop = first + low, first + high
    take = cut(take, first, stop)
    clip = take.clip
    if edits.mirrored:
        rig = report_of(take).rig
        symmetric = None if rig.missing else rig.canonical_pose[0]
        clip = mirror(clip, rig.mirror_permutation(), symmetric)
        take = replace(take, tiers=mirrored_tiers(take.tiers), documents=_timeless(take.documents))
    if edits.fps is not None:
        clip = resample(clip, edits.fps)
    if clip is take.clip:
        return take
    return replace(take, clip=clip, origin=layout_only(take.origin))


def convert(
    source: str | PathLike[str],
    output: str | PathLike[str],
    edits: Edits | None = None,
    **options: Any,
) -> Take:
    """Convert a motion file to the format of the output's suffix, with edits; return the result.

    Parameters
    ----------
    edits : none by default: BVH to BVH keeps every number.
    **options : of the reader, see `load`.

    Examples
    --------
    >>> import kinesphere as ks
    >>> ks.idle(1.0).save("idle.bvh")
    >>> ks.convert("idle.bvh", "cut.glb", ks.Edits(start_s=0.2, end_s=0.7)).clip.duration_s
    0.5
    """
    check_output(output)
    take = load(source, **options)
    result = take if edits is None else edit(take, edits)
    save(result, output)
    return result


def take_of(motion: object) -> Take:
    """A take, or a clip as one.

    Raises
    ------
    InvalidValueError
        For anything else, such as the name of a file.
    """
    if isinstance(motion, Clip):
        return Take(motion)
    if not isinstance(motion, Take):
        kind = type(motion).__name__
        raise InvalidValueError(f"the motion is of type {kind}, expected a Take (load reads files)")
    return motion


def cut_calibration(motion: Take | Clip) -> Take:
    """Remove leading calibration poses of a take, as everything that alters motion does."""
    take = take_of(motion)
    skip = calibration_frames(take.clip)
    if skip == 0:
        return take
    said = calibration_note(skip)
    notes = [*(note for note in take.notes if note != said), f"{said}; removed"]
    take = cut(take, skip, len(take.clip))
    return replace(take, provenance={**take.provenance, "notes": notes})


def cut(take: Take, first: int, stop: int) -> Take:
    """Keep frames ``first`` to ``stop - 1``, with audio, annotations and curves of that time."""
    clip = take.clip
    if (first, stop) == (0, len(clip)):
        return take
    start, end = first / clip.fps, (stop - 1) / clip.fps
    audio = take.audio
    if audio is not None:
        low, high = (round(t * audio.rate_hz) for t in (start, stop / clip.fps))
        audio = Audio(audio.samples[low:high], audio.rate_hz)
    origin = take.origin
    if isinstance(origin, BvhOrigin):
        kept = replace(origin.document, values=origin.document.values[first:stop])
        origin = replace(origin, document=kept)
    tiers = tuple(tier.between(start, end) for tier in take.tiers)
    documents = _timeless(take.documents)
    if "curves" in documents:
        documents["curves"] = {
            name: [[t - start, v] for t, v in curve if start <= t <= end]
            for name, curve in documents["curves"].items()
        }
    return replace(
        take,
        clip=clip.frames(first, stop),
        audio=audio,
        tiers=tiers,
        documents=documents,
        origin=origin,
    )


def mirrored_tiers(tiers: Sequence[Tier]) -> tuple[Tier, ...]:
    """Annotations of a mirrored take: phases of the other arm, gestures of the other hand."""
    names = {"phases left": "phases right", "phases right": "phases left"}
    hands = {"RH": "LH", "LH": "RH"}
    out = []
    for tier in tiers:
        rows = tier.intervals
        if tier.name == "gestures":
            rows = tuple(
                replace(i, label=" ".join(hands.get(word, word) for word in i.label.split(" ")))
                for i in rows
            )
        out.append(Tier(names.get(tier.name, tier.name), rows))
    return tuple(out)


def _timeless(documents: Mapping[str, Any]) -> dict[str, Any]:
    """Documents except those with times or hands of events."""
    return {name: value for name, value in documents.items() if name not in ("script", "keyed")}


def layout_only(origin: object | None) -> object | None:
    """Provenance without per-frame numbers, which no longer fit the frames."""
    if isinstance(origin, BvhOrigin):
        empty = replace(origin.document, values=origin.document.values[:0])
        return replace(origin, document=empty)
    return origin
