"""Timed transcripts: every format gives the same tiers, and what is wrong names its line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from kinesphere.errors import InvalidValueError, UnreadableError
from kinesphere.speech.alignment.transcripts import (
    parse_csv,
    parse_elan,
    parse_subtitles,
    parse_textgrid,
    parse_whisper,
    phones_of,
    read_transcript,
    timed_words,
    words_of,
)
from kinesphere.timeline import Interval, Tier

WORDS = (Interval(0.5, 0.9, 'say "hi"'), Interval(1.25, 2.0, "Grüße"))
LONG = """File type = "ooTextFile"
Object class = "TextGrid"

xmin = 0
xmax = 3
tiers? <exists>
size = 2
item []:
    item [1]:
        class = "IntervalTier"
        name = "anna - words"
        xmin = 0
        xmax = 3
        intervals: size = 3
        intervals [1]:
            xmin = 0.5
            xmax = 0.9
            text = "say ""hi""\"
        intervals [2]:
            xmin = 0.9
            xmax = 1.25
            text = ""
        intervals [3]:
            xmin = 1.25
            xmax = 2.0
            text = "Grüße"
    item [2]:
        class = "TextTier"
        name = "points"
        xmin = 0
        xmax = 3
        points: size = 1
        points [1]:
            number = 1.5
            mark = "beat"
"""
SHORT = """File type = "ooTextFile"
Object class = "TextGrid"

0
3
<exists>
1
"IntervalTier"
"words"
0
3
2
0.5
0.9
"say ""hi""\"
1.25
2.0
"Grüße"
"""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "latin-1"])
@pytest.mark.parametrize("text", [LONG, SHORT, LONG.replace("\n", "\r\n")])
def test_textgrids_of_any_form_and_encoding_are_the_same(text: str, encoding: str) -> None:
    tiers = parse_textgrid(text.encode(encoding))
    assert words_of(tiers).intervals == WORDS
    if len(tiers) > 1:
        assert tiers[1].intervals == (Interval(1.5, 1.5, "beat"),)


def test_the_other_formats_give_the_same_words() -> None:
    srt = '1\n00:00:00,500 --> 00:00:00,900\nsay "hi"\n\n2\n00:00:01,250 --> 00:00:02,000\n<i>Grüße</i>\n'
    vtt = 'WEBVTT\n\nNOTE a comment\n\n00:00.500 --> 00:00.900 align:start\nsay <b>"hi"</b>\n\n00:01.250 --> 00:02.000\nGrüße\n'
    for text in (srt, vtt):
        assert parse_subtitles(text.encode())[0].intervals == WORDS
    entries = [{"start": w.start_s, "end": w.end_s, "word": " " + w.label} for w in WORDS]
    for document in (
        {"segments": [{"start": 0.5, "end": 2.0, "text": " all", "words": entries}]},
        {"words": entries},
    ):
        assert words_of(parse_whisper(json.dumps(document).encode())).intervals == WORDS
    for text in (
        '0.5,0.9,"say ""hi"""\n1.25,2.0,Grüße\n',
        'word;start;end\n"say ""hi""";0,5;0,9\nGrüße;1,25;2\n',
    ):
        assert parse_csv(text.encode())[0].intervals == WORDS


def eaf(first: str = "500") -> bytes:
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<ANNOTATION_DOCUMENT><TIME_ORDER>
<TIME_SLOT TIME_SLOT_ID="a" TIME_VALUE="{first}"/><TIME_SLOT TIME_SLOT_ID="b" TIME_VALUE="900"/>
<TIME_SLOT TIME_SLOT_ID="c"/></TIME_ORDER>
<TIER TIER_ID="words"><ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="x" TIME_SLOT_REF1="a"
TIME_SLOT_REF2="b"><ANNOTATION_VALUE>hello</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>
</TIER><TIER TIER_ID="gloss"><ANNOTATION><REF_ANNOTATION ANNOTATION_ID="y" ANNOTATION_REF="x">
<ANNOTATION_VALUE>greeting</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION></TIER>
<TIER TIER_ID="empty"/></ANNOTATION_DOCUMENT>""".encode()


def test_elan_tiers_have_times_also_by_reference() -> None:
    words, gloss = parse_elan(eaf())
    assert words.intervals == (Interval(0.5, 0.9, "hello"),)
    assert gloss.intervals == (Interval(0.5, 0.9, "greeting"),)


@pytest.mark.parametrize(
    ("reader", "data", "message"),
    [
        (parse_textgrid, b"hello", "line 1: is not a TextGrid"),
        (parse_textgrid, LONG[: LONG.index("text = ")].encode(), "ends before the text"),
        (parse_textgrid, LONG.replace("xmax = 0.9", "xmax = 0.x").encode(), "line 17: has '0.x'"),
        (
            parse_textgrid,
            LONG.replace("xmax = 0.9\n", "xmax = 0.1\n").encode(),
            "line 18: has 'say",
        ),
        (parse_textgrid, LONG.replace("size = 3", "size = 3e9").encode(), "line 14: has 3e+09"),
        (parse_textgrid, LONG.replace('"Grüße"', '"Grüße').encode(), "line "),
        (parse_textgrid, b"\xff\xfe\x00", "is not utf-16"),
        (parse_subtitles, b"WEBVTT\n\n0:1 --> 2\nx\n", "line 3: has '0:1 --> 2'"),
        (parse_subtitles, b"WEBVTT\n", "holds no cue"),
        (parse_subtitles, b"00:05.000 --> 00:02.000\nx", "line 1: has 'x' from 5 to 2 s"),
        (parse_whisper, b'{"segments": [\n{"start": 1}\n', "line 3: is not JSON"),
        (parse_whisper, b'{"segments": [{"start": 1}]}', "segments[0]: lacks"),
        (parse_whisper, b'{"segments": [{"start": NaN, "end": 1, "text": ""}]}', "segments[0]"),
        (parse_whisper, b"[" * 100_000, "is not JSON"),
        (parse_whisper, b'{"text": "x"}', "neither 'segments'"),
        (parse_csv, b"0,1,a\n1,two,b\n", "line 2: has 'two'"),
        (parse_csv, b"0,1\n", "line 1: has 2 columns"),
        (parse_csv, b"start,end,word\n", "holds no row"),
        (parse_elan, b"<a>\n<b></a>", "line 2: is not XML"),
        (parse_elan, b"<a/>", "expected <ANNOTATION_DOCUMENT>"),
        (parse_elan, eaf("soon"), "x: has 'soon', expected milliseconds"),
        (parse_elan, b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "is not allowed"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    reader: Callable[[bytes], object], data: bytes, message: str
) -> None:
    with pytest.raises(UnreadableError) as caught:
        reader(data)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_name_themselves(tmp_path: Path) -> None:
    path = tmp_path / "a.TextGrid"
    path.write_text(SHORT)
    assert len(read_transcript(path)[0]) == 2
    path.write_text("nothing")
    with pytest.raises(UnreadableError, match=r"a\.TextGrid: line 1"):
        read_transcript(path)
    with pytest.raises(UnreadableError, match=r"readable transcripts are \.textgrid"):
        read_transcript(tmp_path / "a.doc")
    with pytest.raises(UnreadableError, match="no such file"):
        read_transcript(tmp_path / "b.srt")


def test_a_missing_tier_lists_those_there_are() -> None:
    tiers = parse_textgrid(LONG.encode())
    assert words_of(tiers, "points").name == "words"
    with pytest.raises(InvalidValueError, match="'anna - words', 'points'"):
        phones_of(tiers)
    with pytest.raises(InvalidValueError, match="no tier 'x'"):
        words_of(tiers, "x")


def test_real_textgrids(data: Path) -> None:
    tiers = read_transcript(data / "beat2" / "2_scott_0_1_1.TextGrid")
    assert len(words_of(tiers)) == 199
    assert len(phones_of(tiers)) == 663
    lines = read_transcript(data / "speech" / "sonnet" / "sonnet001.TextGrid")
    assert len(lines[0]) == 15


def test_praatio_reads_the_same(data: Path) -> None:
    from praatio import textgrid

    path = data / "beat2" / "2_scott_0_1_1.TextGrid"
    theirs = textgrid.openTextgrid(str(path), includeEmptyIntervals=False)
    for tier in read_transcript(path):
        other = theirs.getTier(tier.name).entries
        assert [(i.start_s, i.end_s, i.label) for i in tier] == [tuple(e) for e in other]


@pytest.mark.parametrize("name", ["cues", "Token", "words"])
def test_words_of_phrases_are_spread_over_them(name: str) -> None:
    phrases = Tier(name, (Interval(1.0, 2.0, "on the other"), Interval(2.5, 3.0, "hand")))
    words = timed_words([phrases])
    assert [w.label for w in words] == ["on", "the", "other", "hand"]
    assert [w.end_s for w in words] == [1.2, 1.5, 2.0, 3.0]
    with pytest.raises(InvalidValueError, match="it has 'cues', 'x'"):
        timed_words([Tier("cues", phrases.intervals), Tier("x")])
