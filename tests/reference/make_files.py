"""Make the BVH files that Blender's table is about, into this folder.

After a change here, make the table anew, in an environment of Blender's own (its setup is described
in ``tools/blender_reference.py``)::

    python tests/reference/make_files.py
    python tools/blender_reference.py tests/reference/*.bvh -o tests/reference/blender.json
    python tools/blender_reference.py out/wave.glb --fps 60 --frames 0,48,96,144,192,240 \\
        -o tests/reference/blender_glb.json
"""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np

import kinesphere as ks
from kinesphere.formats.bvh.bvh_document import BvhDocument, BvhNode, write_document

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
P = ("Xposition", "Yposition", "Zposition")


def turns(order: str) -> tuple[str, ...]:
    """Rotation channels in an order such as ZXY."""
    return tuple(f"{axis}rotation" for axis in order)


def mixed() -> BvhDocument:
    """Every order of rotations, channels in odd places, moving offsets, a root with an offset."""
    nodes = (
        BvhNode("Root", -1, (1.0, 2.0, 3.0), (*P, *turns("ZXY"))),
        BvhNode("a b", 0, (10.0, 1.0, 0.0), turns("XYZ")),
        BvhNode("c:d", 1, (8.0, 0.0, 2.0), turns("XZY")),
        BvhNode("e.f", 2, (7.0, -1.0, 1.0), (*turns("YXZ"), "Zposition", "Xposition", "Yposition")),
        BvhNode(None, 3, (3.0, 0.0, 0.0)),
        BvhNode("g-h", 0, (-9.0, 2.0, 1.0), turns("YZX")),
        BvhNode("i", 5, (-6.0, 3.0, -2.0), ("Yposition", *turns("ZYX"), "Xposition", "Zposition")),
        BvhNode(None, 6, (0.0, 5.0, 0.0)),
    )
    width = sum(len(node.channels) for node in nodes)
    wave = np.sin(np.arange(40)[:, None] * np.linspace(0.05, 0.4, width) + np.arange(width))
    return BvhDocument(nodes, 1 / 30, np.round(wave * np.linspace(20, 120, width), 4))


def main() -> None:
    """Write the files."""
    write_document(mixed(), HERE / "mixed.bvh")
    clip: ks.Clip = runpy.run_path(str(ROOT / "examples" / "01_wave.py"))["wave"]()
    ks.Take(clip.select_frames(slice(None, None, 16))).save(HERE / "wave.bvh")
    (ROOT / "out").mkdir(exist_ok=True)
    ks.Take(clip).save(ROOT / "out" / "wave.glb")


if __name__ == "__main__":
    main()
