"""Live eyes: a plain reference, gaze that stays while the head moves, people's looks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesphere.animation.face.face_curves import KNOWN_S
from kinesphere.animation.head import gaze, live_eyes
from kinesphere.animation.head.live_cues import PAUSE, kind_of
from kinesphere.animation.head.live_eyes import EyeSettings, EyesState
from kinesphere.character.default import default_rig
from kinesphere.character.joint_limits import limit_excess
from kinesphere.errors import InvalidValueError
from kinesphere.maths import quaternion as quat
from kinesphere.maths.arrays import Floats
from kinesphere.maths.curves import minimum_jerk
from kinesphere.motion.clip import rest_clip
from kinesphere.speech.prosody import prosody as prosodies
from kinesphere.speech.prosody.observation import Observation
from tests.animation.live_speech import lasting_pause, pause, syllable, turns
from tests.animation.plain_chance import LOOK, between, normal, uniform

FPS = 60.0
PROSODY = prosodies.start(16000.0)
HEARD_S = PROSODY.latency_s + KNOWN_S
VERGENCE = np.arctan(0.031 / 1.5)


def started(seeds: Sequence[int], fps: float = FPS, s: EyeSettings | None = None) -> EyesState:
    return live_eyes.start(fps, seeds, prosodies.start(16000.0, voices=len(seeds)), s)


def straight(characters: int, frames: int) -> Floats:
    return np.tile(quat.identity(), (characters, frames, 1))


def swinging(characters: int, frames: int, degrees: float, fps: float = FPS) -> Floats:
    """Heads that turn, nod and tilt."""
    t = np.arange(frames)[:, None] / fps + np.arange(characters)[:, None, None]
    hz, phase = np.array([0.9, 0.6, 0.4]), np.array([0.0, 1.0, 2.0])
    return quat.exp(np.radians(degrees) * np.sin(2.0 * np.pi * hz * t + phase))


def gaze_of(heads: Floats, eyes: Floats) -> Floats:
    """Directions in the world ``[..., 3]`` between the two eyes."""
    both = quat.log(eyes)
    return quat.rotate(quat.multiply(heads, quat.exp(both.mean(axis=-2))), np.array([0.0, 0, 1]))


def yaw_pitch(directions: Floats) -> Floats:
    x, y, z = np.moveaxis(directions, -1, 0)
    return np.stack([np.arctan2(x, z), -np.arcsin(y)], axis=-1)


class PlainEyes:
    """One character, look by look."""

    def __init__(self, seed: int, s: EyeSettings) -> None:
        self.seed, self.s, self.number, self.away = seed, s, 0, False
        self.start, self.goal, self.onset_s, self.takes_s = np.zeros(2), np.zeros(2), 0.0, 1.0
        self.next_s, self.spoke_s = 0.0, -1e9

    def gaze(self, time_s: float) -> Floats:
        ease = minimum_jerk((time_s - self.onset_s) / self.takes_s)
        return np.asarray(self.start + (self.goal - self.start) * ease)

    def place(self) -> Floats:
        key, s = (self.seed, LOOK, self.number), self.s
        if not self.away:
            point = uniform(*key, 1)
            aside = 0.0 if point < 0.25 else VERGENCE if point < 0.625 else -VERGENCE
            below = np.arctan(0.07 / s.listener_m) if point < 0.25 else 0.0
            stray = np.radians(s.stray_deg) * np.array([normal(*key, 2), normal(*key, 4)])
            return np.asarray(stray + [aside, below])
        size = np.radians(between(*s.away_deg, *key, 8))
        kind, slopes = uniform(*key, 9), ((20.0, 60.0), (-10.0, 20.0), (-20.0, -45.0))
        slope = np.radians(between(*slopes[0 if kind < 0.5 else 1 if kind < 0.8 else 2], *key, 10))
        left = 1.0 if uniform(*key, 11) < 0.5 else -1.0
        return np.asarray(size * np.array([left * np.cos(slope), np.sin(slope)]))

    def look(self, at_s: float, away: bool) -> None:
        self.start = self.gaze(at_s)
        self.number, self.away, self.onset_s = self.number + 1, away, at_s
        self.goal = self.place()
        usual_s, (least, most) = (
            (self.s.away_s, self.s.away_range_s)
            if away
            else (self.s.fixation_s, self.s.fixation_range_s)
        )
        length = usual_s * np.exp(0.45 * normal(self.seed, LOOK, self.number, 6))
        self.next_s = at_s + min(max(length, least), most)
        far = np.degrees(np.hypot(*(self.goal - self.start)))
        self.takes_s = self.s.saccade_s + self.s.saccade_s_per_deg * far

    def speaking(self, at_s: float) -> bool:
        return at_s - self.spoke_s < self.s.held_s

    def hear(self, kind: int, at_s: float) -> None:
        speaking = self.speaking(at_s)
        if kind == PAUSE:
            ratio = self.s.pause_ratio if speaking else 0.0
        else:
            ratio, self.spoke_s = 0.0 if speaking else self.s.turn_ratio, at_s
        free = not self.away and at_s - self.onset_s >= 0.15
        if free and uniform(self.seed, LOOK, self.number, 12) < ratio:
            self.look(at_s, True)

    def go_on(self) -> None:
        on = self.s.speaking_ratio if self.speaking(self.next_s) else self.s.listening_ratio
        leaves = self.s.fixation_s * (1.0 - on) / (on * self.s.away_s)
        goes = uniform(self.seed, LOOK, self.number, 0) < leaves
        self.look(self.next_s, not self.away and goes)


def plain_gaze(
    seed: int, frames: int, observations: Sequence[Observation], s: EyeSettings
) -> Floats:
    """Yaw and pitch ``[frames, 2]`` from the listener."""
    eyes, found = PlainEyes(seed, s), []
    cues = [(o.event.issued_s + HEARD_S, kind_of(o)) for o in observations]
    cues = [cue for cue in cues if cue[1] is not None]
    for now_s in np.arange(frames) / FPS:
        while min(eyes.next_s, cues[0][0] if cues else np.inf) <= now_s:
            if cues and cues[0][0] <= eyes.next_s:
                at_s, kind = cues.pop(0)
                assert kind is not None
                eyes.hear(kind, at_s)
            else:
                eyes.go_on()
        found.append(eyes.gaze(now_s))
    return np.array(found)


Cue = Callable[[float], Observation]
cues = st.lists(
    st.tuples(st.floats(0.01, 2.5), st.sampled_from([syllable, pause, lasting_pause])), max_size=15
)


@given(st.integers(-(2**63), 2**63 - 1), cues)
@settings(max_examples=40, deadline=None)
def test_looks_are_those_of_the_plain_rule(seed: int, row: list[tuple[float, Cue]]) -> None:
    times = np.cumsum([gap for gap, _ in row])
    heard = tuple(kind(float(at)) for at, (_, kind) in zip(times, row, strict=True))
    _, eyes = live_eyes.step(started([seed]), straight(1, 600), (heard,))
    wanted = plain_gaze(seed, 600, heard, EyeSettings())
    found = yaw_pitch(gaze_of(straight(1, 600), eyes)[0])
    np.testing.assert_allclose(found, wanted, atol=1e-9)


@pytest.mark.parametrize("cut", [1, 7, 100])
def test_chunks_and_characters_change_nothing(cut: int, rng: np.random.Generator) -> None:
    """Bit for bit, observations given with the frames after which they are known, or before."""
    seeds, frames = [3, -8, 3], 300
    heads, heard = swinging(3, frames, 20.0), [turns(5.0, rng) for _ in seeds]
    _, whole = live_eyes.step(started(seeds), heads, heard)
    state, parts = started(seeds), []
    for at in range(0, frames, cut):
        begun_s, end_s = (at - 1) / FPS, (min(at + cut, frames) - 1) / FPS
        fresh = [
            tuple(o for o in row if begun_s < o.event.issued_s + HEARD_S - 0.01 <= end_s)
            if at
            else tuple(o for o in row if o.event.issued_s + HEARD_S - 0.01 <= end_s)
            for row in heard
        ]
        before = state.memory.copy()
        after, found = live_eyes.step(state, heads[:, at : at + cut], fresh)
        assert np.array_equal(state.memory, before)
        state = after
        parts.append(found)
    assert np.array_equal(np.concatenate(parts, axis=1), whole)
    assert np.all(state.cues[:, 2] > (frames - 1) / FPS)
    for c, seed in enumerate(seeds):
        alone = live_eyes.start(FPS, [seed], PROSODY)
        _, one = live_eyes.step(alone, heads[c], (heard[c],))
        assert np.array_equal(one, whole[c])


def test_the_rate_of_frames_changes_nothing(rng: np.random.Generator) -> None:
    """Though at two frames a second there are looks and cues between frames."""
    heard, heads = [turns(60.0, rng) for _ in range(8)], straight(8, 3600)
    _, often = live_eyes.step(started(range(8), 60.0), heads, heard)
    _, seldom = live_eyes.step(started(range(8), 2.0), heads[:, ::30], heard)
    assert np.array_equal(often[:, ::30], seldom)


def test_the_gaze_stays_whatever_the_head_does() -> None:
    """Exactly, as long as the eyes need no more than four fifths of their range."""
    s = EyeSettings(away_deg=(5.0, 8.0), listener_deg=(4.0, -3.0))
    still, moving = straight(3, 900), swinging(3, 900, 8.0)
    _, first = live_eyes.step(started([1, 2, 3], s=s), still, ((),) * 3)
    _, second = live_eyes.step(started([1, 2, 3], s=s), moving, ((),) * 3)
    np.testing.assert_allclose(gaze_of(still, first), gaze_of(moving, second), atol=1e-9)
    aside = yaw_pitch(gaze_of(still, first)) - np.radians([4.0, -3.0])
    assert np.degrees(np.median(aside, axis=(0, 1))) == pytest.approx([0.0, 0.0], abs=1.2)


def test_both_eyes_meet_on_the_listener() -> None:
    _, eyes = live_eyes.step(started([5]), swinging(1, 600, 5.0), ((),))
    apart = quat.log(eyes)[0, :, 1] - quat.log(eyes)[0, :, 0]
    assert apart == pytest.approx(np.tile([0.0, 2.0 * VERGENCE, 0.0], (600, 1)), abs=1e-9)


@pytest.mark.parametrize("degrees", [20.0, 60.0, 170.0])
def test_eyes_stay_within_what_they_can(degrees: float) -> None:
    """Also where the listener is out of sight; and they come to a halt softly."""
    fine = 600.0
    heads = swinging(4, 6000, degrees, fine)
    _, eyes = live_eyes.step(started(range(4), fine), heads, ((),) * 4)
    pitch, yaw, roll = np.moveaxis(quat.log(eyes), -1, 0)
    low, high = np.radians([[-35.0, -28.0], [35.0, 33.0]])
    out = np.hypot(yaw / high[0], pitch / np.where(pitch > 0.0, high[1], -low[1]))
    assert out.max() <= 1.0 + 1e-9
    assert (degrees < 30.0) or out.max() > 0.999
    assert np.abs(roll).max() < 1e-12
    rig = default_rig()
    clip = rest_clip(rig.skeleton, 6000, 60.0)
    turned = clip.rotations.copy()
    for side, bone in enumerate(("leftEye", "rightEye")):
        turned[:, rig.joint(bone)] = eyes[0, :, side]
    moved = type(clip)(clip.skeleton, 60.0, clip.root_positions, turned)
    assert max(float(e.max()) for e in limit_excess(moved, rig).values()) < 1e-9


def test_limits_are_those_of_the_other_gaze() -> None:
    directions = quat.rotate(
        quat.exp(np.radians(np.random.default_rng(1).uniform(-30, 30, (200, 3)))),
        np.array([0.0, 0.0, 1.0]),
    )
    from kinesphere.animation.head.head_settings import HeadSettings
    from kinesphere.animation.head.live_eye_kernels import eye_turn

    limits = live_eyes._limits(EyeSettings(eye_ease=0.01))
    wanted = gaze.eyes_towards(directions, HeadSettings())
    x, y, z = directions.T
    turn = np.arctan2(np.hypot(x, y), z) / np.hypot(x, y)
    found = [eye_turn(a, b, limits) for a, b in zip(x * turn, -y * turn, strict=True)]
    np.testing.assert_allclose(quat.log(np.array(found)), wanted, atol=np.radians(0.12))


def on_listener(eyes: Floats) -> float:
    return float((np.degrees(quat.angle(eyes[:, :, 0])) < 5.5).mean())


def test_speakers_look_away_more_than_listeners(rng: np.random.Generator) -> None:
    seeds, frames = range(20), 120 * 60
    heads = straight(20, frames)
    _, listening = live_eyes.step(started(seeds), heads, ((),) * 20)
    heard = [turns(120.0, rng) for _ in seeds]
    _, speaking = live_eyes.step(started(seeds), heads, heard)
    assert on_listener(listening) == pytest.approx(0.75, abs=0.04)
    assert on_listener(speaking) == pytest.approx(0.58, abs=0.06)


def test_pauses_and_turns_begin_with_looks_away() -> None:
    """Of many characters, about as many as the settings say, and only then."""
    s = EyeSettings(listening_ratio=1.0, speaking_ratio=1.0, turn_ratio=0.0, pause_ratio=0.5)
    seeds, heads = range(200), straight(200, 240)
    heard = ((*(syllable(0.2 * k) for k in range(10)), pause(2.3)),) * 200
    _, eyes = live_eyes.step(started(seeds, s=s), heads, heard)
    away = np.degrees(quat.angle(eyes[:, :, 0])) > 5.5
    known = int((2.3 + HEARD_S) * FPS)
    assert not away[:, : known + 1].any()
    assert away.any(axis=1).mean() == pytest.approx(0.5, abs=0.12)
    s = EyeSettings(listening_ratio=1.0, speaking_ratio=1.0, turn_ratio=1.0, pause_ratio=0.0)
    _, eyes = live_eyes.step(started(seeds, s=s), heads, ((syllable(1.0), pause(1.5)),) * 200)
    away = np.degrees(quat.angle(eyes[:, :, 0])) > 5.5
    assert not away[:, : int((1.0 + HEARD_S) * FPS) + 1].any()
    assert away.any(axis=1).mean() > 0.8


def test_jumps_are_short_and_looks_last_as_those_of_people() -> None:
    fine = 1000.0
    _, eyes = live_eyes.step(started(range(6), fine), straight(6, 60000), ((),) * 6)
    found = np.degrees(yaw_pitch(gaze_of(straight(6, 60000), eyes)))
    for path in found:
        speed = np.hypot(*np.diff(path, axis=0).T) * fine
        edges = np.flatnonzero(np.diff((speed > 1e-3).astype(int)))
        edges = edges[int(speed[0] > 1e-3) :]
        starts, ends = edges[: len(edges) // 2 * 2].reshape(-1, 2).T
        far = np.hypot(*(path[ends + 2] - path[starts]).T)
        length_s = (ends - starts) / fine
        assert length_s == pytest.approx(0.021 + 0.0022 * far, abs=0.006)
        assert speed.max() < 600.0
        stays = np.diff(starts) / fine
        assert stays.min() > 0.29
        assert stays.max() < 2.6
        assert 0.6 < stays.mean() < 1.0
        assert far.max() < 25.0


def test_mirrored_chance_mirrors_the_eyes() -> None:
    heads = straight(2, 1200)
    _, left = live_eyes.step(started([1, 2]), heads, ((),) * 2)
    _, right = live_eyes.step(started([1, 2], s=EyeSettings(side=-1.0)), heads, ((),) * 2)
    mirrored = right[:, :, ::-1] * np.array([1.0, 1.0, -1.0, -1.0])
    np.testing.assert_allclose(left, mirrored, atol=1e-12)


def test_bad_values_are_refused() -> None:
    with pytest.raises(InvalidValueError, match="2 seeds for 1 voices"):
        live_eyes.start(FPS, [1, 2], PROSODY)
    with pytest.raises(InvalidValueError, match="heads has shape"):
        live_eyes.step(started([1]), np.zeros((5, 4)), ((),))
    with pytest.raises(InvalidValueError, match="away_deg is 20"):
        EyeSettings(away_deg=(20.0, 10.0))
    with pytest.raises(InvalidValueError, match="yaw is 100"):
        EyeSettings(listener_deg=(100.0, 0.0))
