"""Our VRM animation in the library that VRM applications use, in a real browser."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser

import kinesphere as ks
from kinesphere.formats.gltf.vrma import vrma_bytes
from kinesphere.maths import quaternion
from tests.conftest import ROOT

WEB = ROOT / "web"


@pytest.fixture(scope="session")
def script() -> str:
    """The loader's script, built anew if it is older than its source."""
    built, source = WEB / "dist-test" / "vrma.js", WEB / "tests" / "vrma-page.ts"
    if not built.exists() or built.stat().st_mtime < source.stat().st_mtime:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        command = ["npm", "run", "build:vrma"]
        done = subprocess.run(
            command,
            cwd=WEB,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    return built.read_text()


def test_the_animation_plays_on_a_vrm_character(script: str, browser: Browser, data: Path) -> None:
    import runpy

    clip = runpy.run_path(str(ROOT / "examples" / "01_wave.py"))["wave"]()
    blink = np.abs(np.sin(clip.times))
    turns = np.array(clip.rotations)
    # Both eyes go from straight ahead to the character's left, and a little down.
    left = quaternion.from_axis_angle([0.0, 1.0, 0.0], np.radians(15.0) * clip.times / 1.6)
    down = quaternion.from_axis_angle([1.0, 0.0, 0.0], np.radians(5.0) * clip.times / 1.6)
    for eye in ("leftEye", "rightEye"):
        turns[:, ks.default_rig().joint(eye)] = quaternion.multiply(left, down)
    take = ks.Take(
        ks.Clip(
            clip.skeleton,
            clip.fps,
            clip.root_positions,
            turns,
            channels={"blink": blink, "aa": 1 - blink},
        )
    )
    character = (data / "characters" / "VRMC_vrm_expressions_isBinary_Overridden.vrm").read_bytes()
    page = browser.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.add_script_tag(content=script)
    code = "([vrma, vrm, time]) => globalThis.playVrma(vrma, vrm, time)"
    packed = [base64.b64encode(d).decode() for d in (vrma_bytes(take), character)]
    waving = page.evaluate(code, [*packed, 1.6])
    resting = page.evaluate(code, [*packed, 0.0])
    page.close()
    assert not errors
    assert waving["duration"] == pytest.approx(clip.duration_s, abs=1e-3)
    assert waving["bones"] == 53
    assert set(waving["expressions"]) == {"blink", "aa"}
    assert waving["gaze"] == pytest.approx([15.0, 5.0], abs=0.1)
    assert resting["gaze"] == pytest.approx([0.0, 0.0], abs=0.1)
    # The right hand is up beside the head, and was down at the hip.
    assert waving["rightHand"][1] > resting["rightHand"][1] + 0.25
    assert abs(waving["leftHand"][1] - resting["leftHand"][1]) < 0.1
    assert waving["rightHand"][1] > waving["leftHand"][1] + 0.25
