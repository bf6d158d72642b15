"""Standing speakers on the default figure: recorded people, and takes performed or for a voice.

Recordings are looked for in the folder named by KINESPHERE_DATA, then in ``../shared/data``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from benchmarks.studies.body_features import window_features
from benchmarks.studies.separability import Windows
from benchmarks.studies.whole_body import whole_body

import kinesphere as ks
from kinesphere.character.take_rig import report_of
from kinesphere.errors import InvalidValueError
from kinesphere.formats.registry import endings
from kinesphere.maths.arrays import Floats
from kinesphere.maths.quaternion import inverse, multiply, rotate
from kinesphere.motion.body.arms import SIDES
from kinesphere.pipeline.stages.utter import speak

ROOT = Path(__file__).resolve().parents[2]
TEXTS = ROOT / "tests" / "generation" / "texts"
STYLES = ("host", "critic", "neutral")
CALM = ("beat2/2_scott_0_1_1.npz", "cmu/18_08.bvh")
STORIES = tuple(f"cmu/{n}.bvh" for n in ("26_05", "26_06", "27_04", "27_08", "28_03", "28_07"))
"""Whole-body speech: calm speakers, and story tellers, who act on planted feet."""
VOICES = (
    "beat2/2_scott_0_1_1.wav",
    "speech/sonnet/audio.wav",
    "speech/librispeech/libri-1088-134315-0000.wav",
)
SPOKEN = 3
"""Texts that the synthetic voice speaks where no voice was recorded."""
OTHER_SEEDS = 100
"""Distance of held-out seeds from the others."""
_UNMOVED_DEG = 0.1
_LOWER = ("hips", *(f"{s}{b}" for s in SIDES for b in ("UpperLeg", "LowerLeg", "Foot", "Toes")))
_SUBJECT = re.compile(r"(\d+)_\d+")


@dataclass(frozen=True, eq=False)
class StandingSpeaker:
    """Motion on the default figure.

    Parameters
    ----------
    name : of the recording or take.
    group : who or what is held out together: a person, a text or a voice.
    take : the motion.
    calm : False for story tellers.
    wrists : False if they were not recorded.
    """

    name: str
    group: str
    take: ks.Take
    calm: bool = True
    wrists: bool = True


def recordings_folder() -> Path | None:
    """Folder with recordings, if there is one."""
    for place in (os.environ.get("KINESPHERE_DATA"), ROOT.parent / "shared" / "data"):
        if place and Path(place).is_dir():
            return Path(place)
    return None


def person_of(file: Path) -> str:
    """Person of a recording: CMU's subject, else the name without its last number.

    >>> person_of(Path("26_05.bvh")), person_of(Path("anna_2.bvh")), person_of(Path("talk.bvh"))
    ('26', 'anna', 'talk')
    """
    subject = _SUBJECT.fullmatch(file.stem)
    return subject.group(1) if subject else re.sub(r"[_-]\d+$", "", file.stem)


def recorded(file: Path, person: str | None = None, *, calm: bool = True) -> StandingSpeaker:
    """A recording on the default figure."""
    take = ks.load(file)
    return StandingSpeaker(
        file.stem, person or person_of(file), on_default_figure(take), calm, wrists_move(take)
    )


def default_people(folder: Path) -> list[StandingSpeaker]:
    """People of the recordings folder, as far as they are in it."""
    files = [(folder / name, name in CALM) for name in (*CALM, *STORIES)]
    return [recorded(file, calm=calm) for file, calm in files if file.is_file()]


def people_below(folder: Path) -> list[StandingSpeaker]:
    """People of a folder: one in each folder within, and those of files beside these.

    Raises
    ------
    InvalidValueError
        If there is no motion file in it.
    """
    found = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix.lower() in endings(reading=True):
            inner = path.relative_to(folder).parts[:-1]
            found.append(recorded(path, inner[0] if inner else None))
    if not found:
        raise InvalidValueError(f"{folder}: no motion files, needed are recordings of people")
    return found


def on_default_figure(take: ks.Take) -> ks.Take:
    """A take itself if its bones are those of the default figure, else retargeted to it."""
    ours, its = (_bone_offsets(s) for s in (ks.default_rig().skeleton, take.clip.skeleton))
    if ours.keys() == its.keys() and all(np.allclose(its[n], ours[n], atol=1e-3) for n in ours):
        return take
    return ks.retarget(take)


def _bone_offsets(skeleton: ks.Skeleton) -> dict[str, Floats]:
    """Offset of each joint but the root, whose own one says nothing of the body."""
    return dict(zip(skeleton.names[1:], skeleton.offsets[1:], strict=True))


def wrists_move(take: ks.Take) -> bool:
    """Whether hands bend against their forearms anywhere in a recording."""
    rig, world = report_of(take).rig, take.clip.world_rotations
    for side in SIDES:
        fore, hand = (rig.turn(world, rig.joint(side + b)) for b in ("LowerArm", "Hand"))
        along = rotate(multiply(inverse(fore), hand), np.array([1.0, 0.0, 0.0]))
        # The first frame may be a calibration pose.
        if np.degrees(along[1:].std(axis=0).max()) > _UNMOVED_DEG:
            return True
    return False


def text_files(count: int, *, held_out: bool) -> list[Path]:
    """Every other English text, or those between.

    Raises
    ------
    InvalidValueError
        If there are not that many.
    """
    files = sorted(TEXTS.glob("en_*.txt"))[int(held_out) :: 2]
    if not 1 <= count <= len(files):
        raise InvalidValueError(f"{count} texts, allowed is 1 to {len(files)}")
    return files[:count]


def performed_speakers(count: int, *, held_out: bool) -> Iterator[StandingSpeaker]:
    """Performances of texts, in three styles by turns."""
    for n, file in enumerate(text_files(count, held_out=held_out)):
        style, text = STYLES[n % len(STYLES)], file.read_text(encoding="utf-8")
        take = ks.perform(text, style, seed=n + OTHER_SEEDS * held_out)
        yield StandingSpeaker(f"perform_{file.stem}_{style}", f"text {file.stem}", take)


def listening_speakers(folder: Path | None, *, held_out: bool) -> Iterator[StandingSpeaker]:
    """Takes for recorded voices, or for the synthetic one without recordings; two seeds each."""
    files = [folder / name for name in VOICES if (folder / name).is_file()] if folder else []
    voices: Iterable[tuple[str, object]] = ((file.stem, file) for file in files)
    if not files:
        voices = ((f.stem, _spoken(f)) for f in text_files(SPOKEN, held_out=held_out))
    for name, voice in voices:
        for seed in range(2):
            take = ks.listen(voice, seed=seed + OTHER_SEEDS * held_out)  # type: ignore[arg-type]
            yield StandingSpeaker(f"listen_{name}_{seed}", f"voice {name}", take)


def _spoken(file: Path) -> tuple[Floats, int]:
    said = speak(file.read_text(encoding="utf-8"))
    return np.asarray(said.samples, dtype=np.float64), said.rate_hz


def frozen_below(speaker: StandingSpeaker) -> StandingSpeaker:
    """A speaker with pelvis and legs held as in the middle of the recording."""
    clip = speaker.take.clip
    joints = report_of(speaker.take).rig.joints(_LOWER)
    rotations, middle = clip.rotations.copy(), len(clip) // 2
    rotations[:, joints] = rotations[middle, joints]
    root = np.tile(clip.root_positions[middle], (len(clip), 1))
    still = replace(clip, rotations=rotations, root_positions=root)
    return replace(speaker, take=replace(speaker.take, clip=still))


def windows_of(speakers: Sequence[StandingSpeaker]) -> Windows:
    """Features of all windows of speakers, each with its speaker's group."""
    rows, groups = [], []
    for speaker in speakers:
        rig = report_of(speaker.take).rig
        found = window_features(whole_body(speaker.take.clip, rig, wrists=speaker.wrists))
        rows.append(found)
        groups += [speaker.group] * len(found)
    if not groups:
        raise InvalidValueError("no window of 20 s to measure, needed is motion of 14 s or more")
    return Windows(np.vstack(rows), tuple(groups))
