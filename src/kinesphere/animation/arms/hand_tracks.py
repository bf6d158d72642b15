"""From events to tracks: transitions and layers for every degree of freedom of a hand.

Events that follow each other closely overlap, so that hands move through their keys without a stop.
The second hand has a small time offset, strokes have the anticipation and overshoot of their speed
profile, fingers form their shape during the movement, and progressives are an offset layer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from kinesphere.animation.arms.hand_events import Act, HandEvent, Poses, way_points
from kinesphere.animation.arms.poses.hand_pose import FIST
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import SIDES, Side, sign_of
from kinesphere.motion.keyed.tracks import DofTrack, Step, sum_layers

if TYPE_CHECKING:
    from kinesphere.animation.acting_rules import ActingRules

PARTS = ("Wrist", "Swivel", "Angles", "Fingers", "Collar")


@dataclass(frozen=True)
class HandTracks:
    """Tracks of one hand by part, and offset layers of the wrist and the hand's angles."""

    side: Side
    tracks: dict[str, DofTrack]
    layers: dict[str, list[DofTrack]]

    def sample(self, part: str, times: Floats) -> Floats:
        """Values ``[f, d]`` of a part with its layers."""
        return sum_layers([self.tracks[part], *self.layers.get(part, ())], times)


def hand_tracks(
    events: Sequence[HandEvent], first: Poses, side: Side, rules: ActingRules, seed: int
) -> HandTracks:
    """Tracks of one hand for a row of events."""
    rng = np.random.default_rng([seed, 11, SIDES.index(side)])
    builder = _TrackBuilder(side, rules, rng)
    builder.start(first)
    for i, event in enumerate(events):
        before = events[i - 1] if i else None
        after = events[i + 1] if i + 1 < len(events) else None
        builder.add(event, before, after)
    return builder.build()


class _TrackBuilder:
    def __init__(self, side: Side, rules: ActingRules, rng: np.random.Generator) -> None:
        self.side, self.rules, self.rng = side, rules, rng
        self.s, self.b = rules.settings, rules.settings.tracks
        self.steps: dict[str, list[Step]] = {part: [] for part in PARTS}
        self.offsets: dict[str, list[Step]] = {"Wrist": [], "Angles": [], "Fingers": []}
        self.first: dict[str, Floats] = {}
        self.here: dict[str, Floats] = {}

    def start(self, poses: Poses) -> None:
        self.first = dict(_values(poses, self.side))
        self.here = dict(self.first)

    def add(self, event: HandEvent, before: HandEvent | None, after: HandEvent | None) -> None:
        s, b = self.s, self.b
        goal = _values(event.poses, self.side)
        start, end = event.start_s, event.end_s
        held = event.still
        lag = 0.0
        if s.lag_s and not (held or event.touch):
            own = 1.0 if self.side in event.lead and len(event.lead) == 1 else b.both_lag
            lag = s.lag_s / own * float(np.clip(self.rng.normal(), -b.most_lag, b.most_lag))
            lag = lag * b.lag_ratio
        flow = s.overlap * event.length_s
        if before is not None and _flows(before, event, b.close_s):
            start -= 0.5 * min(flow, s.overlap * before.length_s)
        if after is not None and _flows(event, after, b.close_s):
            end += 0.5 * min(flow, s.overlap * after.length_s)
        start, end = max(start + lag, 0.0), end + lag
        end = max(end, start + b.least_s)
        arc = event.arcs.get(self.side)
        self._wrist(event, goal["Wrist"], start, end, arc)
        for part in PARTS[1:]:
            self._part(part, event, goal[part], start, end)
        if event.kind == "stroke" and event.act is not None and self.side in event.act.sides:
            self._layers(event.act)

    def _step(self, part: str, start: float, end: float, change: Floats, **more: object) -> None:
        slopes = self.b.key_slopes
        step = Step(start, end - start, change, slopes=slopes, **more)  # type: ignore[arg-type]
        self.steps[part].append(step)

    def _wrist(
        self, event: HandEvent, goal: Floats, start: float, end: float, arc: Floats | None
    ) -> None:
        here = self.here["Wrist"]
        change = goal - here
        self.here["Wrist"] = goal
        size = float(np.linalg.norm(change))
        if size < 1e-9:
            return
        if self.side in event.via:
            self._passing(way_points(here, goal, event.via[self.side]), start, end)
            return
        self._step("Wrist", start, end, change, peak=event.peak, flat=event.flat, arc=arc)
        if event.kind == "stroke" and event.act is not None:
            self._follow_through(event.act, change, start, end)

    def _follow_through(self, act: Act, change: Floats, start: float, end: float) -> None:
        """Anticipation of a strong stroke, and overshoot."""
        b, weight, flow = self.b, act.effort[1], act.effort[3]
        least, more = b.windup_weight
        if b.windup and np.linalg.norm(change) > b.windup_path_m and weight > least:
            # A small movement in the other direction.
            back = -b.windup * min(1.0, weight + more) * change
            early, late = b.windup_s
            self._step("Wrist", max(start - early, 0.0), start + late, back)
            self._step("Wrist", start, start + b.windup_back * (end - start), -back)
        past = dict(b.overshoot).get(act.lexeme.warp, 0.0) - b.overshoot_flow * min(flow, 0.0)
        if past and not act.lexeme.contact:
            least, more = b.return_vary
            length = b.return_s * (least + more * self.rng.random())
            begin = end - b.overshoot_from * (end - start)
            self._step("Wrist", begin, end + b.overshoot_join_s, past * change)
            self._step("Wrist", end - b.overshoot_join_s, end + length, -past * change)

    def _passing(self, places: Floats, start: float, end: float) -> None:
        """Overlapping steps through via points: a path with nearly constant speed."""
        changes = np.diff(places, axis=0)
        changes = changes[np.any(changes != 0.0, axis=1)]
        lengths = np.linalg.norm(changes, axis=1)
        at = start + (end - start) * np.concatenate([[0.0], np.cumsum(lengths) / lengths.sum()])
        shorter = np.minimum(np.diff(at)[:-1], np.diff(at)[1:])
        early = np.concatenate([[0.0], self.b.via_overlap * shorter])
        late = np.concatenate([self.b.via_overlap * shorter, [0.0]])
        for k, change in enumerate(changes):
            self._step("Wrist", float(at[k] - early[k]), float(at[k + 1] + late[k]), change)

    def _part(self, part: str, event: HandEvent, goal: Floats, start: float, end: float) -> None:
        change = goal - self.here[part]
        self.here[part] = goal
        if not np.any(np.abs(change) > 1e-9):
            return
        if not (event.still or event.touch):
            start, end = self.rules.part_times(part, event, change, (start, end), self.rng)
        end = max(end, start + self.b.least_part_s)
        self._step(part, start, end, change, peak=event.peak, flat=event.flat)

    # -- layers ----------------------------------------------------------------------------------

    def _layers(self, act: Act) -> None:
        radius = act.lexeme.circle_cm[len(act.sides) - 1] / 100.0
        if radius:
            self._circle(act, radius)
        swing = act.lexeme.swing
        step = np.array([sign_of(self.side) * swing.out_cm, swing.up_cm, swing.forward_cm]) / 100.0
        turn = np.radians([swing.roll, swing.flexion, swing.deviation])
        if np.any(step) or np.any(turn) or swing.curl:
            curl = swing.curl * (FIST - act.end[self.side].fingers)
            self._swing(act, step, turn, curl)

    def _circle(self, act: Act, radius: float) -> None:
        """Circles as an offset layer (section 6.5.2)."""
        b, start, end = self.b, act.time.start_s, act.time.last_s
        once = np.radians(b.circle_deg)
        arc = once + 2.0 * np.pi * len(act.time.repeats)
        first = np.radians(b.circle_start_deg)
        if act.lexeme.circle_sign < 0:
            first = first - once
        if act.lexeme.antiphase and len(act.sides) == 2 and self.side == "left":
            first += np.pi
        sense = -1.0 if act.lexeme.circle_sign > 0 else 1.0
        radius = self.rules.circle_radius(act, self.side, radius, arc)
        early, late = b.circle_in_s
        out = float(sign_of(self.side))
        ways = {"sagittal": ((2, 1.0), (1, 1.0)), "frontal": ((0, out), (1, 1.0))}
        first_way, second_way = ways.get(act.lexeme.circle_plane, ((0, out), (2, 1.0)))
        for (axis, sign), shift in ((first_way, 0.0), (second_way, -0.5 * np.pi)):
            # cos(angle + shift): forward, then up. Steps from turning point to turning point.
            inside = _extrema(first + shift, arc, sense)
            knots = np.array([0.0, *inside, arc])
            values = sign * radius * np.cos(first + shift + sense * knots)
            vector = np.zeros(3)
            vector[axis] = values[0]
            self._offset("Wrist", start - early, start + late, vector)
            times = start + (end - start) * knots / arc
            for (begin, till), change in zip(pairwise(times), np.diff(values), strict=True):
                vector = np.zeros(3)
                vector[axis] = change
                self._offset("Wrist", float(begin), float(till), vector)
            vector = np.zeros(3)
            vector[axis] = -values[-1]
            self._offset("Wrist", end, end + b.circle_out_s, vector)
        # The hand angles follow the circle with a small delay.
        size, cycles = np.radians(b.circle_hand_deg), arc / (2.0 * np.pi)
        self._wave("Angles", size, start, end, cycles, b.circle_hand_late_s)

    def _swing(self, act: Act, step: Floats, turn: Floats, curl: Floats) -> None:
        start, end = act.time.start_s, act.time.last_s
        rate = act.lexeme.after.rate_hz or 2.0
        cycles = max(1.0, round(2.0 * (end - start) * rate) / 2.0)
        sign = -1.0 if act.lexeme.antiphase and self.side == "left" else 1.0
        fading = act.lexeme.after.fading
        late = act.lexeme.wrist_lag_s
        one = act.lexeme.one_sided
        if one:
            cycles *= 2.0
        for part, size, lag in (
            ("Wrist", step, 0.0),
            ("Angles", turn, late),
            ("Fingers", curl, late),
        ):
            if not np.any(size):
                continue
            for late_s, share in self._finger_lags(part, size, act.lexeme.finger_lag_s):
                more = {"one_sided": one}
                self._wave(part, sign * share, start, end, cycles, lag + late_s, fading, **more)

    def _finger_lags(self, part: str, size: Floats, lag_s: float) -> list[tuple[float, Floats]]:
        """Delays and shares of an oscillation: fingers one after the other, else at once."""
        if part != "Fingers" or not lag_s:
            return [(0.0, size)]
        # Knuckles of a finger are in a row, the thumb's angles are after all spreads.
        finger = np.concatenate([np.repeat(np.arange(4), 3), np.arange(4), np.zeros(5)])
        return [(k * lag_s, np.where(finger == k, size, 0.0)) for k in range(4)]

    def _wave(
        self,
        part: str,
        size: Floats,
        start: float,
        end: float,
        cycles: float,
        late: float,
        fading: float = 1.0,
        *,
        one_sided: bool = False,
    ) -> None:
        """Oscillation as steps from turning point to turning point, back to 0 at the end."""
        count = max(2, round(2.0 * cycles))
        value, sign = 0.0, 1.0
        edges = np.linspace(start, end, count + 1) + late
        for k in range(count):
            goal = sign * fading ** (k // 2) * (1.0 + self.b.wave_spread * self.rng.normal())
            if one_sided:
                goal = 2.0 * max(goal, 0.0)
            if k == count - 1:
                goal = 0.0
            self._offset(part, float(edges[k]), float(edges[k + 1]), (goal - value) * size)
            value, sign = goal, -sign

    def _offset(self, part: str, start: float, end: float, change: Floats) -> None:
        start = max(start, 0.0)
        length = max(end - start, self.b.least_offset_s)
        self.offsets[part].append(Step(start, length, change, slopes=(0.0, 0.0)))

    def build(self) -> HandTracks:
        tracks = {part: DofTrack.of_steps(self.first[part], self.steps[part]) for part in PARTS}
        layers = {
            part: [DofTrack.of_steps(np.zeros(len(steps[0].change)), steps)]
            for part, steps in self.offsets.items()
            if steps
        }
        return HandTracks(self.side, tracks, layers)


def _values(poses: Poses, side: Side) -> dict[str, Floats]:
    pose = poses[side]
    return {
        "Wrist": pose.wrist,
        "Swivel": np.array([pose.swivel]),
        "Angles": pose.angles,
        "Fingers": pose.fingers,
        "Collar": pose.collar,
    }


def _flows(a: HandEvent, b: HandEvent, close_s: float) -> bool:
    """Whether one event continues into the next without a stop."""
    return not (a.still or b.still) and b.start_s - a.end_s < close_s


def _extrema(first: float, arc: float, sense: float) -> list[float]:
    """Angles at which a cosine that starts at an angle has its extrema."""
    out = []
    offset = (first / np.pi) % 1.0 if sense < 0 else (-first / np.pi) % 1.0
    at = offset * np.pi
    while at < arc - 1e-6:
        if at > 1e-6:
            out.append(at)
        at += np.pi
    return out
