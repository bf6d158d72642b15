"""Reads and writes annotations as ANVIL and ELAN files.

A file becomes a `Sheet`: rows by the names of the scheme, whatever names its author used. A sheet
becomes an `Annotation`. Rows that do not fit are listed as `Problem`s with lines, and the rest is
read. The scheme, the accepted names and the rules are described in
``docs/annotation-scheme.md``.
"""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path
from typing import NamedTuple

from kinesphere.corpus.annotation import from_anvil, from_elan
from kinesphere.corpus.annotation.annotation import Annotation
from kinesphere.corpus.annotation.assembly import annotation_of, information_order
from kinesphere.corpus.annotation.rows import sheet_of
from kinesphere.errors import UnreadableError, UnwritableError
from kinesphere.formats.files import read_bytes, write_atomically
from kinesphere.formats.problems import Problem, Problems
from kinesphere.formats.xml_elements import LARGEST_XML

__all__ = ["ENDINGS", "information_order", "read_annotation", "write_annotation"]

ENDINGS = (".anvil", ".eaf")


class AnnotationReading(NamedTuple):
    """All of an annotation that could be read, and the problems of its file, with their lines.

    Examples
    --------
    >>> AnnotationReading(Annotation("anna", "en", 2.0), ()).annotation.speaker
    'anna'
    """

    annotation: Annotation
    problems: tuple[Problem, ...]


def read_annotation(path: str | PathLike[str], speaker: str | None = None) -> AnnotationReading:
    """Read an annotated performance, .anvil or .eaf.

    Parameters
    ----------
    path : the file.
    speaker : whose tiers are read in a file of several; None takes the first.

    Raises
    ------
    UnreadableError
        If nothing can be read at all.
    InvalidValueError
        If the file has no such speaker; the message lists its speakers.

    Examples
    --------
    >>> import kinesphere as ks
    >>> found = ks.annotate(ks.perform("This is huge!", "host", seed=1, voice="none"))
    >>> ks.write_annotation(found.annotation, "talk.anvil")
    >>> annotation, problems = ks.read_annotation("talk.anvil")
    >>> len(annotation.gestures), problems
    (1, ())
    """
    target = Path(fspath(path))
    if target.suffix.lower() not in ENDINGS:
        raise UnreadableError(
            path, f"ends in {target.suffix!r}, readable annotations are {' '.join(ENDINGS)}"
        )
    data = read_bytes(target, LARGEST_XML)
    problems = Problems(fspath(path))
    try:
        if target.suffix.lower() == ".eaf":
            sheet = from_elan.sheet_of_elan(data, problems, speaker)
        else:
            sheet = from_anvil.sheet_of_anvil(data, problems, speaker, target.parent)
    except UnreadableError as error:
        raise error.at(path) from None
    return AnnotationReading(annotation_of(sheet, problems), problems.report())


def write_annotation(annotation: Annotation, path: str | PathLike[str]) -> None:
    """Write an annotation, .anvil or .eaf; ELAN keeps whole milliseconds.

    With an .anvil file, the specification that ANVIL needs is written to its folder, if missing.

    Raises
    ------
    UnwritableError
        If the suffix is another, or if annotations of one tier overlap.

    Examples
    --------
    >>> import kinesphere as ks
    >>> found = ks.annotate(ks.perform("This is huge!", "host", seed=1, voice="none"))
    >>> ks.write_annotation(found.annotation, "talk.eaf")  # opens in ELAN
    """
    target = Path(fspath(path))
    ending = target.suffix.lower()
    if ending not in ENDINGS:
        raise UnwritableError(
            f"{target}: ends in {target.suffix!r}, annotations are written as {' '.join(ENDINGS)}"
        )
    sheet = sheet_of(annotation)
    data = from_elan.elan_of(sheet) if ending == ".eaf" else from_anvil.anvil_of(sheet)
    with write_atomically(target) as file:
        file.write(data)
    beside = target.with_name(from_anvil.SPECIFICATION)
    if ending == ".anvil" and not beside.exists():
        with write_atomically(beside) as file:
            file.write(from_anvil.specification())
