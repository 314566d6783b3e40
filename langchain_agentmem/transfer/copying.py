"""Threads from one checkpointer to another, through the interface that all of them have."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeAlias

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointTuple,
    PendingWrite,
)

from langchain_agentmem._checks import check_chosen, check_flag, check_instance
from langchain_agentmem._flow import Flow, flows_of, step
from langchain_agentmem.checkpoint.stored import StoredSaver
from langchain_agentmem.checkpoints.setting import SEES_PRUNED
from langchain_agentmem.errors import ConfigurationError, IntegrityError, StorageError

Saver: TypeAlias = BaseCheckpointSaver[Any]
TaskPaths: TypeAlias = Mapping[str, str]
"""The path of each task: its place in LangGraph's plan of a step."""

Key: TypeAlias = tuple[str, str]
"""A checkpoint inside its thread: namespace and id."""

_FIELDS: Final = (*Checkpoint.__annotations__, "pending_sends")
"""Of a checkpoint, in LangGraph's words; the saver on Redis adds one of its own, and old releases had the last."""

LISTING_LIMIT: Final = 1_000_000
"""The most that a search in Redis gives back; without a limit the saver on it stops at 10,000 and does not say so."""

_WHOLE: Final = {SEES_PRUNED: True}
_PATH_DIGITS: Final = 6
"""Of the places that stand in for task paths: they must sort as text."""


class Glance(NamedTuple):
    """What a listing tells of a checkpoint, its content apart.

    Attributes:
        is_head: Whether a run that names no checkpoint of its namespace goes on from it.
    """

    parent_id: str | None
    versions: ChannelVersions
    writes: int
    is_head: bool = False


Survey: TypeAlias = dict[Key, Glance]


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadRefusal:
    """A thread that was not copied, and why; nothing of it was left in the target that was not there before.

    A damaged source cannot be listed, and has no `checkpoints` then.
    """

    thread_id: str
    reason: str
    checkpoints: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer:
    """An account of copied threads: `found` is the sum of `added`, `present` and the checkpoints refused.

    Attributes:
        threads: Threads that the target has now, or would have after a dry run.
        found: Checkpoints of all threads that were looked at.
        added: Checkpoints that were put, or would be.
        present: Checkpoints that the target had already.
        writes: Pending writes that were put, or would be.
        refused: Threads that were not copied.
    """

    threads: int = 0
    found: int = 0
    added: int = 0
    present: int = 0
    writes: int = 0
    refused: tuple[ThreadRefusal, ...] = ()
    dry_run: bool = False


@dataclass(slots=True)
class Tally:
    """The account while it grows."""

    threads: int = 0
    found: int = 0
    added: int = 0
    present: int = 0
    writes: int = 0
    refused: list[ThreadRefusal] = field(default_factory=list)

    def count(self, missing: Missing) -> None:
        """Count a thread that was copied."""
        self.threads += 1
        self.added += len(missing.checkpoints)
        self.present += missing.present
        self.writes += missing.writes

    def refuse(self, thread_id: str, reason: str, checkpoints: int) -> None:
        """Count a thread that was not."""
        self.refused.append(ThreadRefusal(thread_id=thread_id, reason=reason, checkpoints=checkpoints))

    def account(self, *, dry_run: bool) -> Transfer:
        """Return the account as it stands."""
        return Transfer(
            threads=self.threads,
            found=self.found,
            added=self.added,
            present=self.present,
            writes=self.writes,
            refused=tuple(self.refused),
            dry_run=dry_run,
        )


class Missing(NamedTuple):
    """What a target lacks of a thread."""

    checkpoints: frozenset[Key]
    with_writes: frozenset[Key]
    present: int
    writes: int


def copy(source: Saver, target: Saver, thread_ids: Collection[str] | None, *, dry_run: bool) -> Flow[Transfer]:
    """Copy threads; see `copy_checkpoints`."""
    check_saver("source", source)
    check_saver("target", target)
    check_flag("dry_run", dry_run)
    chosen = check_chosen("thread_ids", thread_ids)
    tally = Tally()
    for thread_id in (yield from _threads(source)) if chosen is None else chosen:
        yield from _copy_thread(source, target, thread_id, tally, is_named=chosen is not None, dry_run=dry_run)
    return tally.account(dry_run=dry_run)


def _copy_thread(
    source: Saver, target: Saver, thread_id: str, tally: Tally, *, is_named: bool, dry_run: bool
) -> Flow[None]:
    there: Survey = {}
    here: Survey | None = None
    try:
        there = yield from survey(source, thread_id)
        if not there and not is_named:
            return  # it was bound to a user, and has not begun
        here = yield from survey(target, thread_id)
        missing = compare(thread_id, there, here)
        if not dry_run:
            yield from _bring(source, target, thread_id, there, missing)
    except (ConfigurationError, IntegrityError) as error:
        if there and here == {} and not dry_run:
            yield from take_away(target, thread_id, there)
        tally.refuse(thread_id, str(error), len(there))
    else:
        tally.count(missing)
    tally.found += len(there)


def _bring(source: Saver, target: Saver, thread_id: str, there: Survey, missing: Missing) -> Flow[None]:
    for key in in_order(there):
        if key in missing.checkpoints or key in missing.with_writes:
            found = yield from fetch(source, thread_id, key, there[key].writes)
            parent = there.get((key[0], there[key].parent_id or ""))
            if key in missing.checkpoints:
                yield from put(target, thread_id, found, {} if parent is None else parent.versions)
            yield from put_writes(target, thread_id, found, (yield from paths_of(source, thread_id, key)))
    yield from set_heads(target, thread_id, there)


# ------------------------------------------------------------------------------------------------------------- reading
def survey(saver: Saver, thread_id: str) -> Flow[Survey]:
    """Return what there is of a thread, in all of its namespaces."""
    config: RunnableConfig = {"configurable": {"thread_id": thread_id, **_WHOLE}}
    listed = yield from step(_list, _alist, saver, config, _glance)
    found = {key: glance for found_id, key, glance in listed if found_id == thread_id}  # some compare ids without case
    heads = yield from _heads(saver, thread_id, found)
    return {key: glance._replace(is_head=heads.get(key[0]) == key[1]) for key, glance in found.items()}


def _heads(saver: Saver, thread_id: str, found: Survey) -> Flow[Mapping[str, str]]:
    """Return from which checkpoint of each namespace a run goes on; who is asked only where it can be in doubt."""
    if isinstance(saver, StoredSaver):
        return (yield from flows_of(saver).heads(thread_id)) if found else {}
    heads = dict(sorted(found))  # of each namespace the largest id
    ends = found.keys() - {(ns, glance.parent_id) for (ns, _), glance in found.items()}
    for ns in {ns for ns, _ in ends ^ set(heads.items())}:
        latest = yield from step(saver.get_tuple, saver.aget_tuple, _config(thread_id, ns, None))
        if latest is not None:
            heads[ns] = latest.checkpoint["id"]
    return heads


def fetch(saver: Saver, thread_id: str, key: Key, writes: int) -> Flow[CheckpointTuple]:
    """Return one checkpoint with its content, and with as many writes as its listing had.

    Raises:
        StorageError: It has been deleted since the listing.
    """
    config = _config(thread_id, *key)
    found = yield from step(saver.get_tuple, saver.aget_tuple, config)
    if found is not None and len(found.pending_writes or ()) < writes:  # LangGraph's saver on Redis finds fewer so
        listed = yield from step(_list, _alist, saver, config, lambda it: it)
        same = (it for it in listed if _glance(it)[:2] == (thread_id, key))
        found = found._replace(pending_writes=next(same, found).pending_writes)  # the listing's values are less
    if found is None:
        msg = f"checkpoint {key[1]!r} of thread {thread_id!r} went while the thread was read; call again"
        raise StorageError(msg, is_retryable=True)
    checkpoint: Any = {name: value for name, value in found.checkpoint.items() if name in _FIELDS}
    return found._replace(checkpoint=checkpoint)


def paths_of(saver: Saver, thread_id: str, key: Key) -> Flow[TaskPaths]:
    """Return the paths of the tasks that wrote to a checkpoint; only our own checkpointers tell them."""
    if not isinstance(saver, StoredSaver):
        return {}
    return (yield from flows_of(saver).task_paths(thread_id, key))


def in_order(found: Survey) -> list[Key]:
    """Return the keys in the order of their ids, but a parent always before its children."""
    placed: dict[Key, None] = {}
    for key in sorted(found, key=lambda key: (key[1], key[0])):
        chain = []
        step_up: Key | None = key
        while step_up is not None and step_up in found and step_up not in placed and step_up not in chain:
            chain.append(step_up)
            parent_id = found[step_up].parent_id
            step_up = None if parent_id is None else (step_up[0], parent_id)
        placed |= dict.fromkeys(reversed(chain))
    return list(placed)


def compare(thread_id: str, there: Survey, here: Survey) -> Missing:
    """Return what of a thread is not here yet.

    Raises:
        ConfigurationError: There is no such thread, or the one here has gone a way of its own.
    """
    if not there:
        msg = f"the source has no thread {thread_id!r}; check its id"
        raise ConfigurationError(msg)
    if here.keys() - there.keys():
        msg = f"thread {thread_id!r} has other checkpoints in the target; delete it there first, or take another id"
        raise ConfigurationError(msg)
    checkpoints = frozenset(there.keys() - here.keys())
    more = {key: found.writes - (here[key].writes if key in here else 0) for key, found in there.items()}
    return Missing(
        checkpoints=checkpoints,
        with_writes=frozenset(key for key, count in more.items() if count > 0),
        present=len(there) - len(checkpoints),
        writes=sum(count for count in more.values() if count > 0),
    )


def check_saver(name: str, saver: object) -> None:
    """Raise `ConfigurationError` unless it is a checkpointer."""
    check_instance(name, saver, BaseCheckpointSaver)


def _threads(saver: Saver) -> Flow[list[str]]:
    if isinstance(saver, StoredSaver):
        return (yield from flows_of(saver).every_thread())
    listed = yield from step(_list, _alist, saver, None, _thread_of)
    return sorted(set(listed))


def _list(saver: Saver, config: RunnableConfig | None, look: Callable[[CheckpointTuple], Any]) -> list[Any]:
    return [look(found) for found in saver.list(config, limit=LISTING_LIMIT)]


async def _alist(saver: Saver, config: RunnableConfig | None, look: Callable[[CheckpointTuple], Any]) -> list[Any]:
    return [look(found) async for found in saver.alist(config, limit=LISTING_LIMIT)]


def _thread_of(found: CheckpointTuple) -> str:
    return str(found.config["configurable"]["thread_id"])


def _glance(found: CheckpointTuple) -> tuple[str, Key, Glance]:
    key = (found.config["configurable"].get("checkpoint_ns", ""), found.checkpoint["id"])
    parent = None if found.parent_config is None else found.parent_config["configurable"].get("checkpoint_id")
    versions = dict(found.checkpoint["channel_versions"])
    return _thread_of(found), key, Glance(parent or None, versions, len(found.pending_writes or ()))


# ------------------------------------------------------------------------------------------------------------- writing
def put(saver: Saver, thread_id: str, found: CheckpointTuple, parent_versions: ChannelVersions) -> Flow[None]:
    """Put a checkpoint as it was; channels whose version is the parent's are stored with the parent."""
    _, (ns, _), glance = _glance(found)
    new = {name: version for name, version in glance.versions.items() if parent_versions.get(name) != version}
    config = _config(thread_id, ns, glance.parent_id)
    yield from step(saver.put, saver.aput, config, found.checkpoint, found.metadata, new)


def put_writes(saver: Saver, thread_id: str, found: CheckpointTuple, paths: TaskPaths) -> Flow[None]:
    """Put the pending writes of a checkpoint by the paths of their tasks, which order them and what comes later.

    Where nobody tells a path, the place stands in for it: that keeps the order of what is there.
    """
    _, (ns, checkpoint_id), _ = _glance(found)
    config = _config(thread_id, ns, checkpoint_id)
    for place, (task_id, writes) in enumerate(_by_task(found.pending_writes or ()).items()):
        path = paths.get(task_id, f"{place:0{_PATH_DIGITS}}")
        for some in writes:
            yield from step(saver.put_writes, saver.aput_writes, config, some, task_id, path)


def _by_task(writes: Iterable[PendingWrite]) -> Mapping[str, list[list[tuple[str, Any]]]]:
    """Return the writes of each task: those with a place of their own each alone, the others together."""
    tasks: dict[str, list[list[tuple[str, Any]]]] = {}
    for task_id, channel, value in writes:
        calls = tasks.setdefault(task_id, [])
        if channel in WRITES_IDX_MAP:
            calls.insert(0, [(channel, value)])
        elif calls and calls[-1][0][0] not in WRITES_IDX_MAP:
            calls[-1].append((channel, value))
        else:
            calls.append([(channel, value)])
    return tasks


def set_heads(saver: Saver, thread_id: str, brought: Survey) -> Flow[None]:
    """Let a thread stand where it stood; only our own checkpointers can, others take the largest id for the latest."""
    heads = {ns: id for (ns, id), glance in brought.items() if glance.is_head}
    if heads and isinstance(saver, StoredSaver):
        yield from flows_of(saver).set_heads(thread_id, heads, brought.keys())


def take_away(saver: Saver, thread_id: str, brought: Survey) -> Flow[None]:
    """Delete a thread of which some was brought, unless somebody else began to use it meanwhile: theirs stays."""
    if (yield from survey(saver, thread_id)).keys() <= brought.keys():
        yield from step(saver.delete_thread, saver.adelete_thread, thread_id)


def _config(thread_id: str, ns: str, checkpoint_id: str | None) -> RunnableConfig:
    configurable = {"thread_id": thread_id, "checkpoint_ns": ns, **_WHOLE}
    return {"configurable": configurable if checkpoint_id is None else {**configurable, "checkpoint_id": checkpoint_id}}
