"""Distance of tensed wrists from a recording: ``python -m benchmarks.tension_follow [DATA]``.

Every CMU, SmartBody and Greta clip in the data folder goes through the command unchanged, with the
default and with every preset. A wrist, in the chest's frame, may differ from the recording because

- a mass on a spring does not follow like a rigid arm: ``x'' = omega^2 (u - x) - 2 zeta omega x'``
  with ``omega^2 = g / rest_error``, the input u read later by the lag ``2 zeta / omega``;
- it is early or late by up to that lag, where the timing of the whole gesture is kept.

So at every frame the straight line from the recorded wrist to the position of these equations
is allowed, for every time within the lag to either side (on the path to the tracker's position
a hand may be stopped by its reach or by the body). The measure is the distance from the
nearest point of those lines: `beyond`, at most 8 cm. The table also has the plain distance from
the recorded wrist, and the largest one that the equations give. Before the first and after the
last frame the recording is extrapolated with its velocity there. CMU's clips begin with one
calibration frame, which is excluded from the comparison and must be missing in the output.
Exits with 1 if a wrist is farther away.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import numpy as np

import kinesphere as ks
from kinesphere.character.take_rig import report_of
from kinesphere.cli.main import status
from kinesphere.dynamics.tension.mass_tracker import Parameters, track
from kinesphere.dynamics.tension.presets import PRESETS
from kinesphere.dynamics.tension.tensed import TensedSettings, parameters_over, wrists_in_chest
from kinesphere.gesture.phases import ArmPhases
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import SIDES, Side, measure_arm
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.take import Take

LIMIT_M = 0.08
OPTIONS: dict[str, tuple[str, ...]] = {"default": ()} | {
    name: ("--tension", name) for name in PRESETS
}
_BEFORE_S, _SPEED_S = 1.0, 0.05


@dataclass(frozen=True)
class Followed:
    """Largest distances of one wrist in one clip, metres, and the time of the largest `beyond`."""

    file: str
    option: str
    side: str
    plain: float
    intended: float
    beyond: float
    at_s: float


def clips(data: Path) -> list[Path]:
    """Clips of the data folder that are tensed."""
    kinds = ("cmu/*.bvh", "greta/*.bvh", "smartbody/*/*.skm")
    return [file for kind in kinds for file in sorted(data.glob(kind))]


def followed(file: Path, option: str, folder: Path) -> list[Followed]:
    """Tense one file by the command line and measure both wrists."""
    out = folder / "out.kin"
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()) as said:
        if status(["tense", str(file), "-o", str(out), *OPTIONS[option]]) != 0:
            raise RuntimeError(said.getvalue())
    before, after = ks.load(file), ks.load(out)
    skip = 1 if file.parent.name == "cmu" else 0
    clip = before.clip.frames(skip, len(before.clip))
    if len(after.clip) != len(clip):
        raise RuntimeError(f"{file.name}: {len(after.clip)} frames, expected {len(clip)}")
    rig = report_of(before).rig
    name = "tense" if option == "default" else option
    called = f"{file.parent.name}/{file.name}"
    return [_measured(called, option, name, clip, after, rig, side) for side in SIDES]


def _measured(
    file: str, option: str, preset: str, clip: Clip, after: Take, rig: Rig, side: Side
) -> Followed:
    tier = after.tier(f"phases {side}")
    phases = None if tier is None else ArmPhases.of_tier(tier)
    error, zeta = parameters_over(clip, PRESETS[preset], phases, TensedSettings())
    given = _wrist(clip, rig, side)
    got = _wrist(after.clip, rig, side)
    allowed = _Allowed(given, error, zeta, clip.fps)
    beyond = allowed.beyond(got)
    return Followed(
        file,
        option,
        side,
        plain=float(np.linalg.norm(got - given, axis=1).max()),
        intended=float(np.linalg.norm(allowed.tracked - allowed.given, axis=1).max()),
        beyond=float(beyond.max()),
        at_s=float(beyond.argmax() / clip.fps),
    )


def _wrist(clip: Clip, rig: Rig, side: Side) -> Floats:
    return wrists_in_chest(clip, rig, measure_arm(clip, rig, side))


class _Allowed:
    """Lines from the recorded wrist to the tracker's position, also before and after the clip."""

    def __init__(self, given: Floats, error: Floats, zeta: Floats, fps: float) -> None:
        self.more = round(_BEFORE_S * fps)
        self.given = _extended(given, self.more, fps)
        error, zeta = (np.pad(v, self.more, mode="edge") for v in (error, zeta))
        self.tracked = track(self.given, fps, error, zeta, compensate=True, cubic=True).position
        lag = Parameters(error, zeta).lag_s[self.more : len(error) - self.more]
        self.lag_frames = np.ceil(lag * fps)

    def beyond(self, got: Floats) -> Floats:
        """Distance of positions ``[frames, 3]`` from the nearest point of the lines."""
        best = np.full(len(got), np.inf)
        reach = int(self.lag_frames.max())
        for shift in range(-reach, reach + 1):
            at = slice(self.more + shift, self.more + shift + len(got))
            start, way = self.given[at], self.tracked[at] - self.given[at]
            square = np.maximum(np.sum(way * way, axis=1), 1e-12)
            share = np.clip(np.sum((got - start) * way, axis=1) / square, 0.0, 1.0)
            away = np.linalg.norm(got - start - share[:, None] * way, axis=1)
            best = np.where(abs(shift) <= self.lag_frames, np.minimum(best, away), best)
        return best


def _extended(path: Floats, count: int, fps: float) -> Floats:
    """Path extrapolated with its velocity before its first and after its last frame."""
    some = min(max(1, round(_SPEED_S * fps)), len(path) - 1)
    steps = np.arange(1, count + 1)[:, None]
    first = path[0] - steps[::-1] * (path[some] - path[0]) / some
    last = path[-1] + steps * (path[-1] - path[-1 - some]) / some
    return np.concatenate([first, path, last])


def table(rows: Sequence[Followed]) -> str:
    """One line for each option: largest distances in centimetres, and where."""
    lines = ["             clips  plain  intended  beyond  (cm, largest; limit of beyond 8.0)"]
    for option in OPTIONS:
        mine = [row for row in rows if row.option == option]
        if mine:
            worst = max(mine, key=lambda row: row.beyond)
            plain, intended = (max(getattr(row, n) for row in mine) for n in ("plain", "intended"))
            lines.append(
                f"{option:12} {len({row.file for row in mine}):5} {100 * plain:6.1f} "
                f"{100 * intended:9.1f} {100 * worst.beyond:7.1f}  "
                f"{worst.file} {worst.side} at {worst.at_s:.2f} s"
            )
    return "\n".join(lines)


def measured(files: Sequence[Path], options: Sequence[str]) -> list[Followed]:
    """Tense all files with all options."""
    with tempfile.TemporaryDirectory() as folder:
        return [row for file in files for o in options for row in followed(file, o, Path(folder))]


def main(data: Path) -> int:
    """Tense everything and print the table."""
    rows = measured(clips(data), list(OPTIONS))
    print(table(rows))
    over = sorted((row for row in rows if row.beyond > LIMIT_M), key=lambda row: -row.beyond)
    for row in over:
        print(f"too far: {row}")
    return 1 if over else 0


if __name__ == "__main__":
    given = (
        sys.argv[1] if len(sys.argv) > 1 else os.environ.get("KINESPHERE_DATA", "../shared/data")
    )
    sys.exit(main(Path(given)))
