"""Available choices: styles, voices, gestures, factors, formats."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec

from kinesphere.dynamics.tension.presets import PRESETS
from kinesphere.export.output import PICTURES
from kinesphere.figure.standing.stance import STANCES
from kinesphere.formats import registry
from kinesphere.gesture.lexicon import cached_by_lexicon, lexicon
from kinesphere.gesture.positions import DIMENSIONS
from kinesphere.gesture.script_text import SCRIPT_ENDINGS
from kinesphere.pipeline.models import model_names
from kinesphere.pipeline.speakers import SPEAKERS
from kinesphere.studio.document.project_file import ENDING as PROJECT
from kinesphere.studio.server.messages import LexemeChoice, MenuChoice

MANNERS = (
    "proudly",
    "hesitantly",
    "slightly tired",
    "very tired",
    "angrily",
    "happily",
    "sadly",
    "carefully",
    "confidently",
    "shyly",
    "nervously",
    "calmly",
    "energetically",
    "gently",
    "slightly proudly, calmly",
)
# Labels that say more than a format's name; these formats are offered first.
_LABELS = {
    ".glb": "GLB: Unity, Godot, Blender, the web",
    ".bvh": "BVH: Blender, MotionBuilder, Unreal",
    ".html": "HTML page for any browser",
    ".mp4": "Video",
    ".png": "Contact sheet",
}
_MARKUP = (
    ("*word*", "focus of the sentence"),
    ("<these words|PointingAbstract LH>", "this gesture on these words; the hand is optional"),
    ("<these words|none>", "no gesture on these words"),
    ("{these words|LARGE}", "the words have this semantic tag"),
    ("{these words|-}", "the words have no semantic tag"),
    ("||", "start of a new clause"),
)
_FACTORS = (
    ("space", "Indirect|Direct", "effort"),
    ("weight", "Light|Strong", "effort"),
    ("time", "Sustained|Sudden", "effort"),
    ("flow", "Free|Bound", "effort"),
    ("horizontal", "Spreading|Enclosing", "shape"),
    ("vertical", "Rising|Sinking", "shape"),
    ("sagittal", "Advancing|Retreating", "shape"),
    ("reach", "Near|Far", "shape"),
)
_PARTS = (
    ("arms", "Both arms"),
    ("left-arm", "Left arm"),
    ("right-arm", "Right arm"),
    ("torso", "Torso"),
)
_STYLES = {
    "host": "Host: open, lively",
    "critic": "Critic: measured, precise",
    "neutral": "Neutral",
}
_VOICES = (
    ("espeak", "Usual"),
    ("espeak+m3", "Man, lower"),
    ("espeak+m7", "Man, higher"),
    ("espeak+f2", "Woman, lower"),
    ("espeak+f4", "Woman, higher"),
)


def styles() -> tuple[MenuChoice, ...]:
    """Built-in speakers."""
    return tuple(MenuChoice(name, _STYLES.get(name, name), "built in") for name in SPEAKERS)


def models() -> tuple[MenuChoice, ...]:
    """Built-in body-language models."""
    return tuple(MenuChoice(name, name.capitalize(), "built in") for name in model_names())


@cache
def voices() -> tuple[MenuChoice, ...]:
    """Synthetic voices; none if none is installed."""
    if find_spec("espeakng_loader") is None:
        return ()
    return tuple(MenuChoice(name, label) for name, label in _VOICES)


def formats() -> tuple[MenuChoice, ...]:
    """Export formats: all that can be written; video only where an encoder is installed."""
    motion = {e: f.name for f in registry.formats() if f.writer for e in f.endings}
    ordered = sorted(motion, key=lambda ending: ending not in _LABELS)
    has_encoder = find_spec("imageio_ffmpeg") is not None
    return (
        *(MenuChoice(ending, _LABELS.get(ending, motion[ending]), "motion") for ending in ordered),
        MenuChoice(SCRIPT_ENDINGS[0], "Gesture script", "motion"),
        *(
            MenuChoice(ending, _LABELS.get(ending, ending), "pictures")
            for ending in PICTURES
            if ending != ".mp4" or has_encoder
        ),
        MenuChoice(PROJECT, "Project: everything, to reopen", "project"),
    )


@cached_by_lexicon()
def lexemes() -> tuple[LexemeChoice, ...]:
    """Gestures of the lexicon."""
    out = []
    for name, entry in lexicon().items():
        shares = zip(("RH", "LH", "2H"), entry.hands, strict=True)
        hands = tuple(h for h, share in shares if share > 0.0 or entry.without_hands)
        out.append(LexemeChoice(name, entry.kind, entry.meaning, hands))
    return tuple(out)


def markup() -> tuple[MenuChoice, ...]:
    """Markup that a text may contain."""
    return tuple(MenuChoice(mark, meaning) for mark, meaning in _MARKUP)


def parts() -> tuple[MenuChoice, ...]:
    """Parts of the body."""
    return tuple(MenuChoice(name, label) for name, label in _PARTS)


def factors() -> tuple[MenuChoice, ...]:
    """Effort and Shape factors, with the names of both poles."""
    return tuple(MenuChoice(name, ends, group) for name, ends, group in _FACTORS)


def stances() -> tuple[MenuChoice, ...]:
    """How restless a stance may be; empty is the speaker's own."""
    return (MenuChoice("", "As the speaker"), *(MenuChoice(n, n.capitalize()) for n in STANCES))


def tensions() -> dict[str, tuple[float, float]]:
    """Tension presets: rest error and damping ratio zeta of a stroke."""
    return {
        name: (float(t.stroke.rest_error_m), float(t.stroke.zeta)) for name, t in PRESETS.items()
    }


def places() -> dict[str, tuple[str, ...]]:
    """Dimensions of a hand position."""
    return {name: tuple(values) for name, values in DIMENSIONS.items()}
