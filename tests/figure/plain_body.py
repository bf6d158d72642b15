"""A standing body in plain Python, slow and without arrays of numbers: the reference of the loop."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from kinesphere.figure.standing import body_layout as at
from kinesphere.figure.standing.body_settings import BodySettings
from kinesphere.figure.standing.legs import leg_table
from kinesphere.figure.standing.stance import Stance
from kinesphere.maths import quaternion
from kinesphere.maths.curves import minimum_jerk
from tests.animation.plain_chance import normal, uniform

WAVE, BREATH, SHIFT, _, _, _, STEP, PIVOT, HEEL = range(9)


@dataclass
class PlainFoot:
    """A foot: where it was and goes, when, how high; its heel."""

    before: np.ndarray
    goal: np.ndarray
    at_s: float = -10.0
    long_s: float = 1.0
    lift: float = 0.0
    heel_up: float = 0.0
    heel: float = 0.0
    heel_goal: float = 0.0
    heel_until_s: float = 0.0
    heel_lag: float = 0.0

    def ratio(self, time_s: float) -> float:
        return (time_s - self.at_s) / self.long_s

    def place(self, time_s: float) -> np.ndarray:
        r = (self.ratio(time_s) - at.LIFTED) / (1.0 - 2.0 * at.LIFTED)
        way = self.goal - self.before
        return np.asarray(self.before + float(minimum_jerk(r)) * way)

    def go(self, time_s: float, goal: np.ndarray, long_s: float, lift: float, up: float) -> None:
        self.before, self.goal = self.goal, goal
        self.at_s, self.long_s, self.lift, self.heel_up = time_s, long_s, lift, up
        self.heel_goal = 0.0


@dataclass
class PlainBody:
    """One person; `step` returns hips, pelvis, spine and feet of the next frame."""

    seed: int
    stance: Stance
    fps: float
    k: BodySettings = field(default_factory=BodySettings)

    def __post_init__(self) -> None:
        row = leg_table().row
        self.hip, self.lengths = row[:3], row[3:5]
        self.ankle_y, self.ankle_z, self.ball_y, self.ball_z = row[5:]
        self.frame, self.dt = 0, 1.0 / self.fps
        self.feet = [PlainFoot(self.home(f), self.home(f)) for f in range(2)]
        for foot in self.feet:
            foot.at_s = -10.0
        self.goal = self.wanted = self.stance.middle
        self.lags = [self.stance.middle] * 3
        self.tau, self.shifted_s, self.moved_s = self.k.shift_s, -0.3, 0.0
        self.due_s, self.due, self.cell = math.inf, 0.5, 0
        self.clock = self.active = self.speed = 0.0

    def home(self, foot: int) -> np.ndarray:
        side = 1.0 - 2.0 * foot
        out = self.stance.left_out if foot == 0 else -self.stance.right_out
        ahead = self.ankle_z + 0.5 * side * self.stance.stagger_m
        return np.array([0.5 * side * self.stance.width_m, ahead, out])

    def wave(self, column: int, time_s: float) -> float:
        low, high = at.BANDS_HZ[column]
        total = 0.0
        for w in range(at.WAVES):
            share = (w + uniform(self.seed, WAVE, column, 2 * w)) / at.WAVES
            hz = low * (high / low) ** share
            phase = 2.0 * math.pi * uniform(self.seed, WAVE, column, 2 * w + 1)
            total += math.sin(2.0 * math.pi * hz * time_s + phase)
        return total / math.sqrt(at.WAVES / 2.0)

    def step(self, speaks: float, wrists: np.ndarray, head_yaw: float) -> dict[str, np.ndarray]:
        """A frame with wrists ``[2, 3]``; the head's yaw is followed by the stance's ratio."""
        now = self.frame * self.dt
        self._watch(wrists, head_yaw)
        while (self.cell + 1) * at.CELL_S <= now + 1e-9:
            self.cell += 1
            self._decide(self.cell * at.CELL_S, self.cell, speaks, wrists)
        k, st = self.k, self.stance
        pace = min(self.speed / k.usual_m_s, k.most_pace)
        self.active += (pace - self.active) * (1.0 - math.exp(-self.dt / k.pace_s))
        self.clock += self.dt * (k.quiet_pace + (1.0 - k.quiet_pace) * self.active)
        level = k.silent_level + (1.0 - k.silent_level) * speaks
        feet = np.array([self._foot(f, now) for f in range(2)])
        soles, yaws = self._soles(now)
        gap = math.hypot(*(soles[0] - soles[1]))
        heading = 0.5 * (yaws[0] + yaws[1] - st.left_out + st.right_out)
        share = self._share(level)
        fore = st.fore_m * level * self.wave(at.WAVE_FORE, self.clock)
        fore = float(np.clip(fore, -k.fore_most_m, k.fore_most_m)) + k.forward_m
        fore += k.sway_fore_m * self.wave(at.WAVE_SWAY_FORE, now)
        share += k.sway_side_m * self.wave(at.WAVE_SWAY_SIDE, now) / max(gap, k.narrow_m)
        flat = soles[1] + share * (soles[0] - soles[1])
        flat = flat + fore * np.array([math.sin(heading), math.cos(heading)])
        side = (share - 0.5) * gap
        pelvis, spine, full = self._trunk(now, side, heading, level)
        knee = max(
            st.knee + st.knee_wander * level * self.wave(at.WAVE_KNEE, self.clock), k.least_knee_rad
        )
        rise = st.bob_m * level * self.wave(at.WAVE_BOB, self.clock) + k.hips_rise * self.rise
        hips = np.array([flat[0], self._height(flat, feet, pelvis, knee, rise), flat[1]])
        feet = np.array([self._spare(f, feet[f], hips, pelvis) for f in range(2)])
        self.frame += 1
        collar = np.array(k.collar_rad * full)
        return {"hips": hips, "pelvis": pelvis, "spine": spine, "feet": feet, "collar": collar}

    def _watch(self, wrists: np.ndarray, head_yaw: float) -> None:
        k = self.k
        ahead = wrists[:, 2].sum() - k.rest_ahead_m
        apart = wrists[0, 2] - wrists[1, 2]
        high = wrists[:, 1].sum() - k.rest_high_m
        if self.frame == 0:
            self.last, self.head = wrists, [head_yaw, head_yaw]
            self.ahead, self.apart, self.rise = ahead, apart, high
        moved = np.linalg.norm(wrists - self.last, axis=1).max() / self.dt
        self.last = wrists
        self.speed += (min(moved, 4.0) - self.speed) * (1.0 - math.exp(-self.dt / k.speed_s))
        part = 1.0 - math.exp(-self.dt / k.hands_s)
        self.ahead += part * (ahead - self.ahead)
        self.apart += part * (apart - self.apart)
        self.rise += part * (high - self.rise)
        part = 1.0 - math.exp(-self.dt / k.head_s)
        self.head[0] += part * (head_yaw - self.head[0])
        self.head[1] += part * (self.head[0] - self.head[1])

    def _decide(self, now: float, cell: int, speaks: float, wrists: np.ndarray) -> None:
        k, st, seed = self.k, self.stance, self.seed
        if now >= self.due_s:
            self._shift(now, cell, self.due)
            self.due_s = math.inf
        rate = k.silent_rate + (1.0 - k.silent_rate) * speaks
        rate *= float(np.clip(1.0 + k.hands_rate * (self.speed - k.usual_m_s), 0.3, 2.5))
        per_min = rate * at.CELL_S / 60.0
        rested = now - self.shifted_s > k.dwell_s and self.due_s == math.inf
        if rested and uniform(seed, SHIFT, cell, 0) < st.shifts_per_min * per_min:
            self._shift(now, cell, self._next_share(cell, wrists))
        moving = any(now < foot.at_s + foot.long_s for foot in self.feet)
        if moving or self.due_s != math.inf:
            return
        free = 1 if self.lags[2] > 0.5 else 0
        loads = [share if free == 0 else 1.0 - share for share in (self.lags[2], self.wanted)]
        if max(loads) > k.free_share:
            return
        yaws = [foot.place(now)[2] for foot in self.feet]
        heading = 0.5 * (yaws[0] + yaws[1] - st.left_out + st.right_out)
        more = 1.0 + k.turned_rate * abs(heading)
        if now - self.moved_s > k.step_apart_s:
            if uniform(seed, STEP, cell, 0) < 2.0 * st.steps_per_min * per_min * more:
                self._step(free, now, cell, 0.3 * heading)
                return
            if uniform(seed, PIVOT, cell, 0) < 2.0 * st.pivots_per_min * per_min * more:
                self._pivot(free, now, cell, 0.3 * heading)
                return
        foot = self.feet[free]
        low = foot.heel_goal == 0.0 and foot.heel < 0.02
        if low and uniform(seed, HEEL, cell, 0) < 2.0 * st.heels_per_min * per_min:
            foot.heel_goal = k.heel_rad * (0.4 + 1.2 * uniform(seed, HEEL, cell, 1))
            stays = k.heel_stay_s * math.exp(0.7 * normal(seed, HEEL, cell, 2))
            foot.heel_until_s = now + min(stays, 4.0)

    def _next_share(self, cell: int, wrists: np.ndarray) -> float:
        k, seed = self.k, self.seed
        side = 1.0 if self.goal > 0.5 else -1.0
        if uniform(seed, SHIFT, cell, 1) < k.to_other:
            side = -side
        higher = wrists[0, 1] - wrists[1, 1]
        if abs(higher) > k.higher_m and uniform(seed, SHIFT, cell, 2) < k.to_hand:
            side = math.copysign(1.0, higher)
        dev = k.least_dev + (1.0 - k.least_dev) * uniform(seed, SHIFT, cell, 3)
        return self.stance.middle + side * self.stance.shift_dev * dev

    def _shift(self, now: float, cell: int, goal: float) -> None:
        self.goal, self.shifted_s = goal, now
        spread = self.k.shift_spread * normal(self.seed, SHIFT, cell, 6)
        self.tau = self.k.shift_s * math.exp(spread)
        self.feet[0 if goal > 0.5 else 1].heel_goal = 0.0

    def _beside(self, foot: int, x: float, now: float) -> float:
        """A place to the side that is neither too near to the other foot nor too far."""
        side, other = 1.0 - 2.0 * foot, self.feet[1 - foot].place(now)[0]
        return float(other + side * np.clip(side * (x - other), self.k.narrow_m, self.k.wide_m))

    def _step(self, foot: int, now: float, cell: int, heading: float) -> None:
        k, st, seed = self.k, self.stance, self.seed
        x, z, yaw = self.home(foot)
        c, s = math.cos(heading), math.sin(heading)
        x, z = c * x + s * z, c * z - s * x
        x += st.step_m * float(np.clip(normal(seed, STEP, cell, 2), -2.0, 2.0))
        z += 1.2 * st.step_m * float(np.clip(normal(seed, STEP, cell, 4), -2.0, 2.0))
        yaw += heading + 0.1 * normal(seed, STEP, cell, 6)
        other_z = self.feet[1 - foot].place(now)[1]
        z = float(other_z + np.clip(z - other_z, -k.stagger_m, k.stagger_m))
        goal = np.array([self._beside(foot, x, now), z, yaw])
        far = math.hypot(*(goal - self.feet[foot].goal)[:2])
        self.feet[foot].go(
            now,
            goal,
            k.step_s + k.step_s_per_m * far,
            k.step_lift_m + k.step_lift_per_m * far,
            k.step_heel_rad * min(1.0, 0.45 + 3.0 * far),
        )
        self.moved_s = now + self.feet[foot].long_s
        dev = st.shift_dev * (0.5 + 0.5 * uniform(seed, STEP, cell, 8))
        self.due_s, self.due = now + k.follow_s, 0.5 + (1.0 - 2.0 * foot) * dev

    def _pivot(self, foot: int, now: float, cell: int, heading: float) -> None:
        k, st, seed = self.k, self.stance, self.seed
        x, z, yaw = self.feet[foot].goal
        out = st.left_out if foot == 0 else -st.right_out
        turn = 0.8 * (heading + out - yaw)
        turn += k.pivot_rad * (2.0 * uniform(seed, PIVOT, cell, 1) - 1.0)
        x = self._beside(foot, x + k.pivot_m * normal(seed, PIVOT, cell, 2), now)
        z += k.pivot_m * normal(seed, PIVOT, cell, 4)
        goal = np.array([x, z, yaw + turn])
        self.feet[foot].go(now, goal, k.pivot_s, k.step_lift_m, 0.15)
        self.moved_s = now + k.pivot_s

    def _foot(self, number: int, now: float) -> np.ndarray:
        foot = self.feet[number]
        if now > foot.heel_until_s:
            foot.heel_goal = 0.0
        part = 1.0 - math.exp(-self.dt / self.k.heel_s)
        foot.heel_lag += part * (foot.heel_goal - foot.heel_lag)
        foot.heel += part * (foot.heel_lag - foot.heel)
        x, z, yaw = foot.place(now)
        r = float(np.clip(foot.ratio(now), 0.0, 1.0))
        early = 6.75 * r * (1.0 - r) ** 2
        heel = foot.heel + foot.heel_up * early**2 * float(minimum_jerk(4.0 * r))
        heel = self.k.heel_most_rad * math.tanh(heel / self.k.heel_most_rad)
        height = self.ankle_y + foot.lift * 16.0 * (r * (1.0 - r)) ** 2
        return self._lifted(np.array([x, height, z, yaw, 0.0, 0.0]), heel)

    def _lifted(self, foot: np.ndarray, heel: float) -> np.ndarray:
        """A foot whose ankle rotates about its ball, which stays, to an angle."""
        yaw = float(foot[3])
        ball = np.array([0.0, self.ball_y, self.ball_z])
        turned = quaternion.rotate(quaternion.exp(np.array([[foot[4], 0, 0], [heel, 0, 0]])), ball)
        step = quaternion.rotate(quaternion.exp(np.array([0.0, yaw, 0.0])), turned[0] - turned[1])
        return np.array([*(foot[:3] + step), yaw, heel, heel])

    def _spare(
        self, number: int, foot: np.ndarray, hips: np.ndarray, pelvis: np.ndarray
    ) -> np.ndarray:
        """A foot with its heel lifted where the shin leans farther than its ankle can bend."""
        side = np.array([1.0 - 2.0 * number, 1.0, 1.0])
        joint = hips + quaternion.rotate(quaternion.exp(pelvis), self.hip * side)
        to = quaternion.rotate(quaternion.exp(np.array([0.0, -foot[3], 0.0])), joint - foot[:3])
        (a, b), far = self.lengths, min(float(np.linalg.norm(to)), float(sum(self.lengths)))
        knee = math.acos(min((b * b + far * far - a * a) / (2.0 * b * far), 1.0))
        over = knee + math.atan2(to[2], to[1]) - foot[4] - self.k.ankle_rad
        ease = self.k.ankle_ease_rad
        return self._lifted(foot, foot[4] + ease * float(np.logaddexp(0.0, over / ease)))

    def _soles(self, now: float) -> tuple[np.ndarray, list[float]]:
        sole, out, yaws = at.SOLE * self.ball_z, [], []
        for foot in self.feet:
            x, z, yaw = foot.place(now)
            out.append([x + sole * math.sin(yaw), z + sole * math.cos(yaw)])
            yaws.append(float(yaw))
        return np.array(out), yaws

    def _share(self, level: float) -> float:
        least = self.k.least_share
        self.wanted = float(np.clip(self.goal, least, 1.0 - least))
        part, source = 1.0 - math.exp(-self.dt / self.tau), self.wanted
        for n in range(3):
            self.lags[n] += part * (source - self.lags[n])
            source = self.lags[n]
        drift = self.stance.drift * level * self.wave(at.WAVE_DRIFT, self.clock)
        return float(np.clip(self.lags[2] + drift, least, 1.0 - least))

    def _trunk(
        self, now: float, side: float, heading: float, level: float
    ) -> tuple[np.ndarray, np.ndarray, float]:
        k, st = self.k, self.stance

        def w(column: int) -> float:
            return level * self.wave(column, self.clock)

        follows = st.with_head * self.head[1]
        yaw = st.yaw * w(at.WAVE_YAW) + st.yaw_per_m * side + k.pelvis_yaw_head * follows
        yaw += k.feet_yaw * heading
        yaw = heading + k.twist_rad * math.tanh((yaw - heading) / k.twist_rad)
        pitch = st.pitch * w(at.WAVE_PITCH) + k.pelvis_pitch_hands * self.ahead
        roll = st.roll * w(at.WAVE_ROLL) + st.roll_per_m * side - st.hip_up
        u = [uniform(self.seed, BREATH, 0, n) for n in range(3)]
        rate = 2.0 * math.pi * k.breath_hz * (0.88 + 0.24 * u[0]) * now
        full = math.sin(
            rate + 2.0 * math.pi * u[1] + 0.4 * math.sin(0.23 * rate + 2.0 * math.pi * u[2])
        )
        bend = st.spine_pitch * w(at.WAVE_SPINE_PITCH) + k.spine_pitch_hands * self.ahead
        bend += k.spine_pitch_rise * self.rise - k.spine_upright * pitch - k.breath_rad * full
        turn = st.spine_yaw * w(at.WAVE_SPINE_YAW) + k.spine_yaw_hands * self.apart
        turn += k.spine_with_pelvis * yaw
        turn += (1.0 - k.pelvis_yaw_head * (1.0 + k.spine_with_pelvis)) * follows
        lean = st.spine_roll * w(at.WAVE_SPINE_ROLL) + k.spine_roll_per_m * side + st.hip_up
        return np.array([pitch, yaw, -roll]), np.array([bend, turn, -lean]), full

    def _height(
        self, flat: np.ndarray, feet: np.ndarray, pelvis: np.ndarray, knee: float, rise: float
    ) -> float:
        """Of hips that leave both knees bent by an angle or more."""
        a, b = self.lengths
        bent = math.sqrt(a * a + b * b + 2.0 * a * b * math.cos(knee))
        heights, tops = [], []
        for foot, side in enumerate((1.0, -1.0)):
            x, y, z = quaternion.rotate(quaternion.exp(pelvis), self.hip * [side, 1.0, 1.0])
            far = math.hypot(flat[0] + x - feet[foot, 0], flat[1] + z - feet[foot, 2])
            heights.append(self.ankle_y + math.sqrt(bent**2 - far**2) - y)
            most = self.k.reach * (a + b)
            tops.append(feet[foot, 1] + math.sqrt(most**2 - far**2) - y)
        # A smooth minimum.
        soft = self.k.soft_m
        low = -soft * float(np.logaddexp(-heights[0] / soft, -heights[1] / soft))
        top = min(tops)
        return low + rise - soft * float(np.logaddexp(0.0, (low + rise - top) / soft))
