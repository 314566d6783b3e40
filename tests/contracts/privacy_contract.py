"""The rights of users on every backend: all of it out, all of it in, all of it gone, and nobody else's touched."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import MessagesState, StateGraph

from langchain_agentmem import AgentMemory, Candidate, Scope, SensitivePolicy
from langchain_agentmem._flow import Flow, flows_of, run
from langchain_agentmem.errors import GovernanceError, IntegrityError, RetentionError, ScopeError, StorageError
from langchain_agentmem.ledger.base import Page
from langchain_agentmem.ledger.standing import ERASE_JOB
from langchain_agentmem.long_term.turns.ingesting import Manner
from langchain_agentmem.policies.matches import SensitiveMatch
from langchain_agentmem.privacy.erasing import Erasure
from langchain_agentmem.privacy.graph_layers import ThreadLayer
from langchain_agentmem.privacy.layers import Layer, Record
from langchain_agentmem.privacy.lines import form_of
from langchain_agentmem.privacy.looking import Expect, look_through
from langchain_agentmem.privacy.writing import About, Writing
from langchain_agentmem.sensitive.service import SCANNED
from langchain_agentmem.sessions.base import KeptSummary
from langchain_agentmem.vault import SubjectVault
from langchain_agentmem.vault.base import NullVault
from tests.conftest import Call
from tests.contracts.long_term_contract import START, Clock
from tests.fake_embeddings import WordEmbeddings
from tests.ledgers import unchecked
from tests.vaults import MemoryKeys

Open: TypeAlias = Callable[..., AgentMemory]
Stored: TypeAlias = Callable[[], bytes]
ALICE, BOB = Scope("alice"), Scope("bob")
WORD, OTHER = "quokka", "zebra"
__all__ = ["START", "PrivacyContract"]
TOLD = {
    *("memories", "episodes", "events", "receipts", "access", "tokens", "run_steps"),
    *("conversations", "working", "threads", "store"),
}


TOLD_ONLY = {"events", "jobs", "requests", "profile", "index", "vectors", "snapshots", "profiles_redis"}
LOST = {
    "consent": {"at"},
    "memories": {"revision"},
    "conversations": {"created_at", "last_used_at"},
    "conversations_redis": {"created_at", "last_used_at"},
    "working": {"version", "started_at", "updated_at"},
    "working_redis": {"version", "started_at", "updated_at"},
}
"""What an import does not keep: docs/privacy.md says so."""


def subject(namespace: tuple[str, ...]) -> Scope | None:
    return Scope(namespace[1]) if namespace[0] == "users" else None


def of(user: Scope, **fields: Any) -> Scope:
    return Scope(user.user_id, tenant_id=user.tenant_id, **fields)


def named(word: str) -> str:
    """Return what is called after a word without saying it."""
    return word[::-1]


def fill(memory: AgentMemory, user: Scope, word: str) -> None:
    """Say a word in every layer."""
    memory.consent.grant(user)
    kept = memory.long_term.remember(f"{user.user_id} likes {word} coffee", scope=user).require()
    memory.long_term.remember(f"{user.user_id} owns a {word} boat", scope=of(user, agent_id="coder"))
    gone = memory.long_term.remember(f"{user.user_id} fears the {word}", scope=user).require()
    memory.long_term.forget(gone.id, scope=user)
    found = memory.long_term.recall(f"what about {word} coffee?", scope=user)
    memory.long_term.note_used(found.receipt_id or "", {kept.id: True}, scope=user)
    memory.episodes.ingest(
        [HumanMessage(f"the {word} sleeps", id="e1")], scope=of(user, session_id=f"talk-{named(word)}")
    )
    session = of(user, session_id=f"chat-{named(word)}")
    memory.history(session).add_messages([HumanMessage(f"I love {word} tea", id="m1"), AIMessage("noted", id="m2")])
    run(memory._sessions.keep_summary(session, KeptSummary(data=f"about {word}".encode(), version=1, about="m1")))
    memory.working.update(session, goal=f"find the {word}")
    memory.background.ingest([HumanMessage(f"later, {word}", id="w1")], scope=of(user, session_id="later"))
    memory.store.put(("users", user.user_id), named(word), {"text": f"a {word} in the store"})
    memory.profiles.get(scope=user)
    run(memory._parts[0].ledger.append(user, lambda it: it.sensitive.put(kept.id, {f"[id:{word}]": f"{word}-7"})))
    config = {**thread_of(user), "callbacks": [memory.runs.recorder(user)]}
    replying(memory, word).invoke({"messages": [HumanMessage(word, id="t1")]}, config)


def thread_of(user: Scope) -> Any:  # noqa: ANN401  (LangGraph's config)
    return {"configurable": {"thread_id": f"thread-{user.user_id}", "user_id": user.user_id}}


def replying(memory: AgentMemory, word: str) -> Any:  # noqa: ANN401  (a graph)
    """Return a graph that says a word."""
    graph = StateGraph(MessagesState)
    graph.add_node("answer", lambda _: {"messages": [AIMessage(f"{word}!")]})
    graph.set_entry_point("answer")
    return graph.compile(checkpointer=memory.checkpointer)


def find_word(text: str) -> list[SensitiveMatch]:
    """Find the word wherever it is said."""
    return [SensitiveMatch(it.start(), it.end(), "word") for it in re.finditer(WORD, text, re.IGNORECASE)]


def seen(memory: AgentMemory, user: Scope) -> dict[str, Any]:
    """Return what a user can see of all layers."""
    memories = {it.id: it for agent in (None, "coder") for it in memory.long_term.list(scope=of(user, agent_id=agent))}
    talks = memory.conversations(user)
    words = {it.session_id: memory.history(of(user, session_id=it.session_id)).messages for it in talks}
    states = {it.session_id: memory.working.get(of(user, session_id=it.session_id)) for it in talks}
    config: Any = {"configurable": {"thread_id": f"thread-{user.user_id}", "user_id": user.user_id}}
    threads = [(it.checkpoint, it.metadata) for it in memory.checkpointer.list(config)]
    items = [(it.namespace, it.key, it.value) for it in memory.store.search(("users", user.user_id))]
    runs = {it.id: memory.runs.steps(it.id, scope=user) for it in memory.runs.list(user)}
    return {
        "runs": runs,
        "tokens": [it for word in (WORD, OTHER) if (it := revealed(memory, user, f"[id:{word}]"))],
        "memories": {id: (it.content, it.status, it.provenance, it.created_at) for id, it in memories.items()},
        "words": words,
        "states": {name: None if it is None else it.goal for name, it in states.items()},
        "threads": threads,
        "items": items,
        "episodes": sorted((str(it.scope.session_id), it.text) for it in memory.episodes.list(scope=user)),
    }


def revealed(memory: AgentMemory, user: Scope, token: str) -> str | None:
    found: str | None = run(memory._parts[0].ledger.append(user, lambda it: it.sensitive.value(token)))
    return found


def threads_in(counts: Mapping[str, int | None]) -> dict[str, int | None]:
    """Return how many threads each layer of them has."""
    return {name: count for name, count in counts.items() if name.startswith("threads")}


def is_away(_: Layer, __: Scope) -> Flow[int]:
    """Answer for a layer that is away."""
    yield from ()
    msg = "what holds this is away; start it"
    raise StorageError(msg, is_retryable=True)


class BreakingVault(NullVault):
    """A vault whose keys cannot be reached until it is mended, or whose process ends there."""

    def __init__(self) -> None:
        self.error: BaseException | None = None
        self.destroyed: list[str] = []

    def destroy(self, scope: Scope, lineage: str | None = None) -> Flow[None]:
        yield from ()
        if self.error is not None:
            raise self.error
        self.destroyed.append(scope.user_id)


class BreakingKeys(SubjectVault):
    """The same with keys: everything is sealed."""

    def __init__(self) -> None:
        super().__init__(MemoryKeys())
        self.error: BaseException | None = None
        self.destroyed: list[str] = []

    def destroy(self, scope: Scope, lineage: str | None = None) -> Flow[None]:
        if self.error is not None:
            raise self.error
        yield from super().destroy(scope, lineage)
        self.destroyed.append(scope.user_id)


class PrivacyContract:
    """Subclass it beside `opened`, which gives a memory made with options, and `stored`: every byte there is of it."""

    @pytest.fixture
    def clock(self) -> Clock:
        return Clock()

    @pytest.fixture
    def vault(self) -> BreakingVault | BreakingKeys:
        return BreakingVault()

    @pytest.fixture
    def memory(self, opened: Open, clock: Clock, vault: BreakingVault | BreakingKeys) -> Iterator[AgentMemory]:
        made = {"embeddings": WordEmbeddings(dim=16), "store": {"subject": subject}}
        with opened(**made, clock=clock, vault=vault) as memory:
            yield memory

    async def test_everything_is_erased_and_nobody_elses_is_touched(
        self, memory: AgentMemory, stored: Stored, call: Call, vault: BreakingVault | BreakingKeys
    ) -> None:
        """No byte of any layer is left, the chain verifies and replays, and another user sees what they saw before."""
        fill(memory, ALICE, WORD)
        fill(memory, BOB, OTHER)
        before, report = seen(memory, BOB), await call(memory.privacy, "report", BOB)
        assert WORD.encode() in stored()
        assert {name.removesuffix("_redis") for name, count in report.counts.items() if count} > TOLD
        erased = await call(memory.privacy, "erase", ALICE, reason="asked by letter")
        assert (erased.is_empty, erased.status, vault.destroyed) == (True, "erased", ["alice"])
        assert WORD.encode() not in stored()
        assert (seen(memory, BOB), (await call(memory.privacy, "report", BOB)).counts) == (before, report.counts)
        assert (await call(memory.long_term, "verify", scope=ALICE)).is_intact
        await call(memory.long_term, "replay", scope=ALICE)
        assert (await call(memory.long_term, "verify", scope=ALICE)).is_intact
        assert not memory.long_term.recall(f"what about {WORD} coffee?", scope=ALICE)

    async def test_after_an_erasure_the_user_may_begin_anew(self, memory: AgentMemory, call: Call) -> None:
        """Consent is asked for again, and everything can be said again, and erased again."""
        fill(memory, ALICE, WORD)
        await call(memory.privacy, "erase", ALICE)
        assert memory.consent.status(ALICE).status == "unknown"
        fill(memory, ALICE, WORD)
        assert [it.content for it in memory.long_term.list(scope=ALICE)] == [f"alice likes {WORD} coffee"]
        assert (await call(memory.long_term, "verify", scope=ALICE)).is_intact
        assert (await call(memory.privacy, "report", ALICE)).status == "stored"
        assert (await call(memory.privacy, "erase", ALICE)).is_empty

    @pytest.mark.parametrize("attack", ["DELETE FROM agentmem_subjects", "UPDATE agentmem_subjects SET user_id = 'x'"])
    async def test_nothing_is_called_empty_that_no_head_leads_to(
        self, memory: AgentMemory, call: Call, attack: str
    ) -> None:
        """Somebody removed or renamed the head of the log: nobody can say that nothing of the user is left."""
        await call(memory.consent, "grant", ALICE)
        await call(memory.long_term, "remember", f"Alice likes {WORD} coffee", scope=ALICE)
        unchecked(memory._database, f"{attack} WHERE user_id = 'alice'")
        reports = [await call(memory.privacy, "report", ALICE), await call(memory.privacy, "erase", ALICE)]
        assert [(it.is_empty, len(it.problems)) for it in reports] == [(False, 1)] * 2
        assert (await call(memory.privacy, "report", BOB)).is_empty == attack.startswith("UPDATE")

    async def test_a_scan_takes_a_word_out_of_every_layer(
        self, memory: AgentMemory, stored: Stored, call: Call
    ) -> None:
        """A dry run finds it in all of them; applied, no byte says it, nobody else's is touched, and threads go on."""
        fill(memory, ALICE, WORD)
        fill(memory, BOB, OTHER)
        before = seen(memory, BOB)
        policy = SensitivePolicy(rules={"*": "redact"}, detectors=[find_word])
        foreseen = await call(memory.sensitive, "scan", ALICE, policy=policy)
        assert (set(foreseen.counts), foreseen.changed) == (set(SCANNED), {})
        for agent in (None, "coder"):
            done = await call(memory.sensitive, "scan", of(ALICE, agent_id=agent), policy=policy, dry_run=False)
            again = await call(memory.sensitive, "scan", of(ALICE, agent_id=agent), policy=policy)
            assert (done.is_complete, again.findings) == (True, ())
        ledger = memory._parts[0].ledger  # values behind tokens are kept, and meant to be
        run(ledger.append(ALICE, lambda it: [it.sensitive.drop(kept.id) for kept in it.page(Page())]))
        run(ledger.scrub())
        assert (WORD.encode() not in stored(), seen(memory, BOB) == before) == (True, True)
        state = replying(memory, WORD).invoke({"messages": [HumanMessage("and now?", id="t3")]}, thread_of(ALICE))
        assert [it.text for it in state["messages"]] == ["[word]", "[word]!", "and now?", f"{WORD}!"]
        assert (await call(memory.long_term, "verify", scope=ALICE)).is_intact

    async def test_a_turn_that_was_open_leaves_nothing_behind_an_erasure(self, memory: AgentMemory, call: Call) -> None:
        """It was said before; whether consent is given anew or not. What is said afterwards is kept."""
        memory.consent.grant(ALICE)
        began = run(flows_of(memory.episodes).began(ALICE))
        said = [HumanMessage(f"I keep a {WORD}", id="m9")]
        await call(memory.privacy, "erase", ALICE)
        memory.consent.grant(ALICE)
        late = Candidate(content=f"Alice keeps a {WORD}", began=began)
        assert (await call(memory.long_term, "remember", late, scope=ALICE)).rule == "forgotten_meanwhile"
        talk = of(ALICE, session_id="talk")
        assert run(flows_of(memory.episodes).ingest(said, talk, Manner(began=began))).kept == 0
        now = Candidate(content=late.content, began=run(flows_of(memory.episodes).began(ALICE)))
        assert (await call(memory.long_term, "remember", now, scope=ALICE)).verdict == "written"

    async def test_an_export_comes_back_whole(
        self, memory: AgentMemory, opened: Open, tmp_path: Path, call: Call
    ) -> None:
        """Into the database it was erased from: memories, words, states, threads, items, turns; twice adds none."""
        fill(memory, ALICE, WORD)
        before, file = seen(memory, ALICE), tmp_path / "alice.jsonl"
        exported = await call(memory.privacy, "export", ALICE, file, sealed=False)  # the key goes with the user
        assert (await call(memory.privacy, "verify_export", file)).counts == exported.counts
        assert {name.removesuffix("_redis") for name, count in exported.counts.items() if count} > TOLD
        await call(memory.privacy, "erase", ALICE)
        done = await call(memory.privacy, "import_", file, scope=ALICE, trust_consent=True)
        assert seen(memory, ALICE) == before
        assert {name for name, it in done.layers.items() if it.added} >= TOLD - {"events"}, done
        await call(memory.privacy, "export", ALICE, tmp_path / "again.jsonl", sealed=False)
        assert kept_of(tmp_path / "again.jsonl") == kept_of(file)
        assert (await call(memory.privacy, "import_", file, scope=ALICE, trust_consent=True)).added == 0
        assert (await call(memory.long_term, "verify", scope=ALICE)).is_intact

    async def test_an_export_leaves_out_the_turns_that_are_gone(
        self, memory: AgentMemory, tmp_path: Path, call: Call
    ) -> None:
        """What a user asked to forget is in no export, and hinders none; the turns beside it are there."""
        fill(memory, ALICE, WORD)
        kept = [it.id for it in memory.episodes.list(scope=ALICE)]
        await call(memory.episodes, "forget", kept[:1], scope=ALICE)
        await call(memory.privacy, "export", ALICE, tmp_path / "alice.jsonl", sealed=False)
        _, found = records_of(tmp_path / "alice.jsonl")
        assert [it.id for it in found["episodes"]] == [it.id for it in memory.episodes.list(scope=ALICE)]
        assert kept[0] not in (tmp_path / "alice.jsonl").read_text("utf-8").split('"payload"')[0]

    async def test_an_erasure_that_was_broken_off_goes_on(
        self, memory: AgentMemory, vault: BreakingVault | BreakingKeys, stored: Stored, call: Call, clock: Clock
    ) -> None:
        """Nothing is written of the user until it is done; two at once are one."""
        fill(memory, ALICE, WORD)
        vault.error = StorageError("the keys are away", is_retryable=True)
        with pytest.raises(StorageError, match="not erased yet"):
            await call(memory.privacy, "erase", ALICE)
        assert (await call(memory.privacy, "report", ALICE)).status == "erasing"
        with pytest.raises(RetentionError, match="is being erased"):
            await call(memory.consent, "grant", ALICE)
        with pytest.raises(RetentionError):
            await call(memory.privacy, "hold", ALICE, reason="too late")
        vault.error = None
        clock.now += timedelta(hours=1)
        assert len(memory.jobs.list(scope=ALICE)) == 1
        assert (await call(memory.privacy, "erase", ALICE)).status == "erased"
        assert ([*memory.jobs.list(scope=ALICE)], WORD.encode() in stored()) == ([], False)

    async def test_any_process_that_runs_jobs_goes_on_with_an_erasure(
        self, memory: AgentMemory, vault: BreakingVault | BreakingKeys, call: Call, clock: Clock
    ) -> None:
        """It is a durable job like any other."""
        fill(memory, ALICE, WORD)
        vault.error = StorageError("the keys are away", is_retryable=True)
        with pytest.raises(StorageError):
            await call(memory.privacy, "erase", ALICE)
        vault.error = None
        clock.now += timedelta(hours=1)
        assert [it.kind.split("+")[0] for it in memory.jobs.list(scope=ALICE)] == [ERASE_JOB]
        await call(memory.jobs, "run")
        assert (await call(memory.privacy, "report", ALICE)).status == "erased"

    async def test_an_erasure_is_begun_whichever_layer_is_away(
        self, memory: AgentMemory, stored: Stored, call: Call, clock: Clock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Asked for once, it refuses writes, goes on by itself, and tells in the end how much there was there, too."""
        fill(memory, ALICE, WORD)
        before = threads_in((await call(memory.privacy, "report", ALICE)).counts)
        with monkeypatch.context() as broken:
            for asked in ("count", "erase"):
                broken.setattr(ThreadLayer, asked, is_away)
            with pytest.raises(StorageError, match="was begun and goes on by itself"):
                await call(memory.privacy, "erase", ALICE, reason="asked by letter")
            with pytest.raises(RetentionError, match="is being erased"):
                await call(memory.consent, "grant", ALICE)
        clock.now += timedelta(hours=1)
        await call(memory.jobs, "run")
        report = await call(memory.privacy, "report", ALICE)
        assert (report.status, report.is_empty, WORD.encode() in stored()) == ("erased", True, False)
        assert threads_in({it.name: it.before for it in report.layers}) == before
        assert (await call(memory.long_term, "verify", scope=ALICE)).is_intact

    async def test_an_erasure_that_waits_behind_its_key_tells_what_it_is(
        self, memory: AgentMemory, call: Call, clock: Clock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A layer is away once the key is destroyed: whoever writes hears of the erasure, of no lost keys; it ends."""
        fill(memory, ALICE, WORD)
        is_first, erase_layers = iter((True, False)), Erasure._erase_layers

        def once(erasure: Erasure, scope: Scope, layers: Sequence[Layer]) -> Flow[None]:
            yield from erase_layers(erasure, scope, layers)
            if not next(is_first):
                msg = "what holds this is away; start it"
                raise StorageError(msg, is_retryable=True)

        with monkeypatch.context() as broken:
            broken.setattr(Erasure, "_erase_layers", once)
            with pytest.raises(StorageError, match="was begun and goes on by itself"):
                await call(memory.privacy, "erase", ALICE)
        for method, words in (("remember", (WORD,)), ("recall", (WORD,)), ("replay", ())):
            with pytest.raises(RetentionError, match="is being erased"):
                await call(memory.long_term, method, *words, scope=ALICE)
        assert [*await call(memory.long_term, "list", scope=ALICE)] == []
        assert (await call(memory.consent, "status", ALICE)).status in {"unknown", "granted"}
        clock.now += timedelta(hours=1)
        await call(memory.jobs, "run")
        assert (await call(memory.privacy, "report", ALICE)).status == "erased"

    async def test_under_a_hold_nothing_is_deleted_for_good(self, memory: AgentMemory, call: Call) -> None:
        """Not the user, not a memory, not a turn, not a conversation with turns; forgetting by the user goes on."""
        fill(memory, ALICE, WORD)
        [kept] = memory.long_term.list(scope=ALICE)
        turns = [it.id for it in memory.episodes.list(scope=ALICE)]
        await call(memory.privacy, "hold", ALICE, reason="a case")
        counts = (await call(memory.privacy, "report", ALICE)).counts
        attempts: list[Callable[[], Awaitable[Any]]] = [
            lambda: call(memory.privacy, "erase", ALICE),
            lambda: call(memory.long_term, "erase", kept.id, scope=ALICE),
            lambda: call(memory.episodes, "forget", turns, scope=ALICE),
            lambda: call(memory.episodes, "clear", scope=ALICE),
            lambda: call(memory.history(of(ALICE, session_id=f"chat-{named(WORD)}")), "clear"),
        ]
        for refused in attempts:
            with pytest.raises(RetentionError) as caught:
                await refused()
            assert caught.value.rule == "legal_hold"
        assert (await call(memory.privacy, "report", ALICE)).counts == counts
        await call(memory.long_term, "forget", kept.id, scope=ALICE)
        await call(memory.long_term, "replay", scope=ALICE)
        assert (await call(memory.long_term, "verify", scope=ALICE)).is_intact
        assert await call(memory.privacy, "release", ALICE, reason="the case is closed")
        assert (await call(memory.privacy, "erase", ALICE)).is_empty

    async def test_a_hold_ends_when_its_time_has_come(self, memory: AgentMemory, clock: Clock, call: Call) -> None:
        """The longer of two counts; a job releases it, and so does whoever asks."""
        await call(memory.privacy, "hold", ALICE, reason="one", until=clock() + timedelta(days=1))
        await call(memory.privacy, "hold", ALICE, reason="two", until=clock() + timedelta(days=9))
        clock.now += timedelta(days=2)
        await call(memory.jobs, "run")
        assert (await call(memory.privacy, "held", ALICE)).reasons == ("one", "two")
        clock.now += timedelta(days=8)
        await call(memory.jobs, "run")
        assert await call(memory.privacy, "held", ALICE) is None
        assert (await call(memory.privacy, "report", ALICE)).status == "stored"

    async def test_somebody_elses_export_is_refused(self, memory: AgentMemory, tmp_path: Path, call: Call) -> None:
        """Unless both are named; agent and session of what is told stay."""
        memory.consent.grant(ALICE)
        memory.long_term.remember("Alice owns a boat", scope=of(ALICE, agent_id="coder"))
        await call(memory.privacy, "export", ALICE, tmp_path / "alice.jsonl")
        with pytest.raises((ScopeError, IntegrityError), match=r"is of user 'alice'|does not open for the user"):
            await call(memory.privacy, "import_", tmp_path / "alice.jsonl", scope=BOB)
        assert (await call(memory.privacy, "report", BOB)).is_empty
        await call(memory.privacy, "import_", tmp_path / "alice.jsonl", scope=ALICE, as_=BOB, trust_consent=True)
        assert [it.content for it in memory.long_term.list(scope=of(BOB, agent_id="coder"))] == ["Alice owns a boat"]

    async def test_an_import_doubles_nothing_and_marks_what_says_otherwise(
        self, memory: AgentMemory, tmp_path: Path, call: Call
    ) -> None:
        """Beside what a user told here already, of each agent; the next to know better ends both. Twice adds none."""
        agents = {None: "Kim", "coder": "Lee"}
        said = {ALICE: ("lives in Paris", "owns a boat", "likes tea"), BOB: ("lives in Madrid", "owns a boat")}
        for user, told in said.items():
            await call(memory.consent, "grant", user)
            for agent, who in agents.items():
                for words in told:
                    await call(memory.long_term, "remember", f"{who} {words}", scope=of(user, agent_id=agent))
        await call(memory.privacy, "export", ALICE, tmp_path / "kim.jsonl", sealed=False)
        given = {"scope": ALICE, "as_": BOB}
        done = (await call(memory.privacy, "import_", tmp_path / "kim.jsonl", **given)).layers["memories"]
        assert (done.added, done.present, done.contradicting) == (4, 2, 2)
        for agent in agents:
            every = await call(memory.long_term, "list", scope=of(BOB, agent_id=agent))
            kept = {it.content[4:]: it for it in every if it.scope.agent_id == agent}
            paris, madrid = kept["lives in Paris"], kept["lives in Madrid"]
            assert (paris.contradicts, madrid.contradicts) == ((madrid.id,), (paris.id,))
            assert kept["owns a boat"].contradicts == kept["likes tea"].contradicts == ()
        again = (await call(memory.privacy, "import_", tmp_path / "kim.jsonl", **given)).layers["memories"]
        assert (again.added, again.present, again.contradicting) == (0, 6, 0)
        moved = await call(memory.long_term, "remember", "Kim moved to Rome", scope=BOB)
        assert len(moved.superseded) == 2
        await call(memory.long_term, "replay", scope=BOB)
        assert (await call(memory.long_term, "verify", scope=BOB)).is_intact

    async def test_what_says_the_same_here_takes_nothing_else_away(
        self, memory: AgentMemory, tmp_path: Path, call: Call
    ) -> None:
        """Runs and questions of the file that say it come in whole: its words are here."""
        for user in (ALICE, BOB):
            await call(memory.consent, "grant", user)
            await call(memory.long_term, "remember", f"Kim owns a {WORD} boat", scope=user)
        await call(memory.long_term, "recall", f"which {WORD} boat?", scope=ALICE)
        config = {**thread_of(ALICE), "callbacks": [memory.runs.recorder(ALICE)]}
        replying(memory, WORD).invoke({"messages": [HumanMessage(f"a {WORD} boat", id="t1")]}, config)
        await call(memory.privacy, "export", ALICE, tmp_path / "kim.jsonl", sealed=False)
        await call(memory.checkpointer, "delete_thread", "thread-alice")
        done = await call(memory.privacy, "import_", tmp_path / "kim.jsonl", scope=ALICE, as_=BOB)
        assert (done.layers["memories"].present, done.layers["receipts"].skipped) == (1, 0)
        [run_id] = [it.id for it in memory.runs.list(BOB)]
        assert WORD in str([it.body for it in memory.runs.steps(run_id, scope=BOB)])


class BadFiles:
    """What must not be imported; one backend is enough."""

    @pytest.fixture
    def file(self, memory: AgentMemory, tmp_path: Path) -> Path:
        memory.consent.grant(ALICE)
        memory.long_term.remember("Alice owns a boat", scope=ALICE)
        memory.privacy.export(ALICE, tmp_path / "alice.jsonl", sealed=False)
        return tmp_path / "alice.jsonl"

    @pytest.mark.parametrize("at", [0, 1, -2, -1])
    def test_a_changed_export_is_refused(self, memory: AgentMemory, file: Path, at: int) -> None:
        """Any line of it, and nothing is written."""
        lines = file.read_bytes().splitlines(keepends=True)
        lines[at] = lines[at].replace(b'":', b'": ', 1)
        file.write_bytes(b"".join(lines))
        for refused in (memory.privacy.verify_export, lambda it: memory.privacy.import_(it, scope=ALICE, as_=BOB)):
            with pytest.raises(IntegrityError, match="damaged"):
                refused(file)
        assert memory.privacy.report(BOB).is_empty

    @pytest.mark.parametrize("left", [0, 1, 3, -1])
    def test_a_cut_export_is_refused(self, memory: AgentMemory, file: Path, left: int) -> None:
        """Wherever it was cut."""
        file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:left]))
        with pytest.raises(IntegrityError, match="damaged"):
            memory.privacy.verify_export(file)

    @pytest.mark.parametrize(
        "change",
        [
            lambda data: data.pop("status"),
            lambda data: data.update(confidence=7),
            lambda data: data.update(status="erased"),
            lambda data: data.update(content=""),
            lambda data: data.update(created_at="yesterday"),
            lambda data: data.update(pinned="yes"),
        ],
    )
    def test_a_record_that_makes_no_sense_stops_everything(
        self, memory: AgentMemory, file: Path, change: Callable[[dict[str, Any]], None]
    ) -> None:
        """Though its digest is right: it is looked at before anything is written."""
        forge(file, "memories", change)
        with pytest.raises(IntegrityError, match="'memories' cannot be read"):
            memory.privacy.import_(file, scope=ALICE, as_=BOB)
        assert memory.privacy.report(BOB).is_empty

    def test_a_frozen_memory_imports_nothing(self, memory: AgentMemory, file: Path, tmp_path: Path) -> None:
        """It may still be exported, and erased."""
        with (
            AgentMemory.embedded(tmp_path / "other.db", embeddings=None, mode="frozen") as frozen,
            pytest.raises(GovernanceError, match="frozen"),
        ):
            frozen.privacy.import_(file, scope=ALICE)


def records_of(file: Path) -> tuple[Scope, dict[str, list[Record]]]:
    """Return whose an export in plain text is, and what it holds."""
    found = look_through(form_of(file), None, Expect())
    assert found.scope is not None
    every = {name: [*chain(*found.records(name.__eq__).batches())] for name in found.counts}
    return found.scope, every


def kept_of(file: Path) -> dict[str, dict[str, dict[str, Any]]]:
    """Return every field of every record of an export that an import is to keep."""

    def lost(layer: str, record: Record) -> set[str]:
        return {"at"} if record.data.get("is_in_conversation") else LOST.get(layer, set())

    return {
        name: {
            f"{it.id}/{it.data.get('part', 0)}": {key: v for key, v in it.data.items() if key not in lost(name, it)}
            for it in every
        }
        for name, every in records_of(file)[1].items()
        if name not in TOLD_ONLY
    }


def written(file: Path, user: Scope, records: dict[str, list[Record]]) -> None:
    """Write an export of some records, with digests that are right."""
    with file.open("wb") as target:
        writing = Writing(target)
        writing.begin(About(scope=user, at=START, export_id="x"))
        for layer, every in records.items():
            writing.records(layer, every)
        writing.finish()


def forge(file: Path, layer: str, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the first record of a layer, and write the digests that an export of it would have."""
    user, records = records_of(file)
    first, *others = records[layer]
    data = dict(first.data)
    change(data)
    written(file, user, {**records, layer: [first._replace(data=data), *others]})


class AnyLife:
    """Whatever happens in whatever order, the log verifies, and replay gives the rows that stand."""

    @given(steps=st.lists(st.sampled_from(["remember", "erase one", "hold", "release", "end"]), max_size=10))
    @settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_the_log_verifies_and_replays_whatever_happens(self, memory: AgentMemory, steps: list[str]) -> None:
        """Holds and erasures of the whole user among memories that come and go; what is held outlasts each of them."""
        user = Scope(uuid4().hex)
        memory.consent.grant(user)
        is_held = False
        for number, step in enumerate(steps):
            kept = memory.long_term.list(scope=user)
            try:
                _take(memory, user, step, number)
            except RetentionError:
                assert is_held
                assert memory.long_term.list(scope=user) == kept
            is_held = step == "hold" or (is_held and step != "release")
        before = memory.long_term.list(scope=user)
        assert memory.long_term.verify(scope=user).problems == ()
        memory.long_term.replay(scope=user)
        assert (memory.long_term.list(scope=user), memory.long_term.verify(scope=user).problems) == (before, ())
        assert (memory.privacy.held(user) is not None) == is_held


def _take(memory: AgentMemory, user: Scope, step: str, number: int) -> None:
    if step == "remember":
        memory.consent.grant(user)
        memory.long_term.remember(f"The boat number {number} is mine", scope=user)
    elif step == "erase one":
        for kept in memory.long_term.list(scope=user)[:1]:
            memory.long_term.erase(kept.id, scope=user)
    elif step == "hold":
        memory.privacy.hold(user, reason="a case")
    elif step == "release":
        memory.privacy.release(user, reason="closed")
    else:
        memory.privacy.erase(user)
