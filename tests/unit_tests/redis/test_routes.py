"""The way to a key in a cluster that changes: servers that are replaced, and slots that move."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import pytest
from redis.exceptions import AskError, MovedError, TryAgainError
from redis.exceptions import ConnectionError as LostError

from langchain_agentmem._flow import Flow
from langchain_agentmem.errors import StorageError
from langchain_agentmem.redis import routes
from langchain_agentmem.redis.address import Node
from langchain_agentmem.redis.database import RedisDatabase
from langchain_agentmem.redis.routes import Routes, Send
from langchain_agentmem.redis.slots import slot_of
from langchain_agentmem.redis.wire import Command
from tests.conftest import Colour
from tests.ledgers import Drive, drive_of

ONE, TWO, NEW = Node("one", 1), Node("two", 2), Node("new", 3)
LAST: Final = 16_383
KEYS: Final = [b"key%d" % number for number in range(8)]


class Cluster:
    """As much of a cluster as answers: who has which slots, who is dead, and whose connections are broken once."""

    def __init__(self) -> None:
        self.halves = [ONE, TWO]
        self.dead = set[Node]()
        self.broken = set[Node]()
        self.split = 0
        self.leaving = set[bytes]()  # keys on their way to NEW, whose slot is not theirs yet
        self.asked: list[str] = []
        self.sent: list[tuple[Node, str]] = []

    def owner(self, key: bytes) -> Node:
        return self.halves[slot_of(key) > LAST // 2]

    def __call__(self, node: Node, commands: Sequence[Command]) -> list[Any]:
        self.asked.extend(str(it[0]) for it in commands)
        self.sent.append((node, str(commands[0][0])))
        if node in self.dead or node in self.broken:
            self.broken.discard(node)
            raise LostError
        return [self.reply(node, it) for it in commands]

    def reply(self, node: Node, command: Command) -> Any:  # noqa: ANN401  (whatever Redis answers)
        if command[0] == "CLUSTER":
            bounds = [(0, LAST // 2), (LAST // 2 + 1, LAST)]
            return [
                [*it, [half.host.encode(), half.port]] for it, half in zip(bounds, self.halves, strict=True)
            ]  # as CLUSTER SLOTS has them
        if command[0] == "ASKING":
            return b"OK"
        if command[0] == "SCAN":
            return [b"0", [key for key in KEYS if self.owner(key) == node]]
        key = bytes(command[1])  # type: ignore[arg-type]  # all of ours are bytes
        if key in self.leaving and node != NEW:
            return AskError(f"{slot_of(key)} {NEW.host}:{NEW.port}")
        if self.owner(key) != node and key not in self.leaving:
            return MovedError(f"{slot_of(key)} {self.owner(key).host}:{self.owner(key).port}")
        if self.split:
            self.split -= 1
            return TryAgainError("Multiple keys request during rehashing of slot")
        return b"value of " + key

    def count(self, name: str) -> int:
        return self.asked.count(name)


@pytest.fixture
def drive(colour: Colour) -> Drive:
    return drive_of(colour)


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Cluster:
    cluster = Cluster()

    async def awaited(_: Routes, node: Node, commands: Sequence[Command]) -> list[Any]:
        return cluster(node, commands)

    monkeypatch.setattr(Routes, "_send_blocking", lambda _, node, commands: cluster(node, commands))
    monkeypatch.setattr(Routes, "_send_awaiting", awaited)
    monkeypatch.setattr(routes, "TRY_AGAIN_S", 0.0)
    return cluster


@pytest.fixture
def database() -> RedisDatabase:
    return RedisDatabase("redis+cluster://one:1,two:2")


def gets(keys: Sequence[bytes] = KEYS) -> list[Command]:
    return [("GET", key) for key in keys]


def fail_over(cluster: Cluster) -> None:
    cluster.dead.add(TWO)
    cluster.halves[1] = NEW


def move(cluster: Cluster) -> None:
    cluster.halves[1] = NEW


def break_connections(cluster: Cluster) -> None:
    cluster.broken |= {ONE, TWO}


@pytest.mark.parametrize("happens", [fail_over, move, break_connections])
async def test_what_is_spread_reaches_every_key(
    database: RedisDatabase, cluster: Cluster, drive: Drive, happens: Callable[[Cluster], None]
) -> None:
    """The first call too: after a failover, after slots have moved, and where all connections are broken."""
    await drive(database.spread(gets()))
    happens(cluster)
    assert await drive(database.spread(gets())) == [b"value of " + key for key in KEYS]


@pytest.mark.parametrize("happens", [fail_over, move, break_connections])
async def test_a_scan_visits_every_key(
    database: RedisDatabase, cluster: Cluster, drive: Drive, happens: Callable[[Cluster], None]
) -> None:
    """The first one too, after a failover, after slots have moved to a server that is new, and without connections."""
    await drive(database.scan(b"*"))
    happens(cluster)
    assert sorted(await drive(database.scan(b"*"))) == KEYS


async def test_a_visit_that_is_repeated_asks_no_server_twice(
    database: RedisDatabase, cluster: Cluster, drive: Drive
) -> None:
    """Only those that had not answered: what looks may count."""
    cluster.broken = {TWO}
    looked: list[str] = []

    def look(send: Send) -> Flow[None]:
        looked.extend(str(it) for it in (yield from send([("SCAN", b"0")])))

    await drive(database._routes.visit(look))
    assert [it for it in cluster.sent if it[1] == "SCAN"] == [(ONE, "SCAN"), (TWO, "SCAN"), (TWO, "SCAN")]
    assert len(looked) == 2


async def test_a_key_that_is_asked_for_elsewhere_once_forgets_nothing(
    database: RedisDatabase, cluster: Cluster, drive: Drive
) -> None:
    """While a slot moves each of its calls goes there behind `ASKING`, and where the slots are is not asked anew."""
    cluster.leaving = {KEYS[0]}
    for _ in range(3):
        assert await drive(database.read(("GET", KEYS[0]))) == [b"value of " + KEYS[0]]
    assert (cluster.count("ASKING"), cluster.count("CLUSTER")) == (3, 1)


async def test_a_server_that_nobody_replaced_is_told(database: RedisDatabase, cluster: Cluster, drive: Drive) -> None:
    """It is asked once more, and no more; the error says that a retry may help."""
    cluster.dead.add(TWO)
    for flow in (database.spread(gets()), database.scan(b"*")):
        cluster.sent.clear()
        with pytest.raises(StorageError, match="no answer") as lost:
            await drive(flow)
        assert lost.value.is_retryable
        assert [it for it in cluster.sent if it[0] == TWO] in ([(TWO, "GET")] * 2, [(TWO, "SCAN")] * 2)


async def test_a_call_waits_while_its_slot_is_moved(database: RedisDatabase, cluster: Cluster, drive: Drive) -> None:
    """Reading and writing, what may be repeated and what may not: nothing of a call that is put off was done."""
    key = KEYS[0]
    get, change = ("GET", key), ("INCR", key)
    for flow in (database.read(get), database.write(change), database.spread([get, get])):
        cluster.split = 3
        assert {*await drive(flow)} == {b"value of " + key}
        assert cluster.split == 0


async def test_a_move_that_does_not_end_is_told_in_time(
    database: RedisDatabase, cluster: Cluster, drive: Drive
) -> None:
    """The waits of one call end, however many keys it asks for; the error is retryable."""
    cluster.split = 1_000
    for call in (database.write(("INCR", KEYS[0])), database.spread(gets())):
        cluster.asked.clear()
        with pytest.raises(StorageError, match="moving the keys") as moving:
            await drive(call)
        assert moving.value.is_retryable
        assert len(cluster.asked) < 3 * routes.MAX_WAITS


async def test_what_may_have_been_done_is_not_sent_again(
    database: RedisDatabase, cluster: Cluster, drive: Drive
) -> None:
    """A write whose connection broke says that it may have been done, whatever became of the cluster."""
    await drive(database.spread(gets()))
    break_connections(cluster)
    with pytest.raises(StorageError, match="not known"):
        await drive(database.write(("INCR", KEYS[0])))
    assert cluster.count("INCR") == 1
