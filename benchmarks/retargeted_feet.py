"""Standing feet of recordings on other bodies: height, slide and knees, a row per clip and body.

    python -m benchmarks.retargeted_feet [--data FOLDER] [--every N]

A foot stands where its toe is slower than 0.1 m/s and within 3 cm of its own floor, the 5 %
quantile of its height. Heights are those of the toe joint relative to the body's reference pose,
in mm: `sole` of the lower of the standing feet (median, and 95 % quantile of its deviation),
`toe95` of all; `ankle` is that of the ankle. `slope` is that of ankle to toe relative to the
reference pose, degrees. `slide` is the speed of standing toes, mm/s, and `was` that of the
recording, scaled. `knee` is the 99.9 % quantile of a knee's angular speed, rad/s, and `kneewas` in
the recording; `bend` is by how much knees are more bent while standing, degrees.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np

import kinesphere as ks
from kinesphere.character.take_rig import report_of
from kinesphere.maths import filters
from kinesphere.maths.arrays import Bools, Floats
from kinesphere.motion.calibration import without_calibration
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.kinematics import speeds
from kinesphere.motion.measure import leg_length
from kinesphere.motion.retargeting.retargeting import retarget
from kinesphere.pipeline.retarget import load_character

CLIPS = ("cmu/*.bvh", "greta/*.bvh", "beat2/*.npz", "smartbody/*/*Idle*03*.skm")
CHARACTERS = ("default", "CesiumMan.glb", "Godette_vrm_v4.vrm", "geno/Geno_bind.bvh")
SIDES = ("left", "right")


def points(clip: ks.Clip, rig: Rig, bone: str) -> Floats:
    """Positions of a bone of both sides, ``[frames, 2, 3]``."""
    return np.asarray(clip.world_positions[:, rig.joints([f"{side}{bone}" for side in SIDES])])


def standing(clip: ks.Clip, rig: Rig) -> Bools:
    """Whether each foot stands in the recording, ``[frames, 2]``."""
    toes = points(clip, rig, "Toes")
    if clip.fps > 22.0 and len(clip) > 3:
        toes = filters.low_pass(toes, 10.0, clip.fps)
    low = toes[..., 1] - np.quantile(toes[..., 1], 0.05, axis=0) < 0.03
    return np.asarray(low & (speeds(toes, clip.fps) < 0.1))


def slope(ankles: Floats, toes: Floats) -> Floats:
    """Downward slope from ankle to toe, degrees."""
    step = toes - ankles
    return np.asarray(np.degrees(np.arctan2(-step[..., 1], np.hypot(step[..., 0], step[..., 2]))))


def reference(rig: Rig) -> tuple[Floats, Floats, Floats]:
    """Heights of toes and ankles above the floor when a body stands, and the slope of its feet."""
    feet = rig.footing
    return feet.ankles_m + feet.toes_m[:, 1], feet.ankles_m, slope(0.0 * feet.toes_m, feet.toes_m)


def knees(clip: ks.Clip, rig: Rig) -> Floats:
    """Bend of both knees, radians."""
    hip, knee, ankle = (points(clip, rig, b) for b in ("UpperLeg", "LowerLeg", "Foot"))
    a, b = knee - hip, ankle - knee
    return np.asarray(np.arctan2(np.linalg.norm(np.cross(a, b), axis=-1), np.sum(a * b, axis=-1)))


def row(clip: ks.Clip, source: Rig, target: Rig) -> dict[str, float] | None:
    """Measures of one clip on one body; None if there is no standing."""
    stands = standing(clip, source)
    if stands.sum() < 5:
        return None
    moved = retarget(clip, source, target)
    toe, ankle, flat = reference(target)
    toes, ankles = points(moved, target, "Toes"), points(moved, target, "Foot")
    above = np.where(stands, toes[..., 1] - toe, np.inf).min(axis=1)
    above = above[stands.any(axis=1)]
    slide = np.linalg.norm(np.diff(toes[..., [0, 2]], axis=0), axis=-1) * clip.fps
    was = np.linalg.norm(np.diff(points(clip, source, "Toes")[..., [0, 2]], axis=0), axis=-1)
    both = stands[1:] & stands[:-1]
    scale = leg_length(target) / leg_length(source)
    turning = [
        np.quantile(np.abs(np.diff(knees(c, r), axis=0)), 0.999) * clip.fps
        for c, r in ((moved, target), (clip, source))
    ]
    return {
        "share": 100.0 * float(stands.mean()),
        "sole": 1000.0 * float(np.median(above)),
        "sole95": 1000.0 * float(np.quantile(np.abs(above), 0.95)),
        "toe95": 1000.0 * float(np.quantile(np.abs(toes[..., 1] - toe)[stands], 0.95)),
        "ankle": 1000.0 * float(np.median((ankles[..., 1] - ankle)[stands])),
        "slope": float(np.median((slope(ankles, toes) - flat)[stands])),
        "slide": 1000.0 * float(slide[both].mean()) if both.any() else 0.0,
        "was": 1000.0 * scale * clip.fps * float(was[both].mean()) if both.any() else 0.0,
        "knee": float(turning[0]),
        "kneewas": float(turning[1]),
        "bend": float(np.degrees(np.median((knees(moved, target) - knees(clip, source))[stands]))),
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    folder = os.environ.get("KINESPHERE_DATA", "../shared/data")
    parser.add_argument("--data", type=Path, default=Path(folder))
    parser.add_argument("--every", type=int, default=1, help="every Nth clip only")
    parser.add_argument("--characters", nargs="*", default=CHARACTERS)
    values = parser.parse_args()
    files = [f for pattern in CLIPS for f in sorted(values.data.glob(pattern))]
    rigs = {
        name: load_character(name if name == "default" else values.data / "characters" / name).rig
        for name in values.characters
    }
    for file in files[:: values.every]:
        take = ks.load(file)
        source, clip = report_of(take).rig, without_calibration(take.clip)
        for name, rig in rigs.items():
            found = row(clip, source, rig)
            said = (
                "no standing"
                if found is None
                else "  ".join(f"{key} {value:5.1f}" for key, value in found.items())
            )
            print(f"{file.name[:24]:24} {name[:12]:12} {said}", flush=True)


if __name__ == "__main__":
    main()
