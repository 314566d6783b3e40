"""What a stored chat history promises to several processes and objects that share one place, in both colours."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from langchain_agentmem import chat_history
from langchain_agentmem._flow import run
from langchain_agentmem.context import HistoryView, SessionSummaries, SummaryBuffer, SummaryLimits
from langchain_agentmem.testing.history import check_writers, texts
from langchain_agentmem.types import Scope
from tests.conftest import Call, Colour
from tests.processes import Process, Say, together


def add_pairs(_say: Say, name: str, url: str, writer: int) -> None:
    """Open the session ten times, and add a pair twice each time."""
    for number in range(10):
        with getattr(chat_history, name)("s", url=url) as history:
            one, two = (f"{writer} {2 * number + part}" for part in range(2))
            pair = [HumanMessage(one), AIMessage(two)]
            history.add_messages(pair)
            history.add_messages(pair)


def summarise(say: Say, name: str, url: str) -> None:
    """Add six remarks, and say the summary's version, and how much it covers."""
    with getattr(chat_history, name)("s", url=url) as history:
        summaries = SessionSummaries(history._store())
        limits = SummaryLimits(max_messages=4, keep_messages=2, keep_turns=1)
        history.add_messages([HumanMessage(f"remark {number}") for number in range(6)])
        assert HistoryView(history, SummaryBuffer(limits=limits), summaries=summaries).messages
        summary = run(summaries.load(history.scope))
        assert summary
        say((summary.version, summary.count))


class SharedHistoryContract:
    """Laws of several processes; `shared_url` names an empty database that they can share."""

    name = "SQLChatMessageHistory"

    @pytest.fixture
    def history_class(self) -> type[Any]:
        found: type[Any] = getattr(chat_history, self.name)
        return found

    def test_processes_of_one_session_lose_and_double_nothing(self, shared_url: str, history_class: type[Any]) -> None:
        """Four processes begin one session together, each adding pairs twice: every pair once and unbroken."""
        together([Process(add_pairs, self.name, shared_url, writer) for writer in range(4)])
        with history_class("s", url=shared_url) as history:
            found = history.messages
        check_writers(found, writers=4, each=20)
        pairs = zip(found[::2], found[1::2], strict=True)
        assert all(human.type == "human" and ai.type == "ai" for human, ai in pairs)

    def test_a_summary_outlives_its_process(self, shared_url: str, history_class: type[Any]) -> None:
        """Each process goes on from the version that the one before it made."""
        told = [together([Process(summarise, self.name, shared_url)]) for _ in range(2)]
        assert told == [[[(1, 4)]], [[(2, 10)]]]
        with history_class("s", url=shared_url) as history:
            assert history.count() == 12

    async def test_closing_a_history_breaks_no_call_of_another(
        self, shared_url: str, history_class: type[Any], colour: Colour
    ) -> None:
        """A service makes a history per request and closes it at its end, while other requests are in progress."""

        def use(number: int) -> None:
            with history_class("s", url=shared_url) as history:
                history.add_messages([HumanMessage(f"{number} 0"), AIMessage(f"{number} 1")])
                history.last(2)

        async def ause(number: int) -> None:
            async with history_class("s", url=shared_url) as history:
                await history.aadd_messages([HumanMessage(f"{number} 0"), AIMessage(f"{number} 1")])
                await history.alast(2)

        if colour == "sync":
            with ThreadPoolExecutor(8) as pool:
                list(pool.map(use, range(40)))
        else:
            await asyncio.gather(*map(ause, range(40)))
        with history_class("s", url=shared_url) as history:
            check_writers(history.messages, writers=40, each=2)

    async def test_histories_of_one_url_share_it_until_they_are_closed(
        self, shared_url: str, history_class: type[Any], call: Call
    ) -> None:
        """Each object sees what the others wrote, and one that is used after `close` opens the database again."""
        one, two = (history_class("s", url=shared_url) for _ in range(2))
        await call(one, "add_messages", [HumanMessage("1")])
        await call(one, "close")
        await call(two, "add_messages", [HumanMessage("2")])
        assert texts(await call(one, "get_messages")) == ["1", "2"]
        found = await call(history_class, "conversations", Scope.anonymous("s"), url=shared_url)
        assert [it.message_count for it in found] == [2]
        await call(two, "close")
