"""From keys to poses: `KeyedMotion` applied to a clip.

The clip below gives the posture of all parts without keys, and the chest that local keys move
with.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.maths.curves import smoothstep
from kinesphere.maths.splines import Spline
from kinesphere.motion.body.arms import SIDES, ArmMotion, measure_arm, with_arm
from kinesphere.motion.body.limbs import Limb, roll_forearm, solve
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.keyed.arm_path import ArmPath, Places, blended_swivel, soft_reach
from kinesphere.motion.keyed.flourishes import add_flourishes, flourish_rotation
from kinesphere.motion.keyed.keyed_motion import ArmKeys, KeyedMotion
from kinesphere.motion.keyed.torso import torso_turns_at, with_torso


@dataclass(frozen=True)
class ArmSample:
    """An arm at given times, in its own frame.

    Parameters
    ----------
    wrists, swivels : ``[f, 3]`` and ``[f]``.
    hands : ``[f, 4]`` rotation of the hand within the unrolled forearm, without flourishes.
    rolls, flexions : ``[f]`` radians that flourishes add to the forearm and the wrist.
    movements, along : ``[f]`` which movement, and the ratio of its length.
    """

    wrists: Floats
    swivels: Floats
    hands: Floats
    rolls: Floats
    flexions: Floats
    movements: Ints
    along: Floats


def sample_arm(
    keys: ArmKeys, limb: Limb, times: ArrayLike, arm: ArmMotion | None = None, *, hands: bool = True
) -> ArmSample:
    """Sample one arm's keys.

    Parameters
    ----------
    keys, limb : the keys, and the chain they are for.
    times : ``[f]`` seconds, ascending; before the first and after the last key those are held.
    arm : the arm on the body below at those times, used to express keys in the world in its frame;
        needed only for such keys.
    hands : whether the hands' rotations are needed; else they are as in the T-pose.
    """
    times = np.asarray(times, dtype=np.float64)
    if np.any(np.diff(times) < 0.0):
        raise InvalidValueError("times to sample keys at must ascend")
    positions = _own_frame(keys, times, arm)
    if len(keys) == 1:
        return _still(keys, positions, len(times))
    path = ArmPath(keys, limb, positions)
    movements, ratios = _movements(keys, times)
    shares = _shares(keys, movements, ratios)
    places = path.at(movements, ratios)
    wrists, swivels = path.hand(places)
    wrists = soft_reach(wrists, limb)
    wrists, swivels = _spaces(keys, path, movements, places, wrists, swivels)
    beyond = path.end_tangents[movements, places.ends] * places.beyond[:, None]
    wrists = wrists + beyond
    if arm is not None and keys.in_world.any():
        wrists = _follow_world_keys(keys, times, places, arm, wrists)
    wrists = soft_reach(wrists, limb)
    wrists, swivels, rolls, flexions = add_flourishes(
        keys, limb, times, movements, ratios, shares, wrists, swivels
    )
    turns = path.hands(places) if hands else np.broadcast_to(quaternion.IDENTITY, (len(times), 4))
    return ArmSample(wrists, swivels, turns, rolls, flexions, movements, places.along)


def sample_wrists(keys: ArmKeys, limb: Limb, times: ArrayLike) -> Floats:
    """Wrists alone, of local keys with interpolated hand positions: a short `sample_arm`."""
    path = ArmPath(keys, limb, keys.positions)
    movements, ratios = _movements(keys, np.asarray(times, dtype=np.float64))
    return soft_reach(path.hand_places(path.at(movements, ratios)), limb)


def _own_frame(keys: ArmKeys, times: Floats, arm: ArmMotion | None) -> Floats:
    """Key positions in the arm's frame; those in the world with the body at their time."""
    if not keys.in_world.any():
        return keys.positions
    if arm is None:
        raise InvalidValueError("keys in the world need the motion of the body")
    frames = np.clip(np.searchsorted(times, keys.times), 0, len(times) - 1)
    back = quaternion.inverse(arm.axes[frames])
    local = quaternion.rotate(back, keys.positions - arm.shoulders[frames])
    return np.where(keys.in_world[:, None], local, keys.positions)


def _follow_world_keys(
    keys: ArmKeys, times: Floats, places: Places, arm: ArmMotion, wrists: Floats
) -> Floats:
    """Wrists that follow keys in the world as the body moves under them.

    Between two such keys the hand moves straight from one to the other in the world; on the path to
    and from one, the key's displacement in the arm's frame since its time fades in and out.
    """
    frames = np.clip(np.searchsorted(times, keys.times), 0, len(times) - 1)
    out = wrists.copy()
    rise = smoothstep(places.ratios)
    for k in np.flatnonzero(keys.in_world):
        local = arm.from_world(np.broadcast_to(keys.positions[k], (len(times), 3)))
        moved = local - local[frames[k]]
        after = (places.segments == k) & (k + 1 < len(keys))
        before = places.segments == k - 1
        if k + 1 < len(keys) and keys.in_world[k + 1]:
            ratio = places.ratios[after, None]
            way = keys.positions[k] + ratio * (keys.positions[k + 1] - keys.positions[k])
            world = np.broadcast_to(keys.positions[k], (len(times), 3)).copy()
            world[after] = way
            out[after] = arm.from_world(world)[after]
        else:
            out[after] += (1.0 - rise[after, None]) * moved[after]
        if k > 0 and not keys.in_world[k - 1]:
            out[before] += rise[before, None] * moved[before]
    # After the last key it is held.
    if keys.in_world[-1]:
        late = times >= keys.times[-1]
        last = np.broadcast_to(keys.positions[-1], (len(times), 3))
        out[late] = arm.from_world(last)[late]
    return out


def _still(keys: ArmKeys, positions: Floats, frames: int) -> ArmSample:
    none = np.zeros(frames)
    return ArmSample(
        np.broadcast_to(positions[0], (frames, 3)).copy(),
        np.full(frames, keys.swivels[0]),
        np.broadcast_to(keys.hands[0], (frames, 4)).copy(),
        none,
        none,
        np.zeros(frames, dtype=np.int64),
        none,
    )


def _movements(keys: ArmKeys, times: Floats) -> tuple[Ints, Floats]:
    """Movement and ratio of its time for every time."""
    goals = keys.goal_times
    movements = np.clip(np.searchsorted(goals, times, side="right") - 1, 0, len(goals) - 2)
    length = goals[movements + 1] - goals[movements]
    return movements, np.clip((times - goals[movements]) / length, 0.0, 1.0)


def _shares(keys: ArmKeys, movements: Ints, ratios: Floats) -> Floats:
    """Ratio of its movement's path for every ratio of its time."""
    goals = keys.goal_times
    shares = np.empty(len(ratios))
    bounds = np.searchsorted(movements, np.arange(len(goals)))
    for m, movement in enumerate(keys.movements):
        here = slice(int(bounds[m]), int(bounds[m + 1]))
        if here.start < here.stop:
            shares[here] = movement.path_ratio(ratios[here], float(goals[m + 1] - goals[m]))
    return shares


def _spaces(
    keys: ArmKeys, path: ArmPath, movements: Ints, places: Places, wrists: Floats, swivels: Floats
) -> tuple[Floats, Floats]:
    """Blend in the elbow's and the joints' interpolation where a movement uses it."""
    elbow_share = np.array([m.elbow_space for m in keys.movements])
    joint_share = np.array([m.joint_space for m in keys.movements])
    total = np.maximum(elbow_share + joint_share, 1.0)
    elbow_share, joint_share = (elbow_share / total)[movements], (joint_share / total)[movements]
    here = np.flatnonzero(elbow_share + joint_share > 0.0)
    if len(here) == 0:
        return wrists, swivels
    some = Places(
        places.segments[here], places.ratios[here], places.beyond[here], places.ends, places.along
    )
    own, own_swivel = wrists[here], swivels[here]
    posed = solve(path.limb, np.zeros(3), own, own_swivel)
    by_hand = posed.hinge_position
    by_elbow, elbow_1 = path.by_elbow(some, posed.end_position, by_hand)
    by_joints, elbow_2 = path.by_joints(some)
    w1, w2 = elbow_share[here, None], joint_share[here, None]
    w0 = 1.0 - w1 - w2
    blended = w0 * own + w1 * by_elbow + w2 * by_joints
    elbows = w0 * by_hand + w1 * elbow_1 + w2 * elbow_2
    wrists, swivels = wrists.copy(), swivels.copy()
    wrists[here] = blended
    swivels[here] = blended_swivel(path.limb, blended, elbows, own_swivel)
    return wrists, swivels


def posed_arm(limb: Limb, sample: ArmSample) -> Floats:
    """Rotations of upper arm, forearm and hand from the T-pose in the arm's axes, ``[f, 3, 4]``."""
    pose = solve(limb, np.zeros(3), sample.wrists, sample.swivels)
    flourish = flourish_rotation(limb, sample.rolls, sample.flexions)
    hinge, hand = roll_forearm(limb, pose.hinge, quaternion.multiply(sample.hands, flourish))
    lower = quaternion.multiply(pose.ball, hinge)
    return np.stack([pose.ball, lower, quaternion.multiply(lower, hand)], axis=-2)


def apply_keys(keyed: KeyedMotion, clip: Clip, rig: Rig) -> Clip:
    """Apply keyed motion to a clip of a humanoid.

    Keys start at the clip's first frame; the clip's length stays. Channels are added to the clip's
    or replace them.

    Examples
    --------
    >>> import kinesphere as ks
    >>> rig, still = ks.default_rig(), ks.idle(1.0, amount=0.0).clip
    >>> keys = ks.ArmKeys([0.0, 0.5], [[-0.1, -0.4, 0.2], [0.0, 0.0, 0.4]])
    >>> raised = ks.apply_keys(ks.KeyedMotion(right=keys), still, rig)
    >>> wrist = rig.bones["rightHand"]
    >>> up = raised.world_positions[-1, wrist] - still.world_positions[-1, wrist]
    >>> bool(up[1] > 0.3)  # metres
    True
    """
    if keyed.torso is not None:
        clip = with_torso(clip, rig, torso_turns_at(keyed.torso, clip.times))
    for side in SIDES:
        keys = keyed.arm(side)
        if keys is not None:
            arm = measure_arm(clip, rig, side)
            sample = sample_arm(keys, arm.limb, clip.times, arm)
            clip = with_arm(clip, rig, side, posed_arm(arm.limb, sample), arm.axes)
    if keyed.channels:
        added = {
            name: Spline(track.times, track.values)(clip.times)[:, 0]
            for name, track in keyed.channels.items()
        }
        clip = replace(clip, channels={**clip.channels, **added})
    return clip
