"""Retargeting of motion to another character."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property
from os import PathLike
from pathlib import Path
from typing import Any

from kinesphere.character.default import default_rig
from kinesphere.character.naming import RigReport
from kinesphere.character.skin.body_skin import BodySkin, body_skin
from kinesphere.character.skin.clearing import clear_arms
from kinesphere.character.take_rig import declared_bones, report_of
from kinesphere.errors import RigError, UnreadableError
from kinesphere.formats.gltf.character import face_binds
from kinesphere.formats.gltf.gltf_document import CompressedError
from kinesphere.formats.gltf.gltf_reading import GltfOrigin
from kinesphere.formats.gltf.mesh import figure_if_any, figure_of
from kinesphere.formats.gltf.stored_figure import default_figure
from kinesphere.formats.registry import read_take
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.retargeting.footing import Footing
from kinesphere.motion.retargeting.observed_footing import foot_tracks, footing_for
from kinesphere.motion.retargeting.retargeting import RetargetSettings
from kinesphere.motion.retargeting.retargeting import retarget as retarget_clip
from kinesphere.motion.take import Take
from kinesphere.pipeline.convert import cut_calibration, layout_only, take_of

# The floor height to the centimetre depends on the assumed soles.
_FLOOR_AT_ZERO_M = 0.05


@dataclass(frozen=True)
class Character:
    """A target character: its rig, a name for messages, how its bones were found, and its file.

    Examples
    --------
    >>> import kinesphere as ks
    >>> ks.idle(0.5).save("hero.glb")
    >>> hero = ks.load_character("hero.glb")
    >>> hero.name, hero.rig.missing
    ('hero.glb', ())
    """

    rig: Rig
    name: str
    report: RigReport | None = None
    origin: object | None = None

    @cached_property
    def skin(self) -> BodySkin:
        """Its skin, by its mesh where it has one, else by the lengths of its bones."""
        return _skin_of(self.rig, self.origin)


def load_character(source: str | PathLike[str] = "default", **options: Any) -> Character:
    """Return the default character, or the one in a file of any readable format.

    Examples
    --------
    >>> import kinesphere as ks
    >>> ks.idle(0.5).save("hero.glb")
    >>> ks.load_character("hero.glb").report.convention
    'VRM / Unity humanoid'
    """
    if str(source) == "default":
        return Character(default_rig(), "the default character")
    take = _read(source, options)
    origin = take.origin
    if isinstance(origin, GltfOrigin) and any("mesh" in n for n in origin.document.items("nodes")):
        try:
            # Damaged files are rejected for every output; compressed ones only where needed.
            if not origin.document.packed_meshes:
                figure_of(origin)
            face_binds(origin.document)
        except UnreadableError as error:
            raise error.at(source) from None
    report = report_of(take)
    if report.rig.missing:
        lacking = ", ".join(report.rig.missing)
        raise RigError(f"{source}: is not a humanoid: no joint for {lacking} ('doctor' shows why)")
    return Character(report.rig, str(source), report, take.origin)


def _read(source: str | PathLike[str], options: dict[str, Any]) -> Take:
    """File of a character; its own animation may be unreadable."""
    try:
        return read_take(source, **options)
    except CompressedError:
        if "animation" in options:
            raise
        return read_take(source, **options, animation="none")


def retarget(
    take: Take | Clip,
    character: Character | Rig | str | PathLike[str] = "default",
    *,
    keep_calibration: bool = False,
    settings: RetargetSettings | None = None,
) -> Take:
    """Retarget a take to another character, whose floor is at zero.

    Hands and forearms stay out of the character's body, and hands out of each other; a hand that
    touches the body touches the character's skin. The body is its mesh where the file has one.

    The floor of a recording is estimated from its feet; if it is not at zero, a note says
    where it is.

    Parameters
    ----------
    take : the motion.
    character : ``"default"``, a file with a skeleton, or a rig.
    keep_calibration : keep leading calibration poses, which are removed otherwise.
    settings : see `kinesphere.motion.retargeting.retargeting.RetargetSettings`.

    Examples
    --------
    >>> import kinesphere as ks
    >>> ks.idle(0.5).save("hero.glb")
    >>> moved = ks.retarget(ks.idle(1.0, seed=2), "hero.glb")
    >>> moved.clip.skeleton.names[:2]
    ('hips', 'spine')
    """
    take = take_of(take)
    if isinstance(character, Rig):
        character = Character(character, "a rig")
    elif not isinstance(character, Character):
        character = load_character(character)
    if not keep_calibration:
        take = cut_calibration(take)
    report = report_of(take)
    footing = _footing(take.clip, report.rig, character.rig, settings)
    moved = retarget_clip(take.clip, report.rig, character.rig, settings, footing)
    if (settings or RetargetSettings()).clear_arms:
        moved = _clear(moved, character.skin, take, report.rig)
    if abs(footing.floor_m) > _FLOOR_AT_ZERO_M:
        note = f"the floor of the motion is at {footing.floor_m:.2f} m; it is moved to 0"
        take = replace(take, provenance={**take.provenance, "notes": [*take.notes, note]})
    kept = {k: v for k, v in take.provenance.items() if k in ("notes", "seed", "settings")}
    provenance = {
        **kept,
        "retargeted_from": report.convention,
        "character": Path(character.name).name,
        "humanoid": declared_bones(character.rig),
    }
    origin = layout_only(character.origin)
    return Take(moved, take.audio, take.tiers, take.documents, provenance, origin)


def _skin_of(rig: Rig, origin: object) -> BodySkin:
    figure = figure_if_any(origin, rig.skeleton)
    if figure is None and rig.skeleton == default_rig().skeleton:
        return default_skin()
    return body_skin(rig, figure)


@cache
def default_skin() -> BodySkin:
    """Skin of the default character."""
    return body_skin(default_rig(), default_figure())


def _clear(clip: Clip, skin: BodySkin, take: Take, rig: Rig) -> Clip:
    """Arms out of the character's body, with the contacts of the take; an equal body keeps all."""
    source = _skin_of(rig, take.origin)
    return clip if skin.equals(source) else clear_arms(clip, skin, take.clip, source)


def _footing(clip: Clip, rig: Rig, target: Rig, settings: RetargetSettings | None) -> Footing:
    """Ground contact of a motion; our own body stands on the floor at zero, on its balls."""
    if clip.skeleton == default_rig().skeleton:
        return replace(rig.footing, on_balls=True)
    if not (settings or RetargetSettings()).place_feet:
        return rig.footing
    return footing_for(foot_tracks(clip, rig), rig, target)
