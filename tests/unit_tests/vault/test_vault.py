"""The contract of the vault on SQLite."""

from __future__ import annotations

import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from secrets import token_bytes

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, IntegrityError, KeyEnvironment, KeyFolder, SubjectVault, _storing
from langchain_agentmem._flow import run
from tests.conftest import Call
from tests.contracts.vault_contract import ALICE, BOB, WORD, Open, VaultContract, fill, read


class TestVault(VaultContract):
    """The whole contract; what is stored is the bytes of the files."""

    @pytest.fixture
    def sql_url(self, tmp_path: Path) -> str:
        return f"sqlite:///{tmp_path / 'data' / 'agent.db'}"

    @pytest.fixture(autouse=True)
    def folder(self, tmp_path: Path) -> Path:
        folder = tmp_path / "data"
        folder.mkdir()
        return folder

    def stored(self, memory: AgentMemory) -> bytes:
        run(memory._database.scrub())
        folder = Path(str(memory._database.url.database)).parent
        return b"".join(file.read_bytes() for file in folder.iterdir()).lower() + super().stored(memory)

    async def test_a_restored_backup_stays_erased(
        self, open_memory: Open, folder: Path, tmp_path: Path, call: Call
    ) -> None:
        """The file as it was before the erasure, put back beside today's keys, tells nothing of who was erased."""
        memory = open_memory()
        await fill(memory, ALICE, call)
        await fill(memory, BOB, call)
        run(memory._database.scrub())
        backup = shutil.copytree(folder, tmp_path / "backup")
        assert (await call(memory.privacy, "erase", ALICE, reason="asked by letter")).is_empty
        memory.close()
        shutil.rmtree(folder)
        shutil.copytree(backup, folder)
        restored = open_memory()
        thread = {"configurable": {"thread_id": "thread-alice"}}
        ways: tuple[tuple[object, str, tuple[object, ...], dict[str, object]], ...] = (
            (restored.long_term, "list", (), {"scope": ALICE}),
            (restored.long_term, "recall", (WORD,), {"scope": ALICE}),
            (restored.episodes, "list", (), {"scope": ALICE}),
            (restored.runs, "steps", ("run-1",), {"scope": ALICE}),
            (restored.working, "get", (ALICE,), {}),
            (restored, "conversations", (ALICE,), {}),
            (restored.checkpointer, "get_tuple", (thread,), {}),
            (restored.store, "get", (("users", "alice"), "k"), {}),
        )
        for part, name, told, named in ways:
            with pytest.raises(IntegrityError, match="destroyed with an erasure"):
                await call(part, name, *told, **named)
        with pytest.raises(IntegrityError, match="destroyed with an erasure"):
            await restored.history(ALICE).aget_messages()
        checked = await call(restored.vault, "check", ALICE)
        assert len(checked.unreadable) == checked.values > 20
        assert not (await call(restored.long_term, "verify", scope=ALICE)).is_intact
        assert WORD in str(await read(restored, BOB, call)).lower()


async def test_another_epoch_closes_copies_of_the_keys_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call
) -> None:
    """Data *and* keys put back from before tell nothing of who was erased, once another master key wraps the rest."""
    for name in ("FIRST", "SECOND"):
        monkeypatch.setenv(name, token_bytes(32).hex())

    def opened(data: Path, *names: str, keys: str = "keys") -> AgentMemory:
        vault = SubjectVault(KeyFolder(tmp_path / keys, master=KeyEnvironment(*names)))
        return AgentMemory.embedded(data, embeddings=None, consent="assumed", vault=vault)

    with opened(tmp_path / "agent.db", "FIRST") as memory:
        for scope in (ALICE, BOB):
            await call(memory.long_term, "remember", f"Owns a {WORD}", scope=scope)
        shutil.copytree(tmp_path / "keys", tmp_path / "old-keys")
        with (
            closing(sqlite3.connect(tmp_path / "agent.db")) as data,
            closing(sqlite3.connect(tmp_path / "old.db")) as old,
        ):
            data.backup(old)
        await call(memory.privacy, "erase", ALICE, reason="asked")
    with opened(tmp_path / "agent.db", "SECOND", "FIRST") as memory:
        assert await call(memory.vault, "rotate_master") == 2  # bob's, and alice's new ones, which say that she went
    both = opened(tmp_path / "old.db", "SECOND", keys="old-keys")
    with both as restored, pytest.raises(IntegrityError, match="it was rotated out"):
        await call(restored.long_term, "list", scope=ALICE)
    with opened(tmp_path / "old.db", "SECOND") as restored:
        with pytest.raises(IntegrityError, match="destroyed with an erasure"):
            await call(restored.long_term, "list", scope=ALICE)
        assert WORD in (await call(restored.long_term, "list", scope=BOB))[0].content


async def test_an_erasure_can_begin_another_epoch_by_itself(tmp_path: Path, call: Call) -> None:
    """Keys put back from before, without the master key of then, open for nobody; those who are left read on."""

    def opened(keys: str) -> AgentMemory:
        vault = SubjectVault(KeyFolder(tmp_path / keys, rekeys=True))
        return AgentMemory.embedded(tmp_path / "agent.db", embeddings=None, consent="assumed", vault=vault)

    with opened("keys") as memory:
        for scope in (ALICE, BOB):
            await call(memory.long_term, "remember", f"Owns a {WORD}", scope=scope)
        shutil.copytree(tmp_path / "keys", tmp_path / "old-keys", ignore=shutil.ignore_patterns("master.key"))
        before = (tmp_path / "keys" / "master.key").read_bytes()
        await call(memory.privacy, "erase", ALICE, reason="asked")
        assert WORD in (await call(memory.long_term, "list", scope=BOB))[0].content
    after = (tmp_path / "keys" / "master.key").read_bytes()
    assert before not in after
    (tmp_path / "old-keys" / "master.key").write_bytes(after)
    for scope in (ALICE, BOB):
        with opened("old-keys") as restored, pytest.raises(IntegrityError, match="it was rotated out"):
            await call(restored.long_term, "list", scope=scope)
    with opened("keys") as memory:
        assert WORD in (await call(memory.long_term, "list", scope=BOB))[0].content


def test_memory_in_the_clear_is_warned_of_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a file without a vault: one warning per process, which names the page; none in memory or under a vault."""
    monkeypatch.setattr(_storing, "_warned", set())
    AgentMemory.in_memory(embeddings=None).close()
    vault = SubjectVault(KeyFolder(tmp_path / "keys"))
    AgentMemory.embedded(tmp_path / "sealed.db", embeddings=None, vault=vault).close()
    assert not caplog.records
    for name in ("first.db", "second.db"):
        AgentMemory.embedded(tmp_path / name, embeddings=None).close()
    assert [it.levelname for it in caplog.records] == ["WARNING"]
    assert "docs/vault.md" in caplog.text


ROTATING = """
import os, signal, sys
from langchain_agentmem import AgentMemory, KeyFolder, Scope, SubjectVault
from langchain_agentmem.vault import walking

def run(batch, connection, left=iter(range(25)), run=walking._Batch.run):
    run(batch, connection)
    if next(left, None) is None:
        os.kill(os.getpid(), signal.SIGKILL)

walking.BATCH_ROWS, walking._Batch.run = 1, run
memory = AgentMemory.embedded(sys.argv[1], vault=SubjectVault(KeyFolder(sys.argv[2])), embeddings=None)
print("begun", flush=True)
memory.vault.rotate(Scope("alice"))
"""
"""Rotates a row for each transaction, and is killed within the twenty-sixth."""


def test_a_rotation_that_was_killed_goes_on_beside_others(tmp_path: Path) -> None:
    """Killed in the middle, while another process writes and reads: nothing is lost, and the next call finishes it."""
    path, keys, size = tmp_path / "agent.db", tmp_path / "keys", 20
    with AgentMemory.embedded(path, vault=SubjectVault(KeyFolder(keys)), embeddings=None, consent="assumed") as memory:

        def remember(number: int) -> None:
            memory.history(ALICE).add_messages([HumanMessage(f"{WORD} no. {number}")])

        memory.long_term.remember(f"Owns a {WORD}", scope=ALICE)
        for number in range(size):
            remember(number)
        with subprocess.Popen([sys.executable, "-c", ROTATING, str(path), str(keys)], stdout=subprocess.PIPE) as other:
            assert other.stdout is not None
            assert other.stdout.readline()
            for number in range(size, 2 * size):
                remember(number)
            assert other.wait(60) == -signal.SIGKILL
        assert [it.text for it in memory.history(ALICE).messages] == [f"{WORD} no. {it}" for it in range(2 * size)]
        assert memory.vault.rotate(ALICE).values > 0
        assert memory.vault.rotate(ALICE).values == 0
        assert len(memory.history(ALICE).messages) == 2 * size
        assert memory.long_term.verify(scope=ALICE).is_intact
