"""Feature vectors of gestures: those of the lexicon, and the lexeme nearest to a measured one.

A form is one vector of named parts: the hand's start and end position, its path, the directions of
palm and fingers, wrist and finger angles, the relation of the two hands, and timing.
`gesture.form_measuring` measures it in motion; here it is made from a lexicon entry and compared.
All is relative to the acting hand, out being its own side, on a person of 1.75 m.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.gesture.hand_shapes import ANGLES, shape_by_name
from kinesphere.gesture.hand_zones import centre_values
from kinesphere.gesture.lexicon import Lexeme, cached_by_lexicon, hand_lexemes, lexicon
from kinesphere.gesture.phases import HANDS, Hands
from kinesphere.maths.arrays import Bools, Floats, read_only

SHOULDERS_M = 0.427
"""Width of the shoulders' outline of a person of 1.75 m."""


@dataclass(frozen=True)
class Part:
    """A part of the vector.

    Parameters
    ----------
    name : of the feature.
    size : how many numbers.
    scale : typical difference between two gestures that people call the same.
    weight : less where speakers differ, detectors err, or parts are redundant.
    turning : whether it is an angle in degrees; differences are wrapped.
    """

    name: str
    size: int
    scale: float
    weight: float
    turning: bool = False


PARTS: tuple[Part, ...] = (
    # The start of a stroke depends on the annotator, so ends count more.
    Part("start height", 1, 0.8, 0.5),  # rows of Table 4.1
    Part("start distance", 1, 0.09, 0.4),  # metres
    Part("start azimuth", 1, 22.0, 0.5, turning=True),
    Part("end height", 1, 0.6, 1.0),
    Part("end distance", 1, 0.08, 1.0),
    Part("end azimuth", 1, 18.0, 0.8, turning=True),
    # Mostly a habit of the speaker.
    Part("end swivel", 1, 25.0, 0.3, turning=True),
    Part("travel", 3, 0.05, 1.6),  # out, up, forward; compressed metres
    Part("length", 1, 0.045, 0.8),  # of the path; compressed metres
    Part("sag", 1, 0.035, 0.6),  # of the path above its chord; compressed metres
    Part("circling", 1, 0.3, 2.0),  # 1: rolls forward in the sagittal plane, -1: backward
    Part("start palm", 3, 0.55, 0.6),  # unit direction
    Part("end palm", 3, 0.5, 1.4),
    Part("start fingers", 3, 0.55, 0.5),
    Part("end fingers", 3, 0.5, 1.0),
    Part("start wrist", 2, 25.0, 0.3, turning=True),  # flexion, deviation to the thumb
    Part("end wrist", 2, 20.0, 0.6, turning=True),
    Part("start roll", 1, 30.0, 0.3, turning=True),  # pronation; 0 is thumb up
    Part("end roll", 1, 28.0, 0.5, turning=True),
    Part("swing", 2, 28.0, 0.8),  # range of roll and of flexion; degrees
    Part("collar", 2, 5.0, 1.0),  # clavicle elevation and retraction; degrees
    Part("apart", 2, 0.18, 1.5),  # palm to palm at start and end; compressed shoulder widths
    Part("together", 1, 0.5, 1.2),  # 1: the hands mirror each other, -1: they alternate
    Part("sway", 1, 0.05, 1.0),  # of both hands to one side; compressed metres
    Part("strokes", 1, 0.8, 0.5),  # doublings
    Part("rate", 1, 0.6, 0.3),  # of repetition; doublings of 1 Hz
    Part("duration", 1, 0.4, 0.6),  # of the stroke; natural logarithm of seconds
    Part("peak", 1, 0.18, 0.4),  # time of peak speed within the stroke; ratio
    Part("start shape", len(ANGLES), 60.0, 2.0),  # finger angles, weighted; degrees
    Part("end shape", len(ANGLES), 60.0, 3.0),
)
SIZE = sum(part.size for part in PARTS)
_STARTS = (0, *accumulate(part.size for part in PARTS))
_SLICES = {p.name: slice(a, a + p.size) for p, a in zip(PARTS, _STARTS, strict=False)}
_TURNING = np.concatenate([np.full(part.size, part.turning) for part in PARTS])
# Which numbers ``[SIZE, parts]`` belong to which part.
_MEMBERS = np.repeat(np.eye(len(PARTS)), [part.size for part in PARTS], axis=0)
_WEIGHTS = np.array([part.weight for part in PARTS])
_SCALES = np.array([part.scale for part in PARTS])

# A part's squared difference, in scales, saturates at about this value: one wrong
# bucket, or a hand that moves on afterwards, must not outweigh all the rest.
_MOST = 9.0
# Cost of a part that a lexeme does not specify.
_OPEN = 1.0
# Parts are redundant (palm, roll and wrist), so evidence counts less than its sum.
_EVIDENCE = 0.35
# Squared distance from which a gesture is more likely not in the lexicon.
_STRANGE = 46.0
# Probability that a lexeme is performed with a hand that its entry excludes.
_LEAST_SHARE = 0.02
# Probability of an emblem or iconic gesture that needs words of its meaning, relative to gestures
# of ordinary talk. Without it they take a third of recorded speakers' gestures (right names 47
# instead of 67 percent).
_RARE = 0.45
_SHOWN = ("emblem", "iconic")

# Cost of an allowed hand shape other than the default.
_LESS_USUAL = 0.5


@dataclass(frozen=True, eq=False)
class Form:
    """A gesture's form: ``[SIZE]`` numbers in the order of `PARTS`, NaN where unknown.

    >>> form = form_of(lexicon()["Cup"], "right")
    >>> form["end palm"].round(2)
    array([-0.37, 0.93, 0. ])
    """

    values: Floats

    def __post_init__(self) -> None:
        values = np.asarray(self.values, dtype=np.float64)
        if values.shape != (SIZE,):
            raise InvalidValueError(f"a form has shape {values.shape}, expected ({SIZE},)")
        object.__setattr__(self, "values", read_only(values.copy()))

    def __getitem__(self, part: str) -> Floats:
        return self.values[_SLICES[part]]

    def without_shape(self) -> Form:
        """Return the form without finger angles."""
        return form_with({"start shape": np.nan, "end shape": np.nan}, self)


def form_with(parts: Mapping[str, ArrayLike], form: Form | None = None) -> Form:
    """Return a form of named parts; the others are those of a given form, or unknown."""
    values = np.full(SIZE, np.nan) if form is None else form.values.copy()
    for name, numbers in parts.items():
        values[_SLICES[name]] = numbers
    return Form(values)


def compress(x: ArrayLike, knee: float = 0.08) -> Floats:
    """Compress lengths: linear for small ones, logarithmic for large ones.

    Vectors ``[..., 3]`` keep their direction; other arrays are taken number by number.

    >>> [round(float(compress(x)), 3) for x in (0.02, 0.2, 0.4)]
    [0.02, 0.132, 0.185]
    """
    x = np.asarray(x, dtype=np.float64)
    size = np.linalg.norm(x, axis=-1, keepdims=True) if x.shape[-1:] == (3,) else np.abs(x)
    return np.asarray(x * knee * np.arcsinh(size / knee) / np.maximum(size, 1e-12))


_AXES = {"O": (0, 1), "I": (0, -1), "U": (1, 1), "D": (1, -1), "F": (2, 1), "B": (2, -1)}
_LEAN = np.radians(22.0)


def direction(code: str) -> Floats:
    """Unit direction (out, up, forward) of a lexicon's code.

    ``F`` is forward, ``Fu`` is 22 degrees up from it, ``FU`` is half-way between the two.

    >>> direction("FU").round(2)
    array([0. , 0.71, 0.71])
    """
    if not 1 <= len(code) <= 2 or not {*code.upper()} <= {*_AXES} or not code[0].isupper():
        raise InvalidValueError(
            f"direction {code!r}, allowed are one or two of {', '.join(_AXES)}, the second may be "
            "a small letter"
        )
    out = np.zeros(3)
    lean = 0.0 if len(code) == 1 else (0.25 * np.pi if code[1].isupper() else _LEAN)
    for letter, share in zip(code.upper(), (np.cos(lean), np.sin(lean)), strict=False):
        axis, sign = _AXES[letter]
        out[axis] += sign * share
    length = float(np.linalg.norm(out))
    if length < 1e-9:
        raise InvalidValueError(f"direction {code!r} is undefined: its letters are opposites")
    return np.asarray(out / length)


# Mirror symmetry of two hands, 1 being exact: the default, for hands that alternate, and
# for hands that move to one side.
_MIRRORED, _IN_TURNS, _PARALLEL = 0.9, -0.9, -0.8
# Fraction of a full circle covered by a circular stroke, and its curvature.
_TURN = 240.0 / 360.0
_ROUND = 0.85
# Lower arcs than this are within the normal curvature of paths.
_LEAST_SAG_CM = 3.0
# A hand that holds its position still moves this far; one that travels less counts as holding.
_LEAST_LENGTH_CM = 2.0
# Time of peak speed, as a ratio of the stroke.
PEAKS = {
    "ease": 0.45,
    "soft": 0.33,
    "accel": 0.72,
    "hit": 0.75,
    "whip": 0.80,
    "snap": 0.60,
    "even": 0.5,
}
# Repetitions are a bit faster than the stroke, which is about a third of each.
_CYCLE = 0.8 / 0.35
# Metres between neighbouring rows of height, and from the body's axis to its surface.
_ROW_M = 0.155
_GIRTH_M = 0.12
_WIDEST = np.sin(np.radians(75.0))
# Heights of the rows, metres.
_HEIGHTS_M = np.array([1.86, 1.62, 1.42, 1.27, 1.11, 0.98, 0.84])


def form_of(lexeme: Lexeme, hands: Hands, shape: str | None = None) -> Form:
    """Form of a lexeme performed by one hand or both, in its default or another allowed hand shape.

    Raises
    ------
    InvalidValueError
        For a head or shoulder gesture, hands that do not act or an unknown shape.
    """
    if lexeme.without_hands:
        raise InvalidValueError(f"{lexeme.name} is a head or shoulder gesture without hands")
    two = _is_two_handed(hands)
    parts: dict[str, ArrayLike] = {**_places(lexeme, two), **_rotate(lexeme)}
    travel = _travel(lexeme, two)
    radius_cm, upright = lexeme.circle_cm[0], lexeme.circle_plane == "sagittal"
    parts |= {
        "travel": compress(travel),
        "length": compress(_length(lexeme, travel)),
        "sag": compress(_sag_cm(lexeme) / 100.0),
        "circling": _ROUND * lexeme.circle_sign if radius_cm and upright else 0.0,
        "collar": (lexeme.posture.collar_up, lexeme.posture.collar_back),
        "strokes": np.log2(lexeme.strokes),
        "rate": np.log2(round(lexeme.after.rate_hz, 1) or 1.0 / (_CYCLE * lexeme.stroke_s)),
        "duration": np.log(lexeme.stroke_s),
        "peak": PEAKS[lexeme.warp],
    }
    if two:
        parts["apart"] = compress(lexeme.hand_distance, 0.6)
        parts["together"] = _together(lexeme)
        parts["sway"] = compress(lexeme.travel_cm[0] / 100.0 if lexeme.parallel else 0.0)
    used = shape if shape is not None else next(iter(lexeme.shapes), None)
    if used is not None:
        first, _, last = used.partition("+")[0].partition(">")
        parts["start shape"] = shape_by_name(first).angles
        parts["end shape"] = shape_by_name(last or first).angles
    return form_with(parts)


def _is_two_handed(hands: Hands) -> bool:
    if hands not in HANDS or hands == "none":
        raise InvalidValueError(f"hands are {hands!r}, allowed are left, right, both")
    return hands == "both"


def _places(lexeme: Lexeme, two: bool) -> dict[str, ArrayLike]:
    """Start and end position of the hand: its buckets, at the distance of the entry's travel."""
    values = np.stack([centre_values(lexeme.start), centre_values(lexeme.end)])
    rows = values[:, 0].astype(int)
    up = lexeme.travel_cm[1] / 100.0
    missing = (up - (_HEIGHTS_M[rows[1]] - _HEIGHTS_M[rows[0]])) / _ROW_M
    values[:, 0] += np.array([0.5, -0.5]) * missing
    angles = np.degrees(values[:, 2])
    if two:
        angles = np.degrees(np.arcsin(_sines(lexeme, values[:, 1])))
    out: dict[str, ArrayLike] = {"end swivel": np.degrees(values[1, 3])}
    for end, row, angle in zip(("start", "end"), values, angles, strict=True):
        out |= {f"{end} height": row[0], f"{end} distance": row[1], f"{end} azimuth": angle}
    return out


def _sines(lexeme: Lexeme, distances: Floats) -> Floats:
    """Sines of the radial angles of two hands, from the distance between them."""
    half = 0.5 * SHOULDERS_M * np.array(lexeme.hand_distance)
    return np.asarray(np.minimum(half / (_GIRTH_M + distances), _WIDEST))


def _together(lexeme: Lexeme) -> float:
    """Mirror symmetry of two hands; see `PARTS`."""
    return _IN_TURNS if lexeme.antiphase else _PARALLEL if lexeme.parallel else _MIRRORED


def _sag_cm(lexeme: Lexeme) -> float:
    """Height of the path above its chord."""
    up = lexeme.arc_cm[1]
    if lexeme.circle_cm[0]:
        return 0.0 if lexeme.circle_plane == "horizontal" else lexeme.circle_cm[0]
    return up if abs(up) >= _LEAST_SAG_CM else 0.0


def _length(lexeme: Lexeme, travel: Floats) -> float:
    """Length of the path in metres: of a circle, an oscillation, or the hand's travel."""
    if lexeme.circle_cm[0]:
        return round(2.0 * np.pi * _TURN * lexeme.circle_cm[0]) / 100.0
    if float(np.linalg.norm(lexeme.travel_cm)) > _LEAST_LENGTH_CM:
        return float(np.linalg.norm(travel))
    swing = lexeme.swing
    way = float(np.linalg.norm((swing.out_cm, swing.up_cm, swing.forward_cm)))
    return max(_LEAST_LENGTH_CM, 2.0 * way) / 100.0


def _travel(lexeme: Lexeme, two: bool) -> Floats:
    """Displacement out, up and forward in metres; of two hands their mean."""
    out, up, ahead = np.array(lexeme.travel_cm) / 100.0
    if not two:
        return np.array([out, up, ahead])
    if lexeme.antiphase or lexeme.parallel:
        up = ahead = 0.0
    else:
        distances = np.array([centre_values(p)[1] for p in (lexeme.start, lexeme.end)])
        sines = _sines(lexeme, distances)
        # Distance of the hands in front of the axis at these angles.
        start, end = (_GIRTH_M + distances) * np.sqrt(1.0 - sines * sines)
        ahead = end - start
    first, last = lexeme.hand_distance
    return np.array([0.5 * SHOULDERS_M * (last - first), up, ahead])


def _rotate(lexeme: Lexeme) -> dict[str, ArrayLike]:
    """Directions of palm and fingers, and the angles of forearm and wrist."""
    out: dict[str, ArrayLike] = {}
    for i, end in enumerate(("start", "end")):
        out[f"{end} palm"] = direction(lexeme.palm[i])
        out[f"{end} fingers"] = direction(lexeme.fingers[i])
        out[f"{end} wrist"] = (lexeme.wrist_flexion[i], lexeme.wrist_deviation[i])
        out[f"{end} roll"] = lexeme.forearm_roll[i]
    changes = np.array([lexeme.forearm_roll, lexeme.wrist_flexion])
    swing = 2.0 * np.abs([lexeme.swing.roll, lexeme.swing.flexion])
    out["swing"] = np.maximum(np.abs(changes[:, 1] - changes[:, 0]), swing)
    return out


def form_distance(form: Form, other: Form) -> float:
    """Distance of two forms in the parts that the first one has; 0 if they are equal.

    The square root of a weighted sum over parts; each part counts at most nine times its weight.
    """
    return float(np.sqrt(_square(form.values, other.values[None])[0]))


def _square(values: Floats, others: Floats) -> Floats:
    """Squared distances ``[n]`` of a form to others ``[n, SIZE]``."""
    off = others - values
    off = np.where(_TURNING, (off + 180.0) % 360.0 - 180.0, off)
    squares = np.nan_to_num(off * off) @ _MEMBERS / (_SCALES * _SCALES)
    costs = _MOST * (1.0 - np.exp(-squares / _MOST))
    left_open = np.isnan(others) @ _MEMBERS > 0.0
    known = _has_value(values)
    return np.asarray(np.where(left_open, _OPEN, costs)[:, known] @ _WEIGHTS[known])


def _has_value(values: Floats) -> Bools:
    """Parts ``[n]`` of a form that have a value."""
    return np.asarray(~np.isnan(values) @ _MEMBERS > 0.0)


@cached_by_lexicon()
def _table(two: bool) -> tuple[tuple[str, ...], Floats, Floats]:
    """Names ``[n]``, forms ``[n, SIZE]`` and costs ``[n]`` of lexemes in all their shapes."""
    names, forms, costs = [], [], []
    hands: Hands = "both" if two else "right"
    for name in hand_lexemes():
        lexeme = lexicon()[name]
        share = lexeme.hands[2] if two else lexeme.hands[0] + lexeme.hands[1]
        rare = lexeme.particular and lexeme.kind in _SHOWN
        likely = max(share, _LEAST_SHARE) * (_RARE if rare else 1.0)
        prior = -2.0 * np.log(likely) / _EVIDENCE
        shapes = lexeme.shapes or ("open-rlx",)
        made = [form_of(lexeme, hands, shape) for shape in shapes]
        if lexeme.any_shape:
            made.append(made[0].without_shape())
        for i, form in enumerate(made):
            names.append(name)
            forms.append(form.values)
            costs.append(prior + _LESS_USUAL * min(i, 2))
    return tuple(names), np.array(forms), np.array(costs)


def nearest(form: Form, hands: Hands) -> list[tuple[str, float]]:
    """Hand lexemes, the likeliest first, with confidences that sum to 1.

    A form unlike any lexeme has low confidence in all of them: the remaining probability is divided
    evenly. The hands that entries allow count, and that lexemes with a meaning of their own are
    rarer than those that go with any word; other frequencies do not.
    """
    names, forms, costs = _table(_is_two_handed(hands))
    squares = _square(form.values, forms)
    best: dict[str, float] = {}
    for name, square, cost in zip(names, squares, costs, strict=True):
        best[name] = min(best.get(name, np.inf), float(square + cost))
    strange = _STRANGE * float(_WEIGHTS[_has_value(form.values)].sum() / _WEIGHTS.sum())
    costs = np.array([*best.values(), strange])
    shares = np.exp(-0.5 * _EVIDENCE * (costs - costs.min()))
    shares /= shares.sum()
    shares = shares[:-1] + shares[-1] / (len(shares) - 1)
    ranked = sorted(zip(best, shares.tolist(), strict=True), key=lambda pair: -pair[1])
    return [(name, float(share)) for name, share in ranked]
