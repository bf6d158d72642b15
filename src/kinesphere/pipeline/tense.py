"""A take with another muscular tension."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from kinesphere.character.take_rig import report_of
from kinesphere.dynamics.tension import presets
from kinesphere.dynamics.tension.mass_tracker import Parameters
from kinesphere.dynamics.tension.presets import Tension
from kinesphere.dynamics.tension.tensed import TensedSettings, tense_clip
from kinesphere.errors import InvalidValueError, UnreadableError
from kinesphere.gesture.phases import ArmPhases
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import SIDES, Side
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.take import Take
from kinesphere.pipeline.arm_phases import phases_of, provenance_of, with_phases
from kinesphere.pipeline.convert import cut_calibration

_LARGEST_CURVE = 4_000_000


def tense(
    take: Take | Clip,
    tension: str | float | Tension = "tense",
    *,
    retraction: str | Parameters | None = None,
    curve: str | PathLike[str] | Mapping[float, float] | None = None,
    phases: str | Mapping[Side, ArmPhases] = "auto",
    settings: TensedSettings | None = None,
) -> Take:
    """Apply a tension to a take's arms; leading calibration poses are removed.

    Parameters
    ----------
    tension : a preset (loose, relaxed, neutral, tense, trembling), a number from -1 to 1, or
        ``ERROR,ZETA`` such as ``"5mm,0.3"``.
    retraction : ``ERROR,ZETA`` of retractions, instead of the tension's own.
    curve : tension from -1 to 1 over seconds, instead of `tension`: a CSV file with the columns
        time and tension, or a mapping.
    phases : ``"auto"`` takes those of the take, or detects them; ``"take"`` requires those of the
        take; ``"none"`` treats everything as a stroke.

    Raises
    ------
    InvalidValueError
        For a value that is not allowed; the message says what is.

    Examples
    --------
    >>> import kinesphere as ks
    >>> take = ks.perform("This is huge!", "host", seed=1, voice="none")
    >>> loose = ks.tense(take, "relaxed")
    >>> loose.provenance["tense"]["stroke"]  # rest error (m) and damping ratio
    [0.1, 0.5]
    """
    take = cut_calibration(take)
    rig = report_of(take).rig.require("tension")
    wanted = _tension_of(tension, curve, take.clip)
    if retraction is not None:
        back = presets.parse_parameters(retraction) if isinstance(retraction, str) else retraction
        wanted = replace(wanted, retraction=back)
    found = phases_of(take, rig, phases)
    clip = tense_clip(take.clip, rig, wanted, found, settings)
    provenance = {
        **take.provenance,
        "tense": {
            "tension": str(tension) if curve is None else "curve",
            **provenance_of(wanted, found),
            "wrists": _wrist_distances(take.clip, clip, rig),
        },
    }
    tiers = with_phases(take.tiers, found)
    return replace(take, clip=clip, tiers=tiers, provenance=provenance)


def _wrist_distances(before: Clip, after: Clip, rig: Rig) -> dict[str, dict[str, float]]:
    """Distance of the wrists from the input, by side."""
    out: dict[str, dict[str, float]] = {}
    for side in SIDES:
        joint = rig.joint(f"{side}Hand")
        away = after.world_positions[:, joint] - before.world_positions[:, joint]
        far = 1000.0 * np.linalg.norm(away, axis=1)
        out[side] = {"mean_mm": round(float(far.mean()), 1), "max_mm": round(float(far.max()), 1)}
    return out


def _tension_of(
    tension: str | float | Tension,
    curve: str | PathLike[str] | Mapping[float, float] | None,
    clip: Clip,
) -> Tension:
    if curve is not None:
        times, values = _curve(curve)
        return presets.tension(np.interp(clip.times, times, values))
    if isinstance(tension, Tension):
        return tension
    if isinstance(tension, str):
        return presets.parse(tension)
    return presets.tension(tension)


def _curve(curve: str | PathLike[str] | Mapping[float, float]) -> tuple[Floats, Floats]:
    if isinstance(curve, Mapping):
        rows = sorted((float(t), float(v)) for t, v in curve.items())
        name: Any = "curve"
    else:
        name = Path(curve)
        rows = _read_curve(name)
    if not rows:
        raise InvalidValueError(f"{name}: a tension curve needs at least one point")
    times, values = np.array(rows).T
    if not np.isfinite(times).all() or np.any(np.diff(times) <= 0.0):
        raise InvalidValueError(f"{name}: the times of a tension curve must ascend")
    if not np.all((values >= -1.0) & (values <= 1.0)):
        raise InvalidValueError(f"{name}: tension must be -1 (loose) to 1 (trembling)")
    return times, values


def _read_curve(path: Path) -> list[tuple[float, float]]:
    try:
        if path.stat().st_size > _LARGEST_CURVE:
            raise UnreadableError(path, f"is larger than {_LARGEST_CURVE} bytes")
        with path.open(encoding="utf-8", newline="") as file:
            lines = list(csv.reader(file))
    except OSError as error:
        raise UnreadableError(path, error.strerror or "cannot be read") from None
    except (UnicodeDecodeError, csv.Error):
        raise UnreadableError(path, "is not CSV text") from None
    if lines and [cell.strip() for cell in lines[0]] == ["time", "tension"]:
        lines = [[], *lines[1:]]
    rows = []
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        try:
            time_s, value = (float(cell) for cell in line)
        except ValueError:
            raise UnreadableError(
                path, f"found {','.join(line)[:40]!r}, expected TIME,TENSION", f"line {number}"
            ) from None
        rows.append((time_s, value))
    return rows
