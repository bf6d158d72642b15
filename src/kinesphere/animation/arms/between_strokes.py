"""Between-gesture motion: appends events one after the other and tracks the hands' poses.

It adds short holds, small beats on syllables where there is no gesture, settling after strokes,
retractions and rests. All of it is one list of events for both hands: they move together, with
small differences.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from kinesphere.animation.arms.contact_poses import touch_of
from kinesphere.animation.arms.hand_events import SHOWN, TOUCHING, Act, Event, Poses, distance
from kinesphere.animation.arms.hand_pose import HIGHEST, LOWEST, HandPose, mixed
from kinesphere.animation.arms.stroke_timing import prep_start
from kinesphere.animation.settings import ActingSettings
from kinesphere.animation.speech_cues import SpeechCues
from kinesphere.gesture.lexicon import MicroKey
from kinesphere.gesture.phases import PhaseKind
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import SIDES, Side, sign_of

_SHORTEST_S = 0.03
_FINGERS = ("Index", "Middle", "Ring", "Little")
# Shortest durations of hand movements, besides the measured duration law.
_QUICKEST = 0.82
_SUDDEN = 0.45
# Positions of a left wrist on its path behind the back: beside the hip, then behind it.
_BEHIND, _ROUND = "behind-back", np.array([[0.33, -0.44, 0.02], [0.22, -0.44, -0.2]])
QUIET_POSES = ("in-pockets", "behind-back", "folded")
"""Rest poses without beats of the hands."""


class Stage:
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
        self.events: list[Event] = []
        self.here: Poses = rests[first]
        self.resting: str | None = first
        self.now = 0.0
        self._mood = np.zeros(4)

    @property
    def moving_until_s(self) -> float:
        """End of the last movement of the hands."""
        return next((e.end_s for e in reversed(self.events) if not e.still), 0.0)

    def chance(self, spread: float) -> float:
        """Random factor about 1 whose logarithm has that spread."""
        return float(np.exp(spread * np.clip(self.rng.normal(), -2.0, 2.0)))

    def on_syllable(self, start_s: float, end_s: float, peak: float) -> float:
        """Ratio at which a movement is fastest, shifted towards a syllable near it."""
        if self.s.paper or end_s <= start_s:
            return peak
        length = end_s - start_s
        near = self.cues.nearest(start_s + peak * length, 0.16 * length)
        if near is None:
            return peak
        loose = 0.6 * self.s.looseness_s * float(np.clip(self.rng.normal(), -2, 2))
        return float(np.clip((near + loose - start_s) / length, 0.34, 0.68))

    def way(self, poses: Poses) -> float:
        """Longest distance of a hand to its pose, metres."""
        return distance(self.here, poses, self._via())

    def _via(self, name: str | None = None) -> dict[Side, Floats]:
        """Via points on the path to a rest pose, or away from the current one."""
        if _BEHIND not in (name, self.resting) or name == self.resting:
            return {}
        places = _ROUND if name == _BEHIND else _ROUND[::-1]
        return {side: places * np.array([sign_of(side), 1.0, 1.0]) for side in SIDES}

    # -- single events ---------------------------------------------------------------------------

    def go(
        self, kind: PhaseKind, start_s: float, end_s: float, poses: Poses, **more: object
    ) -> Event:
        """Append an event; hands are at its poses afterwards."""
        start_s = max(start_s, self.now)
        touch = self.resting in TOUCHING
        end_s = max(end_s, start_s + _SHORTEST_S)
        event = Event(kind, start_s, end_s, poses, touch=touch, **more)  # type: ignore[arg-type]
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
        sink = 0.0 if self.s.paper or kind == "rest" else self.s.drift_m_s * min(length, 1.5)
        if self.resting in TOUCHING:
            sink = 0.0
        if act is not None and act.lexeme.kind in SHOWN:
            sink *= 0.4
        if act is not None and act.lexeme.contact:
            sink = 0.0
        poses = {}
        for side in SIDES:
            way = np.array(
                [0.35 * sign_of(side) * self.rng.normal(), -0.75, 0.4 * self.rng.normal()]
            )
            poses[side] = self.here[side].moved(sink * way)
        self.go(kind, self.now, until_s, poses, flat=1.0, act=act)

    # -- between gestures ------------------------------------------------------------------------

    def fill(self, until_s: float, target: Poses | None, act: Act | None) -> None:
        """Fill the time until `until_s`: a short hold, beats on syllables on the path to a target.

        The time that is left when it returns is for a slower preparation.
        """
        s = self.s
        free = until_s - self.now
        if free <= 0.0:
            return
        if s.paper:
            self.hold(until_s, act)
            return
        wanted = s.hold_s * self.chance(s.hold_spread)
        if act is not None and act.gesture.hold_s is not None and act.lexeme.kind == "emblem":
            wanted = max(wanted, min(act.gesture.hold_s, s.emblem_hold_s))
        if free < s.least_free_s:
            return
        self.hold(self.now + min(wanted, 0.5 * free), act)
        self.beats(until_s, s.beat_m * s.size, target)
        left = until_s - self.now
        if left > s.wait_s:
            self.settle(until_s - 0.1, target)

    def settle(self, until_s: float, target: Poses | None) -> None:
        """Settle after a stroke: a slow movement down and towards the next pose."""
        length = until_s - self.now
        s = self.s
        size = min(s.settle_m, s.settle_m_s * length + 0.02) * s.size
        low = self.rests["half-rest"]
        poses = {}
        for side in SIDES:
            goal = mixed(low[side], target[side], 0.55) if target is not None else low[side]
            way = goal.wrist - self.here[side].wrist
            far = float(np.linalg.norm(way))
            ratio = min(1.0, size * (0.8 + 0.4 * self.rng.random()) / max(far, 1e-6))
            pose = mixed(self.here[side], goal, ratio, 0.6 * ratio)
            if far < size:
                # No target: a little aside.
                aside = self.rng.normal(size=3) * np.array([0.8, 1.0, 0.5])
                pose = pose.moved(0.6 * (size - far) * aside / np.linalg.norm(aside))
            poses[side] = _before(pose, side)
        peak = self.on_syllable(self.now, until_s, 0.46)
        self.go("hold", self.now, until_s, poses, arcs=self._arcs(poses), peak=peak, beat=True)

    def beats(self, until_s: float, size_m: float, target: Poses | None) -> None:
        """Small beats on syllables until a time, drifting towards a target if there is one."""
        s = self.s
        start = self.now
        for _ in range(10_000):
            size = size_m * self.chance(s.beat_spread)
            lift = s.lasting(size, s.beat_ratio) * self.chance(s.length_spread)
            drop = s.lasting(size, 0.92 * s.beat_ratio) * self.chance(s.length_spread)
            earliest = self.now + 0.8 * lift + 0.5 * drop
            latest = until_s - 0.5 * drop
            if latest < earliest:
                return
            some = self.cues.between(earliest, min(latest, earliest + s.beat_within_s))
            if some:
                # The strongest, preferably an early one.
                moment, strength = max(some, key=lambda row: row[1] - 0.6 * (row[0] - some[0][0]))
            else:
                later = self.cues.between(earliest, min(latest, earliest + 2.0 * s.beat_within_s))
                moment, strength = later[0] if later else (earliest + 0.1, 0.2)
            at = moment - s.lead_s + s.looseness_s * float(np.clip(self.rng.normal(), -2, 2))
            at = min(max(at, earliest), latest)
            spare = at - 0.5 * drop - lift - self.now
            if spare > s.beat_gap_s:
                self.hold(self.now + spare)
            else:
                # The gap is too short for a stop: a slower lift.
                slower = (at - 0.5 * drop - self.now) / lift
                lift *= slower
                # And a larger one, or it would hardly be visible.
                size *= float(np.clip(slower, 1.0, 1.6)) ** 0.7
            share = np.clip((at - start) / max(until_s - start, 0.1), 0.0, 1.0)
            self._beat(at, lift, drop, size * (0.75 + 0.5 * strength), target, float(share))

    def _beat(
        self, at: float, lift: float, drop: float, size: float, target: Poses | None, share: float
    ) -> None:
        """Lift and drop whose speed peaks at a given time."""
        up, low = {}, {}
        way = self._beat_way()
        smaller = 1.0 - 0.35 * self.rng.random()
        weaker = SIDES[int(self.rng.random() < 0.5)]
        common = 0.15 * size * self.rng.normal(size=3)
        together = self.resting in TOUCHING
        for side in SIDES:
            base = self.here[side]
            if target is not None:
                base = mixed(base, target[side], 0.5 * share, 0.35 * share)
            own = size * (smaller if side == weaker else 1.0)
            step = own * way * np.array([sign_of(side), 1.0, 1.0])
            step = step + 0.15 * own * self.rng.normal(size=3)
            if together:
                step = size * way * np.array([0.4, 1.0, 1.0]) + common
            wrist = 9.0 * self.rng.normal(size=3) * np.array([0.6, 0.5, 0.4])
            if together:
                up[side], low[side] = base.moved(-0.62 * step), base.moved(0.38 * step)
                continue
            up[side] = replace(
                _before(base.moved(-0.62 * step), side),
                angles=_limited(base.angles + np.radians([0.0, -11.0, 3.0] + 0.5 * wrist)),
            )
            low[side] = replace(
                _before(base.moved(0.38 * step), side),
                angles=_limited(base.angles + np.radians([0.0, 7.0, -3.0] + 0.5 * wrist)),
            )
        first = at - 0.5 * drop
        peak = self.on_syllable(first - lift, first, 0.5)
        self.go("preparation", first - lift, first, up, peak=peak, arcs=self._arcs(up), beat=True)
        self.go("after-stroke", first, first + drop, low, arcs=self._arcs(low), beat=True)

    def _beat_way(self) -> Floats:
        """Direction of a beat's drop (out, up, forward): mostly down, sometimes out or forward."""
        way = np.array([0.45, -0.85, 0.3]) + self.rng.normal(size=3) * np.array([0.45, 0.25, 0.35])
        return np.asarray(way / np.linalg.norm(way))

    def _arcs(
        self, poses: Poses, usual: float | None = None, lean: Floats | None = None
    ) -> dict[Side, Floats]:
        """Curvature of the paths to poses: across the chord, rather up and out than down and in."""
        s = self.s
        if s.paper:
            return {}
        out: dict[Side, Floats] = {}
        for side in SIDES:
            chord = poses[side].wrist - self.here[side].wrist
            length = float(np.linalg.norm(chord))
            if length < 1e-4:
                continue
            ratio = (s.arc if usual is None else usual) * self.chance(s.arc_spread)
            favour = np.array([0.7 * sign_of(side), 0.5, 0.4]) if lean is None else lean
            way = favour + 0.7 * self.rng.normal(size=3)
            way = way - (way @ chord) * chord / length**2
            size = float(np.linalg.norm(way))
            if size > 1e-6:
                out[side] = min(ratio, 0.4) * length * way / size
        return out

    # -- gestures --------------------------------------------------------------------------------

    def answered(self, act: Act, poses: Poses, base: Poses) -> dict[Side, HandPose]:
        """Poses of both hands when one acts: the other mirrors it, with a smaller amplitude."""
        out: dict[Side, HandPose] = dict(poses)
        for side in SIDES:
            if side in out:
                continue
            other = poses[act.sides[0]].mirrored()
            if self.s.paper:
                out[side] = self.here[side]
                continue
            ratio = self.s.answer * float(np.exp(self.s.answer_spread * self._mood[0]))
            if not self.cues.phrases:
                ratio *= 0.35
            elif act.lexeme.kind in SHOWN:
                ratio *= 0.8
            low = base[side]
            relaxed = replace(other, fingers=low.fingers)
            made = mixed(low, relaxed, min(ratio, 0.75), 0.3 * ratio)
            # Where the acting arm crosses over, the other one moves aside.
            over = max(0.0, sign_of(side) * float(poses[act.sides[0]].wrist[0]))
            out_m = sign_of(side) * float(made.wrist[0])
            if out_m < self.s.own_side_m + over:
                step = sign_of(side) * (self.s.own_side_m + over - out_m)
                made = made.moved(np.array([step, 0.0, 0.0]))
            above = float(made.wrist[1]) + self.s.answer_below_m
            if above > 0.0:
                made = made.moved(np.array([0.0, -0.7 * above, 0.0]))
            out[side] = made.moved(self.s.answer_jitter_m * self.rng.normal(size=3))
        return out

    def perform(self, act: Act, base: Poses, *, from_rest: bool) -> None:
        """Perform a gesture: preparation, stroke, after-strokes."""
        self._mood = 0.7 * self._mood + 0.7 * self.rng.normal(size=4)
        time = act.time
        start = self.answered(act, act.start, base)
        goal = self.answered(act, act.end, base)
        self._prepare(act, start, from_rest=from_rest)
        self.resting = None
        if time.end_s > time.start_s:
            end_s = self._stroke_end(act, goal)
            arcs = self._stroke_arcs(act, goal)
            flat = 1.0 if act.lexeme.warp == "even" else 0.0
            self.go(
                "stroke",
                time.start_s,
                end_s,
                goal,
                peak=time.peak,
                flat=flat,
                arcs=arcs,
                lead=act.sides,
                act=act,
            )
        for n, repeat in enumerate(time.repeats):
            self._repeat(act, goal, n, repeat.prep_start_s, repeat.start_s, repeat.end_s)

    def _prepare(self, act: Act, start: Poses, *, from_rest: bool) -> None:
        s, time = self.s, act.time
        way = self.way(start)
        if s.paper:
            begin = prep_start(time.start_s, self.now, from_rest=from_rest)
            prepared = act.gesture.has_prep or from_rest
            self.hold(begin if prepared else time.start_s)
            if prepared:
                self.go(
                    "preparation",
                    begin,
                    time.start_s,
                    start,
                    via=self._via(),
                    lead=act.sides,
                    act=act,
                )
            return
        length = s.lasting(way, s.rise_ratio if from_rest else s.prep_ratio)
        length *= self.chance(s.length_spread)
        begin = time.start_s - length
        if begin < self.now + s.wait_s + 0.1:
            # A slower preparation instead of a stop before it.
            begin = self.now
        elif begin > self.now:
            self.hold(begin)
        if time.start_s - begin < 0.05:
            return
        start = self._within_speed(start, time.start_s - begin)
        peak = 0.5 + (s.rise_skew if from_rest else 0.03)
        peak = float(np.clip(peak + 0.05 * self.rng.normal(), 0.35, 0.7))
        peak = self.on_syllable(begin, time.start_s, peak)
        arcs = self._arcs(start, 1.25 * s.arc if from_rest else None)
        self.go(
            "preparation",
            begin,
            time.start_s,
            start,
            peak=peak,
            arcs=arcs,
            via=self._via(),
            lead=act.sides,
            act=act,
        )

    def _within_speed(self, poses: Poses, length_s: float) -> Poses:
        """Poses, or as much of the path to them as hands can cover in a time."""
        way = distance(self.here, poses)
        most = (length_s / self.s.lasting(1.0, _QUICKEST)) ** (1.0 / self.s.law_power)
        if way <= most:
            return poses
        return {side: mixed(self.here[side], poses[side], most / way) for side in SIDES}

    def _stroke_end(self, act: Act, goal: Poses) -> float:
        """End of a stroke, later than planned if its path has become too long."""
        time = act.time
        if self.s.paper or self.s.follow_script:
            return time.end_s
        sudden = 2.0 ** (-_SUDDEN * max(act.effort[2], 0.0))
        least = self.s.lasting(distance(self.here, goal), _QUICKEST * sudden)
        late = np.clip(least - (time.end_s - max(time.start_s, self.now)), 0.0, 0.4)
        if time.repeats:
            late = min(late, 0.5 * (time.repeats[0].start_s - time.end_s))
        return float(time.end_s + late)

    def _stroke_arcs(self, act: Act, goal: Poses) -> dict[Side, Floats]:
        """Curvature of a stroke: the lexeme's own, and more where the script says curved."""
        lexeme = act.lexeme
        own = np.array(lexeme.arc_cm) / 100.0
        if self.s.paper and act.gesture.trajectory == "straight":
            return {}
        usual = 0.0 if self.s.paper else 0.05
        if act.gesture.trajectory == "curved" and not own.any():
            usual = 0.14
        arcs = self._arcs(goal, usual)
        if act.gesture.trajectory == "straight" and lexeme.trajectory == "curved":
            own = 0.4 * own
        for side in act.sides:
            chord = float(np.linalg.norm(goal[side].wrist - self.here[side].wrist))
            size = float(np.linalg.norm(own))
            ratio = min(1.0, 0.4 * chord / size) if size > 1e-9 else 0.0
            bend = ratio * own * np.array([sign_of(side), 1.0, 1.0])
            arcs[side] = arcs.get(side, np.zeros(3)) + bend
        return arcs

    def _repeat(
        self, act: Act, goal: Poses, n: int, prep_s: float, start_s: float, end_s: float
    ) -> None:
        after = act.lexeme.after
        swings = act.lexeme.swing != MicroKey() or act.lexeme.circle_cm[0] > 0.0
        size = after.fading**n * self.chance(0.5 * self.s.size_spread)
        up, low = {}, {}
        for side in SIDES:
            ratio = size if side in act.sides else self.s.answer * size
            if self.s.paper and side not in act.sides:
                ratio = 0.0
            if swings:
                # Oscillations have their own layer.
                up[side] = low[side] = goal[side]
                continue
            most = _limited_ratio(after.prep, ratio, start_s - prep_s)
            up[side] = goal[side].with_micro_key(after.prep, side, most)
            low[side] = goal[side].with_micro_key(after.stroke, side, ratio * (n + 1))
            if act.lexeme.contact == "finger":
                continue
            if side in act.sides and ">" in (act.gesture.handshape or act.lexeme.shapes[0]):
                up[side] = replace(up[side], fingers=act.start[side].fingers)
        if act.lexeme.contact == "finger" and not self.s.paper:
            # One finger after the other.
            finger = _FINGERS[min(n + 1, len(_FINGERS) - 1)]
            low = {**goal, **touch_of(act.lexeme, act.sides, finger)}
            up = {side: low[side].with_micro_key(after.prep, side) for side in SIDES}
        elif not self.s.paper:
            jitter = self.s.repeat_jitter_m * self.rng.normal(size=(2, 3))
            up = {side: p.moved(jitter[0]) for side, p in up.items()}
            low = {side: p.moved(jitter[1]) for side, p in low.items()}
        if prep_s > self.now + self.s.least_hold_s:
            self.hold(prep_s, act)
        self.go("preparation", prep_s, start_s, up, arcs=self._arcs(up), lead=act.sides, act=act)
        self.go("after-stroke", start_s, end_s, low, arcs=self._arcs(low), lead=act.sides, act=act)

    # -- rests -----------------------------------------------------------------------------------

    def retract(self, name: str, start_s: float, by_s: float | None = None) -> None:
        """Move to a rest pose, by a given time if possible."""
        s = self.s
        poses = self.rests[name]
        via = self._via(name)
        way = distance(self.here, poses, via)
        length = s.lasting(way, s.home_ratio)
        if s.paper:
            length = s.paper_home_s if by_s is None else min(s.paper_home_s, by_s - start_s)
        start_s = max(start_s, self.now)
        self.hold(start_s)
        if by_s is not None and not s.paper:
            length = float(np.clip(by_s - start_s, 0.6 * length, length))
        peak = (
            0.5
            if s.paper
            else float(np.clip(0.5 - s.home_skew + 0.04 * self.rng.normal(), 0.3, 0.5))
        )
        down = np.array([0.0, -0.6, 0.3])
        arcs = self._arcs(poses, None, down)
        self.resting = name
        self.go("retraction", start_s, start_s + length, poses, peak=peak, arcs=arcs, via=via)

    def rest(self, until_s: float) -> None:
        """Stay at rest until a time; with small beats during speech."""
        name = self.resting or "at-side"
        if self.s.paper or name in QUIET_POSES:
            self.hold(until_s, kind="rest")
            return
        while until_s - self.now > 0.05:
            if self.cues.speaking(self.now):
                end = min(until_s, self.cues.phrase_end(self.now))
                self._rest_beats(name, end)
                self.hold(end, kind="rest")
            else:
                upto = self.cues.next_phrase(self.now)
                self.hold(until_s if upto <= self.now else min(until_s, upto), kind="rest")

    def _rest_beats(self, name: str, until_s: float) -> None:
        """Beats at rest during speech, with periods of stillness."""
        size = self.s.beat_m * self.s.size * (1.0 if name == "half-rest" else self.s.rest_beat)
        while until_s - self.now > 0.05:
            still = self.s.still_s * self.rng.uniform(0.3, 1.0)
            if name == "half-rest":
                still *= 0.4
            self.hold(min(until_s, self.now + still), kind="rest")
            stop = self.now + self.rng.uniform(*self.s.rest_beats_s)
            stop = until_s if until_s - stop < self.s.rest_left_s else stop
            before = self.now
            self.beats(stop, size, self.rests[name])
            left = stop - self.now
            if left > self.s.least_stir_s:
                self._stir(name, stop, size)
            elif self.now <= before + 1e-6:
                self.hold(stop, kind="rest")

    def _stir(self, name: str, until_s: float, size: float) -> None:
        """One small movement about a rest pose."""
        common = self.rng.normal(size=3)
        poses = {}
        for side in SIDES:
            own = common if self.resting in TOUCHING else 0.6 * common + self.rng.normal(size=3)
            step = own / np.linalg.norm(own) * np.array([0.6, 0.8, 0.8])
            length = min(0.6 * size, 0.22 * (until_s - self.now))
            poses[side] = mixed(self.here[side], self.rests[name][side], 0.7).moved(length * step)
        peak = self.on_syllable(self.now, until_s, 0.5)
        self.go("hold", self.now, until_s, poses, arcs=self._arcs(poses), peak=peak, beat=True)


def _before(pose: HandPose, side: Side) -> HandPose:
    """Pose within the volume for beats: in front of the body, below the head."""
    out, up, ahead = pose.wrist * np.array([sign_of(side), 1.0, 1.0])
    up = float(np.clip(up, -0.52, -0.06))
    ahead = float(np.clip(ahead, 0.1 if up > -0.4 else 0.0, 0.42))
    out = float(np.clip(out, 0.0, 0.42))
    return replace(pose, wrist=np.array([sign_of(side) * out, up, ahead]))


def _limited(angles: Floats) -> Floats:
    return np.clip(angles, LOWEST, HIGHEST)


def _limited_ratio(key: MicroKey, ratio: float, length_s: float) -> float:
    """Ratio of a micro-key that keeps an after-stroke within the speed limits (section 6.5.3)."""
    step = np.hypot(np.hypot(key.out_cm, key.up_cm), key.forward_cm) / 100.0
    turn = np.radians(abs(key.roll) + abs(key.flexion) + abs(key.deviation))
    most = max(length_s, 1e-3) * np.array([0.6, 4.0])
    limits = [1.0]
    if step > 0.0:
        limits.append(most[0] / (step * max(ratio, 1e-9)))
    if turn > 0.0:
        limits.append(most[1] / (turn * max(ratio, 1e-9)))
    return ratio * float(min(limits))
