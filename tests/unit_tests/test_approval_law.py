"""Whatever is said, changed, forgotten and decided in whichever order: what nobody approved is used by nothing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from langchain_agentmem import AgentMemory, ApprovalPolicy, Candidate, Provenance, RecallQuery, Scope
from langchain_agentmem.errors import AgentMemError
from langchain_agentmem.policies.approve import BySource, BySpeaker
from tests.whole import few

SCOPES = (Scope("alice"), Scope("alice", agent_id="helper"))
TOLD = [
    "Alice lives in Rome",
    "Alice lives in Paris",
    "Alice lives in Paris near the river",
    "Alice prefers tea",
    "Never book Alice a flight before noon",
]
POLICY = ApprovalPolicy(rules=[BySpeaker({"tool": "ask"}), BySource({"merged": "ask", "learned": "ask"})])
EVERY = RecallQuery(
    text="Where does Alice live, what tea does she prefer, which flight?",
    action="book a flight",
    limit=50,
    min_confidence=0.0,
    include_pending=True,
    include_superseded=True,
)
told, place, which = st.sampled_from(TOLD), st.sampled_from(SCOPES), st.integers(0, 9)


class Waiting(RuleBasedStateMachine):
    """A user's memory, and what of it was approved or needs no approval, as the test counts it."""

    def __init__(self) -> None:
        super().__init__()
        self.now = datetime(2026, 1, 1, tzinfo=UTC)
        self.memory = AgentMemory.in_memory(
            embeddings=None, consent="assumed", approval=POLICY, clock=lambda: self.now, receipts_days=0
        )
        self.free: set[str] = set()
        self.ids: list[str] = []

    def teardown(self) -> None:
        assert self.memory.long_term.verify(scope=SCOPES[0]).is_intact
        self.memory.close()

    def note(self, decision: Any) -> None:  # noqa: ANN401  (of any write)
        """Remember which memory it was, and whether it counts from now on."""
        if decision.memory is None:
            return
        self.ids.append(decision.memory.id)
        if decision.verdict == "written":
            self.free.add(decision.memory.id)

    def pick(self, number: int) -> str:
        return self.ids[number % len(self.ids)]

    @rule(content=told, scope=place)
    def propose(self, content: str, scope: Scope) -> None:
        """A tool says it: a person is asked, unless it is known."""
        origin = Provenance(speaker="tool", evidence=content)
        decision = self.memory.long_term.remember(Candidate(content=content, provenance=origin), scope=scope)
        assert decision.verdict in {"pending", "merged"}
        self.note(decision)

    @rule(content=told, scope=place)
    def say(self, content: str, scope: Scope) -> None:
        """The user says it: nobody is asked."""
        origin = Provenance(speaker="user", evidence=content)
        self.note(self.memory.long_term.remember(Candidate(content=content, provenance=origin), scope=scope))

    @precondition(lambda self: self.ids)
    @rule(number=which, other=which, content=told, how=st.sampled_from(["revise", "merge", "forget", "restore"]))
    def change(self, number: int, other: int, content: str, how: str) -> None:
        """Change what is there, where that can be done."""
        one, two, at = self.pick(number), self.pick(other), SCOPES[1]
        changes: dict[str, Callable[[], Any]] = {
            "revise": lambda: self.memory.long_term.revise(one, scope=at, content=content),
            "merge": lambda: self.memory.long_term.merge([one, two], content, scope=at),
            "forget": lambda: self.memory.long_term.forget(one, scope=at),
            "restore": lambda: self.memory.long_term.restore(one, scope=at),
        }
        try:
            done = changes[how]()
        except AgentMemError:
            return
        if how in {"revise", "merge"} and done.verdict != "written":
            self.note(done)

    @rule(days=st.integers(0, 4))
    def wait(self, days: int) -> None:
        """Let time pass; jobs put away what was not decided in time, and tidy up."""
        self.now += timedelta(days=days, seconds=1)
        self.memory.jobs.run()
        self.memory.consolidation.run(SCOPES[0])

    @rule(number=which, how=st.sampled_from(["approve", "reject", "edit"]), content=told)
    def decide(self, number: int, how: str, content: str) -> None:
        """A person decides on one of those that wait."""
        waiting = self.memory.approvals.list(scope=SCOPES[1])
        if not waiting:
            return
        asked = waiting[number % len(waiting)]
        decision = {"approve": asked.approve, "reject": asked.reject}.get(how, lambda: asked.edit(content))()
        [outcome] = self.memory.approvals.decide(decision, scope=SCOPES[1], decided_by="carol")
        if outcome.verdict == "approved":
            self.free.add(asked.id)

    @invariant()
    def nothing_that_waits_is_used(self) -> None:
        """Neither by a recall, whatever it asks for, nor by a list of what is in force."""
        for scope in SCOPES:
            found = self.memory.long_term.recall(EVERY, scope=scope)
            hits = {hit.memory.id: hit.memory for hit in (*found, *found.constraints)}
            listed = {it.id for it in self.memory.long_term.list(scope=scope)}
            used = (hits.keys() | listed) & {*self.ids} - self.free
            assert all(hits[it].held_by not in {None, "approval"} for it in used)
            named = [self.memory.long_term.get(other, scope=scope) for hit in found for other in hit.contradicts]
            assert all(it is not None and it.held_by != "approval" for it in named)


TestWaiting = Waiting.TestCase
TestWaiting.settings = settings(
    max_examples=few(8, of=200),
    stateful_step_count=12,
    deadline=None,
    phases=(Phase.reuse, Phase.generate),  # a failing run is told as it was: making it smaller takes minutes
    suppress_health_check=[HealthCheck.too_slow],
)
