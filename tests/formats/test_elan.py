"""ELAN's files: exact round trips, times as ELAN works them out, every problem with its line."""

from __future__ import annotations

import resource
import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinesphere.errors import UnreadableError, UnwritableError
from kinesphere.formats import problems as problems_module
from kinesphere.formats import xml_elements
from kinesphere.formats.elan import (
    ElanAnnotation,
    ElanDocument,
    ElanTier,
    TimeSlot,
    parse_elan,
    timed_tiers,
    write_elan,
)
from kinesphere.formats.problems import Problem, Problems, Stretch, note_overlaps
from kinesphere.formats.xml_elements import Element
from tests.formats.damage import Flips, flip, flips, read_or_refuse

FILE = """<?xml version="1.0" encoding="UTF-8"?>
<ANNOTATION_DOCUMENT AUTHOR="x" DATE="2020-01-01T00:00:00Z" FORMAT="3.0" VERSION="3.0">
<HEADER MEDIA_FILE="" TIME_UNITS="milliseconds"><PROPERTY NAME="n">5</PROPERTY></HEADER>
<TIME_ORDER>
<TIME_SLOT TIME_SLOT_ID="ts1" TIME_VALUE="0"/>
<TIME_SLOT TIME_SLOT_ID="ts2"/>
<TIME_SLOT TIME_SLOT_ID="ts3"/>
<TIME_SLOT TIME_SLOT_ID="ts4" TIME_VALUE="900"/>
</TIME_ORDER>
<TIER LINGUISTIC_TYPE_REF="top" TIER_ID="utterance" PARTICIPANT="Anna">
<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="u" TIME_SLOT_REF1="ts1" TIME_SLOT_REF2="ts4">
<ANNOTATION_VALUE>one two  three</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>
</TIER>
<TIER LINGUISTIC_TYPE_REF="parts" TIER_ID="words" PARENT_REF="utterance">
<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="w1" TIME_SLOT_REF1="ts1" TIME_SLOT_REF2="ts2">
<ANNOTATION_VALUE>one</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>
<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="w2" TIME_SLOT_REF1="ts2" TIME_SLOT_REF2="ts3">
<ANNOTATION_VALUE>two</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>
<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="w3" TIME_SLOT_REF1="ts3" TIME_SLOT_REF2="ts4">
<ANNOTATION_VALUE>three</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>
</TIER>
<TIER LINGUISTIC_TYPE_REF="morphs" TIER_ID="sounds" PARENT_REF="words">
<ANNOTATION><REF_ANNOTATION ANNOTATION_ID="m2" ANNOTATION_REF="w3" PREVIOUS_ANNOTATION="m1">
<ANNOTATION_VALUE>ree</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION>
<ANNOTATION><REF_ANNOTATION ANNOTATION_ID="m1" ANNOTATION_REF="w3" CVE_REF="c">
<ANNOTATION_VALUE>th</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION>
</TIER>
<TIER LINGUISTIC_TYPE_REF="gloss" TIER_ID="gloss" PARENT_REF="words">
<ANNOTATION><REF_ANNOTATION ANNOTATION_ID="g" ANNOTATION_REF="w2">
<ANNOTATION_VALUE>2</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION>
</TIER>
<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="top" TIME_ALIGNABLE="true"/>
<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="parts" CONSTRAINTS="Time_Subdivision" TIME_ALIGNABLE="true"/>
<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="morphs" CONSTRAINTS="Symbolic_Subdivision"/>
<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="gloss" CONSTRAINTS="Symbolic_Association"/>
<CONTROLLED_VOCABULARY CV_ID="v"><CV_ENTRY_ML CVE_ID="c"><CVE_VALUE LANG_REF="und">x</CVE_VALUE></CV_ENTRY_ML></CONTROLLED_VOCABULARY>
</ANNOTATION_DOCUMENT>
"""


def rows(document: ElanDocument) -> dict[str, list[tuple[float, float, str, bool]]]:
    """Times to the microsecond, values and whether the times are their own, by tier."""
    return {
        tier.id: [
            (round(r.start_s, 6), round(r.end_s, 6), r.annotation.value, r.own) for r in found
        ]
        for tier, found in timed_tiers(document, Problems())
    }


def test_times_are_those_that_elan_draws() -> None:
    document, found = parse_elan(FILE.encode())
    assert found == ()
    assert rows(document) == {
        "utterance": [(0.0, 0.9, "one two  three", True)],
        "words": [(0.0, 0.3, "one", False), (0.3, 0.6, "two", False), (0.6, 0.9, "three", False)],
        # in the order of PREVIOUS_ANNOTATION, not of the file
        "sounds": [(0.75, 0.9, "ree", False), (0.6, 0.75, "th", False)],
        "gloss": [(0.3, 0.6, "2", False)],
    }


def test_of_two_annotations_with_one_name_the_first_is_meant() -> None:
    slots = tuple(TimeSlot(f"t{i}", str(i)) for i in (0, 1000, 2000))
    own = (ElanAnnotation("a", "x", "t0", "t1000"), ElanAnnotation("a", "y", "t1000", "t2000"))
    tiers = (
        ElanTier("main", annotations=own),
        ElanTier("said", annotations=(ElanAnnotation("b", "z", parent="a"),)),
    )
    assert rows(ElanDocument(slots=slots, tiers=tiers)) == {
        "main": [(0.0, 1.0, "x", True), (1.0, 2.0, "y", True)],
        "said": [(0.0, 1.0, "z", True)],
    }


def test_all_that_lie_in_a_longer_one_overlap_it() -> None:
    found = Problems()
    spans = [(0.0, 1.0), (0.1, 0.2), (0.3, 0.4), (1.0, 2.0)]
    note_overlaps("t", [Stretch(*span, "x", i) for i, span in enumerate(spans)], found)
    assert [(p.line, "which ends at 1 s (line 0)" in p.what) for p in found.report()] == [
        (1, True),
        (2, True),
    ]


def test_the_order_of_tiers_and_annotations_does_not_matter_for_times() -> None:
    document, _ = parse_elan(FILE.encode())
    turned = tuple(
        ElanTier(t.id, t.kind, t.parent, t.participant, t.others, t.annotations[::-1])
        for t in reversed(document.tiers)
    )
    other = ElanDocument(
        document.attributes, document.before, document.slots, turned, document.after
    )
    assert {name: sorted(r) for name, r in rows(other).items()} == {
        name: sorted(r) for name, r in rows(document).items()
    }


def test_lines_and_all_else_are_kept() -> None:
    document, _ = parse_elan(FILE.encode())
    assert [tier.line for tier in document.tiers] == [10, 14, 22, 28]
    assert document.tiers[1].annotations[2].line == 19
    assert document.slots[3] == TimeSlot("ts4", "900")
    assert document.slots[3].line == 8
    named = document.property("n")
    assert named is not None
    assert (named.text, named.line) == ("5", 3)
    assert document.tiers[2].annotations[1].others == {"CVE_REF": "c"}
    assert [e.tag for e in document.after].count("CONTROLLED_VOCABULARY") == 1


_NAMES = st.text("abcXYZ019-_@ ", min_size=1, max_size=6)
_VALUES = st.text(
    st.characters(
        exclude_categories=("Cs", "Cc"),
        exclude_characters="\ufffe\uffff",
        include_characters="\n\t\r",
    ),
    max_size=10,
)
_ANNOTATIONS = st.builds(
    ElanAnnotation,
    id=_NAMES,
    value=_VALUES,
    start=_NAMES,
    end=_NAMES,
    others=st.dictionaries(st.sampled_from(("SVG_REF", "CVE_REF")), _VALUES),
) | st.builds(
    ElanAnnotation, id=_NAMES, value=_VALUES, parent=_NAMES, previous=st.just("") | _NAMES
)
_TIERS = st.builds(
    ElanTier,
    id=_NAMES,
    kind=_VALUES,
    parent=_VALUES,
    participant=_VALUES,
    annotations=st.lists(_ANNOTATIONS, max_size=3).map(tuple),
)
_DOCUMENTS = st.builds(
    ElanDocument,
    attributes=st.dictionaries(st.sampled_from(("AUTHOR", "FORMAT")), _VALUES),
    before=st.just((Element("HEADER", {}, "", (Element("PROPERTY", {"NAME": "a"}, "b"),)),)),
    slots=st.lists(
        st.builds(TimeSlot, _NAMES, st.just("") | st.integers(0, 10**6).map(str)), max_size=4
    ).map(tuple),
    tiers=st.lists(_TIERS, max_size=3).map(tuple),
)


@given(_DOCUMENTS)
def test_any_document_comes_back_as_it_was(document: ElanDocument) -> None:
    data = write_elan(document)
    again, _ = parse_elan(data)
    assert again == document
    assert write_elan(again) == data


def test_a_file_is_written_to_the_same_bytes_again() -> None:
    once = write_elan(parse_elan(FILE.encode())[0])
    again, found = parse_elan(once)
    assert found == ()
    assert again == parse_elan(FILE.encode())[0]
    assert write_elan(again) == once
    assert once.count(b"\n") > 60  # a line for each element


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1"])
def test_encodings(encoding: str) -> None:
    text = FILE.replace("UTF-8", encoding).replace("three", "drei & größer".replace("&", "&amp;"))
    document, _ = parse_elan(text.encode(encoding))
    assert document.tiers[1].annotations[2].value == "drei & größer"


def broken(old: str, new: str) -> bytes:
    assert FILE.count(old) == 1, old
    return FILE.replace(old, new).encode()


UNKNOWN = '<TIME_SLOT TIME_SLOT_ID="ts2"/>\n<TIME_SLOT TIME_SLOT_ID="ts3"/>'
UNKNOWN_GIVEN = UNKNOWN.replace('"ts2"', '"ts2" TIME_VALUE="500"').replace(
    '"ts3"', '"ts3" TIME_VALUE="400"'
)
W3 = 'ANNOTATION_ID="w3" TIME_SLOT_REF1="ts3" TIME_SLOT_REF2="ts4"'


@pytest.mark.parametrize(
    ("data", "line", "what"),
    [
        (broken('FORMAT="3.0"', 'FORMAT="1.0"'), 2, "FORMAT is '1.0', known are 2.7, 2.8, 3.0"),
        (broken('FORMAT="3.0" ', ""), 2, "FORMAT is nothing"),
        (broken('AUTHOR="x"', 'AUTHOR="x" WRITER="y"'), 2, "attribute 'WRITER', known are AUTHOR"),
        (broken("milliseconds", "PAL-frames"), 3, "TIME_UNITS is 'PAL-frames', allowed is"),
        (
            broken('TIME_VALUE="900"', 'TIME_VALUE="soon"'),
            8,
            "u: has 'soon', expected milliseconds",
        ),
        (broken('TIME_VALUE="900"', 'TIME_VALUE="9e2"'), 8, "has '9e2', expected milliseconds"),
        (broken('TIME_VALUE="900"', ""), 11, "annotation u has no time for its end; left out"),
        (broken('TIME_VALUE="0"', 'TIME_VALUE="5000"'), 11, "u goes from 5 to 0.9 s, expected"),
        (broken('TIME_VALUE="0"', 'TIME_VALUE="-3"'), 11, "u goes from -0.003 to 0.9 s, expected"),
        (broken('TIME_SLOT_ID="ts3"', 'TIME_SLOT_ID="ts1"'), 7, "'ts1' is there already (line 5)"),
        (broken('<TIME_SLOT TIME_SLOT_ID="ts3"/>', "<SLOT/>"), 7, "<SLOT> in TIME_ORDER is no"),
        (
            broken('TIER_ID="sounds"', 'TIER_ID="words"'),
            22,
            "tier 'words' is there already (line 14)",
        ),
        (broken(' TIER_ID="gloss"', ""), 28, "<TIER> has no TIER_ID"),
        (
            broken('"gloss" PARENT_REF="words"', '"gloss" PARENT_REF="w"'),
            28,
            "tier 'w', which is not",
        ),
        (
            broken('REF="gloss" TIER', 'REF="glass" TIER'),
            28,
            "has type 'glass', which is not there",
        ),
        (broken('ANNOTATION_REF="w2"', 'ANNOTATION_REF="w9"'), 29, "refers to annotation 'w9'"),
        (broken('ANNOTATION_REF="w2"', ""), 29, "the annotation has no ANNOTATION_REF; left out"),
        (
            broken('PREVIOUS_ANNOTATION="m1"', 'PREVIOUS_ANNOTATION="?"'),
            23,
            "refers to annotation '?'",
        ),
        (broken(W3, W3.replace("ts4", "ts9")), 19, "w3 refers to time slot 'ts9', which is not"),
        (
            broken(W3, W3.replace(' TIME_SLOT_REF2="ts4"', "")),
            19,
            "has no TIME_SLOT_REF2; left out",
        ),
        (broken(W3, W3 + ' MOOD="sad"'), 19, "<ALIGNABLE_ANNOTATION> has attribute 'MOOD'"),
        (broken(W3, W3.replace("w3", "w2")), 19, "annotation 'w2' is there already (line 17)"),
        (
            broken(UNKNOWN, UNKNOWN_GIVEN),
            19,
            "'three' from 0.4 s overlaps 'one', which ends at 0.5 s (line 15), in tier 'words'",
        ),
        (broken(UNKNOWN, UNKNOWN_GIVEN), 17, "w2 goes from 0.5 to 0.4 s, expected 0 <= start"),
        (
            broken('<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="top"', '<MYTH LINGUISTIC_TYPE_ID="top"'),
            32,
            "holds <MYTH>, known",
        ),
        (
            broken(
                "ree</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION>",
                "ree</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION><NOTE/>",
            ),
            24,
            "<NOTE> in a tier",
        ),
        (
            broken(
                '<ANNOTATION><REF_ANNOTATION ANNOTATION_ID="g" ANNOTATION_REF="w2">\n<ANNOTATION_VALUE>2</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION>',
                "<ANNOTATION><X/></ANNOTATION>",
            ),
            29,
            "holds <X>, allowed are ALIGNABLE_ANNOTATION",
        ),
        (
            broken(
                'ANNOTATION_ID="g" ANNOTATION_REF="w2"', 'ANNOTATION_ID="g" ANNOTATION_REF="m2" '
            ),
            0,
            "",
        ),
    ],
)
def test_every_problem_has_its_line_and_the_rest_is_read(data: bytes, line: int, what: str) -> None:
    document, found = parse_elan(data, "talk.eaf")
    if not what:
        assert found == ()
        return
    lines = [str(problem) for problem in found]
    assert any(text.startswith(f"talk.eaf:{line}: ") and what in text for text in lines), lines
    assert sum(len(tier.annotations) for tier in document.tiers) >= 5


def test_a_second_association_of_one_annotation_is_a_problem() -> None:
    one = '<ANNOTATION><REF_ANNOTATION ANNOTATION_ID="g" ANNOTATION_REF="w2">\n<ANNOTATION_VALUE>2</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION>'
    _, found = parse_elan(broken(one, one + "\n" + one.replace('"g"', '"h"')))
    assert [(p.line, p.what) for p in found] == [
        (31, "annotation h says a second thing about 'w2' in tier 'gloss', allowed is one")
    ]


def test_half_a_file_is_read_as_far_as_it_goes() -> None:
    at = FILE.index("two</ANNOTATION_VALUE>")
    document, found = parse_elan(FILE[:at].encode(), "talk.eaf")
    assert [row.id for row in document.tiers[1].annotations] == ["w1"]
    assert Problem("talk.eaf", 17, "the annotation is not complete; left out") in found
    assert any(
        p.line == 18 and "is not XML from here on inside <ANNOTATION_VALUE>" in p.what
        for p in found
    )
    with pytest.raises(UnreadableError, match="line 18: is not XML"):
        parse_elan(FILE[:at].encode(), whole=True)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b" \n", "is empty"),
        (b"hello", "line 1: is not XML"),
        (b"<a>\n<b></a>", "line 2: is not XML"),
        (b"<a/>", "holds <a>, expected <ANNOTATION_DOCUMENT>"),
        (b'<?xml version="1.0" encoding="nonsense"?><a/>', "is not XML: unknown encoding"),
        (
            b'<!DOCTYPE a SYSTEM "http://example.org/a.dtd">\n<ANNOTATION_DOCUMENT/>',
            "line 1: declares a document type",
        ),
        (
            b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
            "declares a document type",
        ),
        (b"<ANNOTATION_DOCUMENT>" + b"<a>" * 100, "line 1: has elements nested deeper than 64"),
    ],
)
def test_what_cannot_be_read_at_all_is_said_in_one_line(data: bytes, message: str) -> None:
    with pytest.raises(UnreadableError) as caught:
        parse_elan(data)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_sizes_and_counts_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnreadableError, match="allowed is 64 MB"):
        parse_elan(b" " * (65 << 20))
    with pytest.raises(UnreadableError, match="has 2001 tiers, allowed are 2000"):
        parse_elan(b"<ANNOTATION_DOCUMENT>" + b"<TIER/>" * 2001 + b"</ANNOTATION_DOCUMENT>")
    monkeypatch.setattr(xml_elements, "_MOST_ELEMENTS", 10)
    with pytest.raises(UnreadableError, match="line 6: has more than 10 elements"):
        parse_elan(b"<ANNOTATION_DOCUMENT>\n" + b"<a/><a/>\n" * 6)


def test_problems_are_on_one_line_whatever_the_file_says() -> None:
    data = broken('ANNOTATION_ID="u"', 'ANNOTATION_ID="u&#10;v"').replace(b'TIME_VALUE="900"', b"")
    _, found = parse_elan(data)
    assert found
    assert all("\n" not in problem.what for problem in found)


def test_problems_past_the_most_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(problems_module, "MOST_PROBLEMS", 3)
    _, found = parse_elan(
        b'<ANNOTATION_DOCUMENT FORMAT="3.0">' + b"\n<a/>" * 10 + b"</ANNOTATION_DOCUMENT>"
    )
    assert [p.line for p in found] == [2, 3, 4, 4]
    assert found[-1].what == "and 7 more problems"


@pytest.mark.timing
def test_a_bomb_is_refused_quickly_and_in_little_memory() -> None:
    laughs = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 30))
    bomb = f'<!DOCTYPE a [<!ENTITY l0 "ha">{laughs}]>\n<ANNOTATION_DOCUMENT>&l29;</ANNOTATION_DOCUMENT>'
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    tracemalloc.start()
    with pytest.raises(UnreadableError, match="document type or entities, which is not allowed"):
        parse_elan(bomb.encode())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 << 20
    assert time.process_time() - start < 1.0
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 16 << 10


@given(st.integers(0, len(FILE)))
def test_a_file_cut_anywhere_is_read_or_refused(at: int) -> None:
    read_or_refuse(parse_elan, write_elan, FILE.encode()[:at], incomplete=at < len(FILE) - 1)


@given(flips(FILE.encode()))
def test_a_file_with_flipped_bytes_is_read_or_refused(changes: Flips) -> None:
    data = flip(FILE.encode(), changes)
    read_or_refuse(parse_elan, write_elan, data, incomplete=False)


@pytest.mark.timing
def test_many_slots_that_lead_nowhere_take_no_time() -> None:
    rows = tuple(ElanAnnotation(f"a{i}", "", "s", "t0") for i in range(5000))
    rows += tuple(ElanAnnotation(f"b{i}", "", f"t{i}", f"t{i + 1}") for i in range(5000))
    slots = (TimeSlot("s", "0"), *(TimeSlot(f"t{i}") for i in range(5001)))
    tiers = tuple(ElanTier(f"x{i}", parent=f"x{i + 1}") for i in range(5000))
    start = time.process_time()
    found = timed_tiers(
        ElanDocument({}, (), slots, (ElanTier("x", "", "", "", {}, rows), *tiers)), Problems()
    )
    assert found[0].rows == ()
    assert time.process_time() - start < 2.0


def test_what_xml_cannot_hold_is_refused() -> None:
    with pytest.raises(UnwritableError, match=r"has '\\x07', which XML cannot hold"):
        write_elan(ElanDocument(tiers=(ElanTier("bell\x07"),)))
