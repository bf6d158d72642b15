"""The stage of the hands: appends events one after the other and tracks the hands' poses.

All of it is one list of events for both hands: they move together, with small differences. What
happens between strokes and how strokes are reached is defined by `observed_stage.ObservedStage` and
`paper_stage.PaperStage`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from kinesphere.animation.arms.hand_events import SHOWN, TOUCHING, Act, HandEvent, Poses, distance
from kinesphere.animation.arms.poses.contact_poses import touch_of
from kinesphere.animation.arms.poses.hand_pose import HandPose
from kinesphere.animation.arms.stroke_timing import Repeat
from kinesphere.animation.settings import ActingSettings
from kinesphere.animation.speech_cues import SpeechCues
from kinesphere.gesture.lexicon import MicroKey
from kinesphere.gesture.phases import PhaseKind
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import SIDES, Side, sign_of

_SHORTEST_S = 0.03  # shortest event
_FINGERS = ("Index", "Middle", "Ring", "Little")
_BEHIND = "behind-back"


class Stage(ABC):
    """Appends events one after the other; keeps the hands' poses and the time they are free."""

    def __init__(
        self,
        rests: Mapping[str, Poses],
        cues: SpeechCues,
        settings: ActingSettings,
        rng: np.random.Generator,
        first: str,
        end_s: float,
    ) -> None:
        self.rests, self.cues, self.s, self.rng = rests, cues, settings, rng
        self.end_s = end_s
        self.events: list[HandEvent] = []
        self.here: Poses = rests[first]
        self.first = first
        self.resting: str | None = first
        self.now = 0.0
        self.mood = np.zeros(4)
        self.beaten_s = -np.inf

    # -- defined by the rules of acting ----------------------------------------------------------

    @abstractmethod
    def approach(self, act: Act, before: Act | None) -> None:
        """Spend the time until the preparation of a gesture, at rest or after another gesture."""

    @abstractmethod
    def prepare(self, act: Act, start: Poses, *, from_rest: bool) -> None:
        """Bring the hands to the start of a stroke."""

    @abstractmethod
    def stroke_end(self, act: Act, goal: Poses) -> float:
        """End of a stroke, seconds."""

    @abstractmethod
    def stroke_arcs(self, act: Act, goal: Poses) -> dict[Side, Floats]:
        """Curvature of a stroke."""

    @abstractmethod
    def arcs(
        self, poses: Poses, usual: float | None = None, lean: Floats | None = None
    ) -> dict[Side, Floats]:
        """Curvature of the paths to poses."""

    @abstractmethod
    def follow(self, act: Act, side: Side, poses: Poses, base: Poses) -> HandPose:
        """Pose of the hand that does not act in a gesture."""

    @abstractmethod
    def vary_repeat(self, up: dict[Side, HandPose], low: dict[Side, HandPose]) -> None:
        """Vary the poses of a repetition."""

    @abstractmethod
    def leave(self, act: Act, rest: str, following: Act | None) -> None:
        """After a unit: go to rest, sink half-way, or stay for the next unit."""

    @abstractmethod
    def retract(self, name: str, start_s: float, by_s: float | None = None) -> None:
        """Move to a rest pose, by a given time if possible."""

    @abstractmethod
    def rest(self, until_s: float) -> None:
        """Stay at rest until a time."""

    # -- single events ---------------------------------------------------------------------------

    @property
    def moving_until_s(self) -> float:
        """End of the last movement of the hands."""
        return next((e.end_s for e in reversed(self.events) if not e.still), 0.0)

    def vary(self, spread: float) -> float:
        """Random factor about 1 whose logarithm has that spread."""
        return float(np.exp(spread * np.clip(self.rng.normal(), -2.0, 2.0)))

    def path_m(self, poses: Poses) -> float:
        """Longest path of a hand to its pose, metres."""
        return distance(self.here, poses, self.via())

    def via(self, name: str | None = None) -> dict[Side, Floats]:
        """Via points on the path to a rest pose, or away from the current one."""
        if _BEHIND not in (name, self.resting) or name == self.resting:
            return {}
        points = np.array(self.s.strokes.behind_via_m)
        points = points if name == _BEHIND else points[::-1]
        return {side: points * np.array([sign_of(side), 1.0, 1.0]) for side in SIDES}

    def go(
        self, kind: PhaseKind, start_s: float, end_s: float, poses: Poses, **more: object
    ) -> HandEvent:
        """Append an event; hands are at its poses afterwards."""
        start_s = max(start_s, self.now)
        touch = self.resting in TOUCHING
        end_s = max(end_s, start_s + _SHORTEST_S)
        event = HandEvent(kind, start_s, end_s, poses, touch=touch, **more)  # type: ignore[arg-type]
        self.events.append(event)
        self.here, self.now = poses, event.end_s
        return event

    def hold(self, until_s: float, act: Act | None = None, kind: PhaseKind = "hold") -> None:
        """Hold the hands, sinking a little, until a time."""
        length = until_s - self.now
        if length < _SHORTEST_S:
            # Too short to be visible: extend the rest before it.
            self.now = max(self.now, until_s)
            if self.events and self.events[-1].still:
                self.events[-1] = replace(self.events[-1], end_s=self.now)
            return
        b = self.s.beats
        sink = 0.0 if kind == "rest" else self.s.drift_m_s * min(length, b.drift_most_s)
        if self.resting in TOUCHING:
            sink = 0.0
        if act is not None and act.lexeme.kind in SHOWN:
            sink *= b.shown_drift
        if act is not None and act.lexeme.contact:
            sink = 0.0
        out, up, ahead = b.drift_way
        poses = {}
        for side in SIDES:
            offset = np.array(
                [out * sign_of(side) * self.rng.normal(), up, ahead * self.rng.normal()]
            )
            poses[side] = self.here[side].shift(sink * offset)
        self.go(kind, self.now, until_s, poses, flat=1.0, act=act)

    # -- gestures --------------------------------------------------------------------------------

    def answer(self, act: Act, poses: Poses, base: Poses) -> dict[Side, HandPose]:
        """Poses of both hands in a gesture: the acting ones as given, the other follows."""
        out: dict[Side, HandPose] = dict(poses)
        for side in SIDES:
            if side not in out:
                out[side] = self.follow(act, side, poses, base)
        return out

    def perform(self, act: Act, base: Poses, *, from_rest: bool) -> None:
        """Perform a gesture: preparation, stroke, after-strokes."""
        keeps, spread = self.s.strokes.mood
        self.mood = keeps * self.mood + spread * self.rng.normal(size=4)
        time = act.time
        start = self.answer(act, act.start, base)
        goal = self.answer(act, act.end, base)
        self.prepare(act, start, from_rest=from_rest)
        self.resting = None
        if time.end_s > time.start_s:
            end_s = self.stroke_end(act, goal)
            arcs = self.stroke_arcs(act, goal)
            flat = 1.0 if act.lexeme.warp == "even" else 0.0
            shape = {"peak": time.peak, "flat": flat, "arcs": arcs}
            self.go("stroke", time.start_s, end_s, goal, **shape, lead=act.sides, act=act)
        for n, repeat in enumerate(time.repeats):
            self._repeat(act, goal, n, repeat)

    def bend(self, act: Act, goal: Poses, own: Floats, arcs: dict[Side, Floats]) -> None:
        """Add a lexeme's own curvature ``[3]`` to the arcs of the acting hands."""
        for side in act.sides:
            chord = float(np.linalg.norm(goal[side].wrist - self.here[side].wrist))
            size = float(np.linalg.norm(own))
            most = self.s.strokes.arc_most
            ratio = min(1.0, most * chord / size) if size > 1e-9 else 0.0
            bend = ratio * own * np.array([sign_of(side), 1.0, 1.0])
            arcs[side] = arcs.get(side, np.zeros(3)) + bend

    def _repeat(self, act: Act, goal: Poses, n: int, time: Repeat) -> None:
        after = act.lexeme.after
        swings = act.lexeme.swing != MicroKey() or act.lexeme.circle_cm[0] > 0.0
        size = after.fading**n * self.vary(0.5 * self.s.size_spread)
        up, low = {}, {}
        for side in SIDES:
            ratio = size if side in act.sides else self.s.answer * size
            if swings:
                # Oscillations have their own layer.
                up[side] = low[side] = goal[side]
                continue
            speeds = self.s.strokes.repeat_speeds
            most = _limit_ratio(after.prep, ratio, time.start_s - time.prep_start_s, speeds)
            up[side] = goal[side].with_micro_key(after.prep, side, most)
            low[side] = goal[side].with_micro_key(after.stroke, side, ratio * (n + 1))
            if act.lexeme.contact == "finger":
                continue
            if side in act.sides and ">" in (act.gesture.handshape or act.lexeme.shapes[0]):
                up[side] = replace(up[side], fingers=act.start[side].fingers)
        if act.lexeme.contact == "finger" and self.s.contacts:
            # One finger after the other.
            finger = _FINGERS[min(n + 1, len(_FINGERS) - 1)]
            low = {**goal, **touch_of(act.lexeme, act.sides, finger)}
            up = {side: low[side].with_micro_key(after.prep, side) for side in SIDES}
        else:
            self.vary_repeat(up, low)
        if time.prep_start_s > self.now + self.s.least_hold_s:
            self.hold(time.prep_start_s, act)
        lead = {"lead": act.sides, "act": act}
        self.go("preparation", time.prep_start_s, time.start_s, up, arcs=self.arcs(up), **lead)
        self.go("after-stroke", time.start_s, time.end_s, low, arcs=self.arcs(low), **lead)


def _limit_ratio(
    key: MicroKey, ratio: float, length_s: float, speeds: tuple[float, float]
) -> float:
    """Ratio of a micro-key that keeps an after-stroke within the speed limits (section 6.5.3)."""
    step = np.hypot(np.hypot(key.out_cm, key.up_cm), key.forward_cm) / 100.0
    turn = np.radians(abs(key.roll) + abs(key.flexion) + abs(key.deviation))
    most = max(length_s, 1e-3) * np.array(speeds)
    limits = [1.0]
    if step > 0.0:
        limits.append(most[0] / (step * max(ratio, 1e-9)))
    if turn > 0.0:
        limits.append(most[1] / (turn * max(ratio, 1e-9)))
    return ratio * float(min(limits))
