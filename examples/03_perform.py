"""A passage performed in two speakers' styles, on one page, and one of them for other tools.

Run it with a folder to write to: ``python examples/03_perform.py out``.
"""

from __future__ import annotations

import sys
from pathlib import Path

import kinesphere as ks

PASSAGE = """
Good evening, everybody! I have to tell you about my new telephone. It is tiny. It knows
everything about me: where I am, what I eat, whom I like. And what does it do with all that?
Nothing! Absolutely nothing. On the one hand I could throw it away. On the other hand, honestly, I
would never find my way home again. So here we stand, the two of us, and step by step we learn to
live together.
"""


def main(folder: Path) -> None:
    """Perform the passage and print the paths of the results."""
    folder.mkdir(parents=True, exist_ok=True)
    takes = []
    for style in ("host", "critic"):
        take = ks.perform(PASSAGE, style, seed=4)
        gestures = take.tier("gestures")
        print(f"{style}: {take.clip.duration_s:.1f} s, {len(gestures or ())} gestures")
        takes.append(take)
    page = folder / "two-styles.html"
    ks.write_page(takes, page, ["host", "critic"])
    for ending in ("glb", "bvh"):
        takes[0].save(folder / f"host.{ending}")
    print(f"open {page} in a browser; host.glb and host.bvh in the same folder are for other tools")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
