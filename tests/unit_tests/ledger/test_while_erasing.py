"""What `verify` says of a user who is being erased, however long that takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from langchain_core.messages import HumanMessage
from sqlalchemy import bindparam, delete

from langchain_agentmem import (
    AgentMemError,
    AgentMemory,
    Candidate,
    ConflictError,
    KeyFolder,
    RetentionError,
    Scope,
    StorageError,
    SubjectVault,
)
from langchain_agentmem._flow import Flow, flows_of, run
from langchain_agentmem.ledger.base import Draft, Page
from langchain_agentmem.ledger.sql import SQLLedger
from langchain_agentmem.ledger.sql.ending import EndingWriter
from langchain_agentmem.ledger.verification import Verification
from langchain_agentmem.policies.consent_request import ConsentRequest
from langchain_agentmem.privacy.erasing import Erasure
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.schema import MEMORIES
from tests.contracts.tamper_contract import BAD, CHAIN_ATTACKS, HEAD, ROW, ROW_ATTACKS
from tests.ledgers import ALICE, KEY, Clock, history, put, sql
from tests.ledgers import memory as remembered

MAY_BE_GONE: Final = frozenset(
    {"payload gone", "first payload gone", "payload of the erasure gone", "payload put back", "is_erasing"}
)
"""What an erasure does itself, now or before; and what has no effect while one is going on."""


ASKED: Final[dict[str, Callable[[AgentMemory], object]]] = {
    "grant": lambda it: it.consent.grant(ALICE),
    "withdraw": lambda it: it.consent.withdraw(ALICE),
    "remember": lambda it: it.long_term.remember("Alice owns a car", scope=ALICE),
    "recall": lambda it: it.long_term.recall("boat?", scope=ALICE),
    "replay": lambda it: it.long_term.replay(scope=ALICE),
    "hold": lambda it: it.privacy.hold(ALICE, reason="late"),
    "export": lambda it: it.privacy.export(ALICE),
    "status": lambda it: it.consent.status(ALICE),
    "history": lambda it: it.consent.history(ALICE),
    "list": lambda it: it.long_term.list(scope=ALICE),
    "turns": lambda it: it.episodes.list(scope=ALICE),
    "events": lambda it: it.timeline.events(ALICE),
    "report": lambda it: it.privacy.report(ALICE),
    "profile": lambda it: it.profiles.get(ALICE),
}
"""What may be asked of a user who is being erased."""

WRITES: Final = {"grant", "withdraw", "remember", "recall", "replay", "hold", "export"}
MAY_BE_SEALED: Final = {"history", "events"}
"""What reads the log, of which nothing opens once the key is gone."""


def said_by(ask: Callable[[AgentMemory], object], memory: AgentMemory) -> str:
    """Return the error that a call says; none: it answers."""
    try:
        ask(memory)
    except AgentMemError as error:
        return f"{type(error).__name__}: {error}"
    return ""


def is_sealed(memory: AgentMemory) -> bool:
    return memory.vault.status()["ledger"] == "sealed"


def is_away(*_: object) -> Flow[None]:
    yield from ()
    msg = "the database is away"
    raise StorageError(msg, is_retryable=True)


def begin(writer: EndingWriter) -> None:
    writer.append(Draft(type="erasure_begun", note={"reason": "asked", "counts": {}}))


def empty(writer: EndingWriter) -> None:
    writer.empty_memories(writer.now(), writer.head.seq)


@pytest.fixture
def ledger() -> Iterator[SQLLedger]:
    """Make a log, and begin to erase its user."""
    database = Database("sqlite://")
    ledger = SQLLedger(database, clock=Clock(), key=KEY)
    history(ledger)
    run(ledger.end(ALICE, begin))
    yield ledger
    database.close()


@pytest.fixture(params=["plain", "sealed"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AgentMemory]:
    vault = SubjectVault(KeyFolder(tmp_path / "keys")) if request.param == "sealed" else None
    with AgentMemory.embedded(tmp_path / "agent.db", embeddings=None, vault=vault, audit_key=KEY) as memory:
        memory.consent.grant(ALICE, purposes=["support"])
        for text in ("Alice owns a boat", "Alice likes tea"):
            memory.long_term.remember(Candidate(content=text, kind="fact", purposes=("support",)), scope=ALICE)
        memory.history(Scope("alice", session_id="talk")).add_messages([HumanMessage("My sister flew to Lisbon")])
        yield memory


def test_a_log_is_intact_at_every_step_of_an_erasure(memory: AgentMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is gone already, the key too: `verify` says that the user is being erased, and finds nothing."""
    end: Callable[..., Flow[Any]] = SQLLedger.end
    found: list[Verification] = []

    def ended(self: SQLLedger, scope: Scope, body: Any, **options: Any) -> Flow[Any]:  # noqa: ANN401
        result = yield from end(self, scope, body, **options)
        found.append((yield from self.verify(ALICE)))
        return result

    monkeypatch.setattr(SQLLedger, "end", ended)
    assert memory.privacy.erase(ALICE).is_empty
    assert {problem for it in found for problem in it.problems} == set()
    assert {it.is_erasing for it in found[:-1]} == {True}
    assert len(found) > 10
    last = memory.long_term.verify(scope=ALICE)
    assert (last.is_intact, last.is_erasing, last.is_authenticated) == (True, False, True)


def test_every_call_says_the_same_at_every_step_of_an_erasure(
    memory: AgentMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is gone, the key too: who writes is told that the user is being erased, who reads finds what is left."""
    end: Callable[..., Flow[Any]] = SQLLedger.end
    told: list[tuple[str, str]] = []

    def ended(self: SQLLedger, scope: Scope, body: Any, **options: Any) -> Flow[Any]:  # noqa: ANN401
        result = yield from end(self, scope, body, **options)
        if (yield from self.read(scope, lambda reader: reader.head.is_erasing)):
            told.extend((name, said_by(ask, memory)) for name, ask in ASKED.items())
        return result

    monkeypatch.setattr(SQLLedger, "end", ended)
    assert memory.privacy.erase(ALICE).is_empty
    refused = {name for name, said in told if "this user is being erased" in said}
    assert {(name, said) for name, said in told if "this user is being erased" not in said and said} == set()
    assert {name for name, said in told if not said} == ASKED.keys() - WRITES
    assert refused == (WRITES | MAY_BE_SEALED if is_sealed(memory) else WRITES)
    assert len(told) > 10 * len(ASKED)


def test_who_is_being_erased_is_asked_for_no_consent(memory: AgentMemory) -> None:
    """An answer could not be recorded: nothing is open of a request, and `explain` says what goes on."""
    bob, request, flows = Scope("bob"), ConsentRequest(), flows_of(memory.consent)
    assert run(flows.open(bob, request)) is not None
    run(memory.privacy._parts.erasure.begin(bob, "asked"))
    assert run(flows.open(bob, request)) is None
    assert "this user is being erased" in memory.consent.explain(bob, kind="fact")


def test_an_erasure_whose_key_is_gone_goes_on_with_all_keys(
    memory: AgentMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Broken off behind the destruction of the key, it is asked for once more, for every key, and ends."""
    with monkeypatch.context() as broken:
        broken.setattr(Erasure, "_end", is_away)
        with pytest.raises(StorageError, match="not erased yet"):
            memory.privacy.erase(ALICE)
    assert memory.privacy.report(ALICE).status == "erasing"
    assert memory.privacy.erase(ALICE, all_keys=True).status == "erased"
    assert memory.long_term.verify(scope=ALICE).is_intact


@pytest.mark.parametrize("is_emptied", [False, True])
@pytest.mark.parametrize("name", sorted(CHAIN_ATTACKS.keys() - MAY_BE_GONE))
def test_a_log_that_is_changed_while_its_user_is_erased_is_found(
    ledger: SQLLedger, name: str, *, is_emptied: bool
) -> None:
    """The chain, the head, and the payloads that are still there."""
    if is_emptied:
        run(ledger.end(ALICE, empty))
    assert run(ledger.verify(ALICE)).is_intact
    attack = CHAIN_ATTACKS[name]
    if callable(attack):
        attack(ledger.database)
    else:
        assert sql(ledger.database, attack, **({"bad": BAD} if ":bad" in attack else {})) >= 1
    assert not run(ledger.verify(ALICE)).is_intact


@pytest.mark.parametrize("is_emptied", [False, True])
@pytest.mark.parametrize("column", sorted(ROW_ATTACKS))
def test_a_row_that_is_changed_while_its_user_is_erased_is_found(
    ledger: SQLLedger, column: str, *, is_emptied: bool
) -> None:
    """A row says what the log says or nothing at all, never anything else."""
    if is_emptied:
        run(ledger.end(ALICE, empty))
    sql(ledger.database, "DELETE FROM agentmem_memories WHERE subject_id = 2")
    changed = ROW_ATTACKS[column].replace("NULL", "1" if is_emptied else "NULL")  # which it is then
    statement = ROW.format(f"{column} = {changed}")
    assert sql(ledger.database, statement, **({"bad": BAD} if ":bad" in statement else {})) == 1
    assert not run(ledger.verify(ALICE)).is_intact


def test_who_is_late_deletes_nothing_of_a_user_who_has_come_back(ledger: SQLLedger) -> None:
    """An erasure that another worker ended is over: whoever goes on with it is told, and changes nothing."""
    run(ledger.end(ALICE, lambda writer: writer.end({})))
    run(put(ledger, remembered("m0")))
    every = delete(MEMORIES).where(MEMORIES.c.subject_id == bindparam("subject"))
    with pytest.raises(ConflictError, match="another worker"):
        run(ledger.end(ALICE, lambda writer: writer.remove(every)))
    assert [it.id for it in run(ledger.read(ALICE, lambda reader: reader.page(Page())))] == ["m0"]
    assert run(ledger.verify(ALICE)).is_intact


def test_an_erasure_ended_in_the_table_is_found(ledger: SQLLedger) -> None:
    """The log says that it is going on; replay() restores it, and rebuilds nothing while it stands."""
    sql(ledger.database, HEAD.format("is_erasing = 0"))
    assert "erasure in force" in str(run(ledger.verify(ALICE)).problems)
    run(ledger.replay(ALICE))
    assert run(ledger.verify(ALICE)).is_intact
    with pytest.raises(RetentionError, match="is being erased"):
        run(ledger.replay(ALICE))
