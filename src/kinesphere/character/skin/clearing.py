"""Arms of a retargeted motion kept out of the body and of each other, contacts on the own skin.

A hand that touches the body in the motion touches the character's skin; one that is near it keeps
its distance in part. Then hands and forearms that are inside the body are moved out along the
shortest way: wrists are displaced, elbows swivel. Hands that penetrate each other move apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from kinesphere.character.skin.body_skin import ArmGaps, BodySkin, arm_gaps
from kinesphere.character.skin.correction import (
    CorrectionSettings,
    corrected_arm,
    elbow_slopes,
    pose_arm,
    spread_in_time,
)
from kinesphere.character.skin.hand_meeting import Meeting, hand_meeting, meeting_way
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.maths.curves import smoothstep
from kinesphere.maths.filters import gaussian
from kinesphere.motion.body.arms import SIDES, ArmMotion, Side, measure_arm, settle, sign_of
from kinesphere.motion.clip import Clip

# No sphere of an arm moves farther than this many times its correction.
_FARTHEST = 1.5


@dataclass(frozen=True)
class ClearingSettings:
    """When arms are moved; lengths for a person of 1.75 m.

    Parameters
    ----------
    rate_hz : rate at which corrections are found; they change over tenths of a second.
    felt_m : change of a correction after which gaps are measured again.
    skin_m : gap that a correction leaves: flesh yields by millimetres, a gap of a centimetre shows.
    contact_m : gap in the motion up to which a hand surely touches, and from which on it does not.
    most_pull_m : how far a hand may be moved to touch.
    pull_rounds, least_rounds, push_rounds, last_rounds : repetitions: of contacts; of the least
        correction that leads out, with hands that touch kept together; of what is still lacking;
        and of that with hands free to part. Corrections are linear in small steps only.
    solve_rounds : worst spheres that one correction takes into account.
    elbow_first : how much cheaper a way of the elbow is than one of the wrist, which the motion is
        about: people of any build swing their elbows out around the body.
    damping : of steps to spheres that the arm hardly moves, such as those next to the elbow.
    most_step_m : correction of one round.
    """

    rate_hz: float = 30.0
    felt_m: float = 0.0007
    skin_m: float = 0.003
    contact_m: tuple[float, float] = (0.012, 0.045)
    most_pull_m: float = 0.10
    pull_rounds: int = 3
    least_rounds: int = 6
    push_rounds: int = 3
    last_rounds: int = 4
    solve_rounds: int = 12
    elbow_first: float = 2.0
    damping: float = 0.15
    most_step_m: float = 0.06
    correction: CorrectionSettings = field(default_factory=CorrectionSettings)


@dataclass(frozen=True, eq=False)
class Touching:
    """Gaps in a motion before it was retargeted, at the scale of the new body.

    Parameters
    ----------
    gaps : ``[frames, 2]`` of the left and the right hand to the body.
    sides : ``[frames, 2, 3]`` the direction out of the body where each hand is nearest to it: the
        side of the body that the hand is on.
    meeting : of the hands.
    """

    gaps: Floats
    sides: Floats
    meeting: Meeting


def touching_of(clip: Clip, body: BodySkin, scale: float = 1.0) -> Touching:
    """Gaps of the hands in a clip, in lengths of a body that is `scale` times as large."""
    found = arm_gaps(body, clip)
    rows = np.arange(len(found.gaps))[:, None]
    hands = [body.balls.hand(side) for side in SIDES]
    nearest = np.stack([h[np.argmin(found.gaps[:, h], axis=1)] for h in hands], axis=1)
    way = meeting_way(found.centres, body.balls)
    return Touching(
        scale * found.gaps[rows, nearest],
        found.ways[rows, nearest],
        hand_meeting(found.centres, body.balls, way).scaled(scale),
    )


def clear_arms(
    clip: Clip,
    body: BodySkin,
    source: Clip,
    source_body: BodySkin,
    settings: ClearingSettings | None = None,
) -> Clip:
    """Move hands and forearms out of the body and hands out of each other; keep contacts.

    Parameters
    ----------
    clip : retargeted motion on the body's skeleton.
    body : the character's skin.
    source, source_body : the motion before, which shows what touches what, and its body.

    Returns
    -------
    the clip with other rotations of upper arms, forearms and hands; frames in which nothing is
    near keep theirs exactly.
    """
    settings = settings or ClearingSettings()
    step = max(1, round(clip.fps / settings.rate_hz))
    before = touching_of(_every(source, step), source_body, body.scale / source_body.scale)
    corrections = _Clearing(_every(clip, step), body, before, settings).run()
    out = clip
    for side, correction in corrections.items():
        if np.any(correction):
            arm = settle(measure_arm(clip, body.rig, side), clip.fps)
            full = _at_full_rate(correction, step, len(clip))
            out = pose_arm(out, body.rig, arm, full, settings.correction)
    return out


def _every(clip: Clip, step: int) -> Clip:
    """Every `step`-th frame of a clip, without its channels."""
    if step == 1:
        return clip
    return replace(
        clip,
        fps=clip.fps / step,
        root_positions=clip.root_positions[::step],
        rotations=clip.rotations[::step],
        translations=clip.translations[::step],
        channels={},
    )


def _at_full_rate(correction: Floats, step: int, count: int) -> Floats:
    """Corrections of every `step`-th frame for all frames, as smooth as before."""
    if step == 1:
        return correction
    at, known = np.arange(count), step * np.arange(len(correction))
    full = np.stack([np.interp(at, known, column) for column in correction.T], axis=1)
    return gaussian(full, step, 3.0)


class _Clearing:
    """Corrections of both arms, found in rounds."""

    def __init__(
        self, clip: Clip, body: BodySkin, before: Touching, settings: ClearingSettings
    ) -> None:
        self.clip, self.body, self.before, self.settings = clip, body, before, settings
        self.scale = body.scale
        self.arms: dict[Side, ArmMotion] = {
            side: settle(measure_arm(clip, body.rig, side), clip.fps) for side in SIDES
        }
        self.pull, self.needs, self.push, self.part, self.probed = (
            {side: np.zeros((len(clip), 4)) for side in SIDES} for _ in range(5)
        )
        self.found = arm_gaps(body, clip)
        self.met = self._contact(-before.meeting.lack)
        # What brings hands together or apart takes time before and after they meet.
        self.near = np.minimum(self._spread(self.met[:, None])[:, 0], 1.0)

    def run(self) -> dict[Side, Floats]:
        """Corrections ``[frames, 4]`` of each arm."""
        s = self.settings
        self._repeat(self._pull, s.pull_rounds)
        self._repeat(partial(self._push, least=True), s.least_rounds)
        self._repeat(self._push, s.push_rounds)
        # Where both cannot be had, hands part rather than enter the body.
        self.met, self.near = np.zeros_like(self.met), np.zeros_like(self.near)
        self._repeat(self._push, s.last_rounds)
        return {side: self._total(side) for side in SIDES}

    def _total(self, side: Side) -> Floats:
        """Correction of an arm so far."""
        return self.pull[side] + self.push[side] + self.part[side]

    def _spread(self, values: Floats) -> Floats:
        """Values over time with their ways there and back; a swivel in a column of its own."""
        s = self.settings.correction
        parts = [values[:, :3], values[:, 3:]]
        spread = [spread_in_time(part, self.clip.fps, s) for part in parts if part.shape[1]]
        return np.concatenate(spread, axis=1)

    def _repeat(self, step: Callable[[ArmGaps], bool], rounds: int) -> None:
        for _ in range(rounds):
            if not step(self.found):
                break
            self._refresh()

    def _refresh(self) -> None:
        """Measure gaps again where the arms have moved enough to change them."""
        posed, moved = self.clip, np.zeros(len(self.clip))
        total = {side: self._total(side) for side in SIDES}
        for side, arm in self.arms.items():
            if np.any(total[side]):
                posed = pose_arm(posed, self.body.rig, arm, total[side], self.settings.correction)
            moved = np.maximum(moved, np.linalg.norm(total[side] - self.probed[side], axis=-1))
        lack = self._meeting(self.found).lack
        room = np.minimum(self.found.gaps.min(axis=1), np.maximum(-lack, 0.0))
        room = np.where(self.met > 0.0, 0.0, room)
        felt = self.settings.felt_m * self.scale
        dirty = np.flatnonzero((moved > felt) & (_FARTHEST * moved > room))
        fresh = arm_gaps(self.body, posed, dirty)
        self.found.centres[dirty] = fresh.centres
        self.found.gaps[dirty] = fresh.gaps
        self.found.ways[dirty] = fresh.ways
        for side in SIDES:
            self.probed[side][dirty] = total[side][dirty]

    def _pull(self, found: ArmGaps) -> bool:
        """Move hands to the contacts they had; false if none has to move."""
        rows = np.arange(len(found.gaps))
        moved = False
        excess, sure = self._meeting_excess(self._meeting(found))
        apart = -0.5 * excess[:, None] * self.before.meeting.way
        for k, side in enumerate(SIDES):
            some = self.body.balls.hand(side)
            nearest = some[np.argmin(found.gaps[:, some], axis=1)]
            had = self.before.gaps[:, k]
            off = np.clip(found.gaps[rows, nearest] - np.maximum(had, 0.0), 0.0, None)
            inward = -off[:, None] * found.ways[rows, nearest]
            step = self._bridged(inward, self._contact(had))
            step = step + self._bridged(sign_of(side) * apart, sure)
            step = self._local(side, step)
            if np.linalg.norm(step, axis=-1).max() < 0.5 * self.settings.skin_m * self.scale:
                continue
            moved = True
            total = self.pull[side][:, :3] + step
            size = np.linalg.norm(total, axis=-1, keepdims=True)
            most = self.settings.most_pull_m * self.scale
            self.pull[side][:, :3] = total * (most * np.tanh(size / most) / np.maximum(size, 1e-9))
        return moved

    def _bridged(self, step: Floats, sure: Floats) -> Floats:
        """Steps ``[f, 3]`` of contacts as the way to them and from them: full in a short one too.

        `sure` ``[f]`` is how surely each frame is a contact.
        """
        if not sure.any():
            return np.zeros_like(step)
        sigma = self.settings.correction.contact_s * self.clip.fps
        weight = gaussian(sure, sigma, 3.0)
        mean = gaussian(sure[:, None] * step, sigma, 3.0) / np.maximum(weight, 1e-6)[:, None]
        return np.asarray(self._spread(sure[:, None]) * mean)

    def _contact(self, gaps: Floats) -> Floats:
        """How surely a gap is a contact, 0 to 1."""
        near, far = (x * self.scale for x in self.settings.contact_m)
        return np.asarray(1.0 - smoothstep((gaps - near) / (far - near)))

    def _meeting_excess(self, now: Meeting) -> tuple[Floats, Floats]:
        """How much farther apart than before hands are, metres ``[f]``, and how surely they met."""
        had = self.before.meeting.lack
        known = np.isfinite(had) & np.isfinite(now.lack)
        # Skin that touches is enough: what overlapped before need not overlap again.
        excess = np.where(known, np.minimum(had, 0.0), 0.0) - np.where(known, now.lack, 0.0)
        near = known & (excess < 2.0 * self.settings.most_pull_m * self.scale)
        return np.clip(excess, 0.0, None), np.where(near, self.met, 0.0)

    def _overlap_way(self, now: Meeting) -> Floats:
        """How far hands must move apart that are deeper in each other than before ``[f]``."""
        # Bones of a giant's hands are as hard as those of others.
        before, margin = self.before.meeting, self.settings.skin_m * min(self.scale, 1.0)
        allowed = np.minimum(before.overlap, margin) + 0.5 * margin
        size = np.maximum(now.lack - np.maximum(before.lack, 0.0), now.overlap - allowed)
        return np.asarray(np.where(now.overlap > allowed, size + 0.5 * margin, 0.0))

    def _meeting(self, found: ArmGaps) -> Meeting:
        return hand_meeting(found.centres, self.body.balls, self.before.meeting.way)

    def _local(self, side: Side, vectors: Floats) -> Floats:
        """World vectors in the axes of an arm."""
        return quaternion.rotate(quaternion.inverse(self.arms[side].axes), vectors)

    def _push(self, found: ArmGaps, least: bool = False) -> bool:
        """Move arms out of the body and hands apart; false if nothing has to move.

        With `least` corrections become as small as they can be; else they grow by what is lacking.
        """
        parting = self._parting(self._meeting(found))
        moved = False
        for side in SIDES:
            frames, step = self._way_out(found, side, least)
            if len(frames) == 0 and not parting.any():
                continue
            moved = True
            if least:
                self.needs[side][frames] = self.push[side][frames] + step
                self.push[side] = self._spread(self.needs[side])
            else:
                more = np.zeros_like(self.push[side])
                more[frames] = step
                self.push[side] = self.push[side] + self._spread(more)
            self.part[side][:, :3] += self._local(side, 0.5 * sign_of(side) * parting)
            self._stay_in_reach(side)
        return moved

    def _parting(self, now: Meeting) -> Floats:
        """How hands move apart that are in each other, and together that touched ``[f, 3]``."""
        felt, way = self.settings.skin_m * self.scale, self.before.meeting.way
        excess, sure = self._meeting_excess(now)
        out = self._spread(self._overlap_way(now)[:, None] * way)
        if (sure * excess).max() > felt:
            out -= self._bridged(excess[:, None] * way, sure)
        return out

    def _stay_in_reach(self, side: Side) -> None:
        """Take back what an arm cannot follow, or steps beyond its reach would pile up."""
        arm, total = self.arms[side], self._total(side)
        wrists, _ = corrected_arm(arm, total, self.settings.correction)
        self.push[side][:, :3] -= arm.wrists + total[:, :3] - wrists

    def _way_out(self, found: ArmGaps, side: Side, least: bool) -> tuple[Ints, Floats]:
        """Frames, and steps ``[f, 4]`` that bring an arm out of the body there, to first order."""
        balls, s = self.body.balls.of(side), self.settings
        wants = found.gaps[:, balls].min(axis=1) < 0.0
        if least:
            wants |= self.needs[side].any(axis=1)
        frames = np.flatnonzero(wants)
        if len(frames) == 0:
            return frames, np.zeros((0, 4))
        lack = s.skin_m * self.scale - found.gaps[np.ix_(frames, balls)]
        cheap = np.array([1.0, 1.0, 1.0, s.elbow_first if least else 1.0])
        slopes = cheap * self._slopes(found, side, frames, balls)
        if not least:
            slopes[..., 3] *= self._swivel_left(side)[frames, None]
        size = np.sum(slopes * slopes, axis=-1) + s.damping
        rows = np.arange(len(frames))
        step = -self.push[side][frames] / cheap if least else np.zeros((len(frames), 4))
        for _ in range(s.solve_rounds):
            rest = lack - np.einsum("fkc,fc->fk", slopes, step)
            worst = np.argmax(rest, axis=1)
            amount = np.clip(rest[rows, worst], 0.0, None) / size[rows, worst]
            step += amount[:, None] * slopes[rows, worst]
        step *= cheap
        length, most = np.linalg.norm(step, axis=-1, keepdims=True), s.most_step_m * self.scale
        return frames, step * np.minimum(1.0, most / np.maximum(length, 1e-9))

    def _swivel_left(self, side: Side) -> Floats:
        """How much of a further swivel an elbow still follows, 1 to 0 ``[f]``."""
        s, total = self.settings.correction, self._total(side)
        _, swivels = corrected_arm(self.arms[side], total, s)
        return np.asarray(1.0 - ((swivels - self.arms[side].swivels) / s.most_swivel_rad) ** 2)

    def _slopes(self, found: ArmGaps, side: Side, frames: Ints, balls: Ints) -> Floats:
        """How gaps ``[f, k, 4]`` grow with the displacements of wrist and elbow."""
        arm, s = self.arms[side], self.settings.correction
        axes = quaternion.inverse(arm.axes[frames])[:, None]
        along = self.body.balls.along[balls]
        ways = quaternion.rotate(axes, found.ways[np.ix_(frames, balls)])
        own = self._local(side, self.before.sides[:, SIDES.index(side)])[frames]
        ways = _not_through(ways, along, own, sign_of(side))
        wrists, swivels = corrected_arm(arm, self._total(side), s)
        elbow = elbow_slopes(arm, wrists, swivels)
        useful = smoothstep(elbow.radius[frames] / s.least_circle_m - 0.5)
        follow = np.einsum("fac,fkc->fka", elbow.follows[frames], ways)
        wrist = along[:, None] * ways + (1.0 - along)[:, None] * follow
        # Hands that touch are moved together: forward or up, not apart.
        way = self._local(side, self.before.meeting.way)[frames]
        apart = np.einsum("fkc,fc->fk", wrist, way) * self.near[frames, None]
        wrist = wrist - apart[..., None] * way[:, None]
        swing = np.einsum("fkc,fc->fk", ways, elbow.tangent[frames]) * (1.0 - along)
        return np.concatenate([wrist, (swing * useful[:, None])[..., None]], axis=-1)


def _not_through(ways: Floats, along: Floats, own: Floats, sign: int) -> Floats:
    """Directions out ``[f, k, 3]`` that lead back to where the arm came from, not across the body.

    A hand comes out on the side of the body `own` ``[f, 3]`` that it is on in the motion. A forearm
    comes out on its own side: the shortest way of one that is deep inside may be the other.
    """
    middle = np.zeros(3)
    middle[0] = sign
    out = ways
    for side, much in ((own[:, None], along), (middle, 1.0 - along)):
        against = np.minimum(np.sum(out * side, axis=-1), 0.0) * much
        out = out - 2.0 * against[..., None] * side
    return np.asarray(out / np.maximum(np.linalg.norm(out, axis=-1, keepdims=True), 1e-9))
