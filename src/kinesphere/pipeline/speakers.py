"""Speakers: built-in ones, and those of annotated corpora."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import as_file, files
from os import PathLike, fspath
from pathlib import Path

from kinesphere.corpus.annotation.annotation import Annotation
from kinesphere.corpus.annotation.reading import read_annotation
from kinesphere.corpus.annotation.validation import check
from kinesphere.corpus.profiles.profile import Profile
from kinesphere.corpus.profiles.profile_estimator import ProfileEstimator
from kinesphere.corpus.profiles.profile_file import read_profile
from kinesphere.errors import InvalidValueError, UnreadableError
from kinesphere.formats.problems import Problem

SPEAKERS = ("host", "critic", "neutral")
ANNOTATIONS = (".eaf", ".anvil")


@cache
def _load_shipped(name: str) -> Profile:
    with as_file(files("kinesphere.corpus").joinpath(f"data/{name}.kin")) as path:
        return read_profile(path)


def shipped_annotation(name: str) -> Annotation:
    """Annotated corpus of a built-in speaker that has one: ``host`` or ``critic``.

    Examples
    --------
    >>> import kinesphere as ks
    >>> len(ks.shipped_annotation("host").gestures) > 100
    True
    """
    with as_file(files("kinesphere.corpus").joinpath(f"data/{name}.eaf")) as path:
        return read_annotation(path)[0]


def speaker(style: str | PathLike[str] | Profile) -> Profile:
    """Speaker by name, or from a file: a profile (.kin) or an annotation (.eaf, .anvil).

    Raises
    ------
    InvalidValueError
        If it is neither a known name nor a file.

    Examples
    --------
    >>> import kinesphere as ks
    >>> round(ks.speaker("host").rate_per_minute, 1)
    25.3
    """
    if isinstance(style, Profile):
        return style
    name = fspath(style)
    if name in SPEAKERS:
        return _load_shipped(name)
    ending = Path(name).suffix.lower()
    if ending == ".kin":
        return read_profile(name)
    if ending in ANNOTATIONS:
        return profile([name]).profile
    raise InvalidValueError(
        f"style {name!r} is not known; allowed are {', '.join(SPEAKERS)}, or a file "
        "with the suffix .kin, .eaf or .anvil"
    )


def styles(names: Iterable[str | PathLike[str]] = SPEAKERS) -> list[Profile]:
    """Speaker styles with their statistics, in order; all built-in ones by default.

    Examples
    --------
    >>> [style.name for style in styles()]
    ['host', 'critic', 'neutral']
    """
    return [speaker(name) for name in names]


@dataclass(frozen=True, eq=False)
class FittedProfile:
    """A speaker's profile, and the problems of the files that it was counted in.

    Examples
    --------
    >>> import kinesphere as ks
    >>> found = ks.annotate(ks.perform("This is huge!", "host", seed=1, voice="none"))
    >>> ks.write_annotation(found.annotation, "talk.eaf")
    >>> ks.profile("talk.eaf", name="anna").problems
    ()
    """

    profile: Profile
    problems: tuple[Problem, ...] = ()


def profile(
    paths: Sequence[str | PathLike[str]] | str | PathLike[str], name: str = ""
) -> FittedProfile:
    """Count the profile of a speaker in annotated files or folders of them.

    Raises
    ------
    UnreadableError
        If a file cannot be read at all, or a folder contains none.
    InvalidValueError
        If no gesture is annotated.

    Examples
    --------
    >>> import kinesphere as ks
    >>> found = ks.annotate(ks.perform("This is huge!", "host", seed=1, voice="none"))
    >>> ks.write_annotation(found.annotation, "talk.eaf")  # to be corrected in ELAN
    >>> ks.profile("talk.eaf", name="anna").profile.lexemes
    ('BigSpan',)
    """
    found = list(_annotation_files([paths] if isinstance(paths, str | PathLike) else paths))
    if not found:
        raise InvalidValueError("no annotated file is given")
    rows: list[Annotation] = []
    problems: list[Problem] = []
    sources: list[str] = []
    for path in found:
        annotation, wrong = read_annotation(path)
        rows.append(_as_far_as_read(annotation) if wrong else annotation)
        problems += wrong
        sources.append(fspath(path))
    try:
        fitted = ProfileEstimator(name).fit(rows, sources).profile_
    except InvalidValueError as error:
        raise UnreadableError(found[0], str(error)) from None
    return FittedProfile(fitted, tuple(problems))


def _as_far_as_read(annotation: Annotation) -> Annotation:
    """Annotation of a truncated file: the missing end does not count as time without gestures."""
    times = [w.end_s for w in annotation.words] + [u.end_s for u in annotation.units]
    return replace(annotation, duration_s=min(annotation.duration_s, max(times, default=0.0)))


def check_annotations(paths: Sequence[str | PathLike[str]]) -> list[str]:
    """All errors and missing annotation in annotated files, a line each: file, position, purpose.

    Raises
    ------
    UnreadableError
        If a file cannot be read at all.
    """
    out: list[str] = []
    for path in _annotation_files(paths):
        annotation, problems = read_annotation(path)
        out += [str(problem) for problem in problems]
        out += [f"{path}: {finding}" for finding in check(annotation)]
    return out


def _annotation_files(paths: Sequence[str | PathLike[str]]) -> Iterable[Path]:
    for given in paths:
        path = Path(given)
        if not path.is_dir():
            yield path
            continue
        inside = sorted(p for p in path.rglob("*") if p.suffix.lower() in ANNOTATIONS)
        if not inside:
            raise UnreadableError(path, f"contains no annotation ({', '.join(ANNOTATIONS)})")
        yield from inside
