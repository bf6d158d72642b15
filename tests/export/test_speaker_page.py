"""A speaker's page and portrait: the profile's numbers, safe against any name, whole as files."""

from __future__ import annotations

import io
import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from defusedxml.ElementTree import fromstring  # type: ignore[import-untyped]
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from kinesphere.corpus.profiles.counts import GestureCounts, Moments
from kinesphere.corpus.profiles.profile import NO_SMOOTHING, GestureSample, Profile
from kinesphere.errors import InvalidValueError, UnwritableError
from kinesphere.export.pages.speaker import speaker_marks
from kinesphere.export.pages.speaker.speaker_facts import frequent_pairs, space_use, telling_tags
from kinesphere.export.pages.speaker.speaker_page import speaker_html, write_speaker_page
from kinesphere.export.pages.speaker.speaker_portrait import (
    HEIGHT,
    WIDTH,
    portrait_png,
    portrait_svg,
    write_portraits,
)
from kinesphere.gesture.lexicon import hand_lexemes
from kinesphere.gesture.positions import DISTANCES, HEIGHTS, INCLINATIONS, RADIALS, HandPosition
from kinesphere.maths.arrays import Bytes

EVIL = "</title><script>alert(1)</script><b x=\"'>&amp; \x00\x1b\ud800\uffff"
SVG = "{http://www.w3.org/2000/svg}"
PLAIN = {0xA0: " ", ord("\N{MINUS SIGN}"): "-", ord("\N{EN DASH}"): "-", 0xD7: "x"}
PLACES = st.builds(
    HandPosition,
    st.sampled_from(HEIGHTS),
    st.sampled_from(DISTANCES),
    st.sampled_from(RADIALS),
    st.sampled_from(INCLINATIONS),
)


def sample(
    lexeme: str, hands: str, end: HandPosition | None, start: HandPosition | None = None
) -> GestureSample:
    """A gesture that starts at the belt unless told otherwise; without an end it is a hold."""
    start = start or HandPosition("belt", "close", "front", "touch")
    return GestureSample(
        number=0,
        source="s",
        lexeme=lexeme,
        hands=hands,
        handshape="",
        trajectory="straight",
        strokes=0 if end is None else 1,
        stroke_s=0.3,
        hold_s=None,
        start=start,
        end=end,
        start_distance=None,
        end_distance=None,
    )


def moments(*values: float) -> Moments:
    return sum((Moments.of(v) for v in values), Moments())


def speaker(name: str = "ann", **changes: object) -> Profile:
    """Ten gestures of three lexemes in four units, a minute long: counted by hand."""
    chest = HandPosition("chest", "normal", "side", "out")
    counts = GestureCounts(
        duration_s=75.0,
        lexemes={"Cup": 5, "Wipe": 3, "PointingSelf": 2},
        hands={"RH": 6, "2H": 3, "LH": 1},
        tags={"GIVE": 5, "NONE": 4, "SELF": 1},
        tag_lexemes={("GIVE", "Cup"): 4, ("NONE", "Wipe"): 2, ("SELF", "Cup"): 1},
        lexeme_pairs={("", "Cup"): 1, ("Cup", "Cup"): 2, ("Cup", "Wipe"): 3, ("Wipe", "Cup"): 1},
        hand_pairs={("", "RH"): 1, ("RH", "RH"): 3, ("RH", "2H"): 1, ("2H", "LH"): 2},
        lexeme_hands={
            ("Cup", "RH"): 4,
            ("Cup", "LH"): 1,
            ("Wipe", "2H"): 3,
            ("PointingSelf", "RH"): 2,
        },
        strokes={
            "Cup": moments(1, 2, 1, 2, 1),
            "Wipe": moments(1, 1, 1),
            "PointingSelf": moments(1, 1),
        },
        end_offsets={"Cup": moments(0.1, 0.3), "Wipe": moments(-0.2)},
        stroke_lengths={"Cup": moments(0.4, 0.6), "Wipe": moments(0.3, 0.5)},
        hold_lengths={"Cup": moments(0.7)},
        holds={"Cup": 1},
        after_intervals=moments(0.4, 0.5),
        unit_sizes={"1": 2, "3": 1, "5": 1},
        phases={"stroke": 10, "retraction": 4},
        rest_poses={"clasped": 3, "at-side": 1},
        turns={"left": 1},
    )
    samples = (
        *[sample("Cup", "RH", chest)] * 4,
        sample("Cup", "LH", HandPosition("head", "far", "far-out", "out")),
        *[sample("Wipe", "2H", HandPosition("abdomen", "touch", "inward", "touch"))] * 3,
        sample("PointingSelf", "RH", None, HandPosition("shoulder", "close", "front", "normal")),
    )
    values: dict[str, object] = {
        "language": "en",
        "counts": counts,
        "samples": samples,
        "note": "counted by hand",
        "portrait": {"head_yaw_deg": -12.5, "turning": "jokes"},
    }
    return Profile(name=name, **values | changes)


def only(hand: str) -> Profile:
    """One gesture, and next to nothing known of it."""
    place = HandPosition("chest", "normal", "front", "normal")
    counts = GestureCounts(duration_s=1.0, lexemes={"Cup": 1}, hands={hand: 1}, unit_sizes={"1": 1})
    return Profile("one", "de", counts, (sample("Cup", hand, place),))


LITTLE = {
    "one gesture": only("RH"),
    "both hands only": only("2H"),
    "nothing at all": Profile("", "", GestureCounts(), ()),
    "no smoothing": replace(only("LH"), smoothing=NO_SMOOTHING),
    "nothing, no smoothing": Profile("", "", GestureCounts(), (), smoothing=NO_SMOOTHING),
    "holds only": Profile(
        "h", "en", GestureCounts(3.0, {"Frame": 1}), (sample("Frame", "2H", None),)
    ),
    "no lexeme": Profile("x", "en", GestureCounts(3.0, {"": 2}, lexeme_pairs={("", ""): 1}), ()),
    "no hands": Profile("x", "en", GestureCounts(3.0, {"Cup": 2}, tags={"GIVE": 1}), ()),
    "a huge unit": Profile(
        "u", "en", GestureCounts(3.0, {"Cup": 2}, unit_sizes={"99999": 1, "?": 1}), ()
    ),
}


class Page(HTMLParser):
    """A page's elements with their text; fails where a tag is closed that is not open."""

    VOID = frozenset(("meta", "link", "wbr", "br"))

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[int] = []
        self.found: list[tuple[str, dict[str, str], str]] = []
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {k: v or "" for k, v in attrs}, ""))
        if tag not in self.VOID:
            self.open.append(len(self.found) - 1)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {k: v or "" for k, v in attrs}, ""))

    def handle_endtag(self, tag: str) -> None:
        assert self.found[self.open.pop()][0] == tag

    def handle_data(self, data: str) -> None:
        for i in self.open:
            tag, attrs, text = self.found[i]
            self.found[i] = (tag, attrs, text + data)

    def all(self, tag: str, kind: str = "") -> list[tuple[dict[str, str], str]]:
        """Elements of a tag and, where given, a class: their attributes and text."""
        return [
            (attrs, text.translate(PLAIN))
            for name, attrs, text in self.found
            if name == tag and (not kind or kind in attrs.get("class", "").split())
        ]


def figures(page: Page) -> dict[str, list[str]]:
    """Key figures of the page: values by name, one a speaker."""
    out: dict[str, list[str]] = {}
    name = ""
    for tag, _, text in page.found:
        if tag == "dt":
            name = text.translate(PLAIN)
        elif tag == "dd":
            out.setdefault(name, []).append(text.translate(PLAIN))
    return out


def cells(svg: str) -> list[tuple[float, float, int]]:
    """Middle and number of hands of each place that hands come to."""
    root = fromstring(svg)
    return [
        (
            float(r.attrib["x"]) + 0.5 * float(r.attrib["width"]),
            float(r.attrib["y"]) + 0.5 * float(r.attrib["height"]),
            int(r.attrib["data-n"]),
        )
        for r in root.iter(f"{SVG}rect")
        if "data-n" in r.attrib
    ]


@given(st.lists(st.tuples(st.sampled_from(["RH", "LH", "2H"]), PLACES, st.booleans()), max_size=25))
@settings(deadline=None, max_examples=60)
def test_every_hand_of_every_sample_is_in_its_cell(
    gestures: list[tuple[str, HandPosition, bool]],
) -> None:
    elsewhere = HandPosition("above-head", "far", "far-out", "orthogonal")
    samples = tuple(
        sample("Cup", hands, None, place) if held else sample("Cup", hands, place, elsewhere)
        for hands, place, held in gestures
    )
    profile = replace(speaker(), samples=samples)
    expected = Counter(
        (hand, place.height, place.radial)
        for hands, place, _ in gestures
        for hand in (["RH", "LH"] if hands == "2H" else [hands])
    )
    assert space_use(profile) == expected
    drawn = cells(portrait_svg(profile))
    assert sorted(n for _, _, n in drawn) == sorted(expected.values())
    assert sum(n for _, _, n in drawn) == sum(2 if h == "2H" else 1 for h, _, _ in gestures)


def test_places_are_where_they_are_on_a_body_seen_from_the_front() -> None:
    seen = {}
    for hand in ("RH", "LH"):
        for height in HEIGHTS:
            for radial in RADIALS:
                end = HandPosition(height, "normal", radial, "normal")
                profile = replace(only("RH"), samples=(sample("Cup", hand, end),))
                ((x, y, _),) = cells(portrait_svg(profile))
                seen[hand, height, radial] = x, y
    middle = np.mean([x for x, _ in seen.values()])
    assert len(set(seen.values())) == 70
    for height in HEIGHTS:
        # The figure's right hand is on the reader's left; far out is farthest from the middle.
        row = [seen["RH", height, r][0] for r in RADIALS]
        row += [seen["LH", height, r][0] for r in RADIALS[::-1]]
        assert row == sorted(row)
        assert row[4] < middle < row[5]
        assert np.allclose(np.array(row) - middle, middle - np.array(row[::-1]), atol=0.2)
    for radial in RADIALS:
        rows = [seen["RH", h, radial][1] for h in HEIGHTS]
        assert rows == sorted(rows)


def test_the_page_and_the_portrait_show_the_same_cells() -> None:
    page = Page(speaker_html(speaker()))
    on_page = sorted(int(a["data-n"]) for _, a, _ in page.found if "data-n" in a)
    assert on_page == sorted(n for *_, n in cells(portrait_svg(speaker()))) == [1, 1, 3, 3, 4]


def test_every_lexeme_is_named_with_its_share_strokes_and_hands() -> None:
    profile = speaker()
    page = Page(speaker_html(profile))
    names = [text for _, text in page.all("span", "name")][:3]
    values = [text for _, text in page.all("span", "values")][:3]
    assert names == ["Cup", "Wipe", "PointingSelf"]
    assert values == ["50.0 % x1.4", "30.0 % x1.0", "20.0 % x1.0"]
    bars = [a["aria-label"] for a, _ in page.all("span", "bar") if ":" in a["aria-label"]]
    assert bars[0] == "Cup: right 4, both 0, left 1"
    assert bars[1] == "Wipe: right 0, both 3, left 0"


def test_bars_are_as_long_as_the_shares_they_stand_for() -> None:
    page = speaker_html(speaker())
    start = page.index('<ul class="rows wide">')
    widths = [float(w) for w in re.findall(r"width:([\d.]+)%", page[start:])][:4]
    # The most frequent lexeme takes all the room, four fifths of it for the right hand.
    assert widths == pytest.approx([80.0, 20.0, 60.0, 40.0], abs=0.01)


def test_key_figures_are_the_profiles() -> None:
    found = figures(Page(speaker_html(speaker())))
    assert {name: values[0] for name, values in found.items()} == {
        "length": "1:15 min",
        "gestures": "10",
        "per minute": "8.0",
        "units": "4",
        "gestures per unit": "2.5",
        "larger units": "50 %",
        "lexemes": "3",
        "phases": "14",
        "word end - stroke end": "+67 ± 205 ms",
        "length of a stroke": "0.45 ± 0.11 s",
        "strokes with a hold": "25 %",
        "length of a hold": "0.70 ± 0.00 s",
        "stroke to after-stroke": "0.45 ± 0.05 s",
        "head yaw": "-12.5°",
        "turning": "jokes",
    }


def test_hands_after_hands_are_the_profiles_and_sum_to_one() -> None:
    profile = speaker()
    page = Page(speaker_html(profile))
    shown = [float(text.removesuffix(" %")) for a, text in page.all("td") if "title" in a]
    expected = [
        100.0 * profile.hand_following(after, before)
        for before in ("RH", "2H", "LH")
        for after in ("RH", "2H", "LH")
    ]
    assert shown == pytest.approx(expected, abs=0.51)
    assert np.reshape(shown, (3, 3)).sum(axis=1) == pytest.approx([100.0] * 3, abs=1.6)


def test_timing_by_lexeme_is_where_its_numbers_are() -> None:
    page = Page(speaker_html(speaker()))
    labels = [a["aria-label"].translate(PLAIN) for a, _ in page.all("span", "whisker")]
    assert labels == [
        "all: +67 ms ± 205 ms, 3 gestures",
        "Cup: +200 ms ± 100 ms, 2 gestures",
        "Wipe: -200 ms ± 0 ms, 1 gestures",
    ]
    html = speaker_html(speaker())
    (zero,) = map(float, re.findall(r"--zero:([\d.]+)%", html))
    dots = [float(d) for d in re.findall(r'"></b><i style="left:([\d.]+)%', html)]
    assert dots[2] < zero < dots[0] < dots[1]
    assert dots[1] - zero == pytest.approx(zero - dots[2], abs=0.02)


def test_lexemes_beyond_the_first_are_pooled_so_that_none_is_lost() -> None:
    names = hand_lexemes()[:30]
    counts = GestureCounts(
        60.0,
        {name: 40 - i for i, name in enumerate(names)},
        stroke_lengths={name: moments(0.1 * (i + 1)) for i, name in enumerate(names)},
        end_offsets={name: moments(0.1) for name in names},
    )
    page = Page(speaker_html(Profile("many", "en", counts, ())))
    rows = [a["aria-label"] for a, _ in page.all("span", "whisker")]
    assert len(rows) == 1 + 18 + 1
    assert rows[0].endswith("30 gestures")
    assert rows[-1].startswith("12 more")
    assert rows[-1].endswith("12 gestures")


def test_shares_of_places_and_rests_are_those_of_the_samples() -> None:
    page = speaker_html(speaker())
    said = dict(re.findall(r'aria-label="([a-z ]+?) (\d+)\N{NO-BREAK SPACE}%"', page))
    assert (said["chest"], said["abdomen"], said["head"]) == ("44", "33", "11")
    assert (said["touch"], said["far"]) == ("33", "11")
    assert (said["clasped"], said["at side"]) == ("75", "25")
    assert said["above head"] == "0"


def test_units_stand_in_the_histogram() -> None:
    page = Page(speaker_html(speaker()))
    ((attrs, _),) = page.all("ol", "hist")
    assert attrs["aria-label"] == "Units by size. ann: 2 of 1, 1 of 3, 1 of 5"
    heights = re.findall(r'style="height:([\d.]+)%" title="(\d+) units"', speaker_html(speaker()))
    assert heights == [("100.0", "2"), ("0.0", "0"), ("50.0", "1"), ("0.0", "0"), ("50.0", "1")]


def test_the_most_telling_tag_is_frequent_and_unlike_the_usual() -> None:
    counts = GestureCounts(
        lexemes={"Cup": 80, "Wipe": 10, "Chop": 10},
        tags={"USUAL": 90, "RARE": 2, "TELLING": 20, "SILENT": 500},
        tag_lexemes={
            ("USUAL", "Cup"): 72,
            ("USUAL", "Wipe"): 9,
            ("USUAL", "Chop"): 9,
            ("RARE", "Chop"): 1,
            ("TELLING", "Wipe"): 18,
        },
    )
    profile = Profile("t", "en", counts, (), smoothing=NO_SMOOTHING)
    order = telling_tags([profile])
    assert order[0] == "TELLING"
    assert set(order) == {"TELLING", "USUAL", "RARE"}
    assert telling_tags([profile], most=1) == ["TELLING"]
    page = Page(speaker_html(profile))
    tags = [text.split()[0] for _, text in page.all("span", "tag")]
    said = [text for _, text in page.all("span", "said")]
    assert tags == order
    assert said[0] == "Wipe 90 %"


def test_frequent_pairs_leave_out_starts_and_come_with_their_probability() -> None:
    profile = replace(speaker(), smoothing=NO_SMOOTHING)
    assert frequent_pairs([profile]) == [("Cup", "Wipe"), ("Cup", "Cup"), ("Wipe", "Cup")]
    page = Page(speaker_html(profile))
    rows = [text for _, text in page.all("li") if "→" in text]
    assert rows == ["Cup → Wipe3x 60 %", "Cup → Cup2x 40 %", "Wipe → Cup1x 100 %"]


def test_a_second_speaker_stands_beside_every_chart() -> None:
    counts = GestureCounts(
        120.0,
        {"Wipe": 1, "Chop": 3},
        hands={"LH": 4},
        unit_sizes={"2": 2},
        stroke_lengths={"Chop": moments(0.2)},
        end_offsets={"Chop": moments(0.05)},
        lexeme_pairs={("Chop", "Wipe"): 1},
        tags={"NONE": 2},
        tag_lexemes={("NONE", "Chop"): 2},
        rest_poses={"folded": 2},
    )
    bob = Profile("bob", "de", counts, (sample("Chop", "LH", None),), note="of his own")
    html = speaker_html(speaker(), bob)
    page = Page(html)
    assert page.all("body")[0][0]["class"] == "two"
    assert [text for _, text in page.all("h1")] == ["ann", "bob"]
    assert figures(page)["gestures"] == ["10", "4"]
    assert figures(page)["per minute"] == ["8.0", "2.0"]
    names = [text for _, text in page.all("span", "name")]
    assert names[:4] == ["Cup", "Wipe", "PointingSelf", "Chop"]
    assert "Chop → Wipe" in names
    assert [text for _, text in page.all("span", "values")][3] == "- 75.0 % "
    for tag, kind in (("span", "bar"), ("span", "whisker"), ("figure", ""), ("dd", "")):
        roles = Counter(a.get("class", "").split()[-1] for a, _ in page.all(tag, kind))
        assert roles["a"] == roles["b"] > 0
    assert len(page.all("table", "matrix")) == 2
    assert len(html.encode()) < 300_000


def test_compared_figures_share_one_scale() -> None:
    spread = [HandPosition("chest", "normal", r, "normal") for r in RADIALS]
    narrow = replace(speaker(), samples=(sample("Cup", "RH", spread[0]),) * 3)
    wide = replace(speaker(), samples=tuple(sample("Cup", "RH", place) for place in spread))
    alone = re.findall(r'opacity="([\d.]+)" data-n', speaker_html(wide))
    beside = re.findall(r'opacity="([\d.]+)" data-n', speaker_html(narrow, wide))
    assert set(alone) == {beside[0]}
    assert float(beside[1]) < float(alone[0])
    assert len(set(beside[1:])) == 1


@pytest.mark.parametrize("profile", LITTLE.values(), ids=LITTLE.keys())
def test_a_profile_with_next_to_nothing_has_a_page_and_a_portrait(profile: Profile) -> None:
    for page in (speaker_html(profile), speaker_html(profile, speaker())):
        assert "nan" not in re.sub(r"<style>.*?</style>", "", page, flags=re.S)
        Page(page)
    Page(speaker_html(speaker(), profile))
    fromstring(portrait_svg(profile))
    assert portrait_png(profile, scale=0.5)[:4] == b"\x89PNG"


def test_the_same_profile_gives_the_same_bytes() -> None:
    one, two = speaker(), speaker()
    # Counts in another order are the same counts.
    turned = replace(
        two, counts=replace(two.counts, lexemes=dict(reversed(two.counts.lexemes.items())))
    )
    assert speaker_html(one) == speaker_html(two) == speaker_html(turned)
    assert speaker_html(one, turned) == speaker_html(turned, one)
    assert portrait_svg(one) == portrait_svg(turned)
    assert portrait_png(one) == portrait_png(turned)


def test_the_page_needs_nothing_from_elsewhere_and_runs_nothing() -> None:
    for page in (speaker_html(speaker()), speaker_html(speaker(), speaker("bob"))):
        assert "default-src 'none'" in page
        assert not re.search(r"https?:|//|url\(|@import|<script|javascript:| on\w+=", page)
        assert set(re.findall(r'(?:src|href)="([^"]*)"', page)) == {"data:,"}
        assert "prefers-color-scheme:dark" in page
    assert re.findall(r"https?://[^\"]+", portrait_svg(speaker())) == ["http://www.w3.org/2000/svg"]


def test_every_picture_has_a_name_and_ids_are_unique() -> None:
    page = Page(speaker_html(speaker(), speaker("bob")))
    ids = [attrs["id"] for _, attrs, _ in page.found if "id" in attrs]
    assert len(ids) == len(set(ids)) == 4
    pictures = [attrs for _, attrs, _ in page.found if attrs.get("role") == "img"]
    assert len(pictures) > 20
    for attrs in pictures:
        named = attrs.get("aria-label") or attrs["aria-labelledby"]
        assert named
        assert "aria-label" in attrs or set(named.split()) <= set(ids)
    assert "right hand at chest, side: 33" in page.all("desc")[0][1]


def test_hostile_names_stay_text() -> None:
    counts = replace(
        speaker().counts,
        lexemes={EVIL: 3, "Cup": 1},
        lexeme_pairs={(EVIL, EVIL): 2},
        rest_poses={EVIL: 1},
        tags={EVIL: 1},
        tag_lexemes={(EVIL, EVIL): 1},
        turns={EVIL: 1},
        stroke_lengths={EVIL: moments(0.1)},
        end_offsets={EVIL: moments(0.1)},
    )
    profile = Profile(EVIL, EVIL, counts, (), note=EVIL, portrait={EVIL: EVIL})
    for html in (speaker_html(profile), speaker_html(speaker(), profile)):
        html.encode()
        page = Page(html)
        tags = {tag for tag, _, _ in page.found}
        assert "script" not in tags
        assert any("</title><script>alert(1)" in text for _, text in page.all("h1"))
        assert not any("x" in attrs for tag, attrs, _ in page.found if tag == "b")
    root = fromstring(portrait_svg(profile).encode())
    assert not list(root.iter(f"{SVG}script"))
    assert portrait_png(profile, scale=0.5)[:4] == b"\x89PNG"


@given(st.text(max_size=40))
@settings(deadline=None, max_examples=60)
def test_any_name_gives_a_well_formed_picture(name: str) -> None:
    profile = replace(only("RH"), name=name, note=name)
    titles = list(fromstring(portrait_svg(profile).encode()).iter(f"{SVG}title"))
    kept = "".join(c for c in name if c.isprintable())
    assert kept.split() == [] or titles[0].text is not None
    Page(speaker_html(profile))


def test_the_page_of_a_speaker_with_all_gestures_stays_small() -> None:
    names = hand_lexemes()
    counts = GestureCounts(
        600.0,
        dict.fromkeys(names, 3),
        lexeme_hands={(n, h): 1 for n in names for h in ("RH", "LH", "2H")},
        stroke_lengths={n: moments(0.3) for n in names},
        end_offsets={n: moments(0.3) for n in names},
        lexeme_pairs={(a, b): 1 for a in names for b in names},
    )
    profile = Profile("all", "en", counts, (), note="x" * 1_000_000)
    page = speaker_html(profile, profile)
    assert len(page.encode()) < 300_000
    text = Page(page).all("body")[0][1]
    assert all(name in text for name in names)


# Pixels.


def test_what_is_covered_is_as_large_as_the_shape() -> None:
    white, black = np.full(3, 255.0), np.zeros(3)

    def area(mark: speaker_marks.Mark, scale: float = 1.0) -> float:
        image = np.empty((60, 80, 3))
        image[:] = black
        speaker_marks.put(image, mark, {"k": white}, scale)
        return float(image[..., 0].sum() / 255.0)

    box = speaker_marks.Box("k", 10.3, 8.6, 30.0, 20.5)
    assert area(box) == pytest.approx(30.0 * 20.5, abs=1.5)
    assert area(box._replace(opacity=0.25)) == pytest.approx(0.25 * 30.0 * 20.5, abs=0.5)
    round_box = box._replace(radius=6.0)
    assert area(round_box) == pytest.approx(30.0 * 20.5 - (4.0 - np.pi) * 36.0, abs=1.5)
    line = speaker_marks.PathMark("k", ((15.0, 20.0), (45.0, 35.0)), 8.0)
    length = np.hypot(30.0, 15.0)
    assert area(line) == pytest.approx(8.0 * length + np.pi * 16.0, rel=0.01)
    assert area(line, 0.5) == pytest.approx((8.0 * length + np.pi * 16.0) / 4.0, rel=0.02)
    triangle = speaker_marks.PathMark(
        "k", ((10.0, 10.0), (50.0, 15.0), (20.0, 50.0)), 0.0, closed=True
    )
    assert area(triangle) == pytest.approx(0.5 * abs(40 * 40 - 10 * 5), rel=0.01)
    # A mark that lies outside the picture changes nothing, and one across its edge is cut.
    assert area(box._replace(x=-300.0)) == 0.0
    assert area(box._replace(x=-15.0)) == pytest.approx(15.0 * 20.5, abs=1.5)


def test_letters_have_strokes_of_their_own() -> None:
    letters = sorted(speaker_marks._KNOWN) + sorted(speaker_marks._MORE_LETTERS)
    shapes = {letter: speaker_marks._glyph(letter) for letter in letters}
    assert all(len(strokes) for strokes, _ in shapes.values())
    assert all(np.all(strokes[..., 0] < wide) for strokes, wide in shapes.values())
    assert len({strokes.tobytes() for strokes, _ in shapes.values()}) == len(letters)
    # L: six strokes down, four to the right, and the dot at its end.
    assert len(shapes["L"][0]) == 11


@pytest.mark.parametrize("letter", "AHIMOTUVWXY")
def test_letters_that_look_the_same_in_a_mirror_have_such_strokes(letter: str) -> None:
    strokes, wide = speaker_marks._glyph(letter)
    lines = {frozenset(map(tuple, line)) for line in strokes.tolist() if line[0] != line[1]}
    turned = {frozenset((wide - 1.0 - x, y) for x, y in line) for line in lines}
    assert lines == turned


def test_texts_of_pictures_are_plain_capitals() -> None:
    assert (
        speaker_marks._plain("Čapek & Söhne, 5\N{NO-BREAK SPACE}% \N{SNOWMAN}")
        == "CAPEK & SOHNE, 5 %  "
    )


def blueness(image: Bytes, x: float, y: float) -> int:
    red, _, blue = image[round(2.0 * y), round(2.0 * x)].tolist()
    return int(blue) - int(red)


@pytest.mark.parametrize("dark", [False, True])
def test_the_png_shows_where_the_hands_are(dark: bool) -> None:
    profile = only("RH")
    image = np.asarray(Image.open(io.BytesIO(portrait_png(profile, dark=dark))))
    assert image.shape == (2 * HEIGHT, 2 * WIDTH, 3)
    paper = image[0, 0]
    assert (paper.max() < 60) == dark
    ((x, y, _),) = cells(portrait_svg(profile))
    assert blueness(image, x - 8.0, y) > 60
    assert abs(blueness(image, 20.0, y)) < 20
    assert 0.05 < (image != paper).any(axis=2).mean() < 0.9


@pytest.mark.parametrize("count", [1, 3, 5])
def test_portraits_are_written_side_by_side(tmp_path: Path, count: int) -> None:
    people = [speaker(f"person {i}") for i in range(count)]
    for ending in ("svg", "png", "html"):
        write_portraits(people, tmp_path / f"styles.{ending}")
    columns, rows = {1: (1, 1), 3: (3, 1), 5: (3, 2)}[count]
    wide, tall = columns * (WIDTH + 16.0) - 16.0, rows * (HEIGHT + 16.0) - 16.0
    image = np.asarray(Image.open(tmp_path / "styles.png"))
    assert image.shape == (2 * tall, 2 * wide, 3)
    root = fromstring((tmp_path / "styles.svg").read_bytes())
    assert [float(v) for v in root.attrib["viewBox"].split()] == [0.0, 0.0, wide, tall]
    page = Page((tmp_path / "styles.html").read_text(encoding="utf-8"))
    assert [t for _, t in page.all("title") if t.startswith("person")] == [p.name for p in people]
    for i in range(count):
        texts = [t.text for t in root.iter(f"{SVG}text")]
        assert texts.count(f"person {i}") == 1
        assert f"person {i}" in page.all("body")[0][1]
    assert texts.count("50\N{NO-BREAK SPACE}%") == count


def test_a_portrait_names_the_six_most_frequent_and_scales_to_a_width() -> None:
    names = ["Cup", "Wipe", "Chop", "Fist", "Beat", "Frame", "Ring"]
    counts = GestureCounts(60.0, {name: 70 - 10 * i for i, name in enumerate(names)})
    svg = portrait_svg(Profile("p", "en", counts, ()), width=280)
    root = fromstring(svg)
    assert (root.attrib["width"], root.attrib["height"]) == ("280", "152")
    texts = [t.text or "" for t in root.iter(f"{SVG}text")]
    assert [t for t in texts if t in names] == names[:6]
    assert "25\N{NO-BREAK SPACE}%" in texts  # 70 of 280
    assert "280 gestures per minute, 1.0 per unit" in texts


def test_files_are_written_whole_or_not_at_all(tmp_path: Path) -> None:
    write_speaker_page(speaker(), tmp_path / "page.html", speaker("bob"))
    written = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert written == speaker_html(speaker(), speaker("bob"))
    with pytest.raises(UnwritableError, match=r"styles\.gif: .*writable are \.html \.svg \.png"):
        write_portraits([speaker()], tmp_path / "styles.gif")
    with pytest.raises(UnwritableError, match="without suffix"):
        write_portraits([speaker()], tmp_path / "styles")
    with pytest.raises(UnwritableError, match="no such file"):
        write_portraits([speaker()], tmp_path / "missing" / "styles.png")
    with pytest.raises(InvalidValueError, match=r"0 speakers .* allowed are 1 to 60"):
        write_portraits([], tmp_path / "styles.png")
    with pytest.raises(InvalidValueError, match="61 speakers"):
        write_portraits([speaker()] * 61, tmp_path / "styles.svg")
    for wrong in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(InvalidValueError, match="allowed is"):
            portrait_svg(speaker(), wrong)
        with pytest.raises(InvalidValueError, match="allowed is"):
            portrait_png(speaker(), scale=wrong)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["page.html"]
