"""Kinesphere makes full-body co-speech animation from text, voice, annotation, keys or motion.

>>> import kinesphere as ks
>>> rig = ks.default_rig()
>>> rig.skeleton.names[:3]
('hips', 'spine', 'chest')
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from kinesphere.character.default import default_rig, default_skeleton
    from kinesphere.character.naming import identify
    from kinesphere.errors import KinesphereError
    from kinesphere.export.output import Look, save, write_page
    from kinesphere.expression.phrase import Phrase
    from kinesphere.expression.qualities import Effort, Shape
    from kinesphere.motion.clip import Clip
    from kinesphere.motion.humanoid import Rig
    from kinesphere.motion.keyed.keyed_motion import ArmKeys, KeyedMotion, TorsoKeys
    from kinesphere.motion.keyed.sampling import apply_keys
    from kinesphere.motion.skeleton import Skeleton
    from kinesphere.motion.take import Audio, Take
    from kinesphere.pipeline.convert import Edits, edit, load
    from kinesphere.pipeline.evaluate import evaluate
    from kinesphere.pipeline.express import express
    from kinesphere.pipeline.idle import enlivened, idle
    from kinesphere.pipeline.listen import listen
    from kinesphere.pipeline.perform import animate, perform
    from kinesphere.pipeline.retarget import load_character, retarget
    from kinesphere.pipeline.scripts import recreate, script
    from kinesphere.pipeline.simulate import simulate
    from kinesphere.pipeline.speakers import profile, speaker
    from kinesphere.pipeline.tense import tense
    from kinesphere.pipeline.train import train

# Names are imported when they are first used, so that importing the package costs almost nothing.
_PUBLIC = {
    "ArmKeys": "kinesphere.motion.keyed.keyed_motion",
    "Audio": "kinesphere.motion.take",
    "Clip": "kinesphere.motion.clip",
    "Edits": "kinesphere.pipeline.convert",
    "Effort": "kinesphere.expression.qualities",
    "KeyedMotion": "kinesphere.motion.keyed.keyed_motion",
    "Phrase": "kinesphere.expression.phrase",
    "Shape": "kinesphere.expression.qualities",
    "TorsoKeys": "kinesphere.motion.keyed.keyed_motion",
    "animate": "kinesphere.pipeline.perform",
    "apply_keys": "kinesphere.motion.keyed.sampling",
    "evaluate": "kinesphere.pipeline.evaluate",
    "express": "kinesphere.pipeline.express",
    "KinesphereError": "kinesphere.errors",
    "Rig": "kinesphere.motion.humanoid",
    "Skeleton": "kinesphere.motion.skeleton",
    "Take": "kinesphere.motion.take",
    "default_rig": "kinesphere.character.default",
    "default_skeleton": "kinesphere.character.default",
    "edit": "kinesphere.pipeline.convert",
    "Look": "kinesphere.export.output",
    "write_page": "kinesphere.export.output",
    "enlivened": "kinesphere.pipeline.idle",
    "identify": "kinesphere.character.naming",
    "idle": "kinesphere.pipeline.idle",
    "listen": "kinesphere.pipeline.listen",
    "load": "kinesphere.pipeline.convert",
    "load_character": "kinesphere.pipeline.retarget",
    "retarget": "kinesphere.pipeline.retarget",
    "perform": "kinesphere.pipeline.perform",
    "profile": "kinesphere.pipeline.speakers",
    "recreate": "kinesphere.pipeline.scripts",
    "save": "kinesphere.export.output",
    "script": "kinesphere.pipeline.scripts",
    "simulate": "kinesphere.pipeline.simulate",
    "speaker": "kinesphere.pipeline.speakers",
    "tense": "kinesphere.pipeline.tense",
    "train": "kinesphere.pipeline.train",
}

__all__ = [
    "ArmKeys",
    "Audio",
    "Clip",
    "Edits",
    "Effort",
    "KeyedMotion",
    "KinesphereError",
    "Look",
    "Phrase",
    "Rig",
    "Shape",
    "Skeleton",
    "Take",
    "TorsoKeys",
    "__version__",
    "animate",
    "apply_keys",
    "default_rig",
    "default_skeleton",
    "edit",
    "enlivened",
    "evaluate",
    "express",
    "identify",
    "idle",
    "listen",
    "load",
    "load_character",
    "perform",
    "profile",
    "recreate",
    "retarget",
    "save",
    "script",
    "simulate",
    "speaker",
    "tense",
    "train",
    "write_page",
]


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
