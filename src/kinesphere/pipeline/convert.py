"""Any motion file to any other, with the edits that go along."""

from __future__ import annotations

from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

from kinesphere.character.naming import identify
from kinesphere.errors import InvalidValueError
from kinesphere.formats.registry import read_take
from kinesphere.motion.calibration import calibration_frames
from kinesphere.motion.clip import Clip
from kinesphere.motion.editing import between
from kinesphere.motion.mirroring import mirror
from kinesphere.motion.resampling import resample
from kinesphere.motion.take import Take
from kinesphere.timeline import Tier


@dataclass(frozen=True)
class Edits:
    """What to change on the way: all off by default, so that nothing is lost.

    Parameters
    ----------
    start_s, end_s : stretch to keep, in the input's time.
    fps : new frame rate.
    mirrored : exchange left and right.
    drop_calibration : leave out a leading calibration pose.
    """

    start_s: float | None = None
    end_s: float | None = None
    fps: float | None = None
    mirrored: bool = False
    drop_calibration: bool = False


def load(path: str | PathLike[str], **options: Any) -> Take:
    """Read motion from a file; its ending names the format.

    Options depend on the format: ``unit``, ``up`` and ``partial`` for BVH; ``unit``, ``animation``
    and ``fps`` for glTF; ``skeleton`` for SmartBody motions.
    """
    return read_take(path, **options)


def edit(take: Take, edits: Edits) -> Take:
    """Apply edits: calibration pose off, cut, mirror, new rate, in this order."""
    clip, tiers = take.clip, take.tiers
    if edits.drop_calibration and calibration_frames(clip):
        clip, tiers = _cut(clip, tiers, calibration_frames(clip) / clip.fps, clip.duration_s)
    if edits.start_s is not None or edits.end_s is not None:
        start = 0.0 if edits.start_s is None else edits.start_s
        end = clip.duration_s if edits.end_s is None else edits.end_s
        if end < start:
            raise InvalidValueError(f"the stretch to keep ends at {end:g} s, before {start:g} s")
        clip, tiers = _cut(clip, tiers, start, end)
    if edits.mirrored:
        clip = mirror(clip, identify(clip.skeleton, clip.rotations).rig.mirror_permutation())
    if edits.fps is not None:
        clip = resample(clip, edits.fps)
    same_frames = len(clip) == len(take.clip) and clip.fps == take.clip.fps and not edits.mirrored
    return replace(
        take, clip=clip, tiers=tiers, origin=take.origin if same_frames else _layout_only(take)
    )


def _cut(
    clip: Clip, tiers: tuple[Tier, ...], start: float, end: float
) -> tuple[Clip, tuple[Tier, ...]]:
    return between(clip, start, end), tuple(tier.between(start, end) for tier in tiers)


def _layout_only(take: Take) -> object | None:
    """Origin without its numbers, which no longer belong to the frames."""
    from kinesphere.formats.bvh_motion import BvhOrigin

    origin = take.origin
    if isinstance(origin, BvhOrigin):
        empty = replace(origin.document, values=origin.document.values[:0])
        return replace(origin, document=empty)
    return origin
