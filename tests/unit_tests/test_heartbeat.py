"""A heart beats beside work of either colour: as long as it lasts, and no longer than it is wanted."""

from __future__ import annotations

import threading

import pytest

from langchain_agentmem._flow import Flow, work
from langchain_agentmem._heartbeat import Pace, beating
from langchain_agentmem.errors import StorageError
from tests.conftest import Colour
from tests.ledgers import Drive, drive_of

PATIENCE_S = 30.0
"""How long a test waits for what has to happen; it never waits for what must not."""


class Heart:
    """Counts its beats; each may say that it is not wanted any more, or fail."""

    def __init__(self, wanted: int = 3) -> None:
        self.beats = 0
        self.wanted = wanted
        self.error: Exception | None = None
        self.has_beaten = threading.Event()

    def beat(self) -> Flow[bool]:
        yield from work(lambda: None)
        self.beats += 1
        if self.beats >= self.wanted:
            self.has_beaten.set()
        if self.error is not None:
            raise self.error
        return True

    def model(self) -> Flow[str]:
        """Work that takes until it has beaten often enough."""
        has_beaten = yield from work(self.has_beaten.wait, PATIENCE_S)
        return "answered" if has_beaten else "never"


def hearts() -> int:
    """Return how many beat."""
    return sum(it.name == "agentmem-heartbeat" for it in threading.enumerate() if it.is_alive())


@pytest.fixture
def drive(colour: Colour) -> Drive:
    return drive_of(colour)


async def test_it_beats_while_one_step_takes_long(drive: Drive) -> None:
    """Between two steps of the work nothing has to happen for it, and what the work returns is returned."""
    heart = Heart()
    assert await drive(beating(heart.model(), heart.beat, Pace(every_s=0.001, most=10_000))) == "answered"


async def test_it_ends_with_the_work(drive: Drive) -> None:
    """Also where that fails, and before it has beaten once; then no thread is left."""
    heart = Heart()

    def failing() -> Flow[None]:
        yield from work(lambda: None)
        msg = "away"
        raise StorageError(msg)

    before = threading.active_count()
    with pytest.raises(StorageError, match="away"):
        await drive(beating(failing(), heart.beat, Pace(every_s=PATIENCE_S, most=10)))
    for thread in threading.enumerate():
        if thread.name == "agentmem-heartbeat":
            thread.join(PATIENCE_S)
    assert (heart.beats, hearts(), threading.active_count() <= before + 1) == (0, 0, True)


async def test_the_end_waits_for_a_beat_that_is_under_way(drive: Drive) -> None:
    """After the work nothing touches the database any more."""
    begun, may_end = threading.Event(), threading.Event()
    ended: list[bool] = []

    def beat() -> Flow[bool]:
        begun.set()
        yield from work(may_end.wait, PATIENCE_S)
        ended.append(True)
        return True

    def working() -> Flow[None]:
        yield from work(begun.wait, PATIENCE_S)
        threading.Timer(0.01, may_end.set).start()

    await drive(beating(working(), beat, Pace(every_s=0.001, most=10)))
    assert ended == [True]


async def test_a_failing_database_does_not_end_it(drive: Drive) -> None:
    """It may be back for the next beat."""
    heart = Heart()
    heart.error = StorageError("away", is_retryable=True)
    assert await drive(beating(heart.model(), heart.beat, Pace(every_s=0.001, most=10_000))) == "answered"


@pytest.mark.parametrize("how", ["unwanted", "held long enough"])
async def test_it_may_end_before_the_work(how: str, drive: Drive) -> None:
    """When what it holds was lost, or after so many beats: what hangs for ever is not held for ever."""
    heart = Heart(wanted=2)

    def beat() -> Flow[bool]:
        yield from heart.beat()
        return not (how == "unwanted" and heart.beats == heart.wanted)

    def working() -> Flow[None]:
        yield from heart.model()
        thread = next((it for it in threading.enumerate() if it.name == "agentmem-heartbeat"), None)
        yield from work(thread.join if thread else lambda _: None, PATIENCE_S)

    await drive(beating(working(), beat, Pace(every_s=0.001, most=10_000 if how == "unwanted" else 2)))
    assert heart.beats == heart.wanted
