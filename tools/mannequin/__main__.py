"""Build the figure and store it in the package: ``python -m tools.mannequin [FILE.glb]``."""

from __future__ import annotations

import sys
from pathlib import Path

from tools.mannequin.build import mannequin

from kinesphere.formats.gltf.stored_figure import figure_bytes

DEFAULT = Path(__file__).resolve().parents[2] / "src/kinesphere/character/data/mannequin.glb"


def main() -> None:
    """Write the file and print its contents."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT
    figure = mannequin()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(figure_bytes(figure))
    print(
        f"{path}: {len(figure.triangles)} triangles, {len(figure.positions)} vertices, "
        f"{len(figure.morphs)} shapes, {path.stat().st_size / 1e3:.0f} kB"
    )


if __name__ == "__main__":
    main()
