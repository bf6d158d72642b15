"""ANVIL's files: exact round trips, times through references, every problem with its line."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinesphere.errors import UnreadableError
from kinesphere.formats.anvil import (
    AnvilAttribute,
    AnvilDocument,
    AnvilElement,
    AnvilLink,
    AnvilTrack,
    AttributeSpecification,
    TrackSpecification,
    parse_anvil,
    parse_specification,
    timed_tracks,
    write_anvil,
    write_specification,
)
from kinesphere.formats.problems import Problem, Problems
from kinesphere.formats.xml_elements import Element
from tests.formats.damage import Flips, flip, flips, read_or_refuse

FILE = """<?xml version="1.0" encoding="ISO-8859-1"?>
<annotation>
  <head>
    <specification src="spec.xml" />
    <video src="talk.avi" master="true" />
    <info key="coder" type="String">Jo</info>
  </head>
  <body>
    <track name="gesture.phase" type="primary">
      <el index="0" start="0.12" end="0.5">
        <attribute name="type">prep</attribute>
      </el>
      <el index="1" start="0.5" end="0.849976">
        <attribute name="type">stroke</attribute>
        <comment>quick</comment>
      </el>
      <el index="4" start="0.849976" end="1.5">
        <attribute name="type">retract</attribute>
      </el>
    </track>
    <track name="gesture.phrase" type="span" ref="gesture.phase">
      <el index="0" start="0" end="1">
        <attribute name="lexeme">Cup</attribute>
        <attribute name="affiliate">
          <value-link ref-track="words" ref-index="3" />
        </attribute>
      </el>
    </track>
    <track name="gesture.hand" type="singleton" ref="gesture.phrase">
      <el index="0" ref="0"><attribute name="hand">LH</attribute></el>
    </track>
    <track name="gesture.parts" type="subdivision" ref="gesture.phase">
      <el-group ref="4">
        <el index="0"><attribute name="n">one</attribute></el>
        <el index="1" start="1"><attribute name="n">two</attribute></el>
      </el-group>
    </track>
    <track name="accents" type="primarypoint">
      <el index="0" time="0.7"><attribute name="n">L+H*</attribute></el>
    </track>
  </body>
</annotation>
"""


def times(document: AnvilDocument) -> dict[str, list[tuple[float, float]]]:
    tracks = timed_tracks(document, Problems())
    return {t.track.name: [(r.start_s, r.end_s) for r in t.rows] for t in tracks}


def test_times_follow_references() -> None:
    document, found = parse_anvil(FILE.encode())
    assert found == ()
    assert times(document) == {
        "gesture.phase": [(0.12, 0.5), (0.5, 0.849976), (0.849976, 1.5)],
        "gesture.phrase": [(0.12, 0.849976)],
        "gesture.hand": [(0.12, 0.849976)],
        "gesture.parts": [(0.849976, 1.0), (1.0, 1.5)],
        "accents": [(0.7, 0.7)],
    }


def test_lines_links_and_the_head_are_kept() -> None:
    document, _ = parse_anvil(FILE.encode())
    assert [track.line for track in document.tracks] == [9, 21, 29, 32, 38]
    phrase = document.tracks[1].elements[0]
    assert (phrase.line, phrase.index, phrase.attributes[0].line) == (22, 0, 23)
    assert phrase.attributes[1].links == (AnvilLink("words", "3"),)
    assert document.tracks[0].elements[1].others == (Element("comment", {}, "quick"),)
    coder = document.info("coder")
    assert coder is not None
    assert (coder.text, coder.line) == ("Jo", 6)
    assert document.specification is not None
    assert document.specification.attributes["src"] == "spec.xml"
    assert AnvilDocument().specification is None
    assert AnvilDocument().info("coder") is None


def test_references_may_stand_before_what_they_refer_to() -> None:
    document, _ = parse_anvil(FILE.encode())
    turned = AnvilDocument(document.head, document.tracks[::-1])
    assert times(turned) == times(document)


def test_a_file_is_written_to_the_same_bytes_again() -> None:
    document, _ = parse_anvil(FILE.encode())
    once = write_anvil(document)
    again, found = parse_anvil(once)
    assert (again, found) == (document, ())
    assert write_anvil(again) == once


_NAMES = st.text("abcXYZ019-_. ", min_size=1, max_size=6)
_VALUES = st.text(
    st.characters(
        exclude_categories=("Cs", "Cc"),
        exclude_characters="\ufffe\uffff",
        include_characters="\n\t\r",
    ),
    max_size=10,
)
_LINKS = st.builds(
    Element,
    st.just("value-link"),
    st.fixed_dictionaries({"ref-track": _VALUES, "ref-index": _NAMES}),
)
_ATTRIBUTES = st.builds(AnvilAttribute, _NAMES, _VALUES) | st.builds(
    AnvilAttribute, _NAMES, st.just(""), st.tuples(_LINKS)
)
_PLACES = st.dictionaries(st.sampled_from(("index", "start", "end", "time", "ref")), _VALUES)
_ELEMENTS = st.builds(
    AnvilElement, _PLACES, st.lists(_ATTRIBUTES, max_size=2, unique_by=lambda a: a.name).map(tuple)
)
_TRACKS = st.builds(
    AnvilTrack,
    name=_NAMES,
    kind=st.sampled_from(("primary", "primarypoint", "span", "singleton", "subdivision")),
    reference=_VALUES,
    elements=st.lists(_ELEMENTS, max_size=3).map(tuple),
)


@given(st.lists(_TRACKS, max_size=3, unique_by=lambda track: track.name).map(tuple), _VALUES)
def test_any_document_comes_back_as_it_was(tracks: tuple[AnvilTrack, ...], coder: str) -> None:
    document = AnvilDocument((Element("info", {"key": "coder"}, coder),), tracks)
    data = write_anvil(document)
    again, _ = parse_anvil(data)
    assert again == document
    assert write_anvil(again) == data


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1"])
def test_encodings(encoding: str) -> None:
    text = FILE.replace("ISO-8859-1", encoding).replace("Cup", "Größe")
    document, found = parse_anvil(text.encode(encoding))
    assert found == ()
    assert document.tracks[1].elements[0].attributes[0].value == "Größe"


def test_real_files(data: Path) -> None:
    found = sorted((data / "anvil").glob("*.anvil"))
    assert len(found) == 3
    for path in found:
        document, problems = parse_anvil(path.read_bytes(), path.name)
        assert problems == ()
        (timed,) = timed_tracks(document, Problems())
        assert timed.track.name == "operative steps"
        assert len(timed.rows) == path.read_text().count("<el ")
        once = write_anvil(document)
        assert parse_anvil(once)[0] == document
        assert write_anvil(parse_anvil(once)[0]) == once


def broken(old: str, new: str) -> bytes:
    assert FILE.count(old) == 1, old
    return FILE.replace(old, new).encode()


@pytest.mark.parametrize(
    ("data", "line", "what"),
    [
        (
            broken("<annotation>", '<annotation version="2">'),
            2,
            "<annotation> has attribute 'version'",
        ),
        (broken("</head>", "</head><tail/>"), 7, "holds <tail>, known are head, body"),
        (
            broken('name="accents" type', 'label="accents" type'),
            38,
            "<track> in the body is no track with a name",
        ),
        (
            broken('name="accents"', 'name="gesture.hand"'),
            38,
            "track 'gesture.hand' is there already (line 29)",
        ),
        (
            broken('"primarypoint"', '"wave"'),
            38,
            "has type 'wave', allowed are primary, primarypoint",
        ),
        (
            broken('"primarypoint"', '"primarypoint" colour="red"'),
            38,
            "<track> has attribute 'colour'",
        ),
        (
            broken('<el index="0" start="0.12"', '<el index="0" start="0.12" mood="sad"'),
            10,
            "<el> has attribute 'mood'",
        ),
        (
            broken('<attribute name="type">prep', '<attribute name="type" mood="sad">prep'),
            11,
            "<attribute> has attribute 'mood'",
        ),
        (
            broken('<attribute name="type">prep', "<attribute>prep"),
            11,
            "<attribute> has no name; left out",
        ),
        (
            broken("<comment>quick</comment>", '<attribute name="type">s</attribute>'),
            15,
            "attribute 'type' is there already",
        ),
        (
            broken('start="0.5" end="0.849976"', 'start="0.5"'),
            13,
            "the element has no end; left out",
        ),
        (
            broken('start="0.5" end="0.849976"', 'start="0.9" end="0.849976"'),
            13,
            "goes from 0.9 to 0.849976 s, expected 0 <=",
        ),
        (
            broken('start="0.5" end="0.849976"', 'start="-1" end="0.849976"'),
            13,
            "goes from -1 to 0.849976 s",
        ),
        (
            broken('start="0.5" end="0.849976"', 'start="nan" end="0.849976"'),
            13,
            "has 'nan' as its start, expected seconds",
        ),
        (
            broken('start="0.5" end="0.849976"', 'start="0.5" end="soon"'),
            13,
            "has 'soon' as its end, expected seconds",
        ),
        (
            broken('start="0.5" end="0.849976"', 'start="0.4" end="0.849976"'),
            13,
            "'stroke' from 0.4 s overlaps 'prep', which ends at 0.5 s (line 10)",
        ),
        (broken('index="4" start', 'index="1" start'), 17, "has index 1, which is there already"),
        (broken('index="4" start', "start"), 17, "has no index, so nothing can refer to it"),
        (
            broken('start="0" end="1"', 'start="0" end="7"'),
            22,
            "refers to element '7', which is not there",
        ),
        (
            broken('start="0" end="1"', 'start="0.5" end="1"'),
            22,
            "refers to element '0.5', which is not there",
        ),
        (broken('start="0" end="1"', 'start="4" end="0"'), 22, "goes from 0.849976 to 0.5 s"),
        (
            broken('"span" ref="gesture.phase"', '"span" ref="phases"'),
            21,
            "'gesture.phrase' refers to track 'phases', which is not there",
        ),
        (
            broken('"span" ref="gesture.phase"', '"span" ref="gesture.hand"'),
            29,
            "refers to track 'gesture.phrase', whose times depend on it",
        ),
        (broken('ref="0"', 'ref="3"'), 30, "refers to element '3', which is not there"),
        (
            broken('<el-group ref="4">', '<el-group ref="9">'),
            34,
            "refers to element '9', which is not there",
        ),
        (
            broken('index="1" start="1"', 'index="1"'),
            35,
            "has no start, expected seconds; its group is left out",
        ),
        (broken('index="1" start="1"', 'index="1" start="9"'), 35, "goes from 9 to 1.5 s"),
        (broken('"subdivision" ref', '"span" ref'), 34, "the element has no start; left out"),
        (
            broken('"primarypoint"', '"subdivision" ref="gesture.phase"'),
            39,
            "of a subdivision stands in no el-group",
        ),
        (broken(' time="0.7"', ""), 39, "the element has no time; left out"),
        (
            broken("<comment>quick</comment>\n      </el>", "</el><rest/>"),
            15,
            "<rest> in a track is no el; left out",
        ),
    ],
)
def test_every_problem_has_its_line_and_the_rest_is_read(data: bytes, line: int, what: str) -> None:
    document, found = parse_anvil(data, "talk.anvil")
    lines = [str(problem) for problem in found]
    assert any(text.startswith(f"talk.anvil:{line}: ") and what in text for text in lines), lines
    assert sum(len(rows) for rows in times(document).values()) >= 3


def test_half_a_file_is_read_as_far_as_it_goes() -> None:
    at = FILE.index("stroke</attribute>")
    document, found = parse_anvil(FILE[:at].encode(), "talk.anvil")
    assert [element.index for element in document.tracks[0].elements] == [0]
    assert Problem("talk.anvil", 13, "the element is not complete; left out") in found
    assert any("talk.anvil:14: is not XML from here on inside <attribute>" in str(p) for p in found)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"RIFF....", "line 1: is not XML"),
        (b"<annotation-spec/>", "holds <annotation-spec>, expected <annotation>"),
        (b'<!DOCTYPE a [<!ENTITY b "c">]><annotation>&b;</annotation>', "declares a document type"),
    ],
)
def test_what_cannot_be_read_at_all_is_said_in_one_line(data: bytes, message: str) -> None:
    with pytest.raises(UnreadableError) as caught:
        parse_anvil(data)
    assert message in str(caught.value)


@given(st.integers(0, len(FILE) - 2))
def test_a_file_cut_anywhere_is_read_or_refused(at: int) -> None:
    read_or_refuse(parse_anvil, write_anvil, FILE.encode()[:at], incomplete=True)


@given(flips(FILE.encode()))
def test_a_file_with_flipped_bytes_is_read_or_refused(changes: Flips) -> None:
    data = flip(FILE.encode(), changes)
    read_or_refuse(parse_anvil, write_anvil, data, incomplete=False)


@pytest.mark.timing
def test_long_chains_of_tracks_take_no_time() -> None:
    tracks = [AnvilTrack("t0", elements=(AnvilElement({"index": "0", "start": "1", "end": "2"}),))]
    row = AnvilElement({"index": "0", "ref": "0"})
    tracks += [AnvilTrack(f"t{i + 1}", "singleton", f"t{i}", {}, (row,)) for i in range(20_000)]
    start = time.process_time()
    found = timed_tracks(AnvilDocument((), tuple(reversed(tracks))), Problems())
    assert found[0].rows[0].start_s == 1.0
    assert time.process_time() - start < 2.0


SPECIFICATION = """<annotation-spec>
<head><valuetype-def><valueset name="phaseType">
<value-el color="#eeee00">prep<doc>The hand gets ready.</doc></value-el><value-el>stroke</value-el>
</valueset></valuetype-def></head>
<body><track-spec name="wave" type="waveform" height="1.5"/>
<group name="gesture"><group name="left">
<track-spec name="phase" type="primary"><attribute name="note" valuetype="String"/>
<attribute name="type" valuetype="phaseType" display="true"/></track-spec></group>
<track-spec name="phrase" type="span" ref="gesture.left.phase">
<attribute name="lexeme"><value-el>Cup</value-el></attribute></track-spec>
</group></body></annotation-spec>"""


def test_specifications_name_tracks_attributes_and_values() -> None:
    wave, phase, phrase = parse_specification(SPECIFICATION.encode())
    assert wave == TrackSpecification("wave", "waveform")
    assert (phase.name, phase.label) == ("gesture.left.phase", "type")
    assert phase.attributes[1] == AttributeSpecification("type", ("prep", "stroke"), True)
    assert (phrase.kind, phrase.reference, phrase.label) == ("span", "gesture.left.phase", "lexeme")
    assert phrase.attributes[0].values == ("Cup",)
    assert wave.label == ""


def test_written_specifications_are_read_again() -> None:
    tracks = (
        TrackSpecification("a.b", attributes=(AttributeSpecification("x", ("1", "<2>"), True),)),
        TrackSpecification("a.c", "span", "a.b", (AttributeSpecification("y"),)),
        TrackSpecification("d"),
    )
    assert parse_specification(write_specification(tracks)) == tracks


def test_a_broken_specification_is_refused() -> None:
    with pytest.raises(UnreadableError, match="is not XML"):
        parse_specification(SPECIFICATION[:200].encode())
