"""Motion onto another character."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import Any

from kinesphere.character.default import default_rig
from kinesphere.character.naming import RigReport, identify
from kinesphere.formats.registry import read_take
from kinesphere.motion.calibration import without_calibration
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.retargeting import RetargetSettings
from kinesphere.motion.retargeting import retarget as retarget_clip
from kinesphere.motion.take import Take


@dataclass(frozen=True)
class Character:
    """A body to move: its rig, a name for messages, and how its bones were found."""

    rig: Rig
    name: str
    report: RigReport | None = None


def report_of(take: Take) -> RigReport:
    """Which joints of a take play which bones; bones that the file declares win."""
    declared = take.provenance.get("humanoid", {})
    skeleton = take.clip.skeleton
    given = {bone: skeleton.index(joint) for bone, joint in declared.items()}
    return identify(skeleton, take.clip.rotations, given)


def load_character(source: str | PathLike[str] = "default", **options: Any) -> Character:
    """Return the default character, or the one in a file of any format we read."""
    if str(source) == "default":
        return Character(default_rig(), "the default character")
    report = report_of(read_take(source, **options))
    return Character(report.rig, str(source), report)


def retarget(
    take: Take | Clip,
    character: Character | Rig | str | PathLike[str] = "default",
    *,
    keep_calibration: bool = False,
    settings: RetargetSettings | None = None,
) -> Take:
    """Move a take onto another character.

    Parameters
    ----------
    take : the motion.
    character : ``"default"``, a file with a skeleton, or a rig.
    keep_calibration : keep a leading calibration pose, which is dropped otherwise.
    settings : see `kinesphere.motion.retargeting.RetargetSettings`.
    """
    take = take if isinstance(take, Take) else Take(take)
    if isinstance(character, Rig):
        character = Character(character, "a rig")
    elif not isinstance(character, Character):
        character = load_character(character)
    clip = take.clip if keep_calibration else without_calibration(take.clip)
    report = report_of(take)
    moved = retarget_clip(clip, report.rig, character.rig, settings)
    skipped = (len(take.clip) - len(clip)) / clip.fps
    tiers = (
        tuple(t.between(skipped, take.clip.duration_s) for t in take.tiers)
        if skipped
        else take.tiers
    )
    provenance = {**take.provenance, "retargeted_from": report.convention}
    provenance.pop("humanoid", None)
    return Take(moved, take.audio, tiers, take.documents, provenance)
