"""Direction and cast of one performance, from keywords or from a TOML file."""

from __future__ import annotations

import tomllib
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any, Self

from kinesphere.bodylanguage.choose.word_choice import GestureKey
from kinesphere.corpus.profiles.profile import Profile
from kinesphere.errors import InvalidValueError, UnreadableError
from kinesphere.formats.files import read_text
from kinesphere.pipeline.stages.cast import Cast, CastKeywords
from kinesphere.pipeline.stages.direction import Direction, DirectionKeywords
from kinesphere.pipeline.stages.table_values import check_type

_LARGEST_FILE = 1 << 20
# Former keywords and what replaces them, for two minor versions.
_FORMER = {"entries": "lexicon", "settings": "acting"}
_PATHS = {
    "direction": ("phrase", "manner_tables"),
    "cast": ("style", "character", "voice", "lexicon", "model"),
}


class StagingKeywords(DirectionKeywords, CastKeywords, total=False):
    """The familiar keywords of `perform`, `listen`, `animate` and `recreate`."""


class ListenKeywords(StagingKeywords, total=False):
    """The familiar keywords of `listen`: those of `VoiceSettings`, too."""

    style: str | PathLike[str] | Profile
    policy: str
    rhythm: float | None
    delay_s: float
    word_gestures: float
    gestures: tuple[tuple[GestureKey, float], ...]


@dataclass(frozen=True)
class Staging:
    """A direction and a cast.

    Examples
    --------
    >>> import kinesphere as ks
    >>> ks.Staging(ks.Direction(manner="proudly"), ks.Cast("host")).cast.profile.name
    'host'
    """

    direction: Direction = field(default_factory=Direction)
    cast: Cast = field(default_factory=Cast)

    def __post_init__(self) -> None:
        check_type("direction", self.direction, Direction, "a Direction")
        check_type("cast", self.cast, Cast, "a Cast")

    @classmethod
    def of(
        cls,
        direction: Direction | None,
        cast: Cast | None,
        keywords: Mapping[str, Any],
        function: str = "Staging.of",
        more: Iterable[str] = (),
    ) -> Self:
        """Both values, changed by the keywords that are given.

        Parameters
        ----------
        function, more : for the message on an unknown keyword: the function that was called, and
            its own keywords.

        Raises
        ------
        TypeError
            For an unknown keyword; the message lists the known ones.
        InvalidValueError
            If a value is not allowed.
        """
        base = cls(
            Direction() if direction is None else direction, Cast() if cast is None else cast
        )
        how, who = base.direction, base.cast
        keywords = {_current(name): value for name, value in keywords.items()}
        known = {"direction": Direction.__dataclass_fields__, "cast": Cast.__dataclass_fields__}
        for name in keywords:
            if name not in known["direction"] and name not in known["cast"]:
                allowed = ", ".join([*more, *known["direction"], *known["cast"]])
                raise TypeError(
                    f"{function}() got an unexpected keyword argument {name!r}; allowed are "
                    f"{allowed}"
                )
        for_how = {n: v for n, v in keywords.items() if n in known["direction"]}
        for_who = {n: v for n, v in keywords.items() if n in known["cast"]}
        how = replace(how, **for_how) if for_how else how
        return cls(how, replace(who, **for_who) if for_who else who)


def _current(name: str) -> str:
    """Present name of a keyword."""
    if name not in _FORMER:
        return name
    warnings.warn(
        f"the keyword {name!r} is now {_FORMER[name]!r}", DeprecationWarning, stacklevel=5
    )
    return _FORMER[name]


def read_staging(path: str | PathLike[str]) -> Staging:
    """Read direction and cast from a TOML file: the tables ``[direction]`` and ``[cast]``.

    Both are optional; files that they name are relative to the TOML file.

    Raises
    ------
    UnreadableError
        If the file is not TOML, or a value is not allowed; the message names the table.

    Examples
    --------
    >>> from pathlib import Path
    >>> import kinesphere as ks
    >>> file = Path("proud.toml")
    >>> length = file.write_text("direction = {manner = 'proudly'}")
    >>> ks.read_staging(file).direction.manner
    'proudly'
    """
    text = read_text(path, _LARGEST_FILE)
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UnreadableError(path, f"is not TOML: {error}") from None
    made: dict[str, Any] = {}
    for name, table in document.items():
        if name not in _PATHS or not isinstance(table, dict):
            raise UnreadableError(
                path, f"found {name!r}, expected the tables [direction] and [cast]"
            )
        kind: Any = Direction if name == "direction" else Cast
        try:
            made[name] = kind.of_table(_with_paths(table, _PATHS[name], Path(path).parent))
        except InvalidValueError as error:
            raise UnreadableError(path, str(error), f"[{name}]") from None
    return Staging(**made)


def _with_paths(table: Mapping[str, Any], names: tuple[str, ...], folder: Path) -> dict[str, Any]:
    """Values that name a file next to the TOML file, with their path."""
    out = dict(table)
    for name in names:
        given = out.get(name)
        if isinstance(given, list):
            out[name] = [_beside(each, folder) for each in given]
        elif given is not None:
            out[name] = _beside(given, folder)
    return out


def _beside(given: Any, folder: Path) -> Any:
    """Path of a file in a folder; any other value as it is."""
    if isinstance(given, str) and given and (folder / given).is_file():
        return str(folder / given)
    return given
