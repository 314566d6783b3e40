from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from langchain_agentmem import ConfigurationError, GovernanceError, Scope, ScopeError, StorageError, transfer
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.transfer.lines import Seal
from langchain_agentmem.transfer.working import FORMAT
from langchain_agentmem.working.service import WorkingMemory
from tests.contracts.history_backends import ReversingVault
from tests.contracts.state_backends import SQLStateBackend
from tests.contracts.working_transfer_contract import ALICE, WorkingTransferContract, in_session


@pytest.fixture
def small() -> Iterator[WorkingMemory]:
    database = Database("sqlite://")
    yield SQLStateBackend(database).working()
    database.close()


@pytest.fixture
def sealed(tmp_path: Path) -> Iterator[WorkingMemory]:
    database = Database(f"sqlite:///{tmp_path / 'agent.db'}")
    yield SQLStateBackend(database).working(vault=ReversingVault())
    database.close()


@pytest.fixture
def source(small: WorkingMemory) -> WorkingMemory:
    return small


class TestToASealedFile(WorkingTransferContract):
    """The contract from SQLite in memory to a SQLite file under a vault."""

    @pytest.fixture
    def target(self, sealed: WorkingMemory) -> WorkingMemory:
        return sealed


class TestFromASealedFile(WorkingTransferContract):
    """The contract the other way."""

    @pytest.fixture
    def source(self, sealed: WorkingMemory) -> WorkingMemory:
        return sealed

    @pytest.fixture
    def target(self, small: WorkingMemory) -> WorkingMemory:
        return small


def line(*bodies: dict[str, Any]) -> bytes:
    seal = Seal()
    return b"".join(seal.close(body) for body in bodies)


HEADER = {"format": FORMAT, "version": 1, "states": 1}


@pytest.mark.parametrize(
    ("written", "error", "named"),
    [
        (line({**HEADER, "version": 2}), ConfigurationError, "version 2"),
        (line({**HEADER, "format": "langchain-agentmem/thread"}), StorageError, "no header"),
        (line(HEADER, {"session": "s", "state": {"goal": 7}}), StorageError, "no working state"),
        (line(HEADER, {"session": "", "state": {"goal": "x"}}), StorageError, "no working state"),
        (line(HEADER, {"state": {"goal": "x"}}), StorageError, "no working state"),
        (line({**HEADER, "states": 2}, *[{"session": "s", "state": {"goal": "x"}}] * 2), StorageError, "before it"),
    ],
)
def test_a_line_that_says_something_else_is_refused(
    source: WorkingMemory, tmp_path: Path, written: bytes, error: type[Exception], named: str
) -> None:
    """Whoever sealed it: a later version, another kind of file, a state that is none, the same one twice."""
    file = tmp_path / "working.jsonl"
    file.write_bytes(written)
    with pytest.raises(error, match=named):
        transfer.import_working(source, file, scope=ALICE)
    assert source.sessions(ALICE) == []


def test_what_cannot_be_moved_is_refused_before_anything_is_read(source: WorkingMemory, tmp_path: Path) -> None:
    """No store, no scope, no path, or a memory that takes nothing."""
    source.update(in_session("s"), goal="x")
    frozen = WorkingMemory(SQLStateBackend(Database("sqlite://")).states(), mode="frozen")
    wrong: Any = "alice"
    with pytest.raises(ConfigurationError, match="target"):
        transfer.copy_working(source, wrong, ALICE)
    with pytest.raises(ScopeError):
        transfer.copy_working(source, source, wrong)
    with pytest.raises(ConfigurationError, match="file must be a path"):
        transfer.export_working(source, ALICE, 7)  # type: ignore[arg-type]  # what is refused
    with pytest.raises(StorageError, match="cannot be written"):
        transfer.export_working(source, ALICE, tmp_path / "nowhere" / "a.jsonl")
    with pytest.raises(GovernanceError):
        transfer.copy_working(source, frozen, ALICE)


def test_an_export_neither_prolongs_nor_counts(source: WorkingMemory, tmp_path: Path) -> None:
    """Who looks at a task is not at work on it."""
    source.update(in_session("s"), goal="x")
    before = source.sessions(Scope("alice"))
    transfer.export_working(source, ALICE, tmp_path / "a.jsonl")
    assert source.sessions(Scope("alice")) == before
