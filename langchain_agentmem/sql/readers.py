"""Connections to PostgreSQL that only read, though the server has long been writable.

Whether a session may write by itself is decided as it begins (`default_transaction_read_only`): a connection from a
time when the database was only read stays so for ever. Only a new one finds out.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Connection, Engine, ExceptionContext, event

from langchain_agentmem.sql.alive import refuse_dead

ONLY_READ_SQLSTATE: Final = "25006"


def is_reader(driver: Any) -> bool:  # noqa: ANN401  (a driver's)
    """Whether a connection only reads by a default of its own; PostgreSQL 14 and later report it unasked."""
    return _told(driver, b"default_transaction_read_only")


def is_outlived(driver: Any, error: object) -> bool:  # noqa: ANN401  (a driver's)
    """Whether a connection is not to be used again, for it was told that it only reads; one to a standby may be."""
    return str(getattr(error, "sqlstate", None)) == ONLY_READ_SQLSTATE and not _told(driver, b"in_hot_standby")


def fit(connection: Connection, options: dict[str, str], *, writes: bool) -> None:
    """Make a connection ready for a transaction; where it is to write and only reads, by another one to the server."""
    if writes and is_reader(connection.connection.driver_connection):
        connection.invalidate()
    connection.execution_options(**options)


def watch(engine: Engine) -> None:
    """Let the pool of an engine give no connection that is dead, and keep none that only reads."""
    event.listen(engine, "checkout", refuse_dead)
    event.listen(engine, "handle_error", _let_go)


def _let_go(context: ExceptionContext) -> None:
    pooled = None if context.connection is None else context.connection.connection
    if pooled is not None and is_outlived(pooled.driver_connection, context.original_exception):
        context.is_disconnect = True  # with all that are as old


def _told(driver: Any, name: bytes) -> bool:  # noqa: ANN401  (a driver's)
    pgconn = getattr(driver, "pgconn", None)
    return pgconn is not None and pgconn.parameter_status(name) == b"on"
