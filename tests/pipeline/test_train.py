"""Training on corpora: the same model whoever reads them, where it is from, and what is refused."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import distributed
import numpy as np
import pytest

import kinesphere as ks
from kinesphere.bodylanguage.learn.training import TrainingSettings
from kinesphere.bodylanguage.model_file import model_bytes, read_model, write_model
from kinesphere.corpus.pairs.pairs import find_pairs
from kinesphere.corpus.pairs.recordings import PairSettings
from kinesphere.errors import InvalidValueError, KinesphereError, UnreadableError, UnwritableError
from kinesphere.formats.container import plain
from kinesphere.pipeline import train_cluster
from kinesphere.pipeline.models import describe_model, model, model_names
from kinesphere.pipeline.train import check_model_output, train
from kinesphere.pipeline.train_extraction import Job, Outcome, in_order, outcome, outcomes
from tests.pipeline.talking import benchmark, corpus, talking, trained, write_pair


def same(a: bytes, b: bytes) -> bool:
    return a == b  # pytest would compare megabytes letter by letter


def trained_bytes(**options: object) -> bytes:
    return model_bytes(train(corpus(), name="small", licence="CC0", **options).model)


def test_a_cluster_gives_the_same_model() -> None:
    wanted = model_bytes(trained().model)
    with distributed.LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
    ) as cluster:
        assert same(trained_bytes(cluster=cluster.scheduler_address), wanted)


def test_a_model_read_back_is_the_one_that_was_trained(tmp_path: Path) -> None:
    found = trained().model
    write_model(found, tmp_path / "m.kin")
    again = read_model(tmp_path / "m.kin")
    assert same(model_bytes(again), model_bytes(found))
    assert np.array_equal(again.turns, found.turns)


def test_seed_and_settings_count() -> None:
    few = train(corpus(), settings=TrainingSettings(clusters=(4, 5, 3)), workers=1).model
    assert [len(s) for s in few.streams.values()] == [4, 5, 3]


def test_provenance_says_where_from_but_no_place_and_no_date() -> None:
    about = plain(trained().model.provenance)
    text = json.dumps(about)
    assert about["corpora"] == ["talk"]
    assert about["layouts"] == ["plain"]
    assert about["seconds"] == {"small": 120.0}
    assert (about["recordings"], about["left_out"], about["licence"]) == (4, 0, "CC0")
    assert about["settings"]["clusters"] == [20, 45, 6]
    assert about["versions"]["kinesphere"] == ks.__version__
    assert str(corpus().parent) not in text
    assert "202" not in text  # no year


def test_speakers_are_the_places_where_files_do_not_say(tmp_path: Path) -> None:
    for name in ("anna", "ben"):  # with the same names in both
        shutil.copytree(corpus(), tmp_path / name)
    both = train(
        [tmp_path / "anna", tmp_path / "ben"], workers=1, settings=TrainingSettings((6, 6, 2))
    )
    assert both.model.speakers == ("anna", "ben")
    arms = both.model.streams["arms"]
    assert np.array_equal(arms.transitions[0], arms.transitions[1])  # the same files
    assert train(tmp_path / "anna", name="me", workers=1).model.speakers == ("me",)


def test_what_has_no_partner_is_reported_and_pairs_are_told() -> None:
    report = trained().report
    assert [Path(p).name for p in report.pairing.motion_alone] == ["alone.bvh"]
    assert [f.name for f in report.readable] == ["t0", "t1", "t2", "t3"]
    assert set(trained().evidence) == set(trained().model.streams)


def test_progress_rises_to_the_end() -> None:
    told: list[tuple[str, float]] = []
    train(corpus(), workers=1, progress=lambda what, ratio: told.append((what, ratio)))
    ratios = [ratio for _, ratio in told]
    assert ratios == sorted(ratios)
    assert (ratios[0], ratios[-1]) == (0.0, 1.0)
    assert "2 of 4 recordings" in [what for what, _ in told]


def test_an_offset_moves_what_is_heard() -> None:
    moved = train(corpus(), workers=1, reading=PairSettings(estimate=False, offset=1.0))
    assert moved.model.provenance["reading"]["offset"] == 1.0
    assert moved.model.provenance["seconds"] == {"model": 116.0}


def spoilt(tmp_path: Path, spoil: Callable[[Path], object]) -> Path:
    folder = tmp_path / "spoilt"
    shutil.copytree(corpus(), folder)
    spoil(folder)
    return folder


def test_the_first_broken_pair_stops_or_is_left_out(tmp_path: Path) -> None:
    def spoil(folder: Path) -> None:
        (folder / "t3.wav").write_bytes(b"")
        (folder / "t1.bvh").write_text("HIERARCHY\nROOT", encoding="utf-8")

    folder = spoilt(tmp_path, spoil)
    with pytest.raises(UnreadableError, match=r"t1\.bvh"):
        train(folder)
    found = train(folder, skip_broken=True)
    assert [f.name for f in found.report.readable] == ["t0", "t2"]
    assert ["t1.bvh" in p for p in found.report.problems] == [True, False]
    assert ["t3.wav" in p for p in found.report.problems] == [False, True]
    assert found.model.provenance["left_out"] == 2


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda t: replace(t, clip=t.clip.frames(0, 150)), "differ"),
        (lambda t: ks.Take(t.clip, ks.Audio(np.zeros(30 * 16000), 16000)), "0 syllables"),
        (lambda t: ks.Take(t.clip.select_frames(np.zeros(900, int)), t.audio), "no movement"),
        (
            lambda t: ks.Take(t.clip.frames(0, 150), ks.Audio(t.audio.samples[:80000], 16000)),
            "5.0 s",
        ),
    ],
)
def test_too_little_is_refused_in_one_line(
    tmp_path: Path, change: Callable[[ks.Take], ks.Take], said: str
) -> None:
    write_pair(tmp_path, "a", change(talking(30.0)))
    with pytest.raises(KinesphereError, match=said) as caught:
        train(tmp_path)
    assert "\n" not in str(caught.value)


def test_what_names_do_not_tell_apart_is_counted(tmp_path: Path) -> None:
    for name in ("a.bvh", "a.glb", "a.wav", "alone.wav"):
        (tmp_path / name).write_bytes(b"")
    said = r"found 2 motion files and 2 sound files, 1 name that matches several of them \(a\)"
    with pytest.raises(UnreadableError, match=said):
        train(tmp_path)


def test_no_pairs_and_nothing_readable(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="found 0 motion files and 0 sound files"):
        train(tmp_path)
    write_pair(tmp_path, "a", talking(3.0))
    (tmp_path / "a.wav").write_bytes(b"RIFF")
    with pytest.raises(UnreadableError, match="the only pair cannot be read: "):
        train(tmp_path, skip_broken=True)


def test_one_gesture_alone_still_gives_a_model(tmp_path: Path) -> None:
    take = talking(40.0)
    frames = np.clip(np.arange(1200) - 600, 0, 90)  # stands, moves for three seconds, stands
    write_pair(tmp_path, "a", ks.Take(take.clip.select_frames(frames), take.audio))
    found = train(tmp_path)
    assert len(found.model.streams["arms"]) >= 2


def test_outputs_are_checked_before_the_work(tmp_path: Path) -> None:
    for path in (tmp_path / "m.bvh", tmp_path, tmp_path / "no" / "m.kin"):
        with pytest.raises(UnwritableError):
            check_model_output(path)
    check_model_output(tmp_path / "m.KIN")


def jobs() -> list[Job]:
    return [
        Job(pair, "x", PairSettings(estimate=False), TrainingSettings().segmentation)
        for pair in find_pairs(corpus()).pairs
    ]


def test_outcomes_come_in_order_with_few_under_way() -> None:
    first = outcome(jobs()[0])
    under_way: list[Job] = []
    most: list[int] = []

    class Later:
        def __init__(self, job: Job) -> None:
            self.job = job
            under_way.append(job)
            most.append(len(under_way))

        def result(self) -> Outcome:
            under_way.remove(self.job)
            return Outcome(replace(first.facts, name=self.job.pair.name), None)

    many = [job._replace(pair=replace(job.pair, name=f"{i}")) for i, job in enumerate(jobs() * 5)]
    found = list(in_order(Later, many, 6))
    assert [o.facts.name for o in found] == [job.pair.name for job in many]
    assert (max(most), under_way) == (6, [])


def test_workers_are_counted_from_one() -> None:
    with pytest.raises(InvalidValueError, match="workers is 0"):
        list(outcomes(jobs(), 0))


def test_processes_give_the_same_model_to_a_script_without_a_guard(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from kinesphere.bodylanguage.model_file import write_model\n"
        "from kinesphere.pipeline.train import train\n"
        "with open('ran', 'a') as file: file.write('once ')\n"
        f"found = train({str(corpus())!r}, name='small', licence='CC0', workers=2)\n"
        "write_model(found.model, 'm.kin')\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True
    )
    assert (done.stdout, done.stderr) == ("", "")
    assert (tmp_path / "ran").read_text() == "once "
    assert same((tmp_path / "m.kin").read_bytes(), model_bytes(trained().model))


@pytest.mark.parametrize("address", ["nonsense", "foo://x:1", "tcp://127.0.0.1:1"])
def test_a_cluster_that_is_not_there(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train_cluster, "_PATIENCE_S", 1)
    with pytest.raises(KinesphereError, match="does not answer"):
        train(corpus(), cluster=address)


def test_a_cluster_of_another_version_or_without_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train_cluster, "_PATIENCE_S", 1)
    with (
        distributed.LocalCluster(  # type: ignore[no-untyped-call]
            n_workers=0, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
        pytest.raises(KinesphereError, match="has no workers"),
    ):
        train(corpus(), cluster=cluster.scheduler_address)
    monkeypatch.setattr(train_cluster, "_version", lambda: "0.0")
    with (
        distributed.LocalCluster(  # type: ignore[no-untyped-call]
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
        pytest.raises(KinesphereError, match=r"have version 0\.0"),
    ):
        train(corpus(), cluster=cluster.scheduler_address)


def test_without_dask_there_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(KinesphereError, match=r"kinesphere\[cluster\]"):
        train(corpus(), cluster="local")


def test_models_by_name_and_by_file(tmp_path: Path) -> None:
    write_model(trained().model, tmp_path / "m.kin")
    row = describe_model(model(tmp_path / "m.kin"))
    assert row["streams"]["arms"]["movements"] == len(trained().model.streams["arms"].segments)
    assert (row["seconds"], row["licence"]) == ({"small": 120.0}, "CC0")
    for name in model_names():
        assert describe_model(model(name))["library_s"] > 0.0
    with pytest.raises(InvalidValueError, match="'nobody' is not known"):
        model("nobody")


def test_half_an_hour_trains_in_time_and_memory(tmp_path: Path) -> None:
    """A twentieth of the ten hours in ``make bench``; processor time, so that others do not count."""
    made = benchmark()
    made.write_corpus(tmp_path, 0.1)
    for i in range(3, 15):
        for ending in (".bvh", ".wav"):
            (tmp_path / f"talk{i:03d}{ending}").hardlink_to(tmp_path / f"talk{i % 3:03d}{ending}")
    cost = made.measure(tmp_path)
    assert read_model(tmp_path / "model.kin").duration_s == pytest.approx(1800.0, rel=0.01)
    assert cost.processor_s < 40.0
    assert max(cost.program_mb, cost.process_mb) < 900.0
