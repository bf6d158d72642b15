"""Trace of a performance: ``python -m benchmarks.stage_trace [TEXT]``.

Prints each stage and each step inside it as it is called, with its duration. A value that is
parsed, tagged, spoken, analysed or generated twice shows as a second row; the exit status is
then 1.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any
from unittest.mock import patch

import kinesphere as ks

TEXT = "This is huge!"
STAGES = {
    "utter": ("perform", "listen"),
    "parse": "kinesphere.pipeline.stages.timed_text.parsed_markup",
    "speak": "kinesphere.pipeline.stages.utter.speak",
    "hear": "kinesphere.pipeline.stages.utter.hear",
    "tag": "kinesphere.language.tagging.matches",
    "plan": ("perform",),
    "generate": "kinesphere.pipeline.stages.plan.generate",
    "act": ("perform", "listen"),
    "cue": "kinesphere.pipeline.stages.act.speech_cues",
    "perform_script": "kinesphere.pipeline.stages.act.perform_script",
    "face": "kinesphere.pipeline.stages.act.with_face",
    "direct": ("perform", "listen"),
    "express": "kinesphere.pipeline.stages.direct.express_qualities",
    "tense": "kinesphere.pipeline.stages.direct.tense",
    "dress": ("perform", "listen"),
}
"""Stages, with the modules of `kinesphere.pipeline` that call them, and steps with their name."""


@dataclass
class Row:
    """One call: name, depth below the performance, whether it is a stage, and its duration."""

    name: str
    depth: int
    is_stage: bool
    seconds: float = 0.0


def _places(name: str) -> list[str]:
    where = STAGES[name]
    if isinstance(where, str):
        return [where]
    return [f"kinesphere.pipeline.{module}.{name}" for module in where]


@contextmanager
def _recording(rows: list[Row]) -> Iterator[None]:
    depth = 0

    def wrap(name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **kwargs: Any) -> Any:
            nonlocal depth
            row = Row(name, depth, not isinstance(STAGES[name], str))
            rows.append(row)
            depth += 1
            start = time.perf_counter()
            try:
                return work(*args, **kwargs)
            finally:
                depth -= 1
                row.seconds = time.perf_counter() - start

        return run

    with ExitStack() as stack:
        for name in STAGES:
            for place in _places(name):
                module, attribute = place.rsplit(".", 1)
                original = getattr(import_module(module), attribute)
                stack.enter_context(patch(place, wrap(name, original)))
        yield


def trace(work: Callable[[], object]) -> list[Row]:
    """Calls of stages and steps while `work` runs, in order."""
    rows: list[Row] = []
    with _recording(rows):
        work()
    return rows


def main() -> int:
    """Print the trace of one performance."""
    text = sys.argv[1] if len(sys.argv) > 1 else TEXT
    direction = ks.Direction(manner="proudly", tension="loose")
    ks.perform(text, direction=direction, seed=1)  # kernels and voice are loaded
    rows = trace(lambda: ks.perform(text, direction=direction, seed=1))
    print(f"ks.perform({text!r})")
    for row in rows:
        name = "    " * row.depth + (row.name if row.is_stage else f"({row.name})")
        print(f"  {name:<28} {1000.0 * row.seconds:8.1f} ms")
    names = [row.name for row in rows]
    twice = sorted({name for name in names if names.count(name) > 1})
    print(f"called twice: {', '.join(twice) or 'nothing'}")
    return int(bool(twice))


if __name__ == "__main__":
    sys.exit(main())
