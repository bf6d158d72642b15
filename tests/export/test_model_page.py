"""A model's page: the training's own numbers, safe against any name, and words that are right."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinesphere.bodylanguage.learn.prosody_evidence import Evidence, MutualInformation
from kinesphere.bodylanguage.learn.trained_corpus import TrainedCorpus
from kinesphere.bodylanguage.model import BodyLanguageModel
from kinesphere.corpus.pairs.facts import PairFacts
from kinesphere.corpus.pairs.offsets import OffsetEstimate
from kinesphere.export.pages.model import model_facts
from kinesphere.export.pages.model.model_facts import (
    observation_words,
    poisson_tail,
    stream_facts,
    surprise,
    telling,
)
from kinesphere.export.pages.model.model_notes import notes_of, prosody_sentence
from kinesphere.export.pages.model.model_page import model_html, write_model_page
from kinesphere.maths.arrays import Floats
from tests.pipeline.talking import trained

EVIL = "</title><script>alert(1)</script><b x=\"'>&amp; \x00\x1b\ud800\uffff"
VOID = {"meta", "link", "path", "circle", "rect", "ellipse", "br"}


class Checker(HTMLParser):
    """Tags in a row, and whether they nest."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag
        elif self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def checked(page: str) -> Checker:
    checker = Checker()
    checker.feed(page.replace("</rect>", ""))  # a rect may hold its title
    assert checker.open == []
    return checker


def test_the_page_is_whole_alone_and_the_same_each_time(tmp_path: Path) -> None:
    page = model_html(trained())
    found = checked(page)
    assert not {"script", "iframe", "img", "object"} & {tag for tag, _ in found.tags}
    for _, attributes in found.tags:
        assert not any(name.startswith("on") for name in attributes)
        assert all("//" not in (value or "") for value in attributes.values())
    assert page == model_html(trained())
    write_model_page(trained(), tmp_path / "p.html")
    assert (tmp_path / "p.html").read_text(encoding="utf-8") == page
    assert len(page) < 1_500_000


def test_it_shows_every_kind_of_movement_and_every_recording() -> None:
    found = checked(model_html(trained()))
    for name, stream in trained().model.streams.items():
        pictures = [
            a for _, a in found.tags if (a.get("class") or "").startswith(f"kin mini {name}")
        ]
        assert len(pictures) == len(stream)
    curves = [a for _, a in found.tags if a.get("class") == "kin curve"]
    assert len(curves) == sum(len(s) for s in trained().model.streams.values())
    for facts in trained().report.readable:
        assert facts.name in found.text
    assert "licence: CC0" in found.text
    assert "alone.bvh" in found.text


def test_counts_are_those_of_the_training() -> None:
    for name, stream in trained().model.streams.items():
        facts = stream_facts(trained(), name)
        assert sum(c.count for c in facts.clusters) == len(facts.lengths_s) == len(stream.segments)
        counts = [c.count for c in facts.clusters]
        assert counts == sorted(counts, reverse=True)
        assert sorted(c.number for c in facts.clusters) == list(range(len(stream)))
        rows = facts.follows.sum(axis=1)
        assert np.all((np.abs(rows - 1.0) < 1e-9) | (rows == 0.0))
        n = len(stream)
        assert facts.begun.sum() == stream.observations[:, :n].sum()
        assert facts.heard_counts.sum() == stream.observations.sum()
        assert sum(len(c.samples) for c in facts.clusters) == len(trained().fits[name].samples)


def evil() -> TrainedCorpus:
    whole = trained()
    model = whole.model
    about = {
        **model.provenance,
        "licence": EVIL,
        "corpora": [EVIL],
        "seconds": {EVIL: 9.0, "b": 1.0},
    }
    named = BodyLanguageModel(EVIL, model.speakers, model.streams, model.turns, model.pelvis, about)
    report = whole.report
    facts = (
        *(replace(f, name=EVIL, notes=(EVIL,)) for f in report.facts),
        PairFacts(EVIL, problem=EVIL),
    )
    pairing = replace(report.pairing, layout=EVIL, motion_alone=(EVIL,) * 30, notes=(EVIL,))
    return replace(whole, model=named, report=replace(report, pairing=pairing, facts=facts))


def test_names_of_others_do_no_harm() -> None:
    page = model_html(evil())
    found = checked(page)
    assert "script" not in {tag for tag, _ in found.tags}
    assert "\x00" not in page
    page.encode()
    assert found.text.count("alert(1)") > 5


def test_notes_are_honest() -> None:
    facts = {name: stream_facts(trained(), name) for name in trained().model.streams}
    notes = " ".join(notes_of(trained(), facts))
    assert "2.0 minutes are little" in notes
    assert "too few segments" in notes
    readable = trained().report.readable
    sure = replace(readable[0], offset=OffsetEstimate(2.5, 0.999, 0.4))
    report = replace(trained().report, facts=(sure, *readable[1:]))
    assert "In 1 of 4 recordings" in " ".join(notes_of(replace(trained(), report=report), facts))
    lacking = replace(trained(), report=report, fits={"arms": trained().fits["arms"]})
    model = trained().model
    alone = BodyLanguageModel(
        "x",
        model.speakers,
        {"arms": model.streams["arms"]},
        model.turns,
        model.pelvis,
        model.provenance,
    )
    said = notes_of(replace(lacking, model=alone, evidence={}), {"arms": facts["arms"]})
    assert "The recordings do not show the head and the lower body: they get idle motion." in said


def test_what_prosody_tells_is_said_as_it_is() -> None:
    none, some = (
        MutualInformation(1.0, 0.95, 0.3, 4.0, 100),
        MutualInformation(1.0, 0.8, 0.005, 4.0, 100),
    )
    assert "no better than chance level" in prosody_sentence("arms", Evidence(none, none, none))
    assert "only speech and pauses matter" in prosody_sentence("arms", Evidence(some, some, none))
    assert "5.0\N{NO-BREAK SPACE}% (p 0.005)" in prosody_sentence(
        "arms", Evidence(some, some, some)
    )


def words(name: str, *rows: Floats) -> str:
    return str(model_facts._WORDS[name](list(rows)))


def hands(left: tuple[float, ...], right: tuple[float, ...]) -> Floats:
    """A straight movement of both hands by these."""
    return np.asarray(np.linspace(0.0, 1.0, 10)[:, None] * np.array([*left, *right]) + 0.3)


@pytest.mark.parametrize(
    ("left", "right", "said"),
    [
        ((0, 0.2, 0), (0, 0.2, 0), "both hands up, 20 cm"),
        ((0.2, 0, 0), (-0.2, 0, 0), "both hands apart, 20 cm"),
        ((0.2, 0, 0), (0.2, 0, 0), "both hands to the left, 20 cm"),
        ((0, 0.01, 0), (0, -0.1, 0), "right hand down, 10 cm"),
        ((0.11, 0, 0.1), (0, 0, 0), "left hand out and forward, 15 cm"),
        ((0, 0, 0.02), (0.01, 0, 0), "hands still"),
    ],
)
def test_arms_in_words(left: tuple[float, ...], right: tuple[float, ...], said: str) -> None:
    assert words("arms", hands(left, right), hands(left, right)) == said
    mirror = np.array([-1.0, 1.0, 1.0])
    other = words("arms", hands(tuple(right * mirror), tuple(left * mirror)))
    swap = {"left": "right", "right": "left"}
    assert other == re.sub("left|right", lambda m: swap[m[0]], said)


def test_head_and_pelvis_in_words() -> None:
    def turn(x: float, y: float, z: float) -> Floats:
        return np.asarray(np.radians(np.linspace(0.0, 1.0, 10)[:, None] * np.array([x, y, z])))

    assert words("head", turn(10, 0, 0)) == "down, 10\N{DEGREE SIGN}"
    assert words("head", turn(0, -10, 2)) == "turns right, 10\N{DEGREE SIGN}"
    assert words("head", turn(1, 0, 0)) == "still"
    assert words("head", turn(10, 0, 0), turn(-10, 0, 0)) == "moves about, 10\N{DEGREE SIGN}"
    assert words("lower", 0.05 * turn(1, 0, 0)) == "still"
    assert words("lower", turn(1, 0, 0)) == "to the left, 17 mm"


def test_observations_in_words_are_all_different_for_what_can_be_heard() -> None:
    spoken = [n for n in range(36) if n // 3 % 3 != 0]
    said = [observation_words(n) for n in [0, 1, 2, *spoken]]
    assert len(set(said)) == len(said)


@given(st.integers(1, 60), st.floats(0.01, 50.0))
def test_tail_and_surprise_against_scipy(count: int, mean: float) -> None:
    from scipy import stats

    if count > mean:
        assert poisson_tail(count, mean) == pytest.approx(
            stats.poisson.sf(count - 1, mean), rel=1e-9
        )
    gap = surprise(np.array([float(count)]), np.array([mean]))[0]
    loss = stats.poisson.logpmf(count, count) - stats.poisson.logpmf(count, mean)
    assert gap == pytest.approx(np.sign(count - mean) * np.sqrt(max(2.0 * loss, 0.0)), abs=1e-6)


def test_a_planted_pair_is_the_most_telling(rng: np.random.Generator) -> None:
    stream = trained().model.streams["arms"]
    n = len(stream)
    counts = rng.poisson(4.0, stream.observations.shape).astype(float)
    assert telling(replace(stream, observations=counts)) == ()
    counts[0, 2, 7] += 40.0
    found = telling(replace(stream, observations=counts))
    assert [(t.cluster, t.observation) for t in found] == [(2, 7)]
    counts[0, n + 3, 7] += 40.0  # going on is no beginning
    assert len(telling(replace(stream, observations=counts))) <= 1
