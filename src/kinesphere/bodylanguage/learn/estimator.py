"""A body-language model as an estimator with the interface of scikit-learn, which is not needed.

estimator = BodyLanguageEstimator(clusters=(12, 20, 4), seed=1).fit(takes)
estimator.model_, estimator.n_segments_
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import kinesphere
from kinesphere.bodylanguage.learn.extract import Extract, extract
from kinesphere.bodylanguage.learn.extract_store import Spool
from kinesphere.bodylanguage.learn.training import Extracts, StreamFit, TrainingSettings, train
from kinesphere.bodylanguage.model import BodyLanguageModel
from kinesphere.bodylanguage.model_file import VERSION
from kinesphere.corpus.pairs.body_reading import on_default_figure
from kinesphere.corpus.pairs.recordings import RecordedPair
from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Ints
from kinesphere.motion.take import Take
from kinesphere.speech.resampling import SPEECH_RATE_HZ, resample_audio


def seconds_by_speaker(extracts: Extracts) -> dict[str, float]:
    """Speech duration of each speaker, in order of their names."""
    seconds: dict[str, float] = {}
    for i in range(len(extracts)):
        one = extracts[i]
        seconds[one.speaker] = seconds.get(one.speaker, 0.0) + one.duration_s
    return {name: round(seconds[name], 3) for name in sorted(seconds)}


@dataclass(eq=False)
class BodyLanguageEstimator:
    """Trains on motion with speech; fitted attributes have names that end in ``_``.

    Parameters
    ----------
    clusters : of head, arms and lower body; fewer where there are few segments.
    library_s : largest motion library of the model, seconds.
    strengths : additive smoothing of transitions and observations, in counts.
    seed : random seed; the same seed and data give the same model.
    name : of the model.
    licence : of the data, as text; kept in the model.
    settings : all further settings; `clusters`, `library_s` and `strengths` above override it.

    Attributes
    ----------
    model_ : the model.
    fits_ : by stream, thresholds, segments, labels and samples.
    labels_ : by stream, the cluster of every segment, recording after recording.
    n_segments_, n_clusters_ : by stream.
    speakers_ : names.
    """

    clusters: tuple[int, int, int] = (20, 45, 6)
    library_s: float = 3600.0
    strengths: tuple[float, float] = (3.0, 6.0)
    seed: int = 0
    name: str = "model"
    licence: str = ""
    settings: TrainingSettings | None = None
    model_: BodyLanguageModel = field(init=False, repr=False)
    fits_: Mapping[str, StreamFit] = field(init=False, repr=False)
    labels_: Mapping[str, tuple[Ints, ...]] = field(init=False, repr=False)
    n_segments_: Mapping[str, int] = field(init=False, repr=False)
    n_clusters_: Mapping[str, int] = field(init=False, repr=False)
    speakers_: tuple[str, ...] = field(init=False, repr=False)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name; none of them is nested."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.init}

    def set_params(self, **params: Any) -> BodyLanguageEstimator:
        """Change parameters; fitted attributes stay until the next `fit`.

        Raises
        ------
        InvalidValueError
            If there is no such parameter.
        """
        known = self.get_params()
        for name, value in params.items():
            if name not in known:
                raise InvalidValueError(f"no parameter {name!r}; allowed are {', '.join(known)}")
            setattr(self, name, value)
        return self

    def fit(
        self, pairs: Iterable[Take | RecordedPair], y: None = None, *, speakers: Sequence[str] = ()
    ) -> BodyLanguageEstimator:
        """Train on takes with audio, or recorded pairs; `y` is ignored, as in scikit-learn.

        Parameters
        ----------
        pairs : each is released before the next is requested, so that many hours fit in memory.
        speakers : of each pair; by default the pair's own speaker or the model's name.

        Raises
        ------
        InvalidValueError
            If a take has no audio, or there is too little motion, speech or movement in total.
        RigError
            If a take is not a humanoid.
        """
        chosen = self._settings()
        with Spool() as extracts:
            for i, pair in enumerate(pairs):
                who = speakers[i] if i < len(speakers) else ""
                extracts.add(self._extract(pair, i, who, chosen))
            found = train(
                extracts,
                chosen,
                name=self.name,
                seed=self.seed,
                provenance={
                    "recordings": len(extracts),
                    "seconds": seconds_by_speaker(extracts),
                    "licence": self.licence,
                    "versions": {"kinesphere": kinesphere.__version__, "model": VERSION},
                },
            )
        self.model_, self.fits_ = found.model, found.fits
        self.labels_ = {name: fit.labels for name, fit in found.fits.items()}
        self.n_segments_ = {n: sum(map(len, rows)) for n, rows in self.labels_.items()}
        self.n_clusters_ = {name: len(stream) for name, stream in found.model.streams.items()}
        self.speakers_ = found.model.speakers
        return self

    def _settings(self) -> TrainingSettings:
        base = self.settings or TrainingSettings()
        values = {f.name: getattr(base, f.name) for f in fields(base)}
        values |= {
            "clusters": tuple(self.clusters),
            "library_s": self.library_s,
            "strengths": tuple(self.strengths),
        }
        return TrainingSettings(**values)

    def _extract(
        self, pair: Take | RecordedPair, number: int, speaker: str, chosen: TrainingSettings
    ) -> Extract:
        if isinstance(pair, RecordedPair):
            name, clip, present, speech = pair.name, pair.clip, pair.present, pair.speech
            speaker = speaker or pair.speaker
        elif isinstance(pair, Take):
            if pair.audio is None or not len(pair.audio.samples):
                raise InvalidValueError(f"take {number + 1} has no audio to train on")
            body = on_default_figure(pair)
            name, clip, present, speech = f"take {number + 1}", body.clip, body.present, pair.audio
        else:
            raise InvalidValueError(
                f"{type(pair).__name__} is neither a take with audio nor a recorded pair"
            )
        samples = resample_audio(speech.samples, speech.rate_hz, SPEECH_RATE_HZ)
        return extract(
            name, clip, samples, SPEECH_RATE_HZ, present, speaker or self.name, chosen.segmentation
        )
