"""Decoders of pocketsphinx, with its own English model, and audio for them."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from kinesphere.errors import KinesphereError
from kinesphere.maths.arrays import Floats
from kinesphere.speech.resampling import SPEECH_RATE_HZ

FRAME = SPEECH_RATE_HZ // 100
"""Samples of a frame, 10 ms."""
BEAMS: tuple[dict[str, float], ...] = ({}, {"beam": 1e-100, "pbeam": 1e-100, "wbeam": 1e-80})
"""The default beams, and wide ones, within which any text is found."""
decoder_lock = threading.Lock()  # a decoder is not thread-safe


@dataclass(frozen=True)
class DecoderSettings:
    """How audio is decoded.

    Parameters
    ----------
    silence : probability of a pause between words; at the default 0.005 a phone fills it.
    loop_beam : relative likelihood below which the free phone loop drops a path; for speed.
    dither : deviation of the noise added to 16-bit samples, because the logarithm of digital
        silence is undefined.
    """

    silence: float = 0.3
    loop_beam: float = 1e-20
    dither: float = 2.0


_SETTINGS = DecoderSettings()


class Aligners:
    """Aligners of each beam, created when first needed, and the words added to them."""

    def __init__(self) -> None:
        self.made: dict[int, Any] = {}
        self.names: dict[tuple[str, ...], str] = {}

    def aligner(self, beam: int) -> Any:
        """Decoder of a beam with all words added."""
        if beam not in self.made:
            self.made[beam] = _decoder(lm=None, **BEAMS[beam])
            for variants, name in self.names.items():
                self._teach(self.made[beam], name, variants)
        return self.made[beam]

    def name(self, variants: tuple[str, ...]) -> str:
        """Name in the aligners' dictionary of a word with these pronunciations."""
        if variants not in self.names:
            self.names[variants] = f"w={len(self.names)}"
            for decoder in self.made.values():
                self._teach(decoder, self.names[variants], variants)
        return self.names[variants]

    @staticmethod
    def _teach(decoder: Any, name: str, variants: tuple[str, ...]) -> None:
        for i, phones in enumerate(variants):
            decoder.add_word(name if i == 0 else f"{name}({i + 1})", phones, False)


@lru_cache(maxsize=1)
def aligners() -> Aligners:
    """The aligners of this process; ``aligners.cache_clear()`` forgets their words."""
    return Aligners()


@lru_cache(maxsize=1)
def phone_loop() -> Any:
    """Decoder of any sequence of phones."""
    decoder = _decoder(lm=None, beam=_SETTINGS.loop_beam, pbeam=_SETTINGS.loop_beam)
    decoder.add_allphone_file("loop", None)
    decoder.activate_search("loop")
    return decoder


@lru_cache(maxsize=1)
def recogniser() -> Any:
    """Decoder of words with the language model."""
    return _decoder()


def _decoder(**settings: Any) -> Any:
    if find_spec("pocketsphinx") is None:
        raise KinesphereError("aligning English needs pocketsphinx: pip install pocketsphinx")
    # The bestpath search would drop what a beam kept; the log would go to stderr.
    settings = {"loglevel": "FATAL", "bestpath": False, "silprob": _SETTINGS.silence, **settings}
    return import_module("pocketsphinx").Decoder(**settings)


def feed(decoder: Any, pcm: Any) -> bool:
    """Decode a stretch of audio; return whether a final state was reached.

    The noise estimate is reset first, or the result would depend on the audio decoded before.
    """
    if not len(pcm):
        return False
    decoder.reinit_feat()
    try:
        decoder.start_utt()
        decoder.process_raw(pcm.tobytes(), full_utt=True)
        decoder.end_utt()
    except RuntimeError:  # no path was left within the beams
        return False
    return True


def to_pcm(sound: Floats) -> Any:
    """16-bit samples with weak noise."""
    noise = np.random.default_rng(0).normal(scale=_SETTINGS.dither, size=len(sound))
    return np.clip(np.round(sound * 32767.0 + noise), -32768, 32767).astype("<i2")


def word_frames(decoder: Any) -> list[tuple[int, int]]:
    """First frame and end of the words that an aligner found."""
    if decoder.hyp() is None:
        return []
    return [(s.start_frame, s.end_frame + 1) for s in decoder.seg() if s.word.startswith("w=")]
