"""Style recognition: the 2008 paper's study with a classifier instead of people.

The classifier uses only a script's gestures: lexeme, hand, position, distance of the hands, number
of strokes. It is trained on the speakers' samples, treats features as independent (naive Bayes with
additive smoothing) and predicts the speaker with the highest likelihood.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kinesphere.corpus.profiles.profile import Profile
from kinesphere.gesture.positions import DIMENSIONS, HandPosition
from kinesphere.gesture.script import GestureScript

# Neighbouring gestures of a script are correlated: each counts for this much of an independent one.
_TRUST = 0.5
_STEP = 0.4  # of the hands' distance, shoulder widths


def _features(
    lexeme: str, hands: str, strokes: int, end: HandPosition | None, apart: float | None
) -> Iterator[tuple[str, str]]:
    yield "lexeme", lexeme
    yield "hands", hands
    yield "strokes", str(min(strokes, 4))
    if end is not None:
        for name in DIMENSIONS:
            yield name, getattr(end, name)
    if apart is not None:
        yield "apart", str(int(apart / _STEP))


@dataclass(frozen=True)
class StyleClassifier:
    """Counts of features by speaker."""

    tables: Mapping[str, Mapping[str, Counter[str]]]
    smoothing: float = 0.5

    @classmethod
    def of(cls, profiles: Sequence[Profile]) -> StyleClassifier:
        """Train on the samples of speakers."""
        tables: dict[str, dict[str, Counter[str]]] = {}
        for profile in profiles:
            table = tables.setdefault(profile.name, {})
            for s in profile.samples:
                place = s.end if s.end is not None else s.start
                for name, value in _features(s.lexeme, s.hands, s.strokes, place, s.end_distance):
                    table.setdefault(name, Counter())[value] += 1
        return cls(tables)

    def scores(self, script: GestureScript) -> dict[str, float]:
        """Log likelihood of a script for each speaker, up to a constant."""
        values: dict[str, set[str]] = {}
        for table in self.tables.values():
            for name, counter in table.items():
                values.setdefault(name, set()).update(counter)
        out = {}
        for speaker, table in self.tables.items():
            total = 0.0
            for g in script.gestures:
                row = _features(g.lexeme, g.hands, g.strokes, g.end_position, g.end_distance)
                for name, value in row:
                    counter = table.get(name, Counter())
                    room = len(values.get(name, ())) + 1
                    n = counter.total() + self.smoothing * room
                    total += math.log((counter[value] + self.smoothing) / n)
            out[speaker] = _TRUST * total
        return out

    def name(self, script: GestureScript) -> str:
        """Predicted speaker of a script."""
        scores = self.scores(script)
        return max(scores, key=lambda speaker: (scores[speaker], speaker))

    def tell_apart(self, first: GestureScript, second: GestureScript) -> tuple[str, str]:
        """Speakers of two scripts, one each of two: the more likely assignment."""
        if len(self.tables) != 2:
            raise ValueError("the classifier can assign two speakers, not more")
        a, b = self.tables
        one, two = self.scores(first), self.scores(second)
        return (a, b) if one[a] + two[b] >= one[b] + two[a] else (b, a)
