from __future__ import annotations

import numpy as np

import kinesphere as ks
from kinesphere.maths import quaternion as quat
from kinesphere.motion.clip import rest_clip
from kinesphere.motion.contacts import detect_contacts, move_limb_ends

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


def test_feet_are_held_still_by_leg_ik() -> None:
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
    ends = [leg[2] for leg in legs]
    held = np.broadcast_to(swaying.world_positions[:1, ends], (120, 2, 3))
    fixed = move_limb_ends(swaying, legs, held, [[1.0, 0.0, 0.0]] * 2)  # type: ignore[arg-type]
    feet = fixed.world_positions[:, ends]
    assert np.ptp(feet, axis=0).max() < 1e-9
    ankle = rig.joint("leftFoot")
    assert (
        quat.angle_between(fixed.world_rotations[:, ankle], swaying.world_rotations[:, ankle]).max()
        < 1e-6
    )
