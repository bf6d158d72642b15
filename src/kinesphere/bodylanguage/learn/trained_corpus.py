"""A model with its training results and corpus report, for reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kinesphere.bodylanguage.learn.prosody_evidence import Evidence
from kinesphere.bodylanguage.learn.training import Trained
from kinesphere.corpus.pairs.report import PairingReport


@dataclass(frozen=True, eq=False)
class TrainedCorpus(Trained):
    """A model, its training results, and facts about the corpora.

    Parameters
    ----------
    report : pairs with their lengths, rates and problems.
    evidence : by stream, how much prosody predicts it.
    """

    report: PairingReport
    evidence: Mapping[str, Evidence]
