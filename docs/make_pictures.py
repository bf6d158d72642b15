"""Draw the pictures of the README: ``make pictures``.

The figure is drawn as thick rounded lines between joints, seen from the front: an SVG that moves,
small enough to keep and readable by every browser.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np

import kinesphere as ks
from kinesphere.maths.arrays import Floats

ROOT = Path(__file__).resolve().parent.parent
WIDTH, HEIGHT, SCALE = 420, 460, 225.0
STEP = 3

# Drawn in this order: (bones, width in metres, shade).
PARTS: list[tuple[list[str], float, str]] = [
    (["leftUpperLeg", "leftLowerLeg", "leftFoot", "leftToes"], 0.105, "#b9a98d"),
    (["rightUpperLeg", "rightLowerLeg", "rightFoot", "rightToes"], 0.105, "#b9a98d"),
    (["leftUpperArm", "leftLowerArm", "leftHand"], 0.065, "#c9b99c"),
    (["leftHand", "leftMiddleProximal", "leftMiddleDistal"], 0.05, "#d8cab0"),
    (["upperChest", "neck", "head"], 0.085, "#b9a98d"),
    (["leftUpperArm", "rightUpperArm", "chest"], 0.10, "#d2c3a6"),
    (["spine", "hips", "leftUpperLeg", "rightUpperLeg", "hips"], 0.115, "#c6b698"),
    (["chest", "spine"], 0.20, "#cdbd9f"),
    (["rightUpperArm", "rightLowerArm", "rightHand"], 0.065, "#c9b99c"),
    *(
        (["rightHand", f"right{f}Proximal", f"right{f}Intermediate", f"right{f}Distal"], 0.018, "#d8cab0")
        for f in ("Index", "Middle", "Ring", "Little")
    ),
    (["rightHand", "rightThumbProximal", "rightThumbDistal"], 0.022, "#d8cab0"),
    (["rightHand", "rightMiddleProximal"], 0.055, "#d8cab0"),
]  # fmt: skip


def example(name: str) -> object:
    """Import a numbered example, whose name is no identifier."""
    spec = importlib.util.spec_from_file_location("example", ROOT / "examples" / name)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(name)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def on_page(points: Floats) -> Floats:
    """World metres to pixels, seen from the front: the character's left is on our right."""
    x = WIDTH / 2 + points[..., 0] * SCALE
    y = HEIGHT - 30 - points[..., 1] * SCALE
    return np.stack([x, y], axis=-1)


def animated(name: str, values: list[str], seconds: float) -> str:
    """SMIL element that runs an attribute through values for ever."""
    return f'<animate attributeName="{name}" dur="{seconds:.2f}s" repeatCount="indefinite" values="{";".join(values)}"/>'


def moving_svg(clip: ks.Clip) -> str:
    """Draw a clip of the default character."""
    rig = ks.default_rig()
    pages = on_page(clip.world_positions[::STEP])
    seconds = clip.duration_s
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">',
        '<rect width="100%" height="100%" rx="14" fill="#2f3238"/>',
        f'<ellipse cx="{WIDTH / 2}" cy="{HEIGHT - 26}" rx="105" ry="13" fill="#24262b"/>',
    ]
    for bones, width, shade in PARTS:
        joints = rig.joints(bones)
        fill = shade if bones[-1] == "chest" else "none"
        lines = [" ".join(f"{x:.1f},{y:.1f}" for x, y in page[joints]) for page in pages]
        out.append(
            f'<polyline points="{lines[0]}" fill="{fill}" stroke="{shade}" stroke-linecap="round" '
            f'stroke-linejoin="round" stroke-width="{width * SCALE:.1f}">'
            f"{animated('points', lines, seconds)}</polyline>"
        )
    out += _head(rig, clip, seconds)
    return "\n".join([*out, "</svg>"])


def _head(rig: ks.Rig, clip: ks.Clip, seconds: float) -> list[str]:
    from kinesphere.maths import quaternion

    head = rig.joint("head")
    turn, place = clip.world_rotations[::STEP, head], clip.world_positions[::STEP, head]
    parts = []
    for offset, radius, shade in (
        ((0.0, 0.095, 0.02), (0.082, 0.112), "#dccfb6"),
        ((0.032, 0.083, 0.08), (0.011, 0.013), "#3a3630"),
        ((-0.032, 0.083, 0.08), (0.011, 0.013), "#3a3630"),
    ):
        path = on_page(place + quaternion.rotate(turn, np.array(offset)))
        xs, ys = ([f"{v:.1f}" for v in path[:, k]] for k in (0, 1))
        parts.append(
            f'<ellipse cx="{xs[0]}" cy="{ys[0]}" rx="{radius[0] * SCALE:.1f}" ry="{radius[1] * SCALE:.1f}" fill="{shade}">'
            f"{animated('cx', xs, seconds)}{animated('cy', ys, seconds)}</ellipse>"
        )
    return parts


def main() -> None:
    """Write all pictures into the folder named on the command line."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "docs" / "pictures")
    folder.mkdir(parents=True, exist_ok=True)
    clip: ks.Clip = example("01_wave.py").wave()  # type: ignore[attr-defined]
    path = folder / "wave.svg"
    path.write_text(moving_svg(clip))
    print(f"wrote {path}")


if __name__ == "__main__":
    main()
