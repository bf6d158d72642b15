"""Motion by keys: written by a script, changed by Effort and Shape, editable.

An arm goes from Goal to Goal, where it stops, through Vias, where it does not. Keys are local (from
the shoulder, in the chest's axes) or in the world (a contact). Each stretch between two Goals is
one `Movement` with its own path, timing and flourishes. The torso has its own key poses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Bools, Floats, frozen_floats, read_only
from kinesphere.motion.keyed.movement import Movement, movement_document, movement_of
from kinesphere.motion.keyed.tracks import DofTrack
from kinesphere.motion.skeleton import unit_quaternions

TORSO_PARTS = ("pelvis", "spine", "neck", "leftClavicle", "rightClavicle")


def _ascending(times: ArrayLike, name: str) -> Floats:
    t = frozen_floats(times, name, (None,))
    if len(t) == 0:
        raise InvalidValueError(f"{name}: there must be at least one key")
    late = np.flatnonzero(np.diff(t) <= 0.0)
    if len(late):
        i = int(late[0])
        raise InvalidValueError(
            f"{name}: key {i + 1} at {t[i + 1]:g} s is not after key {i} at {t[i]:g} s"
        )
    return t


@dataclass(frozen=True, eq=False)
class ArmKeys:
    """Keys of one arm.

    Parameters
    ----------
    times : ``[n]`` seconds, ascending. A Via's time sets the ratio of its movement's path at which
        it is passed.
    positions : ``[n, 3]`` of the wrist: from the shoulder in the chest's axes, or in the world.
    swivels : ``[n]`` of the elbow, radians; 0 by default.
    goals : ``[n]`` whether the hand stops there; all by default. First and last always do.
    in_world : ``[n]`` whether the position is fixed in the world; none by default.
    hands : ``[n, 4]`` rotation of the hand within the unrolled forearm, from the T-pose (palm down
        with the arm out); the forearm takes its part of the roll. Identity by default.
    movements : one for each stretch between neighbouring Goals; default ones if omitted.

    Examples
    --------
    >>> import kinesphere as ks
    >>> keys = ks.ArmKeys([0.3, 1.2, 1.9], [[-0.1, -0.4, 0.2], [0.0, 0.0, 0.4], [-0.1, -0.4, 0.2]])
    >>> len(keys), keys.goal_times
    (3, array([0.3, 1.2, 1.9]))
    """

    times: Floats
    positions: Floats
    swivels: Floats = field(default=None)  # type: ignore[arg-type]
    goals: Bools = field(default=None)  # type: ignore[arg-type]
    in_world: Bools = field(default=None)  # type: ignore[arg-type]
    hands: Floats = field(default=None)  # type: ignore[arg-type]
    movements: tuple[Movement, ...] = ()

    def __post_init__(self) -> None:
        def put(name: str, value: object) -> None:
            object.__setattr__(self, name, value)

        put("times", _ascending(self.times, "times"))
        n = len(self.times)
        put("positions", frozen_floats(self.positions, "positions", (n, 3)))
        swivels = np.zeros(n) if self.swivels is None else self.swivels
        put("swivels", frozen_floats(swivels, "swivels", (n,)))
        goals = np.ones(n, dtype=bool) if self.goals is None else np.array(self.goals, dtype=bool)
        world = np.zeros(n, bool) if self.in_world is None else np.array(self.in_world, dtype=bool)
        if goals.shape != (n,) or world.shape != (n,):
            raise InvalidValueError(f"goals and in_world must have one value for each of {n} keys")
        if not (goals[0] and goals[-1]):
            raise InvalidValueError("the first and the last key of an arm must be Goals")
        put("goals", read_only(goals))
        put("in_world", read_only(world))
        hands = quaternion.identity((n,)) if self.hands is None else self.hands
        put("hands", unit_quaternions(hands, "hands", (n, 4)))
        count = int(goals.sum()) - 1
        movements = tuple(self.movements) or (Movement(),) * count
        if len(movements) != count:
            raise InvalidValueError(f"{len(movements)} movements for {count} stretches of Goals")
        put("movements", movements)

    def __len__(self) -> int:
        return len(self.times)

    @property
    def goal_times(self) -> Floats:
        """Times of the Goals, ``[movements + 1]``."""
        return np.asarray(self.times[self.goals])


@dataclass(frozen=True, eq=False)
class TorsoKeys:
    """Key poses of the torso: rotation vectors ``[n, 3]`` per part, added to the posture below.

    Parts are pelvis, spine (distributed over the spine's joints), neck (over neck and head), and
    the clavicles; missing parts are not changed. Between keys they ease in and out.

    Examples
    --------
    >>> import kinesphere as ks
    >>> lean = ks.TorsoKeys([0.0, 1.0], {"spine": [[0.0, 0.0, 0.0], [0.2, 0.0, 0.0]]})  # radians
    >>> ks.KeyedMotion(torso=lean).duration_s
    1.0
    """

    times: Floats
    turns: Mapping[str, Floats]

    def __post_init__(self) -> None:
        object.__setattr__(self, "times", _ascending(self.times, "times"))
        unknown = [part for part in self.turns if part not in TORSO_PARTS]
        if unknown:
            raise InvalidValueError(
                f"{unknown[0]!r} is no part of the torso; allowed are {', '.join(TORSO_PARTS)}"
            )
        checked = {p: frozen_floats(v, p, (len(self.times), 3)) for p, v in self.turns.items()}
        object.__setattr__(self, "turns", MappingProxyType(checked))


@dataclass(frozen=True, eq=False)
class KeyTrack:
    """A named value over time: ``[n, d]`` at ascending times, cubic between, held outside."""

    times: Floats
    values: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "times", _ascending(self.times, "times"))
        values = frozen_floats(self.values, "values", (len(self.times), None))
        object.__setattr__(self, "values", values)


@dataclass(frozen=True, eq=False)
class KeyedMotion:
    """Keys for a body: two arms, a torso, and named channels (of the face, tension …).

    Parts without keys keep the posture of the clip below. `tracks` are those of single degrees of
    freedom, which the animation engine writes: ``leftWrist``, ``rightFingers``, ``spineYaw`` …; a
    name with a plus (``leftWrist+0``) is an offset layer on the one before it.

    Examples
    --------
    >>> import kinesphere as ks
    >>> keys = ks.ArmKeys([0.0, 0.5], [[-0.1, -0.4, 0.2], [0.0, 0.0, 0.4]])
    >>> keyed = ks.KeyedMotion(right=keys)
    >>> keyed.duration_s, sorted(keyed.document())
    (0.5, ['right'])
    """

    left: ArmKeys | None = None
    right: ArmKeys | None = None
    torso: TorsoKeys | None = None
    channels: Mapping[str, KeyTrack] = field(default_factory=dict)
    tracks: Mapping[str, DofTrack] = field(default_factory=dict)

    @property
    def duration_s(self) -> float:
        """Time of the last key."""
        parts = (self.left, self.right, self.torso, *self.channels.values())
        ends = [float(part.times[-1]) for part in parts if part is not None]
        return max((*ends, *(track.end_s for track in self.tracks.values())), default=0.0)

    def layers(self, name: str) -> list[DofTrack]:
        """The track of a name and the offset layers on it."""
        return [t for key, t in self.tracks.items() if key.partition("+")[0] == name]

    def arm(self, side: str) -> ArmKeys | None:
        """Keys of the left or the right arm."""
        return self.left if side == "left" else self.right

    def document(self) -> dict[str, Any]:
        """Everything as plain values for JSON."""
        out: dict[str, Any] = {}
        for side in ("left", "right"):
            keys = self.arm(side)
            if keys is not None:
                out[side] = {
                    "times": keys.times.tolist(),
                    "positions": keys.positions.tolist(),
                    "swivels": keys.swivels.tolist(),
                    "goals": keys.goals.tolist(),
                    "in_world": keys.in_world.tolist(),
                    "hands": keys.hands.tolist(),
                    "movements": [movement_document(m) for m in keys.movements],
                }
        if self.torso is not None:
            turns = {part: values.tolist() for part, values in self.torso.turns.items()}
            out["torso"] = {"times": self.torso.times.tolist(), "turns": turns}
        if self.channels:
            out["channels"] = {
                name: {"times": t.times.tolist(), "values": t.values.tolist()}
                for name, t in self.channels.items()
            }
        if self.tracks:
            out["tracks"] = {name: track.document() for name, track in self.tracks.items()}
        return out

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> KeyedMotion:
        """Read the result of `document`."""

        def arm(side: str) -> ArmKeys | None:
            if side not in document:
                return None
            values = dict(document[side])
            movements = tuple(movement_of(m) for m in values.pop("movements"))
            return ArmKeys(**values, movements=movements)

        torso = document.get("torso")
        return cls(
            arm("left"),
            arm("right"),
            None if torso is None else TorsoKeys(torso["times"], torso["turns"]),
            {
                name: KeyTrack(track["times"], track["values"])
                for name, track in document.get("channels", {}).items()
            },
            {name: DofTrack.of(track) for name, track in document.get("tracks", {}).items()},
        )
