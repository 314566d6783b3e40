from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from langchain_agentmem._flow import run
from langchain_agentmem.checkpoint import SQLSaver
from langchain_agentmem.context.summaries import InProcessSummaries, summaries_of
from langchain_agentmem.errors import ConfigurationError, ConflictError, ScopeError
from langchain_agentmem.sessions.base import KeptSummary
from langchain_agentmem.thread_history import MAX_ATTEMPTS, ThreadChatMessageHistory, ThreadSessions
from langchain_agentmem.types import Scope
from tests.conftest import Call, Colour
from tests.contracts.thread_contract import (
    CONFIG,
    OwnerContract,
    Saver,
    SharedThreadContract,
    ThreadHistoryContract,
    graph_of,
    texts,
)

LATER = "ffffffff-ffff-6fff-bfff-ffffffffff00"  # an id of a machine whose clock is far ahead


class TestInMemorySaver(ThreadHistoryContract, OwnerContract):
    """The contract with LangGraph's checkpointer in memory."""

    @pytest.fixture
    def saver(self) -> Saver:
        return InMemorySaver()


class TestSqliteSaver(ThreadHistoryContract, OwnerContract):
    """The contract with LangGraph's checkpointers on SQLite."""

    @pytest.fixture
    async def saver(self, tmp_path: Path, colour: Colour) -> AsyncIterator[Saver]:
        file = str(tmp_path / "threads.db")
        if colour == "sync":
            with SqliteSaver.from_conn_string(file) as saver:
                yield saver
        else:
            async with AsyncSqliteSaver.from_conn_string(file) as asaver:
                yield asaver


class TestSQLSaver(ThreadHistoryContract, OwnerContract, SharedThreadContract):
    """The contract with our checkpointer on SQLite."""

    @pytest.fixture
    def saver(self, sql_url: str) -> Iterator[Saver]:
        with SQLSaver.from_url(sql_url) as saver:
            yield saver

    async def test_the_thread_of_a_wrapped_chain_is_its_users(self, saver: SQLSaver, call: Call) -> None:
        """The checkpointer knows whose it is, and refuses it to the runs of others."""
        run(ThreadSessions(saver).append(Scope("alice", session_id="t"), [HumanMessage("mine")]))
        assert [it.thread_id for it in await call(saver, "threads", Scope("alice"))] == ["t"]
        config: RunnableConfig = {"configurable": {"thread_id": "t", "user_id": "bob"}}
        with pytest.raises(ScopeError):
            await call(graph_of(saver), "invoke", {"messages": [("user", "hi")]}, config)


class Contested(InMemorySaver):
    """A checkpointer at which somebody else was first, a number of times."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times = times

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        if self.times > 0:
            self.times -= 1
            rival = ThreadChatMessageHistory(InMemorySaver(), "t")
            rival.add_messages([HumanMessage(f"rival {self.times}")])
            first = rival._sessions._saver.get_tuple(CONFIG)  # type: ignore[attr-defined]
            super().put(config, first.checkpoint, first.metadata, first.checkpoint["channel_versions"])
            msg = "someone else wrote first"
            raise ConflictError(msg)
        return super().put(config, checkpoint, metadata, new_versions)


async def test_who_comes_second_reads_again_and_adds_to_what_is_there(call: Call) -> None:
    """A conflict loses neither message."""
    history = ThreadChatMessageHistory(Contested(1), "t")
    await call(history, "add_messages", [HumanMessage("mine")])
    assert texts(await call(history, "get_messages")) == ["rival 0", "mine"]


def test_a_thread_has_no_place_for_a_summary() -> None:
    """None is kept with it; a wrapped chain keeps it in its process instead, and a graph in its state."""
    sessions, scope = ThreadSessions(InMemorySaver()), Scope.anonymous("t")
    run(sessions.append(scope, [HumanMessage("hi", id="m")]))
    assert run(sessions.keep_summary(scope, KeptSummary(data=b"", version=1, about="m"))) is False
    assert run(sessions.summary(scope)) is None
    assert isinstance(summaries_of(sessions), InProcessSummaries)


async def test_endless_conflict_is_an_error(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """After many attempts the caller learns that nothing was added."""
    monkeypatch.setattr("langchain_agentmem.thread_history.MAX_PAUSE_S", 0)
    history = ThreadChatMessageHistory(Contested(MAX_ATTEMPTS), "t")
    with pytest.raises(ConflictError):
        await call(history, "add_messages", [HumanMessage("mine")])
    assert texts(await call(history, "get_messages")) == ["rival 0"]


def test_a_clock_that_is_behind_loses_no_message() -> None:
    """A checkpointer that takes the greatest id for the latest sees what was added last."""
    saver = InMemorySaver()
    history = ThreadChatMessageHistory(saver, "t")
    history.add_user_message("one")
    head = saver.get_tuple(CONFIG)
    assert head is not None
    saver.put(head.config, {**head.checkpoint, "id": LATER}, head.metadata, {})
    history.add_user_message("two")
    assert texts(history.messages) == ["one", "two"]


def test_a_checkpoint_says_that_it_is_an_update() -> None:
    """Its metadata are those of `update_state`: source, next step, and the user of a wrapped chain."""
    saver = InMemorySaver()
    graph_of(saver).invoke({"messages": [("user", "hi")]}, CONFIG)
    before = saver.get_tuple(CONFIG)
    run(ThreadSessions(saver).append(Scope("alice", session_id="t"), [HumanMessage("ho")]))
    after = saver.get_tuple(CONFIG)
    assert before is not None
    assert after is not None
    assert after.parent_config == before.config
    expected = {"source": "update", "step": before.metadata["step"] + 1, "user_id": "alice", "tenant_id": "default"}
    assert expected.items() <= after.metadata.items()


def test_a_failed_run_takes_messages() -> None:
    """Its task runs again anyway: nothing would be lost."""
    saver = InMemorySaver()
    graph = graph_of(saver)
    with pytest.raises(TypeError):
        graph.invoke({"messages": [("user", "hi")], "turns": "no number"}, CONFIG)
    ThreadChatMessageHistory(saver, "t").add_user_message("still there?")
    assert texts(graph.get_state(CONFIG).values["messages"]) == ["hi", "still there?"]
    assert graph.get_state(CONFIG).next == ("answer",)


def test_a_channel_of_something_else_is_refused() -> None:
    """Only a list of messages is a conversation."""
    saver = InMemorySaver()
    graph_of(saver).invoke({"messages": [("user", "hi")]}, CONFIG)
    with pytest.raises(ConfigurationError, match="'turns' holds no list of messages but int"):
        ThreadChatMessageHistory(saver, "t", channel="turns").get_messages()


@pytest.mark.parametrize("thread_id", ["", "a\x00b", "x" * 513])
def test_a_malformed_thread_id_is_refused(thread_id: str) -> None:
    """Before anything is read."""
    with pytest.raises(ScopeError):
        ThreadChatMessageHistory(InMemorySaver(), thread_id)


def test_what_is_no_checkpointer_is_refused() -> None:
    """The argument is named."""
    with pytest.raises(ConfigurationError, match="checkpointer must be a BaseCheckpointSaver"):
        ThreadChatMessageHistory("sqlite://", "t")  # type: ignore[arg-type]  # the point of the test


def test_the_thread_of_a_scope_can_be_named_otherwise() -> None:
    """Where sessions of different users have one name, their threads need not."""
    names = {("alice", "1"): "a-1", ("bob", "1"): "b-1"}
    sessions = ThreadSessions(InMemorySaver(), thread_id=lambda scope: names[scope.user_id, str(scope.session_id)])
    for user in ("alice", "bob"):
        run(sessions.append(Scope(user, session_id="1"), [HumanMessage(user)]))
    assert [texts(run(sessions.read(Scope(user, session_id="1")))) for user in ("alice", "bob")] == [["alice"], ["bob"]]


def test_a_listing_names_the_remedy() -> None:
    """The interface of checkpointers knows no users."""
    with pytest.raises(ConfigurationError, match=r"threads\(scope\)"):
        run(ThreadSessions(InMemorySaver()).conversations(Scope("alice")))


def test_it_is_langchains_history() -> None:
    """Every method of LangChain's interface works, and nothing warns."""
    history = ThreadChatMessageHistory(InMemorySaver(), "t")
    history.add_user_message("hi")
    history.add_ai_message("hello")
    assert isinstance(history, BaseChatMessageHistory)
    assert str(history) == "Human: hi\nAI: hello"
