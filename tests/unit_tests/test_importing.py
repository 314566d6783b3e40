"""An import keeps the rules of writing: consent, and what becomes of sensitive data."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableLambda

from langchain_agentmem import AgentMemory, KeyFolder, SensitivePolicy, SubjectVault
from langchain_agentmem._flow import run
from langchain_agentmem.errors import IntegrityError
from langchain_agentmem.types import KINDS
from tests.contracts.long_term_contract import Clock
from tests.contracts.privacy_contract import ALICE, BOB, forge, of
from tests.unit_tests.cli.commands import answer
from tests.unit_tests.cli.commands import run as invoke


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(clock: Clock) -> Iterator[AgentMemory]:
    with AgentMemory.in_memory(embeddings=None, clock=clock) as memory:
        yield memory


@pytest.fixture
def file(memory: AgentMemory, tmp_path: Path) -> Path:
    memory.consent.grant(ALICE)
    memory.long_term.remember("Alice owns a boat", scope=ALICE)
    memory.privacy.export(ALICE, tmp_path / "alice.jsonl")
    return tmp_path / "alice.jsonl"


@pytest.mark.parametrize("change", [{"status": "perhaps"}, {"purposes": "ads"}, {"expires_at": 5}, {"kinds": {"x": 1}}])
def test_consent_that_makes_no_sense_stops_everything(memory: AgentMemory, file: Path, change: dict[str, Any]) -> None:
    """It is looked at before anything is written, too."""
    forge(file, "consent", lambda data: data.update(change))
    with pytest.raises(IntegrityError, match="'consent' cannot be read"):
        memory.privacy.import_(file, scope=ALICE, as_=BOB)
    assert memory.privacy.report(BOB).is_empty


def test_an_import_never_widens_consent(memory: AgentMemory, tmp_path: Path, clock: Clock) -> None:
    """Kinds, purposes, what was taken back of them, source and end come as they were said, and no more."""
    ends = clock.now + timedelta(days=1)
    memory.consent.grant(ALICE, purposes=["support", "ads"], source="web", expires_at=ends)
    memory.consent.withdraw(ALICE, purposes=["ads"])
    memory.consent.grant(ALICE, kinds=["preference"])
    memory.consent.withdraw(ALICE, kinds=["preference"], purposes=["ads"])
    memory.consent.withdraw(ALICE, kinds=["episode"])
    memory.privacy.export(ALICE, tmp_path / "alice.jsonl")
    memory.privacy.import_(tmp_path / "alice.jsonl", scope=ALICE, as_=BOB, trust_consent=True)
    told, came = memory.consent.status(ALICE), memory.consent.status(BOB)
    for kind in KINDS:
        said, now = told.of(kind), came.of(kind)
        assert replace(said, at=None, source="") == replace(now, at=None, source=""), kind
    clock.now = ends
    assert memory.consent.status(BOB).of("fact").status == "expired"


def test_what_a_plain_file_says_of_consent_is_not_believed(memory: AgentMemory, file: Path) -> None:
    """Whoever wrote it may have written it: nothing comes of it without consent here, or the word of who imports."""
    forge(file, "consent", lambda data: data.update(status="granted", purposes=[], expires_at=None))
    done = memory.privacy.import_(file, scope=ALICE, as_=BOB)
    assert (done.layers["consent"].skipped, done.layers["memories"].skipped, done.added) == (1, 1, 0)
    assert memory.consent.status(BOB).status == "unknown"
    assert memory.privacy.import_(file, scope=ALICE, as_=BOB, trust_consent=True).layers["memories"].added == 1
    assert memory.consent.status(BOB).status == "granted"


def test_without_consent_no_word_comes_in_beside_memories(memory: AgentMemory, tmp_path: Path) -> None:
    """Questions in receipts, steps of runs, uses and values of tokens are kept as little as memories are."""
    memory.consent.grant(ALICE)
    known = memory.long_term.remember("Alice saw a quokka", scope=ALICE).require()
    memory.long_term.recall("which quokka?", scope=ALICE)
    run(memory._parts[0].ledger.append(ALICE, lambda it: it.sensitive.put(known.id, {"[id:quok]": "quokka-7"})))
    RunnableLambda(str.upper).invoke("a quokka", {"callbacks": [memory.runs.recorder(ALICE)]})
    memory.privacy.export(ALICE, tmp_path / "alice.jsonl")
    done = memory.privacy.import_(tmp_path / "alice.jsonl", scope=ALICE, as_=BOB)
    assert done.added == 0
    assert all(done.layers[it].skipped for it in ("receipts", "run_steps", "access", "tokens", "memories"))
    memory.consent.grant(BOB)
    done = memory.privacy.import_(tmp_path / "alice.jsonl", scope=ALICE, as_=BOB)
    assert all(done.layers[it].added for it in ("receipts", "run_steps", "access", "tokens", "memories"))


def test_where_silence_is_consent_a_plain_file_narrows_it(memory: AgentMemory, tmp_path: Path) -> None:
    """What the user took back, or limited, holds: anything else would widen what they said."""
    memory.consent.grant(ALICE, purposes=["support"])
    memory.consent.withdraw(ALICE, kinds=["preference"])
    memory.privacy.export(ALICE, tmp_path / "alice.jsonl")
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as other:
        other.privacy.import_(tmp_path / "alice.jsonl", scope=ALICE)
        assert other.consent.status(ALICE).of("fact").purposes == ("support",)
        assert other.consent.status(ALICE).of("preference").status == "withdrawn"


def test_a_sealed_export_of_ones_own_brings_its_consent(tmp_path: Path) -> None:
    """Nobody else could have sealed it; for another user it is nobody's word."""
    vault = SubjectVault(KeyFolder(tmp_path / "keys"))
    with AgentMemory.in_memory(embeddings=None, vault=vault) as memory:
        memory.consent.grant(ALICE)
        memory.long_term.remember("Alice owns a boat", scope=ALICE)
        memory.privacy.export(ALICE, tmp_path / "alice.jsonl")
    with AgentMemory.in_memory(embeddings=None, vault=vault) as other:
        assert other.privacy.import_(tmp_path / "alice.jsonl", scope=ALICE, as_=BOB).added == 0
        done = other.privacy.import_(tmp_path / "alice.jsonl", scope=ALICE)
        assert (done.layers["consent"].added, done.layers["memories"].added) == (1, 1)
        assert other.consent.status(BOB).status == "unknown"


def test_an_import_keeps_nothing_that_the_user_withdrew(memory: AgentMemory, file: Path) -> None:
    """Of neither facts nor turns; what may not be kept is counted as skipped."""
    memory.episodes.ingest([HumanMessage("the boat leaks", id="e1")], scope=of(ALICE, session_id="talk"))
    memory.privacy.export(ALICE, file)
    memory.consent.withdraw(BOB)
    done = memory.privacy.import_(file, scope=ALICE, as_=BOB)
    assert (done.layers["memories"].added, done.layers["memories"].skipped) == (0, 1)
    assert (done.layers["episodes"].added, done.layers["episodes"].skipped) == (0, 1)
    memory.consent.grant(BOB, kinds=["fact"])
    done = memory.privacy.import_(file, scope=ALICE, as_=BOB)
    assert (done.layers["memories"].added, done.layers["episodes"].added) == (1, 0)


def test_an_import_keeps_no_sensitive_data_that_a_write_would_not(memory: AgentMemory, file: Path) -> None:
    """What is blocked among facts is skipped, and what is to be redacted is."""
    forge(file, "memories", lambda data: data.update(content="Alice pays with 4111 1111 1111 1111"))
    assert memory.privacy.import_(file, scope=ALICE, as_=BOB, trust_consent=True).layers["memories"].skipped == 1
    policy = SensitivePolicy(rules={"card": "redact"})
    with AgentMemory.in_memory(embeddings=None, sensitive=policy) as other:
        other.privacy.import_(file, scope=ALICE, trust_consent=True)
        assert [it.content for it in other.long_term.list(scope=ALICE)] == ["Alice pays with [card]"]


QUESTION = "Who feeds the quokka?"
TOKEN = "[id:quokka]"


@pytest.fixture
def lived(memory: AgentMemory, tmp_path: Path) -> Path:
    """An export of two memories, a turn, a question, a value behind a token, a use, and a run that tells of both."""
    memory.consent.grant(ALICE)
    fed = memory.long_term.remember("Alice feeds a quokka", scope=ALICE).require()
    memory.long_term.remember("Alice owns a boat", scope=ALICE)
    memory.episodes.ingest([HumanMessage("I was at sea", id="e1")], scope=of(ALICE, session_id="talk"))
    memory.long_term.recall(QUESTION, scope=ALICE)
    run(memory._parts[0].ledger.append(ALICE, lambda it: it.sensitive.put(fed.id, {TOKEN: "quokka-7"})))
    for said in ("Alice feeds a quokka", "Alice owns a boat"):
        config: Any = {"callbacks": [memory.runs.recorder(ALICE)]}
        RunnableLambda(lambda it: it).invoke({"messages": [HumanMessage(said)]}, config)
    memory.privacy.export(ALICE, tmp_path / "lived.jsonl")
    return tmp_path / "lived.jsonl"


def told_again(memory: AgentMemory, path: Path) -> dict[str, str]:
    """Export once more, and return what each layer says."""
    memory.privacy.export(ALICE, path)
    found: dict[str, str] = {}
    for line in path.read_text().splitlines():
        said = json.loads(line)
        found[said.get("layer", "")] = found.get(said.get("layer", ""), "") + line
    return found


def test_what_was_erased_comes_back_with_nothing_else_of_a_file(
    memory: AgentMemory, lived: Path, tmp_path: Path, clock: Clock
) -> None:
    """The question that was about it has no words, its token no value, its use no count, and the run does not tell."""
    fed = next(it for it in memory.long_term.list(scope=ALICE) if "quokka" in it.content)
    memory.long_term.erase(fed.id, scope=ALICE)
    clock.now += timedelta(days=400)
    memory.jobs.run()  # receipts and runs have had their time: the file brings them
    before = told_again(memory, tmp_path / "before.jsonl")
    assert "receipts" not in before
    done = memory.privacy.import_(lived, scope=ALICE)
    assert (done.layers["receipts"].added, done.layers["tokens"].skipped) == (1, 1)
    after = told_again(memory, tmp_path / "after.jsonl")
    assert [name for name, said in after.items() if "quokka" in said.lower()] == []
    assert "owns a boat" in after["run_steps"]


def test_without_consent_a_file_brings_no_question(lived: Path, tmp_path: Path) -> None:
    """As of a recall here: of who does not consent no words are kept; nor is there a memory that they belong to."""
    with AgentMemory.in_memory(embeddings=None) as other:
        done = other.privacy.import_(lived, scope=ALICE)
        assert done.added == 0
        after = told_again(other, tmp_path / "after.jsonl")
        assert [name for name, said in after.items() if "quokka" in said.lower() or "boat" in said] == []


def test_where_all_may_come_all_comes(lived: Path, tmp_path: Path) -> None:
    """Words of questions, values and uses."""
    with AgentMemory.in_memory(embeddings=None) as other:
        other.privacy.import_(lived, scope=ALICE, trust_consent=True)
        after = told_again(other, tmp_path / "after.jsonl")
        assert QUESTION in after["receipts"]
        assert "quokka-7" in after["tokens"]
        assert {name for name, said in after.items() if "quokka" in said.lower()} >= {"memories", "run_steps"}


def test_the_command_line_says_what_an_import_leaves_out(file: Path, tmp_path: Path) -> None:
    """How many, and what helps; the exit code says that not all was done."""
    with AgentMemory.embedded(tmp_path / "other.db", embeddings=None) as other:
        other.consent.withdraw(ALICE)
    told = invoke("import", tmp_path / "other.db", file, "--user", "alice")
    said = told.output.replace("\n", " ")
    assert (told.exit_code, "ok" in said) == (1, False)
    assert "0 records written for alice, 1 memories left out" in said
    assert "consent grant" in said
    assert answer("import", tmp_path / "other.db", file, "--user", "alice")["left_out"] == 1
