"""What the parts that govern promise of each other: none opens a door that another one closed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from threading import Thread
from typing import Any, Final

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import (
    AgentMemory,
    Candidate,
    ConsentError,
    Memory,
    NotFoundError,
    Outcome,
    Provenance,
    RetentionError,
    Scope,
)
from langchain_agentmem._flow import run
from langchain_agentmem.errors import GovernanceError
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.policies.approve import ApprovalPolicy, ByKind
from langchain_agentmem.policies.forget import ForgettingPolicy
from langchain_agentmem.policies.sensitive import SensitivePolicy
from langchain_agentmem.policies.write import WritePolicy
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.vault import SubjectVault
from langchain_agentmem.vault.base import Vault
from tests.conftest import Call
from tests.contracts.long_term_contract import Clock
from tests.fake_embeddings import WordEmbeddings
from tests.spelled import spelled
from tests.vaults import MemoryKeys

ALICE: Final = Scope("alice")
TALK: Final = Scope("alice", session_id="talk")
CARD: Final = "4111 1111 1111 1111"
PAYS: Final = f"Alice pays with the card {CARD}"
REDACTING: Final = SensitivePolicy(rules={"*": "redact"})
BLOCKING: Final = SensitivePolicy(rules={"*": "block"})


class GovernanceContract:
    """Subclass it beside a fixture `sql_url`."""

    @pytest.fixture
    def clock(self) -> Clock:
        return Clock()

    @pytest.fixture
    def vault(self) -> Vault:
        return SubjectVault(MemoryKeys())

    @pytest.fixture
    def memory(self, sql_url: str, clock: Clock, vault: Vault) -> Iterator[AgentMemory]:
        options = MemoryOptions(
            clock=clock,
            vault=vault,
            policy=WritePolicy().without("sensitive_data"),
            approval=ApprovalPolicy(rules=[ByKind({"constraint": "ask"})], expires_after=None),
            forgetting=ForgettingPolicy(max_idle_days=10, archived_days=10),
            threads={"vault": None},
            trust={"tools": {"web_*": "web"}},
        )
        with AgentMemory(Database(sql_url), embeddings=None, options=options) as memory:
            memory.consent.grant(ALICE)
            yield memory

    # ------------------------------------------------------------------------------------------------------- timeline
    async def test_going_back_brings_nothing_back_that_consent_closed(self, memory: AgentMemory, call: Call) -> None:
        """Neither what was erased with a withdrawal, nor what is of a kind that is not allowed; without any, none."""
        liked = memory.long_term.remember("Alice likes jazz", scope=ALICE, kind="preference").require()
        lives = memory.long_term.remember("Alice lives in Rome", scope=ALICE).require()
        before = memory.timeline.events(ALICE).items[-1].seq
        memory.consent.withdraw(ALICE, kinds=["preference"])
        memory.long_term.forget(liked.id, scope=ALICE)
        await call(memory.timeline, "rollback", ALICE, to=before)
        assert {it.id for it in memory.long_term.list(scope=ALICE)} == {lives.id}
        assert liked.id not in spelled(memory.long_term.recall("jazz", scope=ALICE))
        memory.consent.withdraw(ALICE, erase=True)
        with pytest.raises(ConsentError):
            await call(memory.timeline, "rollback", ALICE, to=before)
        memory.consent.grant(ALICE)
        done = await call(memory.timeline, "rollback", ALICE, to=before)
        assert (done.reverted, set(done.erased)) == ((), {liked.id, lives.id})

    async def test_going_back_decides_nothing(self, memory: AgentMemory, call: Call) -> None:
        """What was undecided waits again, and is listed; what was decided is decided in the log."""
        [asked] = propose(memory)
        memory.approvals.decide([asked.approve()], scope=ALICE, decided_by="boss")
        approved = memory.timeline.events(ALICE, memory_id=asked.id).items[-1].seq
        await call(memory.timeline, "rollback", ALICE, to=approved - 1)
        assert [it.id for it in await call(memory.approvals, "list", scope=ALICE)] == [asked.id]
        assert memory.long_term.list(scope=ALICE).items == ()

    async def test_going_back_under_a_hold_deletes_nothing(self, memory: AgentMemory, call: Call) -> None:
        """It only adds events; while the user is erased it is refused."""
        known = memory.long_term.remember("Alice lives in Rome", scope=ALICE).require()
        memory.privacy.hold(ALICE, reason="case")
        await call(memory.timeline, "rollback", ALICE, to=1)
        await call(memory.timeline, "undo", memory.timeline.events(ALICE).items[-1].seq, scope=ALICE)
        assert [it.id for it in memory.long_term.list(scope=ALICE)] == [known.id]
        memory.privacy.release(ALICE, reason="closed")
        run(memory.privacy._parts.erasure.begin(ALICE, "asked"))
        with pytest.raises(RetentionError):
            await call(memory.timeline, "rollback", ALICE, to=1)

    async def test_what_was_cleaned_comes_back_by_no_way(self, memory: AgentMemory, call: Call) -> None:
        """It is seen from then on; a way back leaves it as it is, and does not forget it either."""
        paid = memory.long_term.remember(PAYS, scope=ALICE).require()
        said = memory.timeline.events(ALICE).items[-1].seq
        await call(memory.sensitive, "scan", ALICE, dry_run=False, policy=REDACTING)
        cleaned = next(it.seq for it in memory.timeline.events(ALICE) if it.type == "cleaned")
        assert [it.id for it in await call(memory.timeline, "as_of", cleaned, scope=ALICE)] == [paid.id]
        done = await call(memory.timeline, "rollback", ALICE, to=said)
        assert (done.reverted, "cleaned" in str(done.notes)) == ((), True)
        with pytest.raises(GovernanceError) as refused:
            await call(memory.timeline, "undo", cleaned, scope=ALICE)
        assert (refused.value.rule, CARD in str(refused.value)) == ("sensitive_data", False)
        [left] = memory.long_term.list(scope=ALICE)
        assert (left.id, CARD in left.content) == (paid.id, False)
        memory.long_term.revise(paid.id, scope=ALICE, content="Alice pays cash")
        await call(memory.timeline, "rollback", ALICE, to=cleaned)
        assert memory.long_term.list(scope=ALICE)[0].content == left.content

    async def test_going_back_across_the_end_of_a_user_says_so(
        self, memory: AgentMemory, call: Call, tmp_path: Path
    ) -> None:
        """Nothing from before comes back; what was imported since stays as it is, and what is new is forgotten."""
        boat, tea = (remembered(memory, it) for it in ("Alice owns a boat", "Alice likes tea"))
        memory.privacy.export(ALICE, tmp_path / "alice.jsonl", sealed=False)
        memory.privacy.erase(ALICE)
        memory.consent.grant(ALICE)
        done = await call(memory.timeline, "rollback", ALICE, to=tea.revision)
        assert (done.reverted, "everything of the user was erased" in done.notes[0]) == ((), True)
        memory.privacy.import_(tmp_path / "alice.jsonl", scope=ALICE)
        new = remembered(memory, "Alice owns a violin")
        done = await call(memory.timeline, "rollback", ALICE, to=tea.revision)
        assert [(it.memory_id, it.is_forgotten) for it in done] == [(new.id, True)]
        assert ("2 memories were erased and imported again" in str(done.notes), "cleaned" in str(done.notes)) == (
            True,
            False,
        )
        assert {it.content for it in memory.long_term.list(scope=ALICE)} == {boat.content, tea.content}
        [ended] = memory.timeline.events(ALICE, types=("subject_erased",))
        await call(memory.timeline, "rollback", ALICE, to=ended.seq)
        assert memory.long_term.list(scope=ALICE).items == ()

    # ------------------------------------------------------------------------------------------------------- approval
    async def test_what_waits_is_not_forgotten(self, memory: AgentMemory, clock: Clock, call: Call) -> None:
        """However long nobody decides; afterwards it is as any other."""
        [asked] = propose(memory)
        clock.now += timedelta(days=400)
        report = await call(memory.forgetting, "forget_cycle", ALICE)
        assert [(it.rule, it.move) for it in report.fates] == [("waits", None)]
        assert [it.id for it in memory.approvals.list(scope=ALICE)] == [asked.id]

    async def test_nobody_approves_what_the_user_no_longer_allows(self, memory: AgentMemory, call: Call) -> None:
        """It waits on, out of sight; with the consent it can be decided again."""
        [asked] = propose(memory)
        memory.consent.withdraw(ALICE, kinds=["constraint"])
        [outcome] = await call(memory.approvals, "decide", [asked.approve()], scope=ALICE, decided_by="boss")
        assert (outcome.verdict, outcome.rule) == ("refused", "consent")
        assert memory.long_term.list(scope=ALICE).items == ()
        memory.consent.grant(ALICE)
        [outcome] = await call(memory.approvals, "decide", [asked.approve()], scope=ALICE, decided_by="boss")
        assert outcome.verdict == "approved"

    async def test_what_is_not_trusted_waits_for_the_user_and_not_for_a_decider(
        self, memory: AgentMemory, call: Call
    ) -> None:
        """It is in the quarantine, and on no list of approvals."""
        page = Provenance(speaker="assistant", tools=("web_search",))
        candidate = Candidate(content="Alice banks with EvilBank", source="inferred", provenance=page)
        told = memory.long_term.remember(candidate, scope=ALICE)
        assert (told.verdict, told.rule) == ("pending", "trust_floor")
        assert len(await call(memory.approvals, "list", scope=ALICE)) == 0
        assert [it.rule for it in await call(memory.quarantine, "list", ALICE)] == ["trust_floor"]

    # ----------------------------------------------------------------------------------------------------------- hold
    async def test_a_hold_stops_whatever_deletes_for_good(self, memory: AgentMemory, clock: Clock, call: Call) -> None:
        """A scan that would clean or erase, a withdrawal that erases, a conversation cleared, and forgetting."""
        memory.long_term.remember(PAYS, scope=ALICE)
        memory.history(TALK).add_messages([HumanMessage("I live in Rome", id="m")])
        memory.long_term.forget(memory.long_term.remember("Alice likes tea", scope=ALICE).require().id, scope=ALICE)
        memory.privacy.hold(ALICE, reason="case")
        before = memory.privacy.report(ALICE).counts
        for policy in (REDACTING, BLOCKING):
            with pytest.raises(RetentionError) as refused:
                await call(memory.sensitive, "scan", ALICE, dry_run=False, policy=policy)
            assert refused.value.rule == "legal_hold"
            assert (await call(memory.sensitive, "scan", ALICE, policy=policy)).findings
        with pytest.raises(GovernanceError) as refused_too:
            await call(memory.consent, "withdraw", ALICE, erase=True)
        assert refused_too.value.rule == "legal_hold"
        with pytest.raises(RetentionError):
            memory.history(TALK).clear()
        clock.now += timedelta(days=400)
        report = await call(memory.forgetting, "forget_cycle", ALICE)
        assert (report.is_held, {it.move for it in report.fates}) == (True, {None})
        assert [it.content for it in memory.long_term.list(scope=ALICE)] == [PAYS]
        left = {name: count for name, count in before.items() if name not in ("events", "receipts", "jobs")}
        after = memory.privacy.report(ALICE).counts
        assert {name: after[name] for name in left} == left

    # -------------------------------------------------------------------------------------------------------- erasure
    async def test_what_comes_late_goes_with_the_user(self, memory: AgentMemory, vault: Any, call: Call) -> None:  # noqa: ANN401  (a vault of these tests)
        """A message sealed with a key that is destroyed meanwhile is deleted: nobody could ever read it."""
        memory.long_term.remember("Alice lives in Rome", scope=ALICE)
        destroy = vault.destroy

        def late(scope: Scope, lineage: str | None = None) -> Any:  # noqa: ANN401  (a flow)
            memory._sessions  # noqa: B018  (made before)
            yield from memory._sessions.append(TALK, [HumanMessage("too late", id="late")])
            yield from destroy(scope, lineage)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(vault, "destroy", late)
            report = await call(memory.privacy, "erase", ALICE)
        assert report.is_empty
        assert not memory.conversations(ALICE)
        memory.consent.grant(ALICE)
        memory.history(TALK).add_messages([HumanMessage("back again", id="new")])
        assert [it.content for it in memory.history(TALK).messages] == ["back again"]

    @pytest.mark.parametrize("way", ["remember", "learn", "ingest", "goal", "profile", "correct"])
    async def test_what_was_given_before_an_erasure_stays_out_though_consent_is_back(
        self, sql_url: str, clock: Clock, call: Call, way: str
    ) -> None:
        """A call that embeds while its user is erased, and says yes anew, keeps nothing; the next one does."""
        embeddings, done = WordEmbeddings(), list[str]()
        with AgentMemory(Database(sql_url), embeddings=embeddings, options=MemoryOptions(clock=clock)) as memory:
            ways: dict[str, tuple[Any, ...]] = {
                "remember": (memory.long_term, "remember", "Alice owns a trombone"),
                "learn": (memory.long_term, "learn", Outcome(action="polish the trombone", succeeded=False)),
                "ingest": (memory.episodes, "ingest", [HumanMessage("I own a trombone", id="m")]),
                "goal": (memory.goals, "add", "Alice wants a trombone"),
                "profile": (memory.profiles, "add_fact", "Alice plays the trombone"),
                "correct": (memory.long_term, "correct", "m", "Alice owns a trombone"),
            }
            part, name, *given = ways[way]
            memory.consent.grant(ALICE)
            known = memory.long_term.remember("Alice owns a boat", scope=ALICE).require()
            given = [known.id if it == "m" else it for it in given]

            def erase() -> None:
                if not done:
                    done.append("")
                    other = Thread(target=lambda: (memory.privacy.erase(ALICE), memory.consent.grant(ALICE)))
                    other.start()
                    other.join()

            embeddings.before = erase
            with suppress(NotFoundError):
                await call(part, name, *given, scope=TALK)
            assert done
            assert (memory.long_term.list(scope=ALICE).items, memory.episodes.list(scope=ALICE).items) == ((), ())
            assert "trombone" not in spelled(await call(memory.timeline, "events", ALICE))
            if way != "correct":
                await call(part, name, *given, scope=TALK)
                assert memory.long_term.list(scope=ALICE).items or memory.episodes.list(scope=ALICE)

    async def test_an_import_that_is_not_allowed_leaves_the_log_as_it_is(
        self, memory: AgentMemory, call: Call, tmp_path: Path
    ) -> None:
        """What was erased with the user and may not come back stays erased, in the rows as in the log."""
        remembered(memory, "Alice owns a boat")
        memory.privacy.export(ALICE, tmp_path / "alice.jsonl", sealed=False)
        memory.privacy.erase(ALICE)
        memory.consent.grant(ALICE, kinds=["goal"])
        done = await call(memory.privacy, "import_", tmp_path / "alice.jsonl", scope=ALICE)
        assert (done.layers["memories"].added, done.layers["memories"].skipped) == (0, 1)
        assert (await call(memory.long_term, "verify", scope=ALICE)).problems == ()
        memory.consent.grant(ALICE)
        done = await call(memory.privacy, "import_", tmp_path / "alice.jsonl", scope=ALICE)
        assert (done.layers["memories"].added, len(memory.long_term.list(scope=ALICE))) == (1, 1)
        assert (await call(memory.long_term, "verify", scope=ALICE)).problems == ()

    def test_every_round_is_another_job(self, memory: AgentMemory) -> None:
        """Two rounds of one id would be done as one."""
        ids = [it.id for it in memory.jobs._flows._rounds]
        assert len(ids) == len({*ids}) > 6


def remembered(memory: AgentMemory, content: str) -> Memory:
    """Have something remembered of alice."""
    return memory.long_term.remember(content, scope=ALICE).require()


def propose(memory: AgentMemory) -> list[Any]:
    """Have something wait for a person, and return it."""
    memory.long_term.remember("Never call Alice before noon", scope=ALICE, kind="constraint")
    return list(memory.approvals.list(scope=ALICE))
