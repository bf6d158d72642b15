"""Jobs of one session: running work, progress messages for the page, cancelling."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

from kinesphere.errors import InvalidValueError, KinesphereError
from kinesphere.studio.server.messages import JobProgress, JobState
from kinesphere.studio.work.pool import Lane, TaskCallbacks
from kinesphere.studio.work.tasks import Answer, Task

MOST_JOBS = 16


@dataclass
class _Begun:
    """A job's lane, number and name; of jobs with the same `key` only the newest counts."""

    lane: Lane
    number: int
    label: str
    key: str
    told: JobProgress


class Jobs:
    """The running jobs of a session.

    Parameters
    ----------
    say : sends a message to the page.
    plain : removes internal file names from an error's text.
    """

    def __init__(self, say: Callable[[JobProgress], None], plain: Callable[[str], str]) -> None:
        self._say, self._plain = say, plain
        self._begun: dict[int, _Begun] = {}
        self._numbers = itertools.count(1)

    def __len__(self) -> int:
        return len(self._begun)

    def begin(
        self,
        lane: Lane,
        task: Task,
        label: str,
        done: Callable[[Answer], None],
        key: str = "",
        failed: Callable[[], None] | None = None,
    ) -> None:
        """Start a job; `done` gets every result, unless the job was cancelled before.

        `failed` is called on an error. Of jobs with the same `key` only the newest counts.
        """
        if key:
            self._overtake(key)
        elif len(self._begun) >= MOST_JOBS:
            raise InvalidValueError(f"{MOST_JOBS} jobs are running already; wait until one ends")
        number = next(self._numbers)
        told = JobProgress(number, label, "waiting", 0.0)
        job = self._begun[number] = _Begun(lane, 0, label, key, told)

        def say(state: JobState, ratio: float, text: str = "") -> None:
            if number in self._begun:
                job.told = JobProgress(number, label, state, round(ratio, 3), text)
                self._say(job.told)

        def over(state: JobState, text: str = "") -> None:
            say(state, 1.0, self._plain(text))
            if self._begun.pop(number, None) is not None and state == "failed" and failed:
                failed()

        def part(answer: Answer) -> None:
            if number in self._begun:
                done(answer)

        def finish(answer: Answer) -> None:
            try:
                part(answer)
                over("done")
            except KinesphereError as error:
                over("failed", str(error))

        callbacks = TaskCallbacks(
            lambda: say("running", 0.0),
            lambda ratio, text: say("running", ratio, text),
            part,
            finish,
            lambda text: over("failed", text),
        )
        say("waiting", 0.0)
        job.number = lane.submit(task, callbacks, key)

    def cancel(self, number: int) -> None:
        """Cancel a job, if it still runs."""
        job = self._begun.pop(number, None)
        if job is not None:
            job.lane.cancel(job.number)
            self._say(JobProgress(number, job.label, "cancelled", 0.0))

    def tell(self) -> None:
        """Send the state of all jobs again, to a page that reconnects."""
        for job in self._begun.values():
            self._say(job.told)

    def _overtake(self, key: str) -> None:
        """Drop jobs that a newer one replaces; for the page they have ended."""
        for number in [n for n, job in self._begun.items() if job.key == key]:
            self._say(JobProgress(number, self._begun.pop(number).label, "done", 1.0))

    def close(self) -> None:
        """Cancel all jobs, waiting ones first, so that none of them is started now."""
        for job in reversed(list(self._begun.values())):
            job.lane.cancel(job.number)
        self._begun.clear()
