"""Arms on other bodies: how much they penetrate its mesh, before and after they are cleared.

    python -m benchmarks.other_bodies [--data FOLDER] [--speech FILE] [--seed N] [--quick]

A row per body and take. Bodies are the mannequin in other builds (`benchmarks.made_bodies`) and the
characters of the recordings, where they are there; takes are performed, and one is listened.
`body` is the share of looked-at frames with a hand or forearm more than 10 mm inside the mesh,
`worst` the deepest, mm; `hands` the share with the hands more than 5 mm in each other, `deep` the
deepest, mm; `accel` the ratio of the 99 % quantiles of the wrists' accelerations; `limit` the share
of frames with a joint more than 10 degrees past its limit. The last lines are the times of
retargeting a minute of motion, in seconds, without and with clearing.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from benchmarks.made_bodies import BUILDS, write_body

import kinesphere as ks
from kinesphere.evaluation.artefacts import limit_breaches
from kinesphere.evaluation.mesh_penetration import MeshPenetration, mesh_penetration
from kinesphere.formats.gltf.mesh import figure_if_any
from kinesphere.motion.retargeting.retargeting import RetargetSettings

CHARACTERS = ("CesiumMan.glb", "Godette_vrm_v4.vrm", "RiggedFigure.glb")
TEXTS = {
    "host": (
        "This is huge! I really believe that we can do it, you and me, together. My heart says "
        "yes. Not here, over there, and not one but ten of them. Welcome everybody!",
        "host",
    ),
    "critic": (
        "Well, I think the small things matter. On the one hand we wait, on the other hand we "
        "act. I am sorry, I do not know. Everything is connected, all of us, here and now.",
        "critic",
    ),
    "neutral": (
        "Let me think about it. First we look, then we talk, and then we decide. Thank you all.",
        "neutral",
    ),
}
PLAIN = RetargetSettings(clear_arms=False)


def made_takes(speech: Path | None, seed: int) -> dict[str, ks.Take]:
    """Performed takes, and one of a listened voice: a recording, or a performed take's."""
    takes = {name: ks.perform(text, style, seed=seed) for name, (text, style) in TEXTS.items()}
    voice = takes["host"].audio if speech is None else str(speech)
    assert voice is not None
    takes["listened"] = ks.listen(voice, seed=seed)
    return takes


def bodies(data: Path, folder: Path) -> Iterator[tuple[str, ks.Character]]:
    """Made bodies, then those characters of the recordings that are there."""
    for name, build in BUILDS.items():
        yield name, ks.load_character(write_body(build, folder / f"{name}.glb"))
    for name in CHARACTERS:
        if (data / "characters" / name).is_file():
            yield name, ks.load_character(data / "characters" / name)


def acceleration(take: ks.Take, character: ks.Character) -> float:
    """The 99 % quantile of the wrists' acceleration, m/s2."""
    wrists = take.clip.world_positions[:, character.rig.joints(("leftHand", "rightHand"))]
    second = np.diff(wrists, n=2, axis=0) * take.clip.fps**2
    return float(np.quantile(np.linalg.norm(second, axis=-1), 0.99))


def measured(take: ks.Take, character: ks.Character) -> MeshPenetration:
    """Penetration on the character's mesh."""
    figure = figure_if_any(character.origin, character.rig.skeleton)
    assert figure is not None
    return mesh_penetration(take.clip, character.rig, figure)


def row(name: str, which: str, take: ks.Take, character: ks.Character) -> str:
    """One line of the table."""
    raw, clear = ks.retarget(take, character, settings=PLAIN), ks.retarget(take, character)
    a, b = measured(raw, character), measured(clear, character)
    ratio = acceleration(clear, character) / acceleration(raw, character)
    limits = [100.0 * limit_breaches(t.clip, character.rig).share for t in (raw, clear)]
    return (
        f"{name:20s} {which:9s}"
        f"{100 * a.body.share:6.1f} {100 * b.body.share:5.1f} "
        f"{1000 * a.body.deepest_m:6.0f} {1000 * b.body.deepest_m:4.0f} "
        f"{100 * a.hands.share:7.1f} {100 * b.hands.share:5.1f} "
        f"{1000 * a.hands.deepest_m:6.0f} {1000 * b.hands.deepest_m:4.0f} "
        f"{ratio:7.2f} {limits[0]:6.1f} {limits[1]:5.1f}"
    )


def seconds_per_minute(take: ks.Take, character: ks.Character) -> tuple[float, float]:
    """Time to retarget a minute of motion without and with clearing, seconds; best of three."""
    out = []
    for settings in (PLAIN, RetargetSettings()):
        times = []
        for _ in range(3):
            start = time.perf_counter()
            ks.retarget(take, character, settings=settings)
            times.append(time.perf_counter() - start)
        out.append(60.0 * min(times) / take.clip.duration_s)
    return out[0], out[1]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--data", type=Path, default=Path(os.environ.get("KINESPHERE_DATA", "../shared/data"))
    )
    parser.add_argument("--speech", type=Path, help="a voice to listen to")
    parser.add_argument("--seed", type=int, default=3, help="of the takes")
    parser.add_argument("--quick", action="store_true", help="one performed and the listened take")
    values = parser.parse_args()
    takes = made_takes(values.speech, values.seed)
    if values.quick:
        takes = {name: takes[name] for name in ("host", "listened")}
    print(
        f"{'':29s}{'body %':>12s} {'worst mm':>11s} {'hands %':>13s} {'deep mm':>11s}"
        f" {'accel':>7s} {'limit %':>12s}"
    )
    times = []
    with TemporaryDirectory() as folder:
        for name, character in bodies(values.data, Path(folder)):
            for which, take in takes.items():
                print(row(name, which, take, character), flush=True)
            times.append((name, *seconds_per_minute(takes["host"], character)))
    for name, without, with_clearing in times:
        print(
            f"{name:20s} a minute of motion: {without:.2f} s, {with_clearing:.2f} s with clearing"
        )


if __name__ == "__main__":
    main()
