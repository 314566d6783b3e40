"""The contract of approvals: what a policy asks about waits for a person, and nothing uses it before."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from langchain_agentmem import (
    AgentMemory,
    ApprovalDecision,
    ApprovalPolicy,
    Candidate,
    ConfigurationError,
    ConflictError,
    GovernanceError,
    Memory,
    NotFoundError,
    Provenance,
    RecallQuery,
    Scope,
)
from langchain_agentmem._flow import flows_of, run
from langchain_agentmem.identity import in_tool
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.policies.approve import ByKind, BySpeaker
from langchain_agentmem.privacy import asked as telling
from langchain_agentmem.sql.engine import Database
from tests.conftest import Call
from tests.contracts.profiles_contract import ANA, BOB, Clock
from tests.fake_embeddings import WordEmbeddings
from tests.spelled import spelled

ROME, PARIS = "Ana lives in Rome", "Ana lives in Paris"
POLICY = ApprovalPolicy(rules=[BySpeaker({"tool": "ask", "system": "refuse"}), ByKind({"constraint": "ask"})])


def told(content: str, speaker: Any = "tool", **fields: Any) -> Candidate:  # noqa: ANN401  (of a candidate)
    """A candidate in somebody's words, which are its evidence."""
    return Candidate(content=content, provenance=Provenance(speaker=speaker, evidence=content), **fields)


class ApprovalContract:
    """Subclass it beside a fixture `sql_url`."""

    @pytest.fixture
    def clock(self) -> Clock:
        return Clock()

    @pytest.fixture
    async def memory(self, sql_url: str, clock: Clock, own_call: Call) -> AsyncIterator[AgentMemory]:
        options = MemoryOptions(clock=clock, approval=POLICY)
        async with AgentMemory(Database(sql_url), embeddings=WordEmbeddings(), options=options) as memory:
            for scope in (ANA, BOB):
                await own_call(memory.consent, "grant", scope)
            yield memory

    async def ask(self, memory: AgentMemory, call: Call, content: str = PARIS, scope: Scope = ANA) -> Memory:
        """Let a tool propose something."""
        decision = await call(memory.long_term, "remember", told(content), scope=scope)
        assert (decision.verdict, decision.rule, decision.superseded) == ("pending", "approval", ())
        found: Memory = decision.memory
        return found

    async def contents(self, memory: AgentMemory, call: Call, scope: Scope = ANA) -> list[str]:
        """What is in force."""
        return [it.content for it in await call(memory.long_term, "list", scope=scope)]

    async def seen(self, memory: AgentMemory, call: Call, asked: Memory) -> list[str]:
        """Through which windows a memory is seen that nobody should use."""
        every = {"include_pending": True, "include_superseded": True, "min_confidence": 0.0}
        later = asked.created_at + timedelta(minutes=1)
        queries = [
            RecallQuery(text=asked.content, action="travel", **every),  # type: ignore[arg-type]  # flags and a number
            RecallQuery(text=asked.content, as_of=later, hops=2),
        ]
        found = [await call(memory.long_term, "recall", query, scope=asked.scope) for query in queries]
        ids = {hit.memory.id for recall in found for hit in (*recall, *recall.constraints)}
        ids |= {other for recall in found for hit in recall for other in hit.contradicts}
        listed = {it.id for it in await call(memory.long_term, "list", scope=asked.scope)}
        goals = {it.memory.id for it in await call(memory.goals, "open", scope=asked.scope)}
        relations = (await call(memory.entities, "graph", scope=asked.scope)).relations
        graph = {memory_id for it in relations for memory_id in it.memory_ids}
        profile = spelled(await call(memory.profiles, "get", scope=asked.scope))
        windows = {"recall": ids, "list": listed, "goals": goals, "graph": graph}
        found_in = [name for name, every_id in windows.items() if asked.id in every_id]
        return [*found_in, *(["profile"] if asked.content in profile else [])]

    async def test_what_is_asked_about_is_used_by_nothing_until_it_is_approved(
        self, memory: AgentMemory, call: Call
    ) -> None:
        """No recall, constraint, listing, goal or profile has it; approved, it takes the place of what it replaces."""
        rome = (await call(memory.long_term, "remember", ROME, scope=ANA)).memory
        asked = await self.ask(memory, call)
        assert (await self.seen(memory, call, asked), await self.contents(memory, call)) == ([], [ROME])
        [approval] = await call(memory.approvals, "list", scope=ANA)
        assert (approval.id, [it.id for it in approval.would_supersede]) == (asked.id, [rome.id])
        assert (approval.evidence, approval.rule, approval.proposed_by.speaker) == (PARIS, "approval", "tool")
        decided = [approval.approve("seen her lease")]
        [outcome] = await call(memory.approvals, "decide", decided, scope=ANA, decided_by="carol")
        assert (outcome.verdict, outcome.superseded, outcome.memory.status) == ("approved", (rome.id,), "active")
        assert await self.contents(memory, call) == [PARIS]
        assert list(await call(memory.approvals, "list", scope=ANA)) == []

    @pytest.mark.parametrize("is_told", [True, False], ids=["told", "an earlier export"])
    async def test_what_waits_is_asked_again_where_it_is_imported(
        self, memory: AgentMemory, call: Call, clock: Clock, tmp_path: Path, *, is_told: bool
    ) -> None:
        """For the same reason and until the same time, by whom it was proposed; then it is over there, too."""
        await self.ask(memory, call, scope=replace(ANA, agent_id="helper"))
        with pytest.MonkeyPatch.context() as patch:
            if not is_told:
                patch.setattr(telling, "told", lambda *_: {})
            await call(memory.privacy, "export", ANA, tmp_path / "ana.jsonl", sealed=False)
        await call(memory.privacy, "import_", tmp_path / "ana.jsonl", scope=ANA, as_=BOB)
        helper = replace(BOB, agent_id="helper")
        [there] = await call(memory.approvals, "list", scope=replace(ANA, agent_id="helper"))
        [here] = await call(memory.approvals, "list", scope=helper)
        assert here.proposed_by == there.proposed_by
        assert ((here.reason, here.expires_at) == (there.reason, there.expires_at)) is is_told
        assert here.expires_at - there.expires_at < timedelta(seconds=1)
        clock.now = here.expires_at
        assert list(await call(memory.approvals, "list", scope=helper)) == []
        await call(memory.jobs, "run")
        life = await call(memory.long_term, "why", here.id, scope=helper)
        assert life.events[-1].type == "approval_expired"

    async def test_the_log_tells_who_asked_who_decided_and_why(self, memory: AgentMemory, call: Call) -> None:
        """Each with its reason, in a chain that verifies and rebuilds the same memories."""
        kept, gone = await self.ask(memory, call), await self.ask(memory, call, "Ana has a cat")
        one, other = sorted(await call(memory.approvals, "list", scope=ANA), key=lambda it: it.id != kept.id)
        decided = [one.approve("it is so"), other.reject("a dog")]
        await call(memory.approvals, "decide", decided, scope=ANA, decided_by="carol")
        lives = [(await call(memory.long_term, "why", it.id, scope=ANA)).reasons for it in (kept, gone)]
        assert ["approval_asked" in lives[0][1], "approved by carol: it is so" in lives[0][-1]] == [True, True]
        assert "rejected by carol: a dog" in lives[1][-1]
        before = [await call(memory.long_term, "get", it.id, scope=ANA) for it in (kept, gone)]
        await call(memory.long_term, "replay", scope=ANA)
        assert [await call(memory.long_term, "get", it.id, scope=ANA) for it in (kept, gone)] == before
        assert [it.status for it in before] == ["active", "archived"]
        assert (await call(memory.long_term, "verify", scope=ANA)).is_intact

    async def test_a_waiting_memory_survives_a_replay(self, memory: AgentMemory, call: Call) -> None:
        """That it waits, and by which rule, is in the events."""
        asked = await self.ask(memory, call)
        await call(memory.long_term, "replay", scope=ANA)
        assert await call(memory.long_term, "get", asked.id, scope=ANA) == asked

    async def test_a_later_sighting_activates_nothing_that_waits(self, memory: AgentMemory, call: Call) -> None:
        """However often it is said again by whom the policy asks about: one memory, one question."""
        asked = await self.ask(memory, call)
        for session in ("monday", "tuesday"):
            scope = replace(ANA, session_id=session)
            decision = await call(memory.long_term, "remember", told(PARIS), scope=scope)
            assert (decision.verdict, decision.memory.id) == ("pending", asked.id)
        assert [it.id for it in await call(memory.approvals, "list", scope=ANA)] == [asked.id]
        assert await self.seen(memory, call, asked) == []

    async def test_what_needs_no_approval_stands_on_its_own(self, memory: AgentMemory, call: Call) -> None:
        """Said by the user, it is remembered; what waited and says the same is withdrawn, and never was in force."""
        asked = await self.ask(memory, call)
        decision = await call(memory.long_term, "remember", told(PARIS, "user"), scope=ANA)
        assert (decision.verdict, decision.memory.id != asked.id) == ("written", True)
        kept = await call(memory.long_term, "get", asked.id, scope=ANA)
        assert (kept.status, await self.seen(memory, call, kept)) == ("archived", [])
        with pytest.raises(ConfigurationError, match="never in force"):
            await call(memory.long_term, "restore", asked.id, scope=ANA)

    async def test_what_waits_holds_nothing_up(self, memory: AgentMemory, call: Call) -> None:
        """A new statement that says otherwise is remembered; who decides sees it, and decides on that."""
        await self.ask(memory, call)
        [shown] = await call(memory.approvals, "list", scope=ANA)
        rome = await call(memory.long_term, "remember", told(ROME, "user", confidence=0.8), scope=ANA)
        assert (rome.verdict, rome.memory.contradicts) == ("written", ())
        with pytest.raises(ConflictError, match="changed since it was shown"):
            await call(memory.approvals, "decide", shown.approve(), scope=ANA, decided_by="carol")
        [again] = await call(memory.approvals, "list", scope=ANA)
        assert [it.id for it in again.would_supersede] == [rome.memory.id]

    async def test_two_that_wait_and_contradict_are_not_both_in_force(self, memory: AgentMemory, call: Call) -> None:
        """Whichever is approved last takes the place of the other."""
        first, second = await self.ask(memory, call, ROME), await self.ask(memory, call, PARIS)
        for asked in (second, first):
            decided = ApprovalDecision(id=asked.id, verdict="approve")
            await call(memory.approvals, "decide", decided, scope=ANA, decided_by="carol")
        assert await self.contents(memory, call) == [ROME]

    async def test_edited_words_pass_the_write_policy(self, memory: AgentMemory, call: Call) -> None:
        """What it refuses is not kept and waits on; what it takes is remembered in the new words, and found by them."""
        await self.ask(memory, call)
        [approval] = await call(memory.approvals, "list", scope=ANA)
        card = approval.edit("Ana pays with 4111 1111 1111 1111")
        [refused] = await call(memory.approvals, "decide", card, scope=ANA, decided_by="carol")
        assert (refused.verdict, refused.rule, refused.memory.status) == ("refused", "sensitive_data", "pending")
        edit = approval.edit("Ana lives in Lyon")
        [outcome] = await call(memory.approvals, "decide", edit, scope=ANA, decided_by="carol")
        assert (outcome.verdict, outcome.memory.content) == ("approved", "Ana lives in Lyon")
        [hit] = await call(memory.long_term, "recall", "Lyon", scope=ANA)
        assert (hit.memory.id, hit.parts.get("vector", 0) > 0) == (approval.id, True)

    @pytest.mark.parametrize(
        ("words", "ended", "kept"),
        [
            ("Ana is on holiday in Paris", [], [ROME, "Ana works at Acme"]),
            ("Ana works at Globex", ["Ana works at Acme"], [ROME]),
            ("Ana lives in Lyon", [ROME], ["Ana works at Acme"]),
            (ROME, [ROME], ["Ana works at Acme"]),
        ],
    )
    async def test_edited_words_end_what_they_contradict_and_nothing_else(
        self, memory: AgentMemory, call: Call, words: str, ended: list[str], kept: list[str]
    ) -> None:
        """As if they had been written: what the words before them contradicted stands where these do not."""
        known = {}
        for said in (ROME, "Ana works at Acme"):
            known[said] = (await call(memory.long_term, "remember", said, scope=ANA)).require().id
        await self.ask(memory, call)
        [approval] = await call(memory.approvals, "list", scope=ANA)
        [outcome] = await call(memory.approvals, "decide", approval.edit(words), scope=ANA, decided_by="carol")
        assert outcome.superseded == tuple(known[it] for it in ended)
        assert sorted(await self.contents(memory, call)) == sorted([*kept, words])
        assert outcome.memory.contradicts == ()

    async def test_edited_words_end_a_part_alone(self, memory: AgentMemory, call: Call) -> None:
        """What remains of a memory of which they contradict a part is kept by itself."""
        await call(memory.long_term, "remember", "The user lives in Leeds with their wife Clara", scope=ANA)
        await self.ask(memory, call, "The user is in York")
        [approval] = await call(memory.approvals, "list", scope=ANA)
        edit = approval.edit("The user moved to York")
        await call(memory.approvals, "decide", edit, scope=ANA, decided_by="carol")
        assert sorted(await self.contents(memory, call)) == ["The user moved to York", "The user's wife is Clara"]

    async def test_edited_words_meet_what_waits_and_what_was_decided_before_them(
        self, memory: AgentMemory, call: Call
    ) -> None:
        """Of two that wait, the one that is decided later ends what the edited words of the first put in force."""
        first, second = await self.ask(memory, call, "Ana likes Rome"), await self.ask(memory, call, PARIS)
        edits = [ApprovalDecision(id=first.id, verdict="edit", content=ROME)]
        edits.append(ApprovalDecision(id=second.id, verdict="edit", content="Ana lives in Lyon"))
        await call(memory.approvals, "decide", edits, scope=ANA, decided_by="carol")
        assert await self.contents(memory, call) == ["Ana lives in Lyon"]

    async def test_the_agent_that_proposed_it_cannot_approve_it(self, memory: AgentMemory, call: Call) -> None:
        """Refused and logged; it may take its proposal back, and somebody else may approve it."""
        mine = replace(ANA, agent_id="helper")
        asked = await self.ask(memory, call, scope=mine)
        [approval] = await call(memory.approvals, "list", scope=mine)
        [own] = await call(memory.approvals, "decide", approval.approve(), scope=mine, decided_by="helper")
        assert (own.verdict, own.rule, approval.proposed_by.agent_id) == ("refused", "self_approval", "helper")
        assert await self.seen(memory, call, asked) == []
        [other] = await call(memory.approvals, "decide", approval.approve(), scope=mine, decided_by="carol")
        assert other.verdict == "approved"

    async def test_nothing_is_decided_within_a_tool_or_by_nobody(self, memory: AgentMemory, call: Call) -> None:
        """A model may have asked for it there; and somebody has to stand for a decision."""
        await self.ask(memory, call)
        [approval] = await call(memory.approvals, "list", scope=ANA)
        with in_tool(), pytest.raises(GovernanceError, match="within a tool"):
            await call(memory.approvals, "decide", approval.approve(), scope=ANA, decided_by="carol")
        with pytest.raises(ConfigurationError, match="decided_by must name"):
            await call(memory.approvals, "decide", approval.approve(), scope=ANA)
        assert len(await call(memory.approvals, "list", scope=ANA)) == 1

    async def test_decisions_are_all_written_or_none(self, memory: AgentMemory, call: Call) -> None:
        """One that was decided already, or is unknown, stops the others."""
        await self.ask(memory, call)
        await self.ask(memory, call, "Ana has a cat")
        one, other = await call(memory.approvals, "list", scope=ANA)
        await call(memory.approvals, "decide", one.reject(), scope=ANA, decided_by="carol")
        for stale in (one.approve(), replace(other.approve(), id="unknown")):
            expected: Any = ConflictError if stale.id == one.id else NotFoundError
            batch = [other.approve(), stale] if stale.id == one.id else [stale]
            with pytest.raises(expected):
                await call(memory.approvals, "decide", batch, scope=ANA, decided_by="carol")
        assert [it.id for it in await call(memory.approvals, "list", scope=ANA)] == [other.id]

    async def test_what_is_not_decided_in_time_ends(self, memory: AgentMemory, clock: Clock, call: Call) -> None:
        """It can be decided no more, at once; and whichever process runs the jobs puts it away."""
        asked, late = await self.ask(memory, call), await self.ask(memory, call, "Ana has a cat")
        shown = await call(memory.approvals, "list", scope=ANA)
        clock.now += timedelta(days=7)
        assert list(await call(memory.approvals, "list", scope=ANA)) == []
        too_late = next(it.approve() for it in shown if it.id == late.id)
        [outcome] = await call(memory.approvals, "decide", too_late, scope=ANA, decided_by="carol")
        assert outcome.verdict == "expired"
        await call(memory.jobs, "run")
        for each in (asked, late):
            kept = await call(memory.long_term, "get", each.id, scope=ANA)
            life = await call(memory.long_term, "why", each.id, scope=ANA)
            assert (kept.status, life.events[-1].type) == ("archived", "approval_expired")
        with pytest.raises(ConfigurationError, match="not approved in time"):
            await call(memory.long_term, "restore", asked.id, scope=ANA)

    async def test_a_job_ends_nothing_too_early_or_twice(self, memory: AgentMemory, clock: Clock, call: Call) -> None:
        """What was decided before its time is left as it was decided."""
        asked = await self.ask(memory, call)
        await call(memory.jobs, "run")
        [approval] = await call(memory.approvals, "list", scope=ANA)
        await call(memory.approvals, "decide", approval.approve(), scope=ANA, decided_by="carol")
        clock.now += timedelta(days=8)
        await call(memory.jobs, "run")
        assert (await call(memory.long_term, "get", asked.id, scope=ANA)).status == "active"

    async def test_a_revision_waits_beside_what_it_changes(self, memory: AgentMemory, call: Call) -> None:
        """What is in force stays until the new words are approved, and then gives way to them."""
        [rule] = [await self.approved(memory, call, "Ana never books flights before noon")]
        changed = await call(
            memory.long_term, "revise", rule.id, scope=ANA, content="Ana never books flights before ten"
        )
        assert (changed.verdict, changed.memory.id != rule.id) == ("pending", True)
        assert (await self.seen(memory, call, changed.memory), await self.contents(memory, call)) == (
            [],
            [rule.content],
        )
        [approval] = await call(memory.approvals, "list", scope=ANA)
        assert [it.id for it in approval.would_supersede] == [rule.id]
        await call(memory.approvals, "decide", approval.approve(), scope=ANA, decided_by="carol")
        assert await self.contents(memory, call) == ["Ana never books flights before ten"]

    async def approved(self, memory: AgentMemory, call: Call, content: str) -> Memory:
        """A constraint in force."""
        asked = (await call(memory.long_term, "remember", content, scope=ANA, kind="constraint")).memory
        decided = ApprovalDecision(id=asked.id, verdict="approve")
        [outcome] = await call(memory.approvals, "decide", decided, scope=ANA, decided_by="carol")
        kept: Memory = outcome.memory
        return kept

    async def test_a_revision_that_says_nothing_new_needs_no_approval(self, memory: AgentMemory, call: Call) -> None:
        """Its tags or its weight are not what a person approved."""
        rule = await self.approved(memory, call, "Ana never books flights before noon")
        changed = await call(memory.long_term, "revise", rule.id, scope=ANA, importance=1.0)
        assert (changed.verdict, changed.memory.id) == ("written", rule.id)

    async def test_what_waits_is_merged_into_nothing(self, memory: AgentMemory, call: Call) -> None:
        """What says the same would be in force without a word; consolidation leaves it alone for the same reason."""
        rome = (await call(memory.long_term, "remember", ROME, scope=ANA)).memory
        asked = await self.ask(memory, call, "Ana lives in Rome near the river")
        with pytest.raises(GovernanceError, match="waits for approval"):
            await call(memory.long_term, "merge", [rome.id, asked.id], "Ana lives in Rome", scope=ANA)
        report = await call(memory.consolidation, "run", ANA)
        assert (report.merged, report.promoted) == ((), ())
        assert (await call(memory.long_term, "get", asked.id, scope=ANA)).status == "pending"

    async def test_goals_and_fields_of_the_profile_wait_too(self, sql_url: str, clock: Clock, call: Call) -> None:
        """Every way to write is the same way."""
        rules = [ByKind({"goal": "ask", "fact": "ask"})]
        options = MemoryOptions(consent="assumed", clock=clock, approval=ApprovalPolicy(rules=rules))
        async with AgentMemory(Database(sql_url), embeddings=None, options=options) as memory:
            goal = await call(memory.goals, "add", "Ana wants to see Rome", scope=ANA)
            name = await call(memory.profiles, "set", "name", "Ana", scope=ANA)
            assert (goal.verdict, name.verdict) == ("pending", "pending")
            assert await call(memory.goals, "resume", scope=ANA) is None
            assert (await call(memory.profiles, "get", scope=ANA)).name is None
            decided = [it.approve() for it in await call(memory.approvals, "list", scope=ANA)]
            await call(memory.approvals, "decide", decided, scope=ANA, decided_by="carol")
            assert (await call(memory.goals, "resume", scope=ANA)).id == goal.memory.id
            assert (await call(memory.profiles, "get", scope=ANA)).name == "Ana"
            moved = await call(memory.goals, "finish", goal.memory.id, scope=ANA)
            assert (moved.verdict, moved.memory.goal.status) == ("written", "done")

    async def test_nobody_else_sees_or_decides_what_waits(self, memory: AgentMemory, call: Call) -> None:
        """Not another user, and of another agent only what all share."""
        own = await self.ask(memory, call, scope=replace(ANA, agent_id="helper"))
        for scope in (BOB, ANA, replace(ANA, agent_id="other")):
            assert list(await call(memory.approvals, "list", scope=scope)) == []
            decided = ApprovalDecision(id=own.id, verdict="approve")
            with pytest.raises(NotFoundError):
                await call(memory.approvals, "decide", decided, scope=scope, decided_by="carol")

    async def test_what_may_not_be_kept_any_more_is_not_approved(self, memory: AgentMemory, call: Call) -> None:
        """With consent withdrawn it stays where it is; rejecting is always possible."""
        asked, other = await self.ask(memory, call), await self.ask(memory, call, "Ana has a cat")
        await call(memory.consent, "withdraw", ANA)
        both = [ApprovalDecision(id=asked.id, verdict="approve"), ApprovalDecision(id=other.id, verdict="reject")]
        outcomes = await call(memory.approvals, "decide", both, scope=ANA, decided_by="carol")
        assert [(it.verdict, it.rule) for it in outcomes] == [("refused", "consent"), ("rejected", "approval")]

    async def test_what_the_user_asked_to_forget_meanwhile_is_not_approved(
        self, memory: AgentMemory, call: Call
    ) -> None:
        """The request came after the question; what is said anew may be asked about anew."""
        asked = await self.ask(memory, call, "Ana has a cat")
        run(flows_of(memory.episodes).ask("cat", ANA))
        decided = ApprovalDecision(id=asked.id, verdict="approve")
        [outcome] = await call(memory.approvals, "decide", decided, scope=ANA, decided_by="carol")
        assert (outcome.verdict, outcome.rule) == ("refused", "forgotten_meanwhile")

    async def test_an_erased_proposal_leaves_nothing_to_decide(self, memory: AgentMemory, call: Call) -> None:
        """Neither the memory nor what was asked of it."""
        asked = await self.ask(memory, call)
        await call(memory.long_term, "erase", asked.id, scope=ANA)
        assert list(await call(memory.approvals, "list", scope=ANA)) == []
        decided = ApprovalDecision(id=asked.id, verdict="approve")
        with pytest.raises(NotFoundError):
            await call(memory.approvals, "decide", decided, scope=ANA, decided_by="carol")

    async def test_a_contradiction_that_waits_is_decided_here_too(self, memory: AgentMemory, call: Call) -> None:
        """What is less trusted than what it contradicts waits for a word; approved, it takes its place."""
        rome = (await call(memory.long_term, "remember", ROME, scope=ANA)).memory
        weak = Candidate(content=PARIS, source="inferred", provenance=Provenance(speaker="user", evidence=PARIS))
        waiting = await call(memory.long_term, "remember", weak, scope=ANA)
        assert (waiting.verdict, waiting.rule) == ("pending", "contradiction")
        [approval] = await call(memory.approvals, "list", scope=ANA)
        assert (approval.rule, approval.expires_at) == ("contradiction", None)
        [outcome] = await call(memory.approvals, "decide", approval.approve(), scope=ANA, decided_by="carol")
        assert outcome.superseded == (rome.id,)
        assert await self.contents(memory, call) == [PARIS]

    async def test_the_list_goes_on_where_it_ended(self, memory: AgentMemory, clock: Clock, call: Call) -> None:
        """Page by page, the latest first, each once; what is in force or waits for support is not in it."""
        wanted = []
        for number in range(5):
            clock.now += timedelta(seconds=1)
            wanted.append((await self.ask(memory, call, f"Ana has {number + 2} keys to box {number}")).id)
            await call(memory.long_term, "remember", f"Ana owns box {number}", scope=ANA)
        found: list[str] = []
        cursor = None
        while True:
            page = await call(memory.approvals, "list", scope=ANA, limit=2, cursor=cursor)
            found += [it.id for it in page]
            cursor = page.cursor
            if cursor is None:
                break
        assert found == wanted[::-1]

    async def test_a_tier_may_refuse(self, memory: AgentMemory, call: Call) -> None:
        """Then nothing is kept, and nothing waits."""
        decision = await call(memory.long_term, "remember", told(PARIS, "system"), scope=ANA)
        assert (decision.verdict, decision.rule) == ("refused", "approval")
        assert list(await call(memory.approvals, "list", scope=ANA)) == []
