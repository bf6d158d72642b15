"""Questions among the sentences of a speech."""

from __future__ import annotations

from collections.abc import Iterable

from kinesphere.timeline import Interval


def question_ends(sentences: Iterable[Interval]) -> list[float]:
    """Ends in seconds of the sentences, labelled by their text, that end with a question mark.

    A quotation mark or bracket may follow it.

    >>> question_ends([Interval(0.0, 1.0, 'She asked: "Why?"'), Interval(1.0, 2.0, "So.")])
    [1.0]
    """
    return [interval.end_s for interval in sentences if "?" in interval.label[-3:]]
