"""A model with everything that is known about how it came about, for reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kinesphere.bodylanguage.prosody_evidence import Evidence
from kinesphere.bodylanguage.train import Trained
from kinesphere.corpus.pair_report import PairingReport


@dataclass(frozen=True, eq=False)
class TrainedCorpus(Trained):
    """A model, how it came about, and what the corpora were like.

    Parameters
    ----------
    report : pairs with their lengths, rates and problems.
    evidence : by stream, how much prosody tells about it.
    """

    report: PairingReport
    evidence: Mapping[str, Evidence]
