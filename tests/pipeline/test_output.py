"""Takes to pages, video and pictures, through Python and the command line."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import imageio_ffmpeg
import numpy as np
import pytest
from PIL import Image

import kinesphere as ks
from kinesphere.cli.main import status
from kinesphere.errors import InvalidValueError, UnwritableError
from kinesphere.export.output import facing_front, figure_for, stroke_ends, writable
from kinesphere.timeline import Interval, Tier
from tests.conftest import smooth_clip


@pytest.fixture(scope="module")
def take() -> ks.Take:
    sound = ks.Audio(0.3 * np.sin(np.arange(16000) / 8), 16000)
    strokes = Tier(
        "phases",
        (
            Interval(0.1, 0.3, "preparation"),
            Interval(0.3, 0.5, "stroke"),
            Interval(0.6, 0.8, "stroke"),
        ),
    )
    still = ks.idle(1.0, seed=1)
    return ks.Take(still.clip, sound, (strokes,))


def test_every_ending_is_written(take: ks.Take, tmp_path: Path) -> None:
    look = ks.Look(size=(96, 64), moments=2)
    for ending in writable():
        path = tmp_path / f"take{ending}"
        ks.save(take, path, look)
        assert path.stat().st_size > 500
    assert len(list(tmp_path.iterdir())) == len(writable()) + 1, "and the sound"


def test_video_has_the_right_length_and_rate(take: ks.Take, tmp_path: Path) -> None:
    path = tmp_path / "take.mp4"
    ks.save(take, path, ks.Look(size=(96, 64), fps=25.0))
    program = imageio_ffmpeg.get_ffmpeg_exe()
    told = subprocess.run(
        [program, "-i", str(path)], capture_output=True, text=True, check=False
    ).stderr
    assert re.search(r"25 fps", told)
    assert re.search(r"Video: h264", told)
    assert re.search(r"Audio: aac", told)
    duration = re.search(r"Duration: 00:00:(\d+\.\d+)", told)
    assert duration is not None
    assert float(duration.group(1)) == pytest.approx(26 / 25, abs=0.08)


def test_pictures_show_moments_by_name(take: ks.Take, tmp_path: Path) -> None:
    assert stroke_ends(take) == {"stroke": 0.5, "stroke 2": 0.8}
    path = tmp_path / "sheet.png"
    ks.save(take, path, ks.Look(moments=stroke_ends(take)))
    with Image.open(path) as image:
        assert image.width > 2 * 200
        assert np.asarray(image).std() > 5
    with pytest.raises(InvalidValueError, match="strokes"):
        stroke_ends(ks.Take(take.clip))


def test_strokes_of_both_arms_are_one_and_a_sheet_holds_sixty(
    take: ks.Take, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = tuple(Interval(i / 200, (i + 1) / 200, "stroke") for i in range(150))
    both = ks.Take(
        take.clip, tiers=(Tier("phases left", rows[::2]), Tier("phases right", rows[::2]))
    )
    assert len(stroke_ends(both)) < 76
    both = ks.Take(
        ks.idle(8.0, fps=20.0, seed=1).clip,
        tiers=(
            Tier(
                "phases left", tuple(Interval(i / 20, (i + 1) / 20, "stroke") for i in range(120))
            ),
        ),
    )
    both.save(tmp_path / "a.kin")
    out = tmp_path / "a.png"
    assert status(["render", str(tmp_path / "a.kin"), "--moments", "strokes", "-o", str(out)]) == 0
    assert "60 of 120 strokes are shown" in capsys.readouterr().err
    with Image.open(out) as image:
        assert image.width < 2500
        assert image.height < 6000


def test_pages_hold_takes_side_by_side(take: ks.Take, tmp_path: Path) -> None:
    ks.write_page([take, take], tmp_path / "two.html", ["one", "other"])
    text = (tmp_path / "two.html").read_text()
    assert "other" in text
    assert len(text) < 4_000_000
    with pytest.raises(InvalidValueError, match="titles"):
        ks.write_page([take], tmp_path / "x.html", ["a", "b"])


def test_figures_for_any_body(rng: np.random.Generator, take: ks.Take) -> None:
    assert len(figure_for(take).triangles) > 8000
    base = ks.default_skeleton()
    other = smooth_clip(
        ks.Skeleton(tuple(f"n{i}" for i in range(55)), base.parents, base.offsets), rng
    )
    assert len(figure_for(ks.Take(other)).triangles) > 300


def test_figures_of_real_characters(data: Path, take: ks.Take) -> None:
    for name in ("Godette_vrm_v4.vrm", "RiggedFigure.glb", "CesiumMan.glb"):
        moved = ks.retarget(take, data / "characters" / name)
        figure = figure_for(moved)
        rest = figure.skeleton.rest_world_positions
        inside = (figure.positions > rest.min(axis=0) - 0.4) & (
            figure.positions < rest.max(axis=0) + 0.4
        )
        assert inside.mean() > 0.98, name


def test_the_commands(take: ks.Take, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "t.kin"
    take.save(source)
    assert (
        status(["render", str(source), "-o", str(tmp_path / "a.png"), "--at", "0,0.5", "--dark"])
        == 0
    )
    assert (
        status(["render", str(source), "-o", str(tmp_path / "b.png"), "--moments", "strokes"]) == 0
    )
    assert (
        status(
            [
                "render",
                str(source),
                "-o",
                str(tmp_path / "c.mp4"),
                "--size",
                "64x64",
                "--view",
                "side",
            ]
        )
        == 0
    )
    assert status(["compare", str(source), str(source), "-o", str(tmp_path / "d.html")]) == 0
    assert (
        status(["convert", str(source), str(tmp_path / "e.kin"), "--idle", "1.5", "--seed", "3"])
        == 0
    )
    assert ks.load(tmp_path / "e.kin").clip != take.clip
    assert status(["retarget", str(source), "-o", str(tmp_path / "f.html"), "--idle", "1"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ["render", "{t}", "-o", "{d}/x.bvh"],
        ["render", "{t}", "-o", "{d}/x.mp4", "--size", "big"],
        ["render", "{t}", "-o", "{d}/x.mp4", "--size", "63x64"],
        ["render", "{t}", "-o", "{d}/x.png", "--moments", "0"],
        ["render", "{t}", "-o", "{d}/x.png", "--at", "a,b"],
        ["render", "{t}", "-o", "{d}/x.mp4", "--fps", "0"],
        ["compare", "-o", "{d}/x.html"],
        ["compare", "{t}", "-o", "{d}/x.png"],
        ["convert", "{t}", "{d}/x.bvh", "--idle", "9"],
        ["convert", "{t}", "{d}/x.bvh", "--character", "nobody.vrm"],
        ["render", "nothing.kin", "-o", "{d}/x.png"],
    ],
)
def test_bad_arguments(
    arguments: list[str], take: ks.Take, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "t.kin"
    take.save(source)
    assert status([a.format(t=source, d=tmp_path) for a in arguments]) == 2
    assert len(capsys.readouterr().err.strip().split("\n")) == 1
    assert [p.name for p in tmp_path.iterdir()] == ["t.kin"]


def test_outputs_that_cannot_be(take: ks.Take, tmp_path: Path) -> None:
    for bad in ("a.xyz", "a", "no/where.html"):
        with pytest.raises(UnwritableError):
            take.save(tmp_path / bad)


def test_pictures_show_the_front_of_whoever_faces_elsewhere(take: ks.Take) -> None:
    from kinesphere.maths import quaternion as quat
    from kinesphere.motion.editing import place_clip

    turned = ks.Take(place_clip(take.clip, quat.from_axis_angle([0.0, 1, 0], 2.5), [0.4, 0, 0.2]))
    front = facing_front(turned).clip
    nose = (
        front.joint_positions("leftEye")
        + front.joint_positions("rightEye")
        - 2 * front.joint_positions("head")
    )
    assert (nose[:, 2] > 0.1).all()
    assert (
        np.abs(front.root_positions.mean(axis=0) - turned.clip.root_positions.mean(axis=0)).max()
        < 1e-9
    )
    assert facing_front(take) is take


def test_a_vrm_animation_is_made_from_any_humanoid(
    take: ks.Take, data: Path, tmp_path: Path
) -> None:
    moved = ks.retarget(take, data / "characters" / "Godette_vrm_v4.vrm")
    moved.save(tmp_path / "hero.vrma")
    back = ks.load(tmp_path / "hero.vrma")
    assert len(back.clip) == len(take.clip)
    assert len(facing_front(back).clip.skeleton) == 55


def test_curves_are_cut_with_the_clip(take: ks.Take) -> None:
    curves = {"pitch": [[t / 10, 100.0 + t] for t in range(10)]}
    part = ks.edit(
        ks.Take(take.clip, documents={"curves": curves}), ks.Edits(start_s=0.5, end_s=0.8)
    )
    assert [round(t, 6) for t, _ in part.documents["curves"]["pitch"]] == [0.0, 0.1, 0.2, 0.3]


def test_saving_again_does_not_grow(take: ks.Take, data: Path, tmp_path: Path) -> None:
    ks.retarget(take, data / "characters" / "RiggedFigure.glb").save(tmp_path / "a.glb")
    ks.load(tmp_path / "a.glb").save(tmp_path / "b.glb")
    assert (tmp_path / "b.glb").stat().st_size <= (tmp_path / "a.glb").stat().st_size + 64


def test_a_character_that_cannot_be_shown_is_refused_for_every_output(
    take: ks.Take, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from kinesphere.formats.gltf.stored_figure import default_figure, figure_bytes

    take.save(tmp_path / "t.kin")
    frozen = figure_bytes(default_figure()).replace(b'"skin":0', b'"skip":0')
    (tmp_path / "noskin.glb").write_bytes(frozen)
    for ending in ("html", "glb", "png", "bvh"):
        assert (
            status(
                [
                    "convert",
                    str(tmp_path / "t.kin"),
                    str(tmp_path / f"o.{ending}"),
                    "--character",
                    str(tmp_path / "noskin.glb"),
                ]
            )
            == 2
        )
        assert "noskin.glb" in capsys.readouterr().err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["noskin.glb", "t.kin"]
