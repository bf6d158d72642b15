"""Whether gestures fit their words: the scorer on gestures made by hand, and the texts themselves."""

from __future__ import annotations

from dataclasses import replace

import pytest
from benchmarks.meaning import performed
from benchmarks.studies.meaning_fit import (
    CAUSES,
    HIT,
    Clash,
    Fit,
    FitSettings,
    Offer,
    Performed,
    Shown,
    clashes,
    judge_pair,
    score,
    spans_of,
    table,
)
from benchmarks.studies.meaning_texts import MeantText, Pair, read_probes, read_texts

import kinesphere as ks
from kinesphere.errors import InvalidValueError

"""Gestures of the texts that the lexicon does not have yet; those that it has leave this list."""
KNOWN = frozenset(("BigSpan", "OpenHands", "SmallGap", "Cup", "NumberSign", "CountFingers"))
HUGE = Pair("huge", fits=frozenset(("BigSpan", "Tall")), against=frozenset(("SmallGap",)))
SPAN = (10.0, 10.4)
SAID = (SPAN,)


def outcome(pair: Pair, *shown: Shown, offers: tuple[Offer, ...] = ()) -> str:
    return judge_pair(pair, SPAN, Performed(shown, offers, SAID), KNOWN)


def big(end_s: float) -> Shown:
    return Shown("BigSpan", (end_s,))


def test_a_fitting_stroke_that_ends_with_its_words_hits() -> None:
    s = FitSettings()
    first, last = SPAN[0] - s.early_s, SPAN[1] + s.late_s
    for end_s in (first + 0.01, SPAN[0], last - 0.01):
        assert outcome(HUGE, big(end_s)) == HIT
    for end_s in (first - 0.01, last + 0.01):
        assert outcome(HUGE, big(end_s)) != HIT
    assert outcome(HUGE, Shown("Cup", (10.0,))) != HIT
    assert outcome(HUGE, Shown("Cup", (10.0,)), big(10.2)) == HIT


def test_every_miss_has_a_cause() -> None:
    fitting = Offer(*SPAN, frozenset(("BigSpan", "OpenHands")))
    other = Offer(*SPAN, frozenset(("Cup",)), "Cup")
    elsewhere = Offer(12.0, 12.5, frozenset(("BigSpan",)))
    moved = replace(fitting, performed="BigSpan")
    early = big(SPAN[0] - 3.0)
    assert outcome(Pair("thin", fits=frozenset(("Tall",)))) == "no lexeme"
    assert outcome(HUGE) == outcome(HUGE, offers=(elsewhere,)) == "not offered"
    assert outcome(HUGE, offers=(other,)) == "none fits"
    assert outcome(HUGE, offers=(fitting,)) == "displaced"
    assert outcome(HUGE, offers=(replace(fitting, performed="OpenHands"),)) == "other lexeme"
    assert outcome(HUGE, early, offers=(moved,)) == "moved"
    assert outcome(replace(HUGE, fits=HUGE.fits | {"NumberSign"}, shows=2)) == "not offered"


def test_numbers_fingers_and_sides_are_content() -> None:
    two = Pair("two", fits=frozenset(("NumberSign", "CountFingers")), shows=2)
    assert outcome(two, Shown("NumberSign", (10.0,), number=2)) == HIT
    assert outcome(two, Shown("NumberSign", (10.0,), number=3)) == "wrong content"
    assert outcome(two, Shown("CountFingers", (10.0, 10.5))) == HIT
    assert outcome(two, Shown("CountFingers", (10.0, 10.5, 11.0))) == "wrong content"
    second = replace(two, shows=0, item=2)
    assert outcome(second, Shown("CountFingers", (8.0, 10.1))) == HIT
    assert outcome(second, Shown("CountFingers", (10.1,))) == "wrong content"
    left = Pair("left", fits=frozenset(("PointingAbstract", "Cup")), towards="left")
    assert outcome(left, Shown("PointingAbstract", (10.0,), "LH")) == HIT
    assert outcome(left, Shown("PointingAbstract", (10.0,), "RH")) == "wrong content"
    assert outcome(left, Shown("Cup", (10.0,), "RH")) == HIT
    up = replace(left, towards="up")
    assert outcome(up, Shown("PointingAbstract", (10.0,), height="head")) == HIT
    assert outcome(up, Shown("PointingAbstract", (10.0,), height="chest")) == "wrong content"


def test_contradictions_are_seen_with_their_words_only() -> None:
    two = Pair("two", fits=frozenset(("NumberSign",)), shows=2)
    left = Pair("left", fits=frozenset(("Path",)), towards="left")
    meant = MeantText("a", "", "en", "huge two left", (HUGE, two, left), frozenset(("Snap",)))
    spans = (SPAN, (14.0, 14.3), (18.0, 18.4))

    def found(*shown: Shown) -> list[Clash]:
        return clashes(meant, Performed(shown, (), spans))

    assert found(Shown("SmallGap", (10.0,))) == [Clash("SmallGap", "huge", 10.0)]
    assert found(Shown("SmallGap", (9.5,), words_s=(9.3, 9.7))) == []
    assert found(Shown("SmallGap", (9.5,), words_s=SPAN)) == [Clash("SmallGap", "huge", 9.5)]
    assert found(Shown("SmallGap", (12.0,)), Shown("NumberSign", (14.0,), number=2)) == []
    assert found(Shown("NumberSign", (14.0,), number=3)) == [Clash("NumberSign", "two", 14.0)]
    assert found(Shown("Path", (18.0,), "RH")) == [Clash("Path", "left", 18.0)]
    assert found(Shown("Path", (18.0,), "LH"), Shown("Path", (18.0,), "2H")) == []
    assert found(Shown("Snap", (25.0,))) == [Clash("Snap", "", 25.0)]
    # The gesture of one word says nothing against its neighbour.
    near = (SPAN, (10.5, 10.8), (18.0, 18.4))
    small = Pair("two", fits=frozenset(("SmallGap",)))
    beside = replace(meant, pairs=(HUGE, small, left))
    assert clashes(beside, Performed((Shown("SmallGap", (10.2,)),), (), near)) == []


def test_counts_add_up() -> None:
    only = Pair("here", against=frozenset(("Cup",)))
    meant = MeantText("a", "", "en", "huge here", (HUGE, only))
    shown = (
        Shown("BigSpan", (10.2,), kind="iconic", words_s=SPAN, probability=0.6),
        Shown("PointingDown", (13.0,), "RH", "deictic", 0, "", (14.0, 14.4), 0.01, 0.5),
        Shown("Beat", (16.0,), "RH", "beat", 0, "", (20.0, 20.4), 0.01, 0.05),
        Shown("Cup", (15.2,), kind="metaphoric"),
    )
    done = Performed(shown, (), (SPAN, (15.0, 15.2)), spoken_s=20.0, wanted=5)
    fit, outcomes = score(meant, done, KNOWN)
    assert outcomes == [HIT, ""]
    assert (fit.pairs, fit.reachable, fit.gestures) == (1, 1, 4)
    assert (fit.meant, fit.far, fit.improbable) == (2, 1, 1)
    total = Fit()
    total.add(fit)
    total.add(score(meant, replace(done, shown=()), KNOWN)[0])
    row = total.row()
    assert row["hits"] == row["not offered"] == 50.0
    assert row["contradictions"] == row["improbable"] == 25.0
    assert row["far"] == 50.0
    assert row["a minute"] == pytest.approx(6.0)
    assert row["hits"] + sum(row[cause] for cause in CAUSES) == pytest.approx(100.0)
    assert "50.0" in table({"all": total}).splitlines()[1]


def test_words_have_the_times_of_all_their_tokens() -> None:
    text = "Not huge, not huge at all."
    pair = Pair("huge at", nth=1), Pair("HUGE", nth=2), Pair("not", nth=1)
    meant = MeantText("a", "", "en", text, pair)
    words = [(0, 3), (4, 8), (10, 13), (14, 18), (19, 21), (22, 25)]
    times = [(float(n), n + 0.5) for n in range(6)]
    assert spans_of(meant, words, times) == ((3.0, 4.5), (3.0, 3.5), (0.0, 0.5))
    with pytest.raises(InvalidValueError, match="occurs 2 times, not 3"):
        Pair("not", nth=3).place(text)
    assert Pair("hug", nth=1).word == "hug"
    with pytest.raises(InvalidValueError, match="occurs 0 times"):
        Pair("hug").place(text)


def test_a_lexeme_cannot_fit_and_contradict() -> None:
    with pytest.raises(InvalidValueError, match="both fits"):
        Pair("huge", fits=frozenset(("Cup",)), against=frozenset(("Cup",)))


def test_words_and_lexemes_of_all_texts_exist() -> None:
    texts = [*read_texts(), *read_probes()]
    named = {*(name for t in texts for p in t.pairs for name in p.fits | p.against)}
    named.update(name for t in texts for name in t.never)
    assert named <= set(ks.lexicon())
    for text in texts:
        places = [pair.place(text.text) for pair in text.pairs]
        assert places == sorted(places), f"{text.name}: pairs are not in the order of the text"
        assert len(set(places)) == len(places), text.name
        assert not any(pair.fits & text.never for pair in text.pairs), text.name
    languages = [t.language for t in texts if t.kind != "probe" for p in t.pairs if p.fits]
    assert languages.count("en") >= 300
    assert languages.count("de") >= 120


def test_gestures_know_their_words() -> None:
    """A planned text: every gesture has its trigger, and the span of its words."""
    meant = next(t for t in read_probes() if t.text == "It was tiny.")
    said = ks.utter(meant.text, ks.Cast(language="en", voice="none"))
    done = performed(meant, said, ks.Cast("host", seed=1))
    assert said.text is not None
    assert done.spans_s == (said.text.times[2],)
    (gesture,) = done.shown
    assert gesture.words_s == said.text.times[2]
    assert gesture.probability is not None
    assert gesture.lexeme in next(o for o in done.offers if o.performed).lexemes
