"""Commands at a database whose logs are signed."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from langchain_agentmem import AgentMemory, Scope
from tests.unit_tests.cli.commands import answer, refusal, run

ALICE: Final = Scope("alice")
KEY: Final = "0123456789abcdef0123456789abcdef"
WRITING: Final = (
    ["recall", "where?", "--words-only"],
    ["chat", "--say", "hi", "--words-only"],
    ["forget", "--all", "--yes"],
    ["restore", "--all", "--yes"],
    ["erase", "--all", "--yes"],
    ["undo", "1", "--yes"],
    ["forget-cycle", "--yes"],
    ["erase-user", "--yes"],
    ["hold", "--reason", "court"],
    ["consent", "grant"],
    ["consent", "withdraw"],
    ["approvals", "approve", "--all", "--by", "bob"],
)
LOOKING: Final = (
    ["list"],
    ["inspect"],
    ["timeline"],
    ["run"],
    ["verify"],
    ["consent", "status"],
    ["approvals", "list"],
)
OF_TWO_WORDS: Final = {"consent", "approvals"}


@pytest.fixture
def signed(tmp_path: Path) -> Path:
    """Give a database that was written with a key, by a program."""
    file = tmp_path / "agent.db"
    with AgentMemory.embedded(file, embeddings=None, consent="assumed", audit_key=KEY.encode()) as memory:
        memory.long_term.remember("Alice keeps a quokka", scope=ALICE)
    return file


def told_at(place: Path, command: list[str]) -> list[object]:
    words = 2 if command[0] in OF_TWO_WORDS else 1
    return [*command[:words], place, *command[words:], "--user", "alice"]


@pytest.mark.parametrize("command", WRITING, ids=lambda it: "-".join(it[:2]))
def test_what_may_write_to_a_signed_log_asks_for_the_file_that_names_the_key(
    signed: Path, command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is written: to the application's `verify` it would be what somebody forged."""
    before = signed.read_bytes()
    told = refusal(monkeypatch, capsys, *told_at(signed, command))
    assert all(it in told for it in (f"{signed}: its logs are signed", f"path: {signed} and audit_key: ${{NAME}}"))
    plain = signed.with_name("agentmem.yaml")
    plain.write_text("path: agent.db\nembeddings: null\n")
    assert f"write audit_key: ${{NAME}} into {plain}" in refusal(monkeypatch, capsys, *told_at(plain, command))
    assert signed.read_bytes() == before


@pytest.mark.parametrize("command", LOOKING, ids=lambda it: "-".join(it[:2]))
def test_what_only_looks_at_a_signed_log_takes_the_bare_file(signed: Path, command: list[str]) -> None:
    """And changes nothing in it."""
    assert run(*told_at(signed, command)).exit_code == 0
    with AgentMemory.embedded(signed, embeddings=None, audit_key=KEY.encode()) as memory:
        assert memory.long_term.verify(scope=ALICE).is_authenticated


def test_who_names_the_key_writes_what_it_vouches_for(signed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the variable that the configuration names."""
    monkeypatch.setenv("OUR_AUDIT_KEY", KEY)
    place = signed.with_name("agentmem.yaml")
    place.write_text("path: agent.db\nembeddings: null\naudit_key: ${OUR_AUDIT_KEY}\n")
    assert run("consent", "grant", place, "--user", "alice").exit_code == 0
    checked = answer("verify", place, "--user", "alice")
    assert (checked["is_intact"], checked["is_authenticated"], checked["events"]) == (True, True, 2)


def test_a_log_that_was_signed_late_says_so(signed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To who reads it, as to programs: what stood there before is vouched for by nobody."""
    with AgentMemory.embedded(signed, embeddings=None, consent="assumed") as memory:
        memory.long_term.remember("Alice owns a boat", scope=ALICE)
    with AgentMemory.embedded(signed, embeddings=None, consent="assumed", audit_key=KEY.encode()) as memory:
        memory.long_term.remember("Alice owns a bicycle", scope=ALICE)
    monkeypatch.setenv("OUR_AUDIT_KEY", KEY)
    place = signed.with_name("agentmem.yaml")
    place.write_text("path: agent.db\nembeddings: null\naudit_key: ${OUR_AUDIT_KEY}\n")
    assert "no key vouches for events 1 to 2" in run("verify", place, "--user", "alice").output
    assert answer("verify", place, "--user", "alice")["unsigned_to"] == 2


def test_doctor_tells_that_logs_are_signed(signed: Path) -> None:
    """Also where it is given no key."""
    [look] = [it for it in answer("doctor", signed) if it["name"] == "protection"]
    assert (look["state"], "key not named here" in look["found"]) == ("note", True)
