"""Conversations in a SQL table of langchain-community."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from sqlalchemy import (
    URL,
    Column,
    Connection,
    Engine,
    Integer,
    MetaData,
    Row,
    Select,
    Table,
    Text,
    create_engine,
    func,
    inspect,
    make_url,
    select,
)
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from langchain_agentmem._checks import check_text
from langchain_agentmem._flow import Flow, in_executor, step
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.migrate.moving import Source, Stored
from langchain_agentmem.migrate.redis_sources import parsed
from langchain_agentmem.sql.translate import translate

Rows: TypeAlias = Sequence[Row[*tuple[Any, ...]]]
Body: TypeAlias = Callable[[Connection], Rows]
Place: TypeAlias = str | Engine | AsyncEngine
"""A database: its URL, or an engine of SQLAlchemy."""


class CommunitySQLSource(Source):
    """Conversations of langchain-community: a row per message, in the order of its `id`."""

    name = "langchain-community/sql"

    def __init__(self, place: Place, table: str, session_column: str) -> None:
        """No I/O."""
        self._place = _checked(place)
        columns = (Column("id", Integer), Column(check_text("session_column", session_column), Text))
        self._table = Table(check_text("table", table), MetaData(), *columns, Column("message", Text))
        self._session = self._table.c[session_column]

    def sessions(self) -> Flow[list[str]]:
        """Return the sessions that rows name, in the order of their first rows."""
        statement = select(self._session, self._table.c.id).where(self._session.is_not(None)).order_by(self._table.c.id)
        rows = yield from self._read(partial(self._rows, statement))
        return list(dict.fromkeys(session_id for session_id, _ in rows))

    def read(self, session_id: str) -> Flow[list[Stored]]:
        """Read the rows of a session; a row's id is its message's key."""
        columns = (self._table.c.id, self._table.c.message)
        statement = select(*columns).where(self._session == session_id).order_by(self._table.c.id)
        rows = yield from self._read(partial(self._rows, statement))
        return [parsed(text or "")._replace(key=str(row_id)) for row_id, text in rows]

    def strays(self) -> Flow[int]:
        """Count the rows that name no session."""
        rows = yield from self._read(partial(self._rows, select(func.count()).where(self._session.is_(None))))
        return int(rows[0][0])

    def _rows(self, statement: Select[*tuple[Any, ...]], connection: Connection) -> Rows:
        if not inspect(connection).has_table(self._table.name):
            msg = f"the database has no table {self._table.name!r}; pass its name as table="
            raise ConfigurationError(msg)
        return connection.execute(statement).all()

    def _read(self, body: Body) -> Flow[Rows]:
        try:
            return (yield from step(self._read_blocking, self._read_awaiting, body))
        except SQLAlchemyError as error:
            raise translate(error) from error

    def _read_blocking(self, body: Body) -> Rows:
        if isinstance(self._place, AsyncEngine):
            msg = "this engine can only be awaited; pass an Engine or a URL, or await the function that begins with a"
            raise ConfigurationError(msg)
        is_own = isinstance(self._place, str)
        engine = create_engine(self._place, poolclass=NullPool) if isinstance(self._place, str) else self._place
        try:
            with engine.connect() as connection:
                return body(connection)
        finally:
            if is_own:
                engine.dispose()

    async def _read_awaiting(self, body: Body) -> Rows:
        if isinstance(self._place, Engine) or (isinstance(self._place, str) and not _can_await(self._place)):
            return await in_executor(self._read_blocking, body)
        is_own = isinstance(self._place, str)
        engine = create_async_engine(self._place, poolclass=NullPool) if isinstance(self._place, str) else self._place
        try:
            async with engine.connect() as connection:
                return await connection.run_sync(body)
        finally:
            if is_own:
                await engine.dispose()


def _checked(place: Place) -> Place:
    if isinstance(place, Engine | AsyncEngine):
        return place
    try:
        url = make_url(place)
        url = url.set(drivername="postgresql+psycopg") if url.drivername == "postgresql" else url
        url.get_dialect()
    except (ArgumentError, NoSuchModuleError, AttributeError, ValueError) as error:
        msg = "database must be a URL or an engine of SQLAlchemy; for example 'sqlite:///chat.db'"
        raise ConfigurationError(msg) from error
    _check_file(url)
    return url.render_as_string(hide_password=False)


def _can_await(url: str) -> bool:
    """Whether the URL's driver can be awaited; another one runs in the executor."""
    return make_url(url).drivername == "postgresql+psycopg" or make_url(url).get_dialect().is_async


def _check_file(url: URL) -> None:
    """Refuse a SQLite file that is not there: opening it would make an empty one."""
    path = url.database or ""
    if url.get_backend_name() == "sqlite" and not path.startswith("file:") and not Path(path).is_file():
        msg = f"there is no file {path!r}; pass the URL of a database that holds conversations"
        raise ConfigurationError(msg)
