"""An import beside somebody who writes at the same time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import MessagesState, StateGraph

from langchain_agentmem import transfer
from langchain_agentmem.errors import ConfigurationError, StorageError
from tests.conftest import Call
from tests.contracts.imports_contract import ImportsContract


class TestImports(ImportsContract):
    """The contract on SQLite."""


class Failing(InMemorySaver):
    """Somebody else begins to use the thread that is being put, and then the server fails; or refuses."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self._error = error
        self._is_met = False

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        if not self._is_met:
            self._is_met = True
            super().put(config, {**checkpoint, "id": "somebody-elses"}, metadata, new_versions)
            raise self._error
        return super().put(config, checkpoint, metadata, new_versions)


def asked_once() -> tuple[InMemorySaver, RunnableConfig]:
    saver, config = InMemorySaver(), RunnableConfig(configurable={"thread_id": "talk"})
    graph: Any = StateGraph(MessagesState)
    graph.add_node("echo", lambda state: {"messages": state["messages"][-1:]})
    graph.add_edge("__start__", "echo")
    graph.compile(checkpointer=saver).invoke({"messages": [("user", "hello")]}, config)
    return saver, config


async def test_a_thread_import_that_fails_deletes_nothing_of_somebody_elses(call: Call, tmp_path: Path) -> None:
    """Who began to use the thread meanwhile keeps what they said; the failure is told."""
    source, config = asked_once()
    transfer.export_thread(source, "talk", tmp_path / "talk.jsonl")
    target = Failing(StorageError("away"))
    with pytest.raises(StorageError, match="away"):
        await call(transfer, "import_thread", target, tmp_path / "talk.jsonl")
    assert [it.checkpoint["id"] for it in target.list(config)] == ["somebody-elses"]


async def test_a_thread_that_is_refused_while_it_is_copied_takes_nothing_of_somebody_elses_away(call: Call) -> None:
    """Likewise where the target does not take what it holds."""
    source, config = asked_once()
    target = Failing(ConfigurationError("not that"))
    done = await call(transfer, "copy_checkpoints", source, target)
    assert [it.thread_id for it in done.refused] == ["talk"]
    assert [it.checkpoint["id"] for it in target.list(config)] == ["somebody-elses"]
