"""Small voices, bodies and models that nobody performed, whose structure is known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

import kinesphere as ks
from kinesphere.animation.arms.poses.home_pose import home_rotations
from kinesphere.bodylanguage.learn.extract import Extract, extract
from kinesphere.bodylanguage.learn.training import Trained, TrainingSettings, train
from kinesphere.bodylanguage.learn.training_motion import to_training_motion
from kinesphere.bodylanguage.model import BodyLanguageModel, StreamModel
from kinesphere.bodylanguage.streams import FPS, STREAMS
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.speech.prosody.observation import OBSERVATIONS

RATE_HZ = 8000.0
REACTION_S = 0.14
STILL = "still"
# Length in seconds, loudness, and rise of the pitch in semitones of each kind of syllable.
VOICES = {
    "plain": (0.20, 0.12, 0.0),
    "loud": (0.20, 0.50, 0.0),
    "rise": (0.22, 0.12, 5.0),
    "long": (0.38, 0.12, 0.0),
}
KINDS = (STILL, *VOICES)
_PARTIALS = ((1, 0.5), (2, 0.6), (3, 0.8), (4, 1.0), (5, 0.8), (6, 0.5), (8, 0.4), (10, 0.3))


def syllable(
    length_s: float, loudness: float, rise_st: float, hz: float = 140.0, rate_hz: float = RATE_HZ
) -> Floats:
    """A burst of tone with harmonics that swells and fades."""
    share = np.arange(int(length_s * rate_hz)) / (length_s * rate_hz)
    phase = 2.0 * np.pi * np.cumsum(hz * 2.0 ** (rise_st * share / 12.0)) / rate_hz
    tone = np.sum([size * np.sin(k * phase) for k, size in _PARTIALS], axis=0) / 3.0
    return np.asarray(loudness * np.sin(np.pi * share) ** 0.7 * tone)


@dataclass(frozen=True, eq=False)
class Speech:
    """A voice that speaks in phrases of one kind of syllable each.

    Parameters
    ----------
    samples : at `RATE_HZ`.
    phrases : kind and the times at which each is understood to begin: when its first syllable is
        over and the next begins; pauses are phrases, too.
    """

    samples: Floats
    phrases: tuple[tuple[str, float], ...]

    @property
    def duration_s(self) -> float:
        return len(self.samples) / RATE_HZ

    def kinds(self, times_s: Floats) -> Ints:
        """Which of `KINDS` is understood at times."""
        begins = np.array([at for _, at in self.phrases])
        names = np.array([KINDS.index(kind) for kind, _ in self.phrases])
        return names[np.maximum(np.searchsorted(begins, times_s, side="right") - 1, 0)]


def speech(seconds: float, seed: int) -> Speech:
    """Phrases of 6 to 10 syllables, some with a pause behind them."""
    rng = np.random.default_rng(seed)
    samples = np.zeros(int(seconds * RATE_HZ))
    phrases: list[tuple[str, float]] = [(STILL, 0.0)]
    at_s, last = 0.8, ""
    while at_s < seconds - 5.0:
        kind = str(rng.choice([k for k in VOICES if k != last]))
        for number in range(int(rng.integers(6, 11))):
            length_s, loudness, rise_st = VOICES[kind]
            length_s *= rng.uniform(0.95, 1.05)
            sound = syllable(
                length_s,
                loudness * rng.uniform(0.93, 1.07),
                rise_st - rng.uniform(0.0, 0.6),
                rng.uniform(132.0, 148.0),
            )
            first = int(at_s * RATE_HZ)
            samples[first : first + len(sound)] += sound
            if number == 1:
                phrases.append((kind, at_s + 0.05))
            at_s += length_s + 0.04
        last = kind
        if rng.random() < 0.4:
            phrases.append((STILL, at_s + 0.25))
            at_s += rng.uniform(1.5, 2.5)
            last = ""
    phrases.append((STILL, at_s + 0.25))
    return Speech(samples + 1e-5 * rng.normal(size=len(samples)), tuple(phrases))


# Bones that a loop turns, with the two axes of each that span it, radians.
_LOOPS = {
    "plain": (
        ("leftLowerArm", (0.0, -1.6, 0.0), (0.0, 0.0, 0.0)),
        ("rightLowerArm", (0.0, 1.6, 0.0), (0.0, 0.0, 0.0)),
        ("leftUpperArm", (0.0, 0.0, 0.0), (0.0, 0.9, 0.0)),
        ("rightUpperArm", (0.0, 0.0, 0.0), (0.0, -0.9, 0.0)),
    ),
    "loud": (
        ("rightUpperArm", (-1.4, 0.0, 0.0), (0.0, 1.1, 0.0)),
        ("rightLowerArm", (0.0, 0.6, 0.0), (0.0, 0.0, 0.0)),
    ),
    "rise": (
        ("leftUpperArm", (-1.4, 0.0, 0.0), (0.0, -1.1, 0.0)),
        ("leftLowerArm", (0.0, -0.6, 0.0), (0.0, 0.0, 0.0)),
    ),
    "long": (
        ("leftUpperArm", (0.0, 0.0, 1.4), (0.0, 1.1, 0.0)),
        ("rightUpperArm", (0.0, 0.0, -1.4), (0.0, -1.1, 0.0)),
    ),
}
_RAMP = 0.12  # share of a loop in which it gets up to speed
_NODS = {"plain": 0.1, "loud": 0.35, "rise": -0.25, "long": 0.2}


def performed(said: Speech, seed: int, reaction_s: float = REACTION_S) -> ks.Clip:
    """The default figure that makes loops with its arms, another kind for each kind of phrase.

    It begins with a kind when that is understood, and repeats it until the next one.
    """
    rng = np.random.default_rng(seed)
    rig = ks.default_rig()
    frames = int(said.duration_s * FPS)
    turns = np.tile(home_rotations(), (frames, 1, 1))
    ends = [at for _, at in said.phrases[1:]] + [said.duration_s]
    for (kind, begin_s), end_s in zip(said.phrases, ends, strict=True):
        if kind == STILL:
            continue
        begin_s, end_s = begin_s + reaction_s, end_s + reaction_s
        count = max(1, round((end_s - begin_s) / 0.75))
        for k in range(count):
            length_s = (end_s - begin_s) / count
            first_s = begin_s + k * length_s
            first, last = int(np.ceil(first_s * FPS)), int(np.ceil((first_s + length_s) * FPS))
            share = np.clip((np.arange(first, min(last, frames)) / FPS - first_s) / length_s, 0, 1)
            _loop(turns, first, share, kind, rig, rng.uniform(0.9, 1.1))
    root = np.broadcast_to(rig.skeleton.offsets[0], (frames, 3))
    return ks.Clip(rig.skeleton, FPS, root, quaternion.normalise(turns))


def _loop(turns: Floats, first: int, share: Floats, kind: str, rig: ks.Rig, size: float) -> None:
    """One loop away from home and back, with a stop at both ends, in place."""
    near = np.minimum(share, 1.0 - share)
    ramp = np.where(near < _RAMP, 0.5 * near**2 / _RAMP, near - 0.5 * _RAMP) / (1.0 - _RAMP)
    way = 2.0 * np.pi * np.where(share < 0.5, ramp, 1.0 - ramp)
    frames = slice(first, first + len(share))
    for bone, out, across in _LOOPS[kind]:
        vector = np.outer(0.5 * (1.0 - np.cos(way)), out) + np.outer(0.5 * np.sin(way), across)
        joint = rig.joint(bone)
        turns[frames, joint] = quaternion.multiply(
            quaternion.exp(size * vector), home_rotations()[joint]
        )
    nod = np.outer(0.5 * (1.0 - np.cos(way)), [_NODS[kind] * size, 0.0, 0.0])
    turns[frames, rig.joint("head")] = quaternion.exp(nod)


@dataclass(frozen=True, eq=False)
class Planted:
    """A corpus whose gestures follow from the voice, and what was learned from it."""

    said: tuple[Speech, ...]
    extracts: tuple[Extract, ...]
    trained: Trained


PLANTED = TrainingSettings(clusters=(3, len(KINDS), 2))


@cache
def planted(recordings: int = 5) -> Planted:
    """Minutes of phrases with the loops that belong to them."""
    said = tuple(speech(60.0, seed) for seed in range(recordings))
    extracts = tuple(
        extract(f"minute {i}", performed(one, i), one.samples, RATE_HZ, speaker="planted")
        for i, one in enumerate(said)
    )
    return Planted(said, extracts, train(extracts, PLANTED, name="planted"))


@cache
def wandering(frames: int = 600, seed: int = 0, size: float = 0.25) -> ks.Clip:
    """The default figure whose every joint wanders smoothly about home."""
    rng = np.random.default_rng(seed)
    rig = ks.default_rig()
    t = np.arange(frames)[:, None, None] / FPS
    joints = len(rig.skeleton)
    vector = np.zeros((frames, joints, 3))
    for hz in (0.3, 0.7, 1.3):
        phase = rng.uniform(0.0, 6.28, size=(1, joints, 3))
        vector += rng.normal(scale=size, size=(1, joints, 3)) * np.sin(6.28 * hz * t + phase)
    vector[:, rig.joint("hips")] *= 0.3
    for bone in ("Foot", "UpperLeg", "LowerLeg", "Toes"):
        vector[:, rig.joints((f"left{bone}", f"right{bone}"))] *= 0.1
    turns = quaternion.multiply(quaternion.exp(0.5 * vector), home_rotations())
    root = rig.skeleton.offsets[0] + 0.03 * np.sin(3.0 * t[:, 0])
    return ks.Clip(rig.skeleton, FPS, root, turns)


@cache
def small_model(
    streams: tuple[str, ...] = STREAMS, speakers: tuple[str, ...] = ("ann", "ben"), seed: int = 0
) -> BodyLanguageModel:
    """A model with random counts over 20 s of wandering motion."""
    rng = np.random.default_rng(seed)
    motion = to_training_motion(wandering(seed=seed))
    parts = {
        name: random_stream(rng, n, len(motion), len(speakers))
        for name, n in zip(STREAMS, (3, 5, 2), strict=True)
    }
    return BodyLanguageModel(
        "small",
        speakers,
        {name: parts[name] for name in streams},
        motion.turns.astype(np.float32),
        motion.pelvis.astype(np.float32),
        {"licence": "none"},
    )


def random_stream(
    rng: np.random.Generator, clusters: int, frames: int, speakers: int = 1
) -> StreamModel:
    """Segments of a third of a second to a second and a half, counts at random."""
    bounds = [0]
    while bounds[-1] < frames - 60:
        bounds.append(bounds[-1] + int(rng.integers(10, 45)))
    count = len(bounds) - 1
    labels = np.concatenate([np.arange(clusters), rng.integers(clusters, size=count - clusters)])
    states = 2 * clusters
    segments = np.stack([bounds[:-1], np.diff(bounds), labels], axis=1)
    return StreamModel(
        rng.poisson(2.0, size=(speakers, states, states)).astype(np.float64),
        rng.poisson(3.0, size=(speakers, states, OBSERVATIONS)).astype(np.float64),
        np.stack([rng.normal(1.0, 1.0, clusters), -rng.uniform(0.5, 4.0, clusters)], axis=1),
        rng.uniform(0.4, 1.2, clusters),
        segments,
        np.arange(count) % speakers,
    )


def babble(seconds: float, seed: int = 0, rate_hz: float = RATE_HZ) -> Floats:
    """Syllables of changing length, loudness and pitch with pauses between."""
    rng = np.random.default_rng(seed)
    samples = np.zeros(int(seconds * rate_hz))
    at_s = 0.2
    while at_s < seconds - 0.6:
        length_s = rng.uniform(0.12, 0.35)
        sound = syllable(
            length_s,
            rng.uniform(0.1, 0.5),
            rng.uniform(-4.0, 4.0),
            rng.uniform(110.0, 220.0),
            rate_hz,
        )
        first = int(at_s * rate_hz)
        samples[first : first + len(sound)] += sound
        at_s += length_s + (rng.uniform(0.5, 1.5) if rng.random() < 0.12 else 0.04)
    return samples


def adjusted_rand(a: ArrayLike, b: ArrayLike) -> float:
    """Adjusted Rand index of two partitions ``[n]``: 1 if equal, about 0 at chance level.

    >>> adjusted_rand([0, 0, 1, 1], [5, 5, 3, 3])
    1.0
    """
    first, second = (np.unique(np.asarray(x), return_inverse=True)[1].reshape(-1) for x in (a, b))
    width = int(second.max(initial=0)) + 1
    both = _pairs(np.unique(first * width + second, return_counts=True)[1])
    one, other = _pairs(np.bincount(first)), _pairs(np.bincount(second))
    chance = one * other / max(_pairs(np.array([len(first)])), 1.0)
    most = 0.5 * (one + other)
    return 1.0 if most == chance else float((both - chance) / (most - chance))


def _pairs(counts: Ints) -> float:
    return float((counts * (counts - 1.0)).sum() / 2.0)
