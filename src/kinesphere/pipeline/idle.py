"""Idle motion: a standing character, or on top of a take."""

from __future__ import annotations

from dataclasses import replace

from kinesphere.animation.arms.poses.home_pose import home_clip
from kinesphere.animation.idle.idle_motion import IdleSettings, standing_clip, with_idle
from kinesphere.character.default import default_rig
from kinesphere.character.take_rig import report_of
from kinesphere.errors import InvalidValueError
from kinesphere.motion.take import Take
from kinesphere.pipeline.convert import take_of
from kinesphere.pipeline.stages.table_values import check_kind


def idle(
    duration_s: float = 10.0,
    *,
    amount: float = 1.0,
    seed: int = 0,
    fps: float = 60.0,
    settings: IdleSettings | None = None,
) -> Take:
    """Return the default character waiting: breath, weight, small steps, looks and blinks.

    With another amount than 1 its feet stay, and the motion is scaled: 0 stands still, up to 3.

    Examples
    --------
    >>> import kinesphere as ks
    >>> ks.idle(2.0, fps=30.0, seed=4).clip.duration_s
    2.0
    """
    check_kind("duration_s", duration_s, 1.0)
    _check_seed(seed)
    if not 0.0 < duration_s <= 36_000.0:
        raise InvalidValueError(f"duration is {duration_s} s, allowed is up to 36000")
    frames = int(duration_s * fps) + 1
    if amount == 1.0:
        alive = standing_clip(frames, fps, seed, settings)
    else:
        alive = with_idle(home_clip(frames, fps), default_rig(), amount, seed, settings)
    return Take(alive, provenance={"made_by": "idle", "seed": seed, "amount": amount})


def add_idle(take: Take, amount: float = 1.0, seed: int = 0) -> Take:
    """Return a take with idle motion on top: breathing, sway, blinks, small glances.

    Examples
    --------
    >>> import kinesphere as ks
    >>> still = ks.Take(ks.home_clip(60, 60.0))
    >>> moving = ks.add_idle(still, amount=0.5, seed=2)
    >>> len(moving.clip) == len(still.clip)
    True
    """
    _check_seed(seed)
    rig = report_of(take_of(take)).rig
    alive = with_idle(take.clip, rig, amount, seed)
    provenance = {**take.provenance, "idle": {"amount": amount, "seed": seed}}
    return replace(take, clip=alive, provenance=provenance)


def _check_seed(seed: int) -> None:
    check_kind("seed", seed, 0)
    if seed < 0:
        raise InvalidValueError(f"seed is {seed}, allowed is 0 or more")
