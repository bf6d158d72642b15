"""The lexicon of gestures (lexemes): all entries by name, which users can extend.

Speakers share one lexicon and differ in which entries they use, how often, with which hand and
where. `lexeme_files` reads the entries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache, update_wrapper
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, ParamSpec, TypeVar

from kinesphere.errors import InvalidValueError
from kinesphere.gesture.lexeme import (
    HAND_SHAPES,
    LOOKS,
    WARPS,
    AfterStroke,
    BodyKey,
    Lexeme,
    LexemePosture,
    MicroKey,
)
from kinesphere.gesture.lexeme_files import built_in_lexemes, near_names, read_lexemes
from kinesphere.language.tags import semantic_tags

__all__ = [
    "HAND_SHAPES",
    "LOOKS",
    "WARPS",
    "AfterStroke",
    "BodyKey",
    "CachedByLexicon",
    "Lexeme",
    "LexemePosture",
    "MicroKey",
    "cached_by_lexicon",
    "extend_lexicon",
    "hand_lexemes",
    "lexicon",
    "mix_tagged_lexemes",
    "own_lexemes",
    "read_lexemes",
    "suggestion",
    "tag_lexemes",
    "variant",
]

T = TypeVar("T")
P = ParamSpec("P")


class _Added(NamedTuple):
    """A lexicon with a user's own lexemes, and those alone, which identify it."""

    known: Mapping[str, Lexeme]
    own: tuple[Lexeme, ...]


_ADDED: ContextVar[_Added | None] = ContextVar("added_lexemes", default=None)


def lexicon(extra: Mapping[str, Lexeme] | None = None) -> Mapping[str, Lexeme]:
    """All lexemes by name, in the order of the files; a user's own replace them or come after.

    Within `extend_lexicon` those are among them.

    Examples
    --------
    >>> import kinesphere as ks
    >>> len(ks.lexicon()), "Cup" in ks.lexicon()
    (110, True)
    """
    added = _ADDED.get()
    known = built_in_lexemes() if added is None else added.known
    return MappingProxyType({**known, **extra}) if extra else known


@contextmanager
def extend_lexicon(extra: Mapping[str, Lexeme] | None) -> Iterator[None]:
    """Add a user's own lexemes to `lexicon` within a ``with`` block."""
    before = _ADDED.get()
    own = {} if before is None else {entry.name: entry for entry in before.own}
    added = _Added(lexicon(extra), tuple({**own, **extra}.values())) if extra else before
    token = _ADDED.set(added)
    try:
        yield
    finally:
        _ADDED.reset(token)


def own_lexemes() -> tuple[Lexeme, ...]:
    """The user's own lexemes that `lexicon` contains here; they identify it."""
    added = _ADDED.get()
    return () if added is None else added.own


class CachedByLexicon(Generic[P, T]):
    """A function whose results are cached per lexicon; see `cached_by_lexicon`."""

    def __init__(self, function: Callable[P, T], maxsize: int | None) -> None:
        kept: Any = lru_cache(maxsize)(lambda _own, *args, **named: function(*args, **named))
        self._kept = kept
        self.cache_info, self.cache_clear = kept.cache_info, kept.cache_clear
        update_wrapper(self, function)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the function's result, computed or cached."""
        result: T = self._kept(own_lexemes(), *args, **kwargs)
        return result


def cached_by_lexicon(
    maxsize: int | None = None,
) -> Callable[[Callable[P, T]], CachedByLexicon[P, T]]:
    """Cache a function's results, as `functools.lru_cache` does, separately for each lexicon.

    For functions that call `lexicon` themselves: a result computed within `extend_lexicon` must not
    be returned outside it, nor the other way round.
    """
    return lambda function: CachedByLexicon(function, maxsize)


def hand_lexemes() -> tuple[str, ...]:
    """Names of the lexemes performed by hands."""
    return tuple(name for name, entry in lexicon().items() if not entry.without_hands)


def variant(lexeme: Lexeme, name: str) -> Lexeme:
    """A variant of a lexeme, under the lexeme's own name.

    >>> variant(lexicon()["Cup"], "wide").hand_distance
    (0.6, 1.4)
    """
    if name not in lexeme.variants:
        known = ", ".join(lexeme.variants) or "none"
        raise InvalidValueError(f"{lexeme.name} has no variant {name!r}, allowed are {known}")
    return lexeme.variants[name]


def suggestion(name: str, among: Iterable[str] | None = None) -> str:
    """Known names similar to an unknown one, for error messages.

    >>> suggestion("PointingPersn").split(", ")[0]
    'PointingPerson'
    """
    return near_names(name, lexicon() if among is None else among)


@cached_by_lexicon()
def _shares_of_tag(tag: str) -> Mapping[str, float]:
    """Shares of the lexemes that name the tag in their own entry; together at most 1."""
    shares = {name: entry.tags[tag] for name, entry in lexicon().items() if tag in entry.tags}
    total = max(sum(shares.values()), 1.0)
    return MappingProxyType({name: share / total for name, share in shares.items()})


def mix_tagged_lexemes(
    given: dict[str, float], tag: str, gestured: float = 1.0
) -> dict[str, float]:
    """P(l | tag) with the lexemes that name the tag in their own entry.

    Parameters
    ----------
    given : P(l | tag) without them; they take their share of its sum, the others keep the rest.
    gestured : the sum where nothing is given.
    """
    shares = _shares_of_tag(tag)
    if not shares:
        return given
    total = sum(given.values()) or gestured
    kept = 1.0 - sum(shares.values())
    mixed = {name: kept * p for name, p in given.items()}
    for name, share in shares.items():
        mixed[name] = mixed.get(name, 0.0) + share * total
    return mixed


def tag_lexemes(tag: str) -> Mapping[str, float]:
    """P(l | tag) in gestured occurrences, for an average speaker.

    >>> tag_lexemes("SELF")
    {'PointingSelf': 0.7, 'Heart': 0.2, 'Cup': 0.1}
    """
    return mix_tagged_lexemes(dict(semantic_tags()[tag].lexemes), tag)
