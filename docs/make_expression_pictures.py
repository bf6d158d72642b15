"""Draw the pictures of docs/effort-and-shape.md, and print its tables.

``python -m docs.make_expression_pictures docs/pictures`` draws; ``--tables`` prints what the
elements and directions set; ``--observer`` repeats EMOTE's study with a blind observer, on keypoint
movements and on recordings (KINESPHERE_DATA or ../shared/data), which takes some two minutes.
"""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Sequence
from dataclasses import fields, replace
from functools import cache
from pathlib import Path

import numpy as np
from benchmarks.studies.effort_descriptors import describe
from benchmarks.studies.effort_observer import ELEMENTS, EffortObserver, FittedObserver, score
from benchmarks.studies.effort_study import Study, calibration, emote_study
from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont

import kinesphere as ks
from kinesphere.animation.arms.poses.home_pose import home_clip
from kinesphere.character.figure import pose_mesh
from kinesphere.character.take_rig import report_of
from kinesphere.export.render.camera import Camera
from kinesphere.export.render.raster import LIGHT, render_frame
from kinesphere.expression.keys.keyed import express_keys
from kinesphere.expression.keys.parameters import LowLevel, low_level
from kinesphere.expression.keys.torso import DEFAULT_ANGLES
from kinesphere.expression.manner import POLES
from kinesphere.expression.phrase import EFFORT_FACTORS, Phrase, Qualities
from kinesphere.expression.qualities import Effort
from kinesphere.expression.recordings.recorded import express_clip
from kinesphere.formats.gltf.stored_figure import default_figure
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.motion.body.arms import SIDES, measure_arm
from kinesphere.motion.calibration import without_calibration
from kinesphere.motion.keyed.movement import Movement
from kinesphere.motion.kinematics import speeds

ROOT = Path(__file__).resolve().parent.parent
Colour = tuple[int, int, int]
Box = tuple[int, int, int, int]  # left, top, width, height in pixels of the finished picture

WIDTH, MARGIN, GAP, SHARP = 1120, 24, 8, 2  # everything is drawn twice as large, then halved
PAPER, TILE, INK, FAINT = (255, 255, 255), (244, 245, 246), (38, 42, 48), (120, 126, 134)
GREY: Colour = (142, 148, 156)
INDULGING: Colour = (24, 112, 184)
FIGHTING: Colour = (206, 78, 22)
FPS, REST_S, DOT_S = 60.0, 0.3, 1.0 / 15.0
STUDIO = replace(
    LIGHT, wall=(0.9, 0.9, 0.9), horizon=(0.9, 0.9, 0.9), floor=(0.9, 0.9, 0.9), shadow=0.0
)

# Five places of the right wrist from its shoulder: outward, up, forward, metres; as a hand stops.
GESTURE = [
    (0.10, -0.40, 0.20),
    (0.05, -0.06, 0.38),
    (-0.12, -0.26, 0.36),
    (0.29, -0.12, 0.27),
    (0.10, -0.40, 0.20),
]
# A talking gesture of both arms, the left a little later and smaller.
TALK = [
    (0.06, -0.46, 0.14),
    (0.10, -0.10, 0.34),
    (-0.08, -0.28, 0.36),
    (0.22, -0.16, 0.30),
    (0.00, -0.24, 0.36),
    (0.06, -0.46, 0.14),
]
OPEN = [(0.12, -0.16, 0.29)]
# Moments at which the mannequin is shown: movement, and the ratio of its time.
MOMENTS = [(0, 0.55), (0, 1.0), (1, 0.5), (2, 0.35), (2, 0.65), (3, 0.35)]
# EMOTE's Table 4 as printed.
PRINTED = (
    "| shown, and who judged | correct | neutral | opposite | displayed | unshown | dealt |",
    "|---|---|---|---|---|---|---|",
    "| EMOTE in print: the project's consultant | 76.6 | 22.6 | 0.81 | | | |",
    "| EMOTE in print: first analyst | 55.6 | 38.7 | 5.6 | | | |",
    "| EMOTE in print: second analyst | 53.2 | 39.1 | 7.7 | | | |",
    "| EMOTE in print: third analyst | 60.1 | 37.1 | 2.8 | | | |",
)
MANNERS = ("plain", "proud", "sad", "angry", "hesitant", "elderly")


# ---------------------------------------------------------------------------------------- movements


def arm_keys(places: Sequence[tuple[float, ...]], side: str, late_s: float = 0.0) -> ks.ArmKeys:
    """Keys at which a hand stops, with durations by the measured law and naturally bent paths."""
    out = 1.0 if side == "left" else -1.0
    points = np.array(places) * np.array([out, 1.0, 1.0])
    steps = np.linalg.norm(np.diff(points, axis=0), axis=-1)
    times = REST_S + late_s + np.concatenate([[0.0], np.cumsum(1.45 * steps**0.43)])
    swivels = np.full(len(points), np.radians(25.0))
    movements = (Movement(joint_space=0.35),) * (len(points) - 1)
    # Palms half inward, as a speaker's are.
    hands = np.tile(
        quaternion.from_axis_angle([1.0, 0.0, 0.0], np.radians(-50.0)), (len(points), 1)
    )
    return ks.ArmKeys(times, points, swivels, hands=hands, movements=movements)


def performed(keyed: ks.KeyedMotion) -> ks.Clip:
    """The default character at home, with keys."""
    frames = round((keyed.duration_s + REST_S) * FPS) + 1
    return ks.apply_keys(keyed, home_clip(frames, FPS), ks.default_rig())


def with_values(keyed: ks.KeyedMotion, values: dict[str, float]) -> ks.KeyedMotion:
    """The same keys with constant Effort and Shape."""
    return express_keys(keyed, Phrase.constant(Qualities.of(values)), ks.default_rig())


def wrist_path(clip: ks.Clip) -> Floats:
    """Right wrist in the world, ``[frames, 3]``."""
    return np.asarray(clip.world_positions[:, ks.default_rig().joint("rightHand")])


# ------------------------------------------------------------------------------------------ drawing


@cache
def font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Pillow's own font, in pixels of the finished picture."""
    return ImageFont.load_default(SHARP * size)


class Sheet:
    """A picture to draw on, in pixels of the finished size."""

    def __init__(self, height: int) -> None:
        self.image = Image.new("RGB", (SHARP * WIDTH, SHARP * height), PAPER)
        self.draw = ImageDraw.Draw(self.image)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: int = 15,
        colour: Colour = INK,
        anchor: str = "ls",
    ) -> int:
        """Write, by default to the right of (x, y) on its base line; returns the width."""
        self.draw.text((SHARP * x, SHARP * y), text, colour, font(size), anchor)
        return math.ceil(self.draw.textlength(text, font(size)) / SHARP)

    def line(self, points: Floats, colour: Colour, width: float = 2.0) -> None:
        """Draw a line through points ``[n, 2]``, its corners round."""
        places = [(float(x), float(y)) for x, y in SHARP * np.asarray(points)]
        self.draw.line(places, colour, round(SHARP * width), joint="curve")

    def dots(self, points: Floats, colour: Colour, radius: float = 2.5) -> None:
        """Draw discs at points ``[n, 2]``."""
        for x, y in SHARP * np.asarray(points):
            r = SHARP * radius
            self.draw.ellipse((x - r, y - r, x + r, y + r), colour)

    def arrow(self, start: Floats, end: Floats, colour: Colour, width: float = 3.0) -> None:
        """Draw an arrow if it is long enough to be one."""
        way = np.asarray(end) - np.asarray(start)
        size = float(np.linalg.norm(way))
        if size < 10.0:
            return
        along, across = way / size, np.array([-way[1], way[0]]) / size
        neck = np.asarray(end) - 9.0 * along
        self.line(np.array([start, neck]), PAPER, width + 3.0)
        self.line(np.array([start, neck]), colour, width)
        head = [end, neck + 6.0 * across, neck - 6.0 * across]
        self.draw.polygon([(SHARP * float(p[0]), SHARP * float(p[1])) for p in head], colour)

    def tile(self, box: Box) -> None:
        """Fill a panel."""
        x, y, w, h = (SHARP * v for v in box)
        self.draw.rounded_rectangle((x, y, x + w - 1, y + h - 1), SHARP * 6, TILE)

    def paste(self, picture: Image.Image, box: Box) -> None:
        """Put a picture drawn for a box into it, with the tile's round corners."""
        x, y, w, h = (SHARP * v for v in box)
        mask = Image.new("L", (w, h), 0)
        ImageDraw.Draw(mask).rounded_rectangle((0, 0, w - 1, h - 1), SHARP * 6, 255)
        self.image.paste(picture, (x, y), mask)

    def save(self, path: Path, colours: int = 128) -> None:
        """Halve, keep few colours, write."""
        w, h = self.image.size
        small = self.image.resize((w // SHARP, h // SHARP), Image.Resampling.LANCZOS)
        small.quantize(colours, dither=Image.Dither.NONE).save(path, optimize=True)
        print(f"wrote {path} ({path.stat().st_size / 1000:.0f} kB)")


def camera_for(
    box: Box, way: tuple[float, float, float], target: tuple[float, ...], tall_m: float
) -> Camera:
    """A distant camera that shows `tall_m` metres about the target in a box."""
    away = np.array(way) / np.linalg.norm(way)
    angle = 2.0 * math.atan(0.5 * tall_m / 6.0)
    where = np.array(target)
    return Camera(where + 6.0 * away, where, angle, SHARP * box[2], SHARP * box[3])


def in_sheet(camera: Camera, box: Box, points: Floats) -> Floats:
    """World points ``[n, 3]`` as a camera's picture in a box has them, ``[n, 2]``."""
    at, _ = camera.project(points)
    return np.asarray(at / SHARP + np.array(box[:2], dtype=float))


def picture(clip: ks.Clip, frame: int, camera: Camera, faded: float = 0.0) -> Image.Image:
    """The mannequin in one frame on a tile's ground, faded towards it."""
    figure = default_figure()
    points, normals = pose_mesh(
        figure, clip.world_rotations[frame], clip.world_positions[frame], {}
    )
    drawn = render_frame(points, normals, figure.colours, figure.triangles, camera, STUDIO)
    ground = np.abs(drawn.astype(int) - drawn[0, 0].astype(int)).max(axis=-1) <= 2
    shown = np.where(ground[..., None], np.array(TILE), drawn)
    shown = shown + faded * (np.array(TILE) - shown)
    return Image.fromarray(shown.astype(np.uint8))


def outline(clip: ks.Clip, frame: int, camera: Camera) -> Image.Image:
    """Where the edge of the mannequin is, as a mask."""
    figure = default_figure()
    points, _ = pose_mesh(figure, clip.world_rotations[frame], clip.world_positions[frame], {})
    at, _ = camera.project(points)
    mask = Image.new("L", (camera.width, camera.height), 0)
    draw = ImageDraw.Draw(mask)
    for corners in at[figure.triangles]:
        draw.polygon([(float(x), float(y)) for x, y in corners], 255)
    return ImageChops.subtract(mask, mask.filter(ImageFilter.MinFilter(9)))


def title(sheet: Sheet, name: str, value: str, colour: Colour) -> None:
    """Name of what is shown, and which colour is which."""
    wide = sheet.text(MARGIN, 44, name, 30, colour)
    sheet.text(MARGIN + wide + 14, 44, value, 17, FAINT)
    right = WIDTH - MARGIN
    for label, tint in ((name, colour), ("neutral", GREY)):
        right -= math.ceil(sheet.draw.textlength(label, font(16)) / SHARP)
        sheet.text(right, 43, label, 16, tint)
        sheet.line(np.array([[right - 34, 37], [right - 8, 37]]), tint, 4)
        right -= 56


# ------------------------------------------------------------------------------------------- Effort


def effort_picture(name: str, factor: str, value: int, path: Path) -> None:
    """Paths from the front and the side, the speed, and the mannequin at six moments."""
    colour = FIGHTING if value > 0 else INDULGING
    plain = ks.KeyedMotion(right=arm_keys(GESTURE, "right"))
    changed = with_values(plain, {factor: float(value)})
    clips = (performed(plain), performed(changed))
    sheet = Sheet(774)
    title(sheet, name, f"{factor} = {value:+d}", colour)
    tints = (GREY, colour)
    for left, label, way, target in (
        (MARGIN, "hand, from the front", (0.0, 0.0, 1.0), (-0.27, 1.21, 0.2)),
        (MARGIN + 280, "hand, from the side", (-1.0, 0.0, 0.0), (-0.2, 1.21, 0.21)),
    ):
        box = (left, 64, 272, 310)
        path_panel(sheet, box, camera_for(box, way, target, 0.64), clips, tints)
        front = left == MARGIN
        sheet.text(left + (12 if front else 260), 90, label, 17, FAINT, "ls" if front else "rs")
    sheet.text(MARGIN + 12, 112, "a dot every 1/15 s", 17, FAINT)
    speed_panel(sheet, (MARGIN + 560, 64, 512, 310), clips, tints)
    wide = (WIDTH - 2 * MARGIN - 5 * GAP) // 6
    for row, (clip, keyed) in enumerate(zip(clips, (plain, changed), strict=True)):
        frames_row(sheet, 382 + row * 192, wide, clip, keyed, tints[row])
    sheet.save(path)


def path_panel(
    sheet: Sheet, box: Box, camera: Camera, clips: tuple[ks.Clip, ...], tints: tuple[Colour, ...]
) -> None:
    """Both paths over a faint mannequin, a dot every fifteenth of a second."""
    sheet.paste(picture(clips[0], 0, camera, 0.72), box)
    for clip, tint in zip(clips, tints, strict=True):
        wrists = wrist_path(clip)
        sheet.line(in_sheet(camera, box, wrists), tint, 2.0)
        sheet.dots(in_sheet(camera, box, wrists[:: round(DOT_S * FPS)]), tint, 3.2)


def speed_panel(
    sheet: Sheet, box: Box, clips: tuple[ks.Clip, ...], tints: tuple[Colour, ...]
) -> None:
    """Speed of the hand over time, on the same axes in every picture."""
    sheet.tile(box)
    left, top, wide, tall = box
    x0, y0, x1, y1 = left + 44, top + 40, left + wide - 18, top + tall - 34
    longest_s, fastest = 6.9, 3.3

    def place(seconds: Floats, speed: Floats) -> Floats:
        x = x0 + (x1 - x0) * seconds / longest_s
        return np.stack([x, y1 - (y1 - y0) * speed / fastest], axis=-1)

    sheet.text(left + 12, top + 26, "speed of the hand, metres a second", 17, FAINT)
    for tick in range(4):
        level = place(np.array([0.0, longest_s]), np.full(2, float(tick)))
        sheet.line(level, (214, 217, 221), 1.0)
        sheet.text(x0 - 10, level[0, 1], str(tick), 16, FAINT, "rm")
    for tick in range(7):
        at = place(np.array([float(tick)]), np.zeros(1))[0]
        sheet.text(at[0], y1 + 18, f"{tick} s", 16, FAINT, "mm")
    for clip, tint in zip(clips, tints, strict=True):
        curve = place(clip.times, speeds(wrist_path(clip), clip.fps))
        if tint == GREY:
            ground = [
                (SHARP * float(x), SHARP * float(y))
                for x, y in [*curve, (curve[-1, 0], y1), (x0, y1)]
            ]
            sheet.draw.polygon(ground, (222, 225, 229))
        sheet.line(curve, tint, 2.6)


def frames_row(
    sheet: Sheet, top: int, wide: int, clip: ks.Clip, keyed: ks.KeyedMotion, tint: Colour
) -> None:
    """The mannequin at the moments, the way of its hand in the last third of a second behind it."""
    assert keyed.right is not None
    goals = keyed.right.goal_times
    for i, (movement, ratio) in enumerate(MOMENTS):
        box = (MARGIN + i * (wide + GAP), top, wide, 184)
        camera = camera_for(box, (-0.45, 0.05, 0.9), (-0.15, 1.36, 0.1), 0.84)
        seconds = goals[movement] + ratio * (goals[movement + 1] - goals[movement])
        frame = round(float(seconds) * FPS)
        sheet.paste(picture(clip, frame, camera), box)
        trail = wrist_path(clip)[max(frame - round(FPS / 3.0), 0) : frame + 1]
        at = in_sheet(camera, box, trail)
        sheet.line(at, tint, 2.0)
        sheet.dots(at[:: -round(DOT_S * FPS)], tint, 2.8)
        sheet.text(box[0] + 8, top + 20, f"{seconds:.2f} s", 16, tint)


# -------------------------------------------------------------------------------------------- Shape


def shape_picture(name: str, factor: str, value: int, path: Path) -> None:
    """Front and side, neutral beside shaped, with the neutral outline and the hands' ways."""
    colour = FIGHTING if value > 0 else INDULGING
    plain = ks.KeyedMotion(arm_keys(OPEN, "left"), arm_keys(OPEN, "right"))
    clips = performed(plain), performed(with_values(plain, {factor: float(value)}))
    sheet = Sheet(484)
    title(sheet, name, f"{factor} = {value:+d}", colour)
    left = MARGIN
    for view, wide in (("front", 304), ("side", 220)):
        way = (-1.0, 0.0, 0.0) if view == "side" else (0.0, 0.0, 1.0)
        middle = (0.0, 1.12, 0.21 if view == "side" else 0.0)
        for clip, label, tint in zip(
            clips, (f"neutral, {view}", name), (FAINT, colour), strict=True
        ):
            box = (left, 64, wide, 396)
            camera = camera_for(box, way, middle, 1.66)
            sheet.paste(picture(clip, 0, camera), box)
            sheet.text(left + 12, 90, label, 17, tint)
            left += wide + GAP
        corner = (SHARP * box[0], SHARP * box[1])
        sheet.image.paste(GREY, corner, outline(clips[0], 0, camera))
        shape_arrows(sheet, box, camera, clips, colour, view)
    sheet.save(path)


def shape_arrows(
    sheet: Sheet,
    box: Box,
    camera: Camera,
    clips: tuple[ks.Clip, ks.Clip],
    colour: Colour,
    view: str,
) -> None:
    """Where hands and head have gone."""
    bones = ("rightHand", "head") if view == "side" else ("leftHand", "rightHand", "head")
    for bone in bones:
        joint = ks.default_rig().joint(bone)
        both = [in_sheet(camera, box, clip.world_positions[:1, joint])[0] for clip in clips]
        sheet.arrow(both[0], both[1], colour)


# ------------------------------------------------------------------------------------------ manners


def talking() -> ks.Clip:
    """A gesture of both arms as a clip, as if it had been recorded."""
    left = [tuple(np.array(p) * (0.9, 1.0, 0.92)) for p in TALK]
    return performed(ks.KeyedMotion(arm_keys(left, "left", 0.06), arm_keys(TALK, "right")))


def manners_picture(path: Path) -> None:
    """The same gesture in several manners, a row each."""
    clip = talking()
    goals = arm_keys(TALK, "right").times
    moments = [goals[0], 0.5 * (goals[0] + goals[1]), goals[1], goals[3], goals[4]]
    wide, tall, first = 188, 206, 124
    sheet = Sheet(58 + len(MANNERS) * (tall + 8) + 14)
    for column, seconds in enumerate(moments):
        x = first + column * (wide + 8) + wide // 2
        sheet.text(x, 38, f"{seconds:.1f} s", 17, FAINT, "ms")
    for row, name in enumerate(MANNERS):
        top = 52 + row * (tall + 8)
        shown = clip if name == "plain" else ks.express(clip, manner=name, torso_effort=True).clip
        sheet.text(MARGIN, top + tall // 2, name, 20, GREY if name == "plain" else INK, "lm")
        for column, seconds in enumerate(moments):
            box = (first + column * (wide + 8), top, wide, tall)
            camera = camera_for(box, (0.6, 0.06, 0.8), (-0.12, 1.24, 0.14), 1.26)
            sheet.paste(picture(shown, round(float(seconds) * FPS), camera), box)
    sheet.save(path, 64)


def draw_all(folder: Path) -> None:
    """Every picture of the page."""
    for (factor, value), name in ELEMENTS.items():
        effort_picture(name, factor, value, folder / f"effort-{name.lower()}.png")
    for factor in ("horizontal", "vertical", "sagittal"):
        for name, value in zip(POLES[factor], (-1, 1), strict=True):
            shape_picture(name, factor, value, folder / f"shape-{name.lower()}.png")
    manners_picture(folder / "manner-six.png")


# ------------------------------------------------------------------------------------------- tables


def effort_table() -> str:
    """What each element sets, as a Markdown table."""
    rows = ["| element | parameters that leave their neutral value |", "|---|---|"]
    plain = LowLevel()
    for (factor, value), name in ELEMENTS.items():
        low = low_level(Effort.of({factor: float(value)}))
        found = {part.name: getattr(low, part.name) for part in fields(LowLevel)}
        cells = [f"{n} {v:.3g}" for n, v in found.items() if abs(v - getattr(plain, n)) > 1e-9]
        rows.append(f"| {name} | {', '.join(cells)} |")
    return "\n".join(rows)


def torso_table() -> str:
    """Angles of the torso's Shape, as a Markdown table."""
    parts = ("pelvis", "spine", "neck", "clavicle", "clavicle_up")
    rows = ["| direction | pelvis | spine | neck and head | shoulders forward | shoulders up |"]
    rows.append("|---|---|---|---|---|---|")
    for name, angles in DEFAULT_ANGLES.items():
        cells = [f"{angles[part]:+g}" if part in angles else "" for part in parts]
        rows.append(f"| {name.capitalize()} | {' | '.join(cells)} |")
    return "\n".join(rows)


# ----------------------------------------------------------------------------------------- observer


def keypoint_studies(count: int = 10) -> list[Study]:
    """Studies as large as the paper's, from seeds of their own."""
    return [emote_study(np.random.default_rng(100 + i)) for i in range(count)]


def recording_study(file: Path) -> Study:
    """The arm of a clip that moves more: unchanged, and with each element alone."""
    take = ks.load(file)
    clip, rig = without_calibration(take.clip), report_of(take).rig
    ways = {s: float(speeds(measure_arm(clip, rig, s).wrists, clip.fps).sum()) for s in SIDES}
    side = max(SIDES, key=lambda s: ways[s])
    shown = np.zeros((1 + len(ELEMENTS), len(EFFORT_FACTORS)), dtype=np.int64)
    clips = [clip]
    for row, (factor, value) in enumerate(ELEMENTS, 1):
        shown[row, EFFORT_FACTORS.index(factor)] = value
        phrase = Phrase.constant(Qualities.of({factor: float(value)}), f"{side}-arm")
        clips.append(express_clip(clip, rig, phrase).clip)
    found = [describe(measure_arm(c, rig, side), c.fps).values for c in clips]
    return Study(shown, np.array(found))


def joined(studies: Sequence[Study]) -> Study:
    """Several studies as one."""
    shown = np.concatenate([s.shown for s in studies])
    return Study(shown, np.concatenate([s.descriptors for s in studies]))


def seen_by_others(sets: dict[str, list[Study]]) -> Ints:
    """What is seen in each set of clips by an observer who knows only the other sets."""
    seen = []
    for name, own in sets.items():
        known = joined([s for other, studies in sets.items() if other != name for s in studies])
        seen.append(learned(known).judge(joined(own).descriptors))
    return np.concatenate(seen)


def learned(study: Study) -> FittedObserver:
    """An observer who has been told what was shown."""
    return EffortObserver().fit(study.descriptors, study.shown)


def overall_row(name: str, shown: Ints, seen: Ints) -> str:
    """A row of the overall table; at last what is named when answers are dealt out at random."""
    found = score(shown, seen)
    rng = np.random.default_rng(0)
    dealt = [score(shown, seen[rng.permutation(len(seen))]).displayed for _ in range(20)]
    cells = (
        found.correct,
        found.neutral,
        found.opposite,
        found.displayed,
        found.unshown,
        np.mean(dealt),
    )
    return f"| {name} | {' | '.join(f'{v:.1f}' for v in cells)} |"


def recording_studies(data: Path, every: int) -> tuple[dict[str, list[Study]], list[str]]:
    """Studies of every Nth clip by character set, and what to say about those left out."""
    sets: dict[str, list[Study]] = {}
    notes = []
    for file in sorted((data / "smartbody").glob("*/*.skm"))[::every]:
        try:
            sets.setdefault(file.parent.name, []).append(recording_study(file))
        except ks.KinesphereError as error:
            notes.append(f"Left out: {file.name}: {error}")
    return sets, notes


def observer_tables(data: Path, every: int) -> str:
    """What a blind observer sees, in the form of EMOTE's Table 4 and by element."""
    trained = learned(calibration(np.random.default_rng(1), 1000))
    studies = keypoint_studies()
    points = joined(studies)
    judged = trained.judge(points.descriptors)
    rows = list(PRINTED)
    rows.append(overall_row("keypoint movements: observer", points.shown, judged))
    rows.append(overall_row('keypoint movements: always "neutral"', points.shown, 0 * judged))
    answers = {"keypoint movements": (points.shown, judged)}
    alone = [score(s.shown, trained.judge(s.descriptors)).correct for s in studies]
    notes = [
        f"{len(studies)} studies, {points.shown.size} judgements: correct {min(alone):.1f} to {max(alone):.1f}."
    ]
    sets, left_out = recording_studies(data, every)
    if len(sets) > 1:
        clips = joined([s for own in sets.values() for s in own])
        for name, seen in (
            ("(a) that observer", trained.judge(clips.descriptors)),
            ("(b) observer of two other character sets", seen_by_others(sets)),
            ('always "neutral"', np.zeros_like(clips.shown)),
        ):
            rows.append(overall_row(f"recordings: {name}", clips.shown, seen))
            if name.startswith("("):
                answers[f"recordings {name[:3]}"] = (clips.shown, seen)
        count = sum(map(len, sets.values()))
        counts = ", ".join(f"{name} {len(own)}" for name, own in sets.items())
        notes.append(
            f"{count} clips ({counts}), {clips.shown.size} judgements: each element {count} times, "
            f"a share of 50 uncertain by {98.0 / math.sqrt(count):.0f}."
        )
    return "\n".join([*rows, "", *element_rows(answers), "", *notes, *left_out])


def element_rows(answers: dict[str, tuple[Ints, Ints]]) -> list[str]:
    """Share of each element that was named, and how often it was said where it was not shown."""
    rows = [f"| element | {' | '.join(answers)} |", f"|---|{'---|' * len(answers)}"]
    for (factor, value), name in ELEMENTS.items():
        column = EFFORT_FACTORS.index(factor)
        cells = []
        for shown, seen in answers.values():
            said = seen[:, column] == value
            there, neutral = shown[:, column] == value, shown[:, column] == 0
            cells.append(f"{100 * said[there].mean():.0f} ({100 * said[neutral].mean():.0f})")
        rows.append(f"| {name} | {' | '.join(cells)} |")
    return rows


def main() -> None:
    """Draw into the folder named on the command line, or print tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "docs" / "pictures")
    parser.add_argument(
        "--tables", action="store_true", help="print what elements and directions set"
    )
    parser.add_argument(
        "--observer",
        nargs="?",
        const=8,
        type=int,
        metavar="N",
        help="print the study, on every Nth clip (8)",
    )
    asked = parser.parse_args()
    if asked.tables:
        print(effort_table(), torso_table(), sep="\n\n")
    elif asked.observer:
        data = Path(os.environ.get("KINESPHERE_DATA") or ROOT.parent / "shared" / "data")
        print(observer_tables(data, asked.observer))
    else:
        asked.folder.mkdir(parents=True, exist_ok=True)
        draw_all(asked.folder)


if __name__ == "__main__":
    main()
