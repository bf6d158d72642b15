"""The tree of joints that a clip moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats, Ints, blocks, frozen_floats, frozen_lengths, read_only
from kinesphere.maths.quaternion import identity


@dataclass(frozen=True)
class Tip:
    """An end point without a joint of its own: a fingertip, the top of the head."""

    joint: int
    offset: tuple[float, float, float]

    def __post_init__(self) -> None:
        offset = frozen_floats(self.offset, "offset of a tip", (3,))
        object.__setattr__(self, "offset", tuple(float(value) for value in offset))


@dataclass(frozen=True, eq=False)
class Skeleton:
    """Joints as names, parents and a rest pose.

    The root's offset is its rest position in the world.

    Parameters
    ----------
    names : one per joint, unique, not empty.
    parents : index of each joint's parent, ``parents[0] == -1`` and ``parents[i] < i``.
    offsets : ``[joints, 3]`` position in the parent's frame at rest, metres.
    rest_rotations : ``[joints, 4]`` rotation in the parent's frame at rest; identity by default.
    tips : end points that move with a joint.

    Examples
    --------
    >>> import kinesphere as ks
    >>> arm = ks.Skeleton(("shoulder", "elbow"), [-1, 0], [[0.0, 1.4, 0.0], [0.3, 0.0, 0.0]])
    >>> len(arm), arm.index("elbow"), arm.rest_rotations[1]
    (2, 1, array([1., 0., 0., 0.]))
    """

    names: tuple[str, ...]
    parents: Ints
    offsets: Floats
    rest_rotations: Floats = field(default=None)  # type: ignore[arg-type]
    tips: tuple[Tip, ...] = ()

    def __post_init__(self) -> None:
        names = tuple(self.names)
        count = len(names)
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "parents", _check_parents(self.parents, names))
        object.__setattr__(self, "offsets", frozen_lengths(self.offsets, "offsets", (count, 3)))
        rest = identity((count,)) if self.rest_rotations is None else self.rest_rotations
        object.__setattr__(
            self, "rest_rotations", unit_quaternions(rest, "rest_rotations", (count, 4))
        )
        object.__setattr__(self, "tips", tuple(self.tips))
        for tip in self.tips:
            if not 0 <= tip.joint < count:
                raise InvalidValueError(f"a tip belongs to joint {tip.joint}, there are {count}")

    def __len__(self) -> int:
        return len(self.names)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Skeleton):
            return NotImplemented
        return self is other or (
            self.same_joints(other)
            and np.array_equal(self.offsets, other.offsets)
            and np.array_equal(self.rest_rotations, other.rest_rotations)
            and self.tips == other.tips
        )

    __hash__ = None  # type: ignore[assignment]

    def same_joints(self, other: Skeleton) -> bool:
        """Whether names and parents agree, so that rotations apply to both."""
        return self.names == other.names and np.array_equal(self.parents, other.parents)

    @cached_property
    def _index(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    def index(self, name: str) -> int:
        """Index of a joint.

        Raises
        ------
        InvalidValueError
            If there is none of that name; the nearest names are listed.
        """
        try:
            return self._index[name]
        except KeyError:
            near = get_close_matches(name, self.names, 3, 0.3) or list(self.names[:8])
            raise InvalidValueError(
                f"no joint is called {name!r}; nearest: {', '.join(near)}"
            ) from None

    def __contains__(self, name: object) -> bool:
        return name in self._index

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Indices of each joint's children."""
        lists: list[list[int]] = [[] for _ in self.names]
        for joint, parent in enumerate(self.parents):
            if parent >= 0:
                lists[parent].append(joint)
        return tuple(tuple(c) for c in lists)

    def ancestors(self, joint: int) -> list[int]:
        """The joint itself, its parent, and so on up to the root."""
        chain = []
        while joint >= 0:
            chain.append(joint)
            joint = int(self.parents[joint])
        return chain

    def path(self, above: int, below: int) -> list[int]:
        """Joints from `above` down to `below`, both included; empty if not in one line."""
        chain = self.ancestors(below)
        return chain[: chain.index(above) + 1][::-1] if above in chain else []

    @cached_property
    def _rest(self) -> tuple[Floats, Floats]:
        from kinesphere.motion.kinematics import forward_kinematics_plain

        rotations, positions = forward_kinematics_plain(self, self.rest_rotations, self.offsets[0])
        return read_only(rotations), read_only(positions)

    @property
    def rest_world_rotations(self) -> Floats:
        """World rotations ``[joints, 4]`` in the rest pose."""
        return self._rest[0]

    @property
    def rest_world_positions(self) -> Floats:
        """World positions ``[joints, 3]`` in the rest pose."""
        return self._rest[1]

    def subtree(self, joint: int) -> list[int]:
        """The joint and all below it, ascending."""
        inside = {joint}
        for i in range(joint + 1, len(self)):
            if int(self.parents[i]) in inside:
                inside.add(i)
        return sorted(inside)

    def scale(self, factor: float) -> Skeleton:
        """The skeleton scaled by a factor."""
        tips = tuple(Tip(t.joint, tuple(factor * x for x in t.offset)) for t in self.tips)  # type: ignore[arg-type]
        return Skeleton(self.names, self.parents, self.offsets * factor, self.rest_rotations, tips)


def _check_parents(parents: ArrayLike, names: Sequence[str]) -> Ints:
    array = np.array(parents, dtype=np.int64)
    if not names:
        raise InvalidValueError("a skeleton needs at least one joint")
    if array.shape != (len(names),):
        raise InvalidValueError(f"{len(names)} joint names but {array.size} parents")
    if len(set(names)) != len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise InvalidValueError(f"two joints are called {twice!r}; names must be unique")
    if any(not name for name in names):
        raise InvalidValueError("a joint has no name")
    if array[0] != -1:
        raise InvalidValueError("the first joint must be the root, with parent -1")
    bad = [i for i in range(1, len(names)) if not 0 <= array[i] < i]
    if bad:
        raise InvalidValueError(
            f"joint {names[bad[0]]!r} has parent {array[bad[0]]}; a parent must come before its "
            "child, and only the first joint is a root"
        )
    return read_only(array)  # type: ignore[no-any-return]


def unit_quaternions(values: ArrayLike, name: str, shape: tuple[int | None, ...]) -> Floats:
    """Check for unit length to 1e-6 and return a read-only float64 array."""
    array = frozen_floats(values, name, shape)
    worst = 0.0
    for _, block in blocks(array):
        length = np.einsum("...i,...i->...", block, block)
        worst = max(worst, float(np.max(np.abs(length - 1.0), initial=0.0)))
    if worst > 2e-6:
        raise InvalidValueError(
            f"{name} must be unit quaternions wxyz; a length is off by {worst / 2:.2g}"
        )
    return array
