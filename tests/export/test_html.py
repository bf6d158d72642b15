"""The page as a file: what is in it, what cannot get out of it."""

from __future__ import annotations

import base64
import gzip
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import kinesphere as ks
from kinesphere.export.pages.take_page import Scene, html_bytes, write_html
from kinesphere.timeline import Interval, Tier

EVIL = "</script><script>alert(1)</script><!-- & \u2028 'x' \"y\""


class Elements(HTMLParser):
    """Every element with its attributes and the text inside."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None], str]] = []
        self.feed(page.decode())
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs), ""))

    def handle_data(self, data: str) -> None:
        if self.found:
            tag, attrs, text = self.found[-1]
            self.found[-1] = (tag, attrs, text + data)

    def scripts(self) -> list[tuple[dict[str, str | None], str]]:
        return [(attrs, text) for tag, attrs, text in self.found if tag == "script"]

    def json(self) -> Any:
        return next(json.loads(t) for a, t in self.scripts() if a.get("id") == "kinesphere-page")

    def attachment(self, name: str) -> bytes:
        attrs, text = next(s for s in self.scripts() if s[0].get("id") == name)
        data = base64.b64decode(text)
        return gzip.decompress(data) if attrs.get("data-encoding") == "gzip" else data


def scene(**changes: Any) -> Scene:
    values: dict[str, Any] = {"title": "A", "glb": b"glTF" * 100, "fps": 30.0, "frames": 61}
    return Scene(**values | changes)


def test_everything_comes_back_out_of_the_page() -> None:
    tiers = (Tier("words", (Interval(0.1, 0.5, "so"), Interval(0.5, 0.5, ""))),)
    curves = {"pitch": [(0.0, 120.123456), (0.1, float("nan"))]}
    sound = bytes(range(256)) * 8
    given = scene(
        tiers=tiers, curves=curves, bones={"leftHand": "mixamorig:LeftHand"}, audio_wav=sound
    )
    page = Elements(html_bytes([given], "Title"))
    data = page.json()
    (found,) = data["scenes"]
    assert data["title"] == "Title"
    assert page.attachment(found["glb"]) == given.glb
    assert page.attachment(found["audio"]) == sound
    assert found["tiers"] == [{"name": "words", "intervals": [[0.1, 0.5, "so"], [0.5, 0.5, ""]]}]
    assert found["curves"] == [{"name": "pitch", "samples": [[0.0, 120.12], [0.1, None]]}]
    assert found["bones"] == {"leftHand": "mixamorig:LeftHand"}
    assert (found["fps"], found["frames"], found["vrm"]) == (30.0, 61, False)


def test_nothing_in_a_take_can_break_out() -> None:
    given = scene(
        title=EVIL,
        tiers=(Tier(EVIL, (Interval(0, 1, EVIL),)),),
        curves={EVIL: []},
        bones={EVIL: EVIL},
    )
    plain, odd = Elements(html_bytes([scene()], "T")), Elements(html_bytes([given], EVIL))
    assert [tag for tag, _, _ in plain.found] == [tag for tag, _, _ in odd.found]
    data = odd.json()
    assert data["title"] == EVIL
    assert data["scenes"][0]["tiers"][0]["intervals"] == [[0, 1, EVIL]]


def test_nothing_is_fetched() -> None:
    page = Elements(html_bytes([scene()]))
    for tag, attrs, _ in page.found:
        assert not attrs.get("src"), tag
        assert (attrs.get("href") or "data:").startswith("data:"), tag
    policy = next(a["content"] for _, a, _ in page.found if "http-equiv" in a)
    assert policy is not None
    assert "default-src 'none'" in policy
    assert "http" not in policy
    (style,) = [text for tag, _, text in page.found if tag == "style"]
    assert "url(" not in style
    assert "@import" not in style


def test_the_viewer_is_one_classic_script() -> None:
    *_, (attrs, text) = Elements(html_bytes([scene()])).scripts()
    assert attrs == {}
    assert not re.search(r"^\s*(import|export)\b", text)
    assert text.startswith("(function(")


def test_shared_bytes_are_stored_once_and_the_page_is_the_same_again() -> None:
    sound = b"RIFF" + bytes(1000)
    scenes = [scene(title="A", audio_wav=sound), scene(title="B", audio_wav=sound)]
    data = html_bytes(scenes)
    found = Elements(data).json()["scenes"]
    assert found[0]["glb"] == found[1]["glb"]
    assert found[0]["audio"] == found[1]["audio"]
    assert data == html_bytes(scenes)
    assert Elements(data).json()["title"] == "A · B"


def test_a_page_is_small(rng: Any) -> None:
    heavy = scene(glb=rng.bytes(1_500_000))
    assert len(html_bytes([heavy])) < 4_000_000
    assert len(html_bytes([scene()])) < 1_000_000


def test_bad_scenes_are_named() -> None:
    with pytest.raises(ks.errors.InvalidValueError, match="at least one scene"):
        html_bytes([])
    with pytest.raises(ks.errors.InvalidValueError, match=r"'A' has 0 fps"):
        scene(fps=0.0)
    with pytest.raises(ks.errors.InvalidValueError, match="'A' has no frames"):
        scene(frames=0)


def test_a_missing_viewer_says_how_to_build_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.resources.files", lambda _: tmp_path)
    with pytest.raises(ks.errors.UnwritableError, match="make viewer"):
        write_html([scene()], tmp_path / "page.html")
    assert not list(tmp_path.iterdir())
