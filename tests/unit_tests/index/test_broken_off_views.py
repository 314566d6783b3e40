"""What is held in memory to be searched, where a change of it was broken off."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from itertools import cycle
from pathlib import Path
from shutil import copy
from typing import Any, Final, TypeAlias

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem._search import SearchColumns
from langchain_agentmem.errors import ConfigurationError, IntegrityError, StorageError
from langchain_agentmem.index import claim_view, episode_postings, row_table, snapshot
from langchain_agentmem.index.bm25 import Postings
from langchain_agentmem.index.cached_view import CachedView, taking
from langchain_agentmem.index.episode_postings import EpisodePostings
from langchain_agentmem.index.episode_table import EpisodeTable
from langchain_agentmem.index.row_table import RowTable
from langchain_agentmem.index.scope_view import ScopeView
from langchain_agentmem.index.surroundings import Surroundings
from langchain_agentmem.index.view_cache import ViewCache
from langchain_agentmem.items.view import PrefixView
from tests.fake_embeddings import WordEmbeddings
from tests.unit_tests.index.rows import row

ALICE: Final = Scope("alice")
TALK: Final = Scope("alice", session_id="rent")
MAY: Final = datetime(2026, 5, 1, tzinfo=UTC)
NOTES: Final = ("notes",)
OLD: Final = "I booked the room in Lisbon, the rent for the room is $700 a month."
NEW: Final = "The rent for the room in Lisbon was raised, it is now $850 a month."

BreakOff: TypeAlias = Callable[[object, str, BaseException], None]

PLACES: Final[list[tuple[Any, str]]] = [
    (row_table, "_known"),
    (RowTable, "_codes"),
    (RowTable, "_put_vectors"),
    (RowTable, "fill"),
    (Postings, "add"),
    (ScopeView, "search"),
    (EpisodeTable, "_put_terms"),
    (episode_postings, "with_room"),
    (EpisodePostings, "add"),
    (Surroundings, "put"),
    (PrefixView, "_put_labels"),
    (PrefixView, "_put_vectors"),
    (PrefixView, "rank"),
]


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that holds memories, turns and items of a store; each process reads them row by row."""
    monkeypatch.setattr(snapshot, "KEPT_FROM", 1_000)
    path = tmp_path / "agent.db"
    with opened(path) as memory:
        for number in range(5):
            memory.long_term.remember(f"Alice owns boat {number}", scope=Scope("alice", session_id=str(number)))
            memory.store.put(NOTES, str(number), {"text": f"whales near rock {number}"})
        said = [HumanMessage(f"I saw {number} whales near rock {7 * number}", id=str(number)) for number in range(9)]
        memory.episodes.ingest(said, scope=Scope("alice", session_id="t"))
    return path


def opened(path: Path) -> AgentMemory:
    return AgentMemory.embedded(path, embeddings=WordEmbeddings(dim=16), consent="assumed")


def asked(memory: AgentMemory) -> tuple[list[tuple[str, Any, Any]], list[str]]:
    hits = memory.long_term.recall("who owns boat 3, and saw whales near rock 49?", scope=ALICE, limit=9)
    found = memory.store.search(NOTES, query="rock 4")
    return [(it.memory.id, it.parts.get("vector"), it.parts.get("lexical")) for it in hits], [it.key for it in found]


@pytest.fixture
def broken_off(monkeypatch: pytest.MonkeyPatch) -> BreakOff:
    """Give what lets a function raise the first time it is called."""

    def break_off(owner: object, name: str, error: BaseException) -> None:
        real = getattr(owner, name)

        def broken(*_args: object, **_named: object) -> None:
            monkeypatch.setattr(owner, name, real)
            raise error

        monkeypatch.setattr(owner, name, broken)

    return break_off


@pytest.mark.parametrize(
    ("place", "error"),
    list(zip(PLACES, cycle([KeyboardInterrupt, MemoryError]), strict=False)),
    ids=[f"{owner.__name__.rpartition('.')[2]}.{name}" for owner, name in PLACES],
)
def test_a_change_that_was_broken_off_is_made_anew(
    path: Path,
    broken_off: BreakOff,
    place: tuple[Any, str],
    error: type[BaseException],
) -> None:
    """An interrupt, or no memory for a moment, fails one search: the next one answers as if nothing had happened."""
    with opened(Path(copy(path, path.with_name("copy.db")))) as memory:
        expected = asked(memory)
    with opened(path) as memory:
        broken_off(*place, error())
        with pytest.raises(error):
            asked(memory)
        assert asked(memory) == expected


def test_statements_are_linked_after_a_linking_that_was_broken_off(tmp_path: Path, broken_off: BreakOff) -> None:
    """What a new statement updates is found also where the look for it failed once."""
    path = tmp_path / "agent.db"
    with opened(path) as memory:
        memory.episodes.ingest([HumanMessage(OLD)], scope=TALK, at=datetime(2026, 3, 1, tzinfo=UTC))
    with opened(path) as memory:
        broken_off(claim_view, "telling", KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            memory.episodes.ingest([HumanMessage(NEW)], scope=TALK, at=MAY)
        memory.episodes.ingest([HumanMessage(NEW)], scope=TALK, at=MAY)
        found = memory.long_term.recall("How much is my rent for the room in Lisbon?", scope=ALICE, limit=9)
    assert [it.memory.content for it in found if it.parts.get("updates")] == [f"user: {NEW}"]


def test_who_waited_for_a_view_that_is_spoilt_is_told_to_ask_again() -> None:
    """A search that waited for the change that failed is not answered from what that left."""
    entry = CachedView([1])
    with pytest.raises(ValueError, match="not in list"), entry.alone() as view:
        view.remove(2)
    with pytest.raises(StorageError, match="repeat") as told, entry.alone():
        pass
    assert told.value.is_retryable


def test_a_view_that_is_spoilt_is_held_no_longer() -> None:
    """What is erased cannot stay in it: whoever looks for a user's views, or for one of them, finds it gone."""
    cache = ViewCache(ScopeView)
    entry = cache.get(("default", "alice", None))
    entry.is_spoilt = True
    assert cache.peek("default", "bob") == []
    assert (len(cache), cache.nbytes) == (0, 0)
    spoilt = cache.get(("default", "alice", None))
    spoilt.is_spoilt = True
    fresh = cache.get(("default", "alice", None))
    assert fresh is not spoilt
    assert cache.nbytes == fresh.nbytes == fresh.view.nbytes


@pytest.mark.parametrize("count", [1, 2, 7])
def test_the_row_that_cannot_be_searched_is_named(count: int) -> None:
    """Among many, the one is told whose values are none that this package writes, and what to do."""
    rows = [row(f"m{number}") for number in range(count)]
    rows[count // 2] = row(f"m{count // 2}", kind="x")  # as SQL may write it
    columns = SearchColumns.of(rows)
    with (
        pytest.raises(IntegrityError, match=rf"memory 'm{count // 2}'.*verify\(\).*replay\(\)"),
        taking("memory", columns.rows, lambda some: ScopeView().apply(some, 1)),
    ):
        ScopeView().apply_columns(columns, 1)


def test_an_error_that_no_row_makes_stays_what_it_is() -> None:
    """A fault of ours is none of the data's, and what an argument lacks is said as ever."""
    rows = SearchColumns.of([row("m1")]).rows()
    for error in (KeyError("ours"), ConfigurationError("yours")):
        with (
            pytest.raises(type(error), match=str(error.args[0])),
            taking("memory", lambda: rows, lambda some: ScopeView().apply(some, 1)),
        ):
            raise error


def test_columns_give_back_their_rows() -> None:
    """All but the vectors, which are joined."""
    rows = [row("m1", vector=(1.0, 0.0)), row("m2")]
    assert SearchColumns.of(rows).rows() == [it._replace(vector=None) for it in rows]


def test_a_row_that_was_put_right_is_searched_by_the_process_that_met_it(path: Path) -> None:
    """A row that another program altered fails each search by name; `replay` makes it anew, for all of them."""
    with opened(path) as memory:
        with closing(sqlite3.connect(path)) as another:
            another.execute("UPDATE agentmem_memories SET kind = 'x'")
            another.commit()
        for _ in range(2):
            with pytest.raises(IntegrityError, match="replay"):
                memory.long_term.recall("boat", scope=ALICE)
        assert "replay()" in memory.long_term.verify(ALICE).problems[0].finding
        memory.long_term.replay(ALICE)
        assert len(memory.long_term.recall("Which boat does Alice own?", scope=ALICE, limit=9)) > 0
