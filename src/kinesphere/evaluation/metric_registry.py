"""All metrics that `evaluate` measures.

To add one: write a module in `kinesphere.evaluation.metrics` with ``METRICS``, a tuple of `Measure`
and `Fault`. It is then measured, and shown in text, JSON and page. Nothing else names it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType

import numpy as np

from kinesphere.character.figure import Figure
from kinesphere.evaluation import metrics as package
from kinesphere.evaluation.metric import Fault, Measure, TakeMotion
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig


@cache
def _discover(folders: tuple[str, ...]) -> tuple[Measure | Fault, ...]:
    names = sorted(module.name for module in iter_modules(folders))
    modules = [import_module(f"{package.__name__}.{name}") for name in names]
    return tuple(metric for module in modules for metric in module.METRICS)


def _metrics() -> tuple[Measure | Fault, ...]:
    return _discover(tuple(package.__path__))


def measures() -> Mapping[str, Measure]:
    """Metrics of windows by name, in the order of the table of movement."""
    return MappingProxyType({m.name: m for m in _metrics() if isinstance(m, Measure)})


def fault_metrics() -> Mapping[str, Fault]:
    """Metrics of whole takes by name, in the order of the table."""
    return MappingProxyType({m.name: m for m in _metrics() if isinstance(m, Fault)})


def faults(
    clip: Clip,
    rig: Rig,
    speaking: tuple[tuple[float, float], ...] | None = None,
    figure: Figure | None = None,
) -> Mapping[str, float]:
    """All metrics of a whole take by name; those of penetration by the mesh of `figure`, if any."""
    take = TakeMotion(clip, rig, speaking, figure)
    return {name: metric.of(take) for name, metric in fault_metrics().items()}


def combine_faults(found: list[Mapping[str, float]]) -> dict[str, float]:
    """Of several takes: the maximum of each, or the mean, as the metric says; NaN are ignored."""
    out = {}
    for name, metric in fault_metrics().items() if found else ():
        values = np.array([row[name] for row in found])
        values = values[np.isfinite(values)]
        chosen = np.max if metric.worst else np.mean
        out[name] = float(chosen(values)) if len(values) else np.nan
    return out
