# SPDX-License-Identifier: Apache-2.0
"""Write the joint positions that Blender computes for BVH and GLB files, as a reference table.

Set up once, in an environment of its own (Python 3.11; about 1 GB on disk):

    python3.11 -m venv blender-venv
    blender-venv/bin/pip install 'numpy<2' 'bpy==5.0.1'
    # Debian 12, as root, only if "import bpy" misses a shared library:
    apt-get install -y libxrender1 libxfixes3 libxi6 libxkbcommon0 libsm6 libgl1
    blender-venv/bin/python tools/blender_reference.py walk.bvh walk.glb -o table.json

The table is a list with one object per file. positions[frame][joint] is the world position of the
joint (the head of the pose bone) in the file's own units and axes (Y up), to six decimals. Frames
count from 0; those past the end are left out. In a GLB file, frame n is the time n / FPS seconds
of the first animation. Names are Blender's: cut to 63 bytes, repeated ones with ".001" and so on.
"""

import argparse
import json
import timeit
from pathlib import Path
from typing import Any

import bpy
import numpy as np

# "Y forward, Z up" are Blender's own axes: with them the BVH importer rotates nothing.
SPACE = {"global_scale": 1, "axis_forward": "Y", "axis_up": "Z", "rotate_mode": "NATIVE"}
TIMING = {"frame_start": 0, "use_fps_scale": False, "update_scene_fps": False}


def load(path: Path) -> float:
    """Replace the scene by the content of one file; return the seconds the import took."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    start = timeit.default_timer()
    if path.suffix.lower() == ".glb":
        bpy.ops.import_scene.gltf(filepath=str(path))
    else:
        bpy.ops.import_anim.bvh(filepath=str(path), update_scene_duration=True, **SPACE, **TIMING)
    return timeit.default_timer() - start


def describe(path: Path, wanted: list[int] | None, fps: float, timed: bool) -> dict[str, Any]:
    """Import one file and return its entry of the table."""
    is_glb = path.suffix.lower() == ".glb"
    entry: dict[str, Any] = {"fps": fps} if is_glb else {}
    seconds = min(load(path) for _ in range(3 if timed else 1))
    entry |= {"import_seconds": seconds} if timed else {}
    if timed and not is_glb:  # The numbers start on the line after "Frame Time:".
        text = path.read_text().partition("Frame Time:")[2].partition("\n")[2]
        runs = timeit.repeat(lambda: np.fromstring(text, sep=" "), number=1, repeat=3)
        entry["fromstring_seconds"] = min(runs)

    scene, objects = bpy.context.scene, list(bpy.data.objects)
    actions = [o.animation_data.action for o in objects if o.animation_data]
    ranges = [tuple(action.curve_frame_range) for action in actions if action]
    # Blender puts the first frame of a BVH at 1 even if asked for 0; glTF time 0 is at frame 0.
    first = 0 if is_glb or not ranges else round(ranges[0][0])
    step = scene.render.fps / fps if is_glb else 1
    count = 1 + round(max((end - first for _, end in ranges), default=0) / step)
    spread = sorted({round(f) for f in np.linspace(0, count - 1, 8)})
    entry["frames"] = [f for f in (spread if wanted is None else wanted) if 0 <= f < count]

    bones = [(o, b) for o in objects if o.type == "ARMATURE" for b in o.pose.bones]
    joints = bones or [(o, None) for o in objects if o.type == "EMPTY"]
    positions = []
    for frame in entry["frames"]:
        whole, part = divmod(first + frame * step, 1)
        scene.frame_set(int(whole), subframe=part)
        world = [o.matrix_world @ b.head if b else o.matrix_world.translation for o, b in joints]
        if is_glb:  # The glTF importer rotated (x, y, z) to (x, -z, y): rotate it back.
            world = [(x, z, -y) for x, y, z in world]
        positions.append([[round(v, 6) + 0.0 for v in point] for point in world])
    names = [(b or o).name for o, b in joints]
    return entry | {"frame_count": count, "joints": names, "positions": positions}


def main() -> int:
    """Write the table; return 1 if Blender rejected a file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the JSON table to write")
    parser.add_argument("--frames", help="such as 0,10,20 (default: 8 spread over the clip)")
    parser.add_argument("--fps", type=float, default=30, help="frames per second of GLB files (30)")
    parser.add_argument("--time", action="store_true", help="also time the import, best of 3")
    args = parser.parse_args()
    wanted = [int(f) for f in args.frames.split(",")] if args.frames else None
    table = [{"blender": bpy.app.version_string, "file": path.name} for path in args.files]
    for path, entry in zip(args.files, table, strict=True):
        try:
            entry |= describe(path, wanted, args.fps, args.time)
        except RuntimeError as error:  # Blender rejects the file: keep its reason and continue.
            entry["error"] = str(error).partition("\nLocation:")[0].strip().splitlines()[-1]
    args.output.write_text(json.dumps(table) + "\n")
    return int(any("error" in entry for entry in table))


if __name__ == "__main__":
    raise SystemExit(main())
