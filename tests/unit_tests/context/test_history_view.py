from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core._api import LangChainDeprecationWarning
from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.runnables.history import RunnableWithMessageHistory
from langgraph.store.memory import InMemoryStore

from langchain_agentmem._flow import run
from langchain_agentmem.chat_history import SQLChatMessageHistory
from langchain_agentmem.context import (
    HistoryView,
    InProcessSummaries,
    MessageBuffer,
    SessionHistory,
    StoreSummaries,
    SummaryBuffer,
    SummaryLimits,
    SummaryStore,
)
from langchain_agentmem.errors import ConfigurationError, ScopeError
from langchain_agentmem.sessions.sql import SQLSessions
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.types import Scope
from tests.conftest import Call

SMALL = SummaryLimits(max_messages=4, keep_messages=2, keep_turns=1)


class ListHistory(BaseChatMessageHistory):
    def __init__(self) -> None:
        self.messages: list[BaseMessage] = []

    def add_messages(self, messages: Any) -> None:  # noqa: ANN401  (as of LangChain)
        self.messages.extend(messages)

    def clear(self) -> None:
        self.messages.clear()


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    url = f"sqlite:///{tmp_path / 'chat.db'}"
    yield url
    SQLChatMessageHistory("s", url=url).close()


def turn(n: int) -> list[BaseMessage]:
    return [HumanMessage(f"question {n}"), AIMessage(f"answer {n}")]


async def test_the_record_is_whole_and_the_view_is_short(url: str, call: Call) -> None:
    """Every message is in SQLite as it was said; what the model reads is a summary and the last messages."""
    record = SQLChatMessageHistory("s", url=url)
    view = HistoryView(record, SummaryBuffer(limits=SMALL))
    for n in range(6):
        await call(view, "add_messages", turn(n))
        seen: list[BaseMessage] = await call(view, "get_messages")
        assert len(seen) <= 5
    assert [message.text for message in record.messages] == [it.text for n in range(6) for it in turn(n)]
    assert "question 0" in seen[0].text


@pytest.mark.parametrize("summaries", [InProcessSummaries(), StoreSummaries(InMemoryStore())], ids=["process", "store"])
async def test_a_summary_is_continued_by_the_next_object(url: str, summaries: SummaryStore, call: Call) -> None:
    """Histories are made anew for each call; the version grows all the same, and is of this session alone."""
    scope = Scope("alice.b%", session_id="s")
    for n in range(8):
        view = HistoryView(
            SQLChatMessageHistory("s", scope=scope, url=url), SummaryBuffer(limits=SMALL), summaries=summaries
        )
        await call(view, "add_messages", turn(n))
        await call(view, "get_messages")
    kept = run(summaries.load(scope))
    assert kept is not None
    assert kept.version > 2
    assert run(summaries.load(Scope("bob", session_id="s"))) is None


async def test_a_long_conversation_is_not_read_again_and_again(
    url: str, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a conversation with a summary only the end is read, and the summary does not grow with it either."""
    record = SQLChatMessageHistory("s", url=url)
    record.add_messages([message for n in range(300) for message in turn(n)])
    summaries = InProcessSummaries()
    await call(HistoryView(record, SummaryBuffer(limits=SMALL), summaries=summaries), "get_messages")
    first = run(summaries.load(Scope.anonymous("s")))
    monkeypatch.setattr(SQLChatMessageHistory, "get_messages", None)
    record.add_messages([message for n in range(300, 310) for message in turn(n)])
    monkeypatch.setattr(SQLChatMessageHistory, "aget_messages", None)
    seen = await call(HistoryView(record, SummaryBuffer(limits=SMALL), summaries=summaries), "get_messages")
    last = run(summaries.load(Scope.anonymous("s")))
    assert first is not None
    assert last is not None
    assert (first.count, last.count, len(last.added)) == (598, 618, 20)
    assert [message.text for message in seen[1:]] == ["question 309", "answer 309"]
    assert len(str(last.to_dict())) < 5_000


async def test_a_summary_that_could_not_be_loaded_is_not_overwritten(
    url: str, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store that was away for one turn still has the latest version afterwards; the view of that turn is right."""
    summaries, record = InProcessSummaries(), SQLChatMessageHistory("s", url=url)
    for n in range(6):
        record.add_messages(turn(n))
        HistoryView(record, SummaryBuffer(limits=SMALL), summaries=summaries).get_messages()
    before = run(summaries.load(Scope.anonymous("s")))
    with monkeypatch.context() as away:
        away.setattr(summaries, "load", None)
        seen = await call(HistoryView(record, SummaryBuffer(limits=SMALL), summaries=summaries), "get_messages")
    assert [message.text for message in seen[1:]] == ["question 5", "answer 5"]
    assert run(summaries.load(Scope.anonymous("s"))) == before


async def test_clearing_a_history_clears_its_summary(url: str, call: Call) -> None:
    """Nothing of a deleted conversation is left, and the next begins anew."""
    summaries = InProcessSummaries()
    view = HistoryView(SQLChatMessageHistory("s", url=url), SummaryBuffer(limits=SMALL), summaries=summaries)
    for n in range(4):
        await call(view, "add_messages", turn(n))
    await call(view, "get_messages")
    await call(view, "clear")
    assert run(summaries.load(Scope.anonymous("s"))) is None
    assert view.messages == []


def test_a_chain_with_history_sees_the_view_and_stores_the_turn(url: str) -> None:
    """`RunnableWithMessageHistory` reads twice and adds once: nothing is doubled, nothing lost."""
    summaries, seen = InProcessSummaries(), []

    def reply(messages: list[BaseMessage]) -> AIMessage:
        seen.append(len(messages))
        return AIMessage(f"answer {len(seen)}")

    def history(session_id: str) -> Any:  # noqa: ANN401  (LangChain wants its deprecated class)
        return HistoryView(SQLChatMessageHistory(session_id, url=url), SummaryBuffer(limits=SMALL), summaries=summaries)

    with pytest.warns(LangChainDeprecationWarning):
        chain = RunnableWithMessageHistory(RunnableLambda(reply), history)
    for n in range(7):
        chain.invoke([HumanMessage(f"question {n}")], {"configurable": {"session_id": "s"}})
    assert len(SQLChatMessageHistory("s", url=url).messages) == 14
    assert max(seen) <= 6


async def test_any_history_of_langchains_can_be_viewed(call: Call) -> None:
    """One of one's own too; what the view puts in is never added to it."""
    record = ListHistory()
    view = HistoryView(record, MessageBuffer(max_messages=3))
    view.add_user_message("one")
    view.add_ai_message("two")
    view.add_message(HumanMessage("three"))
    await call(view, "add_messages", [*SummaryBuffer(limits=SMALL).view([*turn(1), *turn(2), *turn(3)]).messages[:1]])
    assert [message.text for message in record.messages] == ["one", "two", "three"]
    view.add_user_message("four")
    assert [message.text for message in await call(view, "get_messages")] == ["three", "four"]


async def test_a_session_of_the_port_can_be_viewed(url: str, call: Call) -> None:
    """`Sessions` and a scope make a history too."""
    scope = Scope("alice", session_id="s")
    database = Database(url)
    view = HistoryView(SessionHistory(SQLSessions(database), scope), MessageBuffer(max_messages=1))
    await call(view, "add_messages", turn(1)[:1])
    assert [message.text for message in await call(view, "get_messages")] == ["question 1"]
    await call(view, "clear")
    assert await call(view, "get_messages") == []
    database.close()


def test_a_summary_needs_a_session() -> None:
    """Shared summaries of nameless conversations would mix."""
    with pytest.raises(ConfigurationError, match="scope=Scope"):
        HistoryView(ListHistory(), MessageBuffer(), summaries=InProcessSummaries())
    with pytest.raises(ScopeError, match="names no session"):
        run(InProcessSummaries().load(Scope("alice")))
    with pytest.raises(ConfigurationError, match="store must be"):
        StoreSummaries("redis://")  # type: ignore[arg-type]  # the wrong type is the point


def test_only_the_latest_sessions_are_kept_in_process() -> None:
    """A process that serves for months does not grow with its sessions."""
    kept = InProcessSummaries(max_sessions=2)
    summary = SummaryBuffer(limits=SMALL).view([*turn(1), *turn(2), *turn(3)]).summary
    scopes = [Scope.anonymous(name) for name in "abc"]
    for scope in scopes:
        run(kept.save(scope, summary))
    assert [run(kept.load(scope)) is None for scope in scopes] == [True, False, False]
