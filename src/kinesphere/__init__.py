"""Kinesphere makes full-body co-speech animation from text, voice, annotation, keys or motion.

>>> import kinesphere as ks
>>> rig = ks.default_rig()
>>> rig.skeleton.names[:3]
('hips', 'spine', 'chest')
"""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from kinesphere.animation.arms.poses.home_pose import home_clip as home_clip
    from kinesphere.animation.settings import ActingSettings as ActingSettings
    from kinesphere.bodylanguage.learn.trained_corpus import TrainedCorpus as TrainedCorpus
    from kinesphere.bodylanguage.model import BodyLanguageModel as BodyLanguageModel
    from kinesphere.bodylanguage.model_file import read_model as read_model
    from kinesphere.bodylanguage.model_file import write_model as write_model
    from kinesphere.bodylanguage.play.live_options import LiveOptions as LiveOptions
    from kinesphere.character.default import default_rig as default_rig
    from kinesphere.character.default import default_skeleton as default_skeleton
    from kinesphere.character.naming import RigReport as RigReport
    from kinesphere.character.naming import identify as identify
    from kinesphere.corpus.annotation.annotation import Annotation as Annotation
    from kinesphere.corpus.annotation.automatic import AutomaticAnnotation as AutomaticAnnotation
    from kinesphere.corpus.annotation.reading import AnnotationReading as AnnotationReading
    from kinesphere.corpus.annotation.reading import read_annotation as read_annotation
    from kinesphere.corpus.annotation.reading import write_annotation as write_annotation
    from kinesphere.corpus.profiles.profile import Profile as Profile
    from kinesphere.corpus.profiles.profile_file import read_profile as read_profile
    from kinesphere.corpus.profiles.profile_file import write_profile as write_profile
    from kinesphere.dynamics.body.simulation import SimulationSettings as SimulationSettings
    from kinesphere.dynamics.tension.presets import Tension as Tension
    from kinesphere.errors import InvalidValueError as InvalidValueError
    from kinesphere.errors import KinesphereError as KinesphereError
    from kinesphere.errors import RigError as RigError
    from kinesphere.errors import UnreadableError as UnreadableError
    from kinesphere.errors import UnwritableError as UnwritableError
    from kinesphere.evaluation.results import Evaluation as Evaluation
    from kinesphere.export.output import Look as Look
    from kinesphere.export.output import save as save
    from kinesphere.export.output import write_page as write_page
    from kinesphere.expression.manner import Manner as Manner
    from kinesphere.expression.manner import manner as manner
    from kinesphere.expression.phrase import Phrase as Phrase
    from kinesphere.expression.phrase import Qualities as Qualities
    from kinesphere.expression.qualities import Effort as Effort
    from kinesphere.expression.qualities import Shape as Shape
    from kinesphere.expression.recordings.recorded import RecordedSettings as RecordedSettings
    from kinesphere.formats.problems import Problem as Problem
    from kinesphere.generation.generate import Reason as Reason
    from kinesphere.generation.settings import GenerationSettings as GenerationSettings
    from kinesphere.gesture.lexicon import Lexeme as Lexeme
    from kinesphere.gesture.lexicon import lexicon as lexicon
    from kinesphere.gesture.lexicon import read_lexemes as read_lexemes
    from kinesphere.gesture.script import GestureScript as GestureScript
    from kinesphere.gesture.script import ScriptGesture as ScriptGesture
    from kinesphere.gesture.script import ScriptUnit as ScriptUnit
    from kinesphere.gesture.script_text import read_script as read_script
    from kinesphere.gesture.script_text import write_script as write_script
    from kinesphere.motion.clip import Clip as Clip
    from kinesphere.motion.humanoid import Rig as Rig
    from kinesphere.motion.keyed.keyed_motion import ArmKeys as ArmKeys
    from kinesphere.motion.keyed.keyed_motion import KeyedMotion as KeyedMotion
    from kinesphere.motion.keyed.keyed_motion import TorsoKeys as TorsoKeys
    from kinesphere.motion.keyed.sampling import apply_keys as apply_keys
    from kinesphere.motion.skeleton import Skeleton as Skeleton
    from kinesphere.motion.take import Audio as Audio
    from kinesphere.motion.take import Take as Take
    from kinesphere.pipeline.annotate import annotate as annotate
    from kinesphere.pipeline.compare import compare as compare
    from kinesphere.pipeline.compare import render as render
    from kinesphere.pipeline.convert import Edits as Edits
    from kinesphere.pipeline.convert import convert as convert
    from kinesphere.pipeline.convert import edit as edit
    from kinesphere.pipeline.convert import load as load
    from kinesphere.pipeline.doctor import doctor as doctor
    from kinesphere.pipeline.evaluate import evaluate as evaluate
    from kinesphere.pipeline.evaluate import write_evaluation_page as write_evaluation_page
    from kinesphere.pipeline.express import express as express
    from kinesphere.pipeline.hear import hear as hear
    from kinesphere.pipeline.idle import add_idle as add_idle
    from kinesphere.pipeline.idle import idle as idle
    from kinesphere.pipeline.listen import listen as listen
    from kinesphere.pipeline.live import Acting as Acting
    from kinesphere.pipeline.live import Hearing as Hearing
    from kinesphere.pipeline.live import Showing as Showing
    from kinesphere.pipeline.live import live as live
    from kinesphere.pipeline.models import describe_model as describe_model
    from kinesphere.pipeline.models import model as model
    from kinesphere.pipeline.models import models as models
    from kinesphere.pipeline.papers.write_pages import papers as papers
    from kinesphere.pipeline.perform import animate as animate
    from kinesphere.pipeline.perform import perform as perform
    from kinesphere.pipeline.perform import recreate as recreate
    from kinesphere.pipeline.retarget import Character as Character
    from kinesphere.pipeline.retarget import load_character as load_character
    from kinesphere.pipeline.retarget import retarget as retarget
    from kinesphere.pipeline.simulate import simulate as simulate
    from kinesphere.pipeline.speakers import FittedProfile as FittedProfile
    from kinesphere.pipeline.speakers import profile as profile
    from kinesphere.pipeline.speakers import shipped_annotation as shipped_annotation
    from kinesphere.pipeline.speakers import speaker as speaker
    from kinesphere.pipeline.speakers import styles as styles
    from kinesphere.pipeline.stages.act import Acted as Acted
    from kinesphere.pipeline.stages.act import VoiceSettings as VoiceSettings
    from kinesphere.pipeline.stages.act import act as act
    from kinesphere.pipeline.stages.cast import Cast as Cast
    from kinesphere.pipeline.stages.direct import direct as direct
    from kinesphere.pipeline.stages.direction import Direction as Direction
    from kinesphere.pipeline.stages.dress import dress as dress
    from kinesphere.pipeline.stages.plan import Plan as Plan
    from kinesphere.pipeline.stages.plan import Trigger as Trigger
    from kinesphere.pipeline.stages.plan import explain as explain
    from kinesphere.pipeline.stages.plan import plan as plan
    from kinesphere.pipeline.stages.plan import plan_annotation as plan_annotation
    from kinesphere.pipeline.stages.plan import plan_script as plan_script
    from kinesphere.pipeline.stages.staging import Staging as Staging
    from kinesphere.pipeline.stages.staging import read_staging as read_staging
    from kinesphere.pipeline.stages.timed_text import TimedText as TimedText
    from kinesphere.pipeline.stages.utter import Utterance as Utterance
    from kinesphere.pipeline.stages.utter import speak as speak
    from kinesphere.pipeline.stages.utter import utter as utter
    from kinesphere.pipeline.tense import tense as tense
    from kinesphere.pipeline.train import train as train
    from kinesphere.realtime.run import LiveReport as LiveReport
    from kinesphere.speech.heard import Heard as Heard
    from kinesphere.speech.prosody.prominence import Prominence as Prominence
    from kinesphere.speech.prosody.prosody import Prosody as Prosody
    from kinesphere.speech.value import Speech as Speech
    from kinesphere.studio.server.start import open_studio as open_studio
    from kinesphere.timeline import Interval as Interval
    from kinesphere.timeline import Tier as Tier

# Names are imported when they are first used, so that importing the package costs almost nothing.
_MODULES = {
    "animation.arms.poses.home_pose": "home_clip",
    "animation.settings": "ActingSettings",
    "bodylanguage.learn.trained_corpus": "TrainedCorpus",
    "bodylanguage.model": "BodyLanguageModel",
    "bodylanguage.model_file": "read_model write_model",
    "bodylanguage.play.live_options": "LiveOptions",
    "character.default": "default_rig default_skeleton",
    "character.naming": "RigReport identify",
    "corpus.annotation.annotation": "Annotation",
    "corpus.annotation.automatic": "AutomaticAnnotation",
    "corpus.annotation.reading": "AnnotationReading read_annotation write_annotation",
    "corpus.profiles.profile": "Profile",
    "corpus.profiles.profile_file": "read_profile write_profile",
    "dynamics.body.simulation": "SimulationSettings",
    "dynamics.tension.presets": "Tension",
    "errors": "InvalidValueError KinesphereError RigError UnreadableError UnwritableError",
    "evaluation.results": "Evaluation",
    "export.output": "Look save write_page",
    "expression.manner": "Manner manner",
    "expression.phrase": "Phrase Qualities",
    "expression.qualities": "Effort Shape",
    "expression.recordings.recorded": "RecordedSettings",
    "formats.problems": "Problem",
    "generation.generate": "Reason",
    "generation.settings": "GenerationSettings",
    "gesture.lexicon": "Lexeme lexicon read_lexemes",
    "gesture.script": "GestureScript ScriptGesture ScriptUnit",
    "gesture.script_text": "read_script write_script",
    "motion.clip": "Clip",
    "motion.humanoid": "Rig",
    "motion.keyed.keyed_motion": "ArmKeys KeyedMotion TorsoKeys",
    "motion.keyed.sampling": "apply_keys",
    "motion.skeleton": "Skeleton",
    "motion.take": "Audio Take",
    "pipeline.stages.act": "Acted VoiceSettings act",
    "pipeline.annotate": "annotate",
    "pipeline.stages.cast": "Cast",
    "pipeline.compare": "compare render",
    "pipeline.convert": "Edits convert edit load",
    "pipeline.stages.direct": "direct",
    "pipeline.stages.direction": "Direction",
    "pipeline.doctor": "doctor",
    "pipeline.stages.dress": "dress",
    "pipeline.evaluate": "evaluate write_evaluation_page",
    "pipeline.express": "express",
    "pipeline.hear": "hear",
    "pipeline.idle": "add_idle idle",
    "pipeline.listen": "listen",
    "pipeline.live": "Acting Hearing Showing live",
    "pipeline.models": "describe_model model models",
    "pipeline.papers.write_pages": "papers",
    "pipeline.perform": "animate perform recreate",
    "pipeline.stages.plan": "Plan Trigger explain plan plan_annotation plan_script",
    "pipeline.retarget": "Character load_character retarget",
    "pipeline.simulate": "simulate",
    "pipeline.speakers": "FittedProfile profile shipped_annotation speaker styles",
    "pipeline.stages.staging": "Staging read_staging",
    "pipeline.tense": "tense",
    "pipeline.stages.timed_text": "TimedText",
    "pipeline.train": "train",
    "pipeline.stages.utter": "Utterance speak utter",
    "realtime.run": "LiveReport",
    "speech.heard": "Heard",
    "speech.prosody.prominence": "Prominence",
    "speech.prosody.prosody": "Prosody",
    "speech.value": "Speech",
    "studio.server.start": "open_studio",
    "timeline": "Interval Tier",
}
_PUBLIC = {name: module for module, names in _MODULES.items() for name in names.split()}
# Former names and what replaces them, for two minor versions (docs/api-stability.md).
_DEPRECATED = {"enlivened": "add_idle", "script": "plan"}

__all__ = [*sorted(_PUBLIC), "__version__"]


def __getattr__(name: str) -> Any:
    if name in _DEPRECATED:
        new = _DEPRECATED[name]
        warnings.warn(
            f"kinesphere.{name} is now kinesphere.{new}", DeprecationWarning, stacklevel=2
        )
        name = new
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"kinesphere.{_PUBLIC[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
