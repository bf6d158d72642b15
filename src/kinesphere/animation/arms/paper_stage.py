"""The stage by the rules of the 2008 paper: fixed times, straight paths, holds between gestures."""

from __future__ import annotations

import numpy as np

from kinesphere.animation.arms.arm_settings import PAPER_TIMES
from kinesphere.animation.arms.hand_events import Act, Poses
from kinesphere.animation.arms.poses.hand_pose import HandPose
from kinesphere.animation.arms.stage import Stage
from kinesphere.animation.arms.stroke_timing import prep_start
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import Side


class PaperStage(Stage):
    """Events as in chapter 6: eq. 6.1, and gaps that retraction and preparation share."""

    def approach(self, act: Act, before: Act | None) -> None:
        """Rest or hold until the preparation."""
        start = act.time.start_s
        if self.resting is None:
            if start - PAPER_TIMES.prep_s > self.now:
                self.hold(start - PAPER_TIMES.prep_s, before)
            return
        lead = PAPER_TIMES.rest_prep_s
        if before is not None:
            # The available time is shared with the retraction (section 6.2.1).
            lead = min(lead, start - self.now)
        self.rest(max(start - lead, self.now))

    def prepare(self, act: Act, start: Poses, *, from_rest: bool) -> None:
        """Preparation of a fixed duration; none where the script has none."""
        begin = prep_start(act.time.start_s, self.now, from_rest=from_rest)
        prepared = act.gesture.has_prep or from_rest
        self.hold(begin if prepared else act.time.start_s)
        if prepared:
            more = {"via": self.via(), "lead": act.sides, "act": act}
            self.go("preparation", begin, act.time.start_s, start, **more)

    def stroke_end(self, act: Act, goal: Poses) -> float:
        """The script's."""
        return act.time.end_s

    def stroke_arcs(self, act: Act, goal: Poses) -> dict[Side, Floats]:
        """The lexeme's own, unless the script says straight."""
        found: dict[Side, Floats] = {}
        if act.gesture.trajectory != "straight":
            self.bend(act, goal, np.array(act.lexeme.arc_cm) / 100.0, found)
        return found

    def arcs(
        self, poses: Poses, usual: float | None = None, lean: Floats | None = None
    ) -> dict[Side, Floats]:
        """None: paths are straight."""
        return {}

    def follow(self, act: Act, side: Side, poses: Poses, base: Poses) -> HandPose:
        """The other hand stays where it is."""
        return self.here[side]

    def vary_repeat(self, up: dict[Side, HandPose], low: dict[Side, HandPose]) -> None:
        """Repetitions are alike."""

    def leave(self, act: Act, rest: str, following: Act | None) -> None:
        """Hold, then retract if the gap is long enough to return."""
        end = act.time.last_s + (act.gesture.hold_s or 0.0)
        self.hold(max(end, self.now), act)
        half = None
        if following is not None:
            gap = following.time.start_s - end
            if gap < PAPER_TIMES.least_home_s:
                return
            half = end + 0.5 * gap
        self.retract(rest, end, half)

    def retract(self, name: str, start_s: float, by_s: float | None = None) -> None:
        """Retraction of a fixed duration, or shorter."""
        via = self.via(name)
        length = PAPER_TIMES.home_s
        length = length if by_s is None else min(length, by_s - start_s)
        start_s = max(start_s, self.now)
        self.hold(start_s)
        self.resting = name
        self.go("retraction", start_s, start_s + length, self.rests[name], via=via)

    def rest(self, until_s: float) -> None:
        """Without motion."""
        self.hold(until_s, kind="rest")
