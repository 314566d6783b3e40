"""What our checkpointers promise on SQL databases beyond what they promise everywhere: damage, sealing, expiry."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from langchain_core.messages import HumanMessage

from langchain_agentmem._flow import Flow, run
from langchain_agentmem.checkpoint.sql import SQLSaver
from langchain_agentmem.errors import IntegrityError, ScopeError
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.schema import CHECKPOINTS, ITEMS, NAMESPACES, WRITES
from langchain_agentmem.testing.savers import config_of, made
from langchain_agentmem.types import Scope
from langchain_agentmem.vault.base import Cipher, NullCipher
from tests.conftest import Call, Colour
from tests.savers import answering, invoke, listed, state_of

ALICE = Scope("alice")
START = datetime(2026, 1, 1, tzinfo=UTC)
VALUES = {"messages": [HumanMessage("the needle" * 9, id="1")], "other": "x" * 100}


class Reversing(NullCipher):
    """A cipher that one can see working: bytes backwards, behind the row they belong to."""

    def seal(self, plaintext: bytes, identity: str) -> bytes:
        return identity.encode() + b"\n" + plaintext[::-1]

    def open(self, sealed: bytes, identity: str) -> bytes:
        name, _, reversed_ = sealed.partition(b"\n")
        if name != identity.encode():
            msg = "moved from another row"
            raise IntegrityError(msg)
        return reversed_[::-1]


class ReversingVault:
    """Gives everybody that cipher, and remembers whom."""

    def __init__(self) -> None:
        self.asked: set[str] = set()

    def cipher(self, scope: Scope) -> Flow[Cipher]:
        yield from ()
        self.asked.add(scope.user_id)
        return Reversing()

    def destroy(self, scope: Scope, lineage: str | None = None) -> Flow[None]:
        yield from ()


class Personal(Reversing):
    """A cipher that opens only what it sealed for the same user."""

    def __init__(self, user_id: str) -> None:
        self.user_id = user_id

    def seal(self, plaintext: bytes, identity: str) -> bytes:
        return super().seal(plaintext, self.user_id + identity)

    def open(self, sealed: bytes, identity: str) -> bytes:
        return super().open(sealed, self.user_id + identity)


class PersonalVault:
    """Gives each user a cipher of their own."""

    def cipher(self, scope: Scope) -> Flow[Cipher]:
        yield from ()
        return Personal(scope.user_id)

    def destroy(self, scope: Scope, lineage: str | None = None) -> Flow[None]:
        yield from ()


@dataclass
class Clock:
    """A clock that goes when it is told to."""

    now: datetime = START

    def __call__(self) -> datetime:
        return self.now


class SQLSaverContract:
    """Laws of `SQLSaver`."""

    @pytest.fixture
    def database(self, sql_url: str) -> Iterator[Database]:
        database = Database(sql_url)
        yield database
        database.close()

    @pytest.mark.parametrize("table", [CHECKPOINTS, ITEMS, WRITES], ids=lambda it: it.name)
    @pytest.mark.parametrize("damage", ["flip", "cut", "empty"])
    async def test_damage_is_found_and_named(
        self, database: Database, call: Call, colour: Colour, table: sa.Table, damage: str
    ) -> None:
        """A row that was changed or cut off is an error that names the thread, and other threads are read as ever."""
        saver = SQLSaver(database)
        for thread in ("bad", "good"):
            stored = await call(saver, "put", config_of(thread), made(VALUES), {}, {"messages": "1", "other": "1"})
            await call(saver, "put_writes", stored, [("messages", VALUES["messages"])], "task")
        _damage(database, table, damage)
        with pytest.raises(IntegrityError, match="'bad'"):
            await call(saver, "get_tuple", config_of("bad"))
        with pytest.raises(IntegrityError, match="'bad'"):
            await listed(colour, saver, config_of("bad"))
        assert (await call(saver, "get_tuple", config_of("good"))).checkpoint["channel_values"] == VALUES

    async def test_a_missing_item_is_found_and_named(self, database: Database, call: Call) -> None:
        """What a checkpoint refers to and what is not there is an error, not a shorter conversation."""
        saver = SQLSaver(database)
        await call(saver, "put", config_of("bad"), made(VALUES), {}, {"messages": "1", "other": "1"})
        run(database.write(lambda it: it.execute(sa.delete(ITEMS).where(ITEMS.c.no == 1))))
        with pytest.raises(IntegrityError, match="item 1 of thread 'bad' is missing"):
            await call(saver, "get_tuple", config_of("bad"))
        with pytest.raises(IntegrityError, match="item 1 of thread 'bad' is missing"):
            await call(saver, "copy_thread", "bad", "copy")

    async def test_a_missing_head_is_found_and_named(self, database: Database, call: Call) -> None:
        """A thread whose latest checkpoint is lost is not taken for an empty one, which a run would begin anew."""
        saver = SQLSaver(database)
        await call(saver, "put", config_of("bad"), made(VALUES), {}, {"messages": "1", "other": "1"})
        run(database.write(lambda it: it.execute(sa.delete(CHECKPOINTS))))
        for method, argument in (("get_tuple", config_of("bad")), ("prune", ["bad"])):
            with pytest.raises(IntegrityError, match="head of thread 'bad', is missing"):
                await call(saver, method, argument)

    @pytest.mark.parametrize(
        "moved",
        [
            sa.update(WRITES).values(channel="another"),
            sa.update(WRITES).values(task_path="another"),
            sa.update(NAMESPACES).values(ns="another"),
            sa.update(CHECKPOINTS).values(parent_id=CHECKPOINTS.c.checkpoint_id),
            sa.update(ITEMS).values(sealed=sa.select(sa.func.max(ITEMS.c.sealed)).scalar_subquery()),
        ],
        ids=["channel", "task path", "namespace", "parent", "item"],
    )
    async def test_a_row_at_another_place_is_damage(
        self, database: Database, call: Call, colour: Colour, moved: sa.Update
    ) -> None:
        """The checksum of a header, a write or an item is about its place too, without any vault."""
        saver = SQLSaver(database)
        config = await call(saver, "put", config_of("bad"), made(VALUES), {}, {"messages": "1", "other": "1"})
        await call(saver, "put_writes", config, [("note", "n" * 100)], "task")
        run(database.write(lambda it: it.execute(moved)))
        with pytest.raises(IntegrityError, match="of thread 'bad' is damaged"):
            await listed(colour, saver, {"configurable": {"thread_id": "bad"}})

    async def test_a_sweep_removes_no_row_of_another_thread(self, database: Database, call: Call) -> None:
        """Writes that were moved here are damage; the thread is named and left alone, and no other waits for it."""
        saver, old = SQLSaver(database), "1e000000-0000-6000-8000-000000000000"
        for thread in ("found", "good", "lost"):
            await call(saver, "put", config_of(thread), made(VALUES), {}, {"messages": "1", "other": "1"})
            await call(saver, "put_writes", config_of(thread, checkpoint_id=old), [("note", thread * 99)], "task")
        names = sa.select(NAMESPACES.c.ns_ref).order_by(NAMESPACES.c.ns_ref)
        found, _, lost = run(database.read(lambda it: it.execute(names).scalars().all()))
        moved = sa.update(WRITES).where(WRITES.c.ns_ref == lost).values(ns_ref=found, idx=9)
        run(database.write(lambda it: it.execute(moved)))
        swept = await call(saver, "sweep")
        assert (swept.items, swept.damaged) == (2, ("found",))  # of the other one, and what is left of the third

    async def test_under_a_vault_everything_is_sealed(self, database: Database, call: Call, colour: Colour) -> None:
        """Content, headers and writes are bound to their rows; a thread of nobody is refused with the remedy."""
        vault = ReversingVault()
        saver = SQLSaver(database, vault=vault)
        with pytest.raises(ScopeError, match=r"saver\.bind"):
            await call(saver, "put", config_of(), made(), {}, {})
        await call(saver, "bind", "t", scope=ALICE)
        graph = answering(saver)
        config: Any = {"configurable": {"thread_id": "t"}}
        for _ in range(3):
            await invoke(colour, graph, {"messages": [HumanMessage("needle")]}, config)
        await call(saver, "prune", ["t"], keep_last=2)
        await call(saver, "copy_thread", "t", "u")
        for thread in ("t", "u"):
            assert len((await state_of(colour, graph, config_of(thread))).values["messages"]) == 6
        assert len(await listed(colour, saver, None, filter={"source": "loop"})) == 4
        assert vault.asked == {"alice"}
        rows = [row for table in (CHECKPOINTS, ITEMS, WRITES) for row in _sealed(database, table)]
        assert rows
        assert all(b"\n" in row and b"needle" not in row for row in rows)

    async def test_a_thread_that_changed_hands_elsewhere_is_sealed_for_its_new_user(
        self, database: Database, call: Call
    ) -> None:
        """Deleted and begun anew by another process: what this one remembers of the owner seals and opens nothing."""
        ours, theirs = (SQLSaver(database, vault=PersonalVault()) for _ in range(2))
        await call(ours, "put", config_of(user_id="alice"), made(VALUES), {}, {"messages": "1", "other": "1"})
        await call(theirs, "delete_thread", "t")
        config = await call(theirs, "put", config_of(user_id="bob"), made(VALUES), {}, {"messages": "1", "other": "1"})
        await call(ours, "put_writes", config, [("note", "n" * 100)], "task")
        for saver, asked in ((theirs, config_of(user_id="bob")), (ours, config_of())):
            found = await call(saver, "get_tuple", asked)
            assert (found.checkpoint["channel_values"], len(found.pending_writes)) == (VALUES, 1)
        assert len(await call(ours, "history", "t")) == 1

    async def test_a_thread_that_has_expired_never_was(self, database: Database, call: Call, colour: Colour) -> None:
        """Its time begins anew with each write, and with each read where that is chosen; then nothing of it is seen."""
        clock = Clock()
        saver = SQLSaver(database, ttl=timedelta(hours=1), clock=clock)
        reading = SQLSaver(database, ttl=timedelta(hours=1), clock=clock, refresh_on_read=True)
        await call(saver, "put", config_of(), made(VALUES), {}, {"messages": "1", "other": "1"})
        clock.now += timedelta(minutes=50)
        assert await call(reading, "get_tuple", config_of()) is not None
        clock.now += timedelta(minutes=50)
        assert await call(saver, "get_tuple", config_of()) is not None
        clock.now += timedelta(minutes=50)
        assert await call(saver, "get_tuple", config_of()) is None
        assert (await listed(colour, saver, None), [*await call(saver, "threads")]) == ([], [])
        assert (await call(saver, "sweep")).threads == 1
        assert _sealed(database, ITEMS) == []

    async def test_what_another_process_did_is_known(self, database: Database, call: Call) -> None:
        """What it stored is not stored again, and what it removed is not referred to, whatever is remembered here."""
        ours, theirs = SQLSaver(database), SQLSaver(database)
        config, values = config_of(), {"data": "d" * 100, "more": "m" * 100}
        for saver in (ours, theirs, ours):
            config = await call(saver, "put", config, made(values), {}, {"data": "1", "more": "1"})
        assert len(_sealed(database, ITEMS)) == 2
        await call(ours, "put", config_of(), made({"gone": "g" * 100}), {}, {"gone": "1"})
        await call(theirs, "rollback", "t", config["configurable"]["checkpoint_id"])
        await call(theirs, "prune", ["t"])
        head = (await call(theirs, "get_tuple", config_of())).config
        child = {**made({}, {"data": "1", "more": "1", "gone": "1"}), "channel_values": {"gone": "g" * 100}}
        await call(ours, "put", head, child, {}, {"gone": "1"})
        assert (await call(theirs, "get_tuple", config_of())).checkpoint["channel_values"] == values | {
            "gone": "g" * 100
        }

    async def test_a_thread_that_was_pruned_meanwhile_is_read_again(self, database: Database, call: Call) -> None:
        """A put that took over from a parent of an older generation looks at the parent again."""
        ours, theirs = SQLSaver(database), SQLSaver(database)
        config = await call(ours, "put", config_of(), made({"old": "o" * 100}), {}, {"old": "1"})
        config = await call(ours, "put", config, made({"a": "x" * 100}), {}, {"a": "1"})
        await call(theirs, "prune", ["t"])
        child = {**made({}, {"a": "1", "b": "1"}), "channel_values": {"b": 1}}
        await call(ours, "put", config, child, {}, {"b": "1"})
        assert (await call(theirs, "get_tuple", config_of())).checkpoint["channel_values"] == {"a": "x" * 100, "b": 1}

    async def test_pruning_leaves_no_content_behind(self, database: Database, call: Call) -> None:
        """What only removed checkpoints held is in no row any more; what others hold too is."""
        saver, config = SQLSaver(database), config_of()
        for place in range(5):
            values = {"messages": [HumanMessage("x" * 99, id="kept")], "data": f"{place}" * 100}
            config = await call(saver, "put", config, made(values), {}, {"messages": "1", "data": "1"})
        assert len(_sealed(database, ITEMS)) == 6
        await call(saver, "prune", ["t"])
        assert len(_sealed(database, ITEMS)) == 2


def _sealed(database: Database, table: sa.Table) -> list[bytes]:
    return list(run(database.read(lambda it: it.execute(sa.select(table.c.sealed)).scalars().all())))


def _damage(database: Database, table: sa.Table, damage: str) -> None:
    """Spoil every row of the first thread: what was stored first has the smallest key."""
    key = next(iter(table.primary_key.columns))

    def body(connection: sa.Connection) -> None:
        first = connection.execute(sa.select(sa.func.min(key))).scalar_one()
        for row in connection.execute(sa.select(table).where(key == first)).all():
            sealed = row.sealed
            spoiled = {"flip": sealed[:-6] + bytes((sealed[-6] ^ 1,)) + sealed[-5:], "cut": sealed[:-1], "empty": b""}
            same = sa.and_(*(column == getattr(row, column.name) for column in table.primary_key.columns))
            connection.execute(sa.update(table).where(same).values(sealed=spoiled[damage]))

    run(database.write(body))
