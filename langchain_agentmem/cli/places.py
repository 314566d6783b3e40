"""Where a memory is, as a command is told it: a SQLite file, a URL, or a configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from langchain_agentmem import _faces
from langchain_agentmem._flow import run
from langchain_agentmem._storing import redis_at
from langchain_agentmem.composition import LOCAL, open_database
from langchain_agentmem.errors import ConfigurationError, MigrationError
from langchain_agentmem.memory import AgentMemory
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.sql.peeking import Peeked, peek
from langchain_agentmem.sql.schema_version import HEAD
from langchain_agentmem.sql.url import sqlite_url

_CONFIGURATIONS: Final = (".yaml", ".yml")


def is_configuration(place: str) -> bool:
    """Whether a place is a configuration file."""
    return "://" not in place and place.endswith(_CONFIGURATIONS)


def parts_at(
    place: str, redis: str | None = None, prefix: str | None = None, *, is_new: bool = False
) -> dict[str, Any]:
    """Return the arguments of the `AgentMemory` at a place; nothing is opened yet.

    Args:
        place: A SQLite file, a URL, or a configuration file.
        redis: URL of the Redis that has the conversations; a configuration names its own.
        prefix: What its keys begin with.
        is_new: A SQLite file may be missing.

    Raises:
        ConfigurationError: There is no such file, or the configuration cannot work.
    """
    if is_configuration(place):
        if redis is not None or prefix is not None:
            msg = f"--redis does not go with {place}; name the Redis there, as redis: … and redis_prefix: …"
            raise ConfigurationError(msg)
        return _faces.build_config(place, {})
    url = place if "://" in place else sqlite_url(Path(place) if is_new else existing(Path(place)))
    fast = redis_at(redis, prefix)
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


def memory_at(
    place: str, redis: str | None = None, prefix: str | None = None, *, may_make: bool = False, only_looks: bool = False
) -> AgentMemory:
    """Return the memory at a place, which must be there, for commands that embed nothing; see `current`."""
    return _made(current(place, parts_at(place, redis, prefix), may_make=may_make, only_looks=only_looks))


def vaulted_at(place: str) -> AgentMemory:
    """Return the memory at a place that has a vault; see `memory_at`.

    Raises:
        ConfigurationError: It names none.
    """
    parts = current(place, parts_at(place), only_looks=True)
    if parts["options"].vault is None:
        msg = f"{_named(place)} names no vault; {_with_vault(place)}"
        raise ConfigurationError(msg)
    return _made(parts)


def _made(parts: dict[str, Any]) -> AgentMemory:
    if parts.get("index") is None:  # … whose rows have the model's name on them
        parts["embeddings"] = None
    return AgentMemory(**parts)


def counted_at(place: str, redis: str | None = None, prefix: str | None = None) -> AgentMemory:
    """Return the memory at a place for commands that only count, which takes no keys where it is sealed."""
    parts = parts_at(place, redis, prefix)
    found = run(peek(parts["database"]))
    _check_there(place, found)
    _check_schema(found)
    return AgentMemory(**without_keys(parts))


def without_keys(parts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a memory that neither opens what is sealed, nor embeds, nor writes."""
    options = parts["options"]
    for it in filter(None, (parts["database"], parts["redis"])):
        it.marks.is_waived = options.vault is None
    return {**parts, "embeddings": None, "index": None, "options": replace(options, mode="frozen", index_options={})}


def current(place: str, parts: dict[str, Any], *, may_make: bool = False, only_looks: bool = False) -> dict[str, Any]:
    """Return the parts of a memory that is opened as it is: looking at it is no migration, and makes no table.

    Args:
        place: As the command is told it.
        parts: Of its memory.
        may_make: The first command that writes may make the memory of a configuration.
        only_looks: The command adds nothing to a log.

    Raises:
        MigrationError: An earlier release wrote it.
        ConfigurationError: The database has no memory in it; or it is sealed, and nothing names the keys; or its logs
            are signed, and nothing names the key that a command which writes would need.
    """
    found = run(peek(parts["database"]))
    if not (may_make and is_configuration(place)):
        _check_there(place, found)
    _check_schema(found)
    _check_keys(place, parts, found)
    if not only_looks:
        _check_audit_key(place, parts, found)
    return parts


def opened(place: str, parts: dict[str, Any]) -> dict[str, Any]:
    """Return the parts of a memory that is made, or brought to the schema of this version, where it is not yet.

    Raises:
        ConfigurationError: It is sealed, or its logs are signed, and nothing names the keys.
    """
    found = run(peek(parts["database"]))
    _check_keys(place, parts, found)
    _check_audit_key(place, parts, found)
    return parts


def _check_there(place: str, found: Peeked) -> None:
    if found.revision is None:
        where = f"the database of {place}" if is_configuration(place) else _named(place)
        msg = f"{where} has no memory in it: none of our tables; name the database of an agent's memory"
        raise ConfigurationError(msg)


def _check_schema(found: Peeked) -> None:
    if found.revision is not None and found.revision < HEAD:
        remedy = "`agentmem migrate` changes it, for good"
        msg = f"the database has schema {found.revision!r}, this version {HEAD!r}; {remedy}"
        raise MigrationError(msg)


def _check_keys(place: str, parts: Mapping[str, Any], found: Peeked) -> None:
    if not found.is_sealed or parts["options"].vault is not None:
        return
    if is_configuration(place):
        msg = f"the database of {place} is sealed; write the vault: that sealed it into {place}, such as vault: keys"
    else:
        msg = f"{_named(place)} is sealed: its words open with its keys alone; {_with_vault(place)}"
    raise ConfigurationError(msg)


def _check_audit_key(place: str, parts: Mapping[str, Any], found: Peeked) -> None:
    """See that what a command writes is signed where the rest is: to `verify` it would be what somebody forged."""
    if not found.is_signed or parts["options"].audit_key is not None:
        return
    signed = "logs are signed with an audit_key, and what is written without it breaks what the key vouches for"
    if is_configuration(place):
        msg = f"the database of {place}: its {signed}; write audit_key: ${{NAME}} into {place}"
    else:
        msg = f"{_named(place)}: its {signed}; {_with_section(place, 'audit_key:', 'audit_key: ${NAME}')}"
    raise ConfigurationError(msg)


def _with_vault(place: str) -> str:
    return _with_section(place, "vault:", "vault: keys")


def _with_section(place: str, section: str, written: str) -> str:
    says = "sql: its URL" if "://" in place else f"path: {place}"
    return (
        f"name the YAML with its {section} section instead, such as agentmem list agentmem.yaml --user NAME, where "
        f"agentmem.yaml says {says} and {written}"
    )


def _named(place: str) -> str:
    """Return a place for messages: a URL may hold a password."""
    return "this database" if "://" in place else place


def existing(path: Path) -> Path:
    """Return the path of a file that is there.

    Raises:
        ConfigurationError: It is not.
    """
    if not path.is_file():
        found = "is a folder" if path.is_dir() else "does not exist"
        said = f"{path} {found}" if path.parts else "'' is no path"
        msg = f"{said}; name the SQLite file of an agent's memory"
        raise ConfigurationError(msg)
    return path
