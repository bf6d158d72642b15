"""From corpora of motion and speech to a body-language model, with a report on the corpus."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

import kinesphere
from kinesphere.bodylanguage.learn.estimator import seconds_by_speaker
from kinesphere.bodylanguage.learn.extract_store import Spool
from kinesphere.bodylanguage.learn.prosody_evidence import prosody_evidence
from kinesphere.bodylanguage.learn.trained_corpus import TrainedCorpus
from kinesphere.bodylanguage.learn.training import TrainingSettings
from kinesphere.bodylanguage.learn.training import train as train_model
from kinesphere.bodylanguage.model_file import VERSION
from kinesphere.corpus.pairs.facts import PairFacts
from kinesphere.corpus.pairs.pairs import Pairing, find_pairs
from kinesphere.corpus.pairs.recordings import PairSettings
from kinesphere.corpus.pairs.refusals import no_pairs, why_unusable
from kinesphere.corpus.pairs.report import PairingReport
from kinesphere.errors import UnreadableError, UnwritableError
from kinesphere.formats.container import plain
from kinesphere.pipeline.train_extraction import Job, Outcome, outcomes

Progress = Callable[[str, float], None]
# Proportion of the work that is reading; the rest is clusters, counts and curves.
_READING = 0.85


def train(
    corpora: Sequence[str | PathLike[str]] | str | PathLike[str],
    *,
    name: str = "model",
    settings: TrainingSettings | None = None,
    seed: int = 0,
    skip_broken: bool = False,
    reading: PairSettings | None = None,
    licence: str = "",
    cluster: str | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> TrainedCorpus:
    """Train a model on folders of motion and speech.

    The same files give the same model, in whatever order and on whatever machines they are read.

    Parameters
    ----------
    corpora : folders, files, or URLs that fsspec supports.
    skip_broken : skip pairs that cannot be read, and report them; otherwise they are an error.
    reading : settings for reading pairs, such as the start of the motion in the audio.
    licence : of the corpora, as text; kept in the model.
    cluster : address of a dask scheduler that distributes the reading, or ``local`` for one on this
        machine. Its workers must find the corpora under the same paths.
    workers : reading processes; None for one per core.
    progress : called with the current step and the proportion done.

    Raises
    ------
    UnreadableError
        If there are no pairs, or one is broken.
    InvalidValueError
        If there is too little motion, speech or movement in total.

    Examples
    --------
    >>> import kinesphere as ks
    >>> ks.idle(1.0).save("idle.bvh")
    >>> ks.train(".")  # a folder of motion with sound; here without sound
    Traceback (most recent call last):
    kinesphere.errors.UnreadableError: ...
    """
    chosen = settings or TrainingSettings()
    said = progress or (lambda what, ratio: None)
    said("looking for pairs", 0.0)
    pairing = find_pairs(corpora)
    if not pairing.pairs:
        raise UnreadableError(None, no_pairs(pairing))
    how = reading or PairSettings()
    jobs = [
        Job(pair, speaker, how, chosen.segmentation)
        for pair, speaker in zip(pairing.pairs, _speakers(pairing, name), strict=True)
    ]
    facts: list[PairFacts] = []
    with Spool() as extracts:
        with closing(_spread(jobs, cluster, workers)) as done:
            for number, found in enumerate(done, start=1):
                facts.append(found.facts)
                if found.extract is not None:
                    extracts.add(found.extract)
                elif not skip_broken:
                    raise UnreadableError(None, found.facts.problem)
                said(f"{number} of {len(jobs)} recordings", _READING * number / len(jobs))
        report = pairing.report(facts)
        if not len(extracts):
            raise UnreadableError(None, why_unusable(report))
        trained = train_model(
            extracts,
            chosen,
            name=name,
            seed=seed,
            provenance=_provenance(report, extracts, how, licence),
            progress=lambda what, ratio: said(what, _READING + (1.0 - _READING) * ratio),
        )
        evidence = prosody_evidence(extracts, trained.fits, seed=seed)
    said("done", 1.0)
    return TrainedCorpus(trained.model, trained.fits, report, evidence)


def check_model_output(path: str | PathLike[str], ending: str = ".kin") -> None:
    """Reject a file that cannot be written, before any work is done."""
    target = Path(path)
    if target.suffix.lower() != ending:
        found = target.suffix or "a file without suffix"
        raise UnwritableError(f"{path}: cannot write {found!r} here, expected {ending}")
    if target.is_dir():
        raise UnwritableError(f"{path}: is a folder")
    if not target.resolve().parent.is_dir():
        raise UnwritableError(f"{path}: its folder does not exist")


def _spread(jobs: Sequence[Job], cluster: str | None, workers: int | None) -> Generator[Outcome]:
    if cluster is None:
        return outcomes(jobs, workers)
    from kinesphere.pipeline.train_cluster import cluster_outcomes

    return cluster_outcomes(jobs, cluster, workers)


def _speakers(pairing: Pairing, name: str) -> list[str]:
    """Speaker of each pair: from its files, else from its folder among several, else the model."""
    several = len({pair.place for pair in pairing.pairs}) > 1
    return [pair.speaker or (pair.place if several else "") or name for pair in pairing.pairs]


def _provenance(
    report: PairingReport, extracts: Spool, how: PairSettings, licence: str
) -> dict[str, Any]:
    """Provenance of a model in plain values: no date and no paths of this machine."""
    used = {facts.name for facts in report.readable}
    reading = {f: getattr(how, f) for f in ("fps", "rate_hz", "offset", "unit", "up", "any_length")}
    return {
        "corpora": _names(report.pairing.locations),
        "layouts": sorted({pair.layout for pair in report.pairing.pairs if pair.name in used}),
        "recordings": len(extracts),
        "left_out": len(report.facts) - len(extracts),
        "seconds": seconds_by_speaker(extracts),
        "licence": licence,
        "reading": plain(reading),
        "versions": {
            "kinesphere": kinesphere.__version__,
            "model": VERSION,
            "numpy": np.__version__,
        },
    }


def _names(locations: Iterable[str]) -> list[str]:
    """Last parts of paths and URLs."""
    return [place.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1] for place in locations]
