"""Models as files: the same after every round trip; whatever else is read is refused in a line."""

from __future__ import annotations

import io
import json
import tracemalloc
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kinesphere.bodylanguage.model import BodyLanguageModel, StreamModel
from kinesphere.bodylanguage.model_file import (
    MOST_FRAMES,
    STEP_M,
    STEP_RAD,
    VERSION,
    dequantise,
    model_bytes,
    parse_model,
    quantise,
    read_model,
    write_model,
)
from kinesphere.bodylanguage.streams import STREAMS, stream_of_joint
from kinesphere.cli.main import status
from kinesphere.errors import InvalidValueError, UnreadableError, UnwritableError
from kinesphere.formats.npy import npy_bytes
from kinesphere.maths import quaternion
from kinesphere.pipeline.models import model as model_named
from tests.bodylanguage.material import babble, random_stream, small_model

DOCUMENT = "kinesphere.json"
PARTS = ("transitions", "observations", "curves", "lengths_s", "segments", "speakers")
MOVED = np.flatnonzero(stream_of_joint() >= 0)
JOINTS = len(stream_of_joint())
Members = dict[str, bytes]


def tiny(frames: int = 40, streams: tuple[str, ...] = STREAMS) -> BodyLanguageModel:
    """A model of some hundred bytes a part, so that thousands can be read."""
    rng = np.random.default_rng(7)
    turns = quaternion.exp(0.2 * np.cumsum(rng.normal(size=(frames, JOINTS, 3)), axis=0) / 10.0)
    parts = {}
    for name in streams:
        segments = np.array([[0, 20, 0], [20, frames - 20, 1]])
        counts = rng.poisson(2.0, size=(1, 4, 4)).astype(np.float64)
        heard = rng.poisson(2.0, size=(1, 4, 36)).astype(np.float64)
        curves, lengths = np.array([[1.0, -2.0], [0.5, -1.0]]), np.array([0.6, 0.9])
        parts[name] = StreamModel(counts, heard, curves, lengths, segments, np.zeros(2, np.int64))
    pelvis = rng.normal(scale=0.02, size=(frames, 3)).astype(np.float32)
    return BodyLanguageModel("tiny", ("ann",), parts, turns.astype(np.float32), pelvis)


TINY = model_bytes(tiny())


def members(data: bytes) -> Members:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(parts: Members, *more: tuple[str, bytes], kind: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Bytes of an archive, names given twice and all."""
    out = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        with zipfile.ZipFile(out, "w", kind, compresslevel=1) as archive:
            for name, data in (*parts.items(), *more):
                archive.writestr(name, data)
    return out.getvalue()


def said(**values: Any) -> bytes:
    """The tiny model with another document."""
    parts = members(TINY)
    document = json.loads(parts[DOCUMENT])
    for key, value in values.items():
        document[key] = value
        if value is None:
            del document[key]
    return zipped({**parts, DOCUMENT: json.dumps(document).encode()})


def holding(name: str, array: NDArray[Any]) -> bytes:
    """The tiny model with another array."""
    return zipped({**members(TINY), f"arrays/{name}.npy": npy_bytes(array)})


def refused(data: bytes, least: str | None = None, most_mb: float = 8.0) -> str:
    """What is said of bytes that are no model, in one line and little memory."""
    tracemalloc.start()
    try:
        with pytest.raises((UnreadableError, InvalidValueError), match=least) as caught:
            parse_model(data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    text = str(caught.value)
    assert "\n" not in text
    assert 0 < len(text) < 250
    assert peak < most_mb * (1 << 20)
    return text


def assert_same(a: BodyLanguageModel, b: BodyLanguageModel) -> None:
    assert (a.name, a.speakers, dict(a.provenance)) == (b.name, b.speakers, dict(b.provenance))
    assert np.array_equal(a.turns, b.turns)
    assert np.array_equal(a.pelvis, b.pelvis)
    assert list(a.streams) == list(b.streams)
    for name, stream in a.streams.items():
        assert stream.strengths == b.streams[name].strengths
        for part in PARTS:
            mine, theirs = getattr(stream, part), getattr(b.streams[name], part)
            assert mine.dtype == theirs.dtype
            assert np.array_equal(mine, theirs)


# What is written is read.


@pytest.mark.parametrize("streams", [STREAMS, ("arms",), ("head", "lower")])
def test_a_model_that_was_read_is_written_and_read_the_same(
    streams: tuple[str, ...], tmp_path: Path
) -> None:
    given_model = small_model(streams)
    first, second = tmp_path / "a.kin", tmp_path / "b.kin"
    write_model(given_model, first)
    once = read_model(first)
    write_model(once, second)
    twice = read_model(second)
    assert first.read_bytes() == model_bytes(given_model)
    assert first.read_bytes() == second.read_bytes()
    assert_same(once, twice)
    for name, stream in given_model.streams.items():
        for part in PARTS:
            assert np.array_equal(getattr(once.streams[name], part), getattr(stream, part))


def test_the_library_is_what_it_was_but_for_the_steps() -> None:
    found, model = parse_model(model_bytes(small_model())), small_model()
    apart = quaternion.angle_between(found.turns, model.turns.astype(np.float64))
    # Half a step along each axis, and single precision.
    assert apart[:, MOVED].max() < 0.5 * np.sqrt(3.0) * STEP_RAD * 1.01 + 1e-6
    assert apart[:, MOVED].max() > 0.3 * STEP_RAD
    assert np.abs(found.pelvis - model.pelvis).max() <= 0.51 * STEP_M
    # Neighbours have one sign, as blending along the chord needs; what no stream moves is at rest.
    assert (np.sum(found.turns[1:] * found.turns[:-1], axis=-1) > 0.0).all()
    others = np.setdiff1d(np.arange(JOINTS), MOVED)
    assert (found.turns[:, others] == [1.0, 0.0, 0.0, 0.0]).all()
    assert not found.turns.flags.writeable
    assert not found.pelvis.flags.writeable


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(1, 50))
def test_rounding_twice_is_rounding_once(seed: int, frames: int) -> None:
    rng = np.random.default_rng(seed)
    turns = quaternion.normalise(rng.normal(size=(frames, 3, 4)))
    pelvis = rng.uniform(-5.0, 5.0, size=(frames, 3))
    steps, places = quantise(turns, pelvis)
    again, places_again = quantise(*dequantise(steps, places))
    # Half a turn has two rotation vectors; any other comes back.
    plain = np.linalg.norm(steps * STEP_RAD, axis=-1) < np.pi - 1e-3
    assert np.array_equal(again[plain], steps[plain])
    assert np.array_equal(places_again, np.clip(places, -32768, 32767))


def test_wide_and_wild_paths_are_kept() -> None:
    # Differences of 16 bits wrap around, and places beyond 3.2 m are held there.
    rng = np.random.default_rng(1)
    turns = quaternion.normalise(rng.normal(size=(600, JOINTS, 4)))
    model = replace(
        small_model(),
        turns=turns.astype(np.float32),
        pelvis=np.linspace(-9.0, 9.0, 1800).reshape(600, 3).astype(np.float32),
    )
    found = parse_model(model_bytes(model))
    apart = quaternion.angle_between(found.turns[:, MOVED], turns[:, MOVED])
    assert apart.max() < STEP_RAD
    assert (np.sum(found.turns[1:] * found.turns[:-1], axis=-1) >= 0.0).all()
    assert np.abs(found.pelvis - np.clip(model.pelvis, -3.2768, 3.2767)).max() < STEP_M


def test_the_model_that_comes_with_the_project_round_trips() -> None:
    model = model_named("house")
    assert model.speakers
    assert set(model.streams) == set(STREAMS)
    cut = replace(
        model,
        turns=model.turns[:3000],
        pelvis=model.pelvis[:3000],
        streams={n: s for n in ("lower",) if (s := shortened(model.streams[n], 3000))},
    )
    assert_same(cut, parse_model(model_bytes(cut)))


def shortened(stream: StreamModel, frames: int) -> StreamModel:
    """All segments brought into the first frames of the library."""
    segments = stream.segments.copy()
    segments[:, 0] %= frames - segments[:, 1].max()
    return replace(stream, segments=segments)


def test_provenance_is_plain_and_kept() -> None:
    about = {"seed": 3, "corpora": ["a", "b"], "settings": {"x": 1.5, "names": ("c",)}}
    found = parse_model(model_bytes(replace(tiny(), provenance=about)))
    assert found.provenance == {**about, "settings": {"x": 1.5, "names": ["c"]}}
    with pytest.raises(UnwritableError, match="provenance is not plain JSON"):
        model_bytes(replace(tiny(), provenance={"x": object()}))
    with pytest.raises(TypeError):
        found.provenance["seed"] = 4  # type: ignore[index]


def test_a_model_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.kin"
    path.write_bytes(b"before")
    with pytest.raises(UnwritableError):
        write_model(replace(tiny(), provenance={"x": float("nan")}), path)
    assert [p.name for p in tmp_path.iterdir()] == ["a.kin"]
    assert path.read_bytes() == b"before"


# What is not a model is refused.


def test_the_tiny_model_can_be_read_at_all() -> None:
    assert_same(parse_model(TINY), parse_model(zipped(members(TINY))))
    assert_same(parse_model(TINY), parse_model(said(version=VERSION)))


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"version": VERSION + 1}, f"has version {VERSION + 1}, this program reads 1 to"),
        ({"version": 0}, "has version 0"),
        ({"version": "1"}, "has version '1'"),
        ({"version": None}, "has version None"),
        ({"version": 1e400}, "has version inf"),
        ({"kind": "take"}, "kind 'take', expected 'body-language'"),
        ({"kind": None}, "kind None"),
        ({"kind": ["body-language"]}, "kind"),
        ({"frames": 41}, "not a complete model"),
        ({"frames": 0}, "0 frames"),
        ({"frames": -40}, "-40 frames"),
        ({"frames": MOST_FRAMES + 1}, f"{MOST_FRAMES + 1} frames"),
        ({"frames": MOST_FRAMES}, "not a complete model"),
        ({"frames": None}, "frames"),
        ({"frames": 10**30}, "frames"),
        ({"frames": float("inf")}, "not a complete model"),
        ({"frames": float("nan")}, "not a complete model"),
        ({"frames": [40]}, "not a complete model"),
        ({"joints": JOINTS + 1}, f"{JOINTS + 1} joints"),
        ({"joints": {}}, "not a complete model"),
        ({"speakers": ["ann", "ben"]}, "a different number of speakers"),
        ({"speakers": 3}, "not a complete"),
        ({"speakers": []}, "a different number of speakers"),
        ({"streams": {}}, "streams are none"),
        ({"streams": []}, "streams are none"),
        ({"streams": "head"}, "not a complete model"),
        ({"streams": {"head": {}}}, "strengths"),
        ({"streams": None}, "streams"),
        ({"streams": {"head": {"strengths": [1.0]}}}, "not a complete model"),
        ({"streams": {"head": {"strengths": [1.0, 0.0]}}}, "allowed is more than 0"),
        ({"streams": {"head": {"strengths": [float("nan"), 1.0]}}}, "allowed is more than 0"),
        ({"streams": {"head": {"strengths": [1.0, 1e300]}}}, "allowed is more than 0"),
        ({"provenance": [1, 2]}, "not a complete model"),
        ({"provenance": None}, "provenance"),
    ],
)
def test_documents_that_are_refused(values: dict[str, Any], why: str) -> None:
    refused(said(**values), why)


@pytest.mark.parametrize(
    "text", [b"", b"[]", b"null", b"{", b"\xff\xfe", b"[" * 100_000, b'{"kind":' + b"1" * 10_000]
)
def test_documents_that_are_no_documents(text: bytes) -> None:
    assert DOCUMENT in refused(zipped({**members(TINY), DOCUMENT: text}))


def test_archives_of_other_things() -> None:
    for data in (b"", b"PK", b"RIFF" + bytes(100), b"\x00" * 5000, zipped({})):
        refused(data)
    assert "no kinesphere.json" in refused(zipped({"a.txt": b"hello"}))


def test_files_that_are_not_there_or_empty(tmp_path: Path) -> None:
    (tmp_path / "empty.kin").write_bytes(b"")
    for name, why in (("no.kin", "no such file"), ("empty.kin", "is empty"), ("", "is a folder")):
        with pytest.raises(UnreadableError, match=why) as caught:
            read_model(tmp_path / name)
        assert str(tmp_path / name) in str(caught.value)


def test_a_file_that_was_cut_off_anywhere() -> None:
    lengths = {*range(0, 200, 7), *range(len(TINY) - 200, len(TINY), 7)}
    for length in sorted({*lengths, *range(0, len(TINY), len(TINY) // 60)}):
        refused(TINY[:length])


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_any_damage_is_found_or_harmless(data: st.DataObject) -> None:
    damaged = bytearray(TINY)
    for _ in range(data.draw(st.integers(1, 4))):
        # Half of the damage in the directory at the end, where archives are delicate.
        near = data.draw(st.booleans())
        first = len(TINY) - 1500 if near else 0
        at = data.draw(st.integers(first, len(TINY) - 1))
        kind = data.draw(st.sampled_from(["set", "cut", "insert"]))
        some = data.draw(st.binary(min_size=1, max_size=4))
        if kind == "set":
            damaged[at : at + len(some)] = some
        elif kind == "cut":
            del damaged[at : at + len(some)]
        else:
            damaged[at:at] = some
    assert_refused_or_harmless(bytes(damaged))


def assert_refused_or_harmless(data: bytes) -> None:
    tracemalloc.start()
    try:
        found = parse_model(data)
    except (UnreadableError, InvalidValueError) as error:
        assert "\n" not in str(error)
    else:
        # Bytes that carry nothing, such as times of files.
        assert np.array_equal(found.turns, parse_model(TINY).turns)
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 8 << 20


def test_every_byte_of_the_directory_may_be_wrong() -> None:
    first = TINY.index(b"PK\x01\x02")
    for at in range(first, len(TINY)):
        damaged = bytearray(TINY)
        damaged[at] ^= (0x01, 0x08, 0x80, 0xFF)[at % 4]
        try:
            parse_model(bytes(damaged))
        except (UnreadableError, InvalidValueError) as error:
            assert "\n" not in str(error)


def test_names_that_are_no_text() -> None:
    # A name that is said to be UTF-8 and is not: zipfile raises what is no error of archives.
    at = TINY.index(b"PK\x01\x02")
    damaged = bytearray(TINY)
    damaged[at + 9] |= 0x08
    damaged[at + 46] = 0xFF
    refused(bytes(damaged), "is not a complete archive")


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from([*STREAMS]),
    st.sampled_from(PARTS),
    st.lists(st.integers(0, 5), max_size=4),
    st.sampled_from("fiubcUSMm"),
    st.sampled_from([1, 2, 4, 8]),
    st.floats(),
)
def test_arrays_of_any_shape_and_kind_never_break_it(
    stream: str, part: str, shape: list[int], kind: str, size: int, value: float
) -> None:
    types = {"c": "c8", "U": f"U{size}", "S": f"S{size}", "b": "?", "M": "M8[s]", "m": "m8[s]"}
    small_float = f"f{max(size, 2)}"
    dtype = np.dtype(types.get(kind, small_float if kind == "f" else f"{kind}{size}"))
    array = np.zeros(shape, dtype=dtype)
    if kind == "f" and array.size:
        with np.errstate(over="ignore"):
            array.flat[0] = value
    data = holding(f"{stream}_{part}", array)
    try:
        found = parse_model(data)
    except (UnreadableError, InvalidValueError) as error:
        assert "\n" not in str(error)
    else:
        assert getattr(found.streams[stream], part).shape == tuple(shape)


STREAM_FAULTS: dict[str, tuple[str, Callable[[NDArray[Any]], Any], str]] = {
    "flat": ("transitions", np.ravel, "transitions has shape"),
    "cut": ("observations", lambda a: a[..., :35], "observations has shape"),
    "one cluster": ("curves", lambda a: a[:1], "has shape"),
    "one length": ("lengths_s", lambda a: a[:1], "lengths_s has shape"),
    "column": ("segments", lambda a: a[:, :2], "segments has shape"),
    "few speakers": ("speakers", lambda a: a[:1], "speakers has shape"),
    "NaN count": ("transitions", lambda a: a * np.nan, "not a number, or too large"),
    "endless": ("observations", lambda a: a + np.inf, "not a number, or too large"),
    "huge": ("curves", lambda a: a * 1e300, "not a number, or too large"),
    "NaN length": ("lengths_s", lambda a: a * np.nan, "not a number, or too large"),
    "negative": ("transitions", lambda a: a - 100.0, "negative"),
    "no length": ("lengths_s", lambda a: a * 0.0, "not positive"),
    "hours": ("lengths_s", lambda a: a * 0.0 + 6e4, "60000 s long, allowed is up to 600 s"),
    "before": ("segments", lambda a: a - np.array([1, 0, 0], a.dtype), "not positive"),
    "beyond": ("segments", lambda a: a + np.array([1, 0, 0], a.dtype), "ends at frame 41 of 40"),
    "empty": ("segments", lambda a: a * np.array([1, 0, 1], a.dtype), "not positive"),
    "no cluster": ("segments", lambda a: a * np.array([1, 1, 0], a.dtype), "every cluster needs"),
    "a cluster more": ("segments", lambda a: a + np.array([0, 0, 1], a.dtype), "every cluster"),
    "nobody": ("speakers", lambda a: a + np.array(1, a.dtype), "speaker is unknown"),
    "below nobody": ("speakers", lambda a: a - np.array(1, a.dtype), "speaker is unknown"),
    "fractions": ("segments", lambda a: a + 0.5, "segments holds float64"),
    "truths": ("transitions", lambda a: a > 1.0, "transitions holds bool"),
    "complex": ("curves", lambda a: a + 1j, "curves holds complex128"),
}


@pytest.mark.parametrize("fault", STREAM_FAULTS)
def test_tables_that_are_wrong(fault: str) -> None:
    part, change, why = STREAM_FAULTS[fault]
    array = np.load(io.BytesIO(members(TINY)[f"arrays/arms_{part}.npy"]))
    with np.errstate(invalid="ignore"):
        refused(holding(f"arms_{part}", change(array)), why)


@pytest.mark.parametrize("name", ["turns", "pelvis"])
def test_libraries_that_are_wrong(name: str) -> None:
    array = np.load(io.BytesIO(members(TINY)[f"arrays/{name}.npy"]))
    for wrong in (
        array[:1],
        array[0],
        array[:, :-1],
        array[:, :, :-1],
        array.astype(np.int8),
        array.astype(np.float64),
        array[:, :0],
        array[None],
        np.uint8(0),
        array.transpose(0, 2, 1)[:, :1],
    ):
        refused(holding(name, np.asarray(wrong)))


@pytest.mark.parametrize("name", sorted(set(members(TINY)) - {DOCUMENT}))
def test_every_array_is_needed(name: str) -> None:
    parts = members(TINY)
    del parts[name]
    assert f"{name}: is missing" in refused(zipped(parts))


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd",
        "/etc/passwd",
        "arrays/../arrays/turns.npy",
        "C:\\x",
        "arrays/",
        "arrays/more.npy",
        "arrays/turns.npy/..",
        "kinesphere.json/x",
        "x" * 5000,
        "a\nb",
        "\u202e",
    ],
)
def test_members_that_no_model_has(name: str, tmp_path: Path) -> None:
    assert "which no model has" in refused(zipped(members(TINY), (name, b"mine")))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", [DOCUMENT, "arrays/turns.npy", "arrays/head_speakers.npy"])
def test_members_that_come_twice(name: str) -> None:
    assert "twice" in refused(zipped(members(TINY), (name, members(TINY)[name])))


class Mischief:
    """What a pickle would run."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (pytest.fail, ("a pickle was loaded",))


@pytest.mark.parametrize("name", ["turns", "head_curves", "arms_segments"])
def test_pickles_are_never_loaded(name: str) -> None:
    out = io.BytesIO()
    np.lib.format.write_array(out, np.array([Mischief()] * 3, dtype=object), allow_pickle=True)
    data = zipped({**members(TINY), f"arrays/{name}.npy": out.getvalue()})
    assert "holds Python objects" in refused(data)


def test_arrays_that_claim_more_than_they_hold() -> None:
    whole = members(TINY)["arrays/head_transitions.npy"]
    for claim in (b"(100000000, 4, 4)", b"(-1, 4, 4)", b"(1, 4, 4, 10**9)", b"(1" * 40, b"()"):
        header = whole.replace(b"(1, 4, 4), }" + b" " * 40, claim + b", }" + b" " * 6, 1)
        assert header != whole
        refused(zipped({**members(TINY), "arrays/head_transitions.npy": header}))
    for cut in (0, 5, 10, 60, len(whole) - 1):
        refused(zipped({**members(TINY), "arrays/head_transitions.npy": whole[:cut]}))


def zeros(length: int) -> bytes:
    """So many bytes, which deflate makes nothing of."""
    return npy_bytes(np.zeros(length, dtype=np.uint8))


@pytest.mark.parametrize("name", ["turns", "pelvis"])
def test_a_library_that_swells_is_refused_before_it_does(name: str) -> None:
    data = zipped({**members(TINY), f"arrays/{name}.npy": zeros(50 << 20)})
    assert len(data) < 400_000
    assert "bytes long, allowed are" in refused(data)


def test_tables_that_swell_are_refused_before_they_do() -> None:
    # One table of 130 MB, and six of 25 MB.
    for count, size in ((1, 130 << 20), (6, 25 << 20)):
        swollen = {f"arrays/head_{part}.npy": zeros(size) for part in PARTS[:count]}
        data = zipped({**members(TINY), **swollen})
        assert len(data) < 1_000_000
        assert "bytes long, allowed are" in refused(data)


def test_small_numbers_do_not_become_large_ones() -> None:
    # Counts of one byte each would take eight times their room.
    clusters = 1000
    counts = np.zeros((1, 2 * clusters, 2 * clusters), dtype=np.uint8)
    parts = {
        "transitions": counts,
        "observations": np.zeros((1, 2 * clusters, 36)),
        "curves": np.zeros((clusters, 2)),
        "lengths_s": np.ones(clusters),
    }
    more = {f"arrays/head_{name}.npy": npy_bytes(array) for name, array in parts.items()}
    refused(zipped({**members(TINY), **more}), "head_transitions", most_mb=12.0)


@pytest.mark.parametrize("kind", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_packings_that_we_never_write(kind: int) -> None:
    refused(zipped(members(TINY), kind=kind), "compression", most_mb=12.0)


def test_stored_members_are_read() -> None:
    assert_same(parse_model(zipped(members(TINY), kind=zipfile.ZIP_STORED)), parse_model(TINY))


def test_a_document_that_swells_is_refused() -> None:
    text = b'{"kind": "' + b" " * (65 << 20) + b'"}'
    assert "too large" in refused(zipped({**members(TINY), DOCUMENT: text}))


# The same from Python and through the command line.


def test_models_that_do_not_fit_together() -> None:
    model, rng = tiny(), np.random.default_rng(0)
    with pytest.raises(InvalidValueError, match="streams are none, allowed are head, arms, lower"):
        replace(model, streams={})
    with pytest.raises(InvalidValueError, match="streams are legs"):
        replace(model, streams={"legs": model.streams["head"]})
    with pytest.raises(InvalidValueError, match="differ in length"):
        replace(model, pelvis=model.pelvis[1:])
    with pytest.raises(InvalidValueError, match="differ in length"):
        replace(model, turns=model.turns[..., :3])
    with pytest.raises(InvalidValueError, match="a different number of speakers"):
        replace(small_model(), speakers=("ann",))
    with pytest.raises(InvalidValueError, match="ends at frame"):
        replace(model, streams={"head": random_stream(rng, 2, 300)})


def test_weights_of_speakers() -> None:
    model = small_model()
    assert model.weights().tolist() == [1.0, 1.0]
    assert model.weights("ben").tolist() == [0.0, 1.0]
    assert model.weights({"ann": 2.0}).tolist() == [2.0, 0.0]
    for wrong in ({"ann": 0.0}, {"ann": -1.0}, {"ann": float("nan")}, {"ann": float("inf")}, {}):
        with pytest.raises(InvalidValueError, match="allowed are >= 0, not all 0"):
            model.weights(wrong)
    with pytest.raises(InvalidValueError, match="no speaker 'eve'; it has ann, ben"):
        model.weights("eve")


def voice(path: Path) -> Path:
    import wave

    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 8000, 0, "NONE", ""))
        file.writeframes((20_000 * babble(1.0)).astype("<i2").tobytes())
    return path


BAD: dict[str, bytes] = {
    "empty": b"",
    "text": b"no model at all\n" * 20,
    "cut": TINY[: len(TINY) // 2],
    "flipped": TINY[:900] + bytes([TINY[900] ^ 0x55]) + TINY[901:],
    "later": said(version=99),
    "take": said(kind="take"),
    "two lines": said(kind="a\nb"),
    "climber": zipped(members(TINY), ("../x.py", b"")),
    "NaN": holding("head_curves", np.full((2, 2), np.nan)),
    "swollen": zipped({**members(TINY), "arrays/turns.npy": zeros(50 << 20)}),
}


@pytest.mark.parametrize("fault", BAD)
def test_the_command_says_one_line(
    fault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.kin"
    path.write_bytes(BAD[fault])
    wav = str(voice(tmp_path / "x.wav"))
    out = tmp_path / "x.bvh"
    assert status(["listen", wav, "--model", str(path), "-o", str(out)]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "bad.kin" in err
    assert not out.exists()
