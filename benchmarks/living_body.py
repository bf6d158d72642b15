"""Whether generated speakers are told from recorded people: ``python -m benchmarks.living_body``.

Performs English texts in three styles and listens to voices, puts recordings of standing speakers
on the default figure, and cuts all of them into windows of 20 s. For `perform` and `listen` apart
it prints how well a classifier tells our windows from people's (AUC, one person, text or voice held
out), every feature of both, and the share of our windows inside the accepted ranges. Exits with 1
if the AUC over all features or of a region exceeds 0.80, or a range holds fewer than 60 % of the
windows. Without recordings only the ranges are checked.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from benchmarks.studies.body_features import COMPARED, FEATURES
from benchmarks.studies.body_ranges import RangeShare, range_shares, still_windows
from benchmarks.studies.separability import COLUMNS, Windows, auc, halves_of_people, separability
from benchmarks.studies.standing_speakers import (
    StandingSpeaker,
    default_people,
    frozen_below,
    listening_speakers,
    on_default_figure,
    people_below,
    performed_speakers,
    recorded,
    recordings_folder,
    windows_of,
)

import kinesphere as ks
from kinesphere.errors import KinesphereError
from kinesphere.maths.arrays import Floats

MOST_AUC, LEAST_INSIDE = 0.80, 0.60
Groups = Mapping[str, list[StandingSpeaker]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 if our speakers are told from people or leave a range."""
    begun = time.perf_counter()
    options = _options(arguments)
    try:
        people, ours = _people(options), _ours(options)
        missed = _report(people, ours, options.json)
    except KinesphereError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if options.keep:
        _keep([*people, *(s for group in ours.values() for s in group)], options.keep)
    for name in missed:
        print(f"MISSED: {name}")
    print(f"{time.perf_counter() - begun:.0f} s")
    return 1 if missed else 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.living_body", description=__doc__)
    add = parser.add_argument
    add("--real", nargs="+", type=Path, metavar="FILE", help="recordings of people, instead")
    add("--people", type=Path, metavar="FOLDER", help="a folder of recordings for each person")
    add("--texts", type=int, default=9, metavar="N", help="how many texts to perform (9)")
    add("--held-out", action="store_true", help="the other texts, and other seeds")
    add("--json", type=Path, metavar="FILE", help="write all windows and results")
    add("--ours", nargs="+", type=Path, metavar="FILE", help="generated takes, instead")
    add("--keep", type=Path, metavar="FOLDER", help="write all motion that was measured, as BVH")
    return parser.parse_args(arguments)


def _people(options: argparse.Namespace) -> list[StandingSpeaker]:
    found = [recorded(file) for file in options.real or ()]
    found += people_below(options.people) if options.people else []
    folder = recordings_folder()
    if not (options.real or options.people) and folder:
        found = default_people(folder)
    return found


def _ours(options: argparse.Namespace) -> Groups:
    if options.ours:
        takes = [(file.stem, on_default_figure(ks.load(file))) for file in options.ours]
        return {"takes": [StandingSpeaker(name, name, take) for name, take in takes]}
    held_out = options.held_out
    return {
        "perform": list(performed_speakers(options.texts, held_out=held_out)),
        "listen": list(listening_speakers(recordings_folder(), held_out=held_out)),
    }


def _keep(speakers: Sequence[StandingSpeaker], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for speaker in speakers:
        speaker.take.save(folder / f"{speaker.name}.bvh")


def _report(people: Sequence[StandingSpeaker], ours: Groups, file: Path | None) -> list[str]:
    """Print all tables; names of the requirements that are missed."""
    real = windows_of(people) if people else None
    windows = {name: windows_of(speakers) for name, speakers in ours.items()}
    document: dict[str, object] = {"features": [f.name for f in FEATURES]}
    if real is None:
        print("no recordings of people (KINESPHERE_DATA or --real): only the ranges are checked")
    else:
        document["controls"] = _document(_controls(people, real))
        document["people"] = _rows(real)
    missed = []
    for name, mine in windows.items():
        print(f"\n{name}: {len(mine)} windows of {len(mine.names)} texts, voices or takes")
        found: dict[str, object] = {"windows": _rows(mine)}
        if real is not None:
            scores = _compared(people, real, mine)
            found["auc"] = _document(scores)
            _print_features(real, mine)
            missed += [
                f"{name}: AUC {value:.2f} over {region}"
                for region, value in scores["all people"].items()
                if value > MOST_AUC
            ]
        shares = range_shares(mine.features)
        _print_ranges(shares, mine, real)
        found["ranges"] = {row.accepted.feature: _plain(row.share) for row in shares}
        missed += [f"{name}: {_said(row)}" for row in shares if not row.share >= LEAST_INSIDE]
        document[name] = found
    if file:
        file.write_text(json.dumps(document, indent=1), encoding="utf-8")
    return missed


def _said(row: RangeShare) -> str:
    if not row.measured:
        return f"{row.accepted.label} in no window"
    return f"{row.accepted.label}: {row.accepted} in {100 * row.share:.0f} % of windows"


def _controls(people: Sequence[StandingSpeaker], real: Windows) -> dict[str, dict[str, float]]:
    """Print and return AUC where nothing, and where the lower body, is to be told apart."""
    print(f"people: {len(real)} windows of {len(people)} recordings of {len(real.names)} persons")
    frozen = windows_of([frozen_below(speaker) for speaker in people])
    found = {
        "half of the people against the other": halves_of_people(real),
        "half of the people, by pairs": halves_of_people(real, pairs=True),
        "people against themselves, lower body frozen": separability(real, frozen),
    }
    _print_auc(found)
    return found


def _compared(
    people: Sequence[StandingSpeaker], real: Windows, mine: Windows
) -> dict[str, dict[str, float]]:
    """Print and return AUC against all people and against the calm ones."""
    found = {
        "all people": separability(real, mine),
        "all people, by pairs": separability(real, mine, pairs=True),
    }
    calm = real.of(speaker.group for speaker in people if speaker.calm)
    if len(calm.names) > 1:
        found["calm speakers"] = separability(calm, mine)
        found["calm speakers, by pairs"] = separability(calm, mine, pairs=True)
    _print_auc(found)
    return found


def _print_auc(scores: Mapping[str, Mapping[str, float]]) -> None:
    sizes = [f"{region} ({len(columns)})" for region, columns in COLUMNS.items()]
    print(f"{'AUC (features)':46s}" + "".join(f"{size:>12s}" for size in sizes))
    for name, row in scores.items():
        print(f"{name:46s}" + "".join(f"{value:12.3f}" for value in row.values()))


def _print_features(real: Windows, mine: Windows) -> None:
    """Print every compared feature; those that tell most come first."""
    lines = []
    for column, feature in enumerate(COMPARED):
        theirs, ours = real.features[:, column], mine.features[:, column]
        value = auc(theirs, ours)
        lines.append(
            (
                -abs(value - 0.5) if np.isfinite(value) else 1.0,
                f"{feature.label:46s} {feature.region:6s} {_three(theirs):>26s} "
                f"{_three(ours):>26s} {value:6.2f} {_inside(theirs, ours):7.0%}",
            )
        )
    print(
        f"\n{'feature':46s} {'region':6s} {'people p10 / p50 / p90':>26s} "
        f"{'ours p10 / p50 / p90':>26s} {'AUC':>6s} {'inside':>7s}"
    )
    for _, line in sorted(lines):
        print(line)


def _three(values: Floats) -> str:
    known = values[np.isfinite(values)]
    if not len(known):
        return "-"
    numbers = np.percentile(known, [10, 50, 90])
    return " / ".join(f"{0.0 if abs(v) < 1e-4 else v:.3g}" for v in numbers)


def _inside(theirs: Floats, ours: Floats) -> float:
    """Share of our measured windows within p5 to p95 of people's; NaN if either has none."""
    theirs, ours = theirs[np.isfinite(theirs)], ours[np.isfinite(ours)]
    if not len(theirs) or not len(ours):
        return np.nan
    low, high = np.percentile(theirs, [5, 95])
    return float(np.mean((ours >= low) & (ours <= high)))


def _print_ranges(shares: Sequence[RangeShare], mine: Windows, real: Windows | None) -> None:
    still = int(still_windows(mine.features).sum())
    note = "which excuses weight and steps (*)"
    print(f"\n{still} of {len(mine)} windows are those of a still speaker, {note}")
    print(f"{'accepted range':60s} {'ours':>6s} {'of':>4s}{'' if real is None else '  people'}")
    theirs = range_shares(real.features) if real is not None else [None] * len(shares)
    for row, other in zip(shares, theirs, strict=True):
        label = f"{row.accepted.label}: {row.accepted}{' *' if row.accepted.of_weight else ''}"
        people = "" if other is None else f"{other.share:8.0%}"
        print(f"{label:60s} {row.share:6.0%} {row.measured:4d}{people}")


def _plain(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _document(scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float | None]]:
    return {name: {k: _plain(v) for k, v in row.items()} for name, row in scores.items()}


def _rows(windows: Windows) -> list[dict[str, object]]:
    """Windows as JSON values."""
    return [
        {"group": group, "values": [_plain(value) for value in row]}
        for group, row in zip(windows.groups, windows.features, strict=True)
    ]


if __name__ == "__main__":
    sys.exit(main())
