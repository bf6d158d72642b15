"""From a voice to a take with a body-language model, the default one or a trained one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from os import PathLike
from typing import Unpack

from kinesphere.bodylanguage.model import BodyLanguageModel
from kinesphere.motion.take import Take
from kinesphere.pipeline.hear import Sound
from kinesphere.pipeline.layer import layer_onto
from kinesphere.pipeline.stages.act import VoiceSettings, act
from kinesphere.pipeline.stages.cast import Cast
from kinesphere.pipeline.stages.direct import direct
from kinesphere.pipeline.stages.direction import Direction
from kinesphere.pipeline.stages.dress import dress
from kinesphere.pipeline.stages.staging import ListenKeywords, Staging
from kinesphere.pipeline.stages.table_values import check_unused
from kinesphere.pipeline.stages.utter import Utterance, utter
from kinesphere.speech.heard import Heard

_LAYERED = ("arms", "head")
# Keywords besides the fields of Direction and Cast.
_OWN = (
    *("direction", "cast", "transcript", "lead_in_s", "tail_s", "onto", "parts", "progress"),
    *VoiceSettings.__dataclass_fields__,
)


def listen(
    speech: Sound | Heard | Utterance,
    model: BodyLanguageModel | str | PathLike[str] | None = None,
    *,
    direction: Direction | None = None,
    cast: Cast | None = None,
    transcript: str | PathLike[str] | None = None,
    lead_in_s: float = 0.0,
    tail_s: float | None = None,
    onto: Take | str | PathLike[str] | None = None,
    parts: Sequence[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
    **keywords: Unpack[ListenKeywords],
) -> Take:
    """Animate a character from a recorded voice.

    The stages are `utter`, `act`, `direct` and `dress`; each is usable alone.

    Parameters
    ----------
    speech : a recording: a file, ``(samples, rate_hz)``, `Audio`, `Speech`, a speech analysis, or
        the result of `utter`, which includes transcript, lead-in and tail.
    model : body-language model: a name, a file, or the model itself.
    direction, cast : see `perform`; amount is the amplitude of the motion, up to 1.5.
    transcript : text of the speech, if known: gestures of the lexicon are inserted for some of its
        words. A text, or the path of a file: of text, or of words with times. A speech that has
        words needs none.
    lead_in_s, tail_s : silence before the recording, and after it; by default as long as the hands
        need to return to the home pose.
    onto : base motion of the body, such as a walk: the result is layered on it only in `parts`, and
        only while they are active. It is retargeted to the default figure; if it is shorter than
        the speech it is repeated where it is a loop, else its last pose is held.
    parts : arms, head, torso or face; by default arms and head.
    progress : called with how many samples of how many are processed.
    **keywords : fields of `Direction`, `Cast` and `VoiceSettings`; they take precedence.

    Raises
    ------
    InvalidValueError
        If a value is not allowed, or contradicts another: a synthetic voice, parts without `onto`,
        transcript or silence with an utterance.
    UnreadableError
        If a file is not audio or not a model.

    Examples
    --------
    >>> import kinesphere as ks
    >>> import numpy as np
    >>> hum = 0.1 * np.sin(2 * np.pi * 150.0 * np.arange(16_000) / 16_000)
    >>> ks.listen((hum, 16_000), seed=1).provenance["model"]
    'house'
    """
    given = dict(keywords) if model is None else {**keywords, "model": model}
    own = {n: given.pop(n) for n in VoiceSettings.__dataclass_fields__ if n in given}
    staged = Staging.of(direction, cast, given, "listen", _OWN)
    how, who = staged.direction, staged.cast.resolve()
    spoken = {name: given.get(name) for name in ("voice", "rate")}
    check_unused(spoken, "with a recording, allowed is a voice or a recording")
    if onto is None:
        check_unused({"parts": parts}, "without onto, the motion that they are layered on")
    said = speech
    if isinstance(said, Utterance):
        added = {"transcript": transcript, "lead_in_s": lead_in_s or None, "tail_s": tail_s}
        check_unused(added, "with an utterance; give it to utter")
    else:
        said = utter(
            None, who, speech=said, transcript=transcript, lead_in_s=lead_in_s, tail_s=tail_s
        )
    done = act(said, None, who, how, voice=VoiceSettings(**own), progress=progress)  # type: ignore[arg-type]
    take = replace(done.take, provenance={"made_by": "listen", **done.take.provenance})
    take = direct(take, how)
    if onto is not None:
        take = layer_onto(take, onto, _LAYERED if parts is None else parts)
    return dress(take, who)
