"""Draw the pictures of the documentation: ``make pictures``.

The characters of others are drawn only where their files are at hand (KINESPHERE_DATA or
../shared/data). Pages are drawn by the browser of the tests.
"""

from __future__ import annotations

import os
import runpy
import sys
from pathlib import Path

import numpy as np
from PIL import Image

import kinesphere as ks
from kinesphere.animation.arms.poses.home_pose import home_rotations
from kinesphere.character.figure import pose_mesh
from kinesphere.export.output import figure_for
from kinesphere.export.pages.speaker.speaker_portrait import write_portraits
from kinesphere.export.render.camera import Camera
from kinesphere.export.render.raster import DARK, LIGHT, Backdrop, render_clip, render_frame
from kinesphere.export.render.sheet import contact_sheet, draw_text
from kinesphere.formats.gltf.stored_figure import default_figure
from kinesphere.maths import quaternion as quat
from kinesphere.maths.arrays import Bytes, Floats
from kinesphere.motion.kinematics import forward_kinematics_plain
from kinesphere.pipeline.speakers import styles

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.browser.conftest import ARGUMENTS, chromium  # noqa: E402

Turn = tuple[tuple[float, float, float], float]
FINGERS = ("Index", "Middle", "Ring", "Little")


def wave() -> ks.Clip:
    """The waving clip of the first example."""
    clip: ks.Clip = runpy.run_path(str(ROOT / "examples" / "01_wave.py"))["wave"]()
    return clip


def pose(turns: dict[str, Turn], base: Floats | None = None) -> Floats:
    """Local rotations of the default character: turns in degrees about the T-pose's axes."""
    skeleton = ks.default_skeleton()
    rotations = (skeleton.rest_rotations if base is None else base).copy()
    for bone, (axis, degrees) in turns.items():
        turn = quat.from_axis_angle(np.array(axis), np.radians(degrees))
        rotations[skeleton.index(bone)] = quat.multiply(turn, rotations[skeleton.index(bone)])
    return rotations


def both(bone: str, axis: tuple[float, float, float], degrees: float) -> dict[str, Turn]:
    """The same turn of a left bone and, mirrored, of the right one."""
    x, y, z = axis
    return {f"left{bone}": (axis, degrees), f"right{bone}": ((x, -y, -z), degrees)}


def fist(side: str, spare: str = "") -> dict[str, Turn]:
    """Fingers closed, but for one."""
    sign = -1.0 if side == "left" else 1.0
    turns: dict[str, Turn] = {
        f"{side}{f}{p}": ((0.0, 0.0, sign), 82.0)
        for f in FINGERS
        if f != spare
        for p in ("Proximal", "Intermediate", "Distal")
    }
    turns[f"{side}ThumbMetacarpal"] = ((0.0, -sign, 0.4 * sign), 25.0)
    turns[f"{side}ThumbProximal"] = ((0.0, -sign, 0.0), 45.0)
    turns[f"{side}ThumbDistal"] = ((0.0, -sign, 0.0), 50.0)
    return turns


POSES: dict[str, dict[str, Turn]] = {
    "arms overhead": {
        **both("UpperArm", (0.0, 0.0, 1.0), 70),
        **both("Shoulder", (0.0, 0.0, 1.0), 22),
    },
    "arms crossed": {
        "leftUpperArm": ((0.30, -1.0, -0.50), 78),
        "rightUpperArm": ((0.22, 1.0, 0.55), 72),
        "leftLowerArm": ((0.0, -1.0, 0.0), 98),
        "rightLowerArm": ((0.0, 1.0, 0.0), 92),
    },
    "deep elbow bend": {
        **both("UpperArm", (0.0, 0.0, 1.0), -62),
        **both("LowerArm", (0.0, -1.0, 0.0), 150),
    },
}


def clip_of(poses: list[Floats]) -> ks.Clip:
    """Poses one after the other, a frame each."""
    skeleton = ks.default_skeleton()
    roots = np.broadcast_to(skeleton.offsets[0], (len(poses), 3))
    return ks.Clip(skeleton, 1.0, roots, np.array(poses))


def four_sides() -> Bytes:
    """The mannequin at home, from four sides."""
    frames = []
    for degrees in (0, 90, 180, 270):
        frames.append(pose({"hips": ((0.0, 1.0, 0.0), -degrees)}, home_rotations()))
    return beside(list(render_clip(default_figure(), clip_of(frames), "front", size=(300, 460))))


def poses() -> Bytes:
    """Poses in which something could break."""
    frames = [pose(turns) for turns in POSES.values()]
    labels = {name: float(i) for i, name in enumerate(POSES)}
    return contact_sheet(
        default_figure(), clip_of(frames), labels, ("front", "three-quarter"), cell=(260, 330)
    )


def close_up(
    rotations: Floats,
    target: Floats,
    distance: Floats,
    face: dict[str, float],
    label: str,
    studio: Backdrop = LIGHT,
) -> Bytes:
    """A picture of one part of the body."""
    skeleton = ks.default_skeleton()
    world, places = forward_kinematics_plain(skeleton, rotations, skeleton.offsets[0])
    points, normals = pose_mesh(default_figure(), world, places, face)
    figure = default_figure()
    camera = Camera(target + distance, target, np.radians(24.0), 220, 240)
    picture = render_frame(points, normals, figure.colours, figure.triangles, camera, studio).copy()
    draw_text(picture, label, 6, 6, (40, 42, 48))
    return picture


def faces() -> Bytes:
    """Every face shape."""
    names = list(default_figure().morphs)
    head = np.array([0.0, 1.625, 0.02])
    pictures = [
        close_up(home_rotations(), head, np.array([0.16, 0.02, 0.68]), {n: 1.0}, n) for n in names
    ]
    half = (len(pictures) + 1) // 2
    return np.concatenate([beside(pictures[:half]), beside(pictures[half:])])


def hands() -> Bytes:
    """Open hand, fist, pointing."""
    hand = np.array([0.78, 1.40, 0.0])
    away = np.array([0.10, 0.28, 0.42])
    shapes = {"open": {}, "fist": fist("left"), "pointing": fist("left", "Index")}
    return beside([close_up(pose(turns), hand, away, {}, name) for name, turns in shapes.items()])


def beside(pictures: list[Bytes]) -> Bytes:
    """Pictures of one height in a row."""
    return np.concatenate(pictures, axis=1)


def characters(data: Path) -> Bytes:
    """The same moment of the same clip on several bodies."""
    take = ks.Take(wave())
    rows = []
    for name in (
        "",
        "RiggedFigure.glb",
        "Godette_vrm_v4.vrm",
        "VRMC_vrm_expressions_isBinary_Overridden.vrm",
    ):
        moved = ks.retarget(take, data / "characters" / name) if name else take
        poses = moved.clip.select_frames([0, 66, 96, 120])
        rows.append(
            beside(
                list(
                    render_clip(
                        figure_for(moved), poses, "front", size=(190, 250), two_sided=bool(name)
                    )
                )
            )
        )
    return np.concatenate([np.concatenate(rows[:2], axis=1), np.concatenate(rows[2:], axis=1)])


def moving(folder: Path) -> None:
    """The waving mannequin as a small animation."""
    clip = ks.add_idle(ks.Take(wave()), 1.0, 3).clip
    frames = list(
        render_clip(
            default_figure(), clip, "three-quarter", range(0, len(clip), 3), DARK, size=(400, 440)
        )
    )
    images = [Image.fromarray(frame) for frame in frames]
    images[0].save(
        folder / "wave.webp",
        save_all=True,
        append_images=images[1:],
        duration=50,
        loop=0,
        quality=72,
        method=6,
    )


def pages(folder: Path) -> None:
    """The viewer on a desktop and on a phone."""
    from playwright.sync_api import sync_playwright

    page_file = folder / "page.html"
    take = ks.Take(wave())
    ks.write_page([take], page_file, ["wave"])
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        for name, size, scheme in (
            ("viewer-desktop", (1280, 760), "light"),
            ("viewer-phone", (390, 780), "dark"),
        ):
            page = browser.new_page(
                viewport={"width": size[0], "height": size[1]},
                color_scheme=scheme,  # type: ignore[arg-type]
            )
            page.goto(page_file.resolve().as_uri())
            page.evaluate("() => window.kinesphere.ready")
            page.evaluate("() => window.kinesphere.seek(1.6)")
            page.wait_for_timeout(2500)
            page.screenshot(path=folder / f"{name}.png")
            shrink(folder / f"{name}.png")
        browser.close()
    page_file.unlink()


def shrink(path: Path) -> None:
    """Store a picture small: 200 colours are enough for these."""
    image = Image.open(path).convert("RGB")
    image.quantize(200, dither=Image.Dither.FLOYDSTEINBERG).save(path, optimize=True)


def main() -> None:
    """Write all pictures into the folder named on the command line."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "docs" / "pictures")
    folder.mkdir(parents=True, exist_ok=True)
    data = Path(os.environ.get("KINESPHERE_DATA") or ROOT.parent / "shared" / "data")
    made = {"mannequin": four_sides, "poses": poses, "faces": faces, "hands": hands}
    for name, draw in made.items():
        Image.fromarray(draw()).save(folder / f"{name}.png")
        shrink(folder / f"{name}.png")
        print(f"wrote {folder / name}.png")
    write_portraits(styles(), folder / "styles.png")
    shrink(folder / "styles.png")
    if data.is_dir():
        Image.fromarray(characters(data)).save(folder / "characters.png")
        shrink(folder / "characters.png")
    moving(folder)
    pages(folder)


if __name__ == "__main__":
    main()
