"""Eyes of live characters are those of a whole take with the same cues."""

from __future__ import annotations

import numpy as np
import pytest

from kinesphere.bodylanguage.choose.acting_times import AHEAD_S
from kinesphere.bodylanguage.play import engine
from kinesphere.bodylanguage.play.live_options import LiveOptions
from kinesphere.character.default import default_rig
from kinesphere.character.joint_limits import limit_excess
from kinesphere.figure.head import eyes
from kinesphere.figure.head.eyes import EyeSettings
from kinesphere.figure.head.gaze_cues import heard_cues
from kinesphere.maths import quaternion
from kinesphere.motion.clip import Clip
from kinesphere.speech.prosody import prosody
from tests.bodylanguage.material import RATE_HZ, babble, small_model

FPS, SEED = 30.0, 7
SOUND = babble(12.0, 3)


def live(delay_s: float, paper: bool = False) -> tuple[Clip, float]:
    """A take made in chunks, and when its cues were known."""
    options = LiveOptions(delay_s=delay_s, paper=paper)
    state = engine.start(small_model(), RATE_HZ, fps=FPS, seed=SEED, options=options)
    heard_s, parts = state.face.heard_s, []
    for at in range(0, len(SOUND), 700):
        state, frames = engine.step(state, SOUND[at : at + 700])
        parts.append(frames)
    skeleton = default_rig().skeleton
    names = parts[0].channels
    channels = {n: np.concatenate([p.channels[n] for p in parts]) for n in names}
    roots, turns = (
        np.concatenate([getattr(p, n) for p in parts]) for n in ("root_positions", "rotations")
    )
    return Clip(skeleton, FPS, roots, turns, channels=channels), heard_s


@pytest.mark.parametrize("delay_s", [0.0, AHEAD_S])
def test_live_eyes_are_those_of_the_whole_take(delay_s: float) -> None:
    """Gaze, blinks and brows bit for bit: one process, whoever knows the cues."""
    clip, heard_s = live(delay_s)
    _, found = prosody.step(prosody.start(RATE_HZ), SOUND)
    s = EyeSettings()
    cues = heard_cues(found.observations, heard_s, 1, s.brows)
    assert len(cues) > 10
    times = np.arange(len(clip)) / FPS
    frames, _ = eyes.watch(times, cues[cues[:, 1] <= times[-1]], SEED, s)
    assert np.array_equal(clip.channels["blink"], frames.lids[0])
    assert np.array_equal(clip.channels["browUp"], frames.brows[0])
    assert clip.channels["blink"].max() > 0.5
    rig = default_rig()
    heads = clip.world_rotations[:, rig.joint("head")]
    wanted = eyes.turn_eyes(frames.gaze, heads[None], s.gaze)[0]
    turned = clip.rotations[:, rig.joints(("leftEye", "rightEye"))]
    assert np.degrees(quaternion.angle_between(turned, wanted)).max() < 1e-6


def test_heads_are_near_the_listener_and_within_their_limits() -> None:
    clip, _ = live(AHEAD_S)
    rig = default_rig()
    x, _, z = quaternion.rotate(
        clip.world_rotations[:, rig.joint("head")], np.array([0.0, 0.0, 1.0])
    ).T
    assert np.degrees(np.abs(np.arctan2(x, z))).max() < 24.0
    excess = limit_excess(clip, rig)
    assert max(float(excess[bone].max()) for bone in ("neck", "head") if bone in excess) < 1e-9
    published, _ = live(0.0, paper=True)
    assert len(published) > 300
