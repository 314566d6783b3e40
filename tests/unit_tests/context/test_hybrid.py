from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from langchain_agentmem._flow import Flow, flows_of
from langchain_agentmem.context import HybridMemory, HybridParts, Reading, SummaryBuffer, SummaryLimits
from langchain_agentmem.context.hybrid import Added
from langchain_agentmem.errors import ConfigurationError, ScopeError, StorageError
from langchain_agentmem.extraction import Extraction
from langchain_agentmem.extraction.contract import FlowExtractor
from langchain_agentmem.memory import AgentMemory
from langchain_agentmem.sessions.sql import SQLSessions
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.types import Scope
from tests.conftest import Call

ALICE = Scope("alice", session_id="s")
SMALL = SummaryLimits(max_messages=4, keep_messages=2, keep_turns=1)


class NotingExtractor(FlowExtractor):
    def __init__(self) -> None:
        self.offered: list[tuple[list[str], list[str]]] = []

    def extract_flow(
        self, messages: Sequence[BaseMessage], *, user_name: str | None = None, new_from: int = 0
    ) -> Flow[Extraction]:
        yield from ()
        told = [str(message.text) for message in messages]
        self.offered.append((told[:new_from], told[new_from:]))
        return Extraction()


class BrokenExtractor(FlowExtractor):
    def extract_flow(
        self, messages: Sequence[BaseMessage], *, user_name: str | None = None, new_from: int = 0
    ) -> Flow[Extraction]:
        yield from ()
        msg = "a bug of an extension"
        raise RuntimeError(msg)


@pytest.fixture
def memory() -> Iterator[AgentMemory]:
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        yield memory


@pytest.fixture
def sessions() -> Iterator[SQLSessions]:
    database = Database("sqlite://")
    yield SQLSessions(database)
    database.close()


@pytest.fixture
def hybrid(memory: AgentMemory, sessions: SQLSessions) -> HybridMemory:
    parts = HybridParts(sessions=sessions, long_term=memory.long_term, extractor=memory.extractor)
    return HybridMemory(parts, buffer=SummaryBuffer(limits=SMALL), scope_of=lambda config: ALICE)


def turn(question: str, answer: str = "Noted.") -> list[BaseMessage]:
    return [HumanMessage(question), AIMessage(answer)]


async def test_adding_a_turn_updates_all_three(hybrid: HybridMemory, call: Call) -> None:
    """The messages are stored, the summary grows, and what is worth it is remembered by the policy."""
    added: Added = await call(hybrid, "add", turn("I prefer Python for backend services."), scope=ALICE)
    for n in range(5):
        more: Added = await call(hybrid, "add", turn(f"What about step {n}?"), scope=ALICE)
    assert (added.count, added.status, added.failures) == (2, "ok", 0)
    assert [decision.verdict for decision in added.decisions] == ["written"]
    assert more.summary is not None
    assert "Python" in more.summary.text


async def test_reading_draws_on_all_three(hybrid: HybridMemory, call: Call) -> None:
    """Summary, recalled memories and last messages stand in one prompt."""
    await call(hybrid, "add", turn("I prefer Python for backend services."), scope=ALICE)
    for n in range(5):
        await call(hybrid, "add", turn(f"What about step {n}?"), scope=ALICE)
    reading: Reading = await call(hybrid, "read", "Which language for backend services?", scope=ALICE)
    assert reading.summary is not None
    assert [hit.memory.content for hit in reading.recall] == ["The user prefers Python for backend services"]
    assert [message.text for message in reading.recent][-2:] == ["What about step 4?", "Noted."]
    assert len(reading.recent) <= 4
    assert sum("prefers Python" in message.text for message in reading.messages) == 1
    assert "<conversation_summary>" in reading.messages[0].text


async def test_a_summary_outlives_the_process(tmp_path: Path, call: Call) -> None:
    """Memory that is opened anew goes on from the version that is kept with the conversation."""
    versions = []
    for _ in range(3):
        with AgentMemory.embedded(tmp_path / "agent.db", embeddings=None, consent="assumed") as memory:
            said = [message for n in range(15) for message in turn(f"What about step {n}?")]
            added: Added = await call(memory.context(), "add", said, scope=ALICE)
            reading: Reading = await call(memory.context(), "read", scope=ALICE)
            assert added.summary == reading.summary is not None
            versions.append(reading.summary.version)
    assert versions == [1, 2, 3]


async def test_a_summary_that_cannot_be_kept_is_told(
    hybrid: HybridMemory, sessions: SQLSessions, monkeypatch: pytest.MonkeyPatch, call: Call
) -> None:
    """The turn is stored and its summary is there; the status says that the next turn will not find it."""

    def down(*_: object) -> None:
        msg = "the disk is full"
        raise StorageError(msg)

    monkeypatch.setattr(sessions, "keep_summary", down)
    added: Added = await call(hybrid, "add", [*turn("one"), *turn("two"), *turn("three")], scope=ALICE)
    assert (added.count, added.summary is not None) == (6, True)
    assert added.status == "degraded: StorageError: the summary could not be loaded or kept"


async def test_another_user_and_another_session_see_none_of_it(hybrid: HybridMemory, call: Call) -> None:
    """Nothing of a conversation reaches another one; the user's own memories do."""
    await call(hybrid, "add", turn("I prefer Python for backend services."), scope=ALICE)
    other: Reading = await call(hybrid, "read", "backend services?", scope=Scope("bob", session_id="s"))
    later: Reading = await call(hybrid, "read", "backend services?", scope=Scope("alice", session_id="t"))
    assert (other.messages, other.summary, list(other.recall)) == ([], None, [])
    assert (later.recent, len(later.recall)) == ((), 1)


async def test_what_the_assistant_says_is_not_offered(hybrid: HybridMemory, call: Call) -> None:
    """It may speak from memory, and would confirm itself."""
    added: Added = await call(hybrid, "add", turn("Hi.", "You prefer Rust and live in Oslo."), scope=ALICE)
    assert added.decisions == ()


async def test_exactly_the_messages_of_a_call_are_offered(
    memory: AgentMemory, sessions: SQLSessions, monkeypatch: pytest.MonkeyPatch, call: Call
) -> None:
    """As they are stored, whatever others write meanwhile, and without those that were there before."""
    noted, append = NotingExtractor(), sessions.append
    hybrid = HybridMemory(HybridParts(sessions=sessions, long_term=memory.long_term, extractor=noted))

    def interrupted(scope: Scope, messages: Sequence[BaseMessage]) -> Flow[int]:
        count = yield from append(scope, messages)
        yield from append(scope, [HumanMessage(f"other {number}") for number in range(100)])
        return count

    monkeypatch.setattr(sessions, "append", interrupted)
    first = turn("one")
    await call(hybrid, "add", first, scope=ALICE)
    await call(hybrid, "add", [*first, *turn("two")], scope=ALICE)
    others = [f"other {number}" for number in range(90, 100)]
    assert noted.offered == [([], ["one", "Noted."]), (others, ["two", "Noted."])]


async def test_a_turn_is_stored_whatever_else_breaks(memory: AgentMemory, sessions: SQLSessions, call: Call) -> None:
    """An extractor that raises costs its memories; the messages and the summary are there, and the status tells."""
    parts = HybridParts(sessions=sessions, long_term=memory.long_term, extractor=BrokenExtractor())
    hybrid = HybridMemory(parts)
    added: Added = await call(hybrid, "add", turn("I prefer Python."), scope=ALICE)
    assert (added.count, added.status) == (2, "degraded: RuntimeError")
    reading: Reading = await call(hybrid, "read", scope=ALICE)
    assert len(reading.recent) == 2


async def test_a_memory_that_is_down_costs_the_recall_alone(
    hybrid: HybridMemory, memory: AgentMemory, monkeypatch: pytest.MonkeyPatch, call: Call
) -> None:
    """The prompt has the summary and the messages; the status says what is missing."""

    def down(*_: object, **__: object) -> None:
        msg = "the database is locked"
        raise StorageError(msg, is_retryable=True)

    monkeypatch.setattr(flows_of(memory.long_term), "recall", down)
    await call(hybrid, "add", turn("Deploy?"), scope=ALICE)
    reading: Reading = await call(hybrid, "read", scope=ALICE)
    assert reading.status == "degraded: StorageError: the database is locked"
    assert [message.text for message in reading.messages] == ["Deploy?", "Noted."]


async def test_as_a_runnable_it_views_what_it_is_given(hybrid: HybridMemory, memory: AgentMemory, call: Call) -> None:
    """In a chain a list comes out; in a graph an update with view and summary."""
    memory.long_term.remember("Alice prefers Python", scope=ALICE)
    said = [*turn("one"), *turn("two"), *turn("three"), HumanMessage("Does Alice prefer Python?")]
    view: list[BaseMessage] = await call(hybrid, "invoke", said)
    update = await call(hybrid, "invoke", {"messages": said})
    assert [message.id for message in update["view"]] == [message.id for message in view]
    assert "Alice prefers Python" in view[-2].text
    assert update["summary"]["version"] == 1


async def test_without_parts_it_is_a_buffer_with_a_summary(call: Call) -> None:
    """Each part may be missing; to store a conversation takes sessions."""
    hybrid = HybridMemory(HybridParts(), buffer=SummaryBuffer(limits=SMALL))
    view: list[BaseMessage] = await call(hybrid, "invoke", [*turn("one"), *turn("two"), *turn("three")])
    assert len(view) == 3
    with pytest.raises(ConfigurationError, match="sessions"):
        await call(hybrid, "add", turn("one"), scope=ALICE)


async def test_a_conversation_needs_a_session(hybrid: HybridMemory, call: Call) -> None:
    """A scope without one is refused before anything is stored."""
    with pytest.raises(ScopeError, match="session"):
        await call(hybrid, "add", turn("one"), scope=Scope("alice"))
