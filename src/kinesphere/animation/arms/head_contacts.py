"""Hands that touch the head go with it: contacts are solved on a head that is straight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from kinesphere.animation.arms.arm_settings import SamplingSettings
from kinesphere.animation.arms.contact_frames import contact_frames
from kinesphere.animation.arms.hand_events import HandEvent
from kinesphere.animation.arms.hand_sampling import held_ratio, reachable, within_range
from kinesphere.animation.arms.hand_volume import standing_body
from kinesphere.animation.arms.poses.arm_pose import ArmPose, hand_angles, hand_turns, shoulders_of
from kinesphere.animation.posing import HandFrames, HeadTurns
from kinesphere.character.default import default_rig
from kinesphere.gesture.lexeme import HEAD_CONTACTS
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Bools, Floats, Ints
from kinesphere.motion.body.arms import Side

_USUAL = SamplingSettings()


def follow_head(
    hands: Mapping[Side, HandFrames], events: Sequence[HandEvent], times: Floats, head: HeadTurns
) -> dict[Side, HandFrames]:
    """Hands whose contacts with the head are moved along by neck and head.

    Parameters
    ----------
    hands, events : of a performance, sampled at `times` ``[f]``.
    head : rotations of neck and head at these times.
    """
    fps = 1.0 / max(float(times[1] - times[0]), 1e-6) if len(times) > 1 else 1.0
    out = dict(hands)
    for side, hand in hands.items():
        own = [e for e in events if e.act is not None and side in e.act.sides]
        touching = contact_frames(own, times, HEAD_CONTACTS)
        if not touching.any():
            continue
        share = held_ratio(touching, fps, _USUAL.follow_s)[:, None]
        shoulders = shoulders_of(side, hand.collars)
        pose = ArmPose(hand.wrists, hand.swivels, hand.angles)
        # On its way to the head and back a hand is displaced as where it touches.
        touched = hand.wrists[_nearest(touching)]
        carried, turns = _carry(touched, head, share)
        step = carried - touched
        size = np.linalg.norm(step, axis=1, keepdims=True)
        step *= np.minimum(1.0, _USUAL.follow_m / np.maximum(size, 1e-9))
        wrists = reachable(hand.wrists + step, side, shoulders)
        facing = quaternion.multiply(turns, hand_turns(side, pose, shoulders))
        angles = within_range(hand_angles(side, wrists, hand.swivels, facing, shoulders))
        out[side] = replace(
            hand,
            wrists=np.where(share > 0.0, wrists, hand.wrists),
            angles=np.where(share > 0.0, angles, hand.angles),
        )
    return out


def _nearest(touching: Bools) -> Ints:
    """Index ``[f]`` of the nearest frame in which a hand touches."""
    known = np.flatnonzero(touching)
    frames = np.arange(len(touching))
    after = known[np.minimum(np.searchsorted(known, frames), len(known) - 1)]
    before = known[np.maximum(np.searchsorted(known, frames, side="right") - 1, 0)]
    return np.asarray(np.where(np.abs(after - frames) < np.abs(frames - before), after, before))


def _carry(points: Floats, head: HeadTurns, share: Floats) -> tuple[Floats, Floats]:
    """Points ``[f, 3]`` of the chest frame carried by the head, and its rotations ``[f, 4]``.

    `share` ``[f, 1]`` is how much of the rotation of neck and head counts.
    """
    rig, body = default_rig(), standing_body()
    places = rig.canonical_pose[1]
    middle = places[rig.joints(("leftUpperArm", "rightUpperArm"))].mean(axis=0)
    neck, top = (places[rig.joint(bone)] - middle for bone in ("neck", "head"))
    joint = rig.joint("head")
    axes = quaternion.multiply(
        body.rotations[joint], quaternion.inverse(rig.canonical_pose[0][joint])
    )
    back = quaternion.inverse(quaternion.multiply(quaternion.inverse(body.frame[0]), axes))
    own = quaternion.rotate(back, points - body.from_world(body.positions[joint]))
    first, second = quaternion.exp(share * head.neck), quaternion.exp(share * head.head)
    carried = top - neck + quaternion.rotate(second, own)
    carried = neck + quaternion.rotate(first, carried)
    return carried, quaternion.multiply(quaternion.multiply(first, second), back)
