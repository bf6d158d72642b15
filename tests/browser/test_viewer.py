"""The page in a real browser, opened from a file."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import kinesphere as ks
from kinesphere.export.pages.take_page import Scene, write_html
from tests.browser.conftest import ROOT, Open, Opened, scene_of

Decode = Callable[[bytes], NDArray[np.uint8]]

# Every frame: the sound's time, the figures' time, the waving hand.
WATCH = """(seconds) => new Promise((done) => {
    const seen = [];
    const start = performance.now();
    const look = () => {
        const hand = kinesphere.jointPosition(0, "rightHand");
        seen.push([kinesphere.soundTime, kinesphere.time, ...hand]);
        if (performance.now() - start > 1000 * seconds) done(seen);
        else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
})"""


def hand(shown: Opened, scene: int = 0, bone: str = "rightHand") -> NDArray[np.float64]:
    return np.array(shown.ask(f"kinesphere.jointPosition({scene}, '{bone}')"))


def test_opens_from_a_file_and_the_figure_moves(open_page: Open, wave_page: Path) -> None:
    shown = open_page(wave_page)
    first = shown.picture()
    assert first == shown.picture(), "a page at rest draws the same picture"
    shown.ask("kinesphere.seek(1.45)")
    assert shown.picture() != first
    shown.ask("kinesphere.seek(0)")
    assert shown.picture() == first, "the picture depends on the time alone"
    assert shown.ask("kinesphere.scenes") == [{"title": "Wave", "fps": 60, "frames": 241}]


def test_scrubbing_lands_on_the_frame(open_page: Open, wave_page: Path, clip: ks.Clip) -> None:
    shown = open_page(wave_page)
    names = ["hips", "head", "leftHand", "rightHand", "rightIndexDistal", "leftFoot"]
    for frame in (0, 1, 87, 120, 239, 240, 33):
        shown.ask(f"kinesphere.seek({frame} / 60)")
        assert shown.ask("kinesphere.frame") == frame
        for name in names:
            np.testing.assert_allclose(
                hand(shown, bone=name), clip.joint_positions(name)[frame], atol=1e-3, err_msg=name
            )


def test_the_bar_and_the_keys_step_by_frames(open_page: Open, wave_page: Path) -> None:
    shown = open_page(wave_page)
    bar = shown.page.get_by_label("Time", exact=True)
    bar.evaluate("(e) => { e.value = 1.2345; e.dispatchEvent(new Event('input')); }")
    assert shown.ask("kinesphere.time") == pytest.approx(74 / 60)
    frames = []
    for key in ("ArrowRight", ".", "ArrowLeft", ",", "Shift+ArrowRight", "Home", "End"):
        shown.page.keyboard.press(key)
        frames.append(shown.ask("kinesphere.frame"))
    assert frames == [75, 76, 75, 74, 84, 0, 240]
    shown.page.get_by_label("One frame back").click()
    assert shown.ask("kinesphere.frame") == 239


@pytest.mark.timing
@pytest.mark.parametrize("rate", [1.0, 0.5])
def test_sound_and_figure_go_together(
    open_page: Open, wave_page: Path, clip: ks.Clip, rate: float
) -> None:
    shown = open_page(wave_page, 360, 360)
    shown.page.get_by_label("Speed", exact=True).evaluate(
        f"(e) => {{ e.value = {rate}; e.dispatchEvent(new Event('input')); }}"
    )
    play = shown.page.get_by_role("button", name="Play", exact=True)
    play.click()
    # Software drawing is slow: the page first finds out how much it can afford.
    shown.page.wait_for_timeout(2500)
    shown.ask("kinesphere.pause(); kinesphere.seek(0)")
    play.click()
    shown.wait("kinesphere.soundTime > 0.1 && kinesphere.time > 0.1")
    seen = np.array(shown.page.evaluate(WATCH, 1.5))
    shown.page.keyboard.press("Space")
    assert shown.ask("kinesphere.playing") is False
    sound, time, places = seen[:, 0], seen[:, 1], seen[:, 2:]
    assert 1.1 * rate < sound[-1] - sound[0] < 2.2 * rate
    off = np.sort(np.abs(sound - time))
    assert off[int(0.95 * len(off))] < 0.05, off[-5:]
    path = clip.joint_positions("rightHand")
    at = np.arange(len(path)) / clip.fps
    expected = np.stack([np.interp(time, at, path[:, k]) for k in range(3)], axis=1)
    np.testing.assert_allclose(places, expected, atol=2e-3)
    paused = shown.ask("kinesphere.time")
    shown.page.wait_for_timeout(150)
    assert shown.ask("kinesphere.time") == paused


def test_plays_to_the_end_and_again(open_page: Open, clip: ks.Clip, tmp_path: Path) -> None:
    short = ks.edit(ks.Take(clip), ks.Edits(start_s=1.0, end_s=1.4)).clip
    write_html([scene_of(short)], tmp_path / "short.html")
    shown = open_page(tmp_path / "short.html", 320, 320)
    shown.page.keyboard.press("l")
    shown.page.keyboard.press("Space")
    shown.wait("!kinesphere.playing")
    assert shown.ask("kinesphere.time") == pytest.approx(0.4)
    shown.page.keyboard.press("l")
    shown.ask("kinesphere.play()")
    shown.page.wait_for_timeout(700)
    assert shown.ask("kinesphere.playing") is True
    assert shown.ask("kinesphere.soundTime") is None


def test_a_page_at_rest_does_not_draw(open_page: Open, wave_page: Path) -> None:
    shown = open_page(wave_page)
    shown.page.wait_for_timeout(300)
    shown.ask(
        """() => { window.asked = 0; const ask = requestAnimationFrame;
        window.requestAnimationFrame = (f) => { window.asked += 1; return ask(f); }; }"""
    )
    shown.page.wait_for_timeout(300)
    assert shown.ask("asked") == 0
    shown.ask("kinesphere.seek(1)")
    shown.page.wait_for_timeout(300)
    assert 1 <= shown.ask("asked") <= 3


def test_the_timeline_takes_a_press_anywhere(open_page: Open, wave_page: Path) -> None:
    shown = open_page(wave_page, 700, 600)
    canvas = shown.page.locator(".timeline > canvas")
    box = canvas.bounding_box()
    assert box is not None
    canvas.click(position={"x": 112 + 0.5 * (box["width"] - 124), "y": 10})
    assert shown.ask("kinesphere.time") == pytest.approx(2.0, abs=0.02)
    shown.page.get_by_label("Timeline: zoom in").click()
    canvas.click(position={"x": 112.0, "y": 10})
    assert shown.ask("kinesphere.time") == pytest.approx(1.0, abs=0.02)


def test_views_and_paths_change_the_picture(open_page: Open, wave_page: Path) -> None:
    shown = open_page(wave_page)
    shown.ask("kinesphere.seek(1.45)")
    pictures = [shown.picture()]
    for name in ("Front", "Side", "Top"):
        control = shown.page.get_by_role("button", name=name, exact=True)
        control.click()
        pictures.append(shown.picture())
        assert control.get_attribute("aria-pressed") == "true"
    for _ in range(2):
        shown.page.get_by_role("button", name="Paths").click()
        pictures.append(shown.picture())
    box = shown.page.locator(".stage").bounding_box()
    assert box is not None
    shown.page.mouse.move(box["x"] + 200, box["y"] + 100)
    shown.page.mouse.down()
    shown.page.mouse.move(box["x"] + 260, box["y"] + 90, steps=3)
    shown.page.mouse.up()
    pictures.append(shown.picture(500))
    shown.page.mouse.wheel(0, -300)
    pictures.append(shown.picture(500))
    assert len(set(pictures)) == len(pictures)


def test_compare_shows_both_on_one_clock(
    open_page: Open, compare_page: Path, pixels: Decode
) -> None:
    shown = open_page(compare_page, 640, 480)
    assert shown.page.get_by_text("Moving").count() == 1
    shown.ask("kinesphere.seek(0)")
    before = pixels(shown.picture()).astype(int)
    shown.ask("kinesphere.seek(1.45)")
    after = pixels(shown.picture()).astype(int)
    middle = before.shape[1] // 2
    for half in (before[:, :middle], before[:, middle:]):
        figure = half[half.shape[0] // 4 :]
        assert np.ptp(figure[..., :3]) > 80, "a figure stands out from its half"
    changed = np.abs(after - before).max(axis=2) > 40
    assert changed[:, :middle].sum() > 100
    assert changed[:, middle:].sum() < changed[:, :middle].sum()
    shown.page.get_by_role("button", name="Overlay").click()
    overlay = pixels(shown.picture()).astype(int)
    assert (np.abs(overlay - after).max(axis=2) > 40).sum() > 500
    shown.page.get_by_label("Hear Short").click()
    assert shown.page.get_by_label("Hear Short").get_attribute("aria-pressed") == "true"


def test_paths_are_drawn_in_every_view(
    open_page: Open, clip: ks.Clip, tmp_path: Path, pixels: Decode
) -> None:
    write_html([scene_of(clip, "One"), scene_of(clip, "Two")], tmp_path / "twice.html")
    shown = open_page(tmp_path / "twice.html", 640, 480)
    without = pixels(shown.picture()).astype(int)
    for _ in range(2):
        shown.page.keyboard.press("p")
    changed = np.abs(pixels(shown.picture()).astype(int) - without).max(axis=2) > 40
    middle = changed.shape[1] // 2
    for half in (changed[:, :middle], changed[:, middle:]):
        assert half.sum() > 50


def test_a_short_scene_holds_its_last_pose(
    open_page: Open, compare_page: Path, clip: ks.Clip
) -> None:
    shown = open_page(compare_page)
    shown.ask("kinesphere.seek(3)")
    np.testing.assert_allclose(hand(shown, 1), clip.joint_positions("rightHand")[12], atol=1e-3)
    np.testing.assert_allclose(hand(shown, 0), clip.joint_positions("rightHand")[180], atol=1e-3)


@pytest.mark.parametrize("which", ["wave_page", "compare_page"])
def test_fits_a_phone(open_page: Open, which: str, request: pytest.FixtureRequest) -> None:
    path: Path = request.getfixturevalue(which)
    shown = open_page(path, 390, 844, has_touch=True, is_mobile=True)
    assert shown.ask("document.documentElement.scrollWidth") == 390
    assert shown.ask("innerWidth") == 390
    boxes = shown.ask(
        """[...document.querySelectorAll("button, input, h1, canvas")].map((e) => {
            const r = e.getBoundingClientRect(); return [r.left, r.right, r.width]; })"""
    )
    for left, right, width in boxes:
        assert left >= 0, boxes
        assert right <= 390, boxes
        assert width > 0, boxes
    stage = shown.page.locator(".stage").bounding_box()
    assert stage is not None
    assert stage["height"] > 300
    shown.page.get_by_role("button", name="Play", exact=True).tap()
    shown.wait("kinesphere.time > 0.05")


def test_light_and_dark(open_page: Open, wave_page: Path, pixels: Decode) -> None:
    def brightness(shown: Opened) -> tuple[float, float]:
        corner = pixels(shown.picture())[:20, :20, :3].mean()
        panel = pixels(shown.page.locator(".transport").screenshot())[:6, :, :3].mean()
        return float(corner), float(panel)

    for scheme, dark in (("light", False), ("dark", True)):
        shown = open_page(wave_page, color_scheme=scheme)
        for _ in range(2):
            assert all((value < 90) == dark for value in brightness(shown))
            shown.page.get_by_label("Light or dark").click()
            dark = not dark


def test_every_control_has_a_name(open_page: Open, compare_page: Path) -> None:
    shown = open_page(compare_page)
    nameless: list[Any] = shown.ask(
        """[...document.querySelectorAll("button, input, [role=img]")]
            .filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim()))
            .map((e) => e.outerHTML)"""
    )
    assert nameless == []


def test_what_cannot_be_shown_is_said(browser: Any, tmp_path: Path) -> None:
    write_html([Scene("Broken", b"not a character", 30.0, 2)], tmp_path / "broken.html")
    page = browser.new_page()
    page.goto((tmp_path / "broken.html").as_uri())
    page.get_by_role("alert").wait_for()
    page.close()


def test_a_vrm_character_stands_there(open_page: Open, data: Path, tmp_path: Path) -> None:
    path = data / "characters" / "Godette_vrm_v4.vrm"
    scene = Scene("Godette", path.read_bytes(), 30.0, 31, vrm=True)
    write_html([scene], tmp_path / "vrm.html")
    shown = open_page(tmp_path / "vrm.html")
    head, left = hand(shown, bone="head"), hand(shown, bone="leftHand")
    assert 0.5 < head[1] < 2.0
    assert left[0] > 0.2, "a VRM 0 character is turned to face +Z, its left towards +X"
    shown.ask("kinesphere.seek(0.5)")
    shown.picture()
    # The library's remarks on what it leaves out of VRM 0 files.
    assert all("LookAtDegreeMap" in text for text in shown.warnings), shown.warnings
    shown.warnings.clear()


def test_our_animation_plays_on_a_vrm_character(
    open_page: Open, data: Path, tmp_path: Path
) -> None:
    """The user's character moves as it does in Python, facing the same way."""
    clip = runpy.run_path(str(ROOT / "examples" / "01_wave.py"))["wave"]()
    hero = ks.load_character(data / "characters" / "Godette_vrm_v4.vrm")
    moved = ks.retarget(ks.Take(clip), hero)
    ks.save(moved, tmp_path / "hero.html")
    shown = open_page(tmp_path / "hero.html")
    shown.ask("kinesphere.seek(1.6)")
    frame = round(1.6 * clip.fps)
    for bone in ("leftHand", "rightHand", "head"):
        ours = moved.clip.world_positions[frame, hero.rig.joint(bone)]
        assert np.abs(np.array(hand(shown, bone=bone)) - ours).max() < 0.002, bone
    assert all("LookAtDegreeMap" in text for text in shown.warnings), shown.warnings
    shown.warnings.clear()
