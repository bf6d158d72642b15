"""Whether gestures fit their words: ``python -m benchmarks.meaning [--list] [--json FILE]``.

The texts of ``benchmarks/meaning`` are planned in each style at the speaker's own rate, with the
words' times of the built-in voice, and compared with the gestures that a director would accept. Prints
for every style and language the pairs of words and gesture that are hit (the stroke of a fitting
lexeme ends between 0.8 s before the words and 0.4 s after them), how many the speaker's rate allows
with a pair a gesture (cap), the hits' ratio to these (of cap), gestures that contradict their words, gestures a minute, gestures that are improbable for their
word while another is likely, those with a meaning of their own that end over 0.8 s from their word,
and the causes of misses; then the probes, short sentences that everybody gestures to. All are
percentages, except pairs and gestures a minute. Exits with 1 if a style hits less than 60 % or if 1 %
of its gestures contradict.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from benchmarks.studies.meaning_fit import HIT, Fit, Offer, Performed, Shown, score, spans_of, table
from benchmarks.studies.meaning_texts import MeantText, read_probes, read_texts

import kinesphere as ks
from kinesphere.generation.number_signs import LEXEME as NUMBER_SIGN
from kinesphere.language.word_lists import language_words
from kinesphere.pipeline.stages.plan import Plan, Trigger

STYLES = ("host", "critic", "neutral")
LEAST_HITS, MOST_CONTRADICTIONS = 60.0, 1.0
PROBE_SEEDS = 10
Rows = dict[str, Fit]


def performed(meant: MeantText, said: ks.Utterance, cast: ks.Cast) -> Performed:
    """Plan a spoken text, and note what its gestures and candidates are."""
    assert said.text is not None
    graph, tagged = said.text.graph, said.text.tagged
    planned = ks.plan(said, cast)
    offers = tuple(_offer(said, r) for r in planned.reasons)
    words = [(t.start, t.end) for t in tagged.tokens if t.is_word]
    times = [(w.start_s, w.end_s) for w in graph.words]
    return Performed(
        _shown(planned, offers, meant.language),
        offers,
        spans_of(meant, words, times),
        graph.spoken_s,
        round(cast.profile.rate_per_minute * graph.spoken_s / 60.0),
    )


def _offer(said: ks.Utterance, reason: ks.Reason) -> Offer:
    """Candidates on words, whose end is found by their number."""
    assert said.text is not None
    words = said.text.graph.words
    first = next(n for n, w in enumerate(words) if w.start_s >= reason.time_s - 1e-9)
    last = first + len(reason.words.split()) - 1
    lexemes = frozenset((reason.lexeme, *(name for name, _ in reason.rivals)))
    done = reason.lexeme if reason.outcome == "done" else ""
    return Offer(reason.time_s, words[last].end_s, lexemes, done)


def _shown(planned: Plan, offers: Sequence[Offer], language: str) -> tuple[Shown, ...]:
    entries = ks.lexicon()
    shapes = {shape: n for n, shape in enumerate(language_words("number_shapes", language), 1)}
    rows = []
    free = {i for i, r in enumerate(planned.reasons) if r.outcome == "done"}
    triggers: Sequence[Trigger | None] = planned.triggers or [None] * len(planned.script.gestures)
    for g, trigger in zip(planned.script.gestures, triggers, strict=True):
        own = _reason_of(planned, trigger, g.lexeme, free)
        free.discard(own)
        reason = planned.reasons[own] if own >= 0 else None
        main = g.meant_start_s if g.stroke_end_s is None else g.stroke_end_s
        rows.append(
            Shown(
                g.lexeme,
                (main, *g.after_strokes),
                g.hands,
                entries[g.lexeme].kind if g.lexeme in entries else "",
                shapes.get(g.handshape, 0) if g.lexeme == NUMBER_SIGN else 0,
                g.end_position.height if g.end_position else "",
                (offers[own].start_s, offers[own].end_s) if reason else None,
                reason.probability if reason else None,
                max((p for _, p in reason.rivals), default=0.0) if reason else 0.0,
            )
        )
    return tuple(rows)


def _reason_of(planned: Plan, trigger: Trigger | None, lexeme: str, free: set[int]) -> int:
    """Which reason is a gesture's, of those not taken: the nearest of its words; -1 without."""
    if trigger is None:
        return -1
    same = [
        i
        for i in free
        if (planned.reasons[i].words, planned.reasons[i].lexeme) == (trigger.words, lexeme)
    ]
    return min(same, key=lambda i: abs(planned.reasons[i].time_s - trigger.start_s), default=-1)


def measure(
    texts: Sequence[MeantText], seeds: int, listed: bool = False
) -> tuple[Rows, dict[str, Counter[str]]]:
    """Counts of each style, each style and language, and each text; and outcomes of each pair.

    Contradictions are printed if they are to be `listed`.
    """
    rows: Rows = {}
    each: dict[str, Counter[str]] = defaultdict(Counter)
    for meant in texts:
        said = ks.utter(meant.text, ks.Cast(language=meant.language))
        for style in STYLES:
            for seed in range(seeds):
                cast = ks.Cast(style, seed=seed, language=meant.language)
                done = performed(meant, said, cast)
                fit, outcomes = score(meant, done, ks.lexicon())
                for key in (style, f"{style} {meant.language}", meant.name):
                    rows.setdefault(key, Fit()).add(fit)
                for pair, outcome in zip(meant.pairs, outcomes, strict=True):
                    each[f"{meant.name}: {pair.word} ({pair.nth})"][outcome] += 1
                for clash in fit.clashes if listed else ():
                    place = repr(clash.words) if clash.words else "the whole text"
                    print(f"{meant.name} {style} {seed}: {clash.lexeme} contradicts {place}")
    return rows, each


def probe(probes: Sequence[MeantText], seeds: int) -> list[dict[str, object]]:
    """For each probe how many performances fit, have no gesture, or contradict, and with what."""
    found: list[dict[str, object]] = []
    for meant in probes:
        said = ks.utter(meant.text, ks.Cast(language=meant.language))
        lexemes: Counter[str] = Counter()
        hits = still = clashing = 0
        for style in STYLES:
            for seed in range(seeds):
                cast = ks.Cast(style, seed=seed, language=meant.language)
                done = performed(meant, said, cast)
                fit, outcomes = score(meant, done, ks.lexicon())
                hits += outcomes == [HIT]
                still += not done.shown
                clashing += bool(fit.clashes)
                lexemes.update(g.lexeme for g in done.shown)
        total = len(STYLES) * seeds
        found.append(
            {
                "text": meant.text,
                "hits": 100.0 * hits / total,
                "none": 100.0 * still / total,
                "contradictions": 100.0 * clashing / total,
                "lexemes": dict(lexemes.most_common(4)),
            }
        )
    return found


def print_probes(found: Sequence[dict[str, object]]) -> None:
    """Print a row for each probe, and their mean."""
    print(f"\n{'probe':28s} hits  none  contradictions  most frequent")
    for row in found:
        lexemes = row["lexemes"]
        assert isinstance(lexemes, dict)
        what = ", ".join(f"{name} {n}" for name, n in lexemes.items())
        print(
            f"{row['text']!s:28s} {row['hits']:4.0f}  {row['none']:4.0f}"
            f"  {row['contradictions']:14.0f}  {what}"
        )
    means = [sum(float(str(r[k])) for r in found) / len(found) for k in ("hits", "none")]
    print(f"{'mean':28s} {means[0]:4.0f}  {means[1]:4.0f}")


def main() -> int:
    """Perform, compare and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.meaning")
    parser.add_argument("--texts", nargs="+", default=[], help="beginnings of names of texts")
    parser.add_argument("--seeds", type=int, default=5, help="performances of a text in a style")
    parser.add_argument("--list", action="store_true", help="print every clash, and missed pairs")
    parser.add_argument("--json", type=Path, help="write all figures to a file")
    given = parser.parse_args()
    begun = time.perf_counter()
    rows, each = measure(read_texts(tuple(given.texts)), given.seeds, given.list)
    if given.list:
        for name, outcomes in each.items():
            missed = ", ".join(f"{what} {n}" for what, n in outcomes.most_common() if what)
            print(f"{name:50s} {missed}")
    # Styles first, then each in a language, then the texts.
    order = sorted(rows, key=lambda name: (name not in STYLES, not name.startswith(STYLES), name))
    print(table({name: rows[name] for name in order}))
    probes = [] if given.texts else probe(read_probes(), PROBE_SEEDS)
    if probes:
        print_probes(probes)
    if given.json:
        figures = {name: fit.row() for name, fit in rows.items()}
        given.json.write_text(json.dumps({"texts": figures, "probes": probes}, indent=1) + "\n")
    failed = [
        style
        for style, row in ((style, rows[style].row()) for style in STYLES)
        if row["hits"] < LEAST_HITS or row["contradictions"] >= MOST_CONTRADICTIONS
    ]
    for style in failed:
        print(f"MISSED: {style}: at least {LEAST_HITS:g} % hits, under 1 % contradictions")
    print(f"{time.perf_counter() - begun:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
