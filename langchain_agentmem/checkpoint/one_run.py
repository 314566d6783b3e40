"""The checkpointer of one run, which may go away while the run is on its way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
)

from langchain_agentmem.checkpoint.stored import StoredSaver
from langchain_agentmem.checkpoints.setting import UnownedThreadError
from langchain_agentmem.errors import AgentMemError, ConflictError, IntegrityError, MigrationError, StorageError

_MISSING: Final = (StorageError, UnownedThreadError)


class OneRunSaver(BaseCheckpointSaver[str]):
    """A checkpointer that is asked no more when it has failed once: not to read, and not to store.

    So what a run stores is what goes on from what it has read. A run that could not read its thread stores nothing,
    also when the database is back before it ends: nothing of the thread is replaced by what does not know it.

    Only a database that fails is a failure here, and a thread that no key can seal, as it is nobody's. A conflict,
    damage, or tables that are too new reach the caller.

    Args:
        saver: The checkpointer.
        failure: Why it is not to be asked at all.

    Attributes:
        failure: The first one of this run; `None`: all is well.
    """

    def __init__(self, saver: StoredSaver, failure: AgentMemError | None = None) -> None:
        """No I/O."""
        super().__init__(serde=saver.serde)
        self._saver = saver
        self.failure = failure

    def get_next_version(self, current: str | None, channel: None) -> str:
        """Return a version of a channel that is later than the current one."""
        return self._saver.get_next_version(current, channel)

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return what is stored; `None` where the checkpointer is away."""
        if self.failure is None:
            try:
                return self._saver.get_tuple(config)
            except _MISSING as error:
                self._note(error)
        return None

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return what is stored; see `get_tuple`."""
        if self.failure is None:
            try:
                return await self._saver.aget_tuple(config)
            except _MISSING as error:
                self._note(error)
        return None

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint, unless the checkpointer is away."""
        if self.failure is None:
            try:
                return self._saver.put(config, checkpoint, metadata, new_versions)
            except _MISSING as error:
                self._note(error)
        return _config_after(config, checkpoint)

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint; see `put`."""
        if self.failure is None:
            try:
                return await self._saver.aput(config, checkpoint, metadata, new_versions)
            except _MISSING as error:
                self._note(error)
        return _config_after(config, checkpoint)

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Store what a task wrote, unless the checkpointer is away."""
        if self.failure is None:
            try:
                self._saver.put_writes(config, writes, task_id, task_path)
            except _MISSING as error:
                self._note(error)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Store what a task wrote; see `put_writes`."""
        if self.failure is None:
            try:
                await self._saver.aput_writes(config, writes, task_id, task_path)
            except _MISSING as error:
                self._note(error)

    def get_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Return what ancestors wrote; a state that is known in part only is no state, so every failure is raised."""
        return self._saver.get_delta_channel_history(config=config, channels=channels)

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Return what ancestors wrote; see `get_delta_channel_history`."""
        return await self._saver.aget_delta_channel_history(config=config, channels=channels)

    def _note(self, error: AgentMemError) -> None:
        """Keep the first failure; raise what a database that works says of the thread."""
        if isinstance(error, (ConflictError, IntegrityError, MigrationError)):
            raise error
        self.failure = self.failure or error


def _config_after(config: RunnableConfig, checkpoint: Checkpoint) -> RunnableConfig:
    return {"configurable": {**config.get("configurable", {}), "checkpoint_id": checkpoint["id"]}}
