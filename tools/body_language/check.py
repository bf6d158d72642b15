"""Whether the corpus moves like recorded speakers, without artefacts, and follows the voice.

Single takes are measured where they are made; here the measures are combined.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from tools.body_language.takes import Recording

from kinesphere.bodylanguage.learn.extract import Extract
from kinesphere.bodylanguage.learn.prosody_evidence import prosody_evidence
from kinesphere.bodylanguage.learn.training import Trained
from kinesphere.bodylanguage.streams import ARMS, FPS, STREAMS
from kinesphere.character.default import default_rig
from kinesphere.evaluation.metric_registry import faults, measures
from kinesphere.evaluation.movement import wrist_motion
from kinesphere.evaluation.movement_table import Acceptance, active_windows, measure_window, verdict
from kinesphere.speech.prosody.observation import SILENCE

_SHIFTS = 100


class Checked(NamedTuple):
    """Measures of a take's windows, and its artefacts; `name` is the take's."""

    name: str
    windows: list[dict[str, float]]
    faults: dict[str, float]


def checked(recording: Recording) -> Checked:
    """Measure a take."""
    rig = default_rig()
    motion = wrist_motion(recording.clip, rig)
    rows = [
        dict(measure_window(motion, a, b, recording.phrases or None))
        for a, b in (active_windows(motion) if recording.phrases else ())
    ]
    return Checked(recording.name, rows, dict(faults(recording.clip, rig)))


def acceptance(found: Sequence[Checked]) -> Acceptance:
    """All windows of the corpus compared with calm recorded speakers."""
    rows = [row for one in found for row in one.windows]
    verdicts = {}
    for name, measure in measures().items():
        values = np.array([row[n] for row in rows for n in measure.names if n in row])
        verdicts[name] = verdict(measure, values[np.isfinite(values)], "calm")
    return Acceptance("calm", len(rows), verdicts)


def fault_table(found: Sequence[Checked]) -> str:
    """Every artefact: mean over takes, the worst value, and its take."""
    lines = [f"{'artefact':<24} {'mean':>8} {'worst':>8}  take"]
    for name in found[0].faults:
        values = np.array([one.faults[name] for one in found])
        worst = int(np.nanargmax(values))
        lines.append(
            f"{name:<24} {np.nanmean(values):>8.4f} {values[worst]:>8.4f}  {found[worst].name}"
        )
    return "\n".join(lines)


def evidence_table(extracts: Sequence[Extract], trained: Trained) -> str:
    """Mutual information of prosody and each stream, in bits per observation."""
    lines = [f"{'':<8} {'about':<10} {'bits':>6} {'chance':>7} {'p':>6}"]
    for stream, found in prosody_evidence(extracts, trained.fits, shifts=_SHIFTS).items():
        for what, told in zip(found._fields, found, strict=True):
            lines.append(
                f"{stream:<8} {what:<10} {told.bits:>6.3f} {told.chance_bits:>7.3f} {told.p:>6.3f}"
            )
    return "\n".join(lines)


def silence_table(extracts: Sequence[Extract], trained: Trained) -> str:
    """Arms in long silence: clusters, probability, speed, height of the wrists."""
    model = trained.model.streams[STREAMS[ARMS]]
    n = len(model)
    heard = model.observations.sum(axis=0)[:, SILENCE]
    share = (heard[:n] + heard[n:]) / heard.sum()
    speeds, heights = _by_cluster(extracts, trained)
    lines = [f"{'cluster':<8} {'of silence':>10} {'m/s':>6} {'wrists up':>9}"]
    for i in np.argsort(-share)[:8]:
        lines.append(f"{i:<8} {share[i]:>10.2f} {speeds[i]:>6.2f} {heights[i]:>9.2f}")
    return "\n".join(lines)


def _by_cluster(extracts: Sequence[Extract], trained: Trained) -> tuple[np.ndarray, np.ndarray]:
    """Mean speed of the faster hand, and mean height of the hands, of each cluster of the arms."""
    fit = trained.fits[STREAMS[ARMS]]
    rows: dict[int, list[tuple[float, float]]] = {}
    for one, bounds, labels in zip(extracts, fit.bounds, fit.labels, strict=True):
        assert bounds is not None
        wrists = one.keys[ARMS].reshape(-1, 2, 3).astype(np.float64)
        speed = np.linalg.norm(np.gradient(wrists, axis=0), axis=2).max(axis=1) * FPS
        for a, b, label in zip(bounds[:-1], bounds[1:], labels, strict=True):
            rows.setdefault(int(label), []).append((speed[a:b].mean(), wrists[a:b, :, 1].mean()))
    table = np.array([np.mean(rows[i], axis=0) for i in range(len(rows))])
    return table[:, 0], table[:, 1]


def minutes_by_style(extracts: Sequence[Extract]) -> Mapping[str, float]:
    """Minutes of each style."""
    out: dict[str, float] = {}
    for one in extracts:
        out[one.speaker] = out.get(one.speaker, 0.0) + one.duration_s / 60.0
    return out
