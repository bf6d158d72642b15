"""SmartBody skeletons (.sk) and motions (.skm), with the motions' sync times.

A motion names channels of joints; a skeleton defines their hierarchy. A ``Quat`` channel
holds a rotation vector of three numbers, applied after the joint's ``prerot``; ``XPos``, ``YPos``
and ``ZPos`` translate the joint from its offset. Read only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import NoReturn

import numpy as np

from kinesphere.errors import UnreadableError
from kinesphere.formats.file_format import Format
from kinesphere.formats.files import read_bytes
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.clip import Clip, rest_clip
from kinesphere.motion.skeleton import Skeleton
from kinesphere.motion.take import Take
from kinesphere.timeline import Interval, Tier

SYNC_NAMES = ("ready", "strokeStart", "emphasis", "stroke", "relax")
SYNC_TIER = "sync"
_SYNC = re.compile(r"^\s*(\w+) time:\s*(\S+)\s*$", re.MULTILINE)
_WIDTH = {
    "XPos": 1,
    "YPos": 1,
    "ZPos": 1,
    "Quat": 3,
    "XRot": 1,
    "YRot": 1,
    "ZRot": 1,
    "Swing": 2,
    "Twist": 1,
}
_LARGEST = 1 << 28
_DEEPEST = 1000


@dataclass(frozen=True, eq=False)
class SkmDocument:
    """A motion without its skeleton: channels, key times, rows of numbers, sync times."""

    name: str
    channels: tuple[tuple[str, str], ...]
    times: Floats
    values: Floats
    sync: dict[str, float]


class _Words:
    """Words of a text with their line numbers; ``#`` starts a comment."""

    def __init__(self, text: str) -> None:
        self.line = 1
        self._words = self._split(text)
        self._next: str | None = None

    def _split(self, text: str) -> Iterator[str]:
        for number, line in enumerate(text.split("\n"), 1):
            self.line = number
            for found in re.finditer(r'"[^"]*"|[^\s{}]+|[{}]', line.split("#", 1)[0]):
                yield found.group()

    def peek(self) -> str | None:
        if self._next is None:
            self._next = next(self._words, None)
        return self._next

    def take(self, wanted: str) -> str:
        word = self.peek()
        if word is None:
            self.fail(f"the file ends where {wanted} was expected")
        self._next = None
        return word

    def number(self) -> float:
        word = self.take("a number")
        try:
            value = float(word)
        except ValueError:
            self.fail(f"found {word[:40]!r}, expected a number")
        if not np.isfinite(value):
            self.fail(f"found {word[:40]!r}, expected a finite number")
        return value

    def expect(self, wanted: str) -> None:
        word = self.take(wanted)
        if word.lower() != wanted.lower():
            self.fail(f"found {word[:40]!r}, expected {wanted!r}")

    def fail(self, reason: str) -> NoReturn:
        raise UnreadableError(None, reason, f"line {self.line}")


def _text(path: str | PathLike[str]) -> str:
    return read_bytes(path, _LARGEST).decode("utf-8", "replace")


def read_skeleton(path: str | PathLike[str]) -> Skeleton:
    """Read a .sk file."""
    try:
        return parse_skeleton(_text(path))
    except UnreadableError as error:
        raise error.at(path) if error.path is None else error from None


def parse_skeleton(text: str) -> Skeleton:
    """Parse the text of a .sk file."""
    words = _Words(text)
    while (word := words.take("skeleton")).lower() != "skeleton":
        if word in ("{", "}") or words.line > 1000:
            words.fail("no 'skeleton' at the start: is not a SmartBody skeleton")
    words.expect("root")
    names: list[str] = []
    parents: list[int] = []
    offsets: list[list[float]] = []
    rests: list[Floats] = []

    def open_joint(parent: int) -> int:
        name = words.take("a joint's name")
        if name in names:
            words.fail(f"two joints are called {name!r}")
        words.expect("{")
        names.append(name)
        parents.append(parent)
        offsets.append([0.0, 0.0, 0.0])
        rests.append(quaternion.identity())
        return len(names) - 1

    stack = [open_joint(-1)]
    while stack:
        joint = stack[-1]
        word = words.take("}").lower()
        if word == "}":
            stack.pop()
        elif word == "joint":
            if len(stack) > _DEEPEST:
                words.fail(f"joints are nested deeper than {_DEEPEST}")
            stack.append(open_joint(joint))
        elif word == "offset":
            offsets[joint] = [words.number() for _ in range(3)]
        elif word in ("prerot", "postrot"):
            turn = _axis_angle(words)
            if word == "prerot":
                rests[joint] = turn
        elif word == "channel":
            _skip_channel(words)
        elif word in ("visgeo", "colgeo", "mass", "inertia", "euler"):
            words.take("a value")
        else:
            words.fail(f"found {word[:40]!r}, expected offset, prerot, channel, joint or }}")
    return Skeleton(tuple(names), np.array(parents), np.array(offsets), np.array(rests))


def _axis_angle(words: _Words) -> Floats:
    words.expect("axis")
    axis = [words.number() for _ in range(3)]
    words.expect("ang")
    angle = np.radians(words.number())
    if angle == 0.0 or not np.any(axis):
        return quaternion.identity()
    return quaternion.from_axis_angle(axis, angle)


def _skip_channel(words: _Words) -> None:
    kind = words.take("a channel")
    if kind in ("Quat", "Swing"):
        return
    words.number()
    if (words.peek() or "").lower() == "free":
        words.take("free")
    elif (words.peek() or "").lower() in ("lim", "limits"):
        words.take("lim")
        words.number()
        words.number()
    else:
        low = words.peek()
        if low is not None and re.fullmatch(r"[-+.\d].*", low):
            words.number()
            words.number()


def parse_motion(text: str) -> SkmDocument:
    """Parse the text of a .skm file."""
    words = _Words(text)
    words.expect("SkMotion")
    name, channels = "", []
    while (word := words.take("frames").lower()) != "frames":
        if word == "name":
            name = words.take("a name").strip('"')
        elif word == "channels":
            count = int(words.number())
            if not 0 < count <= 10_000:
                words.fail(f"has {count} channels, allowed are 1 to 10000")
            for _ in range(count):
                joint, kind = words.take("a joint"), words.take("a channel")
                if kind not in _WIDTH:
                    words.fail(f"channel {kind[:20]!r}, allowed are {', '.join(_WIDTH)}")
                channels.append((joint, kind))
        elif word in ("skmscale", "duration"):
            words.number()
        else:
            words.fail(f"found {word[:40]!r}, expected name, channels or frames")
    claimed = int(words.number())
    times, values = _frames(text, words, channels, claimed)
    sync = {k: float(v) for k, v in _SYNC.findall(text) if k in SYNC_NAMES and _is_time(v)}
    return SkmDocument(name, tuple(channels), times, values, sync)


def _is_time(text: str) -> bool:
    try:
        return 0.0 <= float(text) < 1e6
    except ValueError:
        return False


def _frames(
    text: str, words: _Words, channels: list[tuple[str, str]], claimed: int
) -> tuple[Floats, Floats]:
    """Rows ``kt TIME fr NUMBERS``, each on a line of its own."""
    width = sum(_WIDTH[kind] for _, kind in channels)
    if not 0 < claimed <= len(text) // (2 * max(width, 1)) + 1:
        words.fail(f"claims {claimed} frames of {width} numbers, more than the file can contain")
    times: list[float] = []
    rows: list[list[float]] = []
    lines = text.split("\n")
    at = words.line
    while len(rows) < claimed:
        if at >= len(lines):
            raise UnreadableError(None, f"ends after {len(rows)} of {claimed} frames", f"line {at}")
        line = lines[at].split()
        at += 1
        if not line:
            continue
        try:
            if line[0] != "kt" or line[2] != "fr":
                raise ValueError
            numbers = [float(line[1]), *map(float, line[3:])]
        except (ValueError, IndexError):
            raise UnreadableError(None, "expected 'kt TIME fr NUMBERS'", f"line {at}") from None
        if len(numbers) != width + 1 or not np.isfinite(numbers).all():
            raise UnreadableError(
                None, f"has {len(numbers) - 1} numbers, expected {width} finite ones", f"line {at}"
            )
        times.append(numbers[0])
        rows.append(numbers[1:])
    if np.any(np.diff(times) <= 0.0):
        raise UnreadableError(None, "its frame times do not ascend", "frames")
    return np.array(times), np.array(rows)


def read_skm(path: str | PathLike[str], *, skeleton: str | PathLike[str] | None = None) -> Take:
    """Read a SmartBody motion with its skeleton and sync times.

    Parameters
    ----------
    path : the .skm file.
    skeleton : the .sk file; by default the one in the same folder whose name the motion's begins
        with, or the only one there.
    """
    try:
        motion = parse_motion(_text(path))
    except UnreadableError as error:
        raise error.at(path) from None
    source = Path(skeleton) if skeleton is not None else _skeleton_beside(Path(path))
    bones = read_skeleton(source)
    _check_fitting(path, motion, source, bones)
    take = take_of(motion, bones)
    note = f"skeleton from {source.name}"
    notes = [note, *take.notes]
    provenance = {"format": "skm", "name": motion.name, "unit_m": 1.0, "notes": notes}
    return Take(take.clip, tiers=take.tiers, provenance=provenance)


def _check_fitting(
    path: str | PathLike[str], motion: SkmDocument, source: Path, skeleton: Skeleton
) -> None:
    """Reject a skeleton that does not belong to a motion: most of its joints are missing."""
    turned = [joint for joint, kind in motion.channels if kind == "Quat"]
    lacking = [joint for joint in turned if joint not in skeleton]
    if 2 * len(lacking) > len(turned):
        raise UnreadableError(
            path,
            f"is not of the skeleton {source.name}: of {len(turned)} joints that it rotates "
            f"{len(lacking)} are not there, such as {', '.join(lacking[:3])}; name another one "
            "(--skeleton FILE.sk)",
        )


def read_sk(path: str | PathLike[str]) -> Take:
    """Read a SmartBody skeleton as one frame of its rest pose."""
    return Take(rest_clip(read_skeleton(path)), provenance={"format": "sk", "unit_m": 1.0})


def _skeleton_beside(path: Path) -> Path:
    there = sorted(path.parent.glob("*.sk"))
    fitting = [p for p in there if path.name.startswith(p.stem)]
    if fitting:
        return max(fitting, key=lambda p: len(p.stem))
    if len(there) == 1:
        return there[0]
    raise UnreadableError(
        path, f"needs its skeleton: {len(there)} .sk files are in its folder, none with its name"
    )


def take_of(motion: SkmDocument, skeleton: Skeleton) -> Take:
    """Apply a motion to its skeleton."""
    frames = len(motion.times)
    rotations = np.broadcast_to(skeleton.rest_rotations, (frames, len(skeleton), 4)).copy()
    shifts: dict[int, Floats] = {}
    column, left_out = 0, set()
    for joint_name, kind in motion.channels:
        block = motion.values[:, column : column + _WIDTH[kind]]
        column += _WIDTH[kind]
        if joint_name not in skeleton:
            left_out.add(joint_name)
            continue
        joint = skeleton.index(joint_name)
        if kind == "Quat":
            turn = quaternion.exp(block)
            rotations[:, joint] = quaternion.multiply(skeleton.rest_rotations[joint], turn)
        elif kind.endswith("Pos"):
            shift = shifts.setdefault(joint, np.zeros((frames, 3)))
            shift[:, "XYZ".index(kind[0])] = block[:, 0]
        else:
            left_out.add(f"{joint_name} {kind}")
    paths = {j: skeleton.offsets[j] + s for j, s in shifts.items()}
    root = paths.pop(0, np.broadcast_to(skeleton.offsets[0], (frames, 3)))
    moving = sorted(j for j, s in shifts.items() if j and np.abs(s).max() > 0.0)
    step = float(np.median(np.diff(motion.times))) if frames > 1 else 1.0 / 30.0
    fps = 1.0 / step
    fps = float(round(fps)) if abs(fps - round(fps)) < 0.02 * fps else fps
    clip = Clip(
        skeleton,
        fps,
        root,
        quaternion.normalise(rotations),
        tuple(moving),
        np.stack([paths[j] for j in moving], axis=1) if moving else None,  # type: ignore[arg-type]
    )
    if frames > 2 and np.abs(np.diff(motion.times) - step).max() > 0.1 * step:
        clip = _evenly(clip, motion.times, fps)
    marks = tuple(sorted(Interval(t, t, name) for name, t in motion.sync.items()))
    notes = (
        [f"channels of joints that the skeleton lacks: {', '.join(sorted(left_out))}"]
        if left_out
        else []
    )
    return Take(clip, tiers=(Tier(SYNC_TIER, marks),) if marks else (), provenance={"notes": notes})


def _evenly(clip: Clip, times: Floats, fps: float) -> Clip:
    """Resample frames with uneven times to a constant rate."""
    at = np.arange(int(np.floor((times[-1] - times[0]) * fps + 1e-6)) + 1) / fps + times[0]
    where = np.interp(at, times, np.arange(len(times)))
    from kinesphere.motion.resampling import sample

    return sample(clip, where / clip.fps, "linear")


FORMATS = (
    Format("SmartBody motion", (".skm",), read_skm, options=("skeleton",)),
    Format("SmartBody skeleton", (".sk",), read_sk),
)
