"""``kinesphere evaluate``: text, JSON and page say the same; bad input is one line."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.cli.main import status
from kinesphere.formats.wav import wav_bytes
from kinesphere.motion.calibration import calibration_frames
from kinesphere.motion.clip import rest_clip
from kinesphere.motion.resampling import resample
from kinesphere.pipeline.evaluate import evaluate
from kinesphere.timeline import Interval, Tier
from tests.cli.conftest import Refused
from tests.conftest import smooth_clip
from tests.evaluation.test_frechet import talking
from tests.evaluation.test_movement import RIG
from tests.speech.voices import babble

SECONDS = 6.0
VOICE = ks.Audio(babble(SECONDS, 16000.0), 16000)
ARMS = Tier("arms", tuple(Interval(t, t + 0.5, "a") for t in np.arange(0.0, 5.5, 0.5)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two spoken takes, one mute with its sound beside it, one without, and other rigs' files."""
    out = tmp_path_factory.mktemp("takes")
    for seed in (1, 2):
        ks.Take(talking(seed, SECONDS), VOICE, (ARMS,)).save(out / f"seed{seed}.kin")
    ks.Take(talking(3, SECONDS)).save(out / "beside.kin")
    (out / "beside.wav").write_bytes(wav_bytes(VOICE))
    ks.Take(talking(4, SECONDS)).save(out / "mute.kin")
    rng = np.random.default_rng(1)
    (out / "more").mkdir()
    walk = ks.Take(smooth_clip(RIG.skeleton, rng, frames=180, size=0.3))
    walk.save(out / "more" / "walk.bvh")
    walk.save(out / "more" / "walk.glb")
    return out


def run(
    arguments: list[str], capsys: pytest.CaptureFixture[str], wanted: int = 0
) -> tuple[str, str]:
    assert status(["evaluate", *arguments]) == wanted
    said = capsys.readouterr()
    return said.out, said.err


def test_text_json_and_page(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    takes = [str(folder / f"seed{k}.kin") for k in (1, 2)]
    page = tmp_path / "page.html"
    out, err = run([*takes, "--against", str(folder / "beside.kin"), "-o", str(page)], capsys)
    assert "2 takes" in out
    assert out.splitlines()[-1] == str(page)
    assert "shorter than the 20 s" in err
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    text, _ = run([*takes, "--against", str(folder / "beside.kin"), "--json"], capsys)
    document = json.loads(text)
    assert [take["name"] for take in document["takes"]] == ["seed1", "seed2"]
    assert document["timing"]["beats"]["count"] > 0
    assert document["timing"]["segment_ends"]["arms"]["count"] > 0
    # The sound of the reference was found beside it.
    assert document["reference_timing"]["beats"]["count"] > 0
    assert document["diversity"]["takes"] == 2
    found = evaluate(takes, [folder / "beside.kin"])
    assert found.document() == document


def test_all_files_after_against_are_references(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second, third = (str(folder / f"{n}.kin") for n in ("seed1", "seed2", "beside"))
    for arguments in (
        [first, "--against", second, third, "--json"],
        [first, "--against", second, "--json", "--against", third],
        [first, f"--against={second}", third, "--json"],
        ["--json", first, "--manner", "calm", "--against", second, third],
    ):
        document = json.loads(run(arguments, capsys)[0])
        assert [take["name"] for take in document["takes"]] == ["seed1"]
        assert [take["name"] for take in document["references"]] == ["seed2", "beside"]


def test_folders_and_every_format(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(run([str(folder / "more"), "--json"], capsys)[0])
    assert [take["name"] for take in document["takes"]] == ["more/walk.bvh", "more/walk.glb"]
    # The same motion, as exactly as the files store it.
    first, second = document["takes"]
    assert second["medians"]["mean_speed"] == pytest.approx(
        first["medians"]["mean_speed"], rel=1e-3
    )
    assert document["diversity"]["hands_m"]["mean"] < 1e-3


def test_speech_is_the_given_one_or_left_out(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mute = str(folder / "mute.kin")
    out, err = run([mute], capsys)
    assert "speech\n" not in out
    assert "note: no audio, so no timing with speech: mute" in err
    sound = str(folder / "beside.wav")
    document = json.loads(run([mute, "--speech", sound, "--json"], capsys)[0])
    assert document["timing"]["beats"]["count"] > 0
    own = json.loads(run([str(folder / "seed1.kin"), "--json"], capsys)[0])
    given = json.loads(run([str(folder / "seed1.kin"), "--speech", sound, "--json"], capsys)[0])
    assert given["timing"] == own["timing"]  # 16 bits of the same sound


def test_a_calibration_pose_is_left_out_and_the_sound_stays_in_step() -> None:
    """One frame in the T-pose at 10 fps, then arms that hang and talk."""
    clip = resample(talking(1, SECONDS), 10.0)
    turns = clip.rotations.copy()
    for side, turn in (("left", -1.2), ("right", 1.2)):
        half = [np.cos(turn / 2), 0.0, 0.0, np.sin(turn / 2)]
        turns[1:, RIG.joint(f"{side}UpperArm")] = half
    clip = replace(clip, rotations=turns)
    assert calibration_frames(clip) == 1
    without = ks.Take(clip.frames(1, len(clip)), ks.Audio(VOICE.samples[1600:], 16000))
    found, plain = evaluate([ks.Take(clip, VOICE)]), evaluate([without])
    assert found.takes[0].length_s == plain.takes[0].length_s
    medians, others = found.takes[0].medians, plain.takes[0].medians
    assert medians["rms_jerk"] == pytest.approx(others["rms_jerk"])
    # Where the sound begins, a syllable may be heard a little otherwise.
    assert medians["both_still_speaking"] == pytest.approx(others["both_still_speaking"], abs=0.03)
    ends = [e.timing.ends["units of movement"].ends for e in (found, plain) if e.timing is not None]
    assert ends[0].median_s == pytest.approx(ends[1].median_s, abs=0.01)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "give at least one TAKE"),
        (["--against", "seed1.kin"], "takes go before --against"),
        (["missing.bvh"], "missing.bvh: no such file"),
        (["notes.txt"], "readable are .bvh"),
        (["missing"], "missing: no such file or folder"),
        (["seed1.kin", "--against"], "--against needs at least one file"),
        (["seed1.kin", "--against", "-o", "a.html"], "--against needs at least one file"),
        (["seed1.kin", "--against", "missing.kin"], "missing.kin: no such file"),
        (["seed1.kin", "-o", "a.png"], "evaluate writes .html"),
        (["seed1.kin", "-o", "nowhere/a.html"], "its folder does not exist"),
        (["seed1.kin", "--speech", "missing.wav"], "missing.wav"),
        (["seed1.kin", "--speech", "a.wav", "--speech", "b.wav"], "one for all, or one for each"),
        (
            ["seed1.kin", "--segments", "legs"],
            "seed1.kin: has no tier 'legs'; its tiers are: 'arms'",
        ),
        (["seed1.kin", "--manner", "wild"], "'calm', 'expressive'"),
        (["empty/../blink.kin"], "kinesphere: empty/../blink.kin: 0.32 s of motion, needed is 1 s"),
        (["empty"], "empty: contains no motion"),
        (["table.glb"], "kinesphere: table.glb: is not a humanoid"),
    ],
)
def test_bad_input_is_one_line_and_status_two(
    arguments: list[str], said: str, folder: Path, tmp_path: Path, refused: Refused
) -> None:
    (tmp_path / "seed1.kin").write_bytes((folder / "seed1.kin").read_bytes())
    (tmp_path / "notes.txt").write_text("hello", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    ks.Take(rest_clip(RIG.skeleton, 20, 60.0)).save(tmp_path / "blink.kin")
    box = ks.Skeleton(("lid", "leg"), np.array([-1, 0]), np.zeros((2, 3)))
    ks.Take(rest_clip(box, 90, 30.0)).save(tmp_path / "table.glb")
    assert said in refused(["evaluate", *arguments])


def test_a_tier_may_be_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [str(folder / "seed1.kin"), "--segments", "arms", "--json"]
    document = json.loads(run([*arguments, "--against", str(folder / "mute.kin")], capsys)[0])
    assert document["timing"]["segment_ends"].keys() == {"units of movement", "arms"}


def test_progress_counts_every_motion() -> None:
    told: list[tuple[int, int]] = []
    takes = [ks.Take(talking(s, 2.0)) for s in (1, 2)]
    evaluate(takes, [ks.Take(talking(3, 2.0))], progress=lambda n, total: told.append((n, total)))
    assert told == [(1, 3), (2, 3), (3, 3)]
