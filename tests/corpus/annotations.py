"""Annotations for tests: a small one by hand, and any number that hypothesis makes."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from kinesphere.corpus.annotation.annotation import (
    DIRECTIONS,
    HANDEDNESS,
    REST_POSES,
    TRAJECTORIES,
    AnnotatedGesture,
    AnnotatedSpan,
    AnnotatedUnit,
    AnnotatedWord,
    Annotation,
    BodyTurn,
    PhaseMark,
)
from kinesphere.corpus.annotation.assembly import information_order
from kinesphere.gesture.lexicon import HAND_SHAPES, lexicon
from kinesphere.gesture.positions import DIMENSIONS, HandPosition

SMALL = Annotation(
    speaker="Anna",
    language="en",
    duration_s=6.0,
    words=(
        AnnotatedWord(0.5, 0.7, "the", "the", "determiner"),
        AnnotatedWord(0.7, 1.1, "civil", "civil", "adjective", "AGGRESSION"),
        AnnotatedWord(1.1, 1.6, "war", "war", "noun", "AGGRESSION+"),
        AnnotatedWord(1.8, 2.0, "the"),
        AnnotatedWord(2.0, 2.5, "war"),
    ),
    clauses=(AnnotatedSpan(0.5, 2.5, "the civil war, the war"),),
    information=(
        AnnotatedSpan(0.5, 0.7, "theme"),
        AnnotatedSpan(0.7, 1.6, "rheme"),
        AnnotatedSpan(0.7, 1.1, "focus"),
    ),
    units=(
        AnnotatedUnit(
            (
                AnnotatedGesture(
                    phases=(
                        PhaseMark("preparation", 0.4, 0.8),
                        PhaseMark("stroke", 0.8, 1.4, 2, (1.1, 1.4)),
                        PhaseMark("hold", 1.4, 1.7),
                    ),
                    lexeme="Fist",
                    hands="2H",
                    handshape="fist",
                    trajectory="straight",
                    start=HandPosition.of_text("shoulder/close/front/normal"),
                    end=HandPosition.of_text("chest/close/front/normal"),
                    start_distance=0.65,
                    end_distance=0.8,
                    affiliate=(1, 2),
                    cooccurrence=(1, 1),
                ),
                AnnotatedGesture(
                    phases=(PhaseMark("preparation", 1.7, 2.0), PhaseMark("hold", 2.0, 2.6)),
                    lexeme="Block",
                    hands="RH",
                    start=HandPosition.of_text("chest/close/side/normal"),
                    affiliate=(4, 4),
                ),
            ),
            PhaseMark("retraction", 2.6, 3.1),
            "clasped",
        ),
    ),
    turns=(
        BodyTurn(0.0, "body", "left"),
        BodyTurn(0.0, "head", "front"),
        BodyTurn(3.0, "body", "front"),
    ),
    note="invented",
)

_LETTERS = st.characters(
    categories=("L", "N", "P", "S"), include_characters="äß'-#&<>\"", max_codepoint=0x2FFF
)
_TEXT = st.text(_LETTERS, min_size=1, max_size=8)
_POSITIONS = st.builds(HandPosition, *(st.sampled_from(names) for names in DIMENSIONS.values()))
_DISTANCES = st.none() | st.floats(0.0, 3.0)


def _lines(max_size: int = 3) -> st.SearchStrategy[str]:
    return st.lists(_TEXT, max_size=max_size).map(" ".join)


@st.composite
def _edges(draw: st.DrawFn, most: int, gaps: bool = True) -> list[tuple[float, float]]:
    """Stretches in order, on milliseconds, that do not overlap."""
    at = draw(st.integers(0, 500))
    found = []
    for _ in range(draw(st.integers(0, most))):
        length = draw(st.integers(1, 900))
        found.append((at / 1000.0, (at + length) / 1000.0))
        at += length + (draw(st.integers(0, 400)) if gaps else 0)
    return found


@st.composite
def _gestures(draw: st.DrawFn, at: int, words: int) -> tuple[AnnotatedGesture, int]:
    kinds = draw(
        st.sampled_from(
            [
                ("stroke",),
                ("preparation", "stroke", "hold"),
                ("preparation", "hold", "stroke", "hold"),
                ("preparation", "hold"),
                ("hold",),
                ("preparation",),
            ]
        )
    )
    phases = []
    for kind in kinds:
        length = draw(st.integers(1, 900))
        start, end = at / 1000.0, (at + length) / 1000.0
        strokes = draw(st.integers(1, 4)) if kind == "stroke" else 1
        ends = draw(st.just(()) | st.tuples(*[st.floats(start, end)] * strokes))
        phases.append(PhaseMark(kind, start, end, strokes, ends if kind == "stroke" else ()))
        at += length + draw(st.sampled_from((0, 0, 40)))
    span = st.none()
    if words:
        span |= st.tuples(st.integers(0, words - 1), st.integers(0, words - 1)).map(
            lambda pair: (min(pair), max(pair))
        )
    gesture = AnnotatedGesture(
        tuple(phases),
        lexeme=draw(st.sampled_from(("", *lexicon()))),
        hands=draw(st.none() | st.sampled_from(HANDEDNESS)),
        handshape=draw(st.sampled_from(("", "claw>fist", *HAND_SHAPES))),
        trajectory=draw(st.none() | st.sampled_from(TRAJECTORIES)),
        start=draw(st.none() | _POSITIONS),
        end=draw(st.none() | _POSITIONS),
        start_distance=draw(_DISTANCES),
        end_distance=draw(_DISTANCES),
        affiliate=draw(span),
        cooccurrence=draw(span),
    )
    return gesture, at


@st.composite
def _units(draw: st.DrawFn, words: int) -> tuple[AnnotatedUnit, ...]:
    at = draw(st.integers(0, 500))
    units = []
    for _ in range(draw(st.integers(0, 3))):
        gestures = []
        for _ in range(draw(st.integers(1, 3))):
            gesture, at = draw(_gestures(at, words))
            gestures.append(gesture)
            at += draw(st.sampled_from((0, 0, 120)))
        retraction = None
        if draw(st.booleans()):
            retraction = PhaseMark("retraction", at / 1000.0, (at + 300) / 1000.0)
            at += 300
        units.append(
            AnnotatedUnit(tuple(gestures), retraction, draw(st.sampled_from(("", *REST_POSES))))
        )
        at += draw(st.integers(0, 2000))
    return tuple(units)


@st.composite
def any_annotation(draw: st.DrawFn) -> Annotation:
    """Any annotation that a file can hold, its times on whole milliseconds."""
    words = tuple(
        AnnotatedWord(
            start,
            end,
            draw(_lines(2).filter(bool)),
            draw(_lines(1)),
            draw(_lines(1)),
            draw(_lines(1)),
        )
        for start, end in draw(_edges(6))
    )
    structure = [
        AnnotatedSpan(start, end, draw(st.sampled_from(("theme", "rheme"))))
        for start, end in draw(_edges(3, gaps=False))
    ]
    structure += [AnnotatedSpan(start, end, "focus") for start, end in draw(_edges(2))]
    turns = [
        BodyTurn(start, part, draw(st.sampled_from(DIRECTIONS)))
        for part in ("body", "head")
        for start, _ in draw(_edges(2))
    ]
    return Annotation(
        speaker=draw(_lines(2)),
        language=draw(st.sampled_from(("", "en", "de"))),
        duration_s=draw(st.floats(0.0, 1000.0)),
        words=words,
        clauses=tuple(AnnotatedSpan(s, e, draw(_lines())) for s, e in draw(_edges(3))),
        information=tuple(sorted(structure, key=information_order)),
        units=draw(_units(len(words))),
        turns=tuple(sorted(turns, key=lambda turn: (turn.time_s, turn.part))),
        note=draw(_lines()),
    )


def spoken_by(name: str) -> Annotation:
    """Return the small annotation of another speaker."""
    return replace(SMALL, speaker=name)
