"""A metric is one new file: it is measured, and shown in text, JSON and page."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from kinesphere.evaluation import metrics
from kinesphere.evaluation.evaluation import evaluate
from kinesphere.evaluation.results import Evaluation
from kinesphere.evaluation.speech_timing import SpeechMarks
from kinesphere.evaluation.take_measures import Subject
from kinesphere.export.pages.evaluation.evaluation_page import evaluation_html
from tests.evaluation.test_movement import RIG, moved_wrists, talk

MODULE = '''
"""How high the hands are, and how much of a take is speech."""

import numpy as np

from kinesphere.evaluation.metric import Accept, Fault, Measure


def height(window):
    return float(window.motion.places[window.span][..., 1].mean())


def spoken(take):
    if take.speaking is None:
        return np.nan
    return sum(b - a for a, b in take.speaking) / take.clip.duration_s


METRICS = (
    Measure("hand_height", "mean height of hands", "m", height, Accept(-1, 1), Accept(-1, 1)),
    Fault("spoken_share", "speech, of the take", "%", spoken, 100.0, worst=True, needs="speech"),
)
'''


@pytest.fixture
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "height_of_hands.py").write_text(MODULE)
    monkeypatch.setattr(metrics, "__path__", [*metrics.__path__, str(tmp_path)])
    yield
    sys.modules.pop("kinesphere.evaluation.metrics.height_of_hands", None)
    vars(metrics).pop("height_of_hands", None)


def found() -> Evaluation:
    clip, other = moved_wrists(talk(1, 25.0)), moved_wrists(talk(3, 25.0))
    speech = SpeechMarks(np.arange(1.0, 9.0, 0.2), ((0.0, 10.0),))
    return evaluate([Subject("one", clip, RIG, speech)], [Subject("ref", other, RIG)])


@pytest.mark.usefixtures("added")
def test_one_file_adds_a_metric() -> None:
    result = found()
    row = next(row for row in result.movement if row.measure.name == "hand_height")
    assert row.accepted == 1.0
    assert result.takes[0].medians["hand_height"] == pytest.approx(row.sides.synthesis.median)
    assert result.faults["spoken_share"] == pytest.approx(10.0 / 25.0, abs=0.01)
    assert np.isnan(result.reference_faults["spoken_share"])
    document = result.document()
    shown = {row["name"]: row for row in document["movement"]}["hand_height"]
    assert shown["label"] == "mean height of hands, m"
    assert document["faults"]["spoken_share"] == pytest.approx(0.4, abs=0.01)
    for text in (str(result), evaluation_html(result)):
        assert "mean height of hands, m" in text
        assert "speech, of the take" in text


def test_without_the_file_there_is_none() -> None:
    result = found()
    assert "mean height of hands" not in str(result) + evaluation_html(result)
    assert "spoken_share" not in result.document()["faults"]
