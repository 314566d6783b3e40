"""What a statement likely leaves out of date, where no rule can tell: marked, never ended."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from langchain_agentmem import AgentMemory, Candidate, Memory, Provenance, Scope
from langchain_agentmem.long_term.write.outdating import MAX_DOUBTED
from tests.conftest import Call
from tests.contracts.profiles_contract import Clock
from tests.ledgers import ALICE

KROGER, ALDI = "I always buy my groceries at Kroger", "Since the Kroger shut I buy my groceries at Aldi"


def opened(**options: Any) -> AgentMemory:
    return AgentMemory.in_memory(embeddings=None, **{"consent": "assumed", **options})


async def told(memory: AgentMemory, call: Call, said: str | Candidate, scope: Scope = ALICE) -> Memory:
    """Tell a statement, and return what is kept of it."""
    kept: Memory = (await call(memory.long_term, "remember", said, scope=scope)).require()
    return kept


async def marks(
    memory: AgentMemory, call: Call, *kept: Memory, scope: Scope = ALICE
) -> list[tuple[str, tuple[str, ...]]]:
    """Return the status of each memory, and what it names as saying otherwise."""
    found = [await call(memory.long_term, "get", it.id, scope=scope) for it in kept]
    return [(it.status, it.contradicts) for it in found]


async def test_both_stay_in_force_and_each_names_the_other(call: Call) -> None:
    """Law: signs end nothing; whoever recalls one is given the other with it, and `why` tells it of both."""
    with opened() as memory:
        old, new = await told(memory, call, KROGER), await told(memory, call, ALDI)
        assert await marks(memory, call, old, new) == [("active", (new.id,)), ("active", (old.id,))]
        found = await call(memory.long_term, "recall", "always at Kroger?", scope=ALICE, limit=2)
        assert {it.memory.id for it in found} == {old.id, new.id}
        for each in (old, new):
            explained = await call(memory.long_term, "why", each.id, scope=ALICE)
            assert "neither replaces the other" in " ".join(explained.reasons)


async def test_a_change_marks_what_shares_no_word_with_it(call: Call) -> None:
    """Law: who went over to one thing of a kind left the other, however many memories are nearer in words."""
    with opened() as memory:
        old = await told(memory, call, "I use Chrome")
        for what in ("tea", "jazz", "walks", "trains", "maps", "chess", "rain", "snow", "cake", "fog", "figs", "kites"):
            await told(memory, call, f"I switched my mind about {what}")
        new = await told(memory, call, "I switched to Firefox")
        assert await marks(memory, call, old, new) == [("active", (new.id,)), ("active", (old.id,))]


async def test_what_never_came_marks_nothing(call: Call) -> None:
    """Law: who wants to stop, nearly did or did for a week has not stopped."""
    for said in ("I want to quit coffee", "I nearly quit coffee", "I quit coffee for a week in 2019"):
        with opened() as memory:
            old, _ = await told(memory, call, "I like coffee"), await told(memory, call, said)
            assert await marks(memory, call, old) == [("active", ())]


async def test_rules_come_first(call: Call) -> None:
    """Law: what a rule knows to end is ended, and marks nothing."""
    with opened() as memory:
        old, new = await told(memory, call, "I live in Leeds"), await told(memory, call, "I moved to York last week")
        assert await marks(memory, call, old, new) == [("superseded", ()), ("active", ())]


async def test_who_is_believed_less_throws_no_doubt(call: Call) -> None:
    """Law: what an assistant says of what the user said marks nothing of it."""
    claim = Candidate(content=ALDI, source="inferred", provenance=Provenance(speaker="assistant"))
    with opened() as memory:
        old, new = await told(memory, call, KROGER), await told(memory, call, claim)
        assert [it for _, it in await marks(memory, call, old, new)] == [(), ()]


async def test_what_no_recall_shows_together_is_not_marked(call: Call) -> None:
    """Law: what is kept for other purposes, or of a kind that is past, stays as it is."""
    said: list[dict[str, Any]] = [{"purposes": ("billing",)}, {"kind": "outcome"}]
    for other in said:
        with opened() as memory:
            old = await told(memory, call, Candidate(content=KROGER, **({"purposes": ("ads",)} | other)))
            new = await told(memory, call, Candidate(content=ALDI, purposes=("ads",)))
            is_apart = other.get("purposes") == ("billing",) or other.get("kind") == "outcome"
            assert is_apart
            assert (await marks(memory, call, old, new))[0] == ("active", ())


async def test_one_statement_marks_few(call: Call) -> None:
    """Law: what seems to change everything marks only the likeliest."""
    with opened() as memory:
        kept = [
            await told(memory, call, f"I always buy my {what} at Kroger")
            for what in ("groceries", "bread", "flowers", "batteries", "cheese")
        ]
        new = await told(memory, call, "I no longer buy my groceries, bread, flowers, batteries or cheese at Kroger")
        marked = [it for it, (_, by) in zip(kept, await marks(memory, call, *kept), strict=True) if by]
        assert len(marked) <= MAX_DOUBTED
        assert {it.id for it in marked} == set((await marks(memory, call, new))[0][1])


async def test_an_agents_statement_marks_nothing_that_others_see(call: Call) -> None:
    """Law: what others share learns nothing of an agent's own statement."""
    agent = Scope("alice", agent_id="cook")
    with opened() as memory:
        old, new = await told(memory, call, KROGER), await told(memory, call, ALDI, agent)
        assert await marks(memory, call, old) == [("active", ())]
        assert await marks(memory, call, new, scope=agent) == [("active", (old.id,))]


async def test_a_mark_ends_with_what_made_it(call: Call) -> None:
    """Law: once the later statement is forgotten, a recall of the earlier one names nobody."""
    with opened() as memory:
        old, new = await told(memory, call, KROGER), await told(memory, call, ALDI)
        await call(memory.long_term, "forget", new.id, scope=ALICE, reason="slip")
        found = await call(memory.long_term, "recall", "always at Kroger?", scope=ALICE)
        assert [(it.memory.id, it.contradicts) for it in found] == [(old.id, ())]


async def test_a_relation_of_many_is_not_in_doubt(call: Call) -> None:
    """Law: of what an application declares to have many objects one is no news of another."""
    said = (("Kroger", KROGER), ("Aldi", ALDI))
    shops = [Candidate(content=text, subject="Alice", relation="shops_at", object=shop) for shop, text in said]
    with opened() as memory:
        old, _ = [await told(memory, call, it) for it in shops]
        assert (await marks(memory, call, old))[0] != ("active", ())
    with opened(relations={"shops at": "many"}) as memory:
        old, new = [await told(memory, call, it) for it in shops]
        assert await marks(memory, call, old, new) == [("active", ()), ("active", ())]


async def test_a_log_with_marks_verifies_and_is_replayed(call: Call) -> None:
    """Law: a mark is an event: the chain holds, and the table is what the log tells."""
    with opened() as memory:
        old, new = await told(memory, call, KROGER), await told(memory, call, ALDI)
        before = await marks(memory, call, old, new)
        assert (await call(memory.long_term, "verify", scope=ALICE)).is_intact
        await call(memory.long_term, "replay", scope=ALICE)
        assert await marks(memory, call, old, new) == before


async def test_a_mark_says_nothing_in_a_profile_once_the_other_is_forgotten(call: Call) -> None:
    """Law: a profile names what says otherwise and is in force, and what is restored again."""
    with opened() as memory:
        old, new = [(await call(memory.profiles, "add_fact", it, scope=ALICE)).require() for it in (KROGER, ALDI)]

        async def named() -> list[tuple[str, ...]]:
            profile = await call(memory.profiles, "get", scope=ALICE)
            return [it.contradicts for it in profile.told if it.memory_id == old.id]

        assert await named() == [(new.id,)]
        await call(memory.long_term, "forget", new.id, scope=ALICE)
        assert await named() == [()]
        await call(memory.long_term, "restore", new.id, scope=ALICE)
        assert await named() == [(new.id,)]


async def test_what_is_disputed_by_nothing_any_more_is_consolidated(call: Call) -> None:
    """Law: two that say the same stay apart as long as something in force says otherwise of one."""
    said = ("Alice prefers Python", "Alice strongly prefers Python", "Alice does not prefer Python")
    with opened(conflicts="keep_both") as memory:
        kept = [
            await told(memory, call, Candidate(content=it, kind="preference", source="explicit", confidence=0.95))
            for it in said
        ]
        assert [bool(it) for _, it in await marks(memory, call, *kept)] == [True, True, True]
        report = await call(memory.consolidation, "run", ALICE, dry_run=True)
        assert (report.changes, [it.rule for it in report.left_alone]) == (0, ["disputed"])
        await call(memory.long_term, "forget", kept[-1].id, scope=ALICE)
        assert (await call(memory.consolidation, "run", ALICE, dry_run=True)).changes == 1


@pytest.mark.parametrize("first", [KROGER, ALDI])
async def test_an_import_marks_as_a_write_does(call: Call, tmp_path: Path, first: str) -> None:
    """Law: whichever of two is here already, what was said later leaves the other in doubt, and each is named."""
    clock = Clock()
    with opened(clock=clock) as there, opened(clock=clock) as here:
        for said in (KROGER, ALDI):
            clock.now += timedelta(days=1)
            await told(there if said == first else here, call, said)
        await call(there.privacy, "export", ALICE, tmp_path / "export.jsonl")
        done = await call(here.privacy, "import_", tmp_path / "export.jsonl", scope=ALICE)
        assert done.layers["memories"].contradicting == 1
        one, other = await call(here.long_term, "list", scope=ALICE)
        assert (one.contradicts, other.contradicts) == ((other.id,), (one.id,))
