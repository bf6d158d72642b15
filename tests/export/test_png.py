"""PNG files read back by Pillow, and contact sheets: their size, pictures and labels."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from kinesphere.errors import InvalidValueError, UnwritableError
from kinesphere.export.render.png import png_bytes, write_png
from kinesphere.export.render.raster import DARK, render_clip
from kinesphere.export.render.sheet import _GAP, _STRIP, contact_sheet, draw_text, text_mask
from kinesphere.motion.resampling import sample
from tests.conftest import smooth_clip
from tests.export.test_raster import octahedra_figure


@given(
    st.integers(1, 40), st.integers(1, 40), st.integers(0, 1 << 30), st.sampled_from([1, 16, 256])
)
def test_pillow_reads_what_was_written(height: int, width: int, seed: int, colours: int) -> None:
    image = np.random.default_rng(seed).integers(0, colours, (height, width, 3), dtype=np.uint8)
    with Image.open(BytesIO(png_bytes(image))) as read:
        assert read.mode == "RGB"
        assert np.array_equal(np.asarray(read), image)


def test_soft_pictures_get_small() -> None:
    ramp = np.broadcast_to(np.arange(256, dtype=np.uint8)[:, None, None], (256, 300, 3))
    assert len(png_bytes(ramp)) < 3000
    assert len(png_bytes(ramp.transpose(1, 0, 2))) < 3000


@pytest.mark.parametrize(
    "wrong", [np.zeros((2, 2), np.uint8), np.zeros((2, 2, 3)), np.zeros((0, 2, 3), np.uint8)]
)
def test_what_is_no_picture_is_refused(wrong: np.ndarray) -> None:
    with pytest.raises(InvalidValueError, match="expected"):
        png_bytes(wrong)


def test_a_missing_folder_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UnwritableError):
        write_png(np.zeros((1, 1, 3), np.uint8), tmp_path / "no" / "picture.png")


def test_letters_differ_and_stay_in_their_box() -> None:
    signs = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.:- "
    masks = [text_mask(sign) for sign in signs]
    assert len({mask.tobytes() for mask in masks}) == len(signs)
    assert all(mask.shape == (7, 6) and not mask[:, 5].any() for mask in masks)
    assert np.array_equal(text_mask("a"), text_mask("A"))
    assert text_mask("?").any()
    image = np.zeros((10, 20, 3), np.uint8)
    for left, top in ((-3, -3), (15, 6), (30, 30), (-30, 2)):
        draw_text(image, "888", left, top, (255, 255, 255))
    assert image.any()


def test_a_sheet_has_a_column_for_every_moment_and_a_row_for_every_view(
    rng: np.random.Generator, tmp_path: Path
) -> None:
    figure = octahedra_figure()
    clip = smooth_clip(figure.skeleton, rng, frames=31, fps=30.0)
    moments = {"start": 0.0, "stroke end": 0.55}
    views = ("front", "side", "three-quarter")
    told: list[tuple[int, int]] = []
    sheet = contact_sheet(
        figure, clip, moments, views, DARK, cell=(100, 60), progress=lambda *x: told.append(x)
    )
    assert sheet.shape == (_STRIP + 3 * 62 + _GAP, 2 * 102 + _GAP, 3)
    assert told == [(i, 6) for i in range(1, 7)]
    wanted = list(
        render_clip(figure, sample(clip, [0.0, 0.55]), "side", studio=DARK, size=(100, 60))
    )
    top, left = _STRIP + _GAP + 62, _GAP + 102
    assert np.array_equal(sheet[top : top + 60, left : left + 100], wanted[1])
    label = text_mask("start  0.00")
    strip = sheet[5:12, _GAP + 5 : _GAP + 5 + label.shape[1], 0] > 100
    assert np.array_equal(strip, label)
    shortened = text_mask("stroke en  0.55")
    strip = sheet[5:12, left + 5 : left + 5 + shortened.shape[1], 0] > 100
    assert np.array_equal(strip, shortened)
    write_png(sheet, tmp_path / "sheet.png")
    with Image.open(tmp_path / "sheet.png") as read:
        assert np.array_equal(np.asarray(read), sheet)


def test_many_moments_stand_in_strips_below_each_other(rng: np.random.Generator) -> None:
    figure = octahedra_figure()
    clip = smooth_clip(figure.skeleton, rng, frames=61, fps=30.0)
    times = [i / 12.0 for i in range(23)]
    named = {f"stroke {i}": at for i, at in enumerate(times)}
    cell, views = (100, 40), ("front", "side")
    sheet = contact_sheet(figure, clip, named, views, DARK, cell=cell)
    strip = _STRIP + 2 * 42
    assert sheet.shape == (3 * strip + _GAP, 8 * 102 + _GAP, 3), "23 as 8, 8 and 7"
    wanted = list(render_clip(figure, sample(clip, times), "side", studio=DARK, size=cell))
    for moment in (1, 9, 22):
        band, column = divmod(moment, 8)
        top, left = band * strip + _STRIP + _GAP + 42, _GAP + column * 102
        part = sheet[top : top + 40, left : left + 100]
        assert np.array_equal(part[:, 60:], wanted[moment][:, 60:])
    label = text_mask("stroke 9  0.75")
    top, left = strip + 5, _GAP + 102 + 5
    assert np.array_equal(sheet[top : top + 7, left : left + label.shape[1], 0] > 100, label)


def test_moments_are_spread_given_or_refused(rng: np.random.Generator) -> None:
    figure = octahedra_figure()
    clip = smooth_clip(figure.skeleton, rng, frames=31, fps=30.0)
    spread = contact_sheet(figure, clip, 3, ["front"], cell=(40, 40))
    given_times = contact_sheet(figure, clip, [0.0, 0.5, 1.0], ["front"], cell=(40, 40))
    assert np.array_equal(spread, given_times)
    for moments, views in (
        (0, ["front"]),
        ([1.5], ["front"]),
        ({}, ["front"]),
        (2, []),
        (2, ["back"]),
    ):
        with pytest.raises(InvalidValueError, match="allowed"):
            contact_sheet(figure, clip, moments, views)
