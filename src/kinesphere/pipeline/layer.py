"""A take layered on parts of another motion's body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike

from kinesphere.bodylanguage.play.layering import layer
from kinesphere.character.default import default_rig
from kinesphere.character.take_rig import report_of
from kinesphere.errors import RigError
from kinesphere.motion.calibration import calibration_note, without_calibration
from kinesphere.motion.clip import Clip
from kinesphere.motion.lengthening import is_loop, lengthen
from kinesphere.motion.resampling import resample
from kinesphere.motion.retargeting.retargeting import retarget
from kinesphere.motion.take import Take
from kinesphere.pipeline.convert import load


def layer_onto(take: Take, onto: Take | str | PathLike[str], parts: Sequence[str]) -> Take:
    """Layer a take on parts of another motion's body; edits of that motion are noted."""
    other = onto if isinstance(onto, Take) else load(onto)
    called = "the motion" if isinstance(onto, Take) else str(onto)
    base, notes = _base(other, called, take.clip)
    about = {**take.provenance, "notes": [*take.notes, *notes]} if notes else take.provenance
    return replace(take, clip=layer(base, take.clip, parts), provenance=about)


def _base(other: Take, called: str, made: Clip) -> tuple[Clip, list[str]]:
    """Base motion on the default figure, at the rate of `made` and no shorter."""
    notes = []
    base = without_calibration(other.clip)
    if skip := len(other.clip) - len(base):
        notes.append(f"{called}: {calibration_note(skip)}; removed")
    if base.skeleton.names != default_rig().skeleton.names:
        rig = report_of(other).rig
        if rig.missing:
            lacking = ", ".join(rig.missing)
            raise RigError(
                f"{called}: is not a humanoid: no joint for {lacking} ('doctor' shows why)"
            )
        base = retarget(base, rig, default_rig())
    base = resample(base, made.fps)
    if len(base) < len(made):
        how = "it is a loop and is repeated" if is_loop(base) else "its last pose is held"
        lengths = f"{base.duration_s:.1f} s of motion for {made.duration_s:.1f} s of speech"
        notes.append(f"{called}: {lengths}; {how}")
    return lengthen(base, len(made)), notes
