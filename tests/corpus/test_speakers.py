"""The speakers that come with the project: the published figures, and how they are made."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from kinesphere.corpus.annotation.reading import read_annotation
from kinesphere.corpus.annotation.validation import check
from kinesphere.corpus.profiles.profile import Profile
from kinesphere.corpus.profiles.profile_estimator import ProfileEstimator
from kinesphere.gesture.lexicon import hand_lexemes
from kinesphere.pipeline.speakers import SPEAKERS, shipped_annotation, speaker

ROOT = Path(__file__).parents[2]
DATA = ROOT / "src" / "kinesphere" / "corpus" / "data"

# Of the 2008 paper's two speakers: seconds, phases, gestures, units, lexemes, share of units with
# more than one gesture, and the six most frequent lexemes in percent.
PUBLISHED = {
    "host": (
        544.0,
        574,
        229,
        70,
        35,
        64.3,
        {
            "Cup": 24.4,
            "PointingAbstract": 8.9,
            "PointingPerson": 6.7,
            "HandClap": 6.7,
            "Shrug": 6.2,
            "Progressive": 4.4,
        },
    ),
    "critic": (
        511.0,
        496,
        192,
        54,
        31,
        66.7,
        {
            "Cup": 6.9,
            "RaisedIndexfinger": 6.9,
            "FlingDown": 5.8,
            "Wipe": 5.8,
            "Beat": 5.3,
            "Calm": 5.3,
        },
    ),
}


@pytest.mark.parametrize("name", list(PUBLISHED))
def test_every_published_figure_is_met_within_three_percent(name: str) -> None:
    seconds, phases, gestures, units, lexemes, larger, most = PUBLISHED[name]
    p = speaker(name)
    assert p.counts.duration_s == pytest.approx(seconds, rel=0.03)
    assert sum(p.counts.phases.values()) == pytest.approx(phases, rel=0.03)
    assert p.counts.gestures == gestures
    assert p.counts.units == units
    assert len(p.lexemes) == lexemes
    assert 100 * p.larger_units == pytest.approx(larger, abs=0.05)
    assert set(p.lexemes[:6]) == set(most)
    for lexeme, percent in most.items():
        assert 100 * p.of_lexeme(lexeme) == pytest.approx(percent, abs=0.06)


def test_the_two_share_as_many_lexemes_as_published() -> None:
    host, critic = set(speaker("host").lexemes), set(speaker("critic").lexemes)
    assert (len(host | critic), len(host & critic)) == (39, 27)
    assert (speaker("host").counts.lexemes[""], speaker("critic").counts.lexemes[""]) == (4, 3)


def test_portraits_differ_as_they_should() -> None:
    host, critic = speaker("host"), speaker("critic")
    assert host.of_hand("2H") == pytest.approx(0.476, abs=0.01)
    assert critic.of_hand("RH") == pytest.approx(0.682, abs=0.01)
    assert host.hand_following("LH", "LH") == pytest.approx(0.50, abs=0.08)
    assert critic.hand_following("RH", "RH") == pytest.approx(0.80, abs=0.08)

    def mean_strokes(p: Profile) -> float:
        rows = p.counts.strokes.values()
        return sum(m.total for m in rows) / sum(m.n for m in rows)

    assert mean_strokes(host) == pytest.approx(1.29, abs=0.06)
    assert mean_strokes(critic) == pytest.approx(1.9, abs=0.09)

    def share(p: Profile, dimension: str, *names: str) -> float:
        ends = [s.end or s.start for s in p.samples]
        return sum(getattr(e, dimension) in names for e in ends) / len(ends)

    assert share(host, "distance", "close", "touch") < share(critic, "distance", "close", "touch")
    assert share(host, "radial", "out", "far-out") > 1.3 * share(critic, "radial", "out", "far-out")


def test_neutral_has_every_lexeme_of_hands() -> None:
    neutral = speaker("neutral")
    assert set(neutral.lexemes) == set(hand_lexemes())
    assert neutral.rate_per_minute == pytest.approx(21.0)
    assert neutral.of_hand("RH") == pytest.approx(0.50, abs=0.01)


@pytest.mark.parametrize("name", list(PUBLISHED))
def test_annotations_are_whole(name: str) -> None:
    annotation, problems = read_annotation(DATA / f"{name}.eaf")
    assert problems == ()
    assert [f for f in check(annotation) if "lexeme" not in f.what] == []
    assert annotation == shipped_annotation(name)
    assert len(annotation.words) > 1100
    assert annotation.clauses
    assert annotation.turns
    for unit in annotation.units:
        times = [t for g in unit.gestures for p in g.phases for t in (p.start_s, p.end_s)]
        assert times == sorted(times)


@pytest.mark.parametrize("name", list(PUBLISHED))
def test_profiles_are_those_of_the_annotations(name: str) -> None:
    fitted = ProfileEstimator(name).fit([shipped_annotation(name)], [name]).profile_
    shipped = speaker(name)
    assert fitted.counts.lexemes == shipped.counts.lexemes
    assert fitted.counts.tag_lexemes == shipped.counts.tag_lexemes
    assert fitted.samples == shipped.samples
    for lexeme in shipped.lexemes:
        assert fitted.end_offset(lexeme) == pytest.approx(shipped.end_offset(lexeme), abs=1e-9)


def test_speakers_say_that_they_are_made() -> None:
    for name in SPEAKERS:
        assert "Made by the Kinesphere project" in speaker(name).note


def _builder() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build", ROOT / "tools/speakers/build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["build"] = module
    spec.loader.exec_module(module)
    return module


def test_what_is_shipped_is_what_the_tool_makes(tmp_path: Path) -> None:
    _builder().main(tmp_path)
    for name in ("host.eaf", "critic.eaf", "host.kin", "critic.kin", "neutral.kin"):
        assert (tmp_path / name).read_bytes() == (DATA / name).read_bytes(), (
            f"{name} is not up to date: python tools/speakers/build.py"
        )
