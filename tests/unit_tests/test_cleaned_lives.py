"""Whatever users and agents did before: a scan that masks what is stored changes nothing that happens later."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from io import BytesIO
from itertools import chain
from typing import Any, Final
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage

from langchain_agentmem import AgentMemory, ApprovalPolicy, Candidate, Provenance, Scope, SensitivePolicy
from langchain_agentmem.errors import AgentMemError
from langchain_agentmem.ledger.lives import Life
from langchain_agentmem.policies.approve import ByKind
from tests.contracts.profiles_contract import Clock
from tests.whole import few

KEEP, MASK = (SensitivePolicy(rules={"email": it}) for it in ("keep", "mask"))
POLICY: Final = ApprovalPolicy(rules=[ByKind({"preference": "ask"})], expires_after=timedelta(days=2))
SAID: Final = "My mailbox is alice@old.org"
WORDS: Final = "chess violin sailing pottery karate botany sewing rowing fencing judo archery curling".split()


@pytest.fixture(scope="module")
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="module")
def memory(clock: Clock) -> Iterator[AgentMemory]:
    """The memory of all users of this module."""
    options: dict[str, Any] = {"clock": clock, "sensitive": KEEP, "approval": POLICY, "receipts_days": 0}
    with AgentMemory.in_memory(embeddings=None, consent="assumed", **options) as memory:
        yield memory


@dataclass
class Told:
    """A user of a memory, the ids of what was told in order, and what became of each act."""

    memory: AgentMemory
    clock: Clock
    shared: Scope = field(default_factory=lambda: Scope(uuid4().hex))
    began: datetime = field(init=False)
    ids: list[str] = field(default_factory=list)
    done: list[str] = field(default_factory=list)

    @property
    def planner(self) -> Scope:
        """An agent of the user's."""
        return replace(self.shared, agent_id="planner")

    def word(self) -> str:
        return f"{WORDS[len(self.ids) % len(WORDS)]} {len(self.ids)}"

    def __post_init__(self) -> None:
        self.began = self.clock()

    def do(self, act: str, one: str, two: str) -> None:
        """Do one of `ACTS`, and note what became of it, with numbers in the place of ids."""
        try:
            made = ACTS[act](self, one, two)
        except AgentMemError as error:
            made = f"{type(error).__name__}: {error}"
        self.done.append(f"{act}: {self.numbered(made)}")

    def numbered(self, made: object) -> str:
        told = str(made)
        for number, it in enumerate(self.ids):
            told = told.replace(it, f"<{number}>")
        return re.sub(r"[0-9a-f]{32}", "<new>", told)

    def _keep(self, decision: Any) -> str:  # noqa: ANN401  (of any write)
        if decision.memory is not None and decision.memory.id not in self.ids:
            self.ids.append(decision.memory.id)
        return f"{decision.verdict} {decision.rule}"

    def tell(self, content: str, **fields: Any) -> str:
        return self._keep(self.memory.long_term.remember(Candidate(content=content, **fields), scope=self.shared))

    def merge(self, one: str, two: str) -> str:
        return self._keep(self.memory.long_term.merge([one, two], f"Alice does {self.word()}, too", scope=self.shared))

    def reword(self, one: str) -> str:
        """Let an agent propose other words."""
        return self._keep(
            self.memory.long_term.revise(
                one, scope=self.planner, content=f"Alice prefers {self.word()}", reason="heard"
            )
        )

    def decide(self, verdict: str, decided_by: str) -> object:
        """Decide on all that waits, as an agent or a person."""
        made = [getattr(it, verdict)() for it in self.memory.approvals.list(scope=self.planner)]
        return [
            (it.verdict, it.rule)
            for it in self.memory.approvals.decide(made, scope=self.planner, decided_by=decided_by)
        ]

    def since(self, moment: datetime | None) -> int | None:
        """Return the minutes from the beginning to a time."""
        return None if moment is None else (moment - self.began) // timedelta(minutes=1)

    def wait(self) -> None:
        self.clock.now += timedelta(days=1)
        self.memory.jobs.run()

    @property
    def statuses(self) -> list[str | None]:
        known = [self.memory.long_term.get(it, scope=self.shared) for it in self.ids]
        return [None if it is None else it.status for it in known]

    def shown(self) -> dict[str, object]:
        """What is to be seen of all of it."""
        known = {it: self.memory.long_term.get(it, scope=self.shared) for it in self.ids}
        asked = self.memory.approvals.list(scope=self.shared)
        turns = [
            it.memory for it in self.memory.long_term.recall(SAID, scope=self.shared) if it.memory.kind == "episode"
        ]
        self.do("progress", next((id_ for id_, it in known.items() if it and it.kind == "goal"), "none"), "")
        return {
            "done": self.done,
            "statuses": self.statuses,
            "asked": [(self.numbered(it.id), it.proposed_by, self.since(it.expires_at), it.reason) for it in asked],
            "stopped": [(it.rule, self.numbered(it.reason)) for it in self.memory.quarantine.list(self.shared)],
            "turns": [it.status for it in turns],
        }


Act = Callable[[Told, str, str], object]
ACTS: Final[dict[str, Act]] = {
    "forget": lambda it, one, _: it.memory.long_term.forget(one, scope=it.shared).status,
    "restore": lambda it, one, _: it.memory.long_term.restore(one, scope=it.shared).status,
    "replace": lambda it, one, _: it.tell(f"Alice does {it.word()}", supersedes=(one,)),
    "merge": lambda it, one, two: it.merge(one, two),
    "reword": lambda it, one, _: it.reword(one),
    "erase": lambda it, one, _: len(it.memory.long_term.erase(one, scope=it.shared)),
    "progress": lambda it, one, _: it.memory.goals.progress(one, completed=["a step"], scope=it.shared).verdict,
    "approve": lambda it, *_: it.decide("approve", "planner"),
    "agree": lambda it, *_: it.decide("approve", "carol"),
    "reject": lambda it, *_: it.decide("reject", "carol"),
    "wait": lambda it, *_: it.wait(),
}
"""What is done to memories that are there."""

MAILBOX, GOAL, ORDER, LIFT, BEES, SHIPS, LETTERS = range(7)
STORIES: Final[list[list[tuple[str, int, int]]]] = [
    [("replace", MAILBOX, 0)],
    [("replace", GOAL, 0), ("progress", GOAL, 0)],
    [("restore", LIFT, 0), ("replace", ORDER, 0), ("restore", LIFT, 0)],
    [("merge", BEES, SHIPS), ("forget", BEES, 0), ("restore", BEES, 0)],
    [("merge", BEES, SHIPS), ("erase", BEES, 0)],
    [("agree", 0, 0), ("reword", LETTERS, 0), ("approve", 0, 0)],
    [("reject", 0, 0), ("restore", LETTERS, 0)],
    [("wait", 0, 0), ("wait", 0, 0), ("restore", LETTERS, 0)],
]
"""What hangs together, of what `begun` tells."""


def begun(told: Told) -> None:
    """Tell a turn and its fact, goals, an instruction and what ends it, two facts, and what waits."""
    messages = [HumanMessage(SAID, id="m1"), AIMessage("Noted", id="m2")]
    told.memory.history(replace(told.shared, session_id="monday")).add_messages(messages)
    told.tell(
        "Alice's mailbox is alice@old.org", provenance=Provenance(speaker="user", message_ids=("m1",), evidence=SAID)
    )
    told.tell("Alice wants to run a marathon and write to coach@club.org about it", kind="goal")
    told.tell("Never send mail to boss@acme.org before nine", kind="constraint")
    told.tell("You may send mail to boss@acme.org before nine again", kind="constraint")
    told.tell("Alice keeps bees, as bees@farm.org knows")
    told.tell("Alice paints ships, as ships@port.org knows")
    told.tell("Alice prefers letters to pen@pal.org", kind="preference")


def outcome(told: Told, acts: list[tuple[str, int, int]], cleaned_at: int | None = None) -> dict[str, object]:
    """Return what is to be seen after some acts, with a scan before one of them."""
    begun(told)
    for place, (act, one, two) in enumerate(acts):
        if place == cleaned_at:
            scan(told)
        told.do(act, told.ids[one % len(told.ids)], told.ids[two % len(told.ids)])
    assert told.memory.long_term.verify(scope=told.shared).is_intact
    return told.shown()


def scan(told: Told) -> None:
    """Mask what is stored."""
    told.memory.sensitive.scan(told.planner, dry_run=False, layers=["facts"], policy=MASK)


number = st.integers(0, 9)
one = st.tuples(st.sampled_from([*ACTS]), number, number).map(lambda it: [it])
several = st.lists(st.one_of(st.sampled_from(STORIES), one), min_size=3, max_size=4).map(lambda it: [*chain(*it)])


@settings(
    max_examples=few(4, of=100),
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow],
)
@given(acts=several, place=st.integers(0, 9))
def test_a_scan_that_masks_changes_nothing_that_happens_later(
    memory: AgentMemory, clock: Clock, acts: list[tuple[str, int, int]], place: int
) -> None:
    """No status, ending, restore or approval, no mark of a stale turn, and no message of a goal."""
    plain = outcome(Told(memory, clock), acts)
    assert outcome(Told(memory, clock), acts, place % len(acts)) == plain


def test_what_waits_is_exported_after_a_scan(memory: AgentMemory, clock: Clock) -> None:
    """With what was asked of it, by whom and until when."""
    told = Told(memory, clock)
    begun(told)
    asked = []
    for _ in range(2):
        with closing(BytesIO()) as file:
            memory.privacy.export(told.shared, file)
            lines = map(json.loads, file.getvalue().splitlines())
            asked.append([it["data"]["asked"] for it in lines if "asked" in it.get("data", {})])
        scan(told)
    assert asked[1] == asked[0] != []


def test_who_proposed_what_an_earlier_release_cleaned_is_no_agent_that_approves_it(
    memory: AgentMemory, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It carried nothing on of what was asked: an agent cannot decide for itself, a person can, and in time."""
    monkeypatch.setattr(Life, "note", lambda self, _: {"before": self.before})
    told = Told(memory, clock)
    begun(told)
    scan(told)
    assert told.decide("approve", "planner") == [("refused", "self_approval")]
    assert told.decide("approve", "carol") == [("approved", "approval")]
    late = Told(memory, clock)
    begun(late)
    scan(late)
    for _ in range(3):
        late.wait()
    assert late.statuses[LETTERS] == "archived"
