"""Numbers and names of an evaluation's page.

Every number is that of the JSON document, so that the two agree.
"""

from __future__ import annotations

from kinesphere.evaluation.document import plain
from kinesphere.evaluation.metric_registry import fault_metrics
from kinesphere.evaluation.reference_floor import Floor
from kinesphere.export.pages.speaker.speaker_text import MINUS, NO_BREAK, NOTHING, safe

# Smaller values, in the displayed unit, are shown as 0.
_NOTHING_SEEN = 1e-4
_RAISED = {"m/s2": "m/s\N{SUPERSCRIPT TWO}", "m/s3": "m/s\N{SUPERSCRIPT THREE}"}


def figure(value: float, factor: float = 1.0) -> str:
    """A number to three digits, as in the document; a dash for missing values.

    >>> figure(0.12345), figure(1234.5), figure(float("nan")) == NOTHING
    ('0.123', '1230', True)
    """
    known = plain(value)
    if known is None:
        return NOTHING
    scaled = known * factor
    if abs(scaled) < _NOTHING_SEEN:
        return "0"
    text = f"{scaled:.3g}"
    return f"{float(text):.0f}" if "e" in text else text.replace("-", MINUS)


def decimals(value: float, *, signed: bool = False) -> str:
    """A number with three decimals.

    >>> decimals(0.0314159, signed=True), decimals(float("nan")) == NOTHING
    ('+0.031', True)
    """
    known = plain(value)
    if known is None:
        return NOTHING
    text = f"{known:+.3f}" if signed else f"{known:.3f}"
    return text.replace("-", MINUS)


def share(value: float) -> str:
    """A proportion as whole percent."""
    known = plain(value)
    return NOTHING if known is None else f"{100.0 * known:.0f}{NO_BREAK}%"


def milliseconds(value: float, *, signed: bool = False) -> str:
    """Seconds as milliseconds."""
    known = plain(value)
    if known is None:
        return NOTHING
    whole = round(1000.0 * known)
    sign = MINUS if whole < 0 else "+" if signed and whole > 0 else ""
    return f"{sign}{abs(whole)}{NO_BREAK}ms"


def chance_of(p: float) -> str:
    """A p value."""
    known = plain(p)
    if known is None:
        return NOTHING
    return f"p{NO_BREAK}{known:.3f}"


def label_of(text: str) -> str:
    """A measure's label with superscript digits, escaped for a page."""
    for flat, raised in _RAISED.items():
        text = text.replace(flat, raised)
    return safe(text)


def fault(name: str, value: float) -> str:
    """An artefact metric in its displayed unit."""
    known = fault_metrics()[name]
    text = figure(value, known.factor)
    unit = known.unit.replace("deg", "\N{DEGREE SIGN}")
    return text if text == NOTHING else f"{text}{NO_BREAK}{unit}"


def by_chance(floor: Floor | None) -> str:
    """The chance level of a distance, as a clause."""
    if floor is None:
        return "the references are too short for a chance level"
    return f"chance {figure(floor.median)}, up to {figure(floor.high)}"


def between(values: tuple[float, ...]) -> str:
    """The distance between references, as a clause; empty for fewer than two."""
    if not values:
        return ""
    low, high = figure(min(values)), figure(max(values))
    return f"one reference to the others {low}" + (f" to {high}" if low != high else "")
