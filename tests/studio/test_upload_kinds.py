"""Names of uploads: only their ending counts, and they are shown without harm."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinesphere.errors import InvalidValueError
from kinesphere.studio.server.upload_kinds import LARGEST, ending_of, shown_name


@given(st.text(max_size=40), st.sampled_from([*LARGEST, ".exe", "", ".WAV", ".Kin"]))
def test_any_name_has_an_ending_of_ours_or_is_refused(name: str, ending: str) -> None:
    try:
        found = ending_of(name + ending)
    except InvalidValueError as error:
        assert str(error).isprintable()
        assert ".wav" in str(error)
    else:
        assert found in LARGEST
        assert (name + ending).lower().rstrip("/\\.").endswith(found) or found == ending.lower()


@given(st.text(max_size=400))
def test_shown_names_are_short_and_do_nothing(name: str) -> None:
    shown = shown_name(name)
    assert 0 < len(shown) <= 120
    assert shown.isprintable()
    assert not set(shown) & set("/\\")
    shown.encode()
    assert shown_name(shown) == shown


@pytest.mark.parametrize(
    "name", ["wav", ".wav", "a.exe", "a.wav.exe", "a", "", "a.wav\x00", "a.tar.gz"]
)
def test_other_kinds_are_refused(name: str) -> None:
    with pytest.raises(InvalidValueError):
        ending_of(name)


@pytest.mark.parametrize(
    ("name", "ending"), [("A.WAV", ".wav"), ("x/y.z\\k.VrM", ".vrm"), ("a.b.bvh", ".bvh")]
)
def test_case_and_folders_do_not_matter(name: str, ending: str) -> None:
    assert ending_of(name) == ending


def test_every_kind_has_a_bound() -> None:
    assert all(0 < size <= 1 << 30 for size in LARGEST.values())
    assert all(ending == ending.lower() for ending in LARGEST)
