"""Figures of live characters: blended streams and Shape as targets and poses of the engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from kinesphere.bodylanguage.play.body_assembly import (
    PATH,
    Changes,
    Resting,
    assemble,
    trunk_joints,
)
from kinesphere.bodylanguage.play.live_options import CHANGE_S, OptionsTransition
from kinesphere.bodylanguage.play.segment_playback import StreamFrames
from kinesphere.character.default import default_rig
from kinesphere.figure.arms import resting_hands
from kinesphere.figure.arms.arm_overlay import ArmParameters
from kinesphere.figure.arms.arm_table import arms
from kinesphere.figure.arms.resting_hands import RestingHands, RestingHandsState
from kinesphere.figure.arms.wrist_drag import DRAG
from kinesphere.figure.clearance import PUSH, Posed
from kinesphere.figure.head import eyes
from kinesphere.figure.head.gaze import GazeSettings
from kinesphere.figure.standing.body import RESTING_WRISTS, BodyState, step_poses
from kinesphere.figure.standing.body_layout import COLLAR, LEFT, LOOK, NOD_TURN, POSE, TARGETS
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Bools, Floats
from kinesphere.maths.curves import smoothstep


class ArmsState(NamedTuple):
    """What keeps arms continuous from frame to frame, NaN before the first; see `assemble`.

    Parameters
    ----------
    pushes : ``[characters, 2, PUSH]`` clearance of the hands.
    paths : ``[characters, 2, *PATH]`` positions and velocities of the arms.
    drags : ``[characters, 2, DRAG]`` drag of the hands.
    """

    pushes: Floats
    paths: Floats
    drags: Floats

    @classmethod
    def of(cls, characters: int) -> ArmsState:
        """State before the first frame."""
        return cls(
            np.full((characters, 2, PUSH), np.nan),
            np.full((characters, 2, *PATH), np.nan),
            np.zeros((characters, 2, DRAG)),
        )

    def copy(self) -> ArmsState:
        """Arrays of its own, to be overwritten."""
        return ArmsState(*(part.copy() for part in self))


def body_targets(
    streams: StreamFrames, amounts: Floats, present: Bools, own: float = 0.0
) -> Floats:
    """What streams ask of the figure engine, ``[characters, frames, TARGETS]``.

    Parameters
    ----------
    amounts : ``[characters, frames]`` amplitude of the streams.
    present : ``[3]`` which streams there are.
    own : part of the engine's own weight shifts while a stream moves the pelvis.
    """
    from kinesphere.bodylanguage.play.stream_target_kernels import stream_targets

    arm = arms()
    targets = np.zeros((*streams.listens.shape, TARGETS))
    stream_targets(
        np.ascontiguousarray(streams.rotations),
        np.ascontiguousarray(streams.hips),
        np.ascontiguousarray(streams.listens),
        np.ascontiguousarray(amounts),
        present,
        own,
        trunk_joints(),
        arm.joints,
        arm.lengths,
        targets,
    )
    return targets


class Homes(NamedTuple):
    """Where the listeners are.

    Parameters
    ----------
    yaws_pitches : ``[characters, frames, 2]`` radians, with a part of the looks aside.
    settings : of the gaze.
    """

    yaws_pitches: Floats
    settings: GazeSettings

    def part(self, which: slice) -> Homes:
        """Those of some frames."""
        return self._replace(yaws_pitches=self.yaws_pitches[:, which])

    def turn_heads(self, posed: Posed) -> None:
        """Bring heads nearer to their homes, in place."""
        rig, rows = default_rig(), len(posed.rotations)
        joints = rig.joint("upperChest"), rig.joint("neck"), rig.joint("head")
        homes = self.yaws_pitches.reshape(1, rows, 2)
        eyes.home_heads(homes, joints, posed.rotations[None], posed.world[None], self.settings)


class FigurePoser:
    """Poses the figures of one step.

    Parameters
    ----------
    present : ``[3]`` which streams have training data.
    body : stance, weight and trunk of the characters; replaced by the state after the step.
    transition : options, perhaps still changing.
    arms : overwritten.
    hands : of the characters while they listen; replaced by the state after the step.
    """

    def __init__(
        self,
        present: Bools,
        body: BodyState,
        fps: float,
        transition: OptionsTransition,
        arms: ArmsState,
        hands: RestingHandsState,
    ) -> None:
        self.present, self.body, self.fps = present, body, fps
        self.transition, self.arms, self.hands = transition, arms, hands

    def pose(self, times: Floats, streams: StreamFrames, homes: Homes) -> Posed:
        """Posed figures ``[characters * frames, ...]``.

        Frames with changing options are posed separately, so that chunks do not matter.
        """
        split = int(np.searchsorted(times, self.transition.since_s + CHANGE_S))
        if not 0 < split < len(times):
            return self._pose(times, streams, homes)
        parts = [
            self._pose(times[part], streams.part(part), homes.part(part))
            for part in (slice(0, split), slice(split, None))
        ]
        rows = len(self.body.seeds)
        return Posed(*(_concatenate(rows, *both) for both in zip(*parts, strict=True)))

    def _pose(self, times: Floats, streams: StreamFrames, homes: Homes) -> Posed:
        rows, count, joints = streams.rotations.shape[:3]
        added, amounts, shaped = self._express(times)
        amounts = amounts * (1.0 - streams.listens).ravel()
        paper = self.transition.now.paper
        rests = np.zeros((rows, count)) if paper else streams.listens
        self.hands, hands = resting_hands.step(self.hands, rests)
        wanted = amounts.reshape(rows, count)
        bodies = self._move_bodies(streams, wanted, rests, hands, homes)
        flat = np.ascontiguousarray(bodies.reshape(rows * count, POSE))
        self._breathe(added, flat)
        resting = Resting(_breathing(hands, added), rests.ravel(), hands.held)
        heads = None if paper else homes.turn_heads
        return assemble(
            np.ascontiguousarray(streams.rotations).reshape(-1, joints, 4),
            flat,
            self.present,
            amounts,
            added,
            Changes(heads, resting, shaped),
            self.arms.pushes,
            1.0 / self.fps,
            self.arms.paths,
            self.arms.drags,
        )

    def _move_bodies(
        self,
        streams: StreamFrames,
        amounts: Floats,
        rests: Floats,
        hands: RestingHands,
        homes: Homes,
    ) -> Floats:
        """Hips, pelvis, spine and feet ``[characters, frames, POSE]``; the state moves on."""
        targets = body_targets(streams, amounts, self.present, self.transition.now.idle)
        away = hands.chest_wrists().reshape(*rests.shape, 2, 3) - RESTING_WRISTS
        away = (rests[..., None, None] * away).reshape(*rests.shape, 6)
        targets[..., LEFT : LEFT + 6] += away
        if not self.transition.now.paper:
            targets[..., LOOK : LOOK + 2] = homes.yaws_pitches
        self.body, poses = step_poses(self.body, targets)
        return poses

    def _breathe(self, added: Floats, bodies: Floats) -> None:
        """Add breath and nods of listeners to the rotation vectors ``[rows, joints, 3]``."""
        rig, rise = default_rig(), bodies[:, COLLAR]
        added[:, rig.joint("leftShoulder"), 2] += rise
        added[:, rig.joint("rightShoulder"), 2] -= rise
        for bone, nod, tilt in (("neck", 0.3, 0.45), ("head", 0.7, 0.55)):
            added[:, rig.joint(bone), 0] += nod * bodies[:, NOD_TURN]
            added[:, rig.joint(bone), 1] += tilt * bodies[:, NOD_TURN + 1]
            added[:, rig.joint(bone), 2] += tilt * bodies[:, NOD_TURN + 2]

    def _express(self, times: Floats) -> tuple[Floats, Floats, Callable[[Floats], Floats] | None]:
        """Rotation vectors with the torso's Shape, amplitudes, and Shape of the wrists."""
        old, new, since_s = self.transition.before, self.transition.now, self.transition.since_s
        rows = len(self.body.seeds)
        turns = np.tile(new.expression.turns(), (rows * len(times), 1, 1))
        amounts = np.full(rows * len(times), new.amount * new.expression.size)
        shaped = new.expression.wrists if new.expression.shapes_arms() else None
        if len(times) and times[0] < since_s + CHANGE_S:
            ease = np.tile(smoothstep((times - since_s) / CHANGE_S), rows)
            late = (1.0 - ease)[:, None, None]
            turns += late * (old.expression.turns() - new.expression.turns())
            amounts += late[:, 0, 0] * (old.amount * old.expression.size - amounts)
            if shaped is not None or old.expression.shapes_arms():

                def shaped(wrists: Floats) -> Floats:
                    before, after = old.expression.wrists(wrists), new.expression.wrists(wrists)
                    return after + late * (before - after)

        return turns, amounts, shaped


def _breathing(hands: RestingHands, added: Floats) -> ArmParameters:
    """Arms at rest whose collar bones have the rotations that are added to all poses."""
    joints = arms().joints[:, 0]
    collars = quaternion.multiply(quaternion.exp(added[:, joints]), hands.arms.collars)
    return hands.arms._replace(collars=np.ascontiguousarray(collars))


def _concatenate(rows: int, first: Floats, second: Floats) -> Floats:
    """Frames of characters, ``[characters * frames, ...]`` each, one after the other."""
    shape = first.shape[1:]
    both = [first.reshape(rows, -1, *shape), second.reshape(rows, -1, *shape)]
    return np.concatenate(both, axis=1).reshape(-1, *shape)
