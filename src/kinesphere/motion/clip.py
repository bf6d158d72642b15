"""Motion sampled at a constant rate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats, frozen_floats, frozen_lengths, read_only
from kinesphere.motion.skeleton import Skeleton, unit_quaternions

_NO_CHANNELS: Mapping[str, Floats] = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class Clip:
    """A skeleton in motion.

    All arrays are read-only; use `dataclasses.replace` for a changed copy.

    Parameters
    ----------
    skeleton : the joints.
    fps : frames per second, > 0.
    root_positions : ``[frames, 3]`` world position of the root, metres.
    rotations : ``[frames, joints, 4]`` rotation of each joint in its parent's frame (rest
        rotation included: these replace `Skeleton.rest_rotations`, they do not add to them).
    translated_joints : joints other than the root whose offset changes over time.
    translations : ``[frames, len(translated_joints), 3]`` their positions in the parent's frame,
        in place of the skeleton's offsets.
    channels : named curves ``[frames]``: face shapes and others.

    Examples
    --------
    >>> import kinesphere as ks
    >>> clip = ks.idle(2.0, fps=30.0).clip
    >>> len(clip), clip.duration_s, clip.rotations.shape
    (61, 2.0, (61, 55, 4))
    >>> float(clip.joint_positions("head")[0, 1].round(1))  # height in the world, metres
    1.5
    """

    skeleton: Skeleton
    fps: float
    root_positions: Floats
    rotations: Floats
    translated_joints: tuple[int, ...] = ()
    translations: Floats = field(default=None)  # type: ignore[arg-type]
    channels: Mapping[str, Floats] = field(default_factory=lambda: _NO_CHANNELS)

    def __post_init__(self) -> None:
        turns = unit_quaternions(self.rotations, "rotations", (None, len(self.skeleton), 4))
        object.__setattr__(self, "rotations", turns)
        self._check_others(len(turns))

    def _check_others(self, frames: int) -> None:
        """Check and freeze everything except the rotations."""
        joints = len(self.skeleton)
        if not (np.isfinite(self.fps) and self.fps > 0.0):
            raise InvalidValueError(f"fps is {self.fps}, allowed is a positive number")

        def put(name: str, value: object) -> None:
            object.__setattr__(self, name, value)

        put("fps", float(self.fps))
        if frames == 0:
            raise InvalidValueError("a clip needs at least one frame")
        put("root_positions", frozen_lengths(self.root_positions, "root_positions", (frames, 3)))
        moved = tuple(int(j) for j in self.translated_joints)
        if any(not 0 < j < joints for j in moved) or len(set(moved)) != len(moved):
            raise InvalidValueError(
                f"translated_joints are {moved}; allowed: different joints from 1 to {joints - 1}"
            )
        put("translated_joints", moved)
        values = np.zeros((frames, 0, 3)) if self.translations is None else self.translations
        put("translations", frozen_lengths(values, "translations", (frames, len(moved), 3)))
        put("channels", _check_channels(self.channels, frames))

    def __len__(self) -> int:
        return len(self.root_positions)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Clip):
            return NotImplemented
        return (
            self.skeleton == other.skeleton
            and self.fps == other.fps
            and np.array_equal(self.root_positions, other.root_positions)
            and np.array_equal(self.rotations, other.rotations)
            and self.translated_joints == other.translated_joints
            and np.array_equal(self.translations, other.translations)
            and self.channels.keys() == other.channels.keys()
            and all(np.array_equal(v, other.channels[k]) for k, v in self.channels.items())
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def duration_s(self) -> float:
        """Time from the first frame to the last."""
        return (len(self) - 1) / self.fps

    @property
    def times(self) -> Floats:
        """Time of every frame in seconds, the first at 0."""
        return np.arange(len(self)) / self.fps

    @property
    def local_translations(self) -> Floats:
        """Position of every joint in its parent's frame, ``[frames, joints, 3]``."""
        out = np.broadcast_to(self.skeleton.offsets, (len(self), len(self.skeleton), 3)).copy()
        out[:, list(self.translated_joints)] = self.translations
        out[:, 0] = self.root_positions
        return out

    @cached_property
    def _world(self) -> tuple[Floats, Floats]:
        from kinesphere.motion.kinematics import forward_kinematics

        moving = self.local_translations if self.translated_joints else None
        rotations, positions = forward_kinematics(
            self.skeleton, self.rotations, self.root_positions, moving
        )
        return read_only(rotations), read_only(positions)

    @property
    def world_rotations(self) -> Floats:
        """World rotations ``[frames, joints, 4]`` (computed once)."""
        return self._world[0]

    @property
    def world_positions(self) -> Floats:
        """World positions ``[frames, joints, 3]`` (computed once)."""
        return self._world[1]

    def joint_positions(self, name: str) -> Floats:
        """World positions ``[frames, 3]`` of one joint."""
        return self.world_positions[:, self.skeleton.index(name)]

    def frames(self, start: int, stop: int) -> Clip:
        """Return frames ``start`` to ``stop - 1``; at least one."""
        if not 0 <= start < stop <= len(self):
            raise InvalidValueError(
                f"frames {start} to {stop} of a clip of {len(self)} requested; allowed is "
                f"0 <= start < stop <= {len(self)}"
            )
        return self.select_frames(slice(start, stop))

    def blocks(self, size: int = 3600) -> Iterator[Clip]:
        """Blocks of frames in order, to process a clip with little memory."""
        for start in range(0, len(self), size):
            yield self.frames(start, min(start + size, len(self)))

    def with_channels(self, channels: Mapping[str, Floats]) -> Clip:
        """Return the same motion with other channels."""
        return replace(self, channels=channels)

    def select_frames(self, which: Any) -> Clip:
        """Frames selected by an index array or slice, in that order."""
        return replace(
            self,
            root_positions=self.root_positions[which],
            rotations=self.rotations[which],
            translations=self.translations[which],
            channels={name: values[which] for name, values in self.channels.items()},
        )


def _check_channels(channels: Mapping[str, Any], frames: int) -> Mapping[str, Floats]:
    checked = {}
    for name, values in channels.items():
        if not isinstance(name, str) or not name:
            raise InvalidValueError(f"a channel is called {name!r}; a name is a non-empty text")
        checked[name] = frozen_floats(values, f"channel {name!r}", (frames,))
    return MappingProxyType(checked)


def rest_clip(skeleton: Skeleton, frames: int = 1, fps: float = 30.0) -> Clip:
    """A clip that stands still in the rest pose."""
    return Clip(
        skeleton,
        fps,
        np.broadcast_to(skeleton.offsets[0], (frames, 3)),
        np.broadcast_to(skeleton.rest_rotations, (frames, len(skeleton), 4)),
    )
