"""Small corpora of motion and speech in the layouts that are known, made of nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import soundfile

import kinesphere as ks
from kinesphere.formats.registry import write_take
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.clip import Clip
from kinesphere.motion.skeleton import Skeleton
from kinesphere.motion.take import Audio, Take
from kinesphere.timeline import Interval, Tier

RIG = ks.default_rig()
RATE_HZ = 16_000
Turns = Sequence[tuple[float, float]]


def turns_of_speech(rng: np.random.Generator, duration_s: float) -> list[tuple[float, float]]:
    """Stretches in which somebody speaks, with pauses of about a second between them."""
    out, at = [], float(rng.uniform(0.3, 1.0))
    while at < duration_s:
        end = at + float(rng.gamma(3.0, 0.8)) + 0.5
        out.append((at, min(end, duration_s)))
        at = end + float(rng.gamma(3.0, 0.35)) + 0.4
    return out


def level(turns: Turns, times: Floats, soft_s: float) -> Floats:
    """1 while somebody speaks, 0 while nobody does, with soft edges."""
    out = np.zeros_like(times)
    for start, end in turns:
        edges = np.clip((times - start) / soft_s, -40, 40), np.clip((end - times) / soft_s, -40, 40)
        out += 1.0 / ((1.0 + np.exp(-edges[0])) * (1.0 + np.exp(-edges[1])))
    return np.minimum(out, 1.0)


def spoken(turns: Turns, duration_s: float, rng: np.random.Generator) -> Floats:
    """Noise that is loud while somebody speaks, 40 dB softer while nobody does."""
    times = np.arange(round(duration_s * RATE_HZ)) / RATE_HZ
    syllables = 0.75 + 0.25 * np.sin(2.0 * np.pi * 4.0 * times)
    loud = level(turns, times, 0.01) * syllables
    return 0.1 * rng.normal(size=len(times)) * np.maximum(loud, 0.01)


def moving(
    turns: Turns, duration_s: float, fps: float, rng: np.random.Generator, start_s: float = 0.0
) -> Clip:
    """Arms that gesture while somebody speaks; everything else stirs a little.

    The first frame is at `start_s` of the turns' clock.
    """
    times = start_s + np.arange(round(duration_s * fps)) / fps
    rotations = np.broadcast_to(quaternion.IDENTITY, (len(times), len(RIG.skeleton), 4)).copy()
    active = level(turns, times, 0.08)[:, None]
    for joint, name in enumerate(RIG.skeleton.names):
        phase, pace = rng.uniform(0, 6.28, 3), rng.uniform(0.4, 0.9, 3)
        swing = 0.03 * np.sin(pace * times[:, None] + phase)
        if "Arm" in name or "Hand" in name:
            beat = np.sin(2.0 * np.pi * rng.uniform(0.9, 1.4) * times[:, None] + phase)
            swing = swing + 0.3 * active * beat
        elif any(finger in name for finger in ("Thumb", "Index", "Middle", "Ring", "Little")):
            swing = 0.15 * np.sin(pace * times[:, None] + phase) * np.array([0.0, 0.0, 1.0])
        rotations[:, joint] = quaternion.exp(swing)
    for side, sign in (("left", -1.0), ("right", 1.0)):  # arms hang
        arm = RIG.bones[f"{side}UpperArm"]
        down = quaternion.from_axis_angle([0.0, 0.0, sign], 1.1)
        rotations[:, arm] = quaternion.multiply(down, rotations[:, arm])
    root = RIG.skeleton.offsets[0] + 0.01 * np.sin(0.5 * times[:, None] + np.arange(3.0))
    return Clip(RIG.skeleton, fps, root, rotations)


def renamed(clip: Clip, names: dict[str, str]) -> Clip:
    """The clip with other names for its joints."""
    old = clip.skeleton
    new = tuple(names.get(name, name) for name in old.names)
    skeleton = Skeleton(new, old.parents, old.offsets, old.rest_rotations, old.tips)
    return replace(clip, skeleton=skeleton)


def without(clip: Clip, bones: Sequence[str]) -> Clip:
    """The clip without some joints and all below them."""
    old = clip.skeleton
    gone = {joint for bone in bones for joint in old.subtree(old.index(bone))}
    kept = [joint for joint in range(len(old)) if joint not in gone]
    parents = [-1 if old.parents[j] < 0 else kept.index(int(old.parents[j])) for j in kept]
    skeleton = Skeleton(
        tuple(old.names[j] for j in kept),
        np.array(parents),
        old.offsets[kept],
        old.rest_rotations[kept],
    )
    return Clip(skeleton, clip.fps, clip.root_positions, clip.rotations[:, kept])


def textgrid(words: Sequence[tuple[float, float, str]]) -> str:
    """A short TextGrid with one tier of words."""
    end = words[-1][1]
    rows = "\n".join(f'{a}\n{b}\n"{word}"' for a, b, word in words)
    return (
        f'File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n{end}\n<exists>\n1\n'
        f'"IntervalTier"\n"words"\n0\n{end}\n{len(words)}\n{rows}\n'
    )


class Corpus:
    """A folder to be filled with performances; `clips` and `sounds` remember them by name."""

    def __init__(self, folder: Path, seed: int = 1, duration_s: float = 3.0) -> None:
        self.folder, self.duration_s = folder, duration_s
        self.rng = np.random.default_rng(seed)
        self.clips: dict[str, Clip] = {}

    def path(self, place: str) -> Path:
        path = self.folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def turns(self) -> list[tuple[float, float]]:
        return turns_of_speech(self.rng, self.duration_s)

    def motion(self, place: str, turns: Turns = ((0.0, 9.0),), fps: float = 30.0) -> Clip:
        """Write motion in the format of the ending."""
        path = self.path(place)
        clip = moving(turns, self.duration_s, fps, self.rng)
        self.clips[path.stem] = clip
        if path.suffix == ".npz":
            _write_smplx(clip, path)
        else:
            write_take(Take(clip), path)
        return clip

    def sound(self, place: str, turns: Turns = ((0.0, 9.0),)) -> None:
        """Write sound in the format of the ending."""
        soundfile.write(self.path(place), spoken(turns, self.duration_s, self.rng), RATE_HZ)

    def words(self, place: str) -> None:
        """Write a transcript of two words."""
        path, rows = self.path(place), ((0.5, 0.9, "one"), (1.0, 1.4, "two"))
        if path.suffix == ".tsv":
            path.write_text("".join(f"{a}\t{b}\t{word}\n" for a, b, word in rows))
        else:
            path.write_text(textgrid(rows))

    def take(self, place: str) -> None:
        """Write a take that holds its own sound and words."""
        path = self.path(place)
        clip = moving([(0.0, 9.0)], self.duration_s, 30.0, self.rng)
        self.clips[path.stem] = clip
        sound = Audio(spoken([(0.0, 9.0)], self.duration_s, self.rng), RATE_HZ)
        write_take(Take(clip, sound, (Tier("words", (Interval(0.2, 0.5, "hello"),)),)), path)


def _write_smplx(clip: Clip, path: Path) -> None:
    """Arms and head of a clip as the poses of a body model, 55 joints."""
    poses = np.zeros((len(clip), 55, 3))
    theirs = {
        15: "head",
        16: "leftUpperArm",
        17: "rightUpperArm",
        18: "leftLowerArm",
        19: "rightLowerArm",
        1: "leftUpperLeg",
    }
    for joint, bone in theirs.items():
        poses[:, joint] = quaternion.log(clip.rotations[:, clip.skeleton.index(bone)])
    np.savez(
        path,
        poses=poses.reshape(len(clip), -1),
        trans=np.zeros((len(clip), 3)),
        mocap_frame_rate=clip.fps,
    )


def beat(corpus: Corpus) -> None:
    """BEAT: a folder a speaker, everything in it."""
    for stem in ("1/1_wayne_0_1_1", "1/1_wayne_0_2_2", "2/2_scott_0_1_1"):
        corpus.motion(f"beat_english_v0.2.1/{stem}.bvh", fps=120.0)
        corpus.sound(f"beat_english_v0.2.1/{stem}.wav")
        corpus.words(f"beat_english_v0.2.1/{stem}.TextGrid")
        corpus.path(f"beat_english_v0.2.1/{stem}.json").write_text("{}")
        corpus.path(f"beat_english_v0.2.1/{stem}.csv").write_text("1,2,3,4,5\n")


def beat2(corpus: Corpus) -> None:
    """BEAT2: a folder a kind of file."""
    for stem in ("2_scott_0_1_1", "6_carla_0_65_65"):
        corpus.motion(f"beat_english_v2.0.0/smplxflame_30/{stem}.npz")
        corpus.sound(f"beat_english_v2.0.0/wave16k/{stem}.wav")
        corpus.words(f"beat_english_v2.0.0/textgrid/{stem}.TextGrid")


def zeggs(corpus: Corpus) -> None:
    """ZeroEGGS: trimmed pairs in one folder, mirrored motion without sound of its own."""
    for stem in ("001_Neutral_0_x_1_0", "067_Speech_2_x_1_0", "067_Speech_2_mirror_x_1_0"):
        corpus.motion(f"clean/{stem}.bvh", fps=60.0)
        if "mirror" not in stem:
            corpus.sound(f"clean/{stem}.wav")


def genea(corpus: Corpus) -> None:
    """GENEA 2023: two sides, a folder a kind of file, a table of speakers."""
    for side in ("main-agent", "interloctr"):
        for i in range(2):
            stem = f"trn_2023_v0_00{i}_{side}"
            corpus.motion(f"trn/{side}/bvh/{stem}.bvh")
            corpus.sound(f"trn/{side}/wav/{stem}.wav")
            corpus.words(f"trn/{side}/tsv/{stem}.tsv")
    corpus.path("trn/metadata.csv").write_text(
        "prefix,main-agent_id,main-agent_has_fingers,interloctr_id,interloctr_has_fingers\n"
        "trn_2023_v0_000,05,fingers_incl,12,fingers_excl\n"
        "trn_2023_v0_001,12,fingers_incl,05,fingers_excl\n"
    )


def talking_with_hands(corpus: Corpus) -> None:
    """Talking With Hands: sessions and takes of two people."""
    for person in ("deep5", "shallow12"):
        corpus.motion(
            f"mocap_data/session14/take5/take5_noFingers_{person}_scale_local.bvh", fps=90.0
        )
        corpus.sound(f"audio_data/session14/take5/{person}_audio.wav")


def trinity(corpus: Corpus) -> None:
    """Trinity: numbers that are written differently."""
    for i in (1, 2, 10):
        corpus.motion(f"Motion/NaturalTalking_{i:03d}.bvh", fps=60.0)
        corpus.sound(f"Audio/NaturalTalking_{i:02d}.wav")


def plain(corpus: Corpus) -> None:
    """Nothing known: one folder, two folders, takes."""
    corpus.motion("one.bvh")
    corpus.sound("one.flac")
    corpus.motion("motion/two.glb")
    corpus.sound("audio/two.wav")
    corpus.motion("three_motion.kin")
    corpus.sound("three_audio.ogg")
    corpus.take("four.kin")


LAYOUTS = {
    "BEAT": (beat, 3, {"wayne", "scott"}, 3),
    "BEAT2": (beat2, 2, {"scott", "carla"}, 2),
    "ZeroEGGS": (zeggs, 3, {"Neutral", "Speech"}, 0),
    "GENEA": (genea, 4, {"05", "12"}, 4),
    "Talking With Hands": (talking_with_hands, 2, {"deep5", "shallow12"}, 0),
    "Trinity": (trinity, 3, {""}, 0),
    "plain": (plain, 4, {""}, 0),
}
"""Name of the layout: builder, number of pairs, speakers, number of transcripts."""
