"""Retargeting of real recordings to the default humanoid and back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.character.naming import identify
from kinesphere.formats.registry import read_take
from kinesphere.maths.arrays import Bools, Floats
from kinesphere.motion.calibration import without_calibration
from kinesphere.motion.contacts import detect_contacts
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.measure import leg_length
from kinesphere.motion.retargeting import retarget
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
    wrists = source.joints(WRISTS)
    error = np.linalg.norm(
        back.world_positions[:, wrists] - clip.world_positions[:, wrists], axis=-1
    )
    assert error.max() < 0.02
    before, planted = sliding(clip, source)
    after, _ = sliding(moved, target, planted)
    scale = leg_length(target) / leg_length(source)
    assert after <= scale * before * 1.001 + 2e-4
    lowest = [c.world_positions[..., 1].min() for c in (clip, moved)]
    assert lowest[1] > scale * lowest[0] - 0.04


def test_calibration_poses_of_recordings(data: Path) -> None:
    clip = read_take(data / "cmu" / "18_08.bvh").clip
    assert len(without_calibration(clip)) == len(clip) - 1
    take = ks.retarget(ks.load(data / "cmu" / "18_08.bvh"))
    assert len(take.clip) == len(clip) - 1
    assert len(ks.retarget(ks.load(data / "cmu" / "18_08.bvh"), keep_calibration=True).clip) == len(
        clip
    )
