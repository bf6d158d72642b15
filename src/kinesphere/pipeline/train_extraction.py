"""Extraction of recordings one by one: in this process, or in one process per core.

Results are the same in either case, in the order of the jobs.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from typing import NamedTuple, Protocol

from kinesphere.bodylanguage.learn.extract import Extract, extract
from kinesphere.bodylanguage.learn.segmentation import SegmentationSettings
from kinesphere.corpus.pairs.facts import PairFacts
from kinesphere.corpus.pairs.pairs import Pair
from kinesphere.corpus.pairs.recordings import PairSettings, read_pair
from kinesphere.errors import InvalidValueError, KinesphereError
from kinesphere.maths.arrays import doubles

AHEAD = 3
"""Jobs per worker that are started in advance: bounds memory."""
# For fewer bytes of motion and audio, a second process takes longer to start than it saves.
_SMALL = 24 << 20
_MOST_WORKERS = 61  # Windows waits for no more


class Job(NamedTuple):
    """A pair to be read, and the settings."""

    pair: Pair
    speaker: str
    reading: PairSettings
    segmentation: tuple[SegmentationSettings, ...]


class Outcome(NamedTuple):
    """Facts about a pair, and its extract; None if it cannot be read."""

    facts: PairFacts
    extract: Extract | None


class Waiting(Protocol):
    """A future result."""

    def result(self) -> Outcome:
        """Wait for it."""
        ...


def outcome(job: Job) -> Outcome:
    """Read one pair; an error is a result, too."""
    try:
        read = read_pair(job.pair, job.reading)
        found = extract(
            read.name,
            read.clip,
            doubles(read.speech.samples),
            read.speech.rate_hz,
            read.present,
            job.speaker,
            job.segmentation,
        )
    except KinesphereError as error:
        return Outcome(PairFacts(job.pair.name, problem=str(error)), None)
    return Outcome(read.facts.with_syllables(found.syllables), found)


def outcomes(jobs: Sequence[Job], workers: int | None = None) -> Generator[Outcome]:
    """Results in order.

    Parameters
    ----------
    workers : processes; None for one per core, and none for a small corpus.

    Raises
    ------
    InvalidValueError
        If `workers` is less than 1.
    KinesphereError
        If a process ends without a result.
    """
    if workers is not None and workers < 1:
        raise InvalidValueError(f"workers is {workers}, allowed is 1 or more")
    count = min(workers or _cores(), len(jobs), _MOST_WORKERS)
    if count <= 1 or (workers is None and _bytes_of(jobs) < _SMALL):
        yield from map(outcome, jobs)
        return
    with ProcessPoolExecutor(count, get_context("spawn")) as pool:

        def submit(job: Job) -> Waiting:
            with own_main_left_out():  # any of them may start a process
                return pool.submit(outcome, job)

        try:
            yield from in_order(submit, jobs, AHEAD * count)
        except BrokenProcessPool:
            raise KinesphereError(
                "a process that reads recordings has ended without a result: if memory is short, "
                "use fewer workers"
            ) from None
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def in_order(
    submit: Callable[[Job], Waiting], jobs: Iterable[Job], ahead: int
) -> Iterator[Outcome]:
    """Results in the order of jobs, with at most `ahead` of them in progress."""
    waiting: deque[Waiting] = deque()
    for job in jobs:
        if len(waiting) >= ahead:
            yield waiting.popleft().result()
        waiting.append(submit(job))
    while waiting:
        yield waiting.popleft().result()


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _bytes_of(jobs: Iterable[Job]) -> int:
    """Size of all files; one that is not on this machine counts as large."""
    total = 0
    for job in jobs:
        for path in (job.pair.motion, job.pair.audio):
            if path is not None:
                try:
                    total += os.stat(path).st_size
                except OSError:
                    total += _SMALL
    return total


@contextmanager
def own_main_left_out() -> Iterator[None]:
    """Start processes that do not run the caller's script again.

    A spawned process imports the main module of its parent, which would run a script without a
    guard again. Nothing of it is needed here.
    """
    main = sys.modules["__main__"]
    kept = {name: getattr(main, name) for name in ("__file__", "__spec__") if hasattr(main, name)}
    try:
        main.__spec__ = None
        if "__file__" in kept:
            del main.__file__
        yield
    finally:
        for name, value in kept.items():
            setattr(main, name, value)
