from __future__ import annotations

from pathlib import Path

import pytest
from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import HumanMessage

from langchain_agentmem._flow import run
from langchain_agentmem.chat_history import SQLChatMessageHistory
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.sessions.base import KeptSummary
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.testing import HistorySuite
from tests.contracts.flat_adds_contract import FlatAddsContract
from tests.contracts.history_contract import HistoryContract, OfBackend, OnSQL
from tests.contracts.retention_contract import RetentionContract
from tests.contracts.shared_history_contract import SharedHistoryContract
from tests.contracts.summary_contract import SummaryContract


class TestHistory(OnSQL, OfBackend, HistorySuite):
    """The public laws on SQLite."""


class TestHistoryBeside(OnSQL, HistoryContract):
    """What is ours beside them."""


class TestFlatAdds(OnSQL, FlatAddsContract):
    """The contract of what an add costs, on SQLite."""


class TestRetention(OnSQL, RetentionContract):
    """The contract of what is kept, on SQLite."""


class TestSummary(OnSQL, SummaryContract):
    """The contract of summaries, on SQLite."""


class TestSharedHistory(SharedHistoryContract):
    """The contract on a SQLite file."""

    @pytest.fixture
    def shared_url(self, tmp_path: Path) -> str:
        return f"sqlite:///{tmp_path / 'chat.db'}"


def test_langchains_own_methods_work() -> None:
    """A history is LangChain's: one message, text of a user or a model, and printing it."""
    with SQLChatMessageHistory("s", url="sqlite://") as history:
        history.add_user_message("hi")
        history.add_ai_message("hello")
        history.add_message(HumanMessage("bye"))
        assert isinstance(history, BaseChatMessageHistory)
        assert str(history) == "Human: hi\nAI: hello\nHuman: bye"


def test_constructing_opens_nothing() -> None:
    """A history of a database that nobody can reach can be made, but not used."""
    history = SQLChatMessageHistory("s", url="sqlite:////no/such/folder/x.db")
    with pytest.raises(ConfigurationError, match="folder"):
        history.add_user_message("hi")


def test_messages_cannot_be_assigned() -> None:
    """Assigning would look like writing, and write nothing."""
    with pytest.raises(ConfigurationError, match="add_messages"):
        SQLChatMessageHistory("s", url="sqlite://").messages = []


def test_where_the_database_is_must_be_said_once() -> None:
    """Either a URL or a database."""
    for places in ({}, {"url": "sqlite://", "database": Database("sqlite://")}):
        with pytest.raises(ConfigurationError, match="either url or database"):
            SQLChatMessageHistory("s", **places)  # type: ignore[arg-type]  # a dictionary of several types


def test_a_database_in_memory_is_its_historys_own() -> None:
    """Two histories in memory share nothing, and a listing has no history to ask."""
    with SQLChatMessageHistory("s", url="sqlite://") as one, SQLChatMessageHistory("s", url="sqlite://") as two:
        one.add_user_message("hi")
        assert (one.count(), two.count()) == (1, 0)
    with pytest.raises(ConfigurationError, match="in memory"):
        SQLChatMessageHistory.conversations(one.scope, url="sqlite://")


def test_a_given_database_stays_open(tmp_path: Path) -> None:
    """Whoever opened a database closes it."""
    database = Database(f"sqlite:///{tmp_path / 'chat.db'}")
    with SQLChatMessageHistory("s", database=database) as history:
        history.add_user_message("hi")
    assert history.count() == 1
    database.close()


def test_a_file_that_was_deleted_is_another_database(tmp_path: Path) -> None:
    """Nothing is written to, or read from, a file that has no name any more."""
    history = SQLChatMessageHistory("s", url=f"sqlite:///{tmp_path / 'chat.db'}")
    history.add_user_message("before")
    history.add_user_message("before")
    for file in tmp_path.iterdir():
        file.unlink()
    history.add_user_message("after")
    assert [message.content for message in history.messages] == ["after"]
    assert (tmp_path / "chat.db").exists()
    history.close()


def test_a_cleared_text_is_in_no_file(tmp_path: Path) -> None:
    """Neither the database nor its write-ahead log holds what was said."""
    with SQLChatMessageHistory("s", url=f"sqlite:///{tmp_path / 'chat.db'}") as history:
        history.add_user_message("the needle")
        about = history.messages[0].id or ""
        run(history._store().keep_summary(history.scope, KeptSummary(data=b"a needle", version=1, about=about)))
        history.clear()
        assert not any(b"needle" in file.read_bytes() for file in tmp_path.iterdir())


def test_a_deleted_summary_is_in_no_file(tmp_path: Path) -> None:
    """Also where the conversation goes on without it."""
    with SQLChatMessageHistory("s", url=f"sqlite:///{tmp_path / 'chat.db'}") as history:
        history.add_message(HumanMessage("hi", id="m"))
        run(history._store().keep_summary(history.scope, KeptSummary(data=b"a needle", version=1, about="m")))
        run(history._store().keep_summary(history.scope, None))
        assert not any(b"needle" in file.read_bytes() for file in tmp_path.iterdir())
