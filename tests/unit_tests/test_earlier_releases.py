"""What an earlier release wrote opens today: each schema has its database, written once and kept."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem._flow import run
from langchain_agentmem.checkpoints.sql import SQLThreads
from langchain_agentmem.ledger.base import Draft
from langchain_agentmem.ledger.sql import SQLLedger
from langchain_agentmem.policies.forgotten import FORGOTTEN_MEANWHILE
from langchain_agentmem.policies.working import merged
from langchain_agentmem.sessions.sql import SQLSessions
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.types import Candidate, IngestReport, Receipt, Scope
from langchain_agentmem.types.scope import Owner
from langchain_agentmem.types.working import WorkingState
from langchain_agentmem.types.working_update import StateUpdate
from tests.conftest import Call, Colour
from tests.contracts.database_contract import differences
from tests.fixtures.make_database import (
    CAROL,
    COPIED,
    FOLDER,
    IDS,
    ITEMS,
    LABELS,
    MESSAGES,
    PLACE,
    POINTED,
    QUESTION,
    RECEIPT,
    SAID,
    SESSION,
    STATE,
    SUMMARY,
    TASK,
    THREAD,
    TOLD,
    open_memory,
    put_thread,
)
from tests.ledgers import ALICE, BOB, KEY, START, Drive, drive_of, dump, fetch, note
from tests.talks import talk
from tests.threads import Put, load, write

Reopen = Callable[[str], Database]

FIXTURES: Final = sorted(FOLDER.glob("*.db"))
NAMES: Final = [fixture.stem for fixture in FIXTURES]
SOON: Final = Scope(CAROL.user_id, session_id="soon")


@pytest.fixture
def drive(colour: Colour) -> Drive:
    return drive_of(colour)


@pytest.fixture
def reopen(tmp_path: Path) -> Iterator[Reopen]:
    """Open a copy of a schema's database."""
    opened: list[Database] = []

    def open_copy(name: str) -> Database:
        path = shutil.copy(FOLDER / f"{name}.db", tmp_path / f"{name}.db")
        opened.append(Database(f"sqlite:///{path}"))
        return opened[-1]

    yield open_copy
    for database in opened:
        database.close()


# ---------------------------------------------------------------------------------------------------------- the ledger
@pytest.mark.parametrize("name", NAMES)
async def test_yesterdays_database_opens_today(reopen: Reopen, name: str, drive: Drive) -> None:
    """A database of each schema opens, verifies with its key, replays to the same rows, and takes new writes."""
    ledger = SQLLedger(reopen(name), key=KEY)
    results = [await drive(ledger.verify(scope)) for scope in (ALICE, BOB)]
    assert [(it.events, it.problems, it.is_authenticated) for it in results] == [(10, (), True), (2, (), True)]
    before = dump(ledger.database)
    assert [await drive(ledger.replay(scope)) for scope in (ALICE, BOB)] == [5, 1]
    assert dump(ledger.database) == before
    kept = await drive(fetch(ledger, "m2"))
    assert kept.content == "prefers coffee"
    assert await drive(fetch(ledger, "m3")) is None
    await drive(note(ledger, Draft(type="refused", rule="unstable")))
    assert (await drive(ledger.verify(ALICE))).is_intact


@pytest.mark.parametrize("name", NAMES)
async def test_yesterdays_receipt_is_read_today(reopen: Reopen, name: str, call: Call) -> None:
    """What a receipt did not say then is empty now."""
    memory = open_memory(reopen(name))
    receipt = await call(memory.long_term, "receipt", "r1", scope=ALICE)
    assert receipt == Receipt(id="r1", scope=ALICE, at=START, status="empty", reason="nothing relevant", plan={})


@pytest.mark.parametrize("name", NAMES)
def test_each_schema_becomes_the_one_of_the_code(reopen: Reopen, name: str) -> None:
    """Whichever release made them, the tables are in the end those that the code knows."""
    assert run(reopen(name).read(differences)) == []


@pytest.mark.parametrize("name", NAMES)
async def test_yesterdays_database_takes_what_is_new(reopen: Reopen, name: str, call: Call) -> None:
    """Whichever schema it had: conversations are kept and searched, and a store keeps items."""
    memory = open_memory(reopen(name))
    await call(memory.consent, "grant", CAROL)
    await call(memory.history(SOON), "add_messages", talk("Piet plays the zither"))
    await call(memory.store, "put", ("new",), "a", {"text": "zither"})
    found = await call(memory.long_term, "recall", "Who plays the zither?", scope=CAROL, limit=1)
    assert [hit.memory.content.partition("\n")[0] for hit in found] == ["user: Piet plays the zither"]
    assert [it.key for it in await call(memory.store, "search", ("new",), query="zither")] == ["a"]


# ---------------------------------------------------------------------------------------------- sessions and threads
@pytest.mark.parametrize("name", [name for name in NAMES if name >= "0002"])
async def test_yesterdays_conversation_opens_today(reopen: Reopen, name: str, drive: Drive) -> None:
    """A session and a thread that an earlier release wrote are read back, and go on."""
    database = reopen(name)
    sessions, threads = SQLSessions(database), SQLThreads(database)
    assert await drive(sessions.read(SESSION)) == list(MESSAGES)
    assert await drive(sessions.append(SESSION, [*MESSAGES, HumanMessage("more")])) == 1
    assert await drive(sessions.summary(SESSION)) == SUMMARY.data
    found = await drive(load(threads, None, [range(1, 9)], thread_id=THREAD))
    assert found.keys == [("sub", "text"), ("", IDS[1]), ("", IDS[0])]
    assert [its for _, its in found.page.rows] == [(), [write(IDS[1], task_id=IDS[0])], ()]
    assert (found.items, found.page.state.heads) == ([(1, b"one"), (2, b"two")], {"": IDS[1], "sub": "text"})
    owner = Owner(ALICE.tenant_id, ALICE.user_id)
    assert [row.thread_id for row in await drive(threads.threads(owner=owner, labels=LABELS))] == [THREAD]
    assert (await drive(threads.change(THREAD, Put(IDS[0], [b"three"]), at=0, expires_at=None))).next_no == 4


async def test_a_database_from_before_threads_takes_them(reopen: Reopen, drive: Drive) -> None:
    """The first schema had neither threads nor sessions that expire."""
    database = reopen("0001")
    assert await drive(SQLThreads(database).threads()) == []
    put_thread(SQLThreads(database))
    await drive(SQLSessions(database).append(SESSION, MESSAGES))
    assert await drive(SQLSessions(database).read(SESSION)) == list(MESSAGES)
    assert await drive(SQLSessions(database).keep_summary(SESSION, SUMMARY))
    assert len((await drive(load(SQLThreads(database), thread_id=THREAD))).keys) == len(IDS) + 1


async def test_a_conversation_from_before_episodes_can_be_searched(reopen: Reopen, call: Call) -> None:
    """What was stored before there were episodes becomes one when it is asked for."""
    memory = open_memory(reopen("0002"))
    assert await call(memory.episodes, "index", scope=SESSION) == IngestReport(kept=1)
    [kept] = await call(memory.episodes, "list", scope=SESSION)
    assert (kept.text, kept.reply, kept.message_ids) == ("I like tea", "So do I", ("h1", "a1"))


# -------------------------------------------------------------------------------------------------- episodes and items
async def test_yesterdays_episodes_open_today(reopen: Reopen, call: Call) -> None:
    """Copies, masked as they were, and pointers are read; what was forgotten stays so, the rest is known already."""
    memory = open_memory(reopen("0003"))
    copied = await call(memory.episodes, "list", scope=COPIED)
    pointed = await call(memory.episodes, "list", scope=POINTED)
    assert [it.text for it in copied] == ["Nora has 3 cats", "The card is [card]", "Nora has 4 cats now"]
    assert [it.text for it in pointed] == list(SAID)
    again = await call(memory.episodes, "ingest", talk(*TOLD), scope=COPIED, at=START)
    assert again == IngestReport(known=len(TOLD))
    assert await call(memory.episodes, "index", scope=POINTED) == IngestReport(known=len(SAID))
    assert (await call(memory.long_term, "verify", scope=CAROL)).is_authenticated


async def test_yesterdays_episodes_are_found_today(reopen: Reopen, call: Call) -> None:
    """By the terms, vectors and links that were stored with them; the receipt of then is there too."""
    memory = open_memory(reopen("0003"))
    then = await call(memory.long_term, "receipt", RECEIPT, scope=CAROL)
    found = await call(memory.long_term, "recall", QUESTION, scope=CAROL, limit=10)
    now = await call(memory.long_term, "receipt", found.receipt_id, scope=CAROL)
    old, _, new = await call(memory.episodes, "list", scope=COPIED)
    linked = {line.memory_id: line.linked for line in now.lines}
    assert {old.id, new.id} <= {*now.returned} & {*then.returned}
    assert linked[new.id] == (old.id,)
    assert set(then.used.values()) == {True}


async def test_yesterdays_items_open_today(reopen: Reopen, call: Call) -> None:
    """A store's items are got, found by their words, and live as long as they were given."""
    memory = open_memory(reopen("0003"))
    assert {key: (await call(memory.store, "get", PLACE, key)).value for key in ITEMS} == ITEMS
    assert [it.key for it in await call(memory.store, "search", PLACE, filter={"n": 1})] == ["kept"]
    assert [it.key for it in await call(memory.store, "search", PLACE, query="Rome", limit=1)] == ["short"]


async def test_yesterdays_tasks_open_today(reopen: Reopen, call: Call) -> None:
    """What an agent was working on, field by field."""
    memory = open_memory(reopen("0004"))
    state = await call(memory.working, "get", TASK)
    assert replace(state, version=0, started_at=None, updated_at=None) == merged(
        WorkingState(), StateUpdate.from_dict(STATE)
    )
    assert [it.goal for it in await call(memory.working, "sessions", CAROL)] == [STATE["goal"]]


async def test_yesterdays_request_to_forget_holds_today(reopen: Reopen, call: Call) -> None:
    """What a turn of then still says of it is not learned; what is said now is."""
    memory = open_memory(reopen("0005"))
    said = Candidate(content="Carol lives in Turin")
    late = await call(memory.long_term, "remember", replace(said, began=1), scope=CAROL)
    now = await call(memory.long_term, "remember", said, scope=CAROL)
    assert (late.rule, now.verdict) == (FORGOTTEN_MEANWHILE.rule, "written")


def test_every_schema_has_its_database() -> None:
    """A new migration comes with a database written by it."""
    folder = (
        Path(sys.modules["langchain_agentmem.sql.schema_version"].__file__ or "").parent / "migrations" / "versions"
    )
    revisions = {file.name.split("_")[0] for file in folder.glob("[0-9]*.py")}
    assert set(NAMES) == revisions
