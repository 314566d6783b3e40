"""Messages as plain JSON: a list of them, a file that holds such a list, or a file with one in each line."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from langchain_core.messages import BaseMessage

from langchain_agentmem._flow import Flow, work
from langchain_agentmem.errors import ConfigurationError, StorageError
from langchain_agentmem.migrate.moving import Source, Stored
from langchain_agentmem.migrate.redis_sources import parsed

Messages: TypeAlias = str | os.PathLike[str] | Iterable[Mapping[str, Any] | BaseMessage]
"""A file's path, or the messages themselves."""


class JSONSource(Source):
    """One conversation; its session has no name of its own."""

    name = "json"

    def __init__(self, messages: Messages) -> None:
        """No I/O."""
        if isinstance(messages, Mapping | bytes | bytearray) or not isinstance(messages, str | os.PathLike | Iterable):
            msg = f"messages must be a path, or a list of messages, got {type(messages).__name__}"
            raise ConfigurationError(msg)
        if isinstance(messages, str) and messages.lstrip().startswith(("[", "{")):
            msg = "messages is JSON text where a path is meant; pass json.loads(text), or the path of a file"
            raise ConfigurationError(msg)
        self._messages = messages

    def sessions(self) -> Flow[list[str]]:
        """Return the one session."""
        yield from ()
        return [""]

    def read(self, session_id: str) -> Flow[list[Stored]]:
        """Read the file, or take the messages as they are."""
        if isinstance(self._messages, str | os.PathLike):
            return (yield from work(_read_file, Path(self._messages)))
        return [Stored(form) for form in self._messages]


def _read_file(path: Path) -> list[Stored]:
    try:
        text = path.read_text("utf-8-sig")  # editors and Windows begin a file with a byte order mark
    except UnicodeDecodeError as error:
        msg = f"{str(path)!r} is no text in UTF-8; convert it first"
        raise ConfigurationError(msg) from error
    except (OSError, ValueError) as error:  # ValueError: no path can hold NUL
        msg = f"{str(path)!r} cannot be read ({type(error).__name__}); check the path and its permissions"
        raise StorageError(msg) from error
    whole = _whole(text)
    if whole is None:  # splitlines() would also cut at what may stand in JSON text, such as U+2028
        return [parsed(line) for line in text.split("\n") if line.strip()]
    return [Stored(form) for form in whole]


def _whole(text: str) -> list[Any] | None:
    """Return the list that a text is, also under `messages` of an object; `None`: each of its lines is a message."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, dict) and isinstance(value.get("messages"), list):
        return list(value["messages"])
    return value if isinstance(value, list) else [value]
