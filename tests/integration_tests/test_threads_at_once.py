from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest

from langchain_agentmem._flow import Flow, run
from langchain_agentmem.checkpoints.base import Change, Query, Removal, ThreadState
from langchain_agentmem.checkpoints.sql import SQLThreads
from langchain_agentmem.checkpoints.sql.at_once import MAX_ROWS
from langchain_agentmem.errors import ConflictError
from langchain_agentmem.sql.engine import Database
from tests.conftest import Colour
from tests.contracts.database_contract import blocking
from tests.ledgers import Drive, drive_of
from tests.threads import ALICES, NOW, SECOND, Apply, Put, Removing, Taken, load, put, remove, write

LATEST = Query(ns="", is_latest=True)
DAY = 86_400 * SECOND  # longer than a test run, whose clock goes on
FIRST_ITEM = Removing(Removal(items=[range(1, 2)]))


@pytest.fixture
def drive(colour: Colour) -> Drive:
    return drive_of(colour)


@pytest.fixture
def two(prepared_postgres_url: str) -> Iterator[tuple[SQLThreads, SQLThreads]]:
    """The same threads, as two processes have them."""
    databases = [Database(prepared_postgres_url) for _ in range(2)]
    mine, others = map(SQLThreads, databases)
    yield mine, others
    for database in databases:
        database.close()


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements sent from here on."""
    sent: list[str] = []
    for cls in (psycopg.Cursor, psycopg.AsyncCursor):
        _spy(monkeypatch, cls, sent)
    return sent


def _spy(monkeypatch: pytest.MonkeyPatch, cls: Any, sent: list[str]) -> None:  # noqa: ANN401  (a cursor of a colour)
    execute = cls.execute

    def spy(self: Any, query: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  (the driver's signature)
        sent.append(str(query))
        return execute(self, query, *args, **kwargs)

    monkeypatch.setattr(cls, "execute", spy)


async def test_a_thread_in_use_is_changed_in_one_round_trip_and_read_in_two(
    two: tuple[SQLThreads, SQLThreads], drive: Drive, sent: list[str]
) -> None:
    """After its first change, whoever has changed or read a thread last needs no more."""
    mine, others = two
    await drive(put(mine, Put("1", [b"x"], writes=[write("1")])))
    reader = await drive(load(others, LATEST, [range(1, 2)]))
    for threads in (others, others):
        draft = Put(f"after {len(sent)}", [b"%d" % len(sent)], low=9, writes=[write("1", len(sent))])
        sent.clear()
        await drive(put(threads, draft))
        assert len(sent) == 1
    sent.clear()
    assert (await drive(load(others, LATEST, [range(1, 4)]))).page.state != reader.page.state
    assert len(sent) == 2


async def test_what_others_left_is_built_on(two: tuple[SQLThreads, SQLThreads], drive: Drive) -> None:
    """A change that came in between is noticed, whatever it was, and the draft is given what it left."""
    mine, others = two
    meanwhile: list[Flow[Any]] = [
        put(others, Put("2", [b"y"])),
        put(others, Apply(Change(writes=[write("1")]))),
        put(others, Apply(Change(owner=ALICES))),
        remove(others, Removing(Removal(heads={"": "1"}))),
        remove(others, Removing(Removal(heads={"": None}))),
        remove(others, Removing(Removal(items=[range(1, 2)]))),
        others.delete("t"),
    ]
    await drive(put(mine, Put("1", [b"x"])))
    for change in meanwhile:
        await drive(change)
        expected = (await drive(load(others, LATEST))).page.state
        draft = Apply(Change())
        await drive(put(mine, draft))
        assert draft.state._replace(is_new=False) == (expected if expected.generation else _begun(draft.state))


def _begun(state: ThreadState) -> ThreadState:
    return ThreadState(generation=state.generation)


async def test_an_error_is_about_what_the_thread_really_is(two: tuple[SQLThreads, SQLThreads], drive: Drive) -> None:
    """A draft that refuses what the thread was is asked again; what it refuses then is refused."""
    mine, others = two

    def unless_moved(state: ThreadState) -> Change:
        if state.heads == {"": "1"}:
            raise ConflictError(state.heads[""])
        return Change()

    await drive(put(mine, Put("1")))
    with pytest.raises(ConflictError):
        await drive(put(mine, Apply(unless_moved)))
    await drive(load(mine, LATEST))
    await drive(put(others, Put("2")))
    assert (await drive(put(mine, Apply(unless_moved)))).heads == {"": "2"}


async def test_what_does_not_fit_one_statement_is_stored_all_the_same(
    two: tuple[SQLThreads, SQLThreads], drive: Drive
) -> None:
    """Many rows, several checkpoints, new namespaces, replaced writes, an owner: to the caller all is one."""
    mine, others = two
    await drive(put(mine, Put("1")))
    many = [write("1", idx) for idx in range(MAX_ROWS + 1)]
    again = [write("1", 0, b"new"), write("1", 0, b"newer")]
    changes = (
        Change(writes=many),
        Change(writes=again, replaces=True),
        Change(owner=ALICES),
        Change(heads={"": "1", "sub": "1"}),
    )
    for change in changes:
        await drive(put(mine, Apply(change)))
    draft = Apply(Change(), ["", "sub"])
    await drive(put(mine, draft))
    assert (draft.state.owner, draft.state.heads) == (ALICES, {"": "1", "sub": "1"})
    [(_, writes)] = (await drive(load(others, LATEST))).page.rows
    assert sorted(it.value for it in writes) == [b"newer", *[b"v"] * MAX_ROWS]


async def test_an_expiry_moves_with_each_change(two: tuple[SQLThreads, SQLThreads], drive: Drive) -> None:
    """It is the last change's, also if that was one statement; a thread that has expired is begun anew."""
    mine, others = two
    for end in (NOW + DAY, NOW + 2 * DAY, None, NOW + SECOND):
        await drive(put(mine, Put("1", [b"x"], low=9), expires_at=end))
        [row] = await drive(others.threads()) if end != NOW + SECOND else [None]
        assert row is None or row.expires_at == end
    draft = Apply(Change())
    await drive(mine.change("t", draft, at=NOW + 2 * SECOND, expires_at=None))
    assert (draft.state.is_new, draft.state.heads) == (True, {})


async def test_a_read_that_meets_a_removal_is_of_one_state(two: tuple[SQLThreads, SQLThreads], drive: Drive) -> None:
    """Where items are removed between its statements it begins again, and the reader gets the later state."""
    mine, others = two
    before = await drive(put(mine, Put("1", [b"x", b"y"])))
    reader = Interrupted([[range(1, 3)]], meanwhile=lambda: blocking(lambda: run(remove(others, FIRST_ITEM))))
    await drive(mine.load("t", LATEST, reader))
    assert [no for no, _ in reader.items] == [2]
    assert reader.page.state.generation > before.generation


@dataclass
class Interrupted(Taken):
    """A reader that lets others do something when it asks for items first."""

    meanwhile: Callable[[], object] | None = None

    def wants(self) -> Sequence[range]:
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            meanwhile()
        return super().wants()
