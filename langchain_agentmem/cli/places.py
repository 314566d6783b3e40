"""Where a memory is, as a command is told it: a SQLite file, a URL, or a configuration."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from langchain_agentmem._faces import face
from langchain_agentmem._flow import run
from langchain_agentmem.composition import LOCAL, open_database
from langchain_agentmem.errors import ConfigurationError, MigrationError
from langchain_agentmem.memory import AgentMemory
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.sql.peeking import peek
from langchain_agentmem.sql.schema_version import HEAD
from langchain_agentmem.sql.url import sqlite_url

_CONFIGURATIONS: Final = (".yaml", ".yml")


def is_configuration(place: str) -> bool:
    """Whether a place is a configuration file."""
    return "://" not in place and place.endswith(_CONFIGURATIONS)


def parts_at(place: str, redis: str | None = None, *, is_new: bool = False) -> dict[str, Any]:
    """Return the arguments of the `AgentMemory` at a place; nothing is opened yet.

    Args:
        place: A SQLite file, a URL, or a configuration file.
        redis: URL of the Redis that has the conversations; a configuration names its own.
        is_new: A SQLite file may be missing.

    Raises:
        ConfigurationError: There is no such file, or the configuration cannot work.
    """
    if is_configuration(place):
        if redis is not None:
            msg = f"--redis does not go with {place}; name the Redis there, as redis: …"
            raise ConfigurationError(msg)
        made: dict[str, Any] = face("build_config")(place, {})
        return made
    url = place if "://" in place else sqlite_url(Path(place) if is_new else existing(Path(place)))
    fast = None if redis is None else face("RedisDatabase")(redis)
    options = MemoryOptions()
    return {"database": open_database(url, options), "redis": fast, "embeddings": None, "options": options}


def writing_parts_at(place: str, *, words_only: bool) -> dict[str, Any]:
    """Return the arguments of an `AgentMemory` that takes in what is said; a SQLite file is made where it is missing.

    Its embeddings are those of the configuration, elsewhere the local ones; or none, by `words_only`. See `parts_at`.
    """
    parts = parts_at(place, is_new=True)
    if words_only or not is_configuration(place):
        parts["embeddings"] = None if words_only else LOCAL
    return parts


def memory_at(place: str, redis: str | None = None) -> AgentMemory:
    """Return the memory at a place, which must be there, for commands that embed nothing; see `current`."""
    parts = current(parts_at(place, redis))
    if parts.get("index") is None:  # … whose rows have the model's name on them
        parts["embeddings"] = None
    return AgentMemory(**parts)


def current(parts: dict[str, Any]) -> dict[str, Any]:
    """Return the parts of a memory that is opened as it is: looking at it is no migration.

    Raises:
        MigrationError: An earlier release wrote it.
    """
    revision = run(peek(parts["database"])).revision
    if revision is not None and revision < HEAD:
        msg = f"the database has schema {revision!r}, this version {HEAD!r}; `agentmem migrate` changes it, for good"
        raise MigrationError(msg)
    return parts


def existing(path: Path) -> Path:
    """Return the path of a file that is there.

    Raises:
        ConfigurationError: It is not.
    """
    if not path.is_file():
        found = "is a folder" if path.is_dir() else "does not exist"
        msg = f"{path} {found}; name the SQLite file of an agent's memory"
        raise ConfigurationError(msg)
    return path
