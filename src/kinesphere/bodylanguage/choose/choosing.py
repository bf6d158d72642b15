"""Which segment a stream plays next: forward vector, sampling, and choice within a cluster.

One `Choice` per stream and character, a value; `heard` and `ran_out` return the next one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kinesphere.bodylanguage.choose import inference
from kinesphere.bodylanguage.choose.inference import Belief, Chain
from kinesphere.bodylanguage.choose.rhythm import Accents, Mark, accents, sounding
from kinesphere.bodylanguage.learn.segment_features import key_positions
from kinesphere.bodylanguage.model import BodyLanguageModel, StreamModel
from kinesphere.bodylanguage.play.live_options import LiveOptions
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
_METRES = 8.0  # radians equivalent to a metre of pelvis displacement
# Added distance between hands in front of and behind the back: more than between any two poses.
_THROUGH = 20.0
_BEHIND_M = -0.05
# This many recent segments are not repeated.
_RECENT = 4
# Elapsed proportion of a character's first segment at its first frame.
_WELL_INTO = 0.6
# Poses closer than this count as equal, radians in total.
_ALIKE = 0.12


class Choice(NamedTuple):
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


class Coming(NamedTuple):
    """Known observations to come.

    Parameters
    ----------
    time_s, number : when the next one acts, and its number.
    marks : the known syllables.
    """

    time_s: float
    number: int
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, eq=False)
class Chooser:
    """Data of one stream that all characters share."""

    stream: int
    model: StreamModel
    chain: Chain
    joints: Ints
    joint_weights: Floats
    starts: Floats
    pelvis: Floats
    liked: Floats
    members: tuple[Ints, ...]
    behind: Bools
    knows_onsets: bool
    accents: Accents | None
    options: LiveOptions

    @classmethod
    def of(cls, model: BodyLanguageModel, stream: int, options: LiveOptions) -> Chooser | None:
        """Prepare one stream of a model; None if the chosen speakers have no data for it."""
        part, weights = model.streams.get(STREAMS[stream]), model.weights(options.speakers)
        if part is None or not weights[part.speakers].any():
            return None
        telling = _TELLING.get(stream, _HIPS)
        rig = default_rig()
        joints = np.array([rig.joint(bone) for bone, _ in telling])
        firsts, liked = part.segments[:, 0], weights[part.speakers]
        return cls(
            stream,
            part,
            part.chain(weights),
            read_only(joints),
            read_only(np.array([w for _, w in telling])),
            read_only(model.turns[firsts][:, joints].astype(np.float64)),
            read_only(model.pelvis[firsts].astype(np.float64)),
            read_only(liked),
            tuple(read_only(m[liked[m] > 0.0]) for m in part.members),
            read_only(_behind(stream, model.turns[firsts].astype(np.float64))),
            bool(part.observations[..., ONSET].any()),
            accents(model, stream) if options.strictness > 0.0 else None,
            options,
        )

    def distances(self, members: Ints, pose: Floats, hips: Floats) -> Floats:
        """Distances of the first poses of segments from a pose ``[joints, 4]``."""
        through = 0.0
        if self.stream == ARMS and self.behind.any():
            apart = self.behind[members] != _behind(ARMS, pose[None])
            through = _THROUGH * apart.sum(axis=1)
        dots = np.abs(np.einsum("mjk,jk->mj", self.starts[members], pose[self.joints]))
        out = 2.0 * np.arccos(np.minimum(dots, 1.0)) @ self.joint_weights
        if self.stream not in _TELLING:
            out = out + _METRES * np.linalg.norm(self.pelvis[members] - hips, axis=1)
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
        far = self.distances(allowed, pose, hips)
        # The tolerance is for poses only: it must not lead hands through the body.
        through = _THROUGH * (far.min() // _THROUGH)
        tolerated = max(self.options.tolerance * (far.min() - through), _ALIKE)
        candidates = allowed[far - through <= min(tolerated, _THROUGH - _ALIKE)]
        lasting = candidates[self.model.segment_s[candidates] >= least_s * self._pace]
        candidates = lasting if len(lasting) else candidates
        weights = self.liked[candidates]
        if self.accents is not None and marks and len(candidates) > 1:
            fits = self.accents.fits(candidates, now_s, self._pace, marks)
            weights = weights * np.exp(self.options.strictness * (fits - fits.max()))
        return int(candidates[inference.drawn(weights, uniform)])

    def first(self, seed: int, pose: Floats, hips: Floats) -> Choice:
        """Initial state after a silence: the segment nearest to a pose.

        It starts part-way: a segment that has just started tends to continue, whatever the voice.
        """
        n = len(self.model)
        likely = self.chain.prior[:n] * self.chain.observations[:n, SILENCE]
        cluster = int(np.argmax(likely))
        members = self.members[cluster]
        segment = int(members[np.argmin(self.distances(members, pose, hips))])
        begun_s = -_WELL_INTO * float(self.model.segment_s[segment]) / self._pace
        state = n + cluster
        alpha, tau = inference.first_belief(self.chain, state)
        belief = Belief(alpha, read_only(np.where(np.arange(n) == cluster, _WELL_INTO, tau)))
        return Choice(belief, belief, state, segment, begun_s, SILENCE, 0.0, 0.0, 0, np.nan)

    def heard(
        self,
        choice: Choice,
        number: int,
        now_s: float,
        seed: int,
        pose: Floats,
        hips: Floats,
        coming: Coming | None = None,
    ) -> Choice:
        """Process an observation at a time; another segment may start then.

        A model trained without onsets ignores them.

        Parameters
        ----------
        coming : the next observation, if known. A segment that would run out before it is left now:
            the paper estimates whether it reaches another syllable (7.1), here that is known. At an
            onset a segment starts, and the counts of silences are no evidence of which one: the
            forward vector restarts, and the new segment is chosen for the first syllable.
        """
        if number == ONSET and not self.knows_onsets:
            return choice
        chain, policy = self.chain, self.options.policy
        passed = max(now_s - choice.heard_s, 0.0)
        anew = number == ONSET and not self.options.paper
        leaves = self._leaves(choice, coming)
        ended = choice.state % len(chain) if leaves else None
        belief = (
            inference.restarted(chain, number)
            if anew
            else inference.advanced(chain, choice.belief, number, passed, ended)
        )
        after = choice._replace(
            belief=belief, before=choice.belief, heard=number, heard_s=now_s, passed_s=passed
        )
        if policy in ("random", "unsynchronised"):
            return after
        if anew:
            following = 1.0 if coming is None else chain.observations[:, coming.number]
            gamma = inference.beginnings(chain) * following
        else:
            share = self._share(choice, now_s)
            gamma = inference.direct(chain, choice.state, number, share, ended=leaves)
        state, after = self._drawn(after, inference.choice(belief, gamma), seed)
        if state >= len(chain):
            return after._replace(state=state)
        if policy == "random-synchronised":
            return self._random(after, now_s, seed, pose, hips, coming)
        return self._begun(after, state, now_s, seed, pose, hips, coming)

    def ran_out(
        self, choice: Choice, now_s: float, seed: int, pose: Floats, hips: Floats
    ) -> Choice:
        """The current segment has ended: use the last observation again with that knowledge (8.3).

        If the segment had only just started with that observation, it is taken as over, and the
        observation as occurring once more after it: the paper does not specify this case.
        """
        if self.options.policy.startswith("random"):
            return self._random(choice, now_s, seed, pose, hips)
        chain, n = self.chain, len(self.chain)
        cluster = choice.state % n
        after = choice
        if choice.state < n:
            passed = max(now_s - choice.heard_s, 0.0)
            after = choice._replace(before=choice.belief, heard_s=now_s, passed_s=passed)
        belief = inference.advanced(chain, after.before, after.heard, after.passed_s, cluster)
        gamma = inference.direct(chain, choice.state, choice.heard, 1.0, ended=True)
        after = after._replace(belief=belief)
        state, after = self._drawn(after, inference.choice(belief, gamma), seed)
        return self._begun(after, state % n, now_s, seed, pose, hips)

    def _leaves(self, choice: Choice, coming: Coming | None) -> bool:
        """Whether the current segment would run out before the next observation."""
        if self.options.paper or coming is None:
            return False
        return self._ends_s(choice) < coming.time_s

    def _share(self, choice: Choice, now_s: float) -> float:
        return (now_s - choice.begun_s) / self._length_s(choice)

    def _ends_s(self, choice: Choice) -> float:
        return choice.begun_s + self._length_s(choice)

    def _length_s(self, choice: Choice) -> float:
        return float(self.model.segment_s[choice.segment]) / self._pace

    @property
    def _pace(self) -> float:
        return self.options.expression.pace

    def _drawn(self, choice: Choice, distribution: Floats, seed: int) -> tuple[int, Choice]:
        uniform, after = self._uniform(choice, seed)
        return inference.drawn(distribution, uniform), after

    def _uniform(self, choice: Choice, seed: int) -> tuple[float, Choice]:
        value = chance(seed, self.stream, choice.draws)
        return value, choice._replace(draws=choice.draws + 1)

    def _begun(
        self,
        choice: Choice,
        cluster: int,
        now_s: float,
        seed: int,
        pose: Floats,
        hips: Floats,
        coming: Coming | None = None,
    ) -> Choice:
        uniform, after = self._uniform(choice, seed)
        members = self.members[cluster]
        if self.stream == ARMS and self.distances(members, pose, hips).min() > _THROUGH:
            # Only starts behind the back: any that fits without a path through the body.
            every = np.flatnonzero(self.liked > 0.0)
            far = self.distances(every, pose, hips)
            members = every[far <= max(far.min(), _THROUGH)]
            fits = self.chain.observations[self.model.segments[members, 2], choice.heard]
            value, after = self._uniform(after, seed)
            cluster = int(self.model.segments[members[inference.drawn(fits, value)], 2])
            members = members[self.model.segments[members, 2] == cluster]
        recent = (*choice.recent, choice.segment)[-_RECENT:]
        least_s = 0.0
        marks: tuple[Mark, ...] = ()
        if coming is not None:
            least_s = coming.time_s - now_s
            marks = sounding((Mark(now_s, choice.heard), *coming.marks))
        segment = self.segment(members, pose, hips, uniform, recent, least_s, now_s, marks)
        shown = min(self._share(choice, now_s), 1.0)
        return after._replace(
            state=cluster, segment=segment, begun_s=now_s, shown=shown, recent=recent
        )

    def _random(
        self,
        choice: Choice,
        now_s: float,
        seed: int,
        pose: Floats,
        hips: Floats,
        coming: Coming | None = None,
    ) -> Choice:
        uniform, after = self._uniform(choice, seed)
        cluster = inference.drawn(self.chain.prior[: len(self.chain)], uniform)
        return self._begun(after, cluster, now_s, seed, pose, hips, coming)


def _behind(stream: int, turns: Floats) -> Bools:
    """Whether the hands ``[frames, 2]`` are behind the back."""
    if stream != ARMS:
        return np.zeros((len(turns), 2), dtype=np.bool_)
    wrists = key_positions(ARMS, turns, np.zeros((len(turns), 3))).reshape(-1, 2, 3)
    return np.asarray(wrists[..., 2] < _BEHIND_M)


_MASK = (1 << 64) - 1


def chance(seed: int, stream: int, count: int) -> float:
    """Uniform random number in [0, 1) from a character's seed, a stream and a count (splitmix64).

    >>> chance(1, 0, 0) == chance(1, 0, 0) != chance(1, 0, 1)
    True
    """
    z = (seed * 0x9E3779B97F4A7C15 + stream * 0xD1B54A32D192ED03 + count) & _MASK
    for _ in range(2):
        z = (z + 0x9E3779B97F4A7C15) & _MASK
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        z ^= z >> 31
    return (z >> 11) / float(1 << 53)
