"""What goes, and what comes back, with the memory that it rests on; and what is said where there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, Final, cast
from uuid import uuid4

import pytest

from langchain_agentmem import AgentMemory, ApprovalPolicy, Candidate, Scope
from langchain_agentmem.errors import NotFoundError
from langchain_agentmem.ledger.base import LedgerReader
from langchain_agentmem.long_term.recall.explaining import life_of
from langchain_agentmem.policies.approve import ByKind
from langchain_agentmem.testing.events import START
from langchain_agentmem.types import Event
from tests.contracts.profiles_contract import Clock

CHESS: Final = "Alice plays chess on Mondays"
TEA: Final = "Alice likes tea with lemon"


@pytest.fixture(scope="module")
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="module")
def memory(clock: Clock) -> Iterator[AgentMemory]:
    """The memory of all users of this module."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed", clock=clock) as memory:
        yield memory


@pytest.fixture
def scope() -> Scope:
    """A user of their own."""
    return Scope(uuid4().hex)


def merged(memory: AgentMemory, scope: Scope) -> tuple[str, str, str]:
    """Return the ids of two memories, and of what they were merged into."""
    one, two = (memory.long_term.remember(it, scope=scope).require().id for it in (CHESS, TEA))
    return one, two, memory.long_term.merge([one, two], f"{CHESS}, and tea", scope=scope).require().id


def statuses(memory: AgentMemory, scope: Scope, *ids: str) -> list[str]:
    """Return what memories are; `gone` once they are erased."""
    found = [memory.long_term.get(it, scope=scope) for it in ids]
    return ["gone" if it is None else it.status for it in found]


def test_who_forgot_a_merge_gets_nothing_back_by_forgetting_a_part_of_it(memory: AgentMemory, scope: Scope) -> None:
    """What it was merged from was said by the merge, and that was not to be known any more."""
    one, two, both = merged(memory, scope)
    memory.long_term.forget(both, scope=scope)
    memory.long_term.forget(one, scope=scope)
    assert statuses(memory, scope, one, two, both) == ["archived", "superseded", "archived"]


@pytest.mark.parametrize("is_changed", [False, True])
def test_restoring_a_part_leaves_alone_what_was_changed_since_it_went(
    memory: AgentMemory, scope: Scope, *, is_changed: bool
) -> None:
    """The other part, given back meanwhile, goes into the merge again only as long as nothing else happened to it."""
    one, two, both = merged(memory, scope)
    memory.long_term.forget(one, scope=scope)
    if is_changed:
        memory.long_term.revise(two, importance=0.9, scope=scope)
    memory.long_term.restore(one, scope=scope)
    assert statuses(memory, scope, two, both) == ["active" if is_changed else "superseded", "active"]


def test_what_was_given_back_outlives_the_merge_that_it_came_from(
    memory: AgentMemory, scope: Scope, clock: Clock
) -> None:
    """What was forgotten is erased once it was kept long enough, and the other part, which is in force, is not."""
    one, two, both = merged(memory, scope)
    memory.long_term.forget(one, scope=scope)
    clock.now += timedelta(days=100)
    memory.forgetting.forget_cycle(scope)
    assert statuses(memory, scope, one, two, both) == ["gone", "active", "gone"]


@pytest.mark.parametrize("ended", ["forget", "reject"])
def test_what_nobody_approved_is_not_in_force_where_it_is_restored_after_an_import(
    scope: Scope, ended: str, tmp_path: Path
) -> None:
    """The log of the other database tells that it was put away, and not what it was before: it waits again."""
    policy = ApprovalPolicy(rules=[ByKind({"constraint": "ask"})])
    there, here = (AgentMemory.in_memory(embeddings=None, consent="assumed", approval=policy) for _ in range(2))
    with there, here:
        told = there.long_term.remember(Candidate(content="Never mail Bob before nine", kind="constraint"), scope=scope)
        if ended == "forget":
            there.long_term.forget(told.require().id, scope=scope)
        else:
            asked = [it.reject() for it in there.approvals.list(scope=scope)]
            there.approvals.decide(asked, scope=scope, decided_by="carol")
        there.privacy.export(scope, tmp_path / "alice.jsonl")
        here.privacy.import_(tmp_path / "alice.jsonl", scope=scope)
        assert here.long_term.restore(told.require().id, scope=scope).status == "pending"
        assert len(here.approvals.list(scope=scope)) == 1


def test_an_agent_is_told_nothing_of_a_memory_that_is_gone_and_may_be_anothers() -> None:
    """Of an erased memory nobody knows any more whose it was; whoever sees all of the user's is told."""
    told = Event(seq=2, type="erased", at=START, memory_id="m1", payload={"note": {"reason": "asked"}}, digest="")

    class Reader:
        """A user of whom one memory was erased."""

        def memory(self, _: str) -> None:
            return None

        def events(self, **_: Any) -> list[Event]:
            return [told]

    reader = cast("LedgerReader", Reader())
    with pytest.raises(NotFoundError):
        life_of(reader, "m1", Scope("alice", agent_id="two"))
    assert life_of(reader, "m1", Scope("alice")).events == (told,)


CHANGES: Final[dict[str, Callable[[AgentMemory, str, Scope], object]]] = {
    "correct": lambda memory, id_, scope: memory.long_term.correct(id_, TEA, scope=scope),
    "revise": lambda memory, id_, scope: memory.long_term.revise(id_, content=TEA, scope=scope),
    "restore": lambda memory, id_, scope: memory.long_term.restore(id_, scope=scope),
    "feedback": lambda memory, id_, scope: memory.long_term.feedback(id_, "confirmed", scope=scope),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize(("id_", "said"), [("ep-1", "memory.episodes.forget"), ("m1", "`list` shows what does")])
def test_whatever_is_to_change_says_alike_that_it_is_not_there(
    memory: AgentMemory, scope: Scope, change: str, id_: str, said: str
) -> None:
    """A turn of a conversation is told from a memory."""
    with pytest.raises(NotFoundError, match=said):
        CHANGES[change](memory, id_, scope)
