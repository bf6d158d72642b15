"""Retargeting of real recordings to the default humanoid and back."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from benchmarks.retargeted_feet import row

import kinesphere as ks
from kinesphere.character.figure import Figure
from kinesphere.character.naming import identify
from kinesphere.character.take_rig import report_of
from kinesphere.export.render.raster import pose
from kinesphere.formats.gltf.gltf_reading import GltfOrigin
from kinesphere.formats.gltf.mesh import figure_of
from kinesphere.formats.gltf.stored_figure import default_figure
from kinesphere.formats.registry import read_take
from kinesphere.maths.arrays import Bools, Floats
from kinesphere.motion.calibration import without_calibration
from kinesphere.motion.contacts import detect_contacts
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.measure import leg_length
from kinesphere.motion.retargeting.retargeting import retarget
from kinesphere.pipeline.retarget import load_character
from tests.conftest import data_folder

FEET = ("leftFoot", "rightFoot")
WRISTS = ("leftHand", "rightHand")


def files() -> list[str]:
    folder = data_folder()
    if folder is None:
        return ["no recordings"]
    some = [
        *folder.glob("cmu/*.bvh"),
        *folder.glob("greta/*.bvh"),
        *sorted(folder.glob("smartbody/*/*.skm"))[::15],
    ]
    some += [
        folder / "beat2/2_scott_0_1_1.npz",
        folder / "characters/CesiumMan.glb",
        folder / "characters/RiggedFigure.glb",
    ]
    return sorted(str(p.relative_to(folder)) for p in some)


def sliding(clip: ks.Clip, rig: Rig, contacts: Bools | None = None) -> tuple[float, Bools]:
    """Mean horizontal speed of planted feet, m/s."""
    feet: Floats = clip.world_positions[:, rig.joints(FEET)]
    planted = detect_contacts(feet, clip.fps) if contacts is None else contacts
    speed = np.linalg.norm(np.diff(feet[..., [0, 2]], axis=0), axis=-1) * clip.fps
    both = planted[1:] & planted[:-1]
    return float((speed * both).sum() / max(int(both.sum()), 1)), planted


@pytest.mark.parametrize("name", files())
def test_there_and_back(name: str, data: Path) -> None:
    clip = without_calibration(read_take(data / name).clip)
    source, target = identify(clip.skeleton, clip.rotations).rig, ks.default_rig()
    moved = retarget(clip, source, target)
    back = retarget(moved, target, source)
    # From the hips: the floor of a recording, which need not be at zero nor level, does not return.
    wrists, hips = source.joints(WRISTS), [source.bones["hips"]]
    error = back.world_positions - clip.world_positions
    error = np.linalg.norm(error[:, wrists] - error[:, hips], axis=-1)
    assert error.max() < 0.02
    before, planted = sliding(clip, source)
    after, _ = sliding(moved, target, planted)
    scale = leg_length(target) / leg_length(source)
    assert after <= scale * before * 1.001 + 2e-4
    lowest = [c.world_positions[..., 1].min() for c in (clip, moved)]
    assert lowest[1] > scale * lowest[0] - 0.04


def recordings() -> list[str]:
    folder = data_folder()
    if folder is None:
        return ["no recordings"]
    found = [f for kind in ("cmu/*.bvh", "greta/*.bvh", "beat2/*.npz") for f in folder.glob(kind)]
    return sorted(str(f.relative_to(folder)) for f in found)


@pytest.mark.parametrize("name", recordings())
def test_feet_that_stand_stand_on_the_floor_of_every_body(name: str, data: Path) -> None:
    take = ks.load(data / name)
    clip, source = without_calibration(take.clip), report_of(take).rig
    for character in ("default", "CesiumMan.glb", "Godette_vrm_v4.vrm"):
        found = row(clip, source, _body(character, data))
        assert found is not None
        assert found["sole95"] < 5.0, (character, found)
        assert found["toe95"] < 9.0, (character, found)
        assert found["slide"] < 1.35 * found["was"] + 3.0, (character, found)
        assert abs(found["bend"]) < 9.0, (character, found)


MESHES = ("CesiumMan.glb", "RiggedFigure.glb", "Godette_vrm_v4.vrm", "default")


@pytest.mark.parametrize("character", MESHES)
def test_the_soles_of_the_mesh_lie_flat_on_the_floor(character: str, data: Path) -> None:
    """Of heel, middle and toes alike: the rig's own idea of its feet has no part in this."""
    file = character if character == "default" else data / "characters" / character
    loaded = load_character(file)
    origin = loaded.origin
    figure = figure_of(origin) if isinstance(origin, GltfOrigin) else default_figure()
    take = ks.load(data / "cmu" / "18_08.bvh")
    clip = ks.retarget(take, loaded).clip
    for frame in (500, 1000, 1500):
        world = clip.world_rotations[frame], clip.world_positions[frame]
        for side in ("left", "right"):
            bottoms = _sole_heights(figure, loaded.rig, side, *world)
            assert np.abs(bottoms).max() < 0.003, (side, bottoms)


def _sole_heights(
    figure: Figure, rig: Rig, side: str, rotations: Floats, positions: Floats
) -> Floats:
    """Lowest vertex at the back, in the middle and at the front of a foot."""
    rest, _ = pose(figure, rig.skeleton.rest_world_rotations, rig.skeleton.rest_world_positions)
    ankle = rig.skeleton.rest_world_positions[rig.joint(f"{side}Foot")]
    foot = (rest[:, 1] < ankle[1]) & (np.sign(rest[:, 0]) == np.sign(ankle[0]))
    along = rest[foot, 2] * np.sign(rig.canonical_pose[1][rig.joint(f"{side}Toes"), 2])
    part = np.digitize(along, np.quantile(along, [1 / 3, 2 / 3]))
    points, _ = pose(figure, rotations, positions)
    return np.array([points[foot][part == k, 1].min() for k in range(3)])


@cache
def _body(character: str, data: Path) -> Rig:
    return load_character(
        character if character == "default" else data / "characters" / character
    ).rig


def test_on_its_own_body_a_recording_stays_as_it_is(data: Path) -> None:
    take = ks.load(data / "cmu" / "138_11.bvh")
    clip, rig = without_calibration(take.clip), report_of(take).rig
    parts = ("UpperLeg", "LowerLeg", "Foot", "Toes")
    legs = rig.joints([f"{side}{part}" for side in ("left", "right") for part in parts])
    error = retarget(clip, rig, rig).world_positions - clip.world_positions
    assert np.abs(error[:, legs]).max() < 1e-9


def test_the_floor_of_a_recording_is_noted(data: Path) -> None:
    take = ks.load(data / "cmu" / "18_08.bvh")
    assert not [note for note in ks.retarget(take).notes if "floor" in note]
    lower = replace(take.clip, root_positions=take.clip.root_positions - [0.0, 0.8, 0.0])
    moved = ks.retarget(replace(take, clip=lower))
    assert any("floor of the motion is at -0.7" in note for note in moved.notes)
    assert np.allclose(moved.clip.root_positions, ks.retarget(take).clip.root_positions, atol=1e-6)


def test_calibration_poses_of_recordings(data: Path) -> None:
    clip = read_take(data / "cmu" / "18_08.bvh").clip
    assert len(without_calibration(clip)) == len(clip) - 1
    take = ks.retarget(ks.load(data / "cmu" / "18_08.bvh"))
    assert len(take.clip) == len(clip) - 1
    assert len(ks.retarget(ks.load(data / "cmu" / "18_08.bvh"), keep_calibration=True).clip) == len(
        clip
    )
