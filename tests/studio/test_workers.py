"""Worker processes: order, progress, a stop that stops, and a lane that survives everything."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]
import pytest

from kinesphere.studio.document.document import Document, Speaking
from kinesphere.studio.work.pool import Lane, TaskCallbacks
from kinesphere.studio.work.tasks import (
    LoadProject,
    Made,
    MakeTake,
    Material,
    Saved,
    SaveTake,
    Task,
)
from tests.studio.pages import TEXT

Say = tuple[Any, ...]


class Loop:
    """A lane, the event loop it lives in, and all that it says."""

    def __init__(self, folder: Path) -> None:
        self.loop = asyncio.new_event_loop()
        self.lane = Lane("tests", self.loop)
        self.folder = str(folder)
        self.said: list[Say] = []
        self.news = asyncio.Event()

    def submit(self, name: str, task: Task, key: str = "") -> int:
        def say(*what: Any) -> None:
            self.said.append((name, *what))
            self.news.set()

        callbacks = TaskCallbacks(
            lambda: say("started"),
            lambda ratio, text: say("told", ratio, text),
            lambda answer: say("part", answer),
            lambda answer: say("done", answer),
            lambda text: say("failed", text),
        )
        return self.lane.submit(task, callbacks, key)

    async def until(self, name: str, *kinds: str) -> Say:
        """Wait for something that is said of a task."""
        while True:
            for said in self.said:
                if said[0] == name and said[1] in kinds:
                    return said
            self.news.clear()
            await asyncio.wait_for(self.news.wait(), 40.0)

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        self.said.clear()
        self.loop.run_until_complete(work)

    def of(self, name: str) -> list[str]:
        return [said[1] for said in self.said if said[0] == name]

    @property
    def process(self) -> psutil.Process:
        assert self.lane._process is not None
        return psutil.Process(self.lane._process.process.pid)

    def text(self, said: str = TEXT, **more: Any) -> MakeTake:
        document = Document(source="text", speaking=Speaking(text=said, **more))
        return MakeTake(document, {}, self.folder)

    def video(self) -> SaveTake:
        """Something that takes long."""
        return SaveTake(self.text(TEXT * 3).document, {}, self.folder, ".mp4")


@pytest.fixture(scope="module")
def lane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loop]:
    made = Loop(tmp_path_factory.mktemp("work"))
    made.lane.start()
    yield made
    process = made.process
    made.lane.close()
    process.wait(10)
    reader = made.lane._process
    assert reader is None
    made.loop.close()


def gone(process: psutil.Process) -> bool:
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:  # it went between the two questions
        return True


async def waited(true: Callable[[], bool]) -> None:
    for _ in range(1000):
        if true():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not happen in time")


def test_tasks_are_done_in_order_with_progress(lane: Loop) -> None:
    async def go() -> None:
        lane.submit("take", lane.text())
        lane.submit("script", SaveTake(lane.text().document, {}, lane.folder, ".script"))
        assert lane.lane.busy == 2
        assert lane.of("script") == []
        _, _, made = await lane.until("take", "done", "failed")
        assert isinstance(made, Made)
        assert len(made.shown.data) > 1000
        _, _, saved = await lane.until("script", "done", "failed")
        assert isinstance(saved, Saved)
        assert "BEGIN_GESTURE" in Path(saved.path).read_text()

    lane.run(go())
    kinds = lane.of("take")
    assert (kinds[0], kinds[-1]) == ("started", "done")
    ratios = [said[2] for said in lane.said if said[:2] == ("take", "told")]
    assert len(ratios) >= 2
    assert ratios == sorted(ratios)
    assert lane.said.index(("script", "started")) > [s[:2] for s in lane.said].index(
        ("take", "done")
    )
    assert lane.lane.busy == 0


def test_a_task_that_fails_gives_the_message_and_the_lane_goes_on(lane: Loop) -> None:
    process = lane.process

    async def go() -> None:
        lane.submit("nothing", MakeTake(Document(), {}, lane.folder))
        lane.submit("missing", LoadProject(Material("/nowhere/x.kinp", "x.kinp"), lane.folder))
        lane.submit("defect", MakeTake(None, {}, lane.folder))
        lane.submit("good", lane.text())
        await lane.until("good", "done")

    lane.run(go())
    assert ("nothing", "failed", "there is nothing to show yet") in lane.said
    assert ("missing", "failed", "/nowhere/x.kinp: no such file") in lane.said
    assert ("defect", "failed", "internal error: AttributeError") in lane.said
    assert lane.process == process


def test_of_those_that_wait_under_a_key_only_the_newest_is_done(lane: Loop) -> None:
    async def go() -> None:
        lane.submit("running", lane.text(seed=100), "k")
        for k in range(5):
            lane.submit(f"old {k}", lane.text(seed=101 + k), "k")
        lane.submit("other", lane.text(), "l")
        lane.submit("none", lane.text())
        lane.submit("newest", lane.text(seed=200), "k")
        assert lane.lane.busy == 4
        await lane.until("newest", "done")

    lane.run(go())
    assert {said[0] for said in lane.said} == {"running", "other", "none", "newest"}
    done = [said[0] for said in lane.said if said[1] == "done"]
    assert done == ["running", "other", "none", "newest"]


def test_cancel_ends_the_process_of_what_runs_and_another_goes_on(lane: Loop) -> None:
    before = lane.process

    async def go() -> None:
        waiting = lane.submit("slow", lane.video())
        await lane.until("slow", "told")
        never = lane.submit("never", lane.text())
        lane.submit("after", lane.text())
        assert lane.lane.cancel(never)
        assert not lane.lane.cancel(never)
        assert lane.lane.cancel(waiting)
        assert not lane.lane.cancel(waiting)
        await waited(lambda: gone(before))
        await lane.until("after", "done")

    lane.run(go())
    assert lane.process != before
    assert lane.of("never") == []
    assert set(lane.of("slow")) <= {"started", "told"}


def test_a_process_that_dies_is_told_and_replaced(lane: Loop) -> None:
    async def go() -> None:
        before = lane.process
        lane.submit("killed", lane.video())
        lane.submit("after", lane.text())
        await lane.until("killed", "told")
        os.kill(before.pid, signal.SIGKILL)
        _, _, text = await lane.until("killed", "failed")
        assert text == "the worker process was killed, perhaps for lack of memory"
        await lane.until("after", "done")
        assert lane.process != before
        # And one that dies while it has nothing to do.
        os.kill(lane.process.pid, signal.SIGKILL)
        await waited(lambda: lane.lane._process is None)
        lane.submit("again", lane.text())
        await lane.until("again", "done")

    lane.run(go())


def test_one_that_hears_badly_does_not_stop_the_lane(lane: Loop) -> None:
    async def go() -> None:
        def fail(_: Any) -> None:
            raise RuntimeError("a defect")

        errors: list[Any] = []
        lane.loop.set_exception_handler(lambda _, context: errors.append(context))
        task = SaveTake(Document(), {}, lane.folder, ".kinp")
        lane.lane.submit(task, TaskCallbacks(lambda: None, lambda *_: None, fail, fail, fail))
        lane.submit("after", task)
        await lane.until("after", "done")
        assert len(errors) == 1

    lane.run(go())
    lane.loop.set_exception_handler(None)


def test_a_lane_that_is_closed_says_nothing_more(lane: Loop) -> None:
    other = Lane("closed", lane.loop)
    said: list[Any] = []

    async def go() -> None:
        hear = TaskCallbacks(*[lambda *a: said.append(a)] * 5)
        other.submit(lane.text(), hear)
        assert other._process is not None
        process = psutil.Process(other._process.process.pid)
        said.clear()
        other.close()
        other.submit(lane.text(), hear)
        await waited(lambda: gone(process))

    lane.run(go())
    assert said == []
    assert other._process is None
