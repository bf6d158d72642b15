"""Which segment a stream plays next: forward vector, sampling, and choice within a cluster.

One `SegmentChoice` per stream and character, a value; `Chooser.observe` and `Chooser.end_segment`
return the next one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kinesphere.bodylanguage.choose import inference
from kinesphere.bodylanguage.choose.choosing_settings import ChoosingSettings, Coming
from kinesphere.bodylanguage.choose.inference import Belief, MarkovChain
from kinesphere.bodylanguage.choose.random_numbers import uniform_random
from kinesphere.bodylanguage.choose.rhythm import Accents, Mark, accents, syllable_marks
from kinesphere.bodylanguage.key_positions import key_positions
from kinesphere.bodylanguage.model import BodyLanguageModel, StreamModel
from kinesphere.bodylanguage.streams import ARMS, HEAD, STREAMS
from kinesphere.character.default import default_rig
from kinesphere.maths.arrays import Bools, Floats, Ints, read_only
from kinesphere.speech.prosody.observation import ONSET, SILENCE

# Joints whose directions measure the distance of two poses, with weights.
_TELLING = {
    HEAD: (("neck", 0.5), ("head", 1.0)),
    ARMS: (
        ("upperChest", 0.5),
        ("leftUpperArm", 1.0),
        ("leftLowerArm", 1.0),
        ("leftHand", 0.4),
        ("rightUpperArm", 1.0),
        ("rightLowerArm", 1.0),
        ("rightHand", 0.4),
    ),
}
_HIPS = (("hips", 1.0),)


class SegmentChoice(NamedTuple):
    """The current segment of one stream of a character, and the inference state behind it.

    Parameters
    ----------
    belief, before : forward vectors, now and before the last observation.
    state : start or continuation of a cluster.
    segment : the current one, playing since `begun_s`.
    heard, heard_s, passed_s : the last observation, when it acted, and the time since the one
        before.
    draws : how many random numbers were used so far.
    shown : proportion of the previous segment that was played; NaN at first.
    recent : segments played before this one.
    """

    belief: Belief
    before: Belief
    state: int
    segment: int
    begun_s: float
    heard: int
    heard_s: float
    passed_s: float
    draws: int
    shown: float
    recent: tuple[int, ...] = ()


class Moment(NamedTuple):
    """When and where a character chooses.

    Parameters
    ----------
    time_s : now.
    seed : of the character.
    pose, hips : current world rotations ``[joints, 4]`` and pelvis offset ``[3]``.
    coming : the next observations, if known.
    """

    time_s: float
    seed: int
    pose: Floats
    hips: Floats
    coming: Coming | None = None


@dataclass(frozen=True, eq=False)
class Chooser:
    """Data of one stream that all characters share."""

    stream: int
    model: StreamModel
    chain: MarkovChain
    joints: Ints
    joint_weights: Floats
    starts: Floats
    pelvis: Floats
    liked: Floats
    members: tuple[Ints, ...]
    behind: Bools
    knows_onsets: bool
    accents: Accents | None
    settings: ChoosingSettings

    @classmethod
    def of(
        cls, model: BodyLanguageModel, stream: int, settings: ChoosingSettings
    ) -> Chooser | None:
        """Prepare one stream of a model; None if the chosen speakers have no data for it."""
        part, weights = model.streams.get(STREAMS[stream]), model.weights(settings.speakers)
        if part is None or not weights[part.speakers].any():
            return None
        telling = _TELLING.get(stream, _HIPS)
        rig = default_rig()
        joints = np.array([rig.joint(bone) for bone, _ in telling])
        firsts, liked = part.segments[:, 0], weights[part.speakers]
        turns = model.turns[firsts].astype(np.float64)
        return cls(
            stream=stream,
            model=part,
            chain=part.chain(weights),
            joints=read_only(joints),
            joint_weights=read_only(np.array([w for _, w in telling])),
            starts=read_only(turns[:, joints]),
            pelvis=read_only(model.pelvis[firsts].astype(np.float64)),
            liked=read_only(liked),
            members=tuple(read_only(m[liked[m] > 0.0]) for m in part.members),
            behind=read_only(_behind(stream, turns, settings.behind_m)),
            knows_onsets=bool(part.observations[..., ONSET].any()),
            accents=accents(model, stream) if settings.strictness > 0.0 else None,
            settings=settings,
        )

    def distances(self, members: Ints, pose: Floats, hips: Floats) -> Floats:
        """Distances of the first poses of segments from a pose ``[joints, 4]``."""
        through = 0.0
        if self.stream == ARMS and self.behind.any():
            apart = self.behind[members] != _behind(ARMS, pose[None], self.settings.behind_m)
            through = self.settings.through_rad * apart.sum(axis=1)
        dots = np.abs(np.einsum("mjk,jk->mj", self.starts[members], pose[self.joints]))
        out = 2.0 * np.arccos(np.minimum(dots, 1.0)) @ self.joint_weights
        if self.stream not in _TELLING:
            out = out + self.settings.rad_per_m * np.linalg.norm(
                self.pelvis[members] - hips, axis=1
            )
        return np.asarray(out + through)

    def segment(
        self,
        members: Ints,
        pose: Floats,
        hips: Floats,
        uniform: float,
        recent: tuple[int, ...] = (),
        least_s: float = 0.0,
        now_s: float = 0.0,
        marks: tuple[Mark, ...] = (),
    ) -> int:
        """One of the segments that start near a pose (section 9), but not a recent one.

        Otherwise two segments near each other, parts of one motion, would alternate for ever. Of
        those near enough, one that lasts `least_s` is taken if there is one, preferably one whose
        accents fall on `marks` if it starts now.
        """
        others = members[~np.isin(members, recent)]
        if not len(others):
            others = members[members != recent[-1]]
        allowed = others if len(others) else members
        s, far = self.settings, self.distances(allowed, pose, hips)
        # The tolerance is for poses only: it must not lead hands through the body.
        through = s.through_rad * (far.min() // s.through_rad)
        tolerated = max(s.tolerance * (far.min() - through), s.alike_rad)
        candidates = allowed[far - through <= min(tolerated, s.through_rad - s.alike_rad)]
        lasting = candidates[self.model.segment_s[candidates] >= least_s * s.pace]
        candidates = lasting if len(lasting) else candidates
        weights = self.liked[candidates]
        if self.accents is not None and marks and len(candidates) > 1:
            fits = self.accents.fits(candidates, now_s, s.pace, marks)
            weights = weights * np.exp(s.strictness * (fits - fits.max()))
        return int(candidates[inference.draw(weights, uniform)])

    def first(self, pose: Floats, hips: Floats) -> SegmentChoice:
        """Initial state after a silence: the segment nearest to a pose.

        It starts part-way: a segment that has just started tends to continue, whatever the voice.
        """
        n = len(self.model)
        likely = self.chain.prior[:n] * self.chain.observations[:n, SILENCE]
        cluster = int(np.argmax(likely))
        members = self.members[cluster]
        segment = int(members[np.argmin(self.distances(members, pose, hips))])
        s = self.settings
        begun_s = -s.elapsed * float(self.model.segment_s[segment]) / s.pace
        state = n + cluster
        alpha, tau = inference.first_belief(self.chain, state)
        belief = Belief(alpha, read_only(np.where(np.arange(n) == cluster, s.elapsed, tau)))
        return SegmentChoice(belief, belief, state, segment, begun_s, SILENCE, 0.0, 0.0, 0, np.nan)

    def observe(self, choice: SegmentChoice, number: int, moment: Moment) -> SegmentChoice:
        """Process an observation; another segment may start now.

        A model trained without onsets ignores them. Where the rules restart the forward vector, the
        new segment is chosen for the next observation, if that is known.
        """
        if number == ONSET and not self.knows_onsets:
            return choice
        chain, policy, rules = self.chain, self.settings.policy, self.settings.rules
        now_s, coming = moment.time_s, moment.coming
        passed = max(now_s - choice.heard_s, 0.0)
        anew = rules.restarts(number)
        leaves = rules.leaves(choice.begun_s + self._length_s(choice), coming)
        ended = choice.state % len(chain) if leaves else None
        belief = (
            inference.restart(chain, number)
            if anew
            else inference.advance(chain, choice.belief, number, passed, ended)
        )
        after = choice._replace(
            belief=belief, before=choice.belief, heard=number, heard_s=now_s, passed_s=passed
        )
        if policy in ("random", "unsynchronised"):
            return after
        if anew:
            following = 1.0 if coming is None else chain.observations[:, coming.number]
            gamma = inference.start_states(chain) * following
        else:
            share = self._share(choice, now_s)
            gamma = inference.direct_vector(chain, choice.state, number, share, ended=leaves)
        state, after = self._draw(after, inference.combine(belief, gamma), moment.seed)
        if state >= len(chain):
            return after._replace(state=state)
        if policy == "random-synchronised":
            return self._begin_random(after, moment)
        return self._begin(after, state, moment)

    def end_segment(self, choice: SegmentChoice, moment: Moment) -> SegmentChoice:
        """The current segment has ended: use the last observation again with that knowledge (8.3).

        If the segment had only just started with that observation, it is taken as over, and the
        observation as occurring once more after it: the paper does not specify this case.
        """
        if self.settings.policy.startswith("random"):
            return self._begin_random(choice, moment)
        chain, n = self.chain, len(self.chain)
        cluster = choice.state % n
        after = choice
        if choice.state < n:
            passed = max(moment.time_s - choice.heard_s, 0.0)
            after = choice._replace(before=choice.belief, heard_s=moment.time_s, passed_s=passed)
        belief = inference.advance(chain, after.before, after.heard, after.passed_s, cluster)
        gamma = inference.direct_vector(chain, choice.state, choice.heard, 1.0, ended=True)
        after = after._replace(belief=belief)
        state, after = self._draw(after, inference.combine(belief, gamma), moment.seed)
        return self._begin(after, state % n, moment)

    def _share(self, choice: SegmentChoice, now_s: float) -> float:
        """Elapsed proportion of the current segment."""
        return (now_s - choice.begun_s) / self._length_s(choice)

    def _length_s(self, choice: SegmentChoice) -> float:
        return float(self.model.segment_s[choice.segment]) / self.settings.pace

    def _draw(
        self, choice: SegmentChoice, distribution: Floats, seed: int
    ) -> tuple[int, SegmentChoice]:
        uniform, after = self._uniform(choice, seed)
        return inference.draw(distribution, uniform), after

    def _uniform(self, choice: SegmentChoice, seed: int) -> tuple[float, SegmentChoice]:
        value = uniform_random(seed, self.stream, choice.draws)
        return value, choice._replace(draws=choice.draws + 1)

    def _begin(self, choice: SegmentChoice, cluster: int, moment: Moment) -> SegmentChoice:
        """Start a segment of a cluster."""
        now_s, seed, pose, hips, coming = moment
        uniform, after = self._uniform(choice, seed)
        members, through = self.members[cluster], self.settings.through_rad
        if self.stream == ARMS and self.distances(members, pose, hips).min() > through:
            # Only starts behind the back: any that fits without a path through the body.
            every = np.flatnonzero(self.liked > 0.0)
            far = self.distances(every, pose, hips)
            members = every[far <= max(far.min(), through)]
            fits = self.chain.observations[self.model.segments[members, 2], choice.heard]
            value, after = self._uniform(after, seed)
            cluster = int(self.model.segments[members[inference.draw(fits, value)], 2])
            members = members[self.model.segments[members, 2] == cluster]
        recent = (*choice.recent, choice.segment)[-self.settings.recent :]
        least_s = 0.0
        marks: tuple[Mark, ...] = ()
        if coming is not None:
            least_s = coming.time_s - now_s
            marks = syllable_marks((Mark(now_s, choice.heard), *coming.marks))
        segment = self.segment(members, pose, hips, uniform, recent, least_s, now_s, marks)
        shown = min(self._share(choice, now_s), 1.0)
        return after._replace(
            state=cluster, segment=segment, begun_s=now_s, shown=shown, recent=recent
        )

    def _begin_random(self, choice: SegmentChoice, moment: Moment) -> SegmentChoice:
        uniform, after = self._uniform(choice, moment.seed)
        cluster = inference.draw(self.chain.prior[: len(self.chain)], uniform)
        return self._begin(after, cluster, moment)


def _behind(stream: int, turns: Floats, behind_m: float) -> Bools:
    """Whether the hands ``[frames, 2]`` are behind the back."""
    if stream != ARMS:
        return np.zeros((len(turns), 2), dtype=np.bool_)
    wrists = key_positions(ARMS, turns, np.zeros((len(turns), 3))).reshape(-1, 2, 3)
    return np.asarray(wrists[..., 2] < behind_m)
