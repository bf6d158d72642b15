"""The page of an evaluation: its numbers are the document's, it is whole, safe and alone."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinesphere.evaluation.evaluation import evaluate
from kinesphere.evaluation.metric_registry import fault_metrics
from kinesphere.evaluation.results import Evaluation
from kinesphere.evaluation.take_measures import Subject
from kinesphere.export.pages.evaluation.evaluation_page import (
    evaluation_html,
    write_evaluation_page,
)
from kinesphere.export.pages.evaluation.evaluation_words import (
    decimals,
    fault,
    figure,
    milliseconds,
    share,
)
from kinesphere.motion.clip import rest_clip
from tests.evaluation.test_evaluate import subject
from tests.evaluation.test_movement import RIG
from tests.export.test_speaker_page import EVIL

VOID = {"meta", "link", "br", "wbr"}


class Reader(HTMLParser):
    """Text of a page, row by row of its tables, and whether its tags are balanced."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.rows: list[list[str]] = []
        self.ids: Counter[str] = Counter()
        self.addresses: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        named = dict(attrs)
        self.ids[named.get("id") or ""] += "id" in named
        self.addresses += [named[n] or "" for n in ("src", "href") if n in named]
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th") and self.rows:
            self.rows[-1].append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
        if {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    return reader


@pytest.fixture(scope="module")
def found() -> Evaluation:
    return evaluate([subject(s) for s in (1, 2, 3)], [subject(4), subject(5, calm=0.7)])


@pytest.fixture(scope="module")
def page(found: Evaluation) -> str:
    return evaluation_html(found)


def nan(value: float | None) -> float:
    return np.nan if value is None else value


def cells(reader: Reader, name: str) -> list[str]:
    (row,) = [row for row in reader.rows if row and row[0] == name]
    return row


def test_the_numbers_are_those_of_the_document(found: Evaluation, page: str) -> None:
    document: dict[str, Any] = found.document()
    reader = read(page)
    raised = str.maketrans({"²": "2", "³": "3"})
    by_label = {row[0].translate(raised): row for row in reader.rows if row}
    for row in document["movement"]:
        shown = by_label[row["label"]]
        for cell, side in ((2, "takes"), (5, "references")):
            values = [figure(row[side][q]) for q in ("median", "p5", "p95")]
            assert re.split("[ \N{EN DASH}]", shown[cell]) == values
        assert shown[3] == share(nan(row["accepted"]))
        assert shown[6] == share(nan(row["inside_references"]))
    for who, key in (("takes", "timing"), ("references", "reference_timing")):
        for name, part in (("speed minima", "beats"), ("speed peaks", "speed_peaks")):
            beats = document[key][part]
            shown = next(r for r in reader.rows if r[0] == f"{who}: {name}")
            assert shown[1] == str(beats["count"])
            assert shown[2:4] == [decimals(beats["value"]), decimals(beats["chance"])]
            assert shown[4] == decimals(beats["excess"], signed=True)
        for name, ends in document[key]["segment_ends"].items():
            shown = cells(reader, f"{who}: ends of {name}")
            assert shown[2] == milliseconds(ends["median_abs_s"])
            assert shown[6] == share(ends["near_share"])
    for name, about in fault_metrics().items():
        shown = cells(reader, about.label)
        assert shown[1:] == [
            fault(name, nan(document[part][name])) for part in ("faults", "reference_faults")
        ]
    text = " ".join(reader.text.split())
    for quantity in document["histograms"].values():
        assert f"Hellinger distance {figure(quantity['hellinger'])}" in text
    assert figure(document["frechet"]["value"]) in text
    for row in document["takes"]:
        shown = cells(reader, row["name"])
        assert figure(row["frechet"]["value"]) in shown
        assert figure(row["hellinger"]["jerk"]) in shown
    apart = document["diversity"]["hands_m"]
    shown = cells(reader, "hands, m")
    assert shown[1:3] == [figure(apart["mean"]), figure(apart["unrelated"])]


def test_it_is_alone_and_every_picture_has_its_own_names(page: str) -> None:
    reader = read(page)
    assert all(address.startswith("data:") for address in reader.addresses)
    assert "<script" not in page
    assert "default-src 'none'" in page
    assert max(count for name, count in reader.ids.items() if name) == 1
    for name in re.findall(r"url\(#([^)]+)\)", page):
        assert reader.ids[name] == 1
    assert "nan" not in re.sub(r"[a-z]nan|nan[a-z]", "", reader.text.lower())
    assert page.count("<svg") == 3 + 2  # histograms; ends of units and of arms


def test_it_says_what_the_distance_cannot(page: str) -> None:
    text = read(page).text
    for said in ("What it does not", "few windows", "not learned by a network", "these references"):
        assert said in text


def test_the_same_evaluation_gives_the_same_bytes(
    found: Evaluation, page: str, tmp_path: Path
) -> None:
    write_evaluation_page(found, tmp_path / "a.html")
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == page


def test_names_of_others_do_no_harm(found: Evaluation) -> None:
    takes = tuple(replace(take, name=EVIL * 4) for take in found.takes)
    evil = evaluation_html(replace(found, takes=takes, notes=(EVIL,)))
    assert "<script" not in evil
    assert "\x00" not in evil
    evil.encode()
    read(evil)


def test_without_references_sound_or_movement_the_page_is_whole() -> None:
    still = Subject("still", rest_clip(RIG.skeleton, 90, 60.0), RIG)
    alone = read(evaluation_html(evaluate([still])))
    assert "Fréchet" not in alone.text
    assert "Timing with speech" not in alone.text
    assert "no references" in alone.text
    beside = read(evaluation_html(evaluate([still, still], [still])))
    assert "Diversity between takes" in beside.text


def test_numbers_are_short() -> None:
    assert [figure(x) for x in (0.0, 1e-9, 0.00123, 123456.0, -2.0)] == [
        "0",
        "0",
        "0.00123",
        "123000",
        "\N{MINUS SIGN}2",
    ]
    assert fault("foot_slide_m_s", 0.0051).replace("\N{NO-BREAK SPACE}", " ") == "5.1 mm/s"
    assert share(0.994).startswith("99")
    assert milliseconds(-0.0123, signed=True).startswith("\N{MINUS SIGN}12")
