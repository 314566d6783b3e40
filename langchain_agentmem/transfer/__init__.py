"""Move LangGraph threads whole, and working states: from one store to another, into a file, and out of it.

A thread is its whole history: every checkpoint of every namespace with its parent and metadata, and every pending write
in its order. Any checkpointer of LangGraph can be source and target. Threads are known by their ids; whose they are has
to be said to the target (`saver.bind(thread_id, scope=…)` of ours), before a copy where it has a vault.

Working states are those of one user, or of one visitor's conversation, and need no more than their scope.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver

from langchain_agentmem._checks import check_flag, check_text
from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.transfer.copying import ThreadRefusal, Transfer, check_saver, copy
from langchain_agentmem.transfer.files import read_thread, write_thread
from langchain_agentmem.transfer.lines import LineCodec
from langchain_agentmem.transfer.working import WorkingTransfer, copy_states, read_states, write_states
from langchain_agentmem.types import Scope
from langchain_agentmem.working.service import WorkingMemory

__all__ = [
    "ThreadRefusal",
    "Transfer",
    "WorkingTransfer",
    "acopy_checkpoints",
    "acopy_working",
    "aexport_thread",
    "aexport_working",
    "aimport_thread",
    "aimport_working",
    "copy_checkpoints",
    "copy_working",
    "export_thread",
    "export_working",
    "import_thread",
    "import_working",
]


def copy_checkpoints(
    source: BaseCheckpointSaver[Any],
    target: BaseCheckpointSaver[Any],
    thread_ids: Collection[str] | None = None,
    *,
    dry_run: bool = False,
) -> Transfer:
    """Copy threads with their whole history from one checkpointer to another.

    A second run adds nothing, or what came since; a run that was broken off goes on. A thread that has checkpoints in
    the target which the source does not have is refused: two histories do not become one. A thread that holds what the
    target does not take is refused as well, and taken away again; so is a damaged one, and the others are copied.

    A copy stands where its source stands, whatever the clocks said that its ids were made by. In a target that is not
    ours the largest id of a namespace is the latest checkpoint: there it stands at that.

    Args:
        source: `InMemorySaver`, `SqliteSaver`, `PostgresSaver`, `RedisSaver`, ours, or any other. The awaitable twin
            takes checkpointers that can be awaited.
        target: Likewise.
        thread_ids: Which threads; `None`: all.
        dry_run: Write nothing. What the target does not take shows only when it is written.

    Raises:
        ConfigurationError: An argument has a value that cannot work.
        StorageError: Of our checkpointers; others raise what they raise. The same call goes on.
    """
    return run(copy(source, target, thread_ids, dry_run=dry_run))


async def acopy_checkpoints(
    source: BaseCheckpointSaver[Any],
    target: BaseCheckpointSaver[Any],
    thread_ids: Collection[str] | None = None,
    *,
    dry_run: bool = False,
) -> Transfer:
    """Copy threads with their whole history; see `copy_checkpoints`."""
    return await arun(copy(source, target, thread_ids, dry_run=dry_run))


def export_thread(
    saver: BaseCheckpointSaver[Any],
    thread_id: str,
    file: str | os.PathLike[str],
    *,
    allowed_types: Sequence[type] = (),
    sealed: bool | None = None,
) -> Transfer:
    """Write a thread into a file of JSON lines, which appears when it is whole, readable by its owner only.

    The first line names format and thread, each other line is a checkpoint; what JSON knows can be read in it, and
    where a run goes on from. Where
    the checkpointer has a vault, each of these is sealed with the key of the thread's user, bound to its place.

    Args:
        saver: Any checkpointer.
        thread_id: Which thread.
        file: Where to; a file that is there is replaced.
        allowed_types: Classes in the thread's state beyond plain data, messages, documents, and those that the
            checkpointer was given by name.
        sealed: Whether it is sealed; `None`: where there is a vault. `False`: whoever has the file reads it.

    Raises:
        ConfigurationError: The state holds a class that is not allowed; the message names it. Or there is no vault to
            seal with.
        NotFoundError: There is no such thread.
        StorageError: The file cannot be written, or the checkpointer failed.
    """
    return run(_export(saver, thread_id, file, allowed_types, sealed=sealed))


async def aexport_thread(
    saver: BaseCheckpointSaver[Any],
    thread_id: str,
    file: str | os.PathLike[str],
    *,
    allowed_types: Sequence[type] = (),
    sealed: bool | None = None,
) -> Transfer:
    """Write a thread into a file of JSON lines; see `export_thread`."""
    return await arun(_export(saver, thread_id, file, allowed_types, sealed=sealed))


def import_thread(
    saver: BaseCheckpointSaver[Any],
    file: str | os.PathLike[str],
    *,
    thread_id: str | None = None,
    allowed_types: Sequence[type] = (),
    dry_run: bool = False,
) -> Transfer:
    """Read a thread from a file that `export_thread` wrote: all of it or, where that fails, nothing.

    The file is checked from end to end before anything is put. Its digests find damage, not forgery: import files that
    you trust to tell the truth. Whoever wrote it, nothing is constructed from it but plain data, LangChain's messages
    and documents, and the types you allow.

    Args:
        saver: Any checkpointer.
        file: What to read.
        thread_id: Another name for the thread; by default the one it had.
        allowed_types: As of the export.
        dry_run: Only check the file, to its last value, and count.

    Raises:
        ConfigurationError: The file is of a later version, it is sealed and the checkpointer has no vault, or the
            thread has other checkpoints here.
        IntegrityError: The file is damaged, or sealed with another user's key; the message names the line.
        ScopeError: It is sealed, and the thread is not bound to anybody here (`saver.bind`).
        StorageError: The file cannot be read, or the checkpointer failed; a thread of which there was a part before
            keeps what was put until then, and the same call goes on.
    """
    return run(_import(saver, file, thread_id, allowed_types, dry_run=dry_run))


async def aimport_thread(
    saver: BaseCheckpointSaver[Any],
    file: str | os.PathLike[str],
    *,
    thread_id: str | None = None,
    allowed_types: Sequence[type] = (),
    dry_run: bool = False,
) -> Transfer:
    """Read a thread from a file; see `import_thread`."""
    return await arun(_import(saver, file, thread_id, allowed_types, dry_run=dry_run))


def copy_working(
    source: WorkingMemory, target: WorkingMemory, *, scope: Scope, dry_run: bool = False
) -> WorkingTransfer:
    """Copy the working states of a user from one store to another, say from SQLite to Redis; reading changes nothing.

    A second run adds nothing, or what came since. A task that is there already, and is another or went on, stays as it
    is there. In the target a state begins at version 1, with the life that states have there.

    Args:
        source: `memory.working` of one memory.
        target: Of another one.
        scope: Whose; its session narrows nothing, but a visitor's state is that of one session.
        dry_run: Write nothing.

    Raises:
        ConfigurationError: An argument has a value that cannot work.
        GovernanceError: The target's memory is `frozen` or `off`.
        StorageError: Of either; the same call goes on.
    """
    return run(copy_states(source, target, scope, dry_run=dry_run))


async def acopy_working(
    source: WorkingMemory, target: WorkingMemory, *, scope: Scope, dry_run: bool = False
) -> WorkingTransfer:
    """Copy the working states of a user; see `copy_working`."""
    return await arun(copy_states(source, target, scope, dry_run=dry_run))


def export_working(
    working: WorkingMemory, file: str | os.PathLike[str], *, scope: Scope, sealed: bool | None = None
) -> WorkingTransfer:
    """Write the working states of a user into a file of JSON lines, which appears when it is whole.

    Each line but the first is a state with the id of its conversation; whose it is, the file does not say. Where the
    store has a vault, each of these is sealed with the user's key, bound to its place.

    Args:
        working: `memory.working`.
        file: Where to; a file that is there is replaced.
        scope: Whose.
        sealed: Whether it is sealed; `None`: where there is a vault. `False`: whoever has the file reads it.

    Raises:
        ConfigurationError: There is no vault to seal with.
        IntegrityError: A stored state cannot be read.
        StorageError: The file cannot be written, or the store failed.
    """
    return run(write_states(working, scope, _path(file), sealed=sealed))


async def aexport_working(
    working: WorkingMemory, file: str | os.PathLike[str], *, scope: Scope, sealed: bool | None = None
) -> WorkingTransfer:
    """Write the working states of a user into a file; see `export_working`."""
    return await arun(write_states(working, scope, _path(file), sealed=sealed))


def import_working(
    working: WorkingMemory, file: str | os.PathLike[str], *, scope: Scope, dry_run: bool = False
) -> WorkingTransfer:
    """Read working states from a file that `export_working` wrote, as those of a user; see `copy_working` for the rest.

    The file is checked from end to end before anything is put.

    Args:
        working: `memory.working`.
        file: What to read.
        scope: Whose they are to be.
        dry_run: Only check the file, and count.

    Raises:
        ConfigurationError: The file is of a later version, or it is sealed and there is no vault.
        GovernanceError: Memory is `frozen` or `off`.
        IntegrityError: The file is damaged, or sealed with another user's key; the message names the line.
        StorageError: The file cannot be read, or the store failed; the same call goes on.
    """
    return run(read_states(working, _path(file), scope, dry_run=dry_run))


async def aimport_working(
    working: WorkingMemory, file: str | os.PathLike[str], *, scope: Scope, dry_run: bool = False
) -> WorkingTransfer:
    """Read working states from a file; see `import_working`."""
    return await arun(read_states(working, _path(file), scope, dry_run=dry_run))


def _path(file: str | os.PathLike[str]) -> Path:
    if isinstance(file, str | os.PathLike):
        return Path(file)
    msg = f"file must be a path, got {type(file).__name__}; for example 'thread.jsonl'"
    raise ConfigurationError(msg)


def _export(
    saver: BaseCheckpointSaver[Any],
    thread_id: str,
    file: str | os.PathLike[str],
    allowed_types: Sequence[type],
    *,
    sealed: bool | None,
) -> Flow[Transfer]:
    check_saver("saver", saver)
    check_text("thread_id", thread_id)
    if sealed is not None:
        check_flag("sealed", sealed)
    codec = LineCodec(allowed_types, saver.serde)
    return (yield from write_thread(saver, thread_id, _path(file), codec, sealed=sealed))


def _import(
    saver: BaseCheckpointSaver[Any],
    file: str | os.PathLike[str],
    thread_id: str | None,
    allowed_types: Sequence[type],
    *,
    dry_run: bool,
) -> Flow[Transfer]:
    check_saver("saver", saver)
    check_flag("dry_run", dry_run)
    codec = LineCodec(allowed_types, saver.serde)
    return (yield from read_thread(saver, _path(file), thread_id, codec, dry_run=dry_run))
