"""Annotations through files of ANVIL and ELAN and back; what does not fit is listed by its line."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesphere.corpus.annotation.annotation import (
    AnnotatedGesture,
    AnnotatedSpan,
    AnnotatedUnit,
    AnnotatedWord,
    Annotation,
    BodyTurn,
    PhaseMark,
)
from kinesphere.corpus.annotation.from_anvil import SPECIFICATION
from kinesphere.corpus.annotation.reading import read_annotation, write_annotation
from kinesphere.corpus.annotation.tier_names import (
    DETAILS,
    HANDS,
    PHASES,
    POSES,
    STRUCTURE,
    TIERS,
    Names,
)
from kinesphere.errors import InvalidValueError, UnreadableError, UnwritableError
from kinesphere.formats.problems import Problem
from kinesphere.gesture.positions import HandPosition
from tests.conftest import ROOT
from tests.corpus.annotations import SMALL, any_annotation

ENDINGS = (".anvil", ".eaf")


def through(annotation: Annotation, path: Path) -> Annotation:
    write_annotation(annotation, path)
    again, problems = read_annotation(path)
    assert problems == ()
    return again


@settings(max_examples=60)
@given(any_annotation())
def test_annotations_go_through_both_formats_unchanged(
    tmp_path_factory: pytest.TempPathFactory, annotation: Annotation
) -> None:
    folder = tmp_path_factory.mktemp("rounds")
    from_anvil = through(annotation, folder / "a.anvil")
    from_elan = through(from_anvil, folder / "a.eaf")
    assert through(from_elan, folder / "b.anvil") == annotation
    assert (folder / "a.anvil").read_bytes() == (folder / "b.anvil").read_bytes()


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_small_one_goes_through_and_its_bytes_stay(tmp_path: Path, ending: str) -> None:
    first, second = tmp_path / f"a{ending}", tmp_path / f"b{ending}"
    assert through(SMALL, first) == SMALL
    write_annotation(read_annotation(first)[0], second)
    assert first.read_bytes() == second.read_bytes()


def test_elan_keeps_milliseconds_and_anvil_everything(tmp_path: Path) -> None:
    word = AnnotatedWord(0.1234567, 0.849976, "x")
    annotation = Annotation("", "", 1.0, (word,))
    assert through(annotation, tmp_path / "a.anvil") == annotation
    assert through(annotation, tmp_path / "a.eaf").words == (AnnotatedWord(0.123, 0.85, "x"),)


def test_words_that_meet_may_miss_each_other_by_a_rounding_error(tmp_path: Path) -> None:
    tiny = 1e-9
    words = (
        AnnotatedWord(0.0, 0.1 + 0.2, "a"),
        AnnotatedWord(0.3, 1.0005 + tiny, "b"),
        AnnotatedWord(1.0005 - tiny, 1.1, "c"),
    )
    assert words[0].end_s > words[1].start_s
    annotation = Annotation("", "", 2.0, words)
    assert through(annotation, tmp_path / "a.anvil") == annotation
    again = through(annotation, tmp_path / "a.eaf")
    assert [(w.start_s, w.end_s) for w in again.words] == [(0.0, 0.3), (0.3, 1.001), (1.001, 1.1)]


def test_anvil_files_come_with_their_specification(tmp_path: Path) -> None:
    write_annotation(SMALL, tmp_path / "a.eaf")
    assert not (tmp_path / SPECIFICATION).exists()
    write_annotation(SMALL, tmp_path / "a.anvil")
    assert (tmp_path / SPECIFICATION).exists()
    (tmp_path / SPECIFICATION).write_text("mine")
    write_annotation(SMALL, tmp_path / "a.anvil")
    assert (tmp_path / SPECIFICATION).read_text() == "mine"


def test_lexemes_that_nobody_knows_are_kept(tmp_path: Path) -> None:
    gesture = AnnotatedGesture((PhaseMark("stroke", 0.0, 1.0),), "Moon Walk", handshape="tentacle")
    annotation = Annotation("", "", 1.0, units=(AnnotatedUnit((gesture,)),))
    for ending in ENDINGS:
        write_annotation(annotation, tmp_path / f"a{ending}")
        assert read_annotation(tmp_path / f"a{ending}")[0] == annotation


def test_what_no_tier_can_hold_is_refused(tmp_path: Path) -> None:
    words = (AnnotatedWord(0.0, 1.0, "a"), AnnotatedWord(0.5, 1.0, "b"))
    with pytest.raises(
        UnwritableError, match=r"words: 'b' from 0\.5 s begins before 'a' ends at 1 s"
    ):
        write_annotation(Annotation("", "", 1.0, words), tmp_path / "a.eaf")
    with pytest.raises(UnwritableError, match="words: 'a' begins before 0 s"):
        write_annotation(
            Annotation("", "", 1.0, (AnnotatedWord(-1.0, 1.0, "a"),)), tmp_path / "a.eaf"
        )
    with pytest.raises(UnwritableError, match=r"annotations are written as \.anvil \.eaf"):
        write_annotation(SMALL, tmp_path / "a.txt")
    assert list(tmp_path.iterdir()) == []


def eaf(tmp_path: Path, tiers: str, slots: Iterable[int] = range(0, 5000, 100)) -> Path:
    """Write a file of ELAN whose time slots are called by their milliseconds."""
    order = "".join(f'<TIME_SLOT TIME_SLOT_ID="t{ms}" TIME_VALUE="{ms}"/>' for ms in slots)
    path = tmp_path / "talk.eaf"
    path.write_text(
        f'<ANNOTATION_DOCUMENT FORMAT="2.8"><TIME_ORDER>{order}</TIME_ORDER>\n{tiers}\n'
        '<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="top"/>'
        '<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="sub" CONSTRAINTS="Symbolic_Subdivision"/>'
        '<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="say" CONSTRAINTS="Symbolic_Association"/>'
        "</ANNOTATION_DOCUMENT>"
    )
    return path


def tier(name: str, *rows: tuple[int, int, str], **others: str) -> str:
    """Write a tier, one line for it and one for each annotation."""
    given = "".join(f" {key}={quoteattr(value)}" for key, value in others.items())
    lines = [f'<TIER TIER_ID={quoteattr(name)} LINGUISTIC_TYPE_REF="top"{given}>']
    for i, (start, end, value) in enumerate(rows):
        lines.append(
            f'<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="{name}{i}" TIME_SLOT_REF1="t{start}" '
            f'TIME_SLOT_REF2="t{end}"><ANNOTATION_VALUE>{escape(value)}</ANNOTATION_VALUE>'
            "</ALIGNABLE_ANNOTATION></ANNOTATION>"
        )
    return "\n".join(lines) + "</TIER>"


def said(name: str, parent: str, *rows: tuple[int, str], kind: str = "say") -> str:
    """Write a tier that hangs on another, one line for it and one for each annotation."""
    lines = [
        f'<TIER TIER_ID={quoteattr(name)} LINGUISTIC_TYPE_REF="{kind}" PARENT_REF={quoteattr(parent)}>'
    ]
    for i, (at, value) in enumerate(rows):
        lines.append(
            f'<ANNOTATION><REF_ANNOTATION ANNOTATION_ID="{name}{i}" ANNOTATION_REF="{parent}{at}">'
            f"<ANNOTATION_VALUE>{escape(value)}</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION>"
        )
    return "\n".join(lines) + "</TIER>"


def read(path: Path) -> tuple[Annotation, list[str]]:
    annotation, problems = read_annotation(path)
    return annotation, [str(problem).removeprefix(f"{path.parent}/") for problem in problems]


def test_elan_as_people_write_it(tmp_path: Path) -> None:
    path = eaf(
        tmp_path,
        "\n".join(
            [
                tier("Word", (500, 700, " the"), (700, 1100, "Civil"), (1100, 1600, "war!")),
                said("POS", "Word", (2, "noun")),
                tier(
                    "Gesture Phase",
                    (400, 800, "Prep"),
                    (800, 1100, "stroke"),
                    (1100, 1400, "after-stroke"),
                    (1400, 1700, "post-stroke hold"),
                    (1700, 2200, "retract"),
                    (2200, 3000, "rest"),
                ),
                tier("G-Phrase", (400, 1700, "7")),
                said("lexeme", "G-Phrase", (0, "raised index finger")),
                said("Hand", "G-Phrase", (0, "left hand")),
                said("hand_shape", "G-Phrase", (0, "Open RLX")),
                said("Start", "G-Phrase", (0, "Belly/normal/front/touch")),
                said("distance", "G-Phrase", (0, "0.6 -> 0.9")),
                said("lexical affiliate", "G-Phrase", (0, "civil war")),
                tier("G_UNIT", (400, 2200, "arms folded")),
                tier("information structure", (500, 700, "topic"), (700, 1600, "Rheme")),
                tier("Body Turn", (0, 1000, "left front")),
            ]
        ),
    )
    annotation, problems = read(path)
    assert problems == []
    assert [(w.text, w.pos) for w in annotation.words] == [
        ("the", ""),
        ("Civil", ""),
        ("war!", "noun"),
    ]
    assert annotation.duration_s == 3.0
    (unit,) = annotation.units
    assert (unit.rest_pose, unit.retraction) == ("folded", PhaseMark("retraction", 1.7, 2.2))
    assert unit.gestures == (
        AnnotatedGesture(
            (
                PhaseMark("preparation", 0.4, 0.8),
                PhaseMark("stroke", 0.8, 1.4, 2, (1.1, 1.4)),
                PhaseMark("hold", 1.4, 1.7),
            ),
            "RaisedIndexfinger",
            "LH",
            "open-rlx",
            start=HandPosition.of_text("abdomen/normal/front/touch"),
            start_distance=0.6,
            end_distance=0.9,
            affiliate=(1, 2),
        ),
    )
    assert [span.label for span in annotation.information] == ["theme", "rheme"]
    assert annotation.turns == (BodyTurn(0.0, "body", "left-front"),)


@pytest.mark.parametrize("table", [TIERS, HANDS, PHASES, POSES, STRUCTURE, *DETAILS.values()])
def test_every_listed_name_means_its_own(table: Names) -> None:
    for name, others in table.items():
        for other in (name, *others):
            for written in (other, other.upper(), other.replace(" ", "_"), other.replace("-", " ")):
                assert table.find(written) == name


WORDS = ("the", "civil", "war", "the", "war")
PHASE_ROWS = (400, 800, "prep"), (800, 1400, "stroke"), (1700, 2200, "retraction")


@pytest.mark.parametrize(
    ("tiers", "expected"),
    [
        (
            [
                tier("phases", *PHASE_ROWS, (2200, 2300, "dance")),
                tier("gestures", (400, 1400, "")),
                tier("units", (400, 2200, "")),
            ],
            [
                "talk.eaf:6: phase is 'dance', allowed are preparation, hold, stroke, retraction, rest; left out"
            ],
        ),
        (
            [
                tier("phases", *PHASE_ROWS, (2200, 2300, " ")),
                tier("gestures", (400, 1400, "")),
                tier("units", (400, 2200, "")),
            ],
            [
                "talk.eaf:6: phase is empty, allowed are preparation, hold, stroke, retraction, rest; left out"
            ],
        ),
        (
            [
                tier("phases", *PHASE_ROWS, (3000, 3100, "hold")),
                tier("gestures", (400, 1400, "")),
                tier("units", (400, 2200, "")),
            ],
            ["talk.eaf:6: hold from 3 s is outside any gesture; left out"],
        ),
        (
            [
                tier("phases", *PHASE_ROWS),
                tier("gestures", (400, 1400, ""), (3000, 3500, "")),
                tier("units", (400, 2200, "")),
            ],
            [
                "talk.eaf:8: the gesture at 3 s is outside any unit; it is taken as one",
                "talk.eaf:8: the gesture from 3 s has no phases; it is taken for one stroke",
            ],
        ),
        (
            [
                tier("phases", *PHASE_ROWS),
                tier("gestures", (400, 1700, "")),
                tier("units", (400, 2200, "")),
            ],
            [
                "talk.eaf:7: the gesture goes from 0.4 to 1.7 s, its phases from 0.4 to 1.4 s; the phases count"
            ],
        ),
        (
            [
                tier("phases", *PHASE_ROWS),
                tier("gestures", (400, 1400, "")),
                tier("units", (400, 2200, ""), (3000, 4000, "")),
            ],
            ["talk.eaf:10: the unit from 3 s has no gesture; left out"],
        ),
        (
            [
                tier("phases", *PHASE_ROWS),
                tier("gestures", (400, 1400, "")),
                tier("units", (400, 1400, "")),
            ],
            ["talk.eaf:5: retraction from 1.7 s is outside any unit; left out"],
        ),
        (
            [
                tier("phases", *PHASE_ROWS, (2200, 2500, "r")),
                tier("gestures", (400, 1400, "")),
                tier("units", (400, 2500, "")),
            ],
            ["talk.eaf:5: retraction from 1.7 s is not the last of its unit; left out"],
        ),
        (
            [
                tier("phases", *PHASE_ROWS),
                tier("gestures", (400, 1400, "")),
                tier("units", (400, 2200, "sofa")),
            ],
            [
                "talk.eaf:9: rest pose is 'sofa', allowed are at-side, in-pockets, clasped, folded, behind-back; left out"
            ],
        ),
        (
            [tier("phases", *PHASE_ROWS), tier("units", (400, 2200, ""))],
            [
                "talk.eaf:3: no tier of gestures: each stroke, or hold without one, is taken for a gesture"
            ],
        ),
        (
            [tier("phases", *PHASE_ROWS), tier("gestures", (400, 1400, ""))],
            [
                "talk.eaf:7: no tier of units: a unit is taken to end with a retraction, or where nothing is annotated for 1 s"
            ],
        ),
        (
            [
                tier("phases", *PHASE_ROWS),
                tier("gestures", (400, 1400, "")),
                tier("g-phrase", (0, 100, "")),
                tier("units", (400, 2200, "")),
            ],
            ["talk.eaf:8: tier 'g-phrase' is a second tier of gestures; left out"],
        ),
        (
            [tier("moods", (0, 100, "sad")), tier("empty moods")],
            ["talk.eaf:2: tier 'moods' is not part of the scheme; left out"],
        ),
        (
            [tier("words", (0, 100, "a"), (100, 200, ""))],
            ["talk.eaf:4: a word has no text; left out"],
        ),
        (
            [tier("information", (0, 100, "news"), (100, 200, ""))],
            [
                "talk.eaf:3: information is 'news', allowed are theme, rheme, focus; left out",
                "talk.eaf:4: information is empty, allowed are theme, rheme, focus; left out",
            ],
        ),
        (
            [tier("turns", (0, 100, "up"))],
            [
                "talk.eaf:3: direction is 'up', allowed are left, left-front, front, right-front, right; left out"
            ],
        ),
        (
            [
                tier("say", (0, 400, "one two")),
                said("words", "say", (0, "one"), (0, "two"), kind="sub"),
            ],
            [
                "talk.eaf:2: tier 'say' is not part of the scheme; left out",
                "talk.eaf:4: tier 'words' has annotations without times; they divide their parent's time evenly",
            ],
        ),
        (
            [tier("words", (0, 100, "a")), tier("lemma", (3000, 3100, "b"))],
            ["talk.eaf:5: lemma 'b' refers to no annotation; left out"],
        ),
        (
            [tier("words", (0, 100, "a"), (0, 200, "b"))],
            [
                "talk.eaf:4: 'b' from 0 s overlaps 'a', which ends at 0.1 s (line 3), in tier 'words'"
            ],
        ),
    ],
)
def test_what_does_not_fit_is_listed(tmp_path: Path, tiers: list[str], expected: list[str]) -> None:
    annotation, problems = read(eaf(tmp_path, "\n".join(tiers)))
    assert problems == expected
    if "stroke" in tiers[0]:
        assert annotation.gestures[0].stroke == PhaseMark("stroke", 0.8, 1.4)


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("handedness", "tentacle", "handedness is 'tentacle', allowed are LH, RH, 2H; left out"),
        ("trajectory", "zigzag", "trajectory is 'zigzag', allowed are straight, curved; left out"),
        (
            "start-position",
            "moon/far/out/out",
            "start position: height is 'moon', allowed are above-head, head, shoulder, chest, abdomen, belt, below-belt; left out",
        ),
        (
            "end-position",
            "head/far",
            "end position: position 'head/far' has 2 parts, allowed are height/distance/radial/inclination; left out",
        ),
        ("end-height", "head", "end position has no distance, no radial, no inclination; left out"),
        (
            "hand-distance",
            "near",
            "hand distance is 'near', expected start/end in shoulder widths; left out",
        ),
        (
            "hand-distance",
            "1/2/3",
            "hand distance is '1/2/3', expected start/end in shoulder widths; left out",
        ),
        ("strokes", "many", "number of strokes is 'many', allowed are 1, 2, 3 ..."),
        ("strokes", "0", "number of strokes is '0', allowed are 1, 2, 3 ..."),
        (
            "stroke-ends",
            "1.0 1.2",
            "ends of strokes are '1.0 1.2', expected 1 times in seconds; left out",
        ),
        ("affiliate", "peace", "affiliate 'peace' matches no words; left out"),
        (
            "co-occurrence",
            "the #9",
            "co-occurrence 'the #9' refers to words that do not exist, allowed are 1 to 5; left out",
        ),
        (
            "affiliate",
            "peace #2",
            "affiliate 'peace #2' has words that do not match its numbers; left out",
        ),
    ],
)
def test_details_that_say_nothing_known_are_listed(
    tmp_path: Path, name: str, value: str, problem: str
) -> None:
    words = [(i * 100, i * 100 + 100, text) for i, text in enumerate(WORDS)]
    path = eaf(
        tmp_path,
        "\n".join(
            [
                tier("words", *words),
                tier("phases", *PHASE_ROWS),
                tier("gestures", (400, 1400, "Cup")),
                tier("units", (400, 2200, "clasped")),
                said(name, "gestures", (0, value)),
            ]
        ),
    )
    annotation, problems = read(path)
    assert problems == [f"talk.eaf:17: {problem}"]
    phases = (PhaseMark("preparation", 0.4, 0.8), PhaseMark("stroke", 0.8, 1.4))
    assert annotation.gestures == (AnnotatedGesture(phases, "Cup"),)


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("war", (4, 4)),  # nearest to the stroke, which comes after all words
        ("The WAR!", (3, 4)),
        ("civil war", (1, 2)),
        ("war #3", (2, 2)),
        ("#2-3", (1, 2)),
        ("the civil war the war", (0, 4)),
    ],
)
def test_affiliates_are_found_among_the_words(
    tmp_path: Path, text: str, span: tuple[int, int]
) -> None:
    words = [(i * 100, i * 100 + 100, text) for i, text in enumerate(WORDS)]
    rows = [
        tier("words", *words),
        tier("phases", (800, 1400, "s")),
        tier("gestures", (800, 1400, "Cup")),
    ]
    path = eaf(tmp_path, "\n".join([*rows, said("affiliate", "gestures", (0, text))]))
    assert read(path)[0].gestures[0].affiliate == span


def test_phases_alone_make_gestures_and_units(tmp_path: Path) -> None:
    rows = [
        (0, 100, "p"),
        (100, 200, "s"),
        (200, 300, "h"),
        (300, 400, "s"),
        (400, 500, "s"),
        (500, 600, "h"),
        (600, 700, "h"),
        (700, 900, "r"),
        (1000, 1100, "p"),
        (1100, 1200, "h"),
        (2500, 2600, "s"),
        (2700, 2800, "s"),
    ]
    annotation, problems = read(eaf(tmp_path, tier("phases", *rows)))
    assert [line.partition(": no tier")[0] for line in problems] == ["talk.eaf:3", "talk.eaf:3"]
    kinds = [
        [[(p.kind[0], p.strokes) for p in g.phases] for g in unit.gestures]
        for unit in annotation.units
    ]
    assert kinds == [
        [[("p", 1), ("s", 1), ("h", 1)], [("s", 2), ("h", 1)], [("h", 1)]],
        [[("p", 1), ("h", 1)]],
        [[("s", 1)], [("s", 1)]],
    ]
    assert [unit.retraction is not None for unit in annotation.units] == [True, False, False]


def test_details_may_be_tiers_of_their_own_or_hang_on_each_other(tmp_path: Path) -> None:
    rows = [
        tier("phases", (400, 1400, "stroke")),
        tier("gestures", (400, 1400, "Cup")),
        said("handedness", "gestures", (0, "LH")),
        said("hand-shape", "handedness", (0, "fist")),
        tier("trajectory", (500, 1300, "curved")),
        tier("units", (400, 1400, "")),
    ]
    annotation, problems = read(eaf(tmp_path, "\n".join(rows)))
    assert problems == []
    (gesture,) = annotation.gestures
    assert (gesture.hands, gesture.handshape, gesture.trajectory) == ("LH", "fist", "curved")


def test_marks_of_strokes_and_their_number_must_agree(tmp_path: Path) -> None:
    rows = [
        tier("phases", (400, 600, "s"), (600, 800, "s"), (800, 900, "s")),
        tier("gestures", (400, 900, "Cup")),
        tier("units", (400, 900, "")),
        said("strokes", "gestures", (0, "2")),
    ]
    annotation, problems = read(eaf(tmp_path, "\n".join(rows)))
    assert problems == ["talk.eaf:11: 2 strokes are stated, 3 are annotated; the phases count"]
    assert annotation.phases == (PhaseMark("stroke", 0.4, 0.9, 3, (0.6, 0.8, 0.9)),)


def test_words_with_the_same_id_are_both_read(tmp_path: Path) -> None:
    twice = tier("words", (0, 100, "a"), (100, 200, "b")).replace('"words1"', '"words0"')
    path = eaf(tmp_path, f"{twice}\n{said('lemma', 'words', (0, 'x'))}")
    annotation, problems = read(path)
    assert [(word.text, word.lemma) for word in annotation.words] == [("a", "x"), ("b", "")]
    assert problems == ["talk.eaf:4: annotation 'words0' is there already (line 3)"]


def test_numbers_of_words_count_those_without_text(tmp_path: Path) -> None:
    rows = [
        tier("words", (0, 100, ""), (100, 200, "war"), (200, 300, "war")),
        tier("phases", (800, 1400, "s")),
        tier("gestures", (800, 1400, "Cup")),
        said("affiliate", "gestures", (0, "war #2")),
    ]
    assert read(eaf(tmp_path, "\n".join(rows)))[0].gestures[0].affiliate == (0, 0)


def test_a_gesture_may_be_marked_with_its_retraction(tmp_path: Path) -> None:
    rows = [
        tier("phases", *PHASE_ROWS),
        tier("gestures", (400, 2200, "Cup")),
        tier("units", (400, 2200, "")),
    ]
    annotation, problems = read(eaf(tmp_path, "\n".join(rows)))
    assert problems == []
    assert annotation.units[0].retraction == PhaseMark("retraction", 1.7, 2.2)
    assert annotation.gestures[0].end_s == 1.4


def test_phases_find_the_longer_of_two_gestures_that_overlap(tmp_path: Path) -> None:
    rows = [
        tier("phases", (0, 200, "p"), (200, 300, "s"), (300, 1000, "s")),
        tier("gestures", (0, 1000, "Cup"), (200, 300, "Beat")),
        tier("units", (0, 1000, "")),
    ]
    annotation, _ = read(eaf(tmp_path, "\n".join(rows)))
    assert [(g.lexeme, len(g.phases)) for g in annotation.gestures] == [("Cup", 2), ("Beat", 1)]


def test_several_speakers(tmp_path: Path) -> None:
    rows = [
        tier("words@Anna", (0, 100, "hello")),
        tier("words@Ben", (100, 200, "hi")),
        tier("units", (0, 100, "")),
        tier("phases", (0, 100, "s"), PARTICIPANT="Ben"),
    ]
    path = eaf(tmp_path, "\n".join(rows))
    annotation, problems = read(path)
    assert (annotation.speaker, annotation.words[0].text, annotation.units) == ("Anna", "hello", ())
    assert problems == [
        "talk.eaf:1: has speakers Anna, Ben; Anna is read",
        "talk.eaf:6: tier 'units' names no speaker; left out",
    ]
    other, _ = read_annotation(path, "Ben")
    assert (other.words[0].text, len(other.phases)) == ("hi", 1)
    with pytest.raises(
        InvalidValueError, match="no speaker 'Carl' in the annotation; it has Anna, Ben"
    ):
        read_annotation(path, "Carl")


def test_a_speaker_who_is_alone_owns_all_tiers(tmp_path: Path) -> None:
    rows = [tier("words@Anna", (0, 100, "hello")), tier("clauses", (0, 100, "hello"))]
    annotation, problems = read(eaf(tmp_path, "\n".join(rows)))
    assert (annotation.speaker, annotation.clauses) == ("Anna", (AnnotatedSpan(0.0, 0.1, "hello"),))
    assert problems == []


def test_the_language_of_words_is_that_of_their_tier(tmp_path: Path) -> None:
    path = eaf(tmp_path, tier("words", (0, 100, "ja"), LANG_REF="deu"))
    assert read(path)[0].language == "de"


ANVIL = """<annotation><head><specification src="C:\\specs\\spec.xml"/></head>
<body><track name="Transcript.Words" type="primary">
<el index="2" start="0" end="0.5"><attribute name="token">civil</attribute></el>
<el index="5" start="0.5" end="1"><attribute name="token">war</attribute></el></track>
<track name="gesture.phase" type="primary">
<el index="0" start="0.2" end="0.5"><attribute name="sort">prep</attribute></el>
<el index="1" start="0.5" end="1.5"><attribute name="sort">stroke</attribute></el></track>
<track name="gesture.phrase" type="span" ref="gesture.phase">
<el index="0" start="0" end="1"><attribute name="lemma">Fist</attribute>
<attribute name="mood">sad</attribute>
<attribute name="start height">chest</attribute><attribute name="start distance">close</attribute>
<attribute name="start radial">front</attribute><attribute name="start inclination">out</attribute>
<attribute name="lexical affiliate"><value-link ref-track="Transcript.Words" ref-index="2"/>
<value-link ref-track="Transcript.Words" ref-index="5"/></attribute>
</el></track>
<track name="gesture.handedness" type="singleton" ref="gesture.phrase">
<el index="0" ref="0"><attribute name="which">both</attribute></el></track>
<track name="gesture.unit" type="span" ref="gesture.phase">
<el index="0" start="0" end="1"/></track>
</body></annotation>"""
SPEC = """<annotation-spec><body><group name="gesture"><track-spec name="phase" type="primary">
<attribute name="sort"><value-el>prep</value-el><value-el>stroke</value-el></attribute>
</track-spec></group></body></annotation-spec>"""


def test_anvil_as_people_write_it(tmp_path: Path) -> None:
    path = tmp_path / "talk.anvil"
    path.write_text(ANVIL)
    (tmp_path / "spec.xml").write_text(SPEC)
    annotation, problems = read(path)
    assert problems == [
        "talk.anvil:10: attribute 'mood' of track 'gesture.phrase' is not part of the scheme; left out"
    ]
    (gesture,) = annotation.gestures
    assert gesture == AnnotatedGesture(
        (PhaseMark("preparation", 0.2, 0.5), PhaseMark("stroke", 0.5, 1.5)),
        "Fist",
        "2H",
        start=HandPosition.of_text("chest/close/front/out"),
        affiliate=(0, 1),
    )


def test_anvil_without_its_specification_lacks_what_only_that_says(tmp_path: Path) -> None:
    path = tmp_path / "talk.anvil"
    path.write_text(ANVIL)
    annotation, problems = read(path)
    assert (
        "talk.anvil:6: attribute 'sort' of track 'gesture.phase' is not part of the scheme; left out"
        in problems
    )
    assert (
        "talk.anvil:6: phase is empty, allowed are preparation, hold, stroke, retraction, rest; left out"
        in problems
    )
    assert len(annotation.words) == 2


@pytest.mark.parametrize(
    ("specification", "problem"),
    [
        (
            SPEC[:100],
            "talk.anvil:1: specification 'spec.xml': line 2: is not XML: unclosed token; ignored",
        ),
        (
            SPEC.replace("stroke", "swing"),
            "talk.anvil:7: sort is 'stroke', which the specification does not allow",
        ),
        (
            SPEC.replace('name="sort"', 'name="kind"'),
            "talk.anvil:6: attribute 'sort' of track 'gesture.phase' is not in the specification",
        ),
    ],
)
def test_what_the_specification_does_not_have_is_listed(
    tmp_path: Path, specification: str, problem: str
) -> None:
    path = tmp_path / "talk.anvil"
    path.write_text(ANVIL)
    (tmp_path / "spec.xml").write_text(specification)
    assert problem in read(path)[1]


def test_links_to_what_is_no_word_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "talk.anvil"
    path.write_text(ANVIL.replace('ref-index="5"', 'ref-index="6"'))
    annotation, problems = read(path)
    what = "lexical affiliate links to element '6' of track 'Transcript.Words', which is not a word"
    assert f"talk.anvil:13: {what}" in problems
    assert len(annotation.words) == 2


def test_anvil_with_several_speakers(tmp_path: Path) -> None:
    path = tmp_path / "talk.anvil"
    path.write_text(
        ANVIL.replace('"Transcript.Words" type', '"Anna.speech.words" type').replace(
            '"gesture.phase" type', '"Ben.gesture.phase" type'
        )
    )
    annotation, problems = read(path)
    assert annotation.speaker == "Anna"
    assert "talk.anvil:1: has speakers Anna, Ben; Anna is read" in problems
    assert len(read_annotation(path, "Ben")[0].words) == 0


def test_real_anvil_files_have_no_track_of_the_scheme(data: Path) -> None:
    for path in sorted((data / "anvil").glob("*.anvil")):
        annotation, problems = read_annotation(path)
        assert annotation == Annotation("", "", 0.0)
        assert problems == (
            Problem(str(path), 10, "track 'operative steps' is not part of the scheme; left out"),
        )


def test_errors_name_the_file(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match=r"a\.eaf: no such file"):
        read_annotation(tmp_path / "a.eaf")
    with pytest.raises(UnreadableError, match=r"readable annotations are \.anvil \.eaf"):
        read_annotation(tmp_path / "a.doc")
    (tmp_path / "a.anvil").write_text("<annotation-spec/>")
    with pytest.raises(UnreadableError, match=r"a\.anvil: holds <annotation-spec>"):
        read_annotation(tmp_path / "a.anvil")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The small annotation's files, ELAN's without the vocabularies behind."""
    folder = tmp_path_factory.mktemp("files")
    for ending in ENDINGS:
        write_annotation(SMALL, folder / f"a{ending}")
    whole = (folder / "a.eaf").read_bytes()
    return {
        ".anvil": (folder / "a.anvil").read_bytes(),
        ".eaf": whole[: whole.index(b"<CONTROLLED")],
    }


@pytest.mark.parametrize("ending", ENDINGS)
@given(st.data())
def test_broken_files_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory,
    files: dict[str, bytes],
    ending: str,
    draw: st.DataObject,
) -> None:
    good = files[ending]
    data = bytearray(
        good[: draw.draw(st.integers(0, len(good)))] if draw.draw(st.booleans()) else good
    )
    for _ in range(draw.draw(st.integers(0, 4))):
        if data:
            data[draw.draw(st.integers(0, len(data) - 1))] ^= draw.draw(st.integers(1, 255))
    path = tmp_path_factory.getbasetemp() / f"fuzz{ending}"
    path.write_bytes(bytes(data))
    try:
        _, problems = read_annotation(path)
    except UnreadableError as error:
        assert "\n" not in str(error)
    else:
        assert all(str(problem).startswith(f"{path}:") for problem in problems)


def test_the_names_are_those_of_the_documentation() -> None:
    text = (ROOT / "docs" / "annotation-scheme.md").read_text()
    for table in (TIERS, HANDS, PHASES, POSES, STRUCTURE, *DETAILS.values()):
        for name, others in table.items():
            for word in (name, *others):
                assert f"`{word}`" in text, f"docs/annotation-scheme.md does not name `{word}`"
