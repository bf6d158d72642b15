"""Gestures that follow from the voice by a known rule: found, and followed on new speech.

Five kinds of phrase (pauses, plain, loud, rising and long syllables) call for five kinds of loop
with the arms. What the model shows is compared with what the rule says at every observation, beside
chance, beside the best that knows only whether somebody speaks, and beside the same corpus with
each motion under the voice of another minute.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

from kinesphere.bodylanguage.choose.acting_times import AHEAD_S, acts_s, in_order
from kinesphere.bodylanguage.learn.extract import extract
from kinesphere.bodylanguage.learn.prosody_evidence import prosody_evidence
from kinesphere.bodylanguage.learn.training import StreamFit, Trained, train
from kinesphere.bodylanguage.model import BodyLanguageModel
from kinesphere.bodylanguage.play import engine
from kinesphere.bodylanguage.play.live_options import LiveOptions
from kinesphere.bodylanguage.streams import ARMS, FPS
from kinesphere.maths.arrays import Bools, Floats, Ints
from kinesphere.speech.prosody.observation import SILENT
from kinesphere.speech.prosody.prosody import prosody
from tests.bodylanguage.material import (
    KINDS,
    PLANTED,
    RATE_HZ,
    REACTION_S,
    Planted,
    Speech,
    adjusted_rand,
    performed,
    planted,
    speech,
)

MINUTES = 15
NEW_S = 180.0
SEEDS = (100, 101, 102)


@cache
def corpus() -> Planted:
    return planted(MINUTES)


@cache
def mismatched() -> Trained:
    """The same minutes, each moving to what another one says."""
    said = corpus().said[:8]
    rows = [
        extract(f"{i}", performed(said[i - 1], i), one.samples, RATE_HZ, speaker="planted")
        for i, one in enumerate(said)
    ]
    return train(rows, PLANTED, name="mismatched")


def rule_of_segments(said: tuple[Speech, ...], fit: StreamFit, move: int = 0) -> tuple[Ints, Ints]:
    """Of each segment the kind it was made of for most of the time, and its cluster."""
    kinds, labels = [], []
    for i, (bounds, row) in enumerate(zip(fit.bounds, fit.labels, strict=True)):
        assert bounds is not None
        rule = said[i - move].kinds(np.arange(bounds[-1]) / FPS - REACTION_S)
        parts = np.split(rule, bounds[1:-1])
        kinds += [int(np.bincount(part).argmax()) for part in parts]
        labels += row.tolist()
    return np.array(kinds), np.array(labels)


def names_of_clusters(kinds: Ints, labels: Ints) -> Ints:
    return np.array([np.bincount(kinds[labels == c]).argmax() for c in range(labels.max() + 1)])


class Heard(NamedTuple):
    """At each observation but the last, until the next: the rule's kind, and that on show."""

    rule: Ints
    shown: Ints
    silent: Bools
    times_s: Floats


def heard(
    model: BodyLanguageModel, names: Ints, said: Speech, seed: int, policy: str = "model"
) -> Heard:
    options = LiveOptions(delay_s=AHEAD_S, policy=policy)
    state = engine.start(model, RATE_HZ, fps=20.0, seed=seed, options=options)
    state, frames = engine.step(state, said.samples)
    changes = [c for part in (frames, engine.finish(state)) for c in part.changes[0]]
    arms = [c for c in changes if c.stream == ARMS]
    begins = np.array([c.time_s for c in arms])
    found = prosody(said.samples, RATE_HZ).observations
    acts = in_order(np.array([acts_s(o.event, AHEAD_S) for o in found]))
    # What an observation leads to is what is on show until the next one acts.
    until = acts[1:]
    on_show = np.searchsorted(begins, until - 1e-6, side="right") - 1
    shown = names[np.array([c.cluster for c in arms])[on_show]]
    silent = np.array([o.intensity == SILENT for o in found])[:-1]
    return Heard(said.kinds(until - REACTION_S), shown, silent, until)


def together(rows: Iterable[Heard]) -> Heard:
    return Heard(*(np.concatenate(column) for column in zip(*rows, strict=True)))


@pytest.fixture(scope="module")
def names() -> Ints:
    return names_of_clusters(*rule_of_segments(corpus().said, corpus().trained.fits["arms"]))


@pytest.fixture(scope="module")
def each(names: Ints) -> list[Heard]:
    """What the model does with minutes that it never heard."""
    return [heard(corpus().trained.model, names, speech(NEW_S, seed), seed) for seed in SEEDS]


@pytest.fixture(scope="module")
def ours(each: list[Heard]) -> Heard:
    return together(each)


def agreement(found: Heard) -> float:
    return float(np.mean(found.rule == found.shown))


def gate(found: Heard) -> float:
    """The best that knows only speech from silence, knowing the rule of the test itself."""
    right = [np.bincount(found.rule[found.silent == s]).max(initial=0) for s in (False, True)]
    return float(np.sum(right) / len(found.rule))


def chance(found: Heard) -> float:
    """Kinds drawn as often as they occur."""
    shares = np.bincount(found.rule) / len(found.rule)
    return float(np.sum(shares**2))


def test_the_clusters_are_the_kinds(names: Ints) -> None:
    kinds, labels = rule_of_segments(corpus().said, corpus().trained.fits["arms"])
    assert len(labels) > 500
    assert adjusted_rand(kinds, labels) >= 0.9
    assert sorted(names) == list(range(len(KINDS)))
    shuffled = np.random.default_rng(0).permutation(labels)
    assert abs(adjusted_rand(kinds, shuffled)) < 0.02


def test_new_speech_shows_what_the_rule_says(ours: Heard) -> None:
    assert len(ours.rule) > 1200
    assert agreement(ours) >= 0.85
    for kind in range(len(KINDS)):
        assert np.mean(ours.shown[ours.rule == kind] == kind) >= 0.75, KINDS[kind]
        assert np.mean(ours.rule[ours.shown == kind] == kind) >= 0.75, KINDS[kind]


def test_it_beats_chance_and_a_gate_that_knows_only_speech_from_pauses(ours: Heard) -> None:
    assert chance(ours) < 0.3
    assert gate(ours) < 0.6
    assert agreement(ours) > gate(ours) + 0.25
    # Where somebody speaks the gate knows nothing.
    spoken = Heard(*(column[~ours.silent] for column in ours))
    assert agreement(spoken) > gate(spoken) + 0.35


def test_segments_at_random_agree_by_chance(names: Ints) -> None:
    said = speech(NEW_S, SEEDS[0])
    found = heard(corpus().trained.model, names, said, seed=0, policy="random")
    assert agreement(found) < 0.3


def test_the_voice_of_another_minute_teaches_nothing(ours: Heard) -> None:
    wrong = mismatched()
    kinds, labels = rule_of_segments(corpus().said[:8], wrong.fits["arms"], move=1)
    assert adjusted_rand(kinds, labels) >= 0.9  # what is seen is the same, what is heard is not
    found = heard(wrong.model, names_of_clusters(kinds, labels), speech(NEW_S, SEEDS[0]), seed=0)
    assert agreement(found) < gate(ours)
    assert agreement(found) < agreement(ours) - 0.4


def test_the_evidence_says_so() -> None:
    found = prosody_evidence(corpus().extracts, corpus().trained.fits, shifts=40)["arms"]
    assert found.syllables.p < 0.05
    assert found.syllables.share > 0.4
    assert found.syllables.bits > 10.0 * found.syllables.chance_bits


def test_once_the_voice_is_known_it_agrees_better(each: list[Heard]) -> None:
    """Means and deviations begin with a typical voice: the first seconds are the worst."""
    for one in each:
        assert np.mean((one.rule == one.shown)[one.times_s > 30.0]) >= 0.88
