"""What the vault promises of a database: nothing readable in any layer, nothing moved, nothing back from a backup."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final, TypeAlias

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.checkpoint.base import empty_checkpoint
from sqlalchemy import Connection

from langchain_agentmem import (
    AgentMemory,
    Candidate,
    ConfigurationError,
    ConflictError,
    IntegrityError,
    KeyFolder,
    LostKeysError,
    Outcome,
    RetentionError,
    Scope,
    SubjectVault,
)
from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem._vectors import pack_vector, unit_vector
from langchain_agentmem.ledger.base import LedgerWriter
from langchain_agentmem.ledger.sql import episode_rows
from langchain_agentmem.policies.forgotten import Asked
from langchain_agentmem.sessions.base import KeptSummary
from langchain_agentmem.sessions.sql import sealing
from langchain_agentmem.sql.schema import METADATA
from langchain_agentmem.states.form import Place
from langchain_agentmem.types.runs import RunStep
from langchain_agentmem.types.working_update import StateUpdate
from langchain_agentmem.vault import Cipher
from tests.conftest import Call
from tests.fake_embeddings import WordEmbeddings
from tests.spelled import spelled

ALICE, BOB = Scope("alice", session_id="s"), Scope("bob", session_id="s")
WORD = "quokka"
"""No other text has it, and no part of a database's own."""

TOKEN = "[id:quok]"
NOON = datetime(2026, 11, 2, 12, tzinfo=UTC)
Open: TypeAlias = Callable[..., AgentMemory]


def every_byte(connection: Connection) -> bytes:
    """What all tables hold."""
    values = [it for table in METADATA.sorted_tables for row in connection.execute(table.select()) for it in row]
    return b"\n".join(it if isinstance(it, bytes) else str(it).encode() for it in values).lower()


def subject(namespace: tuple[str, ...]) -> Scope:
    return Scope(namespace[1])


async def fill(memory: AgentMemory, scope: Scope, call: Call) -> None:
    """Write the word into every layer."""
    await call(memory.consent, "grant", scope, source=f"asked about the {WORD}")
    candidate = Candidate(content=f"The {WORD} lives on an island", kind="fact", tags=(f"{WORD}-tag",))
    known = (await call(memory.long_term, "remember", candidate, scope=scope)).require()
    await call(memory.long_term, "revise", known.id, scope=scope, content=f"The {WORD} lives on Rottnest")
    liked = Candidate(content=f"Prefers {WORD} tea", kind="preference", relation="likes", object=f"{WORD} tea")
    await call(memory.long_term, "remember", liked, scope=scope)
    found = await call(memory.long_term, "recall", f"where does the {WORD} live?", scope=scope)
    await call(memory.long_term, "note_used", found.receipt_id, {known.id: True}, scope=scope)
    said: list[AnyMessage] = [
        HumanMessage(f"I saw a {WORD}, I live in {WORD}town", id="1"),
        AIMessage(f"{WORD}!", id="2"),
    ]
    await call(memory.history(scope), "add_messages", said)
    await call(memory.episodes, "index", scope=scope)
    summary = KeptSummary(data=f"about a {WORD}".encode(), version=1, about="1")
    await arun(memory._sessions.keep_summary(scope, summary))
    await call(memory.background, "ingest", said, scope=scope)
    await call(memory.working, "update", scope, StateUpdate(goal=f"find the {WORD}", note=f"it is small, the {WORD}"))
    await call(memory.profiles, "get", scope=scope)
    await arun(memory._parts[0].ledger.append(scope, lambda it: it.requests.put(it.head.seq, [Asked(what=WORD)])))
    await arun(memory._parts[0].ledger.append(scope, lambda it: record(it, known.id)))
    config: Any = {"configurable": {"thread_id": f"thread-{scope.user_id}", "checkpoint_ns": ""}}
    await call(memory.checkpointer, "bind", config["configurable"]["thread_id"], scope=scope)
    checkpoint = empty_checkpoint()
    checkpoint["channel_values"] = {"messages": said, "other": WORD}
    checkpoint["channel_versions"] = {"messages": "1", "other": "1"}
    versions: Any = checkpoint["channel_versions"]
    config = await call(memory.checkpointer, "put", config, checkpoint, {"source": "input", "topic": WORD}, versions)
    await call(
        memory.checkpointer, "put_writes", config, [("messages", [said[0]])], "00000000-0000-0000-0000-000000000001"
    )
    await call(memory.store, "put", ("users", scope.user_id), "k", {"text": f"a {WORD} again"})


def record(writer: LedgerWriter, holder: str) -> None:
    """Keep what a token stands for, and two steps of a run."""
    writer.sensitive.put(holder, {TOKEN: f"{WORD}-7"})
    steps = [RunStep(no=no, kind="began", at=NOON, body={"input": f"call the {WORD}"}) for no in (1, 2)]
    writer.runs.put("run-1", steps)


async def read(memory: AgentMemory, scope: Scope, call: Call) -> list[str]:
    """Read every layer; each answer has the word."""
    thread: Any = {"configurable": {"thread_id": f"thread-{scope.user_id}", "checkpoint_ns": ""}}
    stored = await call(memory.checkpointer, "get_tuple", thread)
    with_topic = [it async for it in memory.checkpointer.alist(thread, filter={"topic": WORD})]
    summary = await arun(memory._sessions.summary(scope))
    return [
        spelled(await call(memory.long_term, "list", scope=scope)),
        spelled((await call(memory.long_term, "recall", f"where does the {WORD} live?", scope=scope))[0]),
        (await call(memory.consent, "status", scope)).source,
        str(await memory.history(scope).aget_messages()),
        spelled(await call(memory, "conversations", scope)),
        spelled(await call(memory.episodes, "list", scope=scope)),
        spelled(summary),
        spelled(await call(memory.working, "get", scope)),
        str(stored),
        str(with_topic),
        str(await call(memory.store, "search", ("users", scope.user_id), query=WORD)),
        spelled((await call(memory.runs, "steps", "run-1", scope=scope))[1]),
        str(await arun(memory._parts[0].ledger.append(scope, lambda it: it.sensitive.value(TOKEN)))),
    ]


_MINE = "subject_id = (SELECT subject_id FROM agentmem_subjects WHERE user_id = 'alice')"
_THEIRS = "subject_id = (SELECT subject_id FROM agentmem_subjects WHERE user_id = 'bob')"
MOVES = (
    *(
        f"UPDATE {table} SET {column} = (SELECT o.{column} FROM {table} AS o WHERE {whose} LIMIT 1) WHERE {_MINE}"  # noqa: S608  (ours)
        for table, column, whose in (
            ("agentmem_payloads", "sealed", _MINE),
            ("agentmem_memories", "body", _THEIRS),
            ("agentmem_memories", "labels", _THEIRS),
            ("agentmem_vectors", "vector", _MINE),
            ("agentmem_snapshots", "sealed", _THEIRS),
            ("agentmem_subjects", "consent_purposes", _THEIRS),
            ("agentmem_tokens", "sealed", _THEIRS),
            ("agentmem_run_steps", "sealed", _MINE),
        )
    ),
    *(
        f"UPDATE {table} SET {change} WHERE {_MINE}"  # noqa: S608  (likewise)
        for table, change in (
            ("agentmem_tokens", "sealed = substr(sealed, 1, length(sealed) - 1)"),
            ("agentmem_subjects", "consent_purposes = 'c2VhbGVk'"),
            ("agentmem_tokens", "holder = 'elsewhere'"),
            ("agentmem_tokens", "token = '[id:abcd]'"),
            ("agentmem_run_steps", "sealed = substr(sealed, 1, 40)"),
            ("agentmem_run_steps", "no = no + 10"),
            ("agentmem_run_steps", "run_id = 'run-2'"),
            ("agentmem_run_steps", "agent_id = 'another'"),
            ("agentmem_run_steps", "kind = 'ended'"),
            ("agentmem_run_steps", "at = at + 1"),
            ("agentmem_memories", "terms = labels"),
            ("agentmem_episodes", "agent_id = 'another'"),
            ("agentmem_episodes", "session_id = 'another'"),
            ("agentmem_episodes", "place = place + 1"),
            ("agentmem_episodes", "at = at + 1"),
            ("agentmem_episodes", "expires_at = 1"),
        )
    ),
    f"UPDATE agentmem_tokens SET holder = 'x', subject_id = {_MINE.partition('= ')[2]} WHERE {_THEIRS}",  # noqa: S608  (likewise)
    f"UPDATE agentmem_memories SET terms = 'planted' WHERE {_MINE}",  # noqa: S608  (likewise)
)
"""How an attacker with write access puts ciphertexts where they do not belong, and text."""


LOST: Final = ("conversation", "working state", "thread", "item", "fact", "turn", "goal", "outcome", "consent")


EXCHANGES: Final = (
    ("agentmem_episodes", "agent_id = 'another'"),
    ("agentmem_sessions", "session_id = session_id || '2'"),
    ("agentmem_messages", "message_id = message_id || '2'"),
    ("agentmem_states", "session_id = 'elsewhere'"),
)
EARLIER: Final = (
    (sealing, ("message_names", "title_names", "summary_names")),
    (episode_rows, ("_names",)),
    (Place, ("_names",)),
)
TO_ANOTHER: Final = "UPDATE agentmem_episodes SET agent_id = 'another'"
TO_ALL: Final = "UPDATE agentmem_episodes SET agent_id = NULL"


async def intact(memory: AgentMemory, call: Call) -> None:
    """Read everything of alice, and check it."""
    answers = await read(memory, ALICE, call)
    assert [WORD in it.lower() for it in answers] == [True] * len(answers)
    assert (await call(memory.vault, "check", ALICE)).is_intact
    assert (await call(memory.long_term, "verify", scope=ALICE)).is_intact


async def write(memory: AgentMemory, layer: str, call: Call) -> None:
    """Write of alice into one layer."""
    if layer == "conversation":
        await call(memory.history(ALICE), "add_messages", [HumanMessage(WORD)])
    elif layer == "working state":
        await call(memory.working, "update", ALICE, StateUpdate(goal=WORD))
    elif layer == "thread":
        config: Any = {"configurable": {"thread_id": "late", "checkpoint_ns": ""}, "metadata": {}}
        await call(memory.checkpointer, "bind", "late", scope=ALICE)
        checkpoint = empty_checkpoint() | {"channel_values": {"other": WORD}, "channel_versions": {"other": "1"}}
        await call(memory.checkpointer, "put", config, checkpoint, {"source": "input"}, {"other": "1"})
    elif layer == "item":
        await call(memory.store, "put", ("users", "alice"), "late", {"text": WORD})
    elif layer == "turn":
        await call(memory.episodes, "ingest", [HumanMessage(WORD)], scope=replace(ALICE, session_id="late"))
    elif layer == "goal":
        await call(memory.goals, "add", f"Wants a {WORD}", scope=ALICE)
    elif layer == "outcome":
        await call(memory.long_term, "learn", Outcome(action=f"feed the {WORD}", succeeded=False), scope=ALICE)
    elif layer == "consent":
        await call(memory.consent, "grant", ALICE, reason="again")
    else:
        await call(memory.long_term, "remember", f"Owns a {WORD}", scope=ALICE)


async def begin(memory: AgentMemory, first: str, call: Call) -> None:
    """Do something first, of alice or of somebody new."""
    calls: dict[str, tuple[object, str, tuple[object, ...]]] = {
        "rotation": (memory.vault, "rotate_master", ()),
        "data key": (memory.vault, "rotate", (ALICE,)),
        "export": (memory.privacy, "export", (ALICE, Path(mkdtemp()) / "alice.jsonl")),
        "erasure": (memory.privacy, "erase", (ALICE,)),
        "seal": (memory.vault, "seal_database", ()),
    }
    if first == "new user":
        await call(memory.long_term, "remember", f"Owns a {WORD}", scope=Scope("carol"))
    elif first in calls:
        part, name, told = calls[first]
        await call(part, name, *told)
    else:
        await write(memory, first, call)


def files_in(folder: Path) -> dict[Path, bytes]:
    """What the files of a folder hold."""
    return {it: it.read_bytes() for it in folder.rglob("*") if it.is_file()}


WHOLE = (("agentmem_receipts", "sealed"), ("agentmem_tokens", "sealed"), ("agentmem_store_items", "sealed"))
IN_SQL = (
    ("agentmem_messages", "sealed"),
    ("agentmem_states", "title"),
    ("agentmem_items", "sealed"),
    ("agentmem_checkpoints", "sealed"),
    ("agentmem_writes", "sealed"),
)
"""What is attacked: where it is in any case, and where it is unless there is a Redis."""

LAYERS = ("conversation", "working state", "thread", "item", "fact")
FIRST = ("fact", "conversation", "working state", "item", "rotation", "export", "seal")


def attack(memory: AgentMemory, statement: str) -> None:
    """Run a statement beside the application."""
    run(memory._database.write(lambda connection: connection.exec_driver_sql(statement)))


class Killed:
    """In place of a function: ends the process when it is called for the fifth time."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, *args: object) -> dict[str, object]:
        self.calls += 1
        if self.calls == 5:
            raise MemoryError
        return {}


class VaultContract:
    """Laws of a memory under a vault, on `sql_url`, and on `redis` where there is one."""

    @pytest.fixture
    def keys(self, tmp_path: Path) -> Path:
        return tmp_path / "keys"

    @pytest.fixture
    def redis_address(self) -> str | None:
        return None

    @pytest.fixture
    def open_memory(self, sql_url: str, redis_address: str | None, keys: Path) -> Iterator[Open]:
        opened = []

        def open_(
            *, is_sealed: bool = True, folder: Path = keys, others: SubjectVault | None = None, **options: Any
        ) -> AgentMemory:
            vault = (others or SubjectVault(KeyFolder(folder))) if is_sealed else None
            store = {"subject": subject, "index": {"fields": ["text"]}}
            embeddings = WordEmbeddings(dim=32)
            given = {"store": store, "embeddings": embeddings, "redis": redis_address, **options}
            opened.append(AgentMemory.connect(sql=sql_url, vault=vault, **given))
            return opened[-1]

        yield open_
        for memory in opened:
            memory.close()

    @pytest.fixture
    def memory(self, open_memory: Open) -> AgentMemory:
        return open_memory()

    def stored(self, memory: AgentMemory) -> bytes:
        return run(memory._database.read(every_byte))

    async def test_no_layer_holds_a_word_in_the_clear(self, memory: AgentMemory, open_memory: Open, call: Call) -> None:
        """Facts, vectors, receipts, messages, titles, jobs, tasks, profiles, threads and items: all sealed."""
        await fill(memory, ALICE, call)
        assert WORD.encode() not in self.stored(memory)
        vector = pack_vector(unit_vector(WordEmbeddings(dim=32).embed_query(f"The {WORD} lives on Rottnest")))
        assert vector[:16].lower() not in self.stored(memory)
        answers = await read(open_memory(), ALICE, call)
        assert [WORD in it.lower() for it in answers] == [True] * len(answers)

    async def test_what_was_destroyed_comes_back_from_no_backup(
        self, memory: AgentMemory, open_memory: Open, call: Call
    ) -> None:
        """With the key gone, the rows of before are unreadable in every layer, and verify() says so; bob reads on."""
        await fill(memory, ALICE, call)
        await fill(memory, BOB, call)
        vault = memory._options.vault
        assert vault is not None
        await arun(vault.destroy(Scope("alice")))
        restored = open_memory()
        for answer in ("list", "recall"):
            arguments = () if answer == "list" else (WORD,)
            with pytest.raises(IntegrityError, match="destroyed with an erasure") as refused:
                await call(restored.long_term, answer, *arguments, scope=ALICE)
            assert WORD not in str(refused.value)
        with pytest.raises(IntegrityError):
            await call(restored.working, "get", ALICE)
        with pytest.raises(IntegrityError):
            await call(restored.checkpointer, "get_tuple", {"configurable": {"thread_id": "thread-alice"}})
        with pytest.raises(IntegrityError):
            await call(restored.store, "get", ("users", "alice"), "k")
        report = await call(restored.long_term, "verify", scope=ALICE)
        assert "destroyed with an erasure" in str(report.problems)
        answers = await read(restored, BOB, call)
        assert [WORD in it.lower() for it in answers] == [True] * len(answers)
        assert (await call(restored.long_term, "verify", scope=BOB)).is_intact

    async def test_nothing_is_sealed_beside_what_lost_keys_sealed(
        self, memory: AgentMemory, open_memory: Open, keys: Path, tmp_path: Path, call: Call
    ) -> None:
        """Put back, they open all of it, and nothing of the meantime is in the way; others go on."""
        await fill(memory, ALICE, call)
        (file,) = (it for it in (keys / "subjects").rglob("*") if it.is_file())
        await fill(memory, BOB, call)
        file.rename(tmp_path / "lost")
        for used in (memory, open_memory()):
            for layer in LOST:
                with pytest.raises(LostKeysError, match=r"put them back.*or erase the user") as refused:
                    await write(used, layer, call)
                assert WORD not in str(refused.value)
            await call(used.history(Scope("carol", session_id="new")), "add_messages", [HumanMessage("new")])
            await fill(used, BOB, call)
        assert not file.exists()
        (tmp_path / "lost").rename(file)
        answers = await read(open_memory(), ALICE, call)
        assert [WORD in it.lower() for it in answers] == [True] * len(answers)
        assert (await call(memory.long_term, "verify", scope=ALICE)).is_intact

    async def test_a_user_whose_keys_were_lost_can_be_erased(
        self, memory: AgentMemory, open_memory: Open, keys: Path, call: Call
    ) -> None:
        """And may begin anew, with other keys."""
        await fill(memory, ALICE, call)
        for file in [it for it in (keys / "subjects").rglob("*") if it.is_file()]:
            file.unlink()
        other = open_memory()
        assert (await call(other.privacy, "report", ALICE)).status == "stored"
        assert (await call(other.privacy, "erase", ALICE)).status == "erased"
        await fill(memory, ALICE, call)
        answers = await read(open_memory(), ALICE, call)
        assert [WORD in it.lower() for it in answers] == [True] * len(answers)
        assert (await call(memory.long_term, "verify", scope=ALICE)).is_intact

    @pytest.mark.parametrize("left", [0, 60])
    async def test_a_user_whose_keys_are_damaged_can_be_erased(
        self, memory: AgentMemory, open_memory: Open, keys: Path, call: Call, left: int
    ) -> None:
        """Unless a hold stands; what is there is counted before, all else is refused, and they may begin anew."""
        await fill(memory, ALICE, call)
        [file] = (it for it in (keys / "subjects").rglob("*") if it.is_file())
        whole = file.read_bytes()
        await call(memory.privacy, "hold", ALICE, reason="a case")
        file.write_bytes(whole[:left])
        other = open_memory()
        assert (await call(other.privacy, "report", ALICE)).status == "held"
        with pytest.raises(RetentionError):
            await call(other.privacy, "erase", ALICE)
        file.write_bytes(whole)
        await call(other.privacy, "release", ALICE, reason="closed")
        file.write_bytes(whole[:left])
        with pytest.raises(LostKeysError, match=f"{file.name}' is damaged.*erase the user"):
            await call(other.long_term, "remember", f"Owns a {WORD}", scope=ALICE)
        assert (await call(other.privacy, "report", ALICE)).status == "stored"
        erased = await call(other.privacy, "erase", ALICE)
        assert (erased.status, erased.is_empty) == ("erased", True)
        await fill(memory, ALICE, call)
        answers = await read(open_memory(), ALICE, call)
        assert [WORD in it.lower() for it in answers] == [True] * len(answers)
        assert (await call(memory.long_term, "verify", scope=ALICE)).is_intact

    async def test_a_rotated_key_leaves_no_row_behind(
        self, memory: AgentMemory, open_memory: Open, call: Call, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Every row is sealed anew, by a second call if the first was killed; only then, and late, the old key goes."""
        await fill(memory, ALICE, call)
        with monkeypatch.context() as patch:
            patch.setattr("langchain_agentmem.vault.resealing._digest", Killed())
            with pytest.raises(MemoryError):
                await call(memory.vault, "rotate", ALICE)
        resumed = await call(open_memory().vault, "rotate", ALICE)
        assert resumed.values > 10
        assert not resumed.is_done
        assert len(run(memory._options.vault.cipher(ALICE)).ring.keys) == 2  # type: ignore[union-attr]  # (a SubjectVault)
        await fill(memory, ALICE, call)
        monkeypatch.setattr("langchain_agentmem.vault.resealing.GRACE_S", 0)
        done = await call(memory.vault, "rotate", ALICE)
        assert done.values == 0
        assert done.is_done
        answers = await read(open_memory(), ALICE, call)
        assert [WORD in it.lower() for it in answers] == [True] * len(answers)
        assert (await call(memory.long_term, "verify", scope=ALICE)).is_intact

    async def test_a_database_in_the_clear_is_sealed(self, open_memory: Open, call: Call) -> None:
        """What was written without a vault is refused under one, with the remedy; then it is sealed, and read."""
        plain = open_memory(is_sealed=False)
        for scope in (ALICE, BOB):
            await fill(plain, scope, call)
        assert WORD.encode() in self.stored(plain)
        memory = open_memory()
        for part, name in ((memory, "conversations"), (memory.working, "get")):
            with pytest.raises(ConfigurationError, match=r"is not sealed.*seal_database"):
                await call(part, name, ALICE)
        assert await call(memory.vault, "seal_database") > 30
        assert WORD.encode() not in self.stored(memory)
        for scope in (ALICE, BOB):
            answers = await read(open_memory(), scope, call)
            assert [WORD in it.lower() for it in answers] == [True] * len(answers)
            assert (await call(memory.long_term, "verify", scope=scope)).is_intact
        assert await call(memory.vault, "seal_database") == 0
        await fill(memory, ALICE, call)

    async def test_nobody_writes_in_the_clear_beside_what_is_sealed(
        self, memory: AgentMemory, open_memory: Open, call: Call
    ) -> None:
        """Every part is refused to who has no vault, with the remedy, and holds what it held."""
        await fill(memory, ALICE, call)
        plain = open_memory(is_sealed=False)
        for part, name in ((plain.long_term, "list"), (plain.working, "get")):
            with pytest.raises(ConfigurationError, match=r"it is sealed, and would get text in the clear.*vault="):
                await (call(part, name, scope=ALICE) if name == "list" else call(part, name, ALICE))
        with pytest.raises(ConfigurationError, match="it is sealed"):
            await call(plain.checkpointer, "get_tuple", {"configurable": {"thread_id": "thread-alice"}})
        with pytest.raises(ConfigurationError, match="it is sealed"):
            await call(plain.store, "put", ("users", "alice"), "k", {"text": "plain"})
        with pytest.raises(ConfigurationError, match="it is sealed"):
            await call(plain.history(ALICE), "add_messages", [HumanMessage("plain")])
        assert WORD in str(await read(memory, ALICE, call)).lower()

    @pytest.mark.parametrize("first", FIRST)
    async def test_no_keys_are_begun_beside_what_others_sealed(
        self, memory: AgentMemory, open_memory: Open, keys: Path, first: str, call: Call
    ) -> None:
        """A folder that was not mounted: whatever is called first is refused, and nothing is written or made."""
        await fill(memory, ALICE, call)
        before, elsewhere = VaultContract.stored(self, memory), keys.with_name("elsewhere")
        lost = open_memory(folder=elsewhere)
        for _ in range(2):
            with pytest.raises(ConfigurationError, match=r"holds no keys.*mount the key store") as told:
                await begin(lost, first, call)
            assert WORD not in str(told.value)
        assert not elsewhere.exists()
        assert VaultContract.stored(self, memory) == before
        shutil.move(keys, elsewhere)
        await begin(lost, first, call)
        assert (await call(lost.long_term, "verify", scope=ALICE)).is_intact

    @pytest.mark.parametrize("first", [*FIRST, "new user", "erasure", "data key"])
    async def test_no_keys_of_another_store_are_let_in(
        self, memory: AgentMemory, open_memory: Open, keys: Path, first: str, call: Call
    ) -> None:
        """The folder of another application: whatever is called first is refused, nothing is written, no key made."""
        await fill(memory, ALICE, call)
        before, folder = VaultContract.stored(self, memory), keys.with_name("others")
        others = SubjectVault(KeyFolder(folder))
        with AgentMemory.in_memory(embeddings=None, consent="assumed", vault=others) as elsewhere:
            await call(elsewhere.long_term, "remember", "Owns a wombat", scope=ALICE)
            made, lost = files_in(folder), open_memory(folder=folder)
            for _ in range(2):
                with pytest.raises(ConfigurationError, match="sealed by the keys of key store") as told:
                    await begin(lost, first, call)
                assert WORD not in str(told.value)
            assert files_in(folder) == made
            assert VaultContract.stored(self, memory) == before
            assert len((await call(elsewhere.long_term, "list", scope=ALICE)).items) == 1
        assert WORD in str(await read(open_memory(), ALICE, call)).lower()

    async def test_keys_at_hand_are_asked_about_too(
        self, memory: AgentMemory, open_memory: Open, tmp_path: Path, call: Call
    ) -> None:
        """A vault that has its user's keys already seals nothing in a database that it is given later."""
        await fill(memory, ALICE, call)
        before, others = VaultContract.stored(self, memory), SubjectVault(KeyFolder(tmp_path / "others"))
        with AgentMemory.in_memory(embeddings=None, consent="assumed", vault=others) as elsewhere:
            await call(elsewhere.long_term, "remember", "Owns a wombat", scope=ALICE)
            late = open_memory(others=others)
            for first in (*LAYERS, "seal"):
                with pytest.raises(ConfigurationError, match="sealed by the keys of key store"):
                    await begin(late, first, call)
        assert VaultContract.stored(self, memory) == before

    async def test_where_nothing_is_sealed_other_keys_may_begin(
        self, memory: AgentMemory, open_memory: Open, keys: Path, call: Call
    ) -> None:
        """A database that was looked at only is nobody's; from then on it is theirs."""
        assert not await call(memory, "conversations", BOB)
        await fill(open_memory(folder=keys.with_name("others")), ALICE, call)
        with pytest.raises(ConfigurationError, match="sealed by the keys of key store"):
            await write(open_memory(), "item", call)

    async def test_a_database_that_names_no_keys_is_given_a_name(
        self, memory: AgentMemory, open_memory: Open, keys: Path, call: Call
    ) -> None:
        """Sealed before keys had a name it opens as before; `seal_database` names them, and others are refused."""
        await fill(memory, ALICE, call)
        attack(memory, "DELETE FROM agentmem_marks WHERE part = 'keys'")
        again = open_memory()
        assert WORD in str(await read(again, ALICE, call)).lower()
        assert await call(again.vault, "seal_database") == 0
        others = SubjectVault(KeyFolder(keys.with_name("others")))
        run(others.cipher(ALICE))
        with pytest.raises(ConfigurationError, match="sealed by the keys of key store"):
            await write(open_memory(others=others), "fact", call)

    async def test_keys_are_begun_where_nothing_is_sealed(
        self, memory: AgentMemory, open_memory: Open, keys: Path, call: Call
    ) -> None:
        """A process that ended between its first look and its first key keeps nobody out."""
        assert not await call(memory, "conversations", BOB)
        shutil.rmtree(keys)
        again = open_memory()
        await fill(again, ALICE, call)
        assert WORD in str(await read(again, ALICE, call)).lower()

    async def test_a_check_names_what_does_not_open_in_any_layer(
        self, memory: AgentMemory, open_memory: Open, redis_address: str | None, call: Call
    ) -> None:
        """Cut short, from another row or in the clear: each row is named with its table, and nothing of its content."""
        for scope in (ALICE, BOB):
            await fill(memory, scope, call)
        before = await call(memory.vault, "check", ALICE)
        assert before.is_intact
        assert before.values > 20
        attacked = [*WHOLE, *(() if redis_address else IN_SQL)]
        for table, column in attacked:
            statement = f"UPDATE {table} SET {column} = substr({column}, 1, length({column}) - 1)"  # noqa: S608  (ours)
            attack(memory, statement)
        found = await call(open_memory().vault, "check", ALICE)
        assert {it.table for it in found.unreadable} == {table for table, _ in attacked}
        assert {it.problem for it in found.unreadable} == {"changed or moved"}
        assert WORD not in spelled(found).lower()
        other = Scope("carol", session_id="s")
        assert (await call(memory.vault, "check", other)).is_intact

    @pytest.mark.parametrize("change", EXCHANGES)
    async def test_what_is_told_of_a_row_is_part_of_what_it_is(
        self, memory: AgentMemory, open_memory: Open, redis_address: str | None, change: tuple[str, str], call: Call
    ) -> None:
        """Turns, messages and states of a user: whose agent's each is, and of which conversation."""
        await fill(memory, ALICE, call)
        await call(memory.history(replace(ALICE, session_id="t")), "add_messages", [HumanMessage("A bat", id="9")])
        table, values = change
        if redis_address is not None and table != "agentmem_episodes":
            return  # it is elsewhere
        attack(memory, f"UPDATE {table} SET {values}")  # noqa: S608  (ours)
        assert {it.table for it in (await call(open_memory().vault, "check", ALICE)).unreadable} >= {table}

    async def test_what_earlier_releases_sealed_is_read_and_bound_by_the_next_rotation(
        self, memory: AgentMemory, open_memory: Open, redis_address: str | None, call: Call
    ) -> None:
        """They left out what is told beside the keys of a row; no key that seals now opens it without."""
        if redis_address is not None:
            return
        with pytest.MonkeyPatch.context() as earlier:
            for module, names in EARLIER:
                for name in names:
                    now = getattr(module, name)
                    earlier.setattr(module, name, lambda *given, now=now: now(*given)[1:] or now(*given))
            await fill(memory, ALICE, call)
        await intact(open_memory(), call)
        attack(memory, TO_ANOTHER)
        assert (await call(memory.vault, "check", ALICE)).is_intact  # the one thing that cannot be told of these
        attack(memory, TO_ALL)
        await call(memory.vault, "rotate", ALICE)
        await intact(open_memory(), call)
        attack(memory, TO_ANOTHER)
        assert not (await call(open_memory().vault, "check", ALICE)).is_intact
        assert not (await call(open_memory().long_term, "verify", scope=ALICE)).is_intact

    async def test_a_consent_that_earlier_releases_left_in_the_clear_is_sealed_by_the_next_rotation(
        self, memory: AgentMemory, open_memory: Open, call: Call
    ) -> None:
        """It is read as it is until then, and nothing is wrong with it."""

        def kept() -> bytes:
            return run(memory._database.read(every_byte))

        granted = await call(memory.consent, "grant", ALICE, purposes=[WORD], source=f"asked about the {WORD}")
        plain = f'{{"purposes": ["{WORD}"], "source": "asked about the {WORD}"}}'
        attack(memory, f"UPDATE agentmem_subjects SET consent_purposes = '{plain}' WHERE {_MINE}")  # noqa: S608  (ours)
        await call(memory.long_term, "remember", "Owns a boat", scope=ALICE)
        assert WORD.encode() in kept()
        for used in (memory, open_memory()):
            assert await call(used.consent, "status", ALICE) == granted
            assert (await call(used.vault, "check", ALICE)).is_intact
            assert (await call(used.long_term, "verify", scope=ALICE)).is_intact
            await call(memory.vault, "rotate", ALICE)
            assert WORD.encode() not in kept()

    async def test_a_check_tells_what_is_wrong(self, memory: AgentMemory, open_memory: Open, call: Call) -> None:
        """A receipt in the clear, one of another user, and everything once the keys are gone."""
        for scope in (ALICE, BOB):
            await fill(memory, scope, call)
        theirs = f"(SELECT sealed FROM agentmem_receipts WHERE {_THEIRS} LIMIT 1)"  # noqa: S608  (ours)
        for value, problem in (("'a text'", "not sealed"), (theirs, "foreign key")):
            statement = f"UPDATE agentmem_receipts SET sealed = {value} WHERE {_MINE}"  # noqa: S608  (likewise)
            attack(memory, statement)
            [wrong] = (await call(memory.vault, "check", ALICE)).unreadable
            assert (wrong.table, wrong.problem) == ("agentmem_receipts", problem)
        await arun(memory._options.vault.destroy(ALICE))  # type: ignore[union-attr]  # (a SubjectVault)
        gone = await call(open_memory().vault, "check", ALICE)
        assert len(gone.unreadable) == gone.values
        assert {it.problem for it in gone.unreadable} == {"foreign key"}

    async def test_a_mark_taken_away_is_missed(self, memory: AgentMemory, open_memory: Open, call: Call) -> None:
        """Without its marks a sealed database is refused, and planted ones let no text in."""
        await fill(memory, ALICE, call)
        attack(memory, "DELETE FROM agentmem_marks WHERE part = 'ledger'")
        with pytest.raises(ConfigurationError, match=r"ledger.*is not sealed"):
            await call(open_memory().long_term, "list", scope=ALICE)
        plant = "INSERT INTO agentmem_marks (part, state) VALUES ('ledger', 'sealing')"
        attack(memory, plant)
        with pytest.raises(ConfigurationError, match="is being sealed"):
            await call(open_memory().long_term, "list", scope=ALICE)

    @pytest.mark.parametrize("statement", MOVES)
    async def test_a_moved_ciphertext_is_found(
        self, memory: AgentMemory, open_memory: Open, statement: str, call: Call
    ) -> None:
        """Put into another row, another column, another user's row, or back in the clear: verify() names the row."""
        for scope in (ALICE, BOB):
            await call(memory.consent, "grant", scope, source="a form")
            for name in ("quokka", "wombat"):
                await call(memory.long_term, "remember", f"Owns a {name} from Rottnest", scope=scope)
            run(memory._parts[0].ledger.append(scope, lambda it: record(it, "holder")))
            await call(memory.episodes, "ingest", [HumanMessage("I saw a wombat")], scope=scope)
            await call(open_memory().long_term, "recall", "Who owns what?", scope=scope)  # a view is kept
        attack(memory, statement)
        restored = open_memory()
        report = await call(restored.long_term, "verify", scope=ALICE)
        assert re.search("moved from another row|is not sealed|does not have|not what its events say", str(report))
        assert WORD not in spelled(report).lower()
        assert (await call(restored.long_term, "verify", scope=BOB)).is_intact

    async def test_who_writes_too_late_for_an_erasure_is_told(
        self, memory: AgentMemory, open_memory: Open, call: Call
    ) -> None:
        """Keys taken before the user was erased seal nothing any more: an error in every layer, and no row."""
        await fill(memory, ALICE, call)
        late = open_memory()
        vault = late._options.vault
        assert vault is not None
        taken = await arun(vault.cipher(ALICE))

        def kept(scope: Scope) -> Flow[Cipher]:  # noqa: ARG001  (as the vault's own)
            yield from ()
            return taken

        await call(memory.vault, "rotate", ALICE)
        vault.cipher = kept  # type: ignore[method-assign]  # the process slept in between
        await write(late, "conversation", call)
        await call(memory.privacy, "erase", ALICE, reason="asked")
        for layer in LAYERS:
            with pytest.raises(ConflictError, match="erased while this was on its way") as told:
                await write(late, layer, call)
            assert WORD not in str(told.value)
        assert (await call(memory.long_term, "verify", scope=ALICE)).is_intact
        assert not await call(memory, "conversations", ALICE)
        assert not await call(memory.store, "search", ("users", "alice"))
        await fill(memory, ALICE, call)
        answers = await read(memory, ALICE, call)
        assert [WORD in it.lower() for it in answers] == [True] * len(answers)
