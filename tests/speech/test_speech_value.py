"""The value: its checks, joining, storing."""

from __future__ import annotations

import dataclasses
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinesphere.errors import InvalidValueError, UnreadableError, UnwritableError
from kinesphere.speech.value import (
    Speech,
    join_speech,
    pad_speech,
    parse_speech,
    read_speech,
    speech_bytes,
)
from kinesphere.timeline import Interval, Tier


def tier(name: str, *rows: tuple[float, float, str]) -> Tier:
    return Tier(name, tuple(Interval(*row) for row in rows))


def speech(seconds: float = 1.0, **more: Any) -> Speech:
    about: dict[str, Any] = {
        "text": "Grüß Gott 😀",
        "words": tier("words", (0.1, 0.4, "Grüß"), (0.4, 0.9, "Gott")),
        "phones": tier("phones", (0.1, 0.2, "ɡ"), (0.2, 0.4, "ˈyː")),  # noqa: RUF001
        "sentences": tier("sentences", (0.1, 0.9, "Grüß Gott")),
        "language": "de",
        "provenance": {"voice": "none", "notes": ["a", "b"], "settings": {"rate": 1.5}},
    }
    rate = more.pop("rate_hz", 8000)
    samples = np.float32(np.sin(np.arange(round(seconds * rate)) / 20.0)).astype(np.float64)
    return Speech(samples, rate, **{**about, **more})


def test_it_is_frozen() -> None:
    value = speech()
    with pytest.raises(dataclasses.FrozenInstanceError):
        value.text = "x"  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        value.samples[0] = 1.0
    with pytest.raises(TypeError):
        value.provenance["voice"] = 1  # type: ignore[index]
    assert value.audio.rate_hz == 8000
    assert [t.name for t in value.tiers] == ["words", "phones", "sentences"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"rate_hz": 0},
        {"words": tier("phones")},
        {"words": tier("words", (0.0, 1.1, "late"))},
        {"phones": tier("phones", (0.0, 0.5, "a"), (0.4, 0.6, "b"))},
    ],
)
def test_it_checks(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidValueError):
        speech(**wrong)


def test_round_trip(tmp_path: Path) -> None:
    value = speech()
    value.save(tmp_path / "a.kin")
    assert read_speech(tmp_path / "a.kin") == value
    assert speech_bytes(value) == speech_bytes(speech())
    assert value != speech(text="other")
    assert value != 3


def test_joining_shifts() -> None:
    both = join_speech([speech(1.0), speech(2.0)])
    assert both.duration_s == 3.0
    assert [w.start_s for w in both.words] == [0.1, 0.4, 1.1, 1.4]
    assert both.text == "Grüß Gott 😀 Grüß Gott 😀"
    assert join_speech([speech()], "x").text == "x"
    for wrong in ([], [speech(), speech(rate_hz=16000)]):
        with pytest.raises(InvalidValueError):
            join_speech(wrong)


@given(before=st.floats(0.0, 2.0), after=st.floats(0.0, 2.0))
def test_padding_shifts_everything_and_changes_nothing_else(before: float, after: float) -> None:
    value = speech(provenance={"voice": "none"})
    made = pad_speech(value, before, after)
    at, end = round(before * 8000), round(after * 8000)
    assert len(made.samples) == at + len(value.samples) + end
    assert np.array_equal(made.samples[at : at + len(value.samples)], value.samples)
    assert not made.samples[:at].any()
    assert not made.samples[len(made.samples) - end :].any()
    for name in ("words", "phones", "syllables", "sentences"):
        rows = zip(getattr(value, name), getattr(made, name), strict=True)
        for old, new in rows:
            assert new.label == old.label
            assert new.start_s == pytest.approx(old.start_s + at / 8000.0)
            assert new.end_s - new.start_s == pytest.approx(old.end_s - old.start_s)
    assert (made.text, made.language, made.rate_hz) == (value.text, value.language, value.rate_hz)
    assert dict(made.provenance) == dict(value.provenance)


def test_padding_twice_is_padding_once() -> None:
    value = speech()
    assert pad_speech(pad_speech(value, 0.25, 0.5), 0.25, 0.5) == pad_speech(value, 0.5, 1.0)
    assert pad_speech(value, 0.0, 0.0) == value
    silence = join_speech(
        [
            speech(
                0.5,
                words=tier("words"),
                phones=tier("phones"),
                sentences=tier("sentences"),
                text="",
            ),
            value,
        ]
    )
    assert [w.start_s for w in pad_speech(value, 0.5, 0.0).words] == [
        w.start_s for w in silence.words
    ]


@pytest.mark.parametrize(("before", "after"), [(-0.1, 0.0), (0.0, -1.0), (np.nan, 0.0), (0.0, 1e9)])
def test_padding_is_checked(before: float, after: float) -> None:
    with pytest.raises(InvalidValueError, match=r"silence of .* allowed is 0 to 3600"):
        pad_speech(speech(), before, after)


def test_what_is_not_json_is_not_written(tmp_path: Path) -> None:
    for bad in (float("nan"), object()):
        with pytest.raises(UnwritableError):
            speech(provenance={"x": bad}).save(tmp_path / "a.kin")
    assert not (tmp_path / "a.kin").exists()


def altered(**changes: Any) -> bytes:
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(speech_bytes(speech()))) as old,
        zipfile.ZipFile(out, "w") as new,
    ):
        for name in old.namelist():
            data = old.read(name)
            if name == "kinesphere.json":
                data = json.dumps({**json.loads(data), **changes}).encode()
            if changes.get("without") != name:
                new.writestr(name, data)
    return out.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        b"PK nothing",
        altered(kind="take"),
        altered(version=99),
        altered(version="1"),
        altered(rate_hz="fast"),
        altered(tiers={}),
        altered(tiers=[1]),
        altered(provenance=3),
        altered(without="kinesphere.json"),
        altered(without="arrays/samples.npy"),
    ],
)
def test_damaged_archives_have_one_line(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.kin").write_bytes(data)
    with pytest.raises(UnreadableError) as error:
        read_speech(tmp_path / "a.kin")
    assert "a.kin" in str(error.value)
    assert "\n" not in str(error.value)


@given(place=st.floats(0.0, 0.999), value=st.integers(0, 255))
def test_any_damaged_byte_reads_or_says_why(place: float, value: int) -> None:
    data = bytearray(speech_bytes(speech(0.9, words=tier("words"))))
    data[int(place * len(data))] = value
    try:
        parse_speech(bytes(data))
    except UnreadableError as error:
        assert "\n" not in str(error)
