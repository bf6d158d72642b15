"""Weight, feet, pelvis and spine of standing bodies: the loop, its state and its targets.

``step`` moves any number of characters by some frames; a whole take is one step. The targets of a
frame are what scripts, models or listeners want of the body; everything else it does by habit
(`stance`) and as measured on people (`body_settings`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from types import ModuleType
from typing import NamedTuple

import numpy as np

from kinesphere.figure.standing.body_layout import (
    BANDS_HZ,
    COLLAR,
    COLUMNS,
    FEET,
    FOOT,
    HEAD_YAW,
    HIPS,
    LEFT,
    LISTENS,
    LOOK,
    MEMORY,
    NOD_TURN,
    OFFSET,
    OWN,
    PELVIS,
    PELVIS_TURN,
    POSE,
    RIGHT,
    SPEAKS,
    SPINE,
    SPINE_TURN,
    TARGETS,
    WAVES,
    WITH_HEAD,
)
from kinesphere.figure.standing.body_settings import BodySettings, settings_row
from kinesphere.figure.standing.legs import leg_table
from kinesphere.figure.standing.stance import Stance
from kinesphere.maths.arrays import Floats, Ints, read_only


class BodyTargets(NamedTuple):
    """What is wanted of bodies, ``[characters, frames, ...]``; None is nothing.

    Parameters
    ----------
    speaks, listens : ``[...]`` how much they speak, and how much they listen, 0 to 1.
    wrists : ``[..., 2, 3]`` left and right wrist in the chest frame, metres.
    pelvis, spine : ``[..., 3]`` rotation vectors to add: turns, postures.
    head_yaw : ``[...]`` of the head in the world, which chest and pelvis follow.
    with_head : ``[...]`` ratio of it that the chest follows; the stance's by default.
    offset : ``[..., 3]`` of the hips from over the ankles, from another source, metres.
    own : ``[...]`` how much of the engine's own weight shifts there is, 1 by default.
    looks : ``[..., 2]`` yaw and pitch of looks that a listener's head takes part in, radians.
    """

    speaks: Floats | None = None
    listens: Floats | None = None
    wrists: Floats | None = None
    pelvis: Floats | None = None
    spine: Floats | None = None
    head_yaw: Floats | None = None
    with_head: Floats | None = None
    offset: Floats | None = None
    own: Floats | None = None
    looks: Floats | None = None


class BodyPoses(NamedTuple):
    """Bodies ``[characters, frames, ...]``.

    Parameters
    ----------
    hips : ``[..., 3]`` position in the world, metres.
    pelvis, spine : ``[..., 3]`` rotation vectors; that of the spine is shared by its bones.
    feet : ``[..., 2, 6]``, see `legs.leg_rotations`.
    collar_rise : ``[...]`` of both collar bones by breathing, radians.
    nods : ``[..., 3]`` pitch, yaw and roll of a listener's head.
    """

    hips: Floats
    pelvis: Floats
    spine: Floats
    feet: Floats
    collar_rise: Floats
    nods: Floats


class BodyState(NamedTuple):
    """State of standing bodies; made by `start`, never changed.

    Parameters
    ----------
    fps : of the frames.
    frames : how many were made.
    seeds : ``[characters]``.
    stances : of the characters.
    memory : ``[characters, numbers]``; the compiled loop defines the order.
    mirrored : whether left and right are exchanged, in what is asked and in what is done.
    """

    fps: float
    frames: int
    seeds: Ints
    stances: tuple[Stance, ...]
    settings: BodySettings
    memory: Floats
    mirrored: bool = False


def start(
    fps: float,
    seeds: Sequence[int],
    stances: Sequence[Stance],
    settings: BodySettings | None = None,
    *,
    mirrored: bool = False,
) -> BodyState:
    """State before the first frame."""
    chosen = np.array(seeds, dtype=np.int64)
    memory: Floats = read_only(np.zeros((len(chosen), MEMORY)))
    return BodyState(
        float(fps),
        0,
        read_only(chosen),
        tuple(stances),
        settings or BodySettings(),
        memory,
        mirrored,
    )


def step(state: BodyState, targets: BodyTargets, frames: int) -> tuple[BodyState, BodyPoses]:
    """Bodies of the next frames; division into steps does not matter."""
    moved, poses = step_poses(state, _fill_targets(state, targets, frames))
    return moved, _split(poses)


def step_poses(state: BodyState, targets: Floats) -> tuple[BodyState, Floats]:
    """The same with arrays in the order of `body_layout`.

    ``targets [characters, frames, TARGETS]`` give poses ``[characters, frames, POSE]``.
    """
    frames = targets.shape[1]
    poses = np.zeros((*targets.shape[:2], POSE))
    if not frames:
        return state, poses
    memory = state.memory.copy()
    if state.mirrored:
        targets = np.ascontiguousarray(targets[..., _TARGETS_SWAPPED] * _TARGETS_SIGNS)
    waves, breath = _waves(state.seeds.tobytes())
    _kernels().move_bodies(
        np.arange(state.frames, state.frames + frames) / state.fps,
        1.0 / state.fps,
        targets,
        state.seeds,
        _stance_rows(state.stances),
        settings_row(state.settings),
        leg_table().row,
        waves,
        breath,
        memory,
        poses,
    )
    if state.mirrored:
        poses = poses[..., _POSE_SWAPPED] * _POSE_SIGNS
    frozen: Floats = read_only(memory)
    return state._replace(frames=state.frames + frames, memory=frozen), poses


@lru_cache(maxsize=64)
def _stance_rows(stances: tuple[Stance, ...]) -> Floats:
    rows: Floats = read_only(np.array([stance.row for stance in stances]))
    return rows


def _mirroring(
    count: int, pairs: tuple[tuple[int, int, int], ...], signed: tuple[int, ...]
) -> tuple[Ints, Floats]:
    """Order and signs of mirrored numbers: `pairs` of places and lengths change sides."""
    order, signs = np.arange(count), np.ones(count)
    for left, right, size in pairs:
        order[left : left + size] = np.arange(right, right + size)
        order[right : right + size] = np.arange(left, left + size)
    signs[list(signed)] = -1.0
    return read_only(order), read_only(signs)


_TARGETS_SWAPPED, _TARGETS_SIGNS = _mirroring(
    TARGETS,
    ((LEFT, RIGHT, 3),),
    (LEFT, RIGHT, PELVIS + 1, PELVIS + 2, SPINE + 1, SPINE + 2, HEAD_YAW, OFFSET, LOOK),
)
_POSE_SWAPPED, _POSE_SIGNS = _mirroring(
    POSE,
    ((FEET, FEET + FOOT, FOOT),),
    (
        *(HIPS, PELVIS_TURN + 1, PELVIS_TURN + 2, SPINE_TURN + 1, SPINE_TURN + 2),
        *(NOD_TURN + 1, NOD_TURN + 2),
        *(FEET, FEET + 3, FEET + FOOT, FEET + FOOT + 3),
    ),
)


def _fill_targets(state: BodyState, given: BodyTargets, frames: int) -> Floats:
    """Targets ``[characters, frames, TARGETS]`` as the loop reads them."""
    out = np.zeros((len(state.seeds), frames, TARGETS))
    out[..., SPEAKS] = 0.0 if given.speaks is None else given.speaks
    out[..., LISTENS] = 0.0 if given.listens is None else given.listens
    wrists = RESTING_WRISTS if given.wrists is None else given.wrists
    out[..., LEFT : LEFT + 3] = wrists[..., 0, :]
    out[..., RIGHT : RIGHT + 3] = wrists[..., 1, :]
    for at, values in ((PELVIS, given.pelvis), (SPINE, given.spine), (OFFSET, given.offset)):
        if values is not None:
            out[..., at : at + 3] = values
    out[..., HEAD_YAW] = 0.0 if given.head_yaw is None else given.head_yaw
    if given.with_head is None:
        out[..., WITH_HEAD] = np.array([[s.with_head] for s in state.stances])
    else:
        out[..., WITH_HEAD] = given.with_head
    out[..., OWN] = 1.0 if given.own is None else given.own
    if given.looks is not None:
        out[..., LOOK : LOOK + 2] = given.looks
    return out


RESTING_WRISTS = read_only(np.array([[0.235, -0.482, 0.13], [-0.235, -0.482, 0.13]]))
"""Wrists at home in the chest frame, metres."""


def _split(poses: Floats) -> BodyPoses:
    return BodyPoses(
        poses[..., HIPS : HIPS + 3],
        poses[..., PELVIS_TURN : PELVIS_TURN + 3],
        poses[..., SPINE_TURN : SPINE_TURN + 3],
        poses[..., FEET:].reshape(*poses.shape[:2], 2, FOOT),
        poses[..., COLLAR],
        poses[..., NOD_TURN : NOD_TURN + 3],
    )


@lru_cache(maxsize=64)
def _waves(seeds: bytes) -> tuple[Floats, Floats]:
    """Waves and breath of characters."""
    from kinesphere.figure.standing.wander_kernels import draw_waves

    chosen = np.frombuffer(seeds, dtype=np.int64)
    waves = np.empty((len(chosen), COLUMNS, WAVES, 2))
    breath = np.empty((len(chosen), 3))
    draw_waves(chosen, np.array(BANDS_HZ), waves, breath)
    return read_only(waves), read_only(breath)


@lru_cache(maxsize=1)
def _kernels() -> ModuleType:
    """The compiled loops, imported once when first needed; a stream calls this often."""
    from kinesphere.figure.standing import body_kernels

    return body_kernels
