"""On which terms a memory is kept that several statements stand behind: put together, or said again."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from langchain_agentmem import AgentMemory, Candidate, ForgettingPolicy, Provenance, Scope
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.types import Decision, Memory
from tests.contracts.profiles_contract import Clock

KEY = "Alice has a key to the office"
WEB = Provenance(speaker="assistant", tools=("web",))


@pytest.fixture(scope="module")
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="module")
def memory(clock: Clock) -> Iterator[AgentMemory]:
    """The memory of all users of this module."""
    options: dict[str, Any] = {"trust": {"tools": {"web": "web"}}, "forgetting": ForgettingPolicy()}
    with AgentMemory.in_memory(embeddings=None, consent="assumed", clock=clock, **options) as memory:
        yield memory


@pytest.fixture
def scope() -> Scope:
    """A user of their own."""
    return Scope(uuid4().hex)


def tell(memory: AgentMemory, scope: Scope, text: str = KEY, **terms: Any) -> Decision:
    return memory.long_term.remember(Candidate(content=text, **terms), scope=scope)


def merged(memory: AgentMemory, scope: Scope, first: dict[str, Any], second: dict[str, Any]) -> Memory:
    ids = [
        tell(memory, scope, "Alice rows", **first).require().id,
        tell(memory, scope, "Bob sings", **second).require().id,
    ]
    return memory.long_term.merge(ids, "Alice rows and Bob sings", scope=scope).require()


class TestMerged:
    def test_what_is_merged_has_the_protection_of_its_sources(
        self, memory: AgentMemory, clock: Clock, scope: Scope
    ) -> None:
        """It is pinned where one was, ends when they do, and names the legal basis that either has."""
        end = clock.now + timedelta(days=2)
        both = merged(
            memory,
            scope,
            {"expires_at": end, "pinned": True, "tags": ("a",)},
            {"expires_at": end, "legal_basis": "contract", "tags": ("b",)},
        )
        assert (both.pinned, both.legal_basis, both.tags) == (True, "contract", ("a", "b"))
        assert (both.expires_at, both.invalid_at) == (end, None)

    def test_memories_on_different_legal_bases_are_not_merged(self, memory: AgentMemory, scope: Scope) -> None:
        """As those for different purposes are not: neither basis bears what the other one says."""
        with pytest.raises(ConfigurationError, match="different legal bases"):
            merged(memory, scope, {"legal_basis": "contract"}, {"legal_basis": "consent"})

    @pytest.mark.parametrize(("end", "said"), [("expires_at", "has expired"), ("invalid_at", "differ in invalid_at")])
    def test_what_has_ended_is_not_merged_with_what_has_not(
        self, memory: AgentMemory, clock: Clock, scope: Scope, end: str, said: str
    ) -> None:
        """The merge would be over at once, and what still holds would go with it."""
        ids = [tell(memory, scope, "Bob sings", **{end: clock.now + timedelta(days=1)}).require().id]
        ids.append(tell(memory, scope, "Alice rows").require().id)
        clock.now += timedelta(days=2)
        with pytest.raises(ConfigurationError, match=said):
            memory.long_term.merge(ids, "Alice rows and Bob sings", scope=scope)

    def test_no_age_erases_what_was_pinned_before_it_was_merged(
        self, memory: AgentMemory, clock: Clock, scope: Scope
    ) -> None:
        """The merge is pinned; where somebody unpins that, its pinned source is not taken along."""
        kept = tell(memory, scope, "Alice is allergic to nuts", pinned=True).require()
        other = tell(memory, scope, "Alice carries an EpiPen").require()
        both = memory.long_term.merge([kept.id, other.id], "Alice is allergic, and has an EpiPen", scope=scope)
        memory.long_term.revise(both.require().id, scope=scope, pinned=False)
        for _ in range(3):
            clock.now += timedelta(days=420)
            memory.forgetting.forget_cycle(scope)
        assert memory.long_term.get(both.require().id, scope=scope) is None
        assert memory.long_term.get(kept.id, scope=scope) is not None


class TestSaidAgain:
    @pytest.mark.parametrize("end", ["expires_at", "invalid_at"])
    def test_what_is_said_again_without_an_end_is_for_good(
        self, memory: AgentMemory, clock: Clock, scope: Scope, end: str
    ) -> None:
        """Nothing acknowledged is lost: who says it anew is not bound by the end that it had."""
        told: dict[str, Any] = {end: clock.now + timedelta(days=3)}
        tell(memory, scope, **told)
        assert getattr(tell(memory, scope).require(), end) is None
        clock.now += timedelta(days=4)
        assert [it.memory.content for it in memory.long_term.recall("key", scope=scope)] == [KEY]

    def test_an_end_of_a_claim_that_waited_does_not_bind_the_user(
        self, memory: AgentMemory, clock: Clock, scope: Scope
    ) -> None:
        """What a page said ends with the page's word, not with the user's; nor is its legal basis theirs."""
        end = clock.now + timedelta(days=1)
        told = tell(memory, scope, source="inferred", provenance=WEB, expires_at=end, legal_basis="public")
        assert told.verdict == "pending"
        known = tell(memory, scope).require()
        assert (known.status, known.expires_at, known.legal_basis) == ("active", None, None)

    def test_terms_that_are_told_later_are_taken(self, memory: AgentMemory, clock: Clock, scope: Scope) -> None:
        """An end, a legal basis, a pin and tags: retention that was asked for is kept."""
        tell(memory, scope, tags=("a",))
        end = clock.now + timedelta(days=3)
        known = tell(memory, scope, expires_at=end, legal_basis="contract", pinned=True, tags=("b",)).require()
        assert (known.expires_at, known.legal_basis, known.pinned, known.tags) == (end, "contract", True, ("a", "b"))

    def test_a_claim_changes_no_terms_of_what_stands_and_its_decision_says_so(
        self, memory: AgentMemory, clock: Clock, scope: Scope
    ) -> None:
        """A page that says again what the user said can neither end nor pin it."""
        tell(memory, scope)
        told = tell(memory, scope, provenance=WEB, expires_at=clock.now + timedelta(days=1), pinned=True)
        known = memory.long_term.list(scope=scope)[0]
        assert (known.expires_at, known.pinned) == (None, False)
        assert "Not taken over: expires_at, pinned;" in told.reason

    def test_the_same_message_again_lifts_no_end(self, memory: AgentMemory, clock: Clock, scope: Scope) -> None:
        """A turn that is read twice is one statement: an end that was set since stands."""
        origin, end = Provenance(speaker="user", message_ids=("m1",)), clock.now + timedelta(days=3)
        known = tell(memory, scope, provenance=origin).require()
        memory.long_term.revise(known.id, scope=scope, expires_at=end)
        assert tell(memory, scope, provenance=origin).require().expires_at == end

    def test_the_same_on_another_legal_basis_is_kept_beside(self, memory: AgentMemory, scope: Scope) -> None:
        """What ends with one basis stands on the other one; without a basis it is the same again."""
        for basis in ("contract", "consent", None):
            tell(memory, scope, legal_basis=basis)
        assert {it.legal_basis for it in memory.long_term.list(scope=scope)} == {"contract", "consent"}

    def test_what_is_said_for_more_purposes_stays_pinned(self, memory: AgentMemory, scope: Scope) -> None:
        """It takes the place of what served fewer, with its protection."""
        tell(memory, scope, purposes=("support",), pinned=True, tags=("a",), legal_basis="contract")
        known = tell(memory, scope).require()
        assert (known.purposes, known.pinned, known.tags, known.legal_basis) == ((), True, ("a",), "contract")

    def test_a_claim_for_more_purposes_ends_nothing_that_lasts_longer(
        self, memory: AgentMemory, clock: Clock, scope: Scope
    ) -> None:
        """Only the user's or the application's own word takes its place with an end: a tool's is kept beside it."""
        told: dict[str, Any] = {"trust": 0.8, "provenance": Provenance(speaker="tool", tools=("crm",))}
        known = tell(memory, scope, purposes=("support",), **told).require()
        later = tell(memory, scope, expires_at=clock.now + timedelta(days=1), **told)
        assert later.require().id != known.id
        found = memory.long_term.get(known.id, scope=scope)
        assert found == known

    def test_undone_it_has_its_earlier_end_again(self, memory: AgentMemory, clock: Clock, scope: Scope) -> None:
        """That it was said again is an event like any: whoever takes it back has what was before."""
        end = clock.now + timedelta(days=3)
        tell(memory, scope, expires_at=end)
        again = tell(memory, scope).require()
        memory.timeline.undo(again.revision, scope=scope)
        assert memory.long_term.list(scope=scope)[0].expires_at == end
