"""Other bodies: arms, legs and feet by their meshes, before and after arms are cleared.

    python -m benchmarks.other_bodies [--data FOLDER] [--speech FILE] [--seed N] [--all] [--takes]

A row per body: the worst of its takes (`--takes` prints a row for each). Bodies are the mannequin
in other builds (`benchmarks.made_bodies`) and the characters of the recordings, where they are
there; takes are performed, listened and recorded. Every body has the first performance and the
listened take, and two of the others in turn; with `--all` all of them.

`body` is the share of looked-at frames with a hand or forearm more than 10 mm inside the mesh,
`worst` the deepest, mm, both without clearing and with it; `hands` the share with the hands more
than 5 mm in each other; `apart` how far hands are apart that touch in the motion, mm for a person
of 1.75 m, median. `thighs` is how much deeper than at rest one leg is in the other, mm. `sole` is
the 95 % quantile of the distance of a standing foot's lowest vertex from the floor, mm, and `slide`
the mean speed of standing toes, mm/s, `was` that of the motion. `accel` is the ratio of the
99 % quantiles of the wrists' accelerations, `limit` the share of frames in which clearing puts a
joint more than 10 degrees past its limit. A body without a mesh has arms only, by its bones. The
last lines are the times of retargeting a minute of motion, in seconds, without and with clearing.
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
from benchmarks.retargeted_feet import points, standing

import kinesphere as ks
from kinesphere.character.figure import Figure, pose_mesh
from kinesphere.character.skin.body_skin import BodySkin, arm_gaps
from kinesphere.character.skin.clearing import touching_of
from kinesphere.character.skin.inside import distance_to_mesh, inside_mesh
from kinesphere.character.skin.regions import carried_by
from kinesphere.character.take_rig import report_of
from kinesphere.evaluation.artefacts import limit_breaches
from kinesphere.evaluation.mesh_penetration import mesh_penetration
from kinesphere.formats.gltf.mesh import figure_if_any
from kinesphere.maths.arrays import Bools, Floats, Ints
from kinesphere.motion.measure import leg_length
from kinesphere.motion.retargeting.retargeting import RetargetSettings

CHARACTERS = (
    "CesiumMan.glb",
    "Godette_vrm_v4.vrm",
    "RiggedFigure.glb",
    "geno/Geno_bind.bvh",
    "VRMC_materials_mtoon_UV_Animation_Test.vrm",
)
RECORDINGS = ("cmu/18_08.bvh", "beat2/2_scott_0_1_1.npz")
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
FILES = (("en_talk_5", "host"), ("en_story_4", "critic"))
LONGEST_S, TEXT_LENGTH = 10.0, 200
STEPS_HZ = 4.0
SIDES = ("left", "right")
PLAIN = RetargetSettings(clear_arms=False)
COLUMNS = (
    ("body %", 5, 1),
    ("->", 4, 1),
    ("worst", 5, 0),
    ("->", 3, 0),
    ("hands %", 7, 1),
    ("->", 4, 1),
    ("apart", 5, 0),
    ("->", 4, 0),
    ("thighs", 6, 1),
    ("sole", 5, 1),
    ("slide", 5, 1),
    ("was", 5, 1),
    ("accel", 5, 2),
    ("limit", 5, 1),
)


def made_takes(data: Path, speech: Path | None, seed: int) -> dict[str, ks.Take]:
    """Performed takes, one of a listened voice (a recording's or a performed one), recordings."""
    takes = {name: ks.perform(text, style, seed=seed) for name, (text, style) in TEXTS.items()}
    voice = takes["host"].audio if speech is None else str(speech)
    assert voice is not None
    out = {"host": takes["host"], "listened": ks.listen(voice, seed=seed), **takes}
    texts = Path(__file__).parents[1] / "tests" / "generation" / "texts"
    for k, (name, style) in enumerate(FILES):
        text = (texts / f"{name}.txt").read_text(encoding="utf-8")[:TEXT_LENGTH]
        out[name] = ks.perform(text, style, seed=seed + k + 1, voice="none")
    for name in RECORDINGS:
        if (data / name).is_file():
            out[Path(name).stem] = start_of(ks.load(data / name))
    return out


def start_of(take: ks.Take) -> ks.Take:
    """The first seconds of a recording, after its calibration pose."""
    return ks.edit(take, ks.Edits(start_s=1.0, end_s=1.0 + LONGEST_S))


def bodies(data: Path, folder: Path) -> Iterator[tuple[str, ks.Character]]:
    """Made bodies, then those characters of the recordings that are there."""
    for name, build in BUILDS.items():
        yield name, ks.load_character(write_body(build, folder / f"{name}.glb"))
    for name in CHARACTERS:
        if (data / "characters" / name).is_file():
            yield Path(name).stem[:18], ks.load_character(data / "characters" / name)


def acceleration(take: ks.Take, character: ks.Character) -> float:
    """The 99 % quantile of the wrists' acceleration, m/s2."""
    wrists = take.clip.world_positions[:, character.rig.joints(("leftHand", "rightHand"))]
    second = np.diff(wrists, n=2, axis=0) * take.clip.fps**2
    return float(np.quantile(np.linalg.norm(second, axis=-1), 0.99))


def arms(take: ks.Take, character: ks.Character, figure: Figure | None) -> tuple[float, ...]:
    """Share and depth of arms in the body, and share of hands in each other; %, mm."""
    if figure is not None and character.skin.from_mesh:
        found = mesh_penetration(take.clip, character.rig, figure)
        share, deepest, hands = found.body.share, found.body.deepest_m, found.hands.share
    else:
        depth = -arm_gaps(character.skin, take.clip).gaps.min(axis=1)
        share, deepest = float(np.mean(depth > 0.01)), max(float(depth.max()), 0.0)
        hands = float(np.mean(touching_of(take.clip, character.skin).meeting.overlap > 0.005))
    return 100.0 * share, 1000.0 * deepest, 100.0 * hands


def apart(take: ks.Take, skin: BodySkin, source: ks.Take, own: BodySkin) -> float:
    """How far hands are apart that touch in the motion, mm; 0 if none do."""
    met = touching_of(source.clip, own).meeting.lack > -0.004
    lack = touching_of(take.clip, skin).meeting.lack[met] / skin.scale
    gaps = np.where(np.isfinite(lack), np.maximum(-lack, 0.0), 0.3)
    return 1000.0 * float(np.median(gaps)) if met.any() else 0.0


def source_skin(take: ks.Take) -> BodySkin:
    """Skin of the body that a take is of."""
    return ks.Character(report_of(take).rig, "the source", None, take.origin).skin


class LegMesh:
    """Legs of a mesh: which vertices and triangles are whose."""

    def __init__(self, character: ks.Character, figure: Figure) -> None:
        rig = character.rig
        self.figure, self.character = figure, character
        legs, feet = (
            [carried_by(figure, set(rig.skeleton.subtree(rig.joint(s + p)))) for s in SIDES]
            for p in ("UpperLeg", "Foot")
        )
        self.legs = [np.flatnonzero(mask) for mask in legs]
        self.shells = [figure.triangles[mask[figure.triangles].all(axis=1)] for mask in legs]
        self.feet = [np.flatnonzero(mask) for mask in feet]
        self.at_rest = self.depth(figure.positions)

    def posed(self, clip: ks.Clip, frame: int) -> Floats:
        """Vertices in a frame."""
        return pose_mesh(self.figure, clip.world_rotations[frame], clip.world_positions[frame])[0]

    def depth(self, at: Floats) -> float:
        """How deep one leg is in the other, metres."""
        deepest = 0.0
        for k in range(2):
            shell = at[self.shells[1 - k]]
            if not len(shell) or not len(self.legs[k]):
                continue
            some = at[self.legs[k]]
            within = some[inside_mesh(some, shell)]
            if len(within):
                deepest = max(deepest, float(distance_to_mesh(within, shell).max()))
        return deepest

    def measure(self, clip: ks.Clip, frames: Ints, stands: Bools) -> tuple[float, float]:
        """How much deeper than at rest legs are in each other, and how far soles are off; mm."""
        deeper, off = 0.0, [0.0]
        for frame in frames:
            at = self.posed(clip, int(frame))
            deeper = max(deeper, self.depth(at) - self.at_rest)
            off += [
                abs(float(at[foot, 1].min()))
                for k, foot in enumerate(self.feet)
                if stands[frame, k] and len(foot)
            ]
        return 1000.0 * deeper, 1000.0 * float(np.quantile(off, 0.95))


def slides(take: ks.Take, source: ks.Take, character: ks.Character) -> tuple[float, float]:
    """Mean speed of standing feet on the character, and in the motion at its scale; mm/s."""
    own = report_of(source).rig
    stands = standing(source.clip, own)
    both = stands[1:] & stands[:-1]
    if not both.any():
        return 0.0, 0.0
    scale = leg_length(character.rig) / leg_length(own)
    found = []
    for clip, rig, factor in ((take.clip, character.rig, 1.0), (source.clip, own, scale)):
        bone = "Toes" if "leftToes" in rig else "Foot"
        step = np.linalg.norm(np.diff(points(clip, rig, bone)[..., [0, 2]], axis=0), axis=-1)
        found.append(1000.0 * factor * clip.fps * float(step[both].mean()))
    return found[0], found[1]


def measures(take: ks.Take, character: ks.Character, legs: LegMesh | None) -> list[float]:
    """The columns of a take on a body."""
    figure = None if legs is None else legs.figure
    raw = ks.retarget(take, character, settings=PLAIN, keep_calibration=True)
    clear = ks.retarget(take, character, keep_calibration=True)
    before, after = (arms(t, character, figure) for t in (raw, clear))
    own = source_skin(take)
    gaps = [apart(t, character.skin, take, own) for t in (raw, clear)]
    both = [x for pair in zip((*before, gaps[0]), (*after, gaps[1]), strict=True) for x in pair]
    stands = standing(take.clip, report_of(take).rig)
    step = max(1, round(take.clip.fps / STEPS_HZ))
    below = (0.0, 0.0)
    if legs is not None:
        below = legs.measure(clear.clip, np.arange(0, len(take.clip), step), stands)
    limits = [100.0 * limit_breaches(t.clip, character.rig).share for t in (raw, clear)]
    ratio = acceleration(clear, character) / acceleration(raw, character)
    return [*both, *below, *slides(clear, take, character), ratio, max(limits[1] - limits[0], 0.0)]


def line(name: str, values: list[float]) -> str:
    """One row of the table."""
    cells = [f"{v:{w}.{d}f}" for v, (_, w, d) in zip(values, COLUMNS, strict=True)]
    return f"{name:30s} " + " ".join(cells)


def chosen(takes: dict[str, ks.Take], body: int) -> list[str]:
    """Takes of a body: the first two, and two of the others in turn."""
    names = list(takes)
    others = names[2:]
    return names[:2] + [others[(2 * body + k) % len(others)] for k in range(2)]


def seconds_per_minute(take: ks.Take, character: ks.Character) -> tuple[float, float]:
    """Time to retarget a minute of motion without and with clearing, seconds; best of two."""
    out = []
    for settings in (PLAIN, RetargetSettings()):
        times = []
        for _ in range(2):
            start = time.process_time()
            ks.retarget(take, character, settings=settings)
            times.append(time.process_time() - start)
        out.append(60.0 * min(times) / take.clip.duration_s)
    return out[0], out[1]


def with_mesh(character: ks.Character) -> LegMesh | None:
    """Legs of a character whose mesh is a body."""
    figure = figure_if_any(character.origin, character.rig.skeleton)
    return LegMesh(character, figure) if figure is not None and character.skin.from_mesh else None


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--data", type=Path, default=Path(os.environ.get("KINESPHERE_DATA", "../shared/data"))
    )
    parser.add_argument("--speech", type=Path, help="a voice to listen to")
    parser.add_argument("--seed", type=int, default=3, help="of the takes")
    parser.add_argument("--all", action="store_true", help="every take on every body")
    parser.add_argument("--takes", action="store_true", help="a row for every take")
    values = parser.parse_args()
    takes = made_takes(values.data, values.speech, values.seed)
    print(" " * 31 + " ".join(f"{title:>{w}s}" for title, w, _ in COLUMNS))
    times = []
    with TemporaryDirectory() as folder:
        for k, (name, character) in enumerate(bodies(values.data, Path(folder))):
            legs, found = with_mesh(character), []
            for which in takes if values.all else chosen(takes, k):
                found.append(measures(takes[which], character, legs))
                if values.takes:
                    print(line(f"{name} {which}", found[-1]), flush=True)
            print(line(name, [float(x) for x in np.max(found, axis=0)]), flush=True)
            times.append((name, *seconds_per_minute(takes["host"], character)))
    for name, without, clearing in times:
        print(f"{name:20s} a minute of motion: {without:.2f} s, {clearing:.2f} s with clearing")


if __name__ == "__main__":
    main()
