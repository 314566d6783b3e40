"""Laws of what may be written, whatever the path on which it comes."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem._flow import flows_of, run
from langchain_agentmem.errors import ConsentError
from langchain_agentmem.memory import AgentMemory
from langchain_agentmem.sql.schema import METADATA
from langchain_agentmem.types import Candidate, Memory, MemoryMode, Outcome, Provenance, RecallQuery, Scope
from tests.fake_embeddings import WordEmbeddings
from tests.held import held

ALICE = Scope("alice")
CARD = "4111 1111 1111 1111"
WORD = "Zanzibarian"


@pytest.fixture
def memory() -> AgentMemory:
    return AgentMemory.in_memory(embeddings=None, consent="assumed")


def stored(memory: AgentMemory) -> str:
    """Everything that any table holds, as text."""

    def read(connection: Any) -> str:  # noqa: ANN401
        rows = [row for table in METADATA.sorted_tables for row in connection.execute(table.select())]
        return "\n".join(
            it.decode("utf-8", "replace") if isinstance(it, bytes) else str(it) for row in rows for it in row
        )

    return run(memory._database.read(read))


def keep(memory: AgentMemory, content: str, **fields: Any) -> Memory:
    return memory.long_term.remember(Candidate(content=content, **fields), scope=ALICE).require()


@pytest.mark.parametrize("mode", ["frozen", "off"])
def test_rights_and_what_the_application_writes_go_on_in_every_mode(mode: MemoryMode) -> None:
    """Consent, holds, forgetting and erasure work, histories and items are kept: a mode is about what memory does."""
    now: list[MemoryMode] = ["on"]
    memory, talk = AgentMemory.in_memory(embeddings=None, mode=lambda _: now[0]), Scope("alice", session_id="monday")
    memory.consent.grant(ALICE)
    kept = [keep(memory, content) for content in ("Alice owns a red bicycle", "Alice visited Lisbon in spring")]
    now[0] = mode
    assert memory.long_term.remember("Alice likes tea", scope=ALICE).rule == "memory_mode"
    assert memory.privacy.hold(ALICE, reason="a case").reasons == ("a case",)
    assert memory.privacy.release(ALICE, reason="it is settled")
    memory.long_term.forget(kept[0].id, scope=ALICE)
    assert memory.long_term.erase(kept[1].id, scope=ALICE) == (kept[1].id,)
    memory.history(talk).add_messages([HumanMessage("My sister Nora flew to Lisbon")])
    memory.store.put(("notes", "alice"), "tea", {"text": "green"})
    assert [it.text for it in memory.history(talk).messages] == ["My sister Nora flew to Lisbon"]
    assert memory.store.get(("notes", "alice"), "tea") is not None
    assert not memory.episodes.list(scope=talk)
    assert memory.consent.withdraw(ALICE).status == "withdrawn"
    assert memory.privacy.erase(ALICE, reason="by letter").is_empty


@pytest.mark.parametrize("verb", ["revise", "feedback", "forget", "restore", "erase", "merge", "grant", "withdraw"])
def test_a_reason_keeps_no_sensitive_data(memory: AgentMemory, verb: str) -> None:
    """What is refused as a memory for being sensitive is masked in every reason."""
    ids = [keep(memory, "Alice owns a red bicycle").id, keep(memory, "Alice visited Lisbon in spring").id]
    if verb == "restore":
        memory.long_term.forget(ids[0], scope=ALICE)
    reason, scope = f"the card is {CARD}", ALICE
    calls: dict[str, Callable[[], object]] = {
        "revise": lambda: memory.long_term.revise(ids[0], scope=scope, reason=reason, tags=("a",)),
        "feedback": lambda: memory.long_term.feedback(ids[0], "confirmed", scope=scope, reason=reason),
        "forget": lambda: memory.long_term.forget(ids[0], scope=scope, reason=reason),
        "restore": lambda: memory.long_term.restore(ids[0], scope=scope, reason=reason),
        "erase": lambda: memory.long_term.erase(ids[0], scope=scope, reason=reason),
        "merge": lambda: memory.long_term.merge(ids, "Alice owns a bicycle and saw Lisbon", scope=scope, reason=reason),
        "grant": lambda: memory.consent.grant(scope, reason=reason),
        "withdraw": lambda: memory.consent.withdraw(scope, reason=reason),
    }
    calls[verb]()
    assert CARD not in stored(memory)
    assert "the card is [" in stored(memory)


def test_a_receipt_keeps_no_sensitive_purpose_or_tag(memory: AgentMemory) -> None:
    """Every text of a query is masked in its receipt."""
    memory.long_term.recall(RecallQuery(text=CARD, action=CARD, task=CARD, purpose=CARD, tags=(CARD,)), scope=ALICE)
    assert CARD not in stored(memory)


def test_a_revision_takes_over_what_a_rule_amends(memory: AgentMemory) -> None:
    """Evidence is masked and an instruction becomes a constraint, as with a new memory."""
    known = keep(memory, "Alice prefers Python for backend services")
    origin = Provenance(speaker="user", evidence=f"I prefer Python for backend services, {CARD}")
    memory.long_term.revise(known.id, scope=ALICE, provenance=origin)
    assert CARD not in stored(memory)
    revised = memory.long_term.revise(known.id, scope=ALICE, content="Always deploy to staging first").require()
    assert revised.kind == "constraint"


def test_a_revision_needs_no_evidence_for_the_old_words(memory: AgentMemory) -> None:
    """New content drops the evidence of what it replaces: nobody quoted it for that."""
    origin = Provenance(speaker="user", message_ids=("m1",), evidence="I prefer Rust")
    known = keep(memory, "Alice prefers Rust", kind="preference", provenance=origin)
    revised = memory.long_term.revise(known.id, scope=ALICE, content="Alice prefers Zig").require()
    assert (revised.content, revised.provenance.evidence) == ("Alice prefers Zig", None)
    assert revised.provenance.message_ids == ("m1",)


def test_a_merge_is_bound_to_the_purposes_consented_to(memory: AgentMemory) -> None:
    """What was kept for everything is merged only for what the user allows now."""
    ids = [keep(memory, "Alice owns a red bicycle").id, keep(memory, "Alice visited Lisbon in spring").id]
    memory.consent.grant(ALICE, purposes=("support",))
    merged = memory.long_term.merge(ids, "Alice owns a bicycle and saw Lisbon", scope=ALICE).require()
    assert merged.purposes == ("support",)


def test_a_purpose_beyond_the_consent_recalls_nothing(memory: AgentMemory) -> None:
    """A narrower consent binds what was kept before it."""
    keep(memory, "Alice owns a red bicycle")
    memory.consent.grant(ALICE, purposes=("support",))
    query = RecallQuery(text="red bicycle", purpose="marketing")
    assert memory.long_term.recall(query, scope=ALICE).status == "no_consent"


@pytest.mark.parametrize("verb", ["merge", "revise"])
def test_consent_withdrawn_in_the_meantime_refuses(verb: str) -> None:
    """What was allowed when a change began is asked again in the transaction that makes it."""
    embeddings = WordEmbeddings()
    memory = AgentMemory.in_memory(embeddings=embeddings, consent="assumed")
    ids = [keep(memory, "Alice owns a red bicycle").id, keep(memory, "Alice visited Lisbon in spring").id]
    said = "Alice owns a bicycle and saw Lisbon"
    embeddings.before = lambda: memory.consent.withdraw(ALICE)  # the model takes its time
    if verb == "merge":
        decision = memory.long_term.merge(ids, said, scope=ALICE)
    else:
        decision = memory.long_term.revise(ids[0], scope=ALICE, content=said)
    assert (decision.verdict, decision.rule) == ("refused", "consent")


def test_feedback_after_a_withdrawal_is_refused(memory: AgentMemory) -> None:
    """Nothing about a user is written once they withdrew."""
    known = keep(memory, "Alice owns a red bicycle")
    memory.consent.withdraw(ALICE)
    with pytest.raises(ConsentError):
        memory.long_term.feedback(known.id, "confirmed", scope=ALICE)


@pytest.mark.parametrize("how", ["never", "withdrawn", "off"])
def test_no_word_is_kept_where_memory_takes_no_part(how: str) -> None:
    """Without consent, or where memory is off, receipts tell that nothing was recalled, not what was asked."""
    memory = AgentMemory.in_memory(embeddings=None, mode="off" if how == "off" else "on")
    if how == "withdrawn":
        memory.consent.withdraw(ALICE)
    memory.long_term.recall(f"where is {WORD} coffee sold?", scope=ALICE)
    run(
        flows_of(memory.long_term).decline(
            RecallQuery(text=WORD), ALICE, "skipped" if how != "off" else "off", "small talk"
        )
    )
    memory.long_term.learn(Outcome(action=WORD, succeeded=False), scope=ALICE)
    assert WORD not in stored(memory)


def test_a_declined_question_is_kept_with_consent(memory: AgentMemory) -> None:
    """Why nothing was recalled can be explained."""
    recall = run(flows_of(memory.long_term).decline(RecallQuery(text="hello"), ALICE, "skipped", "small talk"))
    assert recall.receipt_id is not None
    assert memory.long_term.receipt(recall.receipt_id, scope=ALICE).plan["query"] == {"text": "hello"}


def test_an_erasure_beside_a_reader_is_finished_by_a_later_write(tmp_path: Path) -> None:
    """What a reader kept in the write-ahead log goes when the job is due again, whatever was written in between."""
    now = [datetime(2026, 1, 1, tzinfo=UTC)]
    file = tmp_path / "agent.db"
    memory = AgentMemory.embedded(file, embeddings=None, consent="assumed", clock=lambda: now[0])
    known = keep(memory, f"Alice likes {WORD} coffee")
    with closing(sqlite3.connect(file, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM agentmem_memories").fetchone()
        memory.long_term.erase(known.id, scope=ALICE)
    keep(memory, "Alice owns a red bicycle")  # too early for another attempt
    now[0] += timedelta(minutes=1)
    keep(memory, "Alice visited Lisbon in spring")
    assert not any(WORD.encode() in part.read_bytes() for part in tmp_path.iterdir())
    assert memory.jobs.counts() == {}
    memory.close()


def test_an_erasure_leaves_no_text_in_the_caches(memory: AgentMemory) -> None:
    """What the policies remember of judged texts goes with them."""
    memory.long_term.erase(keep(memory, f"Alice likes {WORD} coffee").id, scope=ALICE)
    assert held() == []


def test_an_erasure_finds_the_sources_of_a_revised_merge(memory: AgentMemory) -> None:
    """However a merge was revised since, what it was merged from goes with it."""
    ids = [keep(memory, "Alice owns a red bicycle").id, keep(memory, "Alice visited Lisbon in spring").id]
    merged = memory.long_term.merge(ids, "Alice owns a bicycle and saw Lisbon", scope=ALICE).require()
    memory.long_term.revise(merged.id, scope=ALICE, source="explicit")
    assert set(memory.long_term.erase(merged.id, scope=ALICE)) == {merged.id, *ids}


def test_a_confirmed_claim_replaces_what_it_was_meant_to(memory: AgentMemory) -> None:
    """What the assistant wanted to replace stays until the user says the same, and then goes."""
    vim = keep(memory, "Alice uses vim as editor")
    claim = Provenance(speaker="assistant")
    held = keep(memory, "Alice uses emacs as editor", source="inferred", provenance=claim, supersedes=(vim.id,))
    assert (held.status, held.supersedes) == ("pending", (vim.id,))
    decision = memory.long_term.remember("Alice uses emacs as editor", scope=ALICE)
    assert decision.superseded == (vim.id,)
    assert [it.content for it in memory.long_term.list(scope=ALICE)] == ["Alice uses emacs as editor"]


def test_the_assistant_makes_nothing_more_certain(memory: AgentMemory) -> None:
    """An answer that repeats a memory is no confirmation by the user."""
    known = keep(memory, "Alice lives in Paris", confidence=0.8)
    keep(memory, "Alice lives in Paris", provenance=Provenance(speaker="assistant", message_ids=("a1",)))
    found = memory.long_term.get(known.id, scope=ALICE)
    assert found is not None
    assert found.confidence == known.confidence
