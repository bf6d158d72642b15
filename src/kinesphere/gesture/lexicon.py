"""The lexicon of gestures (lexemes): meaning and form of each, as data that users can extend.

The entries are in ``data/lexemes.toml``; ``docs/lexicon.md`` describes how to write one. Speakers
share one lexicon and differ in which entries they use, how often, with which hand and where.
All is described for the acting hand, out being its own side, on a person of 1.75 m.
"""

from __future__ import annotations

import difflib
import math
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from functools import cache, lru_cache, update_wrapper
from importlib.resources import files
from itertools import pairwise
from os import PathLike
from types import MappingProxyType
from typing import (
    Any,
    Generic,
    NamedTuple,
    ParamSpec,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

from kinesphere.errors import InvalidValueError, UnreadableError
from kinesphere.formats.files import read_bytes
from kinesphere.gesture.positions import HandPosition

HAND_SHAPES = (
    "rest",
    "open-rlx",
    "open-flat",
    "open-spread",
    "cup",
    "dome",
    "claw",
    "fist",
    "fist-loose",
    "index",
    "index-rlx",
    "gap",
    "ring",
    "purse",
    "thumb-up",
    "victory",
    "two-de",
    "three",
    "three-de",
    "four",
    "snap",
    "snap-end",
    "mesh",
)
CLASSES = ("emblem", "metaphoric", "deictic", "beat", "iconic")
WARPS = ("ease", "soft", "accel", "hit", "whip", "snap", "even")
AFTER_KINDS = ("none", "psh", "wave", "loop")
_MOST_NAMED = 8
LOOKS = ("", "hand", "spot", "aside", "up", "away", "target")
CONTACTS = ("", "chest", "temple", "palms", "interlaced", "finger")
ORIENTATIONS = ("local", "chest", "world")
LARGEST_LEXEMES = 4 << 20
"""Largest size of a file of lexemes, in bytes."""
_MIDDLE = HandPosition("abdomen", "normal", "front", "normal")
_DIRECTION = re.compile(r"[UDIOFB][UDIOFBudiofb]?")
_NAME = re.compile(r"[^\W\d_][\w-]{0,59}")
_SAID = {
    float: "a number",
    int: "a whole number",
    str: "a text",
    bool: "true or false",
    HandPosition: "a text height/distance/radial/inclination",
}
_LARGEST = 10**9
_MOST_BASES = 20
_OPPOSITES = ({"U", "D"}, {"I", "O"}, {"F", "B"})

T = TypeVar("T")
P = ParamSpec("P")


def _one(name: str, value: str, allowed: Iterable[str]) -> None:
    names = tuple(allowed)
    if value not in names:
        listed = ", ".join(n or '""' for n in names)
        raise InvalidValueError(f"{name} is {_shown(value)}, allowed are {listed}")


def _among(entry: object, allowed: Iterable[str], name: str) -> None:
    _one(name, getattr(entry, name), allowed)


def _within(entry: object, least: float, most: float, *names: str) -> None:
    for name in names:
        found = getattr(entry, name)
        for number in found if isinstance(found, tuple) else (found,):
            if not least <= number <= most:
                raise InvalidValueError(f"{name} is {number:g}, allowed are {least:g} to {most:g}")


@dataclass(frozen=True)
class MicroKey:
    """A small change of a hand's pose: centimetres and degrees.

    `roll` is pronation, `flexion` is palmward, `deviation` to the thumb's side. `curl` is how far
    the fingers close towards a fist, from 0 to 1; below 0 they open.
    """

    out_cm: float = 0.0
    up_cm: float = 0.0
    forward_cm: float = 0.0
    roll: float = 0.0
    flexion: float = 0.0
    deviation: float = 0.0
    curl: float = 0.0

    def __post_init__(self) -> None:
        _within(self, -60.0, 60.0, "out_cm", "up_cm", "forward_cm")
        _within(self, -150.0, 150.0, "roll", "flexion", "deviation")
        _within(self, -1.0, 1.0, "curl")


@dataclass(frozen=True)
class AfterStroke:
    """How a gesture repeats its stroke.

    Parameters
    ----------
    kind : ``none``; ``psh`` for preparation, stroke and hold each time; ``wave`` for oscillation
        without holds; ``loop`` for further turns of the lexeme's circle.
    prep : offset at which each repetition starts, from the end pose of the main stroke. For a
        wave it is the other end of the oscillation.
    stroke : offset of a repetition's end from the last stroke's end; every repetition adds it.
    shares : proportions of preparation, stroke and hold in one repetition; they sum to 1.
    rate_hz : of waves and loops.
    fading : size of each repetition relative to the previous one.
    """

    kind: str = "none"
    prep: MicroKey = MicroKey()
    stroke: MicroKey = MicroKey()
    shares: tuple[float, float, float] = (0.35, 0.35, 0.30)
    rate_hz: float = 0.0
    fading: float = 0.8

    def __post_init__(self) -> None:
        _among(self, AFTER_KINDS, "kind")
        _within(self, 0.0, 1.0, "shares", "fading")
        _within(self, 0.0, 8.0, "rate_hz")
        if abs(sum(self.shares) - 1.0) > 1e-6:
            raise InvalidValueError(f"shares sum to {sum(self.shares):g}, allowed is 1")
        if self.kind in ("wave", "loop") and self.rate_hz <= 0.0:
            raise InvalidValueError(f"rate_hz is 0, allowed for {self.kind!r} is more than that")


@dataclass(frozen=True)
class Posture:
    """Pose of torso, shoulders, head and face at the stroke: degrees, towards the acting hand.

    Parameters
    ----------
    lean : forward bend of the spine. `rise` is how much it extends and lifts the chest.
    turn, tilt : of the torso.
    collar_up, collar_back : elevation and retraction of the clavicles.
    head_down, head_turn, head_tilt, thrust_cm : of the head; the thrust goes forward.
    nod, shake : amplitude of a nod, and of a shake's first half-cycle, on the stroke.
    look : gaze target: the hand, the point it shows, aside, up, away, or the target.
    brow, smile : ratios from -1 to 1: brows down or up, corners of the mouth down or up.
    """

    lean: float = 0.0
    turn: float = 0.0
    tilt: float = 0.0
    rise: float = 0.0
    collar_up: float = 0.0
    collar_back: float = 0.0
    head_down: float = 0.0
    head_turn: float = 0.0
    head_tilt: float = 0.0
    thrust_cm: float = 0.0
    nod: float = 0.0
    shake: float = 0.0
    look: str = ""
    brow: float = 0.0
    smile: float = 0.0

    def __post_init__(self) -> None:
        _among(self, LOOKS, "look")
        _within(self, -1.0, 1.0, "brow", "smile")
        _within(self, -10.0, 10.0, "thrust_cm")
        _within(
            self,
            -60.0,
            60.0,
            "lean",
            "turn",
            "tilt",
            "rise",
            "collar_up",
            "collar_back",
            "head_down",
            "head_turn",
            "head_tilt",
            "nod",
            "shake",
        )


@dataclass(frozen=True)
class BodyKey:
    """Key pose of a head or shoulder gesture; seconds after its stroke starts, degrees."""

    time_s: float
    head_down: float = 0.0
    head_turn: float = 0.0
    head_tilt: float = 0.0
    thrust_cm: float = 0.0
    collar_up: float = 0.0
    brow: float = 0.0

    def __post_init__(self) -> None:
        _within(self, 0.0, 10.0, "time_s")
        _within(self, -60.0, 60.0, "head_down", "head_turn", "head_tilt", "collar_up")
        _within(self, -10.0, 10.0, "thrust_cm")
        _within(self, -1.0, 1.0, "brow")


@dataclass(frozen=True)
class Lexeme:
    """A gesture of the lexicon; see ``docs/lexicon.md`` for every field.

    One that is `particular` is used only with its meaning; others fit any stressed word.
    A shape may be two: ``a>b`` changes during the stroke, ``a+b`` has the other hand's after the
    plus. A lexeme `without_hands` is a head or shoulder gesture, and has only `body_keys`.

    Parameters
    ----------
    any_shape : the hand may keep its current shape.
    after, posture : repetitions, and the pose of the rest of the body.
    arc_cm : out, up and forward from the middle of the chord to the middle of the path.
    circle_cm : radius of a circle in the sagittal plane with one hand and with two, 0 for none.
    circle_sign : 1 back and up, then out and down; -1 the other way.
    antiphase : two hands alternate, half a cycle apart.
    parallel : two hands keep their distance and move to one side together.
    swing : amplitude of an oscillation about the pose during the stroke itself.
    one_sided : the oscillation is to one side of the pose only, twice as far; for a lexeme without
        hands, only the acting side's clavicle moves.
    contact, contact_at, contact_with : what is touched, at the stroke's ``start`` or ``end``, with
        the ``palm`` or a finger's ``tip``; counting begins at the other hand's `contact_finger`.
    fingers_win : the fingers' direction has priority if palm and fingers conflict.
    orientation : reference of palm and fingers when the body moves: the forearm (``local``, the
        angles of wrist and forearm count), the ``chest`` or the ``world``.
    amplitude : how much emphasis may scale the stroke, from 0 to 1.
    wrist_lag_s : delay of the hand behind the forearm.
    variants : other forms, by name; see `variant`.

    Examples
    --------
    >>> import kinesphere as ks
    >>> cup = ks.lexicon()["Cup"]
    >>> cup.kind, cup.stroke_s > 0.0
    ('metaphoric', True)
    """

    name: str
    kind: str
    meaning: str
    without_hands: bool = False
    particular: bool = False
    hands: tuple[float, float, float] = (1.0, 0.0, 0.0)
    shapes: tuple[str, ...] = ()
    any_shape: bool = False
    start: HandPosition = _MIDDLE
    end: HandPosition = _MIDDLE
    hand_distance: tuple[float, float] = (0.7, 0.7)
    travel_cm: tuple[float, float, float] = (0.0, 0.0, 0.0)
    palm: tuple[str, str] = ("I", "I")
    fingers: tuple[str, str] = ("F", "F")
    wrist_flexion: tuple[float, float] = (0.0, 0.0)
    wrist_deviation: tuple[float, float] = (0.0, 0.0)
    forearm_roll: tuple[float, float] = (0.0, 0.0)
    trajectory: str = "straight"
    arc_cm: tuple[float, float, float] = (0.0, 0.0, 0.0)
    circle_cm: tuple[float, float] = (0.0, 0.0)
    circle_sign: int = 1
    antiphase: bool = False
    parallel: bool = False
    swing: MicroKey = MicroKey()
    one_sided: bool = False
    contact: str = ""
    contact_at: str = "end"
    contact_with: str = "palm"
    contact_finger: str = "index"
    fingers_win: bool = False
    orientation: str = "chest"
    amplitude: float = 1.0
    wrist_lag_s: float = 0.0
    stroke_s: float = 0.3
    hold: tuple[float, float] = (0.5, 0.5)
    strokes: float = 1.2
    warp: str = "ease"
    effort: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    after: AfterStroke = AfterStroke()
    posture: Posture = Posture()
    body_keys: tuple[BodyKey, ...] = ()
    variants: Mapping[str, Lexeme] = field(default_factory=dict, hash=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "variants", MappingProxyType(dict(self.variants)))
        try:
            self._check()
        except InvalidValueError as error:
            raise InvalidValueError(f"{self.name}: {error}") from None

    def _check(self) -> None:
        for shape in self.shapes:
            for part in shape.replace("+", ">").split(">"):
                _one("shapes", part, HAND_SHAPES)
        for name in ("palm", "fingers"):
            for code in getattr(self, name):
                if not _DIRECTION.fullmatch(code) or {*code.upper()} in _OPPOSITES:
                    raise InvalidValueError(
                        f"{name} is {_shown(code)}, allowed are one or two of U, D, I, O, F, B, no "
                        "opposites, the second may be a small letter"
                    )
        _one("class", self.kind, CLASSES)
        _among(self, WARPS, "warp")
        _among(self, ("straight", "curved"), "trajectory")
        _among(self, CONTACTS, "contact")
        _among(self, ("start", "end"), "contact_at")
        _among(self, ("palm", "tip"), "contact_with")
        _among(self, ("thumb", "index"), "contact_finger")
        _among(self, ORIENTATIONS, "orientation")
        _within(self, -1.0, 1.0, "effort")
        _within(self, 0.0, 1.0, "hands", "amplitude", "wrist_lag_s")
        _within(self, 0.01, 10.0, "stroke_s")
        _within(self, 0.0, 30.0, "hold", "circle_cm")
        _within(self, 0.0, 5.0, "hand_distance")
        _within(self, -150.0, 150.0, "wrist_flexion", "wrist_deviation", "forearm_roll")
        _within(self, 1.0, 30.0, "strokes")
        _within(self, -150.0, 150.0, "travel_cm", "arc_cm")
        if self.circle_sign not in (-1, 1):
            raise InvalidValueError(f"circle_sign is {self.circle_sign}, allowed are 1, -1")
        if abs(sum(self.hands) - 1.0) > 1e-6:
            raise InvalidValueError(f"hands sum to {sum(self.hands):g}, allowed is 1")
        if self.without_hands != bool(self.body_keys):
            raise InvalidValueError(
                f"body_keys are {len(self.body_keys)}, allowed are "
                f"{'some for one' if self.without_hands else 'none but for one'} without_hands"
            )
        times = [key.time_s for key in self.body_keys]
        if any(a >= b for a, b in pairwise(times)):
            raise InvalidValueError(f"body_keys are at {times} s, allowed are rising times")


class _Added(NamedTuple):
    """A lexicon with a user's own lexemes, and those alone, which identify it."""

    known: Mapping[str, Lexeme]
    own: tuple[Lexeme, ...]


_ADDED: ContextVar[_Added | None] = ContextVar("added_lexemes", default=None)


def lexicon(extra: Mapping[str, Lexeme] | None = None) -> Mapping[str, Lexeme]:
    """All lexemes by name, in the order of the file; a user's own replace them or come after.

    Within `added_lexemes` those are among them.

    Examples
    --------
    >>> import kinesphere as ks
    >>> len(ks.lexicon()), "Cup" in ks.lexicon()
    (50, True)
    """
    added = _ADDED.get()
    known = _built_in() if added is None else added.known
    return MappingProxyType({**known, **extra}) if extra else known


@contextmanager
def added_lexemes(extra: Mapping[str, Lexeme] | None) -> Iterator[None]:
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

    For functions that call `lexicon` themselves: a result computed within `added_lexemes` must not
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


def read_lexemes(path: str | PathLike[str]) -> Mapping[str, Lexeme]:
    """Read a user's own lexemes, in the format of the package's; pass them to `added_lexemes`.

    An entry with ``base = "Cup"`` is that lexeme with changes, whether under a new name or the
    same; the base may be in the same file. Without a base, a name must be new.

    Raises
    ------
    UnreadableError
        If the file is not TOML or an entry is wrong; one line that names the entry and its key.

    Examples
    --------
    >>> from pathlib import Path
    >>> import kinesphere as ks
    >>> own = Path("mine.toml")
    >>> length = own.write_text("Serve = {base = 'Cup', meaning = 'serves it on a plate'}")
    >>> ks.read_lexemes(own)["Serve"].meaning
    'serves it on a plate'
    """
    data = read_bytes(path, LARGEST_LEXEMES)
    try:
        return _lexemes(tomllib.loads(data.decode("utf-8-sig")), _entries())
    except InvalidValueError as error:
        raise UnreadableError(path, str(error)) from None
    except UnicodeDecodeError as error:
        reason = f"is not UTF-8 text: byte {error.start} is {data[error.start]:#04x}"
        raise UnreadableError(path, reason) from None
    except (ValueError, RecursionError) as error:
        raise UnreadableError(path, f"is not TOML that can be read: {error}") from None


def suggestion(name: str, among: Iterable[str] | None = None) -> str:
    """Known names similar to an unknown one, for error messages.

    >>> suggestion("PointingPersn").split(", ")[0]
    'PointingPerson'
    """
    names = list(lexicon() if among is None else among)
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    if near or len(names) <= _MOST_NAMED:
        return ", ".join(near or names)
    return f"{', '.join(names[:_MOST_NAMED])} and {len(names) - _MOST_NAMED} others"


@cache
def _entries() -> Mapping[str, Mapping[str, Any]]:
    text = files("kinesphere.gesture").joinpath("data/lexemes.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def _built_in() -> Mapping[str, Lexeme]:
    return _lexemes(_entries(), {})


def _lexemes(
    entries: Mapping[str, Any], known: Mapping[str, Mapping[str, Any]]
) -> Mapping[str, Lexeme]:
    """Lexemes of entries, whose bases are among the entries or the known lexemes."""
    for name, entry in entries.items():
        _named(name)
        if not isinstance(entry, Mapping):
            raise InvalidValueError(f"{name}: is {_shown(entry)}, allowed is a table [{name}]")
        if name in known and "base" not in entry:
            raise InvalidValueError(
                f'{name}: base is missing, allowed is base = "{name}" to change what is there'
            )
    return MappingProxyType({n: _lexeme(n, _based(n, entries, known, ())) for n in entries})


def _based(
    name: str,
    entries: Mapping[str, Mapping[str, Any]],
    known: Mapping[str, Mapping[str, Any]],
    above: tuple[str, ...],
) -> Mapping[str, Any]:
    """Entry with the values of its bases filled in."""
    if name in known and (name not in entries or name in above):
        return known[name]
    entry = dict(entries[name])
    base = entry.pop("base", None)
    if base is None:
        return entry
    if not isinstance(base, str) or (base not in entries and base not in known):
        near = suggestion(str(base), [*known, *entries])
        raise InvalidValueError(f"{name}: base is {_shown(base)}, allowed are {near}")
    if base in above or (base == name and name not in known) or len(above) > _MOST_BASES:
        raise InvalidValueError(
            f"{name}: base is {base!r}, allowed is one that is not based on it itself, at most "
            f"{_MOST_BASES} deep"
        )
    return _merged(_based(base, entries, known, (*above, name)), entry)


def _merged(entry: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Entry with changes; tables within it are merged key by key, other values are replaced."""
    out = dict(entry)
    for key, value in changes.items():
        old = out.get(key)
        both = isinstance(old, Mapping) and isinstance(value, Mapping)
        out[key] = _merged(dict(old or {}), value) if both else value
    return out


def _lexeme(name: str, entry: Mapping[str, Any]) -> Lexeme:
    plain = {key: value for key, value in entry.items() if key != "variants"}
    made, variants = _of_entry(name, plain, ("base", "variants")), {}
    for other, changes in _table(name, "variants", entry.get("variants", {})).items():
        _named(other, f"{name}: variant")
        merged = _merged(plain, _table(name, f"variants.{other}", changes))
        variants[other] = replace(_of_entry(f"{name} {other}", merged, ()), name=name)
    return replace(made, variants=variants)


def _of_entry(name: str, entry: Mapping[str, Any], also: tuple[str, ...]) -> Lexeme:
    """Lexeme of an entry without variants; the file's ``class`` is our `kind`."""
    own = (key for key in _hints(Lexeme) if key not in ("name", "kind", "variants"))
    _known_keys(name, "", entry, ("class", *own, *also))
    values = {("kind" if key == "class" else key): value for key, value in entry.items()}
    for key, shown in (("kind", "class"), ("meaning", "meaning")):
        if key not in values:
            raise InvalidValueError(f"{name}: {shown} is missing, allowed is a text")
    return Lexeme(name, **_values(Lexeme, name, "", values))


def _values(kind: type, name: str, path: str, table: Mapping[str, Any]) -> dict[str, Any]:
    """Values of a dataclass, converted to its field types."""
    hints = _hints(kind)
    return {key: _value(hints[key], name, path + key, value) for key, value in table.items()}


def _value(hint: Any, name: str, path: str, value: Any) -> Any:
    """TOML value converted to a type."""
    if get_origin(hint) is tuple:
        return _tuple(get_args(hint), name, path, value)
    if hint is HandPosition and isinstance(value, str):
        return _checked(name, path, HandPosition.of_text, value)
    if isinstance(hint, type) and is_dataclass(hint) and hint is not HandPosition:
        return _nested(hint, name, path, value)
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value) if abs(value) < _LARGEST else math.inf
    if type(value) is not hint or (hint is float and not math.isfinite(value)):
        raise InvalidValueError(f"{name}: {path} is {_shown(value)}, allowed is {_SAID[hint]}")
    return value


def _tuple(hints: tuple[Any, ...], name: str, path: str, value: Any) -> tuple[Any, ...]:
    any_length = hints[-1] is Ellipsis
    if not isinstance(value, list) or (not any_length and len(value) != len(hints)):
        size = "a list" if any_length else f"a list of {len(hints)}"
        raise InvalidValueError(f"{name}: {path} is {_shown(value)}, allowed is {size}")
    return tuple(_value(hints[0], name, f"{path}[{i}]", v) for i, v in enumerate(value))


def _nested(kind: type, name: str, path: str, value: Any) -> Any:
    table = _table(name, path, value)
    _known_keys(name, f"{path}.", table, _hints(kind))
    for part in fields(kind):
        if part.default is MISSING and part.name not in table:
            raise InvalidValueError(f"{name}: {path}.{part.name} is missing, allowed is a number")
    values = _values(kind, name, f"{path}.", table)
    return _checked(name, path, lambda made: kind(**made), values)


def _checked(name: str, path: str, make: Callable[[T], Any], value: T) -> Any:
    try:
        return make(value)
    except InvalidValueError as error:
        raise InvalidValueError(f"{name}: {path}: {error}") from None


def _table(name: str, path: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InvalidValueError(f"{name}: {path} is {_shown(value)}, allowed is a table")
    return value


def _known_keys(name: str, path: str, table: Mapping[str, Any], allowed: Iterable[str]) -> None:
    names = tuple(allowed)
    for key in table:
        if key not in names:
            raise InvalidValueError(
                f"{name}: {path}{_shown(key)[1:-1]} is unknown, allowed are {', '.join(names)}"
            )


def _named(name: str, what: str = "lexeme") -> None:
    if not _NAME.fullmatch(name):
        raise InvalidValueError(
            f"{what} {_shown(name)}: allowed are letters, digits, - and _, a letter first, at most "
            "60"
        )


def _shown(value: object) -> str:
    """Value in one short line."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


@cache
def _hints(kind: type) -> dict[str, Any]:
    """Types of a dataclass's fields."""
    return get_type_hints(kind)
