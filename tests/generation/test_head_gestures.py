"""Gestures of the head: where, how often, and beside what."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from kinesphere.generation.creation import Candidate
from kinesphere.generation.generate import generate
from kinesphere.generation.graph import AskedGesture, Graph
from kinesphere.generation.head_gestures import head_gestures
from kinesphere.generation.pictures import picturability, shown_by_head
from kinesphere.generation.settings import GenerationSettings, PictureSettings
from kinesphere.gesture.lexicon import lexicon
from kinesphere.gesture.script import ScriptGesture
from kinesphere.gesture.script_text import script_of_text, script_text
from kinesphere.pipeline.speakers import speaker
from tests.generation.material import graph_for, hundred

PICTURES = PictureSettings()
ALWAYS = PictureSettings(head_ratio=1.0, head_beside=1.0)
SAMPLED = GenerationSettings(sampling=True)
TEXT = "No, I do not know. Yes, of course it is true. Nobody was there, and I never saw it."


def heads(
    text: Graph, s: PictureSettings = PICTURES, seed: int = 0, **more: object
) -> list[Candidate]:
    path = more.pop("path", ())
    return head_gestures(text, path, 100, s, seed, **more)


def of_head(gesture: ScriptGesture) -> bool:
    return lexicon()[gesture.lexeme].without_hands


def test_they_show_their_words_and_are_apart() -> None:
    count = 0
    for seed, text in enumerate(hundred()):
        found = heads(text, ALWAYS, seed)
        count += len(found)
        for c in found:
            assert c.lexeme in shown_by_head(c.tag)
            assert (c.first, c.last) == c.trigger
        starts = [text.words[c.first].start_s for c in found]
        assert all(b - a >= ALWAYS.head_apart_s for a, b in pairwise(starts))
        assert [c.number for c in sorted(found, key=lambda c: c.number)] == list(
            range(100, 100 + len(found))
        )
    near = [
        b - a
        for text in hundred()
        for a, b in pairwise(
            sorted(
                text.words[c.first].start_s for c in heads(text, replace(ALWAYS, head_apart_s=0.0))
            )
        )
    ]
    assert count > 100
    assert min(near) < ALWAYS.head_apart_s


def test_of_two_that_are_near_the_more_picturable_stays() -> None:
    text = graph_for("He never agreed.", "en")
    said = {t.label: text.words[t.first].start_s for t in text.tags}
    assert 0.0 < said["AGREEMENT"] - said["NEGATION"] < ALWAYS.head_apart_s
    assert picturability("AGREEMENT") > picturability("NEGATION")
    (only,) = heads(text, ALWAYS)
    assert (only.tag, only.lexeme) == ("AGREEMENT", "HeadNod")


def test_the_seed_decides_and_a_word_leaves_earlier_ones_alone() -> None:
    texts = hundred()[:30]
    first, again, other = (
        [[(c.first, c.lexeme) for c in heads(t, seed=seed)] for t in texts] for seed in (1, 1, 2)
    )
    assert first == again != other
    one = graph_for(TEXT, "en")
    longer = graph_for(TEXT + " It is not here.", "en")
    for seed in range(20):
        a, b = heads(one, seed=seed), heads(longer, seed=seed)
        assert [c.trigger for c in b if c.last < len(one.words)] == [c.trigger for c in a]


def test_ratios_are_kept_alone_and_beside_hands() -> None:
    s = replace(PICTURES, head_apart_s=0.0)
    every = [heads(t, replace(ALWAYS, head_apart_s=0.0)) for t in hundred()]
    total = sum(map(len, every))
    alone = sum(len(heads(t, s, n)) for n, t in enumerate(hundred()))
    beside = sum(
        len(heads(t, s, n, path=rows))
        for n, (t, rows) in enumerate(zip(hundred(), every, strict=True))
    )
    half = sum(len(heads(t, s, n, amount=0.5)) for n, t in enumerate(hundred()))
    assert total > 150
    assert alone / total == pytest.approx(s.head_ratio, abs=0.06)
    assert beside / total == pytest.approx(s.head_beside, abs=0.1)
    assert half / total == pytest.approx(0.5 * s.head_ratio, abs=0.1)
    assert not any(heads(t, s, amount=0.0) for t in hundred())


def test_words_set_by_the_author_have_none() -> None:
    text = graph_for(TEXT, "en")
    found = heads(text, ALWAYS)
    assert len(found) >= 3
    for c in found:
        for lexeme in ("none", "Cup"):
            set_one = replace(text, asked=(AskedGesture(lexeme, None, c.last, c.last),))
            assert c.trigger not in [h.trigger for h in heads(set_one, ALWAYS)]
            made = generate(set_one, speaker("host"), replace(SAMPLED, pictures=ALWAYS), 0)
            rows = [
                p
                for unit in made.planned
                for p in unit
                if lexicon()[p.frame.candidate.lexeme].without_hands
            ]
            assert c.trigger not in [p.frame.candidate.trigger for p in rows]


@pytest.mark.parametrize("style", ["host", "critic"])
def test_scripts_stay_in_order_and_hands_do_not_wait(style: str) -> None:
    together = 0
    for seed, text in enumerate(hundred()[:40]):
        many = generate(text, speaker(style), replace(SAMPLED, pictures=ALWAYS), seed).script
        none = replace(PICTURES, head_ratio=0.0, head_beside=0.0)
        still = generate(text, speaker(style), replace(SAMPLED, pictures=none), seed).script
        ends = [g.last_stroke_end_s for g in many.gestures]
        assert ends == sorted(ends)
        assert all(g.meant_start_s >= 0.0 for g in many.gestures)
        assert script_of_text(script_text(many)) == many
        hands = [g for g in many.gestures if not of_head(g)]
        assert hands == list(still.gestures)
        assert [u.rest_pose for u in many.units] == [u.rest_pose for u in still.units]
        for g in many.gestures:
            if of_head(g):
                together += any(h.meant_start_s < g.last_stroke_end_s < h.end_s for h in hands)
    assert together > 10


def test_a_text_may_have_heads_alone() -> None:
    s = GenerationSettings(amount=0.9, sampling=True, pictures=ALWAYS)
    made = generate(graph_for("No.", "en"), speaker("host"), s, 0)
    assert [g.lexeme for g in made.script.gestures] == ["HeadShake"]
    (reason,) = (r for r in made.reasons if r.lexeme == "HeadShake")
    assert (reason.words, reason.hands, reason.outcome) == ("No", "", "done")


def test_the_likeliest_do_not_depend_on_the_seed() -> None:
    text = hundred()[3]
    rows = [generate(text, speaker("host"), GenerationSettings(sampling=False), k) for k in (1, 2)]
    one, two = ([g.lexeme for g in made.script.gestures if of_head(g)] for made in rows)
    assert one == two != []
