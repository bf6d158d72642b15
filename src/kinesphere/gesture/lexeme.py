"""A lexeme: meaning and form of a gesture, as a frozen value that checks its ranges.

All is described for the acting hand, out being its own side, on a person of 1.75 m.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from types import MappingProxyType

from kinesphere.errors import InvalidValueError
from kinesphere.gesture.positions import HandPosition
from kinesphere.language.tags import check_tag

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
    "phone",
    "pinch",
    "grip",
    "paired",
)
CLASSES = ("emblem", "metaphoric", "deictic", "beat", "iconic")
WARPS = ("ease", "soft", "accel", "hit", "whip", "snap", "even")
AFTER_KINDS = ("none", "psh", "wave", "loop")
LOOKS = ("", "hand", "spot", "aside", "up", "away", "target")
HEAD_CONTACTS = ("temple", "ear", "mouth", "chin", "cheek", "brow")
"""Contacts of a hand with the head."""
HAND_CONTACTS = ("palms", "interlaced", "finger", "wrist")
"""Contacts of the hands with each other."""
CONTACTS = ("", "chest", *HEAD_CONTACTS, *HAND_CONTACTS)
PLANES = ("sagittal", "frontal", "horizontal")
ORIENTATIONS = ("local", "chest", "world")
_MIDDLE = HandPosition("abdomen", "normal", "front", "normal")
_DIRECTION = re.compile(r"[UDIOFB][UDIOFBudiofb]?")
_OPPOSITES = ({"U", "D"}, {"I", "O"}, {"F", "B"})


def brief(value: object) -> str:
    """Text of a value in one short line."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _one(name: str, value: str, allowed: Iterable[str]) -> None:
    names = tuple(allowed)
    if value not in names:
        listed = ", ".join(n or '""' for n in names)
        raise InvalidValueError(f"{name} is {brief(value)}, allowed are {listed}")


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
class LexemePosture:
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
    circle_cm : radius of a circle with one hand and with two, 0 for none.
    circle_sign : 1 back and up, then out and down; -1 the other way.
    circle_plane : ``sagittal``; ``frontal`` has inward for back, ``horizontal`` then forward for
        up: the hand goes in, forward, out and back.
    antiphase : two hands alternate, half a cycle apart.
    parallel : two hands keep their distance and move to one side together.
    swing : amplitude of an oscillation about the pose during the stroke itself.
    one_sided : the oscillation is to one side of the pose only, twice as far; for a lexeme without
        hands, only the acting side's clavicle moves.
    contact, contact_at, contact_with : what is touched, at the stroke's ``start`` or ``end``, with
        the ``palm``, a finger's ``tip`` or, at the head, the ``thumb``'s; counting begins at the
        other hand's `contact_finger`.
    fingers_win : the fingers' direction has priority if palm and fingers conflict.
    orientation : reference of palm and fingers when the body moves: the forearm (``local``, the
        angles of wrist and forearm count), the ``chest`` or the ``world``.
    amplitude : how much emphasis may scale the stroke, from 0 to 1.
    wrist_lag_s : delay of the hand behind the forearm.
    finger_lag_s : delay of each finger of an oscillation behind its neighbour on the thumb's side;
        0 for all together.
    tags : semantic tags that trigger it, with its share of their gestured occurrences, from 0 to 1;
        for every speaker, in addition to those of the speaker's profile.
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
    circle_plane: str = "sagittal"
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
    finger_lag_s: float = 0.0
    stroke_s: float = 0.3
    hold: tuple[float, float] = (0.5, 0.5)
    strokes: float = 1.2
    warp: str = "ease"
    effort: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    after: AfterStroke = AfterStroke()
    posture: LexemePosture = LexemePosture()
    body_keys: tuple[BodyKey, ...] = ()
    tags: Mapping[str, float] = field(default_factory=dict, hash=False)
    variants: Mapping[str, Lexeme] = field(default_factory=dict, hash=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("tags", "variants"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
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
                        f"{name} is {brief(code)}, allowed are one or two of U, D, I, O, F, B, no "
                        "opposites, the second may be a small letter"
                    )
        _one("class", self.kind, CLASSES)
        _among(self, WARPS, "warp")
        _among(self, ("straight", "curved"), "trajectory")
        _among(self, CONTACTS, "contact")
        _among(self, ("start", "end"), "contact_at")
        _among(self, ("palm", "tip", "thumb"), "contact_with")
        _among(self, ("thumb", "index"), "contact_finger")
        _among(self, ORIENTATIONS, "orientation")
        _among(self, PLANES, "circle_plane")
        _within(self, -1.0, 1.0, "effort")
        _within(self, 0.0, 1.0, "hands", "amplitude", "wrist_lag_s", "finger_lag_s")
        _within(self, 0.01, 10.0, "stroke_s")
        _within(self, 0.0, 30.0, "hold", "circle_cm")
        _within(self, 0.0, 5.0, "hand_distance")
        _within(self, -150.0, 150.0, "wrist_flexion", "wrist_deviation", "forearm_roll")
        _within(self, 1.0, 30.0, "strokes")
        _within(self, -150.0, 150.0, "travel_cm", "arc_cm")
        for tag, share in self.tags.items():
            check_tag(tag)
            if not 0.0 <= share <= 1.0:
                raise InvalidValueError(f"tags.{tag} is {share:g}, allowed are 0 to 1")
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
