"""A clip with its audio, annotations, documents and provenance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from types import MappingProxyType
from typing import Any

import numpy as np

from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Sound, frozen_sound
from kinesphere.motion.clip import Clip
from kinesphere.timeline import Tier


@dataclass(frozen=True, eq=False)
class Audio:
    """Mono samples in [-1, 1] at a rate; starts together with the clip.

    Examples
    --------
    >>> import numpy as np
    >>> import kinesphere as ks
    >>> silence = ks.Audio(np.zeros(8000), 16000)
    >>> len(silence.samples) / silence.rate_hz  # seconds
    0.5
    """

    samples: Sound
    rate_hz: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "samples", frozen_sound(self.samples, "audio"))
        if self.rate_hz <= 0:
            raise InvalidValueError(f"audio rate is {self.rate_hz} Hz, allowed is > 0")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Audio):
            return NotImplemented
        return self.rate_hz == other.rate_hz and np.array_equal(self.samples, other.samples)

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True)
class Take:
    """A performance: motion, audio, annotation tiers, documents and provenance.

    Parameters
    ----------
    clip : the motion.
    audio : the audio that belongs to it.
    tiers : rows of intervals: phases, words, annotations of the file.
    documents : plain JSON values for higher layers, such as a gesture script.
    provenance : plain JSON values: source, unit, seed, settings, versions, and `notes`, a list of
        sentences on decisions of the reader.
    origin : the parsed file a take was read from, where the format keeps one; a writer of the same
        format follows its layout. Never stored.

    Examples
    --------
    >>> import kinesphere as ks
    >>> take = ks.idle(1.0)
    >>> take.provenance["made_by"], take.clip.duration_s, take.audio
    ('idle', 1.0, None)
    >>> take.save("idle.bvh")
    """

    clip: Clip
    audio: Audio | None = None
    tiers: tuple[Tier, ...] = ()
    documents: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    origin: object | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "tiers", tuple(self.tiers))
        object.__setattr__(self, "documents", MappingProxyType(dict(self.documents)))
        object.__setattr__(self, "provenance", MappingProxyType(dict(self.provenance)))
        names = [tier.name for tier in self.tiers]
        if len(set(names)) != len(names):
            raise InvalidValueError(f"two tiers have one name: {', '.join(sorted(names))}")

    @property
    def notes(self) -> tuple[str, ...]:
        """Decisions and repairs of the file's reader."""
        return tuple(self.provenance.get("notes", ()))

    def save(self, path: str | PathLike[str]) -> None:
        """Write to a file in the format of its suffix, completely or not at all.

        For a format without audio it is written next to the file, as .wav.
        """
        import kinesphere

        kinesphere.save(self, path)

    def tier(self, name: str) -> Tier | None:
        """The tier of that name, or None."""
        return next((tier for tier in self.tiers if tier.name == name), None)
