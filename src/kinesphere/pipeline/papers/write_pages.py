"""Pages that reproduce the papers' figures with our code: ``docs/tension-figures.md`` so far."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path

from kinesphere.errors import InvalidValueError, UnwritableError
from kinesphere.formats.files import write_atomically
from kinesphere.motion.take import Take
from kinesphere.pipeline.papers.page import Page
from kinesphere.pipeline.papers.tension_page import tension_page

PAGES: dict[str, Callable[[Take | None], Page]] = {"tension": tension_page}
"""Pages by name."""


def check_names(only: Sequence[str]) -> None:
    """Reject names of pages that do not exist."""
    for name in only:
        if name not in PAGES:
            raise InvalidValueError(f"page {name!r} is unknown; allowed are {', '.join(PAGES)}")


def papers(
    folder: str | PathLike[str], only: Sequence[str] = (), take: Take | None = None
) -> list[Path]:
    """Write the pages, all unless some are named, and their pictures into a folder.

    Parameters
    ----------
    folder : is made if it does not exist; pictures go into its folder ``pictures``.
    take : a recording with a gesture, shown in addition to our own.

    Raises
    ------
    InvalidValueError
        For the name of a page that does not exist, or a take without a gesture.
    UnwritableError
        If the folder cannot be written to.

    Examples
    --------
    >>> import kinesphere as ks
    >>> ks.papers("pages")[-1].name
    'tension-figures.md'
    """
    check_names(only)
    made = {name: PAGES[name](take) for name in PAGES if not only or name in only}
    target = Path(folder)
    try:
        (target / "pictures").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UnwritableError(f"{target}: cannot write here: {reason}") from None
    files = {}
    for name, page in made.items():
        files.update({target / "pictures" / file: text for file, text in page.pictures.items()})
        files[target / f"{name}-figures.md"] = page.text
    for path, text in files.items():
        with write_atomically(path) as file:
            file.write(text.encode())
    return list(files)
