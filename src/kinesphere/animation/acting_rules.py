"""The rules of acting: where recorded speakers and the 2008 paper differ by more than numbers.

`acting_rules` chooses them once for a performance. Values that differ are settings
(`ActingSettings.paper_preset`, `PAPER_HEAD`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from kinesphere.animation.arms.hand_events import SHOWN, Act, HandEvent, Poses
from kinesphere.animation.arms.observed_stage import ObservedStage
from kinesphere.animation.arms.paper_stage import PaperStage
from kinesphere.animation.arms.poses.arm_pose import (
    collar_turns,
    reaching_shoulders,
    table_collar_angles,
)
from kinesphere.animation.arms.poses.hand_pose import HandPose, vary_fingers
from kinesphere.animation.arms.stage import Stage
from kinesphere.animation.head.head_settings import PAPER_HEAD, HeadSettings
from kinesphere.animation.performer import Performer
from kinesphere.animation.settings import ActingSettings
from kinesphere.animation.speech_cues import SpeechCues
from kinesphere.figure.standing.body_settings import PAPER_BODY, BodySettings
from kinesphere.figure.standing.stance import PINNED, Stance, stance_of
from kinesphere.gesture.lexicon import Lexeme
from kinesphere.gesture.positions import HandPosition
from kinesphere.maths.arrays import Bools, Floats
from kinesphere.motion.body.arms import Side

FOREARM_M = 0.253
"""Length of the default figure's forearm, which rotates in a progressive of the paper."""
LEAST_AMPLITUDE = float(np.radians(12.0))
"""Least amplitude of a progressive (section 6.5.2), radians."""
StepTimes = tuple[float, float]
"""Start and end, seconds."""


@dataclass(frozen=True)
class ActingRules(ABC):
    """Decisions of a performance that depend on whose rules are followed.

    Parameters
    ----------
    settings : values of hands and body.
    performer : whose body it is.
    """

    settings: ActingSettings
    performer: Performer
    head: ClassVar[HeadSettings]
    body: ClassVar[BodySettings]
    stage_type: ClassVar[type[Stage]]

    @property
    @abstractmethod
    def reach_gain(self) -> float:
        """Factor of the collar bones' rotation that follows reaching hands over time."""

    def stage(
        self,
        rests: Mapping[str, Poses],
        cues: SpeechCues,
        rng: np.random.Generator,
        first: str,
        end_s: float,
    ) -> Stage:
        """The stage of the hands, which fills the time between gestures."""
        return self.stage_type(rests, cues, self.settings, rng, first, end_s)

    @abstractmethod
    def stance(self, seed: int) -> Stance:
        """Stance habits of the performer."""

    @abstractmethod
    def rise_s(self, path_m: float) -> float:
        """Duration that the first preparation needs for a path."""

    @abstractmethod
    def emphasis(self, accent: float, rng: np.random.Generator) -> float:
        """Factor of the amplitude of a stroke with an accent."""

    @abstractmethod
    def vary_hand(self, pose: HandPose, lexeme: Lexeme, rng: np.random.Generator) -> HandPose:
        """Pose of a hand with a speaker's traits."""

    @abstractmethod
    def stroke_path(self, lexeme: Lexeme, own: Floats, given: Floats) -> Floats:
        """Path ``[3]`` of a palm, from the lexeme's own and the script's, metres."""

    @abstractmethod
    def place_palms(
        self, palms: Floats, outward: Floats, free: Bools, loose: Floats, rng: np.random.Generator
    ) -> Floats:
        """Palms ``[n, 3]`` with variation; start and end of a hand follow each other.

        `outward` is each side's sign, `free` has no contact; `loose` is 1 where the position means
        nothing and 0 where it is shown.
        """

    @abstractmethod
    def shoulders(self, side: Side, palms: Floats) -> Floats | None:
        """Shoulder joints ``[n, 3]`` that arms are solved with; None as in the T-pose."""

    @abstractmethod
    def collar(self, side: Side, position: HandPosition) -> Floats:
        """Rotation vector ``[3]`` of the collar bone that is keyed with a pose."""

    @abstractmethod
    def part_times(
        self,
        part: str,
        event: HandEvent,
        change: Floats,
        times: StepTimes,
        rng: np.random.Generator,
    ) -> StepTimes:
        """Start and end of the movement of a part other than the wrist."""

    @abstractmethod
    def circle_radius(self, act: Act, side: Side, radius: float, arc: float) -> float:
        """Radius of a progressive's circles over an arc in radians, metres."""


@dataclass(frozen=True)
class ObservedRules(ActingRules):
    """As recorded speakers act."""

    head = HeadSettings()
    body = BodySettings()
    stage_type = ObservedStage

    @property
    def reach_gain(self) -> float:
        """The speaker's."""
        return self.performer.collar_gain

    def stance(self, seed: int) -> Stance:
        """As restless as the performer; the details differ from seed to seed."""
        return stance_of(self.performer.stance, seed)

    def rise_s(self, path_m: float) -> float:
        """By the duration law."""
        return self.settings.lasting(path_m, self.settings.rise_ratio)

    def emphasis(self, accent: float, rng: np.random.Generator) -> float:
        """Larger with an accent, and random."""
        plain, more = self.settings.palms.emphasis
        return (plain + more * accent) * float(np.exp(self.settings.size_spread * rng.normal()))

    def vary_hand(self, pose: HandPose, lexeme: Lexeme, rng: np.random.Generator) -> HandPose:
        """Fingers vary, neighbours together; the elbow has the speaker's swivel."""
        p = self.settings.palms
        varied = vary_fingers(pose, p.fingers_deg[lexeme.kind not in SHOWN], rng, p)
        return replace(varied, swivel=pose.swivel + self.performer.swivel)

    def stroke_path(self, lexeme: Lexeme, own: Floats, given: Floats) -> Floats:
        """The lexeme's, averaged with the script's where they agree."""
        p = self.settings.palms
        size = np.linalg.norm(own) * np.linalg.norm(given)
        agrees = size > 1e-9 and float(own @ given) / size > p.agrees
        path = 0.5 * (own + given) if agrees else own
        if np.linalg.norm(path) < p.least_path_m and not (lexeme.contact or lexeme.after.rate_hz):
            path = path + np.array([0.0, -p.least_drop_m, 0.0])
        return path

    def place_palms(
        self, palms: Floats, outward: Floats, free: Bools, loose: Floats, rng: np.random.Generator
    ) -> Floats:
        """Forearms point ahead, hands differ; none is beside an ear or before the face."""
        p = self.settings.palms
        out = palms + self.settings.place_m * np.clip(rng.normal(size=palms.shape), -2.0, 2.0)
        if not self.settings.place_m or self.settings.follow_script:
            return self._before_face(out, outward, free)
        apart = np.clip(rng.normal(size=(len(out) // 2, 3)), -2.0, 2.0) * np.array(p.uneven_m)
        out += loose[:, None] * np.repeat(apart, 2, axis=0)
        room = np.clip((p.outward_to_m - outward * out[:, 0]) / p.outward_to_m, 0.0, 1.0)
        out[:, 0] += outward * loose * p.outward_m * np.sqrt(room)
        return self._before_face(out, outward, free)

    def _before_face(self, out: Floats, outward: Floats, free: Bools) -> Floats:
        """Raised hands are in front of the body, not beside the ears nor before the face."""
        p = self.settings.palms
        high = out[:, 1] > p.chin_m
        crossed = (outward * out[:, 0] < p.crossed_m) & high
        out[crossed, 1] = p.chin_m
        beside = free & ~crossed & high & (outward * out[:, 0] < p.beside_face_m)
        out[beside, 0] = outward[beside] * p.beside_face_m
        raised = out[:, 1] > p.raised_m
        out[raised, 2] = np.maximum(out[raised, 2], p.before_m)
        low = free & ~raised
        out[low, 2] = np.maximum(out[low, 2], p.behind_m)
        return np.asarray(out)

    def shoulders(self, side: Side, palms: Floats) -> Floats | None:
        """As they are for reaching hands."""
        return reaching_shoulders(side, palms, self.settings.collar_gain)

    def collar(self, side: Side, position: HandPosition) -> Floats:
        """None: it follows the hand over time."""
        return np.zeros(3)

    def part_times(
        self,
        part: str,
        event: HandEvent,
        change: Floats,
        times: StepTimes,
        rng: np.random.Generator,
    ) -> StepTimes:
        """Hand shapes are formed late, the elbow swivels slowly, everything is a little late."""
        b, (start, end) = self.settings.tracks, times
        late = b.part_late_s * float(np.clip(rng.normal(), -b.most_lag, b.most_lag))
        if part == "Angles" and event.act is not None:
            late += event.act.lexeme.wrist_lag_s
        if part == "Fingers":
            # A hand shape is formed from the middle to the end of the movement.
            if event.kind == "preparation":
                start += b.fingers_from * (end - start)
            elif event.kind == "stroke" and event.act is not None:
                # A hand that opens or closes in a quick stroke does so at its end.
                quick = event.act.lexeme.warp in ("whip", "hit", "snap")
                start = max(start, end - (b.flick_s if quick else b.fingers_within * (end - start)))
            late += b.fingers_late_s
        if part == "Swivel":
            most = np.radians(b.swivel_deg_s)
            needed = b.swivel_peak * float(np.abs(change).max()) / most
            grow = max(needed - (end - start), 0.0)
            start, end = start - 0.5 * grow, end + 0.5 * grow
        return max(start + late, 0.0), end + late

    def circle_radius(self, act: Act, side: Side, radius: float, arc: float) -> float:
        """The lexeme's, no faster than hands circle."""
        s = self.settings
        length = act.time.last_s - act.time.start_s
        return min(radius * (s.size * s.progressive), s.tracks.circle_m_s * length / arc)


@dataclass(frozen=True)
class PaperRules(ActingRules):
    """As published by Neff, Kipp, Albrecht and Seidel (2008), chapter 6."""

    head = PAPER_HEAD
    body = PAPER_BODY
    stage_type = PaperStage

    @property
    def reach_gain(self) -> float:
        """None: the collar bones are keyed."""
        return 0.0

    def stance(self, seed: int) -> Stance:
        """None: the feet are as in the rest pose."""
        return PINNED

    def rise_s(self, path_m: float) -> float:
        """A preparation takes the time there is."""
        return 0.0

    def emphasis(self, accent: float, rng: np.random.Generator) -> float:
        """None."""
        return 1.0

    def vary_hand(self, pose: HandPose, lexeme: Lexeme, rng: np.random.Generator) -> HandPose:
        """As in the lexicon."""
        return pose

    def stroke_path(self, lexeme: Lexeme, own: Floats, given: Floats) -> Floats:
        """The script's, or a little down where it has none."""
        p = self.settings.palms
        moves = np.linalg.norm(given) > p.least_path_m
        return given if moves else np.array([0.0, -p.least_drop_m, 0.0])

    def place_palms(
        self, palms: Floats, outward: Floats, free: Bools, loose: Floats, rng: np.random.Generator
    ) -> Floats:
        """As in Table 4.1."""
        return palms

    def shoulders(self, side: Side, palms: Floats) -> Floats | None:
        """As in the T-pose."""
        return None

    def collar(self, side: Side, position: HandPosition) -> Floats:
        """Table 6.2, with the gains of settings and speaker."""
        gain = self.settings.collar_gain * self.performer.collar_gain
        return collar_turns(side, -table_collar_angles(position.indices[0], gain), 0.0)

    def part_times(
        self,
        part: str,
        event: HandEvent,
        change: Floats,
        times: StepTimes,
        rng: np.random.Generator,
    ) -> StepTimes:
        """Together with the wrist."""
        return times

    def circle_radius(self, act: Act, side: Side, radius: float, arc: float) -> float:
        """Of the forearm's rotation by eq. 6.2."""
        far = float(np.linalg.norm(act.end[side].wrist - act.start[side].wrist))
        count = len(act.time.repeats) + 1
        angle = progressive_amplitude(far / FOREARM_M, count, self.settings.progressive)
        return FOREARM_M * float(np.sin(angle))


def acting_rules(
    settings: ActingSettings | None = None, performer: Performer | None = None
) -> ActingRules:
    """The rules that the settings ask for."""
    s, who = settings or ActingSettings(), performer or Performer()
    if s.paper:
        return PaperRules(s.paper_preset(), who)
    return ObservedRules(s if who.size == 1.0 else replace(s, size=s.size * who.size), who)


def progressive_amplitude(
    angle: float, repetitions: int, gain: float = 1.0, least: float = LEAST_AMPLITUDE
) -> float:
    """Amplitude of a progressive's rotation, the published formula (eq. 6.2).

    >>> progressive_amplitude(1.2, 1)
    0.6
    """
    return max(least, gain * angle / (2.0 * repetitions))
