"""LangGraph's checkpointer on SQLite and PostgreSQL."""

from __future__ import annotations

from typing import Self, Unpack

from langchain_agentmem._checks import check_instance
from langchain_agentmem._flow import Flow
from langchain_agentmem.checkpoint.options import SaverSettings, read_settings
from langchain_agentmem.checkpoint.stored import StoredSaver
from langchain_agentmem.checkpoints.sql import SQLThreads
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.vault.base import use_database


class SQLSaver(StoredSaver):
    """Threads of LangGraph in SQLite or PostgreSQL, for sync and async graphs alike.

    Usable at once: the first use opens the database and brings its tables up to date.

    Args:
        database: Where; closing it is its owner's. `SQLSaver.from_url(url)` opens one of its own.
        settings: Fields of `SaverOptions`: `ttl`, `refresh_on_read`, `on_conflict`, `allowed_types`, `serde`, `vault`,
            `clock`.

    Raises:
        ConfigurationError: A setting cannot work.

    Example:
        >>> from langgraph.graph import START, MessagesState, StateGraph
        >>> builder = StateGraph(MessagesState)
        >>> _ = builder.add_node("answer", lambda state: {"messages": [("ai", "Hello.")]})
        >>> _ = builder.add_edge(START, "answer")
        >>> with SQLSaver.from_url("sqlite:///threads.db") as saver:
        ...     graph = builder.compile(checkpointer=saver)
        ...     config = {"configurable": {"thread_id": "thread-1"}}
        ...     _ = graph.invoke({"messages": [("user", "Hi.")]}, config)
        ...     len(graph.get_state(config).values["messages"])
        2
    """

    def __init__(self, database: Database, **settings: Unpack[SaverSettings]) -> None:
        """No I/O."""
        options = read_settings(settings)
        if isinstance(database, str):
            msg = (
                "database is a URL; pass it to SQLSaver.from_url, for example SQLSaver.from_url('sqlite:///threads.db')"
            )
            raise ConfigurationError(msg)
        self._database = check_instance("database", database, Database)
        use_database(database, "threads", options.vault)
        self._is_owner = False
        super().__init__(options.setting(SQLThreads(database, clock=options.clock)))

    @classmethod
    def from_url(cls, url: str, **settings: Unpack[SaverSettings]) -> Self:
        """Return a checkpointer with a database of its own; use it as a context manager, or close it.

        Args:
            url: `sqlite:///file.db`, `sqlite://` (in memory), or `postgresql://…`.
            settings: As of the class.

        Raises:
            ConfigurationError: The URL or a setting cannot work.
        """
        saver = cls(Database(url), **settings)
        saver._is_owner = True
        return saver

    def _release(self) -> Database | None:
        return self._database if self._is_owner else None

    def _open(self) -> Flow[None]:
        yield from self._database.open()
