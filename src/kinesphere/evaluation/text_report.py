"""An evaluation as lines of text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kinesphere.evaluation.metric_registry import fault_metrics
from kinesphere.evaluation.reference_floor import Floor
from kinesphere.evaluation.results import Evaluation, MovementRow
from kinesphere.evaluation.side_by_side import Spread
from kinesphere.evaluation.speech_timing import SpeechTiming

# Smaller values, in the displayed unit, are shown as 0.
_NOTHING_SEEN = 1e-6


def text_of(found: Evaluation) -> str:
    """All results, about forty lines."""
    return "\n".join(
        [
            *_head(found),
            "",
            *_movement(found),
            *_speech("speech", found.timing),
            *_speech("speech, references", found.reference_timing),
            *_distances(found),
            *_diversity(found),
            "",
            *_faults(found),
        ]
    )


def _head(found: Evaluation) -> Iterator[str]:
    parts = []
    for what, takes in (("take", found.takes), ("reference", found.references)):
        if takes:
            length = sum(take.length_s for take in takes)
            parts.append(f"{len(takes)} {what}{'s' if len(takes) > 1 else ''}, {length:.1f} s")
    yield "; ".join(parts)


def _number(value: float) -> str:
    if abs(value) < _NOTHING_SEEN:
        return "0"
    return f"{value:.3g}" if np.isfinite(value) else "-"


def _spread(spread: Spread) -> str:
    return " ".join(f"{_number(x):>7}" for x in (spread.low, spread.median, spread.high))


def _share(share: float) -> str:
    return f"{share:>6.2f}" if np.isfinite(share) else f"{'-':>6}"


def _movement(found: Evaluation) -> Iterator[str]:
    both = bool(found.references)
    said = f"movement ({found.manner}): {_percent(found.accepted)} of values in people's range"
    yield said + (f", {_percent(found.inside)} within the references" if both else "")
    head = f"{'measure':<34} {'p5':>7} {'median':>7} {'p95':>7} accept  {'range':<12}"
    if both:
        head += f" {'ref. p5':>7} {'median':>7} {'p95':>7} inside"
    yield head
    for row in found.movement:
        yield _movement_line(row, both)


def _movement_line(row: MovementRow, both: bool) -> str:
    line = (
        f"{row.measure.label:<34} {_spread(row.sides.synthesis)} {_share(row.accepted)}  "
        f"{row.accept!s:<12}"
    )
    if both:
        line += f" {_spread(row.sides.training)} {_share(row.sides.inside)}"
    return line.rstrip()


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if np.isfinite(share) else "none"


def _speech(title: str, timing: SpeechTiming | None) -> Iterator[str]:
    if timing is None:
        return
    yield ""
    yield title
    for name, beats in (("minima of speed", timing.beats), ("peaks of speed", timing.pulses)):
        if beats is not None:
            yield f"  {name}: {beats}"
    if timing.peaks is not None:
        yield f"  peaks of speed to syllables: {timing.peaks}"
    for name, found in timing.ends.items():
        yield (
            f"  ends of {name}: {found.ends}; best with speech {1e3 * found.best_lag_s:+.0f} ms "
            f"later (p {found.p:.2f})"
        )
    yield f"  speed speaking {_number(timing.speaking)}, pausing {_number(timing.pausing)} m/s"


def _by_chance(floor: Floor | None) -> str:
    if floor is None:
        return "references too short for a chance level"
    return f"chance {_number(floor.median)}, up to {_number(floor.high)}"


def _between(values: tuple[float, ...]) -> str:
    if not values:
        return ""
    low, high = _number(min(values)), _number(max(values))
    return f"; one reference to the others {low}" + (f" to {high}" if high != low else "")


def _distances(found: Evaluation) -> Iterator[str]:
    if not found.references:
        return
    yield ""
    yield "distance to the references"
    for row in found.quantities:
        yield (
            f"  {row.quantity.name}: Hellinger {_number(row.distance)} "
            f"({_by_chance(row.floor)}{_between(row.between)})"
        )
    if found.frechet is not None:
        d = found.frechet.distance
        yield (
            f"  Fréchet {_number(d.value)}: means {_number(d.mean_part)}, spread "
            f"{_number(d.spread_part)} ({_by_chance(found.frechet.floor)}"
            f"{_between(found.frechet.between)})"
        )
        most = sorted(found.frechet.parts.items(), key=lambda item: -item[1])
        yield "  means differ by: " + ", ".join(f"{name} {_number(x)}" for name, x in most)


def _diversity(found: Evaluation) -> Iterator[str]:
    if found.diversity is None:
        return
    yield ""
    yield f"diversity of {found.diversity.takes} takes (1 is that of unrelated times)"
    for name, apart, unit in (
        ("hands", found.diversity.hands_m, " m"),
        ("pose", found.diversity.pose_m, " m"),
        ("feature", found.diversity.feature, ""),
    ):
        yield f"  {name}: {_number(apart.mean)}{unit}, {_number(apart.ratio)} of unrelated times"


def _faults(found: Evaluation) -> Iterator[str]:
    yield "faults" + (f"{'takes':>54} {'references':>11}" if found.references else "")
    for name, fault in fault_metrics().items():
        line = f"  {f'{fault.label}, {fault.unit}':<51} "
        line += f"{_number(fault.factor * found.faults[name]):>6}"
        if found.references:
            line += f" {_number(fault.factor * found.reference_faults[name]):>11}"
        yield line
