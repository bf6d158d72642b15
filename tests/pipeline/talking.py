"""Small corpora of people who talk, made by the benchmark's own generator, and models of them."""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np

import kinesphere as ks
from kinesphere.bodylanguage.learn.trained_corpus import TrainedCorpus
from kinesphere.formats.wav import wav_bytes
from kinesphere.pipeline.train import train
from tests.conftest import ROOT


@cache
def benchmark() -> ModuleType:
    """The module ``benchmarks/training.py``, which is in no package."""
    place = ROOT / "benchmarks" / "training.py"
    spec = importlib.util.spec_from_file_location("training_benchmark", place)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def talking(seconds: float, seed: int = 0) -> ks.Take:
    """Somebody who talks with their hands."""
    made = benchmark()
    rng = np.random.default_rng(seed)
    said = made.talk(rng, seconds)
    clip = made.movement(said, rng)
    return ks.Take(clip, made.voice(said, rng))


def write_pair(folder: Path, name: str, take: ks.Take) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    ks.Take(take.clip).save(folder / f"{name}.bvh")
    assert take.audio is not None
    (folder / f"{name}.wav").write_bytes(wav_bytes(take.audio))


@cache
def _kept() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="kinesphere-talking-")


@cache
def corpus() -> Path:
    """A folder of four pairs of half a minute, and a motion that has no sound."""
    folder = Path(_kept().name) / "talk"
    for i in range(4):
        write_pair(folder, f"t{i}", talking(30.0, i))
    ks.Take(talking(2.0, 9).clip).save(folder / "alone.bvh")
    return folder


@cache
def trained() -> TrainedCorpus:
    """The model of `corpus`, read in this process."""
    return train(corpus(), name="small", licence="CC0", workers=1)
