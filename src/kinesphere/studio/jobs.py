"""Work of one session: what goes on, what the page is told of it, and what is given up."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

from kinesphere.errors import InvalidValueError, KinesphereError
from kinesphere.studio.messages import Job, JobState
from kinesphere.studio.tasks import Answer, Task
from kinesphere.studio.workers import Hearing, Lane

MOST_JOBS = 16


@dataclass
class _Begun:
    """Its number in its lane, and its name; of a row in which only the newest counts, the `key`."""

    lane: Lane
    number: int
    label: str
    key: str
    told: Job


class Jobs:
    """What a session has under way.

    Parameters
    ----------
    say : tells the page.
    plain : makes an error's text fit for it.
    """

    def __init__(self, say: Callable[[Job], None], plain: Callable[[str], str]) -> None:
        self._say, self._plain = say, plain
        self._begun: dict[int, _Begun] = {}
        self._numbers = itertools.count(1)

    def __len__(self) -> int:
        return len(self._begun)

    def begin(
        self, lane: Lane, task: Task, label: str, done: Callable[[Answer], None], key: str = "",
        failed: Callable[[], None] | None = None,
    ) -> None:  # fmt: skip
        """Have something done; `done` gets every answer, unless the job was given up before.

        `failed` is called when nothing comes of it. Of jobs with the same `key` only the newest
        counts.
        """
        if key:
            self._overtake(key)
        elif len(self._begun) >= MOST_JOBS:
            raise InvalidValueError(f"{MOST_JOBS} things are being done already; wait a little")
        number = next(self._numbers)
        told = Job(number, label, "waiting", 0.0)
        job = self._begun[number] = _Begun(lane, 0, label, key, told)

        def say(state: JobState, ratio: float, text: str = "") -> None:
            if number in self._begun:
                job.told = Job(number, label, state, round(ratio, 3), text)
                self._say(job.told)

        def over(state: JobState, text: str = "") -> None:
            say(state, 1.0, self._plain(text))
            if self._begun.pop(number, None) is not None and state == "failed" and failed:
                failed()

        def part(answer: Answer) -> None:
            if number in self._begun:
                done(answer)

        def finished(answer: Answer) -> None:
            try:
                part(answer)
                over("done")
            except KinesphereError as error:
                over("failed", str(error))

        hearing = Hearing(
            lambda: say("running", 0.0),
            lambda ratio, text: say("running", ratio, text),
            part,
            finished,
            lambda text: over("failed", text),
        )
        say("waiting", 0.0)
        job.number = lane.submit(task, hearing, key)

    def cancel(self, number: int) -> None:
        """Give a job up, if it is still going on."""
        job = self._begun.pop(number, None)
        if job is not None:
            job.lane.cancel(job.number)
            self._say(Job(number, job.label, "cancelled", 0.0))

    def tell(self) -> None:
        """Say again how everything stands, to a page that comes back."""
        for job in self._begun.values():
            self._say(job.told)

    def _overtake(self, key: str) -> None:
        """Forget jobs that a newer one makes superfluous; for the page they are over."""
        for number in [n for n, job in self._begun.items() if job.key == key]:
            self._say(Job(number, self._begun.pop(number).label, "done", 1.0))

    def close(self) -> None:
        """Give everything up, what waits first, so that none of it is begun now."""
        for job in reversed(list(self._begun.values())):
            job.lane.cancel(job.number)
        self._begun.clear()
