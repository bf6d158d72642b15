"""Files of profiles: JSON in a zip archive (``speaker.kin``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from os import PathLike
from typing import Any

from numpy.typing import NDArray

from kinesphere.corpus.profiles.counts import GestureCounts, Moments
from kinesphere.corpus.profiles.profile import GestureSample, Profile, Smoothing
from kinesphere.errors import InvalidValueError, UnreadableError
from kinesphere.formats.container import pack, unpack
from kinesphere.formats.files import read_bytes, write_atomically
from kinesphere.gesture.positions import HandPosition

KIND, VERSION = "speaker", 1
LARGEST_PROFILE = 64 << 20
_PAIRS = ("tag_lexemes", "lexeme_pairs", "hand_pairs", "lexeme_hands")


def profile_document(profile: Profile) -> dict[str, Any]:
    """Return a profile as plain values for JSON."""
    return {
        "kind": KIND,
        "version": VERSION,
        "name": profile.name,
        "language": profile.language,
        "note": profile.note,
        "smoothing": asdict(profile.smoothing),
        "portrait": dict(profile.portrait),
        "counts": {
            part.name: _plain(getattr(profile.counts, part.name)) for part in fields(GestureCounts)
        },
        "samples": [_sample_document(sample) for sample in profile.samples],
    }


def _plain(value: Any) -> Any:
    if isinstance(value, Moments):
        return [value.n, value.total, value.squares]
    if isinstance(value, Mapping):
        return [
            [list(key) if isinstance(key, tuple) else key, _plain(v)]
            for key, v in sorted(value.items())
        ]
    return value


def _sample_document(sample: GestureSample) -> dict[str, Any]:
    out = asdict(sample)
    out["start"] = str(sample.start)
    out["end"] = None if sample.end is None else str(sample.end)
    return out


def profile_of(document: Mapping[str, Any]) -> Profile:
    """Read the values of `profile_document`."""
    try:
        counts: dict[str, Any] = {}
        for part in fields(GestureCounts):
            counts[part.name] = _parse_counts(part.name, document["counts"][part.name])
        return Profile(
            name=str(document["name"]),
            language=str(document["language"]),
            counts=GestureCounts(**counts),
            samples=tuple(_sample(row) for row in document["samples"]),
            note=str(document["note"]),
            smoothing=Smoothing(**document["smoothing"]),
            portrait=dict(document["portrait"]),
        )
    except InvalidValueError as error:
        raise UnreadableError(None, str(error)) from None
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise UnreadableError(None, f"is not a complete profile: {str(error)[:60]}") from None


def _parse_counts(name: str, value: Any) -> Any:
    if name == "duration_s":
        return float(value)
    if name == "after_intervals":
        return Moments(int(value[0]), float(value[1]), float(value[2]))
    out: dict[Any, Any] = {}
    for key, count in value:
        made = tuple(key) if name in _PAIRS else str(key)
        if isinstance(count, list):
            out[made] = Moments(int(count[0]), float(count[1]), float(count[2]))
        else:
            out[made] = int(count)
    return out


def _sample(row: Mapping[str, Any]) -> GestureSample:
    values = dict(row)
    values["start"] = HandPosition.of_text(values["start"])
    values["end"] = None if values["end"] is None else HandPosition.of_text(values["end"])
    return GestureSample(**values)


def write_profile(profile: Profile, path: str | PathLike[str]) -> None:
    """Write a profile; the same profile gives the same bytes.

    Examples
    --------
    >>> import kinesphere as ks
    >>> ks.write_profile(ks.speaker("host"), "host.kin")
    >>> ks.speaker("host.kin").name
    'host'
    """
    data = pack(profile_document(profile), {}, "the profile")
    with write_atomically(path) as file:
        file.write(data)


def read_profile(path: str | PathLike[str]) -> Profile:
    """Read a profile.

    Raises
    ------
    UnreadableError
        If the file is missing or not a complete profile.

    Examples
    --------
    >>> import kinesphere as ks
    >>> ks.write_profile(ks.speaker("host"), "host.kin")
    >>> ks.read_profile("host.kin").name
    'host'
    """
    data = read_bytes(path, LARGEST_PROFILE)

    def build(document: dict[str, Any], array: Callable[[str], NDArray[Any]]) -> Profile:
        return profile_of(document)

    try:
        return unpack(data, KIND, VERSION, 0, build)
    except UnreadableError as error:
        raise error.at(path) from None
