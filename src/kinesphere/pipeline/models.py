"""Body-language models: built-in ones, and summaries of a model's contents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from kinesphere.bodylanguage.model import BodyLanguageModel
from kinesphere.bodylanguage.model_file import parse_model, read_model
from kinesphere.errors import InvalidValueError

HOUSE = "house"
"""Name of the default model."""


def model_names() -> tuple[str, ...]:
    """Names of the built-in models."""
    folder = files("kinesphere.bodylanguage").joinpath("data")
    if not folder.is_dir():
        return ()
    return tuple(sorted(f.name[:-4] for f in folder.iterdir() if f.name.endswith(".kin")))


def model(given: str | PathLike[str] | BodyLanguageModel) -> BodyLanguageModel:
    """Built-in model by name, or a model from a file.

    Raises
    ------
    InvalidValueError
        If it is neither a known name nor a file with the suffix .kin.
    UnreadableError
        If the file is not a complete model.

    Examples
    --------
    >>> import kinesphere as ks
    >>> ks.model("house").name
    'house'
    """
    if isinstance(given, BodyLanguageModel):
        return given
    name = fspath(given)
    if name in model_names():
        return _load_shipped(name)
    if Path(name).suffix.lower() == ".kin":
        return read_model(name)
    known = ", ".join(model_names()) or "none"
    raise InvalidValueError(
        f"model {name!r} is not known; allowed are {known}, or a file with the suffix .kin"
    )


@lru_cache(maxsize=2)
def _load_shipped(name: str) -> BodyLanguageModel:
    """A built-in model; reading takes a moment, so it is cached."""
    data = files("kinesphere.bodylanguage").joinpath(f"data/{name}.kin").read_bytes()
    return parse_model(data)


def models(names: Iterable[str | PathLike[str]] | None = None) -> list[BodyLanguageModel]:
    """Body-language models, in order; all built-in ones by default.

    Examples
    --------
    >>> [model.name for model in models()]
    ['house']
    """
    return [model(given) for given in (model_names() if names is None else names)]


def describe_model(found: BodyLanguageModel) -> dict[str, Any]:
    """Contents of a model as plain JSON values.

    Examples
    --------
    >>> import kinesphere as ks
    >>> facts = ks.describe_model(ks.model("house"))
    >>> facts["licence"], facts["streams"]["arms"]["clusters"]
    ('Apache-2.0', 45)
    """
    about = found.provenance  # untrusted content
    return {
        "name": found.name,
        "speakers": list(found.speakers),
        "seconds": _lengths(about.get("seconds")),
        "library_s": round(found.duration_s, 3),
        "streams": {
            name: {
                "clusters": len(stream),
                "movements": len(stream.segments),
                "mean_length_s": round(float(np.mean(stream.segment_s)), 3),
                "observations": int(stream.observations.sum()),
            }
            for name, stream in found.streams.items()
        },
        "corpora": _texts(about.get("corpora")),
        "layouts": _texts(about.get("layouts")),
        "recordings": about.get("recordings"),
        "licence": str(about.get("licence", "")),
        "seed": about.get("seed"),
        "versions": about.get("versions", {}),
    }


def _texts(given: object) -> list[str]:
    return [str(one) for one in given] if isinstance(given, Sequence) else []


def _lengths(given: object) -> dict[str, float]:
    """Seconds by speaker, as far as they are valid numbers."""
    rows = given.items() if isinstance(given, Mapping) else ()
    return {
        str(name): float(s) for name, s in rows if isinstance(s, int | float) and 0.0 <= s < 1e9
    }
