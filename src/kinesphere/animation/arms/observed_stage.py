"""The stage as recorded speakers use it: strokes on syllables, curved paths, hands that answer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinesphere.animation.arms.between_strokes import QUIET_POSES, BeatingStage
from kinesphere.animation.arms.hand_events import SHOWN, Act, Poses, distance
from kinesphere.animation.arms.poses.hand_pose import HandPose, mix_poses
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import SIDES, Side, sign_of


class ObservedStage(BeatingStage):
    """Gestures whose times follow from distances, and whose other hand follows the acting one."""

    def approach(self, act: Act, before: Act | None) -> None:
        """Rest, or fill the gap, until the preparation."""
        s, start = self.s, act.time.start_s
        path = self.path_m({**self.here, **act.start})
        if self.resting is not None:
            lead = s.lasting(path, s.rise_ratio) + s.strokes.lead_margin_s
            self.rest(max(start - lead, self.now))
        else:
            lead = s.strokes.lead_ratio * s.lasting(path, s.prep_ratio)
            target = self.answer(act, act.start, self.rests["half-rest"])
            self.fill(start - lead, target, before)

    def prepare(self, act: Act, start: Poses, *, from_rest: bool) -> None:
        """Preparation as long as its distance needs, or longer instead of a stop before it."""
        s, g, time = self.s, self.s.strokes, act.time
        path = self.path_m(start)
        length = s.lasting(path, s.rise_ratio if from_rest else s.prep_ratio)
        length *= self.vary(s.length_spread)
        begin = time.start_s - length
        if begin < self.now + s.wait_s + g.wait_margin_s:
            begin = self.now
        elif begin > self.now:
            self.hold(begin)
        if time.start_s - begin < g.least_prep_s:
            return
        start = self._within_speed(start, time.start_s - begin)
        peak = 0.5 + (s.rise_skew if from_rest else g.prep_skew)
        peak = float(np.clip(peak + g.prep_peak_spread * self.rng.normal(), *g.prep_peak))
        peak = self.on_syllable(begin, time.start_s, peak)
        arcs = self.arcs(start, g.rise_arc * s.arc if from_rest else None)
        shape = {"peak": peak, "arcs": arcs, "via": self.via()}
        self.go("preparation", begin, time.start_s, start, **shape, lead=act.sides, act=act)

    def _within_speed(self, poses: Poses, length_s: float) -> Poses:
        """Poses, or as much of the path to them as hands can cover in a time."""
        path = distance(self.here, poses)
        quickest = self.s.lasting(1.0, self.s.strokes.quickest)
        most = (length_s / quickest) ** (1.0 / self.s.law_power)
        if path <= most:
            return poses
        return {side: mix_poses(self.here[side], poses[side], most / path) for side in SIDES}

    def stroke_end(self, act: Act, goal: Poses) -> float:
        """End of a stroke, later than planned if its path has become too long."""
        time, g = act.time, self.s.strokes
        if self.s.follow_script:
            return time.end_s
        sudden = 2.0 ** (-g.sudden * max(act.effort[2], 0.0))
        least = self.s.lasting(distance(self.here, goal), g.quickest * sudden)
        late = least - (time.end_s - max(time.start_s, self.now))
        late = np.clip(late, 0.0, g.most_late_s)
        if time.repeats:
            late = min(late, 0.5 * (time.repeats[0].start_s - time.end_s))
        return float(time.end_s + late)

    def stroke_arcs(self, act: Act, goal: Poses) -> dict[Side, Floats]:
        """Curvature of a stroke: the lexeme's own, and more where the script says curved."""
        lexeme, g = act.lexeme, self.s.strokes
        own = np.array(lexeme.arc_cm) / 100.0
        usual = g.stroke_arc
        if act.gesture.trajectory == "curved" and not own.any():
            usual = g.curved_arc
        arcs = self.arcs(goal, usual)
        if act.gesture.trajectory == "straight" and lexeme.trajectory == "curved":
            own = g.straightened * own
        self.bend(act, goal, own, arcs)
        return arcs

    def follow(self, act: Act, side: Side, poses: Poses, base: Poses) -> HandPose:
        """The other hand mirrors the acting one with a smaller amplitude, hangs, or is held."""
        s, g = self.s, self.s.strokes
        acting = poses[act.sides[0]]
        ratio = s.answer * float(np.exp(s.answer_spread * self.mood[0]))
        low = base[side]
        if self.resting in QUIET_POSES:
            pass  # hands that come from there move together
        elif self.mood[2] < g.hangs_below:
            low, ratio = self.rests["at-side"][side], g.hang_answer * ratio
        elif self.mood[2] > g.held_above and self.resting is None:
            low, ratio = self.here[side], g.hang_answer * ratio
        if not self.cues.phrases:
            ratio *= g.silent_answer
        elif act.lexeme.kind in SHOWN:
            ratio *= g.shown_answer
        relaxed = replace(acting.mirror(), fingers=low.fingers)
        made = mix_poses(low, relaxed, min(ratio, g.answer_most), g.answer_turn * ratio)
        # Where the acting arm crosses over, the other one moves aside.
        over = max(0.0, sign_of(side) * float(acting.wrist[0]))
        out_m = sign_of(side) * float(made.wrist[0])
        if out_m < s.own_side_m + over:
            step = sign_of(side) * (s.own_side_m + over - out_m)
            made = made.shift(np.array([step, 0.0, 0.0]))
        above = float(made.wrist[1]) + s.answer_below_m
        if above > 0.0:
            made = made.shift(np.array([0.0, -g.lowered * above, 0.0]))
        return made.shift(s.answer_jitter_m * self.rng.normal(size=3))

    def vary_repeat(self, up: dict[Side, HandPose], low: dict[Side, HandPose]) -> None:
        """Repetitions differ a little in position, both hands alike."""
        jitter = self.s.repeat_jitter_m * self.rng.normal(size=(2, 3))
        for poses, step in zip((up, low), jitter, strict=True):
            for side, pose in poses.items():
                poses[side] = pose.shift(step)

    def retract(self, name: str, start_s: float, by_s: float | None = None) -> None:
        """Move to a rest pose, by a given time if possible."""
        s, g = self.s, self.s.strokes
        poses = self.rests[name]
        via = self.via(name)
        length = s.lasting(distance(self.here, poses, via), s.home_ratio)
        start_s = max(start_s, self.now)
        self.hold(start_s)
        if by_s is not None:
            length = float(np.clip(by_s - start_s, g.home_quickest * length, length))
        peak = 0.5 - s.home_skew + g.home_peak_spread * self.rng.normal()
        peak = float(np.clip(peak, *g.home_peak))
        arcs = self.arcs(poses, None, np.array(g.home_way))
        self.resting = name
        self.go("retraction", start_s, start_s + length, poses, peak=peak, arcs=arcs, via=via)

    def leave(self, act: Act, rest: str, following: Act | None) -> None:
        """After a unit: go to rest, sink half-way, or stay for the next unit."""
        s, g, cues = self.s, self.s.strokes, self.cues
        hold = act.gesture.hold_s or 0.0
        if not cues.phrases:
            self._leave_silently(act, rest, following, act.time.last_s + hold)
            return
        # Holds of recorded speakers are short; emblems and iconics are held longer.
        most = g.shown_hold_s if act.lexeme.kind in ("emblem", "iconic") else s.hold_s
        end = act.time.last_s + min(hold, most * self.vary(s.hold_spread))
        if following is not None:
            gap = following.time.start_s - end
            if gap < s.bridge_s:
                return
            short = cues.pause_after(self.now) < g.short_pause_s
            if short and (gap < s.half_rest_s or rest in QUIET_POSES):
                self.hold(end, act)
                self.retract("half-rest", end)
                return
        # Retract before the phrase ends, if its end is near.
        over = cues.phrase_end(self.now)
        if following is None and over - s.home_early_s - end < g.phrase_left_s:
            end = max(end, over - s.home_early_s)
            self.fill(end, None, act)
        self.hold(end, act)
        self.retract(rest, end, over + g.home_late_s if over > end - g.home_near_s else None)

    def _leave_silently(self, act: Act, rest: str, following: Act | None, end: float) -> None:
        """Without speech: hold until a time, then rest unless the next unit is near."""
        self.hold(max(end, self.now), act)
        if following is None or following.time.start_s - end >= self.s.bridge_s:
            self.retract(rest, end)
