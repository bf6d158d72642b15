"""The form of a gesture, measured in motion between the start and the end of its stroke.

`measure_hands` measures a clip once; each of its strokes then has a `Form` that can be compared
with those of the lexicon.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.gesture.form import Form, compress, form_with
from kinesphere.gesture.gesture_space import body_scale
from kinesphere.gesture.hand_shapes import ANGLES, has_fingers, measured_angles
from kinesphere.gesture.phases import HANDS, Hands
from kinesphere.gesture.placement import hand_distances, measure_positions, palm_centres
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.maths.filters import low_pass
from kinesphere.motion.body.arms import (
    SIDES,
    ArmMotion,
    Side,
    arm_turns,
    chest_bone,
    measure_arm,
    sign_of,
)
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.kinematics import speeds, velocities

# Speech gestures have almost no energy above it.
_CUTOFF_HZ = 8.0
# A second hand with less than this ratio of the first one's path length only assists.
_ASSISTING = 0.4
# Clavicle angles are relative to their usual low position.
_DOWN_PERCENT = 20.0
# A stroke that starts at this ratio of its peak speed is the second part of a movement.
_FLYING = 0.45
_OF_STARTS = (
    "start height",
    "start distance",
    "start azimuth",
    "start palm",
    "start fingers",
    "start wrist",
    "start roll",
    "start shape",
    "travel",
    "length",
    "sag",
    "swing",
    "duration",
    "peak",
)
# No recorded hand keeps its fingers that straight all the time.
_STRETCHED_DEG = 1.5
_X = np.array([1.0, 0.0, 0.0])


@dataclass(frozen=True, eq=False)
class HandMeasures:
    """A hand over time in the chest's axes: out to its own side, up and forward.

    Parameters
    ----------
    side : which hand.
    places : ``[n, 4]`` as `MeasuredPositions.values`.
    path : ``[n, 3]`` the palm's centre, metres of a person of 1.75 m, smoothed.
    palm, fingers : ``[n, 3]`` unit directions of the palm's normal and of the fingers.
    roll : ``[n]`` degrees of pronation, unwrapped; 0 is thumb up.
    wrist : ``[n, 2]`` degrees of flexion and of deviation towards the thumb.
    collar : ``[n, 2]`` degrees of clavicle elevation and retraction; NaN if the rig has none.
    shape : ``[n, 20]`` finger angles as `hand_shapes.ANGLES`; NaN if not recorded.
    """

    side: Side
    places: Floats
    path: Floats
    palm: Floats
    fingers: Floats
    roll: Floats
    wrist: Floats
    collar: Floats
    shape: Floats


@dataclass(frozen=True, eq=False)
class HandsMotion:
    """Both hands of a clip; `apart` is ``[n]``, the palm distance in shoulder widths."""

    clip: Clip
    rig: Rig
    left: HandMeasures
    right: HandMeasures
    apart: Floats

    def hand(self, side: Side) -> HandMeasures:
        """Return the left or the right hand."""
        return self.left if side == "left" else self.right

    def lengths(self, start: int, end: int) -> dict[Side, float]:
        """Path length of each palm from one frame to another, in metres of a person of 1.75 m."""
        return {side: _length(self.hand(side).path[start : end + 1]) for side in SIDES}

    def acting(self, start: int, end: int, hands: Hands) -> tuple[Side, ...]:
        """Hands whose form counts: of two that gesture, both unless one only assists."""
        if hands not in HANDS or hands == "none":
            raise InvalidValueError(f"hands are {hands!r}, allowed are left, right, both")
        if hands != "both":
            return (hands,)
        ways = self.lengths(start, end)
        weak, strong = sorted(SIDES, key=lambda side: ways[side])
        return (strong,) if ways[weak] < _ASSISTING * ways[strong] else SIDES

    def values(self, frame: int, sides: tuple[Side, ...]) -> Floats:
        """Position of a hand, or the mean of two, ``[4]`` as `MeasuredPositions.values`."""
        return np.asarray(np.mean([self.hand(side).places[frame] for side in sides], axis=0))

    def fingers(self, frame: int, sides: tuple[Side, ...]) -> Floats:
        """Angles of a hand's fingers in a frame, or the mean of two; NaN without fingers."""
        return np.asarray(np.mean([self.hand(side).shape[frame] for side in sides], axis=0))

    def form(
        self, start: int, end: int, hands: Hands, strokes: int = 1, last: int | None = None
    ) -> Form:
        """Form of the gesture whose main stroke goes from one frame to another.

        Parameters
        ----------
        start, end : frames, `end` after `start`.
        hands : that gesture.
        strokes : how many there are, the repetitions included.
        last : frame in which the last repetition ends; by default that of the stroke.
        """
        if not 0 <= start < end < len(self.clip):
            raise InvalidValueError(
                f"a stroke from frame {start} to {end} of {len(self.clip)}, allowed is 0 <= start "
                "< end < frames"
            )
        sides = self.acting(start, end, hands)
        until = end if last is None else max(last, end)
        found = [_parts(self.hand(side), start, end, until) for side in sides]
        parts: dict[str, ArrayLike] = {
            name: _mean([each[name] for each in found], unit=name.endswith(("palm", "fingers")))
            for name in found[0]
        }
        parts |= self._time(start, end, until, sides, strokes)
        parts["start shape"] = self.fingers(start, sides)
        parts["end shape"] = self.fingers(end, sides)
        if hands == "both":
            parts |= self._together(start, end)
        if self._flying(start, end, sides):
            parts |= dict.fromkeys(_OF_STARTS, np.nan)
            if "apart" in parts:
                parts["apart"] = (np.nan, np.asarray(parts["apart"])[1])
        return form_with(parts)

    def _flying(self, start: int, end: int, sides: tuple[Side, ...]) -> bool:
        """Whether the stroke continues its preparation without a speed minimum between them."""
        speed = self._speed(max(start - 1, 0), end, sides)
        return bool(speed[:2].max() >= _FLYING * speed.max())

    def _speed(self, start: int, end: int, sides: tuple[Side, ...]) -> Floats:
        """Speed of the hands together ``[n]``, m/s."""
        fps = self.clip.fps
        each = [speeds(self.hand(side).path[start : end + 1], fps) for side in sides]
        return np.asarray(np.sum(each, axis=0))

    def _time(
        self, start: int, end: int, until: int, sides: tuple[Side, ...], strokes: int
    ) -> dict[str, ArrayLike]:
        fps = self.clip.fps
        speed = self._speed(start, end, sides)
        out: dict[str, ArrayLike] = {
            "strokes": np.log2(strokes),
            "duration": np.log((end - start) / fps),
            "peak": float(np.argmax(speed)) / (end - start),
        }
        if strokes > 1 and until > end:
            out["rate"] = np.log2((strokes - 1) * fps / (until - end))
        return out

    def _together(self, start: int, end: int) -> dict[str, ArrayLike]:
        left, right = (self.hand(side).path[start : end + 1] for side in SIDES)
        moved = [velocities(path, self.clip.fps) for path in (left, right)]
        size = np.sqrt(np.prod([np.sum(v * v) for v in moved]))
        middles = 0.5 * (left[:, 0] - right[:, 0])
        return {
            "apart": compress(self.apart[[start, end]], 0.6),
            "together": float(np.sum(moved[0] * moved[1]) / max(size, 1e-12)),
            "sway": compress(abs(middles[-1] - middles[0])),
        }


def measure_hands(clip: Clip, rig: Rig) -> HandsMotion:
    """Measure both hands of a clip.

    Raises
    ------
    RigError
        If the rig lacks arms or legs.
    """
    left, right = (_hand(clip, rig, side) for side in SIDES)
    return HandsMotion(clip, rig, left, right, hand_distances(clip, rig))


def _hand(clip: Clip, rig: Rig, side: Side) -> HandMeasures:
    arm = measure_arm(clip, rig, side)
    sign = np.array([float(sign_of(side)), 1.0, 1.0])
    chest = clip.world_positions[:, rig.joint(chest_bone(rig))]
    back = quaternion.inverse(arm.axes)
    path = quaternion.rotate(back, palm_centres(clip, rig, side) - chest) / body_scale(rig)
    hand = arm.turns[:, 2]
    roll, wrist = _wrist(arm)
    return HandMeasures(
        side,
        measure_positions(clip, rig, side).values,
        low_pass(path * sign, min(_CUTOFF_HZ, 0.4 * clip.fps), clip.fps),
        quaternion.rotate(hand, np.array([0.0, -1.0, 0.0])) * sign,
        quaternion.rotate(hand, sign[0] * _X) * sign,
        roll,
        wrist,
        _collar(clip, rig, side, back),
        _shape(clip, rig, side),
    )


def _shape(clip: Clip, rig: Rig, side: Side) -> Floats:
    """Angles of the fingers ``[n, 20]``; NaN if there are none, or none ever bends."""
    if not has_fingers(rig, side):
        return np.full((len(clip), len(ANGLES)), np.nan)
    angles = measured_angles(rig, clip.world_rotations, side)
    bends = angles[:, [i for i, name in enumerate(ANGLES) if name.endswith("PIP")]]
    # Fingers that are straight in all frames were not recorded.
    return angles if np.abs(bends).max() > _STRETCHED_DEG else np.full(angles.shape, np.nan)


def _wrist(arm: ArmMotion) -> tuple[Floats, Floats]:
    """Roll ``[n]`` of the forearm and the wrist's flexion and deviation ``[n, 2]``, degrees."""
    forearm = arm_turns(arm.limb, arm.wrists, arm.swivels)[:, 1]
    hand = quaternion.relative(forearm, arm.turns[:, 2])
    if arm.side == "right":
        hand = hand * np.array([1.0, 1.0, -1.0, -1.0])
    roll = quaternion.twist_angle(hand, _X)
    bent = quaternion.multiply(quaternion.from_axis_angle(_X, -roll), hand)
    along = quaternion.rotate(bent, _X)
    flexion = np.arctan2(-along[:, 1], np.hypot(along[:, 0], along[:, 2]))
    deviation = np.arctan2(along[:, 2], along[:, 0])
    wrist = np.degrees(np.stack([flexion, deviation], axis=-1))
    return np.degrees(np.unwrap(roll)), wrist


def _collar(clip: Clip, rig: Rig, side: Side, back: Floats) -> Floats:
    """Clavicle elevation and retraction ``[n, 2]``, degrees from its usual position."""
    if f"{side}Shoulder" not in rig:
        return np.full((len(clip), 2), np.nan)
    near, far = rig.joints((f"{side}Shoulder", f"{side}UpperArm"))
    bone = clip.world_positions[:, far] - clip.world_positions[:, near]
    out, up, ahead = (quaternion.rotate(back, bone) * np.array([sign_of(side), 1.0, 1.0])).T
    rise = np.degrees(np.arctan2(up, np.hypot(out, ahead)))
    behind = np.degrees(np.arctan2(-ahead, out))
    return np.stack(
        [rise - np.percentile(rise, _DOWN_PERCENT), behind - np.median(behind)], axis=-1
    )


def _parts(hand: HandMeasures, start: int, end: int, until: int) -> dict[str, Floats]:
    """Parts of a form that concern one hand alone."""
    path = hand.path[start : end + 1]
    whole = slice(start, until + 1)
    out = {
        "end swivel": np.degrees(hand.places[end, 3:]),
        "travel": compress(path[-1] - path[0]),
        "length": compress(_length(path)),
        "sag": compress(_sag(path)[1]),
        "circling": _circling(hand.path[whole]),
        "swing": np.array([np.ptp(hand.roll[whole]), np.ptp(hand.wrist[whole, 0])]),
        "collar": np.array([hand.collar[start : end + 1, 0].max(), hand.collar[end, 1]]),
    }
    for name, frame in (("start", start), ("end", end)):
        height, away, azimuth, _ = hand.places[frame]
        out |= {
            f"{name} height": np.array(height),
            f"{name} distance": np.array(away),
            f"{name} azimuth": np.degrees(azimuth),
            f"{name} palm": hand.palm[frame],
            f"{name} fingers": hand.fingers[frame],
            f"{name} wrist": hand.wrist[frame],
            f"{name} roll": hand.roll[frame],
        }
    return out


def _mean(values: list[Floats], unit: bool) -> Floats:
    mean = np.mean(values, axis=0)
    return np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-9) if unit else mean)


def _length(path: Floats) -> float:
    return float(np.linalg.norm(np.diff(path, axis=0), axis=-1).sum())


def _sag(path: Floats) -> Floats:
    """Vector from the chord to the point of a path ``[n, 3]`` that is farthest from it."""
    chord = path[-1] - path[0]
    along = chord / max(float(np.linalg.norm(chord)), 1e-9)
    off = path - path[0]
    off = off - (off @ along)[:, None] * along
    return np.asarray(off[np.linalg.norm(off, axis=-1).argmax()])


def sag_ratio(path: Floats) -> float:
    """Largest distance of a path ``[n, 3]`` from its chord over the chord's length; 0 if empty."""
    chord = float(np.linalg.norm(path[-1] - path[0]))
    off = float(np.linalg.norm(_sag(path)))
    return off / chord if chord > 1e-9 else (np.inf if off > 1e-9 else 0.0)


def _circling(path: Floats) -> Floats:
    """Area enclosed by a path in the sagittal plane over that of circles of its length and size.

    1 for circles that roll forward (over the top to the front), however many; 0 for oscillation.
    """
    flat = path[:, 1:] - path[:, 1:].mean(axis=0)
    closed = np.concatenate([flat, flat[:1]])
    up, ahead = closed.T
    area = 0.5 * float(np.sum(up[:-1] * ahead[1:] - up[1:] * ahead[:-1]))
    way = _length(closed)
    size = 2.0 * float(np.linalg.norm(flat, axis=-1).max())
    return np.array(4.0 * area / max(way * size, 1e-9))
