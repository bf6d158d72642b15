"""Tables of an evaluation's page: movement, speech, diversity, artefacts, and each take."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from kinesphere.evaluation.diversity import Apartness
from kinesphere.evaluation.metric_registry import fault_metrics
from kinesphere.evaluation.results import Evaluation, MovementRow, TakeFigures
from kinesphere.evaluation.side_by_side import Spread
from kinesphere.evaluation.speech_timing import SpeechTiming
from kinesphere.evaluation.synchrony import BeatConsistency
from kinesphere.export.pages.evaluation.evaluation_words import (
    chance_of,
    decimals,
    fault,
    figure,
    label_of,
    milliseconds,
    share,
)
from kinesphere.export.pages.speaker.speaker_text import NOTHING, clock, safe, shorten

_LONGEST_NAME = 60
_MOST_PAIRS = 12


def table_html(
    kind: str, head: Sequence[str], rows: Iterable[Sequence[str]], caption: str = ""
) -> str:
    """A table whose first column names the rows; cells are HTML already."""
    top = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    body = "".join(
        f'<tr><th scope="row">{row[0]}</th>'
        + "".join(f"<td>{cell}</td>" for cell in row[1:])
        + "</tr>"
        for row in rows
    )
    title = f"<caption>{caption}</caption>" if caption else ""
    return (
        f'<div class="scroll"><table class="{kind}">{title}<thead><tr>{top}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def movement_table(found: Evaluation) -> str:
    """Every measure with the accepted range and the references."""
    both = bool(found.references)
    head = ["measure", "", "takes", "accepted", "range"]
    head += ["references", "inside"] if both else ["people"]
    column = 0 if found.manner == "calm" else 1
    rows = []
    for row in found.movement:
        sides = row.sides
        cells = [
            label_of(row.measure.label),
            _strip(row, found),
            _spread(sides.synthesis),
            _share_cell(row.accepted),
            _range(row),
        ]
        cells += (
            [_spread(sides.training), _share_cell(sides.inside)]
            if both
            else [figure(row.measure.people[column])]
        )
        rows.append(cells)
    return table_html("movement", head, rows)


def _range(row: MovementRow) -> str:
    return label_of(str(row.accept)).replace(" to ", f"{NOTHING}")


def _share_cell(value: float) -> str:
    """A proportion, highlighted where it is low."""
    if not np.isfinite(value):
        return NOTHING
    kind = "good" if value >= 0.9 else "fair" if value >= 0.5 else "bad"
    return f'<span class="{kind}">{share(value)}</span>'


def _spread(spread: Spread) -> str:
    if not spread.count:
        return NOTHING
    return (
        f"<b>{figure(spread.median)}</b> <small>{figure(spread.low)}{NOTHING}"
        f"{figure(spread.high)}</small>"
    )


def _strip(row: MovementRow, found: Evaluation) -> str:
    """Accepted range as a band; p5 to p95 and median of references and takes; each take."""
    takes, references = row.sides.synthesis, row.sides.training
    each = [take.medians[row.measure.name] for take in found.takes]
    seen = [x for s in (takes, references) for x in (s.low, s.high)]
    seen += [row.accept.low, row.accept.high, *each]
    known = [x for x in seen if np.isfinite(x)]
    low, high = min(known), max(known)
    low = min(low, 0.0) if low < 0.25 * high else low
    pad = 0.04 * (high - low) if high > low else 1.0

    def at(value: float) -> float:
        return float(100.0 * (value - low + pad) / (high - low + 2.0 * pad))

    first = at(row.accept.low) if np.isfinite(row.accept.low) else 0.0
    out = f'<s style="left:{first:.1f}%;width:{at(row.accept.high) - first:.1f}%"></s>'
    for kind, spread in (("b", references), ("a", takes)):
        if spread.count:
            a, m, b = at(spread.low), at(spread.median), at(spread.high)
            out += f'<b class="{kind}" style="left:{a:.1f}%;width:{max(b - a, 0.8):.1f}%"></b>'
            out += f'<i class="{kind}" style="left:{m:.1f}%"></i>'
    if len(each) > 1:
        out += "".join(f'<u style="left:{at(x):.1f}%"></u>' for x in each if np.isfinite(x))
    return f'<span class="strip">{out}</span>'


def beats_table(found: Evaluation) -> str:
    """Beat consistency of takes and references, with its interval."""
    rows = []
    full = 0.02
    for timing in (found.timing, found.reference_timing):
        for beats in (timing.beats, timing.pulses) if timing else ():
            full = max(full, *map(abs, (beats.low, beats.high))) if beats else full
    for who, role, timing in _both(found):
        for name, beats in (("speed minima", timing.beats), ("speed peaks", timing.pulses)):
            if beats is not None:
                rows.append([f"{who}: {name}", *_beat_cells(beats, role, full)])
    head = [
        "beats of the hands",
        "beats",
        "consistency",
        "chance",
        "above chance",
        "95 % interval",
        "",
        "chance as good",
    ]
    return table_html("numbers", head, rows) if rows else ""


def _both(found: Evaluation) -> list[tuple[str, str, SpeechTiming]]:
    pairs = (("takes", "a", found.timing), ("references", "b", found.reference_timing))
    return [(who, role, timing) for who, role, timing in pairs if timing is not None]


def _beat_cells(beats: BeatConsistency, role: str, full: float) -> list[str]:
    a, b, m = (50.0 + 48.0 * x / full for x in (beats.low, beats.high, beats.excess))
    lane = (
        f'<span class="interval {role}"><b style="left:{a:.1f}%;width:{max(b - a, 0.8):.1f}%"></b>'
        f'<i style="left:{m:.1f}%"></i></span>'
    )
    return [
        f"{beats.count}",
        decimals(beats.value),
        decimals(beats.chance),
        f"<b>{decimals(beats.excess, signed=True)}</b>",
        f"{decimals(beats.low, signed=True)} to {decimals(beats.high, signed=True)}",
        lane,
        chance_of(beats.p),
    ]


def lags_table(found: Evaluation) -> str:
    """Lags to the nearest syllable of speed peaks and ends of segments."""
    rows = []
    for who, _, timing in _both(found):
        events = {} if timing.peaks is None else {"speed peaks": (timing.peaks, None)}
        ends = {f"ends of {n}": (e.ends, e) for n, e in timing.ends.items()}
        for name, (lags, curve) in {**events, **ends}.items():
            best = NOTHING
            if curve is not None:
                shift = milliseconds(curve.best_lag_s, signed=True)
                best = f"{shift} <small>{chance_of(curve.p)}</small>"
            rows.append(
                [
                    f"{who}: {safe(name)}",
                    f"{lags.count}",
                    f"<b>{milliseconds(lags.median_abs_s)}</b>",
                    milliseconds(lags.chance_abs_s),
                    chance_of(lags.p),
                    milliseconds(lags.median_s, signed=True),
                    share(lags.near_share),
                    share(lags.chance_share),
                    best,
                ]
            )
    head = [
        "to the nearest syllable",
        "events",
        "median |lag|",
        "chance",
        "p",
        "median lag",
        "within 80 ms",
        "by chance",
        "best shift of speech",
    ]
    return table_html("numbers", head, rows) if rows else ""


def diversity_tables(found: Evaluation) -> str:
    """Distances of takes of one speech, and each pair if they are few."""
    if found.diversity is None:
        return ""
    d = found.diversity
    kinds = (("hands, m", d.hands_m), ("pose, m", d.pose_m), ("feature", d.feature))
    rows = [
        [name, f"<b>{figure(x.mean)}</b>", figure(x.unrelated), share(x.ratio)] for name, x in kinds
    ]
    head = ["distance", "between takes", "between unrelated times", "ratio"]
    out = table_html("numbers", head, rows)
    if 2 < d.takes <= _MOST_PAIRS:
        out += _pair_table(d.hands_m, found.takes)
    return out


def _pair_table(apart: Apartness, takes: Sequence[TakeFigures]) -> str:
    most = float(apart.pairs.max()) or 1.0
    rows = []
    for i, take in enumerate(takes):
        cells = [
            f'<i style="opacity:{0.05 + 0.7 * apart.pairs[i, k] / most:.2f}"></i>'
            f"<span>{figure(apart.pairs[i, k]) if i != k else NOTHING}</span>"
            for k in range(len(takes))
        ]
        rows.append([f"{i + 1}. {_short(take.name)}", *cells])
    head = ["hands of each two, m", *(f"{i + 1}" for i in range(len(takes)))]
    return table_html("matrix pairs a", head, rows)


def _short(name: str) -> str:
    return safe(shorten(name, _LONGEST_NAME))


def faults_table(found: Evaluation) -> str:
    """Artefacts of takes and references, and the joints farthest past their limits."""
    rows = []
    for name, about in fault_metrics().items():
        cells = [safe(about.label), f"<b>{fault(name, found.faults[name])}</b>"]
        if found.references:
            cells.append(fault(name, found.reference_faults[name]))
        rows.append(cells)
    head = ["", "takes", *(["references"] if found.references else [])]
    return table_html("numbers faults", head, rows)


def worst_joints(takes: Sequence[TakeFigures]) -> str:
    """Joints farthest past their limits over all takes, as a clause; empty if there are none."""
    worst: dict[str, float] = {}
    for take in takes:
        for bone, deg in take.worst_joints_deg.items():
            worst[bone] = max(worst.get(bone, 0.0), deg)
    order = sorted(worst, key=lambda bone: -worst[bone])[:4]
    return ", ".join(f"{safe(bone)} {figure(worst[bone])}\N{DEGREE SIGN}" for bone in order)


def takes_table(takes: Sequence[TakeFigures], against: bool, what: str = "take") -> str:
    """One row per take, with distances if there are references."""
    head = [what, "length", "windows", "mean speed, m/s", "beats above chance"]
    head += ["Hellinger speed", "jerk", "Fréchet", "chance"] if against else []
    head += ["foot sliding", "hands in body"]
    rows = []
    for take in takes:
        beats = take.timing.beats if take.timing else None
        cells = [
            _short(take.name),
            clock(take.length_s),
            f"{take.windows}",
            figure(take.medians["mean_speed"]),
            decimals(beats.excess, signed=True) if beats else NOTHING,
        ]
        if against:
            cells += [
                figure(take.hellinger.get("speed", np.nan)),
                figure(take.hellinger.get("jerk", np.nan)),
                figure(take.frechet.value) if take.frechet else NOTHING,
                figure(take.floor.median) if take.floor else NOTHING,
            ]
        names = ("foot_slide_m_s", "hand_in_body_share")
        rows.append([*cells, *(fault(name, take.faults[name]) for name in names)])
    return table_html("numbers", head, rows)
