"""Perform every lexeme: contact sheets in docs/pictures/lexicon, and docs/lexicon-animated.html.

``python docs/make_lexicon_pictures.py`` draws all sheets and writes the page; names of lexemes on
the command line draw only those, ``--page`` writes only the page, ``--large`` draws sheets for
looking at fingers. ``--folder`` puts everything elsewhere.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import kinesphere as ks
from kinesphere.animation.performance import perform_script
from kinesphere.animation.settings import ActingSettings
from kinesphere.export.output import scene_of
from kinesphere.export.pages.take_page import html_bytes
from kinesphere.export.render.camera import VIEWS as VIEWS_FROM
from kinesphere.export.render.camera import Camera
from kinesphere.export.render.raster import LIGHT, render_clip
from kinesphere.export.render.sheet import draw_text
from kinesphere.formats.gltf.stored_figure import default_figure
from kinesphere.gesture.lexicon import Lexeme, lexicon
from kinesphere.gesture.script import HANDS, GestureScript, Hands, ScriptGesture, ScriptUnit
from kinesphere.language.tags import semantic_tags
from kinesphere.maths.arrays import Bytes, Floats
from kinesphere.motion.resampling import sample
from kinesphere.timeline import Tier

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "lexicon-animated.html"
PICTURES = ROOT / "docs" / "pictures" / "lexicon"
FPS, SEED, START_S, BEFORE_S, AFTER_S = 30.0, 4, 1.4, 0.3, 0.4
VIEWS = ("front", "three-quarter")
WHO = {"RH": "right hand", "LH": "left hand", "2H": "two hands", "": "no hands"}
DIGITS, MOST_TAGS = 4096.0, 8
SIDES_OF = {"RH": ("right",), "LH": ("left",), "2H": ("left", "right"), "": ()}
CELL, LARGE, GAP, STRIP = (168, 196), (330, 380), 2, 15
COLOURS = 32
INK, PAPER = (40, 44, 50), 250
# A lexeme by itself: holds as long as the lexicon says, and little of chance.
SETTINGS = ActingSettings(
    hold_s=30.0, hold_spread=0.0, place_m=0.004, size_spread=0.03, angle_deg=2.0
)
STUDIO = replace(
    LIGHT, wall=(0.9, 0.9, 0.9), horizon=(0.9, 0.9, 0.9), floor=(0.9, 0.9, 0.9), shadow=0.0
)
FILLED, FOV = 0.94, np.radians(20.0)
# Above the joint of the head, and beside the shoulders: what is always in the picture, metres.
CROWN_M, SKIN_M = 0.17, 0.06


@dataclass(frozen=True, eq=False)
class Shown:
    """A lexeme performed alone, from rest and back, and the moments that are drawn."""

    lexeme: Lexeme
    hands: str
    clip: ks.Clip
    moments: dict[str, float]
    tiers: tuple[Tier, ...] = ()


def usual_hands(lexeme: Lexeme) -> Hands:
    """Hands with which a lexeme is done most; both where that is as usual as one."""
    shares = dict(zip(("RH", "LH", "2H"), lexeme.hands, strict=True))
    return max(HANDS, key=lambda hands: (shares[hands], HANDS.index(hands)))


def script_of(lexeme: Lexeme) -> GestureScript:
    """Script of one lexeme: its stroke, usual repetitions and hold."""
    end = START_S + lexeme.stroke_s
    after = lexeme.after
    count = 0 if lexeme.without_hands else round(lexeme.strokes + 0.2) - 1
    every = 1.0 / after.rate_hz if after.rate_hz else 0.55
    if after.kind == "none":
        count = 0
    hold = lexeme.hold[1] if lexeme.hold[0] > 0.0 else 0.0
    gesture = ScriptGesture(
        lexeme.name,
        usual_hands(lexeme),
        "prep+stroke+hold",
        trajectory=lexeme.trajectory,
        stroke_end_s=end,
        stroke_s=lexeme.stroke_s,
        hold_s=hold,
        after_strokes=tuple(end + every * (i + 1) for i in range(count)),
        start=lexeme.start,
        end=lexeme.end,
        start_distance=lexeme.hand_distance[0],
        end_distance=lexeme.hand_distance[1],
    )
    return GestureScript((ScriptUnit((gesture,)),))


def performed(lexeme: Lexeme, fps: float = FPS, seed: int = SEED) -> Shown:
    """Perform a lexeme with its usual hands, with two as its variant for two says."""
    if usual_hands(lexeme) == "2H":
        lexeme = lexeme.variants.get("two-hands", lexeme)
    script, known = script_of(lexeme), {lexeme.name: lexeme}
    if lexeme.without_hands:
        last = lexeme.body_keys[-1].time_s
        done = perform_script(
            script,
            fps=fps,
            seed=seed,
            settings=SETTINGS,
            end_s=START_S + last + AFTER_S,
            entries=known,
        )
        moments = {"rest": START_S - 0.15, "start of stroke": START_S}
        for key in lexeme.body_keys[1:-1]:
            moments[f"key {key.time_s:.2f}"] = START_S + key.time_s
        moments["over"] = START_S + last + 0.2
        return Shown(lexeme, "", done.clip, dict(list(moments.items())[:6]), done.tiers)
    done = perform_script(script, fps=fps, seed=seed, settings=SETTINGS, entries=known)
    rows = done.phases["right"]
    stroke = next(phase for phase in rows if phase.kind == "stroke")
    moments = {
        "rest": 0.3,
        "start of stroke": stroke.start_s,
        "stroke 60 percent": stroke.start_s + 0.6 * (stroke.end_s - stroke.start_s),
        "end of stroke": stroke.end_s,
    }
    again = next((phase for phase in rows if phase.kind == "after-stroke"), None)
    if again is not None:
        if lexeme.after.rate_hz:
            moments["other end"] = again.start_s
        moments["after-stroke"] = again.end_s
    held = [phase for phase in rows if phase.kind == "hold"]
    if held and held[-1].end_s - held[-1].start_s > 0.15:
        moments["hold"] = 0.5 * (held[-1].start_s + held[-1].end_s)
    return Shown(lexeme, script.gestures[0].hands, done.clip, moments, done.tiers)


def points_shown(clip: ks.Clip, times: Sequence[float], sides: Sequence[str]) -> Floats:
    """Places ``[n, 3]`` that are to be seen: head, shoulders, and the acting hands."""
    poses = sample(clip, list(times))
    names = [n for n in poses.skeleton.names if n.endswith(("Distal", "Hand", "LowerArm"))]
    names = [n for n in names if n.startswith(tuple(sides))] if sides else []
    hands = [poses.joint_positions(name) for name in names]
    places = [hand + skin for hand in hands for skin in SKIN_M * np.array([[1, 1, 0], [-1, -1, 0]])]
    crown = poses.joint_positions("head") + np.array([0.0, CROWN_M, 0.0])
    upper = [poses.joint_positions(f"{side}UpperArm") for side in ("left", "right")]
    chest = poses.joint_positions("chest")
    return np.concatenate([*places, *upper, crown, chest])


def camera_for(view: str, points: Floats, width: int, height: int) -> Camera:
    """Camera of a named view that shows points ``[n, 3]`` as large as it can."""
    outward = np.array(VIEWS_FROM[view]) / np.linalg.norm(VIEWS_FROM[view])
    target, distance = points.mean(axis=0), 4.0
    for _ in range(12):
        camera = Camera(target + distance * outward, target, FOV, width, height)
        places, _ = camera.project(points)
        low, high = places.min(axis=0), places.max(axis=0)
        right, up, _ = camera.axes
        off = (0.5 * (low + high) - 0.5 * np.array([width, height])) * distance / camera.focal_px
        target = target + off[0] * right - off[1] * up
        distance *= float(np.max((high - low) / (FILLED * np.array([width, height]))))
    return camera


def sheet(shown: Shown, cell: tuple[int, int] = CELL) -> Bytes:
    """Contact sheet of a lexeme: a row a view, a column a moment."""
    times = list(shown.moments.values())
    poses = sample(shown.clip, times)
    sides = SIDES_OF[shown.hands]
    points = points_shown(shown.clip, times[1:], sides)
    width, height = cell
    columns = len(times)
    shape = (STRIP + len(VIEWS) * (height + GAP) + GAP, columns * (width + GAP) + GAP, 3)
    out = np.full(shape, PAPER, np.uint8)
    for row, view in enumerate(VIEWS):
        camera = camera_for(view, points, width, height)
        pictures = render_clip(default_figure(), poses, camera, studio=STUDIO, follow=False)
        top = STRIP + GAP + row * (height + GAP)
        for column, picture in enumerate(pictures):
            left = GAP + column * (width + GAP)
            out[top : top + height, left : left + width] = picture
    for column, (name, at) in enumerate(shown.moments.items()):
        text = f"{name}  {at:.2f}"
        letters = (width - 8) // 6
        draw_text(
            out,
            text if len(text) <= letters else name[:letters],
            6 + column * (width + GAP),
            5,
            INK,
        )
    return out


def write_sheet(shown: Shown, path: Path, *, large: bool = False) -> None:
    """Write the sheet of a lexeme as a small PNG."""
    image = Image.fromarray(sheet(shown, LARGE if large else CELL))
    small = image.quantize(COLOURS, dither=Image.Dither.NONE)
    (image if large else small).save(path, optimize=True)


# -- the page ---------------------------------------------------------------------------------------

STYLE = """
body { display: grid; grid-template-columns: 340px minmax(0, 1fr); }
#lexicon { display: flex; flex-direction: column; height: 100vh; height: 100dvh; border-right: 1px solid var(--line); }
#lexicon header { display: flex; align-items: baseline; gap: 8px; padding: 12px 12px 8px; }
#lexicon h2 { flex: 1; margin: 0; font-size: 15px; }
#lexicon output { color: var(--dim); }
#search { margin: 0 12px 8px; padding: 7px 10px; border: 1px solid var(--line); border-radius: 6px;
  background: var(--panel); color: var(--ink); font: inherit; }
#lexemes { flex: 1; margin: 0; padding: 0 6px 12px; overflow-y: auto; list-style: none; }
#lexemes button { display: block; width: 100%; height: auto; padding: 7px 8px; text-align: left; white-space: normal;
  color: var(--ink); }
#lexemes b { margin-right: 6px; }
#lexemes small { color: var(--dim); font-size: 12px; }
#lexemes .tags { display: block; margin-top: 2px; font-size: 11px; letter-spacing: .02em; color: var(--accent); }
.window { position: relative; flex: 1; min-height: 120px; overflow: hidden; }
.window .stage { position: absolute; top: -13%; width: 100%; height: 190%; }
.timeline, .where > .scrub, .where > .reading { display: none; }
.toolbar h1 { font-weight: 400; }
.toolbar h1 b { font-size: 16px; margin-right: 8px; }
.part { flex: 1; display: flex; flex-direction: column; gap: 2px; min-width: 0; }
.part input { width: 100%; height: 22px; }
.phases { position: relative; height: 14px; font-size: 11px; line-height: 14px; color: var(--dim); }
.phases span { position: absolute; overflow: hidden; padding-left: 3px; border-left: 2px solid var(--divide);
  white-space: nowrap; text-overflow: ellipsis; }
.phases .stroke, .phases .after-stroke { color: var(--right); border-color: var(--right); }
@media (max-width: 760px) {
  body { grid-template: minmax(0, 1fr) 42vh / minmax(0, 1fr); height: 100dvh; }
  #lexicon { order: 2; height: auto; min-height: 0; border: 0; border-top: 1px solid var(--line); }
  #kinesphere { height: auto; min-height: 0; }
  #lexicon header { display: none; }
  #search { margin-top: 8px; }
}
"""

SCRIPT = r"""
const rows = JSON.parse(document.getElementById("lexicon-data").textContent);
const list = document.getElementById("lexemes");
const search = document.getElementById("search");
const count = document.querySelector("#lexicon output");
const make = (name, text = "", kind = "") => Object.assign(document.createElement(name), { textContent: text, className: kind });
const buttons = new Map();
let shown = null;
for (const row of rows) {
  const button = make("button");
  button.append(make("b", row.name), make("small", `${row.class} \u00b7 ${row.hands}`), make("br"),
    document.createTextNode(row.meaning), make("span", row.tags.join(" "), "tags"));
  button.addEventListener("click", () => play(row));
  const item = make("li");
  item.append(button);
  list.append(item);
  buttons.set(row.name, button);
}
const bar = Object.assign(make("input"), { type: "range", min: "0", step: "any" });
bar.setAttribute("aria-label", "Time within the gesture");
const phases = make("div", "", "phases");

function play(row) {
  if (shown) buttons.get(shown.name).removeAttribute("aria-pressed");
  shown = row;
  buttons.get(row.name).setAttribute("aria-pressed", "true");
  buttons.get(row.name).scrollIntoView({ block: "nearest" });
  document.querySelector(".toolbar h1").replaceChildren(make("b", row.name), row.meaning);
  const length = row.end - row.start;
  bar.max = String(length);
  phases.replaceChildren(...row.phases.map(([start, end, label]) => {
    const part = make("span", label, label);
    part.style.left = `${(100 * start) / length}%`;
    part.style.width = `${(100 * (end - start)) / length}%`;
    part.title = label;
    return part;
  }));
  history.replaceState(null, "", `#${row.name}`);
  kinesphere.seek(row.start);
  kinesphere.play();
}

function found() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const kept = rows.filter((row) => {
    const text = [row.name, row.meaning, row.class, row.hands, row.shapes, ...row.tags].join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  });
  for (const row of rows) buttons.get(row.name).parentElement.hidden = !kept.includes(row);
  count.textContent = `${kept.length} of ${rows.length}`;
  return kept;
}

function step(by) {
  const kept = found();
  if (kept.length) play(kept[(kept.indexOf(shown) + by + kept.length) % kept.length]);
}

function follow() {
  if (shown) {
    const looping = document.querySelector("[aria-label='Loop']")?.getAttribute("aria-pressed") === "true";
    if (kinesphere.time >= shown.end || kinesphere.time < shown.start - 1e-3) {
      if (!looping) kinesphere.pause();
      kinesphere.seek(shown.start);
    }
    const at = kinesphere.time - shown.start;
    if (document.activeElement !== bar) bar.value = String(at);
    bar.style.setProperty("--done", `${(100 * at) / (shown.end - shown.start)}%`);
  }
  requestAnimationFrame(follow);
}

search.addEventListener("input", found);
search.addEventListener("keydown", (event) => {
  event.stopPropagation();
  if (event.key === "Enter") step(1);
});
document.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    step(event.key === "ArrowDown" ? 1 : -1);
  }
});
bar.addEventListener("input", () => kinesphere.seek(shown.start + bar.valueAsNumber));
bar.addEventListener("pointerup", () => bar.blur());
kinesphere.ready.then(() => {
  // The stage is taller than what is seen of it: head and hands are large, the legs are below.
  const stage = document.querySelector(".stage");
  const view = make("div", "", "window");
  stage.before(view);
  view.append(stage);
  const part = make("div", "", "part");
  part.append(bar, phases);
  document.querySelector(".where").append(part);
  found();
  play(rows.find((row) => `#${row.name}` === location.hash) ?? rows[0]);
  follow();
});
"""

SIDEBAR = """<aside id="lexicon"><header><h2>Gestures by name</h2><output></output></header>
<input id="search" type="search" placeholder="Name, meaning, tag, class, hands" aria-label="Search">
<ul id="lexemes"></ul></aside>
"""


def trimmed(shown: Shown) -> tuple[ks.Clip, list[tuple[float, float, str]]]:
    """Clip from shortly before the gesture to shortly after it, and its phases."""
    clip, fps = shown.clip, shown.clip.fps
    if shown.hands:
        tier = next(t for t in shown.tiers if t.name.endswith("right"))
        phases = [(p.start_s, p.end_s, p.label) for p in tier if p.label != "rest"]
    else:
        phases = [(START_S, START_S + shown.lexeme.body_keys[-1].time_s, "stroke")]
    first = max(0, round((phases[0][0] - BEFORE_S) * fps))
    last = min(len(clip), round((phases[-1][1] + AFTER_S) * fps))
    moved = [(a - first / fps, b - first / fps, label) for a, b, label in phases]
    return clip.frames(first, last), moved


def joined(clips: Sequence[ks.Clip]) -> ks.Clip:
    """Clips one after the other."""
    names = sorted(
        {name for clip in clips for name in clip.channels} & set(default_figure().morphs)
    )
    return ks.Clip(
        clips[0].skeleton,
        clips[0].fps,
        np.concatenate([clip.root_positions for clip in clips]),
        np.concatenate([clip.rotations for clip in clips]),
        channels={
            name: np.concatenate([clip.channels.get(name, np.zeros(len(clip))) for clip in clips])
            for name in names
        },
    )


def coarse(glb: bytes) -> bytes:
    """GLB whose animation has only as many digits as can be seen: it packs to a third."""
    size = int.from_bytes(glb[12:16], "little")
    document = json.loads(glb[20 : 20 + size])
    data = bytearray(glb)
    for sampler in document["animations"][0]["samplers"]:
        accessor = document["accessors"][sampler["output"]]
        view = document["bufferViews"][accessor["bufferView"]]
        start = 28 + size + view.get("byteOffset", 0)
        values = np.frombuffer(data, "<f4", view["byteLength"] // 4, start)
        data[start : start + view["byteLength"]] = (
            (np.round(values * DIGITS) / DIGITS).astype("<f4").tobytes()
        )
    return bytes(data)


def entry(
    shown: Shown, start_s: float, clip: ks.Clip, phases: list[tuple[float, float, str]]
) -> dict[str, Any]:
    """What the page says of a lexeme."""
    lexeme = lexicon()[shown.lexeme.name]
    tags = {
        t.name: t.lexemes[lexeme.name] for t in semantic_tags().values() if lexeme.name in t.lexemes
    }
    return {
        "name": lexeme.name,
        "meaning": lexeme.meaning,
        "class": lexeme.kind,
        "hands": WHO[shown.hands],
        "shapes": " ".join(lexeme.shapes),
        "tags": sorted(tags, key=lambda tag: -tags[tag])[:MOST_TAGS],
        "start": round(start_s, 4),
        "end": round(start_s + (len(clip) - 1) / clip.fps, 4),
        "phases": [[round(a, 3), round(b, 3), label] for a, b, label in phases],
    }


def write_page(all_shown: Sequence[Shown], path: Path) -> None:
    """Write a page on which each lexeme plays: one figure, all motion in one piece."""
    rows, clips, at = [], [], 0
    for shown in all_shown:
        clip, phases = trimmed(shown)
        rows.append(entry(shown, at / clip.fps, clip, phases))
        clips.append(clip)
        at += len(clip)
    scene = scene_of(ks.Take(joined(clips)), "Gestures by name")
    text = html_bytes([replace(scene, glb=coarse(scene.glb))], "Gestures by name").decode()
    data = json.dumps(rows, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    text = text.replace("</head>", f"<style>{STYLE}</style>\n</head>", 1)
    text = text.replace("<body>\n", f"<body>\n{SIDEBAR}", 1)
    added = f'<script type="application/json" id="lexicon-data">{data}</script>\n<script>{SCRIPT}</script>\n'
    text = text.replace("</body>\n</html>", f"{added}</body>\n</html>")
    path.write_text(text, encoding="utf-8")


def main() -> None:
    """Draw what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="lexemes; all without")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--folder", type=Path, default=PICTURES)
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    all_shown = [performed(lexicon()[name]) for name in asked.names or lexicon()]
    if not asked.page:
        for shown in all_shown:
            write_sheet(shown, asked.folder / f"{shown.lexeme.name}.png", large=asked.large)
    if not asked.names:
        at_home = asked.folder.resolve() == PICTURES.resolve()
        write_page(all_shown, PAGE if at_home else asked.folder / PAGE.name)


if __name__ == "__main__":
    main()
