"""Numbers and manner words combined into the factors of each part of the body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike

from kinesphere.expression.manner import manner as read_manner
from kinesphere.expression.phrase import EFFORT_FACTORS, Qualities


def combine_qualities(
    numbers: Mapping[str, Mapping[str, float]],
    manner: str = "",
    *,
    torso_effort: bool = False,
    tables: Sequence[str | PathLike[str]] = (),
) -> dict[str, dict[str, float]]:
    """Add the factors that manner words mean to the numbers of each part; sums are clamped.

    Parameters
    ----------
    numbers : factors by part (``left-arm``, ``right-arm``, ``torso``), each from -1 to 1.
    manner : words such as ``"slightly hesitant, very tired"``, or empty.
    torso_effort : whether the words' Effort applies to the torso, too; their Shape always does.
    tables : files of manner words of the user's own.

    >>> combine_qualities({"torso": {"vertical": 0.5, "reach": 1.0}})
    {'torso': {'vertical': 0.5}}
    """
    out = {part: dict(values) for part, values in numbers.items()}
    if manner.strip():
        meant = read_manner(manner, tables=tables)
        for part, values in out.items():
            shape = meant.torso if part == "torso" else meant.shape
            for name, value in Qualities(meant.effort, shape).values().items():
                if part != "torso" or torso_effort or name not in EFFORT_FACTORS:
                    values[name] = min(1.0, max(-1.0, values.get(name, 0.0) + value))
    if "torso" in out:
        out["torso"].pop("reach", None)  # only arms reach
    return out
