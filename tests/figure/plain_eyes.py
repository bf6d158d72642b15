"""Eyes of one character as a plain rule, event by event: what `figure.eyes` does compiled."""

from __future__ import annotations

import math

import numpy as np

from kinesphere.figure.head.eyes import EyeSettings
from kinesphere.figure.head.gaze_cues import (
    GLANCE,
    LIDS_OPEN,
    LISTENER,
    PAUSE,
    RAISE,
    STAY,
    SYLLABLE,
)
from kinesphere.maths.arrays import Floats
from kinesphere.maths.curves import minimum_jerk
from tests.animation.plain_chance import BLINK, LOOK, between, normal, uniform

Cue = tuple[float, int, float, float, float]
SLOPES = ((20.0, 60.0), (-10.0, 20.0), (-20.0, -45.0))


class PlainEyes:
    """One character; angles are arrays of yaw and pitch."""

    def __init__(self, seed: int, s: EyeSettings) -> None:
        self.seed, self.g, self.b, self.w = seed, s.gaze, s.blinks, s.brows
        self.start, self.goal, self.onset_s, self.takes_s = np.zeros(2), np.zeros(2), 0.0, 1.0
        self.next_s, self.plan, self.at = 0.0, "", "nothing"
        self.phrase = self.number = self.blinks = 0
        self.listener = np.zeros(2)
        self.speaking, self.spoke_s, self.stay_s, self.back_s = False, -1e9, 0.0, 0.0
        self.patience = 1.0
        self.home, self.home_rate, self.home_goal, self.home_s = (*np.zeros((3, 2)), 0.0)
        self.blink_s, self.blink_length_s, self.open_s = -1e9, 1.0, 0.0
        every_s = 60.0 / self.b.per_min if self.b.per_min else math.inf
        self.due_s = every_s * uniform(seed, BLINK, 0, 0) if self.b.per_min else math.inf
        self.raise_s, self.height = -1e9, 0.0

    def key(self, number: int | None = None) -> tuple[int, int, int]:
        own = self.number if number is None else number
        return self.seed, LOOK, 65536 * self.phrase + own

    def gaze(self, time_s: float) -> Floats:
        ease = minimum_jerk((time_s - self.onset_s) / self.takes_s)
        return np.asarray(self.start + (self.goal - self.start) * ease)

    def home_now(self, time_s: float) -> tuple[Floats, Floats]:
        """Place and velocity of the head's home."""
        own_s, per_s = max(time_s - self.home_s, 0.0), 4.74 / self.g.home_s
        left = self.home - self.home_goal
        pull, fade = self.home_rate + per_s * left, math.exp(-per_s * own_s)
        place = self.home_goal + (left + pull * own_s) * fade
        return place, (self.home_rate - per_s * pull * own_s) * fade

    def place(self, away: bool) -> Floats:
        key, g = self.key(), self.g
        points = 1.0 if g.face_points else 0.0
        if not away:
            point = uniform(*key, 1)
            eye = points * np.arctan(0.031 / g.listener_m)
            aside = 0.0 if point < 0.25 else eye if point < 0.625 else -eye
            below = points * np.arctan(0.07 / g.listener_m) if point < 0.25 else 0.0
            stray = np.radians(g.stray_deg) * np.array([normal(*key, 2), normal(*key, 4)])
            return np.asarray((stray + [aside, below]) * [g.side, 1.0])
        size = np.radians(between(*g.away_deg, *key, 8))
        kind = uniform(*key, 9)
        slope = np.radians(between(*SLOPES[0 if kind < 0.5 else 1 if kind < 0.8 else 2], *key, 10))
        left = g.side * (1.0 if uniform(*key, 11) < 0.5 else -1.0)
        if abs(self.listener[0]) > np.radians(g.far_aside_deg):
            left = -np.sign(self.listener[0])
        return np.asarray(size * np.array([left * np.cos(slope), np.sin(slope)]))

    def jump(self, at_s: float, goal: Floats) -> None:
        self.start = self.gaze(at_s)
        self.home, self.home_rate = self.home_now(at_s)
        far = float(np.hypot(*(goal - self.start)))
        self.goal, self.onset_s, self.plan, self.home_s = goal, at_s, "", at_s
        self.home_goal = self.listener + self.g.home_part * (goal - self.listener)
        most = min(np.degrees(far), self.g.saccade_most_deg)
        self.takes_s = self.g.saccade_s + self.g.saccade_s_per_deg * most
        chosen = uniform(*self.key(), 17) < self.b.shift_ratio
        if far >= np.radians(self.b.shift_deg) and chosen:
            self.blink_by(at_s + self.b.shift_late_s * uniform(*self.key(), 18))

    def look(self, at_s: float, away: bool) -> None:
        g = self.g
        self.number += 1
        usual_s, (least, most) = (
            (g.away_s, g.away_range_s) if away else (g.fixation_s, g.fixation_range_s)
        )
        if not away and self.at != "face":
            self.back_s = at_s
            self.patience = math.exp(g.spread * normal(*self.key(), 20))
        stays_s = min(max(usual_s * math.exp(g.spread * normal(*self.key(), 6)), least), most)
        self.next_s, self.at = at_s + stays_s, "aside" if away else "face"
        self.jump(at_s, self.listener + self.place(away))

    def look_on(self) -> None:
        g, at_s, plan = self.g, self.next_s, self.plan
        away = plan == "aside"
        if not plan and self.at == "face":
            spoke = self.speaking or at_s - self.spoke_s < g.held_s
            ratio = g.speaking_ratio if spoke else g.listening_ratio
            usual_s = math.inf
            if ratio < 1.0:
                usual_s = max(g.away_s * ratio / (1.0 - ratio) - 0.5 * g.fixation_s, 0.0)
            away = at_s - self.back_s >= usual_s * self.patience
        may = at_s >= self.stay_s and at_s - self.back_s >= g.least_back_s
        self.look(at_s, away and may)

    def blink_by(self, at_s: float) -> None:
        if at_s - self.blink_s >= self.b.apart_s:
            self.due_s = min(self.due_s, at_s)

    def blink(self) -> None:
        if self.due_s < self.open_s:
            self.due_s = self.open_s
            return
        self.blinks += 1
        key = self.seed, BLINK, 65536 * self.phrase + self.blinks
        self.blink_s, self.blink_length_s = self.due_s, between(*self.b.length_s, *key, 3)
        wait_s = math.inf
        if self.b.per_min:
            every_s = 60.0 / self.b.per_min
            shares = [-math.log(1.0 - uniform(*key, k)) / 3.0 for k in range(3)]
            wait_s = max(self.b.apart_s, min(sum(shares) * every_s, 3.0 * every_s))
        self.due_s += wait_s

    def hear(self, cue: Cue) -> None:
        at_s, kind, value, yaw, pitch = cue
        if kind == PAUSE and self.speaking:
            key = self.seed, BLINK, 65536 * self.phrase
            if uniform(*key, 4) < self.b.end_ratio:
                self.blink_by(at_s + self.b.end_late_s * uniform(*key, 5))
            thinks = uniform(*self.key(), 14) < self.g.pause_ratio
            self.speaking, self.spoke_s = False, at_s
            if thinks and self.at == "face":
                self.next_s, self.plan = max(at_s, self.onset_s + self.g.least_look_s), "aside"
        elif kind == SYLLABLE:
            self.spoke_s = at_s
            if not self.speaking:
                self.begin_phrase(at_s)
        elif kind == RAISE:
            if at_s >= self.raise_s + max(self.w.apart_s, self.w.length_s):
                self.raise_s, self.height = at_s, value
        elif kind == LISTENER:
            self.listener = np.array([yaw, pitch])
            if self.at != "thing":
                self.look(at_s, False)
        elif kind == GLANCE:
            self.number += 1
            self.next_s, self.at = max(value, at_s), "thing"
            self.jump(at_s, np.array([yaw, pitch]))
        elif kind == STAY:
            self.stay_s = max(self.stay_s, value)
            if self.at == "aside":
                ends_s = max(at_s, self.onset_s + self.g.away_range_s[0])
                self.next_s = min(self.next_s, ends_s)
        elif kind == LIDS_OPEN:
            self.open_s = max(self.open_s, value)

    def begin_phrase(self, at_s: float) -> None:
        self.speaking, self.number, self.blinks = True, 0, 0
        self.back_s = self.back_s if self.phrase else -1e9
        self.phrase += 1
        self.patience = math.exp(self.g.spread * normal(*self.key(), 20))
        if self.at != "thing":
            away = uniform(*self.key(), 12) < self.g.phrase_ratio
            first_s = at_s + self.g.phrase_delay_s * uniform(*self.key(), 13)
            self.next_s = min(first_s, self.next_s) if self.at == "aside" else first_s
            self.plan = "aside" if away else "face"

    def lids(self, time_s: float) -> float:
        closing_s = self.b.closing * self.blink_length_s
        open_s = closing_s + self.b.shut * self.blink_length_s
        own_s = time_s - self.blink_s
        opening = minimum_jerk((own_s - open_s) / (self.blink_length_s - open_s))
        return float(minimum_jerk(own_s / closing_s) - opening)

    def brows(self, time_s: float) -> float:
        own_s, w = time_s - self.raise_s, self.w
        down = minimum_jerk((own_s - w.lead_s - w.hold_s) / w.fall_s)
        return float(self.height * (minimum_jerk(own_s / w.lead_s) - down))


def plain_eyes(times_s: Floats, cues: list[Cue], seed: int, s: EyeSettings) -> Floats:
    """Gaze, home of the head, lids and brows ``[frames, 6]``."""
    eyes, found = PlainEyes(seed, s), []
    waiting = sorted(cues, key=lambda cue: (cue[0], cue[1]))
    for now_s in times_s:
        while True:
            cue_s = waiting[0][0] if waiting else math.inf
            if min(cue_s, eyes.next_s, eyes.due_s) > now_s:
                break
            if cue_s <= min(eyes.next_s, eyes.due_s):
                eyes.hear(waiting.pop(0))
            elif eyes.next_s <= eyes.due_s:
                eyes.look_on()
            else:
                eyes.blink()
        rest = [eyes.lids(now_s), eyes.brows(now_s)]
        found.append([*eyes.gaze(now_s), *eyes.home_now(now_s)[0], *rest])
    return np.array(found)
