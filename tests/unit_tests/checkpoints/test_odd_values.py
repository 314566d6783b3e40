from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from sqlalchemy import text

from langchain_agentmem._flow import run
from langchain_agentmem.checkpoint.sql import SQLSaver
from langchain_agentmem.checkpoints.setting import MAX_NS_BYTES
from langchain_agentmem.errors import ConfigurationError, IntegrityError
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.testing.savers import config_of, made
from tests.conftest import Call

VALUES = {"messages": [HumanMessage("the needle" * 9, id="1")]}


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(f"sqlite:///{tmp_path / 'threads.db'}")
    yield database
    database.close()


@pytest.mark.parametrize(
    "place",
    [
        "agentmem_threads.generation",
        "agentmem_threads.next_no",
        "agentmem_threads.expires_at",
        "agentmem_namespaces.head",
        "agentmem_checkpoints.checkpoint_id",
        "agentmem_checkpoints.parent_id",
        "agentmem_checkpoints.sealed",
        "agentmem_items.sealed",
        "agentmem_writes.task_id",
        "agentmem_writes.task_path",
        "agentmem_writes.idx",
        "agentmem_writes.sealed",
    ],
)
async def test_text_where_something_else_should_stand_is_damage(database: Database, call: Call, place: str) -> None:
    """SQLite lets anything stand in a column; reading it is an error of ours that says where."""
    saver = SQLSaver(database)
    config = await call(saver, "put", config_of(), made(VALUES), {}, {"messages": "1"})
    await call(saver, "put_writes", config, [("messages", VALUES["messages"])], "task")
    table, _, column = place.partition(".")
    run(database.write(lambda it: it.execute(text(f"UPDATE {table} SET {column} = 'odd'"))))  # noqa: S608
    with pytest.raises(IntegrityError):
        await call(saver, "get_tuple", config_of())


async def test_half_a_character_is_a_question_mark(call: Call) -> None:
    """In texts wherever they stand, as LangGraph writes them; as a key of a dict it is refused."""
    cut = "cut \ud83d"
    with SQLSaver.from_url("sqlite://") as saver:
        values = {"text": [cut], "message": HumanMessage(cut, id="1")}
        config = await call(saver, "put", config_of(), made(values), {}, dict.fromkeys(values, "1"))
        found = (await call(saver, "get_tuple", config)).checkpoint["channel_values"]
        assert found == {"text": ["cut ?"], "message": HumanMessage("cut ?", id="1")}
        with pytest.raises(ConfigurationError, match="channel 'a'"):
            await call(saver, "put", config_of(), made({"a": {cut: 1}}), {}, {"a": "1"})


LONG = "é" * 257  # 514 bytes


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("put", (config_of(), {**made(VALUES), "id": LONG}, {}, {"messages": "1"})),
        ("put", (config_of(checkpoint_id=LONG), made(VALUES), {}, {"messages": "1"})),
        ("put", (config_of(ns="a" * (MAX_NS_BYTES + 1)), made(VALUES), {}, {"messages": "1"})),
        ("put_writes", (config_of(checkpoint_id="1"), [("messages", 1)], LONG)),
        ("get_tuple", (config_of(checkpoint_id=LONG),)),
    ],
)
async def test_an_id_that_no_index_takes_is_refused(
    database: Database, call: Call, method: str, arguments: tuple[Any, ...]
) -> None:
    """On every database alike, and before anything is opened."""
    with pytest.raises(ConfigurationError, match=r"longer than \d+ bytes"):
        await call(SQLSaver(database), method, *arguments)
    assert not database._is_open


async def test_the_longest_ids_are_stored(database: Database, call: Call) -> None:
    """Up to the limit, all of them come back."""
    config: Any = config_of(ns="n" * MAX_NS_BYTES)
    saver, longest = SQLSaver(database), "é" * 256
    stored = await call(saver, "put", config, {**made(VALUES), "id": longest}, {}, {"messages": "1"})
    await call(saver, "put_writes", stored, [("messages", 1)], longest)
    found = await call(saver, "get_tuple", stored)
    assert (found.checkpoint["id"], found.pending_writes) == (longest, [(longest, "messages", 1)])


class Plain:
    """A serializer of one's own, which has forgotten how to read some of what it wrote."""

    def __init__(self, *forgotten: object) -> None:
        self.forgotten = forgotten

    def dumps_typed(self, obj: object) -> tuple[str, bytes]:
        return "plain", json.dumps(obj).encode()

    def loads_typed(self, data: tuple[str, bytes]) -> object:
        value = json.loads(data[1])
        if value in self.forgotten:
            raise KeyError(value)
        return value


@pytest.mark.parametrize("is_written", [False, True], ids=["value", "write"])
async def test_what_its_serializer_cannot_read_is_told_by_thread_and_channel(
    database: Database, call: Call, *, is_written: bool
) -> None:
    """Nobody is told to delete what may be whole, with another serializer it is read; other threads are as before."""
    saver = SQLSaver(database, serde=Plain())
    for thread, said in (("bad", "lost"), ("good", "kept")):
        values = {"said": "kept" if is_written else said, "count": 1}
        config = await call(saver, "put", config_of(thread), made(values), {}, {"said": "1", "count": "1"})
        await call(saver, "put_writes", config, [("said", said)], "task")
    forgetful = SQLSaver(database, serde=Plain("lost"))
    place = "as task 'task' wrote it" if is_written else "channel 'said': Plain raised KeyError"
    with pytest.raises(IntegrityError, match=f"thread 'bad' cannot be read.*{place}.*open it with the serde") as failed:
        await call(forgetful, "get_tuple", config_of("bad"))
    assert "lost" not in str(failed.value)
    found = [await call(forgetful, "get_tuple", config_of("good")), await call(saver, "get_tuple", config_of("bad"))]
    assert [it.checkpoint["channel_values"]["count"] for it in found] == [1, 1]
