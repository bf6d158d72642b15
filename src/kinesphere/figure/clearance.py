"""Clearance of the hands: out of the body and out of each other, frame by frame.

A step finds for every hand the smallest correction of its wrist that frees it, beginning with that
of the previous frame (`hand_clearing_kernels.clear_hands`). What happens to it depends on what is
known of the future (`ClearanceSettings`):

- live motion (`LIVE`) knows nothing: the correction counts on where the hand goes at its present
  velocity, and the shown one follows it like a damped spring;
- a whole take (`TAKE`) knows all frames: the corrections are spread over the frames before and
  after, so that a hand begins to go around an obstacle before it would meet it.

A take is the loop of the live frames, in blocks that do not matter to the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from kinesphere.character.default import default_rig
from kinesphere.errors import InvalidValueError
from kinesphere.figure.arms.arm_table import arms, joint_numbers
from kinesphere.figure.arms.corrections import (
    ease_forward,
    past_shoulder,
    smooth_corrections,
    within_arm,
)
from kinesphere.figure.arms.hand_spheres import coarse_spheres, hand_points_table, mesh_spheres
from kinesphere.maths.arrays import Bools, Floats, Ints, read_only
from kinesphere.motion.body.body_volume import CORE, BodyVolume, body_volume
from kinesphere.motion.contacts import runs

_GONE_M = 1e-5  # smaller corrections change nothing that has to be checked again
PUSH = 17
"""Values kept of a hand's clearance from frame to frame, NaN if there was no previous frame."""


@dataclass(frozen=True)
class ClearanceSettings:
    """How corrections are found and shown; the loop reads the first fields in this order.

    Parameters
    ----------
    soft_m : distance from the allowed one at which a correction begins, so that it has no corner.
    slack_m : smallest lack that is corrected, below what can be seen.
    margin_m : added to a correction, so that smoothing it does not bring the lack back; hands that
        lack less than this from each other are left.
    forward : how much a hand prefers the way to the front (or the back) of the body.
    forgets_per_s : rate at which the direction out of the body is forgotten.
    rounds : of the iteration in a frame, enough for both hands and all parts of the body.
    follows : whether the correction that is shown follows the needed one like a spring.
    carried : whether the hand follows its forearm; else it keeps its orientation.
    palms : factor on the lack of hands that move apart along the line between their palms, which is
        seldom the shortest way; 0 moves them along the line between their nearest spheres.
    aside : how much they prefer the way to their own sides then.
    fine : whether hands are measured by the many spheres of the mesh; few are enough live.
    passes : over a take; what smoothing takes away is added again. 1 for no smoothing.
    sure : ratio of contradicting directions below which a smoothed correction is reduced.
    nearest_m : of a wrist to its shoulder: the elbow cannot bend farther; the path bends forward.
    reach : ratios of the arm's length up to which, and to which at most, a correction extends it: a
        straight arm's elbow snaps.
    gap_s : stretches that are checked again are one if they are no farther apart than this.
    """

    soft_m: float = 0.005
    slack_m: float = 0.0002
    margin_m: float = 0.0
    forward: float = 0.5
    forgets_per_s: float = 8.0
    rounds: int = 10
    follows: bool = True
    carried: bool = False
    palms: float = 0.0
    aside: float = 0.3
    fine: bool = False
    passes: int = 1
    sure: float = 0.35
    nearest_m: float = 0.17
    reach: tuple[float, float] = (0.9, 0.985)
    gap_s: float = 1.5

    @property
    def row(self) -> Floats:
        """The numbers for the compiled loop."""
        return _row(self)


@cache
def _row(settings: ClearanceSettings) -> Floats:
    row: Floats = read_only(np.array(astuple(settings)[:10], dtype=np.float64))
    return row


LIVE = ClearanceSettings()
"""Of live motion."""
TOUCHED = ClearanceSettings(soft_m=0.0)
"""Of live motion that may come as near as it likes: only penetration is corrected."""
TAKE = ClearanceSettings(
    soft_m=0.0,
    slack_m=0.0015,
    margin_m=0.002,
    forward=0.0,
    forgets_per_s=60.0,
    follows=False,
    carried=True,
    palms=1.4,
    fine=True,
    passes=8,
)
"""Of a whole take."""

SKIN_M, AIR_M, HELD_AIR_M = 0.008, -0.004, -0.035
"""Live distances: of the points in the middle of a hand from the skin (half its thickness), and
between the spheres of two hands, which may touch, or hold each other with interlaced fingers."""


class Allowances(NamedTuple):
    """How near hands may come in each frame, and where they will be.

    Parameters
    ----------
    skin : ``[rows, 2]`` least distance of a hand's points from the skin, metres; less for a gesture
        that touches the body.
    air : ``[rows]`` least gap between the hands, metres; negative for hands that hold each other.
    ahead : ``[rows, 2, 3]`` displacement of each wrist over the next 0.1 s or so, in the chest's
        axes; NaN where it is unknown and is predicted from the velocity.
    """

    skin: Floats
    air: Floats
    ahead: Floats

    def rows(self, rows: slice) -> Allowances:
        """Those of some frames."""
        return Allowances(*(np.ascontiguousarray(part[rows]) for part in self))


def live_allowances(rows: int) -> Allowances:
    """Allowances of frames of which nothing is known but the present."""
    return Allowances(
        np.full((rows, 2), SKIN_M), np.full(rows, AIR_M), np.full((rows, 2, 3), np.nan)
    )


def held_allowances(held: Floats) -> Allowances:
    """Live allowances of hands that hold each other to some extent ``[rows]``, 0 to 1."""
    return live_allowances(len(held))._replace(air=AIR_M + held * (HELD_AIR_M - AIR_M))


class Posed(NamedTuple):
    """Characters' poses: local rotations, root positions, and world rotations.

    Shapes are ``[rows, joints, 4]`` and ``[rows, 3]``.
    """

    rotations: Floats
    root_positions: Floats
    world: Floats


def clearance_state(characters: int) -> Floats:
    """State ``[characters, 2, PUSH]`` of hands that were outside the body in the previous frame."""
    out = np.zeros((characters, 2, PUSH))
    out[..., 9:] = np.nan
    return out


def clear(
    posed: Posed,
    wrists: Floats,
    swivels: Floats,
    pushes: Floats | None = None,
    dt: float = 1.0,
    settings: ClearanceSettings = LIVE,
    allowed: Allowances | None = None,
) -> None:
    """Move hands of the default figure out of the body and of each other, in place.

    Parameters
    ----------
    posed : ``rows`` figures.
    wrists, swivels : ``[rows, 2, 3]`` from the shoulders in the chest's axes, and ``[rows, 2]``.
    pushes : ``[characters, 2, PUSH]`` state after the previous frame of characters whose
        consecutive frames are in the rows; overwritten. None for single poses, whose hands are not
        separated from each other.
    dt : seconds from frame to frame.
    settings, allowed : how, and how near hands may come; by default as of live motion.
    """
    from kinesphere.figure.arms.hand_clearing_kernels import clear_hands

    held = np.zeros((len(wrists), 2, PUSH)) if pushes is None else pushes
    rig, volume = default_rig(), _volume()
    spheres = mesh_spheres() if settings.fine else coarse_spheres()
    clear_hands(
        posed.root_positions,
        wrists,
        swivels,
        rig.skeleton.parents,
        rig.skeleton.offsets,
        *arms(),
        joint_numbers(),
        *hand_points_table(),
        spheres.joints,
        spheres.offsets,
        spheres.radii,
        volume.joints,
        volume.offsets,
        volume.halves,
        volume.radii,
        _core(),
        rig.joint("upperChest"),
        *(live_allowances(len(wrists)) if allowed is None else allowed),
        settings.row,
        0.0 if pushes is None else dt,
        held,
        posed.rotations,
        posed.world,
    )


@cache
def _volume() -> BodyVolume:
    return body_volume(default_rig())


@cache
def _core() -> Ints:
    pieces: Ints = read_only(np.ascontiguousarray(_volume().pieces_of(CORE)))
    return pieces


def clear_take(
    pose: Callable[[slice, Floats], Posed],
    wrists: Floats,
    swivels: Floats,
    fps: float,
    allowed: Allowances,
    settings: ClearanceSettings = TAKE,
    block: int = 3600,
) -> Floats:
    """Wrists ``[frames, 2, 3]`` of a take with which hands are free, from the shoulders.

    Parameters
    ----------
    pose : function that poses some frames with given wrists ``[rows, 2, 3]``.
    wrists, swivels : as for `clear`, of all frames.
    fps : frames per second.
    allowed : how near the hands may come.
    settings : how corrections are found; those of `LIVE` give the frames of live motion.
    block : frames that are posed at once, which limits the memory; of no effect on the result.

    Raises
    ------
    InvalidValueError
        If arrays differ in their number of frames, or for a block without frames.
    """
    frames = len(wrists)
    if any(len(part) != frames for part in (swivels, *allowed)):
        found = ", ".join(str(len(part)) for part in (wrists, swivels, *allowed))
        raise InvalidValueError(f"wrists, swivels and allowances have {found} frames, not the same")
    if block < 1:
        raise InvalidValueError(f"a block has {block} frames, allowed is 1 or more")
    out, dirty = wrists.copy(), np.ones(frames, dtype=bool)
    reaches = np.linalg.norm(wrists, axis=-1)
    for _ in range(settings.passes):
        needed = np.zeros_like(out)
        for first, last in _stretches(dirty, round(settings.gap_s * fps)):
            state = clearance_state(1)
            for start in range(first, last, block):
                rows = slice(start, min(start + block, last))
                moved = out[rows].copy()
                clear(
                    pose(rows, out[rows]),
                    moved,
                    np.ascontiguousarray(swivels[rows]),
                    state,
                    1.0 / fps,
                    settings,
                    allowed.rows(rows),
                )
                needed[rows] = moved - out[rows]
        if settings.follows:
            return out + needed
        if not needed.any():
            break
        dirty = _spread(out, needed, reaches, fps, settings)
    return out


def _stretches(dirty: Bools, gap: int) -> Iterator[tuple[int, int]]:
    """First and last frame of stretches to check; those `gap` frames apart or less are one."""
    last: tuple[int, int] | None = None
    for a, b in runs(dirty):
        if last is not None and a - last[1] <= gap:
            last = (last[0], int(b))
            continue
        if last is not None:
            yield last
        last = (int(a), int(b))
    if last is not None:
        yield last


def _spread(
    wrists: Floats, needed: Floats, reaches: Floats, fps: float, settings: ClearanceSettings
) -> Bools:
    """Add smoothed corrections to the wrists, in place; return the frames that changed.

    `reaches` ``[f, 2]`` are the distances of the wrists from their shoulders before any correction.
    """
    changed = np.zeros(len(wrists), dtype=bool)
    for h in range(2):
        if not needed[:, h].any():
            continue
        smooth = smooth_corrections(needed[:, h], fps, settings.sure)
        free, most = np.array(settings.reach) * arms().lengths[h].sum()
        moved = within_arm(wrists[:, h] + smooth, np.maximum(free, reaches[:, h]), most)
        ahead = ease_forward(past_shoulder(moved, settings.nearest_m), fps)
        moved[:, 2] += ahead
        wrists[:, h] = moved
        changed |= np.any(np.abs(smooth) > _GONE_M, axis=1) | (ahead > _GONE_M)
    return changed
