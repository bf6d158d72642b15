"""Pictures of a trained model: hand paths, head and pelvis paths, curves, histograms, heat maps.

All are SVG in the page's own colours. The figure is seen from the front, so that its left is on the
reader's right; the pelvis is seen from above, with the front at the bottom.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from kinesphere.bodylanguage.choose.inference import logistic
from kinesphere.bodylanguage.key_positions import key_positions
from kinesphere.bodylanguage.model import BodyLanguageModel
from kinesphere.bodylanguage.streams import ARMS
from kinesphere.export.pages.model.model_facts import (
    ClusterFacts,
    StreamFacts,
    is_spoken,
    observation_words,
)
from kinesphere.export.pages.speaker.speaker_text import number, percent, safe
from kinesphere.maths.arrays import Floats
from kinesphere.speech.prosody.observation import HIGH, LONG, SHORT, SILENT

_POINTS = 12  # of a path
_LONGEST_S = 3.0
_BIN_S = 0.25
_SHARES = 8  # bins of the elapsed proportion
_FAINTEST = 0.07
_CELL_CM = 4.0
_LARGEST_CELL = 1.7  # pixels for a unit of a heat map
_SURE = 4.0  # standard deviations that are drawn in full colour
_MOST_FRAMES = 20_000
# Outline of a body from the front, centimetres from the upper chest: half of it, and the head.
_SIDE = "C4 -15 19 -17 20 -7C21 3 16 10 15 20C14 28 17 34 18 44L18 54"
_OTHER_SIDE = "L-18 44C-17 34 -14 28 -15 20C-16 10 -21 3 -20 -7C-19 -17 -4 -15 -4 -22Z"
_HEAD = (8.0, 11.0, -33.0)


def _svg(kind: str, box: Sequence[float], label: str, drawn: str) -> str:
    view = " ".join(number(v) for v in box)
    return (
        f'<svg class="kin {kind}" viewBox="{view}" role="img" aria-label="{safe(label)}">'
        f"{drawn}</svg>"
    )


def _line(kind: str, points: Iterable[tuple[float, float]]) -> str:
    return f'<path class="{kind}" d="M{"L".join(f"{number(x)} {number(y)}" for x, y in points)}"/>'


def _dot(kind: str, x: float, y: float, radius: float) -> str:
    return f'<circle class="{kind}" cx="{number(x)}" cy="{number(y)}" r="{number(radius)}"/>'


def _thin(path: Floats) -> Floats:
    """A path with fewer points, first and last among them."""
    rows = np.unique(np.linspace(0, len(path) - 1, min(len(path), _POINTS)).round().astype(int))
    return np.asarray(path[rows])


def _traces(kind: str, paths: Iterable[Floats], radius: float) -> str:
    """Paths ``[frames, 2]`` over each other, a dot where each ends."""
    out = ""
    for path in paths:
        points = [(float(x), float(y)) for x, y in _thin(path)]
        out += _line(kind, points) + _dot(f"{kind} end", *points[-1], radius)
    return out


def _body() -> str:
    wide, tall, middle = _HEAD
    return (
        f'<path class="body" d="M4 -22{_SIDE}L-18 54{_OTHER_SIDE}"/>'
        f'<ellipse class="body" cx="0" cy="{middle:g}" rx="{wide:g}" ry="{tall:g}"/>'
    )


def movement_picture(stream: str, cluster: ClusterFacts) -> str:
    """A few segments of one cluster, overlaid."""
    label = f"{stream} {cluster.number}: {cluster.words}"
    if stream == "arms":
        hands = [100.0 * p.reshape(len(p), 2, 3)[..., :2] * [1.0, -1.0] for p in cluster.paths]
        drawn = _body() + _traces("lh", (h[:, 0] for h in hands), 2.2)
        drawn += _traces("rh", (h[:, 1] for h in hands), 2.2)
        return _svg("mini arms", (-62, -46, 124, 100), label, drawn)
    if stream == "head":
        turns = [np.degrees(p)[:, [1, 0]] for p in cluster.paths]
        frame = '<ellipse class="body" cx="0" cy="0" rx="32" ry="36"/>' + _cross(30)
        return _svg("mini head", (-44, -40, 88, 80), label, frame + _traces("a", turns, 1.6))
    places = [100.0 * p[:, [0, 2]] for p in cluster.paths]
    frame = '<ellipse class="body" cx="0" cy="0" rx="17" ry="11"/>' + _cross(10)
    return _svg("mini lower", (-22, -20, 44, 40), label, frame + _traces("a", places, 0.8))


def _cross(size: int) -> str:
    return f'<path class="grid" d="M{-size} 0H{size}M0 {-size}V{size}"/>'


def curve_picture(cluster: ClusterFacts) -> str:
    """Continuation probability by elapsed proportion, curve and data.

    A dot's size shows its number of samples.
    """
    share = np.linspace(0.0, 1.0, 25)
    fitted = logistic(cluster.curve[0] + cluster.curve[1] * share)
    drawn = '<path class="grid" d="M0 0H100M0 25H100M0 50H100"/>'
    elapsed, went_on = cluster.samples.T if len(cluster.samples) else np.zeros((2, 0))
    place = np.clip((elapsed * _SHARES).astype(int), 0, _SHARES - 1)
    for k in range(_SHARES):
        mine = place == k
        n = int(mine.sum())
        if n:
            radius = min(6.0, 1.2 + 0.55 * n**0.5)
            x, y = 100.0 * elapsed[mine].mean(), 50.0 - 50.0 * went_on[mine].mean()
            drawn += _dot("b", float(x), float(y), radius)
    drawn += _line("a", zip((100.0 * share).tolist(), (50.0 - 50.0 * fitted).tolist(), strict=True))
    halfway = float(logistic(np.array(cluster.curve[0] + 0.5 * cluster.curve[1])))
    label = (
        f"continues with {percent(halfway)} when half has elapsed; {len(cluster.samples)} samples"
    )
    return _svg("curve", (-8, -8, 116, 66), label, drawn)


def length_picture(facts: StreamFacts) -> str:
    """Histogram of lengths."""
    bins = round(_LONGEST_S / _BIN_S)
    place = np.clip((facts.lengths_s / _BIN_S).astype(int), 0, bins - 1)
    counts = np.bincount(place, minlength=bins)
    full = max(int(counts.max()), 1)
    drawn = '<path class="grid" d="M0 100H300"/>'
    for k, n in enumerate(counts.tolist()):
        tall = 100.0 * n / full
        tip = f"{k * _BIN_S:g} to {(k + 1) * _BIN_S:g} s: {n}"
        drawn += (
            f'<rect class="a" x="{25 * k + 1}" y="{number(100.0 - tall)}" width="23" '
            f'height="{number(tall)}" rx="2"><title>{tip}</title></rect>'
        )
    for second in range(4):
        mark = f"{second} s" if second < 3 else "3+"
        drawn += (
            f'<text class="muted" x="{100 * second}" y="114" text-anchor="middle">{mark}</text>'
        )
    mean = float(facts.lengths_s.mean())
    drawn += (
        f'<path class="mean" d="M{number(100 * mean)} 0V100"/><text class="ink" '
        f'x="{number(100 * mean + 4)}" y="8">{mean:.2f} s</text>'
    )
    label = f"lengths of {len(facts.lengths_s)} segments, {mean:.2f} s on average"
    return _svg("hist-svg", (-12, -4, 324, 122), label, drawn)


def _shade(share: float) -> str:
    return f"{min(1.0, _FAINTEST + (1.0 - _FAINTEST) * share):.2f}"


def _resize(svg: str, box: Sequence[float]) -> str:
    """A heat map with a limited cell size."""
    return f'<div style="max-width:{_LARGEST_CELL * box[2]:.0f}px">{svg}</div>'


def follows_picture(facts: StreamFacts) -> str:
    """Heat map of transition probabilities: rows are before, columns after."""
    n = len(facts.clusters)
    names = [c.number for c in facts.clusters]
    full = max(float(facts.follows.max()), 1e-9)
    drawn = f'<rect class="track" x="0" y="0" width="{10 * n}" height="{10 * n}" rx="2"/>'
    for i, j in np.argwhere(facts.follows > 0.005).tolist():
        share = float(facts.follows[i, j])
        tip = f"<title>{names[j]} after {names[i]}: {percent(share)}</title>"
        drawn += (
            f'<rect class="a" x="{10 * j + 0.5}" y="{10 * i + 0.5}" width="9" height="9" '
            f'opacity="{_shade((share / full) ** 0.7)}">{tip}</rect>'
        )
    size = 6.5 if n < 30 else 7.0
    every = 1 if n <= 24 else 2
    for i in range(0, n, every):
        drawn += (
            f'<text class="muted" font-size="{size}" x="-3" y="{10 * i + 7.2}" text-anchor="end">'
            f'{names[i]}</text><text class="muted" font-size="{size}" x="{10 * i + 5}" y="-3" '
            f'text-anchor="middle">{names[i]}</text>'
        )
    box = (-14, -13, 10 * n + 16, 10 * n + 15)
    return _resize(_svg("heat", box, f"transition probabilities of {n} clusters", drawn), box)


def surprise_picture(facts: StreamFacts) -> str:
    """Heat map of clusters that start more or less often after each observation.

    The shade is the significance, so that rare events are not emphasised.
    """
    rows, columns = facts.surprise.shape
    names = [c.number for c in facts.clusters]
    wide, high = 10 * columns, 10 * rows
    drawn = f'<rect class="track" x="0" y="0" width="{wide}" height="{high}" rx="2"/>'
    for i, k in np.argwhere(np.abs(facts.surprise) > 1.0).tolist():
        value = float(facts.surprise[i, k])
        words = observation_words(int(facts.heard[k]))
        seen, usual = int(facts.begun[i, k]), float(facts.expected[i, k])
        tip = f"<title>{names[i]} after {words}: {seen} times, {usual:.1f} by chance</title>"
        drawn += (
            f'<rect class="{"a" if value > 0 else "b"}" x="{10 * k + 0.5}" y="{10 * i + 0.5}" '
            f'width="9" height="9" opacity="{_shade(min(1.0, abs(value) / _SURE))}">{tip}</rect>'
        )
    every = 1 if rows <= 24 else 2
    for i in range(0, rows, every):
        drawn += (
            f'<text class="muted" font-size="7" x="-3" y="{10 * i + 7.2}" text-anchor="end">'
            f"{names[i]}</text>"
        )
    drawn += "".join(_feature_column(facts, k, high + 9.0) for k in range(columns))
    for row, name in enumerate(("rises", "falls", "loud", "long", "often")):
        y = high + 11.5 + 10.0 * row
        drawn += f'<text class="muted" font-size="7" x="-3" y="{y}" text-anchor="end">{name}</text>'
    box = (-30, -2, wide + 34, high + 60)
    label = "which clusters start more or less often after each observation"
    return _resize(_svg("heat", box, label, drawn), box)


def _feature_column(facts: StreamFacts, k: int, top: float) -> str:
    """Components of an observation: filled for yes, a ring for a pause, small for short."""
    code = int(facts.heard[k])
    rise, fall, loud, length = code // 18, code // 9 % 2, code // 3 % 3, code % 3
    x = 10.0 * k + 5.0
    tip = f"<title>{observation_words(code)}: {facts.heard_counts[k]} times</title>"
    out = _dot("ink", x, top, 2.6) if rise else _dot("grid", x, top, 1.0)
    out += _dot("ink", x, top + 10, 2.6) if fall else _dot("grid", x, top + 10, 1.0)
    loudness = {SILENT: _dot("ring", x, top + 20, 2.4), HIGH: _dot("ink", x, top + 20, 3.2)}
    out += loudness.get(loud, _dot("ink", x, top + 20, 1.6))
    half = {SHORT: 1.2, LONG: 4.2}.get(length, 2.6)
    out += f'<path class="bar-ink" d="M{number(x - half)} {number(top + 30)}H{number(x + half)}"/>'
    tall = 9.0 * (facts.heard_counts[k] / facts.heard_counts.max()) ** 0.5
    out += (
        f'<rect class="{"outline-fill" if is_spoken(code) else "pause-fill"}" x="{x - 4}" '
        f'y="{number(top + 44 - tall)}" width="8" height="{number(tall)}"/>'
    )
    cover = (
        f'<rect class="cover" x="{x - 5}" y="{number(top - 5)}" width="10" height="50">{tip}</rect>'
    )
    return out + cover


def hands_picture(model: BodyLanguageModel) -> str:
    """Distribution of hand positions in the library, seen from the front."""
    rows = np.unique(np.linspace(0, len(model.turns) - 1, _MOST_FRAMES).astype(int))
    keys = key_positions(ARMS, model.turns[rows].astype(np.float64), model.pelvis[rows])
    places = 100.0 * keys.reshape(len(keys), 2, 3)[..., :2] * [1.0, -1.0]
    drawn = ""
    for kind, hand in (("lh", places[:, 0]), ("rh", places[:, 1])):
        cells, counts = np.unique(np.floor(hand / _CELL_CM).astype(int), axis=0, return_counts=True)
        full = float(np.quantile(counts, 0.98)) if len(counts) else 1.0
        for (i, j), n in zip(cells.tolist(), counts.tolist(), strict=True):
            if n * 400 >= full:
                heat = min(1.0, (n / full) ** 0.5)
                drawn += (
                    f'<rect class="{kind}" x="{number(_CELL_CM * i)}" y="{number(_CELL_CM * j)}" '
                    f'width="3.7" height="3.7" rx=".6" opacity="{0.06 + 0.84 * heat:.2f}"/>'
                )
    return _svg("hands", (-84, -50, 168, 112), "hand positions", _body() + drawn)
