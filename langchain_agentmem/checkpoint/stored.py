"""LangGraph's checkpointer over stored threads: every capability, one class for both colours."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
)
from langgraph.checkpoint.serde.base import SerializerProtocol

from langchain_agentmem._closing import Closing
from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem.checkpoint.arguments import (
    address_of,
    check_ids,
    config_after,
    listing,
    put_of,
    run_id_of,
)
from langchain_agentmem.checkpoint.flows import SaverFlows
from langchain_agentmem.checkpoint.runs import ForRuns
from langchain_agentmem.checkpoint.threads import ThreadMethods
from langchain_agentmem.checkpoints import keeping as whole
from langchain_agentmem.checkpoints.base import Threads
from langchain_agentmem.checkpoints.content import Codec
from langchain_agentmem.checkpoints.deltas import delta_history
from langchain_agentmem.checkpoints.following import Follower
from langchain_agentmem.checkpoints.known import Cache
from langchain_agentmem.checkpoints.lookups import get_tuple
from langchain_agentmem.checkpoints.setting import Setting, check_thread
from langchain_agentmem.checkpoints.versions import next_version
from langchain_agentmem.checkpoints.writing import Writes, put, put_writes


class StoredSaver(Closing, ForRuns, ThreadMethods, BaseCheckpointSaver[str]):
    """What every checkpointer of this package does, wherever it stores.

    Each message is stored once per thread, however many checkpoints hold it, so that a turn costs the same at the
    thousandth as at the first. What is read belongs to the caller: changing it changes nothing that is stored.

    Two runs on one thread at once: the one that comes second gets a `ConflictError`, or a branch of its own
    (`on_conflict`); nothing is lost silently. Under LangGraph's default durability the error comes after the nodes have
    run: take `lease(thread_id)` where that must not be. Whoever calls the methods without a graph may put anything
    anywhere.

    Args:
        setting: Where and how threads are kept.
    """

    def __init__(self, setting: Setting) -> None:
        """No I/O."""
        self._setting = setting
        super().__init__(serde=setting.codec.serde)

    @property
    def serde(self) -> SerializerProtocol:
        """What turns values into bytes; LangGraph assigns it to a copy that knows more classes."""
        return self._setting.codec.serde

    @serde.setter
    def serde(self, serde: SerializerProtocol) -> None:
        if serde is not self._setting.codec.serde:
            self._setting = replace(self._setting, codec=Codec(serde), cache=Cache())  # what was checked is known there

    @property
    def _flows(self) -> SaverFlows:
        return SaverFlows(self._setting)

    def followed_by(self, follower: Follower) -> Self:
        """Let somebody who keeps something of the threads' conversations let go of it with them; return this."""
        self._setting = replace(self._setting, follower=follower)
        return self

    def guarded_by(self, guard: Callable[[Threads], Threads]) -> Self:
        """Let a guard stand before the threads, that asks before one of somebody's is read, or changed; return this."""
        self._setting = replace(self._setting, threads=guard(self._setting.threads))
        return self

    # --------------------------------------------------------------------------------------------------------- writing
    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint, all of it or nothing; the same call can be repeated after an error.

        Raises:
            ConflictError: This run has read what is not the latest any more, or its thread was deleted.
            ScopeError: The thread is another user's than the run's, or an id is malformed.
            ConfigurationError: A value cannot be stored, or would not come back as what it is.
            StorageError: The database failed; nothing was stored.
        """
        it = put_of(config, checkpoint, metadata, new_versions)
        run(self._for(config, put(self._setting, it)))
        return config_after(it)

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint; see `put`."""
        it = put_of(config, checkpoint, metadata, new_versions)
        await arun(self._for(config, put(self._setting, it)))
        return config_after(it)

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Store what a task wrote, all of it or nothing; it may come before its checkpoint.

        What the task has stored before stays, but errors, interrupts and the like are replaced.

        Raises:
            ConflictError: The thread was deleted, or expired, since this run read or put something.
            ScopeError: The thread is another user's than the run's, or an id is malformed.
            ConfigurationError: A value cannot be stored, or would not come back as what it is.
            StorageError: The database failed; nothing was stored.
        """
        it = Writes(address_of(config), list(writes), task_id, task_path, run_id_of(config))
        run(self._for(config, put_writes(self._setting, it)))

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Store what a task wrote; see `put_writes`."""
        it = Writes(address_of(config), list(writes), task_id, task_path, run_id_of(config))
        await arun(self._for(config, put_writes(self._setting, it)))

    def get_next_version(self, current: str | None, channel: None) -> str:
        """Return a version of a channel that is later than the current one, also if that is an int of another saver."""
        counter = 0 if current is None else int(str(current).split(".")[0])
        return next_version(counter + 1)

    # --------------------------------------------------------------------------------------------------------- reading
    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the checkpoint that the config names, or the latest; `None`: there is none.

        Raises:
            ScopeError: The thread is another user's than the run's, or an id is malformed.
            IntegrityError: What is stored of it is damaged; the error names it.
            StorageError: The database failed.
        """
        return run(self._for(config, get_tuple(self._setting, address_of(config))))

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the checkpoint that the config names, or the latest; see `get_tuple`."""
        return await arun(self._for(config, get_tuple(self._setting, address_of(config))))

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Return checkpoints, newest first, read page by page as they are asked for.

        Checkpoints of one page share the objects they have in common: copy what you want to change.

        Args:
            config: The thread, and in it the namespace and the checkpoint if named; `None`: all threads, one after the
                other.
            filter: Metadata that a checkpoint must have, exactly.
            before: Only checkpoints older than the one it names.
            limit: How many at most.

        Raises:
            ScopeError: The thread is another user's than the run's, or an id is malformed.
            ConfigurationError: An argument cannot be understood.
            StorageError: The database failed, or a checkpoint is damaged; of all threads, once the others were yielded.
        """
        pages = listing(self._setting, config, filter, before, limit)

        def checkpoints() -> Iterator[CheckpointTuple]:
            while not pages.is_done:
                yield from run(self._for(config, pages.next_page()))

        return checkpoints()

    def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """Return checkpoints, newest first; see `list`."""
        pages = listing(self._setting, config, filter, before, limit)

        async def checkpoints() -> AsyncIterator[CheckpointTuple]:
            while not pages.is_done:
                for found in await arun(self._for(config, pages.next_page())):
                    yield found

        return checkpoints()

    def get_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Return what the ancestors of a checkpoint wrote to channels that keep only what changed, in one walk.

        Raises:
            ScopeError: The thread is another user's than the run's, or an id is malformed.
            ConfigurationError: `channels` is no list of names.
            StorageError: The database failed, or something on the way is damaged.
        """
        found = delta_history(self._setting, address_of(config), check_ids("channels", channels))
        return run(self._for(config, found))

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Return what the ancestors of a checkpoint wrote to channels; see `get_delta_channel_history`."""
        found = delta_history(self._setting, address_of(config), check_ids("channels", channels))
        return await arun(self._for(config, found))

    # --------------------------------------------------------------------------------------------------- whole threads
    def delete_thread(self, thread_id: str) -> None:
        """Delete a thread with everything of it.

        A run that is on its way gets a `ConflictError` when it next stores something, and does not begin the thread
        anew. Only the first run of a thread can: one that has stored nothing yet, or not from this process. Whoever
        holds the thread's lease holds it still, and can begin the thread anew before others run in it.

        Raises:
            ScopeError: The id is malformed.
            StorageError: The database failed, and nothing was deleted; or it was, and its text is still in the log of a
                file of SQLite's that others read just now. Repeating the call takes it out.
        """
        run(whole.delete(self._setting, [check_thread(thread_id)]))

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete a thread with everything of it; see `delete_thread`."""
        await arun(whole.delete(self._setting, [check_thread(thread_id)]))

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints that some runs have put, and all that they wrote, in all threads.

        Runs are known by `run_id` in the metadata of their config, or in `configurable`. What other runs put on top of
        them stays, on top of the nearest checkpoint that stays. What they replaced (an interrupt) does not come back.
        Channels that keep only
        what changed (`DeltaChannel`) lose what the deleted checkpoints knew.

        Raises:
            ConfigurationError: `run_ids` is no list of ids.
            StorageError: The database failed, or a thread is damaged: all others are done then. Each thread is done as
                a whole or not at all.
        """
        run(whole.delete_for_runs(self._setting, frozenset(check_ids("run_ids", run_ids))))

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints that some runs have put; see `delete_for_runs`."""
        await arun(whole.delete_for_runs(self._setting, frozenset(check_ids("run_ids", run_ids))))

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy a thread with its whole history and its owner; nothing, if it is not there.

        Raises:
            ScopeError: An id is malformed.
            ConfigurationError: The target is there already.
            StorageError: The database failed; nothing was copied.
        """
        run(whole.copy_thread(self._setting, check_thread(source_thread_id), check_thread(target_thread_id)))

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy a thread with its whole history; see `copy_thread`."""
        await arun(whole.copy_thread(self._setting, check_thread(source_thread_id), check_thread(target_thread_id)))

    # -------------------------------------------------------------------------------------------- opening and closing
    def setup(self) -> None:
        """Connect and bring the tables up to date now, and not with the first use."""
        run(self._open())

    async def asetup(self) -> None:
        """Connect and bring the tables up to date now; see `setup`."""
        await arun(self._open())

    @abstractmethod
    def _open(self) -> Flow[None]:
        """Connect."""
