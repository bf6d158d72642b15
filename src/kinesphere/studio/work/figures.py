"""Characters that the page displays, and clips as frames for their nodes.

A frame poses the nodes of the character's own file, so that the page needs no rig: the root's
position and rotation are relative to its parent node in the file.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from kinesphere.animation.arms.poses.home_pose import home_rotations
from kinesphere.character.default import default_rig
from kinesphere.character.take_rig import declared_bones
from kinesphere.errors import InvalidValueError
from kinesphere.formats.gltf.character import character_bytes, face_binds, holds_character
from kinesphere.formats.gltf.gltf_reading import GltfOrigin
from kinesphere.formats.gltf.gltf_writing import glb_bytes
from kinesphere.formats.gltf.mesh import check_meshes
from kinesphere.formats.gltf.stored_figure import default_figure, figure_bytes
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.retargeting.retargeting import retarget
from kinesphere.motion.take import Take
from kinesphere.pipeline.retarget import Character, load_character
from kinesphere.studio.server import packets


@dataclass(frozen=True, eq=False)
class ShownFigure:
    """A character on the page.

    Parameters
    ----------
    name : shown to the user.
    rig : to which clips are retargeted.
    glb : its file.
    vrm : whether the face uses a VRM character's expressions.
    shapes : face shapes, in the order of a frame.
    origin : source file of an uploaded character.
    """

    name: str
    rig: Rig
    glb: bytes
    vrm: bool
    shapes: tuple[str, ...]
    origin: GltfOrigin | None = None

    @property
    def joints(self) -> tuple[str, ...]:
        """Node names of the file, in the order of a frame."""
        if self.origin is None:
            return tuple(self.rig.skeleton.names)
        nodes = self.origin.document.items("nodes")
        names = self.rig.skeleton.names
        found = [nodes[node].get("name") for node in self.origin.nodes]
        return tuple(n if isinstance(n, str) else names[j] for j, n in enumerate(found))

    @property
    def bones(self) -> dict[str, str]:
        """Humanoid bone to the node that is mapped to it."""
        joints = self.joints
        return {bone: joints[j] for bone, j in self.rig.bones.items()}

    def retarget(self, clip: Clip, rig: Rig | None = None) -> Clip:
        """A clip retargeted to this character; `rig` is the clip's, by default the mannequin.

        The mannequin's own footing is used, so that frames one by one equal the whole clip.
        """
        if clip.skeleton.same_joints(self.rig.skeleton):
            return clip
        if rig is None:
            return retarget(clip, default_rig(), self.rig, footing=default_rig().footing)
        return retarget(clip, rig, self.rig)

    def frames(self, clip: Clip) -> bytes:
        """Frames of a clip on this character's skeleton."""
        turns, roots = clip.rotations, self._roots(clip)
        if self.origin is not None:
            back = quaternion.inverse(self.origin.above_rotation)
            turns = np.array(turns)
            turns[:, 0] = quaternion.multiply(back, turns[:, 0])
            local = roots / self.origin.metres - self.origin.above_position
            roots = quaternion.rotate(back, local) / self.origin.scale[0]
        return packets.frames(roots, turns, clip.channels, self.shapes)

    def _roots(self, clip: Clip) -> Floats:
        """Root positions that bring the hips, which may move relative to the root, to theirs."""
        if not clip.translated_joints:
            return clip.root_positions
        hips = self.rig.bones.get("hips", 0)
        still = Clip(clip.skeleton, clip.fps, clip.root_positions, clip.rotations)
        moved: Floats = clip.world_positions[:, hips] - still.world_positions[:, hips]
        return clip.root_positions + moved

    def home(self) -> str:
        """A frame of the rest pose, as base64."""
        return base64.b64encode(self.frames(self.retarget(_home_clip()))).decode("ascii")


def _home_clip() -> Clip:
    skeleton = default_rig().skeleton
    return Clip(skeleton, 60.0, skeleton.offsets[:1].copy(), home_rotations()[None])


@cache
def default_shown_figure() -> ShownFigure:
    """The default mannequin."""
    figure = default_figure()
    return ShownFigure(
        "Mannequin", default_rig(), figure_bytes(figure), False, tuple(figure.morphs)
    )


def shown_character(path: str, name: str) -> ShownFigure:
    """A character from a file.

    Raises
    ------
    KinesphereError
        If the file cannot be read or contains no humanoid.
    """
    character = load_character(path)
    origin = character.origin
    if isinstance(origin, GltfOrigin) and any("mesh" in n for n in origin.document.items("nodes")):
        return _of_file(character, origin, name)
    clip = retarget(_home_clip(), default_rig(), character.rig)
    take = Take(clip, provenance={"humanoid": declared_bones(character.rig)})
    return ShownFigure(name, character.rig, glb_bytes(take), False, ())


def _of_file(character: Character, origin: GltfOrigin, name: str) -> ShownFigure:
    clip = retarget(_home_clip(), default_rig(), character.rig)
    if not holds_character(origin, clip):
        raise InvalidValueError(f"{name}: its mesh cannot be displayed")
    check_meshes(origin.document)
    extensions = origin.document.json.get("extensions") or {}
    vrm = bool({"VRM", "VRMC_vrm"} & set(extensions))
    return ShownFigure(
        name,
        character.rig,
        character_bytes(replace(clip, channels={}), origin),
        vrm,
        tuple(face_binds(origin.document)),
        origin,
    )
