"""Bring a database's schema up to date, once, under a lock; refuse one that is newer than this code."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import SQLAlchemyError

from langchain_agentmem.errors import MigrationError
from langchain_agentmem.sql.sqlite import APPLICATION_ID, VERSION_TABLE

if TYPE_CHECKING:
    from alembic.config import Config

HEAD: Final = "0007"
"""Revision this code was written for: the newest file in `migrations/versions`."""

_LOCK_KEY: Final = 0x61676D656D
"""Key of PostgreSQL's advisory lock while a schema is changed ("agmem")."""

_ALEMBIC: Final = threading.Lock()
"""Alembic keeps what it works on where all of a process find it: one migration at a time, of whatever database."""


def is_current(connection: Connection) -> bool:
    """Whether the schema is the one this code was written for.

    Raises:
        MigrationError: It is newer.
    """
    version = _version(connection)
    check_known(version)
    return version == HEAD


def check_known(version: str | None) -> None:
    """Refuse a schema that this code does not know.

    Raises:
        MigrationError: It is newer.
    """
    if version not in {None, HEAD} and version not in _known_versions():
        msg = f"the database has schema {version!r}, this code knows up to {HEAD!r}; upgrade langchain-agentmem"
        raise MigrationError(msg)


def ensure_schema(connection: Connection) -> None:
    """Apply pending migrations inside the connection's transaction, while no other process does.

    Raises:
        MigrationError: The schema is newer than this code, or a migration failed (nothing of it stays).
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK_KEY})
    if is_current(connection):
        return
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
    try:
        _upgrade(connection)
    except SQLAlchemyError as error:
        msg = f"a migration to schema {HEAD!r} failed and was rolled back: {type(error).__name__}"
        raise MigrationError(msg) from error


def _version(connection: Connection) -> str | None:
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    return connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()  # noqa: S608  (a constant)


def _upgrade(connection: Connection) -> None:
    from alembic import command

    config = _config()
    config.attributes["connection"] = connection
    with _ALEMBIC:
        command.upgrade(config, "head")


def _known_versions() -> set[str]:
    from alembic.script import ScriptDirectory

    return {script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()}


def _config() -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    return config
