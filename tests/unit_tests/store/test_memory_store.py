from __future__ import annotations

from pathlib import Path

import pytest

from langchain_agentmem import AgentMemory, Scope, SQLStore
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.store import memory_record
from langchain_agentmem.testing.laws import StillClock, keys
from tests.contracts.sql_saver_contract import ReversingVault
from tests.fake_embeddings import WordEmbeddings

NS = ("memories", "alice")


def test_a_memory_has_a_store_of_its_own_database() -> None:
    """`memory.store` lives in the memory's database, with its clock and its embeddings, and is made once."""
    embeddings, clock = WordEmbeddings(dim=32), StillClock()
    with AgentMemory.in_memory(embeddings=embeddings, clock=clock) as memory:
        memory.store.put(NS, "a", {"text": "green tea"})
        assert memory.store is memory.store
        assert keys(memory.store.search(NS, query="tea")) == ["a"]
        assert memory.store.search(NS)[0].created_at == clock.now
        assert embeddings.texts


def test_a_memorys_store_has_options() -> None:
    """The field `store` of the options says how items are kept; the memory's vault seals them."""
    vault = ReversingVault()
    options = {"subject": lambda _: Scope("alice"), "ttl": {"default_ttl": 5}, "index": {"fields": ["content"]}}
    with AgentMemory.in_memory(embeddings=None, vault=vault, store=options) as memory:
        memory.store.put(NS, "a", {"content": "tea", "other": "milk"})
        assert [len(memory.store.search(NS, query=query)) for query in ("tea", "milk")] == [1, 0]
        assert vault.asked == {"alice"}


def test_a_store_can_be_opened_by_its_url(tmp_path: Path) -> None:
    """`from_url` opens a database of its own and closes it; a database that was given stays open."""
    url = f"sqlite:///{tmp_path / 'store.db'}"
    with SQLStore.from_url(url) as store:
        store.setup()
        store.put(NS, "a", {"n": 1})
    database = Database(url)
    with SQLStore(database) as store:
        assert store.get(NS, "a")
    assert SQLStore(database).get(NS, "a")
    database.close()


async def test_a_store_can_be_awaited(tmp_path: Path) -> None:
    """The same object is an async context manager."""
    async with SQLStore.from_url(f"sqlite:///{tmp_path / 'store.db'}") as store:
        await store.asetup()
        await store.aput(NS, "a", {"n": 1})
        assert await store.aget(NS, "a")


@pytest.mark.parametrize(
    "settings",
    [
        {"embed": WordEmbeddings()},
        {"index": "local"},
        {"index": {"embed": 5}},
        {"index": {"embed": "nobody:model"}},
        {"index": {"dims": 0}},
        {"index": {"fields": "text"}},
        {"index": {"fields": [""]}},
        {"index": {"distance_type": "l2"}},
        {"ttl": 5},
        {"ttl": {"default_ttl": -1}},
        {"ttl": {"default": 5}},
        {"ttl": {"refresh_on_read": "no"}},
        {"subject": "alice"},
        {"clock": None},
    ],
)
def test_a_setting_that_cannot_work_is_refused(settings: dict[str, object]) -> None:
    """An unknown or impossible setting is refused when the store is made."""
    with pytest.raises(ConfigurationError):
        SQLStore.from_url("sqlite://", **settings)  # type: ignore[arg-type]


def test_a_store_needs_a_database() -> None:
    """A URL in place of a database is told where it belongs."""
    with pytest.raises(ConfigurationError, match="from_url"):
        SQLStore("sqlite://")  # type: ignore[arg-type]


def test_a_record_has_kind_and_content() -> None:
    """A memory in a store says what it is and what it says, so that any tool can read it."""
    assert memory_record("Alice drinks tea") == {"kind": "Memory", "content": {"content": "Alice drinks tea"}}
    assert memory_record({"drink": "tea"}, kind="Habit") == {"kind": "Habit", "content": {"drink": "tea"}}
