"""The rights of users on SQLite; and what must not be imported."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from functools import partial
from multiprocessing.queues import SimpleQueue
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any, ClassVar

import pytest
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore
from sqlalchemy import Engine, event

from langchain_agentmem import AgentMemory, ConfigurationError, Scope, ScopeError
from langchain_agentmem._checks import utc_now
from langchain_agentmem._flow import Flow
from langchain_agentmem._flow import run as drive
from langchain_agentmem.index.stores.in_memory import IN_MEMORY
from langchain_agentmem.privacy.composing import NOT_OF_USERS
from langchain_agentmem.sensitive.coverage import COVERED, WORDLESS
from langchain_agentmem.sensitive.service import SCANNED
from langchain_agentmem.sql.schema import METADATA
from langchain_agentmem.vault.base import NullVault
from tests.contracts.privacy_contract import (
    ALICE,
    START,
    WORD,
    AnyLife,
    BadFiles,
    BreakingKeys,
    Open,
    PrivacyContract,
    Stored,
    fill,
    subject,
)
from tests.fake_embeddings import WordEmbeddings
from tests.unit_tests.cli.commands import answer, run
from tests.whole import ByTurns

OPTIONS: dict[str, Any] = {"embeddings": WordEmbeddings(dim=16), "store": {"subject": subject}}


class TestPrivacy(PrivacyContract):
    """On a file: every byte of it, of its write-ahead log and of what stands beside it."""

    @pytest.fixture
    def opened(self, tmp_path: Path) -> Open:
        return partial(AgentMemory.embedded, tmp_path / "database" / "agent.db")

    @pytest.fixture(autouse=True)
    def folder(self, tmp_path: Path) -> None:
        (tmp_path / "database").mkdir()

    @pytest.fixture
    def stored(self, tmp_path: Path) -> Stored:
        return lambda: b"".join(it.read_bytes() for it in (tmp_path / "database").iterdir())


class TestPrivacyUnderAVault(TestPrivacy):
    """Half of the laws, with keys: what is exported is opened, and what is brought in is sealed."""

    by_turns: ClassVar[ByTurns] = (PrivacyContract, 0)

    @pytest.fixture
    def vault(self) -> BreakingKeys:
        return BreakingKeys()


class TestBadFiles(BadFiles, AnyLife):
    """On a file."""

    @pytest.fixture
    def memory(self, tmp_path: Path) -> Iterator[AgentMemory]:
        with AgentMemory.embedded(tmp_path / "agent.db", embeddings=None) as memory:
            yield memory


def test_every_table_is_some_layers() -> None:
    """A new table cannot be forgotten by an export or an erasure: claim it in a layer, see `privacy/layers.py`."""
    with AgentMemory.in_memory(embeddings=None) as memory:
        layers = memory.privacy._parts.moving._layers()
    claimed = [name for layer in layers for name in layer.tables]
    assert sorted(claimed) == sorted(METADATA.tables.keys() - NOT_OF_USERS)


def test_every_layer_is_scanned() -> None:
    """A new layer cannot be left out by a scan: say in `sensitive/coverage.py` who looks through it, or why nobody."""
    with AgentMemory.in_memory(embeddings=None) as memory:
        layers = {layer.name for layer in memory.privacy._parts.moving._layers()}
        scans = {scan.layer for scan in memory.sensitive._scans()}
    assert layers <= COVERED.keys() | WORDLESS.keys()
    assert (scans, set(COVERED.values())) == (set(SCANNED), set(SCANNED))


class KillingVault(NullVault):
    """Ends its process as the key is to be destroyed: nothing can be cleaned up."""

    def destroy(self, scope: Scope, lineage: str | None = None) -> Flow[None]:
        os.kill(os.getpid(), signal.SIGKILL)
        yield from ()


def erase_until_killed(path: Path) -> None:
    with AgentMemory.embedded(path, **OPTIONS, vault=KillingVault()) as memory:
        memory.privacy.erase(ALICE)


def test_an_erasure_goes_on_after_a_kill(tmp_path: Path) -> None:
    """The process dies in the middle; whoever calls next, once its lease is over, finishes it."""
    path = tmp_path / "agent.db"
    with AgentMemory.embedded(path, **OPTIONS) as memory:
        fill(memory, ALICE, WORD)
    killed = multiprocessing.get_context("fork").Process(target=erase_until_killed, args=(path,))
    killed.start()
    killed.join()
    assert killed.exitcode == -signal.SIGKILL
    with AgentMemory.embedded(path, **OPTIONS, clock=lambda: utc_now() + timedelta(hours=1)) as memory:
        assert memory.privacy.report(ALICE).status == "erasing"
        assert memory.privacy.erase(ALICE).status == "erased"
        assert memory.long_term.verify(scope=ALICE).is_intact
    assert WORD.encode() not in b"".join(it.read_bytes() for it in tmp_path.iterdir())


def erase_beside(path: Path, begun: Barrier, results: SimpleQueue[tuple[str, bool]]) -> None:
    with AgentMemory.embedded(path, **OPTIONS) as memory:
        erasure = memory.privacy._parts.erasure
        begin = erasure.begin

        def both_begin(scope: Scope, reason: str, **more: bool) -> Flow[None]:
            yield from begin(scope, reason, **more)
            begun.wait(60)

        erasure.begin = both_begin  # type: ignore[method-assign]  # neither goes on before both have begun
        report = memory.privacy.erase(ALICE)
        results.put((report.status, report.is_empty))


def test_two_processes_that_erase_at_once_are_one(tmp_path: Path) -> None:
    """Both end with the same report and without an error; the log tells of one erasure."""
    path, fork = tmp_path / "agent.db", multiprocessing.get_context("fork")
    with AgentMemory.embedded(path, embeddings=None, consent="assumed") as memory:
        memory.long_term.remember("Alice owns a boat", scope=ALICE)
    begun, results = fork.Barrier(2), fork.SimpleQueue()
    workers = [fork.Process(target=erase_beside, args=(path, begun, results)) for _ in range(2)]
    for it in workers:
        it.start()
    for it in workers:
        it.join()
    assert [it.exitcode for it in workers] == [0, 0]
    assert [results.get() for _ in workers] == [("erased", True)] * 2
    with AgentMemory.embedded(path, embeddings=None) as memory:
        types = [it.type for it in memory.timeline.events(ALICE)]
        assert memory.long_term.verify(scope=ALICE).is_intact
    assert [types.count(it) for it in ("erasure_begun", "subject_erased")] == [1, 1]


def test_every_statement_finds_the_user_by_an_index(tmp_path: Path) -> None:
    """Export, import, report and erasure read no table from end to end: of other users nothing is looked at."""
    asked: dict[str, Any] = {}

    def note(_c: object, _k: object, statement: str, values: Any, _x: object, many: bool) -> None:  # noqa: ANN401, FBT001  (SQLAlchemy's)
        asked[statement] = values[0] if many else values

    with AgentMemory.in_memory(**OPTIONS) as memory:
        fill(memory, ALICE, WORD)
        event.listen(Engine, "before_cursor_execute", note)
        try:
            memory.privacy.export(ALICE, tmp_path / "alice.jsonl", sealed=False)
            memory.privacy.erase(ALICE)
            memory.privacy.import_(tmp_path / "alice.jsonl", scope=ALICE)
        finally:
            event.remove(Engine, "before_cursor_execute", note)
        plans = drive(memory._database.read(lambda it: {name: plan_of(it, name, asked[name]) for name in asked}))
    scans = {step for plan in plans.values() for step in plan if step.startswith("SCAN agentmem_")}
    assert len(plans) > 40
    assert {it for it in scans if it.split()[1] not in NOT_OF_USERS} == set()


def plan_of(connection: Any, statement: str, values: Any) -> list[str]:  # noqa: ANN401  (a driver's)
    if not statement.startswith(("SELECT", "UPDATE", "DELETE", "INSERT", "WITH")):
        return []
    return [row[3] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values)]


def test_one_user_among_hundreds_is_erased_alone(tmp_path: Path) -> None:
    """Ids, scores and rows of the others stay, and each statement asks an index for the user."""
    others = [Scope(f"user-{number}") for number in range(100)]
    settings: dict[str, Any] = {"embeddings": None, "consent": "assumed", "clock": lambda: START}
    with AgentMemory.embedded(tmp_path / "agent.db", **settings) as memory:
        for number, other in enumerate(others):
            memory.long_term.remember(f"user {number} likes green tea", scope=other)
        fill(memory, ALICE, WORD)

        def asked(each: Scope) -> list[Any]:
            found = memory.long_term.recall("green tea?", scope=each)
            return [(it.memory, it.parts["relevance"]) for it in found]

        before = [asked(each) for each in others]
        memory.privacy.erase(ALICE)
        after = [asked(each) for each in others]
        assert (after, all(before)) == (before, True)
        assert all(memory.long_term.verify(scope=each).is_intact for each in others[:5])


class SilentStore(InMemoryVectorStore):
    """A vector store that cannot tell how many rows of a user it holds."""

    agentmem_dialect = replace(IN_MEMORY, holds=None)


def test_an_erasure_ends_beside_a_store_that_cannot_tell() -> None:
    """Every row is deleted by its id; nobody waits for an answer that does not come."""
    made: list[SilentStore] = []

    def build(embeddings: Embeddings) -> SilentStore:
        made.append(SilentStore(embeddings))
        return made[-1]

    settings: dict[str, Any] = {"embeddings": WordEmbeddings(dim=16), "index": build, "consent": "assumed"}
    with AgentMemory.connect(sql="sqlite://", **settings) as memory:
        memory.long_term.remember("Alice owns a boat", scope=ALICE)
        assert len(made[0].store) == 1
        assert memory.privacy.erase(ALICE).is_empty
        assert len(made[0].store) == 0


@pytest.mark.parametrize(
    ("wrong", "error", "why"),
    [
        (lambda privacy: privacy.erase("alice"), ScopeError, "scope must be a Scope"),
        (lambda privacy: privacy.export(Scope.anonymous("s")), ScopeError, "names no user"),
        (lambda privacy: privacy.export(ALICE, 7), ConfigurationError, "path_or_file must be"),
        (lambda privacy: privacy.import_(b"x", scope=ALICE), ConfigurationError, "path must be a path"),
        (lambda privacy: privacy.hold(ALICE, reason=""), ConfigurationError, "reason"),
    ],
)
def test_bad_input_is_refused_before_anything_is_opened(
    wrong: Callable[..., object], error: type[Exception], why: str
) -> None:
    """It names the argument, and what would work."""
    with AgentMemory.in_memory(embeddings=None) as memory, pytest.raises(error, match=why):
        wrong(memory.privacy)


def test_the_command_line_exports_holds_erases_and_imports(tmp_path: Path) -> None:
    """A dry run changes nothing; a no neither."""
    path, file, user = tmp_path / "agent.db", tmp_path / "alice.jsonl", ("--user", "alice")
    with AgentMemory.embedded(path, embeddings=None) as memory:
        memory.consent.grant(ALICE)
        memory.long_term.remember("Alice owns a boat", scope=ALICE)
    assert answer("export", path, file, *user, "--plain")["counts"]["memories"] == 1  # it is to outlive the key
    assert answer("hold", path, *user, "--reason", "a case")["is_held"]
    assert answer("erase-user", path, *user, "--dry-run")["status"] == "held"
    assert answer("erase-user", path, "--user", "nobody", "--dry-run")["status"] == "unknown"
    assert answer("export", path, tmp_path / "own.jsonl", *user, "--plain")["is_sealed"] is False
    assert not answer("hold", path, *user, "--reason", "over", "--release")["is_held"]
    assert run("erase-user", path, *user, input="n\n").exit_code == 1
    assert answer("erase-user", path, *user, "--yes")["status"] == "erased"
    assert answer("import", path, file, *user, "--dry-run")["added"] == {}
    assert answer("import", path, file, *user)["added"]["memories"] == 0
    assert answer("import", path, file, *user, "--trust-consent")["added"]["memories"] == 1
    assert "records written for alice" not in run("import", path, file, *user, "--dry-run").output
    told = " ".join(run("import", path, file, *user, "--trust-consent").output.split())
    assert "events of the log are in the file alone" in told
