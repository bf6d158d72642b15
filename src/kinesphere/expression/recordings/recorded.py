"""Effort and Shape on recorded motion.

The arms' keys are extracted and retimed by Effort; the difference between the recording and the
keys' motion (its detail) is added back at its position on the path. Shape moves the whole path as
it moves keys. Joints that nothing changes keep their numbers, and neutral values return the
recording. Joint limits hold, and hands stay out of the body and of each other. With
`ExpressionSettings.paper` it is done as published instead: see `expression.keys.printed`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from kinesphere.expression.keys.methods import ExpressionMethod, expression_method
from kinesphere.expression.keys.torso import torso_turns
from kinesphere.expression.keys.torso_effort import TorsoEffortSettings, torso_effort
from kinesphere.expression.phrase import EFFORT_FACTORS, PARTS, Phrase
from kinesphere.expression.recordings.arm_limits import ArmTask
from kinesphere.expression.recordings.arm_posing import is_unchanged, same_above, with_rolls
from kinesphere.expression.recordings.arm_trajectory import hanging_axes, hold_touches
from kinesphere.expression.recordings.torso_limits import as_far_as_it_goes, standing_within_limits
from kinesphere.expression.recordings.touches import HeldTouchSettings, find_touches
from kinesphere.expression.settings import ExpressionSettings
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import SIDES, Side, measure_arm, settle, with_arm
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.keyed.key_extraction import Extraction, ExtractionSettings, extract_keys


@dataclass(frozen=True)
class RecordedSettings:
    """How recorded motion is changed.

    Parameters
    ----------
    expression : Effort and Shape themselves; Goals are always pinned here.
    extraction, touches : how keys and contacts are found.
    torso_effort : apply Effort to the torso, too; see `expression.keys.torso_effort`.
    hanging : ratio of a torso's rotation that the arms do not follow, because arms hang.

    Examples
    --------
    >>> import kinesphere as ks
    >>> take = ks.express(ks.idle(0.5), manner="proudly", settings=ks.RecordedSettings())
    >>> take.clip.duration_s
    0.5
    """

    expression: ExpressionSettings = field(
        default_factory=lambda: ExpressionSettings(pinned=True, straighten=0.6, roundest=-0.4)
    )
    extraction: ExtractionSettings = field(default_factory=ExtractionSettings)
    touches: HeldTouchSettings = field(default_factory=HeldTouchSettings)
    torso_effort: TorsoEffortSettings | None = None
    hanging: float = 0.7


@dataclass(frozen=True)
class ArmReport:
    """Findings for one arm: counts, and distances of the keys' motion from the recording, metres.

    `touching` is the ratio of frames in which the hand is held by a contact, `restrained` that in
    which joint limits or the body reduced the change.
    """

    goals: int
    vias: int
    error_rms_m: float
    error_max_m: float
    touching: float
    restrained: float


@dataclass(frozen=True)
class Expressed:
    """A changed clip and the findings for each arm that was changed."""

    clip: Clip
    reports: dict[Side, ArmReport]
    extractions: dict[Side, Extraction]


def express_clip(
    clip: Clip, rig: Rig, phrase: Phrase, settings: RecordedSettings | None = None
) -> Expressed:
    """Change a humanoid's clip by a phrase of Effort and Shape; its duration is unchanged.

    Raises
    ------
    RigError
        If the rig lacks a bone that is needed.
    """
    s = settings or RecordedSettings()
    rig.require("Effort and Shape")
    if not any(phrase.touches(part) for part in PARTS):
        return Expressed(clip, {}, {})
    method = expression_method(s.expression)
    bent = _bend_torso(clip, rig, phrase, s)
    out = bent
    reports: dict[Side, ArmReport] = {}
    extractions: dict[Side, Extraction] = {}
    at: dict[Side, Floats] = {}
    for side in SIDES:
        if not (phrase.touches(f"{side}-arm") or bent is not clip):
            continue
        done = _express_arm(clip, bent, out, rig, side, phrase, s, method)
        out, at[side] = done.clip, done.at
        if done.report is not None and done.found is not None:
            reports[side], extractions[side] = done.report, done.found
    return Expressed(method.separate_hands(clip, out, rig, at), reports, extractions)


def _bend_torso(clip: Clip, rig: Rig, phrase: Phrase, s: RecordedSettings) -> Clip:
    """Clip with the torso's Shape, and its Effort if requested."""
    turns: dict[str, Floats] = {}
    if phrase.touches("torso", ("horizontal", "vertical", "sagittal")):
        places = clip.times if not phrase.by_key else _goal_numbers(clip, rig, s)
        turns = torso_turns(phrase.at("torso", places), s.expression.torso)
        turns = {part: as_far_as_it_goes(clip, rig, part, v) for part, v in turns.items()}
    bent = standing_within_limits(clip, rig, turns) if turns else clip
    if s.torso_effort is not None and phrase.touches("torso", EFFORT_FACTORS):
        bent = torso_effort(bent, rig, phrase, s.torso_effort)
    return bent


def _goal_numbers(clip: Clip, rig: Rig, s: RecordedSettings) -> Floats:
    """Fractional number of the right arm's Goal at every frame, for phrases by key."""
    found = extract_keys(measure_arm(clip, rig, "right"), clip.fps, s.extraction)
    goals = found.keys.goal_times
    return np.asarray(np.interp(clip.times, goals, np.arange(len(goals))))


@dataclass(frozen=True)
class _ExpressedArm:
    """A clip with one changed arm, and the recording's frame that it shows at every frame."""

    clip: Clip
    at: Floats
    report: ArmReport | None
    found: Extraction | None


def _express_arm(
    clip: Clip,
    bent: Clip,
    out: Clip,
    rig: Rig,
    side: Side,
    phrase: Phrase,
    s: RecordedSettings,
    method: ExpressionMethod,
) -> _ExpressedArm:
    """Write one arm to `out`; `clip` is the recording, `bent` has the new torso."""
    arm = settle(measure_arm(clip, rig, side), clip.fps)
    now = measure_arm(bent, rig, side) if bent is not clip else arm
    axes = hanging_axes(arm, now, method.hanging(s.hanging))
    now = replace(now, axes=axes)
    touched = phrase.touches(f"{side}-arm")
    found = extract_keys(arm, clip.fps, s.extraction) if touched else None
    task = ArmTask(clip, bent, rig, arm, now, phrase, s.expression)
    path, held_back = method.trajectory(task, found)
    held = find_touches(clip, rig, side, arm, bent, s.touches)
    path = hold_touches(path, held, arm, now)
    turns = method.rotations(arm, path)
    keep = is_unchanged(arm, now, path) & same_above(clip, bent, rig, side)
    posed = with_arm(with_rolls(out, clip, rig, side, path.at), rig, side, turns, axes, keep)
    if not keep.all():
        posed, pushed = method.limit_arm(clip, posed, rig, side, path.at)
        held_back |= pushed
    if found is None:
        return _ExpressedArm(posed, path.at, None, None)
    report = ArmReport(
        goals=len(found.goal_frames),
        vias=len(found.keys) - len(found.goal_frames),
        error_rms_m=float(np.sqrt(np.mean(found.errors**2))),
        error_max_m=float(found.errors.max()),
        touching=float(np.mean(held.weights > 0.5)),
        restrained=float(np.mean(held_back)),
    )
    return _ExpressedArm(posed, path.at, report, found)
