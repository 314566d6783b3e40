"""Commands about the vault."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from langchain_agentmem import AgentMemory, KeyFolder, LostKeysError, Scope, SubjectVault
from langchain_agentmem.cli.program import UNMET
from tests.unit_tests.cli.commands import answer, refusal, run

ALICE = Scope("alice")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Give the configuration of a database that was written before it named a vault."""
    with AgentMemory.embedded(tmp_path / "agent.db", embeddings=None, consent="assumed") as memory:
        memory.long_term.remember("Alice lives in Paris", scope=ALICE)
    file = tmp_path / "agentmem.yaml"
    file.write_text("path: agent.db\nembeddings: null\nvault: keys\n")
    return file


def test_a_database_is_sealed_and_its_keys_are_rotated(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Said for programs: what is sealed, how much was, and that the earlier key stays for a while."""
    assert answer("vault", "status", place)["ledger"] == "not sealed"
    assert "seal_database" in refusal(monkeypatch, capsys, "list", place, "--user", "alice")
    assert run("vault", "seal", place, input="n\n").exit_code == 1
    assert answer("vault", "seal", place, "--yes")["values"] > 0
    assert set(answer("vault", "status", place).values()) == {"sealed"}
    assert "vault: keys" in refusal(monkeypatch, capsys, "list", place.with_name("agent.db"), "--user", "alice")
    checked = answer("vault", "check", place, "--user", "alice")
    assert checked["values"] > 0
    assert checked["unreadable"] == []
    with closing(sqlite3.connect(place.with_name("agent.db"), isolation_level=None)) as attacked:
        [kept] = attacked.execute("SELECT terms FROM agentmem_memories").fetchall()
        attacked.execute("UPDATE agentmem_memories SET terms = 'planted'")
        found = run("vault", "check", place, "--user", "alice")
        attacked.execute("UPDATE agentmem_memories SET terms = ?", kept)
    assert found.exit_code == UNMET
    assert "agentmem_memories" in found.output
    assert "not sealed" in found.output
    assert answer("vault", "rotate", place, "--user", "alice")["is_done"] is False
    assert answer("vault", "rotate-master", place) == {"wrapped": 1}
    assert "Paris" in run("list", place, "--user", "alice").output


@pytest.fixture
def sealed(tmp_path: Path) -> Path:
    """Give a database that was written with a vault, by a program."""
    vault, file = SubjectVault(KeyFolder(tmp_path / "keys")), tmp_path / "agent.db"
    with AgentMemory.embedded(file, embeddings=None, consent="assumed", vault=vault) as memory:
        memory.long_term.remember("Alice keeps a quokka", scope=ALICE)
    return file


OPENING = (
    ["list"],
    ["verify"],
    ["inspect"],
    ["why", "m"],
    ["timeline"],
    ["recall", "where?", "--words-only"],
    ["chat", "--say", "hi", "--words-only"],
    ["forget", "--all", "--dry-run"],
    ["rollback", "1"],
    ["consent", "status"],
    ["vault", "check"],
)


@pytest.mark.parametrize("command", OPENING, ids=lambda it: it[0])
def test_what_opens_a_sealed_database_asks_for_the_file_that_names_its_keys(
    sealed: Path, command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In words of the shell: whoever sits there passes no `vault=`. A configuration without one is named itself."""
    words = 2 if command[0] in {"consent", "vault"} else 1
    given = (*command[:words], sealed, *command[words:], "--user", "alice")
    told = refusal(monkeypatch, capsys, *given)
    assert all(it in told for it in (f"{sealed} is sealed", f"says path: {sealed} and vault: keys"))
    assert "vault=" not in told
    plain = sealed.with_name("agentmem.yaml")
    plain.write_text("path: agent.db\nembeddings: null\n")
    told = refusal(monkeypatch, capsys, *(plain if it == sealed else it for it in given))
    assert f"write the vault: that sealed it into {plain}" in told
    plain.write_text("path: agent.db\nembeddings: null\nvault: keys\n")
    if command == ["list"]:
        assert "quokka" in run("list", plain, "--user", "alice").output


def test_what_only_counts_takes_no_keys(sealed: Path) -> None:
    """How much there is, and that it is sealed, whoever has the file may see; nothing is written meanwhile."""
    before = sealed.read_bytes()
    assert answer("stats", sealed)["layers"]["memories"]["rows"] == 1
    assert answer("stats", sealed, "--user", "alice")["layers"]["memories"]["rows"] == 1
    assert answer("vault", "status", sealed)["ledger"] == "sealed"
    looks = {it["name"]: it for it in answer("doctor", sealed)}
    assert (looks["stored"]["state"], looks["jobs"]["state"]) == ("ok", "ok")
    assert (looks["protection"]["state"], "encrypted" in looks["protection"]["found"]) == ("note", True)
    assert "vault:" in looks["protection"]["remedy"]
    assert run("migrate", sealed, "--dry-run").exit_code == 0
    assert sealed.read_bytes() == before


def test_the_vault_of_a_place_without_one_is_asked_for_in_words_of_the_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where nothing is sealed yet."""
    file = tmp_path / "agent.db"
    with AgentMemory.embedded(file, embeddings=None) as memory:
        memory.consent.grant(ALICE)
    told = refusal(monkeypatch, capsys, "vault", "seal", file, "--yes")
    assert (f"{file} names no vault" in told, "vault: keys" in told, "SubjectVault" in told) == (True, True, False)


def test_the_keys_of_who_is_not_here_are_destroyed_in_the_shell_too(sealed: Path) -> None:
    """Where that is asked for: a database that never heard of the user leaves them otherwise."""
    place, folder = sealed.with_name("other.yaml"), KeyFolder(sealed.with_name("keys"))
    place.write_text("path: other.db\nembeddings: null\nvault: keys\n")
    with AgentMemory.embedded(sealed.with_name("other.db"), embeddings=None, vault=SubjectVault(folder)) as other:
        other.consent.grant(Scope("bob"))
    assert run("erase-user", place, "--user", "alice", "--yes").exit_code == 0
    with AgentMemory.embedded(sealed, embeddings=None, consent="assumed", vault=SubjectVault(folder)) as memory:
        assert len(memory.long_term.list(scope=ALICE)) == 1
    assert answer("erase-user", place, "--user", "alice", "--yes", "--all-keys")["status"] == "erased"
    with (
        AgentMemory.embedded(sealed, embeddings=None, consent="assumed", vault=SubjectVault(folder)) as memory,
        pytest.raises(LostKeysError),
    ):
        memory.long_term.list(scope=ALICE)
