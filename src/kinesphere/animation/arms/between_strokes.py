"""Between-gesture motion of recorded speakers: short holds, beats on syllables, settling."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np

from kinesphere.animation.arms.arm_settings import BeatSettings
from kinesphere.animation.arms.hand_events import TOUCHING, Act, Poses
from kinesphere.animation.arms.poses.hand_pose import HIGHEST, LOWEST, HandPose, mix_poses
from kinesphere.animation.arms.stage import Stage
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import SIDES, Side, sign_of

QUIET_POSES = ("in-pockets", "behind-back", "folded")
"""Rest poses without beats of the hands."""
WAITING = ("hanging", "on-hip")
"""Rest poses to which hands at the sides change in a long silence."""


class BeatingStage(Stage):
    """A stage whose gaps are filled with small motion."""

    def on_syllable(self, start_s: float, end_s: float, peak: float) -> float:
        """Ratio at which a movement is fastest, shifted towards a syllable near it."""
        if end_s <= start_s:
            return peak
        b, length = self.s.beats, end_s - start_s
        near = self.cues.nearest(start_s + peak * length, b.syllable_reach * length)
        if near is None:
            return peak
        loose = b.syllable_looseness * self.s.looseness_s
        loose = loose * float(np.clip(self.rng.normal(), -2, 2))
        return float(np.clip((near + loose - start_s) / length, *b.peak_range))

    def arcs(
        self, poses: Poses, usual: float | None = None, lean: Floats | None = None
    ) -> dict[Side, Floats]:
        """Curvature of the paths to poses: across the chord, rather up and out than down and in."""
        s = self.s
        aside, up, ahead = s.strokes.arc_way
        out: dict[Side, Floats] = {}
        for side in SIDES:
            chord = poses[side].wrist - self.here[side].wrist
            length = float(np.linalg.norm(chord))
            if length < 1e-4:
                continue
            ratio = (s.arc if usual is None else usual) * self.vary(s.arc_spread)
            favour = np.array([aside * sign_of(side), up, ahead]) if lean is None else lean
            bulge = favour + s.strokes.arc_way_spread * self.rng.normal(size=3)
            bulge = bulge - (bulge @ chord) * chord / length**2
            size = float(np.linalg.norm(bulge))
            if size > 1e-6:
                out[side] = min(ratio, s.strokes.arc_most) * length * bulge / size
        return out

    # -- gaps ------------------------------------------------------------------------------------

    def fill(self, until_s: float, target: Poses | None, act: Act | None) -> None:
        """Fill the time until `until_s`: a short hold, beats on syllables on the path to a target.

        The time that is left when it returns is for a slower preparation.
        """
        s = self.s
        free = until_s - self.now
        if free <= 0.0:
            return
        wanted = s.hold_s * self.vary(s.hold_spread)
        if act is not None and act.gesture.hold_s is not None and act.lexeme.kind == "emblem":
            wanted = max(wanted, min(act.gesture.hold_s, s.emblem_hold_s))
        if free < s.least_free_s:
            return
        self.hold(self.now + min(wanted, 0.5 * free), act)
        self.beat(until_s, s.beat_m * s.size, target)
        left = until_s - self.now
        if left > s.wait_s:
            self.settle(until_s - s.beats.settle_before_s, target)

    def settle(self, until_s: float, target: Poses | None) -> None:
        """Settle after a stroke: a slow movement down and towards the next pose."""
        length = until_s - self.now
        s, b = self.s, self.s.beats
        size = min(s.settle_m, s.settle_m_s * length + b.settle_least_m) * s.size
        low = self.rests["half-rest"]
        least, more = b.settle_size
        poses = {}
        for side in SIDES:
            goal = low[side]
            if target is not None:
                goal = mix_poses(low[side], target[side], b.settle_target)
            far = float(np.linalg.norm(goal.wrist - self.here[side].wrist))
            ratio = min(1.0, size * (least + more * self.rng.random()) / max(far, 1e-6))
            pose = mix_poses(self.here[side], goal, ratio, b.settle_turn * ratio)
            if far < size:
                # No target: a little aside.
                aside = self.rng.normal(size=3) * np.array(b.aside_way)
                pose = pose.shift(b.aside * (size - far) * aside / np.linalg.norm(aside))
            poses[side] = _within_volume(pose, side, b)
        peak = self.on_syllable(self.now, until_s, b.settle_peak)
        self.go("hold", self.now, until_s, poses, arcs=self.arcs(poses), peak=peak, beat=True)

    def beat(self, until_s: float, size_m: float, target: Poses | None) -> None:
        """Small beats on syllables until a time, drifting towards a target if there is one."""
        s, b = self.s, self.s.beats
        start = self.now
        for _ in range(10_000):
            size = size_m * self.vary(s.beat_spread)
            lift = s.lasting(size, s.beat_ratio) * self.vary(s.length_spread)
            drop = s.lasting(size, b.drop_ratio * s.beat_ratio) * self.vary(s.length_spread)
            earliest = self.now + b.lift_least * lift + 0.5 * drop
            latest = until_s - 0.5 * drop
            if latest < earliest:
                return
            if earliest < self.beaten_s + b.apart_s:
                return
            moment, strength = self._beat_syllable(earliest, latest)
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
                most, power = b.slow_lift
                size *= float(np.clip(slower, 1.0, most)) ** power
            share = np.clip((at - start) / max(until_s - start, b.least_gap_s), 0.0, 1.0)
            plain, more = b.strength_size
            self._beat_once(at, lift, drop, size * (plain + more * strength), target, float(share))

    def _beat_syllable(self, earliest: float, latest: float) -> tuple[float, float]:
        """Time and strength of the syllable that a beat between two times goes to."""
        s, b = self.s, self.s.beats
        some = self.cues.between(earliest, min(latest, earliest + s.beat_within_s))
        if some:
            # The strongest, preferably an early one.
            return max(some, key=lambda row: row[1] - b.early_per_s * (row[0] - some[0][0]))
        later = self.cues.between(earliest, min(latest, earliest + 2.0 * s.beat_within_s))
        delay, strength = b.unheard_beat
        return later[0] if later else (earliest + delay, strength)

    def _beat_once(
        self, at: float, lift: float, drop: float, size: float, target: Poses | None, share: float
    ) -> None:
        """Lift and drop whose speed peaks at a given time."""
        b = self.s.beats
        up, low = {}, {}
        direction = self._beat_direction()
        smaller = 1.0 - b.weaker * self.rng.random()
        weaker = SIDES[int(self.rng.random() < 0.5)]
        common = b.scatter * size * self.rng.normal(size=3)
        together = self.resting in TOUCHING
        for side in SIDES:
            base = self.here[side]
            if target is not None:
                base = mix_poses(base, target[side], b.towards[0] * share, b.towards[1] * share)
            own = size * (smaller if side == weaker else 1.0)
            if base.wrist[1] < b.hanging_m:
                own *= b.hanging
            step = own * direction * np.array([sign_of(side), 1.0, 1.0])
            step = step + b.scatter * own * self.rng.normal(size=3)
            if together:
                step = size * direction * np.array(b.together_way) + common
            wrist = b.wrist_deg * self.rng.normal(size=3) * np.array(b.wrist_scatter)
            up[side], low[side] = base.shift(-b.lift_share * step), base.shift(b.drop_share * step)
            if not together:
                up[side] = _flex(_within_volume(up[side], side, b), b.lift_deg + 0.5 * wrist)
                low[side] = _flex(_within_volume(low[side], side, b), b.drop_deg + 0.5 * wrist)
        self.beaten_s = at
        first = at - 0.5 * drop
        peak = self.on_syllable(first - lift, first, 0.5)
        self.go("preparation", first - lift, first, up, peak=peak, arcs=self.arcs(up), beat=True)
        self.go("after-stroke", first, first + drop, low, arcs=self.arcs(low), beat=True)

    def _beat_direction(self) -> Floats:
        """Direction of a beat's drop (out, up, forward): mostly down, sometimes out or forward."""
        b = self.s.beats
        drop = np.array(b.way) + self.rng.normal(size=3) * np.array(b.way_spread)
        return np.asarray(drop / np.linalg.norm(drop))

    # -- rests -----------------------------------------------------------------------------------

    def rest(self, until_s: float) -> None:
        """Stay at rest until a time; with small beats during speech."""
        name = self.resting or "at-side"
        if name in QUIET_POSES:
            self.hold(until_s, kind="rest")
            return
        while until_s - self.now > self.s.beats.least_rest_s:
            if self.cues.speaking(self.now):
                end = min(until_s, self.cues.phrase_end(self.now))
                self._beat_at_rest(name, end)
                self.hold(end, kind="rest")
            else:
                upto = self.cues.next_phrase(self.now)
                self._wait(name, until_s if upto <= self.now else min(until_s, upto))

    def _wait(self, name: str, until_s: float) -> None:
        """Rest in silence: the hands are put a little differently, and change their rest pose."""
        b = self.s.beats
        changed_s, poses = self.now, self.here
        while self.cues.phrases and until_s - self.now > b.wait_ends_s + b.wait_s[0]:
            still_s = self.rng.uniform(*b.wait_s)
            self.hold(min(self.now + still_s, until_s - b.wait_ends_s), kind="rest")
            changes = self.now - changed_s > b.wait_change_s and self.rng.random() < b.wait_change
            if changes and name in ("at-side", "clasped"):
                poses, changed_s = self._other_rest(), self.now
                self.resting = name = "at-side"
                length = b.wait_both_m * self.s.lasting(self.path_m(poses), self.s.home_ratio)
                length = min(length, until_s - self.now)
                self.go("rest", self.now, self.now + length, poses, arcs=self.arcs(poses))
                continue
            moved = self._put_differently(poses)
            self.go("rest", self.now, self.now + self.rng.uniform(*b.wait_moves_s), moved)
        self.hold(until_s, kind="rest")

    def _other_rest(self) -> Poses:
        """Both hands hanging, or one of them on a hip, whatever they do not do yet."""
        b = self.s.beats
        pairs = itertools.product(("at-side", *WAITING), repeat=2)
        kinds = [kind for kind in pairs if kind not in (("at-side",) * 2, ("on-hip",) * 2)]
        rests = [dict(zip(SIDES, kind, strict=True)) for kind in kinds]
        found = [{side: self.rests[rest[side]][side] for side in SIDES} for rest in rests]
        return max(
            found, key=lambda poses: self.path_m(poses) * (b.other_rest_least + self.rng.random())
        )

    def _put_differently(self, poses: Poses) -> Poses:
        """One hand or both a little beside their rest; hands that hold each other as one."""
        b = self.s.beats
        common, moves = self.rng.normal(size=3), self.rng.random(2)
        together = self.resting in TOUCHING
        out = {}
        for side, chance in zip(SIDES, moves, strict=True):
            own = common if together else self.rng.normal(size=3)
            size = b.wait_m * (
                b.together_moves if together else 1.0 if chance < b.half_moves else b.other_moves
            )
            step = size * np.clip(own / 2.0, -1.0, 1.0) * np.array(b.stir_way)
            if not together:
                # Hands lie against the body, and go no nearer.
                step[0] = sign_of(side) * abs(step[0])
            out[side] = poses[side].shift(step)
        return out

    def _beat_at_rest(self, name: str, until_s: float) -> None:
        """Beats at rest during speech, with periods of stillness."""
        s = self.s
        size = s.beat_m * s.size * (1.0 if name == "half-rest" else s.rest_beat)
        while until_s - self.now > s.beats.least_rest_s:
            still = s.still_s * self.rng.uniform(*s.beats.still_vary)
            if name == "half-rest":
                still *= s.beats.half_rest_still
            self.hold(min(until_s, self.now + still), kind="rest")
            stop = self.now + self.rng.uniform(*s.rest_beats_s)
            stop = until_s if until_s - stop < s.rest_left_s else stop
            before = self.now
            self.beat(stop, size, self.rests[name])
            left = stop - self.now
            if left > s.least_stir_s:
                self._stir(name, stop, size)
            elif self.now <= before + 1e-6:
                self.hold(stop, kind="rest")

    def _stir(self, name: str, until_s: float, size: float) -> None:
        """One small movement about a rest pose."""
        b = self.s.beats
        common = self.rng.normal(size=3)
        poses = {}
        for side in SIDES:
            own = common
            if self.resting not in TOUCHING:
                own = b.stir_common * common + self.rng.normal(size=3)
            step = own / np.linalg.norm(own) * np.array(b.stir_way)
            length = min(b.stir_size * size, b.stir_m_s * (until_s - self.now))
            pose = mix_poses(self.here[side], self.rests[name][side], b.stir_to_rest)
            poses[side] = pose.shift(length * step)
        peak = self.on_syllable(self.now, until_s, 0.5)
        self.go("hold", self.now, until_s, poses, arcs=self.arcs(poses), peak=peak, beat=True)


def _within_volume(pose: HandPose, side: Side, b: BeatSettings) -> HandPose:
    """Pose within the volume for beats: in front of the body, below the head."""
    out, up, ahead = pose.wrist * np.array([sign_of(side), 1.0, 1.0])
    up = float(np.clip(up, *b.up_m))
    nearest, farthest = b.ahead_m
    ahead = float(np.clip(ahead, nearest if up > b.hanging_m else 0.0, farthest))
    out = float(np.clip(out, 0.0, b.out_m))
    return replace(pose, wrist=np.array([sign_of(side) * out, up, ahead]))


def _flex(pose: HandPose, degrees: Floats) -> HandPose:
    """Pose whose hand is bent by angles ``[3]`` in degrees, within the comfortable range."""
    return replace(pose, angles=np.clip(pose.angles + np.radians(degrees), LOWEST, HIGHEST))
