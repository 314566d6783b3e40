"""URLs of databases, as they are used."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.util import find_spec
from types import MappingProxyType
from typing import Final

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from langchain_agentmem._checks import check_text, given, install_hint
from langchain_agentmem.errors import ConfigurationError

PATIENCE: Final[Mapping[str, str]] = MappingProxyType(
    {
        "connect_timeout": "10",
        "tcp_user_timeout": "30000",
        "keepalives_idle": "30",
        "keepalives_interval": "10",
        "keepalives_count": "3",
    }
)
"""Parameters of libpq (seconds; `tcp_user_timeout` in milliseconds): its defaults wait for a lost peer for hours."""

CUT_IN_TWO: Final = (
    "sql has an '@' in its password; write it as %40, and '/' as %2F, ':' as %3A, '?' as %3F, '%' as %25"
)
"""What is said of a URL whose password ends too early; it quotes nothing of it."""


IN_MEMORY: Final = ":memory:"
"""What SQLite calls a database that is gone with the process; as a URL it is `sqlite://`."""

IN_MEMORY_URLS: Final = frozenset({IN_MEMORY, "sqlite://", "sqlite:///", "sqlite:///:memory:"})


def parse_url(url: str) -> URL:
    """Return the URL of a database that we know; `:memory:` is one as well.

    Raises:
        ConfigurationError: It is malformed, or names another database.
    """
    try:
        parsed = make_url("sqlite://" if url == IN_MEMORY else url)
    except (ArgumentError, TypeError, ValueError) as error:  # ValueError: the port is no number
        found = "the URL" if isinstance(url, str) and ("@" in url or "://" in url) else f"sql {url!r}"  # no password
        msg = f"{found} is none of a database; for example 'sqlite:///agent.db' or 'postgresql://user@host/name'"
        raise ConfigurationError(msg) from error
    if parsed.get_backend_name() == "sqlite":
        return parse_sqlite(parsed)
    if parsed.get_backend_name() == "postgresql":
        _check_whole(parsed, url)
        return parse_postgres(parsed)
    msg = f"sql names {parsed.drivername!r}; use sqlite or postgresql"
    raise ConfigurationError(msg)


def shown_url(url: URL) -> str:
    """Return a URL for messages and logs: a password may stand before the host, or among its parameters."""
    return url.set(query={}).render_as_string()


def parse_postgres(url: URL) -> URL:
    """Return a URL by which a server that is gone is noticed within a minute or so, unless it says otherwise.

    Raises:
        ConfigurationError: The driver is not installed.
    """
    if find_spec("psycopg") is None:
        msg = f"sql names postgresql, whose driver is not installed; {install_hint('postgres')}"
        raise ConfigurationError(msg)
    url = url.set(drivername="postgresql+psycopg")
    return url.update_query_dict({name: value for name, value in PATIENCE.items() if name not in url.query})


def _check_whole(url: URL, written: str) -> None:
    """See that a password is not cut in two by a character of its own: its end would be shown as a host or a database.

    Raises:
        ConfigurationError: It is.
    """
    is_cut_by_query = not url.database and "@" in str(written).partition("?")[2]
    if is_cut_by_query or "@" in f"{url.host or ''}{url.database or ''}":
        raise ConfigurationError(CUT_IN_TWO)


def parse_sqlite(url: URL) -> URL:
    """Return the URL of a SQLite file by its absolute path, or of SQLite in memory.

    Raises:
        ConfigurationError: It names no path.
    """
    if "uri" in url.query:
        msg = "sql must name a SQLite file by its path, without uri=; for example 'sqlite:///agent.db'"
        raise ConfigurationError(msg)
    if url.host is not None:
        msg = f"sql names {url.host!r} where a host would be; a file takes three slashes: 'sqlite:///{url.host}'"
        raise ConfigurationError(msg)
    path = url.database
    if path in {None, "", IN_MEMORY}:
        return url.set(drivername="sqlite")
    return url.set(drivername="sqlite", database=os.path.abspath(str(path)))  # noqa: PTH100  (keeps symbolic links)


def sqlite_url(path: str | os.PathLike[str]) -> str:
    """Return the URL of a SQLite file, whatever characters its path has."""
    if not isinstance(path, (str, os.PathLike)) or not isinstance(os.fspath(path), str):
        msg = f"path must be a str or a pathlib.Path, got {given(path)}; for example 'agent.db'"
        raise ConfigurationError(msg)
    if not os.fspath(path):
        msg = "path is empty; name a file, for example 'agent.db', or use AgentMemory.in_memory()"
        raise ConfigurationError(msg)
    check_text("path", os.fspath(path))
    if "://" in os.fspath(path):  # not repeated: it may hold a password
        msg = "path is a URL, and names no file; give it as sql, for example AgentMemory.connect(sql='sqlite:///agent.db')"
        raise ConfigurationError(msg)
    return URL.create("sqlite", database=os.fspath(path)).render_as_string(hide_password=False)
