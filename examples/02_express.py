"""One gesture by keys, in other manners: with a word, and with a phrase that changes over time.

Run it with a folder to write to: ``python examples/02_express.py out``.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import kinesphere as ks
from kinesphere.animation.arms.poses.home_pose import home_clip
from kinesphere.maths import quaternion as quat

FPS = 60.0
DURATION_S = 5.5

# Wrists from their shoulders in the chest's frame: (seconds, out, up, forward).
WRIST = [
    (0.5, 0.06, -0.46, 0.14),
    (1.3, 0.10, -0.10, 0.34),
    (2.0, -0.06, -0.28, 0.36),
    (2.8, 0.22, -0.16, 0.30),
    (3.6, 0.02, -0.24, 0.36),
    (4.6, 0.06, -0.46, 0.14),
]
# Slow and light at first, then strong and sudden; the torso rises meanwhile.
PHRASE = ks.Phrase.of_table(
    {
        "time_s": [0.5, 2.4, 3.4, 0.5, 4.6],
        "part": ["arms", "arms", "arms", "torso", "torso"],
        "weight": [-0.6, -0.6, 0.9, None, None],
        "time": [-0.8, -0.8, 0.9, None, None],
        "vertical": [None, None, None, 0.4, -0.6],
    }
)


def arm(side: int) -> ks.ArmKeys:
    """Keys of one arm, +1 for the left; the left hand comes a little later."""
    table = np.array(WRIST)
    palm = quat.from_axis_angle([1.0, 0.0, 0.0], np.radians(-50.0))
    return ks.ArmKeys(
        times=table[:, 0] + 0.04 * (side + 1),
        positions=table[:, 1:] * np.array([side, 1, 1]),
        swivels=np.full(len(table), np.radians(25.0)),
        hands=np.tile(palm, (len(table), 1)),
    )


def gesture() -> ks.Clip:
    """Make the clip: keys of both arms on a standing body."""
    body = home_clip(int(DURATION_S * FPS) + 1, FPS)
    return ks.apply_keys(ks.KeyedMotion(arm(1), arm(-1)), body, ks.default_rig())


def main() -> None:
    """Write the files and print their paths."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
    folder.mkdir(parents=True, exist_ok=True)
    plain = ks.Take(gesture(), provenance={"made_by": "examples/02_express.py"})
    takes = {
        "plain": plain,
        "sad": ks.express(plain, manner="very sad"),
        "proud": ks.express(plain, manner="proud, slightly angry", torso_effort=True),
        "phrase": ks.express(plain, phrase=PHRASE),
    }
    for name, take in takes.items():
        path = folder / f"express-{name}.bvh"
        take.save(path)
        print(f"wrote {path.resolve()}")
    page = folder / "express.html"
    ks.write_page(list(takes.values()), page, list(takes))
    print(f"wrote {page.resolve()}")
    print("open express.html in a browser: the same gesture four times, with synchronised playback")


if __name__ == "__main__":
    main()
