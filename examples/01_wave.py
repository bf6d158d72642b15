"""A wave by key poses on the default character, written as take, BVH, GLB, VRMA, page and video.

Run it with a folder to write to: ``python examples/01_wave.py out``.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import kinesphere as ks
from kinesphere.animation.arms.poses.home_pose import hand_turn
from kinesphere.maths import quaternion as quat
from kinesphere.maths.arrays import Floats
from kinesphere.maths.splines import RotationSpline, Spline
from kinesphere.motion.body.limbs import limb_of, solve
from kinesphere.motion.body.look_at import look_at
from kinesphere.motion.contacts import move_limb_ends

FPS = 60.0
DURATION_S = 4.0

# Right wrist in the chest's frame, from between the shoulders: (seconds, out, up, forward).
RIGHT_WRIST = [
    (0.0, 0.25, -0.47, 0.12),
    (0.45, 0.25, -0.47, 0.12),
    (0.85, 0.36, -0.20, 0.24),
    (1.15, 0.30, 0.10, 0.24),
    (1.45, 0.42, 0.13, 0.21),
    (1.75, 0.29, 0.14, 0.23),
    (2.05, 0.42, 0.14, 0.21),
    (2.35, 0.30, 0.13, 0.23),
    (2.65, 0.38, 0.08, 0.24),
    (3.05, 0.35, -0.22, 0.25),
    (3.55, 0.26, -0.46, 0.13),
    (4.0, 0.25, -0.47, 0.12),
]
LEFT_WRIST = [
    (0.0, 0.24, -0.48, 0.11),
    (1.1, 0.25, -0.47, 0.13),
    (2.4, 0.23, -0.48, 0.10),
    (4.0, 0.24, -0.48, 0.11),
]
# Lean of the hand during the wave: (seconds, degrees towards the outside).
WAVE = [(1.0, -8), (1.45, 28), (1.75, -20), (2.05, 27), (2.35, -18), (2.65, 8), (3.0, 0)]
# Head tilt and rotation of the chest: (seconds, degrees).
HEAD_TILT = [(0.0, 0), (0.6, 0), (1.3, 8), (2.6, 7), (3.4, 0), (4.0, 0)]
CHEST_TURN = [(0.0, 0), (0.5, 1), (1.2, -7), (2.6, -5), (3.5, 1), (4.0, 0)]
HIPS_SHIFT = [(0.0, 0.0), (0.8, -0.004), (1.5, 0.022), (2.7, 0.018), (3.6, -0.002), (4.0, 0.0)]
CURLS = {"Index": 24, "Middle": 29, "Ring": 32, "Little": 36}


def curve(keys: Sequence[tuple[float, float]], at: Floats) -> Floats:
    """Smooth curve through (time, value) keys."""
    table = np.array(keys, dtype=float)
    return Spline(table[:, 0], table[:, 1])(at)


def wave() -> ks.Clip:
    """Make the clip."""
    rig = ks.default_rig()
    skeleton = rig.skeleton
    at = np.arange(int(DURATION_S * FPS) + 1) / FPS
    rotations = np.broadcast_to(skeleton.rest_rotations, (len(at), len(skeleton), 4)).copy()
    root = np.tile(skeleton.offsets[0], (len(at), 1))
    root[:, 0] += curve(HIPS_SHIFT, at)
    root[:, 1] -= 0.004

    turn = np.radians(curve(CHEST_TURN, at))
    breath = np.radians(0.8) * np.sin(2 * np.pi * 0.28 * at)
    for bone, share in (("spine", 0.4), ("chest", 0.35), ("upperChest", 0.25)):
        yaw = quat.from_axis_angle([0.0, 1.0, 0.0], share * turn)
        pitch = quat.from_axis_angle([1.0, 0.0, 0.0], -share * breath + np.radians(1.0))
        rotations[:, rig.joint(bone)] = quat.multiply(yaw, pitch)

    pose_arms(rig, at, rotations)
    clip = ks.Clip(skeleton, FPS, root, rotations)
    clip = look_ahead(rig, clip, at)
    legs = [(f"{s}UpperLeg", f"{s}LowerLeg", f"{s}Foot") for s in ("left", "right")]
    joints = [(rig.joint(a), rig.joint(b), rig.joint(c)) for a, b, c in legs]
    feet = np.broadcast_to(skeleton.rest_world_positions[[j[2] for j in joints]], (len(at), 2, 3))
    return move_limb_ends(clip, joints, feet, np.tile([1.0, 0.0, 0.0], (2, 1)))


def pose_arms(rig: ks.Rig, at: Floats, rotations: Floats) -> None:
    """Put wrists on their splines, then hands and fingers."""
    skeleton = rig.skeleton
    places = skeleton.rest_world_positions
    shoulders = places[rig.joints(("leftUpperArm", "rightUpperArm"))]
    for side, name, keys in ((1, "left", LEFT_WRIST), (-1, "right", RIGHT_WRIST)):
        table = np.array(keys)
        wrist = Spline(table[:, 0], table[:, 1:] * np.array([side, 1, 1]), tension=0.1)(at)
        arm = rig.joints([f"{name}{p}" for p in ("UpperArm", "LowerArm", "Hand")])
        limb = limb_of(skeleton, (arm[0], arm[1], arm[2]), [0, 0, 1], [0, 0, 1], [0, -1, 0], side)
        raised = np.clip((wrist[:, 1] + 0.5) / 0.6, 0.0, 1.0)
        shrug = quat.from_axis_angle([0.0, 0.0, float(side)], np.radians(9.0) * raised)
        collar = rig.joint(f"{name}Shoulder")
        rotations[:, collar] = shrug
        ball = places[collar] + quat.rotate(shrug, places[arm[0]] - places[collar])
        pose = solve(limb, ball, shoulders.mean(axis=0) + wrist, np.radians(28.0 + 12.0 * raised))
        rotations[:, arm[0]] = quat.relative(shrug, pose.ball)
        rotations[:, arm[1]] = pose.hinge
        lower = quat.multiply(pose.ball, pose.hinge)
        rotations[:, arm[2]] = quat.relative(lower, hand_turns(side, at))
        pose_fingers(rig, name, side, at, rotations)


def hand_turns(side: int, at: Floats) -> Floats:
    """Hand orientation in the chest's frame: hanging, and for the right hand waving."""
    name = "left" if side == 1 else "right"
    hang = hand_turn(name, (0.05 * side, -1.0, 0.18), (-side, 0.0, 0.25))
    if side == 1:
        return np.broadcast_to(hang, (len(at), 4))
    greet = hand_turn(name, (-0.1, 1.0, 0.1), (0.15, 0.1, 1.0))
    keys = [hang, hang, greet, greet, hang, hang]
    poses = RotationSpline([0.0, 0.5, 1.15, 2.7, 3.45, 4.0], keys, tension=1.0)
    lean = np.where((at > 1.0) & (at < 3.0), curve(WAVE, at), 0.0)
    return quat.multiply(quat.from_axis_angle([0.0, 0.0, 1.0], np.radians(lean)), poses(at))


def pose_fingers(rig: ks.Rig, name: str, side: int, at: Floats, rotations: Floats) -> None:
    """Relaxed fingers; the waving hand opens."""
    opened = np.zeros(len(at))
    if side == -1:
        opened = curve([(0.0, 0.0), (0.6, 0.0), (1.2, 1.0), (2.6, 1.0), (3.3, 0.0), (4.0, 0.0)], at)
    for finger, degrees in CURLS.items():
        curl = np.radians(degrees) * (1.0 - 0.75 * opened)
        turn = quat.from_axis_angle([0.0, 0.0, -float(side)], curl)
        for part in ("Proximal", "Intermediate", "Distal"):
            rotations[:, rig.joint(f"{name}{finger}{part}")] = turn


def look_ahead(rig: ks.Rig, clip: ks.Clip, at: Floats) -> ks.Clip:
    """Rotate the face to a person in front and tilt the head in greeting."""
    neck, head = rig.joint("neck"), rig.joint("head")
    parent = int(clip.skeleton.parents[neck])
    someone = np.array([-0.25, 1.62, 2.5])
    neck_turn, head_turn = look_at(
        rig, clip.world_rotations[:, parent], clip.world_positions[:, neck], someone
    )
    tilt = quat.from_axis_angle([0.0, 0.0, 1.0], np.radians(curve(HEAD_TILT, at)))
    rotations = clip.rotations.copy()
    rotations[:, neck], rotations[:, head] = neck_turn, quat.multiply(head_turn, tilt)
    return ks.Clip(clip.skeleton, clip.fps, clip.root_positions, rotations)


def main() -> None:
    """Write the files and print their paths."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
    folder.mkdir(parents=True, exist_ok=True)
    take = ks.add_idle(ks.Take(wave(), provenance={"made_by": "examples/01_wave.py"}), seed=3)
    for ending in ("kin", "bvh", "glb", "vrma", "html"):
        path = folder / f"wave.{ending}"
        take.save(path)
        print(f"wrote {path.resolve()}")
    try:
        ks.save(take, folder / "wave.mp4", ks.Look(size=(640, 480)))
        print(f"wrote {(folder / 'wave.mp4').resolve()}")
    except ks.KinesphereError as error:
        print(f"no video: {error}")
    print("open wave.html in a browser, the .glb in Blender, the .bvh in any animation program")


if __name__ == "__main__":
    main()
