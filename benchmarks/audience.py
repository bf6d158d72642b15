"""Whether speakers address the viewer: ``python -m benchmarks.audience``.

Three texts in each of three styles are performed and one voice is listened to. Prints for every
take how long the eyes are on the viewer, the angle of the eyes in the head, how long the head is
turned aside, the chest's yaw at the end and the rate of blinks; exits with 1 if one is outside its
range.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import kinesphere as ks
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig

TEXTS = Path(__file__).resolve().parents[1] / "tests" / "generation" / "texts"
NAMES = ("en_talk_1", "en_story_1", "en_news_1")
STYLES = ("host", "critic", "neutral")
LISTENED = "en_talk_5"
AHEAD = np.array([0.0, 0.0, 1.0])
NEAR_DEG, ASIDE_DEG, SHUT = 10.0, 20.0, 0.5


@dataclass(frozen=True)
class Audience:
    """Where a take looks.

    Parameters
    ----------
    viewer_share : ratio of time with the eyes within 10 degrees of the viewer.
    eye_p95_deg : 95th percentile of the angle of the eyes in the head.
    aside_share : ratio of time with the head turned aside by more than 20 degrees.
    end_deg : largest yaw of the chest in the last second.
    blinks_per_min : rate of blinks.
    """

    viewer_share: float
    eye_p95_deg: float
    aside_share: float
    end_deg: float
    blinks_per_min: float


RANGES = {
    "viewer_share": (0.55, 0.75),
    "eye_p95_deg": (0.0, 20.0),
    "aside_share": (0.0, 0.14),
    "end_deg": (0.0, 5.0),
    "blinks_per_min": (15.0, 33.0),
}


def measure(clip: Clip, rig: Rig) -> Audience:
    """Measure a clip whose viewer is straight ahead (+Z)."""
    world = clip.world_rotations
    sides = ("leftEye", "rightEye")
    left, right = (quaternion.rotate(rig.turn(world, rig.joint(b)), AHEAD) for b in sides)
    gaze = left + right
    head = rig.turn(world, rig.joint("head"))
    seen = quaternion.rotate(quaternion.inverse(head), gaze)
    face = quaternion.rotate(head, AHEAD)
    chest = quaternion.rotate(rig.turn(world, rig.joint("upperChest")), AHEAD)
    shut = clip.channels["blink"] > SHUT
    blinks = int(np.sum(shut[1:] & ~shut[:-1]))
    return Audience(
        float(np.mean(_from_ahead(gaze) < NEAR_DEG)),
        float(np.percentile(_from_ahead(seen), 95.0)),
        float(np.mean(np.abs(_yaw(face)) > ASIDE_DEG)),
        float(np.max(np.abs(_yaw(chest[-round(clip.fps) :])))),
        60.0 * blinks / clip.duration_s,
    )


def _from_ahead(directions: Floats) -> Floats:
    cosine = directions[:, 2] / np.linalg.norm(directions, axis=1)
    return np.asarray(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))


def _yaw(directions: Floats) -> Floats:
    return np.asarray(np.degrees(np.arctan2(directions[:, 0], directions[:, 2])))


def print_row(name: str, found: Audience) -> int:
    """Print a take; how many of its measures are outside their ranges."""
    missed = [key for key, (low, high) in RANGES.items() if not low <= getattr(found, key) <= high]
    print(
        f"{name:22s} {100 * found.viewer_share:7.0f} % {found.eye_p95_deg:9.1f} deg"
        f" {100 * found.aside_share:8.0f} % {found.end_deg:9.1f} deg"
        f" {found.blinks_per_min:8.1f}   {'MISSED: ' + ', '.join(missed) if missed else ''}"
    )
    return len(missed)


def main() -> int:
    """Perform, listen, measure and print."""
    rig, missed = ks.default_rig(), 0
    print(f"{'take':22s} on viewer  eyes in head  head aside  chest at end  blinks/min")
    for seed, name in enumerate(NAMES):
        text = (TEXTS / f"{name}.txt").read_text(encoding="utf-8")
        for style in STYLES:
            take = ks.perform(text, style, seed=seed)
            missed += print_row(f"{style} {name}", measure(take.clip, rig))
    said = ks.utter((TEXTS / f"{LISTENED}.txt").read_text(encoding="utf-8"))
    assert said.heard is not None
    take = ks.listen(said.heard.speech)
    missed += print_row(f"listened {LISTENED}", measure(take.clip, rig))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
