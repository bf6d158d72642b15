"""Performances in memory: a passage becomes motion and audio, and training data."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from tools.body_language.carriage import carried
from tools.body_language.contour import Contour
from tools.body_language.delivery import delivered
from tools.body_language.directing import directed
from tools.body_language.repertoire import Passage

from kinesphere.animation.performance import Performer, perform_script
from kinesphere.animation.settings import ActingSettings
from kinesphere.bodylanguage.learn.extract import Extract, extract
from kinesphere.maths.arrays import Floats, doubles
from kinesphere.motion.clip import Clip
from kinesphere.pipeline.stages.act import add_speech, cue_body
from kinesphere.pipeline.stages.cast import Cast
from kinesphere.pipeline.stages.direct import direct
from kinesphere.pipeline.stages.direction import Direction
from kinesphere.pipeline.stages.plan import Plan, plan
from kinesphere.pipeline.stages.utter import Utterance, utter
from kinesphere.speech.value import pad_speech

FPS = 60.0
LEAD_S, TAIL_S = (1.0, 8.0), (3.0, 8.0)
SETTINGS = ActingSettings(size=1.1)
TENSIONS = {"soft": 0.12, "usual": 0.25, "firm": 0.4}
"""On the scale of `dynamics.tension.presets`: tensions at which hands move like recorded ones."""


@dataclass(frozen=True, eq=False)
class Recording:
    """A take: motion of the default figure, and the audio that starts together with it.

    `phrases` are start and end of each stretch of speech.
    """

    name: str
    speaker: str
    clip: Clip
    samples: Floats
    rate_hz: int
    phrases: tuple[tuple[float, float], ...] = ()

    def extract(self) -> Extract:
        """Training data of the take."""
        return extract(self.name, self.clip, self.samples, self.rate_hz, speaker=self.speaker)


def performed(passage: Passage, seed: int) -> Recording:
    """Perform a passage, with silence before and after it in which the character listens."""
    rng = np.random.default_rng([seed, 2009])
    text, cast = passage.read(), Cast(passage.style, seed=seed, fps=FPS, acting=SETTINGS)
    said = delivered(text, passage.language, passage.voice, passage.rate, passage.pitch, rng)
    sound = pad_speech(said, float(rng.uniform(*LEAD_S)), float(rng.uniform(*TAIL_S)))
    spoken = utter(text, replace(cast, language=passage.language), speech=sound)
    meant = plan(spoken, cast)
    heard, cues = spoken.heard, cue_body(spoken, meant)
    assert heard is not None
    assert cues is not None
    contour = Contour.of(heard.prosody)
    script, cues = directed(meant.script, cues, contour, rng)
    done = perform_script(
        script, cues, Performer.of(cast.profile), fps=FPS, seed=seed, settings=SETTINGS
    )
    wanted = Direction(manner=passage.mood, tension=TENSIONS[passage.tension], physics="wrists")
    silent = add_speech(done, Plan(script), Utterance(), cast).take
    clip = direct(silent, wanted, cast.profile).clip
    clip = carried(clip, contour)
    return Recording(
        passage.name,
        passage.style,
        clip,
        _as_long(doubles(sound.samples), clip, sound.rate_hz),
        sound.rate_hz,
        cues.phrases,
    )


def _as_long(samples: Floats, clip: Clip, rate_hz: int) -> Floats:
    """Audio as long as the motion, with silence at the end."""
    missing = int(np.ceil(len(clip) / clip.fps * rate_hz)) - len(samples)
    return np.concatenate([samples, np.zeros(max(missing, 0))])
