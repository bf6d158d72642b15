"""Phrases: from files, tables and constants; between their points; and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinesphere.errors import InvalidValueError, UnreadableError
from kinesphere.expression.phrase import FACTORS, PARTS, Phrase, Point, Qualities, read_phrase

FILE = """
[[point]]
time = 0.0
part = "arms"
effort = { weight = -0.5 }

[[point]]
time = 2.0
part = "arms"
effort = { weight = 1.0, time = 0.5 }
shape = { vertical = -0.3 }

[[point]]
time = 1.0
part = "torso"
shape = { sagittal = 0.4 }
"""


def test_each_factor_is_a_curve_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(FILE)
    phrase = read_phrase(tmp_path / "p.toml")
    values = phrase.at("left-arm", [0.0, 1.0, 2.0, 9.0])
    assert values["weight"].tolist() == pytest.approx([-0.5, 0.25, 1.0, 1.0])
    assert values["time"].tolist() == pytest.approx([0.5] * 4)  # one point: held
    assert not values["flow"].any()
    assert phrase.at("torso", [0.0])["sagittal"][0] == pytest.approx(0.4)
    assert not phrase.touches("torso", ("weight",))
    assert phrase.touches("torso")
    assert float(phrase.at("right-arm", 2.0)["weight"]) == pytest.approx(1.0)


class Frame:
    """As much of a DataFrame as is needed."""

    def __init__(self, table: dict[str, list[object]]) -> None:
        self.table = table

    @property
    def columns(self) -> list[str]:
        return list(self.table)

    def __getitem__(self, name: str) -> list[object]:
        return self.table[name]


def test_tables_with_gaps_and_keys() -> None:
    frame = Frame(
        {
            "key": [0, 2],
            "part": ["arms", "arms"],
            "flow": [1.0, float("nan")],
            "space": [None, -1.0],
        }
    )
    phrase = Phrase.of_table(frame)
    assert phrase.by_key
    assert phrase.at("left-arm", [1.0])["flow"][0] == 1.0
    assert phrase.at("left-arm", [0.0])["space"][0] == -1.0
    assert not phrase.touches("torso")


@given(
    st.lists(st.floats(0, 100), min_size=1, max_size=6, unique=True),
    st.lists(st.floats(-1, 1), min_size=6, max_size=6),
    st.floats(-5, 120),
)
def test_values_stay_between_their_points(
    times: list[float], values: list[float], at: float
) -> None:
    points = [Point({"weight": v}, time_s=t) for t, v in zip(sorted(times), values, strict=False)]
    used = values[: len(points)]
    got = float(Phrase(tuple(points)).at("torso", at)["weight"])
    assert min(used) - 1e-12 <= got <= max(used) + 1e-12


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "at least one"),
        ("[[point]]\ntime=0\neffort={wait=1}", "'wait' is unknown; allowed are space"),
        ("[[point]]\ntime=0\neffort={weight=1.5}", "allowed is -1 to 1"),
        ("[[point]]\ntime=0\neffort={weight=nan}", "allowed is -1 to 1"),
        ("[[point]]\ntime=-1", "allowed is >= 0"),
        ("[[point]]\ntime=1\n[[point]]\ntime=1", "is not after"),
        ("[[point]]\ntime=1\n[[point]]\nkey=2", "use one of the two"),
        ("[[point]]\ntime=1\npart='leg'", "allowed are left-arm"),
        ("[[point]]\neffort={weight=1}", "either a time or a key"),
        ("[[point]]\ntime='now'", "expected seconds"),
        ("[[point]]\nkey=1.5", "whole number"),
        ("[[point", "is not TOML"),
        ("[[point]]\ntime=0\ntiem=1", "'tiem' is unknown"),
    ],
)
def test_bad_files_name_the_place(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "p.toml"
    file.write_text(text)
    with pytest.raises(UnreadableError, match=words) as caught:
        read_phrase(file)
    assert "p.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_other_bad_values() -> None:
    with pytest.raises(InvalidValueError, match="at least one point"):
        Phrase(())
    with pytest.raises(InvalidValueError, match="no factor; allowed are space"):
        Qualities.of({"speed": 1.0})
    with pytest.raises(InvalidValueError, match="column 'mood'"):
        Phrase.of_table({"time_s": [0], "mood": [1]})
    with pytest.raises(InvalidValueError, match="has 1 values, others have 2"):
        Phrase.of_table({"time_s": [0, 1], "weight": [1]})
    with pytest.raises(UnreadableError, match="No such file"):
        read_phrase("/nonexistent.toml")
    assert set(FACTORS) == set(Phrase.constant(Qualities()).at(PARTS[0], 0.0))
    assert np.all(Phrase.constant(Qualities.of({"flow": -1.0})).at("torso", [0, 5])["flow"] == -1)
