"""What consent by kind and purpose promises, on every database and in both colours."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, NoReturn

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from sqlalchemy import text

from langchain_agentmem import AgentMemory, Candidate, ConfigurationError, ListQuery, RecallQuery, Scope, ScopeError
from langchain_agentmem._flow import run
from langchain_agentmem.consent.answers import Answer
from langchain_agentmem.consent.erasing import AT_ONCE, Covered, CoveredErasure
from langchain_agentmem.ledger.base import LedgerWriter
from langchain_agentmem.ledger.standing import CONSENT_JOB
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.types import Memory
from tests.conftest import Call
from tests.contracts.long_term_contract import Clock
from tests.fake_embeddings import WordEmbeddings
from tests.ledgers import ALICE, BOB

TEA, JAZZ, RULE = "Alice drinks green tea", "Alice prefers loud jazz", "Never call Alice before noon"
EVERYTHING = ListQuery(statuses=("active", "pending", "superseded", "archived"))
SESSION = replace(ALICE, session_id="s1")


def keep(memory: AgentMemory, content: str, scope: Scope = ALICE, **fields: Any) -> str:
    """Keep a memory and return its id."""
    told = Candidate(content=content, source="explicit", confidence=0.95, **fields)
    return memory.long_term.remember(told, scope=scope).require().id


def set_purposes(database: Database, stored: str) -> None:
    """Write what stands beside the head of every chain."""
    changed = text("UPDATE agentmem_subjects SET consent_purposes = :it")
    run(database.write(lambda connection: connection.execute(changed, {"it": stored})))


def contents(found: Iterable[Memory]) -> list[str]:
    """Return what was found, in order of the words."""
    return sorted(it.content for it in found)


class ConsentContract:
    """Subclass it beside a fixture `sql_url`."""

    @pytest.fixture
    def clock(self) -> Clock:
        return Clock()

    @pytest.fixture
    def database(self, sql_url: str) -> Iterator[Database]:
        database = Database(sql_url)
        yield database
        database.close()

    @pytest.fixture
    async def memory(self, database: Database, clock: Clock) -> AsyncIterator[AgentMemory]:
        options = MemoryOptions(clock=clock)
        async with AgentMemory(database, embeddings=WordEmbeddings(), options=options) as memory:
            yield memory

    @pytest.fixture
    def filled(self, memory: AgentMemory) -> AgentMemory:
        """A memory that Alice allowed, with a fact, a preference, a constraint and a turn of a conversation."""
        memory.consent.grant(ALICE)
        keep(memory, TEA)
        keep(memory, JAZZ, kind="preference")
        keep(memory, RULE, kind="constraint")
        memory.episodes.ingest([HumanMessage("I bought a piano", id="m1"), AIMessage("Nice.")], scope=SESSION)
        return memory

    async def recalled(self, memory: AgentMemory, call: Call, query: str, **asked: Any) -> list[str]:
        """Return what a recall shows, constraints included."""
        found = await call(memory.long_term, "recall", RecallQuery(text=query, **asked), scope=ALICE)
        return [hit.memory.content for hit in (*found, *found.constraints)]

    # ------------------------------------------------------------------------------------------------ kinds, purposes
    async def test_only_kinds_that_were_granted_are_kept_and_recalled(self, memory: AgentMemory, call: Call) -> None:
        """Consent to preferences is none to facts; the refusal names the kind and the remedy."""
        await call(memory.consent, "grant", ALICE, kinds=["preference"], source="settings")
        refused = await call(memory.long_term, "remember", TEA, scope=ALICE)
        assert (refused.verdict, refused.rule) == ("refused", "consent")
        assert "'fact'" in refused.reason
        assert "memory.consent.grant(scope, kinds=['fact'])" in refused.reason
        keep(memory, JAZZ, kind="preference")
        assert await self.recalled(memory, call, "jazz") == [JAZZ]
        state = await call(memory.consent, "status", ALICE)
        assert (state.status, state.of("preference").status, state.of("fact").status) == (
            "granted",
            "granted",
            "unknown",
        )
        assert state.of("preference").source == "settings"

    async def test_withdrawing_a_kind_leaves_the_others(self, filled: AgentMemory, call: Call) -> None:
        """What it covered is not recalled, listed, in force or shown any more, and everything else is."""
        await call(filled.consent, "withdraw", ALICE, kinds=["preference", "constraint"])
        assert JAZZ not in await self.recalled(filled, call, "loud jazz")
        assert RULE not in await self.recalled(filled, call, "call", action="call Alice")
        assert TEA in await self.recalled(filled, call, "green tea")
        assert contents(await call(filled.long_term, "list", scope=ALICE)) == [TEA]
        refused = await call(filled.long_term, "remember", "Alice prefers opera", scope=ALICE, kind="preference")
        assert refused.rule == "consent"

    async def test_a_why_not_names_consent(self, filled: AgentMemory, call: Call) -> None:
        """Who asks why a memory is missing is told that the user does not allow its kind."""
        [jazz] = [it for it in filled.long_term.list(scope=ALICE) if it.content == JAZZ]
        receipt = (await call(filled.long_term, "recall", "green tea", scope=ALICE)).receipt_id
        await call(filled.consent, "withdraw", ALICE, kinds=["preference"])
        said = await call(filled.long_term, "why_not", receipt, jazz.id, scope=ALICE)
        assert "consent" in said or "dropped" in said

    async def test_withdrawing_a_purpose_leaves_the_others(self, filled: AgentMemory, call: Call) -> None:
        """A recall for that purpose finds nothing; for others, and for none, all as before."""
        state = await call(filled.consent, "withdraw", ALICE, purposes=["ads"])
        assert (state.status, state.without) == ("granted", ("ads",))
        assert await self.recalled(filled, call, "green tea", purpose="ads") == []
        assert TEA in await self.recalled(filled, call, "green tea", purpose="support")
        assert TEA in await self.recalled(filled, call, "green tea")

    async def test_a_recall_sees_what_was_allowed_for_its_purpose(self, memory: AgentMemory, call: Call) -> None:
        """Purposes of the consent and of the memory both bind, by kind."""
        memory.consent.grant(ALICE, purposes=["support", "ads"])
        memory.consent.grant(ALICE, kinds=["preference"], purposes=["ads"])
        keep(memory, TEA, purposes=("support",))
        keep(memory, JAZZ, kind="preference")
        assert await self.recalled(memory, call, "tea jazz", purpose="support") == [TEA]
        assert await self.recalled(memory, call, "tea jazz", purpose="ads") == [JAZZ]
        refused = await call(
            memory.long_term,
            "remember",
            Candidate(content="Alice prefers rock", kind="preference", purposes=("support",)),
            scope=ALICE,
        )
        assert (refused.rule, "'support'" in refused.reason) == ("consent", True)

    async def test_a_recall_without_a_purpose_uses_nothing_that_consent_limits_to_some(
        self, memory: AgentMemory, call: Call
    ) -> None:
        """Whatever was kept before the consent was limited, and of the kinds that were limited alone."""
        memory.consent.grant(ALICE)
        keep(memory, TEA)
        keep(memory, JAZZ, kind="preference")
        assert sorted(await self.recalled(memory, call, "tea jazz")) == [TEA, JAZZ]
        memory.consent.grant(ALICE, kinds=["fact"], purposes=["support"])
        assert await self.recalled(memory, call, "tea jazz") == [JAZZ]
        assert sorted(await self.recalled(memory, call, "tea jazz", purpose="support")) == [TEA, JAZZ]

    async def test_a_memory_has_a_default_purpose(self, database: Database, call: Call, clock: Clock) -> None:
        """A recall that names none is for the purpose of the memory; one that does, is for that."""
        options = MemoryOptions(clock=clock, purpose="support")
        memory = AgentMemory(database, embeddings=WordEmbeddings(), options=options)
        memory.consent.grant(ALICE, purposes=["support"])
        keep(memory, TEA)
        assert await self.recalled(memory, call, "green tea") == [TEA]
        assert await self.recalled(memory, call, "green tea", purpose="ads") == []

    async def test_layers_that_are_read_otherwise_obey_too(self, filled: AgentMemory, call: Call) -> None:
        """Profile, goals, entities, retriever: nothing of a kind that was withdrawn."""
        keep(filled, "Alice lives in Rome", subject="user", relation="lives_in", object="Rome")
        await call(filled.consent, "withdraw", ALICE, kinds=["fact", "goal"])
        graph = await call(filled.entities, "graph", scope=ALICE)
        profile = await call(filled.profiles, "get", scope=ALICE)
        documents = await call(filled.retriever(scope=ALICE), "invoke", "where does Alice live, green tea")
        shown = f"{graph.relations} {profile!r} {documents}"
        assert "Rome" not in shown
        assert TEA not in shown

    # ------------------------------------------------------------------------------------------------------------ time
    async def test_consent_that_expired_counts_as_none(self, memory: AgentMemory, call: Call, clock: Clock) -> None:
        """Nothing is kept or recalled from then on, whatever the mode; a new grant brings it back."""
        until = clock.now + timedelta(days=30)
        await call(memory.consent, "grant", ALICE, expires_at=until)
        keep(memory, TEA)
        clock.now = until
        assert (await call(memory.consent, "status", ALICE)).status == "expired"
        assert (await call(memory.long_term, "recall", "green tea", scope=ALICE)).status == "no_consent"
        refused = await call(memory.long_term, "remember", JAZZ, scope=ALICE)
        assert (refused.rule, "expired" in refused.reason) == ("consent", True)
        await call(memory.consent, "grant", ALICE)
        assert await self.recalled(memory, call, "green tea") == [TEA]

    async def test_the_history_tells_every_answer(self, memory: AgentMemory, call: Call) -> None:
        """Events with source, time, kinds, purposes and reason, of this user alone."""
        memory.consent.grant(ALICE, kinds=["fact"], purposes=["support"], source="form 7", reason="ticked")
        keep(memory, TEA)
        memory.consent.withdraw(ALICE, purposes=["support"], source="phone")
        memory.consent.grant(BOB)
        events = await call(memory.consent, "history", ALICE)
        assert [it.type for it in events] == ["consent_granted", "consent_withdrawn"]
        notes = [it.payload["note"] for it in events]
        assert notes[0] == {"kinds": ["fact"], "purposes": ["support"], "source": "form 7", "reason": "ticked"}
        assert notes[1]["source"] == "phone"

    # ----------------------------------------------------------------------------------------------------------- erase
    async def test_a_withdrawal_can_erase_what_it_covered(self, filled: AgentMemory, call: Call) -> None:
        """Facts of every agent and turns are gone, other kinds and other users are not."""
        filled.consent.grant(BOB)
        of_bob = keep(filled, "Bob drinks coffee", BOB)
        of_agent = keep(filled, "Alice owns a red kayak", replace(ALICE, agent_id="planner"))
        await call(filled.consent, "withdraw", ALICE, kinds=["fact", "episode"], erase=True)
        scope = replace(ALICE, agent_id="planner")
        left = filled.long_term.select(EVERYTHING, scope=scope)
        assert contents(left) == sorted([JAZZ, RULE])
        assert filled.long_term.get(of_agent, scope=scope) is None
        assert list(filled.episodes.list(scope=ALICE)) == []
        assert filled.long_term.get(of_bob, scope=BOB) is not None
        assert filled.long_term.verify(scope=ALICE).is_intact
        assert all(it.kind != CONSENT_JOB for it in filled.jobs.list())

    async def test_erasing_for_a_purpose_leaves_what_serves_another(self, memory: AgentMemory, call: Call) -> None:
        """What could be used for the withdrawn purposes alone goes; what names another, or none, stays."""
        memory.consent.grant(ALICE)
        keep(memory, TEA, purposes=("ads",))
        keep(memory, JAZZ, purposes=("ads", "support"))
        keep(memory, "Alice owns a red kayak")
        await call(memory.consent, "withdraw", ALICE, purposes=["ads"], erase=True)
        assert contents(memory.long_term.select(EVERYTHING, scope=ALICE)) == ["Alice owns a red kayak", JAZZ]

    async def test_erasing_for_a_purpose_takes_the_turns_of_every_agent(self, memory: AgentMemory, call: Call) -> None:
        """Also those that only one of them sees."""
        scopes = [SESSION, replace(SESSION, agent_id="planner")]
        for purpose in ("ads", "support"):
            memory.consent.grant(ALICE, purposes=[purpose])
            for scope in scopes:
                said = [HumanMessage(f"I bought a piano for {purpose}", id=f"{purpose} {scope.agent_id}")]
                memory.episodes.ingest([*said, AIMessage("Nice.")], scope=scope)
        memory.consent.grant(ALICE, purposes=["ads", "support"])
        await call(memory.consent, "withdraw", ALICE, purposes=["ads"], erase=True)
        for scope in scopes:
            assert {it.text for it in memory.episodes.list(scope=scope)} == {"I bought a piano for support"}

    async def test_an_erasure_that_was_cut_short_goes_on_as_a_job(
        self, filled: AgentMemory, call: Call, clock: Clock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The withdrawal stands at once; what is left is erased by whoever runs the jobs, and what came later stays."""

        def killed(*_: object) -> NoReturn:
            raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(CoveredErasure, "erase", killed)
            with pytest.raises(KeyboardInterrupt):
                await call(filled.consent, "withdraw", ALICE, erase=True)
        assert filled.consent.status(ALICE).status == "withdrawn"
        filled.consent.grant(ALICE)
        keep(filled, "Alice owns a red kayak")
        clock.now += timedelta(minutes=2)
        await call(filled.jobs, "run")
        assert contents(filled.long_term.select(EVERYTHING, scope=ALICE)) == ["Alice owns a red kayak"]

    async def test_more_than_one_transaction_takes_is_erased(
        self, memory: AgentMemory, call: Call, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """In batches, whatever stays between them."""
        monkeypatch.setattr("langchain_agentmem.consent.erasing.AT_ONCE", 2)
        memory.consent.grant(ALICE)
        for number in range(5):
            keep(memory, f"Alice owns the boat number {number}")
            keep(memory, f"Alice prefers the colour number {number}", kind="preference")
        await call(memory.consent, "withdraw", ALICE, kinds=["fact"], erase=True)
        left = memory.long_term.select(EVERYTHING, scope=ALICE)
        assert {it.kind for it in left} == {"preference"}
        assert AT_ONCE > 2

    # ----------------------------------------------------------------------------------------------- ledger, bad input
    @pytest.mark.parametrize("empty", [[], ()])
    async def test_a_form_without_a_tick_is_neither_all_nor_nothing(
        self, memory: AgentMemory, call: Call, empty: Sequence[str]
    ) -> None:
        """No purpose and no kind is refused, in a grant and in a withdrawal; nothing is recorded, nor erased."""
        memory.consent.grant(ALICE, purposes=["support"])
        before = memory.consent.status(ALICE)
        for name, given in (("purposes", {"purposes": empty}), ("kinds", {"kinds": empty})):
            with pytest.raises(ConfigurationError, match=f"{name} must name a .*, got none; leave it out for"):
                await call(memory.consent, "grant", ALICE, **given)
            with pytest.raises(ConfigurationError, match=f"{name} must name a .*, got none; leave it out for"):
                await call(memory.consent, "withdraw", ALICE, **given, erase=True)
        assert memory.consent.status(ALICE) == before
        assert (await call(memory.consent, "grant", ALICE, purposes=None)).purposes == ()

    async def test_replay_rebuilds_consent_by_kind_and_purpose(
        self, memory: AgentMemory, call: Call, database: Database, clock: Clock
    ) -> None:
        """Whatever happened to the column, the log brings it back, and `verify` had found it."""
        memory.consent.grant(ALICE, source="form", expires_at=clock.now + timedelta(days=9))
        memory.consent.grant(ALICE, kinds=["goal"], purposes=["a", "b"])
        memory.consent.withdraw(ALICE, purposes=["a"])
        before = memory.consent.status(ALICE)
        set_purposes(database, '["x"]')
        assert not memory.long_term.verify(scope=ALICE).is_intact
        await call(memory.long_term, "replay", scope=ALICE)
        assert memory.consent.status(ALICE) == before
        assert memory.long_term.verify(scope=ALICE).is_intact

    async def test_a_grant_of_an_earlier_release_keeps_its_meaning(
        self, memory: AgentMemory, call: Call, database: Database
    ) -> None:
        """A list of purposes, as it stood in the column before there were kinds, is a grant of every kind for them."""
        memory.consent.grant(ALICE, purposes=["support"])
        keep(memory, TEA)
        run(
            database.write(
                lambda it: it.execute(text("UPDATE agentmem_subjects SET consent_purposes = '[\"support\"]'"))
            )
        )
        state = await call(memory.consent, "status", ALICE)
        assert (state.status, state.purposes, state.kinds) == ("granted", ("support",), ())
        assert await self.recalled(memory, call, "green tea", purpose="support") == [TEA]

    @pytest.mark.parametrize(
        "given",
        [
            {"kinds": ["dream"]},
            {"kinds": []},
            {"purposes": "ads"},
            {"source": ""},
            {"source": "x" * 65},
            {"expires_at": "tomorrow"},
        ],
    )
    async def test_bad_input_is_refused_before_any_io(
        self, memory: AgentMemory, call: Call, given: dict[str, Any]
    ) -> None:
        """Nothing is recorded."""
        with pytest.raises(ConfigurationError):
            await call(memory.consent, "grant", ALICE, **given)
        assert memory.consent.status(ALICE).status == "unknown"

    async def test_an_end_that_is_over_and_a_visitor_are_refused(
        self, memory: AgentMemory, call: Call, clock: Clock
    ) -> None:
        """Neither can consent to anything."""
        with pytest.raises(ConfigurationError, match="over already"):
            await call(memory.consent, "grant", ALICE, expires_at=clock.now - timedelta(days=1))
        with pytest.raises(ScopeError):
            await call(memory.consent, "withdraw", Scope.anonymous("v1"), kinds=["fact"])

    async def test_an_explanation_names_the_remedy(self, filled: AgentMemory, call: Call) -> None:
        """In a sentence, whether and why not."""
        assert "allows" in await call(filled.consent, "explain", ALICE, kind="fact")
        filled.consent.withdraw(ALICE, kinds=["fact"])
        said = await call(filled.consent, "explain", ALICE, kind="fact")
        assert "withdrawn" in said
        assert "kinds=['fact']" in said

    async def test_a_hold_refuses_to_erase_and_records_nothing(
        self, filled: AgentMemory, call: Call, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Under a legal hold the withdrawal has to be made without an erasure."""

        def held(_self: CoveredErasure, writer: LedgerWriter, answer: Answer) -> Covered:
            writer.head = replace(writer.head, is_held=True)
            return queue(_self, writer, answer)

        queue = CoveredErasure.queue
        monkeypatch.setattr(CoveredErasure, "queue", held)
        with pytest.raises(Exception, match="legal hold"):
            await call(filled.consent, "withdraw", ALICE, erase=True)
        assert filled.consent.status(ALICE).status == "granted"
