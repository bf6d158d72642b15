"""Rows of an annotation, for writing; the inverse of `annotation_assembly`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from kinesphere.corpus.annotation.annotation import (
    AnnotatedGesture,
    AnnotatedSpan,
    AnnotatedWord,
    Annotation,
)
from kinesphere.corpus.annotation.sheet import Detail, Row, Sheet, number_text
from kinesphere.corpus.annotation.tier_names import DETAILS
from kinesphere.corpus.annotation.words import Words
from kinesphere.errors import UnwritableError
from kinesphere.formats.problems import ROUNDING_S, Problems, quote


def sheet_of(annotation: Annotation) -> Sheet:
    """Return an annotation as rows; the inverse of `annotation_of`.

    Raises
    ------
    UnwritableError
        If rows of one tier overlap.
    """
    words = tuple(_word_row(word) for word in annotation.words)
    found = Words(words, Problems())
    tiers = {
        "words": words,
        "clauses": tuple(_span_row(span) for span in annotation.clauses),
        "information": tuple(_span_row(s) for s in annotation.information if s.label != "focus"),
        "focus": tuple(_span_row(s) for s in annotation.information if s.label == "focus"),
        "phases": tuple(Row(p.start_s, p.end_s, p.kind) for p in annotation.phases),
        "gestures": tuple(_gesture_row(g, annotation, found) for g in annotation.gestures),
        "units": tuple(Row(u.start_s, u.end_s, u.rest_pose) for u in annotation.units),
        "turns": tuple(_turn_rows(annotation, "body")),
        "head-turns": tuple(_turn_rows(annotation, "head")),
    }
    for name, rows in tiers.items():
        _check_order(name, rows)
    return Sheet(
        annotation.speaker, annotation.language, annotation.duration_s, annotation.note, tiers
    )


def _check_order(tier: str, rows: Sequence[Row]) -> None:
    if rows and rows[0].start_s < 0.0:
        raise UnwritableError(f"{tier}: {quote(rows[0].value)} begins before 0 s")
    for before, after in pairwise(rows):
        if after.start_s < before.end_s - ROUNDING_S:
            raise UnwritableError(
                f"{tier}: {quote(after.value)} from {after.start_s:g} s begins before "
                f"{quote(before.value)} ends at {before.end_s:g} s; a tier cannot contain both"
            )


def _word_row(word: AnnotatedWord) -> Row:
    details = zip(DETAILS["words"], (word.lemma, word.pos, word.tag), strict=True)
    return Row(word.start_s, word.end_s, word.text, _details(details))


def _details(details: Iterable[tuple[str, str]]) -> dict[str, Detail]:
    return {name: Detail(value) for name, value in details if value}


def _span_row(span: AnnotatedSpan) -> Row:
    return Row(span.start_s, span.end_s, span.label)


def _turn_rows(annotation: Annotation, part: str) -> Iterator[Row]:
    """Turns as intervals: each lasts until the next, the last to the end."""
    turns = [turn for turn in annotation.turns if turn.part == part]
    ends = [*(turn.time_s for turn in turns[1:]), annotation.duration_s]
    for turn, end_s in zip(turns, ends, strict=False):
        yield Row(turn.time_s, max(turn.time_s, end_s), turn.direction)


def _gesture_row(gesture: AnnotatedGesture, annotation: Annotation, words: Words) -> Row:
    stroke = gesture.stroke
    at = stroke or gesture.phases[-1]
    middle_s = (at.start_s + at.end_s) / 2.0
    ends = () if stroke is None else stroke.stroke_ends
    distances = [
        "" if value is None else number_text(value)
        for value in (gesture.start_distance, gesture.end_distance)
    ]
    details = {
        "handedness": gesture.hands or "",
        "hand-shape": gesture.handshape,
        "trajectory": gesture.trajectory or "",
        "start-position": "" if gesture.start is None else str(gesture.start),
        "end-position": "" if gesture.end is None else str(gesture.end),
        "hand-distance": "/".join(distances) if distances[1] else distances[0],
        "strokes": "" if stroke is None else str(stroke.strokes),
        "stroke-ends": " ".join(number_text(end) for end in ends),
        "affiliate": _words_text(gesture.affiliate, annotation, words, middle_s),
        "co-occurrence": _words_text(gesture.cooccurrence, annotation, words, middle_s),
    }
    return Row(gesture.start_s, gesture.end_s, gesture.lexeme, _details(details.items()))


def _words_text(
    span: tuple[int, int] | None, annotation: Annotation, words: Words, time_s: float
) -> str:
    """Words of a span; with their numbers where the words alone are ambiguous."""
    if span is None:
        return ""
    text = annotation.words_text(span)
    # Words without text are skipped when read, but counted.
    if words.span(text, time_s) == tuple(words.numbers.get(i + 1) for i in span):
        return text
    numbers = str(span[0] + 1) if span[0] == span[1] else f"{span[0] + 1}-{span[1] + 1}"
    return f"{text} #{numbers}"
