from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from langchain_agentmem import (
    AgentMemory,
    ConfigurationError,
    GovernanceError,
    IntegrityError,
    KeyFolder,
    Scope,
    ScopeError,
    SensitivePolicy,
    StorageError,
    SubjectVault,
    transfer,
)
from langchain_agentmem._flow import run
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.transfer.lines import Seal
from langchain_agentmem.transfer.working import FORMAT
from langchain_agentmem.working.service import WorkingMemory
from tests.conftest import Call
from tests.contracts.history_backends import ReversingVault
from tests.contracts.state_backends import SQLStateBackend
from tests.contracts.working_transfer_contract import ALICE, BOB, WorkingTransferContract, in_session


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
    assert not source.sessions(ALICE)


def test_what_cannot_be_moved_is_refused_before_anything_is_read(source: WorkingMemory, tmp_path: Path) -> None:
    """No store, no scope, no path, or a memory that takes nothing."""
    source.update(in_session("s"), goal="x")
    frozen = WorkingMemory(SQLStateBackend(Database("sqlite://")).states(), mode="frozen")
    wrong: Any = "alice"
    with pytest.raises(ConfigurationError, match="target"):
        transfer.copy_working(source, wrong, scope=ALICE)
    with pytest.raises(ScopeError):
        transfer.copy_working(source, source, scope=wrong)
    with pytest.raises(ConfigurationError, match="file must be a path"):
        transfer.export_working(source, 7, scope=ALICE)  # type: ignore[arg-type]  # what is refused
    with pytest.raises(StorageError, match="cannot be written"):
        transfer.export_working(source, tmp_path / "nowhere" / "a.jsonl", scope=ALICE)
    with pytest.raises(GovernanceError):
        transfer.copy_working(source, frozen, scope=ALICE)


def test_an_export_neither_prolongs_nor_counts(source: WorkingMemory, tmp_path: Path) -> None:
    """Who looks at a task is not at work on it."""
    source.update(in_session("s"), goal="x")
    before = source.sessions(Scope("alice"))
    transfer.export_working(source, tmp_path / "a.jsonl", scope=ALICE)
    assert source.sessions(Scope("alice")) == before


@pytest.fixture
def vault(tmp_path: Path) -> SubjectVault:
    return SubjectVault(KeyFolder(tmp_path / "keys"))


def opened(vault: SubjectVault | None) -> WorkingMemory:
    return SQLStateBackend(Database("sqlite://")).working(**({} if vault is None else {"vault": vault}))


async def test_under_a_vault_an_export_is_sealed(tmp_path: Path, vault: SubjectVault, call: Call) -> None:
    """With the user's key: their states come back whole, and no byte of them stands in the file."""
    source, target, file = opened(vault), opened(vault), tmp_path / "a.jsonl"
    for name in ("s", "t"):
        await call(source, "update", in_session(name), goal=f"find the quokka of {name}")
    assert (await call(transfer, "export_working", source, file, scope=ALICE)).added == 2
    written = file.read_bytes()
    assert b"quokka" not in written
    assert b"langchain-agentmem/sealed-working" in written
    assert await call(transfer, "import_working", target, file, scope=ALICE, dry_run=True) == transfer.WorkingTransfer(
        found=2, added=2, dry_run=True
    )
    assert (await call(transfer, "import_working", target, file, scope=ALICE)).added == 2
    assert (await call(target, "get", in_session("t"))).goal == "find the quokka of t"
    await call(transfer, "export_working", source, file, scope=ALICE, sealed=False)
    assert b"quokka" in file.read_bytes()


def test_a_sealed_export_opens_for_its_user_alone(tmp_path: Path, vault: SubjectVault) -> None:
    """Not for another user, without the vault, with lines in another order, or once the user's key is gone."""
    source, target, file = opened(vault), opened(vault), tmp_path / "a.jsonl"
    for name in ("s", "t"):
        source.update(in_session(name), goal="find the quokka")
    transfer.export_working(source, file, scope=ALICE)
    with pytest.raises(ConfigurationError, match="the export is sealed"):
        transfer.import_working(opened(None), file, scope=ALICE)
    with pytest.raises(IntegrityError, match=r"line 2 .*does not open"):
        transfer.import_working(target, file, scope=BOB)
    header, *lines = [json.loads(it) for it in file.read_bytes().splitlines()]
    swapped = [{name: it for name, it in body.items() if name != "digest"} for body in (header, *reversed(lines))]
    forged = tmp_path / "forged.jsonl"
    forged.write_bytes(line(*swapped))
    with pytest.raises(IntegrityError, match=r"line 2 .*does not open"):
        transfer.import_working(target, forged, scope=ALICE)
    run(vault.destroy(ALICE))
    with pytest.raises(IntegrityError, match=r"line 2 .*does not open"):
        transfer.import_working(target, file, scope=ALICE)
    assert not target.sessions(ALICE)


def test_without_a_vault_nothing_is_sealed(tmp_path: Path) -> None:
    """Who asks for it is told, and no file appears."""
    source = opened(None)
    source.update(in_session("s"), goal="x")
    with pytest.raises(ConfigurationError, match="no vault to seal an export with"):
        transfer.export_working(source, tmp_path / "a.jsonl", scope=ALICE, sealed=True)
    assert list(tmp_path.iterdir()) == []


def test_an_export_of_guarded_states_is_sealed(tmp_path: Path, vault: SubjectVault) -> None:
    """Whatever stands between a memory and its states: a policy of sensitive data, and who is asked."""
    made: dict[str, Any] = {
        "authorize": lambda *_: True,
        "sensitive": SensitivePolicy(layers={"working": "mask"}),
        "vault": vault,
    }
    with AgentMemory.in_memory(embeddings=None, consent="assumed", **made) as memory:
        memory.working.update(in_session("s"), goal="find the quokka")
        transfer.export_working(memory.working, tmp_path / "a.jsonl", scope=ALICE)
        assert b"quokka" not in (tmp_path / "a.jsonl").read_bytes()
        assert transfer.import_working(memory.working, tmp_path / "a.jsonl", scope=ALICE).present == 1
