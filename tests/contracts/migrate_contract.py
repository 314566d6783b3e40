"""What a migration promises, whatever it reads: a class of laws over a source that a fixture fills."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver

from langchain_agentmem.chat_history import SQLChatMessageHistory
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.migrate import Migration
from langchain_agentmem.migrate.moving import History
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.thread_history import ThreadChatMessageHistory
from langchain_agentmem.types import Scope

Migrate: TypeAlias = Callable[..., Awaitable[Migration]]
Fill: TypeAlias = Callable[[str, Sequence[BaseMessage]], None]

CALL = AIMessage("", tool_calls=[{"name": "f", "args": {"x": 1}, "id": "c", "type": "tool_call"}])
TALK: tuple[BaseMessage, ...] = (
    SystemMessage("be brief"),
    HumanMessage("hi"),
    AIMessage("hello"),
    HumanMessage("hi"),
    CALL,
    ToolMessage("3", tool_call_id="c"),
)


def community(name: str) -> Any:  # noqa: ANN401  (a class of langchain-community)
    """A history of langchain-community, whose import warns of its end."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(importlib.import_module("langchain_community.chat_message_histories"), name)


def plain(messages: Iterable[BaseMessage]) -> list[tuple[str, object]]:
    return [(message.type, message.content) for message in messages]


class MigrateContract:
    """Laws of a source of many sessions: `fill(session_id, messages)` fills it, `migrate(into, …)` moves it."""

    @pytest.fixture
    def database(self, tmp_path: Path) -> Iterator[Database]:
        database = Database(f"sqlite:///{tmp_path / 'ours.db'}")
        yield database
        database.close()

    @pytest.fixture(params=["history", "thread"])
    def into(self, request: pytest.FixtureRequest, database: Database) -> Callable[[str], History]:
        saver = InMemorySaver()

        def history(session_id: str) -> History:
            return SQLChatMessageHistory(session_id, scope=Scope("alice"), database=database)

        def thread(session_id: str) -> History:
            return ThreadChatMessageHistory(saver, session_id)

        return history if request.param == "history" else thread

    async def test_a_conversation_is_moved_in_order(
        self, fill: Fill, migrate: Migrate, into: Callable[[str], History]
    ) -> None:
        """Every message that the source holds is added, oldest first, equal ones too."""
        fill("s", TALK)
        done = await migrate(into)
        assert (done.sessions, done.found, done.added, done.present, done.refused) == (1, 6, 6, 0, ())
        assert plain(into("s").get_messages()) == plain(TALK)
        assert all(message.id for message in into("s").get_messages())

    async def test_a_second_run_adds_nothing(
        self, fill: Fill, migrate: Migrate, into: Callable[[str], History]
    ) -> None:
        """What was moved is known again; what came since is added."""
        fill("s", TALK[:4])
        await migrate(into)
        again = await migrate(into)
        assert (again.found, again.added, again.present) == (4, 0, 4)
        fill("s", TALK[4:])
        later = await migrate(into)
        assert (later.found, later.added, later.present) == (6, 2, 4)
        assert plain(into("s").get_messages()) == plain(TALK)

    async def test_a_dry_run_gives_the_account_and_writes_nothing(
        self, fill: Fill, migrate: Migrate, into: Callable[[str], History]
    ) -> None:
        """The account of a dry run is that of the run that follows."""
        fill("s", TALK)
        tried = await migrate(into, dry_run=True)
        assert into("s").get_messages() == []
        done = await migrate(into)
        assert (tried.found, tried.added, tried.dry_run) == (done.found, done.added, True)

    async def test_sessions_do_not_mix(self, fill: Fill, migrate: Migrate, into: Callable[[str], History]) -> None:
        """Names are compared exactly, whatever is in them."""
        names = ["a", "A", "a:b", "a,b", "a*", "ä"]
        for name in names:
            fill(name, [HumanMessage(f"of {name}")])
        assert (await migrate(into)).sessions == len(names)
        assert [plain(into(name).get_messages()) for name in names] == [[("human", f"of {name}")] for name in names]

    async def test_only_what_is_asked_for_is_moved(
        self, fill: Fill, migrate: Migrate, into: Callable[[str], History]
    ) -> None:
        """By their names, or because `into` leaves a session out."""
        for name in ("a", "b", "c"):
            fill(name, [HumanMessage("hi")])
        done = await migrate(lambda name: None if name == "b" else into(name), session_ids=["a", "b", "unknown"])
        assert (done.sessions, done.found, done.added) == (2, 1, 1)
        assert [len(into(name).get_messages()) for name in ("a", "b", "c")] == [1, 0, 0]

    async def test_a_name_that_no_session_can_have_is_refused(
        self, fill: Fill, migrate: Migrate, into: Callable[[str], History]
    ) -> None:
        """The others are moved, and the account says what was not."""
        fill("x" * 513, [HumanMessage("hi")])
        fill("s", [HumanMessage("hi")])
        done = await migrate(into)
        assert (done.found, done.added, len(done.refused)) == (2, 1, 1)
        assert "512 bytes" in done.refused[0].reason

    async def test_a_str_is_no_collection_of_sessions(self, migrate: Migrate, into: Callable[[str], History]) -> None:
        """It would be read letter by letter; a number cannot be read at all."""
        for wrong in ("abc", 5):
            with pytest.raises(ConfigurationError, match=f"session_ids .*{wrong!r}"):
                await migrate(into, session_ids=wrong)

    async def test_what_is_no_history_is_refused(self, fill: Fill, migrate: Migrate) -> None:
        """`into` is a function that returns a history or nothing; the error says what it got, and shows one."""
        fill("s", [HumanMessage("hi")])
        for wrong in (lambda _: "sqlite://", lambda _: SQLChatMessageHistory):
            with pytest.raises(ConfigurationError, match=r"into must return a history .*, got \w+; for example lambda"):
                await migrate(wrong)
        with pytest.raises(ConfigurationError, match=r"into must be a function .*, got str; for example lambda"):
            await migrate("sqlite://")
