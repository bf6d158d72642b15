"""Training data of one recording; offline, one recording at a time, locally or on a cluster.

The same recording gives the same `Extract` on any machine. The motion is already rounded as in the
model file: it is most of the data that is sent and stored.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinesphere.bodylanguage.choose.acting_times import moments_s
from kinesphere.bodylanguage.key_positions import key_positions
from kinesphere.bodylanguage.learn.segmentation import SegmentationSettings, energy, joint_weights
from kinesphere.bodylanguage.learn.training_motion import to_training_motion
from kinesphere.bodylanguage.model_file import quantise
from kinesphere.bodylanguage.streams import FPS, PARTS, STREAMS, stream_of_joint
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.motion.clip import Clip
from kinesphere.speech.prosody.observation import classify, statistics_of
from kinesphere.speech.prosody.prosody import prosody
from kinesphere.speech.prosody.syllables import Syllable


@dataclass(frozen=True, eq=False)
class Extract:
    """Data of one recording, ready for counting.

    Parameters
    ----------
    name, speaker : of the recording.
    present : which of `PARTS` it has.
    steps : ``[frames, moved joints, 3]`` rotations, `places` ``[frames, 3]`` of the pelvis: see
        `model_file.quantise`.
    energies : ``[3, frames]`` z of the streams.
    keys : three of ``[frames, d]``, see `segment_features.key_positions`.
    times_s, numbers : of the observations: when they act, and which of the 36 they are.
    syllables : how many of them are syllables.
    """

    name: str
    speaker: str
    present: frozenset[str]
    steps: NDArray[np.int16]
    places: NDArray[np.int16]
    energies: NDArray[np.float32]
    keys: tuple[NDArray[np.float32], ...]
    times_s: Floats
    numbers: Ints
    syllables: int

    @property
    def duration_s(self) -> float:
        """Length in seconds."""
        return len(self.steps) / FPS


def extract(
    name: str,
    clip: Clip,
    samples: Floats,
    rate_hz: float,
    present: frozenset[str] = frozenset(PARTS),
    speaker: str = "",
    segmentation: tuple[SegmentationSettings, ...] | None = None,
) -> Extract:
    """Analyse one recording.

    Parameters
    ----------
    clip : motion of the default figure.
    samples, rate_hz : the voice, mono, starting together with the clip.
    """
    cuts = segmentation or tuple(SegmentationSettings.for_stream(s) for s in range(len(STREAMS)))
    motion = to_training_motion(clip, present)
    energies = np.stack(
        [energy(motion.turns, FPS, joint_weights(s), cuts[s]) for s in range(len(STREAMS))]
    )
    keys = tuple(
        key_positions(s, motion.turns, motion.pelvis).astype(np.float32)
        for s in range(len(STREAMS))
    )
    events = prosody(samples[: int(len(motion) / FPS * rate_hz) + 1], rate_hz).events
    known = statistics_of(events)
    moved = np.flatnonzero(stream_of_joint() >= 0)
    steps, places = quantise(motion.turns[:, moved], motion.pelvis)
    return Extract(
        name,
        speaker,
        present,
        steps,
        places,
        energies.astype(np.float32),
        keys,
        moments_s(events),
        np.array([classify(known, e).number for e in events], dtype=np.int64),
        sum(isinstance(e, Syllable) for e in events),
    )
