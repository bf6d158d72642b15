"""From events to tracks: transitions and layers for every degree of freedom of a hand.

Events that follow each other closely overlap, so that hands move through their keys without a stop.
The second hand has a small time offset, strokes have the anticipation and overshoot of their speed
profile, fingers form their shape during the movement, and progressives are an offset layer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinesphere.animation.arms.hand_events import Act, Event, Poses, way_points
from kinesphere.animation.arms.hand_pose import FIST
from kinesphere.animation.arms.stroke_timing import CIRCLE_M_S
from kinesphere.animation.settings import ActingSettings
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import SIDES, Side, sign_of
from kinesphere.motion.keyed.tracks import DofTrack, Step, layered

PARTS = ("Wrist", "Swivel", "Angles", "Fingers", "Collar")
# Overshoot of a stroke as a ratio of its path, and the time of the return.
_OVERSHOOT = {"hit": -0.07, "whip": 0.06, "ease": 0.015}
_SETTLE_S = 0.2
_LONG_STROKE_M = 0.15
_CIRCLE_START, _CIRCLE_ARC = np.radians(-165.0), np.radians(240.0)
_CLOSE_S = 0.05
_RUN_INTO = 0.5  # ratio of the shorter of two steps on one path by which they overlap at each end
_FLICK_S = 0.1
FOREARM_M = 0.253
LEAST_AMPLITUDE = float(np.radians(12.0))
_PAPER_SLOPES = (0.0, 0.0)


@dataclass(frozen=True)
class HandTracks:
    """Tracks of one hand by part, and offset layers of the wrist and the hand's angles."""

    side: Side
    tracks: dict[str, DofTrack]
    layers: dict[str, list[DofTrack]]

    def sampled(self, part: str, times: Floats) -> Floats:
        """Values ``[f, d]`` of a part with its layers."""
        return layered([self.tracks[part], *self.layers.get(part, ())], times)


def hand_tracks(
    events: Sequence[Event], first: Poses, side: Side, settings: ActingSettings, seed: int
) -> HandTracks:
    """Tracks of one hand for a row of events."""
    rng = np.random.default_rng([seed, 11, SIDES.index(side)])
    builder = _Builder(side, settings, rng)
    builder.start(first)
    for i, event in enumerate(events):
        before = events[i - 1] if i else None
        after = events[i + 1] if i + 1 < len(events) else None
        builder.add(event, before, after)
    return builder.built()


class _Builder:
    def __init__(self, side: Side, settings: ActingSettings, rng: np.random.Generator) -> None:
        self.side, self.s, self.rng = side, settings, rng
        self.steps: dict[str, list[Step]] = {part: [] for part in PARTS}
        self.offsets: dict[str, list[Step]] = {"Wrist": [], "Angles": [], "Fingers": []}
        self.first: dict[str, Floats] = {}
        self.here: dict[str, Floats] = {}

    def start(self, poses: Poses) -> None:
        self.first = dict(_values(poses, self.side))
        self.here = dict(self.first)

    def add(self, event: Event, before: Event | None, after: Event | None) -> None:
        s = self.s
        goal = _values(event.poses, self.side)
        start, end = event.start_s, event.end_s
        held = event.still
        lag = 0.0
        if not (s.paper or held or event.touch):
            own = 1.0 if self.side in event.lead and len(event.lead) == 1 else 0.5
            lag = s.lag_s / own * float(np.clip(self.rng.normal(), -1.5, 1.5)) * 0.6
        if not s.paper:
            flow = s.overlap * event.length_s
            if _flows(before, event):
                start -= 0.5 * min(flow, s.overlap * before.length_s if before else flow)
            if _flows(event, after):
                end += 0.5 * min(flow, s.overlap * after.length_s if after else flow)
        start, end = max(start + lag, 0.0), end + lag
        end = max(end, start + 0.05)
        arc = event.arcs.get(self.side)
        self._wrist(event, goal["Wrist"], start, end, arc)
        for part in PARTS[1:]:
            self._part(part, event, goal[part], start, end)
        if event.kind == "stroke" and event.act is not None and self.side in event.act.sides:
            self._layers(event.act)

    def _step(self, part: str, start: float, end: float, change: Floats, **more: object) -> None:
        slopes = _PAPER_SLOPES if self.s.paper else None
        step = Step(start, end - start, change, slopes=slopes, **more)  # type: ignore[arg-type]
        self.steps[part].append(step)

    def _wrist(
        self, event: Event, goal: Floats, start: float, end: float, arc: Floats | None
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
        if self.s.paper or event.kind != "stroke" or event.act is None:
            return
        weight, flow = event.act.effort[1], event.act.effort[3]
        if size > _LONG_STROKE_M and weight > 0.05:
            # A strong stroke has an anticipation: a small movement in the other direction.
            back = -0.06 * min(1.0, weight + 0.3) * change
            self._step("Wrist", max(start - 0.11, 0.0), start + 0.05, back)
            self._step("Wrist", start, start + 0.7 * (end - start), -back)
        past = _OVERSHOOT.get(event.act.lexeme.warp, 0.0) - 0.02 * min(flow, 0.0)
        if past and not event.act.lexeme.contact:
            length = _SETTLE_S * (0.9 + 0.4 * self.rng.random())
            begin = end - 0.35 * (end - start)
            self._step("Wrist", begin, end + 0.02, past * change)
            self._step("Wrist", end - 0.02, end + length, -past * change)

    def _passing(self, places: Floats, start: float, end: float) -> None:
        """Overlapping steps through via points: a path with nearly constant speed."""
        changes = np.diff(places, axis=0)
        changes = changes[np.any(changes != 0.0, axis=1)]
        lengths = np.linalg.norm(changes, axis=1)
        at = start + (end - start) * np.concatenate([[0.0], np.cumsum(lengths) / lengths.sum()])
        shorter = np.minimum(np.diff(at)[:-1], np.diff(at)[1:])
        early = np.concatenate([[0.0], _RUN_INTO * shorter])
        late = np.concatenate([_RUN_INTO * shorter, [0.0]])
        for k, change in enumerate(changes):
            self._step("Wrist", float(at[k] - early[k]), float(at[k + 1] + late[k]), change)

    def _part(self, part: str, event: Event, goal: Floats, start: float, end: float) -> None:
        change = goal - self.here[part]
        self.here[part] = goal
        if not np.any(np.abs(change) > 1e-9):
            return
        peak = event.peak
        if not (self.s.paper or event.still or event.touch):
            late = 0.03 * float(np.clip(self.rng.normal(), -1.5, 1.5))
            if part == "Angles" and event.act is not None:
                late += event.act.lexeme.wrist_lag_s
            if part == "Fingers":
                # A hand shape is formed from the middle to the end of the movement.
                if event.kind == "preparation":
                    start += 0.3 * (end - start)
                elif event.kind == "stroke" and event.act is not None:
                    # A hand that opens or closes in a quick stroke does so at its end.
                    quick = event.act.lexeme.warp in ("whip", "hit", "snap")
                    start = max(start, end - (_FLICK_S if quick else 0.7 * (end - start)))
                late += 0.02
            if part == "Swivel":
                # Swivel angles change slowly.
                most = np.radians(190.0)
                needed = 1.9 * float(np.abs(change).max()) / most
                grow = max(needed - (end - start), 0.0)
                start, end = start - 0.5 * grow, end + 0.5 * grow
            start, end = max(start + late, 0.0), end + late
        end = max(end, start + 0.06)
        self._step(part, start, end, change, peak=peak, flat=event.flat)

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
        """Circles in the sagittal plane as an offset layer (section 6.5.2)."""
        start, end = act.time.start_s, act.time.last_s
        turns = len(act.time.repeats)
        arc = _CIRCLE_ARC + 2.0 * np.pi * turns
        first = _CIRCLE_START
        if act.lexeme.circle_sign < 0:
            first = first - _CIRCLE_ARC
        if act.lexeme.antiphase and len(act.sides) == 2 and self.side == "left":
            first += np.pi
        way = -1.0 if act.lexeme.circle_sign > 0 else 1.0
        radius *= self.s.size * self.s.progressive
        if self.s.paper:
            far = float(np.linalg.norm(act.end[self.side].wrist - act.start[self.side].wrist))
            turn = far / FOREARM_M
            angle = progressive_amplitude(turn, turns + 1, self.s.progressive)
            radius = FOREARM_M * float(np.sin(angle))
        else:
            radius = min(radius, CIRCLE_M_S * (end - start) / arc)
        for axis, shift in ((2, 0.0), (1, -0.5 * np.pi)):
            # cos(angle + shift): forward, then up. Steps from turning point to turning point.
            inside = _extrema(first + shift, arc, way)
            knots = np.array([0.0, *inside, arc])
            values = radius * np.cos(first + shift + way * knots)
            lead = 0.4
            vector = np.zeros(3)
            vector[axis] = values[0]
            self._offset("Wrist", start - lead, start + 0.04, vector)
            times = start + (end - start) * knots / arc
            for a, b, va, vb in zip(times[:-1], times[1:], values[:-1], values[1:], strict=True):
                vector = np.zeros(3)
                vector[axis] = vb - va
                self._offset("Wrist", float(a), float(b), vector)
            vector = np.zeros(3)
            vector[axis] = -values[-1]
            self._offset("Wrist", end, end + 0.5, vector)
        # The hand angles follow the circle with a small delay.
        self._wave("Angles", np.radians([0.0, 14.0, 8.0]), start, end, arc / (2.0 * np.pi), 0.06)

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
            if np.any(size):
                self._wave(part, sign * size, start, end, cycles, lag, fading, one_sided=one)

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
            goal = sign * fading ** (k // 2) * (1.0 + 0.1 * self.rng.normal())
            if one_sided:
                goal = 2.0 * max(goal, 0.0)
            if k == count - 1:
                goal = 0.0
            self._offset(part, float(edges[k]), float(edges[k + 1]), (goal - value) * size)
            value, sign = goal, -sign

    def _offset(self, part: str, start: float, end: float, change: Floats) -> None:
        start = max(start, 0.0)
        self.offsets[part].append(Step(start, max(end - start, 0.03), change, slopes=(0.0, 0.0)))

    def built(self) -> HandTracks:
        tracks = {part: DofTrack.of_steps(self.first[part], self.steps[part]) for part in PARTS}
        layers = {
            part: [DofTrack.of_steps(np.zeros(len(steps[0].change)), steps)]
            for part, steps in self.offsets.items()
            if steps
        }
        return HandTracks(self.side, tracks, layers)


def progressive_amplitude(
    angle: float, repetitions: int, gain: float = 1.0, least: float = LEAST_AMPLITUDE
) -> float:
    """Amplitude of a progressive's rotation, the published formula (eq. 6.2).

    >>> progressive_amplitude(1.2, 1)
    0.6
    """
    return max(least, gain * angle / (2.0 * repetitions))


def _values(poses: Poses, side: Side) -> dict[str, Floats]:
    pose = poses[side]
    return {
        "Wrist": pose.wrist,
        "Swivel": np.array([pose.swivel]),
        "Angles": pose.angles,
        "Fingers": pose.fingers,
        "Collar": pose.collar,
    }


def _flows(a: Event | None, b: Event | None) -> bool:
    """Whether one event continues into the next without a stop."""
    if a is None or b is None or a.still or b.still:
        return False
    return b.start_s - a.end_s < _CLOSE_S


def _extrema(first: float, arc: float, way: float) -> list[float]:
    """Angles at which a cosine that starts at an angle has its extrema."""
    out = []
    offset = (first / np.pi) % 1.0 if way < 0 else (-first / np.pi) % 1.0
    at = offset * np.pi
    while at < arc - 1e-6:
        if at > 1e-6:
            out.append(at)
        at += np.pi
    return out
