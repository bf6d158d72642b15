"""Forty performed minutes against recorded speakers: ``python -m benchmarks.performed [TEXTS]``.

Twenty-five passages, English and German, each in two speakers' styles. Prints every measure with
the ratio of 20 s windows inside its range, timing with speech, artefacts, and proportions of hands
compared with the speakers' profiles; exits with 1 if a requirement is missed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.studies.gesture_timing import stroke_timing
from benchmarks.studies.performed_takes import PerformedTake, hands_of, judge, performed_take

import kinesphere as ks
from kinesphere.animation.settings import ActingSettings
from kinesphere.pipeline.speakers import speaker

TEXTS = Path(__file__).resolve().parents[1] / "tests" / "generation" / "texts"
STYLES = ("host", "critic")


def passages(count: int) -> list[Path]:
    """Texts, two English ones per German one."""
    english, german = (sorted(TEXTS.glob(f"{language}_*.txt")) for language in ("en", "de"))
    few = max(count // 3, 1)
    return [*english[: count - few], *german[:few]]


def main(count: int = 25) -> int:
    """Perform, measure and print."""
    begun = time.perf_counter()
    hands: dict[str, list[PerformedTake]] = {style: [] for style in STYLES}

    def takes() -> Iterator[PerformedTake]:
        for n, path in enumerate(passages(count)):
            text = path.read_text(encoding="utf-8")
            for style in STYLES:
                take = performed_take(text, style, seed=n)
                light = PerformedTake(take.clip.frames(0, 1), (), take.syllables, hands=take.hands)
                hands[style].append(light)
                yield take

    found = judge(takes(), ks.default_rig())
    print(found)
    for style, rows in hands.items():
        habit = hands_of(rows, speaker(style))
        shares = ", ".join(
            f"{h} {habit.shares[h]:.2f} of {habit.habit[h]:.2f}" for h in habit.habit
        )
        print(f"hands of {style}: {shares}; off by {habit.distance:.3f} (p {habit.p:.2f})")
    printed = _paper(count)
    print(f"the paper's timing: {100 * printed:.1f} % of strokes within 0.3 s of their syllable")
    missed = [v.measure.label for v in found.movement.verdicts.values() if v.inside < 0.9]
    requirements = {
        "speed peaks 45 to 75 ms from syllables": 0.045 <= found.peaks.median_abs_s <= 0.075,
        "nearer than with shifted speech, p < 0.01": found.peaks.p < 0.01,
        "strokes on their words, 90 %": found.strokes.share >= 0.9,
        "joint-limit excess 0": found.worst["limit_worst_deg"] <= 1e-6,
        "hands in the body, 0.1 % of frames": found.worst["hand_in_body_share"] <= 0.001,
        "feet slide at most 5 mm/s": found.worst["foot_slide_m_s"] <= 0.005,
        "elbow swivel under 300 deg/s": found.worst["swivel_highest_deg_s"] < 300.0,
    }
    missed += [name for name, good in requirements.items() if not good]
    for name in missed:
        print(f"MISSED: {name}")
    print(f"{time.perf_counter() - begun:.0f} s")
    return 1 if missed else 0


def _paper(count: int) -> float:
    """Ratio of strokes on their words when the script's times are kept."""
    strokes, stressed = [], []
    for n, path in enumerate(passages(max(count // 5, 1))):
        for style in STYLES:
            settings = ActingSettings(paper=True)
            take = performed_take(
                path.read_text(encoding="utf-8"), style, seed=n, settings=settings
            )
            strokes += list(take.strokes)
            stressed += list(take.stressed)
    return stroke_timing(strokes, stressed).share


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 25))
