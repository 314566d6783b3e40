"""Conversations in bulk: from a file into episodes, a batch at a time, with a bar that shows how far it is.

A file of lines holds one message per line, as a JSON object: `role` (`user`, `assistant`, `system`, `tool`) and
`content`; and optionally `session`, `name`, `at` (ISO 8601; without an offset it is read as UTC) and `id`. The lines
of a session stand together, in order. It is read as it is needed, whatever its size.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import blake2b
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from typer import Argument, Option

from langchain_agentmem.demo.locomo import Conversation, load_conversation
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.memory import AgentMemory
from langchain_agentmem.types import IngestReport, Scope

DEFAULT_SESSION: Final = "imported"
LINE: Final = '{"role": "user" or "assistant", "content": "…"}, and "session", "at", "id", "name" where they are known'
_LINES: Final = f"The file has one message per line, as a JSON object: {LINE}."
_SAID_AT: Final = "said_at"
_SHOWN: Final = 40
_ROLES: Final[dict[str, type[BaseMessage]]] = {
    "user": HumanMessage,
    "human": HumanMessage,
    "assistant": AIMessage,
    "ai": AIMessage,
    "system": SystemMessage,
    "tool": SystemMessage,  # no part of any turn, as little as an instruction is
}


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestOptions:
    """Options of the command `ingest`.

    Raises:
        ConfigurationError: Not exactly one format is named, or `sample` goes with lines.
    """

    file: Annotated[Path, Argument(metavar="FILE", help="The file to read.")]
    into: Annotated[
        str,
        Option(metavar="PLACE", help="A SQLite file (made where it is missing), a URL, or a configuration."),
    ]
    user: Annotated[str, Option(help="Whose conversations they are.")]
    tenant: Annotated[str, Option(help="The user's tenant.")] = "default"
    locomo: Annotated[bool, Option("--locomo", help="The file has the LoCoMo format (.json, .json.xz).")] = False
    jsonl: Annotated[bool, Option("--jsonl", help=_LINES)] = False
    sample: Annotated[int | None, Option(metavar="N", help="Which conversation of a LoCoMo file, from 1.")] = None
    consented: Annotated[bool, Option("--consented", help="Record first that the user has agreed.")] = False
    words_only: Annotated[bool, Option("--words-only", help="Without an embedding model: searched by words.")] = False

    def __post_init__(self) -> None:
        """Refuse what is not clear."""
        if self.locomo == self.jsonl:
            msg = "name the format of the file: --locomo or --jsonl"
            raise ConfigurationError(msg)
        if self.jsonl and self.sample is not None:
            msg = "--sample chooses among the conversations of a LoCoMo file; leave it out with --jsonl"
            raise ConfigurationError(msg)

    @property
    def scope(self) -> Scope:
        """Whose conversations they are."""
        return Scope(self.user, tenant_id=self.tenant)


class Session(NamedTuple):
    """One conversation: its name, and its messages, read as they are needed."""

    id: str
    messages: Iterable[BaseMessage]


@dataclass(slots=True)
class Bulk:
    """Counts what was read while it is ingested."""

    bar: Progress
    task: TaskID
    read: int = 0
    report: IngestReport = field(default_factory=IngestReport)

    def counted(self, messages: Iterable[BaseMessage]) -> Iterator[BaseMessage]:
        """Give messages, and count them."""
        for message in messages:
            self.read += 1
            yield message

    def show(self, _report: IngestReport | None = None) -> None:
        """Show how far it is."""
        self.bar.update(self.task, completed=self.read)


def ingest(options: IngestOptions, memory: AgentMemory, bar: Progress) -> tuple[IngestReport, float]:
    """Ingest a file; return what became of its turns, and how many seconds it took."""
    total, sessions = _lines(options.file) if options.jsonl else _locomo(options.file, options.sample)
    started = time.perf_counter()
    with bar:
        if options.consented:
            memory.consent.grant(options.scope, reason="said so on the command line")
        bulk = Bulk(bar, bar.add_task("messages", total=total))
        for session in sessions:
            scope = replace(options.scope, session_id=session.id)
            messages = bulk.counted(session.messages)
            bulk.report += memory.episodes.ingest(messages, scope=scope, at=_said_at, progress=bulk.show)
            bulk.show()
    return bulk.report, time.perf_counter() - started


def progress_bar(**settings: Any) -> Progress:
    """Return a bar with a count, and the time that is left."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, **settings)


def _said_at(message: BaseMessage) -> datetime:
    at: datetime = message.additional_kwargs[_SAID_AT]
    return at


# ----------------------------------------------------------------------------------------------------------- the files
def _locomo(path: Path, sample: int | None) -> tuple[int, Iterator[Session]]:
    conversation = load_conversation(path, sample)
    return sum(len(talk.turns) for talk in conversation.talks), _talks(conversation)


def _talks(conversation: Conversation) -> Iterator[Session]:
    now = datetime.now(UTC)
    for talk in conversation.talks:
        at = {_SAID_AT: talk.at or now}
        messages = (HumanMessage(it.text, name=it.speaker, id=it.id, additional_kwargs=at) for it in talk.turns)
        yield Session(f"{conversation.name}/{talk.number}", messages)


def _lines(path: Path) -> tuple[int, Iterator[Session]]:
    try:
        with path.open("rb") as file:
            total = sum(1 for line in file if line.strip())
    except OSError as error:
        msg = f"{path} cannot be read ({error.strerror}); name a file with one message per line"
        raise ConfigurationError(msg) from error
    groups = groupby(_messages(path), key=lambda it: it[0])
    return total, (Session(session, (message for _, message in group)) for session, group in groups)


def _messages(path: Path) -> Iterator[tuple[str, BaseMessage]]:
    before: Counter[str] = Counter()
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                try:
                    yield _message(path.name, json.loads(line), before)
                except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
                    msg = f"{path}, line {number}, is no message ({_named(error)}); write {LINE}"
                    raise ConfigurationError(msg) from error


def _message(file: str, line: dict[str, Any], before: Counter[str]) -> tuple[str, BaseMessage]:
    session, role, content = str(line.get("session") or DEFAULT_SESSION), str(line["role"]), line["content"]
    if role not in _ROLES:
        msg = f"role {role[:_SHOWN]!r} is none of {', '.join(_ROLES)}"
        raise _NoMessageError(msg)
    known = {_SAID_AT: _time(line["at"]) if line.get("at") else datetime.now(UTC)}
    id_ = str(line.get("id") or _name(before, file, session, role, str(content), line.get("at")))
    return session, _ROLES[role](content, id=id_, name=line.get("name"), additional_kwargs=known)


class _NoMessageError(ValueError):
    """Why a line is none, without a word of what was said."""


def _time(told: object) -> datetime:
    try:
        at = datetime.fromisoformat(str(told))
    except ValueError as error:
        msg = "at is no time as ISO 8601 writes it, such as 2026-05-07T09:30:00+02:00"
        raise _NoMessageError(msg) from error
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _named(error: Exception) -> str:
    """Return what is wrong with a line: the role or field, or the place in it; no other word of what was said."""
    if isinstance(error, _NoMessageError):
        return str(error)
    if isinstance(error, KeyError):
        return f"it has no {error.args[0]}"
    told = f": {error}" if isinstance(error, json.JSONDecodeError) else ""
    return f"{type(error).__name__}{told}"


def _name(before: Counter[str], *parts: object) -> str:
    """Return an id for a line that has none: the same line of a file has it again, wherever line and file stand.

    A file is known by its name. What is said in it more than once has an id for each time: a file may grow at either
    end, and only what is new in it is.
    """
    said = blake2b(repr(parts).encode("utf-8", "replace"), digest_size=16).hexdigest()
    before[said] += 1
    return f"line-{said}-{before[said]}"
