"""What is promised of a turn that was said before a request to forget, and ends after it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, Final, NamedTuple

import pytest
from langchain_core.tools import tool
from langgraph.types import Command, interrupt

from langchain_agentmem import AgentMemory
from langchain_agentmem._flow import flows_of
from langchain_agentmem.errors import StorageError
from langchain_agentmem.long_term.remove.ending import TURN_JOB
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.sql.engine import Database
from tests.conftest import Call
from tests.contracts.history_backends import ReversingVault
from tests.ledgers import ALICE
from tests.unit_tests.faces.either import Made, agent_of
from tests.unit_tests.faces.scripted import ScriptedModel
from tests.unit_tests.faces.scripted import call as called
from tests.whole import few

OSLO: Final = "I live in Oslo."
FACT: Final = "The user lives in Oslo"
FORGET: Final = "Please forget that I live in Oslo."
RULE: Final = "forgotten_meanwhile"


class Case(NamedTuple):
    """How a turn comes to end late, and how it is asked to be forgotten meanwhile.

    Attributes:
        kind: Of the agent.
        writes: When it writes.
        late: Why it ends later: somebody has to answer, or it waits in the queue.
        is_met: Whether what is to be forgotten is remembered already.
        thread: In which it is asked.
    """

    kind: str
    writes: str
    late: str
    is_met: bool
    thread: str


_EITHER: Final[Sequence[Sequence[Any]]] = (
    ["graph", "agent"],
    ["inline", "background"],
    ["interrupt", "queued"],
    [True, False],
    ["t", "u"],
)
EVERY: Final = [Case(*it) for it in product(*_EITHER)]
SOME: Final = [it for it in EVERY if sum(each.index(value) for each, value in zip(_EITHER, it, strict=True)) % 2]
"""Half of them, with each pair, triple and quadruple of ways."""


@tool
def release() -> str:
    """Release, if somebody agrees."""
    return f"released: {interrupt('Release?')}"


def broken(*_args: object, **_kwargs: object) -> Any:  # noqa: ANN401
    """Fail as with a database that is gone."""
    msg = "the database is gone; start it"
    raise StorageError(msg)


def contents(memory: AgentMemory) -> list[str]:
    """What is remembered of what was said, turns of conversations too."""
    facts = [it.content for it in memory.long_term.list(scope=ALICE) if it.kind != "outcome"]
    return [*facts, *(it.text for it in memory.episodes.list(scope=ALICE))]


class ForgottenContract:
    """Subclass it beside a fixture `sql_url`."""

    @pytest.fixture(params=few(SOME, of=EVERY), ids=lambda it: "-".join(map(str, it)))
    def case(self, request: pytest.FixtureRequest) -> Case:
        case: Case = request.param
        return case

    @pytest.fixture
    def memory(self, sql_url: str) -> Iterator[AgentMemory]:
        database, options = Database(sql_url), MemoryOptions(consent="assumed", vault=ReversingVault())
        with AgentMemory(database, embeddings=None, options=options) as memory:
            yield memory
        database.close()

    @pytest.fixture
    def made(self, memory: AgentMemory, case: Case, call: Call) -> Made:
        """An agent that asks somebody in the middle of its first turn, or answers at once."""
        first = [called("release")] if case.late == "interrupt" else ["Noted."]
        model = ScriptedModel(script=[*first, *["Yes."] * 4])
        agent = agent_of(case.kind, memory, model, release, writes=case.writes, wait_s=0)
        return Made(agent, model, call)

    async def test_what_was_forgotten_meanwhile_is_not_learned(
        self, memory: AgentMemory, made: Made, case: Case, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Whichever way it ends; and said again it is remembered."""
        if case.is_met:
            memory.long_term.remember(FACT, scope=ALICE)
        with monkeypatch.context() as patch:
            if case.late == "queued":  # what is written at once waits where it fails
                patch.setattr(flows_of(memory.long_term), "remember", broken)
            await made.say(OSLO)
        await made.say(FORGET, thread_id=case.thread)
        if case.late == "interrupt" and case.thread != "t":  # else who types on leaves the turn behind
            report = (await made.run(Command(resume="yes")))["memory"]
            assert case.writes == "background" or [it["rule"] for it in report["refused"]] == [RULE]
        memory.jobs.run()
        assert contents(memory) == []
        assert all(it.kind != TURN_JOB for it in memory.jobs.list())
        await made.say(OSLO, thread_id="v")
        memory.jobs.run()
        assert contents(memory) == [FACT, OSLO]
