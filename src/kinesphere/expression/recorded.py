"""Effort and Shape on recorded motion.

The arms' keys are extracted and retimed by Effort; the difference between the recording and the
keys' motion (its detail) is added back at its position on the path. Shape moves the whole path as
it moves keys. Joints that nothing changes keep their numbers, and neutral values return the
recording. Joint limits hold, and hands stay out of the body and of each other. With
`ExpressionSettings.paper` it is done as published instead: the keys' motion alone, with Shape on
the keys.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from kinesphere.animation.arms.restraint import (
    SLOW_S,
    ease_ratio,
    local_within_limits,
    push_apart,
    push_out,
)
from kinesphere.expression.arm_limits import (
    recorded_turns,
    restrained,
    share_within,
    values_at,
    within_wrist,
)
from kinesphere.expression.keyed import ExpressionSettings, expressed_arm, mass_in_arm, with_effort
from kinesphere.expression.keypoints import shaped_keypoints
from kinesphere.expression.phrase import EFFORT_FACTORS, PARTS, SHAPE_FACTORS, Phrase
from kinesphere.expression.torso import torso_turns
from kinesphere.expression.torso_effort import TorsoEffortSettings, torso_effort
from kinesphere.expression.torso_limits import as_far_as_it_goes, standing_within_limits
from kinesphere.expression.touches import Touches, TouchSettings, find_touches
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Bools, Floats, read_only
from kinesphere.maths.filters import gaussian, low_pass
from kinesphere.motion.body.arms import (
    SIDES,
    ArmMotion,
    Side,
    arm_joints,
    arm_turns,
    measure_arm,
    settled,
    with_arm,
)
from kinesphere.motion.body.body_volume import hand_points
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.keyed.arm_path import soft_reach
from kinesphere.motion.keyed.key_extraction import Extraction, ExtractionSettings, extract_keys
from kinesphere.motion.keyed.keyed_motion import ArmKeys
from kinesphere.motion.keyed.sampling import ArmSample, flourish_turn, sample_arm
from kinesphere.motion.resampling import rotations_at

# Weight of constant time in the measure by which detail is placed, so that a stop is no jump.
_EVEN = 0.1
_SHAPE_HZ = 0.7  # frequency limit of Shape's displacement of a path, to add no jerk
_STEADY_HZ = 4.2


@dataclass(frozen=True)
class RecordedSettings:
    """How recorded motion is changed.

    Parameters
    ----------
    expression : Effort and Shape themselves; Goals are always pinned here.
    extraction, touches : how keys and contacts are found.
    torso_effort : apply Effort to the torso, too; see `expression.torso_effort`.
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
    touches: TouchSettings = field(default_factory=TouchSettings)
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
    rig.required("Effort and Shape")
    if not any(phrase.touches(part) for part in PARTS):
        return Expressed(clip, {}, {})
    bent = _bent(clip, rig, phrase, s)
    out = bent
    reports: dict[Side, ArmReport] = {}
    extractions: dict[Side, Extraction] = {}
    at: dict[Side, Floats] = {}
    for side in SIDES:
        touched = phrase.touches(f"{side}-arm")
        if not (touched or bent is not clip):
            continue
        out, at[side], report, found = _with_arm(
            clip, bent, out, rig, side, phrase, s, touched=touched
        )
        if report is not None and found is not None:
            reports[side], extractions[side] = report, found
    if not s.expression.paper:
        out = _apart(clip, out, rig, at)
    return Expressed(out, reports, extractions)


def _apart(clip: Clip, posed: Clip, rig: Rig, at: dict[Side, Floats]) -> Clip:
    """Move hands out of each other, which may exceed limits or enter the body; repeated."""
    for _ in range(4):
        posed, pushed = push_apart(clip, posed, rig, tuple(at))
        if not pushed.any():
            break
        for side, frames in at.items():
            posed, _ = _possible(clip, posed, rig, side, frames)
    return posed


def _bent(clip: Clip, rig: Rig, phrase: Phrase, s: RecordedSettings) -> Clip:
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
class _Path:
    """New motion of an arm, one value per frame: positions, source frames, flourishes."""

    wrists: Floats
    swivels: Floats
    at: Floats
    rolls: Floats
    flexions: Floats


def _with_arm(
    clip: Clip,
    bent: Clip,
    out: Clip,
    rig: Rig,
    side: Side,
    phrase: Phrase,
    s: RecordedSettings,
    *,
    touched: bool,
) -> tuple[Clip, Floats, ArmReport | None, Extraction | None]:
    """Write one arm to `out`; `clip` is the recording, `bent` has the new torso.

    Also returns the recording's frame that the arm shows at every frame.
    """
    arm = settled(measure_arm(clip, rig, side), clip.fps)
    now = measure_arm(bent, rig, side) if bent is not clip else arm
    paper = s.expression.paper
    axes = _hanging_axes(arm, now, 0.0 if paper else s.hanging)
    now = replace(now, axes=axes)
    found = extract_keys(arm, clip.fps, s.extraction) if touched else None
    held_back = np.zeros(len(clip), dtype=bool)
    if paper:
        path = _printed_path(arm, found, phrase, rig, clip, s)
    else:
        path, held_back = _new_path(arm, now, found, phrase, rig, clip, bent, s)
    held = find_touches(clip, rig, side, arm, bent, s.touches)
    path = _touching(path, held, arm, now)
    turns = _turned(arm, path)
    if paper:
        turns = _aimed(arm, path, turns)
    keep = _unchanged(arm, now, path) & _same_above(clip, bent, rig, side)
    posed = with_arm(_with_rolls(out, clip, rig, side, path.at), rig, side, turns, axes, keep)
    if not (paper or keep.all()):
        posed, pushed = _possible(clip, posed, rig, side, path.at)
        held_back |= pushed
    if found is None:
        return posed, path.at, None, None
    report = ArmReport(
        goals=len(found.goal_frames),
        vias=len(found.keys) - len(found.goal_frames),
        error_rms_m=float(np.sqrt(np.mean(found.errors**2))),
        error_max_m=float(found.errors.max()),
        touching=float(np.mean(held.weights > 0.5)),
        restrained=float(np.mean(held_back)),
    )
    return posed, path.at, report, found


def _as_recorded(arm: ArmMotion) -> _Path:
    frames = np.arange(len(arm.wrists), dtype=np.float64)
    none = np.zeros(len(frames))
    return _Path(arm.wrists, arm.swivels, frames, none, none)


def _new_path(
    arm: ArmMotion,
    now: ArmMotion,
    found: Extraction | None,
    phrase: Phrase,
    rig: Rig,
    clip: Clip,
    bent: Clip,
    s: RecordedSettings,
) -> tuple[_Path, Bools]:
    """The recorded path, retimed and moved; and where limits or the body reduced the change."""
    path = _as_recorded(arm)
    hand = quaternion.rotate(
        quaternion.inverse(arm.axes)[:, None],
        hand_points(clip, rig, arm.side) - arm.in_world(arm.wrists)[:, None],
    )
    if found is not None:
        keys = with_effort(found.keys, phrase, f"{arm.side}-arm", s.expression)
        if keys is not found.keys:
            path = _timed_anew(arm, found, keys, clip)
        moved = _shaped(path, hand, found, phrase, rig, bent, arm, now, s)
        path = replace(path, wrists=moved)
    wrists, swivels, held_back = restrained(
        bent, rig, arm, now, path.at, hand, path.wrists, path.swivels
    )
    return replace(path, wrists=wrists, swivels=swivels), held_back


def _timed_anew(arm: ArmMotion, found: Extraction, keys: ArmKeys, clip: Clip) -> _Path:
    """The path of changed keys with the recording's detail, smooth and within reach."""
    sample = sample_arm(keys, arm.limb, clip.times, hands=False)
    at = _source_frames(found, keys, sample, clip.fps)
    wrists, swivels = _with_detail(arm, found.sample, sample, at, clip.fps)
    wrists = _within_reach(arm, _steadied(arm.wrists, wrists, clip.fps), at)
    swivels = _steadied(arm.swivels, swivels, clip.fps)
    return _Path(wrists, swivels, at, sample.rolls, sample.flexions)


def _printed_path(
    arm: ArmMotion,
    found: Extraction | None,
    phrase: Phrase,
    rig: Rig,
    clip: Clip,
    s: RecordedSettings,
) -> _Path:
    """EMOTE's motion for the recording's keys: their motion alone, as published.

    The paper takes key poses from recorded motion and drops the rest. The hand keeps its recorded
    rotation at the position on its path, which the paper does not define.
    """
    if found is None:
        return _as_recorded(arm)
    keys = expressed_arm(found.keys, phrase, arm.side, rig, s.expression)
    sample = sample_arm(keys, arm.limb, clip.times, hands=False)
    at = _source_frames(found, keys, sample, clip.fps)
    return _Path(sample.wrists, sample.swivels, at, sample.rolls, sample.flexions)


def _touching(path: _Path, held: Touches, arm: ArmMotion, now: ArmMotion) -> _Path:
    """Path with its recorded positions and times where the hand touches something."""
    if not held.weights.any():
        return path
    free = 1.0 - held.weights
    frames = np.arange(len(free), dtype=np.float64)
    target = now.from_world(held.targets)
    return _Path(
        path.wrists + held.weights[:, None] * (target - path.wrists),
        held.weights * arm.swivels + free * path.swivels,
        frames + free * (path.at - frames),
        free * path.rolls,
        free * path.flexions,
    )


def _possible(clip: Clip, posed: Clip, rig: Rig, side: Side, at: Floats) -> tuple[Clip, Bools]:
    """Arm within its joint limits and out of the body, and where it had to be moved out."""
    pushed = np.zeros(len(clip), dtype=bool)
    # Moving out of the body may exceed a limit, and back into the body: two passes are enough.
    for _ in range(2):
        posed = local_within_limits(clip, posed, rig, side, at)
        posed, out_of_body = push_out(clip, posed, rig, side)
        pushed |= out_of_body
        if not out_of_body.any():
            break
    if pushed.any():
        posed = local_within_limits(clip, posed, rig, side, at, whole=True)
    return posed, pushed


def _shaped(
    path: _Path,
    hand: Floats,
    found: Extraction,
    phrase: Phrase,
    rig: Rig,
    bent: Clip,
    arm: ArmMotion,
    now: ArmMotion,
    s: RecordedSettings,
) -> Floats:
    """Move the whole path as Shape moves keys, slowly enough to add no jerk."""
    part = f"{arm.side}-arm"
    wrists, swivels, at = path.wrists, path.swivels, path.at
    if not phrase.touches(part, SHAPE_FACTORS):
        return wrists
    places = bent.times
    if phrase.by_key:
        goals = found.keys.goal_times
        places = np.interp(places, goals, np.arange(len(goals)))
    values = phrase.at(part, places)
    wanted = {name: values[name] for name in SHAPE_FACTORS}
    centre = mass_in_arm(rig, arm.side)
    moved = shaped_keypoints(wrists, wanted, arm.limb.side, centre, s.expression.shape)
    far = np.linalg.norm(values_at(arm.wrists, at), axis=-1)
    moved = soft_reach(moved, arm.limb, far)
    if len(wrists) <= 12:
        return moved
    moved, _, _ = restrained(bent, rig, arm, now, at, hand, moved, swivels)
    change = low_pass(moved - wrists, min(_SHAPE_HZ, 0.2 * bent.fps), bent.fps)
    share = share_within(wrists, change, np.maximum(0.97 * arm.limb.reach, far))
    return wrists + ease_ratio(share, bent.fps, SLOW_S)[:, None] * change


def _hanging_axes(arm: ArmMotion, now: ArmMotion, hanging: float) -> Floats:
    """Axes in which the arm is posed: only a ratio of the torso's new rotation is followed."""
    if now is arm:
        return arm.axes
    turn = quaternion.multiply(now.axes, quaternion.inverse(arm.axes))
    part = quaternion.exp((1.0 - hanging) * quaternion.log(turn))
    same = np.all(now.axes == arm.axes, axis=-1)
    return np.where(same[:, None], arm.axes, quaternion.multiply(part, arm.axes))


def _source_frames(found: Extraction, keys: ArmKeys, sample: ArmSample, fps: float) -> Floats:
    """Frame of the recording at the same ratio of its movement's path, for every frame."""
    frames = np.arange(len(sample.along), dtype=np.float64)
    goals = found.goal_frames
    starts = keys.goal_times * fps
    bounds = np.searchsorted(sample.movements, np.arange(len(keys.movements) + 1))
    out = frames.copy()
    for m, movement in enumerate(found.keys.movements):
        i, j = int(bounds[m]), int(bounds[m + 1])
        a, b = int(goals[m]), int(goals[m + 1])
        in_place = abs(starts[m] - a) < 1e-6 and abs(starts[m + 1] - b) < 1e-6
        if i >= j or (in_place and keys.movements[m] is movement):
            continue
        even = np.linspace(0.0, 1.0, b - a + 1)
        walked = np.append(found.sample.along[a:b], 1.0)
        old = (1.0 - _EVEN) * np.maximum.accumulate(walked) + _EVEN * even
        ratio = np.clip((frames[i:j] - starts[m]) / (starts[m + 1] - starts[m]), 0.0, 1.0)
        new = (1.0 - _EVEN) * np.clip(sample.along[i:j], 0.0, 1.0) + _EVEN * ratio
        out[i:j] = a + (b - a) * np.interp(new, old, even)
    return np.clip(out, 0.0, len(frames) - 1.0)


def _with_detail(
    arm: ArmMotion, plain: ArmSample, sample: ArmSample, at: Floats, fps: float
) -> tuple[Floats, Floats]:
    """Wrists and swivels of the new keys with the recording's detail that the old keys lacked.

    Detail that would play at more than twice its speed fades out, as with a hand's inertia.
    """
    frames = np.arange(len(at))
    kept = np.ones(len(at))
    if len(at) > 3:
        rate = np.abs(np.gradient(at))
        kept = gaussian(2.0 / np.maximum(rate, 2.0), max(1.0, 0.05 * fps))
        kept = np.where(at == frames, 1.0, kept)
    wrists = sample.wrists + kept[:, None] * values_at(arm.wrists - plain.wrists, at)
    swivels = sample.swivels + kept * values_at(arm.swivels - plain.swivels, at)
    same = np.all(sample.wrists == plain.wrists, axis=-1) & (at == frames)
    soft = _within_reach(arm, wrists, at)
    return np.where(same[:, None], arm.wrists, soft), np.where(same, arm.swivels, swivels)


def _within_reach(arm: ArmMotion, wrists: Floats, at: Floats) -> Floats:
    """Wrists that extend the arm no farther than its soft limit, or than it was, there or then."""
    recorded = np.linalg.norm(arm.wrists, axis=-1)
    return soft_reach(wrists, arm.limb, np.maximum(recorded, values_at(recorded, at)))


def _steadied(recorded: Floats, changed: Floats, fps: float) -> Floats:
    """Changed values without changes of speed that no hand can make.

    The recording's own content above `_STEADY_HZ` is kept.
    """
    if len(recorded) <= 12:
        return changed
    return recorded + low_pass(changed - recorded, min(_STEADY_HZ, 0.4 * fps), fps)


def _turned(arm: ArmMotion, path: _Path) -> Floats:
    """Rotations of the arm's three joints: the recorded ones at their frame, carried along."""
    at = path.at
    recorded = recorded_turns(arm, at)
    old = arm_turns(arm.limb, values_at(arm.wrists, at), values_at(arm.swivels, at))
    new = arm_turns(arm.limb, path.wrists, path.swivels)
    carry = quaternion.multiply(new, quaternion.inverse(old))
    upper = quaternion.multiply(carry[:, 0], recorded[:, 0])
    lower = quaternion.multiply(carry[:, 1], recorded[:, 1])
    hand = quaternion.relative(recorded[:, 1], recorded[:, 2])
    rolls, flexions = within_wrist(arm, upper, lower, hand, path.rolls, path.flexions)
    lower = quaternion.multiply(lower, flourish_turn(arm.limb, rolls, np.zeros_like(rolls)))
    bend = flourish_turn(arm.limb, np.zeros_like(flexions), flexions)
    return np.stack(
        [upper, lower, quaternion.multiply(lower, quaternion.multiply(hand, bend))], axis=1
    )


def _aimed(arm: ArmMotion, path: _Path, turns: Floats) -> Floats:
    """Rotations whose upper arm and forearm point exactly to the path's elbow and wrist."""
    out = turns.copy()
    along = np.array([float(arm.limb.side), 0.0, 0.0])
    asked = quaternion.rotate(arm_turns(arm.limb, path.wrists, path.swivels), along)
    fix = quaternion.between(quaternion.rotate(turns[:, :2], along), asked)
    out[:, :2] = quaternion.multiply(fix, turns[:, :2])
    out[:, 2] = quaternion.multiply(fix[:, 1], turns[:, 2])
    return out


def _with_rolls(out: Clip, clip: Clip, rig: Rig, side: Side, at: Floats) -> Clip:
    """Retime the joints between an arm's three (rolls) with the arm."""
    upper, lower, hand = arm_joints(rig, side)
    path = rig.skeleton.path
    between = [*path(upper, lower)[1:-1], *path(lower, hand)[1:-1]]
    moved = at != np.arange(len(at))
    if not between or not moved.any():
        return out
    rotations = out.rotations.copy()
    timed = rotations_at(np.ascontiguousarray(clip.rotations[:, between]), at)
    rotations[:, between] = np.where(moved[:, None, None], timed, rotations[:, between])
    return replace(out, rotations=read_only(rotations))


def _same_above(clip: Clip, bent: Clip, rig: Rig, side: Side) -> Bools:
    """Frames in which the arm's parent, clavicle or chest, has its recorded rotation."""
    above = rig.skeleton.parents[arm_joints(rig, side)[0]]
    same = bent.world_rotations[:, above] == clip.world_rotations[:, above]
    return np.asarray(np.all(same, axis=-1))


def _unchanged(arm: ArmMotion, now: ArmMotion, path: _Path) -> Bools:
    """Frames in which the arm is unchanged."""
    return np.asarray(
        np.all(path.wrists == arm.wrists, axis=-1)
        & (path.swivels == arm.swivels)
        & (path.at == np.arange(len(path.at)))
        & (path.rolls == 0.0)
        & (path.flexions == 0.0)
        & np.all(now.axes == arm.axes, axis=-1)
    )
