from __future__ import annotations

import numpy as np

import kinesphere as ks
from kinesphere.maths import quaternion as quat
from kinesphere.motion.clip import rest_clip
from kinesphere.motion.contacts import detect_contacts, floor_height, pin_feet, pinned_paths

FPS = 60.0


def step_path() -> np.ndarray:
    """Stand 1 s, step 0.4 m ahead in 0.5 s, stand 1 s; a little shaking throughout."""
    t = np.arange(int(2.5 * FPS)) / FPS
    r = np.clip((t - 1.0) / 0.5, 0, 1)
    ease = r * r * (3 - 2 * r)
    path = np.stack([0.1 + 0 * t, 0.08 + 0.12 * np.sin(np.pi * r), 0.4 * ease], axis=1)
    rng = np.random.default_rng(3)
    return path + 0.001 * rng.normal(size=path.shape).cumsum(axis=0) * 0.2


def test_standing_and_stepping_are_told_apart() -> None:
    contacts = detect_contacts(step_path()[:, None], FPS)[:, 0]
    assert contacts[:54].all()
    assert not contacts[66:84].any()
    assert contacts[96:].all()


def test_pinned_paths_stand_still_and_join_smoothly() -> None:
    path = step_path()[:, None]
    contacts = detect_contacts(path, FPS)
    pinned = pinned_paths(path, contacts, FPS)
    for start, stop in ((0, 54), (96, 150)):
        assert np.ptp(pinned[start:stop], axis=0).max() < 1e-12
    assert np.abs(pinned - path).max() < 0.05
    assert (
        np.linalg.norm(np.diff(pinned, 2, axis=0), axis=-1).max()
        < 3 * np.linalg.norm(np.diff(path, 2, axis=0), axis=-1).max()
    )


def test_feet_are_pinned_by_leg_ik() -> None:
    rig = ks.default_rig()
    clip = rest_clip(rig.skeleton, 120, FPS)
    root = clip.root_positions.copy()
    t = np.arange(120) / FPS
    root[:, 0] += 0.012 * np.sin(2 * np.pi * 0.5 * t)
    root[:, 1] -= 0.03
    swaying = ks.Clip(rig.skeleton, FPS, root, clip.rotations)
    legs = [
        tuple(rig.joints([f"{s}UpperLeg", f"{s}LowerLeg", f"{s}Foot"])) for s in ("left", "right")
    ]
    fixed = pin_feet(swaying, legs)  # type: ignore[arg-type]
    feet = fixed.world_positions[:, [leg[2] for leg in legs]]
    assert np.ptp(feet, axis=0).max() < 1e-9
    ankle = rig.joint("leftFoot")
    assert (
        quat.angle_between(fixed.world_rotations[:, ankle], swaying.world_rotations[:, ankle]).max()
        < 1e-6
    )


def test_floor_height() -> None:
    assert abs(floor_height(step_path()[:, None]) - 0.08) < 0.02
