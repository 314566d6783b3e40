"""Values that SQL wrote where another type belongs: SQLite takes any into any column."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from shutil import copy
from typing import Final

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, Scope, create_memory_graph
from langchain_agentmem._flow import run
from langchain_agentmem.errors import AgentMemError, IntegrityError
from langchain_agentmem.index import snapshot
from langchain_agentmem.sql.columns import METADATA
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.mistyped import find_mistyped
from tests.fake_embeddings import WordEmbeddings
from tests.meta_tests.package import ROOT

ALICE: Final = Scope("alice", session_id="s")
VALUES: Final = ("'x'", "x'ff00fe'", "-7", "1e400")
TABLES: Final = ("subjects", "events", "payloads", "memories", "vectors", "models", "access", "messages", "episodes")

ASKED: Final[dict[str, Callable[[AgentMemory], object]]] = {
    "recall": lambda it: it.long_term.recall("Where does Alice live now? Nora", scope=ALICE),
    "remember": lambda it: it.long_term.remember("Alice has a dog", scope=ALICE),
    "list": lambda it: [it.long_term.why(each.id, scope=ALICE) for each in it.long_term.list(ALICE)],
    "history": lambda it: it.history(ALICE).messages,
}


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file in which every table that is read here has a row; each process reads all of them."""
    monkeypatch.setattr(snapshot, "KEPT_FROM", 1_000)
    path = tmp_path / "agent.db"
    with opened(path) as memory:
        memory.long_term.remember("Alice lives in Paris", scope=ALICE)
        memory.history(ALICE).add_messages([HumanMessage("My sister Nora flew to Lisbon", id="1")])
        memory.long_term.recall("Where does Alice live?", scope=ALICE)
    return path


def opened(path: Path) -> AgentMemory:
    return AgentMemory.embedded(path, embeddings=WordEmbeddings(dim=16), consent="assumed")


def write(path: Path, statement: str) -> bool:
    """Do what another program may do; whether SQLite let it."""
    with closing(sqlite3.connect(path)) as connection, suppress(sqlite3.IntegrityError):
        changed = connection.execute(statement).rowcount
        connection.commit()
        return bool(changed)
    return False


def altered(path: Path, table: str) -> Iterator[Path]:
    """Yield copies of a file, each with one column of a table overwritten."""
    for column in METADATA.tables[f"agentmem_{table}"].c:
        for value in VALUES:
            damaged = Path(copy(path, path.with_name(f"{column.name}.db")))
            if write(damaged, f"UPDATE agentmem_{table} SET {column.name} = {value}"):  # noqa: S608  (our own names)
                yield damaged


def refusals(path: Path) -> list[AgentMemError]:
    """Return what is said where calls cannot be answered; an error of anybody else's comes through."""
    told = []
    with opened(path) as memory:
        for ask in ASKED.values():
            try:
                ask(memory)
            except AgentMemError as error:
                told.append(error)
    return told


@pytest.mark.parametrize("table", TABLES)
def test_a_value_of_another_type_is_answered_or_named(path: Path, table: str) -> None:
    """Whatever is written into whatever column, a call answers, or says that what is stored cannot be read."""
    told = [error for damaged in altered(path, table) for error in refusals(damaged)]
    assert any(isinstance(it, IntegrityError) for it in told)


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("agentmem_subjects SET head_seq = 'x'", r"\(subject_id=1\) of agentmem_subjects holds text in 'head_seq'"),
        ("agentmem_memories SET kind = 'x'", r"of memory '\w+' cannot be searched"),
        ("agentmem_vectors SET vector = 5", r"memory_id='\w+', .*\) of agentmem_vectors holds integer in 'vector'"),
        ("agentmem_episodes SET place = 'x'", r"of episode '[\w-]+' cannot be searched"),
    ],
)
def test_a_status_names_the_row_and_the_remedy(path: Path, statement: str, named: str) -> None:
    """The turn is answered; its status says which row cannot be read, and what to do."""
    write(path, f"UPDATE {statement}")
    with opened(path) as memory:
        graph = create_memory_graph(FakeListChatModel(responses=["Fine."]), memory=memory)
        state = graph.invoke({"messages": [("user", "Where does Alice live?")]}, context={"user_id": "alice"})
    assert state["messages"][-1].text == "Fine."
    status = state["memory"]["status"]
    assert re.match(f"degraded: IntegrityError: .*{named}.*run verify\\(\\)", status)


@pytest.mark.parametrize("name", sorted(it.name for it in (ROOT / "tests" / "fixtures" / "databases").glob("*.db")))
def test_nothing_of_ours_is_mistyped(tmp_path: Path, name: str) -> None:
    """What every release wrote is of the types that this one looks for."""
    path = Path(copy(ROOT / "tests" / "fixtures" / "databases" / name, tmp_path / name))
    database = Database(f"sqlite:///{path}")
    run(database.open())
    database.close()
    with closing(sqlite3.connect(path)) as connection:
        assert find_mistyped(connection) is None


def test_an_error_of_who_asks_stays_what_it_is(path: Path) -> None:
    """Where every row is as it was written, the body's own error comes through."""
    database = Database(f"sqlite:///{path}")
    with pytest.raises(KeyError, match="ours"):
        run(database.read(lambda _: dict[str, int]()["ours"]))
    database.close()


def test_a_table_that_takes_no_row_anew_is_damage(path: Path) -> None:
    """Where `replay` has emptied the table and cannot fill it, what is in the file contradicts itself."""
    write(path, "CREATE TRIGGER t BEFORE INSERT ON agentmem_memories BEGIN SELECT RAISE(ABORT, 'no'); END")
    with opened(path) as memory, pytest.raises(IntegrityError, match="backup"):
        memory.long_term.replay(ALICE)
