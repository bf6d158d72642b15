"""Idle motion: breathing, sway, weight shifts, blinks and small glances on top of any motion."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kinesphere.animation.face.face_curves import blink_closure
from kinesphere.errors import InvalidValueError
from kinesphere.maths import curves, quaternion, waves
from kinesphere.maths.arrays import Floats
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.retargeting.retargeting import move_rig_limbs


@dataclass(frozen=True)
class IdleSettings:
    """Sizes for a standing person of 1.75 m; lengths are scaled by the rig's height.

    Sway and breathing as measured at rest (pelvis 5 mm sideways and 7 mm fore and aft at about
    19 mm/s; shoulders rise by less than 5 mm at 0.2 to 0.3 Hz); weight shifts are those of a
    listener, smaller than a speaker's. Blinks and glances at the rates usual in conversation.
    """

    breath_hz: float = 0.25  # 15 breaths a minute
    breath_rise_m: float = 0.004  # of the shoulders
    breath_pitch_deg: float = 0.9  # of the chest, backward
    collar_m: float = 0.156  # from the joint of the collar bone to the shoulder
    sway_side_m: float = 0.005  # RMS of the hips to the side
    sway_fore_m: float = 0.007  # and fore and aft
    sway_hz: tuple[float, float] = (0.12, 0.75)  # band of all slow motion
    shift_m: float = 0.022  # largest weight shift
    shift_every_s: tuple[float, float] = (3.5, 9.0)  # shortest and longest time between two
    shift_takes_s: float = 1.3  # duration of one
    first_side: float = 0.5  # largest ratio of a shift at the start
    sink_m: float = 0.003  # lowered hips, so that the knees can bend
    side_sink: float = 0.15  # more of it per metre of a shift to the side
    round_m: float = 0.008  # smooth where the weight crosses the middle, for the knees
    torso_deg: float = 0.9  # RMS about each axis
    head_deg: float = 1.3  # likewise
    neck_share: float = 0.4  # ratio of the head's own rotation that is the neck's
    head_share: float = 0.6  # and the head's
    head_keeps: float = 0.4  # ratio of the torso's rotation that the head compensates
    first_event: tuple[float, float] = (0.2, 0.6)  # earliest in seconds, latest as a ratio
    blink_every_s: tuple[float, float] = (1.6, 5.5)  # shortest and longest time between two
    glance_deg: float = 2.2  # spread of small glances
    glance_pitch: float = 0.6  # vertical relative to horizontal ones
    glance_s: float = 0.045  # duration of a saccade
    glance_every_s: tuple[float, float] = (0.5, 2.2)  # shortest and longest time between two


_HEIGHT_M = 1.62  # highest joint of the default figure above its lowest


def with_idle(
    clip: Clip, rig: Rig, amount: float = 1.0, seed: int = 0, settings: IdleSettings | None = None
) -> Clip:
    """Add idle motion to a clip; feet stay where they are.

    Parameters
    ----------
    clip : motion of the rig's skeleton.
    rig : must have hips and legs; other missing bones are skipped.
    amount : 0 leaves the clip unchanged, 1 is natural, up to 3.
    seed : the same seed gives the same motion.
    """
    if not (np.isfinite(amount) and 0.0 <= amount <= 3.0):
        raise InvalidValueError(f"idle amount is {amount}, allowed is 0 to 3")
    if amount == 0.0:
        return clip
    life = _IdleMotion(clip, rig.require("idle motion"), amount, seed, settings or IdleSettings())
    ankles = rig.joints(("leftFoot", "rightFoot"))
    planted = clip.world_positions[:, ankles]
    moved = life.move_face(life.rotate(life.sway_hips()))
    legs = [
        (rig.joint(f"{s}UpperLeg"), rig.joint(f"{s}LowerLeg"), rig.joint(f"{s}Foot"))
        for s in ("left", "right")
    ]
    return move_rig_limbs(moved, rig, legs, planted, np.tile([1.0, 0.0, 0.0], (2, 1)))


class _IdleMotion:
    """One run: a clip, a seed, and the curves sampled from it, each from its own random stream."""

    def __init__(self, clip: Clip, rig: Rig, amount: float, seed: int, s: IdleSettings) -> None:
        self.clip, self.rig, self.amount, self.s = clip, rig, amount, s
        self.streams = np.random.default_rng(seed).spawn(8)
        self.time = clip.times
        tall = np.ptp(rig.canonical_pose[1][:, 1])
        self.scale = amount * float(tall) / _HEIGHT_M

    def wander(self, stream: int, size: float, columns: int) -> Floats:
        """Smooth noise ``[frames, columns]`` of a given RMS."""
        return waves.wander(self.time, np.full(columns, size), self.streams[stream], self.s.sway_hz)

    def events(self, stream: int, every: tuple[float, float]) -> Floats:
        """Times of events at random intervals over the clip."""
        rng = self.streams[stream]
        earliest, latest = self.s.first_event
        times, at = [], float(rng.uniform(earliest, every[1] * latest))
        while at < self.clip.duration_s + every[1]:
            times.append(at)
            at += float(rng.uniform(*every))
        return np.array(times)

    def shifts(self) -> Floats:
        """Side that carries the weight, from -1 to 1, changing at events."""
        rng = self.streams[2]
        level = np.full(len(self.time), rng.uniform(-self.s.first_side, self.s.first_side))
        for at in self.events(2, self.s.shift_every_s):
            goal = rng.uniform(-1.0, 1.0)
            ease = curves.minimum_jerk((self.time - at) / self.s.shift_takes_s)
            level = level + (goal - level) * ease
        return level

    def sway_hips(self) -> Clip:
        """Hips translated over the feet, slightly lower so that the knees can bend."""
        s = self.s
        sway = self.wander(0, 1.0, 2) * np.array([s.sway_side_m, s.sway_fore_m])
        side = sway[:, 0] + s.shift_m * self.shifts()
        drop = -s.side_sink * (np.hypot(side, s.round_m) - s.round_m) - s.sink_m
        shift = self.scale * np.stack([side, drop, sway[:, 1]], axis=1)
        # In the body's own axes, so that a rotated character sways to its own side.
        hips = self.rig.bones["hips"]
        turn = self.rig.turn(self.clip.world_rotations, hips)
        heading = quaternion.swing_twist(turn, np.array([0.0, 1.0, 0.0]))[1]
        world = quaternion.rotate(heading, shift)
        if hips == 0 or hips not in self.clip.translated_joints:
            return replace(self.clip, root_positions=self.clip.root_positions + world)
        parent = int(self.clip.skeleton.parents[hips])
        local = quaternion.rotate(quaternion.inverse(self.clip.world_rotations[:, parent]), world)
        k = self.clip.translated_joints.index(hips)
        translations = self.clip.translations.copy()
        translations[:, k] += local
        return replace(self.clip, translations=translations)

    def rotate(self, clip: Clip) -> Clip:
        """Rotation of torso, shoulders and head."""
        s, amount = self.s, self.amount
        breath = waves.breath(self.time, s.breath_hz, self.streams[3])
        torso = np.radians(self.wander(4, s.torso_deg, 3) * amount)
        head = np.radians(self.wander(5, s.head_deg, 3) * amount)
        pitch = np.zeros((len(breath), 3))
        pitch[:, 0] = -np.radians(s.breath_pitch_deg) * amount * breath
        rise = np.zeros((len(breath), 3))
        rise[:, 2] = s.breath_rise_m / s.collar_m * amount * breath
        turns = {
            "spine": 0.5 * torso,
            "chest": 0.5 * torso + 0.5 * pitch,
            "upperChest": 0.5 * pitch,
            "leftShoulder": rise,
            "rightShoulder": -rise,
            # The head keeps its orientation: it does not follow the sway of the trunk.
            "neck": s.neck_share * head - 0.5 * torso - 0.5 * pitch,
            "head": s.head_share * head - s.head_keeps * torso - 0.5 * pitch,
        }
        rotations = clip.rotations.copy()
        for bone, turn in turns.items():
            self._turn(rotations, bone, turn)
        return replace(clip, rotations=quaternion.normalise(rotations))

    def _turn(self, rotations: Floats, bone: str, rotvec: Floats) -> None:
        """Rotate a bone about the T-pose's axes, whatever axes its joint has."""
        if bone not in self.rig:
            return
        joint = self.rig.bones[bone]
        parent = int(self.rig.skeleton.parents[joint])
        frame = self.rig.canonical_pose[0][parent] if parent >= 0 else quaternion.identity()
        local = quaternion.rotate(quaternion.inverse(frame), rotvec)
        rotations[:, joint] = quaternion.multiply(quaternion.exp(local), rotations[:, joint])

    def move_face(self, clip: Clip) -> Clip:
        """Blinks as a channel, glances as rotations of the eyes' joints."""
        blink = np.zeros(len(self.time))
        for at in self.events(6, self.s.blink_every_s):
            blink = np.maximum(blink, blink_closure(self.time - at))
        strength = min(1.0, self.amount)
        channels = dict(clip.channels)
        before = channels.get("blink", np.zeros(len(blink)))
        channels["blink"] = np.maximum(before, strength * np.clip(blink, 0.0, 1.0))
        rng = self.streams[7]
        gaze = np.zeros((len(self.time), 3))
        for at in self.events(7, self.s.glance_every_s):
            goal = np.radians(rng.normal(scale=self.s.glance_deg, size=2))
            goal = goal * np.array([self.s.glance_pitch, 1.0])
            jump = curves.minimum_jerk((self.time - at) / self.s.glance_s)[:, None]
            gaze[:, :2] += (goal - gaze[:, :2]) * jump
        rotations = clip.rotations.copy()
        for bone in ("leftEye", "rightEye"):
            self._turn(rotations, bone, gaze * strength)
        return replace(clip, rotations=quaternion.normalise(rotations), channels=channels)
