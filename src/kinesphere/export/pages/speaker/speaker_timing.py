"""Charts of a speaker's timing: ends of strokes relative to words, and holds.

Means and standard deviations of each gesture are on one axis of seconds, those of two speakers
below each other.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from kinesphere.corpus.profiles.counts import Moments
from kinesphere.corpus.profiles.profile import Profile
from kinesphere.export.pages.speaker.speaker_charts import Shown, meaning_of, names_of, section
from kinesphere.export.pages.speaker.speaker_facts import hold_share, together
from kinesphere.export.pages.speaker.speaker_text import (
    MINUS,
    NO_BREAK,
    NOTHING,
    breakable_name,
    percent,
    safe,
    signed_ms,
)

_TIMED_LEXEMES = 18


def timing_section(shown: Shown) -> str:
    """Timing of each gesture and of all together."""
    timed = names_of(shown, lambda p: [n for n in p.lexemes if p.counts.stroke_lengths.get(n)])
    timed.sort(key=lambda name: (-max(p.of_lexeme(name) for _, p in shown), name))
    first, rest = timed[:_TIMED_LEXEMES], timed[_TIMED_LEXEMES:]
    rows = [(name, meaning_of(name), [_times(r, p, [name]) for r, p in shown]) for name in first]
    if rest:
        rows.append((f"{len(rest)} more", ", ".join(rest), [_times(r, p, rest) for r, p in shown]))
    everything = [_times(role, profile) for role, profile in shown]
    axis = _Axis.of([times.offset for _, _, row in rows for times in row])
    body = "".join(_timing_row(name, about, row, axis) for name, about, row in rows)
    total = _timing_row("all", "all gestures with a stroke", everything, axis)
    head = (
        '<thead><tr><th scope="col">gesture</th><th scope="col" class="chart">'
        f'<span class="axis">{axis.labels()}</span></th><th scope="col">stroke</th>'
        '<th scope="col">held</th><th scope="col">hold</th></tr></thead>'
    )
    hint = (
        "End of the word minus end of the stroke, mean and deviation: to the right of the line the "
        "stroke ends first. Then the mean length of a stroke, the proportion followed by a hold, "
        "and the hold's length."
    )
    table = (
        f'<table class="times" style="--zero:{axis.place(0.0):.2f}%">{head}'
        f'<tbody class="total">{total}</tbody><tbody>{body}</tbody></table>'
    )
    return section("Timing", hint, _timing_facts(shown) + table)


def _timing_facts(shown: Shown) -> str:
    facts: list[tuple[str, list[str]]] = []
    rows = [_times(role, profile) for role, profile in shown]
    facts.append((f"word end {MINUS} stroke end", [_spread_ms(t.offset) for t in rows]))
    facts.append(("length of a stroke", [_spread_s(t.stroke) for t in rows]))
    facts.append(("strokes with a hold", [percent(t.held) for t in rows]))
    facts.append(("length of a hold", [_spread_s(t.hold) for t in rows]))
    intervals = [profile.counts.after_intervals for _, profile in shown]
    facts.append(("stroke to after-stroke", [_spread_s(m) for m in intervals]))
    tiles = "".join(
        f"<div><dt>{name}</dt>"
        + "".join(f'<dd class="{r}">{v}</dd>' for (r, _), v in zip(shown, values, strict=True))
        + "</div>"
        for name, values in facts
    )
    return f'<dl class="key small">{tiles}</dl>'


class _Times(NamedTuple):
    """Timing data of some lexemes of a speaker."""

    role: str
    offset: Moments
    stroke: Moments
    held: float
    hold: Moments


def _times(role: str, profile: Profile, names: Iterable[str] | None = None) -> _Times:
    """Timing of some lexemes together; of all if no names are given."""
    counts = profile.counts

    def of(table: Mapping[str, Moments]) -> Moments:
        return together(table if chosen is None else {n: table[n] for n in chosen if n in table})

    chosen = None if names is None else frozenset(names)
    return _Times(
        role,
        of(counts.end_offsets),
        of(counts.stroke_lengths),
        hold_share(profile, chosen),
        of(counts.hold_lengths),
    )


def _spread_s(moments: Moments) -> str:
    if not moments.n:
        return NOTHING
    return f"{moments.mean:.2f} <small>± {moments.deviation:.2f} s</small>"


def _spread_ms(moments: Moments) -> str:
    if not moments.n:
        return NOTHING
    mean = signed_ms(moments.mean).replace(f"{NO_BREAK}ms", "")
    return f"{mean} <small>± {1000.0 * moments.deviation:.0f} ms</small>"


class _Axis(NamedTuple):
    """Seconds along a chart; round at both ends, and zero is in it."""

    low: float
    high: float

    @classmethod
    def of(cls, rows: Sequence[Moments]) -> _Axis:
        """Axis that fits means and deviations, between 0.2 s and 2 s to either side."""
        low = min((m.mean - m.deviation for m in rows if m.n), default=0.0)
        high = max((m.mean + m.deviation for m in rows if m.n), default=0.0)
        steps = (math.floor(max(min(low, -0.15), -2.0) * 5.0), math.ceil(max(high, 0.15) * 5.0))
        return cls(steps[0] / 5.0, min(steps[1] / 5.0, 2.0))

    def place(self, seconds: float) -> float:
        """Position in percent of the chart's width."""
        ratio = (seconds - self.low) / (self.high - self.low)
        return 100.0 * min(max(ratio, 0.0), 1.0)

    def labels(self) -> str:
        """Ticks with their names."""
        step = 0.2 if self.high - self.low < 1.1 else 0.4 if self.high - self.low < 2.1 else 1.0
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        out = ""
        for k in range(first, last + 1):
            text = f"{MINUS if k < 0 else '+'}{abs(k * step):.1f}" if k else "0 s"
            kind = ' class="odd"' if k % 2 else ""  # hidden where there is little space
            out += f'<i{kind} style="left:{self.place(k * step):.2f}%">{text}</i>'
        return out


def _timing_row(name: str, about: str, row: Sequence[_Times], axis: _Axis) -> str:
    charts = "".join(_whisker(times, axis, name) for times in row)

    def stack(values: Sequence[str]) -> str:
        cells = zip(row, values, strict=True)
        return "<td>" + "".join(f'<span class="{t.role}">{v}</span>' for t, v in cells) + "</td>"

    return (
        f'<tr><th scope="row" title="{safe(about)}">{breakable_name(name)}</th>'
        f'<td class="chart">{charts}</td>'
        + stack([f"{t.stroke.mean:.2f}" if t.stroke.n else NOTHING for t in row])
        + stack([percent(t.held) if t.stroke.n else NOTHING for t in row])
        + stack([f"{t.hold.mean:.2f}" if t.hold.n else NOTHING for t in row])
        + "</tr>"
    )


def _whisker(times: _Times, axis: _Axis, name: str) -> str:
    m = times.offset
    if not m.n:
        return f'<span class="whisker {times.role}"></span>'
    left, right = axis.place(m.mean - m.deviation), axis.place(m.mean + m.deviation)
    label = f"{name}: {signed_ms(m.mean)} ± {1000.0 * m.deviation:.0f} ms, {m.n} gestures"
    return (
        f'<span class="whisker {times.role}" role="img" aria-label="{safe(label)}" '
        f'title="{safe(label)}"><b style="left:{left:.2f}%;width:{right - left:.2f}%"></b>'
        f'<i style="left:{axis.place(m.mean):.2f}%"></i></span>'
    )
