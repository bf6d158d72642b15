"""Effort in the torso: our own model, which EMOTE leaves open.

Weight sets how much the torso takes part: in Strong movement the torso moves farther with the hands
and leads them; Light movement is done by the arms. Time sets when: Sudden advances the torso's
part to the hands' own time, Sustained delays it. Flow sets the end: with Free the torso overshoots
like a heavy pendulum, Bound removes its high frequencies. Space has no effect.

Two things are changed: the existing movement of the spine (about its slow posture), and a
part of the hands' movement that is added, in the directions measured on recorded speakers: the
shoulder of the reaching hand moves forward, and the body leans back as hands rise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinesphere.expression.phrase import Phrase
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.maths.filters import low_pass
from kinesphere.maths.springs import spring_step
from kinesphere.motion.body.arms import measure_arm
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.keyed.torso import torso_joints, with_torso


@dataclass(frozen=True)
class TorsoEffortSettings:
    """Amounts of the torso's Effort.

    Parameters
    ----------
    posture_hz : below this the spine's rotation is posture, which stays.
    more : ratio by which Strong enlarges (and Light reduces) the spine's own movement.
    share : ratio of the hands' coupling that full Strong adds; Light adds none.
    lead_s : time by which Strong and Sudden advance it, Sustained delays it.
    swing_hz, swing_damping : of the follow-through at full Free.
    yaw, lean : radians per metre: of the hands' forward difference, and of their mean rise.
    """

    posture_hz: float = 0.3
    more: float = 0.6
    share: float = 1.0
    lead_s: float = 0.08
    swing_hz: float = 1.6
    swing_damping: float = 0.35
    yaw: float = float(np.radians(18.0))
    lean: float = float(np.radians(7.0))


def torso_effort(
    clip: Clip, rig: Rig, phrase: Phrase, settings: TorsoEffortSettings | None = None
) -> Clip:
    """Apply the torso's Effort of a phrase to the movement of a clip's spine."""
    s = settings or TorsoEffortSettings()
    values = phrase.at("torso", clip.times)
    if len(clip) < 8 or not any(values[n].any() for n in ("weight", "time", "flow")):
        return clip
    own = _spine_movement(clip, rig, s)
    hands = _from_hands(clip, rig, s)
    changed = own * (s.more * values["weight"])[:, None]
    changed = changed + hands * (s.share * np.maximum(values["weight"], 0.0))[:, None]
    lead = s.lead_s * (0.5 * values["weight"] + values["time"])
    wanted = own + changed
    at = np.clip(clip.times + lead, 0.0, clip.duration_s) * clip.fps
    frames = np.arange(len(clip))
    shifted = np.stack([np.interp(at, frames, wanted[:, i]) for i in range(3)], axis=-1)
    followed = _follow(shifted, values["flow"], clip.fps, s)
    return with_torso(clip, rig, {"spine": followed - own})


def _spine_movement(clip: Clip, rig: Rig, s: TorsoEffortSettings) -> Floats:
    """Rotation of the spine about its slow posture, as one rotation vector ``[frames, 3]``."""
    joints = torso_joints(rig, "spine")
    if not joints:
        return np.zeros((len(clip), 3))
    hips = rig.turn(clip.world_rotations, rig.joint("hips"))
    chest = rig.turn(clip.world_rotations, joints[-1])
    vectors = quaternion.log(quaternion.unroll(quaternion.relative(hips, chest)))
    slow = low_pass(vectors, min(s.posture_hz, 0.2 * clip.fps), clip.fps)
    return vectors - slow


def _from_hands(clip: Clip, rig: Rig, s: TorsoEffortSettings) -> Floats:
    left, right = (measure_arm(clip, rig, side).wrists for side in ("left", "right"))
    left = left - low_pass(left, min(s.posture_hz, 0.2 * clip.fps), clip.fps)
    right = right - low_pass(right, min(s.posture_hz, 0.2 * clip.fps), clip.fps)
    out = np.zeros((len(clip), 3))
    out[:, 0] = -s.lean * 0.5 * (left[:, 1] + right[:, 1])
    out[:, 1] = -s.yaw * (left[:, 2] - right[:, 2])
    return out


def _follow(path: Floats, flow: Floats, fps: float, s: TorsoEffortSettings) -> Floats:
    """Path with follow-through where Flow is Free, smoothed where it is Bound."""
    out = path
    free, bound = np.maximum(-flow, 0.0), np.maximum(flow, 0.0)
    if free.any():
        position, velocity = path[0].copy(), np.zeros(3)
        swung = np.empty_like(path)
        swung[0] = position
        omega = 2.0 * np.pi * s.swing_hz
        for i in range(1, len(path)):
            position, velocity = spring_step(
                position,
                velocity,
                path[i - 1],
                path[i],
                omega=omega,
                zeta=s.swing_damping,
                dt=1.0 / fps,
                relative=True,
            )
            swung[i] = position
        out = out + free[:, None] * (swung - path)
    if bound.any():
        calm = low_pass(path, min(1.5, 0.2 * fps), fps)
        out = out + bound[:, None] * (calm - path)
    return out
