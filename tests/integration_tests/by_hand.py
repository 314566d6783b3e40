"""A thread that is put step by step without a graph, so that it can be compared with the same thread elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple
from uuid import UUID

from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import empty_checkpoint

from langchain_agentmem._flow import Flow, run, step
from langchain_agentmem.checkpoint.stored import StoredSaver
from tests.threads import Removing, remove


class Step(NamedTuple):
    """One call of a checkpointer; it can be repeated."""

    name: str
    arguments: tuple[Any, ...]

    def on(self, saver: StoredSaver) -> Flow[Any]:
        return step(getattr(saver, self.name), getattr(saver, f"a{self.name}"), *self.arguments)


def steps(thread_id: str, count: int) -> Iterator[Step]:
    """Give checkpoints of a conversation that grows, each with what a task wrote on top of it."""
    messages = [HumanMessage(f"number {number}", id=str(number)) for number in range(count + 1)]
    config = _config(thread_id)
    for number in range(count):
        versions = {"messages": f"{number + 1:032}.{0:016}"}
        checkpoint_id = str(UUID(int=(1 << 127) + number))
        checkpoint = {
            **empty_checkpoint(),
            "id": checkpoint_id,
            "ts": f"2026-01-01T00:00:{number % 60:02}+00:00",
            "channel_values": {"messages": messages[: number + 1]},
            "channel_versions": versions,
        }
        yield Step("put", (config, checkpoint, {"source": "loop", "step": number}, versions))
        config = _config(thread_id, checkpoint_id=checkpoint_id)
        yield Step("put_writes", (config, [("messages", [messages[number + 1]])], f"task {number}"))


def _config(thread_id: str, **place: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread_id, "checkpoint_ns": "", **place}}


def contents(saver: StoredSaver, thread_id: str) -> object:
    """Return all that a thread holds, but its name."""
    plan = Removing()
    run(remove(saver._setting.threads, plan, thread_id))
    config: RunnableConfig = {"configurable": {"thread_id": thread_id}}
    checkpoints = [
        (
            it.checkpoint,
            it.metadata,
            it.pending_writes,
            (it.parent_config or _config(""))["configurable"].get("checkpoint_id"),
        )
        for it in saver.list(config)
    ]
    return checkpoints, list(plan.inventory.numbers), plan.inventory.state.heads
